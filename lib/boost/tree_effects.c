/* tree_effects.c - the evidence of trees as an exact sum over one, two and three attributes.
 *
 * A walk through each tree keeps the box of the path: for a numeric attribute a range of codes, for
 * a nominal one the codes listed, or all but those. A leaf then adds to a table by a range or by a
 * short list: a numeric table is kept as differences between neighbouring codes until all leaves
 * are in. */
#include "boost/tree_effects.h"

#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

enum { LISTED = HEFT_MOST_LEAVES * HEFT_MOST_LISTED, FIRST_ROOM = 64 };

/* ---- paths ---- */

typedef struct side { /* one side of a box: the codes of one attribute */
    uint32_t        attr;
    uint32_t        tested, right;
    uint32_t        lo, hi; /* numeric: from lo to hi */
    bool            others; /* nominal: all codes but those of the list */
    size_t          n_list;
    const uint32_t *list; /* increasing */
} side;

typedef struct path {
    size_t n;
    side   of[HEFT_JOINT_ATTRS]; /* by attribute */
} path;

typedef struct walk {
    const heft_trees *trees;
    size_t            tree, leaf; /* at a leaf: its place among all leaves */
    heft_status (*visit)(struct walk *walk, const path *path);
    void *arg;
} walk;

/* What `merge` keeps of two increasing lists: codes in either, in both, or in the first alone. */
typedef enum keep { EITHER, BOTH, FIRST_ONLY } keep;

static size_t merge(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, keep which,
                    uint32_t *to)
{
    size_t n = 0, i = 0, j = 0;
    while (i < n_a || j < n_b) {
        const bool in_a = i < n_a && (j == n_b || a[i] <= b[j]);
        const bool in_b = j < n_b && (i == n_a || b[j] <= a[i]);
        if (which == EITHER || (which == BOTH ? in_a && in_b : in_a && !in_b))
            to[n++] = in_a ? a[i] : b[j];
        i += in_a;
        j += in_b;
    }
    return n;
}

/* The side after a split. `room` keeps its list. */
static void narrow(side *s, const heft_trees *trees, const heft_tree_split *split, bool right,
                   uint32_t *room)
{
    const uint32_t *list = trees->listed + split->at;
    if (split->n_listed == 0) {
        if (!right && split->at < s->hi) s->hi = split->at;
        if (right && split->at >= s->lo) s->lo = split->at + 1;
        return;
    }
    if (s->others && !right) { /* the listed codes that have not gone another way */
        s->n_list = merge(list, split->n_listed, s->list, s->n_list, FIRST_ONLY, room);
        s->others = false;
    } else {
        const keep which = s->others ? EITHER : right ? FIRST_ONLY : BOTH;
        s->n_list = merge(s->list, s->n_list, list, split->n_listed, which, room);
    }
    s->list = room;
}

/* The side of the path for an attribute, made where there is none; NULL: there is no room. */
static side *side_of(path *p, uint32_t attr)
{
    size_t k = 0;
    while (k < p->n && p->of[k].attr < attr) k++;
    if (k < p->n && p->of[k].attr == attr) return &p->of[k];
    if (p->n == HEFT_JOINT_ATTRS) return NULL;
    memmove(&p->of[k + 1], &p->of[k], (p->n - k) * sizeof p->of[k]);
    p->of[k] = (side){.attr = attr, .hi = UINT32_MAX, .others = true};
    p->n++;
    return &p->of[k];
}

/* Splits from *at on, for n leaves; *at becomes the split after the last one. HEFT_EFORMAT: a path
 * tests too many attributes. Depth: at most 15. */
static heft_status walk_from(walk *w, size_t *at, size_t n, const path *from)
{
    if (n == 1) {
        HEFT_CHECK(w->visit ? w->visit(w, from) : HEFT_OK);
        w->leaf++;
        return HEFT_OK;
    }
    const heft_tree_split *s = &w->trees->split[*at];
    const uint32_t         bit = ((uint32_t)1 << (*at - w->trees->tree[w->tree].split));
    ++*at;
    for (int right = 0; right < 2; right++) {
        path     here = *from;
        uint32_t room[LISTED];
        side    *of = side_of(&here, s->attr);
        if (!of) return HEFT_EFORMAT;
        of->tested |= bit;
        if (right) of->right |= bit;
        narrow(of, w->trees, s, right, room);
        HEFT_CHECK(walk_from(w, at, right ? n - s->left : s->left, &here));
    }
    return HEFT_OK;
}

static heft_status walk_trees(walk *w)
{
    const path empty = {0};
    for (w->tree = 0; w->tree < w->trees->n_trees; w->tree++) {
        size_t at = w->trees->tree[w->tree].split;
        w->leaf = w->trees->tree[w->tree].leaf;
        HEFT_CHECK(walk_from(w, &at, w->trees->tree[w->tree].n_leaves, &empty));
    }
    return HEFT_OK;
}

bool heft_trees_narrow(const heft_trees *trees)
{
    return walk_trees(&(walk){.trees = trees}) == HEFT_OK;
}

/* ---- interactions ---- */

/* The subsets of two and three of three places. */
static const struct subset {
    size_t n, of[HEFT_JOINT_ATTRS];
} SUBSETS[] = {{2, {0, 1}}, {2, {0, 2}}, {2, {1, 2}}, {3, {0, 1, 2}}};

/* How many of SUBSETS, from the first on, n attributes have. */
static size_t n_subsets(size_t n)
{
    return n < 2 ? 0 : n == 2 ? 1 : 4;
}

static heft_interaction subset_of(const path *p, const struct subset *s)
{
    heft_interaction out = {.n = s->n};
    for (size_t k = 0; k < s->n; k++) out.attr[k] = p->of[s->of[k]].attr;
    return out;
}

static int by_attributes(const void *pa, const void *pb)
{
    const heft_interaction *a = pa, *b = pb;
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (size_t k = 0; k < a->n; k++)
        if (a->attr[k] != b->attr[k]) return a->attr[k] < b->attr[k] ? -1 : 1;
    return 0;
}

typedef struct sets { /* distinct interactions, found by a hash of their attributes */
    heft_ctx         *ctx;
    size_t            n, room; /* a power of two */
    heft_interaction *list;    /* room */
    uint32_t         *at;      /* 2 room: places in the list + 1; 0: free */
} sets;

/* Returns where the interaction is, or where it may be put. */
static uint32_t *place_of(const sets *s, const heft_interaction *of)
{
    uint64_t h = of->n;
    for (size_t k = 0; k < of->n; k++) h = (h ^ of->attr[k]) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t at = (size_t)(h >> 20);; at++) {
        uint32_t *place = &s->at[at & (2 * s->room - 1)];
        if (!*place || by_attributes(&s->list[*place - 1], of) == 0) return place;
    }
}

/* Room for as many again, or for the first. */
static heft_status grow(sets *s)
{
    const heft_interaction *old = s->list;
    s->room = s->room ? 2 * s->room : FIRST_ROOM;
    HEFT_ALLOC(s->ctx, &s->ctx->scratch, s->list, s->room);
    HEFT_ALLOC(s->ctx, &s->ctx->scratch, s->at, 2 * s->room);
    if (s->n) memcpy(s->list, old, s->n * sizeof *old);
    for (uint32_t k = 0; k < s->n; k++) *place_of(s, &s->list[k]) = k + 1;
    return HEFT_OK;
}

static heft_status add_set(sets *s, const heft_interaction *new)
{
    if (s->n == s->room) HEFT_CHECK(grow(s));
    uint32_t *place = place_of(s, new);
    if (*place) return HEFT_OK;
    s->list[s->n++] = *new;
    *place = (uint32_t)s->n;
    return HEFT_OK;
}

static heft_status add_subsets(walk *w, const path *p)
{
    for (size_t k = 0; k < n_subsets(p->n); k++) {
        const heft_interaction new = subset_of(p, &SUBSETS[k]);
        HEFT_CHECK(add_set(w->arg, &new));
    }
    return HEFT_OK;
}

heft_status heft_interactions_find(heft_ctx *ctx, const heft_trees *trees, heft_arena *arena,
                                   heft_interaction **list, size_t *n)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    sets s = {.ctx = ctx};
    for (size_t k = 0; k < *n; k++) HEFT_CHECK(add_set(&s, &(*list)[k]));
    HEFT_CHECK(walk_trees(&(walk){trees, .visit = add_subsets, .arg = &s}));
    if (s.n) qsort(s.list, s.n, sizeof *s.list, by_attributes);
    HEFT_ALLOC(ctx, arena, *list, s.n);
    if (s.n) memcpy(*list, s.list, s.n * sizeof *s.list);
    *n = s.n;
    return HEFT_OK;
}

size_t heft_interaction_at(const heft_interaction *list, size_t n_list, const uint32_t *attr,
                           size_t n)
{
    heft_interaction wanted = {.n = n};
    for (size_t k = 0; k < n; k++) wanted.attr[k] = attr[k];
    const heft_interaction *found =
        n_list ? bsearch(&wanted, list, n_list, sizeof *list, by_attributes) : NULL;
    return found ? (size_t)(found - list) : SIZE_MAX;
}

/* ---- effects ---- */

typedef struct by_code { /* an attribute that trees test */
    uint32_t n_codes;
    double   total;  /* fraction of the rows that have any of the codes */
    double  *below;  /* numeric: n_codes + 1 sums over the lower codes */
    double  *table;  /* numeric: n_codes + 1 differences; nominal: n_codes lines */
    double  *always; /* added to every code */
} by_code;

typedef struct opening {
    heft_tree_effects *e;
    by_code           *attr;
    sets               sets;
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

static uint32_t tree_code(const heft_tree_attr *attr, uint32_t line)
{
    if (!attr->numeric) return line;
    return line == attr->n_lines - 1 ? attr->missing : line + 1;
}

static heft_status open_attr(heft_ctx *ctx, const heft_expansion *x, size_t j, by_code *a)
{
    const heft_tree_attr *attr = &x->attr[j];
    a->n_codes = attr->n_lines + attr->numeric;
    HEFT_ALLOC(ctx, &ctx->scratch, a->below, a->n_codes + 1u);
    HEFT_ALLOC(ctx, &ctx->scratch, a->table, (a->n_codes + 1u) * x->n_columns);
    HEFT_ALLOC(ctx, &ctx->scratch, a->always, x->n_columns);
    for (uint32_t l = 0; l < attr->n_lines; l++) a->below[tree_code(attr, l) + 1] += attr->share[l];
    for (uint32_t v = 0; v < a->n_codes; v++) a->below[v + 1] += a->below[v];
    a->total = a->below[a->n_codes];
    return HEFT_OK;
}

/* The codes of a numeric side, as a range [*lo, *end). */
static void range_of(const by_code *a, const side *s, uint32_t *lo, uint32_t *end)
{
    *end = s->hi < a->n_codes ? s->hi + 1 : a->n_codes;
    *lo = s->lo < *end ? s->lo : *end;
}

static double share_of(const heft_expansion *x, const by_code *a, const side *s)
{
    double   listed = 0;
    uint32_t lo, end;
    if (x->attr[s->attr].numeric) {
        range_of(a, s, &lo, &end);
        return a->below[end] - a->below[lo];
    }
    for (size_t k = 0; k < s->n_list; k++) listed += x->attr[s->attr].share[s->list[k]];
    return s->others ? a->total - listed : listed;
}

/* Adds by * value * ([x in B] - q) to the table of the attribute. */
static void add_main(const heft_expansion *x, const by_code *a, const side *s, double q,
                     const double *value, double by)
{
    const size_t C = x->n_columns;
    uint32_t     lo, end;
    add(a->always, value, -by * q, C);
    if (x->attr[s->attr].numeric) {
        range_of(a, s, &lo, &end);
        add(a->table + lo * C, value, by, C);
        add(a->table + end * C, value, -by, C);
        return;
    }
    if (s->others) add(a->always, value, by, C);
    for (size_t k = 0; k < s->n_list; k++)
        add(a->table + s->list[k] * C, value, s->others ? -by : by, C);
}

static heft_status add_leaf(walk *w, const path *p)
{
    opening              *o = w->arg;
    heft_tree_effects    *e = o->e;
    const heft_expansion *x = &e->expansion;
    const double         *value = x->trees->value + w->leaf * x->trees->n_columns;
    heft_leaf_box        *box = &e->box[w->leaf];
    double                all = 1;
    box->n = (uint8_t)p->n;
    for (size_t k = 0; k < p->n; k++) {
        box->tested[k] = p->of[k].tested;
        box->right[k] = p->of[k].right;
        box->share[k] = share_of(x, &o->attr[p->of[k].attr], &p->of[k]);
        all *= box->share[k];
    }
    add(e->start, value, all, x->n_columns);
    for (size_t k = 0; k < p->n; k++) {
        double rest = 1;
        for (size_t m = 0; m < p->n; m++)
            if (m != k) rest *= box->share[m];
        add_main(x, &o->attr[p->of[k].attr], &p->of[k], box->share[k], value, rest);
    }
    for (size_t k = 0; k < n_subsets(p->n); k++) {
        const heft_interaction set = subset_of(p, &SUBSETS[k]);
        box->part_of[k] = *place_of(&o->sets, &set) - 1;
    }
    return HEFT_OK;
}

heft_status heft_tree_effects_open(heft_ctx *ctx, const heft_expansion *expansion,
                                   heft_tree_effects *out)
{
    const heft_expansion *x = expansion;
    const size_t          C = x->n_columns;
    opening               o = {.e = out, .sets = {.ctx = ctx}};
    *out = (heft_tree_effects){.expansion = *x};
    HEFT_ALLOC(ctx, &ctx->scratch, out->box, x->trees->n_leaves);
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, C);
    HEFT_ALLOC(ctx, &ctx->scratch, out->table, x->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, o.attr, x->n_attr);
    for (size_t k = 0; k < x->trees->n_splits; k++) {
        const size_t j = x->trees->split[k].attr;
        if (o.attr[j].n_codes) continue;
        HEFT_CHECK(open_attr(ctx, x, j, &o.attr[j]));
        HEFT_ALLOC(ctx, &ctx->scratch, out->table[j], x->attr[j].n_lines * C);
    }
    for (size_t k = 0; k < x->n_interactions; k++) HEFT_CHECK(add_set(&o.sets, &x->interaction[k]));
    HEFT_CHECK(walk_trees(&(walk){x->trees, .visit = add_leaf, .arg = &o}));
    for (size_t j = 0; j < x->n_attr; j++) {
        const by_code *a = &o.attr[j];
        if (!a->n_codes) continue;
        if (x->attr[j].numeric)
            for (size_t k = C; k < a->n_codes * C; k++) a->table[k] += a->table[k - C];
        for (uint32_t l = 0; l < x->attr[j].n_lines; l++)
            for (size_t c = 0; c < C; c++)
                out->table[j][l * C + c] =
                    a->always[c] + a->table[tree_code(&x->attr[j], l) * C + c];
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

/* The leaf has evidence of the interaction. */
HEFT_INLINE bool has_part(const heft_leaf_box *box, size_t part)
{
    bool found = part == SIZE_MAX;
    for (size_t k = 0; k < n_subsets(box->n); k++) found |= box->part_of[k] == part;
    return found;
}

static bool tree_has_part(const heft_tree_effects *e, const heft_tree *t, size_t part)
{
    bool found = part == SIZE_MAX;
    for (size_t l = t->leaf; l < t->leaf + t->n_leaves && !found; l++)
        found = has_part(&e->box[l], part);
    return found;
}

HEFT_WIDE static void effects_of_row(const heft_tree_effects *e, const uint32_t *line, size_t only,
                                     double *together)
{
    const heft_trees *trees = e->expansion.trees;
    const size_t      C = e->expansion.n_columns;
    for (const heft_tree *t = trees->tree; t < trees->tree + trees->n_trees; t++) {
        unsigned right = 0; /* the splits at which the row goes right */
        if (!tree_has_part(e, t, only)) continue;
        for (size_t k = 0; k + 1 < t->n_leaves; k++) {
            const heft_tree_split *s = &trees->split[t->split + k];
            const uint32_t         code = tree_code(&e->expansion.attr[s->attr], line[s->attr]);
            right |= (unsigned)goes_right(trees, s, code) << k;
        }
        for (size_t l = t->leaf; l < t->leaf + t->n_leaves; l++) {
            const heft_leaf_box *box = &e->box[l];
            const double        *value = trees->value + l * trees->n_columns;
            double               d[HEFT_JOINT_ATTRS];
            if (box->n < 2 || !has_part(box, only)) continue;
            for (size_t k = 0; k < box->n; k++)
                d[k] = (((right ^ box->right[k]) & box->tested[k]) == 0) - box->share[k];
            if (box->n == 2) {
                add(together + box->part_of[0] * C, value, d[0] * d[1], C);
                continue;
            }
            const double *q = box->share;
            add(together + box->part_of[0] * C, value, d[0] * d[1] * q[2], C);
            add(together + box->part_of[1] * C, value, d[0] * d[2] * q[1], C);
            add(together + box->part_of[2] * C, value, d[1] * d[2] * q[0], C);
            add(together + box->part_of[3] * C, value, d[0] * d[1] * d[2], C);
        }
    }
}

void heft_tree_effects_row(const heft_tree_effects *e, const uint32_t *line, size_t only,
                           double *together)
{
    effects_of_row(e, line, only, together);
}
