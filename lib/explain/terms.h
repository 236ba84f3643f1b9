/* terms.h - the terms of a model's score, for all that shows a model or writes it for others.
 *
 * The score of class c for a row x is a sum,
 *
 *   s_c(x) = start_c + sum_j f_jc(x_j) + sum_k g_kc(x in the attributes of k)
 *
 * with a term f_j for each attribute (a table over values or intervals, perhaps with a slope, or a
 * density) and joint terms g_k for pairs of attributes and for trees. The structs are in
 * model/term.h. inspect, explain, reasons, the exports and the pages walk over these terms, and
 * none of them knows a method: a method with a score of its own describes it as terms once
 * (`terms` and `tables` of heft_method), and everything can show and write it.
 *
 * Because the score is a sum, an explanation is exact: the terms of a row add up to its score, and
 * nothing is estimated by sampling, as it must be for models that are only seen from outside. Two
 * kinds of scores are no such sum: votes of class pairs, and several sums that are combined
 * (heft_combining). Exports write both; explanations refuse what they cannot divide
 * (heft_terms_check) rather than approximate it. */
#pragma once

#include "base/text.h"
#include "model/model.h"

/* Open the terms as the model has them, in scratch memory; they refer to the model. Cost:
 * O(attributes + joint terms). */
heft_status heft_terms_open(heft_ctx *ctx, const heft_model *model, heft_terms *out);
/* Open the terms for exports, with all that the score is made of: further sums and joint terms that
 * explanations do not show. Cost: the size of the tables. */
heft_status heft_terms_whole(heft_ctx *ctx, const heft_model *model, heft_terms *out);
/* Open the terms for explanations: what trees say is unfolded into evidence of attributes, pairs
 * and triples. That is done in the first call and kept with the model, so that later calls cost
 * nothing. */
heft_status heft_terms_shown(heft_ctx *ctx, const heft_model *model, heft_terms *out);
/* Whether the terms are the whole score, so that tables and densities can stand for the model. */
bool heft_terms_complete(const heft_terms *terms);

typedef struct heft_joint_list { /* the interactions of two, or of three attributes */
    size_t      n_attr, first, n;
    const char *what; /* name of the list: "pairs" or "triples" */
} heft_joint_list;

enum { HEFT_PAIRS, HEFT_TRIPLES, HEFT_JOINT_LISTS };

static inline heft_joint_list heft_joint_list_of(const heft_terms *t, int which)
{
    return which == HEFT_PAIRS
               ? (heft_joint_list){2, 0, t->interactions.n_pairs, "pairs"}
               : (heft_joint_list){3, t->interactions.n_pairs,
                                   t->interactions.n - t->interactions.n_pairs, "triples"};
}

/* Returns the largest size of an interaction. */
static inline double heft_joint_most(const heft_terms *t)
{
    double most = 0;
    for (size_t k = 0; k < t->interactions.n; k++)
        if (t->interactions.list[k].size > most) most = t->interactions.list[k].size;
    return most;
}

/* What the remainder is called. Where many interactions are not listed, it has them too. */
#define HEFT_REMAINDER "four and more attributes together"

/* Returns a phrase that says how the evidence of interactions is included in that of attributes. */
static inline const char *heft_joint_shares(const heft_terms *t)
{
    if (t->interactions.wide)
        return "half of the evidence of its pairs, a third of that of its triples, and so on";
    return t->interactions.n_pairs < t->interactions.n
               ? "half of the evidence of its pairs and a third of that of its triples"
               : "half of the evidence of its pairs";
}

static inline const char *heft_attr_name(const heft_terms *t, size_t j)
{
    return t->model->prep.attr[j].name;
}

static inline const char *heft_class_name(const heft_terms *t, size_t c)
{
    return heft_dict_text(t->model->prep.classes, (uint32_t)c);
}

/* ---- values ---- */

/* Set out[n_class] to what a cell of attribute j adds to the score of each class. The cell is a
 * code, or a number where the term is numeric. */
void heft_term_value(const heft_terms *terms, size_t j, uint32_t code, double number, double *out);
/* Fails with EUNSUPPORTED and what to do when the score of a row is not a sum over attributes. */
heft_status heft_terms_check(heft_ctx *ctx, const heft_terms *terms);
/* Find the calibrated evidence of row i of prepared rows, in scratch memory. Fails as
 * heft_terms_check. */
heft_status heft_terms_row(heft_ctx *ctx, const heft_terms *terms, const heft_rows *rows, size_t i,
                           heft_row_evidence *out);

/* Writes the names of the attributes of interaction k, as JSON strings with commas. */
void heft_put_members(heft_buf *out, const heft_terms *terms, size_t k);

/* ---- weights ---- */

/* Returns how many weights attribute j has: one, or one per class, value or class pair. */
size_t heft_term_weights(const heft_terms *terms, size_t j);
/* Returns weight k of attribute j. */
double heft_term_weight(const heft_terms *terms, size_t j, size_t k);

/* ---- distributions ---- */

/* Whether the attribute is the same in all classes, and so adds 0. */
static inline bool heft_term_silent(const heft_term *term)
{
    return term->lik && term->lik->silent;
}

/* Returns the log of the sum over values of P(v | c), as a table of likelihoods has them. It is 0,
 * unless weights are folded into the table. */
double heft_term_log_mass(const heft_term *term, size_t K, size_t c);
/* Returns P(v | c) of a coded attribute. */
double heft_term_share(const heft_term *term, size_t K, uint32_t v, size_t c);
/* Find mean and standard deviation of a density. Returns false if nothing was observed in class c.
 */
bool heft_term_moments(const heft_term *term, size_t c, double *mean, double *sd);
/* Find where the density of class c has its mass: `reach` standard deviations around the mean, or
 * all kernels. Returns false if nothing was observed in class c. */
bool heft_term_span(const heft_term *term, size_t c, double reach, double *lo, double *hi);

/* ---- ranking: rank.c ---- */

enum { HEFT_ERRORS = 2 }; /* standard errors to each side of an interval that is shown */

typedef struct heft_attr_rank { /* an attribute (or a class, or a value) and what it is ranked by */
    size_t j;
    double size; /* mean size of its weights; -1: it is the same in every class */
    double bits; /* information about the class that it gives by itself */
} heft_attr_rank;

/* Compares two ranks for qsort: the larger size first, then more bits, then the
 * lower index. */
int heft_attr_rank_compare(const void *a, const void *b);
/* Whether the importance of attribute j is within two standard errors of 0, or below. */
static inline bool heft_may_be_noise(const heft_terms *t, size_t j)
{
    const double *importance = t->model->fitted.importance;
    return importance && !(importance[j] > HEFT_ERRORS * t->model->fitted.importance_error[j]);
}
/* Moves the attributes that may be noise behind the others. */
heft_status heft_rank_noise_last(heft_ctx *ctx, const heft_terms *terms, heft_attr_rank *order);
/* Ranks attributes by importance where it was measured, by the size of their weight where weights
 * differ, otherwise by their bits. The
 * order is in scratch memory. */
heft_status heft_rank_attributes(heft_ctx *ctx, const heft_terms *terms, heft_attr_rank **order,
                                 bool *differ);
/* Set prior[n_class], which sums to 1. If the model has no prior, all classes get the same. */
void heft_terms_prior(const heft_terms *terms, double *prior);
/* Finds the least, the largest and the mean size of the weights of attribute j. */
void heft_term_weight_range(const heft_terms *terms, size_t j, double *lo, double *hi,
                            double *size);
