/* prep.c - learning the preparation from training rows.
 *
 * For each attribute, in this order: what stands for a missing cell, how numbers are scaled, where
 * they are cut; each step sees what the steps before it make of the training rows. Rows of weight 0
 * are not seen at all. In a sparse table the zeros that are not stored count like the others: a
 * column is its entries and, for each class, one zero with the weight of all rows without entry. */
#include "prep/prep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "prep/numbers.h"

typedef struct learning {
    const heft_table     *table;
    const heft_prep_spec *spec;
    heft_attr_prep       *attr;
    size_t                n_class;
    uint16_t             *y;          /* n_class: unknown */
    const double         *weight;     /* NULL: all 1 */
    double                total;      /* sum of weights */
    double               *class_sum;  /* weight and rows of positive weight, by class; the */
    size_t               *class_rows; /* last is for unknown ones */
    heft_bycol            bycol;      /* of a sparse table */
    heft_unit             unit;
} learning;

typedef struct sample { /* one column as the cuts see it */
    size_t    n;
    double   *x;
    uint16_t *y;
    double   *weight; /* NULL: all 1 */
} sample;

static inline double weight_of(const learning *l, size_t i)
{
    return l->weight ? l->weight[i] : 1;
}

/* ---- rows ---- */

static heft_status look_at_rows(heft_ctx *ctx, learning *l)
{
    heft_status        st = HEFT_OK;
    const heft_column *target = l->table->target;
    HEFT_ARENA(ctx, &ctx->scratch, l->y, l->table->n_rows);
    HEFT_ARENA(ctx, &ctx->scratch, l->class_sum, l->n_class + 1);
    HEFT_ARENA(ctx, &ctx->scratch, l->class_rows, l->n_class + 1);
    for (size_t i = 0; i < l->table->n_rows; i++) {
        HEFT_SPILL_LOOK(i);
        const uint32_t c = heft_code_at(target->cells, target->width, i);
        l->y[i] = (uint16_t)(c < l->n_class ? c : l->n_class);
        l->class_sum[l->y[i]] += weight_of(l, i);
        l->class_rows[l->y[i]] += weight_of(l, i) > 0;
    }
    for (size_t c = 0; c <= l->n_class; c++) l->total += l->class_sum[c];
    if (!(l->total < 0x1p1000))
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: the sum of the weights is too large (scale them down)",
                         heft_table_label(l->table));
done:
    return st;
}

static heft_numbers source_of(const learning *l, size_t j)
{
    const heft_attr_prep *a = &l->attr[j];
    heft_numbers          s = {.has_fill = a->has_fill, .fill = a->fill};
    if (!l->table->sparse) {
        s.cells = l->table->cols[j].cells;
        return s;
    }
    s.n = l->bycol.start[j + 1] - l->bycol.start[j];
    s.row = l->bycol.row + l->bycol.start[j];
    s.val = l->bycol.val + l->bycol.start[j];
    return s;
}

/* ---- imputation ---- */

/* Mean of the numbers, weighted. Scaled by a power of 2 so that no sum overflows, and summed with
 * the rounding errors carried along. `other` is the weight of zeros that are not listed. */
static double mean_of(const learning *l, const double *x, const size_t *rows, size_t n,
                      double other)
{
    double top = 0, sum = 0, lost = 0, total = other;
    double lo = other > 0 ? 0 : INFINITY, hi = other > 0 ? 0 : -INFINITY;
    HEFT_KNOWN(x || !n);
    for (size_t k = 0; k < n; k++) {
        HEFT_SPILL_LOOK(k);
        if (fabs(x[k]) > top) top = fabs(x[k]); /* never true of a NaN */
    }
    int e = 0;
    if (top > 0x1p20 || top < 0x1p-20) (void)frexp(top, &e);
    const double shrink = ldexp(1, e < -1000 ? 1000 : -e);
    for (size_t k = 0; k < n; k++) {
        HEFT_SPILL_LOOK(k);
        const double w = weight_of(l, rows ? rows[k] : k);
        if (isnan(x[k]) || !(w > 0)) continue;
        const double term = w * (x[k] * shrink), next = sum + term;
        lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
        total += w;
        lo = fmin(lo, x[k]);
        hi = fmax(hi, x[k]);
    }
    if (!(total > 0)) return 0;
    return fmin(fmax((sum + lost) / total / shrink, lo), hi) + 0.0;
}

/* The heaviest value, the lowest code on a tie. */
static heft_status mode_of(heft_ctx *ctx, const learning *l, size_t j, double *mode)
{
    heft_status        st = HEFT_OK;
    const heft_column *col = &l->table->cols[j];
    const size_t       n_values = heft_dict_size(col->dict);
    double            *sum;
    HEFT_ARENA(ctx, &ctx->scratch, sum, n_values + 2);
    if (!l->table->sparse) {
        for (size_t i = 0; i < l->table->n_rows; i++)
            sum[heft_code_at(col->cells, col->width, i)] += weight_of(l, i);
    } else {
        const heft_numbers s = source_of(l, j);
        double             stored = 0;
        for (size_t k = 0; k < s.n; k++) {
            const double w = weight_of(l, s.row[k]);
            sum[isnan(s.val[k]) ? n_values : (size_t)s.val[k]] += w;
            stored += w;
        }
        sum[0] += fmax(l->total - stored, 0);
    }
    size_t best = 0;
    for (size_t v = 1; v < n_values; v++)
        if (sum[v] > sum[best]) best = v;
    *mode = (double)best;
done:
    return st;
}

static heft_status learn_fill(heft_ctx *ctx, void *arg, size_t j)
{
    learning       *l = arg;
    heft_attr_prep *a = &l->attr[j];
    heft_status     st = HEFT_OK;
    if (a->kind == HEFT_NOMINAL) {
        a->has_fill = heft_dict_size(a->dict) > 0;
        if (a->has_fill) HEFT_TRY(mode_of(ctx, l, j, &a->fill));
        goto done;
    }
    a->has_fill = true;
    const heft_numbers s = source_of(l, j);
    if (s.cells || !l->table->sparse) {
        a->fill = mean_of(l, s.cells, NULL, l->table->n_rows, 0);
        goto done;
    }
    double stored = 0;
    for (size_t k = 0; k < s.n; k++) stored += weight_of(l, s.row[k]);
    a->fill = mean_of(l, s.val, s.row, s.n, fmax(l->total - stored, 0));
done:
    return st;
}

/* ---- scaling and cutting ---- */

/* Row i's number after imputation and unit length; NaN where it is missing. */
static inline double seen(const learning *l, const heft_numbers *s, size_t i, double x)
{
    if (isnan(x)) {
        if (!s->has_fill) return NAN;
        x = s->fill;
    }
    return l->unit.length ? heft_unit_apply(x, l->unit.scale[i], l->unit.length[i]) : x;
}

static void add_seen(const learning *l, const heft_numbers *s, size_t i, double x, sample *out)
{
    const double w = weight_of(l, i), v = seen(l, s, i, x);
    if (isnan(v) || !(w > 0)) return;
    out->x[out->n] = v;
    out->y[out->n] = l->y[i];
    if (out->weight) out->weight[out->n] = w;
    out->n++;
}

/* One zero for each class, as heavy as the rows of the class without an entry. */
static heft_status add_zeros(heft_ctx *ctx, const learning *l, const heft_numbers *s, sample *out)
{
    heft_status st = HEFT_OK;
    double     *stored;
    size_t     *rows;
    HEFT_ARENA(ctx, &ctx->scratch, stored, l->n_class + 1);
    HEFT_ARENA(ctx, &ctx->scratch, rows, l->n_class + 1);
    for (size_t k = 0; k < s->n; k++) {
        const size_t c = l->y[s->row[k]];
        stored[c] += weight_of(l, s->row[k]);
        rows[c] += weight_of(l, s->row[k]) > 0;
    }
    for (size_t c = 0; c <= l->n_class; c++) {
        if (l->class_rows[c] == rows[c]) continue;
        out->x[out->n] = 0;
        out->y[out->n] = (uint16_t)c;
        out->weight[out->n++] = fmax(l->class_sum[c] - stored[c], l->class_sum[c] * DBL_EPSILON);
    }
done:
    return st;
}

static heft_status gather(heft_ctx *ctx, const learning *l, size_t j, sample *out)
{
    heft_status        st = HEFT_OK;
    const heft_numbers s = source_of(l, j);
    const bool         sparse = l->table->sparse != NULL;
    const size_t       most = sparse ? s.n + l->n_class + 1 : l->table->n_rows;
    HEFT_ARENA(ctx, &ctx->scratch, out->x, most);
    HEFT_ARENA(ctx, &ctx->scratch, out->y, most);
    if (sparse || l->weight) HEFT_ARENA(ctx, &ctx->scratch, out->weight, most);
    if (!sparse) {
        for (size_t i = 0; i < l->table->n_rows; i++) {
            HEFT_SPILL_LOOK(i);
            add_seen(l, &s, i, s.cells[i], out);
        }
        goto done;
    }
    for (size_t k = 0; k < s.n; k++) add_seen(l, &s, s.row[k], s.val[k], out);
    HEFT_TRY(add_zeros(ctx, l, &s, out));
done:
    return st;
}

static void learn_scale(heft_scaling scaling, const sample *s, heft_attr_prep *a)
{
    double lo = INFINITY, hi = -INFINITY;
    if (scaling != HEFT_SCALE_MINMAX && scaling != HEFT_SCALE_RANGE) return;
    for (size_t i = 0; i < s->n; i++) {
        lo = s->x[i] < lo ? s->x[i] : lo;
        hi = s->x[i] > hi ? s->x[i] : hi;
    }
    if (!(lo <= hi)) return;
    const double range = hi - lo, factor = isfinite(range) ? 1 / range : 0.5 / (hi / 2 - lo / 2);
    if (scaling == HEFT_SCALE_MINMAX) a->shift = lo;
    if (isfinite(factor)) a->factor = factor; /* not for a constant column */
}

static heft_status find_cuts(heft_ctx *ctx, heft_arena *arena, const learning *l, const sample *s,
                             double **cuts, size_t *n_cuts)
{
    switch (l->spec->cutting) {
    case HEFT_CUT_WIDTH:
        return heft_cuts_width(ctx, arena, s->x, s->n, l->spec->bins, cuts, n_cuts);
    case HEFT_CUT_FREQUENCY:
        return heft_cuts_frequency(ctx, arena, s->x, s->weight, s->n, l->spec->bins, cuts, n_cuts);
    case HEFT_CUT_MDL:
        return heft_cuts_mdl(ctx, arena, s->x, s->y, s->weight, s->n, l->n_class,
                             l->spec->mdl_scale, cuts, n_cuts);
    case HEFT_CUT_PRESENCE: /* one cut, at 0 */
        *cuts = heft_arena_alloc(arena, 1, sizeof **cuts);
        *n_cuts = *cuts != NULL;
        return *cuts ? HEFT_OK : heft_no_memory(ctx, 1, sizeof **cuts);
    default:
        *n_cuts = 0;
        return HEFT_OK;
    }
}

/* Cuts are left on the heap: the model's arena is not for tasks. */
static heft_status learn_numbers(heft_ctx *ctx, void *arg, size_t j)
{
    heft_status     st = HEFT_OK;
    learning       *l = arg;
    heft_attr_prep *a = &l->attr[j];
    heft_arena      own = {0};
    sample          s = {0};
    double         *cuts = NULL;
    size_t          n_cuts = 0;
    if (a->kind != HEFT_NUMBER) return HEFT_OK;
    HEFT_TRY(heft_check_cancel(ctx));
    HEFT_TRY(gather(ctx, l, j, &s));
    learn_scale(l->spec->scaling, &s, a);
    if (l->spec->cutting == HEFT_CUT_NONE) goto done;
    for (size_t i = 0; i < s.n; i++) s.x[i] = heft_scaled(a, s.x[i]);
    HEFT_TRY(find_cuts(ctx, &own, l, &s, &cuts, &n_cuts));
    a->cut = true;
    if (n_cuts == 0) goto done;
    a->cuts = heft_alloc(n_cuts, sizeof *a->cuts);
    if (!a->cuts) HEFT_TRY(heft_no_memory(ctx, n_cuts, sizeof *a->cuts));
    memcpy(a->cuts, cuts, n_cuts * sizeof *cuts);
    a->n_cuts = n_cuts;
done:
    heft_arena_clear(&own);
    return st;
}

/* Moves the cuts of all attributes into the arena, or frees them. */
static heft_status settle_cuts(heft_ctx *ctx, heft_arena *arena, heft_prep *prep, bool keep)
{
    heft_status st = HEFT_OK;
    for (size_t j = 0; j < prep->n_attr; j++) {
        heft_attr_prep *a = &prep->attr[j];
        double         *heap = a->cuts, *cuts = NULL;
        if (!heap) continue;
        if (keep) cuts = heft_arena_alloc(arena, a->n_cuts, sizeof *cuts);
        if (keep && !cuts) {
            st = heft_no_memory(ctx, a->n_cuts, sizeof *cuts);
            keep = false;
        }
        a->cuts = cuts ? memcpy(cuts, heap, a->n_cuts * sizeof *cuts) : NULL;
        heft_free(heap);
    }
    return st;
}

static heft_status learn_unit(heft_ctx *ctx, learning *l)
{
    heft_status   st = HEFT_OK;
    size_t        n = 0;
    heft_numbers *sources;
    HEFT_ARENA(ctx, &ctx->scratch, sources, l->table->n_cols);
    for (size_t j = 0; j < l->table->n_cols; j++)
        if (l->attr[j].kind == HEFT_NUMBER) sources[n++] = source_of(l, j);
    HEFT_TRY(
        heft_unit_learn(ctx, sources, n, l->table->n_rows, l->table->sparse != NULL, &l->unit));
done:
    return st;
}

/* ---- the whole ---- */

static heft_status copy_name(heft_ctx *ctx, heft_arena *arena, const char *name, char **out)
{
    *out = heft_arena_text(arena, name);
    return *out ? HEFT_OK : heft_no_memory(ctx, strlen(name) + 1, 1);
}

static heft_status begin(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                         heft_arena *arena, heft_prep *out)
{
    heft_status st = HEFT_OK;
    memset(out, 0, sizeof *out);
    if (!table->target)
        return heft_fail(ctx, HEFT_EINVAL, "%s: there is no class column to learn from (--target)",
                         heft_table_label(table));
    if (heft_dict_size(table->target->dict) >= UINT16_MAX)
        return heft_fail(ctx, HEFT_EINVAL, "%s: more than %u classes", heft_table_label(table),
                         UINT16_MAX - 1u);
    out->spec = *spec;
    out->sparse = table->sparse != NULL;
    out->arena = arena;
    HEFT_TRY(copy_name(ctx, arena, table->target->name ? table->target->name : "", &out->target));
    out->classes = heft_dict_share(table->target->dict);
    HEFT_ARENA(ctx, arena, out->attr, table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++) {
        heft_attr_prep *a = &out->attr[j];
        HEFT_TRY(copy_name(ctx, arena, table->cols[j].name, &a->name));
        a->kind = table->cols[j].kind;
        a->dict = heft_dict_share(table->cols[j].dict);
        a->factor = 1;
        out->n_attr = j + 1;
    }
    if (out->sparse && spec->scaling == HEFT_SCALE_MINMAX) {
        out->spec.scaling = HEFT_SCALE_RANGE;
        heft_say(ctx, HEFT_INFO,
                 "%s is sparse: --scale minmax only divides by the range, so that zeros stay zeros",
                 heft_table_label(table));
    }
done:
    return st;
}

heft_status heft_prep_fit(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                          heft_arena *arena, heft_prep *out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    bool            learned = false;
    HEFT_TRY(begin(ctx, table, spec, arena, out));
    learning l = {.table = table, .spec = &out->spec, .attr = out->attr, .weight = table->weight};
    l.n_class = heft_dict_size(out->classes);
    HEFT_TRY(look_at_rows(ctx, &l));
    const bool numbers = spec->cutting != HEFT_CUT_NONE || spec->scaling == HEFT_SCALE_MINMAX ||
                         spec->scaling == HEFT_SCALE_RANGE;
    if (table->sparse && (spec->impute || numbers))
        HEFT_TRY(heft_bycol_build(ctx, table, &l.bycol));
    if (spec->impute) HEFT_TRY(heft_run(ctx, out->n_attr, learn_fill, &l));
    if (spec->scaling == HEFT_SCALE_UNIT && numbers) HEFT_TRY(learn_unit(ctx, &l));
    learned = true;
    if (numbers) HEFT_TRY(heft_run(ctx, out->n_attr, learn_numbers, &l));
    learned = false;
    HEFT_TRY(settle_cuts(ctx, arena, out, true));
done:
    if (learned) (void)settle_cuts(ctx, arena, out, false);
    if (st != HEFT_OK) heft_prep_clear(out);
    heft_scratch_back(ctx, arena, mark);
    return st;
}

void heft_prep_clear(heft_prep *prep)
{
    for (size_t j = 0; j < prep->n_attr; j++) {
        heft_dict_free(prep->attr[j].dict);
        prep->attr[j].dict = NULL;
    }
    heft_dict_free(prep->classes);
    prep->classes = NULL;
    prep->n_attr = 0;
    prep->attr = NULL;
}
