/* terms.h - one walk over the terms of a model's score: what inspect, explain, the exports and the
 * pages know of the inside of a model. The structs are in model/term.h. */
#pragma once

#include "model/model.h"

/* Scratch memory; refers to the model. Cost: O(attributes + joint terms). */
heft_status heft_terms_open(heft_ctx *ctx, const heft_model *model, heft_terms *out);
/* The terms are all of the score: tables and densities can stand for the model. */
bool heft_terms_complete(const heft_terms *terms);

static inline const char *heft_attr_name(const heft_terms *t, size_t j)
{
    return t->model->prep.attr[j].name;
}

static inline const char *heft_class_name(const heft_terms *t, size_t c)
{
    return heft_dict_text(t->model->prep.classes, (uint32_t)c);
}

/* ---- values ---- */

/* The line of a spot: 0 .. n_codes - 1 are codes, then missing, then never seen. */
uint32_t heft_term_line(const heft_term *term, size_t spot);
/* A line of a table over all classes: 0 for those that are left out. */
void heft_terms_spread(const heft_terms *terms, const double *line, double *out);
/* out[n_class]: what a cell of attribute j adds: a code, or a number where the term is numeric. */
void heft_term_value(const heft_terms *terms, size_t j, uint32_t code, double number, double *out);
/* Codes of member k of a joint term. */
uint32_t heft_joint_codes(const heft_terms *terms, const heft_joint_term *joint, size_t k);

typedef struct heft_row_evidence { /* of one row; the lines add up to its score, calibrated */
    double *parts;    /* (1 + n_attr) x n_class: the start, then attributes, each with its share of
                         the joint terms */
    double *alone;    /* the same without the joint terms; NULL: the method has no such terms */
    double *together; /* n_interactions x n_class */
} heft_row_evidence;

/* Row i of prepared rows; scratch memory. EUNSUPPORTED when the score is not a sum over attributes.
 */
heft_status heft_terms_row(heft_ctx *ctx, const heft_terms *terms, const heft_rows *rows, size_t i,
                           heft_row_evidence *out);

/* ---- weights ---- */

/* How many weights attribute j has: one, or one per class, value or class pair; and weight k. */
size_t heft_term_weights(const heft_terms *terms, size_t j);
double heft_term_weight(const heft_terms *terms, size_t j, size_t k);

/* ---- distributions ---- */

/* The same in all classes: adds 0. */
static inline bool heft_term_silent(const heft_term *term)
{
    return term->lik && term->lik->silent;
}

/* log sum_v of column c of a table of likelihoods: 0, unless weights are folded into it. */
double heft_term_log_mass(const heft_term *term, size_t K, size_t c);
/* P(v | c) of a coded attribute. */
double heft_term_share(const heft_term *term, size_t K, uint32_t v, size_t c);
/* Mean and standard deviation of a density; false: nothing was observed in class c. */
bool heft_term_moments(const heft_term *term, size_t c, double *mean, double *sd);
/* Where a density of class c has its mass: `reach` standard deviations, or all kernels. */
bool heft_term_span(const heft_term *term, size_t c, double reach, double *lo, double *hi);

/* ---- ranking: rank.c ---- */

typedef struct heft_standing { /* of an attribute */
    size_t j;
    double size; /* mean size of its weights; -1: it is the same in every class */
    double bits; /* what it tells about the class by itself */
} heft_standing;

/* For qsort: larger size first, then more bits, then the lower index. */
int heft_by_standing(const void *a, const void *b);
/* Attributes by the size of their weight where weights differ, otherwise by their bits; scratch
 * memory. */
heft_status heft_rank_attributes(heft_ctx *ctx, const heft_terms *terms, heft_standing **order,
                                 bool *differ);
/* prior[n_class], which sums to 1; the same for all classes where the model has none. */
void heft_terms_prior(const heft_terms *terms, double *prior);
/* Least, largest and mean size of the weights of attribute j. */
void heft_term_weight_range(const heft_terms *terms, size_t j, double *lo, double *hi,
                            double *size);
