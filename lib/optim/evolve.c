/* evolve.c - differential evolution (Storn, Price, Journal of Global Optimization 11, 1997).
 *
 * The search runs in whole generations: all trial points of a generation are made first, then
 * evaluated by several threads, and only then replace points of the population. So the result does
 * not depend on which thread is done first. */
#include "optim/optim.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/rows.h"

typedef struct state {
    const heft_evolution   *problem;
    const heft_evolve_rule *rule;
    heft_rng                members;      /* draws the members that a trial is made of */
    heft_rng               *own;          /* one generator per coordinate */
    double                 *point;        /* population x n */
    double                 *trial;        /* population x n */
    double                 *lot, *inside; /* n each: random numbers; coordinates of the mutant */
    double                 *fitness, *tried;
    long                    found; /* generation of the fittest point */
    size_t n_trial; /* number of trials of this generation; the last one may have fewer */
} state;

static double draw(state *s, size_t j)
{
    const heft_evolution *p = s->problem;
    return p->lower + heft_rng_real(&s->own[j]) * (p->upper - p->lower);
}

/* Make the trial that challenges point i. Each coordinate draws three numbers from its own
 * generator even if it does not use them, so that the streams do not depend on the outcome. */
static void make_trial(state *s, size_t i)
{
    const heft_evolution *p = s->problem;
    const size_t          n = p->n;
    double               *to = s->trial + i * n, lowest = INFINITY;
    const double         *from = s->point + i * n;
    size_t                other[3];
    for (size_t k = 0; k < 3; k++) { /* three members other than i, all different */
        bool taken;
        do {
            other[k] = (size_t)heft_rng_below(&s->members, s->rule->population);
            taken = other[k] == i;
            for (size_t q = 0; q < k; q++) taken = taken || other[k] == other[q];
        } while (taken);
    }
    const double *a = s->point + other[0] * n, *b = s->point + other[1] * n,
                 *c = s->point + other[2] * n;
    for (size_t j = 0; j < n; j++) {
        s->lot[j] = heft_rng_real(&s->own[j]);
        const double cross = heft_rng_real(&s->own[j]), fresh = draw(s, j);
        const double moved = a[j] + s->rule->f * (b[j] - c[j]);
        s->inside[j] = moved >= p->lower && moved <= p->upper ? moved : fresh;
        to[j] = cross < s->rule->cr ? s->inside[j] : from[j];
        lowest = fmin(lowest, s->lot[j]);
    }
    for (size_t j = 0; j < n; j++) /* the coordinate with the lowest lot always crosses over */
        if (s->lot[j] == lowest) to[j] = s->inside[j];
}

static heft_status evaluate(heft_ctx *ctx, void *arg, size_t i)
{
    state *s = arg;
    HEFT_CHECK(heft_check_cancel(ctx));
    return s->problem->fn(ctx, s->problem->user, s->trial + i * s->problem->n, &s->tried[i]);
}

/* Evaluate the trials of a generation. A trial replaces the point it challenges if it is at least
 * as fit, and is copied to x if it is fitter than all points before. */
static heft_status evaluate_all(heft_ctx *ctx, state *s, double *x, heft_minimum *out)
{
    const long   left = s->rule->max_eval - out->evaluations;
    const size_t members = s->rule->population, n = s->problem->n;
    s->n_trial = (size_t)left < members ? (size_t)left : members;
    HEFT_CHECK(heft_run(ctx, s->n_trial, evaluate, s));
    out->evaluations += (long)s->n_trial;
    if (out->iterations == 0) out->f0 = out->f = s->tried[0];
    for (size_t i = 0; i < s->n_trial; i++) {
        if (s->tried[i] > out->f) {
            out->f = s->tried[i];
            s->found = out->iterations;
            memcpy(x, s->trial + i * n, n * sizeof *x);
        }
        if (!(s->tried[i] >= s->fitness[i])) continue;
        s->fitness[i] = s->tried[i];
        memcpy(s->point + i * n, s->trial + i * n, n * sizeof *x);
    }
    return HEFT_OK;
}

heft_status heft_evolve(heft_ctx *ctx, const heft_evolution *problem, const heft_evolve_rule *rule,
                        double *x, long *found, heft_minimum *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = problem->n, members = rule->population;
    state        s = {.problem = problem, .rule = rule};
    size_t       cells;
    *out = (heft_minimum){.stopped_by = "the last generation was reached", .converged = true};
    if (!heft_product(members, n, &cells)) return heft_no_memory(ctx, members, n);
    HEFT_ALLOCS(ctx, &ctx->scratch, cells, s.point, s.trial);
    HEFT_ALLOCS(ctx, &ctx->scratch, members, s.fitness, s.tried);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, s.own, s.lot, s.inside);
    heft_rng_init(&s.members, ctx->seed, 0);
    for (size_t j = 0; j < n; j++) heft_rng_init(&s.own[j], ctx->seed, problem->key[j]);
    for (size_t i = 0; i < members; i++) {
        for (size_t j = 0; j < n; j++) s.trial[i * n + j] = i ? draw(&s, j) : x[j];
        s.fitness[i] = -INFINITY;
    }
    HEFT_CHECK(evaluate_all(ctx, &s, x, out));
    while (out->iterations < rule->generations) {
        if (out->f >= problem->enough) {
            out->stopped_by = "no fitness can be higher";
            break;
        }
        if (out->evaluations >= rule->max_eval) {
            out->stopped_by = "the limit max-eval was reached";
            out->converged = false;
            break;
        }
        out->iterations++;
        for (size_t i = 0; i < members; i++) make_trial(&s, i);
        HEFT_CHECK(evaluate_all(ctx, &s, x, out));
        heft_progress(ctx, problem->what, (double)out->iterations / (double)rule->generations);
    }
    *found = s.found;
    return HEFT_OK;
}
