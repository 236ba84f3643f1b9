/* decide.h - which class is predicted, given the probabilities of a row.
 *
 * With costs C(a, c) of predicting class c for a row of class a, the best decision has the least
 * expected cost: argmin_c sum_a P(a | x) C(a, c). Costs that are 1 for every error and 0 otherwise
 * give the most probable class. For two classes the rule is a threshold: predict class 1 where
 * P(1 | x) >= C(0, 1) / (C(0, 1) + C(1, 0)), if correct predictions cost nothing. A threshold can
 * also be chosen directly, as the one at which a measure such as F1 is best on held-out rows.
 *
 * A rule never changes the probabilities, so it can be replaced after training, and measures of the
 * probabilities do not depend on it. This folder knows nothing of how the probabilities arise: a
 * model holds a rule, and evaluation and prediction apply it. */
#pragma once

#include "base/dict.h"
#include "base/text.h"

typedef enum heft_decision_kind {
    HEFT_MOST_PROBABLE = 0, /* the most probable class; the lowest index wins a tie */
    HEFT_THRESHOLD,         /* two classes: `chosen` if its probability is at least `threshold` */
    HEFT_LEAST_COST         /* least expected cost; the lowest index wins a tie */
} heft_decision_kind;

typedef enum heft_tuning { /* the measure that a threshold was chosen by, on held-out rows */
                           HEFT_NOT_TUNED = 0,
                           HEFT_TUNE_BALANCED_ACCURACY,
                           HEFT_TUNE_F1,
                           HEFT_TUNE_MCC,
                           HEFT_TUNE_COST
} heft_tuning;

typedef struct heft_decision {
    heft_decision_kind kind;
    size_t             chosen;
    double             threshold;
    heft_tuning        tuned;
    double            *cost; /* costs [actual * n_class + predicted]; NULL: not given. If `tuned`
                                is HEFT_TUNE_COST, the threshold was chosen by them */
} heft_decision;

/* The class that the rule predicts, given the probabilities of a row. Without a rule (NULL) it is
 * the most probable class. */
size_t heft_decide(const heft_decision *rule, const double *proba, size_t n_class);

/* The class that measures of two classes refer to: the one named by {positive}, otherwise the
 * second. */
size_t heft_positive_class(const heft_dict *classes, const char *positive);
/* The settings that find more rows of a rare class, as marks of a message (base/marks.h). */
const char *heft_rare_options(size_t n_class, bool trained);

/* Parses a word of the setting {tune}; NULL means not tuned. */
heft_status heft_tuning_parse(heft_ctx *ctx, const char *word, heft_tuning *out);
const char *heft_tuning_word(heft_tuning tuning);
const char *heft_tuning_title(heft_tuning tuning); /* name of the measure in a sentence */

/* ---- rules in words: --cost and --threshold, NULL where not given ---- */

/* Checks everything that can be checked without the classes. A file of costs is read for that. */
heft_status heft_decision_words(heft_ctx *ctx, const char *cost, const char *threshold);

/* Makes the rule for the classes of a model. `known` has all classes that may be named, the model's
 * or more; classes that the model lacks are left out. With a threshold, or if `tune` is set, there
 * may be at most two classes; a model that has one predicts it. Memory for costs comes from
 * `arena`. */
heft_status heft_decision_parse(heft_ctx *ctx, const char *cost, const char *threshold,
                                const heft_dict *known, const heft_dict *classes, heft_arena *arena,
                                heft_decision *out);
/* Copies a rule for other classes, which are found by their names. Returns EINVAL if these lack a
 * class that the rule needs, or have more. */
heft_status heft_decision_copy(heft_ctx *ctx, const heft_decision *from,
                               const heft_dict *from_classes, const heft_dict *classes,
                               heft_arena *arena, heft_decision *out);
bool heft_decision_equal(const heft_decision *a, const heft_dict *a_classes, const heft_decision *b,
                         const heft_dict *b_classes);

/* Writes the rule in words, such as "predicts 'fraud' from a probability of 0.12 on (tuned for
 * balanced accuracy on held-out rows)". */
void heft_decision_tell(heft_buf *out, const heft_decision *rule, const heft_dict *classes);
/* Writes the rule as JSON, such as {"rule": "threshold", "class": "fraud", "threshold": 0.12}. Not
 * for the most probable class. */
void heft_decision_json(heft_buf *out, const heft_decision *rule, const heft_dict *classes);

/* ---- costs.c ---- */

#define HEFT_MOST_COST 1e15 /* largest cost; the smallest is 0 */

/* Parses costs into cost[n x n], from a text TRUE:PREDICTED=COST,... or from a CSV file whose name
 * ends in .csv: it has a header with the classes, and rows that begin with the actual class. Pairs
 * that a list does not name cost 1, and 0 on the diagonal. `known` and `classes` are as in
 * heft_decision_parse; if `known` is NULL, only the form is checked and `cost` is not used. */
heft_status heft_costs_parse(heft_ctx *ctx, const char *text, const heft_dict *known,
                             const heft_dict *classes, double *cost);
bool        heft_costs_in_file(const char *text); /* whether the text is the name of a file */
/* Fails with "there is no class 'x' (the classes are 'a', 'b')". */
heft_status heft_no_class(heft_ctx *ctx, const char *option, const heft_dict *known,
                          const char *name, size_t length);

/* ---- tune.c ---- */

typedef struct heft_tune_rows { /* rows of two classes; "the class" is the one with a threshold */
    size_t         n;
    const double  *p;      /* probability of the class, per row */
    const uint8_t *is;     /* 1 if the row is of the class, otherwise 0 */
    const double  *weight; /* NULL: all 1 */
} heft_tune_rows;

typedef struct heft_tune_aim {
    heft_tuning measure;
    bool        alone;  /* whether F1 is that of the class alone; otherwise it is the mean of both
                           classes */
    const double *cost; /* costs [2 * actual + predicted] for HEFT_TUNE_COST; index 1 is the
                           class */
} heft_tune_aim;

typedef struct heft_tuned {
    double threshold, value; /* `value`: the measure there, or the mean cost for HEFT_TUNE_COST */
    double usual;            /* the measure at a threshold of 0.5 */
} heft_tuned;

/* Finds the threshold at which the measure is best on these rows. If several are equally good it is
 * 0.5, otherwise the middle between two probabilities that is nearest to 0.5. Cost: O(n log n). */
heft_status heft_tune_threshold(heft_ctx *ctx, const heft_tune_rows *rows, const heft_tune_aim *aim,
                                heft_tuned *out);
