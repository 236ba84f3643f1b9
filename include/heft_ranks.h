/* heft_ranks.h - several processes (ranks) that work as one, and the merging of models that were
 * fitted on separate rows of the same data.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_RANKS_H
#define HEFT_RANKS_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the library needs from the system that connects the processes (MPI, Dask, Spark, pipes):
 * heft_runtime.comm. All ranks make the same library calls in the same order with the same
 * options; the functions below are then called on all of them, from the thread that made the
 * library call. They return 0, or anything else if the other ranks cannot be reached. When one rank
 * fails, all ranks return its error, and the text begins with "rank R: ".
 *
 * heft_read       each rank gets its own range of the rows (heft_source.whole: all rows)
 * heft_fit        `data` has this rank's rows; each rank gets the model of all rows. Where the
 *                 method needs all rows in one place (auto: up to 10,000 rows, or too many classes)
 *                 they are collected on rank 0: up to 1 GB of cells, with a memory limit any number
 * heft_evaluate   each rank has all rows; folds and methods are distributed, and each rank gets all
 *                 results */
struct heft_comm {
    size_t size;
    void  *user;
    int    rank, n_ranks; /* this process is rank 0 .. n_ranks - 1 */
    /* v[k] becomes the sum of v[k] over the ranks, with the same bits on all of them. */
    int (*allreduce_doubles)(void *user, double *v, size_t n);
    int (*allreduce_ints)(void *user, int64_t *v, size_t n);
    /* all = the bytes of rank 0, then those of rank 1, ...; rank r contributes length[r] bytes. */
    int (*allgather)(void *user, const void *mine, const size_t *length, void *all);
    /* The bytes of rank `root` replace those of the other ranks. */
    int (*broadcast)(void *user, void *bytes, size_t n, int root);
    /* Called after one of the above has failed, before the library call returns: end ranks that may
     * still be waiting. May be NULL. */
    void (*abort)(void *user, const char *text);
};

HEFT_API size_t heft_table_rows_total(const heft_table *table); /* rows of all ranks */

/* Methods that keep their training rows (lcwnb, lwnb, iclnb) leave each row with its rank: the
 * model is spread over the ranks. Its comm must then outlive it, and all ranks call the prediction
 * functions together, with the same rows. heft_model_gather, called by all ranks, makes the model
 * complete on each of them. heft_model_load_ranks loads a model and keeps only this rank's range of
 * the training rows. */
HEFT_API bool        heft_model_is_spread(const heft_model *model);
HEFT_API heft_status heft_model_gather(heft_model *model, heft_error *err);
HEFT_API heft_status heft_model_load_ranks(const char *path, const heft_comm *comm,
                                           heft_model **out, heft_error *err);

/* Merge models that were fitted on separate rows, in the order of these rows, into the model of all
 * rows. Counts are the same bit for bit as those of one fit (where weights are whole numbers);
 * means and variances agree to the last digit. Values and classes that only some of the models have
 * are included. For methods that learn from counts and sums (heft_method_info.merges). Columns,
 * settings and learned preparation must be the same (heft_config.like); EINVAL says what differs.
 */
HEFT_API heft_status heft_model_merge(const heft_model *const *models, size_t n, heft_model **out,
                                      heft_error *err);
/* Merge model files, of which one at a time is in memory. */
HEFT_API heft_status heft_model_merge_files(const char *const *paths, size_t n, heft_model **out,
                                            heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
