/* report_data.c - a model held against rows whose class is known: measures, confusion, reliability,
 * ROC, and the rows it is most sure about and wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "eval/eval.h"
#include "pages/page.h"
#include "train/fit.h"

enum { CONFUSED = 20, BINS = 10, CURVES = 6, WRONG = 5, STEPS = 200, MOST_UNKNOWN = 100 };

typedef struct judged {
    const heft_page  *p;
    const heft_table *table;
    size_t            n, n_known, n_wrong;
    size_t            K;         /* classes: the model's, then those that only rows have */
    const char      **classes;   /* K */
    heft_unknown      unknown;   /* the rows of these */
    double           *proba;     /* n x K */
    uint16_t         *y, *guess; /* y == K: the row has no class or no weight */
    size_t           *count;     /* rows of each class */
    size_t           *rank;      /* classes, the most frequent first */
    heft_measures     all;
} judged;

/* ---- judging ---- */

/* The classes that only rows have follow the model's; of very many the last stands for the rest. */
static heft_status name_classes(const heft_page *p, judged *g)
{
    const size_t more = heft_dict_size(g->unknown.classes);
    g->K = p->K + (more < MOST_UNKNOWN ? more : MOST_UNKNOWN);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->classes, g->K);
    for (size_t c = 0; c < g->K; c++)
        g->classes[c] =
            c < p->K ? p->classes[c] : heft_dict_text(g->unknown.classes, (uint32_t)(c - p->K));
    return HEFT_OK;
}

/* The number of a class that the model does not know. */
static size_t place_unknown(const judged *g, size_t i)
{
    const heft_column *target = g->table->target;
    const uint32_t     v = heft_code_at(target->cells, target->width, i);
    const size_t c = g->p->K + heft_dict_find(g->unknown.classes, heft_dict_text(target->dict, v),
                                              heft_dict_length(target->dict, v));
    return c < g->K ? c : g->K - 1;
}

/* Lines of `from` probabilities become lines of `to`; the classes added have probability 0. */
static void widen(double *proba, size_t n, size_t from, size_t to)
{
    for (size_t i = n; to > from && i-- > 0;) {
        memmove(proba + i * to, proba + i * from, from * sizeof *proba);
        for (size_t c = from; c < to; c++) proba[i * to + c] = 0;
    }
}

/* proba and unknown are the caller's to free. */
static heft_status judge(const heft_page *p, const heft_table *table, judged *g)
{
    heft_ctx *ctx = p->ctx;
    size_t    cells, width;
    int32_t  *truth;
    HEFT_ALLOC(ctx, &ctx->scratch, truth, g->n);
    HEFT_CHECK(heft_truth(ctx, p->model, table, truth, &g->unknown));
    HEFT_CHECK(heft_warn_unknown(ctx, p->model, table->name, &g->unknown));
    HEFT_CHECK(name_classes(p, g));
    const size_t K = g->K;
    HEFT_CHECK(heft_check_judged(ctx, table, g->n, K));
    if (!heft_product(table->n_rows, K, &cells) || !heft_product(cells, sizeof(double), &width))
        return heft_no_memory(ctx, table->n_rows, K * sizeof(double));
    g->proba = heft_alloc(cells, sizeof *g->proba);
    if (!g->proba) return heft_no_memory(ctx, cells, sizeof *g->proba);
    HEFT_ALLOCS(ctx, &ctx->scratch, g->n, g->y, g->guess);
    HEFT_ALLOCS(ctx, &ctx->scratch, K, g->count, g->rank);
    HEFT_CHECK(heft_posterior(ctx, p->model, table, g->proba));
    widen(g->proba, g->n, p->K, K);
    for (size_t i = 0; i < g->n; i++) {
        const size_t c = truth[i] == HEFT_NO_CLASS        ? K
                         : truth[i] == HEFT_UNKNOWN_CLASS ? place_unknown(g, i)
                                                          : (size_t)truth[i];
        g->y[i] = (uint16_t)c;
        g->guess[i] = (uint16_t)heft_decide(&p->model->decision, g->proba + i * K, p->K);
        if (c == K) continue;
        g->n_known++;
        g->count[c]++;
        g->n_wrong += g->guess[i] != c;
    }
    for (size_t c = 0; c < K; c++) g->rank[c] = c;
    for (size_t a = 0; a < K && a < CONFUSED; a++) { /* only the first few are shown */
        size_t best = a;
        for (size_t b = a + 1; b < K; b++)
            if (g->count[g->rank[b]] > g->count[g->rank[best]]) best = b;
        const size_t c = g->rank[best];
        memmove(g->rank + a + 1, g->rank + a, (best - a) * sizeof *g->rank);
        g->rank[a] = c;
    }
    const heft_outcomes rows = {
        .proba = g->proba, .y = g->y, .guess = g->guess, .n = g->n, .n_class = K};
    if (g->n_known) HEFT_CHECK(heft_measure(ctx, &rows, &g->all, NULL));
    return HEFT_OK;
}

static void write_measures(const judged *g)
{
    heft_buf *out = g->p->out;
    char      list[400];
    heft_html_figure(out, "Measures");
    heft_put(out, "<table id=\"measures\">\n");
    heft_html_fact(out, g->table->weight ? "rows with a class and a weight" : "rows with a class",
                   "%z of %z", g->n_known, g->n);
    if (g->unknown.n_rows)
        heft_html_fact(out, "of a class that the model does not know", "%z, counted as wrong: %s",
                       g->unknown.n_rows, heft_show_classes(g->unknown.classes, list, sizeof list));
    heft_html_fact(out, "accuracy", "%4g", (double)g->all.right / (double)g->all.n);
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) {
        const heft_measure_info *m = heft_measure_at(k);
        if (m->decimals && !isnan(g->all.value[k]))
            heft_html_fact(out, m->title, "%4g", g->all.value[k]);
    }
    heft_put(out, "</table>\n</figure>\n");
}

/* ---- confusion ---- */

static heft_status write_confusion(const judged *g)
{
    heft_ctx    *ctx = g->p->ctx;
    const size_t K = g->K, n = K < CONFUSED ? K : CONFUSED;
    size_t      *cell, *place;
    const char **classes;
    HEFT_ALLOC(ctx, &ctx->scratch, cell, n * n);
    HEFT_ALLOC(ctx, &ctx->scratch, place, K + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, classes, n);
    for (size_t c = 0; c <= K; c++) place[c] = n;
    for (size_t k = 0; k < n; k++) {
        place[g->rank[k]] = k;
        classes[k] = g->classes[g->rank[k]];
    }
    for (size_t i = 0; i < g->n; i++)
        if (g->y[i] < K && place[g->y[i]] < n && place[g->guess[i]] < n)
            cell[place[g->y[i]] * n + place[g->guess[i]]]++;
    heft_html_figure(g->p->out,
                     "Confusion matrix: rows are actual classes, columns are predicted classes");
    heft_svg_confusion(g->p->out, "confusion", n, classes, cell);
    heft_plot_end(g->p->out, n < K ? "<p>The %z most frequent of %z classes are shown.</p>\n" : "",
                  n, K);
    return HEFT_OK;
}

/* ---- reliability ---- */

static void write_reliability(const judged *g)
{
    const size_t     K = g->K;
    heft_buf        *out = g->p->out;
    double           n[BINS] = {0}, said[BINS] = {0}, right[BINS] = {0}, most = 0;
    const heft_scale x = {0, 1, 40, 340}, y = {0, 1, 310, 10};
    for (size_t i = 0; i < g->n; i++) {
        if (g->y[i] >= K) continue;
        const size_t c = K == 2 ? 1 : g->guess[i];
        const double q = g->proba[i * K + c];
        const size_t b = q * BINS < BINS ? (size_t)(q * BINS) : BINS - 1;
        n[b]++;
        said[b] += q;
        right[b] += g->y[i] == c;
    }
    for (size_t b = 0; b < BINS; b++) most = fmax(most, n[b]);
    if (K == 2) {
        heft_put(out,
                 "<figure><figcaption>Reliability: predicted probability of %40h (horizontal), its "
                 "observed share (vertical)</figcaption>\n",
                 g->classes[1]);
        heft_svg_open(out, "reliability", 334, "reliability diagram");
    } else
        heft_plot_open(out,
                       "Reliability: highest predicted probability (horizontal), share of correct "
                       "predictions (vertical)",
                       "reliability", 334, "reliability diagram");
    heft_svg_axes(out, &x, &y);
    for (size_t b = 0; b < BINS; b++) {
        const double h = most > 0 ? 60 * n[b] / most : 0;
        heft_svg_rect(out, "down", x.from + 30 * (double)b + 1, y.from - h, 28, h, 0.25, NULL);
    }
    heft_svg_line(out, "dash", x.from, y.from, x.to, y.to);
    for (size_t b = 0; b < BINS; b++) {
        if (n[b] == 0) continue;
        heft_svg_dot(out, "up", heft_scale_at(&x, said[b] / n[b]),
                     heft_scale_at(&y, right[b] / n[b]), 4.5, "%s: predicted %3g, observed %3g",
                     HEFT_COUNT_OF((size_t)n[b], "row"), said[b] / n[b], right[b] / n[b]);
    }
    heft_svg_text(out, "soft small", 348, y.from, "bars: rows", 20);
    heft_plot_end(out, "");
}

/* ---- ROC ---- */

typedef struct scored {
    double q;
    bool   positive;
} scored;

static int by_score(const void *pa, const void *pb)
{
    const scored *a = pa, *b = pb;
    return (a->q < b->q) - (a->q > b->q);
}

/* The curve of class c against the rest; steps too small to be seen are left out. */
static void draw_curve(const judged *g, size_t c, size_t colour, scored *v, const heft_scale *x,
                       const heft_scale *y)
{
    size_t       n = 0, at = 0;
    const double P = (double)g->count[c], N = (double)(g->n_known - g->count[c]);
    double       hit = 0, miss = 0, drawn[2] = {0, 0};
    for (size_t i = 0; i < g->n; i++)
        if (g->y[i] < g->K) v[n++] = (scored){g->proba[i * g->K + c], g->y[i] == c};
    qsort(v, n, sizeof *v, by_score);
    heft_svg_path_open(g->p->out, colour);
    heft_svg_point(g->p->out, true, x->from, y->from);
    while (at < n) {
        const double q = v[at].q;
        for (; at < n && v[at].q == q; at++) v[at].positive ? hit++ : miss++;
        if (at < n && miss / N - drawn[0] < 1.0 / STEPS && hit / P - drawn[1] < 1.0 / STEPS)
            continue;
        drawn[0] = miss / N;
        drawn[1] = hit / P;
        heft_svg_point(g->p->out, false, heft_scale_at(x, drawn[0]), heft_scale_at(y, drawn[1]));
    }
    heft_svg_path_close(g->p->out);
}

static heft_status write_roc(const judged *g)
{
    heft_status      st = HEFT_OK;
    heft_buf        *out = g->p->out;
    scored          *v = NULL;
    size_t           n = 0;
    const heft_scale x = {0, 1, 40, 340}, y = {0, 1, 310, 10};
    const char      *names[CURVES];
    for (; n < g->K && n < CURVES && g->count[g->rank[n]] > 0; n++)
        names[n] = g->classes[g->rank[n]];
    if (n < 2) return HEFT_OK;
    HEFT_HEAP(g->p->ctx, v, g->n_known);
    heft_html_figure(out, "ROC curves: each class against the rest");
    heft_html_legend(out, n, names);
    heft_svg_open(out, "roc", 334, "ROC curves");
    heft_svg_axes(out, &x, &y);
    heft_svg_line(out, "dash", x.from, y.from, x.to, y.to);
    for (size_t k = 0; k < n; k++) draw_curve(g, g->rank[k], k, v, &x, &y);
    heft_plot_end(out,
                  n < g->K
                      ? "<p>False positive rate (horizontal), true positive rate (vertical). The "
                        "%z most frequent classes are shown.</p>\n"
                      : "<p>False positive rate (horizontal), true positive rate (vertical).</p>\n",
                  n);
done:
    heft_free(v);
    return st;
}

/* ---- the worst rows ---- */

static heft_status write_row(const judged *g, size_t i)
{
    heft_status  st = HEFT_OK;
    heft_buf    *out = g->p->out;
    char        *text = NULL;
    const size_t K = g->K;
    heft_put(out,
             "<details open class=\"wrong\"><summary>row %z: actual %60h, predicted %60h with "
             "probability %4g</summary>\n",
             i + 1, g->classes[g->y[i]], g->classes[g->guess[i]], g->proba[i * K + g->guess[i]]);
    st = heft_explanation(g->p->ctx, g->p->model, g->table, i, false, 8, &text);
    if (st == HEFT_EUNSUPPORTED) {
        heft_buf_text(out, "<p>The score of this method is not a sum over attributes, so it cannot "
                           "be explained attribute by attribute.</p>\n");
        st = HEFT_OK;
    } else if (st == HEFT_OK) {
        heft_buf_text(out, "<pre>");
        for (char *line = text; *line;) { /* line by line: the escape shows newlines */
            const size_t length = strcspn(line, "\n");
            const bool   more = line[length] != 0;
            line[length] = 0;
            heft_put(out, "%300h\n", line);
            line += length + more;
        }
        heft_buf_text(out, "</pre>\n");
    }
    heft_buf_text(out, "</details>\n");
    heft_free(text);
    return st;
}

static heft_status write_wrong(const judged *g)
{
    size_t worst[WRONG], n = 0;
    double sure[WRONG];
    for (size_t i = 0; i < g->n; i++) {
        if (g->y[i] >= g->K || g->y[i] == g->guess[i]) continue;
        const double q = g->proba[i * g->K + g->guess[i]];
        size_t       k = n < WRONG ? n++ : WRONG;
        if (k == WRONG && q <= sure[WRONG - 1]) continue;
        if (k == WRONG) k--;
        for (; k > 0 && sure[k - 1] < q; k--) sure[k] = sure[k - 1], worst[k] = worst[k - 1];
        sure[k] = q;
        worst[k] = i;
    }
    heft_buf_printf(g->p->out,
                    "<section id=\"wrong\">\n<h2>Most confident errors</h2>\n<p>%zu of %s %s "
                    "predicted wrong%s.</p>\n<div class=\"figures\">\n",
                    g->n_wrong, HEFT_COUNT_OF(g->n_known, "row"), g->n_wrong == 1 ? "is" : "are",
                    n < g->n_wrong ? "; the most confident errors are shown" : "");
    for (size_t k = 0; k < n; k++) HEFT_CHECK(write_row(g, worst[k]));
    heft_html_section_end(g->p->out);
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_page_data(const heft_page *p, const heft_table *table)
{
    heft_status st = HEFT_OK;
    heft_buf    note = {0};
    judged      g = {.p = p, .table = table, .n = table->n_rows};
    HEFT_TRY(judge(p, table, &g));
    if (!g.n_known) {
        heft_html_section(p->out, "judged", "Predictions on data",
                          "No row of the table has a class, so the predictions cannot be compared "
                          "with anything.");
        heft_html_section_end(p->out);
        goto done;
    }
    heft_put(&note,
             "These figures are computed on the rows of %200h. If the model was trained on these "
             "rows, they are optimistic; heft evaluate gives cross-validated figures.",
             table->name && table->name[0] ? table->name : "the table");
    heft_html_section(p->out, "judged", "Predictions on data", heft_buf_string(&note));
    write_measures(&g);
    HEFT_TRY(write_confusion(&g));
    write_reliability(&g);
    HEFT_TRY(write_roc(&g));
    heft_html_section_end(p->out);
    if (g.n_wrong) HEFT_TRY(write_wrong(&g));
done:
    p->out->failed |= note.failed;
    heft_buf_clear(&note);
    heft_free(g.proba);
    heft_unknown_clear(&g.unknown);
    return st;
}
