/* lower.h - what the parts of the lowering share: nodes of the graph and lines of a sum.
 *
 * lower.c lowers cells, tables, trees and sums, lower_densities.c the densities of numbers. Both
 * build the graph from the nodes of lower_nodes.c. */
#pragma once

#include "export/graph.h"

typedef struct heft_lowering {
    heft_ctx         *ctx;
    heft_graph       *g;
    const heft_terms *base, *t; /* the first sum, and the one that is being lowered */
    const heft_prep  *prep;
    unsigned          how;
    bool              failed;             /* there was no memory for a node */
    bool              differences, zeros; /* zeros: the score starts from that of a row of zeros */
    size_t            n_kept;             /* columns of densities: classes */
    size_t           *kept;
    size_t            C;       /* columns of tables: n_kept, or 1 where they have differences */
    size_t            numbers; /* node of all numbers, not scaled yet */
    size_t           *number_of, *code_of; /* n_attr: rows of these nodes */
    size_t            codes;               /* node of codes, then cells of pairs */
    size_t            n_codes;             /* codes of attributes */
    size_t           *grid_of;             /* rows of `codes` with the cells of each grid */
    const uint32_t ***maps; /* n_attr: the code that each view gives for a code, or NULL */
    double           *line; /* K */
} heft_lowering;

typedef struct heft_term_lines { /* contributions of the terms of a sum: rows of nodes, in the order
                          of predict */
    size_t  n_nodes, n;          /* n: rows of all nodes */
    size_t *node;
    size_t *term; /* n */
} heft_term_lines;

/* Scratch memory of the lowering w. */
#define SCRATCH(p, n) HEFT_ALLOC(w->ctx, &w->ctx->scratch, p, n)

/* An operator on elements. */
#define EACH(w, op, ...)                                                                           \
    heft_node_element((w), HEFT_OP_##op, sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t),   \
                      (const size_t[]){__VA_ARGS__})

/* ---- lower_nodes.c: all return the number of the node ---- */

heft_status heft_nodes_open(heft_lowering *w);
/* On failure `failed` is set, and the result is the number of another node. */
size_t heft_node_add(heft_lowering *w, heft_graph_node node);
/* CONST: the numbers x [rows, columns], or one number. */
size_t heft_node_constant(heft_lowering *w, const double *x, size_t rows, size_t columns);
size_t heft_node_number(heft_lowering *w, double x);
size_t heft_node_element(heft_lowering *w, heft_op op, size_t n, const size_t *in);
/* CUT, CELL or LEAF: the rows of `rule`, applied to node `from`. */
size_t heft_node_with_rule(heft_lowering *w, heft_op op, size_t from, size_t rows,
                           const void *rule);
size_t heft_node_pick(heft_lowering *w, size_t from, const size_t *list, size_t n);
size_t heft_node_columns(heft_lowering *w, size_t from, const size_t *list, size_t n);
size_t heft_node_gather(heft_lowering *w, size_t from, const size_t *list, size_t rows,
                        size_t columns);
size_t heft_node_turn(heft_lowering *w, size_t from);
size_t heft_node_join(heft_lowering *w, const size_t *list, size_t n);
/* SUM over rows, from start[columns] on; NULL: from 0. */
size_t heft_node_sum(heft_lowering *w, size_t from, const double *start);
/* The log of the sum of exponentials over rows, and over columns. */
size_t heft_node_log_sum(heft_lowering *w, size_t from);
size_t heft_node_log_sum_across(heft_lowering *w, size_t from);
size_t heft_node_softmax(heft_lowering *w, size_t score);

/* The column of class c in the tables; SIZE_MAX: it has none. */
size_t heft_lower_column_of(const heft_terms *t, size_t c);
/* out[C]: a line of a table, for the classes that are kept, or its differences. */
void heft_lower_take_line(const heft_lowering *w, const double *line, double *out);
/* out[C]: the contribution of a zero to the score if scores start from a row of zeros, else 0. */
void heft_lower_zero_line(heft_lowering *w, size_t j, double *out);
/* Adds the rows of a node, whose terms are given. */
void heft_lower_add_lines(heft_term_lines *to, const heft_lowering *w, size_t node,
                          const size_t *term);
/* Numbers of some attributes, prepared as the density or the slope needs them: [n, 1]. */
heft_status heft_lower_scaled(heft_lowering *w, const size_t *attr, size_t n, size_t *out);

/* ---- lower_densities.c ---- */

enum { HEFT_KERNELS = 400 }; /* elements of a KERNEL node, unless there are more classes */
/* Adds the lines of all terms that are densities. */
heft_status heft_lower_densities(heft_lowering *w, heft_term_lines *to);
