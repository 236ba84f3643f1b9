/* auto_fit.h - one fit of the default method: what auto.c and members.c share.
 *
 * A fit has three parts: the rows and how they are divided (heft_auto_rows), what is learned from
 * them (heft_auto_fitted), and the problem with its plan, which holds both (heft_auto). */
#pragma once

#include "boost/boost.h"
#include "learn/folds.h"
#include "methods/auto/auto_plan.h"
#include "methods/auto/counted.h"
#include "methods/auto/learned.h"
#include "methods/auto/pooled.h"
#include "methods/auto/used_rows.h"

enum { HEFT_LEARNED, HEFT_COUNTED, HEFT_BOOSTED, HEFT_N_MEMBERS };
enum { HEFT_N_SCALES = 4 }; /* strengths of the penalties of learned weights that are tried */
enum { HEFT_ALL_SETS = HEFT_KFOLD + HEFT_MOST_SETS };

typedef struct heft_fold {
    heft_fold_part held, others;
    size_t         first; /* where its held-out rows begin among those of all folds */
    heft_minimum   how[HEFT_N_SCALES];
    size_t         rounds;                 /* rounds of boosting with the lowest held-out loss */
    size_t         first_looked, n_looked; /* its rows among those that are looked at */
} heft_fold;

typedef struct heft_held_rows { /* the held-out rows of all folds, one fold after the other */
    size_t    n;
    size_t   *row;
    size_t   *place; /* in the order of all processes, divided by plan.rows.n_parts */
    double   *alike; /* weight of each and of the rows like it */
    uint16_t *y;
    double   *weight; /* NULL: all 1 */
} heft_held_rows;

typedef struct heft_looked_rows { /* held-out rows on which importance is measured */
    size_t  step;                 /* every so manieth in the order of all; 0: it is not measured */
    size_t  n;
    size_t *at;      /* places among the held-out rows, increasing */
    size_t *in_fold; /* places among those of the fold */
} heft_looked_rows;

typedef struct heft_auto_rows {  /* the rows, and how they are divided */
    heft_used_rows   used;       /* the rows, attributes and classes that are learned from */
    heft_arena       key_memory; /* the keys of the rows, while they are needed */
    heft_sample      all;        /* all rows of `used` */
    heft_dealing     order;      /* the rows that members learn from, in an order by content */
    double           n_distinct; /* rows that differ from all others, equal ones counted once */
    heft_sample      sample;     /* the rows that trees are grown on */
    heft_sample      merged;     /* the same rows for learned weights: equal ones are one row */
    size_t           n_folds;
    heft_fold       *fold;
    heft_held_rows   held;
    heft_looked_rows looked;
    heft_row_plan    plan;
    heft_sample      cut;    /* many rows: those that numbers are cut by */
    size_t          *window; /* many rows: where each window begins among the others of the fold */
} heft_auto_rows;

typedef struct heft_auto_fitted { /* the members, and how much of each is used */
    bool         takes_part[HEFT_N_MEMBERS];
    double       weight[HEFT_N_MEMBERS]; /* h of auto.c */
    double       held_loss;
    heft_coding  coding;
    heft_coded   coded; /* the codes of all rows, while the counted member needs them */
    heft_counted counted;
    bool         counts; /* there was time for the counted member */
    heft_learned learned;
    heft_coded   learned_codes;                 /* the codes of rows.merged */
    heft_minimum minimum;                       /* how the learned weights were found */
    double       penalty_scale;                 /* t of auto.c */
    double       passes;                        /* passes over the rows that learning took */
    bool         left_out;                      /* a time limit was too short for learned weights */
    heft_boosted boosted[HEFT_ALL_SETS];        /* those of the folds, then those from all rows */
    size_t       first_set;                     /* the model has the sets from this one on */
    size_t       n_rounds;                      /* rounds of boosting from all rows */
    bool         late;                          /* a time limit ended boosting */
    double      *importance, *importance_error; /* by attribute; NULL: not measured */
} heft_auto_fitted;

typedef struct heft_auto { /* one fit */
    const heft_task  *task;
    heft_arena       *arena; /* memory until the fit ends */
    int               effort;
    unsigned          order; /* most attributes that the path of a tree may test; 0: chosen */
    heft_plan         plan;
    heft_learned_rule rule;
    heft_auto_rows    rows;
    heft_auto_fitted  fitted;
    heft_pooled      *pooled;
    heft_steps        steps;   /* progress, in passes over a row */
    double            pass;    /* seconds that the keys of the cells took; 0: no time limit */
    bool              hurried; /* windows are small, so that there is time for more rounds */
} heft_auto;

/* The plan of this fit for trees of an order. */
static inline heft_plan heft_auto_plan(const heft_auto *s, unsigned order)
{
    return heft_plan_of(&(heft_plan_for){s->effort, order, s->rows.n_distinct, s->rows.used.n_all,
                                         s->rows.used.n_class, &s->rows.plan});
}

/* How many rows may be grown on at once, so that there is time for some hundred rounds; SIZE_MAX:
 * any number. pass: seconds that the keys of the cells took on this process. All processes get the
 * same answer. */
heft_status heft_time_of_rows(heft_ctx *ctx, heft_auto *s, double pass, size_t *most);
/* Whether there is time for the counted member. Where trees are grown on many rows it adds little
 * to them. */
heft_status heft_time_to_count(heft_ctx *ctx, const heft_auto *s, bool *counts);

/* Divides the rows into folds, so that about plan.held_target rows are held out, each once. Below
 * ten rows there are no folds. Many rows have one. */
heft_status heft_auto_folds(heft_ctx *ctx, heft_auto *s);
/* Fits the learned and the boosted member without each fold, and the boosted one from all rows;
 * decides how much of each member is used. The learned member from all rows (rows.merged) is left
 * to the caller. */
heft_status heft_auto_members(heft_ctx *ctx, heft_auto *s);

/* ---- importance.c ---- */

/* Chooses the rows that importance is measured on, before any member is fitted. */
heft_status heft_auto_look(heft_ctx *ctx, heft_auto *s);
/* Measures importance. score: the scores of the held-out rows by each member that takes part;
 * learned: the contributions to the learned ones. */
heft_status heft_auto_importance(heft_ctx *ctx, heft_auto *s, const double *const *score,
                                 const double *learned);
/* Some of the rows, for means over the values of an attribute; scratch memory. */
heft_status heft_auto_mean_sample(heft_ctx *ctx, const heft_auto *s, heft_sample *out);

/* ---- errors.c ---- */

/* Sets the standard errors of the lines of all attributes, where there are folds and trees. Memory
 * from `arena`. */
heft_status heft_auto_errors(heft_ctx *ctx, const heft_auto *s, heft_arena *arena);
