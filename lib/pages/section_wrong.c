/* section_wrong.c - the rows that were predicted wrong with the highest probability. */
#include "pages/page.h"

enum { WRONG = 5 };

static heft_status put_row(const heft_page *p, size_t i, bool open)
{
    const heft_page_outcomes *o = p->outcomes;
    const size_t              guess = o->guess[i], y = o->y[i];
    heft_put(p->out,
             "<details%s class=\"error\"><summary>Row %z: actual <bdi>%200h</bdi>, predicted "
             "<bdi>%200h</bdi> with probability %3f</summary>\n",
             open ? " open" : "", i + 1, o->classes[y], o->classes[guess],
             o->proba[i * o->K + guess]);
    size_t against = y;
    if (y >= p->K) /* the model does not know the class: against the runner-up */
        for (size_t c = 0; c < p->K; c++)
            if (c != guess &&
                (against >= p->K || o->proba[i * o->K + c] > o->proba[i * o->K + against]))
                against = c;
    const heft_status st =
        against < p->K ? heft_page_waterfall(p, i, guess, against) : HEFT_EUNSUPPORTED;
    if (st == HEFT_EUNSUPPORTED)
        heft_put(p->out, "<p>The score of this method is not a sum over attributes, so it cannot "
                         "be explained attribute by attribute.</p>\n");
    heft_put(p->out, "</details>\n");
    return st == HEFT_EUNSUPPORTED ? HEFT_OK : st;
}

heft_status heft_section_wrong(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    size_t                    worst[WRONG], n = 0;
    double                    sure[WRONG];
    if (!o->n_wrong) return HEFT_OK;
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= o->K || o->y[i] == o->guess[i]) continue;
        const double q = o->proba[i * o->K + o->guess[i]];
        size_t       k = n < WRONG ? n++ : WRONG;
        if (k == WRONG && q <= sure[WRONG - 1]) continue;
        if (k == WRONG) k--;
        for (; k > 0 && sure[k - 1] < q; k--) sure[k] = sure[k - 1], worst[k] = worst[k - 1];
        sure[k] = q;
        worst[k] = i;
    }
    heft_put(p->out,
             "<section id=\"wrong\">\n<h2>Most confident errors</h2>\n<p>%z of %s %s predicted "
             "wrong%s.%s</p>\n<div class=\"figures two\">\n",
             o->n_wrong, HEFT_COUNT_OF(o->n_known, "row"), o->n_wrong == 1 ? "is" : "are",
             n < o->n_wrong ? "; the most confident errors are shown" : "",
             o->folds ? " The probabilities are those of cross-validation; the evidence is that of "
                        "the model of all rows."
                      : "");
    for (size_t k = 0; k < n; k++) HEFT_CHECK(put_row(p, worst[k], k < 2));
    heft_html_section_end(p->out);
    return HEFT_OK;
}
