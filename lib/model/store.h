/* store.h - models to and from files.
 *
 * The container is described in safetensors.h. In the file's metadata, for people and other
 * programs: "heft" (the version that wrote it), "method", and as JSON "parameters", "preparation",
 * "training", "extra" and "schema" (target, classes, the number of attributes and, up to a
 * thousand, their names and kinds). heft itself reads "method" and the tensors, which the tables of
 * model_state.c and of the method list (docs/formats.md is made from them). */
#pragma once

#include "model/model.h"

/* The same model gives the same bytes. ENUMERIC when it holds what could not be loaded again. */
heft_status heft_store_save(heft_ctx *ctx, const heft_model *model, const char *path);
/* The bytes of that file; free with heft_free. */
heft_status heft_store_save_bytes(heft_ctx *ctx, const heft_model *model, char **bytes,
                                  size_t *length);

/* All of the file is checked; EUNSUPPORTED when its method is unknown. Free with heft_model_delete.
 */
typedef const heft_method *heft_method_fn(const char *name); /* NULL: there is none */

heft_status heft_store_load(heft_ctx *ctx, const char *path, heft_method_fn *find,
                            heft_model **out);
/* On several ranks: a method that keeps its training rows has a part of them on each rank. All
 * ranks have a model, or all have the error. */
heft_status heft_store_load_ranks(heft_ctx *ctx, const char *path, heft_method_fn *find,
                                  heft_model **out);
/* Whether the file looks like a model, by its first bytes. */
bool        heft_store_is_model(const char *path);
heft_status heft_store_load_bytes(heft_ctx *ctx, const char *label, const void *bytes,
                                  size_t length, heft_method_fn *find, heft_model **out);
