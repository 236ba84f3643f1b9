/* scalars.h - a graph (graph.h) element by element, for formats that have fields and expressions
 * but no arrays: SQL and PMML.
 *
 * An element is written as an expression where it is used, unless it is stored in a field of its
 * own: codes, and results that would be written several times. */
#pragma once

#include "base/put.h"
#include "export/graph.h"

typedef struct heft_scalar { /* an element of a node; node SIZE_MAX: the number 0 */
    size_t node, row, column;
} heft_scalar;

typedef struct heft_scalars {
    const heft_graph *g;
    bool             *stored; /* one per node: its elements have fields */
    void             *format;
    /* Writes the field of an element that is stored, or 0; and an expression for an element of an
     * operator that is not in graph_ops.def. */
    void (*put_field)(void *format, heft_scalar at, heft_buf *out);
    void (*put_other)(void *format, heft_scalar at, heft_buf *out);
    const char *(*text)(void *format, heft_op op); /* the form of an operator on elements */
} heft_scalars;

/* The callbacks are set. Finds what to store: all codes except those that only tables of one column
 * use and those of very many trees, and what would be written more than once and is long. Scratch
 * memory. */
heft_status heft_scalars_open(heft_ctx *ctx, const heft_graph *g, heft_scalars *out);
/* The element that row i and column c of node k stand for: it is looked up through JOIN, PICK,
 * COLUMNS and TURN. */
heft_scalar heft_scalar_at(const heft_graph *g, size_t k, size_t i, size_t c);
/* Input k of an element. */
heft_scalar heft_scalar_in(const heft_graph *g, heft_scalar at, size_t k);
/* Whether an element is 0 for every row of data. */
bool heft_scalar_zero(const heft_graph *g, heft_scalar at);
/* Writes an element: its field, or an expression. */
void heft_scalar_put(const heft_scalars *s, heft_scalar at, heft_buf *out);
/* The expression, also where the element is stored. */
void heft_scalar_define(const heft_scalars *s, heft_scalar at, heft_buf *out);
