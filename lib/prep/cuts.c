/* cuts.c - cut points of one column that need no class: equal width and equal frequency. */
#include <float.h>
#include <math.h>

#include "base/num.h"
#include "base/rows.h"
#include "prep/points.h"

/* a + t (b - a), 0 <= t <= 1, from the nearer end, never outside [a, b]. */
static double between(double a, double b, double t)
{
    const double d = b - a;
    if (!isfinite(d)) return a * (1 - t) + b * t;
    const double x = t < 0.5 ? a + d * t : b - d * (1 - t);
    return x < a ? a : x > b ? b : x;
}

/* Adds a cut when it is larger than the last one. */
static void add_cut(double *cuts, size_t *n_cuts, double x)
{
    if (*n_cuts == 0 || x > cuts[*n_cuts - 1]) cuts[(*n_cuts)++] = x + 0.0;
}

typedef struct ladder { /* the distinct values, each with the weight up to and including it */
    size_t  n;
    double *value, *up_to;
    bool    whole; /* all weights are whole numbers */
} ladder;

/* The first rung whose weight is above p, from *at on: p must not decrease. */
static double climb(const ladder *rungs, double p, size_t *at)
{
    while (*at + 1 < rungs->n && rungs->up_to[*at] <= p) (*at)++;
    return rungs->value[*at];
}

/* The values in order, equal ones joined. Rows of weight 0 are left out. Equal values come by
 * increasing weight, so that sums do not depend on the order of the rows. */
static heft_status build_ladder(heft_ctx *ctx, const double *x, const double *weight, size_t n,
                                ladder *out)
{
    heft_ranked *v, *spare;
    double       sum = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare, out->value, out->up_to);
    const size_t m = heft_points_order(x, NULL, weight, n, 0, v, spare);
    out->whole = true;
    HEFT_ROWS (i, m) {
        const double w = weight ? weight[v[i].row] : 1;
        sum += w;
        if (w != floor(w)) out->whole = false;
        if (i == 0 || v[i].key != v[i - 1].key) out->value[out->n++] = heft_order_value(v[i].key);
        out->up_to[out->n - 1] = sum;
    }
    return HEFT_OK;
}

/* The quantile at q; q must not decrease from one call to the next. */
static double quantile(const ladder *rungs, double q, size_t *at)
{
    const double total = rungs->up_to[rungs->n - 1];
    if (!rungs->whole) return climb(rungs, q * total * (1 - 1e-12), at);
    const double place = (total - 1) * q, below = floor(place);
    const double a = climb(rungs, below, at);
    size_t       next = *at;
    return between(a, climb(rungs, below + 1, &next), place - below);
}

heft_status heft_cuts_width(heft_ctx *ctx, heft_arena *arena, const double *x, size_t n,
                            size_t bins, double **cuts, size_t *n_cuts)
{
    double lo = INFINITY, hi = -INFINITY;
    *cuts = NULL;
    *n_cuts = 0;
    HEFT_ROWS (i, n) {
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    const double range = hi - lo, width = range / (double)bins;
    if (bins < 2 || !(width > 0)) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, *cuts, bins - 1);
    for (size_t k = 1; k < bins; k++)
        add_cut(*cuts, n_cuts,
                isfinite(range) ? lo + width * (double)k
                                : between(lo, hi, (double)k / (double)bins));
    return HEFT_OK;
}

heft_status heft_cuts_frequencies(heft_ctx *ctx, const double *x, const double *weight, size_t n,
                                  const size_t *bins, size_t n_lists, double *const *cuts,
                                  size_t *n_cuts)
{
    ladder rungs = {0};
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_CHECK(build_ladder(ctx, x, weight, n, &rungs));
    for (size_t l = 0; l < n_lists; l++) {
        size_t at = 0;
        n_cuts[l] = 0;
        if (rungs.n < 2) continue;
        for (size_t k = 1; k < bins[l]; k++)
            add_cut(cuts[l], &n_cuts[l], quantile(&rungs, (double)k / (double)bins[l], &at));
    }
    return HEFT_OK;
}

heft_status heft_cuts_frequency(heft_ctx *ctx, heft_arena *arena, const double *x,
                                const double *weight, size_t n, size_t bins, double **cuts,
                                size_t *n_cuts)
{
    *cuts = NULL;
    *n_cuts = 0;
    if (bins < 2) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, *cuts, bins - 1);
    return heft_cuts_frequencies(ctx, x, weight, n, &bins, 1, cuts, n_cuts);
}

uint32_t heft_cut_code(const double *cuts, size_t n_cuts, double x)
{
    return (uint32_t)heft_lower_bound(cuts, n_cuts, x);
}
