/* page_values.c - what the values of an attribute say of the classes, how often they occur, and
 * which attributes matter most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "pages/page.h"
#include "prep/numbers.h"

enum { NODES = 9, LOOKED_AT = 200, MOST_CLASSES = 300, MOST_DECIMALS = 6 };
enum { MANY_ATTRS = 15000, LISTED_OF_MANY = 500 };

/* ---- evidence ---- */

/* Shifts the evidence to mean 0 over the classes that the model can predict. */
static void centre(const heft_page *p, double *v)
{
    double sum = 0, n = 0;
    for (size_t c = 0; c < p->K; c++)
        if (isfinite(p->t.start[c])) sum += v[c], n++;
    for (size_t c = 0; c < p->K; c++) v[c] = isfinite(p->t.start[c]) ? v[c] - sum / n : 0;
}

void heft_page_value(const heft_page *p, size_t j, double raw, double *out)
{
    const heft_prep *prep = &p->model->prep;
    const double     cell = heft_prep_cell(prep, j, raw, 1, 0);
    const bool       coded = heft_attr_of(&prep->attr[j]).coded;
    heft_term_value(&p->t, j, coded ? (uint32_t)cell : 0, coded ? (double)NAN : cell, out);
    heft_calibrate_lines(&p->model->calibration, 1, p->K, out);
    centre(p, out);
}

double heft_page_error(const heft_page *p, size_t j, double raw)
{
    const heft_prep *prep = &p->model->prep;
    const double     cell = heft_prep_cell(prep, j, raw, 1, 0);
    const bool       coded = heft_attr_of(&prep->attr[j]).coded;
    if (p->model->calibration.scale) return (double)NAN;
    return HEFT_ERRORS * (p->K == 2 ? 2 : 1) *
           heft_term_error(&p->t.attr[j], coded ? (uint32_t)cell : 0, coded ? (double)NAN : cell);
}

double heft_page_odds(const heft_page *p, size_t j, double raw)
{
    double v[2] = {0, 0};
    heft_page_value(p, j, raw, v);
    return v[p->one] - v[p->zero];
}

/* Returns the size of centred evidence: the mean of |v| over the classes, as inspect has it. */
static double size_of(const heft_page *p, const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < p->K; c++) sum += fabs(v[c]);
    return sum / (double)p->K;
}

/* ---- cells of the table ---- */

/* The cell as it was read: a number, the code of a value with its text, or NaN. */
static double raw_cell(const heft_page *p, size_t i, size_t j, const char **text)
{
    *text = NULL;
    if (!heft_page_has(p, j)) return p->table->sparse ? 0 : (double)NAN;
    return heft_cell_at(&p->cells, j, i, text);
}

double heft_page_cell(const heft_page *p, size_t i, size_t j)
{
    const heft_attr_prep *a = &p->model->prep.attr[j];
    const char           *text;
    const double          x = raw_cell(p, i, j, &text);
    if (!heft_page_has(p, j)) return x;
    const bool nominal = p->table->cols[p->cells.column[j]].kind == HEFT_NOMINAL;
    if (a->kind == HEFT_NUMERIC) return nominal ? (double)NAN : x;
    if (!text) return NAN;
    const uint32_t v = heft_dict_find(a->dict, text, strlen(text));
    return v == HEFT_DICT_NONE ? (double)heft_dict_size(a->dict) + 1 : (double)v;
}

/* ---- how often values occur ---- */

static int by_number(const void *pa, const void *pb)
{
    const double *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

/* Counts numbers in bins of [lo, hi], as shares of all. */
static void bin_numbers(const double *x, size_t n, heft_value_spread *s)
{
    const double width = (s->hi - s->lo) / (double)s->n;
    for (size_t i = 0; i < n; i++) {
        const double at = (x[i] - s->lo) / width;
        if (at >= 0 && at <= (double)s->n)
            s->share[at < (double)s->n ? (size_t)at : s->n - 1] += 1 / (double)n;
    }
}

/* Finds the distribution from a sample of rows, spread evenly over the table. */
static heft_status spread_data(const heft_page *p, size_t j, heft_value_spread *s)
{
    const size_t all = p->table->n_rows, n = all < p->bounds.sample ? all : p->bounds.sample;
    double      *x;
    size_t       m = 0;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, x, n);
    for (size_t r = 0; r < n; r++) {
        const double cell = heft_page_cell(p, (size_t)((double)r * (double)all / (double)n), j);
        if (!isnan(cell)) x[m++] = cell;
    }
    if (!m) return HEFT_OK;
    s->from_data = true;
    s->m = m;
    if (!heft_page_number(p, j)) {
        for (size_t i = 0; i < m; i++)
            if (x[i] < (double)s->n) s->share[(size_t)x[i]] += 1 / (double)m;
        return HEFT_OK;
    }
    qsort(x, m, sizeof *x, by_number);
    s->x = x;
    s->least = s->lo = x[0];
    s->most = s->hi = x[m - 1];
    s->usual = x[m / 2];
    if (x[m - 1 - m / 100] > x[m / 100]) s->lo = x[m / 100], s->hi = x[m - 1 - m / 100];
    if (!(s->hi > s->lo)) s->lo -= 0.5, s->hi += 0.5;
    bin_numbers(x, m, s);
    return HEFT_OK;
}

/* Share of the training rows with line v of a table; NaN: not known. */
static double line_share(const heft_page *p, size_t j, size_t v, const double *prior,
                         const double *log_mass)
{
    const heft_term *term = &p->t.attr[j];
    double           sum = 0;
    if (p->t.share) return p->t.share[j][v];
    if (!term->lik || term->lik->kind != HEFT_LIK_TABLE) return NAN;
    for (size_t c = 0; c < p->K; c++)
        if (prior[c] > 0) sum += prior[c] * exp(term->lik->table[v * p->K + c] - log_mass[c]);
    return sum;
}

/* Distributes the share of an interval, which reaches from `from` to `to`, over the bins it covers.
 */
static void spread_interval(heft_value_spread *s, double from, double to, double share)
{
    const double width = (s->hi - s->lo) / (double)s->n;
    for (size_t b = 0; b < s->n; b++) {
        const double lo = s->lo + (double)b * width;
        const double part = fmin(to, lo + width) - fmax(from, lo);
        if (part > 0 && to > from) s->share[b] += share * part / (to - from);
    }
}

/* Finds the shares of intervals between cuts, or of values, from the tables of the model. */
static void spread_lines(const heft_page *p, size_t j, const double *prior, const double *log_mass,
                         heft_value_spread *s)
{
    const heft_term      *term = &p->t.attr[j];
    const heft_attr_prep *a = &p->model->prep.attr[j];
    const bool            numbers = heft_page_number(p, j);
    const size_t          n = numbers ? term->n_cuts + 1 : s->n;
    const uint32_t        zero = a->cut ? heft_zero_interval(&p->model->prep, j) : 0;
    for (size_t v = 0; v < n; v++) {
        const size_t line =
            numbers && p->model->prep.sparse ? heft_swap_zero((uint32_t)v, zero) : v;
        const double share = line_share(p, j, line, prior, log_mass);
        if (isnan(share)) return;
        if (!numbers) s->share[v] = share;
        else
            spread_interval(s, v ? term->cuts[v - 1] / a->factor + a->shift : s->lo,
                            v < term->n_cuts ? term->cuts[v] / a->factor + a->shift : s->hi, share);
    }
}

static void spread_density(const heft_page *p, size_t j, const double *prior, double *v,
                           heft_value_spread *s)
{
    const heft_attr_prep *a = &p->model->prep.attr[j];
    double                total = 0;
    for (size_t b = 0; b < s->n; b++) {
        const double x = s->lo + (s->hi - s->lo) * ((double)b + 0.5) / (double)s->n;
        heft_lik_number(p->t.attr[j].lik, p->K, heft_scaled(a, x), v);
        for (size_t c = 0; c < p->K; c++) s->share[b] += prior[c] * exp(fmin(v[c], 700));
        total += s->share[b];
    }
    if (total > 0)
        for (size_t b = 0; b < s->n; b++) s->share[b] /= total;
}

/* Finds the range of numbers that the model knows: its cuts, or two standard deviations around the
 * means. */
static void model_range(const heft_page *p, size_t j, heft_value_spread *s)
{
    const heft_term      *term = &p->t.attr[j];
    const heft_attr_prep *a = &p->model->prep.attr[j];
    double                lo = INFINITY, hi = -INFINITY;
    if (term->n_cuts) {
        lo = term->cuts[0];
        hi = term->cuts[term->n_cuts - 1];
        if (term->n_cuts < 20) { /* the ends are intervals too */
            const double pad = hi > lo ? (hi - lo) / (double)term->n_cuts : fmax(fabs(lo), 1) / 4;
            lo -= pad, hi += pad;
        }
    } else if (term->lik && term->numeric) {
        for (size_t c = 0; c < p->K; c++) {
            double from, to;
            if (!isfinite(p->t.start[c]) || !heft_term_span(term, c, 2, &from, &to)) continue;
            lo = fmin(lo, from);
            hi = fmax(hi, to);
        }
    } else if (term->slope && term->sd > 0) {
        lo = term->mean - 2 * term->sd;
        hi = term->mean + 2 * term->sd;
    }
    if (!isfinite(lo) || !isfinite(hi)) lo = 0, hi = 1;
    s->least = s->lo = lo / a->factor + a->shift;
    s->most = s->hi = hi / a->factor + a->shift;
    if (!(s->hi > s->lo)) s->lo -= 0.5, s->hi += 0.5;
    s->usual =
        term->n_cuts ? term->cuts[term->n_cuts / 2] / a->factor + a->shift : (s->lo + s->hi) / 2;
}

static heft_status spread_model(const heft_page *p, size_t j, heft_value_spread *s)
{
    const heft_term *term = &p->t.attr[j];
    double          *prior, *log_mass, *v;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->K, prior, log_mass, v);
    heft_terms_prior(&p->t, prior);
    if (heft_page_number(p, j)) model_range(p, j, s);
    if (term->lik && term->lik->kind == HEFT_LIK_TABLE)
        for (size_t c = 0; c < p->K; c++) log_mass[c] = heft_term_log_mass(term, p->K, c);
    if (term->lik && term->numeric && !heft_term_silent(term)) spread_density(p, j, prior, v, s);
    else if (p->t.share || term->lik) spread_lines(p, j, prior, log_mass, s);
    return HEFT_OK;
}

heft_status heft_page_spread(const heft_page *p, size_t j, heft_value_spread *s)
{
    const heft_attr_prep *a = &p->model->prep.attr[j];
    const bool            unit = p->model->prep.spec.scaling == HEFT_SCALE_UNIT;
    *s =
        (heft_value_spread){.n = heft_page_number(p, j) ? HEFT_PAGE_BINS : heft_dict_size(a->dict)};
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, s->share, s->n);
    if (p->table && heft_page_has(p, j) && !unit) HEFT_CHECK(spread_data(p, j, s));
    if (!s->from_data) HEFT_CHECK(spread_model(p, j, s));
    double sum = 0, best = -1;
    for (size_t v = 0; v < s->n; v++) sum += s->share[v];
    if (!heft_page_number(p, j))
        for (size_t v = 0; v < s->n; v++)
            if (s->share[v] > best) best = s->share[v], s->usual = (double)v;
    if (!(sum > 0)) s->share = NULL;
    return HEFT_OK;
}

/* ---- numbers that occur ---- */

size_t heft_page_occurring(const heft_value_spread *s, size_t most, double *out, bool *all)
{
    size_t n = 0;
    for (size_t i = 0; i < s->m; i++)
        if (i == 0 || s->x[i] != s->x[i - 1]) {
            if (n < most) out[n] = s->x[i];
            n++;
        }
    *all = n <= most;
    if (*all || most < 2) return n < most ? n : most;
    n = 0;
    for (size_t k = 0; k < most; k++) {
        const double x = s->x[k * (s->m - 1) / (most - 1)];
        if (n == 0 || x != out[n - 1]) out[n++] = x;
    }
    return n;
}

size_t heft_page_decimals(const heft_value_spread *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->m; i++)
        for (; n <= MOST_DECIMALS; n++) {
            const double x = s->x[i] * pow(10, (double)n);
            if (fabs(x - nearbyint(x)) <= 1e-9 * fmax(fabs(x), 1)) break;
        }
    return s->m && n <= MOST_DECIMALS ? n : SIZE_MAX;
}

/* ---- importance ---- */

static double table_size(const heft_page *p, size_t j, const double *prior, double *mass, double *v)
{
    const heft_term *term = &p->t.attr[j];
    double           sum = 0;
    for (size_t c = 0; c < p->K; c++) mass[c] = heft_term_log_mass(term, p->K, c);
    for (size_t x = 0; x < term->n_codes; x++) {
        heft_term_value(&p->t, j, (uint32_t)x, NAN, v);
        heft_calibrate_lines(&p->model->calibration, 1, p->K, v);
        centre(p, v);
        sum += line_share(p, j, x, prior, mass) * size_of(p, v);
    }
    return sum;
}

/* The mean over equally likely numbers of each class. Each number costs a score of every class, so
 * of very many classes only some are looked at, evenly spread. */
static double density_size(const heft_page *p, size_t j, const double *prior, double *v)
{
    static const double at[NODES] = {-1.593, -0.967, -0.589, -0.282, 0, 0.282, 0.589, 0.967, 1.593};
    const heft_term    *term = &p->t.attr[j];
    const size_t        step = (p->K - 1) / MOST_CLASSES + 1;
    double              sum = 0, weight = 0, mean, sd;
    for (size_t c = 0; c < p->K; c += step) {
        weight += prior[c];
        if (!(prior[c] > 0) || !heft_term_moments(term, c, &mean, &sd)) continue;
        for (size_t k = 0; k < NODES; k++) {
            heft_term_value(&p->t, j, 0, mean + sd * at[k], v);
            heft_calibrate_lines(&p->model->calibration, 1, p->K, v);
            centre(p, v);
            sum += prior[c] / NODES * size_of(p, v);
        }
    }
    if (step > 1) sum /= weight;
    return isfinite(sum) ? sum : 0;
}

static heft_status size_by_model(heft_page *p)
{
    double *prior, *mass, *v;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->K, prior, mass, v);
    heft_terms_prior(&p->t, prior);
    p->by = HEFT_BY_EVIDENCE;
    for (size_t j = 0; j < p->n_attr; j++) {
        const heft_term *term = &p->t.attr[j];
        if (p->t.size) p->matter[j] = p->t.size[j];
        else if (heft_term_silent(term) || !term->lik) p->matter[j] = 0;
        else
            p->matter[j] =
                term->numeric ? density_size(p, j, prior, v) : table_size(p, j, prior, mass, v);
        if (j % 1024 == 0) HEFT_CHECK(heft_check_cancel(p->ctx));
    }
    return HEFT_OK;
}

/* Ranks the attributes of methods that split the score of a row, by rows of the table. */
static heft_status size_by_rows(heft_page *p)
{
    heft_status   st = HEFT_OK;
    const size_t  all = p->table->n_rows, n = all < LOOKED_AT ? all : LOOKED_AT;
    heft_prepared prepared = {0};
    HEFT_TRY(heft_prep_apply(p->ctx, &p->model->prep, p->table, &prepared));
    for (size_t r = 0; r < n; r++) {
        HEFT_SCRATCH_SCOPE(p->ctx);
        heft_row_evidence e;
        HEFT_TRY(heft_terms_row(p->ctx, &p->t, &prepared.rows, r * all / n, &e));
        for (size_t j = 0; j < p->n_attr; j++) {
            double *v = e.parts + (1 + j) * p->K;
            centre(p, v);
            p->matter[j] += size_of(p, v) / (double)n;
        }
    }
    p->by = HEFT_BY_EVIDENCE;
done:
    heft_prepared_clear(&prepared);
    if (st != HEFT_EUNSUPPORTED) return st;
    memset(p->matter, 0, p->n_attr * sizeof *p->matter);
    return HEFT_OK;
}

/* Lists all attributes, or of very many the most important. */
static heft_status list_attributes(heft_page *p)
{
    heft_page_bounds *b = &p->bounds;
    const size_t      n = p->n_attr > MANY_ATTRS ? LISTED_OF_MANY : p->n_attr;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->n_attr, b->listed, b->place);
    for (size_t j = 0; j < p->n_attr; j++) b->place[j] = SIZE_MAX;
    for (size_t k = 0; k < n; k++) b->place[p->rank[k]] = 0;
    for (size_t j = 0; j < p->n_attr; j++)
        if (b->place[j] == 0) b->listed[b->place[j] = b->n_listed++] = j;
    return HEFT_OK;
}

heft_status heft_page_rank(heft_page *p)
{
    heft_attr_rank *order;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->n_attr, p->matter, p->rank);
    HEFT_CHECK(heft_rank_attributes(p->ctx, &p->t, &order, &p->differ));
    if (p->additive) HEFT_CHECK(size_by_model(p));
    else if (p->table && p->table->n_rows && !p->t.class_pair && p->model->method->parts)
        HEFT_CHECK(size_by_rows(p));
    if (p->by == HEFT_BY_NOTHING && p->n_attr && p->t.attr[0].lik) {
        p->by = HEFT_BY_BITS;
        for (size_t k = 0; k < p->n_attr; k++) p->matter[order[k].j] = order[k].bits;
    }
    if (p->model->fitted.importance) p->by = HEFT_BY_LOSS;
    for (size_t k = 0; k < p->n_attr; k++)
        order[k] = (heft_attr_rank){order[k].j, heft_page_importance(p, order[k].j), 0};
    if (p->n_attr) qsort(order, p->n_attr, sizeof *order, heft_attr_rank_compare);
    HEFT_CHECK(heft_rank_noise_last(p->ctx, &p->t, order));
    for (size_t k = 0; k < p->n_attr; k++) p->rank[k] = order[k].j;
    return list_attributes(p);
}
