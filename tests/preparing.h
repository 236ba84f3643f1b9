/* preparing.h - tables and preparations for prep_test.c and prep_match_test.c. */
#ifndef PREPARING_H
#define PREPARING_H

#include "fixture.h"

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

static inline void hear(void *user, heft_level level, const char *text)
{
    (void)level;
    snprintf(((bench *)user)->heard, sizeof((bench *)user)->heard, "%s", text);
}

static inline void open_bench(bench *b, int threads)
{
    memset(b, 0, sizeof *b);
    b->host = (heft_host){.log = hear, .user = b};
    heft_ctx_init(&b->ctx, &b->err, threads, 1, &b->host);
}

static inline void close_bench(bench *b)
{
    heft_prep_clear(&b->prep);
    heft_arena_clear(&b->arena);
    heft_ctx_clear(&b->ctx);
}

static inline void fit_prep(bench *b, const heft_table *table, const heft_prep_spec *spec)
{
    heft_prep_clear(&b->prep);
    assert_int_equal(heft_prep_fit(&b->ctx, table, spec, &b->arena, &b->prep), HEFT_OK);
}

static inline void apply(bench *b, const heft_table *table, heft_prepared *out)
{
    assert_int_equal(heft_prep_apply(&b->ctx, &b->prep, table, out), HEFT_OK);
    assert_null(b->ctx.scratch.last); /* nothing is left behind */
}

/* ---- tables ---- */

static inline heft_table *new_table(bench *b, size_t n_rows, size_t n_cols)
{
    heft_table *table;
    assert_int_equal(heft_table_new(&b->ctx, n_rows, n_cols, &table), HEFT_OK);
    table->name = heft_copy_text("data");
    return table;
}

static inline heft_dict *new_dict(bench *b, const char *const *values, size_t n)
{
    heft_dict *dict;
    uint32_t   code;
    assert_int_equal(heft_dict_create(&b->ctx, &dict), HEFT_OK);
    for (size_t v = 0; v < n; v++)
        assert_int_equal(heft_dict_add(&b->ctx, dict, values[v], strlen(values[v]), &code), 0);
    return dict;
}

static inline void put_numbers(heft_column *col, const char *name, const double *x, size_t n)
{
    col->name = heft_copy_text(name);
    col->kind = HEFT_NUMERIC;
    col->width = 8;
    col->cells = heft_alloc(n, 8);
    memcpy(col->cells, x, n * 8);
    for (size_t i = 0; i < n; i++) col->n_missing += isnan(x[i]) != 0;
}

/* A code < 0 is missing. */
static inline void put_codes(bench *b, heft_column *col, const char *name, const int *codes,
                             size_t n, const char *const *values, size_t n_values)
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

static inline void put_target(bench *b, heft_table *table, const int *codes,
                              const char *const *values, size_t n_values)
{
    table->target = heft_alloc0(1, sizeof *table->target);
    put_codes(b, table->target, "class", codes, table->n_rows, values, n_values);
}

static inline void put_weights(heft_table *table, const double *w)
{
    table->weight = heft_alloc(table->n_rows, 8);
    memcpy(table->weight, w, table->n_rows * 8);
}

/* A table as random as tables get. Columns x0.. are numbers with ties, zeros and missing cells;
 * v1, v3, ... are nominal, of 1 to 300 values. */
static inline heft_table *draw_table(bench *b, heft_rng *rng, size_t n, size_t m, bool weights,
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
static inline double raw_of(const heft_table *table, size_t j, size_t i)
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
static inline heft_table *sparsify(bench *b, const heft_table *dense)
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
static inline heft_table *disguise(bench *b, heft_rng *rng, const heft_table *from, bool lose_one)
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

static inline double cell_of(const heft_rows *rows, size_t j, size_t i)
{
    const heft_attr *a = &rows->attr[j];
    if (rows->sparse) {
        for (size_t k = rows->sparse->start[i]; k < rows->sparse->start[i + 1]; k++)
            if (rows->sparse->col[k] == j) return rows->sparse->val[k];
        return 0;
    }
    return a->coded ? heft_code_at(a->codes, a->width, i) : a->numbers[i];
}

static inline void same_number(double a, double b)
{
    if (isnan(a) || isnan(b)) assert_true(isnan(a) && isnan(b));
    else assert_true(fabs(a - b) <= 1e-14 * fmax(1, fabs(b)));
}

static inline heft_prep_spec draw_spec(heft_rng *rng)
{
    heft_prep_spec spec = {.impute = heft_rng_below(rng, 2) == 0,
                           .cutting = (heft_cutting)heft_rng_below(rng, 4),
                           .bins = 2 + (size_t)heft_rng_below(rng, 40),
                           .mdl_scale = 0.05 + heft_rng_real(rng),
                           .scaling = (heft_scaling)heft_rng_below(rng, 4),
                           .unseen_zero = heft_rng_below(rng, 2) == 0};
    return spec;
}

#endif
