/* api_stream.c - files that need not fit in memory: rows in blocks for the caller, and from one
 * format to another. */
#include <string.h>

#include "api/api.h"
#include "explain/used.h"
#include "model/model.h"

/* A pipe that has to be read twice is kept in a scratch file beyond this, where there is a place
 * for one; a limit the caller gives comes first. */
static const size_t usual_memory = (size_t)256 << 20;

static heft_status limit_stream(heft_ctx *ctx, const char *path, const heft_source *how)
{
    if (how->memory || strcmp(path, "-") != 0)
        return heft_ctx_limit(ctx, how->memory, how->scratch);
    const heft_talk *talk = ctx->talk;
    ctx->talk = NULL; /* nobody asked for it: nothing to say when it cannot be had */
    if (heft_ctx_limit(ctx, usual_memory, how->scratch) != HEFT_OK && how->scratch) {
        ctx->talk = talk;
        return ctx->err->code;
    }
    ctx->talk = talk;
    ctx->err->code = HEFT_OK;
    ctx->err->text[0] = 0;
    return HEFT_OK;
}

static heft_status read_stream(heft_ctx *ctx, const char *path, const heft_source *how,
                               const heft_sink *sink)
{
    heft_expect expect;
    HEFT_CHECK(limit_stream(ctx, path, how));
    if (how->like) HEFT_CHECK(heft_expect_of(ctx, how->like, &expect));
    return heft_read_stream(ctx, path, how, how->like ? &expect : NULL, sink);
}

/* ---- blocks for the caller ---- */

typedef struct listener {
    heft_rows_fn *fn;
    void         *user;
} listener;

static heft_status nothing_yet(heft_ctx *ctx, void *arg, const heft_table *schema)
{
    (void)ctx, (void)arg, (void)schema;
    return HEFT_OK;
}

static heft_status tell(heft_ctx *ctx, void *arg, const heft_table *rows)
{
    const listener *l = arg;
    return l->fn(l->user, rows) ? HEFT_OK : heft_fail(ctx, HEFT_ECANCELLED, "cancelled");
}

heft_status heft_read_blocks(const char *path, const heft_source *how, heft_rows_fn *fn, void *user,
                             heft_error *err)
{
    const heft_source plain = {0};
    listener          l = {fn, user};
    if (!how) how = &plain;
    HEFT_CALL(path && fn, how->threads, how->talk,
              read_stream(ctx, path, how, &(heft_sink){nothing_yet, tell, &l}));
}

/* ---- from format to format ---- */

typedef struct converting {
    const heft_model *like, *keep; /* or NULL */
    const char       *to, *format;
    heft_writer      *writer;
} converting;

/* The rows as they are to be written, into the writer; without one, it is opened for them. */
static heft_status write_block(heft_ctx *ctx, void *arg, const heft_table *rows)
{
    heft_status st = HEFT_OK;
    converting *c = arg;
    heft_table *kept = NULL, *prepared = NULL;
    if (c->keep) HEFT_TRY(heft_used_table(ctx, c->keep, rows, &kept));
    if (kept) rows = kept;
    if (c->like) HEFT_TRY(heft_prep_table(ctx, &c->like->prep, rows, &prepared));
    if (prepared) rows = prepared;
    st = c->writer ? heft_writer_rows(ctx, c->writer, rows)
                   : heft_writer_open(ctx, rows, c->to, c->format, &c->writer);
done:
    heft_table_free(prepared);
    heft_table_free(kept);
    return st;
}

heft_status heft_convert_file(const char *path, const heft_source *how, const heft_model *keep,
                              const char *to, const char *format, heft_error *err)
{
    heft_status       st = HEFT_OK;
    const heft_source plain = {0};
    if (!how) how = &plain;
    converting c = {.like = how->like, .keep = keep, .to = to, .format = format};
    HEFT_ENTER(how->threads, 0, how->talk);
    HEFT_CHECK(heft_need(ctx, path && to, __func__));
    HEFT_TRY(read_stream(ctx, path, how, &(heft_sink){write_block, write_block, &c}));
    st = heft_writer_commit(ctx, c.writer);
    c.writer = NULL;
done:
    heft_writer_abandon(c.writer);
    return st;
}
