/* results_json.c - results for programs: JSON with everything, CSV with a line per data set and
 * method. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Length of the UTF-8 character at s, 0 where the bytes are none. */
static size_t utf8_length(const unsigned char *s)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t          n = s[0] < 0x80       ? 1
                              : s[0] >> 5 == 6  ? 2
                              : s[0] >> 4 == 14 ? 3
                              : s[0] >> 3 == 30 ? 4
                                                : 0;
    if (n <= 1) return n;
    uint32_t code = s[0] & (0x7fu >> n);
    for (size_t k = 1; k < n; k++) {
        if (s[k] >> 6 != 2) return 0; /* also at the terminating 0 */
        code = code << 6 | (s[k] & 0x3fu);
    }
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

static void put_string(heft_buf *buf, const char *text)
{
    heft_buf_text(buf, "\"");
    for (const char *s = text; *s;) {
        const unsigned char c = (unsigned char)*s;
        const size_t        n = utf8_length((const unsigned char *)s);
        if (c == '"' || c == '\\') heft_buf_printf(buf, "\\%c", c);
        else if (c < 0x20 || c == 0x7f) heft_buf_printf(buf, "\\u%04x", c);
        else if (n == 0) heft_buf_text(buf, "\\ufffd");
        else heft_buf_add(buf, s, n);
        s += n ? n : 1;
    }
    heft_buf_text(buf, "\"");
}

static void put_number(heft_buf *buf, double x)
{
    if (isfinite(x)) heft_buf_double(buf, x);
    else heft_buf_text(buf, "null");
}

static void put_field(heft_buf *buf, const char *name, double x)
{
    heft_buf_printf(buf, ", \"%s\": ", name);
    put_number(buf, x);
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
        put_number(buf, stage->noise);
        heft_buf_text(buf, ", ");
    }
    if (results->growing) {
        heft_buf_text(buf, "\"learn\": ");
        put_number(buf, stage->learn);
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
    put_field(buf, "accuracy", cell->accuracy);
    put_field(buf, "accuracy_sd", cell->accuracy_sd);
    put_field(buf, "accuracy_pooled", cell->accuracy_pooled);
    heft_buf_text(buf, ",\n     \"per_fold\": [");
    for (size_t k = 0; k < cell->n_folds; k++) {
        if (k) heft_buf_text(buf, ", ");
        put_number(buf, cell->per_fold[k]);
    }
    heft_buf_text(buf, "],\n     \"micro_f1\": ");
    put_number(buf, cell->micro_f1);
    put_field(buf, "macro_f1", cell->macro_f1);
    put_field(buf, "log_loss", cell->log_loss);
    put_field(buf, "brier", cell->brier);
    put_field(buf, "auc", cell->auc);
    put_field(buf, "calibration_error", cell->calibration_error);
    if (cell->confusion) put_confusion(buf, cell);
    heft_buf_text(buf, ",\n     \"fit_seconds\": ");
    heft_buf_fixed(buf, cell->fit_seconds, 6);
    heft_buf_text(buf, ", \"predict_seconds\": ");
    heft_buf_fixed(buf, cell->predict_seconds, 6);
}

static void put_cell(heft_buf *buf, const heft_results *results, size_t d, size_t m)
{
    const heft_cell *cell = heft_results_cell(results, d, m);
    heft_buf_text(buf, "{");
    put_stage(buf, results);
    heft_buf_text(buf, "\"method\": ");
    put_string(buf, cell->method);
    if (cell->failure) {
        heft_buf_text(buf, ", \"failure\": ");
        put_string(buf, cell->failure);
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
        put_string(buf, set->classes[c]);
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
        put_string(buf, set->name);
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
            put_string(buf, results->sets[d].name);
            heft_buf_text(buf, ", \"method\": ");
            put_string(buf, results->methods[m]);
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
        put_string(buf, results->methods[m]);
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

typedef double rival_fn(const heft_rival *r);

static double own_accuracy(const heft_rival *r)
{
    return r->mean_accuracy;
}

static double own_rank(const heft_rival *r)
{
    return r->mean_rank;
}

static double own_rank_p(const heft_rival *r)
{
    return r->mean_rank_p;
}

static double own_wilcoxon(const heft_rival *r)
{
    return r->wilcoxon;
}

static double own_z(const heft_rival *r)
{
    return r->wilcoxon_z;
}

static double own_holm(const heft_rival *r)
{
    return r->wilcoxon_holm;
}

/* `"name": {"nb": ...}`, the methods from `from` on. */
static void put_by_method(heft_buf *buf, const heft_results *results, const heft_summary *s,
                          const char *name, size_t from, rival_fn *figure)
{
    heft_buf_printf(buf, "\"%s\": {", name);
    for (size_t m = from; m < results->n_method; m++) {
        heft_buf_text(buf, m > from ? ", " : "");
        put_string(buf, results->methods[m]);
        heft_buf_text(buf, ": ");
        put_number(buf, figure(&s->rivals[m]));
    }
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
    put_string(buf, why.failed ? "" : why.data);
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
    heft_buf_text(buf, ",\n   ");
    put_by_method(buf, results, s, "wilcoxon", 1, own_wilcoxon);
    heft_buf_text(buf, ",\n   ");
    put_by_method(buf, results, s, "wilcoxon_z", 1, own_z);
    heft_buf_text(buf, ",\n   ");
    put_by_method(buf, results, s, "wilcoxon_holm", 1, own_holm);
    heft_buf_printf(buf, ",\n   \"friedman\": {\"datasets\": %zu, \"df\": %zu", n, k - 1);
    put_field(buf, "chi2", s->friedman.chi2);
    put_field(buf, "p", s->friedman.chi2_p);
    heft_buf_printf(buf, "},\n   \"iman_davenport\": {\"df1\": %zu, \"df2\": %zu", k - 1,
                    (k - 1) * (n - 1));
    put_field(buf, "F", s->friedman.f);
    put_field(buf, "p", s->friedman.p);
    heft_buf_printf(buf, "},\n   \"quade\": {\"df1\": %zu, \"df2\": %zu", k - 1, (k - 1) * (n - 1));
    put_field(buf, "F", s->quade.f);
    put_field(buf, "p", s->quade.p);
    heft_buf_text(buf, "},\n   \"nemenyi\": {\"critical_difference\": ");
    put_number(buf, s->nemenyi);
    heft_buf_text(buf, "},\n   ");
    put_by_method(buf, results, s, "mean_rank_p", 0, own_rank_p);
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
    put_by_method(buf, results, &s, "mean_accuracy", 0, own_accuracy);
    heft_buf_text(buf, ",\n  ");
    put_by_method(buf, results, &s, "mean_rank", 0, own_rank);
    heft_buf_text(buf, ",\n  \"tests\": {");
    if (results->n_method > 1) {
        heft_buf_text(buf, "\"reference\": ");
        put_string(buf, results->methods[0]);
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
    put_string(buf, heft_version());
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

static void put_csv_number(heft_buf *buf, double x)
{
    heft_buf_text(buf, ",");
    if (isfinite(x)) heft_buf_double(buf, x);
}

static void put_csv_cell(heft_buf *buf, const heft_results *results, const heft_results_set *set,
                         const heft_cell *c)
{
    const heft_stage *stage = heft_results_stage(results, 0);
    const double figures[] = {c->accuracy,          c->accuracy_sd, c->accuracy_pooled, c->micro_f1,
                              c->macro_f1,          c->log_loss,    c->brier,           c->auc,
                              c->calibration_error, c->fit_seconds, c->predict_seconds};
    heft_buf_csv(buf, set->name, ',');
    heft_buf_printf(buf, ",%zu,%zu,%zu,", set->n_rows, set->n_attr, set->n_class);
    heft_buf_csv(buf, c->method, ',');
    heft_buf_printf(buf, ",%s,%zu,%zu,%" PRIu64, results->whole ? "whole" : "honest",
                    results->folds, results->repeats, results->seed);
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
        put_csv_number(buf, c->failure ? (double)NAN : figures[f]);
    put_csv_number(buf, stage->noise);
    put_csv_number(buf, stage->learn);
    heft_buf_printf(buf, ",%s,", stage->dimensions ? stage->dimensions : "");
    if (c->failure) heft_buf_csv(buf, c->failure, ',');
    heft_buf_text(buf, "\n");
}

heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    (void)ctx;
    heft_buf_text(buf,
                  "dataset,rows,attributes,classes,method,protocol,folds,repeats,seed,accuracy,"
                  "accuracy_sd,accuracy_pooled,micro_f1,macro_f1,log_loss,brier,auc,"
                  "calibration_error,fit_seconds,predict_seconds,noise,learn,dimensions,failure\n");
    for (size_t s = 0; s < heft_results_stages(results); s++) {
        const heft_results at = heft_results_at(results, s);
        for (size_t k = 0; k < at.n_data * at.n_method; k++)
            put_csv_cell(buf, &at, &at.sets[k / at.n_method], &at.cells[k]);
    }
    return HEFT_OK;
}
