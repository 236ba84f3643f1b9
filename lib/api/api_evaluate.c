/* api_evaluate.c - the public calls that evaluate methods and models, and show the results. */
#include "api/api.h"
#include "base/comm.h"
#include "eval/eval.h"
#include "heft_evaluate.h"
#include "model/store.h"
#include "pages/report.h"

/* Copies the caller's plan and its configuration, with all fields of this version. */
static heft_status take_plan(const heft_eval_plan *plan, heft_eval_plan *own, heft_config *config,
                             heft_error *err)
{
    HEFT_CHECK(heft_struct_of_call(HEFT_STRUCT(heft_eval_plan, parts), plan, own, err));
    HEFT_CHECK(heft_struct_of_call(HEFT_CONFIG, own->config, config, err));
    own->config = config;
    return HEFT_OK;
}

heft_status heft_evaluate(const heft_table *const *data, const char *const *names, size_t n_data,
                          const heft_eval_plan *plan, heft_results **out, heft_error *err)
{
    heft_eval_plan own;
    heft_config    config;
    if (out) *out = NULL;
    HEFT_CHECK(take_plan(plan, &own, &config, err));
    HEFT_ENTER(config.run);
    if (!data || !n_data || !out)
        return heft_comm_end(
            ctx, heft_fail(ctx, HEFT_EINVAL,
                           "heft_evaluate needs a data set and a place for the results"));
    return heft_evaluate_tables(ctx, &own, data, names, n_data, out);
}

heft_status heft_evaluate_models(const heft_model *const *models, const heft_table *const *tests,
                                 const char *const *names, size_t n, const char *name,
                                 const heft_eval_plan *plan, heft_results **out, heft_error *err)
{
    heft_eval_plan own;
    heft_config    config;
    if (out) *out = NULL;
    HEFT_CHECK(take_plan(plan, &own, &config, err));
    HEFT_CALL(models && tests && names && n > 0 && out, config.run,
              heft_evaluate_saved(ctx, &(heft_saved){models, tests, names, n, name}, &own, out));
}

HEFT_GET(bool, heft_is_model_file(const char *path), heft_store_is_model(path))

/* ---- results ---- */

void heft_results_free(heft_results *results)
{
    heft_results_delete(results);
}

HEFT_GET(size_t, heft_results_datasets(const heft_results *results), results ? results->n_data : 0)
HEFT_GET(size_t, heft_results_methods(const heft_results *results), results ? results->n_method : 0)
HEFT_GET(size_t, heft_results_stages(const heft_results *results), heft_n_stages(results))
HEFT_GET(const heft_stage *, heft_results_stage(const heft_results *results, size_t stage),
         heft_stage_at(results, stage))
HEFT_GET(const heft_cell *,
         heft_results_cell(const heft_results *results, size_t stage, size_t dataset,
                           size_t method),
         heft_cell_in_stage(results, stage, dataset, method))
HEFT_GET(size_t,
         heft_results_predicted(const heft_results *results, size_t stage, size_t dataset,
                                size_t method, const heft_predicted *to),
         heft_predicted_rows(results, stage, dataset, method, to))

heft_status heft_results_text(const heft_results *results, const char *format, char **text,
                              heft_error *err)
{
    if (text) *text = NULL;
    HEFT_CALL(results && format && text, HEFT_ONE_THREAD,
              heft_results_render(ctx, results, format, text));
}

heft_status heft_results_write(const heft_results *results, const char *what, const char *path,
                               heft_error *err)
{
    HEFT_CALL(results && what && path, HEFT_ONE_THREAD,
              heft_write_outcomes(ctx, results, what, path));
}

/* ---- measures ---- */

HEFT_GET(size_t, heft_measure_count(void), HEFT_N_MEASURES)
HEFT_GET(const heft_measure_info *, heft_measure_at(size_t index), heft_measures_at(index))
HEFT_GET(double, heft_cell_measure(const heft_cell *cell, const char *name),
         heft_measure_in_cell(cell, name))

heft_status heft_measure_predictions(const heft_predicted *made, size_t n, size_t n_classes,
                                     double *measures, heft_class_figures *by_class,
                                     heft_error *err)
{
    HEFT_CALL(made && made->actual && made->predicted && made->proba && n && n_classes && measures,
              HEFT_ONE_THREAD, heft_measure_given(ctx, made, n, n_classes, measures, by_class));
}
