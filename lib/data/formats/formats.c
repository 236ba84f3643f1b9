/* formats.c - the list of file formats, and which of them a file has. */
#include "data/formats/formats.h"

#include <stdio.h>
#include <string.h>

extern const heft_format heft_format_csv, heft_format_tsv, heft_format_arff, heft_format_libsvm;

/* The first one is taken for text that no format recognises, and for standard output. */
static const heft_format *const formats[] = {
    &heft_format_csv,
    &heft_format_tsv,
    &heft_format_arff,
    &heft_format_libsvm,
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

const heft_format_info *heft_format_at(size_t index)
{
    return index < N_FORMATS ? &formats[index]->info : NULL;
}

/* ---- names and endings ---- */

/* Whether `word` is one of the words in `list`, in any case. */
static bool in_list(const char *list, const char *word)
{
    const size_t n = strlen(word);
    char         one[16];
    for (size_t length; *list; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        if (length != n || n >= sizeof one) continue;
        memcpy(one, list, n);
        one[n] = 0;
        if (heft_same_word(one, word)) return true;
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

char *heft_data_name(const char *path)
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

const char *heft_format_list(char out[128], bool dots)
{
    size_t at = 0;
    for (size_t k = 0; k < N_FORMATS && at < 100; k++)
        at += (size_t)snprintf(out + at, 128 - at, "%s%s%s",
                               k == 0              ? ""
                               : k + 1 < N_FORMATS ? ", "
                                                   : " or ",
                               dots ? "." : "", formats[k]->info.name);
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
    heft_status st = HEFT_OK;
    heft_chunk  head = {0};
    char        shown[48], list[128], raw[LOOK + 1] = {0};
    size_t      n;
    *out = name && *name ? heft_format_named(name) : heft_format_of_path(path);
    if (!*out && name && *name)
        return heft_fail(ctx, HEFT_EINVAL, "--format: '%s' is not known (use %s)",
                         heft_show(shown, sizeof shown, name, strlen(name), 30),
                         heft_format_list(list, false));
    if (!*out) {
        HEFT_TRY(heft_input_rewind(ctx, feed->in));
        HEFT_TRY(heft_input_read(ctx, feed->in, raw, LOOK, &n));
        *out = sniffed(raw, n, true);
    }
    if (*out && (*out)->binary) goto done;
    HEFT_TRY(heft_feed_head(ctx, feed, LOOK, &head));
    if (*out) goto done;
    const char *line = first_line(head.text);
    *out = sniffed(line, head.length - (size_t)(line - head.text), false);
    if (!*out) *out = formats[0];
done:
    heft_chunk_clear(&head);
    return st;
}
