/* put.h - formatted text for documents: numbers do not depend on the locale, and names and values
 * of users are made safe for where they are written. */
#pragma once

#include <stdarg.h>

#include "base/text.h"

typedef enum heft_style { HEFT_PLAIN, HEFT_MARKDOWN, HEFT_LATEX } heft_style;

/* As printf, with these conversions alone. N is a number of digits, 1 or more.
 *
 *   %s    text as it is            %Nq   text made safe for a terminal, at most N bytes
 *                                  (%0q, %.0s: it is not shown)
 *   %c    char                     %Nh   the same, escaped for HTML
 *   %z    size_t                   %j    JSON string; null for NULL
 *   %l    long                     %n    JSON number
 *   %Ng   double, N significant    %v    JSON array of numbers: const double *, size_t
 *   %Nf   double, N decimals       %k    a field of CSV, quoted where needed
 *   %%    a percent sign           %Nw   name in a document: const char *, heft_style */
void heft_put(heft_buf *out, const char *format, ...);
void heft_vput(heft_buf *out, const char *format, va_list args);
/* heft_put with marks in the format (marks.h). */
void heft_put_marked(heft_buf *out, const char *format, ...);

/* The text, terminated; "" after a failed allocation. Later writes overwrite the terminator. */
const char *heft_buf_string(heft_buf *buf);

typedef struct heft_side_text {
    heft_buf *text, *to;
} heft_side_text;

static inline void heft_side_text_end(const heft_side_text *side)
{
    side->to->failed |= side->text->failed;
    heft_buf_clear(side->text);
}

/* Declares an empty text that is written beside `out`, for instance to be escaped as a whole. The
 * end of the block frees it, and a write to it that failed counts as one of `out`. */
#define HEFT_SIDE_TEXT(name, out)                                                                  \
    heft_buf name = {0};                                                                           \
    __attribute__((cleanup(heft_side_text_end), unused))                                           \
    const heft_side_text name##_side = {&name, (out)}

/* A name as it can be shown: cut at `most` bytes, without control characters, escaped for the
 * style. */
void heft_put_name(heft_buf *out, const char *name, size_t most, heft_style style);
/* Text of users, escaped for elements and attributes of HTML; control characters and broken UTF-8
 * are shown as \xNN; cut at `most` bytes with an ellipsis. */
void heft_html_text(heft_buf *buf, const char *text, size_t most);
/* A number in at most `digits` significant digits, without trailing zeros. */
void heft_buf_short(heft_buf *buf, double x, int digits);
/* A JSON string, quoted and escaped; null for NULL. Bytes that are not UTF-8 are taken as Latin-1.
 */
void heft_buf_json(heft_buf *buf, const char *text);
/* A JSON number; null for what JSON cannot say. */
void heft_buf_json_number(heft_buf *buf, double x);
