/* section_details.c - how the model was made, folded: method, preparation, parameters, training,
 * priors, weights; for people who want to know the inside. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "pages/page.h"

enum { HEAT_ROWS = 20, HEAT_COLS = 24, CLASSES = 30 };

static heft_status put_facts(const heft_page *p)
{
    const heft_model    *m = p->model;
    const heft_training *t = &m->fitted.training;
    HEFT_SIDE_TEXT(v, p->out);
    heft_put(p->out, "<div class=\"scroll\"><table id=\"facts\">\n");
    heft_html_fact(p->out, "method", "%s: %s", m->method->name, m->method->title);
    heft_html_fact(p->out, "source", "%s", m->method->source);
    heft_html_fact(p->out, "size", "%s, %s%s", HEFT_COUNT_OF(p->K, "class"),
                   HEFT_COUNT_OF(p->n_attr, "attribute"), m->prep.sparse ? ", sparse" : "");
    const heft_status st = heft_inspect_settings(p->ctx, m, &v);
    heft_html_fact(p->out, "settings", "%s", heft_buf_string(&v));
    v.length = 0;
    for (size_t k = 0; k < m->n_params; k++)
        heft_put(&v, "%s%60q=%80q", k ? " " : "", m->param_names[k], m->param_values[k]);
    if (m->n_params) heft_html_fact(p->out, "parameters", "%s", heft_buf_string(&v));
    v.length = 0;
    heft_decision_tell(&v, &m->decision, m->prep.classes);
    heft_html_fact(p->out, "decision", "%s", heft_buf_string(&v));
    heft_html_fact(p->out, "trained on", "%10g %s, %3g s", t->rows, t->rows == 1 ? "row" : "rows",
                   t->seconds);
    v.length = 0;
    if (t->iterative) {
        heft_inspect_fit(&v, t);
        heft_html_fact(p->out, "fit", "%s", heft_buf_string(&v));
    }
    for (size_t k = 0; k < t->n_facts; k++) {
        const heft_fact *f = &t->facts[k];
        char             title[HEFT_TITLE_BYTES];
        heft_fact_title(f->name, title);
        if (f->text) heft_html_fact(p->out, title, "%s", f->text);
        else heft_html_fact(p->out, title, "%6g", f->number);
    }
    heft_put(p->out, "</table></div>\n");
    return st;
}

static void put_priors(const heft_page *p)
{
    const size_t  n = p->K < CLASSES ? p->K : CLASSES;
    const double *log_prior = p->model->fitted.log_prior;
    char          style[16];
    if (!log_prior) return;
    const double total = heft_logsumexp(log_prior, p->K);
    heft_put(p->out,
             "<figure><figcaption>Prior probabilities of the classes%s</figcaption>\n"
             "<table class=\"bars\" id=\"priors\">\n",
             n < p->K ? " (the first ones)" : "");
    for (size_t c = 0; c < n; c++) {
        const double share = exp(log_prior[c] - total);
        snprintf(style, sizeof style, "b%zu", c % HEFT_HTML_COLOURS);
        heft_page_bar(p->out, style, p->classes[c], share, "%4g", share);
    }
    heft_put(p->out, "</table></figure>\n");
}

/* Writes what weight k of attribute j belongs to. */
static void put_owner(const heft_page *p, size_t j, size_t k, heft_buf *out)
{
    char value[200];
    out->length = 0;
    if (p->t.per == HEFT_PER_CLASS_PAIR)
        heft_put(out, "%60q against %60q", p->classes[p->t.class_pair[k].a],
                 p->classes[p->t.class_pair[k].b]);
    else if (p->t.per == HEFT_PER_CLASS) heft_put(out, "%60q", p->classes[k]);
    else
        heft_put(out, "%100q",
                 heft_prep_value(&p->model->prep, j, (uint32_t)k, value, sizeof value));
}

/* Draws the weights where an attribute has several: one per class, value or class pair. */
static void put_weights(const heft_page *p)
{
    const size_t rows = p->n_attr < HEAT_ROWS ? p->n_attr : HEAT_ROWS;
    double       most = 0;
    HEFT_SIDE_TEXT(owner, p->out);
    if (p->t.per == HEFT_PER_ATTR || !p->differ) return;
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < heft_term_weights(&p->t, p->rank[k]); c++)
            most = fmax(most, fabs(heft_term_weight(&p->t, p->rank[k], c)));
    heft_put(p->out,
             "<figure><figcaption>Weights of the most important attributes by %s, from left to "
             "right (hover for the number)</figcaption>\n<div class=\"scroll\"><table "
             "class=\"heat\" id=\"weights\">\n",
             p->t.per == HEFT_PER_CLASS_PAIR ? "class pair"
             : p->t.per == HEFT_PER_CLASS    ? "class"
                                             : "value");
    for (size_t k = 0; k < rows; k++) {
        const size_t j = p->rank[k], n = heft_term_weights(&p->t, j);
        heft_put(p->out, "<tr><th scope=\"row\"><bdi>%200h</bdi></th>",
                 p->model->prep.attr[j].name);
        for (size_t c = 0; c < n && c < HEAT_COLS; c++) {
            const double x = heft_term_weight(&p->t, j, c);
            put_owner(p, j, c, &owner);
            heft_put(p->out, "<td class=\"cell %s\" style=\"--o:%2f\" title=\"%200h: %4g\"></td>",
                     x < 0 ? "wrong" : "right", most > 0 ? fabs(x) / most : 0,
                     heft_buf_string(&owner), x);
        }
        heft_put(p->out, "</tr>\n");
    }
    heft_put(p->out, "</table></div></figure>\n");
}

heft_status heft_section_details(const heft_page *p)
{
    heft_put(p->out, "<section id=\"details\">\n<h2>Details</h2>\n<details id=\"internals\">"
                     "<summary>How the model was made</summary>\n");
    HEFT_CHECK(put_facts(p));
    heft_put(p->out, "<div class=\"figures\">\n");
    put_priors(p);
    if (p->n_attr) put_weights(p);
    if (p->table && p->n_attr) HEFT_CHECK(heft_section_correlations(p));
    heft_put(p->out, "</div>\n</details>\n</section>\n");
    return HEFT_OK;
}
