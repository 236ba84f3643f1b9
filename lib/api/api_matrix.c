/* api_matrix.c - heft_fit_matrix: numbers fitted where they stand. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/api.h"
#include "train/fit.h"

/* ---- by way of a table ---- */

static heft_status fit_table(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                             heft_model **out)
{
    heft_table *table = NULL;
    heft_error *err = ctx->err;
    heft_status st = heft_table_create(m->n_rows, &table, err);
    if (st == HEFT_OK)
        st = heft_table_borrow_matrix(table, m->n_cols, m->cells, m->row_stride, m->col_stride,
                                      m->names, err);
    if (st == HEFT_OK)
        st = heft_table_set_target(table, m->target ? m->target : "class", m->codes, m->classes,
                                   m->n_classes, err);
    if (st == HEFT_OK && m->weights) st = heft_table_set_weights(table, m->weights, err);
    if (st == HEFT_OK) st = heft_fit(table, config, out, err);
    heft_table_free(table);
    return st;
}

/* ---- by sums alone ---- */

static bool no_calibration(const heft_config *config)
{
    return !config->calibrate || strcmp(config->calibrate, "none") == 0;
}

/* The method sees numbers through sums, and nothing is learned to prepare them. */
static heft_status sums_suffice(heft_ctx *ctx, const heft_config *config, bool *yes)
{
    const heft_method *method;
    heft_prep_spec     spec;
    *yes = false;
    HEFT_CHECK(heft_method_of(ctx, config->method, &method));
    HEFT_CHECK(heft_spec_of(ctx, method, config, &spec));
    *yes = method->suffstats == (HEFT_STATS_COUNTS | HEFT_STATS_SUMS) && !spec.impute &&
           spec.cutting == HEFT_CUT_NONE && spec.scaling == HEFT_SCALE_NONE && !config->select &&
           !config->like && !config->memory && no_calibration(config);
    return HEFT_OK;
}

/* Classes as rows have them. False when some row has none, or no weight: then it is left out, which
 * is the table's business. */
static bool all_rows_teach(const heft_matrix *m, uint16_t *y, size_t *n_used)
{
    bool ok = true;
    for (size_t i = 0; i < m->n_rows; i++) {
        const bool known = m->codes[i] >= 0 && (size_t)m->codes[i] < m->n_classes;
        ok = ok && known;
        y[i] = (uint16_t)m->codes[i];
    }
    double sum = 0;
    for (size_t i = 0; ok && m->weights && i < m->n_rows; i++) {
        ok = m->weights[i] > 0;
        sum += m->weights[i];
    }
    ok = ok && sum < 0x1p1000;
    *n_used = 0;
    for (size_t i = 1; ok && i < m->n_rows && *n_used < 2; i++) *n_used = y[i] != y[0] ? 2 : 1;
    return ok;
}

/* The columns and classes, without a row. */
static heft_status outline(heft_ctx *ctx, const heft_matrix *m, const heft_prep_spec *spec,
                           heft_model *model)
{
    heft_table *table = NULL;
    heft_error *err = ctx->err;
    heft_status st = heft_table_create(0, &table, err);
    if (st == HEFT_OK)
        st = heft_table_add_matrix(table, m->n_cols, m->cells, m->row_stride, m->col_stride,
                                   m->names, err);
    if (st == HEFT_OK)
        st = heft_table_set_target(table, m->target ? m->target : "class", m->codes, m->classes,
                                   m->n_classes, err);
    if (st == HEFT_OK) st = heft_prep_fit(ctx, table, spec, &model->arena, &model->prep);
    heft_table_free(table);
    return st;
}

/* Called when the sums are not finite. */
static heft_status name_infinite(heft_ctx *ctx, const heft_matrix *m, const heft_prep *prep)
{
    for (size_t j = 0; j < m->n_cols; j++)
        for (size_t i = 0; i < m->n_rows; i++)
            if (isinf(m->cells[(ptrdiff_t)i * m->row_stride + (ptrdiff_t)j * m->col_stride]))
                return heft_fail(ctx, HEFT_EINVAL, "column '%.100s', row %zu: not a finite number",
                                 prep->attr[j].name, i + 1);
    return heft_fail(ctx, HEFT_ENUMERIC, "the numbers are too large to be summed");
}

static heft_status fit_sums(heft_ctx *ctx, const heft_matrix *m, const uint16_t *y,
                            const heft_config *config, heft_model **out)
{
    heft_status      st = HEFT_OK;
    const double     began = heft_clock();
    const heft_table none = {0};
    heft_model      *model = NULL;
    heft_prep_spec   spec;
    heft_attr       *attr;

    HEFT_TRY(heft_model_new(ctx, &model));
    HEFT_TRY(heft_method_of(ctx, config->method, &model->method));
    HEFT_TRY(heft_spec_of(ctx, model->method, config, &spec));
    HEFT_TRY(outline(ctx, m, &spec, model));
    HEFT_ARENA(ctx, &ctx->scratch, attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) attr[j].width = sizeof(double);
    heft_rows rows = {.n_rows = m->n_rows,
                      .n_attr = m->n_cols,
                      .n_class = m->n_classes,
                      .attr = attr,
                      .y = y,
                      .weight = m->weights,
                      .matrix = m};
    HEFT_TRY(heft_take_suffstats(ctx, config->part, &none, &rows, model));
    if (!heft_sums_finite(&model->suffstats->sums)) HEFT_TRY(name_infinite(ctx, m, &model->prep));
    HEFT_TRY(heft_fit_prepared(ctx, config, false, &rows, model));
    model->fitted.training.seconds = heft_clock() - began;
    *out = model, model = NULL;
done:
    heft_model_free(model);
    return st;
}

static heft_status fit_matrix(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                              heft_model **out)
{
    heft_status st = HEFT_OK;
    bool        direct;
    uint16_t   *y = NULL;
    size_t      n_used = 0;

    HEFT_TRY(heft_need(ctx,
                       (m->cells || !m->n_rows || !m->n_cols) && (m->codes || !m->n_rows) &&
                           (m->classes || !m->n_classes),
                       "heft_fit_matrix"));
    HEFT_TRY(sums_suffice(ctx, config, &direct));
    if (config->comm && config->comm->size > 1) direct = false; /* heft_fit joins the ranks */
    if (direct && m->n_rows && m->n_cols && m->n_classes && m->n_classes <= HEFT_MOST_CLASSES) {
        y = heft_alloc(m->n_rows, sizeof *y);
        if (!y) HEFT_TRY(heft_no_memory(ctx, m->n_rows, sizeof *y));
        direct = all_rows_teach(m, y, &n_used) && (n_used > 1 || config->part);
    } else direct = false;
    st = direct ? fit_sums(ctx, m, y, config, out) : fit_table(ctx, m, config, out);
done:
    heft_free(y);
    return st;
}

heft_status heft_fit_matrix(const heft_matrix *data, const heft_config *config, heft_model **out,
                            heft_error *err)
{
    heft_ctx          ctx;
    heft_status       st = HEFT_OK;
    const heft_config plain = {0};

    if (!config) config = &plain;
    if (out) *out = NULL;
    heft_ctx_init(&ctx, err, config->threads, config->seed, config->talk);
    HEFT_TRY(heft_need(&ctx, data && out, "heft_fit_matrix"));
    HEFT_TRY(fit_matrix(&ctx, data, config, out));
done:
    heft_ctx_clear(&ctx);
    return st;
}
