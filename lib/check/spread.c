/* spread.c - the distribution of a column over its values and the classes, in a few bars. */
#include <math.h>

#include "base/rows.h"
#include "check/columns.h"

enum { VALUES = 12, STEPS = 20 };

static void count_row(const heft_column_scan *l, size_t i, size_t bar, heft_spread *out)
{
    const uint8_t g = heft_group_of(l, i);
    if (g != HEFT_NO_GROUP) out->count[bar][l->colour[g]]++;
}

/* ---- numbers ---- */

/* From the number that 1 of 100 rows are below to the one that 1 of 100 are above: a few extreme
 * numbers do not hide the rest. Whole numbers get whole steps. */
static void find_steps(const heft_sorted_numbers *s, size_t n, heft_spread *out)
{
    double hi = 0;
    bool   whole = true;
    size_t seen = 0;
    for (heft_equals run = {0}; heft_equals_next(s, &run); seen += run.n) {
        whole = whole && run.x == floor(run.x);
        if ((double)seen <= 0.01 * (double)n) out->lo = run.x;
        if ((double)seen <= 0.99 * (double)n) hi = run.x;
    }
    const double range = hi - out->lo;
    out->width = whole ? fmax(ceil((range + 1) / STEPS), 1) : range / STEPS;
    out->n_bars = whole ? (size_t)floor(range / out->width) + 1 : STEPS;
    if (!isfinite(range) || !(out->width > 0) || out->n_bars > HEFT_CHECK_BARS)
        out->n_bars = 1, out->width = 1;
}

static size_t step_of(const heft_spread *s, double x)
{
    const double k = floor((x - s->lo) / s->width);
    return !(k > 0) ? 0 : k < (double)s->n_bars ? (size_t)k : s->n_bars - 1;
}

static heft_status spread_numbers(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                                  heft_spread *out)
{
    const heft_column_summary *col = &l->check->cols[j];
    heft_sorted_numbers        s;
    size_t                     r = 0;
    HEFT_CHECK(heft_sort_numbers(ctx, l, j, &s));
    out->intervals = col->show.n_distinct > HEFT_CHECK_BARS;
    if (out->intervals) find_steps(&s, col->n_observed, out);
    else out->n_bars = col->show.n_distinct;
    for (heft_equals run = {0}; heft_equals_next(&s, &run); r++) {
        const size_t bar = out->intervals ? step_of(out, run.x) : r;
        if (!out->intervals) out->number[bar] = run.x;
        for (size_t k = run.lo; k < run.hi; k++) count_row(l, s.v[k].row, bar, out);
        if (run.zeros)
            for (size_t g = 0; g < l->check->classes.n_group; g++)
                out->count[bar][l->colour[g]] += s.zero[g];
    }
    return HEFT_OK;
}

/* ---- values ---- */

static heft_status spread_values(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                                 heft_spread *out)
{
    const size_t n_values = heft_dict_size(l->check->cols[j].dict), n = l->table->n_rows;
    heft_codes   codes;
    double      *rows;
    heft_ranked *order, *spare;
    uint8_t     *bar;
    HEFT_CHECK(heft_codes_of(ctx, l, j, &codes));
    HEFT_ALLOCS(ctx, &ctx->scratch, n_values + 2, rows, order, spare, bar);
    HEFT_ROWS (i, n) rows[heft_code_at(codes.cells, codes.width, i)]++;
    heft_order_falling(rows, n_values, order, spare);
    const size_t distinct = l->check->cols[j].show.n_distinct;
    for (size_t v = 0; v < n_values; v++) bar[v] = VALUES - 1; /* all others */
    if (distinct <= VALUES) {
        for (size_t v = 0; v < n_values; v++) {
            if (rows[v] == 0) continue;
            out->code[out->n_bars] = (uint32_t)v;
            bar[v] = (uint8_t)out->n_bars++;
        }
    } else {
        for (; out->n_bars < VALUES - 1; out->n_bars++) {
            out->code[out->n_bars] = (uint32_t)order[out->n_bars].row;
            bar[order[out->n_bars].row] = (uint8_t)out->n_bars;
        }
        out->code[out->n_bars++] = UINT32_MAX;
    }
    HEFT_ROWS (i, n) {
        const uint32_t v = heft_code_at(codes.cells, codes.width, i);
        if (v < n_values) count_row(l, i, bar[v], out);
    }
    return HEFT_OK;
}

heft_status heft_spread_column(heft_ctx *ctx, const heft_column_scan *l, size_t j, heft_spread *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    return l->check->cols[j].dict ? spread_values(ctx, l, j, out) : spread_numbers(ctx, l, j, out);
}
