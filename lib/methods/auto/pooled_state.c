/* pooled_state.c - pooled evidence in the model file: its tensors, and what makes them sound. */
#include <float.h>
#include <string.h>

#include "boost/tree_paths.h"
#include "methods/auto/pooled.h"
#include "model/model.h"

static const heft_pooled *pooled_at(const heft_at *at)
{
    return at->root;
}

static const heft_pooled_attr *attr_at(const heft_at *at)
{
    return &pooled_at(at)->attr[at->r];
}

static const heft_pair_table *pair_at(const heft_at *at)
{
    return &pooled_at(at)->pair[at->r];
}

static double pair_step(const heft_at *at)
{
    return pair_at(at)->step;
}

static double leaf_step(const heft_at *at)
{
    return pooled_at(at)->leaf_step;
}

static heft_status begin_loading(const heft_loading *l, void *root)
{
    heft_pooled *p = root;
    p->n_attr = l->model->prep.n_attr;
    p->n_declared = l->model->fitted.n_class;
    HEFT_ALLOC(l->ctx, l->arena, p->attr, p->n_attr);
    for (size_t j = 0; j < p->n_attr; j++) {
        const heft_attr_prep *from = &l->model->prep.attr[j];
        p->attr[j].lines.numeric = from->kind == HEFT_NUMERIC && !from->cut;
    }
    return HEFT_OK;
}

static heft_status set_lines(const heft_loading *l, void *root)
{
    heft_pooled *p = root;
    for (size_t j = 0; j < p->n_attr; j++) {
        heft_lines    *lines = &p->attr[j].lines;
        const uint32_t values = heft_attr_codes(&l->model->prep.attr[j]);
        lines->n_lines = (uint32_t)(lines->numeric ? lines->n_cuts + 2 : values + 1 + lines->apart);
    }
    return HEFT_OK;
}

HEFT_MUST(n_cuts_fault, attr_at(at)->lines.numeric || !attr_at(at)->lines.n_cuts,
          "a nominal attribute has cuts")
HEFT_MUST(sloped_fault, attr_at(at)->lines.numeric || !attr_at(at)->sloped,
          "a nominal attribute has a slope")
HEFT_MUST(pair_fault, pair_at(at)->i < pair_at(at)->j, "the attributes are not in order")

/* Cells of a pair: one per pair of codes. */
static uint64_t all_cells(const heft_at *at)
{
    const heft_pair_table  *pair = pair_at(at);
    const heft_pooled_attr *attr = pooled_at(at)->attr;
    return (uint64_t)attr[pair->i].n_codes[pair->view_i] * attr[pair->j].n_codes[pair->view_j];
}

HEFT_MUST(n_cells_fault, pair_at(at)->n_cells <= all_cells(at), "it has more lines than cells")

HEFT_DIM(present, "P", pooled_at(at)->n_class);
HEFT_DIM(cuts, "own.n_cuts", attr_at(at)->lines.n_cuts);
HEFT_DIM(lines, "lines", attr_at(at)->lines.n_lines);
HEFT_DIM(sloped, "own.sloped is 1", attr_at(at)->sloped);
HEFT_DIM(views, "own.n_views", attr_at(at)->n_views);
HEFT_DIM(view_0, "own.n_views > 0", attr_at(at)->n_views > 0);
HEFT_DIM(view_1, "own.n_views > 1", attr_at(at)->n_views > 1);
HEFT_DIM(view_2, "own.n_views > 2", attr_at(at)->n_views > 2);
HEFT_DIM(view_3, "own.n_views > 3", attr_at(at)->n_views > 3);
HEFT_DIM(codes_0, "its codes", attr_at(at)->n_codes[0]);
HEFT_DIM(codes_1, "its codes", attr_at(at)->n_codes[1]);
HEFT_DIM(codes_2, "its codes", attr_at(at)->n_codes[2]);
HEFT_DIM(codes_3, "its codes", attr_at(at)->n_codes[3]);
HEFT_DIM(views_i, "views of the first", pooled_at(at)->attr[pair_at(at)->i].n_views);
HEFT_DIM(views_j, "views of the second", pooled_at(at)->attr[pair_at(at)->j].n_views);
HEFT_DIM(all, "cells", all_cells(at));
HEFT_DIM(n_cells, "own.pair.n_cells", pair_at(at)->n_cells);
HEFT_DIM(searched, "own.pair.n_cells is below all cells", pair_at(at)->n_cells < all_cells(at));

static const heft_tree_split *split_at(const heft_at *at)
{
    return &pooled_at(at)->trees.split[at->r];
}

/* Codes that trees see of the attribute of a split. */
static size_t split_codes(const heft_at *at)
{
    const heft_lines *of = &pooled_at(at)->attr[split_at(at)->attr].lines;
    return of->n_lines + (size_t)of->numeric;
}

static const char *listed_fault(const heft_at *at)
{
    const heft_pooled     *p = pooled_at(at);
    const heft_tree_split *s = split_at(at);
    const bool             numeric = p->attr[s->attr].lines.numeric;
    if (numeric != (s->n_listed == 0))
        return numeric ? "a numeric attribute has a list" : "a nominal attribute has no list";
    return NULL;
}

static const char *at_fault(const heft_at *at)
{
    const heft_tree_split *s = split_at(at);
    return s->n_listed || s->at < split_codes(at) ? NULL : "it is not below the codes";
}

/* Lists follow each other in the order of the splits. */
static const char *forest_fault(const heft_at *at)
{
    const heft_pooled *p = pooled_at(at);
    const heft_trees  *t = &p->trees;
    size_t             listed = 0;
    if (!heft_trees_valid(t)) return "the splits do not form trees";
    for (const heft_tree_split *s = t->split; s < t->split + t->n_splits; s++) {
        if (s->n_listed == 0) continue;
        if (s->at != listed || s->n_listed > t->n_listed - listed)
            return "the lists of codes do not follow each other";
        for (size_t k = 0; k < s->n_listed; k++, listed++)
            if (t->listed[listed] >= p->attr[s->attr].lines.n_lines ||
                (k && t->listed[listed] <= t->listed[listed - 1]))
                return "a list of codes is not increasing, or not below the lines";
    }
    return listed == t->n_listed ? NULL : "there are more codes than the lists have";
}

HEFT_DIM(has_trees, "own.tree.leaves is there", pooled_at(at)->trees.n_trees > 0);
HEFT_DIM(has_error, "own.has_error is 1", pooled_at(at)->has_errors);
HEFT_DIM(split_attr, "attributes", pooled_at(at)->n_attr);
HEFT_DIM(tree_columns, "1 for P = 2, else P",
         pooled_at(at)->n_class == 2 ? 1 : pooled_at(at)->n_class);
HEFT_DIM(tree_leaves, "leaves", pooled_at(at)->trees.n_leaves);
HEFT_DIM(line_codes, "lines + 1", attr_at(at)->lines.n_lines + 1u);

/* Numbers of leaves and columns follow from what is loaded. */
static heft_status count_leaves(const heft_loading *l, void *root)
{
    heft_trees *t = &((heft_pooled *)root)->trees;
    (void)l;
    t->n_columns = ((heft_pooled *)root)->n_class == 2 ? 1 : ((heft_pooled *)root)->n_class;
    t->n_leaves = 0;
    for (size_t k = 0; k < t->n_trees; k++) t->n_leaves += t->tree[k].n_leaves;
    return HEFT_OK;
}

HEFT_DIM(is_wide, "a path tests more than three attributes",
         heft_trees_width(&pooled_at(at)->trees) > HEFT_JOINT_ATTRS);

/* Interactions follow from pairs and trees, which are loaded, unless a path tests more attributes
 * than an interaction has. */
static heft_status find_interactions(const heft_loading *l, void *root)
{
    const heft_at at = {l->model, root, 0};
    return is_wide.of(&at) ? HEFT_OK : heft_pooled_interactions(l->ctx, root, l->arena);
}

static size_t joint_size(const uint32_t *attr)
{
    return attr[HEFT_JOINT_ATTRS - 1] == UINT32_MAX ? 2 : HEFT_JOINT_ATTRS;
}

/* Whether two sets of attributes are in order: pairs, then triples, by their attributes. */
static bool in_order(const uint32_t *a, const uint32_t *b)
{
    size_t k = 0;
    if (joint_size(a) != joint_size(b)) return joint_size(a) < joint_size(b);
    while (k < HEFT_JOINT_ATTRS && a[k] == b[k]) k++;
    return k < HEFT_JOINT_ATTRS && a[k] < b[k];
}

/* Every pair that has a table is listed. */
static const char *joint_fault(const heft_at *at)
{
    const heft_pooled *p = pooled_at(at);
    size_t             found = 0;
    if (p->n_listed % HEFT_JOINT_ATTRS) return "it has not three numbers of each interaction";
    for (const uint32_t *a = p->listed; a < p->listed + p->n_listed; a += HEFT_JOINT_ATTRS) {
        const size_t n = joint_size(a);
        for (size_t k = 0; k < n; k++)
            if (a[k] >= p->n_attr || (k && a[k] <= a[k - 1])) return "attributes do not increase";
        if (a > p->listed && !in_order(a - HEFT_JOINT_ATTRS, a))
            return "interactions are not in order";
    }
    for (const heft_pair_table *pair = p->pair; pair < p->pair + p->n_pairs; pair++) {
        const uint32_t wanted[] = {pair->i, pair->j, UINT32_MAX};
        size_t         lo = 0, hi = p->n_listed / HEFT_JOINT_ATTRS;
        while (lo < hi) {
            const size_t mid = lo + (hi - lo) / 2;
            if (in_order(p->listed + mid * HEFT_JOINT_ATTRS, wanted)) lo = mid + 1;
            else hi = mid;
        }
        found += lo < p->n_listed / HEFT_JOINT_ATTRS &&
                 !in_order(wanted, p->listed + lo * HEFT_JOINT_ATTRS);
    }
    return found == p->n_pairs ? NULL : "a pair that has a table is not listed";
}

static heft_status take_interactions(const heft_loading *l, void *root)
{
    heft_pooled *p = root;
    p->n_interactions = p->n_listed / HEFT_JOINT_ATTRS;
    HEFT_ALLOC(l->ctx, l->arena, p->interaction, p->n_interactions);
    for (size_t k = 0; k < p->n_interactions; k++) {
        const uint32_t *from = p->listed + k * HEFT_JOINT_ATTRS;
        p->interaction[k].n = joint_size(from);
        memcpy(p->interaction[k].attr, from, p->interaction[k].n * sizeof *from);
    }
    return HEFT_OK;
}

/* Index the trees. Splits that do not form trees are refused later, by the check of own.leaf. */
static heft_status index_trees(const heft_loading *l, void *root)
{
    (void)l;
    (void)heft_trees_index(&((heft_pooled *)root)->trees);
    return HEFT_OK;
}

static const heft_each trees = {.what = "tree", HEFT_EACH(heft_pooled, trees.tree, trees.n_trees)};
static const heft_each splits = {.what = "split",
                                 HEFT_EACH(heft_pooled, trees.split, trees.n_splits)};

static const heft_each attrs = {.what = "attribute", HEFT_EACH(heft_pooled, attr, n_attr)};
static const heft_each pairs = {.what = "pair", HEFT_EACH(heft_pooled, pair, n_pairs)};
static const heft_each interactions = {.what = "interaction",
                                       HEFT_EACH(heft_pooled, interaction, n_interactions)};

#define ATTR(member)  HEFT_VALUE(heft_pooled_attr, member), .each = &attrs
#define ATTRS(member) HEFT_ARRAY(heft_pooled_attr, member), .each = &attrs
#define TREE(member)  HEFT_VALUE(heft_tree, member), .each = &trees
#define SPLIT(member) HEFT_VALUE(heft_tree_split, member), .each = &splits
#define PAIR(member)  HEFT_VALUE(heft_pair_table, member), .each = &pairs
#define PAIRS(member) HEFT_ARRAY(heft_pair_table, member), .each = &pairs
#define VIEW(k)                                                                                    \
    {                                                                                              \
        "own.view." #k, HEFT_U32, ATTRS(view[k]), .where = &view_##k, .dims = {&lines},            \
                                                  .below = &codes_##k,                             \
                                                  .help = "codes of the lines in view " #k         \
    }

static const heft_tensor fields[] = {
    {"own.class", HEFT_U32, HEFT_ARRAY(heft_pooled, present), HEFT_COUNTS(heft_pooled, n_class),
     .length.least = 1, .below = &heft_dim_classes, .order = HEFT_RISING,
     .help = "the P classes that have rows"},
    {"own.bias", HEFT_F64, HEFT_ARRAY(heft_pooled, bias), .dims = {&present}, .lo = -1e15,
     .hi = 1e15, .help = "score of each before any attribute"},
    {"own.n_cuts", HEFT_U32, ATTR(lines.n_cuts), .hi = UINT32_MAX - 4.0, .check = n_cuts_fault,
     .help = "number of cuts"},
    {"own.cuts", HEFT_F64, ATTRS(lines.cuts), .dims = {&cuts}, .order = HEFT_RISING,
     .help = "the cuts of all resolutions"},
    {"own.apart", HEFT_U8, ATTR(lines.apart), .hi = 1, .then = set_lines,
     .help = "1: unseen values have a line of their own"},
    {"own.table", HEFT_F64, ATTRS(table), .dims = {&lines, &present}, .lo = -1e15, .hi = 1e15,
     .help = "evidence of each line: intervals or values, unseen, missing"},
    {"own.sloped", HEFT_U8, ATTR(sloped), .hi = 1, .check = sloped_fault,
     .help = "1: a slope is added"},
    {"own.slope", HEFT_F64, ATTRS(slope), .where = &sloped, .dims = {&present}, .lo = -1e15,
     .hi = 1e15, .help = "evidence per unit of the scaled number"},
    {"own.mean", HEFT_F64, ATTR(lines.mean), .where = &sloped, .help = "centre of the scale"},
    {"own.sd", HEFT_F64, ATTR(lines.sd), .where = &sloped, .lo = DBL_TRUE_MIN, .hi = DBL_MAX,
     .help = "unit of the scale"},
    {"own.n_views", HEFT_U8, ATTR(n_views), .hi = HEFT_N_RES, .help = "number of views"},
    {"own.n_codes", HEFT_U32, ATTR(n_codes[0]), .dims = {&views}, .help = "codes of each view"},
    VIEW(0),
    VIEW(1),
    VIEW(2),
    VIEW(3),
    {"own.pair.i", HEFT_U32, PAIR(i), HEFT_COUNTS(heft_pooled, n_pairs), .below = &heft_dim_attrs,
     .help = "first attribute of each pair"},
    {"own.pair.j", HEFT_U32, PAIR(j), .below = &heft_dim_attrs, .check = pair_fault,
     .help = "second attribute of each pair"},
    {"own.pair.view_i", HEFT_U8, PAIR(view_i), .below = &views_i, .help = "view of the first"},
    {"own.pair.view_j", HEFT_U8, PAIR(view_j), .below = &views_j, .help = "view of the second"},
    {"own.pair.n_cells", HEFT_U64, PAIR(n_cells), .lo = 1, .hi = 1e15, .check = n_cells_fault,
     .help = "lines of its table"},
    {"own.pair.key", HEFT_U64, PAIRS(key), .where = &searched, .dims = {&n_cells}, .below = &all,
     .order = HEFT_RISING, .help = "the cells that have a line"},
    {"own.pair.step", HEFT_F64, PAIR(step), .optional = true, .hi = 1e15,
     .help = "the numbers of own.pair.table are whole multiples"},
    {"own.pair.table", HEFT_F64, PAIRS(table), .dims = {&n_cells, &present}, .lo = -1e15,
     .hi = 1e15, .memory.packed = {HEFT_U16, pair_step}, .help = "evidence of each cell"},
    {"own.tree.leaves", HEFT_U8, TREE(n_leaves), HEFT_COUNTS(heft_pooled, trees.n_trees), .lo = 1,
     .hi = HEFT_MOST_LEAVES, .then = count_leaves, .help = "leaves of each tree"},
    {"own.split.attr", HEFT_U32, SPLIT(attr), HEFT_COUNTS(heft_pooled, trees.n_splits),
     .below = &split_attr, .help = "attribute of each split, tree by tree, in pre-order"},
    {"own.split.left", HEFT_U8, SPLIT(left), .lo = 1, .hi = HEFT_MOST_LEAVES - 1,
     .help = "leaves to the left of it"},
    {"own.split.n_listed", HEFT_U8, SPLIT(n_listed), .hi = HEFT_MOST_LISTED, .check = listed_fault,
     .help = "nominal: how many codes go left"},
    {"own.listed", HEFT_U32, HEFT_ARRAY(heft_pooled, trees.listed),
     HEFT_COUNTS(heft_pooled, trees.n_listed), .help = "the codes that go left, split by split"},
    {"own.split.at", HEFT_U32, SPLIT(at), .hi = UINT32_MAX, .check = at_fault, .then = index_trees,
     .help =
         "numeric: codes up to it go left (line + 1; missing cells: own.tree.missing); nominal: "
         "where its codes begin in own.listed"},
    {"own.leaf.step", HEFT_F64, HEFT_VALUE(heft_pooled, leaf_step), .optional = true, .hi = 1e15,
     .help = "the numbers of own.leaf are whole multiples"},
    {"own.leaf", HEFT_F64, HEFT_ARRAY(heft_pooled, trees.value),
     .dims = {&tree_leaves, &tree_columns}, .lo = -1e15, .hi = 1e15,
     .memory.packed = {HEFT_U32, leaf_step}, .check = forest_fault,
     .help = "evidence of each leaf, tree by tree; P = 2: for the second class, its negative for "
             "the first"},
    {"own.tree.missing", HEFT_U32, ATTR(tree_missing), .where = &has_trees, .below = &line_codes,
     .help = "numeric: the code of missing cells in trees"},
    {"own.share", HEFT_F64, ATTRS(share), .where = &has_trees, .dims = {&lines}, .hi = 1 + 1e-9,
     .then = find_interactions, .help = "share of the training rows with each line"},
    {"own.has_error", HEFT_U8, HEFT_VALUE(heft_pooled, has_errors), .optional = true, .hi = 1,
     .help = "1: standard errors are known"},
    {"own.error", HEFT_U8, ATTRS(error), .where = &has_error, .dims = {&lines}, .hi = UINT8_MAX,
     .help = "standard error of the evidence of each line: 0, or 2^((e - 200) / 8)"},
    {"own.joint.attrs", HEFT_U32, HEFT_ARRAY(heft_pooled, listed),
     HEFT_COUNTS(heft_pooled, n_listed), .hi = UINT32_MAX, .optional = true,
     .absent.needed = &is_wide, .check = joint_fault, .then = take_interactions,
     .help = "where a path tests more than three attributes: the interactions that are listed, "
             "three attributes of each; 4294967295: it has two"},
    {"own.joint.rest", HEFT_F64, HEFT_VALUE(heft_pooled, remainder), .hi = 1e15, .optional = true,
     .help = "mean size of the evidence of four and more attributes together"},
    {"own.joint.size", HEFT_F64, HEFT_VALUE(heft_interaction, size), .each = &interactions,
     .lo = -1e15, .hi = 1e15,
     .help = "mean size of the evidence of each interaction: pairs, then triples, by their "
             "attributes"},
    {.name = NULL}};

const heft_state heft_pooled_state = {
    .size = sizeof(heft_pooled), .begin = begin_loading, .fields = fields};
