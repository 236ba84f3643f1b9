/* export_sql.h - the SQL that the export is made of: names, literals, searches and long sums.
 *
 * What SQLite, DuckDB and PostgreSQL understand alike, and what they limit:
 *   - a number with an exponent is a double in SQLite and DuckDB. PostgreSQL reads an exact
 * numeric, and turns it into a double beside one: the first of each CASE has a cast.
 *   - expressions may be 1,000 levels deep in SQLite and DuckDB, and SQLite's parser has room for
 *     100 open symbols: sums, conditions and searches are trees. DuckDB's plans are the faster,
 *     the less deep a sum is.
 *   - results that are too small for a double are errors in PostgreSQL: exp is taken of -600 or
 * more, and only numbers from 1e-140 on are squared. */
#pragma once

#include "base/put.h"
#include "explain/terms.h"
#include "export/score_parts.h"

enum {
    SQL_STEPS = 16,
    SQL_ADDENDS = 4
}; /* branches of one CASE; addends in one pair of brackets */

typedef struct heft_sql_steps { /* value[k] holds from from[k] (from[0]: from the beginning) on */
    const char *column;         /* the letter of the column, "c" */
    size_t      of;             /* its number: 3 for the column c3 */
    bool        numbers;        /* the column has numbers, and a step ends at from[k] inclusive */
    bool        codes;          /* the values are whole numbers */
    size_t      n;
    double     *from, *value;
} heft_sql_steps;

/* Writes SQL as printf does, with these conversions alone. Text that is not UTF-8 is read as
 * Latin-1.
 *
 *   %s  text as it is                      %n  a name in double quotes
 *   %z  size_t                             %t  a text in single quotes
 *   %d  a double: 1.5e0, or (-1.5e0)       %f  a double with a cast, as the first of a CASE needs
 */
void heft_sql_put(heft_buf *out, const char *format, ...);
/* schema.table, each part quoted; a part in double quotes may hold dots. */
void heft_sql_table(heft_buf *out, const char *name);

/* Adds a step; equal neighbours are one. The arrays have space for it. */
void heft_sql_step(heft_sql_steps *steps, double from, double value);
/* Writes the value that holds at the column: a search in nested CASEs, or a constant. */
void heft_sql_search(heft_buf *out, const heft_sql_steps *steps);

/* part(arg, k) for k in lo..hi-1, joined by " + " or " AND ", in balanced brackets. */
typedef void heft_sql_item(void *arg, size_t k, heft_buf *out);
void heft_sql_join(heft_buf *out, const char *with, size_t lo, size_t hi, heft_sql_item *part,
                   void *arg);

/* ---- export_sql_cells.c ---- */

typedef struct heft_sql_writer {
    const heft_terms       *t;
    const heft_prep        *prep;
    heft_buf               *out;
    bool                    unit, kernels;
    size_t                  n_pairs; /* grids that joint terms have */
    const heft_joint_term **grid;    /* t->joint.n_grids: a joint term of each */
    size_t                  n_parts; /* trees are the last ones */
    struct heft_sql_part   *part;
    heft_sql_steps          steps;
    /* the sum that is being written */
    size_t                 a, b; /* the columns of the tables that it adds up */
    const heft_class_pair *pair; /* a against b; NULL: the score of a */
} heft_sql_writer;

static inline bool heft_sql_density(const heft_term *term)
{
    return heft_has_normal(term) || term->kind == HEFT_TERM_KERNEL;
}

/* Begins a step of the statement, with all columns of the one before or its id alone. */
void heft_sql_begin(heft_sql_writer *w, const char *name, bool all);
/* Begins an empty list of steps over a column such as c3. */
heft_sql_steps *heft_sql_begin_steps(heft_sql_writer *w, const char *column, size_t of);
/* How many spots an attribute can have. */
size_t heft_sql_spots(const heft_sql_writer *w, size_t j);
void   heft_sql_input(heft_sql_writer *w, const heft_export_options *how);
void   heft_sql_unit(heft_sql_writer *w);
void   heft_sql_codes(heft_sql_writer *w);
void   heft_sql_pairs(heft_sql_writer *w);

/* ---- export_sql_sums.c ---- */

/* Writes heft_scores from heft_sums, where sum k of class c is u<k>_<c> and the base is the last
 * one. */
heft_status heft_sql_combine(heft_ctx *ctx, heft_sql_writer *w);

/* ---- export_sql_classes.c ---- */

/* Writes the largest of n columns: those of `among`, or 0, 1, ... */
void heft_sql_largest(heft_buf *out, const char *column, const size_t *among, size_t n);

/* Writes all that follows heft_scores: calibration, softmax, the decision, the result. */
heft_status heft_sql_classes(heft_ctx *ctx, const heft_terms *terms, const char *id, heft_buf *out);
