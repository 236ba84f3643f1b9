/* logit.h - class-and-value weights by penalised conditional log-likelihood.
 *
 *   score_c(x) = b_c + sum_f sum_p w_fp[code_fp(line of x)]_c + sum_k u_kc z_k
 *
 *   min  sum_i w_i ( -log softmax(score(x_i))_{y_i} )
 *        + scale ( sum_fp lambda_fp / 2 |w_fp|^2 + lambda / 2 |u|^2 ) + lambda_b / 2 |b|^2
 *
 * A feature gives a row a line, and each of its parts gives the line a code: the parts' weights are
 * added up by line before the rows are read, and their gradients parted after, so that several
 * resolutions of an attribute cost as much as one.
 *
 * Why this engine beside learn/objective.h: there a few weights are multiplied with log-likelihoods
 * that are given, and sums are exact because a minimiser runs until nothing falls; here every value
 * and pair has a weight of its own, hundreds of thousands in all, and a fixed number of iterations
 * needs no more than single precision. This is the hottest loop in heft. Line numbers lie feature
 * by feature, one byte each where that is enough, and are read in blocks of rows, several features
 * at a time. The weights of a line are contiguous and padded to whole vectors of the processor.
 * Weights and gradients are in single precision, the objective is summed in double. With two
 * classes w_1 = -w_0 at every step from 0, so that one number per code is enough.
 *
 * Rows are cut into a number of runs that depends on the data alone, each with a gradient of its
 * own, added in order: the same bits for any number of threads. */
#pragma once

#include "optim/optim.h"

enum { HEFT_MOST_PARTS = 4 };

typedef struct heft_feature_part {
    const uint32_t *code; /* by line; NULL: the line itself, and the feature has one part */
    uint32_t        n_codes;
    double          lambda;
} heft_feature_part;

typedef struct heft_feature {
    unsigned          width; /* bytes per line number: 1, 2 or 4 */
    const void       *lines; /* by row */
    uint32_t          n_lines;
    size_t            n_parts;
    heft_feature_part part[HEFT_MOST_PARTS];
} heft_feature;

/* A real feature whose number depends on the line of a feature alone is tied to it: its column is
 * not read. */
typedef struct heft_tie {
    bool         tied;
    size_t       feature;
    const float *z; /* by line */
} heft_tie;

typedef struct heft_logit_rows {
    size_t              n;
    const uint16_t     *y;      /* classes; scores do not need them */
    const double       *weight; /* NULL: all 1 */
    size_t              n_features, n_reals;
    const heft_feature *feature;
    const float *const *real; /* n_reals columns; those of tied ones are not read */
    const heft_tie     *tie;  /* by real; NULL: none is tied */
} heft_logit_rows;

typedef struct heft_logit_work { /* what an evaluation of the objective works on */
    size_t       n_runs, block;  /* runs of rows; rows of a block */
    float       *table;          /* weights by line, for features of several parts */
    float       *sum;            /* gradients by line, one copy per run */
    float       *space;          /* scores of the current block, per run */
    double      *loss, *penalty; /* by run; by feature */
    const float *w;              /* the point of the current evaluation */
    float       *g;              /* the gradient there */
} heft_logit_work;

typedef struct heft_logit {
    size_t          n_class, stride; /* numbers per code: 1 for two classes, else n_class padded */
    heft_logit_rows rows;
    double          real_lambda, bias_lambda, scale;
    size_t          n_codes;       /* codes of all parts, reals and bias: stride numbers each */
    size_t (*at)[HEFT_MOST_PARTS]; /* first code of each part */
    size_t              n_lines;   /* lines of all features, reals and bias */
    size_t             *line_at;   /* first line of each feature */
    size_t              n_groups;
    struct heft_bundle *group; /* features that are read together */
    heft_logit_work     work;
    heft_known          end;   /* value and gradient at the end of the last fit */
    heft_steps         *steps; /* progress counter, may be NULL: an evaluation adds its rows */
} heft_logit;

/* Memory from `arena`; `rows` and what it points to is borrowed. */
heft_status heft_logit_open(heft_ctx *ctx, const heft_logit_rows *rows, size_t n_class,
                            double real_lambda, double bias_lambda, heft_arena *arena,
                            heft_logit *out);
size_t      heft_logit_size(const heft_logit *logit); /* numbers in w */

/* A heft_objective32_fn; `user` is the heft_logit. */
heft_status heft_logit_objective(heft_ctx *ctx, void *user, const float *w, double *f, float *g);
/* At most `iterations` of L-BFGS with the penalties times `scale`, from w: 0 at first, then where
 * the last fit ended. */
heft_status heft_logit_fit(heft_ctx *ctx, heft_logit *logit, double scale, long iterations,
                           float *w, heft_minimum *how);
/* Log-normalised scores of other rows with the same features, tied or not: out[n x n_class]. */
heft_status heft_logit_score(heft_ctx *ctx, const heft_logit *logit, const float *w,
                             const heft_logit_rows *rows, double *out);

/* The n_class weights of a code of a part, and of real feature k; k = n_reals: of the bias. */
void heft_logit_code(const heft_logit *logit, const float *w, size_t f, size_t part, uint32_t code,
                     double *out);
void heft_logit_real(const heft_logit *logit, const float *w, size_t k, double *out);
