/* likelihood.c - log P(x_j | c): smoothed tables, normals with point masses, the rounded normal of
 * Weka's NaiveBayes, and flexible (kernel) naive Bayes; priors.
 *
 * Rounded: precision q = mean gap between consecutive distinct training values (0.01 for a single
 * one); training and query values are rounded to multiples of q; population standard deviation, at
 * least q/6; P(x|c) = Phi((x - mean + q/2)/sd) - Phi((x - mean - q/2)/sd), at least 1e-75.
 *
 * Kernel: P(x|c) = 1/(n_c h sqrt(2 pi)) sum_i exp(-(x - x_i)^2 / (2 h^2)), h = 1/sqrt(n_c): the
 * bandwidth is in units of the data, which belong on [0, 1] (--scale minmax). Equal values are kept
 * once with their weight. */
#include "model/likelihood.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/setting_words.h"
#include "base/text.h"
#include "decide/class_weight.h"

static const double LOG_TWO_PI_HALF = 0.91893853320467274178; /* log sqrt(2 pi) */
static const double LOG_OFF_POINT = -23.02585092994045684;    /* log 1e-10: a point mass missed */
static const double WIDEST_Z = 1e140; /* largest |x - mean| / sd that is used; its
                                         square is finite */

/* ---- words ---- */

heft_status heft_smoothing_parse(heft_ctx *ctx, const char *text, heft_smoothing *out)
{
    size_t      kind = 0; /* laplace, paper, m:VALUE */
    const char *mass;
    HEFT_CHECK(heft_setting_choose(ctx, "smoothing", text, &kind, &mass));
    *out = (heft_smoothing){.laplace = kind == 0, .mass = 1};
    if (!mass || (heft_parse_double(mass, mass + strlen(mass), &out->mass) == HEFT_NUM_OK &&
                  out->mass > 0 && out->mass <= 1e12))
        return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "{smoothing}: '%.80s' needs a number above 0, such as {smoothing=m:0.5}",
                     text);
}

/* Parse CLASS=P,...; the classes that are not named get equal parts of the rest of 1. */
static heft_status parse_given(heft_ctx *ctx, const char *text, const heft_dict *classes,
                               heft_arena *arena, heft_prior_spec *out)
{
    static const heft_class_list priors = {"{prior}", "CLASS=P with P between 0 and 1", 1};
    const size_t                 K = heft_dict_size(classes);
    size_t                       unnamed = 0;
    double                       sum;
    HEFT_ALLOC(ctx, arena, out->given, K);
    HEFT_CHECK(heft_class_list_parse(ctx, &priors, text, classes, out->given, &sum));
    for (size_t c = 0; c < K; c++) unnamed += out->given[c] < 0;
    if (sum > 1 + 1e-9 || (unnamed == 0 && sum < 1 - 1e-9))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{prior}: the probabilities sum to %.10g, not 1 (classes that are left "
                         "out share the rest)",
                         sum);
    for (size_t c = 0; c < K; c++)
        if (out->given[c] < 0) out->given[c] = fmax(0, 1 - sum) / (double)unnamed;
    return HEFT_OK;
}

heft_status heft_prior_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                             heft_arena *arena, heft_prior_spec *out)
{
    size_t kind = HEFT_PRIOR_SMOOTHED; /* the words are in the order of the enum */
    if (text && strchr(text, '=')) {
        *out = (heft_prior_spec){HEFT_PRIOR_GIVEN, NULL};
        return classes ? parse_given(ctx, text, classes, arena, out) : HEFT_OK;
    }
    HEFT_CHECK(heft_setting_choose(ctx, "prior", text, &kind, NULL));
    *out = (heft_prior_spec){(heft_prior_kind)kind, NULL};
    return HEFT_OK;
}

double heft_smooth(const heft_smoothing *s, double n, double n_c, double v)
{
    return s->laplace ? (n + 1) / (n_c + v) : (n + s->mass / v) / (n_c + s->mass);
}

/* ---- tables ---- */

/* Fill in the table of one coded attribute from the counts `cell`. `table` has space for (n_codes +
 * 2) x K numbers. */
static void fit_table(const heft_attr *attr, const double *cell, size_t K,
                      const heft_smoothing *smoothing, double *table, heft_lik *lik)
{
    const size_t V = attr->n_codes;
    lik->kind = HEFT_LIK_TABLE;
    lik->n_codes = attr->n_codes;
    lik->silent = V <= 1; /* one value: log 1 in every class */
    lik->table = table;
    for (size_t c = 0; c < K; c++) {
        double present = 0; /* rows of class c in which the attribute is present */
        for (size_t v = 0; v < V; v++) present += cell[v * K + c];
        for (size_t v = 0; v < V; v++)
            lik->table[v * K + c] =
                log(heft_smooth(smoothing, cell[v * K + c], present, (double)V));
        /* Line V, for missing cells, stays 0. Line V + 1 is for a value that no row has. */
        lik->table[(V + 1) * K + c] =
            V > 1 ? log(heft_smooth(smoothing, 0, present, (double)V)) : 0;
    }
}

/* ---- normals ---- */

/* Mean and n-1 standard deviation of each class; a class whose observed values are all equal is a
 * point mass (sd = 0); a class without observed values borrows the normal of all classes; otherwise
 * the variance is floored at 1e-9 of the attribute's over all rows. */
static void fit_normal(const heft_moments *m, size_t K, double *space, heft_lik *lik)
{
    const double all = m->sd[K], floor_sd = all * HEFT_LEAST_SD;
    lik->kind = HEFT_LIK_NORMAL;
    lik->silent = m->unlike[K] == 0; /* the attribute is constant over all rows: it gives no
                                        evidence, whatever x is */
    lik->mean = space;
    lik->sd = space + K;
    for (size_t c = 0; c < K; c++) {
        const size_t from = m->n[c] > 0 ? c : K;
        const bool   point = m->unlike[from] == 0;
        lik->mean[c] = point ? m->first[from] : m->mean[from];
        lik->sd[c] = point ? 0 : fmax(fmax(m->sd[from], floor_sd), DBL_MIN);
    }
}

static void normal_at(const heft_lik *lik, size_t K, double x, double *out)
{
    for (size_t c = 0; c < K; c++) {
        if (lik->sd[c] == 0) {
            out[c] = x == lik->mean[c] ? 0 : LOG_OFF_POINT;
        } else {
            const double z = fmin(fabs(x - lik->mean[c]) / lik->sd[c], WIDEST_Z);
            out[c] = -LOG_TWO_PI_HALF - log(lik->sd[c]) - 0.5 * z * z;
        }
    }
}

/* Whether the attribute is constant over all rows; it then gives no evidence, whatever x is. */
static bool all_equal(const heft_values *v, size_t K)
{
    for (size_t k = 1; k < v->start[K]; k++)
        if (v->x[k] != v->x[0]) return false;
    return true;
}

/* ---- rounded normal ---- */

static double to_multiple(double x, double q)
{
    const double r = nearbyint(x / q) * q;
    return isfinite(r) ? r : x;
}

/* The mean gap between neighbours among all distinct values, summed gap by gap as Weka does: values
 * that lie half-way between two multiples of it go up or down by its last bit. */
static heft_status precision_of(heft_ctx *ctx, const heft_values *v, size_t K, double *out)
{
    double *x;
    size_t  n;
    HEFT_CHECK(heft_values_all(ctx, v, K, &x, &n));
    double sum = 0;
    for (size_t i = 1; i < n; i++) sum += x[i] - x[i - 1];
    *out = sum / (double)(n > 1 ? n - 1 : 1);
    if (isinf(sum)) *out = x[n - 1] / (double)(n - 1) - x[0] / (double)(n - 1);
    if (!(*out > 0)) *out = 0.01; /* one value, or neighbours closer than a double can tell */
    *out = fmax(*out, DBL_MIN);
    return HEFT_OK;
}

static heft_status fit_rounded(heft_ctx *ctx, const heft_values *v, size_t K, heft_arena *arena,
                               heft_lik *lik)
{
    const size_t n = v->start[K];
    double       widest = 0;
    lik->kind = HEFT_LIK_ROUNDED;
    lik->silent = all_equal(v, K);
    HEFT_CHECK(precision_of(ctx, v, K, &lik->precision));
    HEFT_ALLOCS(ctx, arena, K, lik->mean, lik->sd);
    for (size_t k = 0; k < n; k++) widest = fmax(widest, fabs(v->x[k]));
    const double scale = widest > 1e140 ? 0x1p-600 : 1; /* so that squares do not overflow */
    for (size_t c = 0; c < K; c++) {
        double weight = 0, sum = 0, squares = 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            weight += v->w[k];
            sum += v->w[k] * (to_multiple(v->x[k], lik->precision) * scale);
        }
        const double mean = weight > 0 ? sum / weight : 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            const double d = to_multiple(v->x[k], lik->precision) * scale - mean;
            squares += v->w[k] * d * d;
        }
        lik->sd[c] = fmax(weight > 0 ? sqrt(squares / weight) / scale : 0, lik->precision / 6);
        lik->sd[c] = fmax(lik->sd[c], DBL_MIN);
        lik->mean[c] = mean / scale;
    }
    return HEFT_OK;
}

static double upper_tail(double z)
{
    return 0.5 * erfc(z * 0.70710678118654752440);
}

static void rounded_at(const heft_lik *lik, size_t K, double x, double *out)
{
    const double q = lik->precision, r = to_multiple(x, q);
    for (size_t c = 0; c < K; c++) {
        const double d = r - lik->mean[c], lo = (d - q / 2) / lik->sd[c],
                     hi = (d + q / 2) / lik->sd[c];
        /* A difference of two tails is exact only where both are small, so the side is chosen. */
        const double p =
            lo > 0 ? upper_tail(lo) - upper_tail(hi) : upper_tail(-hi) - upper_tail(-lo);
        out[c] = log(fmax(p, 1e-75));
    }
}

/* ---- kernels ---- */

static heft_status fit_kernel(heft_ctx *ctx, const heft_values *v, size_t K, heft_arena *arena,
                              heft_lik *lik)
{
    const size_t n = v->start[K];
    lik->kind = HEFT_LIK_KERNEL;
    lik->silent = all_equal(v, K);
    HEFT_ALLOC(ctx, arena, lik->start, K + 1);
    HEFT_ALLOCS(ctx, arena, n, lik->point, lik->log_mass);
    HEFT_ALLOC(ctx, arena, lik->width, K);
    for (size_t c = 0; c < K; c++) {
        double total = 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) total += v->w[k];
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            lik->point[k] = v->x[k];
            lik->log_mass[k] = log(v->w[k] / total);
        }
        lik->start[c + 1] = v->start[c + 1];
        lik->width[c] = total > 0 ? 1 / sqrt(total) : 1; /* h = 1/sqrt(n_c) */
    }
    return HEFT_OK;
}

/* The kernel of class c. Its arrays belong to `lik`. */
static heft_kernel kernel_of(const heft_lik *lik, size_t c)
{
    const size_t at = lik->start[c];
    if (lik->kernel) return lik->kernel[c];
    return (heft_kernel){.n = lik->start[c + 1] - at,
                         .point = lik->point + at,
                         .log_mass = lik->log_mass + at,
                         .h = lik->width[c]};
}

heft_status heft_lik_seal(heft_ctx *ctx, size_t n_class, heft_arena *arena, heft_lik *lik)
{
    heft_kernel *kernel;
    if (lik->kind != HEFT_LIK_KERNEL || lik->silent) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, kernel, n_class);
    for (size_t c = 0; c < n_class; c++) {
        kernel[c] = kernel_of(lik, c);
        HEFT_CHECK(heft_kernel_seal(ctx, arena, &kernel[c]));
    }
    lik->kernel = kernel;
    return HEFT_OK;
}

static void kernel_at(const heft_lik *lik, size_t K, double x, double *out)
{
    double mean = 0, n = 0;
    for (size_t c = 0; c < K; c++) {
        const heft_kernel kernel = kernel_of(lik, c);
        if (!kernel.n) continue;
        out[c] = heft_kernel_log_sum(&kernel, x) - LOG_TWO_PI_HALF - log(kernel.h);
        mean += out[c];
        n++;
    }
    /* A class without observed values gets the mean of the others, so that the attribute gives no
     * evidence for or against it. */
    for (size_t c = 0; c < K; c++)
        if (lik->start[c + 1] == lik->start[c]) out[c] = mean / n;
}

/* ---- all numeric attributes ---- */

/* Fill liks[j] of every numeric attribute by `kind` (ROUNDED or KERNEL). The values are taken from
 * `known`, which may be NULL, where it has them, and from the rows otherwise. */
static heft_status fit_densities(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                                 heft_lik_kind kind, heft_arena *arena, heft_lik *liks)
{
    const size_t       K = rows->n_class;
    const heft_values *values = known ? known->values : NULL;
    heft_value_reader  reader;
    if (!values) HEFT_CHECK(heft_values_begin(ctx, rows, &reader));
    for (size_t j = 0; j < rows->n_attr; j++) {
        HEFT_LOCAL(heft_arena) space = {0};
        heft_values            own;
        if (rows->attr[j].coded) continue;
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
        if (!values) HEFT_CHECK(heft_values_of(ctx, &reader, j, &space, &own));
        if (!values) HEFT_CHECK(heft_values_merge(ctx, K, &space, &own));
        HEFT_CHECK((kind == HEFT_LIK_ROUNDED ? fit_rounded : fit_kernel)(
            ctx, values ? &values[j] : &own, K, arena, &liks[j]));
    }
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_likelihoods(heft_ctx *ctx, const heft_lik_source *from, heft_arena *arena,
                             heft_lik **out)
{
    const heft_rows *rows = from->rows;
    const size_t     K = rows->n_class;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    size_t        n_numeric = 0, lines = 0;
    heft_moments *moments = NULL;
    double       *space;
    HEFT_ALLOC(ctx, arena, *out, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (rows->attr[j].coded) lines += (size_t)rows->attr[j].n_codes + 2;
        else n_numeric++;
    }
    HEFT_ALLOC(ctx, arena, space, lines * K); /* one block: there may be a million attributes */
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (!rows->attr[j].coded) continue;
        fit_table(&rows->attr[j], from->counts->cell[j], K, &from->smoothing, space, *out + j);
        space += ((size_t)rows->attr[j].n_codes + 2) * K;
    }
    if (!n_numeric) return HEFT_OK;
    if (from->density != HEFT_LIK_NORMAL)
        return fit_densities(ctx, rows, from->known, from->density, arena, *out);
    HEFT_ALLOC(ctx, arena, space, n_numeric * 2 * K);
    HEFT_CHECK(heft_known_moments(ctx, rows, from->known, &ctx->scratch, &moments));
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (rows->attr[j].coded) continue;
        fit_normal(&moments[j], K, space, *out + j);
        space += 2 * K;
    }
    return HEFT_OK;
}

heft_status heft_log_prior(heft_ctx *ctx, const heft_counts *counts, bool leave_out_empty,
                           const heft_smoothing *smoothing, const heft_prior_spec *prior,
                           heft_arena *arena, double **out)
{
    const size_t K = counts->n_class;
    double       sum = 0;
    HEFT_ALLOC(ctx, arena, *out, K);
    for (size_t c = 0; c < K; c++) {
        const double n = counts->class_sum[c];
        double       p = n / counts->total; /* HEFT_PRIOR_FREQUENCY */
        if (!(n > 0) && leave_out_empty) p = 0;
        else if (prior->kind == HEFT_PRIOR_SMOOTHED)
            p = heft_smooth(smoothing, n, counts->total, (double)K);
        else if (prior->kind == HEFT_PRIOR_UNIFORM) p = 1 / (double)K;
        else if (prior->kind == HEFT_PRIOR_GIVEN) p = prior->given[c];
        (*out)[c] = p > 0 ? log(p) : -INFINITY;
        sum += p;
    }
    if (sum > 0) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "{prior}: every class that occurs has probability 0 (give one of them a "
                     "probability above 0)");
}

void heft_lik_number(const heft_lik *lik, size_t n_class, double x, double *out)
{
    if (isnan(x) || lik->silent) memset(out, 0, n_class * sizeof *out);
    else if (lik->kind == HEFT_LIK_NORMAL) normal_at(lik, n_class, x, out);
    else if (lik->kind == HEFT_LIK_ROUNDED) rounded_at(lik, n_class, x, out);
    else kernel_at(lik, n_class, x, out);
}

const double *heft_lik_code(const heft_lik *lik, size_t n_class, uint32_t code)
{
    return lik->table + (code <= lik->n_codes + 1 ? code : lik->n_codes) * n_class;
}
