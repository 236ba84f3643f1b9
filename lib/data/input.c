/* input.c - the bytes of a file, plain or packed, and its text cut into chunks of whole records. */
#include "data/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/comm.h"
#include "base/io.h"
#include "base/text.h"

size_t heft_chunk_bytes = (size_t)1 << 20;

/* ---- a file ---- */

struct heft_input {
    int          fd;
    bool         close;    /* false for standard input */
    bool         seekable; /* a regular file: read again from `origin` */
    bool         once;     /* a pipe is not kept any more */
    off_t        origin;
    size_t       size;  /* bytes from the origin, 0 where unknown */
    struct stat  was;   /* the file when it was opened */
    size_t       place; /* packed bytes read since the start */
    char        *kept;  /* of a pipe: all that was read */
    size_t       n_kept, kept_room;
    bool         all_kept; /* there is no more to come */
    heft_packing packing;
    heft_unpack *unpack;
    size_t       unpacked, limit; /* bytes unpacked since the start, and allowed; 0: by ratio */
    char         name[256];
};

static heft_status input_fail(heft_ctx *ctx, const heft_input *in, const char *what)
{
    return heft_fail(ctx, HEFT_EIO, "%s: %s: %s", in->name, what, strerror(errno));
}

static heft_status read_fd(heft_ctx *ctx, const heft_input *in, char *to, size_t n, size_t *got)
{
    const size_t  most = (size_t)1 << 30;
    const ssize_t k = heft_io_read(in->fd, to, n < most ? n : most);
    if (k < 0) return input_fail(ctx, in, "cannot read");
    *got = (size_t)k;
    return HEFT_OK;
}

static heft_status keep(heft_ctx *ctx, heft_input *in, const char *data, size_t n)
{
    if (n > in->kept_room - in->n_kept) {
        size_t room = in->kept_room ? in->kept_room : 256 * 1024;
        while (room - in->n_kept < n) room += room / 2;
        char *kept = heft_resize(in->kept, room, 1);
        if (!kept) return heft_no_memory(ctx, room, 1);
        in->kept = kept;
        in->kept_room = room;
    }
    if (n) memcpy(in->kept + in->n_kept, data, n);
    in->n_kept += n;
    return HEFT_OK;
}

/* Bytes as they are in the file; *got == 0 only at its end. */
static heft_status read_raw(heft_ctx *ctx, void *source, char *to, size_t n, size_t *got)
{
    heft_input *in = source;
    *got = 0;
    if (!in->seekable && in->place < in->n_kept) {
        *got = in->n_kept - in->place < n ? in->n_kept - in->place : n;
        memcpy(to, in->kept + in->place, *got);
    } else if (!in->all_kept) {
        HEFT_CHECK(read_fd(ctx, in, to, n, got));
        if (!in->seekable && !in->once) HEFT_CHECK(keep(ctx, in, to, *got));
    }
    in->place += *got;
    if (in->once && in->kept && in->place >= in->n_kept) {
        heft_free(in->kept);
        in->kept = NULL;
        in->n_kept = in->kept_room = 0;
    }
    return HEFT_OK;
}

/* A small packed file can hold endless text. Real tables pack to a tenth or, of much the same rows,
 * a hundredth. */
static heft_status check_unpacked(heft_ctx *ctx, const heft_input *in)
{
    const size_t floor = (size_t)1 << 30, ratio = 250;
    if (in->limit ? in->unpacked <= in->limit
                  : in->unpacked <= floor || in->unpacked / ratio <= in->place)
        return HEFT_OK;
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: %zu packed bytes unpack to more than %zu: this may be made to fill the "
                     "memory (--max-unpacked allows more)",
                     in->name, in->place, in->limit ? in->limit : in->unpacked);
}

static heft_status to_start(heft_ctx *ctx, heft_input *in)
{
    in->place = 0;
    if (in->seekable && heft_io_seek(in->fd, in->origin, SEEK_SET) < 0)
        return input_fail(ctx, in, "cannot read it again");
    return HEFT_OK;
}

/* A pipe has one reader: rank 0 takes all of it, the others a copy. */
static heft_status share_pipe(heft_ctx *ctx, heft_input *in)
{
    heft_status st = HEFT_OK;
    enum { PIECE = 1 << 18 };
    char   *piece = NULL;
    int64_t n = 0;
    size_t  got = 1;
    HEFT_HEAP(ctx, piece, PIECE);
    while (heft_comm_rank(ctx) == 0 && got) {
        HEFT_TRY(read_fd(ctx, in, piece, PIECE, &got));
        HEFT_TRY(keep(ctx, in, piece, got));
    }
    n = (int64_t)in->n_kept;
    HEFT_TRY(heft_comm_broadcast(ctx, &n, sizeof n, 0));
    if (heft_comm_rank(ctx) > 0) {
        HEFT_HEAP(ctx, in->kept, (size_t)n + 1);
        in->n_kept = in->kept_room = (size_t)n;
    }
    HEFT_TRY(heft_comm_broadcast(ctx, in->kept, (size_t)n, 0));
    in->all_kept = true;
done:
    heft_free(piece);
    return st;
}

/* What only one process can read. */
static bool is_pipe(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

static heft_status examine(heft_ctx *ctx, heft_input *in)
{
    struct stat info;
    if (fstat(in->fd, &info) != 0) return input_fail(ctx, in, "cannot read");
    if (S_ISDIR(info.st_mode))
        return heft_fail(ctx, HEFT_EIO, "%s: is a folder (name a file in it)", in->name);
    in->origin = S_ISREG(info.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
    in->seekable = in->origin >= 0;
    in->was = info;
    if (in->seekable && info.st_size > in->origin) in->size = (size_t)(info.st_size - in->origin);
    return HEFT_OK;
}

heft_status heft_input_open(heft_ctx *ctx, const char *path, heft_input **out)
{
    heft_status st = HEFT_OK;
    heft_input *in = NULL;
    char        magic[4];
    size_t      n = 0, got = 1;
    *out = NULL;
    HEFT_HEAP(ctx, in, 1);
    in->fd = STDIN_FILENO;
    const bool others = !heft_all_here(ctx) && is_pipe(path);
    if (strcmp(path, "-") == 0) {
        strcpy(in->name, "standard input");
    } else {
        heft_show(in->name, sizeof in->name, path, strlen(path), sizeof in->name);
    }
    if (strcmp(path, "-") != 0 && !(others && heft_comm_rank(ctx) > 0)) {
        in->fd = heft_io_open(path, O_RDONLY, 0);
        if (in->fd < 0) HEFT_TRY(input_fail(ctx, in, "cannot open"));
        in->close = true;
    }
    if (others) HEFT_TRY(share_pipe(ctx, in));
    else HEFT_TRY(examine(ctx, in));
    for (; n < sizeof magic && got; n += got)
        HEFT_TRY(read_raw(ctx, in, magic + n, sizeof magic - n, &got));
    in->packing = heft_packing_of(magic, n);
    HEFT_TRY(heft_input_rewind(ctx, in));
    *out = in, in = NULL;
done:
    heft_input_close(in);
    return st;
}

void heft_input_close(heft_input *in)
{
    if (!in) return;
    heft_unpack_close(in->unpack);
    if (in->close && in->fd >= 0) (void)heft_io_close(in->fd); /* only read: nothing to lose */
    heft_free(in->kept);
    heft_free(in);
}

void heft_input_limit(heft_input *in, size_t unpacked)
{
    in->limit = unpacked;
}

heft_status heft_input_read(heft_ctx *ctx, heft_input *in, char *to, size_t n, size_t *got)
{
    *got = 0;
    for (size_t k = 1; *got < n && k; *got += k) {
        if (!in->unpack) {
            HEFT_CHECK(read_raw(ctx, in, to + *got, n - *got, &k));
            continue;
        }
        HEFT_CHECK(heft_unpack_read(ctx, in->unpack, to + *got, n - *got, &k));
        in->unpacked += k;
        HEFT_CHECK(check_unpacked(ctx, in));
    }
    return HEFT_OK;
}

heft_status heft_input_rewind(heft_ctx *ctx, heft_input *in)
{
    heft_unpack_close(in->unpack);
    in->unpack = NULL;
    in->unpacked = 0;
    const heft_status st = to_start(ctx, in);
    if (st != HEFT_OK || in->packing == HEFT_PLAIN) return st;
    return heft_unpack_open(ctx, in->packing, read_raw, in, in->name, &in->unpack);
}

heft_status heft_input_seek(heft_ctx *ctx, heft_input *in, size_t place)
{
    heft_status st = HEFT_OK;
    enum { PIECE = 1 << 16 };
    char *piece = NULL;
    HEFT_TRY(heft_input_rewind(ctx, in));
    if (in->packing == HEFT_PLAIN && in->seekable) {
        if (lseek(in->fd, in->origin + (off_t)place, SEEK_SET) < 0)
            HEFT_TRY(input_fail(ctx, in, "cannot read from the middle"));
        in->place = place;
        goto done;
    }
    HEFT_HEAP(ctx, piece, PIECE);
    for (size_t got = 1; place > 0 && got; place -= got)
        HEFT_TRY(heft_input_read(ctx, in, piece, place < PIECE ? place : PIECE, &got));
done:
    heft_free(piece);
    return st;
}

heft_status heft_input_length(heft_ctx *ctx, heft_input *in, size_t *length)
{
    heft_status st = HEFT_OK;
    enum { PIECE = 1 << 18 };
    char *piece = NULL;
    *length = in->size;
    if (in->packing == HEFT_PLAIN && in->seekable) return HEFT_OK;
    *length = 0;
    HEFT_HEAP(ctx, piece, PIECE);
    HEFT_TRY(heft_input_rewind(ctx, in));
    for (size_t got = 1; got; *length += got)
        HEFT_TRY(heft_input_read(ctx, in, piece, PIECE, &got));
    HEFT_TRY(heft_input_rewind(ctx, in));
done:
    heft_free(piece);
    return st;
}

heft_status heft_input_unchanged(heft_ctx *ctx, const heft_input *in)
{
    struct stat now;
    if (!in->seekable) return HEFT_OK;
    if (fstat(in->fd, &now) != 0) return input_fail(ctx, in, "cannot read");
    if (now.st_size == in->was.st_size && now.st_mtim.tv_sec == in->was.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == in->was.st_mtim.tv_nsec)
        return HEFT_OK;
    return heft_fail(ctx, HEFT_EIO, "%s: the file has changed while it was read (try again)",
                     in->name);
}

void heft_input_once(heft_input *in)
{
    in->once = !in->seekable;
}

const char *heft_input_name(const heft_input *in)
{
    return in->name;
}

size_t heft_input_size(const heft_input *in)
{
    return in->packing == HEFT_PLAIN ? in->size : 0;
}

double heft_input_share(const heft_input *in)
{
    if (!in->size) return 0;
    return in->place < in->size ? (double)in->place / (double)in->size : 1;
}

heft_status heft_fail_at(heft_ctx *ctx, heft_status code, const char *name, size_t line,
                         const char *format, ...)
{
    char    text[sizeof ctx->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return heft_fail(ctx, code, "%s:%zu: %s", name, line, text);
}

/* ---- chunks ---- */

static const size_t longest_record = (size_t)1 << 30;

static heft_status chunk_grow(heft_ctx *ctx, heft_chunk *chunk, size_t room)
{
    if (room + HEFT_CHUNK_PAD <= chunk->room) return HEFT_OK;
    char *text = heft_resize(chunk->text, room + HEFT_CHUNK_PAD, 1);
    if (!text) return heft_no_memory(ctx, room + HEFT_CHUNK_PAD, 1);
    chunk->text = text;
    chunk->room = room + HEFT_CHUNK_PAD;
    return HEFT_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A quote opens a field when only blanks stand between it and the field's start. */
static bool opens_field(const char *text, size_t quote, char delimiter)
{
    const bool any = delimiter == HEFT_ANY_DELIMITER;
    size_t     i = quote;
    while (i > 0 && is_blank(text[i - 1]) && text[i - 1] != delimiter) i--;
    if (i == 0 || text[i - 1] == '\n' || text[i - 1] == delimiter) return true;
    if (i < quote) return any || delimiter == ' ';
    return any && memchr(",;|", text[i - 1], 3);
}

/* Where a quoted field ends: behind its closing quote; `length` when it does not. */
static size_t field_end(const char *text, size_t length, size_t quote)
{
    for (size_t i = quote + 1; i < length; i++) {
        const char *next = memchr(text + i, '"', length - i);
        if (!next) return length;
        i = (size_t)(next - text) + 1;
        if (i >= length || text[i] != '"') return i;
    }
    return length;
}

static const char *last_newline(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] != '\n') length--;
    return length ? text + length - 1 : NULL;
}

/* Behind the first or the last record of the text; 0 when no record ends in it. */
static size_t record_end(const char *text, size_t length, char delimiter, bool first)
{
    size_t end = 0;
    for (size_t from = 0, i = 0; from < length;) {
        const char  *mark = delimiter ? memchr(text + i, '"', length - i) : NULL;
        const size_t quote = mark ? (size_t)(mark - text) : length;
        if (mark && !opens_field(text, quote, delimiter)) {
            i = quote + 1;
            continue;
        }
        const char *newline = first ? memchr(text + from, '\n', quote - from)
                                    : last_newline(text + from, quote - from);
        if (newline) end = (size_t)(newline - text) + 1;
        if ((first && newline) || !mark) break;
        from = i = field_end(text, length, quote);
    }
    return end;
}

static heft_status fill(heft_ctx *ctx, heft_feed *feed, heft_chunk *chunk, size_t want)
{
    size_t got;
    HEFT_CHECK(chunk_grow(ctx, chunk, want + 1));
    char  *to = chunk->text + chunk->length;
    size_t ask = want - chunk->length;
    if (feed->limited) { /* what was read ends at the chunk's end, which began at `place` */
        const size_t left = feed->to - feed->place - chunk->length;
        if (left < ask) ask = left;
    }
    HEFT_CHECK(heft_input_read(ctx, feed->in, to, ask, &got));
    feed->end = got < want - chunk->length;
    chunk->length += got;
    for (size_t i = 0; feed->old_mac && i < got; i++)
        if (to[i] == '\r') to[i] = '\n';
    if (feed->end && chunk->length && chunk->text[chunk->length - 1] != '\n')
        chunk->text[chunk->length++] = '\n';
    return HEFT_OK;
}

static heft_status save_rest(heft_ctx *ctx, heft_feed *feed, const char *text, size_t n)
{
    if (n > feed->rest_room) {
        char *rest = heft_resize(feed->rest, n, 1);
        if (!rest) return heft_no_memory(ctx, n, 1);
        feed->rest = rest;
        feed->rest_room = n;
    }
    if (n) memcpy(feed->rest, text, n);
    feed->n_rest = n;
    return HEFT_OK;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t n = 0;
    while (length > 0) {
        const size_t  block = length < 255 ? length : 255; /* what a byte can count */
        unsigned char k = 0;
        for (size_t i = 0; i < block; i++) k = (unsigned char)(k + (text[i] == '\n'));
        n += k;
        text += block;
        length -= block;
    }
    return n;
}

static heft_status check_text(heft_ctx *ctx, const heft_feed *feed, const heft_chunk *chunk)
{
    const char *zero = chunk->length ? memchr(chunk->text, 0, chunk->length) : NULL;
    if (!zero) return HEFT_OK;
    const size_t lines = count_lines(chunk->text, (size_t)(zero - chunk->text));
    return heft_fail_at(ctx, HEFT_EFORMAT, heft_input_name(feed->in), chunk->first_line + lines,
                        "a NUL byte: this is not a text file");
}

void heft_feed_init(heft_feed *feed, heft_input *in)
{
    memset(feed, 0, sizeof *feed);
    feed->in = in;
    feed->size = heft_chunk_bytes;
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
    for (size_t i = 0; feed->old_mac && i < n; i++)
        if (bom[i] == '\r') bom[i] = '\n';
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
    HEFT_CHECK(chunk_grow(ctx, chunk, want + 1));
    if (feed->n_rest) memcpy(chunk->text, feed->rest, feed->n_rest);
    chunk->length = feed->n_rest;
    chunk->first_line = feed->line;
    while (cut == 0) {
        if (!feed->end) HEFT_CHECK(fill(ctx, feed, chunk, want));
        cut = feed->end ? chunk->length
                        : record_end(chunk->text, chunk->length, feed->delimiter, false);
        if (feed->end) break;
        if (cut == 0 && chunk->length >= longest_record)
            HEFT_CHECK(heft_fail_at(ctx, HEFT_EFORMAT, heft_input_name(feed->in), feed->line,
                                    "a record of more than a gigabyte begins here (is a quote not "
                                    "closed?)"));
        want = chunk->length * 2 + 1;
    }
    HEFT_CHECK(save_rest(ctx, feed, chunk->text + cut, chunk->length - cut));
    chunk->length = cut;
    memset(chunk->text + cut, 0, HEFT_CHUNK_PAD);
    HEFT_CHECK(check_text(ctx, feed, chunk));
    chunk->n_lines = count_lines(chunk->text, cut);
    feed->line += chunk->n_lines;
    feed->place += cut;
    return HEFT_OK;
}

/* No control characters but blanks and line ends, as far as a look goes. */
static bool is_text(const char *p, size_t n)
{
    for (size_t i = 0; i < n && i < 64; i++)
        if ((unsigned char)p[i] < 32 && (p[i] < '\t' || p[i] > '\r')) return false;
    return true;
}

/* What a file that is no text most likely is. */
static heft_status refuse(heft_ctx *ctx, const char *name, const char *p, size_t n)
{
    static const struct {
        const char *magic;
        size_t      length;
        bool        word; /* a column may be called that */
        const char *what;
    } known[] = {
        {"\xff\xfe", 2, false, "UTF-16 text (convert it: iconv -f UTF-16 -t UTF-8)"},
        {"\xfe\xff", 2, false, "UTF-16 text (convert it: iconv -f UTF-16 -t UTF-8)"},
        {"PK\3\4", 4, false, "a zip or spreadsheet file (unpack it, or save the sheet as CSV)"},
        {"\xd0\xcf\x11\xe0", 4, false, "a spreadsheet file (save the sheet as CSV)"},
        {"\xfd"
         "7zXZ",
         5, false, "packed with xz (unpack it, or pack it with gzip or zstd)"},
        {"BZh", 3, true, "packed with bzip2 (unpack it, or pack it with gzip or zstd)"},
        {"PAR1", 4, true, "a Parquet file (save it as CSV)"},
        {"%PDF-", 5, false, "a PDF file (save the table as CSV)"},
        {"SQLite format 3", 15, true, "an SQLite database (save the table as CSV)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= known[i].length && memcmp(p, known[i].magic, known[i].length) == 0 &&
            !(known[i].word && is_text(p + known[i].length, n - known[i].length)))
            return heft_fail(ctx, HEFT_EFORMAT, "%s: %s", name, known[i].what);
    size_t zeros[2] = {0, 0}, controls = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)p[i];
        if (c == 0) zeros[i % 2]++;
        else if (c < 32 && (c < '\t' || c > '\r')) controls++;
    }
    if (zeros[0] > n / 4 || zeros[1] > n / 4)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: %s", name, known[0].what);
    if (zeros[0] + zeros[1] > 0 || controls > n / 50 + 8)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: binary data, not text (CSV, ARFF and LIBSVM files are read)", name);
    return HEFT_OK;
}

/* Look at the first bytes as they are. */
static heft_status sniff(heft_ctx *ctx, heft_feed *feed)
{
    enum { LOOK = 16 * 1024 };
    heft_status st = HEFT_OK;
    char       *p = NULL;
    size_t      n;
    HEFT_HEAP(ctx, p, LOOK);
    HEFT_TRY(heft_input_rewind(ctx, feed->in));
    HEFT_TRY(heft_input_read(ctx, feed->in, p, LOOK, &n));
    if (n == 0)
        HEFT_TRY(heft_fail(ctx, HEFT_EFORMAT, "%s: the file is empty", heft_input_name(feed->in)));
    HEFT_TRY(refuse(ctx, heft_input_name(feed->in), p, n));
    const size_t certain = n < LOOK ? n : n - 1; /* a CR at the very end may belong to a CR LF */
    feed->old_mac = memchr(p, '\r', certain) && !memchr(p, '\n', n);
done:
    heft_free(p);
    return st;
}

heft_status heft_feed_head(heft_ctx *ctx, heft_feed *feed, size_t bytes, heft_chunk *head)
{
    heft_status  st = HEFT_OK;
    const size_t size = feed->size;
    HEFT_TRY(sniff(ctx, feed));
    for (feed->size = bytes;; feed->size *= 2) {
        HEFT_TRY(heft_feed_restart(ctx, feed));
        HEFT_TRY(heft_feed_next(ctx, feed, head));
        if (feed->end) break;
        const size_t first = record_end(head->text, head->length, feed->delimiter, true);
        if (first < head->length) break;
    }
    HEFT_TRY(heft_feed_restart(ctx, feed));
done:
    feed->size = size;
    return st;
}

void heft_chunk_clear(heft_chunk *chunk)
{
    heft_free(chunk->text);
    memset(chunk, 0, sizeof *chunk);
}

void heft_feed_clear(heft_feed *feed)
{
    heft_free(feed->rest);
    feed->rest = NULL;
    feed->n_rest = feed->rest_room = 0;
}
