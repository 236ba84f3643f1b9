/* read_arff_test.c - ARFF: declarations, dense and sparse rows, Weka's quoting, faults named. */
#include "reading.h"

static const char weather[] =
    "% a comment\r\n"
    "@RELATION 'my data'\r\n"
    "\r\n"
    "@Attribute\toutlook\t{ sunny, 'over cast' ,\"rai\\\"ny\"}   % why\r\n"
    "@attribute 'temp in \\'F' INTEGER [1,10]\r\n"
    "@attribute humidity real\r\n"
    "@attribute note string\r\n"
    "@attribute Class {no,yes,'?'}\r\n"
    "@DATA\r\n"
    "sunny,85,8.5e1,'it\\'s, fine',no\r\n"
    "% between\r\n"
    "\r\n"
    "'over cast' , ? , 90 , plain , yes , {0.5}\r\n"
    "\"rai\\\"ny\"\t70\t96\tother\t'?'\r\n"
    "?,68,?,?,?";

/* Types, names, quoted values, comments, weights in braces and missing cells are understood. */
static void dense_files_are_read(void **state)
{
    (void)state;
    heft_table *t = read_text("w.arff", weather, NULL);
    assert_int_equal(t->n_rows, 4);
    assert_int_equal(t->n_cols, 4);
    assert_string_equal(t->name, "w");
    assert_string_equal(t->cols[1].name, "temp in 'F");
    assert_string_equal(heft_dict_text(t->cols[0].dict, 1), "over cast");
    assert_string_equal(value_at(t, 2, 0), "rai\"ny");
    assert_true(number_at(t, 0, 2) == 85 && isnan(number_at(t, 1, 1)) && number_at(t, 3, 1) == 68);
    assert_string_equal(value_at(t, 0, 3), "it's, fine");
    assert_string_equal(t->target->name, "Class");
    assert_int_equal(heft_dict_size(t->target->dict), 3);
    assert_string_equal(heft_dict_text(t->target->dict, 0), "no"); /* as declared, not sorted */
    assert_string_equal(class_at(t, 2), "?");
    assert_string_equal(class_at(t, 3), "<missing>");
    assert_int_equal(t->target->n_missing, 1);
    assert_true(t->weight[0] == 1 && t->weight[1] == 0.5 && t->weight[2] == 1);
    heft_table_free(t);
    assert_cut_does_not_matter(put_text("w.arff", weather), NULL);
}

/* A quoted ? is a value even where a bare one comes before or after it. */
static void quotes_tell_values_from_marks(void **state)
{
    (void)state;
    const char *text =
        "@relation r\n@attribute a {'?',x}\n@attribute b {NA,y}\n@attribute n numeric\n"
        "@attribute class {p,q}\n@data\n?,NA,?,p\n'?',y,?,q\n?,NA,1,p\n\"?\",?,2,q\n";
    heft_table *t = read_text("q.arff", text, NULL);
    assert_string_equal(value_at(t, 0, 0), "<missing>");
    assert_string_equal(value_at(t, 1, 0), "?");
    assert_string_equal(value_at(t, 2, 0), "<missing>");
    assert_string_equal(value_at(t, 3, 0), "?");
    assert_string_equal(value_at(t, 0, 1), "NA"); /* declared, so a value */
    assert_true(isnan(number_at(t, 0, 2)));
    heft_table_free(t);
    t = read_text("q.arff", text, &(heft_source){.missing = "?"}); /* asked for: quoted ones too */
    assert_int_equal(t->cols[0].n_missing, 4);
    heft_table_free(t);
    assert_cut_does_not_matter(put_text("q.arff", text), NULL);
    /* no other mark is usual there */
    refuse_text("q.arff",
                "@relation r\n@attribute n numeric\n@attribute class {p,q}\n@data\nNA,p\n?,q\n",
                NULL, HEFT_EFORMAT, "'NA' is not a number (declared numeric; .missing = \"NA\"");
}

static const char words[] =
    "@relation words\n@attribute apple numeric\n@attribute size {small,big}\n"
    "@attribute pear numeric\n@attribute topic {a,b,c}\n@data\n"
    "{0 1.5, 2 3, 3 b}\n{1 big,3 c}, {2}\n{ }\n{2 ?, 3 a}\n{0 0,1 small}\n";

/* Sparse rows stay sparse; what is absent is 0 or the first declared value, the class included. */
static void sparse_files_are_read(void **state)
{
    (void)state;
    heft_table *t = read_text("s.arff", words, NULL);
    assert_int_equal(t->n_rows, 5);
    assert_int_equal(t->n_cols, 3);
    assert_non_null(t->sparse);
    assert_null(t->cols[0].cells);
    static const size_t start[] = {0, 2, 3, 3, 4, 4};
    assert_memory_equal(t->sparse->start, start, sizeof start);
    assert_true(t->sparse->col[1] == 2 && t->sparse->val[1] == 3);
    assert_true(t->sparse->col[2] == 1 && t->sparse->val[2] == 1);
    assert_true(isnan(t->sparse->val[3]));
    assert_int_equal(t->cols[2].n_missing, 1);
    assert_string_equal(class_at(t, 0), "b");
    assert_string_equal(class_at(t, 2), "a");
    assert_string_equal(class_at(t, 4), "a");
    assert_true(t->weight[0] == 1 && t->weight[1] == 2);
    heft_table_free(t);
    assert_cut_does_not_matter(put_text("s.arff", words), NULL);
    /* a column in the middle as target, another left out, a third as weights */
    t = read_text("s.arff", words, &(heft_source){.target = "size", .drop = "topic"});
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(class_at(t, 1), "big");
    assert_string_equal(class_at(t, 2), "small");
    assert_true(t->sparse->col[1] == 1);
    heft_table_free(t);
    t = read_text("s.arff",
                  "@attribute w numeric\n@attribute n numeric\n@attribute c numeric\n@data\n"
                  "{0 2,1 7,2 -1}\n{2 1}\n{0 1}\n",
                  &(heft_source){.weight = "w", .nominal = "n"});
    assert_true(t->weight[0] == 2 && t->weight[1] == 0 && t->weight[2] == 1);
    assert_string_equal(heft_dict_text(t->cols[0].dict, 0), "0");
    assert_true(t->sparse->start[3] == 1 && t->sparse->val[0] == 1);
    assert_string_equal(class_at(t, 0), "-1");
    assert_string_equal(class_at(t, 2), "0");
    heft_table_free(t);
}

/* Kinds asked for win over kinds declared. */
static void declared_kinds_can_be_overruled(void **state)
{
    (void)state;
    const char *text = "@attribute a {1,2,3}\n@attribute b numeric\n@attribute class {x,y}\n@data\n"
                       "3,1.50,x\n1,2,y\n";
    heft_table *t = read_text("k.arff", text, &(heft_source){.numeric = "a", .nominal = "b"});
    assert_true(number_at(t, 0, 0) == 3);
    assert_string_equal(value_at(t, 0, 1), "1.50");
    heft_table_free(t);
    const char *const names[] = {"a", "b"};
    const heft_kind   kinds[] = {HEFT_NUMERIC, HEFT_NOMINAL};
    const heft_expect expect = {2, names, kinds, "class", 0, NULL};
    t = read_as(put_text("k.arff", text), NULL, &expect);
    assert_int_equal(t->cols[0].kind, HEFT_NUMERIC);
    assert_int_equal(t->cols[1].kind, HEFT_NOMINAL);
    heft_table_free(t);
}

/* An undeclared value is an error in training and one more value when reading for a model. */
static void undeclared_values_are_for_prediction(void **state)
{
    (void)state;
    const char *text = "@attribute a {u,v}\n@attribute class {x,y}\n@data\nu,x\nnew,y\nnewer,?\n";
    refuse_text("u.arff", text, NULL, HEFT_EFORMAT,
                "u.arff:5: column 'a': 'new' is not among the declared values (u, v)");
    assert_refusal_does_not_move(in_folder("u.arff"), NULL);
    const heft_expect expect = {0, NULL, NULL, "class", 0, NULL};
    heft_chunk_bytes = 8;
    heft_table *t = read_as(put_text("u.arff", text), NULL, &expect);
    assert_int_equal(heft_dict_size(t->cols[0].dict), 4);
    assert_string_equal(heft_dict_text(t->cols[0].dict, 0), "u");
    assert_string_equal(value_at(t, 2, 0), "newer");
    heft_table_free(t);
    t = read_as(put_text("u.arff",
                         "@attribute a {u,v}\n@attribute b numeric\n@attribute class {x}\n"
                         "@data\n{0 new,1 5}\n{1 1}\n{0 newer}\n{0 new}\n"),
                NULL, &expect);
    assert_true(t->sparse->val[0] == 2 && t->sparse->val[3] == 3 && t->sparse->val[4] == 2);
    heft_table_free(t);
}

/* Faults are named with file, line and column. */
static void faults_are_located(void **state)
{
    (void)state;
#define HEAD "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n"
    static const struct {
        const char *text;
        heft_status code;
        const char *part;
    } cases[] = {
        {HEAD "1,x\n2\n", HEFT_EFORMAT,
         "f.arff:6: the row has 1 cell, but the header declares 2 attributes"},
        {HEAD "1,x\n2,x,3\n", HEFT_EFORMAT, "f.arff:6: the row has more than 2 cells"},
        {HEAD "1,x\nabc,x\n", HEFT_EFORMAT,
         "f.arff:6: column 'a': 'abc' is not a number (declared"},
        {HEAD "1,x\n1e400,x\n", HEFT_EFORMAT, "f.arff:6: column 'a': '1e400' is too large"},
        {HEAD "1,'x\n", HEFT_EFORMAT, "f.arff:5: a quotation mark is not closed"},
        {HEAD "1,x\n{0 1}\n", HEFT_EFORMAT, "f.arff:6: a sparse row follows dense rows"},
        {HEAD "{0 1}\n1,x\n", HEFT_EFORMAT, "f.arff:6: a dense row follows sparse rows"},
        {HEAD "{0 1}\n{2 1}\n", HEFT_EFORMAT, "f.arff:6: an index is above 1"},
        {HEAD "{0 1}\n{1 x,0 1}\n", HEFT_EFORMAT, "f.arff:6: the indices of a sparse row"},
        {HEAD "{0 1}\n{0 1,0 1}\n", HEFT_EFORMAT, "must increase"},
        {HEAD "{0 1\n", HEFT_EFORMAT, "not closed"},
        {HEAD "{0}\n", HEFT_EFORMAT, "f.arff:5: a sparse row needs entries"},
        {HEAD "1,x,{-1}\n", HEFT_EFORMAT, "f.arff:5: the weight in braces"},
        {HEAD, HEFT_EFORMAT, "no data rows"},
        {HEAD "% only a comment\n\n", HEFT_EFORMAT, "no data rows"},
        {"@relation r\n@attribute a numeric\n", HEFT_EFORMAT, "no @data"},
        {"@relation r\n@data\n1\n", HEFT_EFORMAT, "no attribute"},
        {"@relation r\n@attribute a\n@data\n1\n", HEFT_EFORMAT,
         "f.arff:2: the attribute has no type"},
        {"@attribute a complex\n@data\n1\n", HEFT_EFORMAT, "f.arff:1: unknown type 'complex'"},
        {"@attribute a relational\n@attribute b real\n@end a\n@data\n1\n", HEFT_EFORMAT,
         "f.arff:1: attribute 'a' is relational"},
        {"@attribute a {x,y\n@data\n1\n", HEFT_EFORMAT,
         "f.arff:1: the list of values is not closed"},
        {"@attribute a {x,x}\n@data\nx\n", HEFT_EFORMAT,
         "f.arff:1: the value 'x' is declared twice"},
        {"@attribute a {x}\n1,2\n@data\n", HEFT_EFORMAT, "f.arff:2: the line is not a declaration"},
        {"@thing a\n@data\n", HEFT_EFORMAT, "f.arff:1: unknown declaration '@thing'"},
        {"@attribute a numeric\n@attribute a {x}\n@data\n1,x\n", HEFT_EFORMAT, "both named 'a'"},
        {"@attribute d date yyyy\n@attribute c {x}\n@data\n1,x\n", HEFT_EUNSUPPORTED,
         "column 'd' is declared a date (leave it out: .drop = \"d\")"},
        {"@attribute s string\n@attribute c {x}\n@data\n{0 1}\n", HEFT_EUNSUPPORTED, "column 's'"},
    };
#undef HEAD
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        refuse_text("f.arff", cases[k].text, NULL, cases[k].code, cases[k].part);
        assert_refusal_does_not_move(in_folder("f.arff"), NULL);
    }
    heft_table *t = read_text("f.arff",
                              "@attribute d date 'yyyy-MM-dd'\n@attribute a numeric\n"
                              "@attribute c {x}\n@data\n'2001-01-01',1,x\n",
                              &(heft_source){.drop = "d"});
    assert_int_equal(t->n_cols, 1);
    heft_table_free(t);
    refuse_text("f.arff", "@attribute a numeric\n@attribute c {x}\n@data\n1,x,{2}\n",
                &(heft_source){.weight = "a"}, HEFT_EFORMAT, "use only one");
}

static void no_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_no_memory(put_text("n.arff", weather), NULL);
    assert_survives_no_memory(put_text("n.arff", words), NULL);
}

static void damage_is_survived(void **state)
{
    (void)state;
    assert_survives_damage("d.arff", weather, 3000, 4);
    assert_survives_damage("d.arff", words, 3000, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(dense_files_are_read),
        IN_READING(quotes_tell_values_from_marks),
        IN_READING(sparse_files_are_read),
        IN_READING(declared_kinds_can_be_overruled),
        IN_READING(undeclared_values_are_for_prediction),
        IN_READING(faults_are_located),
        IN_READING(no_memory_is_survived),
        IN_READING(damage_is_survived),
    };
    return cmocka_run_group_tests_name("read_arff", tests, NULL, NULL);
}
