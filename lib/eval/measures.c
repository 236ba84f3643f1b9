/* measures.c - how good a set of predictions is. Every row counts once, whatever its weight.
 *
 * measures.def lists the measures. Each is a function of the same name, from sums over the rows to
 * one number; 0/0 counts as 0, and a measure that is not defined is NAN. The sums count each row
 * once, or with the weights that the bootstrap draws. */
#include "eval/measures.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"

/* Sums over the rows. Counts are whole numbers, so they are exact. */
typedef struct sums {
    size_t        n_class, positive; /* `positive` is used with two classes */
    double        n, right;
    const double *support, *predicted, *hit; /* rows by class: actual, predicted, both */
    const double *area, *precision;          /* by class: AUC and average precision */
    double        loss, square, cost;        /* cost is NAN if there are no costs */
    double        expected[HEFT_BINS], top_right[HEFT_BINS];
} sums;

typedef double measure_fn(const sums *s);

/* Returns a / b, or 0 for 0/0. */
static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* ---- from the counts of hits ---- */

static double baseline(const sums *s)
{
    double most = 0;
    for (size_t c = 0; c < s->n_class; c++) most = fmax(most, s->support[c]);
    return over(most, s->n);
}

/* Micro F1 equals the accuracy, because every wrong row is one false positive and one false
 * negative. */
static double micro_f1(const sums *s)
{
    return over(s->right, s->n);
}

/* Returns F1 of class c: 2 tp / (2 tp + fp + fn). */
static double f1_of(const sums *s, size_t c)
{
    return over(2 * s->hit[c], s->support[c] + s->predicted[c]);
}

static double macro_f1(const sums *s)
{
    double sum = 0, present = 0;
    for (size_t c = 0; c < s->n_class; c++) {
        sum += f1_of(s, c);
        present += s->support[c] + s->predicted[c] > 0;
    }
    return over(sum, present);
}

double heft_macro_f1(const double *support, const double *predicted, const double *hit,
                     size_t n_class)
{
    return macro_f1(
        &(sums){.n_class = n_class, .support = support, .predicted = predicted, .hit = hit});
}

static double weighted_f1(const sums *s)
{
    double sum = 0;
    for (size_t c = 0; c < s->n_class; c++) sum += s->support[c] * f1_of(s, c);
    return over(sum, s->n);
}

static double balanced_accuracy(const sums *s)
{
    double sum = 0, present = 0;
    for (size_t c = 0; c < s->n_class; c++) {
        sum += over(s->hit[c], s->support[c]);
        present += s->support[c] > 0;
    }
    return over(sum, present);
}

/* Cohen's kappa: (observed - expected) / (1 - expected), with both terms in units of squared rows.
 * It is 0 if chance alone gives full agreement. */
static double kappa(const sums *s)
{
    const double expected = heft_dot(s->support, s->predicted, s->n_class);
    return over(s->right * s->n - expected, s->n * s->n - expected);
}

/* Gorodkin's correlation of K categories (Computational Biology and Chemistry 28, 2004), which is
 * the Matthews correlation for two classes. */
static double mcc(const sums *s)
{
    const size_t k = s->n_class;
    const double square = s->n * s->n,
                 both = s->right * s->n - heft_dot(s->support, s->predicted, k);
    const double actual = square - heft_dot(s->support, s->support, k);
    const double guessed = square - heft_dot(s->predicted, s->predicted, k);
    return over(both, sqrt(actual) * sqrt(guessed));
}

/* ---- from the probabilities, row by row ---- */

static double log_loss(const sums *s)
{
    return over(s->loss, s->n);
}

static double brier(const sums *s)
{
    return over(s->square, s->n);
}

static double mean_cost(const sums *s)
{
    return isnan(s->cost) ? (double)NAN : over(s->cost, s->n);
}

/* Expected calibration error (Naeini, Cooper and Hauskrecht 2015). The difference of the sums of a
 * bin is the difference of its means times the number of its rows, which is the weight of the bin.
 */
static double calibration_error(const sums *s)
{
    double sum = 0;
    for (size_t b = 0; b < HEFT_BINS; b++) sum += fabs(s->top_right[b] - s->expected[b]);
    return over(sum, s->n);
}

/* ---- from the order of the probabilities ---- */

/* Returns the mean over the classes with actual rows; NAN if the value of one of them is. */
static double mean_present(const sums *s, const double *value)
{
    double sum = 0, present = 0;
    for (size_t c = 0; c < s->n_class; c++) {
        if (!(s->support[c] > 0)) continue;
        sum += value[c];
        present++;
    }
    return over(sum, present);
}

static double auc(const sums *s)
{
    if (!(s->n > 0)) return (double)NAN;
    return s->n_class == 2 ? s->area[s->positive] : mean_present(s, s->area);
}

static double macro_average_precision(const sums *s)
{
    return mean_present(s, s->precision);
}

static double average_precision(const sums *s)
{
    return s->n_class == 2 ? s->precision[s->positive] : macro_average_precision(s);
}

/* ---- the list ---- */

enum { LOWER, HIGHER };
enum { NEVER, NULLED, LEFT_OUT };

#define HEFT_MEASURE(name, title, better, least, most, undefined, decimals, description)           \
    {#name, title, description, (better) == HIGHER, (undefined) != NEVER, (undefined) == LEFT_OUT, \
     least, most,  decimals},
static const heft_measure_info infos[] = {
#include "eval/measures.def"
};
#undef HEFT_MEASURE

#define HEFT_MEASURE(name, ...) name,
static measure_fn *const functions[HEFT_N_MEASURES] = {
#include "eval/measures.def"
};
#undef HEFT_MEASURE

const heft_measure_info *heft_measures_at(size_t index)
{
    return index < HEFT_N_MEASURES ? &infos[index] : NULL;
}

bool heft_measure_of_class(size_t k)
{
    return k == HEFT_MEASURE_AT(auc) || k == HEFT_MEASURE_AT(average_precision);
}

double heft_measure_in_cell(const heft_cell *cell, const char *name)
{
    if (cell && cell->measures && name)
        for (size_t k = 0; k < HEFT_N_MEASURES; k++)
            if (strcmp(infos[k].name, name) == 0) return cell->measures[k];
    return (double)NAN;
}

heft_status heft_check_probabilities(heft_ctx *ctx, const heft_table *table, size_t n,
                                     size_t n_class)
{
    static const double FREE = 33554432, PER_CELL = 128; /* limits in numbers of 8 bytes */
    const double        numbers = (double)n * (double)n_class;
    const double        cells = table->sparse
                                    ? (double)(table->sparse->start[table->n_rows] + table->n_cols)
                                    : (double)table->n_rows * (double)table->n_cols;
    if (numbers <= fmax(FREE, PER_CELL * cells)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "the measures need a probability for each of %s and %s, which would take "
                     "%.0f MB (use fewer rows, or another class column; {command predict} counts "
                     "correct rows in little memory)",
                     HEFT_COUNT_OF(n, "row"), HEFT_COUNT_OF(n_class, "class"), numbers * 8 / 1e6);
}

/* ---- sorted rows ---- */

/* Work space for sorting the rows by the probability of one class. */
typedef struct sorting {
    double      *value;
    heft_ranked *ranked, *spare;
} sorting;

static heft_status open_sorting(heft_ctx *ctx, size_t n, sorting *out)
{
    HEFT_ALLOCS(ctx, &ctx->scratch, n, out->value, out->ranked, out->spare);
    return HEFT_OK;
}

/* Set order[n] to the rows in falling order of the probability of class c. */
static void sort_class(const heft_sorted *s, const double *proba, size_t c, const sorting *room,
                       uint32_t *order)
{
    for (size_t k = 0; k < s->n; k++) room->value[k] = proba[(size_t)s->place[k] * s->n_class + c];
    heft_order_falling(room->value, s->n, room->ranked, room->spare);
    for (size_t k = 0; k < s->n; k++) {
        const size_t row = room->ranked[k].row;
        const bool last = k + 1 == s->n || room->value[room->ranked[k + 1].row] != room->value[row];
        order[k] =
            (uint32_t)row | (last ? HEFT_LAST_TIED : 0) | (s->y[row] == c ? HEFT_POSITIVE : 0);
    }
}

/* Compute the figures of each row; the orders are made later. */
static heft_status read_rows(heft_ctx *ctx, const heft_outcomes *rows, heft_sorted *out)
{
    const size_t K = rows->n_class;
    uint16_t    *y, *guess;
    uint32_t    *place;
    double      *loss, *square, *top, *cost = NULL;
    uint8_t     *bin;
    size_t       n = 0, known = 0;
    for (size_t k = 0; k < rows->n * K; k++)
        if (!isfinite(rows->proba[k]))
            return heft_fail(ctx, HEFT_ENUMERIC, "row %zu: a predicted probability is not finite",
                             k / K + 1);
    if (rows->n > HEFT_ROW_BITS)
        return heft_fail(ctx, HEFT_EUNSUPPORTED, "the measures take at most 1073741823 rows");
    for (size_t i = 0; i < rows->n; i++) known += rows->y[i] < K;
    HEFT_ALLOCS(ctx, &ctx->scratch, known, y, guess, place, loss, square, top, bin);
    if (rows->cost) HEFT_ALLOC(ctx, &ctx->scratch, cost, known);
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->y[i] >= K) continue;
        const double *p = rows->proba + i * K;
        const size_t  best = heft_argmax(p, K);
        const double  scaled = fmax(p[best], 0) * HEFT_BINS;
        y[n] = rows->y[i];
        guess[n] = rows->guess ? rows->guess[i] : (uint16_t)best;
        place[n] = (uint32_t)i;
        loss[n] = -log(fmin(fmax(p[y[n]], HEFT_LEAST_PROBABILITY), 1));
        for (size_t c = 0; c < K; c++) square[n] += (p[c] - (c == y[n])) * (p[c] - (c == y[n]));
        top[n] = p[best];
        bin[n] = (uint8_t)(scaled < HEFT_BINS ? (size_t)scaled : HEFT_BINS - 1);
        if (best == y[n]) bin[n] |= HEFT_TOP_RIGHT;
        if (cost) cost[n] = rows->cost[i];
        n++;
    }
    *out = (heft_sorted){.n = n,
                         .n_class = K,
                         .positive = rows->positive,
                         .y = y,
                         .guess = guess,
                         .place = place,
                         .loss = loss,
                         .square = square,
                         .top = top,
                         .cost = cost,
                         .bin = bin};
    return HEFT_OK;
}

heft_status heft_outcomes_sort(heft_ctx *ctx, const heft_outcomes *rows, heft_sorted *out)
{
    sorting   room;
    uint32_t *order;
    HEFT_CHECK(read_rows(ctx, rows, out));
    HEFT_ALLOC(ctx, &ctx->scratch, order, heft_times(out->n, out->n_class));
    {
        HEFT_SCRATCH_SCOPE(ctx);
        HEFT_CHECK(open_sorting(ctx, out->n, &room));
        for (size_t c = 0; c < out->n_class; c++)
            sort_class(out, rows->proba, c, &room, order + c * out->n);
    }
    out->order = order;
    return HEFT_OK;
}

/* ---- sums over rows ---- */

/* The arrays in `room`, each with one number per class. */
enum { SUPPORT, PREDICTED, HIT, AREA, PRECISION, N_ROOM };

/* Compute the area under the ROC curve and the average precision of class c against the rest, from
 * the rows in falling order of its probability. The area is the fraction of pairs of a positive and
 * a negative row in which the positive one is higher; ties count half (Mann and Whitney). */
static void add_curve(const heft_sorted *s, const uint32_t *order, size_t c, const uint32_t *weight,
                      double *room)
{
    uint64_t tp = 0, fp = 0, tp_before = 0, fp_before = 0;
    double   won = 0, precision = 0;
    for (size_t k = 0; k < s->n; k++) {
        const uint32_t w = weight ? weight[order[k] & HEFT_ROW_BITS] : 1;
        if (order[k] & HEFT_POSITIVE) tp += w;
        else fp += w;
        if (!(order[k] & HEFT_LAST_TIED)) continue;
        won += (double)(fp - fp_before) * ((double)tp_before + 0.5 * (double)(tp - tp_before));
        if (tp > tp_before)
            precision += (double)(tp - tp_before) * ((double)tp / (double)(tp + fp));
        tp_before = tp;
        fp_before = fp;
    }
    room[AREA * s->n_class + c] = tp && fp ? won / ((double)tp * (double)fp) : (double)NAN;
    room[PRECISION * s->n_class + c] = over(precision, (double)tp);
}

/* Compute the sums, and then all measures from the sums and the curves in `room`. */
static void measure(const heft_sorted *s, const uint32_t *weight, double *room, heft_measures *out)
{
    const size_t K = s->n_class;
    double      *support = room, *predicted = room + K, *hit = room + 2 * K;
    sums         t = {.n_class = K,
                      .positive = s->positive,
                      .support = support,
                      .predicted = predicted,
                      .hit = hit,
                      .area = room + AREA * K,
                      .precision = room + PRECISION * K,
                      .cost = s->cost ? 0 : (double)NAN};
    memset(room, 0, AREA * K * sizeof *room);
    for (size_t k = 0; k < s->n; k++) {
        const double   w = weight ? weight[k] : 1;
        const unsigned b = s->bin[k] & ~(unsigned)HEFT_TOP_RIGHT;
        support[s->y[k]] += w;
        predicted[s->guess[k]] += w;
        if (s->y[k] == s->guess[k]) hit[s->y[k]] += w;
        t.n += w;
        t.loss += w * s->loss[k];
        t.square += w * s->square[k];
        t.expected[b] += w * s->top[k];
        if (s->bin[k] & HEFT_TOP_RIGHT) t.top_right[b] += w;
        if (s->cost) t.cost += w * s->cost[k];
    }
    for (size_t c = 0; c < K; c++) t.right += hit[c];
    out->n = (size_t)t.n;
    out->right = (size_t)t.right;
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) out->value[k] = functions[k](&t);
}

void heft_measure_sorted(const heft_sorted *s, const uint32_t *weight, double *room,
                         heft_measures *out)
{
    for (size_t c = 0; c < s->n_class; c++) add_curve(s, s->order + c * s->n, c, weight, room);
    measure(s, weight, room, out);
}

heft_status heft_measure(heft_ctx *ctx, const heft_outcomes *rows, heft_measures *out,
                         heft_class_figures *by_class)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = rows->n_class;
    heft_sorted  s;
    sorting      sort;
    uint32_t    *order;
    double      *room;
    *out = (heft_measures){0};
    HEFT_CHECK(read_rows(ctx, rows, &s));
    HEFT_CHECK(open_sorting(ctx, s.n, &sort));
    HEFT_ALLOC(ctx, &ctx->scratch, order, s.n);
    HEFT_ALLOC(ctx, &ctx->scratch, room, N_ROOM * K);
    for (size_t c = 0; c < K; c++) {
        sort_class(&s, rows->proba, c, &sort, order);
        add_curve(&s, order, c, NULL, room);
    }
    measure(&s, NULL, room, out);
    if (by_class)
        for (size_t c = 0; c < K; c++) {
            const double support = room[c], predicted = room[K + c], hit = room[2 * K + c];
            by_class[c] = (heft_class_figures){.support = support,
                                               .predicted = predicted,
                                               .precision = over(hit, predicted),
                                               .recall = over(hit, support),
                                               .f1 = over(2 * hit, support + predicted),
                                               .auc = room[AREA * K + c],
                                               .average_precision = room[PRECISION * K + c]};
        }
    return HEFT_OK;
}

heft_lead heft_lead_of(const heft_class_figures *by_class, size_t n_class, const double *measures)
{
    static const double MOST = 0.9, ROUNDING = 1e-9;
    heft_lead           lead = {.of_class = n_class == 2};
    double              sum = 0, present = 0;
    for (size_t c = 0; c < n_class; c++) {
        const double n = by_class[c].support;
        sum += n;
        present += n > 0;
        if (n > by_class[lead.frequent].support) lead.frequent = c;
        if (n > 0 && (n <= by_class[lead.rarest].support || !(by_class[lead.rarest].support > 0)))
            lead.rarest = c;
    }
    lead.baseline = over(by_class[lead.frequent].support, sum);
    lead.below = measures[HEFT_MEASURE_AT(micro_f1)] <= lead.baseline + ROUNDING;
    lead.any = present > 1 && (lead.below || lead.baseline > MOST);
    const heft_class_figures *rare = &by_class[lead.rarest];
    const double              b = lead.baseline, share = over(1, present);
    const heft_lead_figure    own[] = {
           {"recall", rare->recall, 0},
           {"precision", rare->precision, (double)NAN},
           {"average precision", rare->average_precision, over(rare->support, sum)}};
    const heft_lead_figure mean[] = {
        {"balanced accuracy", measures[HEFT_MEASURE_AT(balanced_accuracy)], share},
        {"macro F1", measures[HEFT_MEASURE_AT(macro_f1)], 2 * b / (1 + b) * share},
        {"macro average precision", measures[HEFT_MEASURE_AT(macro_average_precision)], share}};
    memcpy(lead.figure, lead.of_class ? own : mean, sizeof lead.figure);
    return lead;
}

void heft_confuse(const heft_outcomes *rows, size_t *matrix)
{
    const size_t K = rows->n_class;
    for (size_t i = 0; i < rows->n; i++)
        if (rows->y[i] < K)
            matrix[rows->y[i] * K +
                   (rows->guess ? rows->guess[i] : heft_argmax(rows->proba + i * K, K))]++;
}

heft_status heft_measure_given(heft_ctx *ctx, const heft_predicted *made, size_t n, size_t n_class,
                               double *measures, heft_class_figures *by_class)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_measures found;
    uint16_t     *y, *guess;
    HEFT_CHECK(heft_check_classes(ctx, "the predictions", n_class));
    HEFT_ALLOCS(ctx, &ctx->scratch, n, y, guess);
    for (size_t i = 0; i < n; i++) {
        const int32_t a = made->actual[i], p = made->predicted[i];
        if (a < 0 || p < 0 || (size_t)a >= n_class || (size_t)p >= n_class)
            return heft_fail(ctx, HEFT_EINVAL,
                             "prediction %zu: class %d is not from 0 to %zu (number the classes "
                             "from 0 on)",
                             i + 1, a < 0 || (size_t)a >= n_class ? a : p, n_class - 1);
        y[i] = (uint16_t)a;
        guess[i] = (uint16_t)p;
        for (size_t c = 0; c < n_class; c++)
            if (!(made->proba[i * n_class + c] >= 0 && made->proba[i * n_class + c] <= 1))
                return heft_fail(
                    ctx, HEFT_ENUMERIC,
                    "prediction %zu: %g is not a probability (give numbers from 0 to 1)", i + 1,
                    made->proba[i * n_class + c]);
    }
    const heft_outcomes rows = {
        .proba = made->proba, .y = y, .guess = guess, .n = n, .n_class = n_class, .positive = 1};
    HEFT_CHECK(heft_measure(ctx, &rows, &found, by_class));
    memcpy(measures, found.value, sizeof found.value);
    return HEFT_OK;
}
