/* feed.c - the text of a file, cut into chunks of whole records.
 *
 * A chunk ends where a record ends. Bytes that were read beyond that are kept (`rest`) and begin
 * the next chunk; `place` and `line` are those of the first byte of the next chunk. */
#include <string.h>

#include "base/scan.h"
#include "data/formats/formats.h"

size_t heft_chunk_bytes = (size_t)1 << 17; /* a chunk and its cells fit the second cache */

/* A quote opens a field when only blanks stand between it and the field's start. */
static bool opens_field(const char *text, size_t quote, char delimiter)
{
    const bool any = delimiter == HEFT_ANY_DELIMITER;
    size_t     i = quote;
    while (i > 0 && heft_is_blank(text[i - 1]) && text[i - 1] != delimiter) i--;
    if (i == 0 || text[i - 1] == '\n' || text[i - 1] == delimiter) return true;
    if (i < quote) return any || delimiter == ' ';
    return any && memchr(",;|", text[i - 1], 3);
}

/* Returns the place behind the closing quote of a quoted field, or `length` if it is not closed. */
static size_t field_end(const char *text, size_t length, size_t quote, char mark)
{
    for (size_t i = quote + 1; i < length; i++) {
        const char *next = memchr(text + i, mark, length - i);
        if (!next) return length;
        i = (size_t)(next - text) + 1;
        if (i >= length || text[i] != mark) return i;
    }
    return length;
}

static const char *last_newline(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] != '\n') length--;
    return length ? text + length - 1 : NULL;
}

/* Returns the place behind the first or the last record of the text; 0 when no record ends in it.
 */
static size_t record_end(const heft_feed *feed, const char *text, size_t length, bool first)
{
    const char delimiter = feed->delimiter;
    size_t     end = 0;
    for (size_t from = 0, i = 0; from < length;) {
        const char  *mark = delimiter ? memchr(text + i, feed->quote, length - i) : NULL;
        const size_t quote = mark ? (size_t)(mark - text) : length;
        if (mark && !opens_field(text, quote, delimiter)) {
            i = quote + 1;
            continue;
        }
        const char *newline = first ? memchr(text + from, '\n', quote - from)
                                    : last_newline(text + from, quote - from);
        if (newline) end = (size_t)(newline - text) + 1;
        if ((first && newline) || !mark) break;
        from = i = field_end(text, length, quote, feed->quote);
    }
    return end;
}

/* Makes space for a text of so many bytes, a line end, and the margins before and behind it. */
static heft_status make_room(heft_ctx *ctx, heft_chunk *chunk, size_t bytes)
{
    const size_t edges = HEFT_CHUNK_FRONT + 1 + HEFT_CHUNK_PAD;
    HEFT_GROW(ctx, chunk->space, chunk->capacity, bytes + edges, 0);
    memset(chunk->space, 0, HEFT_CHUNK_FRONT);
    chunk->text = chunk->space + HEFT_CHUNK_FRONT;
    return HEFT_OK;
}

/* Lines that end with CR alone are made to end with LF. */
static void end_lines_with_lf(const heft_feed *feed, char *text, size_t n)
{
    if (!feed->old_mac) return;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\r') text[i] = '\n';
}

static heft_status fill(heft_ctx *ctx, heft_feed *feed, heft_chunk *chunk, size_t want)
{
    size_t got;
    HEFT_CHECK(make_room(ctx, chunk, want));
    char  *to = chunk->text + chunk->length;
    size_t ask = want - chunk->length;
    if (feed->limited) { /* what was read ends at the chunk's end, which began at `place` */
        const size_t left = feed->to - feed->place - chunk->length;
        if (left < ask) ask = left;
    }
    HEFT_CHECK(heft_input_read(ctx, feed->in, to, ask, &got));
    feed->end = got < want - chunk->length;
    chunk->length += got;
    end_lines_with_lf(feed, to, got);
    if (feed->end && chunk->length && chunk->text[chunk->length - 1] != '\n')
        chunk->text[chunk->length++] = '\n';
    return HEFT_OK;
}

static heft_status save_rest(heft_ctx *ctx, heft_feed *feed, const char *text, size_t n)
{
    HEFT_GROW(ctx, feed->rest, feed->rest_capacity, n, 0);
    if (n) memcpy(feed->rest, text, n);
    feed->n_rest = n;
    return HEFT_OK;
}

size_t heft_count_lines(const char *text, size_t length, char line_end)
{
    size_t n = 0;
    while (length > 0) {
        const size_t block =
            length < 255 ? length : 255; /* most line ends that one byte can count */
        unsigned char k = 0;
        for (size_t i = 0; i < block; i++) k = (unsigned char)(k + (text[i] == line_end));
        n += k;
        text += block;
        length -= block;
    }
    return n;
}

void heft_feed_init(heft_feed *feed, heft_input *in)
{
    memset(feed, 0, sizeof *feed);
    feed->in = in;
    feed->size = heft_chunk_bytes;
    feed->quote = '"';
    feed->longest = (size_t)1 << 30;
}

void heft_feed_start_at(heft_feed *feed, size_t from, size_t line)
{
    feed->limited = true;
    feed->from = from;
    feed->from_line = line;
    feed->to = SIZE_MAX;
}

heft_status heft_feed_restart(heft_ctx *ctx, heft_feed *feed)
{
    char   bom[3];
    size_t n;
    if (feed->limited) {
        HEFT_CHECK(heft_input_seek(ctx, feed->in, feed->from));
        feed->n_rest = 0;
        feed->end = false;
        feed->line = feed->from_line;
        feed->place = feed->from;
        return HEFT_OK;
    }
    HEFT_CHECK(heft_input_rewind(ctx, feed->in));
    HEFT_CHECK(heft_input_read(ctx, feed->in, bom, sizeof bom, &n));
    const bool marked = n == 3 && memcmp(bom, "\xef\xbb\xbf", 3) == 0;
    end_lines_with_lf(feed, bom, n);
    HEFT_CHECK(save_rest(ctx, feed, bom, marked ? 0 : n));
    feed->end = false;
    feed->line = 1;
    feed->place = marked ? 3 : 0;
    return HEFT_OK;
}

heft_status heft_feed_next(heft_ctx *ctx, heft_feed *feed, heft_chunk *chunk)
{
    size_t want = feed->size > feed->n_rest ? feed->size : feed->n_rest + feed->size;
    size_t cut = 0;
    chunk->length = 0;
    HEFT_CHECK(make_room(ctx, chunk, want));
    if (feed->n_rest) memcpy(chunk->text, feed->rest, feed->n_rest);
    chunk->length = feed->n_rest;
    chunk->first_line = feed->line;
    while (cut == 0) {
        if (!feed->end) HEFT_CHECK(fill(ctx, feed, chunk, want));
        cut = feed->end ? chunk->length : record_end(feed, chunk->text, chunk->length, false);
        if (feed->end) break;
        if (cut == 0 && chunk->length >= feed->longest)
            return heft_fail_at(
                ctx, HEFT_EFORMAT, heft_input_name(feed->in), feed->line,
                feed->longest == HEFT_SHORT_LINES
                    ? "a line of more than 64 KiB begins here (is it the right file?)"
                    : "a record of more than a gigabyte begins here (is a quotation mark not "
                      "closed? {quote=none} reads quotation marks as letters)");
        want = chunk->length * 2 + 1;
    }
    HEFT_CHECK(save_rest(ctx, feed, chunk->text + cut, chunk->length - cut));
    chunk->length = cut;
    memset(chunk->text + cut, 0, HEFT_CHUNK_PAD);
    heft_text_facts facts;
    heft_scan_facts(chunk->text, cut, &facts);
    if (facts.zeros)
        return heft_fail_at(ctx, HEFT_EFORMAT, heft_input_name(feed->in),
                            chunk->first_line +
                                heft_count_lines(chunk->text, strlen(chunk->text), '\n'),
                            "the line has a NUL byte: this is not a text file");
    chunk->n_lines = facts.n_lines;
    chunk->ascii = facts.ascii;
    feed->line += chunk->n_lines;
    feed->place += cut;
    return HEFT_OK;
}

/* ---- chunks at the same time ---- */

/* Returns where the text ends that the feed hands out, as far as it is known. */
static size_t text_end(const heft_feed *feed)
{
    const size_t size = heft_input_size(feed->in);
    return feed->limited && feed->to < size ? feed->to : size;
}

size_t heft_feed_ahead(const heft_feed *feed)
{
    const size_t end = text_end(feed);
    if (feed->in_turn || feed->old_mac || !heft_input_anywhere(feed->in)) return 0;
    return feed->place < end ? (end - feed->place - 1) / feed->size + 1 : 0;
}

/* Reads on to the end of the chunk's last line. */
static heft_status finish_line(heft_ctx *ctx, const heft_feed *feed, size_t from, size_t end,
                               heft_chunk *chunk)
{
    size_t got;
    for (size_t step = 4096; chunk->text[chunk->length - 1] != '\n'; step *= 2) {
        const size_t at = chunk->length, left = end - from - at, n = left < step ? left : step;
        if (n == 0) break;
        HEFT_CHECK(make_room(ctx, chunk, at + n));
        HEFT_CHECK(heft_input_read_at(ctx, feed->in, from + at, chunk->text + at, n, &got));
        const char *newline = memchr(chunk->text + at, '\n', got);
        chunk->length = newline ? (size_t)(newline - chunk->text) + 1 : at + got;
        chunk->refused = got < n || chunk->length >= feed->longest;
        if (chunk->refused) break;
    }
    chunk->stop = from + chunk->length;
    if (chunk->text[chunk->length - 1] != '\n') chunk->text[chunk->length++] = '\n';
    return HEFT_OK;
}

/* Reads the records that begin in the `size` bytes from chunk->start on. A record begins at byte
 * `first`; it may be before chunk->start. */
heft_status heft_feed_fetch(heft_ctx *ctx, const heft_feed *feed, size_t first, heft_chunk *chunk)
{
    const size_t end = text_end(feed), lo = chunk->start;
    const bool   inside = lo > first;
    const size_t from = inside ? lo - 1 : lo; /* a record begins at lo if a line ends before it */
    const size_t n = (end - lo < feed->size ? end : lo + feed->size) - from;
    const char  *newline = NULL;
    size_t       got;
    heft_text_facts facts;
    chunk->n_lines = 0;
    HEFT_CHECK(make_room(ctx, chunk, n));
    HEFT_CHECK(heft_input_read_at(ctx, feed->in, from, chunk->text, n, &got));
    chunk->refused = got < n;
    chunk->length = n;
    if (inside) newline = memchr(chunk->text, '\n', n - 1);
    if (inside && !newline) chunk->length = 0; /* no record begins here */
    if (chunk->length == 0 || chunk->refused) return HEFT_OK;
    HEFT_CHECK(finish_line(ctx, feed, from, end, chunk));
    if (inside) {
        newline = memchr(chunk->text, '\n', n - 1); /* the text may have moved */
        chunk->length -= (size_t)(newline + 1 - chunk->text);
        chunk->text += newline + 1 - chunk->text;
    }
    memset(chunk->text + chunk->length, 0, HEFT_CHUNK_PAD);
    heft_scan_facts(chunk->text, chunk->length, &facts);
    chunk->n_lines = facts.n_lines;
    chunk->ascii = facts.ascii;
    const bool quotes =
        feed->quote == '"' ? facts.quotes : memchr(chunk->text, feed->quote, chunk->length) != NULL;
    if (facts.zeros || (quotes && feed->delimiter)) chunk->refused = true;
    return HEFT_OK;
}

heft_status heft_feed_fetched(heft_ctx *ctx, heft_feed *feed, heft_chunk *chunk)
{
    if (chunk->refused) {
        feed->in_turn = true;
        feed->n_rest = 0;
        feed->end = false;
        return heft_input_seek(ctx, feed->in, feed->place);
    }
    if (chunk->length == 0) return HEFT_OK;
    chunk->first_line = feed->line;
    feed->line += chunk->n_lines;
    feed->place = chunk->stop;
    feed->n_rest = 0;
    feed->end = feed->place >= text_end(feed);
    heft_input_passed(feed->in, feed->place);
    return HEFT_OK;
}

/* ---- the first bytes ---- */

/* Makes the feed begin behind the first lines of the file. */
static heft_status skip_lines(heft_ctx *ctx, heft_feed *feed)
{
    enum { PIECE = 64 * 1024 };
    HEFT_SCRATCH_SCOPE(ctx);
    const char line_end = feed->old_mac ? '\r' : '\n';
    char      *p;
    size_t     lines = 0, place = 0, got = 1;
    HEFT_ALLOC(ctx, &ctx->scratch, p, PIECE);
    HEFT_CHECK(heft_input_rewind(ctx, feed->in));
    while (lines < feed->skip && got) {
        HEFT_CHECK(heft_input_read(ctx, feed->in, p, PIECE, &got));
        for (size_t i = 0; i < got && lines < feed->skip; i++, place++) lines += p[i] == line_end;
    }
    if (lines < feed->skip)
        return heft_fail(ctx, HEFT_EINVAL, "%s: {skip=%zu}: the file has only %s",
                         heft_input_name(feed->in), feed->skip, HEFT_COUNT_OF(lines, "line"));
    heft_feed_start_at(feed, place, feed->skip + 1);
    feed->skip = 0;
    return HEFT_OK;
}

/* Look at the first bytes as they are: is it text, and how do its lines end? */
static heft_status look(heft_ctx *ctx, heft_feed *feed)
{
    HEFT_SCRATCH_SCOPE(ctx);
    char  *p;
    size_t n;
    HEFT_ALLOC(ctx, &ctx->scratch, p, HEFT_LOOK);
    HEFT_CHECK(heft_input_rewind(ctx, feed->in));
    HEFT_CHECK(heft_input_read(ctx, feed->in, p, HEFT_LOOK, &n));
    if (n == 0)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: the file is empty (is it the right file?)",
                         heft_input_name(feed->in));
    HEFT_CHECK(heft_refuse_binary(ctx, heft_input_name(feed->in), p, n));
    if (!feed->skip && !feed->limited && heft_is_json(p, n)) /* --skip may leave out such a line */
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: this is JSON, which heft does not read (convert it to CSV)",
                         heft_input_name(feed->in));
    const size_t certain =
        n < HEFT_LOOK ? n : n - 1; /* a CR at the very end may belong to a CR LF */
    feed->old_mac = memchr(p, '\r', certain) && !memchr(p, '\n', n);
    return feed->skip ? skip_lines(ctx, feed) : HEFT_OK;
}

heft_status heft_feed_head(heft_ctx *ctx, heft_feed *feed, size_t bytes, heft_chunk *head)
{
    heft_status  st = HEFT_OK;
    const size_t size = feed->size;
    size_t       line;
    HEFT_TRY(look(ctx, feed));
    for (feed->size = bytes;; feed->size *= 2) {
        HEFT_TRY(heft_feed_restart(ctx, feed));
        HEFT_TRY(heft_feed_next(ctx, feed, head));
        HEFT_TRY(heft_chunk_to_utf8(ctx, head, &line));
        if (feed->end) break;
        const size_t first = record_end(feed, head->text, head->length, true);
        if (first < head->length) break;
    }
    HEFT_TRY(heft_feed_restart(ctx, feed));
done:
    feed->size = size;
    return st;
}

void heft_chunk_clear(heft_chunk *chunk)
{
    heft_free(chunk->space);
    memset(chunk, 0, sizeof *chunk);
}

void heft_feed_clear(heft_feed *feed)
{
    heft_free(feed->rest);
    feed->rest = NULL;
    feed->n_rest = feed->rest_capacity = 0;
}

heft_status heft_feed_file(heft_ctx *ctx, const char *path, char delimiter, heft_chunk_fn *fn,
                           void *arg)
{
    HEFT_OWN(heft_input)  *in = NULL;
    HEFT_LOCAL(heft_feed)  feed = {0};
    HEFT_LOCAL(heft_chunk) chunk = {0};
    HEFT_CHECK(heft_input_open(ctx, path, &in));
    heft_feed_init(&feed, in);
    feed.longest = HEFT_SHORT_LINES;
    feed.delimiter = delimiter;
    HEFT_CHECK(heft_feed_restart(ctx, &feed));
    do {
        HEFT_CHECK(heft_feed_next(ctx, &feed, &chunk));
        HEFT_CHECK(fn(ctx, arg, heft_input_name(in), &chunk));
    } while (chunk.length);
    return HEFT_OK;
}
