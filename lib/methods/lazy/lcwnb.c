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

#include "base/rows.h"
#include "base/wide.h"
#include "methods/lazy/lazy_ranks.h"

static const heft_option options[] = {
    HEFT_OPT_ABOVE_OR(
        "auto", "kappa", "5", 0, INFINITY,
        "rows of each class to learn from, in weight; auto: 20, 10 or 5 by the number of "
        "attributes (LCWNB*)"),
    HEFT_OPT_END,
};

enum { BLOCK = 64, MOST_STEPS = 100 };

typedef struct lcwnb { /* the private state */
    heft_neighbours nb;
    double          kappa;
} lcwnb;

typedef struct local { /* the answer to a few queries; arrays by query, then class */
    heft_probe probe;
    double    *level, *power; /* n_attr + 1 lines */
    double    *s, *t;         /* weight of a class; of its rows that match the query, by lane */
    double     mass[HEFT_PROBE], square[HEFT_PROBE];
} local;

/* ---- gamma ---- */

/* S and its derivative at gamma for n queries at once; level has lines of n. */
HEFT_INLINE void polynomial(size_t n, const double *level, size_t m, const double *gamma, double *s,
                            double *slope)
{
    for (size_t q = 0; q < n; q++) s[q] = slope[q] = 0;
    for (size_t l = m + 1; l-- > 0;)
        for (size_t q = 0; q < n; q++) {
            slope[q] = slope[q] * gamma[q] + s[q];
            s[q] = s[q] * gamma[q] + level[l * n + q];
        }
}

/* One step down from above the root of S = kappa. With d = gamma S'/S the polynomial is locally
 * gamma^d, so that the step is gamma (kappa/S)^(1/d); since log S is convex in log gamma it does
 * not pass the root. For d >= 1 the power is replaced by its Pade approximant, which is larger and
 * thus safe; below, Newton's step is (S is convex). */
static double step_down(double gamma, double s, double slope, double kappa)
{
    const double excess = (s - kappa) / s, p = s / (gamma * slope);
    const double power =
        p <= 1 ? (1 - 0.5 * excess * (1 + p)) / (1 - 0.5 * excess * (1 - p)) : 1 - excess * p;
    return gamma * power;
}

/* gamma of class y for each query: 0 with kappa copies of it, 1 without more than kappa rows, else
 * the root of S = kappa. Queries do not influence one another. */
HEFT_INLINE void choose_gamma(size_t n, const double *level, size_t m, double rows, double kappa,
                              double *gamma)
{
    double s[HEFT_PROBE], slope[HEFT_PROBE];
    bool   open[HEFT_PROBE], any = false;

    for (size_t q = 0; q < n; q++) gamma[q] = 1;
    polynomial(n, level, m, gamma, s, slope);
    for (size_t q = 0; q < n; q++) {
        open[q] = level[q] < kappa && rows > kappa && slope[q] > 0;
        any = any || open[q];
        if (level[q] >= kappa) gamma[q] = 0;
        else if (open[q]) gamma[q] = exp(log(kappa / rows) * rows / slope[q]);
    }
    for (int step = 0; any && step < MOST_STEPS; step++) {
        polynomial(n, level, m, gamma, s, slope);
        any = false;
        for (size_t q = 0; q < n; q++) {
            if (!open[q]) continue;
            const double next = step_down(gamma[q], s[q], slope[q], kappa);
            open[q] = next < gamma[q] && s[q] - kappa > 1e-8 * kappa; /* the error is squared */
            if (next < gamma[q]) gamma[q] = next;
            any = any || open[q];
        }
    }
}

/* ---- one query ---- */

static heft_status local_init(heft_ctx *ctx, const lcwnb *own, local *a)
{
    const size_t m = own->nb.n_attr, K = own->nb.n_class;
    size_t       cells;

    HEFT_CHECK(heft_probe_init(ctx, &own->nb, false, &ctx->scratch, &a->probe));
    HEFT_ALLOC(ctx, &ctx->scratch, a->level, (m + 1) * HEFT_PROBE);
    HEFT_ALLOC(ctx, &ctx->scratch, a->power, m + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, a->s, HEFT_PROBE * K);
    if (!heft_product(HEFT_PROBE * K, m, &cells)) HEFT_CHECK(heft_no_memory(ctx, K, m));
    HEFT_ALLOC(ctx, &ctx->scratch, a->t, cells);
    return HEFT_OK;
}

/* S, T and what rho needs, for query q and a class that has rows. */
static void weigh(const lcwnb *own, local *a, size_t q, size_t c, double gamma)
{
    const size_t m = own->nb.n_attr, at = q * own->nb.n_class + c;
    double       w = 1, s = 0, square = 0;
    for (size_t l = 0; l <= m; l++) {
        const double rows = a->level[l * HEFT_PROBE + q];
        a->power[l] = rows > 0 ? w : 0;
        s += rows * w;
        square += rows * w * w;
        w *= gamma;
    }
    a->s[at] = s;
    a->mass[q] += s;
    a->square[q] += square;
    heft_probe_weigh(&a->probe, q, c, a->power, a->t + at * m);
}

/* Steps 1 to 4 for rows lo..lo+n-1. */
static void ask(const lcwnb *own, local *a, const heft_rows *rows, size_t lo, size_t n)
{
    const heft_neighbours *nb = &own->nb;
    double                 gamma[HEFT_PROBE];

    heft_probe_load(&a->probe, rows, lo, n);
    memset(a->mass, 0, sizeof a->mass);
    memset(a->square, 0, sizeof a->square);
    for (size_t c = 0; c < nb->n_class; c++) {
        const uint32_t size = nb->start[c + 1] - nb->start[c];
        if (size == 0) continue; /* S and T stay 0 */
        heft_probe_class(&a->probe, c, n, a->level);
        choose_gamma(HEFT_PROBE, a->level, nb->n_attr, size, own->kappa, gamma);
        for (size_t q = 0; q < n; q++) weigh(own, a, q, c, gamma[q]);
    }
}

static double rho_of(const local *a, size_t q)
{
    return a->square[q] > 0 ? a->mass[q] / a->square[q] : 1;
}

/* ---- the method ---- */

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring    *job = arg;
    const lcwnb           *own = job->own;
    const heft_neighbours *nb = &own->nb;
    local                  a;

    HEFT_CHECK(local_init(ctx, own, &a));
    for (; lo < hi; lo += HEFT_PROBE) {
        const size_t n = hi - lo < HEFT_PROBE ? hi - lo : HEFT_PROBE;
        ask(own, &a, job->rows, lo, n);
        for (size_t q = 0; q < n; q++) {
            double *out = job->log_joint + (lo + q) * nb->n_class;
            for (size_t c = 0; c < nb->n_class; c++) {
                const size_t at = q * nb->n_class + c;
                out[c] = heft_local_score(nb, rho_of(&a, q), a.s[at], a.t + at * nb->n_attr);
            }
            heft_local_tie(out, nb->n_class);
        }
    }
    return HEFT_OK;
}

/* The same from the counts of all ranks. */
static double weigh_levels(const void *user, const double *level, size_t n_class, size_t m,
                           uint32_t *total, double *weight)
{
    const lcwnb *own = user;
    double       mass = 0, square = 0;
    (void)total;
    for (size_t c = 0; c < n_class; c++, level += m + 1, weight += m + 1) {
        double rows = 0, gamma = 0, w = 1, s = 0, squares = 0;
        for (size_t l = 0; l <= m; l++) rows += level[l];
        if (rows > 0) choose_gamma(1, level, m, rows, own->kappa, &gamma);
        for (size_t l = 0; l <= m; l++) {
            weight[l] = level[l] > 0 ? w : 0;
            s += level[l] * w;
            squares += level[l] * w * w;
            w *= gamma;
        }
        mass += s;
        square += squares;
    }
    return square > 0 ? mass / square : 1;
}

static heft_status score_lcwnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                               double *log_joint)
{
    const lcwnb *own = fitted->own;
    heft_scoring job = {own, rows, log_joint};
    if (own->nb.spread)
        return heft_lazy_score_ranks(ctx, &own->nb, weigh_levels, own, rows, log_joint);
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, score_block, &job);
}

static heft_status parts_lcwnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                               size_t i, double *parts)
{
    const lcwnb *own = fitted->own;
    local        a;

    HEFT_CHECK(local_init(ctx, own, &a));
    ask(own, &a, rows, i, 1);
    for (size_t c = 0; c < own->nb.n_class; c++)
        heft_local_parts(&own->nb, rho_of(&a, 0), a.s[c], a.t + c * own->nb.n_attr, c, parts);
    return HEFT_OK;
}

static double kappa_of(const heft_task *task)
{
    const heft_value *kappa = heft_param(task, "kappa");
    if (kappa->word < 0) return kappa->num;
    return task->rows->n_attr <= 13 ? 20 : task->rows->n_attr <= 15 ? 10 : 5;
}

static heft_status fit_lcwnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    lcwnb *own;

    HEFT_ALLOC(ctx, task->arena, own, 1);
    HEFT_CHECK(heft_local_fit(ctx, task, out, &own->nb));
    own->kappa = kappa_of(task);
    out->own = own;
    heft_fact_number(out, "kappa", own->kappa);
    return HEFT_OK;
}

static const heft_tensor fields[] = {{"own.kappa", HEFT_F64, HEFT_VALUE(lcwnb, kappa),
                                      .lo = DBL_TRUE_MIN, .hi = DBL_MAX,
                                      .help = "rows of each class to learn from, in weight"},
                                     {.name = "nb", HEFT_PART(lcwnb, nb, &heft_neighbours_state)},
                                     {.name = NULL}};

static const heft_state state = {.size = sizeof(lcwnb), .fields = fields};

static heft_status gather_lcwnb(heft_ctx *ctx, heft_fitted *fitted)
{
    lcwnb *own = fitted->own;
    return heft_neighbours_gather(ctx, fitted->arena, &own->nb);
}

/* With every row at full weight it is naive Bayes. */
static const heft_twin twins[] = {
    HEFT_TWIN("kappa=1e9", "nb", "", 1e-9),
    HEFT_TWIN_END,
};

const heft_method heft_method_lcwnb = {
    .name = "lcwnb",
    .title = "lazy cell-weighted naive Bayes: rows weigh less the more they differ from the query",
    .source = "Li and Li, locally weighted learning for naive Bayes, figure 1 and section 3",
    .family = HEFT_LAZY,
    .caps = HEFT_SHARDS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .options = options,
    .twins = twins,
    .fit = fit_lcwnb,
    .score = score_lcwnb,
    .state = &state,
    .parts = parts_lcwnb,
    .gather = gather_lcwnb,
};
