/* weights.c - weights of rows that are far from 1.
 *
 * A weight counts rows. Smoothing adds one row to the counts, so in general weights must not be
 * scaled. If their sum is outside 1e-15 to 1e15 they cannot be numbers of rows, and methods cannot
 * use counts of that size. Then all are multiplied by the power of two that brings their mean to 1
 * or up to 2, which keeps every bit of their ratios. */
#include "train/weights.h"

#include <math.h>

#include "base/all.h"
#include "base/rows.h"

static const double LEAST_SUM = 1e-15, MOST_SUM = 1e15, LEAST_SHARE = 1e-100;

typedef struct range {
    double least, most;
    double sum; /* sum of the weights divided by the largest one */
    double n;
} range;

static range range_of(const double *weight, size_t n)
{
    range r = {.least = INFINITY, .n = (double)n};
    HEFT_ROWS (i, n) {
        r.least = fmin(r.least, weight[i]);
        r.most = fmax(r.most, weight[i]);
    }
    HEFT_ROWS (i, n) r.sum += r.most > 0 ? weight[i] / r.most : 0;
    return r;
}

static bool balanced(const range *r)
{
    return r->least / r->most >= LEAST_SHARE * (r->sum / r->n);
}

static bool ordinary_sum(const range *r)
{
    const double sum = r->most * r->sum;
    return sum >= LEAST_SUM && sum <= MOST_SUM;
}

bool heft_weights_ordinary(const double *weight, size_t n)
{
    const range r = range_of(weight, n);
    return balanced(&r) && ordinary_sum(&r);
}

heft_status heft_scale_weights(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    *out = NULL;
    if (!table->weight) return HEFT_OK;
    range        r = range_of(table->weight, table->n_rows);
    const double own = r.most;
    double       ends[2] = {-r.least, r.most}, sums[2] = {0, r.n};
    HEFT_CHECK(heft_all_max(ctx, ends, 2));
    r.least = -ends[0], r.most = ends[1];
    sums[0] = r.most > 0 ? r.sum * (own / r.most) : 0;
    HEFT_CHECK(heft_all_sum(ctx, sums, 2));
    r.sum = sums[0], r.n = sums[1];
    if (!balanced(&r))
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: a row has weight %g, below 1e-100 of the mean of the weights, %g "
                         "(correct it, or give it weight 0 to leave the row out)",
                         heft_table_label(table), r.least, r.most * (r.sum / r.n));
    if (ordinary_sum(&r)) return HEFT_OK;
    int power;
    (void)frexp(r.most * (r.sum / r.n), &power);
    HEFT_CHECK(heft_table_take(ctx, table, NULL, table->n_rows, out));
    HEFT_ROWS (i, table->n_rows) (*out)->weight[i] = ldexp(table->weight[i], 1 - power);
    heft_say(ctx, HEFT_WARNING,
             "%s: the weights are numbers of rows, and their mean is %g: they are multiplied by "
             "2^%d, so that it is %g",
             heft_table_label(table), r.most * (r.sum / r.n), 1 - power,
             ldexp(r.most * (r.sum / r.n), 1 - power));
    return HEFT_OK;
}
