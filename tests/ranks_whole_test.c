/* ranks_whole_test.c - what needs all rows in one place, and selection and calibration, which do
 * not: on several ranks every byte is that of one process. */
#include "ranked.h"

#include "methods/registry.h"

/* ---- all rows in one place ---- */

/* What cannot be spread out is fitted by one rank, of the rows of all: every byte of the model is
 * that of one process, on every rank. */
static void whole_fits_are_identical(void **state)
{
    static cells             t;
    static const heft_config ways[] = {
        {.method = "auto"},
        {.method = "auto"},
        {.method = "cfwnb", .discretize = "mdl", .impute = "mean"},
        {.method = "lcwnb", .discretize = "width:5", .impute = "mean", .calibrate = "vector"}};
    (void)state;
    fill_cells(&t, true);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const bool  weights = k == 0; /* and gaps, and values that only some ranks have */
        heft_table *whole = rows_between(&t, 0, ROWS, weights);
        heft_model *one;
        OK(heft_fit(whole, &ways[k], &one, &err));
        for (int size = 2; size <= 4; size += 2) {
            fits f = {.config = ways[k], .memory = k == 1 ? (size_t)64 << 20 : 0};
            take_apart(&t, size, weights, &f);
            ranks_run(size, fit_rank, &f);
            for (int r = 0; r < size; r++) {
                if (f.status[r] != HEFT_OK) fail_msg("%s: %s", ways[k].method, f.err[r].text);
                assert_false(heft_model_is_spread(f.model[r]));
                same_file(one, f.model[r]);
            }
            clear_fits(&f, size);
        }
        heft_model_free(one);
        heft_table_free(whole);
    }
}

/* Every byte of the model of one process; what a rank shows the others at once takes at most `most`
 * bytes. */
static void same_on_ranks(const cells *t, const heft_config *config, bool weights, size_t most)
{
    heft_table *whole = rows_between(t, 0, ROWS, weights);
    heft_model *one;
    OK(heft_fit(whole, config, &one, &err));
    for (int size = 2; size <= 4; size++) {
        fits f = {.config = *config};
        take_apart(t, size, weights, &f);
        const ranks all = ranks_watch(size, fit_rank, &f);
        for (int r = 0; r < size; r++) {
            if (f.status[r] != HEFT_OK) fail_msg("%s: %s", config->method, f.err[r].text);
            same_file(one, f.model[r]);
        }
        if (all.largest > most) fail_msg("%s: %zu bytes at once", config->method, all.largest);
        clear_fits(&f, size);
    }
    heft_model_free(one);
    heft_table_free(whole);
}

/* Selected attributes come from counts of pairs: with gaps, with whole weights. Weights that are no
 * whole numbers are brought to one rank, because sums of them depend on the order. */
static void cfs_is_spread(void **state)
{
    static cells      t;
    const heft_config full = {
        .method = "nb", .discretize = "width:5", .impute = "mean", .select = "cfs"};
    const heft_config gaps = {.method = "nb", .discretize = "width:3", .select = "cfs"};
    (void)state;
    fill_cells(&t, true);
    same_on_ranks(&t, &full, false, 4096);
    same_on_ranks(&t, &gaps, false, 4096);
    same_on_ranks(&t, &full, true, SIZE_MAX);
    for (size_t i = 0; i < ROWS; i++) t.weight[i] = 1 + (double)(i % 3);
    same_on_ranks(&t, &gaps, true, 4096);
}

enum { MANY_CODES = 220 };

static heft_table *many_between(size_t lo, size_t hi)
{
    static char                  text[MANY_CODES][8];
    static const char           *values[MANY_CODES];
    static _Thread_local int32_t code[3][ROWS];
    heft_table                  *table;
    for (size_t v = 0; v < MANY_CODES; v++) {
        snprintf(text[v], sizeof text[v], "v%03zu", v);
        values[v] = text[v];
    }
    for (size_t i = 0; i < ROWS; i++) {
        code[0][i] = (int32_t)(i * i % MANY_CODES);
        code[1][i] = (int32_t)((i * 7 + (size_t)code[0][i] % 5) % MANY_CODES);
        code[2][i] = (code[0][i] % 3 + code[1][i] % 2) % 2;
    }
    OK(heft_table_create(hi - lo, &table, &err));
    OK(heft_table_add_codes(table, "a", code[0] + lo, 1, values, MANY_CODES, &err));
    OK(heft_table_add_codes(table, "b", code[1] + lo, 1, values, MANY_CODES, &err));
    OK(heft_table_set_target(table, "class", code[2] + lo, class_names, 2, &err));
    return table;
}

/* Two attributes of so many values that their table would be larger than the rows. */
static void cfs_of_many_values(void **state)
{
    heft_table *whole = many_between(0, ROWS);
    heft_model *one;
    fits        f = {.config = {.method = "nb", .select = "cfs"}};
    (void)state;
    OK(heft_fit(whole, &f.config, &one, &err));
    f.part[0] = many_between(0, 0), f.part[1] = many_between(0, 903);
    f.part[2] = many_between(903, ROWS);
    ranks_run(3, fit_rank, &f);
    for (int r = 0; r < 3; r++) {
        if (f.status[r] != HEFT_OK) fail_msg("%s", f.err[r].text);
        same_file(one, f.model[r]);
    }
    clear_fits(&f, 3);
    heft_model_free(one);
    heft_table_free(whole);
}

/* Held-out folds are dealt over all ranks, and scored where they are. */
static void calibration_is_spread(void **state)
{
    static cells             t;
    static const heft_config ways[] = {
        {.method = "nb", .discretize = "width:5", .calibrate = "temperature"},
        {.method = "nb",
         .discretize = "mdl",
         .impute = "mean",
         .calibrate = "vector",
         .select = "cfs"},
        {.method = "rnb", .discretize = "width:4", .calibrate = "temperature"},
        {.method = "aode", .discretize = "width:4", .impute = "mean", .calibrate = "vector"}};
    (void)state;
    fill_cells(&t, true);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        same_on_ranks(&t, &ways[k], false, SIZE_MAX);
}

/* Sums of weights that are no whole numbers have other last digits on several ranks, and so has
 * what is learned from them. */
static void sparse_rows_are_calibrated(void **state)
{
    heft_table *whole = sparse_between(0, ROWS);
    double     *p = calloc((size_t)2 * ROWS * CLASSES, sizeof *p), *q = p + (size_t)ROWS * CLASSES;
    (void)state;
    for (int way = 0; way < 2; way++) {
        heft_model *one;
        fits        f = {.config = {.method = "nb",
                                    .discretize = "none",
                                    .calibrate = "temperature",
                                    .tune = "mcc",
                                    .class_weight = way ? "balanced" : NULL}};
        OK(heft_fit(whole, &f.config, &one, &err));
        f.part[0] = sparse_between(0, 0), f.part[1] = sparse_between(0, 701);
        f.part[2] = sparse_between(701, ROWS);
        ranks_run(3, fit_rank, &f);
        OK(heft_predict_proba(one, whole, p, &err));
        for (int r = 0; r < 3; r++) {
            if (f.status[r] != HEFT_OK) fail_msg("%s", f.err[r].text);
            if (way == 0) same_file(one, f.model[r]);
            OK(heft_predict_proba(f.model[r], whole, q, &err));
            for (size_t k = 0; k < (size_t)ROWS * 2; k++) assert_true(fabs(p[k] - q[k]) < 1e-12);
            assert_true(one->decision.kind == HEFT_THRESHOLD);
            assert_true(fabs(one->decision.threshold - f.model[r]->decision.threshold) < 1e-12);
        }
        clear_fits(&f, 3);
        heft_model_free(one);
    }
    free(p);
    heft_table_free(whole);
}

/* A table of so many rows that nobody looks at: pages that are not touched cost nothing. */
static heft_table *huge_table(size_t n_rows)
{
    static const char *const two[] = {"a", "b"};
    static const int32_t     y[] = {0, 1};
    heft_table              *table;
    OK(heft_table_create(2, &table, &err));
    OK(heft_table_add_numbers(table, "x", (const double[]){1, 2}, 1, &err));
    OK(heft_table_set_target(table, "class", y, two, 2, &err));
    for (int k = 0; k < 2; k++) {
        heft_column *col = k ? table->target : &table->cols[0];
        void        *room = calloc(n_rows, col->width);
        assert_non_null(room);
        memcpy(room, col->cells, 2 * col->width);
        heft_free(col->cells);
        col->cells = room;
        col->borrowed = true;
    }
    table->n_rows = n_rows;
    return table;
}

/* Above a gigabyte rows are not brought together unasked. */
static void too_many_rows_are_refused(void **state)
{
    static const heft_config ways[] = {{.method = "cfwnb"},
                                       {.method = "lcwnb", .calibrate = "temperature"}};
    static const char *const text[] = {"method cfwnb needs all rows on one rank",
                                       "heft_config.calibrate needs all rows on one rank"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        fits  f = {.config = ways[k]};
        void *room[4];
        for (int r = 0; r < 2; r++) {
            f.part[r] = huge_table((size_t)75000000);
            room[2 * r] = f.part[r]->cols[0].cells, room[2 * r + 1] = f.part[r]->target->cells;
        }
        ranks_run(2, fit_rank, &f);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(f.status[r], HEFT_EUNSUPPORTED);
            if (!strstr(f.err[r].text, text[k]) || !strstr(f.err[r].text, "heft_runtime.memory"))
                fail_msg("%s", f.err[r].text);
        }
        clear_fits(&f, 2);
        for (int c = 0; c < 4; c++) free(room[c]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_fits_are_identical),   cmocka_unit_test(cfs_is_spread),
        cmocka_unit_test(cfs_of_many_values),         cmocka_unit_test(calibration_is_spread),
        cmocka_unit_test(sparse_rows_are_calibrated), cmocka_unit_test(too_many_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
