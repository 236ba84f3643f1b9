/* c_names.h - names of C for names of users, and C in single precision. */
#pragma once

#include "base/dict.h"
#include "base/text.h"

/* A member of a struct: letters, digits and underscores; no keyword or macro of C or C++; unlike
 * those in `taken`, to which it is added. Scratch memory. */
heft_status heft_c_member(heft_ctx *ctx, const char *text, heft_dict *taken, char **out);
/* The beginning of the names in a file: "loans_" for "dir/loans.h". Scratch memory. */
heft_status heft_c_prefix(heft_ctx *ctx, const char *path, char **out);
/* A line of C with float in place of double: types, functions, limits and constants. */
void heft_c_single(heft_buf *out, const char *line, size_t length);
