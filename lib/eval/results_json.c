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

static void put_cell(heft_buf *buf, const heft_cell *cell)
{
    heft_buf_text(buf, "{\"method\": ");
    put_string(buf, cell->method);
    if (cell->failure) {
        heft_buf_text(buf, ", \"failure\": ");
        put_string(buf, cell->failure);
        heft_buf_text(buf, "}");
        return;
    }
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
    heft_buf_text(buf, ",\n     \"fit_seconds\": ");
    heft_buf_fixed(buf, cell->fit_seconds, 6);
    heft_buf_text(buf, ", \"predict_seconds\": ");
    heft_buf_fixed(buf, cell->predict_seconds, 6);
    heft_buf_text(buf, "}");
}

static void put_sets(heft_buf *buf, const heft_results *results)
{
    heft_buf_text(buf, " \"datasets\": [");
    for (size_t d = 0; d < results->n_data; d++) {
        const heft_results_set *set = &results->sets[d];
        heft_buf_text(buf, d ? ",\n  {\"name\": " : "\n  {\"name\": ");
        put_string(buf, set->name);
        heft_buf_printf(
            buf, ", \"rows\": %zu, \"attributes\": %zu, \"classes\": %zu,\n   \"methods\": [",
            set->n_rows, set->n_attr, set->n_class);
        for (size_t m = 0; m < results->n_method; m++) {
            heft_buf_text(buf, m ? ",\n    " : "\n    ");
            put_cell(buf, heft_results_cell(results, d, m));
        }
        heft_buf_text(buf, "]}");
    }
    heft_buf_text(buf, "],\n");
}

/* ---- summary ---- */

static void put_paired(heft_buf *buf, const heft_results *results)
{
    bool first = true;
    heft_buf_text(buf, ",\n   \"paired_t\": [");
    for (size_t d = 0; d < results->n_data; d++)
        for (size_t m = 1; m < results->n_method; m++) {
            heft_difference t;
            if (!heft_results_differ(results, d, m, &t)) continue;
            heft_buf_text(buf, first ? "\n    {\"dataset\": " : ",\n    {\"dataset\": ");
            put_string(buf, results->sets[d].name);
            heft_buf_text(buf, ", \"method\": ");
            put_string(buf, results->methods[m]);
            put_field(buf, "difference", t.mean);
            put_field(buf, "t", t.t);
            put_field(buf, "p", t.p);
            heft_buf_text(buf, "}");
            first = false;
        }
    heft_buf_text(buf, "]");
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
                        "\"significantly_better\": %zu, \"significantly_worse\": %zu}",
                        r->wins, r->ties, r->losses, r->better, r->worse);
    }
    heft_buf_text(buf, "}");
}

static void put_rank_tests(heft_buf *buf, const heft_results *results, const heft_summary *s)
{
    if (!s->has_friedman) {
        heft_buf_printf(
            buf,
            ",\n   \"friedman\": null, \"wilcoxon\": null,\n   \"note\": \"tests on ranks "
            "need two data sets with figures for all methods; there %s %zu\"",
            s->n_complete == 1 ? "is" : "are", s->n_complete);
        return;
    }
    heft_buf_printf(buf, ",\n   \"friedman\": {\"datasets\": %zu", s->n_complete);
    put_field(buf, "chi2", s->friedman.chi2);
    put_field(buf, "F", s->friedman.f);
    put_field(buf, "p", s->friedman.p);
    heft_buf_text(buf, "},\n   \"wilcoxon\": {");
    for (size_t m = 1; m < results->n_method; m++) {
        heft_buf_text(buf, m > 1 ? ", " : "");
        put_string(buf, results->methods[m]);
        heft_buf_text(buf, ": ");
        put_number(buf, s->rivals[m].wilcoxon);
    }
    heft_buf_text(buf, "}");
}

static void put_by_method(heft_buf *buf, const heft_results *results, const heft_summary *s,
                          const char *name, bool rank)
{
    heft_buf_printf(buf, "\"%s\": {", name);
    for (size_t m = 0; m < results->n_method; m++) {
        heft_buf_text(buf, m ? ", " : "");
        put_string(buf, results->methods[m]);
        heft_buf_text(buf, ": ");
        put_number(buf, rank ? s->rivals[m].mean_rank : s->rivals[m].mean_accuracy);
    }
    heft_buf_text(buf, "},\n  ");
}

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    heft_status  st = HEFT_OK;
    heft_summary s;
    HEFT_TRY(heft_summarise(ctx, results, &s));
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
    put_sets(buf, results);
    heft_buf_text(buf, " \"summary\": {");
    put_by_method(buf, results, &s, "mean_accuracy", false);
    put_by_method(buf, results, &s, "mean_rank", true);
    heft_buf_text(buf, "\"tests\": {");
    if (results->n_method > 1) {
        heft_buf_text(buf, "\"reference\": ");
        put_string(buf, results->methods[0]);
        put_paired(buf, results);
        put_record(buf, results, &s);
        put_rank_tests(buf, results, &s);
    }
    heft_buf_text(buf, "}}}\n");
done:
    return st;
}

/* ---- CSV ---- */

static void put_csv_number(heft_buf *buf, double x)
{
    heft_buf_text(buf, ",");
    if (isfinite(x)) heft_buf_double(buf, x);
}

heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    (void)ctx;
    heft_buf_text(buf,
                  "dataset,rows,attributes,classes,method,protocol,folds,repeats,seed,accuracy,"
                  "accuracy_sd,accuracy_pooled,micro_f1,macro_f1,log_loss,brier,auc,"
                  "fit_seconds,predict_seconds,failure\n");
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_results_set *set = &results->sets[k / results->n_method];
        const heft_cell        *c = &results->cells[k];
        const double            figures[] = {c->accuracy,       c->accuracy_sd, c->accuracy_pooled,
                                             c->micro_f1,       c->macro_f1,    c->log_loss,
                                             c->brier,          c->auc,         c->fit_seconds,
                                             c->predict_seconds};
        heft_buf_csv(buf, set->name, ',');
        heft_buf_printf(buf, ",%zu,%zu,%zu,", set->n_rows, set->n_attr, set->n_class);
        heft_buf_csv(buf, c->method, ',');
        heft_buf_printf(buf, ",%s,%zu,%zu,%" PRIu64, results->whole ? "whole" : "honest",
                        results->folds, results->repeats, results->seed);
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
            put_csv_number(buf, c->failure ? (double)NAN : figures[f]);
        heft_buf_text(buf, ",");
        if (c->failure) heft_buf_csv(buf, c->failure, ',');
        heft_buf_text(buf, "\n");
    }
    return HEFT_OK;
}
