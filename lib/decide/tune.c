/* tune.c - the threshold between two classes at which a measure is best on held-out rows. */
#include "decide/decide.h"

#include <math.h>

#include "base/sort.h"

/* ---- measures of a threshold ---- */

typedef struct counts { /* sums of weights of rows; "yes" is the class that has the threshold */
    double yes, no;     /* rows of that class and of the other class */
    double tp, fp;      /* rows of each that are predicted yes */
} counts;

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double balanced_accuracy(const counts *n)
{
    const double recalls = ratio(n->tp, n->yes) + ratio(n->no - n->fp, n->no);
    return recalls / ((n->yes > 0) + (n->no > 0));
}

static double f1(const counts *n, bool alone)
{
    const double fn = n->yes - n->tp, tn = n->no - n->fp;
    const double of_yes = 2 * n->tp + n->fp + fn, of_no = 2 * tn + fn + n->fp;
    if (alone) return ratio(2 * n->tp, of_yes);
    return (ratio(2 * n->tp, of_yes) + ratio(2 * tn, of_no)) / ((of_yes > 0) + (of_no > 0));
}

static double mcc(const counts *n)
{
    const double fn = n->yes - n->tp, tn = n->no - n->fp;
    return ratio(n->tp * tn - n->fp * fn,
                 sqrt(n->tp + n->fp) * sqrt(n->yes) * sqrt(n->no) * sqrt(tn + fn));
}

static double mean_cost(const counts *n, const double cost[4])
{
    const double sum =
        cost[3] * n->tp + cost[2] * (n->yes - n->tp) + cost[1] * n->fp + cost[0] * (n->no - n->fp);
    return sum / (n->yes + n->no);
}

static double value_of(const heft_tune_aim *m, const counts *n)
{
    switch (m->measure) {
    case HEFT_TUNE_F1:
        return f1(n, m->alone);
    case HEFT_TUNE_MCC:
        return mcc(n);
    case HEFT_TUNE_COST:
        return mean_cost(n, m->cost);
    case HEFT_TUNE_BALANCED_ACCURACY:
    case HEFT_NOT_TUNED:
        break;
    }
    return balanced_accuracy(n);
}

/* ---- the best one ---- */

/* One of the thresholds above lo and up to hi, which all decide alike: 0.5 if it is among them,
 * otherwise the middle. */
static double within(double lo, double hi)
{
    if (lo < 0.5 && hi >= 0.5) return 0.5;
    const double middle = lo + (hi - lo) / 2;
    return middle > lo ? middle : hi;
}

heft_status heft_tune_threshold(heft_ctx *ctx, const heft_tune_rows *rows, const heft_tune_aim *aim,
                                heft_tuned *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const double *p = rows->p, *weight = rows->weight;
    const size_t  n = rows->n;
    const double  sign = aim->measure == HEFT_TUNE_COST ? -1 : 1;
    heft_ranked  *order, *spare;
    counts        at = {0};
    double        best = -INFINITY;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, order, spare);
    heft_order_falling(p, n, order, spare);
    for (size_t i = 0; i < n; i++) *(rows->is[i] ? &at.yes : &at.no) += weight ? weight[i] : 1;
    *out = (heft_tuned){.threshold = 0.5};
    for (size_t k = 0;; k++) { /* the first k rows are predicted yes at this threshold */
        const double hi = k ? p[order[k - 1].row] : 1, lo = k < n ? p[order[k].row] : 0;
        if (lo < hi || k == n) {
            const double t = within(lo, hi), value = value_of(aim, &at);
            const bool   nearer = fabs(t - 0.5) < fabs(out->threshold - 0.5);
            if (t == 0.5) out->usual = value;
            if (sign * value > best || (sign * value == best && nearer))
                best = sign * value, out->value = value, out->threshold = t;
        }
        if (k == n) return HEFT_OK;
        const size_t row = order[k].row;
        *(rows->is[row] ? &at.tp : &at.fp) += weight ? weight[row] : 1;
    }
}
