/* lbfgsb.c - L-BFGS-B around the Fortran routine setulb of liblbfgsb.
 *
 * setulb works by reverse communication: it is called again and again with the same arrays, and
 * `task` says what it wants: FG (evaluate at x), NEW_X (an iteration is finished), or why it
 * ended. It keeps nothing outside those arrays, and iprint = -1 keeps it silent.
 *
 * Its own test of the fall of f stops at the first iteration with hardly any, which may be a pause.
 * With factr = 0 it stops only where f does not fall at all; heft_stalled has the rule.
 *
 * It adds over the variables. They are given to it in the order of their slopes at the start: the
 * order in which the caller has them changes no bit. */
#include "optim/optim.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/sort.h"

enum { TEXT = 60 }; /* length of task and csave */

/* gfortran's conventions: everything by address, lengths of character arguments by value at the
 * end (size_t since GCC 8), LOGICAL as wide as INTEGER. */
extern void setulb_(const int *n, const int *m, double *x, const double *l, const double *u,
                    const int *nbd, double *f, double *g, const double *factr, const double *pgtol,
                    double *wa, int *iwa, char *task, const int *iprint, char *csave, int *lsave,
                    int *isave, double *dsave, size_t task_length, size_t csave_length);

typedef struct solver { /* the arrays of setulb */
    int     n, m;
    double *x, *l, *u, *g, *wa; /* variables in the order of `from` */
    int    *nbd, *iwa;
    size_t *from;          /* variable k is the caller's variable from[k] */
    double *own_x, *own_g; /* in the caller's order */
    double  f, factr, pgtol;
    char    task[TEXT], csave[TEXT];
    int     lsave[4], isave[44];
    double  dsave[29];
} solver;

static bool task_is(const solver *s, const char *text)
{
    return strncmp(s->task, text, strlen(text)) == 0;
}

static void point_set(heft_point *p, const solver *s)
{
    p->f = s->f;
    memcpy(p->x, s->x, (size_t)s->n * sizeof *p->x);
    memcpy(p->g, s->g, (size_t)s->n * sizeof *p->g);
}

/* f and g at x. */
static heft_status value_at(heft_ctx *ctx, const heft_problem *p, solver *s)
{
    for (size_t k = 0; k < p->n; k++) s->own_x[s->from[k]] = s->x[k];
    HEFT_CHECK(p->fn(ctx, p->user, s->own_x, &s->f, s->own_g));
    for (size_t k = 0; k < p->n; k++) s->g[k] = s->own_g[s->from[k]];
    return HEFT_OK;
}

/* Value and slopes at the start, x in the caller's order; from here on variables are in the order
 * of these slopes. */
static heft_status begin(heft_ctx *ctx, const heft_problem *p, const double *x, solver *s)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_ranked *order, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, p->n, order, spare);
    HEFT_CHECK(heft_check_cancel(ctx));
    HEFT_CHECK(p->fn(ctx, p->user, x, &s->f, s->own_g));
    if (!heft_point_finite(&(heft_point){s->f, s->x, s->own_g}, p->n))
        return heft_fail(ctx, HEFT_ENUMERIC, "the objective is not finite at the start");
    for (size_t j = 0; j < p->n; j++)
        order[j] = (heft_ranked){p->mark ? heft_order_key(p->mark[j]) : 0, j};
    if (p->mark) heft_order_sort(order, spare, p->n);
    for (size_t k = 0; k < p->n; k++) order[k].key = heft_order_key(s->own_g[order[k].row]);
    heft_order_sort(order, spare, p->n);
    for (size_t k = 0; k < p->n; k++) { /* nbd: 0 free, 1 lower, 2 both, 3 upper */
        const size_t j = s->from[k] = order[k].row;
        const double lo = p->lower ? p->lower[j] : -INFINITY;
        const double hi = p->upper ? p->upper[j] : INFINITY;
        s->nbd[k] = isfinite(lo) ? (isfinite(hi) ? 2 : 1) : isfinite(hi) ? 3 : 0;
        s->l[k] = isfinite(lo) ? lo : 0;
        s->u[k] = isfinite(hi) ? hi : 0;
        s->x[k] = x[j];
        s->g[k] = s->own_g[j];
    }
    return HEFT_OK;
}

/* setulb counts its workspace in 32-bit integers. The start x is moved into the bounds. */
static heft_status open_solver(heft_ctx *ctx, const heft_problem *p, const heft_stop *stop,
                               double *x, solver *s)
{
    const size_t n = p->n, m = stop->memory;
    if (n > (INT_MAX - 11 * m * m - 8 * m) / (2 * m + 5))
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "L-BFGS-B: %zu variables with memory %zu do not fit (use a smaller memory)", n, m);
    *s = (solver){.n = (int)n, .m = (int)m, .factr = 0};
    s->pgtol = stop->pg_tol;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, s->x, s->l, s->u, s->g, s->nbd);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, s->from, s->own_x, s->own_g);
    HEFT_ALLOC(ctx, &ctx->scratch, s->iwa, 3 * n);
    HEFT_ALLOC(ctx, &ctx->scratch, s->wa, 2 * m * n + 5 * n + 11 * m * m + 8 * m);
    memset(s->task, ' ', TEXT);
    memcpy(s->task, "START", 5);
    for (size_t j = 0; j < n; j++) {
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

/* The objective has no finite value at x: answer with a parabola that touches it at the last
 * iterate and has its minimum a tenth of the way to x, so that the line search comes back to
 * there. Its value at x is above the iterate's: x is never accepted. */
static void step_back(solver *s, const heft_point *at)
{
    double slope = 0, square = 0;
    for (int j = 0; j < s->n; j++) {
        const double d = s->x[j] - at->x[j];
        slope -= at->g[j] * d;
        square += d * d;
    }
    if (!(slope > 0) || !isfinite(square)) slope = fmax(fabs(at->f), 1);
    const double bend = square > 0 && isfinite(square) ? 10 * slope / square : 0;
    s->f = at->f + 4 * slope;
    for (int j = 0; j < s->n; j++) s->g[j] = at->g[j] + bend * (s->x[j] - at->x[j]);
}

/* Largest component of the projected gradient, as setulb measures it. */
static double projected_norm(const solver *s, const double *x, const double *g)
{
    double norm = 0;
    for (int j = 0; j < s->n; j++) {
        double d = g[j];
        if (d < 0 && s->nbd[j] >= 2) d = fmax(x[j] - s->u[j], d);
        if (d >= 0 && (s->nbd[j] == 1 || s->nbd[j] == 2)) d = fmin(x[j] - s->l[j], d);
        norm = fmax(norm, fabs(d));
    }
    return norm;
}

static void say_why(const solver *s, const heft_stop *stop, heft_minimum *out)
{
    if (out->stopped_by) return; /* a cap, or the rule of heft_stalled */
    const double small = fmax(stop->pg_tol, 1e-5 * fmax(fabs(out->f), 1));
    out->converged = task_is(s, "CONV") || out->slow > 0;
    if (task_is(s, "CONVERGENCE: NORM")) out->stopped_by = "the projected gradient is small enough";
    else if (out->converged) out->stopped_by = "the objective stopped decreasing";
    else if (out->pg_norm <= small)
        out->stopped_by = "the line search found no lower point; the projected gradient is small";
    else out->stopped_by = "the line search found no lower point";
}

/* One request for f and g. */
static heft_status evaluate(heft_ctx *ctx, const heft_problem *p, solver *s, const heft_point *at,
                            heft_point *best, heft_minimum *out)
{
    HEFT_CHECK(heft_check_cancel(ctx));
    HEFT_CHECK(value_at(ctx, p, s));
    out->evaluations++;
    if (!heft_point_finite(&(heft_point){s->f, s->x, s->g}, p->n)) step_back(s, at);
    else if (s->f < best->f) point_set(best, s);
    return HEFT_OK;
}

heft_status heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                        heft_arena *trace, double *x, heft_minimum *out)
{
    assert(stop->memory >= 1 && stop->memory <= 100);
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = problem->n;
    const int    silent = -1;
    solver       s;
    heft_point   at = {0}, best = {0}; /* last iterate; lowest point */
    *out = (heft_minimum){0};
    HEFT_CHECK(open_solver(ctx, problem, stop, x, &s));
    HEFT_ALLOCS(ctx, &ctx->scratch, n, at.x, at.g, best.x, best.g);
    HEFT_CHECK(begin(ctx, problem, x, &s));
    out->evaluations = 1;
    out->f0 = s.f;
    point_set(&at, &s);
    point_set(&best, &s);
    HEFT_CHECK(heft_trace_add(ctx, trace, s.f, out));
    if (n == 0) out->converged = true, out->stopped_by = "there are no weights to learn";

    for (bool fresh = true; n > 0 && !out->converged && !heft_capped(stop, out);) {
        setulb_(&s.n, &s.m, s.x, s.l, s.u, s.nbd, &s.f, s.g, &s.factr, &s.pgtol, s.wa, s.iwa,
                s.task, &silent, s.csave, s.lsave, s.isave, s.dsave, TEXT, TEXT);
        if (task_is(&s, "FG_START") && fresh) {
            fresh = false; /* f and g of the start are there already */
        } else if (task_is(&s, "FG")) {
            HEFT_CHECK(evaluate(ctx, problem, &s, &at, &best, out));
        } else if (task_is(&s, "NEW_X")) {
            out->iterations++;
            heft_stalled(stop, at.f, s.f, out);
            point_set(&at, &s);
            HEFT_CHECK(heft_trace_add(ctx, trace, s.f, out));
        } else break;
    }
    out->f = best.f;
    out->pg_norm = projected_norm(&s, best.x, best.g);
    for (size_t k = 0; k < n; k++) x[s.from[k]] = best.x[k];
    say_why(&s, stop, out);
    return HEFT_OK;
}
