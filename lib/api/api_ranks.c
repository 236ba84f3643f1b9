/* api_ranks.c - the public calls on models whose training rows are spread over ranks. */
#include <string.h>

#include "api/api.h"
#include "base/comm.h"
#include "methods/registry.h"
#include "model/model.h"
#include "model/store.h"

bool heft_model_is_spread(const heft_model *model)
{
    return model->comm != NULL;
}

heft_status heft_model_gather(heft_model *model, heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;

    heft_ctx_init(&ctx, err, 1, 0, NULL);
    HEFT_TRY(heft_need(&ctx, model != NULL, "heft_model_gather"));
    if (!model->comm) goto done;
    ctx.comm = model->comm;
    st = model->method->gather(&ctx, &model->fitted);
    st = heft_comm_end(&ctx, st);
    if (st == HEFT_OK) model->comm = NULL;
done:
    heft_ctx_clear(&ctx);
    return st;
}

static heft_status load_share(heft_ctx *ctx, const char *path, heft_model **out)
{
    if (strcmp(path, "-") == 0 && !heft_all_here(ctx))
        return heft_fail(ctx, HEFT_EINVAL,
                         "a model for several ranks cannot come from standard input (name a file)");
    HEFT_CHECK(heft_store_load(ctx, path, heft_methods_find, out));
    if (!heft_all_here(ctx) && (*out)->method->gather) (*out)->comm = ctx->comm;
    return HEFT_OK;
}

heft_status heft_model_load_ranks(const char *path, const heft_comm *comm, heft_model **out,
                                  heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;

    if (out) *out = NULL;
    heft_ctx_init(&ctx, err, 1, 0, NULL);
    HEFT_TRY(heft_need(&ctx, path && out, "heft_model_load_ranks"));
    HEFT_TRY(heft_comm_check(&ctx, comm));
    ctx.comm = comm;
    st = heft_comm_end(&ctx, load_share(&ctx, path, out));
    if (st == HEFT_OK) goto done;
    heft_model_free(*out);
    *out = NULL;
done:
    heft_ctx_clear(&ctx);
    return st;
}
