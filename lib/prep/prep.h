/* prep.h - preparation: fitted on training rows, applied to any rows, saved in the model.
 *
 *   column by name -> [value by text] -> impute -> scale -> discretise -> prepared attribute
 *
 * The preparation is learned from training rows alone, because test rows that take part in it make
 * an evaluation too optimistic. Imputation fills in the mean or the most frequent value;
 * discretisation cuts numbers at equal widths, equal frequencies, or by minimum description length
 * (mdl.c).
 *
 * A prepared attribute is either coded or a number (NaN = missing). Codes are 0..n_codes-1 for
 * known values and n_codes for a missing one. A value that the model has never seen has code
 * n_codes + 1 under unseen=zero, and n_codes under unseen=missing. Tables indexed by code therefore
 * have n_codes + 2 rows, and looking up a code needs no branch.
 *
 * Scaling to unit length acts on rows: numbers are imputed, divided by the Euclidean length of
 * their row over all numeric attributes of the model (missing cells are left out, a row of zeros
 * stays as it is), and then cut. In a model fitted on a sparse table the interval that contains 0
 * has code 0 and the lowest interval has its code in exchange; heft_prep_value takes this into
 * account. Rows of weight 0 are not used. */
#pragma once

#include "data/table.h"
#include "heft_memory.h"

typedef enum heft_cutting {
    HEFT_CUT_NONE,
    HEFT_CUT_WIDTH,
    HEFT_CUT_FREQUENCY,
    HEFT_CUT_MDL,
    HEFT_CUT_PRESENCE /* two intervals: above 0, and not above 0 */
} heft_cutting;
typedef enum heft_scaling {
    HEFT_SCALE_NONE,
    HEFT_SCALE_MINMAX,
    HEFT_SCALE_UNIT,
    HEFT_SCALE_RANGE
} heft_scaling;

typedef struct heft_prep_spec {
    bool         impute; /* fill in the mean of numbers and the mode of nominal values */
    heft_cutting cutting;
    size_t       bins;      /* number B of width:B and frequency:B */
    double       mdl_scale; /* SCALE of mdl:SCALE */
    heft_scaling scaling;   /* minmax: (x - min)/(max - min); range: x/(max - min), keeps zeros;
                               unit: every row to Euclidean length 1 over its numeric cells */
    bool unseen_zero;
} heft_prep_spec;

typedef struct heft_binning { /* how the numbers of a column are cut */
    heft_cutting cutting;
    size_t       bins;
    double       mdl_scale;
} heft_binning;

/* Read the preparation from the words of `config`. Where a word is NULL, `base` applies. */
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
    heft_dict *dict; /* raw nominal values, a shared reference; NULL for numbers */
    bool       has_fill;
    double     fill;          /* imputed number in raw units, or imputed code */
    double     shift, factor; /* scaled x = (x - shift) * factor; 0, 1 without scaling */
    bool       cut; /* discretised: n_cuts + 1 codes, code = number of cuts strictly below x */
    size_t     n_cuts;
    double    *cuts; /* increasing; in scaled units */
    bool       flat; /* cut, but all training numbers are equal, or there are none */
} heft_attr_prep;

typedef struct heft_prep {
    heft_prep_spec  spec;
    bool            sparse; /* prepared rows are sparse */
    size_t          n_attr;
    heft_attr_prep *attr;
    char           *target;
    heft_dict      *classes;
    char           *decimal_mark; /* decimal mark of the file that was read; NULL: a point */
    char           *missing;      /* further marks of missing cells in that file; NULL: none */
    char           *positive; /* positive class, against all others; NULL: classes as they are */
    heft_arena     *arena;    /* holds attr, names, cuts; dictionaries are reference counted */
} heft_prep;

/* Learn the preparation from all rows of `table`, which needs a target. Memory from `arena`. */
heft_status heft_prep_fit(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                          heft_arena *arena, heft_prep *out);
void heft_prep_clear(heft_prep *prep); /* frees the dictionaries; the caller frees the arena */

/* Make a preparation like `from` for rows of `table`: the same attributes in the same order, with
 * what `from` learned. Values and classes that only the table has are added (heft_dict_union).
 * EINVAL if the table lacks a column or the class column. */
heft_status heft_prep_like(heft_ctx *ctx, const heft_prep *from, const heft_table *table,
                           heft_arena *arena, heft_prep *out);

/* Returns the mode of n > 0 values from their weights, with which missing cells are filled. On a
 * tie it is the value whose text comes first, so that it does not depend on the order of
 * declaration. */
uint32_t heft_mode(const heft_dict *dict, const double *sum, size_t n);

/* Returns the class that a text names, or HEFT_DICT_NONE if there is none. If there is a positive
 * class, every other text names the class of the rest. */
uint32_t heft_prep_class(const heft_prep *prep, const char *text, size_t length);

typedef struct heft_attr { /* one prepared attribute; cells are NULL in sparse rows */
    bool          coded;
    uint32_t      n_codes; /* if coded: number of declared values or intervals */
    unsigned      width;   /* bytes per code */
    const void   *codes;
    const double *numbers;
} heft_attr;

typedef struct heft_rows { /* prepared rows: what methods see */
    size_t             n_rows, n_attr, n_class;
    const heft_attr   *attr;
    const heft_sparse *sparse;   /* NULL: dense. Entries are numbers or codes; others are 0 */
    const uint16_t    *y;        /* class, n_class = unknown; NULL without a target */
    const double      *weight;   /* NULL: all 1 */
    size_t             n_stored; /* as heft_table.n_stored */
    /* The numbers in place of attr[j].numbers, only for functions that accept a matrix. */
    const heft_matrix *matrix;
} heft_rows;

typedef struct heft_prepared { /* rows with the memory they stand on */
    heft_rows   rows;
    heft_attr  *attr;
    void      **owned; /* n_owned arrays of cells to free */
    size_t      n_owned;
    heft_sparse own_sparse;
    uint16_t   *own_y;
    size_t      n_unseen; /* number of cells with a value that the model has never seen */
} heft_prepared;

/* Prepare the rows of `table`. Cells that need no change are borrowed from `table`, which must
 * outlive `out`. Unseen values are counted. EINVAL if a dense table lacks a column of the model; in
 * a sparse table such a column is all zeros. Cost: one pass over the columns used. */
heft_status heft_prep_apply(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                            heft_prepared *out);
void        heft_prepared_clear(heft_prepared *prepared);
/* Returns a view of rows lo..hi-1. It refers to attr[n_attr] and *sparse, which are filled. */
heft_rows heft_rows_part(const heft_rows *rows, size_t lo, size_t hi, heft_attr *attr,
                         heft_sparse *sparse);

/* ---- prep_row.c: one row without a table -------------------------------------------------- */

typedef struct heft_row {
    const heft_prep *prep;
    const double    *raw; /* by attribute: a number, or the index of a value; NaN: missing */
    double           scale, length; /* scaling to unit length; see heft_unit */
} heft_row;

/* Begin to prepare one row. EINVAL if a number is infinite. Allocates no memory. */
heft_status heft_row_open(heft_ctx *ctx, const heft_prep *prep, const double *raw, heft_row *out);
/* Returns the prepared cell of attribute j, a code as a number, as heft_prep_apply makes it. */
double heft_prep_cell(const heft_prep *prep, size_t j, double x, double scale, double length);

static inline double heft_row_cell(const heft_row *row, size_t j)
{
    return heft_prep_cell(row->prep, j, row->raw[j], row->scale, row->length);
}

/* Prepare the row, in scratch memory. */
heft_status heft_row_prepare(heft_ctx *ctx, const heft_row *row, heft_rows *out);

/* Make a table from prepared rows; intervals such as (-inf-5.5] become nominal values. */
heft_status heft_prep_table(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                            heft_table **out);
/* Write the text of code v of attribute j to `out`, a nominal value or an interval. Returns `out`.
 * At most `size` bytes are written. */
const char *heft_prep_value(const heft_prep *prep, size_t j, uint32_t v, char *out, size_t size);

/* ---- quantiles.c, mdl.c: cut points of one column -------------------------------------------- */

/* Cut the range of x into intervals of equal width. x has n values without NaN, in any order. Cuts
 * are increasing and distinct, and allocated in `arena`. A single distinct value gives no cut. */
heft_status heft_cuts_width(heft_ctx *ctx, heft_arena *arena, const double *x, size_t n,
                            size_t bins, double **cuts, size_t *n_cuts);
/* Cut x into intervals of equal frequency. The cuts are the distinct values among the sample
 * quantiles at i/bins, i = 1..bins-1, by linear interpolation between order statistics. A row of
 * whole weight w counts as w rows. If some weight is not whole, each quantile is the lowest value
 * up to which lies a fraction i/bins of the weight. */
heft_status heft_cuts_frequency(heft_ctx *ctx, heft_arena *arena, const double *x,
                                const double *weight, size_t n, size_t bins, double **cuts,
                                size_t *n_cuts);
/* Returns the number of cuts strictly below x. */
uint32_t heft_cut_code(const double *cuts, size_t n_cuts, double x);
/* Set out[i] to the number of cuts strictly below x[i]; for NaN it is arbitrary. */
void heft_cuts_below(const double *cuts, size_t n_cuts, const double *x, size_t n, uint32_t *out);
