/* lbfgsb.c - L-BFGS-B. Each iteration minimises a quadratic model of the function within the bounds
 * (box_model.c) and searches along the line from x to that minimum (line_search.c). The accepted
 * step tells the model the curvature along it.
 *
 * Floating-point sums over variables depend on the order of the variables. The variables are
 * therefore sorted by their slopes at the start, so that the order in which the caller has them
 * does not change any bit of the result.
 *
 * If the caller can compute second derivatives, a model of all of them is used (dense_model.c). */
#include "optim/optim.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "optim/box_model.h"
#include "optim/dense_model.h"
#include "optim/line_search.h"

static const double LONGEST = 1e10; /* longest step of a line search */
enum { MOST_MISSES = 6 };        /* the dense model is given up after this many wrong predictions */
static const double AGREE = 0.1; /* how far the fall of f may differ from the predicted one */
static const double ENOUGH = 1e-3; /* the fraction of rel_tol that the dense model must predict */

typedef struct second_order { /* the model of known second derivatives, and its record */
    heft_dense_model *model;  /* NULL: not used, or given up */
    double           *second; /* n x n, in the caller's order */
    double            fall;   /* predicted fall of f along the current direction */
    bool              agrees; /* the prediction for the direction before was right */
    int               misses; /* number of directions whose prediction was wrong */
} second_order;

typedef struct solver { /* variables are in the order of `from` unless said otherwise */
    const heft_problem *problem;
    heft_box_model     *model;
    second_order        dense;          /* used in place of `model` while dense.model is not NULL */
    size_t              n, *from;       /* variable k is the caller's variable from[k] */
    double             *own_x, *own_g;  /* point and gradient in the caller's order */
    double             *lower, *upper;  /* n, infinities allowed */
    bool                bounded, boxed; /* some variable has a bound; every variable has two */
    heft_point          at, next, best; /* iterate, point tried, lowest point */
    double             *to, *d;         /* the model's minimum, and the direction from `at` to it */
    bool                flat;           /* f falls by less than its rounding error along d */
} solver;

static void point_copy(heft_point *to, const heft_point *from, size_t n)
{
    to->f = from->f;
    memcpy(to->x, from->x, n * sizeof *to->x);
    memcpy(to->g, from->g, n * sizeof *to->g);
}

/* ---- the start ---- */

/* Move the start into the bounds. */
static heft_status clip_start(heft_ctx *ctx, const heft_problem *p, double *x)
{
    for (size_t j = 0; j < p->n; j++) {
        const double lo = p->lower ? p->lower[j] : -INFINITY;
        const double hi = p->upper ? p->upper[j] : INFINITY;
        if (!(lo <= hi))
            return heft_fail(ctx, HEFT_EINVAL,
                             "L-BFGS-B: the lower bound of variable %zu is above its upper bound",
                             j + 1);
        if (x[j] < lo) x[j] = lo;
        if (x[j] > hi) x[j] = hi;
    }
    return HEFT_OK;
}

/* Evaluate the start x, which is in the caller's order, and sort the variables by their slopes. All
 * later steps use the sorted order. */
static heft_status begin(heft_ctx *ctx, const heft_problem *p, const double *x, solver *s)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_ranked *order, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, p->n, order, spare);
    HEFT_CHECK(heft_check_cancel(ctx));
    HEFT_CHECK(p->fn(ctx, p->user, x, &s->at.f, s->own_g));
    if (!heft_point_finite(&(heft_point){s->at.f, s->own_x, s->own_g}, p->n))
        return heft_fail(ctx, HEFT_ENUMERIC, "the objective is not finite at the start");
    for (size_t j = 0; j < p->n; j++)
        order[j] = (heft_ranked){p->mark ? heft_order_key(p->mark[j]) : 0, j};
    if (p->mark) heft_order_sort(order, spare, p->n);
    for (size_t k = 0; k < p->n; k++) order[k].key = heft_order_key(s->own_g[order[k].row]);
    heft_order_sort(order, spare, p->n);
    s->boxed = true;
    for (size_t k = 0; k < p->n; k++) {
        const size_t j = s->from[k] = order[k].row;
        s->lower[k] = p->lower ? p->lower[j] : -INFINITY;
        s->upper[k] = p->upper ? p->upper[j] : INFINITY;
        s->bounded = s->bounded || isfinite(s->lower[k]) || isfinite(s->upper[k]);
        s->boxed = s->boxed && isfinite(s->lower[k]) && isfinite(s->upper[k]);
        s->at.x[k] = x[j];
        s->at.g[k] = s->own_g[j];
    }
    point_copy(&s->best, &s->at, p->n);
    return HEFT_OK;
}

static heft_status open_solver(heft_ctx *ctx, const heft_problem *p, size_t memory, solver *s)
{
    const size_t n = p->n;
    *s = (solver){.problem = p, .n = n};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, s->from, s->own_x, s->own_g, s->lower, s->upper, s->to,
                s->d);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, s->at.x, s->at.g, s->next.x, s->next.g, s->best.x,
                s->best.g);
    if (!p->second)
        return heft_box_model_create(ctx, &ctx->scratch, n, memory, s->lower, s->upper, &s->model);
    HEFT_ALLOC(ctx, &ctx->scratch, s->dense.second, n * n);
    return heft_dense_model_create(ctx, &ctx->scratch, n, s->lower, s->upper, &s->dense.model);
}

/* ---- the model ---- */

/* Give up second derivatives and go on with the L-BFGS model: second derivatives mislead if f is
 * far from quadratic. */
static heft_status leave_dense(heft_ctx *ctx, solver *s, const heft_stop *stop)
{
    s->dense.model = NULL;
    return heft_box_model_create(ctx, &ctx->scratch, s->n, stop->memory, s->lower, s->upper,
                                 &s->model);
}

/* Compute the second derivatives at the current point and put them into the dense model. */
static heft_status look_again(heft_ctx *ctx, solver *s, const heft_stop *stop)
{
    bool known;
    for (size_t k = 0; k < s->n; k++) s->own_x[s->from[k]] = s->at.x[k];
    HEFT_CHECK(s->problem->second(ctx, s->problem->user, s->own_x, s->dense.second, &known));
    if (!known) return leave_dense(ctx, s, stop);
    heft_dense_model_set(s->dense.model, s->dense.second, s->from);
    return HEFT_OK;
}

static bool to_minimum(solver *s)
{
    if (!s->dense.model) return heft_box_model_minimise(s->model, s->at.x, s->at.g, s->to);
    s->dense.fall = heft_dense_model_minimise(s->dense.model, s->at.x, s->at.g, s->to);
    return true;
}

static heft_status learn(heft_ctx *ctx, solver *s, const heft_stop *stop, const heft_point *before)
{
    if (!s->dense.model) {
        heft_box_model_learn(s->model, before->x, before->g, s->at.x, s->at.g);
        return HEFT_OK;
    }
    s->dense.agrees = fabs(before->f - s->at.f - s->dense.fall) <= AGREE * s->dense.fall;
    if (!s->dense.agrees)
        return ++s->dense.misses < MOST_MISSES ? look_again(ctx, s, stop)
                                               : leave_dense(ctx, s, stop);
    heft_dense_model_learn(s->dense.model, before->x, before->g, s->at.x, s->at.g);
    return HEFT_OK;
}

/* ---- one iteration ---- */

/* Returns the largest component of the projected gradient. */
static double projected_norm(const solver *s, const heft_point *p)
{
    double norm = 0;
    for (size_t k = 0; k < s->n; k++) {
        const double g = p->g[k];
        const double room = g < 0 ? s->upper[k] - p->x[k] : p->x[k] - s->lower[k];
        norm = fmax(norm, fmin(fabs(g), room));
    }
    return norm;
}

/* Returns the longest step along d within the bounds. In the first iteration nothing is known about
 * the curvature, so that no step may go beyond the minimum of the model. */
static double step_limit(const solver *s, bool first)
{
    double limit = LONGEST;
    if (s->bounded && first) return 1;
    if (s->bounded)
        for (size_t k = 0; k < s->n; k++) {
            const double bound = s->d[k] < 0 ? s->lower[k] : s->upper[k];
            if (s->d[k] != 0) limit = fmin(limit, (bound - s->at.x[k]) / s->d[k]);
        }
    return fmax(limit, 1);
}

/* Evaluate `next`, the point at the line search's next step along d. */
static heft_status try_step(heft_ctx *ctx, solver *s, const heft_line *line, heft_minimum *out,
                            heft_line_point *probe)
{
    heft_point *next = &s->next;
    HEFT_CHECK(heft_check_cancel(ctx));
    for (size_t k = 0; k < s->n; k++) {
        const double x = s->at.x[k] + line->step * s->d[k];
        next->x[k] = line->step == 1 ? s->to[k] : fmin(fmax(x, s->lower[k]), s->upper[k]);
        s->own_x[s->from[k]] = next->x[k];
    }
    HEFT_CHECK(s->problem->fn(ctx, s->problem->user, s->own_x, &next->f, s->own_g));
    out->evaluations++;
    for (size_t k = 0; k < s->n; k++) next->g[k] = s->own_g[s->from[k]];
    *probe = (heft_line_point){line->step, next->f, 0};
    for (size_t k = 0; k < s->n; k++) probe->slope += next->g[k] * s->d[k];
    if (!heft_point_finite(next, s->n) || !isfinite(probe->slope))
        *probe = heft_line_undefined(line);
    else if (next->f < s->best.f) point_copy(&s->best, next, s->n);
    return HEFT_OK;
}

/* Search for a lower point along d, and leave it in `next`. *found is false if there is none, or if
 * a limit of `stop` was reached first. */
static heft_status step(heft_ctx *ctx, solver *s, const heft_stop *stop, heft_minimum *out,
                        bool *found)
{
    double           slope = 0, square = 0;
    heft_line        line;
    heft_line_answer answer = HEFT_LINE_TRY;
    *found = false;
    if (!to_minimum(s)) return HEFT_OK;
    if (s->dense.model && s->dense.agrees &&
        s->dense.fall <= ENOUGH * stop->rel_tol * fmax(fabs(s->at.f), 1)) {
        out->converged = true;
        out->stopped_by = "the objective stopped decreasing";
        return HEFT_OK;
    }
    for (size_t k = 0; k < s->n; k++) {
        s->d[k] = s->to[k] - s->at.x[k];
        slope += s->d[k] * s->at.g[k];
        square += s->d[k] * s->d[k];
    }
    s->flat = -slope <= DBL_EPSILON * fabs(s->at.f);
    if (!(slope < 0) || !isfinite(slope) || s->flat) return HEFT_OK;
    const bool first = out->iterations == 0 && !s->dense.model;
    heft_line_begin(&line, s->at.f, slope, first && !s->boxed ? fmin(1, 1 / sqrt(square)) : 1,
                    step_limit(s, first));
    while (answer == HEFT_LINE_TRY && !heft_capped(stop, out)) {
        heft_line_point probe;
        HEFT_CHECK(try_step(ctx, s, &line, out, &probe));
        answer = heft_line_next(&line, &probe);
    }
    *found = answer == HEFT_LINE_ACCEPT;
    return HEFT_OK;
}

/* Make `next` the current point, and let the model learn from the step. */
static heft_status accept(heft_ctx *ctx, solver *s, const heft_stop *stop, heft_arena *trace,
                          heft_minimum *out)
{
    const heft_point before = s->at;
    s->at = s->next;
    s->next = before;
    HEFT_CHECK(learn(ctx, s, stop, &before));
    out->iterations++;
    HEFT_CHECK(heft_trace_add(ctx, trace, s->at.f, out));
    if (heft_stalled(stop, before.f, s->at.f, out) || s->at.f < before.f) return HEFT_OK;
    out->converged = true;
    out->stopped_by = "the objective stopped decreasing";
    return HEFT_OK;
}

/* Called if no step was found. The pairs of the model may be the reason, so they are dropped for
 * another try, unless f is already as low as rounding allows. */
static heft_status give_up(heft_ctx *ctx, solver *s, const heft_stop *stop, heft_minimum *out)
{
    const bool small =
        projected_norm(s, &s->best) <= fmax(stop->pg_tol, 1e-5 * fmax(fabs(s->best.f), 1));
    if (s->dense.model && !(s->flat && small)) return leave_dense(ctx, s, stop);
    if (s->model && !heft_box_model_empty(s->model) && !(s->flat && small)) {
        heft_box_model_forget(s->model);
        return HEFT_OK;
    }
    out->converged = out->slow > 0 || (s->flat && small);
    if (out->converged) out->stopped_by = "the objective stopped decreasing";
    else if (small)
        out->stopped_by = "the line search found no lower point; the projected gradient is small";
    else out->stopped_by = "the line search found no lower point";
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                        heft_arena *trace, double *x, heft_minimum *out)
{
    assert(stop->memory >= 1 && stop->memory <= 100);
    HEFT_SCRATCH_SCOPE(ctx);
    solver s;
    *out = (heft_minimum){0};
    HEFT_CHECK(clip_start(ctx, problem, x));
    HEFT_CHECK(open_solver(ctx, problem, stop->memory, &s));
    HEFT_CHECK(begin(ctx, problem, x, &s));
    out->evaluations = 1;
    out->f0 = s.at.f;
    HEFT_CHECK(heft_trace_add(ctx, trace, s.at.f, out));
    if (s.n == 0) out->converged = true, out->stopped_by = "there are no weights to learn";
    if (s.dense.model && s.n > 0 && stop->max_iter > 0) HEFT_CHECK(look_again(ctx, &s, stop));

    while (!out->stopped_by && !heft_capped(stop, out)) {
        bool found;
        if (projected_norm(&s, &s.at) <= stop->pg_tol) {
            out->converged = true;
            out->stopped_by = "the projected gradient is small enough";
            break;
        }
        HEFT_CHECK(step(ctx, &s, stop, out, &found));
        if (found) HEFT_CHECK(accept(ctx, &s, stop, trace, out));
        else if (!out->stopped_by) HEFT_CHECK(give_up(ctx, &s, stop, out));
    }
    out->f = s.best.f;
    out->pg_norm = projected_norm(&s, &s.best);
    for (size_t k = 0; k < s.n; k++) x[s.from[k]] = s.best.x[k];
    return HEFT_OK;
}
