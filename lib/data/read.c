/* read.c - the entry: which format, which options fit it, and the common way to a table. */
#include "data/read.h"

#include <string.h>

#include "base/comm.h"
#include "base/text.h"
#include "data/formats/formats.h"
#include "data/merge_dicts.h"

typedef enum format { FORMAT_UNKNOWN, FORMAT_CSV, FORMAT_TSV, FORMAT_ARFF, FORMAT_LIBSVM } format;

static const struct {
    const char *word;
    format      format;
} formats[] = {
    {"csv", FORMAT_CSV},         {"tsv", FORMAT_TSV}, {"arff", FORMAT_ARFF},
    {"libsvm", FORMAT_LIBSVM},   {"tab", FORMAT_TSV}, {"svm", FORMAT_LIBSVM},
    {"svmlight", FORMAT_LIBSVM},
};

static format format_of_word(const char *word)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (heft_same_word(word, formats[i].word)) return formats[i].format;
    return FORMAT_UNKNOWN;
}

/* By the ending, that of the packing aside. */
static format format_of_path(const char *path)
{
    char         tail[16];
    const size_t n = strlen(path), k = n < sizeof tail ? n : sizeof tail - 1;
    memcpy(tail, path + n - k, k + 1);
    char *dot = strrchr(tail, '.');
    if (dot && (heft_same_word(dot, ".gz") || heft_same_word(dot, ".zst"))) {
        *dot = 0;
        dot = strrchr(tail, '.');
    }
    return dot ? format_of_word(dot + 1) : FORMAT_UNKNOWN;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    return p;
}

/* "label index:value ...": a second word of digits, a colon and something. */
static bool is_libsvm_line(const char *p)
{
    p = skip_blanks(p);
    while ((unsigned char)*p > ' ' && *p != ':' && *p != ',') p++;
    if (*p != ' ' && *p != '\t') return false;
    p = skip_blanks(p);
    if (strncmp(p, "qid:", 4) == 0) return true;
    const char *digits = p;
    while (*p >= '0' && *p <= '9') p++;
    return p > digits && *p == ':' && (unsigned char)p[1] > ' ';
}

static bool starts_with_word(const char *p, const char *word)
{
    for (; *word; p++, word++)
        if ((*p | 32) != *word) return false;
    return true;
}

/* By the first line that is neither blank nor a comment. */
static format format_of_text(const char *p)
{
    while (*p) {
        p = skip_blanks(p);
        if (*p == '@' && (starts_with_word(p + 1, "relation") ||
                          starts_with_word(p + 1, "attribute") || starts_with_word(p + 1, "data")))
            return FORMAT_ARFF;
        if (*p != '\n' && *p != '%' && *p != '#')
            return is_libsvm_line(p) ? FORMAT_LIBSVM : FORMAT_CSV;
        while (*p && *p != '\n') p++;
        p += *p == '\n';
    }
    return FORMAT_CSV;
}

static heft_status find_format(heft_ctx *ctx, const char *path, const heft_source *how,
                               heft_feed *feed, format *out)
{
    heft_status st = HEFT_OK;
    heft_chunk  head = {0};
    char        shown[48];
    *out = FORMAT_UNKNOWN;
    if (how->format && *how->format) {
        *out = format_of_word(how->format);
        if (*out == FORMAT_UNKNOWN)
            return heft_fail(ctx, HEFT_EINVAL,
                             "--format: '%s' is not known (use csv, tsv, arff or libsvm)",
                             heft_show(shown, sizeof shown, how->format, strlen(how->format), 30));
    }
    HEFT_TRY(heft_feed_head(ctx, feed, 1024, &head));
    if (*out == FORMAT_UNKNOWN) *out = format_of_path(path);
    if (*out == FORMAT_UNKNOWN) *out = format_of_text(head.text);
done:
    heft_chunk_clear(&head);
    return st;
}

static heft_status check_delimiter(heft_ctx *ctx, char c)
{
    const unsigned char u = (unsigned char)c;
    const bool          letter = (u | 32) >= 'a' && (u | 32) <= 'z';
    if (c != 0 && (letter || (u >= '0' && u <= '9') || strchr("\"'\n\r.+-?", c) || u >= 0x7f ||
                   (u < ' ' && c != '\t')))
        return heft_fail(ctx, HEFT_EINVAL,
                         "--delimiter: a mark such as , ; | or a tab or blank is needed, not a "
                         "letter, digit, sign or quote");
    return HEFT_OK;
}

static heft_status read_format(heft_ctx *ctx, format which, heft_builder *b, heft_feed *feed)
{
    switch (which) {
    case FORMAT_ARFF:
        return heft_read_arff(ctx, b, feed);
    case FORMAT_LIBSVM:
        return heft_read_libsvm(ctx, b, feed);
    default:
        return heft_read_csv(ctx, b, feed);
    }
}

/* All files, and those of this rank: several are dealt out whole, in order. */
static heft_status list_files(heft_ctx *ctx, const char *path, const heft_source *how,
                              heft_files *out)
{
    const char **list;
    size_t       n = 1;
    while (how->more && how->more[n - 1]) n++;
    HEFT_ALLOC(ctx, &ctx->scratch, list, n);
    for (size_t k = 0; k < n; k++) {
        list[k] = k ? how->more[k - 1] : path;
        if (n > 1 && strcmp(list[k], "-") == 0)
            HEFT_CHECK(
                heft_fail(ctx, HEFT_EINVAL,
                          "standard input cannot be one of several files (name files only)"));
    }
    const size_t rank = heft_comm_rank(ctx), size = heft_all_parts(ctx);
    *out = (heft_files){.path = list, .n = n, .hi = n, .shared = n == 1 && size > 1 && !how->whole};
    if (n == 1 || how->whole) return HEFT_OK;
    out->lo = n * rank / size;
    out->hi = n * (rank + 1) / size;
    return HEFT_OK;
}

/* All rows of the file into the builder, or to the sink. */
static heft_status read_file(heft_ctx *ctx, const char *path, heft_source *plan,
                             const heft_expect *expect, const heft_sink *sink, heft_table **out)
{
    heft_status  st = HEFT_OK;
    heft_input  *in = NULL;
    heft_feed    feed = {0};
    heft_builder b = {0};
    heft_files   files;
    format       which;
    HEFT_TRY(check_delimiter(ctx, plan->delimiter));
    HEFT_TRY(list_files(ctx, path, plan, &files));
    HEFT_TRY(heft_input_open(ctx, path, &in));
    heft_input_limit(in, plan->max_unpacked);
    heft_feed_init(&feed, in);
    HEFT_TRY(find_format(ctx, path, plan, &feed, &which));
    if (which == FORMAT_TSV && !plan->delimiter) plan->delimiter = '\t';
    HEFT_TRY(heft_builder_init(ctx, &b, heft_input_name(in), plan, expect));
    b.path = path;
    b.files = files;
    b.sink = sink;
    b.stage = !sink ? HEFT_GATHER : sink->begin ? HEFT_SURVEY : HEFT_BLOCKS;
    if (which == FORMAT_LIBSVM) b.drop = plan->drop;
    HEFT_TRY(read_format(ctx, which, &b, &feed));
    if (sink) {
        HEFT_TRY(heft_builder_end(ctx, &b));
        goto done;
    }
    HEFT_TRY(heft_builder_finish(ctx, &b, out));
    HEFT_TRY(heft_table_merge_dicts(ctx, *out));
done:
    heft_builder_clear(&b);
    heft_feed_clear(&feed);
    heft_input_close(in);
    return st;
}

heft_status heft_read_table(heft_ctx *ctx, const char *path, const heft_source *how,
                            const heft_expect *expect, heft_table **out)
{
    heft_source plan = how ? *how : (heft_source){0};
    *out = NULL;
    return read_file(ctx, path, &plan, expect, NULL, out);
}

heft_status heft_read_stream(heft_ctx *ctx, const char *path, const heft_source *how,
                             const heft_expect *expect, const heft_sink *sink)
{
    heft_source plan = how ? *how : (heft_source){0};
    return read_file(ctx, path, &plan, expect, sink, NULL);
}
