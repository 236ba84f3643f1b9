/* graph_run.h - runs the graph of a score (export/graph.h) for one row, operator by operator. It is
 * what the operators mean: exports are compared with predict, and so is this. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "export/graph.h"
#include "prep/numbers.h"

typedef struct graph_row {
    const double *numbers; /* one per attribute; NaN: missing */
    const int    *codes;   /* one per attribute; -1: missing, -2: not known */
} graph_row;

static double element_value(heft_op op, double a, double b, double c, double d)
{
    (void)b, (void)c, (void)d;
    switch (op) {
#define HEFT_ELEMENT(name, n, value, sql, pmml)                                                    \
    case HEFT_OP_##name:                                                                           \
        return value;
#include "export/graph_ops.def"
#undef HEFT_ELEMENT
    default:
        fail_msg("no operator on elements: %d", (int)op);
        return 0;
    }
}

static double kernel_value(const heft_kernel_rule *r, double x)
{
    double top = -INFINITY, sum = 0;
    if (r->n == 0) return 0;
    for (size_t k = 0; k < r->n; k++) {
        const double z = fmin(fabs(x - r->point[k]) / r->width, 1e140);
        top = fmax(top, r->log_mass[k] - 0.5 * z * z);
    }
    for (size_t k = 0; k < r->n; k++) {
        const double z = fmin(fabs(x - r->point[k]) / r->width, 1e140);
        sum += exp(r->log_mass[k] - 0.5 * z * z - top);
    }
    return top + log(sum) - 0.91893853320467274178 - log(r->width);
}

/* The log of the sum of exponentials of n numbers, `step` apart. */
static double log_sum_of(const double *x, size_t n, size_t step)
{
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < n; k++) top = fmax(top, x[k * step]);
    if (isinf(top)) return top;
    for (size_t k = 0; k < n; k++) sum += exp(x[k * step] - top);
    return top + log(sum);
}

static bool split_left(const heft_graph_split *s, uint32_t code)
{
    for (size_t k = 0; k < s->n_listed; k++)
        if (s->listed[k] == code) return true;
    return !s->n_listed && (code < s->below || code == s->also);
}

static void run_leaves(const heft_graph_node *node, const double *codes, double *out)
{
    const heft_leaf_rule   *rule = node->rule;
    const heft_graph_split *first = rule->split;
    for (size_t t = 0; t < node->rows; t++) {
        const heft_graph_split *s = first;
        size_t                  n = rule->n_leaves[t], at = 0;
        while (n > 1) {
            if (split_left(s, (uint32_t)codes[s->from])) {
                n = s->left;
                s++;
            } else {
                at += s->left;
                n -= s->left;
                s += s->left;
            }
        }
        out[t] = (double)at;
        first += rule->n_leaves[t] - 1;
    }
}

static double cell_value(const heft_cell_rule *r, const double *codes)
{
    const uint64_t cell = (uint64_t)r->map[0][(size_t)codes[r->from[0]]] * r->times +
                          r->map[1][(size_t)codes[r->from[1]]];
    assert_true((size_t)codes[r->from[0]] < r->n_codes[0]);
    assert_true((size_t)codes[r->from[1]] < r->n_codes[1]);
    if (!r->key) return (double)cell;
    const size_t at = heft_lower_bound_u64(r->key, r->n_cells, cell);
    return (double)(at < r->n_cells && r->key[at] == cell ? at : r->n_cells);
}

static void run_unit(const double *x, size_t n, double *out)
{
    double top = 0, sum = 0;
    for (size_t k = 0; k < n; k++)
        if (!isnan(x[k]) && fabs(x[k]) > top) top = fabs(x[k]);
    const double scale = heft_unit_scale(top);
    for (size_t k = 0; k < n; k++)
        if (!isnan(x[k])) sum += x[k] * scale * (x[k] * scale);
    for (size_t k = 0; k < n; k++) out[k] = heft_unit_apply(x[k], scale, sqrt(sum));
}

static void run_softmax(const double *x, size_t n, double *out)
{
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < n; k++) top = fmax(top, x[k]);
    for (size_t k = 0; k < n; k++) sum += out[k] = exp(x[k] - top);
    for (size_t k = 0; k < n; k++) out[k] /= sum;
}

static double run_decide(const heft_graph_node *node, const double *x, size_t n)
{
    size_t best = 0;
    if (node->decide == HEFT_FROM_THRESHOLD)
        return (double)(x[node->chosen] >= node->one ? node->chosen : 1 - node->chosen);
    for (size_t k = 1; k < n; k++)
        if (node->decide == HEFT_LARGEST ? x[k] > x[best] : x[k] < x[best]) best = k;
    return (double)best;
}

static double input_code(const heft_graph *g, size_t j, int code)
{
    const heft_prep *prep = &g->terms->model->prep;
    if (code >= 0) return code;
    return (double)(code == -1 ? heft_code_missing(&prep->attr[j]) : heft_code_unseen(prep, j));
}

/* One element of a node with `in` its inputs. */
static double run_element(const heft_graph *g, const heft_graph_node *node, double *const *value,
                          size_t i, size_t c)
{
    double x[4] = {0};
    for (size_t k = 0; k < node->n_in; k++) {
        const heft_graph_node *from = &g->node[node->in[k]];
        x[k] = value[node->in[k]]
                    [(from->rows > 1 ? i : 0) * from->columns + (from->columns > 1 ? c : 0)];
    }
    return element_value(node->op, x[0], x[1], x[2], x[3]);
}

static double run_one(const heft_graph *g, const heft_graph_node *node, double *const *value,
                      const graph_row *row, size_t i, size_t c)
{
    const heft_graph_node *from =
        node->n_in && node->op != HEFT_OP_JOIN ? &g->node[node->in[0]] : NULL;
    const double *x = from ? value[node->in[0]] : NULL;
    const size_t  C = from ? from->columns : 0;
    double        sum;
    switch (node->op) {
    case HEFT_OP_NUMBERS:
        sum = row->numbers[node->list[i]];
        return isnan(sum) ? node->numbers[i] : sum;
    case HEFT_OP_CODES:
        return input_code(g, node->list[i], row->codes[node->list[i]]);
    case HEFT_OP_CONST:
        return heft_const_at(node, i, c);
    case HEFT_OP_SCALE:
        return heft_scaled(
            &(heft_attr_prep){.shift = node->numbers[i], .factor = node->numbers[node->rows + i]},
            x[i]);
    case HEFT_OP_CUT: {
        const heft_cut_rule *r = (const heft_cut_rule *)node->rule + i;
        if (isnan(x[r->from])) return (double)(r->n_cuts + 1);
        return (double)heft_lower_bound(r->cuts, r->n_cuts, x[r->from]);
    }
    case HEFT_OP_CELL:
        return cell_value((const heft_cell_rule *)node->rule + i, x);
    case HEFT_OP_LOOKUP: {
        const heft_lookup_rule *r = (const heft_lookup_rule *)node->rule + i;
        assert_true((size_t)x[r->from] < r->n_lines);
        return r->table[(size_t)x[r->from] * node->columns + c];
    }
    case HEFT_OP_KERNEL:
        return kernel_value((const heft_kernel_rule *)node->rule + i * node->columns + c, x[i]);
    case HEFT_OP_JOIN:
        for (size_t k = 0; k < node->n_in; k++) {
            const heft_graph_node *part = &g->node[node->list[k]];
            if (i < part->rows) return value[node->list[k]][i * part->columns + c];
            i -= part->rows;
        }
        fail_msg("no such row");
        return 0;
    case HEFT_OP_PICK:
        return x[node->list[i] * C + c];
    case HEFT_OP_GATHER:
        return x[node->list[i * node->columns + c] * C];
    case HEFT_OP_COLUMNS:
        return node->list[c] == SIZE_MAX ? 0 : x[i * C + node->list[c]];
    case HEFT_OP_TURN:
        return x[c * C + i];
    case HEFT_OP_SUM:
        sum = node->numbers ? node->numbers[c] : 0;
        for (size_t k = 0; k < from->rows; k++) sum += x[k * C + c];
        return sum;
    case HEFT_OP_TOP:
        sum = -INFINITY;
        for (size_t k = 0; k < from->rows; k++) sum = fmax(sum, x[k * C + c]);
        return sum;
    case HEFT_OP_LOG_SUM:
        return log_sum_of(x + c, from->rows, C);
    case HEFT_OP_DECIDE:
        return run_decide(node, x, C);
    default:
        return run_element(g, node, value, i, c);
    }
}

/* proba[n_class] of a row; returns the predicted class. */
static size_t graph_run(const heft_graph *g, const graph_row *row, double *proba)
{
    double **value = calloc(g->n, sizeof *value);
    for (size_t k = 0; k < g->n; k++) {
        const heft_graph_node *node = &g->node[k];
        value[k] = calloc(node->rows * node->columns + 1, sizeof **value);
        if (node->op == HEFT_OP_LEAF) run_leaves(node, value[node->in[0]], value[k]);
        else if (node->op == HEFT_OP_UNIT) run_unit(value[node->in[0]], node->rows, value[k]);
        else if (node->op == HEFT_OP_SOFTMAX)
            run_softmax(value[node->in[0]], node->columns, value[k]);
        else
            for (size_t i = 0; i < node->rows; i++)
                for (size_t c = 0; c < node->columns; c++)
                    value[k][i * node->columns + c] = run_one(g, node, value, row, i, c);
    }
    assert_int_equal(g->node[g->probabilities].columns, g->terms->n_class);
    memcpy(proba, value[g->probabilities], g->terms->n_class * sizeof *proba);
    const size_t best = (size_t)value[g->decision][0];
    for (size_t k = 0; k < g->n; k++) free(value[k]);
    free(value);
    return best;
}
