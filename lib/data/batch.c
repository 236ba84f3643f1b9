/* batch.c - the rows of one chunk as columns of numbers and codes, filled by one task.
 *
 * All columns of a batch share one block of memory, which is laid out anew for every chunk. A cell
 * reaches its column by one of two ways: heft_batch_number reads a number, heft_batch_code finds
 * the code of a value, first among the recent values (memos), then in the dictionary of the field,
 * then among the values that only this batch has (heft_fresh). Both decide what is missing, and
 * what is an error. */
#include "data/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/marks.h"

/* ---- space ---- */

static heft_status columns_create(heft_ctx *ctx, heft_batch *batch)
{
    const heft_builder *b = batch->builder;
    size_t              nominal = 0, at = 0;
    HEFT_NEW(ctx, batch->columns, b->schema.n_fields);
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_field        *field = &b->schema.fields[j];
        heft_batch_column *column = &batch->columns[j];
        column->field = field;
        column->to = &b->sink.columns[j];
        column->kept = field->kept;
        column->what = !heft_is_used(field)              ? HEFT_CELLS_SKIP
                       : field->role == HEFT_ROLE_WEIGHT ? HEFT_CELLS_WEIGHT
                       : field->kind == HEFT_NUMERIC     ? HEFT_CELLS_NUMBER
                                                         : HEFT_CELLS_NOMINAL;
        nominal += column->what == HEFT_CELLS_NOMINAL;
        if (field->role == HEFT_ROLE_TARGET) batch->target = column;
        if (field->role == HEFT_ROLE_WEIGHT) batch->weight = column;
        /* only the target and the weights of sparse rows have a cell in every row */
        if (column->what != HEFT_CELLS_SKIP &&
            (!b->schema.sparse || field->role != HEFT_ROLE_ATTRIBUTE))
            column->width = column->what == HEFT_CELLS_NOMINAL ? 4 : 8;
        batch->cells.row_bytes += column->width;
    }
    /* 8 KiB each where they are few, one cache line where they are many */
    const unsigned bits = nominal <= 128 ? 9 : nominal <= 1024 ? 6 : nominal <= 16384 ? 4 : 2;
    batch->memos.n = nominal << bits;
    batch->memos.memo = heft_alloc(batch->memos.n, sizeof *batch->memos.memo);
    if (!batch->memos.memo) return heft_no_memory(ctx, batch->memos.n, sizeof *batch->memos.memo);
    heft_batch_forget(batch); /* a new page that is read before it is written takes two faults */
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        if (column->what != HEFT_CELLS_NOMINAL) continue;
        column->memo = (heft_memo_table){batch->memos.memo + at, 64 - bits};
        at += (size_t)1 << bits;
    }
    return HEFT_OK;
}

/* Values of the batch alone, also those among the recent ones. */
static void forget_fresh(heft_batch *batch)
{
    if (!batch->columns) return;
    for (size_t j = 0; j < batch->builder->schema.n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        heft_fresh        *fresh = column->fresh;
        heft_free(column->huge);
        heft_free(column->odd);
        column->huge = column->odd = NULL;
        column->fresh = NULL;
        if (!fresh) continue;
        memset(column->memo.memo, 0, sizeof(heft_memo) << (64 - column->memo.shift));
        heft_dict_free(fresh->dict);
        heft_free(fresh->line);
        heft_free(fresh);
    }
}

heft_status heft_batch_begin(heft_ctx *ctx, heft_batch *batch, const heft_builder *b, size_t rows,
                             size_t entries)
{
    batch->builder = b;
    if (!batch->columns) HEFT_CHECK(columns_create(ctx, batch));
    forget_fresh(batch);
    heft_arena_clear(&batch->arena);
    heft_free(batch->row_weight);
    batch->row_weight = NULL;
    batch->kept.text.length = batch->kept.n_rows = 0;
    heft_free(batch->kept.end);
    batch->kept.end = NULL;
    if (b->schema.keeps) HEFT_NEW(ctx, batch->kept.end, rows + 1);
    batch->n_rows = batch->entries.n = batch->highest_column = 0;
    batch->capacity = rows;
    const size_t bytes = heft_times(batch->cells.row_bytes, rows + 2);
    if (bytes > batch->cells.capacity) {
        heft_free(batch->cells.block);
        batch->cells.capacity = 0;
        batch->cells.block = heft_alloc(bytes, 1);
        if (!batch->cells.block) return heft_no_memory(ctx, bytes, 1);
        batch->cells.capacity = bytes;
    }
    char *at = batch->cells.block;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        column->refuted = false;
        column->n_missing = column->huge_line = column->odd_line = column->n_odd = 0;
        if (column->width == 4) column->code = (uint32_t *)(void *)at;
        if (column->width == 8) column->number = (double *)(void *)at;
        at += column->width * (rows + (rows & 1)); /* stays aligned */
    }
    if (!b->schema.sparse) return HEFT_OK;
    HEFT_CHECK(heft_entries_grow(ctx, &batch->entries, rows, entries, 0, 0));
    batch->entries.start[0] = 0;
    return HEFT_OK;
}

heft_status heft_batch_in_place(heft_ctx *ctx, heft_batch *batch)
{
    const heft_builder *b = batch->builder;
    if (b->sink.discard || batch->capacity == 0) return HEFT_OK;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_sink_column *to = batch->columns[j].to;
        if (!batch->columns[j].number) continue;
        void *cells = heft_grown(ctx, to->cells, &to->capacity, b->sink.n_rows + batch->capacity,
                                 b->source.n_expected, sizeof(double));
        if (!cells) return HEFT_ENOMEM;
        to->cells = cells;
        batch->columns[j].number = (double *)cells + b->sink.n_rows;
    }
    return HEFT_OK;
}

heft_status heft_batch_weight(heft_ctx *ctx, heft_batch *batch, double weight)
{
    if (!batch->row_weight) {
        batch->row_weight = heft_alloc(batch->capacity, sizeof weight);
        if (!batch->row_weight) return heft_no_memory(ctx, batch->capacity, sizeof weight);
        for (size_t i = 0; i < batch->capacity; i++) batch->row_weight[i] = 1;
    }
    batch->row_weight[batch->n_rows] = weight;
    return HEFT_OK;
}

/* An empty cell has no quotes, unless it is all that its line has. */
void heft_batch_keep(heft_batch *batch, const char *text, size_t length)
{
    heft_buf *buf = &batch->kept.text;
    if (batch->kept.n_rows > batch->n_rows)
        heft_buf_add(buf, ",", 1); /* a cell precedes it in this row */
    if (length) heft_buf_csv_cell(buf, text, length, ',');
    batch->kept.n_rows = batch->n_rows + 1;
    batch->kept.end[batch->n_rows] = buf->length;
}

void heft_batch_forget(heft_batch *batch)
{
    if (batch->memos.memo) memset(batch->memos.memo, 0, batch->memos.n * sizeof *batch->memos.memo);
}

void heft_batch_move_lines(heft_batch *batch, size_t by)
{
    if (batch->latin_line) batch->latin_line += by;
    for (size_t j = 0; j < batch->builder->schema.n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        if (column->huge_line) column->huge_line += by;
        if (column->odd_line) column->odd_line += by;
        if (column->fresh)
            for (size_t k = 0; k < heft_dict_size(column->fresh->dict); k++)
                column->fresh->line[k] += by;
    }
}

void heft_batch_clear(heft_batch *batch)
{
    void *const owned[] = {batch->columns,    batch->cells.block, batch->memos.memo,
                           batch->row_weight, batch->kept.end,    batch->marks.place};
    forget_fresh(batch);
    heft_arena_clear(&batch->arena);
    heft_chunk_clear(&batch->chunk);
    heft_buf_clear(&batch->kept.text);
    heft_entries_clear(&batch->entries);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) heft_free(owned[i]);
    memset(batch, 0, sizeof *batch);
}

/* ---- cells ---- */

static heft_status cell_fail(heft_ctx *ctx, const heft_batch *batch,
                             const heft_batch_column *column, const heft_text_cell *cell,
                             const char *what)
{
    return heft_row_fail(ctx, batch, "column '%s': '%s' %s", HEFT_SHOW_NAME(column->field->name),
                         HEFT_SHOW_PART(cell->text, cell->length, 40), what);
}

/* Another mark makes it a number: all cells of the file are misread, not this one alone. */
static bool has_other_mark(const heft_batch *batch, const heft_text_cell *cell, char *other)
{
    double x;
    *other = heft_decimal_mark(&batch->builder->schema) == '.' ? ',' : '.';
    return heft_parse_marked(*other, cell->text, cell->text + cell->length, &x) != HEFT_NUM_NOT;
}

/* The model, or --numeric, wants a number, and the cell is none. */
static heft_status not_a_number(heft_ctx *ctx, const heft_batch *batch,
                                const heft_batch_column *column, const heft_text_cell *cell)
{
    char        say[200], other;
    const char *why = HEFT_MARKED(column->field->why);
    if (has_other_mark(batch, cell, &other))
        heft_print(say, sizeof say,
                   "is not a number (%s; {decimal-mark=%c} if it has a decimal %s)", why, other,
                   other == ',' ? "comma" : "point");
    else
        heft_print(say, sizeof say,
                   "is not a number (%s; {missing='%s'} if it marks a missing value)", why,
                   HEFT_SHOW_PART(cell->text, cell->length, 20));
    return cell_fail(ctx, batch, column, cell, say);
}

/* The text of a cell for a message, on the heap. */
static heft_status show_cell(heft_ctx *ctx, const heft_text_cell *cell, char **out)
{
    const size_t size = sizeof((heft_finding *)NULL)->text;
    HEFT_NEW(ctx, *out, size);
    heft_show(*out, size, cell->text, cell->length, 30);
    return HEFT_OK;
}

/* A cell that is no number, where a model takes numbers: it is missing, and a warning will count
 * it. */
static heft_status odd_cell(heft_ctx *ctx, const heft_batch *batch, heft_batch_column *column,
                            const heft_text_cell *cell)
{
    column->n_missing++;
    if (column->n_odd++) return HEFT_OK;
    column->odd_line = batch->line;
    return show_cell(ctx, cell, &column->odd);
}

heft_status heft_batch_number(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                              const heft_text_cell *cell, double *out)
{
    const bool   missing = heft_is_missing(&batch->builder->schema, HEFT_NUMERIC, cell);
    const char  *text = cell->text;
    const size_t length = cell->length;
    heft_number  what = HEFT_NUM_NOT;
    *out = NAN;
    if (!missing) what = heft_read_number(&batch->builder->schema, text, length, out);
    const bool huge = what == HEFT_NUM_OVERFLOW || (!missing && heft_is_infinity(text, length));
    if (missing) {
        column->n_missing++;
    } else if (what == HEFT_NUM_NOT && !huge) {
        char other;
        if (column->field->lenient && !has_other_mark(batch, cell, &other))
            return odd_cell(ctx, batch, column, cell);
        if (column->field->why) return not_a_number(ctx, batch, column, cell);
        column->refuted = true;
    }
    if (column->what == HEFT_CELLS_WEIGHT) {
        if (!huge && *out >= 0 && isfinite(*out)) return HEFT_OK;
        return cell_fail(
            ctx, batch, column, cell,
            !huge && isnan(*out)
                ? "is not a weight: no weight may be missing (use 0 to leave a row out)"
                : "is not a weight: a weight must be a finite number >= 0");
    }
    if (huge && !column->huge_line) { /* an error if the column turns out to be numeric */
        HEFT_CHECK(show_cell(ctx, cell, &column->huge));
        column->huge_line = batch->line;
    }
    return HEFT_OK;
}

static heft_status undeclared(heft_ctx *ctx, const heft_batch *batch,
                              const heft_batch_column *column, const heft_text_cell *cell)
{
    const heft_dict *dict = column->field->dict;
    char             what[260];
    size_t           at = (size_t)snprintf(what, sizeof what, "is not among the declared values (");
    for (uint32_t k = 0; k < heft_dict_size(dict) && at < 180; k++) {
        const char *shown = HEFT_SHOW_PART(heft_dict_text(dict, k), heft_dict_length(dict, k), 24);
        at += (size_t)snprintf(what + at, sizeof what - at, "%s%s", k ? ", " : "", shown);
        if (k == 5 && heft_dict_size(dict) > 7) {
            at += (size_t)snprintf(what + at, sizeof what - at, ", ...");
            break;
        }
    }
    snprintf(what + at, sizeof what - at, "): add it to the @attribute line");
    return cell_fail(ctx, batch, column, cell, what);
}

static heft_status fresh_code(heft_ctx *ctx, heft_batch_column *column, const heft_text_cell *cell,
                              size_t line, uint32_t *out)
{
    uint32_t code;
    if (!column->fresh) HEFT_NEW(ctx, column->fresh, 1);
    heft_fresh *fresh = column->fresh;
    if (!fresh->dict) HEFT_CHECK(heft_dict_create(ctx, &fresh->dict));
    const size_t known = heft_dict_size(fresh->dict);
    HEFT_GROW(ctx, fresh->line, fresh->capacity, known + 1, 8);
    HEFT_CHECK(heft_dict_add(ctx, fresh->dict, cell->text, cell->length, &code));
    if (code == known) fresh->line[code] = line;
    *out = code | HEFT_CODE_FRESH;
    return HEFT_OK;
}

heft_status heft_batch_code(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                            const heft_text_cell *cell, uint32_t *out)
{
    const heft_builder *b = batch->builder;
    const heft_field   *field = column->field;
    const size_t        length = cell->length;
    char                first[8] = {0};
    memcpy(first, cell->text, length < 8 ? length : 8);
    const uint64_t word = heft_memo_word(first, length);
    heft_memo     *memo = heft_memo_at(column->memo, word);
    *out = memo->code;
    if (length > 8 && memo->word == word && memo->length == length &&
        memcmp(heft_dict_text(field->dict, memo->code), cell->text, length) == 0)
        return HEFT_OK;
    *out = HEFT_CODE_MISSING;
    if (!heft_is_missing(&b->schema, HEFT_NOMINAL, cell)) {
        *out = heft_dict_find(field->dict, cell->text, length);
        if (*out == HEFT_DICT_NONE && field->declared && !b->schema.expect && !field->settled)
            return undeclared(ctx, batch, column, cell);
        if (*out == HEFT_DICT_NONE) HEFT_CHECK(fresh_code(ctx, column, cell, batch->line, out));
    }
    /* where quotes matter a mark is a value in one place and missing in another; and so is a text
     * with a blank at its edge, in CSV */
    const heft_text_cell bare = {.text = cell->text, .length = length};
    const bool           edge =
        length && (heft_is_blank(*cell->text) || heft_is_blank(cell->text[length - 1]));
    if (length && length <= UINT32_MAX && (!(*out & HEFT_CODE_FRESH) || length <= 8) && !edge &&
        !(b->schema.marks.quotes_count && heft_is_missing(&b->schema, HEFT_NOMINAL, &bare)))
        *memo = (heft_memo){word, (uint32_t)length, *out};
    return HEFT_OK;
}

heft_status heft_batch_put(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                           const heft_text_cell *cell)
{
    const size_t i = batch->n_rows;
    if (column->what == HEFT_CELLS_SKIP) return HEFT_OK;
    if (column->what != HEFT_CELLS_NOMINAL)
        return heft_batch_number(ctx, batch, column, cell, &column->number[i]);
    if (heft_memo_find(column->memo, cell->text, cell->length, &column->code[i])) return HEFT_OK;
    return heft_batch_code(ctx, batch, column, cell, &column->code[i]);
}

heft_status heft_parse_lines(heft_ctx *ctx, heft_batch *batch, const char *blanks, char comment,
                             heft_line_fn *row)
{
    char *p = batch->chunk.text, *end = p + batch->chunk.length;
    for (batch->line = batch->chunk.first_line; p < end; batch->line++) {
        char *next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        p += strspn(p, blanks);
        if (*p != '\n' && *p != comment) {
            HEFT_CHECK(row(ctx, batch, p));
            batch->n_rows++;
        }
        p = next;
    }
    return HEFT_OK;
}
