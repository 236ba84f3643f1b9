/* merge_dicts.h - the tables of several ranks as parts of one: the same columns, the same codes. */
#pragma once

#include "data/table.h"

/* A collective call. Columns must have the same names and kinds in the same order, and dictionaries
 * become those of one table with all the rows: sorted where every rank's is, otherwise the values
 * in the order of the ranks. EINVAL, naming rank and column, where parts do not fit. The table is
 * *own, which is changed; where that is NULL it is `table`, and *own becomes a changed copy, or
 * stays NULL when nothing has to change. The caller frees *own, also on failure. */
heft_status heft_table_merge_dicts(heft_ctx *ctx, const heft_table *table, heft_table **own);

/* Gathers the rows of all ranks, in the order of the ranks, in one table on rank 0; *out is NULL on
 * the others. The tables must have merged dictionaries. */
heft_status heft_table_gather(heft_ctx *ctx, const heft_table *table, heft_table **out);
/* Bytes that the cells of a table take. */
double heft_table_bytes(const heft_table *table);
