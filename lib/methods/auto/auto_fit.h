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
    size_t         rounds; /* rounds of boosting with the lowest held-out loss */
} heft_fold;

typedef struct heft_held_rows { /* the held-out rows of all folds, one fold after the other */
    size_t    n;
    size_t   *row;
    size_t   *place; /* in the order of all processes, divided by HEFT_KFOLD */
    double   *alike; /* weight of each and of the rows like it */
    uint16_t *y;
    double   *weight; /* NULL: all 1 */
} heft_held_rows;

typedef struct heft_auto_rows { /* the rows, and how they are divided */
    heft_used_rows used;        /* the rows, attributes and classes that are learned from */
    heft_arena     key_memory;  /* the keys of the rows, while they are needed */
    heft_sample    all;         /* all rows of `used` */
    heft_dealing   order;       /* the rows that members learn from, in an order by content */
    double         n_distinct;  /* rows that differ from all others, equal ones counted once */
    heft_sample    sample;      /* the rows that trees are grown on */
    heft_sample    merged;      /* the same rows for learned weights: equal ones are one row */
    size_t         n_folds;
    heft_fold     *fold;
    heft_held_rows held;
} heft_auto_rows;

typedef struct heft_auto_fitted { /* the members, and how much of each is used */
    bool         takes_part[HEFT_N_MEMBERS];
    double       weight[HEFT_N_MEMBERS]; /* h of auto.c */
    double       held_loss;
    heft_coding  coding;
    heft_coded   coded; /* the codes of all rows, while the counted member needs them */
    heft_counted counted;
    heft_learned learned;
    heft_coded   learned_codes;          /* the codes of rows.merged */
    heft_minimum minimum;                /* how the learned weights were found */
    double       penalty_scale;          /* t of auto.c */
    double       passes;                 /* passes over the rows that learning took */
    bool         left_out;               /* a time limit was too short for learned weights */
    heft_boosted boosted[HEFT_ALL_SETS]; /* those of the folds, then those from all rows */
    size_t       first_set;              /* the model has the sets from this one on */
    size_t       n_rounds;               /* rounds of boosting from all rows */
    bool         late;                   /* a time limit ended boosting */
} heft_auto_fitted;

typedef struct heft_auto { /* one fit */
    const heft_task  *task;
    heft_arena       *arena; /* memory until the fit ends */
    int               effort;
    unsigned          order_bound; /* most attributes in a term of a tree */
    heft_plan         plan;
    heft_learned_rule rule;
    heft_auto_rows    rows;
    heft_auto_fitted  fitted;
    heft_pooled      *pooled;
    heft_steps        steps; /* progress, in passes over a row */
} heft_auto;

/* Divides the rows into folds, so that about plan.held_target rows are held out, each once. Below
 * ten rows there are no folds. */
heft_status heft_auto_folds(heft_ctx *ctx, heft_auto *s);
/* Fits the learned and the boosted member without each fold, and the boosted one from all rows;
 * decides how much of each member is used. The learned member from all rows (rows.merged) is left
 * to the caller. */
heft_status heft_auto_members(heft_ctx *ctx, heft_auto *s);
