/* keys.h - 64-bit hash keys of columns, values, classes and rows, computed from their content.
 * Random draws use these keys, so that they depend neither on names nor on the order of columns,
 * values, classes or rows.
 *
 * The key of a class is made from its weight, the key of a value from the weights of the classes in
 * the rows with that value, and the key of a column from the keys of its values. Numbers are
 * divided by a power of two first, so that scaling a column by a power of two does not change its
 * key. Equal columns have equal keys. A row of weight 2 and two equal rows of weight 1 give the
 * same keys. */
#pragma once

#include "prep/prep.h"

typedef struct heft_keys {
    const heft_rows *rows;
    uint64_t        *column; /* key of each attribute */
    uint64_t       **value;  /* per attribute: keys of its n_codes + 2 codes; NULL if numeric */
    int             *power;  /* per attribute: its numbers are divided by 2^power */
    uint64_t *class;         /* key of each class */
} heft_keys;

/* Computes the keys of columns, values and classes over the rows of all processes (base/all.h). The
 * entries of sparse rows are hashed as numbers. Memory is from `arena`. Cost: one pass over the
 * cells. */
heft_status heft_keys_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_keys *out);
/* Makes all keys of columns different, and likewise those of classes and of the values of a column.
 * Equal keys are first refined by the keys of the rows in which the column, class or value occurs.
 * Keys that are still equal are distinguished by the text of the value, or by the position of the
 * column or class; exchanging two such columns usually leaves the table unchanged. Column j is
 * attribute used[j] of `prep`, or j if `used` is NULL. Cost: two passes over the cells if some keys
 * are equal, up to six if keys of columns or classes are. */
heft_status heft_keys_part(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                           heft_keys *keys);
/* Sets key[n_rows]. Rows whose cells have equal keys get equal keys. */
heft_status heft_keys_rows(heft_ctx *ctx, const heft_keys *keys, uint64_t *key);
/* Sets key[n_attr]. Columns with the same counts by class get different keys if the rest of their
 * rows or their declared numbers of values differ. Columns that can be exchanged without changing
 * the table have equal keys. Dense rows only. Cost: three passes over the cells. */
heft_status heft_keys_columns(heft_ctx *ctx, const heft_rows *rows, uint64_t *key);
/* order[n]: the indices of the keys in increasing order of the keys. */
heft_status heft_keys_order(heft_ctx *ctx, const uint64_t *key, size_t n, size_t *order);

enum { HEFT_MOST_TURNS = 24 };

typedef struct heft_turn {           /* one order of the columns, the classes and the values */
    size_t *column, *class, **value; /* value: the values of each column; NULL if numeric */
} heft_turn;

typedef struct heft_turns {
    size_t    n;
    heft_turn of[HEFT_MOST_TURNS];
} heft_turns;

/* Makes keys different like heft_keys_part, and lists all orders of columns and classes that give
 * the same table, for example after two columns are exchanged. The first order is that of the keys.
 * Only one order is given if there are more than HEFT_MOST_TURNS, or if the table has more than
 * about a million cells. Memory is from `arena`. */
heft_status heft_keys_turns(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                            heft_arena *arena, heft_keys *keys, heft_turns *out);

/* Mixes the bits of x so that every bit of x affects all bits of the result. */
static inline uint64_t heft_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
