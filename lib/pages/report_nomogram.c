/* report_nomogram.c - the nomogram of a two-class model: every attribute is a line on which its
 * values stand at what they add to the log-odds. The sum with the start is read as a probability on
 * the last line. How far the sum is from the model is measured on the rows of the report; there is
 * no nomogram where too many of them would get another class. */
#include <math.h>
#include <stdlib.h>

#include "pages/page.h"

enum { LINES = 30, MARKS = 16, TICKS = 6 };
static const double LIMIT = 10;

typedef struct mark { /* a value on its line */
    double raw, odds;
} mark;

typedef struct line {
    size_t j, n, left_out; /* marks; values without one */
    mark   at[MARKS];
} line;

typedef struct nomogram {
    const heft_page *p;
    size_t           n;
    line            *of;
    double           start, rest; /* rest: mean size of the attributes without a line */
    size_t           n_rest;
    double           low, high;      /* the log-odds that the lines reach */
    size_t           checked, other; /* rows, and those that get another class than by the model */
    double           mean, tenth;    /* distance of the probabilities; one row in ten is above it */
} nomogram;

static const double MOST_OTHER = 0.02; /* share of the rows */

/* ---- marks ---- */

/* A round step that cuts [lo, hi] into at most TICKS pieces; whole numbers have whole steps. */
static double round_step(double lo, double hi, bool whole)
{
    static const double nice[] = {1, 2, 2.5, 5, 10};
    const double        least = fmax((hi - lo) / TICKS, whole ? 1 : 0);
    if (!(least > 0) || !isfinite(least)) return 1;
    const double unit = pow(10, floor(log10(least)));
    for (size_t k = 0; k < sizeof nice / sizeof *nice; k++)
        if (nice[k] * unit >= least * (1 - 1e-9) && !(whole && nice[k] * unit == 2.5))
            return nice[k] * unit;
    return 10 * unit;
}

/* Marks round numbers within the range of the data. */
static void mark_numbers(const heft_page *p, const heft_value_spread *s, line *to)
{
    const double step = round_step(s->lo, s->hi, heft_page_decimals(s) == 0);
    const double first = ceil(s->lo / step - 1e-9) * step;
    for (size_t k = 0; to->n < MARKS && first + (double)k * step <= s->hi + step * 1e-9; k++) {
        const double raw =
            fabs(first + (double)k * step) < step * 1e-9 ? 0 : first + (double)k * step;
        to->at[to->n++] = (mark){raw, heft_page_odds(p, to->j, raw)};
    }
    for (size_t k = 0; to->n < 2 && k < 2; k++) {
        const double raw = k ? s->hi : s->lo;
        to->at[to->n++] = (mark){raw, heft_page_odds(p, to->j, raw)};
    }
}

/* Marks values that occur, as many as a line can show. */
static void mark_values(const heft_page *p, const heft_value_spread *s, line *to)
{
    for (size_t v = 0; v < s->n; v++) {
        if (s->share && !(s->share[v] > 0)) continue;
        if (to->n == MARKS) to->left_out++;
        else to->at[to->n++] = (mark){(double)v, heft_page_odds(p, to->j, (double)v)};
    }
}

static heft_status find_lines(nomogram *g)
{
    const heft_page *p = g->p;
    double           v[2] = {p->t.start[0], p->t.start[1]};
    heft_calibrate_lines(&p->model->calibration, 1, 2, v);
    g->start = v[p->one] - v[p->zero];
    g->low = fmin(-1, g->start);
    g->high = fmax(1, g->start);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->of, LINES);
    for (size_t k = 0; k < p->n_attr; k++) {
        const size_t      j = p->rank[k];
        heft_value_spread s;
        if (!(p->matter[j] > 0)) continue;
        if (g->n == LINES) {
            g->n_rest++;
            g->rest += 2 * p->matter[j];
            continue;
        }
        line *to = &g->of[g->n++];
        to->j = j;
        HEFT_CHECK(heft_page_spread(p, j, &s));
        if (heft_page_number(p, j)) mark_numbers(p, &s, to);
        else mark_values(p, &s, to);
        for (size_t m = 0; m < to->n; m++) {
            g->low = fmin(g->low, fmax(to->at[m].odds, -LIMIT));
            g->high = fmax(g->high, fmin(to->at[m].odds, LIMIT));
        }
    }
    return HEFT_OK;
}

/* ---- agreement with the model ---- */

static int by_distance(const void *pa, const void *pb)
{
    const double *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

/* Returns what a reader would get from the lines for row i: the probability of class `one`. */
static double read_row(const nomogram *g, size_t i)
{
    double sum = g->start;
    for (size_t k = 0; k < g->n; k++)
        sum += heft_page_odds(g->p, g->of[k].j, heft_page_cell(g->p, i, g->of[k].j));
    return 1 / (1 + exp(-sum));
}

/* Compares the lines with the model on rows spread over the table. */
static heft_status check_rows(nomogram *g)
{
    const heft_page *p = g->p;
    const size_t     all = p->table->n_rows, n = all < p->bounds.sample ? all : p->bounds.sample;
    size_t          *rows;
    double          *proba, *distance;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, n, rows, distance);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, proba, 2 * n);
    for (size_t r = 0; r < n; r++) rows[r] = (size_t)((double)r * (double)all / (double)n);
    HEFT_CHECK(heft_page_posterior(p, rows, n, proba));
    for (size_t r = 0; r < n; r++) {
        const double         q = read_row(g, rows[r]);
        double               own[2];
        const heft_decision *rule = &p->model->decision;
        own[p->one] = q;
        own[p->zero] = 1 - q;
        distance[r] = fabs(q - proba[2 * r + p->one]);
        g->mean += distance[r] / (double)n;
        g->other += heft_decide(rule, own, 2) != heft_decide(rule, proba + 2 * r, 2);
    }
    if (n) qsort(distance, n, sizeof *distance, by_distance);
    if (n) g->tenth = distance[n - 1 - n / 10];
    g->checked = n;
    return HEFT_OK;
}

/* Whether the lines are the whole score. */
static bool is_whole(const nomogram *g)
{
    return g->p->t.interactions.n == 0 && g->n_rest == 0;
}

/* Whether it cannot be told how far the lines are from the model: sets of attributes have no line,
 * and there are no rows to compare on. */
static bool is_unknown(const nomogram *g)
{
    return !g->checked && g->p->t.interactions.n > 0;
}

/* Why there is no nomogram. */
static void put_absent(const nomogram *g)
{
    static const char together[] = "what sets of attributes add together has no line";
    heft_buf         *out = g->p->out;
    if (is_unknown(g))
        heft_json_format(out, "note",
                         "There is no nomogram of this model: %s, and how much that matters cannot "
                         "be said without data ({command report MODEL DATA}).",
                         together);
    else
        heft_json_format(
            out, "note",
            "There is no nomogram of this model: the sum of its lines would give "
            "another class than the model to %z of %s (%1f%%), because %s.",
            g->other, HEFT_COUNT_OF(g->checked, "row"), 100 * (double)g->other / (double)g->checked,
            g->p->t.interactions.n ? together : "there are too many attributes for lines");
}

/* How close the lines are to the model. */
static void put_agreement(const nomogram *g)
{
    heft_buf  *out = g->p->out;
    const bool exact = is_whole(g) && g->mean < 1e-6 && !g->other;
    if (!g->checked) {
        heft_json_null(out, "agreement");
        return;
    }
    heft_json_put(out, "agreement:{ rows:z exact:b mean:g tenth:g other:z", g->checked, exact,
                  g->mean, g->tenth, g->other);
    if (exact)
        heft_json_format(out, "text",
                         "Compared with the model on %s: the sum gives the probability of the "
                         "model.",
                         HEFT_COUNT_OF(g->checked, "row"));
    else
        heft_json_format(
            out, "text",
            "Compared with the model on %s: the probability read here is %3f away "
            "from that of the model on average, and more than %3f in one row of ten; "
            "%s (%1f%%) %s another class.",
            HEFT_COUNT_OF(g->checked, "row"), g->mean, g->tenth, HEFT_COUNT_OF(g->other, "row"),
            100 * (double)g->other / (double)g->checked, g->other == 1 ? "gets" : "get");
    heft_json_close(out, '}');
}

/* Writes how much the lines leave out, with its mean size. */
static void put_rest(const nomogram *g)
{
    const heft_page *p = g->p;
    double           joint = 2 * p->t.interactions.remainder;
    for (size_t k = 0; k < p->t.interactions.n; k++) joint += 2 * p->t.interactions.list[k].size;
    heft_json_open(p->out, "rest", '[');
    if (g->n_rest)
        heft_json_format(p->out, NULL,
                         "Not on a line: %s with less evidence, together at most %2f on average.",
                         HEFT_COUNT_OF(g->n_rest, "attribute"), g->rest);
    if (p->t.interactions.n)
        heft_json_format(p->out, NULL,
                         "Not on a line: what %s of attributes (pairs%s) add together, at most %2f "
                         "on average.",
                         HEFT_COUNT_OF(p->t.interactions.n, "set"),
                         p->t.interactions.wide                            ? ", triples and more"
                         : p->t.interactions.n_pairs < p->t.interactions.n ? " and triples"
                                                                           : "",
                         joint);
    heft_json_close(p->out, ']');
}

static void put_line(const nomogram *g, const line *of)
{
    const heft_page *p = g->p;
    char             text[256];
    heft_json_put(p->out, "{ attribute:z marks:[", p->bounds.place[of->j]);
    for (size_t m = 0; m < of->n; m++) {
        heft_json_open(p->out, NULL, '{');
        if (heft_page_number(p, of->j)) heft_json_format(p->out, "label", "%4g", of->at[m].raw);
        else
            heft_json_name(p->out, "label",
                           heft_prep_value(&p->model->prep, of->j, (uint32_t)of->at[m].raw, text,
                                           sizeof text));
        heft_json_put(p->out, "odds:g }", of->at[m].odds);
    }
    heft_json_put(p->out, "] left_out:z }", of->left_out);
}

heft_status heft_report_nomogram(const heft_page *p)
{
    nomogram g = {.p = p};
    /* With vector calibration the log-odds do not add up. */
    if (!p->additive || p->K != 2 || !p->n_attr || !isfinite(p->t.start[0]) ||
        !isfinite(p->t.start[1]) || p->model->calibration.kind == HEFT_VECTOR) {
        heft_json_null(p->out, "nomogram");
        return HEFT_OK;
    }
    HEFT_CHECK(find_lines(&g));
    if (p->table) HEFT_CHECK(check_rows(&g));
    const bool absent = is_unknown(&g) || (double)g.other > MOST_OTHER * (double)g.checked;
    heft_json_open(p->out, "nomogram", '{');
    if (absent) put_absent(&g);
    else heft_json_null(p->out, "note");
    heft_json_put(p->out, "start:g low:g high:g lines:[", g.start, g.low, g.high);
    if (!absent)
        for (size_t k = 0; k < g.n; k++) put_line(&g, &g.of[k]);
    heft_json_close(p->out, ']');
    put_agreement(&g);
    put_rest(&g);
    heft_json_close(p->out, '}');
    return HEFT_OK;
}
