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
    HEFT_CALL_WITH(model && data && proba, 0, NULL, heft_posterior(&ctx, model, data, proba));
}

static heft_status log_posterior(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                 double *out)
{
    const size_t K = model->fitted.n_class;
    HEFT_CHECK(heft_scores(ctx, model, data, out));
    for (size_t i = 0; i < data->n_rows; i++) {
        double      *v = out + i * K;
        const double total = heft_logsumexp(v, K);
        for (size_t c = 0; c < K; c++)
            v[c] = isinf(v[c]) ? -DBL_MAX : isfinite(total) ? v[c] - total : -log((double)K);
    }
    return HEFT_OK;
}

heft_status heft_predict_log_proba(const heft_model *model, const heft_table *data,
                                   double *log_proba, heft_error *err)
{
    HEFT_CALL_WITH(model && data && log_proba, 0, NULL,
                   log_posterior(&ctx, model, data, log_proba));
}

static heft_status joint(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                         double *out)
{
    HEFT_CHECK(heft_scores(ctx, model, data, out));
    for (size_t k = 0; k < data->n_rows * model->fitted.n_class; k++)
        if (!(out[k] >= -DBL_MAX)) out[k] = -DBL_MAX;
    return HEFT_OK;
}

heft_status heft_predict_joint(const heft_model *model, const heft_table *data, double *log_joint,
                               heft_error *err)
{
    HEFT_CALL_WITH(model && data && log_joint, 0, NULL, joint(&ctx, model, data, log_joint));
}

static heft_status predict_codes(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                 int32_t *classes)
{
    heft_status  st = HEFT_OK;
    const size_t K = model->fitted.n_class;
    double      *proba = heft_alloc(data->n_rows, K * sizeof *proba);

    if (!proba) HEFT_TRY(heft_no_memory(ctx, data->n_rows, K * sizeof *proba));
    HEFT_TRY(heft_posterior(ctx, model, data, proba));
    for (size_t i = 0; i < data->n_rows; i++) classes[i] = (int32_t)heft_argmax(proba + i * K, K);
done:
    heft_free(proba);
    return st;
}

heft_status heft_predict(const heft_model *model, const heft_table *data, int32_t *classes,
                         heft_error *err)
{
    HEFT_CALL_WITH(model && data && classes, 0, NULL, predict_codes(&ctx, model, data, classes));
}

heft_status heft_model_truth(const heft_model *model, const heft_table *data, int32_t *classes,
                             heft_error *err)
{
    HEFT_CALL_WITH(model && data && classes, 1, NULL, heft_truth(&ctx, model, data, classes));
}

static heft_status explain_parts(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                 size_t i, double *parts, double *score)
{
    heft_status       st = HEFT_OK;
    heft_prepared     prepared = {0};
    heft_table       *row = NULL;
    heft_terms        terms;
    heft_row_evidence evidence;
    const size_t      K = model->fitted.n_class;

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

heft_status heft_explain(const heft_model *model, const heft_table *data, size_t i, double *parts,
                         double *score, heft_error *err)
{
    HEFT_CALL_WITH(model && data && parts && score, 1, NULL,
                   explain_parts(&ctx, model, data, i, parts, score));
}

/* ---- as CSV ---- */

static void give_count(const heft_score_count *count, size_t *right, size_t *known)
{
    if (right) *right = count->right;
    if (known) *known = count->known;
}

heft_status heft_predict_write_ranks(const heft_model *model, const heft_table *data,
                                     const char *path, bool proba, int threads,
                                     const heft_talk *talk, const heft_comm *comm, size_t *right,
                                     size_t *known, heft_error *err)
{
    heft_ctx         ctx;
    heft_status      st = HEFT_OK;
    heft_score_count count = {0};

    heft_ctx_init(&ctx, err, threads, 0, talk);
    HEFT_TRY(heft_comm_check(&ctx, comm));
    ctx.comm = comm;
    st = heft_need(&ctx, model && data && path, __func__);
    if (st == HEFT_OK)
        st = heft_predict_csv_ranks(&ctx, &(heft_csv_plan){model, path, proba}, data, &count);
    st = heft_comm_end(&ctx, st);
    give_count(&count, right, known);
done:
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_predict_write(const heft_model *model, const heft_table *data, const char *path,
                               bool proba, int threads, const heft_talk *talk, size_t *right,
                               size_t *known, heft_error *err)
{
    heft_ctx         ctx;
    heft_status      st = HEFT_OK;
    heft_score_count count = {0};

    if (model && model->comm)
        return heft_predict_write_ranks(model, data, path, proba, threads, talk, model->comm, right,
                                        known, err);
    heft_ctx_init(&ctx, err, threads, 0, talk);
    HEFT_TRY(heft_need(&ctx, model && data && path, __func__));
    HEFT_TRY(heft_predict_csv(&ctx, &(heft_csv_plan){model, path, proba}, data, &count));
    give_count(&count, right, known);
done:
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_predict_file(const heft_model *model, const char *path, const heft_source *how,
                              const char *to, bool proba, size_t *right, size_t *known,
                              heft_error *err)
{
    heft_ctx         ctx;
    heft_status      st = HEFT_OK;
    heft_source      plan = how ? *how : (heft_source){0};
    heft_expect      expect;
    heft_score_count count = {0};

    heft_ctx_init(&ctx, err, plan.threads, 0, plan.talk);
    HEFT_TRY(heft_need(&ctx, model && path && to, __func__));
    if (model->comm || plan.comm)
        HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL,
                           "heft_predict_file works alone (read shares and use "
                           "heft_predict_write_ranks)"));
    HEFT_TRY(heft_ctx_limit(&ctx, plan.memory, plan.scratch));
    plan.like = model;
    HEFT_TRY(heft_expect_of(&ctx, model, &expect));
    HEFT_TRY(heft_predict_csv_stream(&ctx, &(heft_csv_plan){model, to, proba}, path, &plan, &expect,
                                     &count));
    give_count(&count, right, known);
done:
    heft_ctx_clear(&ctx);
    return st;
}
