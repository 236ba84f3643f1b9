/* descent.c - steepest descent, and what all minimisers share: stopping rules and the trace.
 *
 * Pass t of the descent tries a step eta_t, which shrinks from pass to pass, and halves it until f
 * falls by a fraction of what the gradient promises (Armijo's condition):
 *
 *   eta_t = eta0 / (1 + t / decay), halved until  f(x - eta g) <= f(x) - 1e-4 eta |g|^2
 *
 * Small steps keep the search in the basin of the start, which a quasi-Newton step may leave. */
#include "optim/optim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/double_double.h"

enum { FIRST_CAPACITY = 64, PATIENCE = 3 };

bool heft_point_finite(const heft_point *point, size_t n)
{
    bool ok = isfinite(point->f);
    for (size_t j = 0; j < n; j++) ok &= isfinite(point->g[j]) != 0;
    return ok;
}

/* The capacity of the trace is always FIRST_CAPACITY times a power of two, so that it need not be
 * stored: the trace is full when n_trace is such a number. */
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
    if (out->iterations >= stop->max_iter) out->stopped_by = "the iteration limit was reached";
    else if (stop->max_eval > 0 && out->evaluations >= stop->max_eval)
        out->stopped_by = "the evaluation limit was reached";
    return out->stopped_by != NULL;
}

bool heft_stalled(const heft_stop *stop, double before, double f, heft_minimum *out)
{
    const bool slow = before - f <= stop->rel_tol * fmax(fmax(fabs(before), fabs(f)), 1);
    out->slow = slow ? out->slow + 1 : 0;
    if (out->slow < PATIENCE) return false;
    out->converged = true;
    out->stopped_by = "the objective stopped decreasing";
    return true;
}

/* ---- descent ---- */

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) most = fmax(most, fabs(v[j]));
    return most;
}

/* Set `to` to the point at step eta along the negative gradient, moved into the bounds. Returns by
 * how much f falls on the way according to the gradient. */
static double along_gradient(const heft_problem *p, const heft_point *at, double eta, double *to)
{
    heft_dd fall = {0, 0};
    for (size_t j = 0; j < p->n; j++) {
        to[j] = at->x[j] - eta * at->g[j];
        if (p->lower) to[j] = fmax(to[j], p->lower[j]);
        if (p->upper) to[j] = fmin(to[j], p->upper[j]);
        fall = heft_dd_plus(fall, at->g[j] * (at->x[j] - to[j]));
    }
    return fall.high + fall.low;
}

static heft_status descend(heft_ctx *ctx, const heft_problem *p, const heft_descent_rule *rule,
                           heft_point *at, heft_point *next, heft_arena *trace, heft_minimum *out)
{
    const bool bounded = p->lower || p->upper;
    double     taken = rule->eta0 / 2;
    long       slow = 0; /* consecutive passes with hardly any fall */
    for (long t = 1; t <= rule->max_iter && slow < rule->patience; t++) {
        bool moved;
        if (along_gradient(p, at, rule->eta0, next->x) == 0) {
            out->converged = true;
            out->stopped_by = "the gradient is zero";
            return HEFT_OK;
        }
        double  eta = rule->search ? 2 * taken : rule->eta0 / (1 + (double)t / rule->decay);
        heft_dd square = {0, 0}; /* double-double, so that the sum does not depend on the order */
        for (size_t j = 0; j < p->n; j++) square = heft_dd_plus(square, at->g[j] * at->g[j]);
        const double slope = square.high + square.low;
        for (moved = false; !moved && eta >= rule->floor * rule->eta0; eta /= 2) {
            HEFT_CHECK(heft_check_cancel(ctx));
            const double promised = along_gradient(p, at, eta, next->x);
            HEFT_CHECK(p->fn(ctx, p->user, next->x, &next->f, next->g));
            out->evaluations++;
            const double fall = bounded ? promised : eta * slope;
            moved = heft_point_finite(next, p->n) && next->f <= at->f - 1e-4 * fall;
            if (moved) taken = eta;
        }
        if (!moved) {
            out->stopped_by = "no step lowers the objective, however small";
            return HEFT_OK;
        }
        slow = at->f - next->f <= rule->rel_tol * fabs(at->f) ? slow + 1 : 0;
        const heft_point before = *at;
        *at = *next;
        *next = before;
        out->iterations = t;
        HEFT_CHECK(heft_trace_add(ctx, trace, at->f, out));
    }
    out->converged = slow >= rule->patience;
    out->stopped_by =
        out->converged ? "the objective stopped decreasing" : "the pass limit was reached";
    return HEFT_OK;
}

heft_status heft_descent(heft_ctx *ctx, const heft_problem *problem, const heft_descent_rule *rule,
                         heft_arena *trace, double *x, heft_minimum *out)
{
    assert(rule->eta0 > 0 && (rule->decay > 0 || rule->search));
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = problem->n;
    heft_point   at = {0}, next = {0};
    *out = (heft_minimum){.evaluations = 1};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, at.x, at.g, next.x, next.g);
    memcpy(next.x, x, n * sizeof *x);
    along_gradient(problem, &next, 0, at.x); /* the start, moved into the bounds */
    HEFT_CHECK(problem->fn(ctx, problem->user, at.x, &at.f, at.g));
    if (!heft_point_finite(&at, n))
        return heft_fail(ctx, HEFT_ENUMERIC, "the objective is not finite at the start");
    out->f0 = at.f;
    HEFT_CHECK(heft_trace_add(ctx, trace, at.f, out));
    HEFT_CHECK(descend(ctx, problem, rule, &at, &next, trace, out));
    memcpy(x, at.x, n * sizeof *x);
    out->f = at.f;
    along_gradient(problem, &at, 1, next.x);
    if (problem->lower || problem->upper)
        for (size_t j = 0; j < n; j++) at.g[j] = at.x[j] - next.x[j]; /* the projected gradient */
    out->pg_norm = largest(at.g, n);
    return HEFT_OK;
}
