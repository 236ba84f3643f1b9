/* export_pmml_scores.c - fields of a chain's last link that are made of the links before it: votes
 * of class pairs, several sums (model/term.h), and what calibration needs of all scores. */
#include "export/export_pmml.h"

typedef heft_pmml_writer writer;

static void begin_local(const writer *w, const char *name, size_t k)
{
    heft_put(w->out,
             "  <DerivedField name=\"heft.%s%z\" dataType=\"double\" optype=\"continuous\">", name,
             k);
}

/* heft.g: the share of a vote that the first of a class pair gets. heft.s: the log of all votes. */
static void put_votes(const writer *w)
{
    const heft_terms *t = w->t;
    for (size_t k = 0; k < t->n_class_pairs; k++) {
        begin_local(w, "g", k);
        heft_pmml_put(w->out, "[/ %d[+ %d[exp [* %d@m%z;]]]]</DerivedField>\n", 1.0, 1.0, -1.0, k);
    }
    for (size_t c = 0; c < t->n_class; c++) {
        if (heft_class_absent(t, c)) continue;
        begin_local(w, "s", c);
        heft_pmml_put(w->out, "[ln [/ [sum %d", 1e-300);
        for (size_t k = 0; k < t->n_class_pairs; k++) {
            if (t->class_pair[k].a == c) heft_pmml_put(w->out, "@g%z;", k);
            if (t->class_pair[k].b == c) heft_pmml_put(w->out, "[- %d@g%z;]", 1.0, k);
        }
        heft_pmml_put(w->out, "]%d]]</DerivedField>\n", (double)t->n_class_pairs);
    }
}

/* exp(field - heft.top<k>) */
static void put_exp(const writer *w, const char *name, size_t field, size_t k)
{
    heft_pmml_put(w->out, "[exp [- @%s%z;@top%z;]]", name, field, k);
}

/* heft.top<k>, and heft.all<k>: the log of the sum of the exponentials of the classes' fields, of
 * which the first is `from`. */
static void put_every(const writer *w, size_t k, const char *name, size_t from)
{
    begin_local(w, "top", k);
    heft_pmml_put(w->out, "[max ");
    for (size_t c = 0; c < w->t->n_class; c++)
        if (!heft_class_absent(w->t, c)) heft_pmml_put(w->out, "@%s%z;", name, from + c);
    heft_pmml_put(w->out, "]</DerivedField>\n");
    begin_local(w, "all", k);
    heft_pmml_put(w->out, "[+ @top%z;[ln [sum ", k);
    for (size_t c = 0; c < w->t->n_class; c++)
        if (!heft_class_absent(w->t, c)) put_exp(w, name, from + c, k);
    heft_pmml_put(w->out, "]]]</DerivedField>\n");
}

/* ---- several sums ---- */

/* What has to be known of the sums: heft.all of each, or heft.top0 of all. */
static void put_overview(const writer *w)
{
    const heft_terms *t = w->t;
    if (t->further.combining == HEFT_MIXED)
        for (size_t k = 0; k <= t->further.n; k++) put_every(w, k, "m", heft_pmml_link(t, k, 0));
    if (t->further.combining != HEFT_AVERAGED) return;
    begin_local(w, "top", 0);
    heft_pmml_put(w->out, "[max ");
    for (size_t k = 1; k <= t->further.n; k++)
        for (size_t c = 0; c < t->n_class; c++)
            heft_pmml_put(w->out, "@m%z;", heft_pmml_link(t, k, c));
    heft_pmml_put(w->out, "]</DerivedField>\n");
}

/* What sum k adds to the number whose log is the score, or to the score. */
static void put_member(const writer *w, size_t k, size_t c)
{
    const heft_terms *t = w->t;
    const size_t      link = heft_pmml_link(t, k, c);
    if (t->further.combining == HEFT_AVERAGED) put_exp(w, "m", link, 0);
    else if (t->further.combining == HEFT_MIXED)
        heft_pmml_put(w->out, "[* %d[exp [- @m%z;@all%z;]]]", t->further.mixing[k], link, k);
    else heft_pmml_put(w->out, "[ln [max @m%z;%d]]", link, HEFT_LEAST_SUM);
}

/* heft.s: the score. */
static void put_combined(const writer *w)
{
    const heft_terms *t = w->t;
    put_overview(w);
    for (size_t c = 0; c < t->n_class; c++) {
        if (heft_class_absent(t, c)) continue;
        begin_local(w, "s", c);
        if (t->further.combining == HEFT_AVERAGED)
            heft_pmml_put(w->out, "[if [lessThan @top0;%d]@m%z;", HEFT_ABSENT / 10, c);
        if (t->further.combining == HEFT_MULTIPLIED) heft_pmml_put(w->out, "[sum @m%z;", c);
        else heft_pmml_put(w->out, "[ln [sum %d", 1e-300);
        for (size_t k = t->further.combining != HEFT_MIXED; k <= t->further.n; k++)
            put_member(w, k, c);
        heft_pmml_put(w->out, "%s</DerivedField>\n",
                      t->further.combining == HEFT_AVERAGED     ? "</Apply></Apply></Apply>"
                      : t->further.combining == HEFT_MULTIPLIED ? "</Apply>"
                                                                : "</Apply></Apply>");
    }
}

void heft_pmml_scores(const writer *w)
{
    heft_put(w->out, "\n  <LocalTransformations>\n");
    if (w->t->class_pair) put_votes(w);
    if (w->t->further.n) put_combined(w);
    if (w->model->calibration.kind == HEFT_VECTOR)
        put_every(w, heft_pmml_all(w->t), heft_pmml_score(w->t), 0);
    heft_put(w->out, "  </LocalTransformations>\n");
}
