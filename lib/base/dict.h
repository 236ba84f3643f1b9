/* dict.h - an ordered set of strings with fast look-up: the values of a nominal column, or column
 * names. Strings may hold any bytes but NUL. Reference counted, because tables made from one
 * another share them; treat a shared one as constant. */
#pragma once

#include "base/ctx.h"

typedef struct heft_dict heft_dict;

#define HEFT_DICT_NONE UINT32_MAX

heft_status heft_dict_create(heft_ctx *ctx, heft_dict **out);
heft_dict  *heft_dict_share(heft_dict *dict); /* one more owner; returns dict */
void        heft_dict_free(heft_dict *dict);  /* one owner less; NULL is fine */

size_t      heft_dict_size(const heft_dict *dict);
const char *heft_dict_text(const heft_dict *dict, uint32_t code);
size_t      heft_dict_length(const heft_dict *dict, uint32_t code);
/* Code of the string, HEFT_DICT_NONE when absent. */
uint32_t heft_dict_find(const heft_dict *dict, const char *text, size_t length);
/* Code in `dict` of the string that has code `c` in `other`. */
static inline uint32_t heft_dict_same(const heft_dict *dict, const heft_dict *other, uint32_t c)
{
    return heft_dict_find(dict, heft_dict_text(other, c), heft_dict_length(other, c));
}
/* Code of the string, added at the end when absent. */
heft_status heft_dict_add(heft_ctx *ctx, heft_dict *dict, const char *text, size_t length,
                          uint32_t *code);
bool        heft_dict_equal(const heft_dict *a, const heft_dict *b);
/* A new dictionary in sorted order (by number when all values are numbers, else by bytes), and
 * where each old code went: old_to_new[size]. */
heft_status heft_dict_sorted(heft_ctx *ctx, const heft_dict *dict, heft_dict **out,
                             uint32_t *old_to_new);

/* Whether it is in that order. */
heft_status heft_dict_is_sorted(heft_ctx *ctx, const heft_dict *dict, bool *yes);
/* One of the caller's own. */
heft_status heft_dict_copy(heft_ctx *ctx, const heft_dict *dict, heft_dict **out);

/* The dictionary that reading the parts of n dictionaries as one file would make: the same one
 * where all are equal (it is shared); sorted where all of them are; else in order of first
 * appearance. */
heft_status heft_dict_union(heft_ctx *ctx, heft_dict *const *dicts, size_t n, heft_dict **out);

enum { HEFT_MOST_CLASSES = 65000 }; /* more are refused: a class and two marks fit 16 bits */

/* EINVAL where there are more than HEFT_MOST_CLASSES; `where` is what has them. */
heft_status heft_check_classes(heft_ctx *ctx, const char *where, size_t n_class);
/* 'a', 'b', ...: the strings, as many as fit, for a message. */
void heft_dict_list(const heft_dict *dict, char *out, size_t size);
