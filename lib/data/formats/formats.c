/* formats.c - the list of file formats, which of them a file has, and writing: what all share. */
#include "data/formats/formats.h"

#include <stdio.h>
#include <string.h>

#include "heft_evaluate.h"

extern const heft_format heft_format_csv, heft_format_tsv, heft_format_arff, heft_format_libsvm,
    heft_format_parquet;

/* The first one is taken for text that no format recognises, and for standard output. */
static const heft_format *const formats[] = {
    &heft_format_csv,    &heft_format_tsv,     &heft_format_arff,
    &heft_format_libsvm, &heft_format_parquet,
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

const heft_format *heft_formats_at(size_t index)
{
    return index < N_FORMATS ? formats[index] : NULL;
}

/* ---- names and endings ---- */

/* Whether `word` is one of the words in `list`, in any case. */
static bool in_list(const char *list, const char *word)
{
    for (size_t length; *list; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        if (heft_span_is_word(list, length, word)) return true;
    }
    return false;
}

const heft_format *heft_format_named(const char *word)
{
    for (size_t k = 0; k < N_FORMATS; k++)
        if (in_list(formats[k]->info.endings, word)) return formats[k];
    return NULL;
}

/* The last ending of the name, behind the dot; NULL: none. */
static char *last_ending(char *name)
{
    char *dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') ? dot + 1 : NULL;
}

static bool is_packing(const char *ending)
{
    return in_list("gz zst", ending);
}

const heft_format *heft_format_of_path(const char *path)
{
    char         tail[24];
    const size_t n = strlen(path), k = n < sizeof tail ? n : sizeof tail - 1;
    memcpy(tail, path + n - k, k + 1);
    char *ending = last_ending(tail);
    if (ending && is_packing(ending)) {
        ending[-1] = 0;
        ending = last_ending(tail);
    }
    return ending ? heft_format_named(ending) : NULL;
}

char *heft_name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    char       *name = heft_copy_text(strcmp(path, "-") == 0 ? "stdin" : slash ? slash + 1 : path);
    char       *ending = name ? last_ending(name) : NULL;
    if (ending && ending - 1 > name && is_packing(ending)) {
        ending[-1] = 0;
        ending = last_ending(name);
    }
    if (ending && ending - 1 > name &&
        (heft_format_named(ending) || in_list("txt dat data", ending)))
        ending[-1] = 0;
    return name;
}

const char *heft_format_list(char out[128], bool written, bool dots)
{
    size_t at = 0, n = 0, last = 0;
    for (size_t k = 0; k < N_FORMATS; k++)
        if (formats[k]->info.written || !written) last = k;
    for (size_t k = 0; k < N_FORMATS && at < 100; k++) {
        if (written && !formats[k]->info.written) continue;
        at += (size_t)snprintf(out + at, 128 - at, "%s%s%s",
                               n++ == 0   ? ""
                               : k < last ? ", "
                                          : " or ",
                               dots ? "." : "", formats[k]->info.name);
    }
    return out;
}

/* ---- content ---- */

/* The first line that is neither blank nor a comment, from its first character that is not blank.
 */
static const char *first_line(const char *p)
{
    for (; *p; p += *p == '\n') {
        while (*p == ' ' || *p == '\t' || *p == '\r') p++;
        if (*p != '\n' && *p != '%' && *p != '#') break;
        while (*p && *p != '\n') p++;
    }
    return p;
}

static const heft_format *sniffed(const char *text, size_t n, bool binary)
{
    for (size_t k = 0; k < N_FORMATS; k++)
        if (formats[k]->binary == binary && formats[k]->sniff && formats[k]->sniff(text, n))
            return formats[k];
    return NULL;
}

heft_status heft_format_find(heft_ctx *ctx, const char *name, const char *path, heft_feed *feed,
                             const heft_format **out)
{
    enum { LOOK = 1024 };
    HEFT_LOCAL(heft_chunk) head = {0};
    char                   list[128], raw[LOOK + 1] = {0};
    size_t                 n;
    *out = name && *name ? heft_format_named(name) : heft_format_of_path(path);
    if (!*out && name && *name)
        return heft_fail(ctx, HEFT_EINVAL, "{format}: unknown format '%s' (use %s)",
                         HEFT_SHOW(name, 30), heft_format_list(list, false, false));
    if (!(name && *name)) { /* a binary file tells what it is, whatever its ending */
        HEFT_CHECK(heft_input_rewind(ctx, feed->in));
        HEFT_CHECK(heft_input_read(ctx, feed->in, raw, LOOK, &n));
        const heft_format *binary = sniffed(raw, n, true);
        if (binary) *out = binary;
    }
    if (*out && (*out)->binary) return HEFT_OK;
    HEFT_CHECK(heft_feed_head(ctx, feed, LOOK, &head));
    const heft_format *ending = *out; /* a CSV file may turn out to be ARFF */
    if (ending && ((name && *name) || ending != formats[0])) return HEFT_OK;
    const char *line = first_line(head.text);
    size_t      before = 0;
    for (size_t look = 2 * LOOK; !*line && head.length > before; look *= 2) { /* comments only */
        before = head.length;
        heft_chunk_clear(&head);
        HEFT_CHECK(heft_feed_head(ctx, feed, look, &head));
        line = first_line(head.text);
    }
    *out = sniffed(line, head.length - (size_t)(line - head.text), false);
    if (!*out || (ending && *out != &heft_format_arff)) *out = formats[0];
    return HEFT_OK;
}

/* ---- writing ---- */

enum { FLUSH_AT = 128 * 1024 };

static heft_status flush(heft_ctx *ctx, heft_writer *w)
{
    if (w->buf.failed) return heft_no_memory(ctx, w->buf.capacity * 2, 1);
    const heft_status st = heft_out_write(ctx, w->out, w->buf.data, w->buf.length);
    w->buf.length = 0;
    return st;
}

static heft_status choose_format(heft_ctx *ctx, const char *path, const char *name,
                                 const heft_format **out)
{
    char        list[128];
    const char *dot = strrchr(path, '.');
    if (dot && (heft_same_word(dot, ".gz") || heft_same_word(dot, ".zst")))
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: heft does not compress the files it writes (leave out '%s', and "
                         "compress the file afterwards)",
                         HEFT_SHOW_NAME(path), dot);
    const bool named = name && *name;
    *out = named ? heft_format_named(name) : heft_format_of_path(path);
    if (!*out && !named && (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0))
        *out = formats[0];
    if (*out && (*out)->write_begin) return HEFT_OK;
    if (*out)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED, "%s: heft reads %s files, but does not write them (use %s)",
            HEFT_SHOW_NAME(path), (*out)->info.name, heft_format_list(list, true, true));
    if (!named)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "%s: the ending does not name a format (use %s, or {advice name-data-format})",
            HEFT_SHOW_NAME(path), heft_format_list(list, true, true));
    return heft_fail(ctx, HEFT_EINVAL, "{advice data-format}: unknown format '%s' (use %s)",
                     HEFT_SHOW_NAME(name), heft_format_list(list, true, false));
}

heft_status heft_writer_open(heft_ctx *ctx, const heft_table *schema, const char *path,
                             const char *format_name, heft_writer **out)
{
    HEFT_OWN(heft_writer) *w = NULL;
    *out = NULL;
    HEFT_NEW(ctx, w, 1);
    w->table = schema;
    heft_show_name(w->name, strcmp(path, "-") == 0 ? "standard output" : path);
    HEFT_CHECK(choose_format(ctx, path, format_name, &w->format));
    w->delimiter = w->format->delimiter ? w->format->delimiter : ',';
    /* what cannot be written leaves no file behind */
    if (w->format->write_check) HEFT_CHECK(w->format->write_check(ctx, schema));
    HEFT_CHECK(w->format->write_begin(ctx, w));
    HEFT_CHECK(heft_out_open(ctx, path, &w->out));
    *out = w, w = NULL;
    return HEFT_OK;
}

/* Spreads the entries of sparse row i over w->line, or clears them there again. */
static void spread(const heft_writer *w, size_t i, bool clear)
{
    const heft_sparse *s = w->table->sparse;
    if (!w->line || !s) return;
    for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
        w->line[s->col[k]] = clear ? 0 : s->val[k];
}

heft_status heft_writer_rows(heft_ctx *ctx, heft_writer *w, const heft_table *rows)
{
    w->table = rows;
    if (w->format->write_check) HEFT_CHECK(w->format->write_check(ctx, rows));
    for (size_t i = 0; i < rows->n_rows; i++) {
        spread(w, i, false);
        w->format->write_row(w, i);
        w->begun = true;
        spread(w, i, true);
        if (w->buf.length < FLUSH_AT && !w->buf.failed) continue;
        HEFT_CHECK(flush(ctx, w));
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

heft_status heft_writer_commit(heft_ctx *ctx, heft_writer *writer)
{
    HEFT_OWN(heft_writer) *w = writer;
    HEFT_CHECK(flush(ctx, w));
    heft_out *out = w->out;
    w->out = NULL; /* commit frees it */
    return heft_out_commit(ctx, out);
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
    HEFT_OWN(heft_writer) *w = NULL;
    heft_writer           *full;
    HEFT_CHECK(heft_writer_open(ctx, table, path, format_name, &w));
    HEFT_CHECK(heft_writer_rows(ctx, w, table));
    full = w, w = NULL;
    return heft_writer_commit(ctx, full);
}
