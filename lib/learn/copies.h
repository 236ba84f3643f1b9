/* copies.h - detection of rows that were duplicated, for example by pasting a table twice or by
 * repeating the rows of small classes.
 *
 * In a table with few values equal rows also occur by chance, and each of them is an observation of
 * its own. A copy is not. The two cases are distinguished for each class of n rows as follows. Let
 * u be the lower median of how often its different rows occur, and suppose u > 1. Without copies
 * the class would have n / u rows, and a row with values v would be expected
 *
 *   (n / u) prod_v (n_v / n)
 *
 * times, where n_v of the n rows have value v in its column. Rows for which this is below 1/10
 * should not occur twice by chance; u becomes the lower median of how often these rows occur. If
 * there are hardly any such rows, as in a table with few values, u is 1. */
#pragma once

#include "stats/sample.h"

typedef struct heft_keyed_rows { /* rows of this process */
    const heft_sample *sample;
    const uint64_t    *key;   /* key of each row; rows of different content have different keys */
    const size_t      *order; /* the rows sorted by class, then by key */
} heft_keyed_rows;

/* unit[n_class]: the number u of copies of a typical row of each class; 1 if rows are not copied.
 * About 4096 rows of all processes are examined, chosen by their keys. Cost: one pass over the
 * rows, and one over the cells of each class in which most rows occur more than once. */
heft_status heft_copies_find(heft_ctx *ctx, const heft_keyed_rows *rows, size_t *unit);
