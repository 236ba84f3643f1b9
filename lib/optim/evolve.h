/* evolve.h - differential evolution, DE/rand/1/bin, for functions without a gradient.
 *
 * A trial point takes each coordinate from a + f (b - c) with probability cr (one of them always),
 * otherwise from the point it challenges; a, b, c are three other members. A coordinate that leaves
 * the box is drawn again. The trial replaces the point it challenges when it is at least as good.
 *
 * Every coordinate has random numbers of its own, found by its key: the answer does not depend on
 * the order of the coordinates, nor on the number of threads. */
#pragma once

#include "optim/optim.h"

/* *fitness of x[n], larger is better. Runs on any thread, several at once. */
typedef heft_status heft_fitness_fn(heft_ctx *ctx, void *user, const double *x, double *fitness);

typedef struct heft_evolution {
    size_t           n;
    const uint64_t  *key; /* n, all different */
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
