/* minimum.c - what the minimisers share: points, caps and the trace. */
#include "optim/optim.h"

#include <math.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

heft_status heft_point_init(heft_ctx *ctx, size_t n, heft_point *point)
{
    HEFT_ALLOCS(ctx, &ctx->scratch, n, point->x, point->g);
    return HEFT_OK;
}

bool heft_point_finite(const heft_point *point, size_t n)
{
    bool ok = isfinite(point->f);
    for (size_t j = 0; j < n; j++) ok &= isfinite(point->g[j]) != 0;
    return ok;
}

/* The capacity is FIRST_CAPACITY times a power of two: the trace is full whenever n_trace is. */
heft_status heft_trace_add(heft_ctx *ctx, heft_arena *arena, double f, heft_minimum *out)
{
    const size_t n = out->n_trace;
    if (!arena) return HEFT_OK;
    if (n == 0 || (n >= FIRST_CAPACITY && (n & (n - 1)) == 0)) {
        double *value;
        HEFT_ALLOC(ctx, arena, value, n ? 2 * n : FIRST_CAPACITY);
        if (n) memcpy(value, out->trace, n * sizeof *value);
        out->trace = value;
    }
    out->trace[out->n_trace++] = f;
    return HEFT_OK;
}

bool heft_capped(const heft_stop *stop, heft_minimum *out)
{
    if (out->iterations >= stop->max_iter) out->stopped_by = "the limit of iterations was reached";
    else if (stop->max_eval > 0 && out->evaluations >= stop->max_eval)
        out->stopped_by = "the limit of evaluations was reached";
    return out->stopped_by != NULL;
}
