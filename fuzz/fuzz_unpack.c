/* fuzz_unpack.c - unpacking. Built for gzip and zstd (FUZZ_PACKING).
 *
 * The first byte says what the rest is: packed bytes as they are; a text to be packed, then damaged
 * at the place the second byte says; or a text to be packed and read whole. Held to be true: reads
 * of any size give the same bytes and the same end; a limit is kept; what was packed comes out. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "data/input.h"
#include "data/read.h"
#include "fuzz.h"

enum { LIMIT = 1 << 18 };

typedef struct text {
    char       *data;
    size_t      n;
    heft_status st;
    heft_error  err;
} text;

static text unpack_all(const char *path, size_t step)
{
    text        t = {.st = HEFT_OK};
    heft_input *in = NULL;
    heft_ctx    ctx;
    size_t      got = 1;
    heft_ctx_init(&ctx, &t.err, 1, 1, NULL);
    t.data = malloc(LIMIT + 64 * 1024);
    fuzz_need(t.data != NULL, "no memory");
    t.st = heft_input_open(&ctx, path, &in);
    if (t.st == HEFT_OK) heft_input_limit(in, LIMIT);
    while (t.st == HEFT_OK && got) {
        t.st = heft_input_read(&ctx, in, t.data + t.n, step, &got);
        t.n += got;
        fuzz_need(t.n <= LIMIT + step, "the limit is passed: %zu", t.n);
    }
    heft_input_close(in);
    heft_ctx_clear(&ctx);
    fuzz_error(t.st, &t.err);
    return t;
}

static uint8_t *pack(const uint8_t *data, size_t size, size_t *n)
{
    const size_t room = compressBound(size) + ZSTD_compressBound(size) + 64;
    uint8_t     *out = malloc(room);
    fuzz_need(out != NULL, "no memory");
    if (FUZZ_PACKING == HEFT_ZSTD) {
        *n = ZSTD_compress(out, room, data, size, 1);
        return out;
    }
    z_stream z = {0};
    fuzz_need(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "z");
    z.next_in = (Bytef *)(uintptr_t)data, z.avail_in = (uInt)size;
    z.next_out = out, z.avail_out = (uInt)room;
    fuzz_need(deflate(&z, Z_FINISH) == Z_STREAM_END, "deflate");
    *n = z.total_out;
    deflateEnd(&z);
    return out;
}

/* The reader above it. */
static void read_table(const char *path)
{
    heft_table       *t = NULL;
    heft_error        err;
    const heft_source how = {
        .max_unpacked = LIMIT, .max_columns = 1000, .run = &(heft_runtime){.threads = 1}};
    const heft_status st = heft_read(path, &how, &t, &err);
    fuzz_error(st, &err);
    heft_table_free(t);
}

static bool too_large(const heft_error *err)
{
    return strstr(err->text, "--max-unpacked") != NULL;
}

static void try_packed(const uint8_t *packed, size_t n, const uint8_t *plain, size_t n_plain)
{
    const char *path = fuzz_file(0, packed, n);
    text        a = unpack_all(path, 64 * 1024), b = unpack_all(path, 1 + n % 97);
    /* of a damaged file that is too large one or the other is met first */
    fuzz_need(a.st == b.st &&
                  (strcmp(a.err.text, b.err.text) == 0 || too_large(&a.err) || too_large(&b.err)),
              "'%s' and '%s'", a.err.text, b.err.text);
    if (a.st == HEFT_OK)
        fuzz_need(a.n == b.n && memcmp(a.data, b.data, a.n) == 0, "reads of another size");
    if (plain && n_plain <= LIMIT)
        fuzz_need(a.st == HEFT_OK && a.n == n_plain && memcmp(a.data, plain, n_plain) == 0,
                  "what was packed does not come out");
    free(a.data), free(b.data);
    read_table(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const uint8_t *rest = data + 2;
    size_t         n = size - 2;
    if (data[0] % 3 == 0) {
        try_packed(rest, n, NULL, 0);
        return 0;
    }
    uint8_t *packed = pack(rest, n, &n);
    if (data[0] % 3 == 1 && n) packed[data[1] % n] ^= (uint8_t)(1 + data[0] / 3);
    if (data[0] % 3 == 1) try_packed(packed, n - data[0] / 128, NULL, 0);
    else try_packed(packed, n, rest, size - 2);
    free(packed);
    return 0;
}
