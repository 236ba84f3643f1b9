/* fit.h - from a table and a configuration to a model. */
#ifndef HEFT_TRAIN_FIT_H
#define HEFT_TRAIN_FIT_H

#include "methods/registry.h"
#include "model/model.h"

/* The method a configuration asks for; EINVAL, with the names there are, when there is none. */
heft_status heft_method_of(heft_ctx *ctx, const char *name, const heft_method **out);

/* Rows of missing class or weight 0 are left out. With `skip_unknown` parameters the method does
 * not have are passed over. */
heft_status heft_fit_table(heft_ctx *ctx, const heft_table *table, const heft_config *asked,
                           bool skip_unknown, heft_model **out);
/* Fits the model to rows prepared by model->prep; model->suffstats is NULL or that of the rows. */
heft_status heft_fit_prepared(heft_ctx *ctx, const heft_config *config, bool skip_unknown,
                              const heft_rows *rows, heft_model *model);
/* model->suffstats = what the method needs of the rows, for the fit and for merging. Nothing for
 * methods that need more than sufficient statistics. */
heft_status heft_take_suffstats(heft_ctx *ctx, bool part, const heft_table *table,
                                const heft_rows *rows, heft_model *model);
/* The preparation the method and the configuration ask for. */
heft_status heft_spec_of(heft_ctx *ctx, const heft_method *method, const heft_config *config,
                         heft_prep_spec *out);
/* The configuration with what config->like brings; what it points to is in scratch memory. */
heft_status heft_config_like(heft_ctx *ctx, const heft_config *config, heft_config *out);
/* root_rank.c: what, of the method and the settings, needs all rows in one place (a phrase for
 * messages) where they are spread over ranks; *what is NULL where nothing does. */
heft_status heft_needs_root(heft_ctx *ctx, const heft_method *method, const heft_config *config,
                            const char **what);
/* heft_fit_table on rank 0, of the rows of all ranks; every rank gets the model. */
heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                             const heft_method *method, const char *what, bool skip_unknown,
                             heft_model **out);

/* merge.c: the model of all rows from models of parts; models NULL: from n files, of which one at a
 * time is in memory. Scratch memory is cleared. */
heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                       size_t n, heft_model **out);

/* The method's preparation learned on all rows of `table`, and the table so prepared. */
heft_status heft_prepare_whole(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                               heft_table **out);

#endif
