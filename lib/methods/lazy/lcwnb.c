/* lcwnb.c - lazy cell-weighted naive Bayes. Li and Li, Locally Weighted Learning for Naive Bayes
 * Classifier. For each query x*, with H the Hamming distance to it:
 *
 *   V_l(y)  rows of class y at distance l                                             step 1
 *   w       a row of class y weighs gamma_y^H, 0^0 = 1                                3.1
 *   gamma   S_y = sum_l V_l(y) gamma_y^l = min(max(V_0(y), kappa), rows of y)         3.2
 *   T_yi    weight of the rows of y that agree with x* on attribute i                 step 3
 *   rho     = sum_y S_y / sum_y sum_l V_l(y) gamma_y^(2l)                             3.3
 *   Q(y)    = (1 + rho S_y) prod_i (1 + rho T_yi)/(q_i + rho S_y)                     step 5
 *
 * DEVIATION: step 4 of the printed algorithm leaves out the sum over classes in rho; the text
 * of 3.3 has it, and only with it do the paper's figures come out (bench/papers/run 002 table2).
 * kappa=auto is LCWNB*: 20, 10 or 5 by the number of attributes. The paper's rule counts the class
 * among them: 20 below 15, 10 for 15 and 16, 5 above. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "learn/basis.h"
#include "methods/lazy/local.h"

static const heft_option options_lcwnb[] = {
    HEFT_OPT_ABOVE_OR("auto", "kappa", "5", 0, INFINITY,
                      "total weight of the rows of each class to learn from; auto: 20, 10 or 5 by "
                      "the number of attributes (LCWNB*)"),
    HEFT_CONSTANT_OPTION,
    HEFT_OPT_END,
};

enum { MOST_STEPS = 100, KAPPA = 0 }; /* KAPPA is the index of its setting */

/* ---- gamma ---- */

/* Queries are taken four at a time; they do not influence one another. */
enum { FOUR = 4, FOURS = HEFT_PROBE / FOUR };
typedef double  four __attribute__((vector_size(FOUR * sizeof(double))));
typedef int64_t flags __attribute__((vector_size(FOUR * sizeof(int64_t)))); /* -1: yes */

/* a where yes, b elsewhere. */
#define CHOSEN(yes, a, b) ((four)(((yes) & (flags)(a)) | (~(yes) & (flags)(b))))

/* x = the first four of a line, of which there are n. */
HEFT_INLINE void load(size_t n, const double *line, four *x)
{
    *x = (four){0, 0, 0, 0};
    memcpy(x, line, (n < FOUR ? n : FOUR) * sizeof *line);
}

/* S and its derivative at gamma for n queries at once; level has lines of n. */
HEFT_INLINE void polynomial(size_t n, const double *level, size_t m, const four *gamma, four *s,
                            four *slope)
{
    for (size_t k = 0; k < FOURS; k++) s[k] = slope[k] = (four){0, 0, 0, 0};
    for (size_t l = m + 1; l-- > 0;)
        for (size_t k = 0; k * FOUR < n; k++) {
            four rows;
            load(n, level + l * n + k * FOUR, &rows);
            slope[k] = slope[k] * gamma[k] + s[k];
            s[k] = s[k] * gamma[k] + rows;
        }
}

/* next = one step down from above the root of S = kappa. With d = gamma S'/S the polynomial is
 * locally gamma^d, so that the step is gamma (kappa/S)^(1/d); since log S is convex in log gamma it
 * does not pass the root. For d >= 1 the power is replaced by its Pade approximant, which is larger
 * and thus safe; below, Newton's step is (S is convex). */
HEFT_INLINE void step_down(const four *gamma, const four *s, const four *slope, double kappa,
                           four *next)
{
    const four excess = (*s - kappa) / *s, p = *s / (*gamma * *slope);
    const four pade = (1 - 0.5 * excess * (1 + p)) / (1 - 0.5 * excess * (1 - p));
    const four newton = 1 - excess * p;
    *next = *gamma * CHOSEN(p <= 1, pade, newton);
}

/* Chooses gamma of class y for each query: 0 if the query has kappa copies, 1 if there are no more
 * than kappa rows, otherwise the root of S = kappa. */
HEFT_INLINE void choose_gamma(size_t n, const double *level, size_t m, double rows, double kappa,
                              double *gamma)
{
    four  g[FOURS], s[FOURS], slope[FOURS];
    flags open[FOURS], none = {0, 0, 0, 0};
    for (size_t k = 0; k < FOURS; k++) g[k] = (four){1, 1, 1, 1};
    polynomial(n, level, m, g, s, slope);
    for (size_t k = 0; k * FOUR < n; k++) {
        four copies;
        load(n, level + k * FOUR, &copies);
        open[k] = rows > kappa ? (copies < kappa) & (slope[k] > 0) : none;
        g[k] = CHOSEN(copies >= kappa, none, g[k]);
        for (size_t q = 0; q < FOUR; q++)
            if (open[k][q]) g[k][q] = exp(log(kappa / rows) * rows / slope[k][q]);
    }
    for (int step = 0; step < MOST_STEPS; step++) {
        flags going = {0, 0, 0, 0};
        for (size_t k = 0; k * FOUR < n; k++) going |= open[k];
        if (!(going[0] | going[1] | going[2] | going[3])) break;
        polynomial(n, level, m, g, s, slope);
        for (size_t k = 0; k * FOUR < n; k++) {
            four next;
            step_down(&g[k], &s[k], &slope[k], kappa, &next);
            const flags lower = open[k] & (next < g[k]);
            open[k] = lower & (s[k] - kappa > 1e-8 * kappa); /* the error is squared */
            g[k] = CHOSEN(lower, next, g[k]);
        }
    }
    memcpy(gamma, g, n * sizeof *gamma);
}

/* Chooses gamma for all queries of a probe. */
HEFT_WIDE_AVX2 static void choose_gammas(const double *level, size_t m, double rows, double kappa,
                                         double *gamma)
{
    choose_gamma(HEFT_PROBE, level, m, rows, kappa, gamma);
}

/* ---- queries ---- */

/* The weights gamma^l of the levels that have rows; returns S and adds sum_l V_l gamma^(2l). */
HEFT_INLINE double powers(const double *level, size_t stride, size_t m, double gamma,
                          double *weight, double *square)
{
    double w = 1, s = 0, squares = 0;
    for (size_t l = 0; l <= m; l++) {
        const double rows = level[l * stride];
        weight[l] = rows > 0 ? w : 0;
        s += rows * w;
        squares += rows * w * w;
        w *= gamma;
    }
    *square += squares;
    return s;
}

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_asking     *job = arg;
    const heft_neighbours *nb = &job->own->nb;
    const size_t           m = nb->n_attr, K = nb->n_class;
    double                *level, *power; /* m + 1 lines */
    double                *s, *t;         /* per query and class: S, and T by lane */
    double                 gamma[HEFT_PROBE];
    heft_probe             probe;
    HEFT_CHECK(heft_probe_init(ctx, nb, false, &ctx->scratch, &probe));
    HEFT_ALLOC(ctx, &ctx->scratch, level, (m + 1) * HEFT_PROBE);
    HEFT_ALLOC(ctx, &ctx->scratch, power, m + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, s, HEFT_PROBE * K);
    HEFT_TABLE(ctx, &ctx->scratch, t, HEFT_PROBE * K, m);
    for (; lo < hi; lo += HEFT_PROBE) {
        const size_t n = hi - lo < HEFT_PROBE ? hi - lo : HEFT_PROBE;
        double       mass[HEFT_PROBE] = {0}, square[HEFT_PROBE] = {0};
        heft_probe_load(&probe, job->rows, lo, n);
        for (size_t c = 0; c < K; c++) { /* steps 1 to 4 */
            const uint32_t size = nb->start[c + 1] - nb->start[c];
            if (size == 0) continue; /* S and T stay 0 */
            heft_probe_class(&probe, c, n, level);
            choose_gammas(level, m, size, job->own->setting[KAPPA], gamma);
            for (size_t q = 0; q < n; q++) {
                const size_t at = q * K + c;
                s[at] = powers(level + q, HEFT_PROBE, m, gamma[q], power, &square[q]);
                mass[q] += s[at];
                heft_probe_weigh(&probe, q, c, power, t + at * m);
            }
        }
        for (size_t q = 0; q < n; q++) {
            const double rho = square[q] > 0 ? mass[q] / square[q] : 1;
            for (size_t c = 0; c < K; c++)
                heft_lazy_answer(job, lo + q, c, rho, s[q * K + c], t + (q * K + c) * m);
        }
    }
    return HEFT_OK;
}

/* Weighs the levels of one query by the counts of all ranks. */
static double weigh_levels(const heft_asking *job, const double *level, size_t n_class, size_t m,
                           uint32_t *total, double *weight)
{
    double mass = 0, square = 0;
    (void)total;
    for (size_t c = 0; c < n_class; c++, level += m + 1, weight += m + 1) {
        double rows = 0, gamma = 0;
        for (size_t l = 0; l <= m; l++) rows += level[l];
        if (rows > 0) choose_gamma(1, level, m, rows, job->own->setting[KAPPA], &gamma);
        mass += powers(level, 1, m, gamma, weight, &square);
    }
    return square > 0 ? mass / square : 1;
}

/* ---- the method ---- */

static heft_status score_lcwnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                               double *log_joint)
{
    heft_asking job = {fitted->own, rows, .log_joint = log_joint};
    return heft_lazy_score(ctx, &job, score_block, weigh_levels);
}

static heft_status parts_lcwnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                               size_t i, double *parts)
{
    heft_asking job = {fitted->own, rows, .parts = parts};
    return score_block(ctx, &job, i, i + 1);
}

static heft_status fit_lcwnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_lazy *own;
    HEFT_CHECK(heft_lazy_fit(ctx, task, out, &own));
    const size_t      m = own->nb.n_attr;
    const heft_value *kappa = heft_param(task, "kappa");
    own->setting[KAPPA] = kappa->word < 0 ? kappa->num : m <= 13 ? 20 : m <= 15 ? 10 : 5;
    heft_fact_number(out, "kappa", own->setting[KAPPA]);
    return HEFT_OK;
}

static const heft_tensor fields_lcwnb[] = {
    {"own.kappa", HEFT_F64, HEFT_VALUE(heft_lazy, setting[KAPPA]), .lo = DBL_TRUE_MIN,
     .hi = DBL_MAX, .help = "total weight of the rows of each class to learn from"},
    HEFT_LAZY_ROWS,
    {.name = NULL}};

/* With every row at full weight it is naive Bayes. */
static const heft_twin twins[] = {HEFT_TWIN("kappa=1e9", "nb", "variance=class", 1e-9),
                                  HEFT_TWIN_END};

HEFT_LAZY_METHOD(
    lcwnb,
    "lazy cell-weighted naive Bayes: rows weigh less the more they differ from the row to predict",
    "[li2014], figure 1 and section 3", fit_lcwnb, twins);
