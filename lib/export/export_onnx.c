/* export_onnx.c - a model as an ONNX graph of standard operators, in double precision.
 *
 * - Inputs: one column per attribute, under its name: numbers (NaN is missing) or texts ("" is
 *   missing).
 * - Cells: numbers are filled in, scaled and compared with the cut points; a LabelEncoder gives
 * each text its code.
 * - Terms: lines of tables, densities and trees (onnx_terms.c, onnx_density.c, onnx_trees.c).
 * - Score: their sum, votes, or several sums, calibrated (onnx_score.c).
 * - Result: a softmax, the decision rule, the name of the class. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/export.h"
#include "export/onnx_terms.h"
#include "prep/numbers.h"

/* ---- cells ---- */

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

/* Divides numbers by the length of their row; a row of zeros stays. CumSum adds in the order of the
 * columns, so that the length has the same bits as in heft. */
static heft_onnx_value to_unit_length(heft_onnx *g, heft_onnx_value x, size_t n)
{
    const heft_onnx_value none = HEFT_ONNX(g, "IsNaN", x);
    const heft_onnx_value known = HEFT_ONNX(g, "Where", none, heft_onnx_double(g, 0), x);
    const heft_onnx_value squares = HEFT_ONNX(g, "Mul", known, known);
    const heft_onnx_value sums =
        HEFT_ONNX(g, "CumSum", squares, heft_onnx_ints(g, (const int64_t[]){1}, 0, 0));
    const heft_onnx_value length = HEFT_ONNX(g, "Sqrt", heft_onnx_slice(g, sums, n - 1, n));
    const heft_onnx_value some = HEFT_ONNX(g, "Greater", length, heft_onnx_double(g, 0));
    const heft_onnx_value by = HEFT_ONNX(g, "Where", some, length, heft_onnx_double(g, 1));
    return HEFT_ONNX(g, "Div", x, by);
}

/* Adds the nodes that prepare all numbers. */
static heft_status add_numbers(heft_onnx_walk *w)
{
    const heft_prep *prep = &w->t->model->prep;
    heft_onnx       *g = w->g;
    heft_onnx_value *column;
    double          *fill, *shift, *factor;
    size_t           n = 0;
    bool             fills = false, scales = false;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, w->t->n_attr, column, fill, shift, factor);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_attr_prep *a = &prep->attr[j];
        w->number_of[j] = -1;
        if (a->kind != HEFT_NUMERIC) continue;
        w->number_of[j] = (int64_t)n;
        column[n] = j;
        fill[n] = a->has_fill ? a->fill : (double)NAN;
        shift[n] = a->shift;
        factor[n++] = a->factor;
        fills |= a->has_fill;
        scales |= a->shift != 0 || a->factor != 1;
    }
    if (n == 0) return HEFT_OK;
    w->numbers = heft_onnx_concat(g, column, n);
    if (fills) {
        const heft_onnx_value none = HEFT_ONNX(g, "IsNaN", w->numbers);
        w->numbers = HEFT_ONNX(g, "Where", none, heft_onnx_doubles(g, fill, n, 0), w->numbers);
    }
    if (prep->spec.scaling == HEFT_SCALE_UNIT) w->numbers = to_unit_length(g, w->numbers, n);
    if (scales) {
        w->numbers = HEFT_ONNX(g, "Sub", w->numbers, heft_onnx_doubles(g, shift, n, 0));
        w->numbers = HEFT_ONNX(g, "Mul", w->numbers, heft_onnx_doubles(g, factor, n, 0));
        const heft_onnx_value lo = heft_onnx_double(g, -DBL_MAX), hi = heft_onnx_double(g, DBL_MAX);
        w->numbers = HEFT_ONNX(g, "Clip", w->numbers, lo, hi);
    }
    return HEFT_OK;
}

/* Adds the nodes that find the intervals of numbers, as the count of cuts below each. Attributes
 * with about as many cuts are compared at once, and shorter lists are filled up with infinity;
 * `width` is the longest. */
static heft_status add_intervals(heft_onnx_walk *w, size_t width, heft_onnx_value *out,
                                 int64_t *n_spots, bool *found)
{
    heft_onnx *g = w->g;
    size_t     n = 0;
    int64_t   *column, *missing;
    double    *cuts;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, w->t->n_attr, column, missing);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_term *term = &w->t->attr[j];
        const bool       fits = term->n_cuts <= width && (width == 1 || term->n_cuts > width / 2);
        if (!heft_term_coded(term) || w->number_of[j] < 0 || !fits) continue;
        w->spot_of[j] = (*n_spots)++;
        missing[n] = (int64_t)term->n_codes;
        column[n++] = w->number_of[j];
    }
    *found = n > 0;
    if (!n) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, cuts, n * width);
    for (size_t k = 0; k < n * width; k++) cuts[k] = INFINITY;
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const int64_t at = w->spot_of[j] - (*n_spots - (int64_t)n);
        if (w->spot_of[j] >= 0 && at >= 0)
            for (size_t k = 0; k < w->t->attr[j].n_cuts; k++)
                cuts[(size_t)at * width + k] = w->t->attr[j].cuts[k];
    }
    const heft_onnx_value x = heft_onnx_columns(g, w->numbers, column, n);
    const heft_onnx_value above =
        HEFT_ONNX(g, "Greater", heft_onnx_unsqueeze(g, x, 2), heft_onnx_doubles(g, cuts, n, width));
    const heft_onnx_value count = heft_onnx_sum(g, heft_onnx_cast(g, above, HEFT_ONNX_INT64), 2);
    const heft_onnx_value none = HEFT_ONNX(g, "IsNaN", x);
    *out = HEFT_ONNX(g, "Where", none, heft_onnx_ints(g, missing, n, 0), count);
    return HEFT_OK;
}

/* Adds the node that gives texts their codes. A value never seen counts as missing, unless it is to
 * be a zero count. */
static heft_status add_codes(heft_onnx_walk *w, size_t j, heft_onnx_value *out)
{
    const heft_attr_prep *a = &w->t->model->prep.attr[j];
    const size_t          n = heft_dict_size(a->dict);
    const int64_t         missing = a->has_fill ? (int64_t)a->fill : (int64_t)n;
    heft_buf              keys = {0};
    int64_t              *code;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, code, n + 1);
    for (uint32_t v = 0; v < n; v++) {
        heft_onnx_add_text(&keys, heft_dict_text(a->dict, v));
        code[v] = v;
    }
    const bool own_empty = heft_dict_find(a->dict, "", 0) != HEFT_DICT_NONE;
    if (!own_empty) {
        heft_onnx_add_text(&keys, "");
        code[n] = missing;
    }
    heft_onnx_set_list(w->g, "keys_strings", HEFT_ONNX_STRINGS, &keys);
    heft_onnx_set_ints(w->g, "values_int64s", code, n + !own_empty);
    heft_onnx_set(w->g, "default_int64",
                  w->t->model->prep.spec.unseen_zero ? (int64_t)n + 1 : missing);
    *out = HEFT_ONNX(w->g, "ml.LabelEncoder", j);
    return HEFT_OK;
}

/* Adds the spots of all attributes that have tables, or are part of them. */
static heft_status add_spots(heft_onnx_walk *w)
{
    heft_onnx_value *part;
    size_t           n = 0, most = 0;
    int64_t          n_spots = 0;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, part, w->t->n_attr);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        w->spot_of[j] = -1;
        if (w->t->attr[j].n_cuts > most) most = w->t->attr[j].n_cuts;
    }
    for (size_t width = 1; width == 1 || width / 2 < most; width *= 2) {
        bool found;
        HEFT_CHECK(add_intervals(w, width, &part[n], &n_spots, &found));
        n += found;
    }
    for (size_t j = 0; j < w->t->n_attr; j++) {
        if (!heft_term_coded(&w->t->attr[j]) || w->number_of[j] >= 0) continue;
        w->spot_of[j] = n_spots++;
        HEFT_CHECK(add_codes(w, j, &part[n++]));
    }
    if (n) w->spots = heft_onnx_concat(w->g, part, n);
    return HEFT_OK;
}

/* ---- the result ---- */

/* The index of the class that is predicted, by the model's rule: [N]. */
static heft_onnx_value decide(heft_onnx_walk *w, heft_onnx_value proba)
{
    heft_onnx           *g = w->g;
    const heft_decision *rule = &w->t->model->decision;
    if (rule->kind == HEFT_THRESHOLD) {
        const int64_t         chosen = (int64_t)rule->chosen, other = 1 - chosen;
        const heft_onnx_value p = heft_onnx_gather(g, proba, heft_onnx_ints(g, &chosen, 0, 0), 1);
        const heft_onnx_value yes =
            HEFT_ONNX(g, "GreaterOrEqual", p, heft_onnx_double(g, rule->threshold));
        const heft_onnx_value one = heft_onnx_ints(g, &chosen, 0, 0);
        return HEFT_ONNX(g, "Where", yes, one, heft_onnx_ints(g, &other, 0, 0));
    }
    const bool costs = rule->kind == HEFT_LEAST_COST;
    if (costs) proba = HEFT_ONNX(g, "MatMul", proba, heft_onnx_doubles(g, rule->cost, w->K, w->K));
    heft_onnx_set(g, "axis", 1);
    heft_onnx_set(g, "keepdims", 0);
    return HEFT_ONNX(g, costs ? "ArgMin" : "ArgMax", proba);
}

static heft_status add_result(heft_onnx_walk *w, heft_onnx_value score)
{
    const char **names;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, names, w->K);
    for (size_t c = 0; c < w->K; c++) names[c] = heft_class_name(w->t, c);
    heft_onnx_set(w->g, "axis", 1);
    const heft_onnx_value proba = HEFT_ONNX(w->g, "Softmax", score);
    const heft_onnx_value label =
        heft_onnx_gather(w->g, heft_onnx_texts(w->g, names, w->K), decide(w, proba), 0);
    heft_onnx_output(w->g, "label", label, HEFT_ONNX_STRING, 0, 0);
    heft_onnx_output(w->g, "probabilities", proba, HEFT_ONNX_DOUBLE, w->K, 0);
    return HEFT_OK;
}

/* ---- evidence ---- */

/* The names of the terms, a JSON list: [attribute, ...] each, [] for the start and null for trees.
 */
static void name_term(const heft_onnx_walk *w, size_t term, heft_buf *out)
{
    const size_t n_attr = w->t->n_attr, n_joint = w->t->joint.n;
    if (term < n_attr) heft_put(out, ", [%j]", heft_attr_name(w->t, term));
    else if (term == n_attr + n_joint) heft_put(out, ", \"trees\"");
    else
        heft_put(out, ", [%j, %j]", heft_attr_name(w->t, w->t->joint.list[term - n_attr].attr[0]),
                 heft_attr_name(w->t, w->t->joint.list[term - n_attr].attr[1]));
}

/* What the start and each term add to the score: [N, 1 + terms, K]. An attribute has up to two
 * lines, its table's and its slope's, which are added. */
static heft_status add_evidence(heft_onnx_walk *w)
{
    heft_onnx   *g = w->g;
    const size_t most = w->t->n_attr + w->t->joint.n + 1;
    size_t       n = 0;
    int64_t     *line[2];
    bool         twice = false;
    HEFT_SIDE_TEXT(names, &w->g->properties);
    if (!w->evidence) return HEFT_OK;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, most + 1, line[0], line[1]);
    const heft_onnx_value zero = heft_onnx_unsqueeze(g, HEFT_ONNX(g, "Sub", w->sum, w->sum), 1);
    const heft_onnx_value start =
        HEFT_ONNX(g, "Add", zero, heft_onnx_doubles(g, w->t->start, w->K, 0));
    /* lines of the parts, then 0, then the start */
    w->part[w->n_parts++] = zero;
    w->part[w->n_parts++] = start;
    line[0][n] = (int64_t)w->n_lines + 1;
    line[1][n++] = (int64_t)w->n_lines;
    heft_put(&names, "[\"start\"");
    for (size_t term = 0; term < most; term++) {
        size_t seen = 0;
        line[0][n] = line[1][n] = (int64_t)w->n_lines;
        for (size_t k = 0; k < w->n_lines; k++)
            if (w->term[k] == term && seen < 2) line[seen++][n] = (int64_t)k;
        twice |= seen == 2;
        if (!seen) continue;
        name_term(w, term, &names);
        n++;
    }
    heft_put(&names, "]");
    const heft_onnx_value all = heft_onnx_concat(g, w->part, w->n_parts);
    heft_onnx_value       out = heft_onnx_columns(g, all, line[0], n);
    if (twice) out = HEFT_ONNX(g, "Add", out, heft_onnx_columns(g, all, line[1], n));
    heft_onnx_output(g, "evidence", out, HEFT_ONNX_DOUBLE, n, w->K);
    heft_onnx_property(g, "evidence", heft_buf_string(&names));
    return HEFT_OK;
}

/* ---- the file ---- */

static heft_status walk(heft_onnx_walk *w)
{
    heft_onnx_value score = 0;
    const size_t    n = w->t->n_attr, lines = 2 * n + w->t->joint.n + 3;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, w->number_of, w->spot_of);
    if (w->evidence) HEFT_ALLOCS(w->ctx, &w->ctx->scratch, lines, w->part, w->term);
    if (w->evidence && w->t->class_pair)
        return heft_fail(w->ctx, HEFT_EUNSUPPORTED,
                         "export: the score is a vote of class pairs and has no evidence by term "
                         "(leave out {evidence}, or train with {param multiclass=direct})");
    if (w->evidence && w->t->further.n)
        return heft_fail(
            w->ctx, HEFT_EUNSUPPORTED,
            "export: the score of method %s is not one sum and has no evidence by term "
            "(leave out {evidence}, or train with {method=auto})",
            w->t->model->method->name);
    HEFT_CHECK(add_numbers(w));
    HEFT_CHECK(add_spots(w));
    HEFT_CHECK(heft_onnx_views(w));
    HEFT_CHECK(heft_onnx_score(w, &score));
    HEFT_CHECK(add_result(w, score));
    return add_evidence(w);
}

static heft_status write_onnx(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                              heft_buf *out)
{
    heft_status    st = HEFT_OK;
    heft_onnx      g = {0};
    heft_onnx_walk w = {.ctx = ctx, .g = &g, .t = t, .K = t->n_class, .evidence = how->evidence};
    HEFT_TRY(add_inputs(ctx, t, &g));
    HEFT_TRY(walk(&w));
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
