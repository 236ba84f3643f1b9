/* convert_file.c - files that need not fit in memory, in blocks of rows: to a caller, or from one
 * format to another, as they are, prepared by a model, or with the columns that a model uses. */
#include "explain/convert_file.h"

#include <string.h>

#include "explain/explain.h"

static heft_status read_stream(heft_ctx *ctx, const char *path, const heft_source *how,
                               const heft_sink *sink)
{
    heft_expect expect;
    if (how->like) HEFT_CHECK(heft_expect_of(ctx, how->like, &expect));
    return heft_read_stream(ctx, path, how, how->like ? &expect : NULL, sink);
}

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

heft_status heft_rows_of_file(heft_ctx *ctx, const char *path, const heft_source *how,
                              heft_rows_fn *fn, void *user)
{
    listener l = {fn, user};
    return read_stream(ctx, path, how, &(heft_sink){nothing_yet, tell, &l});
}

/* ---- from format to format ---- */

typedef struct converting {
    const heft_model      *like; /* the model that prepares the rows, or NULL */
    const heft_conversion *plan;
    heft_writer           *writer;
} converting;

/* Write rows as they are to be written. The first call opens the writer for their columns. */
static heft_status write_block(heft_ctx *ctx, void *arg, const heft_table *rows)
{
    converting           *c = arg;
    HEFT_OWN(heft_table) *prepared = NULL, *kept = NULL;
    if (c->plan->keep) HEFT_CHECK(heft_used_table(ctx, c->plan->keep, rows, &kept));
    if (kept) rows = kept;
    if (c->like) HEFT_CHECK(heft_prep_table(ctx, &c->like->prep, rows, &prepared));
    if (prepared) rows = prepared;
    return c->writer ? heft_writer_rows(ctx, c->writer, rows)
                     : heft_writer_open(ctx, rows, c->plan->to, c->plan->format, &c->writer);
}

heft_status heft_convert(heft_ctx *ctx, const char *path, const heft_source *how,
                         const heft_conversion *plan)
{
    heft_status st = HEFT_OK;
    converting  c = {.like = how->like, .plan = plan};
    HEFT_TRY(read_stream(ctx, path, how, &(heft_sink){write_block, write_block, &c}));
    st = heft_writer_commit(ctx, c.writer);
    c.writer = NULL;
done:
    heft_writer_abandon(c.writer);
    return st;
}
