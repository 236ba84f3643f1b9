/* tree_effects.c - the evidence of trees as an exact sum of terms of few attributes and a
 * remainder.
 *
 * A leaf adds to a table by a range of codes or by a short list: a numeric table is kept as
 * differences between neighbouring codes until all leaves are in. */
#include "boost/tree_effects.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "boost/tree_paths.h"

enum { AT_ONCE = HEFT_ROWS_AT_ONCE };

/* ---- interactions ---- */

/* out[heft_sets_of(n)] = for every set V of two and three of n places, the product of f over V and
 * of q over the other places. */
HEFT_INLINE void weigh_sets(size_t n, const double *restrict f, const double *restrict q,
                            double *restrict out)
{
    double before[HEFT_PATH_ATTRS],
        after[HEFT_PATH_ATTRS]; /* products of q before and after a place */
    double pair[HEFT_PATH_ATTRS * (HEFT_PATH_ATTRS - 1) / 2]; /* pairs, without the q after them */
    double open[HEFT_PATH_ATTRS]; /* by a: the q up to b, without that of a */
    double all = 1;
    for (size_t k = 0; k < n; k++) {
        before[k] = all;
        all *= q[k];
    }
    all = 1;
    for (size_t k = n; k-- > 0;) {
        after[k] = all;
        all *= q[k];
    }
    for (size_t b = 1; b < n; b++) {
        for (size_t a = 0; a + 1 < b; a++) open[a] *= q[b - 1];
        open[b - 1] = before[b - 1];
        double *to = pair + heft_pairs_of(b);
        for (size_t a = 0; a < b; a++) {
            to[a] = f[a] * f[b] * open[a];
            out[heft_pairs_of(b) + a] = to[a] * after[b];
        }
    }
    for (size_t c = 2; c < n; c++) {
        double rest = after[c];
        for (size_t b = c - 1; b > 0; b--) {
            const double  by = f[c] * rest;
            const double *from = pair + heft_pairs_of(b);
            double       *to = out + heft_pairs_of(n) + heft_triples_of(c) + heft_pairs_of(b);
            for (size_t a = 0; a < b; a++) to[a] = from[a] * by;
            rest *= q[b];
        }
    }
}

typedef struct finding {
    heft_set_table        sets;
    const heft_expansion *x;
    heft_path_attr       *attr;      /* NULL: strengths are not needed */
    double strength[HEFT_MOST_SETS]; /* one for each set of a tree; 0: no leaf has it */
} finding;

static void note_sets(heft_walk *w, const heft_path *p)
{
    finding      *f = w->arg;
    const double *value = w->trees->value + w->leaf * w->trees->n_columns;
    uint32_t      place[HEFT_PATH_ATTRS], number[HEFT_MOST_SETS];
    double        q[HEFT_PATH_ATTRS], deviation[HEFT_PATH_ATTRS], weight[HEFT_MOST_SETS], most = 0;
    for (size_t k = 0; k < p->n; k++) place[k] = p->of[k].place;
    heft_number_sets(place, p->n, w->n_attr, number);
    if (f->attr) {
        for (size_t c = 0; c < w->trees->n_columns; c++) most = fmax(most, fabs(value[c]));
        for (size_t k = 0; k < p->n; k++) {
            q[k] = heft_side_share(f->x, &f->attr[p->of[k].attr], &p->of[k]);
            deviation[k] = sqrt(fmax(q[k] * (1 - q[k]), 0));
        }
        weigh_sets(p->n, deviation, q, weight);
    }
    for (size_t k = 0; k < heft_sets_of(p->n); k++)
        f->strength[number[k]] += f->attr ? most * weight[k] + DBL_MIN : 1;
}

static heft_status note_set(heft_walk *w, const heft_interaction *set, size_t number)
{
    finding *f = w->arg;
    heft_interaction new = *set;
    new.size = f->strength[number];
    return new.size > 0 ? heft_set_add(&f->sets, &new) : HEFT_OK;
}

static heft_status find_in_tree(heft_walk *w)
{
    finding *f = w->arg;
    HEFT_CHECK(heft_each_set(w, note_set));
    memset(f->strength, 0, heft_sets_of(w->n_attr) * sizeof *f->strength);
    return HEFT_OK;
}

static int by_strength(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;
    return a > b ? -1 : a < b;
}

/* Keeps the strongest interactions of n attributes, at most HEFT_MOST_JOINT; equals of the first
 * that is dropped are dropped too. */
static heft_status keep_strongest(heft_ctx *ctx, heft_set_table *s, size_t n_attr)
{
    double *strength;
    size_t  n = 0, kept = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, strength, s->n);
    for (size_t k = 0; k < s->n; k++)
        if (s->list[k].n == n_attr) strength[n++] = s->list[k].size;
    if (n <= HEFT_MOST_JOINT) return HEFT_OK;
    qsort(strength, n, sizeof *strength, by_strength);
    const double least = strength[HEFT_MOST_JOINT];
    for (size_t k = 0; k < s->n; k++)
        if (s->list[k].n != n_attr || s->list[k].size > least || isinf(s->list[k].size))
            s->list[kept++] = s->list[k];
    s->n = kept;
    return HEFT_OK;
}

heft_status heft_interactions_find(heft_ctx *ctx, const heft_expansion *x, heft_arena *arena,
                                   heft_interaction **list, size_t *n)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    const bool wide = heft_trees_width(x->trees) > HEFT_JOINT_ATTRS;
    finding   *f;
    HEFT_ALLOC(ctx, &ctx->scratch, f, 1);
    f->sets.ctx = ctx;
    f->x = x;
    if (wide) HEFT_CHECK(heft_path_attrs(ctx, x, &f->attr));
    for (size_t k = 0; k < *n; k++) {
        heft_interaction given = (*list)[k];
        given.size = INFINITY;
        HEFT_CHECK(heft_set_add(&f->sets, &given));
    }
    HEFT_CHECK(heft_walk_trees(
        &(heft_walk){.trees = x->trees, .visit = note_sets, .end = find_in_tree, .arg = f}));
    if (wide)
        for (size_t k = 2; k <= HEFT_JOINT_ATTRS; k++) HEFT_CHECK(keep_strongest(ctx, &f->sets, k));
    *n = f->sets.n;
    for (size_t k = 0; k < *n; k++) f->sets.list[k].size = 0;
    heft_interactions_sort(f->sets.list, *n);
    HEFT_ALLOC(ctx, arena, *list, *n);
    if (*n) memcpy(*list, f->sets.list, *n * sizeof **list);
    return HEFT_OK;
}

/* ---- effects ---- */

typedef struct opening {
    heft_ctx          *ctx;
    heft_tree_effects *e;
    heft_path_attr    *attr;
    heft_set_table     sets;
    size_t             n_sides;
    bool               occurs[HEFT_MOST_SETS]; /* the sets of a tree that a leaf has */
} opening;

/* to += by times the value of a leaf, in the columns of the tables. */
HEFT_INLINE void add(double *restrict to, const double *restrict value, double by, size_t n_columns)
{
    if (n_columns == 2) { /* a leaf has one number: that of the second class, and its negative is
                             that of the first */
        to[0] -= by * value[0];
        to[1] += by * value[0];
        return;
    }
    for (size_t c = 0; c < n_columns; c++) to[c] += by * value[c];
}

/* Adds by * value * ([x in B] - q) to the table of the attribute. */
static void add_main(const heft_expansion *x, const heft_path_attr *a, const heft_path_side *s,
                     double q, const double *value, double by)
{
    const size_t C = x->n_columns;
    uint32_t     lo, end;
    add(a->always, value, -by * q, C);
    if (x->attr[s->attr].numeric) {
        heft_side_range(a, s, &lo, &end);
        add(a->table + lo * C, value, by, C);
        add(a->table + end * C, value, -by, C);
        return;
    }
    if (s->others) add(a->always, value, by, C);
    for (size_t k = 0; k < s->n_list; k++)
        add(a->table + s->list[k] * C, value, s->others ? -by : by, C);
}

static void count_sides(heft_walk *w, const heft_path *p)
{
    *(size_t *)w->arg += p->n;
}

static void add_leaf(heft_walk *w, const heft_path *p)
{
    opening              *o = w->arg;
    heft_tree_effects    *e = o->e;
    const heft_expansion *x = &e->expansion;
    const double         *value = x->trees->value + w->leaf * x->trees->n_columns;
    heft_leaf_box        *box = &e->box[w->leaf];
    heft_box_side        *to = e->side + o->n_sides;
    uint32_t              place[HEFT_PATH_ATTRS], number[HEFT_MOST_SETS];
    double                all = 1;
    *box = (heft_leaf_box){.n = (uint8_t)p->n, .first = o->n_sides};
    o->n_sides += p->n;
    for (size_t k = 0; k < p->n; k++) {
        const heft_path_side *s = &p->of[k];
        place[k] = s->place;
        box->has |= (uint32_t)1 << s->place;
        to[k] = (heft_box_side){s->tested, s->right, s->place,
                                heft_side_share(x, &o->attr[s->attr], s)};
        all *= to[k].share;
    }
    add(e->start, value, all, x->n_columns);
    for (size_t k = 0; k < p->n; k++) {
        double rest = 1;
        for (size_t m = 0; m < p->n; m++)
            if (m != k) rest *= to[m].share;
        add_main(x, &o->attr[p->of[k].attr], &p->of[k], to[k].share, value, rest);
    }
    heft_number_sets(place, p->n, w->n_attr, number);
    for (size_t k = 0; k < heft_sets_of(p->n); k++) o->occurs[number[k]] = true;
}

static heft_status name_part(heft_walk *w, const heft_interaction *set, size_t number)
{
    opening        *o = w->arg;
    const uint32_t *place = o->occurs[number] && o->sets.n ? heft_set_place(&o->sets, set) : NULL;
    o->e->sets[w->tree].part[number] = place && *place ? *place - 1 : UINT32_MAX;
    return HEFT_OK;
}

static heft_status end_tree(heft_walk *w)
{
    opening           *o = w->arg;
    heft_tree_effects *e = o->e;
    heft_tree_sets    *sets = &e->sets[w->tree];
    const heft_tree   *tree = &w->trees->tree[w->tree];
    uint32_t           place[HEFT_PATH_ATTRS] = {0}, number[HEFT_MOST_SETS] = {0};
    sets->n = w->n_attr;
    HEFT_ALLOC(o->ctx, &o->ctx->scratch, sets->attr, sets->n);
    HEFT_ALLOC(o->ctx, &o->ctx->scratch, sets->part, heft_sets_of(sets->n));
    if (sets->n) memcpy(sets->attr, w->attr, sets->n * sizeof *sets->attr);
    HEFT_CHECK(heft_each_set(w, name_part));
    for (heft_leaf_box *box = e->box + tree->leaf; box < e->box + w->leaf; box++) {
        for (size_t k = 0; k < box->n; k++) place[k] = e->side[box->first + k].place;
        heft_number_sets(place, box->n, sets->n, number);
        box->rest = box->n > HEFT_JOINT_ATTRS;
        for (size_t k = 0; k < heft_sets_of(box->n); k++) {
            box->rest |= sets->part[number[k]] == UINT32_MAX;
            o->occurs[number[k]] = false;
        }
        e->wide |= box->rest;
    }
    return HEFT_OK;
}

/* The nodes are the roots of a Legendre polynomial, found by Newton's method. */
static heft_gauss gauss_of(size_t n)
{
    heft_gauss out = {.n = n};
    for (size_t k = 0; k < n; k++) {
        double x = cos(acos(-1) * ((double)k + 0.75) / ((double)n + 0.5)), slope = 1;
        for (int step = 0; step < 20; step++) {
            double now = x, before = 1;
            for (size_t m = 2; m <= n; m++) {
                const double next =
                    ((2 * (double)m - 1) * x * now - ((double)m - 1) * before) / (double)m;
                before = now;
                now = next;
            }
            slope = (double)n * (x * now - before) / (x * x - 1);
            x -= now / slope;
        }
        out.at[k] = (1 - x) / 2;
        out.weight[k] = 1 / ((1 - x * x) * slope * slope);
    }
    return out;
}

heft_status heft_tree_effects_open(heft_ctx *ctx, const heft_expansion *expansion,
                                   heft_tree_effects *out)
{
    const heft_expansion *x = expansion;
    const size_t          C = x->n_columns;
    opening              *o;
    size_t                n_sides = 0;
    *out = (heft_tree_effects){.expansion = *x};
    for (size_t n = 1; n <= HEFT_MOST_LEAVES / 2; n++) out->gauss[n] = gauss_of(n);
    HEFT_CHECK(
        heft_walk_trees(&(heft_walk){.trees = x->trees, .visit = count_sides, .arg = &n_sides}));
    HEFT_ALLOC(ctx, &ctx->scratch, o, 1);
    o->ctx = o->sets.ctx = ctx;
    o->e = out;
    HEFT_ALLOC(ctx, &ctx->scratch, out->sets, x->trees->n_trees);
    HEFT_ALLOC(ctx, &ctx->scratch, out->box, x->trees->n_leaves);
    HEFT_ALLOC(ctx, &ctx->scratch, out->side, n_sides);
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, C);
    HEFT_ALLOC(ctx, &ctx->scratch, out->table, x->n_attr);
    HEFT_CHECK(heft_path_attrs(ctx, x, &o->attr));
    for (size_t j = 0; j < x->n_attr; j++) {
        heft_path_attr *a = &o->attr[j];
        if (!a->n_codes) continue;
        HEFT_ALLOC(ctx, &ctx->scratch, a->table, (a->n_codes + 1u) * C);
        HEFT_ALLOC(ctx, &ctx->scratch, a->always, C);
        HEFT_ALLOC(ctx, &ctx->scratch, out->table[j], x->attr[j].n_lines * C);
    }
    for (size_t k = 0; k < x->n_interactions; k++)
        HEFT_CHECK(heft_set_add(&o->sets, &x->interaction[k]));
    HEFT_CHECK(heft_walk_trees(
        &(heft_walk){.trees = x->trees, .visit = add_leaf, .end = end_tree, .arg = o}));
    for (size_t j = 0; j < x->n_attr; j++) {
        const heft_path_attr *a = &o->attr[j];
        if (!a->n_codes) continue;
        if (x->attr[j].numeric)
            for (size_t k = C; k < a->n_codes * C; k++) a->table[k] += a->table[k - C];
        for (uint32_t l = 0; l < x->attr[j].n_lines; l++)
            for (size_t c = 0; c < C; c++)
                out->table[j][l * C + c] =
                    a->always[c] + a->table[heft_tree_code(&x->attr[j], l) * C + c];
    }
    return HEFT_OK;
}

/* ---- rows ---- */

static bool goes_right(const heft_trees *trees, const heft_tree_split *s, uint32_t code)
{
    const uint32_t *list = trees->listed + s->at;
    if (s->n_listed == 0) return code > s->at;
    for (size_t k = 0; k < s->n_listed; k++)
        if (list[k] == code) return false;
    return true;
}

/* The splits of a tree at which the row goes right, as bits. */
HEFT_INLINE uint32_t turns_of(const heft_expansion *x, const heft_tree *t, const uint32_t *line)
{
    uint32_t right = 0;
    for (size_t k = 0; k + 1 < t->n_leaves; k++) {
        const heft_tree_split *s = &x->trees->split[t->split + k];
        const uint32_t         code = heft_tree_code(&x->attr[s->attr], line[s->attr]);
        right |= (uint32_t)goes_right(x->trees, s, code) << k;
    }
    return right;
}

HEFT_INLINE bool is_inside(const heft_box_side *s, uint32_t right)
{
    return ((right ^ s->right) & s->tested) == 0;
}

/* The numbers of a leaf and R rows, R next to each other. */
typedef struct leaf_rows {
    size_t   n;
    uint32_t place[HEFT_PATH_ATTRS];
    double   q[HEFT_PATH_ATTRS], d[HEFT_PATH_ATTRS * AT_ONCE];
    double
         pair[HEFT_PATH_ATTRS * (HEFT_PATH_ATTRS - 1) / 2 * AT_ONCE]; /* without the q after them */
    bool inside[AT_ONCE];                                             /* the row is in the leaf */
    double rest[AT_ONCE];                    /* the part of the remainder */
    double share[HEFT_PATH_ATTRS * AT_ONCE]; /* the part of it that each attribute has */
} leaf_rows;

enum { LANES = 4 };
typedef double lanes
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* to += a b for R rows, which is 1 or AT_ONCE. Loops over so few numbers are not compiled well. */
HEFT_INLINE void add_times(double *to, const double *a, double b, size_t R)
{
    if (R == 1) *to += *a * b;
    else
        for (size_t r = 0; r < R; r += LANES) *(lanes *)(to + r) += *(const lanes *)(a + r) * b;
}

HEFT_INLINE void multiply(double *to, const double *a, const double *b, size_t R)
{
    if (R == 1) *to = *a * *b;
    else
        for (size_t r = 0; r < R; r += LANES)
            *(lanes *)(to + r) = *(const lanes *)(a + r) * *(const lanes *)(b + r);
}

HEFT_INLINE void scale(double *to, const double *a, double b, size_t R)
{
    if (R == 1) *to = *a * b;
    else
        for (size_t r = 0; r < R; r += LANES) *(lanes *)(to + r) = *(const lanes *)(a + r) * b;
}

/* to += by times the value of a leaf, for R rows. */
HEFT_INLINE void add_rows(double *to, const double *value, const double *by, size_t C, size_t R)
{
    if (C == 2) {
        add_times(to, by, -value[0], R);
        add_times(to + R, by, value[0], R);
        return;
    }
    for (size_t c = 0; c < C; c++) add_times(to + c * R, by, value[c], R);
}

/* share[k] = what attribute k has of all terms, in equal parts of each. */
HEFT_INLINE void equal_shares(const heft_gauss *g, leaf_rows *l, size_t R)
{
    const size_t n = l->n;
    double factor[HEFT_PATH_ATTRS * AT_ONCE], before[(HEFT_PATH_ATTRS + 1) * AT_ONCE], all[AT_ONCE];
    memset(l->share, 0, n * R * sizeof *l->share);
    for (size_t i = 0; i < g->n; i++) {
        for (size_t r = 0; r < R; r++) before[r] = g->weight[i], all[r] = 1;
        for (size_t k = 0; k < n; k++) {
            for (size_t r = 0; r < R; r++) factor[k * R + r] = l->q[k];
            add_times(factor + k * R, l->d + k * R, g->at[i], R);
            multiply(before + (k + 1) * R, before + k * R, factor + k * R, R);
        }
        for (size_t k = n; k-- > 0;) {
            multiply(before + k * R, before + k * R, all, R);
            add_times(l->share + k * R, before + k * R, 1, R);
            multiply(all, all, factor + k * R, R);
        }
    }
    for (size_t k = 0; k < n; k++) multiply(l->share + k * R, l->share + k * R, l->d + k * R, R);
}

/* The remainder and its shares, before the listed interactions are taken from them. */
HEFT_INLINE void begin_rest(const heft_tree_effects *e, leaf_rows *l, size_t R)
{
    double none = 1;
    equal_shares(&e->gauss[(l->n + 1) / 2], l, R);
    for (size_t k = 0; k < l->n; k++) none *= l->q[k];
    for (size_t r = 0; r < R; r++) l->rest[r] = l->inside[r] - none;
    for (size_t k = 0; k < l->n; k++) {
        double others = 1;
        for (size_t m = 0; m < l->n; m++)
            if (m != k) others *= l->q[m];
        add_times(l->rest, l->d + k * R, -others, R);
        add_times(l->share + k * R, l->d + k * R, -others, R);
    }
}

/* Takes the weights of a listed interaction of places a, b and perhaps c from the remainder. */
HEFT_INLINE void take_set(leaf_rows *l, const double *weight, const size_t *of, size_t n, size_t R)
{
    add_times(l->rest, weight, -1, R);
    for (size_t k = 0; k < n; k++) add_times(l->share + of[k] * R, weight, -1 / (double)n, R);
}

/* Adds the listed interactions of a leaf. weigh_sets has the same products. */
HEFT_INLINE void add_sets(leaf_rows *l, const heft_tree_sets *sets, const double *value,
                          const heft_joint_sums *out, size_t C, bool rest, size_t R)
{
    const size_t n = l->n;
    double       before[HEFT_PATH_ATTRS], after[HEFT_PATH_ATTRS], open[HEFT_PATH_ATTRS], all = 1;
    double       weight[AT_ONCE], by[AT_ONCE];
    for (size_t k = 0; k < n; all *= l->q[k++]) before[k] = all;
    all = 1;
    for (size_t k = n; k-- > 0; all *= l->q[k]) after[k] = all;
    for (size_t b = 1; b < n; b++) {
        const uint32_t *part = sets->part + heft_pairs_of(l->place[b]);
        double         *to = l->pair + heft_pairs_of(b) * R;
        for (size_t a = 0; a + 1 < b; a++) open[a] *= l->q[b - 1];
        open[b - 1] = before[b - 1];
        for (size_t a = 0; a < b; a++, to += R) {
            const uint32_t at = part[l->place[a]];
            multiply(to, l->d + a * R, l->d + b * R, R);
            scale(to, to, open[a], R);
            if (at == UINT32_MAX) continue;
            scale(weight, to, after[b], R);
            add_rows(out->together + at * C * R, value, weight, C, R);
            if (rest) take_set(l, weight, (const size_t[]){a, b}, 2, R);
        }
    }
    for (size_t c = 2; c < n; c++) {
        const uint32_t *part = sets->part + heft_pairs_of(sets->n) + heft_triples_of(l->place[c]);
        double          between = after[c];
        for (size_t b = c - 1; b > 0; between *= l->q[b--]) {
            const double *from = l->pair + heft_pairs_of(b) * R;
            scale(by, l->d + c * R, between, R);
            for (size_t a = 0; a < b; a++, from += R) {
                const uint32_t at = part[heft_pairs_of(l->place[b]) + l->place[a]];
                if (at == UINT32_MAX) continue;
                multiply(weight, from, by, R);
                add_rows(out->together + at * C * R, value, weight, C, R);
                if (rest) take_set(l, weight, (const size_t[]){a, b, c}, 3, R);
            }
        }
    }
}

HEFT_INLINE void add_leaf_rows(const heft_tree_effects *e, const heft_tree_sets *sets,
                               const heft_leaf_box *box, const double *value, leaf_rows *l,
                               const heft_joint_sums *out, size_t R)
{
    const size_t C = e->expansion.n_columns;
    if (!box->rest || !out->remainder) {
        add_sets(l, sets, value, out, C, false, R);
        return;
    }
    begin_rest(e, l, R);
    add_sets(l, sets, value, out, C, true, R);
    add_rows(out->remainder, value, l->rest, C, R);
    for (size_t k = 0; k < l->n; k++)
        add_rows(out->shares + sets->attr[l->place[k]] * C * R, value, l->share + k * R, C, R);
}

HEFT_INLINE void effects_of(const heft_tree_effects *e, uint32_t *const *line,
                            const heft_joint_sums *out, size_t R)
{
    const heft_trees *trees = e->expansion.trees;
    leaf_rows         l;
    for (size_t t = 0; t < trees->n_trees; t++) {
        const heft_tree *tree = &trees->tree[t];
        uint32_t         right[AT_ONCE];
        for (size_t r = 0; r < R; r++) right[r] = turns_of(&e->expansion, tree, line[r]);
        for (size_t k = tree->leaf; k < tree->leaf + tree->n_leaves; k++) {
            const heft_leaf_box *box = &e->box[k];
            const heft_box_side *side = e->side + box->first;
            if (box->n < 2) continue;
            l.n = box->n;
            for (size_t r = 0; r < R; r++) l.inside[r] = true;
            for (size_t m = 0; m < box->n; m++) {
                l.place[m] = side[m].place;
                l.q[m] = side[m].share;
                for (size_t r = 0; r < R; r++) {
                    const bool in = is_inside(&side[m], right[r]);
                    l.d[m * R + r] = in - side[m].share;
                    l.inside[r] &= in;
                }
            }
            add_leaf_rows(e, &e->sets[t], box, trees->value + k * trees->n_columns, &l, out, R);
        }
    }
}

HEFT_WIDE static void effects_of_row(const heft_tree_effects *e, uint32_t *const *line,
                                     const heft_joint_sums *out)
{
    effects_of(e, line, out, 1);
}

HEFT_WIDE static void effects_of_rows(const heft_tree_effects *e, uint32_t *const *line,
                                      const heft_joint_sums *out)
{
    effects_of(e, line, out, AT_ONCE);
}

void heft_tree_effects_rows(const heft_tree_effects *e, uint32_t *const *line, size_t n,
                            const heft_joint_sums *out)
{
    if (n == AT_ONCE) effects_of_rows(e, line, out);
    else effects_of_row(e, line, out);
}

/* The places of the interaction's attributes among those of the tree, as bits; 0: not all are
 * there.
 */
static uint32_t places_in(const heft_tree_sets *sets, const heft_interaction *of)
{
    uint32_t places = 0;
    size_t   found = 0;
    for (size_t k = 0; k < sets->n && found < of->n; k++)
        if (sets->attr[k] == of->attr[found]) {
            places |= (uint32_t)1 << k;
            found++;
        }
    return found == of->n ? places : 0;
}

void heft_tree_effects_one(const heft_tree_effects *e, const uint32_t *line, size_t which,
                           double *together)
{
    const heft_trees *trees = e->expansion.trees;
    for (size_t t = 0; t < trees->n_trees; t++) {
        const heft_tree *tree = &trees->tree[t];
        const uint32_t   wanted = places_in(&e->sets[t], &e->expansion.interaction[which]);
        if (!wanted) continue;
        const uint32_t right = turns_of(&e->expansion, tree, line);
        for (size_t l = tree->leaf; l < tree->leaf + tree->n_leaves; l++) {
            const heft_leaf_box *box = &e->box[l];
            double               d = 1, q = 1;
            if ((box->has & wanted) != wanted) continue;
            for (size_t k = 0; k < box->n; k++) {
                const heft_box_side *s = &e->side[box->first + k];
                if (wanted >> s->place & 1) d *= is_inside(s, right) - s->share;
                else q *= s->share;
            }
            add(together, trees->value + l * trees->n_columns, d * q, e->expansion.n_columns);
        }
    }
}
