/* fitted.h - what a method learns, and the one additive scorer.
 *
 *   s_c(x) = w0 log P(c) + b_c + sum_j w(c,j,x_j) log P(x_j | c)        posterior = softmax over c
 */
#pragma once

#include "model/likelihood.h"

typedef enum heft_shape { HEFT_W_ONE, HEFT_W_ATTR, HEFT_W_CLASS, HEFT_W_VALUE } heft_shape;

typedef struct heft_weights {
    heft_shape shape;
    bool       folded; /* the likelihoods hold the weights already: shown, not applied again */
    double     w0;     /* weight of the prior, 1 in most methods */
    double    *w; /* ATTR: n_attr. CLASS: n_attr x n_class. VALUE: values, attribute by attribute */
    size_t    *offset; /* VALUE: n_attr + 1 places in w; attribute j has n_codes of them */
} heft_weights;

double heft_weight_at(const heft_weights *w, size_t n_class, size_t j, size_t c, uint32_t v);

typedef struct heft_fact { /* one entry of "extra" in inspect: a number, or text when not NULL */
    const char *name;
    double      number;
    const char *text;
} heft_fact;

#define HEFT_MAX_FACTS 24

typedef struct heft_training { /* how the fit went */
    double      rows;          /* sum of weights */
    bool        iterative;     /* the fields below mean something */
    long        iterations, evaluations;
    double      objective_initial, objective_final;
    bool        converged;
    const char *stopped_by; /* one sentence; NULL: the number of iterations is fixed */
    double      seconds;    /* wall time of the fit; not saved bit for bit in comparisons */
    size_t      n_facts;
    heft_fact   facts[HEFT_MAX_FACTS];
} heft_training;

typedef struct heft_fitted {
    size_t        n_attr, n_class;
    double       *log_prior; /* n_class; -inf: the class is left out */
    double       *bias;      /* n_class, or NULL: 0 */
    heft_lik     *lik;       /* n_attr */
    heft_weights  weights;
    heft_training training;
    void         *own; /* a method's private state, in the model's arena */
    heft_arena   *arena;
    /* Made by heft_fitted_seal for the shared scorer; not saved. */
    double **ready; /* coded: weighted table. Plain normal: constant, mean, 1/sd, weight/2 */
    double  *zero, *zero_sum; /* sparse: n_attr x n_class parts of a 0; their sum with the prior */
} heft_fitted;

void heft_fact_number(heft_fitted *fitted, const char *name, double number);
void heft_fact_text(heft_fitted *fitted, const char *name, const char *text); /* kept by pointer */
heft_status heft_fact_copy(heft_ctx *ctx, heft_fitted *fitted, const char *name, const char *text);

/* Fold the weights into the tables. To be called once, after fit or load, before scoring. */
heft_status heft_fitted_seal(heft_ctx *ctx, heft_fitted *fitted, bool sparse);
/* out[c] = w(c,j,x) log P(x | c) for one cell: a code for a coded attribute, else a number. */
void heft_cell_part(const heft_fitted *fitted, size_t j, uint32_t code, double number, double *out);

/* The shared scorer: log_joint[n_rows * n_class], -inf for classes that are left out. */
heft_status heft_score_additive(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                                double *log_joint);
/* The same for one row that is not prepared yet. */
heft_status heft_score_row(heft_ctx *ctx, const heft_fitted *fitted, const heft_row *row,
                           double *log_joint);
/* One row taken apart: parts[(1 + n_attr) * n_class], prior and bias first. */
heft_status heft_parts_additive(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                                size_t i, double *parts);
