/* report_attributes.c - the attributes of a report's document: importance, range and values of
 * each, and the shapes of what their values say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/page.h"

enum {
    POINTS = 72,     /* points at which the curve of a number is evaluated */
    CUTS = 100,      /* a table with more cuts is drawn as a curve */
    DISCRETE = 40,   /* a number with at most so many values is drawn value by value */
    VALUES = 30,     /* values of a nominal attribute that are shown */
    LISTED = 60,     /* attributes that have a shape, or a list of values that occur */
    LEAST = 6,       /* shapes that are there whatever they take */
    NUMBERS = 30000, /* evidence of all shapes */
    SHOWN_CLASSES = 30,
    FIRST_VALUES = 50, /* values listed for an attribute that has too many for a page */
    MOST_TEXT = 600000 /* bytes of all values */
};
/* The common scale reaches as far as values that at least this share of the rows have, and at most
 * to LIMIT. */
static const double RARE = 0.005, LIMIT = 8;

/* ---- attributes ---- */

static void put_weight(const heft_page *p, size_t j)
{
    double lo, hi, size;
    if (!p->t.shared || (!p->differ && !p->t.beside)) return;
    heft_term_weight_range(&p->t, j, &lo, &hi, &size);
    if (p->t.beside) heft_json_number(p->out, "weight", p->t.beside[j]);
    else if (hi != lo) heft_json_numbers(p->out, "weight", (const double[]){lo, hi}, 2);
    else heft_json_number(p->out, "weight", lo);
}

static void put_values(const heft_page *p, size_t j)
{
    const heft_dict *dict = p->model->prep.attr[j].dict;
    const size_t     n = heft_dict_size(dict);
    heft_json_open(p->out, "values", '[');
    for (size_t v = 0; v < n && (v < FIRST_VALUES || !p->bounds.values_cut); v++)
        heft_json_name(p->out, NULL, heft_dict_text(dict, (uint32_t)v));
    heft_json_put(p->out, "] n_values:z", n);
}

static void put_range(const heft_page *p, const heft_value_spread *s, bool listed)
{
    const size_t decimals = heft_page_decimals(s);
    double       occur[DISCRETE];
    bool         all;
    heft_json_put(p->out, "least:n most:n usual:n decimals:c", s->least, s->most, s->usual,
                  decimals);
    if (listed && s->m) {
        const size_t n = heft_page_occurring(s, DISCRETE, occur, &all);
        heft_json_open(p->out, "occur", '[');
        for (size_t k = 0; k < n; k++) heft_json_exact(p->out, NULL, occur[k]);
        heft_json_close(p->out, ']');
    }
}

static heft_status put_attribute(const heft_page *p, size_t j, bool listed)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    heft_value_spread s;
    HEFT_CHECK(heft_page_spread(p, j, &s));
    heft_json_put(p->out, "{ name:m kind:s importance:g", p->model->prep.attr[j].name,
                  heft_page_number(p, j) ? "number" : "values", heft_page_importance(p, j));
    if (p->by == HEFT_BY_LOSS)
        heft_json_put(p->out, "error:g evidence:g",
                      HEFT_ERRORS * p->model->fitted.importance_error[j], p->matter[j]);
    put_weight(p, j);
    if (heft_page_number(p, j)) {
        put_range(p, &s, listed);
    } else {
        put_values(p, j);
        heft_json_size(p->out, "usual", (size_t)s.usual);
    }
    heft_json_close(p->out, '}');
    return HEFT_OK;
}

static void put_importance(const heft_page *p)
{
    static const char *const by[] = {"none", "evidence", "bits", "loss"};
    heft_json_put(p->out, "importance:{ by:s errors:b", by[p->by], p->by == HEFT_BY_LOSS);
    heft_json_format(
        p->out, "text",
        p->by == HEFT_BY_NOTHING ? ""
        : p->by == HEFT_BY_LOSS
            ? "Importance: how much the mean log loss of training rows that were held out rises if "
              "what the attribute says is left out, with its 95 %% interval. Attributes whose "
              "interval reaches 0 come last: they may be noise. Of columns that say the same each "
              "has little importance. Evidence is the mean size of what an attribute adds to the "
              "score of a class, as in {command inspect}."
        : p->by == HEFT_BY_BITS
            ? "What each attribute alone tells about the class, in bits. The score of this method "
              "is not a sum over attributes, so there is no evidence to compare."
        : p->t.size
            ? "Evidence: the mean size of what an attribute adds to the score of a class, over "
              "training rows, as in {command inspect}. Half of a pair's evidence and a third of a "
              "triple's are counted with each of its attributes."
            : "Evidence: the mean size of what an attribute adds to the score of a class. It "
              "depends on the weight of the attribute and on how much its values differ between "
              "the classes.");
    heft_json_close(p->out, '}');
}

heft_status heft_report_attributes(const heft_page *p)
{
    bool *listed;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, listed, p->n_attr);
    for (size_t k = 0; k < p->n_attr && k < LISTED; k++) listed[p->rank[k]] = true;
    put_importance(p);
    heft_json_open(p->out, "order", '[');
    for (size_t k = 0; k < p->bounds.n_listed; k++)
        heft_json_size(p->out, NULL, p->bounds.place[p->rank[k]]);
    heft_json_put(p->out, "] attributes:[");
    for (size_t k = 0; k < p->bounds.n_listed; k++) {
        const size_t j = p->bounds.listed[k];
        HEFT_CHECK(put_attribute(p, j, listed[j]));
    }
    heft_json_close(p->out, ']');
    return HEFT_OK;
}

bool heft_page_values_large(const heft_page *p)
{
    size_t bytes = 0;
    for (size_t j = 0; j < p->n_attr && bytes <= MOST_TEXT; j++) {
        const heft_dict *dict = p->model->prep.attr[j].dict;
        if (heft_page_number(p, j)) continue;
        for (uint32_t v = 0; v < heft_dict_size(dict) && bytes <= MOST_TEXT; v++) {
            const size_t length = strlen(heft_dict_text(dict, v));
            bytes += 3 + (length < HEFT_JSON_NAME ? length : HEFT_JSON_NAME);
        }
    }
    return bytes > MOST_TEXT;
}

/* ---- shapes ---- */

typedef struct shape { /* the evidence of the values of attribute j */
    size_t            j, n;
    heft_value_spread s;
    bool              discrete, step;
    double           *raw, *at, *share; /* n points or values; n x K; shares, NULL: not known */
    size_t            n_share;
} shape;

typedef struct shapes {
    const heft_page *p;
    size_t           n, n_class; /* classes that have a series: two classes, one */
    size_t *class;
    shape *of;
    double reach;
} shapes;

/* Chooses the most frequent values, in the order of the dictionary. */
static heft_status choose_values(const heft_page *p, shape *g)
{
    heft_attr_rank *order;
    bool           *shown;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, g->s.n, order, shown);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, VALUES, g->raw, g->share);
    for (size_t v = 0; v < g->s.n; v++)
        order[v] = (heft_attr_rank){v, g->s.share ? g->s.share[v] : 0, 0};
    if (g->s.n) qsort(order, g->s.n, sizeof *order, heft_attr_rank_compare);
    for (size_t k = 0; k < g->s.n && k < VALUES; k++) shown[order[k].j] = true;
    for (size_t v = 0; v < g->s.n; v++)
        if (shown[v]) {
            if (g->s.share) g->share[g->n] = g->s.share[v];
            g->raw[g->n++] = (double)v;
        }
    if (!g->s.share) g->share = NULL;
    g->n_share = g->n;
    return HEFT_OK;
}

/* Takes the values of a number that occur, with their shares, where there are few. */
static heft_status choose_occurring(const heft_page *p, shape *g)
{
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, DISCRETE, g->raw, g->share);
    g->n = heft_page_occurring(&g->s, DISCRETE, g->raw, &g->discrete);
    if (!g->discrete) return HEFT_OK;
    for (size_t i = 0, k = 0; i < g->s.m; i++) {
        while (g->raw[k] != g->s.x[i]) k++;
        g->share[k] += 1 / (double)g->s.m;
    }
    g->n_share = g->n;
    return HEFT_OK;
}

/* Takes points of a curve, or the beginnings of the intervals between cuts and the end of the last.
 */
static heft_status choose_points(const heft_page *p, shape *g)
{
    const heft_term      *term = &p->t.attr[g->j];
    const heft_attr_prep *a = &p->model->prep.attr[g->j];
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->raw, CUTS + 2);
    g->share = g->s.share;
    g->n_share = g->s.n;
    g->n = 0;
    g->step = term->kind == HEFT_TERM_TABLE && term->n_cuts <= CUTS;
    if (g->step) {
        g->raw[g->n++] = g->s.lo;
        for (size_t k = 0; k < term->n_cuts; k++) {
            const double cut = term->cuts[k] / a->factor + a->shift;
            if (cut > g->s.lo && cut < g->s.hi) g->raw[g->n++] = cut;
        }
        g->raw[g->n++] = g->s.hi;
        return HEFT_OK;
    }
    for (; g->n < POINTS; g->n++)
        g->raw[g->n] = g->s.lo + (g->s.hi - g->s.lo) * (double)g->n / (POINTS - 1);
    return HEFT_OK;
}

/* The value that stands for point k: of a step its middle. */
static double point_at(const shape *g, size_t k)
{
    if (g->step && k + 1 == g->n) return g->s.hi;
    return g->step ? (g->raw[k] + g->raw[k + 1]) / 2 : g->raw[k];
}

static heft_status find_shape(shapes *all, size_t j, shape *g)
{
    const heft_page *p = all->p;
    *g = (shape){.j = j};
    HEFT_CHECK(heft_page_spread(p, j, &g->s));
    if (!heft_page_number(p, j)) HEFT_CHECK(choose_values(p, g));
    else if (g->s.m) HEFT_CHECK(choose_occurring(p, g));
    if (heft_page_number(p, j) && !g->discrete) HEFT_CHECK(choose_points(p, g));
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->at, g->n * p->K);
    for (size_t k = 0; k < g->n; k++) {
        double *v = g->at + k * p->K;
        heft_page_value(p, j, point_at(g, k), v);
        if (g->n_share == g->n && g->share && g->share[k] < RARE) continue;
        for (size_t c = 0; c < p->K; c++)
            all->reach = fmax(all->reach, p->K == 2 ? fabs(v[1] - v[0]) : fabs(v[c]));
    }
    return HEFT_OK;
}

/* The evidence of class number k of those shown; of two classes, the log-odds. */
static double shown_evidence(const shapes *all, const double *v, size_t k)
{
    const heft_page *p = all->p;
    return p->K == 2 ? v[p->one] - v[p->zero] : v[all->class[k]];
}

static void put_missing(const shapes *all, size_t j, double *v)
{
    heft_buf *out = all->p->out;
    heft_page_value(all->p, j, (double)NAN, v);
    if (all->p->K == 2) {
        heft_json_number(out, "missing", shown_evidence(all, v, 0));
        return;
    }
    heft_json_open(out, "missing", '[');
    for (size_t k = 0; k < all->n_class; k++)
        heft_json_number(out, NULL, shown_evidence(all, v, k));
    heft_json_close(out, ']');
}

static void put_shape(const shapes *all, const shape *g, double *v)
{
    const heft_page *p = all->p;
    heft_buf        *out = p->out;
    const bool       number = heft_page_number(p, g->j);
    heft_json_put(out, "{ attribute:z", p->bounds.place[g->j]);
    heft_json_numbers(out, "at", g->raw, g->n);
    if (number) heft_json_flag(out, "discrete", g->discrete);
    if (number) heft_json_flag(out, "step", g->step);
    heft_json_open(out, "series", '[');
    for (size_t k = 0; k < all->n_class; k++) {
        heft_json_open(out, NULL, '[');
        for (size_t i = 0; i < g->n; i++)
            heft_json_number(out, NULL, shown_evidence(all, g->at + i * p->K, k));
        heft_json_close(out, ']');
    }
    heft_json_close(out, ']');
    if (p->t.attr[g->j].error && !p->model->calibration.scale) {
        heft_json_open(out, "error", '[');
        for (size_t i = 0; i < g->n; i++)
            heft_json_number(out, NULL, heft_page_error(p, g->j, point_at(g, i)));
        heft_json_close(out, ']');
    }
    put_missing(all, g->j, v);
    heft_json_numbers(out, "share", g->share, g->n_share);
    if (g->share && g->s.from_data) {
        heft_json_open(out, "rows", '[');
        for (size_t k = 0; k < g->n_share; k++)
            heft_json_size(out, NULL, (size_t)(g->share[k] * (double)g->s.m + 0.5));
        heft_json_close(out, ']');
    } else {
        heft_json_null(out, "rows");
    }
    if (number) heft_json_number(out, "low", g->s.lo);
    if (number) heft_json_number(out, "high", g->s.hi);
    if (!number) heft_json_size(out, "n_values", g->s.n);
    heft_json_close(out, '}');
}

/* Orders the classes by their prior probability. */
static heft_status choose_classes(shapes *all)
{
    const heft_page *p = all->p;
    heft_attr_rank  *order;
    double          *prior;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->K, order, prior, all->class);
    heft_terms_prior(&p->t, prior);
    for (size_t c = 0; c < p->K; c++) order[c] = (heft_attr_rank){c, prior[c], 0};
    if (p->K) qsort(order, p->K, sizeof *order, heft_attr_rank_compare);
    all->n_class = p->K == 2 ? 1 : p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES;
    for (size_t k = 0; k < all->n_class; k++) all->class[k] = order[k].j;
    return HEFT_OK;
}

static heft_status find_shapes(shapes *all)
{
    const heft_page *p = all->p;
    size_t           numbers = 0;
    HEFT_CHECK(choose_classes(all));
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, all->of, LISTED);
    for (size_t k = 0; k < p->n_attr && all->n < LISTED; k++) {
        if (all->n >= LEAST && numbers > NUMBERS) break;
        if (!(p->matter[p->rank[k]] > 0)) continue;
        HEFT_CHECK(find_shape(all, p->rank[k], &all->of[all->n]));
        numbers += all->of[all->n++].n * all->n_class;
    }
    return HEFT_OK;
}

heft_status heft_report_shapes(const heft_page *p)
{
    shapes    all = {.p = p, .reach = 0.5};
    heft_buf *out = p->out;
    double   *v;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, v, p->K);
    if (p->additive) HEFT_CHECK(find_shapes(&all));
    heft_json_open(out, "shapes", '{');
    heft_json_sizes(out, "classes", all.class, p->K == 2 ? 0 : all.n_class);
    heft_json_put(out, "reach:g from_data:b list:[", fmin(all.reach, LIMIT),
                  all.n && all.of[0].s.from_data);
    for (size_t k = 0; k < all.n; k++) put_shape(&all, &all.of[k], v);
    heft_json_put(out, "] sampled:z }",
                  !p->table                             ? 0
                  : p->table->n_rows < p->bounds.sample ? p->table->n_rows
                                                        : p->bounds.sample);
    return HEFT_OK;
}
