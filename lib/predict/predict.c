/* predict.c - from a model and rows to scores, probabilities and classes. */
#include "predict/predict.h"

#include <math.h>

#include "base/comm.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"

/* Rows of a task, and bytes of probabilities in memory at once where only classes are kept. */
enum { SCORE_BLOCK = 8192, PART_BYTES = 32 << 20 };

/* If the rows are spread over the ranks, rank 0 warns for all of them. */
heft_status heft_warn_unseen(heft_ctx *ctx, const heft_model *model, const char *name, size_t n)
{
    int64_t all = (int64_t)n;
    if (!model->comm) HEFT_CHECK(heft_all_add(ctx, &all, 1));
    if (all && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING,
                 "%s: %s %s a value that is not in the training data (treated as %s)",
                 name ? name : "the table", HEFT_COUNT_OF((size_t)all, "cell"),
                 all == 1 ? "has" : "have",
                 model->prep.spec.unseen_zero ? "a value with count 0"
                 : model->prep.spec.impute    ? "the most frequent value"
                                              : "missing");
    return HEFT_OK;
}

static heft_status score_rows(heft_ctx *ctx, const heft_model *model, const heft_rows *rows,
                              void *log_joint)
{
    HEFT_CHECK((model->method->score ? model->method->score
                                     : heft_score_additive)(ctx, &model->fitted, rows, log_joint));
    heft_calibrate(&model->calibration, rows->n_rows, model->fitted.n_class, log_joint);
    return HEFT_OK;
}

typedef heft_status rows_fn(heft_ctx *ctx, const heft_model *model, const heft_rows *rows,
                            void *out);

/* Calls fn with the prepared rows of a table. Where training rows are spread over ranks, all of
 * these take part. */
static heft_status with_rows(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                             rows_fn *fn, void *out)
{
    HEFT_LOCAL(heft_prepared) prepared = {0};
    const heft_comm          *outer = ctx->comm;
    if (model->comm) ctx->comm = model->comm;
    heft_status st = heft_prep_apply(ctx, &model->prep, table, &prepared);
    if (st == HEFT_OK)
        st = heft_warn_unseen(ctx, model, heft_table_label(table), prepared.n_unseen);
    if (st == HEFT_OK) st = fn(ctx, model, &prepared.rows, out);
    if (model->comm) st = heft_comm_end(ctx, st);
    ctx->comm = outer;
    return st;
}

heft_status heft_scores(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                        double *log_joint)
{
    return with_rows(ctx, model, table, score_rows, log_joint);
}

static heft_status softmax_rows(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const size_t        K = ((const heft_model *)job->own)->fitted.n_class;
    (void)ctx;
    for (size_t i = lo; i < hi; i++) heft_softmax(job->log_joint + i * K, K);
    return HEFT_OK;
}

heft_status heft_posterior(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                           double *proba)
{
    HEFT_CHECK(heft_scores(ctx, model, table, proba));
    return heft_run_blocks(ctx, table->n_rows, SCORE_BLOCK, softmax_rows,
                           &(heft_scoring){.own = model, .log_joint = proba});
}

static heft_status score_row(heft_ctx *ctx, const heft_model *model, const double *raw,
                             double *log_joint)
{
    heft_row  row;
    heft_rows rows;
    HEFT_CHECK(heft_row_open(ctx, &model->prep, raw, &row));
    if (model->method->score) {
        HEFT_CHECK(heft_row_prepare(ctx, &row, &rows));
        return score_rows(ctx, model, &rows, log_joint);
    }
    HEFT_CHECK(heft_score_row(ctx, &model->fitted, &row, log_joint));
    heft_calibrate(&model->calibration, 1, model->fitted.n_class, log_joint);
    return HEFT_OK;
}

heft_status heft_posterior_row(heft_ctx *ctx, const heft_model *model, const double *raw,
                               double *proba)
{
    if (model->comm) ctx->comm = model->comm; /* all ranks answer */
    const heft_status st = score_row(ctx, model, raw, proba);
    HEFT_CHECK(model->comm ? heft_comm_end(ctx, st) : st);
    heft_softmax(proba, model->fitted.n_class);
    return HEFT_OK;
}

heft_status heft_posterior_rows(heft_ctx *ctx, const heft_model *model, const heft_rows *rows,
                                double *proba)
{
    HEFT_CHECK(score_rows(ctx, model, rows, proba));
    return heft_run_blocks(ctx, rows->n_rows, SCORE_BLOCK, softmax_rows,
                           &(heft_scoring){model, rows, proba});
}

static heft_status predict_rows(heft_ctx *ctx, const heft_model *model, const heft_rows *rows,
                                void *classes)
{
    const size_t          n = rows->n_rows, K = model->fitted.n_class;
    const size_t          fit = PART_BYTES / (K * sizeof(double)), some = fit ? fit : 1;
    const size_t          part = n < some || model->comm ? n : some; /* ranks score all at once */
    HEFT_FREED heft_attr *attr = NULL;
    HEFT_FREED double    *proba = NULL;
    HEFT_NEW(ctx, proba, heft_times(part, K));
    HEFT_NEW(ctx, attr, model->prep.n_attr);
    for (size_t lo = 0; lo < n; lo += part) {
        heft_sparse     sparse;
        const size_t    hi = n - lo < part ? n : lo + part;
        const heft_rows some_rows = heft_rows_part(rows, lo, hi, attr, &sparse);
        HEFT_CHECK(heft_posterior_rows(ctx, model, &some_rows, proba));
        HEFT_CHECK(heft_decide_rows(model, proba, hi - lo, (int32_t *)classes + lo));
    }
    return HEFT_OK;
}

heft_status heft_predict_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                 int32_t *classes)
{
    return with_rows(ctx, model, table, predict_rows, classes);
}

heft_status heft_scores_as(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                           heft_score_kind kind, double *out)
{
    if (kind == HEFT_PROBABILITY) return heft_posterior(ctx, model, data, out);
    if (kind != HEFT_LOG_PROBABILITY && kind != HEFT_SCORE)
        return heft_fail(ctx, HEFT_EINVAL, "heft_score_kind: %d is not one of its values",
                         (int)kind);
    HEFT_CHECK(heft_scores(ctx, model, data, out));
    if (kind == HEFT_SCORE) return HEFT_OK;
    const size_t K = model->fitted.n_class;
    for (size_t i = 0; i < data->n_rows; i++) {
        double      *v = out + i * K;
        const double total = heft_logsumexp(v, K);
        for (size_t c = 0; c < K; c++) v[c] = isfinite(total) ? v[c] - total : -log((double)K);
    }
    return HEFT_OK;
}

heft_status heft_decide_rows(const heft_model *model, const double *proba, size_t n_rows,
                             int32_t *classes)
{
    const size_t K = model->fitted.n_class;
    for (size_t i = 0; i < n_rows; i++)
        classes[i] = (int32_t)heft_decide(&model->decision, proba + i * K, K);
    return HEFT_OK;
}
