/* batch.c - the rows of one chunk as columns of numbers and codes, filled by one task. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/builder.h"

/* ---- marks ---- */

bool heft_is_missing(const heft_builder *b, heft_kind kind, const char *text, size_t length,
                     bool quoted)
{
    for (size_t i = 0; i < b->n_marks; i++)
        if (strlen(b->marks[i]) == length && memcmp(b->marks[i], text, length) == 0) return true;
    if (b->quotes_count && quoted) return false;
    if (length == 0 || (length == 1 && *text == '?')) return true;
    if (b->quotes_count && kind == HEFT_NOMINAL) return false; /* ARFF lists NA among the values */
    if (length == 2) return memcmp(text, "NA", 2) == 0;
    return length == 3 && (memcmp(text, "NaN", 3) == 0 || memcmp(text, "nan", 3) == 0);
}

bool heft_is_infinity(const char *text, size_t length)
{
    char word[10] = {0};
    if (length && (*text == '-' || *text == '+')) text++, length--;
    if (length != 3 && length != 8) return false;
    memcpy(word, text, length);
    return heft_same_word(word, length == 3 ? "inf" : "infinity");
}

/* ---- space ---- */

static heft_status lanes_create(heft_ctx *ctx, heft_batch *batch)
{
    heft_status         st = HEFT_OK;
    const heft_builder *b = batch->builder;
    size_t              nominal = 0;
    HEFT_HEAP(ctx, batch->lanes, b->n_fields);
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        heft_lane  *lane = &batch->lanes[j];
        lane->field = field;
        lane->place = field->place;
        lane->what = field->role == HEFT_ROLE_DROPPED || field->idle ? HEFT_LANE_SKIP
                     : field->role == HEFT_ROLE_WEIGHT               ? HEFT_LANE_WEIGHT
                     : field->kind == HEFT_NUMBER                    ? HEFT_LANE_NUMBER
                                                                     : HEFT_LANE_NOMINAL;
        nominal += lane->what == HEFT_LANE_NOMINAL;
    }
    /* 1 KiB each where they are few, one cache line where they are many */
    const unsigned bits = nominal <= 1024 ? 6 : nominal <= 16384 ? 4 : 2;
    HEFT_HEAP(ctx, batch->memos, nominal << bits);
    batch->n_memos = nominal << bits;
    size_t at = 0;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_lane *lane = &batch->lanes[j];
        if (lane->what != HEFT_LANE_NOMINAL) continue;
        lane->memo = batch->memos + at;
        lane->memo_shift = (unsigned char)(64 - bits);
        at += (size_t)1 << bits;
    }
done:
    return st;
}

/* In sparse rows only the target and the weights have a cell in every row. */
static bool has_cells(const heft_builder *b, const heft_lane *lane)
{
    return lane->what != HEFT_LANE_SKIP && (!b->sparse || lane->field->role != HEFT_ROLE_ATTRIBUTE);
}

static heft_status lay_out(heft_ctx *ctx, heft_batch *batch, size_t rows)
{
    const heft_builder *b = batch->builder;
    size_t              cell_bytes = 0, bytes;
    for (size_t j = 0; j < b->n_fields; j++)
        if (has_cells(b, &batch->lanes[j]))
            cell_bytes += batch->lanes[j].what == HEFT_LANE_NOMINAL ? 4 : 8;
    if (!heft_product(cell_bytes, rows + 2, &bytes)) return heft_no_memory(ctx, cell_bytes, rows);
    if (bytes > batch->block_capacity) {
        heft_free(batch->block);
        batch->block_capacity = 0;
        batch->block = heft_alloc(bytes, 1);
        if (!batch->block) return heft_no_memory(ctx, bytes, 1);
        batch->block_capacity = bytes;
    }
    char *at = batch->block;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_lane *lane = &batch->lanes[j];
        lane->number = NULL;
        lane->code = NULL;
        if (!has_cells(b, lane)) continue;
        if (lane->what == HEFT_LANE_NOMINAL) lane->code = (uint32_t *)(void *)at;
        else lane->number = (double *)(void *)at;
        at += (lane->what == HEFT_LANE_NOMINAL ? 4 : 8) * (rows + (rows & 1)); /* stays aligned */
    }
    return HEFT_OK;
}

static heft_status sparse_space(heft_ctx *ctx, heft_batch *batch, size_t rows, size_t entries)
{
    size_t col_capacity = batch->entry_capacity;
    HEFT_GROW(ctx, batch->start, batch->start_capacity, rows + 1, 0);
    HEFT_GROW(ctx, batch->col, col_capacity, entries, 0);
    HEFT_GROW(ctx, batch->val, batch->entry_capacity, entries, 0);
    batch->start[0] = 0;
    return HEFT_OK;
}

static void forget_fresh(heft_batch *batch)
{
    for (size_t j = 0; batch->lanes && j < batch->builder->n_fields; j++) {
        heft_fresh *fresh = batch->lanes[j].fresh;
        batch->lanes[j].fresh = NULL;
        if (!fresh) continue;
        heft_dict_free(fresh->dict);
        heft_free(fresh->line);
        heft_free(fresh);
    }
}

heft_status heft_batch_begin(heft_ctx *ctx, heft_batch *batch, const heft_builder *builder,
                             size_t rows, size_t entries)
{
    batch->builder = builder;
    if (!batch->lanes) HEFT_CHECK(lanes_create(ctx, batch));
    forget_fresh(batch);
    heft_arena_clear(&batch->arena);
    for (size_t j = 0; j < builder->n_fields; j++) {
        batch->lanes[j].refuted = false;
        batch->lanes[j].n_missing = 0;
        batch->lanes[j].huge_line = 0;
    }
    heft_free(batch->row_weight);
    batch->row_weight = NULL;
    batch->n_rows = 0;
    batch->capacity = rows;
    batch->n_columns = 0;
    HEFT_CHECK(lay_out(ctx, batch, rows));
    return builder->sparse ? sparse_space(ctx, batch, rows, entries) : HEFT_OK;
}

heft_status heft_batch_weight(heft_ctx *ctx, heft_batch *batch, size_t row, double weight)
{
    if (!batch->row_weight) {
        batch->row_weight = heft_alloc(batch->capacity, sizeof weight);
        if (!batch->row_weight) return heft_no_memory(ctx, batch->capacity, sizeof weight);
        for (size_t i = 0; i < batch->capacity; i++) batch->row_weight[i] = 1;
    }
    batch->row_weight[row] = weight;
    return HEFT_OK;
}

void heft_batch_forget(heft_batch *batch)
{
    if (batch->memos) memset(batch->memos, 0, batch->n_memos * sizeof *batch->memos);
}

void heft_batch_clear(heft_batch *batch)
{
    forget_fresh(batch);
    heft_arena_clear(&batch->arena);
    heft_chunk_clear(&batch->chunk);
    heft_free(batch->lanes);
    heft_free(batch->block);
    heft_free(batch->memos);
    heft_free(batch->row_weight);
    heft_free(batch->start);
    heft_free(batch->col);
    heft_free(batch->val);
    memset(batch, 0, sizeof *batch);
}

/* ---- cells ---- */

static heft_status cell_fail(heft_ctx *ctx, const heft_batch *batch, const heft_lane *lane,
                             const char *text, size_t length, size_t line, const char *what)
{
    char        name[96], cell[96];
    const char *field = lane->field->name;
    return heft_fail_at(ctx, HEFT_EFORMAT, batch->builder->name, line, "column '%s': '%s' %s",
                        heft_show_name(name, field), heft_show(cell, sizeof cell, text, length, 40),
                        what);
}

static heft_status not_a_number(heft_ctx *ctx, const heft_batch *batch, const heft_lane *lane,
                                const char *text, size_t length, size_t line)
{
    char what[200], mark[64];
    heft_show(mark, sizeof mark, text, length, 20);
    snprintf(what, sizeof what, "is not a number (%s; --missing '%s' if it marks a missing value)",
             lane->field->why, mark);
    return cell_fail(ctx, batch, lane, text, length, line, what);
}

/* Remember the first number of the batch that is too large for a double: an error if the column
 * turns out to be numeric. */
static heft_status note_huge(heft_ctx *ctx, heft_batch *batch, heft_lane *lane, const char *text,
                             size_t length, size_t line)
{
    if (lane->huge_line) return HEFT_OK;
    HEFT_ALLOC(ctx, &batch->arena, lane->huge, sizeof lane->field->huge);
    heft_show(lane->huge, sizeof lane->field->huge, text, length, 30);
    lane->huge_line = line;
    return HEFT_OK;
}

static heft_status check_weight(heft_ctx *ctx, const heft_batch *batch, const heft_lane *lane,
                                const char *text, size_t length, size_t line, double x)
{
    if (x >= 0 && isfinite(x)) return HEFT_OK;
    return cell_fail(ctx, batch, lane, text, length, line,
                     isnan(x) ? "is no weight: none may be missing (give 0 to leave a row out)"
                              : "is no weight: it must be finite and >= 0");
}

heft_status heft_lane_number(heft_ctx *ctx, heft_batch *batch, heft_lane *lane, const char *text,
                             size_t length, bool quoted, size_t line, double *out)
{
    const bool  missing = heft_is_missing(batch->builder, HEFT_NUMBER, text, length, quoted);
    heft_number what = HEFT_NUM_NOT;
    *out = NAN;
    if (!missing) what = heft_parse_double(text, text + length, out);
    if (what == HEFT_NUM_OVERFLOW || (!missing && heft_is_infinity(text, length))) {
        if (lane->what == HEFT_LANE_WEIGHT)
            return check_weight(ctx, batch, lane, text, length, line, INFINITY);
        return note_huge(ctx, batch, lane, text, length, line);
    }
    if (missing) {
        lane->n_missing++;
    } else if (what == HEFT_NUM_NOT) {
        if (lane->field->why) return not_a_number(ctx, batch, lane, text, length, line);
        lane->refuted = true;
    }
    if (lane->what == HEFT_LANE_WEIGHT)
        HEFT_CHECK(check_weight(ctx, batch, lane, text, length, line, *out));
    return HEFT_OK;
}

static uint64_t first_word(const char *text, size_t length)
{
    uint64_t word = 0;
    memcpy(&word, text, length < 8 ? length : 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static heft_status undeclared(heft_ctx *ctx, const heft_batch *batch, const heft_lane *lane,
                              const char *text, size_t length, size_t line)
{
    const heft_dict *dict = lane->field->dict;
    char             what[260], shown[40];
    size_t           at = (size_t)snprintf(what, sizeof what, "is not among the declared values (");
    for (uint32_t k = 0; k < heft_dict_size(dict) && at < 180; k++) {
        heft_show(shown, sizeof shown, heft_dict_text(dict, k), heft_dict_length(dict, k), 24);
        at += (size_t)snprintf(what + at, sizeof what - at, "%s%s", k ? ", " : "", shown);
        if (k == 5 && heft_dict_size(dict) > 7) {
            at += (size_t)snprintf(what + at, sizeof what - at, ", ...");
            break;
        }
    }
    snprintf(what + at, sizeof what - at, "): add it to the @attribute line");
    return cell_fail(ctx, batch, lane, text, length, line, what);
}

static heft_status fresh_code(heft_ctx *ctx, heft_lane *lane, const char *text, size_t length,
                              size_t line, uint32_t *out)
{
    uint32_t code;
    if (!lane->fresh) {
        lane->fresh = heft_alloc0(1, sizeof *lane->fresh);
        if (!lane->fresh) return heft_no_memory(ctx, 1, sizeof *lane->fresh);
    }
    heft_fresh *fresh = lane->fresh;
    if (!fresh->dict) HEFT_CHECK(heft_dict_create(ctx, &fresh->dict));
    const size_t known = heft_dict_size(fresh->dict);
    HEFT_GROW(ctx, fresh->line, fresh->capacity, known + 1, 8);
    HEFT_CHECK(heft_dict_add(ctx, fresh->dict, text, length, &code));
    if (code == known) fresh->line[code] = line;
    *out = code | HEFT_CODE_FRESH;
    return HEFT_OK;
}

/* Whether a memo may hold this text. Where quotes matter a mark is a value in one place and missing
 * in another. */
static bool may_recall(const heft_builder *b, const char *text, size_t length)
{
    if (length == 0 || length > UINT32_MAX) return false;
    return !b->quotes_count || !heft_is_missing(b, HEFT_NOMINAL, text, length, false);
}

heft_status heft_lane_code(heft_ctx *ctx, heft_batch *batch, heft_lane *lane, const char *text,
                           size_t length, bool quoted, size_t line, uint32_t *out)
{
    const heft_builder *b = batch->builder;
    const heft_field   *field = lane->field;
    const uint64_t      word = first_word(text, length);
    heft_memo          *memo = &lane->memo[(word * 0x9e3779b97f4a7c15u) >> lane->memo_shift];
    uint32_t            code = HEFT_CODE_MISSING;
    if (length > 8 && memo->word == word && memo->length == length &&
        memcmp(heft_dict_text(field->dict, memo->code), text, length) == 0) {
        *out = memo->code;
        return HEFT_OK;
    }
    if (!heft_is_missing(b, HEFT_NOMINAL, text, length, quoted)) {
        code = heft_dict_find(field->dict, text, length);
        if (code == HEFT_DICT_NONE) {
            if (field->declared && !b->expect && !field->settled)
                return undeclared(ctx, batch, lane, text, length, line);
            return fresh_code(ctx, lane, text, length, line, out);
        }
    }
    if (may_recall(b, text, length) && (code != HEFT_CODE_MISSING || length <= 8))
        *memo = (heft_memo){word, (uint32_t)length, code};
    *out = code;
    return HEFT_OK;
}
