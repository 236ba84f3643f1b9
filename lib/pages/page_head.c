/* page_head.c - the first screen: what is predicted from what, one figure with its baseline and
 * where it comes from, and the five attributes that matter most. */
#include <math.h>

#include "pages/lead.h"
#include "pages/page.h"

enum { FIRST = 5, POINTS = 40, LISTED_CLASSES = 30 };

/* Lists the classes in their colours. */
static void put_classes(const heft_page *p)
{
    heft_put(p->out, "<p class=\"chips\">%s: ", HEFT_COUNT_OF(p->K, "class"));
    for (size_t c = 0; c < p->K && c < LISTED_CLASSES; c++)
        heft_put(p->out, "<span class=\"chip\"><i class=\"b%z\"></i><bdi>%200h</bdi></span> ",
                 c % HEFT_HTML_COLOURS, p->classes[c]);
    if (p->K > LISTED_CLASSES) heft_put(p->out, "and %z more", p->K - LISTED_CLASSES);
    heft_put(p->out, "</p>\n");
}

/* ---- the headline ---- */

static void put_warning(const heft_page *p)
{
    if (!p->outcomes->trained || p->outcomes->folds) return;
    heft_put_marked(
        p->out,
        "<p class=\"warn\" id=\"optimistic\"><strong>Figures on training rows.</strong> The "
        "model has seen these rows and their classes, so every figure of this page that "
        "compares predictions with classes is too good. Give rows that it was not trained "
        "on, or run <code>{command report MODEL DATA --cv 10}</code>.</p>\n");
}

/* Writes the accuracy in large type. */
static void put_accuracy(const heft_page *p, const char *badge, double right, double base)
{
    heft_put(p->out,
             "<div><div class=\"big\">%1f%%</div>%s</div><div>\n<p>of the rows are predicted "
             "right (accuracy), ",
             100 * right, badge);
    heft_page_source(p, p->out);
    heft_put(p->out,
             ".</p>\n<p class=\"gauge\" aria-hidden=\"true\"><i class=\"fill\" "
             "style=\"width:%1f%%\"></i><i class=\"mark\" style=\"left:%1f%%\"></i></p>\n"
             "<p id=\"baseline\">Baseline: %1f%%, by always predicting the most frequent class, "
             "<bdi>%200h</bdi> (the mark on the bar).</p>\n</div>",
             100 * right, 100 * base, 100 * base, p->outcomes->classes[p->outcomes->frequent[0]]);
}

/* Writes the headline of data where accuracy says little: figures of the rare class. */
static void put_rare(const heft_page *p, const char *badge, double right, const heft_lead *lead)
{
    HEFT_SIDE_TEXT(source, p->out);
    heft_page_source(p, &source);
    heft_html_lead(p->out, lead, p->outcomes->classes, right, badge, heft_buf_string(&source));
}

static void put_headline(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const double              right = 1 - (double)o->n_wrong / (double)o->n_known;
    const bool                warn = o->trained && !o->folds;
    const char               *badge = warn ? "<div class=\"badge\">training rows</div>" : "";
    const heft_lead           lead = heft_lead_of(o->by_class, o->K, o->all.value);
    heft_put(p->out, "<div class=\"headline%s%s\" id=\"headline\">", warn ? " seen" : "",
             lead.any ? " rare" : "");
    if (lead.any) put_rare(p, badge, right, &lead);
    else put_accuracy(p, badge, right, lead.baseline);
    heft_put(p->out, "</div>\n");
    put_warning(p);
}

static void put_no_headline(const heft_page *p)
{
    heft_put(p->out, "<p class=\"note\" id=\"headline\">");
    heft_put_marked(
        p->out, p->table ? "No row of the table has a class, so the predictions cannot be compared "
                           "with anything."
                         : "How good the model is cannot be said without data: "
                           "<code>{command report MODEL DATA}</code> compares its predictions with "
                           "known classes.");
    heft_put(p->out, "</p>\n");
}

/* ---- the first attributes ---- */

/* Draws what the values of an attribute say as a small curve, for two classes. */
static heft_status put_curve(const heft_page *p, size_t j, double most)
{
    heft_value_spread s;
    HEFT_CHECK(heft_page_spread(p, j, &s));
    const heft_scale y = {-most, most, 38, 2};
    const size_t     n = heft_page_number(p, j) ? POINTS : s.n < 24 ? s.n : 24;
    heft_put(p->out, "<svg class=\"spark\" viewBox=\"0 0 120 40\" aria-hidden=\"true\">");
    heft_svg_line(p->out, "grid", 0, 20, 120, 20);
    for (size_t k = 0; k < n; k++) {
        const double raw =
            heft_page_number(p, j) ? s.lo + (s.hi - s.lo) * (double)k / (double)(n - 1) : (double)k;
        const double odds = heft_page_odds(p, j, raw), to = heft_scale_at(&y, odds);
        heft_put(p->out, "<rect class=\"c%z\" x=\"%1f\" y=\"%1f\" width=\"%1f\" height=\"%1f\"/>",
                 (odds > 0 ? p->one : p->zero) % HEFT_HTML_COLOURS, 120 * (double)k / (double)n,
                 fmin(to, 20), 120 / (double)n * 0.9, fmax(fabs(to - 20), 0.4));
    }
    heft_put(p->out, "</svg>");
    return HEFT_OK;
}

static heft_status put_first(const heft_page *p)
{
    const size_t n = p->n_attr < FIRST ? p->n_attr : FIRST;
    const double most = p->matter[p->rank[0]];
    const bool   curves = p->additive && p->K == 2;
    double       reach = 1;
    if (curves)
        for (size_t k = 0; k < n; k++) {
            heft_value_spread s;
            HEFT_CHECK(heft_page_spread(p, p->rank[k], &s));
            for (int e = 0; e < 2; e++)
                reach = fmax(reach, fabs(heft_page_odds(p, p->rank[k], e ? s.lo : s.hi)));
        }
    heft_put(p->out, "<figure id=\"first\"><figcaption>The attributes that matter most</figcaption>"
                     "\n<table class=\"bars\">\n");
    for (size_t k = 0; k < n; k++) {
        const size_t j = p->rank[k];
        heft_page_bar_start(p->out, "fill", p->model->prep.attr[j].name,
                            most > 0 ? 100 * p->matter[j] / most : 0);
        heft_put(p->out, "%3g</td><td class=\"s\">", p->matter[j]);
        if (curves) HEFT_CHECK(put_curve(p, j, reach));
        heft_put(p->out, "</td></tr>\n");
    }
    heft_put(p->out, "</table>\n<p>%s%s</p></figure>\n",
             p->by == HEFT_BY_EVIDENCE
                 ? "Bars: evidence, the mean size of what an attribute adds to the score of a "
                   "class."
                 : "Bars: what an attribute alone tells about the class, in bits.",
             curves ? " Small curves: what its values say, from the lowest to the highest." : "");
    return HEFT_OK;
}

static void put_contents(const heft_page *p)
{
    heft_put(p->out, "<nav aria-label=\"sections\">");
    if (p->by != HEFT_BY_NOTHING) heft_put(p->out, "<a href=\"#matter\">What matters</a> ");
    if (p->additive && p->n_attr)
        heft_put(p->out, "<a href=\"#shapes\">Shapes</a> <a href=\"#whatif\">What if</a> ");
    if (p->outcomes) heft_put(p->out, "<a href=\"#quality\">How good</a> ");
    heft_put(p->out, "<a href=\"#details\">Details</a></nav>\n");
}

heft_status heft_page_head(const heft_page *p)
{
    const heft_model *m = p->model;
    HEFT_SIDE_TEXT(title, p->out);
    heft_put(&title, "%s predicts %100q", m->method->name, m->prep.target);
    heft_html_begin(p->out, heft_buf_string(&title), NULL);
    heft_put(p->out, "<header>\n<p class=\"over\">Model report &middot; ");
    heft_html_date(p->out);
    heft_put(p->out, "</p>\n<h1>Predicting <bdi>%200h</bdi>", m->prep.target);
    if (p->table && p->table->name && p->table->name[0])
        heft_put(p->out, " in <bdi>%200h</bdi>", p->table->name);
    heft_put(p->out, "</h1>\n<p>from %s, by method %s, trained on %10g %s</p>\n",
             HEFT_COUNT_OF(p->n_attr, "attribute"), m->method->name, m->fitted.training.rows,
             m->fitted.training.rows == 1 ? "row" : "rows");
    put_classes(p);
    put_contents(p);
    heft_put(p->out, "</header>\n");
    if (p->outcomes) put_headline(p);
    else put_no_headline(p);
    return p->n_attr && p->by != HEFT_BY_NOTHING ? put_first(p) : HEFT_OK;
}
