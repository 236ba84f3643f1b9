/* counts.c - weighted counts of (value, class), one pass, through the one row sum. */
#include "stats/counts.h"

#include <math.h>

#include "base/rows.h"

typedef struct counting {
    const heft_rows *rows;
    const size_t    *at; /* where attribute j's cells start in the sum; n_class sums come first */
} counting;

#define COUNT_COLUMN(type)                                                                         \
    do {                                                                                           \
        const type *code = a->codes;                                                               \
        if (weight)                                                                                \
            for (size_t i = lo; i < hi; i++) cell[(size_t)code[i] * k + y[i]] += weight[i];        \
        else                                                                                       \
            for (size_t i = lo; i < hi; i++) cell[(size_t)code[i] * k + y[i]] += 1;                \
    } while (0)

static void count_dense(const heft_rows *rows, const size_t *at, size_t lo, size_t hi, double *acc)
{
    const size_t    k = rows->n_class;
    const uint16_t *y = rows->y;
    const double   *weight = rows->weight;
    for (size_t j = 0; j < rows->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        double          *cell = acc + at[j];
        if (!a->coded) continue;
        if (a->width == 1) COUNT_COLUMN(uint8_t);
        else if (a->width == 2) COUNT_COLUMN(uint16_t);
        else COUNT_COLUMN(uint32_t);
    }
}

static void count_sparse(const heft_rows *rows, const size_t *at, size_t lo, size_t hi, double *acc)
{
    const heft_sparse *s = rows->sparse;
    const size_t       k = rows->n_class;
    for (size_t i = lo; i < hi; i++) {
        const double w = rows->weight ? rows->weight[i] : 1;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            const heft_attr *a = &rows->attr[s->col[e]];
            if (!a->coded) continue;
            const size_t code = isnan(s->val[e]) ? a->n_codes : (size_t)s->val[e];
            acc[at[s->col[e]] + code * k + rows->y[i]] += w;
        }
    }
}

static void count_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const counting  *job = arg;
    const heft_rows *rows = job->rows;
    for (size_t i = lo; i < hi; i++) acc[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
    if (rows->sparse) count_sparse(rows, job->at, lo, hi, acc);
    else count_dense(rows, job->at, lo, hi, acc);
}

/* In sparse rows the absent cells have code 0. */
static void count_absent(const heft_rows *rows, const double *class_sum, size_t j, double *cell)
{
    const size_t K = rows->n_class, lines = (size_t)rows->attr[j].n_codes + 2;
    for (size_t c = 0; c < K; c++) {
        double stored = 0;
        for (size_t v = 1; v < lines; v++) stored += cell[v * K + c];
        cell[c] = fmax(0, class_sum[c] - stored);
    }
}

heft_status heft_count(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_counts *out)
{
    const size_t K = rows->n_class;
    size_t      *at, width = K;
    double      *sums;

    *out = (heft_counts){.n_attr = rows->n_attr, .n_class = K};
    HEFT_ALLOCS(ctx, arena, rows->n_attr, at, out->cell);
    for (size_t j = 0; j < rows->n_attr; j++) {
        at[j] = width;
        if (rows->attr[j].coded) width += ((size_t)rows->attr[j].n_codes + 2) * K;
    }
    HEFT_ALLOC(ctx, arena, sums, width);
    HEFT_CHECK(heft_sum_rows(ctx, rows->n_rows, width, count_rows, &(counting){rows, at}, sums));
    out->class_sum = sums;
    for (size_t c = 0; c < K; c++) out->total += sums[c];
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (!rows->attr[j].coded) continue;
        out->cell[j] = sums + at[j];
        if (rows->sparse) count_absent(rows, out->class_sum, j, out->cell[j]);
    }
    return HEFT_OK;
}
