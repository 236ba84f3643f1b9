/* results_json.c - results for programs: JSON with everything, CSV with a line per data set and
 * method. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"

/* `, "name": x`. */
static void put_field(heft_buf *buf, const char *name, double x)
{
    heft_buf_printf(buf, ", \"%s\": ", name);
    heft_buf_json_number(buf, x);
}

static void put_confusion(heft_buf *buf, const heft_cell *cell)
{
    heft_buf_text(buf, ",\n     \"confusion\": [");
    for (size_t c = 0; c < cell->n_class; c++) {
        heft_buf_text(buf, c ? ", [" : "[");
        for (size_t k = 0; k < cell->n_class; k++)
            heft_buf_printf(buf, k ? ", %zu" : "%zu", cell->confusion[c * cell->n_class + k]);
        heft_buf_text(buf, "]");
    }
    heft_buf_text(buf, "]");
}

/* `"noise": 0.1, `: what the stage is, of what was asked for. */
static void put_stage(heft_buf *buf, const heft_results *results)
{
    const heft_stage *stage = heft_results_stage(results, 0);
    if (results->noisy) {
        heft_buf_text(buf, "\"noise\": ");
        heft_buf_json_number(buf, stage->noise);
        heft_buf_text(buf, ", ");
    }
    if (results->growing) {
        heft_buf_text(buf, "\"learn\": ");
        heft_buf_json_number(buf, stage->learn);
        heft_buf_text(buf, ", ");
    }
    if (results->narrowed && strchr(stage->dimensions, '%'))
        heft_buf_printf(buf, "\"dimensions\": \"%s\", ", stage->dimensions);
    else if (results->narrowed) {
        double n = 0;
        heft_parse_double(stage->dimensions, stage->dimensions + strlen(stage->dimensions), &n);
        heft_buf_printf(buf, "\"dimensions\": %.0f, ", n);
    }
}

static void put_figures(heft_buf *buf, const heft_cell *cell)
{
    for (size_t k = 0; k < HEFT_N_ACCURACIES; k++)
        put_field(buf, heft_figures[k].name, heft_figure_of(cell, k));
    heft_buf_text(buf, ",\n     \"per_fold\": [");
    for (size_t k = 0; k < cell->n_folds; k++) {
        if (k) heft_buf_text(buf, ", ");
        heft_buf_json_number(buf, cell->per_fold[k]);
    }
    heft_buf_text(buf, "]");
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) {
        heft_buf_printf(buf, "%s\"%s\": ", k ? ", " : ",\n     ", heft_measure_at(k)->name);
        heft_buf_json_number(buf, cell->measures[k]);
    }
    if (cell->confusion) put_confusion(buf, cell);
    for (size_t k = HEFT_N_ACCURACIES; k < HEFT_N_FIGURES; k++) {
        heft_buf_printf(buf, "%s\"%s\": ", k > HEFT_N_ACCURACIES ? ", " : ",\n     ",
                        heft_figures[k].name);
        heft_buf_fixed(buf, heft_figure_of(cell, k), 6);
    }
}

static void put_cell(heft_buf *buf, const heft_results *results, size_t d, size_t m)
{
    const heft_cell *cell = heft_results_cell(results, d, m);
    heft_buf_text(buf, "{");
    put_stage(buf, results);
    heft_buf_text(buf, "\"method\": ");
    heft_buf_json(buf, cell->method);
    if (cell->failure) {
        heft_buf_text(buf, ", \"failure\": ");
        heft_buf_json(buf, cell->failure);
    } else {
        put_figures(buf, cell);
    }
    if (results->keys)
        heft_buf_printf(buf, ", \"key\": \"%s\"", results->keys[d * results->n_method + m]);
    heft_buf_text(buf, "}");
}

static void put_classes(heft_buf *buf, const heft_results_set *set)
{
    if (set->checksum) heft_buf_printf(buf, ", \"checksum\": \"%016" PRIx64 "\"", set->checksum);
    if (!set->classes || set->n_class > HEFT_MOST_CONFUSED) return;
    heft_buf_text(buf, ",\n   \"class_names\": [");
    for (size_t c = 0; c < set->n_class; c++) {
        heft_buf_text(buf, c ? ", " : "");
        heft_buf_json(buf, set->classes[c]);
    }
    heft_buf_text(buf, "]");
}

static void put_sets(heft_buf *buf, const heft_results *results)
{
    heft_buf_text(buf, " \"datasets\": [");
    for (size_t d = 0; d < results->n_data; d++) {
        const heft_results_set *set = &results->sets[d];
        bool                    first = true;
        heft_buf_text(buf, d ? ",\n  {\"name\": " : "\n  {\"name\": ");
        heft_buf_json(buf, set->name);
        heft_buf_printf(buf, ", \"rows\": %zu, \"attributes\": %zu, \"classes\": %zu", set->n_rows,
                        set->n_attr, set->n_class);
        put_classes(buf, set);
        heft_buf_text(buf, ",\n   \"methods\": [");
        for (size_t s = 0; s < heft_results_stages(results); s++) {
            const heft_results at = heft_results_at(results, s);
            for (size_t m = 0; m < results->n_method; m++) {
                if (at.open && at.open[d * at.n_method + m]) continue;
                heft_buf_text(buf, first ? "\n    " : ",\n    ");
                put_cell(buf, &at, d, m);
                first = false;
            }
        }
        heft_buf_text(buf, "]}");
    }
    heft_buf_text(buf, "]");
}

/* ---- summary ---- */

/* Each method against the first on each data set; p_holm is adjusted for the methods of the data
 * set. */
static heft_status put_paired(heft_ctx *ctx, heft_buf *buf, const heft_results *results)
{
    bool             first = true;
    heft_difference *t;
    double          *p;
    HEFT_ALLOC(ctx, &ctx->scratch, t, results->n_method);
    HEFT_ALLOC(ctx, &ctx->scratch, p, results->n_method);
    heft_buf_text(buf, ",\n   \"paired_t\": [");
    for (size_t d = 0; d < results->n_data; d++) {
        for (size_t m = 0; m < results->n_method; m++)
            p[m] = heft_results_differ(results, d, m, &t[m]) ? t[m].p : (double)NAN;
        HEFT_CHECK(heft_holm(ctx, p, results->n_method, p));
        for (size_t m = 1; m < results->n_method; m++) {
            if (isnan(p[m])) continue;
            heft_buf_text(buf, first ? "\n    {\"dataset\": " : ",\n    {\"dataset\": ");
            heft_buf_json(buf, results->sets[d].name);
            heft_buf_text(buf, ", \"method\": ");
            heft_buf_json(buf, results->methods[m]);
            put_field(buf, "difference", t[m].mean);
            put_field(buf, "t", t[m].t);
            put_field(buf, "p", t[m].p);
            put_field(buf, "p_holm", p[m]);
            heft_buf_printf(buf, ", \"significant\": %s}",
                            t[m].p < heft_results_alpha(results) ? "true" : "false");
            first = false;
        }
    }
    heft_buf_text(buf, "]");
    return HEFT_OK;
}

static void put_record(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    heft_buf_text(buf, ",\n   \"record\": {");
    for (size_t m = 1; m < results->n_method; m++) {
        const heft_rival *r = &s->rivals[m];
        heft_buf_text(buf, m > 1 ? ", " : "");
        heft_buf_json(buf, results->methods[m]);
        heft_buf_printf(buf,
                        ": {\"wins\": %zu, \"ties\": %zu, \"losses\": %zu, "
                        "\"significantly_better\": %zu, \"significantly_worse\": %zu",
                        r->wins, r->ties, r->losses, r->better, r->worse);
        put_field(buf, "sign_p", r->sign_p);
        put_field(buf, "sign_upper_p", r->sign_upper_p);
        heft_buf_text(buf, "}");
    }
    heft_buf_text(buf, "}");
}

/* `"name": {"nb": ...}`: a field of heft_rival, the methods from `from` on. */
static void put_by_method(heft_buf *buf, const heft_results *results, const heft_summary *s,
                          const char *name, size_t from, size_t field)
{
    heft_buf_printf(buf, "\"%s\": {", name);
    for (size_t m = from; m < results->n_method; m++) {
        double x;
        memcpy(&x, (const char *)&s->rivals[m] + field, sizeof x);
        heft_buf_text(buf, m > from ? ", " : "");
        heft_buf_json(buf, results->methods[m]);
        heft_buf_text(buf, ": ");
        heft_buf_json_number(buf, x);
    }
    heft_buf_text(buf, "}");
}

/* `"name": {"df1": ..., "df2": ..., "F": ..., "p": ...}` */
static void put_f_test(heft_buf *buf, const char *name, const heft_summary *s, double f, double p)
{
    heft_buf_printf(buf, ",\n   \"%s\": {\"df1\": %zu, \"df2\": %zu", name, s->n_ran - 1,
                    (s->n_ran - 1) * (s->n_complete - 1));
    put_field(buf, "F", f);
    put_field(buf, "p", p);
    heft_buf_text(buf, "}");
}

static void put_no_ranks(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    heft_buf why = {0};
    heft_no_ranks(&why, results, s);
    heft_buf_add(&why, "", 1);
    if (results->n_method > 1)
        heft_buf_text(buf, ",\n   \"wilcoxon\": null, \"friedman\": null, \"iman_davenport\": "
                           "null, \"quade\": null, \"nemenyi\": null,\n   ");
    heft_buf_text(buf, "\"note\": ");
    heft_buf_json(buf, why.failed ? "" : why.data);
    buf->failed |= why.failed;
    heft_buf_clear(&why);
}

static void put_rank_tests(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    const size_t k = s->n_ran, n = s->n_complete;
    if (!s->has_ranks) {
        put_no_ranks(buf, results, s);
        return;
    }
    static const struct {
        const char *name;
        size_t      field;
    } against_first[] = {{"wilcoxon", offsetof(heft_rival, wilcoxon)},
                         {"wilcoxon_z", offsetof(heft_rival, wilcoxon_z)},
                         {"wilcoxon_holm", offsetof(heft_rival, wilcoxon_holm)}};
    for (size_t t = 0; t < 3; t++) {
        heft_buf_text(buf, ",\n   ");
        put_by_method(buf, results, s, against_first[t].name, 1, against_first[t].field);
    }
    heft_buf_printf(buf, ",\n   \"friedman\": {\"datasets\": %zu, \"df\": %zu", n, k - 1);
    put_field(buf, "chi2", s->friedman.chi2);
    put_field(buf, "p", s->friedman.chi2_p);
    heft_buf_text(buf, "}");
    put_f_test(buf, "iman_davenport", s, s->friedman.f, s->friedman.p);
    put_f_test(buf, "quade", s, s->quade.f, s->quade.p);
    heft_buf_text(buf, ",\n   \"nemenyi\": {\"critical_difference\": ");
    heft_buf_json_number(buf, s->nemenyi);
    heft_buf_text(buf, "},\n   ");
    put_by_method(buf, results, s, "mean_rank_p", 0, offsetof(heft_rival, mean_rank_p));
    heft_buf_printf(buf, ",\n   \"permutation_bounds\": {\"permutations\": %d", HEFT_PERMUTATIONS);
    put_field(buf, "accuracy_low", s->middle_accuracy - s->accuracy_bound);
    put_field(buf, "accuracy_high", s->middle_accuracy + s->accuracy_bound);
    put_field(buf, "rank_low", ((double)k + 1) / 2 - s->rank_bound);
    put_field(buf, "rank_high", ((double)k + 1) / 2 + s->rank_bound);
    heft_buf_text(buf, "}");
}

/* Mean accuracies, ranks and tests of one stage. */
static heft_status put_summary(heft_ctx *ctx, heft_buf *buf, const heft_results *results)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_summary    s;
    HEFT_TRY(heft_summarise(ctx, results, &s));
    put_by_method(buf, results, &s, "mean_accuracy", 0, offsetof(heft_rival, mean_accuracy));
    heft_buf_text(buf, ",\n  ");
    put_by_method(buf, results, &s, "mean_rank", 0, offsetof(heft_rival, mean_rank));
    heft_buf_text(buf, ",\n  \"tests\": {");
    if (results->n_method > 1) {
        heft_buf_text(buf, "\"reference\": ");
        heft_buf_json(buf, results->methods[0]);
        put_field(buf, "alpha", s.alpha);
        heft_buf_printf(buf, ", \"paired\": \"%s\", \"adjustment\": \"holm\"",
                        results->plain ? "plain" : "corrected");
        if (results->decimals) heft_buf_printf(buf, ", \"decimals\": %d", results->decimals);
        HEFT_TRY(put_paired(ctx, buf, results));
        put_record(buf, results, &s);
    }
    put_rank_tests(buf, results, &s);
    heft_buf_text(buf, "}");
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

static void put_settings(heft_buf *buf, const heft_results *results)
{
    heft_buf_text(buf, "{\"heft\": ");
    heft_buf_json(buf, heft_version());
    heft_buf_printf(buf,
                    ", \"protocol\": \"%s\", \"folds\": %zu, \"repeats\": %zu, \"seed\": %" PRIu64
                    ",\n \"split\": \"%s\", \"optimistic\": %s,\n",
                    results->whole ? "whole" : "honest", results->folds, results->repeats,
                    results->seed,
                    results->tested      ? "test"
                    : results->from_file ? "file"
                    : results->weka      ? "weka"
                                         : "heft",
                    results->whole ? "true" : "false");
}

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    const size_t n_stage = heft_results_stages(results);
    put_settings(buf, results);
    if (results->open) { /* not all is done: there is nothing to sum up yet */
        heft_buf_text(buf, " \"partial\": true,\n");
        put_sets(buf, results);
        heft_buf_text(buf, "}\n");
        return HEFT_OK;
    }
    put_sets(buf, results);
    heft_buf_text(buf, ",\n \"summary\": {");
    const heft_results first = heft_results_at(results, 0);
    HEFT_CHECK(put_summary(ctx, buf, &first));
    for (size_t s = 0; n_stage > 1 && s < n_stage; s++) {
        const heft_results at = heft_results_at(results, s);
        heft_buf_text(buf, s ? ",\n {" : ",\n \"stages\": [\n {");
        put_stage(buf, &at);
        HEFT_CHECK(put_summary(ctx, buf, &at));
        heft_buf_text(buf, s + 1 < n_stage ? "}" : "}]");
    }
    heft_buf_text(buf, "}}\n");
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
