/* section_nomogram.c - the nomogram of a two-class model: every attribute is a line on which its
 * values stand at what they add to the log-odds. The sum with the start is read as a probability on
 * the last line. How far the sum is from the model is measured on the rows of the report; there is
 * no nomogram where too many of them would get another class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages/page.h"

enum { LINES = 30, MARKS = 16, TICKS = 6, LABELS = 6 };
static const double WIDTH = HEFT_SMALL_WIDTH, FROM = 14, TO = 322, LIMIT = 10, LETTER = 7, ROW = 14;

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
    heft_scale       x;
    size_t           checked, other; /* rows, and those that get another class than by the model */
    double           mean, tenth;    /* distance of the probabilities; one row in ten is above it */
} nomogram;

static const double MOST_OTHER = 0.02; /* share of the rows */

/* ---- marks ---- */

/* Marks round numbers within the range of the data. */
static void mark_numbers(const heft_page *p, const heft_value_spread *s, line *to)
{
    const double step = heft_round_step(s->lo, s->hi, TICKS);
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
    g->x = (heft_scale){fmin(-1, g->start), fmax(1, g->start), FROM, TO};
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
        for (size_t m = 0; m < to->n; m++)
            heft_scale_reach(&g->x, fmin(fmax(to->at[m].odds, -LIMIT), LIMIT));
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

/* Writes why there is no nomogram. */
static void put_absent(const nomogram *g)
{
    heft_buf    *out = g->p->out;
    const double n = (double)g->checked;
    heft_put(out, "<p class=\"note\" id=\"nomogram-absent\">There is no nomogram of this model");
    if (is_unknown(g))
        heft_put_marked(
            out, ": what sets of attributes add together has no line, and how much that matters "
                 "cannot be said without data (<code>{command report MODEL DATA}</code>).</p>\n");
    else
        heft_put(out,
                 ": the sum of its lines would give another class than the model to %z of %s "
                 "(%1f%%), because %s.</p>\n",
                 g->other, HEFT_COUNT_OF(g->checked, "row"), 100 * (double)g->other / n,
                 g->p->t.interactions.n ? "what sets of attributes add together has no line"
                                        : "there are too many attributes for lines");
}

/* Writes how close the lines are to the model. */
static void put_agreement(const nomogram *g)
{
    heft_buf *out = g->p->out;
    if (!g->checked) return;
    heft_put(out, "<p id=\"nomogram-agreement\">Compared with the model on %s: ",
             HEFT_COUNT_OF(g->checked, "row"));
    if (is_whole(g) && g->mean < 1e-6 && !g->other)
        heft_put(out, "the sum gives the probability of the model.</p>\n");
    else
        heft_put(
            out,
            "the probability read here is %3f away from that of the model on average, and more "
            "than %3f in one row of ten; %s (%1f%%) %s another class.</p>\n",
            g->mean, g->tenth, HEFT_COUNT_OF(g->other, "row"),
            100 * (double)g->other / (double)g->checked, g->other == 1 ? "gets" : "get");
}

/* ---- lines ---- */

static void put_label(const nomogram *g, const line *of, size_t m, heft_buf *text)
{
    char value[256];
    text->length = 0;
    if (heft_page_number(g->p, of->j)) heft_put(text, "%4g", of->at[m].raw);
    else
        heft_put(text, "%42q",
                 heft_prep_value(&g->p->model->prep, of->j, (uint32_t)of->at[m].raw, value,
                                 sizeof value));
}

/* Where a label of this width may stand: in the first row in which it touches no other. `taken` has
 * the ends of the labels of each row. Returns the row, LABELS: none. */
static size_t find_row(double lo, double hi, double taken[LABELS][MARKS][2], size_t *n)
{
    for (size_t r = 0; r < LABELS; r++) {
        bool clear = true;
        for (size_t k = 0; k < n[r]; k++)
            clear = clear && (hi + 6 < taken[r][k][0] || lo - 6 > taken[r][k][1]);
        if (!clear) continue;
        taken[r][n[r]][0] = lo;
        taken[r][n[r]++][1] = hi;
        return r;
    }
    return LABELS;
}

/* Counts the characters of a text: bytes that begin one. */
static size_t letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Finds the row and the place of every label; returns how many rows there are. */
static size_t place_labels(const nomogram *g, const line *of, heft_buf *text, size_t *row,
                           double *at)
{
    double taken[LABELS][MARKS][2];
    size_t n[LABELS] = {0}, rows = 0;
    for (size_t m = 0; m < of->n; m++) {
        put_label(g, of, m, text);
        const double half = LETTER * (double)letters(heft_buf_string(text)) / 2;
        const double x = heft_scale_at(&g->x, of->at[m].odds);
        at[m] = fmin(fmax(x, half + 2), WIDTH - half - 2);
        row[m] = find_row(at[m] - half, at[m] + half, taken, n);
        if (row[m] < LABELS && row[m] + 1 > rows) rows = row[m] + 1;
    }
    return rows;
}

static void draw_line(const nomogram *g, size_t k)
{
    const heft_page *p = g->p;
    const line      *of = &g->of[k];
    size_t           row[MARKS] = {0};
    double           at[MARKS] = {0};
    HEFT_SIDE_TEXT(text, p->out);
    char         id[40], style[16];
    const size_t rows = place_labels(g, of, &text, row, at);
    snprintf(id, sizeof id, "nomogram-%zu", k);
    heft_put(p->out, "<div class=\"nomo\"><p><bdi>%400h</bdi>", p->model->prep.attr[of->j].name);
    if (of->left_out) heft_put(p->out, " (and %s)", HEFT_COUNT_OF(of->left_out, "more value"));
    heft_put(p->out, "</p>\n");
    heft_svg_open_small(p->out, id, 14 + ROW * (double)rows, "values by log-odds");
    heft_svg_line(p->out, "grid", FROM, 6, TO, 6);
    for (size_t m = 0; m < of->n; m++) {
        const double x = heft_scale_at(&g->x, of->at[m].odds);
        put_label(g, of, m, &text);
        snprintf(style, sizeof style, "c%zu",
                 (of->at[m].odds > 0 ? p->one : p->zero) % HEFT_HTML_COLOURS);
        heft_svg_dot(p->out, style, x, 6, 4, "%s: %s%2f", heft_buf_string(&text),
                     of->at[m].odds > 0 ? "+" : "", of->at[m].odds);
        if (row[m] < LABELS)
            heft_svg_text(p->out, "mid", at[m], 6 + ROW * (double)(row[m] + 1),
                          heft_buf_string(&text), 60);
    }
    heft_put(p->out, "</svg></div>\n");
}

static void draw_axis(const nomogram *g)
{
    const heft_page *p = g->p;
    char             style[16];
    heft_put(p->out, "<div class=\"nomo\"><p>log-odds</p>\n");
    heft_svg_open_small(p->out, "nomogram-axis", 26, "scale of the log-odds");
    heft_svg_axis_x(p->out, &g->x, 6, 2);
    heft_put(p->out, "</svg></div>\n<div class=\"nomo\"><p>%s</p>\n",
             p->t.shared ? "prior" : "before any attribute");
    heft_svg_open_small(p->out, "nomogram-start", 28, "where the sum begins");
    heft_svg_line(p->out, "grid", FROM, 6, TO, 6);
    snprintf(style, sizeof style, "c%zu", (g->start > 0 ? p->one : p->zero) % HEFT_HTML_COLOURS);
    const double x = heft_scale_at(&g->x, g->start);
    heft_svg_dot(p->out, style, x, 6, 4, "%2f", g->start);
    heft_put(p->out, "<text class=\"mid\" x=\"%1f\" y=\"22\">%2f</text></svg></div>\n",
             fmin(fmax(x, 20), WIDTH - 20), g->start);
}

static void draw_probability(const nomogram *g)
{
    static const double shares[] = {0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99};
    const heft_scale    s = {-5, 5, FROM, TO};
    heft_buf           *out = g->p->out;
    heft_put(out, "<div class=\"nomo sum\"><p>sum, and the probability of <bdi>%200h</bdi></p>\n",
             g->p->classes[g->p->one]);
    heft_svg_open_small(out, "nomogram", 54, "the sum as a probability");
    heft_svg_axis_x(out, &s, 6, 2);
    heft_svg_line(out, "axis", s.from, 34, s.to, 34);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const double x = heft_scale_at(&s, log(shares[k] / (1 - shares[k])));
        heft_svg_line(out, "axis", x, 30, x, 34);
        heft_svg_number(out, "mid", x, 49, shares[k], 3);
    }
    heft_put(out, "</svg></div>\n");
}

/* Writes what the lines leave out, with its mean size. */
static void put_rest(const nomogram *g)
{
    const heft_page *p = g->p;
    double           joint = 0;
    for (size_t k = 0; k < p->t.interactions.n; k++) joint += 2 * p->t.interactions.list[k].size;
    if (g->n_rest)
        heft_put(p->out,
                 "<p id=\"nomogram-rest\">Not on a line: %s with less evidence, together at most "
                 "%2f on average.</p>\n",
                 HEFT_COUNT_OF(g->n_rest, "attribute"), g->rest);
    if (p->t.interactions.n)
        heft_put(p->out,
                 "<p id=\"nomogram-joint\">Not on a line: what %s of attributes (pairs%s) add "
                 "together, at most %2f on average.</p>\n",
                 HEFT_COUNT_OF(p->t.interactions.n, "set"),
                 p->t.interactions.n_pairs < p->t.interactions.n ? " and triples" : "", joint);
}

heft_status heft_section_nomogram(const heft_page *p)
{
    nomogram g = {.p = p};
    if (!p->additive || p->K != 2 || !p->n_attr) return HEFT_OK;
    if (!isfinite(p->t.start[0]) || !isfinite(p->t.start[1])) return HEFT_OK;
    if (p->model->calibration.kind == HEFT_VECTOR)
        return HEFT_OK; /* with vector calibration the log-odds do not add up */
    HEFT_CHECK(find_lines(&g));
    if (p->table) HEFT_CHECK(check_rows(&g));
    const bool absent = is_unknown(&g) || (double)g.other > MOST_OTHER * (double)g.checked;
    heft_html_section(p->out, "nomogram-section", "Nomogram",
                      absent ? NULL
                             : "A prediction by hand: read the log-odds of each value on the scale "
                               "at the top, add them up, and read the probability below the sum.");
    if (absent) put_absent(&g);
    else {
        heft_put(p->out, "<figure class=\"wide\">\n");
        draw_axis(&g);
        for (size_t k = 0; k < g.n; k++) draw_line(&g, k);
        draw_probability(&g);
        put_agreement(&g);
        put_rest(&g);
        heft_put(p->out, "</figure>\n");
    }
    heft_html_section_end(p->out);
    return HEFT_OK;
}
