/* page_waterfall.c - the evidence of one row, from where the score begins to its total. */
#include <math.h>
#include <stdlib.h>

#include "pages/page.h"

enum { STEPS = 8 };

typedef struct fall {
    const heft_page *p;
    size_t           a, b;   /* log-odds of a against b */
    double           lo, hi; /* least and largest of the sums on the way */
    double           at;     /* the sum so far */
} fall;

static double odds_at(const fall *f, const double *lines, size_t k)
{
    const double *v = lines + k * f->p->K;
    return v[f->a] - v[f->b];
}

/* Ends a line of the table: a bar from the sum before to the sum after, and the number. */
static void put_step(fall *f, double odds, bool total)
{
    const double from = total ? 0 : f->at, to = from + odds, width = f->hi - f->lo;
    const size_t side = odds > 0 ? f->a : f->b;
    heft_put(f->p->out,
             "</th><td class=\"fall\"><i class=\"zero\" style=\"left:%1f%%\"></i><i class=\"b%z\" "
             "style=\"left:%1f%%;width:%1f%%\"></i></td><td class=\"n\">%s%2f</td></tr>\n",
             100 * (0 - f->lo) / width, side % HEFT_HTML_COLOURS,
             100 * (fmin(from, to) - f->lo) / width, fmax(100 * fabs(odds) / width, 0.4),
             odds > 0 ? "+" : "", odds);
    f->at = to;
}

typedef struct step {
    double odds, size;
    size_t attr, joint; /* attr == SIZE_MAX: an interaction */
} step;

static int by_size(const void *pa, const void *pb)
{
    const step *a = pa, *b = pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return (a->attr > b->attr) - (a->attr < b->attr);
}

/* Finds the evidence of attributes alone and of interactions, the largest first. */
static heft_status find_steps(const fall *f, const heft_row_evidence *e, step **out, size_t *n)
{
    const heft_page *p = f->p;
    const size_t     joint = e->alone ? p->t.interactions.n : 0;
    *n = p->n_attr + joint;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, *out, *n);
    for (size_t j = 0; j < p->n_attr; j++) {
        const double odds = odds_at(f, e->alone ? e->alone : e->parts, 1 + j);
        (*out)[j] = (step){odds, fabs(odds), j, 0};
    }
    for (size_t k = 0; k < joint; k++) {
        const double odds = odds_at(f, e->together, k);
        (*out)[p->n_attr + k] = (step){odds, fabs(odds), SIZE_MAX, k};
    }
    if (*n) qsort(*out, *n, sizeof **out, by_size);
    return HEFT_OK;
}

static void put_name(const heft_page *p, size_t i, const step *s)
{
    heft_put(p->out, "<tr><th scope=\"row\">");
    if (s->attr != SIZE_MAX) {
        heft_put(p->out, "<bdi>%400h</bdi> = ", p->model->prep.attr[s->attr].name);
        heft_page_cell_text(p, i, s->attr, p->out);
        return;
    }
    const heft_interaction *of = &p->t.interactions.list[s->joint];
    for (size_t m = 0; m < of->n; m++)
        heft_put(p->out, "%s<bdi>%200h</bdi>", m ? " &times; " : "",
                 heft_attr_name(&p->t, of->attr[m]));
}

static void put_table(fall *f, size_t i, double start, const step *s, size_t n)
{
    const heft_page *p = f->p;
    const size_t     shown = n < STEPS + 1 ? n : STEPS;
    double           rest = 0, sum = start;
    f->lo = fmin(0, start), f->hi = fmax(0, start);
    for (size_t k = 0; k < n; k++) {
        sum += s[k].odds;
        if (k >= shown) rest += s[k].odds;
        if (k < shown || k + 1 == n) f->lo = fmin(f->lo, sum), f->hi = fmax(f->hi, sum);
    }
    if (!(f->hi > f->lo)) f->hi = f->lo + 1;
    heft_put(p->out,
             "<table class=\"bars waterfall\">\n<tr><th>log-odds of <b class=\"t%z\"><bdi>%200h"
             "</bdi></b> against <b class=\"t%z\"><bdi>%200h</bdi></b></th><th></th><th></th></tr>"
             "\n<tr><th scope=\"row\">%s",
             f->a % HEFT_HTML_COLOURS, p->classes[f->a], f->b % HEFT_HTML_COLOURS, p->classes[f->b],
             p->t.shared ? "prior" : "before any attribute");
    put_step(f, start, false);
    for (size_t k = 0; k < shown; k++) {
        put_name(p, i, &s[k]);
        put_step(f, s[k].odds, false);
    }
    if (shown < n) {
        heft_put(p->out, "<tr><th scope=\"row\">%z others", n - shown);
        put_step(f, rest, false);
    }
    heft_put(p->out, "<tr class=\"total\"><th scope=\"row\">total");
    put_step(f, sum, true);
    heft_put(p->out, "</table>\n");
}

heft_status heft_page_waterfall(const heft_page *p, size_t i, size_t a, size_t b)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    heft_status       st = HEFT_OK;
    heft_table       *row = NULL;
    heft_prepared     prepared = {0};
    heft_row_evidence e;
    fall              f = {.p = p, .a = p->K == 2 ? p->one : a, .b = p->K == 2 ? p->zero : b};
    step             *s;
    size_t            n;
    HEFT_TRY(heft_table_take(p->ctx, p->table, &i, 1, &row));
    HEFT_TRY(heft_prep_apply(p->ctx, &p->model->prep, row, &prepared));
    HEFT_TRY(heft_terms_row(p->ctx, &p->t, &prepared.rows, 0, &e));
    HEFT_TRY(find_steps(&f, &e, &s, &n));
    const double start = odds_at(&f, e.alone ? e.alone : e.parts, 0);
    if (isfinite(start)) put_table(&f, i, start, s, n);
    else st = HEFT_EUNSUPPORTED; /* the model never predicts one of the two classes */
done:
    heft_prepared_clear(&prepared);
    heft_table_delete(row);
    return st;
}
