/* likelihood.h - log P(x_j | c) for every kind of column. */
#pragma once

#include "model/kernel.h"
#include "stats/suffstats.h"

typedef enum heft_lik_kind {
    HEFT_LIK_TABLE,   /* coded */
    HEFT_LIK_NORMAL,  /* numeric: normal with the n-1 variance */
    HEFT_LIK_ROUNDED, /* numeric: a normal on values rounded to a precision, as Weka does */
    HEFT_LIK_KERNEL   /* numeric: a normal kernel on every training value */
} heft_lik_kind;

typedef struct heft_lik { /* one attribute */
    heft_lik_kind kind;
    bool          silent; /* the same in all classes: contributes exactly 0 */
    uint32_t      n_codes;
    double       *table;     /* TABLE: (n_codes + 2) x n_class, code-major; line n_codes is 0 */
    double       *mean, *sd; /* n_class; NORMAL: sd == 0 marks a point mass at mean */
    double        precision; /* ROUNDED */
    size_t       *start;     /* KERNEL: points of class c are start[c]..start[c+1]-1 */
    double       *point, *log_mass; /* distinct values, increasing, and log of their share */
    double       *width;            /* KERNEL: n_class bandwidths */
    heft_kernel  *kernel;           /* KERNEL: n_class, made by heft_lik_seal; not saved */
} heft_lik;

typedef struct heft_smoothing {
    bool   laplace; /* 1 per cell; otherwise `mass` per distribution */
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
    double         *given; /* n_class, sums to 1 */
} heft_prior_spec;

heft_status heft_smoothing_parse(heft_ctx *ctx, const char *text, heft_smoothing *out);
/* `classes`: for CLASS=P lists; NULL: only the form is checked, and `given` stays NULL. Memory from
 * arena. */
heft_status heft_prior_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                             heft_arena *arena, heft_prior_spec *out);

/* (n + 1)/(n_c + v) or (n + mass/v)/(n_c + mass): the one smoothed share. */
double heft_smooth(const heft_smoothing *s, double n, double n_c, double v);

/* Tables of the coded attributes from counts; densities of the numeric ones by `density`. */
/* A standard deviation is at least this share of the attribute's over all rows. */
#define HEFT_LEAST_SD 3.1622776601683794e-5 /* sqrt(1e-9) */

heft_status heft_likelihoods(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                             const heft_counts *counts, const heft_smoothing *smoothing,
                             heft_lik_kind density, heft_arena *arena, heft_lik **out);
/* log P(c); -inf for a class that is left out: its prior is 0, or `leave_out_empty` is set and it
 * has no rows. */
heft_status heft_log_prior(heft_ctx *ctx, const heft_counts *counts, bool leave_out_empty,
                           const heft_smoothing *smoothing, const heft_prior_spec *prior,
                           heft_arena *arena, double **out);

/* Optional, once the likelihoods are final: kernels are then summed in bounded time, within 1e-13
 * of the sum point by point. */
heft_status heft_lik_seal(heft_ctx *ctx, size_t n_class, heft_arena *arena, heft_lik *lik);
/* out[c] = log P(x | c) of a numeric attribute; 0 everywhere when x is NaN. Always finite. */
void heft_lik_number(const heft_lik *lik, size_t n_class, double x, double *out);
/* The table line of a code; a code beyond n_codes + 1 is treated as missing. */
const double *heft_lik_code(const heft_lik *lik, size_t n_class, uint32_t code);
