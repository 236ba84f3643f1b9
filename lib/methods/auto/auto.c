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
 * n is the number of distinct rows; weights have a mean of 1. Above a million rows, or 20 million
 * scores (rows times classes), the counts are taken from all rows, and the trees of C are grown on
 * one part of the rows after the other (boost/windows.h), without a small one that is held out:
 * they are the model's. Where there are no trees, B is calibrated and A is learned on 200,000 rows
 * or 10 million scores, drawn class by class.
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
#include "methods/auto/auto_fit.h"

static const heft_option options[] = {
    HEFT_OPT_WORDS("effort", "lean", "count|lean|full",
                   "count: counted evidence only; lean, full: learned and boosted evidence too, "
                   "with fewer or more passes and trees"),
    HEFT_OPT_WORDS(
        "order", "auto", "auto|1|2|3|any",
        "most attributes that the path of a tree may test; any: no bound; auto: 3, or no "
        "bound where held-out rows show that it is better"),
    HEFT_OPT_END,
};

enum {
    DENSE_LINES = 4096, /* the table of a pair with at most so many cells has a line for each */
    PAIRS_AMONG = 60,   /* pairs are chosen among so many attributes, the most informative ones */
    LEAST_ATTRS = 500   /* at least so many attributes are learned from */
};

/* ---- the end of a fit ---- */

/* Sets the priors that inspect shows. Priors given by the user replace the class frequencies, and
 * class weights multiply these. Class weights are not applied to rows: the leave-one-out scores
 * would be too optimistic, because leaving out a weight of 1 leaves most of a heavy row behind. */
static heft_status set_prior(heft_ctx *ctx, heft_auto *s, heft_fitted *out)
{
    const heft_task      *task = s->task;
    const heft_used_rows *used = &s->rows.used;
    heft_counts           counts = {
                  .n_class = task->rows->n_class, .total = used->total, .class_sum = used->class_sum};
    if (task->class_weight) {
        HEFT_ALLOC(ctx, &ctx->scratch, counts.class_sum, counts.n_class);
        counts.total = 0;
        for (size_t c = 0; c < counts.n_class; c++)
            counts.total += counts.class_sum[c] = used->class_sum[c] * task->class_weight[c];
    }
    HEFT_CHECK(heft_log_prior(ctx, &counts, true, &task->smoothing, &task->prior, task->arena,
                              &out->log_prior));
    const bool given =
        task->prior.kind == HEFT_PRIOR_UNIFORM || task->prior.kind == HEFT_PRIOR_GIVEN;
    for (size_t k = 0; k < s->rows.all.n_class; k++) {
        const size_t c = used->present[k];
        if (given && isfinite(out->log_prior[c]))
            s->pooled->bias[k] += out->log_prior[c] - log(used->class_sum[c] / used->total);
        else if (!given && task->class_weight) s->pooled->bias[k] += log(task->class_weight[c]);
    }
    return HEFT_OK;
}

static heft_status note_counted(heft_ctx *ctx, const heft_auto *s, heft_fitted *out)
{
    const heft_counted *b = &s->fitted.counted;
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
    heft_fact_text(out, "weights by number of intervals", kept);
    heft_fact_number(out, "superparents", (double)b->member[0].dep.n_super);
    heft_fact_number(out, "leave-one-out loss", b->loss);
    return HEFT_OK;
}

static void note_learned(const heft_auto *s, heft_fitted *out)
{
    const heft_auto_fitted *f = &s->fitted;
    const heft_logit_rows  *rows = &f->learned.logit.rows;
    const bool              learned = f->takes_part[HEFT_LEARNED];
    const bool              boosted = f->takes_part[HEFT_BOOSTED];
    heft_fact_number(out, "weight of learned evidence", f->weight[HEFT_LEARNED]);
    heft_fact_number(out, "weight of counted evidence", f->weight[HEFT_COUNTED]);
    if (boosted) {
        heft_fact_number(out, "weight of boosted evidence", f->weight[HEFT_BOOSTED]);
        heft_fact_number(out, "trees", (double)s->pooled->trees.n_trees);
        if (s->plan.boost.order > HEFT_JOINT_ATTRS)
            heft_fact_text(out, "attributes on a path of a tree", "any number");
        else heft_fact_number(out, "attributes on a path of a tree", s->plan.boost.order);
    } else if (s->rows.n_folds) {
        heft_fact_text(out, "boosted evidence", "left out: too many classes");
    }
    if (learned) heft_fact_number(out, "penalty scale", f->penalty_scale);
    heft_fact_number(out, "held-out folds", (double)s->rows.n_folds);
    if (s->rows.n_folds) heft_fact_number(out, "held-out loss", f->held_loss);
    if (!learned) return;
    heft_fact_number(out, "features of learned evidence",
                     (double)(rows->n_features + rows->n_reals));
    heft_fact_number(out, "pairs of learned evidence", (double)f->learned.n_pairs);
    heft_fact_number(out, "passes over the rows", f->passes);
}

/* Warns if the time limit changed the model. */
static heft_status note_time(heft_ctx *ctx, const heft_auto *s, heft_fitted *out)
{
    char       text[200], rounds[80] = "";
    const bool late = s->fitted.late, counts = s->fitted.counts;
    const bool left_out = s->fitted.left_out || !counts; /* never both */
    if (!late && !left_out) return HEFT_OK;
    if (late)
        snprintf(rounds, sizeof rounds, "stopped boosting after %zu of at most %zu rounds",
                 s->fitted.n_rounds, s->plan.boost.most_rounds);
    snprintf(text, sizeof text, "%s%s%s: the time limit of %g second%s", rounds,
             late && left_out ? " and " : "",
             !left_out ? ""
             : counts  ? "left out the learned evidence"
                       : "left out the counted evidence",
             s->task->time_limit, s->task->time_limit == 1 ? "" : "s");
    heft_say(ctx, HEFT_WARNING, "%s; the result depends on the speed of this machine", text);
    return heft_fact_copy(ctx, out, "cut short", text);
}

/* ---- fit ---- */

/* The sum of the weights as they were given, over the rows of all processes. */
static heft_status sum_weights(heft_ctx *ctx, const heft_rows *rows, double *out)
{
    heft_dd sum = {0};
    HEFT_ROWS (i, rows->n_rows)
        sum = heft_dd_add(sum, (heft_dd){rows->weight ? rows->weight[i] : 1, 0});
    HEFT_CHECK(heft_all_sum_exact(ctx, &sum, 1, NULL, 0));
    *out = sum.high;
    return HEFT_OK;
}

/* Refuses tables of evidence that are too large for the table of the rows. */
static heft_status check_lines(heft_ctx *ctx, const heft_auto *s)
{
    double lines = 0, fewest = INFINITY; /* one attribute at least is paired with all others */
    for (size_t j = 0; j < s->fitted.coding.n_attr; j++)
        fewest = fmin(fewest, s->fitted.coding.attr[j].n_codes[HEFT_AT_5]);
    for (size_t j = 0; j < s->fitted.coding.n_attr; j++) {
        const uint32_t *codes = s->fitted.coding.attr[j].n_codes;
        for (unsigned r = 0; r < HEFT_N_RES; r++) lines += codes[r];
        /* a large table has lines for the cells seen alone */
        lines += fmin(fewest * codes[HEFT_AT_5], fmax((double)s->rows.used.n_all, DENSE_LINES));
    }
    return heft_check_tables(ctx, s->rows.all.rows, lines * (double)s->rows.all.n_class,
                             "tables of evidence");
}

/* Fits the counted member. It is calibrated on the held-out rows of the folds. In very large tables
 * these are every k-th row in the order of the folds, so that classes keep their frequencies. */
static heft_status fit_counted(heft_ctx *ctx, heft_auto *s)
{
    const heft_counted_held held =
        s->rows.n_folds
            ? (heft_counted_held){s->rows.held.n,     s->rows.held.row, s->rows.held.alike,
                                  s->rows.held.place, s->rows.looked.n, s->rows.looked.at}
            : (heft_counted_held){s->rows.order.n,     s->rows.order.row, s->rows.order.alike,
                                  s->rows.order.place, s->rows.looked.n,  s->rows.looked.at};
    const heft_sample cut = s->plan.rows.many ? s->rows.cut : s->rows.all;
    HEFT_CHECK(heft_coding_learn(ctx, &cut, &s->rows.used.keys, s->task->prep->spec.unseen_zero,
                                 s->plan.learns, s->arena, &s->fitted.coding));
    HEFT_CHECK(check_lines(ctx, s));
    HEFT_CHECK(heft_time_to_count(ctx, s, &s->fitted.counts));
    if (!s->fitted.counts) return HEFT_OK;
    HEFT_CHECK(heft_coded_fill(ctx, &s->fitted.coding, &s->rows.all, s->plan.counts_at, false,
                               &s->fitted.coded));
    HEFT_CHECK(heft_counted_fit(ctx, &s->rows.all, &s->fitted.coded, s->plan.counts_at, &held,
                                s->arena, &s->fitted.counted));
    heft_coded_clear(&s->fitted.coded);
    return HEFT_OK;
}

/* Fits the boosted member and decides on the weights of all; fits the learned member from all rows
 * or from those drawn, with the cuts of all. */
static heft_status fit_learned(heft_ctx *ctx, heft_auto *s)
{
    s->rule = (heft_learned_rule){.pair_res = s->plan.pairs_at,
                                  .among = PAIRS_AMONG,
                                  .keep = s->plan.n_pairs,
                                  .most = LEAST_ATTRS + (size_t)(s->rows.n_distinct / 2)};
    if (!s->plan.learns && s->plan.boost.rows == 1) heft_arena_clear(&s->rows.key_memory);
    HEFT_CHECK(heft_auto_members(ctx, s));
    if (!s->fitted.takes_part[HEFT_LEARNED]) return HEFT_OK;
    HEFT_CHECK(heft_coded_fill(ctx, &s->fitted.coding, &s->rows.merged, 1u << s->rule.pair_res,
                               true, &s->fitted.learned_codes));
    HEFT_CHECK(heft_learned_open(ctx, &s->rows.merged, &s->fitted.coding, &s->fitted.learned_codes,
                                 &s->rule, s->arena, &s->fitted.learned));
    s->fitted.learned.logit.steps = &s->steps;
    HEFT_CHECK(heft_logit_fit(ctx, &s->fitted.learned.logit, s->fitted.penalty_scale,
                              s->plan.last_iterations, s->fitted.learned.w, &s->fitted.minimum));
    s->fitted.passes += (double)s->fitted.minimum.evaluations;
    return HEFT_OK;
}

/* Whether attributes that take each other's place have the same codes, as their cells make them,
 * and the trees of all turns are not too many. */
static bool turns_fit(const heft_auto *s)
{
    const heft_coding *coding = &s->fitted.coding;
    const heft_turns  *turns = &s->rows.used.turns;
    size_t             n_leaves = 0;
    for (size_t k = s->fitted.first_set; k < s->rows.n_folds + s->plan.n_sets; k++)
        n_leaves += s->fitted.boosted[k].trees.n_leaves;
    if (turns->n > 1 && n_leaves > HEFT_LEAF_NUMBERS / s->rows.all.n_class / turns->n) return false;
    for (size_t t = 0; t < turns->n; t++)
        for (size_t j = 0; j < coding->n_attr; j++) {
            const heft_lines *a = &coding->attr[j], *b = &coding->attr[turns->of[t].column[j]];
            if (a->n_cuts != b->n_cuts || memcmp(a->n_codes, b->n_codes, sizeof a->n_codes) != 0 ||
                (a->n_cuts && memcmp(a->cuts, b->cuts, a->n_cuts * sizeof *a->cuts) != 0))
                return false;
        }
    return true;
}

/* Pools the counted and the learned member, for all turns of what takes each other's place. */
static heft_status pool_tables(heft_ctx *ctx, heft_auto *s)
{
    const heft_auto_fitted *f = &s->fitted;
    const heft_turns       *turns = &s->rows.used.turns;
    heft_arena             *arena = s->task->arena;
    const double            counted = f->weight[HEFT_COUNTED] / (double)turns->n;
    const double            learned = f->weight[HEFT_LEARNED] / (double)turns->n;
    for (size_t t = 0; t < turns->n; t++) {
        s->pooled->turn = turns->n > 1 ? &turns->of[t] : NULL;
        if (f->takes_part[HEFT_COUNTED])
            HEFT_CHECK(heft_counted_pool(ctx, &f->counted, &f->coding, counted, arena, s->pooled));
        if (f->takes_part[HEFT_LEARNED] && learned > 0)
            HEFT_CHECK(heft_learned_pool(ctx, &f->learned, &f->coding, learned, arena, s->pooled));
    }
    return HEFT_OK;
}

/* Pools the members into one table per attribute, and one per pair and resolution. With one class,
 * or no attribute, the score is that of the class frequencies. */
static heft_status pool(heft_ctx *ctx, heft_auto *s)
{
    heft_auto_fitted     *f = &s->fitted;
    heft_arena           *arena = s->task->arena;
    const heft_used_rows *used = &s->rows.used;
    heft_turns           *turns = &s->rows.used.turns;
    const bool            boosted = f->takes_part[HEFT_BOOSTED] && f->weight[HEFT_BOOSTED] > 0;
    if (!turns_fit(s)) turns->n = 1;
    const heft_boosted_sets sets = {f->boosted + f->first_set,
                                    s->rows.n_folds + s->plan.n_sets - f->first_set, &f->coding,
                                    &used->rows, turns};
    if (boosted) HEFT_CHECK(heft_trees_refine(ctx, &sets, s->arena));
    const size_t n_pairs = heft_counted_pairs(&f->counted) + f->learned.n_pairs +
                           (boosted ? heft_pooled_value_pairs(&sets) : 0);
    HEFT_ALLOC(ctx, arena, s->pooled, 1);
    *s->pooled = (heft_pooled){.n_class = used->n_class,
                               .n_declared = s->task->rows->n_class,
                               .present = used->present,
                               .capacity = turns->n * n_pairs};
    HEFT_CHECK(heft_pooled_init(ctx, &f->coding, arena, s->pooled));
    if (f->counted.n_members == 0 && !boosted) {
        for (size_t k = 0; k < used->n_class; k++)
            s->pooled->bias[k] = log(used->class_sum[used->present[k]] / used->total);
        return HEFT_OK;
    }
    HEFT_CHECK(pool_tables(ctx, s));
    if (boosted) {
        const double factor = f->weight[HEFT_BOOSTED];
        HEFT_CHECK(heft_pooled_trees_add(ctx, s->pooled, &s->rows.all, &sets, factor, arena));
        HEFT_CHECK(heft_pooled_value_pairs_add(ctx, s->pooled, &sets, factor, arena));
    }
    s->pooled->turn = NULL;
    return HEFT_OK;
}

/* Puts the rows into an order that their content sets, counts how many of them differ, and divides
 * them into folds. */
static heft_status order_rows(heft_ctx *ctx, heft_auto *s)
{
    const heft_prep      *prep = s->task->prep;
    const heft_used_rows *used = &s->rows.used;
    const double          began = heft_clock();
    heft_row_plan         plan;
    bool                  again = true;
    uint16_t             *fold;
    HEFT_ALLOC(ctx, s->arena, fold, s->rows.all.n);
    for (int k = 0; k < 2 && again; k++) {
        double fraction = 1;
        HEFT_CHECK(heft_used_rows_order(ctx, prep, s->arena, &s->rows.key_memory, &s->rows.used));
        if (k == 0) {
            size_t most;
            HEFT_CHECK(heft_time_of_rows(ctx, s, heft_clock() - began, &most));
            plan = heft_plan_rows(s->effort, used->n_all, used->n_class, most);
        }
        HEFT_CHECK(heft_folds_deal(ctx,
                                   &(heft_fold_plan){.rule = HEFT_FOLDS_CONTENT,
                                                     .sample = &s->rows.all,
                                                     .n_folds = plan.n_parts,
                                                     .seed = ctx->seed,
                                                     .key = s->rows.used.row_key,
                                                     .n_wanted = plan.n_taken,
                                                     .arena = s->arena,
                                                     .order = &s->rows.order},
                                   fold));
        if (plan.n_taken) fraction = (double)s->rows.order.n_kinds / (double)plan.n_taken;
        s->rows.n_distinct = fraction * (double)s->rows.used.n_all;
        if (k == 0)
            HEFT_CHECK(heft_used_rows_drop_names(ctx, prep, fraction, &s->rows.used, &again));
    }
    s->rows.plan = plan;
    s->plan = heft_auto_plan(s, s->order ? s->order : HEFT_JOINT_ATTRS);
    if (s->effort != HEFT_EFFORT_COUNT) HEFT_CHECK(heft_auto_folds(ctx, s));
    return heft_auto_look(ctx, s);
}

/* Attributes that take each other's place are equally important. */
static heft_status keep_importance(heft_ctx *ctx, const heft_auto *s, heft_fitted *out)
{
    const heft_auto_fitted *f = &s->fitted;
    const heft_turns       *turns = &s->rows.used.turns;
    const double            part = 1 / (double)turns->n;
    if (!f->importance) return HEFT_OK;
    HEFT_ALLOCS(ctx, out->arena, out->n_attr, out->importance, out->importance_error);
    for (size_t t = 0; t < turns->n; t++)
        for (size_t j = 0; j < s->rows.all.rows->n_attr; j++) {
            const size_t to = s->rows.used.used[turns->n > 1 ? turns->of[t].column[j] : j];
            out->importance[to] += part * f->importance[j];
            out->importance_error[to] += part * f->importance_error[j];
        }
    return HEFT_OK;
}

static heft_status fit_evidence(heft_ctx *ctx, heft_auto *s, heft_fitted *out)
{
    const heft_rows *rows = &s->rows.used.rows;
    const bool       learn = s->effort != HEFT_EFFORT_COUNT;
    double          *size;
    HEFT_CHECK(heft_used_rows_of(ctx, s->task, s->arena, &s->rows.used));
    s->rows.all = (heft_sample){.rows = rows,
                                .n = rows->n_rows,
                                .weight = rows->weight,
                                .y = s->rows.used.y,
                                .n_class = s->rows.used.n_class};
    HEFT_CHECK(order_rows(ctx, s));
    if (s->rows.all.n_class < 2 || rows->n_attr == 0) {
        HEFT_CHECK(heft_coding_learn(ctx, &s->rows.all, &s->rows.used.keys,
                                     s->task->prep->spec.unseen_zero, false, s->arena,
                                     &s->fitted.coding));
    } else {
        HEFT_CHECK(fit_counted(ctx, s));
        const double *score[HEFT_N_MEMBERS] = {[HEFT_COUNTED] = s->fitted.counted.held};
        HEFT_CHECK(learn ? fit_learned(ctx, s) : heft_auto_importance(ctx, s, score, NULL));
    }
    HEFT_CHECK(pool(ctx, s));
    HEFT_CHECK(set_prior(ctx, s, out));
    HEFT_CHECK(heft_pooled_close(ctx, s->pooled));
    if (s->fitted.counted.n_members || s->fitted.takes_part[HEFT_BOOSTED]) {
        const heft_minimum *how =
            s->fitted.takes_part[HEFT_LEARNED] ? &s->fitted.minimum : &s->fitted.counted.how;
        if (learn) note_learned(s, out);
        HEFT_CHECK(note_time(ctx, s, out));
        if (s->fitted.counts) HEFT_CHECK(note_counted(ctx, s, out));
        heft_record_minimum(how, &out->training);
        if (s->fitted.takes_part[HEFT_LEARNED] && !how->converged) out->training.stopped_by = NULL;
    }
    /* the weight of an attribute, for inspect: the mean size of its evidence */
    out->weights = (heft_weights){.shape = HEFT_W_ATTR, .folded = true, .w0 = 1};
    HEFT_ALLOC(ctx, out->arena, out->weights.w, out->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, size, rows->n_attr);
    HEFT_CHECK(heft_pooled_sizes(ctx, s->pooled, rows, out->arena, size));
    for (size_t k = 0; k < rows->n_attr; k++) out->weights.w[s->rows.used.used[k]] = size[k];
    HEFT_CHECK(keep_importance(ctx, s, out));
    HEFT_CHECK(heft_auto_errors(ctx, s, out->arena));
    return heft_pooled_widen(ctx, s->pooled, s->rows.used.used, s->task->rows,
                             s->task->prep->spec.unseen_zero, out->arena);
}

/* The most attributes that a path may test, by the word of the option; 0: to be chosen. */
static unsigned order_of(int word)
{
    return word < 4 ? (unsigned)word : HEFT_PATH_ATTRS;
}

static heft_status fit_auto(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_status st = HEFT_OK;
    heft_arena  work = {0};
    heft_auto   s = {
          .task = task,
          .arena = &work,
          .effort = heft_param(task, "effort")->word,
          .order = order_of(heft_param(task, "order")->word),
          .fitted = {.takes_part[HEFT_COUNTED] = true, .weight[HEFT_COUNTED] = 1, .counts = true},
          .steps.what = "learning"};
    out->n_attr = task->rows->n_attr;
    out->n_class = task->rows->n_class;
    out->arena = task->arena;
    HEFT_TRY(fit_evidence(ctx, &s, out));
    HEFT_TRY(sum_weights(ctx, task->rows, &out->training.rows));
    out->own = s.pooled;
done:
    for (size_t k = 0; k < HEFT_ALL_SETS; k++) heft_boosted_clear(&s.fitted.boosted[k]);
    heft_learned_clear(&s.fitted.learned);
    heft_coded_clear(&s.fitted.learned_codes);
    heft_coded_clear(&s.fitted.coded);
    heft_arena_clear(&s.rows.key_memory);
    heft_arena_clear(&work);
    return st;
}

/* Rows may be spread over processes if the learned member takes no part. How many of them differ is
 * not known yet, and does not matter here. */
static bool spreads_auto(const heft_value *values, const heft_extent *of)
{
    const int           effort = values[0].word;
    const heft_row_plan rows = heft_plan_rows(effort, of->n_rows, of->n_class, SIZE_MAX);
    const heft_plan     plan = heft_plan_of(&(heft_plan_for){
            effort, HEFT_JOINT_ATTRS, (double)of->n_rows, of->n_rows, of->n_class, &rows});
    return of->n_rows > HEFT_MOST_LEARNED && !plan.learns;
}

/* ---- use ---- */

/* Leaves out classes whose given prior is 0. */
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
    .title = "an additive boosted model of single attributes, pairs and triples",
    .source = "heft's own; docs/auto.md",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_TAKES_ONE_CLASS |
            HEFT_SHIFTS_CLASSES | HEFT_STOPS | HEFT_SHARDS | HEFT_SMOOTHS,
    .prepare = {.prior = "smoothed"},
    .options = options,
    .fit = fit_auto,
    .spreads = spreads_auto,
    .score = score_auto,
    .state = &heft_pooled_state,
    .terms = terms_auto,
};
