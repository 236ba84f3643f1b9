/* optim.h - minimisers. They know nothing of naive Bayes: a function with its gradient, a start,
 * bounds and stopping rules go in, the lowest point seen and how it was reached come out.
 *
 * Ending at a cap, or because the line search finds nothing lower, is a result with a reason, not
 * an error. Errors are those of the objective itself, a cancelled run, no memory, and a start at
 * which the objective is not finite. All state is the call's own: any number may run at once. */
#pragma once

#include "base/ctx.h"

/* *f and gradient[n] at x[n]; both are always wanted. Where the function has no finite value it
 * may return infinity or NaN: the minimiser steps back from that point. It must not change x. */
typedef heft_status heft_objective_fn(heft_ctx *ctx, void *user, const double *x, double *f,
                                      double *gradient);

/* second[n x n]: the second derivatives at x, the whole square; estimates are enough. *known is
 * false where there are none to rely on. */
typedef heft_status heft_second_fn(heft_ctx *ctx, void *user, const double *x, double *second,
                                   bool *known);

typedef struct heft_problem {
    size_t             n;
    heft_objective_fn *fn;
    void              *user;
    const double      *lower, *upper; /* n each, infinities allowed; NULL: none */
    const double      *mark; /* n; NULL: none. Tells variables apart that have equal slopes at the
                                start: what order they come in then changes no bit of L-BFGS-B */
    heft_second_fn *second;  /* for a convex function of few variables; NULL: none */
} heft_problem;

typedef struct heft_stop {
    size_t memory;   /* correction pairs of the quasi-Newton matrix, 1..100         */
    double rel_tol;  /* stop at (f - f') <= rel_tol * max(|f|, |f'|, 1), three times
                        in a row: a single pause of the minimiser is not the end    */
    double pg_tol;   /* stop at largest |projected gradient| <= pg_tol; 0: at 0     */
    long   max_iter; /* 0: only evaluate the start                                  */
    long   max_eval; /* evaluations of the objective; 0: no limit                   */
} heft_stop;

typedef struct heft_minimum {
    long        iterations, evaluations;
    double      f0, f;      /* at the start, and at the x returned                     */
    double      pg_norm;    /* largest component of the projected gradient at that x   */
    bool        converged;  /* a tolerance was met, not a cap                          */
    const char *stopped_by; /* one static sentence                                     */
    double     *trace;      /* f0, then f after each iteration; NULL without an arena  */
    size_t      n_trace;    /* iterations + 1                                          */
    long        slow;       /* consecutive iterations with hardly any fall, so far     */
} heft_minimum;

/* L-BFGS-B (Byrd, Lu, Nocedal, Zhu 1995; Morales, Nocedal 2011), with the line search of Moré and
 * Thuente. x[n] is the start, moved into the bounds first, and the lowest point seen after. No
 * point outside of the bounds is evaluated.
 * A variable that ends on a bound ends on it exactly.
 * With `second`, the model starts from the second derivatives and not from nothing, and has a
 * number for every pair of variables: few evaluations are needed. They are asked for again where
 * the function falls otherwise than the model says, and given up where it does so often. rel_tol
 * then also ends the search where a model that was right before says that a step would gain less
 * than a thousandth of it. `trace` holds the trace (not ctx->scratch, which is given back); NULL
 * keeps none. Cost: the objective, plus O(memory * n) per iteration, or O(memory^2 * n) where other
 * variables are on their bounds than in the iteration before. Memory: (2 memory + 20) n numbers. */
heft_status heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                        heft_arena *trace, double *x, heft_minimum *out);

/* The same for very many variables without bounds: x and the gradient in single precision, sums
 * over them in double. */
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
    heft_known          *at; /* the start, and after the call the end; NULL: not wanted */
} heft_problem32;

/* L-BFGS (Nocedal), its recursion run on inner products alone, with a line search for the weak
 * Wolfe conditions. x[n] is the start and, after, the last point accepted; f never rises from one
 * to the next. pg_tol of `stop` is not used. The same bits for any number of threads as long as the
 * objective's are. Cost: the objective, plus two passes over 2 memory + 1 vectors per iteration. */
heft_status heft_lbfgs(heft_ctx *ctx, const heft_problem32 *problem, const heft_stop *stop,
                       heft_arena *trace, float *x, heft_minimum *out);

/* Guarded steepest descent: pass t = 1, 2, ... tries a step along the negative gradient, moved into
 * the bounds, and halves it until f falls by 1e-4 of what the gradient promises. The first step
 * that a pass tries is eta0 / (1 + t / decay), or with `search` twice the step of the pass before.
 */
typedef struct heft_descent_rule {
    double eta0;  /* > 0 */
    double decay; /* > 0; not used with `search` */
    bool   search;
    double rel_tol;  /* stop when f falls by at most rel_tol * |f| ...                 */
    long   patience; /* ... in this many consecutive passes                            */
    double floor;    /* stop when halving brings the step below floor * eta0           */
    long   max_iter; /* passes; 0: only evaluate the start                             */
} heft_descent_rule;

/* The start is moved into the bounds. f never rises; x is the last, lowest point. */
heft_status heft_descent(heft_ctx *ctx, const heft_problem *problem, const heft_descent_rule *rule,
                         heft_arena *trace, double *x, heft_minimum *out);

/* ---- evolve.c ---- */

/* Differential evolution, DE/rand/1/bin, for functions without a gradient.
 *
 * A trial point takes each coordinate from a + f (b - c) with probability cr (one of them always),
 * otherwise from the point it challenges; a, b, c are three other members. A coordinate that leaves
 * the box is drawn again. The trial replaces the point it challenges when it is at least as good.
 *
 * Every coordinate has random numbers of its own, found by its key: the answer does not depend on
 * the order of the coordinates, nor on the number of threads. */

/* *fitness of x[n], larger is better. Runs on any thread, several at once. */
typedef heft_status heft_fitness_fn(heft_ctx *ctx, void *user, const double *x, double *fitness);

typedef struct heft_evolution {
    size_t           n;
    const uint64_t  *key; /* n, not 0; coordinates of one key draw the same numbers */
    double           lower, upper;
    double           enough; /* no point can be fitter: stop when it is reached */
    heft_fitness_fn *fn;
    void            *user;
    const char      *what; /* for progress */
} heft_evolution;

typedef struct heft_evolve_rule {
    size_t population;  /* >= 4 */
    long   generations; /* the first population is not one */
    double f, cr;
    long   max_eval; /* >= 1; the start is the first */
} heft_evolve_rule;

/* x[n] is the start, a member of the first population, and the fittest point met after: the
 * earliest of equals, so that it is the start unless something is fitter. `out` has generations as
 * iterations, the fitness of the start and of x as f0 and f, and is converged unless max_eval ended
 * it. *found: the generation x is from, 0 for the start or the first population. Randomness by
 * ctx->seed. Memory: 2 x population x n. */
heft_status heft_evolve(heft_ctx *ctx, const heft_evolution *problem, const heft_evolve_rule *rule,
                        double *x, long *found, heft_minimum *out);

/* ---- descent.c, for the minimisers themselves ---- */

typedef struct heft_point {
    double  f;
    double *x, *g; /* n each; g: the gradient */
} heft_point;

bool heft_point_finite(const heft_point *point, size_t n); /* f and g are */

/* f of the start, or after another iteration, is added to the trace of `out`. Without an arena
 * there is none. */
heft_status heft_trace_add(heft_ctx *ctx, heft_arena *arena, double f, heft_minimum *out);
/* True when a cap of `stop` is reached, which `out` then says. */
bool heft_capped(const heft_stop *stop, heft_minimum *out);
/* After each iteration: f has gone from `before` to `f`. True when rel_tol ends the search, which
 * `out` then says. */
bool heft_stalled(const heft_stop *stop, double before, double f, heft_minimum *out);
