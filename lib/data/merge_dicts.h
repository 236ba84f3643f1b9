/* merge_dicts.h - the tables of several ranks as parts of one: the same columns, the same codes. */
#pragma once

#include "data/table.h"

/* A collective call. Columns must have the same names and kinds in the same order, and dictionaries
 * become those of one table with all the rows: sorted where every rank's is, otherwise the values
 * in the order of the ranks. EINVAL, naming rank and column, where parts do not fit. */
heft_status heft_table_merge_dicts(heft_ctx *ctx, heft_table *table);
/* The same for a table that stays as it is: *merged is NULL when nothing has to change, else a
 * table to use in its place. */
heft_status heft_table_with_merged_dicts(heft_ctx *ctx, const heft_table *table,
                                         heft_table **merged);

/* The rows of all ranks, in the order of the ranks, in one table on rank 0; *out is
 * NULL on the others. The tables must have merged dictionaries. */
heft_status heft_table_gather(heft_ctx *ctx, const heft_table *table, heft_table **out);
/* Bytes of the cells. */
double heft_table_bytes(const heft_table *table);
