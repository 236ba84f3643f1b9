/* decide.h - which class is predicted, given the probabilities of a row. A rule never changes the
 * probabilities. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum heft_decision_kind {
    HEFT_MOST_PROBABLE = 0, /* the most probable class; the lowest index wins a tie */
    HEFT_THRESHOLD, /* two classes: `chosen` where its probability is at least `threshold` */
    HEFT_LEAST_COST /* least expected cost; the lowest index wins a tie */
} heft_decision_kind;

typedef struct heft_decision {
    heft_decision_kind kind;
    size_t             chosen;
    double             threshold;
    const double      *cost; /* [actual * n_class + predicted] */
} heft_decision;

/* rule NULL: the most probable class. */
size_t heft_decide(const heft_decision *rule, const double *proba, size_t n_class);
