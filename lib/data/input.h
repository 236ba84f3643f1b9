/* input.h - the bytes of a file, unpacked on the way, and its text in chunks of whole records.
 * Private to the readers. */
#pragma once

#include "base/array.h"

typedef enum heft_packing { HEFT_UNPACKED, HEFT_GZIP, HEFT_ZSTD } heft_packing;

/* ---- a file ---- */

typedef struct heft_input heft_input;

/* "-" is standard input. What cannot be read twice (a pipe) is kept in memory, as packed as it
 * came, so that heft_input_rewind always works. With several ranks rank 0 reads it and the others
 * get a copy. */
heft_status heft_input_open(heft_ctx *ctx, const char *path, heft_input **out);
void        heft_input_close(heft_input *in);
HEFT_OWNED(heft_input, heft_input_close)
/* Sets the most bytes that a packed file may unpack to. The default, 0, allows 64 MiB, or 100 times
 * the packed bytes read where that is more. */
void heft_input_limit(heft_input *in, size_t unpacked);
/* Reads n bytes of text, fewer only at the end. */
heft_status heft_input_read(heft_ctx *ctx, heft_input *in, char *to, size_t n, size_t *got);
void        heft_input_passed(heft_input *in, size_t place); /* for heft_input_done */
heft_status heft_input_rewind(heft_ctx *ctx, heft_input *in);
/* The next byte read is number `place` of the text. Cost: nothing for a plain file; a packed one is
 * unpacked up to there. */
heft_status heft_input_seek(heft_ctx *ctx, heft_input *in, size_t place);
/* Whether bytes can be read from any place: of a plain file, not of a pipe. Then this reads n bytes
 * from byte `place` on, fewer only at the end, and leaves the next byte of heft_input_read where it
 * was. Several threads may call it at once. */
bool        heft_input_anywhere(const heft_input *in);
heft_status heft_input_read_at(heft_ctx *ctx, const heft_input *in, size_t place, void *to,
                               size_t n, size_t *got);
/* Finds the bytes of the text, for which a packed file or a pipe is read through. Rewinds. */
heft_status heft_input_length(heft_ctx *ctx, heft_input *in, size_t *length);
/* Fails with EIO if the file was written to since it was opened. */
heft_status heft_input_unchanged(heft_ctx *ctx, const heft_input *in);
/* Promises that no rewind will follow: a pipe need not be kept from here on. */
void         heft_input_once(heft_input *in);
const char  *heft_input_name(const heft_input *in); /* for messages: safe to print */
heft_packing heft_input_packing(const heft_input *in);
size_t       heft_input_size(const heft_input *in); /* bytes of the text; 0 where unknown */
double       heft_input_done(const heft_input *in); /* fraction read so far; 0 where unknown */

/* ---- file_kind.c: what a file is by its first bytes ---- */

enum { HEFT_LOOK = 16 * 1024 }; /* bytes that are looked at */

heft_packing heft_packing_of(const char *head, size_t n);
/* Whether the first bytes hold no control characters besides blanks and line ends. */
bool heft_is_plain_text(const char *p, size_t n);
/* Whether a text begins like a file of a known kind that is not text, such as PDF. */
bool heft_begins_like_binary(const char *text);
/* Refuses what is not text; the message says what the file most likely is. */
heft_status heft_refuse_binary(heft_ctx *ctx, const char *name, const char *p, size_t n);
/* Whether the n bytes look like JSON: {"name": or [{"name":, and a first line that ends as lines of
 * JSON do. A table without a header may have an object in its first cell, but then another cell
 * follows in that line. */
bool heft_is_json(const char *p, size_t n);

/* Give zlib heft's memory, which has a limit and can be made to fail by tests. */
void *heft_zlib_alloc(void *user, unsigned n, unsigned size);
void  heft_zlib_free(void *user, void *p);

/* ---- chunks ---- */

/* Text of whole records: it ends with a line end and is followed by HEFT_CHUNK_PAD readable bytes
 * of 0; there are HEFT_CHUNK_FRONT readable bytes before it. It holds no NUL. */
typedef struct heft_chunk {
    char  *text; /* begins in `space` */
    size_t length;
    size_t first_line, n_lines; /* lines are counted from 1 */
    bool   ascii;
    bool   refused;     /* heft_feed_fetch cannot read it by itself */
    size_t start, stop; /* bytes of the file: where a fetched chunk may begin, where it ends */
    char  *space;
    size_t capacity;
} heft_chunk;

enum { HEFT_CHUNK_FRONT = 8, HEFT_CHUNK_PAD = 32, HEFT_ANY_DELIMITER = 1 };

/* Blanks between and around the cells of a line. */
static inline bool heft_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the text of an input into chunks of about `size` bytes. With a delimiter a quoted CSV field
 * may hold line ends; without one (0) every line end ends a record. HEFT_ANY_DELIMITER is for a
 * file whose delimiter is not known yet. */
typedef struct heft_feed {
    heft_input *in;
    size_t      size;
    size_t      longest;   /* most bytes of a record */
    char        delimiter; /* between fields; ' ' stands for runs of blanks and tabs */
    char        quote;     /* the mark around quoted fields, where there is a delimiter */
    bool        old_mac;   /* lines end with CR alone */
    size_t      skip;      /* lines to leave out at the start; set before heft_feed_head */
    bool        in_turn;   /* chunks cannot be fetched: read them one after the other */
    bool        end;       /* the input is used up */
    size_t      line;      /* line of the next chunk */
    size_t      place;     /* bytes of the text before the next chunk */
    bool        limited;   /* only bytes from..to-1 are handed out; `from` is in line from_line */
    size_t      from, to, from_line;
    char       *rest; /* read, not yet handed out */
    size_t      n_rest, rest_capacity;
} heft_feed;

void heft_feed_init(heft_feed *feed, heft_input *in);
/* Begins again at the first byte of the input, or of the range; a byte order mark is skipped. */
heft_status heft_feed_restart(heft_ctx *ctx, heft_feed *feed);
/* From the next restart on the feed begins at byte `from`, which is in line `line`. */
void heft_feed_start_at(heft_feed *feed, size_t from, size_t line);
enum { HEFT_SHORT_LINES = 1 << 16 }; /* `longest` of a small file of numbers and names */
/* Reads the next chunk; an empty one at the end. */
heft_status heft_feed_next(heft_ctx *ctx, heft_feed *feed, heft_chunk *chunk);

/* Gets a chunk of the file `name`, as messages show it; the last one is empty. */
typedef heft_status heft_chunk_fn(heft_ctx *ctx, void *arg, const char *name, heft_chunk *chunk);
/* Read all chunks of a small file whose lines are short; delimiter as in heft_feed. */
heft_status heft_feed_file(heft_ctx *ctx, const char *path, char delimiter, heft_chunk_fn *fn,
                           void *arg);
/* Chunks that several tasks read at the same time, of a plain file whose records end where lines
 * do. How many there are from here on; 0: use heft_feed_next. Chunk k of them may start at byte
 * first + k * size, where `first` is the present place. heft_feed_fetch reads them in any order,
 * beside heft_feed_fetched; some of them may be empty. */
size_t      heft_feed_ahead(const heft_feed *feed);
heft_status heft_feed_fetch(heft_ctx *ctx, const heft_feed *feed, size_t first, heft_chunk *chunk);
/* The next of these chunks, in order. One that is refused, as it may have quotes, is to be read by
 * heft_feed_next, and so is all that follows. */
heft_status heft_feed_fetched(heft_ctx *ctx, heft_feed *feed, heft_chunk *chunk);
/* The first records of the input: at least `bytes` bytes and two records, where there are as many.
 * Leaves the feed at the start, sets `old_mac`, and refuses what is not text. */
heft_status heft_feed_head(heft_ctx *ctx, heft_feed *feed, size_t bytes, heft_chunk *head);
void        heft_chunk_clear(heft_chunk *chunk);
void        heft_feed_clear(heft_feed *feed);
/* Counts the line ends in a text. */
size_t heft_count_lines(const char *text, size_t length, char line_end);
/* byte_range.c. A collective call: limits the feed to this rank's range of whole records, of those
 * that begin at byte `from`, in line `line`, or behind it. The ranges follow one another and have
 * about the same length. Cost: each rank looks at the bytes of its range once. Restarts the feed.
 */
heft_status heft_feed_byte_range(heft_ctx *ctx, heft_feed *feed, size_t from, size_t line);

/* Bytes that a chunk should have. Only speed and memory depend on it; tests set it small. */
extern size_t heft_chunk_bytes;
