/* heft_inspect.h - what a model learned: priors, weights, likelihoods, terms.
 * The values and cut points of attributes are in heft_model_attribute (heft.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_INSPECT_H
#define HEFT_INSPECT_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* prior[n_classes]: probabilities that sum to 1. EUNSUPPORTED for a method without a prior of its
 * own. */
HEFT_API heft_status heft_model_prior(const heft_model *model, double *prior, heft_error *err);

/* ---- Weights ---------------------------------------------------------------------------- */

/* What a weight depends on, besides the attribute. */
typedef enum heft_weighting {
    HEFT_WEIGHT_NONE = 0, /* the method has no weights: they are all 1 */
    HEFT_WEIGHT_ATTRIBUTE = 1,
    HEFT_WEIGHT_CLASS = 2,
    HEFT_WEIGHT_VALUE = 3,
    HEFT_WEIGHT_PAIR = 4 /* the weight depends on the two classes that are compared (one
                            against one) */
} heft_weighting;

HEFT_API heft_weighting heft_model_weighting(const heft_model *model);
/* The weight of value v of attribute j for class c. Arguments that the weighting does not depend on
 * are ignored. NaN: there is no such weight, or the weights are by pair. rnb also has a weight for
 * all classes together: that of c = n_classes. For auto the weight of an attribute is its mean
 * absolute evidence, and for waode its weight as a parent: these weights rank attributes but do not
 * multiply likelihoods. */
HEFT_API double heft_model_weight(const heft_model *model, size_t j, size_t c, size_t v);
/* The importance of attribute j: the rise of the mean log loss of held-out training rows if what
 * the attribute says is left out; *error, which may be NULL: its standard error. Both are NaN where
 * the method does not measure it (only auto does). */
HEFT_API double heft_model_importance(const heft_model *model, size_t j, double *error);
/* The weights that tell class a from class b: weights[n_attributes], and *prior, the weight of the
 * prior. The order of a and b does not matter. EUNSUPPORTED unless the weighting is
 * HEFT_WEIGHT_PAIR. */
HEFT_API heft_status heft_model_pair_weights(const heft_model *model, size_t a, size_t b,
                                             double *prior, double *weights, heft_error *err);

/* ---- Likelihoods ------------------------------------------------------------------------ */

/* log_p[n_classes] = log P(x | c) for attribute j, without weights (those of swnb are part of its
 * distributions). x is the index of a value or an interval where the attribute has values,
 * otherwise a number as in the file, or with scale "unit" as divided by the length of its row; NaN:
 * missing. EUNSUPPORTED for methods without a distribution by attribute and class. */
HEFT_API heft_status heft_model_likelihood(const heft_model *model, size_t j, double x,
                                           double *log_p, heft_error *err);

/* ---- Terms ------------------------------------------------------------------------------ */

/* Where the score of a class is a sum of terms, each term depends on one, two or three attributes:
 *
 *     score_c(row) = start_c + sum over t of evidence_t,c(row)
 *
 * Term t < n_attributes is that of attribute t alone; pairs follow, then triples. Where trees test
 * more than three attributes (auto with order=any), the last term is the remainder: the sum of all
 * terms of four and more attributes, and of the weaker ones of more than 4,096 pairs or triples. */
typedef struct heft_term_info {
    size_t size;
    size_t n_attributes;
    size_t attributes[3];
    double strength; /* mean absolute evidence over some training rows; that of an attribute
                        includes half of each of its pairs and a third of each of its triples;
                        NaN: the method does not keep it */
} heft_term_info;

HEFT_API size_t heft_model_terms(const heft_model *model); /* 0: the score is not a sum of terms */
HEFT_API heft_status heft_model_term(const heft_model *model, size_t t, heft_term_info *out,
                                     heft_error *err);
/* evidence[(1 + n_terms) x n_classes] of one row (as in heft_predict_row): the start, then each
 * term. The sum over these lines is the score. */
HEFT_API heft_status heft_model_evidence(const heft_model *model, const double *row,
                                         double *evidence, heft_error *err);
/* The evidence of row i of a table, in the form of heft_model_evidence. */
HEFT_API heft_status heft_explain_terms(const heft_model *model, const heft_table *data, size_t i,
                                        double *evidence, heft_error *err);

/* ---- Tables as the model sees them ------------------------------------------------------ */

/* The table after the model's preparation: imputed, scaled, and discretised with intervals as
 * categories. */
HEFT_API heft_status heft_model_prepare(const heft_model *model, const heft_table *data,
                                        heft_table **out, heft_error *err);
/* The columns that the model uses, unchanged: attributes whose weights are not all 0; for swnb
 * those that reach its threshold in some class. */
HEFT_API heft_status heft_model_select(const heft_model *model, const heft_table *data,
                                       heft_table **out, heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
