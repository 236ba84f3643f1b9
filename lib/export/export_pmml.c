/* export_pmml.c - a model as PMML 4.4.
 *
 * The elements of the graph (graph.h) are derived fields or expressions (scalars.h): codes by
 * MapValues and Discretize, tables by MapValues, trees by nested "if". The model is a
 * RegressionModel with softmax, whose tables refer to the fields with the scores. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "export/export.h"
#include "export/scalars.h"
#include "export/score_parts.h"

typedef struct writer {
    heft_ctx         *ctx;
    const heft_graph *g;
    const heft_model *model;
    heft_buf         *out;
    heft_scalars      scalars;
    const char       *text[HEFT_N_OPS]; /* operators on elements: XML, with $a to $d */
} writer;

/* ---- XML ---- */

static void put_escaped(heft_buf *out, const char *text)
{
    for (size_t n = strlen(text), step; n > 0; text += step, n -= step) {
        const uint8_t c = (uint8_t)*text;
        step = 1;
        if (c < 0x20 || strchr("<>&\"'", c)) heft_buf_printf(out, "&#%u;", (unsigned)c);
        else step = heft_buf_utf8(out, text, n);
    }
}

static void put_argument(heft_buf *out, char kind, va_list *args)
{
    if (kind == 'd')
        heft_put(out, "<Constant dataType=\"double\">%n</Constant>", va_arg(*args, double));
    else if (kind == 'n') heft_put(out, "%n", va_arg(*args, double));
    else if (kind == 'z') heft_put(out, "%z", va_arg(*args, size_t));
    else if (kind == 's') heft_buf_text(out, va_arg(*args, const char *));
    else put_escaped(out, va_arg(*args, const char *));
}

/* Writes XML as printf does, with a short form for expressions:
 *
 *   [f   <Apply function="f">, and the blank behind it is left out      ]   </Apply>
 *   @c3; <FieldRef field="heft.c3"/>
 *   %d   a double as a constant      %n   a double        %z   size_t
 *   %s   text as it is               %t   text of users, escaped; bytes that are not UTF-8 are
 *                                         read as Latin-1 */
static void pmml_put(heft_buf *out, const char *format, ...)
{
    va_list args;
    bool    field = false;
    va_start(args, format);
    for (; *format; format++) {
        const size_t plain = strcspn(format, field ? "[]@%;" : "[]@%");
        heft_buf_add(out, format, plain);
        format += plain;
        if (!*format) break;
        if (*format == '[') {
            const size_t name = strcspn(++format, " ");
            heft_put(out, "<Apply function=\"");
            heft_buf_add(out, format, name);
            heft_put(out, "\">");
            format += name;
        } else if (*format == ']') {
            heft_put(out, "</Apply>");
        } else if (*format == '%') {
            put_argument(out, *++format, &args);
        } else {
            field = *format == '@';
            heft_put(out, field ? "<FieldRef field=\"heft." : "\"/>");
        }
    }
    va_end(args);
}

/* Whether XML can hold the text: it has no form for most control characters. */
static bool writable(const char *text)
{
    for (const uint8_t *s = (const uint8_t *)text; *s; s++)
        if (*s < 0x20 && *s != '\t' && *s != '\n' && *s != '\r') return false;
    return !strstr(text, "\xef\xbf\xbe") && !strstr(text, "\xef\xbf\xbf"); /* U+FFFE, U+FFFF */
}

/* ---- fields ---- */

/* Numbers that are not filled in are those of the data. */
static bool is_raw(const writer *w, heft_scalar at)
{
    const heft_graph_node *node = &w->g->node[at.node];
    return node->op == HEFT_OP_NUMBERS && isnan(node->numbers[at.row]);
}

static void put_name(const writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[at.node];
    if (is_raw(w, at)) pmml_put(out, "%t", w->model->prep.attr[node->list[at.row]].name);
    else heft_put(out, "heft.v%z.%z", at.node, at.row * node->columns + at.column);
}

static void put_field(void *format, heft_scalar at, heft_buf *out)
{
    if (at.node == SIZE_MAX) {
        pmml_put(out, "%d", 0.0);
        return;
    }
    heft_put(out, "<FieldRef field=\"");
    put_name(format, at, out);
    heft_put(out, "\"/>");
}

/* ---- codes and tables ---- */

/* Begins a MapValues of a field; `otherwise`: its value for codes that have no row. */
static void begin_map(const writer *w, heft_scalar from, const char *type, const char *otherwise,
                      heft_buf *out)
{
    heft_put(out, "<MapValues outputColumn=\"v\" dataType=\"%s\"%s><FieldColumnPair field=\"", type,
             otherwise);
    put_name(w, from, out);
    heft_put(out, "\" column=\"k\"/><InlineTable>");
}

static void end_map(heft_buf *out)
{
    heft_put(out, "</InlineTable></MapValues>");
}

static void put_nominal(const writer *w, size_t j, heft_buf *out)
{
    const heft_prep      *prep = &w->model->prep;
    const heft_attr_prep *a = &prep->attr[j];
    pmml_put(out,
             "<MapValues outputColumn=\"v\" dataType=\"integer\" mapMissingTo=\"%z\" "
             "defaultValue=\"%z\"><FieldColumnPair field=\"%t\" column=\"k\"/><InlineTable>",
             heft_code_missing(a), heft_code_unseen(prep, j), a->name);
    for (uint32_t v = 0; v < heft_dict_size(a->dict); v++)
        pmml_put(out, "<row><k>%t</k><v>%z</v></row>", heft_dict_text(a->dict, v), (size_t)v);
    end_map(out);
}

static void put_raw(const writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[at.node];
    const char            *name = w->model->prep.attr[node->list[at.row]].name;
    pmml_put(out, "[if [isMissing <FieldRef field=\"%t\"/>]%d<FieldRef field=\"%t\"/>]", name,
             node->numbers[at.row], name);
}

static void put_cut(const writer *w, const heft_graph_node *node, size_t row, heft_buf *out)
{
    const heft_cut_rule *r = (const heft_cut_rule *)node->rule + row;
    double               from = -INFINITY;
    heft_put(out, "<Discretize field=\"");
    put_name(w, heft_scalar_at(w->g, node->in[0], r->from, 0), out);
    heft_put(out, "\" dataType=\"integer\" mapMissingTo=\"%z\">", r->n_cuts + 1);
    for (size_t v = 0; v <= r->n_cuts; v++) {
        const double to = v == r->n_cuts ? INFINITY : r->cuts[v];
        if (!(to > from)) continue;
        heft_put(out, "<DiscretizeBin binValue=\"%z\"><Interval closure=\"%s\"", v,
                 isinf(to) ? "openOpen" : "openClosed");
        if (isfinite(from)) heft_put(out, " leftMargin=\"%n\"", from);
        if (isfinite(to)) heft_put(out, " rightMargin=\"%n\"", to);
        heft_put(out, "/></DiscretizeBin>");
        from = to;
    }
    heft_put(out, "</Discretize>");
}

static void put_cell(const writer *w, const heft_graph_node *node, size_t row, heft_buf *out)
{
    const heft_cell_rule *r = (const heft_cell_rule *)node->rule + row;
    heft_put(out, "<Apply function=\"+\">");
    for (size_t m = 0; m < 2; m++) {
        begin_map(w, heft_scalar_at(w->g, node->in[0], r->from[m], 0), "integer", "", out);
        for (size_t v = 0; v < r->n_codes[m]; v++)
            heft_put(out, "<row><k>%z</k><v>%z</v></row>", v, r->map[m][v] * (m ? 1 : r->times));
        end_map(out);
    }
    heft_put(out, "</Apply>");
}

/* The condition for a row to go left. */
static void put_condition(const writer *w, size_t codes, const heft_graph_split *s, heft_buf *out)
{
    HEFT_SIDE_TEXT(field, out);
    put_field((void *)w, heft_scalar_at(w->g, codes, s->from, 0), &field);
    const char *name = heft_buf_string(&field);
    if (s->n_listed) {
        pmml_put(out, "[isIn %s", name);
        for (size_t k = 0; k < s->n_listed; k++)
            pmml_put(out, "<Constant dataType=\"integer\">%z</Constant>", (size_t)s->listed[k]);
        pmml_put(out, "]");
        return;
    }
    if (s->also != UINT32_MAX)
        pmml_put(out, "[or [equal %s<Constant dataType=\"integer\">%z</Constant>]", name,
                 (size_t)s->also);
    pmml_put(out, "[lessThan %s<Constant dataType=\"integer\">%z</Constant>]", name,
             (size_t)s->below);
    if (s->also != UINT32_MAX) pmml_put(out, "]");
}

typedef struct tree_text {
    const writer *w;
    size_t        codes; /* node */
    const double *value; /* one per leaf, `step` apart; NULL: the number of the leaf is written */
    size_t        step;
} tree_text;

static void put_leaves(const tree_text *t, const heft_graph_split *s, size_t n, size_t leaf,
                       heft_buf *out)
{
    if (n == 1) {
        if (t->value) pmml_put(out, "%d", t->value[leaf * t->step]);
        else pmml_put(out, "<Constant dataType=\"integer\">%z</Constant>", leaf);
        return;
    }
    heft_put(out, "<Apply function=\"if\">");
    put_condition(t->w, t->codes, s, out);
    put_leaves(t, s + 1, s->left, leaf, out);
    put_leaves(t, s + s->left, n - s->left, leaf + s->left, out);
    heft_put(out, "</Apply>");
}

static void put_leaf(const writer *w, heft_scalar at, const double *value, size_t step,
                     heft_buf *out)
{
    const heft_graph_node  *node = &w->g->node[at.node];
    const heft_leaf_rule   *rule = node->rule;
    const heft_graph_split *s = rule ? rule->split : NULL;
    if (!s) return; /* every node of trees has a rule; the analyzer cannot know that */
    for (size_t m = 0; m < at.row; m++) s += rule->n_leaves[m] - 1;
    put_leaves(&(tree_text){w, node->in[0], value, step}, s, rule->n_leaves[at.row], 0, out);
}

/* The line of a table. Cells with keys are found by their number; others add nothing. */
static void put_lookup(const writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node  *node = &w->g->node[at.node];
    const heft_lookup_rule *r = (const heft_lookup_rule *)node->rule + at.row;
    const heft_scalar       code = heft_scalar_at(w->g, node->in[0], r->from, 0);
    const heft_graph_node  *from = &w->g->node[code.node];
    const heft_cell_rule   *cell =
        from->op == HEFT_OP_CELL ? (const heft_cell_rule *)from->rule + code.row : NULL;
    const uint64_t *key = cell ? cell->key : NULL;
    if (!w->scalars.stored[code.node]) {
        put_leaf(w, code, r->table + at.column, node->columns, out);
        return;
    }
    begin_map(w, code, "double", " defaultValue=\"0\"", out);
    for (size_t v = 0; v < (key ? cell->n_cells : r->n_lines); v++) {
        const double x = r->table[v * node->columns + at.column];
        if (x != 0) heft_put(out, "<row><k>%z</k><v>%n</v></row>", key ? (size_t)key[v] : v, x);
    }
    end_map(out);
}

/* ---- other operators ---- */

/* A function of all rows of a column. */
static void put_rows(const writer *w, const char *function, const double *start, heft_scalar at,
                     heft_buf *out)
{
    const size_t from = w->g->node[at.node].in[0];
    heft_put(out, "<Apply function=\"%s\">", function);
    if (start) pmml_put(out, "%d", *start);
    for (size_t i = 0; i < w->g->node[from].rows; i++) {
        const heft_scalar one = heft_scalar_at(w->g, from, i, at.column);
        if (!start || !heft_scalar_zero(w->g, one)) heft_scalar_put(&w->scalars, one, out);
    }
    heft_put(out, "</Apply>");
}

static void put_scaled(const writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[at.node];
    const double shift = node->numbers[at.row], factor = node->numbers[node->rows + at.row];
    double       lo, hi;
    const bool   limited = heft_scale_limits(shift, factor, &lo, &hi);
    HEFT_SIDE_TEXT(text, out);
    heft_scalar_put(&w->scalars, heft_scalar_in(w->g, at, 0), &text);
    const char *x = heft_buf_string(&text);
    if (limited)
        pmml_put(out, "[if [greaterThan %s%d]%d[if [lessThan %s%d]%d", x, hi, DBL_MAX, x, lo,
                 -DBL_MAX);
    pmml_put(out, "[* [- %s%d]%d]", x, shift, factor);
    if (limited) pmml_put(out, "]]");
}

static void put_other(void *format, heft_scalar at, heft_buf *out)
{
    const writer          *w = format;
    const heft_graph_node *node = &w->g->node[at.node];
    switch (node->op) {
    case HEFT_OP_CONST:
        pmml_put(out, "%d", heft_const_at(node, at.row, at.column));
        break;
    case HEFT_OP_NUMBERS:
        put_raw(w, at, out);
        break;
    case HEFT_OP_CODES:
        put_nominal(w, node->list[at.row], out);
        break;
    case HEFT_OP_CUT:
        put_cut(w, node, at.row, out);
        break;
    case HEFT_OP_CELL:
        put_cell(w, node, at.row, out);
        break;
    case HEFT_OP_LEAF:
        put_leaf(w, at, NULL, 0, out);
        break;
    case HEFT_OP_LOOKUP:
        put_lookup(w, at, out);
        break;
    case HEFT_OP_SUM:
        put_rows(w, "sum", node->numbers ? &node->numbers[at.column] : &(double){0}, at, out);
        break;
    case HEFT_OP_TOP:
        put_rows(w, "max", NULL, at, out);
        break;
    case HEFT_OP_SCALE:
        put_scaled(w, at, out);
        break;
    case HEFT_OP_UNIT:
        pmml_put(out, "[/ ");
        heft_scalar_put(&w->scalars, heft_scalar_in(w->g, at, 0), out);
        pmml_put(out, "[if [greaterThan @length;%d]@length;%d]]", 0.0, 1.0);
        break;
    default:
        break;
    }
}

/* heft.length: the length of the row over its numbers. */
static void put_length(const writer *w, size_t k)
{
    pmml_put(w->out,
             "  <DerivedField name=\"heft.length\" dataType=\"double\" "
             "optype=\"continuous\">[sqrt [sum %d",
             0.0);
    for (size_t i = 0; i < w->g->node[k].rows; i++) {
        HEFT_SIDE_TEXT(field, w->out);
        heft_scalar_put(&w->scalars, heft_scalar_at(w->g, w->g->node[k].in[0], i, 0), &field);
        const char *x = heft_buf_string(&field);
        pmml_put(w->out, "[if [isMissing %s]%d[pow %s%d]]", x, 0.0, x, 2.0);
    }
    pmml_put(w->out, "]]</DerivedField>\n");
}

static heft_status put_fields(const writer *w)
{
    heft_put(w->out, " <LocalTransformations>\n");
    for (size_t k = 0; k < w->g->n; k++) {
        const heft_graph_node *node = &w->g->node[k];
        if (node->op == HEFT_OP_SOFTMAX) break; /* it and the decision are the model's own */
        if (!w->scalars.stored[k]) continue;
        if (node->op == HEFT_OP_UNIT) put_length(w, k);
        for (size_t e = 0; e < node->rows * node->columns; e++) {
            const heft_scalar at = {k, e / node->columns, e % node->columns};
            if (is_raw(w, at)) continue;
            heft_put(w->out, "  <DerivedField name=\"");
            put_name(w, at, w->out);
            heft_put(w->out, "\" %s>",
                     node->codes ? "dataType=\"integer\" optype=\"ordinal\""
                                 : "dataType=\"double\" optype=\"continuous\"");
            heft_scalar_define(&w->scalars, at, w->out);
            heft_put(w->out, "</DerivedField>\n");
        }
        HEFT_CHECK(heft_check_cancel(w->ctx));
    }
    heft_put(w->out, " </LocalTransformations>\n");
    return HEFT_OK;
}

/* The score of class c; node SIZE_MAX: the class is left out, or its score is 0 (*left_out). */
static heft_scalar score_of(const heft_graph *g, size_t c, bool *left_out)
{
    const heft_scalar p = heft_scalar_at(g, g->probabilities, 0, c);
    *left_out = p.node == SIZE_MAX;
    return *left_out ? p : heft_scalar_at(g, g->node[p.node].in[0], 0, p.column);
}

static void put_scores(const writer *w)
{
    for (size_t c = 0; c < w->g->terms->n_class; c++) {
        bool              left_out;
        const heft_scalar score = score_of(w->g, c, &left_out);
        pmml_put(w->out, "   <RegressionTable targetCategory=\"%t\" intercept=\"%s\">",
                 heft_class_name(w->g->terms, c), left_out ? "-1e300" : "0");
        if (!left_out && !heft_scalar_zero(w->g, score)) {
            heft_put(w->out, "<NumericPredictor name=\"");
            put_name(w, score, w->out);
            heft_put(w->out, "\" coefficient=\"1\"/>");
        }
        heft_put(w->out, "</RegressionTable>\n");
    }
}

/* ---- data ---- */

static void put_values(heft_buf *out, const heft_dict *dict)
{
    for (uint32_t v = 0; v < heft_dict_size(dict); v++)
        pmml_put(out, "<Value value=\"%t\"/>", heft_dict_text(dict, v));
    heft_put(out, "</DataField>\n");
}

static void put_dictionary(const writer *w)
{
    const heft_prep *prep = &w->model->prep;
    heft_put(w->out, " <DataDictionary>\n");
    for (size_t j = 0; j <= prep->n_attr; j++) {
        const bool target = j == prep->n_attr,
                   nominal = target || prep->attr[j].kind == HEFT_NOMINAL;
        pmml_put(w->out, "  <DataField name=\"%t\" optype=\"%s",
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
        pmml_put(w->out, "  <MiningField name=\"%t\" %s/>\n",
                 target ? prep->target : prep->attr[j].name,
                 target ? "usageType=\"target\"" : "invalidValueTreatment=\"asIs\"");
    }
    heft_put(w->out, " </MiningSchema>\n");
}

/* ---- the decision ---- */

static void put_label(const writer *w, size_t c)
{
    pmml_put(w->out, "<Constant dataType=\"string\">%t</Constant>",
             heft_class_name(w->g->terms, c));
}

static void put_costs(const writer *w, const double *cost)
{
    const size_t K = w->g->terms->n_class;
    for (size_t c = 0; c < K; c++) {
        pmml_put(w->out,
                 "  <OutputField name=\"heft.r%z\" optype=\"continuous\" dataType=\"double\" "
                 "feature=\"transformedValue\">[sum ",
                 c);
        for (size_t actual = 0; actual < K; actual++)
            pmml_put(w->out, "[* <FieldRef field=\"P(%t)\"/>%d]",
                     heft_class_name(w->g->terms, actual), cost[actual * K + c]);
        pmml_put(w->out, "]</OutputField>\n");
    }
}

/* Writes an expression for the first class whose cost no later one is below. */
static void put_cheapest(const writer *w)
{
    const size_t K = w->g->terms->n_class;
    for (size_t c = 0; c + 1 < K; c++) {
        pmml_put(w->out, "[if [and [lessOrEqual <Constant>0</Constant><Constant>0</Constant>]");
        for (size_t k = c + 1; k < K; k++) pmml_put(w->out, "[lessOrEqual @r%z;@r%z;]", c, k);
        pmml_put(w->out, "]");
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
    for (size_t c = 0; c < w->g->terms->n_class; c++)
        pmml_put(w->out,
                 "  <OutputField name=\"P(%t)\" optype=\"continuous\" dataType=\"double\" "
                 "feature=\"probability\" value=\"%t\"/>\n",
                 heft_class_name(w->g->terms, c), heft_class_name(w->g->terms, c));
    if (rule->kind == HEFT_LEAST_COST) put_costs(w, rule->cost);
    heft_put(w->out,
             "  <OutputField name=\"predicted\" optype=\"categorical\" dataType=\"string\" "
             "feature=\"%s\">",
             rule->kind == HEFT_MOST_PROBABLE ? "predictedValue" : "transformedValue");
    if (rule->kind == HEFT_LEAST_COST) put_cheapest(w);
    if (rule->kind == HEFT_THRESHOLD) {
        pmml_put(w->out, "[if [greaterOrEqual <FieldRef field=\"P(%t)\"/>%d]",
                 heft_class_name(w->g->terms, rule->chosen), rule->threshold);
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
    bool             fits = writable(prep->target);
    for (size_t j = 0; j <= t->n_attr; j++) {
        const heft_dict *dict = j < t->n_attr ? prep->attr[j].dict : prep->classes;
        if (j < t->n_attr) fits &= writable(prep->attr[j].name);
        if (dict)
            for (uint32_t v = 0; v < heft_dict_size(dict); v++)
                fits &= writable(heft_dict_text(dict, v));
    }
    if (fits) return HEFT_OK;
    return heft_fail(
        ctx, HEFT_EUNSUPPORTED,
        "export: a name or value has a character that XML cannot hold (use another format)");
}

/* The XML of the operators on elements, from the short form of graph_ops.def. */
static heft_status open_text(writer *w)
{
    for (size_t op = HEFT_FIRST_ELEMENT_OP; op < HEFT_N_OPS; op++) {
        heft_buf xml = {0};
        char    *text, *copy;
        pmml_put(&xml, heft_elements[op].pmml);
        HEFT_CHECK(heft_buf_take(w->ctx, &xml, &text));
        const heft_status st = heft_arena_copy(w->ctx, &w->ctx->scratch, text, &copy);
        heft_free(text);
        HEFT_CHECK(st);
        w->text[op] = copy;
    }
    return HEFT_OK;
}

static const char *pmml_of(void *format, heft_op op)
{
    return ((const writer *)format)->text[op];
}

static heft_status write_pmml(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                              heft_buf *out)
{
    heft_graph g;
    writer     w = {.ctx = ctx, .g = &g, .model = t->model, .out = out};
    (void)how;
    HEFT_CHECK(check(ctx, t));
    HEFT_CHECK(heft_graph_lower(ctx, t,
                                HEFT_LOWER_DIFFERENCES | HEFT_LOWER_NO_TAIL |
                                    HEFT_LOWER_NO_LOG_SUM | HEFT_LOWER_NO_KERNEL,
                                &g));
    HEFT_CHECK(open_text(&w));
    w.scalars = (heft_scalars){
        .format = &w, .put_field = put_field, .put_other = put_other, .text = pmml_of};
    HEFT_CHECK(heft_scalars_open(ctx, &g, &w.scalars));
    for (size_t c = 0; c < t->n_class; c++) {
        bool         left_out;
        const size_t k = score_of(&g, c, &left_out).node;
        if (k != SIZE_MAX) w.scalars.stored[k] = true;
    }
    heft_put(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PMML "
             "xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n <Header "
             "description=\"a model of method %s\"><Application name=\"heft\" version=\"%s\"/>"
             "</Header>\n",
             t->model->method->name, HEFT_VERSION);
    put_dictionary(&w);
    heft_put(out, " <RegressionModel functionName=\"classification\" "
                  "normalizationMethod=\"softmax\">");
    put_schema(&w);
    put_outputs(&w);
    HEFT_CHECK(put_fields(&w));
    put_scores(&w);
    heft_put(out, "  </RegressionModel>\n</PMML>\n");
    return HEFT_OK;
}

const heft_export heft_export_pmml = {
    .info = {.name = "pmml", .ending = ".pmml", .about = "PMML 4.4"},
    .write = write_pmml,
};
