/* histograms.h - sums of the derivatives of the loss over rows, for each code of each attribute.
 *
 * They are all that growing a tree needs to know of the rows: a split on an attribute divides its
 * codes, and the sums of the two sides are sums of cells. Counting them is most of the work of
 * boosting.
 *
 * The derivatives of a row are rounded and packed into one word, and all sums are sums of whole
 * numbers. So they do not depend on the order of the rows, nor on how the rows are spread over
 * several processes, which add up their histograms. */
#pragma once

#include "boost/joints.h"

typedef int32_t heft_row_word __attribute__((may_alias));

/* Sums over some rows, in whole steps: first derivatives, second derivatives, weights. */
typedef struct heft_row_sums {
    int64_t g, h, n;
} heft_row_sums;

typedef struct heft_histograms { /* the sums of every code of every attribute: its cells */
    int64_t *g, *h, *n;
} heft_histograms;

typedef struct heft_attr_list {
    uint32_t *attr;
    size_t    n;
} heft_attr_list;

/* The rows are counted in at most so many parts, each into histograms of its own. */
enum { HEFT_COUNT_PARTS = 4 };

typedef struct heft_packed_rows {
    const heft_bins       *bins;
    const heft_tree_codes *column;
    size_t                 n, m;   /* rows of this process; attributes */
    const int64_t         *weight; /* in units; NULL: all 1 */
    double                 unit;
    union {                  /* by row */
        float         *g;    /* first derivatives, |g| <= 1; the second are |g| (1 - |g|) */
        heft_row_word *word; /* this memory once the derivatives are packed */
    };
    double      g_unit, h_unit; /* one step of the packed derivatives */
    float       steps;          /* steps of g per 1: 1 / g_unit */
    size_t     *cell_at; /* m + 1: the first cell of each attribute; then the number of cells */
    int64_t    *parts;   /* HEFT_COUNT_PARTS - 1 histograms; NULL: rows are counted in one part */
    heft_joints joints;  /* where all weights are 1 */
} heft_packed_rows;

static inline int64_t heft_units(const int64_t *weight, size_t i)
{
    return weight ? weight[i] : 1;
}

static inline void heft_row_sums_add(heft_row_sums *to, const heft_row_sums *from)
{
    to->g += from->g;
    to->h += from->h;
    to->n += from->n;
}

static inline heft_row_sums heft_cell_sums(const heft_histograms *sums, size_t cell)
{
    return (heft_row_sums){sums->g[cell], sums->h[cell], sums->n[cell]};
}

/* Histograms k of several that lie behind each other: 3 numbers for each cell. */
static inline heft_histograms heft_histograms_at(const heft_packed_rows *rows, int64_t *memory,
                                                 size_t k)
{
    const size_t n = rows->cell_at[rows->m];
    int64_t     *at = memory + 3 * k * n;
    return (heft_histograms){at, at + n, at + 2 * n};
}

/* Allocates memory for the words and for counting; bins, column, n, weight and unit are set. */
heft_status heft_packed_rows_open(heft_ctx *ctx, heft_arena *arena, heft_packed_rows *rows);
/* The bits of the largest |g| of rows lo .. hi - 1: floats that are not negative have the order of
 * their bits. */
int32_t heft_packed_rows_largest(const heft_packed_rows *rows, size_t lo, size_t hi);
/* Packs the derivatives of all rows. `largest`: the bits of the largest |g| of this process. */
heft_status heft_packed_rows_pack(heft_ctx *ctx, heft_packed_rows *rows, int32_t largest);

/* out[use.n]: the attributes in the order in which they are best counted. flags: m, all false. */
void heft_packed_rows_order(const heft_packed_rows *rows, heft_attr_list use, bool *flags,
                            uint32_t *out);

/* The histograms of the attributes over rows index[0..n) of this process. An index of all rows is
 * in their order. It is fastest for attributes in the order of heft_packed_rows_order. */
void heft_histograms_count(heft_ctx *ctx, const heft_packed_rows *rows, const uint32_t *index,
                           size_t n, heft_attr_list use, const heft_histograms *to);
/* to += sign times from, for some attributes. */
void heft_histograms_add(const heft_packed_rows *rows, heft_attr_list use,
                         const heft_histograms *from, int64_t sign, const heft_histograms *to);
/* The sums of all rows that were counted: the cells of attribute j, added. */
heft_row_sums heft_histograms_total(const heft_packed_rows *rows, const heft_histograms *sums,
                                    uint32_t j);
