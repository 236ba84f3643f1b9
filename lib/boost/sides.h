/* sides.h - the rows of a leaf go to the two sides of its split, by codes of one byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEFT_CODES_BEHIND = 3 }; /* bytes behind the codes that may be read */

typedef struct heft_byte_set { /* bit v % 32 of word v / 32: whether v is in it */
    uint32_t word[16];         /* the last eight are 0 */
} heft_byte_set;

/* Rows whose code is in the set stay in rows[0..n), the others go to other[0..n), each in their
 * order. Returns how many stay. */
size_t heft_part_rows(uint32_t *rows, size_t n, const uint8_t *code, const heft_byte_set *set,
                      uint32_t *other);
/* heft_part_rows in plain C, for tests and processors without AVX-512. */
size_t heft_part_rows_plainly(uint32_t *rows, size_t n, const uint8_t *code,
                              const heft_byte_set *set, uint32_t *other);
