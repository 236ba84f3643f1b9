/* text.h - numbers, quoting and growing strings, independent of the locale. */
#pragma once

#include "base/ctx.h"
#include "base/utf8.h"

/* A growing string. After a failed allocation `failed` is set and further writes do nothing, so a
 * writer checks once at the end (heft_buf_take). */
typedef struct heft_buf {
    char  *data;
    size_t length, capacity;
    bool   failed;
} heft_buf;

void heft_buf_add(heft_buf *buf, const char *text, size_t length);
void heft_buf_text(heft_buf *buf, const char *text);
/* Space for up to `length` bytes at the end, to be written in place: the caller raises
 * buf->length by what it wrote. NULL after a failed allocation. */
char *heft_buf_space(heft_buf *buf, size_t length);
/* Adds formatted text. Not for fractional numbers, whose decimal point depends on the locale. */
__attribute__((format(printf, 2, 3))) void heft_buf_printf(heft_buf *buf, const char *format, ...);
void heft_buf_double(heft_buf *buf, double x); /* shortest text that reads back */
void heft_buf_fixed(heft_buf *buf, double x, int decimals);
/* Adds one field of a CSV line, quoted if necessary. */
void heft_buf_csv(heft_buf *buf, const char *text, char delimiter);
void heft_buf_csv_cell(heft_buf *buf, const char *text, size_t n, char delimiter);
/* ARFF: quoted with single quotes and backslashes where needed. */
void heft_buf_arff(heft_buf *buf, const char *text);
void heft_buf_clear(heft_buf *buf);
/* Hands the terminated text over to the caller, or returns ENOMEM if a write failed. The buffer is
 * empty afterwards. */
heft_status heft_buf_take(heft_ctx *ctx, heft_buf *buf, char **out);

typedef enum heft_number { HEFT_NUM_OK, HEFT_NUM_NOT, HEFT_NUM_OVERFLOW } heft_number;

/* The whole span [s, end) as a decimal number: [+-]digits[.digits][e[+-]digits]; no blanks, no
 * hexadecimal, no inf or nan. Correctly rounded; underflow gives 0 or a denormal. */
heft_number heft_parse_double(const char *s, const char *end, double *out);
/* heft_parse_double with another decimal mark; a point is then not accepted. */
heft_number heft_parse_marked(char mark, const char *s, const char *end, double *out);

/* Shortest decimal text that reads back to the same double, at most 24 characters, terminated;
 * returns its length. Finite x. */
size_t heft_format_double(char out[32], double x);

/* Name and number lists such as "a,b", "29-34", "\"x,y\",z" are split by heft_split: items are
 * unquoted copies in the arena. */
heft_status heft_split(heft_ctx *ctx, heft_arena *arena, const char *text, char delimiter,
                       char ***items, size_t *n);

/* "1 row", "2 rows", "3 classes": a count before its noun, which is given in the singular. The text
 * is in `out`, which is returned; HEFT_COUNT_OF has it in memory of the enclosing block. */
enum { HEFT_COUNT_SIZE = 64 };
const char *heft_count_of(char out[HEFT_COUNT_SIZE], size_t n, const char *noun);
#define HEFT_COUNT_OF(n, noun) heft_count_of((char[HEFT_COUNT_SIZE]){0}, (n), (noun))

/* Whether two words, or a span and a word, are equal except for the case of ASCII letters. */
bool heft_same_word(const char *a, const char *b);
bool heft_span_is_word(const char *text, size_t length, const char *word);
/* Adds the character at s; a byte that is not UTF-8 is read as Latin-1. Returns the number of bytes
 * of s that the character has. */
size_t heft_buf_utf8(heft_buf *buf, const char *s, size_t n);
