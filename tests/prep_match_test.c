/* prep_match_test.c - preparation and what is given to it: other tables, wrong words, no memory. */
#include "preparing.h"

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
        heft_prep_spec  spec = draw_spec(&rng), base = draw_spec(&rng), out;
        heft_prep_words words;
        if (t % 5 == 0) spec.mdl_scale = 1;
        heft_prep_describe(&spec, &words);
        const heft_config config = {.impute = words.impute,
                                    .discretize = words.discretize,
                                    .scale = words.scale,
                                    .unseen = words.unseen};
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
        assert_non_null(strstr(b.err.text, "heft_config.discretize: "));
        assert_non_null(strstr(b.err.text, cuts[k]));
        assert_int_equal(out.bins, 77);
    }
    const heft_config wrong[] = {{.impute = "median"}, {.scale = "log"}, {.unseen = "maybe"}};
    const char *const said[][3] = {{"heft_config.impute: ", "median", "none, mean"},
                                   {"heft_config.scale: ", "log", "none, minmax, range, unit"},
                                   {"heft_config.unseen: ", "maybe", "missing, zero"}};
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
