/* builder.c - the fields, and batches joined to growing columns in the order of the file. See
 * builder.h for what may be relied on. */
#include "data/builder.h"

#include <stdio.h>
#include <string.h>

#include "base/rows.h"

/* A column takes about a hundred bytes even where it holds nothing: without a limit one short line
 * of a LIBSVM file could ask for all memory. */
enum { MOST_COLUMNS = 1 << 24 };

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
    HEFT_CHECK(heft_split(ctx, &b->arena, how->missing, ',', &b->marks, &b->n_marks));
    for (size_t i = 0; i < b->n_marks; i++)
        if (heft_is_number(b, b->marks[i], strlen(b->marks[i]))) b->marks_are_numbers = true;
    return HEFT_OK;
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
    b->discard = b->weighted = false;
    if (b->phase == HEFT_SURVEY_LIGHT) b->n_handed = 0, b->phase = HEFT_SURVEY;
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
    }
    heft_free(b->fields);
    heft_free(b->missing);
    heft_arena_clear(&b->arena);
    memset(b, 0, sizeof *b);
}

/* ---- joining lanes ---- */

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
    const unsigned width = heft_code_width(heft_dict_size(field->dict));
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

/* The cells of a lane go behind those of its field. */
static heft_status append_cells(heft_ctx *ctx, const heft_builder *b, const heft_batch *batch,
                                const heft_lane *lane, const uint32_t *map)
{
    const size_t at = batch->first_row, n = batch->n_rows;
    heft_field  *field = lane->field;
    const bool   nominal = lane->what == HEFT_LANE_NOMINAL;
    if (lane->number) field->n_missing += lane->n_missing;
    if (nominal) HEFT_CHECK(widen(ctx, field, at));
    if (!lane->code && !lane->number) return HEFT_OK;
    HEFT_KNOWN(nominal ? lane->code != NULL : lane->number != NULL);
    const unsigned width = nominal ? field->width : sizeof(double);
    void *cells = heft_grown(ctx, field->cells, &field->capacity, at + n, b->n_expected, width);
    if (!cells) return HEFT_ENOMEM;
    field->cells = cells;
    if (nominal) field->n_missing += copy_codes(lane->code, n, map, cells, width, at);
    else memcpy((double *)cells + at, lane->number, n * sizeof(double));
    return HEFT_OK;
}

static heft_status join_lane(heft_ctx *ctx, const heft_builder *b, heft_batch *batch,
                             heft_lane *lane)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_field *const field = lane->field;
    const heft_fresh *fresh = lane->fresh;
    uint32_t         *map = NULL;
    if (lane->huge_line && !field->huge_line) {
        field->huge_line = lane->huge_line;
        memcpy(field->huge, lane->huge, sizeof field->huge);
    }
    if (b->discard || lane->what == HEFT_LANE_SKIP) return HEFT_OK;
    if (fresh) {
        HEFT_ALLOC(ctx, &ctx->scratch, map, heft_dict_size(fresh->dict));
        if (field->settled)
            return heft_fail(ctx, HEFT_EIO, "%s: the file changed while it was read (try again)",
                             b->name);
        /* the batch's own codes become the field's: map[own code] */
        for (uint32_t k = 0; k < heft_dict_size(fresh->dict); k++) {
            const char  *text = heft_dict_text(fresh->dict, k);
            const size_t length = heft_dict_length(fresh->dict, k);
            HEFT_CHECK(heft_dict_add(ctx, field->dict, text, length, &map[k]));
            if (field->odd_line || field->why || heft_is_number(b, text, length)) continue;
            field->odd_line = fresh->line[k];
            field->odd_code = map[k];
        }
        /* entries of sparse nominal columns hold the batch's own codes as -1 - code */
        const bool entries = b->sparse && field->role == HEFT_ROLE_ATTRIBUTE;
        for (size_t k = 0; entries && k < batch->start[batch->n_rows]; k++)
            if (batch->col[k] == lane->place && batch->val[k] < 0)
                batch->val[k] = map[(uint32_t)(-batch->val[k] - 1)];
    }
    return append_cells(ctx, b, batch, lane, map);
}

/* ---- joining batches ---- */

/* How many there will be when all is read, of what the first wave has n. */
static size_t expect_all(const heft_builder *b, size_t n)
{
    return b->phase == HEFT_GATHER && b->share > 0 ? (size_t)((double)n / b->share * 1.05) : n;
}

/* Space for the rows of the first wave and all that follow. */
static heft_status begin_sparse(heft_ctx *ctx, heft_builder *b, const heft_batch *batches, size_t n)
{
    size_t       rows = 0, entries = 0, col_capacity = 0;
    heft_sparse *r = &b->rows;
    for (size_t i = 0; i < n; i++) {
        rows += batches[i].n_rows;
        entries += batches[i].start[batches[i].n_rows];
    }
    HEFT_GROW(ctx, r->start, b->start_capacity, rows + 1, expect_all(b, rows) + 1);
    HEFT_GROW(ctx, r->col, col_capacity, entries + 1, expect_all(b, entries));
    HEFT_GROW(ctx, r->val, b->entry_capacity, entries + 1, expect_all(b, entries));
    return HEFT_OK;
}

static heft_status join_sparse(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    if (batch->n_columns > b->n_columns) b->n_columns = batch->n_columns;
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

typedef struct wave {
    heft_builder    *builder;
    heft_batch      *batches;
    size_t           n; /* of them filled */
    const heft_feed *feed;
    heft_parse_fn   *parse;
    const void      *arg;
    bool             begun; /* rows were found: what may precede them is behind */
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

heft_status heft_builder_join(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                              size_t all, bool last)
{
    wave w = {.builder = b, .batches = batches, .n = n};
    for (size_t i = 0; i < n; i++) {
        batches[i].first_row = b->n_rows;
        if (!b->latin_line) b->latin_line = batches[i].latin_line;
        b->n_rows += batches[i].n_rows;
        if (b->n_expected < b->n_rows && b->phase == HEFT_BLOCKS) b->n_expected = b->n_rows;
        for (size_t j = 0; j < b->n_fields; j++)
            if (batches[i].lanes[j].refuted) b->discard = b->fields[j].refuted = true;
    }
    const bool first = b->n_rows > 0 && batches[0].first_row == 0;
    if (b->discard) heft_builder_free_rows(b);
    /* One field is a task, unless there are many: columns of numbers reach new pages at the same
     * time, and to clear these takes long. */
    if (b->sparse) HEFT_CHECK(join_fields(ctx, &w, 0, b->n_fields)); /* entries are shared */
    else HEFT_CHECK(heft_run_blocks(ctx, b->n_fields, 1 + b->n_fields / 64, join_fields, &w));
    if (b->sparse && !b->rows.start && n && !b->discard)
        HEFT_CHECK(begin_sparse(ctx, b, batches, n));
    for (size_t i = 0; i < n && !b->discard; i++) {
        if (b->sparse) HEFT_CHECK(join_sparse(ctx, b, &batches[i]));
        HEFT_CHECK(join_weights(ctx, b, &batches[i]));
        HEFT_CHECK(join_kept(ctx, b, &batches[i]));
    }
    if (first && !b->discard && (b->phase == HEFT_GATHER || b->phase == HEFT_SURVEY)) {
        HEFT_CHECK(heft_builder_sort(ctx, b));
        for (size_t i = 0; i < n; i++) heft_batch_forget(&batches[i]);
    }
    return heft_builder_wave(ctx, b, batches, all, last);
}

/* ---- text ---- */

/* A row takes a line, a dense one a byte per cell, and an entry of a sparse one three bytes. */
static heft_status parse_one(heft_ctx *ctx, void *arg, size_t i)
{
    const wave         *w = arg;
    const heft_builder *b = w->builder;
    const heft_chunk   *chunk = &w->batches[i].chunk;
    const size_t        dense = b->n_fields ? chunk->length / b->n_fields + 1 : 1;
    const size_t        rows = b->sparse || chunk->n_lines < dense ? chunk->n_lines : dense;
    HEFT_CHECK(heft_batch_begin(ctx, &w->batches[i], b, rows, chunk->length / 3 + 1));
    HEFT_CHECK(heft_chunk_to_utf8(ctx, &w->batches[i].chunk, &w->batches[i].latin_line));
    return w->parse(ctx, &w->batches[i], w->arg);
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

static heft_status fetch_one(heft_ctx *ctx, void *arg, size_t i)
{
    const wave *w = arg;
    return heft_feed_fetch(ctx, w->feed, i, &w->batches[i].chunk);
}

/* Lines of a chunk whose first line is not known yet: far from those of any file. */
static const size_t SOME_LINE = SIZE_MAX / 2;

/* A chunk is parsed by the task that has fetched it, while its text is in the cache. */
static heft_status read_one(heft_ctx *ctx, void *arg, size_t i)
{
    const wave *w = arg;
    heft_chunk *chunk = &w->batches[i].chunk;
    HEFT_CHECK(fetch_one(ctx, arg, i));
    chunk->first_line = SOME_LINE;
    return chunk->refused ? HEFT_OK : parse_one(ctx, arg, i);
}

/* Fetches `ahead` chunks, and parses them too where *parsed says so. Where that finds an error they
 * are only fetched: the message needs the line, and a chunk before it may be refused. */
static heft_status fetch_wave(heft_ctx *ctx, wave *w, size_t ahead, bool *parsed)
{
    *parsed = w->begun;
    const heft_status st = w->begun ? heft_run(ctx, ahead, read_one, w) : HEFT_EFORMAT;
    if (st != HEFT_EFORMAT) return st;
    *parsed = false;
    ctx->err->code = HEFT_OK, ctx->err->text[0] = 0;
    return heft_run(ctx, ahead, fetch_one, w);
}

/* The next rows into up to n batches. */
static heft_status next_wave(heft_ctx *ctx, heft_feed *feed, wave *w, size_t n, bool *more)
{
    const size_t ahead = heft_feed_ahead(feed, n);
    bool         parsed = false;
    if (ahead) HEFT_CHECK(fetch_wave(ctx, w, ahead, &parsed));
    for (w->n = 0; w->n < ahead && !feed->in_turn; w->n += !feed->in_turn) {
        heft_batch *batch = &w->batches[w->n];
        HEFT_CHECK(heft_feed_fetched(ctx, feed, &batch->chunk));
        if (parsed && !feed->in_turn)
            heft_batch_move_lines(batch, batch->chunk.first_line - SOME_LINE);
    }
    while (w->n < n && *more && ahead == 0) {
        HEFT_CHECK(heft_feed_next(ctx, feed, &w->batches[w->n].chunk));
        *more = w->batches[w->n].chunk.length > 0;
        w->n += *more;
    }
    if (ahead && !feed->in_turn) *more = !feed->end;
    if (!parsed) HEFT_CHECK(heft_run(ctx, w->n, parse_one, w));
    for (size_t i = 0; i < w->n; i++) w->begun = w->begun || w->batches[i].n_rows > 0;
    return HEFT_OK;
}

heft_status heft_builder_scan(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_parse_fn *parse,
                              const void *arg)
{
    /* several per thread, so that threads seldom wait for one another; memory grows with them */
    enum { PER_THREAD = 8, MOST_BATCHES = 64 };
    heft_status  st = HEFT_OK;
    const size_t threads = (size_t)ctx->threads, many = PER_THREAD * threads;
    const size_t n = threads == 1 ? 1 : many < MOST_BATCHES ? many : MOST_BATCHES;
    wave         w = {.builder = b, .parse = parse, .arg = arg, .feed = feed};
    feed->size = chunk_size(n);
    HEFT_HEAP(ctx, w.batches, n);
    HEFT_TRY(heft_builder_open_dicts(ctx, b));
    if (b->how->keep && b->sparse)
        HEFT_TRY(heft_fail(ctx, HEFT_EUNSUPPORTED,
                           "%s: --keep does not work with sparse rows, which do not have all their "
                           "cells (leave it out)",
                           b->name));
    if (b->phase == HEFT_BLOCKS) heft_input_once(feed->in);
    for (bool more = true; more;) {
        /* the first rows of all have values that the others find known */
        HEFT_TRY(next_wave(ctx, feed, &w, w.begun ? n : 1, &more));
        heft_progress(ctx, "reading", heft_input_share(feed->in));
        b->share = heft_input_share(feed->in);
        HEFT_TRY(heft_builder_join(ctx, b, w.batches, w.n, n, !more));
        HEFT_TRY(heft_check_cancel(ctx));
    }
done:
    for (size_t i = 0; w.batches && i < n; i++) heft_batch_clear(&w.batches[i]);
    heft_free(w.batches);
    return st;
}
