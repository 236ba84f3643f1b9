/* table.h - a table of named, typed columns, dense or sparse.
 *
 * A numeric cell is a double, NaN where missing. A nominal cell is a code into the column's
 * dictionary, in the smallest of 1, 2, 4 bytes that holds n_values + 2 codes; the code n_values
 * means missing (n_values + 1 is kept free for the preparation's "unseen" code).
 *
 * A sparse table has compressed rows in place of cells: an absent entry is 0 (for a nominal column
 * its first value), a stored NaN is missing, a nominal entry stores its code as a number. Entries
 * of a row have increasing columns. The target and the weights are always dense. */
#pragma once

#include "base/codes.h"
#include "base/ctx.h"
#include "base/dict.h"
#include "base/utf8.h"

struct ArrowArray; /* heft_arrow.h */

typedef struct heft_column {
    char      *name;
    heft_kind  kind;
    heft_dict *dict;  /* nominal: values by code, reference counted; NULL for numbers */
    unsigned   width; /* bytes per cell: 8 for numbers; 1, 2 or 4 for codes             */
    void      *cells; /* NULL in a sparse table                                       */
    size_t     n_missing;
    bool       borrowed; /* cells belong to somebody else and are not freed */
    bool       inferred; /* nominal: the values are those that rows had, sorted; numeric: no cell
                            was seen, and the kind is a guess. Else declared */
} heft_column;

typedef struct heft_sparse {
    size_t   *start; /* n_rows + 1 */
    uint32_t *col;
    double   *val;
} heft_sparse;

typedef struct heft_kept { /* cells of columns that predictions repeat, as CSV text */
    char   *names;         /* the columns, as the line of a header; NULL: none are kept */
    char   *text;          /* row i ends before end[i], where row i + 1 begins */
    size_t *end;
} heft_kept;

struct heft_table {
    char        *name;  /* the data set: the file's name without folder and endings */
    char        *label; /* the file it was read from, for messages; NULL: none */
    size_t       n_rows;
    size_t       n_cols; /* attributes: neither the target nor the weights */
    heft_column *cols;
    heft_column *target;  /* the class, nominal and dense; or NULL */
    heft_column *crowded; /* takes the place of a target with too many values, for check alone */
    bool         target_asked;   /* --target named the target */
    bool         target_nominal; /* values of the target are declared, or --nominal named it */
    char        *decimal_mark;   /* decimal mark of the file; NULL: a point */
    char        *missing;        /* marks besides the usual, as heft_source has them, or NULL */
    char        *positive;       /* the target is this class against the rest; NULL: it is not */
    double      *weight;         /* n_rows weights, finite and >= 0; NULL: all are 1 */
    heft_sparse *sparse;         /* the rows of a sparse table, else NULL */
    size_t       n_total;        /* rows of all ranks that read it together; 0: n_rows */
    size_t       n_stored;     /* entries and columns of sparse rows that were made dense; else 0 */
    heft_kept    kept;         /* heft_source.keep; tables made of this one have none */
    struct ArrowArray *lender; /* owns the cells of borrowed columns; NULL: nobody or the caller */
};

/* Bytes a code needs in a column of n_values values. */
unsigned heft_code_width(size_t n_values);

/* Returns what to call the table in a message: its file, else its name. */
const char *heft_table_label(const heft_table *table);
/* A name for a message: safe to print, cut at 60 bytes. Returns out. */
const char *heft_show_name(char out[96], const char *name);
/* A name, or a cell cut at 40 bytes, for a message, in memory of the enclosing block. */
#define HEFT_SHOW_NAME(name)         heft_show_name((char[96]){0}, (name))
#define HEFT_SHOW_CELL(text, length) HEFT_SHOW_PART((text), (length), 40)

/* An empty table of n_cols unnamed columns; cells are the caller's to fill. */
heft_status heft_table_new(heft_ctx *ctx, size_t n_rows, size_t n_cols, heft_table **out);
void        heft_table_delete(heft_table *table); /* NULL is fine */
HEFT_OWNED(heft_table, heft_table_delete)
void heft_column_clear(heft_column *column);
/* Copies what is known of the data set besides its columns. */
heft_status heft_table_copy_names(heft_ctx *ctx, const heft_table *table, heft_table *out);

/* A column without cells, for which heft_column_alloc makes memory: nominal where it has a
 * dictionary, which is shared. */
heft_status heft_column_init(heft_ctx *ctx, heft_column *col, const char *name, heft_dict *dict);
heft_status heft_column_alloc(heft_ctx *ctx, heft_column *col, size_t n_rows);
/* Gives a nominal column another dictionary: code v becomes map[v], missing stays missing. */
heft_status heft_column_recode(heft_ctx *ctx, heft_column *col, heft_dict *dict,
                               const uint32_t *map, size_t n_rows);
/* The rows of each code of a nominal column: n_values + 2 counts; that of missing cells is the last
 * but one. */
heft_status heft_column_count(heft_ctx *ctx, const heft_column *col, size_t n_rows, size_t *counts);
/* Zeroed arrays for compressed rows; `start` has n_rows + 1 elements. */
heft_status heft_sparse_create(heft_ctx *ctx, size_t n_rows, size_t n_entries, heft_sparse **out);
/* Adds the missing entries of a sparse table to its columns' counts. */
void heft_sparse_count_missing(heft_table *table);

/* Finds an attribute by name; SIZE_MAX when there is none. Each call looks at all columns: for many
 * names use heft_dict (dict.h). */
size_t heft_table_find(const heft_table *table, const char *name);

/* A new table with the given rows, in that order; rows may repeat. NULL: all n rows. Dictionaries
 * are shared. */
heft_status heft_table_take(heft_ctx *ctx, const heft_table *table, const size_t *rows, size_t n,
                            heft_table **out);
/* A table that may be changed: *own, which becomes a copy of `table` where it is NULL. */
heft_status heft_table_own(heft_ctx *ctx, const heft_table *table, heft_table **own);
/* A new table with the given attributes only. */
heft_status heft_table_keep(heft_ctx *ctx, const heft_table *table, const size_t *cols, size_t n,
                            heft_table **out);
/* A dense copy of a sparse table. */
heft_status heft_table_densify(heft_ctx *ctx, const heft_table *table, heft_table **out);

/* The rows of a, then those of b, under a's columns, matched by name; of the values of a
 * nominal column a's come first. Both have a target. b's other columns are left out; one it lacks
 * is EINVAL, but all zeros between two sparse tables. */
heft_status heft_table_join(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                            heft_table **out);

/* Values that no row has leave the dictionaries of inferred columns: these become what reading the
 * rows alone, on all ranks, would make them. The table is *own, which is changed; where that is
 * NULL it is `table`, and *own becomes a changed copy, or stays NULL when there is nothing to take
 * out. The caller frees *own, also on failure. Cost: one pass over the codes at most. */
heft_status heft_table_trim_values(heft_ctx *ctx, const heft_table *table, heft_table **own);

/* The nominal attributes of a table made in memory become what reading its rows from a file would
 * make them: their values are those of the rows, sorted, and not declared. */
heft_status heft_table_infer_values(heft_ctx *ctx, heft_table *table);

/* Checks that names are unique and not empty, codes within range, the columns of sparse rows
 * increasing, weights finite: for tables made by hand, and for tests. */
heft_status heft_table_check(heft_ctx *ctx, const heft_table *table);
