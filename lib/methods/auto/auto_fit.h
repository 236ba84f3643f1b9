/* auto_fit.h - one fit of the default method: what auto.c and members.c share. */
#pragma once

#include "boost/boost.h"
#include "learn/folds.h"
#include "methods/auto/auto_plan.h"
#include "methods/auto/counted.h"
#include "methods/auto/learned.h"
#include "methods/auto/pooled.h"
#include "methods/auto/used_rows.h"

enum { HEFT_LEARNED, HEFT_COUNTED, HEFT_BOOSTED, HEFT_N_MEMBERS };
enum { HEFT_N_SCALES = 4 }; /* of the penalties of learned weights that are tried */
enum { HEFT_ALL_SETS = HEFT_KFOLD + HEFT_MOST_SETS };

typedef struct heft_fold {
    heft_fold_part held, others;
    size_t         first; /* of its rows among those of all folds */
    heft_minimum   how[HEFT_N_SCALES];
    size_t         rounds; /* of boosting */
    double         loss;
} heft_fold;

typedef struct heft_held_rows { /* of all folds, one after the other */
    size_t    n;
    size_t   *row, *place; /* place: in the order of all processes, in fives */
    double   *alike;       /* weight of the rows like each */
    uint16_t *y;
    double   *weight; /* NULL: all 1 */
} heft_held_rows;

typedef struct heft_auto { /* one fit */
    const heft_task  *task;
    heft_arena       *arena; /* until the fit ends */
    int               effort;
    heft_plan         plan;
    heft_used_rows    of; /* what is learned from of the task's rows */
    heft_learned_rule rule;
    heft_sample       all; /* its rows */
    heft_coding       coding;
    heft_coded        coded;
    heft_counted      counted;
    heft_dealing      list;     /* rows to learn from, in order */
    double            distinct; /* rows that differ */
    heft_sample       sample;   /* the rows that trees are grown on */
    heft_sample       merged;   /* the same for learned weights: repeated rows taken together */
    heft_learned      learned;
    heft_coded        own_coded; /* of the sample */
    heft_minimum      how;
    bool              in[HEFT_N_MEMBERS]; /* the members that take part */
    double            h[HEFT_N_MEMBERS], t, held_loss, passes;
    size_t            n_folds;
    heft_fold        *fold;
    heft_held_rows    held;
    unsigned          order_bound;            /* attributes in a term of a tree */
    heft_arena        row_keys;               /* the keys of the rows, while they are needed */
    heft_boosted      boosted[HEFT_ALL_SETS]; /* those of the folds, then those from all rows */
    size_t            first_set;              /* of those that the model has */
    double            boost_loss;
    size_t            n_rounds;       /* of boosting */
    bool              late, left_out; /* a time limit ended boosting; no weights were learned */
    heft_pooled      *pooled;
    heft_steps        steps; /* passes over a row */
} heft_auto;

/* s->plan.held_target rows are held out, in folds, each once; none below ten rows. */
heft_status heft_auto_folds(heft_ctx *ctx, heft_auto *s);
/* The learned and the boosted member of the folds, the boosted one from all rows, and how much of
 * each member is used. The learned one from all rows is left to the caller, from s->merged. */
heft_status heft_auto_members(heft_ctx *ctx, heft_auto *s);
