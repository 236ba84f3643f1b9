/* geomean.h - the weighted geometric mean of one-dependence estimators, from counts.
 *
 * At one resolution, n rows, K classes, q_j codes of attribute j, every sum by weight:
 *
 *   P0(v)       = (n_v + 1) / (n + q_j)
 *   P(v | c)    = (n_cv + s0 P0(v)) / (n_c + s0)
 *   P(w | c, v) = (n_cvw + s P(w | c)) / (n_cv + s)
 *   P(c, v)     = (n_cv + P0(v) (n_c + 1/K) / (n + 1)) / (n + 1)
 *   G_c(x)      = sum_p omega_p [ log P(c, x_p) + sum_{j != p} log P(x_j | c, x_p) ]
 *
 * over the superparents p: the attributes with the most information on the class, omega_p their
 * fraction of it. G is a sum over attributes and pairs, and is kept as such: a pair whose members
 * are both superparents has both their terms in one table.
 *
 * A pair of attributes of very many values is kept by the cells that occur: for the others n_cvw =
 * 0 and log P(w | c, v) = log(s P(w | c)) - log(n_cv + s) is a sum of one term per value, which
 * goes to the attributes.
 *
 * Leave-one-out: the entry of a row's own class with d = min(weight, 1) taken from n_cvw, n_cv and
 * n_c, and n + 1 - d in place of n + 1; P0, omega and the other classes stay. d is the
 * weight of the row and of all rows like it: what stays behind of them would give it away. */
#pragma once

#include "methods/auto/coding.h"

typedef struct heft_geomean_rule {
    double s0, s;
    bool   even;  /* all superparents weigh the same */
    double limit; /* (codes of superparents) x (all codes) x K stays below; one is always taken */
    double dense; /* numbers that a pair's table may always have, however few rows; 0: any */
} heft_geomean_rule;

extern const heft_geomean_rule heft_geomean_plain; /* s0 = 1, s = 5, limit 5e7, dense 2^20 */

typedef struct heft_geomean_pair { /* two attributes, i < j */
    uint32_t  i, j;
    double   *table; /* q_i x q_j lines of K: omega_i log P(w | c, v) + omega_j log P(v | c, w) */
    bool      sparse;
    uint32_t  n_seen; /* sparse: lines for these cells alone, without what goes to the attributes */
    uint64_t *key;    /* increasing; cell = v q_j + w */
} heft_geomean_pair;

typedef struct heft_geomean {
    size_t   n_attr, n_class, n_super, n_pairs;
    double   total;
    double  *class_sum;
    double  *log_class; /* log((n_c + 1/K) / (n + 1)) */
    double  *info;      /* by attribute: its information on the class, in nats */
    double  *omega;     /* n_attr; 0: not a superparent, or one without information */
    double **joint;     /* omega_j log P(c, v), q_j lines of K; NULL where omega_j is 0 */
    double **rest;      /* what sparse pairs leave to attribute j, q_j lines of K; NULL: nothing */
    heft_geomean_pair *pair;
} heft_geomean;

typedef struct heft_left_out { /* rows whose scores are wanted without them */
    size_t        n;
    const size_t *row;    /* places in the sample; NULL: the first n */
    const double *weight; /* how much weight is left out with each; NULL: all 1 */
    double       *score;  /* n x K: log-normalised; NULL: they are not wanted */
    /* For some of these rows, what each attribute adds to G: G less its mean over the values of the
     * attribute, weighted by P0, with the row left out. */
    size_t        n_looked;
    const size_t *looked;       /* their places among the n rows */
    double       *contribution; /* n_looked x n_attr x K */
} heft_left_out;

/* cells[j]: the codes of the sample's rows. Counts are those of the rows of all processes. Memory
 * from `arena`.
 * Cost: O(n m n_super) increments, and O(m n_super K) additions for each row that is left out;
 * where another weight than 1 is left out with it, O(m n_super) logarithms. */
heft_status heft_geomean_fit(heft_ctx *ctx, const heft_sample *sample,
                             const heft_cells *const *cells, const heft_geomean_rule *rule,
                             const heft_left_out *left, heft_arena *arena, heft_geomean *out);

/* v <- v - logsumexp(v). */
void heft_log_normalise(double *v, size_t n);
