/* export_pmml_fields.c - the fields that PMML derives from the data: what preparation does, codes
 * of cells, cells of attribute pairs, and densities. A code is a spot of terms.h: the value or
 * interval, then missing, then never seen. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "export/export_pmml.h"
#include "prep/numbers.h"

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

void heft_pmml_put(heft_buf *out, const char *format, ...)
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

bool heft_pmml_writable(const char *text)
{
    for (const uint8_t *s = (const uint8_t *)text; *s; s++)
        if (*s < 0x20 && *s != '\t' && *s != '\n' && *s != '\r') return false;
    return !strstr(text, "\xef\xbf\xbe") && !strstr(text, "\xef\xbf\xbf"); /* U+FFFE, U+FFFF */
}

static bool has_unit(const heft_terms *t)
{
    return t->model->prep.spec.scaling == HEFT_SCALE_UNIT;
}

static void begin_number(heft_buf *out, const char *kind, size_t j)
{
    heft_put(out, "  <DerivedField name=\"heft.%s%z\" dataType=\"double\" optype=\"continuous\">",
             kind, j);
}

static void begin_code(heft_buf *out, const char *kind, size_t j)
{
    heft_put(out, "  <DerivedField name=\"heft.%s%z\" dataType=\"integer\" optype=\"ordinal\">",
             kind, j);
}

/* ---- numbers ---- */

/* Writes the raw number; `fill` stands for a missing one unless it is NaN. */
static void put_raw(heft_buf *out, const heft_attr_prep *a, double fill)
{
    const char *name = a->name;
    if (isnan(fill)) heft_pmml_put(out, "<FieldRef field=\"%t\"/>", name);
    else
        heft_pmml_put(out, "[if [isMissing <FieldRef field=\"%t\"/>]%d<FieldRef field=\"%t\"/>]",
                      name, fill, name);
}

/* Writes heft.length: the length of the row over its numbers. */
static void put_length(const heft_terms *t, heft_buf *out)
{
    heft_put(out, "  <DerivedField name=\"heft.length\" dataType=\"double\" optype=\"continuous\">"
                  "<Apply function=\"sqrt\"><Apply function=\"sum\">");
    heft_pmml_put(out, "%d", 0.0);
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_attr_prep *a = &t->model->prep.attr[j];
        if (a->kind == HEFT_NOMINAL) continue;
        heft_put(out, "<Apply function=\"pow\">");
        put_raw(out, a, a->has_fill ? a->fill : 0);
        heft_pmml_put(out, "%d]", 2.0);
    }
    heft_put(out, "</Apply></Apply></DerivedField>\n");
}

/* Writes heft.x: the number, filled in and scaled. */
static void put_number(const heft_terms *t, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &t->model->prep.attr[j];
    const double          fill = a->has_fill ? a->fill : (double)NAN;
    const bool            plain = a->shift == 0 && a->factor == 1;
    begin_number(out, "x", j);
    if (!plain) heft_pmml_put(out, "[* [- ");
    if (has_unit(t)) heft_pmml_put(out, "[/ ");
    put_raw(out, a, fill);
    if (has_unit(t)) heft_pmml_put(out, "[if [greaterThan @length;%d]@length;%d]]", 0.0, 1.0);
    if (!plain) heft_pmml_put(out, "%d]%d]", a->shift, a->factor);
    heft_put(out, "</DerivedField>\n");
}

/* Begins an expression that is 0 where the number is missing, otherwise what follows. */
static void begin_unless_missing(heft_buf *out, size_t j)
{
    heft_pmml_put(out, "[if [isMissing @x%z;]%d", j, 0.0);
}

static void put_slope(const heft_term *term, size_t j, heft_buf *out)
{
    begin_number(out, "z", j);
    begin_unless_missing(out, j);
    heft_pmml_put(out, "[max [min [/ [- @x%z;%d]%d]%d]%d]]</DerivedField>\n", j, term->mean,
                  term->sd, 4.0, -4.0);
}

/* ---- codes ---- */

static void put_interval(const heft_terms *t, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &t->model->prep.attr[j];
    const heft_term      *term = &t->attr[j];
    const uint32_t        zero = heft_zero_interval(&t->model->prep, j);
    double                from = -INFINITY;
    size_t                missing = term->n_codes;
    if (a->has_fill && !has_unit(t)) {
        const double x = heft_scaled(a, a->fill);
        for (missing = 0; missing < term->n_cuts && term->cuts[missing] < x;) missing++;
        missing = heft_swap_zero((uint32_t)missing, zero);
    }
    begin_code(out, "c", j);
    heft_put(out, "<Discretize field=\"");
    if (has_unit(t)) heft_put(out, "heft.x%z", j);
    else heft_pmml_put(out, "%t", a->name);
    heft_put(out, "\" dataType=\"integer\" mapMissingTo=\"%z\">", missing);
    for (size_t v = 0; v <= term->n_cuts; v++) {
        const double to = v == term->n_cuts ? INFINITY
                          : has_unit(t)     ? term->cuts[v]
                                            : heft_raw_cut(a, term->cuts[v]);
        if (!(to > from)) continue;
        heft_put(out, "<DiscretizeBin binValue=\"%z\"><Interval closure=\"%s\"",
                 (size_t)heft_swap_zero((uint32_t)v, zero), isinf(to) ? "openOpen" : "openClosed");
        if (isfinite(from)) heft_put(out, " leftMargin=\"%n\"", from);
        if (isfinite(to)) heft_put(out, " rightMargin=\"%n\"", to);
        heft_put(out, "/></DiscretizeBin>");
        from = to;
    }
    heft_put(out, "</Discretize></DerivedField>\n");
}

static void put_nominal(const heft_terms *t, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &t->model->prep.attr[j];
    const size_t          n = t->attr[j].n_codes, missing = a->has_fill ? (size_t)a->fill : n;
    begin_code(out, "c", j);
    heft_pmml_put(
        out,
        "<MapValues outputColumn=\"code\" dataType=\"integer\" mapMissingTo=\"%z\" "
        "defaultValue=\"%z\"><FieldColumnPair field=\"%t\" column=\"value\"/><InlineTable>",
        missing, t->model->prep.spec.unseen_zero ? n + 1 : missing, a->name);
    for (uint32_t v = 0; v < n && v < heft_dict_size(a->dict); v++)
        heft_pmml_put(out, "<row><value>%t</value><code>%z</code></row>",
                      heft_dict_text(a->dict, v), (size_t)v);
    heft_put(out, "</InlineTable></MapValues></DerivedField>\n");
}

/* Writes heft.v<attribute>.<view>: the codes that pairs use. */
static void put_views(const heft_terms *t, size_t j, heft_buf *out)
{
    const heft_term *term = &t->attr[j];
    for (size_t k = 0; k < term->n_views; k++) {
        heft_put(out,
                 "  <DerivedField name=\"heft.v%z.%z\" dataType=\"integer\" optype=\"ordinal\">"
                 "<MapValues outputColumn=\"view\" dataType=\"integer\"><FieldColumnPair "
                 "field=\"heft.c%z\" column=\"code\"/><InlineTable>",
                 j, k, j);
        for (size_t v = 0; v < term->n_codes + 2; v++)
            heft_put(out, "<row><code>%z</code><view>%z</view></row>", v,
                     (size_t)term->view[k][heft_term_line(term, v)]);
        heft_put(out, "</InlineTable></MapValues></DerivedField>\n");
    }
}

/* Writes heft.p: the line of a pair's table, or the number of lines where it has none. */
static void put_pair(const heft_terms *t, const heft_joint_term *joint, heft_buf *out)
{
    const size_t codes = heft_joint_codes(t, joint, 1);
    begin_code(out, "p", joint->grid);
    heft_put(out, "<MapValues outputColumn=\"line\" dataType=\"integer\" defaultValue=\"%z\">",
             joint->n_cells);
    for (size_t m = 0; m < 2; m++)
        heft_put(out, "<FieldColumnPair field=\"heft.v%z.%z\" column=\"%c\"/>",
                 (size_t)joint->attr[m], (size_t)joint->view[m], "ij"[m]);
    heft_put(out, "<InlineTable>");
    for (size_t v = 0; v < joint->n_cells; v++) {
        const size_t cell = joint->key ? (size_t)joint->key[v] : v;
        heft_put(out, "<row><i>%z</i><j>%z</j><line>%z</line></row>", cell / codes, cell % codes,
                 v);
    }
    heft_put(out, "</InlineTable></MapValues></DerivedField>\n");
}

/* ---- densities ---- */

/* Writes heft.n: the density of number j in class c, 0 where the number is missing. */
static void put_density(const heft_terms *t, size_t which, size_t j, size_t c, heft_buf *out)
{
    const heft_normal n = heft_normal_of(t, j, c);
    heft_put(out, "  <DerivedField name=\"heft.n%z.%z\" dataType=\"double\" optype=\"continuous\">",
             which * t->n_attr + j, c);
    begin_unless_missing(out, j);
    if (n.point) heft_pmml_put(out, "[if [equal @x%z;%d]%d%d]", j, n.mean, 0.0, n.constant);
    else
        heft_pmml_put(out, "[- %d[* %d[pow [min [* [abs [- @x%z;%d]]%d]%d]%d]]]", n.constant,
                      n.half, j, n.mean, n.inverse, 1e140, 2.0);
    heft_put(out, "</Apply></DerivedField>\n");
}

/* ---- public ---- */

static bool needs_number(const heft_terms *t, size_t j)
{
    if (t->model->prep.attr[j].kind == HEFT_NOMINAL) return false;
    return has_unit(t) || heft_has_slope(&t->attr[j]) || heft_has_normal(&t->attr[j]);
}

heft_status heft_pmml_fields(heft_ctx *ctx, const heft_terms *t, heft_buf *out)
{
    const heft_joint_term **grid;
    size_t                  n;
    HEFT_CHECK(heft_terms_grids(ctx, t, &grid, &n));
    heft_put(out, " <LocalTransformations>\n");
    if (has_unit(t)) put_length(t, out);
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_term *term = &t->attr[j];
        if (needs_number(t, j)) put_number(t, j, out);
        if (heft_has_slope(term)) put_slope(term, j, out);
        if (t->model->prep.attr[j].kind == HEFT_NOMINAL) put_nominal(t, j, out);
        else if (heft_term_coded(term)) put_interval(t, j, out);
        put_views(t, j, out);
        if (heft_has_normal(term))
            for (size_t k = 0; k <= t->further.n; k++)
                for (size_t c = 0; c < t->n_class; c++)
                    put_density(k ? &t->further.list[k - 1] : t, k, j, c, out);
    }
    for (size_t k = 0; k < t->joint.n_grids; k++)
        if (grid[k]) put_pair(t, grid[k], out);
    heft_put(out, " </LocalTransformations>\n");
    return HEFT_OK;
}

void heft_pmml_used(const heft_terms *t, size_t which, heft_buf *out)
{
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_term *term = &t->attr[j];
        if (term->table) heft_put(out, "<MiningField name=\"heft.c%z\"/>", j);
        if (heft_has_slope(term)) heft_put(out, "<MiningField name=\"heft.z%z\"/>", j);
        if (heft_has_normal(term))
            for (size_t c = 0; c < t->n_class; c++)
                heft_put(out, "<MiningField name=\"heft.n%z.%z\"/>", which * t->n_attr + j, c);
    }
    for (size_t k = 0; k < t->joint.n; k++)
        heft_put(out, "<MiningField name=\"heft.p%z\"/>", t->joint.list[k].grid);
}
