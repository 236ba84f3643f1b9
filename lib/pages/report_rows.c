/* report_rows.c - rows of the table in a report's document: a sample for the row browser, the most
 * confident errors, and the evidence of single rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/page.h"

enum {
    STEPS = 8,
    WRONG = 8,
    TRIED = 8, /* rows whose length is measured */
    MOST_ROWS = 2000,
    PAGE = 300000,       /* bytes of a document that the rows fill up */
    LEAST_BYTES = 40000, /* bytes that the rows may take in any case */
    MOST_BYTES = 120000,
    BYTES_PER_ATTR = 60,
    MOST_BYTES_OF_MANY = 300000
};

/* ---- the evidence of a row ---- */

typedef struct step {
    double odds, size;
    size_t attr, joint; /* attr == SIZE_MAX: an interaction, or after them the remainder */
} step;

static int by_size(const void *pa, const void *pb)
{
    const step *a = pa, *b = pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (a->attr != b->attr) return a->attr < b->attr ? -1 : 1;
    return (a->joint > b->joint) - (a->joint < b->joint);
}

/* Finds the evidence of attributes alone, of interactions and of the remainder for class a against
 * b, the largest first. */
static heft_status find_steps(const heft_page *p, const heft_row_evidence *e, size_t a, size_t b,
                              step **out, size_t *n)
{
    const size_t  joint = e->alone ? heft_terms_joint(&p->t) : 0;
    const double *alone = e->alone ? e->alone : e->parts;
    *n = p->n_attr + joint;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, *out, *n);
    for (size_t k = 0; k < *n; k++) {
        const bool    own = k < p->n_attr;
        const double *v = own ? alone + (1 + k) * p->K : e->together + (k - p->n_attr) * p->K;
        const double  odds = v[a] - v[b];
        (*out)[k] = (step){odds, fabs(odds), own ? k : SIZE_MAX, own ? 0 : k - p->n_attr};
    }
    if (*n) qsort(*out, *n, sizeof **out, by_size);
    return HEFT_OK;
}

/* The interaction of a step that is not of one attribute; NULL: it is the remainder. */
static const heft_interaction *joint_of(const heft_page *p, const step *s)
{
    return s->joint < p->t.interactions.n ? &p->t.interactions.list[s->joint] : NULL;
}

static void put_step(const heft_page *p, size_t i, const step *s)
{
    heft_buf *out = p->out;
    heft_json_put(out, "{ attributes:[");
    if (s->attr != SIZE_MAX) {
        HEFT_SIDE_TEXT(text, out);
        heft_json_put(out, ":z ]", p->bounds.place[s->attr]);
        heft_cell_put(&text, &p->cells, s->attr, i, "missing");
        heft_json_name(out, "value", heft_buf_string(&text));
    } else {
        const heft_interaction *of = joint_of(p, s);
        const size_t            n = of ? of->n : 0;
        for (size_t m = 0; m < n; m++) heft_json_size(out, NULL, p->bounds.place[of->attr[m]]);
        heft_json_put(out, "] value:0");
    }
    heft_json_put(out, "odds:g }", s->odds);
}

/* Whether the document has the attributes of a step. */
static bool is_listed(const heft_page *p, const step *s)
{
    if (s->attr != SIZE_MAX) return p->bounds.place[s->attr] != SIZE_MAX;
    return !joint_of(p, s) || heft_page_lists(p, joint_of(p, s));
}

static void put_fall(const heft_page *p, size_t i, size_t a, size_t b, double start, const step *s,
                     size_t n)
{
    size_t shown = 0;
    double rest = 0, total = start;
    heft_json_put(p->out, "fall:{ a:z b:z start:g steps:[", a, b, start);
    for (size_t k = 0; k < n; k++) {
        total += s[k].odds;
        if (shown < STEPS + (n == STEPS + 1) && is_listed(p, &s[k])) put_step(p, i, &s[k]), shown++;
        else rest += s[k].odds;
    }
    heft_json_put(p->out, "] others:z rest:g total:g", n - shown, rest, total);
}

/* Writes the evidence of row i for class a against b; null where the score is not a sum over
 * attributes. */
static heft_status put_evidence(const heft_page *p, size_t i, size_t a, size_t b)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    heft_status       st = HEFT_OK;
    heft_table       *row = NULL;
    heft_prepared     prepared = {0};
    heft_row_evidence e;
    step             *s;
    double           *proba;
    size_t            n;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, proba, p->K);
    HEFT_TRY(heft_table_take(p->ctx, p->table, &i, 1, &row));
    HEFT_TRY(heft_prep_apply(p->ctx, &p->model->prep, row, &prepared));
    HEFT_TRY(heft_terms_row(p->ctx, &p->t, &prepared.rows, 0, &e));
    HEFT_TRY(find_steps(p, &e, a, b, &s, &n));
    HEFT_TRY(heft_page_posterior(p, &i, 1, proba));
    const double *from = e.alone ? e.alone : e.parts;
    if (isfinite(from[a] - from[b])) {
        put_fall(p, i, a, b, from[a] - from[b], s, n);
        heft_json_put(p->out, "p:g }", proba[a]);
    } else {
        st = HEFT_EUNSUPPORTED; /* the model never predicts one of the two classes */
    }
done:
    heft_prepared_clear(&prepared);
    heft_table_delete(row);
    if (st != HEFT_EUNSUPPORTED) return st;
    heft_json_null(p->out, "fall");
    return HEFT_OK;
}

/* Writes a row that was predicted wrong: its evidence against its class, or against the runner-up
 * where the model does not know the class. */
static heft_status put_explained(const heft_page *p, size_t i)
{
    const heft_page_outcomes *o = p->outcomes;
    const double             *proba = o->proba + i * o->K;
    const size_t              guess = o->guess[i];
    size_t                    other = o->y[i] < p->K ? o->y[i] : SIZE_MAX;
    if (other == SIZE_MAX)
        for (size_t c = 0; c < p->K; c++)
            if (c != guess && (other == SIZE_MAX || proba[c] > proba[other])) other = c;
    heft_json_put(p->out, "{ row:z actual:z predicted:z p:g", i + 1, (size_t)o->y[i], guess,
                  proba[guess]);
    if (other == SIZE_MAX) heft_json_null(p->out, "fall");
    else HEFT_CHECK(put_evidence(p, i, p->K == 2 ? p->one : guess, p->K == 2 ? p->zero : other));
    heft_json_close(p->out, '}');
    return HEFT_OK;
}

/* ---- errors ---- */

/* Finds the rows that were predicted wrong with the highest probability. */
static size_t find_wrong(const heft_page_outcomes *o, size_t worst[WRONG])
{
    double sure[WRONG];
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= o->K || o->y[i] == o->guess[i]) continue;
        const double q = o->proba[i * o->K + o->guess[i]];
        size_t       k = n < WRONG ? n++ : WRONG;
        if (k == WRONG && q <= sure[WRONG - 1]) continue;
        if (k == WRONG) k--;
        for (; k > 0 && sure[k - 1] < q; k--) sure[k] = sure[k - 1], worst[k] = worst[k - 1];
        sure[k] = q;
        worst[k] = i;
    }
    return n;
}

static heft_status put_wrong(const heft_page *p, const size_t *worst, size_t n)
{
    const heft_page_outcomes *o = p->outcomes;
    heft_json_put(p->out, "wrong:{ n:z rows:z list:[", o ? o->n_wrong : 0, o ? o->n_known : 0);
    for (size_t k = 0; k < n; k++) HEFT_CHECK(put_explained(p, worst[k]));
    heft_json_put(p->out, "] }");
    return HEFT_OK;
}

/* ---- the sample ---- */

static void put_cell(const heft_page *p, size_t i, size_t j, heft_buf *out)
{
    const double x = heft_page_cell(p, i, j);
    const char  *text;
    if (heft_page_number(p, j) || isnan(x) ||
        x <= (double)heft_dict_size(p->model->prep.attr[j].dict)) {
        heft_json_exact(out, NULL, x);
        return;
    }
    heft_cell_at(&p->cells, j, i, &text);
    heft_json_name(out, NULL, text ? text : "");
}

static void put_row(const heft_page *p, size_t i, heft_buf *out)
{
    const heft_page_outcomes *o = p->outcomes;
    heft_json_put(out, "{ row:z actual:c predicted:c p:g cells:[", i + 1,
                  o && o->y[i] < o->K ? o->y[i] : SIZE_MAX, o ? o->guess[i] : SIZE_MAX,
                  o ? o->proba[i * o->K + o->guess[i]] : (double)NAN);
    for (size_t j = 0; j < p->n_attr; j++) {
        if (p->table->sparse) {
            if (heft_page_cell(p, i, j) == 0) continue;
            heft_json_size(out, NULL, j);
        }
        put_cell(p, i, j, out);
    }
    heft_json_put(out, "] }");
}

static size_t spread_row(size_t k, size_t n, size_t all)
{
    return (size_t)((double)k * (double)all / (double)n);
}

/* Whether a row is one of n that are spread over all. */
static bool is_spread(size_t row, size_t n, size_t all)
{
    const size_t near = (size_t)((double)row * (double)n / (double)all);
    for (size_t k = near ? near - 1 : 0; k <= near + 1 && k < n; k++)
        if (spread_row(k, n, all) == row) return true;
    return false;
}

/* Returns how many rows fit into the document, by the length of some. */
static size_t count_fitting(const heft_page *p)
{
    const size_t all = p->table->n_rows, tried = all < TRIED ? all : TRIED;
    const double left = fmin(PAGE - (double)p->out->length, MOST_BYTES);
    const double wide = fmin(BYTES_PER_ATTR * (double)p->n_attr, MOST_BYTES_OF_MANY);
    HEFT_SIDE_TEXT(text, p->out);
    if (!all || p->bounds.n_listed < p->n_attr) return 0;
    for (size_t k = 0; k < tried; k++) put_row(p, spread_row(k, tried, all), &text);
    const double fit =
        fmax(fmax(left, wide), LEAST_BYTES) * (double)tried / (double)(text.length + 1);
    const double most = fmin(fmax(fit, 1), MOST_ROWS);
    return most < (double)all ? (size_t)most : all;
}

heft_status heft_report_rows(const heft_page *p)
{
    const size_t n = p->table ? count_fitting(p) : 0, all = p->table ? p->table->n_rows : 0;
    size_t       worst[WRONG], n_worst = p->outcomes ? find_wrong(p->outcomes, worst) : 0;
    heft_json_put(p->out, "rows:{ n:z encoding:s list:[", all,
                  p->table && p->table->sparse ? "sparse" : "dense");
    for (size_t k = 0; k < n; k++) put_row(p, spread_row(k, n, all), p->out);
    if (n > TRIED && n < all)
        for (size_t k = 0; k < n_worst; k++)
            if (!is_spread(worst[k], n, all)) put_row(p, worst[k], p->out);
    heft_json_put(p->out, "] }");
    return put_wrong(p, worst, n_worst);
}
