/* tree_paths.c - the paths of trees: the box of codes that a leaf is, and sets of its attributes.
 */
#include "boost/tree_paths.h"

#include <string.h>

enum { LISTED = HEFT_MOST_LEAVES * HEFT_MOST_LISTED };

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
static void narrow(heft_path_side *s, const heft_trees *trees, const heft_tree_split *split,
                   bool right, uint32_t *room)
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

/* The side of the path for an attribute, made where there is none. */
static heft_path_side *side_of(heft_path *p, uint32_t attr, const heft_walk *w)
{
    size_t   k = 0;
    uint32_t place = 0;
    while (k < p->n && p->of[k].attr < attr) k++;
    if (k < p->n && p->of[k].attr == attr) return &p->of[k];
    while (w->attr[place] != attr) place++;
    memmove(&p->of[k + 1], &p->of[k], (p->n - k) * sizeof p->of[k]);
    p->of[k] = (heft_path_side){.attr = attr, .place = place, .hi = UINT32_MAX, .others = true};
    p->n++;
    return &p->of[k];
}

/* Splits from *at on, for n leaves; *at becomes the split after the last one. Depth: at most 31. */
static void walk_from(heft_walk *w, size_t *at, size_t n, const heft_path *from)
{
    if (n == 1) {
        w->visit(w, from);
        w->leaf++;
        return;
    }
    const heft_tree_split *s = &w->trees->split[*at];
    const uint32_t         bit = ((uint32_t)1 << (*at - w->trees->tree[w->tree].split));
    ++*at;
    for (int right = 0; right < 2; right++) {
        heft_path here;
        uint32_t  room[LISTED];
        here.n = from->n;
        memcpy(here.of, from->of, from->n * sizeof *from->of);
        heft_path_side *of = side_of(&here, s->attr, w);
        of->tested |= bit;
        if (right) of->right |= bit;
        narrow(of, w->trees, s, right, room);
        walk_from(w, at, right ? n - s->left : s->left, &here);
    }
}

/* The attributes of the tree, increasing. */
static void list_attributes(heft_walk *w)
{
    const heft_tree       *tree = &w->trees->tree[w->tree];
    const heft_tree_split *s = w->trees->split + tree->split;
    w->n_attr = 0;
    for (size_t k = 0; k + 1 < tree->n_leaves; k++) {
        size_t at = w->n_attr;
        while (at > 0 && w->attr[at - 1] >= s[k].attr) at--;
        if (at < w->n_attr && w->attr[at] == s[k].attr) continue;
        memmove(&w->attr[at + 1], &w->attr[at], (w->n_attr - at) * sizeof *w->attr);
        w->attr[at] = s[k].attr;
        w->n_attr++;
    }
}

heft_status heft_walk_trees(heft_walk *w)
{
    heft_path empty;
    empty.n = 0;
    for (w->tree = 0; w->tree < w->trees->n_trees; w->tree++) {
        size_t at = w->trees->tree[w->tree].split;
        w->leaf = w->trees->tree[w->tree].leaf;
        list_attributes(w);
        walk_from(w, &at, w->trees->tree[w->tree].n_leaves, &empty);
        if (w->end) HEFT_CHECK(w->end(w));
    }
    return HEFT_OK;
}

static void note_width(heft_walk *w, const heft_path *p)
{
    size_t *most = w->arg;
    if (p->n > *most) *most = p->n;
}

size_t heft_trees_width(const heft_trees *trees)
{
    size_t most = 0;
    (void)heft_walk_trees(&(heft_walk){.trees = trees, .visit = note_width, .arg = &most});
    return most;
}

heft_status heft_each_set(heft_walk *w, heft_set_visit *visit)
{
    size_t          number = 0;
    const uint32_t *attr = w->attr;
    for (size_t b = 1; b < w->n_attr; b++)
        for (size_t a = 0; a < b; a++, number++)
            HEFT_CHECK(visit(w, &(heft_interaction){2, {attr[a], attr[b]}, 0}, number));
    for (size_t c = 2; c < w->n_attr; c++)
        for (size_t b = 1; b < c; b++)
            for (size_t a = 0; a < b; a++, number++)
                HEFT_CHECK(
                    visit(w, &(heft_interaction){3, {attr[a], attr[b], attr[c]}, 0}, number));
    return HEFT_OK;
}

/* ---- shares ---- */

static heft_status open_attr(heft_ctx *ctx, const heft_expansion *x, size_t j, heft_path_attr *a)
{
    const heft_tree_attr *attr = &x->attr[j];
    a->n_codes = attr->n_lines + attr->numeric;
    HEFT_ALLOC(ctx, &ctx->scratch, a->below, a->n_codes + 1u);
    for (uint32_t l = 0; l < attr->n_lines; l++)
        a->below[heft_tree_code(attr, l) + 1] += attr->share[l];
    for (uint32_t v = 0; v < a->n_codes; v++) a->below[v + 1] += a->below[v];
    a->total = a->below[a->n_codes];
    return HEFT_OK;
}

heft_status heft_path_attrs(heft_ctx *ctx, const heft_expansion *x, heft_path_attr **attr)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *attr, x->n_attr);
    for (size_t k = 0; k < x->trees->n_splits; k++) {
        const size_t j = x->trees->split[k].attr;
        if (!(*attr)[j].n_codes) HEFT_CHECK(open_attr(ctx, x, j, &(*attr)[j]));
    }
    return HEFT_OK;
}

void heft_side_range(const heft_path_attr *a, const heft_path_side *s, uint32_t *lo, uint32_t *end)
{
    *end = s->hi < a->n_codes ? s->hi + 1 : a->n_codes;
    *lo = s->lo < *end ? s->lo : *end;
}

double heft_side_share(const heft_expansion *x, const heft_path_attr *a, const heft_path_side *s)
{
    double   listed = 0;
    uint32_t lo, end;
    if (x->attr[s->attr].numeric) {
        heft_side_range(a, s, &lo, &end);
        return a->below[end] - a->below[lo];
    }
    for (size_t k = 0; k < s->n_list; k++) listed += x->attr[s->attr].share[s->list[k]];
    return s->others ? a->total - listed : listed;
}
