/* auto_time.c - what a time limit leaves time for.
 *
 * How fast the machine is becomes known when the keys of all cells are made, one pass over the
 * table, before anything is learned. The other parts take about so many times as long as that
 * pass, whatever the machine (measured on 400,000 rows of 40 numbers): */
#include <math.h>

#include "base/all.h"
#include "methods/auto/auto_fit.h"

static const double ROUNDS = 25; /* rounds of boosting that take as long as the pass */
static const double SET_UP = 12, SET_UP_MANY = 3;   /* all fits before their first rounds; and one
                                                       fit, with numbers cut by a few rows */
static const double PAIR = 1.0 / 22, LEFT_OUT = 16; /* counting with one superparent; and how many
                                                       times as long a row takes that is left out */

enum {
    WANTED_ROUNDS = 300,  /* rounds that there should be time for: */
    LEAST_WINDOW = 20000, /* each is grown on fewer rows, but not fewer than this */
    MOST_PARENTS = 77     /* superparents of the counted member */
};

/* The fraction of the time left that counting may take. */
static const double COUNTING = 0.2;

/* The least time left on any process. */
static heft_status time_left(heft_ctx *ctx, const heft_auto *s, double *out)
{
    double less = heft_clock() - s->task->until;
    HEFT_CHECK(heft_all_max(ctx, &less, 1));
    *out = fmax(-less, 0);
    return HEFT_OK;
}

heft_status heft_time_of_rows(heft_ctx *ctx, heft_auto *s, double pass, size_t *most)
{
    double left;
    *most = SIZE_MAX;
    if (s->task->until == 0) return HEFT_OK;
    HEFT_CHECK(heft_all_max(ctx, &pass, 1));
    HEFT_CHECK(time_left(ctx, s, &left));
    s->pass = fmax(pass, 1e-9);
    const double n = (double)s->rows.used.n_all, rounds = ROUNDS / s->pass;
    if (rounds * (left - SET_UP * s->pass) >= WANTED_ROUNDS) return HEFT_OK;
    const double rows = n * rounds * (left - SET_UP_MANY * s->pass) / WANTED_ROUNDS;
    s->hurried = true;
    *most = (size_t)fmax(fmin(rows, n / 2), LEAST_WINDOW);
    return HEFT_OK;
}

heft_status heft_time_to_count(heft_ctx *ctx, const heft_auto *s, bool *counts)
{
    const double parents = fmin((double)s->rows.all.rows->n_attr, MOST_PARENTS);
    double       left, held = (double)s->rows.held.n;
    *counts = true;
    if (s->pass == 0 || !s->plan.boosts || s->plan.learns || !s->rows.n_folds) return HEFT_OK;
    HEFT_CHECK(time_left(ctx, s, &left));
    HEFT_CHECK(heft_all_sum(ctx, &held, 1));
    const double share = held / (double)s->rows.used.n_all;
    *counts = s->pass * parents * PAIR * (1 + LEFT_OUT * share) <= COUNTING * left;
    return HEFT_OK;
}
