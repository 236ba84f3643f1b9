/* read_typed_test.c - a columnar format, made for the test, goes through the same builder as text:
 * its tables are those of a CSV file with the same cells.
 *
 * The file has a magic word; its "row groups" are the arrays below, each with a dictionary of its
 * own. */
#include "reading.h"

#include "data/binary_values.h"
#include "data/formats/formats.h"

enum { GROUPS = 3, ROWS = 4, COLUMNS = 5 };

static const double width[GROUPS][ROWS] = {{1.5, NAN, -2, 0.1}, {7, 7, 7, NAN}, {3, 4, 5, 1e300}};
static const double weight[GROUPS][ROWS] = {{1, 2, 0.5, 1}, {1, 1, 0, 1}, {2, 2, 2, 2}};
static const double label[GROUPS][ROWS] = {{1, 2, 1, 10}, {2, NAN, 1, 1}, {10, 10, 2, 1}};
/* in each group other values, in another order; "unused" is in no row */
static const char *const colours[GROUPS][3] = {
    {"red", "blue", "unused"}, {"blue", "green", "red"}, {"green", "?", "a longer colour"}};
static const int32_t     colour[GROUPS][ROWS] = {{0, 1, 1, -1}, {0, 1, 2, 3}, {2, 1, 0, 2}};
static const char *const digits[GROUPS][3] = {{"1", "2", "NA"}, {"3", "1", ""}, {"2", "x", "10"}};
static const int32_t     digit[GROUPS][ROWS] = {{0, 1, 0, 2}, {1, 0, 1, 2}, {0, 1, 2, 0}};

static const char as_csv[] = "width,colour,w,digit,class\n"
                             "1.5,red,1,1,1\n,blue,2,2,2\n-2,blue,0.5,1,1\n0.1,,1,NA,10\n"
                             "7,blue,1,1,2\n7,green,1,3,\n7,red,0,1,1\n,,1,,1\n"
                             "3,a longer colour,2,2,10\n4,?,2,x,10\n5,green,2,10,2\n"
                             "1e300,a longer colour,2,2,1\n";

static heft_status columns(heft_ctx *c, heft_builder *b, heft_feed *feed)
{
    static const char *const names[COLUMNS] = {"width", "colour", "w", "digit", "class"};
    static const char        typed[] = "stored as numbers";
    char                     magic[4];
    size_t                   n;
    HEFT_CHECK(heft_input_rewind(c, feed->in));
    HEFT_CHECK(heft_input_read(c, feed->in, magic, sizeof magic, &n));
    assert_memory_equal(magic, "TYP\0", 4);
    for (size_t j = 0; j < COLUMNS; j++) {
        HEFT_CHECK(heft_schema_add(c, &b->schema, names[j], strlen(names[j])));
        b->schema.fields[j].kind = j == 1 ? HEFT_NOMINAL : HEFT_NUMERIC; /* digits: a guess */
        b->schema.fields[j].why = j == 3 ? NULL : typed;
    }
    return heft_schema_assign(c, &b->schema);
}

/* Column j of group `arg`; numbers are put into the room or handed over. */
static heft_status cells_of(heft_ctx *c, void *arg, size_t j, double *room, heft_typed_cells *out)
{
    const size_t           g = *(const size_t *)arg;
    const heft_typed_cells cells[COLUMNS] = {
        {.numbers = width[g]},
        {.codes = colour[g], .values = colours[g], .n_values = 3},
        {.numbers = weight[g]},
        {.codes = digit[g], .values = digits[g], .n_values = 3},
        {.numbers = label[g]}};
    (void)c;
    *out = cells[j];
    if (j != 0 || !room) return HEFT_OK;
    memcpy(room, width[g], sizeof width[g]);
    out->numbers = room;
    return HEFT_OK;
}

static heft_status rows(heft_ctx *c, heft_builder *b, heft_feed *feed, size_t k)
{
    heft_status st = HEFT_OK;
    heft_batch  batch = {0};
    (void)feed, (void)k;
    for (size_t g = 0; g < GROUPS; g++) {
        const heft_row_group group = {ROWS, g * ROWS + 1, cells_of, &g, .last = g + 1 == GROUPS};
        HEFT_TRY(heft_put_rows(c, b, &batch, &group));
    }
done:
    heft_batch_clear(&batch);
    return st;
}

static const heft_format columnar = {.info = {"columnar", "typ", "for this test", false},
                                     .binary = true,
                                     .columns = columns,
                                     .rows = rows};

static const char *put_columnar(void)
{
    return put_bytes("t.typ", "TYP\0", 4);
}

/* The same table from CSV text and from typed columns; messages aside. */
static void assert_as_csv(const heft_source *how)
{
    heft_table *text = read_text("t.csv", as_csv, how), *typed = NULL;
    if (heft_read_as(&ctx, &columnar, put_columnar(), how, NULL, NULL, &typed) != HEFT_OK)
        fail_msg("%s", err.text);
    if (heft_table_check(&ctx, typed) != HEFT_OK) fail_msg("%s", err.text);
    assert_same_table(text, typed);
    heft_table_free(text);
    heft_table_free(typed);
}

/* Numbers, codes of several dictionaries, missing cells, a numeric class, a column of weights; and
 * each kind read as the other one. */
static void typed_columns_are_the_table_of_the_text(void **state)
{
    (void)state;
    assert_as_csv(NULL);
    assert_as_csv(&(heft_source){.weight = "w"});
    assert_as_csv(&(heft_source){.target = "colour", .drop = "w"});
    assert_as_csv(&(heft_source){.nominal = "width,digit"});
    assert_as_csv(&(heft_source){.numeric = "digit", .missing = "x"});
    assert_as_csv(&(heft_source){.missing = "7,blue"});
    assert_as_csv(&(heft_source){.positive = "10"});
    assert_as_csv(&(heft_source){.keep = "colour,width", .drop = "colour"});
    assert_as_csv(&(heft_source){.keep = "all"});
}

/* The column of digits is guessed to be numeric until a code of "x" comes: a second pass. Where
 * somebody asked for numbers it is an error that names the row. */
static void a_guess_is_refuted_by_a_code(void **state)
{
    (void)state;
    heft_table *typed = NULL;
    assert_int_equal(heft_read_as(&ctx, &columnar, put_columnar(), NULL, NULL, NULL, &typed),
                     HEFT_OK);
    assert_int_equal(typed->cols[3].kind, HEFT_NOMINAL);
    assert_string_equal(value_at(typed, 9, 3), "x");
    heft_table_free(typed);
    assert_int_equal(heft_read_as(&ctx, &columnar, put_columnar(),
                                  &(heft_source){.numeric = "digit"}, NULL, NULL, &typed),
                     HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "t.typ:10: column 'digit': 'x' is not a number"));
    assert_int_equal(heft_read_as(&ctx, &columnar, put_columnar(),
                                  &(heft_source){.numeric = "colour"}, NULL, NULL, &typed),
                     HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "t.typ:1: column 'colour': 'red' is not a number"));
    assert_int_equal(heft_read_as(&ctx, &columnar, put_columnar(),
                                  &(heft_source){.weight = "width"}, NULL, NULL, &typed),
                     HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "t.typ:2: column 'width': '' is not a weight"));
}

typedef struct collected {
    heft_table *all;
    size_t      n_rows, blocks;
} collected;

static heft_status begin(heft_ctx *c, void *arg, const heft_table *schema)
{
    const collected *all = arg;
    (void)c;
    assert_int_equal(schema->n_cols, all->all->n_cols);
    for (size_t j = 0; j < schema->n_cols; j++)
        assert_true(heft_dict_equal(schema->cols[j].dict, all->all->cols[j].dict));
    return HEFT_OK;
}

static heft_status take(heft_ctx *c, void *arg, const heft_table *block)
{
    collected *all = arg;
    size_t     index[GROUPS * ROWS];
    for (size_t i = 0; i < block->n_rows; i++) index[i] = all->n_rows + i;
    heft_table *part = NULL;
    HEFT_CHECK(heft_table_take(c, all->all, index, block->n_rows, &part));
    assert_same_table(part, block);
    heft_table_free(part);
    all->n_rows += block->n_rows;
    all->blocks++;
    return HEFT_OK;
}

/* Blocks of few bytes: the survey becomes light, and a second pass hands out the groups. */
static void blocks_are_rows_of_the_table(void **state)
{
    (void)state;
    for (int small = 0; small < 2; small++) {
        collected       all = {0};
        const heft_sink sink = {begin, take, &all};
        heft_block_bytes = small ? 5 : (size_t)16 << 20;
        all.all = read_text("t.csv", as_csv, NULL);
        if (heft_read_as(&ctx, &columnar, put_columnar(), NULL, NULL, &sink, NULL) != HEFT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(all.n_rows, GROUPS * ROWS);
        assert_int_equal(all.blocks, small ? GROUPS : 1);
        heft_table_free(all.all);
    }
    heft_block_bytes = (size_t)16 << 20;
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        heft_table *table = NULL;
        heft_ctx_clear(&ctx);
        heft_fail_alloc_at(n, false);
        const heft_status st =
            heft_read_as(&ctx, &columnar, in_folder("t.typ"), NULL, NULL, NULL, &table);
        heft_fail_alloc_at(0, false);
        if (st == HEFT_EIO) put_columnar();
        else if (st == HEFT_OK) {
            assert_true(n > 10);
            heft_table_free(table);
            return;
        } else assert_int_equal(st, HEFT_ENOMEM);
        assert_null(table);
    }
}

/* Every format has a name among its endings; names and endings are found in any case and no two
 * formats share one. */
static void the_list_of_formats_holds_together(void **state)
{
    (void)state;
    size_t k = 0;
    for (const heft_format_info *f; (f = heft_format_at(k)); k++) {
        char list[64], path[80], list_of_names[128];
        assert_non_null(strstr(heft_format_list(list_of_names, false, false), f->name));
        assert_true(strlen(f->about) > 10);
        snprintf(list, sizeof list, "%s", f->endings);
        for (char *ending = strtok(list, " "); ending; ending = strtok(NULL, " ")) {
            assert_ptr_equal(heft_format_named(ending), f);
            snprintf(path, sizeof path, "/data.csv/x.%s.gz", ending);
            assert_ptr_equal(heft_format_of_path(path), f);
            char *name = heft_data_name(path);
            assert_string_equal(name, "x");
            heft_free(name);
        }
        assert_ptr_equal(heft_format_named(f->name), f);
    }
    assert_int_equal(k, 5);
    assert_null(heft_format_named("xls"));
    assert_null(heft_format_of_path("/data.csv/x"));
    static const char *const names[][2] = {
        {"-", "stdin"},  {"a/b.CSV.gz", "b"},    {".csv", ".csv"},    {"b.c.txt.zst", "b.c"},
        {"b.data", "b"}, {"b.csv.csv", "b.csv"}, {"b.heft", "b.heft"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = heft_data_name(names[i][0]);
        assert_string_equal(name, names[i][1]);
        heft_free(name);
    }
}

/* Decimals of any width are those of their text; short floats and varints as the formats define
 * them.
 */
static void binary_values_are_those_of_the_text(void **state)
{
    const struct {
        uint8_t     bytes[16];
        size_t      n;
        int         scale;
        const char *text; /* NULL: the scale has none */
        double      value;
    } cases[] = {
        {{0x30, 0x39}, 2, 2, "123.45", 123.45},
        {{0xcf, 0xc7}, 2, 2, "-123.45", -123.45},
        {{0xff}, 1, 3, "-0.001", -0.001},
        {{0}, 1, 0, "0", 0},
        {{0x80, 0, 0, 0, 0, 0, 0, 0}, 8, 0, "-9223372036854775808", -9223372036854775808.0},
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x30, 0x39}, 16, 1, "1234.5", 1234.5},
        {{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1},
         16,
         0,
         "18446744073709551617",
         18446744073709551616.0},
        {{12}, 1, -2, NULL, 1200},
    };
    char text[HEFT_VALUE_TEXT];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (cases[k].text) {
            heft_decimal_text(cases[k].bytes, cases[k].n, cases[k].scale, text);
            assert_string_equal(text, cases[k].text);
        }
        const double x = heft_decimal_value(cases[k].bytes, cases[k].n, cases[k].scale);
        assert_memory_equal(&x, &cases[k].value, sizeof x);
    }
    const uint8_t most[16] = {0x7f, 0xff};
    assert_true(isinf(heft_decimal_value(most, 16, -300)));
    assert_true(heft_half_value(0x3c00) == 1 && heft_half_value(0xc000) == -2);
    assert_true(heft_half_value(0x0001) == ldexp(1, -24) && heft_half_value(0x7bff) == 65504);
    assert_true(isinf(heft_half_value(0xfc00)) && isnan(heft_half_value(0x7c01)));
    assert_int_equal(heft_number_text(-INFINITY, text), 4);
    assert_string_equal(text, "-inf");
    assert_int_equal(heft_number_text(NAN, text), 0);
    assert_int_equal(heft_number_text(0.1, text), 3);
    const uint8_t long_one[] = {0xac, 0x02, 0x80}, *at = long_one;
    uint64_t      n;
    assert_true(heft_take_varint(&at, long_one + 3, &n) && n == 300 && at == long_one + 2);
    assert_false(heft_take_varint(&at, long_one + 3, &n));
    assert_true(heft_unzigzag(0) == 0 && heft_unzigzag(1) == -1 && heft_unzigzag(4) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(typed_columns_are_the_table_of_the_text),
        IN_READING(a_guess_is_refuted_by_a_code),
        IN_READING(blocks_are_rows_of_the_table),
        IN_READING(no_memory_is_an_error),
        IN_READING(the_list_of_formats_holds_together),
        IN_READING(binary_values_are_those_of_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
