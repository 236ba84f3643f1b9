/* builder.h - from the cells of files to a table. Private to data/.
 *
 * Three objects do it. The *schema* (schema.h) knows the columns: names, roles, kinds, marks of
 * missing values. The *source* (source.h) gives rows: chunks of text, or groups of typed rows. The
 * *sink* (sink.h) takes them: it gathers a table, surveys the file or hands out blocks. In between,
 * the rows of one chunk form a *batch* (batch.h), which one task fills by itself.
 *
 *     format ---> schema                    names, roles, kinds
 *     files ---> chunks ---> batches        parsed in parallel, one task per chunk
 *                            batches ---> sink ---> table or blocks      in the order of the file
 *
 * The schema owns names and dictionaries, the sink owns cells, and a batch owns its columns. The
 * finished table takes names and cells over and shares the dictionaries. */
#pragma once

#include "data/sink.h"

struct heft_builder {
    heft_schema     schema;
    heft_row_source source;
    heft_row_sink   sink;
};

void heft_builder_clear(heft_builder *b);
