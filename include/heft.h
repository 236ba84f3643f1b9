/* heft.h - weighted naive Bayes classification.
 *
 *     heft_table *data;  heft_model *model;  heft_error err;
 *     if (heft_read("iris.arff", NULL, &data, &err) != HEFT_OK) ...
 *     if (heft_fit(data, &(heft_config){.method = "rnb"}, &model, &err) != HEFT_OK) ...
 *     heft_predict_proba(model, data, probabilities, &err);
 *
 * This header reads data, fits a model, predicts, explains a prediction and saves the model. More:
 *
 *     heft_inspect.h    what a model learned: weights, likelihoods, terms
 *     heft_check.h      what a table holds, and what looks wrong with it
 *     heft_evaluate.h   cross-validation, measures, significance tests
 *     heft_methods.h    lists of methods, file formats and export formats
 *     heft_memory.h     matrices, sparse rows and saved models in the caller's memory
 *     heft_arrow.h      tables of DuckDB, polars, pyarrow and others, by the Arrow C data interface
 *     heft_stream.h     files in blocks: memory does not grow with the file
 *     heft_ranks.h      several processes that work as one; models of separate rows merged
 *     heft_host.h       messages, progress, cancelling
 *
 * Rules for every call:
 *   - A call that can fail returns a status. Where `err` is not NULL it gets one sentence that says
 *     where, what is wrong and what to do. On failure output pointers are NULL or unchanged, and
 *     the contents of output arrays are undefined.
 *   - Getters that return a value give NULL, 0, -1 or NaN for an index out of range; objects must
 *     not be NULL.
 *   - The library never exits, aborts or changes the locale, and prints only where a call names "-"
 *     as its output.
 *   - Tables, models and results are opaque; free each with its own _free function, which accepts
 *     NULL. Text returned through `char **` is freed with heft_text_free. A `const char *` that is
 *     returned belongs to its object.
 *   - Words in structs are those of the command line. Zero is the default of every field.
 *   - Attributes, values and classes are numbered from 0, in the order of the table or the model.
 *     Where two classes have the same probability, the one with the lower number is predicted.
 *   - Different threads may use different objects at the same time, and any number of threads may
 *     share a model for prediction. Calls that run at the same time share one set of worker threads
 *     (heft_runtime.threads): each has its own thread and those workers that are free.
 *   - Results have the same bits for any number of threads, and for any speed of the machine unless
 *     heft_config.time_limit stops a fit. On several ranks they have the same bits, too, if weights
 *     are whole numbers: see "What is the same as on one rank" in docs/scaling.md.
 *
 * Binary compatibility: within a major version (the soname) functions keep their names and
 * parameters, enumerators keep their values, and structs grow only at their end. A struct that
 * begins with `size` belongs to the caller, whether it is input or output. Initialise it (`= {0}`)
 * before the call: `size` is sizeof the struct, or 0, which means the fields of version 1.0.
 * Structs that are handed out as pointers to const belong to the library: read their fields, but do
 * not copy them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_H
#define HEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heft_version.h" /* HEFT_VERSION, HEFT_VERSION_MAJOR, _MINOR, _PATCH, _NUMBER */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEFT_API __attribute__((visibility("default")))
#else
#define HEFT_API
#endif

/* ---- Errors ----------------------------------------------------------------------------- */

typedef enum heft_status {
    HEFT_OK = 0,
    HEFT_EINVAL,       /* an argument, option or parameter is wrong */
    HEFT_ENOMEM,       /* not enough memory */
    HEFT_EIO,          /* a file could not be opened, read or written */
    HEFT_EFORMAT,      /* the content of a file is not what it should be */
    HEFT_EUNSUPPORTED, /* the method cannot do this, or not with these data */
    HEFT_ENUMERIC,     /* there is no finite result */
    HEFT_ECANCELLED    /* the caller's `cancelled` function returned true */
} heft_status;

typedef struct heft_error {
    heft_status code;
    char        text[512];
} heft_error;

HEFT_API const char *heft_version(void); /* version of the loaded library: "1.0.0" */
HEFT_API const char *heft_status_name(heft_status status);
HEFT_API void        heft_text_free(char *text);

/* ---- How to run ------------------------------------------------------------------------- */

typedef struct heft_host heft_host; /* heft_host.h */
typedef struct heft_comm heft_comm; /* heft_ranks.h */

/* Shared by reading, fitting, predicting and evaluating. What it points to must stay valid until
 * the call returns. */
typedef struct heft_runtime {
    size_t      size;
    int         threads;   /* 0: all cores; at most four for each core are started */
    uint64_t    seed;      /* seed of random draws; 0 means 1 */
    size_t      memory;    /* bytes of resident memory to stay below, roughly; 0: no limit */
    const char *scratch;   /* folder for temporary files of data above `memory`; NULL:
                              $TMPDIR, else /tmp */
    const heft_host *host; /* messages, progress, cancelling; NULL: none */
    const heft_comm *comm; /* connection to the other processes; NULL: this is the only one */
} heft_runtime;

/* ---- Tables ----------------------------------------------------------------------------- */

typedef struct heft_table heft_table; /* typed, named columns and a class column */
typedef struct heft_model heft_model; /* preparation, method and what it has learned */

/* How to read a file. Lists of columns are comma-separated names (quoted as in CSV where a name
 * contains a comma), 1-based numbers, or ranges of numbers such as 29-34. */
typedef struct heft_source {
    size_t      size;
    const char *format;             /* csv, tsv, arff, libsvm, parquet; NULL: found by the name,
                                       then the content */
    const char *target;             /* class column; NULL: the one named "class" (any case), else
                                       the last one */
    const char *drop;               /* columns that are left out */
    const char *numeric;            /* columns that are numbers, whatever they look like */
    const char *nominal;            /* columns that are categories, whatever they look like */
    const char *positive;           /* name of the class that is kept; all others become one class,
                                       the rest */
    const char *missing;            /* marks of missing values, in addition to empty, ?, NA, N/A,
                                       n/a, #N/A, NaN, nan, NULL, null, <NA>, in columns of numbers
                                       None and - (ARFF: to ? alone), and the marks that `like` was
                                       trained with */
    const char *weight;             /* column of instance weights */
    const char *keep;               /* columns whose text predictions repeat (heft_stream.h), in
                                       the order of the file; all: every column */
    int  header;                    /* whether the first line is a header: 0 detect, 1 yes, -1 no */
    char delimiter;                 /* character between cells; 0: detect */
    char decimal_mark;              /* decimal mark of numbers in CSV and TSV files; 0: as `like`,
                                       else a point */
    size_t skip;                    /* number of lines to skip before the header, or before the
                                       first row */
    const heft_model *like;         /* read rows for this model: its columns and their kinds; the
                                       class column may be absent */
    const char *const *more;        /* further files with the same columns, NULL-terminated */
    size_t             max_columns; /* largest number of columns; 0: 16777216 */
    size_t             max_classes; /* largest number of classes; 0: 65000, the largest
                                       possible */
    size_t max_unpacked;            /* largest number of bytes from a compressed file; 0:
                                       64 MiB, or 100 times its compressed size if that is
                                       more */
    bool whole;                     /* with run->comm: every rank gets all rows instead of its
                                       own range of rows */
    bool                no_target;  /* all columns are attributes, none is the class (not LIBSVM) */
    const heft_runtime *run;
    char                quote; /* quotation mark of CSV and TSV files; 0: "; HEFT_NO_QUOTE: none */
    bool any_classes;          /* a class column with more than max_classes values is no error: the
                                  table then has no class, and heft_check_table reports it */
} heft_source;

#define HEFT_NO_QUOTE '\n' /* heft_source.quote: quotation marks are ordinary characters */

/* Read a data file into memory; "-" is standard input. Compressed files are recognised by their
 * content and unpacked. Cost: one pass over the text, two where a late cell shows that a column is
 * not numeric. */
HEFT_API heft_status heft_read(const char *path, const heft_source *how, heft_table **out,
                               heft_error *err);
/* Write a table; format as in heft_source, except "parquet". "-" is standard output. */
HEFT_API heft_status heft_write(const heft_table *table, const char *path, const char *format,
                                const heft_runtime *run, heft_error *err);

/* Build a table column by column (heft_memory.h: from a matrix). Cells are copied. A NaN, or a code
 * outside 0 .. n_values - 1, is a missing value. `stride`: elements from one row to the next.
 * Values and classes are declared, as in an ARFF file: those that no row has are values too
 * (heft_table_values_of_rows removes such values). */
HEFT_API heft_status heft_table_create(size_t n_rows, heft_table **out, heft_error *err);
HEFT_API heft_status heft_table_add_numbers(heft_table *table, const char *name,
                                            const double *cells, size_t stride, heft_error *err);
HEFT_API heft_status heft_table_add_codes(heft_table *table, const char *name, const int32_t *codes,
                                          size_t stride, const char *const *values, size_t n_values,
                                          heft_error *err);
HEFT_API heft_status heft_table_set_target(heft_table *table, const char *name,
                                           const int32_t *codes, const char *const *values,
                                           size_t n_values, heft_error *err);
HEFT_API heft_status heft_table_set_weights(heft_table *table, const double *weights,
                                            heft_error *err);
HEFT_API void        heft_table_free(heft_table *table);

typedef enum heft_kind { HEFT_NUMERIC = 0, HEFT_NOMINAL = 1 } heft_kind;

/* An attribute of a table, or of a model. A model prepares a number x in this order: where it is
 * missing it becomes `fill`; it is scaled to (x - shift) * factor (with scale "unit" it is divided
 * by the length of its row instead); it is replaced by the interval that it falls in. The last five
 * fields describe that; in a table they are not used. */
typedef struct heft_attribute {
    size_t      size;
    const char *name;
    heft_kind   kind;     /* kind of the column in the file */
    size_t      n_values; /* number of values (nominal) or intervals (discretised);
                             otherwise 0 */
    double fill;          /* what replaces a missing cell: a number, or the index of a
                             value; NaN: missing cells stay missing */
    double        shift, factor;
    size_t        n_cuts; /* number of cut points: n_values - 1 if discretised, otherwise 0 */
    const double *cuts;   /* cut points of the scaled number, increasing; interval k is
                             above cuts[k - 1], up to and including cuts[k] */
} heft_attribute;

HEFT_API size_t      heft_table_rows(const heft_table *table);
HEFT_API size_t      heft_table_attributes(const heft_table *table);
HEFT_API heft_status heft_table_attribute(const heft_table *table, size_t j, heft_attribute *out,
                                          heft_error *err);
/* The text of value v of a nominal attribute. */
HEFT_API const char *heft_table_value(const heft_table *table, size_t j, size_t v);
/* All cells of an attribute: numbers, or the indices of values; NaN: missing. cells[n_rows]. */
HEFT_API heft_status heft_table_cells(const heft_table *table, size_t j, double *cells,
                                      heft_error *err);
HEFT_API size_t      heft_table_classes(const heft_table *table); /* 0: no class column */
HEFT_API const char *heft_table_class_name(const heft_table *table, size_t c);
HEFT_API int32_t heft_table_class(const heft_table *table, size_t i);  /* class of row i, or -1 */
HEFT_API double  heft_table_weight(const heft_table *table, size_t i); /* weight of row i, or 1 */
/* Count the rows of each class, then the rows without a class, then the rows of weight 0 that have
 * a class. counts[heft_table_classes + 2] */
HEFT_API heft_status heft_table_class_counts(const heft_table *table, int64_t *counts,
                                             heft_error *err);

/* ---- Models ----------------------------------------------------------------------------- */

/* What to fit, and how the columns are prepared. NULL is the method's own default
 * (heft_methods.h). */
typedef struct heft_config {
    size_t             size;
    const char        *method;     /* "rnb"; NULL: "auto" */
    const char *const *params;     /* "kappa=10", "tol=1e-7", NULL */
    const char        *discretize; /* none, width:B, frequency:B, mdl[:SCALE], presence */
    const char        *impute;     /* none, mean */
    const char        *scale;      /* none, minmax, range, unit */
    const char        *smoothing;  /* laplace, paper, m:VALUE */
    const char        *prior;      /* smoothed, frequency, uniform, CLASS=P,... */
    const char        *select;     /* none, gain-ratio:N, mutual-information:N, cfs */
    const char        *unseen;     /* missing, zero */
    const char        *calibrate;  /* none, temperature, vector */
    /* Weights of the rows of a class, by which their own weights are multiplied: balanced (each
     * class has the same sum), or CLASS=W,... (1 where a class is not named). Method auto
     * multiplies its probabilities by them instead, which needs no repetition of few rows. */
    const char *class_weight;
    /* Which class is predicted; the probabilities stay as they are. NULL: the most probable one.
     * cost: the class of least expected cost, TRUE:PREDICTED=COST,... (1 where a pair of classes
     * is not named, 0 where the prediction is right), or a CSV file with a matrix. threshold:
     * predict CLASS if its probability is at least P (two classes), CLASS=P. tune: the threshold is
     * chosen on held-out training rows by balanced-accuracy, f1 (of heft_source.positive, else the
     * mean of both classes), mcc, or cost (with `cost`). At most one of the three may be set,
     * except that tune "cost" needs `cost`. */
    const char *cost, *threshold, *tune;
    /* Seconds after which the fit is to end, with the best model so far; 0: no limit. For methods
     * that can be stopped (heft_method_info.stops), without `calibrate`. The one setting with which
     * a model depends on the speed of the machine: a warning and the model say so where the fit was
     * stopped. */
    double time_limit;
    /* Prepare the columns exactly as this model does, and use its method, parameters, smoothing and
     * prior unless others are given here. Values and classes that are new are added. Models of
     * separate rows that are trained like this can be merged (heft_ranks.h). */
    const heft_model *like;
    /* The rows are only some of the data, and the model is to be merged with those of the other
     * rows: one class is enough, and the model keeps everything that merging needs (up to 1 GB). */
    bool                part;
    const heft_runtime *run;
} heft_config;

/* Fit a model. It keeps no pointer into `data` or `config`.
 * Cost: one pass over the data, plus what the method adds. */
HEFT_API heft_status heft_fit(const heft_table *data, const heft_config *config, heft_model **out,
                              heft_error *err);
HEFT_API void        heft_model_free(heft_model *model);

HEFT_API heft_status heft_model_save(const heft_model *model, const char *path, heft_error *err);
HEFT_API heft_status heft_model_load(const char *path, heft_model **out, heft_error *err);

/* The configuration that made the model, to be freed with heft_config_free. With `as_given` it is
 * what the caller of heft_fit set: a fit with it on the same rows gives the same model, to the
 * byte except the training time. Otherwise every setting is as it was used, the method's defaults
 * included, and NULL means that nothing was done. out->run has the seed; out->like is NULL: a model
 * that was trained like another one tells the preparation that it took from it. Costs that were
 * read from a file are given as a list. Model files written by a version that did not keep the
 * given settings have out->run NULL: then all settings are as they were used. */
HEFT_API heft_status heft_model_config(const heft_model *model, bool as_given, heft_config **out,
                                       heft_error *err);
HEFT_API void        heft_config_free(heft_config *config);
/* How the training rows were read, as far as the model knows it: target, positive, missing and
 * decimal_mark; other fields are 0. The texts belong to the model. */
HEFT_API heft_status heft_model_source(const heft_model *model, heft_source *out, heft_error *err);

HEFT_API const char *heft_model_method(const heft_model *model);
HEFT_API const char *heft_model_target(const heft_model *model); /* name of the class column */
HEFT_API size_t      heft_model_classes(const heft_model *model);
HEFT_API const char *heft_model_class_name(const heft_model *model, size_t c);
HEFT_API size_t      heft_model_attributes(const heft_model *model);
HEFT_API heft_status heft_model_attribute(const heft_model *model, size_t j, heft_attribute *out,
                                          heft_error *err);
/* The text of value v of an attribute: a category, or an interval such as "(1.5-3]". Writes at most
 * `size` bytes, the final zero included; returns the length of the whole text, 0 where there is no
 * such value. */
HEFT_API size_t heft_model_value(const heft_model *model, size_t j, size_t v, char *out,
                                 size_t size);

/* ---- Prediction ------------------------------------------------------------------------- */

/* Columns of `data` are matched by name and categories by text. Their order does not matter, and
 * columns that the model does not use are ignored. All cores are used. proba and log_proba have
 * n_rows x n_classes elements, row by row; the logarithm of a probability of 0 is -INFINITY. */
HEFT_API heft_status heft_predict(const heft_model *model, const heft_table *data, int32_t *classes,
                                  heft_error *err);
HEFT_API heft_status heft_predict_proba(const heft_model *model, const heft_table *data,
                                        double *proba, heft_error *err);
HEFT_API heft_status heft_predict_log_proba(const heft_model *model, const heft_table *data,
                                            double *log_proba, heft_error *err);

/* The class that the model predicts from the probabilities of a row, for n_rows rows: the most
 * probable one, unless the model has a rule (heft_config.cost, threshold, tune). */
HEFT_API heft_status heft_model_decide(const heft_model *model, const double *proba, size_t n_rows,
                                       int32_t *classes, heft_error *err);
/* Give the model another rule, with words as in heft_config; both NULL: the most probable class.
 * Not while another thread uses the model. */
HEFT_API heft_status heft_model_set_decision(heft_model *model, const char *cost,
                                             const char *threshold, heft_error *err);
/* Check the words of a rule before a model is there: HEFT_OK, or the error with which
 * heft_model_set_decision would refuse them for every model. */
HEFT_API heft_status heft_decision_check(const char *cost, const char *threshold, heft_error *err);

/* The probabilities of one row without a table: row[j] is attribute j of the model, a number or the
 * index of a category; NaN is missing; an index that the model does not have is a category it has
 * never seen. proba[n_classes]. Any number of threads may call it with one model. */
HEFT_API heft_status heft_predict_row(const heft_model *model, const double *row, double *proba,
                                      heft_error *err);

typedef enum heft_score_kind {
    HEFT_PROBABILITY = 0,
    HEFT_LOG_PROBABILITY = 1,
    HEFT_SCORE = 2 /* the method's own score, whose softmax is the probability: for weighted
                      naive Bayes log P(c) + sum of w log P(x | c) */
} heft_score_kind;

/* Scores of one of these kinds, with control over threads, callbacks and ranks. */
HEFT_API heft_status heft_predict_scores(const heft_model *model, const heft_table *data,
                                         heft_score_kind kind, const heft_runtime *run, double *out,
                                         heft_error *err);

/* The class of each row as the model numbers it; -1: missing; -2: a class it does not know. */
HEFT_API heft_status heft_model_labels(const heft_model *model, const heft_table *data,
                                       int32_t *classes, heft_error *err);

/* Explain row i: why it got its class. parts[(1 + n_attributes) x n_classes]: what the prior, then
 * each attribute, adds to the score of each class; score[n_classes] is their sum, whose softmax is
 * the probability. EUNSUPPORTED for models whose score is not a sum over attributes (rnb, aode,
 * waode, one against one). */
HEFT_API heft_status heft_explain_row(const heft_model *model, const heft_table *data, size_t i,
                                      double *parts, double *score, heft_error *err);

typedef struct heft_reason { /* has no size, because there are arrays of it: it never grows */
    int64_t attribute;       /* place among the attributes of the model; -1: there are no more */
    double  log_odds;
} heft_reason;

/* reasons[n_rows x n]: for each row the n attributes that add most to the log-odds of the predicted
 * class against the most probable other class, the largest in size first; a negative one speaks
 * against the predicted class. The evidence of a pair or a triple is divided equally among its
 * attributes, as in heft_explain_row, and EUNSUPPORTED is for the same models. */
HEFT_API heft_status heft_predict_reasons(const heft_model *model, const heft_table *data, size_t n,
                                          const heft_runtime *run, heft_reason *reasons,
                                          heft_error *err);

/* ---- Documents -------------------------------------------------------------------------- */

/* The explanation of a row, and what the model learned. format: "text" for people, "json".
 * `top`: how many attributes the text lists; 0: all. */
HEFT_API heft_status heft_explain_text(const heft_model *model, const heft_table *data, size_t i,
                                       const char *format, size_t top, char **text,
                                       heft_error *err);
HEFT_API heft_status heft_inspect_text(const heft_model *model, const char *format, size_t top,
                                       char **text, heft_error *err);
/* How to export a model. An option that the format does not have is EINVAL. */
typedef struct heft_export_options {
    size_t      size;
    const char *format;   /* name of a format of heft_export_at, such as "c"; NULL: found by
                             the ending of the file, "c" without a file */
    const char *table;    /* sql: the table that has the rows; NULL: data */
    const char *id;       /* sql: a column that is copied to the result; NULL: none */
    const char *header;   /* c: a header file to write too; the C file includes it */
    bool        single;   /* c: tables of float instead of double */
    bool        evidence; /* onnx: adds a third output, what each term adds to the score */
} heft_export_options;

/* The model for use without heft. *length (may be NULL) gets the number of bytes; formats of text
 * end with a zero after them. EUNSUPPORTED for formats that heft_method_info.exports does not
 * list. */
HEFT_API heft_status heft_export_text(const heft_model *model, const heft_export_options *how,
                                      char **text, size_t *length, heft_error *err);
/* Export to a file, which is then complete or not changed at all; "-" is standard output. */
HEFT_API heft_status heft_export_file(const heft_model *model, const char *path,
                                      const heft_export_options *how, heft_error *err);
/* What a report shows. */
typedef struct heft_report_plan {
    size_t size;
    size_t folds; /* number of folds of a cross-validation on `data` with the model's method
                     and settings, which measures how good it is; 0: the model's own
                     predictions are measured */
    const heft_runtime *run;
} heft_report_plan;

/* A self-contained HTML page about the model, and, where `data` is not NULL, how good it is on
 * them. Rows that the model was trained on are recognised, and named as such. `plan` may be NULL.
 */
HEFT_API heft_status heft_report_html(const heft_model *model, const heft_table *data,
                                      const heft_report_plan *plan, char **html, heft_error *err);
/* The data that the page is drawn from, as a JSON document (docs/page_data.md). */
HEFT_API heft_status heft_report_json(const heft_model *model, const heft_table *data,
                                      const heft_report_plan *plan, char **json, heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
