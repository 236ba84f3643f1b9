/* vwnb.c - VWNB: a weight for each attribute value, shared by all classes.
 *
 * Chang-Hwan Lee's method, as described in a student report:
 *
 *   A_kl  = ln P(c_l) + sum_i w_{i,x_ki} ln P(x_ki | c_l)         b_k = argmax_l A_kl
 *   o_kl  = sigmoid(A_kl - A_k,b)                                 t_kl = 1/2 if l = y_k, else 0
 *   E(w)  = 1/2 sum_k sum_l (o_kl - t_kl)^2 + lambda/2 sum (w_ij - center)^2
 *   g_kl  = (o_kl - t_kl) o_kl (1 - o_kl) for l != b_k            g_kb = - sum of the others
 *
 * g_kb is there because the score of the best class depends on w as well. o serves the objective
 * only, and is 1/2 at the best class by construction; the posterior is the softmax of A.
 *
 * E has several minima, and where two classes tie for best its slope jumps: the slope taken is then
 * the mean of those with either as b_k, so that the order of the classes says nothing. Small steps
 * downhill
 * from w = 1 are part of the definition (optim/descent.c); solver=lbfgs may end in another basin.
 *
 * DEVIATION: the report prints 1 - eta^lambda for 1 - eta lambda, 1 + exp(..)^-1 for
 * (1 + exp(..))^-1, and decays the step from its last value, which freezes it after some sqrt(N)
 * passes. update=printed takes the first and the last literally,
 *
 *   eta <- eta/(1 + t/N),   w <- w - eta^lambda (w - center) - eta dE/dw without the penalty,
 *
 * for maxit steps from w = 1 that no line search checks. It comes nearer to the figures of Lee's
 * paper than the descent: the penalty is weaker, and long first steps leave the basin of w = 1.
 * Tests: gradient_matches_differences, objective_never_rises, printed_update_step_by_step. */
#include "methods/vwnb.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "base/num.h"
#include "base/vec.h"
#include "learn/basis.h"
#include "model/method.h"

static const heft_option options[] = {
    HEFT_OPT_NUMBER("lambda", "2", 0, 1e12, "strength of the pull towards center"),
    HEFT_OPT_NUMBER("center", "0", -1e6, 1e6,
                    "value the weights are pulled towards; 1 is naive Bayes, the milder choice"),
    HEFT_OPT_WORDS(
        "update", "descent", "descent|printed",
        "descent: steps that lower E; printed: the update as the report prints it, which "
        "comes nearer to its figures"),
    HEFT_OPT_ABOVE_OR("auto", "eta", "auto", 0, 1e6,
                      "first step; auto: 1/(lambda + 0.05 rows), or 0.2 with update=printed"),
    HEFT_OPT_NUMBER("tol", "1e-6", 0, 1,
                    "stop when E falls by at most this share of itself in three passes in a row"),
    HEFT_OPT_WHOLE_OR("auto", "maxit", "auto", 0, 1e6,
                      "maximum number of passes; 0 keeps every weight at 1; auto: 500, or 60 with "
                      "update=printed"),
    HEFT_OPT_WORDS("solver", "descent", "descent|lbfgs",
                   "descent defines the method; lbfgs is faster and may find another minimum"),
    HEFT_OPT_END,
};

/* ---- objective ---- */

static const double BEST = 1; /* marks the best class; every slope is smaller */

/* A best class has o = 1/2. The terms of sums over classes are rounded, so that the order of the
 * classes does not matter. */
static void tile_loss(const void *user, const heft_tile *tile, double *scores, double *value)
{
    const size_t K = tile->n_score;
    size_t       first[HEFT_MOST_TILE];
    double       grain = 6; /* above K/4 */
    while (grain < (double)K / 4) grain *= 2;
    (void)user;
    for (size_t i = 0; i < tile->n; i++) {
        double *a = scores + i * K;
        first[i] = heft_argmax(a, K);
        const double top = a[first[i]];
        for (size_t l = 0; l < K; l++) a[l] -= top;
    }
    heft_sigmoid_all(scores, tile->n * K);
    for (size_t i = 0; i < tile->n; i++) {
        double *a = scores + i * K;
        double  square = 0, all = 0, n_best = 0;
        for (size_t l = 0; l < K; l++) {
            const double o = a[l], e = o - (l == tile->y[i] ? 0.5 : 0), slope = e * o * (1 - o);
            square += heft_rounded(e * e, grain);
            all += heft_rounded(slope, grain);
            n_best += o == 0.5;
            a[l] = o == 0.5 ? BEST : slope;
        }
        value[i] = square / 2;
        const bool tied = n_best > 1; /* ties are rare */
        for (size_t l = tied ? 0 : first[i]; l < (tied ? K : first[i] + 1); l++)
            if (a[l] == BEST) a[l] = (l == tile->y[i] ? 0 : 0.125) - all / n_best;
    }
}

heft_status heft_vwnb_value(heft_ctx *ctx, void *user, const double *x, double *f, double *gradient)
{
    heft_vwnb      *p = user;
    const heft_head head = {HEFT_W_VALUE, x, p->offset, p->log_prior};
    const heft_loss loss = {.fn = tile_loss, .size = &p->size};
    HEFT_CHECK(heft_evidence_sum(ctx, p->ev, &head, 1, &loss, f, NULL, &gradient));
    heft_dd away = {0, 0};
    for (size_t k = 0; k < p->n; k++) {
        const double far = x[k] - p->center;
        away = heft_dd_plus(away, far * far);
        gradient[k] += p->lambda * far;
    }
    *f += p->lambda / 2 * (away.high + away.low);
    return HEFT_OK;
}

/* ---- fit ---- */

/* A value that no training row has adds nothing, like a missing cell. */
static void clear_unseen(const heft_counts *counts, heft_fitted *f)
{
    const size_t K = f->n_class;
    for (size_t j = 0; j < f->n_attr; j++) {
        const double *cell = counts->cell[j];
        for (size_t v = 0; v < f->lik[j].n_codes; v++) {
            double n = 0;
            for (size_t c = 0; c < K; c++) n += cell[v * K + c];
            if (n == 0)
                for (size_t c = 0; c < K; c++) f->lik[j].table[v * K + c] = 0;
        }
    }
}

heft_status heft_vwnb_printed(heft_ctx *ctx, heft_vwnb *p, double eta, long passes, double *w,
                              heft_minimum *min)
{
    heft_vwnb data = *p; /* the objective without its penalty */
    double   *g, *next, f;
    HEFT_ALLOCS(ctx, &ctx->scratch, p->n, g, next);
    data.lambda = 0;
    *min = (heft_minimum){.converged = true, .stopped_by = "all passes were made"};
    HEFT_CHECK(heft_vwnb_value(ctx, p, w, &min->f0, g));
    for (long t = 1; t <= passes; t++) {
        bool finite = true;
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(heft_vwnb_value(ctx, &data, w, &f, g));
        eta /= 1 + (double)t / p->ev->total;
        const double pull = pow(eta, p->lambda);
        for (size_t k = 0; k < p->n; k++) {
            next[k] = w[k] - pull * (w[k] - p->center) - eta * g[k];
            finite = finite && isfinite(next[k]);
        }
        if (!finite) {
            min->converged = false;
            min->stopped_by = "the weights grew without bound (choose a smaller eta)";
            break;
        }
        memcpy(w, next, p->n * sizeof *w);
        min->iterations = t;
    }
    return heft_vwnb_value(ctx, p, w, &min->f, g);
}

/* Returns the number that was given, or the one that "auto" stands for. */
static double given_or(const heft_task *task, const char *name, double otherwise)
{
    const heft_value *value = heft_param(task, name);
    return value->word == 0 ? otherwise : value->num;
}

static heft_status minimise(heft_ctx *ctx, const heft_task *task, heft_vwnb *p, double *w,
                            heft_minimum *min)
{
    const heft_problem problem = {.n = p->n, .fn = heft_vwnb_value, .user = p};
    const bool         printed = heft_param(task, "update")->word == 1;
    const double       tol = heft_param_num(task, "tol"), N = p->ev->total;
    const long         passes = (long)given_or(task, "maxit", printed ? 60 : 500);
    const double       eta = given_or(task, "eta", printed ? 0.2 : 1 / (p->lambda + 0.05 * N));
    if (printed) return heft_vwnb_printed(ctx, p, eta, passes, w, min);
    if (heft_param(task, "solver")->word == 1) {
        const heft_stop stop = {.memory = 10, .rel_tol = tol, .pg_tol = 1e-10, .max_iter = passes};
        return heft_lbfgsb(ctx, &problem, &stop, NULL, w, min);
    }
    const heft_descent_rule rule = {
        .eta0 = eta, .decay = N, .rel_tol = tol, .patience = 3, .floor = 1e-12, .max_iter = passes};
    return heft_descent(ctx, &problem, &rule, NULL, w, min);
}

static heft_status fit_vwnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const size_t   m = task->rows->n_attr;
    size_t         used = 0; /* attributes with a weight that is not 0 */
    heft_weights  *w = &out->weights;
    heft_counts    counts;
    heft_evidence *ev;
    heft_minimum   min;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    clear_unseen(&counts, out);
    w->shape = HEFT_W_VALUE;
    HEFT_ALLOC(ctx, task->arena, w->offset, m + 1);
    for (size_t j = 0; j < m; j++) w->offset[j + 1] = w->offset[j] + out->lik[j].n_codes;
    HEFT_ALLOC(ctx, task->arena, w->w, w->offset[m]);
    /* the weight of a constant attribute has no effect: it begins where the penalty pulls it */
    for (size_t j = 0; j < m; j++)
        for (size_t k = w->offset[j]; k < w->offset[j + 1]; k++)
            w->w[k] = heft_is_flat(task, out->lik, j) ? heft_param_num(task, "center") : 1;
    HEFT_CHECK(heft_evidence_build(ctx, task->rows, out->lik, &ctx->scratch, &ev));
    heft_vwnb problem = {.ev = ev,
                         .log_prior = out->log_prior,
                         .offset = w->offset,
                         .n = w->offset[m],
                         .lambda = heft_param_num(task, "lambda"),
                         .center = heft_param_num(task, "center")};
    HEFT_CHECK(minimise(ctx, task, &problem, w->w, &min));
    heft_record_minimum(&min, &out->training);
    for (size_t j = 0; j < m; j++) {
        bool any = false;
        for (size_t k = w->offset[j]; k < w->offset[j + 1]; k++) any = any || w->w[k] != 0;
        used += any;
    }
    heft_fact_text(out, "solver",
                   heft_param(task, "update")->word == 1   ? "printed update"
                   : heft_param(task, "solver")->word == 1 ? "lbfgs"
                                                           : "descent");
    heft_fact_number(out, "E_0", min.f0);
    heft_fact_number(out, "E", min.f);
    heft_fact_number(out, "passes", (double)min.iterations);
    heft_fact_number(out, "selection_rate", m ? (double)used / (double)m : 1);
    return HEFT_OK;
}

/* ---- the record ---- */

enum { UPDATE = 2, SOLVER = 6 }; /* places among the options */

static heft_status check(heft_ctx *ctx, const heft_value *values)
{
    if (values[UPDATE].word != 1 || values[SOLVER].word != 1) return HEFT_OK;
    return heft_fail(
        ctx, HEFT_EINVAL,
        "method vwnb: update=printed is a descent of its own and takes no solver=lbfgs "
        "(leave one of the two out)");
}

static const heft_twin twins[] = {
    HEFT_TWIN("maxit=0", "nb", "variance=class", 1e-12),
    HEFT_TWIN("maxit=0 update=printed", "nb", "variance=class", 1e-12),
    HEFT_TWIN("maxit=0 solver=lbfgs", "nb", "variance=class", 1e-12),
    HEFT_TWIN("center=1 lambda=1e12", "nb", "variance=class", 1e-9),
    HEFT_TWIN_END,
};

const heft_method heft_method_vwnb = {
    .name = "vwnb",
    .title = "one weight per attribute value",
    .source = "[lee2015], as [wuliu] report it",
    .family = HEFT_EMBEDDED,
    .caps = HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE | HEFT_SHARDS,
    .prepare = {.discretize = "mdl", .smoothing = "laplace", .prior = "smoothed"},
    .options = options,
    .twins = twins,
    .check = check,
    .fit = fit_vwnb,
};
