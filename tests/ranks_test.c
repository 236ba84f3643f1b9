/* ranks_test.c - what several ranks learn together is what one learns from all the rows. */
#include "ranked.h"

#include "methods/lazy/neighbours.h"
#include "methods/registry.h"
#include "prep/points.h"

/* The ranks' models are the whole one: the same probabilities and objective, to the last bit. */
static void compare(const heft_model *one, const heft_model *many, const heft_table *whole)
{
    double     *p = calloc((size_t)2 * ROWS * CLASSES, sizeof *p), *q = p + (size_t)ROWS * CLASSES;
    const char *name = heft_model_method(one);
    OK(heft_predict_proba(one, whole, p, &err));
    OK(heft_predict_proba(many, whole, q, &err));
    for (size_t k = 0; k < (size_t)ROWS * CLASSES; k++)
        if (p[k] != q[k]) fail_msg("%s: %.17g is %.17g", name, p[k], q[k]);
    free(p);
    const double a = one->fitted.training.objective_final,
                 b = many->fitted.training.objective_final;
    if (a != b) fail_msg("%s: objective %.17g is %.17g", name, a, b);
    assert_true(one->fitted.training.rows == many->fitted.training.rows);
}

/* Rows kept by ranks: their counts are whole numbers, so that what they answer together, and what a
 * gathered model answers, has the bits of one rank's. */
static void compare_rows(const heft_model *one, const heft_model *gathered, const heft_table *whole,
                         const double *together)
{
    const size_t           n = (size_t)ROWS * CLASSES;
    double                *p = calloc(n, sizeof *p);
    const heft_neighbours *a = one->fitted.own, *b = gathered->fitted.own; /* the first member */
    OK(heft_predict_proba(one, whole, p, &err));
    assert_memory_equal(p, together, n * sizeof *p);
    assert_false(heft_model_is_spread(gathered));
    assert_memory_equal(a->start, b->start, (CLASSES + 1) * sizeof *a->start);
    assert_memory_equal(a->bytes, b->bytes, a->n_rows * a->n_byte);
    OK(heft_predict_proba(gathered, whole, p, &err));
    assert_memory_equal(p, together, n * sizeof *p);
    free(p);
}

static void check_method(const heft_method *method, const cells *t, const char *discretize,
                         bool weights)
{
    heft_config config = {.method = method->name, .discretize = discretize};
    heft_table *whole = rows_between(t, 0, ROWS, weights);
    heft_model *one;
    if (!discretize && !(method->caps & HEFT_TAKES_NUMBERS) && !method->prepare.discretize)
        config.discretize = "width:5";
    if (!(method->caps & HEFT_TAKES_MISSING)) config.impute = "mean";
    OK(heft_fit(whole, &config, &one, &err));
    for (int size = SANITIZED ? 4 : 2; size <= 4; size++) {
        fits f = {.config = config, .whole = whole};
        take_apart(t, size, weights, &f);
        ranks_run(size, fit_rank, &f);
        for (int r = 0; r < size; r++) {
            if (f.status[r] != HEFT_OK) fail_msg("%s: %s", method->name, f.err[r].text);
            compare(one, f.model[r], whole);
            assert_int_equal(method->gather != NULL, f.proba[r] != NULL);
            if (f.proba[r]) compare_rows(one, f.model[r], whole, f.proba[r]);
        }
        clear_fits(&f, size);
    }
    heft_model_free(one);
    heft_table_free(whole);
}

/* Every method that may be spread out gives the model of all the rows, on 2, 3 and 4 ranks. */
static void methods_agree(void **state)
{
    static cells t;
    size_t       n = 0;
    (void)state;
    fill_cells(&t, true);
    for (size_t k = 0; k < heft_methods_count(); k++) {
        const heft_method *method = heft_methods_at(k);
        if (!(method->caps & HEFT_SHARDS)) continue;
        check_method(method, &t, NULL, false);
        n++;
    }
    assert_true(n >= 15);
}

/* Cuts of every kind, and weights of rows. */
static void preparations_agree(void **state)
{
    static cells             t;
    static const char *const ways[] = {"mdl", "frequency:7", "width:6", "mdl:0.5"};
    (void)state;
    fill_cells(&t, true);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        check_method(heft_methods_find("nb"), &t, ways[k], false);
        check_method(heft_methods_find("aode"), &t, ways[k], true);
    }
    for (size_t k = 0; k < heft_methods_count(); k++) {
        const heft_method *method = heft_methods_at(k);
        if ((method->caps & HEFT_SHARDS) && (method->caps & HEFT_TAKES_WEIGHTS))
            check_method(method, &t, NULL, true);
    }
}

static void same_bytes(const heft_model *a, const heft_model *b)
{
    for (size_t j = 0; j < a->fitted.n_attr; j++) {
        const heft_attr_prep *p = &a->prep.attr[j], *q = &b->prep.attr[j];
        assert_int_equal(p->n_cuts, q->n_cuts);
        if (p->n_cuts) assert_memory_equal(p->cuts, q->cuts, p->n_cuts * sizeof *p->cuts);
        assert_true(p->fill == q->fill || (p->has_fill == q->has_fill && !p->has_fill));
        const heft_lik *u = &a->fitted.lik[j], *v = &b->fitted.lik[j];
        assert_int_equal(u->n_codes, v->n_codes);
        assert_memory_equal(u->table, v->table, (u->n_codes + 2) * CLASSES * sizeof *u->table);
    }
    assert_memory_equal(a->fitted.log_prior, b->fitted.log_prior, CLASSES * sizeof(double));
}

/* Counts, and so the tables of naive Bayes, and the cuts they rest on, are the same bits. */
static void counts_are_identical(void **state)
{
    static cells t;
    heft_model  *one;
    (void)state;
    fill_cells(&t, true);
    heft_config config = {.method = "nb", .discretize = "mdl", .impute = "mean"};
    heft_table *whole = rows_between(&t, 0, ROWS, false);
    OK(heft_fit(whole, &config, &one, &err));
    for (int size = SANITIZED ? 4 : 2; size <= 4; size++) {
        fits f = {.config = config};
        take_apart(&t, size, false, &f);
        ranks_run(size, fit_rank, &f);
        for (int r = 0; r < size; r++) same_bytes(one, f.model[r]);
        clear_fits(&f, size);
    }
    heft_model_free(one);
    heft_table_free(whole);
}

/* Classes are balanced by the rows of all ranks: to rounding, as with all weights that are no sums
 * of powers of two. */
static void class_weights_agree(void **state)
{
    static cells t;
    heft_model  *one;
    (void)state;
    fill_cells(&t, true);
    heft_config config = {.method = "nb", .class_weight = "balanced"};
    heft_table *whole = rows_between(&t, 0, ROWS, true);
    OK(heft_fit(whole, &config, &one, &err));
    for (int size = 2; size <= 3; size++) {
        fits f = {.config = config};
        take_apart(&t, size, true, &f);
        ranks_run(size, fit_rank, &f);
        for (int r = 0; r < size; r++) {
            double *p = posterior(one, whole), *q = posterior(f.model[r], whole);
            assert_true(largest_difference(p, q, (size_t)ROWS * CLASSES) <= 1e-12);
            free(p), free(q);
        }
        for (int r = 0; r < size; r++)
            assert_string_equal(fact(one, "class weights")->text,
                                fact(f.model[r], "class weights")->text);
        clear_fits(&f, size);
    }
    heft_model_free(one);
    heft_table_free(whole);
}

/* ---- sparse rows ---- */

/* The zeros that are not stored count on every rank. */
static void sparse_rows_agree(void **state)
{
    static const struct {
        const char *method, *discretize, *scale;
    } ways[] = {
        {"nb", "none", "none"},       {"nb", "mdl", "none"},      {"nb", "frequency:3", "none"},
        {"gnb", "none", "none"},      {"klnb", "none", "none"},   {"swnb", "none", "range"},
        {"flexnb", "none", "minmax"}, {"nb", "presence", "none"}, {"swnb", "none", "unit"}};
    heft_table *whole = sparse_between(0, ROWS);
    double     *p = calloc((size_t)ROWS * 4, sizeof *p), *q = p + (size_t)ROWS * 2;
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        fits        f = {.config = {.method = ways[k].method,
                                    .discretize = ways[k].discretize,
                                    .scale = ways[k].scale,
                                    .impute = "mean"}};
        heft_model *one;
        OK(heft_fit(whole, &f.config, &one, &err));
        f.part[0] = sparse_between(0, 700), f.part[1] = sparse_between(700, 701);
        f.part[2] = sparse_between(701, ROWS);
        ranks_run(3, fit_rank, &f);
        OK(heft_predict_proba(one, whole, p, &err));
        for (int r = 0; r < 3; r++) {
            if (f.status[r] != HEFT_OK) fail_msg("%s: %s", ways[k].method, f.err[r].text);
            OK(heft_predict_proba(f.model[r], whole, q, &err));
            for (size_t i = 0; i < (size_t)ROWS * 2; i++)
                if (p[i] != q[i])
                    fail_msg("%s %s: %.17g is %.17g", ways[k].method, ways[k].discretize, p[i],
                             q[i]);
        }
        clear_fits(&f, 3);
        heft_model_free(one);
    }
    free(p);
    heft_table_free(whole);
}

/* ---- sums of numbers ---- */

enum { SUMMED = 700, KINDS = 8 };

/* Column j of row i: sizes from 1e-300 to 1e300, sums that cancel, nearly equal numbers, squares
 * that overflow or underflow, missing cells, zeros of both signs. */
static double odd_number(heft_rng *rng, size_t j)
{
    const double u = heft_rng_real(rng) - 0.5, v = heft_rng_real(rng) - 0.5;
    switch (j) {
    case 0:
        return copysign(pow(10, 600 * v), u);
    case 1:
        return 1e9 + 1e-3 * u;
    case 2:
        return heft_rng_below(rng, 2) ? copysign(1e16, u) : v;
    case 3:
        return 1e-200 * u;
    case 4:
        return 1.7e308 * (u + v);
    case 5:
        return heft_rng_below(rng, 9) ? 1 / u : (double)NAN;
    case 6:
        return copysign(0, u);
    default:
        return u;
    }
}

/* The rows of one of `size` ranks: a contiguous part, or every size-th row, the last rank first. */
static heft_table *dealt_rows(int size, int rank, bool round_robin, bool weights)
{
    static double  x[KINDS][SUMMED], w[SUMMED];
    static int32_t y[SUMMED];
    heft_rng       rng;
    heft_table    *table;
    char           name[8];
    size_t         n = 0;
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < SUMMED; i++) {
        const int owner =
            round_robin ? size - 1 - (int)(i % (size_t)size) : (int)(i * (size_t)size / SUMMED);
        for (size_t j = 0; j < KINDS; j++) x[j][n] = odd_number(&rng, j);
        y[n] = (int32_t)heft_rng_below(&rng, i < SUMMED / 2 ? 2 : 3);
        w[n] = (double)(1 + heft_rng_below(&rng, 3));
        n += owner == rank;
    }
    OK(heft_table_create(n, &table, &err));
    for (size_t j = 0; j < KINDS; j++) {
        snprintf(name, sizeof name, "x%zu", j);
        OK(heft_table_add_numbers(table, name, x[j], 1, &err));
    }
    OK(heft_table_set_target(table, "class", y, class_names, 3, &err));
    if (weights) OK(heft_table_set_weights(table, w, &err));
    return table;
}

/* Every byte of a model of numbers is the same for any number of ranks, threads and any way in
 * which the rows are dealt to them. */
static void sums_have_the_same_bits(void **state)
{
    (void)state;
    for (int weights = 0; weights < 2; weights++) {
        heft_table *whole = dealt_rows(1, 0, false, weights);
        fits        f = {.config = {.method = "nb", .impute = weights ? "mean" : NULL}};
        heft_model *one;
        OK(heft_fit(whole, &f.config, &one, &err));
        for (int size = 1; size <= 5; size++)
            for (int way = 0; way < 2; way++) {
                for (int r = 0; r < size; r++) f.part[r] = dealt_rows(size, r, way, weights);
                ranks_run(size, fit_rank, &f);
                for (int r = 0; r < size; r++) {
                    if (f.status[r] != HEFT_OK) fail_msg("%d ranks: %s", size, f.err[r].text);
                    same_file(one, f.model[r]);
                }
                clear_fits(&f, size);
            }
        heft_model_free(one);
        heft_table_free(whole);
    }
}

/* ---- wide rows ---- */

enum { MANY = 80, VERY = 300 }; /* attributes; values of the last, which take two bytes */

static heft_table *wide_between(size_t lo, size_t hi)
{
    static int32_t code[MANY][ROWS], y[ROWS];
    const char    *values[VERY];
    static char    text[VERY][8];
    char           name[8];
    heft_rng       rng;
    heft_table    *table;
    heft_rng_init(&rng, 21, 0);
    for (size_t v = 0; v < VERY; v++) {
        snprintf(text[v], sizeof text[v], "v%zu", v);
        values[v] = text[v];
    }
    for (size_t i = 0; i < hi; i++) {
        const int32_t c = (int32_t)heft_rng_below(&rng, CLASSES);
        y[i] = c;
        for (size_t j = 0; j < MANY; j++)
            code[j][i] = (int32_t)heft_rng_below(&rng, j + 1 < MANY ? 2 + (uint64_t)c : VERY);
    }
    assert_int_equal(heft_table_create(hi - lo, &table, NULL), HEFT_OK);
    for (size_t j = 0; j < MANY; j++) {
        snprintf(name, sizeof name, "a%zu", j);
        assert_int_equal(heft_table_add_codes(table, name, code[j] + lo, 1, values,
                                              j + 1 < MANY ? 6 : VERY, NULL),
                         HEFT_OK);
    }
    assert_int_equal(heft_table_set_target(table, "class", y + lo, class_names, CLASSES, NULL),
                     HEFT_OK);
    return table;
}

static void predict_rank(const heft_comm *comm, void *arg)
{
    fits     *f = arg;
    const int r = comm->rank;
    fit_rank(comm, arg);
    if (f->status[r] != HEFT_OK) return;
    f->proba[r] = calloc((size_t)ROWS * CLASSES, sizeof(double));
    f->status[r] =
        heft_predict_proba(f->model[r], f->part[MOST_RANKS - 1], f->proba[r], &f->err[r]);
}

/* Rows too wide to be counted in one pass, and an attribute of two bytes. */
static void wide_rows_agree(void **state)
{
    static const char *const methods[] = {"lcwnb", "lwnb", "iclnb"};
    enum { TRAINED = 600, ASKED = 40 };
    heft_table *whole = wide_between(0, TRAINED), *asked = wide_between(TRAINED, TRAINED + ASKED);
    double     *p = calloc((size_t)ASKED * CLASSES, sizeof *p);
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        fits        f = {.config = {.method = methods[k]}};
        heft_model *one;
        OK(heft_fit(whole, &f.config, &one, &err));
        OK(heft_predict_proba(one, asked, p, &err));
        f.part[0] = wide_between(0, 250), f.part[1] = wide_between(250, TRAINED);
        f.part[MOST_RANKS - 1] = asked;
        ranks_run(2, predict_rank, &f);
        for (int r = 0; r < 2; r++) {
            if (f.status[r] != HEFT_OK) fail_msg("%s: %s", methods[k], f.err[r].text);
            assert_memory_equal(p, f.proba[r], (size_t)ASKED * CLASSES * sizeof *p);
        }
        clear_fits(&f, 2);
        heft_model_free(one);
    }
    free(p);
    heft_table_free(asked);
    heft_table_free(whole);
}

/* ---- prediction ---- */

typedef struct predicting {
    fits              fits; /* parts and configuration */
    const heft_table *whole;
    const char       *path;
    const double     *row; /* row 0, as heft_predict_row takes it */
    heft_tally        tally[MOST_RANKS];
    double            proba[MOST_RANKS][CLASSES];
    heft_status       status[MOST_RANKS];
} predicting;

static void predict_share(const heft_comm *comm, void *arg)
{
    predicting  *p = arg;
    const int    r = comm->rank;
    heft_runtime run = {.threads = 1, .comm = comm};
    fit_rank(comm, &p->fits);
    const heft_model *model = p->fits.model[r];
    const bool        spread = heft_model_is_spread(model);
    heft_status       st = heft_predict_table(model, spread ? p->whole : p->fits.part[r], p->path,
                                              &(heft_predictions){.size = sizeof(heft_predictions),
                                                                  .proba = true,
                                                                  .run = &run,
                                                                  .reasons = spread ? 0 : 2},
                                              &p->tally[r], &p->fits.err[r]);
    if (st == HEFT_OK) st = heft_predict_row(model, p->row, p->proba[r], &p->fits.err[r]);
    const size_t n = spread ? ROWS : p->fits.part[r]->n_rows;
    double      *scores = calloc(n * CLASSES + 1, sizeof *scores);
    if (st == HEFT_OK) /* ranks whose comm is in the runtime, or in the model */
        st = heft_predict_scores(model, spread ? p->whole : p->fits.part[r], HEFT_PROBABILITY,
                                 spread ? NULL : &run, scores, &p->fits.err[r]);
    if (st == HEFT_OK && r == 0 && memcmp(scores, p->proba[r], sizeof p->proba[r]) != 0)
        st = HEFT_ENUMERIC;
    free(scores);
    p->status[r] = st;
}

/* The file that ranks write together, and the answer to a row, are those of one process. */
static void predictions_agree(void **state)
{
    static cells             t;
    static const char *const methods[] = {"nb", "lcwnb"};
    (void)state;
    fill_cells(&t, false);
    heft_table *whole = rows_between(&t, 0, ROWS, false);
    double      row[NUMBERS + WORDS];
    for (size_t j = 0; j < NUMBERS; j++) row[j] = t.x[j][0];
    for (size_t j = 0; j < WORDS; j++) row[NUMBERS + j] = t.word[j][0];
    for (size_t k = 0; k < 2; k++) {
        const char *alone = in_folder("alone.csv");
        predicting  p = {.fits = {.config = {.method = methods[k], .discretize = "width:5"}},
                         .whole = whole,
                         .path = in_folder("ranks.csv"),
                         .row = row};
        heft_model *one = fit(whole, NULL, &p.fits.config);
        heft_tally  tally = {0};
        double      proba[CLASSES];
        OK(heft_predict_table(one, whole, alone,
                              &(heft_predictions){.size = sizeof(heft_predictions),
                                                  .proba = true,
                                                  .reasons = k == 0 ? 2 : 0},
                              &tally, &err)); /* the model of lcwnb is spread over the ranks */
        OK(heft_predict_row(one, row, proba, &err));
        assert_int_equal(tally.n_rows, ROWS);
        take_apart(&t, 3, false, &p.fits);
        ranks_run(3, predict_share, &p);
        for (int r = 0; r < 3; r++) {
            if (p.status[r] != HEFT_OK) fail_msg("%s: %s", methods[k], p.fits.err[r].text);
            assert_memory_equal(&p.tally[r], &tally, sizeof tally);
            assert_memory_equal(p.proba[r], proba, sizeof proba);
        }
        blob a = read_bytes(alone), b = read_bytes(p.path);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.data, b.data, a.n);
        free(a.data), free(b.data);
        clear_fits(&p.fits, 3);
        heft_model_free(one);
    }
    heft_table_free(whole);
}

/* ---- evaluation ---- */

typedef struct evaluations {
    const heft_table *data[MOST_RANKS], *test;
    heft_eval_plan    plan;
    heft_config       config;
    heft_results     *results[MOST_RANKS];
    heft_error        err[MOST_RANKS];
} evaluations;

static void evaluate_rank(const heft_comm *comm, void *arg)
{
    evaluations   *t = arg;
    heft_eval_plan plan = t->plan;
    const int      r = comm->rank;
    const char    *name = "some";
    heft_config    config = t->config;
    config.run = RUN(.threads = 1, .comm = comm->n_ranks > 1 ? comm : NULL);
    plan.config = &config;
    plan.parts = plan.parts && comm->n_ranks > 1;
    (void)heft_evaluate(&t->data[r], &name, 1, &plan, &t->results[r], &t->err[r]);
}

static void same_cells(const evaluations *one, const evaluations *many, int size)
{
    const size_t n = heft_results_methods(one->results[0]);
    for (int r = 0; r < size; r++) {
        if (!many->results[r]) fail_msg("%s", many->err[r].text);
        for (size_t m = 0; m < n; m++) {
            const heft_cell *a = heft_results_cell(one->results[0], 0, 0, m),
                            *b = heft_results_cell(many->results[r], 0, 0, m);
            assert_int_equal(a->failure != NULL, b->failure != NULL);
            if (a->failure) continue;
            assert_true(a->accuracy == b->accuracy);
            NEAR(heft_cell_measure(a, "log_loss"), heft_cell_measure(b, "log_loss"), 1e-9);
            assert_memory_equal(a->per_fold, b->per_fold, a->n_folds * sizeof *a->per_fold);
        }
    }
}

/* Folds dealt out, and parts of the training rows, give the figures of one rank; a method that
 * cannot do the data fails on every rank and ends nothing. */
static void evaluations_agree(void **state)
{
    static cells             t;
    static const char *const methods[2][5] = {{"nb", "lwnb", "sbc", "tan"}, {"nb", "lcwnb", "tan"}};
    (void)state;
    fill_cells(&t, true);
    heft_table *whole = rows_between(&t, 0, 400, false),
               *test = rows_between(&t, 1000, 1200, false);
    heft_table *part[3] = {rows_between(&t, 0, 150, false), rows_between(&t, 150, 150, false),
                           rows_between(&t, 150, 400, false)};
    for (int way = 0; way < 2; way++) {
        evaluations one = {.plan = {.folds = 3, .repeats = 2}, .config = {.discretize = "width:4"}},
                    many;
        one.plan.methods = methods[way];
        one.config.impute = way ? "mean" : NULL;
        if (way) one.plan.test = test, one.plan.parts = true;
        many = one;
        one.data[0] = whole;
        ranks_run(1, evaluate_rank, &one);
        if (!one.results[0]) fail_msg("%s", one.err[0].text);
        for (int r = 0; r < 3; r++) many.data[r] = way ? part[r] : whole;
        ranks_run(3, evaluate_rank, &many);
        same_cells(&one, &many, 3);
        heft_results_free(one.results[0]);
        for (int r = 0; r < 3; r++) heft_results_free(many.results[r]);
    }
    heft_table_free(whole), heft_table_free(test);
    for (int r = 0; r < 3; r++) heft_table_free(part[r]);
}

/* ---- failures ---- */

static void all_fail(fits *f, int size, heft_status code, const char *text)
{
    ranks_run(size, fit_rank, f);
    for (int r = 0; r < size; r++) {
        assert_int_equal(f->status[r], code);
        assert_null(f->model[r]);
        if (!strstr(f->err[r].text, text)) fail_msg("no '%s' in '%s'", text, f->err[r].text);
        assert_string_equal(f->err[r].text, f->err[0].text);
    }
    clear_fits(f, size);
}

/* A fault of one part is the same sentence on every rank. */
static void faults_are_shared(void **state)
{
    static cells t;
    (void)state;
    fill_cells(&t, false);
    fits f = {.config = {.method = "nb"}};
    take_apart(&t, 3, false, &f);
    OK(heft_table_add_numbers(f.part[1], "more", t.x[0], 1, &err));
    all_fail(&f, 3, HEFT_EINVAL, "rank 1 has 8 attributes and rank 0 has 7");

    f = (fits){.config = {.method = "nb"}};
    take_apart(&t, 3, false, &f);
    strcpy(f.part[2]->cols[1].name, "y1");
    all_fail(&f, 3, HEFT_EINVAL, "column 2 is 'x1' on rank 0 and 'y1' on rank 2");

    f = (fits){.config = {.method = "nb"}};
    take_apart(&t, 2, true, &f);
    heft_free(f.part[1]->weight);
    f.part[1]->weight = NULL;
    all_fail(&f, 2, HEFT_EINVAL, "some have instance weights");

    f = (fits){.config = {.smoothing = "m:1"}}; /* found by every rank */
    take_apart(&t, 3, false, &f);
    all_fail(&f, 3, HEFT_EINVAL, "method auto has its own smoothing");

    const char *const absent[] = {"costs=/absent/costs", NULL}; /* read by rank 0 alone */
    f = (fits){.config = {.method = "tcsfsnb", .params = absent}};
    take_apart(&t, 3, false, &f);
    all_fail(&f, 3, HEFT_EIO, "rank 0: /absent/costs: cannot open");
}

typedef struct collective {
    heft_status status[MOST_RANKS];
    heft_error  err[MOST_RANKS];
    int         what;
} collective;

/* Rank 1 fails, leaves, or goes another way. */
static void call_once(const heft_comm *comm, void *arg)
{
    collective *m = arg;
    heft_ctx    ctx;
    heft_status st = HEFT_OK;
    double      v[2] = {1, comm->rank};
    heft_ctx_init(&ctx, &m->err[comm->rank], 1, 0, NULL);
    ctx.comm = comm;
    if (comm->rank == 1 && m->what == 0) st = heft_fail(&ctx, HEFT_EIO, "the disk is full");
    else if (comm->rank == 1 && m->what == 1) comm->abort(comm->user, "gone");
    else if (comm->rank == 1 && m->what == 2) st = heft_all_sum(&ctx, v, 1);
    else st = heft_all_sum(&ctx, v, 2);
    if (!(comm->rank == 1 && m->what == 1)) st = heft_comm_end(&ctx, st);
    m->status[comm->rank] = st;
    heft_ctx_clear(&ctx);
}

static void nobody_waits(void **state)
{
    static const char *const text[] = {"rank 1: the disk is full", "cannot be reached",
                                       "not at the same step"};
    (void)state;
    for (int what = 0; what < 3; what++) {
        collective m = {.what = what};
        ranks_run(3, call_once, &m);
        for (int r = 0; r < 3; r++) {
            if (what == 1 && r == 1) continue;
            assert_int_not_equal(m.status[r], HEFT_OK);
            if (!strstr(m.err[r].text, text[what])) fail_msg("%s", m.err[r].text);
        }
    }
}

/* ---- long lists of values ---- */

enum { CELLS = 4000, EXACT = 400 };

typedef struct shared_values {
    double      x[CELLS];
    uint16_t    y[CELLS];
    heft_ctx    ctx[MOST_RANKS]; /* they hold the points */
    heft_points out[MOST_RANKS];
    size_t      exact;
} shared_values;

static void share_values(const heft_comm *comm, void *arg)
{
    shared_values *s = arg;
    heft_ctx      *ctx = &s->ctx[comm->rank];
    const size_t   each = CELLS / (size_t)comm->n_ranks, lo = each * (size_t)comm->rank;
    heft_ctx_init(ctx, NULL, 1, 0, NULL);
    ctx->comm = comm;
    s->out[comm->rank] = (heft_points){.n = each, .x = s->x + lo, .y = s->y + lo};
    (void)heft_points_merge(ctx, &s->out[comm->rank], s->exact);
}

static double weight_up_to(const heft_points *v, double x)
{
    double sum = 0;
    for (size_t i = 0; i < v->n; i++) sum += v->x[i] <= x ? v->weight[i] : 0;
    return sum;
}

/* Thinned, every rank of a value is off by less than the stated share, and the ends stay. */
static void thinned_values_are_close(void **state)
{
    static shared_values all, s;
    heft_rng             rng;
    (void)state;
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < CELLS; i++) {
        s.x[i] = heft_rng_real(&rng);
        s.y[i] = (uint16_t)heft_rng_below(&rng, 2);
    }
    for (int size = 2; size <= 4; size++) {
        const heft_points *exact = all.out;
        all = s;
        all.exact = CELLS;
        ranks_run(size, share_values, &all);
        s.exact = EXACT;
        ranks_run(size, share_values, &s);
        const double off = (double)CELLS * 2 * size / EXACT;
        assert_int_equal(exact[0].n, CELLS / size * size);
        assert_true(s.out[0].n <= EXACT + 8 * (size_t)size);
        assert_true(s.out[0].x[0] == exact[0].x[0]);
        assert_true(s.out[0].x[s.out[0].n - 1] == exact[0].x[exact[0].n - 1]);
        for (double x = 0; x <= 1; x += 0.01) {
            const double a = weight_up_to(&exact[0], x), b = weight_up_to(&s.out[0], x);
            if (!(b <= a && a - b < off)) fail_msg("%g: %g is %g", x, a, b);
        }
        for (int r = 0; r < size; r++) {
            heft_ctx_clear(&all.ctx[r]);
            heft_ctx_clear(&s.ctx[r]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits),        cmocka_unit_test(counts_are_identical),
        cmocka_unit_test(class_weights_agree), cmocka_unit_test(preparations_agree),
        cmocka_unit_test(methods_agree),       cmocka_unit_test(faults_are_shared),
        cmocka_unit_test(sparse_rows_agree),   cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(wide_rows_agree),     IN_FOLDER(predictions_agree),
        cmocka_unit_test(evaluations_agree),   cmocka_unit_test(thinned_values_are_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
