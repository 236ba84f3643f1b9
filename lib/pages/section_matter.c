/* section_matter.c - what matters: attributes, pairs and triples by the size of their evidence. */
#include <math.h>

#include "pages/page.h"

enum { SHOWN = 15, LISTED = 100, JOINT = 10 };

void heft_page_bar_start(heft_buf *out, const char *style, const char *name, double percent)
{
    heft_put(out,
             "<tr><th scope=\"row\"><bdi>%400h</bdi></th><td class=\"track\"><i class=\"%s\" "
             "style=\"width:%1f%%\"></i></td><td class=\"n\">",
             name, style, percent);
}

void heft_page_bar(heft_buf *out, const char *style, const char *name, double share,
                   const char *format, ...)
{
    va_list args;
    heft_page_bar_start(out, style, name, isfinite(share) ? 100 * fmin(fmax(share, 0), 1) : 0);
    va_start(args, format);
    heft_vput(out, format, args);
    va_end(args);
    heft_put(out, "</td></tr>\n");
}

/* Whether raw weights are shown too: they are not all equal. */
static bool weights_shown(const heft_page *p)
{
    return p->t.shared && (p->differ || p->t.beside);
}

static void put_weight(const heft_page *p, size_t j)
{
    double lo, hi, size;
    heft_term_weight_range(&p->t, j, &lo, &hi, &size);
    heft_put(p->out, "<td class=\"n\">");
    if (p->t.beside) heft_put(p->out, "%3g", p->t.beside[j]);
    else if (hi != lo) heft_put(p->out, "%3g to %3g", lo, hi);
    else heft_put(p->out, "%3g", lo);
    heft_put(p->out, "</td>");
}

static void put_attributes(const heft_page *p, size_t from, size_t to)
{
    const double most = p->matter[p->rank[0]];
    heft_put(p->out,
             "<div class=\"scroll\"><table class=\"bars\"%s>\n<tr><th>attribute</th><th></th>"
             "<th class=\"n\">%s</th>",
             from ? "" : " id=\"importance\"", p->by == HEFT_BY_BITS ? "bits" : "evidence");
    if (weights_shown(p)) heft_put(p->out, "<th class=\"n\">weight</th>");
    heft_put(p->out, "</tr>\n");
    for (size_t k = from; k < to; k++) {
        const size_t j = p->rank[k];
        heft_page_bar_start(p->out, "fill", p->model->prep.attr[j].name,
                            most > 0 ? 100 * p->matter[j] / most : 0);
        heft_put(p->out, "%3g</td>", p->matter[j]);
        if (weights_shown(p)) put_weight(p, j);
        heft_put(p->out, "</tr>\n");
    }
    heft_put(p->out, "</table></div>\n");
}

/* Lists the strongest pairs or triples. */
static void put_joint(const heft_page *p, int which)
{
    const heft_terms     *t = &p->t;
    const heft_joint_list list = heft_joint_list_of(t, which);
    const size_t          n = list.n < JOINT ? list.n : JOINT;
    const double          most = heft_joint_most(t);
    HEFT_SIDE_TEXT(name, p->out);
    if (n == 0) return;
    heft_put(p->out,
             "<figure><figcaption>Strongest %s of attributes (%z of %z)</figcaption>\n"
             "<table class=\"bars\" id=\"%s\">\n",
             list.what, n, list.n, list.what);
    for (size_t k = 0; k < n; k++) {
        const heft_interaction *of =
            &t->interactions.list[t->interactions.strongest[list.first + k]];
        name.length = 0;
        for (size_t m = 0; m < of->n; m++)
            heft_put(&name, "%s%120q", m ? " \xc3\x97 " : "", heft_attr_name(t, of->attr[m]));
        heft_page_bar(p->out, "fill", heft_buf_string(&name), of->size / most, "%3g", of->size);
    }
    heft_put(p->out, "</table></figure>\n");
}

void heft_section_matter(const heft_page *p)
{
    const size_t n = p->n_attr < SHOWN ? p->n_attr : SHOWN;
    const size_t listed = p->n_attr < LISTED ? p->n_attr : LISTED;
    if (p->by == HEFT_BY_NOTHING || !p->n_attr) return;
    heft_put(p->out, "<section id=\"matter\">\n<h2>What matters</h2>\n<p>");
    heft_put_marked(
        p->out,
        p->by == HEFT_BY_BITS ? "What each attribute alone tells about the class, in bits. The "
                                "score of this method is "
                                "not a sum over attributes, so there is no evidence to compare."
        : p->t.size
            ? "Evidence: the mean size of what an attribute adds to the score of a class, over "
              "training rows, as in <code>{command inspect}</code>. Half of a pair's evidence and "
              "a third of a triple's are counted with each of its attributes."
            : "Evidence: the mean size of what an attribute adds to the score of a class. It "
              "depends on the weight of the attribute and on how much its values differ between "
              "the classes.");
    heft_put(p->out, "</p>\n");
    if (p->by == HEFT_BY_EVIDENCE && p->K == 2)
        heft_put(p->out, "<p>Log-odds of two classes change by twice the evidence.</p>\n");
    heft_put(p->out, "<div class=\"figures two\">\n<figure><figcaption>Attributes</figcaption>\n");
    put_attributes(p, 0, n);
    if (listed > n) {
        heft_put(p->out, "<details><summary>%z more%s</summary>\n", listed - n,
                 listed < p->n_attr ? " of the most important" : "");
        put_attributes(p, n, listed);
        heft_put(p->out, "</details>\n");
    }
    if (listed < p->n_attr)
        heft_put(p->out, "<p>The first %z of %z attributes are listed.</p>\n", listed, p->n_attr);
    heft_put(p->out, "</figure>\n");
    for (int which = 0; which < HEFT_JOINT_LISTS; which++) put_joint(p, which);
    heft_html_section_end(p->out);
}
