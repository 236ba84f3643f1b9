/* coding.h - attributes coded at several resolutions at once.
 *
 * A numeric attribute is cut by Fayyad-Irani (mdl) and into 5, 10 and 20 bins of equal frequency.
 * The cuts of all resolutions merged part its range into lines; a cell has one line, and the line
 * has a code at each resolution:
 *
 *   cell -> line -> code at mdl, 5, 10, 20          code = number of that resolution's cuts below x
 *
 * so that one search serves them all. Where a numeric attribute has few distinct values, further
 * cuts give each a line of its own: what depends on the number then depends on the line. A nominal
 * attribute has a line for each declared value (and one for unknown values, where the
 * preparation keeps those apart) and the same code at every resolution. The last line is that of
 * missing cells: with a code of its own where the rows learned from have a missing cell, else with
 * the code of the median, or of the most frequent value. */
#pragma once

#include "stats/keys.h"
#include "stats/sample.h"

enum { HEFT_AT_MDL, HEFT_AT_5, HEFT_AT_10, HEFT_AT_20, HEFT_N_RES };

typedef struct heft_lines { /* one attribute */
    bool      numeric;
    bool      own_missing; /* missing cells have a code of their own */
    bool      apart;       /* nominal: unknown values have the line before the last */
    size_t    n_cuts;
    double   *cuts; /* those of all resolutions, increasing; the line of x is the number below x */
    uint32_t  n_lines; /* the last: missing */
    uint32_t  n_codes[HEFT_N_RES];
    uint32_t *code[HEFT_N_RES]; /* by line; shared by resolutions of the same cuts */
    double    mean, sd;         /* moments of the observed numbers; sd 0: not to be scaled */
    double   *only;             /* the one value learned from in each line (NaN: none); or NULL */
} heft_lines;

typedef struct heft_coding {
    size_t      n_attr;
    heft_lines *attr;
} heft_coding;

/* Learned from the sample alone. Values are numbered by their keys, so that their order does not
 * matter (NULL: as they are declared). Without `learned`, for evidence that is not: resolution mdl
 * has no cuts, and numbers no scale; then the rows may be spread over several processes. Memory
 * from `arena`. Cost: a sort of each numeric column. */
heft_status heft_coding_learn(heft_ctx *ctx, const heft_sample *sample, const heft_keys *keys,
                              bool unseen_apart, bool learned, heft_arena *arena, heft_coding *out);

/* More cuts for numeric attribute j, increasing: its lines become finer, their codes stay. For
 * pooling only: `only` is dropped. */
heft_status heft_coding_refine(heft_ctx *ctx, heft_coding *coding, size_t j, const double *cuts,
                               size_t n_cuts, heft_arena *arena);

/* The line of a number; NaN: missing. */
uint32_t heft_line_number(const heft_lines *lines, double x);
/* The lines of rows lo .. lo + n - 1. */
void heft_lines_at(const heft_lines *lines, const heft_attr *attr, size_t lo, size_t n,
                   uint32_t *out);
/* (x - mean) / sd within [-4, 4]; 0 for NaN. */
double heft_line_scaled(const heft_lines *lines, double x);

/* ---- codes of rows ---- */

typedef struct heft_cells { /* the codes of one attribute */
    unsigned width;         /* bytes per code: 1, 2 or 4 */
    unsigned same;          /* the first resolution with the same codes in every row */
    bool     shared;        /* `at` is another's */
    uint32_t n_codes;
    void    *at; /* n codes; NULL: not made */
} heft_cells;

typedef struct heft_coded { /* attribute by attribute, row after row */
    size_t      n, n_attr;
    heft_cells *cell; /* n_attr x HEFT_N_RES */
    heft_cells *line; /* n_attr */
} heft_coded;

static inline const heft_cells *heft_cells_of(const heft_coded *from, size_t j, unsigned res)
{
    return &from->cell[j * HEFT_N_RES + res];
}

/* count[v n_class + c] += the weights of the sample's rows of code v and class c. */
void heft_cells_count(const heft_sample *sample, const heft_cells *cells, double *count);
/* Memory for n codes below cells->n_codes: sets width and at. */
heft_status heft_cells_alloc(heft_ctx *ctx, size_t n, heft_cells *cells);

/* Codes at the resolutions whose bit (1 << res) is in `made`, and the lines where asked for.
 * Resolutions that code all rows, those of other processes too, alike share the codes, not n_codes.
 * Heap memory:
 * heft_coded_clear, also after a failure. */
heft_status heft_coded_fill(heft_ctx *ctx, const heft_coding *coding, const heft_sample *sample,
                            unsigned made, bool lines, heft_coded *out);
void        heft_coded_clear(heft_coded *coded);
