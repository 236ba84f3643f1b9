/* objective.h - losses over rows, for weights on given log-likelihoods.
 *
 * The evidence of the rows is laid out once; then value and gradient are evaluated as often as a
 * minimiser asks, for weights of any shape and any loss of the scores:
 *
 *   s_i[c] = base[c] + sum_j w(c,j,x_ij) l_ij[c]         forward: look-up and add
 *   loss, r_i[c] = d loss / d s_i[c]                     the method's own callback, tile by tile
 *   H_j[v][c] = sum of r_i[c] over rows with x_ij = v    backward: look-up and add
 *   d loss / d w = H contracted with l, to the shape of w
 *
 * A cell costs a code, a table line and an addition, and no rows x attributes x classes array
 * exists. The layout saves further time: values that do not occur are left out; a numeric attribute
 * with few distinct values becomes a coded one; attributes of few values are joined into one code
 * over all their combinations; and equal rows of a class are merged into one with the sum of their
 * weights.
 *
 * A problem of two classes needs only the difference of their log-likelihoods: one score in place
 * of two (heft_evidence_pair).
 *
 * Sums are exact, so that their bits depend on the rows alone and not on the order of rows, the
 * merging of equal rows, the threads or the ranks. This matters because the last bit of a sum can
 * decide where a minimiser stops. r is rounded to a multiple of a power of two d, chosen from the
 * sum of all |r|: d is so small that the rounding has no visible effect, and so large that every
 * sum of r is a multiple of d below 2^53 d. Losses are summed in double-double arithmetic. The
 * layout is computed from the rows of all ranks.
 *
 * Two other objectives exist, each for a shape of problem this one would serve badly:
 * learn/mixing.h, a few weights on whole score vectors, where second derivatives are cheap; and
 * methods/auto/logit.h, a weight of its own for every value and pair, in single precision. */
#pragma once

#include "model/fitted.h"

typedef struct heft_member { /* a coded attribute */
    size_t    j;
    size_t    n_used; /* number of values that occur, including the missing value */
    uint32_t *used;   /* codes of the values that occur; NULL for a numeric attribute coded here */
    uint32_t  n_codes;
    size_t    stride; /* factor of this attribute's digit in the code of the group */
    double   *table;  /* log-likelihoods, n_used x n_base */
    size_t    next;   /* next member of the same group; SIZE_MAX if it is the last */
} heft_member;

typedef struct heft_group { /* attributes joined into one code */
    size_t   n_code;        /* number of combinations of values */
    size_t   at;            /* number of codes of all groups before this one */
    unsigned width;         /* bytes per code */
    void    *code;          /* code of each row */
    bool     blank;         /* true while the codes have not been set to 0, during building */
    size_t   head, tail;    /* first and last member */
} heft_group;

typedef struct heft_density { /* a numeric attribute's likelihood, as the scores need it */
    const heft_lik *lik;
    size_t          n_class; /* number of classes of lik: 2 if it is restricted to a class pair */
    bool            pair;    /* whether the score is the difference of classes a and b of lik */
    size_t          a, b;
} heft_density;

typedef struct heft_dense { /* a numeric attribute with many distinct values */
    size_t  j;
    double *cells;      /* log-likelihoods, n_rows x n_base; NULL if too many to store, and then
                           computed when needed */
    double        most; /* largest |l| of the column on all ranks */
    const double *numbers;
    heft_density  density;
} heft_dense;

typedef struct heft_evidence { /* the layout of the rows; read only once built */
    size_t          n_rows;    /* number of rows of this rank, after merging equal rows */
    size_t          n_attr;
    size_t          n_base; /* scores per row: n_class, or 1 for a class pair */
    double          total;  /* sum of the weights on all ranks */
    double          size;   /* the larger of `total` and the number of rows on all ranks */
    const uint16_t *y;      /* class of each row; for a class pair 0 or 1 */
    const double   *weight; /* weight of each row; NULL if all are 1 */
    const size_t   *row;    /* index of each row in the prepared rows; NULL if it is the same */
    bool           *active; /* per attribute: false if all its l, and so its gradient, are 0 */
    heft_member    *member;
    heft_group     *group;
    heft_dense     *dense;
    size_t          n_member, n_group, n_dense, n_code;
} heft_evidence;

/* Lays out all rows of known class with one score per class: l_ij[c] = log P(x_ij | c). Dense rows
 * only. `rows` and `lik` must outlive the result. `arena` may be ctx->scratch. Cost: O(n m), once.
 */
heft_status heft_evidence_build(heft_ctx *ctx, const heft_rows *rows, const heft_lik *lik,
                                heft_arena *arena, heft_evidence **out);

typedef struct heft_row_list {
    const size_t *row; /* row indices in increasing order */
    size_t        n;
} heft_row_list;

/* (*lists)[c] = the rows of class c. Memory is from `arena`. */
heft_status heft_rows_by_class(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                               heft_row_list **lists);

/* Lays out the rows of classes a and b with one score per row:
 * l_ij = log P(x_ij | a) - log P(x_ij | b). y is 0 for a and 1 for b. `lists` are the rows by class
 * (heft_rows_by_class), or NULL. */
heft_status heft_evidence_pair(heft_ctx *ctx, const heft_rows *rows, const heft_lik *lik,
                               const heft_row_list *lists, size_t a, size_t b, heft_arena *arena,
                               heft_evidence **out);

/* Merges equal rows if that saves a quarter of the rows or more. `y` is ev->y; the new weights are
 * from `arena`. Called by evidence.c only. */
heft_status heft_evidence_merge(heft_ctx *ctx, heft_arena *arena, uint16_t *y, heft_evidence *ev);

/* One set of weights for the layout. With several heads (rnb has two) a row's scores are those
 * of head 0, then of head 1, and so on: n_score = n_heads * n_base. */
typedef struct heft_head {
    heft_shape    shape;  /* CLASS needs a score per class; VALUE needs every attribute coded */
    const double *w;      /* weights, laid out as in heft_weights; NULL for the shape ONE */
    const size_t *offset; /* offsets of the attributes in w, for the shape VALUE only */
    const double *base;   /* n_base numbers added to every row's scores; NULL if they are 0 */
} heft_head;

typedef struct heft_tile { /* a few consecutive rows */
    size_t          first, n, n_score;
    const uint16_t *y;
    const double   *weight; /* never NULL; loss functions must not use it */
} heft_tile;

/* A loss function. scores[n * n_score] holds the scores of the tile's rows on entry and must hold
 * d loss / d score on return. value[k * n + i] must be set to what row i adds to sum k: sum 0 is
 * the loss, further sums are defined by the caller. All are for a row of weight 1. The function is
 * called on any thread. */
typedef void heft_loss_fn(const void *user, const heft_tile *tile, double *scores, double *value);

typedef struct heft_loss {
    heft_loss_fn *fn;
    const void   *user;
    size_t        n_extra; /* number of sums besides the loss, below HEFT_MOST_SUMS */
    double *size; /* estimate of the mean over rows of the sum over scores of |d loss / d score|;
                   * heft_evidence_sum replaces it by a new estimate. A poor one costs a second
                   * pass. May be NULL */
} heft_loss;

/* Sums the loss and the extra sums over the rows of all ranks: sums[1 + n_extra]. gradient[h] is
 * set in the shape of head h's w, unless it is NULL. base_gradient[n_score], unless NULL, is set to
 * the gradient by `base`, which is the sum of the residuals over the rows. */
heft_status heft_evidence_sum(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                              size_t n_heads, const heft_loss *loss, double *sums,
                              double *base_gradient, double *const *gradient);

/* spread[n_attr]: the weighted mean of |l_ij[c]| over rows i and scores c; 0 for attributes that
 * are not active. */
heft_status heft_evidence_spread(heft_ctx *ctx, const heft_evidence *ev, double *spread);

/* Calls `visit` for every tile with its scores, in no order and from several threads. A tile starts
 * at a multiple of heft_tile_rows(n_score). */
typedef void heft_visit_fn(void *user, const heft_tile *tile, const double *scores);

heft_status heft_evidence_visit(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                                size_t n_heads, heft_visit_fn *visit, void *user);
size_t      heft_tile_rows(size_t n_score);

/* out[n]: the scores of the listed rows, or of all n rows if `row` is NULL; n_base must be 1. */
heft_status heft_evidence_scores(heft_ctx *ctx, const heft_evidence *ev, const heft_head *head,
                                 const size_t *row, size_t n, double *out);
/* The log-likelihood of dense attribute d in row i; n_base must be 1. */
double heft_dense_value(const heft_evidence *ev, size_t d, size_t i);

/* out[n_base] = the log-likelihoods of the number x; `work` is space for n_class numbers. Defined
 * in evidence.c and also used by objective.c. */
void heft_density_logs(const heft_density *density, size_t n_base, double x, double *work,
                       double *out);

enum {
    HEFT_MOST_SCORES = 4096, /* most scores per row, all heads together */
    HEFT_MOST_HEADS = 4,     /* most heads of an evaluation */
    HEFT_MOST_SUMS = 2,      /* most sums over rows, including the loss */
    HEFT_MOST_TILE = 1024    /* most rows per tile */
};
