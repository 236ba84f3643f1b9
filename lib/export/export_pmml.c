/* export_pmml.c - a model as PMML 4.4.
 *
 * Derived fields give codes to cells (export_pmml_fields.c). A score is a RegressionTable: a
 * CategoricalPredictor for each code, a NumericPredictor for each slope, density and sum of trees.
 * The model is one RegressionModel with softmax, or a chain (MiningModel) that ends in one. The
 * links before it are the trees of each class, summed (heft.t0), and, where classes vote or
 * calibration looks at all scores, or several sums are combined, the sums themselves (heft.m0). */
#include <math.h>
#include <string.h>

#include "export/export_pmml.h"

typedef heft_pmml_writer writer;

/* ---- data ---- */

static void put_values(heft_buf *out, const heft_dict *dict)
{
    for (uint32_t v = 0; v < heft_dict_size(dict); v++)
        heft_pmml_put(out, "<Value value=\"%t\"/>", heft_dict_text(dict, v));
    heft_put(out, "</DataField>\n");
}

static void put_dictionary(const writer *w)
{
    const heft_prep *prep = &w->model->prep;
    heft_put(w->out, " <DataDictionary>\n");
    for (size_t j = 0; j <= prep->n_attr; j++) {
        const bool target = j == prep->n_attr,
                   nominal = target || prep->attr[j].kind == HEFT_NOMINAL;
        heft_pmml_put(w->out, "  <DataField name=\"%t\" optype=\"%s",
                      target ? prep->target : prep->attr[j].name,
                      nominal ? "categorical\" dataType=\"string\">"
                              : "continuous\" dataType=\"double\"/>\n");
        if (nominal) put_values(w->out, target ? prep->classes : prep->attr[j].dict);
    }
    heft_put(w->out, " </DataDictionary>\n");
}

/* Lets values that were never seen pass, because the derived fields have a code for them. */
static void put_schema(const writer *w)
{
    const heft_prep *prep = &w->model->prep;
    heft_put(w->out, "<MiningSchema>\n");
    for (size_t j = 0; j <= prep->n_attr; j++) {
        const bool target = j == prep->n_attr;
        heft_pmml_put(w->out, "  <MiningField name=\"%t\" %s/>\n",
                      target ? prep->target : prep->attr[j].name,
                      target ? "usageType=\"target\"" : "invalidValueTreatment=\"asIs\"");
    }
    heft_put(w->out, " </MiningSchema>\n");
}

/* ---- sums ---- */

static double value_of(const heft_pmml_sum *s, size_t j, const double *line)
{
    return s->scale * (s->pair ? s->pair->w[j] * (line[s->a] - line[s->b]) : line[s->a]);
}

static void put_numeric(const writer *w, const char *name, size_t j, double coefficient)
{
    heft_put(w->out, "<NumericPredictor name=\"heft.%s%z\" coefficient=\"%n\"/>", name, j,
             coefficient);
}

static void put_densities(const writer *w, const heft_pmml_sum *s, size_t j)
{
    for (size_t side = 0; side < (s->pair ? 2 : 1); side++)
        heft_put(w->out, "<NumericPredictor name=\"heft.n%z.%z\" coefficient=\"%n\"/>",
                 w->which * w->t->n_attr + j, side ? s->b : s->a,
                 s->scale * (s->pair ? s->pair->w[j] : 1) * (side ? -1 : 1));
}

static void put_code(const writer *w, const char *name, size_t j, size_t code, double coefficient)
{
    if (coefficient == 0) return;
    heft_put(w->out, "<CategoricalPredictor name=\"heft.%s%z\" value=\"%z\" coefficient=\"%n\"/>",
             name, j, code, coefficient);
}

static void put_tables(const writer *w, const heft_pmml_sum *s)
{
    const heft_terms *t = w->t;
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_term *term = &t->attr[j];
        if (term->table)
            for (size_t v = 0; v < term->n_codes + 2; v++)
                put_code(w, "c", j, v,
                         value_of(s, j, term->table + heft_term_line(term, v) * t->n_columns));
    }
    for (size_t k = 0; k < t->joint.n; k++)
        for (size_t v = 0; v < t->joint.list[k].n_cells; v++)
            put_code(w, "p", t->joint.list[k].grid, v,
                     s->scale * t->joint.list[k].table[v * t->n_columns + s->a]);
}

/* Writes the predictors of a RegressionTable. With two columns the trees of the first are left out,
 * and those of the second are doubled: softmax and calibration depend on differences alone. */
static void put_sum(const writer *w, const heft_pmml_sum *s)
{
    const heft_terms *t = w->t;
    const bool        margin = t->trees && t->trees->n_columns == 1;
    for (size_t j = 0; j < t->n_attr; j++) {
        if (heft_has_slope(&t->attr[j])) put_numeric(w, "z", j, s->scale * t->attr[j].slope[s->a]);
        if (heft_has_normal(&t->attr[j])) put_densities(w, s, j);
    }
    if (t->trees && !(margin && s->a == 0)) put_numeric(w, "t", s->a, s->scale * (margin ? 2 : 1));
    put_tables(w, s);
}

static double start_of(const heft_terms *t, const heft_pmml_sum *s)
{
    double x = t->start[heft_class_of(t, s->a)];
    if (s->pair) x = s->pair->w0 * (x - t->start[heft_class_of(t, s->b)]);
    return isfinite(x) ? s->scale * x + s->shift : x > 0 ? 1e300 : x < 0 ? -1e300 : 0;
}

/* ---- trees ---- */

static void put_predicate(const writer *w, const heft_tree_split *s)
{
    const heft_term *term = &w->t->attr[s->attr];
    const bool       missing = w->t->tree_missing[s->attr] <= s->at;
    const size_t     j = s->attr, at = s->at < term->n_codes ? s->at : term->n_codes;
    size_t           n = 0;
    if (s->n_listed == 0) {
        if (missing) heft_put(w->out, "<CompoundPredicate booleanOperator=\"or\">");
        heft_put(w->out, "<SimplePredicate field=\"heft.c%z\" operator=\"lessThan\" value=\"%z\"/>",
                 j, at);
        if (missing)
            heft_put(w->out,
                     "<SimplePredicate field=\"heft.c%z\" operator=\"equal\" value=\"%z\"/>"
                     "</CompoundPredicate>",
                     j, term->n_codes);
        return;
    }
    for (size_t count = 0; count < 2; count++) {
        if (count)
            heft_put(w->out,
                     "<SimpleSetPredicate field=\"heft.c%z\" booleanOperator=\"isIn\"><Array "
                     "type=\"int\" n=\"%z\">",
                     j, n ? n : 1);
        for (size_t spot = 0; spot < term->n_codes + 2; spot++)
            for (size_t k = 0; k < s->n_listed; k++) {
                if (w->t->trees->listed[s->at + k] != heft_term_line(term, spot)) continue;
                if (count) heft_put(w->out, "%z ", spot);
                else n++;
            }
    }
    heft_put(w->out, n ? "</Array></SimpleSetPredicate>" : "-1</Array></SimpleSetPredicate>");
}

/* Writes the nodes above the n leaves from `leaf` on. The first child takes the rows that go left,
 * the second the rest. */
static void put_nodes(const writer *w, size_t column, size_t n, size_t split, size_t leaf)
{
    const heft_trees      *trees = w->t->trees;
    const heft_tree_split *s = &trees->split[split];
    if (n == 1) return;
    for (size_t side = 0; side < 2; side++) {
        const size_t m = side ? n - s->left : s->left;
        const size_t at = side ? leaf + s->left : leaf;
        if (m == 1)
            heft_put(w->out, "<Node score=\"%n\">", trees->value[at * trees->n_columns + column]);
        else heft_put(w->out, "<Node>");
        if (side) heft_put(w->out, "<True/>");
        else put_predicate(w, s);
        put_nodes(w, column, m, side ? split + s->left : split + 1, at);
        heft_put(w->out, "</Node>");
    }
}

static void begin_segment(writer *w)
{
    heft_put(w->out, "  <Segment id=\"%z\"><True/>", ++w->n_segments);
}

static void put_output(const writer *w, const char *name, size_t k)
{
    heft_put(w->out,
             "<Output><OutputField name=\"heft.%s%z\" optype=\"continuous\" dataType=\"double\" "
             "feature=\"predictedValue\"/></Output>\n",
             name, k);
}

/* Writes the MiningFields of the codes that n splits use. */
static void put_split_fields(const writer *w, const heft_tree_split *s, size_t n)
{
    heft_put(w->out, "<MiningSchema>");
    for (size_t k = 0; k < n; k++) {
        size_t before = 0;
        while (before < k && s[before].attr != s[k].attr) before++;
        if (before == k) heft_put(w->out, "<MiningField name=\"heft.c%z\"/>", (size_t)s[k].attr);
    }
    heft_put(w->out, "</MiningSchema>");
}

static void put_forest(writer *w, size_t column, size_t at)
{
    const heft_trees *trees = w->t->trees;
    begin_segment(w);
    heft_put(w->out, "<MiningModel functionName=\"regression\"><MiningSchema>");
    for (size_t j = 0; j < w->t->n_attr; j++)
        if (w->t->attr[j].table) heft_put(w->out, "<MiningField name=\"heft.c%z\"/>", j);
    heft_put(w->out, "</MiningSchema>");
    put_output(w, "t", at);
    heft_put(w->out, "   <Segmentation multipleModelMethod=\"sum\">\n");
    for (size_t k = 0; k < trees->n_trees; k++) {
        const heft_tree *tree = &trees->tree[k];
        heft_put(w->out,
                 "   <Segment id=\"%z\"><True/><TreeModel functionName=\"regression\" "
                 "splitCharacteristic=\"binarySplit\">",
                 k + 1);
        put_split_fields(w, &trees->split[tree->split], (size_t)tree->n_leaves - 1);
        if (tree->n_leaves == 1)
            heft_put(w->out, "<Node score=\"%n\"><True/>",
                     trees->value[tree->leaf * trees->n_columns + column]);
        else heft_put(w->out, "<Node><True/>");
        put_nodes(w, column, tree->n_leaves, tree->split, tree->leaf);
        heft_put(w->out, "</Node></TreeModel></Segment>\n");
    }
    heft_put(w->out, "   </Segmentation></MiningModel></Segment>\n");
}

static void put_forests(writer *w)
{
    if (w->t->trees->n_columns == 1) {
        put_forest(w, 0, 1);
        return;
    }
    for (size_t c = 0; c < w->t->n_columns; c++)
        if (!heft_class_absent(w->t, heft_class_of(w->t, c))) put_forest(w, c, c);
}

/* ---- the links before the last ---- */

static void put_link_fields(const writer *w)
{
    const heft_terms *t = w->t;
    heft_pmml_used(t, w->which, w->out);
    if (!t->trees) return;
    for (size_t c = t->trees->n_columns == 1; c < t->n_columns; c++)
        if (!heft_class_absent(t, heft_class_of(t, c)))
            heft_put(w->out, "<MiningField name=\"heft.t%z\"/>", c);
}

static void put_link(writer *w, const heft_pmml_sum *s, size_t at)
{
    begin_segment(w);
    heft_put(w->out, "<RegressionModel functionName=\"regression\">"
                     "<MiningSchema>");
    put_link_fields(w);
    heft_put(w->out, "</MiningSchema>");
    put_output(w, "m", at);
    heft_put(w->out, "   <RegressionTable intercept=\"%n\">", start_of(w->t, s));
    put_sum(w, s);
    heft_put(w->out, "</RegressionTable></RegressionModel></Segment>\n");
}

static void put_links(writer *w)
{
    const heft_terms *t = w->t;
    for (size_t k = 0; k < t->n_class_pairs; k++)
        put_link(w,
                 &(heft_pmml_sum){t->class_pair[k].a, t->class_pair[k].b, &t->class_pair[k], 1, 0},
                 k);
    if (t->class_pair) return;
    for (; w->which <= t->further.n; w->which++) {
        w->t = w->which ? &t->further.list[w->which - 1] : t;
        for (size_t c = 0; c < t->n_columns; c++)
            if (!heft_class_absent(t, heft_class_of(t, c)))
                put_link(w, &(heft_pmml_sum){c, 0, NULL, 1, 0},
                         heft_pmml_link(t, w->which, heft_class_of(t, c)));
    }
    w->t = t;
    w->which = 0;
}

/* ---- the last link ---- */

static void put_class_table(const writer *w, size_t c, size_t column)
{
    const heft_calibration *by = &w->model->calibration;
    const double        scale = by->scale ? by->scale[c] : 1, shift = by->scale ? by->shift[c] : 0;
    const heft_pmml_sum s = {column, 0, NULL, scale, shift};
    const bool          none = column == w->t->n_columns || heft_class_absent(w->t, c);
    heft_pmml_put(w->out, "   <RegressionTable targetCategory=\"%t\" intercept=\"%n\">",
                  heft_class_name(w->t, c),
                  none       ? -1e300
                  : w->apart ? shift
                             : start_of(w->t, &s));
    if (!none && w->apart) {
        put_numeric(w, heft_pmml_score(w->t), c, scale);
        if (by->kind == HEFT_VECTOR) put_numeric(w, "all", heft_pmml_all(w->t), -scale);
    } else if (!none) {
        put_sum(w, &s);
    }
    heft_put(w->out, "</RegressionTable>\n");
}

static size_t column_of(const heft_terms *t, size_t c)
{
    size_t column = 0;
    while (column < t->n_columns && heft_class_of(t, column) != c) column++;
    return column;
}

static void put_tables_by_class(const writer *w)
{
    for (size_t c = 0; c < w->t->n_class; c++) put_class_table(w, c, column_of(w->t, c));
    heft_put(w->out, "  </RegressionModel>");
}

static void put_last(writer *w)
{
    const heft_terms *t = w->t;
    const size_t      n = t->class_pair ? t->n_class_pairs : heft_pmml_link(t, t->further.n + 1, 0);
    begin_segment(w);
    heft_pmml_put(
        w->out,
        "<RegressionModel functionName=\"classification\" normalizationMethod=\"softmax\">"
        "<MiningSchema><MiningField name=\"%t\" usageType=\"target\"/>",
        w->model->prep.target);
    if (!w->apart) put_link_fields(w);
    if (w->apart)
        for (size_t k = 0; k < n; k++)
            if (t->class_pair || !heft_class_absent(t, k % t->n_class))
                heft_put(w->out, "<MiningField name=\"heft.m%z\"/>", k);
    heft_put(w->out, "</MiningSchema>");
    if (w->apart) heft_pmml_scores(w);
    put_tables_by_class(w);
    heft_put(w->out, "</Segment>\n");
}

/* ---- the decision ---- */

static void put_label(const writer *w, size_t c)
{
    heft_pmml_put(w->out, "<Constant dataType=\"string\">%t</Constant>", heft_class_name(w->t, c));
}

static void put_costs(const writer *w, const double *cost)
{
    const size_t K = w->t->n_class;
    for (size_t c = 0; c < K; c++) {
        heft_pmml_put(w->out,
                      "  <OutputField name=\"heft.r%z\" optype=\"continuous\" dataType=\"double\" "
                      "feature=\"transformedValue\">[sum ",
                      c);
        for (size_t actual = 0; actual < K; actual++)
            heft_pmml_put(w->out, "[* <FieldRef field=\"P(%t)\"/>%d]",
                          heft_class_name(w->t, actual), cost[actual * K + c]);
        heft_pmml_put(w->out, "]</OutputField>\n");
    }
}

/* Writes an expression for the first class whose cost no later one is below. */
static void put_cheapest(const writer *w)
{
    const size_t K = w->t->n_class;
    for (size_t c = 0; c + 1 < K; c++) {
        heft_pmml_put(w->out,
                      "[if [and [lessOrEqual <Constant>0</Constant><Constant>0</Constant>]");
        for (size_t k = c + 1; k < K; k++) heft_pmml_put(w->out, "[lessOrEqual @r%z;@r%z;]", c, k);
        heft_pmml_put(w->out, "]");
        put_label(w, c);
    }
    put_label(w, K - 1);
    for (size_t c = 0; c + 1 < K; c++) heft_put(w->out, "</Apply>");
}

/* Writes the outputs: the class by the decision rule, and the probabilities. */
static void put_outputs(const writer *w)
{
    const heft_decision *rule = &w->model->decision;
    heft_put(w->out, " <Output>\n");
    for (size_t c = 0; c < w->t->n_class; c++)
        heft_pmml_put(w->out,
                      "  <OutputField name=\"P(%t)\" optype=\"continuous\" dataType=\"double\" "
                      "feature=\"probability\" value=\"%t\"/>\n",
                      heft_class_name(w->t, c), heft_class_name(w->t, c));
    if (rule->kind == HEFT_LEAST_COST) put_costs(w, rule->cost);
    heft_put(w->out,
             "  <OutputField name=\"predicted\" optype=\"categorical\" dataType=\"string\" "
             "feature=\"%s\">",
             rule->kind == HEFT_MOST_PROBABLE ? "predictedValue" : "transformedValue");
    if (rule->kind == HEFT_LEAST_COST) put_cheapest(w);
    if (rule->kind == HEFT_THRESHOLD) {
        heft_pmml_put(w->out, "[if [greaterOrEqual <FieldRef field=\"P(%t)\"/>%d]",
                      heft_class_name(w->t, rule->chosen), rule->threshold);
        put_label(w, rule->chosen);
        put_label(w, 1 - rule->chosen);
        heft_put(w->out, "</Apply>");
    }
    heft_put(w->out, "</OutputField>\n </Output>\n");
}

/* ---- the whole ---- */

static heft_status check(heft_ctx *ctx, const heft_terms *t)
{
    const heft_prep *prep = &t->model->prep;
    bool             writable = heft_pmml_writable(prep->target);
    for (size_t j = 0; j <= t->n_attr; j++) {
        const heft_dict *dict = j < t->n_attr ? prep->attr[j].dict : prep->classes;
        if (j < t->n_attr) writable &= heft_pmml_writable(prep->attr[j].name);
        if (dict)
            for (uint32_t v = 0; v < heft_dict_size(dict); v++)
                writable &= heft_pmml_writable(heft_dict_text(dict, v));
    }
    if (writable) return HEFT_OK;
    return heft_fail(
        ctx, HEFT_EUNSUPPORTED,
        "export: a name or value has a character that XML cannot hold (use another format)");
}

static heft_status write_pmml(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                              heft_buf *out)
{
    const heft_model *model = t->model;
    writer            w = {.t = t, .model = model, .out = out};
    (void)how;
    HEFT_CHECK(check(ctx, t));
    w.apart = t->class_pair || t->further.n || model->calibration.kind == HEFT_VECTOR;
    w.chain = w.apart || t->trees;
    heft_put(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PMML "
             "xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n <Header "
             "description=\"a model of method %s\"><Application name=\"heft\" version=\"%s\"/>"
             "</Header>\n",
             model->method->name, HEFT_VERSION);
    put_dictionary(&w);
    heft_put(out, w.chain ? " <MiningModel functionName=\"classification\">"
                          : " <RegressionModel functionName=\"classification\" "
                            "normalizationMethod=\"softmax\">");
    put_schema(&w);
    put_outputs(&w);
    HEFT_CHECK(heft_pmml_fields(ctx, t, out));
    if (w.chain) {
        heft_put(out, " <Segmentation multipleModelMethod=\"modelChain\">\n");
        if (t->trees) put_forests(&w);
        if (w.apart) put_links(&w);
        put_last(&w);
        heft_put(out, " </Segmentation>\n </MiningModel>");
    } else {
        put_tables_by_class(&w);
    }
    heft_put(out, "\n</PMML>\n");
    return HEFT_OK;
}

const heft_export heft_export_pmml = {
    .info = {.name = "pmml", .ending = ".pmml", .about = "PMML 4.4"},
    .lacks = 1 << HEFT_LIK_ROUNDED | 1 << HEFT_LIK_KERNEL,
    .write = write_pmml,
};
