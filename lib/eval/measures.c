/* measures.c - how good a set of predictions is. Rows count once each, whatever their weights.
 *
 * measures.def lists the measures. Each is a function from the predictions beside the true classes
 * to one number, under its name; 0/0 is 0, and what cannot be defined at all is NAN. */
#include "eval/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

/* Predictions beside the true classes. What several measures need is computed once. */
typedef struct judged {
    const double   *proba; /* n x n_class, finite */
    const uint16_t *y;     /* n; a row with y[i] >= n_class is left out */
    size_t          n, n_class;
    size_t          n_known, n_right; /* rows that count, and those predicted right */
    size_t         *first, *rows;     /* rows of class c: rows[first[c] .. first[c + 1] - 1] */
    size_t         *predicted, *hit;  /* by class: predicted as it, and rightly so */
    uint16_t       *guess;            /* n: the predicted class */
    double         *spare;            /* n numbers for any function to overwrite */
} judged;

typedef double measure_fn(const judged *j);

static size_t support(const judged *j, size_t c)
{
    return j->first[c + 1] - j->first[c];
}

/* sum / n, 0 for 0/0. */
static double over(double sum, size_t n)
{
    return n ? sum / (double)n : 0;
}

/* ---- from the counts of hits ---- */

/* One label per row: every miss is one false positive and one false negative. */
static double micro_f1(const judged *j)
{
    return over((double)j->n_right, j->n_known);
}

/* Unweighted mean of 2 tp / (2 tp + fp + fn). */
static double macro_f1(const judged *j)
{
    double sum = 0;
    size_t present = 0;
    for (size_t c = 0; c < j->n_class; c++) {
        const size_t both = support(j, c) + j->predicted[c]; /* = 2 tp + fp + fn */
        if (both == 0) continue;
        present++;
        sum += 2 * (double)j->hit[c] / (double)both;
    }
    return over(sum, present);
}

/* ---- from the probabilities, row by row ---- */

static double log_loss(const judged *j)
{
    double sum = 0;
    for (size_t i = 0; i < j->n; i++)
        if (j->y[i] < j->n_class)
            sum -= log(fmin(fmax(j->proba[i * j->n_class + j->y[i]], HEFT_LEAST_PROBABILITY), 1));
    return over(sum, j->n_known);
}

static double brier(const judged *j)
{
    double sum = 0;
    for (size_t i = 0; i < j->n; i++) {
        if (j->y[i] >= j->n_class) continue;
        for (size_t c = 0; c < j->n_class; c++) {
            const double d = j->proba[i * j->n_class + c] - (c == j->y[i]);
            sum += d * d;
        }
    }
    return over(sum, j->n_known);
}

/* Expected calibration error (Naeini, Cooper and Hauskrecht 2015). The difference of a bin's sums
 * is that of its means times its rows, which are its weight. */
static double calibration_error(const judged *j)
{
    double expected[HEFT_BINS] = {0}, right[HEFT_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < j->n; i++) {
        if (j->y[i] >= j->n_class) continue;
        const double p = j->proba[i * j->n_class + j->guess[i]];
        const size_t b = p * HEFT_BINS < HEFT_BINS ? (size_t)fmax(p * HEFT_BINS, 0) : HEFT_BINS - 1;
        expected[b] += p;
        right[b] += j->guess[i] == j->y[i];
    }
    for (size_t b = 0; b < HEFT_BINS; b++) sum += fabs(right[b] - expected[b]);
    return over(sum, j->n_known);
}

/* ---- from the order of the probabilities ---- */

/* Sum over the other classes b of A(a|b): the chance that a row of a has a higher p_a than a row of
 * b, ties counted half. */
static double areas_of(const judged *j, size_t a)
{
    const size_t k = j->n_class, n_own = support(j, a);
    double      *own = j->spare, sum = 0;
    for (size_t i = 0; i < n_own; i++) own[i] = j->proba[j->rows[j->first[a] + i] * k + a];
    qsort(own, n_own, sizeof *own, heft_by_value);
    for (size_t b = 0; b < k; b++) {
        double won = 0; /* whole and half pairs: exact */
        if (b == a || support(j, b) == 0) continue;
        for (size_t i = j->first[b]; i < j->first[b + 1]; i++) {
            const double x = j->proba[j->rows[i] * k + a];
            const size_t less = heft_lower_bound(own, n_own, x);
            const size_t most = heft_lower_bound(own, n_own, nextafter(x, INFINITY)); /* <= x */
            won += (double)(n_own - most) + 0.5 * (double)(most - less);
        }
        sum += won / ((double)n_own * (double)support(j, b));
    }
    return sum;
}

/* Two classes: the area of p_1. More: Hand and Till's mean over ordered pairs of the classes
 * present (Machine Learning 45, 2001, eq. 7). Cost: n log n per class. */
static double auc(const judged *j)
{
    double sum = 0;
    size_t present = 0;
    for (size_t c = 0; c < j->n_class; c++) present += support(j, c) > 0;
    if (present < 2) return (double)NAN;
    if (j->n_class == 2) return areas_of(j, 1);
    for (size_t a = 0; a < j->n_class; a++)
        if (support(j, a)) sum += areas_of(j, a);
    return sum / ((double)present * (double)(present - 1));
}

/* ---- the list ---- */

enum { LOWER, HIGHER };

#define HEFT_MEASURE(name, title, better, least, most, can_be_nan, decimals, description)          \
    {#name, title, description, (better) == HIGHER, can_be_nan, least, most, decimals},
static const heft_measure_info infos[] = {
#include "eval/measures.def"
};
#undef HEFT_MEASURE

#define HEFT_MEASURE(name, ...) name,
static measure_fn *const functions[HEFT_N_MEASURES] = {
#include "eval/measures.def"
};
#undef HEFT_MEASURE

size_t heft_measure_count(void)
{
    return HEFT_N_MEASURES;
}

const heft_measure_info *heft_measure_at(size_t index)
{
    return index < HEFT_N_MEASURES ? &infos[index] : NULL;
}

double heft_cell_measure(const heft_cell *cell, const char *name)
{
    for (size_t k = 0; cell && cell->measures && name && k < HEFT_N_MEASURES; k++)
        if (strcmp(infos[k].name, name) == 0) return cell->measures[k];
    return (double)NAN;
}

heft_status heft_check_judged(heft_ctx *ctx, const heft_table *table, size_t n, size_t n_class)
{
    static const double FREE = 33554432, PER_CELL = 128; /* numbers of 8 bytes */
    const double        numbers = (double)n * (double)n_class;
    const double        cells = table->sparse
                                    ? (double)(table->sparse->start[table->n_rows] + table->n_cols)
                                    : (double)table->n_rows * (double)table->n_cols;
    if (numbers <= fmax(FREE, PER_CELL * cells)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "the measures need a probability for each of %s and %s, which would take "
                     "%.0f MB (use fewer rows, or another class column; heft predict counts "
                     "correct rows in little memory)",
                     HEFT_COUNT_OF(n, "row"), HEFT_COUNT_OF(n_class, "class"), numbers * 8 / 1e6);
}

heft_status heft_measure(heft_ctx *ctx, const double *proba, const uint16_t *y, size_t n,
                         size_t n_class, heft_measures *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    judged j = {.proba = proba, .y = y, .n = n, .n_class = n_class};
    *out = (heft_measures){0};
    for (size_t k = 0; k < n * n_class; k++)
        if (!isfinite(proba[k]))
            return heft_fail(ctx, HEFT_ENUMERIC, "row %zu: a predicted probability is not finite",
                             k / n_class + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, j.first, n_class + 2);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, j.rows, j.guess, j.spare);
    HEFT_ALLOCS(ctx, &ctx->scratch, n_class, j.predicted, j.hit);
    for (size_t i = 0; i < n; i++) {
        if (y[i] >= n_class) continue;
        j.guess[i] = (uint16_t)heft_argmax(proba + i * n_class, n_class);
        j.first[y[i] + 2]++;
        j.predicted[j.guess[i]]++;
        j.hit[y[i]] += j.guess[i] == y[i];
        out->right += j.guess[i] == y[i];
        out->n++;
    }
    size_t *next = j.first + 1; /* next[c] ends as first[c + 1] */
    for (size_t c = 0; c < n_class; c++) next[c + 1] += next[c];
    for (size_t i = 0; i < n; i++)
        if (y[i] < n_class) j.rows[next[y[i]]++] = i;
    j.n_known = out->n;
    j.n_right = out->right;
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) out->value[k] = functions[k](&j);
    return HEFT_OK;
}

void heft_confuse(const double *proba, const uint16_t *y, size_t n, size_t n_class, size_t *matrix)
{
    for (size_t i = 0; i < n; i++)
        if (y[i] < n_class) matrix[y[i] * n_class + heft_argmax(proba + i * n_class, n_class)]++;
}
