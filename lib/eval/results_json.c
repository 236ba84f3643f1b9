/* results_json.c - results for programs: JSON with everything, CSV with a line per data set and
 * method. */
#include "base/setting_words.h"
#include "eval/checksum.h"
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/put.h"
#include "eval/headline.h"

/* Returns the separator before item k of a list. */
static const char *comma(size_t k)
{
    return k ? ", " : "";
}

/* Write the levels of the stage that were asked for, such as `"noise": 0.1, `. */
static void put_stage(heft_buf *buf, const heft_results *results)
{
    const heft_stage *stage = heft_stage_at(results, 0);
    const char       *text = stage->dimensions;
    double            n = 0;
    if (results->design.noisy) heft_put(buf, "\"noise\": %n, ", stage->noise);
    if (results->design.growing) heft_put(buf, "\"learn\": %n, ", stage->learn);
    if (!results->design.narrowed) return;
    if (strchr(text, '%')) heft_put(buf, "\"dimensions\": \"%s\", ", text);
    else if (heft_parse_double(text, text + strlen(text), &n) == HEFT_NUM_OK)
        heft_put(buf, "\"dimensions\": %0f, ", n);
}

/* Write the intervals of measures: {"accuracy": [0.9, 0.95], ...}. */
static void put_intervals(heft_buf *buf, const heft_cell *cell)
{
    const char *before = ",\n     \"intervals\": {";
    if (!cell->intervals) return;
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        const double *pair = cell->intervals + 2 * k;
        if (k && heft_measures_at(k - 1)->optional && isnan(pair[0])) continue;
        if (isnan(pair[0])) heft_put(buf, "%s\"%s\": null", before, heft_drawn_name(k));
        else heft_put(buf, "%s\"%s\": %v", before, heft_drawn_name(k), pair, (size_t)2);
        before = ", ";
    }
    heft_put(buf, "}");
}

/* Write the figures of each class: [{"class": "a", "support": 50, ...}, ...]. */
static void put_classes(heft_buf *buf, const heft_cell *cell)
{
    if (!cell->per_class || !cell->classes) return;
    heft_put(buf, ",\n     \"per_class\": [");
    for (size_t c = 0; c < cell->n_classes; c++) {
        heft_put(buf, "%s{\"class\": %j", c ? ",\n      " : "", cell->classes[c]);
        for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++)
            heft_put(buf, ", \"%s\": %n", heft_class_figure_list[k].name,
                     heft_class_figure_of(&cell->per_class[c], k));
        heft_put(buf, "}");
    }
    heft_put(buf, "]");
}

static void put_figures(heft_buf *buf, const heft_cell *cell)
{
    const char  *before = ",\n     ";
    const size_t n = cell->n_classes;
    for (size_t k = 0; k < HEFT_N_ACCURACIES; k++)
        heft_put(buf, ", \"%s\": %n", heft_figures[k].name, heft_figure_of(cell, k));
    heft_put(buf, "%s\"per_fold\": %v", before, cell->per_fold, cell->n_folds);
    if (cell->per_fold_macro_f1)
        heft_put(buf, "%s\"per_fold_macro_f1\": %v", before, cell->per_fold_macro_f1,
                 cell->n_folds);
    for (size_t k = 0; k < HEFT_N_MEASURES; k++)
        if (!heft_measures_at(k)->optional || !isnan(cell->measures[k]))
            heft_put(buf, "%s\"%s\": %n", k ? ", " : before, heft_measures_at(k)->name,
                     cell->measures[k]);
    put_intervals(buf, cell);
    put_classes(buf, cell);
    if (cell->confusion) heft_put(buf, "%s\"confusion\": ", before);
    if (cell->confusion)
        for (size_t k = 0; k < n * n; k++) /* written as [[1, 2], [3, 4]] */
            heft_put(buf, "%s%z%s",
                     k == 0  ? "[["
                     : k % n ? ", "
                             : ", [",
                     cell->confusion[k],
                     k + 1 == n * n   ? "]]"
                     : k % n + 1 == n ? "]"
                                      : "");
    for (size_t k = HEFT_N_ACCURACIES; k < HEFT_N_FIGURES; k++, before = ", ")
        heft_put(buf, cell->imported ? "%s\"%s\": null" : "%s\"%s\": %6f", before,
                 heft_figures[k].name, heft_figure_of(cell, k));
}

static void put_sets(heft_buf *buf, const heft_results *results)
{
    heft_put(buf, " \"datasets\": [");
    for (size_t d = 0; d < results->n_data; d++) {
        const heft_results_set *set = &results->sets[d];
        const char             *before = "";
        heft_put(buf, "%s\n  {\"name\": %j, \"rows\": %z, \"attributes\": %z, \"classes\": %z",
                 d ? "," : "", set->name, set->n_rows, set->n_attr, set->n_class);
        if (set->checksum)
            heft_buf_printf(buf, ", \"checksum\": \"%016" PRIx64 "\"", set->checksum);
        if (set->classes && set->n_class <= HEFT_MOST_CONFUSED) {
            heft_put(buf, ",\n   \"class_names\": [");
            for (size_t c = 0; c < set->n_class; c++)
                heft_put(buf, "%s%j", comma(c), set->classes[c]);
            heft_put(buf, "]");
        }
        if (set->classes && set->n_class == 2)
            heft_put(buf, ", \"positive\": %j", set->classes[set->positive]);
        heft_put(buf, ",\n   \"methods\": [");
        for (size_t k = 0; k < heft_n_stages(results) * results->n_method; k++) {
            const heft_results at = heft_results_at(results, k / results->n_method);
            const size_t       m = k % results->n_method;
            if (at.open && at.open[d * at.n_method + m]) continue;
            const heft_cell *cell = heft_cell_of(&at, d, m);
            heft_put(buf, "%s\n    {", before);
            put_stage(buf, &at);
            heft_put(buf, "\"method\": %j%s", cell->method,
                     cell->imported ? ", \"imported\": true" : "");
            if (cell->failure) heft_put(buf, ", \"failure\": %j", cell->failure);
            else put_figures(buf, cell);
            const char *key = at.keys ? at.keys[d * at.n_method + m] : NULL;
            if (key) heft_put(buf, ", \"key\": \"%s\"", key);
            if (key && !cell->failure)
                heft_buf_printf(buf, ", \"checksum\": \"%016" PRIx64 "\"",
                                heft_cell_sum(cell, key));
            heft_put(buf, "}");
            before = ",";
        }
        heft_put(buf, "]}");
    }
    heft_put(buf, "]");
}

/* ---- summary ---- */

/* Write the comparison of each method with the first on each data set. p_holm is adjusted for the
 * number of methods compared on the data set. */
static heft_status put_paired(heft_ctx *ctx, heft_buf *buf, const heft_results *results)
{
    const char      *before = "";
    heft_difference *t;
    double          *p;
    HEFT_ALLOCS(ctx, &ctx->scratch, results->n_method, t, p);
    heft_put(buf, ",\n   \"paired_t\": [");
    for (size_t d = 0; d < results->n_data; d++) {
        for (size_t m = 0; m < results->n_method; m++)
            p[m] = heft_results_differ(results, d, m, &t[m]) ? t[m].p : (double)NAN;
        HEFT_CHECK(heft_holm(ctx, p, results->n_method, p));
        for (size_t m = 1; m < results->n_method; m++) {
            if (isnan(p[m])) continue;
            heft_put(buf,
                     "%s\n    {\"dataset\": %j, \"method\": %j, \"difference\": %n, \"t\": %n, "
                     "\"p\": %n, \"p_holm\": %n, \"significant\": %s}",
                     before, results->sets[d].name, results->methods[m], t[m].mean, t[m].t, t[m].p,
                     p[m], t[m].p < heft_results_alpha(results) ? "true" : "false");
            before = ",";
        }
    }
    heft_put(buf, "]");
    return HEFT_OK;
}

static void put_drawn(heft_buf *buf, const char *name, const heft_drawn_difference *d)
{
    heft_put(buf, ", \"%s\": {\"difference\": %n, \"low\": %n, \"high\": %n, \"p\": %n}", name,
             d->difference, d->low, d->high, d->p);
}

/* Write the comparison of each saved model with the first on the same rows. */
static void put_row_tests(heft_buf *buf, const heft_results *results)
{
    if (!results->row_tests) return;
    heft_put(buf, ",\n   \"same_rows\": [");
    for (size_t m = 1; m < results->n_method; m++) {
        const heft_row_tests *t = &results->row_tests[m];
        heft_put(buf,
                 "%s\n    {\"method\": %j, \"mcnemar\": {\"only_first\": %z, \"only_other\": %z, "
                 "\"exact\": %s, \"p\": %n}",
                 m > 1 ? "," : "", results->methods[m], t->only_first, t->only_other,
                 t->exact ? "true" : "false", t->mcnemar_p);
        put_drawn(buf, "log_loss", &t->log_loss);
        put_drawn(buf, "auc", &t->auc);
        heft_put(buf, "}");
    }
    heft_put(buf, "]");
}

/* Write a field of heft_method_summary for the methods from `from` on: `"name": {"nb": ...}`. */
static void put_by_method(heft_buf *buf, const heft_results *results, const heft_summary *s,
                          const char *before, const char *name, size_t from, size_t field)
{
    heft_put(buf, "%s\"%s\": {", before, name);
    for (size_t m = from; m < results->n_method; m++) {
        double x;
        memcpy(&x, (const char *)&s->by_method[m] + field, sizeof x);
        heft_put(buf, "%s%j: %n", comma(m - from), results->methods[m], x);
    }
    heft_put(buf, "}");
}

#define PUT_BY_METHOD(buf, results, s, before, field, from)                                        \
    put_by_method(buf, results, s, before, #field, from, offsetof(heft_method_summary, field))

static void put_rank_tests(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    const size_t df = s->n_ran - 1, df2 = df * (s->n_complete - 1);
    const double middle = s->middle_accuracy, rank = ((double)s->n_ran + 1) / 2;
    if (!s->has_ranks) {
        if (results->n_method > 1)
            heft_put(buf, ",\n   \"wilcoxon\": null, \"friedman\": null, \"iman_davenport\": "
                          "null, \"quade\": null, \"nemenyi\": null,\n   ");
        heft_put(buf, "\"note\": \"");
        heft_no_ranks(buf, results, s);
        heft_put(buf, "\"");
        return;
    }
    PUT_BY_METHOD(buf, results, s, ",\n   ", wilcoxon, 1);
    PUT_BY_METHOD(buf, results, s, ",\n   ", wilcoxon_z, 1);
    PUT_BY_METHOD(buf, results, s, ",\n   ", wilcoxon_holm, 1);
    heft_put(buf,
             ",\n   \"friedman\": {\"datasets\": %z, \"df\": %z, \"chi2\": %n, \"p\": %n}"
             ",\n   \"iman_davenport\": {\"df1\": %z, \"df2\": %z, \"F\": %n, \"p\": %n}"
             ",\n   \"quade\": {\"df1\": %z, \"df2\": %z, \"F\": %n, \"p\": %n}"
             ",\n   \"nemenyi\": {\"critical_difference\": %n}",
             s->n_complete, df, s->friedman.chi2, s->friedman.chi2_p, df, df2, s->friedman.f,
             s->friedman.p, df, df2, s->quade.f, s->quade.p, s->nemenyi);
    PUT_BY_METHOD(buf, results, s, ",\n   ", mean_rank_p, 0);
    heft_put(buf,
             ",\n   \"permutation_bounds\": {\"permutations\": %z, \"accuracy_low\": %n, "
             "\"accuracy_high\": %n, \"rank_low\": %n, \"rank_high\": %n}",
             (size_t)HEFT_PERMUTATIONS, middle - s->accuracy_bound, middle + s->accuracy_bound,
             rank - s->rank_bound, rank + s->rank_bound);
}

/* Write mean accuracies, ranks and tests of one stage. */
static heft_status put_summary(heft_ctx *ctx, heft_buf *buf, const heft_results *results,
                               const heft_summary *s)
{
    PUT_BY_METHOD(buf, results, s, "", mean_accuracy, 0);
    PUT_BY_METHOD(buf, results, s, ",\n  ", mean_rank, 0);
    heft_put(buf, ",\n  \"tests\": {");
    if (results->n_method > 1) {
        heft_put(buf,
                 "\"reference\": %j, \"alpha\": %n, \"paired\": \"%s\", \"adjustment\": \"holm\"",
                 results->methods[0], s->alpha, heft_setting_word("paired", results->design.plain));
        if (results->design.decimals)
            heft_put(buf, ", \"decimals\": %l", (long)results->design.decimals);
        HEFT_CHECK(put_paired(ctx, buf, results));
        put_row_tests(buf, results);
        heft_put(buf, ",\n   \"record\": {");
        for (size_t m = 1; m < results->n_method; m++) {
            const heft_method_summary *r = &s->by_method[m];
            heft_put(buf,
                     "%s%j: {\"wins\": %z, \"ties\": %z, \"losses\": %z, "
                     "\"significantly_better\": %z, \"significantly_worse\": %z, \"sign_p\": %n, "
                     "\"sign_upper_p\": %n}",
                     comma(m - 1), results->methods[m], r->wins, r->ties, r->losses, r->better,
                     r->worse, r->sign_p, r->sign_upper_p);
        }
        heft_put(buf, "}");
    }
    put_rank_tests(buf, results, s);
    heft_put(buf, "}");
    return HEFT_OK;
}

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_summary summary;
    const size_t n_stage = heft_n_stages(results);
    const char  *split = results->design.saved           ? "models"
                         : results->design.tested        ? "test"
                         : results->design.from_file     ? "file"
                         : results->design.weka          ? heft_setting_word("split", 1)
                         : results->design.leave_one_out ? "leave-one-out"
                         : results->design.holdout > 0   ? "holdout"
                                                         : "heft";
    heft_buf_printf(buf,
                    "{\"heft\": \"%s\", \"format\": \"heft page\", \"version\": 1, \"page\": "
                    "\"comparison\",\n \"protocol\": \"%s\", \"folds\": %zu, \"repeats\": %zu, "
                    "\"seed\": %" PRIu64 ",\n \"split\": \"%s\", \"optimistic\": %s,\n",
                    HEFT_VERSION, heft_setting_word("protocol", results->design.whole),
                    results->folds, results->repeats, results->seed, split,
                    results->design.whole ? "true" : "false");
    if (results->design.holdout > 0) heft_put(buf, " \"holdout\": %n,\n", results->design.holdout);
    if (results->design.rule) heft_put(buf, " \"rule\": %j,\n", results->design.rule);
    if (results->open) heft_put(buf, " \"partial\": true,\n");
    put_sets(buf, results);
    heft_put(buf, results->open ? "}\n" : ",\n \"summary\": {");
    if (results->open) return HEFT_OK; /* no summary before all cells are finished */
    const heft_results full = heft_results_at(results, heft_results_headline(results));
    put_stage(buf, &full);
    HEFT_CHECK(heft_summarise(ctx, &full, &summary));
    HEFT_CHECK(put_summary(ctx, buf, &full, &summary));
    if (n_stage > 1)
        for (size_t s = 0; s < n_stage; s++) {
            const heft_results at = heft_results_at(results, s);
            heft_summary       own;
            heft_put(buf, s ? ",\n {" : ",\n \"stages\": [\n {");
            put_stage(buf, &at);
            HEFT_CHECK(heft_summarise(ctx, &at, &own));
            HEFT_CHECK(put_summary(ctx, buf, &at, &own));
            heft_put(buf, s + 1 < n_stage ? "}" : "}]");
        }
    heft_put(buf, "}");
    HEFT_CHECK(heft_put_measures(ctx, buf, results, &summary));
    heft_put(buf, "}\n");
    return HEFT_OK;
}

/* ---- CSV ---- */

static void put_csv_number(heft_buf *buf, double x)
{
    heft_buf_text(buf, ",");
    if (isfinite(x)) heft_buf_double(buf, x);
}

/* Write the figures and measures of a cell, or their names if `cell` is NULL. */
static void put_csv_figures(heft_buf *buf, const heft_cell *cell)
{
    for (size_t k = 0; k < HEFT_N_FIGURES + HEFT_N_MEASURES; k++) {
        const size_t m = k - HEFT_N_ACCURACIES; /* the measures follow the accuracies */
        const size_t f = k < HEFT_N_ACCURACIES ? k : k - HEFT_N_MEASURES;
        if (m >= HEFT_N_MEASURES && f == HEFT_N_ACCURACIES - 1)
            continue; /* macro_f1_folds comes last, so that other columns keep their places */
        if (!cell)
            heft_buf_printf(buf, ",%s",
                            m < HEFT_N_MEASURES ? heft_measures_at(m)->name : heft_figures[f].name);
        else if (cell->failure) heft_buf_text(buf, ",");
        else put_csv_number(buf, m < HEFT_N_MEASURES ? cell->measures[m] : heft_figure_of(cell, f));
    }
}

/* Write the columns noise, learn and dimensions of a stage. */
static void put_csv_stage(heft_buf *buf, const heft_stage *stage)
{
    put_csv_number(buf, stage->noise);
    put_csv_number(buf, stage->learn);
    heft_buf_printf(buf, ",%s", stage->dimensions ? stage->dimensions : "");
}

heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    (void)ctx;
    heft_buf_text(buf, "dataset,rows,attributes,classes,method,protocol,folds,repeats,seed");
    put_csv_figures(buf, NULL);
    heft_buf_text(buf, ",noise,learn,dimensions,failure,macro_f1_folds\n");
    for (size_t s = 0; s < heft_n_stages(results); s++) {
        const heft_results at = heft_results_at(results, s);
        for (size_t k = 0; k < at.n_data * at.n_method; k++) {
            const heft_results_set *set = &at.sets[k / at.n_method];
            const heft_cell        *c = &at.cells[k];
            heft_put(buf, "%k,%z,%z,%z,%k", set->name, set->n_rows, set->n_attr, set->n_class,
                     c->method);
            heft_buf_printf(buf, ",%s,%zu,%zu,%" PRIu64,
                            heft_setting_word("protocol", at.design.whole), at.folds, at.repeats,
                            at.seed);
            put_csv_figures(buf, c);
            put_csv_stage(buf, heft_stage_at(&at, 0));
            heft_put(buf, c->failure ? ",%k" : ",", c->failure);
            put_csv_number(buf, c->failure ? (double)NAN : c->macro_f1_folds);
            heft_buf_text(buf, "\n");
        }
    }
    return HEFT_OK;
}

void heft_results_folds(const heft_results *results, heft_buf *buf)
{
    const size_t per_stage = results->n_data * results->n_method;
    heft_buf_text(buf, "data,method,repeat,fold,accuracy,macro_f1,noise,learn,dimensions\n");
    for (size_t k = 0; k < heft_n_stages(results) * per_stage; k++) {
        const heft_cell *cell = &results->cells[k];
        const size_t     folds = cell->n_folds / results->repeats;
        if (!cell->failure)
            for (size_t f = 0; f < cell->n_folds; f++) {
                heft_put(buf, "%k,%k,%z,%z", cell->dataset, cell->method, f / folds + 1, f % folds);
                put_csv_number(buf, cell->per_fold[f]);
                put_csv_number(buf,
                               cell->per_fold_macro_f1 ? cell->per_fold_macro_f1[f] : (double)NAN);
                put_csv_stage(buf, heft_stage_at(results, k / per_stage));
                heft_buf_text(buf, "\n");
            }
    }
}
