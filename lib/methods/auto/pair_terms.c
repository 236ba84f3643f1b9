/* pairs.c - the tables of a pair of attributes taken together. */
#include "methods/auto/pair_terms.h"

#include <stdlib.h>
#include <string.h>

typedef struct place { /* a table, by its attributes; or a pair, by its size */
    uint64_t pair;
    double   size;
    size_t   k;
} place;

static int by_pair(const void *pa, const void *pb)
{
    const place *a = pa, *b = pb;
    if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
    return a->k < b->k ? -1 : 1;
}

static int by_size(const void *pa, const void *pb)
{
    const place *a = pa, *b = pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->k < b->k ? -1 : 1;
}

heft_status heft_pair_terms_open(heft_ctx *ctx, const heft_pooled *pooled, heft_pair_terms *out)
{
    place *list;

    *out = (heft_pair_terms){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, pooled->n_pairs, out->pair, out->order, out->of, list);
    for (size_t k = 0; k < pooled->n_pairs; k++)
        list[k] = (place){(uint64_t)pooled->pair[k].i << 32 | pooled->pair[k].j, 0, k};
    if (pooled->n_pairs) qsort(list, pooled->n_pairs, sizeof *list, by_pair);
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        if (k == 0 || list[k].pair != list[k - 1].pair)
            out->pair[out->n++] =
                (heft_pair_term){.i = (uint32_t)(list[k].pair >> 32), .j = (uint32_t)list[k].pair};
        out->of[list[k].k] = out->n - 1;
        out->pair[out->n - 1].size += pooled->size[list[k].k];
    }
    for (size_t b = 0; b < out->n; b++) list[b] = (place){.size = out->pair[b].size, .k = b};
    if (out->n) qsort(list, out->n, sizeof *list, by_size);
    for (size_t b = 0; b < out->n; b++) out->order[b] = list[b].k;
    return HEFT_OK;
}

heft_status heft_pair_terms_row(heft_ctx *ctx, const heft_pooled *pooled,
                                const heft_pair_terms *pairs, const heft_rows *rows, size_t i,
                                double *alone, double *together)
{
    heft_status     st = HEFT_OK;
    const size_t    K = pooled->n_declared;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    double         *each;

    HEFT_ARENA(ctx, &ctx->scratch, each, pooled->n_pairs * K);
    HEFT_TRY(heft_pooled_apart(ctx, pooled, rows, i, alone, each));
    memset(together, 0, pairs->n * K * sizeof *together);
    for (size_t k = 0; k < pooled->n_pairs; k++)
        for (size_t c = 0; c < K; c++) together[pairs->of[k] * K + c] += each[k * K + c];
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
