/* check_test.c - a check says what a table holds, finds what is wrong with it, and is silent about
 * a table in good order. */
#include <stdio.h>

#include "base/mem.h"
#include "check/check.h"
#include "heft_check.h"
#include "reading.h"

static heft_check *check_of(const char *text, const heft_source *how, size_t top)
{
    heft_check *check;
    heft_table *t = read_text("c.csv", text, how);
    if (heft_check_table(t, &(heft_check_plan){.top = top}, &check, &err) != HEFT_OK)
        fail_msg("%s", err.text);
    heft_table_free(t); /* the check keeps nothing of it */
    return check;
}

static const heft_finding *find(const heft_check *check, const char *code)
{
    for (size_t k = 0; k < heft_check_findings(check); k++)
        if (strcmp(heft_check_finding(check, k)->code, code) == 0)
            return heft_check_finding(check, k);
    return NULL;
}

static void must_find(const heft_check *check, const char *code, const char *says)
{
    const heft_finding *f = find(check, code);
    if (!f) fail_msg("no finding '%s'", code);
    if (!strstr(f->text, says)) fail_msg("'%s' lacks '%s'", f->text, says);
}

/* Text that the test writes line by line. */
static char   text[200000];
static size_t length;

#define LINE(...) (length += (size_t)snprintf(text + length, sizeof text - length, __VA_ARGS__))

static size_t draw(size_t i, size_t k, size_t n) /* 0..n-1, scattered */
{
    return (size_t)((((uint64_t)i * 2654435761u + k * 40503u) * 2246822519u) >> 24) % n;
}

static void columns_are_described(void **state)
{
    (void)state;
    heft_check *check = check_of("x,c,same,class\n1,a,7,p\n2.5,b,7,q\n,a,7,p\n-4,,7,p\n", NULL, 0);
    assert_int_equal(heft_check_columns(check), 4);
    const heft_check_column *x = heft_check_column_at(check, 0);
    assert_string_equal(x->name, "x");
    assert_int_equal(x->kind, HEFT_NUMERIC);
    assert_int_equal(x->n_missing, 1);
    assert_int_equal(x->n_distinct, 3);
    assert_true(x->least == -4 && x->most == 2.5 && fabs(x->mean + 0.5 / 3) < 1e-15);
    const heft_check_column *c = heft_check_column_at(check, 1);
    assert_int_equal(c->n_frequent, 2);
    assert_string_equal(c->frequent[0], "a");
    assert_int_equal(c->n_rows_with[0], 2);
    assert_int_equal(c->n_missing, 1);
    assert_true(heft_check_column_at(check, 3)->target);
    assert_null(heft_check_column_at(check, 4));
    must_find(check, "constant", "column 'same'");
    heft_check_free(check);
}

/* 200 rows with one of each fault. */
static void faults_are_found(void **state)
{
    (void)state;
    length = 0;
    LINE("id;n;d;price;pct;cash;big;note;a;b;copy;leak;empty;x;class\n");
    for (size_t i = 0; i < 200; i++) {
        const size_t y = draw(i, 1, 2), a = draw(i, 2, 4);
        LINE("K%05zu;%zu;2024-%02zu-%02zu;%zu,%zu;%zu%%;$%zu.50;%zu,%03zu,000;", i * 7919 % 90001,
             i + 10, draw(i, 3, 12) + 1, draw(i, 4, 28) + 1, draw(i, 5, 90), draw(i, 6, 90),
             draw(i, 7, 90), draw(i, 8, 90), draw(i, 9, 90) + 1, draw(i, 10, 1000));
        LINE("the text of row number %zu is a long one;%zu;v%zu;%zu;L%zu;%s;%zu;%s\n", i, a, 3 - a,
             draw(i, 11, 100), y, i % 50 ? "" : "1", draw(i, 11, 100), y ? "yes" : "no");
    }
    heft_check *check = check_of(text, NULL, 0);
    must_find(check, "identifier", ".drop = \"id\")");
    must_find(check, "row-number", "column 'n'");
    must_find(check, "date", "column 'd'");
    must_find(check, "number-as-text", "column 'price': numbers with a decimal comma");
    must_find(check, "free-text", "column 'note'");
    must_find(check, "leak", "column 'leak'");
    must_find(check, "missing", "column 'empty'");
    must_find(check, "repeat", "column 'b' is a one-to-one recoding of column 'a'");
    assert_string_equal(heft_check_finding(check, 0)->code, "leak"); /* the most serious first */
    char *out;
    assert_int_equal(heft_check_text(check, "text", &out, &err), HEFT_OK);
    assert_non_null(strstr(out, "a percent sign"));
    assert_non_null(strstr(out, "a sign of currency"));
    assert_non_null(strstr(out, "separators of thousands"));
    assert_non_null(strstr(out, "column 'x' repeats column 'copy'"));
    heft_text_free(out);
    heft_check_free(check);
}

/* A number tells the class by a border that lies inside of an interval of equal frequency. */
static void a_number_that_tells_the_class_is_found(void **state)
{
    (void)state;
    for (size_t every = 3; every <= 60; every *= 20) {
        length = 0;
        LINE("days,x,class\n");
        for (size_t i = 0; i < 3000; i++) {
            const bool late = i % every == 1;
            LINE("%zu.%03zu,%zu,%s\n", draw(i, 1, 30) + (late ? 60 : 0), draw(i, 2, 1000),
                 draw(i, 3, 1000), late ? "fraud" : "ok");
        }
        heft_check *check = check_of(text, NULL, 0);
        must_find(check, "leak", "column 'days': it almost determines the class by itself (100%");
        assert_true(heft_check_column_at(check, 1)->information < 0.05);
        heft_check_free(check);
    }
}

static void a_clean_table_has_no_findings(void **state)
{
    (void)state;
    length = 0;
    LINE("a,b,c,class\n");
    for (size_t i = 0; i < 300; i++) {
        const size_t y = draw(i, 1, 3);
        LINE("%zu.%zu,%zu,k%zu,c%zu\n", draw(i, 2, 50) + 10 * y, draw(i, 3, 1000), draw(i, 4, 40),
             draw(i, 5, 4), y);
    }
    heft_check *check = check_of(text, NULL, 0);
    for (size_t k = 0; k < heft_check_findings(check); k++)
        assert_false(heft_check_finding(check, k)->serious);
    heft_check_free(check);
}

static void the_class_is_checked(void **state)
{
    (void)state;
    heft_check *check;
    length = 0;
    LINE("x,price\n");
    for (size_t i = 0; i < 200; i++) LINE("%zu,%zu.%zu\n", draw(i, 1, 9), draw(i, 2, 900), i % 10);
    check = check_of(text, NULL, 0);
    must_find(check, "numeric-class", "class column 'price'");
    heft_check_free(check);
    length = 0;
    LINE("x,class\n");
    for (size_t i = 0; i < 500; i++) LINE("%zu,%s\n", draw(i, 1, 99), i % 100 ? "no" : "fraud");
    check = check_of(text, NULL, 0);
    must_find(check, "imbalance", "class 'fraud' has only 1.0% of the rows");
    must_find(check, "rare-class", "'fraud' (5)");
    heft_check_free(check);
    check = check_of("x,class\n1,a\n2,a\n", NULL, 0);
    must_find(check, "one-class", "all rows have the class 'a'");
    heft_check_free(check);
    check = check_of("x,class\n1,?\n2,?\n", NULL, 0);
    must_find(check, "one-class", "all cells are missing");
    heft_check_free(check);
}

static void repeated_rows_are_counted(void **state)
{
    (void)state;
    heft_check *check =
        check_of("a,b,class\n1,x,p\n1,x,p\n1,x,q\n2,x,p\n,x,p\n,x,p\n3,y,?\n", NULL, 0);
    must_find(check, "repeated-rows", "(remove rows that were copied by mistake)");
    must_find(check, "contradiction", "3 rows have other rows");
    must_find(check, "no-class", "1 row has no class");
    heft_check_free(check);
}

/* A sparse table gives what the same cells give in a dense one. */
static void sparse_rows_are_checked_alike(void **state)
{
    (void)state;
    static char sparse[100000];
    size_t      at = 0;
    length = 0;
    LINE("class,c1,c2,c3\n");
    for (size_t i = 0; i < 120; i++) {
        const size_t y = draw(i, 1, 2), a = draw(i, 2, 3), b = draw(i, 3, 2) + y;
        LINE("%zu,%zu,%zu,%d\n", y, a, b, i < 40 ? -1 : 0);
        at += (size_t)snprintf(sparse + at, sizeof sparse - at, "%zu", y);
        if (a) at += (size_t)snprintf(sparse + at, sizeof sparse - at, " 1:%zu", a);
        if (b) at += (size_t)snprintf(sparse + at, sizeof sparse - at, " 2:%zu", b);
        if (i < 40) at += (size_t)snprintf(sparse + at, sizeof sparse - at, " 3:-1");
        at += (size_t)snprintf(sparse + at, sizeof sparse - at, "\n");
    }
    heft_check *dense = check_of(text, NULL, 0);
    heft_check *other = check_of(sparse, &(heft_source){.format = "libsvm"}, 0);
    for (size_t j = 0; j < 3; j++) {
        const heft_check_column *p = heft_check_column_at(dense, j);
        const heft_check_column *q = heft_check_column_at(other, j);
        assert_int_equal(p->n_distinct, q->n_distinct);
        assert_true(p->least == q->least && p->most == q->most);
        assert_true(p->information == q->information);
    }
    heft_check_free(dense);
    heft_check_free(other);
}

/* Documents: what is not shown is counted, and names are safe. */
static void documents_are_bounded_and_safe(void **state)
{
    (void)state;
    char *out;
    length = 0;
    LINE("<script>x</script>,\"\033[31m\",");
    for (size_t j = 0; j < 60; j++) LINE("f%zu,", j);
    LINE("class\n");
    for (size_t i = 0; i < 30; i++) {
        LINE("%zu,v%zu,", i % 7, i % 3);
        for (size_t j = 0; j < 60; j++) LINE("%zu,", draw(i, j, 5));
        LINE("%s\n", i % 2 ? "</svg>" : "q");
    }
    heft_check *check = check_of(text, NULL, 10);
    assert_int_equal(heft_check_text(check, "text", &out, &err), HEFT_OK);
    assert_non_null(strstr(out, "52 more columns, which say less about the class"));
    assert_null(strchr(out, '\033'));
    heft_text_free(out);
    assert_int_equal(heft_check_text(check, "html", &out, &err), HEFT_OK);
    assert_null(strstr(out, "<script>x"));
    assert_non_null(strstr(out, "<bdi>&lt;script&gt;x&lt;/script&gt;</bdi>"));
    assert_null(strstr(out, "</svg>"));
    assert_null(strchr(out, '\033'));
    heft_text_free(out);
    assert_int_equal(heft_check_text(check, "xml", &out, &err), HEFT_EINVAL);
    assert_null(out);
    heft_check_free(check);
    check = check_of("x,c\n1,a\n2,b\n1,a\n", &(heft_source){.no_target = true}, 1);
    assert_int_equal(heft_check_text(check, "json", &out, &err), HEFT_OK);
    assert_non_null(strstr(out, "\"groups\": [null],\n \"shown\": [0],"));
    assert_non_null(strstr(out, "\"bars\": {\"values\": [1, 2], \"rows\": [[2], [1]]}"));
    heft_text_free(out);
    assert_int_equal(heft_check_text(check, "html", &out, &err), HEFT_OK);
    heft_text_free(out);
    heft_check_free(check);
    assert_int_equal(heft_check_table(NULL, NULL, &check, &err), HEFT_EINVAL);
}

/* Every allocation may fail. */
static void no_memory_is_survived(void **state)
{
    (void)state;
    heft_check *check = NULL;
    heft_table *t = read_text("m.csv", "a,b,class\n1,x,p\n2,y,q\n3,x,p\n,y,q\n", NULL);
    for (size_t n = 1;; n++) {
        char *out = NULL;
        heft_fail_alloc_at(n, false);
        heft_status st = heft_check_table(t, NULL, &check, &err);
        if (st == HEFT_OK) st = heft_check_text(check, "html", &out, &err);
        heft_fail_alloc_at(0, false);
        heft_text_free(out);
        heft_check_free(check);
        check = NULL;
        if (st == HEFT_OK) break;
        assert_int_equal(st, HEFT_ENOMEM);
    }
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(columns_are_described),
        IN_READING(faults_are_found),
        IN_READING(a_number_that_tells_the_class_is_found),
        IN_READING(a_clean_table_has_no_findings),
        IN_READING(the_class_is_checked),
        IN_READING(repeated_rows_are_counted),
        IN_READING(sparse_rows_are_checked_alike),
        IN_READING(documents_are_bounded_and_safe),
        IN_READING(no_memory_is_survived),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
