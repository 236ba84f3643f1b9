/* onnx_terms.h - the terms of a score as nodes of an ONNX graph.
 *
 * Cells come as two matrices: the prepared numbers, and the spots (model/term.h) of all attributes
 * that have a table. Terms add lines, [N, terms, classes], to the score. */
#pragma once

#include "explain/terms.h"
#include "export/onnx_graph.h"

typedef struct heft_onnx_walk {
    heft_ctx         *ctx;
    heft_onnx        *g;
    const heft_terms *t;
    size_t            K;                   /* classes */
    heft_onnx_value   numbers;             /* [N, numeric attributes] */
    heft_onnx_value   spots;               /* [N, attributes with a table] */
    int64_t          *number_of, *spot_of; /* n_attr: columns of these; -1: none */
    heft_onnx_value   views;               /* codes of all views, one list */
    size_t           *view_of;             /* n_attr: where its first view begins */
    bool              any;                 /* there is a sum */
    heft_onnx_value   sum; /* what the terms add up to: [N, K], or [N, class pairs] */
    /* The lines themselves, with `evidence`. */
    bool             evidence;
    size_t           n_parts, n_lines;
    heft_onnx_value *part; /* [N, lines, K] */
    size_t          *term; /* the term of each line: attributes, then joint terms, then the trees */
} heft_onnx_walk;

/* How many lines are added at once: a row needs 4,096 numbers for them. */
static inline size_t heft_onnx_part(const heft_onnx_walk *w)
{
    return w->K < 4096 ? 4096 / w->K : 1;
}

/* The line of a term's table for a spot: here intervals are in their order, also in models of
 * sparse rows. */
size_t heft_onnx_line(const heft_terms *t, size_t j, size_t spot);
/* Adds n lines to the score: [N, n, K]. */
heft_status heft_onnx_add(heft_onnx_walk *w, heft_onnx_value lines, const size_t *term, size_t n);

heft_status heft_onnx_views(heft_onnx_walk *w);     /* before the terms */
heft_status heft_onnx_tables(heft_onnx_walk *w);    /* attributes that have one; their slopes */
heft_status heft_onnx_densities(heft_onnx_walk *w); /* onnx_density.c */
heft_status heft_onnx_joint(heft_onnx_walk *w);
heft_status heft_onnx_trees(heft_onnx_walk *w); /* onnx_trees.c; those that have a split */
heft_status heft_onnx_score(heft_onnx_walk *w, heft_onnx_value *score); /* onnx_score.c */
void        heft_onnx_leaf(const heft_terms *t, size_t k, double *out); /* out[K]: its evidence */
