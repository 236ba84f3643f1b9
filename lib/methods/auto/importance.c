/* importance.c - how much worse the default method predicts held-out rows without an attribute.
 *
 * The importance of attribute j is the rise of the mean held-out loss when what j says is left out:
 * the score of a row becomes its mean over the values of j, the other cells as they are. With the
 * contribution d_j of j to the score s of a row (boost/contributions.h) the rise is
 *
 *   L(s - d_j) - L(s),     L(s) = -log softmax(s)_y
 *
 * All of it is measured on rows that took no part: the learned and the boosted scores and
 * contributions are those of the fits without the row's fold, the counted ones leave the row out.
 * An attribute that says nothing true therefore has an importance of about 0, or slightly below,
 * however much evidence the model has learned from it by chance.
 *
 * The standard error is that of a mean over rows, where copies of a row are one, and over folds:
 * the fold means may differ by more than their rows explain. */
#include <math.h>

#include "base/all.h"
#include "base/num.h"
#include "boost/contributions.h"
#include "methods/auto/auto_fit.h"

enum {
    USUAL_ROWS = 600, /* rows that are looked at: a quarter of those held out, but at least this */
    MOST_ROWS = 2000, /* and at most this number, */
    LEAST_ROWS = 32,  /* or fewer, if there are too many contributions */
    NUMBERS = 500000, /* contributions to all rows: rows x attributes x classes */
    MOST_NUMBERS = 1000000, /* with more, importance is not measured */
    MEAN_ROWS = 2000        /* rows that means over the values of an attribute are taken over */
};

/* Every k-th row is taken in the order that content sets. */
static heft_status step_of(heft_ctx *ctx, size_t n, double least, double most, size_t *step)
{
    int64_t all = (int64_t)n;
    HEFT_CHECK(heft_all_add(ctx, &all, 1));
    *step = (size_t)fmax(ceil((double)all / fmin(most, fmax(least, (double)all / 4))), 1);
    return HEFT_OK;
}

/* The fold of a held-out row; 0 if there are no folds. */
static size_t fold_of(const heft_auto *s, size_t h)
{
    size_t k = 0;
    while (k + 1 < s->rows.n_folds && h >= s->rows.fold[k + 1].first) k++;
    return k;
}

heft_status heft_auto_look(heft_ctx *ctx, heft_auto *s)
{
    const bool        folds = s->rows.n_folds > 0;
    const size_t      n = folds ? s->rows.held.n : s->rows.order.n;
    const size_t     *place = folds ? s->rows.held.place : s->rows.order.place;
    const double      width = (double)s->rows.all.rows->n_attr * (double)s->rows.all.n_class;
    const double      most = fmin(MOST_ROWS, fmax(LEAST_ROWS, floor(NUMBERS / fmax(width, 1))));
    heft_looked_rows *looked = &s->rows.looked;
    if (!folds && s->effort != HEFT_EFFORT_COUNT) return HEFT_OK;
    if (s->rows.all.n_class < 2 || most * width > MOST_NUMBERS) return HEFT_OK;
    HEFT_CHECK(step_of(ctx, n, USUAL_ROWS, most, &looked->step));
    HEFT_ALLOCS(ctx, s->arena, n, looked->at, looked->in_fold);
    for (size_t h = 0; h < n; h++) {
        const size_t k = fold_of(s, h);
        if ((place ? place[h] : h) % looked->step) continue;
        looked->at[looked->n] = h;
        looked->in_fold[looked->n++] = folds ? h - s->rows.fold[k].first : h;
        if (folds && !s->rows.fold[k].n_looked++) s->rows.fold[k].first_looked = looked->n - 1;
    }
    return HEFT_OK;
}

heft_status heft_auto_mean_sample(heft_ctx *ctx, const heft_auto *s, heft_sample *out)
{
    const heft_dealing *order = &s->rows.order;
    const double       *from = s->rows.all.weight;
    size_t             *row, n = 0, step;
    double             *weight;
    uint16_t           *y;
    HEFT_CHECK(step_of(ctx, order->n, MEAN_ROWS, MEAN_ROWS, &step));
    HEFT_ALLOCS(ctx, &ctx->scratch, order->n, row, weight, y);
    for (size_t i = 0; i < order->n; i++) {
        if ((order->place ? order->place[i] : i) % step) continue;
        if (from) weight[n] = from[order->row[i]];
        row[n++] = order->row[i];
    }
    *out = (heft_sample){s->rows.all.rows, n, row, from ? weight : NULL, y, s->rows.all.n_class};
    return HEFT_OK;
}

/* out += the contributions to the boosted scores, each by the fit without the row's fold. */
static heft_status look_at_boosted(heft_ctx *ctx, const heft_auto *s, double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t width = s->rows.all.rows->n_attr * s->rows.all.n_class;
    heft_sample  all;
    HEFT_CHECK(heft_auto_mean_sample(ctx, s, &all));
    for (size_t k = 0; k < s->rows.n_folds; k++) {
        const heft_fold *t = &s->rows.fold[k];
        size_t          *row;
        HEFT_ALLOC(ctx, &ctx->scratch, row, t->n_looked);
        for (size_t r = 0; r < t->n_looked; r++)
            row[r] = s->rows.held.row[s->rows.looked.at[t->first_looked + r]];
        const heft_sample asked = {s->rows.all.rows,   t->n_looked, row, NULL, NULL,
                                   s->rows.all.n_class};
        HEFT_CHECK(heft_boosted_contributions(ctx, &s->fitted.boosted[k], &all, &asked,
                                              out + t->first_looked * width));
    }
    return HEFT_OK;
}

enum { ALL, SQUARES, ONCE, FOLDS, SUMS = FOLDS + HEFT_KFOLD };

typedef struct rises { /* sums over rows, by attribute: SUMS numbers each, in steps of 2^-32 */
    const heft_auto *s;
    const double    *score; /* n x K: pooled scores of the rows looked at */
    const double    *part;  /* n x n_attr x K: contributions to them */
    int64_t         *sum;
} rises;

/* Adds x as a whole number of steps, so that the order of the rows does not matter. */
static void add_steps(int64_t *sum, double x)
{
    *sum += llrint(fmin(fmax(x, -0x1p16), 0x1p16) * 0x1p32);
}

/* Adds `rise` for a row of weight w; `alike` is the weight of the row and its copies. */
static void add_rise(int64_t *sum, size_t fold, double w, double alike, double rise)
{
    add_steps(&sum[ALL], w * rise);
    add_steps(&sum[SQUARES], w * alike * rise * rise);
    add_steps(&sum[ONCE], w * alike * rise);
    add_steps(&sum[FOLDS + fold], w * rise);
}

static double loss_of(const double *score, const double *less, size_t K, size_t y, double *v)
{
    for (size_t c = 0; c < K; c++) v[c] = score[c] - (less ? less[c] : 0);
    return heft_logsumexp(v, K) - v[y];
}

/* Adds the rises of one row for all attributes, and behind them 1. */
static void add_row(const rises *job, size_t r, size_t fold, double *v)
{
    const heft_auto *s = job->s;
    const size_t     m = s->rows.all.rows->n_attr, K = s->rows.all.n_class;
    const bool       folds = s->rows.n_folds > 0;
    const size_t     h = s->rows.looked.at[r], i = folds ? h : s->rows.order.row[h];
    const double    *weight = folds ? s->rows.held.weight : s->rows.all.weight;
    const double    *alike = folds ? s->rows.held.alike : s->rows.order.alike;
    const double     w = weight ? weight[i] : 1;
    const double     copies = fmax(w, alike ? alike[h] / (double)s->rows.looked.step : 0);
    const size_t     y = folds ? s->rows.held.y[i] : s->rows.all.y[i];
    const double    *score = job->score + r * K, loss = loss_of(score, NULL, K, y, v);
    for (size_t j = 0; j < m; j++)
        add_rise(job->sum + j * SUMS, fold, w, copies,
                 loss_of(score, job->part + (r * m + j) * K, K, y, v) - loss);
    add_rise(job->sum + m * SUMS, fold, w, copies, 1);
}

/* The mean of an attribute's rises and its standard error. `of`: the sums of 1 in place of a rise.
 */
static void finish(const int64_t *sum, const int64_t *of, size_t n_folds, double *mean,
                   double *error)
{
    const double all = (double)of[ALL], m = (double)sum[ALL] / all;
    double       rows = (double)sum[SQUARES] - 2 * m * (double)sum[ONCE] + m * m * (double)of[ONCE];
    double       between = 0, n = 0;
    rows = fmax(rows, 0) * 0x1p32 / (all * all);
    for (size_t k = 0; k < n_folds; k++) {
        if (of[FOLDS + k] <= 0) continue;
        const double d = (double)sum[FOLDS + k] / (double)of[FOLDS + k] - m;
        between += d * d;
        n++;
    }
    if (n > 1) rows += fmax(between / (n - 1) - n * rows, 0) / n;
    *mean = m;
    *error = sqrt(rows);
}

heft_status heft_auto_importance(heft_ctx *ctx, heft_auto *s, const double *const *score,
                                 const double *learned)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_looked_rows *looked = &s->rows.looked;
    const heft_auto_fitted *f = &s->fitted;
    const size_t            m = s->rows.all.rows->n_attr, K = s->rows.all.n_class;
    const double           *parts[HEFT_N_MEMBERS] = {learned, f->counted.contribution, NULL};
    double                 *total, *part, *boosted, *v;
    if (looked->step == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, total, looked->n * K);
    HEFT_ALLOCS(ctx, &ctx->scratch, looked->n * m * K, part, boosted);
    HEFT_ALLOC(ctx, &ctx->scratch, v, K);
    parts[HEFT_BOOSTED] = boosted;
    if (f->takes_part[HEFT_BOOSTED]) HEFT_CHECK(look_at_boosted(ctx, s, boosted));
    for (size_t k = 0; k < HEFT_N_MEMBERS; k++) {
        if (!f->takes_part[k]) continue;
        heft_line_add(part, parts[k], f->weight[k], looked->n * m * K);
        for (size_t r = 0; r < looked->n; r++)
            heft_line_add(total + r * K, score[k] + looked->at[r] * K, f->weight[k], K);
    }
    rises job = {s, total, part, NULL};
    HEFT_ALLOC(ctx, &ctx->scratch, job.sum, (m + 1) * SUMS);
    for (size_t r = 0; r < looked->n; r++) add_row(&job, r, fold_of(s, looked->at[r]), v);
    HEFT_CHECK(heft_all_add(ctx, job.sum, (m + 1) * SUMS));
    const int64_t *of = job.sum + m * SUMS;
    if (of[ALL] <= 0) return HEFT_OK;
    HEFT_ALLOCS(ctx, s->arena, m, s->fitted.importance, s->fitted.importance_error);
    for (size_t j = 0; j < m; j++)
        finish(job.sum + j * SUMS, of, s->rows.n_folds, &s->fitted.importance[j],
               &s->fitted.importance_error[j]);
    return HEFT_OK;
}
