/* api_predict.c - the public calls that score rows: into the caller's memory, or as CSV. */
#include "api/api.h"
#include "base/comm.h"
#include "explain/explain.h"
#include "explain/view.h"
#include "heft_stream.h"
#include "predict/predict_csv.h"

/* ---- into memory ---- */

heft_status heft_predict_scores(const heft_model *model, const heft_table *data,
                                heft_score_kind kind, const heft_runtime *run, double *out,
                                heft_error *err)
{
    HEFT_ENTER(run);
    const heft_status st = heft_need(ctx, model && data && out, __func__);
    return heft_comm_end(ctx, st == HEFT_OK ? heft_scores_as(ctx, model, data, kind, out) : st);
}

heft_status heft_predict_proba(const heft_model *model, const heft_table *data, double *proba,
                               heft_error *err)
{
    HEFT_CALL(model && data && proba, NULL, heft_posterior(ctx, model, data, proba));
}

heft_status heft_predict_log_proba(const heft_model *model, const heft_table *data,
                                   double *log_proba, heft_error *err)
{
    HEFT_CALL(model && data && log_proba, NULL,
              heft_scores_as(ctx, model, data, HEFT_LOG_PROBABILITY, log_proba));
}

heft_status heft_predict_row(const heft_model *model, const double *row, double *proba,
                             heft_error *err)
{
    HEFT_CALL(model && (row || model->prep.n_attr == 0) && proba, HEFT_ONE_THREAD,
              heft_posterior_row(ctx, model, row, proba));
}

heft_status heft_predict(const heft_model *model, const heft_table *data, int32_t *classes,
                         heft_error *err)
{
    HEFT_CALL(model && data && classes, NULL, heft_predict_classes(ctx, model, data, classes));
}

heft_status heft_model_decide(const heft_model *model, const double *proba, size_t n_rows,
                              int32_t *classes, heft_error *err)
{
    HEFT_CALL(model && (n_rows == 0 || (proba && classes)), HEFT_ONE_THREAD,
              heft_decide_rows(model, proba, n_rows, classes));
}

heft_status heft_decision_check(const char *cost, const char *threshold, heft_error *err)
{
    HEFT_CALL(true, HEFT_ONE_THREAD, heft_decision_words(ctx, cost, threshold));
}

heft_status heft_model_set_decision(heft_model *model, const char *cost, const char *threshold,
                                    heft_error *err)
{
    HEFT_CALL(model, HEFT_ONE_THREAD, heft_model_rule(ctx, model, cost, threshold));
}

heft_status heft_model_labels(const heft_model *model, const heft_table *data, int32_t *classes,
                              heft_error *err)
{
    HEFT_CALL(model && data && classes, HEFT_ONE_THREAD,
              heft_true_classes(ctx, model, data, classes, NULL));
}

heft_status heft_explain_row(const heft_model *model, const heft_table *data, size_t i,
                             double *parts, double *score, heft_error *err)
{
    HEFT_OPEN(model && data && parts && score, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_check_row(ctx, data, i));
    return heft_row_parts(ctx, model, data, i, parts, score);
}

heft_status heft_predict_reasons(const heft_model *model, const heft_table *data, size_t n,
                                 const heft_runtime *run, heft_reason *reasons, heft_error *err)
{
    HEFT_CALL(model && data && (reasons || n == 0), run,
              heft_reasons_of(ctx, model, data, n, reasons));
}

/* ---- as CSV ---- */

#define PREDICTIONS HEFT_STRUCT(heft_predictions, run)
#define TALLY       HEFT_STRUCT(heft_tally, n_right)

static heft_status write_csv(heft_ctx *ctx, const heft_csv_plan *plan, size_t n_reasons,
                             heft_tally *tally)
{
    heft_tally  count = {0};
    heft_status st = tally ? heft_struct_fits(ctx, TALLY, tally) : HEFT_OK;
    if (st == HEFT_OK) st = heft_predict_reasons_csv(ctx, plan, n_reasons, &count);
    HEFT_CHECK(heft_comm_end(ctx, st));
    return tally ? heft_struct_give(ctx, TALLY, &count, tally) : HEFT_OK;
}

heft_status heft_predict_table(const heft_model *model, const heft_table *data, const char *to,
                               const heft_predictions *how, heft_tally *tally, heft_error *err)
{
    heft_predictions own;
    HEFT_ENTER_WITH(PREDICTIONS, how, own);
    if (!model || !data || !to) return heft_comm_end(ctx, heft_need(ctx, false, __func__));
    if (model->comm && !ctx->comm) ctx->comm = model->comm;
    const heft_csv_plan plan = {.model = model,
                                .path = to,
                                .proba = own.proba,
                                .actual = own.actual,
                                .ranks = !heft_is_single(ctx),
                                .data = data};
    return write_csv(ctx, &plan, own.reasons, tally);
}

/* Opens the rows of a file in blocks, with what the reader must know of the model. */
static heft_status open_source(heft_ctx *ctx, const heft_model *model, const char *call,
                               heft_source *from, heft_expect *expect)
{
    if (model->comm || !heft_is_single(ctx))
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s does not work on several ranks (read shares and use "
                         "heft_predict_table)",
                         call);
    ctx->comm = NULL;
    from->like = model;
    return heft_expect_of(ctx, model, expect);
}

heft_status heft_predict_file(const heft_model *model, const char *path, const heft_source *source,
                              const char *to, const heft_predictions *how, heft_tally *tally,
                              heft_error *err)
{
    heft_predictions own;
    heft_source      from;
    heft_expect      expect;
    HEFT_CHECK(heft_struct_of_call(HEFT_SOURCE, source, &from, err));
    HEFT_CHECK(heft_struct_of_call(PREDICTIONS, how, &own, err));
    HEFT_OPEN(model && path && to, own.run ? own.run : from.run);
    HEFT_CHECK(open_source(ctx, model, __func__, &from, &expect));
    const heft_csv_plan plan = {.model = model,
                                .path = to,
                                .proba = own.proba,
                                .actual = own.actual,
                                .from = path,
                                .how = &from,
                                .expect = &expect};
    return write_csv(ctx, &plan, own.reasons, tally);
}

heft_status heft_explain_file(const heft_model *model, const char *path, const heft_source *source,
                              size_t row, const char *to, heft_error *err)
{
    heft_source from;
    heft_expect expect;
    HEFT_CHECK(heft_struct_of_call(HEFT_SOURCE, source, &from, err));
    HEFT_OPEN(model && path && to, from.run);
    HEFT_CHECK(open_source(ctx, model, __func__, &from, &expect));
    return heft_explain_csv(ctx, &(heft_csv_plan){.model = model,
                                                  .path = to,
                                                  .only = row,
                                                  .from = path,
                                                  .how = &from,
                                                  .expect = &expect});
}
