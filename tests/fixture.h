/* fixture.h - what the test programs share: cmocka with its includes, tables and models in one call
 * each, prepared rows made by hand, files and folders that exist for one test, and where the
 * papers' data sets are. A call that must succeed and does not fails the test with the library's
 * sentence. */
#ifndef HEFT_TESTS_FIXTURE_H
#define HEFT_TESTS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <jansson.h>

#include "heft_evaluate.h"
#include "heft_host.h"
#include "heft_inspect.h"
#include "heft_memory.h"
#include "heft_methods.h"
#include "heft_ranks.h"
#include "heft_stream.h"

#include "base/rng.h"
#include "model/method.h"
#include "prep/prep.h"

extern _Thread_local heft_error err; /* of the thread's last call that was given it */

/* Fails with the library's sentence when a call does. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        heft_status ok_status = (call);                                                            \
        if (ok_status != HEFT_OK)                                                                  \
            fail_msg("%s: %s (%s)", #call, heft_status_name(ok_status), err.text);                 \
    } while (0)

/* Under the sanitizers a case about figures is left out: other cases run the same code there. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#define FIGURES_TEST(f) ((struct CMUnitTest){.name = #f, .test_func = SANITIZED ? NULL : (f)})

/* |a - b| <= tol, in doubles; a NaN fails. */
#define NEAR(a, b, tol)                                                                            \
    do {                                                                                           \
        const double near_a = (a), near_b = (b);                                                   \
        if (!(fabs(near_a - near_b) <= (tol)))                                                     \
            fail_msg("%s is %.17g, %s is %.17g", #a, near_a, #b, near_b);                          \
    } while (0)

double largest_difference(const double *a, const double *b, size_t n);

/* ---- tables ---- */

typedef struct field {       /* one attribute: numbers, or codes of values (negative: missing) */
    const char        *name; /* NULL: "x" and its place */
    const double      *numbers;
    const int32_t     *codes;
    size_t             step; /* from one row's cell to the next; 0: 1 */
    const char *const *values;
    size_t             n_values;
    bool               turned; /* the values are declared in reverse order */
} field;

enum { MOST_FIELDS = 64 };

typedef struct frame { /* rows as plain arrays, and how a table is made of them */
    size_t             n_rows, n_cols;
    field              cols[MOST_FIELDS];
    const char        *target; /* NULL: "class" */
    const int32_t     *y;      /* NULL: no target */
    const char *const *classes;
    size_t             n_class;
    const double      *weight; /* NULL: none */
    const size_t      *order;  /* the rows of the arrays to take, n_rows of them; NULL: the first */
    bool               backward_rows, backward_columns, turned_classes;
} frame;

heft_table *table_of(const frame *f);

/* Cells in memory, as heft_table_add_matrix takes them. */
#define MATRIX(rows, cols, first, row_step, col_step, titles)                                      \
    (&(heft_matrix){.n_rows = (rows),                                                              \
                    .n_cols = (cols),                                                              \
                    .cells = (first),                                                              \
                    .row_stride = (row_step),                                                      \
                    .col_stride = (col_step),                                                      \
                    .names = (titles)})

/* The name of an attribute. */
const char *table_column(const heft_table *t, size_t j);
const char *model_column(const heft_model *model, size_t j);

/* ---- models ---- */

/* The named method (NULL: the config's) with the rest of `config` (NULL: all defaults). */
heft_model *fit(const heft_table *t, const char *method, const heft_config *config);

#define PARAMS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define WITH(...)   (&(heft_config){.params = PARAMS(__VA_ARGS__)})
#define RUN(...)    (&(heft_runtime){__VA_ARGS__})

/* Probabilities, rows x classes; the caller frees them. */
double *posterior(const heft_model *model, const heft_table *t);
double *fit_posterior(const heft_table *train, const heft_table *test, const char *method,
                      const heft_config *config);

/* A document about the model; the caller frees it with heft_text_free. */
char *inspect(const heft_model *model, const char *format, size_t top);

const heft_fact *fact(const heft_model *model, const char *name);

/* Three classes, two nominal attributes, six rows. */
heft_model *small_model(const char *method);
/* What loading says of the model as it is now; a refusal names the damage. */
heft_status reload(const heft_model *model);

/* ---- results ---- */

heft_results *evaluate(const heft_table *table, const heft_eval_plan *plan);
/* As JSON without the seconds. */
json_t *json_of(const heft_results *results);
/* Evaluates with the n-th allocation failing, for n = 1, 2, ... until none is left to fail; before
 * that every end is ENOMEM. */
void every_allocation_fails(const heft_table *table, const heft_eval_plan *plan);

/* ---- prepared rows made by hand ---- */

typedef struct coded {
    heft_rows       rows;
    heft_attr      *attr;
    uint16_t       *y;
    heft_prep       prep; /* names, for messages */
    heft_attr_prep *names;
} coded;

coded    coded_new(size_t n, size_t m, size_t n_class, const uint32_t *n_codes);
void     coded_put(coded *s, size_t i, size_t j, uint32_t v);
uint32_t coded_at(const heft_rows *rows, size_t i, size_t j);
/* Every class but the last of three or more has rows; values lean towards the class, so that some
 * rows are near. */
void coded_fill(coded *s, uint64_t seed, bool missing);
/* Filled; attribute j has values + j % cycle values. */
coded coded_random(size_t n, size_t m, size_t n_class, uint32_t values, uint32_t cycle,
                   uint64_t seed, bool missing);
void  coded_free(coded *s);

typedef struct fitted { /* a method fitted on such rows */
    heft_ctx           ctx;
    heft_error         err;
    heft_arena         arena;
    const heft_method *method;
    heft_fitted        f;
} fitted;

heft_status try_fit(fitted *t, const char *method, const char *param, const coded *s);
void        fitted_free(fitted *t);

/* ---- files ---- */

/* Path of a file of the papers' collection, or NULL with a message when it is not at hand. */
const char *data_file(const char *name);

/* A path that nobody else has; valid until the next call. */
const char *temp_path(const char *ending);

/* A folder that exists while a test runs. */
int open_folder(void **state);
int close_folder(void **state);
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, open_folder, close_folder)
/* A path in it, valid for seven more calls; NULL: the folder itself. */
const char *in_folder(const char *name);

typedef struct blob { /* of a file; a zero follows them */
    unsigned char *data;
    size_t         n;
} blob;

/* All of a file that must be there; the caller frees data. */
blob read_bytes(const char *path);
/* Both give `path` back. */
const char *write_bytes(const char *path, const void *data, size_t n);
const char *write_text(const char *path, const char *text);

#endif
