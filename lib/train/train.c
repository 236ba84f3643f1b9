/* train.c - a model from a user's table, or from a matrix that is not copied. */
#include "train/train.h"

#include "base/comm.h"
#include "data/memory_table.h"
#include "data/merge_dicts.h"
#include "train/weights.h"

heft_status heft_train(heft_ctx *ctx, const heft_table *data, const heft_config *config,
                       heft_model **out)
{
    heft_status st = HEFT_OK;
    heft_table *merged = NULL;
    heft_model *model = NULL;
    HEFT_TRY(heft_table_merge_dicts(ctx, data, &merged));
    if (merged) data = merged;
    if (!config->part && !config->like) HEFT_TRY(heft_refuse_one_class(ctx, data, config));
    HEFT_TRY(heft_fit_table(ctx, data, config, false, &model));
done:
    st = heft_comm_end(ctx, st);
    heft_table_delete(merged);
    if (st == HEFT_OK) *out = model;
    else heft_model_delete(model);
    return st;
}

/* ---- fitting a matrix without a copy ---- */

/* Make a table with the columns and classes of the matrix: with all rows, which are borrowed, if
 * `rows` is set, else with no rows. */
static heft_status table_of(heft_ctx *ctx, const heft_matrix *m, bool rows, heft_table **out)
{
    const heft_given_codes target = {m->target ? m->target : "class", m->codes, 1, m->classes,
                                     m->n_classes};
    heft_matrix            part = *m;
    if (!rows) part.n_rows = 0;
    HEFT_CHECK(heft_table_new(ctx, part.n_rows, 0, out));
    HEFT_CHECK(heft_table_put_matrix(ctx, *out, &part, rows));
    HEFT_CHECK(heft_table_put_target(ctx, *out, &target));
    return rows && m->weights ? heft_table_put_weights(ctx, *out, m->weights) : HEFT_OK;
}

static heft_status fit_copy(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                            heft_model **out)
{
    heft_table *table = NULL;
    heft_status st = table_of(ctx, m, true, &table);
    st = st == HEFT_OK ? heft_train(ctx, table, config, out) : heft_comm_end(ctx, st);
    heft_table_delete(table);
    return st;
}

/* Whether sums over the matrix are all that the fit needs: the method uses numbers only through
 * sums, their preparation learns nothing, and there is only one rank. */
static bool sums_suffice(const heft_ctx *ctx, const heft_settings *s)
{
    const heft_config *c = &s->config;
    return s->method->suffstats == (HEFT_STATS_COUNTS | HEFT_STATS_SUMS) && !s->spec.impute &&
           s->spec.cutting == HEFT_CUT_NONE && s->spec.scaling == HEFT_SCALE_NONE && !c->select &&
           !c->like && !heft_memory_limit() && s->calibrating == HEFT_CALIBRATE_NONE &&
           !s->tuning && !c->class_weight && heft_is_single(ctx);
}

/* Set y[n_rows] to the classes, as in heft_rows. Returns false if the rows cannot be used as they
 * are: some row has no class or no weight and must be left out, weights must be scaled, or there is
 * one class and `one` is not set. The caller then takes the way over a table. */
static bool all_rows_teach(const heft_matrix *m, bool one, uint16_t *y)
{
    bool known = true, differ = false;
    for (size_t i = 0; i < m->n_rows; i++) {
        known = known && m->codes[i] >= 0 && (size_t)m->codes[i] < m->n_classes;
        y[i] = (uint16_t)m->codes[i];
        differ = differ || y[i] != y[0];
    }
    if (m->weights)
        for (size_t i = 0; known && i < m->n_rows; i++) known = m->weights[i] > 0;
    return known && (differ || one) &&
           (!m->weights || heft_weights_ordinary(m->weights, m->n_rows));
}

static heft_status fit_sums(heft_ctx *ctx, const heft_matrix *m, const uint16_t *y,
                            const heft_settings *s, heft_model **out)
{
    const double          began = heft_clock();
    HEFT_OWN(heft_model) *model = NULL;
    HEFT_OWN(heft_table) *empty = NULL;
    heft_attr            *attr;
    HEFT_CHECK(heft_model_new(ctx, &model));
    HEFT_CHECK(table_of(ctx, m, false, &empty));
    HEFT_CHECK(heft_prep_fit(ctx, empty, &s->spec, &model->arena, &model->prep));
    HEFT_CHECK(heft_rule_of(ctx, s, empty, model));
    HEFT_ALLOC(ctx, &ctx->scratch, attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) attr[j].width = sizeof(double);
    heft_rows rows = {.n_rows = m->n_rows,
                      .n_attr = m->n_cols,
                      .n_class = m->n_classes,
                      .attr = attr,
                      .y = y,
                      .weight = m->weights,
                      .matrix = m};
    HEFT_CHECK(heft_fit_prepared(ctx, s, empty, &rows, model));
    model->fitted.training.seconds = heft_clock() - began;
    *out = model, model = NULL;
    return HEFT_OK;
}

heft_status heft_train_matrix(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                              heft_model **out)
{
    heft_settings        s;
    HEFT_FREED uint16_t *y = NULL;
    HEFT_CHECK(heft_settings_of(ctx, config, false, &s));
    bool direct = sums_suffice(ctx, &s) && m->n_rows && m->n_cols && m->n_classes &&
                  m->n_classes <= HEFT_MOST_CLASSES;
    if (direct) {
        y = heft_alloc(m->n_rows, sizeof *y);
        if (!y) return heft_no_memory(ctx, m->n_rows, sizeof *y);
        direct = all_rows_teach(m, config->part, y);
    }
    return direct ? fit_sums(ctx, m, y, &s, out) : fit_copy(ctx, m, config, out);
}
