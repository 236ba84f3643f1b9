/* term.h - the terms of a score, as explanations, exports and pages see them.
 *
 *   s_c(x) = start_c + sum_j value_j(x_j)_c + sum over the joint terms of table[cell of x]_c
 *            + sum over the trees of value[leaf of x]_c
 *
 * Exports write these terms. Explanations show them unfolded: the evidence of the trees is divided
 * exactly among the start, the attributes, the interactions and a remainder (tree_effects.h).
 *
 * Some scores combine several such sums of the same cells (heft_combining). Only exports have them.
 *
 * A prepared cell has a line of its attribute: the code of a value or an interval, for a number
 * the count of cuts strictly below it, or the line of missing cells or of values never seen. A
 * joint term has one table over the codes of two or three attributes; a view of an attribute gives
 * each of its lines a code. Tables belong to the model. */
#pragma once

#include <math.h>

#include "boost/tree_effects.h"
#include "model/fitted.h"

typedef enum heft_term_kind {
    HEFT_TERM_NONE, /* the same in all classes: adds 0 */
    HEFT_TERM_TABLE,
    HEFT_TERM_NORMAL,  /* a normal density, with the numbers of
                          `normal` */
    HEFT_TERM_POINT,   /* a normal that may be a point mass (sd 0) */
    HEFT_TERM_ROUNDED, /* a normal on rounded numbers */
    HEFT_TERM_KERNEL,
    HEFT_TERM_SLOPED, /* a table, and a slope of the number */
    HEFT_TERM_KINDS
} heft_term_kind;

typedef struct heft_term { /* the term of one attribute */
    heft_term_kind kind;
    bool           numeric; /* the prepared cell is a number */
    size_t         n_codes; /* number of values or intervals, which have lines 0 .. n_codes - 1 */
    size_t         n_cuts;
    const double  *cuts; /* cut points of a number, increasing, made by the preparation or the
                            method */
    uint32_t      missing, unseen; /* lines of missing cells and of values never seen */
    const double *table;           /* TABLE, SLOPED: n_columns numbers per line, with weights
                                      applied */
    const double *normal;          /* NORMAL: n_class each of constant, mean, 1/sd, weight/2 */
    const double *slope;           /* SLOPED: factors of (x - mean) / sd, which is limited to
                                      [-4, 4] */
    double           mean, sd;
    const uint8_t   *error; /* per line: its standard error (heft_error_of); NULL: not known */
    const heft_lik  *lik;   /* the distribution by class, without weights; NULL: there is none */
    size_t           n_views;
    uint32_t *const *view;      /* n_views arrays with a code for each line */
    const uint32_t  *view_size; /* n_views numbers of codes */
} heft_term;

typedef struct heft_joint_term { /* a term of two or three attributes */
    size_t          n;
    uint32_t        attr[HEFT_JOINT_ATTRS]; /* its attributes, increasing */
    uint8_t         view[HEFT_JOINT_ATTRS]; /* the view of each attribute */
    size_t          n_cells;                /* number of lines of the table */
    const uint64_t *key; /* the cells that have a line, increasing; NULL: every cell has one */
    const double   *table;
    size_t          grid; /* number of its grid; terms over the same cells have the same number */
} heft_joint_term;

typedef struct heft_class_pair { /* two classes and the weights that tell them apart */
    size_t  a, b;                /* a < b */
    double  w0;                  /* weight of the prior */
    double *w;                   /* weights of the n_attr attributes */
} heft_class_pair;

typedef enum heft_weight_per {
    HEFT_PER_ATTR,
    HEFT_PER_CLASS,
    HEFT_PER_VALUE,
    HEFT_PER_CLASS_PAIR
} heft_weight_per;

/* How the sum s and further sums s^1, s^2, ... become the score. */
typedef enum heft_combining {
    HEFT_ALONE,     /* s: there are no further sums */
    HEFT_MIXED,     /* log(mixing_0 softmax(s) + mixing_1 softmax(s^1) + ...) */
    HEFT_AVERAGED,  /* log sum_k exp(s^k), without those below HEFT_ABSENT / 10; s where all are */
    HEFT_MULTIPLIED /* s + sum_k log max(s^k, HEFT_LEAST_SUM) */
} heft_combining;

#define HEFT_ABSENT    (-1e30) /* added to a sum that is to be left out */
#define HEFT_LEAST_SUM 1e-18   /* below every estimate, the same for all classes */

typedef struct heft_joint_terms {
    size_t           n, n_grids;
    heft_joint_term *list;
} heft_joint_terms;

typedef struct heft_interactions {
    size_t                  n;
    const heft_interaction *list; /* pairs, then triples, by their attributes */
    /* heft_terms_unfold sets the fields below. */
    size_t                   n_pairs;   /* number of interactions of two attributes */
    size_t                  *part_of;   /* the interaction of each joint term */
    const heft_tree_effects *effects;   /* the interactions of the trees; NULL: none */
    bool                     wide;      /* there is a remainder: trees say more than is listed */
    double                   remainder; /* mean size of the remainder */
    size_t *strongest; /* set by heft_terms_shown: pairs in order of falling evidence, then
                          triples */
} heft_interactions;

typedef struct heft_further_sums {
    heft_combining     combining;
    size_t             n;
    struct heft_terms *list;   /* the further sums, over the cells of the first sum */
    const double      *mixing; /* MIXED: 1 + n weights that sum to 1; the first is that of the
                                  first sum */
} heft_further_sums;

typedef struct heft_terms {
    size_t n_attr, n_class;
    /* A method with a scorer of its own sets the fields below that differ from the shared form
     * (method.h). */
    size_t          n_columns; /* number of columns of the tables */
    const uint32_t *present;   /* the class of each column, increasing; NULL: all classes */
    double         *start;     /* n_class initial values of the score; -inf: the class is left
                                  out */
    heft_term       *attr;     /* n_attr */
    heft_joint_terms joint;
    /* Trees, whose columns are those of the tables (two columns: one number, for the second). Their
     * codes: the line of a value, the line + 1 of a number; missing numbers: tree_missing[attr]. */
    const heft_trees *trees; /* NULL: none */
    uint32_t         *tree_missing;
    const double    **share; /* per attribute: the fraction of the training rows that have each
                                line */
    const double *size;      /* per attribute: mean size of its evidence, with its part of the
                                interactions; NULL: attributes are ranked by their weights */
    heft_interactions interactions;
    size_t n_class_pairs; /* number of class pairs; if it is not 0, each pair has a sum and votes,
                             in place of a sum for each class */
    const heft_class_pair *class_pair;
    heft_further_sums      further;
    /* heft_terms_open sets the fields below. */
    const struct heft_model *model;
    const heft_fitted       *fitted;
    bool                     shared; /* whether the terms have the form of fitted.h, without joint
                                        terms */
    heft_weight_per per;
    const double   *beside; /* per attribute: a weight that is shown beside those of the
                               terms; or NULL */
} heft_terms;

/* Makes the terms of the shared form (fitted.h) in scratch memory: sets shared, fitted, start, attr
 * and per. */
heft_status heft_terms_shared(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *terms);

/* ---- values ---- */

/* Standard errors are kept as a byte each, in steps of an eighth of a power of two. 0: none. */
static inline uint8_t heft_error_byte(double error)
{
    const double e = error > 0 ? round(8 * log2(error)) + 200 : 0;
    return (uint8_t)(e < 0 ? 0 : e > UINT8_MAX ? UINT8_MAX : e);
}
static inline double heft_error_of(uint8_t byte)
{
    return byte ? exp2((byte - 200) / 8.0) : 0;
}
/* The standard error of the evidence of a prepared cell, for each class; NaN: not known. */
double heft_term_error(const heft_term *term, uint32_t code, double number);

/* Whether its cells have codes: for the table of the attribute, or for joint terms. */
static inline bool heft_term_coded(const heft_term *term)
{
    return term->table || term->n_views;
}

/* The line of a spot: 0 .. n_codes - 1 are codes, then missing, then never seen. */
uint32_t heft_term_line(const heft_term *term, size_t spot);
/* Spreads a line of a table over all classes; classes that are left out get 0. */
void heft_terms_spread(const heft_terms *terms, const double *line, double *out);
/* out[n_class] = the evidence of a prepared cell by a term with a table. The cell is a code, or a
 * number if the term is numeric. */
void heft_term_table_value(const heft_terms *terms, size_t j, uint32_t code, double number,
                           double *out);
/* Number of codes of member k of a joint term. */
uint32_t heft_joint_codes(const heft_terms *terms, const heft_joint_term *joint, size_t k);

/* grid[joint.n_grids] = one joint term of each grid, or NULL if there is none, in scratch memory.
 * *n is the number of grids. */
heft_status heft_terms_grids(heft_ctx *ctx, const heft_terms *terms, const heft_joint_term ***grid,
                             size_t *n);

/* ---- one row ---- */

/* Adds the evidence of the trees to the start and the tables; from then on there are no trees, and
 * `effects` has their interactions. Terms with tables alone. Scratch memory. */
heft_status heft_terms_unfold(heft_ctx *ctx, heft_terms *terms);

typedef struct heft_row_evidence { /* the evidence of one row; its lines add up to the score */
    double *parts;    /* (1 + n_attr) x n_class numbers: the start, then the attributes, each with
                         its part of the interactions: a half of a pair, a third of a triple, and
                         so on for the terms that make up the remainder */
    double *alone;    /* like `parts`, without the interactions; NULL: the method has no such
                         terms */
    double *together; /* the interactions, interactions.n x n_class numbers, and the remainder if
                         there is one (heft_terms_joint) */
} heft_row_evidence;

/* Returns how many lines of joint evidence a row has: the interactions, and the remainder where
 * trees say more than these. */
static inline size_t heft_terms_joint(const heft_terms *t)
{
    return t->interactions.n + t->interactions.wide;
}

/* together[n_columns] += an interaction of a row, given the line of each attribute, by unfolded
 * terms. */
void heft_terms_interaction(const heft_terms *terms, const uint32_t *line, size_t which,
                            double *together);
/* The evidence of n of the prepared rows, by unfolded terms, in scratch memory. n is 1 or
 * HEFT_ROWS_AT_ONCE. */
heft_status heft_terms_evidence(heft_ctx *ctx, const heft_terms *terms, const heft_rows *rows,
                                const size_t *row, size_t n, heft_row_evidence *out);
