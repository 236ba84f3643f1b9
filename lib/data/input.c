/* input.c - the bytes of a file, plain or packed, as often as they are needed. gzip (RFC 1952, any
 * number of members) and Zstandard (RFC 8878, any number of frames) are unpacked as streams. */
#include "data/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/comm.h"
#include "base/io.h"
#include "base/text.h"

enum { PACKED = 128 * 1024, PLAIN = 128 * 1024 };

typedef struct unpacker {
    heft_packing  packing;
    heft_input   *input;
    char         *packed;
    bool          source_end;
    bool          whole; /* between two members: the input may end here */
    z_stream      gz;
    bool          gz_open;
    ZSTD_DStream *zstd;
    ZSTD_inBuffer in;
    char         *plain; /* zstd: unpacked, not yet handed out from `handed` on */
    size_t        n_plain, handed;
} unpacker;

struct heft_input {
    int          fd;
    bool         close;    /* false for standard input */
    bool         seekable; /* a regular file: read again from `origin` */
    bool         once;     /* a pipe is not kept any more */
    off_t        origin;
    size_t       size;  /* bytes from the origin, 0 where unknown */
    struct stat  was;   /* the file when it was opened */
    size_t       place; /* packed bytes read since the start */
    char        *kept;  /* all bytes that were read from a pipe */
    size_t       n_kept, kept_capacity;
    bool         all_kept; /* there is no more to come */
    heft_packing packing;
    unpacker    *unpack;
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
    HEFT_GROW(ctx, in->kept, in->kept_capacity, in->n_kept + n, 256 * 1024);
    if (n) memcpy(in->kept + in->n_kept, data, n);
    in->n_kept += n;
    return HEFT_OK;
}

/* Reads bytes as they are in the file; *got == 0 only at its end. */
static heft_status read_raw(heft_ctx *ctx, heft_input *in, char *to, size_t n, size_t *got)
{
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
        in->n_kept = in->kept_capacity = 0;
    }
    return HEFT_OK;
}

/* ---- unpacking ---- */

void *heft_zlib_alloc(void *user, unsigned n, unsigned size)
{
    (void)user;
    return heft_alloc(n, size);
}

void heft_zlib_free(void *user, void *p)
{
    (void)user;
    heft_free(p);
}

/* Fails because the packed file is damaged; `why` is NULL where it is truncated. */
static heft_status damaged(heft_ctx *ctx, const unpacker *u, const char *why)
{
    const char *kind = u->packing == HEFT_GZIP ? "gzip" : "zstd";
    if (!why)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the %s file is truncated (copy or download it again)",
                         heft_input_name(u->input), kind);
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: the %s file is damaged: %s (copy or download it again)",
                     heft_input_name(u->input), kind, why);
}

/* Reads more packed bytes into u->in, which is used up. */
static heft_status fetch(heft_ctx *ctx, unpacker *u)
{
    size_t            got = 0;
    const heft_status st = read_raw(ctx, u->input, u->packed, PACKED, &got);
    u->in = (ZSTD_inBuffer){u->packed, got, 0};
    if (st == HEFT_OK && got == 0) u->source_end = true;
    return st;
}

/* After a gzip member only another one, or padding with zeros, may follow. */
static heft_status next_member(heft_ctx *ctx, unpacker *u)
{
    if (inflateReset(&u->gz) != Z_OK)
        return damaged(ctx, u, u->gz.msg ? u->gz.msg : "no reason given");
    const char *p = u->in.src;
    while (u->in.pos < u->in.size && p[u->in.pos] == 0) u->in.pos++;
    if (u->in.pos < u->in.size) u->whole = false;
    return HEFT_OK;
}

static heft_status read_gzip(heft_ctx *ctx, unpacker *u, char *to, size_t n, size_t *got)
{
    if (n > 1u << 30) n = 1u << 30;
    while (*got == 0) {
        if (u->in.pos == u->in.size && !u->source_end) HEFT_CHECK(fetch(ctx, u));
        if (u->source_end) return u->whole ? HEFT_OK : damaged(ctx, u, NULL);
        if (u->whole) HEFT_CHECK(next_member(ctx, u));
        if (u->whole) continue;
        u->gz.next_in = (Bytef *)u->packed + u->in.pos;
        u->gz.avail_in = (uInt)(u->in.size - u->in.pos);
        u->gz.next_out = (Bytef *)to;
        u->gz.avail_out = (uInt)n;
        const int code = inflate(&u->gz, Z_NO_FLUSH);
        u->in.pos = u->in.size - u->gz.avail_in;
        *got = n - u->gz.avail_out;
        if (code == Z_STREAM_END) u->whole = true;
        else if (code == Z_MEM_ERROR) return heft_no_memory(ctx, 1, 64 * 1024);
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return damaged(ctx, u, u->gz.msg ? u->gz.msg : "no reason given");
    }
    return HEFT_OK;
}

/* Unpacks the next piece of text into u->plain; none at the end. The buffer always has the same
 * size: what libzstd reports about a damaged file depends on it. */
static heft_status next_plain(heft_ctx *ctx, unpacker *u)
{
    u->handed = u->n_plain = 0;
    while (u->n_plain == 0) {
        if (u->in.pos == u->in.size && !u->source_end) HEFT_CHECK(fetch(ctx, u));
        if (u->source_end && u->whole) return HEFT_OK;
        ZSTD_outBuffer out = {u->plain, PLAIN, 0};
        const size_t   before = u->in.pos;
        const size_t   code = ZSTD_decompressStream(u->zstd, &out, &u->in);
        if (ZSTD_isError(code)) return damaged(ctx, u, ZSTD_getErrorName(code));
        u->n_plain = out.pos;
        u->whole = code == 0;
        if (u->source_end && out.pos == 0 && u->in.pos == before && !u->whole)
            return damaged(ctx, u, NULL);
    }
    return HEFT_OK;
}

/* Reads up to n bytes of text; *got == 0 only at the end. A truncated or damaged file is EFORMAT.
 */
static heft_status unpack_read(heft_ctx *ctx, unpacker *u, char *to, size_t n, size_t *got)
{
    *got = 0;
    if (u->packing == HEFT_GZIP) return read_gzip(ctx, u, to, n, got);
    if (u->handed == u->n_plain) HEFT_CHECK(next_plain(ctx, u));
    *got = u->n_plain - u->handed < n ? u->n_plain - u->handed : n;
    if (*got) memcpy(to, u->plain + u->handed, *got);
    u->handed += *got;
    return HEFT_OK;
}

static heft_status unpack_open(heft_ctx *ctx, heft_input *in)
{
    unpacker *u;
    HEFT_NEW(ctx, in->unpack, 1); /* closed with the input */
    u = in->unpack;
    u->packing = in->packing;
    u->input = in;
    HEFT_NEW(ctx, u->packed, PACKED);
    if (u->packing == HEFT_GZIP) {
        u->gz.zalloc = heft_zlib_alloc;
        u->gz.zfree = heft_zlib_free;
        if (inflateInit2(&u->gz, MAX_WBITS + 16) != Z_OK) return heft_no_memory(ctx, 1, 64 * 1024);
        u->gz_open = true;
    } else {
        HEFT_NEW(ctx, u->plain, PLAIN);
        u->zstd = ZSTD_createDStream();
        if (!u->zstd) return heft_no_memory(ctx, 1, ZSTD_DStreamInSize());
    }
    return HEFT_OK;
}

static void unpack_close(unpacker *u)
{
    if (!u) return;
    if (u->gz_open) inflateEnd(&u->gz);
    ZSTD_freeDStream(u->zstd);
    heft_free(u->packed);
    heft_free(u->plain);
    heft_free(u);
}

/* ---- the file ---- */

enum { PIECE = 1 << 18 };

/* A pipe has one reader: rank 0 reads all of it and sends the others a copy. */
static heft_status read_for_all(heft_ctx *ctx, heft_input *in)
{
    HEFT_SCRATCH_SCOPE(ctx);
    char   *piece;
    int64_t n = 0;
    size_t  got = 1;
    HEFT_ALLOC(ctx, &ctx->scratch, piece, PIECE);
    while (heft_comm_rank(ctx) == 0 && got) {
        HEFT_CHECK(read_fd(ctx, in, piece, PIECE, &got));
        HEFT_CHECK(keep(ctx, in, piece, got));
    }
    n = (int64_t)in->n_kept;
    HEFT_CHECK(heft_comm_broadcast(ctx, &n, sizeof n, 0));
    if (heft_comm_rank(ctx) > 0) {
        HEFT_NEW(ctx, in->kept, (size_t)n + 1);
        in->n_kept = in->kept_capacity = (size_t)n;
    }
    HEFT_CHECK(heft_comm_broadcast(ctx, in->kept, (size_t)n, 0));
    in->all_kept = true;
    return HEFT_OK;
}

static heft_status examine(heft_ctx *ctx, heft_input *in)
{
    struct stat info;
    if (fstat(in->fd, &info) != 0) return input_fail(ctx, in, "cannot read");
    if (S_ISDIR(info.st_mode))
        return heft_fail(ctx, HEFT_EIO, "%s: this is a folder (name a file in it)", in->name);
    in->origin = S_ISREG(info.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
    in->seekable = in->origin >= 0;
    in->was = info;
    if (in->seekable && info.st_size > in->origin) in->size = (size_t)(info.st_size - in->origin);
    return HEFT_OK;
}

heft_status heft_input_open(heft_ctx *ctx, const char *path, heft_input **out)
{
    HEFT_OWN(heft_input) *in = NULL;
    char                  magic[4];
    size_t                n = 0, got = 1;
    struct stat           info;
    *out = NULL;
    HEFT_NEW(ctx, in, 1);
    in->fd = STDIN_FILENO;
    const bool others = /* a pipe can be read by one process only */
        !heft_is_single(ctx) &&
        (strcmp(path, "-") == 0 ||
         (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)));
    if (strcmp(path, "-") == 0) strcpy(in->name, "standard input");
    else heft_show(in->name, sizeof in->name, path, strlen(path), sizeof in->name);
    if (strcmp(path, "-") != 0 && !(others && heft_comm_rank(ctx) > 0)) {
        in->fd = heft_io_open(path, O_RDONLY, 0);
        if (in->fd < 0) return input_fail(ctx, in, "cannot open");
        in->close = true;
    }
    if (others) HEFT_CHECK(read_for_all(ctx, in));
    else HEFT_CHECK(examine(ctx, in));
    for (; n < sizeof magic && got; n += got)
        HEFT_CHECK(read_raw(ctx, in, magic + n, sizeof magic - n, &got));
    in->packing = heft_packing_of(magic, n);
    HEFT_CHECK(heft_input_rewind(ctx, in));
    *out = in, in = NULL;
    return HEFT_OK;
}

void heft_input_close(heft_input *in)
{
    if (!in) return;
    unpack_close(in->unpack);
    if (in->close && in->fd >= 0)
        (void)heft_io_close(in->fd); /* it was only read: an error loses nothing */
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
        HEFT_CHECK(unpack_read(ctx, in->unpack, to + *got, n - *got, &k));
        in->unpacked += k;
        /* a small packed file can hold endless text; real tables pack to a tenth, very regular ones
         * to a hundredth */
        const size_t floor = (size_t)64 << 20, ratio = 100;
        if (in->limit ? in->unpacked > in->limit
                      : in->unpacked > floor && in->unpacked / ratio > in->place)
            return heft_fail(ctx, HEFT_EFORMAT,
                             "%s: %zu compressed bytes expand to more than %zu, which may be meant "
                             "to fill the memory ({advice allow-unpacked})",
                             in->name, in->place, in->limit ? in->limit : in->unpacked);
    }
    return HEFT_OK;
}

void heft_input_passed(heft_input *in, size_t place)
{
    in->place = place;
}

heft_status heft_input_rewind(heft_ctx *ctx, heft_input *in)
{
    unpack_close(in->unpack);
    in->unpack = NULL;
    in->unpacked = 0;
    in->place = 0;
    if (in->seekable && heft_io_seek(in->fd, in->origin, SEEK_SET) < 0)
        return input_fail(ctx, in, "cannot read the file again");
    return in->packing == HEFT_UNPACKED ? HEFT_OK : unpack_open(ctx, in);
}

/* Read up to n bytes of text and forget them; *got says how many there were. */
static heft_status skip(heft_ctx *ctx, heft_input *in, size_t n, size_t *got)
{
    HEFT_SCRATCH_SCOPE(ctx);
    char *piece;
    *got = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, piece, PIECE);
    for (size_t k = 1; *got < n && k; *got += k)
        HEFT_CHECK(heft_input_read(ctx, in, piece, n - *got < PIECE ? n - *got : PIECE, &k));
    return HEFT_OK;
}

heft_status heft_input_seek(heft_ctx *ctx, heft_input *in, size_t place)
{
    size_t got;
    HEFT_CHECK(heft_input_rewind(ctx, in));
    if (in->packing != HEFT_UNPACKED || !in->seekable) return skip(ctx, in, place, &got);
    if (lseek(in->fd, in->origin + (off_t)place, SEEK_SET) < 0)
        return input_fail(ctx, in, "cannot read from the middle of the file");
    in->place = place;
    return HEFT_OK;
}

bool heft_input_anywhere(const heft_input *in)
{
    return in->packing == HEFT_UNPACKED && in->seekable;
}

heft_status heft_input_read_at(heft_ctx *ctx, const heft_input *in, size_t place, void *to,
                               size_t n, size_t *got)
{
    const size_t most = (size_t)1 << 30;
    ssize_t      k = 1;
    for (*got = 0; *got < n && k > 0; *got += (size_t)k) {
        const size_t left = n - *got;
        k = heft_io_read_at(in->fd, (char *)to + *got, left < most ? left : most,
                            in->origin + (off_t)(place + *got));
        if (k < 0) return input_fail(ctx, in, "cannot read");
    }
    return HEFT_OK;
}

heft_status heft_input_length(heft_ctx *ctx, heft_input *in, size_t *length)
{
    *length = in->size;
    if (in->packing == HEFT_UNPACKED && in->seekable) return HEFT_OK;
    HEFT_CHECK(heft_input_rewind(ctx, in));
    HEFT_CHECK(skip(ctx, in, SIZE_MAX, length));
    return heft_input_rewind(ctx, in);
}

heft_status heft_input_unchanged(heft_ctx *ctx, const heft_input *in)
{
    struct stat now;
    if (!in->seekable) return HEFT_OK;
    if (fstat(in->fd, &now) != 0) return input_fail(ctx, in, "cannot read");
    if (now.st_size == in->was.st_size && now.st_mtim.tv_sec == in->was.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == in->was.st_mtim.tv_nsec)
        return HEFT_OK;
    return heft_fail(ctx, HEFT_EIO, "%s: the file changed while it was read (try again)", in->name);
}

void heft_input_once(heft_input *in)
{
    in->once = !in->seekable;
}

const char *heft_input_name(const heft_input *in)
{
    return in->name;
}

heft_packing heft_input_packing(const heft_input *in)
{
    return in->packing;
}

size_t heft_input_size(const heft_input *in)
{
    return in->packing == HEFT_UNPACKED ? in->size : 0;
}

double heft_input_done(const heft_input *in)
{
    if (!in->size) return 0;
    return in->place < in->size ? (double)in->place / (double)in->size : 1;
}
