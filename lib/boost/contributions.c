/* contributions.c - what each attribute adds to the boosted scores of rows.
 *
 * A tree is read as bits: bit k of a row is set if the row goes right at split k. A leaf has the
 * splits of its path and the bits that a row of it has there. Where they differ from those of a row
 * in the splits of one attribute alone, the row would be in the leaf with another value of it. */
#include "boost/contributions.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"

enum { CHUNK = 256, SPLITS = HEFT_MOST_LEAVES - 1 };

typedef struct measured {
    const heft_boosted *b;
    const heft_sample  *asked;
    heft_tree_codes    *column; /* the codes of the rows asked about */
    double            **upto;   /* by attribute of the bins: the fraction of rows below each code */
    double             *out;
} measured;

typedef struct slot { /* an attribute that a tree tests */
    uint32_t  attr;   /* its place in the bins */
    uint32_t  splits; /* as bits */
    uint32_t *right;  /* nominal: by code, the splits at which it goes right */
} slot;

typedef struct outline { /* a tree as bits */
    const heft_tree_split *split;
    size_t                 n_slots;
    slot                   slot[SPLITS];
    uint8_t                slot_of[SPLITS];                                 /* by split */
    uint32_t               path[HEFT_MOST_LEAVES], right[HEFT_MOST_LEAVES]; /* by leaf */
    double                 q[HEFT_MOST_LEAVES][SPLITS];                     /* by leaf and slot */
} outline;

/* ---- one tree ---- */

/* The paths of n leaves whose splits begin at `at`; returns the split after them. */
static size_t find_paths(outline *o, size_t at, size_t leaf, size_t n, uint32_t path,
                         uint32_t right)
{
    if (n == 1) {
        o->path[leaf] = path;
        o->right[leaf] = right;
        return at;
    }
    const uint32_t bit = (uint32_t)1 << at;
    const size_t   left = o->split[at].left;
    at = find_paths(o, at + 1, leaf, left, path | bit, right);
    return find_paths(o, at, leaf + left, n - left, path | bit, right | bit);
}

/* The attributes that the tree tests, and for nominal ones the way of each code. */
static heft_status find_slots(heft_ctx *ctx, const measured *job, const heft_tree *tree, outline *o)
{
    const heft_trees *trees = &job->b->trees;
    o->split = trees->split + tree->split;
    o->n_slots = 0;
    for (size_t k = 0; k + 1 < tree->n_leaves; k++) {
        const heft_tree_split *s = &o->split[k];
        const heft_bin_attr   *a = &job->b->bins.attr[s->attr];
        const uint32_t         bit = (uint32_t)1 << k, *list = trees->listed + s->at;
        size_t                 n = 0;
        while (n < o->n_slots && o->slot[n].attr != s->attr) n++;
        slot *to = &o->slot[n];
        if (n == o->n_slots) {
            *to = (slot){.attr = s->attr};
            if (a->nominal) HEFT_ALLOC(ctx, &ctx->scratch, to->right, a->n_codes);
            o->n_slots++;
        }
        o->slot_of[k] = (uint8_t)n;
        to->splits |= bit;
        if (!to->right) continue; /* a number */
        for (uint32_t v = 0; v < a->n_codes; v++) to->right[v] |= bit;
        for (size_t l = 0; l < s->n_listed; l++) to->right[list[l]] &= ~bit;
    }
    (void)find_paths(o, 0, 0, tree->n_leaves, 0, 0);
    return HEFT_OK;
}

/* Whether value v of a nominal slot fits a leaf. */
static bool fits(const outline *o, const slot *s, size_t leaf, uint32_t v)
{
    return ((s->right[v] ^ o->right[leaf]) & o->path[leaf] & s->splits) == 0;
}

/* The codes [*lo, *end) of a numeric slot that fit a leaf. */
static void range_of(const outline *o, const slot *s, size_t leaf, uint32_t *lo, uint32_t *end)
{
    for (uint32_t left = o->path[leaf] & s->splits; left; left &= left - 1) {
        const int      k = __builtin_ctz(left);
        const uint32_t next = o->split[k].at + 1;
        if (o->right[leaf] >> k & 1) *lo = next > *lo ? next : *lo;
        else *end = next < *end ? next : *end;
    }
    if (*lo > *end) *lo = *end;
}

/* The fraction of rows whose code of the slot's attribute fits a leaf. */
static double fraction(const measured *job, const outline *o, const slot *s, size_t leaf)
{
    const heft_bin_attr *a = &job->b->bins.attr[s->attr];
    const double        *upto = job->upto[s->attr];
    uint32_t             lo = 0, end = a->n_codes;
    double               sum = 0;
    if (a->nominal) {
        for (uint32_t v = 0; v < a->n_codes; v++)
            if (fits(o, s, leaf, v)) sum += upto[v + 1] - upto[v];
        return sum;
    }
    range_of(o, s, leaf, &lo, &end);
    return upto[end] - upto[lo];
}

/* Sets the fractions of all leaves. */
static void find_leaves(const measured *job, const heft_tree *tree, outline *o)
{
    for (size_t l = 0; l < tree->n_leaves; l++)
        for (size_t s = 0; s < o->n_slots; s++)
            if (o->path[l] & o->slot[s].splits) o->q[l][s] = fraction(job, o, &o->slot[s], l);
}

/* right[n]: for rows lo .. lo + n - 1 the splits at which they go right. */
static void row_bits(const measured *job, const outline *o, size_t n_splits, size_t lo, size_t n,
                     uint32_t *right)
{
    memset(right, 0, n * sizeof *right);
    for (size_t s = 0; s < o->n_slots; s++) {
        const heft_tree_codes *from = &job->column[o->slot[s].attr];
        if (!o->slot[s].right) continue;
        for (size_t i = 0; i < n; i++)
            right[i] |= o->slot[s].right[heft_code_at(from->codes, from->width, lo + i)];
    }
    for (size_t k = 0; k < n_splits; k++) {
        const heft_tree_codes *from = &job->column[o->split[k].attr];
        const uint32_t         at = o->split[k].at;
        if (o->split[k].n_listed) continue;
        if (from->width == 1) {
            const uint8_t *code = (const uint8_t *)from->codes + lo;
            for (size_t i = 0; i < n; i++) right[i] |= (uint32_t)(code[i] > at) << k;
        } else {
            for (size_t i = 0; i < n; i++)
                right[i] |= (uint32_t)(heft_code_at(from->codes, from->width, lo + i) > at) << k;
        }
    }
}

static void add(double *to, const double *value, double by, size_t n)
{
    for (size_t c = 0; c < n; c++) to[c] += by * value[c];
}

/* sum[n x attributes of the bins x columns] += what the leaves of a tree add. */
static void add_leaves(const measured *job, const outline *o, const heft_tree *tree, size_t n,
                       const uint32_t *right, double *sum)
{
    const size_t C = job->b->trees.n_columns, m = job->b->bins.n_attr;
    for (size_t l = 0; l < tree->n_leaves; l++) {
        const double  *value = job->b->trees.value + (tree->leaf + l) * C;
        const uint32_t path = o->path[l], wanted = o->right[l];
        for (size_t i = 0; i < n; i++) {
            const uint32_t other = (right[i] ^ wanted) & path;
            double        *to = sum + i * m * C;
            if (other) {
                const size_t s = o->slot_of[__builtin_ctz(other)];
                if ((other & ~o->slot[s].splits) == 0)
                    add(to + o->slot[s].attr * C, value, -o->q[l][s], C);
                continue;
            }
            for (size_t s = 0; s < o->n_slots; s++)
                if (path & o->slot[s].splits)
                    add(to + o->slot[s].attr * C, value, 1 - o->q[l][s], C);
        }
    }
}

/* ---- rows ---- */

/* out[K] += a line of the columns of trees. */
static void spread(const double *line, size_t C, double *out)
{
    if (C == 1) out[0] -= *line, out[1] += *line;
    else add(out, line, 1, C);
}

static heft_status one_chunk(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const measured   *job = arg;
    const heft_trees *trees = &job->b->trees;
    const size_t      C = trees->n_columns, m = job->b->bins.n_attr, n = hi - lo;
    const size_t      n_attr = job->asked->rows->n_attr, K = job->asked->n_class;
    uint32_t          right[CHUNK];
    outline          *o;
    double           *sum;
    HEFT_ALLOC(ctx, &ctx->scratch, o, 1);
    HEFT_ALLOC(ctx, &ctx->scratch, sum, n * m * C);
    for (const heft_tree *t = trees->tree; t < trees->tree + trees->n_trees; t++) {
        HEFT_SCRATCH_SCOPE(ctx);
        HEFT_CHECK(find_slots(ctx, job, t, o));
        find_leaves(job, t, o);
        row_bits(job, o, t->n_leaves - 1u, lo, n, right);
        add_leaves(job, o, t, n, right, sum);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            spread(sum + (i * m + k) * C, C,
                   job->out + ((lo + i) * n_attr + job->b->bins.attr[k].attr) * K);
    return HEFT_OK;
}

/* ---- fractions ---- */

/* The weight of a row as a whole number, so that sums do not depend on their order. */
static int64_t units(const heft_sample *s, size_t i)
{
    return llrint(heft_sample_weight(s, i) * (1 << 20));
}

static heft_status find_fractions(heft_ctx *ctx, const heft_sample *all, measured *job)
{
    const heft_bins *bins = &job->b->bins;
    heft_tree_codes *column;
    HEFT_FREED void *codes = NULL;
    HEFT_ALLOC(ctx, &ctx->scratch, job->upto, bins->n_attr);
    HEFT_CHECK(heft_bins_fill(ctx, bins, all, &ctx->scratch, &column, &codes));
    for (size_t k = 0; k < bins->n_attr; k++) {
        const size_t n = bins->attr[k].n_codes;
        int64_t     *count, total = 0;
        HEFT_ALLOC(ctx, &ctx->scratch, count, n);
        HEFT_ALLOC(ctx, &ctx->scratch, job->upto[k], n + 1);
        for (size_t i = 0; i < all->n; i++)
            count[heft_code_at(column[k].codes, column[k].width, i)] += units(all, i);
        HEFT_CHECK(heft_all_add(ctx, count, n));
        for (size_t v = 0; v < n; v++) total += count[v];
        for (size_t v = 0; v < n; v++)
            job->upto[k][v + 1] = job->upto[k][v] + (double)count[v] / (double)total;
    }
    return HEFT_OK;
}

/* ---- effects of values ---- */

/* The value of attribute j in row i of the sample; its number of values: missing or unknown. */
static size_t value_of(const heft_sample *s, size_t j, size_t i)
{
    const heft_attr *a = &s->rows->attr[j];
    const size_t     v = heft_code_at(a->codes, a->width, heft_sample_row(s, i));
    return v < a->n_codes ? v : a->n_codes;
}

/* The fraction of rows with each of n values of attribute j, and behind them without a value. */
static heft_status value_fractions(heft_ctx *ctx, const heft_sample *all, size_t j, double **out)
{
    const size_t n = (size_t)all->rows->attr[j].n_codes + 1;
    int64_t     *count, total = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, count, n);
    HEFT_ALLOC(ctx, &ctx->scratch, *out, n);
    for (size_t i = 0; i < all->n; i++) count[value_of(all, j, i)] += units(all, i);
    HEFT_CHECK(heft_all_add(ctx, count, n));
    for (size_t v = 0; v < n; v++) total += count[v];
    for (size_t v = 0; v < n; v++) (*out)[v] = (double)count[v] / (double)total;
    return HEFT_OK;
}

/* Adds an effect (NULL: none) less its mean to the contributions of attribute j to row i. */
static void add_effect(const measured *job, size_t i, size_t j, const double *effect,
                       const double *mean)
{
    const size_t C = job->b->effects.n_columns, n_attr = job->asked->rows->n_attr;
    double      *out = job->out + (i * n_attr + j) * job->asked->n_class;
    for (size_t c = 0; c < C; c++) {
        const double x = (effect ? effect[c] : 0) - mean[c];
        if (C == 1) out[0] -= x / 2, out[1] += x / 2;
        else out[c] += x;
    }
}

static heft_status add_values(heft_ctx *ctx, const heft_sample *all, const measured *job, size_t j,
                              const double *effect)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t C = job->b->effects.n_columns, n = all->rows->attr[j].n_codes;
    double      *share, *mean;
    HEFT_CHECK(value_fractions(ctx, all, j, &share));
    HEFT_ALLOC(ctx, &ctx->scratch, mean, C);
    for (size_t v = 0; v < n; v++) add(mean, effect + v * C, share[v], C);
    for (size_t i = 0; i < job->asked->n; i++) {
        const size_t v = value_of(job->asked, j, i);
        add_effect(job, i, j, v < n ? effect + v * C : NULL, mean);
    }
    return HEFT_OK;
}

static heft_status add_cells(heft_ctx *ctx, const heft_sample *all, const measured *job,
                             const heft_value_pair *pair, const double *effect)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t C = job->b->effects.n_columns, q = all->rows->attr[pair->attr[1]].n_codes;
    const size_t n = all->rows->attr[pair->attr[0]].n_codes;
    double      *first, *second, *by_first, *by_second;
    uint32_t    *cell;
    HEFT_CHECK(value_fractions(ctx, all, pair->attr[0], &first));
    HEFT_CHECK(value_fractions(ctx, all, pair->attr[1], &second));
    HEFT_ALLOC(ctx, &ctx->scratch, by_first, (n + 1) * C);
    HEFT_ALLOC(ctx, &ctx->scratch, by_second, (q + 1) * C);
    HEFT_ALLOC(ctx, &ctx->scratch, cell, job->asked->n);
    for (size_t k = 0; k < pair->n_cells; k++) {
        const size_t v = (size_t)(pair->key[k] / q), w = (size_t)(pair->key[k] % q);
        add(by_first + v * C, effect + k * C, second[w], C);
        add(by_second + w * C, effect + k * C, first[v], C);
    }
    heft_value_pair_cells(pair, job->asked, cell);
    for (size_t i = 0; i < job->asked->n; i++) {
        const double *own = cell[i] == HEFT_NO_CELL ? NULL : effect + cell[i] * C;
        const size_t  v = value_of(job->asked, pair->attr[0], i);
        const size_t  w = value_of(job->asked, pair->attr[1], i);
        add_effect(job, i, pair->attr[0], own, by_second + w * C);
        add_effect(job, i, pair->attr[1], own, by_first + v * C);
    }
    return HEFT_OK;
}

static heft_status add_effects(heft_ctx *ctx, const heft_sample *all, const measured *job)
{
    const heft_value_effects *e = &job->b->effects;
    const double             *table = heft_value_effects_of(e, job->b->trees.n_trees);
    if (!table) return HEFT_OK;
    for (size_t k = 0; k < e->n_attr; k++)
        HEFT_CHECK(add_values(ctx, all, job, e->attr[k], table + e->first[k] * e->n_columns));
    for (size_t k = 0; k < e->n_pairs; k++)
        HEFT_CHECK(
            add_cells(ctx, all, job, &e->pair[k], table + e->first[e->n_attr + k] * e->n_columns));
    return HEFT_OK;
}

heft_status heft_boosted_contributions(heft_ctx *ctx, const heft_boosted *boosted,
                                       const heft_sample *all, const heft_sample *asked,
                                       double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    measured         job = {.b = boosted, .asked = asked, .out = out};
    HEFT_FREED void *codes = NULL;
    HEFT_CHECK(find_fractions(ctx, all, &job));
    HEFT_CHECK(add_effects(ctx, all, &job));
    HEFT_CHECK(heft_bins_fill(ctx, &boosted->bins, asked, &ctx->scratch, &job.column, &codes));
    return heft_run_blocks(ctx, asked->n, CHUNK, one_chunk, &job);
}

/* ---- single attributes ---- */

/* Adds what a leaf says by the attribute of one slot, v ([x in B] - q) prod of the other q: to the
 * codes of a value, or for a number to the differences between neighbouring codes. */
static void add_main(const measured *job, const outline *o, size_t slot_at, size_t leaf,
                     const double *value, double *table)
{
    const slot          *s = &o->slot[slot_at];
    const heft_bin_attr *a = &job->b->bins.attr[s->attr];
    const size_t         C = job->b->trees.n_columns;
    uint32_t             lo = 0, end = a->n_codes;
    double               rest = 1;
    for (size_t k = 0; k < o->n_slots; k++)
        if (k != slot_at && (o->path[leaf] & o->slot[k].splits)) rest *= o->q[leaf][k];
    if (a->nominal) {
        for (uint32_t v = 0; v < a->n_codes; v++)
            add(table + v * C, value, rest * (fits(o, s, leaf, v) - o->q[leaf][slot_at]), C);
        return;
    }
    range_of(o, s, leaf, &lo, &end);
    add(table, value, -rest * o->q[leaf][slot_at], C);
    add(table + lo * C, value, rest, C);
    add(table + end * C, value, -rest, C);
}

heft_status heft_boosted_mains(heft_ctx *ctx, const heft_boosted *boosted, const heft_sample *all,
                               double ***out)
{
    const heft_trees *trees = &boosted->trees;
    const heft_bins  *bins = &boosted->bins;
    const size_t      C = trees->n_columns;
    measured          job = {.b = boosted};
    outline          *o;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, bins->n_attr);
    for (size_t k = 0; k < bins->n_attr; k++)
        HEFT_ALLOC(ctx, &ctx->scratch, (*out)[k], (bins->attr[k].n_codes + 1u) * C);
    HEFT_CHECK(find_fractions(ctx, all, &job));
    HEFT_ALLOC(ctx, &ctx->scratch, o, 1);
    for (const heft_tree *t = trees->tree; t < trees->tree + trees->n_trees; t++) {
        HEFT_SCRATCH_SCOPE(ctx);
        HEFT_CHECK(find_slots(ctx, &job, t, o));
        find_leaves(&job, t, o);
        for (size_t l = 0; l < t->n_leaves; l++)
            for (size_t s = 0; s < o->n_slots; s++)
                if (o->path[l] & o->slot[s].splits)
                    add_main(&job, o, s, l, trees->value + (t->leaf + l) * C,
                             (*out)[o->slot[s].attr]);
    }
    for (size_t k = 0; k < bins->n_attr; k++)
        if (!bins->attr[k].nominal)
            for (size_t v = C; v < bins->attr[k].n_codes * C; v++) (*out)[k][v] += (*out)[k][v - C];
    return HEFT_OK;
}
