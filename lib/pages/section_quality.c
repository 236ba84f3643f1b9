/* section_quality.c - how good the predictions are: measures, confusion matrix, reliability, scores
 * by class and, for two classes, every threshold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/lead.h"
#include "pages/page.h"

enum {
    CONFUSED = 40,
    FEW_CLASSES = 5,
    MANY_CLASSES = 15,
    WORST = 15,
    BINS = 10,
    SCORES = 20,
    STEPS = 100
};
static const double LEFT = 52, RIGHT = 326;

/* ---- measures ---- */

static void put_measures(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    heft_buf                 *out = p->out;
    char                      list[400];
    heft_html_figure(out, "Measures");
    heft_put(out, "<table id=\"measures\">\n");
    heft_html_fact(out, p->table->weight ? "rows with a class and a weight" : "rows with a class",
                   "%z of %z", o->n_known, o->n);
    if (o->unknown.n_rows)
        heft_html_fact(out, "of a class that the model does not know", "%z, counted as wrong: %s",
                       o->unknown.n_rows, heft_show_classes(o->unknown.classes, list, sizeof list));
    heft_html_fact(out, "accuracy", "%4g", 1 - (double)o->n_wrong / (double)o->n_known);
    heft_html_fact(out, "baseline", "%4g", o->all.baseline);
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) {
        const bool of_class = o->K == 2 && heft_measure_of_class(k);
        if (!heft_measures_at(k)->decimals || isnan(o->all.value[k])) continue;
        heft_put(out, "<tr><th>");
        heft_html_measure(out, k, of_class ? o->classes[p->positive] : NULL);
        heft_put(out, "</th><td>%4g</td></tr>\n", o->all.value[k]);
    }
    heft_put(out, "</table>\n</figure>\n");
}

/* ---- confusion ---- */

typedef struct confusion {
    size_t       n, *cell, *row; /* n x n; sums of rows */
    const char **classes;        /* n: their names */
} confusion;

static heft_status count_cells(const heft_page *p, confusion *m)
{
    const heft_page_outcomes *o = p->outcomes;
    size_t                   *place, lost = o->K;
    m->n = o->K < CONFUSED ? o->K : CONFUSED;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, m->cell, m->n * m->n);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, m->n, m->row, m->classes);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, place, o->K + 1);
    for (size_t c = 0; c <= o->K; c++) place[c] = lost;
    for (size_t k = 0, at = 0; k < o->K; k++) { /* the frequent ones, in the order of the model */
        bool in = m->n == o->K;
        for (size_t r = 0; r < m->n && !in; r++) in = o->frequent[r] == k;
        if (in) m->classes[at] = o->classes[k], place[k] = at++;
    }
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= o->K || place[o->y[i]] == lost) continue;
        m->row[place[o->y[i]]]++;
        if (place[o->guess[i]] != lost) m->cell[place[o->y[i]] * m->n + place[o->guess[i]]]++;
    }
    return HEFT_OK;
}

static void put_matrix(const heft_page *p, const confusion *m)
{
    const size_t K = p->outcomes->K;
    heft_put(p->out,
             "<figure%s><figcaption>Confusion matrix</figcaption>\n<div class=\"scroll\"><table "
             "class=\"heat matrix%s\" id=\"confusion\">\n",
             m->n >= MANY_CLASSES ? " class=\"wide\"" : "", m->n >= MANY_CLASSES ? " many" : "");
    heft_html_confusion(p->out, &(heft_confusion){m->n, FEW_CLASSES, m->cell, m->row, m->classes});
    heft_put(p->out, "<p>Colours: the share of the rows of the actual class.");
    if (m->n < K) heft_put(p->out, " The %z most frequent of %z classes are shown.", m->n, K);
    heft_put(p->out, "</p></figure>\n");
}

/* Lists the cells off the diagonal with the most rows. */
static heft_status put_worst(const heft_page *p, const confusion *m)
{
    heft_attr_rank *order;
    size_t          n = 0;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, order, m->n * m->n);
    for (size_t k = 0; k < m->n * m->n; k++)
        if (m->cell[k] && k / m->n != k % m->n)
            order[n++] = (heft_attr_rank){k, (double)m->cell[k], 0};
    if (!n) return HEFT_OK;
    qsort(order, n, sizeof *order, heft_attr_rank_compare);
    heft_put(p->out, "<figure><figcaption>Most frequent confusions</figcaption>\n<table "
                     "class=\"bars\" id=\"worst\">\n<tr><th>actual &rarr; predicted</th><th></th>"
                     "<th class=\"n\">rows</th><th class=\"n\">of the class</th></tr>\n");
    for (size_t k = 0; k < n && k < WORST; k++) {
        const size_t a = order[k].j / m->n, b = order[k].j % m->n;
        heft_put(p->out,
                 "<tr><th scope=\"row\"><bdi>%200h</bdi> &rarr; <bdi>%200h</bdi></th><td "
                 "class=\"track\"><i class=\"warnfill\" style=\"width:%1f%%\"></i></td><td "
                 "class=\"n\">%z</td><td class=\"n\">%1f%%</td></tr>\n",
                 m->classes[a], m->classes[b], 100 * order[k].size / order[0].size,
                 m->cell[order[k].j], 100 * order[k].size / (double)m->row[a]);
    }
    heft_put(p->out, "</table></figure>\n");
    return HEFT_OK;
}

/* ---- reliability ---- */

static void put_reliability(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const size_t              K = o->K;
    heft_buf                 *out = p->out;
    double                    n[BINS] = {0}, said[BINS] = {0}, right[BINS] = {0}, most = 0;
    const heft_scale          x = {0, 1, LEFT, RIGHT}, y = {0, 1, 262, 10};
    const double              width = (RIGHT - LEFT) / BINS;
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= K) continue;
        const size_t c = K == 2 ? p->one : heft_decide(NULL, o->proba + i * K, K);
        const double q = o->proba[i * K + c];
        const size_t b = q * BINS < BINS ? (size_t)(q * BINS) : BINS - 1;
        n[b]++;
        said[b] += q;
        right[b] += o->y[i] == c;
    }
    for (size_t b = 0; b < BINS; b++) most = fmax(most, n[b]);
    heft_html_figure(out, "Reliability: can the probabilities be trusted?");
    heft_svg_open_small(out, "reliability", 298, "reliability diagram");
    heft_svg_axes(out, &x, &y);
    for (size_t b = 0; b < BINS; b++) {
        const double h = most > 0 ? 50 * n[b] / most : 0;
        heft_svg_rect(out, "rows",
                      (heft_box){LEFT + width * (double)b + 1, y.from - h, width - 2, h}, "%s",
                      HEFT_COUNT_OF((size_t)n[b], "row"));
    }
    heft_svg_line(out, "dash", x.from, y.from, x.to, y.to);
    for (size_t b = 0; b < BINS; b++)
        if (n[b] > 0)
            heft_svg_dot(out, "dot", heft_scale_at(&x, said[b] / n[b]),
                         heft_scale_at(&y, right[b] / n[b]), 5, "%s: predicted %3g, observed %3g",
                         HEFT_COUNT_OF((size_t)n[b], "row"), said[b] / n[b], right[b] / n[b]);
    heft_svg_title_x(out, &x, y.from,
                     K == 2 ? "predicted probability of %18q" : "highest predicted probability",
                     o->classes[p->one]);
    heft_svg_title_y(out, &y, LEFT, K == 2 ? "observed share" : "share predicted right");
    heft_plot_end(out, "<p>On the dashed line, predictions come true as often as they say. Grey: "
                       "how many rows have such a probability.</p>\n");
}

/* ---- scores by class ---- */

/* Draws how the probabilities are distributed: for two classes by actual class, for more by right
 * and wrong predictions. */
static void put_scores(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const size_t              K = o->K;
    const bool                two = K == 2;
    double                    share[2][SCORES] = {{0}}, sum[2] = {0, 0};
    const heft_scale          x = {0, 1, LEFT, RIGHT};
    heft_scale                y = {0, 0.05, 200, 10};
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= K) continue;
        const size_t c = two ? p->one : heft_decide(NULL, o->proba + i * K, K);
        const size_t side = o->y[i] == c;
        const double q = o->proba[i * K + c] * SCORES;
        share[side][q < SCORES ? (size_t)q : SCORES - 1]++;
        sum[side]++;
    }
    for (size_t b = 0; b < 2 * SCORES; b++) {
        double *s = &share[b / SCORES][b % SCORES];
        if (sum[b / SCORES] > 0) *s /= sum[b / SCORES];
        y.hi = fmax(y.hi, *s);
    }
    heft_html_figure(p->out, two ? "Probabilities by actual class"
                                 : "Highest probability of right and wrong predictions");
    heft_put(p->out,
             two ? "<p class=\"chips\"><span class=\"chip\"><i class=\"b%z\"></i><bdi>%200h</bdi>"
                   "</span> <span class=\"chip\"><i class=\"b%z\"></i><bdi>%200h</bdi></span></p>\n"
                 : "<p class=\"chips\"><span class=\"chip\"><i class=\"b0\"></i>right</span> "
                   "<span class=\"chip\"><i class=\"b1\"></i>wrong</span></p>\n",
             p->one % HEFT_HTML_COLOURS, o->classes[p->one], p->zero % HEFT_HTML_COLOURS,
             o->classes[p->zero]);
    heft_svg_open_small(p->out, "scores", 236, "distribution of the probabilities");
    heft_svg_axes(p->out, &x, &y);
    for (int side = 0; side < 2; side++) {
        const size_t colour = two ? side ? p->one : p->zero : (size_t)!side;
        heft_put(p->out, "<path class=\"step l%z f%z\" d=\"", colour, colour);
        heft_svg_point(p->out, true, x.from, y.from);
        for (size_t b = 0; b < SCORES; b++) {
            const double h = heft_scale_at(&y, share[side][b]);
            heft_svg_point(p->out, false, heft_scale_at(&x, (double)b / SCORES), h);
            heft_svg_point(p->out, false, heft_scale_at(&x, (double)(b + 1) / SCORES), h);
        }
        heft_svg_point(p->out, false, x.to, y.from);
        heft_put(p->out, "\"/>\n");
    }
    heft_svg_title_x(p->out, &x, y.from,
                     two ? "predicted probability of %18q" : "highest predicted probability",
                     o->classes[p->one]);
    heft_svg_title_y(p->out, &y, LEFT, two ? "share of the class" : "share of the rows");
    heft_plot_end(p->out, "");
}

/* ---- thresholds ---- */

/* Returns the threshold from which the model itself predicts class `one`. */
static double own_threshold(const heft_page *p)
{
    const heft_decision *d = &p->model->decision;
    if (d->kind == HEFT_THRESHOLD) return d->chosen == p->one ? d->threshold : 1 - d->threshold;
    if (d->kind != HEFT_LEAST_COST) return 0.5;
    const double *c = d->cost;
    const double  alarm = c[p->zero * 2 + p->one] - c[p->zero * 2 + p->zero];
    const double  miss = c[p->one * 2 + p->zero] - c[p->one * 2 + p->one];
    return alarm + miss > 0 ? fmin(fmax(alarm / (alarm + miss), 0), 1) : 0.5;
}

static void put_counts(heft_buf *out, const char *name, const size_t *count)
{
    heft_put(out, ",\"%s\":[", name);
    for (size_t k = 0; k <= STEPS; k++) heft_put(out, "%s%z", k ? "," : "", count[k]);
    heft_put(out, "]");
}

/* Writes how many rows have a probability of at least k / 100, as data for the panel that the
 * script draws. */
static void put_threshold(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const heft_decision      *d = &p->model->decision;
    const bool                priced = d->kind == HEFT_LEAST_COST;
    size_t                    hit[STEPS + 1] = {0}, alarm[STEPS + 1] = {0}, own[2] = {0, 0};
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= 2) continue;
        const double q = o->proba[2 * i + p->one];
        size_t      *to = o->y[i] == p->one ? hit : alarm;
        for (size_t k = 0; k <= STEPS && q >= (double)k / STEPS; k++) to[k]++;
        own[o->y[i] == p->one] += o->guess[i] == p->one;
    }
    heft_put(p->out,
             "<figure id=\"threshold\"><figcaption>When to predict <bdi>%200h</bdi></figcaption>\n"
             "<noscript><p>The threshold can be moved where scripts are allowed.</p></noscript>\n"
             "<script type=\"application/json\" id=\"threshold-data\">{\"one\":",
             o->classes[p->one]);
    heft_page_json(p->out, o->classes[p->one]);
    heft_put(p->out, ",\"zero\":");
    heft_page_json(p->out, o->classes[p->zero]);
    heft_put(p->out,
             ",\"n\":%z,\"positives\":%z,\"own\":%n,\"tp\":%z,\"fp\":%z,\"alarm\":%n,\"miss\":%n,"
             "\"hit\":%n,\"pass\":%n,\"colours\":[%z,%z]",
             o->n_known, o->count[p->one], own_threshold(p), own[1], own[0],
             priced ? d->cost[p->zero * 2 + p->one] : 1.0,
             priced ? d->cost[p->one * 2 + p->zero] : 1.0,
             priced ? d->cost[p->one * 2 + p->one] : 0.0,
             priced ? d->cost[p->zero * 2 + p->zero] : 0.0, p->one, p->zero);
    put_counts(p->out, "tps", hit);
    put_counts(p->out, "fps", alarm);
    heft_put(p->out, "}</script>\n<div id=\"threshold-panel\"></div>\n</figure>\n");
}

/* ---- section ---- */

heft_status heft_section_quality(const heft_page *p)
{
    HEFT_SIDE_TEXT(note, p->out);
    confusion m = {0};
    heft_put(&note, "Predictions compared with the actual classes ");
    heft_page_source(p, &note);
    heft_put(&note, ".");
    heft_html_section(p->out, "quality", "How good", heft_buf_string(&note));
    HEFT_CHECK(count_cells(p, &m));
    put_matrix(p, &m);
    if (p->outcomes->K >= MANY_CLASSES) HEFT_CHECK(put_worst(p, &m));
    if (p->outcomes->K == 2 && p->K == 2) put_threshold(p);
    put_measures(p);
    HEFT_CHECK(heft_page_curves(p));
    put_reliability(p);
    put_scores(p);
    heft_html_section_end(p->out);
    return HEFT_OK;
}
