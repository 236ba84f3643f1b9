/* api_matrix.c - heft_fit_matrix: numbers fitted where they stand. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "train/fit.h"

/* A table of the columns and classes: of all rows, which are borrowed, or of none. */
static heft_status table_of(const heft_matrix *m, bool rows, heft_table **out, heft_error *err)
{
    HEFT_CHECK(heft_table_create(rows ? m->n_rows : 0, out, err));
    HEFT_CHECK((rows ? heft_table_borrow_matrix : heft_table_add_matrix)(
        *out, m->n_cols, m->cells, m->row_stride, m->col_stride, m->names, err));
    HEFT_CHECK(heft_table_set_target(*out, m->target ? m->target : "class", m->codes, m->classes,
                                     m->n_classes, err));
    return rows && m->weights ? heft_table_set_weights(*out, m->weights, err) : HEFT_OK;
}

static heft_status fit_table(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                             heft_model **out)
{
    heft_table *table = NULL;
    heft_status st = table_of(m, true, &table, ctx->err);
    if (st == HEFT_OK) st = heft_fit(table, config, out, ctx->err);
    heft_table_free(table);
    return st;
}

/* ---- by sums alone ---- */

/* The method sees numbers through sums, and nothing is learned to prepare them. Several ranks are
 * the business of heft_fit. */
static bool sums_suffice(const heft_settings *s)
{
    const heft_config *c = &s->config;
    return s->method->suffstats == (HEFT_STATS_COUNTS | HEFT_STATS_SUMS) && !s->spec.impute &&
           s->spec.cutting == HEFT_CUT_NONE && s->spec.scaling == HEFT_SCALE_NONE && !c->select &&
           !c->like && !c->memory && s->calibrating == HEFT_AS_IT_IS &&
           (!c->comm || c->comm->size < 2);
}

/* y[n_rows]: the classes as heft_rows has them. False when a row has no class or no weight, and
 * is to be left out, or when there is one class and `one` is not set: heft_fit knows what to do. */
static bool all_rows_teach(const heft_matrix *m, bool one, uint16_t *y)
{
    bool   known = true, weighed = true, differ = false;
    double sum = 0;
    for (size_t i = 0; i < m->n_rows; i++) {
        known = known && m->codes[i] >= 0 && (size_t)m->codes[i] < m->n_classes;
        y[i] = (uint16_t)m->codes[i];
        differ = differ || y[i] != y[0];
    }
    for (size_t i = 0; m->weights && weighed && i < m->n_rows; i++) {
        weighed = m->weights[i] > 0;
        sum += m->weights[i];
    }
    return known && weighed && sum < 0x1p1000 && (differ || one);
}

static heft_status fit_sums(heft_ctx *ctx, const heft_matrix *m, const uint16_t *y,
                            const heft_settings *s, heft_model **out)
{
    heft_status  st = HEFT_OK;
    const double began = heft_clock();
    heft_model  *model = NULL;
    heft_table  *empty = NULL;
    heft_attr   *attr;

    HEFT_TRY(heft_model_new(ctx, &model));
    HEFT_TRY(table_of(m, false, &empty, ctx->err));
    HEFT_TRY(heft_prep_fit(ctx, empty, &s->spec, &model->arena, &model->prep));
    HEFT_ARENA(ctx, &ctx->scratch, attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) attr[j].width = sizeof(double);
    heft_rows rows = {.n_rows = m->n_rows,
                      .n_attr = m->n_cols,
                      .n_class = m->n_classes,
                      .attr = attr,
                      .y = y,
                      .weight = m->weights,
                      .matrix = m};
    HEFT_TRY(heft_fit_prepared(ctx, s, empty, &rows, model));
    model->fitted.training.seconds = heft_clock() - began;
    *out = model, model = NULL;
done:
    heft_table_free(empty);
    heft_model_free(model);
    return st;
}

heft_status heft_fit_matrix(const heft_matrix *m, const heft_config *config, heft_model **out,
                            heft_error *err)
{
    const heft_config plain = {0};
    heft_settings     s;
    uint16_t         *y = NULL;

    if (!config) config = &plain;
    if (out) *out = NULL;
    HEFT_ENTER(config->threads, config->seed, config->talk);
    HEFT_CHECK(heft_need(ctx,
                         m && out && (m->cells || !m->n_rows || !m->n_cols) &&
                             (m->codes || !m->n_rows) && (m->classes || !m->n_classes),
                         __func__));
    HEFT_CHECK(heft_settings_of(ctx, config, false, &s));
    bool direct = sums_suffice(&s) && m->n_rows && m->n_cols && m->n_classes &&
                  m->n_classes <= HEFT_MOST_CLASSES;
    if (direct) {
        y = heft_alloc(m->n_rows, sizeof *y);
        if (!y) return heft_no_memory(ctx, m->n_rows, sizeof *y);
        direct = all_rows_teach(m, config->part, y);
    }
    const heft_status st = direct ? fit_sums(ctx, m, y, &s, out) : fit_table(ctx, m, config, out);
    heft_free(y);
    return st;
}
