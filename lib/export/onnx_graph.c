/* onnx_graph.c - an ONNX model in the making. Numbers of fields are those of onnx.proto. */
#include "export/onnx_graph.h"

#include <string.h>

#include "base/dict.h"
#include "base/put.h"
#include "heft.h"

enum { MOST_BYTES = 0x7fffffff }; /* what a message of Protocol Buffers may have */

/* ---- names ---- */

/* Names that differ, and a beginning that none of them has. */
static heft_status name_inputs(heft_ctx *ctx, const char *const *wanted, heft_dict *taken,
                               heft_onnx *g)
{
    size_t   underscores = 1;
    uint32_t code;
    for (size_t j = 0; j < g->n_inputs; j++) {
        heft_buf    name = {0};
        heft_status st = HEFT_OK;
        heft_utf8_add(&name, wanted[j]);
        if (name.length == 0) heft_buf_text(&name, "_");
        while (!name.failed && heft_dict_find(taken, name.data, name.length) != HEFT_DICT_NONE)
            heft_buf_text(&name, "_");
        if (name.failed) st = heft_no_memory(ctx, name.length, 1);
        if (st == HEFT_OK) st = heft_dict_add(ctx, taken, name.data, name.length, &code);
        heft_buf_clear(&name);
        HEFT_CHECK(st);
        HEFT_CHECK(heft_arena_copy(ctx, &ctx->scratch, heft_dict_text(taken, code), &g->names[j]));
        while (strncmp(g->names[j], "heft", 4) == 0 && strspn(g->names[j] + 4, "_") >= underscores)
            underscores++;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, g->prefix, 4 + underscores + 1);
    memcpy(g->prefix, "heft", 4);
    memset(g->prefix + 4, '_', underscores);
    return HEFT_OK;
}

heft_status heft_onnx_open(heft_ctx *ctx, const char *const *wanted, size_t n_inputs,
                           heft_onnx *out)
{
    heft_dict *taken;
    *out = (heft_onnx){.n_inputs = n_inputs, .n_values = n_inputs};
    HEFT_ALLOC(ctx, &ctx->scratch, out->names, n_inputs);
    HEFT_CHECK(heft_dict_create(ctx, &taken));
    const heft_status st = name_inputs(ctx, wanted, taken, out);
    heft_dict_free(taken);
    return st;
}

void heft_onnx_clear(heft_onnx *g)
{
    heft_buf *const parts[] = {&g->nodes,   &g->tensors,    &g->inputs,
                               &g->outputs, &g->properties, &g->attributes};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) heft_buf_clear(parts[k]);
}

static void put_name(heft_buf *out, unsigned field, const heft_onnx *g, heft_onnx_value value)
{
    heft_buf name = {0};
    if (value < g->n_inputs) heft_buf_text(&name, g->names[value]);
    else heft_buf_printf(&name, "%s%zu", g->prefix, value - g->n_inputs);
    heft_pb_message(out, field, &name);
}

/* ---- inputs, outputs, the file ---- */

/* ValueInfoProto: the batch, then dimensions above 0. */
static void put_value_info(heft_buf *to, unsigned field, const char *name, int type, size_t a,
                           size_t b)
{
    heft_buf     dim = {0}, shape = {0}, tensor = {0}, kind = {0}, info = {0};
    const size_t dims[] = {a, b};
    heft_pb_bytes(&dim, 2, "N", 1);
    heft_pb_message(&shape, 1, &dim);
    for (size_t k = 0; k < 2 && dims[k]; k++) {
        heft_pb_int(&dim, 1, (int64_t)dims[k]);
        heft_pb_message(&shape, 1, &dim);
    }
    heft_pb_int(&tensor, 1, type);
    heft_pb_message(&tensor, 2, &shape);
    heft_pb_message(&kind, 1, &tensor);
    heft_pb_bytes(&info, 1, name, strlen(name));
    heft_pb_message(&info, 2, &kind);
    heft_pb_message(to, field, &info);
}

void heft_onnx_input(heft_onnx *g, size_t j, int type)
{
    put_value_info(&g->inputs, 11, g->names[j], type, 1, 0);
}

static void put_node(heft_onnx *g, const char *op, const heft_onnx_value *in, size_t n,
                     const char *name)
{
    heft_buf   node = {0};
    const bool ml = strncmp(op, "ml.", 3) == 0;
    for (size_t k = 0; k < n; k++) put_name(&node, 1, g, in[k]);
    if (name) heft_pb_bytes(&node, 2, name, strlen(name));
    else put_name(&node, 2, g, g->n_values++);
    op += ml ? 3 : 0;
    heft_pb_bytes(&node, 4, op, strlen(op));
    node.failed |= g->attributes.failed;
    if (g->attributes.length) heft_buf_add(&node, g->attributes.data, g->attributes.length);
    heft_buf_clear(&g->attributes);
    if (ml) heft_pb_text(&node, 7, "ai.onnx.ml");
    heft_pb_message(&g->nodes, 1, &node);
}

void heft_onnx_output(heft_onnx *g, const char *name, heft_onnx_value value, int type, size_t a,
                      size_t b)
{
    HEFT_SIDE_TEXT(own, &g->outputs);
    heft_buf_text(&own, name);
    for (size_t j = 0; j < g->n_inputs; j++)
        if (strcmp(g->names[j], heft_buf_string(&own)) == 0) {
            heft_buf_text(&own, "_");
            j = SIZE_MAX; /* from the first again */
        }
    put_node(g, "Identity", &value, 1, heft_buf_string(&own));
    put_value_info(&g->outputs, 12, heft_buf_string(&own), type, a, b);
}

void heft_onnx_property(heft_onnx *g, const char *key, const char *text)
{
    heft_buf entry = {0};
    heft_pb_text(&entry, 1, key);
    heft_pb_text(&entry, 2, text);
    heft_pb_message(&g->properties, 14, &entry);
}

static void put_opset(heft_buf *out, const char *domain, int version)
{
    heft_buf set = {0};
    heft_pb_text(&set, 1, domain);
    heft_pb_int(&set, 2, version);
    heft_pb_message(out, 8, &set);
}

heft_status heft_onnx_finish(heft_ctx *ctx, heft_onnx *g, const char *about, heft_buf *out)
{
    heft_buf        graph = {0};
    heft_buf *const parts[] = {&g->nodes, &g->tensors, &g->inputs, &g->outputs};
    heft_pb_text(&graph, 2, "model");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        graph.failed |= parts[k]->failed;
        if (parts[k]->length) heft_buf_add(&graph, parts[k]->data, parts[k]->length);
        heft_buf_clear(parts[k]);
    }
    if (graph.length > MOST_BYTES - g->properties.length - 4096) {
        heft_buf_clear(&graph);
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "export: the model has more than 2 GB, the limit of ONNX (use {to=c})");
    }
    heft_pb_int(out, 1, HEFT_ONNX_IR);
    heft_pb_text(out, 2, "heft");
    heft_pb_text(out, 3, HEFT_VERSION);
    heft_pb_text(out, 6, about);
    heft_pb_message(out, 7, &graph);
    put_opset(out, "", HEFT_ONNX_OPSET);
    put_opset(out, "ai.onnx.ml", HEFT_ONNX_ML_OPSET);
    out->failed |= g->properties.failed;
    if (g->properties.length) heft_buf_add(out, g->properties.data, g->properties.length);
    return HEFT_OK;
}

/* ---- constants ---- */

/* Begins a TensorProto; `data` is its raw data. */
static heft_onnx_value put_shape(heft_onnx *g, int type, const int64_t *dims, size_t n_dims,
                                 heft_buf *data)
{
    heft_buf tensor = {0};
    heft_pb_ints(&tensor, 1, dims, n_dims);
    heft_pb_int(&tensor, 2, type);
    put_name(&tensor, 8, g, g->n_values);
    if (type == HEFT_ONNX_STRING) { /* its data are fields already */
        tensor.failed |= data->failed;
        if (data->length) heft_buf_add(&tensor, data->data, data->length);
        heft_buf_clear(data);
    } else {
        heft_pb_message(&tensor, 9, data);
    }
    heft_pb_message(&g->tensors, 5, &tensor);
    return g->n_values++;
}

static heft_onnx_value put_tensor(heft_onnx *g, int type, size_t n, size_t m, heft_buf *data)
{
    const int64_t dims[] = {(int64_t)n, (int64_t)m};
    return put_shape(g, type, dims, (size_t)(n > 0 || m > 0) + (m > 0), data);
}

static size_t cells(size_t n, size_t m)
{
    return (n ? n : 1) * (m ? m : 1);
}

static void put_raw(heft_buf *raw, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        heft_pb_raw(raw, bits, sizeof bits);
    }
}

heft_onnx_value heft_onnx_doubles(heft_onnx *g, const double *x, size_t n, size_t m)
{
    heft_buf raw = {0};
    put_raw(&raw, x, cells(n, m));
    return put_tensor(g, HEFT_ONNX_DOUBLE, n, m, &raw);
}

heft_onnx_value heft_onnx_cube(heft_onnx *g, const double *x, size_t n, size_t m)
{
    const int64_t dims[] = {1, (int64_t)n, (int64_t)m};
    heft_buf      raw = {0};
    put_raw(&raw, x, n * m);
    return put_shape(g, HEFT_ONNX_DOUBLE, dims, 3, &raw);
}

heft_onnx_value heft_onnx_ints(heft_onnx *g, const int64_t *x, size_t n, size_t m)
{
    heft_buf raw = {0};
    for (size_t k = 0; k < cells(n, m); k++) heft_pb_raw(&raw, (uint64_t)x[k], sizeof *x);
    return put_tensor(g, HEFT_ONNX_INT64, n, m, &raw);
}

heft_onnx_value heft_onnx_bytes(heft_onnx *g, const uint8_t *x, size_t n)
{
    heft_buf raw = {0};
    heft_buf_add(&raw, (const char *)x, n);
    return put_tensor(g, HEFT_ONNX_UINT8, n, 0, &raw);
}

heft_onnx_value heft_onnx_texts(heft_onnx *g, const char *const *x, size_t n)
{
    heft_buf fields = {0};
    for (size_t k = 0; k < n; k++) heft_pb_text(&fields, 6, x[k]);
    return put_tensor(g, HEFT_ONNX_STRING, n, 0, &fields);
}

/* ---- nodes ---- */

/* Ends an AttributeProto. */
static void put_attribute(heft_onnx *g, const char *name, int type, heft_buf *attribute)
{
    heft_pb_text(attribute, 1, name);
    heft_pb_int(attribute, 20, type);
    heft_pb_message(&g->attributes, 5, attribute);
}

void heft_onnx_set(heft_onnx *g, const char *name, int64_t x)
{
    heft_buf attribute = {0};
    heft_pb_int(&attribute, 3, x);
    put_attribute(g, name, 2, &attribute);
}

void heft_onnx_set_list(heft_onnx *g, const char *name, int type, heft_buf *list)
{
    put_attribute(g, name, type, list);
}

void heft_onnx_set_ints(heft_onnx *g, const char *name, const int64_t *x, size_t n)
{
    heft_buf attribute = {0};
    heft_pb_ints(&attribute, 8, x, n);
    put_attribute(g, name, HEFT_ONNX_INTS, &attribute);
}

void heft_onnx_set_floats(heft_onnx *g, const char *name, const float *x, size_t n)
{
    heft_buf attribute = {0};
    heft_pb_floats(&attribute, 7, x, n);
    put_attribute(g, name, HEFT_ONNX_FLOATS, &attribute);
}

void heft_onnx_add_text(heft_buf *list, const char *text)
{
    heft_pb_text(list, 9, text);
}

heft_onnx_value heft_onnx_node(heft_onnx *g, const char *op, const heft_onnx_value *in, size_t n)
{
    put_node(g, op, in, n, NULL);
    return g->n_values - 1;
}

heft_onnx_value heft_onnx_cast(heft_onnx *g, heft_onnx_value x, int type)
{
    heft_onnx_set(g, "to", type);
    return HEFT_ONNX(g, "Cast", x);
}

heft_onnx_value heft_onnx_concat(heft_onnx *g, const heft_onnx_value *in, size_t n)
{
    if (n == 1) return in[0];
    heft_onnx_set(g, "axis", 1);
    return heft_onnx_node(g, "Concat", in, n);
}

heft_onnx_value heft_onnx_gather(heft_onnx *g, heft_onnx_value from, heft_onnx_value at, int axis)
{
    heft_onnx_set(g, "axis", axis);
    return HEFT_ONNX(g, "Gather", from, at);
}

heft_onnx_value heft_onnx_columns(heft_onnx *g, heft_onnx_value from, const int64_t *at, size_t n)
{
    return heft_onnx_gather(g, from, heft_onnx_ints(g, at, n, 0), 1);
}

static heft_onnx_value one_int(heft_onnx *g, size_t x)
{
    return heft_onnx_ints(g, &(int64_t){(int64_t)x}, 1, 0);
}

heft_onnx_value heft_onnx_slice(heft_onnx *g, heft_onnx_value x, size_t lo, size_t hi)
{
    const heft_onnx_value from = one_int(g, lo), to = one_int(g, hi), axis = one_int(g, 1);
    return HEFT_ONNX(g, "Slice", x, from, to, axis);
}

heft_onnx_value heft_onnx_first(heft_onnx *g, heft_onnx_value x)
{
    const heft_onnx_value from = one_int(g, 0), to = one_int(g, 1);
    return HEFT_ONNX(g, "Slice", x, from, to);
}

heft_onnx_value heft_onnx_sum(heft_onnx *g, heft_onnx_value x, int axis)
{
    const heft_onnx_value axes = one_int(g, (size_t)axis);
    return HEFT_ONNX(g, "ReduceSum", x, axes);
}

heft_onnx_value heft_onnx_squeeze(heft_onnx *g, heft_onnx_value x, int axis)
{
    const heft_onnx_value axes = one_int(g, (size_t)axis);
    return HEFT_ONNX(g, "Squeeze", x, axes);
}

heft_onnx_value heft_onnx_unsqueeze(heft_onnx *g, heft_onnx_value x, int axis)
{
    const heft_onnx_value axes = one_int(g, (size_t)axis);
    return HEFT_ONNX(g, "Unsqueeze", x, axes);
}
