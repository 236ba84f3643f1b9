/* fitted.h - what a method learns, and the additive scorer of methods that have none of their own.
 *
 *   s_c(x) = w0 log P(c) + b_c + sum_j w(c,j,x_j) log P(x_j | c)        posterior = softmax over c
 *
 * w is the weight of the attribute, which may also depend on the class c and the value x_j
 * (heft_shape); naive Bayes has weights 1 and b_c = 0. Because the score is a sum, the evidence of
 * each attribute can be shown and exported by itself. */
#pragma once

#include "model/likelihood.h"

typedef enum heft_shape { HEFT_W_ONE, HEFT_W_ATTR, HEFT_W_CLASS, HEFT_W_VALUE } heft_shape;

typedef struct heft_weights {
    heft_shape shape;
    bool       folded; /* the likelihoods already include the weights, which are then only
                          shown */
    double  w0;        /* weight of the prior, 1 in most methods */
    double *w;         /* the weights. ATTR: n_attr. CLASS: n_attr x n_class. VALUE: one for each
                          value, attribute by attribute */
    size_t *offset;    /* VALUE: n_attr + 1 numbers; the weights of attribute j begin at
                          w[offset[j]] */
} heft_weights;

double heft_weight_at(const heft_weights *w, size_t n_class, size_t j, size_t c, uint32_t v);

typedef struct heft_fact { /* one entry of "extra" in inspect: `text`, or `number` where
                              text is NULL */
    const char *name;
    double      number;
    const char *text;
} heft_fact;

#define HEFT_MAX_FACTS 24

typedef struct heft_training { /* how the fit went */
    double      rows;          /* sum of the weights of the training rows */
    bool        iterative;     /* the fields from iterations to stopped_by are set */
    long        iterations, evaluations;
    double      objective_initial, objective_final;
    bool        converged;
    const char *stopped_by; /* one sentence; NULL: the number of iterations is fixed */
    double      seconds;    /* wall time of the fit, the one field that differs between
                               equal fits */
    size_t    n_facts;
    heft_fact facts[HEFT_MAX_FACTS];
} heft_training;

typedef struct heft_fitted {
    size_t       n_attr, n_class;
    double      *log_prior; /* log P(c), n_class numbers; -inf: the class is never predicted */
    double      *bias;      /* b_c, n_class numbers; NULL: all 0 */
    heft_lik    *lik;       /* n_attr distributions */
    heft_weights weights;
    double      *importance; /* n_attr: the rise of the mean held-out loss if what an attribute
                                says is left out; NULL: not measured */
    double       *importance_error; /* n_attr: its standard error */
    heft_training training;
    void         *own; /* a method's private state, in the model's arena */
    heft_arena   *arena;
    /* The fields below are made by heft_fitted_seal for the shared scorer. They are not saved. */
    double **ready;          /* for each attribute, coded: its weighted table; normal without point
                                masses: n_class each of constant, mean, 1/sd, weight/2 */
    double *zero, *zero_sum; /* sparse rows: what a 0 adds, n_attr x n_class; the score of
                                the row of zeros, n_class */
} heft_fitted;

void heft_fact_number(heft_fitted *fitted, const char *name, double number);
/* Adds a fact whose text is not copied: it must live as long as the model. */
void        heft_fact_text(heft_fitted *fitted, const char *name, const char *text);
heft_status heft_fact_copy(heft_ctx *ctx, heft_fitted *fitted, const char *name, const char *text);

/* Multiply the weights into the tables, so that scoring only adds. To be called once, after fit or
 * load, before scoring. */
heft_status heft_fitted_seal(heft_ctx *ctx, heft_fitted *fitted, bool sparse);
/* out[c] = w(c,j,x) log P(x | c) for one cell: a code for a coded attribute, else a number. */
void heft_cell_part(const heft_fitted *fitted, size_t j, uint32_t code, double number, double *out);

/* The shared scorer: log_joint[n_rows * n_class], -inf for classes whose log_prior is -inf. */
heft_status heft_score_additive(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                                double *log_joint);
/* The scores log_joint[n_class] of one row that is not prepared yet. */
heft_status heft_score_row(heft_ctx *ctx, const heft_fitted *fitted, const heft_row *row,
                           double *log_joint);
/* The terms of the score of row i: parts[(1 + n_attr) * n_class], first the prior with the bias,
 * then each attribute. */
heft_status heft_parts_additive(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                                size_t i, double *parts);
