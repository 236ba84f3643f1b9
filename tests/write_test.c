/* write_test.c - what is written reads back to the same table. */
#include "reading.h"

static heft_table *round_trip(const heft_table *t, const char *name, const heft_source *how)
{
    const char *path = in_folder(name);
    if (heft_write_table(&ctx, t, path, NULL) != HEFT_OK) fail_msg("%s", err.text);
    return read_as(path, how, NULL);
}

static void assert_round_trip(const heft_table *t, const char *name, const heft_source *how)
{
    heft_table *back = round_trip(t, name, how);
    assert_same_table(t, back);
    heft_table_free(back);
}

static const char hard[] =
    "@relation 'a b'\n"
    "@attribute 'the x, \\'y\\'' numeric\n"
    "@attribute \"50%\" {'a b','c,d','e\\'f','g\"h','50%','{i}','\\\\j','?',' k ','', l}\n"
    "@attribute 'tab\\there' {'two\\nlines','a\\tb', plain}\n"
    "@attribute 'lone' numeric\n"
    "@attribute 'the class' {'no',' yes ','?'}\n"
    "@data\n"
    "0.1,'a b','two\\nlines',?,no,{0.25}\n"
    "-1e-300,'c,d',plain,1e300,' yes '\n"
    "0.30000000000000004,'e\\'f','a\\tb',5e-324,'?'\n"
    "123456789.125,'g\"h',?,-0.1,?\n"
    "?,'50%',plain,1,no\n"
    "1,'{i}',plain,2,no\n"
    "2,'\\\\j',plain,3,no\n"
    "3,'?',plain,4,no\n"
    "4,?,plain,4,no\n"
    "5,' k ',plain,4,no\n"
    "6,'',plain,4,no\n"
    "7,l,plain,1.7976931348623157e308,no,{1e-9}\n";

/* ARFF keeps every name, value, number, missing cell and weight, however quoted. */
static void arff_round_trips(void **state)
{
    (void)state;
    heft_table *t = read_text("a.arff", hard, &(heft_source){.target = "-1"});
    assert_round_trip(t, "b.arff", &(heft_source){.target = "-1"});
    heft_table_free(t);
}

/* CSV and TSV keep names, values, numbers, missing cells and weights. */
static void csv_round_trips(void **state)
{
    (void)state;
    const char *text = "\"x, \"\"1\"\"\",s,w,class\n0.1,\"a,b\",1,p\n-5e-324,\"c\"\"d\",0.5,q\n"
                       "?, ,2,p\n1e300,\"two\nlines\",3,\" q \"\n7,\"tab\there\",4,?\n";
    heft_table *t = read_text("a.csv", text, &(heft_source){.weight = "w"});
    assert_round_trip(t, "b.csv", &(heft_source){.weight = "weight"});
    assert_round_trip(t, "b.tsv", &(heft_source){.weight = "weight"});
    heft_table_free(t);
    t = read_text("a.csv", "weight,w,class\n1,2,a\n3,4,b\n", &(heft_source){.weight = "w"});
    assert_round_trip(t, "b.csv", &(heft_source){.weight = "weight2"});
    heft_table_free(t);
    t = read_text("a.csv", "class\na\n?\nb\n", NULL); /* a blank line would be no row */
    assert_round_trip(t, "b.csv", NULL);
    heft_table_free(t);
    assert_string_equal(said, "");
    t = read_text("a.arff", hard, &(heft_source){.target = "-1"});
    heft_table_free(round_trip(t, "b.csv", NULL));
    assert_non_null(strstr(said, "the value '?' will be read back as missing"));
    heft_table_free(t);
}

static const char sparse[] = "@relation s\n@attribute c1 numeric\n@attribute c2 numeric\n"
                             "@attribute c3 numeric\n@attribute class {2,-1,7}\n@data\n"
                             "{0 1.5,1 -2,3 -1}\n{3 7}\n{1 0.1}\n";

/* Sparse tables are written sparse, as ARFF and as LIBSVM, and dense as CSV. */
static void sparse_tables_round_trip(void **state)
{
    (void)state;
    heft_table *t = read_text("s.arff", sparse, NULL);
    assert_round_trip(t, "t.arff", NULL);
    heft_table *back = round_trip(t, "t.libsvm", NULL);
    assert_int_equal(back->n_cols, 3); /* the last is 0 in all rows */
    assert_int_equal(back->sparse->start[3], 3);
    assert_memory_equal(back->sparse->val, t->sparse->val, 3 * sizeof(double));
    assert_string_equal(class_at(back, 1), "7");
    assert_round_trip(back, "u.libsvm", NULL);
    heft_table_free(back);
    back = round_trip(t, "t.csv", NULL);
    heft_table *dense;
    assert_int_equal(heft_table_densify(&ctx, t, &dense), HEFT_OK);
    for (size_t j = 0; j < 3; j++) assert_same_column(&back->cols[j], &dense->cols[j], 3);
    for (size_t i = 0; i < 3; i++) assert_string_equal(class_at(back, i), class_at(t, i));
    heft_table_free(dense);
    heft_table_free(back);
    heft_table_free(t);
    t = read_text("n.arff",
                  "@attribute a {x,y,'z z'}\n@attribute b numeric\n@attribute class {p,q}\n"
                  "@data\n{0 'z z',2 q},{2}\n{1 ?}\n{0 ?,1 3}\n",
                  NULL);
    assert_round_trip(t, "o.arff", NULL);
    heft_table_free(t);
}

/* LIBSVM takes dense numbers too; class names that are no numbers become numbers, with a word. */
static void numbers_go_to_libsvm(void **state)
{
    (void)state;
    heft_table *t = read_text("a.csv", "x,y,class\n1,0,no\n0,2.5,yes\n", NULL);
    heft_table *back = round_trip(t, "b.svm", NULL);
    assert_non_null(strstr(said, "0 = 'no', 1 = 'yes'"));
    assert_string_equal(class_at(back, 1), "1");
    assert_true(back->sparse->val[1] == 2.5 && back->sparse->col[1] == 1);
    heft_table_free(back);
    heft_table_free(t);
}

/* What a format cannot hold is refused before anything is written. */
static void impossible_tables_are_refused(void **state)
{
    (void)state;
    heft_table *t = read_text("a.csv", "x,s,class\n1,u,a\n?,v,b\n", NULL);
    const char *path = put_text("b.libsvm", "old");
    assert_int_equal(heft_write_table(&ctx, t, path, NULL), HEFT_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "column 'x' has missing values"));
    heft_table_free(t);
    t = read_text("a.csv", "x,s,class\n1,u,a\n2,v,b\n", NULL);
    assert_int_equal(heft_write_table(&ctx, t, path, NULL), HEFT_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "column 's' is nominal"));
    const blob got = read_bytes(path);
    assert_string_equal((const char *)got.data, "old");
    free(got.data);
    assert_int_equal(heft_write_table(&ctx, t, in_folder("b.xyz"), NULL), HEFT_EINVAL);
    assert_int_equal(heft_write_table(&ctx, t, in_folder("b.csv"), "xyz"), HEFT_EINVAL);
    assert_int_equal(heft_write_table(&ctx, t, in_folder("b.csv.gz"), NULL), HEFT_EUNSUPPORTED);
    assert_int_equal(heft_write_table(&ctx, t, in_folder("no/b.csv"), NULL), HEFT_EIO);
    assert_int_equal(heft_write_table(&ctx, t, in_folder("b.xyz"), "arff"), HEFT_OK);
    heft_table_free(t);
}

static void no_memory_is_survived(void **state)
{
    (void)state;
    heft_table       *t = read_text("s.arff", sparse, NULL);
    const char *const names[] = {"n.csv", "n.arff", "n.libsvm"};
    for (size_t k = 0; k < 3; k++)
        for (size_t n = 1;; n++) {
            heft_fail_alloc_at(n, false);
            const heft_status st = heft_write_table(&ctx, t, in_folder(names[k]), NULL);
            heft_fail_alloc_at(0, false);
            if (st == HEFT_OK) break;
            assert_int_equal(st, HEFT_ENOMEM);
            assert_int_not_equal(access(in_folder(names[k]), F_OK), 0);
        }
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(arff_round_trips),
        IN_READING(csv_round_trips),
        IN_READING(sparse_tables_round_trip),
        IN_READING(numbers_go_to_libsvm),
        IN_READING(impossible_tables_are_refused),
        IN_READING(no_memory_is_survived),
    };
    return cmocka_run_group_tests_name("write", tests, NULL, NULL);
}
