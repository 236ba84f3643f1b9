/* likelihood.h - log P(x_j | c) for every kind of column.
 *
 * Coded attributes have a table of smoothed frequencies. Numbers have a density in each class:
 * normal, normal on rounded values, or a sum of kernels; likelihood.c has the formulas. All values
 * are logarithms and finite, so that scores can be added up without checks. */
#pragma once

#include "model/kernel.h"
#include "stats/suffstats.h"

typedef enum heft_lik_kind {
    HEFT_LIK_TABLE,   /* coded attribute: a table of log-probabilities */
    HEFT_LIK_NORMAL,  /* numeric: normal with the n-1 variance */
    HEFT_LIK_ROUNDED, /* numeric: a normal on values rounded to a precision, as Weka does */
    HEFT_LIK_KERNEL   /* numeric: a normal kernel on every training value */
} heft_lik_kind;

typedef struct heft_lik { /* the distributions of one attribute, by class */
    heft_lik_kind kind;
    bool          silent; /* the distribution is the same in all classes: the attribute adds
                             exactly 0 */
    uint32_t n_codes;
    double  *table;           /* TABLE: (n_codes + 2) x n_class, a line for each code; line
                                 n_codes is for missing cells and is 0, line n_codes + 1 for
                                 values never seen */
    double *mean, *sd;        /* NORMAL and ROUNDED: n_class each; NORMAL: sd == 0 marks a
                                 point mass at mean */
    double  precision;        /* ROUNDED: values are rounded to multiples of it */
    size_t *start;            /* KERNEL: points of class c are start[c]..start[c+1]-1 */
    double *point, *log_mass; /* KERNEL: distinct values of each class, increasing,
                                 and log of the fraction of the class's rows that have
                                 them */
    double      *width;       /* KERNEL: n_class bandwidths */
    heft_kernel *kernel;      /* KERNEL: n_class kernels, made by heft_lik_seal; not
                                 saved */
} heft_lik;

typedef struct heft_smoothing {
    bool laplace; /* 1 is added to every count; otherwise `mass` is divided among the
                     counts of a distribution */
    double mass;
} heft_smoothing;

typedef enum heft_prior_kind {
    HEFT_PRIOR_SMOOTHED,
    HEFT_PRIOR_FREQUENCY,
    HEFT_PRIOR_UNIFORM,
    HEFT_PRIOR_GIVEN
} heft_prior_kind;
typedef struct heft_prior_spec {
    heft_prior_kind kind;
    double         *given; /* HEFT_PRIOR_GIVEN: n_class probabilities that sum to 1 */
} heft_prior_spec;

heft_status heft_smoothing_parse(heft_ctx *ctx, const char *text, heft_smoothing *out);
/* Parse a prior. `classes` are the names that a CLASS=P list may have; where it is NULL only the
 * form is checked, and out->given stays NULL. Memory from arena. */
heft_status heft_prior_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                             heft_arena *arena, heft_prior_spec *out);

/* The smoothed frequency of a value with count n among n_c rows, for v values: (n + 1)/(n_c + v) or
 * (n + mass/v)/(n_c + mass).  */
double heft_smooth(const heft_smoothing *s, double n, double n_c, double v);

/* Smallest standard deviation in a class, as a fraction of the attribute's over all rows. */
#define HEFT_LEAST_SD 3.1622776601683794e-5 /* sqrt(1e-9) */

typedef struct heft_lik_source { /* what likelihoods are estimated from, and how */
    const heft_rows      *rows;
    const heft_suffstats *known;  /* sums of the rows, if they were computed already; else NULL */
    const heft_counts    *counts; /* counts of the coded attributes */
    heft_smoothing        smoothing;
    heft_lik_kind         density; /* density of the numeric attributes */
} heft_lik_source;

/* Make the tables of the coded attributes and the densities of the numeric ones. */
heft_status heft_likelihoods(heft_ctx *ctx, const heft_lik_source *from, heft_arena *arena,
                             heft_lik **out);
/* log P(c), n_class numbers. It is -inf for a class that is never predicted: its prior is 0, or
 * `leave_out_empty` is set and it has no rows. */
heft_status heft_log_prior(heft_ctx *ctx, const heft_counts *counts, bool leave_out_empty,
                           const heft_smoothing *smoothing, const heft_prior_spec *prior,
                           heft_arena *arena, double **out);

/* Make scoring faster once the likelihoods are final: kernels are then summed in bounded time, with
 * a relative error below 1e-13. Without this call every point is summed. */
heft_status heft_lik_seal(heft_ctx *ctx, size_t n_class, heft_arena *arena, heft_lik *lik);
/* out[c] = log P(x | c) of a numeric attribute; 0 everywhere when x is NaN. Always finite. */
void heft_lik_number(const heft_lik *lik, size_t n_class, double x, double *out);
/* The line of the table for a code; a code above n_codes + 1 is treated as missing. */
const double *heft_lik_code(const heft_lik *lik, size_t n_class, uint32_t code);
