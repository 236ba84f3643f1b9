/* onnx_score.c - the score of an ONNX graph: a sum of terms, votes of class pairs, or several sums
 * that are combined (model/term.h); then calibration. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/onnx_terms.h"

/* Fills out[K] with -inf for classes that are left out, else 0. */
static void left_out(const heft_onnx_walk *w, double *out)
{
    for (size_t c = 0; c < w->K; c++) out[c] = isinf(w->t->start[c]) ? w->t->start[c] : 0;
}

/* Adds 1 / (1 + exp(-t)), and 1 less that. */
static void sigmoid(heft_onnx *g, heft_onnx_value t, heft_onnx_value out[2])
{
    const heft_onnx_value one = heft_onnx_double(g, 1);
    const heft_onnx_value size = HEFT_ONNX(g, "Neg", HEFT_ONNX(g, "Abs", t));
    const heft_onnx_value e = HEFT_ONNX(g, "Exp", size);
    const heft_onnx_value all = HEFT_ONNX(g, "Add", one, e);
    const heft_onnx_value large = HEFT_ONNX(g, "Div", one, all);
    const heft_onnx_value small = HEFT_ONNX(g, "Div", e, all);
    const heft_onnx_value yes = HEFT_ONNX(g, "GreaterOrEqual", t, heft_onnx_double(g, 0));
    out[0] = HEFT_ONNX(g, "Where", yes, large, small);
    out[1] = HEFT_ONNX(g, "Where", yes, small, large);
}

/* Class pairs vote: the score is the log of the share of the votes. */
static heft_status add_votes(heft_onnx_walk *w, heft_onnx_value *score)
{
    heft_onnx      *g = w->g;
    const size_t    K = w->K, P = w->t->n_class_pairs;
    double         *start, *votes[2], *absent;
    heft_onnx_value share[2], sum[2];
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, start, P);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, absent, K);
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, P * K, votes[0], votes[1]);
    for (size_t k = 0; k < P; k++) {
        const heft_class_pair *pair = &w->t->class_pair[k];
        start[k] = pair->w0 * (w->t->start[pair->a] - w->t->start[pair->b]);
        votes[0][k * K + pair->a] = votes[1][k * K + pair->b] = 1;
    }
    sigmoid(g, HEFT_ONNX(g, "Add", w->sum, heft_onnx_doubles(g, start, P, 0)), share);
    for (size_t side = 0; side < 2; side++)
        sum[side] = HEFT_ONNX(g, "MatMul", share[side], heft_onnx_doubles(g, votes[side], P, K));
    const heft_onnx_value all = HEFT_ONNX(g, "Add", sum[0], sum[1]);
    const heft_onnx_value some = HEFT_ONNX(g, "Max", all, heft_onnx_double(g, DBL_MIN));
    const heft_onnx_value of = HEFT_ONNX(g, "Div", some, heft_onnx_double(g, (double)P));
    left_out(w, absent);
    *score = HEFT_ONNX(g, "Add", HEFT_ONNX(g, "Log", of), heft_onnx_doubles(g, absent, K, 0));
    return HEFT_OK;
}

/* Zeros of the shape [N, K], in place of terms that are not there. */
static heft_onnx_value no_terms(heft_onnx_walk *w, double *zeros)
{
    const heft_onnx_value line = heft_onnx_doubles(w->g, zeros, 1, w->K);
    if (w->t->n_attr == 0) return line;
    return HEFT_ONNX(w->g, "Expand", line, HEFT_ONNX(w->g, "Shape", 0));
}

/* ---- sums ---- */

/* Adds the start and the terms, [N, K]; for class pairs the terms alone. */
static heft_status add_sum(heft_onnx_walk *w, heft_onnx_value *sum)
{
    const size_t      n = w->t->class_pair ? w->t->n_class_pairs : w->K;
    const heft_trees *trees = w->t->trees;
    double           *start, *line;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, start, n);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, line, w->K);
    HEFT_CHECK(heft_onnx_tables(w));
    HEFT_CHECK(heft_onnx_densities(w));
    HEFT_CHECK(heft_onnx_joint(w));
    HEFT_CHECK(heft_onnx_trees(w));
    if (!w->any) w->sum = no_terms(w, start);
    *sum = w->sum;
    if (w->t->class_pair) return HEFT_OK;
    memcpy(start, w->t->start, n * sizeof *start);
    if (trees && trees->n_splits == 0)
        for (size_t k = 0; k < trees->n_leaves; k++) {
            heft_onnx_leaf(w->t, k, line); /* trees without a split add a constant */
            for (size_t c = 0; c < n; c++) start[c] += line[c];
        }
    *sum = HEFT_ONNX(w->g, "Add", w->sum, heft_onnx_doubles(w->g, start, n, 0));
    return HEFT_OK;
}

/* The log of the sum of exponentials along an axis, which stays with length 1. */
static heft_onnx_value log_sum(heft_onnx *g, heft_onnx_value x, int axis)
{
    heft_onnx_set_ints(g, "axes", (const int64_t[]){axis}, 1);
    const heft_onnx_value most = HEFT_ONNX(g, "ReduceMax", x);
    const heft_onnx_value top = HEFT_ONNX(g, "Max", most, heft_onnx_double(g, -DBL_MAX));
    const heft_onnx_value each = HEFT_ONNX(g, "Exp", HEFT_ONNX(g, "Sub", x, top));
    const heft_onnx_value sum = heft_onnx_unsqueeze(g, heft_onnx_sum(g, each, axis), axis);
    return HEFT_ONNX(g, "Add", top, HEFT_ONNX(g, "Log", sum));
}

/* The score by the base and all further sums, one below the other: [N, sums, K]. */
static heft_onnx_value combined(heft_onnx_walk *w, heft_onnx_value base, heft_onnx_value sums,
                                double *shares)
{
    heft_onnx   *g = w->g;
    const size_t n = w->t->further.n;
    if (w->t->further.combining == HEFT_MULTIPLIED) {
        const heft_onnx_value some = HEFT_ONNX(g, "Max", sums, heft_onnx_double(g, HEFT_LEAST_SUM));
        return HEFT_ONNX(g, "Add", base, heft_onnx_sum(g, HEFT_ONNX(g, "Log", some), 1));
    }
    if (w->t->further.combining == HEFT_AVERAGED) {
        const heft_onnx_value all = heft_onnx_sum(g, log_sum(g, sums, 1), 1);
        const heft_onnx_value none =
            HEFT_ONNX(g, "Less", all, heft_onnx_double(g, HEFT_ABSENT / 10));
        return HEFT_ONNX(g, "Where", none, base, all);
    }
    for (size_t k = 0; k <= n; k++) shares[k] = log(w->t->further.mixing[k]);
    const heft_onnx_value both[] = {heft_onnx_unsqueeze(g, base, 1), sums};
    const heft_onnx_value each = heft_onnx_concat(g, both, 2);
    const heft_onnx_value one = HEFT_ONNX(g, "Sub", each, log_sum(g, each, 2));
    const heft_onnx_value share = HEFT_ONNX(g, "Add", one, heft_onnx_doubles(g, shares, n + 1, 1));
    return heft_onnx_sum(g, log_sum(g, share, 1),
                         1); /* the axis has length 1, and the sum drops it */
}

static heft_status combine(heft_onnx_walk *w, heft_onnx_value *score)
{
    heft_onnx_value *sum;
    double          *shares;
    if (w->t->further.n == 0) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, sum, w->t->further.n);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, shares, w->t->further.n + 1);
    for (size_t k = 0; k < w->t->further.n; k++) {
        heft_onnx_walk one = *w;
        one.t = &w->t->further.list[k];
        one.any = false;
        HEFT_CHECK(add_sum(&one, &sum[k]));
        sum[k] = heft_onnx_unsqueeze(w->g, sum[k], 1);
        HEFT_CHECK(heft_check_cancel(w->ctx));
    }
    *score = combined(w, *score, heft_onnx_concat(w->g, sum, w->t->further.n), shares);
    return HEFT_OK;
}

/* ---- calibration ---- */

static heft_status calibrate(heft_onnx_walk *w, heft_onnx_value *score)
{
    const heft_calibration *how = &w->t->model->calibration;
    heft_onnx              *g = w->g;
    heft_onnx_value         s = *score;
    double                 *absent;
    bool                    any = false;
    if (!how->scale) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, absent, w->K);
    left_out(w, absent);
    for (size_t c = 0; c < w->K; c++) any |= absent[c] != 0;
    if (how->kind == HEFT_VECTOR) s = HEFT_ONNX(g, "Sub", s, log_sum(g, s, 1));
    s = HEFT_ONNX(g, "Mul", s, heft_onnx_doubles(g, how->scale, w->K, 0));
    s = HEFT_ONNX(g, "Add", s, heft_onnx_doubles(g, how->shift, w->K, 0));
    if (any) {
        const heft_onnx_value gone = HEFT_ONNX(g, "IsInf", heft_onnx_doubles(g, absent, w->K, 0));
        s = HEFT_ONNX(g, "Where", gone, heft_onnx_double(g, -(double)INFINITY), s);
    }
    *score = s;
    return HEFT_OK;
}

heft_status heft_onnx_score(heft_onnx_walk *w, heft_onnx_value *score)
{
    HEFT_CHECK(add_sum(w, score));
    if (w->t->class_pair) HEFT_CHECK(add_votes(w, score));
    HEFT_CHECK(combine(w, score));
    return calibrate(w, score);
}
