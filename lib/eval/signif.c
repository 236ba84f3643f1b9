/* signif.c - significance tests: paired t over folds, McNemar over rows, ranks over data sets. */
#include "eval/signif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "stats/tails.h"

/* ---- one data set ---- */

heft_difference heft_paired_t(const double *a, const double *b, size_t n, double ratio)
{
    heft_difference out = {.p = 1};
    double          mean = 0, squares = 0, largest = 0;
    for (size_t k = 0; k < n; k++) mean += (a[k] - b[k]) / (double)n;
    for (size_t k = 0; k < n; k++) {
        const double d = a[k] - b[k];
        squares += (d - mean) * (d - mean);
        largest = fmax(largest, fabs(d));
    }
    out.mean = mean;
    if (n < 2 || largest <= HEFT_SAME) return out;
    const double spread = sqrt(squares / (double)(n - 1) * (1 / (double)n + ratio));
    if (spread <= HEFT_SAME * largest) { /* t would be infinite: p counts n equal signs */
        out.t = (double)NAN;
        out.p = ldexp(1, 1 - (int)(n < 2000 ? n : 2000));
        return out;
    }
    out.t = mean / spread;
    out.p = heft_student_p(out.t, (double)(n - 1));
    return out;
}

/* ---- several data sets ---- */

void heft_rank(const double *v, size_t n, double *rank)
{
    for (size_t i = 0; i < n; i++) {
        size_t above = 0, same = 0;
        for (size_t k = 0; k < n; k++) {
            if (fabs(v[k] - v[i]) <= HEFT_SAME) same++;
            else above += v[k] > v[i];
        }
        rank[i] = (double)above + ((double)same + 1) / 2;
    }
}

/* F = (b - 1) between / (total - between) over b data sets. If all data sets have the same order, F
 * is infinite and p counts orders: a data set has k! orders, divided by t! for each group of t
 * ties, and p is the probability that b - 1 data sets all have the order of the first. */
static void f_test(double between, double total, const double *rank, size_t n_sets,
                   size_t n_methods, double *f, double *p)
{
    const double b = (double)n_sets, k = (double)n_methods, rest = total - between;
    const bool   alike = rest <= HEFT_SAME * total;
    double       log_ways = heft_log_gamma(k + 1);
    for (size_t j = 0; j < n_methods; j++) {
        double before = 1; /* position of method j in its group of ties */
        for (size_t i = 0; i < j; i++) before += rank[i] == rank[j];
        log_ways -= log(before);
    }
    *f = alike ? (double)NAN : (b - 1) * between / rest;
    *p = alike ? exp(-(b - 1) * log_ways) : heft_fisher_p(*f, k - 1, (k - 1) * (b - 1));
}

heft_friedman heft_friedman_test(const double *rank, size_t n_sets, size_t n_methods)
{
    heft_friedman out = {.chi2_p = 1, .p = 1};
    const double  b = (double)n_sets, k = (double)n_methods, centre = b * (k + 1) / 2;
    double        between = 0, total = -b * k * (k + 1) * (k + 1) / 4;
    for (size_t j = 0; j < n_methods; j++) {
        double sum = 0;
        for (size_t i = 0; i < n_sets; i++) {
            const double r = rank[i * n_methods + j];
            sum += r;
            total += r * r;
        }
        between += (sum - centre) * (sum - centre);
    }
    if (n_sets < 2 || n_methods < 2 || total <= HEFT_SAME) return out; /* too few, or only ties */
    out.chi2 = (k - 1) * between / total;
    out.chi2_p = heft_chi2_p(out.chi2, k - 1);
    f_test(out.chi2, b * (k - 1), rank, n_sets, n_methods, &out.f, &out.p);
    return out;
}

/* The scores are s_ij = Q_i (rank_ij - (k + 1) / 2), where Q_i is the rank of data set i by its
 * largest difference. F = (b - 1) B / (A - B), where A is the sum of all s_ij^2 and B the sum of
 * the squared column sums, divided by b. */
heft_status heft_quade_test(heft_ctx *ctx, const double *value, const double *rank, size_t n_sets,
                            size_t n_methods, heft_quade *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const double b = (double)n_sets, k = (double)n_methods;
    double      *spread, *weight, *column, total = 0, between = 0;
    *out = (heft_quade){.p = 1};
    HEFT_ALLOCS(ctx, &ctx->scratch, n_sets, spread, weight);
    HEFT_ALLOC(ctx, &ctx->scratch, column, n_methods);
    for (size_t i = 0; i < n_sets; i++) {
        const double *v = value + i * n_methods;
        double        lo = v[0], hi = v[0];
        for (size_t j = 1; j < n_methods; j++) lo = fmin(lo, v[j]), hi = fmax(hi, v[j]);
        spread[i] = lo - hi; /* negative, so that the smallest difference has rank 1 */
    }
    heft_rank(spread, n_sets, weight);
    for (size_t i = 0; i < n_sets; i++)
        for (size_t j = 0; j < n_methods; j++) {
            const double s = weight[i] * (rank[i * n_methods + j] - (k + 1) / 2);
            total += s * s;
            column[j] += s;
        }
    for (size_t j = 0; j < n_methods; j++) between += column[j] * column[j] / b;
    if (n_sets < 2 || n_methods < 2 || total <= HEFT_SAME) return HEFT_OK;
    f_test(between, total, rank, n_sets, n_methods, &out->f, &out->p);
    return HEFT_OK;
}

double heft_nemenyi(size_t k, size_t n, double alpha)
{
    const double m = (double)k;
    if (k < 2 || n < 1) return (double)NAN;
    return heft_range_q(k, alpha) / sqrt(2) * sqrt(m * (m + 1) / (6 * (double)n));
}

bool heft_rank_group(const double *rank, size_t n, double cd, size_t group[2], size_t *first)
{
    for (size_t a = group[0]; a < n; a++) {
        size_t b = a;
        while (b + 1 < n && rank[b + 1] - rank[a] < cd) b++;
        if (b == a || b <= group[1]) continue;
        *first = a;
        group[0] = a + 1;
        group[1] = b;
        return true;
    }
    return false;
}

double heft_mean_rank_p(const double *rank, size_t n_sets, size_t n_methods, size_t j)
{
    const double b = (double)n_sets, centre = ((double)n_methods + 1) / 2;
    double       mean = 0, variance = 0;
    for (size_t i = 0; i < n_sets; i++) {
        mean += rank[i * n_methods + j] / b;
        for (size_t m = 0; m < n_methods; m++) {
            const double d = rank[i * n_methods + m] - centre;
            variance += d * d / (double)n_methods;
        }
    }
    if (variance <= HEFT_SAME) return 0.5; /* all methods are tied on all data sets */
    return heft_normal_p((mean - centre) / (sqrt(variance) / b));
}

/* The ranks of up to EXACT differences, doubled so that they are whole numbers, sum to at most
 * SUMS - 1, and a double holds the number of patterns exactly. */
enum { EXACT = 50, SUMS = EXACT * (EXACT + 1) + 1 };

/* Returns the two-sided p: twice the fraction of the 2^n patterns of signs whose rank sum is at
 * most `sum`. */
static double exact_p(const double *rank, size_t n, double sum)
{
    double ways[SUMS] = {1}, below = 0;
    size_t reach = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t r = (size_t)(2 * rank[i] + 0.5);
        reach += r;
        for (size_t s = reach; s >= r; s--) ways[s] += ways[s - r];
    }
    for (size_t s = 0; (double)s <= 2 * sum + 0.5; s++) below += ways[s];
    return fmin(1, 2 * ldexp(below, -(int)n));
}

heft_status heft_wilcoxon(heft_ctx *ctx, const double *a, const double *b, size_t n, double *p,
                          double *z)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *size, *rank, plus = 0, ties = 0;
    bool   *up;
    size_t  m = 0; /* number of differences other than 0 */
    *p = 1, *z = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, size, rank, up);
    for (size_t i = 0; i < n; i++) {
        const double d = a[i] - b[i];
        if (fabs(d) <= HEFT_SAME) continue;
        up[m] = d > 0;
        size[m++] = -fabs(d); /* so that the smallest has rank 1 */
    }
    if (m == 0) return HEFT_OK;
    heft_rank(size, m, rank);
    for (size_t i = 0; i < m; i++) {
        double same = 0;
        for (size_t k = 0; k < m; k++) same += fabs(size[k] - size[i]) <= HEFT_SAME;
        ties += same * same - 1; /* the sum over a group of t ties is t^3 - t */
        if (up[i]) plus += rank[i];
    }
    const double w = (double)m, all = w * (w + 1) / 2;
    *z = (plus - w * (w + 1) / 4) / sqrt(w * (w + 1) * (2 * w + 1) / 24 - ties / 48);
    *p = m <= EXACT ? exact_p(rank, m, fmin(plus, all - plus)) : erfc(fabs(*z) / sqrt(2));
    return HEFT_OK;
}

void heft_mcnemar(heft_row_tests *t)
{
    enum { MOST_EXACT = 1000 };
    const double b = (double)t->only_first, c = (double)t->only_other;
    t->exact = b + c <= MOST_EXACT;
    t->mcnemar_p = t->exact ? heft_sign_p(t->only_first, 0, t->only_other)
                            : erfc(fmax(fabs(b - c) - 1, 0) / sqrt(2 * (b + c)));
}

double heft_sign_p(size_t wins, size_t ties, size_t losses)
{
    const size_t half = ties / 2, n = wins + losses + 2 * half;
    const size_t more = half + (wins > losses ? wins : losses);
    return n ? fmin(1, 2 * heft_coin_p(more, n)) : 1;
}

double heft_sign_upper_p(size_t wins, size_t ties, size_t losses)
{
    const size_t n = wins + ties + losses;
    return n ? heft_coin_p(wins + (ties + 1) / 2, n) : 1;
}

heft_status heft_holm(heft_ctx *ctx, const double *p, size_t n, double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *order, m = 0;
    double  so_far = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, order, n);
    for (size_t i = 0; i < n; i++) {
        size_t k = m;
        if (isnan(p[i])) continue;
        for (; k > 0 && p[order[k - 1]] > p[i]; k--) order[k] = order[k - 1];
        order[k] = i;
        m++;
    }
    for (size_t i = 0; i < n; i++) out[i] = p[i];
    for (size_t k = 0; k < m; k++) {
        so_far = fmax(so_far, fmin(1, (double)(m - k) * out[order[k]]));
        out[order[k]] = so_far;
    }
    return HEFT_OK;
}

/* ---- permutations ---- */

int heft_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Shuffle the values of each data set. Returns the largest distance of a column mean from `centre`.
 */
static double shuffled_distance(heft_rng *rng, double *value, size_t n_sets, size_t n_methods,
                                double centre, double *sum)
{
    double most = 0;
    memset(sum, 0, n_methods * sizeof *sum);
    for (size_t i = 0; i < n_sets; i++) {
        double *v = value + i * n_methods;
        for (size_t j = n_methods; j-- > 0;) {
            const size_t other = heft_rng_below(rng, j + 1);
            const double x = v[other];
            v[other] = v[j];
            v[j] = x;
            sum[j] += x;
        }
    }
    for (size_t j = 0; j < n_methods; j++)
        most = fmax(most, fabs(sum[j] / (double)n_sets - centre));
    return most;
}

heft_status heft_permutation_bound(heft_ctx *ctx, const double *value, size_t n_sets,
                                   size_t n_methods, double alpha, uint64_t seed, double *half)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double  *copy, *sum, *distance, centre = 0;
    heft_rng rng;
    *half = 0;
    const size_t cells = heft_times(n_sets, n_methods);
    if (cells == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, copy, cells);
    HEFT_ALLOC(ctx, &ctx->scratch, sum, n_methods);
    HEFT_ALLOC(ctx, &ctx->scratch, distance, HEFT_PERMUTATIONS);
    memcpy(copy, value, cells * sizeof *copy);
    for (size_t k = 0; k < cells; k++) centre += value[k] / (double)cells;
    heft_rng_init(&rng, seed, 0);
    for (size_t t = 0; t < HEFT_PERMUTATIONS; t++)
        distance[t] = shuffled_distance(&rng, copy, n_sets, n_methods, centre, sum);
    qsort(distance, HEFT_PERMUTATIONS, sizeof *distance, heft_by_value);
    /* The observed order is one more permutation, so that the bound is the (1 - alpha) (B + 1)-th
     * smallest of B distances. */
    const double place = ceil((1 - alpha) * (HEFT_PERMUTATIONS + 1));
    *half =
        distance[place < HEFT_PERMUTATIONS ? (size_t)fmax(place, 1) - 1 : HEFT_PERMUTATIONS - 1];
    return HEFT_OK;
}
