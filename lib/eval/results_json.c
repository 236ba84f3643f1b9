/* results_json.c - results for programs: JSON with everything, CSV with a line per data set and
 * method. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/put.h"

/* The separator before item k of a list. */
static const char *comma(size_t k)
{
    return k ? ", " : "";
}

static void put_confusion(heft_buf *buf, const heft_cell *cell)
{
    heft_put(buf, ",\n     \"confusion\": [");
    for (size_t c = 0; c < cell->n_class; c++) {
        heft_put(buf, "%s[", comma(c));
        for (size_t k = 0; k < cell->n_class; k++)
            heft_put(buf, "%s%z", comma(k), cell->confusion[c * cell->n_class + k]);
        heft_put(buf, "]");
    }
    heft_put(buf, "]");
}

/* `"noise": 0.1, `: what the stage is, of what was asked for. */
static void put_stage(heft_buf *buf, const heft_results *results)
{
    const heft_stage *stage = heft_results_stage(results, 0);
    const char       *text = stage->dimensions;
    double            n = 0;
    if (results->noisy) heft_put(buf, "\"noise\": %n, ", stage->noise);
    if (results->growing) heft_put(buf, "\"learn\": %n, ", stage->learn);
    if (!results->narrowed) return;
    if (strchr(text, '%')) heft_put(buf, "\"dimensions\": \"%s\", ", text);
    else if (heft_parse_double(text, text + strlen(text), &n) == HEFT_NUM_OK)
        heft_put(buf, "\"dimensions\": %0f, ", n);
}

static void put_figures(heft_buf *buf, const heft_cell *cell)
{
    const char *before = ",\n     ";
    for (size_t k = 0; k < HEFT_N_ACCURACIES; k++)
        heft_put(buf, ", \"%s\": %n", heft_figures[k].name, heft_figure_of(cell, k));
    heft_put(buf, "%s\"per_fold\": %v", before, cell->per_fold, cell->n_folds);
    for (size_t k = 0; k < HEFT_N_MEASURES; k++)
        heft_put(buf, "%s\"%s\": %n", k ? ", " : before, heft_measure_at(k)->name,
                 cell->measures[k]);
    if (cell->confusion) put_confusion(buf, cell);
    for (size_t k = HEFT_N_ACCURACIES; k < HEFT_N_FIGURES; k++, before = ", ")
        heft_put(buf, "%s\"%s\": %6f", before, heft_figures[k].name, heft_figure_of(cell, k));
}

static void put_cell(heft_buf *buf, const heft_results *results, size_t d, size_t m)
{
    const heft_cell *cell = heft_results_cell(results, d, m);
    heft_put(buf, "{");
    put_stage(buf, results);
    heft_put(buf, "\"method\": %j", cell->method);
    if (cell->failure) heft_put(buf, ", \"failure\": %j", cell->failure);
    else put_figures(buf, cell);
    if (results->keys) heft_put(buf, ", \"key\": \"%s\"", results->keys[d * results->n_method + m]);
    heft_put(buf, "}");
}

static void put_classes(heft_buf *buf, const heft_results_set *set)
{
    if (set->checksum) heft_buf_printf(buf, ", \"checksum\": \"%016" PRIx64 "\"", set->checksum);
    if (!set->classes || set->n_class > HEFT_MOST_CONFUSED) return;
    heft_put(buf, ",\n   \"class_names\": [");
    for (size_t c = 0; c < set->n_class; c++) heft_put(buf, "%s%j", comma(c), set->classes[c]);
    heft_put(buf, "]");
}

static void put_sets(heft_buf *buf, const heft_results *results)
{
    heft_put(buf, " \"datasets\": [");
    for (size_t d = 0; d < results->n_data; d++) {
        const heft_results_set *set = &results->sets[d];
        const char             *before = "";
        heft_put(buf, "%s\n  {\"name\": %j, \"rows\": %z, \"attributes\": %z, \"classes\": %z",
                 d ? "," : "", set->name, set->n_rows, set->n_attr, set->n_class);
        put_classes(buf, set);
        heft_put(buf, ",\n   \"methods\": [");
        for (size_t k = 0; k < heft_results_stages(results) * results->n_method; k++) {
            const heft_results at = heft_results_at(results, k / results->n_method);
            const size_t       m = k % results->n_method;
            if (at.open && at.open[d * at.n_method + m]) continue;
            heft_put(buf, "%s\n    ", before);
            put_cell(buf, &at, d, m);
            before = ",";
        }
        heft_put(buf, "]}");
    }
    heft_put(buf, "]");
}

/* ---- summary ---- */

/* Each method against the first on each data set; p_holm is adjusted for the methods of the data
 * set. */
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

static void put_record(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    heft_put(buf, ",\n   \"record\": {");
    for (size_t m = 1; m < results->n_method; m++) {
        const heft_method_summary *r = &s->by_method[m];
        heft_put(buf,
                 "%s%j: {\"wins\": %z, \"ties\": %z, \"losses\": %z, \"significantly_better\": %z, "
                 "\"significantly_worse\": %z, \"sign_p\": %n, \"sign_upper_p\": %n}",
                 comma(m - 1), results->methods[m], r->wins, r->ties, r->losses, r->better,
                 r->worse, r->sign_p, r->sign_upper_p);
    }
    heft_put(buf, "}");
}

/* `"name": {"nb": ...}`: a number of heft_method_summary, the methods from `from` on. */
static void put_by_method(heft_buf *buf, const heft_results *results, const heft_summary *s,
                          const char *name, size_t from, size_t field)
{
    heft_put(buf, "\"%s\": {", name);
    for (size_t m = from; m < results->n_method; m++) {
        double x;
        memcpy(&x, (const char *)&s->by_method[m] + field, sizeof x);
        heft_put(buf, "%s%j: %n", comma(m - from), results->methods[m], x);
    }
    heft_put(buf, "}");
}

static void put_no_ranks(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    heft_buf why = {0};
    heft_no_ranks(&why, results, s);
    if (results->n_method > 1)
        heft_put(buf, ",\n   \"wilcoxon\": null, \"friedman\": null, \"iman_davenport\": "
                      "null, \"quade\": null, \"nemenyi\": null,\n   ");
    heft_put(buf, "\"note\": %j", heft_buf_string(&why));
    buf->failed |= why.failed;
    heft_buf_clear(&why);
}

static void put_rank_tests(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    static const struct {
        const char *name;
        size_t      field;
    } against_first[] = {{"wilcoxon", offsetof(heft_method_summary, wilcoxon)},
                         {"wilcoxon_z", offsetof(heft_method_summary, wilcoxon_z)},
                         {"wilcoxon_holm", offsetof(heft_method_summary, wilcoxon_holm)}};
    const size_t df = s->n_ran - 1, df2 = df * (s->n_complete - 1);
    const double middle = s->middle_accuracy, rank = ((double)s->n_ran + 1) / 2;
    if (!s->has_ranks) {
        put_no_ranks(buf, results, s);
        return;
    }
    for (size_t t = 0; t < 3; t++) {
        heft_put(buf, ",\n   ");
        put_by_method(buf, results, s, against_first[t].name, 1, against_first[t].field);
    }
    heft_put(buf, ",\n   \"friedman\": {\"datasets\": %z, \"df\": %z, \"chi2\": %n, \"p\": %n}",
             s->n_complete, df, s->friedman.chi2, s->friedman.chi2_p);
    heft_put(buf, ",\n   \"iman_davenport\": {\"df1\": %z, \"df2\": %z, \"F\": %n, \"p\": %n}", df,
             df2, s->friedman.f, s->friedman.p);
    heft_put(buf, ",\n   \"quade\": {\"df1\": %z, \"df2\": %z, \"F\": %n, \"p\": %n}", df, df2,
             s->quade.f, s->quade.p);
    heft_put(buf, ",\n   \"nemenyi\": {\"critical_difference\": %n},\n   ", s->nemenyi);
    put_by_method(buf, results, s, "mean_rank_p", 0, offsetof(heft_method_summary, mean_rank_p));
    heft_put(buf,
             ",\n   \"permutation_bounds\": {\"permutations\": %z, \"accuracy_low\": %n, "
             "\"accuracy_high\": %n, \"rank_low\": %n, \"rank_high\": %n}",
             (size_t)HEFT_PERMUTATIONS, middle - s->accuracy_bound, middle + s->accuracy_bound,
             rank - s->rank_bound, rank + s->rank_bound);
}

/* Mean accuracies, ranks and tests of one stage. */
static heft_status put_summary(heft_ctx *ctx, heft_buf *buf, const heft_results *results)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_summary s;
    HEFT_CHECK(heft_summarise(ctx, results, &s));
    put_by_method(buf, results, &s, "mean_accuracy", 0,
                  offsetof(heft_method_summary, mean_accuracy));
    heft_put(buf, ",\n  ");
    put_by_method(buf, results, &s, "mean_rank", 0, offsetof(heft_method_summary, mean_rank));
    heft_put(buf, ",\n  \"tests\": {");
    if (results->n_method > 1) {
        heft_put(buf,
                 "\"reference\": %j, \"alpha\": %n, \"paired\": \"%s\", \"adjustment\": \"holm\"",
                 results->methods[0], s.alpha, results->plain ? "plain" : "corrected");
        if (results->decimals) heft_put(buf, ", \"decimals\": %l", (long)results->decimals);
        HEFT_CHECK(put_paired(ctx, buf, results));
        put_record(buf, results, &s);
    }
    put_rank_tests(buf, results, &s);
    heft_put(buf, "}");
    return HEFT_OK;
}

static void put_settings(heft_buf *buf, const heft_results *results)
{
    const char *split = results->tested      ? "test"
                        : results->from_file ? "file"
                        : results->weka      ? "weka"
                                             : "heft";
    heft_buf_printf(buf,
                    "{\"heft\": \"%s\", \"protocol\": \"%s\", \"folds\": %zu, \"repeats\": %zu, "
                    "\"seed\": %" PRIu64 ",\n \"split\": \"%s\", \"optimistic\": %s,\n",
                    heft_version(), results->whole ? "whole" : "honest", results->folds,
                    results->repeats, results->seed, split, results->whole ? "true" : "false");
}

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    const size_t n_stage = heft_results_stages(results);
    put_settings(buf, results);
    if (results->open) { /* not all is done: there is nothing to sum up yet */
        heft_put(buf, " \"partial\": true,\n");
        put_sets(buf, results);
        heft_put(buf, "}\n");
        return HEFT_OK;
    }
    put_sets(buf, results);
    heft_put(buf, ",\n \"summary\": {");
    const heft_results first = heft_results_at(results, 0);
    HEFT_CHECK(put_summary(ctx, buf, &first));
    for (size_t s = 0; n_stage > 1 && s < n_stage; s++) {
        const heft_results at = heft_results_at(results, s);
        heft_put(buf, s ? ",\n {" : ",\n \"stages\": [\n {");
        put_stage(buf, &at);
        HEFT_CHECK(put_summary(ctx, buf, &at));
        heft_put(buf, s + 1 < n_stage ? "}" : "}]");
    }
    heft_put(buf, "}}\n");
    return HEFT_OK;
}

/* ---- CSV ---- */

/* The number of column k of the figures and measures; its name with cell == NULL. */
static double column_of(const heft_cell *cell, size_t k, const char **name)
{
    const bool   measure = k >= HEFT_N_ACCURACIES && k < HEFT_N_ACCURACIES + HEFT_N_MEASURES;
    const size_t figure = k < HEFT_N_ACCURACIES ? k : k - HEFT_N_MEASURES;
    if (measure) k -= HEFT_N_ACCURACIES;
    *name = measure ? heft_measure_at(k)->name : heft_figures[figure].name;
    if (!cell || cell->failure) return (double)NAN;
    return measure ? cell->measures[k] : heft_figure_of(cell, figure);
}

enum { CSV_COLUMNS = HEFT_N_FIGURES + HEFT_N_MEASURES };

static void put_csv_number(heft_buf *buf, double x)
{
    heft_buf_text(buf, ",");
    if (isfinite(x)) heft_buf_double(buf, x);
}

static void put_csv_cell(heft_buf *buf, const heft_results *results, const heft_results_set *set,
                         const heft_cell *c)
{
    const heft_stage *stage = heft_results_stage(results, 0);
    const char       *name;
    heft_buf_csv(buf, set->name, ',');
    heft_buf_printf(buf, ",%zu,%zu,%zu,", set->n_rows, set->n_attr, set->n_class);
    heft_buf_csv(buf, c->method, ',');
    heft_buf_printf(buf, ",%s,%zu,%zu,%" PRIu64, results->whole ? "whole" : "honest",
                    results->folds, results->repeats, results->seed);
    for (size_t k = 0; k < CSV_COLUMNS; k++) put_csv_number(buf, column_of(c, k, &name));
    put_csv_number(buf, stage->noise);
    put_csv_number(buf, stage->learn);
    heft_buf_printf(buf, ",%s,", stage->dimensions ? stage->dimensions : "");
    if (c->failure) heft_buf_csv(buf, c->failure, ',');
    heft_buf_text(buf, "\n");
}

heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    (void)ctx;
    heft_buf_text(buf, "dataset,rows,attributes,classes,method,protocol,folds,repeats,seed");
    for (size_t k = 0; k < CSV_COLUMNS; k++) {
        const char *name;
        (void)column_of(NULL, k, &name);
        heft_buf_printf(buf, ",%s", name);
    }
    heft_buf_text(buf, ",noise,learn,dimensions,failure\n");
    for (size_t s = 0; s < heft_results_stages(results); s++) {
        const heft_results at = heft_results_at(results, s);
        for (size_t k = 0; k < at.n_data * at.n_method; k++)
            put_csv_cell(buf, &at, &at.sets[k / at.n_method], &at.cells[k]);
    }
    return HEFT_OK;
}
