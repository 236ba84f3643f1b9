/* table_test.c - dictionaries and tables. */
#include "fixture.h"

#include "data/table.h"

/* Codes come in order of arrival, look-ups find them, also among many. */
static void dictionaries_keep_their_order(void **state)
{
    (void)state;
    heft_ctx   ctx;
    heft_dict *dict;
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    OK(heft_dict_create(&ctx, &dict));
    for (uint32_t k = 0; k < 20000; k++) {
        char      text[32];
        uint32_t  code;
        const int length = snprintf(text, sizeof text, "value %u", k * 7919u % 20000u);
        OK(heft_dict_add(&ctx, dict, text, (size_t)length, &code));
        assert_int_equal(code, k);
        OK(heft_dict_add(&ctx, dict, text, (size_t)length, &code));
        assert_int_equal(code, k);
    }
    assert_int_equal(heft_dict_size(dict), 20000);
    assert_int_equal(heft_dict_find(dict, "value 7919", 10), 1);
    assert_int_equal(heft_dict_find(dict, "value", 5), HEFT_DICT_NONE);
    assert_string_equal(heft_dict_text(dict, 1), "value 7919");
    heft_dict_free(dict);
    heft_ctx_clear(&ctx);
}

/* Sorting is by number when all values are numbers, else by bytes; different texts stay different.
 */
static void dictionaries_sort(void **state)
{
    (void)state;
    heft_ctx          ctx;
    const char *const numbers[] = {"10", "9", "-1", "1.0", "1"}, *const words[] = {"b", "10", "",
                                                                                   "a"};
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    for (int round = 0; round < 2; round++) {
        heft_dict         *dict, *sorted;
        uint32_t           code, to[5];
        const char *const *given = round ? words : numbers;
        const size_t       n = round ? 4 : 5;
        OK(heft_dict_create(&ctx, &dict));
        for (size_t k = 0; k < n; k++)
            OK(heft_dict_add(&ctx, dict, given[k], strlen(given[k]), &code));
        OK(heft_dict_sorted(&ctx, dict, &sorted, to));
        static const char *const by_number[] = {"-1", "1", "1.0", "9", "10"};
        static const char *const by_bytes[] = {"", "10", "a", "b"};
        for (uint32_t k = 0; k < n; k++)
            assert_string_equal(heft_dict_text(sorted, k), round ? by_bytes[k] : by_number[k]);
        for (uint32_t k = 0; k < n; k++)
            assert_string_equal(heft_dict_text(sorted, to[k]), given[k]);
        assert_false(heft_dict_equal(dict, sorted));
        heft_dict_free(dict), heft_dict_free(sorted);
    }
    heft_ctx_clear(&ctx);
}

static heft_table *small_table(void)
{
    const double      x[] = {1, NAN, 3, 4};
    const int32_t     v[] = {0, 1, -1, 2}, y[] = {1, 0, 1, -1};
    const char *const values[] = {"p", "q", "r"}, *const classes[] = {"no", "yes"};
    const double w[] = {1, 2, 0, 0.5};
    heft_table  *t;
    OK(heft_table_create(4, &t, &err));
    OK(heft_table_add_numbers(t, "x", x, 1, &err));
    OK(heft_table_add_codes(t, "v", v, 1, values, 3, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    OK(heft_table_set_weights(t, w, &err));
    return t;
}

/* Rows taken in any order, also twice, carry cells, classes, weights and missing counts along. */
static void rows_can_be_taken(void **state)
{
    (void)state;
    heft_ctx     ctx;
    heft_table  *t = small_table(), *part;
    const size_t rows[] = {3, 1, 1};
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    OK(heft_table_check(&ctx, t));
    OK(heft_table_take(&ctx, t, rows, 3, &part));
    OK(heft_table_check(&ctx, part));
    assert_int_equal(part->n_rows, 3);
    assert_true(((double *)part->cols[0].cells)[0] == 4 &&
                isnan(((double *)part->cols[0].cells)[2]));
    assert_int_equal(part->cols[0].n_missing, 2);
    assert_int_equal(heft_code_at(part->cols[1].cells, 1, 1), 1);
    assert_int_equal(heft_table_class(part, 0), -1);
    assert_int_equal(heft_table_class(part, 1), 0);
    assert_true(part->weight[0] == 0.5 && part->weight[2] == 2);
    heft_table_free(part);
    const size_t cols[] = {1};
    OK(heft_table_keep(&ctx, t, cols, 1, &part));
    OK(heft_table_check(&ctx, part));
    assert_string_equal(part->cols[0].name, "v");
    heft_table_free(part), heft_table_free(t);
    heft_ctx_clear(&ctx);
}

/* A sparse table and its dense copy hold the same cells, after taking rows and columns too. */
static void sparse_tables_are_dense_ones(void **state)
{
    (void)state;
    heft_ctx       ctx;
    heft_table    *t, *part, *few, *dense;
    const size_t   start[] = {0, 2, 2, 5}, rows[] = {2, 0}, cols[] = {1, 3};
    const uint32_t col[] = {0, 3, 1, 2, 3};
    const double   val[] = {1.5, -2, 7, NAN, 0};
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    OK(heft_table_create(3, &t, &err));
    OK(heft_table_add_sparse(t, 4, start, col, val, NULL, &err));
    assert_string_equal(table_column(t, 3), "c4");
    OK(heft_table_take(&ctx, t, rows, 2, &part));
    OK(heft_table_check(&ctx, part));
    OK(heft_table_keep(&ctx, part, cols, 2, &few));
    OK(heft_table_check(&ctx, few));
    OK(heft_table_densify(&ctx, few, &dense));
    OK(heft_table_check(&ctx, dense));
    assert_true(((double *)dense->cols[0].cells)[0] == 7 &&
                ((double *)dense->cols[0].cells)[1] == 0);
    assert_true(((double *)dense->cols[1].cells)[0] == 0 &&
                ((double *)dense->cols[1].cells)[1] == -2);
    heft_table_free(t), heft_table_free(part), heft_table_free(few), heft_table_free(dense);
    heft_ctx_clear(&ctx);
}

/* What cannot be a table is refused when it is built. */
static void bad_columns_are_refused(void **state)
{
    (void)state;
    heft_table       *t = small_table();
    const double      inf[] = {1, INFINITY, 2, 3}, negative[] = {1, -1, 1, 1};
    const int32_t     codes[] = {0, 0, 0, 0};
    const char *const twice[] = {"a", "a"};
    assert_int_equal(heft_table_add_numbers(t, "x", inf, 1, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_add_numbers(t, "z", inf, 1, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "row 2"));
    assert_int_equal(heft_table_add_codes(t, "z", codes, 1, twice, 2, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_set_weights(t, negative, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_set_target(t, "again", codes, twice, 1, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_attributes(t), 2);
    heft_table_free(t);
    const size_t   start[] = {0, 2};
    const uint32_t unordered[] = {3, 1};
    const double   val[] = {1, 1};
    OK(heft_table_create(1, &t, &err));
    assert_int_equal(heft_table_add_sparse(t, 4, start, unordered, val, NULL, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_attributes(t), 0);
    heft_table_free(t);
}

/* Listed values are declared; on request they become those of the rows, as in a file. */
static void values_become_those_of_rows(void **state)
{
    (void)state;
    static const char *const values[] = {"never", "10", "9", "200"}, *const classes[] = {"b", "a"};
    static const int32_t codes[] = {1, 3, -1, 2, 3}, y[] = {0, 1, 0, 1, 0};
    for (int asked = 0; asked < 2; asked++) {
        heft_table *t = NULL;
        heft_model *model = NULL;
        char        text[32];
        OK(heft_table_create(5, &t, &err));
        OK(heft_table_add_codes(t, "v", codes, 1, values, 4, &err));
        OK(heft_table_set_target(t, "class", y, classes, 2, &err));
        if (asked) OK(heft_table_values_of_rows(t, &err));
        assert_int_equal(heft_dict_size(t->cols[0].dict), asked ? 3 : 4);
        assert_int_equal(t->cols[0].n_missing, 1);
        assert_string_equal(heft_table_value(t, 0, 0), asked ? "9" : "never");
        double cells[5];
        OK(heft_table_cells(t, 0, cells, &err));
        assert_true(isnan(cells[2]) && cells[3] == (asked ? 0 : 2) && cells[4] == (asked ? 2 : 3));
        assert_string_equal(heft_table_class_name(t, 0), "b"); /* classes stay as they are */
        OK(heft_fit(t, &(heft_config){.method = "nb"}, &model, &err));
        assert_int_equal(heft_model_value(model, 0, 3, text, sizeof text), asked ? 0 : 3);
        heft_model_free(model);
        heft_table_free(t);
    }
    assert_int_equal(heft_table_values_of_rows(NULL, &err), HEFT_EINVAL);
}

/* A matrix of either order, also one read backwards, is the same table as its columns one by one.
 */
static void a_matrix_is_its_columns(void **state)
{
    (void)state;
    enum { N = 150, P = 5 };
    static double     by_row[N * P], by_col[N * P];
    const char *const names[P] = {"c1", "c2", "c3", "c4", "c5"};
    heft_rng          rng;
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < P; j++)
            by_row[i * P + j] = by_col[j * N + i] =
                heft_rng_below(&rng, 9) ? heft_rng_real(&rng) : NAN;
    for (int way = 0; way < 3; way++) {
        heft_table *one, *all;
        OK(heft_table_create(N, &one, &err));
        OK(heft_table_create(N, &all, &err));
        for (size_t j = 0; j < P; j++) {
            const size_t at = way == 2 ? P - 1 - j : j;
            OK(heft_table_add_numbers(one, names[j], by_col + at * N, 1, &err));
        }
        if (way == 0) OK(heft_table_add_matrix(all, MATRIX(N, P, by_row, P, 1, NULL), false, &err));
        if (way == 1)
            OK(heft_table_add_matrix(all, MATRIX(N, P, by_col, 1, N, names), false, &err));
        if (way == 2)
            OK(heft_table_add_matrix(all, MATRIX(N, P, by_row + P - 1, P, -1, NULL), false, &err));
        OK(heft_table_add_numbers(one, "more", by_row, 1, &err));
        OK(heft_table_add_numbers(all, "more", by_row, 1, &err));
        assert_int_equal(all->n_cols, one->n_cols);
        for (size_t j = 0; j < one->n_cols; j++) {
            assert_string_equal(all->cols[j].name, one->cols[j].name);
            assert_int_equal(all->cols[j].n_missing, one->cols[j].n_missing);
            assert_memory_equal(all->cols[j].cells, one->cols[j].cells, N * sizeof(double));
        }
        heft_table_free(one), heft_table_free(all);
    }
}

/* A matrix with an infinity, or names that are taken, adds nothing. */
static void a_bad_matrix_is_refused(void **state)
{
    (void)state;
    const double      cells[] = {1, 2, 3, INFINITY};
    const char *const twice[] = {"a", "a"}, *const taken[] = {"x", "b"}, *const none[] = {"a", ""};
    heft_table *t;
    OK(heft_table_create(2, &t, &err));
    OK(heft_table_add_numbers(t, "x", cells, 1, &err));
    assert_int_equal(heft_table_add_matrix(t, MATRIX(2, 2, cells, 2, 1, NULL), false, &err),
                     HEFT_EINVAL);
    assert_non_null(strstr(err.text, "'c2', row 2"));
    assert_int_equal(heft_table_add_matrix(t, MATRIX(2, 2, cells, 1, 1, twice), false, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_table_add_matrix(t, MATRIX(2, 2, cells, 1, 1, taken), false, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_table_add_matrix(t, MATRIX(2, 2, cells, 1, 1, none), false, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_table_add_matrix(t, MATRIX(2, 2, NULL, 1, 1, NULL), false, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_table_add_matrix(NULL, MATRIX(2, 2, cells, 1, 1, NULL), false, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_table_add_matrix(t, MATRIX(3, 1, cells, 1, 1, NULL), false, &err),
                     HEFT_EINVAL);
    assert_non_null(
        strstr(err.text, "the matrix and the table differ in their number of rows: 3 and 2"));
    assert_int_equal(heft_table_attributes(t), 1);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dictionaries_keep_their_order),
        cmocka_unit_test(dictionaries_sort),
        cmocka_unit_test(rows_can_be_taken),
        cmocka_unit_test(sparse_tables_are_dense_ones),
        cmocka_unit_test(bad_columns_are_refused),
        cmocka_unit_test(values_become_those_of_rows),
        cmocka_unit_test(a_matrix_is_its_columns),
        cmocka_unit_test(a_bad_matrix_is_refused),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
