/* copies.h - rows that were written several times: pasted tables, classes brought to the same size.
 *
 * Where a table has few values the same row comes again by itself, and each of these rows says
 * something. Copies say nothing new. The two are told apart class by class. Suppose that most
 * different rows of a class are there u times (the lower median), u > 1. Without copies the class
 * would have n / u rows, and chance would give a row of values v about n / u prod_v n_v / n of
 * them, where n_v of the n rows have v in its column. Rows for which that is below 1/10 should not
 * come again; u becomes the lower median of how often these do. Where there are hardly any, as in a
 * table of few values, u is 1. */
#pragma once

#include "stats/sample.h"

typedef struct heft_keyed_rows { /* rows of this process */
    const heft_sample *sample;
    const uint64_t    *key;   /* by row: different for those of different content */
    const size_t      *order; /* the rows by class, then by key */
} heft_keyed_rows;

/* unit[n_class]: how many rows of the class are copies of one, most often; 1: they are not copied.
 * Looks at about 4096 rows by their keys, wherever they are. Cost: one pass over the rows, and one
 * over the cells of classes in which most rows come again. */
heft_status heft_copies_find(heft_ctx *ctx, const heft_keyed_rows *rows, size_t *unit);
