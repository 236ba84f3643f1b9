/* term.h - the terms of a score, as explanations, exports and pages see them.
 *
 *   s_c(x) = start_c + sum_j value_j(x_j)_c + sum over the joint terms of table[cell of x]_c
 *            + sum over the trees of value[leaf of x]_c
 *
 * A prepared cell has a line of its attribute: the code of a value or an interval, for a number
 * the count of cuts strictly below it, or the line of missing cells or of values never seen. A
 * joint term has one table over the codes of two or three attributes; a view of an attribute gives
 * each of its lines a code. Tables belong to the model. */
#pragma once

#include "model/fitted.h"
#include "model/trees.h"

enum { HEFT_JOINT_ATTRS = 3 };

typedef enum heft_term_kind {                 /* the numbers stand in exported C */
                              HEFT_TERM_NONE, /* the same in all classes: adds 0 */
                              HEFT_TERM_TABLE,
                              HEFT_TERM_NORMAL,  /* by `normal` */
                              HEFT_TERM_POINT,   /* a normal that may be a point mass (sd 0) */
                              HEFT_TERM_ROUNDED, /* a normal on rounded numbers */
                              HEFT_TERM_KERNEL,
                              HEFT_TERM_SLOPED, /* a table and a slope */
                              HEFT_TERM_KINDS
} heft_term_kind;

typedef struct heft_term { /* of one attribute */
    heft_term_kind   kind;
    bool             numeric; /* the prepared cell is a number */
    size_t           n_codes; /* values or intervals: lines 0 .. n_codes - 1 */
    size_t           n_cuts;
    const double    *cuts; /* of a number, increasing; by the preparation or the method */
    uint32_t         missing, unseen; /* lines */
    const double    *table;           /* TABLE, SLOPED: a line each, weights applied */
    const double    *normal;          /* NORMAL: n_class each of constant, mean, 1/sd, weight/2 */
    const double    *slope;           /* SLOPED: times (x - mean) / sd within [-4, 4] */
    double           mean, sd;
    const heft_lik  *lik; /* the distribution by class, without weights; NULL: there is none */
    size_t           n_views;
    uint32_t *const *view;      /* n_views: a code for each line */
    const uint32_t  *view_size; /* n_views: how many codes */
} heft_term;

typedef struct heft_joint_term { /* of two or three attributes */
    size_t          n;
    uint32_t        attr[HEFT_JOINT_ATTRS]; /* increasing */
    uint8_t         view[HEFT_JOINT_ATTRS]; /* of each attribute */
    size_t          n_cells;                /* lines of the table */
    const uint64_t *key; /* the cells that have a line, increasing; NULL: every cell has one */
    const double   *table;
    double          size; /* mean size of its evidence */
} heft_joint_term;

typedef struct heft_class_pair { /* two classes and the weights that tell them apart */
    size_t  a, b;                /* a < b */
    double  w0;                  /* weight of the prior */
    double *w;                   /* n_attr */
} heft_class_pair;

typedef struct heft_interaction { /* the joint terms of the same attributes, taken together */
    size_t   n;
    uint32_t attr[HEFT_JOINT_ATTRS]; /* increasing */
    double   size;                   /* mean size of its evidence */
} heft_interaction;

typedef enum heft_weight_per {
    HEFT_PER_ATTR,
    HEFT_PER_CLASS,
    HEFT_PER_VALUE,
    HEFT_PER_CLASS_PAIR
} heft_weight_per;

typedef struct heft_terms {
    size_t n_attr, n_class;
    /* A method with a score of its own fills in what differs from the shared form (method.h). */
    size_t           n_columns; /* of the tables */
    const uint32_t  *present;   /* the class of each column, increasing; NULL: all classes */
    double          *start;     /* n_class: where the score begins; -inf: the class is left out */
    heft_term       *attr;      /* n_attr */
    size_t           n_joint;
    heft_joint_term *joint;
    /* Trees, whose columns are those of the tables (two columns: one number, for the second). Their
     * codes: the line of a value, the line + 1 of a number; missing numbers: tree_missing[attr]. */
    const heft_trees *trees; /* NULL: none */
    uint32_t         *tree_missing;
    const double    **share; /* n_attr: the share of the training rows with each line */
    const double     *size;  /* n_attr: mean size of an attribute's evidence, with its share of the
                                joint terms; NULL: attributes are ranked by their weights */
    size_t n_class_pairs; /* one sum for each of these in place of one for each class; they vote */
    const heft_class_pair *class_pair;
    /* Filled in by heft_terms_open. */
    const struct heft_model *model;
    bool                     shared; /* the form of fitted.h, without joint terms */
    heft_weight_per          per;
    const double            *beside; /* n_attr: weights besides those of the terms; or NULL */
    size_t                   n_interactions;
    heft_interaction        *interaction; /* by their attributes */
    size_t                  *strongest;   /* n_interactions: the most evidence first */
    size_t                  *part_of;     /* n_joint: the interaction of each joint term */
} heft_terms;
