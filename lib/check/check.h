/* check.h - a look at a table: what its columns hold, and what looks wrong with it.
 *
 * It has two steps. Every column is summarised once, by all threads (columns.c): missing cells,
 * distinct and frequent values, what texts look like (texts.c), and how much it tells about the
 * class. Then each finding is a test over the summaries (findings.c), so that a new one needs no
 * pass over the rows.
 *
 * How much a column tells is I(X; C) / H(C), the mutual information as a share of the entropy of
 * the class: 0 nothing, 1 everything. Numbers are cut into intervals for it, and where that gives
 * much, again at the cut points of Fayyad and Irani, because a column that determines the class
 * may do so in one narrow interval. Columns that repeat one another are found by hashes of their
 * cells in the order of their first occurrence, which recoding does not change, without comparing
 * columns in pairs.
 *
 * Training runs the cheap part alone (`quick`): it screens a few hundred rows (screen.c) and looks
 * closely only at columns that could give the class away. */
#pragma once

#include "base/dict.h"
#include "base/text.h"
#include "data/table.h"
#include "heft_check.h"

enum {
    HEFT_CHECK_TOP = 100,    /* columns shown where the caller does not say */
    HEFT_CHECK_FREQUENT = 5, /* values listed for a nominal column */
    HEFT_CHECK_GROUPS = 100, /* classes told apart; rarer ones are taken together */
    HEFT_CHECK_BARS = 24,    /* bars of a distribution */
    HEFT_CHECK_COLOURS = 10  /* classes of a distribution; the last one may be the rest */
};

/* The class column, which may have too many values for a table to learn from; NULL: there is none.
 */
static inline const heft_column *heft_check_class(const heft_table *table)
{
    return table->target ? table->target : table->crowded;
}

/* What the values of a nominal column look like. */
typedef enum heft_looks {
    HEFT_LOOKS_PLAIN,
    HEFT_LOOKS_DECIMAL_COMMA,
    HEFT_LOOKS_DECIMAL_POINT, /* and the decimal mark is another one */
    HEFT_LOOKS_MIXED,         /* numbers, and a few words */
    HEFT_LOOKS_THOUSANDS,
    HEFT_LOOKS_CURRENCY,
    HEFT_LOOKS_PERCENT,
    HEFT_LOOKS_DATE,
    HEFT_LOOKS_TEXT
} heft_looks;

/* Finds out what the values of a column look like (texts.c). `mark` is the decimal mark of the
 * file; *example gets the code of a value that looks like it. At most 1,000 values are looked at,
 * or all of them where nearly all are numbers. */
heft_looks heft_values_look(const heft_dict *dict, char mark, uint32_t *example);
bool       heft_is_word(const heft_dict *dict, uint32_t v, char mark); /* the value is no number */
/* Lists values that are one word in several spellings, as Yes, yes and Y are, or True and 1 in a
 * column of such words alone, word by word. rows[v]: those that have the value. *n_words: how many
 * words have several spellings. */
heft_status heft_find_alike(heft_ctx *ctx, const heft_dict *dict, const size_t *rows, heft_buf *out,
                            size_t *n_words);

/* How the values of a column are spread over rows and classes, for the page. */
typedef struct heft_spread {
    size_t   n_bars;
    bool     intervals;               /* bar k is lo + k * width .. ; else value[k] */
    double   lo, width;               /* the first and the last bar hold what lies outside */
    double   number[HEFT_CHECK_BARS]; /* numeric, not intervals: the value */
    uint32_t code[HEFT_CHECK_BARS];   /* nominal: the value; UINT32_MAX: all others */
    size_t   count[HEFT_CHECK_BARS][HEFT_CHECK_COLOURS];
} heft_spread;

typedef struct heft_column_summary { /* a column as it was found */
    heft_check_column show;
    heft_dict        *dict; /* shared with the table; NULL: numbers */
    uint32_t          top_code[HEFT_CHECK_FREQUENT];
    const char       *top_text[HEFT_CHECK_FREQUENT];
    size_t            top_rows[HEFT_CHECK_FREQUENT];
    size_t            n_observed;
    size_t            n_words; /* HEFT_LOOKS_MIXED: cells that are no numbers */
    size_t            n_most;  /* rows with the most frequent value */
    double            most_number;
    heft_looks        looks;
    uint32_t          example;     /* a value that looks like that */
    bool              inferred;    /* the values were not declared */
    bool              counts_rows; /* whole numbers, each one more than in the row before */
    size_t            n_alike;     /* words in several spellings */
    heft_buf          alike;       /* a list of their spellings */
    uint64_t          key;    /* equal for columns that are recodings of one another; 0: none */
    uint64_t          exact;  /* equal for columns with equal cells */
    heft_spread      *spread; /* NULL: not kept */
} heft_column_summary;

typedef struct heft_class_groups {
    size_t    n, *rows;   /* classes, and the rows of each */
    size_t    n_labelled; /* rows with a class */
    double    entropy;    /* entropy of the class in nats, where a group counts as one class */
    size_t    n_group;    /* classes told apart; the rarest of many are one group */
    uint8_t  *group;      /* n: the group of each class */
    size_t    n_colour;   /* colours of classes in distributions */
    uint32_t *colour;     /* n_colour: the class of each; UINT32_MAX: all others */
} heft_class_groups;

struct heft_check {
    heft_arena arena;
    char      *name;                   /* name of the data */
    char      *label;                  /* name of the file; NULL: there is none */
    size_t     n_rows, n_attr, n_cols; /* n_cols counts the class column too, where there is one */
    bool       sparse;
    char       mark;           /* decimal mark of the file */
    bool       quick;          /* the check has only what heft_check_tell needs */
    bool       auto_tells;     /* method auto tells of columns that name the rows */
    bool       declared;       /* the file or a setting says that the classes are nominal */
    heft_column_summary *cols; /* the class last */
    heft_class_groups    classes;
    size_t               n_repeated,
        n_contradicting; /* rows that repeat another one, and of them those with another class */
    size_t        top;   /* columns that are shown */
    size_t       *order; /* n_attr: the most informative first */
    heft_finding *findings;
    size_t        n_findings;
};

/* Summarises columns and classes: everything but rows and findings (columns.c). */
heft_status heft_check_summarise(heft_ctx *ctx, const heft_table *table, heft_check *check);
/* Counts the rows that repeat another one, and of them those with another class (repeats.c). */
heft_status heft_check_rows(heft_ctx *ctx, const heft_table *table, heft_check *check);
/* Finds what looks wrong, from the summaries (findings.c). */
heft_status heft_check_find(heft_ctx *ctx, heft_check *check);
/* Writes a check as text for a terminal, or as JSON (check_text.c). */
heft_status heft_check_write(heft_ctx *ctx, const heft_check *check, bool json, char **out);

/* Makes a check of a table. With a method, which may be "", only the cheap part is made, for a
 * warning before it is trained. */
heft_status heft_check_create(heft_ctx *ctx, const heft_table *table, size_t top,
                              const char *method, heft_check **out);
void        heft_check_delete(heft_check *check); /* NULL is fine */
HEFT_OWNED(heft_check, heft_check_delete)
heft_status heft_check_tell(heft_ctx *ctx, const heft_table *table, const char *method, bool brief);

/* Lists the columns to show, the class last: order[n], in scratch memory. Where there are at most
 * `top` they are in the order of the table, else the most informative ones come first. */
heft_status heft_check_shown(heft_ctx *ctx, const heft_check *check, size_t **order, size_t *n);
