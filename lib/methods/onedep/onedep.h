/* onedep.h - what aode, waode and hnb share: pair counts, and scoring straight from them.
 *
 * With N the counts of a class c, and attributes i and j of the row x:
 *
 *   aode, waode   log joint(c) = log sum_i joint_i(c) prod_{j != i} (N(x_i,x_j) + add_j)
 *                                                                   / (N(x_i) + below_j)
 *   hnb, a mixture of parents j for each child i
 *                 log joint(c) = log prior(c) + sum_i log [ joint_i(c) + sum_{j != i} weight_ij
 *                                     (N(x_i,x_j) + add_i) / (N(x_j) + below_j) ]
 *
 * An unknown value has counts of 0; a missing one is left out. */
#pragma once

#include <math.h>

#include "model/method.h"
#include "model/state.h"
#include "stats/counts.h"

/* Number of factors that are multiplied before the product is rescaled: a count is at most 1e15, so
 * that they span 240 decimal digits. And number of classes in a vector. */
enum { HEFT_ONEDEP_GROUP = 16, HEFT_ONEDEP_VECTOR = 4 };

typedef struct heft_onedep { /* the private state */
    heft_pair_counts pairs;
    double           total;
    double          *class_sum; /* n_class */
    double          *value_sum; /* lines of n_class: offset[j] + v; the last is 0 */
    /* The method computes the fields below from the counts. */
    bool    mixture;
    double *add, *below; /* n_attr */
    double *joint;  /* lines of n_class: offset[j] + v; offset[n_attr] + j for an unknown value */
    double *weight; /* waode: n_attr; a mixture: n_attr x n_attr */
    /* Attributes of a single value give no evidence and are passed over, unless the user keeps
     * them. */
    bool    keeps_constant;
    size_t  n_used;
    size_t *place; /* per attribute: its index among the attributes used; SIZE_MAX: passed over */
    /* Sizes, and the tables that heft_onedep_seal makes. */
    size_t  pad;      /* n_class rounded up to whole vectors */
    size_t  n_groups; /* number of groups of attributes; a product is rescaled after each of them */
    double *scale;    /* not for a mixture: lines of n_groups x pad, joint over denominators */
} heft_onedep;

/* Counts the rows, fills the shared fields of `out`, allocates add, below and joint, and calls the
 * end of the method's state. */
heft_status heft_onedep_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out);
/* Describes the counts in the model file. A method's state has these fields, and an `end` that
 * fills in its own and calls heft_onedep_seal. */
extern const heft_tensor heft_onedep_fields[];
heft_load_hook           heft_onedep_begin;
heft_status              heft_onedep_seal(heft_ctx *ctx, heft_onedep *own, heft_arena *arena);

heft_status heft_onedep_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint);
const heft_pair_counts *heft_onedep_pairs(const heft_fitted *fitted);
/* Describes the score as one sum for each parent, or for each child, for exports. */
heft_status heft_onedep_tables(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *t);
/* Divides the score of a mixture into the parts of the prior and of each attribute. */
heft_status heft_onedep_parts(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              size_t i, double *parts);

/* Scores row r by the definition, factor by factor: for rows with missing or unknown values, and
 * for tests. */
void heft_onedep_plain(const heft_onedep *own, const heft_rows *rows, size_t r, double *log_joint);

/* Counts by class of value v of attribute j; zeros when v is n_codes, an unknown value. */
const double *heft_onedep_value(const heft_onedep *own, size_t j, size_t v);
/* The line of value v of attribute j in `joint`. */
double *heft_onedep_joint(const heft_onedep *own, size_t j, size_t v);

static inline bool heft_onedep_passed_over(const heft_onedep *own, size_t j)
{
    return own->place[j] == SIZE_MAX;
}

/* The index of j among the attributes used other than i. */
static inline size_t heft_onedep_place(const heft_onedep *own, size_t i, size_t j)
{
    return own->place[j] - (own->place[j] > own->place[i]);
}

/* log((N(c) + 1/K)/(n + 1)), the prior of hnb. */
static inline double heft_onedep_log_prior(const heft_onedep *own, size_t c)
{
    return log((own->class_sum[c] + 1 / (double)own->pairs.n_class) / (own->total + 1));
}
