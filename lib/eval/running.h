/* running.h - inside an evaluation: what heft_evaluate works on, shared by the files that do it.
 *
 * A cell is one stage, data set and method; its number is (stage * n_data + data set) * n_method +
 * method. A group is the folds of one repeat of a cell, a task is one fold. */
#pragma once

#include <stdatomic.h>

#include "base/rows.h"
#include "eval/bootstrap.h"
#include "eval/results.h"
#include "train/fit.h"

typedef struct eval_method { /* one method with its parameters */
    const heft_method *method;
    const char       **params; /* the plan's, then its own, which win */
    heft_value        *values; /* all of its options, defaults included */
} eval_method;

typedef struct eval_set {    /* one data set */
    const heft_table *table; /* rows that count; joined with the test rows under `whole` */
    const heft_table *test;  /* rows that count; NULL: the test rows are by fold */
    heft_table       *owned[3];
    size_t            n, n_class; /* rows measured over, and the classes they may have */
    uint16_t         *y;          /* n; UINT16_MAX: a row that is only trained on */
    uint16_t         *fold;       /* repeats x n; NULL with `test` */
    size_t            folds;      /* res->folds, or fewer where every row is a fold */
    size_t           *row;        /* n: in the caller's table; NULL: predictions are not kept */
} eval_set;

typedef struct cell_work {  /* one cell while it is computed */
    atomic_size_t failed;   /* lowest fold that failed, repeat by repeat; SIZE_MAX: none */
    atomic_size_t left;     /* folds that have not ended */
    atomic_bool   finished; /* its figures are there */
    heft_table   *prepared; /* under `whole`, where its stage is the first with its `select` */
    /* The cell's figures; they are written when its last fold has ended. */
    double             *per_fold, *measures;
    size_t             *confusion; /* n_class x n_class; NULL: too many classes */
    heft_class_figures *per_class; /* n_class */
    double             *intervals; /* 2 x HEFT_N_DRAWN; NULL: not asked for */
} cell_work;

typedef struct group {
    /* What the folds predict: n x n_class probabilities, then n predicted classes, then what these
     * cost. Made by the first fold to need it, freed by the last. */
    _Atomic(double *)   predicted;
    atomic_size_t       left; /* folds that have not ended */
    heft_measures       measures;
    size_t             *confusion; /* heap; n_class x n_class or NULL */
    heft_class_figures *per_class; /* heap; n_class or NULL */
    double             *draws;     /* heap; HEFT_DRAWS x HEFT_N_DRAWN or NULL */
} group;

typedef struct fold_result {
    double accuracy, fit_seconds, predict_seconds;
    bool   costed;  /* its model knows the costs of predictions */
    char  *failure; /* heap */
} fold_result;

typedef struct resume_file { /* the file of finished cells */
    const char *path;        /* NULL: none */
    atomic_bool dirty;       /* cells are finished that it does not hold */
    atomic_bool urgent;      /* and one of them took long */
    atomic_flag busy;        /* a thread is writing; the next two are its own */
    double      last, cost;  /* when it was last written, and how long that took */
} resume_file;

typedef struct run {
    const heft_eval_plan *plan;
    heft_results         *results;
    eval_method          *methods;
    eval_set             *sets;
    const char          **select;      /* by stage: as in heft_config; NULL: all attributes */
    size_t               *same_select; /* by stage: the first with the same `select` */
    cell_work            *cells;
    group                *groups;                 /* cells x repeats */
    fold_result          *folds;                  /* cells x repeats x folds: by task */
    size_t                n_cells, n_tasks, work; /* `work` in the units of `done` */
    atomic_size_t         done;
    resume_file           resume;
    heft_host             quiet; /* the host's, as methods inside the tasks may use it */
    bool                  dealt; /* other ranks have other folds: groups are finished with them */
    bool                  draw;  /* test rows are drawn again (bootstrap.h) */
} run;

typedef struct parts { /* one fold's rows */
    const heft_table *train, *test;
    heft_table       *own_train, *own_test;
    size_t           *rows; /* rows[k]: number of test row k in the data set */
    size_t            n_test;
} parts;

typedef struct place { /* of a task */
    size_t cell, stage, d, m, repeat, fold;
} place;

/* ---- plan.c ---- */

/* Settings, methods and stages. */
heft_status heft_read_plan(heft_ctx *ctx, run *r);
heft_status heft_text_in(heft_ctx *ctx, heft_arena *arena, const char *text, const char **out);

/* ---- sets.c ---- */

heft_status heft_read_sets(heft_ctx *ctx, run *r, const heft_table *const *data,
                           const char *const *names);
/* Put the name of the data set before what went wrong with it. */
heft_status heft_name_failure(heft_ctx *ctx, const char *name, heft_status st);

/* ---- stages.c ---- */

/* Keep of the training rows of fold `draw` of `table` those that the stage learns from: nested from
 * stage to stage, in about the shares of the classes. EUNSUPPORTED when there are too few. */
heft_status heft_stage_learn(heft_ctx *ctx, const heft_stage *stage, const heft_table *table,
                             uint64_t draw, size_t *rows, size_t *n);
/* Give round(noise * n) of the table's rows another of the classes it has; those of a lower noise
 * are among those of a higher one. */
heft_status heft_stage_noise(heft_ctx *ctx, const heft_stage *stage, uint64_t draw,
                             heft_table *table);

/* ---- evaluate.c ---- */

/* One fold. Where folds are dealt out the group and the cell are left unfinished. */
heft_status heft_run_task(heft_ctx *ctx, void *arg, size_t task); /* arg: the run */
heft_status heft_run_all(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg);
place       heft_place_of(const run *r, size_t task);
/* The group's array of predictions, and its length; several folds may ask for it at once. */
heft_status heft_predicted_of(heft_ctx *ctx, group *g, const eval_set *set, double **out,
                              size_t *length);
/* Decide on the test rows of a fold and put what was predicted among that of the other folds.
 * spot[c]: where class c of the model is among those of the set; fresh: the probabilities. Returns
 * how many rows are right. */
size_t heft_put_predicted(const heft_model *model, const uint32_t *spot, const parts *p,
                          const double *fresh, const eval_set *set, double *predicted);
/* One fold less; measure the group after the last. */
heft_status heft_finish_group(heft_ctx *ctx, run *r, group *g, const place *at);
/* Why a fold has failed; folds are counted through the repeats, and the lowest counts. */
heft_status heft_note_failure(heft_ctx *ctx, run *r, size_t cell, size_t fold, const char *why);
heft_status heft_finish_cell(heft_ctx *ctx, run *r, size_t cell);
/* Memory for what the tasks find: no two of them write to the same place. */
heft_status heft_make_cells(heft_ctx *ctx, run *r);
size_t      heft_n_folds(const run *r, size_t cell); /* folds x repeats of its data set */
/* Why cells have no figures, in the results. */
heft_status heft_name_failures(heft_ctx *ctx, run *r);
void        heft_run_clear(run *r);

/* ---- deal.c ---- */

/* All tasks, dealt out to the ranks; every rank ends with all results. */
heft_status heft_run_dealt(heft_ctx *ctx, run *r);

/* ---- resume.c ---- */

/* A checksum of everything in the table that an evaluation could depend on. */
uint64_t heft_table_sum(const heft_table *table);
/* The keys of all cells, and from the file of an earlier run the cells that it has. */
heft_status heft_resume_read(heft_ctx *ctx, run *r);
/* Some cell may have been finished: writes the file when it is due. `urgent`: a cell took long;
 * `now`: write it if it lacks anything. */
heft_status heft_resume_save(heft_ctx *ctx, run *r, bool urgent, bool now);
