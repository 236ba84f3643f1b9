/* utf8.h - characters of UTF-8, and text that is safe to show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes (1 to 4) of the UTF-8 character that [s, s + n) begins with; 0 when it begins with none. */
size_t heft_utf8_at(const char *s, size_t n);
bool   heft_utf8_valid(const char *text);
/* For a terminal or an error: control characters and broken UTF-8 shown as \xNN, cut at `most`
 * bytes, the ellipsis included. Writes at most `size` bytes into out, always terminated; returns
 * out. */
const char *heft_show(char *out, size_t size, const char *text, size_t length, size_t most);

/* heft_show in memory of the enclosing block, of a text or of the first `length` bytes of one. */
#define HEFT_SHOW(text, most) HEFT_SHOW_PART(text, strlen(text), most)
#define HEFT_SHOW_PART(text, length, most)                                                         \
    heft_show((char[(most) + 36]){0}, (most) + 36, (text), (length), (most))
