/* columns.h - what the files that summarise columns share. */
#pragma once

#include "base/bycol.h"
#include "base/sort.h"
#include "check/check.h"

enum { HEFT_NO_GROUP = 255 };

typedef struct heft_column_scan { /* a table whose columns are summarised */
    const heft_table *table;
    heft_check       *check;
    size_t           *group_rows; /* n_group + 1: rows of each; of none */
    uint8_t          *colour;     /* n_group */
    heft_bycol        bycol;      /* sparse */
    heft_steps        steps;
} heft_column_scan;

/* The group of a row, HEFT_NO_GROUP where its class is missing; 0 in a table without classes. */
static inline uint8_t heft_group_of(const heft_column_scan *l, size_t i)
{
    const heft_column *target = heft_check_class(l->table);
    if (!target) return 0;
    const uint32_t c = heft_code_at(target->cells, target->width, i);
    return c < l->check->classes.n ? l->check->classes.group[c] : HEFT_NO_GROUP;
}

/* The observed numbers of a column, sorted; zeros of sparse rows are not listed. */
typedef struct heft_sorted_numbers {
    heft_ranked *v;
    size_t       n;
    size_t       zeros; /* number of zeros that are not listed */
    size_t      *zero;  /* n_group + 1: these zeros by group of their row */
} heft_sorted_numbers;

typedef struct heft_equals { /* equal numbers; begin with {0} */
    double x;
    size_t lo, hi; /* in the list */
    size_t n;
    bool   zeros; /* the zeros that are not listed belong to this run */
    bool   past;  /* the run of these zeros has been returned */
} heft_equals;

/* Sorts the numbers of column j, in scratch memory. Cost: O(n), for sparse rows O(entries of the
 * column). */
heft_status heft_sort_numbers(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                              heft_sorted_numbers *out);
/* Moves to the next run of equal numbers, in increasing order; false: there is none. */
bool heft_equals_next(const heft_sorted_numbers *s, heft_equals *run);

/* The codes of a nominal column, one per row; n_values is missing. For sparse rows they are in
 * scratch memory. */
typedef struct heft_codes {
    const void *cells;
    unsigned    width;
} heft_codes;
heft_status heft_codes_of(heft_ctx *ctx, const heft_column_scan *l, size_t j, heft_codes *out);

/* Finds the distribution of column j for the page (spread.c). Memory from the check's arena. */
heft_status heft_spread_column(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                               heft_spread *out);
/* Finds from a few rows whether column j may tell nearly everything about the class (screen.c). */
bool heft_screen_column(const heft_column_scan *l, size_t j);
