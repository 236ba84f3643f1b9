/* members.c - the members of the default method on held-out rows, and how much of each is used.
 *
 * Without one fold of five, A is learned at each scale t of its penalties and scores the fold; so
 * is C, until its loss there no longer falls. Meanwhile C is learned from all rows, for as many
 * rounds as the folds find to be best. From the scores of the held-out rows, with B's leave-one-out
 * scores of the same, come t and the weights of the members.
 *
 * Fits of C run side by side, one on each thread. */
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "learn/mixing.h"
#include "methods/auto/auto_fit.h"

enum { LEAST_ROWS = 10 }; /* below: no held-out rows */
enum { MIX_ITER = 100 };
enum { BOOST_PASSES = 50 }; /* passes over a row that boosting is about as much work as */

static const double SCALES[HEFT_N_SCALES] = {4, 1, 0.25, 0.0625};
static const double MIX_PULL = 10, MIX_PULL_3 = 30, LEAST_WEIGHT = 0.1;
/* Under a time limit: the share of the time for A, for what follows C, and the cost of a round of C
 * without a fold, that of a round from all rows being 1. */
static const double LEARNING = 0.5, POOLING = 0.05, FOLD_ROUND = 0.85;

/* ---- samples ---- */

static heft_sample sample_of(const heft_auto *s, const heft_fold_part *part)
{
    return (heft_sample){s->all.rows, part->n, part->row, part->weight, part->y, s->all.n_class};
}

/* The same with rows of equal content and class taken together: A sums in single precision, and
 * repeated rows should give it the sums of weights. Such rows follow each other in a part. */
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
            s->of.row_key[row[n - 1]] != s->of.row_key[part->row[i]]) {
            row[n] = part->row[i];
            y[n++] = part->y[i];
        }
        weight[n - 1] += w;
    }
    if (n < part->n) *out = (heft_sample){s->all.rows, n, row, weight, y, s->all.n_class};
    return HEFT_OK;
}

/* The rows that A and C learn from: all, or those drawn, in an order that their content sets, so
 * that sums do not depend on the order of the rows. */
static heft_status set_sample(heft_ctx *ctx, heft_auto *s)
{
    heft_fold_part part = {.n = s->list.n, .row = s->list.row};
    HEFT_ALLOC(ctx, s->arena, part.y, part.n);
    if (s->all.weight) HEFT_ALLOC(ctx, s->arena, part.weight, part.n);
    HEFT_ROWS (i, part.n) {
        part.y[i] = s->all.y[part.row[i]];
        if (part.weight) part.weight[i] = s->all.weight[part.row[i]];
    }
    s->sample = sample_of(s, &part);
    return s->plan.learns ? merged_sample(ctx, s, &part, s->arena, &s->merged) : HEFT_OK;
}

/* ---- fits ---- */

typedef struct fit { /* of C */
    heft_sample      learn, ask;
    heft_boost_rule  rule;
    heft_boost_watch watch;
    heft_boosting   *state; /* NULL before and after it */
} fit;

typedef struct folds {
    heft_auto    *s;
    fit          *fit; /* as s->boosted */
    heft_steps   *steps;
    double       *score[HEFT_N_SCALES]; /* A_t of the held-out rows, n x K */
    double       *boosted;              /* C of the same */
    atomic_size_t left;                 /* folds whose C is not known yet */
    atomic_size_t rounds;               /* of C from all rows: SIZE_MAX until it is known */
    /* the time limit, where there is one */
    double      until; /* heft_clock; 0: none */
    size_t      threads;
    bool        learned;                  /* A of the folds is done, or left out */
    atomic_bool late;                     /* a fold */
    bool        late_all[HEFT_MOST_SETS]; /* C from all rows */
} folds;

/* Cuts, pairs and weights from the other folds alone. */
static heft_status learn_fold(heft_ctx *ctx, folds *job, heft_fold *t)
{
    heft_status       st = HEFT_OK;
    const heft_auto  *s = job->s;
    const heft_sample ask = sample_of(s, &t->held);
    heft_sample       learn;
    heft_arena        arena = {0};
    heft_coding       coding;
    heft_coded        coded = {0};
    heft_learned      learned = {0};
    heft_learned_rows asked = {0};
    HEFT_TRY(merged_sample(ctx, s, &t->others, &arena, &learn));
    HEFT_TRY(heft_coding_learn(ctx, &learn, &s->of.keys, s->task->prep->spec.unseen_zero, true,
                               &arena, &coding));
    HEFT_TRY(heft_coded_fill(ctx, &coding, &learn, 1u << s->rule.pair_res, true, &coded));
    HEFT_TRY(heft_learned_open(ctx, &learn, &coding, &coded, &s->rule, &arena, &learned));
    HEFT_TRY(heft_learned_rows_make(ctx, &learned, &coding, &ask, &arena, &asked));
    learned.logit.steps = job->steps;
    for (size_t l = 0; l < HEFT_N_SCALES; l++) {
        if (job->until > 0 && heft_clock() >= job->until) atomic_store(&job->late, true);
        if (atomic_load(&job->late)) break;
        HEFT_TRY(heft_logit_fit(ctx, &learned.logit, SCALES[l], s->plan.iterations, learned.w,
                                &t->how[l]));
        HEFT_TRY(heft_logit_score(ctx, &learned.logit, learned.w, &asked.rows,
                                  job->score[l] + t->first * s->all.n_class));
    }
done:
    heft_learned_rows_clear(&asked);
    heft_learned_clear(&learned);
    heft_coded_clear(&coded);
    heft_arena_clear(&arena);
    return st;
}

/* When the k-th of the fits of C is to end, so that the time is enough for as many rounds of those
 * that follow. */
static double boost_until(const folds *job, size_t k)
{
    const size_t n_folds = job->s->n_folds, first = k - k % job->threads;
    const size_t n_all = job->s->plan.n_sets - (first > n_folds ? first - n_folds : 0);
    const double more = job->s->plan.more_rounds, own = k < n_folds ? FOLD_ROUND : more;
    const double now = heft_clock();
    double       rounds = more * (double)n_all;
    if (job->until == 0) return 0;
    if (first < n_folds) rounds += FOLD_ROUND * (double)(n_folds - first);
    return now + fmax(job->until - now, 0) * fmin(own / fmax(rounds / (double)job->threads, 1), 1);
}

/* The next turn of a fit of C. Under a time limit it is the whole of it, because the time at which
 * it ends supposes that those after it have not begun. */
static heft_status boost(heft_ctx *ctx, folds *job, size_t k, bool *more)
{
    heft_auto             *s = job->s;
    fit                   *f = &job->fit[k];
    const heft_boost_input input = {&f->learn, &s->of.keys, s->of.row_key};
    if (!f->state)
        HEFT_CHECK(heft_boost_open(ctx, &input, &f->rule, &f->watch, &s->boosted[k], &f->state));
    do HEFT_CHECK(heft_boost_go_on(ctx, f->state, more));
    while (*more && job->until > 0);
    if (*more) return HEFT_OK;
    heft_boost_close(f->state);
    f->state = NULL;
    return HEFT_OK;
}

/* C from the other folds, until the loss of the fold no longer falls. The last fold to end sets the
 * number of rounds of C from all rows. */
static heft_status boost_fold(heft_ctx *ctx, folds *job, size_t k, bool *more)
{
    heft_auto *s = job->s;
    heft_fold *t = &s->fold[k];
    fit       *f = &job->fit[k];
    if (!f->state) {
        f->learn = sample_of(s, &t->others);
        f->ask = sample_of(s, &t->held);
        f->rule = s->plan.boost;
        f->rule.most_rounds = (size_t)((double)f->rule.most_rounds / s->plan.more_rounds);
        f->watch = (heft_boost_watch){.held = &f->ask,
                                      .score = job->boosted + t->first * s->all.n_class,
                                      .until = boost_until(job, k),
                                      .steps = job->steps,
                                      .n_steps = t->others.n * BOOST_PASSES};
    }
    HEFT_CHECK(boost(ctx, job, k, more));
    if (*more) return HEFT_OK;
    t->rounds = f->watch.best;
    t->loss = f->watch.loss;
    if (f->watch.late) atomic_store(&job->late, true);
    if (atomic_fetch_sub(&job->left, 1) == 1) {
        double sum = 0;
        for (size_t i = 0; i < s->n_folds; i++) sum += (double)s->fold[i].rounds;
        const double rounds = round(s->plan.more_rounds * sum / (double)s->n_folds);
        atomic_store(&job->rounds, rounds < 1 ? 1 : (size_t)rounds);
    }
    return HEFT_OK;
}

/* C from all rows. With another thread it begins before the number of rounds is known, and what is
 * too much is dropped. */
static heft_status boost_all(heft_ctx *ctx, folds *job, size_t k, bool *more)
{
    heft_auto   *s = job->s;
    const size_t own = s->n_folds + k;
    fit         *f = &job->fit[own];
    if (!f->state) {
        f->learn = s->sample;
        f->rule = s->plan.boost;
        f->rule.draw = heft_mix(f->rule.draw + k);
        f->rule.shift = s->plan.n_sets > 1;
        f->watch = (heft_boost_watch){.rounds = &job->rounds,
                                      .until = boost_until(job, own),
                                      .steps = job->steps,
                                      .n_steps = s->sample.n * BOOST_PASSES};
    }
    HEFT_CHECK(boost(ctx, job, own, more));
    job->late_all[k] = f->watch.late;
    return HEFT_OK;
}

/* Tasks: C of each fold, A of each fold, C from all rows. */
static heft_status one_task(heft_ctx *ctx, void *arg, size_t k, bool *more)
{
    folds       *job = arg;
    heft_auto   *s = job->s;
    const size_t boosts = s->in[HEFT_BOOSTED] ? s->n_folds : 0;
    const size_t learns = s->in[HEFT_LEARNED] && !job->learned ? s->n_folds : 0;
    if (k < boosts) return boost_fold(ctx, job, k, more);
    if (k >= boosts + learns) return boost_all(ctx, job, k - boosts - learns, more);
    *more = false;
    return learn_fold(ctx, job, &s->fold[k - boosts]);
}

static heft_status one_learning(heft_ctx *ctx, void *arg, size_t k)
{
    folds *job = arg;
    return learn_fold(ctx, job, &job->s->fold[k]);
}

/* Under a time limit A of the folds comes first, so that it is known how much is left for C. Where
 * A takes too long it takes no part. Sets job->until for C. */
static heft_status share_time(heft_ctx *ctx, folds *job)
{
    heft_auto   *s = job->s;
    const double began = heft_clock(), left = fmax(s->task->until - began, 0);
    job->threads = ctx->threads > 1 && heft_is_single(ctx) ? (size_t)ctx->threads : 1;
    if (s->task->until == 0 || !s->in[HEFT_BOOSTED]) return HEFT_OK;
    if (s->in[HEFT_LEARNED]) {
        job->until = began + LEARNING * left;
        HEFT_CHECK(heft_run(ctx, s->n_folds, one_learning, job));
        job->learned = true;
        s->left_out = atomic_exchange(&job->late, false);
        s->in[HEFT_LEARNED] = !s->left_out;
    }
    const double again = s->in[HEFT_LEARNED] ? (heft_clock() - began) / (double)s->n_folds : 0;
    job->until = s->task->until - POOLING * left - again;
    return HEFT_OK;
}

/* The trees of C from all rows that the folds found to be enough, or those that there was time for.
 */
static void keep_rounds(heft_auto *s, folds *job)
{
    const size_t wanted = atomic_load(&job->rounds);
    s->late = atomic_load(&job->late);
    for (size_t k = 0; k < s->plan.n_sets; k++) {
        heft_boosted *c = &s->boosted[s->n_folds + k];
        heft_boosted_keep(c, wanted);
        const size_t n = c->trees.n_trees;
        s->late = s->late || (job->late_all[k] && n < wanted);
        s->n_rounds = n > s->n_rounds ? n : s->n_rounds;
    }
}

/* The C of the folds are there already, and an average of several varies less. They are left out
 * where a fold had reached the bound on rounds: such a C lacks trees and rows, which no average
 * makes up for. */
static void choose_sets(heft_auto *s)
{
    const size_t bound = (size_t)((double)s->plan.boost.most_rounds / s->plan.more_rounds);
    size_t       numbers = 0;
    bool         kept = s->plan.folds_share > 0 && !s->late;
    for (size_t k = 0; k < s->n_folds; k++)
        kept = kept && s->fold[k].rounds + s->plan.boost.patience <= bound;
    for (size_t k = 0; k < s->n_folds + s->plan.n_sets; k++)
        numbers += s->boosted[k].trees.n_leaves * s->all.n_class;
    kept = kept && numbers <= HEFT_LEAF_NUMBERS;
    const double share = kept ? s->plan.folds_share : 0;
    for (size_t k = 0; k < s->n_folds; k++) s->boosted[k].weight = share / (double)s->n_folds;
    for (size_t k = 0; k < s->plan.n_sets; k++)
        s->boosted[s->n_folds + k].weight = (1 - share) / (double)s->plan.n_sets;
    s->first_set = kept ? 0 : s->n_folds;
}

/* h of the members that take part; the members are pulled towards equal weights. */
static heft_status mix(heft_ctx *ctx, const heft_auto *s, const heft_mixing *rows,
                       const double *const *score, double *h, double *loss)
{
    const double *members[HEFT_N_MEMBERS];
    double        centre[HEFT_N_MEMBERS], pull[HEFT_N_MEMBERS], part[HEFT_N_MEMBERS];
    size_t        n = 0;
    heft_minimum  how;
    for (size_t k = 0; k < HEFT_N_MEMBERS; k++)
        if (s->in[k]) members[n++] = score[k];
    for (size_t k = 0; k < n; k++) {
        centre[k] = 1.0 / (double)n;
        pull[k] = s->in[HEFT_BOOSTED] ? MIX_PULL_3 : MIX_PULL;
    }
    heft_mixing mixing = *rows;
    mixing.n_members = n;
    mixing.member = members;
    mixing.centre = centre;
    mixing.strength = pull;
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, part, NULL, loss, &how));
    for (size_t k = HEFT_N_MEMBERS; k-- > 0;) h[k] = s->in[k] ? part[--n] : 0;
    return HEFT_OK;
}

/* h for each t, from the scores of the held-out rows; the t of least loss is taken. */
static heft_status choose_scale(heft_ctx *ctx, heft_auto *s, const folds *job)
{
    const double     *score[HEFT_N_MEMBERS];
    const heft_mixing mixing = {.n = s->held.n,
                                .n_class = s->all.n_class,
                                .y = s->held.y,
                                .weight = s->held.weight,
                                .place = s->held.place,
                                .max_iter = MIX_ITER};
    s->held_loss = INFINITY;
    score[HEFT_COUNTED] = s->counted.held;
    score[HEFT_BOOSTED] = job->boosted;
    for (size_t l = 0; l < (s->in[HEFT_LEARNED] ? HEFT_N_SCALES : 1); l++) {
        double h[HEFT_N_MEMBERS], loss;
        score[HEFT_LEARNED] = job->score[l];
        HEFT_CHECK(mix(ctx, s, &mixing, score, h, &loss));
        if (!(loss < s->held_loss)) continue;
        s->held_loss = loss;
        s->t = SCALES[l];
        memcpy(s->h, h, sizeof h);
    }
    /* a member that hardly counts is left out, the least first */
    for (;;) {
        size_t least = HEFT_LEARNED;
        for (size_t k = 0; k < HEFT_BOOSTED; k++)
            if (s->in[k] && (!s->in[least] || s->h[k] < s->h[least])) least = k;
        if (!s->in[HEFT_BOOSTED] || !s->in[least] || s->h[least] >= LEAST_WEIGHT) return HEFT_OK;
        s->in[least] = false;
        HEFT_CHECK(mix(ctx, s, &mixing, score, s->h, &s->held_loss));
    }
}

heft_status heft_auto_folds(heft_ctx *ctx, heft_auto *s)
{
    heft_held_rows *held = &s->held;
    const double    n = (double)s->list.n_kinds;
    if (n < LEAST_ROWS) return HEFT_OK;
    const double wanted = ceil((double)s->plan.held_target / (n / HEFT_KFOLD));
    s->n_folds = wanted > HEFT_KFOLD ? HEFT_KFOLD : wanted < 1 ? 1 : (size_t)wanted;
    HEFT_ALLOC(ctx, s->arena, s->fold, s->n_folds);
    for (size_t k = 0; k < s->n_folds; k++) {
        heft_fold *t = &s->fold[k];
        HEFT_CHECK(heft_kfold_split(ctx, &s->all, &s->list, k, s->arena, &t->held, &t->others));
        t->first = held->n;
        held->n += t->held.n;
    }
    HEFT_ALLOCS(ctx, s->arena, held->n, held->row, held->place, held->alike, held->y);
    if (s->all.weight) HEFT_ALLOC(ctx, s->arena, held->weight, held->n);
    for (const heft_fold *t = s->fold; t < s->fold + s->n_folds; t++) {
        const size_t bytes = t->held.n;
        memcpy(held->row + t->first, t->held.row, bytes * sizeof *held->row);
        memcpy(held->y + t->first, t->held.y, bytes * sizeof *held->y);
        memcpy(held->alike + t->first, t->held.alike, bytes * sizeof *held->alike);
        for (size_t i = 0; i < t->held.n; i++)
            held->place[t->first + i] = t->held.place[i] / HEFT_KFOLD;
        if (held->weight)
            memcpy(held->weight + t->first, t->held.weight, bytes * sizeof *held->weight);
    }
    return HEFT_OK;
}

/* Which members take part, and the rules of C. */
static void choose_members(const heft_ctx *ctx, heft_auto *s)
{
    s->in[HEFT_COUNTED] = true;
    s->in[HEFT_BOOSTED] = s->n_folds && s->plan.boosts;
    s->in[HEFT_LEARNED] = s->plan.learns;
    if (!s->in[HEFT_LEARNED]) s->h[HEFT_COUNTED] = 1;
    if (!s->in[HEFT_BOOSTED]) s->plan.n_sets = 0;
    s->plan.boost.order = s->order_bound;
    s->plan.boost.most_attrs = s->rule.most;
    s->plan.boost.draw = heft_mix(ctx->seed);
}

/* The work of A and C in passes over a row. */
static void set_steps(heft_auto *s)
{
    for (size_t k = 0; k < s->n_folds; k++) {
        const size_t n = s->fold[k].others.n;
        if (s->in[HEFT_LEARNED]) s->steps.all += n * (size_t)s->plan.iterations * HEFT_N_SCALES;
        if (s->in[HEFT_BOOSTED]) s->steps.all += n * BOOST_PASSES;
    }
    if (s->in[HEFT_LEARNED]) s->steps.all += s->plan.n_rows * (size_t)s->plan.last_iterations;
    s->steps.all += s->plan.n_sets * s->sample.n * BOOST_PASSES;
}

heft_status heft_auto_members(heft_ctx *ctx, heft_auto *s)
{
    folds        job = {.s = s, .steps = &s->steps};
    const size_t K = s->all.n_class;
    s->h[HEFT_LEARNED] = s->h[HEFT_COUNTED] = 0.5;
    s->t = 1;
    HEFT_CHECK(set_sample(ctx, s));
    choose_members(ctx, s);
    set_steps(s);
    if (s->n_folds == 0) return HEFT_OK;
    for (size_t l = 0; l < HEFT_N_SCALES && s->in[HEFT_LEARNED]; l++)
        HEFT_ALLOC(ctx, s->arena, job.score[l], s->held.n * K);
    if (s->in[HEFT_BOOSTED]) HEFT_ALLOC(ctx, s->arena, job.boosted, s->held.n * K);
    atomic_init(&job.left, s->n_folds);
    atomic_init(&job.rounds, SIZE_MAX);
    atomic_init(&job.late, false);
    HEFT_CHECK(share_time(ctx, &job));
    const size_t kinds = (size_t)(s->in[HEFT_LEARNED] && !job.learned) + s->in[HEFT_BOOSTED];
    const size_t n_first = s->n_folds * kinds; /* they tell how many rounds the others need */
    HEFT_ALLOC(ctx, s->arena, job.fit, s->n_folds + s->plan.n_sets);
    const heft_status st = heft_run_turns(ctx, n_first + s->plan.n_sets, n_first, one_task, &job);
    for (size_t k = 0; k < s->n_folds + s->plan.n_sets; k++) heft_boost_close(job.fit[k].state);
    HEFT_CHECK(st);
    keep_rounds(s, &job);
    choose_sets(s);
    for (size_t k = 0; k < s->n_folds && s->in[HEFT_LEARNED]; k++)
        for (size_t l = 0; l < HEFT_N_SCALES; l++)
            s->passes += (double)s->fold[k].how[l].evaluations * (double)s->fold[k].others.n /
                         (double)s->plan.n_rows;
    return choose_scale(ctx, s, &job);
}
