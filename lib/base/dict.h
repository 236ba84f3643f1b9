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
HEFT_OWNED(heft_dict, heft_dict_free)

size_t      heft_dict_size(const heft_dict *dict);
const char *heft_dict_text(const heft_dict *dict, uint32_t code);
size_t      heft_dict_length(const heft_dict *dict, uint32_t code);
/* Code of the string, or HEFT_DICT_NONE if it is absent. */
uint32_t heft_dict_find(const heft_dict *dict, const char *text, size_t length);
/* Code in `dict` of the string that has code `c` in `other`. */
static inline uint32_t heft_dict_same(const heft_dict *dict, const heft_dict *other, uint32_t c)
{
    return heft_dict_find(dict, heft_dict_text(other, c), heft_dict_length(other, c));
}
/* *code = the code of the string, which is added at the end if it is absent. */
heft_status heft_dict_add(heft_ctx *ctx, heft_dict *dict, const char *text, size_t length,
                          uint32_t *code);
bool        heft_dict_equal(const heft_dict *a, const heft_dict *b);
/* Makes a new dictionary in sorted order: by number if all values are numbers, otherwise by bytes.
 * old_to_new[size] receives the new code of each old code. */
heft_status heft_dict_sorted(heft_ctx *ctx, const heft_dict *dict, heft_dict **out,
                             uint32_t *old_to_new);

/* order[n] = the codes below n in the order of the bytes of their strings. */
heft_status heft_dict_order(heft_ctx *ctx, const heft_dict *dict, size_t n, size_t *order);
/* *yes = whether the dictionary is in the order of heft_dict_sorted. */
heft_status heft_dict_is_sorted(heft_ctx *ctx, const heft_dict *dict, bool *yes);
/* Makes a copy with the caller as its only owner. */
heft_status heft_dict_copy(heft_ctx *ctx, const heft_dict *dict, heft_dict **out);

/* The union of n dictionaries of consecutive portions of a file, equal to the dictionary of the
 * whole file. If all are equal it is the first one, with one more owner; if all are sorted it is
 * sorted; otherwise strings are in the order of their first appearance. */
heft_status heft_dict_union(heft_ctx *ctx, heft_dict *const *dicts, size_t n, heft_dict **out);

enum { HEFT_MOST_CLASSES = 65000 }; /* more are refused: a class and two marks fit 16 bits */

/* Returns EINVAL if n_class is above HEFT_MOST_CLASSES; `where` names the data in the message. */
heft_status heft_check_classes(heft_ctx *ctx, const char *where, size_t n_class);
/* Lists the strings for a message as 'a', 'b', ..., as many as fit into `size` bytes. */
void heft_dict_list(const heft_dict *dict, char *out, size_t size);
