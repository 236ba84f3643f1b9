/* store.h - models to and from files.
 *
 * The container is described in safetensors.h. In the file's metadata, for people and other
 * programs: "heft" (the version that wrote it), "method", and as JSON "parameters", "preparation",
 * "training", "extra" and "schema" (target, classes, the number of attributes and, up to a
 * thousand, their names and kinds). heft itself reads "method" and the tensors, which the tables of
 * model_state.c and of the method list (docs/formats.md is made from them). */
#pragma once

#include "model/model.h"

/* Save a model; equal models give equal bytes. ENUMERIC when the model holds numbers that loading
 * would refuse. */
heft_status heft_store_save(heft_ctx *ctx, const heft_model *model, const char *path);
/* Make the bytes of the file that heft_store_save writes; free them with heft_free. */
heft_status heft_store_save_bytes(heft_ctx *ctx, const heft_model *model, char **bytes,
                                  size_t *length);

/* Finds a method by its name; NULL: there is none. Loading gets this function as an argument,
 * because the list of methods is in a folder above this one. */
typedef const heft_method *heft_method_fn(const char *name);

/* Load a model, which is freed with heft_model_delete. The whole file is checked. EUNSUPPORTED when
 * its method is unknown. */
heft_status heft_store_load(heft_ctx *ctx, const char *path, heft_method_fn *find,
                            heft_model **out);
/* Load a model on several ranks; a collective call. If its method keeps the training rows, each
 * rank keeps its own range of them. All ranks have a model, or all have the error. */
heft_status heft_store_load_ranks(heft_ctx *ctx, const char *path, heft_method_fn *find,
                                  heft_model **out);
/* Whether the file looks like a model, by its first bytes. */
bool        heft_store_is_model(const char *path);
heft_status heft_store_load_bytes(heft_ctx *ctx, const char *label, const void *bytes,
                                  size_t length, heft_method_fn *find, heft_model **out);
