/* read_csv_test.c - CSV: layout found, kinds inferred, options obeyed, faults named. */
#include "reading.h"

#include "base/rng.h"

#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

/* A plain file gives typed columns, sorted values, the class column and the file's name. */
static void plain_tables_are_read(void **state)
{
    (void)state;
    heft_table *t = read_text("my.data.csv",
                              "age,town,class\n31,Rome,yes\n42.5,Bonn,no\n-7e2,Rome,yes\n", NULL);
    assert_string_equal(t->name, "my.data");
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[0].name, "age");
    assert_true(number_at(t, 0, 0) == 31 && number_at(t, 1, 0) == 42.5 &&
                number_at(t, 2, 0) == -700);
    assert_string_equal(value_at(t, 0, 1), "Rome");
    assert_string_equal(heft_dict_text(t->cols[1].dict, 0), "Bonn");
    assert_string_equal(t->target->name, "class");
    assert_string_equal(heft_dict_text(t->target->dict, 0), "no");
    assert_string_equal(class_at(t, 2), "yes");
    assert_null(t->weight);
    assert_null(t->sparse);
    assert_string_equal(said, "");
    heft_table_free(t);
}

/* Quotes, doubled quotes, delimiters and line ends inside quotes, CRLF, BOM, blank lines and a last
 * line without an end are all understood. */
static void rfc_4180_is_understood(void **state)
{
    (void)state;
    const char *text = "\xef\xbb\xbf\"a \"\"x\"\"\",b,class\r\n"
                       "\"one, two\",\"1.5\",\"p\r\nq\"\r\n"
                       "\r\n"
                       "  spaced  , 2 ,  \"q\"  \r\n"
                       "5\" pipe,3,q\r\n"
                       "\" kept \",\"\",r";
    heft_table *t = read_text("q.csv", text, NULL);
    assert_string_equal(t->cols[0].name, "a \"x\"");
    assert_int_equal(t->n_rows, 4);
    assert_string_equal(value_at(t, 0, 0), "one, two");
    assert_string_equal(class_at(t, 0), "p\r\nq");
    assert_string_equal(value_at(t, 1, 0), "spaced");
    assert_string_equal(class_at(t, 1), "q");
    assert_string_equal(value_at(t, 2, 0), "5\" pipe");
    assert_string_equal(value_at(t, 3, 0), " kept ");
    assert_true(number_at(t, 0, 1) == 1.5 && number_at(t, 1, 1) == 2 && isnan(number_at(t, 3, 1)));
    heft_table_free(t);
    assert_cut_does_not_matter(put_text("q.csv", text), NULL);
}

/* The delimiter is found among , ; tab | and blanks, or taken as told. */
static void delimiters_are_found(void **state)
{
    (void)state;
    static const char marks[] = ",;\t|";
    for (const char *m = marks; *m; m++) {
        char text[128];
        snprintf(text, sizeof text, "a%cb%cc\n1%c2%cx\n3%c4%cy\n", *m, *m, *m, *m, *m, *m);
        heft_table *t = read_text("d.csv", text, NULL);
        assert_int_equal(t->n_cols, 2);
        assert_true(number_at(t, 1, 1) == 4);
        heft_table_free(t);
    }
    heft_table *t = read_text("d.csv", "  1  2 x \n 3\t4\ty\n\n5 6 \"z z\"\n", NULL);
    assert_int_equal(t->n_cols, 2);
    assert_int_equal(t->n_rows, 3);
    assert_true(number_at(t, 1, 1) == 4);
    assert_string_equal(class_at(t, 2), "z z");
    heft_table_free(t);
    t = read_text("d.csv", "a;b;c\n1,5;2,5;x\n3,5;4,5;y\n", NULL); /* decimal commas */
    assert_int_equal(t->n_cols, 2);
    heft_table_free(t);
    t = read_text("d.csv", "a:b,c:d\n1:2,1:3\n1:2,2:3\n", &(heft_source){.delimiter = ':'});
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[1].name, "b,c");
    heft_table_free(t);
    t = read_text("d.tsv", "a,b\tc\n1,2\tx\n", NULL);
    assert_string_equal(t->cols[0].name, "a,b");
    heft_table_free(t);
    refuse_text("d.csv", "a,b\n1,2\n", &(heft_source){.delimiter = '7'}, HEFT_EINVAL,
                "heft_source.delimiter");
    assert_cut_does_not_matter(put_text("d.csv", "  1  2 x \n 3\t4\ty\n\n5 6 \"z z\"\n"), NULL);
}

/* A header is known by names over numbers; told otherwise, the reader obeys. */
static void headers_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int         header;
        size_t      rows;
        const char *first;
    } cases[] = {
        {"a,b\n1,x\n2,y\n", 0, 2, "a"},
        {"1,x\n2,y\n", 0, 2, "c1"},
        {"x,1\ny,2\n", 0, 2, "c1"},
        {"a,b\n1,x\n2,y\n", -1, 3, "c1"},
        {"1,2\n3,4\n", 1, 1, "1"},
        {"colour,size\nred,big\nblue,small\n", 0, 2, "colour"},
        {"red,big\nblue,small\nred,small\nblue,big\n", 0, 4, "c1"},
        {"?,big\n2,small\n3,big\n", 0, 3, "c1"},
        {"x,1995,y,class\n1,2,3,a\n4,5,6,b\n", 0, 2, "x"},
        {",b\n1,x\n2,y\n", 0, 2, "c1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_table *t =
            read_text("h.csv", cases[k].text, &(heft_source){.header = cases[k].header});
        assert_int_equal(t->n_rows, cases[k].rows);
        assert_string_equal(t->cols[0].name, cases[k].first);
        heft_table_free(t);
    }
    /* one delimiter too many in the header */
    heft_table *t = read_text("h.csv", "\"a\";\"b\";\r\n1;x\r\n2;y\r\n", NULL);
    assert_int_equal(t->n_cols, 1);
    assert_string_equal(t->target->name, "b");
    heft_table_free(t);
}

/* Numbers that do not look like those of a row are a header, wherever the file is cut. */
static void headers_of_numbers_are_found(void **state)
{
    (void)state;
    heft_buf buf = {0};
    heft_buf_text(&buf, "10,20,30,label\n");
    for (int i = 0; i < 40; i++)
        heft_buf_printf(&buf, "%d.5,%d.25,%d,%c\n", i % 7, i * 5 % 11, i % 3, "ab"[i % 2]);
    const char *path = put_bytes("n.csv", buf.data, buf.length);
    heft_table *t = read_as(path, NULL, NULL);
    assert_int_equal(t->n_rows, 40);
    assert_string_equal(t->cols[2].name, "30");
    assert_string_equal(t->target->name, "label");
    assert_non_null(strstr(said, "n.csv:1: the numbers in this line"));
    heft_table_free(t);
    assert_cut_does_not_matter(path, NULL);
    t = read_as(put_bytes("n.csv", buf.data + 15, buf.length - 15), NULL, NULL);
    assert_int_equal(t->n_rows, 40);
    assert_string_equal(t->cols[0].name, "c1");
    heft_table_free(t);
    heft_buf_clear(&buf);
    path = put_text("n.csv", "1,2,class\n4,8,x\n4,7,y\n");
    assert_survives_no_memory(path, NULL);
    t = read_as(path, NULL, NULL);
    assert_int_equal(t->n_rows, 2);
    heft_table_free(t);
}

/* Unnamed columns before the others are left out, wherever the file is cut. */
static void indexes_are_left_out(void **state)
{
    (void)state;
    const char *text = ",\"Unnamed: 0\",c1,b,class\n9,p,1,2,x\n3,q,3,4,y\n9,r,5,6,x\n";
    heft_table *t = read_text("i.csv", text, NULL);
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[0].name, "c1");
    assert_true(number_at(t, 0, 0) == 1 && number_at(t, 2, 1) == 6);
    assert_non_null(strstr(said, "i.csv: columns 1-2 have no names"));
    heft_table_free(t);
    assert_cut_does_not_matter(in_folder("i.csv"), NULL);
    assert_survives_no_memory(in_folder("i.csv"), NULL);
    /* an empty cell is no sign of a header */
    t = read_text("i.csv", ",big,x\nred,small,y\nred,big,x\nblue,small,y\n", NULL);
    assert_int_equal(t->n_rows, 4);
    assert_int_equal(t->n_cols, 2);
    heft_table_free(t);
}

/* Beyond 1,000 records only columns that may be numeric are looked at, and none where all are
 * nominal; blank lines are still no rows. */
static void many_records_are_looked_at_lightly(void **state)
{
    enum { N = 4000, LATE = 1500 };
    (void)state;
    for (int numbers = 0; numbers < 2; numbers++) {
        heft_buf buf = {0};
        char     line[64];
        heft_buf_text(&buf, "a,b,class\n");
        for (int i = 0; i < N; i++) {
            snprintf(line, sizeof line, numbers ? "%d,%d,c%d\n" : "v%d,w%d,c%d\n", i % 7, i % 5,
                     i % 3);
            heft_buf_text(&buf, i == LATE ? "word,9,c1\n\n" : line);
        }
        heft_table *t = read_as(put_bytes("many.csv", buf.data, buf.length), NULL, NULL);
        assert_int_equal(t->n_rows, N);
        assert_int_equal(t->cols[0].kind, HEFT_NOMINAL);
        assert_int_equal(t->cols[1].kind, numbers ? HEFT_NUMERIC : HEFT_NOMINAL);
        assert_string_equal(value_at(t, LATE, 0), "word");
        heft_table_free(t);
        heft_buf_clear(&buf);
    }
}

/* Kinds come from all rows: one late word makes a column nominal, every cell keeping its text. */
static void late_cells_change_the_kind(void **state)
{
    (void)state;
    enum { N = 60000 };
    heft_buf buf = {0};
    heft_buf_text(&buf, "x,y,class\n");
    for (int i = 0; i < N; i++) {
        heft_buf_printf(&buf, "%d.50,%d,%c\n", i % 7, i, "ab"[i % 2]);
        if (i == N - 3) heft_buf_text(&buf, "oops,5,a\n");
    }
    const char *path = put_bytes("late.csv", buf.data, buf.length);
    heft_buf_clear(&buf);
    heft_table *t = read_as(path, NULL, NULL);
    assert_int_equal(t->n_rows, N + 1);
    assert_int_equal(t->cols[0].kind, HEFT_NOMINAL);
    assert_string_equal(value_at(t, 0, 0), "0.50");
    assert_string_equal(value_at(t, N - 2, 0), "oops");
    assert_int_equal(heft_dict_size(t->cols[0].dict), 8);
    assert_int_equal(t->cols[1].kind, HEFT_NUMERIC);
    assert_non_null(strstr(said, "late.csv:60000: column 'x'"));
    assert_non_null(strstr(said, "'oops'"));
    assert_non_null(strstr(said, ".missing = "));
    heft_table *again;
    ctx.threads = 3;
    heft_chunk_bytes = 5000;
    again = read_as(path, NULL, NULL);
    assert_same_table(t, again);
    heft_table_free(again);
    again = read_as(path, &(heft_source){.missing = "oops"}, NULL);
    assert_int_equal(again->cols[0].kind, HEFT_NUMERIC);
    assert_int_equal(again->cols[0].n_missing, 1);
    heft_table_free(again);
    heft_table_free(t);
    assert_int_equal(heft_read_table(&ctx, path, &(heft_source){.numeric = "x"}, NULL, &t),
                     HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "late.csv:60000: column 'x': 'oops' is not a number ("));
}

/* More rows than threads read in one run, in columns of several large pages. Blank lines and lines
 * that get longer make the places and the number of rows differ from what was expected. */
static void many_rows_are_read_in_runs(void **state)
{
    (void)state;
    enum { N = 700000 };
    heft_buf buf = {0};
    heft_buf_text(&buf, "x,y,class\n");
    for (int i = 0; i < N; i++) {
        if (i % 1000 == 999) heft_buf_text(&buf, "\n");
        heft_buf_printf(&buf, i < N / 2 ? "%d,%d.5,%c\n" : "%d,%d.500000,%c\n", i, i % 9,
                        "ab"[i % 2]);
    }
    const char *path = put_bytes("runs.csv", buf.data, buf.length);
    heft_buf_clear(&buf);
    heft_table *t = read_as(path, NULL, NULL), *again;
    assert_int_equal(t->n_rows, N);
    for (size_t i = 0; i < N; i++) {
        assert_true(((double *)t->cols[0].cells)[i] == (double)i);
        assert_true(((double *)t->cols[1].cells)[i] == (double)(i % 9) + 0.5);
    }
    for (int threads = 2; threads <= 5; threads += 3) {
        ctx.threads = threads;
        again = read_as(path, NULL, NULL);
        assert_same_table(t, again);
        heft_table_free(again);
    }
    heft_table_free(t);
}

/* The usual marks are missing, quoted or not, and so is what --missing lists. A dash and None are
 * missing among numbers and values among words; a column is one of numbers by its other cells. */
static void usual_marks_are_known(void **state)
{
    (void)state;
    static const char *const marks[] = {"",    "?",    "NA",   "N/A",  "n/a",  "#N/A",  "NaN",
                                        "nan", "NULL", "null", "<NA>", "None", "\"-\"", "-"};
    enum { MARKS = sizeof marks / sizeof *marks };
    char   text[1024];
    size_t at = (size_t)sprintf(text, "x,s,class\n1,a,p\n2,b,q\n");
    for (size_t k = 0; k < MARKS; k++)
        at += (size_t)sprintf(text + at, "%s,%s,%s\n", marks[k], marks[k], k % 2 ? "p" : "q");
    sprintf(text + at, "-3,na,q\n");
    for (size_t quick = 0; quick < 2; quick++) {
        heft_table *t = read_text("u.csv", text, &(heft_source){.missing = quick ? NULL : "7"});
        assert_int_equal(t->cols[0].kind, HEFT_NUMERIC);
        assert_int_equal(t->cols[0].n_missing, MARKS);
        assert_true(number_at(t, 2 + MARKS, 0) == -3);
        assert_int_equal(t->cols[1].n_missing, MARKS - 3);
        assert_string_equal(value_at(t, 2 + MARKS - 3, 1), "None");
        assert_string_equal(value_at(t, 2 + MARKS - 1, 1), "-");
        assert_string_equal(value_at(t, 2 + MARKS, 1), "na");
        heft_table_free(t);
    }
    assert_cut_does_not_matter(in_folder("u.csv"), NULL);
    /* without a header a mark in the first row is no name */
    heft_table *t = read_text("u.csv", "-,red,p\n3,blue,q\n4,red,p\n", NULL);
    assert_int_equal(t->n_rows, 3);
    heft_table_free(t);
}

/* Empty, ?, NA, NaN and nan are missing, quoted or not, and so is what --missing lists. */
static void missing_marks_are_known(void **state)
{
    (void)state;
    const char *text =
        "x,s,class\n1,a,p\n,,p\n?,?,?\nNA,NA,q\nNaN,\"?\",q\n nan , nan ,p\n-9,none,q\n";
    heft_table *t = read_text("m.csv", text, &(heft_source){.missing = "-9,none"});
    assert_int_equal(t->cols[0].n_missing, 6);
    assert_int_equal(t->cols[1].n_missing, 6);
    assert_int_equal(t->target->n_missing, 1);
    assert_int_equal(t->cols[0].kind, HEFT_NUMERIC);
    assert_int_equal(heft_dict_size(t->cols[1].dict), 1);
    heft_table_free(t);
    t = read_text("m.csv", "x,y,class\n,1,a\n?,2,b\n", NULL);
    assert_int_equal(t->cols[0].kind, HEFT_NUMERIC);
    assert_int_equal(t->cols[0].n_missing, 2);
    assert_non_null(strstr(said, "column 'x' has no values"));
    heft_table_free(t);
}

/* The target: by name, by any case, by number from either end; "class", else the last column. */
static void targets_are_chosen(void **state)
{
    (void)state;
    const char *text = "one,CLASS,Three\n1,2,3\n4,5,6\n";
    static const struct {
        const char *target, *name;
    } cases[] = {{NULL, "CLASS"}, {"one", "one"}, {"three", "Three"}, {"1", "one"},
                 {"-1", "Three"}, {"3", "Three"}, {"class", "CLASS"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_table *t = read_text("t.csv", text, &(heft_source){.target = cases[k].target});
        assert_string_equal(t->target->name, cases[k].name);
        assert_int_equal(t->n_cols, 2);
        heft_table_free(t);
    }
    heft_table *t = read_text("t.csv", "a,b\n1,2\n3,4\n", NULL);
    assert_string_equal(t->target->name, "b");
    assert_int_equal(t->target->kind, HEFT_NOMINAL);
    heft_table_free(t);
    t = read_text("t.csv", "a,b,2\nx,2,3\ny,4,5\n", &(heft_source){.target = "2", .header = 1});
    assert_string_equal(t->target->name, "2"); /* names win over numbers */
    heft_table_free(t);
    refuse_text("t.csv", text, &(heft_source){.target = "thre"}, HEFT_EINVAL, "mean 'Three'?");
    refuse_text("t.csv", text, &(heft_source){.target = "two"}, HEFT_EINVAL,
                "'one', 'CLASS', 'Three'");
    refuse_text("t.csv", text, &(heft_source){.target = "0"}, HEFT_EINVAL,
                "no column 0 (the file has");
    refuse_text("t.csv", text, &(heft_source){.target = "one", .drop = "1"}, HEFT_EINVAL,
                "already left out");
}

/* drop, numeric, nominal and weight take names, numbers and ranges. */
static void column_lists_are_obeyed(void **state)
{
    (void)state;
    const char *text = "a,b,\"c,d\",e,class\n1,2,3,4,x\n5,6,7,8,y\n";
    heft_table *t = read_text("l.csv", text, &(heft_source){.drop = "\"c,d\",1"});
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[0].name, "b");
    heft_table_free(t);
    t = read_text("l.csv", text, &(heft_source){.drop = "2-4"});
    assert_int_equal(t->n_cols, 1);
    heft_table_free(t);
    /* a single name with a comma needs no quotes */
    t = read_text("l.csv", text, &(heft_source){.drop = "c,d"});
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[2].name, "e");
    heft_table_free(t);
    t = read_text("l.csv", text, &(heft_source){.nominal = "c,d"});
    assert_int_equal(t->cols[2].kind, HEFT_NOMINAL);
    heft_table_free(t);
    t = read_text("l.csv", text, &(heft_source){.numeric = "C,D"});
    assert_int_equal(t->cols[2].kind, HEFT_NUMERIC);
    heft_table_free(t);
    t = read_text("l.csv", text, &(heft_source){.nominal = "a,3", .weight = "e"});
    assert_int_equal(t->n_cols, 3);
    assert_int_equal(t->cols[0].kind, HEFT_NOMINAL);
    assert_int_equal(t->cols[1].kind, HEFT_NUMERIC);
    assert_int_equal(t->cols[2].kind, HEFT_NOMINAL);
    assert_true(t->weight[0] == 4 && t->weight[1] == 8);
    heft_table_free(t);
    refuse_text("l.csv", text, &(heft_source){.drop = "zzz"}, HEFT_EINVAL, "heft_source.drop");
    refuse_text("l.csv", text, &(heft_source){.drop = "4-2"}, HEFT_EINVAL,
                "there are no columns 4-2 (the file has 5 columns, numbered from 1; a range is");
    refuse_text("l.csv", text, &(heft_source){.drop = "4-9"}, HEFT_EINVAL, "columns 4-9");
    refuse_text("l.csv", text, &(heft_source){.drop = "\"c,d"}, HEFT_EINVAL, "not closed");
    refuse_text("l.csv", text, &(heft_source){.numeric = "a", .nominal = "1"}, HEFT_EINVAL, "both");
    refuse_text("l.csv", text, &(heft_source){.drop = "1-5"}, HEFT_EINVAL, "no column is left");
    refuse_text("l.csv", "w,c\n-1,a\n", &(heft_source){.weight = "w"}, HEFT_EFORMAT,
                "l.csv:2: column 'w': '-1'");
    refuse_text("l.csv", "w,c\n1,a\n?,b\n", &(heft_source){.weight = "w"}, HEFT_EFORMAT,
                "l.csv:3: column 'w'");
    refuse_text("l.csv", "w,c\n1e999,a\n", &(heft_source){.weight = "w"}, HEFT_EFORMAT, "finite");
    /* two columns of one name are fine when one is left out */
    t = read_text("l.csv", "a,a,c\n1,2,x\n", &(heft_source){.drop = "2"});
    assert_int_equal(t->n_cols, 1);
    heft_table_free(t);
}

/* --positive makes two classes, the wanted one last: a tie goes to the rest. */
static void one_class_against_the_rest(void **state)
{
    (void)state;
    const char *text = "x,class\n1,a\n2,b\n3,c\n4,?\n5,b\n";
    heft_table *t = read_text("p.csv", text, &(heft_source){.positive = "b"});
    assert_int_equal(heft_dict_size(t->target->dict), 2);
    assert_string_equal(heft_dict_text(t->target->dict, 0), "rest");
    assert_string_equal(heft_dict_text(t->target->dict, 1), "b");
    assert_string_equal(class_at(t, 0), "rest");
    assert_string_equal(class_at(t, 4), "b");
    assert_int_equal(t->target->n_missing, 1);
    heft_table_free(t);
    refuse_text("p.csv", text, &(heft_source){.positive = "z"}, HEFT_EINVAL, "'a', 'b', 'c'");
}

/* Reading for a model: its kinds hold, its target may be absent, no other takes its place. */
static void models_are_read_for(void **state)
{
    (void)state;
    const char *const names[] = {"a", "b", "gone"};
    const heft_kind   kinds[] = {HEFT_NOMINAL, HEFT_NUMERIC, HEFT_NUMERIC};
    const heft_expect expect = {3, names, kinds, "class", 0, NULL};
    heft_table       *t = read_as(put_text("e.csv", "b,a,z\n1,2,x\n3,4,y\n"), NULL, &expect);
    assert_null(t->target);
    assert_int_equal(t->n_cols, 3);
    assert_int_equal(t->cols[0].kind, HEFT_NUMERIC);
    assert_int_equal(t->cols[1].kind, HEFT_NOMINAL);
    heft_table_free(t);
    t = read_as(put_text("e.csv", "class,b,a\np,1,2\nq,3,4\n"), NULL, &expect);
    assert_string_equal(t->target->name, "class");
    assert_int_equal(t->n_cols, 2);
    heft_table_free(t);
    heft_source strict = {.weight = "w"};
    assert_int_equal(
        heft_read_table(&ctx, put_text("e.csv", "a,b,w\n1,2,two\n"), &strict, &expect, &t),
        HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "e.csv:2: column 'w': 'two' is not a number (weights"));
}

/* For a model a cell that is no number counts as missing, and so do the marks that it was trained
 * with: one warning a column, with the first line, however the text is cut. */
static void odd_cells_are_missing_for_a_model(void **state)
{
    static char       text[1 << 16];
    size_t            at = (size_t)sprintf(text, "a,b,c\n");
    const char *const names[] = {"a", "b", "c"};
    const heft_kind   kinds[] = {HEFT_NUMERIC, HEFT_NUMERIC, HEFT_NOMINAL};
    const heft_expect expect = {3, names, kinds, "class", 0, "-9,gone"};
    (void)state;
    for (int i = 0; i < 2000; i++)
        at += (size_t)sprintf(text + at, "%s,%s,%s\n",
                              i == 700    ? "two"
                              : i == 1500 ? "\"three\""
                              : i == 9    ? "n/a"
                                          : "1.5",
                              i == 3   ? "-9"
                              : i == 4 ? "gone"
                              : i == 5 ? "-"
                                       : "4",
                              i == 6   ? "gone"
                              : i == 7 ? "-"
                                       : "x");
    const char *const path = put_text("odd.csv", text);
    for (size_t chunk = 2048; chunk < 1 << 20; chunk *= 64)
        for (int threads = 1; threads < 4; threads += 2) {
            heft_table *t = NULL;
            heft_ctx    many;
            heft_chunk_bytes = chunk;
            said[0] = 0;
            heft_ctx_init(&many, &err, threads, 1, &listener);
            OK(heft_read_table(&many, path, NULL, &expect, &t));
            heft_ctx_clear(&many);
            assert_int_equal(t->cols[0].n_missing, 3);
            assert_int_equal(t->cols[1].n_missing, 3);
            assert_int_equal(t->cols[2].n_missing, 1);
            assert_true(isnan(number_at(t, 700, 0)) && isnan(number_at(t, 3, 1)));
            assert_string_equal(value_at(t, 7, 2), "-");
            const char *warning = strstr(said, "odd.csv:702: column 'a': 2 cells are no number and "
                                               "count as missing (the first is 'two'");
            assert_non_null(warning);
            assert_string_equal(strchr(said, '\n'), "\n"); /* the only one */
            heft_table_free(t);
        }
    heft_chunk_bytes = (size_t)1 << 17;
}

/* Lines of a title before the header, and one that names the delimiter, are left out and told of;
 * what may be a header or a row stays one. */
static void lines_before_the_table(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: nothing is left out */
        size_t      n_rows, n_cols;
        const char *first; /* name of the first column */
    } cases[] = {
        {"Export CRM 4.2;;;\n2024-01-31;;;\n\nid;size;colour;class\n1;2;red;x\n2;3;blue;y\n",
         "lines 1-3 before the table are left out, as the header is in line 4", 2, 3, "id"},
        {"Report\na,b,class\n1,2,x\n3,4,y\n", "line 1 before the table is left out", 2, 2, "a"},
        {"# made on Monday\n# by hand\na\tb\tclass\n1\t2\tx\n3\t4\ty\n", "lines 1-2", 2, 2, "a"},
        {"sep=;\r\na;b;class\r\n1,5;2;x\r\n3;4;y\r\n", ":1: the line names the delimiter", 2, 2,
         "a"},
        {"\"sep=|\"\nTitle||\na|b|class\n1|2|x\n3|4|y\n", "line 2 before the table", 2, 2, "a"},
        {"Sales, 2025,,\na,b,c,class\n1,p,2,x\n2,q,3,y\n", "line 1 before", 2, 3, "a"},
        {"Report,,,\nMade,2026-01-01,,\na,b,c,class\n1,p,2,x\n2,q,3,y\n", "lines 1-2", 2, 3, "a"},
        {"Report,\na,class\n1,x\n2,y\n", "line 1 before", 2, 1, "a"},
        {"Export CRM 4.2;;;;\na;b;c;class\n1;p;2;x\n2;q;3;y\n", "line 1 before", 2, 3, "a"},
        {"Export,,,,,\na,b,c,class\n1,p,2,x\n2,q,3,y\n", "line 1 before", 2, 3, "a"},
        {"North, east, south, west, 2025\na,b,c,class\n1,p,2,x\n2,q,3,y\n", "line 1", 2, 3, "a"},
        {"By kind, 2025,,\na,b,c,class\np,q,r,x\np,q,s,x\nt,q,s,x\np,u,s,y\np,q,s,x\np,q,r,y\n"
         "p,q,r,x\np,q,s,x\nt,q,s,x\np,u,s,y\n",
         "line 1 before", 10, 3, "a"},
        {"a,b,,\np,q,r,x\nt,u,s,y\nt,u,s,z\n", NULL, 3, 3, "a"},
        {"a,b,class,\ncm,kg,kind\n1,2,x\n3,4,y\n", NULL, 3, 2, "a"},
        {"a,b,class,\n1,2,x\n3,4,y\n", NULL, 2, 2, "a"},
        {"a,b,,\n1,2,p,x\n3,4,q,y\n", NULL, 2, 3, "a"},
        {"a,,\n1,2,x\n3,4,y\n", NULL, 2, 2, "a"},
        {"a,b,class\n,,x\nred,blue,y\ngreen,pink,x\n", NULL, 3, 2, "a"},
        {"x,,,\na,b,c,d\na,b,c,e\na,f,c,d\n", NULL, 3, 3, "x"},
        {"a,b,class\n1,2,x\n", NULL, 1, 2, "a"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        said[0] = 0;
        heft_table *t = read_text("p.csv", cases[k].text, NULL);
        if (t->n_rows != cases[k].n_rows || t->n_cols != cases[k].n_cols ||
            strcmp(t->cols[0].name, cases[k].first) != 0 ||
            (cases[k].says ? !strstr(said, cases[k].says) : strstr(said, "left out") != NULL))
            fail_msg("%s: %zu rows, %zu columns, '%s'; said: %s", cases[k].text, t->n_rows,
                     t->n_cols, t->cols[0].name, said);
        heft_table_free(t);
        if (cases[k].says) assert_cut_does_not_matter(in_folder("p.csv"), NULL);
    }
    /* who says where the header is, or what separates cells, is obeyed */
    heft_table *t = read_text("p.csv", cases[0].text, &(heft_source){.header = 1});
    assert_string_equal(t->cols[0].name, "Export CRM 4.2");
    heft_table_free(t);
    refuse_text("p.csv", cases[1].text, &(heft_source){.header = -1}, HEFT_EFORMAT, "cells");
    t = read_text("p.csv", "sep=;\na,b;b,class\n1,2;3,x\n2,3;4,y\n",
                  &(heft_source){.delimiter = ','});
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[1].name, "b;b");
    heft_table_free(t);
}

/* Without quotation marks a quote is a letter; another mark can take its place. */
static void quotes_can_be_chosen(void **state)
{
    (void)state;
    const char *text = "a\tclass\n\"so\" he said\tx\n\"open\ty\nsay \"\tx\n\"\"\ty\n";
    heft_table *t = read_text("q.tsv", text, &(heft_source){.quote = HEFT_NO_QUOTE});
    assert_int_equal(t->n_rows, 4);
    assert_string_equal(value_at(t, 0, 0), "\"so\" he said");
    assert_string_equal(value_at(t, 1, 0), "\"open");
    assert_string_equal(value_at(t, 3, 0), "\"\"");
    heft_table_free(t);
    assert_cut_does_not_matter(in_folder("q.tsv"), &(heft_source){.quote = HEFT_NO_QUOTE});
    refuse_text("q.tsv", text, NULL, HEFT_EFORMAT, ".quote = HEFT_NO_QUOTE");
    refuse_text("q.csv", "a,class\n\"open,x\n", NULL, HEFT_EFORMAT,
                "never closed (.quote = HEFT_NO_QUOTE");
    text = "a,b,class\n'1,5',\"x,p\n'it''s',2\",q\n'two\nlines',2,p\n";
    t = read_text("q.csv", text, &(heft_source){.quote = '\''});
    assert_int_equal(t->n_rows, 3);
    assert_string_equal(value_at(t, 0, 0), "1,5");
    assert_string_equal(value_at(t, 0, 1), "\"x");
    assert_string_equal(value_at(t, 1, 0), "it's");
    assert_string_equal(value_at(t, 2, 0), "two\nlines");
    heft_table_free(t);
    assert_cut_does_not_matter(in_folder("q.csv"), &(heft_source){.quote = '\''});
    refuse_text("q.csv", text, &(heft_source){.quote = 'x'}, HEFT_EINVAL,
                "heft_source.quote: use one");
    refuse_text("q.csv", text, &(heft_source){.quote = ';', .delimiter = ';'}, HEFT_EINVAL, "too");
    refuse_text("q.arff", "@relation r\n", &(heft_source){.quote = '\''}, HEFT_EINVAL,
                "arff files");
}

/* Faults of content are named with file, line and column. */
static void faults_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"a,b,c\n1,2,x\n3,y\n", "f.csv:3: the row has 2 cells, but the header has 3"},
        {"a,b,c\n1,2,x\n3,4,5,y\n", "f.csv:3: the row has 4 cells, but the header has 3"},
        {"1,2,x\n3,4,x\n\n5,x\n", "f.csv:4: the row has 2 cells, but line 1 has 3"},
        {"a,b\n1,x\n\"open,y\n3,z\n", "f.csv:3: a quoted cell begins here and is never closed"},
        {"a,b\n1,x\n\"p\"q,y\n", "f.csv:3: there is text after a closing quotation mark"},
        {"a,b\n1,x\n1e999,y\n", "f.csv:3: column 'a': '1e999' is too large"},
        {"a,b\n1,x\n-inf,y\n", "f.csv:3: column 'a': '-inf' is too large"},
        {"a,b\n", "no data rows"},
        {"\n\n  \n", "no data rows"},
        {"", "empty"},
        {"a,b,a\n1,2,3\n", "columns 1 and 3 are both named 'a'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        refuse_text("f.csv", cases[k].text, NULL, HEFT_EFORMAT, cases[k].part);
        assert_refusal_does_not_move(in_folder("f.csv"), NULL);
    }
    /* a word for infinity is a value like any other in a column of words */
    heft_table *t = read_text("f.csv", "a,b\ninf,x\nsup,y\n", NULL);
    assert_string_equal(value_at(t, 0, 0), "inf");
    heft_table_free(t);
}

/* What is no text is refused for what it is. */
static void other_files_are_refused(void **state)
{
    (void)state;
    static const char utf16[] = "\xff\xfe"
                                "a\0,\0b\0\n\0";
    static const char bare16[] = "a\0,\0b\0\n\0001\0,\0002\0\n\0";
    static const char nul[] = "a,b\n1,2\n3,\0004\n";
    static const char zip[] = "PK\3\4\24\0\6\0";
    char              junk[4096];
    for (size_t i = 0; i < sizeof junk; i++) junk[i] = (char)(i * 7919 % 251);
    assert_refused("x.csv", utf16, sizeof utf16 - 1, NULL, HEFT_EFORMAT, "iconv");
    assert_refused("x.csv", bare16, sizeof bare16 - 1, NULL, HEFT_EFORMAT, "iconv");
    assert_refused("x.csv", nul, sizeof nul - 1, NULL, HEFT_EFORMAT, "binary");
    assert_refused("x.csv", zip, sizeof zip - 1, NULL, HEFT_EFORMAT, "spreadsheet");
    assert_refused("x.csv", junk, sizeof junk, NULL, HEFT_EFORMAT, "binary");
    char *late = malloc(40000);
    assert_non_null(late);
    for (size_t i = 0; i < 40000; i += 4) memcpy(late + i, "1,a\n", 4);
    late[39998] = 0;
    assert_refused("x.csv", late, 40000, NULL, HEFT_EFORMAT,
                   "x.csv:10000: the line has a NUL byte");
    free(late);
    heft_table *t;
    assert_int_equal(heft_read_table(&ctx, in_folder("none.csv"), NULL, NULL, &t), HEFT_EIO);
    assert_non_null(strstr(err.text, "none.csv"));
    assert_int_equal(heft_read_table(&ctx, in_folder(NULL), NULL, NULL, &t), HEFT_EIO);
    assert_non_null(strstr(err.text, "folder"));
    refuse_text("x.csv", "a\n1\n", &(heft_source){.format = "xml"}, HEFT_EINVAL,
                "heft_source.format");
}

/* Names and cells of any bytes are kept, and shown safely in messages. */
/* Bytes that are not UTF-8 are Latin-1, wherever the text is cut; UTF-8 beside them stays. */
static void broken_utf8_is_latin1(void **state)
{
    (void)state;
    heft_table *t = read_text("u.csv",
                              "gr\xf6\xdf"
                              "e,class\n\xe9t\xe9,a\n\xc3\xa9,b\n",
                              NULL);
    assert_string_equal(t->cols[0].name, "gr\xc3\xb6\xc3\x9f"
                                         "e");
    assert_string_equal(value_at(t, 0, 0), "\xc3\xa9t\xc3\xa9");
    assert_string_equal(value_at(t, 1, 0), "\xc3\xa9");
    heft_table_free(t);
    refuse_text("u.csv", "a\xff,class\n1\033[31m,a\n", &(heft_source){.numeric = "1"}, HEFT_EFORMAT,
                "column 'a\xc3\xbf': '1\\x1b[31m' is not");
}

/* Old line ends, a single column, a field of 10 MB and 100,000 columns are read. */
static void extremes_are_read(void **state)
{
    (void)state;
    heft_table *t = read_text("o.csv", "a,b\r1,x\r2,y\r", NULL);
    assert_int_equal(t->n_rows, 2);
    assert_true(number_at(t, 1, 0) == 2);
    heft_table_free(t);
    t = read_text("o.csv", "class\nx\ny\nx\n", NULL);
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 0);
    heft_table_free(t);
    t = read_text("o.tsv", "a\tb\n1\tx\n\t\n2\ty\n", NULL);
    assert_int_equal(t->n_rows, 3); /* a row of empty cells is a row */
    heft_table_free(t);

    const size_t big = 10 << 20;
    heft_buf     buf = {0};
    heft_buf_text(&buf, "a,b\nx,1\n\"");
    for (size_t i = 0; i < big; i += 16) heft_buf_text(&buf, "0123456\n89abcdef");
    heft_buf_text(&buf, "\",2\ny,1\n");
    t = read_as(put_bytes("big.csv", buf.data, buf.length), NULL, NULL);
    heft_buf_clear(&buf);
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(strlen(value_at(t, 1, 0)), big);
    heft_table_free(t);

    enum { WIDE = 100000 };
    for (int i = 0; i < WIDE; i++) heft_buf_printf(&buf, "%sx%d", i ? "," : "", i);
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < WIDE; i++)
            heft_buf_printf(&buf, "%s%s%d", i ? "," : "\n", i % 2 ? "w" : "", i % 10);
    t = read_as(put_bytes("wide.csv", buf.data, buf.length), NULL, NULL);
    heft_buf_clear(&buf);
    assert_int_equal(t->n_cols, WIDE - 1);
    assert_int_equal(t->n_rows, 2);
    assert_string_equal(value_at(t, 1, 99997), "w7");
    heft_table_free(t);
}

/* Codes grow from one byte to two and four as values appear; the class has a limit. */
static void many_values_are_kept(void **state)
{
    (void)state;
    enum { N = 70000 };
    heft_buf buf = {0};
    heft_buf_text(&buf, "id,few,class\n");
    for (int i = 0; i < N; i++) heft_buf_printf(&buf, "v%05d,w%d,%d\n", N - i, i % 300, i % 2);
    const char *path = put_bytes("many.csv", buf.data, buf.length);
    heft_buf_clear(&buf);
    heft_chunk_bytes = 20000;
    heft_table *t = read_as(path, NULL, NULL);
    assert_int_equal(heft_dict_size(t->cols[0].dict), N);
    assert_int_equal(t->cols[0].width, 4);
    assert_int_equal(t->cols[1].width, 2);
    assert_int_equal(t->target->width, 1);
    for (int i = 0; i < N; i += 997) {
        char want[16];
        snprintf(want, sizeof want, "v%05d", N - i);
        assert_string_equal(value_at(t, (size_t)i, 0), want);
    }
    heft_table_free(t);
    assert_int_equal(heft_read_table(&ctx, path, &(heft_source){.target = "id"}, NULL, &t),
                     HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "70000 distinct values"));
}

/* ---- packed files ---- */

static const char packed_text[] = "a,b,class\n1,x,p\n2,y,q\n3,x,p\n";

static size_t gzip(const char *text, size_t n, char *out, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* gzip and zstd are known by their bytes; members and frames follow one another; a cut or damaged
 * file is an error. */
static void packed_files_are_read(void **state)
{
    (void)state;
    char         gz[512], zst[512];
    const size_t n = strlen(packed_text), half = 13;
    heft_table  *plain = read_text("p.csv", packed_text, NULL);
    size_t       n_gz = gzip(packed_text, half, gz, sizeof gz);
    n_gz += gzip(packed_text + half, n - half, gz + n_gz, sizeof gz - n_gz);
    size_t n_zst = ZSTD_compress(zst, sizeof zst, packed_text, half, 3);
    n_zst += ZSTD_compress(zst + n_zst, sizeof zst - n_zst, packed_text + half, n - half, 3);
    static const char *const names[] = {"p.csv.gz", "p.csv", "p.csv.zst"};
    for (size_t k = 0; k < 3; k++) {
        heft_table *t = read_as(put_bytes(names[k], gz, n_gz), NULL, NULL);
        assert_same_table(plain, t);
        assert_string_equal(t->name, "p");
        heft_table_free(t);
        t = read_as(put_bytes(names[k], zst, n_zst), NULL, NULL);
        assert_same_table(plain, t);
        heft_table_free(t);
    }
    heft_table_free(plain);
    for (size_t cut = 4; cut < n_gz; cut += 3) {
        heft_table       *t;
        const heft_status st =
            heft_read_table(&ctx, put_bytes("t.csv.gz", gz, cut), NULL, NULL, &t);
        if (st == HEFT_OK) heft_table_free(t); /* cut between two members */
        else assert_int_equal(st, HEFT_EFORMAT);
    }
    assert_refused("t.csv.gz", gz, n_gz - 5, NULL, HEFT_EFORMAT, "the gzip file is truncated");
    assert_refused("t.csv.zst", zst, n_zst - 2, NULL, HEFT_EFORMAT, "the zstd file is truncated");
    gz[n_gz - 6] ^= 0x55;
    assert_refused("t.csv.gz", gz, n_gz, NULL, HEFT_EFORMAT, "the gzip file is damaged");
    zst[n_zst / 2 + 8] ^= 0x55;
    heft_table       *t = NULL;
    const heft_status st =
        heft_read_table(&ctx, put_bytes("t.csv.zst", zst, n_zst), NULL, NULL, &t);
    if (st != HEFT_OK) assert_int_equal(st, HEFT_EFORMAT);
    heft_table_free(t);
}

/* A pipe is read like a file, twice where a kind turns out wrong. */
static void pipes_are_read(void **state)
{
    (void)state;
    const char *fifo = in_folder("pipe");
    char        command[256];
    assert_int_equal(mkfifo(fifo, 0600), 0);
    snprintf(command, sizeof command,
             "(echo a,b; for i in $(seq 1 20000); do echo 12345.678,x; done; echo word,y) > %s &",
             fifo);
    assert_int_equal(system(command), 0);
    heft_table *t = read_as(fifo, NULL, NULL);
    assert_int_equal(t->n_rows, 20001);
    assert_string_equal(value_at(t, 20000, 0), "word");
    heft_table_free(t);
}

/* "-" is standard input, from where it stands. */
static void a_dash_is_standard_input(void **state)
{
    (void)state;
    const char *path = put_text("in.csv", "skipped\na,b\n1,x\n2,y\n");
    FILE       *f = fopen(path, "rb");
    assert_non_null(f);
    const int kept = dup(STDIN_FILENO);
    assert_int_equal(lseek(fileno(f), 8, SEEK_SET), 8);
    dup2(fileno(f), STDIN_FILENO);
    heft_table       *t = NULL;
    const heft_status st = heft_read_table(&ctx, "-", NULL, NULL, &t);
    if (kept >= 0) dup2(kept, STDIN_FILENO);
    if (kept >= 0) close(kept);
    fclose(f);
    assert_int_equal(st, HEFT_OK);
    assert_string_equal(t->name, "stdin");
    assert_string_equal(t->cols[0].name, "a");
    assert_int_equal(t->n_rows, 2);
    heft_table_free(t);
}

/* Formats are known by ending, else by content. */
static void formats_are_recognised(void **state)
{
    (void)state;
    const char *arff =
        "% c\n@RELATION r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n";
    heft_table *t = read_text("noending", arff, NULL);
    assert_string_equal(t->target->name, "class");
    heft_table_free(t);
    char *long_head = malloc(5000 + strlen(arff) + 1); /* behind many comments */
    assert_non_null(long_head);
    for (size_t i = 0; i < 5000; i++) long_head[i] = i % 50 == 0 ? '%' : i % 50 < 49 ? 'x' : '\n';
    strcpy(long_head + 5000, arff);
    t = read_text("noending", long_head, NULL);
    assert_string_equal(t->target->name, "class");
    heft_table_free(t);
    free(long_head);
    t = read_text("noending", "1 1:0.5 7:2\n0 2:1\n", NULL);
    assert_non_null(t->sparse);
    assert_int_equal(t->n_cols, 7);
    heft_table_free(t);
    t = read_text("noending", "a,b\n1,x\n", NULL);
    assert_int_equal(t->n_cols, 1);
    heft_table_free(t);
    t = read_text("odd.csv", arff, &(heft_source){.format = "arff"});
    assert_int_equal(t->n_rows, 1);
    heft_table_free(t);
}

/* Threads and chunk size change nothing, quotes, blank lines and CRLF among the rows. */
static void cuts_do_not_matter(void **state)
{
    (void)state;
    assert_cut_does_not_matter(
        put_text("c.csv", "n,s,w,class\r\n1,aa,1,p\r\n2,\"b\r\nb\",2,q\r\n\r\n3,\"c,\"\"c\",3,p\r\n"
                          "?,a-long-value-here,4,\"q\"\r\n5,a-long-value-here,5,p\r\n6,aa,6,r"),
        &(heft_source){.weight = "w"});
    assert_cut_does_not_matter(put_text("c.csv", "1;x\n2;y\n3;x\nz;y\n"), NULL);
    heft_buf buf = {0};
    for (int i = 0; i < 400; i++) heft_buf_printf(&buf, "%d,%d,%c\n", i, i * i, "pqr"[i % 3]);
    heft_buf_text(&buf, "1,odd,p\n");
    assert_cut_does_not_matter(put_bytes("c.csv", buf.data, buf.length), NULL);
    assert_non_null(strstr(said, "c.csv:401: column 'c2'"));
    heft_buf_clear(&buf);
}

static void no_memory_is_survived(void **state)
{
    (void)state;
    const char *path = put_text("n.csv", "a,b,w,class\n1,x,1,p\n\"2\",y,2,q\nword,x,1,p\n");
    assert_survives_no_memory(path, &(heft_source){.weight = "w", .drop = "b", .positive = "q"});
    assert_survives_no_memory(path, NULL);
    char         gz[512];
    const size_t n = gzip(packed_text, strlen(packed_text), gz, sizeof gz);
    assert_survives_no_memory(put_bytes("n.csv.gz", gz, n), NULL);
}

static void damage_is_survived(void **state)
{
    (void)state;
    assert_survives_damage("d.csv", "a,b,class\n1,x,p\n2,\"y, z\",q\n3.5e1,?,p\n", 3000, 1);
    assert_survives_damage("d.csv", " 1 2 \"a b\" \n 3 4 c\n\n5 6 d\n", 1500, 2);
    assert_survives_damage("data", "x;y\n\"1\";\"2\"\"\"\n3;4\n", 1500, 3);
}

/* How the cells of a row are written: bare, quoted, or with something that keeps the row from being
 * read together with its neighbours. */
enum { BARE, QUOTED, ODD, BLANKS, WAYS };

static void put_cell(heft_buf *buf, int way, size_t i, size_t j, const char *text)
{
    const bool odd = way == ODD && (i + j) % 3 == 0;
    const bool quotes = way == QUOTED || odd;
    if (way == BLANKS && i % 5 == j) heft_buf_text(buf, " ");
    heft_buf_printf(buf, quotes ? "\"%s\"" : "%s", text);
    if (odd) heft_buf_text(buf, " "); /* behind the closing quote */
}

/* A table of some windows of text: numbers short and long, missing cells, categories. */
static void write_ways(heft_buf *buf, int way)
{
    heft_rng rng;
    heft_rng_init(&rng, 9, 0);
    heft_buf_text(buf, "a,b,c,d,class\n");
    for (size_t i = 0; i < 2000; i++) {
        char         cell[5][40] = {"", "", "", "", ""};
        const double x = heft_rng_real(&rng) * 1000 - 500;
        if (heft_rng_below(&rng, 50)) snprintf(cell[0], 40, "%.2f", x);
        snprintf(cell[1], 40, "%.*g", 3 + (int)heft_rng_below(&rng, 15), x / 7);
        snprintf(cell[2], 40, i % 700 == 699 ? "?" : "%d", (int)x);
        snprintf(cell[3], 40, i % 3 ? "v%u" : "longer than eight %u",
                 (unsigned)heft_rng_below(&rng, 40));
        snprintf(cell[4], 40, "%c", "xyz"[heft_rng_below(&rng, 3)]);
        for (size_t j = 0; j < 5; j++) {
            if (j) heft_buf_text(buf, ",");
            put_cell(buf, way, i, j, cell[j]);
        }
        heft_buf_text(buf, i % 2 && way == QUOTED ? "\r\n" : "\n");
    }
}

/* Rows that are read column by column give the cells that they give one by one. */
static void ways_of_writing_do_not_matter(void **state)
{
    (void)state;
    heft_table *first = NULL;
    for (int way = 0; way < WAYS; way++) {
        heft_buf buf = {0};
        write_ways(&buf, way);
        heft_table *t = read_text("way.csv", buf.data, NULL);
        heft_buf_clear(&buf);
        assert_int_equal(t->n_rows, 2000);
        if (first) assert_same_table(first, t);
        if (first) heft_table_free(t);
        else first = t;
    }
    heft_table_free(first);
}

/* A blank at the edge of a value counts inside quotes alone, whichever came first. */
static void blanks_in_quotes_are_kept(void **state)
{
    (void)state;
    heft_table *t = read_text("e.csv", "a,class\n\" v\",x\n v,y\n\" v\",x\nv,y\n v ,x\n", NULL);
    const char *const want[] = {" v", "v", " v", "v", "v"};
    for (size_t i = 0; i < 5; i++) assert_string_equal(value_at(t, i, 0), want[i]);
    heft_table_free(t);
}

/* The error is that of the first wrong cell of the text, not of the first wrong column. */
static void the_first_wrong_cell_is_named(void **state)
{
    (void)state;
    const heft_source how = {.size = sizeof how, .numeric = "a,b,c"};
    const char       *text = "a,b,c,class\n1,2,3,x\n4,5,six,y\nseven,8,9,x\n1,two,3,y\n1,2,3,x\n";
    refuse_text("f.csv", text, &how, HEFT_EFORMAT, "f.csv:3: column 'c': 'six' is not a number");
    assert_refusal_does_not_move(put_text("f.csv", text), &how);
}

/* A caller's wish to stop is honoured. */
static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

static void reading_can_be_cancelled(void **state)
{
    (void)state;
    const heft_host host = {.cancelled = stop_at_once};
    heft_table     *t;
    ctx.host = &host;
    assert_int_equal(heft_read_table(&ctx, put_text("s.csv", packed_text), NULL, NULL, &t),
                     HEFT_ECANCELLED);
    assert_null(t);
}

/* The first chunks of a file teach the values, the others are parsed before their lines are known.
 */
static void lines_are_counted_across_chunks(void **state)
{
    (void)state;
    const size_t before = heft_chunk_bytes;
    char         text[8192], name[32];
    heft_chunk_bytes = 64;
    for (size_t wrong = 2; wrong < 400; wrong += 57) {
        size_t n = (size_t)snprintf(text, sizeof text, "x,y,c\n");
        for (size_t line = 2; line < 400; line++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%zu,%s,b\n", line,
                                  line == wrong ? "1,2" : "3");
        snprintf(name, sizeof name, "d.csv:%zu: the row has 4 cells", wrong);
        refuse_text("d.csv", text, NULL, HEFT_EFORMAT, name);
    }
    heft_chunk_bytes = before;
}

static void rows_are_counted_by_class(void **state)
{
    (void)state;
    int64_t     counts[5];
    heft_table *t = read_text("c.csv", "x,w,c\n1,1,b\n2,0,a\n3,2,\n4,1,b\n5,0,\n6,1,a\n",
                              &(heft_source){.weight = "w"});
    OK(heft_table_class_counts(t, counts, &err));
    assert_int_equal(counts[0], 1); /* a */
    assert_int_equal(counts[1], 2); /* b */
    assert_int_equal(counts[2], 2); /* without a class */
    assert_int_equal(counts[3], 1); /* of weight 0 */
    heft_table_free(t);
    assert_int_equal(heft_table_class_counts(NULL, counts, &err), HEFT_EINVAL);
    char   text[20000] = "x,c\n", *at = text + 4; /* codes of two bytes */
    size_t n_class;
    for (int i = 0; i < 1000; i++) at += sprintf(at, "1,k%d\n", i % 300);
    t = read_text("c.csv", text, NULL);
    int64_t many[302];
    n_class = heft_table_classes(t);
    assert_int_equal(n_class, 300);
    OK(heft_table_class_counts(t, many, &err));
    for (size_t c = 0; c < n_class; c++) {
        const int k = atoi(heft_table_class_name(t, c) + 1);
        assert_int_equal(many[c], k < 100 ? 4 : 3);
    }
    assert_int_equal(many[300] + many[301], 0);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(plain_tables_are_read),
        IN_READING(rfc_4180_is_understood),
        IN_READING(ways_of_writing_do_not_matter),
        IN_READING(blanks_in_quotes_are_kept),
        IN_READING(the_first_wrong_cell_is_named),
        IN_READING(delimiters_are_found),
        IN_READING(headers_are_found),
        IN_READING(headers_of_numbers_are_found),
        IN_READING(indexes_are_left_out),
        IN_READING(many_records_are_looked_at_lightly),
        IN_READING(late_cells_change_the_kind),
        IN_READING(many_rows_are_read_in_runs),
        IN_READING(missing_marks_are_known),
        IN_READING(usual_marks_are_known),
        IN_READING(targets_are_chosen),
        IN_READING(column_lists_are_obeyed),
        IN_READING(one_class_against_the_rest),
        IN_READING(lines_before_the_table),
        IN_READING(quotes_can_be_chosen),
        IN_READING(models_are_read_for),
        IN_READING(odd_cells_are_missing_for_a_model),
        IN_READING(faults_are_located),
        IN_READING(other_files_are_refused),
        IN_READING(broken_utf8_is_latin1),
        IN_READING(extremes_are_read),
        IN_READING(many_values_are_kept),
        IN_READING(packed_files_are_read),
        IN_READING(pipes_are_read),
        IN_READING(a_dash_is_standard_input),
        IN_READING(formats_are_recognised),
        IN_READING(cuts_do_not_matter),
        IN_READING(no_memory_is_survived),
        IN_READING(damage_is_survived),
        IN_READING(reading_can_be_cancelled),
        IN_READING(lines_are_counted_across_chunks),
        IN_READING(rows_are_counted_by_class),
    };
    return cmocka_run_group_tests_name("read_csv", tests, NULL, NULL);
}
