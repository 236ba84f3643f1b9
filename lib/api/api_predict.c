/* api_predict.c - the public calls that score rows: into the caller's memory, or as CSV. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/comm.h"
#include "base/num.h"
#include "explain/terms.h"
#include "model/predict_csv.h"

/* ---- into memory ---- */

heft_status heft_predict_proba(const heft_model *model, const heft_table *data, double *proba,
                               heft_error *err)
{
    HEFT_CALL(model && data && proba, 0, NULL, heft_posterior(ctx, model, data, proba));
}

heft_status heft_predict_log_proba(const heft_model *model, const heft_table *data,
                                   double *log_proba, heft_error *err)
{
    HEFT_ENTER(0, 0, NULL);
    HEFT_CHECK(heft_need(ctx, model && data && log_proba, __func__));
    HEFT_CHECK(heft_scores(ctx, model, data, log_proba));
    const size_t K = model->fitted.n_class;
    for (size_t i = 0; i < data->n_rows; i++) {
        double      *v = log_proba + i * K;
        const double total = heft_logsumexp(v, K);
        for (size_t c = 0; c < K; c++)
            v[c] = isinf(v[c]) ? -DBL_MAX : isfinite(total) ? v[c] - total : -log((double)K);
    }
    return HEFT_OK;
}

heft_status heft_predict_joint(const heft_model *model, const heft_table *data, double *log_joint,
                               heft_error *err)
{
    HEFT_ENTER(0, 0, NULL);
    HEFT_CHECK(heft_need(ctx, model && data && log_joint, __func__));
    HEFT_CHECK(heft_scores(ctx, model, data, log_joint));
    for (size_t k = 0; k < data->n_rows * model->fitted.n_class; k++)
        if (!(log_joint[k] >= -DBL_MAX)) log_joint[k] = -DBL_MAX;
    return HEFT_OK;
}

heft_status heft_predict(const heft_model *model, const heft_table *data, int32_t *classes,
                         heft_error *err)
{
    heft_status st = HEFT_OK;
    HEFT_ENTER(0, 0, NULL);
    HEFT_CHECK(heft_need(ctx, model && data && classes, __func__));
    const size_t K = model->fitted.n_class;
    double      *proba = heft_alloc(data->n_rows, K * sizeof *proba);
    if (!proba) HEFT_TRY(heft_no_memory(ctx, data->n_rows, K * sizeof *proba));
    HEFT_TRY(heft_posterior(ctx, model, data, proba));
    for (size_t i = 0; i < data->n_rows; i++) classes[i] = (int32_t)heft_argmax(proba + i * K, K);
done:
    heft_free(proba);
    return st;
}

heft_status heft_model_truth(const heft_model *model, const heft_table *data, int32_t *classes,
                             heft_error *err)
{
    HEFT_CALL(model && data && classes, 1, NULL, heft_truth(ctx, model, data, classes, NULL));
}

heft_status heft_explain(const heft_model *model, const heft_table *data, size_t i, double *parts,
                         double *score, heft_error *err)
{
    heft_status       st = HEFT_OK;
    heft_prepared     prepared = {0};
    heft_table       *row = NULL;
    heft_terms        terms;
    heft_row_evidence evidence;
    HEFT_ENTER(1, 0, NULL);
    HEFT_CHECK(heft_need(ctx, model && data && parts && score, __func__));
    const size_t K = model->fitted.n_class;
    HEFT_TRY(heft_check_row(ctx, data, i));
    HEFT_TRY(heft_table_take(ctx, data, &i, 1, &row));
    HEFT_TRY(heft_prep_apply(ctx, &model->prep, row, &prepared));
    HEFT_TRY(heft_terms_open(ctx, model, &terms));
    HEFT_TRY(heft_terms_row(ctx, &terms, &prepared.rows, 0, &evidence));
    memcpy(parts, evidence.parts, (1 + model->fitted.n_attr) * K * sizeof *parts);
    for (size_t c = 0; c < K; c++) {
        score[c] = 0;
        for (size_t j = 0; j <= model->fitted.n_attr; j++) {
            double *part = &parts[j * K + c];
            if (isinf(*part)) *part = -DBL_MAX; /* the class is left out */
            score[c] += *part;
        }
        if (isinf(score[c])) score[c] = -DBL_MAX;
    }
done:
    heft_prepared_clear(&prepared);
    heft_table_free(row);
    return st;
}

/* ---- as CSV ---- */

static heft_status write_csv(heft_ctx *ctx, bool given, const char *call, const heft_csv_plan *plan,
                             size_t *right, size_t *known)
{
    heft_score_count count = {0};
    heft_status      st = heft_need(ctx, given, call);
    if (st == HEFT_OK) st = heft_predict_csv(ctx, plan, &count);
    HEFT_CHECK(heft_comm_end(ctx, st));
    if (right) *right = count.right;
    if (known) *known = count.known;
    return HEFT_OK;
}

heft_status heft_predict_write_ranks(const heft_model *model, const heft_table *data,
                                     const char *path, bool proba, int threads,
                                     const heft_talk *talk, const heft_comm *comm, size_t *right,
                                     size_t *known, heft_error *err)
{
    const heft_csv_plan plan = {model, path, proba, .ranks = true, .data = data};
    HEFT_ENTER(threads, 0, talk);
    HEFT_CHECK(heft_comm_check(ctx, comm));
    ctx->comm = comm;
    return write_csv(ctx, model && data && path, __func__, &plan, right, known);
}

heft_status heft_predict_write(const heft_model *model, const heft_table *data, const char *path,
                               bool proba, int threads, const heft_talk *talk, size_t *right,
                               size_t *known, heft_error *err)
{
    const heft_csv_plan plan = {model, path, proba, .data = data};
    if (model && model->comm)
        return heft_predict_write_ranks(model, data, path, proba, threads, talk, model->comm, right,
                                        known, err);
    HEFT_ENTER(threads, 0, talk);
    return write_csv(ctx, model && data && path, __func__, &plan, right, known);
}

heft_status heft_predict_file(const heft_model *model, const char *path, const heft_source *how,
                              const char *to, bool proba, size_t *right, size_t *known,
                              heft_error *err)
{
    heft_source         source = how ? *how : (heft_source){0};
    heft_expect         expect;
    const heft_csv_plan plan = {model, to, proba, .from = path, .how = &source, .expect = &expect};
    HEFT_ENTER(source.threads, 0, source.talk);
    HEFT_CHECK(heft_need(ctx, model && path && to, __func__));
    if (model->comm || source.comm)
        return heft_fail(ctx, HEFT_EINVAL,
                         "heft_predict_file works alone (read shares and use "
                         "heft_predict_write_ranks)");
    HEFT_CHECK(heft_ctx_limit(ctx, source.memory, source.scratch));
    source.like = model;
    HEFT_CHECK(heft_expect_of(ctx, model, &expect));
    return write_csv(ctx, true, __func__, &plan, right, known);
}
