/* lower.c - the terms of a score (model/term.h) as a graph (graph.h).
 *
 * Every cell of a row gets a number or a code first. The code of a cell is its spot (model/term.h):
 * the value or the interval, then one code for missing cells, then one for values never seen. Here
 * intervals are in their order, also in models of sparse rows. So tables have a line per code, and
 * missing cells need no case of their own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/lower.h"
#include "export/score_parts.h"
#include "prep/numbers.h"

/* ---- cells ---- */

/* The line of a table that belongs to a code. */
static size_t line_of(const heft_lowering *w, const heft_terms *t, size_t j, size_t code)
{
    const heft_term *term = &t->attr[j];
    if (code < term->n_codes && w->prep->attr[j].kind == HEFT_NUMERIC)
        code = heft_swap_zero((uint32_t)code, heft_zero_interval(w->prep, j));
    return heft_term_line(term, code);
}

/* How many codes a cell can have. */
static size_t codes_of(const heft_lowering *w, size_t j)
{
    const bool apart = w->prep->attr[j].kind == HEFT_NOMINAL && w->prep->spec.unseen_zero;
    return w->base->attr[j].n_codes + 1 + apart;
}

static heft_status add_numbers(heft_lowering *w)
{
    const size_t n_attr = w->base->n_attr;
    size_t      *list, n = 0;
    double      *fill;
    SCRATCH(list, n_attr);
    SCRATCH(fill, n_attr);
    for (size_t j = 0; j < n_attr; j++) {
        const heft_attr_prep *a = &w->prep->attr[j];
        if (a->kind != HEFT_NUMERIC) continue;
        fill[n] = a->has_fill ? a->fill : (double)NAN;
        w->number_of[j] = n;
        list[n++] = j;
    }
    if (n == 0) return HEFT_OK;
    w->numbers =
        heft_node_add(w, (heft_graph_node){HEFT_OP_NUMBERS, n, 1, .numbers = fill, .list = list});
    if (w->prep->spec.scaling == HEFT_SCALE_UNIT)
        w->numbers =
            heft_node_add(w, (heft_graph_node){HEFT_OP_UNIT, n, 1, .n_in = 1, .in = {w->numbers}});
    return HEFT_OK;
}

/* Codes of all attributes that have tables or are part of pairs. Cuts are in the units of the
 * data, so that numbers need not be scaled before they are compared. */
static heft_status add_codes(heft_lowering *w)
{
    const size_t   n_attr = w->base->n_attr;
    size_t        *nominal, n_nominal = 0, n_cut = 0, *parts, n = 0;
    heft_cut_rule *rule;
    SCRATCH(nominal, n_attr);
    SCRATCH(rule, n_attr);
    SCRATCH(parts, 3);
    for (size_t j = 0; j < n_attr; j++) {
        const heft_attr_prep *a = &w->prep->attr[j];
        const heft_term      *term = &w->base->attr[j];
        double               *cuts;
        if (a->kind == HEFT_NOMINAL) w->code_of[j] = n_nominal, nominal[n_nominal++] = j;
        if (a->kind == HEFT_NOMINAL || !heft_term_coded(term)) continue;
        SCRATCH(cuts, term->n_cuts);
        for (size_t k = 0; k < term->n_cuts; k++) cuts[k] = heft_raw_cut(a, term->cuts[k]);
        w->code_of[j] = n_cut;
        rule[n_cut++] = (heft_cut_rule){w->number_of[j], term->n_cuts, cuts};
    }
    for (size_t j = 0; j < n_attr; j++)
        if (w->prep->attr[j].kind == HEFT_NUMERIC) w->code_of[j] += n_nominal;
    w->n_codes = n_nominal + n_cut;
    if (n_nominal)
        parts[n++] = heft_node_add(
            w, (heft_graph_node){HEFT_OP_CODES, n_nominal, 1, .codes = true, .list = nominal});
    if (n_cut) parts[n++] = heft_node_with_rule(w, HEFT_OP_CUT, w->numbers, n_cut, rule);
    if (n) w->codes = heft_node_join(w, parts, n);
    return HEFT_OK;
}

/* Finds the code that a view gives for each code of an attribute. A view is lowered once. */
static heft_status view_map(heft_lowering *w, size_t j, size_t view, const uint32_t **out)
{
    const heft_term *term = &w->base->attr[j];
    uint32_t        *map;
    if (!w->maps[j]) SCRATCH(w->maps[j], term->n_views);
    if (!w->maps[j][view]) {
        SCRATCH(map, codes_of(w, j));
        for (size_t v = 0; v < codes_of(w, j); v++)
            map[v] = term->view[view][line_of(w, w->base, j, v)];
        w->maps[j][view] = map;
    }
    *out = w->maps[j][view];
    return HEFT_OK;
}

/* Cells of attribute pairs, which joint terms over the same grid share. */
static heft_status add_cells(heft_lowering *w)
{
    const heft_joint_term **grid;
    heft_cell_rule         *rule;
    size_t                  n_grids, n = 0, *parts;
    HEFT_CHECK(heft_terms_grids(w->ctx, w->base, &grid, &n_grids));
    if (!n_grids) return HEFT_OK;
    SCRATCH(rule, n_grids);
    SCRATCH(parts, 2);
    for (size_t k = 0; k < w->base->joint.n_grids; k++) {
        const heft_joint_term *joint = grid[k];
        heft_cell_rule        *to = &rule[n];
        if (!joint) continue;
        w->grid_of[k] = w->n_codes + n++;
        *to = (heft_cell_rule){.times = heft_joint_codes(w->base, joint, 1),
                               .n_cells = joint->n_cells,
                               .key = joint->key};
        for (size_t m = 0; m < 2; m++) {
            to->from[m] = w->code_of[joint->attr[m]];
            to->n_codes[m] = codes_of(w, joint->attr[m]);
            HEFT_CHECK(view_map(w, joint->attr[m], joint->view[m], &to->map[m]));
        }
    }
    parts[0] = w->codes;
    parts[1] = heft_node_with_rule(w, HEFT_OP_CELL, w->codes, n, rule);
    w->codes = heft_node_join(w, parts, 2);
    return HEFT_OK;
}

/* ---- tables ---- */

static heft_status attr_table(heft_lowering *w, size_t j, heft_lookup_rule *out)
{
    const heft_term *term = &w->t->attr[j];
    const size_t     n = codes_of(w, j);
    double          *table, *zero;
    SCRATCH(table, n * w->C);
    SCRATCH(zero, w->C);
    heft_lower_zero_line(w, j, zero);
    for (size_t v = 0; v < n; v++) {
        heft_lower_take_line(w, term->table + line_of(w, w->t, j, v) * w->t->n_columns,
                             table + v * w->C);
        for (size_t k = 0; k < w->C; k++) table[v * w->C + k] -= zero[k];
    }
    *out = (heft_lookup_rule){w->code_of[j], n, table};
    return HEFT_OK;
}

/* A joint term. Cells without a line get one of zeros behind the last. */
static heft_status joint_table(heft_lowering *w, const heft_joint_term *joint,
                               heft_lookup_rule *out)
{
    const size_t n = joint->n_cells + (joint->key != NULL);
    double      *table;
    SCRATCH(table, n * w->C);
    for (size_t v = 0; v < joint->n_cells; v++)
        heft_lower_take_line(w, joint->table + v * w->t->n_columns, table + v * w->C);
    *out = (heft_lookup_rule){w->grid_of[joint->grid], n, table};
    return HEFT_OK;
}

static size_t lookup(heft_lowering *w, size_t from, const heft_lookup_rule *rule, size_t n,
                     size_t C)
{
    return heft_node_add(
        w, (heft_graph_node){HEFT_OP_LOOKUP, n, C, .n_in = 1, .in = {from}, .rule = rule});
}

/* ---- slopes ---- */

/* (x - mean) / sd within [-4, 4], 0 where it is missing, times a slope for each column. */
static heft_status add_slopes(heft_lowering *w, heft_term_lines *to)
{
    const size_t n_attr = w->t->n_attr;
    size_t       n = 0, *attr, x = 0;
    double      *mean, *sd, *slope;
    SCRATCH(attr, n_attr);
    SCRATCH(mean, n_attr);
    SCRATCH(sd, n_attr);
    SCRATCH(slope, n_attr * w->C);
    for (size_t j = 0; j < n_attr; j++) {
        const heft_term *term = &w->t->attr[j];
        if (!heft_has_slope(term)) continue;
        heft_lower_take_line(w, term->slope, slope + n * w->C);
        mean[n] = term->mean;
        sd[n] = term->sd;
        attr[n++] = j;
    }
    if (n == 0) return HEFT_OK;
    HEFT_CHECK(heft_lower_scaled(w, attr, n, &x));
    const size_t off = EACH(w, SUB, x, heft_node_constant(w, mean, n, 1));
    const size_t z = EACH(w, DIV, off, heft_node_constant(w, sd, n, 1));
    const size_t least = EACH(w, MAX, z, heft_node_number(w, -4));
    const size_t near = EACH(w, MIN, least, heft_node_number(w, 4));
    const size_t known = EACH(w, IF_MISSING, x, heft_node_number(w, 0), near);
    heft_lower_add_lines(to, w, EACH(w, MUL, known, heft_node_constant(w, slope, n, w->C)), attr);
    return HEFT_OK;
}

/* ---- trees ---- */

/* The codes that a split sends left. */
static heft_status lower_split(heft_lowering *w, const heft_tree_split *s, heft_graph_split *to)
{
    const heft_term *term = &w->t->attr[s->attr];
    *to = (heft_graph_split){.from = (uint32_t)w->code_of[s->attr],
                             .below = s->n_listed ? 0 : s->at,
                             .at = s->n_listed ? 0 : s->at,
                             .also = UINT32_MAX,
                             .left = s->left};
    if (!s->n_listed) {
        if (s->at > term->n_codes) to->below = (uint32_t)term->n_codes;
        if (w->t->tree_missing[s->attr] <= s->at) to->also = (uint32_t)term->n_codes;
        return HEFT_OK;
    }
    uint32_t *listed;
    SCRATCH(listed, codes_of(w, s->attr) + 1);
    for (size_t v = 0; v < codes_of(w, s->attr); v++)
        for (size_t k = 0; k < s->n_listed; k++)
            if (w->t->trees->listed[s->at + k] == line_of(w, w->t, s->attr, v))
                listed[to->n_listed++] = (uint32_t)v;
    to->listed = listed;
    to->below = 0;
    return HEFT_OK;
}

static heft_status leaf_rule(heft_lowering *w, const heft_trees *trees, heft_leaf_rule *out)
{
    heft_graph_split *split;
    uint8_t          *n_leaves;
    uint32_t         *missing;
    int64_t          *missing_as;
    SCRATCH(split, trees->n_splits);
    SCRATCH(n_leaves, trees->n_trees);
    SCRATCH(missing, w->n_codes);
    SCRATCH(missing_as, w->n_codes);
    for (size_t k = 0; k < trees->n_splits; k++)
        HEFT_CHECK(lower_split(w, &trees->split[k], &split[k]));
    for (size_t k = 0; k < trees->n_trees; k++) n_leaves[k] = trees->tree[k].n_leaves;
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_term *term = &w->t->attr[j];
        if (!heft_term_coded(term)) continue;
        missing[w->code_of[j]] = (uint32_t)term->n_codes;
        missing_as[w->code_of[j]] =
            term->numeric ? (int64_t)w->t->tree_missing[j] - 1 : (int64_t)term->n_codes;
    }
    *out = (heft_leaf_rule){trees->n_splits, split, n_leaves, missing, missing_as};
    return HEFT_OK;
}

/* Whether trees have one number for two classes, and are added up by themselves. */
static bool trees_apart(const heft_lowering *w)
{
    return w->t->trees && w->t->trees->n_columns == 1 && !(w->how & HEFT_LOWER_TREE_LINES);
}

/* The fraction of the training rows that have each code. Two codes may have one line, that of
 * missing cells. */
static heft_status find_shares(heft_lowering *w)
{
    const heft_terms *t = w->base;
    size_t           *size, *first, n = 0;
    double           *share;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, w->n_codes + 1, size, first);
    for (size_t j = 0; j < t->n_attr; j++)
        if (heft_term_coded(&t->attr[j])) size[w->code_of[j]] = codes_of(w, j);
    for (size_t r = 0; r < w->n_codes; r++) first[r] = n, n += size[r];
    SCRATCH(share, n);
    for (size_t j = 0; j < t->n_attr; j++)
        for (size_t v = 0; v < codes_of(w, j) && v <= t->attr[j].n_codes; v++)
            if (heft_term_coded(&t->attr[j]))
                share[first[w->code_of[j]] + v] = t->share[j][line_of(w, t, j, v)];
    w->g->n_share = w->n_codes;
    w->g->share_size = size;
    w->g->share = share;
    return HEFT_OK;
}

/* Evidence of the leaves that a row reaches: [trees, C]; [trees, 1] where there are two classes,
 * and the number is subtracted from the first and added to the second. */
static heft_status add_leaves(heft_lowering *w, const heft_trees *trees, size_t *out)
{
    const size_t      C = trees_apart(w) ? 1 : w->C;
    heft_leaf_rule   *rule;
    heft_lookup_rule *lookups;
    SCRATCH(rule, 1);
    SCRATCH(lookups, trees->n_trees);
    HEFT_CHECK(leaf_rule(w, trees, rule));
    for (size_t k = 0; k < trees->n_trees; k++) {
        const heft_tree *tree = &trees->tree[k];
        double          *table;
        SCRATCH(table, tree->n_leaves * C);
        for (size_t v = 0; v < tree->n_leaves; v++) {
            const double *value = trees->value + (tree->leaf + v) * trees->n_columns;
            const double  two[] = {-*value, *value};
            if (trees_apart(w)) table[v] = *value;
            else if (trees->n_columns == 1) heft_lower_take_line(w, two, table + v * C);
            else heft_lower_take_line(w, value, table + v * C);
        }
        lookups[k] = (heft_lookup_rule){k, tree->n_leaves, table};
    }
    if (w->how & HEFT_LOWER_TREE_LINES) HEFT_CHECK(find_shares(w));
    const size_t leaf = heft_node_with_rule(w, HEFT_OP_LEAF, w->codes, trees->n_trees, rule);
    *out = lookup(w, leaf, lookups, trees->n_trees, C);
    return HEFT_OK;
}

/* The sign of each column in the evidence of two classes. */
static heft_status tree_signs(heft_lowering *w, size_t *out)
{
    double *sign;
    SCRATCH(sign, w->C);
    for (size_t k = 0; k < w->C; k++) {
        const size_t column = heft_lower_column_of(w->t, w->kept[k]);
        sign[k] = w->differences ? 2 : column == 0 ? -1 : column == 1 ? 1 : 0;
    }
    *out = heft_node_constant(w, sign, 1, w->C);
    return HEFT_OK;
}

/* ---- sums ---- */

/* Sorts the lines by their terms; heft_term_lines of one term stay in the order in which they were
 * added. */
static heft_status order_lines(heft_lowering *w, heft_term_lines *of, size_t *out)
{
    size_t *order, *term;
    bool    sorted = true;
    SCRATCH(order, of->n);
    SCRATCH(term, of->n);
    const size_t node = heft_node_join(w, of->node, of->n_nodes);
    for (size_t j = 0; j + 1 < of->n; j++) sorted &= of->term[j] <= of->term[j + 1];
    *out = node;
    if (sorted) return HEFT_OK;
    size_t *first, most = w->t->n_attr + w->t->joint.n + 2;
    SCRATCH(first, most + 1);
    for (size_t k = 0; k < of->n; k++) first[of->term[k] + 1]++;
    for (size_t k = 0; k < most; k++) first[k + 1] += first[k];
    for (size_t k = 0; k < of->n; k++) {
        const size_t at = first[of->term[k]]++;
        order[at] = k;
        term[at] = of->term[k];
    }
    of->term = term;
    *out = heft_node_pick(w, node, order, of->n);
    return HEFT_OK;
}

/* Finds the contributions of the attributes, the pairs and the trees of several classes, in this
 * order; n is 0 if there are none. */
static heft_status find_lines(heft_lowering *w, heft_term_lines *of, size_t *out)
{
    const heft_terms *t = w->t;
    const heft_trees *trees = t->trees;
    const size_t      n_trees = trees ? trees->n_trees : 0;
    heft_lookup_rule *rule;
    size_t           *term, n = 0, leaves = 0;
    SCRATCH(of->node, 8 + t->n_attr); /* a group of kernels has an attribute or more */
    SCRATCH(of->term, 2 * t->n_attr + t->joint.n + n_trees);
    SCRATCH(rule, t->n_attr + t->joint.n);
    SCRATCH(term, t->n_attr + t->joint.n + n_trees);
    for (size_t j = 0; j < t->n_attr; j++) {
        if (!t->attr[j].table) continue;
        term[n] = j;
        HEFT_CHECK(attr_table(w, j, &rule[n++]));
        if (j % 1024 == 0) HEFT_CHECK(heft_check_cancel(w->ctx));
    }
    for (size_t k = 0; k < t->joint.n; k++) {
        term[n] = t->n_attr + k;
        HEFT_CHECK(joint_table(w, &t->joint.list[k], &rule[n++]));
    }
    if (n) heft_lower_add_lines(of, w, lookup(w, w->codes, rule, n, w->C), term);
    HEFT_CHECK(add_slopes(w, of));
    HEFT_CHECK(heft_lower_densities(w, of));
    if (trees && !trees_apart(w)) {
        for (size_t k = 0; k < n_trees; k++) term[k] = t->n_attr + t->joint.n;
        HEFT_CHECK(add_leaves(w, trees, &leaves));
        heft_lower_add_lines(of, w, leaves, term);
    }
    return of->n ? order_lines(w, of, out) : HEFT_OK;
}

/* start[C]: where a sum begins. Of a row of zeros, what all zeros add. */
static heft_status find_start(heft_lowering *w, const double **out)
{
    double *start, *zero;
    SCRATCH(start, w->C);
    SCRATCH(zero, w->C);
    for (size_t k = 0; k < w->C; k++) {
        start[k] = w->differences ? w->t->start[w->kept[1]] - w->t->start[w->kept[0]]
                                  : w->t->start[w->kept[k]];
        if (!isfinite(start[k])) start[k] = 0; /* all classes are left out */
    }
    if (w->zeros)
        for (size_t j = 0; j < w->t->n_attr; j++) {
            heft_lower_zero_line(w, j, zero);
            for (size_t k = 0; k < w->C; k++) start[k] += zero[k];
        }
    *out = start;
    return HEFT_OK;
}

/* Evidence by term: the lines, and the trees of two classes as one line more. */
static heft_status note_evidence(heft_lowering *w, const heft_term_lines *of, size_t line,
                                 size_t trees)
{
    size_t *parts, *term, n = 0;
    SCRATCH(parts, 2);
    SCRATCH(term, of->n + 1);
    memcpy(term, of->term, of->n * sizeof *term);
    if (of->n) parts[n++] = line;
    if (trees) parts[n++] = trees, term[of->n] = w->t->n_attr + w->t->joint.n;
    if (n == 0) return HEFT_OK;
    w->g->line_term = term;
    w->g->lines = heft_node_join(w, parts, n);
    return HEFT_OK;
}

/* One sum: [1, C]. */
static heft_status lower_sum(heft_lowering *w, size_t *out)
{
    const heft_trees *trees = w->t->trees;
    const double     *start = NULL;
    heft_term_lines   of = {0};
    size_t            line = 0, leaves = 0, sign = 0, margin = 0;
    HEFT_CHECK(find_start(w, &start));
    HEFT_CHECK(find_lines(w, &of, &line));
    *out = of.n ? heft_node_sum(w, line, start) : heft_node_constant(w, start, 1, w->C);
    if (trees_apart(w)) {
        HEFT_CHECK(add_leaves(w, trees, &leaves));
        HEFT_CHECK(tree_signs(w, &sign));
        margin = EACH(w, MUL, heft_node_sum(w, leaves, NULL), sign);
        *out = EACH(w, ADD, *out, margin);
    }
    if (w->how & HEFT_LOWER_EVIDENCE) HEFT_CHECK(note_evidence(w, &of, line, margin));
    return HEFT_OK;
}

/* ---- class pairs ---- */

/* 1 / (1 + exp(-t)), and 1 less that. */
static void sigmoid(heft_lowering *w, size_t t, size_t out[2])
{
    const size_t zero = heft_node_number(w, 0), one = heft_node_number(w, 1);
    const size_t e = EACH(w, EXP, EACH(w, SUB, zero, EACH(w, ABS, t)));
    const size_t all = EACH(w, ADD, one, e);
    const size_t large = EACH(w, DIV, one, all), small = EACH(w, DIV, e, all);
    out[0] = EACH(w, IF_LESS, t, zero, small, large);
    out[1] = EACH(w, IF_LESS, t, zero, large, small);
}

/* One margin per pair: weights times the differences between two classes: [1, pairs]. */
static heft_status lower_margins(heft_lowering *w, size_t *out)
{
    const size_t    P = w->t->n_class_pairs;
    heft_term_lines of = {0};
    size_t          line = 0, *a, *b;
    double         *weight, *start;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, P, a, b, start);
    HEFT_CHECK(find_lines(w, &of, &line));
    HEFT_TABLE(w->ctx, &w->ctx->scratch, weight, of.n, P);
    for (size_t k = 0; k < P; k++) {
        const heft_class_pair *pair = &w->t->class_pair[k];
        a[k] = pair->a;
        b[k] = pair->b;
        const double x = pair->w0 * (w->t->start[a[k]] - w->t->start[b[k]]);
        start[k] = isfinite(x) ? x : x > 0 ? 1e300 : x < 0 ? -1e300 : 0;
        for (size_t m = 0; m < of.n; m++) weight[m * P + k] = pair->w[of.term[m]];
    }
    if (of.n == 0) {
        *out = heft_node_constant(w, start, 1, P);
        return HEFT_OK;
    }
    const size_t apart =
        EACH(w, SUB, heft_node_columns(w, line, a, P), heft_node_columns(w, line, b, P));
    *out = heft_node_sum(w, EACH(w, MUL, apart, heft_node_constant(w, weight, of.n, P)), start);
    return HEFT_OK;
}

/* vote[most x K]: the row of each vote for a class among the shares of the first classes of the
 * pairs, then those of the second ones, then 0, which fills up the columns. */
static heft_status find_votes(heft_lowering *w, size_t **vote, size_t *most)
{
    const size_t           K = w->t->n_class, P = w->t->n_class_pairs;
    const heft_class_pair *pair = w->t->class_pair;
    size_t                *n;
    SCRATCH(n, K);
    for (size_t k = 0; k < P; k++) n[pair[k].a]++, n[pair[k].b]++;
    for (size_t c = 0; c < K; c++) *most = n[c] > *most ? n[c] : *most;
    HEFT_TABLE(w->ctx, &w->ctx->scratch, *vote, *most, K);
    for (size_t k = 0; k < *most * K; k++) (*vote)[k] = 2 * P;
    memset(n, 0, K * sizeof *n);
    for (size_t k = 0; k < P; k++) {
        (*vote)[n[pair[k].a]++ * K + pair[k].a] = k;
        (*vote)[n[pair[k].b]++ * K + pair[k].b] = P + k;
    }
    return HEFT_OK;
}

/* Class pairs vote: the score is the log of the share of the votes. */
static heft_status lower_votes(heft_lowering *w, size_t *score)
{
    const size_t K = w->t->n_class, P = w->t->n_class_pairs;
    size_t       margin = 0, *share, *vote, most = 0;
    SCRATCH(share, 3);
    HEFT_CHECK(lower_margins(w, &margin));
    HEFT_CHECK(find_votes(w, &vote, &most));
    sigmoid(w, heft_node_turn(w, margin), share);
    share[2] = heft_node_number(w, 0);
    const size_t each = heft_node_gather(w, heft_node_join(w, share, 3), vote, most, K);
    const size_t all = heft_node_sum(w, each, NULL);
    const size_t some = EACH(w, MAX, all, heft_node_number(w, 1e-300));
    *score = EACH(w, LOG, EACH(w, DIV, some, heft_node_number(w, (double)P)));
    return HEFT_OK;
}

/* ---- several sums ---- */

static heft_status combine(heft_lowering *w, size_t *score)
{
    const heft_further_sums *by = &w->base->further;
    const bool               mixed = by->combining == HEFT_MIXED;
    size_t                  *one, base = *score;
    double                  *share;
    if (by->n == 0) return HEFT_OK;
    SCRATCH(one, by->n + 1);
    SCRATCH(share, by->n + 1);
    one[0] = *score;
    for (size_t k = 0; k < by->n; k++) {
        w->t = &by->list[k];
        HEFT_CHECK(lower_sum(w, &one[k + 1]));
        HEFT_CHECK(heft_check_cancel(w->ctx));
    }
    w->t = w->base;
    const size_t sums = heft_node_join(w, mixed ? one : one + 1, by->n + mixed);
    if (mixed) {
        for (size_t k = 0; k <= by->n; k++) share[k] = log(by->mixing[k]);
        const size_t whole = heft_node_log_sum_across(w, sums);
        const size_t by_share = EACH(w, SUB, heft_node_constant(w, share, by->n + 1, 1), whole);
        *score = heft_node_log_sum(w, EACH(w, ADD, sums, by_share));
    } else if (by->combining == HEFT_AVERAGED) {
        const size_t all = heft_node_log_sum(w, sums);
        *score = EACH(w, IF_LESS, all, heft_node_number(w, HEFT_ABSENT / 10), base, all);
    } else {
        const size_t some = EACH(w, MAX, sums, heft_node_number(w, HEFT_LEAST_SUM));
        *score = EACH(w, ADD, base, heft_node_sum(w, EACH(w, LOG, some), NULL));
    }
    return HEFT_OK;
}

/* ---- classes ---- */

static heft_status calibrate(heft_lowering *w, size_t *score)
{
    const heft_calibration *how = &w->base->model->calibration;
    double                 *scale, *shift;
    if (!how->scale) return HEFT_OK;
    SCRATCH(scale, w->C);
    SCRATCH(shift, w->C);
    for (size_t k = 0; k < w->C; k++) {
        scale[k] = how->scale[w->kept[k]];
        shift[k] = how->shift[w->kept[k]];
        if (w->differences) shift[k] = how->shift[w->kept[1]] - shift[k];
    }
    if (how->kind == HEFT_VECTOR)
        *score = EACH(w, SUB, *score, heft_node_log_sum_across(w, *score));
    *score = EACH(w, MUL, heft_node_constant(w, scale, 1, w->C), *score);
    *score = EACH(w, ADD, *score, heft_node_constant(w, shift, 1, w->C));
    return HEFT_OK;
}

static void decide(heft_lowering *w, size_t proba)
{
    const heft_decision *rule = &w->base->model->decision;
    const size_t         K = w->base->n_class;
    heft_graph_node      node = {HEFT_OP_DECIDE, 1, 1, .n_in = 1, .in = {proba}, .codes = true};
    if (rule->kind == HEFT_THRESHOLD) {
        node.decide = HEFT_FROM_THRESHOLD;
        node.chosen = rule->chosen;
        node.one = rule->threshold;
    } else if (rule->kind == HEFT_LEAST_COST) {
        const size_t each =
            EACH(w, MUL, heft_node_turn(w, proba), heft_node_constant(w, rule->cost, K, K));
        node.in[0] = heft_node_sum(w, each, NULL);
        node.decide = HEFT_SMALLEST;
    }
    w->g->decision = heft_node_add(w, node);
}

/* From scores of the columns of the graph to probabilities of all classes, and the decision. */
static heft_status finish(heft_lowering *w, size_t score)
{
    static const double zero_one[] = {0, 1};
    const size_t        K = w->base->n_class;
    size_t             *place;
    if (w->differences) score = EACH(w, MUL, score, heft_node_constant(w, zero_one, 1, 2));
    size_t proba = heft_node_softmax(w, score);
    if (w->n_kept < K) {
        SCRATCH(place, K);
        for (size_t c = 0; c < K; c++) place[c] = SIZE_MAX;
        for (size_t k = 0; k < w->n_kept; k++) place[w->kept[k]] = k;
        proba = heft_node_columns(w, proba, place, K);
    }
    w->g->probabilities = proba;
    decide(w, proba);
    return HEFT_OK;
}

/* Classes that are not left out; all of them if none is left. */
static void find_kept(heft_lowering *w)
{
    w->n_kept = 0;
    for (size_t c = 0; c < w->base->n_class; c++)
        if (!heft_class_absent(w->base, c)) w->kept[w->n_kept++] = c;
    if (w->n_kept) return;
    for (size_t c = 0; c < w->base->n_class; c++) w->kept[w->n_kept++] = c;
}

/* Whether the difference of two scores is all that counts. */
static bool differences_suffice(const heft_lowering *w)
{
    const heft_calibration *how = &w->base->model->calibration;
    return w->how & HEFT_LOWER_DIFFERENCES && w->n_kept == 2 && !w->base->class_pair &&
           w->base->further.n == 0 && how->kind != HEFT_VECTOR &&
           (!how->scale || how->scale[w->kept[0]] == how->scale[w->kept[1]]);
}

heft_status heft_graph_lower(heft_ctx *ctx, const heft_terms *t, unsigned how, heft_graph *out)
{
    heft_lowering lowered = {
        .ctx = ctx, .g = out, .base = t, .t = t, .prep = &t->model->prep, .how = how};
    heft_lowering *w = &lowered;
    const size_t   n = t->n_attr, K = t->n_class;
    size_t         score = 0;
    *out = (heft_graph){.terms = t};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, w->number_of, w->code_of);
    HEFT_ALLOC(ctx, &ctx->scratch, w->maps, n);
    HEFT_ALLOC(ctx, &ctx->scratch, w->grid_of, t->joint.n_grids);
    HEFT_ALLOCS(ctx, &ctx->scratch, K, w->kept, w->line);
    HEFT_CHECK(heft_nodes_open(w));
    find_kept(w);
    w->differences = differences_suffice(w);
    if (t->class_pair) {
        for (size_t c = 0; c < K; c++) w->kept[c] = c;
        w->n_kept = K;
    }
    w->C = w->differences ? 1 : w->n_kept;
    /* Evidence by term is told from the start of the score, not from that of a row of zeros. */
    w->zeros = w->prep->sparse && !t->class_pair && t->shared && !(how & HEFT_LOWER_EVIDENCE);
    HEFT_CHECK(add_numbers(w));
    HEFT_CHECK(add_codes(w));
    HEFT_CHECK(add_cells(w));
    if (t->class_pair) {
        HEFT_CHECK(lower_votes(w, &score));
        find_kept(w);
        w->C = w->n_kept;
        if (w->n_kept < K) score = heft_node_columns(w, score, w->kept, w->n_kept);
    } else {
        HEFT_CHECK(lower_sum(w, &score));
    }
    HEFT_CHECK(combine(w, &score));
    HEFT_CHECK(calibrate(w, &score));
    HEFT_CHECK(finish(w, score));
    out->n_kept = w->n_kept;
    out->kept = w->kept;
    return w->failed ? heft_no_memory(ctx, out->capacity, sizeof *out->node) : HEFT_OK;
}
