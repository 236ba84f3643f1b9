/* calibration.h - scores brought to probabilities that can be trusted.
 *
 *   temperature   s'_c = b s_c                                 the order of the classes stays
 *   vector        s'_c = b_c (s_c - log sum_k exp s_k) + a_c
 *
 * b and a minimise the log-loss of held-out scores, with a pull to b = 1 and a = 0 as strong as one
 * row's (learn/mixing.h). */
#pragma once

#include "base/ctx.h"

typedef enum heft_calibrating {
    HEFT_CALIBRATE_NONE,
    HEFT_TEMPERATURE,
    HEFT_VECTOR
} heft_calibrating;

typedef struct heft_calibration {
    heft_calibrating kind;
    double          *scale, *shift; /* a class each; NULL: as it is */
} heft_calibration;

/* none, temperature, vector; NULL is none. */
heft_status heft_calibration_parse(heft_ctx *ctx, const char *word, heft_calibrating *out);
const char *heft_calibration_word(heft_calibrating kind);

/* n rows of n_class scores, in place; -inf stays. */
void heft_calibrate(const heft_calibration *calibration, size_t n, size_t n_class, double *scores);
/* The parts of one row's score, `n` lines whose sums by class are the score: their sums become the
 * calibrated score. What is no part's own goes to the first line. room[n_class] is for own use. */
void heft_calibrate_parts(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *parts, double *room);
/* Lines that are not to take what is no part's own. */
void heft_calibrate_lines(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *lines);
