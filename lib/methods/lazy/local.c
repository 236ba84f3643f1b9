/* local.c - naive Bayes on counts weighted around the query. */
#include "methods/lazy/local.h"
#include "learn/basis.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "methods/lazy/lazy_ranks.h"

enum { GROUP = 16, BLOCK = 64 }; /* factors between two logarithms; queries of one task */

static const double TIE = 1e-11; /* rounding of a score, relative to 1 + its size */

heft_status heft_local_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                           heft_neighbours *nb)
{
    HEFT_CHECK(heft_own_estimates(ctx, task));
    HEFT_CHECK(
        heft_neighbours_pack(ctx, task->rows, task->prep, task->method->name, task->arena, nb));
    return heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL);
}

/* No factor exceeds 1e16 or falls below 1e-16 of the other kind, so GROUP of them stay within the
 * range of doubles and one logarithm serves them all. */
double heft_local_score(const heft_neighbours *nb, double rho, double s, const double *t)
{
    const double weight = rho * s;
    double       log_q = log(1 + weight);
    for (size_t lo = 0; lo < nb->n_attr; lo += GROUP) {
        const size_t hi = nb->n_attr - lo < GROUP ? nb->n_attr : lo + GROUP;
        double       above = 1, below = 1;
        for (size_t k = lo; k < hi; k++) {
            above *= 1 + rho * t[k];
            below *= nb->n_values[k] + weight;
        }
        log_q += log(above / below);
    }
    return log_q;
}

void heft_local_parts(const heft_neighbours *nb, double rho, double s, const double *t, size_t c,
                      double *parts)
{
    const size_t K = nb->n_class;
    parts[c] = log(1 + rho * s);
    for (size_t k = 0; k < nb->n_attr; k++)
        parts[(1 + (size_t)nb->attr[k]) * K + c] =
            log((1 + rho * t[k]) / (nb->n_values[k] + rho * s));
}

void heft_local_tie(double *score, size_t n_class)
{
    double best = score[0];
    for (size_t c = 1; c < n_class; c++) best = score[c] > best ? score[c] : best;
    for (size_t c = 0; c < n_class; c++)
        if (best - score[c] <= TIE * (1 + fabs(best))) score[c] = best;
}

/* ---- methods that weigh by distance alone ---- */

typedef struct asking {
    const heft_neighbours *nb;
    const double          *setting;
    heft_kernel_fn        *kernel;
    const heft_rows       *rows;
    double                *log_joint;
} asking;

typedef struct answer { /* of one query */
    heft_probe probe;
    uint32_t  *total;
    double    *weight, *sum;
    double     rho;
} answer;

static heft_status answer_init(heft_ctx *ctx, const heft_neighbours *nb, answer *a)
{
    const size_t lines = nb->n_attr + 1;

    HEFT_CHECK(heft_probe_init(ctx, nb, true, &ctx->scratch, &a->probe));
    HEFT_ALLOCS(ctx, &ctx->scratch, lines, a->total, a->weight);
    HEFT_ALLOC(ctx, &ctx->scratch, a->sum, nb->n_attr);
    return HEFT_OK;
}

static void weigh_query(const asking *job, answer *a, size_t q)
{
    heft_probe_all(&a->probe, q, a->total);
    a->rho = job->kernel(job->setting, a->total, job->nb->n_attr, a->weight);
}

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const asking *job = arg;
    const size_t  K = job->nb->n_class;
    answer        a;

    HEFT_CHECK(answer_init(ctx, job->nb, &a));
    for (; lo < hi; lo += HEFT_PROBE) {
        const size_t n = hi - lo < HEFT_PROBE ? hi - lo : HEFT_PROBE;
        heft_probe_load(&a.probe, job->rows, lo, n);
        for (size_t q = 0; q < n; q++) {
            double *out = job->log_joint + (lo + q) * K;
            weigh_query(job, &a, q);
            for (size_t c = 0; c < K; c++) {
                const double s = heft_probe_near(&a.probe, q, c, a.weight, a.sum);
                out[c] = heft_local_score(job->nb, a.rho, s, a.sum);
            }
            heft_local_tie(out, K);
        }
    }
    return HEFT_OK;
}

/* A kernel on the levels of all ranks. */
static double weigh_levels(const void *user, const double *level, size_t n_class, size_t m,
                           uint32_t *total, double *weight)
{
    const asking *job = user;
    for (size_t l = 0; l <= m; l++) {
        double rows = 0;
        for (size_t c = 0; c < n_class; c++) rows += level[c * (m + 1) + l];
        total[l] = (uint32_t)rows;
    }
    const double rho = job->kernel(job->setting, total, m, weight);
    for (size_t c = 1; c < n_class; c++)
        memcpy(weight + c * (m + 1), weight, (m + 1) * sizeof *weight);
    return rho;
}

heft_status heft_local_score_rows(heft_ctx *ctx, const heft_neighbours *nb, const double *setting,
                                  heft_kernel_fn *kernel, const heft_rows *rows, double *log_joint)
{
    asking job = {nb, setting, kernel, rows, log_joint};
    if (nb->spread) return heft_lazy_score_ranks(ctx, nb, weigh_levels, &job, rows, log_joint);
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, score_block, &job);
}

heft_status heft_local_part_rows(heft_ctx *ctx, const heft_neighbours *nb, const double *setting,
                                 heft_kernel_fn *kernel, const heft_rows *rows, size_t i,
                                 double *parts)
{
    const asking job = {nb, setting, kernel, rows, NULL};
    answer       a;

    HEFT_CHECK(answer_init(ctx, nb, &a));
    heft_probe_load(&a.probe, rows, i, 1);
    weigh_query(&job, &a, 0);
    for (size_t c = 0; c < nb->n_class; c++) {
        const double s = heft_probe_near(&a.probe, 0, c, a.weight, a.sum);
        heft_local_parts(nb, a.rho, s, a.sum, c, parts);
    }
    return HEFT_OK;
}
