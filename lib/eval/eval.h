/* eval.h - folds, measures, and the loop over data sets, methods and folds. */
#ifndef HEFT_EVAL_EVAL_H
#define HEFT_EVAL_EVAL_H

#include "data/table.h"

/* folds.c: fold[i] in 0..folds-1 for each row; UINT16_MAX leaves the row out. */
heft_status heft_folds_stratified(heft_ctx *ctx, const uint16_t *y, size_t n, size_t n_class,
                                  size_t folds, uint64_t seed, size_t repeat, uint16_t *fold);
/* As Weka's Instances.randomize, stratify, testCV for the given seed (java.util.Random). */
heft_status heft_folds_weka(heft_ctx *ctx, const uint16_t *y, size_t n, size_t folds, uint64_t seed,
                            uint16_t *fold);
/* A file of one line per row: fold number, or several comma-separated, one per repeat. */
heft_status heft_folds_file(heft_ctx *ctx, const char *path, size_t n_rows, heft_arena *arena,
                            size_t *repeats, uint16_t **fold, size_t *folds);

/* metrics.c: over rows of known class. proba is n x n_class. */
typedef struct heft_measures {
    size_t n, right;
    double accuracy, micro_f1, macro_f1, log_loss, brier, auc;
} heft_measures;

heft_status heft_measure(heft_ctx *ctx, const double *proba, const uint16_t *y, size_t n,
                         size_t n_class, heft_measures *out);

#endif
