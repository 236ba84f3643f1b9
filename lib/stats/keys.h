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
/* key[n_rows]: equal for rows whose cells have equal keys. */
heft_status heft_keys_rows(heft_ctx *ctx, const heft_keys *keys, uint64_t *key);
/* key[n_attr]: columns whose values the classes have equally often differ by what they come with in
 * the rows, and by how many values were declared. Columns that can change places and leave the
 * table as it is have equal keys. Dense rows. Cost: three passes over the cells. */
heft_status heft_keys_columns(heft_ctx *ctx, const heft_rows *rows, uint64_t *key);
/* order[n_rows]: the rows in an order drawn by the seed and by what they hold, classes and weights
 * included: the same order of rows, but for equal ones, wherever they stand. With it what the rows,
 * those of this process, are ordered by: the first key, the second, which parts what the first does
 * not, the weight, the class. */
heft_status heft_keys_draw(heft_ctx *ctx, const heft_rows *rows, size_t *order, uint64_t *first,
                           uint64_t *second);

/* Spreads every bit of x over all bits. */
static inline uint64_t heft_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
