/* lower.c - the terms of a score (model/term.h) as a graph (graph.h).
 *
 * Every cell of a row gets a number or a code first. The code of a cell is its spot (model/term.h):
 * the value or the interval, then one code for missing cells, then one for values never seen. Here
 * intervals are in their order, also in models of sparse rows. So tables have a line per code, and
 * missing cells need no case of their own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/graph.h"
#include "export/score_parts.h"
#include "prep/numbers.h"

const heft_element heft_elements[HEFT_N_OPS] = {
#define HEFT_ELEMENT(name, n, c, sql, pmml) [HEFT_OP_##name] = {n, #c, sql, pmml},
#include "export/graph_ops.def"
#undef HEFT_ELEMENT
};

typedef struct lowering {
    heft_ctx         *ctx;
    heft_graph       *g;
    const heft_terms *base, *t; /* the first sum, and the one that is being lowered */
    const heft_prep  *prep;
    unsigned          how;
    bool              differences, zeros; /* zeros: the score starts from that of a row of zeros */
    size_t            n_kept;             /* columns of densities: classes */
    size_t           *kept;
    size_t            C;       /* columns of tables: n_kept, or 1 where they have differences */
    size_t            numbers; /* node of all numbers, not scaled yet */
    size_t           *number_of, *code_of; /* n_attr: rows of these nodes */
    size_t            codes;               /* node of codes, then cells of pairs */
    size_t            n_codes;             /* codes of attributes */
    size_t           *grid_of;             /* rows of `codes` with the cells of each grid */
    const uint32_t ***maps;                /* n_attr: what each view gives, or NULL */
    double           *line;                /* K */
} lowering;

typedef struct lines {  /* contributions of the terms of a sum: rows of nodes, in the order of
                           predict */
    size_t  n_nodes, n; /* n: rows of all nodes */
    size_t *node;
    size_t *term; /* n */
} lines;

#define SCRATCH(p, n) HEFT_ALLOC(w->ctx, &w->ctx->scratch, p, n)

/* ---- nodes ---- */

/* Makes room for n more nodes, so that adding them cannot fail. */
static heft_status reserve(lowering *w, size_t n)
{
    heft_graph      *g = w->g;
    heft_graph_node *larger;
    if (g->n + n <= g->capacity) return HEFT_OK;
    g->capacity = 2 * g->capacity + n;
    SCRATCH(larger, g->capacity);
    if (g->n) memcpy(larger, g->node, g->n * sizeof *larger);
    g->node = larger;
    return HEFT_OK;
}

static size_t add(lowering *w, heft_graph_node node)
{
    w->g->node[w->g->n] = node;
    return w->g->n++;
}

static size_t constant(lowering *w, const double *x, size_t rows, size_t columns)
{
    return add(w, (heft_graph_node){HEFT_OP_CONST, rows, columns, .numbers = x});
}

static size_t number(lowering *w, double x)
{
    return add(w, (heft_graph_node){HEFT_OP_CONST, 1, 1, .one = x});
}

/* An operator on elements. */
#define EACH(w, op, ...)                                                                           \
    element((w), HEFT_OP_##op, sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t),             \
            (const size_t[]){__VA_ARGS__})
static size_t element(lowering *w, heft_op op, size_t n, const size_t *in)
{
    heft_graph_node node = {op, 1, 1, .n_in = n};
    for (size_t k = 0; k < n; k++) {
        const heft_graph_node *from = &w->g->node[in[k]];
        node.in[k] = in[k];
        if (from->rows > node.rows) node.rows = from->rows;
        if (from->columns > node.columns) node.columns = from->columns;
    }
    return add(w, node);
}

static size_t with_rule(lowering *w, heft_op op, size_t from, size_t rows, const void *rule)
{
    return add(
        w, (heft_graph_node){op, rows, 1, .n_in = 1, .in = {from}, .codes = true, .rule = rule});
}

static size_t pick(lowering *w, size_t from, const size_t *list, size_t n)
{
    return add(w, (heft_graph_node){HEFT_OP_PICK, n, w->g->node[from].columns, .n_in = 1,
                                    .in = {from}, .codes = w->g->node[from].codes, .list = list});
}

static size_t columns(lowering *w, size_t from, const size_t *list, size_t n)
{
    return add(w, (heft_graph_node){HEFT_OP_COLUMNS, w->g->node[from].rows, n, .n_in = 1,
                                    .in = {from}, .list = list});
}

static size_t turn(lowering *w, size_t from)
{
    const heft_graph_node *x = &w->g->node[from];
    return add(w, (heft_graph_node){HEFT_OP_TURN, x->columns, x->rows, .n_in = 1, .in = {from}});
}

static size_t join(lowering *w, const size_t *list, size_t n)
{
    heft_graph_node node = {HEFT_OP_JOIN, .n_in = n, .list = list};
    if (n == 1) return list[0];
    for (size_t k = 0; k < n; k++) node.rows += w->g->node[list[k]].rows;
    node.columns = w->g->node[list[0]].columns;
    node.codes = w->g->node[list[0]].codes;
    return add(w, node);
}

static size_t sum(lowering *w, size_t from, const double *start)
{
    return add(w, (heft_graph_node){HEFT_OP_SUM, 1, w->g->node[from].columns, .n_in = 1,
                                    .in = {from}, .numbers = start});
}

static size_t top(lowering *w, size_t from)
{
    return add(
        w, (heft_graph_node){HEFT_OP_TOP, 1, w->g->node[from].columns, .n_in = 1, .in = {from}});
}

/* The log of the sum of exponentials over rows: [1, columns]. */
static size_t log_sum(lowering *w, size_t from)
{
    if (w->how & HEFT_LOWER_NO_LOG_SUM) {
        const size_t most = top(w, from), part = EACH(w, EXP, EACH(w, SUB, from, most));
        return EACH(w, ADD, most, EACH(w, LOG, sum(w, part, NULL)));
    }
    return add(w, (heft_graph_node){HEFT_OP_LOG_SUM, 1, w->g->node[from].columns, .n_in = 1,
                                    .in = {from}});
}

/* The log of the sum of exponentials over columns: [rows, 1]. */
static size_t log_sum_across(lowering *w, size_t from)
{
    return turn(w, log_sum(w, turn(w, from)));
}

static size_t softmax(lowering *w, size_t score)
{
    if (w->how & HEFT_LOWER_NO_SOFTMAX) {
        const size_t each = turn(w, score);
        const size_t part = EACH(w, EXP, EACH(w, SUB, each, top(w, each)));
        return turn(w, EACH(w, DIV, part, sum(w, part, NULL)));
    }
    return add(w, (heft_graph_node){HEFT_OP_SOFTMAX, 1, w->g->node[score].columns, .n_in = 1,
                                    .in = {score}});
}

/* ---- cells ---- */

/* The line of a table that belongs to a code. */
static size_t line_of(const lowering *w, const heft_terms *t, size_t j, size_t code)
{
    const heft_term *term = &t->attr[j];
    if (code < term->n_codes && w->prep->attr[j].kind == HEFT_NUMERIC)
        code = heft_swap_zero((uint32_t)code, heft_zero_interval(w->prep, j));
    return heft_term_line(term, code);
}

/* How many codes a cell can have. */
static size_t codes_of(const lowering *w, size_t j)
{
    const bool apart = w->prep->attr[j].kind == HEFT_NOMINAL && w->prep->spec.unseen_zero;
    return w->base->attr[j].n_codes + 1 + apart;
}

static heft_status add_numbers(lowering *w)
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
    w->numbers = add(w, (heft_graph_node){HEFT_OP_NUMBERS, n, 1, .numbers = fill, .list = list});
    if (w->prep->spec.scaling == HEFT_SCALE_UNIT)
        w->numbers = add(w, (heft_graph_node){HEFT_OP_UNIT, n, 1, .n_in = 1, .in = {w->numbers}});
    return HEFT_OK;
}

/* Codes of all attributes that have tables or are part of pairs. Cuts are in the units of the
 * data, so that numbers need not be scaled before they are compared. */
static heft_status add_codes(lowering *w)
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
        parts[n++] =
            add(w, (heft_graph_node){HEFT_OP_CODES, n_nominal, 1, .codes = true, .list = nominal});
    if (n_cut) parts[n++] = with_rule(w, HEFT_OP_CUT, w->numbers, n_cut, rule);
    if (n) w->codes = join(w, parts, n);
    return HEFT_OK;
}

/* Finds the code that a view gives for each code of an attribute. A view is lowered once. */
static heft_status view_map(lowering *w, size_t j, size_t view, const uint32_t **out)
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
static heft_status add_cells(lowering *w)
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
    parts[1] = with_rule(w, HEFT_OP_CELL, w->codes, n, rule);
    w->codes = join(w, parts, 2);
    return HEFT_OK;
}

/* ---- tables ---- */

/* The column of a class in the tables of a sum; SIZE_MAX: it has none, and the class adds 0. */
static size_t column_of(const heft_terms *t, size_t c)
{
    if (!t->present) return c;
    for (size_t k = 0; k < t->n_columns; k++)
        if (t->present[k] == c) return k;
    return SIZE_MAX;
}

static double value_at(const heft_terms *t, const double *line, size_t c)
{
    const size_t k = column_of(t, c);
    return k == SIZE_MAX ? 0 : line[k];
}

/* out[C]: a line of a table, for the columns of the graph. */
static void take_line(const lowering *w, const double *line, double *out)
{
    for (size_t k = 0; k < w->C; k++)
        out[k] = w->differences
                     ? value_at(w->t, line, w->kept[1]) - value_at(w->t, line, w->kept[0])
                     : value_at(w->t, line, w->kept[k]);
}

/* out[C]: the contribution of a zero to the score if scores start from a row of zeros, else 0. */
static void zero_line(lowering *w, size_t j, double *out)
{
    memset(out, 0, w->C * sizeof *out);
    if (!w->zeros) return;
    heft_term_value(w->t, j, 0, 0, w->line);
    take_line(w, w->line, out);
}

static heft_status attr_table(lowering *w, size_t j, heft_lookup_rule *out)
{
    const heft_term *term = &w->t->attr[j];
    const size_t     n = codes_of(w, j);
    double          *table, *zero;
    SCRATCH(table, n * w->C);
    SCRATCH(zero, w->C);
    zero_line(w, j, zero);
    for (size_t v = 0; v < n; v++) {
        take_line(w, term->table + line_of(w, w->t, j, v) * w->t->n_columns, table + v * w->C);
        for (size_t k = 0; k < w->C; k++) table[v * w->C + k] -= zero[k];
    }
    *out = (heft_lookup_rule){w->code_of[j], n, table};
    return HEFT_OK;
}

/* A joint term. Cells without a line get one of zeros behind the last. */
static heft_status joint_table(lowering *w, const heft_joint_term *joint, heft_lookup_rule *out)
{
    const size_t n = joint->n_cells + (joint->key != NULL);
    double      *table;
    SCRATCH(table, n * w->C);
    for (size_t v = 0; v < joint->n_cells; v++)
        take_line(w, joint->table + v * w->t->n_columns, table + v * w->C);
    *out = (heft_lookup_rule){w->grid_of[joint->grid], n, table};
    return HEFT_OK;
}

static size_t lookup(lowering *w, size_t from, const heft_lookup_rule *rule, size_t n, size_t C)
{
    return add(w, (heft_graph_node){HEFT_OP_LOOKUP, n, C, .n_in = 1, .in = {from}, .rule = rule});
}

/* ---- lines of a sum ---- */

/* Adds the rows of a node, whose terms are given. */
static void add_lines(lines *to, const lowering *w, size_t node, const size_t *term)
{
    const size_t n = w->g->node[node].rows;
    to->node[to->n_nodes++] = node;
    memcpy(to->term + to->n, term, n * sizeof *term);
    to->n += n;
}

/* Numbers of some attributes, prepared as the density or the slope needs them: [n, 1]. */
static heft_status scaled(lowering *w, const size_t *attr, size_t n, size_t *out)
{
    size_t *list;
    double *by; /* shifts, then factors */
    bool    plain = true;
    SCRATCH(list, n);
    SCRATCH(by, 2 * n);
    for (size_t m = 0; m < n; m++) {
        const heft_attr_prep *a = &w->prep->attr[attr[m]];
        list[m] = w->number_of[attr[m]];
        by[m] = a->shift;
        by[n + m] = a->factor;
        plain &= a->shift == 0 && a->factor == 1;
    }
    *out = pick(w, w->numbers, list, n);
    if (!plain)
        *out =
            add(w, (heft_graph_node){HEFT_OP_SCALE, n, 1, .n_in = 1, .in = {*out}, .numbers = by});
    return HEFT_OK;
}

/* (x - mean) / sd within [-4, 4], 0 where it is missing, times a slope for each column. */
static heft_status add_slopes(lowering *w, lines *to)
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
        take_line(w, term->slope, slope + n * w->C);
        mean[n] = term->mean;
        sd[n] = term->sd;
        attr[n++] = j;
    }
    if (n == 0) return HEFT_OK;
    HEFT_CHECK(scaled(w, attr, n, &x));
    const size_t off = EACH(w, SUB, x, constant(w, mean, n, 1));
    const size_t z = EACH(w, DIV, off, constant(w, sd, n, 1));
    const size_t least = EACH(w, MAX, z, number(w, -4));
    const size_t near = EACH(w, MIN, least, number(w, 4));
    const size_t known = EACH(w, IF_MISSING, x, number(w, 0), near);
    add_lines(to, w, EACH(w, MUL, known, constant(w, slope, n, w->C)), attr);
    return HEFT_OK;
}

/* ---- densities: lines by class ---- */

typedef struct group { /* attributes of one kind of density: n, and n x n_kept of each number */
    size_t  n, *attr;
    double *mean, *sd, *weight, *constant, *half;
    double *precision; /* n */
} group;

static heft_status find_group(lowering *w, heft_term_kind kind, group *to)
{
    const size_t K = w->n_kept;
    *to = (group){0};
    SCRATCH(to->attr, w->t->n_attr);
    for (size_t j = 0; j < w->t->n_attr; j++)
        if (w->t->attr[j].kind == kind) to->attr[to->n++] = j;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, to->n * K, to->mean, to->sd, to->weight, to->constant,
                to->half);
    SCRATCH(to->precision, to->n);
    for (size_t m = 0; m < to->n; m++) {
        const heft_lik *lik = w->t->attr[to->attr[m]].lik;
        to->precision[m] = lik->precision;
        if (lik->mean)
            for (size_t k = 0; k < K; k++) {
                to->mean[m * K + k] = lik->mean[w->kept[k]];
                to->sd[m * K + k] = lik->sd[w->kept[k]];
                to->weight[m * K + k] = heft_density_weight(w->t, to->attr[m], w->kept[k]);
            }
    }
    return HEFT_OK;
}

static size_t of_group(lowering *w, const group *from, const double *x)
{
    return constant(w, x, from->n, w->n_kept);
}

/* Adds lines of densities [n, n_kept]: times weights, unless these are NULL; 0 for missing numbers
 * x; in sparse rows, less what a zero adds. */
static heft_status add_densities(lowering *w, const group *from, size_t x, size_t line,
                                 const double *weight, lines *to)
{
    bool    plain = true;
    double *zero;
    if (weight)
        for (size_t k = 0; k < from->n * w->n_kept; k++) plain &= weight[k] == 1;
    if (!plain) line = EACH(w, MUL, line, of_group(w, from, weight));
    if (w->differences) {
        static const size_t one = 1, none = 0;
        const size_t        a = columns(w, line, &one, 1), b = columns(w, line, &none, 1);
        line = EACH(w, SUB, a, b);
    }
    line = EACH(w, IF_MISSING, x, number(w, 0), line);
    if (w->zeros) {
        SCRATCH(zero, from->n * w->C);
        for (size_t m = 0; m < from->n; m++) zero_line(w, from->attr[m], zero + m * w->C);
        line = EACH(w, SUB, line, constant(w, zero, from->n, w->C));
        line = EACH(w, IF_EQUAL, x, number(w, 0), number(w, 0), line);
    }
    add_lines(to, w, line, from->attr);
    return HEFT_OK;
}

/* constant - half ((x - mean) inverse)^2, all weights included. */
static heft_status add_normals(lowering *w, lines *to)
{
    const size_t K = w->n_kept;
    group        of;
    size_t       x = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_NORMAL, &of));
    if (of.n == 0) return HEFT_OK;
    for (size_t m = 0; m < of.n; m++)
        for (size_t k = 0; k < K; k++) {
            const heft_normal n = heft_normal_of(w->t, of.attr[m], w->kept[k]);
            of.constant[m * K + k] = n.constant;
            of.mean[m * K + k] = n.mean;
            of.sd[m * K + k] = n.inverse;
            of.half[m * K + k] = n.half;
        }
    HEFT_CHECK(scaled(w, of.attr, of.n, &x));
    const size_t off = EACH(w, SUB, x, of_group(w, &of, of.mean));
    const size_t z = EACH(w, MUL, off, of_group(w, &of, of.sd));
    const size_t far = EACH(w, MUL, of_group(w, &of, of.half), EACH(w, SQUARE, z));
    return add_densities(w, &of, x, EACH(w, SUB, of_group(w, &of, of.constant), far), NULL, to);
}

/* Normals some of which are point masses: a class whose numbers are all equal has one. */
static heft_status add_points(lowering *w, lines *to)
{
    group   of;
    double *at_point;
    size_t  x = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_POINT, &of));
    if (of.n == 0) return HEFT_OK;
    SCRATCH(at_point, of.n * w->n_kept);
    for (size_t k = 0; k < of.n * w->n_kept; k++) {
        const bool point = of.sd[k] == 0;
        at_point[k] = point ? of.mean[k] : (double)NAN;
        of.constant[k] = point ? HEFT_LOG_OFF_POINT : -HEFT_LOG_TWO_PI_HALF - log(of.sd[k]);
        of.half[k] = point ? 0 : 0.5;
        if (point) of.sd[k] = 1;
    }
    HEFT_CHECK(scaled(w, of.attr, of.n, &x));
    const size_t off = EACH(w, SUB, x, of_group(w, &of, of.mean));
    const size_t z = EACH(w, DIV, off, of_group(w, &of, of.sd));
    const size_t far = EACH(w, MUL, of_group(w, &of, of.half), EACH(w, SQUARE, z));
    const size_t line = EACH(w, SUB, of_group(w, &of, of.constant), far);
    const size_t there = of_group(w, &of, at_point), zero = number(w, 0);
    return add_densities(w, &of, x, EACH(w, IF_EQUAL, x, there, zero, line), of.weight, to);
}

/* erfc(x) exp(x^2) (1 + 2 x) as a polynomial of (x - 3.75) / (x + 3.75), x >= 0: its Chebyshev
 * series up to degree 26. Relative error 6e-16. */
static const double TAIL[] = {
    1.23751263083782758,     -0.140240598585547018,    0.00358541548546369005,
    0.082276738490151024,    -0.108803930141707455,    0.0923043211601983343,
    -0.0586933985905476187,  0.0283622774215155971,    -0.00974657954761962297,
    0.00175562583242175281,  0.000293713594805707373,  -0.00029015397928986766,
    5.1649407775463988e-5,   2.23839120365506791e-5,   -1.1445049125831309e-5,
    -9.72849582211122029e-7, 1.75344342511063337e-6,   -5.82628107880077709e-8,
    -2.61147023599009552e-7, 2.42897629254887074e-8,   4.09712231527030033e-8,
    -4.38928415998632839e-9, -6.5455602124802673e-9,   5.45715730470468791e-10,
    9.02214970034059036e-10, -3.75315827795962034e-11, -7.33950500852953936e-11,
};
enum { N_TAIL = sizeof TAIL / sizeof *TAIL };

/* exp(-x^2), exact to the last digits: x is split into the nearest multiple of 1/1024, whose
 * square is exact in double precision, and the rest. x is at most 30. */
static size_t bell(lowering *w, size_t x)
{
    const size_t steps = EACH(w, ROUND, EACH(w, MUL, x, number(w, 1024)));
    const size_t near = EACH(w, DIV, steps, number(w, 1024));
    const size_t rest = EACH(w, MUL, EACH(w, SUB, near, x), EACH(w, ADD, near, x));
    const size_t most = EACH(w, SUB, number(w, 0), EACH(w, MUL, near, near));
    return EACH(w, MUL, EACH(w, EXP, most), EACH(w, EXP, rest));
}

/* P(Z > z) of a standard normal. */
static size_t upper_tail(lowering *w, size_t z)
{
    if (!(w->how & HEFT_LOWER_NO_TAIL)) return EACH(w, TAIL, z);
    const size_t size = EACH(w, MUL, EACH(w, ABS, z), number(w, 0.70710678118654752440));
    const size_t x = EACH(w, MIN, size, number(w, 30)); /* erfc is 0 there */
    const size_t below = EACH(w, SUB, x, number(w, 3.75));
    const size_t t = EACH(w, DIV, below, EACH(w, ADD, x, number(w, 3.75)));
    size_t       p = EACH(w, MUL, t, number(w, TAIL[N_TAIL - 1]));
    for (size_t k = N_TAIL - 2; k > 0; k--)
        p = EACH(w, MUL, EACH(w, ADD, p, number(w, TAIL[k])), t);
    p = EACH(w, ADD, p, number(w, TAIL[0]));
    p = EACH(w, DIV, p, EACH(w, ADD, EACH(w, MUL, x, number(w, 2)), number(w, 1)));
    p = EACH(w, MUL, EACH(w, MUL, p, bell(w, x)), number(w, 0.5));
    return EACH(w, IF_LESS, z, number(w, 0), EACH(w, SUB, number(w, 1), p), p);
}

/* The mass of a normal between x - precision/2 and x + precision/2, x a multiple of precision. */
static heft_status add_rounded(lowering *w, lines *to)
{
    group   of;
    double *half;
    size_t  x = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_ROUNDED, &of));
    if (of.n == 0) return HEFT_OK;
    SCRATCH(half, of.n);
    for (size_t m = 0; m < of.n; m++) half[m] = of.precision[m] / 2;
    HEFT_CHECK(scaled(w, of.attr, of.n, &x));
    const size_t q = constant(w, of.precision, of.n, 1), step = constant(w, half, of.n, 1);
    const size_t mean = of_group(w, &of, of.mean), sd = of_group(w, &of, of.sd);
    const size_t whole = EACH(w, MUL, EACH(w, ROUND, EACH(w, DIV, x, q)), q);
    const size_t near = EACH(w, IF_LESS, number(w, DBL_MAX), EACH(w, ABS, whole), x, whole);
    const size_t d = EACH(w, SUB, near, mean), zero = number(w, 0);
    const size_t lo = EACH(w, DIV, EACH(w, SUB, d, step), sd);
    const size_t hi = EACH(w, DIV, EACH(w, ADD, d, step), sd);
    const size_t from = EACH(w, IF_LESS, zero, lo, lo, EACH(w, SUB, zero, hi));
    const size_t end = EACH(w, IF_LESS, zero, lo, hi, EACH(w, SUB, zero, lo));
    const size_t mass = EACH(w, SUB, upper_tail(w, from), upper_tail(w, end));
    const size_t line = EACH(w, LOG, EACH(w, MAX, mass, number(w, 1e-75)));
    return add_densities(w, &of, x, line, of.weight, to);
}

/* The densities of number x for each of n classes: [n, 1]. */
static heft_status kernel_rows(lowering *w, size_t x, const heft_kernel_rule *rule, size_t n,
                               size_t *out)
{
    size_t *row;
    if (!(w->how & HEFT_LOWER_NO_KERNEL)) {
        *out = turn(
            w, add(w, (heft_graph_node){HEFT_OP_KERNEL, 1, n, .n_in = 1, .in = {x}, .rule = rule}));
        return HEFT_OK;
    }
    SCRATCH(row, n);
    HEFT_CHECK(reserve(w, 24 * n + 64));
    for (size_t k = 0; k < n; k++) {
        const heft_kernel_rule *r = &rule[k];
        const size_t            off = EACH(w, SUB, x, constant(w, r->point, r->n, 1));
        const size_t            z = EACH(w, SQUARE, EACH(w, DIV, off, number(w, r->width)));
        const size_t            far = EACH(w, MUL, z, number(w, 0.5));
        const size_t            each = EACH(w, SUB, constant(w, r->log_mass, r->n, 1), far);
        const size_t            all = log_sum(w, each);
        row[k] = EACH(w, SUB, all, number(w, HEFT_LOG_TWO_PI_HALF + log(r->width)));
    }
    *out = join(w, row, n);
    return HEFT_OK;
}

/* Kernel densities of one attribute. A class without points has the mean of the others. */
static heft_status add_kernel(lowering *w, size_t j, lines *to)
{
    const heft_lik   *lik = w->t->attr[j].lik;
    const size_t      K = w->t->n_class;
    size_t            n = 0, x = 0, known = 0, *attr, *all, *both;
    double           *weight;
    heft_kernel_rule *rule;
    SCRATCH(rule, K);
    SCRATCH(all, K);
    SCRATCH(both, 2);
    SCRATCH(attr, 1);
    SCRATCH(weight, w->n_kept);
    attr[0] = j;
    for (size_t c = 0; c < K; c++) {
        const size_t first = lik->start[c], points = lik->start[c + 1] - first;
        if (points == 0) continue;
        rule[n++] =
            (heft_kernel_rule){points, lik->point + first, lik->log_mass + first, lik->width[c]};
    }
    if (n == 0) return HEFT_OK;
    for (size_t k = 0; k < w->n_kept; k++) {
        size_t before = 0;
        for (size_t c = 0; c < w->kept[k]; c++) before += lik->start[c + 1] > lik->start[c];
        all[k] = lik->start[w->kept[k] + 1] > lik->start[w->kept[k]] ? before : n;
        weight[k] = heft_density_weight(w->t, j, w->kept[k]);
    }
    HEFT_CHECK(scaled(w, attr, 1, &x));
    HEFT_CHECK(kernel_rows(w, x, rule, n, &known));
    both[0] = known;
    if (n < K) both[1] = EACH(w, DIV, sum(w, known, NULL), number(w, (double)n));
    const size_t line = turn(w, pick(w, n < K ? join(w, both, 2) : known, all, w->n_kept));
    return add_densities(w, &(group){.n = 1, .attr = attr}, x, line, weight, to);
}

/* ---- trees ---- */

/* The codes that a split sends left. */
static heft_status lower_split(lowering *w, const heft_tree_split *s, heft_graph_split *to)
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

static heft_status leaf_rule(lowering *w, const heft_trees *trees, heft_leaf_rule *out)
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

/* Evidence of the leaves that a row reaches: [trees, C]; [trees, 1] where there are two classes,
 * and the number is subtracted from the first and added to the second. */
static heft_status add_leaves(lowering *w, const heft_trees *trees, size_t *out)
{
    const size_t      C = trees->n_columns == 1 ? 1 : w->C;
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
            if (trees->n_columns == 1) table[v] = *value;
            else take_line(w, value, table + v * C);
        }
        lookups[k] = (heft_lookup_rule){k, tree->n_leaves, table};
    }
    const size_t leaf = with_rule(w, HEFT_OP_LEAF, w->codes, trees->n_trees, rule);
    *out = lookup(w, leaf, lookups, trees->n_trees, C);
    return HEFT_OK;
}

/* The sign of each column in the evidence of two classes. */
static heft_status tree_signs(lowering *w, size_t *out)
{
    double *sign;
    SCRATCH(sign, w->C);
    for (size_t k = 0; k < w->C; k++) {
        const size_t column = column_of(w->t, w->kept[k]);
        sign[k] = w->differences ? 2 : column == 0 ? -1 : column == 1 ? 1 : 0;
    }
    *out = constant(w, sign, 1, w->C);
    return HEFT_OK;
}

/* ---- sums ---- */

/* Sorts the lines by their terms; lines of one term stay in the order in which they were added. */
static heft_status order_lines(lowering *w, lines *of, size_t *out)
{
    size_t *order, *term;
    bool    sorted = true;
    SCRATCH(order, of->n);
    SCRATCH(term, of->n);
    const size_t node = join(w, of->node, of->n_nodes);
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
    *out = pick(w, node, order, of->n);
    return HEFT_OK;
}

/* Finds the contributions of the attributes, the pairs and the trees of several classes, in this
 * order; n is 0 if there are none. */
static heft_status find_lines(lowering *w, lines *of, size_t *out)
{
    const heft_terms *t = w->t;
    const heft_trees *trees = t->trees;
    const size_t      n_trees = trees ? trees->n_trees : 0;
    heft_lookup_rule *rule;
    size_t           *term, n = 0, leaves = 0, n_kernels = 0;
    for (size_t j = 0; j < t->n_attr; j++) n_kernels += t->attr[j].kind == HEFT_TERM_KERNEL;
    HEFT_CHECK(reserve(w, 400 + 24 * n_kernels));
    SCRATCH(of->node, 8 + n_kernels);
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
    if (n) add_lines(of, w, lookup(w, w->codes, rule, n, w->C), term);
    HEFT_CHECK(add_slopes(w, of));
    HEFT_CHECK(add_normals(w, of));
    HEFT_CHECK(add_points(w, of));
    HEFT_CHECK(add_rounded(w, of));
    for (size_t j = 0; j < t->n_attr; j++)
        if (t->attr[j].kind == HEFT_TERM_KERNEL) HEFT_CHECK(add_kernel(w, j, of));
    if (trees && trees->n_columns > 1) {
        for (size_t k = 0; k < n_trees; k++) term[k] = t->n_attr + t->joint.n;
        HEFT_CHECK(add_leaves(w, trees, &leaves));
        add_lines(of, w, leaves, term);
    }
    return of->n ? order_lines(w, of, out) : HEFT_OK;
}

/* start[C]: where a sum begins. Of a row of zeros, what all zeros add. */
static heft_status find_start(lowering *w, const double **out)
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
            zero_line(w, j, zero);
            for (size_t k = 0; k < w->C; k++) start[k] += zero[k];
        }
    *out = start;
    return HEFT_OK;
}

/* Evidence by term: the lines, and the trees of two classes as one line more. */
static heft_status note_evidence(lowering *w, const lines *of, size_t line, size_t trees)
{
    size_t *parts, *term, n = 0;
    SCRATCH(parts, 2);
    SCRATCH(term, of->n + 1);
    memcpy(term, of->term, of->n * sizeof *term);
    if (of->n) parts[n++] = line;
    if (trees) parts[n++] = trees, term[of->n] = w->t->n_attr + w->t->joint.n;
    if (n == 0) return HEFT_OK;
    w->g->line_term = term;
    w->g->lines = join(w, parts, n);
    return HEFT_OK;
}

/* One sum: [1, C]. */
static heft_status lower_sum(lowering *w, size_t *out)
{
    const heft_trees *trees = w->t->trees;
    const double     *start = NULL;
    lines             of = {0};
    size_t            line = 0, leaves = 0, sign = 0, margin = 0;
    HEFT_CHECK(find_start(w, &start));
    HEFT_CHECK(find_lines(w, &of, &line));
    *out = of.n ? sum(w, line, start) : constant(w, start, 1, w->C);
    if (trees && trees->n_columns == 1) {
        HEFT_CHECK(add_leaves(w, trees, &leaves));
        HEFT_CHECK(tree_signs(w, &sign));
        margin = EACH(w, MUL, sum(w, leaves, NULL), sign);
        *out = EACH(w, ADD, *out, margin);
    }
    if (w->how & HEFT_LOWER_EVIDENCE) HEFT_CHECK(note_evidence(w, &of, line, margin));
    return HEFT_OK;
}

/* ---- class pairs ---- */

/* 1 / (1 + exp(-t)), and 1 less that. */
static void sigmoid(lowering *w, size_t t, size_t out[2])
{
    const size_t zero = number(w, 0), one = number(w, 1);
    const size_t e = EACH(w, EXP, EACH(w, SUB, zero, EACH(w, ABS, t)));
    const size_t all = EACH(w, ADD, one, e);
    const size_t large = EACH(w, DIV, one, all), small = EACH(w, DIV, e, all);
    out[0] = EACH(w, IF_LESS, t, zero, small, large);
    out[1] = EACH(w, IF_LESS, t, zero, large, small);
}

/* One margin per pair: weights times the differences between two classes: [1, pairs]. */
static heft_status lower_margins(lowering *w, size_t *out)
{
    const size_t P = w->t->n_class_pairs;
    lines        of = {0};
    size_t       line = 0, *a, *b;
    double      *weight, *start;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, P, a, b, start);
    HEFT_CHECK(find_lines(w, &of, &line));
    SCRATCH(weight, of.n * P);
    for (size_t k = 0; k < P; k++) {
        const heft_class_pair *pair = &w->t->class_pair[k];
        a[k] = pair->a;
        b[k] = pair->b;
        const double x = pair->w0 * (w->t->start[a[k]] - w->t->start[b[k]]);
        start[k] = isfinite(x) ? x : x > 0 ? 1e300 : x < 0 ? -1e300 : 0;
        for (size_t m = 0; m < of.n; m++) weight[m * P + k] = pair->w[of.term[m]];
    }
    if (of.n == 0) {
        *out = constant(w, start, 1, P);
        return HEFT_OK;
    }
    const size_t apart = EACH(w, SUB, columns(w, line, a, P), columns(w, line, b, P));
    *out = sum(w, EACH(w, MUL, apart, constant(w, weight, of.n, P)), start);
    return HEFT_OK;
}

/* Class pairs vote: the score is the log of the share of the votes. */
static heft_status lower_votes(lowering *w, size_t *score)
{
    const size_t K = w->t->n_class, P = w->t->n_class_pairs;
    double      *votes[2];
    size_t       margin = 0, share[2], part[2];
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, P * K, votes[0], votes[1]);
    HEFT_CHECK(lower_margins(w, &margin));
    sigmoid(w, turn(w, margin), share);
    for (size_t k = 0; k < P; k++)
        votes[0][k * K + w->t->class_pair[k].a] = votes[1][k * K + w->t->class_pair[k].b] = 1;
    for (size_t side = 0; side < 2; side++)
        part[side] = EACH(w, MUL, share[side], constant(w, votes[side], P, K));
    const size_t all = sum(w, EACH(w, ADD, part[0], part[1]), NULL);
    const size_t some = EACH(w, MAX, all, number(w, 1e-300));
    *score = EACH(w, LOG, EACH(w, DIV, some, number(w, (double)P)));
    return HEFT_OK;
}

/* ---- several sums ---- */

static heft_status combine(lowering *w, size_t *score)
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
    HEFT_CHECK(reserve(w, 64));
    const size_t sums = join(w, mixed ? one : one + 1, by->n + mixed);
    if (mixed) {
        for (size_t k = 0; k <= by->n; k++) share[k] = log(by->mixing[k]);
        const size_t whole = log_sum_across(w, sums);
        const size_t by_share = EACH(w, SUB, constant(w, share, by->n + 1, 1), whole);
        *score = log_sum(w, EACH(w, ADD, sums, by_share));
    } else if (by->combining == HEFT_AVERAGED) {
        const size_t all = log_sum(w, sums);
        *score = EACH(w, IF_LESS, all, number(w, HEFT_ABSENT / 10), base, all);
    } else {
        const size_t some = EACH(w, MAX, sums, number(w, HEFT_LEAST_SUM));
        *score = EACH(w, ADD, base, sum(w, EACH(w, LOG, some), NULL));
    }
    return HEFT_OK;
}

/* ---- classes ---- */

static heft_status calibrate(lowering *w, size_t *score)
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
    if (how->kind == HEFT_VECTOR) *score = EACH(w, SUB, *score, log_sum_across(w, *score));
    *score = EACH(w, MUL, constant(w, scale, 1, w->C), *score);
    *score = EACH(w, ADD, *score, constant(w, shift, 1, w->C));
    return HEFT_OK;
}

static void decide(lowering *w, size_t proba)
{
    const heft_decision *rule = &w->base->model->decision;
    const size_t         K = w->base->n_class;
    heft_graph_node      node = {HEFT_OP_DECIDE, 1, 1, .n_in = 1, .in = {proba}, .codes = true};
    if (rule->kind == HEFT_THRESHOLD) {
        node.decide = HEFT_FROM_THRESHOLD;
        node.chosen = rule->chosen;
        node.one = rule->threshold;
    } else if (rule->kind == HEFT_LEAST_COST) {
        const size_t each = EACH(w, MUL, turn(w, proba), constant(w, rule->cost, K, K));
        node.in[0] = sum(w, each, NULL);
        node.decide = HEFT_SMALLEST;
    }
    w->g->decision = add(w, node);
}

/* From scores of the columns of the graph to probabilities of all classes, and the decision. */
static heft_status finish(lowering *w, size_t score)
{
    static const double zero_one[] = {0, 1};
    const size_t        K = w->base->n_class;
    size_t             *place;
    if (w->differences) score = EACH(w, MUL, score, constant(w, zero_one, 1, 2));
    size_t proba = softmax(w, score);
    if (w->n_kept < K) {
        SCRATCH(place, K);
        for (size_t c = 0; c < K; c++) place[c] = SIZE_MAX;
        for (size_t k = 0; k < w->n_kept; k++) place[w->kept[k]] = k;
        proba = columns(w, proba, place, K);
    }
    w->g->probabilities = proba;
    decide(w, proba);
    return HEFT_OK;
}

/* Classes that are not left out; all of them if none is left. */
static void find_kept(lowering *w)
{
    w->n_kept = 0;
    for (size_t c = 0; c < w->base->n_class; c++)
        if (!heft_class_absent(w->base, c)) w->kept[w->n_kept++] = c;
    if (w->n_kept) return;
    for (size_t c = 0; c < w->base->n_class; c++) w->kept[w->n_kept++] = c;
}

/* Whether the difference of two scores is all that counts. */
static bool differences_suffice(const lowering *w)
{
    const heft_calibration *how = &w->base->model->calibration;
    return w->how & HEFT_LOWER_DIFFERENCES && w->n_kept == 2 && !w->base->class_pair &&
           w->base->further.n == 0 && how->kind != HEFT_VECTOR &&
           (!how->scale || how->scale[w->kept[0]] == how->scale[w->kept[1]]);
}

heft_status heft_graph_lower(heft_ctx *ctx, const heft_terms *t, unsigned how, heft_graph *out)
{
    lowering lowered = {
        .ctx = ctx, .g = out, .base = t, .t = t, .prep = &t->model->prep, .how = how};
    lowering    *w = &lowered;
    const size_t n = t->n_attr, K = t->n_class;
    size_t       score = 0;
    *out = (heft_graph){.terms = t};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, w->number_of, w->code_of);
    HEFT_ALLOC(ctx, &ctx->scratch, w->maps, n);
    HEFT_ALLOC(ctx, &ctx->scratch, w->grid_of, t->joint.n_grids);
    HEFT_ALLOCS(ctx, &ctx->scratch, K, w->kept, w->line);
    HEFT_CHECK(reserve(w, 256));
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
        HEFT_CHECK(reserve(w, 64));
        find_kept(w);
        w->C = w->n_kept;
        if (w->n_kept < K) score = columns(w, score, w->kept, w->n_kept);
    } else {
        HEFT_CHECK(lower_sum(w, &score));
    }
    HEFT_CHECK(combine(w, &score));
    HEFT_CHECK(reserve(w, 64));
    HEFT_CHECK(calibrate(w, &score));
    HEFT_CHECK(finish(w, score));
    out->n_kept = w->n_kept;
    out->kept = w->kept;
    return HEFT_OK;
}
