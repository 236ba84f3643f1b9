/* prep_test.c - preparation: by hand, against a slow twin, and across layouts. */
#include "preparing.h"

#include <float.h>

#include "prep/mean.h"
#include "prep/points.h"

/* ---- the slow twin: one cell at a time, as the documentation says ---- */

static size_t column_named(const heft_table *table, const char *name)
{
    return heft_table_find(table, name);
}

static double twin_raw_number(const heft_prep *prep, size_t j, const heft_table *table, size_t i)
{
    const size_t k = column_named(table, prep->attr[j].name);
    const double x = k == SIZE_MAX ? 0 : raw_of(table, k, i);
    return isnan(x) && prep->attr[j].has_fill ? prep->attr[j].fill : x;
}

static double twin_number(const heft_prep *prep, size_t j, const heft_table *table, size_t i)
{
    const heft_attr_prep *a = &prep->attr[j];
    double                x = twin_raw_number(prep, j, table, i), sum = 0;
    if (prep->spec.scaling == HEFT_SCALE_UNIT) {
        for (size_t k = 0; k < prep->n_attr; k++)
            if (prep->attr[k].kind == HEFT_NUMERIC) {
                const double y = twin_raw_number(prep, k, table, i);
                if (!isnan(y)) sum += y * y;
            }
        if (sum > 0) x /= sqrt(sum);
    }
    x = (x - a->shift) * a->factor;
    if (!a->cut) return x;
    if (isnan(x)) return (double)a->n_cuts + 1;
    double code = 0, zero = 0;
    for (size_t k = 0; k < a->n_cuts; k++) {
        code += a->cuts[k] < x;
        zero += a->cuts[k] < 0;
    }
    if (!prep->sparse) return code;
    return code == zero ? 0 : code == 0 ? zero : code;
}

static double twin_nominal(const heft_prep *prep, size_t j, const heft_table *table, size_t i,
                           size_t *n_unseen)
{
    const heft_attr_prep *a = &prep->attr[j];
    const uint32_t        n_codes = (uint32_t)heft_dict_size(a->dict);
    const double          missing = a->has_fill ? a->fill : n_codes;
    const size_t          k = column_named(table, a->name);
    if (k == SIZE_MAX) return 0;
    const double v = raw_of(table, k, i);
    if (isnan(v)) return missing;
    const heft_dict *dict = table->cols[k].dict;
    for (uint32_t c = 0; c < n_codes; c++)
        if (strcmp(heft_dict_text(dict, (uint32_t)v), heft_dict_text(a->dict, c)) == 0) return c;
    (*n_unseen)++;
    return prep->spec.unseen_zero ? n_codes + 1 : missing;
}

static double twin_cell(const heft_prep *prep, size_t j, const heft_table *table, size_t i,
                        size_t *n_unseen)
{
    return prep->attr[j].kind == HEFT_NUMERIC ? twin_number(prep, j, table, i)
                                              : twin_nominal(prep, j, table, i, n_unseen);
}

static void equals_twin(bench *b, const heft_table *table)
{
    heft_prepared out;
    size_t        n_unseen = 0;
    apply(b, table, &out);
    assert_int_equal(out.rows.n_rows, table->n_rows);
    assert_int_equal(out.rows.n_attr, b->prep.n_attr);
    assert_int_equal(out.rows.n_class, heft_dict_size(b->prep.classes));
    assert_ptr_equal(out.rows.weight, table->weight);
    assert_int_equal(out.rows.sparse != NULL, b->prep.sparse);
    for (size_t j = 0; j < b->prep.n_attr; j++)
        for (size_t i = 0; i < table->n_rows; i++) {
            const double x = cell_of(&out.rows, j, i);
            same_number(x, twin_cell(&b->prep, j, table, i, &n_unseen));
            if (out.attr[j].coded) assert_true(x >= 0 && x <= out.attr[j].n_codes + 1);
        }
    assert_int_equal(out.n_unseen, n_unseen);
    for (size_t i = 0; out.rows.sparse && i < table->n_rows; i++)
        for (size_t k = out.rows.sparse->start[i]; k < out.rows.sparse->start[i + 1]; k++)
            assert_true(k == out.rows.sparse->start[i] ||
                        out.rows.sparse->col[k - 1] < out.rows.sparse->col[k]);
    heft_prepared_clear(&out);
}

static void apply_equals_its_slow_twin(void **state)
{
    /* Any preparation, learned on a dense or sparse table, applied to dense and sparse tables with
     * other columns, other orders and other values, gives what the definition says. */
    (void)state;
    bench    b;
    heft_rng rng;
    open_bench(&b, 2);
    heft_rng_init(&rng, 21, 0);
    for (int t = 0; t < 60; t++) {
        const heft_prep_spec spec = draw_spec(&rng);
        heft_table          *dense = draw_table(&b, &rng, 1 + (size_t)heft_rng_below(&rng, 60),
                                                (size_t)heft_rng_below(&rng, 8), t % 3 == 0, 0.4);
        heft_table          *sparse = sparsify(&b, dense);
        heft_table          *other = disguise(&b, &rng, dense, false);
        heft_table          *lost = disguise(&b, &rng, dense, true);
        heft_table          *thin = sparsify(&b, lost);
        for (int from = 0; from < 2; from++) {
            fit_prep(&b, from ? sparse : dense, &spec);
            equals_twin(&b, dense);
            equals_twin(&b, sparse);
            equals_twin(&b, other);
            equals_twin(&b, thin);
        }
        heft_table_free(dense);
        heft_table_free(sparse);
        heft_table_free(other);
        heft_table_free(lost);
        heft_table_free(thin);
    }
    close_bench(&b);
}

/* Means and ends of columns of any length, with numbers missing at any place, are those of a loop.
 */
static void means_equal_their_loop(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 31, 32, 33, 1000, 40000};
    double             *x = calloc(40000, sizeof *x);
    heft_rng            rng;
    heft_rng_init(&rng, 23, 0);
    for (int t = 0; t < 40; t++) {
        const size_t n = lengths[t % 7];
        const double share = t % 4 / 3.0, fill = t % 5 ? (double)NAN : t - 20; /* missing */
        heft_mean    slow = heft_mean_begin(0), fast = slow;
        double       lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            const double size = exp(20 * (heft_rng_real(&rng) - 0.5));
            x[i] = heft_rng_real(&rng) < share ? (double)NAN : size * (heft_rng_real(&rng) - 0.3);
            if (t % 3 == 0) x[i] = floor(100 * x[i]);
            heft_mean_take(&slow, 1, x[i], 0.25);
            const double seen = isnan(x[i]) ? fill : x[i];
            lo = fmin(lo, seen), hi = fmax(hi, seen);
        }
        heft_ends(x, n, NAN, &fast.lo, &fast.hi);
        heft_mean_take_all(&fast, x, n, 0.25);
        assert_true(fast.sum + fast.lost == slow.sum + slow.lost);
        assert_true(fast.total == slow.total && fast.lo == slow.lo && fast.hi == slow.hi);
        heft_ends(x, n, fill, &fast.lo, &fast.hi);
        assert_true(fast.lo == lo && fast.hi == hi);
    }
    free(x);
}

/* Few cuts are found in another way than many: both give the number of cuts below. */
static void any_number_of_cuts(void **state)
{
    (void)state;
    enum { N = 700 };
    static const char *const classes[] = {"a", "b"};
    bench                    b;
    heft_rng                 rng;
    double                   x[N];
    int                      y[N];
    open_bench(&b, 1);
    heft_rng_init(&rng, 22, 0);
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 9 == 4 ? (double)NAN : (double)heft_rng_below(&rng, 4000) / 16;
        y[i] = i % 2;
    }
    for (size_t bins = 1; bins < 40; bins++) {
        const heft_prep_spec spec = {
            .impute = bins % 2, .cutting = HEFT_CUT_WIDTH, .bins = bins, .mdl_scale = 1};
        heft_table *table = new_table(&b, N, 1);
        put_numbers(&table->cols[0], "x", x, N);
        put_target(&b, table, y, classes, 2);
        fit_prep(&b, table, &spec);
        assert_int_equal(b.prep.attr[0].n_cuts, bins - 1);
        equals_twin(&b, table);
        heft_table_free(table);
    }
    close_bench(&b);
}

static void sparse_and_dense_learn_alike(void **state)
{
    /* Zeros that are not stored count: a sparse table gives the fills, factors and cuts of the same
     * table dense, also with weights. */
    (void)state;
    bench    a, b;
    heft_rng rng;
    open_bench(&a, 1);
    open_bench(&b, 1);
    heft_rng_init(&rng, 22, 0);
    for (int t = 0; t < 80; t++) {
        heft_prep_spec spec = draw_spec(&rng);
        if (spec.scaling == HEFT_SCALE_MINMAX) spec.scaling = HEFT_SCALE_RANGE;
        heft_table *dense =
            draw_table(&a, &rng, 1 + (size_t)heft_rng_below(&rng, 80), 6, t % 2, 0.7);
        heft_table *sparse = sparsify(&a, dense);
        fit_prep(&a, dense, &spec);
        fit_prep(&b, sparse, &spec);
        assert_true(b.prep.sparse && !a.prep.sparse);
        for (size_t j = 0; j < 6; j++) {
            const heft_attr_prep *p = &a.prep.attr[j], *q = &b.prep.attr[j];
            assert_int_equal(p->has_fill, q->has_fill);
            same_number(p->fill, q->fill);
            assert_true(p->factor == q->factor && p->shift == q->shift && p->cut == q->cut);
            assert_int_equal(p->n_cuts, q->n_cuts);
            for (size_t k = 0; k < p->n_cuts; k++) same_number(p->cuts[k], q->cuts[k]);
        }
        heft_table_free(dense);
        heft_table_free(sparse);
    }
    close_bench(&a);
    close_bench(&b);
}

static void fills_by_hand(void **state)
{
    /* Mean and mode, with weights; the lowest code on a tie; 0 and the first value where nothing
     * is observed; numbers near the end of the doubles do not overflow. */
    (void)state;
    bench        b;
    const double x[] = {1, NAN, 4, 7}, empty[] = {NAN, NAN, NAN, NAN};
    const double far[] = {DBL_MAX, DBL_MAX, DBL_MAX / 2, NAN}, w[] = {1, 5, 3, 0};
    heft_table  *t;
    open_bench(&b, 1);
    t = new_table(&b, 4, 5);
    put_numbers(&t->cols[0], "x", x, 4);
    put_numbers(&t->cols[1], "empty", empty, 4);
    put_numbers(&t->cols[2], "far", far, 4);
    put_codes(&b, &t->cols[3], "v", (const int[]){2, -1, 1, 1}, 4,
              (const char *const[]){"p", "q", "r"}, 3);
    put_codes(&b, &t->cols[4], "none", (const int[]){-1, -1, -1, -1}, 4,
              (const char *const[]){"p", "q"}, 2);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    const heft_prep_spec spec = {.impute = true, .mdl_scale = 1};
    fit_prep(&b, t, &spec);
    assert_true(b.prep.attr[0].fill == 4 && b.prep.attr[1].fill == 0);
    assert_true(fabs(b.prep.attr[2].fill / DBL_MAX - 2.5 / 3) < 1e-15);
    assert_true(b.prep.attr[3].fill == 1 && b.prep.attr[4].fill == 0);
    put_weights(t, w);
    fit_prep(&b, t, &spec);
    assert_true(b.prep.attr[0].fill == 13.0 / 4); /* 1 x 1, 3 x 4, 0 x 7 */
    assert_true(b.prep.attr[3].fill == 1);        /* r: 1, q: 3 + 0 */
    t->weight[2] = 1;
    fit_prep(&b, t, &spec);
    assert_true(b.prep.attr[3].fill == 1); /* q: 1, r: 1: the lower code */
    heft_table_free(t);
    close_bench(&b);
}

static void scales_by_hand(void **state)
{
    /* minmax to [0, 1], range without a shift, a constant column by 1; ends of the doubles too. */
    (void)state;
    bench         b;
    const double  x[] = {2, 6, NAN, 4}, same[] = {3, 3, 3, 3};
    const double  far[] = {-DBL_MAX, DBL_MAX, 0, DBL_MAX}, fine[] = {0, 5e-324, 0, 0};
    heft_table   *t;
    heft_prepared out;
    open_bench(&b, 1);
    t = new_table(&b, 4, 4);
    put_numbers(&t->cols[0], "x", x, 4);
    put_numbers(&t->cols[1], "same", same, 4);
    put_numbers(&t->cols[2], "far", far, 4);
    put_numbers(&t->cols[3], "fine", fine, 4);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    fit_prep(&b, t, &(heft_prep_spec){.scaling = HEFT_SCALE_MINMAX});
    apply(&b, t, &out);
    const double *s = out.attr[0].numbers;
    assert_true(s[0] == 0 && s[1] == 1 && isnan(s[2]) && s[3] == 0.5);
    assert_true(out.attr[1].numbers[0] == 0 && b.prep.attr[1].factor == 1);
    for (size_t i = 0; i < 4; i++) same_number(out.attr[2].numbers[i], far[i] / DBL_MAX / 2 + 0.5);
    assert_true(out.attr[3].numbers[1] == 5e-324);
    heft_prepared_clear(&out);
    fit_prep(&b, t, &(heft_prep_spec){.scaling = HEFT_SCALE_RANGE});
    apply(&b, t, &out);
    s = out.attr[0].numbers;
    assert_true(s[0] == 0.5 && s[1] == 1.5 && isnan(s[2]) && s[3] == 1);
    assert_true(out.attr[1].numbers[0] == 3);
    heft_prepared_clear(&out);
    heft_table_free(t);
    close_bench(&b);
}

static void numbers_beyond_the_training_range_stay_finite(void **state)
{
    /* A fine scale learned, a huge number to prepare: the largest double, not infinity. */
    (void)state;
    bench         b;
    const double  x[] = {0, 1e-300}, far[] = {1e300, -1e300};
    heft_table   *t;
    heft_prepared out;
    open_bench(&b, 1);
    t = new_table(&b, 2, 1);
    put_numbers(&t->cols[0], "x", x, 2);
    put_target(&b, t, (const int[]){0, 1}, (const char *const[]){"a", "b"}, 2);
    fit_prep(&b, t, &(heft_prep_spec){.scaling = HEFT_SCALE_RANGE});
    memcpy(t->cols[0].cells, far, sizeof far);
    apply(&b, t, &out);
    assert_true(out.attr[0].numbers[0] == DBL_MAX && out.attr[0].numbers[1] == -DBL_MAX);
    heft_prepared_clear(&out);
    heft_table_free(t);
    close_bench(&b);
}

static void unit_rows_have_length_one(void **state)
{
    /* 3, 4 becomes 0.6, 0.8 at any size; a row of zeros stays; a missing cell is left out; the same
     * in sparse rows. */
    (void)state;
    bench        b;
    const double x[] = {3, 3e200, 3e-320, 0, NAN, 1.2e308}, y[] = {4, 4e200, 4e-320, 0, 2, 1.6e308};
    heft_table  *t, *s;
    heft_prepared out;
    open_bench(&b, 1);
    t = new_table(&b, 6, 2);
    put_numbers(&t->cols[0], "x", x, 6);
    put_numbers(&t->cols[1], "y", y, 6);
    put_target(&b, t, (const int[]){0, 1, 0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    s = sparsify(&b, t);
    for (int k = 0; k < 4; k++) {
        fit_prep(&b, k % 2 ? s : t, &(heft_prep_spec){.scaling = HEFT_SCALE_UNIT});
        apply(&b, k / 2 ? s : t, &out);
        for (size_t i = 0; i < 6; i++) {
            const double tiny = i == 2 ? 1e-3 : 1e-15; /* denormals have few digits */
            const double p = cell_of(&out.rows, 0, i), q = cell_of(&out.rows, 1, i);
            if (i == 3) assert_true(p == 0 && q == 0);
            else if (i == 4) assert_true(isnan(p) && q == 1);
            else assert_true(fabs(p - 0.6) < tiny && fabs(q - 0.8) < tiny);
        }
        heft_prepared_clear(&out);
    }
    heft_table_free(t);
    heft_table_free(s);
    close_bench(&b);
}

static void cuts_are_learned_on_scaled_and_imputed_numbers(void **state)
{
    /* The cuts of an attribute are those of its imputed, scaled column. */
    (void)state;
    bench       b;
    heft_rng    rng;
    double      x[50], *cuts;
    uint16_t    y[50];
    int         codes[50];
    size_t      n_cuts;
    heft_table *t;
    heft_rng_init(&rng, 23, 0);
    open_bench(&b, 1);
    for (size_t i = 0; i < 50; i++) {
        x[i] = i % 10 == 7 ? (double)NAN : (double)heft_rng_below(&rng, 30);
        codes[i] = x[i] > 17 ? 1 : 0;
        y[i] = (uint16_t)codes[i];
    }
    t = new_table(&b, 50, 1);
    put_numbers(&t->cols[0], "x", x, 50);
    put_target(&b, t, codes, (const char *const[]){"a", "b"}, 2);
    for (int cutting = HEFT_CUT_WIDTH; cutting <= HEFT_CUT_MDL; cutting++) {
        const heft_prep_spec spec = {.impute = true,
                                     .cutting = (heft_cutting)cutting,
                                     .bins = 6,
                                     .mdl_scale = 0.5,
                                     .scaling = HEFT_SCALE_MINMAX};
        double               scaled[50];
        fit_prep(&b, t, &spec);
        const heft_attr_prep *a = &b.prep.attr[0];
        for (size_t i = 0; i < 50; i++)
            scaled[i] = ((isnan(x[i]) ? a->fill : x[i]) - a->shift) * a->factor;
        if (cutting == HEFT_CUT_WIDTH)
            heft_cuts_width(&b.ctx, &b.arena, scaled, 50, 6, &cuts, &n_cuts);
        else if (cutting == HEFT_CUT_FREQUENCY)
            heft_cuts_frequency(&b.ctx, &b.arena, scaled, NULL, 50, 6, &cuts, &n_cuts);
        else
            heft_cuts_mdl(&b.ctx, &b.arena, &(heft_points){50, scaled, y, NULL}, 2, 0.5, &cuts,
                          &n_cuts);
        assert_true(a->cut && n_cuts > 0);
        assert_int_equal(a->n_cuts, n_cuts);
        assert_memory_equal(a->cuts, cuts, n_cuts * sizeof *cuts);
    }
    heft_table_free(t);
    close_bench(&b);
}

static void a_weight_repeats_its_row(void **state)
{
    /* A preparation learned with whole weights is that of the rows repeated; rows of weight 0 leave
     * no trace, not even in minimum and maximum. */
    (void)state;
    bench    a, b;
    heft_rng rng;
    open_bench(&a, 1);
    open_bench(&b, 1);
    heft_rng_init(&rng, 24, 0);
    for (int t = 0; t < 60; t++) {
        const heft_prep_spec spec = draw_spec(&rng);
        heft_table          *once = draw_table(&a, &rng, 40, 6, true, 0.2), *often;
        size_t               rows[200], n = 0;
        for (size_t i = 0; i < 40; i++) {
            once->weight[i] = (double)(i % 4);
            if (i % 4 == 0 && i < 20) /* an outlier that must not be seen */
                ((double *)once->cols[0].cells)[i] = 1e9;
            for (size_t k = 0; k < i % 4; k++) rows[n++] = i;
        }
        once->cols[0].n_missing = 0;
        for (size_t i = 0; i < 40; i++)
            once->cols[0].n_missing += isnan(((double *)once->cols[0].cells)[i]) != 0;
        assert_int_equal(heft_table_take(&a.ctx, once, rows, n, &often), HEFT_OK);
        heft_free(often->weight);
        often->weight = NULL;
        fit_prep(&a, once, &spec);
        fit_prep(&b, often, &spec);
        for (size_t j = 0; j < 6; j++) {
            const heft_attr_prep *p = &a.prep.attr[j], *q = &b.prep.attr[j];
            same_number(p->fill, q->fill);
            assert_true(p->factor == q->factor && p->shift == q->shift);
            assert_int_equal(p->n_cuts, q->n_cuts);
            for (size_t k = 0; k < p->n_cuts; k++) same_number(p->cuts[k], q->cuts[k]);
        }
        heft_table_free(once);
        heft_table_free(often);
    }
    close_bench(&a);
    close_bench(&b);
}

static void threads_give_the_same_bits(void **state)
{
    /* 1, 2 and 7 threads: the same fills, cuts, cells. */
    (void)state;
    heft_rng rng;
    bench    one;
    heft_rng_init(&rng, 25, 0);
    open_bench(&one, 1);
    heft_table *dense = draw_table(&one, &rng, 3000, 9, true, 0.5), *sparse = sparsify(&one, dense);
    for (int t = 0; t < 8; t++) {
        const heft_prep_spec spec = {.impute = t % 2,
                                     .cutting = t < 4 ? HEFT_CUT_MDL : HEFT_CUT_NONE,
                                     .mdl_scale = 0.2,
                                     .scaling = t % 4 < 2 ? HEFT_SCALE_UNIT : HEFT_SCALE_RANGE};
        const heft_table    *table = t % 3 ? dense : sparse;
        heft_prepared        first;
        fit_prep(&one, table, &spec);
        apply(&one, table, &first);
        for (int threads = 2; threads <= 7; threads += 5) {
            bench         many;
            heft_prepared out;
            open_bench(&many, threads);
            fit_prep(&many, table, &spec);
            for (size_t j = 0; j < 9; j++) {
                const heft_attr_prep *p = &one.prep.attr[j], *q = &many.prep.attr[j];
                assert_memory_equal(&p->fill, &q->fill, 8);
                assert_int_equal(p->n_cuts, q->n_cuts);
                if (p->n_cuts) assert_memory_equal(p->cuts, q->cuts, 8 * p->n_cuts);
            }
            apply(&many, table, &out);
            for (size_t j = 0; !out.rows.sparse && j < 9; j++)
                assert_memory_equal(out.attr[j].coded ? out.attr[j].codes : out.attr[j].numbers,
                                    first.attr[j].coded ? first.attr[j].codes
                                                        : (const void *)first.attr[j].numbers,
                                    3000 * out.attr[j].width);
            if (out.rows.sparse)
                assert_memory_equal(out.rows.sparse->val, first.rows.sparse->val,
                                    8 * out.rows.sparse->start[3000]);
            heft_prepared_clear(&out);
            close_bench(&many);
        }
        heft_prepared_clear(&first);
    }
    heft_table_free(dense);
    heft_table_free(sparse);
    close_bench(&one);
}

static void untouched_cells_are_borrowed(void **state)
{
    /* Nothing to change: the prepared cells are the table's own. A missing cell to impute, another
     * dictionary or a scale ends that. */
    (void)state;
    bench         b;
    heft_rng      rng;
    heft_prepared out;
    heft_rng_init(&rng, 26, 0);
    open_bench(&b, 1);
    heft_table *t = draw_table(&b, &rng, 200, 6, false, 0.3), *s = sparsify(&b, t);
    heft_table *other = disguise(&b, &rng, t, false);
    fit_prep(&b, t, &(heft_prep_spec){.mdl_scale = 1});
    apply(&b, t, &out);
    for (size_t j = 0; j < 6; j++) {
        const void *cells =
            out.attr[j].coded ? out.attr[j].codes : (const void *)out.attr[j].numbers;
        assert_ptr_equal(cells, t->cols[j].cells);
    }
    heft_prepared_clear(&out);
    apply(&b, other, &out); /* columns moved, values renumbered */
    for (size_t j = 0; j < 6; j++) {
        const heft_column *col = &other->cols[heft_table_find(other, t->cols[j].name)];
        if (out.attr[j].coded) assert_ptr_not_equal(out.attr[j].codes, col->cells);
        else assert_ptr_equal(out.attr[j].numbers, col->cells);
    }
    heft_prepared_clear(&out);
    fit_prep(&b, t, &(heft_prep_spec){.impute = true});
    apply(&b, t, &out);
    assert_ptr_not_equal(out.attr[0].numbers, t->cols[0].cells);
    heft_prepared_clear(&out);
    heft_table_free(s);
    heft_table_free(t);
    /* Sparse rows, all numbers. */
    const double x[] = {0, 2, NAN, 0};
    t = new_table(&b, 4, 1);
    put_numbers(&t->cols[0], "x", x, 4);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    s = sparsify(&b, t);
    fit_prep(&b, s, &(heft_prep_spec){.mdl_scale = 1});
    apply(&b, s, &out);
    assert_ptr_equal(out.rows.sparse, s->sparse);
    heft_prepared_clear(&out);
    fit_prep(&b, s, &(heft_prep_spec){.impute = true});
    apply(&b, s, &out);
    assert_ptr_not_equal(out.rows.sparse, s->sparse);
    assert_true(b.prep.attr[0].fill == 2.0 / 3);
    assert_true(cell_of(&out.rows, 0, 2) == 2.0 / 3);
    heft_prepared_clear(&out);
    heft_table_free(s);
    heft_table_free(t);
    heft_table_free(other);
    close_bench(&b);
}

static void the_interval_of_zero_is_code_zero_in_sparse_rows(void **state)
{
    /* Entries -3, 2 and zeros: the zeros lie in the second interval, which changes places with the
     * first, in rows, in texts and in the table made of them. */
    (void)state;
    bench         b;
    const double  x[] = {-3, 0, 2, 0, 0, -3, 2, 2};
    heft_table   *t, *s, *made;
    heft_prepared out;
    char          text[64];
    open_bench(&b, 1);
    t = new_table(&b, 8, 1);
    put_numbers(&t->cols[0], "x", x, 8);
    put_target(&b, t, (const int[]){0, 1, 2, 1, 1, 0, 2, 2}, (const char *const[]){"a", "b", "c"},
               3);
    s = sparsify(&b, t);
    fit_prep(&b, s, &(heft_prep_spec){.cutting = HEFT_CUT_MDL, .mdl_scale = 0.1});
    assert_int_equal(b.prep.attr[0].n_cuts, 2); /* -1.5 and 1 */
    assert_string_equal(heft_prep_value(&b.prep, 0, 0, text, sizeof text), "(-1.5-1]");
    assert_string_equal(heft_prep_value(&b.prep, 0, 1, text, sizeof text), "(-inf--1.5]");
    assert_string_equal(heft_prep_value(&b.prep, 0, 2, text, sizeof text), "(1-inf)");
    assert_string_equal(heft_prep_value(&b.prep, 0, 3, text, sizeof text), "?");
    apply(&b, s, &out);
    for (size_t i = 0; i < 8; i++)
        assert_true(cell_of(&out.rows, 0, i) == (x[i] == 0 ? 0 : x[i] < 0 ? 1 : 2));
    heft_prepared_clear(&out);
    assert_int_equal(heft_prep_table(&b.ctx, &b.prep, s, &made), HEFT_OK);
    assert_int_equal(heft_table_check(&b.ctx, made), HEFT_OK);
    assert_non_null(made->sparse);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(heft_dict_text(made->cols[0].dict, (uint32_t)raw_of(made, 0, i)),
                            x[i] == 0  ? "(-1.5-1]"
                            : x[i] < 0 ? "(-inf--1.5]"
                                       : "(1-inf)");
    heft_table_free(made);
    heft_table_free(s);
    heft_table_free(t);
    close_bench(&b);
}

static void minmax_of_a_sparse_table_only_divides(void **state)
{
    /* Zeros stay zeros, and the host is told. */
    (void)state;
    bench        b;
    const double x[] = {1, 0, 5, 0};
    heft_table  *t, *s;
    open_bench(&b, 1);
    t = new_table(&b, 4, 1);
    put_numbers(&t->cols[0], "x", x, 4);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    s = sparsify(&b, t);
    fit_prep(&b, s, &(heft_prep_spec){.scaling = HEFT_SCALE_MINMAX});
    assert_true(b.prep.attr[0].shift == 0 && b.prep.attr[0].factor == 0.2);
    assert_non_null(strstr(b.heard, "minmax"));
    heft_table_free(s);
    heft_table_free(t);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply_equals_its_slow_twin),
        cmocka_unit_test(means_equal_their_loop),
        cmocka_unit_test(any_number_of_cuts),
        cmocka_unit_test(sparse_and_dense_learn_alike),
        cmocka_unit_test(fills_by_hand),
        cmocka_unit_test(scales_by_hand),
        cmocka_unit_test(numbers_beyond_the_training_range_stay_finite),
        cmocka_unit_test(unit_rows_have_length_one),
        cmocka_unit_test(cuts_are_learned_on_scaled_and_imputed_numbers),
        cmocka_unit_test(a_weight_repeats_its_row),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(untouched_cells_are_borrowed),
        cmocka_unit_test(the_interval_of_zero_is_code_zero_in_sparse_rows),
        cmocka_unit_test(minmax_of_a_sparse_table_only_divides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
