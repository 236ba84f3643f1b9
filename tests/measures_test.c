/* measures_test.c - measures of predictions, and the significance tests. */
#include "fixture.h"

#include "base/num.h"
#include "eval/eval.h"
#include "stats/tails.h"

enum { MOST_ROWS = 200, MOST_CLASSES = 6 };

/* A generator that Python repeats in one line: the stored values come from the same numbers. */
static unsigned draw(uint32_t *state)
{
    *state = (uint32_t)(((uint64_t)*state * 1103515245u + 12345u) % 0x80000000u);
    return *state >> 16;
}

static void make(size_t n, size_t n_class, uint32_t seed, int absent, uint16_t *y, double *proba)
{
    for (size_t i = 0; i < n; i++) {
        unsigned w[MOST_CLASSES], sum = 0, c = draw(&seed) % (unsigned)n_class;
        if ((int)c == absent) c = (c + 1) % (unsigned)n_class;
        for (size_t k = 0; k < n_class; k++) w[k] = 1 + draw(&seed) % 4;
        w[c] += draw(&seed) % 3;
        for (size_t k = 0; k < n_class; k++) sum += w[k];
        for (size_t k = 0; k < n_class; k++) proba[i * n_class + k] = (double)w[k] / (double)sum;
        y[i] = (uint16_t)c;
    }
}

static void close_to(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(1e-300, fabs(b)))) fail_msg("%.17g, not %.17g", a, b);
}

/* Class 0 from 0.3 on, else the most probable class: a decision other than the usual one. */
static void decide_early(const double *proba, size_t n, size_t n_class, uint16_t *guess)
{
    for (size_t i = 0; i < n; i++)
        guess[i] =
            proba[i * n_class] >= 0.3 ? 0 : (uint16_t)heft_argmax(proba + i * n_class, n_class);
}

static void measures_equal_stored_ones(void **state)
{
    /* Every measure equals scikit-learn's (1.9.1): recall_score (macro, over the classes with
     * support), cohen_kappa_score, matthews_corrcoef, f1_score, log_loss, brier_score_loss
     * (scale_by_half=False), roc_auc_score and average_precision_score of the second of two
     * classes, else their means over each class against the rest, and numpy's sums for the baseline
     * and the calibration error. */
    (void)state;
    static const struct {
        size_t        n, n_class;
        uint32_t      seed;
        int           absent;
        bool          early;
        heft_measures known;
    } stored[] = {
        {80,
         2,
         1,
         -1,
         false,
         {80, 54, .balanced_accuracy = 0.661847894406034, .kappa = 0.3311897106109325,
          .mcc = 0.3481936047015588, .micro_f1 = 0.675, .macro_f1 = 0.6576695194206715,
          .weighted_f1 = 0.6634463462804476, .log_loss = 0.5971870706069786,
          .brier = 0.40915943483875034, .auc = 0.7580138277812696,
          .average_precision = 0.705332294229353, .macro_average_precision = 0.7342309779937128,
          .baseline = 0.5375, .calibration_error = 0.0919394841269842}},
        {120,
         4,
         2,
         -1,
         false,
         {120, 64, .balanced_accuracy = 0.5285531837255975, .kappa = 0.37511623581923015,
          .mcc = 0.38211577661917545, .micro_f1 = 0.5333333333333333,
          .macro_f1 = 0.5280799080388684, .weighted_f1 = 0.5321370711589589,
          .log_loss = 1.1763284133784873, .brier = 0.6418076185839772, .auc = 0.7720438892180915,
          .average_precision = 0.5618889553506429, .macro_average_precision = 0.5618889553506429,
          .baseline = 0.2916666666666667, .calibration_error = 0.1618796161627044}},
        {90,
         5,
         3,
         2,
         false,
         {90, 36, .balanced_accuracy = 0.41156317178034, .kappa = 0.21549636803874084,
          .mcc = 0.23008317469507863, .micro_f1 = 0.4, .macro_f1 = 0.34088578088578086,
          .weighted_f1 = 0.44228438228438227, .log_loss = 1.44153322669472,
          .brier = 0.7298506622780702, .auc = 0.6893816862502177,
          .average_precision = 0.4698526008204495, .macro_average_precision = 0.4698526008204495,
          .baseline = 0.4777777777777778, .calibration_error = 0.16130175976796207}},
        {100,
         3,
         4,
         -1,
         true,
         {100, 46, .balanced_accuracy = 0.4385534728276664, .kappa = 0.1661519456454601,
          .mcc = 0.19256422080016042, .micro_f1 = 0.46, .macro_f1 = 0.40559126408183016,
          .weighted_f1 = 0.4151513580758863, .log_loss = 1.0229496581092976,
          .brier = 0.6177419367350561, .auc = 0.661482465059096,
          .average_precision = 0.5024013104892245, .macro_average_precision = 0.5024013104892245,
          .baseline = 0.37, .calibration_error = 0.07621872571872573}},
    };
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++) {
        uint16_t             y[MOST_ROWS], guess[MOST_ROWS];
        double               proba[MOST_ROWS * MOST_CLASSES];
        heft_measures        m;
        const heft_measures *s = &stored[k].known;
        const size_t         n = stored[k].n, n_class = stored[k].n_class;
        make(n, n_class, stored[k].seed, stored[k].absent, y, proba);
        decide_early(proba, n, n_class, guess);
        const heft_outcomes rows = {.proba = proba,
                                    .y = y,
                                    .guess = stored[k].early ? guess : NULL,
                                    .n = n,
                                    .n_class = n_class,
                                    .positive = 1};
        assert_int_equal(heft_measure(&ctx, &rows, &m, NULL), HEFT_OK);
        assert_int_equal(m.n, s->n);
        assert_int_equal(m.right, s->right);
        assert_true(isnan(m.mean_cost)); /* there are no costs */
        for (size_t i = 0; i < HEFT_N_MEASURES; i++)
            if (!heft_measure_at(i)->optional) close_to(m.value[i], s->value[i], 1e-13);
    }
    heft_ctx_clear(&ctx);
}

static void two_classes_have_a_positive_one(void **state)
{
    /* scikit-learn's average_precision_score of either class; the mean does not depend on it. */
    (void)state;
    static const double precision[2] = {0.7631296617580728, 0.705332294229353};
    heft_ctx            ctx;
    uint16_t            y[MOST_ROWS];
    double              proba[MOST_ROWS * MOST_CLASSES];
    heft_measures       m;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    make(80, 2, 1, -1, y, proba);
    for (size_t c = 0; c < 2; c++) {
        const heft_outcomes rows = {.proba = proba, .y = y, .n = 80, .n_class = 2, .positive = c};
        assert_int_equal(heft_measure(&ctx, &rows, &m, NULL), HEFT_OK);
        close_to(m.average_precision, precision[c], 1e-13);
        close_to(m.macro_average_precision, (precision[0] + precision[1]) / 2, 1e-13);
        close_to(m.auc, 0.7580138277812697, 1e-13);
    }
    heft_ctx_clear(&ctx);
}

/* n rows of class 0 and `rare` of class 1, of which the first `found` are predicted as 1, as are
 * `alarms` of the others. */
static heft_lead lead_of(size_t n, size_t rare, size_t found, size_t alarms)
{
    heft_ctx           ctx;
    uint16_t           y[MOST_ROWS];
    double             proba[MOST_ROWS * 2];
    heft_measures      m;
    heft_class_figures by_class[2];
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t i = 0; i < n + rare; i++) {
        y[i] = i < rare;
        proba[2 * i + 1] = i < found || (i >= rare && i < rare + alarms) ? 0.9 : 0.1;
        proba[2 * i] = 1 - proba[2 * i + 1];
    }
    const heft_outcomes rows = {.proba = proba, .y = y, .n = n + rare, .n_class = 2, .positive = 1};
    assert_int_equal(heft_measure(&ctx, &rows, &m, by_class), HEFT_OK);
    heft_ctx_clear(&ctx);
    return heft_lead_of(by_class, 2, m.value);
}

static void rare_classes_lead(void **state)
{
    /* Accuracy leads unless a class has more than 90% of the rows, or the baseline is as good. */
    (void)state;
    const heft_lead usual = lead_of(60, 40, 30, 5), rare = lead_of(190, 10, 6, 2);
    const heft_lead worse = lead_of(190, 10, 2, 3), equal = lead_of(60, 40, 5, 5);
    assert_true(!usual.any && !usual.below && rare.any && !rare.below);
    assert_true(worse.any && worse.below && equal.any && equal.below);
    assert_int_equal(rare.rarest, 1);
    assert_int_equal(rare.frequent, 0);
    close_to(rare.baseline, 0.95, 1e-14);
    assert_string_equal(rare.figure[0].title, "recall");
    close_to(rare.figure[0].value, 0.6, 1e-14);
    close_to(rare.figure[1].value, 0.75, 1e-14);
    close_to(rare.figure[2].baseline, 0.05, 1e-14);
    assert_true(isnan(rare.figure[1].baseline) && rare.figure[0].baseline == 0);
}

static void classes_equal_stored_ones(void **state)
{
    /* scikit-learn's precision_recall_fscore_support, roc_auc_score and average_precision_score of
     * each class; a class without rows has no area. */
    (void)state;
    static const heft_class_figures known[3] = {
        {37, 69, 0.4492753623188406, 0.8378378378378378, 0.5849056603773585, 0.6971256971256972,
         0.5566457411054285},
        {31, 21, 0.42857142857142855, 0.2903225806451613, 0.34615384615384615, 0.613838242169238,
         0.4468819308162497},
        {32, 10, 0.6, 0.1875, 0.2857142857142857, 0.6734834558823529, 0.5036762595459952},
    };
    heft_ctx           ctx;
    uint16_t           y[MOST_ROWS], guess[MOST_ROWS];
    double             proba[MOST_ROWS * MOST_CLASSES], cost[MOST_ROWS];
    heft_measures      m;
    heft_class_figures found[5];
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    make(100, 3, 4, -1, y, proba);
    decide_early(proba, 100, 3, guess);
    for (size_t i = 0; i < 100; i++) cost[i] = guess[i] == y[i] ? 0 : y[i] == 0 ? 5 : 1;
    const heft_outcomes rows = {proba, y, guess, cost, 100, 3, 0};
    assert_int_equal(heft_measure(&ctx, &rows, &m, found), HEFT_OK);
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < 7; k++)
            close_to(((const double *)&found[c])[k], ((const double *)&known[c])[k], 1e-13);
    close_to(m.mean_cost, (6 * 5 + 48) / 100.0, 1e-14); /* 37 - 31 rows of class 0 are wrong */
    make(90, 5, 3, 2, y, proba);
    const heft_outcomes absent = {.proba = proba, .y = y, .n = 90, .n_class = 5};
    assert_int_equal(heft_measure(&ctx, &absent, &m, found), HEFT_OK);
    assert_true(found[2].support == 0 && found[2].predicted == 9 && found[2].recall == 0);
    assert_true(isnan(found[2].auc) && found[2].average_precision == 0);
    heft_ctx_clear(&ctx);
}

static void weights_count_rows_several_times(void **state)
{
    /* Rows with weights measure as the same rows written down that many times. */
    (void)state;
    enum { N = 60, K = 3 };
    heft_ctx ctx;
    uint16_t y[N], many[MOST_ROWS];
    double   proba[N * K], repeated[MOST_ROWS * K], room[5 * K];
    uint32_t weight[N];
    size_t   n = 0;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    make(N, K, 9, -1, y, proba);
    for (size_t i = 0; i < N; i++) {
        weight[i] = (uint32_t)(i * 7 % 4);
        for (uint32_t k = 0; k < weight[i]; k++, n++) {
            many[n] = y[i];
            memcpy(repeated + n * K, proba + i * K, K * sizeof *proba);
        }
    }
    heft_sorted         sorted;
    heft_measures       a, b;
    const heft_outcomes once = {.proba = proba, .y = y, .n = N, .n_class = K};
    const heft_outcomes often = {.proba = repeated, .y = many, .n = n, .n_class = K};
    assert_int_equal(heft_outcomes_sort(&ctx, &once, &sorted), HEFT_OK);
    heft_measure_sorted(&sorted, weight, room, &a);
    assert_int_equal(heft_measure(&ctx, &often, &b, NULL), HEFT_OK);
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.right, b.right);
    for (size_t i = 0; i < HEFT_N_MEASURES; i++)
        if (!heft_measure_at(i)->optional) close_to(a.value[i], b.value[i], 1e-13);
    heft_ctx_clear(&ctx);
}

static void confusion_equals_a_stored_one(void **state)
{
    /* scikit-learn's confusion_matrix: truth down, prediction across; an absent class is zeros. */
    (void)state;
    static const size_t known[5][5] = {
        {8, 2, 2, 4, 1}, {7, 6, 2, 1, 0}, {0, 0, 0, 0, 0}, {10, 12, 4, 16, 1}, {6, 0, 1, 1, 6}};
    uint16_t y[MOST_ROWS];
    double   proba[MOST_ROWS * MOST_CLASSES];
    size_t   found[5][5] = {{0}};
    make(90, 5, 3, 2, y, proba);
    const heft_outcomes rows = {.proba = proba, .y = y, .n = 90, .n_class = 5};
    heft_confuse(&rows, &found[0][0]);
    assert_memory_equal(found, known, sizeof known);
    y[0] = UINT16_MAX; /* a row of unknown class adds nothing */
    heft_confuse(&(heft_outcomes){.proba = proba, .y = y, .n = 1, .n_class = 5}, &found[0][0]);
    assert_memory_equal(found, known, sizeof known);
}

static void calibration_by_hand(void **state)
{
    /* Ten rows said 0.75 of which 8 are right, and two said 1 of which one is: (0.5 + 1) / 12. */
    (void)state;
    uint16_t      y[12];
    double        proba[24];
    heft_measures m;
    heft_ctx      ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t i = 0; i < 12; i++) {
        proba[2 * i] = i < 10 ? 0.75 : 1;
        proba[2 * i + 1] = 1 - proba[2 * i];
        y[i] = i < 2 || i == 10;
    }
    assert_int_equal(heft_measure(&ctx,
                                  &(heft_outcomes){.proba = proba, .y = y, .n = 12, .n_class = 2},
                                  &m, NULL),
                     HEFT_OK);
    close_to(m.calibration_error, 1.5 / 12, 1e-14);
    for (size_t i = 0; i < 24; i++) proba[i] = 0.5; /* all predictions equal */
    assert_int_equal(heft_measure(&ctx,
                                  &(heft_outcomes){.proba = proba, .y = y, .n = 12, .n_class = 2},
                                  &m, NULL),
                     HEFT_OK);
    close_to(m.calibration_error, 0.25, 1e-14); /* 9 of 12 are of the first class */
    close_to(m.auc, 0.5, 1e-15);
    close_to(m.log_loss, log(2), 1e-14);
    heft_ctx_clear(&ctx);
}

/* All pairs of a row of a class and a row of another, class by class. */
static double slow_auc(const double *proba, const uint16_t *y, size_t n, size_t n_class)
{
    double sum = 0;
    size_t present = 0;
    for (size_t a = 0; a < n_class; a++) {
        double won = 0;
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (y[i] == a && y[j] != a && y[j] < n_class) {
                    const double d = proba[i * n_class + a] - proba[j * n_class + a];
                    won += d > 0 ? 1 : d < 0 ? 0 : 0.5;
                    count++;
                }
        if (count) sum += won / (double)count, present++;
    }
    return sum / (double)present;
}

static void auc_equals_all_pairs(void **state)
{
    /* The sorted area equals the count over all pairs of rows, ties and unknown rows included. */
    (void)state;
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (uint32_t seed = 1; seed <= 40; seed++) {
        uint16_t      y[MOST_ROWS];
        double        proba[MOST_ROWS * MOST_CLASSES];
        heft_measures m;
        const size_t  n = 5 + seed * 2, n_class = 3 + seed % 4;
        make(n, n_class, seed, seed % 3 ? (int)(seed % n_class) : -1, y, proba);
        y[2] = UINT16_MAX;
        assert_int_equal(
            heft_measure(&ctx, &(heft_outcomes){.proba = proba, .y = y, .n = n, .n_class = n_class},
                         &m, NULL),
            HEFT_OK);
        assert_int_equal(m.n, n - 1);
        close_to(m.auc, slow_auc(proba, y, n, n_class), 1e-14);
    }
    heft_ctx_clear(&ctx);
}

static void edges_are_defined(void **state)
{
    /* One class has no area; a sure miss costs the clipped logarithm; ties go to the lowest class;
     * a probability that is not finite is refused. */
    (void)state;
    heft_ctx      ctx;
    heft_measures m;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    const uint16_t y[2] = {1, 1};
    double         proba[4] = {1, 0, 0.5, 0.5};
    assert_int_equal(
        heft_measure(&ctx,
                     &(heft_outcomes){.proba = proba, .y = y, .n = 2, .n_class = 2, .positive = 1},
                     &m, NULL),
        HEFT_OK);
    assert_true(isnan(m.auc));
    assert_int_equal(m.right, 0);
    close_to(m.log_loss, (-log(HEFT_LEAST_PROBABILITY) + log(2)) / 2, 1e-15);
    close_to(m.brier, (2 + 0.5) / 2, 1e-15);
    assert_true(m.macro_f1 == 0 && m.kappa == 0 && m.mcc == 0 && m.balanced_accuracy == 0);
    assert_true(m.average_precision == 1);
    const uint16_t none[2] = {UINT16_MAX, UINT16_MAX};
    assert_int_equal(heft_measure(&ctx,
                                  &(heft_outcomes){.proba = proba, .y = none, .n = 2, .n_class = 2},
                                  &m, NULL),
                     HEFT_OK);
    assert_true(m.n == 0 && m.micro_f1 == 0 && m.log_loss == 0 && m.brier == 0);
    proba[3] = (double)NAN;
    assert_int_equal(heft_measure(&ctx,
                                  &(heft_outcomes){.proba = proba, .y = y, .n = 2, .n_class = 2},
                                  &m, NULL),
                     HEFT_ENUMERIC);
    heft_ctx_clear(&ctx);
}

static void memory_may_run_out(void **state)
{
    /* A failed allocation at any place is ENOMEM. */
    (void)state;
    uint16_t      y[MOST_ROWS];
    double        proba[MOST_ROWS * MOST_CLASSES];
    heft_measures m;
    size_t        n_failed = 0;
    make(MOST_ROWS, MOST_CLASSES, 5, -1, y, proba);
    for (size_t n = 1;; n++, n_failed++) {
        heft_ctx ctx;
        heft_ctx_init(&ctx, NULL, 1, 1, NULL);
        heft_fail_alloc_at(n, false);
        const heft_status st = heft_measure(
            &ctx, &(heft_outcomes){.proba = proba, .y = y, .n = MOST_ROWS, .n_class = MOST_CLASSES},
            &m, NULL);
        heft_fail_alloc_at(0, false);
        heft_ctx_clear(&ctx);
        if (st == HEFT_OK) break;
        assert_int_equal(st, HEFT_ENOMEM);
    }
    assert_true(n_failed >= 1);
}

/* ---- significance ---- */

static void tails_equal_stored_ones(void **state)
{
    /* Tails of Student's t and Fisher's F equal scipy's (1.17.1). */
    (void)state;
    static const double student[][3] = {
        {0, 5, 1},
        {0.5, 1, 0.70483276469913347},
        {2.262157, 9, 0.050000013304431629},
        {-1.3, 99, 0.19661956964342342},
        {12.7, 1, 0.050024327689344165},
        {40, 9, 1.8982998449339822e-11},
        {1e-08, 3, 0.99999999264894801},
        {3.3, 2, 0.080847693803667992},
        {6.5, 999, 1.2659886567032462e-10},
    };
    static const double fisher[][4] = {
        {0, 2, 10, 1},
        {1, 1, 1, 0.5},
        {3.2, 4, 40, 0.022675911064741296},
        {25.5, 2, 18, 5.5951370561861827e-06},
        {0.3, 7, 245, 0.95336350843279438},
        {150, 3, 3, 0.00091310078104298075},
        {4.9, 5, 2, 0.17813492407062426},
    };
    for (size_t k = 0; k < sizeof student / sizeof *student; k++)
        close_to(heft_student_p(student[k][0], student[k][1]), student[k][2], 1e-12);
    for (size_t k = 0; k < sizeof fisher / sizeof *fisher; k++)
        close_to(heft_fisher_p(fisher[k][0], fisher[k][1], fisher[k][2]), fisher[k][3], 1e-12);
}

static void tests_equal_stored_ones(void **state)
{
    /* Paired t, Friedman and Wilcoxon equal values worked out with scipy (1.17.1). */
    (void)state;
    static const double   a[5] = {.9, .8, .85, .95, .7}, b[5] = {.88, .82, .8, .91, .69};
    const heft_difference d = heft_paired_t(a, b, 5, 0.25);
    close_to(d.mean, 0.02, 1e-14);
    close_to(d.t, 1.0886621079036372, 1e-12);
    close_to(d.p, 0.33750185654036358, 1e-12);

    static const double accuracy[7][3] = {{.91, .88, .93}, {.75, .75, .71}, {.60, .66, .64},
                                          {.99, .98, .99}, {.83, .80, .86}, {.71, .70, .70},
                                          {.52, .55, .58}};
    static const double known[7][3] = {{2, 3, 1}, {1.5, 1.5, 3}, {3, 1, 2}, {1.5, 3, 1.5},
                                       {2, 3, 1}, {1, 2.5, 2.5}, {3, 2, 1}};
    double              rank[7][3];
    for (size_t i = 0; i < 7; i++) heft_rank(accuracy[i], 3, rank[i]);
    assert_memory_equal(rank, known, sizeof rank);
    const heft_friedman f = heft_friedman_test(&rank[0][0], 7, 3);
    close_to(f.chi2, 1.28, 1e-12);
    close_to(f.f, 0.60377358490565802, 1e-12);
    close_to(f.p, 0.56254135352970347, 1e-12);

    heft_ctx ctx;
    double   p, z;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    static const double x[8] = {.91, .76, .60, .99, .83, .71, .52, .44};
    static const double tied[8] = {.88, .73, .66, .97, .79, .71, .59, .41};
    assert_int_equal(heft_wilcoxon(&ctx, x, tied, 8, &p, &z), HEFT_OK);
    close_to(p, 0.9375, 1e-12); /* exact, ties included: scipy's PermutationMethod */
    static const double clear[8] = {.88, .75, .62, .95, .78, .65, .45, .36};
    assert_int_equal(heft_wilcoxon(&ctx, x, clear, 8, &p, &z), HEFT_OK);
    close_to(p, 6.0 / 256, 1e-14); /* sums 0, 1, 2: three of 256 patterns, twice */
    assert_int_equal(heft_wilcoxon(&ctx, x, x, 8, &p, &z), HEFT_OK);
    assert_true(p == 1);
    heft_ctx_clear(&ctx);
}

static void tests_have_edges(void **state)
{
    /* No difference is p = 1; one and the same difference or order everywhere has the chance of
     * just that, without infinity. */
    (void)state;
    static const double a[4] = {.5, .5, .75, .75}, b[4] = {.25, .25, .5, .5};
    heft_difference     d = heft_paired_t(a, a, 4, 0.1);
    assert_true(d.mean == 0 && d.t == 0 && d.p == 1);
    d = heft_paired_t(a, b, 4, 0.1);
    assert_true(d.mean == 0.25 && isnan(d.t) && d.p == 0.125); /* 2 of 2^4 patterns of signs */
    static const double ties[6] = {2, 2, 2, 2, 2, 2}, alike[6] = {1, 2, 3, 1, 2, 3};
    heft_friedman       f = heft_friedman_test(ties, 2, 3);
    assert_true(f.chi2 == 0 && f.p == 1);
    f = heft_friedman_test(alike, 2, 3);
    assert_true(isnan(f.f));
    close_to(f.p, 1.0 / 6, 1e-14); /* 3! orders, two data sets */
    static const double pair[6] = {1.5, 1.5, 3, 1.5, 1.5, 3};
    f = heft_friedman_test(pair, 2, 3);
    assert_true(isnan(f.f));
    close_to(f.p, 1.0 / 3, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_equal_stored_ones),
        cmocka_unit_test(two_classes_have_a_positive_one),
        cmocka_unit_test(rare_classes_lead),
        cmocka_unit_test(classes_equal_stored_ones),
        cmocka_unit_test(weights_count_rows_several_times),
        cmocka_unit_test(confusion_equals_a_stored_one),
        cmocka_unit_test(calibration_by_hand),
        cmocka_unit_test(auc_equals_all_pairs),
        cmocka_unit_test(edges_are_defined),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(tails_equal_stored_ones),
        cmocka_unit_test(tests_equal_stored_ones),
        cmocka_unit_test(tests_have_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
