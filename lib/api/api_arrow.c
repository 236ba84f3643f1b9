/* api_arrow.c - the public calls that take tables by the Arrow C data interface. */
#include "api/api.h"
#include "data/arrow.h"
#include "model/model.h"

/* Reads the rows of this process alone, even if there are other ranks, as for every table that is
 * made in memory. */
static heft_status read_arrow(heft_ctx *ctx, heft_arrow_source *from, const heft_source *how,
                              heft_table **out)
{
    heft_expect expect;
    ctx->comm = NULL;
    if (how->like) HEFT_CHECK(heft_expect_of(ctx, how->like, &expect));
    return heft_arrow_read(ctx, from, how, how->like ? &expect : NULL, out);
}

heft_status heft_table_from_arrow(const struct ArrowSchema *schema, struct ArrowArray *batches,
                                  size_t n_batches, const heft_source *how, heft_table **out,
                                  heft_error *err)
{
    heft_source       own;
    heft_arrow_source from = {.schema = schema, .list = batches, .n = n_batches};
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    HEFT_CHECK(heft_need(ctx, schema && batches && out, __func__));
    return read_arrow(ctx, &from, &own, out);
}

heft_status heft_table_from_arrow_stream(struct ArrowArrayStream *stream, const heft_source *how,
                                         heft_table **out, heft_error *err)
{
    heft_source        own;
    struct ArrowSchema schema = {0};
    heft_arrow_source  from = {.schema = &schema, .stream = stream};
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    HEFT_CHECK(heft_need(ctx, stream && out, __func__));
    if (!stream->release || !stream->get_schema || !stream->get_next)
        return heft_fail(ctx, HEFT_EINVAL, "the Arrow stream was released, or is damaged");
    if (stream->get_schema(stream, &schema) != 0) return heft_arrow_stream_failed(ctx, stream);
    const heft_status st = read_arrow(ctx, &from, &own, out);
    if (schema.release) schema.release(&schema);
    if (st == HEFT_OK) {
        stream->release(stream);
        stream->release = NULL;
    }
    return st;
}
