/* headline.c - what a comparison comes to by each measure, in numbers and in words. */
#include "eval/headline.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/put.h"

enum { NAME = 200 /* bytes of a name in a sentence */ };

double heft_drawn_value(const heft_cell *cell, size_t k)
{
    if (cell->failure) return (double)NAN;
    return k ? cell->measures[k - 1] : cell->accuracy;
}

bool heft_drawn_shown(const heft_results *results, size_t k)
{
    if (k && heft_measures_at(k - 1)->decimals == 0) return false;
    if (k)
        for (size_t i = 0; i < results->n_data * results->n_method; i++)
            if (isfinite(heft_drawn_value(&results->cells[i], k))) return true;
    return k == 0;
}

const char *heft_drawn_title(size_t k)
{
    return k ? heft_measures_at(k - 1)->title : "accuracy";
}

static double sign_of(size_t k)
{
    return k == 0 || heft_measures_at(k - 1)->higher_is_better ? 1 : -1;
}

/* ---- ranks ---- */

static double signed_value(const heft_results *r, size_t d, size_t m, size_t k)
{
    return sign_of(k) * heft_drawn_value(heft_cell_of(r, d, m), k);
}

static heft_status rank_methods(heft_ctx *ctx, const heft_results *r, const heft_summary *s,
                                size_t k, heft_places *p)
{
    heft_ranking by;
    *p = (heft_places){.best = SIZE_MAX, .cd = (double)NAN, .friedman = {.chi2_p = (double)NAN}};
    HEFT_ALLOC(ctx, &ctx->scratch, p->of, r->n_method);
    HEFT_CHECK(heft_rank_methods(ctx, r, signed_value, k, &by));
    const double n = (double)(p->n_sets = by.n_sets), sign = sign_of(k);
    p->n = by.n;
    for (size_t m = 0, j = 0; m < r->n_method; j += by.has[m++]) {
        heft_place *one = &p->of[m];
        one->rank = one->value = by.has[m] && n > 0 ? 0 : (double)NAN;
        if (isnan(one->value)) continue;
        for (size_t at = j; at < by.n_sets * by.n; at += by.n) {
            one->rank += by.rank[at] / n;
            one->value += sign * by.value[at] / n;
        }
        if (p->best == SIZE_MAX || sign * one->value > sign * p->of[p->best].value + HEFT_SAME)
            p->best = m;
    }
    if (k == 0) /* the ranks of all documents: accuracies may be rounded first */
        for (size_t m = 0; m < r->n_method; m++) p->of[m].rank = s->by_method[m].mean_rank;
    if (p->n_sets < 2 || p->n < 2) return HEFT_OK;
    p->cd = heft_nemenyi(p->n, p->n_sets, s->alpha);
    p->friedman = k ? heft_friedman_test(by.rank, p->n_sets, p->n) : s->friedman;
    return HEFT_OK;
}

/* ---- sentences ---- */

static void end_text(heft_buf *out)
{
    heft_buf_add(out, "", 1);
}

static void put_figure(heft_headline *h, double x, int decimals, bool percent)
{
    heft_buf_fixed(&h->figures, percent ? 100 * x : x, decimals);
    heft_put(&h->figures, "%s", percent ? "%" : "");
    end_text(&h->figures);
}

static const char *noun(const heft_results *r)
{
    return r->design.saved ? "model" : "method";
}

/* The best method, and the first one beside it. */
static void say_best(const heft_results *r, size_t k, heft_headline *h)
{
    const heft_places *p = &h->places;
    const int          decimals = k ? heft_measures_at(k - 1)->decimals : 1;
    put_figure(h, p->of[p->best].value, decimals, k == 0);
    heft_put(&h->figures, "%s%s", p->n_sets > 1 ? "mean " : "", heft_drawn_title(k));
    end_text(&h->figures);
    heft_put(&h->text, "%200q", r->methods[p->best]);
    if (p->n > 1)
        heft_put(&h->text, " is the best of %s by %s", HEFT_COUNT_OF(p->n, noun(r)),
                 heft_drawn_title(k));
    if (p->n_sets > 1) heft_put(&h->text, ", mean over %s", HEFT_COUNT_OF(p->n_sets, "data set"));
    if (p->n_sets > 1 && p->n > 1)
        heft_put(&h->text, "; its mean rank is %2f", p->of[p->best].rank);
    heft_put(&h->text, ".");
    end_text(&h->text);
    if (p->best == 0 || !isfinite(p->of[0].value)) return;
    heft_put(&h->text, "%200q, the first %s: ", r->methods[0], noun(r));
    heft_buf_fixed(&h->text, p->of[0].value * (k ? 1 : 100), decimals);
    heft_put(&h->text, "%s.", k ? "" : "%");
    end_text(&h->text);
}

/* Whether the best is so by more than chance. */
static heft_status say_chance(heft_ctx *ctx, const heft_results *r, const heft_summary *s, size_t k,
                              heft_headline *h)
{
    const heft_places *p = &h->places;
    heft_verdict v = {isnan(p->cd) ? NULL : "Friedman's test", true, p->friedman.chi2_p, 0, 0};
    if (p->n < 2) return HEFT_OK;
    if (k == 0) HEFT_CHECK(heft_judge(ctx, r, s, p->best, &v));
    if (v.test) heft_put_verdict(&h->text, &v, s->alpha);
    else heft_put(&h->text, "Whether the difference is more than chance is not tested");
    heft_put(&h->text, ".");
    end_text(&h->text);
    return HEFT_OK;
}

static void say_baseline(const heft_cell *cell, const heft_lead *lead, heft_buf *out)
{
    heft_put(out, "%sBaseline: %1f%%, by always predicting the most frequent class",
             lead->below ? "The accuracy is not above the baseline. " : "", 100 * lead->baseline);
    if (cell->classes) heft_put(out, ", %200q", cell->classes[lead->frequent]);
    heft_put(out, ".");
    end_text(out);
}

/* The baseline of the only data set, or how many of them the best method does not beat it on. */
static void compare_baseline(const heft_results *r, heft_headline *h)
{
    const size_t     best = h->places.best;
    const heft_cell *cell = heft_cell_of(r, 0, best);
    size_t           n = 0, below = 0;
    for (size_t d = 0; d < r->n_data; d++) {
        if (heft_cell_of(r, d, best)->failure) continue;
        n++;
        below += heft_cell_lead(heft_cell_of(r, d, best)).below;
    }
    if (!cell->per_class) return;
    const heft_lead lead = heft_cell_lead(cell);
    if (r->n_data == 1) say_baseline(cell, &lead, &h->text);
    else if (below) {
        heft_put(&h->text,
                 "On %z of %s it is not above the baseline, which always predicts the most "
                 "frequent class.",
                 below, HEFT_COUNT_OF(n, "data set"));
        end_text(&h->text);
    }
}

/* The method with the highest average precision of the rare class on the only data set, where
 * accuracy says little there; SIZE_MAX: accuracies can lead. */
static size_t find_rare(const heft_results *r)
{
    size_t best = SIZE_MAX;
    double most = -1;
    bool   any = false;
    if (r->n_data > 1) return SIZE_MAX;
    for (size_t m = 0; m < r->n_method; m++) {
        const heft_cell *cell = heft_cell_of(r, 0, m);
        if (cell->failure) continue;
        const heft_lead lead = heft_cell_lead(cell);
        any = any || lead.any;
        if (lead.figure[HEFT_N_LEAD - 1].value > most + HEFT_SAME)
            best = m, most = lead.figure[HEFT_N_LEAD - 1].value;
    }
    return any ? best : SIZE_MAX;
}

static void say_rare(const heft_results *r, heft_headline *h)
{
    const heft_cell *cell = heft_cell_of(r, 0, h->lead);
    const heft_lead  lead = heft_cell_lead(cell);
    const char      *rare = lead.of_class ? cell->classes[lead.rarest] : "";
    for (size_t k = 0; k < HEFT_N_LEAD; k++) {
        const heft_lead_figure *f = &lead.figure[k];
        const bool              share = lead.of_class && k < 2;
        put_figure(h, f->value, share ? 1 : 3, share);
        heft_put(&h->figures, "%s%s%200q", f->title, lead.of_class ? " of " : "", rare);
        if (isfinite(f->baseline) && f->baseline > 0)
            heft_put(&h->figures, " (baseline %3f)", f->baseline);
        end_text(&h->figures);
    }
    if (r->n_method > 1) {
        heft_put(&h->text, "%200q has the highest %s of %s.", cell->method,
                 lead.figure[HEFT_N_LEAD - 1].title, HEFT_COUNT_OF(r->n_method, noun(r)));
        end_text(&h->text);
    }
    if (lead.of_class) {
        heft_put(&h->text,
                 "Recall: the share of the rows of %200q that are found. Precision: the share of "
                 "the rows predicted as %200q that are.",
                 rare, rare);
        end_text(&h->text);
    }
    heft_put(&h->text, "Measured on %s. Accuracy, %1f%%, says little here.",
             r->folds > 1 ? "all test rows of a repeat" : "the test rows", 100 * cell->accuracy);
    end_text(&h->text);
    say_baseline(cell, &lead, &h->text);
}

heft_status heft_headline_find(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                               size_t k, heft_headline *out)
{
    *out = (heft_headline){.lead = SIZE_MAX};
    HEFT_CHECK(rank_methods(ctx, results, s, k, &out->places));
    out->lead = k ? SIZE_MAX : find_rare(results);
    if (out->lead != SIZE_MAX) {
        say_rare(results, out);
        return HEFT_OK;
    }
    out->lead = out->places.best;
    if (out->lead == SIZE_MAX) {
        heft_put(&out->text, "No data set has figures of every method.");
        end_text(&out->text);
        return HEFT_OK;
    }
    say_best(results, k, out);
    HEFT_CHECK(say_chance(ctx, results, s, k, out));
    if (k == 0) compare_baseline(results, out);
    return HEFT_OK;
}

void heft_headline_clear(heft_headline *h)
{
    heft_buf_clear(&h->figures);
    heft_buf_clear(&h->text);
}

void heft_put_title(heft_buf *out, const heft_results *results)
{
    if (results->n_method == 1) heft_put(out, "%200q on ", results->methods[0]);
    else heft_put(out, "%s on ", HEFT_COUNT_OF(results->n_method, noun(results)));
    if (results->n_data == 1) heft_put(out, "%200q", results->sets[0].name);
    else heft_put(out, "%s", HEFT_COUNT_OF(results->n_data, "data set"));
}

void heft_put_how(heft_buf *out, const heft_results *results)
{
    const char *before = "Imported accuracies, without other measures: ";
    heft_put_split(out, results);
    if (!results->design.tested) {
        heft_put(out, ", %s, seed ", HEFT_COUNT_OF(results->repeats, "repeat"));
        heft_buf_printf(out, "%" PRIu64, results->seed);
        heft_put(out, "%s%s", results->design.weka ? ", Weka's splits" : "",
                 results->design.whole
                     ? "; the preparation was learned on all rows, test rows too, "
                       "so the results are optimistic"
                     : "");
    }
    if (heft_n_stages(results) > 1)
        heft_put(out, "; if not stated otherwise, the figures are for %100q",
                 heft_stage_at(results, heft_results_headline(results))->name);
    heft_put(out, ".");
    end_text(out);
    for (size_t m = 0; m < results->n_method; m++) {
        if (!results->cells[m].imported) continue;
        heft_put(out, "%s%200q", before, results->methods[m]);
        before = ", ";
    }
    if (*before != ',') return;
    heft_put(out, ".");
    end_text(out);
}

/* ---- JSON ---- */

/* "name": ["...", ...] of texts that each end with a zero byte. */
static void put_texts(heft_buf *out, const char *name, const heft_buf *texts)
{
    heft_put(out, "\"%s\": [", name);
    for (size_t at = 0; at < texts->length; at += strlen(texts->data + at) + 1)
        heft_put(out, "%s%j", at ? ", " : "", texts->data + at);
    heft_put(out, "]");
    out->failed |= texts->failed;
}

static void put_means(heft_buf *out, const char *name, const heft_results *r, const heft_places *p,
                      bool ranks)
{
    heft_put(out, "\"%s\": {", name);
    for (size_t m = 0; m < r->n_method; m++)
        heft_put(out, "%s%j: %n", m ? ", " : "", r->methods[m],
                 ranks ? p->of[m].rank : p->of[m].value);
    heft_put(out, "}, ");
}

static heft_status put_measure(heft_ctx *ctx, heft_buf *out, const heft_results *r,
                               const heft_summary *s, size_t k)
{
    const heft_measure_info  *info = k ? heft_measures_at(k - 1) : NULL;
    HEFT_LOCAL(heft_headline) h = {0};
    const heft_places        *p = &h.places;
    HEFT_CHECK(heft_headline_find(ctx, r, s, k, &h));
    heft_put(out,
             "{\"name\": \"%s\", \"title\": \"%s\", \"description\": \"%s\", "
             "\"higher_is_better\": %s, \"percent\": %s, \"decimals\": %l, \"least\": %n, "
             "\"most\": %n,\n   \"datasets\": %z, ",
             heft_drawn_name(k), heft_drawn_title(k),
             info ? info->description
                  : "share of the test rows that are predicted right, mean over the folds",
             sign_of(k) > 0 ? "true" : "false", k ? "false" : "true",
             info ? (long)info->decimals : 2, info ? info->least : 0, info ? floor(info->most) : 1,
             p->n_sets);
    put_means(out, "mean", r, p, false);
    put_means(out, "mean_rank", r, p, true);
    heft_put(out, "\"friedman_p\": %n, \"critical_difference\": %n,\n   \"leads\": %j, ",
             p->friedman.chi2_p, p->cd, h.lead == SIZE_MAX ? NULL : r->methods[h.lead]);
    put_texts(out, "figures", &h.figures);
    heft_put(out, ", ");
    put_texts(out, "text", &h.text);
    heft_put(out, "}");
    return HEFT_OK;
}

heft_status heft_put_measures(heft_ctx *ctx, heft_buf *out, const heft_results *results,
                              const heft_summary *s)
{
    const heft_results full = heft_results_at(results, heft_results_headline(results));
    const char        *before = "";
    HEFT_SIDE_TEXT(title, out);
    HEFT_SIDE_TEXT(how, out);
    heft_put_title(&title, results);
    heft_put_how(&how, results);
    heft_put(out, ",\n \"title\": %j, ", heft_buf_string(&title));
    put_texts(out, "how", &how);
    heft_put(out, ",\n \"measures\": [");
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        if (!heft_drawn_shown(&full, k)) continue;
        heft_put(out, "%s\n  ", before);
        before = ",";
        HEFT_CHECK(put_measure(ctx, out, &full, s, k));
    }
    heft_put(out, "]");
    return HEFT_OK;
}
