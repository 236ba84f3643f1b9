/* prep_fit.c - learning the preparation from training rows.
 *
 * Three things are learned for each attribute, in this order: what replaces a missing cell, how
 * numbers are scaled, and where they are cut. Each step sees the training rows as the steps before
 * it make them. Rows of weight 0 are ignored. In a sparse table, zeros that are not stored count
 * like other numbers: a column consists of its entries and, for each class, one zero with the
 * weight of all rows of the class without an entry. */
#include "prep/prep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "prep/mean.h"
#include "prep/numbers.h"
#include "prep/quantiles.h"

typedef struct learning {
    const heft_table     *table;
    const heft_prep_spec *spec;
    heft_attr_prep       *attr;
    size_t                n_class;
    uint16_t             *y;          /* class by row; n_class: unknown */
    const double         *weight;     /* NULL: all 1 */
    double                total;      /* sum of weights */
    double               *class_sum;  /* by class, the last for unknown: weight */
    size_t               *class_rows; /* by class, the last for unknown: number of rows */
    heft_bycol            bycol;      /* the columns of a sparse table */
    heft_unit             unit;
    double               *range;  /* by attribute: the lowest number, negated, and the highest */
    size_t               *stored; /* by attribute of a sparse table: rows that store it */
} learning;

static inline double weight_of(const learning *l, size_t i)
{
    return l->weight ? l->weight[i] : 1;
}

/* ---- rows ---- */

static heft_status take_classes(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const learning    *l = arg;
    const heft_column *target = l->table->target;
    (void)ctx;
    for (size_t i = lo; i < hi; i++) {
        const uint32_t c = heft_code_at(target->cells, target->width, i);
        l->y[i] = (uint16_t)(c < l->n_class ? c : l->n_class);
    }
    return HEFT_OK;
}

static heft_status look_at_rows(heft_ctx *ctx, learning *l)
{
    const size_t n = l->table->n_rows;
    HEFT_ALLOC(ctx, &ctx->scratch, l->y, n);
    HEFT_ALLOCS(ctx, &ctx->scratch, l->n_class + 2, l->class_sum, l->class_rows);
    HEFT_CHECK(heft_run_blocks(ctx, n, HEFT_BLOCK_ROWS, take_classes, l));
    if (!l->weight) HEFT_CHECK(heft_column_count(ctx, l->table->target, n, l->class_rows));
    for (size_t c = 0; c <= l->n_class; c++) l->class_sum[c] = (double)l->class_rows[c];
    HEFT_ROWS (i, l->weight ? n : 0) {
        l->class_sum[l->y[i]] += l->weight[i];
        l->class_rows[l->y[i]] += l->weight[i] > 0;
    }
    for (size_t c = 0; c <= l->n_class; c++) l->total += l->class_sum[c];
    if (!(l->total < 0x1p1000))
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: the sum of the weights is too large (scale them down)",
                         heft_table_label(l->table));
    return HEFT_OK;
}

static heft_numbers source_of(const learning *l, size_t j)
{
    return heft_numbers_of(&l->attr[j], l->table, &l->table->cols[j], &l->bycol);
}

/* ---- imputation ---- */

typedef struct filling {
    const learning *l;
    size_t         *at;     /* by nominal attribute: where its values start in `sum` */
    double         *sum;    /* by value: weight; each attribute has two more for other cells */
    double         *top;    /* by attribute: the largest number */
    double         *stored; /* by attribute: weight of the rows that store it */
    double         *shrink; /* by attribute: see heft_mean_shrink */
    heft_mean      *means;  /* by attribute */
} filling;

/* Add up the weights of the values of a nominal column. Sums of whole numbers are exact. */
static heft_status weigh_values(heft_ctx *ctx, const learning *l, const heft_column *col,
                                double *sum)
{
    const size_t n = l->table->n_rows, n_codes = heft_dict_size(col->dict) + 2;
    size_t      *count;
    HEFT_ROW_BLOCKS (lo, hi, l->weight ? n : 0)
        for (size_t i = lo; i < hi; i++)
            sum[heft_code_at(col->cells, col->width, i)] += l->weight[i];
    if (l->weight) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, count, n_codes);
    HEFT_CHECK(heft_column_count(ctx, col, n, count));
    for (size_t v = 0; v < n_codes; v++) sum[v] = (double)count[v];
    return HEFT_OK;
}

static heft_status fill_first(heft_ctx *ctx, void *arg, size_t j)
{
    filling           *f = arg;
    const heft_column *col = &f->l->table->cols[j];
    heft_mean         *m = &f->means[j];
    if (col->kind == HEFT_NOMINAL)
        return heft_dict_size(col->dict) > 0 ? weigh_values(ctx, f->l, col, f->sum + f->at[j])
                                             : HEFT_OK;
    *m = heft_mean_begin(0);
    heft_ends(col->cells, f->l->table->n_rows, NAN, &m->lo, &m->hi);
    if (m->lo <= m->hi) f->top[j] = fmax(fabs(m->lo), fabs(m->hi));
    return HEFT_OK;
}

static heft_status fill_second(heft_ctx *ctx, void *arg, size_t j)
{
    filling        *f = arg;
    const learning *l = f->l;
    const double   *x = l->table->cols[j].cells;
    heft_mean      *m = &f->means[j];
    (void)ctx;
    if (l->attr[j].kind != HEFT_NUMERIC) return HEFT_OK;
    if (!l->weight) return heft_mean_take_all(m, x, l->table->n_rows, f->shrink[j]), HEFT_OK;
    *m = heft_mean_begin(0);
    HEFT_ROWS (i, l->table->n_rows) heft_mean_take(m, l->weight[i], x[i], f->shrink[j]);
    return HEFT_OK;
}

static void first_entry(void *arg, size_t i, size_t j, double x)
{
    filling              *f = arg;
    const heft_attr_prep *a = &f->l->attr[j];
    const double          w = weight_of(f->l, i);
    f->stored[j] += w;
    if (a->kind == HEFT_NOMINAL)
        f->sum[f->at[j] + (isnan(x) ? heft_dict_size(a->dict) : (size_t)x)] += w;
    else if (fabs(x) > f->top[j]) f->top[j] = fabs(x);
}

static void second_entry(void *arg, size_t i, size_t j, double x)
{
    filling *f = arg;
    if (f->l->attr[j].kind == HEFT_NUMERIC)
        heft_mean_take(&f->means[j], weight_of(f->l, i), x, f->shrink[j]);
}

/* Join the means of all processes, in the order of the processes. */
static heft_status join_means(heft_ctx *ctx, heft_mean *means, size_t n)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_CHECK(heft_all_gather(ctx, means, n * sizeof *means, &all));
    for (size_t j = 0; j < n; j++) {
        heft_mean whole = heft_mean_begin(0);
        for (size_t r = 0; r < all.n; r++)
            heft_mean_join(&whole, (const heft_mean *)(const void *)(all.bytes + all.start[r]) + j);
        means[j] = whole;
    }
    return HEFT_OK;
}

uint32_t heft_mode(const heft_dict *dict, const double *sum, size_t n)
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < n; v++)
        if (sum[v] > sum[best] || (sum[v] == sum[best] &&
                                   strcmp(heft_dict_text(dict, v), heft_dict_text(dict, best)) < 0))
            best = v;
    return best;
}

static heft_status learn_fills(heft_ctx *ctx, learning *l, size_t n_attr)
{
    filling f = {.l = l};
    size_t  n_values = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n_attr, f.at, f.top, f.stored, f.shrink, f.means);
    for (size_t j = 0; j < n_attr; j++) {
        f.at[j] = n_values;
        if (l->attr[j].kind == HEFT_NOMINAL) n_values += heft_dict_size(l->attr[j].dict) + 2;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, f.sum, n_values);
    if (l->table->sparse) heft_each_entry(l->table, first_entry, &f);
    else HEFT_CHECK(heft_run(ctx, n_attr, fill_first, &f));
    if (l->table->sparse)
        for (size_t j = 0; j < n_attr; j++) { /* cells not stored have 0, or code 0 */
            const double zeros = fmax(l->total - f.stored[j], 0);
            if (l->attr[j].kind == HEFT_NUMERIC) f.means[j] = heft_mean_begin(zeros);
            else if (heft_dict_size(l->attr[j].dict) > 0) f.sum[f.at[j]] += zeros;
        }
    HEFT_CHECK(heft_all_sum(ctx, f.sum, n_values));
    HEFT_CHECK(heft_all_max(ctx, f.top, n_attr));
    for (size_t j = 0; j < n_attr; j++) f.shrink[j] = heft_mean_shrink(f.top[j]);
    if (l->table->sparse) heft_each_entry(l->table, second_entry, &f);
    else HEFT_CHECK(heft_run(ctx, n_attr, fill_second, &f));
    HEFT_CHECK(join_means(ctx, f.means, n_attr));
    for (size_t j = 0; j < n_attr; j++) {
        heft_attr_prep *a = &l->attr[j];
        const size_t    n = a->kind == HEFT_NOMINAL ? heft_dict_size(a->dict) : 0;
        a->has_fill = a->kind == HEFT_NUMERIC || n > 0;
        const heft_mean *m = &f.means[j];
        if (a->kind == HEFT_NUMERIC && m->total > 0)
            a->fill = fmin(fmax((m->sum + m->lost) / m->total / f.shrink[j], m->lo), m->hi) + 0.0;
        else if (n > 0) a->fill = (double)heft_mode(a->dict, f.sum + f.at[j], n);
    }
    return HEFT_OK;
}

/* ---- scaling and cutting ---- */

/* Returns a number of row i after imputation and scaling to unit length; NaN if it is missing. */
static inline double seen(const learning *l, size_t i, size_t j, double x)
{
    if (isnan(x) && l->attr[j].has_fill) x = l->attr[j].fill;
    return l->unit.length ? heft_unit_apply(x, l->unit.scale[i], l->unit.length[i]) : x;
}

static void add_seen(const learning *l, size_t i, size_t j, double x, heft_points *out)
{
    const double w = weight_of(l, i), v = seen(l, i, j, x);
    if (!isnan(v) && w > 0) heft_points_add(out, v, l->y[i], w);
}

/* Collect the scaled numbers of a column, from which cuts are made. */
static heft_status collect(heft_ctx *ctx, const learning *l, size_t j, heft_points *out)
{
    const heft_numbers s = source_of(l, j);
    const bool         sparse = l->table->sparse != NULL;
    const size_t       most = sparse ? s.n + l->n_class + 1 : l->table->n_rows;
    double            *stored;
    size_t            *rows;
    HEFT_CHECK(heft_points_new(ctx, most, sparse || l->weight, out));
    HEFT_ALLOCS(ctx, &ctx->scratch, l->n_class + 1, stored, rows);
    HEFT_ROWS (i, sparse ? 0 : l->table->n_rows) add_seen(l, i, j, s.cells[i], out);
    HEFT_ROWS (k, s.n) {
        const size_t c = l->y[s.row[k]];
        add_seen(l, s.row[k], j, s.val[k], out);
        stored[c] += weight_of(l, s.row[k]);
        rows[c] += weight_of(l, s.row[k]) > 0;
    }
    if (sparse)
        for (size_t c = 0; c <= l->n_class; c++) {
            /* One zero has the weight of all rows of the class without an entry. */
            const double rest = fmax(l->class_sum[c] - stored[c], l->class_sum[c] * DBL_EPSILON);
            if (l->class_rows[c] != rows[c]) heft_points_add(out, 0, (uint16_t)c, rest);
        }
    HEFT_ROW_BLOCKS (lo, hi, out->n)
        for (size_t i = lo; i < hi; i++) out->x[i] = heft_scaled(&l->attr[j], out->x[i]);
    return HEFT_OK;
}

static inline void widen_range(learning *l, size_t i, size_t j, double x)
{
    const double v = weight_of(l, i) > 0 ? seen(l, i, j, x) : NAN;
    if (-v > l->range[2 * j]) l->range[2 * j] = -v; /* false for NaN */
    if (v > l->range[2 * j + 1]) l->range[2 * j + 1] = v;
}

static heft_status range_of_column(heft_ctx *ctx, void *arg, size_t j)
{
    learning             *l = arg;
    const heft_attr_prep *a = &l->attr[j];
    const double         *x = l->table->cols[j].cells;
    double               *range = l->range + 2 * j, lo = -range[0];
    (void)ctx;
    if (a->kind != HEFT_NUMERIC) return HEFT_OK;
    if (l->weight || l->unit.length)
        HEFT_ROWS (i, l->table->n_rows) widen_range(l, i, j, x[i]);
    else {
        heft_ends(x, l->table->n_rows, a->has_fill ? a->fill : (double)NAN, &lo, &range[1]);
        range[0] = -lo;
    }
    return HEFT_OK;
}

static void range_of_entry(void *arg, size_t i, size_t j, double x)
{
    learning *l = arg;
    l->stored[j] += weight_of(l, i) > 0;
    widen_range(l, i, j, x);
}

static heft_status learn_scales(heft_ctx *ctx, learning *l, size_t n_attr)
{
    const heft_scaling scaling = l->spec->scaling;
    size_t             n_rows = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, l->range, 2 * n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, l->stored, n_attr);
    for (size_t k = 0; k < 2 * n_attr; k++) l->range[k] = -INFINITY;
    for (size_t c = 0; c <= l->n_class; c++) n_rows += l->class_rows[c];
    if (l->table->sparse) heft_each_entry(l->table, range_of_entry, l);
    else HEFT_CHECK(heft_run(ctx, n_attr, range_of_column, l));
    if (l->table->sparse)
        for (size_t k = 0; k < 2 * n_attr; k++) /* zeros that are not stored count */
            if (l->stored[k / 2] < n_rows && l->range[k] < 0) l->range[k] = k % 2 ? 0.0 : -0.0;
    HEFT_CHECK(heft_all_max(ctx, l->range, 2 * n_attr));
    for (size_t j = 0; j < n_attr; j++) {
        heft_attr_prep *a = &l->attr[j];
        const double    lo = -l->range[2 * j], hi = l->range[2 * j + 1], range = hi - lo;
        const double    factor = isfinite(range) ? 1 / range : 0.5 / (hi / 2 - lo / 2);
        if (a->kind != HEFT_NUMERIC || !(lo <= hi)) continue;
        if (scaling != HEFT_SCALE_MINMAX && scaling != HEFT_SCALE_RANGE) continue;
        if (scaling == HEFT_SCALE_MINMAX) a->shift = lo;
        if (isfinite(factor)) a->factor = factor; /* it is infinite for a constant column */
    }
    return HEFT_OK;
}

static bool all_equal(const heft_points *points)
{
    for (size_t k = 1; k < points->n; k++)
        if (points->x[k] != points->x[0]) return false;
    return true;
}

/* Cut one column. Its cuts are allocated on the heap, because tasks of several threads must not use
 * the arena of the model. */
static heft_status cut_column(heft_ctx *ctx, void *arg, size_t j)
{
    learning          *l = arg;
    heft_attr_prep    *a = &l->attr[j];
    const heft_binning how = {l->spec->cutting, l->spec->bins, l->spec->mdl_scale};
    heft_points        points = {0};
    double             ends[2], *cuts = NULL;
    size_t             n_cuts = 0;
    if (a->kind != HEFT_NUMERIC) return HEFT_OK;
    HEFT_CHECK(heft_check_cancel(ctx));
    if (how.cutting == HEFT_CUT_WIDTH) {
        ends[0] = heft_scaled(a, -l->range[2 * j]);
        ends[1] = heft_scaled(a, l->range[2 * j + 1]);
        points = (heft_points){.n = ends[0] <= ends[1] ? 2 : 0, .x = ends};
    } else if (how.cutting != HEFT_CUT_PRESENCE) {
        HEFT_CHECK(collect(ctx, l, j, &points));
        HEFT_CHECK(heft_points_merge(ctx, &points, HEFT_POINTS_EXACT));
    }
    HEFT_CHECK(heft_points_cut(ctx, &points, &how, l->n_class, &ctx->scratch, &cuts, &n_cuts));
    a->cut = true;
    a->flat = how.cutting != HEFT_CUT_PRESENCE && all_equal(&points);
    if (n_cuts == 0) return HEFT_OK;
    HEFT_NEW(ctx, a->cuts, n_cuts);
    memcpy(a->cuts, cuts, n_cuts * sizeof *cuts);
    a->n_cuts = n_cuts;
    return HEFT_OK;
}

/* Move the cuts of all attributes from the heap to the arena, or free them after a failure. */
static heft_status settle_cuts(heft_ctx *ctx, heft_arena *arena, heft_prep *prep, heft_status st)
{
    for (size_t j = 0; j < prep->n_attr; j++) {
        heft_attr_prep *a = &prep->attr[j];
        double         *heap = a->cuts, *cuts = NULL;
        if (heap && st == HEFT_OK) {
            cuts = heft_arena_alloc(arena, a->n_cuts, sizeof *cuts);
            if (!cuts) st = heft_no_memory(ctx, a->n_cuts, sizeof *cuts);
        }
        a->cuts = cuts ? memcpy(cuts, heap, a->n_cuts * sizeof *cuts) : NULL;
        heft_free(heap);
    }
    return st;
}

static heft_status learn_unit(heft_ctx *ctx, learning *l)
{
    size_t        n = 0;
    heft_numbers *sources;
    if (l->table->sparse) return heft_unit_learn_sparse(ctx, l->table, l->attr, &l->unit);
    HEFT_ALLOC(ctx, &ctx->scratch, sources, l->table->n_cols);
    for (size_t j = 0; j < l->table->n_cols; j++)
        if (l->attr[j].kind == HEFT_NUMERIC) sources[n++] = source_of(l, j);
    return heft_unit_learn(ctx, sources, n, l->table->n_rows, false, &l->unit);
}

/* ---- all steps ---- */

static heft_status begin(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                         heft_arena *arena, heft_prep *out)
{
    memset(out, 0, sizeof *out);
    if (!table->target)
        return heft_fail(ctx, HEFT_EINVAL, "%s has no class column ({advice name-target})",
                         heft_table_label(table));
    const char *name = table->target->name ? table->target->name : "";
    heft_dict  *classes = table->target->dict;
    HEFT_CHECK(heft_check_classes(ctx, heft_table_label(table), heft_dict_size(classes)));
    *out = (heft_prep){.spec = *spec, .sparse = table->sparse != NULL, .arena = arena};
    HEFT_CHECK(heft_arena_copy(ctx, arena, name, &out->target));
    HEFT_CHECK(heft_arena_copy(ctx, arena, table->decimal_mark, &out->decimal_mark));
    HEFT_CHECK(heft_arena_copy(ctx, arena, table->missing, &out->missing));
    if (table->positive) HEFT_CHECK(heft_arena_copy(ctx, arena, table->positive, &out->positive));
    out->classes = heft_dict_share(classes);
    HEFT_ALLOC(ctx, arena, out->attr, table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++) {
        heft_attr_prep *a = &out->attr[j];
        HEFT_CHECK(heft_arena_copy(ctx, arena, table->cols[j].name, &a->name));
        a->kind = table->cols[j].kind;
        a->dict = heft_dict_share(table->cols[j].dict);
        a->factor = 1;
        out->n_attr = j + 1;
    }
    if (out->sparse && spec->scaling == HEFT_SCALE_MINMAX) {
        out->spec.scaling = HEFT_SCALE_RANGE;
        heft_say(ctx, HEFT_INFO,
                 "%s: the table is sparse, so {scale=minmax} only divides by the range and zeros "
                 "stay zeros",
                 heft_table_label(table));
    }
    return HEFT_OK;
}

heft_status heft_prep_fit(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                          heft_arena *arena, heft_prep *out)
{
    heft_status st = HEFT_OK;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    HEFT_TRY(begin(ctx, table, spec, arena, out));
    learning l = {.table = table, .spec = &out->spec, .attr = out->attr, .weight = table->weight};
    l.n_class = heft_dict_size(out->classes);
    HEFT_TRY(look_at_rows(ctx, &l));
    const bool lists = spec->cutting == HEFT_CUT_FREQUENCY || spec->cutting == HEFT_CUT_MDL;
    const bool ranges = spec->cutting == HEFT_CUT_WIDTH || spec->scaling == HEFT_SCALE_MINMAX ||
                        spec->scaling == HEFT_SCALE_RANGE;
    if (spec->impute) HEFT_TRY(learn_fills(ctx, &l, out->n_attr));
    if (spec->scaling == HEFT_SCALE_UNIT && (lists || ranges)) HEFT_TRY(learn_unit(ctx, &l));
    if (ranges) HEFT_TRY(learn_scales(ctx, &l, out->n_attr));
    if (table->sparse && lists)
        HEFT_TRY(heft_sparse_bycol(ctx, table->sparse, table->n_rows, table->n_cols, &l.bycol));
    if (spec->cutting != HEFT_CUT_NONE) HEFT_TRY(heft_all_run(ctx, out->n_attr, cut_column, &l));
done:
    st = settle_cuts(ctx, arena, out, st);
    if (st != HEFT_OK) heft_prep_clear(out);
    return st;
}

/* ---- other rows, prepared as a model prepared its own ---- */

/* Make the values of attribute j: those of `from`, then those that only the table's column has. */
static heft_status take_values(heft_ctx *ctx, const heft_attr_prep *from, const heft_table *table,
                               size_t j, heft_attr_prep *to)
{
    const bool   in_place = j < table->n_cols && strcmp(table->cols[j].name, from->name) == 0;
    const size_t k = in_place ? j : heft_table_find(table, from->name);
    if (k == SIZE_MAX || table->cols[k].kind != HEFT_NOMINAL) {
        to->dict = heft_dict_share(from->dict);
        return HEFT_OK;
    }
    heft_dict *const both[] = {from->dict, table->cols[k].dict};
    HEFT_CHECK(heft_dict_union(ctx, both, 2, &to->dict));
    if (from->has_fill) {
        const uint32_t code = (uint32_t)from->fill;
        to->fill = heft_dict_same(to->dict, from->dict, code);
    }
    return HEFT_OK;
}

heft_status heft_prep_like(heft_ctx *ctx, const heft_prep *from, const heft_table *table,
                           heft_arena *arena, heft_prep *out)
{
    heft_status      st = HEFT_OK;
    char             other[128];
    const char      *name = table->target->name ? table->target->name : "";
    heft_dict *const classes[] = {from->classes, table->target->dict};
    *out = (heft_prep){.spec = from->spec, .sparse = from->sparse, .arena = arena};
    if (strcmp(name, from->target) != 0)
        HEFT_TRY(heft_fail(
            ctx, HEFT_EINVAL,
            "%s: the class column is '%s', but that of {advice like-model} is '%s' ({advice "
            "choose-it-target})",
            heft_table_label(table), HEFT_SHOW(name, 100),
            heft_show(other, sizeof other, from->target, strlen(from->target), 100)));
    if (table->positive && (!from->positive || strcmp(table->positive, from->positive) != 0))
        HEFT_TRY(heft_fail(
            ctx, HEFT_EINVAL, "{positive=%s}: the model to train like %s%s (leave {positive} out)",
            HEFT_SHOW(table->positive, 60), from->positive ? "has " : "has no positive class",
            from->positive
                ? heft_show(other, sizeof other, from->positive, strlen(from->positive), 60)
                : ""));
    HEFT_TRY(heft_arena_copy(ctx, arena, from->target, &out->target));
    HEFT_TRY(heft_arena_copy(ctx, arena, table->decimal_mark, &out->decimal_mark));
    HEFT_TRY(heft_arena_copy(ctx, arena, table->missing, &out->missing));
    if (from->positive) { /* all other classes are the rest, so that no class is new */
        HEFT_TRY(heft_arena_copy(ctx, arena, from->positive, &out->positive));
        out->classes = heft_dict_share(from->classes);
    } else {
        HEFT_TRY(heft_dict_union(ctx, classes, 2, &out->classes));
    }
    HEFT_TRY(heft_check_classes(ctx, heft_table_label(table), heft_dict_size(out->classes)));
    HEFT_ARENA(ctx, arena, out->attr, from->n_attr);
    for (size_t j = 0; j < from->n_attr; j++) {
        const heft_attr_prep *was = &from->attr[j];
        heft_attr_prep       *a = &out->attr[j];
        *a = *was;
        a->dict = NULL;
        out->n_attr = j + 1;
        HEFT_TRY(heft_arena_copy(ctx, arena, was->name, &a->name));
        HEFT_ARENA(ctx, arena, a->cuts, a->n_cuts);
        if (a->n_cuts) memcpy(a->cuts, was->cuts, a->n_cuts * sizeof *a->cuts);
        if (was->dict) HEFT_TRY(take_values(ctx, was, table, j, a));
    }
done:
    if (st != HEFT_OK) heft_prep_clear(out);
    return st;
}

void heft_prep_clear(heft_prep *prep)
{
    for (size_t j = 0; j < prep->n_attr; j++) heft_dict_free(prep->attr[j].dict);
    heft_dict_free(prep->classes);
    prep->classes = NULL;
    prep->n_attr = 0;
    prep->attr = NULL;
}
