/* unpack.h - the codecs of Parquet pages: none, Snappy, gzip and Zstandard. */
#pragma once

#include <zlib.h>
#include <zstd.h>

#include "data/formats/parquet/meta.h"

/* Readable bytes behind what is unpacked, and writable ones behind where it goes: wide loads and
 * copies may touch them. */
enum { HEFT_PARQUET_PAD = 64 };

typedef struct heft_unpacker { /* kept from page to page */
    z_stream   gz;
    bool       gz_open;
    ZSTD_DCtx *zstd;
} heft_unpacker;

void heft_unpacker_clear(heft_unpacker *u);

/* NULL, or why pages of this codec cannot be read, as the end of a sentence. */
const char *heft_parquet_codec_refused(int64_t codec);
bool        heft_parquet_is_packed(int64_t codec);

/* n bytes become exactly `size`. EFORMAT with *why where they do not. */
heft_status heft_parquet_unpack(heft_ctx *ctx, heft_unpacker *u, int64_t codec, const uint8_t *from,
                                size_t n, uint8_t *to, size_t size, const char **why);
