/* builder.c - the fields, and batches joined to growing columns in the order of the file. See
 * builder.h for what may be relied on. */
#include "data/builder.h"

#include <stdio.h>
#include <string.h>

/* A column takes about a hundred bytes even where it holds nothing: without a limit one short line
 * of a LIBSVM file could ask for all memory. */
enum { MOST_COLUMNS = 1 << 24 };

/* ---- fields ---- */

/* The marks that the caller lists, and those that the model was trained with. */
static heft_status take_marks(heft_ctx *ctx, heft_builder *b)
{
    const char *const lists[] = {b->how->missing, b->expect ? b->expect->missing : NULL};
    char            **mark[2];
    size_t            n[2];
    for (size_t k = 0; k < 2; k++)
        HEFT_CHECK(heft_split(ctx, &b->arena, lists[k], ',', &mark[k], &n[k]));
    HEFT_ALLOC(ctx, &b->arena, b->marks, n[0] + n[1]);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < n[k]; i++) b->marks[b->n_marks++] = mark[k][i];
    for (size_t i = 0; i < b->n_marks; i++)
        if (heft_is_number(b, b->marks[i], strlen(b->marks[i]))) b->marks_are_numbers = true;
    return HEFT_OK;
}

heft_status heft_builder_init(heft_ctx *ctx, heft_builder *b, const char *name,
                              const heft_source *how, const heft_expect *expect)
{
    memset(b, 0, sizeof *b);
    b->name = name;
    b->how = how;
    b->expect = expect;
    b->max_columns = how->max_columns ? how->max_columns : MOST_COLUMNS;
    if (b->max_columns > INT32_MAX - 1) b->max_columns = INT32_MAX - 1;
    b->max_classes = how->max_classes && how->max_classes < HEFT_MOST_CLASSES ? how->max_classes
                                                                              : HEFT_MOST_CLASSES;
    return take_marks(ctx, b);
}

heft_status heft_builder_add(heft_ctx *ctx, heft_builder *b, const char *name, size_t length)
{
    const size_t need = b->n_fields + 1;
    char         number[24];
    if (need > b->max_columns)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the file has more than %zu columns (allow more with --max-columns)",
                         b->name, b->max_columns);
    HEFT_GROW(ctx, b->fields, b->field_capacity, need, 16);
    if (length == 0) {
        length = (size_t)snprintf(number, sizeof number, "c%zu", need);
        name = number;
    }
    heft_field *field = &b->fields[b->n_fields];
    memset(field, 0, sizeof *field);
    field->name = heft_copy_span(name, length);
    if (!field->name) return heft_no_memory(ctx, length + 1, 1);
    b->n_fields++;
    return HEFT_OK;
}

void heft_builder_free_rows(heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_free(b->fields[j].cells);
        b->fields[j].cells = NULL;
        b->fields[j].capacity = 0;
    }
    heft_free(b->kept_end);
    b->kept_end = NULL;
    b->kept_capacity = 0;
    heft_buf_clear(&b->kept);
    heft_free(b->row_weight);
    heft_free(b->rows.start);
    heft_free(b->rows.col);
    heft_free(b->rows.val);
    b->row_weight = NULL;
    memset(&b->rows, 0, sizeof b->rows);
    b->weight_capacity = b->n_entries = b->start_capacity = b->entry_capacity = 0;
}

heft_status heft_builder_again(heft_ctx *ctx, heft_builder *b, bool *again)
{
    *again = b->discard;
    if (!b->discard) return b->sink ? heft_builder_surveyed(ctx, b, again) : HEFT_OK;
    /* forget the rows and keep the fields; refuted columns are nominal from here on */
    heft_builder_free_rows(b);
    b->n_rows = b->n_listed = 0;
    b->discard = b->weighted = b->sorted = false;
    if (b->phase == HEFT_SURVEY_LIGHT) b->n_handed = 0, b->phase = HEFT_SURVEY;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (field->refuted) field->kind = HEFT_NOMINAL;
        field->refuted = false;
        if (!field->declared) {
            heft_dict_free(field->dict);
            field->dict = NULL;
        }
        field->n_missing = field->odd_line = field->huge_line = field->n_odd = 0;
        heft_free(field->count);
        field->count = NULL;
        field->count_capacity = 0;
    }
    return HEFT_OK;
}

heft_status heft_builder_open_dicts(heft_ctx *ctx, heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (field->role == HEFT_ROLE_DROPPED || field->kind != HEFT_NOMINAL) continue;
        if (!field->dict) HEFT_CHECK(heft_dict_create(ctx, &field->dict));
        field->width = heft_code_width(heft_dict_size(field->dict));
    }
    return HEFT_OK;
}

void heft_builder_clear(heft_builder *b)
{
    heft_builder_free_rows(b);
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_free(b->fields[j].name);
        heft_free(b->fields[j].count);
        heft_dict_free(b->fields[j].dict);
        heft_dict_free(b->fields[j].later);
    }
    heft_free(b->fields);
    heft_free(b->missing);
    heft_arena_clear(&b->arena);
    memset(b, 0, sizeof *b);
}

/* ---- joining the columns of a batch ---- */

heft_number heft_read_number(const heft_builder *b, const char *text, size_t length, double *out)
{
    return heft_parse_marked(heft_decimal_mark(b), text, text + length, out);
}

bool heft_is_number(const heft_builder *b, const char *text, size_t length)
{
    double x;
    return heft_read_number(b, text, length, &x) != HEFT_NUM_NOT || heft_is_infinity(text, length);
}

/* Wider cells, once the dictionary has outgrown them. */
static heft_status widen(heft_ctx *ctx, heft_field *field, size_t n_rows)
{
    const unsigned width =
        heft_code_width(heft_dict_size(field->dict) + heft_dict_size(field->later));
    if (width <= field->width) return HEFT_OK;
    if (field->cells) {
        void *cells = heft_alloc(field->capacity, width);
        if (!cells) return heft_no_memory(ctx, field->capacity, width);
        const uint32_t none = heft_building_none(field->width);
        HEFT_ROWS (i, n_rows) {
            const uint32_t code = heft_code_at(field->cells, field->width, i);
            heft_code_put(cells, width, i, code == none ? UINT32_MAX : code);
        }
        heft_free(field->cells);
        field->cells = cells;
    }
    field->width = width;
    return HEFT_OK;
}

/* Returns the number of missing cells. */
static size_t copy_codes(const uint32_t *from, size_t n, const uint32_t *map, void *cells,
                         unsigned width, size_t at)
{
    size_t missing = 0;
    if (width == 1 && !map) { /* cutting off makes the missing code that of one byte */
        uint8_t *to = (uint8_t *)cells + at;
        for (size_t i = 0; i < n; i++) {
            to[i] = (uint8_t)from[i];
            missing += from[i] == HEFT_CODE_MISSING;
        }
        return missing;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t code = from[i];
        if (code == HEFT_CODE_MISSING) missing++;
        else if (code & HEFT_CODE_FRESH) {
            HEFT_KNOWN(map);
            code = map[code & ~HEFT_CODE_FRESH];
        }
        heft_code_put(cells, width, at + i, code);
    }
    return missing;
}

/* The cells of a batch column go behind those of its field. */
static heft_status append_cells(heft_ctx *ctx, const heft_builder *b, const heft_batch *batch,
                                const heft_batch_column *column, const uint32_t *map)
{
    const size_t at = batch->first_row, n = batch->n_rows;
    heft_field  *field = column->field;
    const bool   nominal = column->what == HEFT_CELLS_NOMINAL;
    if (column->number) field->n_missing += column->n_missing;
    if (nominal) HEFT_CHECK(widen(ctx, field, at));
    if (!column->code && !column->number) return HEFT_OK;
    HEFT_KNOWN(nominal ? column->code != NULL : column->number != NULL);
    const unsigned width = nominal ? field->width : sizeof(double);
    void *cells = heft_grown(ctx, field->cells, &field->capacity, at + n, b->n_expected, width);
    if (!cells) return HEFT_ENOMEM;
    if (cells != field->cells) field->cells = cells; /* tasks may be looking at it */
    if (nominal) field->n_missing += copy_codes(column->code, n, map, cells, width, at);
    else if ((double *)cells + at != column->number) /* it is not there, or further behind */
        memmove((double *)cells + at, column->number, n * sizeof(double));
    return HEFT_OK;
}

/* The code of a value. What the dictionary lacks waits for heft_builder_joined: tasks may look into
 * the dictionary at this moment. */
static heft_status add_value(heft_ctx *ctx, heft_field *field, const char *text, size_t length,
                             uint32_t *code)
{
    *code = heft_dict_find(field->dict, text, length);
    if (*code != HEFT_DICT_NONE) return HEFT_OK;
    if (!field->later) HEFT_CHECK(heft_dict_create(ctx, &field->later));
    HEFT_CHECK(heft_dict_add(ctx, field->later, text, length, code));
    *code += (uint32_t)heft_dict_size(field->dict);
    return HEFT_OK;
}

static heft_status join_column(heft_ctx *ctx, const heft_builder *b, heft_batch *batch,
                               heft_batch_column *column)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_field *const field = column->field;
    const heft_fresh *fresh = column->fresh;
    uint32_t         *map = NULL;
    if (column->huge_line && !field->huge_line) {
        field->huge_line = column->huge_line;
        memcpy(field->huge, column->huge, sizeof field->huge);
    }
    if (b->discard || column->what == HEFT_CELLS_SKIP) return HEFT_OK;
    if (column->odd_line && !field->odd_line) {
        field->odd_line = column->odd_line;
        memcpy(field->odd, column->odd, sizeof field->odd);
    }
    field->n_odd += column->n_odd;
    if (fresh) {
        HEFT_ALLOC(ctx, &ctx->scratch, map, heft_dict_size(fresh->dict));
        if (field->settled)
            return heft_fail(ctx, HEFT_EIO, "%s: the file changed while it was read (try again)",
                             b->name);
        /* the batch's own codes become the field's: map[own code] */
        for (uint32_t k = 0; k < heft_dict_size(fresh->dict); k++) {
            const char  *text = heft_dict_text(fresh->dict, k);
            const size_t length = heft_dict_length(fresh->dict, k);
            HEFT_CHECK(add_value(ctx, field, text, length, &map[k]));
            if (field->odd_line || field->why || heft_is_number(b, text, length)) continue;
            field->odd_line = fresh->line[k];
            field->odd_code = map[k];
        }
        /* entries of sparse nominal columns hold the batch's own codes as -1 - code */
        const bool entries = b->sparse && field->role == HEFT_ROLE_ATTRIBUTE;
        for (size_t k = 0; entries && k < batch->start[batch->n_rows]; k++)
            if (batch->col[k] == column->place && batch->val[k] < 0)
                batch->val[k] = map[(uint32_t)(-batch->val[k] - 1)];
    }
    return append_cells(ctx, b, batch, column, map);
}

/* ---- joining batches ---- */

/* How many there will be when all is read, of what the first batch has n. */
static size_t expect_all(const heft_builder *b, size_t n)
{
    return b->phase == HEFT_GATHER && b->share > 0 ? (size_t)((double)n / b->share * 1.05) : n;
}

/* Space for the rows of the first batch and all that follow. */
static heft_status begin_sparse(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    const size_t rows = batch->n_rows, entries = batch->start[rows];
    size_t       col_capacity = 0;
    heft_sparse *r = &b->rows;
    HEFT_GROW(ctx, r->start, b->start_capacity, rows + 1, expect_all(b, rows) + 1);
    HEFT_GROW(ctx, r->col, col_capacity, entries + 1, expect_all(b, entries));
    HEFT_GROW(ctx, r->val, b->entry_capacity, entries + 1, expect_all(b, entries));
    return HEFT_OK;
}

static heft_status join_sparse(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    if (batch->highest_column > b->n_columns) b->n_columns = batch->highest_column;
    const size_t at = batch->first_row, n = batch->start[batch->n_rows], need = b->n_entries + n;
    b->n_listed += n;
    size_t       col_capacity = b->entry_capacity;
    heft_sparse *r = &b->rows;
    HEFT_GROW(ctx, r->start, b->start_capacity, at + batch->n_rows + 1, 1024);
    HEFT_GROW(ctx, r->col, col_capacity, need, 4096);
    HEFT_GROW(ctx, r->val, b->entry_capacity, need, 4096);
    if (n) memcpy(r->col + b->n_entries, batch->col, n * sizeof *r->col);
    if (n) memcpy(r->val + b->n_entries, batch->val, n * sizeof *r->val);
    for (size_t i = 0; i <= batch->n_rows; i++) r->start[at + i] = b->n_entries + batch->start[i];
    b->n_entries = need;
    return HEFT_OK;
}

static heft_status join_weights(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    const size_t at = batch->first_row, n = batch->n_rows, from = b->row_weight ? at : 0;
    if (batch->row_weight) b->weighted = true;
    if (!b->weighted) return HEFT_OK;
    HEFT_GROW(ctx, b->row_weight, b->weight_capacity, at + n, b->n_expected);
    for (size_t i = from; i < at; i++) b->row_weight[i] = 1; /* rows before the first weight */
    for (size_t i = 0; i < n; i++)
        b->row_weight[at + i] = batch->row_weight ? batch->row_weight[i] : 1;
    return HEFT_OK;
}

static heft_status join_kept(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    const size_t before = b->kept.length;
    if (!b->keeps) return HEFT_OK;
    HEFT_GROW(ctx, b->kept_end, b->kept_capacity, b->n_rows, b->n_expected);
    heft_buf_add(&b->kept, batch->kept.data, batch->kept.length);
    if (batch->kept.failed || b->kept.failed) return heft_no_memory(ctx, b->kept.length, 2);
    for (size_t i = 0; i < batch->n_rows; i++)
        b->kept_end[batch->first_row + i] = before + batch->kept_end[i];
    return HEFT_OK;
}

typedef struct joining {
    heft_builder *builder;
    heft_batch   *batch;
    heft_task_fn *fill; /* or NULL */
    void         *arg;
} joining;

static heft_status join_fields(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const joining *g = arg;
    for (size_t j = lo; j < hi; j++) {
        if (g->fill) HEFT_CHECK(g->fill(ctx, g->arg, j));
        HEFT_CHECK(join_column(ctx, g->builder, g->batch, &g->batch->columns[j]));
    }
    return HEFT_OK;
}

heft_status heft_builder_join_columns(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                                      heft_task_fn *fill, void *arg)
{
    joining g = {b, batch, fill, arg};
    batch->first_row = b->n_rows;
    b->n_rows += batch->n_rows;
    if (b->n_expected < b->n_rows && b->phase == HEFT_BLOCKS) b->n_expected = b->n_rows;
    /* One field is a task, unless there are many: columns of numbers reach new pages at the same
     * time, and to clear these takes long. */
    if (b->sparse) HEFT_CHECK(join_fields(ctx, &g, 0, b->n_fields)); /* entries are shared */
    else HEFT_CHECK(heft_run_blocks(ctx, b->n_fields, 1 + b->n_fields / 64, join_fields, &g));
    for (size_t j = 0; j < b->n_fields; j++)
        if (batch->columns[j].refuted) b->discard = b->fields[j].refuted = true;
    return HEFT_OK;
}

heft_status heft_builder_join_rows(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    if (!b->latin_line) b->latin_line = batch->latin_line;
    if (b->discard) return HEFT_OK;
    if (b->sparse && !b->rows.start) HEFT_CHECK(begin_sparse(ctx, b, batch));
    if (b->sparse) HEFT_CHECK(join_sparse(ctx, b, batch));
    HEFT_CHECK(join_weights(ctx, b, batch));
    return join_kept(ctx, b, batch);
}

/* Values that batches have brought join the dictionaries, and keep their codes. */
static heft_status add_later(heft_ctx *ctx, heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        uint32_t    code;
        for (uint32_t k = 0; k < heft_dict_size(field->later); k++)
            HEFT_CHECK(heft_dict_add(ctx, field->dict, heft_dict_text(field->later, k),
                                     heft_dict_length(field->later, k), &code));
        heft_dict_free(field->later);
        field->later = NULL;
    }
    return HEFT_OK;
}

heft_status heft_builder_joined(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                                bool last)
{
    HEFT_CHECK(add_later(ctx, b));
    if (b->discard) heft_builder_free_rows(b);
    const bool whole = b->phase == HEFT_GATHER || b->phase == HEFT_SURVEY;
    if (whole && !b->sorted && b->n_rows > 0 && !b->discard) {
        HEFT_CHECK(heft_builder_sort(ctx, b));
        for (size_t i = 0; i < n; i++) heft_batch_forget(&batches[i]);
        b->sorted = true;
    }
    return heft_builder_wave(ctx, b, batches, n, last);
}
