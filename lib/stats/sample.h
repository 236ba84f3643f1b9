/* sample.h - some of the rows of this process, with their weights and classes: what something is
 * learned from, or what is coded. */
#pragma once

#include "prep/prep.h"

typedef struct heft_sample {
    const heft_rows *rows;
    size_t           n;
    const size_t    *row;    /* n places in rows; NULL: all of them in order */
    const double    *weight; /* n, each above 0; NULL: all 1 */
    const uint16_t  *y;      /* n classes below n_class */
    size_t           n_class;
} heft_sample;

/* The place of the i-th row of the sample in `rows`. */
static inline size_t heft_sample_row(const heft_sample *s, size_t i)
{
    return s->row ? s->row[i] : i;
}

static inline double heft_sample_weight(const heft_sample *s, size_t i)
{
    return s->weight ? s->weight[i] : 1;
}
