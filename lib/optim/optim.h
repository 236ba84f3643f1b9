/* optim.h - minimisers. They know nothing of naive Bayes: a function with its gradient, a start,
 * bounds and stopping rules go in, the lowest point seen and how it was reached come out.
 *
 *   heft_lbfgsb    smooth functions, with or without bounds: the usual choice
 *   heft_lbfgs     smooth functions of very many variables without bounds, in single precision
 *   heft_descent   steepest descent, which stays near its start
 *   heft_evolve    functions without a gradient
 *
 * To end at a limit, or because the line search finds no lower point, is a result with a reason and
 * not an error. Errors are those of the objective itself, a cancelled run, no memory, and a start
 * at which the objective is not finite. A minimiser has no state between calls, so that any number
 * of calls may run at the same time. */
#pragma once

#include "base/ctx.h"

/* Compute the value *f and gradient[n] at x[n]; both are always wanted. If the function has no
 * finite value at x, it may return infinity or NaN, and the minimiser steps back from that point.
 * It must not change x. */
typedef heft_status heft_objective_fn(heft_ctx *ctx, void *user, const double *x, double *f,
                                      double *gradient);

/* Compute all n x n second derivatives at x; estimates are enough. *known is set to false if there
 * are none that can be relied on. */
typedef heft_status heft_second_fn(heft_ctx *ctx, void *user, const double *x, double *second,
                                   bool *known);

typedef struct heft_problem {
    size_t             n;
    heft_objective_fn *fn;
    void              *user;
    const double      *lower, *upper; /* n bounds each, which may be infinite; NULL: none */
    const double *mark; /* n numbers that order variables with equal slopes at the start, so that
                           the order of the caller changes no bit of L-BFGS-B; NULL: none */
    heft_second_fn *second; /* for a convex function of few variables; NULL: none */
} heft_problem;

typedef struct heft_stop {
    size_t memory;   /* number of correction pairs of the quasi-Newton matrix, 1..100 */
    double rel_tol;  /* stop at (f - f') <= rel_tol * max(|f|, |f'|, 1), three times
                        in a row: a single pause of the minimiser is not the end    */
    double pg_tol;   /* stop if no component of the projected gradient exceeds pg_tol */
    long   max_iter; /* most iterations; 0: only evaluate the start */
    long   max_eval; /* most evaluations of the objective; 0: no limit */
} heft_stop;

typedef struct heft_minimum {
    long        iterations, evaluations;
    double      f0, f;      /* values at the start and at the x returned */
    double      pg_norm;    /* largest component of the projected gradient at the x returned */
    bool        converged;  /* a tolerance ended the search, not a limit */
    const char *stopped_by; /* why the search ended: a sentence in static memory */
    double     *trace;      /* f0, then f after each iteration; NULL if no arena was given */
    size_t      n_trace;    /* length of the trace: iterations + 1 */
    long        slow;       /* number of last iterations in a row in which f hardly fell */
} heft_minimum;

/* L-BFGS-B (Byrd, Lu, Nocedal, Zhu 1995; Morales, Nocedal 2011), with the line search of Moré and
 * Thuente (1994). On entry x[n] is the start, which is moved into the bounds; on return it is the
 * lowest point seen. No point outside of the bounds is evaluated. A variable that ends on a bound
 * is exactly on it.
 *
 * If `second` is given, the model uses the second derivatives of every pair of variables, so that
 * few evaluations are needed. They are computed again if f falls otherwise than the model predicts,
 * and no longer used if this happens often. The search then also ends if a model that was right
 * before predicts that a step gains less than a thousandth of rel_tol.
 *
 * The trace of out is allocated in the arena `trace`, which must not be ctx->scratch, because that
 * is reset; NULL: no trace. Cost: the objective, plus O(memory * n) per iteration, or O(memory^2 *
 * n) in an iteration in which the set of variables on their bounds changes. Memory: (2 memory + 20)
 * n numbers. */
heft_status heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                        heft_arena *trace, double *x, heft_minimum *out);

/* An objective of very many variables: like heft_objective_fn, but x and the gradient are in single
 * precision. Sums over them should be in double precision. */
typedef heft_status heft_objective32_fn(heft_ctx *ctx, void *user, const float *x, double *f,
                                        float *gradient);

typedef struct heft_known { /* value and gradient at a point, if they are known */
    bool   known;
    double f;
    float *gradient; /* n */
} heft_known;

typedef struct heft_problem32 {
    size_t               n;
    heft_objective32_fn *fn;
    void                *user;
    heft_known *at; /* value and gradient at the start if known; after the call, those at the end;
may be NULL */
} heft_problem32;

/* L-BFGS (Nocedal 1980), with a recursion on inner products (lbfgs.c) and a line search for the
 * weak Wolfe conditions. On entry x[n] is the start, on return the last point accepted; f never
 * rises from one accepted point to the next. pg_tol of `stop` is not used. The result has the same
 * bits for any number of threads if the objective has. Cost: the objective, plus two passes over 2
 * memory + 1 vectors per iteration. */
heft_status heft_lbfgs(heft_ctx *ctx, const heft_problem32 *problem, const heft_stop *stop,
                       heft_arena *trace, float *x, heft_minimum *out);

/* The rule of steepest descent. Pass t = 1, 2, ... tries a step along the negative gradient, moved
 * into the bounds, and halves it until f falls by at least 1e-4 of what the gradient predicts. The
 * first step that a pass tries is eta0 / (1 + t / decay), or with `search` twice the step of the
 * pass before. */
typedef struct heft_descent_rule {
    double eta0;     /* first step; above 0 */
    double decay;    /* how slowly the steps shrink; above 0, not used with `search` */
    bool   search;   /* begin each pass with twice the last step */
    double rel_tol;  /* stop if f falls by at most rel_tol * |f| in `patience` passes in a row */
    long   patience; /* number of such passes that ends the descent */
    double floor;    /* stop if halving brings the step below floor * eta0 */
    long   max_iter; /* most passes; 0: only evaluate the start */
} heft_descent_rule;

/* Steepest descent. The start x is moved into the bounds. f never rises from one pass to the next;
 * on return x is the last and lowest point. */
heft_status heft_descent(heft_ctx *ctx, const heft_problem *problem, const heft_descent_rule *rule,
                         heft_arena *trace, double *x, heft_minimum *out);

/* ---- evolve.c ---- */

/* Differential evolution (Storn, Price 1997), in the form DE/rand/1/bin, for functions without a
 * gradient.
 *
 * A trial point takes each coordinate from a + f (b - c) with probability cr (at least one
 * coordinate is taken from it), otherwise from the point that it challenges; a, b and c are three
 * other members of the population. A coordinate that leaves the bounds is drawn again. The trial
 * replaces the point that it challenges if it is at least as fit.
 *
 * Every coordinate has its own random numbers, which depend on its key, so that the result depends
 * neither on the order of the coordinates nor on the number of threads. */

/* Compute *fitness of x[n]; larger is better. It is called by several threads at once. */
typedef heft_status heft_fitness_fn(heft_ctx *ctx, void *user, const double *x, double *fitness);

typedef struct heft_evolution {
    size_t           n;
    const uint64_t  *key; /* n keys other than 0; coordinates of equal keys draw the same numbers */
    double           lower, upper;
    double           enough; /* the search stops at this fitness, because no point can be fitter */
    heft_fitness_fn *fn;
    void            *user;
    const char      *what; /* what the progress bar shows */
} heft_evolution;

typedef struct heft_evolve_rule {
    size_t population;  /* number of points, at least 4 */
    long   generations; /* most generations, without the first population */
    double f, cr;    /* factor of b - c, and probability of taking a coordinate from the mutant */
    long   max_eval; /* most evaluations, that of the start included; at least 1 */
} heft_evolve_rule;

/* On entry x[n] is the start, which is a member of the first population. On return it is the
 * fittest point met, the earliest one of several, so that it is the start unless some point is
 * fitter. `out` counts generations as iterations, has the fitness of the start and of x as f0 and
 * f, and is converged unless max_eval ended the search. *found is the generation of x, 0 for the
 * start or the first population. Random numbers follow from ctx->seed. Memory: 2 population n
 * numbers. */
heft_status heft_evolve(heft_ctx *ctx, const heft_evolution *problem, const heft_evolve_rule *rule,
                        double *x, long *found, heft_minimum *out);

/* ---- descent.c, for the minimisers themselves ---- */

typedef struct heft_point {
    double  f;
    double *x, *g; /* n each: the point and its gradient */
} heft_point;

bool heft_point_finite(const heft_point *point, size_t n); /* whether f and all of g are finite */

/* Add f, the value at the start or after an iteration, to the trace of `out`. Nothing is done if
 * `arena` is NULL. */
heft_status heft_trace_add(heft_ctx *ctx, heft_arena *arena, double f, heft_minimum *out);
/* Returns true, and records the reason in `out`, if a limit of `stop` is reached. */
bool heft_capped(const heft_stop *stop, heft_minimum *out);
/* Called after each iteration, in which the value fell from `before` to `f`. Returns true, and
 * records the reason in `out`, if rel_tol ends the search. */
bool heft_stalled(const heft_stop *stop, double before, double f, heft_minimum *out);
