/* read_libsvm_test.c - LIBSVM rows become a sparse table; what is out of order is refused. */
#include "reading.h"

static const char rows[] =
    "# a comment\n+1 1:0.5 3:-2e-1\t7:1\r\n-1 2:1 # tail\n\n1.0 4:0\n-1\n2 7:3";

/* Labels are classes, entries keep their order, zeros are not stored, columns are c1, c2, ... */
static void rows_are_read(void **state)
{
    (void)state;
    heft_table *t = read_text("a.libsvm", rows, NULL);
    assert_int_equal(t->n_rows, 5);
    assert_int_equal(t->n_cols, 7);
    assert_string_equal(t->cols[6].name, "c7");
    assert_string_equal(t->target->name, "class");
    assert_int_equal(heft_dict_size(t->target->dict), 3);
    assert_string_equal(heft_dict_text(t->target->dict, 0), "-1"); /* in order of number */
    assert_string_equal(class_at(t, 0), "1");
    assert_string_equal(class_at(t, 2), "1"); /* +1 and 1.0 are one label */
    static const size_t start[] = {0, 3, 4, 4, 4, 5};
    assert_memory_equal(t->sparse->start, start, sizeof start);
    assert_true(t->sparse->col[1] == 2 && t->sparse->val[1] == -0.2);
    heft_table_free(t);
    assert_cut_does_not_matter(put_text("a.libsvm", rows), NULL);
    t = read_text("a.svm", "yes 1:1\nno 1:2\n", NULL);
    assert_string_equal(class_at(t, 0), "yes");
    heft_table_free(t);
}

/* Columns can be left out by name, number or range. */
static void columns_can_be_dropped(void **state)
{
    (void)state;
    heft_table *t = read_text("a.libsvm", rows, &(heft_source){.drop = "c3,4-6"});
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[2].name, "c7");
    assert_int_equal(t->sparse->start[5], 4);
    heft_table_free(t);
    refuse_text("a.libsvm", rows, &(heft_source){.drop = "c9"}, HEFT_EINVAL, "c9");
    refuse_text("a.libsvm", rows, &(heft_source){.target = "c2"}, HEFT_EINVAL, "label");
    refuse_text("a.libsvm", rows, &(heft_source){.nominal = "c2"}, HEFT_EUNSUPPORTED,
                "heft_source.nominal");
    refuse_text("a.libsvm", rows, &(heft_source){.weight = "c2"}, HEFT_EUNSUPPORTED,
                "heft_source.weight");
    t = read_text("a.libsvm", rows, &(heft_source){.positive = "2"});
    assert_string_equal(heft_dict_text(t->target->dict, 0), "rest");
    heft_table_free(t);
}

/* For a model all its columns are there, even those that are 0 in every row; labels may be absent.
 */
static void models_find_their_columns(void **state)
{
    (void)state;
    const char *const names[] = {"c2", "c12", "other"};
    const heft_kind   kinds[] = {HEFT_NUMERIC, HEFT_NUMERIC, HEFT_NOMINAL};
    const heft_expect expect = {3, names, kinds, "class", 0, NULL};
    heft_table       *t = read_as(put_text("m.svm", "1:2 3:4\n1 2:5\n"), NULL, &expect);
    assert_int_equal(t->n_cols, 12);
    assert_string_equal(class_at(t, 0), "<missing>");
    heft_table_free(t);
    const heft_kind   nominal[] = {HEFT_NUMERIC, HEFT_NOMINAL, HEFT_NOMINAL};
    const heft_expect other = {3, names, nominal, "class", 0, NULL};
    assert_int_equal(heft_read_table(&ctx, in_folder("m.svm"), NULL, &other, &t),
                     HEFT_EUNSUPPORTED);
}

/* Indices out of order, 0, negative, huge; ranking data; texts that are no numbers: file and line.
 */
static void faults_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"1 1:1\n1 2:1 2:1\n",
         "f.svm:2: '2:1' is out of order: the indices of a row must increase"},
        {"1 1:1\n1 3:1 2:1\n", "f.svm:2: '2:1'"},
        {"1 0:1\n", "f.svm:1: '0:1' has index 0, but indices start at 1"},
        {"1 -1:1\n", "f.svm:1: '-1:1' is not of the form index:value"},
        {"1 2147483647:1\n", "f.svm:1: '2147483647:1' has an index above 16777216 (allow more"},
        {"1 99999999999999999999:1\n", "an index above"},
        {"1 qid:3 1:1\n", "f.svm:1: 'qid:3' marks ranking data"},
        {"1 1:1\n1 2:x\n", "f.svm:2: column 'c2': 'x' is not a number"},
        {"1 2:\n", "f.svm:1: column 'c2': ''"},
        {"1 2:1e999\n", "f.svm:1: column 'c2': '1e999' is too large"},
        {"1 2:inf\n", "too large"},
        {"1 word\n", "f.svm:1: 'word' is not of the form index:value"},
        {"1:2 3:4\n", "f.svm:1: '1:2' is found where the class label should be"},
        {"# nothing\n\n", "no data rows"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        refuse_text("f.svm", cases[k].text, NULL, HEFT_EFORMAT, cases[k].part);
        assert_refusal_does_not_move(in_folder("f.svm"), NULL);
    }
}

/* A wide sparse file costs its entries, not rows times columns. */
static void wide_files_stay_small(void **state)
{
    (void)state;
    heft_buf buf = {0};
    for (int i = 0; i < 20000; i++)
        heft_buf_printf(&buf, "%d %d:1 %d:2\n", i % 2, i + 1, i + 30000);
    heft_table *t = read_as(put_bytes("w.svm", buf.data, buf.length), NULL, NULL);
    heft_buf_clear(&buf);
    assert_int_equal(t->n_cols, 49999);
    assert_int_equal(t->sparse->start[20000], 40000);
    heft_table_free(t);
}

static void no_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_no_memory(put_text("n.svm", rows), &(heft_source){.drop = "c2"});
}

static void damage_is_survived(void **state)
{
    (void)state;
    assert_survives_damage("d.svm", rows, 3000, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(rows_are_read),
        IN_READING(columns_can_be_dropped),
        IN_READING(models_find_their_columns),
        IN_READING(faults_are_located),
        IN_READING(wide_files_stay_small),
        IN_READING(no_memory_is_survived),
        IN_READING(damage_is_survived),
    };
    return cmocka_run_group_tests_name("read_libsvm", tests, NULL, NULL);
}
