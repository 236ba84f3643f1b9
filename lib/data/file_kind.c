/* file_kind.c - what a file is by its first bytes: packed, text, JSON, or something that heft does
 * not read and can only name. */
#include <string.h>

#include "base/marks.h"
#include "data/input.h"

heft_packing heft_packing_of(const char *head, size_t n)
{
    const unsigned char *p = (const unsigned char *)head;
    if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b) return HEFT_GZIP;
    if (n < 4) return HEFT_UNPACKED;
    if (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) return HEFT_ZSTD;
    /* a frame to be skipped comes first */
    if ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18) return HEFT_ZSTD;
    return HEFT_UNPACKED;
}

bool heft_is_plain_text(const char *p, size_t n)
{
    for (size_t i = 0; i < n && i < 64; i++)
        if ((unsigned char)p[i] < 32 && (p[i] < '\t' || p[i] > '\r')) return false;
    return true;
}

static size_t skip_space(const char *p, size_t n, size_t i)
{
    while (i < n && (heft_is_blank(p[i]) || p[i] == '\r' || p[i] == '\n')) i++;
    return i;
}

bool heft_is_json(const char *p, size_t n)
{
    const bool   marked = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0;
    const size_t from = skip_space(p, n, marked ? 3 : 0);
    size_t       i = from;
    if (i < n && p[i] == '[') i = skip_space(p, n, i + 1);
    if (i >= n || p[i] != '{') return false;
    i = skip_space(p, n, i + 1);
    if (i >= n || p[i] != '"') return false;
    for (i++; i < n && p[i] != '"'; i++) i += p[i] == '\\';
    i = skip_space(p, n, i + 1);
    if (i >= n || p[i] != ':') return false;
    const char *newline = memchr(p + from, '\n', n - from);
    size_t      end = newline ? (size_t)(newline - p) : n;
    if (memchr(p + from, '\t', end - from)) return false;
    if (!newline && n == HEFT_LOOK) return true; /* a line that does not end here */
    while (end > from && (heft_is_blank(p[end - 1]) || p[end - 1] == '\r')) end--;
    return memchr("{[:,]}", p[end - 1], 6);
}

static const struct {
    const char *magic;
    size_t      length;
    bool        word; /* a column may be called that: then bytes that are no text must follow */
    const char *what;
} known[] = {
    {"\xff\xfe", 2, false, "the file is UTF-16 text (convert it: iconv -f UTF-16 -t UTF-8)"},
    {"\xfe\xff", 2, false, "the file is UTF-16 text (convert it: iconv -f UTF-16 -t UTF-8)"},
    {"PK\3\4", 4, false, "this is a zip or spreadsheet file (unzip it, or save the sheet as CSV)"},
    {"\xd0\xcf\x11\xe0", 4, false, "this is a spreadsheet file (save the sheet as CSV)"},
    {"\xfd"
     "7zXZ",
     5, false, "the file is compressed with xz (decompress it, or use gzip or zstd)"},
    {"BZh", 3, true, "the file is compressed with bzip2 (decompress it, or use gzip or zstd)"},
    {"PAR1", 4, true, "this is a Parquet file (read it with {format=parquet})"},
    {"%PDF-", 5, false, "this is a PDF file (save the table as CSV)"},
    {"SQLite format 3", 15, true, "this is an SQLite database (save the table as CSV)"},
};

bool heft_begins_like_binary(const char *text)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(text, known[i].magic, known[i].length) == 0) return true;
    return false;
}

heft_status heft_refuse_binary(heft_ctx *ctx, const char *name, const char *p, size_t n)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= known[i].length && memcmp(p, known[i].magic, known[i].length) == 0 &&
            !(known[i].word && heft_is_plain_text(p + known[i].length, n - known[i].length)))
            return heft_fail(ctx, HEFT_EFORMAT, "%s: %s", name, HEFT_MARKED(known[i].what));
    if (n > 8 && p[8] == '{' && memcmp(p + 5, "\0\0\0", 3) == 0) /* a length of 8 bytes, JSON */
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: this is a heft model, not a data file ({advice show-model})", name);
    size_t zeros[2] = {0, 0}, controls = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)p[i];
        if (c == 0) zeros[i % 2]++;
        else if (c < 32 && (c < '\t' || c > '\r')) controls++;
    }
    const size_t many = zeros[0] > zeros[1] ? zeros[0] : zeros[1];
    if (many > n / 4 && zeros[0] + zeros[1] - many <= n / 32) /* every other byte of most letters */
        return heft_fail(ctx, HEFT_EFORMAT, "%s: %s", name, known[0].what);
    if (zeros[0] + zeros[1] > 0 || controls > n / 50 + 8)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the file has binary data, not text, in no format that heft reads "
                         "(see {format})",
                         name);
    return HEFT_OK;
}
