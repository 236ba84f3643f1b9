/* used_rows.c - what the default method learns from: weights, attributes and classes. */
#include "methods/auto/used_rows.h"

#include <math.h>

#include "base/all.h"
#include "base/rows.h"

enum { COARSE_BITS = 61, SUM_BITS = 52, LEAST_IDENTIFIED = 20 };

static const double IDENTIFIED = 0.9; /* values for each cell of a column that names the rows */

/* Weights that sum to more than `large` become whole multiples of a power of two, 2^-52 of what
 * they sum to: sums of them are then exact, in any order. Whole weights stay as they are. */
static heft_status round_weights(heft_ctx *ctx, double large, heft_arena *arena,
                                 heft_used_rows *out)
{
    const heft_rows *rows = &out->rows;
    double           most = 0, *weight;
    int64_t          sum = 0;
    int              power;
    HEFT_CHECK(heft_all_place(ctx, rows->n_rows, &out->n_before, &out->n_all));
    if (!rows->weight) return HEFT_OK;
    HEFT_ROWS (i, rows->n_rows) most = fmax(most, rows->weight[i]);
    HEFT_CHECK(heft_all_max(ctx, &most, 1));
    (void)frexp(most * (double)out->n_all, &power);
    const double coarse = ldexp(1, power - COARSE_BITS);
    HEFT_ROWS (i, rows->n_rows) sum += (int64_t)ceil(rows->weight[i] / coarse);
    HEFT_CHECK(heft_all_add(ctx, &sum, 1));
    if (!((double)sum * coarse > large)) return HEFT_OK;
    (void)frexp((double)sum * coarse, &power);
    const double unit = ldexp(1, power - SUM_BITS);
    HEFT_ALLOC(ctx, arena, weight, rows->n_rows);
    HEFT_ROWS (i, rows->n_rows) weight[i] = fmax(rint(rows->weight[i] / unit), 1) * unit;
    out->rows.weight = weight;
    return HEFT_OK;
}

/* Some cell of the attribute differs from the first. */
static bool varies(const heft_attr *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (a->coded
                ? heft_code_at(a->codes, a->width, i) != heft_code_at(a->codes, a->width, 0)
                : a->numbers[i] != a->numbers[0] && !(isnan(a->numbers[i]) && isnan(a->numbers[0])))
            return true;
    }
    return false;
}

enum { VARIES, LARGEST, SMALLEST, OBSERVED, MISSING, N_TRAITS }; /* SMALLEST: negated */

/* Which attributes vary in the rows of all processes: these compare their first cells. */
static heft_status find_varying(heft_ctx *ctx, const heft_rows *rows, bool *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *traits;
    HEFT_ALLOC(ctx, &ctx->scratch, traits, rows->n_attr * N_TRAITS);
    for (size_t j = 0; j < rows->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        double          *t = traits + j * N_TRAITS;
        t[VARIES] = varies(a, rows->n_rows);
        t[LARGEST] = t[SMALLEST] = -INFINITY;
        if (rows->n_rows == 0) continue;
        const double x = a->coded ? heft_code_at(a->codes, a->width, 0) : a->numbers[0];
        t[OBSERVED] = !isnan(x);
        t[MISSING] = isnan(x);
        if (!isnan(x)) t[LARGEST] = x, t[SMALLEST] = -x;
    }
    HEFT_CHECK(heft_all_max(ctx, traits, rows->n_attr * N_TRAITS));
    for (size_t j = 0; j < rows->n_attr; j++) {
        const double *t = traits + j * N_TRAITS;
        out[j] = t[VARIES] > 0 || (t[OBSERVED] > 0 && t[MISSING] > 0) ||
                 (t[OBSERVED] > 0 && t[LARGEST] != -t[SMALLEST]);
    }
    return HEFT_OK;
}

/* A nominal attribute whose values nearly all occur once, such as a name or a number of the row:
 * more than 0.9 values for each observed cell, in at least 20 rows. */
static heft_status is_identifier(heft_ctx *ctx, const heft_rows *rows, size_t j, bool *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_attr *a = &rows->attr[j];
    double          *count, cells = 0, values = 0;
    *out = false;
    if (!a->coded || a->n_codes < 2) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, count, (size_t)a->n_codes + 2);
    HEFT_ROWS (i, rows->n_rows)
        count[heft_code_at(a->codes, a->width, i)] += rows->weight ? rows->weight[i] : 1;
    HEFT_CHECK(heft_all_sum(ctx, count, (size_t)a->n_codes + 2));
    for (size_t v = 0; v < a->n_codes; v++) {
        cells += count[v];
        values += count[v] > 0;
    }
    *out = cells >= LEAST_IDENTIFIED && values > IDENTIFIED * cells;
    return HEFT_OK;
}

/* A constant attribute says nothing: it is left out before anything is learned. So is one that
 * names the rows. */
static heft_status find_attributes(heft_ctx *ctx, const heft_prep *prep, heft_arena *arena,
                                   heft_used_rows *out)
{
    const heft_rows *rows = &out->rows;
    heft_attr       *attr;
    bool            *varying;
    size_t           n = 0;
    HEFT_ALLOCS(ctx, arena, rows->n_attr, attr, out->used, varying);
    HEFT_CHECK(find_varying(ctx, rows, varying));
    for (size_t j = 0; j < rows->n_attr; j++) {
        bool identifier;
        if (!varying[j]) continue;
        HEFT_CHECK(is_identifier(ctx, rows, j, &identifier));
        if (identifier) {
            heft_say(ctx, HEFT_WARNING,
                     "column '%s' takes no part: nearly every row has a value of its own there, so "
                     "it says nothing about other rows (leave it out with --drop)",
                     prep->attr[j].name);
            continue;
        }
        out->used[n] = j;
        attr[n++] = rows->attr[j];
    }
    out->rows.attr = attr;
    out->rows.n_attr = n;
    return HEFT_OK;
}

/* Classes without rows are left out; the others are renumbered. */
static heft_status find_classes(heft_ctx *ctx, heft_arena *arena, heft_used_rows *out)
{
    const heft_rows *rows = &out->rows;
    uint16_t        *number;
    HEFT_ALLOC(ctx, arena, out->y, rows->n_rows);
    HEFT_ALLOCS(ctx, arena, rows->n_class, out->present, out->class_sum, number);
    HEFT_ROW_BLOCKS (lo, hi, rows->n_rows)
        for (size_t i = lo; i < hi; i++)
            out->class_sum[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
    HEFT_CHECK(heft_all_sum(ctx, out->class_sum, rows->n_class));
    for (size_t c = 0; c < rows->n_class; c++) {
        number[c] = (uint16_t)out->n_class;
        if (out->class_sum[c] > 0) out->present[out->n_class++] = (uint32_t)c;
        out->total += out->class_sum[c];
    }
    HEFT_ROW_BLOCKS (lo, hi, rows->n_rows)
        for (size_t i = lo; i < hi; i++) out->y[i] = number[rows->y[i]];
    return HEFT_OK;
}

heft_status heft_used_rows_of(heft_ctx *ctx, const heft_task *task, double large, heft_arena *arena,
                              heft_used_rows *out)
{
    *out = (heft_used_rows){.rows = *task->rows};
    HEFT_CHECK(round_weights(ctx, large, arena, out));
    HEFT_CHECK(find_attributes(ctx, task->prep, arena, out));
    return find_classes(ctx, arena, out);
}
