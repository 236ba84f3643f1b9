/* sample.h - a selection of the rows of this process, with weights and classes of its own. */
#pragma once

#include "prep/prep.h"

typedef struct heft_sample {
    const heft_rows *rows;
    size_t           n;      /* number of rows of the sample */
    const size_t    *row;    /* n indices into `rows`; NULL if all rows are taken in order */
    const double    *weight; /* n weights above 0; NULL if all are 1 */
    const uint16_t  *y;      /* n classes below n_class */
    size_t           n_class;
} heft_sample;

/* Index in `rows` of the i-th row of the sample. */
static inline size_t heft_sample_row(const heft_sample *s, size_t i)
{
    return s->row ? s->row[i] : i;
}

static inline double heft_sample_weight(const heft_sample *s, size_t i)
{
    return s->weight ? s->weight[i] : 1;
}
