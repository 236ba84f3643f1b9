/* graph.h - the score of a model as a graph of a few operators, which every export format writes.
 *
 * The lowering (lower.h) is the only place that knows kinds of terms, densities, class pairs and
 * several sums. A format writes operators. A value of the graph is, for one row of data, a matrix
 * of `rows` x `columns` numbers or codes; a row of the matrix stands for an attribute, a term or a
 * tree, and a column for a class. Nodes come after their inputs. Where an operator on elements has
 * inputs of different shapes, rows or columns of length 1 are repeated.
 *
 *   NUMBERS  numeric cells of the row of data; a missing one becomes `fill`, unless that is NaN
 *   CODES    codes of nominal cells: the value, or the codes for missing cells and other values
 *   CONST    numbers of the model
 *   UNIT     all numbers divided by the length of the row; a row of zeros stays
 *   SCALE    (x - shift) * factor, kept finite
 *   CUT      the number of cuts below a number: a code; one more code for missing numbers
 *   CELL     the cell of a pair of attributes by two codes; with keys, its place among them
 *   LEAF     the leaf of each tree that the codes of a row lead to
 *   LOOKUP   the line of a table that a code names; each row has a table of its own
 *   KERNEL   the log of kernel densities of the number of a row, one for each column; 0 for one
 *            that has no points
 *   JOIN     matrices, one below the other
 *   PICK     some rows        COLUMNS  some columns, or 0        TURN  columns become rows
 *   GATHER   a matrix of elements of a column, by their rows
 *   SUM      the sum over rows, from `numbers` on, in their order
 *   LOG_SUM  the log of the sum of exponentials over rows      TOP  the largest number of each
 *            column
 *   SOFTMAX  over columns
 *   DECIDE   the column of the largest or the smallest number, the first of several; or a
 *            threshold
 *
 * and the operators on elements of graph_ops.def. Missing numbers are NaN. A result that depends on
 * a missing number is used by IF_MISSING alone, so that formats need not agree about comparisons
 * with missing numbers.
 *
 * In its plain form (no flags) a graph repeats the arithmetic of predict in the same
 * order, and its results have the same bits, except where tests/export_test.c says why not.
 *
 * Pages use the graph too: pages/report_whatif.c writes it, and a script that knows the operators
 * gives the probabilities of any row. The rows of node `lines` are what the attributes, the pairs
 * and the trees add to the start of the score, and line_term tells which is which. */
#pragma once

#include "explain/terms.h"

typedef enum heft_op {
    HEFT_OP_NUMBERS,
    HEFT_OP_CODES,
    HEFT_OP_CONST,
    HEFT_OP_UNIT,
    HEFT_OP_SCALE,
    HEFT_OP_CUT,
    HEFT_OP_CELL,
    HEFT_OP_LEAF,
    HEFT_OP_LOOKUP,
    HEFT_OP_KERNEL,
    HEFT_OP_JOIN,
    HEFT_OP_PICK,
    HEFT_OP_COLUMNS,
    HEFT_OP_GATHER,
    HEFT_OP_TURN,
    HEFT_OP_SUM,
    HEFT_OP_LOG_SUM,
    HEFT_OP_TOP,
    HEFT_OP_SOFTMAX,
    HEFT_OP_DECIDE,
#define HEFT_ELEMENT(name, n, c, sql, pmml) HEFT_OP_##name,
#include "export/graph_ops.def"
#undef HEFT_ELEMENT
    HEFT_N_OPS
} heft_op;

enum { HEFT_FIRST_ELEMENT_OP = HEFT_OP_ADD };

/* An operator on elements as the formats write it; all zeros for other operators. */
typedef struct heft_element {
    size_t      n_in;
    const char *c, *sql, *pmml;
} heft_element;
extern const heft_element heft_elements[HEFT_N_OPS];
/* Writes the name of an operator in lower case, as JSON and pages have it. */
void heft_put_op(heft_buf *out, heft_op op);

typedef struct heft_cut_rule { /* CUT: row `from` of the input */
    size_t        from, n_cuts;
    const double *cuts; /* increasing, some may be equal; a number above n of them has code n */
} heft_cut_rule;        /* code of missing numbers: n_cuts + 1 */

typedef struct heft_cell_rule { /* CELL: map[0][code] * times + map[1][code] */
    size_t          from[2], n_codes[2];
    const uint32_t *map[2]; /* attributes' views: pairs share them */
    size_t          times;
    size_t          n_cells; /* with keys: their number, which is also the result for other cells */
    const uint64_t *key;     /* increasing; NULL: the sum itself is the result */
} heft_cell_rule;

typedef struct heft_lookup_rule { /* LOOKUP: the line that row `from` of the input names */
    size_t        from, n_lines;
    const double *table; /* n_lines x columns */
} heft_lookup_rule;

/* LEAF: a row goes left where its code is below `below`, or is `also`, or is in the list. Trees are
 * stored as in boost/trees.h: splits in pre-order with the number of leaves to their left. */
typedef struct heft_graph_split {
    uint32_t        from, below, also; /* also: UINT32_MAX for none */
    uint32_t        at;       /* `below`, or more where all codes are below: for missing_as */
    uint32_t        n_listed; /* above 0: only the list counts */
    uint8_t         left;
    const uint32_t *listed; /* increasing */
} heft_graph_split;

typedef struct heft_leaf_rule {
    size_t                  n_splits;
    const heft_graph_split *split;
    const uint8_t          *n_leaves; /* one number per tree */
    /* For runtimes that compare all codes of a row of the input in one way: its number of missing
     * cells, and a code that goes the same way; -1: below all others. */
    const uint32_t *missing;
    const int64_t  *missing_as;
} heft_leaf_rule;

typedef struct heft_kernel_rule { /* KERNEL: one per element */
    size_t        n;
    const double *point, *log_mass;
    double        width;
} heft_kernel_rule;

typedef enum heft_decide_kind { HEFT_LARGEST, HEFT_SMALLEST, HEFT_FROM_THRESHOLD } heft_decide_kind;

typedef struct heft_graph_node {
    heft_op       op;
    size_t        rows, columns;
    size_t        n_in;
    size_t        in[4];   /* JOIN: see `list` */
    bool          codes;   /* the elements are codes, not numbers */
    double        one;     /* CONST: the number, where `numbers` is NULL; DECIDE: the threshold */
    const double *numbers; /* CONST: rows x columns; SUM: where it begins; NUMBERS: fill; SCALE:
                              shifts, then factors */
    const size_t *list; /* NUMBERS, CODES: attributes; PICK: rows; GATHER: a row for each element;
                           COLUMNS: columns, SIZE_MAX: 0; JOIN: n_in nodes */
    const void      *rule; /* one per row, or the one that the operator has */
    heft_decide_kind decide;
    size_t           chosen; /* DECIDE with a threshold: the column that it is for */
} heft_graph_node;

typedef struct heft_graph {
    const heft_terms *terms;
    size_t            n, capacity;
    heft_graph_node  *node;
    size_t            probabilities, decision; /* nodes */
    /* With HEFT_LOWER_EVIDENCE: evidence by term. A line is an attribute, n_attr + a joint term, or
     * the trees, which come last. */
    size_t        lines;
    const size_t *line_term;
    size_t        n_kept; /* classes that are not left out; columns of `lines` */
    const size_t *kept;
    /* With HEFT_LOWER_TREE_LINES, if there are trees: the fraction of the training rows that have
     * each code, for each row of the codes of attributes; share_size has their numbers of codes. */
    size_t        n_share;
    const size_t *share_size;
    const double *share;
} heft_graph;

enum {                             /* how a score is lowered */
       HEFT_LOWER_DIFFERENCES = 1, /* tables of two classes have differences where they suffice */
       HEFT_LOWER_NO_TAIL = 2,     /* TAIL, which needs an error function, is spelled out */
       HEFT_LOWER_NO_LOG_SUM = 4,  /* LOG_SUM is spelled out with TOP, EXP and SUM */
       HEFT_LOWER_NO_SOFTMAX = 8,  /* and so is SOFTMAX */
       HEFT_LOWER_NO_KERNEL = 16,  /* and KERNEL, with a row for each of its points */
       HEFT_LOWER_EVIDENCE = 32,
       HEFT_LOWER_TREE_LINES = 128, /* each tree is a line of evidence; `share` is set */
       HEFT_LOWER_SHORT = 64 /* numbers that follow from others are computed: last bits differ */
};

/* Scratch memory; refers to the terms. Cost: the size of the tables. */
heft_status heft_graph_lower(heft_ctx *ctx, const heft_terms *terms, unsigned how, heft_graph *out);

static inline size_t heft_input(const heft_graph_node *node, size_t k)
{
    return node->op == HEFT_OP_JOIN ? node->list[k] : node->in[k];
}

static inline double heft_const_at(const heft_graph_node *node, size_t row, size_t column)
{
    if (!node->numbers) return node->one;
    return node
        ->numbers[(node->rows > 1 ? row : 0) * node->columns + (node->columns > 1 ? column : 0)];
}

/* The codes of a nominal attribute for a missing cell and for a value that is not known. */
static inline size_t heft_code_missing(const heft_attr_prep *a)
{
    return a->has_fill ? (size_t)a->fill : heft_dict_size(a->dict);
}

static inline size_t heft_code_unseen(const heft_prep *prep, size_t j)
{
    const heft_attr_prep *a = &prep->attr[j];
    return prep->spec.unseen_zero ? heft_dict_size(a->dict) + 1 : heft_code_missing(a);
}
