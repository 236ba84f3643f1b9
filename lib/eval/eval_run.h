/* eval_run.h - an evaluation while it runs: what heft_evaluate works on, shared by the files that
 * do the work.
 *
 * A cell is one stage, data set and method; its number is (stage * n_data + data set) * n_method +
 * method. A group is the folds of one repeat of a cell, a task is one fold. */
#pragma once

#include <stdatomic.h>

#include "base/rows.h"
#include "eval/bootstrap.h"
#include "eval/results.h"
#include "methods/registry.h"

typedef struct heft_eval_method { /* one method with its parameters */
    const heft_method *method;
    const char       **params;  /* the plan's, then its own, which win */
    heft_value        *values;  /* all of its options, defaults included */
    bool               chooses; /* some of them have alternatives */
} heft_eval_method;

typedef struct heft_eval_set { /* one data set */
    const heft_table *table;   /* rows that count; joined with the test rows under `whole` */
    const heft_table *test;    /* rows that count; NULL: the test rows are by fold */
    heft_table       *owned[3];
    size_t            n;        /* number of rows that are measured */
    size_t            n_class;  /* number of classes that they may have */
    size_t            positive; /* as in heft_outcomes */
    uint16_t         *y;        /* n; UINT16_MAX: a row that is only trained on */
    uint16_t         *fold;     /* repeats x n; NULL with `test` */
    size_t            folds;    /* res->folds, or fewer where every row is a fold */
    size_t           *row; /* n: their rows in the caller's table; NULL: predictions are not kept */
} heft_eval_set;

typedef struct heft_eval_cell { /* one cell while it is computed */
    atomic_size_t failed;       /* lowest fold that failed, repeat by repeat; SIZE_MAX: none */
    atomic_size_t left;         /* folds that have not ended */
    atomic_bool   finished;     /* its figures are there */
    heft_table   *prepared;     /* under `whole`, where its stage is the first with its `select` */
    /* The cell's figures; they are written when its last fold has ended. */
    double             *per_fold, *macro_f1, *measures; /* the first two by fold */
    size_t             *confusion; /* n_class x n_class; NULL: too many classes */
    heft_class_figures *per_class; /* n_class */
    double             *intervals; /* 2 x HEFT_N_DRAWN; NULL: not asked for */
} heft_eval_cell;

typedef struct heft_eval_group {
    /* What the folds predict: n x n_class probabilities, then n predicted classes, then what these
     * cost. Made by the first fold to need it, freed by the last. */
    _Atomic(double *)   predicted;
    atomic_size_t       left; /* folds that have not ended */
    heft_measures       measures;
    size_t             *confusion; /* heap; n_class x n_class or NULL */
    heft_class_figures *per_class; /* heap; n_class or NULL */
    double             *draws;     /* heap; HEFT_DRAWS x HEFT_N_DRAWN or NULL */
} heft_eval_group;

typedef struct heft_eval_fold {
    double accuracy, macro_f1, fit_seconds, predict_seconds;
    bool   costed;  /* its model knows the costs of predictions */
    char  *failure; /* heap */
} heft_eval_fold;

typedef struct heft_imported heft_imported; /* a method of another program; import.c */

typedef struct heft_resume_file { /* the file of finished cells */
    const char *path;             /* NULL: none */
    atomic_bool dirty;            /* cells are finished that it does not hold */
    atomic_bool urgent;           /* one of these cells took long */
    atomic_flag busy;             /* a thread is writing, which alone uses `last` and `cost` */
    double      last;             /* when the file was last written */
    double      cost;             /* how many seconds that took */
} heft_resume_file;

typedef struct heft_eval_run {
    const heft_eval_plan *plan;
    heft_results         *results;
    heft_eval_method     *methods;
    heft_eval_set        *sets;
    const char          **select;      /* by stage: as in heft_config; NULL: all attributes */
    size_t               *same_select; /* by stage: the first with the same `select` */
    heft_eval_cell       *cells;
    heft_eval_group      *groups;                 /* cells x repeats */
    heft_eval_fold       *folds;                  /* cells x repeats x folds: by task */
    size_t                n_cells, n_tasks, work; /* `work` in the units of `done` */
    atomic_size_t         done;
    heft_imported        *imported; /* a list */
    heft_resume_file      resume;
    heft_host             quiet; /* the host's, as methods inside the tasks may use it */
    bool                  dealt; /* other ranks have other folds: groups are finished with them */
    bool                  draw;  /* test rows are drawn again (bootstrap.h) */
} heft_eval_run;

typedef struct heft_eval_place { /* what a task is about */
    size_t cell, stage, d, m, repeat, fold;
} heft_eval_place;

/* Allocate memory for what the tasks find. No two of them write to the same place. */
heft_status heft_make_cells(heft_ctx *ctx, heft_eval_run *r);
void        heft_run_clear(heft_eval_run *r);

heft_eval_place heft_place_of(const heft_eval_run *r, size_t task);
size_t      heft_n_folds(const heft_eval_run *r, size_t cell); /* folds x repeats of its data set */
heft_status heft_text_in(heft_ctx *ctx, heft_arena *arena, const char *text, const char **out);

/* ---- failures ---- */

/* Put the name of the data set before what went wrong with it. */
heft_status heft_name_failure(heft_ctx *ctx, const char *name, heft_status st);
/* Record why a fold has failed. Folds are numbered through the repeats; the failure of the lowest
 * is that of the cell. */
heft_status heft_note_failure(heft_ctx *ctx, heft_eval_run *r, size_t cell, size_t fold,
                              const char *why);
/* Whether a failure ends the evaluation. That a method cannot use a data set does not. */
bool heft_stops_evaluation(heft_status st);
/* Record a failure that does not end the evaluation, and return OK. */
heft_status heft_tolerate_failure(heft_ctx *ctx, heft_eval_run *r, size_t cell, size_t fold,
                                  heft_status st);
/* Put the reasons why cells have no figures into the results. */
heft_status heft_name_failures(heft_ctx *ctx, heft_eval_run *r);
