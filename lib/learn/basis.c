/* basis.c - priors, tables and densities with all weights 1, and the record of a minimisation. */
#include "learn/basis.h"

#include <string.h>

#include "model/model.h"

heft_status heft_fit_basis(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                           heft_counts *counts)
{
    const heft_rows    *rows = task->rows;
    const heft_lik_kind density = heft_method_density(task->method);
    heft_counts         own; /* used if the caller wants counts or `known` is NULL */
    const bool          count = counts || !task->known;
    bool                numeric = false;
    out->n_attr = rows->n_attr;
    out->n_class = rows->n_class;
    out->arena = task->arena;
    out->weights = (heft_weights){.shape = HEFT_W_ONE, .w0 = 1};
    for (size_t j = 0; j < rows->n_attr; j++) numeric = numeric || !rows->attr[j].coded;
    if (count) HEFT_CHECK(heft_known_counts(ctx, rows, task->known, &ctx->scratch, &own));
    const heft_counts *seen = count ? &own : &task->known->counts;
    out->training.rows = seen->total;
    /* A class without rows has no density, so it is left out if an attribute is numeric. Tables
     * give such a class a distribution (from counts of 0), and so does Weka's rounded normal. */
    const bool leave_out = numeric && density != HEFT_LIK_ROUNDED;
    HEFT_CHECK(heft_log_prior(ctx, seen, leave_out, &task->smoothing, &task->prior, task->arena,
                              &out->log_prior));
    const heft_lik_source from = {rows, task->known, seen, task->smoothing, density};
    HEFT_CHECK(heft_likelihoods(ctx, &from, task->arena, &out->lik));
    if (counts) *counts = own;
    return HEFT_OK;
}

bool heft_is_flat(const heft_task *task, const heft_lik *lik, size_t j)
{
    const heft_attr_prep *a = &task->prep->attr[j];
    if (!task->rows->attr[j].coded) return lik[j].silent;
    return a->cut ? a->flat : task->rows->attr[j].n_codes <= 1;
}

bool heft_keeps_constant(const heft_task *task)
{
    return heft_params_known(task->method, "constant") && heft_param(task, "constant")->word == 1;
}

bool heft_model_keeps_constant(const heft_model *model)
{
    for (size_t k = 0; k < model->n_params; k++)
        if (strcmp(model->param_names[k], "constant") == 0)
            return strcmp(model->param_values[k], "keep") == 0;
    return false;
}

void heft_record_minimum(const heft_minimum *min, heft_training *to)
{
    to->iterative = true;
    to->iterations = min->iterations;
    to->evaluations = min->evaluations;
    to->objective_initial = min->f0;
    to->objective_final = min->f;
    to->converged = min->converged;
    to->stopped_by = min->stopped_by;
}
