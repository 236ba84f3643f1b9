/* report_correlations.c - how attributes go together, two by two, in the cells as they were read.
 *
 *   two numbers              Pearson's correlation
 *   two nominal attributes   Cramer's V
 *   one of each              the correlation ratio, eta
 *
 * each over the rows where both are there. A sample of the rows is enough for a picture. */
#include <math.h>

#include "pages/page.h"

enum { SHOWN = 16, SAMPLE = 4000, VALUES = 64 };

typedef struct sampled { /* a column; a code as a number, NaN where missing */
    const heft_column *column;
    size_t             n_codes; /* 0: numbers */
    double            *x;
} sampled;

static heft_status sample(const heft_page *p, size_t j, size_t n, sampled *out)
{
    const heft_table *t = p->table;
    const char       *text;
    if (!heft_page_has(p, j)) return HEFT_OK;
    out->column = &t->cols[p->cells.column[j]];
    out->n_codes = out->column->kind == HEFT_NOMINAL ? heft_dict_size(out->column->dict) : 0;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, out->x, n);
    for (size_t r = 0; r < n; r++)
        out->x[r] =
            heft_cell_at(&p->cells, j, (size_t)((double)r * (double)t->n_rows / (double)n), &text);
    return HEFT_OK;
}

static double pearson(const double *a, const double *b, size_t n)
{
    double ma = 0, mb = 0, m = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i])) continue;
        const double da = a[i] - ma, db = b[i] - mb;
        m++;
        ma += da / m;
        mb += db / m;
        aa += da * (a[i] - ma);
        bb += db * (b[i] - mb);
        ab += da * (b[i] - mb);
    }
    const double r = ab / (sqrt(aa) * sqrt(bb));
    return isfinite(r) ? r : 0;
}

static double cramer(const sampled *a, const sampled *b, size_t n)
{
    double       cell[VALUES][VALUES] = {{0}}, ra[VALUES] = {0}, cb[VALUES] = {0}, m = 0, sum = 0;
    const size_t na = a->n_codes, nb = b->n_codes;
    size_t       ka = 0, kb = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a->x[i]) || isnan(b->x[i])) continue;
        const size_t u = (size_t)a->x[i], v = (size_t)b->x[i];
        cell[u][v]++, ra[u]++, cb[v]++, m++;
    }
    for (size_t u = 0; u < na; u++)
        for (size_t v = 0; v < nb; v++)
            if (ra[u] > 0 && cb[v] > 0) sum += cell[u][v] * cell[u][v] / (ra[u] * cb[v]);
    for (size_t u = 0; u < na; u++) ka += ra[u] > 0;
    for (size_t v = 0; v < nb; v++) kb += cb[v] > 0;
    const double least = (double)(ka < kb ? ka : kb) - 1;
    return m > 0 && least > 0 ? sqrt(fmax(sum - 1, 0) / least) : 0;
}

/* a is nominal, b a number. */
static double eta(const sampled *a, const sampled *b, size_t n)
{
    double count[VALUES] = {0}, mean[VALUES] = {0}, all = 0, m = 0, total = 0, within = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a->x[i]) || isnan(b->x[i])) continue;
        const size_t v = (size_t)a->x[i];
        mean[v] += (b->x[i] - mean[v]) / ++count[v];
        all += (b->x[i] - all) / ++m;
    }
    for (size_t i = 0; i < n; i++) {
        if (isnan(a->x[i]) || isnan(b->x[i])) continue;
        const double in = b->x[i] - mean[(size_t)a->x[i]], out = b->x[i] - all;
        within += in * in;
        total += out * out;
    }
    const double r = sqrt(fmax(1 - within / total, 0));
    return isfinite(r) ? fmin(r, 1) : 0;
}

static double together(const sampled *a, const sampled *b, size_t n)
{
    const bool na = a->column->kind == HEFT_NOMINAL, nb = b->column->kind == HEFT_NOMINAL;
    if (!na && !nb) return pearson(a->x, b->x, n);
    if (na && nb) return fmin(cramer(a, b, n), 1);
    return na ? eta(a, b, n) : eta(b, a, n);
}

heft_status heft_report_correlations(const heft_page *p)
{
    const size_t all = p->table ? p->table->n_rows : 0, n = all < SAMPLE ? all : SAMPLE;
    sampled     *s;
    size_t       m = 0, attribute[SHOWN];
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, s, SHOWN);
    if (p->table)
        for (size_t k = 0; k < p->n_attr && m < SHOWN && k < 4 * SHOWN; k++) {
            s[m] = (sampled){0};
            HEFT_CHECK(sample(p, p->rank[k], n, &s[m]));
            if (s[m].column && s[m].n_codes <= VALUES) /* more values than that tell nothing */
                attribute[m++] = p->bounds.place[p->rank[k]];
        }
    if (m < 2) {
        heft_json_null(p->out, "correlations");
        return HEFT_OK;
    }
    heft_json_open(p->out, "correlations", '{');
    heft_json_sizes(p->out, "attributes", attribute, m);
    heft_json_open(p->out, "cells", '[');
    for (size_t a = 0; a < m; a++) {
        heft_json_open(p->out, NULL, '[');
        for (size_t b = 0; b < m; b++)
            heft_json_number(p->out, NULL, a == b ? 1 : together(&s[a], &s[b], n));
        heft_json_close(p->out, ']');
    }
    heft_json_put(p->out, "] sampled:b }", n < all);
    return HEFT_OK;
}
