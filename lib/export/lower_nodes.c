/* lower_nodes.c - nodes of a graph (graph.h), and the lines that terms add to a sum. A node is
 * named by its number. Where there is no memory for one, `failed` is set and the number of another
 * node is returned: heft_graph_lower looks at it last. */
#include "export/lower.h"

#include <math.h>
#include <string.h>

#include "base/put.h"
#include "export/score_parts.h"

const heft_element heft_elements[HEFT_N_OPS] = {
#define HEFT_ELEMENT(name, n, c, sql, pmml) [HEFT_OP_##name] = {n, #c, sql, pmml},
#include "export/graph_ops.def"
#undef HEFT_ELEMENT
};

void heft_put_op(heft_buf *out, heft_op op)
{
    static const char *const names[HEFT_N_OPS] = {
        [HEFT_OP_NUMBERS] = "numbers", [HEFT_OP_CODES] = "codes",     [HEFT_OP_CONST] = "constant",
        [HEFT_OP_UNIT] = "unit",       [HEFT_OP_SCALE] = "scale",     [HEFT_OP_CUT] = "cut",
        [HEFT_OP_CELL] = "cell",       [HEFT_OP_LEAF] = "leaf",       [HEFT_OP_LOOKUP] = "lookup",
        [HEFT_OP_KERNEL] = "kernel",   [HEFT_OP_JOIN] = "join",       [HEFT_OP_PICK] = "pick",
        [HEFT_OP_COLUMNS] = "columns", [HEFT_OP_GATHER] = "gather",   [HEFT_OP_TURN] = "turn",
        [HEFT_OP_SUM] = "sum",         [HEFT_OP_LOG_SUM] = "log_sum", [HEFT_OP_TOP] = "top",
        [HEFT_OP_SOFTMAX] = "softmax", [HEFT_OP_DECIDE] = "decide",
#define HEFT_ELEMENT(name, n, c, sql, pmml) [HEFT_OP_##name] = #name,
#include "export/graph_ops.def"
#undef HEFT_ELEMENT
    };
    for (const char *s = names[op]; *s; s++)
        heft_put(out, "%c", *s >= 'A' && *s <= 'Z' ? *s + 32 : *s);
}

/* ---- nodes ---- */

heft_status heft_nodes_open(heft_lowering *w)
{
    SCRATCH(w->g->node, w->g->capacity = 256);
    return HEFT_OK;
}

size_t heft_node_add(heft_lowering *w, heft_graph_node node)
{
    heft_graph *g = w->g;
    if (g->n == g->capacity) {
        heft_graph_node *larger =
            heft_arena_alloc(&w->ctx->scratch, 2 * g->capacity, sizeof *larger);
        if (!larger) {
            w->failed = true;
            return g->n - 1;
        }
        memcpy(larger, g->node, g->n * sizeof *larger);
        g->node = larger;
        g->capacity *= 2;
    }
    g->node[g->n] = node;
    return g->n++;
}

size_t heft_node_constant(heft_lowering *w, const double *x, size_t rows, size_t columns)
{
    return heft_node_add(w, (heft_graph_node){HEFT_OP_CONST, rows, columns, .numbers = x});
}

size_t heft_node_number(heft_lowering *w, double x)
{
    return heft_node_add(w, (heft_graph_node){HEFT_OP_CONST, 1, 1, .one = x});
}

/* An operator on elements. */
size_t heft_node_element(heft_lowering *w, heft_op op, size_t n, const size_t *in)
{
    heft_graph_node node = {op, 1, 1, .n_in = n};
    for (size_t k = 0; k < n; k++) {
        const heft_graph_node *from = &w->g->node[in[k]];
        node.in[k] = in[k];
        if (from->rows > node.rows) node.rows = from->rows;
        if (from->columns > node.columns) node.columns = from->columns;
    }
    return heft_node_add(w, node);
}

size_t heft_node_with_rule(heft_lowering *w, heft_op op, size_t from, size_t rows, const void *rule)
{
    return heft_node_add(
        w, (heft_graph_node){op, rows, 1, .n_in = 1, .in = {from}, .codes = true, .rule = rule});
}

size_t heft_node_pick(heft_lowering *w, size_t from, const size_t *list, size_t n)
{
    return heft_node_add(w, (heft_graph_node){HEFT_OP_PICK, n, w->g->node[from].columns, .n_in = 1,
                                              .in = {from}, .codes = w->g->node[from].codes,
                                              .list = list});
}

size_t heft_node_columns(heft_lowering *w, size_t from, const size_t *list, size_t n)
{
    return heft_node_add(w, (heft_graph_node){HEFT_OP_COLUMNS, w->g->node[from].rows, n, .n_in = 1,
                                              .in = {from}, .list = list});
}

size_t heft_node_gather(heft_lowering *w, size_t from, const size_t *list, size_t rows,
                        size_t columns)
{
    return heft_node_add(
        w, (heft_graph_node){HEFT_OP_GATHER, rows, columns, .n_in = 1, .in = {from}, .list = list});
}

size_t heft_node_turn(heft_lowering *w, size_t from)
{
    const heft_graph_node *x = &w->g->node[from];
    return heft_node_add(
        w, (heft_graph_node){HEFT_OP_TURN, x->columns, x->rows, .n_in = 1, .in = {from}});
}

size_t heft_node_join(heft_lowering *w, const size_t *list, size_t n)
{
    heft_graph_node node = {HEFT_OP_JOIN, .n_in = n, .list = list};
    if (n == 1) return list[0];
    for (size_t k = 0; k < n; k++) node.rows += w->g->node[list[k]].rows;
    node.columns = w->g->node[list[0]].columns;
    node.codes = w->g->node[list[0]].codes;
    return heft_node_add(w, node);
}

size_t heft_node_sum(heft_lowering *w, size_t from, const double *start)
{
    return heft_node_add(w, (heft_graph_node){HEFT_OP_SUM, 1, w->g->node[from].columns, .n_in = 1,
                                              .in = {from}, .numbers = start});
}

static size_t top(heft_lowering *w, size_t from)
{
    return heft_node_add(
        w, (heft_graph_node){HEFT_OP_TOP, 1, w->g->node[from].columns, .n_in = 1, .in = {from}});
}

/* The log of the sum of exponentials over rows: [1, columns]. */
size_t heft_node_log_sum(heft_lowering *w, size_t from)
{
    if (w->how & HEFT_LOWER_NO_LOG_SUM) {
        const size_t most = top(w, from), part = EACH(w, EXP, EACH(w, SUB, from, most));
        return EACH(w, ADD, most, EACH(w, LOG, heft_node_sum(w, part, NULL)));
    }
    return heft_node_add(w, (heft_graph_node){HEFT_OP_LOG_SUM, 1, w->g->node[from].columns,
                                              .n_in = 1, .in = {from}});
}

/* The log of the sum of exponentials over columns: [rows, 1]. */
size_t heft_node_log_sum_across(heft_lowering *w, size_t from)
{
    return heft_node_turn(w, heft_node_log_sum(w, heft_node_turn(w, from)));
}

size_t heft_node_softmax(heft_lowering *w, size_t score)
{
    if (w->how & HEFT_LOWER_NO_SOFTMAX) {
        const size_t each = heft_node_turn(w, score);
        const size_t part = EACH(w, EXP, EACH(w, SUB, each, top(w, each)));
        return heft_node_turn(w, EACH(w, DIV, part, heft_node_sum(w, part, NULL)));
    }
    return heft_node_add(w, (heft_graph_node){HEFT_OP_SOFTMAX, 1, w->g->node[score].columns,
                                              .n_in = 1, .in = {score}});
}

/* ---- lines of a sum ---- */

/* The column of a class in the tables of a sum; SIZE_MAX: it has none, and the class adds 0. */
size_t heft_lower_column_of(const heft_terms *t, size_t c)
{
    if (!t->present) return c;
    for (size_t k = 0; k < t->n_columns; k++)
        if (t->present[k] == c) return k;
    return SIZE_MAX;
}

static double value_at(const heft_terms *t, const double *line, size_t c)
{
    const size_t k = heft_lower_column_of(t, c);
    return k == SIZE_MAX ? 0 : line[k];
}

/* out[C]: a line of a table, for the columns of the graph. */
void heft_lower_take_line(const heft_lowering *w, const double *line, double *out)
{
    for (size_t k = 0; k < w->C; k++)
        out[k] = w->differences
                     ? value_at(w->t, line, w->kept[1]) - value_at(w->t, line, w->kept[0])
                     : value_at(w->t, line, w->kept[k]);
}

/* out[C]: the contribution of a zero to the score if scores start from a row of zeros, else 0. */
void heft_lower_zero_line(heft_lowering *w, size_t j, double *out)
{
    memset(out, 0, w->C * sizeof *out);
    if (!w->zeros) return;
    heft_term_value(w->t, j, 0, 0, w->line);
    heft_lower_take_line(w, w->line, out);
}

/* Adds the rows of a node, whose terms are given. */
void heft_lower_add_lines(heft_term_lines *to, const heft_lowering *w, size_t node,
                          const size_t *term)
{
    const size_t n = w->g->node[node].rows;
    to->node[to->n_nodes++] = node;
    memcpy(to->term + to->n, term, n * sizeof *term);
    to->n += n;
}

/* Numbers of some attributes, prepared as the density or the slope needs them: [n, 1]. */
heft_status heft_lower_scaled(heft_lowering *w, const size_t *attr, size_t n, size_t *out)
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
    bool all = n == w->g->node[w->numbers].rows;
    for (size_t m = 0; m < n; m++) all &= list[m] == m;
    *out = all ? w->numbers : heft_node_pick(w, w->numbers, list, n);
    if (!plain)
        *out = heft_node_add(
            w, (heft_graph_node){HEFT_OP_SCALE, n, 1, .n_in = 1, .in = {*out}, .numbers = by});
    return HEFT_OK;
}
