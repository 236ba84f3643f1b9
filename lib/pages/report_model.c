/* report_model.c - a model as a page: facts, priors, weights; the other parts are called from here.
 * The page is bounded whatever the model: lists show the first few and say how many there are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "pages/page.h"

enum { BARS = 30, HEAT_ROWS = 30, HEAT_COLS = 24, BINS = 24, CLASSES = 20, ROW = 18 };
static const double WIDTH = HEFT_PLOT_WIDTH, LEFT = 140; /* where the bars of a plot begin */

/* ---- head ---- */

static void write_head(const heft_page *p)
{
    const heft_model    *m = p->model;
    const heft_training *t = &m->fitted.training;
    heft_buf             v = {0};
    heft_put(&v, "%s predicts %100q", m->method->name, m->prep.target);
    heft_html_open(p->out, heft_buf_string(&v), "What the model learned, and how it decides.");
    v.length = 0;
    heft_put(p->out, "<div class=\"scroll\"><table id=\"facts\">\n");
    heft_html_fact(p->out, "method", "%s", m->method->title);
    heft_html_fact(p->out, "source", "%s", m->method->source);
    heft_html_fact(p->out, "size", "%s, %s%s", HEFT_COUNT_OF(p->K, "class"),
                   HEFT_COUNT_OF(p->n_attr, "attribute"), m->prep.sparse ? ", sparse" : "");
    heft_inspect_settings(&v, m);
    heft_html_fact(p->out, "preparation", "%s", heft_buf_string(&v));
    v.length = 0;
    for (size_t k = 0; k < m->n_params; k++)
        heft_put(&v, "%s%60q=%80q", k ? " " : "", m->param_names[k], m->param_values[k]);
    if (m->n_params) heft_html_fact(p->out, "parameters", "%s", heft_buf_string(&v));
    v.length = 0;
    if (m->decision.kind != HEFT_MOST_PROBABLE) {
        heft_decision_tell(&v, &m->decision, m->prep.classes);
        heft_html_fact(p->out, "decision", "%s", heft_buf_string(&v));
    }
    heft_buf_clear(&v);
    heft_html_fact(p->out, "trained on", "%10g %s, %3g s", t->rows, t->rows == 1 ? "row" : "rows",
                   t->seconds);
    if (t->iterative)
        heft_html_fact(p->out, "fit", "%s, %s%s%200q",
                       HEFT_COUNT_OF((size_t)t->iterations, "iteration"),
                       t->converged ? "converged" : "not converged", t->stopped_by ? ": " : "",
                       t->stopped_by ? t->stopped_by : "");
    for (size_t k = 0; k < t->n_facts; k++)
        if (t->facts[k].text) heft_html_fact(p->out, t->facts[k].name, "%s", t->facts[k].text);
        else heft_html_fact(p->out, t->facts[k].name, "%6g", t->facts[k].number);
    heft_put(p->out, "</table></div>\n");
}

/* ---- bars ---- */

/* Line k of a chart of horizontal bars: hovering shows name and number. */
static void bar(const heft_page *p, size_t k, const char *name, const heft_scale *s, double x,
                const char *style)
{
    const double y = 4 + (double)k * ROW, from = heft_scale_at(s, fmin(fmax(0, s->lo), s->hi));
    const double to = heft_scale_at(s, x);
    heft_svg_text(p->out, "end", LEFT - 6, y + 12, name, 17);
    heft_svg_rect(p->out, style, fmin(from, to), y + 2, fmax(fabs(to - from), 0.8), ROW - 5, -1,
                  "%80q: %5g", name, x);
    heft_svg_number(p->out, "soft small", fmax(from, to) + 4, y + 12, x, 4);
}

static void write_priors(const heft_page *p)
{
    const size_t     n = p->K < CLASSES ? p->K : CLASSES;
    const double    *log_prior = p->model->fitted.log_prior;
    const heft_scale s = {0, 1, LEFT, WIDTH - 50};
    if (!log_prior) return;
    const double total = heft_logsumexp(log_prior, p->K);
    heft_plot_open(p->out,
                   n < p->K ? "Prior probabilities of the first classes"
                            : "Prior probabilities of the classes",
                   "priors", (double)n * ROW + 8, "prior probability of each class");
    for (size_t c = 0; c < n; c++) {
        char         style[8];
        const double share = exp(log_prior[c] - total);
        snprintf(style, sizeof style, "c%zu", c % HEFT_HTML_COLOURS);
        bar(p, c, p->classes[c], &s, share, style);
    }
    heft_plot_end(p->out, "");
}

/* One number per attribute: its only weight, or its bits. */
static void write_bars(const heft_page *p, const char *id, const char *caption, bool bits)
{
    const size_t  n = p->n_attr < BARS ? p->n_attr : BARS;
    const double *beside = p->t.beside;
    heft_scale    s = {0, 0, LEFT, WIDTH - 50};
    heft_plot_open(p->out, caption, id, (double)n * ROW + 8, caption);
    for (int draw = 0; draw < 2; draw++) {
        if (draw && s.hi == s.lo) s.hi = s.lo + 1;
        for (size_t k = 0; k < n; k++) {
            const size_t j = p->order[k].j;
            const double x = bits     ? p->order[k].bits
                             : beside ? beside[j]
                                      : heft_term_weight(&p->t, j, 0);
            heft_scale_reach(&s, x);
            if (!draw) continue;
            bar(p, k, p->model->prep.attr[j].name, &s, x, x < 0 ? "down" : "up");
        }
    }
    heft_plot_end(p->out, "");
}

/* ---- heat map ---- */

/* Several weights per attribute: one per class, value or class pair. */
static void write_heat(const heft_page *p)
{
    const size_t rows = p->n_attr < HEAT_ROWS ? p->n_attr : HEAT_ROWS;
    size_t       cols = 1;
    double       most = 0;
    char         value[200];
    heft_buf     what = {0}; /* a weight belongs to */
    for (size_t k = 0; k < rows; k++) {
        const size_t n = heft_term_weights(&p->t, p->order[k].j);
        cols = n > cols ? n : cols;
        for (size_t c = 0; c < n; c++)
            most = fmax(most, fabs(heft_term_weight(&p->t, p->order[k].j, c)));
    }
    if (cols > HEAT_COLS) cols = HEAT_COLS;
    const double width = (WIDTH - LEFT - 8) / (double)cols;
    heft_plot_open(p->out,
                   p->t.per == HEFT_PER_CLASS_PAIR ? "Weights by class pair, from left to right"
                   : p->t.per == HEFT_PER_CLASS    ? "Weights by class, from left to right"
                                                   : "Weights by value, from left to right",
                   "weights", (double)rows * ROW + 24, "weights as a heat map");
    for (size_t k = 0; k < rows; k++) {
        const size_t j = p->order[k].j, n = heft_term_weights(&p->t, j);
        const double y = 4 + (double)k * ROW;
        heft_svg_text(p->out, "end", LEFT - 6, y + 13, p->model->prep.attr[j].name, 17);
        for (size_t c = 0; c < n && c < cols; c++) {
            const double x = heft_term_weight(&p->t, j, c);
            what.length = 0;
            if (p->t.per == HEFT_PER_CLASS_PAIR)
                heft_put(&what, "%60q against %60q", p->classes[p->t.class_pair[c].a],
                         p->classes[p->t.class_pair[c].b]);
            else if (p->t.per == HEFT_PER_CLASS) heft_put(&what, "%60q", p->classes[c]);
            else
                heft_put(&what, "%s",
                         heft_prep_value(&p->model->prep, j, (uint32_t)c, value, sizeof value));
            heft_svg_rect(p->out, x < 0 ? "down" : "up", LEFT + width * (double)c, y, width - 1,
                          ROW - 1, most > 0 ? 0.04 + 0.96 * fabs(x) / most : 0, "%80q%s%80q: %5g",
                          p->model->prep.attr[j].name, what.length ? ", " : "",
                          heft_buf_string(&what), x);
        }
    }
    heft_svg_text(p->out, "soft small end", WIDTH - 8, (double)rows * ROW + 18,
                  "darker: larger; orange: below 0; hover for the number", 80);
    heft_plot_end(p->out, "");
    p->out->failed |= what.failed;
    heft_buf_clear(&what);
}

/* ---- histogram ---- */

/* count == NULL: find the ends; else fill the bins. */
static void each_weight(const heft_page *p, heft_scale *s, double *count)
{
    const double *beside = p->t.beside;
    for (size_t j = 0; j < p->n_attr; j++) {
        const size_t n = beside ? 1 : heft_term_weights(&p->t, j);
        for (size_t k = 0; k < n; k++) {
            const double x = beside ? beside[j] : heft_term_weight(&p->t, j, k);
            const double at = s->hi > s->lo ? (x - s->lo) / (s->hi - s->lo) * BINS : 0;
            if (count) count[at < BINS ? (size_t)at : BINS - 1]++;
            else heft_scale_reach(s, x);
        }
    }
}

static void write_histogram(const heft_page *p)
{
    heft_scale   x = {INFINITY, -INFINITY, 44, WIDTH - 16}, y = {0, 0, 180, 10};
    const double width = (x.to - x.from) / BINS;
    double       count[BINS] = {0};
    each_weight(p, &x, NULL);
    each_weight(p, &x, count);
    for (size_t b = 0; b < BINS; b++) heft_scale_reach(&y, count[b]);
    heft_plot_open(p->out, "Distribution of the weights", "histogram", 210,
                   "histogram of the weights");
    heft_svg_axis_y(p->out, &y, x.from, x.to);
    heft_svg_axis_x(p->out, &x, y.from, y.from);
    for (size_t b = 0; b < BINS; b++)
        if (count[b] > 0)
            heft_svg_rect(p->out, "up", x.from + (double)b * width, heft_scale_at(&y, count[b]),
                          width - 1, y.from - heft_scale_at(&y, count[b]), -1, NULL);
    heft_plot_end(p->out, "");
}

static void write_weights(const heft_page *p)
{
    const bool several = p->t.per != HEFT_PER_ATTR, beside = p->t.beside, sizes = p->t.size;
    char       note[240];
    snprintf(
        note, sizeof note, "%s%s%s.",
        sizes ? "Attributes, sorted by the mean size of what they add to the score of a class; "
                "each has "
        : p->differ
            ? "Attributes, sorted by the size of their weights"
            : "All weights are equal; attributes are sorted by how much they tell about the class",
        sizes ? heft_joint_shares(&p->t) : "", p->n_attr <= BARS ? "" : "; the first 30 are shown");
    heft_html_section(p->out, "learned", sizes ? "Evidence" : "Weights", note);
    if (sizes) {
        write_bars(p, "weights", "Evidence of the attributes", false);
    } else {
        if (p->differ && several) write_heat(p);
        else if (p->differ || beside) write_bars(p, "weights", "Weights of the attributes", false);
        if (beside && several) write_bars(p, "weights-beside", "Weights of the attributes", false);
        if (p->differ || beside) write_histogram(p);
        if (p->t.attr[0].lik)
            write_bars(p, "bits", "How much each attribute alone tells about the class, in bits",
                       true);
    }
    write_priors(p);
    heft_html_section_end(p->out);
}

/* ---- public ---- */

heft_status heft_report_model(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              char **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_buf        buf = {0};
    heft_page       p = {.ctx = ctx, .model = model, .n_attr = model->prep.n_attr, .out = &buf};
    *out = NULL;
    p.K = heft_dict_size(model->prep.classes);
    HEFT_ARENA(ctx, &ctx->scratch, p.classes, p.K);
    for (size_t c = 0; c < p.K; c++)
        p.classes[c] = heft_dict_text(model->prep.classes, (uint32_t)c);
    HEFT_TRY(heft_terms_shown(ctx, model, &p.t));
    HEFT_TRY(heft_rank_attributes(ctx, &p.t, &p.order, &p.differ));
    write_head(&p);
    if (table) HEFT_TRY(heft_page_data(&p, table));
    if (p.n_attr) {
        write_weights(&p);
        HEFT_TRY(heft_page_evidence(&p));
        heft_page_nomogram(&p);
        if (table) HEFT_TRY(heft_page_correlations(&p, table));
    }
    heft_html_close(&buf);
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
