/* decide.c - which class is predicted, given the probabilities of a row. */
#include "model/decide.h"

#include "base/num.h"

static size_t least_cost(const double *cost, const double *proba, size_t n_class)
{
    size_t best = 0;
    double least = 0;
    for (size_t c = 0; c < n_class; c++) {
        double expected = 0;
        for (size_t actual = 0; actual < n_class; actual++)
            expected += proba[actual] * cost[actual * n_class + c];
        if (c > 0 && expected >= least) continue;
        best = c;
        least = expected;
    }
    return best;
}

size_t heft_decide(const heft_decision *rule, const double *proba, size_t n_class)
{
    switch (rule ? rule->kind : HEFT_MOST_PROBABLE) {
    case HEFT_THRESHOLD:
        return proba[rule->chosen] >= rule->threshold ? rule->chosen : 1 - rule->chosen;
    case HEFT_LEAST_COST:
        return least_cost(rule->cost, proba, n_class);
    case HEFT_MOST_PROBABLE:
        break;
    }
    return heft_argmax(proba, n_class);
}
