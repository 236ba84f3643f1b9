/* unpack.c - unpacking pages. zlib and libzstd do gzip and Zstandard. Snappy is decoded here: its
 * format is three kinds of copies, and its library would bring the C++ runtime along. */
#include "data/formats/parquet/unpack.h"

#include <string.h>

enum { NONE, SNAPPY, GZIP, LZO, BROTLI, LZ4, ZSTD, LZ4_RAW };

const char *heft_parquet_codec_refused(int64_t codec)
{
    static const char *const names[] = {NULL, NULL, NULL, "LZO", "Brotli", "LZ4", NULL, "LZ4"};
    if (codec < 0 || codec > LZ4_RAW) return "a codec that heft does not know";
    return names[codec];
}

bool heft_parquet_is_packed(int64_t codec)
{
    return codec != NONE;
}

/* ---- Snappy ---- */

static uint64_t load8(const uint8_t *p)
{
    return heft_load8((const char *)p);
}

/* `length` bytes, up to 64, from `offset` bytes back; they may overlap. Writes up to 15 more. */
static inline void copy_back(uint8_t *out, size_t offset, size_t length)
{
    const uint8_t *from = out - offset;
    if (offset >= 16) {
        memcpy(out, from, 16);
        for (size_t i = 16; i < length; i += 16) memcpy(out + i, from + i, 16);
    } else if (offset >= 8) {
        for (size_t i = 0; i < length; i += 8) memcpy(out + i, from + i, 8);
    } else {
        for (size_t i = 0; i < length; i++) out[i] = from[i];
    }
}

/* The length of a literal of more than 60 bytes, which follows the tag at *p in 1 to 4 bytes; *p
 * moves behind it. */
static size_t long_literal(const uint8_t **p)
{
    const size_t   bytes = (size_t)(**p >> 2) - 59;
    const uint64_t length = load8(*p + 1) & (~(uint64_t)0 >> (64 - 8 * bytes));
    *p += 1 + bytes;
    return (size_t)length + 1;
}

/* Whether n bytes of Snappy are `size` bytes, written to `to`. Each tag is a literal, which follows
 * it, or a copy of what was written: of kind 1 from up to 2 KB back, of kind 2 and 3 from further.
 * What a tag says is read before it is compared with the end: the pad is there for that. */
static bool unpack_snappy(const uint8_t *p, size_t n, uint8_t *to, size_t size)
{
    const uint8_t *end = p + n;
    uint8_t       *out = to, *out_end = to + size;
    uint64_t       declared;
    if (!heft_take_varint(&p, end, &declared) || declared != size) return false;
    while (p < end) {
        const size_t   tag = *p, kind = tag & 3, room = (size_t)(out_end - out);
        const uint64_t next = load8(p + 1);
        size_t         length = (tag >> 2) + 1;
        if (kind == 0) {
            if (length <= 16 && length <= room) {
                memcpy(out, p + 1, 16);
                p += 1 + length;
            } else {
                if (length > 60) length = long_literal(&p);
                else p++;
                if (p > end || length > (size_t)(end - p) || length > room) return false;
                memcpy(out, p, length);
                p += length;
            }
        } else {
            size_t offset = next & 0xffff;
            p += 3;
            if (kind == 1) {
                length = (tag >> 2 & 7) + 4;
                offset = (tag >> 5) << 8 | (next & 0xff);
                p--;
            } else if (kind == 3) {
                offset = next & 0xffffffff;
                p += 2;
            }
            if (length > room || offset - 1 >= (size_t)(out - to)) return false;
            copy_back(out, offset, length);
        }
        out += length;
    }
    return out == out_end && p == end;
}

/* ---- gzip ---- */

static heft_status unpack_gzip(heft_ctx *ctx, heft_unpacker *u, const uint8_t *from, size_t n,
                               uint8_t *to, size_t size, bool *done)
{
    u->gz.zalloc = heft_zlib_alloc;
    u->gz.zfree = heft_zlib_free;
    const int opened = u->gz_open ? inflateReset(&u->gz) : inflateInit2(&u->gz, MAX_WBITS + 32);
    if (opened != Z_OK) return heft_no_memory(ctx, 1, 64 * 1024);
    u->gz_open = true;
    u->gz.next_in = (Bytef *)(uintptr_t)from; /* zlib does not write to its input */
    u->gz.avail_in = (uInt)n;
    u->gz.next_out = to;
    u->gz.avail_out = (uInt)size;
    int code = Z_OK;
    while (code == Z_OK && u->gz.avail_in > 0) {
        code = inflate(&u->gz, Z_FINISH);
        if (code != Z_STREAM_END || u->gz.avail_in == 0) break;
        code = inflateReset(&u->gz); /* another member follows */
    }
    if (code == Z_MEM_ERROR) return heft_no_memory(ctx, 1, 64 * 1024);
    *done = code == Z_STREAM_END && u->gz.avail_out == 0;
    return HEFT_OK;
}

/* ---- all ---- */

static heft_status unpack_zstd(heft_ctx *ctx, heft_unpacker *u, const uint8_t *from, size_t n,
                               uint8_t *to, size_t size, bool *done)
{
    if (!u->zstd) u->zstd = ZSTD_createDCtx();
    if (!u->zstd) return heft_no_memory(ctx, 1, ZSTD_DStreamInSize());
    *done = ZSTD_decompressDCtx(u->zstd, to, size, from, n) == size;
    return HEFT_OK;
}

heft_status heft_parquet_unpack(heft_ctx *ctx, heft_unpacker *u, int64_t codec, const uint8_t *from,
                                size_t n, uint8_t *to, size_t size, const char **why)
{
    bool done = false;
    *why = codec == SNAPPY ? "a page is not what Snappy has written"
           : codec == GZIP ? "a page is not what gzip has written"
                           : "a page is not what zstd has written";
    if (codec == SNAPPY) done = unpack_snappy(from, n, to, size);
    else if (codec == GZIP) HEFT_CHECK(unpack_gzip(ctx, u, from, n, to, size, &done));
    else HEFT_CHECK(unpack_zstd(ctx, u, from, n, to, size, &done));
    if (done) *why = NULL;
    return HEFT_OK;
}

void heft_unpacker_clear(heft_unpacker *u)
{
    if (u->gz_open) inflateEnd(&u->gz);
    ZSTD_freeDCtx(u->zstd);
    *u = (heft_unpacker){0};
}
