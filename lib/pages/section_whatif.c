/* section_whatif.c - what if: the script lets the reader set values and shows what they say.
 * Without it there is one row as an example. */
#include "pages/page.h"

extern const char *const heft_page_script[]; /* the lines of assets/report.js, then NULL */

/* Explains one row of the table. */
static heft_status put_example(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const size_t              row = 0;
    size_t                    best = 0, second = 1;
    double                   *proba;
    heft_status               st;
    if (!p->table || !p->table->n_rows || p->K < 2) return HEFT_OK;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, proba, p->K);
    HEFT_CHECK(heft_page_posterior(p, &row, 1, proba));
    best = heft_decide(&p->model->decision, proba, p->K);
    second = best ? 0 : 1;
    for (size_t c = 0; c < p->K; c++)
        if (c != best && proba[c] > proba[second]) second = c;
    heft_put(p->out,
             "<figure id=\"example\"><figcaption>An example: row 1 of the data is predicted "
             "<bdi>%200h</bdi> with probability %3f",
             p->classes[best], proba[best]);
    if (o && o->y[row] < o->K)
        heft_put(p->out, "; its class is <bdi>%200h</bdi>", o->classes[o->y[row]]);
    heft_put(p->out, "</figcaption>\n");
    st = heft_page_waterfall(p, row, best, second);
    if (st == HEFT_EUNSUPPORTED) st = HEFT_OK;
    heft_put(p->out, "</figure>\n");
    return st;
}

heft_status heft_section_whatif(const heft_page *p)
{
    bool written = false;
    HEFT_SIDE_TEXT(why, p->out);
    heft_put(p->out, "<section id=\"whatif\">\n<h2>What if</h2>\n");
    if (!p->n_attr) heft_put(&why, "The model has no attributes.");
    else if (!p->additive)
        heft_put_marked(&why,
                        "The score of method %s is not a sum over the values of a row, so values "
                        "cannot be tried out here ({command predict} takes any row).",
                        p->model->method->name);
    else HEFT_CHECK(heft_page_model(p, &written, &why));
    if (written)
        heft_put_marked(
            p->out,
            "<p>Set values and see what the model says. The numbers are those of "
            "{command predict}.</p>\n<div id=\"panel\"></div>\n<noscript><p>Values can be tried "
            "out where scripts are allowed.</p></noscript>\n");
    else heft_put(p->out, "<p id=\"no-panel\">%s</p>\n", heft_buf_string(&why));
    HEFT_CHECK(put_example(p));
    heft_put(p->out, "</section>\n");
    return HEFT_OK;
}

void heft_page_end(heft_buf *out)
{
    heft_put(out, "<script>\n");
    for (const char *const *line = heft_page_script; *line; line++) heft_buf_text(out, *line);
    heft_put(out, "</script>\n");
    heft_html_close(out);
}
