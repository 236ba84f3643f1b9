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
        heft_put(
            w->out,
            "<Apply function=\"/\"><Constant dataType=\"double\">1</Constant><Apply "
            "function=\"+\"><Constant dataType=\"double\">1</Constant><Apply "
            "function=\"exp\"><Apply function=\"*\"><Constant dataType=\"double\">-1</Constant>"
            "<FieldRef field=\"heft.m%z\"/></Apply></Apply></Apply></Apply></DerivedField>\n",
            k);
    }
    for (size_t c = 0; c < t->n_class; c++) {
        if (heft_pmml_left_out(t, c)) continue;
        begin_local(w, "s", c);
        heft_put(w->out, "<Apply function=\"ln\"><Apply function=\"/\"><Apply function=\"sum\">"
                         "<Constant dataType=\"double\">1e-300</Constant>");
        for (size_t k = 0; k < t->n_class_pairs; k++) {
            if (t->class_pair[k].a == c) heft_put(w->out, "<FieldRef field=\"heft.g%z\"/>", k);
            if (t->class_pair[k].b == c)
                heft_put(
                    w->out,
                    "<Apply function=\"-\"><Constant dataType=\"double\">1</Constant><FieldRef "
                    "field=\"heft.g%z\"/></Apply>",
                    k);
        }
        heft_put(w->out,
                 "</Apply><Constant dataType=\"double\">%z</Constant></Apply></Apply>"
                 "</DerivedField>\n",
                 t->n_class_pairs);
    }
}

static void put_field(const writer *w, const char *name, size_t k)
{
    heft_put(w->out, "<FieldRef field=\"heft.%s%z\"/>", name, k);
}

/* exp(field - heft.top<k>) */
static void put_exp(const writer *w, const char *name, size_t field, size_t k)
{
    heft_put(w->out, "<Apply function=\"exp\"><Apply function=\"-\">");
    put_field(w, name, field);
    put_field(w, "top", k);
    heft_put(w->out, "</Apply></Apply>");
}

/* heft.top<k>, and heft.all<k>: the log of the sum of the exponentials of the classes' fields, of
 * which the first is `from`. */
static void put_every(const writer *w, size_t k, const char *name, size_t from)
{
    begin_local(w, "top", k);
    heft_put(w->out, "<Apply function=\"max\">");
    for (size_t c = 0; c < w->t->n_class; c++)
        if (!heft_pmml_left_out(w->t, c)) put_field(w, name, from + c);
    heft_put(w->out, "</Apply></DerivedField>\n");
    begin_local(w, "all", k);
    heft_put(w->out, "<Apply function=\"+\">");
    put_field(w, "top", k);
    heft_put(w->out, "<Apply function=\"ln\"><Apply function=\"sum\">");
    for (size_t c = 0; c < w->t->n_class; c++)
        if (!heft_pmml_left_out(w->t, c)) put_exp(w, name, from + c, k);
    heft_put(w->out, "</Apply></Apply></Apply></DerivedField>\n");
}

/* ---- several sums ---- */

/* What has to be known of the sums: heft.all of each, or heft.top0 of all. */
static void put_overview(const writer *w)
{
    const heft_terms *t = w->t;
    for (size_t k = 0; t->combining == HEFT_MIXED && k <= t->n_sums; k++)
        put_every(w, k, "m", heft_pmml_link(t, k, 0));
    if (t->combining != HEFT_AVERAGED) return;
    begin_local(w, "top", 0);
    heft_put(w->out, "<Apply function=\"max\">");
    for (size_t k = 1; k <= t->n_sums; k++)
        for (size_t c = 0; c < t->n_class; c++) put_field(w, "m", heft_pmml_link(t, k, c));
    heft_put(w->out, "</Apply></DerivedField>\n");
}

/* What sum k adds to the number whose log is the score, or to the score. */
static void put_member(const writer *w, size_t k, size_t c)
{
    const heft_terms *t = w->t;
    const size_t      link = heft_pmml_link(t, k, c);
    if (t->combining == HEFT_AVERAGED) {
        put_exp(w, "m", link, 0);
    } else if (t->combining == HEFT_MIXED) {
        heft_put(w->out,
                 "<Apply function=\"*\"><Constant dataType=\"double\">%n</Constant><Apply "
                 "function=\"exp\"><Apply function=\"-\">",
                 t->mixing[k]);
        put_field(w, "m", link);
        put_field(w, "all", k);
        heft_put(w->out, "</Apply></Apply></Apply>");
    } else {
        heft_put(w->out, "<Apply function=\"ln\"><Apply function=\"max\">");
        put_field(w, "m", link);
        heft_put(w->out, "<Constant dataType=\"double\">%n</Constant></Apply></Apply>",
                 HEFT_LEAST_SUM);
    }
}

/* heft.s: the score. */
static void put_combined(const writer *w)
{
    const heft_terms *t = w->t;
    const bool        added = t->combining == HEFT_MULTIPLIED;
    put_overview(w);
    for (size_t c = 0; c < t->n_class; c++) {
        if (heft_pmml_left_out(t, c)) continue;
        begin_local(w, "s", c);
        if (t->combining == HEFT_AVERAGED) {
            heft_put(w->out, "<Apply function=\"if\"><Apply function=\"lessThan\">");
            put_field(w, "top", 0);
            heft_put(w->out, "<Constant dataType=\"double\">%n</Constant></Apply>",
                     HEFT_ABSENT / 10);
            put_field(w, "m", c);
        }
        heft_put(w->out, added ? "<Apply function=\"sum\">"
                               : "<Apply function=\"ln\"><Apply function=\"sum\"><Constant "
                                 "dataType=\"double\">1e-300</Constant>");
        if (added) put_field(w, "m", c);
        for (size_t k = t->combining != HEFT_MIXED; k <= t->n_sums; k++) put_member(w, k, c);
        heft_put(w->out, added ? "</Apply>" : "</Apply></Apply>");
        if (t->combining == HEFT_AVERAGED) heft_put(w->out, "</Apply>");
        heft_put(w->out, "</DerivedField>\n");
    }
}

void heft_pmml_scores(const writer *w)
{
    heft_put(w->out, "\n  <LocalTransformations>\n");
    if (w->t->class_pair) put_votes(w);
    if (w->t->n_sums) put_combined(w);
    if (w->model->calibration.kind == HEFT_VECTOR)
        put_every(w, heft_pmml_all(w->t), heft_pmml_score(w->t), 0);
    heft_put(w->out, "  </LocalTransformations>\n");
}
