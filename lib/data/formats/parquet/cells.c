/* cells.c - the values of a page as cells: numbers, or codes of texts. */
#include <string.h>

#include "data/formats/parquet/reader.h"

enum { BLOCK = 1024 }; /* values whose codes are looked at together */

static bool is_bytes(const heft_parquet_column *c)
{
    return c->type == HEFT_PARQUET_BYTES || c->type == HEFT_PARQUET_FIXED;
}

/* ---- numbers ---- */

/* Reads numbers that stand in the page as they are. */
static heft_status plain_numbers(heft_ctx *ctx, heft_parquet_reader *r, double *out, size_t n)
{
    const heft_parquet_column *c = r->column;
    heft_parquet_page         *page = &r->page;
    const size_t               all = (size_t)(page->end - page->at) / c->width;
    const char                *p = (const char *)page->at + page->n_taken * c->width;
    const bool                 positive = c->meaning == HEFT_MEANS_UNSIGNED;
    if (n > all - page->n_taken)
        return heft_reader_damaged(ctx, r, "the values of a page are cut off");
    page->n_taken += n;
    if (c->type == HEFT_PARQUET_DOUBLE) {
        for (size_t i = 0; i < n; i++) {
            const uint64_t bits = heft_load8(p + 8 * i);
            memcpy(out + i, &bits, sizeof bits);
        }
    } else if (c->type == HEFT_PARQUET_FLOAT) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t bits = heft_load4(p + 4 * i);
            float          x;
            memcpy(&x, &bits, sizeof x);
            out[i] = (double)x;
        }
    } else if (c->type == HEFT_PARQUET_INT32) {
        if (positive)
            for (size_t i = 0; i < n; i++) out[i] = heft_load4(p + 4 * i);
        else
            for (size_t i = 0; i < n; i++) out[i] = (int32_t)heft_load4(p + 4 * i);
    } else if (positive) {
        for (size_t i = 0; i < n; i++) out[i] = (double)heft_load8(p + 8 * i);
    } else {
        for (size_t i = 0; i < n; i++) out[i] = (double)(int64_t)heft_load8(p + 8 * i);
    }
    return HEFT_OK;
}

/* Reads numbers of any other encoding. */
static heft_status other_numbers(heft_ctx *ctx, heft_parquet_reader *r, double *out, size_t n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_span *spans;
    int64_t   *raw;
    if (is_bytes(r->column)) {
        HEFT_ALLOC(ctx, &ctx->scratch, spans, n);
        HEFT_CHECK(heft_values_bytes(ctx, r, spans, n));
        for (size_t i = 0; i < n; i++)
            if (!heft_bytes_number(r->column, &spans[i], &out[i]))
                return heft_reader_damaged(ctx, r, "a decimal number has a wrong size");
        return HEFT_OK;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, raw, n);
    HEFT_CHECK(heft_values_raw(ctx, r, raw, n));
    for (size_t i = 0; i < n; i++) out[i] = heft_raw_number(r->column, raw[i]);
    return HEFT_OK;
}

static heft_status take_numbers(heft_ctx *ctx, heft_parquet_reader *r, double *out, size_t n)
{
    int32_t code[BLOCK];
    if (r->page.encoding == HEFT_PARQUET_DICTIONARY) {
        for (size_t at = 0; at < n; at += BLOCK) {
            const size_t k = n - at < BLOCK ? n - at : BLOCK;
            HEFT_CHECK(heft_values_codes(ctx, r, code, k));
            for (size_t i = 0; i < k; i++) out[at + i] = r->dict.numbers[code[i]];
        }
        return HEFT_OK;
    }
    if (r->page.encoding == HEFT_PARQUET_PLAIN && !is_bytes(r->column) &&
        r->column->meaning != HEFT_MEANS_DECIMAL)
        return plain_numbers(ctx, r, out, n);
    return other_numbers(ctx, r, out, n);
}

/* ---- texts ---- */

static heft_status check_text(heft_ctx *ctx, const heft_parquet_reader *r, const heft_span *span,
                              const char *copy)
{
    const bool zero = memchr(span->text, 0, span->length) != NULL;
    if (!zero && heft_utf8_valid(copy)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: column '%s': '%s' is not text: %s (leave the column out with {drop}, or "
                     "store it as UTF-8)",
                     heft_input_name(r->file->in),
                     HEFT_SHOW_PART(r->column->name, r->column->name_length, 60),
                     HEFT_SHOW_PART(span->text, span->length, 40),
                     zero ? "it has a NUL byte" : "it is not UTF-8");
}

/* Copies n texts, with a 0 behind each. */
static heft_status copy_texts(heft_ctx *ctx, heft_parquet_reader *r, heft_arena *arena, size_t n,
                              const char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_span *spans;
    size_t     total = n;
    char      *to;
    HEFT_ALLOC(ctx, &ctx->scratch, spans, n);
    HEFT_CHECK(heft_values_bytes(ctx, r, spans, n));
    for (size_t i = 0; i < n; i++) total += spans[i].length;
    HEFT_ALLOC(ctx, arena, to, total);
    for (size_t i = 0; i < n; i++) {
        if (spans[i].length) memcpy(to, spans[i].text, spans[i].length);
        HEFT_CHECK(check_text(ctx, r, &spans[i], to));
        out[i] = to;
        to += spans[i].length + 1;
    }
    return HEFT_OK;
}

/* Makes texts of n values that are no texts, n at most BLOCK. */
static heft_status make_block(heft_ctx *ctx, heft_parquet_reader *r, heft_arena *arena, size_t n,
                              const char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const bool bytes = is_bytes(r->column);
    heft_span  spans[BLOCK];
    int64_t    raw[BLOCK];
    size_t     length[BLOCK], total = 0;
    char(*text)[HEFT_VALUE_TEXT], *to;
    HEFT_ALLOC(ctx, &ctx->scratch, text, n);
    if (bytes) HEFT_CHECK(heft_values_bytes(ctx, r, spans, n));
    else HEFT_CHECK(heft_values_raw(ctx, r, raw, n));
    for (size_t i = 0; i < n; i++) {
        if (!bytes) (void)heft_raw_text(r->column, raw[i], text[i]);
        else if (!heft_bytes_text(r->column, &spans[i], text[i]))
            return heft_reader_damaged(ctx, r, "a decimal number has a wrong size");
        length[i] = strlen(text[i]) + 1;
        total += length[i];
    }
    HEFT_ALLOC(ctx, arena, to, total);
    for (size_t i = 0; i < n; to += length[i++]) out[i] = memcpy(to, text[i], length[i]);
    return arena == &r->dict.words ? heft_reader_spend(ctx, r, total) : HEFT_OK;
}

static heft_status make_texts(heft_ctx *ctx, heft_parquet_reader *r, heft_arena *arena, size_t n,
                              const char **out)
{
    for (size_t at = 0; at < n; at += BLOCK)
        HEFT_CHECK(make_block(ctx, r, arena, n - at < BLOCK ? n - at : BLOCK, out + at));
    return HEFT_OK;
}

static heft_status take_texts(heft_ctx *ctx, heft_parquet_reader *r, heft_arena *arena, size_t n,
                              const char **out)
{
    const heft_parquet_meaning meaning = r->column->meaning;
    return meaning == HEFT_MEANS_TEXT || meaning == HEFT_MEANS_BYTES
               ? copy_texts(ctx, r, arena, n, out)
               : make_texts(ctx, r, arena, n, out);
}

/* Reads codes of the dictionary; texts that are not in it are listed behind it. */
static heft_status take_codes(heft_ctx *ctx, heft_parquet_reader *r, int32_t *out, size_t n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    int64_t *raw;
    if (r->page.encoding == HEFT_PARQUET_DICTIONARY) return heft_values_codes(ctx, r, out, n);
    if (r->column->meaning == HEFT_MEANS_TRUTH) {
        HEFT_ALLOC(ctx, &ctx->scratch, raw, n);
        HEFT_CHECK(heft_values_raw(ctx, r, raw, n));
        for (size_t i = 0; i < n; i++) out[i] = (int32_t)raw[i];
        return HEFT_OK;
    }
    HEFT_GROW(ctx, r->dict.values, r->dict.values_capacity, r->dict.n_values + n, 0);
    HEFT_CHECK(take_texts(ctx, r, &r->dict.fresh, n, r->dict.values + r->dict.n_values));
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(r->dict.n_values + i);
    r->dict.n_values += n;
    return HEFT_OK;
}

heft_status heft_cells_dictionary(heft_ctx *ctx, heft_parquet_reader *r, size_t n)
{
    const size_t least = r->column->width ? r->column->width : 4; /* bytes of a value */
    if (n > (size_t)(r->page.end - r->page.at) / least || r->column->type == HEFT_PARQUET_BOOL)
        return heft_reader_damaged(ctx, r, "its dictionary is cut off");
    r->dict.n = r->dict.n_values = n;
    if (!r->texts) {
        HEFT_GROW(ctx, r->dict.numbers, r->dict.numbers_capacity, n, 0);
        return take_numbers(ctx, r, r->dict.numbers, n);
    }
    HEFT_GROW(ctx, r->dict.values, r->dict.values_capacity, n, 0);
    return take_texts(ctx, r, &r->dict.words, n, r->dict.values);
}

heft_status heft_cells_values(heft_ctx *ctx, heft_parquet_reader *r, double *numbers,
                              int32_t *codes, size_t n)
{
    return codes ? take_codes(ctx, r, codes, n) : take_numbers(ctx, r, numbers, n);
}
