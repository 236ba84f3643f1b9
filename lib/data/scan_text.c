/* scan_text.c - the text of a file to rows: chunks are parsed by several tasks at once, and joined
 * in the order of the file.
 *
 * Where records end where lines do, any chunk can be read by itself, and its lines are numbered
 * when it is joined. Else a chunk begins where the one before it ends. That also finds the line of
 * an error, and what is wrong with a chunk that was refused. */
#include "base/rows.h"
#include "data/batch.h"

/* Stands for the first line of a chunk while it is not known: far from the lines of any file. */
static const size_t SOME_LINE = SIZE_MAX / 2;

typedef struct scan {
    heft_builder  *builder;
    heft_batch    *batches; /* one per slot */
    size_t         n_slots;
    heft_feed     *feed;
    heft_parse_fn *parse;
    const void    *arg;
    bool           begun;   /* rows were found: no header can follow */
    bool           ahead;   /* chunks are fetched by their place in the file */
    size_t         first;   /* place where the first of these begins */
    size_t         n_taken; /* chunks of this run */
    size_t         limit;   /* most chunks of this run */
    bool           used_up; /* there are no more chunks */
} scan;

/* Most rows that a chunk can hold: a row takes a line, and a dense one a byte per cell. */
static size_t most_rows(const heft_builder *b, const heft_chunk *chunk)
{
    const size_t dense = b->schema.n_fields ? chunk->length / b->schema.n_fields + 1 : 1;
    return b->schema.sparse || chunk->n_lines < dense ? chunk->n_lines : dense;
}

/* Parses the text of a chunk. An entry of a sparse row takes three bytes at least. */
static heft_status parse_chunk(heft_ctx *ctx, const scan *s, heft_batch *batch)
{
    const heft_builder *b = s->builder;
    const heft_chunk   *chunk = &batch->chunk;
    HEFT_CHECK(heft_batch_begin(ctx, batch, b, most_rows(b, chunk), chunk->length / 3 + 1));
    if (s->n_slots == 1) HEFT_CHECK(heft_batch_in_place(ctx, batch));
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
    batch->done = heft_input_done(s->feed->in);
    *more = batch->chunk.length > 0;
    s->used_up = !*more;
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
    if (chunk->refused) return HEFT_OK;
    chunk->first_line = s->begun ? SOME_LINE : s->feed->line; /* then no other task is running */
    const heft_status st = parse_chunk(ctx, s, batch);
    if (st != HEFT_EFORMAT || !s->begun) return st;
    ctx->err->code = HEFT_OK, ctx->err->text[0] = 0;
    chunk->refused = true; /* read again in turn, so that the message has the line */
    return HEFT_OK;
}

/* Whether so many new values wait to join a dictionary that the tasks should wait for them. */
static bool many_wait(const scan *s, const heft_batch *batch)
{
    for (size_t j = 0; j < s->builder->schema.n_fields; j++) {
        const heft_field *field = &s->builder->schema.fields[j];
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
        *more = !s->feed->in_turn; /* this chunk or one before it was refused */
        if (!*more) return HEFT_OK;
        if (s->begun) heft_batch_move_lines(batch, chunk->first_line - SOME_LINE);
        batch->done = heft_input_done(s->feed->in);
    }
    b->source.done = batch->done;
    heft_progress(ctx, "reading", b->source.done);
    HEFT_CHECK(heft_sink_join_columns(ctx, b, batch, NULL, NULL));
    HEFT_CHECK(heft_sink_join_rows(ctx, b, batch));
    *more = !heft_sink_is_full(b) && !many_wait(s, batch);
    return heft_check_cancel(ctx);
}

/* Batches hold their text and, several times as large, their cells: under a limit on memory all of
 * them together take about a quarter of it. */
static size_t chunk_size(size_t n_batches)
{
    enum {
        A_BATCH = 6,
        LEAST = 32 * 1024
    }; /* a batch takes about A_BATCH bytes per byte of text */
    const size_t limit = heft_memory_limit(), fits = limit / 4 / (A_BATCH * n_batches);
    if (limit == 0 || fits >= heft_chunk_bytes) return heft_chunk_bytes;
    return fits > LEAST || heft_chunk_bytes < LEAST ? fits : LEAST;
}

heft_status heft_scan_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_parse_fn *parse,
                           const void *arg)
{
    /* two per thread, so that a thread seldom waits for others to join what they have */
    heft_status  st = HEFT_OK;
    const size_t threads = (size_t)ctx->threads, n = threads == 1 ? 1 : 2 * threads;
    heft_chain   chain = {take_chunk, read_chunk, join_chunk, 1};
    scan         s = {.builder = b, .parse = parse, .arg = arg, .feed = feed, .n_slots = n};
    feed->size = chunk_size(n);
    HEFT_HEAP(ctx, s.batches, n);
    HEFT_TRY(heft_sink_open(ctx, b));
    if (b->schema.how->keep && b->schema.sparse)
        HEFT_TRY(heft_fail(ctx, HEFT_EUNSUPPORTED,
                           "%s: {keep} does not work with sparse rows, which do not have all their "
                           "cells (leave it out)",
                           b->schema.name));
    if (b->sink.phase == HEFT_BLOCKS) heft_input_once(feed->in);
    for (bool more = true; more;) {
        const size_t ahead = heft_feed_ahead(feed), before = b->sink.n_rows;
        s.ahead = ahead > 0;
        s.first = feed->place;
        s.n_taken = 0;
        /* the first chunk alone, so that the others find its values known */
        chain.n_slots = s.begun ? n : 1;
        s.limit = s.begun ? SIZE_MAX : 1;
        if (s.begun && s.ahead) s.limit = ahead;
        HEFT_TRY(heft_run_chain(ctx, &chain, &s));
        more = s.ahead ? feed->in_turn || !feed->end : !s.used_up;
        s.begun = s.begun || b->sink.n_rows > before;
        HEFT_TRY(heft_sink_joined(ctx, b, s.batches, n, !more));
    }
done:
    if (s.batches)
        for (size_t i = 0; i < n; i++) heft_batch_clear(&s.batches[i]);
    heft_free(s.batches);
    return st;
}
