/* report_static.c - what the page of a report holds for readers without scripts: what is predicted
 * from what, the headline, the sentences, measures, figures of each class and importance. The
 * script replaces it. */
#include <math.h>

#include "pages/page.h"

enum { CLASSES = 30, ATTRIBUTES = 20, SHOWN_CLASSES = 12 };

/* Writes plain text and the user's text by turns. */
static void put_parts(heft_buf *out, const char *const *part, size_t n)
{
    for (size_t k = 0; k < n; k++) heft_put(out, k % 2 ? "<bdi>%200h</bdi>" : "%400h", part[k]);
}

static void put_head(const heft_page *p, heft_buf *out)
{
    const heft_model *m = p->model;
    const double      rows = m->fitted.training.rows;
    heft_put(out, "<header>\n<p class=\"over\">Model report &middot; ");
    heft_html_date(out);
    heft_put(out, "</p>\n<h1>Predicting <bdi>%200h</bdi>", m->prep.target);
    if (p->table) heft_put(out, " in <bdi>%200h</bdi>", heft_page_table_name(p));
    heft_put(out, "</h1>\n<p class=\"lead\">from %s, by method %s, trained on %10g %s</p>\n<p>%s:",
             HEFT_COUNT_OF(p->n_attr, "attribute"), m->method->name, rows,
             rows == 1 ? "row" : "rows", HEFT_COUNT_OF(p->K, "class"));
    for (size_t c = 0; c < p->K && c < SHOWN_CLASSES; c++)
        heft_put(out, "%s <bdi>%200h</bdi>", c ? "," : "", p->classes[c]);
    heft_put(out, p->K > SHOWN_CLASSES ? " and %z more</p>\n</header>\n" : "</p>\n</header>\n",
             p->K - SHOWN_CLASSES);
}

/* Writes the figures of data where accuracy says little: those of the rare class, or means. */
static void put_rare(const heft_page *p, const heft_lead *lead, heft_buf *out)
{
    heft_put(out, "<div class=\"figures\">\n");
    for (size_t k = 0; k < HEFT_N_LEAD; k++) {
        const heft_lead_figure *f = &lead->figure[k];
        const bool share = lead->of_class && k < 2; /* a share of rows, shown in percent */
        heft_put(out,
                 share ? "<div class=\"figure\"><div class=\"big\">%1f%%</div><p>%s"
                       : "<div class=\"figure\"><div class=\"big\">%3f</div><p>%s",
                 share ? 100 * f->value : f->value, f->title);
        if (lead->of_class)
            heft_put(out, " of <bdi>%200h</bdi>", p->outcomes->classes[lead->rarest]);
        if (f->baseline > 0) heft_put(out, " (baseline %3f)", f->baseline);
        heft_put(out, "</p></div>\n");
    }
    heft_put(out, "</div>\n<p>Accuracy, %1f%%, says little here. Measured ",
             100 * heft_page_accuracy(p->outcomes));
}

static void put_headline(const heft_page *p, heft_buf *out)
{
    const heft_page_outcomes *o = p->outcomes;
    const char               *part[3];
    HEFT_SIDE_TEXT(before, out);
    HEFT_SIDE_TEXT(note, out);
    heft_put(out, "<section class=\"card\" id=\"headline\">\n");
    if (o) {
        const heft_lead lead = heft_lead_of(o->by_class, o->K, o->all.value);
        if (lead.any) put_rare(p, &lead, out);
        else
            heft_put(out,
                     "<div class=\"big\">%1f%%</div>\n<p>of the rows are predicted right "
                     "(accuracy), ",
                     100 * heft_page_accuracy(o));
        put_parts(out, part, heft_page_source(p, &before, part));
        heft_put(out,
                 ".</p>\n<p id=\"baseline\">%sBaseline: %1f%%, by always predicting the most "
                 "frequent class, <bdi>%200h</bdi>.</p>\n",
                 lead.below ? "<strong>The accuracy is not above the baseline.</strong> " : "",
                 100 * lead.baseline, o->classes[lead.frequent]);
    }
    heft_page_note(p, &note);
    if (note.length) heft_put(out, "<p class=\"%s\">", o ? "warn\" id=\"optimistic" : "soft");
    heft_html_long(out, heft_buf_string(&note));
    if (note.length) heft_put(out, "</p>\n");
    heft_put(out, "</section>\n");
}

static void put_sentences(const heft_page *p, heft_buf *out)
{
    if (!p->said.n) return;
    heft_put(out, "<section class=\"card\">\n<h2>The model in words</h2>\n<ol class=\"words\">\n");
    for (size_t k = 0; k < p->said.n; k++) {
        heft_put(out, "<li>");
        put_parts(out, p->said.list[k].part, p->said.list[k].n);
        heft_put(out, "</li>\n");
    }
    heft_put(out, "</ol>\n</section>\n");
}

static void put_measures(const heft_page *p, heft_buf *out)
{
    const heft_page_outcomes *o = p->outcomes;
    size_t                    of;
    heft_put(out,
             "<section class=\"card\">\n<h2>Measures</h2>\n<table class=\"data\" id=\"measures\">\n"
             "<tr><th scope=\"row\">accuracy</th><td class=\"n\">%4g</td></tr>\n",
             heft_page_accuracy(o));
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) {
        if (!heft_page_measure(p, k, &of)) continue;
        heft_put(out, "<tr><th scope=\"row\">%s", heft_measures_at(k)->title);
        if (of != SIZE_MAX) heft_put(out, " (<bdi>%200h</bdi>)", o->classes[of]);
        heft_put(out, "</th><td class=\"n\">%4g</td></tr>\n", o->all.value[k]);
    }
    heft_put(out, "</table>\n</section>\n");
}

static void put_classes(const heft_page_outcomes *o, heft_buf *out)
{
    heft_put(out,
             "<section class=\"card\">\n<h2>Classes</h2>\n<div class=\"scroll\"><table "
             "class=\"data\" id=\"per-class\">\n<tr><th>class</th><th class=\"n\">rows</th>"
             "<th class=\"n\">predicted</th><th class=\"n\">precision</th><th class=\"n\">recall"
             "</th><th class=\"n\">F1</th></tr>\n");
    for (size_t k = 0; k < o->K && k < CLASSES; k++) {
        const size_t              c = o->K > CLASSES ? o->frequent[k] : k;
        const heft_class_figures *f = &o->by_class[c];
        heft_put(out,
                 "<tr><th scope=\"row\"><bdi>%200h</bdi></th><td class=\"n\">%z</td><td "
                 "class=\"n\">%10g</td><td class=\"n\">%4g</td><td class=\"n\">%4g</td><td "
                 "class=\"n\">%4g</td></tr>\n",
                 o->classes[c], o->count[c], f->predicted, f->precision, f->recall, f->f1);
    }
    heft_put(out, "</table></div>\n");
    if (o->K > CLASSES)
        heft_put(out, "<p>The %z most frequent of %z classes.</p>\n", (size_t)CLASSES, o->K);
    heft_put(out, "</section>\n");
}

static void put_importance(const heft_page *p, heft_buf *out)
{
    heft_put(out,
             "<section class=\"card\">\n<h2>What matters</h2>\n<table class=\"data\" "
             "id=\"importance\">\n<tr><th>attribute</th><th class=\"n\">%s</th></tr>\n",
             p->by == HEFT_BY_BITS   ? "bits"
             : p->by == HEFT_BY_LOSS ? "importance"
                                     : "evidence");
    for (size_t k = 0; k < p->n_attr && k < ATTRIBUTES; k++)
        heft_put(out, "<tr><th scope=\"row\"><bdi>%200h</bdi></th><td class=\"n\">%3g</td></tr>\n",
                 p->model->prep.attr[p->rank[k]].name, heft_page_importance(p, p->rank[k]));
    heft_put(out, "</table>\n");
    if (p->n_attr > ATTRIBUTES)
        heft_put(out, "<p>The first %z of %z attributes.</p>\n", (size_t)ATTRIBUTES, p->n_attr);
    heft_put(out, "</section>\n");
}

void heft_report_static(const heft_page *p, heft_buf *out)
{
    put_head(p, out);
    put_headline(p, out);
    put_sentences(p, out);
    if (p->outcomes) put_measures(p, out);
    if (p->outcomes) put_classes(p->outcomes, out);
    if (p->n_attr && p->by != HEFT_BY_NOTHING) put_importance(p, out);
    heft_put(out,
             "<noscript><p>Curves, shapes and values to try out need scripts.</p></noscript>\n");
}
