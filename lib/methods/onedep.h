/* onedep.h - what aode, waode and hnb share: pair counts, and a table over ordered pairs of values.
 *
 * For value v of attribute i (a slice) and value w of attribute j (a line) the table holds n_class
 * numbers. A row takes one slice for each of its attributes, and one line for each attribute in it:
 *
 *   mixture (hnb)      log joint(c) = log prior(c) + sum_i log sum_j line(c)
 *   otherwise (aode)   log joint(c) = log sum_i prod_j line(c)
 *
 * The line of an attribute with itself is the method's own to fill. */
#ifndef HEFT_METHODS_ONEDEP_H
#define HEFT_METHODS_ONEDEP_H

#include "methods/method.h"
#include "stats/pairs.h"

typedef struct heft_onedep heft_onedep;

/* The line of value w of attribute j in the slice of value v of attribute i; j may be i, then w is
 * v. A value equal to n_codes is one the model has never heard of: all its counts are 0. */
typedef void heft_line_fn(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w,
                          double *line);

struct heft_onedep { /* the private state */
    heft_pairs pairs;
    double     total;
    double    *class_sum; /* n_class */
    double    *value_sum; /* sum of n_codes lines of n_class: line pairs.offset[j] + v */
    /* Made from the counts: */
    bool          mixture;
    heft_line_fn *line;
    double       *weight; /* waode: n_attr; hnb: n_attr x n_attr */
    size_t        pad;    /* n_class rounded up: numbers a line */
    size_t        group;  /* factors that can be multiplied before the product must be looked at */
    double       *table;
};

/* Count, and fill the shared parts of `out`; then the method sets mixture, line and weight, and
 * seals. */
heft_status heft_onedep_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                            heft_onedep **own);
heft_status heft_onedep_save(heft_ctx *ctx, const heft_fitted *fitted, heft_file *file);
heft_status heft_onedep_load(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                             heft_fitted *fitted, heft_onedep **own);
heft_status heft_onedep_seal(heft_ctx *ctx, heft_onedep *own, heft_arena *arena);

heft_status heft_onedep_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint);
/* For a mixture: the prior's and each attribute's part. */
heft_status heft_onedep_parts(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              size_t i, double *parts);

/* For tests: row i by the definition, from the counts and without the table. */
heft_status heft_onedep_plain(heft_ctx *ctx, const heft_onedep *own, const heft_rows *rows,
                              size_t i, double *log_joint);

/* Counts by class of value v of attribute j, and of the pair; zeros for values never heard of. */
const double *heft_onedep_value(const heft_onedep *own, size_t j, size_t v);
const double *heft_onedep_pair(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w);

/* log of (N(c) + 1/K)/(n + 1), hnb's prior. */
double heft_onedep_prior(const heft_onedep *own, size_t c);

#endif
