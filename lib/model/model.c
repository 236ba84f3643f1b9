/* model.c - the life of a model: made, given another rule of decision, freed. */
#include "model/model.h"

#include <string.h>

#include "base/comm.h"

heft_status heft_model_new(heft_ctx *ctx, heft_model **out)
{
    HEFT_NEW(ctx, *out, 1);
    (*out)->fitted.arena = &(*out)->arena;
    return HEFT_OK;
}

void heft_kept_terms_free(heft_kept_terms *kept)
{
    if (kept) heft_arena_clear(&kept->arena);
    heft_free(kept);
}

void heft_model_delete(heft_model *model)
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

heft_status heft_model_collect(heft_ctx *ctx, heft_model *model)
{
    if (!model->comm) return HEFT_OK;
    ctx->comm = model->comm;
    HEFT_CHECK(heft_comm_end(ctx, model->method->gather(ctx, &model->fitted)));
    model->comm = NULL;
    return HEFT_OK;
}

heft_status heft_expect_of(heft_ctx *ctx, const heft_model *model, heft_expect *out)
{
    const heft_prep *prep = &model->prep;
    const char     **names;
    heft_kind       *kinds;
    HEFT_ALLOCS(ctx, &ctx->scratch, prep->n_attr, names, kinds);
    for (size_t j = 0; j < prep->n_attr; j++) {
        names[j] = prep->attr[j].name;
        kinds[j] = prep->attr[j].kind;
    }
    *out = (heft_expect){
        prep->n_attr, names, kinds, prep->target, prep->decimal_mark ? *prep->decimal_mark : 0,
        prep->missing};
    return HEFT_OK;
}

heft_status heft_read_like(heft_ctx *ctx, const char *path, const heft_source *how,
                           heft_table **out)
{
    heft_expect expect;
    heft_status st = how->like ? heft_expect_of(ctx, how->like, &expect) : HEFT_OK;
    if (st == HEFT_OK) st = heft_read_table(ctx, path, how, how->like ? &expect : NULL, out);
    st = heft_comm_end(ctx, st);
    if (st == HEFT_OK) return HEFT_OK;
    heft_table_delete(*out);
    *out = NULL;
    return st;
}
