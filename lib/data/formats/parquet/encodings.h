/* encodings.h - small whole numbers packed in bits, as Parquet pages have them.
 *
 * All functions stay within [at, end) but for HEFT_PARQUET_PAD readable bytes behind it. */
#pragma once

#include "data/binary_values.h"

/* Runs of one repeated value, and runs of packed values of `width` bits (0 to 32). */
typedef struct heft_runs {
    const uint8_t *at, *end;
    unsigned       width;
    uint32_t       same; /* value that is repeated n_same times more */
    size_t         n_same;
    size_t         n_groups; /* groups of 8 packed values, which begin at `at` */
    uint32_t       spare[8]; /* the last group; its values from n_taken on are left */
    unsigned       n_taken;
} heft_runs;

heft_runs heft_runs_of(const uint8_t *at, const uint8_t *end, unsigned width);
/* The next n values. False: there are fewer, or one is too large for its width. */
bool heft_runs_take(heft_runs *r, uint32_t *out, size_t n);
/* How many of the next n values, up to n, are taken because a run repeats `value`. */
size_t heft_runs_skip(heft_runs *r, uint32_t value, size_t n);

/* DELTA_BINARY_PACKED: up to `most` whole numbers from *at on, which moves behind them. False: they
 * are broken, or more. */
bool heft_deltas_take(const uint8_t **at, const uint8_t *end, int64_t *out, size_t most, size_t *n);
