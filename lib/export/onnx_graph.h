/* onnx_graph.h - an ONNX model in the making: nodes, constant tensors, inputs, outputs. Errors of
 * memory are noted in the buffers; heft_onnx_finish reports them. */
#pragma once

#include "export/protobuf.h"

enum { /* types of tensors (TensorProto.DataType) */
       HEFT_ONNX_FLOAT = 1,
       HEFT_ONNX_UINT8 = 2,
       HEFT_ONNX_INT64 = 7,
       HEFT_ONNX_STRING = 8,
       HEFT_ONNX_DOUBLE = 11
};

enum { HEFT_ONNX_OPSET = 13, HEFT_ONNX_ML_OPSET = 2, HEFT_ONNX_IR = 7 };

typedef size_t heft_onnx_value; /* the output of a node, a tensor or an input */

typedef struct heft_onnx {
    heft_buf nodes, tensors, inputs, outputs, properties; /* encoded */
    heft_buf attributes;                                  /* attributes of the next node, encoded */
    size_t   n_inputs, n_values; /* values 0 .. n_inputs - 1 are the inputs */
    char   **names;              /* n_inputs; each differs from the others */
    char    *prefix;             /* how the names of all other values begin; no input begins so */
} heft_onnx;

/* `wanted`: a name for each input, made unique and UTF-8. Names are scratch memory. */
heft_status heft_onnx_open(heft_ctx *ctx, const char *const *wanted, size_t n_inputs,
                           heft_onnx *out);
void        heft_onnx_clear(heft_onnx *g);
/* A column of cells: [N, 1]. */
void heft_onnx_input(heft_onnx *g, size_t j, int type);
/* Gives the value to the caller of the model: [N], or [N, a] or [N, a, b] where these are above 0.
 * Its name gets underscores where an input has the same. */
void heft_onnx_output(heft_onnx *g, const char *name, heft_onnx_value value, int type, size_t a,
                      size_t b);
void heft_onnx_property(heft_onnx *g, const char *key, const char *text);
/* The whole model, appended to `out`. */
heft_status heft_onnx_finish(heft_ctx *ctx, heft_onnx *g, const char *about, heft_buf *out);

/* ---- constants: n rows and m columns; m 0: a vector; both 0: a scalar ---- */

heft_onnx_value heft_onnx_doubles(heft_onnx *g, const double *x, size_t n, size_t m);
/* A tensor with a first dimension of length 1, which stands for the rows of data. */
heft_onnx_value heft_onnx_cube(heft_onnx *g, const double *x, size_t n, size_t m);
heft_onnx_value heft_onnx_ints(heft_onnx *g, const int64_t *x, size_t n, size_t m);
heft_onnx_value heft_onnx_bytes(heft_onnx *g, const uint8_t *x, size_t n);
heft_onnx_value heft_onnx_texts(heft_onnx *g, const char *const *x, size_t n);

static inline heft_onnx_value heft_onnx_double(heft_onnx *g, double x)
{
    return heft_onnx_doubles(g, &x, 0, 0);
}

/* ---- nodes ---- */

/* Attributes of the next node. A list is the encoded field of AttributeProto; it is empty after. */
enum { HEFT_ONNX_FLOATS = 6, HEFT_ONNX_INTS = 7, HEFT_ONNX_STRINGS = 8 }; /* types of lists */
void heft_onnx_set(heft_onnx *g, const char *name, int64_t x);
void heft_onnx_set_list(heft_onnx *g, const char *name, int type, heft_buf *list);
void heft_onnx_set_ints(heft_onnx *g, const char *name, const int64_t *x, size_t n);
void heft_onnx_set_floats(heft_onnx *g, const char *name, const float *x, size_t n);
void heft_onnx_add_text(heft_buf *list, const char *text); /* to a list of strings */

/* A node with one output. Operators of ai.onnx.ml begin with "ml.". */
heft_onnx_value heft_onnx_node(heft_onnx *g, const char *op, const heft_onnx_value *in, size_t n);
#define HEFT_ONNX(g, op, ...)                                                                      \
    heft_onnx_node((g), (op), (const heft_onnx_value[]){__VA_ARGS__},                              \
                   sizeof((const heft_onnx_value[]){__VA_ARGS__}) / sizeof(heft_onnx_value))

/* Nodes with an attribute, or with a list of axes. */
heft_onnx_value heft_onnx_cast(heft_onnx *g, heft_onnx_value x, int type);
heft_onnx_value heft_onnx_concat(heft_onnx *g, const heft_onnx_value *in, size_t n);
heft_onnx_value heft_onnx_gather(heft_onnx *g, heft_onnx_value from, heft_onnx_value at, int axis);
heft_onnx_value heft_onnx_columns(heft_onnx *g, heft_onnx_value from, const int64_t *at, size_t n);
heft_onnx_value heft_onnx_slice(heft_onnx *g, heft_onnx_value x, size_t lo, size_t hi);
heft_onnx_value heft_onnx_first(heft_onnx *g, heft_onnx_value x);         /* [1] of a list */
heft_onnx_value heft_onnx_sum(heft_onnx *g, heft_onnx_value x, int axis); /* its length is 1 then */
heft_onnx_value heft_onnx_squeeze(heft_onnx *g, heft_onnx_value x, int axis);
heft_onnx_value heft_onnx_unsqueeze(heft_onnx *g, heft_onnx_value x, int axis);
