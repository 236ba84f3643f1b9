/* model.c - the life of a model: made, given another rule of decision, freed. */
#include "model/model.h"

#include <string.h>

heft_status heft_model_new(heft_ctx *ctx, heft_model **out)
{
    *out = heft_alloc0(1, sizeof **out);
    if (!*out) return heft_no_memory(ctx, 1, sizeof **out);
    (*out)->fitted.arena = &(*out)->arena;
    return HEFT_OK;
}

void heft_kept_terms_free(heft_kept_terms *kept)
{
    if (kept) heft_arena_clear(&kept->arena);
    heft_free(kept);
}

void heft_model_free(heft_model *model)
{
    if (!model) return;
    heft_kept_terms_free(atomic_load(&model->kept));
    heft_prep_clear(&model->prep);
    heft_arena_clear(&model->arena);
    heft_free(model->own_cost);
    heft_free(model->label);
    heft_free(model);
}

heft_status heft_model_rule(heft_ctx *ctx, heft_model *model, const char *cost,
                            const char *threshold)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_dict *classes = model->prep.classes;
    heft_decision    rule;
    double          *room = NULL;
    const size_t     K = model->fitted.n_class;
    HEFT_CHECK(heft_decision_parse(ctx, cost, threshold, classes, classes, &ctx->scratch, &rule));
    if (rule.cost) {
        room = heft_alloc(K, K * sizeof *room);
        if (!room) return heft_no_memory(ctx, K, K * sizeof *room);
        memcpy(room, rule.cost, K * K * sizeof *room);
    }
    heft_free(model->own_cost);
    model->own_cost = rule.cost = room;
    model->decision = rule;
    return HEFT_OK;
}
