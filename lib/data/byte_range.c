/* byte_range.c - which bytes of a file a rank reads.
 *
 * The bytes are cut into equal ranges, and a rank takes the records that begin in its range.
 * Whether a line end in the middle of a CSV file ends a record depends on all quotes before it. So
 * every rank looks at its range from each of the four states the text before it may have left
 * (below), all exchange where each state leads, and by following them from the start of the file
 * every rank knows its own. This is exact, whatever the quotes do. */
#include <string.h>

#include "base/comm.h"
#include "data/input.h"

enum { FIELD_START, IN_FIELD, IN_QUOTES, AFTER_QUOTE, STATES };

enum { PIECE = 1 << 18 };

typedef struct look { /* what a range holds if the text before it left a given state */
    uint64_t state;   /* state at the end of the range */
    uint64_t first;   /* place behind the first record end in it; UINT64_MAX: there is none */
    uint64_t line;    /* line ends up to there */
} look;

typedef struct range_view {
    look     from[STATES];
    uint64_t lines;  /* line ends in the range */
    uint64_t length; /* bytes of the text, as this rank sees it */
} range_view;

typedef struct text_rules {
    char delimiter, quote; /* as in heft_feed */
    char line_end;
} text_rules;

static unsigned next_state(const text_rules *how, unsigned state, char c)
{
    const bool blank = c == ' ' || c == '\t';
    if (how->delimiter == 0) return FIELD_START; /* every line end ends a record */
    if (state == IN_QUOTES) return c == how->quote ? AFTER_QUOTE : IN_QUOTES;
    if (c == how->quote) return state == AFTER_QUOTE || state == FIELD_START ? IN_QUOTES : IN_FIELD;
    if (c == how->line_end || c == how->delimiter || (blank && how->delimiter == ' '))
        return FIELD_START;
    return state == FIELD_START && blank ? FIELD_START : IN_FIELD;
}

/* Passes over text without a quote: inside quotes the state stays, elsewhere only the end of the
 * text matters. Returns the new state, and in *end the place of the first line end, n where there
 * is none. */
static unsigned pass_plain(const text_rules *how, unsigned state, const char *p, size_t n,
                           size_t *end)
{
    *end = n;
    if (n == 0) return state;
    if (state == IN_QUOTES && how->delimiter) return state;
    const char *newline = memchr(p, how->line_end, n);
    if (newline) *end = (size_t)(newline - p);
    size_t back = n; /* place behind the last character that is no blank */
    while (back > 0 && (p[back - 1] == ' ' || p[back - 1] == '\t') &&
           p[back - 1] != how->delimiter && how->delimiter != ' ')
        back--;
    if (back == 0) return next_state(how, state, p[n - 1]);
    state = next_state(how, IN_FIELD, p[back - 1]);
    return back < n ? next_state(how, state, p[n - 1]) : state;
}

/* The piece [p, p + n) that begins at `place`, before which there were `lines` line ends. */
static void look_on(const text_rules *how, look *l, const char *p, size_t n, size_t place,
                    size_t lines)
{
    for (size_t i = 0; i < n;) {
        const char  *quote = how->delimiter ? memchr(p + i, how->quote, n - i) : NULL;
        const size_t plain = quote ? (size_t)(quote - p) - i : n - i;
        size_t       end;
        l->state = pass_plain(how, (unsigned)l->state, p + i, plain, &end);
        if (end < plain && l->first == UINT64_MAX) {
            l->first = place + i + end + 1;
            l->line = lines + heft_count_lines(p, i + end + 1, how->line_end);
        }
        i += plain;
        if (quote) l->state = next_state(how, (unsigned)l->state, p[i++]);
    }
}

static heft_status look_at(heft_ctx *ctx, const heft_feed *feed, size_t lo, size_t hi,
                           range_view *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const text_rules how = {feed->delimiter, feed->quote, feed->old_mac ? '\r' : '\n'};
    char            *piece;
    size_t           got = 1;
    memset(out, 0, sizeof *out);
    for (unsigned s = 0; s < STATES; s++) out->from[s] = (look){s, UINT64_MAX, 0};
    HEFT_ALLOC(ctx, &ctx->scratch, piece, PIECE);
    HEFT_CHECK(heft_input_seek(ctx, feed->in, lo));
    for (; lo < hi && got; lo += got) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(heft_input_read(ctx, feed->in, piece, hi - lo < PIECE ? hi - lo : PIECE, &got));
        for (unsigned s = 0; s < STATES; s++)
            look_on(&how, &out->from[s], piece, got, lo, out->lines);
        out->lines += heft_count_lines(piece, got, how.line_end);
    }
    return HEFT_OK;
}

/* Find where the records of rank `rank` begin, from the views of all, and in which line. A range
 * without a record end begins none: what is in it belongs to a rank before. */
static size_t range_start(const range_view *view, size_t size, size_t rank, const heft_feed *text,
                          size_t *line)
{
    uint64_t state = FIELD_START, lines = text->from_line;
    for (size_t r = 0; r < size; r++) {
        const look *l = &view[r].from[state];
        *line = (size_t)lines;
        if (rank == 0) return text->from;
        *line = (size_t)(lines + l->line);
        if (r > 0 && r >= rank && l->first != UINT64_MAX) return (size_t)l->first;
        lines += view[r].lines;
        state = l->state;
    }
    return text->to;
}

heft_status heft_feed_byte_range(heft_ctx *ctx, heft_feed *feed, size_t from, size_t line)
{
    const size_t              rank = heft_comm_rank(ctx), size = heft_n_ranks(ctx);
    size_t                    length;
    range_view                mine;
    HEFT_LOCAL(heft_gathered) all = {0};
    feed->limited = false;
    HEFT_CHECK(heft_input_length(ctx, feed->in, &length));
    if (from > length) from = length;
    const size_t each = (length - from) / size;
    const size_t lo = from + each * rank, hi = rank + 1 < size ? lo + each : length;
    HEFT_CHECK(look_at(ctx, feed, lo, hi, &mine));
    mine.length = length;
    HEFT_CHECK(heft_all_gather(ctx, &mine, sizeof mine, &all));
    const range_view *views = (const range_view *)(const void *)all.bytes;
    for (size_t r = 1; r < size; r++)
        if (views[r].length != views[0].length)
            return heft_fail(ctx, HEFT_EIO,
                             "%s: rank 0 sees %zu bytes and rank %zu sees %zu (did the file "
                             "change while it was read? All ranks need the same file)",
                             heft_input_name(feed->in), (size_t)views[0].length, r,
                             (size_t)views[r].length);
    const heft_feed text = {.from = from, .to = length, .from_line = line};
    size_t          unused;
    feed->from = range_start(views, size, rank, &text, &feed->from_line);
    feed->to = range_start(views, size, rank + 1, &text, &unused);
    feed->limited = true;
    return heft_feed_restart(ctx, feed);
}
