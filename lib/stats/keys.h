/* keys.h - keys of columns, values and rows drawn from what they hold: random draws that must
 * not depend on names, nor on the order of columns, values, classes or rows, are keyed by them.
 *
 * The key of a value is made of the weights with which each class has it, that of a column of the
 * keys of its values; numbers count up to a power of two. Equal columns have equal keys. Rows
 * repeated in place of whole weights give the same keys. */
#pragma once

#include "prep/prep.h"

typedef struct heft_keys {
    const heft_rows *rows;
    uint64_t        *column; /* n_attr */
    uint64_t       **value;  /* by attribute: n_codes + 2 keys by code; NULL for numbers */
    int             *power;  /* by attribute: of two, by which numbers are divided */
    uint64_t *class;         /* n_class */
} heft_keys;

/* Keys of columns, values and classes are those of all rows, wherever they are (base/all.h);
 * entries of sparse rows are keyed as numbers. Memory from `arena`. Cost: one pass over the cells.
 */
heft_status heft_keys_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_keys *out);
/* Gives columns, classes, and the values of a column, keys that differ. Those that had equal keys
 * are told apart by the rows they come with, as far as these differ; then values by their texts,
 * and columns and classes by their places: what is left to them takes each other's place in the
 * whole table. Column j is used[j] of `prep`; used NULL: j. Cost: two passes over the cells where
 * some keys are equal, and up to six where those of columns or classes are. */
heft_status heft_keys_part(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                           heft_keys *keys);
/* key[n_rows]: equal for rows whose cells have equal keys. */
heft_status heft_keys_rows(heft_ctx *ctx, const heft_keys *keys, uint64_t *key);
/* key[n_attr]: columns whose values the classes have equally often differ by what they come with in
 * the rows, and by how many values were declared. Columns that can change places and leave the
 * table as it is have equal keys. Dense rows. Cost: three passes over the cells. */
heft_status heft_keys_columns(heft_ctx *ctx, const heft_rows *rows, uint64_t *key);
/* order[n]: the places of keys, from the lowest. */
heft_status heft_keys_order(heft_ctx *ctx, const uint64_t *key, size_t n, size_t *order);

enum { HEFT_MOST_TURNS = 24 };

typedef struct heft_turn {           /* an order of the columns, of the classes, and of values */
    size_t *column, *class, **value; /* value: by column; NULL for numbers */
} heft_turn;

typedef struct heft_turns {
    size_t    n;
    heft_turn of[HEFT_MOST_TURNS];
} heft_turns;

/* As heft_keys_part; and in how many orders of columns and classes the table is the same, as where
 * two columns take each other's place. The first is that of the keys. Only one is given where there
 * are more than HEFT_MOST_TURNS, or many cells. Memory from `arena`. */
heft_status heft_keys_turns(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                            heft_arena *arena, heft_keys *keys, heft_turns *out);

/* Spreads every bit of x over all bits. */
static inline uint64_t heft_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
