/* count_codes.c - how many rows have each value of a nominal column. */
#include "base/rows.h"
#include "base/wide.h"
#include "data/table.h"

enum {
    LANES = 32,
    CUT = 4096, /* rows at a time: a byte counts CUT / LANES of them */
    FEW = 32    /* up to so many values are looked for one after the other */
};

typedef struct counting {
    const heft_column *col;
    size_t             n; /* number of codes */
} counting;

/* Counts the codes that are v; `rows` is a multiple of LANES. */
HEFT_WIDE_AVX2 static uint32_t count_equal(const uint8_t *code, size_t rows, uint8_t v)
{
    uint32_t total = 0;
    for (size_t lo = 0, hi; lo < rows; lo = hi) {
        uint8_t lane[LANES] = {0};
        hi = rows - lo < CUT ? rows : lo + CUT;
        for (size_t i = lo; i < hi; i += LANES)
            for (size_t k = 0; k < LANES; k++) lane[k] = (uint8_t)(lane[k] + (code[i + k] == v));
        for (size_t k = 0; k < LANES; k++) total += lane[k];
    }
    return total;
}

/* Adding to one counter again and again would wait for the addition before: there are four counters
 * per code. */
static void count_bytes(const uint8_t *code, size_t rows, size_t n, double *acc)
{
    const size_t whole = n <= FEW ? rows / LANES * LANES : 0;
    uint32_t     count[4][256];
    if (whole > 0)
        for (size_t v = 0; v < n; v++) acc[v] += count_equal(code, whole, (uint8_t)v);
    for (size_t v = 0; v < n && v < 256; v++)
        count[0][v] = count[1][v] = count[2][v] = count[3][v] = 0;
    for (size_t i = whole; i < rows; i++) count[i % 4][code[i]]++;
    for (size_t v = 0; v < n && v < 256; v++)
        acc[v] += count[0][v] + count[1][v] + count[2][v] + count[3][v];
}

static void count_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const counting    *c = arg;
    const heft_column *col = c->col;
    if (col->width == 1) {
        count_bytes((const uint8_t *)col->cells + lo, hi - lo, c->n, acc);
        return;
    }
    for (size_t i = lo; i < hi; i++) acc[heft_code_at(col->cells, col->width, i)]++;
}

heft_status heft_column_count(heft_ctx *ctx, const heft_column *col, size_t n_rows, size_t *counts)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const counting c = {col, heft_dict_size(col->dict) + 2};
    double        *sums;
    HEFT_ALLOC(ctx, &ctx->scratch, sums, c.n);
    HEFT_CHECK(heft_sum_here(ctx, n_rows, c.n, count_rows, &c, sums));
    for (size_t v = 0; v < c.n; v++) counts[v] = (size_t)sums[v];
    return HEFT_OK;
}
