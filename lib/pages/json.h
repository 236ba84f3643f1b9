/* json.h - the JSON of pages. Commas are written where they are needed, so that a writer names what
 * it writes and nothing else. Every call takes the name of a member of an object; NULL: it is an
 * element of a list, or the document.
 *
 * The text can stand in a script element: strings have no <, > or & and no control characters. A
 * number that is not finite is null. */
#pragma once

#include "base/put.h"

enum { HEFT_JSON_NAME = 200 }; /* bytes of a string that is shown as a name; longer ones are cut */

void heft_json_open(heft_buf *out, const char *name, char bracket); /* '{' or '[' */
void heft_json_close(heft_buf *out, char bracket);                  /* '}' or ']' */

void heft_json_null(heft_buf *out, const char *name);
void heft_json_flag(heft_buf *out, const char *name, bool yes);
void heft_json_size(heft_buf *out, const char *name, size_t n);
void heft_json_class(heft_buf *out, const char *name, size_t c); /* SIZE_MAX is null */
/* Six significant digits, or all of them. */
void heft_json_number(heft_buf *out, const char *name, double x);
void heft_json_exact(heft_buf *out, const char *name, double x);
/* A list of n numbers of six digits; null where `x` is NULL. */
void heft_json_numbers(heft_buf *out, const char *name, const double *x, size_t n);
void heft_json_sizes(heft_buf *out, const char *name, const size_t *x, size_t n);
/* The whole text; NULL is null. */
void heft_json_text(heft_buf *out, const char *name, const char *text);
/* A name or value of the user's, at most HEFT_JSON_NAME bytes of it. */
void heft_json_name(heft_buf *out, const char *name, const char *text);
/* A text formatted by heft_put, with marks of messages (base/marks.h) in the format. */
void heft_json_format(heft_buf *out, const char *name, const char *format, ...);

/* Several at once: words "name:type" with one argument each, as "row:z actual:c p:g". Types: b flag
 * (int), z size_t, c size_t where SIZE_MAX is null, g and n double with six and all digits, s text,
 * m name of the user's, 0 null (without an argument). A bracket opens an object or a list, with
 * "name:" before it where it has a name, or closes it: "{ at:g }". */
void heft_json_put(heft_buf *out, const char *members, ...);
