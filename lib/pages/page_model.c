/* page_model.c - an additive model as data for the script of the page: a description in JSON, and
 * arrays in base64. The script (assets/report.js) adds up the same terms as the scorer.
 *
 * Real numbers that are only added up are kept in 48 bits of fixed point with one exponent for an
 * array: enough for probabilities within 1e-9. Numbers that are compared, such as cuts, are
 * doubles. Of two classes only differences are kept. Integers take 1, 2 or 4 bytes. */
#include <math.h>
#include <string.h>

#include "boost/tree_effects.h"
#include "pages/page.h"
#include "prep/numbers.h"

enum { LEAST_BUDGET = 230000, BUDGET_PER_ATTR = 420, MOST_BUDGET = 1700000, ROWS = 12 };
enum { MOST_CELLS = 30000 /* cells of the rows that the reader can begin with */, NO_VALUE = -1 };

typedef struct writer {
    const heft_page *p;
    heft_buf         json, arrays, bytes; /* arrays: the list of what is in bytes */
    heft_buf         list;                /* doubles of the array that is being made */
    size_t           budget;
    bool             over;
} writer;

/* ---- arrays ---- */

static void add(writer *w, double x)
{
    if (w->bytes.length + w->list.length / 2 > w->budget) w->over = true;
    if (!w->over) heft_buf_add(&w->list, (const char *)&x, sizeof x);
}

static void add_size(writer *w, size_t x)
{
    add(w, (double)x);
}

static void note_array(writer *w, const char *name, const char *type, size_t n, int power)
{
    heft_put(&w->arrays, "%s\"%s\":[\"%s\",%z,%z,%l]", w->arrays.length ? "," : "", name, type,
             w->bytes.length, n, (long)power);
}

static void put_bytes(writer *w, uint64_t x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char byte = (char)(x >> (8 * k) & 0xff);
        heft_buf_add(&w->bytes, &byte, 1);
    }
}

static double listed(const writer *w, size_t k)
{
    double x;
    memcpy(&x, w->list.data + k * sizeof x, sizeof x);
    return x;
}

static size_t n_listed(const writer *w)
{
    return w->over || w->list.failed ? 0 : w->list.length / sizeof(double);
}

static double largest(const writer *w)
{
    double most = 0;
    for (size_t k = 0; k < n_listed(w); k++) most = fmax(most, fabs(listed(w, k)));
    return most;
}

/* Each of these ends the list as an array: of doubles, of fixed-point numbers, or of integers. The
 * list is empty afterwards. */
static void end_doubles(writer *w, const char *name)
{
    note_array(w, name, "d", n_listed(w), 0);
    if (n_listed(w)) heft_buf_add(&w->bytes, w->list.data, w->list.length);
    w->list.length = 0;
}

static void end_fixed(writer *w, const char *name)
{
    int power = 0;
    (void)frexp(largest(w), &power);
    note_array(w, name, "q", n_listed(w), power);
    for (size_t k = 0; k < n_listed(w); k++) {
        const double x = fmin(nearbyint(ldexp(listed(w, k), 47 - power)), 0x1p47 - 1);
        put_bytes(w, (uint64_t)(int64_t)x, 6);
    }
    w->list.length = 0;
}

static void end_integers(writer *w, const char *name)
{
    const double most = largest(w);
    const size_t width = most < 256 ? 1 : most < 65536 ? 2 : 4;
    note_array(w, name, width == 1 ? "1" : width == 2 ? "2" : "4", n_listed(w), 0);
    for (size_t k = 0; k < n_listed(w); k++) put_bytes(w, (uint64_t)listed(w, k), width);
    w->list.length = 0;
}

#define EACH_ATTR(j) for (size_t j = 0; j < w->p->n_attr; j++)
/* An array of integers: the expression for each of n things, which is called `i` in it. */
#define INTEGERS_OF(w, name, i, n, expr)                                                           \
    do {                                                                                           \
        for (size_t i = 0; i < (n); i++) add_size((w), (expr));                                    \
        end_integers((w), (name));                                                                 \
    } while (0)
#define INTEGERS(w, name, expr) INTEGERS_OF(w, name, j, (w)->p->n_attr, expr)

static void put_base64(heft_buf *out, const heft_buf *from)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = (const uint8_t *)from->data;
    for (size_t k = 0; k < from->length; k += 3) {
        const size_t   left = from->length - k;
        const uint32_t x = (uint32_t)b[k] << 16 | (left > 1 ? (uint32_t)b[k + 1] << 8 : 0) |
                           (left > 2 ? b[k + 2] : 0);
        const char four[4] = {letters[x >> 18], letters[x >> 12 & 63],
                              left > 1 ? letters[x >> 6 & 63] : '=',
                              left > 2 ? letters[x & 63] : '='};
        heft_buf_add(out, four, 4);
    }
}

void heft_page_json(heft_buf *out, const char *text)
{
    HEFT_SIDE_TEXT(plain, out);
    heft_buf_json(&plain, text);
    heft_put(out, "\"");
    for (size_t k = 1; k + 1 < plain.length; k++) { /* without its quotes */
        const uint8_t c = (uint8_t)plain.data[k];
        const bool    c1 = c == 0xc2 && k + 1 < plain.length && (uint8_t)plain.data[k + 1] < 0xa0;
        if (c1) heft_buf_printf(out, "\\u00%02x", (unsigned)(uint8_t)plain.data[++k]);
        else if (c == '\\' && plain.data[k + 1] == '"') heft_put(out, "\\u0022"), k++;
        else if (c == '\\') heft_buf_add(out, plain.data + k, 2), k++;
        else if (c == '<' || c == '>' || c == '&' || c == 0x7f)
            heft_buf_printf(out, "\\u00%02x", (unsigned)c);
        else heft_buf_add(out, plain.data + k, 1);
    }
    heft_put(out, "\"");
}

/* ---- terms ---- */

/* Whether only the difference of the two classes is kept: both have a column. */
static bool differences(const heft_page *p)
{
    return p->K == 2 && p->t.n_columns == 2 && p->model->calibration.kind != HEFT_VECTOR;
}

static void add_line(writer *w, const double *line)
{
    const size_t C = w->p->t.n_columns;
    if (differences(w->p)) add(w, line[1] - line[0]);
    else
        for (size_t c = 0; c < C; c++) add(w, line[c]);
}

static size_t n_lines(const heft_term *term)
{
    return (size_t)(term->missing > term->unseen ? term->missing : term->unseen) + 1;
}

static bool has_table(const heft_term *term)
{
    return term->kind == HEFT_TERM_TABLE || term->kind == HEFT_TERM_SLOPED;
}

static void put_tables(writer *w)
{
    const heft_terms *t = &w->p->t;
    EACH_ATTR(j)
    if (has_table(&t->attr[j]))
        for (size_t v = 0; v < n_lines(&t->attr[j]) && !w->over; v++)
            add_line(w, t->attr[j].table + v * t->n_columns);
    end_fixed(w, "table");
    EACH_ATTR(j) if (t->attr[j].kind == HEFT_TERM_SLOPED) add_line(w, t->attr[j].slope);
    end_fixed(w, "slope");
    EACH_ATTR(j)
    if (t->attr[j].kind == HEFT_TERM_SLOPED) add(w, t->attr[j].mean), add(w, t->attr[j].sd);
    end_doubles(w, "centre");
    EACH_ATTR(j) for (size_t k = 0; k < t->attr[j].n_cuts; k++) add(w, t->attr[j].cuts[k]);
    end_doubles(w, "cuts");
}

/* Adds mean, standard deviation and weight by class. */
static void add_moments(writer *w, size_t j)
{
    const heft_fitted *f = &w->p->model->fitted;
    const heft_lik    *lik = w->p->t.attr[j].lik;
    const bool         kernel = lik->kind == HEFT_LIK_KERNEL;
    for (size_t c = 0; c < w->p->K; c++) {
        add(w, kernel ? 0 : lik->mean[c]);
        add(w, kernel ? lik->width[c] : lik->sd[c]);
        add(w, f->weights.folded ? 1 : heft_weight_at(&f->weights, w->p->K, j, c, 0));
    }
}

static void put_densities(writer *w)
{
    const heft_terms *t = &w->p->t;
    const size_t      K = w->p->K;
    EACH_ATTR(j)
    if (t->attr[j].kind == HEFT_TERM_NORMAL)
        for (size_t k = 0; k < 4 * K; k++) add(w, t->attr[j].normal[k]);
    end_doubles(w, "normal");
    EACH_ATTR(j)
    if (t->attr[j].kind >= HEFT_TERM_POINT && t->attr[j].kind <= HEFT_TERM_KERNEL)
        add_moments(w, j);
    end_doubles(w, "moments");
    EACH_ATTR(j) if (t->attr[j].kind == HEFT_TERM_ROUNDED) add(w, t->attr[j].lik->precision);
    end_doubles(w, "precision");
    EACH_ATTR(j)
    if (t->attr[j].kind == HEFT_TERM_KERNEL)
        for (size_t c = 0; c < K; c++)
            add_size(w, t->attr[j].lik->start[c + 1] - t->attr[j].lik->start[c]);
    end_integers(w, "points");
    EACH_ATTR(j)
    {
        const heft_lik *lik = t->attr[j].lik;
        if (t->attr[j].kind == HEFT_TERM_KERNEL)
            for (size_t k = 0; k < lik->start[K] && !w->over; k++)
                add(w, lik->point[k]), add(w, lik->log_mass[k]);
    }
    end_doubles(w, "kernel");
}

static void put_joint(writer *w)
{
    const heft_terms *t = &w->p->t;
    INTEGERS(w, "views", t->attr[j].n_views);
    EACH_ATTR(j) for (size_t v = 0; v < t->attr[j].n_views; v++)
    {
        add_size(w, t->attr[j].view_size[v]);
        for (size_t l = 0; l < n_lines(&t->attr[j]) && !w->over; l++)
            add_size(w, t->attr[j].view[v][l]);
    }
    end_integers(w, "view");
    for (size_t k = 0; k < t->joint.n; k++) {
        const heft_joint_term *of = &t->joint.list[k];
        add_size(w, of->n);
        for (size_t m = 0; m < of->n; m++) add_size(w, of->attr[m]), add_size(w, of->view[m]);
        add_size(w, of->n_cells);
        add_size(w, of->key != NULL);
    }
    end_integers(w, "joint");
    for (size_t k = 0; k < t->joint.n; k++)
        if (t->joint.list[k].key)
            for (size_t v = 0; v < t->joint.list[k].n_cells && !w->over; v++)
                add(w, (double)t->joint.list[k].key[v]);
    end_doubles(w, "keys");
    for (size_t k = 0; k < t->joint.n; k++)
        for (size_t v = 0; v < t->joint.list[k].n_cells && !w->over; v++)
            add_line(w, t->joint.list[k].table + v * t->n_columns);
    end_fixed(w, "cells");
}

static void put_splits(writer *w, const heft_trees *trees)
{
    const heft_tree_split *split = trees->split;
    INTEGERS_OF(w, "leaves", k, trees->n_trees, trees->tree[k].n_leaves);
    INTEGERS_OF(w, "split_attr", k, trees->n_splits, split[k].attr);
    INTEGERS_OF(w, "split_at", k, trees->n_splits, split[k].n_listed ? 0 : split[k].at);
    INTEGERS_OF(w, "split_listed", k, trees->n_splits, split[k].n_listed);
    INTEGERS_OF(w, "split_left", k, trees->n_splits, split[k].left);
    for (size_t k = 0; k < trees->n_splits; k++)
        for (size_t l = 0; l < split[k].n_listed; l++) add_size(w, trees->listed[split[k].at + l]);
    end_integers(w, "listed");
}

static void put_trees(writer *w)
{
    const heft_terms *t = &w->p->t;
    if (!t->interactions.effects) return;
    const heft_trees *trees = t->interactions.effects->expansion.trees;
    put_splits(w, trees);
    for (size_t k = 0; k < trees->n_leaves * trees->n_columns && !w->over; k++)
        if (t->n_columns == 2) add_line(w, (const double[]){-trees->value[k], trees->value[k]});
        else add(w, trees->value[k]);
    end_fixed(w, "leaf");
    INTEGERS(w, "tree_missing", t->tree_missing[j]);
    EACH_ATTR(j)
    for (size_t l = 0; l <= t->attr[j].missing && !w->over; l++) add(w, t->share[j][l]);
    end_fixed(w, "share");
}

/* ---- description ---- */

static void put_preparation(writer *w)
{
    const heft_prep *prep = &w->p->model->prep;
    const heft_term *term = w->p->t.attr;
    bool             scaled = false, filled = false;
    EACH_ATTR(j)
    {
        scaled |= prep->attr[j].shift != 0 || prep->attr[j].factor != 1;
        filled |= prep->attr[j].has_fill;
    }
    INTEGERS(w, "kind",
             (size_t)(prep->attr[j].kind == HEFT_NOMINAL ? 1
                      : prep->attr[j].cut                ? 2
                                                         : 0));
    INTEGERS(w, "term", (size_t)term[j].kind);
    INTEGERS(w, "lines", has_table(&term[j]) ? n_lines(&term[j]) : 0);
    INTEGERS(w, "n_cuts", term[j].n_cuts);
    INTEGERS(w, "missing", (size_t)term[j].missing);
    INTEGERS(w, "unseen", (size_t)term[j].unseen);
    if (prep->sparse) INTEGERS(w, "zero", prep->attr[j].cut ? heft_zero_interval(prep, j) : 0);
    if (scaled) {
        EACH_ATTR(j) add(w, prep->attr[j].shift), add(w, prep->attr[j].factor);
        end_doubles(w, "scaling");
    }
    if (filled) {
        EACH_ATTR(j) add(w, prep->attr[j].has_fill ? prep->attr[j].fill : (double)NAN);
        end_doubles(w, "fill");
    }
}

static void put_names(writer *w)
{
    const heft_prep *prep = &w->p->model->prep;
    heft_put(&w->json, ",\"names\":[");
    EACH_ATTR(j)
    {
        if (j) heft_put(&w->json, ",");
        heft_page_json(&w->json, prep->attr[j].name);
        w->over |= w->json.length > w->budget;
        if (w->over) return;
    }
    heft_put(&w->json, "],\"values\":[");
    EACH_ATTR(j)
    {
        const heft_dict *dict = prep->attr[j].dict;
        heft_put(&w->json, j ? "," : "");
        if (prep->attr[j].kind != HEFT_NOMINAL) heft_put(&w->json, "0");
        if (dict)
            for (uint32_t v = 0; v < heft_dict_size(dict) && !w->over; v++) {
                heft_put(&w->json, v ? "," : "[");
                heft_page_json(&w->json, heft_dict_text(dict, v));
                w->over |= w->json.length > w->budget;
            }
        if (dict) heft_put(&w->json, heft_dict_size(dict) ? "]" : "[]");
    }
    heft_put(&w->json, "],\"order\":[");
    EACH_ATTR(j) heft_put(&w->json, "%s%z", j ? "," : "", w->p->rank[j]);
    heft_put(&w->json, "]");
}

/* Writes how far the controls reach, and where they begin. */
static heft_status put_reach(writer *w)
{
    heft_put(&w->json, ",\"reach\":[");
    EACH_ATTR(j)
    {
        HEFT_SCRATCH_SCOPE(w->p->ctx);
        heft_value_spread s;
        HEFT_CHECK(heft_page_spread(w->p, j, &s));
        if (heft_page_number(w->p, j))
            heft_put(&w->json, "%s[%6g,%6g,%6g]", j ? "," : "", s.least, s.most, s.usual);
        else heft_put(&w->json, "%s[%z]", j ? "," : "", (size_t)s.usual);
    }
    heft_put(&w->json, "]");
    return HEFT_OK;
}

static void put_cell(writer *w, size_t i, size_t j)
{
    const double x = heft_page_cell(w->p, i, j);
    const bool   unknown =
        !heft_page_number(w->p, j) && x > (double)heft_dict_size(w->p->model->prep.attr[j].dict);
    if (unknown) heft_put(&w->json, "%l", (long)NO_VALUE);
    else heft_put(&w->json, "%n", x);
}

static void put_row(writer *w, size_t i)
{
    const heft_page          *p = w->p;
    const heft_page_outcomes *o = p->outcomes;
    heft_put(&w->json, "{\"row\":%z", i + 1);
    if (o && o->y[i] < o->K) {
        heft_put(&w->json, ",\"actual\":");
        heft_page_json(&w->json, o->classes[o->y[i]]);
    }
    heft_put(&w->json, p->table->sparse ? ",\"entries\":[" : ",\"cells\":[");
    size_t n = 0;
    EACH_ATTR(j)
    {
        if (p->table->sparse && heft_page_cell(p, i, j) == 0) continue;
        heft_put(&w->json, n++ ? "," : "");
        if (p->table->sparse) heft_put(&w->json, "%z,", j);
        put_cell(w, i, j);
    }
    heft_put(&w->json, "]}");
}

/* Writes some rows of the table for the reader to begin with. */
static void put_rows(writer *w)
{
    const heft_page *p = w->p;
    const size_t fit = MOST_CELLS / (p->n_attr + 1), some = fit < 1 ? 1 : fit < ROWS ? fit : ROWS;
    heft_put(&w->json, ",\"rows\":[");
    if (p->table)
        for (size_t k = 0; k < some && k < p->table->n_rows; k++) {
            heft_put(&w->json, k ? "," : "");
            put_row(w, p->table->n_rows < some ? k : k * p->table->n_rows / some);
        }
    heft_put(&w->json, "]");
}

static void put_head(writer *w)
{
    const heft_page        *p = w->p;
    const heft_calibration *c = &p->model->calibration;
    const heft_decision    *d = &p->model->decision;
    heft_put(&w->json, "{\"target\":");
    heft_page_json(&w->json, p->model->prep.target);
    heft_put(&w->json, ",\"classes\":[");
    for (size_t k = 0; k < p->K; k++) {
        heft_put(&w->json, k ? "," : "");
        heft_page_json(&w->json, p->classes[k]);
    }
    heft_put(&w->json, "],\"one\":%z,\"start\":%v,\"columns\":%z,\"differences\":%s,\"shared\":%s",
             p->one, p->t.start, p->K, p->t.n_columns, differences(p) ? "true" : "false",
             p->t.shared ? "true" : "false");
    if (p->t.present) {
        heft_put(&w->json, ",\"present\":[");
        for (size_t k = 0; k < p->t.n_columns; k++)
            heft_put(&w->json, "%s%z", k ? "," : "", (size_t)p->t.present[k]);
        heft_put(&w->json, "]");
    }
    if (c->scale)
        heft_put(&w->json, ",\"scale\":%v,\"shift\":%v,\"vector\":%s", c->scale, p->K, c->shift,
                 p->K, c->kind == HEFT_VECTOR ? "true" : "false");
    heft_put(&w->json,
             ",\"unit\":%s,\"unseen_zero\":%s,\"decision\":%z,\"chosen\":%z,"
             "\"threshold\":%n",
             p->model->prep.spec.scaling == HEFT_SCALE_UNIT ? "true" : "false",
             p->model->prep.spec.unseen_zero ? "true" : "false", (size_t)d->kind, d->chosen,
             d->threshold);
    if (d->kind == HEFT_LEAST_COST) heft_put(&w->json, ",\"cost\":%v", d->cost, p->K * p->K);
}

/* ---- public ---- */

static heft_status describe(writer *w)
{
    put_head(w);
    put_names(w);
    put_preparation(w);
    put_tables(w);
    put_densities(w);
    put_joint(w);
    put_trees(w);
    if (w->over) return HEFT_OK;
    HEFT_CHECK(put_reach(w));
    put_rows(w);
    return HEFT_OK;
}

heft_status heft_page_model(const heft_page *p, bool *written, heft_buf *why)
{
    const size_t room = LEAST_BUDGET + p->n_attr * BUDGET_PER_ATTR;
    writer       w = {.p = p, .budget = room < MOST_BUDGET ? room : MOST_BUDGET};
    heft_status  st = HEFT_OK;
    *written = false;
    HEFT_TRY(describe(&w));
    w.over |= w.bytes.length > w.budget || w.json.length > w.budget;
    if (w.over) {
        heft_put_marked(why,
                        "The model is too large for this page, so values cannot be tried out here "
                        "({command predict} and {command explain} take any row).");
        goto done;
    }
    *written = true;
    heft_put(p->out, "<script type=\"application/json\" id=\"model\">");
    heft_buf_add(p->out, w.json.data ? w.json.data : "", w.json.length);
    heft_put(p->out, ",\"arrays\":{%s},\"bytes\":\"", heft_buf_string(&w.arrays));
    put_base64(p->out, &w.bytes);
    heft_put(p->out, "\"}</script>\n");
done:
    p->out->failed |= w.json.failed || w.arrays.failed || w.bytes.failed || w.list.failed;
    heft_buf_clear(&w.json);
    heft_buf_clear(&w.arrays);
    heft_buf_clear(&w.bytes);
    heft_buf_clear(&w.list);
    return st;
}
