/* pages.c - the pages of a column chunk: fetched, unpacked, opened, and read row by row.
 *
 * A page has a header, then levels, which tell missing values, then values. Only as much of the
 * chunk is in memory as its current page takes. */
#include <math.h>
#include <string.h>

#include "data/formats/parquet/reader.h"

enum { BLOCK = 1024 }; /* rows whose levels are looked at together */
enum { DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 };

typedef struct page_header {
    int64_t  type, plain_size, packed_size;
    int64_t  n_values, encoding;
    int64_t  level_encoding;            /* only in pages of version 1 */
    int64_t  level_size, repeated_size; /* bytes, only in pages of version 2 */
    bool     packed;                    /* pages of version 2 may be stored as they are */
    bool     checked;                   /* it has a checksum */
    uint32_t checksum;
} page_header;

/* ---- bytes of the chunk ---- */

static size_t at_hand(const heft_parquet_reader *r)
{
    return r->raw.end - r->raw.at;
}

/* At least n bytes at r->raw.bytes + r->raw.at, or all that the chunk has. */
static heft_status fetch(heft_ctx *ctx, heft_parquet_reader *r, size_t n)
{
    const size_t have = at_hand(r), left = r->raw.to - r->raw.from;
    size_t       got;
    if (have >= n || left == 0) return HEFT_OK;
    size_t want = n > r->raw.most ? n : r->raw.most;
    if (want - have > left) want = have + left;
    if (have) memmove(r->raw.bytes, r->raw.bytes + r->raw.at, have);
    HEFT_GROW(ctx, r->raw.bytes, r->raw.capacity, want + HEFT_PARQUET_PAD, 0);
    HEFT_CHECK(
        heft_input_read_at(ctx, r->file->in, r->raw.from, r->raw.bytes + have, want - have, &got));
    r->raw.at = 0;
    r->raw.end = have + got;
    r->raw.from += got;
    memset(r->raw.bytes + r->raw.end, 0, HEFT_PARQUET_PAD);
    if (got < want - have) return heft_reader_damaged(ctx, r, "a page is cut off");
    return HEFT_OK;
}

/* ---- headers ---- */

/* The header of a page of values, or of a dictionary, which has no levels. */
static void take_data_header(heft_thrift *t, bool levels, page_header *h)
{
    int64_t *const at[] = {NULL, &h->n_values, &h->encoding, levels ? &h->level_encoding : NULL};
    heft_thrift_ints(t, at, 4);
}

static void take_data_header_v2(heft_thrift *t, page_header *h)
{
    heft_thrift_field f = {0};
    while (heft_thrift_next(t, &f)) {
        if (f.id == 1) h->n_values = heft_thrift_int(t, &f);
        else if (f.id == 4) h->encoding = heft_thrift_int(t, &f);
        else if (f.id == 5) h->level_size = heft_thrift_int(t, &f);
        else if (f.id == 6) h->repeated_size = heft_thrift_int(t, &f);
        else if (f.id == 7) h->packed = heft_thrift_bool(t, &f);
        else heft_thrift_skip(t, &f);
    }
}

static void take_header(heft_thrift *t, page_header *h)
{
    heft_thrift_field f = {0};
    *h = (page_header){.type = -1, .plain_size = -1, .packed_size = -1, .n_values = -1};
    h->encoding = h->level_encoding = -1;
    h->packed = true;
    while (heft_thrift_next(t, &f)) {
        if (f.id == 1) h->type = heft_thrift_int(t, &f);
        else if (f.id == 2) h->plain_size = heft_thrift_int(t, &f);
        else if (f.id == 3) h->packed_size = heft_thrift_int(t, &f);
        else if (f.id == 4) {
            h->checksum = (uint32_t)heft_thrift_int(t, &f);
            h->checked = true;
        } else if ((f.id == 5 || f.id == 7) && heft_thrift_struct(t, &f))
            take_data_header(t, f.id == 5, h);
        else if (f.id == 8 && heft_thrift_struct(t, &f)) take_data_header_v2(t, h);
        else heft_thrift_skip(t, &f);
    }
}

/* Headers are short, but their statistics may be long. */
static heft_status next_header(heft_ctx *ctx, heft_parquet_reader *r, page_header *h)
{
    enum { FIRST = 4096, LONGEST = 1 << 24 };
    for (size_t n = FIRST; n <= LONGEST; n *= 8) {
        HEFT_CHECK(fetch(ctx, r, n));
        heft_thrift t = {.at = r->raw.bytes + r->raw.at, .end = r->raw.bytes + r->raw.end};
        take_header(&t, h);
        if (!t.bad) {
            r->raw.at = (size_t)(t.at - r->raw.bytes);
            return HEFT_OK;
        }
        if (at_hand(r) < n) break;
    }
    return heft_reader_damaged(ctx, r, "the header of a page is broken");
}

/* ---- pages ---- */

static bool fits_page(const page_header *h)
{
    const bool ints = h->plain_size >= 0 && h->packed_size >= 0 && h->plain_size <= INT32_MAX &&
                      h->packed_size <= INT32_MAX;
    const int64_t levels = h->level_size + h->repeated_size;
    return ints && h->level_size >= 0 && h->repeated_size >= 0 && levels <= h->plain_size &&
           levels <= h->packed_size;
}

/* The bytes of the page behind its header; the first `levels` of them are never packed. */
static heft_status unpack_page(heft_ctx *ctx, heft_parquet_reader *r, const page_header *h,
                               size_t levels, const uint8_t **at, const uint8_t **end)
{
    const size_t   n = (size_t)h->packed_size - levels, size = (size_t)h->plain_size - levels;
    const uint8_t *from = r->raw.bytes + r->raw.at + levels;
    const char    *why = NULL;
    *at = from;
    *end = from + n;
    if (!h->packed || !heft_parquet_is_packed(r->chunk.codec))
        return heft_reader_spend(ctx, r, n); /* several chunks may be the same bytes */
    HEFT_CHECK(heft_reader_spend(ctx, r, size));
    HEFT_GROW(ctx, r->plain, r->plain_capacity, size + HEFT_PARQUET_PAD, 0);
    if (size > 0 || n > 0)
        HEFT_CHECK(
            heft_parquet_unpack(ctx, &r->unpacker, r->chunk.codec, from, n, r->plain, size, &why));
    if (why) return heft_reader_damaged(ctx, r, why);
    memset(r->plain + size, 0, HEFT_PARQUET_PAD);
    *at = r->plain;
    *end = r->plain + size;
    return HEFT_OK;
}

/* Levels of version 1 are at the front of the unpacked page, behind their length. */
static heft_status open_levels(heft_ctx *ctx, heft_parquet_reader *r, const page_header *h,
                               const uint8_t **at, const uint8_t *end)
{
    if (!r->column->optional) return HEFT_OK;
    if (h->level_encoding != HEFT_PARQUET_RLE)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: the levels of a page have an encoding that heft does not know (save "
                         "the file with a newer program)",
                         heft_input_name(r->file->in));
    const size_t left = (size_t)(end - *at);
    const size_t length = left < 4 ? 0 : heft_load4((const char *)*at);
    if (left < 4 || length > left - 4)
        return heft_reader_damaged(ctx, r, "the levels of a page are cut off");
    r->page.levels = heft_runs_of(*at + 4, *at + 4 + length, 1);
    *at += 4 + length;
    return HEFT_OK;
}

static heft_status open_data(heft_ctx *ctx, heft_parquet_reader *r, const page_header *h)
{
    const bool     second = h->type == DATA_PAGE_V2;
    const size_t   levels = second ? (size_t)(h->level_size + h->repeated_size) : 0;
    const uint8_t *at, *end, *front = r->raw.bytes + r->raw.at;
    if (h->n_values < 0 || (uint64_t)h->n_values > r->n_left)
        return heft_reader_damaged(ctx, r, "its pages have more rows than its row group");
    r->page = (heft_parquet_page){.encoding = h->encoding, .n_rows = (size_t)h->n_values};
    r->n_left -= r->page.n_rows;
    HEFT_CHECK(unpack_page(ctx, r, h, levels, &at, &end));
    if (second && r->column->optional)
        r->page.levels = heft_runs_of(front + h->repeated_size, front + levels, 1);
    if (!second) HEFT_CHECK(open_levels(ctx, r, h, &at, end));
    r->page.at = at;
    r->page.end = end;
    return heft_values_open(ctx, r);
}

static heft_status open_dictionary(heft_ctx *ctx, heft_parquet_reader *r, const page_header *h)
{
    const uint8_t *at, *end;
    if (r->dict.n || r->n_left < (uint64_t)r->chunk.n_values)
        return heft_reader_damaged(ctx, r, "it has a second dictionary");
    if (h->n_values < 0 || h->n_values > INT32_MAX ||
        (h->encoding != HEFT_PARQUET_PLAIN && h->encoding != HEFT_PARQUET_PLAIN_DICTIONARY))
        return heft_reader_damaged(ctx, r, "its dictionary is broken");
    /* Writers put values there that no row has. */
    HEFT_CHECK(heft_reader_spend(ctx, r, (size_t)h->n_values * HEFT_DICTIONARY_VALUE));
    HEFT_CHECK(unpack_page(ctx, r, h, 0, &at, &end));
    r->page = (heft_parquet_page){.encoding = HEFT_PARQUET_PLAIN, .at = at, .end = end};
    return heft_cells_dictionary(ctx, r, (size_t)h->n_values);
}

/* Opens the next page that has rows. */
static heft_status next_page(heft_ctx *ctx, heft_parquet_reader *r)
{
    page_header h;
    r->page.n_rows = 0;
    while (r->page.n_rows == 0) {
        if (r->n_left == 0 || (r->raw.from == r->raw.to && at_hand(r) == 0))
            return heft_reader_damaged(ctx, r, "its pages have fewer rows than its row group");
        HEFT_CHECK(next_header(ctx, r, &h));
        if (!fits_page(&h)) return heft_reader_damaged(ctx, r, "the sizes of a page are wrong");
        const size_t size = (size_t)h.packed_size;
        if (size > at_hand(r) + (r->raw.to - r->raw.from))
            return heft_reader_damaged(ctx, r, "a page is cut off");
        HEFT_CHECK(fetch(ctx, r, size));
        const uLong sum =
            h.checked ? crc32(0, r->raw.bytes + r->raw.at, (uInt)size) : (uLong)h.checksum;
        if ((uint32_t)sum != h.checksum)
            return heft_reader_damaged(ctx, r, "the checksum of a page is wrong");
        if (h.type == DICTIONARY_PAGE) HEFT_CHECK(open_dictionary(ctx, r, &h));
        else if (h.type == DATA_PAGE || h.type == DATA_PAGE_V2) HEFT_CHECK(open_data(ctx, r, &h));
        r->raw.at += size; /* the bytes stay until the next fetch */
    }
    return HEFT_OK;
}

/* ---- chunks ---- */

static heft_status check_chunk(heft_ctx *ctx, const heft_parquet_reader *r, size_t n_rows)
{
    const heft_parquet_chunk *c = &r->chunk;
    const char               *name = heft_input_name(r->file->in), *codec;
    const int64_t             size = (int64_t)r->file->size;
    const char               *shown = HEFT_SHOW_PART(r->column->name, r->column->name_length, 60);
    if (c->encrypted)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: column '%s' is encrypted, and heft has no keys (leave it out with "
                         "{drop}, or save the file without encryption)",
                         name, shown);
    if (c->elsewhere)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: column '%s' is stored in another file (save the table as one file)",
                         name, shown);
    codec = heft_parquet_codec_refused(c->codec);
    if (codec)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: column '%s' is compressed with %s, which heft does not read (save "
                         "the file with snappy, gzip or zstd)",
                         name, shown, codec);
    if (c->type != (int64_t)r->column->type)
        return heft_reader_damaged(ctx, r, "a row group has another type of values");
    if (c->n_values < 0 || (uint64_t)c->n_values != n_rows)
        return heft_reader_damaged(ctx, r, "it does not have a value for each row");
    if (c->from < 4 || c->length < 0 || c->from > size || c->length > size - c->from)
        return heft_reader_damaged(ctx, r, "its place is not in the file");
    return HEFT_OK;
}

heft_status heft_reader_begin(heft_ctx *ctx, heft_parquet_reader *r,
                              const heft_parquet_chunk *chunk, size_t n_rows)
{
    r->chunk = *chunk;
    HEFT_CHECK(check_chunk(ctx, r, n_rows));
    r->raw.from = (size_t)chunk->from;
    r->raw.to = r->raw.from + (size_t)chunk->length;
    r->n_left = n_rows;
    r->raw.at = r->raw.end = 0;
    r->dict.n = 0;
    r->page = (heft_parquet_page){0};
    heft_arena_clear(&r->dict.words);
    return HEFT_OK;
}

void heft_reader_clear(heft_parquet_reader *r)
{
    void *const owned[] = {r->raw.bytes,      r->plain,        r->decoded.whole, r->decoded.spans,
                           r->decoded.joined, r->dict.numbers, r->dict.values,   r->codes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) heft_free(owned[i]);
    heft_unpacker_clear(&r->unpacker);
    heft_arena_clear(&r->dict.words);
    heft_arena_clear(&r->dict.fresh);
    memset(r, 0, sizeof *r);
}

/* ---- rows ---- */

/* Reads rows of which some are missing: values move to their places, from the last one on. */
static heft_status take_some(heft_ctx *ctx, heft_parquet_reader *r, double *numbers, int32_t *codes,
                             size_t n)
{
    uint32_t level[BLOCK];
    size_t   there = 0;
    if (!heft_runs_take(&r->page.levels, level, n))
        return heft_reader_damaged(ctx, r, "the levels of a page are cut off");
    for (size_t i = 0; i < n; i++) there += level[i];
    HEFT_CHECK(heft_cells_values(ctx, r, numbers, codes, there));
    for (size_t i = n; i-- > 0;) {
        if (level[i]) there--;
        if (codes) codes[i] = level[i] ? codes[there] : -1;
        else numbers[i] = level[i] ? numbers[there] : NAN;
    }
    return HEFT_OK;
}

heft_status heft_reader_read(heft_ctx *ctx, heft_parquet_reader *r, size_t n, double *room,
                             heft_typed_cells *out)
{
    static const char *const truth[] = {"False", "True"};
    heft_arena_clear(&r->dict.fresh);
    r->dict.n_values = r->dict.n;
    if (r->texts) HEFT_GROW(ctx, r->codes, r->codes_capacity, n, 0);
    for (size_t done = 0, k; done < n; done += k) {
        if (r->page.n_rows == 0) HEFT_CHECK(next_page(ctx, r));
        k = r->page.n_rows < n - done ? r->page.n_rows : n - done;
        double      *numbers = r->texts ? NULL : room + done;
        int32_t     *codes = r->texts ? r->codes + done : NULL;
        const size_t all = r->column->optional ? heft_runs_skip(&r->page.levels, 1, k) : k;
        if (all > 0) k = all;
        else if (k > BLOCK) k = BLOCK;
        if (all > 0) HEFT_CHECK(heft_cells_values(ctx, r, numbers, codes, k));
        else HEFT_CHECK(take_some(ctx, r, numbers, codes, k));
        r->page.n_rows -= k;
    }
    const bool truths = r->column->meaning == HEFT_MEANS_TRUTH;
    *out = r->texts ? (heft_typed_cells){.codes = r->codes,
                                         .values = truths ? truth : r->dict.values,
                                         .n_values = truths ? 2 : r->dict.n_values}
                    : (heft_typed_cells){.numbers = room};
    return HEFT_OK;
}
