/* pooled.h - evidence of attribute values and of pairs of them, pooled into one additive score.
 *
 *   s_c(x) = bias_c + sum_j ( table_j[line of x_j]_c + slope_jc z_j ) + sum_pairs table[cell]_c
 *
 *            + sum_trees value[leaf of x]_c
 *
 * over the classes that have rows; the others are left out. z is the scaled number (coding.h). A
 * pair's cell is made of two views: a view of an attribute gives each of its lines a code. Every
 * line of every table, and every leaf, has mean 0 over the classes, up to rounding.
 *
 * Trees read codes of their own (tree_code in pooled.c): for a number its line + 1, so that missing
 * cells, where the training rows have any, can be below all; for a value its line. */
#pragma once

#include "boost/boost.h"
#include "methods/auto/coding.h"
#include "methods/auto/pair_search.h"
#include "model/state.h"
#include "model/term.h"

typedef struct heft_pooled_attr {
    heft_lines lines; /* numeric, apart, cuts, n_lines, mean, sd; the codes are in the views */
    double    *table; /* n_lines x K */
    bool       sloped;
    double    *slope; /* K; NULL: none */
    size_t     n_views;
    uint32_t  *view[HEFT_N_RES]; /* n_lines codes each */
    uint32_t   n_codes[HEFT_N_RES];
    uint32_t   tree_missing; /* numeric: the code of missing cells in trees */
    double    *share;        /* n_lines: fraction of the training rows; NULL: there are no trees */
    uint8_t   *error; /* n_lines: standard errors (heft_error_of); NULL: they are not known */
} heft_pooled_attr;

typedef struct heft_pair_table {
    uint32_t  i, j; /* i < j */
    uint8_t   view_i, view_j;
    size_t    n_cells; /* lines of the table */
    uint64_t *key;     /* the cells that have a line, increasing; NULL: every cell has one */
    double   *table;   /* n_cells x K */
    double    step;    /* its numbers are whole multiples; 0: in models of older versions */
} heft_pair_table;

typedef struct heft_pooled {
    size_t            n_attr, n_class; /* n_class is K: classes that have rows */
    size_t            n_declared;
    uint32_t         *present; /* K of the declared classes; increasing, once widened */
    double           *bias;    /* K */
    heft_pooled_attr *attr;
    size_t            n_pairs, capacity;
    heft_pair_table  *pair;
    heft_trees        trees;
    double            leaf_step;  /* the values of leaves are whole multiples, as in pair tables */
    bool              has_errors; /* the lines of attributes have standard errors */
    size_t            n_interactions;
    heft_interaction *interaction; /* those of pair tables and trees, with sizes */
    size_t            n_listed;
    uint32_t         *listed;     /* where a path tests more than HEFT_JOINT_ATTRS attributes:
                                     HEFT_JOINT_ATTRS of each interaction, UINT32_MAX for none;
                                     else NULL, because trees and pairs tell which there are */
    double           remainder;   /* mean size of what is in none of the interactions */
    size_t          *head, *next; /* while pooling: capacity + 1 lists of pairs, by hash */
    const heft_turn *turn; /* while pooling: where attributes and classes go; NULL: they stay */
} heft_pooled;

/* ---- pooling ----
 *
 * Where attributes or classes take each other's place in the rows, none of them may come first: the
 * evidence is pooled once for each turn of their places, each time with the same fraction. */

/* Begins pooling. The caller has set n_class, n_declared, present and capacity, which bounds the
 * pairs that may be added; `coding` and `present` are copied. */
heft_status heft_pooled_init(heft_ctx *ctx, const heft_coding *coding, heft_arena *arena,
                             heft_pooled *out);
/* Adds factor times line[n_class] to the bias. */
void heft_pooled_bias(heft_pooled *pooled, double factor, const double *line);
/* Adds factor times line[n_class] to the slope of attribute j. */
heft_status heft_pooled_slope(heft_ctx *ctx, heft_pooled *pooled, size_t j, double factor,
                              const double *line, heft_arena *arena);
/* Adds factor times table[code of the line at resolution res] to every line of attribute j. */
void heft_pooled_add(heft_pooled *pooled, const heft_coding *coding, size_t j, unsigned res,
                     double factor, const double *table);

typedef struct heft_pair_evidence { /* a table over the codes of two attributes */
    heft_pair        at;
    unsigned         res;   /* the resolution of the codes */
    const heft_join *join;  /* the cells that have a line; NULL: all q_i x q_j of them */
    const double    *table; /* a line of n_class per cell */
} heft_pair_evidence;

/* Adds factor times the table of a pair. */
heft_status heft_pooled_pair_add(heft_ctx *ctx, heft_pooled *pooled, const heft_coding *coding,
                                 const heft_pair_evidence *evidence, double factor,
                                 heft_arena *arena);

typedef struct heft_boosted_sets {
    const heft_boosted *set;
    size_t              n;
    heft_coding        *coding; /* the attributes that the sets refer to */
    const heft_rows    *rows;   /* the rows that the sets were learned from */
    const heft_turns   *turns;
} heft_boosted_sets;

/* Makes the cuts of the trees lines of the coding. It is called before heft_pooled_init. */
heft_status heft_trees_refine(heft_ctx *ctx, const heft_boosted_sets *sets, heft_arena *arena);
/* Adds factor times the scores of the boosted sets, each times its weight, for all turns. */
heft_status heft_pooled_trees_add(heft_ctx *ctx, heft_pooled *pooled, const heft_sample *sample,
                                  const heft_boosted_sets *sets, double factor, heft_arena *arena);
/* Adds factor times the effects of joint values, as pairs: pooled_values.c. */
heft_status heft_pooled_value_pairs_add(heft_ctx *ctx, heft_pooled *pooled,
                                        const heft_boosted_sets *sets, double factor,
                                        heft_arena *arena);
/* The number of pairs that it will add at most. */
size_t heft_pooled_value_pairs(const heft_boosted_sets *sets);
/* Adds the tables of a pair to the finest of them and subtracts its mean over the classes from
 * every line. The numbers of pair tables and leaves are rounded to whole multiples of a step, so
 * that the model file has 16 or 32 bits for each. It is called once, when all is pooled. */
heft_status heft_pooled_close(heft_ctx *ctx, heft_pooled *pooled);

/* Makes the attributes pooled number used[0..n_attr) among those of `rows`, in any order; the
 * others get lines without evidence. Classes come to the order of their numbers. It is called when
 * all is pooled. */
heft_status heft_pooled_widen(heft_ctx *ctx, heft_pooled *pooled, const size_t *used,
                              const heft_rows *rows, bool unseen_apart, heft_arena *arena);

/* Sets the interactions: those of the pairs, whose attributes increase, and of the trees, with the
 * expansion's rule if there are too many. */
heft_status heft_pooled_interactions(heft_ctx *ctx, heft_pooled *pooled, heft_arena *arena);

/* Exchanges the two attributes of a pair. */
heft_status heft_pair_turn(heft_ctx *ctx, const heft_pooled *pooled, heft_arena *arena,
                           heft_pair_table *pair);

/* ---- use: pooled_score.c ---- */

/* Adds factor times a line, or several lines next to each other, of K numbers in all. */
static inline void heft_line_add(double *to, const double *from, double factor, size_t K)
{
    for (size_t c = 0; c < K; c++) to[c] += factor * from[c];
}

/* log_joint[n_rows x n_declared]; -inf for classes without rows. */
heft_status heft_pooled_score(heft_ctx *ctx, const heft_pooled *pooled, const heft_rows *rows,
                              double *log_joint);
/* The terms, for explanations and exports; scratch memory. */
heft_status heft_pooled_terms(heft_ctx *ctx, const heft_pooled *pooled, heft_terms *out);
/* Mean over about 200 rows of all processes (50 where there are trees, 16 where they test more than
 * three attributes on a path) and classes of the size of the evidence: of each attribute with its
 * share of its interactions, to of_attr, and of each interaction by itself, in scratch memory.
 * Before heft_pooled_widen, which keeps the latter: with all attributes of a wide table and all
 * declared classes a row would take far more memory. */
heft_status heft_pooled_sizes(heft_ctx *ctx, heft_pooled *pooled, const heft_rows *rows,
                              heft_arena *arena, double *of_attr);

extern const heft_state heft_pooled_state; /* in the model file */
