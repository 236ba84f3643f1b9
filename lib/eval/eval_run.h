/* eval_run.h - the state of a running evaluation, which the files of this folder share.
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
    const char **params; /* parameters of the plan, then those of the method, which override them */
    heft_value  *values; /* values of all parameters, including defaults */
    bool         chooses; /* some parameter has alternatives */
} heft_eval_method;

typedef struct heft_eval_set {  /* one data set */
    const heft_table *table;    /* rows that count; under `whole` joined with the test rows */
    const heft_table *test;     /* test rows that count; NULL: folds say which rows are tested */
    heft_table       *owned[3]; /* tables to free */
    size_t            n;        /* number of rows that are measured */
    size_t            n_class;  /* number of classes of training and test rows */
    size_t            positive; /* as in heft_outcomes */
    uint16_t         *y;        /* by row: its class; UINT16_MAX: the row is only trained on */
    uint16_t         *fold;     /* repeats x n: the fold of each row; NULL if there is `test` */
    size_t            folds;    /* results->folds, or fewer if every row is a fold */
    size_t           *row;      /* by row: its number in the caller's table; NULL: not needed */
} heft_eval_set;

typedef struct heft_eval_cell { /* one cell while it is computed */
    atomic_size_t failed;   /* lowest failed fold, numbered through the repeats; SIZE_MAX: none */
    atomic_size_t left;     /* number of folds that have not ended */
    atomic_bool   finished; /* the figures of the cell are complete */
    heft_table   *prepared; /* prepared table under `whole`; see same_select */
    /* The cell's figures; they are written when its last fold has ended. */
    double             *per_fold, *macro_f1, *measures; /* per_fold and macro_f1: by fold */
    size_t             *confusion; /* n_class x n_class; NULL: too many classes */
    heft_class_figures *per_class; /* n_class */
    double             *intervals; /* 2 x HEFT_N_DRAWN; NULL: not asked for */
} heft_eval_cell;

typedef struct heft_eval_group {
    /* Predictions of all folds: n x n_class probabilities, then n predicted classes, then n costs
     * of these predictions. The first fold that needs the array allocates it, the last one frees
     * it. */
    _Atomic(double *)   predicted;
    atomic_size_t       left; /* number of folds that have not ended */
    heft_measures       measures;
    size_t             *confusion; /* on the heap: n_class x n_class; may be NULL */
    heft_class_figures *per_class; /* on the heap: n_class; may be NULL */
    double             *draws;     /* on the heap: HEFT_DRAWS x HEFT_N_DRAWN; may be NULL */
} heft_eval_group;

typedef struct heft_eval_fold {
    double accuracy, macro_f1, fit_seconds, predict_seconds;
    bool   costed;  /* the model of the fold knows the costs of predictions */
    char  *failure; /* why the fold failed, on the heap; NULL: it did not */
} heft_eval_fold;

typedef struct heft_imported heft_imported; /* accuracies of another program's method (import.c) */

typedef struct heft_resume_file { /* the file of finished cells */
    const char *path;             /* NULL: there is no file */
    atomic_bool dirty;            /* the file lacks some finished cell */
    atomic_bool urgent;           /* the file lacks a finished cell that took long */
    atomic_flag busy;             /* a thread is writing; only this thread uses `last` and `cost` */
    double      last;             /* when the file was last written */
    double      cost;             /* seconds that the last write took */
} heft_resume_file;

typedef struct heft_eval_run {
    const heft_eval_plan *plan;
    heft_results         *results;
    heft_eval_method     *methods;
    heft_eval_set        *sets;
    const char          **select;      /* by stage: as heft_config.select; NULL: all attributes */
    size_t               *same_select; /* by stage: the first stage with the same `select` */
    heft_eval_cell       *cells;
    heft_eval_group      *groups;                 /* by cell and repeat */
    heft_eval_fold       *folds;                  /* by task: cells x repeats x folds */
    size_t                n_cells, n_tasks, work; /* work: total in the units of `done` */
    atomic_size_t         done;                   /* progress so far */
    heft_imported        *imported;               /* linked list of imported methods */
    heft_resume_file      resume;
    heft_host             quiet; /* the host as tasks may use it: without messages and progress */
    bool                  dealt; /* folds are divided among ranks: deal.c finishes the groups */
    bool                  draw;  /* bootstrap intervals were asked for (bootstrap.h) */
} heft_eval_run;

typedef struct heft_eval_place { /* what a task is about */
    size_t cell, stage, d, m, repeat, fold;
} heft_eval_place;

/* Allocate memory for the results of all tasks. No two tasks write to the same place. */
heft_status heft_make_cells(heft_ctx *ctx, heft_eval_run *r);
/* Free what the folds of a group have left. */
void heft_group_clear(heft_eval_group *g);
void heft_run_clear(heft_eval_run *r);

heft_eval_place heft_place_of(const heft_eval_run *r, size_t task);
size_t          heft_n_folds(const heft_eval_run *r, size_t cell); /* folds x repeats of a cell */
heft_status     heft_text_in(heft_ctx *ctx, heft_arena *arena, const char *text, const char **out);

/* ---- failures ---- */

/* Put the name of the data set before the text of the error. */
heft_status heft_name_failure(heft_ctx *ctx, const char *name, heft_status st);
/* Record why a fold failed. Folds are numbered through the repeats. The cell reports the failure of
 * its lowest fold, so that the message does not depend on the order of the threads. */
heft_status heft_note_failure(heft_ctx *ctx, heft_eval_run *r, size_t cell, size_t fold,
                              const char *why);
/* Whether a failure ends the evaluation. It does not if a method cannot use a data set. */
bool heft_stops_evaluation(heft_status st);
/* Record a failure that does not end the evaluation, and return OK. */
heft_status heft_tolerate_failure(heft_ctx *ctx, heft_eval_run *r, size_t cell, size_t fold,
                                  heft_status st);
/* Copy to the results why cells have no figures. */
heft_status heft_name_failures(heft_ctx *ctx, heft_eval_run *r);
