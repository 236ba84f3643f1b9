/* auto.c - the default method: pooled evidence of attribute values, pairs and triples.
 *
 * The score of a class is a sum of evidence, with terms of one, two and three attributes:
 *
 *   score = h_A A(x) + h_B B(x) + h_C C(x)
 *
 * B is counted: one-dependence estimators weighted by information and calibrated on leave-one-out
 * scores (counted.h). A is learned: weights of values and pairs by penalised conditional
 * log-likelihood (learned.h). C is boosted: trees whose leaves are boxes over at most three
 * attributes (boost.h). How much of each is used, how strong the penalties of A are and how many
 * trees C has, is decided on rows that A and C have not seen. For t = 4, 1, 1/4, 1/16, each from
 * the last, A_t is learned without one fold of five and scores its rows; so is C, until its loss
 * there no longer falls; and
 *
 *   min over h >= 0:  sum -log softmax(h_A A_t + h_B B + h_C C) + 30/2 |h - (1/3, 1/3, 1/3)|^2
 *
 * with B's leave-one-out scores of the same rows; the t of least mean loss is taken, the larger on
 * a tie, and A and C are learned again from all rows. A takes no part in large tables, where it
 * adds nothing to C. A and B are left out where their weight comes out below 0.1.
 *
 * A is learned from the 500 + n/2 attributes with the most information on the class: beyond that
 * number, more attributes make it worse (docs/notes/auto.md).
 *
 * n is the sum of the weights. Above a million rows, or 20 million scores (rows times classes), the
 * counts are taken from all rows; B is calibrated and A is learned on 200,000 rows or 10 million
 * scores, drawn class by class.
 *
 * Rows may be spread over several processes where A takes no part (`spreads`): all that B and C see
 * of them are sums over rows, exact ones, so that the model has the same bits however they are
 * spread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/text.h"
#include "learn/basis.h"
#include "learn/mixing.h"
#include "methods/auto/boost.h"
#include "methods/auto/counted.h"
#include "methods/auto/kfold.h"
#include "methods/auto/learned.h"
#include "methods/auto/pooled.h"
#include "methods/auto/used_rows.h"

static const heft_option options[] = {
    HEFT_OPT_WORDS("effort", "lean", "count|lean|full",
                   "count: counted evidence only; lean, full: learned and boosted evidence too, "
                   "with fewer or more passes and trees"),
    HEFT_OPT_WORDS("order", "3", "1|2|3", "most attributes in one term of boosted evidence"),
    HEFT_OPT_END,
};

enum { EFFORT_COUNT, EFFORT_LEAN, EFFORT_FULL };
enum {
    FEW_ROWS = 2000,    /* below: pairs at 5 bins, counts at 5 and 10; else pairs at 10, also 20 */
    LEAST_ROWS = 10,    /* below: no held-out rows */
    DENSE_LINES = 4096, /* up to which the table of a pair has all lines */
    MANY_ROWS = 1000000,
    DRAWN_ROWS = 200000,
    MANY_SCORES = 20000000, /* rows times classes */
    PAIRS_AMONG = 60,
    LEAST_ATTRS = 500,
    N_SCALES = 4,
    MIX_ITER = 100,
    HELD_TARGET = 1000,   /* held-out rows wanted */
    LEAST_TARGET = 400,   /* the same with too many classes for C */
    MOST_LEARNED = 10000, /* rows; above, A takes no part where C does */
    SEVERAL_ROWS = 4000,  /* below: three boosted members, of smaller trees on 0.7 of the rows */
    FEW_LEAVES = 16,
    MANY_LEAVES = 24,
    LEAST_ROUNDS = 100,
    MOST_BOOSTED = 3,
    BOOST_PASSES = 50,      /* passes over a row that boosting is about as much work as */
    LEAF_NUMBERS = 2621440, /* 20 MB */
    BOOST_SCORES = 200000000
};

static const double SCALES[N_SCALES] = {4, 1, 0.25, 0.0625};
static const double FEW_DRAWN = 0.7;
static const double MIX_PULL = 10, MIX_PULL_3 = 30, LEAST_WEIGHT = 0.1;
/* Under a time limit: the share of the time for A, for what follows C, and the cost of a round of C
 * without a fold, that of a round from all rows being 1. */
static const double LEARNING = 0.5, POOLING = 0.05, FOLD_ROUND = 0.85;

typedef struct schedule { /* by effort */
    size_t pairs;
    long   iterations, last_iterations;
    double rate; /* of boosting */
    size_t most_rounds, patience;
} schedule;

static const schedule SCHEDULES[] = {
    [EFFORT_LEAN] = {200, 12, 30, 0.13, 2000, 45}, [EFFORT_FULL] = {500, 25, 40, 0.1, 2500, 60}};

enum { LEARNED, COUNTED, BOOSTED, N_MEMBERS };

typedef struct fold {
    heft_fold_part held, others;
    size_t         first; /* of its rows among those of all folds */
    heft_minimum   how[N_SCALES];
    size_t         rounds; /* of C */
    double         loss;
} fold;

typedef struct held_rows { /* of all folds, one after the other */
    size_t    n;
    size_t   *row, *place; /* place: in the order of all processes, in fives */
    uint16_t *y;
    double   *weight; /* NULL: all 1 */
} held_rows;

typedef struct state { /* one fit */
    const heft_task  *task;
    heft_arena       *arena; /* until the fit ends */
    int               effort;
    heft_used_rows    of; /* what is learned from of the task's rows */
    heft_learned_rule rule;
    heft_sample       all; /* its rows */
    heft_coding       coding;
    heft_coded        coded;
    heft_counted      counted;
    size_t            n_drawn; /* rows to learn from */
    heft_dealing      list;    /* and their order; not where all are counted only */
    heft_sample       sample;  /* the rows that C learns from */
    heft_sample       merged;  /* and A: repeated rows taken together */
    heft_learned      learned;
    heft_coded        own_coded; /* of the sample */
    heft_minimum      how;
    bool              in[N_MEMBERS]; /* the members that take part */
    double            h[N_MEMBERS], t, held_loss, passes;
    size_t            n_folds;
    fold             *fold;
    held_rows         held;
    unsigned          order_bound; /* attributes in a term of C */
    heft_boost_keys   keys;
    heft_boost_rule   boost_rule;
    size_t            n_boosted;
    heft_boosted      boosted[MOST_BOOSTED];
    heft_arena        boost_arena[MOST_BOOSTED];
    double            boost_loss;
    size_t            n_rounds;       /* of C */
    bool              late, left_out; /* a time limit ended C early; there was no time for A */
    heft_pooled      *pooled;
    heft_steps        steps; /* passes over a row */
} state;

/* ---- held-out folds ---- */

typedef struct folds {
    state          *s;
    heft_steps     *steps;
    const schedule *plan;
    double         *score[N_SCALES]; /* A_t of the held-out rows, n x K */
    double         *boosted;         /* C of the same */
    atomic_size_t   left;            /* folds whose C is not known yet */
    atomic_size_t   rounds;          /* of C from all rows: SIZE_MAX until it is known */
    /* the time limit, where there is one */
    double      until; /* heft_clock; 0: none */
    size_t      threads;
    bool        learned;                /* A of the folds is done, or left out */
    atomic_bool late;                   /* a fold */
    bool        late_all[MOST_BOOSTED]; /* C from all rows */
} folds;

static heft_sample sample_of(const state *s, const heft_fold_part *part)
{
    return (heft_sample){s->all.rows, part->n, part->row, part->weight, part->y, s->all.n_class};
}

/* The same with rows of equal content and class taken together: A sums in single precision, and
 * repeated rows should give it the sums of weights. Such rows follow each other in a part. */
static heft_status merged_sample(heft_ctx *ctx, const state *s, const heft_fold_part *part,
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
            s->keys.row[row[n - 1]] != s->keys.row[part->row[i]]) {
            row[n] = part->row[i];
            y[n++] = part->y[i];
        }
        weight[n - 1] += w;
    }
    if (n < part->n) *out = (heft_sample){s->all.rows, n, row, weight, y, s->all.n_class};
    return HEFT_OK;
}

/* Cuts, pairs and weights from the other folds alone. */
static heft_status learn_fold(heft_ctx *ctx, folds *job, fold *t)
{
    heft_status       st = HEFT_OK;
    const state      *s = job->s;
    const heft_sample ask = sample_of(s, &t->held);
    heft_sample       learn;
    heft_arena        arena = {0};
    heft_coding       coding;
    heft_coded        coded = {0};
    heft_learned      learned = {0};
    heft_learned_rows asked = {0};
    HEFT_TRY(merged_sample(ctx, s, &t->others, &arena, &learn));
    HEFT_TRY(
        heft_coding_learn(ctx, &learn, s->task->prep->spec.unseen_zero, true, &arena, &coding));
    HEFT_TRY(heft_coded_fill(ctx, &coding, &learn, 1u << s->rule.pair_res, true, &coded));
    HEFT_TRY(heft_learned_open(ctx, &learn, &coding, &coded, &s->rule, &arena, &learned));
    HEFT_TRY(heft_learned_rows_make(ctx, &learned, &coding, &ask, &arena, &asked));
    learned.logit.steps = job->steps;
    for (size_t l = 0; l < N_SCALES; l++) {
        if (job->until > 0 && heft_clock() >= job->until) atomic_store(&job->late, true);
        if (atomic_load(&job->late)) break;
        HEFT_TRY(heft_logit_fit(ctx, &learned.logit, SCALES[l], job->plan->iterations, learned.w,
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

/* Rounds of C from all rows for each from the rows without a fold: more rows bear more trees, but
 * not where there are few. */
static double more_rounds(const state *s)
{
    return s->of.total < SEVERAL_ROWS ? 1 : (double)HEFT_KFOLD / (HEFT_KFOLD - 1);
}

/* When the k-th of the fits of C is to end, so that the time is enough for as many rounds of those
 * that follow. */
static double boost_until(const folds *job, size_t k)
{
    const size_t n_folds = job->s->n_folds, first = k - k % job->threads;
    const size_t n_all = job->s->n_boosted - (first > n_folds ? first - n_folds : 0);
    const double more = more_rounds(job->s), own = k < n_folds ? FOLD_ROUND : more;
    const double now = heft_clock();
    double       rounds = more * (double)n_all;
    if (job->until == 0) return 0;
    if (first < n_folds) rounds += FOLD_ROUND * (double)(n_folds - first);
    return now + fmax(job->until - now, 0) * fmin(own / fmax(rounds / (double)job->threads, 1), 1);
}

/* C from the other folds, until the loss of the fold no longer falls. The last fold to end sets the
 * number of rounds of C from all rows. */
static heft_status boost_fold(heft_ctx *ctx, folds *job, fold *t)
{
    const state      *s = job->s;
    const heft_sample learn = sample_of(s, &t->others), ask = sample_of(s, &t->held);
    heft_arena        arena = {0};
    heft_boosted      boosted = {0};
    heft_boost_rule   rule = s->boost_rule;
    heft_boost_watch  watch = {.held = &ask,
                               .score = job->boosted + t->first * s->all.n_class,
                               .until = boost_until(job, (size_t)(t - s->fold)),
                               .steps = job->steps,
                               .n_steps = t->others.n * BOOST_PASSES};
    rule.most_rounds = (size_t)((double)rule.most_rounds / more_rounds(s));
    const heft_status st = heft_boost_fit(ctx, &learn, &s->keys, &rule, &watch, &arena, &boosted);
    t->rounds = watch.best;
    t->loss = watch.loss;
    if (watch.late) atomic_store(&job->late, true);
    heft_boosted_clear(&boosted);
    heft_arena_clear(&arena);
    if (st == HEFT_OK && atomic_fetch_sub(&job->left, 1) == 1) {
        double sum = 0;
        for (size_t k = 0; k < s->n_folds; k++) sum += (double)s->fold[k].rounds;
        const double rounds = round(more_rounds(s) * sum / (double)s->n_folds);
        atomic_store(&job->rounds, rounds < 1 ? 1 : (size_t)rounds);
    }
    return st;
}

/* C from all rows. With another thread it begins before the number of rounds is known, and what is
 * too much is dropped. */
static heft_status boost_all(heft_ctx *ctx, folds *job, size_t k)
{
    state           *s = job->s;
    heft_boost_rule  rule = s->boost_rule;
    heft_boost_watch watch = {.rounds = &job->rounds,
                              .until = boost_until(job, s->n_folds + k),
                              .steps = job->steps,
                              .n_steps = s->sample.n * BOOST_PASSES};
    rule.draw = heft_mix(rule.draw + k);
    rule.shift = s->n_boosted > 1;
    const heft_status st = heft_boost_fit(ctx, &s->sample, &s->keys, &rule, &watch,
                                          &s->boost_arena[k], &s->boosted[k]);
    job->late_all[k] = watch.late;
    return st;
}

/* Tasks: C of each fold, A of each fold, C from all rows. */
static heft_status one_task(heft_ctx *ctx, void *arg, size_t k)
{
    folds       *job = arg;
    state       *s = job->s;
    const size_t boosts = s->in[BOOSTED] ? s->n_folds : 0;
    const size_t learns = s->in[LEARNED] && !job->learned ? s->n_folds : 0;
    if (k < boosts) return boost_fold(ctx, job, &s->fold[k]);
    if (k < boosts + learns) return learn_fold(ctx, job, &s->fold[k - boosts]);
    return boost_all(ctx, job, k - boosts - learns);
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
    state       *s = job->s;
    const double began = heft_clock(), left = fmax(s->task->until - began, 0);
    job->threads = ctx->threads > 1 && heft_all_here(ctx) ? (size_t)ctx->threads : 1;
    if (s->task->until == 0 || !s->in[BOOSTED]) return HEFT_OK;
    if (s->in[LEARNED]) {
        job->until = began + LEARNING * left;
        HEFT_CHECK(heft_run(ctx, s->n_folds, one_learning, job));
        job->learned = true;
        s->left_out = atomic_exchange(&job->late, false);
        s->in[LEARNED] = !s->left_out;
    }
    const double again = s->in[LEARNED] ? (heft_clock() - began) / (double)s->n_folds : 0;
    job->until = s->task->until - POOLING * left - again;
    return HEFT_OK;
}

/* The trees of C from all rows that the folds found to be enough, or those that there was time for.
 */
static void keep_rounds(state *s, folds *job)
{
    const size_t wanted = atomic_load(&job->rounds);
    s->late = atomic_load(&job->late);
    for (size_t k = 0; k < s->n_boosted; k++) {
        heft_boosted_keep(&s->boosted[k], wanted);
        const size_t n = s->boosted[k].trees.n_trees;
        s->late = s->late || (job->late_all[k] && n < wanted);
        s->n_rounds = n > s->n_rounds ? n : s->n_rounds;
    }
}

/* h of the members that take part; the members are pulled towards equal weights. */
static heft_status mix(heft_ctx *ctx, const state *s, const heft_mixing *rows,
                       const double *const *score, double *h, double *loss)
{
    const double *members[N_MEMBERS];
    double        centre[N_MEMBERS], pull[N_MEMBERS], part[N_MEMBERS];
    size_t        n = 0;
    heft_minimum  how;
    for (size_t k = 0; k < N_MEMBERS; k++)
        if (s->in[k]) members[n++] = score[k];
    for (size_t k = 0; k < n; k++) {
        centre[k] = 1.0 / (double)n;
        pull[k] = s->in[BOOSTED] ? MIX_PULL_3 : MIX_PULL;
    }
    heft_mixing mixing = *rows;
    mixing.n_members = n;
    mixing.member = members;
    mixing.centre = centre;
    mixing.strength = pull;
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, part, NULL, loss, &how));
    for (size_t k = N_MEMBERS; k-- > 0;) h[k] = s->in[k] ? part[--n] : 0;
    return HEFT_OK;
}

/* h for each t, from the scores of the held-out rows; the t of least loss is taken. */
static heft_status choose_scale(heft_ctx *ctx, state *s, const folds *job)
{
    const double     *score[N_MEMBERS];
    const heft_mixing mixing = {.n = s->held.n,
                                .n_class = s->all.n_class,
                                .y = s->held.y,
                                .weight = s->held.weight,
                                .place = s->held.place,
                                .max_iter = MIX_ITER};
    s->held_loss = INFINITY;
    score[COUNTED] = s->counted.held;
    score[BOOSTED] = job->boosted;
    for (size_t l = 0; l < (s->in[LEARNED] ? N_SCALES : 1); l++) {
        double h[N_MEMBERS], loss;
        score[LEARNED] = job->score[l];
        HEFT_CHECK(mix(ctx, s, &mixing, score, h, &loss));
        if (!(loss < s->held_loss)) continue;
        s->held_loss = loss;
        s->t = SCALES[l];
        memcpy(s->h, h, sizeof h);
    }
    /* a member that hardly counts is left out, the least first */
    for (;;) {
        size_t least = LEARNED;
        for (size_t k = 0; k < BOOSTED; k++)
            if (s->in[k] && (!s->in[least] || s->h[k] < s->h[least])) least = k;
        if (!s->in[BOOSTED] || !s->in[least] || s->h[least] >= LEAST_WEIGHT) return HEFT_OK;
        s->in[least] = false;
        HEFT_CHECK(mix(ctx, s, &mixing, score, s->h, &s->held_loss));
    }
}

/* Below SEVERAL_ROWS, and at full effort, three boosted members are averaged. */
static size_t n_boosted(const state *s)
{
    return s->of.total < SEVERAL_ROWS || s->effort == EFFORT_FULL ? MOST_BOOSTED : 1;
}

static size_t n_leaves(const state *s)
{
    return s->of.total < SEVERAL_ROWS ? FEW_LEAVES : MANY_LEAVES;
}

/* The most rounds of each: their leaves have at most LEAF_NUMBERS numbers. */
static size_t most_rounds(const state *s)
{
    const size_t fit = LEAF_NUMBERS / (n_leaves(s) * s->all.n_class * n_boosted(s));
    const size_t plan = SCHEDULES[s->effort].most_rounds;
    return fit < plan ? fit : plan;
}

/* Boosting takes part where its leaves and scores stay small. */
static bool boosts(const state *s)
{
    return most_rounds(s) >= LEAST_ROUNDS && s->n_drawn <= BOOST_SCORES / s->all.n_class;
}

/* A takes no part in large tables where C does. */
static bool learns(const state *s)
{
    return s->effort != EFFORT_COUNT && !(boosts(s) && s->of.total > MOST_LEARNED);
}

/* u = clip(ceil(1000 / (n/5)), 1, 5) folds, each held out once; none below ten rows. */
static heft_status make_folds(heft_ctx *ctx, state *s)
{
    held_rows *held = &s->held;
    double     n = 0;
    for (size_t i = 0; i < s->list.n; i++) n += s->all.weight ? s->all.weight[s->list.row[i]] : 1;
    HEFT_CHECK(heft_all_sum(ctx, &n, 1));
    if (n < LEAST_ROWS) return HEFT_OK;
    const double wanted = ceil((boosts(s) ? HELD_TARGET : LEAST_TARGET) / (n / HEFT_KFOLD));
    s->n_folds = wanted > HEFT_KFOLD ? HEFT_KFOLD : wanted < 1 ? 1 : (size_t)wanted;
    HEFT_ALLOC(ctx, s->arena, s->fold, s->n_folds);
    for (size_t k = 0; k < s->n_folds; k++) {
        fold *t = &s->fold[k];
        HEFT_CHECK(heft_kfold_split(ctx, &s->all, &s->list, k, s->arena, &t->held, &t->others));
        t->first = held->n;
        held->n += t->held.n;
    }
    HEFT_ALLOCS(ctx, s->arena, held->n, held->row, held->place, held->y);
    if (s->all.weight) HEFT_ALLOC(ctx, s->arena, held->weight, held->n);
    for (const fold *t = s->fold; t < s->fold + s->n_folds; t++) {
        const size_t bytes = t->held.n;
        memcpy(held->row + t->first, t->held.row, bytes * sizeof *held->row);
        memcpy(held->y + t->first, t->held.y, bytes * sizeof *held->y);
        for (size_t i = 0; i < t->held.n; i++)
            held->place[t->first + i] = t->held.place[i] / HEFT_KFOLD;
        if (held->weight)
            memcpy(held->weight + t->first, t->held.weight, bytes * sizeof *held->weight);
    }
    return HEFT_OK;
}

/* Which members take part, and the rules of C. */
static heft_status choose_members(heft_ctx *ctx, state *s, const schedule *plan)
{
    const bool few = s->of.total < SEVERAL_ROWS;
    s->in[COUNTED] = true;
    s->in[BOOSTED] = s->n_folds && boosts(s);
    s->in[LEARNED] = learns(s);
    if (!s->in[LEARNED]) s->h[COUNTED] = 1;
    if (!s->in[BOOSTED]) return HEFT_OK;
    s->n_boosted = n_boosted(s);
    s->boost_rule = (heft_boost_rule){.rate = plan->rate,
                                      .most_rounds = most_rounds(s),
                                      .patience = plan->patience,
                                      .order = s->order_bound,
                                      .most_leaves = n_leaves(s),
                                      .rows = few ? FEW_DRAWN : 1,
                                      .most_attrs = s->rule.most,
                                      .draw = heft_mix(ctx->seed)};
    return HEFT_OK;
}

/* The work of A and C in passes over a row. */
static void set_steps(state *s, const schedule *plan)
{
    for (size_t k = 0; k < s->n_folds; k++) {
        const size_t n = s->fold[k].others.n;
        if (s->in[LEARNED]) s->steps.all += n * (size_t)plan->iterations * N_SCALES;
        if (s->in[BOOSTED]) s->steps.all += n * BOOST_PASSES;
    }
    if (s->in[LEARNED]) s->steps.all += s->n_drawn * (size_t)plan->last_iterations;
    s->steps.all += s->n_boosted * s->sample.n * BOOST_PASSES;
}

/* A and C of the folds, C from all rows, and how much of each member is used. */
static heft_status choose_mix(heft_ctx *ctx, state *s, const schedule *plan)
{
    folds        job = {.s = s, .steps = &s->steps, .plan = plan};
    const size_t K = s->all.n_class;
    s->h[LEARNED] = s->h[COUNTED] = 0.5;
    s->t = 1;
    HEFT_CHECK(choose_members(ctx, s, plan));
    set_steps(s, plan);
    if (s->n_folds == 0) return HEFT_OK;
    for (size_t l = 0; l < N_SCALES && s->in[LEARNED]; l++)
        HEFT_ALLOC(ctx, s->arena, job.score[l], s->held.n * K);
    if (s->in[BOOSTED]) HEFT_ALLOC(ctx, s->arena, job.boosted, s->held.n * K);
    atomic_init(&job.left, s->n_folds);
    atomic_init(&job.rounds, SIZE_MAX);
    atomic_init(&job.late, false);
    HEFT_CHECK(share_time(ctx, &job));
    const size_t kinds = (size_t)(s->in[LEARNED] && !job.learned) + s->in[BOOSTED];
    HEFT_CHECK(heft_all_run(ctx, s->n_folds * kinds + s->n_boosted, one_task, &job));
    keep_rounds(s, &job);
    for (size_t k = 0; k < s->n_folds && s->in[LEARNED]; k++)
        for (size_t l = 0; l < N_SCALES; l++)
            s->passes += (double)s->fold[k].how[l].evaluations * (double)s->fold[k].others.n /
                         (double)s->n_drawn;
    return choose_scale(ctx, s, &job);
}

/* ---- the end of a fit ---- */

/* Priors for inspect. Priors given by the user replace the class frequencies. Weights of classes
 * multiply these. Rows that had such weights would be learned by heart: what is left out for
 * calibration would leave most of their weight behind. */
static heft_status set_prior(heft_ctx *ctx, state *s, heft_fitted *out)
{
    const heft_task *task = s->task;
    heft_counts      counts = {
             .n_class = task->rows->n_class, .total = s->of.total, .class_sum = s->of.class_sum};
    if (task->class_weight) {
        HEFT_ALLOC(ctx, &ctx->scratch, counts.class_sum, counts.n_class);
        counts.total = 0;
        for (size_t c = 0; c < counts.n_class; c++)
            counts.total += counts.class_sum[c] = s->of.class_sum[c] * task->class_weight[c];
    }
    HEFT_CHECK(heft_log_prior(ctx, &counts, true, &task->smoothing, &task->prior, task->arena,
                              &out->log_prior));
    const bool given =
        task->prior.kind == HEFT_PRIOR_UNIFORM || task->prior.kind == HEFT_PRIOR_GIVEN;
    for (size_t k = 0; k < s->all.n_class; k++) {
        const size_t c = s->of.present[k];
        if (given && isfinite(out->log_prior[c]))
            s->pooled->bias[k] += out->log_prior[c] - log(s->of.class_sum[c] / s->of.total);
        else if (!given && task->class_weight) s->pooled->bias[k] += log(task->class_weight[c]);
    }
    return HEFT_OK;
}

static heft_status note_counted(heft_ctx *ctx, const state *s, heft_fitted *out)
{
    const heft_counted *b = &s->counted;
    static const char  *names[] = {"mdl", "5", "10", "20"};
    char                line[256], *kept;
    size_t              used = 0;
    for (size_t k = 0; k < b->n_members; k++) {
        char number[32];
        heft_format_double(number, round(b->member[k].beta * 1e4) / 1e4);
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s at %s%s", k ? ", " : "",
                                 number, names[b->member[k].res],
                                 b->n_members == 1 && b->member[k].multiplicity > 1
                                     ? " (the same at all resolutions)"
                                     : "");
    }
    HEFT_CHECK(heft_arena_copy(ctx, out->arena, line, &kept));
    heft_fact_text(out, "beta", kept);
    heft_fact_number(out, "superparents", (double)b->member[0].dep.n_super);
    heft_fact_number(out, "leave-one-out loss", b->loss);
    return HEFT_OK;
}

static void note_learned(const state *s, heft_fitted *out)
{
    const heft_logit_rows *rows = &s->learned.logit.rows;
    heft_fact_number(out, "h_A (learned)", s->h[LEARNED]);
    heft_fact_number(out, "h_B (counted)", s->h[COUNTED]);
    if (s->in[BOOSTED]) {
        heft_fact_number(out, "h_C (boosted)", s->h[BOOSTED]);
        heft_fact_number(out, "trees", (double)s->pooled->trees.n_trees);
    }
    if (!s->in[BOOSTED] && s->n_folds)
        heft_fact_text(out, "boosted evidence", "left out: too many classes");
    if (s->in[LEARNED]) heft_fact_number(out, "t", s->t);
    heft_fact_number(out, "held-out folds", (double)s->n_folds);
    if (s->n_folds) heft_fact_number(out, "held-out loss", s->held_loss);
    if (!s->in[LEARNED]) return;
    heft_fact_number(out, "features", (double)(rows->n_features + rows->n_reals));
    heft_fact_number(out, "pairs", (double)s->learned.n_pairs);
    heft_fact_number(out, "passes", s->passes);
}

/* Whether the time limit changed the model. */
static heft_status note_time(heft_ctx *ctx, const state *s, heft_fitted *out)
{
    char text[160], rounds[80] = "";
    if (!s->late && !s->left_out) return HEFT_OK;
    if (s->late)
        snprintf(rounds, sizeof rounds, "stopped boosting after %zu of at most %zu rounds",
                 s->n_rounds, s->boost_rule.most_rounds);
    snprintf(text, sizeof text, "%s%s%s: the time limit of %g second%s", rounds,
             s->late && s->left_out ? " and " : "",
             s->left_out ? "left out the learned evidence" : "", s->task->time_limit,
             s->task->time_limit == 1 ? "" : "s");
    heft_say(ctx, HEFT_WARNING, "%s; the result depends on the speed of this machine", text);
    return heft_fact_copy(ctx, out, "cut short", text);
}

/* ---- fit ---- */

/* Rows times classes: the scores, and memory, that learning takes. */
static bool many_rows(const state *s)
{
    return s->of.n_all > MANY_ROWS || s->of.n_all * s->all.n_class > MANY_SCORES;
}

static size_t rows_drawn(const state *s)
{
    const size_t K = s->all.n_class;
    const size_t most = K > MANY_SCORES / 2 / DRAWN_ROWS ? MANY_SCORES / 2 / K : DRAWN_ROWS;
    return many_rows(s) && most < s->of.n_all ? most : s->of.n_all;
}

/* The tables of evidence are not to be too large for the table of the rows. */
static heft_status check_lines(heft_ctx *ctx, const state *s)
{
    double lines = 0, fewest = INFINITY; /* one attribute at least is paired with all others */
    for (size_t j = 0; j < s->coding.n_attr; j++)
        fewest = fmin(fewest, s->coding.attr[j].n_codes[HEFT_AT_5]);
    for (size_t j = 0; j < s->coding.n_attr; j++) {
        const uint32_t *codes = s->coding.attr[j].n_codes;
        for (unsigned r = 0; r < HEFT_N_RES; r++) lines += codes[r];
        /* a large table has lines for the cells seen alone */
        lines += fmin(fewest * codes[HEFT_AT_5], fmax((double)s->of.n_all, DENSE_LINES));
    }
    return heft_check_tables(ctx, s->all.rows, lines * (double)s->all.n_class,
                             "tables of evidence");
}

/* The rows that B is calibrated on: those of the folds; without folds those drawn, or all. */
static heft_status rows_to_calibrate(heft_ctx *ctx, const state *s, heft_counted_held *out)
{
    size_t *place = NULL;
    if (s->n_folds) {
        *out = (heft_counted_held){s->held.n, s->held.row, s->held.weight, s->held.place};
        return HEFT_OK;
    }
    *out = (heft_counted_held){s->list.n, s->list.row, NULL, s->list.place};
    if (many_rows(s)) return HEFT_OK;
    if (!heft_all_here(ctx)) HEFT_ALLOC(ctx, s->arena, place, s->all.n);
    HEFT_ROWS (i, place ? s->all.n : 0) place[i] = s->of.n_before + i;
    *out = (heft_counted_held){s->all.n, NULL, NULL, place};
    return HEFT_OK;
}

/* B. It is calibrated on the rows of the folds. Above MANY_ROWS these are every k-th row in the
 * order of the folds, so that classes keep their shares. */
static heft_status fit_counted(heft_ctx *ctx, state *s)
{
    const bool        learn = s->effort != EFFORT_COUNT;
    const unsigned    few = 1u << HEFT_AT_5 | 1u << HEFT_AT_10;
    const unsigned    at = s->of.total < FEW_ROWS ? few : few | 1u << HEFT_AT_20;
    heft_counted_held held;
    s->n_drawn = rows_drawn(s);
    HEFT_CHECK(heft_coding_learn(ctx, &s->all, s->task->prep->spec.unseen_zero, learns(s), s->arena,
                                 &s->coding));
    HEFT_CHECK(check_lines(ctx, s));
    HEFT_CHECK(heft_coded_fill(ctx, &s->coding, &s->all, at, false, &s->coded));
    if (many_rows(s) || learn)
        HEFT_CHECK(heft_kfold_order(ctx, &s->all, s->n_drawn, s->arena, &s->list));
    if (learn) HEFT_CHECK(make_folds(ctx, s));
    HEFT_CHECK(rows_to_calibrate(ctx, s, &held));
    return heft_counted_fit(ctx, &s->all, &s->coded, at, &held, s->arena, &s->counted);
}

/* The rows that A and C learn from: all, or those drawn, in an order that their content sets, so
 * that sums do not depend on the order of the rows. */
static heft_status set_sample(heft_ctx *ctx, state *s)
{
    heft_fold_part none, *part;
    HEFT_ALLOC(ctx, s->arena, part, 1);
    HEFT_CHECK(heft_kfold_split(ctx, &s->all, &s->list, HEFT_KFOLD, s->arena, &none, part));
    s->sample = sample_of(s, part);
    return learns(s) ? merged_sample(ctx, s, part, s->arena, &s->merged) : HEFT_OK;
}

/* The mix, C, and A from all rows, or from those drawn, by the cuts of all. */
static heft_status fit_learned(heft_ctx *ctx, state *s)
{
    const schedule *plan = &SCHEDULES[s->effort];
    s->rule = (heft_learned_rule){.pair_res = s->of.total < FEW_ROWS ? HEFT_AT_5 : HEFT_AT_10,
                                  .among = PAIRS_AMONG,
                                  .keep = plan->pairs,
                                  .most = LEAST_ATTRS + (size_t)(s->of.total / 2)};
    HEFT_CHECK(heft_boost_keys_of(ctx, &s->all, s->arena, &s->keys));
    HEFT_CHECK(set_sample(ctx, s));
    HEFT_CHECK(choose_mix(ctx, s, plan));
    if (!s->in[LEARNED]) return HEFT_OK;
    HEFT_CHECK(
        heft_coded_fill(ctx, &s->coding, &s->merged, 1u << s->rule.pair_res, true, &s->own_coded));
    HEFT_CHECK(heft_learned_open(ctx, &s->merged, &s->coding, &s->own_coded, &s->rule, s->arena,
                                 &s->learned));
    s->learned.logit.steps = &s->steps;
    HEFT_CHECK(
        heft_logit_fit(ctx, &s->learned.logit, s->t, plan->last_iterations, s->learned.w, &s->how));
    s->passes += (double)s->how.evaluations;
    return HEFT_OK;
}

/* One table per attribute, and one per pair and resolution. With one class, or no attribute: the
 * class frequencies. */
static heft_status pool(heft_ctx *ctx, state *s, bool learn)
{
    heft_arena  *arena = s->task->arena;
    const size_t capacity = heft_counted_pairs(&s->counted) + s->learned.n_pairs;
    const bool   boosted = s->in[BOOSTED] && s->h[BOOSTED] > 0;
    HEFT_ALLOC(ctx, arena, s->pooled, 1);
    if (boosted) HEFT_CHECK(heft_trees_refine(ctx, s->boosted, s->n_boosted, &s->coding, s->arena));
    HEFT_CHECK(heft_pooled_init(ctx, &s->coding, s->of.present, s->all.n_class,
                                s->task->rows->n_class, capacity, arena, s->pooled));
    for (size_t k = 0; k < s->all.n_class && s->counted.n_members == 0; k++)
        s->pooled->bias[k] = log(s->of.class_sum[s->of.present[k]] / s->of.total);
    if (s->counted.n_members == 0) return HEFT_OK;
    if (!learn || s->in[COUNTED])
        HEFT_CHECK(heft_counted_pool(ctx, &s->counted, &s->coding, learn ? s->h[COUNTED] : 1, arena,
                                     s->pooled));
    if (s->in[LEARNED] && s->h[LEARNED] > 0)
        HEFT_CHECK(
            heft_learned_pool(ctx, &s->learned, &s->coding, s->h[LEARNED], arena, s->pooled));
    if (boosted)
        HEFT_CHECK(heft_pooled_trees_add(ctx, s->pooled, &s->all, s->boosted, s->n_boosted,
                                         s->h[BOOSTED], arena));
    return HEFT_OK;
}

static heft_status fit_evidence(heft_ctx *ctx, state *s, heft_fitted *out)
{
    const heft_rows *rows = &s->of.rows;
    const bool       learn = s->effort != EFFORT_COUNT;
    double          *size;
    HEFT_CHECK(heft_used_rows_of(ctx, s->task, MOST_LEARNED, s->arena, &s->of));
    s->all = (heft_sample){.rows = rows,
                           .n = rows->n_rows,
                           .weight = rows->weight,
                           .y = s->of.y,
                           .n_class = s->of.n_class};
    if (s->all.n_class < 2 || rows->n_attr == 0) {
        HEFT_CHECK(heft_coding_learn(ctx, &s->all, s->task->prep->spec.unseen_zero, false, s->arena,
                                     &s->coding));
    } else {
        HEFT_CHECK(fit_counted(ctx, s));
        if (learn) HEFT_CHECK(fit_learned(ctx, s));
    }
    HEFT_CHECK(pool(ctx, s, learn));
    HEFT_CHECK(set_prior(ctx, s, out));
    heft_pooled_centre(s->pooled);
    if (s->counted.n_members) {
        const heft_minimum *how = s->in[LEARNED] ? &s->how : &s->counted.how;
        if (learn) note_learned(s, out);
        HEFT_CHECK(note_time(ctx, s, out));
        HEFT_CHECK(note_counted(ctx, s, out));
        heft_record_minimum(how, &out->training);
        if (!how->converged)
            out->training.stopped_by = "the method runs a fixed number of iterations";
    }
    /* the weight of an attribute, for inspect: the mean size of its evidence */
    out->weights = (heft_weights){.shape = HEFT_W_ATTR, .folded = true, .w0 = 1};
    HEFT_ALLOC(ctx, out->arena, out->weights.w, out->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, size, rows->n_attr);
    HEFT_CHECK(heft_pooled_sizes(ctx, s->pooled, rows, size));
    for (size_t k = 0; k < rows->n_attr; k++) out->weights.w[s->of.used[k]] = size[k];
    return heft_pooled_widen(ctx, s->pooled, s->of.used, s->task->rows,
                             s->task->prep->spec.unseen_zero, out->arena);
}

static heft_status fit_auto(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_status st = HEFT_OK;
    heft_arena  work = {0};
    state       s = {.task = task,
                     .arena = &work,
                     .effort = heft_param(task, "effort")->word,
                     .order_bound = (unsigned)heft_param(task, "order")->word + 1,
                     .steps.what = "learning"};
    if (!task->smoothing.laplace)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "method auto has its own smoothing (leave out --smoothing, or use another "
                         "method, such as -m nb)");
    out->n_attr = task->rows->n_attr;
    out->n_class = task->rows->n_class;
    out->arena = task->arena;
    HEFT_TRY(fit_evidence(ctx, &s, out));
    out->training.rows = s.of.total;
    out->own = s.pooled;
done:
    for (size_t k = 0; k < MOST_BOOSTED; k++) {
        heft_boosted_clear(&s.boosted[k]);
        heft_arena_clear(&s.boost_arena[k]);
    }
    heft_learned_clear(&s.learned);
    heft_coded_clear(&s.own_coded);
    heft_coded_clear(&s.coded);
    heft_arena_clear(&work);
    return st;
}

/* Without A, whatever the rounding of the sum of the weights. */
static bool spreads_auto(const heft_value *values, const heft_extent *of)
{
    state s = {.effort = values[0].word, /* the first option */
               .of = {.total = of->weight / (1 + 1e-6), .n_all = of->n_rows},
               .all = {.n_class = of->n_class}};
    s.n_drawn = rows_drawn(&s);
    return s.of.total > MOST_LEARNED && !learns(&s);
}

/* ---- use ---- */

/* A class whose given prior is 0 is left out. */
static void leave_out(const heft_fitted *fitted, size_t n, double *score)
{
    for (size_t c = 0; c < fitted->n_class; c++)
        if (fitted->log_prior && !isfinite(fitted->log_prior[c]))
            for (size_t i = 0; i < n; i++) score[i * fitted->n_class + c] = -INFINITY;
}

static heft_status score_auto(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint)
{
    HEFT_CHECK(heft_pooled_score(ctx, fitted->own, rows, log_joint));
    leave_out(fitted, rows->n_rows, log_joint);
    return HEFT_OK;
}

static heft_status terms_auto(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *out)
{
    HEFT_CHECK(heft_pooled_terms(ctx, fitted->own, out));
    leave_out(fitted, 1, out->start);
    out->size = fitted->weights.w;
    return HEFT_OK;
}

const heft_method heft_method_auto = {
    .name = "auto",
    .title = "pooled evidence of attribute values, pairs and triples: counted, learned and boosted",
    .source = "heft's own; docs/auto.md",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_TAKES_ONE_CLASS |
            HEFT_SHIFTS_CLASSES | HEFT_STOPS | HEFT_SHARDS,
    .prepare = {.smoothing = "laplace", .prior = "smoothed"},
    .options = options,
    .fit = fit_auto,
    .spreads = spreads_auto,
    .score = score_auto,
    .state = &heft_pooled_state,
    .terms = terms_auto,
};
