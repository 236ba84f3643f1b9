/* api_predict.c - the public calls that score rows: into the caller's memory, or as CSV. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/comm.h"
#include "base/dict.h"
#include "base/num.h"
#include "eval/measures.h"
#include "explain/explain.h"
#include "heft_stream.h"
#include "predict/predict_csv.h"

/* ---- into memory ---- */

static heft_status predict_scores(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                  heft_score_kind kind, double *out)
{
    if (kind == HEFT_PROBABILITY) return heft_posterior(ctx, model, data, out);
    if (kind != HEFT_LOG_PROBABILITY && kind != HEFT_SCORE)
        return heft_fail(ctx, HEFT_EINVAL, "heft_score_kind: %d is not one of its values",
                         (int)kind);
    HEFT_CHECK(heft_scores(ctx, model, data, out));
    const size_t K = model->fitted.n_class;
    for (size_t i = 0; kind == HEFT_LOG_PROBABILITY && i < data->n_rows; i++) {
        double      *v = out + i * K;
        const double total = heft_logsumexp(v, K);
        for (size_t c = 0; c < K; c++) v[c] = isfinite(total) ? v[c] - total : -log((double)K);
    }
    return HEFT_OK;
}

heft_status heft_predict_scores(const heft_model *model, const heft_table *data,
                                heft_score_kind kind, const heft_runtime *run, double *out,
                                heft_error *err)
{
    HEFT_ENTER(run);
    const heft_status st = heft_need(ctx, model && data && out, __func__);
    return heft_comm_end(ctx, st == HEFT_OK ? predict_scores(ctx, model, data, kind, out) : st);
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
              predict_scores(ctx, model, data, HEFT_LOG_PROBABILITY, log_proba));
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

static heft_status decide_rows(const heft_model *model, const double *proba, size_t n_rows,
                               int32_t *classes)
{
    const size_t K = model->fitted.n_class;
    for (size_t i = 0; i < n_rows; i++)
        classes[i] = (int32_t)heft_decide(&model->decision, proba + i * K, K);
    return HEFT_OK;
}

heft_status heft_model_decide(const heft_model *model, const double *proba, size_t n_rows,
                              int32_t *classes, heft_error *err)
{
    HEFT_CALL(model && (n_rows == 0 || (proba && classes)), HEFT_ONE_THREAD,
              decide_rows(model, proba, n_rows, classes));
}

static heft_status measure_predictions(heft_ctx *ctx, const heft_predicted *made, size_t n,
                                       size_t n_class, double *measures,
                                       heft_class_figures *by_class)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_measures found;
    uint16_t     *y, *guess;
    HEFT_CHECK(heft_check_classes(ctx, "the predictions", n_class));
    HEFT_ALLOC(ctx, &ctx->scratch, y, n);
    HEFT_ALLOC(ctx, &ctx->scratch, guess, n);
    for (size_t i = 0; i < n; i++) {
        const int32_t a = made->actual[i], p = made->predicted[i];
        if (a < 0 || p < 0 || (size_t)a >= n_class || (size_t)p >= n_class)
            return heft_fail(ctx, HEFT_EINVAL,
                             "prediction %zu: class %d is not from 0 to %zu (number the classes "
                             "from 0 on)",
                             i + 1, a < 0 || (size_t)a >= n_class ? a : p, n_class - 1);
        y[i] = (uint16_t)a;
        guess[i] = (uint16_t)p;
        for (size_t c = 0; c < n_class; c++)
            if (!(made->proba[i * n_class + c] >= 0 && made->proba[i * n_class + c] <= 1))
                return heft_fail(
                    ctx, HEFT_ENUMERIC,
                    "prediction %zu: %g is not a probability (give numbers from 0 to 1)", i + 1,
                    made->proba[i * n_class + c]);
    }
    const heft_outcomes rows = {
        .proba = made->proba, .y = y, .guess = guess, .n = n, .n_class = n_class, .positive = 1};
    HEFT_CHECK(heft_measure(ctx, &rows, &found, by_class));
    memcpy(measures, found.value, sizeof found.value);
    return HEFT_OK;
}

heft_status heft_measure_predictions(const heft_predicted *made, size_t n, size_t n_classes,
                                     double *measures, heft_class_figures *by_class,
                                     heft_error *err)
{
    HEFT_CALL(made && made->actual && made->predicted && made->proba && n && n_classes && measures,
              HEFT_ONE_THREAD, measure_predictions(ctx, made, n, n_classes, measures, by_class));
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
    heft_status       st = HEFT_OK;
    heft_prepared     prepared = {0};
    heft_table       *row = NULL;
    heft_terms        terms;
    heft_row_evidence evidence;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, model && data && parts && score, __func__));
    const size_t K = model->fitted.n_class;
    HEFT_TRY(heft_check_row(ctx, data, i));
    HEFT_TRY(heft_table_take(ctx, data, &i, 1, &row));
    HEFT_TRY(heft_prep_apply(ctx, &model->prep, row, &prepared));
    HEFT_TRY(heft_terms_shown(ctx, model, &terms));
    HEFT_TRY(heft_terms_row(ctx, &terms, &prepared.rows, 0, &evidence));
    memcpy(parts, evidence.parts, (1 + model->fitted.n_attr) * K * sizeof *parts);
    for (size_t c = 0; c < K; c++) {
        score[c] = 0;
        for (size_t j = 0; j <= model->fitted.n_attr; j++) score[c] += parts[j * K + c];
    }
done:
    heft_prepared_clear(&prepared);
    heft_table_free(row);
    return st;
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
    heft_tally    count = {0};
    heft_csv_plan own = *plan;
    heft_csv_more reasons;
    heft_status   st = tally ? heft_struct_fits(ctx, TALLY, tally) : HEFT_OK;
    if (st == HEFT_OK && n_reasons) {
        st = heft_reasons_csv(ctx, own.model, n_reasons, &reasons);
        own.more = &reasons;
    }
    if (st == HEFT_OK) st = heft_predict_csv(ctx, &own, &count);
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

/* `from`, of a call for rows of a file in blocks: what the reader is to know of the model. */
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
    HEFT_ENTER(own.run ? own.run : from.run);
    HEFT_CHECK(heft_need(ctx, model && path && to, __func__));
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
    heft_source   from;
    heft_expect   expect;
    heft_csv_more terms;
    heft_tally    tally = {0};
    HEFT_CHECK(heft_struct_of_call(HEFT_SOURCE, source, &from, err));
    HEFT_ENTER(from.run);
    HEFT_CHECK(heft_need(ctx, model && path && to, __func__));
    HEFT_CHECK(open_source(ctx, model, __func__, &from, &expect));
    HEFT_CHECK(heft_terms_csv(ctx, model, &terms));
    return heft_predict_csv(ctx,
                            &(heft_csv_plan){.model = model,
                                             .path = to,
                                             .more = &terms,
                                             .only = row,
                                             .from = path,
                                             .how = &from,
                                             .expect = &expect},
                            &tally);
}
