/* results.c - access to the results of an evaluation, and the summary over all data sets. */
#include "eval/results.h"

#include <math.h>
#include <string.h>

#include "base/put.h"
#include "base/setting_words.h"

void heft_results_delete(heft_results *results)
{
    if (!results) return;
    for (size_t g = 0; g < results->n_kept; g++) heft_free(results->kept[g]);
    heft_arena_clear(&results->arena);
    heft_free(results);
}

const heft_cell *heft_cell_of(const heft_results *results, size_t dataset, size_t method)
{
    if (!results || dataset >= results->n_data || method >= results->n_method) return NULL;
    return &results->cells[dataset * results->n_method + method];
}

size_t heft_n_stages(const heft_results *results)
{
    return !results ? 0 : results->n_stage ? results->n_stage : 1;
}

const heft_stage *heft_stage_at(const heft_results *results, size_t stage)
{
    static const heft_stage untouched = {.name = "", .learn = 1};
    if (stage >= heft_n_stages(results)) return NULL;
    return results->stages ? &results->stages[stage] : &untouched;
}

const heft_cell *heft_cell_in_stage(const heft_results *results, size_t stage, size_t dataset,
                                    size_t method)
{
    if (stage >= heft_n_stages(results)) return NULL;
    const heft_results at = heft_results_at(results, stage);
    return heft_cell_of(&at, dataset, method);
}

heft_results heft_results_at(const heft_results *results, size_t stage)
{
    heft_results at = *results;
    const size_t skip = stage * results->n_data * results->n_method;
    at.n_stage = 1;
    at.cells += skip;
    if (at.stages) at.stages += stage;
    if (at.keys) at.keys += skip;
    if (at.open) at.open += skip;
    return at;
}

static double dimensions_of(const heft_stage *stage)
{
    const char *text = stage->dimensions;
    double      n = 0; /* a list has numbers or percentages, never both */
    if (text) heft_parse_double(text, text + strcspn(text, "%"), &n);
    return n;
}

size_t heft_results_headline(const heft_results *results)
{
    size_t best = 0;
    for (size_t s = 1; s < heft_n_stages(results); s++) {
        const heft_stage *a = heft_stage_at(results, s), *b = heft_stage_at(results, best);
        const bool        nearer = a->noise != b->noise   ? a->noise < b->noise
                                   : a->learn != b->learn ? a->learn > b->learn
                                                          : dimensions_of(a) > dimensions_of(b);
        if (nearer) best = s;
    }
    return best;
}

const heft_figure heft_figures[HEFT_N_FIGURES] = {
    {"accuracy", offsetof(heft_cell, accuracy), 1},
    {"accuracy_sd", offsetof(heft_cell, accuracy_sd), 1},
    {"accuracy_pooled", offsetof(heft_cell, accuracy_pooled), 1},
    {"macro_f1_folds", offsetof(heft_cell, macro_f1_folds), 1.001},
    {"fit_seconds", offsetof(heft_cell, fit_seconds), INFINITY},
    {"predict_seconds", offsetof(heft_cell, predict_seconds), INFINITY}};

double heft_figure_of(const heft_cell *cell, size_t k)
{
    double x;
    memcpy(&x, (const char *)cell + heft_figures[k].at, sizeof x);
    return x;
}

#define CLASS_FIGURE(name, title, most, decimals)                                                  \
    {                                                                                              \
#name, title, offsetof(heft_class_figures, name), most, decimals                           \
    }
const heft_class_figure_info heft_class_figure_list[HEFT_N_CLASS_FIGURES] = {
    CLASS_FIGURE(support, "support", INFINITY, 0),
    CLASS_FIGURE(predicted, "predicted", INFINITY, 0),
    CLASS_FIGURE(precision, "precision", 1.001, 4),
    CLASS_FIGURE(recall, "recall", 1.001, 4),
    CLASS_FIGURE(f1, "F1", 1.001, 4),
    CLASS_FIGURE(auc, "AUC", 1.001, 4),
    CLASS_FIGURE(average_precision, "avg. precision", 1.001, 4)};

double heft_class_figure_of(const heft_class_figures *figures, size_t k)
{
    double x;
    memcpy(&x, (const char *)figures + heft_class_figure_list[k].at, sizeof x);
    return x;
}

double heft_results_alpha(const heft_results *results)
{
    return results->design.alpha > 0 ? results->design.alpha : heft_setting_number("alpha");
}

/* ---- two methods on one data set ---- */

/* Compare method m with method `other` on data set d by the paired t-test. */
static bool differ(const heft_results *results, size_t d, size_t m, size_t other,
                   heft_difference *out)
{
    const heft_cell *a = heft_cell_of(results, d, m), *b = heft_cell_of(results, d, other);
    if (m == other || a->failure || b->failure || a->n_folds < 2) return false;
    /* The ratio of test rows to training rows, after the stage has reduced the training rows. */
    const double learn = heft_stage_at(results, 0)->learn;
    const size_t n_folds = a->n_folds / results->repeats;
    const double folds = (double)n_folds, held = results->design.holdout;
    const double rows = (double)results->sets[d].n_rows, all = rows * (held > 0 ? held : 1 / folds);
    const double share = learn > 1  ? all / learn
                         : held > 0 ? held / (1 - held) / learn
                                    : 1 / (folds - 1) / learn;
    *out = heft_paired_t(a->per_fold, b->per_fold, a->n_folds, results->design.plain ? 0 : share);
    return true;
}

bool heft_results_differ(const heft_results *results, size_t d, size_t m, heft_difference *out)
{
    return differ(results, d, m, 0, out);
}

int heft_results_mark(const heft_results *results, size_t d, size_t m)
{
    heft_difference t;
    if (!heft_results_differ(results, d, m, &t) || t.p >= heft_results_alpha(results)) return 0;
    return t.mean > 0 ? 1 : -1;
}

bool heft_results_best(const heft_results *results, size_t d, size_t m)
{
    const heft_cell *cell = heft_cell_of(results, d, m);
    if (results->n_method < 2 || cell->failure) return false;
    for (size_t k = 0; k < results->n_method; k++) {
        const heft_cell *other = heft_cell_of(results, d, k);
        if (!other->failure && other->accuracy > cell->accuracy + HEFT_SAME) return false;
    }
    return true;
}

void heft_put_split(heft_buf *buf, const heft_results *results)
{
    if (results->design.saved)
        heft_put(buf, "Saved models on %s", HEFT_COUNT_OF(results->sets[0].n_rows, "test row"));
    else if (results->design.tested)
        heft_put(buf, "Trained on the data set, tested on a separate table");
    else if (results->design.leave_one_out) heft_put(buf, "Leave-one-out cross-validation");
    else if (results->design.holdout > 0)
        heft_put(buf, "Tested on a share of %n of the rows, trained on the others",
                 results->design.holdout);
    else heft_put(buf, "%z-fold cross-validation", results->folds);
}

size_t heft_cell_missed(const heft_cell *cell, size_t c)
{
    if (cell->failure || !cell->per_class) return cell->n_classes;
    while (c < cell->n_classes &&
           !(cell->per_class[c].support > 0 && cell->per_class[c].recall <= 0))
        c++;
    return c;
}

const char *heft_measure_class(const heft_results_set *set, size_t k)
{
    const bool two = set->n_class == 2 && set->classes;
    return two && heft_measure_of_class(k) ? set->classes[set->positive] : NULL;
}

const heft_cell *heft_cell_present(const heft_results *results, size_t d)
{
    for (size_t m = 0; m < results->n_method; m++)
        if (!heft_cell_of(results, d, m)->failure) return heft_cell_of(results, d, m);
    return NULL;
}

heft_lead heft_cell_lead(const heft_cell *cell)
{
    heft_lead none = {.baseline = (double)NAN};
    for (size_t k = 0; k < HEFT_N_LEAD; k++)
        none.figure[k].value = none.figure[k].baseline = (double)NAN;
    if (!cell->per_class) return none;
    return heft_lead_of(cell->per_class, cell->n_classes, cell->measures);
}

/* ---- over all data sets ---- */

/* Returns the accuracy that the tests over data sets use, rounded to decimals of a percent if this
 * was asked for. */
static double seen_accuracy(const heft_results *results, size_t d, size_t m, size_t unused)
{
    const double x = heft_cell_of(results, d, m)->accuracy;
    (void)unused;
    if (heft_cell_of(results, d, m)->failure) return (double)NAN;
    const double unit = pow(10, 2 + results->design.decimals);
    return results->design.decimals > 0 ? floor(x * unit + 0.5) / unit : x;
}

static void compare_with_first(const heft_results *results, size_t m, heft_method_summary *out)
{
    for (size_t d = 0; d < results->n_data; d++) {
        const double by = seen_accuracy(results, d, m, 0) - seen_accuracy(results, d, 0, 0);
        if (m == 0 || isnan(by)) continue;
        if (fabs(by) <= HEFT_SAME) out->ties++;
        else if (by > 0) out->wins++;
        else out->losses++;
        const int mark = heft_results_mark(results, d, m);
        out->better += mark > 0;
        out->worse += mark < 0;
    }
    out->sign_p = heft_sign_p(out->wins, out->ties, out->losses);
    out->sign_upper_p = heft_sign_upper_p(out->wins, out->ties, out->losses);
}

/* Returns the mean of n numbers that are `step` apart in v. */
static double mean(const double *v, size_t n, size_t step)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i * step];
    return n ? sum / (double)n : (double)NAN;
}

/* Compute mean ranks and accuracies of each method, and Wilcoxon's test against the first method.
 */
static heft_status sum_up_methods(heft_ctx *ctx, const heft_results *results,
                                  const double *accuracy, const double *rank, heft_summary *s)
{
    const size_t n = s->n_complete, k = s->n_ran;
    double      *own, *first, *p;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, own, first);
    HEFT_ALLOC(ctx, &ctx->scratch, p, results->n_method);
    if (k)
        for (size_t i = 0; i < n; i++) first[i] = accuracy[i * k];
    for (size_t m = 0, j = 0; m < results->n_method; m++) {
        heft_method_summary *one = &s->by_method[m];
        one->mean_accuracy = one->mean_rank = one->mean_rank_p = (double)NAN;
        one->wilcoxon = one->wilcoxon_z = (double)NAN;
        if (one->ran) {
            one->mean_rank = mean(rank + j, n, k);
            one->mean_accuracy = mean(accuracy + j, n, k);
            for (size_t i = 0; i < n; i++) own[i] = accuracy[i * k + j];
            if (s->has_ranks) one->mean_rank_p = heft_mean_rank_p(rank, n, k, j);
            if (m > 0 && n >= 2 && s->by_method[0].ran)
                HEFT_CHECK(heft_wilcoxon(ctx, own, first, n, &one->wilcoxon, &one->wilcoxon_z));
            j++;
        }
        p[m] = one->wilcoxon;
    }
    HEFT_CHECK(heft_holm(ctx, p, results->n_method, p));
    for (size_t m = 0; m < results->n_method; m++) s->by_method[m].wilcoxon_holm = p[m];
    return HEFT_OK;
}

heft_status heft_rank_methods(heft_ctx *ctx, const heft_results *results, heft_figure_fn *figure,
                              size_t which, heft_ranking *out)
{
    const size_t M = results->n_method, n_data = results->n_data;
    bool        *complete;
    size_t       at = 0;
    *out = (heft_ranking){0};
    HEFT_ALLOC(ctx, &ctx->scratch, out->has, M);
    HEFT_ALLOC(ctx, &ctx->scratch, complete, n_data);
    for (size_t m = 0; m < M; m++) {
        for (size_t d = 0; d < n_data; d++)
            out->has[m] = out->has[m] || !isnan(figure(results, d, m, which));
        out->n += out->has[m];
    }
    for (size_t d = 0; d < n_data; d++) {
        complete[d] = out->n > 0;
        for (size_t m = 0; m < M; m++)
            if (out->has[m] && isnan(figure(results, d, m, which))) complete[d] = false;
        out->n_sets += complete[d];
    }
    HEFT_ALLOCS(ctx, &ctx->scratch, heft_times(out->n_sets, out->n), out->value, out->rank);
    for (size_t k = 0; k < n_data * M; k++)
        if (complete[k / M] && out->has[k % M])
            out->value[at++] = figure(results, k / M, k % M, which);
    for (size_t d = 0; d < out->n_sets; d++)
        heft_rank(out->value + d * out->n, out->n, out->rank + d * out->n);
    return HEFT_OK;
}

heft_status heft_summarise(heft_ctx *ctx, const heft_results *results, heft_summary *s)
{
    heft_ranking by;
    *s = (heft_summary){.alpha = heft_results_alpha(results)};
    HEFT_ALLOC(ctx, &ctx->scratch, s->by_method, results->n_method);
    HEFT_CHECK(heft_rank_methods(ctx, results, seen_accuracy, 0, &by));
    for (size_t m = 0; m < results->n_method; m++) {
        s->by_method[m].ran = by.has[m];
        compare_with_first(results, m, &s->by_method[m]);
    }
    const size_t n = s->n_complete = by.n_sets, k = s->n_ran = by.n;
    s->has_ranks = n >= 2 && k >= 2;
    HEFT_CHECK(sum_up_methods(ctx, results, by.value, by.rank, s));
    if (!s->has_ranks) return HEFT_OK;
    s->friedman = heft_friedman_test(by.rank, n, k);
    HEFT_CHECK(heft_quade_test(ctx, by.value, by.rank, n, k, &s->quade));
    s->nemenyi = heft_nemenyi(k, n, s->alpha);
    s->middle_accuracy = mean(by.value, n * k, 1);
    HEFT_CHECK(
        heft_permutation_bound(ctx, by.value, n, k, s->alpha, results->seed, &s->accuracy_bound));
    return heft_permutation_bound(ctx, by.rank, n, k, s->alpha, results->seed, &s->rank_bound);
}

bool heft_is_outside(const heft_summary *s, const heft_method_summary *one)
{
    const double by_rank = fabs(one->mean_rank - ((double)s->n_ran + 1) / 2);
    return fabs(one->mean_accuracy - s->middle_accuracy) > s->accuracy_bound + HEFT_SAME ||
           by_rank > s->rank_bound + HEFT_SAME;
}

/* Returns p of the test between the best method of one data set and method m; NAN if there is none.
 */
static double best_p(const heft_results *results, size_t best, size_t m)
{
    heft_difference t;
    if (!results->design.saved) return differ(results, 0, best, m, &t) ? t.p : (double)NAN;
    if (m == best || (m && best) || !results->row_tests) return (double)NAN;
    if (heft_cell_of(results, 0, m)->failure) return (double)NAN;
    return results->row_tests[m ? m : best].mcnemar_p;
}

heft_status heft_judge(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                       size_t best, heft_verdict *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *p;
    *out = (heft_verdict){.p = 1, .over_sets = s->has_ranks};
    if (s->has_ranks) {
        out->test = "Friedman's test";
        out->p = s->friedman.chi2_p;
        return HEFT_OK;
    }
    if (results->n_data > 1) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, p, results->n_method);
    for (size_t m = 0; m < results->n_method; m++) p[m] = best_p(results, best, m);
    HEFT_CHECK(heft_holm(ctx, p, results->n_method, p));
    for (size_t m = 0; m < results->n_method; m++) {
        if (isnan(p[m])) continue;
        out->n_others++;
        out->n_worse += p[m] < s->alpha;
        out->p = fmin(out->p, p[m]);
    }
    if (out->n_others)
        out->test = results->design.saved   ? "McNemar's test"
                    : results->design.plain ? "paired t-test"
                                            : "corrected resampled paired t-test";
    return HEFT_OK;
}

void heft_put_verdict(heft_buf *buf, const heft_verdict *v, double alpha)
{
    const bool none = v->over_sets ? !(v->p < alpha) : v->n_worse == 0;
    if (none)
        heft_put(buf, "No significant difference %s was found",
                 v->over_sets ? "between the methods" : "from the best");
    else if (v->over_sets) heft_put(buf, "The methods differ significantly");
    else
        heft_put(buf, "The best is significantly better than %z of %s", v->n_worse,
                 HEFT_COUNT_OF(v->n_others, "other"));
    heft_put(buf, " (%s, %sp = %3g)", v->test, v->n_others > 1 ? "least " : "", v->p);
}

void heft_no_ranks(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    if (results->n_method < 2)
        heft_buf_text(buf, "No significance tests: there is only one method");
    else if (s->n_ran < 2)
        heft_buf_printf(
            buf, "No tests over data sets: they need at least two methods with results (here: %zu)",
            s->n_ran);
    else
        heft_buf_printf(buf,
                        "No tests over data sets: they need at least two data sets on which every "
                        "method has a result (here: %zu)",
                        s->n_complete);
}
