/* members.c - the members of the default method on held-out rows, and how much of each is used.
 *
 * Why rows are held out. The counted member has leave-one-out scores for nothing: counts minus one
 * row. The learned and the boosted member fit the rows they have seen too well, so that their own
 * training scores say nothing about how much to trust them; they have to be fitted without the rows
 * that judge them. One fold of five is held out at a time, and only as many folds as give about a
 * thousand held-out rows (plan.held_target): in a large table one fold is enough.
 *
 * What is decided on these rows:
 *
 *   t       the strength of the penalties of the learned member: it is fitted at each of SCALES,
 *           each fit from the weights of the one before
 *   rounds  how many trees the boosted member has: those of the lowest held-out loss, on average,
 *           times plan.more_rounds because all rows bear more trees than four fifths of them
 *   h       the weights of the members: minimum of the held-out loss with a penalty that pulls
 *           them towards equal weights (learn/mixing.h, the formula is in auto.c)
 *   order   whether paths of trees may test any number of attributes, or three (choose_order)
 *
 * Tasks. A boosted fit is one task, so that with several threads several fits run side by side. The
 * boosted fits from all rows begin before the folds are done, if there are threads for them; trees
 * beyond the number of rounds are dropped later. Under a time limit the learned member comes first:
 * what is left is divided among the boosted fits. */
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "learn/mixing.h"
#include "methods/auto/auto_fit.h"

enum {
    LEAST_ROWS = 10, /* with fewer distinct rows, none are held out */
    MIX_ITER = 100,
    BOOST_PASSES = 50,   /* boosting is about as much work as so many passes over the rows */
    CUT_IN_TIME = 50000, /* rows that numbers are cut by, where time makes the windows small */
    COMPARED_TURNS = 8   /* turns of each fit, of 4 rounds, after which the order is chosen */
};

static const double SCALES[HEFT_N_SCALES] = {4, 1, 0.25, 0.0625};
/* Strength of the pull towards equal weights, without and with the boosted member; the least weight
 * that a member may have. */
static const double MIX_PULL = 10, MIX_PULL_3 = 30, LEAST_WEIGHT = 0.1;
/* Under a time limit: the fraction of the time for the learned member, the fraction for what
 * follows boosting, and the cost of a round of boosting without a fold relative to one from all
 * rows. */
static const double LEARNING = 0.5, POOLING = 0.05, FOLD_ROUND = 0.85;
/* The order: how much lower the loss without a bound has to be, as a fraction of it; the fraction
 * of a time limit that may be spent on the choice. */
static const double CLEARLY = 0.01, COMPARING = 0.15;

/* ---- samples ---- */

static heft_sample sample_of(const heft_auto *s, const heft_fold_part *part)
{
    return (heft_sample){s->rows.all.rows, part->n, part->row,
                         part->weight,     part->y, s->rows.all.n_class};
}

/* The sample of a part in which rows of equal content and class are one row, for the learned
 * member: it sums in single precision, and repeated rows should give it the sums of weights. Equal
 * rows follow each other in a part. */
static heft_status merged_sample(heft_ctx *ctx, const heft_auto *s, const heft_fold_part *part,
                                 heft_arena *arena, heft_sample *out)
{
    size_t   *row, n = 0;
    double   *weight;
    uint16_t *y;
    *out = sample_of(s, part);
    HEFT_ALLOCS(ctx, arena, part->n, row, weight, y);
    HEFT_ROWS (i, part->n) {
        const double w = part->weight ? part->weight[i] : 1;
        if (n == 0 || y[n - 1] != part->y[i] ||
            s->rows.used.row_key[row[n - 1]] != s->rows.used.row_key[part->row[i]]) {
            row[n] = part->row[i];
            y[n++] = part->y[i];
        }
        weight[n - 1] += w;
    }
    if (n < part->n) out->n = n, out->row = row, out->weight = weight, out->y = y;
    return HEFT_OK;
}

/* The rows that members are learned from: all, or those drawn, in an order that their content sets,
 * so that sums do not depend on the order of the rows. */
static heft_status set_sample(heft_ctx *ctx, heft_auto *s)
{
    if (s->plan.rows.many) return HEFT_OK; /* the trees of the fold are those of the model */
    heft_fold_part part = {.n = s->rows.order.n, .row = s->rows.order.row};
    HEFT_ALLOC(ctx, s->arena, part.y, part.n);
    if (s->rows.all.weight) HEFT_ALLOC(ctx, s->arena, part.weight, part.n);
    HEFT_ROWS (i, part.n) {
        part.y[i] = s->rows.all.y[part.row[i]];
        if (part.weight) part.weight[i] = s->rows.all.weight[part.row[i]];
    }
    s->rows.sample = sample_of(s, &part);
    return s->plan.learns ? merged_sample(ctx, s, &part, s->arena, &s->rows.merged) : HEFT_OK;
}

/* ---- fits ---- */

/* Completes the rule of boosting. */
static void set_rule(const heft_ctx *ctx, const heft_auto *s, heft_plan *plan)
{
    plan->boost.most_attrs = s->rule.most;
    plan->boost.draw = heft_mix(ctx->seed);
}

typedef struct fit { /* one boosted fit */
    heft_sample      learn, ask;
    heft_boost_rule  rule;
    heft_boost_watch watch;
    heft_boosted    *out;
    bool             one_window; /* it learns from the rows of the first window alone */
    heft_boosting   *state;      /* NULL before it begins and after it ends */
    bool             ended;
    bool             timed;                /* its time to end is set */
    size_t           dropped_steps;        /* progress of the fit that it was compared with */
    size_t           n_turns;              /* turns that it had while the order was chosen, */
    double           loss[COMPARED_TURNS]; /* and the lowest held-out loss after each */
} fit;

typedef struct learned_fold { /* the learned member without a fold */
    heft_arena        arena;
    heft_coding       coding;
    heft_coded        coded;
    heft_learned      learned;
    heft_learned_rows asked;            /* the rows of the fold */
    float            *w[HEFT_N_SCALES]; /* the weights at each t */
} learned_fold;

static void learned_fold_clear(learned_fold *f)
{
    heft_learned_rows_clear(&f->asked);
    heft_learned_clear(&f->learned);
    heft_coded_clear(&f->coded);
    heft_arena_clear(&f->arena);
    *f = (learned_fold){0};
}

typedef struct folds {
    heft_auto    *s;
    fit          *fit;       /* in the order of s->fitted.boosted */
    fit          *unbounded; /* by fold, while the order is chosen: without a bound; or NULL */
    heft_boosted  found[HEFT_KFOLD];   /* the trees of these */
    fit          *of_fold[HEFT_KFOLD]; /* the fit of each fold that goes on to its end */
    heft_steps   *steps;
    double       *score[HEFT_N_SCALES]; /* n x K at each t: learned scores of the held-out rows */
    learned_fold *kept;                 /* by fold */
    double       *boosted;              /* n x K: boosted scores of the held-out rows */
    atomic_size_t left;                 /* folds whose boosted fit has not ended */
    atomic_size_t rounds;               /* rounds of boosting from all rows; SIZE_MAX: not known */
    atomic_size_t n_sets;               /* sets from all rows; fewer once the rounds are known */
    /* For a time limit: */
    double      until;         /* heft_clock; 0: none */
    double      compare_until; /* when the order has to be chosen */
    size_t      threads;
    bool        learned; /* the learned members of the folds are done or left out */
    atomic_bool late;    /* a fit of a fold ran out of time */
    bool        late_all[HEFT_MOST_SETS]; /* by set: its fit from all rows ran out of time */
} folds;

/* The learned member without a fold: cuts, pairs and weights from the other folds alone. */
static heft_status learn_fold(heft_ctx *ctx, folds *job, size_t k)
{
    const heft_auto  *s = job->s;
    heft_fold        *t = &s->rows.fold[k];
    learned_fold     *f = &job->kept[k];
    const heft_sample ask = sample_of(s, &t->held);
    heft_sample       learn;
    HEFT_CHECK(merged_sample(ctx, s, &t->others, &f->arena, &learn));
    HEFT_CHECK(heft_coding_learn(ctx, &learn, &s->rows.used.keys, s->task->prep->spec.unseen_zero,
                                 true, &f->arena, &f->coding));
    HEFT_CHECK(heft_coded_fill(ctx, &f->coding, &learn, 1u << s->rule.pair_res, true, &f->coded));
    HEFT_CHECK(
        heft_learned_open(ctx, &learn, &f->coding, &f->coded, &s->rule, &f->arena, &f->learned));
    HEFT_CHECK(heft_learned_rows_make(ctx, &f->learned, &f->coding, &ask, &f->arena, &f->asked));
    f->learned.logit.steps = job->steps;
    const size_t size = heft_logit_size(&f->learned.logit);
    for (size_t l = 0; l < HEFT_N_SCALES; l++) {
        if (job->until > 0 && heft_clock() >= job->until) atomic_store(&job->late, true);
        if (atomic_load(&job->late)) break;
        HEFT_CHECK(heft_logit_fit(ctx, &f->learned.logit, SCALES[l], s->plan.iterations,
                                  f->learned.w, &t->how[l]));
        HEFT_CHECK(heft_logit_score(ctx, &f->learned.logit, f->learned.w, &f->asked.rows,
                                    job->score[l] + t->first * s->rows.all.n_class));
        HEFT_ALLOC(ctx, &f->arena, f->w[l], size);
        memcpy(f->w[l], f->learned.w, size * sizeof *f->w[l]);
    }
    if (s->rows.looked.n == 0) learned_fold_clear(f);
    return HEFT_OK;
}

/* What attributes add to the learned scores at the t that was chosen (importance.c). */
static heft_status learned_contributions(heft_ctx *ctx, const folds *job, size_t scale, double *out)
{
    const heft_auto *s = job->s;
    const size_t     width = s->rows.all.rows->n_attr * s->rows.all.n_class;
    for (size_t k = 0; k < s->rows.n_folds; k++) {
        const heft_fold *t = &s->rows.fold[k];
        learned_fold    *f = &job->kept[k];
        f->learned.w = f->w[scale];
        HEFT_CHECK(heft_learned_contributions(ctx, &f->learned, &f->coded, &f->asked, t->n_looked,
                                              s->rows.looked.in_fold + t->first_looked,
                                              out + t->first_looked * width));
    }
    return HEFT_OK;
}

/* When the k-th boosted fit is to end, so that the time is enough for as many rounds of those that
 * follow. */
static double boost_until(const folds *job, size_t k)
{
    const size_t n_folds = job->s->rows.n_folds, first = k - k % job->threads;
    const size_t n_all = job->s->plan.n_sets - (first > n_folds ? first - n_folds : 0);
    const double more = job->s->plan.more_rounds, own = k < n_folds ? FOLD_ROUND : more;
    const double now = heft_clock();
    double       rounds = more * (double)n_all;
    if (job->until == 0) return 0;
    if (first < n_folds) rounds += FOLD_ROUND * (double)(n_folds - first);
    return now + fmax(job->until - now, 0) * fmin(own / fmax(rounds / (double)job->threads, 1), 1);
}

/* Goes on with a boosted fit for one turn. */
static heft_status boost_turn(heft_ctx *ctx, heft_auto *s, fit *f)
{
    const heft_boost_input input = {&f->learn,
                                    &s->rows.used.keys,
                                    s->rows.used.row_key,
                                    f->one_window ? NULL : s->rows.window,
                                    s->plan.rows.n_windows,
                                    s->plan.rows.many ? s->rows.cut.n : SIZE_MAX};
    bool                   more;
    if (!f->state) HEFT_CHECK(heft_boost_open(ctx, &input, &f->rule, &f->watch, f->out, &f->state));
    HEFT_CHECK(heft_boost_go_on(ctx, f->state, &more));
    if (more) return HEFT_OK;
    heft_boost_close(f->state);
    f->state = NULL;
    f->ended = true;
    return HEFT_OK;
}

/* The next turn of a boosted fit. Under a time limit it is the whole fit, because the time at which
 * it ends supposes that those after it have not begun. `own`: its place among all fits. */
static heft_status boost(heft_ctx *ctx, folds *job, size_t own, fit *f, bool *more)
{
    if (!f->timed) {
        f->timed = true;
        f->watch.until = boost_until(job, own);
        f->watch.steps = job->steps;
        f->watch.n_steps = f->learn.n * BOOST_PASSES - f->dropped_steps;
        if (f->ended) heft_steps_add(ctx, job->steps, f->watch.n_steps - f->watch.reported);
    }
    do
        if (!f->ended) HEFT_CHECK(boost_turn(ctx, job->s, f));
    while (!f->ended && job->until > 0);
    *more = !f->ended;
    return HEFT_OK;
}

/* scores: those of the held-out rows of all folds go there. */
static void plan_fold(const heft_auto *s, size_t k, const heft_plan *plan, double *scores, fit *f)
{
    const heft_fold *t = &s->rows.fold[k];
    f->learn = sample_of(s, &t->others);
    f->ask = sample_of(s, &t->held);
    f->rule = plan->boost;
    f->rule.most_rounds = (size_t)((double)f->rule.most_rounds / plan->more_rounds);
    f->watch =
        (heft_boost_watch){.held = &f->ask, .score = scores + t->first * s->rows.all.n_class};
}

/* Boosting from the other folds, until the loss of the fold no longer falls. The last fold to end
 * sets the number of rounds from all rows. */
static heft_status boost_fold(heft_ctx *ctx, folds *job, size_t k, bool *more)
{
    heft_auto *s = job->s;
    heft_fold *t = &s->rows.fold[k];
    fit       *f = job->of_fold[k];
    HEFT_CHECK(boost(ctx, job, k, f, more));
    if (*more) return HEFT_OK;
    t->rounds = f->watch.best;
    if (f->watch.late) atomic_store(&job->late, true);
    if (atomic_fetch_sub(&job->left, 1) == 1) {
        double sum = 0;
        for (size_t i = 0; i < s->rows.n_folds; i++) sum += (double)s->rows.fold[i].rounds;
        const double rounds = round(s->plan.more_rounds * sum / (double)s->rows.n_folds);
        const size_t n = rounds < 1 ? 1 : (size_t)rounds, room = s->plan.sets_rounds / n;
        if (room < s->plan.n_sets) atomic_store(&job->n_sets, room < 1 ? 1 : room);
        atomic_store(&job->rounds, n);
    }
    return HEFT_OK;
}

/* Boosting from all rows. With another thread it begins before the number of rounds is known, and
 * the trees that are too many are dropped. */
static heft_status boost_all(heft_ctx *ctx, folds *job, size_t k, bool *more)
{
    heft_auto   *s = job->s;
    const size_t own = s->rows.n_folds + k;
    fit         *f = &job->fit[own];
    if (k >= atomic_load(&job->n_sets)) {
        *more = false;
        return HEFT_OK;
    }
    if (!f->state) {
        f->learn = s->rows.sample;
        f->rule = s->plan.boost;
        f->rule.draw = heft_mix(f->rule.draw + k);
        f->rule.attrs = s->plan.set_attrs[k % 2];
        f->rule.shift = s->plan.n_sets > 1;
        f->watch = (heft_boost_watch){.rounds = &job->rounds};
        f->out = &s->fitted.boosted[own];
    }
    HEFT_CHECK(boost(ctx, job, own, f, more));
    job->late_all[k] = f->watch.late;
    return HEFT_OK;
}

/* The tasks are: boosting of each fold, learning of each fold, boosting from all rows. */
static heft_status one_task(heft_ctx *ctx, void *arg, size_t k, bool *more)
{
    folds       *job = arg;
    heft_auto   *s = job->s;
    const size_t boosts = s->fitted.takes_part[HEFT_BOOSTED] ? s->rows.n_folds : 0;
    const size_t learns = s->fitted.takes_part[HEFT_LEARNED] && !job->learned ? s->rows.n_folds : 0;
    if (k < boosts) return boost_fold(ctx, job, k, more);
    if (k >= boosts + learns) return boost_all(ctx, job, k - boosts - learns, more);
    *more = false;
    return learn_fold(ctx, job, k - boosts);
}

static heft_status one_learning(heft_ctx *ctx, void *arg, size_t k)
{
    folds *job = arg;
    return learn_fold(ctx, job, k);
}

/* Under a time limit the folds are learned first, so that it is known how much time is left for
 * boosting. If learning takes too long, the learned member takes no part. Sets job->until for
 * boosting. */
static heft_status share_time(heft_ctx *ctx, folds *job)
{
    heft_auto   *s = job->s;
    bool        *in = s->fitted.takes_part;
    const double began = heft_clock(), left = fmax(s->task->until - began, 0);
    job->threads = ctx->threads > 1 && heft_is_single(ctx) ? (size_t)ctx->threads : 1;
    if (s->task->until == 0 || !in[HEFT_BOOSTED]) return HEFT_OK;
    if (in[HEFT_LEARNED]) {
        job->until = began + LEARNING * left;
        HEFT_CHECK(heft_run(ctx, s->rows.n_folds, one_learning, job));
        job->learned = true;
        s->fitted.left_out = atomic_exchange(&job->late, false);
        in[HEFT_LEARNED] = !s->fitted.left_out;
    }
    const double again = in[HEFT_LEARNED] ? (heft_clock() - began) / (double)s->rows.n_folds : 0;
    job->until = s->task->until - POOLING * left - again;
    return HEFT_OK;
}

/* ---- the order ---- */

/* One turn of a fit that is compared with another: those with the bound, then those without. */
static heft_status compare_turn(heft_ctx *ctx, void *arg, size_t k, bool *more)
{
    folds       *job = arg;
    const size_t n = job->s->rows.n_folds;
    fit         *f = k < n ? &job->fit[k] : &job->unbounded[k - n];
    double       late = job->compare_until > 0 && heft_clock() >= job->compare_until;
    HEFT_CHECK(boost_turn(ctx, job->s, f));
    f->loss[f->n_turns++] = f->watch.loss;
    if (job->compare_until > 0) HEFT_CHECK(heft_all_max(ctx, &late, 1));
    *more = !f->ended && f->n_turns < COMPARED_TURNS && late == 0;
    return HEFT_OK;
}

/* The mean held-out loss of fold k after so many turns, or when it ended. */
static double loss_after(const fit *f, size_t n_turns)
{
    return f->loss[(f->n_turns < n_turns ? f->n_turns : n_turns) - 1];
}

/* Whether the held-out loss is clearly lower without the bound, as far as both fits have come. */
static bool unbounded_is_better(const folds *job)
{
    double bounded = 0, unbounded = 0;
    for (size_t k = 0; k < job->s->rows.n_folds; k++) {
        const fit   *a = &job->fit[k], *b = &job->unbounded[k];
        const double rows = (double)job->s->rows.fold[k].held.n;
        size_t       both = COMPARED_TURNS;
        if (!a->ended && a->n_turns < both) both = a->n_turns;
        if (!b->ended && b->n_turns < both) both = b->n_turns;
        bounded += rows * loss_after(a, both);
        unbounded += rows * loss_after(b, both);
    }
    return unbounded < (1 - CLEARLY) * bounded;
}

static void drop_fit(fit *f)
{
    heft_boost_close(f->state);
    heft_boosted_clear(f->out);
    *f->out = (heft_boosted){0};
    *f = (fit){.out = f->out};
}

/* Many rows: the fits that are compared learn from those of the first window, which is enough for
 * the choice, and then a fit from all begins. Both together make the progress of one. */
static void plan_compared(const folds *job, fit *f)
{
    const heft_auto *s = job->s;
    if (s->plan.rows.many) {
        f->one_window = true;
        f->learn.n = s->rows.window[1];
    }
    f->watch.steps = job->steps;
    f->watch.n_steps = f->learn.n * BOOST_PASSES / 2;
}

/* Chooses between three attributes on a path and any number by the loss of the held-out rows, after
 * some rounds of both. The early rounds are enough to see where more attributes are needed, and
 * what they cost is a small part of the whole: the better fit goes on, the other is dropped.
 *
 * Fewer attributes are preferred, because all terms of such a model can be shown. */
static heft_status choose_order(heft_ctx *ctx, folds *job)
{
    heft_auto   *s = job->s;
    const size_t n = s->rows.n_folds;
    heft_plan    other = heft_auto_plan(s, HEFT_PATH_ATTRS);
    double      *scores;
    if (!other.boosts) return HEFT_OK; /* there are too many classes for so many leaves */
    HEFT_ALLOC(ctx, s->arena, job->unbounded, n);
    HEFT_ALLOC(ctx, s->arena, scores, s->rows.held.n * s->rows.all.n_class);
    set_rule(ctx, s, &other);
    for (size_t k = 0; k < n; k++) {
        plan_fold(s, k, &other, scores, &job->unbounded[k]);
        job->unbounded[k].out = &job->found[k];
        plan_compared(job, &job->fit[k]);
        plan_compared(job, &job->unbounded[k]);
    }
    if (job->until > 0) {
        const double now = heft_clock();
        job->compare_until = now + COMPARING * fmax(job->until - now, 0);
    }
    HEFT_CHECK(heft_run_turns(ctx, 2 * n, 2 * n, compare_turn, job));
    const bool better = unbounded_is_better(job);
    if (better) {
        s->plan = other;
        job->boosted = scores;
    }
    for (size_t k = 0; k < n; k++) {
        fit   *worse = better ? &job->fit[k] : &job->unbounded[k];
        size_t steps = worse->watch.reported;
        if (better) job->of_fold[k] = &job->unbounded[k];
        drop_fit(worse);
        if (s->plan.rows.many) {
            steps += job->of_fold[k]->watch.reported;
            drop_fit(job->of_fold[k]);
            plan_fold(s, k, &s->plan, job->boosted, job->of_fold[k]);
        }
        job->of_fold[k]->dropped_steps = steps;
    }
    return HEFT_OK;
}

/* Keeps the trees from all rows that the folds found to be enough, or those there was time for. */
static void keep_rounds(heft_auto *s, folds *job)
{
    heft_auto_fitted *f = &s->fitted;
    const size_t      wanted = atomic_load(&job->rounds);
    f->late = atomic_load(&job->late);
    s->plan.n_sets = atomic_load(&job->n_sets);
    for (size_t k = 0; k < s->plan.n_sets; k++) {
        heft_boosted *c = &f->boosted[s->rows.n_folds + k];
        heft_boosted_keep(c, wanted);
        const size_t n = c->trees.n_trees;
        f->late = f->late || (job->late_all[k] && n < wanted);
        f->n_rounds = n > f->n_rounds ? n : f->n_rounds;
    }
    if (s->plan.rows.many) f->n_rounds = f->boosted[0].trees.n_trees;
}

/* The trees of the folds are there already, and an average of several sets varies less. They are
 * left out if a fold reached the bound on rounds: its set lacks trees and rows, which no average
 * makes up for. */
static void choose_sets(heft_auto *s)
{
    heft_boosted *boosted = s->fitted.boosted;
    const size_t  n_folds = s->rows.n_folds, n_sets = s->plan.n_sets;
    const size_t  bound = (size_t)((double)s->plan.boost.most_rounds / s->plan.more_rounds);
    size_t        numbers = 0;
    bool          kept = s->plan.keeps_folds && !s->fitted.late;
    for (size_t k = 0; k < n_folds; k++)
        kept = kept && s->rows.fold[k].rounds + s->plan.boost.patience <= bound;
    for (size_t k = 0; k < n_folds + n_sets; k++)
        numbers += boosted[k].trees.n_leaves * s->rows.all.n_class;
    kept = (kept && numbers <= HEFT_LEAF_NUMBERS) || s->plan.rows.many;
    /* the folds together count half as much as a set from all rows */
    const double weight = kept ? 1 / (2 * (double)n_sets + 1) : 0;
    for (size_t k = 0; k < n_folds; k++) boosted[k].weight = weight / (double)n_folds;
    for (size_t k = 0; k < n_sets; k++) boosted[n_folds + k].weight = (1 - weight) / (double)n_sets;
    s->fitted.first_set = kept ? 0 : n_folds;
}

/* The weights h of the members that take part, which are pulled towards equal weights. */
static heft_status mix(heft_ctx *ctx, const bool *takes_part, heft_mixing mixing,
                       const double *const *score, double *h, double *loss)
{
    const double *members[HEFT_N_MEMBERS];
    double        centre[HEFT_N_MEMBERS], pull[HEFT_N_MEMBERS], part[HEFT_N_MEMBERS];
    size_t        n = 0;
    heft_minimum  how;
    for (size_t k = 0; k < HEFT_N_MEMBERS; k++)
        if (takes_part[k]) members[n++] = score[k];
    for (size_t k = 0; k < n; k++) {
        centre[k] = 1.0 / (double)n;
        pull[k] = takes_part[HEFT_BOOSTED] ? MIX_PULL_3 : MIX_PULL;
    }
    mixing.n_members = n;
    mixing.member = members;
    mixing.centre = centre;
    mixing.strength = pull;
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, part, NULL, loss, &how));
    for (size_t k = HEFT_N_MEMBERS; k-- > 0;) h[k] = takes_part[k] ? part[--n] : 0;
    return HEFT_OK;
}

/* The weights h for each t, from the scores of the held-out rows; the t of least loss is taken.
 * Then members that hardly count are left out, the least first. */
static heft_status choose_scale(heft_ctx *ctx, heft_auto *s, const folds *job)
{
    heft_auto_fitted     *f = &s->fitted;
    bool                 *in = f->takes_part;
    const heft_held_rows *held = &s->rows.held;
    const heft_mixing     mixing = {.n = held->n,
                                    .n_class = s->rows.all.n_class,
                                    .y = held->y,
                                    .weight = held->weight,
                                    .place = held->place,
                                    .max_iter = MIX_ITER};
    const double         *score[HEFT_N_MEMBERS];
    const size_t          n_scales = in[HEFT_LEARNED] ? HEFT_N_SCALES : 1;
    f->held_loss = INFINITY;
    score[HEFT_COUNTED] = f->counted.held;
    score[HEFT_BOOSTED] = job->boosted;
    for (size_t l = 0; l < n_scales; l++) {
        double h[HEFT_N_MEMBERS], loss;
        score[HEFT_LEARNED] = job->score[l];
        HEFT_CHECK(mix(ctx, in, mixing, score, h, &loss));
        if (!(loss < f->held_loss)) continue;
        f->held_loss = loss;
        f->penalty_scale = SCALES[l];
        memcpy(f->weight, h, sizeof h);
    }
    for (;;) {
        size_t least = HEFT_LEARNED;
        for (size_t k = 0; k < HEFT_BOOSTED; k++)
            if (in[k] && (!in[least] || f->weight[k] < f->weight[least])) least = k;
        if (!in[HEFT_BOOSTED] || !in[least] || f->weight[least] >= LEAST_WEIGHT) return HEFT_OK;
        in[least] = false;
        HEFT_CHECK(mix(ctx, in, mixing, score, f->weight, &f->held_loss));
    }
}

heft_status heft_auto_folds(heft_ctx *ctx, heft_auto *s)
{
    heft_held_rows *held = &s->rows.held;
    const double    n = (double)s->rows.order.n_kinds, n_parts = (double)s->plan.rows.n_parts;
    if (n < LEAST_ROWS) return HEFT_OK;
    const double wanted = ceil((double)s->plan.held_target / (n / n_parts));
    s->rows.n_folds = wanted > n_parts ? (size_t)n_parts : wanted < 1 ? 1 : (size_t)wanted;
    if (s->plan.rows.many) s->rows.n_folds = 1;
    HEFT_ALLOC(ctx, s->arena, s->rows.fold, s->rows.n_folds);
    for (size_t k = 0; k < s->rows.n_folds; k++) {
        heft_fold *t = &s->rows.fold[k];
        const bool many = s->plan.rows.many;
        HEFT_CHECK(heft_kfold_split(ctx, &s->rows.all, &s->rows.order, k, s->arena, &t->held,
                                    many ? NULL : &t->others));
        if (many)
            HEFT_CHECK(heft_windows_split(ctx, &s->rows.all, s->rows.order.fold,
                                          s->plan.rows.n_windows, s->arena, &t->others,
                                          &s->rows.window));
        t->first = held->n;
        held->n += t->held.n;
    }
    if (s->plan.rows.many) {
        s->rows.cut = sample_of(s, &s->rows.fold[0].others);
        s->rows.cut.n = s->rows.window[1];
        if (s->hurried && s->rows.cut.n > CUT_IN_TIME) s->rows.cut.n = CUT_IN_TIME;
    }
    HEFT_ALLOCS(ctx, s->arena, held->n, held->row, held->place, held->alike, held->y);
    if (s->rows.all.weight) HEFT_ALLOC(ctx, s->arena, held->weight, held->n);
    for (const heft_fold *t = s->rows.fold; t < s->rows.fold + s->rows.n_folds; t++) {
        const size_t bytes = t->held.n;
        memcpy(held->row + t->first, t->held.row, bytes * sizeof *held->row);
        memcpy(held->y + t->first, t->held.y, bytes * sizeof *held->y);
        memcpy(held->alike + t->first, t->held.alike, bytes * sizeof *held->alike);
        for (size_t i = 0; i < t->held.n; i++)
            held->place[t->first + i] = t->held.place[i] / s->plan.rows.n_parts;
        if (held->weight)
            memcpy(held->weight + t->first, t->held.weight, bytes * sizeof *held->weight);
    }
    return HEFT_OK;
}

/* Which members take part, and the rules of boosting. */
static void choose_members(const heft_ctx *ctx, heft_auto *s)
{
    bool *in = s->fitted.takes_part;
    in[HEFT_COUNTED] = s->fitted.counts;
    in[HEFT_BOOSTED] = s->rows.n_folds && s->plan.boosts;
    in[HEFT_LEARNED] = s->plan.learns;
    s->fitted.weight[HEFT_LEARNED] = 0.5;
    s->fitted.weight[HEFT_COUNTED] = in[HEFT_LEARNED] ? 0.5 : 1;
    s->fitted.penalty_scale = 1;
    if (!in[HEFT_BOOSTED]) s->plan.n_sets = 0;
    set_rule(ctx, s, &s->plan);
}

/* The work of learning and boosting, in passes over a row. */
static void set_steps(heft_auto *s)
{
    const bool  *in = s->fitted.takes_part;
    const size_t per_fold = (in[HEFT_LEARNED] ? (size_t)s->plan.iterations * HEFT_N_SCALES : 0) +
                            (in[HEFT_BOOSTED] ? BOOST_PASSES : 0);
    for (size_t k = 0; k < s->rows.n_folds; k++)
        s->steps.all += s->rows.fold[k].others.n * per_fold;
    if (in[HEFT_LEARNED]) s->steps.all += s->plan.rows.n_taken * (size_t)s->plan.last_iterations;
    s->steps.all += s->plan.n_sets * s->rows.sample.n * BOOST_PASSES;
}

/* Runs the fits of all folds, and the boosted ones from all rows. */
static heft_status fit_members(heft_ctx *ctx, folds *job)
{
    heft_auto   *s = job->s;
    const bool  *in = s->fitted.takes_part;
    const size_t n_fits = s->rows.n_folds + s->plan.n_sets;
    heft_status  st = HEFT_OK;
    HEFT_CHECK(share_time(ctx, job));
    HEFT_ALLOC(ctx, s->arena, job->fit, n_fits);
    if (in[HEFT_BOOSTED])
        for (size_t k = 0; k < s->rows.n_folds; k++) {
            plan_fold(s, k, &s->plan, job->boosted, &job->fit[k]);
            job->fit[k].out = &s->fitted.boosted[k];
            job->of_fold[k] = &job->fit[k];
        }
    if (in[HEFT_BOOSTED] && s->order == 0 && s->plan.compares_orders &&
        !(s->hurried && s->plan.rows.many) && s->rows.used.rows.n_attr > HEFT_JOINT_ATTRS)
        HEFT_TRY(choose_order(ctx, job));
    const size_t kinds = (size_t)(in[HEFT_LEARNED] && !job->learned) + in[HEFT_BOOSTED];
    const size_t n_first =
        s->rows.n_folds * kinds; /* these fits tell how many rounds the others need */
    HEFT_TRY(heft_run_turns(ctx, n_first + s->plan.n_sets, n_first, one_task, job));
done:
    for (size_t k = 0; k < n_fits; k++) heft_boost_close(job->fit[k].state);
    for (size_t k = 0; job->unbounded && k < s->rows.n_folds; k++) {
        heft_boost_close(job->unbounded[k].state);
        if (st == HEFT_OK && job->of_fold[k] != &job->fit[k]) s->fitted.boosted[k] = job->found[k];
        else heft_boosted_clear(&job->found[k]);
    }
    return st;
}

/* Fits all members and decides how much of each is used. */
static heft_status fit_and_choose(heft_ctx *ctx, folds *job)
{
    heft_auto   *s = job->s;
    const bool  *in = s->fitted.takes_part;
    const size_t n_class = s->rows.all.n_class, n_scores = s->rows.held.n * n_class;
    double      *learned;
    size_t       scale = 0;
    if (in[HEFT_LEARNED])
        for (size_t l = 0; l < HEFT_N_SCALES; l++)
            HEFT_ALLOC(ctx, s->arena, job->score[l], n_scores);
    if (in[HEFT_BOOSTED]) HEFT_ALLOC(ctx, s->arena, job->boosted, n_scores);
    atomic_init(&job->left, s->rows.n_folds);
    atomic_init(&job->rounds, SIZE_MAX);
    atomic_init(&job->n_sets, s->plan.n_sets);
    atomic_init(&job->late, false);
    HEFT_CHECK(fit_members(ctx, job));
    keep_rounds(s, job);
    choose_sets(s);
    if (in[HEFT_LEARNED])
        for (const heft_fold *t = s->rows.fold; t < s->rows.fold + s->rows.n_folds; t++)
            for (size_t l = 0; l < HEFT_N_SCALES; l++)
                s->fitted.passes += (double)t->how[l].evaluations * (double)t->others.n /
                                    (double)s->plan.rows.n_taken;
    HEFT_CHECK(choose_scale(ctx, s, job));
    while (SCALES[scale] != s->fitted.penalty_scale) scale++;
    HEFT_ALLOC(ctx, s->arena, learned, s->rows.looked.n * s->rows.all.rows->n_attr * n_class);
    if (in[HEFT_LEARNED] && s->rows.looked.n)
        HEFT_CHECK(learned_contributions(ctx, job, scale, learned));
    const double *score[HEFT_N_MEMBERS] = {job->score[scale], s->fitted.counted.held, job->boosted};
    return heft_auto_importance(ctx, s, score, learned);
}

heft_status heft_auto_members(heft_ctx *ctx, heft_auto *s)
{
    folds job = {.s = s, .steps = &s->steps};
    HEFT_CHECK(set_sample(ctx, s));
    choose_members(ctx, s);
    set_steps(s);
    if (s->rows.n_folds == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, s->arena, job.kept, s->rows.n_folds);
    const heft_status st = fit_and_choose(ctx, &job);
    for (size_t k = 0; k < s->rows.n_folds; k++) learned_fold_clear(&job.kept[k]);
    return st;
}
