/* prep.h - preparation: fitted on training rows, applied to any rows, saved in the model.
 *
 *   column by name -> [value by text] -> impute -> scale -> discretise -> prepared attribute
 *
 * A prepared attribute is either coded (0..n_codes-1, n_codes = missing, n_codes + 1 = a value the
 * model has never seen, under unseen=zero; under unseen=missing those become n_codes) or a
 * number (NaN = missing). Tables indexed by code therefore have n_codes + 2 rows and need no
 * branch.
 *
 * Unit length is a scaling of rows: numbers are imputed, divided by the length of their row over
 * all numeric attributes of the model (missing cells left out, a row of zeros stays), then cut. In
 * a model fitted on a sparse table the interval that holds 0 has code 0, in exchange with the
 * lowest one; heft_prep_value knows. Rows of weight 0 are not used. */
#pragma once

#include "data/table.h"
#include "heft_memory.h"

typedef enum heft_cutting {
    HEFT_CUT_NONE,
    HEFT_CUT_WIDTH,
    HEFT_CUT_FREQUENCY,
    HEFT_CUT_MDL,
    HEFT_CUT_PRESENCE /* above 0, or not */
} heft_cutting;
typedef enum heft_scaling {
    HEFT_SCALE_NONE,
    HEFT_SCALE_MINMAX,
    HEFT_SCALE_UNIT,
    HEFT_SCALE_RANGE
} heft_scaling;

typedef struct heft_prep_spec {
    bool         impute; /* mean of numbers, mode of nominal values (lowest code on a tie) */
    heft_cutting cutting;
    size_t       bins;      /* width:B, frequency:B */
    double       mdl_scale; /* mdl:SCALE */
    heft_scaling scaling;   /* minmax: (x - min)/(max - min); range: x/(max - min), keeps zeros;
                               unit: every row to Euclidean length 1 over its numeric cells */
    bool unseen_zero;
} heft_prep_spec;

typedef struct heft_binning { /* how the numbers of a column are cut */
    heft_cutting cutting;
    size_t       bins;
    double       mdl_scale;
} heft_binning;

/* Parse the command-line words over `base`; NULL words keep base's. */
heft_status heft_prep_parse(heft_ctx *ctx, const heft_config *config, const heft_prep_spec *base,
                            heft_prep_spec *out);

typedef struct heft_prep_words { /* a preparation in words that heft_prep_parse understands */
    char        discretize[48];
    const char *impute, *scale, *unseen;
} heft_prep_words;

void heft_prep_describe(const heft_prep_spec *spec, heft_prep_words *out);

typedef struct heft_attr_prep { /* what was learned for one attribute */
    char      *name;
    heft_kind  kind; /* kind of the raw column */
    heft_dict *dict; /* raw nominal values, shared; NULL for numbers */
    bool       has_fill;
    double     fill;          /* imputed number, or code, in raw units */
    double     shift, factor; /* scaled x = (x - shift) * factor; 0, 1 without scaling */
    bool       cut; /* discretised: n_cuts + 1 codes, code = number of cuts strictly below x */
    size_t     n_cuts;
    double    *cuts; /* increasing; in scaled units */
    bool       flat; /* cut: the numbers it was cut from are all equal, or there are none */
} heft_attr_prep;

typedef struct heft_prep {
    heft_prep_spec  spec;
    bool            sparse; /* prepared rows are sparse */
    size_t          n_attr;
    heft_attr_prep *attr;
    char           *target;
    heft_dict      *classes;
    char           *decimal_mark; /* decimal mark of the file that was read; NULL: a point */
    char           *missing;  /* marks in it besides the usual, as --missing has them, or NULL */
    char           *positive; /* --positive: this class against the rest; NULL: all classes */
    heft_arena     *arena;    /* holds attr, names, cuts; dictionaries are reference counted */
} heft_prep;

/* Learn from all rows of `table` (which needs a target). Memory from `arena`. */
heft_status heft_prep_fit(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                          heft_arena *arena, heft_prep *out);
void        heft_prep_clear(heft_prep *prep); /* the dictionaries; the arena is the caller's */

/* Prepare `table` as `from` does: its attributes in its order, with what it learned.
 * Values and classes that only the table has are taken in (heft_dict_union). A column or class
 * column that is not there is EINVAL. */
heft_status heft_prep_like(heft_ctx *ctx, const heft_prep *from, const heft_table *table,
                           heft_arena *arena, heft_prep *out);

/* The value that stands for missing cells, from the weight of each of n > 0 values: the heaviest;
 * on a tie the one whose text comes first, in whatever order they are declared. */
uint32_t heft_mode(const heft_dict *dict, const double *sum, size_t n);

/* The class that a text names, HEFT_DICT_NONE where there is none. Beside a positive class every
 * other is the rest. */
uint32_t heft_prep_class(const heft_prep *prep, const char *text, size_t length);

typedef struct heft_attr { /* one prepared attribute; cells are NULL in sparse rows */
    bool          coded;
    uint32_t      n_codes; /* coded: declared values, or intervals */
    unsigned      width;   /* bytes per code */
    const void   *codes;
    const double *numbers;
} heft_attr;

typedef struct heft_rows { /* prepared rows: what methods see */
    size_t             n_rows, n_attr, n_class;
    const heft_attr   *attr;
    const heft_sparse *sparse; /* NULL: dense. Coded entries store the code; absent is 0 / code 0 */
    const uint16_t    *y;      /* class, n_class = unknown; NULL without a target */
    const double      *weight; /* NULL: all 1 */
    size_t             n_stored; /* as in heft_table */
    /* In place of attr[j].numbers, for functions that say so. */
    const heft_matrix *matrix;
} heft_rows;

typedef struct heft_prepared { /* rows with the memory they stand on */
    heft_rows   rows;
    heft_attr  *attr;
    void      **owned; /* n_owned cell arrays to free */
    size_t      n_owned;
    heft_sparse own_sparse;
    uint16_t   *own_y;
    size_t      n_unseen; /* cells with a value the model has never seen */
} heft_prepared;

/* Cells that need no change are borrowed from `table`, which must outlive `out`. Unseen values
 * are counted; a column the model needs and the table lacks is EINVAL (for a sparse table it is
 * all zeros). Cost: one pass over the columns used. */
heft_status heft_prep_apply(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                            heft_prepared *out);
void        heft_prepared_clear(heft_prepared *prepared);
/* Rows lo..hi-1; `attr` (n_attr) and `sparse` are space for what it refers to. */
heft_rows heft_rows_part(const heft_rows *rows, size_t lo, size_t hi, heft_attr *attr,
                         heft_sparse *sparse);

/* ---- prep_row.c: one row without a table -------------------------------------------------- */

typedef struct heft_row {
    const heft_prep *prep;
    const double    *raw;           /* n_attr: a number, or the index of a value; NaN: missing */
    double           scale, length; /* under --scale unit; see heft_unit */
} heft_row;

/* EINVAL where a number is infinite. Takes no memory. */
heft_status heft_row_open(heft_ctx *ctx, const heft_prep *prep, const double *raw, heft_row *out);
/* The prepared cell of attribute j, a code as a number: with the same bits as heft_prep_apply. */
double heft_prep_cell(const heft_prep *prep, size_t j, double x, double scale, double length);

static inline double heft_row_cell(const heft_row *row, size_t j)
{
    return heft_prep_cell(row->prep, j, row->raw[j], row->scale, row->length);
}

/* The prepared row, in scratch memory. */
heft_status heft_row_prepare(heft_ctx *ctx, const heft_row *row, heft_rows *out);

/* The prepared rows as a table again: intervals such as (-inf-5.5] become nominal values. */
heft_status heft_prep_table(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                            heft_table **out);
/* Text of code v of attribute j: the nominal value, or the interval. Returns out. */
const char *heft_prep_value(const heft_prep *prep, size_t j, uint32_t v, char *out, size_t size);

/* ---- quantiles.c, mdl.c: cut points of one column -------------------------------------------- */

/* x: n values without NaN, in any order. Cuts are increasing and distinct, in scratch-free memory
 * from `arena`. A single distinct value gives no cut. */
heft_status heft_cuts_width(heft_ctx *ctx, heft_arena *arena, const double *x, size_t n,
                            size_t bins, double **cuts, size_t *n_cuts);
/* The distinct values among the sample quantiles at i/bins, i = 1..bins-1 (linear interpolation
 * between order statistics), by weight where weights are given (weight = repeated rows; where a
 * weight is not whole, the lowest values below which lies that share of the weight). */
heft_status heft_cuts_frequency(heft_ctx *ctx, heft_arena *arena, const double *x,
                                const double *weight, size_t n, size_t bins, double **cuts,
                                size_t *n_cuts);
/* Number of cuts strictly below x. */
uint32_t heft_cut_code(const double *cuts, size_t n_cuts, double x);
/* The same for n numbers, to out[n]; any number of cuts for NaN. */
void heft_cuts_below(const double *cuts, size_t n_cuts, const double *x, size_t n, uint32_t *out);
