/* heft.h - weighted naive Bayes classification.
 *
 * The only public header. Every call returns a status and, where one is passed, fills the caller's
 * heft_error with one sentence: where, what, and what to do. The library never prints, exits,
 * aborts on input or touches the locale. Objects are opaque; who creates one frees it with the
 * matching _free, and NULL is always fine there. Text handed out as `char **` is freed with
 * heft_text_free. Zero is the default of every field of every struct.
 *
 *     heft_table *data;  heft_model *model;  heft_error err;
 *     if (heft_read("iris.arff", NULL, &data, &err) != HEFT_OK) ...
 *     if (heft_fit(data, &(heft_config){ .method = "auto" }, &model, &err) != HEFT_OK) ...
 *     heft_predict_proba(model, data, probabilities, &err);
 *
 * Different objects may be used from different threads at once; a model that is only read
 * (predict, explain, save) may be shared by any number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_H
#define HEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEFT_API __attribute__((visibility("default")))
#else
#define HEFT_API
#endif

/* ---- Status and talk -------------------------------------------------------------------- */

typedef enum heft_status {
    HEFT_OK = 0,
    HEFT_EINVAL,       /* an argument, option or parameter is wrong              */
    HEFT_ENOMEM,       /* not enough memory                                      */
    HEFT_EIO,          /* a file could not be opened, read or written            */
    HEFT_EFORMAT,      /* the content of a file is not what it should be         */
    HEFT_EUNSUPPORTED, /* the method cannot do this with such data               */
    HEFT_ENUMERIC,     /* no finite result exists                                */
    HEFT_ECANCELLED    /* the caller's cancel function said so                   */
} heft_status;

typedef struct heft_error {
    heft_status code;
    char        text[512];
} heft_error;

typedef enum heft_level { HEFT_WARNING = 0, HEFT_INFO = 1, HEFT_DETAIL = 2 } heft_level;

/* How the library speaks to its host; any member may be NULL. `progress` gets the share done,
 * 0 to 1. `cancelled` is asked often and ends the work when true. They may be called from a worker
 * thread; log and progress never by two threads at once. */
typedef struct heft_talk {
    void (*log)(void *user, heft_level level, const char *text);
    void (*progress)(void *user, const char *what, double done);
    bool (*cancelled)(void *user);
    void *user;
} heft_talk;

/* A ready-made `cancelled`: true once the int that `user` points to is not 0. Another thread or a
 * signal handler may set it. */
HEFT_API bool heft_flag_raised(void *user);

HEFT_API const char *heft_version(void);
HEFT_API const char *heft_status_name(heft_status status);
HEFT_API void        heft_text_free(char *text);
/* Write text to a file, beside it first and then renamed, so that it is whole or untouched; "-" is
 * standard output. */
HEFT_API heft_status heft_text_write(const char *path, const char *text, heft_error *err);

/* ---- Ranks ------------------------------------------------------------------------------ */

/* Several processes, each with a part of the rows, that work as one: what the library needs of the
 * engine that joins them (MPI, Dask, Ray, Spark, pipes). Rank r of `size` fills in its own. All
 * ranks make the same library calls in the same order with the same options; every function here is
 * then called by all of them at once, from the thread that made the library call, and returns 0, or
 * anything else when the others cannot be reached. When a rank fails, all ranks return its error:
 * the text begins with "rank R: ". */
typedef struct heft_comm {
    void *user;
    int   rank, size;
    /* v[k] becomes the sum of v[k] over the ranks: the same bits on every rank. */
    int (*allreduce_doubles)(void *user, double *v, size_t n);
    int (*allreduce_ints)(void *user, int64_t *v, size_t n);
    /* all = the bytes of rank 0, then those of rank 1, ...; rank r gives length[r] of them. */
    int (*allgather)(void *user, const void *mine, const size_t *length, void *all);
    /* The bytes of rank `root` replace those of the others. */
    int (*broadcast)(void *user, void *bytes, size_t n, int root);
    /* Called when one of the above has failed, before the library call returns: end the other ranks
     * if they may be waiting. May be NULL. */
    void (*abort)(void *user, const char *text);
} heft_comm;

/* ---- Tables ----------------------------------------------------------------------------- */

typedef struct heft_table heft_table; /* as read: typed, named columns         */
typedef struct heft_model heft_model; /* preparation + method + fitted state   */

/* The formats of data files. */
typedef struct heft_format_info {
    const char *name;    /* as in heft_source.format                                */
    const char *endings; /* of file names, separated by blanks; they are names too  */
    const char *about;   /* one line                                                */
} heft_format_info;

HEFT_API const heft_format_info *heft_format_at(size_t index); /* NULL past the end */
/* What data from this file are called: the file's name without its folder and the endings of
 * packing and format; "stdin" for "-". The caller frees it; NULL: no memory. */
HEFT_API char *heft_data_name(const char *path);

/* How to read a file. Lists are comma-separated column names (quoted as in CSV where a name holds
 * a comma), 1-based column numbers or ranges of numbers such as 29-34; names win over numbers. */
typedef struct heft_source {
    const char       *format;    /* see heft_format_at; NULL: by ending, then by content         */
    const char       *target;    /* class column; NULL: one named "class" (any case), else last  */
    const char       *drop;      /* columns to leave out                                         */
    const char       *numeric;   /* columns forced numeric                                       */
    const char       *nominal;   /* columns forced nominal                                       */
    const char       *positive;  /* this class against the rest                                  */
    const char       *missing;   /* extra missing-value marks besides empty, ?, NA, NaN          */
    const char       *weight;    /* column of instance weights                                   */
    int               header;    /* 0 detect, 1 yes, -1 no                                       */
    char              delimiter; /* 0 detect                                                     */
    const heft_model *like;      /* read for this model: its column kinds; target may be absent  */
    int               threads;   /* 0: all cores                                                 */
    const heft_talk  *talk;
    size_t            max_columns;  /* 0: 16777216                                               */
    size_t            max_classes;  /* 0: 65000, the most there can be                           */
    size_t            max_unpacked; /* bytes out of a packed file; 0: a gibibyte, or 250 times   */
                                    /* its packed bytes where that is more                       */
    size_t           memory;  /* bytes of resident memory to stay near; 0: no limit           */
    const char      *scratch; /* folder for what is larger; NULL: $TMPDIR, else /tmp          */
    const heft_comm *comm;    /* NULL: alone. Else all ranks read together, each its share of the
                                 records: one table, rank by rank                                  */
    bool               whole; /* with comm: every rank gets all the rows, not a share            */
    const char *const *more;  /* further files, NULL-terminated, with the columns of the first, read
                                 after it; several ranks deal out whole files                     */
} heft_source;

/* Read a data file; "-" is standard input; .gz and .zst are unpacked on the way.
 * Cost: one pass over the text (two when a late cell changes a column's kind). */
HEFT_API heft_status heft_read(const char *path, const heft_source *how, heft_table **out,
                               heft_error *err);

/* The rows of a file in their order, a block at a time, so that memory does not grow with the file.
 * Every block has the same columns, kinds and lists of values, those of the table heft_read would
 * make; it is the library's, and gone when `fn` returns. False from `fn` ends with HEFT_ECANCELLED.
 * Cost: two passes over the text; one where the file is small. */
typedef bool         heft_rows_fn(void *user, const heft_table *rows);
HEFT_API heft_status heft_read_blocks(const char *path, const heft_source *how, heft_rows_fn *fn,
                                      void *user, heft_error *err);

/* From a data file to another one, block by block: `how` says how to read and, with how->like, as
 * which model the rows are prepared; with `keep`, which may be NULL, only the columns that this
 * model uses are written (heft_model_select). `to` and `format` as in heft_table_write. */
HEFT_API heft_status heft_convert_file(const char *path, const heft_source *how,
                                       const heft_model *keep, const char *to, const char *format,
                                       heft_error *err);

/* Build a table in memory. Cells are copied; a NaN, or a code outside [0, n_values), is missing.
 * `stride` counts elements from one row to the next (1 for a plain array). */
HEFT_API heft_status heft_table_create(size_t n_rows, heft_table **out, heft_error *err);
HEFT_API heft_status heft_table_add_numbers(heft_table *table, const char *name,
                                            const double *cells, size_t stride, heft_error *err);
/* Many numeric columns at once, cell (i, j) at cells[i * row_stride + j * col_stride]; named c1,
 * c2,
 * ... unless `names` is given. Cost: one pass, in cache-sized blocks; none is added on failure. */
HEFT_API heft_status heft_table_add_matrix(heft_table *table, size_t n_cols, const double *cells,
                                           ptrdiff_t row_stride, ptrdiff_t col_stride,
                                           const char *const *names, heft_error *err);
/* The same without a copy where a column's cells stand side by side (row_stride 1): the table then
 * borrows them, and they must stay as they are until it is freed. Cost: one look at every cell. */
HEFT_API heft_status heft_table_borrow_matrix(heft_table *table, size_t n_cols, const double *cells,
                                              ptrdiff_t row_stride, ptrdiff_t col_stride,
                                              const char *const *names, heft_error *err);
HEFT_API heft_status heft_table_add_codes(heft_table *table, const char *name, const int32_t *codes,
                                          size_t stride, const char *const *values, size_t n_values,
                                          heft_error *err);
/* Compressed sparse rows become the table's attributes, named c1, c2, ... unless `names` is given;
 * for a table without other attributes. */
HEFT_API heft_status heft_table_add_sparse(heft_table *table, size_t n_cols, const size_t *start,
                                           const uint32_t *col, const double *val,
                                           const char *const *names, heft_error *err);
HEFT_API heft_status heft_table_set_target(heft_table *table, const char *name,
                                           const int32_t *codes, const char *const *values,
                                           size_t n_values, heft_error *err);
HEFT_API heft_status heft_table_set_weights(heft_table *table, const double *weights,
                                            heft_error *err);
HEFT_API void        heft_table_free(heft_table *table);

HEFT_API size_t heft_table_rows(const heft_table *table);
/* Rows of all ranks that read it together (heft_source.comm); alone those it has. */
HEFT_API size_t      heft_table_rows_total(const heft_table *table);
HEFT_API size_t      heft_table_attributes(const heft_table *table);
HEFT_API const char *heft_table_attribute_name(const heft_table *table, size_t j);
HEFT_API bool        heft_table_is_nominal(const heft_table *table, size_t j);
HEFT_API size_t      heft_table_classes(const heft_table *table); /* 0 without a target */
HEFT_API const char *heft_table_class_name(const heft_table *table, size_t c);
HEFT_API int32_t     heft_table_class(const heft_table *table, size_t i); /* -1 missing */

/* Write a table; `format` as in heft_source, NULL: by the ending of `path`. "-" is standard output.
 */
HEFT_API heft_status heft_table_write(const heft_table *table, const char *path, const char *format,
                                      const heft_talk *talk, heft_error *err);

/* ---- Models ----------------------------------------------------------------------------- */

/* What to fit and how to prepare. The strings are those of the command line; NULL takes the
 * method's own default (see heft_method_at). */
typedef struct heft_config {
    const char        *method;     /* "auto", "nb", "rnb"; NULL: auto                      */
    const char *const *params;     /* "kappa=10", "tol=1e-7", NULL                         */
    const char        *discretize; /* none, width:B, frequency:B, mdl[:SCALE], presence    */
    const char        *impute;     /* none, mean                                           */
    const char        *scale;      /* none, minmax, unit                                   */
    const char        *smoothing;  /* laplace, paper, m:VALUE                              */
    const char        *prior;      /* smoothed, frequency, uniform, CLASS=P,...            */
    const char        *select;     /* attribute selection                                  */
    const char        *unseen;     /* missing, zero                                        */
    int                threads;    /* 0: all cores; the answer does not depend on it       */
    uint64_t           seed;       /* 0: 1                                                 */
    const heft_talk   *talk;
    const char        *calibrate; /* none, temperature, vector: by held-out scores        */
    size_t             memory;    /* bytes of resident memory to stay near; 0: no limit      */
    const char        *scratch;   /* folder for what is larger; NULL: $TMPDIR, else /tmp     */
    /* Prepare as this model does: its columns, and what it learned to prepare them; values and
     * classes new to it are taken in. Its method, parameters, smoothing and prior too, unless
     * given. The preparation words above are then refused. Models of parts so trained can be
     * merged. */
    const heft_model *like;
    /* The rows are a part of more: one class will do, and all that heft_model_merge needs is kept
     * in the model whatever its size (up to a gigabyte). */
    bool             part;
    const heft_comm *comm; /* NULL: alone. Else `data` is this rank's part of the rows; every
                              rank gets the model of all of them. Where the method or a setting
                              needs all rows in one place rank 0 gets them: up to a gigabyte
                              of cells, with a limit on memory any number                */
} heft_config;

/* Look at the method, its parameters and the preparation words before any data are read: HEFT_OK,
 * or the sentence with which heft_fit would refuse them whatever the data. */
HEFT_API heft_status heft_config_check(const heft_config *config, heft_error *err);

/* Fit a model. It keeps no pointer into `data` or `config`. On failure *out is NULL and err->text
 * names the parameter or column at fault; err may be NULL.
 * Cost: one pass over the data, plus what the method adds. */
HEFT_API heft_status heft_fit(const heft_table *data, const heft_config *config, heft_model **out,
                              heft_error *err);
/* heft_fit to numbers where they stand, without a table of them when the method sees them through
 * sums alone (nb, without preparation); otherwise it makes the table. Cells, strides and names as
 * in heft_table_add_matrix; codes and values as in heft_table_set_target; `weights` may be NULL.
 * The model is that of the table. */
typedef struct heft_matrix {
    size_t             n_rows, n_cols;
    const double      *cells;
    ptrdiff_t          row_stride, col_stride;
    const char *const *names;   /* NULL: c1, c2, ...               */
    const char        *target;  /* name of the class               */
    const int32_t     *codes;   /* class of each row               */
    const char *const *classes; /* their names                     */
    size_t             n_classes;
    const double      *weights; /* NULL: all 1                     */
} heft_matrix;

HEFT_API heft_status heft_fit_matrix(const heft_matrix *data, const heft_config *config,
                                     heft_model **out, heft_error *err);
HEFT_API void        heft_model_free(heft_model *model);

/* A method that keeps the training rows (lcwnb, lwnb, iclnb), fitted by several ranks, leaves every
 * row with the rank that has it: the model is spread out. heft_config.comm must then outlive it,
 * and heft_predict and its relatives are called by all ranks with the same rows: each counts among
 * its own, the counts are added, and all get the answer of the whole. heft_model_gather, called by
 * all ranks, gives each a whole model, to be saved or used alone; where it is whole nothing
 * happens. heft_model_load_ranks reads a saved model so that every rank keeps its share of the
 * rows. */
HEFT_API heft_status heft_model_gather(heft_model *model, heft_error *err);
HEFT_API heft_status heft_model_load_ranks(const char *path, const heft_comm *comm,
                                           heft_model **out, heft_error *err);
HEFT_API bool        heft_model_is_spread(const heft_model *model);

/* Columns are matched by name, nominal values by text: order does not matter, extra columns are
 * left aside. `threads` 0 means all cores. proba[n_rows * n_classes], row-major, classes in the
 * model's order. `classes` gets the index of the class, the lowest one on a tie. */
HEFT_API heft_status heft_predict(const heft_model *model, const heft_table *data, int32_t *classes,
                                  heft_error *err);
HEFT_API heft_status heft_predict_proba(const heft_model *model, const heft_table *data,
                                        double *proba, heft_error *err);
/* As heft_predict_proba, the logarithms; a probability of 0 gives -DBL_MAX. */
HEFT_API heft_status heft_predict_log_proba(const heft_model *model, const heft_table *data,
                                            double *log_proba, heft_error *err);
/* The method's own scores: their softmax over the classes is the posterior. For the methods whose
 * score is a sum, log P(c) + sum of log P(x_j | c) with the weights in place. -DBL_MAX: takes no
 * part. */
HEFT_API heft_status heft_predict_joint(const heft_model *model, const heft_table *data,
                                        double *log_joint, heft_error *err);

/* The predictions as CSV, one line a row: `predicted`, with `proba` one column P(<class>) for each
 * class, every double in full. Written beside `path` and renamed; "-" is standard output.
 * *right and *known, where not NULL, get the rows predicted right and those that have a class.
 */
HEFT_API heft_status heft_predict_write(const heft_model *model, const heft_table *data,
                                        const char *path, bool proba, int threads,
                                        const heft_talk *talk, size_t *right, size_t *known,
                                        heft_error *err);

/* The same from a file to a file, block by block: memory does not grow with them, and a pipe is
 * read as it comes. Columns the model has no use for are passed over. how->like is the model. */
HEFT_API heft_status heft_predict_file(const heft_model *model, const char *path,
                                       const heft_source *how, const char *to, bool proba,
                                       size_t *right, size_t *known, heft_error *err);
/* The same by several ranks: `data` is this rank's share of the rows (or, for a model that is
 * spread out, all of them on every rank); rank 0 writes all predictions in the order of the ranks.
 * *right and *known are those of all ranks. */
HEFT_API heft_status heft_predict_write_ranks(const heft_model *model, const heft_table *data,
                                              const char *path, bool proba, int threads,
                                              const heft_talk *talk, const heft_comm *comm,
                                              size_t *right, size_t *known, heft_error *err);

/* Why row i got its class. parts[(1 + n_attributes) * n_classes]: first the prior's share of each
 * class's score, then one line per attribute; the column sums are `score`, whose softmax is the
 * posterior. For methods whose score is a sum over attributes; others say EUNSUPPORTED. */
HEFT_API heft_status heft_explain(const heft_model *model, const heft_table *data, size_t i,
                                  double *parts, double *score, heft_error *err);

/* The model of all rows from models of parts, in the order of the parts: what one fit on all the
 * rows would have given. Counts are the same bit for bit (where weights are whole numbers), means
 * and spreads to the last digit. Values and classes that only some parts have are taken in. For
 * methods that see their rows through counts and sums alone (heft_method_info.merges); columns,
 * settings and what was learned for the preparation must agree (see heft_config.like), or EINVAL
 * names what does not. */
HEFT_API heft_status heft_model_merge(const heft_model *const *models, size_t n, heft_model **out,
                                      heft_error *err);
/* The same from files, one at a time: memory does not grow with their number. */
HEFT_API heft_status heft_model_merge_files(const char *const *paths, size_t n, heft_model **out,
                                            heft_error *err);

HEFT_API heft_status heft_model_save(const heft_model *model, const char *path, heft_error *err);
HEFT_API heft_status heft_model_load(const char *path, heft_model **out, heft_error *err);
/* The bytes of that file without a file; freed with heft_text_free. */
HEFT_API heft_status heft_model_to_bytes(const heft_model *model, char **bytes, size_t *length,
                                         heft_error *err);
HEFT_API heft_status heft_model_from_bytes(const void *bytes, size_t length, heft_model **out,
                                           heft_error *err);

HEFT_API const char *heft_model_method(const heft_model *model);
HEFT_API size_t      heft_model_classes(const heft_model *model);
HEFT_API const char *heft_model_class_name(const heft_model *model, size_t c);
HEFT_API const char *heft_model_target(const heft_model *model);
HEFT_API size_t      heft_model_attributes(const heft_model *model);
HEFT_API const char *heft_model_attribute_name(const heft_model *model, size_t j);
/* Index of the row's class in the model's order, matched by text; -1 missing, -2 a class it does not know. */
HEFT_API heft_status heft_model_truth(const heft_model *model, const heft_table *data,
                                      int32_t *classes, heft_error *err);

/* Documents about a model, as text the caller frees. format: "text" or "json". `top` limits the
 * attributes listed in text (0: all). */
HEFT_API heft_status heft_model_inspect(const heft_model *model, const char *format, size_t top,
                                        char **text, heft_error *err);
HEFT_API heft_status heft_model_explain(const heft_model *model, const heft_table *data, size_t i,
                                        const char *format, size_t top, char **text,
                                        heft_error *err);
/* The formats of heft_model_export. */
typedef struct heft_export_info {
    const char *name;   /* "c"  */
    const char *ending; /* ".c" */
    const char *about;  /* one line */
} heft_export_info;

HEFT_API const heft_export_info *heft_export_at(size_t index); /* NULL past the end */
/* The model for use without heft. format: "c", one C99 file that needs the standard library alone,
 * its use told in its head; "json", all that scoring a row takes. For methods whose score is a sum
 * over attributes; others say EUNSUPPORTED. */
HEFT_API heft_status heft_model_export(const heft_model *model, const char *format, char **text,
                                       heft_error *err);
/* One HTML page to look at: no script, no network. With `data`, which may be NULL, also how the
 * model does on it. Bounded whatever the size of both. */
HEFT_API heft_status heft_model_report(const heft_model *model, const heft_table *data, char **html,
                                       heft_error *err);
/* The table as the model sees it: imputed, scaled, discretised (intervals as nominal values). */
HEFT_API heft_status heft_model_prepare(const heft_model *model, const heft_table *data,
                                        heft_table **out, heft_error *err);

/* The columns of `data` that the model uses, cells as they are: attributes with a weight other than
 * 0; for swnb those that reach its threshold in some class. */
HEFT_API heft_status heft_model_select(const heft_model *model, const heft_table *data,
                                       heft_table **out, heft_error *err);

/* ---- Methods ---------------------------------------------------------------------------- */

typedef struct heft_option_info {
    const char *name;
    const char *fallback; /* the default, as text          */
    const char *range;    /* what is accepted, as text     */
    const char *help;
} heft_option_info;

typedef struct heft_method_info {
    const char             *name;
    const char             *alias;   /* comma-separated, or ""                             */
    const char             *title;   /* one line                                           */
    const char             *source;  /* paper and equations                                */
    const char             *family;  /* base, filter, wrapper, embedded, lazy, structural  */
    const char             *prepare; /* default preparation, as command-line options       */
    bool                    sparse;  /* works on sparse tables without densifying          */
    size_t                  n_options;
    const heft_option_info *options;
    bool                    weights;  /* takes instance weights                            */
    bool                    missing;  /* takes missing cells without imputing them         */
    bool                    explains; /* its score is a sum over attributes (heft_explain) */
    bool                    merges;   /* models of parts add up (heft_model_merge)         */
    bool                    ranks;    /* several ranks can train it on rows spread over them */
    bool                    keeps;    /* its models keep the training rows */
} heft_method_info;

HEFT_API size_t                  heft_method_count(void);
HEFT_API const heft_method_info *heft_method_at(size_t index);       /* NULL past the end */
HEFT_API const heft_method_info *heft_method_find(const char *name); /* name or alias     */

/* ---- Evaluation ------------------------------------------------------------------------- */

typedef struct heft_eval_plan {
    const char *const *methods; /* "nb", "lcwnb:kappa=5"; NULL-terminated; NULL: auto and nb  */
    heft_config        config;  /* preparation and parameters for all of them; a parameter is
                                   given to the methods that know it                           */
    int               folds;    /* 0: 10                                                       */
    int               repeats;  /* 0: 1                                                        */
    const char       *split;    /* heft, weka; NULL: heft                                      */
    const char       *folds_file;
    const char       *protocol; /* honest, whole; NULL: honest                                 */
    const heft_table *test;     /* train on the data, test on this; no folds                   */
    /* Robustness: comma-separated lists. Every combination of their values is a stage with cells of
     * its own; test rows are always as they are.
     *   noise       shares, 0 to 1: so many of a fold's training rows get another class at random
     *   learn       only some of the training rows, stratified: shares up to 1, or numbers of rows
     *   dimensions  only the attributes of most mutual information, by number or as "10%" */
    const char *noise, *learn, *dimensions;
    const char *paired; /* corrected, plain: the paired t of two methods; NULL: corrected */
    double      alpha;  /* level of the significance tests; 0: 0.05 */
    /* Of a percent, to which accuracies are rounded for the tests over data sets, as a printed
     * table has them; 0: not rounded. */
    int decimals;
    /* A file of results as JSON that is whole at every moment. Cells it holds from an earlier call
     * with the same data, method and settings are taken from there; others are put there as they
     * are finished. A file that is something else is refused. */
    const char      *resume;
    bool             fresh; /* take nothing from it */
    const heft_comm *comm;  /* NULL: alone. Else every rank has all the rows, and the folds and
                               methods are dealt out; every rank gets all the results      */
    bool parts;             /* with comm and test: `data` is this rank's part of the training
                               rows, and the ranks fit each method together                */
} heft_eval_plan;

typedef struct heft_stage { /* what was done to the training rows */
    const char *name;       /* "noise 0.1"; "" where nothing was asked for */
    double      noise;      /* 0: none */
    double      learn;      /* up to 1 a share, above it a number of rows */
    const char *dimensions; /* NULL: all */
} heft_stage;

/* The measures of predictions, computed over all test rows of a repeat and averaged over the
 * repeats. */
typedef struct heft_measure_info {
    const char *name;        /* as in the JSON: "log_loss"          */
    const char *title;       /* "log loss"                          */
    const char *description; /* one line                            */
    bool        higher_is_better;
    bool        undefined;   /* it may be NaN                       */
    double      least, most; /* the numbers it can be               */
    int         decimals;    /* as people are shown it; 0: they are not */
} heft_measure_info;

HEFT_API size_t                   heft_measure_count(void);
HEFT_API const heft_measure_info *heft_measure_at(size_t index); /* NULL past the end */

typedef struct heft_cell { /* one data set with one method */
    const char   *dataset, *method;
    const char   *failure; /* NULL, or why this cell has no figures */
    size_t        n_folds; /* folds x repeats */
    const double *per_fold;
    double        accuracy, accuracy_sd; /* of the folds: mean and standard deviation */
    double        accuracy_pooled;       /* share of all rows predicted right */
    const double *measures;              /* in the order of heft_measure_at */
    double        fit_seconds, predict_seconds;
    size_t        n_class;
    const size_t *confusion; /* [truth * n_class + predicted], rows of all repeats; NULL with more
                                than 100 classes */
    bool reused;             /* taken from the file `resume` of the plan */
} heft_cell;

/* NaN where it is undefined, there is no such measure, or the cell has no figures. */
HEFT_API double heft_cell_measure(const heft_cell *cell, const char *name);

typedef struct heft_results heft_results;

HEFT_API heft_status      heft_evaluate(const heft_table *const *data, const char *const *names,
                                        size_t n_data, const heft_eval_plan *plan, heft_results **out,
                                        heft_error *err);
HEFT_API void             heft_results_free(heft_results *results);
HEFT_API size_t           heft_results_datasets(const heft_results *results);
HEFT_API size_t           heft_results_methods(const heft_results *results);
HEFT_API const heft_cell *heft_results_cell(const heft_results *results, size_t dataset,
                                            size_t method);
/* Stages: one unless the plan asks for noise, learn or dimensions. heft_results_cell is that of
 * the first. */
HEFT_API size_t            heft_results_stages(const heft_results *results);
HEFT_API const heft_stage *heft_results_stage(const heft_results *results, size_t stage);
HEFT_API const heft_cell  *heft_results_cell_at(const heft_results *results, size_t stage,
                                                size_t dataset, size_t method);
/* format: "table" (for a terminal), "json", "csv", "markdown", "latex" (needs booktabs), "html" (a
 * page to look at), "details" (all measures and the confusion matrix of every cell, for a
 * terminal).
 */
HEFT_API heft_status heft_results_text(const heft_results *results, const char *format, char **text,
                                       heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
