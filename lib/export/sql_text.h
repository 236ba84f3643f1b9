/* sql_text.h - the SQL that the export is made of: names, literals, searches and long sums. */
#pragma once

#include "base/put.h"

/* A function of a column with whole numbers or, with `numbers`, with numbers: value[k] holds from
 * from[k] (from[0]: from the beginning) on. For numbers a step ends at from[k] inclusive. */
typedef struct heft_sql_steps {
    bool    numbers;
    bool    codes; /* the values are whole numbers */
    bool    table; /* one step per whole number: numbers of a table */
    double  unit;  /* above 0: values are whole multiples of it, and are written as such */
    size_t  n;
    double *from, *value;
} heft_sql_steps;

/* Writes SQL as printf does, with these conversions alone. Text that is not UTF-8 is read as
 * Latin-1.
 *
 *   %s  text as it is                      %n  a name in double quotes
 *   %z  size_t                             %t  a text in single quotes
 *   %d  a double: 1.5e0, or (-1.5e0)       %f  a double with a cast
 */
void heft_sql_put(heft_buf *out, const char *format, ...);
/* A number of a table, in short; with a cast. */
void heft_sql_value(heft_buf *out, double x, bool cast);
/* schema.table, each part quoted; a part in double quotes may hold dots. */
void heft_sql_table(heft_buf *out, const char *name);

/* Adds a step; equal neighbours are one. The arrays have space for it. */
void heft_sql_step(heft_sql_steps *steps, double from, double value);
/* Begins the steps of a table of n numbers, `step` apart, in its shorter form: with one step per
 * line, which become texts, or with one per change. */
void heft_sql_begin_table(heft_sql_steps *steps, const double *table, size_t n, size_t step);
/* Writes the value that holds at the column: a search in nested CASEs, texts of several numbers
 * that are cut by position, or a constant. */
void heft_sql_search(heft_buf *out, const heft_sql_steps *steps, const char *column);

/* part(arg, k) for k in lo..hi-1, joined by " + " or " AND ", in balanced brackets. */
typedef void heft_sql_item(void *arg, size_t k, heft_buf *out);
void heft_sql_join(heft_buf *out, const char *with, size_t lo, size_t hi, heft_sql_item *part,
                   void *arg);
