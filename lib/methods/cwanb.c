/* cwanb.c - CWANB: the weights of cfwnb are the start, from which wanbia's squared error of the
 * posterior is minimised. The error is not convex: the result depends on the start, and its error
 * is never above that of the start. */
#include "methods/cwanb.h"
#include "learn/basis.h"
#include "learn/filters.h"
#include "learn/squared.h"

static const heft_option options[] = {
    HEFT_OPT_NUMBER("tol", "1e-7", 0, 1,
                    "stop when the error falls by no more than this share of itself"),
    HEFT_OPT_WHOLE("max-iter", "1000", 0, 1e6, "iterations at most; 0 leaves the weights of cfwnb"),
    HEFT_OPT_WHOLE("memory", "10", 1, 100, "correction pairs of L-BFGS-B"),
    HEFT_OPT_PAIR_OR("none", "bounds", "0,1", "the weights stay within"),
    HEFT_OPT_NUMBER("l2", "0", 0, 1e12, "pull toward 1: adds l2/2 sum (weight - 1)^2"),
    HEFT_BINS_OPTION("mdl"),
    HEFT_OPT_END,
};

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    double *start;
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, start, out->n_attr);
    HEFT_CHECK(heft_cfw_weights(ctx, task, start, out));
    return heft_wanbia_fit(ctx, task, start, out);
}

static const heft_twin twins[] = HEFT_TWINS_OF("cfwnb", "max-iter=0");

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
