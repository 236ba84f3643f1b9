/* folds.h - assignment of rows to folds, which are held out together. All code that trains on some
 * rows and tests on the others uses it: evaluation, calibration, the choice of thresholds and
 * parameters, and the members of auto.
 *
 * A plan describes the rule, and the result is an array of fold numbers. Every rule spreads the
 * rows of a class evenly over the folds, except leave-one-out and folds read from a file. There are
 * two families of rules, by what decides about a row:
 *
 *   its place     evaluation shuffles the rows of each class by the seed, as a reader of results
 *                 expects, and can repeat Weka's order to the row;
 *   its content   what a model learns must not depend on the order of its rows, so training deals
 *                 them in the order of keys of their content (stats/keys.h) mixed with the seed.
 *                 Copies of a row (copies.h) are in the same fold, and so is all of the weight of a
 *                 row: a row that is held out must not be seen in training. The rows may be spread
 *                 over several processes. */
#pragma once

#include "stats/sample.h"

enum {
    HEFT_KFOLD = 5,           /* number of folds used inside training */
    HEFT_NO_FOLD = UINT16_MAX /* the fold number of a row that is in no fold */
};

typedef enum heft_fold_rule {
    HEFT_FOLDS_STRATIFIED, /* fold sizes differ by at most one, and so do the rows of a class */
    HEFT_FOLDS_WEKA,       /* Weka's Instances.randomize, stratify, testCV: seed + repeat */
    HEFT_FOLDS_HOLDOUT,    /* fold 0 is tested, fold 1 is trained on; both have rows */
    HEFT_FOLDS_SINGLE,     /* every row is a fold: leave-one-out, up to 65534 rows */
    HEFT_FOLDS_FILE,       /* fold numbers are read from a file */
    HEFT_FOLDS_CONTENT     /* rows are assigned in the order of the keys of their content */
} heft_fold_rule;

typedef struct heft_fold_file { /* a file with one line per row */
    size_t          n_rows, n_repeats, n_folds;
    const uint16_t *fold; /* n_repeats x n_rows; every repeat uses each of the n_folds numbers */
} heft_fold_file;

typedef struct heft_dealing { /* rows in the order of their keys, class after class */
    size_t  n;                /* number of rows of this process that are taken */
    size_t *row;              /* indices of the taken rows in the sample */
    size_t *place;            /* index of each taken row in the order of all processes */
    double *alike;   /* weight of each taken row and its copies, whether these are taken or not */
    size_t  n_all;   /* number of rows of all processes that are taken */
    size_t  n_kinds; /* number of rows of all processes that are taken, copies counted once */
    const uint16_t *fold; /* fold of each row of the sample */
} heft_dealing;

typedef struct heft_fold_plan {
    heft_fold_rule     rule;
    const heft_sample *sample; /* STRATIFIED, WEKA and HOLDOUT use n, y and n_class, and a row whose
                                  class is n_class or above is in no fold. SINGLE and FILE use n
                                  alone. CONTENT needs all of the sample, with all classes known. */
    size_t                n_folds; /* number of folds; not used by HOLDOUT, SINGLE and FILE */
    uint64_t              seed;
    size_t                repeat;  /* every repeat has other folds */
    double                holdout; /* HOLDOUT: the fraction of rows of each class that is tested */
    const heft_fold_file *file;    /* FILE: fold numbers of all rows of a table */
    const size_t         *row; /* FILE: rows of that table that are in the sample; NULL if all */
    const uint64_t       *key; /* CONTENT: key of each row, different for different contents */
    size_t n_wanted;           /* CONTENT: number of rows of all processes that are taken: all, or
                                  every k-th in the order, which keeps the class frequencies */
    heft_arena   *arena;       /* CONTENT: memory of the order */
    heft_dealing *order;       /* CONTENT: the order of the rows */
} heft_fold_plan;

/* fold[n]: the fold of each row, or HEFT_NO_FOLD. The result is EINVAL if there are too few rows
 * for the folds. Cost: O(n). With HEFT_FOLDS_CONTENT the rows are sorted, and processes exchange 16
 * bytes (24 with weights) for each of their different rows; if not all rows are taken, only for at
 * most 8 rows around each taken row. */
heft_status heft_folds_deal(heft_ctx *ctx, const heft_fold_plan *plan, uint16_t *fold);

/* Reads a file with one line per row: a fold number, or several separated by commas, one per
 * repeat. The path "-" is standard input. */
heft_status heft_folds_read(heft_ctx *ctx, const char *path, size_t n_rows, heft_arena *arena,
                            heft_fold_file *out);

/* rows = the rows of fold f, or if `held` is false those of all other folds, in increasing order;
 * returns their number. Rows with HEFT_NO_FOLD are never included. */
size_t heft_rows_of_fold(const uint16_t *fold, size_t n, size_t f, bool held, size_t *rows);

/* ---- content_folds.c ---- */

/* Does the work of heft_folds_deal for HEFT_FOLDS_CONTENT. */
heft_status heft_folds_by_content(heft_ctx *ctx, const heft_fold_plan *plan, uint16_t *fold);

typedef struct heft_fold_part { /* rows of a fold, or of all other folds, with their classes */
    size_t    n;
    size_t   *row;    /* indices in sample->rows */
    size_t   *place;  /* index of each row in the order of all processes; NULL for `others` */
    double   *alike;  /* weight of each row and its copies; NULL for `others` */
    double   *weight; /* weight of each row; NULL if all are 1 */
    uint16_t *y;
} heft_fold_part;

/* Splits the taken rows into those of fold k (`held`) and all others, which may be NULL. Cost:
 * O(n).
 */
heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const heft_dealing *dealing,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others);
/* others: the taken rows that are not in fold 0, window after window, those of a window in the
 * order of the sample. Fold f is part of window f % n_windows. (*first)[n_windows + 1]: where each
 * window begins, and the number of rows. fold: as heft_folds_deal made it from the content. Cost:
 * O(n). */
heft_status heft_windows_split(heft_ctx *ctx, const heft_sample *sample, const uint16_t *fold,
                               size_t n_windows, heft_arena *arena, heft_fold_part *others,
                               size_t **first);
