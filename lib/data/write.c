/* write.c - a table to a file, block by block: what all formats share. */
#include <string.h>

#include "data/formats/formats.h"

enum { FLUSH_AT = 128 * 1024 };

static heft_status flush(heft_ctx *ctx, heft_writer *w)
{
    if (w->buf.failed) return heft_no_memory(ctx, w->buf.capacity * 2, 1);
    const heft_status st = heft_out_write(ctx, w->out, w->buf.data, w->buf.length);
    w->buf.length = 0;
    return st;
}

/* ---- for the formats ---- */

/* Spread sparse row i over w->line, or take it off again. */
static void spread(heft_writer *w, size_t i, bool on)
{
    const heft_sparse *s = w->table->sparse;
    for (size_t k = s->start[i]; k < s->start[i + 1]; k++) w->line[s->col[k]] = on ? s->val[k] : 0;
}

heft_status heft_write_each(heft_ctx *ctx, heft_writer *w, void (*row)(heft_writer *w, size_t i))
{
    for (size_t i = 0; i < w->table->n_rows; i++) {
        if (w->line) spread(w, i, true);
        row(w, i);
        w->begun = true;
        if (w->line) spread(w, i, false);
        if (w->buf.length < FLUSH_AT && !w->buf.failed) continue;
        HEFT_CHECK(flush(ctx, w));
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

/* ---- the file ---- */

static heft_status choose_format(heft_ctx *ctx, const char *path, const char *name,
                                 const heft_format **out)
{
    char        shown[96], list[128];
    const char *dot = strrchr(path, '.');
    heft_show_name(shown, path);
    if (dot && (heft_same_word(dot, ".gz") || heft_same_word(dot, ".zst")))
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: files are written unpacked (leave out '%s' and pack it afterwards)",
                         shown, dot);
    const bool named = name && *name;
    *out = named ? heft_format_named(name) : heft_format_of_path(path);
    if (!*out && !named && (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0))
        *out = heft_format_named(heft_format_at(0)->name);
    if (*out && (*out)->write_begin) return HEFT_OK;
    if (!named)
        return heft_fail(ctx, HEFT_EINVAL, "%s: the ending tells no format (use %s, or --format)",
                         shown, heft_format_list(list, true));
    return heft_fail(ctx, HEFT_EINVAL, "--format: '%s' is not known (use %s)",
                     heft_show_name(shown, name), heft_format_list(list, false));
}

heft_status heft_writer_open(heft_ctx *ctx, const heft_table *schema, const char *path,
                             const char *format_name, heft_writer **out)
{
    heft_status  st = HEFT_OK;
    heft_writer *w = NULL;
    *out = NULL;
    HEFT_HEAP(ctx, w, 1);
    w->table = schema;
    HEFT_TRY(choose_format(ctx, path, format_name, &w->format));
    w->delimiter = w->format->delimiter ? w->format->delimiter : ',';
    HEFT_TRY(w->format->write_begin(ctx, w)); /* what cannot be written leaves no file behind */
    HEFT_TRY(heft_out_open(ctx, path, &w->out));
    *out = w, w = NULL;
done:
    heft_writer_abandon(w);
    return st;
}

heft_status heft_writer_rows(heft_ctx *ctx, heft_writer *w, const heft_table *rows)
{
    w->table = rows;
    return w->format->write_rows(ctx, w);
}

heft_status heft_writer_commit(heft_ctx *ctx, heft_writer *w)
{
    heft_status st = HEFT_OK;
    if (w->format->write_end) HEFT_TRY(w->format->write_end(ctx, w));
    HEFT_TRY(flush(ctx, w));
    heft_out *out = w->out;
    w->out = NULL; /* commit frees it */
    HEFT_TRY(heft_out_commit(ctx, out));
done:
    heft_writer_abandon(w);
    return st;
}

void heft_writer_abandon(heft_writer *w)
{
    if (!w) return;
    heft_out_abandon(w->out);
    heft_buf_clear(&w->buf);
    heft_free(w->line);
    heft_free(w);
}

heft_status heft_write_table(heft_ctx *ctx, const heft_table *table, const char *path,
                             const char *format_name)
{
    heft_status  st = HEFT_OK;
    heft_writer *w = NULL;
    HEFT_TRY(heft_writer_open(ctx, table, path, format_name, &w));
    HEFT_TRY(heft_writer_rows(ctx, w, table));
    st = heft_writer_commit(ctx, w);
    w = NULL;
done:
    heft_writer_abandon(w);
    return st;
}
