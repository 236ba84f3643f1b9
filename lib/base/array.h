/* array.h - arrays on the heap that grow as elements are added. */
#pragma once

#include "base/ctx.h"

/* Returns `items` with space for at least `need` elements of `size` bytes; the array may have
 * moved. A new array has space for `estimate` elements, and a full one grows by half, so that
 * adding n elements one by one costs O(n). Returns NULL and records the error when there is no
 * memory; then the old array stays valid. */
void *heft_grown(heft_ctx *ctx, void *items, size_t *capacity, size_t need, size_t estimate,
                 size_t size);

/* heft_grown for an array of known type; makes the calling function return ENOMEM on failure. */
#define HEFT_GROW(ctx, items, capacity, need, estimate)                                            \
    do {                                                                                           \
        void *grown_ =                                                                             \
            heft_grown((ctx), (items), &(capacity), (need), (estimate), sizeof *(items));          \
        if (!grown_) return HEFT_ENOMEM;                                                           \
        (items) = grown_;                                                                          \
    } while (0)
