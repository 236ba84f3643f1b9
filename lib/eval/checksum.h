/* checksum.h - checksums by which an evaluation that goes on recognises the results of an earlier
 * run. They need not withstand an attacker, only accidents. */
#pragma once

#include "data/table.h"
#include "eval/results.h"

/* Add a word to a checksum: multiply and mix, so that each of its bits affects all bits of the sum.
 */
uint64_t heft_sum_word(uint64_t sum, uint64_t word);
uint64_t heft_sum_bytes(uint64_t sum, const void *data, size_t length);
/* Add a text; NULL differs from every text. */
uint64_t heft_sum_text(uint64_t sum, const char *text);
uint64_t heft_sum_number(uint64_t sum, double x);

/* Returns a checksum of everything in the table that an evaluation could depend on. */
uint64_t heft_table_sum(const heft_table *table);
/* Returns a checksum of all figures of a cell and of its key. */
uint64_t heft_cell_sum(const heft_cell *cell, const char *key);
