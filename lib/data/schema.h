/* schema.h - what is known of the columns of a file before its rows are read: names, roles, kinds,
 * and which texts mark a missing value. Private to data/.
 *
 * A *field* is a column of the file. The format adds the fields in the order of the file
 * (heft_schema_add); heft_schema_assign then gives each its role and kind, by what the caller asks
 * for (heft_source) and what a model expects (heft_expect).
 *
 * A kind that somebody asked for (`why`) never changes, and a cell that does not fit it is an
 * error. A guessed number column may be refuted by a cell; it becomes nominal for the next pass
 * over the files. A nominal column never becomes numeric, so there are at most as many passes as
 * columns, in practice two.
 *
 * Tasks that parse text read the schema while others add rows to the sink. During that time only
 * `later`, `odd`, `huge` and `n_odd` of a field change, which the tasks do not read. */
#pragma once

#include "base/decimal.h"
#include "base/text.h"
#include "data/input.h"
#include "data/read.h"

typedef enum heft_role {
    HEFT_ROLE_ATTRIBUTE,
    HEFT_ROLE_TARGET,
    HEFT_ROLE_WEIGHT,
    HEFT_ROLE_DROPPED
} heft_role;

extern const char heft_why_nominal[]; /* heft_field.why of a column that the caller made nominal */

/* The first cell with some property, for a message. */
typedef struct heft_finding {
    size_t line;     /* 0: there is no such cell */
    char   text[48]; /* safe to print */
} heft_finding;

typedef struct heft_field {
    char        *name;
    heft_role    role;
    heft_kind    kind;
    const char  *why;      /* who asked for this kind; NULL: a guess, which a cell may refute */
    const char  *type;     /* ARFF: the declared type; `why` points to it at first */
    bool         declared; /* nominal, values listed in the file: their order is kept */
    bool         refuted;  /* guessed to be numbers, but a cell is not one */
    bool         idle;     /* an attribute that nobody asks for: its cells are skipped */
    bool         kept;     /* the text of its cells is kept, whatever its role is */
    bool         settled;  /* nominal: the dictionary is that of the whole file, in its order */
    bool         lenient;  /* a model takes numbers here: a cell that is none counts as missing */
    uint32_t     place;    /* number of the attribute among the attributes */
    heft_dict   *dict;     /* nominal: the values so far */
    heft_dict   *later;    /* nominal: values that join `dict` when no task reads it; or NULL */
    heft_finding odd;      /* first cell that is not a number, in a nominal or a lenient column */
    uint32_t     odd_code; /* nominal: its code */
    size_t       n_odd;    /* cells that are not numbers: of a lenient column, or in a survey */
    heft_finding huge;     /* first number that no double holds */
} heft_field;

/* The texts that stand for a missing value. Those of the caller and the model come on top of the
 * usual ones (heft_is_usual_mark). */
typedef struct heft_missing_marks {
    char **text;
    size_t n;
    bool   are_numbers;   /* one of them is a number, so that each number must be compared */
    bool   quotes_count;  /* a quoted text of a nominal column is always a value */
    bool   only_question; /* ARFF: only ? is usual, and quotes count in all columns */
} heft_missing_marks;

typedef struct heft_schema {
    const char        *name; /* name of the file, for messages */
    const heft_source *how;
    const heft_expect *expect;       /* or NULL */
    bool               once;         /* read once, for `expect` alone: all other columns are idle */
    bool               sparse;       /* rows list only some of their cells */
    bool               keeps;        /* the text of some field is kept */
    bool               may_be_empty; /* a table without rows is not an error */
    heft_field        *fields;
    size_t             n_fields, field_capacity;
    size_t             n_index;   /* unnamed fields before the first one with a name */
    size_t             n_columns; /* LIBSVM: the highest column seen; its columns are no fields */
    const char        *drop;      /* LIBSVM: columns to drop from the finished table; NULL: none */
    size_t             max_columns; /* limits of heft_source, or their defaults */
    size_t             max_classes;
    heft_missing_marks marks;
    heft_arena         arena;
} heft_schema;

heft_status heft_schema_init(heft_ctx *ctx, heft_schema *schema, const char *name,
                             const heft_source *how, const heft_expect *expect);
/* Adds a field; an empty name becomes c<its number>. */
heft_status heft_schema_add(heft_ctx *ctx, heft_schema *schema, const char *name, size_t length);
void        heft_schema_clear(heft_schema *schema);

/* ---- roles.c ---- */

/* Sets roles and kinds by heft_source and heft_expect. Other kinds stay as they were. */
heft_status heft_schema_assign(heft_ctx *ctx, heft_schema *schema);
/* "3", "-1" (the last) or "29-34": columns *lo..*hi of n, 0-based. False: it is none of these. */
bool heft_column_range(const char *text, size_t n, size_t *lo, size_t *hi);
/* Whether a model has this column, as an attribute or as its target. */
bool heft_is_expected(const heft_expect *expect, const char *name);
/* Drops the columns of a finished table that a list such as heft_source.drop names. */
heft_status heft_table_drop(heft_ctx *ctx, const char *file, const char *list, heft_table **table);

/* EFORMAT: the file has no data rows. */
heft_status heft_no_rows(heft_ctx *ctx, const heft_schema *schema);
/* EFORMAT: column j of a further file has another name than in the first one. */
heft_status heft_other_name(heft_ctx *ctx, const heft_schema *schema, size_t j, const char *name,
                            size_t length);

/* ---- cells ---- */

/* A cell of a text, trimmed and without its quotes. */
typedef struct heft_text_cell {
    const char *text;
    size_t      length;
    bool        quoted;
    size_t      n_lines; /* CSV: line ends inside the quotes */
    const char *problem; /* CSV: what is wrong with the cell; NULL: nothing */
} heft_text_cell;

bool heft_is_missing(const heft_schema *schema, heft_kind kind, const heft_text_cell *cell);
bool heft_is_usual_mark(heft_kind kind, const char *text, size_t length);
bool heft_is_infinity(const char *text, size_t length); /* inf, infinity, signed, any case */
/* A number with the decimal mark of the file. */
heft_number heft_read_number(const heft_schema *schema, const char *text, size_t length,
                             double *out);
bool        heft_is_number(const heft_schema *schema, const char *text, size_t length);

/* The decimal mark of numbers. */
static inline char heft_decimal_mark(const heft_schema *schema)
{
    return schema->how->decimal_mark ? schema->how->decimal_mark : '.';
}

/* Whether a field takes part, as an attribute, the class or the weights. */
static inline bool heft_is_used(const heft_field *f)
{
    return f->role != HEFT_ROLE_DROPPED && !f->idle;
}
