/* model.c - the life of a model. */
#include "model/model.h"

heft_status heft_model_new(heft_ctx *ctx, heft_model **out)
{
    *out = heft_alloc0(1, sizeof **out);
    if (!*out) return heft_no_memory(ctx, 1, sizeof **out);
    (*out)->fitted.arena = &(*out)->arena;
    return HEFT_OK;
}

void heft_model_free(heft_model *model)
{
    if (!model) return;
    heft_prep_clear(&model->prep);
    heft_arena_clear(&model->arena);
    heft_free(model->label);
    heft_free(model);
}
