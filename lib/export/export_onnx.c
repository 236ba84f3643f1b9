/* export_onnx.c - a model as an ONNX graph of standard operators, in double precision.
 *
 * Each node of the score graph (graph.h) becomes a few nodes of ONNX, over matrices of all rows of
 * data: [N, rows, columns]. Inputs are one column per attribute, under its name: numbers (NaN is
 * missing) or texts ("" is missing). Outputs are the class and the probabilities. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/export.h"
#include "export/onnx_leaves.h"

typedef heft_onnx_writer writer;
typedef heft_onnx_value  value;

#define SCRATCH(p, n) HEFT_ALLOC(w->ctx, &w->ctx->scratch, p, n)

/* ---- helpers ---- */

static value gather_rows(writer *w, value from, const size_t *list, size_t n, value *out)
{
    int64_t *at = heft_arena_alloc(&w->ctx->scratch, n, sizeof *at);
    if (!at) {
        w->g->nodes.failed = true;
        return *out = from;
    }
    for (size_t k = 0; k < n; k++) at[k] = (int64_t)list[k];
    return *out = heft_onnx_columns(w->g, from, at, n);
}

static value transpose(heft_onnx *g, value x)
{
    heft_onnx_set_ints(g, "perm", (const int64_t[]){0, 2, 1}, 3);
    return HEFT_ONNX(g, "Transpose", x);
}

/* The value of a node with the rows of data as its first dimension, also if it is constant. */
static value batched(writer *w, size_t k)
{
    heft_onnx             *g = w->g;
    const heft_graph_node *node = &w->graph->node[k];
    const int64_t          size[] = {(int64_t)node->rows, (int64_t)node->columns};
    if (!w->fixed[k] || w->graph->terms->n_attr == 0) return w->value[k];
    const value n = heft_onnx_first(g, HEFT_ONNX(g, "Shape", 0));
    heft_onnx_set(g, "axis", 0);
    const value shape = HEFT_ONNX(g, "Concat", n, heft_onnx_ints(g, size, 2, 0));
    return HEFT_ONNX(g, "Expand", w->value[k], shape);
}

/* The log of the sum of exponentials over rows. */
static value log_sum(heft_onnx *g, value x)
{
    heft_onnx_set_ints(g, "axes", (const int64_t[]){1}, 1);
    const value most = HEFT_ONNX(g, "ReduceMax", x);
    const value top = HEFT_ONNX(g, "Max", most, heft_onnx_double(g, -DBL_MAX));
    const value each = HEFT_ONNX(g, "Exp", HEFT_ONNX(g, "Sub", x, top));
    return HEFT_ONNX(g, "Add", top, HEFT_ONNX(g, "Log", heft_onnx_sum(g, each, 1)));
}

/* ---- cells ---- */

static heft_status add_numbers(writer *w, const heft_graph_node *node, value *out)
{
    value *column;
    bool   fills = false;
    SCRATCH(column, node->rows);
    for (size_t i = 0; i < node->rows; i++) {
        column[i] = node->list[i];
        fills |= !isnan(node->numbers[i]);
    }
    *out = heft_onnx_concat(w->g, column, node->rows);
    if (fills) {
        const value none = HEFT_ONNX(w->g, "IsNaN", *out);
        *out = HEFT_ONNX(w->g, "Where", none, heft_onnx_doubles(w->g, node->numbers, node->rows, 0),
                         *out);
    }
    *out = heft_onnx_unsqueeze(w->g, *out, 2);
    return HEFT_OK;
}

/* Adds the node that gives texts their codes. */
static heft_status add_text_codes(writer *w, size_t j, value *out)
{
    const heft_prep      *prep = &w->graph->terms->model->prep;
    const heft_attr_prep *a = &prep->attr[j];
    const size_t          n = heft_dict_size(a->dict);
    heft_buf              keys = {0};
    int64_t              *code;
    SCRATCH(code, n + 1);
    for (uint32_t v = 0; v < n; v++) {
        heft_onnx_add_text(&keys, heft_dict_text(a->dict, v));
        code[v] = v;
    }
    const bool own_empty = heft_dict_find(a->dict, "", 0) != HEFT_DICT_NONE;
    if (!own_empty) {
        heft_onnx_add_text(&keys, "");
        code[n] = (int64_t)heft_code_missing(a);
    }
    heft_onnx_set_list(w->g, "keys_strings", HEFT_ONNX_STRINGS, &keys);
    heft_onnx_set_ints(w->g, "values_int64s", code, n + !own_empty);
    heft_onnx_set(w->g, "default_int64", (int64_t)heft_code_unseen(prep, j));
    *out = HEFT_ONNX(w->g, "ml.LabelEncoder", j);
    return HEFT_OK;
}

static heft_status add_codes(writer *w, const heft_graph_node *node, value *out)
{
    value *part;
    SCRATCH(part, node->rows);
    for (size_t i = 0; i < node->rows; i++) HEFT_CHECK(add_text_codes(w, node->list[i], &part[i]));
    *out = heft_onnx_unsqueeze(w->g, heft_onnx_concat(w->g, part, node->rows), 2);
    return HEFT_OK;
}

/* Divides numbers by the length of their row; a row of zeros stays. CumSum adds in the order of the
 * columns, so that the length has the same bits as in heft. */
static value to_unit_length(heft_onnx *g, value x, size_t n)
{
    const value none = HEFT_ONNX(g, "IsNaN", x);
    const value known = HEFT_ONNX(g, "Where", none, heft_onnx_double(g, 0), x);
    const value squares = HEFT_ONNX(g, "Mul", known, known);
    const value sums =
        HEFT_ONNX(g, "CumSum", squares, heft_onnx_ints(g, (const int64_t[]){1}, 0, 0));
    const value length = HEFT_ONNX(g, "Sqrt", heft_onnx_slice(g, sums, n - 1, n));
    const value some = HEFT_ONNX(g, "Greater", length, heft_onnx_double(g, 0));
    const value by = HEFT_ONNX(g, "Where", some, length, heft_onnx_double(g, 1));
    return HEFT_ONNX(g, "Div", x, by);
}

static value scaled(heft_onnx *g, const heft_graph_node *node, value x)
{
    const size_t n = node->rows;
    x = HEFT_ONNX(g, "Sub", x, heft_onnx_doubles(g, node->numbers, n, 1));
    x = HEFT_ONNX(g, "Mul", x, heft_onnx_doubles(g, node->numbers + n, n, 1));
    const value lo = heft_onnx_double(g, -DBL_MAX), hi = heft_onnx_double(g, DBL_MAX);
    return HEFT_ONNX(g, "Clip", x, lo, hi);
}

/* Whether a table of `width` cuts is the narrowest one that has room for these. */
static bool has_width(const heft_cut_rule *rule, size_t width)
{
    return rule->n_cuts <= width && (width == 1 || rule->n_cuts > width / 2);
}

/* The intervals of some numbers, as the count of cuts below each. Those with about as many cuts are
 * compared at once, and shorter lists are filled up with infinity; `width` is the longest. */
static heft_status cut_some(writer *w, const heft_graph_node *node, value x, size_t width,
                            size_t *place, size_t *n_placed, value *out)
{
    const heft_cut_rule *rule = node->rule;
    heft_onnx           *g = w->g;
    size_t               n = 0, n_wide = 0, *from;
    int64_t             *missing;
    double              *cuts;
    for (size_t i = 0; i < node->rows; i++) n_wide += has_width(&rule[i], width);
    SCRATCH(from, n_wide);
    SCRATCH(missing, n_wide);
    SCRATCH(cuts, n_wide * width);
    for (size_t i = 0; i < node->rows; i++) {
        const size_t m = rule[i].n_cuts;
        if (!has_width(&rule[i], width)) continue;
        for (size_t k = 0; k < width; k++)
            cuts[n * width + k] = k < m ? rule[i].cuts[k] : (double)INFINITY;
        place[i] = *n_placed + n;
        missing[n] = (int64_t)m + 1;
        from[n++] = rule[i].from;
    }
    *n_placed += n;
    *out = SIZE_MAX;
    if (n == 0) return HEFT_OK;
    (void)gather_rows(w, x, from, n, &x);
    const value above = HEFT_ONNX(g, "Greater", x, heft_onnx_doubles(g, cuts, n, width));
    const value count = heft_onnx_sum(g, heft_onnx_cast(g, above, HEFT_ONNX_INT64), 2);
    const value none = HEFT_ONNX(g, "IsNaN", x);
    *out = HEFT_ONNX(g, "Where", none, heft_onnx_ints(g, missing, n, 1), count);
    return HEFT_OK;
}

static heft_status add_cuts(writer *w, const heft_graph_node *node, value x, value *out)
{
    const heft_cut_rule *rule = node->rule;
    size_t               most = 0, n = 0, n_placed = 0, *place;
    value                part[64], one = SIZE_MAX;
    SCRATCH(place, node->rows);
    for (size_t i = 0; i < node->rows; i++)
        if (rule[i].n_cuts > most) most = rule[i].n_cuts;
    for (size_t width = 1; width == 1 || width / 2 < most; width *= 2) {
        HEFT_CHECK(cut_some(w, node, x, width, place, &n_placed, &one));
        if (one != SIZE_MAX) part[n++] = one;
    }
    *out = heft_onnx_concat(w->g, part, n);
    if (n > 1) (void)gather_rows(w, *out, place, node->rows, out);
    return HEFT_OK;
}

/* The results of the maps of member m: [N, n, 1]. A map that several rows share is stored once. */
static heft_status mapped(writer *w, const heft_graph_node *node, value codes, size_t m, value *out)
{
    const heft_cell_rule *rule = node->rule;
    size_t               *from, n = 0;
    int64_t              *first, *map;
    SCRATCH(from, node->rows);
    SCRATCH(first, node->rows);
    for (size_t i = 0; i < node->rows; i++) n += rule[i].n_codes[m];
    SCRATCH(map, n);
    n = 0;
    for (size_t i = 0; i < node->rows; i++) {
        size_t same = 0;
        while (same < i && rule[same].map[m] != rule[i].map[m]) same++;
        from[i] = rule[i].from[m];
        first[i] = same < i ? first[same] : (int64_t)n;
        if (same < i) continue;
        for (size_t v = 0; v < rule[i].n_codes[m]; v++) map[n++] = rule[i].map[m][v];
    }
    (void)gather_rows(w, codes, from, node->rows, out);
    const value at = HEFT_ONNX(w->g, "Add", *out, heft_onnx_ints(w->g, first, node->rows, 1));
    *out = heft_onnx_gather(w->g, heft_onnx_ints(w->g, map, n, 0), at, 0);
    return HEFT_OK;
}

/* The places of cells among their keys. To look them up together, cells of different pairs are told
 * apart by numbers counted on from `first`. */
static heft_status keyed(writer *w, const heft_cell_rule *rule, const size_t *rows, size_t n_rows,
                         value cells, value *out)
{
    heft_onnx *g = w->g;
    size_t     n = 0, at = 0;
    int64_t   *first, *key, *place, *other, next = 0;
    for (size_t k = 0; k < n_rows; k++) n += rule[rows[k]].n_cells;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n_rows, first, other);
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, key, place);
    for (size_t k = 0; k < n_rows; k++) {
        const heft_cell_rule *r = &rule[rows[k]];
        uint32_t              most = 0;
        first[k] = next;
        other[k] = (int64_t)r->n_cells;
        for (size_t v = 0; v < r->n_cells; v++, at++) {
            key[at] = next + (int64_t)r->key[v];
            place[at] = (int64_t)v;
        }
        for (size_t v = 0; v < r->n_codes[0]; v++)
            if (r->map[0][v] > most) most = r->map[0][v];
        next += ((int64_t)most + 1) * (int64_t)r->times;
    }
    (void)gather_rows(w, cells, rows, n_rows, out);
    const value cell = HEFT_ONNX(g, "Add", *out, heft_onnx_ints(g, first, n_rows, 1));
    heft_onnx_set_ints(g, "keys_int64s", key, n);
    heft_onnx_set_ints(g, "values_int64s", place, n);
    heft_onnx_set(g, "default_int64", -1);
    const value found = HEFT_ONNX(g, "ml.LabelEncoder", cell);
    const value none = HEFT_ONNX(g, "Equal", found, heft_onnx_ints(g, (const int64_t[]){-1}, 0, 0));
    *out = HEFT_ONNX(g, "Where", none, heft_onnx_ints(g, other, n_rows, 1), found);
    return HEFT_OK;
}

static heft_status add_cells(writer *w, const heft_graph_node *node, value codes, value *out)
{
    const heft_cell_rule *rule = node->rule;
    heft_onnx            *g = w->g;
    value                 member[2] = {0}, part[2];
    size_t                n_keyed = 0, n_plain = 0, *rows[2], *place;
    int64_t              *times;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, node->rows, rows[0], rows[1], place, times);
    for (size_t m = 0; m < 2; m++) HEFT_CHECK(mapped(w, node, codes, m, &member[m]));
    for (size_t i = 0; i < node->rows; i++) {
        times[i] = (int64_t)rule[i].times;
        if (rule[i].key) rows[1][n_keyed++] = i;
        else rows[0][n_plain++] = i;
    }
    const value line = HEFT_ONNX(g, "Mul", member[0], heft_onnx_ints(g, times, node->rows, 1));
    *out = HEFT_ONNX(g, "Add", line, member[1]);
    if (!n_keyed) return HEFT_OK;
    HEFT_CHECK(keyed(w, rule, rows[1], n_keyed, *out, &part[1]));
    for (size_t k = 0; k < n_plain; k++) place[rows[0][k]] = k;
    for (size_t k = 0; k < n_keyed; k++) place[rows[1][k]] = n_plain + k;
    if (n_plain) (void)gather_rows(w, *out, rows[0], n_plain, &part[0]);
    *out = n_plain ? heft_onnx_concat(g, part, 2) : part[1];
    (void)gather_rows(w, *out, place, node->rows, out);
    return HEFT_OK;
}

/* All tables of a node are one tensor, and the codes of a row name its lines. */
static heft_status add_lookup(writer *w, const heft_graph_node *node, value codes, value *out)
{
    const heft_lookup_rule *rule = node->rule;
    size_t                 *from, n = 0;
    int64_t                *first;
    double                 *table;
    SCRATCH(from, node->rows);
    SCRATCH(first, node->rows);
    for (size_t i = 0; i < node->rows; i++) n += rule[i].n_lines;
    SCRATCH(table, n * node->columns);
    n = 0;
    for (size_t i = 0; i < node->rows; i++) {
        from[i] = rule[i].from;
        first[i] = (int64_t)n;
        memcpy(table + n * node->columns, rule[i].table,
               rule[i].n_lines * node->columns * sizeof *table);
        n += rule[i].n_lines;
    }
    bool same = node->rows == w->graph->node[node->in[0]].rows;
    for (size_t i = 0; i < node->rows; i++) same &= from[i] == i;
    *out = codes;
    if (!same) (void)gather_rows(w, codes, from, node->rows, out);
    const value at = HEFT_ONNX(w->g, "Add", *out, heft_onnx_ints(w->g, first, node->rows, 1));
    *out = heft_onnx_gather(w->g, heft_onnx_doubles(w->g, table, n, node->columns),
                            heft_onnx_squeeze(w->g, at, 2), 0);
    return HEFT_OK;
}

/* ---- operators ---- */

/* Some columns; where one of them is 0, by a matrix. */
static heft_status add_columns(writer *w, const heft_graph_node *node, size_t from, value *out)
{
    const size_t n = w->graph->node[node->in[0]].columns;
    int64_t     *at;
    double      *matrix;
    bool         some = false;
    SCRATCH(at, node->columns);
    SCRATCH(matrix, n * node->columns);
    for (size_t c = 0; c < node->columns; c++) {
        some |= node->list[c] == SIZE_MAX;
        at[c] = (int64_t)node->list[c];
        if (node->list[c] != SIZE_MAX) matrix[node->list[c] * node->columns + c] = 1;
    }
    *out = some ? HEFT_ONNX(w->g, "MatMul", from, heft_onnx_doubles(w->g, matrix, n, node->columns))
                : heft_onnx_gather(w->g, from, heft_onnx_ints(w->g, at, node->columns, 0), 2);
    return HEFT_OK;
}

static heft_status add_gather(writer *w, const heft_graph_node *node, value from, value *out)
{
    int64_t *at;
    HEFT_TABLE(w->ctx, &w->ctx->scratch, at, node->rows, node->columns);
    for (size_t k = 0; k < node->rows * node->columns; k++) at[k] = (int64_t)node->list[k];
    const value rows = heft_onnx_ints(w->g, at, node->rows, node->columns);
    *out = heft_onnx_squeeze(w->g, heft_onnx_gather(w->g, from, rows, 1), 3);
    return HEFT_OK;
}

static heft_status add_join(writer *w, const heft_graph_node *node, value *out)
{
    value *part;
    SCRATCH(part, node->n_in);
    for (size_t k = 0; k < node->n_in; k++) part[k] = batched(w, node->list[k]);
    *out = heft_onnx_concat(w->g, part, node->n_in);
    return HEFT_OK;
}

/* An operator on elements. */
static value add_element(heft_onnx *g, heft_op op, size_t n, const value *in)
{
    static const char *const names[HEFT_N_OPS] = {
        [HEFT_OP_ADD] = "Add",    [HEFT_OP_SUB] = "Sub", [HEFT_OP_MUL] = "Mul",
        [HEFT_OP_DIV] = "Div",    [HEFT_OP_MIN] = "Min", [HEFT_OP_MAX] = "Max",
        [HEFT_OP_ABS] = "Abs",    [HEFT_OP_EXP] = "Exp", [HEFT_OP_LOG] = "Log",
        [HEFT_OP_ROUND] = "Round"};
    if (op == HEFT_OP_SQUARE) {
        const value near =
            HEFT_ONNX(g, "Min", HEFT_ONNX(g, "Abs", in[0]), heft_onnx_double(g, 1e140));
        return HEFT_ONNX(g, "Mul", near, near);
    }
    if (op == HEFT_OP_IF_LESS)
        return HEFT_ONNX(g, "Where", HEFT_ONNX(g, "Less", in[0], in[1]), in[2], in[3]);
    if (op == HEFT_OP_IF_EQUAL)
        return HEFT_ONNX(g, "Where", HEFT_ONNX(g, "Equal", in[0], in[1]), in[2], in[3]);
    if (op == HEFT_OP_IF_MISSING)
        return HEFT_ONNX(g, "Where", HEFT_ONNX(g, "IsNaN", in[0]), in[1], in[2]);
    return heft_onnx_node(g, names[op], in, n);
}

/* The index of the class that is predicted: [N]. */
static value decide(heft_onnx *g, const heft_graph_node *node, value from)
{
    const value x = heft_onnx_squeeze(g, from, 1);
    if (node->decide == HEFT_FROM_THRESHOLD) {
        const int64_t chosen = (int64_t)node->chosen, other = 1 - chosen;
        const value   p = heft_onnx_gather(g, x, heft_onnx_ints(g, &chosen, 0, 0), 1);
        const value   yes = HEFT_ONNX(g, "GreaterOrEqual", p, heft_onnx_double(g, node->one));
        const value   one = heft_onnx_ints(g, &chosen, 0, 0);
        return HEFT_ONNX(g, "Where", yes, one, heft_onnx_ints(g, &other, 0, 0));
    }
    heft_onnx_set(g, "axis", 1);
    heft_onnx_set(g, "keepdims", 0);
    return HEFT_ONNX(g, node->decide == HEFT_LARGEST ? "ArgMax" : "ArgMin", x);
}

static heft_status add_node(writer *w, size_t k)
{
    const heft_graph_node *node = &w->graph->node[k];
    heft_onnx             *g = w->g;
    value                 *out = &w->value[k], in[4] = {0};
    w->fixed[k] = node->op == HEFT_OP_CONST || node->n_in > 0;
    for (size_t m = 0; m < node->n_in; m++) w->fixed[k] &= w->fixed[heft_input(node, m)];
    for (size_t m = 0; m < node->n_in && m < 4; m++) in[m] = w->value[heft_input(node, m)];
    switch (node->op) {
    case HEFT_OP_NUMBERS:
        return add_numbers(w, node, out);
    case HEFT_OP_CODES:
        return add_codes(w, node, out);
    case HEFT_OP_CONST:
        *out = node->numbers ? heft_onnx_cube(g, node->numbers, node->rows, node->columns)
                             : heft_onnx_cube(g, &node->one, 1, 1);
        return HEFT_OK;
    case HEFT_OP_UNIT:
        *out = to_unit_length(g, in[0], node->rows);
        return HEFT_OK;
    case HEFT_OP_SCALE:
        *out = scaled(g, node, in[0]);
        return HEFT_OK;
    case HEFT_OP_CUT:
        return add_cuts(w, node, in[0], out);
    case HEFT_OP_CELL:
        return add_cells(w, node, in[0], out);
    case HEFT_OP_LEAF:
        return heft_onnx_leaves(w, node, in[0], out);
    case HEFT_OP_LOOKUP:
        return add_lookup(w, node, in[0], out);
    case HEFT_OP_JOIN:
        return add_join(w, node, out);
    case HEFT_OP_PICK:
        (void)gather_rows(w, in[0], node->list, node->rows, out);
        return HEFT_OK;
    case HEFT_OP_COLUMNS:
        return add_columns(w, node, in[0], out);
    case HEFT_OP_GATHER:
        return add_gather(w, node, in[0], out);
    case HEFT_OP_TURN:
        *out = transpose(g, in[0]);
        return HEFT_OK;
    case HEFT_OP_SUM:
        *out = heft_onnx_sum(g, in[0], 1);
        if (node->numbers)
            *out = HEFT_ONNX(g, "Add", *out, heft_onnx_doubles(g, node->numbers, 1, node->columns));
        return HEFT_OK;
    case HEFT_OP_LOG_SUM:
        *out = log_sum(g, in[0]);
        return HEFT_OK;
    case HEFT_OP_SOFTMAX:
        heft_onnx_set(g, "axis", 2);
        *out = HEFT_ONNX(g, "Softmax", in[0]);
        return HEFT_OK;
    case HEFT_OP_DECIDE:
        *out = decide(g, node, in[0]);
        return HEFT_OK;
    default:
        *out = add_element(g, node->op, node->n_in, in);
        return HEFT_OK;
    }
}

/* ---- evidence ---- */

/* The names of the terms, a JSON list: [attribute, ...] each, "start" and "trees". */
static void name_term(const heft_terms *t, size_t term, heft_buf *out)
{
    const size_t n_attr = t->n_attr, n_joint = t->joint.n;
    if (term < n_attr) heft_put(out, ", [%j]", heft_attr_name(t, term));
    else if (term == n_attr + n_joint) heft_put(out, ", \"trees\"");
    else
        heft_put(out, ", [%j, %j]", heft_attr_name(t, t->joint.list[term - n_attr].attr[0]),
                 heft_attr_name(t, t->joint.list[term - n_attr].attr[1]));
}

/* Adds the output `evidence`, the contributions of the start and of each term: [N, 1 + terms, K]. A
 * term may have several lines, which a matrix of zeros and ones adds up. */
static heft_status add_evidence(writer *w)
{
    const heft_graph *from = w->graph;
    const heft_terms *t = from->terms;
    heft_onnx        *g = w->g;
    const size_t      K = t->n_class, L = from->line_term ? from->node[from->lines].rows : 0;
    size_t            n = 0;
    double           *sums, *spread, *start;
    HEFT_SIDE_TEXT(names, &g->properties);
    SCRATCH(sums, L * L);
    SCRATCH(spread, from->n_kept * K);
    SCRATCH(start, K);
    heft_put(&names, "[\"start\"");
    for (size_t k = 0; k < L; k++) {
        const bool same = k && from->line_term[k] == from->line_term[k - 1];
        if (!same) name_term(t, from->line_term[k], &names);
        n += !same;
        sums[(n - 1) * L + k] = 1;
    }
    heft_put(&names, "]");
    for (size_t k = 0; k < from->n_kept; k++) spread[k * K + from->kept[k]] = 1;
    memcpy(start, t->start, K * sizeof *start);
    const value proba = batched(w, from->probabilities);
    const value zero = HEFT_ONNX(g, "Sub", proba, proba);
    value       part[2] = {HEFT_ONNX(g, "Add", zero, heft_onnx_doubles(g, start, 1, K))};
    if (n) {
        const value lines =
            HEFT_ONNX(g, "MatMul", heft_onnx_doubles(g, sums, n, L), batched(w, from->lines));
        part[1] = HEFT_ONNX(g, "MatMul", lines, heft_onnx_doubles(g, spread, from->n_kept, K));
    }
    heft_onnx_output(g, "evidence", heft_onnx_concat(g, part, n ? 2 : 1), HEFT_ONNX_DOUBLE, n + 1,
                     K);
    heft_onnx_property(g, "evidence", heft_buf_string(&names));
    return HEFT_OK;
}

/* ---- the file ---- */

static heft_status check_evidence(heft_ctx *ctx, const heft_terms *t)
{
    if (t->class_pair)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "export: the score is a vote of class pairs and has no evidence by term "
                         "(leave out {evidence}, or train with {param multiclass=direct})");
    if (t->further.n)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "export: the score of method %s is not one sum and has no evidence by term "
            "(leave out {evidence}, or train with {method=auto})",
            t->model->method->name);
    return HEFT_OK;
}

static heft_status add_inputs(heft_ctx *ctx, const heft_terms *t, heft_onnx *g)
{
    const char **names;
    HEFT_ALLOC(ctx, &ctx->scratch, names, t->n_attr);
    for (size_t j = 0; j < t->n_attr; j++) names[j] = heft_attr_name(t, j);
    HEFT_CHECK(heft_onnx_open(ctx, names, t->n_attr, g));
    for (size_t j = 0; j < t->n_attr; j++)
        heft_onnx_input(g, j,
                        t->model->prep.attr[j].kind == HEFT_NUMERIC ? HEFT_ONNX_DOUBLE
                                                                    : HEFT_ONNX_STRING);
    return HEFT_OK;
}

static heft_status walk(writer *w, bool evidence)
{
    const heft_terms *t = w->graph->terms;
    const char      **names;
    for (size_t k = 0; k < w->graph->n; k++) HEFT_CHECK(add_node(w, k));
    SCRATCH(names, t->n_class);
    for (size_t c = 0; c < t->n_class; c++) names[c] = heft_class_name(t, c);
    const value proba = heft_onnx_squeeze(w->g, batched(w, w->graph->probabilities), 1);
    const value index = w->fixed[w->graph->decision] && t->n_attr
                            ? decide(w->g, &w->graph->node[w->graph->decision],
                                     batched(w, w->graph->node[w->graph->decision].in[0]))
                            : w->value[w->graph->decision];
    const value label = heft_onnx_gather(w->g, heft_onnx_texts(w->g, names, t->n_class), index, 0);
    heft_onnx_output(w->g, "label", label, HEFT_ONNX_STRING, 0, 0);
    heft_onnx_output(w->g, "probabilities", proba, HEFT_ONNX_DOUBLE, t->n_class, 0);
    return evidence ? add_evidence(w) : HEFT_OK;
}

static heft_status write_onnx(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                              heft_buf *out)
{
    heft_status st = HEFT_OK;
    heft_onnx   g = {0};
    heft_graph  graph;
    writer      w = {.ctx = ctx, .g = &g, .graph = &graph};
    if (how->evidence) HEFT_CHECK(check_evidence(ctx, t));
    HEFT_CHECK(heft_graph_lower(ctx, t,
                                HEFT_LOWER_NO_TAIL | HEFT_LOWER_NO_KERNEL |
                                    (how->evidence ? HEFT_LOWER_EVIDENCE : 0),
                                &graph));
    HEFT_ALLOC(ctx, &ctx->scratch, w.value, graph.n);
    HEFT_ALLOC(ctx, &ctx->scratch, w.fixed, graph.n);
    HEFT_TRY(add_inputs(ctx, t, &g));
    HEFT_TRY(walk(&w, how->evidence));
    heft_onnx_property(&g, "method", t->model->method->name);
    heft_onnx_property(&g, "target", t->model->prep.target);
    HEFT_TRY(heft_onnx_finish(ctx, &g, t->model->method->title, out));
done:
    heft_onnx_clear(&g);
    return st;
}

const heft_export heft_export_onnx = {
    .info = {"onnx", ".onnx", "an ONNX graph of standard operators, in double precision",
             .binary = true},
    .takes = HEFT_EXPORT_EVIDENCE,
    .write = write_onnx,
};
