/* cwanb.c - CWANB: weights by correlation (cfwnb) as the start, the squared error of the posterior
 * (wanbia) as the judge. The error is not convex, so that the start may decide where it ends; it
 * never ends above the start. */
#include "methods/cwanb.h"
#include "learn/basis.h"
#include "learn/filters.h"
#include "learn/squared.h"

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    double *start;
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, start, out->n_attr);
    HEFT_CHECK(heft_cfw_weights(ctx, task, start, out));
    return heft_wanbia_fit(ctx, task, start, out);
}

static const heft_option options[] = {
    {.name = "tol",
     .fallback = "1e-7",
     .number = true,
     .lo = 0,
     .hi = 1,
     .help = "stop when the error falls by no more than this share of itself"},
    {.name = "max-iter",
     .fallback = "1000",
     .number = true,
     .whole = true,
     .lo = 0,
     .hi = 1e6,
     .help = "iterations at most; 0 leaves the weights of cfwnb"},
    {.name = "memory",
     .fallback = "10",
     .number = true,
     .whole = true,
     .lo = 1,
     .hi = 100,
     .help = "correction pairs of L-BFGS-B"},
    {.name = "bounds",
     .fallback = "0,1",
     .pair = true,
     .words = "none",
     .help = "the weights stay within"},
    {.name = "l2",
     .fallback = "0",
     .number = true,
     .lo = 0,
     .hi = 1e12,
     .help = "pull toward 1: adds l2/2 sum (weight - 1)^2"},
    HEFT_BINS_OPTION("mdl"),
    {.name = NULL},
};

static const heft_twin twins[] = {
    {.args = "max-iter=0", .other = "cfwnb", .other_args = "", .tolerance = 1e-12},
    {.args = "max-iter=0",
     .other = "cfwnb",
     .other_args = "",
     .prepare = {.discretize = "none"},
     .tolerance = 1e-12},
    {.other = NULL},
};

const heft_method heft_method_cwanb = {
    .name = "cwanb",
    .title = "weights of cfwnb as the start, then those that minimise the squared error",
    .source = "CWANB as Wang, Ren and Bai name it: cfwnb as the start of wanbia, (5) (8)",
    .family = HEFT_WRAPPER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,
    .prepare = HEFT_SQUARED_PREPARE,
    .options = options,
    .twins = twins,
    .fit = fit,
};
