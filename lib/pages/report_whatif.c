/* report_whatif.c - an additive model as data for the script of the page: a description in JSON,
 * and arrays in base64. The script (assets/model.mjs) adds up the same terms as the scorer.
 *
 * Real numbers that are only added up are kept in 40 or 48 bits of fixed point with one exponent
 * for an array: enough for probabilities within 1e-9. Numbers that are compared, such as cuts, are
 * doubles. Of two classes only differences are kept. Integers take 1, 2 or 4 bytes. */
#include <math.h>
#include <string.h>

#include "boost/tree_effects.h"
#include "pages/page.h"
#include "prep/numbers.h"

enum { MANY_ATTRS = 100, MOST_BYTES = 5000000, MOST_BYTES_OF_MANY = 1000000 };
static const double SCORE_ERROR = 4e-10; /* largest error of a score by the rounding of its terms */

typedef struct writer {
    const heft_page *p;
    heft_buf         arrays, bytes; /* arrays: the list of what is in bytes */
    heft_buf         list;          /* doubles of the array that is being made */
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

/* `terms`: how many of these numbers are added up for a row. Their errors are as good as random, so
 * that they grow with its square root. */
static void end_fixed(writer *w, const char *name, size_t terms)
{
    int power = 0, unit = 0;
    (void)frexp(largest(w), &power);
    (void)frexp(SCORE_ERROR / sqrt((double)terms + 1), &unit);
    const bool short_one = power - 39 < unit;
    const int  bits = short_one ? 39 : 47;
    note_array(w, name, short_one ? "p" : "q", n_listed(w), power);
    for (size_t k = 0; k < n_listed(w); k++) {
        const double most = ldexp(1, bits) - 1;
        const double x = fmin(nearbyint(ldexp(listed(w, k), bits - power)), most);
        put_bytes(w, (uint64_t)(int64_t)x, short_one ? 5 : 6);
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

static void put_exact(heft_buf *out, const char *name, const double *x, size_t n)
{
    heft_json_open(out, name, '[');
    for (size_t k = 0; k < n; k++) heft_json_exact(out, NULL, x[k]);
    heft_json_close(out, ']');
}

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
    end_fixed(w, "table", t->n_attr);
    EACH_ATTR(j) if (t->attr[j].kind == HEFT_TERM_SLOPED) add_line(w, t->attr[j].slope);
    end_fixed(w, "slope", 4 * t->n_attr);
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
    end_fixed(w, "cells", t->joint.n);
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
    end_fixed(w, "leaf", trees->n_trees);
    INTEGERS(w, "tree_missing", t->tree_missing[j]);
    EACH_ATTR(j)
    for (size_t l = 0; l <= t->attr[j].missing && !w->over; l++) add(w, t->share[j][l]);
    end_fixed(w, "share", 16 * trees->n_trees);
}

/* ---- preparation ---- */

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

/* ---- the document ---- */

static void put_head(const heft_page *p)
{
    const heft_calibration *c = &p->model->calibration;
    const heft_decision    *d = &p->model->decision;
    heft_buf               *out = p->out;
    heft_json_size(out, "one", p->one);
    put_exact(out, "start", p->t.start, p->K);
    heft_json_put(out, "columns:z differences:b", p->t.n_columns, differences(p));
    if (p->t.present) {
        heft_json_open(out, "present", '[');
        for (size_t k = 0; k < p->t.n_columns; k++) heft_json_size(out, NULL, p->t.present[k]);
        heft_json_close(out, ']');
    }
    if (c->scale) {
        put_exact(out, "scale", c->scale, p->K);
        put_exact(out, "shift", c->shift, p->K);
        heft_json_flag(out, "vector", c->kind == HEFT_VECTOR);
    }
    heft_json_put(out, "unit:b unseen_zero:b decision:z chosen:z threshold:n",
                  p->model->prep.spec.scaling == HEFT_SCALE_UNIT, p->model->prep.spec.unseen_zero,
                  (size_t)d->kind, d->chosen, d->threshold);
    if (d->kind == HEFT_LEAST_COST) put_exact(out, "cost", d->cost, p->K * p->K);
}

static void describe(writer *w)
{
    put_preparation(w);
    put_tables(w);
    put_densities(w);
    put_joint(w);
    put_trees(w);
    w->over |= w->bytes.length > w->budget;
}

static void put_whole(const heft_page *p, writer *w)
{
    heft_json_open(p->out, "whatif", '{');
    put_head(p);
    heft_json_open(p->out, "arrays", '{');
    heft_buf_text(p->out, heft_buf_string(&w->arrays));
    heft_json_close(p->out, '}');
    heft_put(p->out, ",\"bytes\":\"");
    put_base64(p->out, &w->bytes);
    heft_put(p->out, "\"}");
    heft_json_null(p->out, "whatif_note");
}

void heft_report_whatif(const heft_page *p)
{
    writer w = {.p = p, .budget = p->n_attr <= MANY_ATTRS ? MOST_BYTES : MOST_BYTES_OF_MANY};
    if (p->additive && p->n_attr && !p->bounds.values_cut && p->bounds.n_listed == p->n_attr)
        describe(&w);
    else w.over = true;
    if (!w.over) {
        put_whole(p, &w);
    } else {
        heft_json_null(p->out, "whatif");
        if (!p->n_attr) heft_json_text(p->out, "whatif_note", "The model has no attributes.");
        else if (!p->additive)
            heft_json_format(p->out, "whatif_note",
                             "The score of method %s is not a sum over the values of a row, so "
                             "values cannot be tried out here ({command predict} takes any row).",
                             p->model->method->name);
        else
            heft_json_format(p->out, "whatif_note",
                             "The model is too large for this page, so values cannot be tried out "
                             "here ({command predict} and {command explain} take any row).");
    }
    p->out->failed |= w.arrays.failed || w.bytes.failed || w.list.failed;
    heft_buf_clear(&w.arrays);
    heft_buf_clear(&w.bytes);
    heft_buf_clear(&w.list);
}
