/* formats.h - the readers of the formats: each fills a builder from a feed. Private to data/. */
#ifndef HEFT_DATA_FORMATS_FORMATS_H
#define HEFT_DATA_FORMATS_FORMATS_H

#include "data/builder.h"

heft_status heft_read_csv(heft_ctx *ctx, heft_builder *b, heft_feed *feed);
heft_status heft_read_arff(heft_ctx *ctx, heft_builder *b, heft_feed *feed);
heft_status heft_read_libsvm(heft_ctx *ctx, heft_builder *b, heft_feed *feed);
/* heft_source.drop, once the columns of a LIBSVM file are known. */
heft_status heft_libsvm_drop(heft_ctx *ctx, const char *name, const char *list, heft_table **table);

#endif
