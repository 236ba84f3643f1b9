/* builder.c - joins batches, in the order of the file, into growing columns. What comes out does
 * not depend on where chunks were cut or how many threads parsed. */
#include "data/builder.h"

#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/rows.h"
#include "base/text.h"
#include "data/formats/formats.h"

/* A column takes about a hundred bytes even where it holds nothing: without a limit one short line
 * of a LIBSVM file could ask for all memory. */
enum { MOST_COLUMNS = 1 << 24 };

/* ---- growing ---- */

void *heft_grown(heft_ctx *ctx, void *items, size_t *room, size_t need, size_t estimate,
                 size_t size)
{
    if (items && need <= *room) return items;
    size_t want = items ? *room + *room / 2 : estimate;
    if (want < need) want = need;
    void *more = heft_resize(items, want, size);
    if (more) *room = want;
    else (void)heft_no_memory(ctx, want, size);
    return more;
}

/* Wider cells, once the dictionary has outgrown them. */
static heft_status widen(heft_ctx *ctx, heft_field *field, size_t n_rows)
{
    const unsigned width = heft_code_width(heft_dict_size(field->dict));
    if (width <= field->width) return HEFT_OK;
    if (field->cells) {
        void *cells = heft_alloc(field->room, width);
        if (!cells) return heft_no_memory(ctx, field->room, width);
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

/* ---- joining ---- */

bool heft_is_number(const char *text, size_t length)
{
    double x;
    return heft_parse_double(text, text + length, &x) != HEFT_NUM_NOT ||
           heft_is_infinity(text, length);
}

/* The batch's own codes become the field's: map[own code]. */
static heft_status adopt(heft_ctx *ctx, const char *name, heft_field *field,
                         const heft_fresh *fresh, uint32_t *map)
{
    if (field->settled)
        return heft_fail(ctx, HEFT_EIO, "%s: the file has changed while it was read (try again)",
                         name);
    for (uint32_t k = 0; k < heft_dict_size(fresh->dict); k++) {
        const char  *text = heft_dict_text(fresh->dict, k);
        const size_t length = heft_dict_length(fresh->dict, k);
        HEFT_CHECK(heft_dict_add(ctx, field->dict, text, length, &map[k]));
        if (field->odd_line || field->why || heft_is_number(text, length)) continue;
        field->odd_line = fresh->line[k];
        field->odd_code = map[k];
    }
    return HEFT_OK;
}

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
        else if (code & HEFT_CODE_FRESH) code = map[code & ~HEFT_CODE_FRESH];
        heft_code_put(cells, width, at + i, code);
    }
    return missing;
}

static heft_status join_codes(heft_ctx *ctx, const heft_builder *b, const heft_batch *batch,
                              const heft_lane *lane, const uint32_t *map)
{
    heft_field  *field = lane->field;
    const size_t at = batch->first_row, n = batch->n_rows;
    if (b->stage == HEFT_SURVEY_LIGHT) return heft_survey_codes(ctx, lane, n, map);
    HEFT_CHECK(widen(ctx, field, at));
    if (!lane->code) return HEFT_OK;
    void *cells = heft_grown(ctx, field->cells, &field->room, at + n, b->n_expected, field->width);
    if (!cells) return HEFT_ENOMEM;
    field->cells = cells;
    field->n_missing += copy_codes(lane->code, n, map, cells, field->width, at);
    return HEFT_OK;
}

static heft_status join_numbers(heft_ctx *ctx, const heft_builder *b, const heft_batch *batch,
                                const heft_lane *lane)
{
    const size_t at = batch->first_row, n = batch->n_rows;
    heft_field  *field = lane->field;
    if (!lane->number) return HEFT_OK;
    if (b->stage == HEFT_SURVEY_LIGHT) {
        field->n_missing += lane->n_missing;
        return HEFT_OK;
    }
    double *cells =
        heft_grown(ctx, field->cells, &field->room, at + n, b->n_expected, sizeof *cells);
    if (!cells) return HEFT_ENOMEM;
    field->cells = cells;
    memcpy(cells + at, lane->number, n * sizeof *cells);
    field->n_missing += lane->n_missing;
    return HEFT_OK;
}

/* Entries of sparse nominal columns hold the batch's own codes as -1 - code. */
static void translate_entries(heft_batch *batch, uint32_t place, const uint32_t *map)
{
    for (size_t k = 0; k < batch->start[batch->n_rows]; k++)
        if (batch->col[k] == place && batch->val[k] < 0)
            batch->val[k] = map[(uint32_t)(-batch->val[k] - 1)];
}

static heft_status join_lane(heft_ctx *ctx, const heft_builder *b, heft_batch *batch,
                             heft_lane *lane)
{
    heft_status st = HEFT_OK;
    uint32_t   *map = NULL;
    if (lane->huge_line && !lane->field->huge_line) {
        lane->field->huge_line = lane->huge_line;
        memcpy(lane->field->huge, lane->huge, sizeof lane->field->huge);
    }
    if (b->discard || lane->what == HEFT_LANE_SKIP) return HEFT_OK;
    if (lane->what != HEFT_LANE_NOMINAL) return join_numbers(ctx, b, batch, lane);
    if (lane->fresh) {
        HEFT_HEAP(ctx, map, heft_dict_size(lane->fresh->dict));
        HEFT_TRY(adopt(ctx, b->name, lane->field, lane->fresh, map));
        if (b->sparse && lane->field->role == HEFT_ROLE_ATTRIBUTE)
            translate_entries(batch, lane->place, map);
    }
    HEFT_TRY(join_codes(ctx, b, batch, lane, map));
done:
    heft_free(map);
    return st;
}

static heft_status join_sparse(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    if (batch->n_columns > b->n_columns) b->n_columns = batch->n_columns;
    if (b->stage == HEFT_SURVEY_LIGHT) return heft_survey_entries(ctx, b, batch);
    const size_t n = batch->start[batch->n_rows], need = b->n_entries + n;
    size_t       col_room = b->entry_room;
    heft_sparse *r = &b->rows;
    const size_t at = batch->first_row;
    size_t      *start =
        heft_grown(ctx, r->start, &b->start_room, at + batch->n_rows + 1, 1024, sizeof *start);
    if (!start) return HEFT_ENOMEM;
    r->start = start;
    uint32_t *col = heft_grown(ctx, r->col, &col_room, need, 4096, sizeof *col);
    if (!col) return HEFT_ENOMEM;
    r->col = col;
    double *val = heft_grown(ctx, r->val, &b->entry_room, need, 4096, sizeof *val);
    if (!val) return HEFT_ENOMEM;
    r->val = val;
    if (n) memcpy(col + b->n_entries, batch->col, n * sizeof *col);
    if (n) memcpy(val + b->n_entries, batch->val, n * sizeof *val);
    for (size_t i = 0; i <= batch->n_rows; i++) start[at + i] = b->n_entries + batch->start[i];
    b->n_entries = need;
    return HEFT_OK;
}

static heft_status join_weights(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    const size_t at = batch->first_row, n = batch->n_rows, from = b->row_weight ? at : 0;
    if (batch->row_weight) b->weighted = true;
    if (!b->weighted || b->stage == HEFT_SURVEY_LIGHT) return HEFT_OK;
    double *weight =
        heft_grown(ctx, b->row_weight, &b->weight_room, at + n, b->n_expected, sizeof *weight);
    if (!weight) return HEFT_ENOMEM;
    b->row_weight = weight;
    for (size_t i = from; i < at; i++) weight[i] = 1; /* rows before the first one */
    for (size_t i = 0; i < n; i++) weight[at + i] = batch->row_weight ? batch->row_weight[i] : 1;
    return HEFT_OK;
}

void heft_builder_free_rows(heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_free(b->fields[j].cells);
        b->fields[j].cells = NULL;
        b->fields[j].room = 0;
    }
    heft_free(b->row_weight);
    heft_free(b->rows.start);
    heft_free(b->rows.col);
    heft_free(b->rows.val);
    b->row_weight = NULL;
    memset(&b->rows, 0, sizeof b->rows);
    b->weight_room = b->n_entries = b->start_room = b->entry_room = 0;
}

/* ---- the scan ---- */

typedef struct wave {
    heft_builder  *builder;
    heft_batch    *batches;
    size_t         n; /* of them filled */
    heft_parse_fn *parse;
    const void    *arg;
} wave;

/* Fields lo..hi-1 of all batches, in order. */
static heft_status join_fields(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const wave *w = arg;
    for (size_t j = lo; j < hi; j++)
        for (size_t i = 0; i < w->n; i++)
            HEFT_CHECK(join_lane(ctx, w->builder, &w->batches[i], &w->batches[i].lanes[j]));
    return HEFT_OK;
}

static heft_status join_wave(heft_ctx *ctx, wave *w)
{
    enum { FIELDS_A_TASK = 4 };
    heft_builder *b = w->builder;
    for (size_t i = 0; i < w->n; i++) {
        w->batches[i].first_row = b->n_rows;
        b->n_rows += w->batches[i].n_rows;
        if (b->n_expected < b->n_rows && b->stage == HEFT_BLOCKS) b->n_expected = b->n_rows;
        for (size_t j = 0; j < b->n_fields; j++)
            if (w->batches[i].lanes[j].refuted) b->discard = b->fields[j].refuted = true;
    }
    if (b->discard) heft_builder_free_rows(b);
    if (b->sparse) HEFT_CHECK(join_fields(ctx, w, 0, b->n_fields)); /* entries are shared */
    else HEFT_CHECK(heft_run_blocks(ctx, b->n_fields, FIELDS_A_TASK, join_fields, w));
    for (size_t i = 0; i < w->n && !b->discard; i++) {
        if (b->sparse) HEFT_CHECK(join_sparse(ctx, b, &w->batches[i]));
        HEFT_CHECK(join_weights(ctx, b, &w->batches[i]));
    }
    return HEFT_OK;
}

static heft_status parse_one(heft_ctx *ctx, void *arg, size_t i)
{
    wave *w = arg;
    HEFT_CHECK(heft_batch_begin(ctx, &w->batches[i], w->builder));
    return w->parse(ctx, &w->batches[i], w->arg);
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

/* Batches hold their text and, several times as large, their cells: under a limit on memory all of
 * them together take about a quarter of it. */
static size_t chunk_size(size_t n_batches)
{
    enum { A_BATCH = 6, LEAST = 32 * 1024 }; /* its bytes for one of text */
    const size_t limit = heft_memory_limit(), fits = limit / 4 / (A_BATCH * n_batches);
    if (limit == 0 || fits >= heft_chunk_bytes) return heft_chunk_bytes;
    return fits > LEAST || heft_chunk_bytes < LEAST ? fits : LEAST;
}

heft_status heft_builder_scan(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_chunk *first,
                              heft_parse_fn *parse, const void *arg)
{
    /* several a thread, so that threads seldom wait for one another; memory grows with them */
    enum { A_THREAD = 3, MOST_BATCHES = 24 };
    heft_status  st = HEFT_OK;
    const size_t threads = (size_t)ctx->threads, many = A_THREAD * threads;
    const size_t n = threads == 1 ? 1 : many < MOST_BATCHES ? many : MOST_BATCHES;
    wave         w = {.builder = b, .parse = parse, .arg = arg};
    feed->size = chunk_size(n);
    HEFT_HEAP(ctx, w.batches, n);
    HEFT_TRY(heft_builder_open_dicts(ctx, b));
    if (b->stage == HEFT_BLOCKS) heft_input_once(feed->in);
    for (bool more = true; more;) {
        size_t filled = 0;
        if (first && first->length) {
            w.batches[filled++].chunk = *first;
            memset(first, 0, sizeof *first);
        }
        for (; filled < n && more; filled += more) {
            HEFT_TRY(heft_feed_next(ctx, feed, &w.batches[filled].chunk));
            more = w.batches[filled].chunk.length > 0;
        }
        w.n = filled;
        HEFT_TRY(heft_run(ctx, w.n, parse_one, &w));
        HEFT_TRY(join_wave(ctx, &w));
        HEFT_TRY(heft_builder_wave(ctx, b, w.batches, n, !more));
        HEFT_TRY(heft_check_cancel(ctx));
        heft_progress(ctx, "reading", heft_input_share(feed->in));
    }
done:
    for (size_t i = 0; w.batches && i < n; i++) heft_batch_clear(&w.batches[i]);
    heft_free(w.batches);
    return st;
}

/* ---- files ---- */

static heft_status read_file(heft_ctx *ctx, heft_builder *b, size_t k, heft_file_fn *fn, void *arg)
{
    heft_status st = HEFT_OK;
    heft_input *in = NULL;
    heft_feed   feed = {0};
    heft_chunk  head = {0};
    const char *first = b->name;
    HEFT_TRY(heft_input_open(ctx, b->files.path[k], &in));
    heft_input_limit(in, b->how->max_unpacked);
    b->name = heft_input_name(in);
    heft_feed_init(&feed, in);
    HEFT_TRY(heft_feed_head(ctx, &feed, 1024, &head)); /* is it text, and how do its lines end */
    HEFT_TRY(heft_feed_restart(ctx, &feed));
    HEFT_TRY(fn(ctx, b, &feed, k, arg));
done:
    b->name = first;
    heft_chunk_clear(&head);
    heft_feed_clear(&feed);
    heft_input_close(in);
    return st;
}

/* Which kinds were refuted on any rank, whether any rank has weights in its rows, and the columns
 * of a LIBSVM file. */
static heft_status agree(heft_ctx *ctx, heft_builder *b)
{
    heft_status st = HEFT_OK;
    double     *v = NULL;
    if (heft_all_here(ctx)) return HEFT_OK;
    HEFT_HEAP(ctx, v, b->n_fields + 2);
    for (size_t j = 0; j < b->n_fields; j++) v[j] = b->fields[j].refuted;
    v[b->n_fields] = b->row_weight != NULL;
    v[b->n_fields + 1] = (double)b->n_columns;
    HEFT_TRY(heft_all_max(ctx, v, b->n_fields + 2));
    for (size_t j = 0; j < b->n_fields; j++) {
        b->fields[j].refuted = v[j] > 0;
        b->discard = b->discard || v[j] > 0;
    }
    b->n_columns = (size_t)v[b->n_fields + 1];
    if (v[b->n_fields] > 0 && !b->row_weight && !b->discard) {
        b->weighted = true;
        HEFT_HEAP(ctx, b->row_weight, b->n_rows + 1);
        for (size_t i = 0; i < b->n_rows; i++) b->row_weight[i] = 1;
    }
done:
    heft_free(v);
    return st;
}

heft_status heft_builder_read(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_file_fn *fn,
                              void *arg)
{
    for (bool again = true; again;) {
        for (size_t k = b->files.lo; k < b->files.hi; k++) {
            if (k > 0) HEFT_CHECK(read_file(ctx, b, k, fn, arg));
            else {
                HEFT_CHECK(heft_feed_restart(ctx, feed));
                HEFT_CHECK(fn(ctx, b, feed, k, arg));
            }
        }
        if (b->files.shared)
            HEFT_CHECK(heft_input_unchanged(ctx, feed->in)); /* the shares still fit */
        HEFT_CHECK(agree(ctx, b));
        HEFT_CHECK(heft_builder_again(ctx, b, &again));
    }
    return HEFT_OK;
}

/* ---- fields ---- */

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
    const heft_status st = heft_split(ctx, &b->arena, how->missing, ',', &b->marks, &b->n_marks);
    for (size_t i = 0; st == HEFT_OK && i < b->n_marks; i++)
        if (heft_is_number(b->marks[i], strlen(b->marks[i]))) b->marks_are_numbers = true;
    return st;
}

heft_status heft_builder_add(heft_ctx *ctx, heft_builder *b, const char *name, size_t length)
{
    const size_t need = b->n_fields + 1;
    char         number[24];
    if (need > b->max_columns)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: more than %zu columns (--max-columns allows more)",
                         b->name, b->max_columns);
    heft_field *fields = heft_grown(ctx, b->fields, &b->field_room, need, 16, sizeof *fields);
    if (!fields) return HEFT_ENOMEM;
    b->fields = fields;
    if (length == 0) {
        snprintf(number, sizeof number, "c%zu", need);
        name = number;
        length = strlen(number);
    }
    memset(&fields[b->n_fields], 0, sizeof *fields);
    fields[b->n_fields].name = heft_copy_span(name, length);
    if (!fields[b->n_fields].name) return heft_no_memory(ctx, length + 1, 1);
    b->n_fields++;
    return HEFT_OK;
}

/* Forget the rows, keep the fields: for reading once more. */
static void restart(heft_builder *b)
{
    heft_builder_free_rows(b);
    b->n_rows = 0;
    b->discard = false;
    b->weighted = false;
    if (b->stage == HEFT_SURVEY_LIGHT) b->stage = HEFT_SURVEY;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (field->refuted) field->kind = HEFT_NOMINAL;
        field->refuted = false;
        if (!field->declared) {
            heft_dict_free(field->dict);
            field->dict = NULL;
        }
        field->n_missing = field->odd_line = field->huge_line = 0;
        heft_free(field->count);
        field->count = NULL;
        field->count_room = 0;
    }
}

heft_status heft_builder_again(heft_ctx *ctx, heft_builder *b, bool *again)
{
    *again = b->discard;
    if (b->discard) restart(b);
    else if (b->sink) return heft_builder_surveyed(ctx, b, again);
    return HEFT_OK;
}

void heft_builder_clear(heft_builder *b)
{
    heft_builder_free_rows(b);
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_free(b->fields[j].name);
        heft_free(b->fields[j].count);
        heft_dict_free(b->fields[j].dict);
    }
    heft_free(b->fields);
    heft_free(b->missing);
    heft_arena_clear(&b->arena);
    memset(b, 0, sizeof *b);
}
