/* read_files.c - from files to a table or to a sink: which format, which files, how many passes. */
#include "data/read.h"

#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "data/formats/formats.h"
#include "data/merge_dicts.h"

/* Whether a character of the syntax is a letter, a digit, not ASCII, or one of `others`. */
static bool is_odd_mark(char c, const char *others)
{
    const unsigned char u = (unsigned char)c;
    const bool          letter = (u | 32) >= 'a' && (u | 32) <= 'z';
    return letter || (u >= '0' && u <= '9') || u >= 0x7f || strchr(others, c);
}

static heft_status check_delimiter(heft_ctx *ctx, char c)
{
    if (c != 0 && (is_odd_mark(c, "\"'.+-?") || ((unsigned char)c < ' ' && c != '\t')))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{delimiter}: use one character such as , ; | or a tab or a blank, but no "
                         "letter, digit, sign or quotation mark");
    return HEFT_OK;
}

static heft_status check_quote(heft_ctx *ctx, const heft_source *plan, const heft_format *format)
{
    const char c = plan->quote;
    if (c == 0) return HEFT_OK;
    if (c != HEFT_NO_QUOTE && (is_odd_mark(c, ".+-?") || (unsigned char)c <= ' '))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{quote}: use one character such as \" or ' but no letter, digit, sign "
                         "or blank ({quote=none} if quotation marks are letters like others)");
    if (c == plan->delimiter || (plan->decimal_mark && c == plan->decimal_mark))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{quote}: '%c' is the delimiter or the decimal mark too (choose another "
                         "one)",
                         c);
    if (format->columns != heft_format_named("csv")->columns)
        return heft_fail(ctx, HEFT_EINVAL, "{quote} is for CSV and TSV files, not for %s files",
                         format->info.name);
    return HEFT_OK;
}

/* Checks the decimal mark. `asked` is what the caller says; else the mark is that of a model. */
static heft_status check_decimal_mark(heft_ctx *ctx, char asked, heft_source *plan,
                                      const heft_format *format)
{
    const char c = plan->decimal_mark;
    if (c == 0 || c == '.') return HEFT_OK;
    if (is_odd_mark(c, "\"+-?") || (unsigned char)c <= ' ')
        return heft_fail(ctx, HEFT_EINVAL,
                         "{decimal-mark}: use one character such as , or . but no letter, digit, "
                         "sign, blank or quotation mark");
    if (format->columns != heft_format_named("csv")->columns) {
        plan->decimal_mark = 0;
        if (!asked) return HEFT_OK;
        return heft_fail(ctx, HEFT_EINVAL,
                         "{decimal-mark} is for CSV and TSV files: the numbers of %s files have a "
                         "decimal point",
                         format->info.name);
    }
    if (asked && plan->delimiter == plan->decimal_mark)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{decimal-mark}: '%c' is the delimiter too (choose one of them with "
                         "{delimiter})",
                         plan->decimal_mark);
    if (plan->delimiter == plan->decimal_mark) plan->decimal_mark = 0;
    return HEFT_OK;
}

/* All files, and those of this rank: several are dealt out whole, in order. */
static heft_status list_files(heft_ctx *ctx, const char *path, const heft_source *how,
                              heft_files *out)
{
    const char **list;
    size_t       n = 1;
    if (how->more)
        while (how->more[n - 1]) n++;
    HEFT_ALLOC(ctx, &ctx->scratch, list, n);
    for (size_t k = 0; k < n; k++) {
        list[k] = k ? how->more[k - 1] : path;
        if (n > 1 && strcmp(list[k], "-") == 0)
            return heft_fail(ctx, HEFT_EINVAL,
                             "standard input cannot be one of several files (name files instead)");
    }
    *out = (heft_files){.path = list, .n = n, .hi = n};
    out->divided = n == 1 && !heft_is_single(ctx) && !how->whole;
    if (n > 1 && !how->whole) heft_my_range(ctx, n, &out->lo, &out->hi);
    return HEFT_OK;
}

/* ---- passes ---- */

/* Reads the rows of a further file. */
static heft_status read_further(heft_ctx *ctx, heft_builder *b, size_t k, const heft_format *format)
{
    heft_status            st = HEFT_OK;
    HEFT_OWN(heft_input)  *in = NULL;
    HEFT_LOCAL(heft_feed)  feed = {0};
    HEFT_LOCAL(heft_chunk) head = {0};
    const char            *first = b->schema.name;
    HEFT_TRY(heft_input_open(ctx, b->source.files.path[k], &in));
    heft_input_limit(in, b->schema.how->max_unpacked);
    b->schema.name = heft_input_name(in);
    heft_feed_init(&feed, in);
    feed.skip = b->schema.how->skip;
    if (!format->binary) /* is it text, and how do its lines end */
        HEFT_TRY(heft_feed_head(ctx, &feed, 1024, &head));
    HEFT_TRY(heft_feed_restart(ctx, &feed));
    HEFT_TRY(format->rows(ctx, b, &feed, k));
done:
    b->schema.name = first;
    return st;
}

/* Makes all ranks agree on which kinds were refuted on any of them, whether any has weights in its
 * rows, and how many columns a LIBSVM file has. */
static heft_status agree_on_columns(heft_ctx *ctx, heft_builder *b)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *v;
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, v, b->schema.n_fields + 3);
    for (size_t j = 0; j < b->schema.n_fields; j++) v[j] = b->schema.fields[j].refuted;
    v[b->schema.n_fields] = b->sink.row_weight != NULL;
    v[b->schema.n_fields + 1] = (double)b->schema.n_columns;
    v[b->schema.n_fields + 2] =
        b->source.latin_line ? 1 / (double)b->source.latin_line : 0; /* the first of all */
    HEFT_CHECK(heft_all_max(ctx, v, b->schema.n_fields + 3));
    if (v[b->schema.n_fields + 2] > 0)
        b->source.latin_line = (size_t)(1 / v[b->schema.n_fields + 2] + 0.5);
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        b->schema.fields[j].refuted = v[j] > 0;
        b->sink.discard = b->sink.discard || v[j] > 0;
    }
    b->schema.n_columns = (size_t)v[b->schema.n_fields + 1];
    if (v[b->schema.n_fields] > 0 && !b->sink.row_weight && !b->sink.discard) {
        b->sink.weighted = true;
        HEFT_NEW(ctx, b->sink.row_weight, b->sink.n_rows + 1);
        for (size_t i = 0; i < b->sink.n_rows; i++) b->sink.row_weight[i] = 1;
    }
    return HEFT_OK;
}

/* A column takes up to a kilobyte in a model, whether it is used or not: a short LIBSVM file with a
 * high index must not ask for gigabytes. */
static heft_status check_columns(heft_ctx *ctx, const heft_builder *b)
{
    enum { FREE = 100 * 1000, PER_ENTRY = 16 };
    int64_t n_listed = (int64_t)b->sink.n_listed;
    if (!b->schema.sparse || b->schema.how->max_columns || b->schema.n_columns <= FREE ||
        b->schema.expect)
        return HEFT_OK;
    HEFT_CHECK(heft_all_add(ctx, &n_listed, 1));
    if (b->schema.n_columns <= FREE + PER_ENTRY * (size_t)n_listed) return HEFT_OK;
    char number[24];
    snprintf(number, sizeof number, "%zu", b->schema.n_columns);
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: index %s is high for a file with %zu entries, and every column takes "
                     "memory ({advice allow-so-many-columns=%s})",
                     b->schema.name, number, (size_t)n_listed, number);
}

/* Reads all rows of this rank's files, in one pass or several. `feed` is that of the first file. */
static heft_status read_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed,
                             const heft_format *format)
{
    HEFT_CHECK(format->columns(ctx, b, feed));
    if (b->source.files.divided && !format->binary) {
        HEFT_CHECK(heft_feed_restart(ctx, feed));
        HEFT_CHECK(heft_feed_byte_range(ctx, feed, feed->place, feed->line));
        b->source.n_expected = b->source.n_expected / heft_n_ranks(ctx) + 1;
    }
    if (b->sink.to) b->source.n_expected = 0; /* a block has few rows */
    for (bool again = true; again;) {
        for (size_t k = b->source.files.lo; k < b->source.files.hi; k++) {
            if (k == 0) HEFT_CHECK(heft_feed_restart(ctx, feed));
            HEFT_CHECK(k ? read_further(ctx, b, k, format) : format->rows(ctx, b, feed, k));
        }
        if (b->source.files.divided)
            HEFT_CHECK(heft_input_unchanged(ctx, feed->in)); /* the byte ranges still fit */
        HEFT_CHECK(agree_on_columns(ctx, b));
        HEFT_CHECK(check_columns(ctx, b));
        HEFT_CHECK(heft_sink_again(ctx, b, &again));
    }
    return HEFT_OK;
}

/* Tells what was read, and in detail each of the first columns. */
static void tell_table(heft_ctx *ctx, const char *name, const heft_format *format,
                       const heft_table *table, double seconds)
{
    enum { MOST_TOLD = 20 };
    size_t nominal = 0;
    if (!ctx->host || !ctx->host->log) return;
    for (size_t j = 0; j < table->n_cols; j++) nominal += table->cols[j].kind == HEFT_NOMINAL;
    heft_say(ctx, HEFT_INFO, "%s: read %s (%s): %s, %zu of them nominal, %s, in %.3f s", name,
             HEFT_COUNT_OF(table->n_rows, "row"), format->info.name,
             HEFT_COUNT_OF(table->n_cols, "attribute"), nominal,
             HEFT_COUNT_OF(table->target ? heft_dict_size(table->target->dict) : 0, "class"),
             seconds);
    for (size_t j = 0; j < table->n_cols && j < MOST_TOLD; j++) {
        const heft_column *col = &table->cols[j];
        char               values[80] = "numeric";
        if (col->kind == HEFT_NOMINAL)
            snprintf(values, sizeof values, "nominal with %s",
                     HEFT_COUNT_OF(heft_dict_size(col->dict), "value"));
        heft_say(ctx, HEFT_DETAIL, "%s: column '%s' is %s; %s", name, HEFT_SHOW_NAME(col->name),
                 values, HEFT_COUNT_OF(col->n_missing, "missing cell"));
    }
    if (table->n_cols > MOST_TOLD)
        heft_say(ctx, HEFT_DETAIL, "%s: there are %s", name,
                 HEFT_COUNT_OF(table->n_cols - MOST_TOLD, "more column"));
}

static void tell_blocks(heft_ctx *ctx, const heft_builder *b, const heft_format *format,
                        double seconds)
{
    size_t used = 0;
    for (size_t j = 0; j < b->schema.n_fields; j++)
        used += b->schema.fields[j].role == HEFT_ROLE_ATTRIBUTE && !b->schema.fields[j].idle;
    heft_say(ctx, HEFT_INFO, "%s: read %s (%s) in blocks; reading and using them took %.3f s",
             b->schema.name, HEFT_COUNT_OF(b->sink.n_handed, "row"), format->info.name, seconds);
    if (!b->schema.sparse)
        heft_say(ctx, HEFT_DETAIL, "%s: %s, %zu of them used as attributes", b->schema.name,
                 HEFT_COUNT_OF(b->schema.n_fields, "column"), used);
    else
        heft_say(ctx, HEFT_DETAIL, "%s: sparse rows, %s", b->schema.name,
                 HEFT_COUNT_OF(b->sink.n_listed, "entry"));
}

heft_status heft_read_as(heft_ctx *ctx, const heft_format *format, const char *path,
                         const heft_source *how, const heft_expect *expect, const heft_sink *sink,
                         heft_table **out)
{
    const double             began = heft_clock();
    heft_source              plan = how ? *how : (heft_source){0};
    HEFT_FREED char         *title = heft_name_of_path(path);
    HEFT_OWN(heft_input)    *in = NULL;
    HEFT_LOCAL(heft_feed)    feed = {0};
    HEFT_LOCAL(heft_builder) b = {0};
    heft_files               files;
    if (out) *out = NULL;
    if (!title) return heft_no_memory(ctx, strlen(path), 1);
    HEFT_CHECK(check_delimiter(ctx, plan.delimiter));
    HEFT_CHECK(list_files(ctx, path, &plan, &files));
    HEFT_CHECK(heft_input_open(ctx, path, &in));
    heft_input_limit(in, plan.max_unpacked);
    heft_feed_init(&feed, in);
    feed.skip = plan.skip;
    if (!format) HEFT_CHECK(heft_format_find(ctx, plan.format, path, &feed, &format));
    if (!plan.delimiter) plan.delimiter = format->delimiter;
    if (!plan.decimal_mark && expect) plan.decimal_mark = expect->decimal_mark;
    HEFT_CHECK(check_decimal_mark(ctx, how ? how->decimal_mark : 0, &plan, format));
    HEFT_CHECK(check_quote(ctx, &plan, format));
    HEFT_CHECK(heft_schema_init(ctx, &b.schema, heft_input_name(in), &plan, expect));
    b.schema.once = sink && !sink->begin;
    b.source.title = title;
    b.source.files = files;
    b.sink.to = sink;
    b.sink.phase = !sink ? HEFT_GATHER : sink->begin ? HEFT_SURVEY : HEFT_BLOCKS;
    HEFT_CHECK(read_rows(ctx, &b, &feed, format));
    if (b.source.latin_line && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING,
                 "%s:%zu: the line is not valid UTF-8; the invalid bytes are read as Latin-1 "
                 "(Windows-1252; if letters look wrong, convert the file to UTF-8)",
                 b.schema.name, b.source.latin_line);
    if (sink) HEFT_CHECK(heft_sink_end(ctx, &b));
    else HEFT_CHECK(heft_sink_table(ctx, &b, out));
    if (out) HEFT_CHECK(heft_table_merge_dicts(ctx, *out, out));
    if (out) tell_table(ctx, b.schema.name, format, *out, heft_clock() - began);
    else tell_blocks(ctx, &b, format, heft_clock() - began);
    return HEFT_OK;
}

heft_status heft_read_table(heft_ctx *ctx, const char *path, const heft_source *how,
                            const heft_expect *expect, heft_table **out)
{
    return heft_read_as(ctx, NULL, path, how, expect, NULL, out);
}

/* A pipe that has to be read twice is kept in memory. Beyond 256 MB it goes to a scratch file,
 * where there is a place for one; a limit that the caller gives comes first. */
static heft_status limit_pipe(heft_ctx *ctx, const char *path)
{
    const size_t usual_memory = (size_t)256 << 20;
    if (ctx->spill || strcmp(path, "-") != 0) return HEFT_OK;
    const heft_host *host = ctx->host;
    ctx->host = NULL; /* nobody asked for it: nothing to say when it cannot be had */
    const heft_status st = heft_ctx_limit(ctx, usual_memory);
    ctx->host = host;
    if (st != HEFT_OK && ctx->folder) return st;
    ctx->err->code = HEFT_OK;
    ctx->err->text[0] = 0;
    return HEFT_OK;
}

heft_status heft_read_stream(heft_ctx *ctx, const char *path, const heft_source *how,
                             const heft_expect *expect, const heft_sink *sink)
{
    if (sink->begin) HEFT_CHECK(limit_pipe(ctx, path));
    return heft_read_as(ctx, NULL, path, how, expect, sink, NULL);
}
