/* used_rows.c - what the default method learns from: weights, attributes and classes. */
#include "methods/auto/used_rows.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"

enum { COARSE_BITS = 61, UNIT_BITS = 30, SUM_BITS = 52, LEAST_IDENTIFIED = 20 };

static const double IDENTIFIED = 0.9; /* values per cell that a column needs to name the rows */

/* Divides the weights by their mean: what counts is how they compare. They become whole multiples
 * of a power of two, so that their sums are exact in any order, and so that what a common factor
 * changes in their last bits is rounded away. Weights that are all equal are none. */
static heft_status scale_weights(heft_ctx *ctx, heft_arena *arena, heft_used_rows *out)
{
    const heft_rows *rows = &out->rows;
    double           most = 0, differ = 0, *weight;
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
    const double mean = (double)sum * coarse / (double)out->n_all;
    (void)frexp((double)out->n_all, &power);
    const double unit = ldexp(1, power > SUM_BITS - UNIT_BITS ? power - SUM_BITS : -UNIT_BITS);
    HEFT_ALLOC(ctx, arena, weight, rows->n_rows);
    HEFT_ROWS (i, rows->n_rows) {
        weight[i] = fmax(rint(rows->weight[i] / mean / unit), 1) * unit;
        if (weight[i] != 1) differ = 1;
    }
    HEFT_CHECK(heft_all_max(ctx, &differ, 1));
    out->rows.weight = differ > 0 ? weight : NULL;
    return HEFT_OK;
}

/* Whether some cell of the attribute differs from the first. */
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

/* A constant attribute says nothing: it is left out before anything is learned. */
static heft_status find_attributes(heft_ctx *ctx, heft_arena *arena, heft_used_rows *out)
{
    const heft_rows *rows = &out->rows;
    heft_attr       *attr;
    bool            *varying;
    size_t           n = 0;
    HEFT_ALLOCS(ctx, arena, rows->n_attr, attr, out->used, varying);
    HEFT_CHECK(find_varying(ctx, rows, varying));
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (!varying[j]) continue;
        out->used[n] = j;
        attr[n++] = rows->attr[j];
    }
    out->rows.attr = out->attr = attr;
    out->rows.n_attr = n;
    return HEFT_OK;
}

/* Classes without rows are left out; the others are renumbered. */
static heft_status find_classes(heft_ctx *ctx, heft_arena *arena, heft_used_rows *out)
{
    heft_rows *rows = &out->rows;
    uint16_t  *number;
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
    rows->y = out->y;
    rows->n_class = out->n_class;
    return HEFT_OK;
}

heft_status heft_used_rows_of(heft_ctx *ctx, const heft_task *task, heft_arena *arena,
                              heft_used_rows *out)
{
    *out = (heft_used_rows){.rows = *task->rows};
    HEFT_CHECK(scale_weights(ctx, arena, out));
    HEFT_CHECK(find_attributes(ctx, arena, out));
    return find_classes(ctx, arena, out);
}

/* ---- the order of columns and classes ---- */

/* Puts n items of `size` bytes into another order: item k becomes the one that was order[k]. */
static heft_status permute(heft_ctx *ctx, void *items, size_t n, size_t size, const size_t *order)
{
    HEFT_SCRATCH_SCOPE(ctx);
    char *old;
    HEFT_ALLOC(ctx, &ctx->scratch, old, n * size);
    if (n) memcpy(old, items, n * size);
    for (size_t k = 0; k < n; k++) memcpy((char *)items + k * size, old + order[k] * size, size);
    return HEFT_OK;
}

#define PERMUTE(ctx, items, n, order)                                                              \
    HEFT_CHECK(permute((ctx), (items), (n), sizeof *(items), (order)))

static heft_status order_columns(heft_ctx *ctx, const size_t *order, heft_used_rows *rows)
{
    const size_t m = rows->rows.n_attr;
    PERMUTE(ctx, rows->used, m, order);
    PERMUTE(ctx, rows->attr, m, order);
    PERMUTE(ctx, rows->keys.column, m, order);
    PERMUTE(ctx, rows->keys.value, m, order);
    PERMUTE(ctx, rows->keys.power, m, order);
    return HEFT_OK;
}

static heft_status order_classes(heft_ctx *ctx, const size_t *order, heft_used_rows *rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = rows->n_class;
    uint16_t    *number;
    HEFT_ALLOC(ctx, &ctx->scratch, number, K);
    for (size_t c = 0; c < K; c++) number[order[c]] = (uint16_t)c;
    PERMUTE(ctx, rows->present, K, order);
    PERMUTE(ctx, rows->keys.class, K, order);
    HEFT_ROW_BLOCKS (lo, hi, rows->rows.n_rows)
        for (size_t i = lo; i < hi; i++) rows->y[i] = number[rows->y[i]];
    return HEFT_OK;
}

/* Makes order[k] the place in the first order of what has place k in this one. */
static heft_status turn_to(heft_ctx *ctx, const size_t *first, size_t n, size_t *order)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *place;
    HEFT_ALLOC(ctx, &ctx->scratch, place, n);
    for (size_t k = 0; k < n; k++) place[first[k]] = k;
    for (size_t k = 0; k < n; k++) order[k] = place[order[k]];
    return HEFT_OK;
}

/* Makes the orders of a turn places in those of the first. */
static heft_status place_turn(heft_ctx *ctx, const heft_used_rows *rows, const heft_turn *first,
                              heft_turn *turn)
{
    const size_t m = rows->rows.n_attr;
    for (size_t j = 0; j < m; j++)
        if (turn->value[j])
            HEFT_CHECK(turn_to(ctx, first->value[j], rows->attr[j].n_codes, turn->value[j]));
    PERMUTE(ctx, turn->value, m, turn->column);
    HEFT_CHECK(turn_to(ctx, first->column, m, turn->column));
    return turn_to(ctx, first->class, rows->n_class, turn->class);
}

heft_status heft_used_rows_order(heft_ctx *ctx, const heft_prep *prep, heft_arena *arena,
                                 heft_arena *row_arena, heft_used_rows *rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_turns *turns = &rows->turns;
    HEFT_CHECK(heft_keys_of(ctx, &rows->rows, arena, &rows->keys));
    HEFT_CHECK(heft_keys_turns(ctx, prep, rows->used, arena, &rows->keys, turns));
    const heft_turn first = turns->of[0];
    for (size_t k = turns->n; k-- > 1;) HEFT_CHECK(place_turn(ctx, rows, &first, &turns->of[k]));
    HEFT_CHECK(order_columns(ctx, first.column, rows));
    HEFT_CHECK(order_classes(ctx, first.class, rows));
    for (size_t j = 0; j < rows->rows.n_attr; j++) first.column[j] = j;
    for (size_t c = 0; c < rows->n_class; c++) first.class[c] = c;
    memset(first.value, 0, rows->rows.n_attr * sizeof *first.value);
    if (!rows->row_key) HEFT_ALLOC(ctx, row_arena, rows->row_key, rows->rows.n_rows);
    return heft_keys_rows(ctx, &rows->keys, rows->row_key);
}

/* ---- columns that name the rows ---- */

/* A nominal attribute whose values nearly all occur once, such as a name or a number of the row:
 * more than 0.9 values for each observed cell, in at least 20 rows. `fraction` of the rows differ:
 * copies of a row have the same name. */
static heft_status is_name(heft_ctx *ctx, const heft_rows *rows, size_t j, double fraction,
                           bool *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_attr *a = &rows->attr[j];
    int64_t         *count, cells = 0, values = 0;
    *out = false;
    if (!a->coded || a->n_codes < 2) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, count, (size_t)a->n_codes + 2);
    HEFT_ROWS (i, rows->n_rows) count[heft_code_at(a->codes, a->width, i)]++;
    HEFT_CHECK(heft_all_add(ctx, count, (size_t)a->n_codes + 2));
    for (size_t v = 0; v < a->n_codes; v++) {
        cells += count[v];
        values += count[v] > 0;
    }
    *out = fraction * (double)cells >= LEAST_IDENTIFIED &&
           (double)values > IDENTIFIED * fraction * (double)cells;
    return HEFT_OK;
}

heft_status heft_used_rows_drop_names(heft_ctx *ctx, const heft_prep *prep, double fraction,
                                      heft_used_rows *rows, bool *dropped)
{
    const size_t m = rows->rows.n_attr;
    size_t       n = 0;
    for (size_t j = 0; j < m; j++) {
        bool name;
        HEFT_CHECK(is_name(ctx, &rows->rows, j, fraction, &name));
        if (name)
            heft_say(ctx, HEFT_WARNING,
                     "column '%s' takes no part: nearly every row has a value of its own there, so "
                     "it says nothing about other rows ({advice leave-out-column})",
                     prep->attr[rows->used[j]].name);
        rows->used[n] = rows->used[j];
        rows->attr[n] = rows->attr[j];
        n += !name;
    }
    *dropped = n < m;
    rows->rows.n_attr = n;
    return HEFT_OK;
}
