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
 * exists. The layout does the rest: values that do not occur are left out; a numeric attribute with
 * few distinct values becomes a coded one; attributes of few values are joined into one code over
 * all their combinations; and equal rows of a class are merged into one with the sum of their
 * weights.
 *
 * A problem of two classes needs only the difference of their log-likelihoods: one score in place
 * of two (heft_evidence_pair).
 *
 * Sums are exact, so that their bits depend on the rows alone and not on their order, their
 * merging, the threads or the ranks: minimisers follow a path on which the last bit of a sum
 * decides where they stop. r is rounded to a multiple of a power of two that fits the size of all
 * r: so small that it changes nothing, and so large that every sum of r is a whole number of them
 * below 2^53. Sums of losses are carried double-double. The layout is that of the rows of all
 * ranks.
 *
 * Two other objectives exist, each for a shape of problem this one would serve badly:
 * learn/mixing.h, a few weights on whole score vectors, where second derivatives are cheap; and
 * methods/auto/logit.h, a weight of its own for every value and pair, in single precision. */
#pragma once

#include "model/fitted.h"

typedef struct heft_member { /* a coded attribute */
    size_t    j;
    size_t    n_used; /* values that occur, missing among them                       */
    uint32_t *used;   /* their codes; NULL for a number coded here                   */
    uint32_t  n_codes;
    size_t    stride; /* factor of its code in the group's code                      */
    double   *table;  /* n_used x n_base                                             */
    size_t    next;   /* member of the same group, SIZE_MAX: none                    */
} heft_member;

typedef struct heft_group { /* attributes joined into one code */
    size_t   n_code;        /* combinations                                                 */
    size_t   at;            /* codes of the groups before it                                */
    unsigned width;         /* bytes per code                                               */
    void    *code;          /* n_rows                                                       */
    bool     blank;         /* while it is built: the codes are not 0 yet                   */
    size_t   head, tail;
} heft_group;

typedef struct heft_density { /* a numeric attribute's likelihood, as the scores need it */
    const heft_lik *lik;
    size_t          n_class; /* classes of lik: 2 if a class pair was cut out             */
    bool            pair;    /* the score is the difference of classes a and b of lik   */
    size_t          a, b;
} heft_density;

typedef struct heft_dense { /* a numeric attribute with many distinct values */
    size_t        j;
    double       *cells; /* n_rows x n_base; NULL: too many to keep, computed when needed */
    double        most;  /* the largest |l| in it, on any rank                            */
    const double *numbers;
    heft_density  density;
} heft_dense;

typedef struct heft_evidence { /* in the arena it was built with; read only */
    size_t n_rows;             /* after merging                                        */
    size_t n_attr;
    size_t n_base;          /* n_class, or 1 for a pair                             */
    double total;           /* sum of the weights, on all ranks                     */
    double size;            /* the rows it stands for: `total`, or their number where
                               that is larger. A row of weight 2 counts like two    */
    const uint16_t *y;      /* class; for a pair 0 or 1                             */
    const double   *weight; /* NULL: all 1                                          */
    const size_t   *row;    /* its place in the prepared rows; NULL: the same        */
    bool           *active; /* n_attr: false where all l are 0, and so is the gradient */
    heft_member    *member;
    heft_group     *group;
    heft_dense     *dense;
    size_t          n_member, n_group, n_dense, n_code;
} heft_evidence;

/* All rows of known class, one score per class: l_ij[c] = log P(x_ij | c). Dense rows only. `rows`
 * and `lik` must outlive it. `arena` may be ctx->scratch. Cost: O(n m), once. */
heft_status heft_evidence_build(heft_ctx *ctx, const heft_rows *rows, const heft_lik *lik,
                                heft_arena *arena, heft_evidence **out);

typedef struct heft_row_list {
    const size_t *row; /* increasing */
    size_t        n;
} heft_row_list;

/* lists[c]: the rows of class c, in arena memory. */
heft_status heft_rows_by_class(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                               heft_row_list **lists);

/* The rows of classes a and b, one score: log P(x_ij | a) - log P(x_ij | b). y is 0 for a, 1 for
 * b. */
heft_status heft_evidence_pair(heft_ctx *ctx, const heft_rows *rows, const heft_lik *lik,
                               const heft_row_list *lists, size_t a, size_t b, heft_arena *arena,
                               heft_evidence **out);

/* Equal rows become one, where that leaves out a quarter of the rows or more. `y` is ev->y; weights
 * are from `arena`. For evidence.c. */
heft_status heft_evidence_merge(heft_ctx *ctx, heft_arena *arena, uint16_t *y, heft_evidence *ev);

/* One set of weights over the evidence. With several heads (rnb has two) a row's scores are those
 * of head 0, then of head 1, and so on: n_score = n_heads * n_base. */
typedef struct heft_head {
    heft_shape    shape;  /* CLASS needs a score per class; VALUE needs every attribute coded */
    const double *w;      /* laid out as in heft_weights; ONE: NULL                         */
    const size_t *offset; /* VALUE                                                          */
    const double *base;   /* n_base: what a row's scores start from; NULL: 0                */
} heft_head;

typedef struct heft_tile { /* a few consecutive rows */
    size_t          first, n, n_score;
    const uint16_t *y;
    const double   *weight; /* never NULL; not for losses */
} heft_tile;

/* scores[n * n_score]: the scores of the tile's rows on entry, d loss / d score on return;
 * value[k * n + i]: what row i adds to sum k; sum 0 is the loss, the others are the caller's. All
 * for a row of weight 1. Runs on any thread. */
typedef void heft_loss_fn(const void *user, const heft_tile *tile, double *scores, double *value);

typedef struct heft_loss {
    heft_loss_fn *fn;
    const void   *user;
    size_t        n_extra; /* sums besides the loss, below HEFT_MOST_SUMS */
    double *size; /* a guess of the mean over rows of the sum over scores of |d loss / d score|;
                   * set to what was found. A poor guess costs a second pass */
} heft_loss;

/* sums[1 + n_extra] over all rows; gradient[h], of the shape of head h's w, is set (NULL: not
 * wanted, as for ONE); base_gradient[n_score], unless NULL, gets the gradient by `base`, which is
 * the sum of the residuals over the rows. */
heft_status heft_evidence_sum(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                              size_t n_heads, const heft_loss *loss, double *sums,
                              double *base_gradient, double *const *gradient);

/* spread[n_attr]: the mean of |l_ij[c]| over rows, by weight, and scores; 0 where not active. */
heft_status heft_evidence_spread(heft_ctx *ctx, const heft_evidence *ev, double *spread);

/* Calls `visit` for every tile with its scores, in no order and from several threads. A tile starts
 * at a multiple of heft_tile_rows(n_score). */
typedef void heft_visit_fn(void *user, const heft_tile *tile, const double *scores);

heft_status heft_evidence_visit(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                                size_t n_heads, heft_visit_fn *visit, void *user);
size_t      heft_tile_rows(size_t n_score);

/* out[n]: the scores of the listed rows (NULL: of all n), where n_base is 1. */
heft_status heft_evidence_scores(heft_ctx *ctx, const heft_evidence *ev, const heft_head *head,
                                 const size_t *row, size_t n, double *out);
/* The log-likelihood of dense attribute d in row i, where n_base is 1. */
double heft_dense_value(const heft_evidence *ev, size_t d, size_t i);

/* evidence.c, for objective.c: out[n_base]: the log-likelihoods of a number; `work` holds n_class
 * numbers. */
void heft_density_logs(const heft_density *density, size_t n_base, double x, double *work,
                       double *out);

enum {
    HEFT_MOST_SCORES = 4096, /* scores of a row, all heads together */
    HEFT_MOST_HEADS = 4,
    HEFT_MOST_SUMS = 2,
    HEFT_MOST_TILE = 1024 /* rows of a tile */
};
