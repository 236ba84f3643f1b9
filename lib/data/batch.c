/* batch.c - the rows of one chunk as columns of numbers and codes, filled by one task. Rows that
 * come as typed columns, not as text, fill a batch like parsed text and are joined in the same way.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/builder.h"

/* ---- marks ---- */

/* A dash and the word None may be values of a nominal column. */
bool heft_is_usual_mark(heft_kind kind, const char *text, size_t length)
{
    static const char mark[][5] = {"?",    "NA",   "N/A",  "n/a",  "NaN", "nan",
                                   "#N/A", "NULL", "null", "<NA>", "-",   "None"};
    const size_t      n = sizeof mark / sizeof *mark - (kind == HEFT_NOMINAL ? 2 : 0);
    if (length == 0) return true;
    if (length > 4 || (*text >= '0' && *text <= '9')) return false;
    for (size_t k = 0; k < n; k++)
        if (mark[k][0] == *text && !mark[k][length] && memcmp(mark[k], text, length) == 0)
            return true;
    return false;
}

bool heft_is_missing(const heft_builder *b, heft_kind kind, const heft_text_cell *cell)
{
    const char  *text = cell->text;
    const size_t length = cell->length;
    for (size_t i = 0; i < b->n_marks; i++)
        if (strlen(b->marks[i]) == length && memcmp(b->marks[i], text, length) == 0) return true;
    if (cell->quoted && (b->only_question || (b->quotes_count && kind == HEFT_NOMINAL)))
        return false;
    if (b->only_question) return length == 0 || (length == 1 && *text == '?');
    return heft_is_usual_mark(kind, text, length);
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

static heft_status columns_create(heft_ctx *ctx, heft_batch *batch)
{
    const heft_builder *b = batch->builder;
    size_t              nominal = 0, at = 0;
    HEFT_NEW(ctx, batch->columns, b->n_fields);
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field        *field = &b->fields[j];
        heft_batch_column *column = &batch->columns[j];
        column->field = field;
        column->place = field->place;
        column->kept = field->kept;
        column->what = field->role == HEFT_ROLE_DROPPED || field->idle ? HEFT_CELLS_SKIP
                       : field->role == HEFT_ROLE_WEIGHT               ? HEFT_CELLS_WEIGHT
                       : field->kind == HEFT_NUMERIC                   ? HEFT_CELLS_NUMBER
                                                                       : HEFT_CELLS_NOMINAL;
        nominal += column->what == HEFT_CELLS_NOMINAL;
        if (field->role == HEFT_ROLE_TARGET) batch->target = column;
        if (field->role == HEFT_ROLE_WEIGHT) batch->weight = column;
        /* in sparse rows only the target and the weights have a cell in every row */
        if (column->what != HEFT_CELLS_SKIP && (!b->sparse || field->role != HEFT_ROLE_ATTRIBUTE))
            column->width = column->what == HEFT_CELLS_NOMINAL ? 4 : 8;
        batch->row_bytes += column->width;
    }
    /* 8 KiB each where they are few, one cache line where they are many */
    const unsigned bits = nominal <= 128 ? 9 : nominal <= 1024 ? 6 : nominal <= 16384 ? 4 : 2;
    batch->n_memos = nominal << bits;
    batch->memos = heft_alloc(batch->n_memos, sizeof *batch->memos);
    if (!batch->memos) return heft_no_memory(ctx, batch->n_memos, sizeof *batch->memos);
    heft_batch_forget(batch); /* a new page that is read before it is written takes two faults */
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        if (column->what != HEFT_CELLS_NOMINAL) continue;
        column->memo = (heft_memo_table){batch->memos + at, 64 - bits};
        at += (size_t)1 << bits;
    }
    return HEFT_OK;
}

/* Values of the batch alone, also those among the recent ones. */
static void forget_fresh(heft_batch *batch)
{
    for (size_t j = 0; batch->columns && j < batch->builder->n_fields; j++) {
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
    size_t bytes, col_capacity = batch->entry_capacity;
    batch->builder = b;
    if (!batch->columns) HEFT_CHECK(columns_create(ctx, batch));
    forget_fresh(batch);
    heft_arena_clear(&batch->arena);
    heft_free(batch->row_weight);
    batch->row_weight = NULL;
    batch->kept.length = batch->kept_rows = 0;
    heft_free(batch->kept_end);
    batch->kept_end = NULL;
    if (b->keeps) HEFT_NEW(ctx, batch->kept_end, rows + 1);
    batch->n_rows = batch->n_entries = batch->highest_column = 0;
    batch->capacity = rows;
    if (!heft_product(batch->row_bytes, rows + 2, &bytes))
        return heft_no_memory(ctx, batch->row_bytes, rows);
    if (bytes > batch->block_capacity) {
        heft_free(batch->block);
        batch->block_capacity = 0;
        batch->block = heft_alloc(bytes, 1);
        if (!batch->block) return heft_no_memory(ctx, bytes, 1);
        batch->block_capacity = bytes;
    }
    char *at = batch->block;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        column->refuted = false;
        column->n_missing = column->huge_line = column->odd_line = column->n_odd = 0;
        if (column->width == 4) column->code = (uint32_t *)(void *)at;
        if (column->width == 8) column->number = (double *)(void *)at;
        at += column->width * (rows + (rows & 1)); /* stays aligned */
    }
    if (!b->sparse) return HEFT_OK;
    HEFT_GROW(ctx, batch->start, batch->start_capacity, rows + 1, 0);
    HEFT_GROW(ctx, batch->col, col_capacity, entries, 0);
    HEFT_GROW(ctx, batch->val, batch->entry_capacity, entries, 0);
    batch->start[0] = 0;
    return HEFT_OK;
}

heft_status heft_batch_in_place(heft_ctx *ctx, heft_batch *batch)
{
    const heft_builder *b = batch->builder;
    if (b->discard || batch->capacity == 0) return HEFT_OK;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = batch->columns[j].field;
        if (!batch->columns[j].number) continue;
        void *cells = heft_grown(ctx, field->cells, &field->capacity, b->n_rows + batch->capacity,
                                 b->n_expected, sizeof(double));
        if (!cells) return HEFT_ENOMEM;
        field->cells = cells;
        batch->columns[j].number = (double *)cells + b->n_rows;
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
    heft_buf *buf = &batch->kept;
    if (batch->kept_rows > batch->n_rows) heft_buf_add(buf, ",", 1); /* not the row's first */
    if (length) heft_buf_csv_cell(buf, text, length, ',');
    batch->kept_rows = batch->n_rows + 1;
    batch->kept_end[batch->n_rows] = buf->length;
}

void heft_batch_forget(heft_batch *batch)
{
    if (batch->memos) memset(batch->memos, 0, batch->n_memos * sizeof *batch->memos);
}

void heft_batch_move_lines(heft_batch *batch, size_t by)
{
    if (batch->latin_line) batch->latin_line += by;
    for (size_t j = 0; j < batch->builder->n_fields; j++) {
        heft_batch_column *column = &batch->columns[j];
        if (column->huge_line) column->huge_line += by;
        if (column->odd_line) column->odd_line += by;
        for (size_t k = 0; column->fresh && k < heft_dict_size(column->fresh->dict); k++)
            column->fresh->line[k] += by;
    }
}

void heft_batch_clear(heft_batch *batch)
{
    void *const owned[] = {batch->columns,    batch->block,    batch->memos,
                           batch->row_weight, batch->kept_end, batch->start,
                           batch->col,        batch->val,      batch->marks};
    forget_fresh(batch);
    heft_arena_clear(&batch->arena);
    heft_chunk_clear(&batch->chunk);
    heft_buf_clear(&batch->kept);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) heft_free(owned[i]);
    memset(batch, 0, sizeof *batch);
}

/* ---- cells ---- */

static heft_status cell_fail(heft_ctx *ctx, const heft_batch *batch,
                             const heft_batch_column *column, const heft_text_cell *cell,
                             const char *what)
{
    return heft_row_fail(ctx, batch, "column '%s': '%s' %s", HEFT_SHOW_NAME(column->field->name),
                         heft_show((char[96]){0}, 96, cell->text, cell->length, 40), what);
}

/* Another mark makes it a number: all cells of the file are misread, not this one alone. */
static bool has_other_mark(const heft_batch *batch, const heft_text_cell *cell, char *other)
{
    double x;
    *other = heft_decimal_mark(batch->builder) == '.' ? ',' : '.';
    return heft_parse_marked(*other, cell->text, cell->text + cell->length, &x) != HEFT_NUM_NOT;
}

/* The model, or --numeric, wants a number, and the cell is none. */
static heft_status not_a_number(heft_ctx *ctx, const heft_batch *batch,
                                const heft_batch_column *column, const heft_text_cell *cell)
{
    char say[200], shown[64], other;
    if (has_other_mark(batch, cell, &other))
        snprintf(say, sizeof say, "is not a number (%s; --decimal-mark %c if it has a decimal %s)",
                 column->field->why, other, other == ',' ? "comma" : "point");
    else
        snprintf(say, sizeof say,
                 "is not a number (%s; --missing '%s' if it marks a missing value)",
                 column->field->why, heft_show(shown, sizeof shown, cell->text, cell->length, 20));
    return cell_fail(ctx, batch, column, cell, say);
}

/* The text of a cell for a message, on the heap. */
static heft_status show_cell(heft_ctx *ctx, const heft_text_cell *cell, char **out)
{
    const size_t size = sizeof((heft_field *)NULL)->odd;
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
    const bool   missing = heft_is_missing(batch->builder, HEFT_NUMERIC, cell);
    const char  *text = cell->text;
    const size_t length = cell->length;
    heft_number  what = HEFT_NUM_NOT;
    *out = NAN;
    if (!missing) what = heft_read_number(batch->builder, text, length, out);
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
    if (!heft_is_missing(b, HEFT_NOMINAL, cell)) {
        *out = heft_dict_find(field->dict, cell->text, length);
        if (*out == HEFT_DICT_NONE && field->declared && !b->expect && !field->settled)
            return undeclared(ctx, batch, column, cell);
        if (*out == HEFT_DICT_NONE) HEFT_CHECK(fresh_code(ctx, column, cell, batch->line, out));
    }
    /* where quotes matter a mark is a value in one place and missing in another; and so is a text
     * with a blank at its edge, in CSV */
    const heft_text_cell bare = {.text = cell->text, .length = length};
    const bool           edge =
        length && (heft_is_blank(*cell->text) || heft_is_blank(cell->text[length - 1]));
    if (length && length <= UINT32_MAX && (!(*out & HEFT_CODE_FRESH) || length <= 8) && !edge &&
        !(b->quotes_count && heft_is_missing(b, HEFT_NOMINAL, &bare)))
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

/* ---- typed columns ---- */

/* What a CSV file would have for a number: nothing where it is missing. */
static size_t number_text(double x, char out[32])
{
    memset(out, 0, 32); /* heft_memo_find reads 8 bytes */
    if (isfinite(x)) return heft_format_double(out, x);
    if (!isnan(x)) memcpy(out, x < 0 ? "-inf" : "inf", 4);
    return strlen(out);
}

static heft_text_cell value_cell(const heft_typed_cells *cells, size_t i, char number[32])
{
    const int32_t v = cells->numbers ? -1 : cells->codes[i];
    if (v >= 0 && (size_t)v < cells->n_values)
        return (heft_text_cell){
            .text = cells->values[v], .length = strlen(cells->values[v]), .quoted = cells->quoted};
    const size_t length = number_text(cells->numbers ? cells->numbers[i] : NAN, number);
    return (heft_text_cell){.text = number, .length = length};
}

/* Whether all numbers are finite. An exponent of all ones runs over into the sign. */
static bool all_finite(const double *x, size_t n)
{
    const uint64_t sign = (uint64_t)1 << 63, one = (uint64_t)1 << 52;
    uint64_t       odd = 0, bits;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        odd |= (bits & ~sign) + one;
    }
    return !(odd & sign);
}

/* Any cells in a column of numbers or weights. */
static heft_status put_numbers(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                               const heft_typed_cells *cells, const heft_row_group *g)
{
    const bool plain =
        cells->numbers && column->what == HEFT_CELLS_NUMBER && !batch->builder->marks_are_numbers;
    char number[32];
    if (cells->numbers && cells->numbers != column->number)
        memcpy(column->number, cells->numbers, g->n_rows * sizeof(double));
    if (plain && all_finite(column->number, g->n_rows)) return HEFT_OK;
    for (size_t i = 0; i < g->n_rows; i++) {
        if (plain && isfinite(column->number[i])) continue;
        if (plain && isnan(column->number[i])) {
            column->number[i] = NAN;
            column->n_missing++;
            continue;
        }
        const heft_text_cell cell = value_cell(cells, i, number);
        batch->line = g->first_row + i;
        HEFT_CHECK(heft_batch_number(ctx, batch, column, &cell, &column->number[i]));
    }
    return HEFT_OK;
}

/* Codes in a nominal column. The text of a value is looked up once, when a row has it: values that
 * no row has are not taken over. */
static heft_status put_codes(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                             const heft_typed_cells *cells, const heft_row_group *g)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const uint32_t unseen = HEFT_CODE_MISSING - 1, n = (uint32_t)cells->n_values;
    uint32_t      *own; /* the column's code of a value */
    HEFT_ALLOC(ctx, &ctx->scratch, own, n);
    for (uint32_t v = 0; v < n; v++) own[v] = unseen;
    const int32_t *from = cells->codes;
    uint32_t      *to = column->code, code;
    for (size_t i = 0; i < g->n_rows; i++) {
        for (; i < g->n_rows; i++) { /* values that were looked up */
            code = (uint32_t)from[i] < n ? own[from[i]] : HEFT_CODE_MISSING;
            if (code == unseen) break;
            to[i] = code;
        }
        if (i == g->n_rows) break;
        const heft_text_cell cell = value_cell(cells, i, NULL);
        batch->line = g->first_row + i;
        HEFT_CHECK(heft_batch_code(ctx, batch, column, &cell, &code));
        own[from[i]] = to[i] = code;
    }
    return HEFT_OK;
}

/* Numbers in a nominal column. */
static heft_status put_number_values(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                                     const heft_typed_cells *cells, const heft_row_group *g)
{
    char number[32];
    for (size_t i = 0; i < g->n_rows; i++) {
        const heft_text_cell cell = value_cell(cells, i, number);
        batch->line = g->first_row + i;
        if (!heft_memo_find(column->memo, cell.text, cell.length, &column->code[i]))
            HEFT_CHECK(heft_batch_code(ctx, batch, column, &cell, &column->code[i]));
    }
    return HEFT_OK;
}

typedef struct typed_rows {
    heft_batch           *batch;
    const heft_row_group *group;
    heft_typed_cells     *kept; /* by field, or NULL: none are kept */
} typed_rows;

/* The cells of one field. Tasks share the batch, but for the row that they are at. */
static heft_status put_field(heft_ctx *ctx, void *arg, size_t j)
{
    const typed_rows  *t = arg;
    heft_batch         own = *t->batch;
    heft_batch_column *column = &own.columns[j];
    heft_typed_cells   cells;
    if (column->what == HEFT_CELLS_SKIP && !column->kept) return HEFT_OK;
    HEFT_CHECK(t->group->column(ctx, t->group->arg, j, column->number, &cells));
    if (column->kept) t->kept[j] = cells;
    if (column->what == HEFT_CELLS_SKIP) return HEFT_OK;
    if (column->what != HEFT_CELLS_NOMINAL) return put_numbers(ctx, &own, column, &cells, t->group);
    if (cells.numbers) return put_number_values(ctx, &own, column, &cells, t->group);
    return put_codes(ctx, &own, column, &cells, t->group);
}

/* The text of kept cells, row after row. */
static void keep_rows(const typed_rows *t)
{
    heft_batch *batch = t->batch;
    char        number[32];
    for (batch->n_rows = 0; batch->n_rows < t->group->n_rows; batch->n_rows++)
        for (size_t j = 0; j < batch->builder->n_fields; j++) {
            if (!batch->columns[j].kept) continue;
            const heft_text_cell cell = value_cell(&t->kept[j], batch->n_rows, number);
            heft_batch_keep(batch, cell.text, cell.length);
        }
}

heft_status heft_builder_put(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                             const heft_row_group *group)
{
    HEFT_SCRATCH_SCOPE(ctx);
    typed_rows t = {.batch = batch, .group = group};
    HEFT_CHECK(heft_builder_open_dicts(ctx, b));
    HEFT_CHECK(heft_batch_begin(ctx, batch, b, group->n_rows, 0));
    HEFT_CHECK(heft_batch_in_place(ctx, batch));
    if (b->keeps) HEFT_ALLOC(ctx, &ctx->scratch, t.kept, b->n_fields);
    batch->n_rows = group->n_rows;
    HEFT_CHECK(heft_builder_join_columns(ctx, b, batch, put_field, &t));
    if (b->keeps && !b->discard) keep_rows(&t); /* else the cells are gone */
    HEFT_CHECK(heft_builder_join_rows(ctx, b, batch));
    HEFT_CHECK(heft_builder_joined(ctx, b, batch, 1, group->last));
    return heft_check_cancel(ctx);
}
