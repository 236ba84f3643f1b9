/* sort.h - sorting a column by value, fast and stable.
 *
 * A double becomes an unsigned key that sorts alike (-0 and 0 give the same key), and keys are
 * sorted byte by byte: linear in n, whatever the data. Sorting by a lesser key first and by the
 * greater one after it sorts by both. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct heft_ranked {
    uint64_t key;
    size_t   row; /* index of the element that the key belongs to */
} heft_ranked;

uint64_t heft_order_key(double x); /* x must not be NaN */
double   heft_order_value(uint64_t key);
/* Sorts v[n] by key; equal keys stay in their order. spare[n] is overwritten. */
void heft_order_sort(heft_ranked *v, heft_ranked *spare, size_t n);
/* order[k].row = the index of the k-th largest of value[n]; of equal values the lower index comes
 * first. No value may be NaN. */
void heft_order_falling(const double *value, size_t n, heft_ranked *order, heft_ranked *spare);
