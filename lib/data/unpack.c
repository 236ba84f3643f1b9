/* unpack.c - gzip (RFC 1952, any number of members) and Zstandard (RFC 8878, any number of
 * frames), as streams. */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "data/input.h"

enum { PACKED = 128 * 1024, PLAIN = 128 * 1024 };

struct heft_unpack {
    heft_packing   packing;
    heft_bytes_fn *fn;
    void          *source;
    const char    *name; /* the input's own */
    char          *packed;
    bool           source_end;
    bool           whole; /* between two members: the input may end here */
    z_stream       gz;
    bool           gz_open;
    ZSTD_DStream  *zstd;
    ZSTD_inBuffer  in;
    char          *plain; /* zstd: unpacked, not yet handed out from `handed` on */
    size_t         n_plain, handed;
};

static void *gz_alloc(void *user, unsigned n, unsigned size)
{
    (void)user;
    return heft_alloc(n, size);
}

static void gz_free(void *user, void *p)
{
    (void)user;
    heft_free(p);
}

static heft_status damaged(heft_ctx *ctx, const heft_unpack *u, const char *why)
{
    return heft_fail(ctx, HEFT_EFORMAT, "%s: damaged %s file: %s (copy or download it again)",
                     u->name, u->packing == HEFT_GZIP ? "gzip" : "zstd",
                     why ? why : "no reason given");
}

static heft_status truncated(heft_ctx *ctx, const heft_unpack *u)
{
    return heft_fail(ctx, HEFT_EFORMAT, "%s: truncated %s file (copy or download it again)",
                     u->name, u->packing == HEFT_GZIP ? "gzip" : "zstd");
}

/* More packed bytes into u->in, which is used up. */
static heft_status fetch(heft_ctx *ctx, heft_unpack *u)
{
    size_t            got = 0;
    const heft_status st = u->fn(ctx, u->source, u->packed, PACKED, &got);
    u->in = (ZSTD_inBuffer){u->packed, got, 0};
    if (st == HEFT_OK && got == 0) u->source_end = true;
    return st;
}

/* After a gzip member only another one, or padding with zeros, may follow. */
static heft_status next_member(heft_ctx *ctx, heft_unpack *u)
{
    if (inflateReset(&u->gz) != Z_OK) return damaged(ctx, u, u->gz.msg);
    const char *p = u->in.src;
    while (u->in.pos < u->in.size && p[u->in.pos] == 0) u->in.pos++;
    if (u->in.pos < u->in.size) u->whole = false;
    return HEFT_OK;
}

static heft_status read_gzip(heft_ctx *ctx, heft_unpack *u, char *to, size_t n, size_t *got)
{
    if (n > 1u << 30) n = 1u << 30;
    while (*got == 0) {
        if (u->in.pos == u->in.size && !u->source_end) HEFT_CHECK(fetch(ctx, u));
        if (u->source_end) return u->whole ? HEFT_OK : truncated(ctx, u);
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
        else if (code != Z_OK && code != Z_BUF_ERROR) return damaged(ctx, u, u->gz.msg);
    }
    return HEFT_OK;
}

/* The next piece of text into u->plain; none at the end. The buffer always has the same size: what
 * libzstd reports about a damaged file depends on it. */
static heft_status next_plain(heft_ctx *ctx, heft_unpack *u)
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
            return truncated(ctx, u);
    }
    return HEFT_OK;
}

static heft_status read_zstd(heft_ctx *ctx, heft_unpack *u, char *to, size_t n, size_t *got)
{
    if (u->handed == u->n_plain) {
        const heft_status st = next_plain(ctx, u);
        if (st != HEFT_OK) return st;
    }
    *got = u->n_plain - u->handed < n ? u->n_plain - u->handed : n;
    if (*got) memcpy(to, u->plain + u->handed, *got);
    u->handed += *got;
    return HEFT_OK;
}

heft_packing heft_packing_of(const char *head, size_t n)
{
    const unsigned char *p = (const unsigned char *)head;
    if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b) return HEFT_GZIP;
    if (n < 4) return HEFT_PLAIN;
    if (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) return HEFT_ZSTD;
    /* a frame to be skipped comes first */
    if ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18) return HEFT_ZSTD;
    return HEFT_PLAIN;
}

heft_status heft_unpack_open(heft_ctx *ctx, heft_packing packing, heft_bytes_fn *fn, void *source,
                             const char *name, heft_unpack **out)
{
    heft_status  st = HEFT_OK;
    heft_unpack *u = NULL;
    *out = NULL;
    HEFT_HEAP(ctx, u, 1);
    u->packing = packing;
    u->fn = fn;
    u->source = source;
    u->name = name;
    HEFT_HEAP(ctx, u->packed, PACKED);
    if (packing == HEFT_GZIP) {
        u->gz.zalloc = gz_alloc;
        u->gz.zfree = gz_free;
        if (inflateInit2(&u->gz, MAX_WBITS + 16) != Z_OK)
            HEFT_TRY(heft_no_memory(ctx, 1, 64 * 1024));
        u->gz_open = true;
    } else {
        HEFT_HEAP(ctx, u->plain, PLAIN);
        u->zstd = ZSTD_createDStream();
        if (!u->zstd) HEFT_TRY(heft_no_memory(ctx, 1, ZSTD_DStreamInSize()));
    }
    *out = u, u = NULL;
done:
    heft_unpack_close(u);
    return st;
}

heft_status heft_unpack_read(heft_ctx *ctx, heft_unpack *u, char *to, size_t n, size_t *got)
{
    *got = 0;
    return u->packing == HEFT_GZIP ? read_gzip(ctx, u, to, n, got) : read_zstd(ctx, u, to, n, got);
}

void heft_unpack_close(heft_unpack *u)
{
    if (!u) return;
    if (u->gz_open) inflateEnd(&u->gz);
    ZSTD_freeDStream(u->zstd);
    heft_free(u->packed);
    heft_free(u->plain);
    heft_free(u);
}
