/* onnx_leaves.h - what the files of the ONNX export share. */
#pragma once

#include "export/graph.h"
#include "export/onnx_graph.h"

typedef struct heft_onnx_writer {
    heft_ctx         *ctx;
    heft_onnx        *g;
    const heft_graph *graph;
    heft_onnx_value  *value; /* one value per node */
    bool             *fixed; /* whether each node is the same for all rows of data */
} heft_onnx_writer;

/* The leaf of each tree, a code: [N, trees, 1]. */
heft_status heft_onnx_leaves(heft_onnx_writer *w, const heft_graph_node *node,
                             heft_onnx_value codes, heft_onnx_value *out);
