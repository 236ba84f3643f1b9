/* decode.c - the values of an open page, by its encoding. */
#include <string.h>

#include "data/formats/parquet/reader.h"

heft_status heft_reader_spend(heft_ctx *ctx, const heft_parquet_reader *r, size_t bytes)
{
    if (heft_parquet_fits(r->file, atomic_fetch_add(r->unpacked, bytes) + bytes)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: the pages of a file of %zu bytes expand to so many bytes that they may "
                     "be meant to fill the memory ({advice allow-unpacked})",
                     heft_input_name(r->file->in), r->file->size);
}

static heft_status cut_off(heft_ctx *ctx, const heft_parquet_reader *r)
{
    return heft_reader_damaged(ctx, r, "the values of a page are cut off");
}

static size_t left_in(const heft_parquet_page *page)
{
    return (size_t)(page->end - page->at);
}

static heft_status unknown(heft_ctx *ctx, const heft_parquet_reader *r)
{
    return heft_fail(
        ctx, HEFT_EUNSUPPORTED,
        "%s: column '%s': values have the encoding %d, which does not fit their type or is unknown "
        "to heft (save the file with another program, or leave the column out with {drop})",
        heft_input_name(r->file->in), HEFT_SHOW_PART(r->column->name, r->column->name_length, 60),
        (int)r->page.encoding);
}

/* ---- what is decoded when the page is opened ---- */

static heft_status open_lengths(heft_ctx *ctx, heft_parquet_reader *r, size_t *n)
{
    heft_parquet_page *page = &r->page;
    HEFT_GROW(ctx, r->decoded.whole, r->decoded.whole_capacity, page->n_rows, 0);
    if (!heft_deltas_take(&page->at, page->end, r->decoded.whole, page->n_rows, n))
        return heft_reader_damaged(ctx, r, "packed differences are broken");
    return HEFT_OK;
}

/* Decodes texts that stand behind the list of their lengths. */
static heft_status open_delta_length(heft_ctx *ctx, heft_parquet_reader *r)
{
    heft_parquet_page *page = &r->page;
    HEFT_CHECK(open_lengths(ctx, r, &page->n_whole));
    HEFT_GROW(ctx, r->decoded.spans, r->decoded.spans_capacity, page->n_whole, 0);
    for (size_t i = 0; i < page->n_whole; i++) {
        if (r->decoded.whole[i] < 0 || (uint64_t)r->decoded.whole[i] > left_in(page))
            return cut_off(ctx, r);
        r->decoded.spans[i] = (heft_span){(const char *)page->at, (size_t)r->decoded.whole[i]};
        page->at += r->decoded.whole[i];
    }
    return HEFT_OK;
}

/* Decodes texts of which each begins with bytes of the one before: a list of how many bytes it
 * takes over, a list of how many follow, then the bytes that follow. */
static heft_status open_delta_text(heft_ctx *ctx, heft_parquet_reader *r)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_parquet_page *page = &r->page;
    size_t             n, total = 0, before = 0, *shared;
    HEFT_CHECK(open_lengths(ctx, r, &n));
    HEFT_ALLOC(ctx, &ctx->scratch, shared, n);
    for (size_t i = 0; i < n; i++) {
        if (r->decoded.whole[i] < 0) return cut_off(ctx, r);
        shared[i] = (size_t)r->decoded.whole[i];
    }
    HEFT_CHECK(open_delta_length(ctx, r));
    if (page->n_whole != n) return cut_off(ctx, r);
    for (size_t i = 0; i < n; i++) {
        if (shared[i] > before) return cut_off(ctx, r);
        before = shared[i] + r->decoded.spans[i].length;
        total += before;
    }
    HEFT_CHECK(heft_reader_spend(ctx, r, total));
    HEFT_GROW(ctx, r->decoded.joined, r->decoded.joined_capacity, total, 0);
    char *to = r->decoded.joined, *last = r->decoded.joined;
    for (size_t i = 0; i < n; i++) {
        if (shared[i]) memmove(to, last, shared[i]);
        if (r->decoded.spans[i].length)
            memcpy(to + shared[i], r->decoded.spans[i].text, r->decoded.spans[i].length);
        r->decoded.spans[i] = (heft_span){to, shared[i] + r->decoded.spans[i].length};
        last = to;
        to += r->decoded.spans[i].length;
    }
    return HEFT_OK;
}

heft_status heft_values_open(heft_ctx *ctx, heft_parquet_reader *r)
{
    heft_parquet_page      *page = &r->page;
    const heft_parquet_type type = r->column->type;
    const bool              whole = type == HEFT_PARQUET_INT32 || type == HEFT_PARQUET_INT64;
    const bool              bytes = type == HEFT_PARQUET_BYTES || type == HEFT_PARQUET_FIXED;
    switch (page->encoding) {
    case HEFT_PARQUET_PLAIN:
        return HEFT_OK;
    case HEFT_PARQUET_PLAIN_DICTIONARY:
    case HEFT_PARQUET_DICTIONARY:
        page->encoding = HEFT_PARQUET_DICTIONARY;
        if (type == HEFT_PARQUET_BOOL) return unknown(ctx, r);
        page->runs = heft_runs_of(page->end, page->end, 0);
        if (left_in(page) == 0) return HEFT_OK; /* all are missing */
        if (*page->at > 32) return heft_reader_damaged(ctx, r, "codes have more than 32 bits");
        page->runs = heft_runs_of(page->at + 1, page->end, *page->at);
        return HEFT_OK;
    case HEFT_PARQUET_RLE:
        if (type != HEFT_PARQUET_BOOL) return unknown(ctx, r);
        if (left_in(page) < 4 || heft_load4((const char *)page->at) > left_in(page) - 4)
            return cut_off(ctx, r);
        page->runs = heft_runs_of(page->at + 4, page->end, 1);
        return HEFT_OK;
    case HEFT_PARQUET_DELTA:
        return whole ? open_lengths(ctx, r, &page->n_whole) : unknown(ctx, r);
    case HEFT_PARQUET_DELTA_LENGTH:
        return type == HEFT_PARQUET_BYTES ? open_delta_length(ctx, r) : unknown(ctx, r);
    case HEFT_PARQUET_DELTA_TEXT:
        return bytes ? open_delta_text(ctx, r) : unknown(ctx, r);
    case HEFT_PARQUET_STREAMS:
        return r->column->width && left_in(page) % r->column->width == 0 ? HEFT_OK
                                                                         : unknown(ctx, r);
    default:
        return unknown(ctx, r);
    }
}

/* ---- values ---- */

/* Returns the value whose w bytes, the lowest first, are `apart` bytes from one another. */
static uint64_t gathered(const uint8_t *p, size_t w, size_t apart)
{
    uint64_t x = 0;
    for (size_t k = 0; k < w; k++) x |= (uint64_t)p[k * apart] << (8 * k);
    return x;
}

static int64_t as_raw(heft_parquet_type type, uint64_t bits)
{
    double         x;
    float          f;
    const uint32_t low = (uint32_t)bits;
    if (type == HEFT_PARQUET_INT32) return (int32_t)low;
    if (type != HEFT_PARQUET_FLOAT) return (int64_t)bits;
    memcpy(&f, &low, sizeof f);
    x = (double)f;
    memcpy(&bits, &x, sizeof x);
    return (int64_t)bits;
}

static heft_status raw_truth(heft_ctx *ctx, heft_parquet_reader *r, int64_t *out, size_t n)
{
    heft_parquet_page *page = &r->page;
    uint32_t           bit;
    for (size_t i = 0; i < n; i++) {
        const size_t at = page->n_taken + i;
        if (page->encoding == HEFT_PARQUET_RLE) {
            if (!heft_runs_take(&page->runs, &bit, 1)) return cut_off(ctx, r);
            out[i] = bit;
        } else {
            if (at / 8 >= left_in(page)) return cut_off(ctx, r);
            out[i] = page->at[at / 8] >> (at % 8) & 1;
        }
    }
    page->n_taken += n;
    return HEFT_OK;
}

heft_status heft_values_raw(heft_ctx *ctx, heft_parquet_reader *r, int64_t *out, size_t n)
{
    heft_parquet_page      *page = &r->page;
    const heft_parquet_type type = r->column->type;
    const size_t            w = r->column->width, done = page->n_taken;
    if (type == HEFT_PARQUET_BOOL) return raw_truth(ctx, r, out, n);
    page->n_taken += n;
    if (page->encoding == HEFT_PARQUET_DELTA) {
        if (n > page->n_whole - done) return cut_off(ctx, r);
        for (size_t i = 0; i < n; i++) out[i] = as_raw(type, (uint64_t)r->decoded.whole[done + i]);
        return HEFT_OK;
    }
    const size_t all = left_in(page) / w; /* the page stays as it is: n_taken counts */
    if (n > all - done) return cut_off(ctx, r);
    const bool   streams = page->encoding == HEFT_PARQUET_STREAMS;
    const size_t step = streams ? 1 : w, apart = streams ? all : 1;
    for (size_t i = 0; i < n; i++)
        out[i] = as_raw(type, gathered(page->at + (done + i) * step, w, apart));
    return HEFT_OK;
}

heft_status heft_values_bytes(heft_ctx *ctx, heft_parquet_reader *r, heft_span *out, size_t n)
{
    heft_parquet_page *page = &r->page;
    const size_t       w = r->column->width, done = page->n_taken;
    if (page->encoding == HEFT_PARQUET_DELTA_LENGTH || page->encoding == HEFT_PARQUET_DELTA_TEXT) {
        if (n > page->n_whole - done) return cut_off(ctx, r);
        memcpy(out, r->decoded.spans + done, n * sizeof *out);
    } else if (page->encoding ==
               HEFT_PARQUET_STREAMS) { /* FIXED values: joined when first asked for */
        const size_t all = left_in(page) / w;
        if (n > all - done) return cut_off(ctx, r);
        HEFT_GROW(ctx, r->decoded.joined, r->decoded.joined_capacity, left_in(page), 0);
        for (size_t i = 0; i < n; i++) {
            char *to = r->decoded.joined + (done + i) * w;
            for (size_t k = 0; k < w; k++) to[k] = (char)page->at[k * all + done + i];
            out[i] = (heft_span){to, w};
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            size_t length = w;
            if (r->column->type == HEFT_PARQUET_BYTES) {
                if (left_in(page) < 4) return cut_off(ctx, r);
                length = heft_load4((const char *)page->at);
                page->at += 4;
            }
            if (length > left_in(page)) return cut_off(ctx, r);
            out[i] = (heft_span){(const char *)page->at, length};
            page->at += length;
        }
    }
    page->n_taken += n;
    return HEFT_OK;
}

heft_status heft_values_codes(heft_ctx *ctx, heft_parquet_reader *r, int32_t *out, size_t n)
{
    int32_t most = 0, least = 0; /* a code of 32 bits may come out as a negative number */
    if (!heft_runs_take(&r->page.runs, (uint32_t *)out, n)) return cut_off(ctx, r);
    for (size_t i = 0; i < n; i++) {
        most = out[i] > most ? out[i] : most;
        least |= out[i];
    }
    if (n > 0 && (least < 0 || (size_t)most >= r->dict.n))
        return heft_reader_damaged(ctx, r, "a code is not in its dictionary");
    r->page.n_taken += n;
    return HEFT_OK;
}
