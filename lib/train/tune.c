/* tune.c - the threshold between two classes at which a measure is best on held-out rows. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/put.h"
#include "base/sort.h"
#include "train/held_out.h"

/* ---- measures of a threshold ---- */

typedef struct counts { /* weights of the rows; "yes" is the class that has the threshold */
    double yes, no;     /* of it and of the other class */
    double tp, fp;      /* predicted yes, of each */
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

typedef struct measure {
    heft_tuning   kind;
    bool          alone;
    const double *cost;
} measure;

static double value_of(const measure *m, const counts *n)
{
    switch (m->kind) {
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

/* One of the thresholds above lo up to hi, which all decide alike: 0.5, or the middle. */
static double within(double lo, double hi)
{
    if (lo < 0.5 && hi >= 0.5) return 0.5;
    const double middle = lo + (hi - lo) / 2;
    return middle > lo ? middle : hi;
}

heft_status heft_tune_threshold(heft_ctx *ctx, const double *p, const uint8_t *is,
                                const double *weight, size_t n, heft_tuning tuning, bool alone,
                                const double cost[4], heft_tuned *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const measure m = {tuning, alone, cost};
    const double  sign = tuning == HEFT_TUNE_COST ? -1 : 1;
    heft_ranked  *order, *spare;
    counts        at = {0};
    double        best = -INFINITY;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, order, spare);
    heft_order_falling(p, n, order, spare);
    for (size_t i = 0; i < n; i++) *(is[i] ? &at.yes : &at.no) += weight ? weight[i] : 1;
    *out = (heft_tuned){.threshold = 0.5};
    for (size_t k = 0;; k++) { /* the first k rows are predicted yes */
        const double hi = k ? p[order[k - 1].row] : 1, lo = k < n ? p[order[k].row] : 0;
        if (lo < hi || k == n) {
            const double t = within(lo, hi), value = value_of(&m, &at);
            const bool   nearer = fabs(t - 0.5) < fabs(out->threshold - 0.5);
            if (t == 0.5) out->usual = value;
            if (sign * value > best || (sign * value == best && nearer))
                best = sign * value, out->value = value, out->threshold = t;
        }
        if (k == n) return HEFT_OK;
        const size_t row = order[k].row;
        *(is[row] ? &at.tp : &at.fp) += weight ? weight[row] : 1;
    }
}

/* What inspect shows: "held-out balanced accuracy 0.8123, 0.6211 at a threshold of 0.5". */
static heft_status note(heft_ctx *ctx, const heft_tuned *tuned, bool alone, heft_model *model)
{
    heft_buf text = {0};
    char    *taken;
    heft_put(&text, "held-out %s%s %4f, %4f at a threshold of 0.5",
             heft_tuning_title(model->decision.tuned),
             model->decision.tuned != HEFT_TUNE_F1 ? ""
             : alone                               ? " of the positive class"
                                                   : " (mean of both classes)",
             tuned->value, tuned->usual);
    HEFT_CHECK(heft_buf_take(ctx, &text, &taken));
    const heft_status st = heft_fact_copy(ctx, &model->fitted, "tuning", taken);
    heft_free(taken);
    return st;
}

heft_status heft_tune_model(heft_ctx *ctx, const heft_held *held, heft_tuning tuning,
                            const double *factor, heft_model *model)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const char    *positive = model->prep.positive;
    heft_decision *rule = &model->decision;
    const size_t   n = held->n;
    double        *p, *weight = NULL, sum[2] = {0}, cost[4] = {0};
    uint8_t       *is;
    heft_tuned     tuned;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, p, is);
    if (held->weight) HEFT_ALLOC(ctx, &ctx->scratch, weight, n);
    for (size_t i = 0; i < n; i++) {
        const uint16_t c = held->y[i];
        if (weight) weight[i] = held->weight[i] / (factor ? factor[c] : 1);
        sum[c] += weight ? weight[i] : 1;
    }
    const size_t yes = positive ? heft_dict_find(model->prep.classes, positive, strlen(positive))
                                : sum[1] <= sum[0];
    for (size_t i = 0; i < n; i++) {
        double both[2] = {held->scores[2 * i], held->scores[2 * i + 1]};
        heft_calibrate(&model->calibration, 1, 2, both);
        heft_softmax(both, 2);
        p[i] = both[yes];
        is[i] = held->y[i] == yes;
    }
    for (size_t a = 0; rule->cost && a < 2; a++)
        for (size_t b = 0; b < 2; b++) cost[2 * (a == yes) + (b == yes)] = rule->cost[2 * a + b];
    HEFT_CHECK(heft_tune_threshold(ctx, p, is, weight, n, tuning, positive, cost, &tuned));
    rule->kind = HEFT_THRESHOLD;
    rule->chosen = yes;
    rule->threshold = tuned.threshold;
    rule->tuned = tuning;
    return note(ctx, &tuned, positive, model);
}
