/* scan_text.c - the text of a file to rows: chunks are parsed by several tasks at once, and joined
 * in the order of the file.
 *
 * Where records end where lines do, any chunk can be read by itself, and its lines are numbered
 * when it is joined. Else a chunk begins where the one before it ends. That also finds the line of
 * an error, and what is wrong with a chunk that was refused.
 *
 * When the lines of a chunk are counted, it is known where the rows of the next one go if every
 * line before them is a row; its numbers are put there at once, as long as the columns have space.
 * Where some lines were no rows, the join moves them. */
#include <stdatomic.h>

#include "base/rows.h"
#include "data/builder.h"

/* Lines of a chunk whose first line is not known yet: far from those of any file. */
static const size_t SOME_LINE = SIZE_MAX / 2;

typedef struct scan {
    heft_builder  *builder;
    heft_batch    *batches; /* one per slot */
    size_t         n_slots;
    heft_feed     *feed;
    heft_parse_fn *parse;
    const void    *arg;
    bool           begun;   /* rows were found: what may precede them is behind */
    bool           ahead;   /* chunks are fetched by their place in the file; */
    size_t         first;   /* the first of them begins here */
    size_t         n_taken; /* chunks of this run */
    size_t         limit;
    bool           used_up;   /* there are no more */
    size_t         room;      /* rows that fit the columns of numbers, as this run begins */
    atomic_size_t *first_row; /* of chunk i, at i % (n_slots + 1): see await_row */
} scan;

/* A row takes a line, a dense one a byte per cell. */
static size_t most_rows(const heft_builder *b, const heft_chunk *chunk)
{
    const size_t dense = b->n_fields ? chunk->length / b->n_fields + 1 : 1;
    return b->sparse || chunk->n_lines < dense ? chunk->n_lines : dense;
}

/* How many rows fit all columns of numbers, whose batches are like this one. */
static size_t room_of(const heft_builder *b, const heft_batch *batch)
{
    size_t room = SIZE_MAX;
    if (!batch->columns || b->discard) return 0;
    for (size_t j = 0; j < b->n_fields; j++) {
        const heft_field *field = &b->fields[j];
        const size_t      fits = field->cells ? field->capacity : 0;
        if (batch->columns[j].width == sizeof(double) && fits < room) room = fits;
    }
    return room;
}

/* First rows that are no rows: the chunk before has not been counted; nobody waits for it any more;
 * there is no place for the chunk. */
static const size_t UNKNOWN = SIZE_MAX - 2, GIVEN_UP = SIZE_MAX - 1, NOWHERE = SIZE_MAX;

/* The first row of a chunk if each line before it is a row. The chunk before was taken earlier and
 * is counted soon, unless its thread has to wait for a processor. */
static size_t await_row(scan *s, size_t chunk)
{
    enum { LOOKS = 2000 };
    atomic_size_t *at = &s->first_row[chunk % (s->n_slots + 1)];
    size_t         row = atomic_load(at);
    for (int i = 0; i < LOOKS && row == UNKNOWN; i++) {
        heft_pause();
        row = atomic_load(at);
    }
    if (row == UNKNOWN && atomic_compare_exchange_strong(at, &row, GIVEN_UP)) return NOWHERE;
    atomic_store(at, UNKNOWN); /* for a later chunk */
    return row;
}

static void tell_row(scan *s, size_t chunk, size_t row)
{
    atomic_size_t *at = &s->first_row[chunk % (s->n_slots + 1)];
    if (atomic_exchange(at, row) == GIVEN_UP) atomic_store(at, UNKNOWN);
}

/* Where the rows of a chunk go. What columns have space for does not change before a chunk that has
 * no place is joined, and then none behind it has one. */
static void place_chunk(scan *s, heft_batch *batch)
{
    const size_t rows = most_rows(s->builder, &batch->chunk), row = await_row(s, batch->number);
    batch->first_row = row;
    batch->placed = row <= s->room && rows <= s->room - row;
    tell_row(s, batch->number + 1, batch->placed && !batch->chunk.refused ? row + rows : NOWHERE);
}

/* An entry of a sparse row takes three bytes. */
static heft_status parse_chunk(heft_ctx *ctx, const scan *s, heft_batch *batch)
{
    const heft_builder *b = s->builder;
    const heft_chunk   *chunk = &batch->chunk;
    HEFT_CHECK(heft_batch_begin(ctx, batch, b, most_rows(b, chunk), chunk->length / 3 + 1));
    if (s->n_slots == 1) HEFT_CHECK(heft_batch_in_place(ctx, batch));
    else if (batch->placed) heft_batch_put_at(batch, batch->first_row);
    HEFT_CHECK(heft_chunk_to_utf8(ctx, &batch->chunk, &batch->latin_line));
    return s->parse(ctx, batch, s->arg);
}

static heft_status take_chunk(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    scan       *s = arg;
    heft_batch *batch = &s->batches[slot];
    *more = s->n_taken < s->limit;
    if (!*more) return HEFT_OK;
    batch->number = s->n_taken++;
    if (s->ahead) return HEFT_OK;
    HEFT_CHECK(heft_feed_next(ctx, s->feed, &batch->chunk));
    batch->share = heft_input_share(s->feed->in);
    *more = batch->chunk.length > 0;
    s->used_up = !*more;
    place_chunk(s, batch);
    return HEFT_OK;
}

static heft_status read_chunk(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    scan       *s = arg;
    heft_batch *batch = &s->batches[slot];
    heft_chunk *chunk = &batch->chunk;
    (void)more;
    if (!s->ahead) return parse_chunk(ctx, s, batch);
    chunk->start = s->first + batch->number * s->feed->size;
    HEFT_CHECK(heft_feed_fetch(ctx, s->feed, s->first, chunk));
    place_chunk(s, batch);
    if (chunk->refused) return HEFT_OK;
    chunk->first_line = s->begun ? SOME_LINE : s->feed->line; /* the only task then */
    const heft_status st = parse_chunk(ctx, s, batch);
    if (st != HEFT_EFORMAT || !s->begun) return st;
    ctx->err->code = HEFT_OK, ctx->err->text[0] = 0;
    chunk->refused = true; /* the message needs the line */
    return HEFT_OK;
}

/* Whether so many new values wait to join a dictionary that the tasks should wait for them. */
static bool many_wait(const scan *s, const heft_batch *batch)
{
    for (size_t j = 0; j < s->builder->n_fields; j++) {
        const heft_field *field = &s->builder->fields[j];
        const size_t      most = s->n_slots == 1 ? 0 : 64 + heft_dict_size(field->dict);
        if (batch->columns[j].fresh && heft_dict_size(field->later) > most) return true;
    }
    return false;
}

static heft_status join_chunk(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    scan         *s = arg;
    heft_builder *b = s->builder;
    heft_batch   *batch = &s->batches[slot];
    heft_chunk   *chunk = &batch->chunk;
    if (s->ahead) {
        if (!s->feed->in_turn) HEFT_CHECK(heft_feed_fetched(ctx, s->feed, chunk));
        *more = !s->feed->in_turn; /* it was refused, or one before it was */
        if (!*more) return HEFT_OK;
        if (s->begun) heft_batch_move_lines(batch, chunk->first_line - SOME_LINE);
        batch->share = heft_input_share(s->feed->in);
    }
    b->share = batch->share;
    heft_progress(ctx, "reading", b->share);
    HEFT_CHECK(heft_builder_join_columns(ctx, b, batch, NULL, NULL));
    HEFT_CHECK(heft_builder_join_rows(ctx, b, batch));
    *more = !heft_builder_is_full(b) && !many_wait(s, batch);
    return heft_check_cancel(ctx);
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

/* Rows of a run of several threads. Before it begins, the memory for its numbers is made ready. */
enum { RUN_ROWS = 1 << 18 };

static heft_status touch_column(heft_ctx *ctx, void *arg, size_t j)
{
    const heft_builder *b = arg;
    const heft_field   *field = &b->fields[j];
    const size_t        to = b->n_rows + 2 * (size_t)RUN_ROWS; /* a page begins in this run */
    (void)ctx;
    if (field->kind == HEFT_NUMERIC && field->cells && !b->sparse)
        heft_touch(field->cells, b->n_rows * sizeof(double),
                   (to < field->capacity ? to : field->capacity) * sizeof(double));
    return HEFT_OK;
}

/* How many chunks the next run takes, of those that are left. */
static heft_status next_run(heft_ctx *ctx, heft_builder *b, size_t left, size_t *n_chunks)
{
    *n_chunks = left;
    if (ctx->threads == 1 || b->n_expected < b->n_rows + RUN_ROWS) return HEFT_OK;
    *n_chunks = 1 + (size_t)((double)left * RUN_ROWS / (double)(b->n_expected - b->n_rows));
    return heft_run(ctx, b->n_fields, touch_column, b);
}

heft_status heft_builder_scan(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_parse_fn *parse,
                              const void *arg)
{
    /* two per thread, so that a thread seldom waits for others to join what they have */
    heft_status  st = HEFT_OK;
    const size_t threads = (size_t)ctx->threads, n = threads == 1 ? 1 : 2 * threads;
    heft_chain   chain = {take_chunk, read_chunk, join_chunk, 1};
    scan         s = {.builder = b, .parse = parse, .arg = arg, .feed = feed, .n_slots = n};
    feed->size = chunk_size(n);
    HEFT_HEAP(ctx, s.batches, n);
    HEFT_HEAP(ctx, s.first_row, n + 1);
    HEFT_TRY(heft_builder_open_dicts(ctx, b));
    if (b->how->keep && b->sparse)
        HEFT_TRY(heft_fail(ctx, HEFT_EUNSUPPORTED,
                           "%s: --keep does not work with sparse rows, which do not have all their "
                           "cells (leave it out)",
                           b->name));
    if (b->phase == HEFT_BLOCKS) heft_input_once(feed->in);
    for (bool more = true; more;) {
        const size_t ahead = heft_feed_ahead(feed), before = b->n_rows;
        s.ahead = ahead > 0;
        s.first = feed->place;
        s.n_taken = 0;
        s.room = room_of(b, s.batches);
        for (size_t i = 0; i <= n; i++) atomic_init(&s.first_row[i], i ? UNKNOWN : before);
        /* the first chunk alone, so that the others find its values known */
        chain.n_slots = s.begun ? n : 1;
        s.limit = s.begun ? SIZE_MAX : 1;
        if (s.begun && s.ahead) HEFT_TRY(next_run(ctx, b, ahead, &s.limit));
        HEFT_TRY(heft_run_chain(ctx, &chain, &s));
        more = s.ahead ? feed->in_turn || !feed->end : !s.used_up;
        s.begun = s.begun || b->n_rows > before;
        HEFT_TRY(heft_builder_joined(ctx, b, s.batches, n, !more));
    }
done:
    for (size_t i = 0; s.batches && i < n; i++) heft_batch_clear(&s.batches[i]);
    heft_free(s.batches);
    heft_free(s.first_row);
    return st;
}
