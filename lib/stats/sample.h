/* sample.h - rows that something is learned from, or that are coded. */
#pragma once

#include "prep/prep.h"

typedef struct heft_sample { /* those of this process */
    const heft_rows *rows;
    size_t           n;
    const size_t    *row;    /* n places in rows; NULL: all of them in order */
    const double    *weight; /* n, each above 0; NULL: all 1 */
    const uint16_t  *y;      /* n classes below n_class */
    size_t           n_class;
} heft_sample;
