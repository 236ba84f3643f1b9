/* prep_test.c - preparation: by hand, against a slow twin, and across layouts. */
#include "fixture.h"

#include <float.h>

#include "base/text.h"
#include "prep/prep.h"

typedef struct bench {
    heft_ctx   ctx;
    heft_error err;
    heft_arena arena;
    heft_prep  prep;
    char       heard[512];
    heft_host  host;
} bench;

static void hear(void *user, heft_level level, const char *text)
{
    (void)level;
    snprintf(((bench *)user)->heard, sizeof((bench *)user)->heard, "%s", text);
}

static void open_bench(bench *b, int threads)
{
    memset(b, 0, sizeof *b);
    b->host = (heft_host){.log = hear, .user = b};
    heft_ctx_init(&b->ctx, &b->err, threads, 1, &b->host);
}

static void close_bench(bench *b)
{
    heft_prep_clear(&b->prep);
    heft_arena_clear(&b->arena);
    heft_ctx_clear(&b->ctx);
}

static void fit_prep(bench *b, const heft_table *table, const heft_prep_spec *spec)
{
    heft_prep_clear(&b->prep);
    assert_int_equal(heft_prep_fit(&b->ctx, table, spec, &b->arena, &b->prep), HEFT_OK);
}

static void apply(bench *b, const heft_table *table, heft_prepared *out)
{
    assert_int_equal(heft_prep_apply(&b->ctx, &b->prep, table, out), HEFT_OK);
    assert_null(b->ctx.scratch.last); /* nothing is left behind */
}

/* ---- tables ---- */

static heft_table *new_table(bench *b, size_t n_rows, size_t n_cols)
{
    heft_table *table;
    assert_int_equal(heft_table_new(&b->ctx, n_rows, n_cols, &table), HEFT_OK);
    table->name = heft_copy_text("data");
    return table;
}

static heft_dict *new_dict(bench *b, const char *const *values, size_t n)
{
    heft_dict *dict;
    uint32_t   code;
    assert_int_equal(heft_dict_create(&b->ctx, &dict), HEFT_OK);
    for (size_t v = 0; v < n; v++)
        assert_int_equal(heft_dict_add(&b->ctx, dict, values[v], strlen(values[v]), &code), 0);
    return dict;
}

static void put_numbers(heft_column *col, const char *name, const double *x, size_t n)
{
    col->name = heft_copy_text(name);
    col->kind = HEFT_NUMERIC;
    col->width = 8;
    col->cells = heft_alloc(n, 8);
    memcpy(col->cells, x, n * 8);
    for (size_t i = 0; i < n; i++) col->n_missing += isnan(x[i]) != 0;
}

/* A code < 0 is missing. */
static void put_codes(bench *b, heft_column *col, const char *name, const int *codes, size_t n,
                      const char *const *values, size_t n_values)
{
    col->name = heft_copy_text(name);
    col->kind = HEFT_NOMINAL;
    col->dict = new_dict(b, values, n_values);
    col->width = heft_code_width(n_values);
    col->cells = heft_alloc(n, col->width);
    for (size_t i = 0; i < n; i++) {
        heft_code_put(col->cells, col->width, i,
                      codes[i] < 0 ? (uint32_t)n_values : (uint32_t)codes[i]);
        col->n_missing += codes[i] < 0;
    }
}

static void put_target(bench *b, heft_table *table, const int *codes, const char *const *values,
                       size_t n_values)
{
    table->target = heft_alloc0(1, sizeof *table->target);
    put_codes(b, table->target, "class", codes, table->n_rows, values, n_values);
}

static void put_weights(heft_table *table, const double *w)
{
    table->weight = heft_alloc(table->n_rows, 8);
    memcpy(table->weight, w, table->n_rows * 8);
}

/* A table as random as tables get. Columns x0.. are numbers with ties, zeros and missing cells;
 * v1, v3, ... are nominal, of 1 to 300 values. */
static heft_table *draw_table(bench *b, heft_rng *rng, size_t n, size_t m, bool weights,
                              double zeros)
{
    heft_table *table = new_table(b, n, m);
    double     *x = malloc(n * sizeof *x);
    int        *codes = malloc(n * sizeof *codes);
    char        name[32], texts[300][16];
    const char *values[300];
    assert_true(x && codes);
    for (size_t v = 0; v < 300; v++) {
        snprintf(texts[v], sizeof texts[v], "t%zu", v);
        values[v] = texts[v];
    }
    for (size_t j = 0; j < m; j++) {
        const bool     nominal = j % 3 == 1;
        const uint64_t n_values =
            nominal && j % 2 ? 2 + heft_rng_below(rng, 3) : 1 + heft_rng_below(rng, 300);
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)heft_rng_below(rng, 40) / 8 - (j % 2 ? 0 : 2);
            codes[i] = (int)heft_rng_below(rng, n_values);
            if (heft_rng_real(rng) < zeros) x[i] = 0, codes[i] = 0;
            if (heft_rng_below(rng, 12) == 0) x[i] = NAN, codes[i] = -1;
        }
        snprintf(name, sizeof name, "%c%zu", nominal ? 'v' : 'x', j);
        if (nominal) put_codes(b, &table->cols[j], name, codes, n, values, (size_t)n_values);
        else put_numbers(&table->cols[j], name, x, n);
    }
    for (size_t i = 0; i < n; i++) {
        codes[i] = (int)heft_rng_below(rng, 3) - (heft_rng_below(rng, 15) == 0);
        if (m && table->cols[0].kind == HEFT_NUMERIC && ((double *)table->cols[0].cells)[i] > 0.5)
            codes[i] = 2;
        x[i] = (double)heft_rng_below(rng, 4) / 2;
    }
    put_target(b, table, codes, (const char *const[]){"a", "b", "c"}, 3);
    if (weights) put_weights(table, x);
    free(x);
    free(codes);
    assert_int_equal(heft_table_check(&b->ctx, table), HEFT_OK);
    return table;
}

/* The raw cell as it stands, a code as a number; absent entries are 0. */
static double raw_of(const heft_table *table, size_t j, size_t i)
{
    const heft_column *col = &table->cols[j];
    if (table->sparse) {
        for (size_t k = table->sparse->start[i]; k < table->sparse->start[i + 1]; k++)
            if (table->sparse->col[k] == j) return table->sparse->val[k];
        return 0;
    }
    if (col->kind == HEFT_NUMERIC) return ((double *)col->cells)[i];
    const uint32_t v = heft_code_at(col->cells, col->width, i);
    return v < heft_dict_size(col->dict) ? v : (double)NAN;
}

/* The same table with compressed rows. */
static heft_table *sparsify(bench *b, const heft_table *dense)
{
    heft_table *table;
    size_t      n = 0, *rows = malloc(dense->n_rows * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < dense->n_rows; i++) rows[i] = i;
    assert_int_equal(heft_table_take(&b->ctx, dense, rows, dense->n_rows, &table), HEFT_OK);
    free(rows);
    heft_sparse *s = table->sparse = heft_alloc0(1, sizeof *s);
    s->start = heft_alloc0(dense->n_rows + 1, sizeof *s->start);
    s->col = heft_alloc(dense->n_rows * dense->n_cols, sizeof *s->col);
    s->val = heft_alloc(dense->n_rows * dense->n_cols, sizeof *s->val);
    for (size_t i = 0; i < dense->n_rows; i++) {
        for (size_t j = 0; j < dense->n_cols; j++) {
            const double x = raw_of(dense, j, i);
            if (x == 0 && (i + j) % 5) continue; /* some zeros are stored */
            s->col[n] = (uint32_t)j;
            s->val[n++] = x;
        }
        s->start[i + 1] = n;
    }
    for (size_t j = 0; j < table->n_cols; j++) {
        heft_free(table->cols[j].cells);
        table->cols[j].cells = NULL;
    }
    assert_int_equal(heft_table_check(&b->ctx, table), HEFT_OK);
    return table;
}

/* Another table of the same content but its own order of columns and of values, with new values,
 * one column more, and (sparse only) one less. */
static heft_table *disguise(bench *b, heft_rng *rng, const heft_table *from, bool lose_one)
{
    const size_t n = from->n_rows, m = from->n_cols;
    size_t       order[64], kept = 0;
    heft_table  *table;
    double      *x = malloc(n * sizeof *x);
    int         *codes = malloc(n * sizeof *codes);
    assert_true(x && codes && m < 60);
    for (size_t j = 0; j < m; j++)
        if (!(lose_one && j == 2)) order[kept++] = j;
    heft_rng_shuffle(rng, order, kept);
    table = new_table(b, n, kept + 1);
    for (size_t k = 0; k < kept; k++) {
        const heft_column *col = &from->cols[order[k]];
        if (col->kind == HEFT_NUMERIC) {
            for (size_t i = 0; i < n; i++) x[i] = raw_of(from, order[k], i);
            put_numbers(&table->cols[k], col->name, x, n);
            continue;
        }
        const size_t n_values = heft_dict_size(col->dict);
        const char  *values[302];
        size_t       place[302], back[302];
        for (size_t v = 0; v < n_values + 2; v++) place[v] = v;
        heft_rng_shuffle(rng, place, n_values + 2); /* place[v]: the old code of new code v */
        for (size_t v = 0; v < n_values + 2; v++) {
            values[v] = place[v] < n_values    ? heft_dict_text(col->dict, (uint32_t)place[v])
                        : place[v] == n_values ? "fresh"
                                               : "new too";
            back[place[v]] = v;
        }
        for (size_t i = 0; i < n; i++) {
            const double v = raw_of(from, order[k], i);
            codes[i] = isnan(v) ? -1 : (int)back[(size_t)v];
            if (heft_rng_below(rng, 9) == 0) codes[i] = (int)heft_rng_below(rng, n_values + 2);
        }
        put_codes(b, &table->cols[k], col->name, codes, n, values, n_values + 2);
    }
    for (size_t i = 0; i < n; i++) x[i] = 7;
    put_numbers(&table->cols[kept], "one more", x, n);
    for (size_t i = 0; i < n; i++) codes[i] = (int)heft_rng_below(rng, 4);
    put_target(b, table, codes, (const char *const[]){"c", "never", "b", "a"}, 4);
    free(x);
    free(codes);
    assert_int_equal(heft_table_check(&b->ctx, table), HEFT_OK);
    return table;
}

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

static double cell_of(const heft_rows *rows, size_t j, size_t i)
{
    const heft_attr *a = &rows->attr[j];
    if (rows->sparse) {
        for (size_t k = rows->sparse->start[i]; k < rows->sparse->start[i + 1]; k++)
            if (rows->sparse->col[k] == j) return rows->sparse->val[k];
        return 0;
    }
    return a->coded ? heft_code_at(a->codes, a->width, i) : a->numbers[i];
}

static void same_number(double a, double b)
{
    if (isnan(a) || isnan(b)) assert_true(isnan(a) && isnan(b));
    else assert_true(fabs(a - b) <= 1e-14 * fmax(1, fabs(b)));
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

static heft_prep_spec draw_spec(heft_rng *rng)
{
    heft_prep_spec spec = {.impute = heft_rng_below(rng, 2) == 0,
                           .cutting = (heft_cutting)heft_rng_below(rng, 4),
                           .bins = 2 + (size_t)heft_rng_below(rng, 40),
                           .mdl_scale = 0.05 + heft_rng_real(rng),
                           .scaling = (heft_scaling)heft_rng_below(rng, 4),
                           .unseen_zero = heft_rng_below(rng, 2) == 0};
    return spec;
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
        else heft_cuts_mdl(&b.ctx, &b.arena, scaled, y, NULL, 50, 2, 0.5, &cuts, &n_cuts);
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

static void what_does_not_fit_is_refused_by_name(void **state)
{
    /* No target, a column that is not there, a nominal column where the model has numbers. */
    (void)state;
    bench         b;
    const double  x[] = {1, 2, 3};
    heft_table   *t, *other;
    heft_prepared out;
    open_bench(&b, 1);
    t = new_table(&b, 3, 2);
    put_numbers(&t->cols[0], "age", x, 3);
    put_numbers(&t->cols[1], "size", x, 3);
    assert_int_equal(heft_prep_fit(&b.ctx, t, &(heft_prep_spec){0}, &b.arena, &b.prep),
                     HEFT_EINVAL);
    assert_non_null(strstr(b.err.text, "class"));
    put_target(&b, t, (const int[]){0, 1, 0}, (const char *const[]){"a", "b"}, 2);
    fit_prep(&b, t, &(heft_prep_spec){0});
    other = new_table(&b, 3, 2);
    put_numbers(&other->cols[0], "size", x, 3);
    put_numbers(&other->cols[1], "weight", x, 3);
    assert_int_equal(heft_prep_apply(&b.ctx, &b.prep, other, &out), HEFT_EINVAL);
    assert_string_equal(b.err.text,
                        "data: the model needs column 'age', which is missing from the table "
                        "(its columns are size, weight)");
    heft_table_free(other);
    other = new_table(&b, 3, 2);
    put_codes(&b, &other->cols[0], "age", (const int[]){0, 1, 0}, 3,
              (const char *const[]){"x", "y"}, 2);
    put_numbers(&other->cols[1], "size", x, 3);
    assert_int_equal(heft_prep_apply(&b.ctx, &b.prep, other, &out), HEFT_EINVAL);
    assert_non_null(strstr(b.err.text, "'age' is nominal"));
    assert_null(out.attr);
    heft_table_free(other);
    heft_table_free(t);
    t = new_table(&b, 3, 300); /* a long list of columns is cut short */
    for (size_t j = 0; j < 300; j++)
        put_numbers(&t->cols[j], "a name of some length, repeated", x, 3);
    assert_int_equal(heft_prep_apply(&b.ctx, &b.prep, t, &out), HEFT_EINVAL);
    assert_non_null(strstr(b.err.text, ", ...)"));
    heft_table_free(t);
    close_bench(&b);
}

static void numbers_are_matched_to_nominal_values_by_text(void **state)
{
    /* The model's values are 1, 2.5 and red; a numeric column 1, 2.5, 7, missing gives codes 0, 1,
     * unseen, missing. */
    (void)state;
    bench         b;
    const double  x[] = {1, 2.5, 7, NAN};
    heft_table   *t, *other, *thin;
    heft_prepared out;
    open_bench(&b, 1);
    t = new_table(&b, 4, 1);
    put_codes(&b, &t->cols[0], "v", (const int[]){0, 1, 2, 0}, 4,
              (const char *const[]){"1", "2.5", "red"}, 3);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    other = new_table(&b, 4, 1);
    put_numbers(&other->cols[0], "v", x, 4);
    thin = sparsify(&b, other);
    for (int zero = 0; zero < 2; zero++) {
        fit_prep(&b, t, &(heft_prep_spec){.unseen_zero = zero == 1});
        for (int k = 0; k < 2; k++) {
            apply(&b, k ? thin : other, &out);
            assert_int_equal(out.n_unseen, 1);
            assert_null(out.rows.y);
            assert_true(cell_of(&out.rows, 0, 0) == 0 && cell_of(&out.rows, 0, 1) == 1);
            assert_true(cell_of(&out.rows, 0, 2) == 3 + zero && cell_of(&out.rows, 0, 3) == 3);
            heft_prepared_clear(&out);
        }
    }
    heft_table_free(t);
    heft_table_free(other);
    heft_table_free(thin);
    close_bench(&b);
}

static void classes_are_matched_by_text(void **state)
{
    /* Another order, a missing one, one the model does not know; a target that is an attribute of
     * the model is not the class. */
    (void)state;
    bench         b;
    const double  x[] = {1, 2, 3, 4};
    heft_table   *t, *other;
    heft_prepared out;
    open_bench(&b, 1);
    t = new_table(&b, 4, 2);
    put_numbers(&t->cols[0], "x", x, 4);
    put_codes(&b, &t->cols[1], "v", (const int[]){0, 1, 1, 0}, 4, (const char *const[]){"p", "q"},
              2);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    fit_prep(&b, t, &(heft_prep_spec){0});
    other = new_table(&b, 4, 2);
    put_numbers(&other->cols[0], "x", x, 4);
    put_codes(&b, &other->cols[1], "v", (const int[]){0, 1, 1, 0}, 4,
              (const char *const[]){"p", "q"}, 2);
    put_target(&b, other, (const int[]){0, 1, 2, -1}, (const char *const[]){"b", "a", "z"}, 3);
    apply(&b, other, &out);
    const uint16_t y[] = {1, 0, 2, 2};
    assert_memory_equal(out.rows.y, y, sizeof y);
    assert_int_equal(out.rows.n_class, 2);
    heft_prepared_clear(&out);
    heft_table_free(other);
    other = new_table(&b, 4, 1);
    put_numbers(&other->cols[0], "x", x, 4);
    other->target = heft_alloc0(1, sizeof *other->target);
    put_codes(&b, other->target, "v", (const int[]){1, 1, 0, -1}, 4,
              (const char *const[]){"q", "p"}, 2);
    apply(&b, other, &out);
    assert_null(out.rows.y);
    const double codes[] = {0, 0, 1, 2};
    for (size_t i = 0; i < 4; i++) assert_true(cell_of(&out.rows, 1, i) == codes[i]);
    heft_prepared_clear(&out);
    heft_table_free(other);
    heft_table_free(t);
    close_bench(&b);
}

static void a_table_made_of_prepared_rows_is_whole(void **state)
{
    /* Its cells are the prepared ones, its texts those of the codes, its target and weights the
     * table's; prepared again without options nothing changes. */
    (void)state;
    bench    b, again;
    heft_rng rng;
    open_bench(&b, 1);
    open_bench(&again, 1);
    heft_rng_init(&rng, 27, 0);
    for (int t = 0; t < 60; t++) {
        const heft_prep_spec spec = draw_spec(&rng);
        heft_table          *dense = draw_table(&b, &rng, 40, 6, t % 2, 0.4), *made;
        heft_table       *sparse = sparsify(&b, dense), *other = disguise(&b, &rng, dense, false);
        heft_table *const use[] = {dense, sparse, other};
        fit_prep(&b, t % 4 == 0 ? sparse : dense, &spec);
        for (size_t k = 0; k < 3; k++) {
            heft_prepared rows, twice;
            assert_int_equal(heft_prep_table(&b.ctx, &b.prep, use[k], &made), HEFT_OK);
            assert_int_equal(heft_table_check(&b.ctx, made), HEFT_OK);
            assert_int_equal(made->sparse != NULL, b.prep.sparse);
            apply(&b, use[k], &rows);
            fit_prep(&again, made, &(heft_prep_spec){0});
            apply(&again, made, &twice);
            for (size_t j = 0; j < 6; j++)
                for (size_t i = 0; i < 40; i++) {
                    const double   x = cell_of(&rows.rows, j, i), z = cell_of(&twice.rows, j, i);
                    const uint32_t n_codes = rows.attr[j].n_codes;
                    char           text[96];
                    if (!rows.attr[j].coded) {
                        same_number(z, x);
                    } else if (x >= n_codes) {
                        assert_true(z == n_codes);
                    } else {
                        assert_true(z == x);
                        heft_prep_value(&b.prep, j, (uint32_t)x, text, sizeof text);
                        assert_string_equal(text, heft_dict_text(made->cols[j].dict, (uint32_t)z));
                    }
                }
            assert_true(heft_dict_equal(made->target->dict, use[k]->target->dict));
            assert_memory_equal(made->target->cells, use[k]->target->cells, 40);
            assert_int_equal(made->weight != NULL, use[k]->weight != NULL);
            if (made->weight) assert_memory_equal(made->weight, use[k]->weight, 40 * 8);
            heft_prepared_clear(&rows);
            heft_prepared_clear(&twice);
            heft_table_free(made);
        }
        heft_table_free(dense);
        heft_table_free(sparse);
        heft_table_free(other);
    }
    close_bench(&b);
    close_bench(&again);
}

static void intervals_read_like_weka(void **state)
{
    /* (-inf-5.5], (5.5-7], (7-inf), and All for a column that is not cut. */
    (void)state;
    bench        b;
    const double x[] = {4, 7, 5.5, 8.5}, same[] = {1, 1, 1, 1};
    char         text[64];
    heft_table  *t;
    open_bench(&b, 1);
    t = new_table(&b, 4, 2);
    put_numbers(&t->cols[0], "x", x, 4);
    put_numbers(&t->cols[1], "same", same, 4);
    put_target(&b, t, (const int[]){0, 1, 0, 1}, (const char *const[]){"a", "b"}, 2);
    fit_prep(&b, t, &(heft_prep_spec){.cutting = HEFT_CUT_WIDTH, .bins = 3});
    assert_string_equal(heft_prep_value(&b.prep, 0, 0, text, sizeof text), "(-inf-5.5]");
    assert_string_equal(heft_prep_value(&b.prep, 0, 1, text, sizeof text), "(5.5-7]");
    assert_string_equal(heft_prep_value(&b.prep, 0, 2, text, sizeof text), "(7-inf)");
    assert_string_equal(heft_prep_value(&b.prep, 1, 0, text, sizeof text), "All");
    heft_table_free(t);
    close_bench(&b);
}

static void words_are_read_and_written_alike(void **state)
{
    /* Every description parses back to its spec; NULL keeps what the base says. */
    (void)state;
    bench    b;
    heft_rng rng;
    open_bench(&b, 1);
    heft_rng_init(&rng, 28, 0);
    for (int t = 0; t < 200; t++) {
        heft_prep_spec spec = draw_spec(&rng), base = draw_spec(&rng), out;
        char           text[160], *words[8];
        size_t         n = 0;
        heft_config    config = {.scale = "none", .unseen = "missing"};
        if (t % 5 == 0) spec.mdl_scale = 1;
        heft_prep_describe(&spec, text, sizeof text);
        for (char *w = strtok(text, " "); w && n < 8; w = strtok(NULL, " ")) words[n++] = w;
        for (size_t k = 0; k + 1 < n; k += 2) {
            if (strcmp(words[k], "--impute") == 0) config.impute = words[k + 1];
            if (strcmp(words[k], "--discretize") == 0) config.discretize = words[k + 1];
            if (strcmp(words[k], "--scale") == 0) config.scale = words[k + 1];
            if (strcmp(words[k], "--unseen") == 0) config.unseen = words[k + 1];
        }
        assert_int_equal(heft_prep_parse(&b.ctx, &config, &base, &out), HEFT_OK);
        assert_int_equal(out.impute, spec.impute);
        assert_int_equal(out.cutting, spec.cutting);
        assert_int_equal(out.scaling, spec.scaling);
        assert_int_equal(out.unseen_zero, spec.unseen_zero);
        if (spec.cutting == HEFT_CUT_MDL) assert_true(out.mdl_scale == spec.mdl_scale);
        if (spec.cutting == HEFT_CUT_WIDTH) assert_int_equal(out.bins, spec.bins);
        assert_int_equal(heft_prep_parse(&b.ctx, &(heft_config){0}, &spec, &out), HEFT_OK);
        assert_int_equal(out.cutting, spec.cutting);
        assert_int_equal(out.bins, spec.bins);
        assert_int_equal(out.scaling, spec.scaling);
    }
    close_bench(&b);
}

static void wrong_words_are_refused_by_name(void **state)
{
    /* The error names the option, what was given, and what is accepted. */
    (void)state;
    bench             b;
    const char *const cuts[] = {"",          "MDL",     "mdl:",         "mdl:0",     "mdl:-1",
                                "mdl:x",     "width",   "width:",       "width:1",   "width:0",
                                "width:2.5", "width:a", "width:65536",  "none:3",    "frequency",
                                "mdl:1e999", "mdl:nan", "frequency:-2", "width:10 ", " mdl"};
    heft_prep_spec    out = {.bins = 77};
    open_bench(&b, 1);
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        const heft_config config = {.discretize = cuts[k]};
        assert_int_equal(heft_prep_parse(&b.ctx, &config, &(heft_prep_spec){0}, &out), HEFT_EINVAL);
        assert_non_null(strstr(b.err.text, "--discretize"));
        assert_non_null(strstr(b.err.text, cuts[k]));
        assert_int_equal(out.bins, 77);
    }
    const heft_config wrong[] = {{.impute = "median"}, {.scale = "log"}, {.unseen = "maybe"}};
    const char *const said[][3] = {{"--impute", "median", "none, mean"},
                                   {"--scale", "log", "minmax, unit"},
                                   {"--unseen", "maybe", "missing, zero"}};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(heft_prep_parse(&b.ctx, &wrong[k], &(heft_prep_spec){0}, &out),
                         HEFT_EINVAL);
        for (size_t i = 0; i < 3; i++) assert_non_null(strstr(b.err.text, said[k][i]));
    }
    const heft_config good[] = {{.discretize = "width:2"},
                                {.discretize = "frequency:65535"},
                                {.discretize = "mdl:0.6"},
                                {.scale = "range"}};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(heft_prep_parse(&b.ctx, &good[k], &(heft_prep_spec){0}, &out), HEFT_OK);
    close_bench(&b);
}

static void memory_may_run_out_anywhere(void **state)
{
    /* The n-th allocation fails, for every n, while learning, applying and making a table, dense
     * and sparse: ENOMEM, and nothing lost. */
    (void)state;
    bench    b;
    heft_rng rng;
    open_bench(&b, 1);
    heft_rng_init(&rng, 29, 0);
    heft_table *dense = draw_table(&b, &rng, 60, 5, true, 0.4), *sparse = sparsify(&b, dense);
    heft_table *other = disguise(&b, &rng, dense, false), *thin = sparsify(&b, other);
    for (int t = 0; t < 8; t++) {
        const heft_prep_spec spec = {.impute = t % 2,
                                     .cutting = t < 4 ? HEFT_CUT_MDL : HEFT_CUT_NONE,
                                     .mdl_scale = 0.2,
                                     .scaling = HEFT_SCALE_UNIT};
        heft_status          st = HEFT_ENOMEM;
        for (size_t n = 1; st != HEFT_OK; n++) {
            heft_prepared out = {0};
            heft_table   *made = NULL;
            heft_prep_clear(&b.prep);
            heft_arena_clear(&b.arena);
            heft_ctx_clear(&b.ctx);
            heft_fail_alloc_at(n, true);
            st = heft_prep_fit(&b.ctx, t % 4 < 2 ? dense : sparse, &spec, &b.arena, &b.prep);
            if (st == HEFT_OK) st = heft_prep_apply(&b.ctx, &b.prep, t % 3 ? thin : other, &out);
            heft_prepared_clear(&out);
            if (st == HEFT_OK) st = heft_prep_table(&b.ctx, &b.prep, t % 3 ? sparse : other, &made);
            heft_fail_alloc_at(0, false);
            assert_true(st == HEFT_OK || (st == HEFT_ENOMEM && !made));
            if (n == 1) assert_int_equal(st, HEFT_ENOMEM);
            heft_table_free(made);
        }
    }
    heft_table_free(dense);
    heft_table_free(sparse);
    heft_table_free(other);
    heft_table_free(thin);
    close_bench(&b);
}

static void empty_tables_are_legal(void **state)
{
    /* No rows, or no attributes: nothing to learn, nothing to prepare, no failure. */
    (void)state;
    bench         b;
    heft_rng      rng;
    heft_prepared out;
    heft_table   *made;
    open_bench(&b, 2);
    heft_rng_init(&rng, 30, 0);
    for (int t = 0; t < 40; t++) {
        const heft_prep_spec spec = draw_spec(&rng);
        heft_table *table = draw_table(&b, &rng, t % 2 ? 0 : 5, t % 2 ? 4 : 0, t % 3 == 0, 0);
        heft_table *thin = sparsify(&b, table);
        fit_prep(&b, t % 4 < 2 ? table : thin, &spec);
        apply(&b, t % 8 < 4 ? table : thin, &out);
        heft_prepared_clear(&out);
        assert_int_equal(heft_prep_table(&b.ctx, &b.prep, thin, &made), HEFT_OK);
        heft_table_free(made);
        heft_table_free(table);
        heft_table_free(thin);
    }
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply_equals_its_slow_twin),
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
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(numbers_are_matched_to_nominal_values_by_text),
        cmocka_unit_test(classes_are_matched_by_text),
        cmocka_unit_test(a_table_made_of_prepared_rows_is_whole),
        cmocka_unit_test(intervals_read_like_weka),
        cmocka_unit_test(words_are_read_and_written_alike),
        cmocka_unit_test(wrong_words_are_refused_by_name),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(empty_tables_are_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
