/* decide_fit.c - how a model decides: the rule that a configuration gives, and the threshold that
 * held-out rows choose. */
#include "train/fit.h"

#include <string.h>

#include "base/num.h"
#include "base/put.h"
#include "train/held_out.h"

heft_status heft_rule_of(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                         heft_model *model)
{
    const heft_config *config = &s->config;
    const heft_model  *like = config->like;
    const heft_dict   *classes = model->prep.classes;
    const size_t       K = heft_dict_size(classes);
    if (like && !config->cost && !config->threshold && !config->tune)
        return heft_decision_copy(ctx, &like->decision, like->prep.classes, classes, &model->arena,
                                  &model->decision);
    HEFT_CHECK(heft_decision_parse(ctx, config->cost, config->threshold,
                                   like ? classes : table->target->dict, classes, &model->arena,
                                   &model->decision));
    if (s->tuning && K > 2)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{tune} chooses a threshold between two classes, and there are %zu (use "
                         "{cost} without {tune}, or {advice make-two-classes})",
                         K);
    return HEFT_OK;
}

heft_status heft_note_classes(heft_ctx *ctx, const double *factor, heft_model *model)
{
    enum { MOST_NOTED = 10 };
    heft_buf         text = {0};
    HEFT_FREED char *taken = NULL;
    for (uint32_t c = 0; c < model->fitted.n_class && c < MOST_NOTED; c++)
        heft_put(&text, "%s%40q %4g", c ? ", " : "", heft_dict_text(model->prep.classes, c),
                 factor[c]);
    if (model->fitted.n_class > MOST_NOTED) heft_put(&text, ", ...");
    HEFT_CHECK(heft_buf_take(ctx, &text, &taken));
    return heft_fact_copy(ctx, &model->fitted, "class weights", taken);
}

/* ---- a threshold from held-out rows ---- */

/* Record a note for inspect, such as "held-out balanced accuracy 0.8123, 0.6211 at a threshold of
 * 0.5". */
static heft_status note(heft_ctx *ctx, const heft_tuned *tuned, bool alone, heft_model *model)
{
    heft_buf         text = {0};
    HEFT_FREED char *taken = NULL;
    heft_put(&text, "held-out %s%s %4f, %4f at a threshold of 0.5",
             heft_tuning_title(model->decision.tuned),
             model->decision.tuned != HEFT_TUNE_F1 ? ""
             : alone                               ? " of the positive class"
                                                   : " (mean of both classes)",
             tuned->value, tuned->usual);
    HEFT_CHECK(heft_buf_take(ctx, &text, &taken));
    return heft_fact_copy(ctx, &model->fitted, "tuning", taken);
}

heft_status heft_tune_model(heft_ctx *ctx, const heft_held *held, heft_tuning tuning,
                            const double *factor, heft_model *model)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const char    *positive = model->prep.positive;
    heft_decision *rule = &model->decision;
    const size_t   n = held->n;
    double        *p, *weight = NULL, sum[2] = {0}, cost[4] = {0};
    uint8_t       *is;
    heft_tuned     tuned;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, p, is);
    if (held->weight) HEFT_ALLOC(ctx, &ctx->scratch, weight, n);
    for (size_t i = 0; i < n; i++) {
        const uint16_t c = held->y[i];
        if (weight) weight[i] = held->weight[i] / (factor ? factor[c] : 1);
        sum[c] += weight ? weight[i] : 1;
    }
    const size_t yes = positive ? heft_dict_find(model->prep.classes, positive, strlen(positive))
                                : sum[1] <= sum[0];
    for (size_t i = 0; i < n; i++) {
        double both[2] = {held->scores[2 * i], held->scores[2 * i + 1]};
        heft_calibrate(&model->calibration, 1, 2, both);
        heft_softmax(both, 2);
        p[i] = both[yes];
        is[i] = held->y[i] == yes;
    }
    if (rule->cost)
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++)
                cost[2 * (a == yes) + (b == yes)] = rule->cost[2 * a + b];
    HEFT_CHECK(heft_tune_threshold(ctx, &(heft_tune_rows){n, p, is, weight},
                                   &(heft_tune_aim){tuning, positive, cost}, &tuned));
    rule->kind = HEFT_THRESHOLD;
    rule->chosen = yes;
    rule->threshold = tuned.threshold;
    rule->tuned = tuning;
    return note(ctx, &tuned, positive, model);
}
