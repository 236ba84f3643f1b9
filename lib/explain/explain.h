/* explain.h - what a model learned and why a row got its class, for people (text, safe for a
 * terminal) and programs (JSON). The text is the caller's to free. */
#pragma once

#include "base/text.h"
#include "explain/terms.h"
#include "model/model.h"
#include "predict/predict_csv.h"

/* Describe what the model learned. Text lists attributes by the size of their weight where weights
 * differ, otherwise by how much they tell about the class, and at most `top` of them (0: all). JSON
 * lists all of them in the model's order. */
heft_status heft_inspection(heft_ctx *ctx, const heft_model *model, bool json, size_t top,
                            char **out);

/* Write the settings as they were used, except the method and its parameters, as options of the
 * program. */
heft_status heft_inspect_settings(heft_ctx *ctx, const heft_model *model, heft_buf *out);
/* Returns the name of a fact in words, in title[HEFT_TITLE_BYTES]. JSON has the name itself. */
enum { HEFT_TITLE_BYTES = 128 };
const char *heft_fact_title(const char *name, char *title);
/* Writes what an iterative fit came to: iterations, objective, and whether it converged. */
void heft_inspect_fit(heft_buf *out, const heft_training *training);

/* Explain why row i of `table` gets its class: what each attribute adds to the log-odds of the
 * predicted class against the runner-up. Text has the largest first; JSON has all attributes in the
 * model's order, with their parts of every class's score. EUNSUPPORTED when the method's score is
 * not a sum over attributes. */
heft_status heft_explanation(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                             size_t i, bool json, size_t top, char **out);

/* ---- contrast.c: cells and contrasts, for explanations and reasons ---- */

typedef struct heft_row_cells { /* the cells of a table, by the attributes of a model */
    const heft_table *table;
    uint32_t         *column; /* n_attr; HEFT_DICT_NONE: the table has no such column */
} heft_row_cells;

/* Find the columns, in scratch memory. `out` refers to the table. */
heft_status heft_row_cells_open(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                heft_row_cells *out);
/* Returns the number of attribute j in row i as it was read, or NaN where it is missing. *text is
 * the text of a category, else NULL. */
double heft_cell_at(const heft_row_cells *cells, size_t j, size_t i, const char **text);
/* Write the cell in full, with all digits of a number, or `missing` where there is none. */
void heft_cell_put(heft_buf *out, const heft_row_cells *cells, size_t j, size_t i,
                   const char *missing);

typedef struct heft_contrast { /* evidence of one row for the predicted class against another */
    size_t            n_class, best;
    size_t            second; /* the other class with the highest score; n_class: none has one */
    double           *score;  /* n_class, the sums of the parts */
    heft_row_evidence e;
} heft_contrast;

/* Find the contrast of row i of prepared rows, for which class `best` is predicted, in scratch
 * memory. */
heft_status heft_contrast_of(heft_ctx *ctx, const heft_terms *terms, const heft_rows *rows,
                             size_t i, size_t best, heft_contrast *out);
/* Returns what line k of parts adds to the log-odds of the predicted class against the other. */
double heft_contrast_odds(const heft_contrast *v, const double *parts, size_t k);
/* Set top[n] to attributes by the size of their log-odds, the largest first. Returns how many there
 * are, at most n. */
size_t heft_contrast_top(const heft_contrast *v, size_t n_attr, size_t n, heft_attr_rank *top);

/* ---- reasons.c ---- */

enum { HEFT_MOST_REASONS = 1000 };

/* Write predictions as heft_predict_csv does, with columns reason_1 ... reason_n such as
 * "attribute=value +0.81"; n may be 0. */
heft_status heft_predict_reasons_csv(heft_ctx *ctx, const heft_csv_plan *plan, size_t n,
                                     heft_tally *tally);
/* Write lines row,term,value,score(<class>)... in place of predictions. */
heft_status heft_explain_csv(heft_ctx *ctx, const heft_csv_plan *plan);
/* Set out[n_rows x n] to the reasons for the class of each row, the strongest first. */
heft_status heft_reasons_of(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            size_t n, heft_reason *out);

/* Copy the columns of `table` that the model uses, in the table's order. A column is used where
 * some class, value or class pair gives it a weight other than 0; a method with a parameter
 * `threshold` (swnb) sets the bar there. */
heft_status heft_used_table(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            heft_table **out);
