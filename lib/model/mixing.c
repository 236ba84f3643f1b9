/* mixing.c - a few score vectors mixed into one, by penalised conditional log-likelihood. */
#include "model/mixing.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/vec.h"

enum { MOST_TOGETHER = 16 }; /* rows whose scores are worked on at once */

typedef struct pass {
    const heft_mixing *m;
    const double      *x; /* b, then a */
    size_t             together;
} pass;

/* acc: loss, slopes of b, slopes of a, then room for the scores of a few rows. */
static void loss_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const pass        *job = arg;
    const heft_mixing *m = job->m;
    const size_t       K = m->n_class, R = m->n_members;
    const double      *b = job->x, *a = m->shift > 0 ? job->x + R : NULL;
    double            *score = acc + 1 + R + K, lse[MOST_TOGETHER], right[MOST_TOGETHER];
    for (; lo < hi; lo += job->together) {
        const size_t n = hi - lo < job->together ? hi - lo : job->together;
        for (size_t k = 0; k < n * K; k++) score[k] = a ? a[k % K] : 0;
        for (size_t r = 0; r < R; r++) {
            const double *t = m->member[r] + lo * K;
            for (size_t k = 0; k < n * K; k++) score[k] += b[r] * t[k];
        }
        for (size_t i = 0; i < n; i++) right[i] = score[i * K + m->y[lo + i]];
        heft_softmax_all(score, n, K, lse);
        for (size_t i = 0; i < n; i++) {
            const double w = m->weight ? m->weight[lo + i] : 1;
            double      *e = score + i * K;
            acc[0] += w * (lse[i] - right[i]);
            e[m->y[lo + i]] -= 1;
            for (size_t c = 0; c < K; c++) e[c] *= w;
            for (size_t c = 0; c < K; c++) acc[1 + R + c] += e[c];
        }
        for (size_t r = 0; r < R; r++) {
            const double *t = m->member[r] + lo * K;
            double        slope = 0;
            for (size_t k = 0; k < n * K; k++) slope += score[k] * t[k];
            acc[1 + r] += slope;
        }
    }
}

typedef struct problem {
    pass    job;
    size_t  width;
    double *sum;
} problem;

static heft_status objective(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    problem           *p = user;
    const heft_mixing *m = p->job.m;
    p->job.x = x;
    const heft_status st = heft_sum_rows(ctx, m->n, p->width, loss_rows, &p->job, p->sum);
    if (st != HEFT_OK) return st;
    *f = p->sum[0];
    for (size_t r = 0; r < m->n_members; r++) {
        const double d = x[r] - m->centre[r];
        *f += m->strength[r] / 2 * d * d;
        g[r] = p->sum[1 + r] + m->strength[r] * d;
    }
    for (size_t c = 0; m->shift > 0 && c < m->n_class; c++) {
        const double a = x[m->n_members + c];
        *f += m->shift / 2 * a * a;
        g[m->n_members + c] = p->sum[1 + m->n_members + c] + m->shift * a;
    }
    return HEFT_OK;
}

heft_status heft_mixing_fit(heft_ctx *ctx, const heft_mixing *mixing, double *b, double *a,
                            double *loss, heft_minimum *how)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    R = mixing->n_members, K = mixing->n_class, n = R + (mixing->shift > 0) * K;
    problem         p = {.job = {.m = mixing}};
    double         *x, *lower, all = 0;
    const heft_stop stop = {.memory = 10, .rel_tol = 1e-10, .max_iter = mixing->max_iter};

    p.job.together = K <= 32 ? MOST_TOGETHER : 1;
    p.width = 1 + R + K + p.job.together * K;
    HEFT_ARENA(ctx, &ctx->scratch, p.sum, p.width);
    HEFT_ARENA(ctx, &ctx->scratch, x, n);
    HEFT_ARENA(ctx, &ctx->scratch, lower, n);
    for (size_t k = 0; k < n; k++) {
        x[k] = k < R ? mixing->centre[k] : 0;
        lower[k] = k < R ? 0 : -INFINITY;
    }
    HEFT_TRY(heft_lbfgsb(ctx, &(heft_problem){n, objective, &p, lower, NULL}, &stop, NULL, x, how));
    memcpy(b, x, R * sizeof *b);
    if (a) memset(a, 0, K * sizeof *a);
    if (a && mixing->shift > 0) memcpy(a, x + R, K * sizeof *a);
    if (!loss) goto done;
    p.job.x = x;
    HEFT_TRY(heft_sum_rows(ctx, mixing->n, p.width, loss_rows, &p.job, p.sum));
    for (size_t i = 0; i < mixing->n; i++) all += mixing->weight ? mixing->weight[i] : 1;
    *loss = all > 0 ? p.sum[0] / all : 0;
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
