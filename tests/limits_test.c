/* limits_test.c - a small file cannot make heft ask for a great deal: columns, classes and unpacked
 * bytes have limits, and each of them can be moved. */
#include "reading.h"

#include <zlib.h>
#include <zstd.h>

/* One line of LIBSVM may name any column: the limit holds before memory is asked for. */
static void columns(void **state)
{
    (void)state;
    refuse_text("a.svm", "1 16777217:1\n", NULL, HEFT_EFORMAT,
                "an index above 16777216 (allow more with heft_source.max_columns)");
    refuse_text("a.svm", "1 11:1\n", &(heft_source){.max_columns = 10}, HEFT_EFORMAT,
                "an index above 10 ");
    refuse_text("a.svm", "1 2147483647:1\n", &(heft_source){.max_columns = SIZE_MAX}, HEFT_EFORMAT,
                "an index above 2147483646");
    refuse_text("a.svm", "1 16777216:1\n2 1:1\n", NULL, HEFT_EFORMAT,
                "index 16777216 is high for a file with 2 entries");
    heft_table *t =
        read_text("a.svm", "1 200000:1\n2 1:1\n", &(heft_source){.max_columns = 200000});
    assert_int_equal(t->n_cols, 200000);
    heft_table_free(t);
    t = read_text("a.svm", "1 10:1\n2 1:1\n", &(heft_source){.max_columns = 10});
    assert_int_equal(t->n_cols, 10);
    heft_table_free(t);
    refuse_text("a.csv", "a,b,c\n1,2,x\n", &(heft_source){.max_columns = 2}, HEFT_EFORMAT,
                "more than 2 columns (allow more with heft_source.max_columns)");
    heft_table_free(read_text("a.csv", "a,b,c\n1,2,x\n", &(heft_source){.max_columns = 3}));
    refuse_text("a.arff", "@attribute a real\n@attribute b real\n@data\n1,2\n",
                &(heft_source){.max_columns = 1}, HEFT_EFORMAT, "more than 1 columns");
}

static void classes(void **state)
{
    (void)state;
    const char *text = "x,class\n1,a\n2,b\n3,c\n";
    refuse_text("a.csv", text, &(heft_source){.max_classes = 2}, HEFT_EFORMAT,
                "3 distinct values, and at most 2 are allowed");
    heft_table_free(read_text("a.csv", text, &(heft_source){.max_classes = 3}));
}

enum { ROWS = 100 * 1000, ROW = 6 };

static char *repetitive(size_t *n)
{
    char *text = malloc(2 + ROWS * ROW);
    assert_non_null(text);
    for (size_t i = 0; i < ROWS; i++) memcpy(text + i * ROW, i % 2 ? "1,2,a\n" : "3,4,b\n", ROW);
    *n = ROWS * ROW;
    return text;
}

/* A packed file that grows beyond what is allowed is refused while it is unpacked; the same file
 * within the limit is read. */
static void unpacked_bytes(void **state)
{
    (void)state;
    size_t n, room;
    char  *text = repetitive(&n);
    uLongf n_gz = 0;
    room = compressBound(n) + ZSTD_compressBound(n) + 64;
    char    *gz = malloc(room), *zst = malloc(room);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)text, z.avail_in = (uInt)n;
    z.next_out = (Bytef *)gz, z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    n_gz = z.total_out;
    deflateEnd(&z);
    const size_t n_zst = ZSTD_compress(zst, room, text, n, 3);
    assert_true(n_gz < n / 100 && n_zst < n / 100);
    for (int k = 0; k < 2; k++) {
        const char  *name = k ? "b.csv.zst" : "b.csv.gz";
        const char  *bytes = k ? zst : gz;
        const size_t length = k ? n_zst : n_gz;
        assert_refused(name, bytes, length, &(heft_source){.max_unpacked = n - 1}, HEFT_EFORMAT,
                       "allow more with heft_source.max_unpacked");
        heft_table *t = read_as(put_bytes(name, bytes, length), /* the default takes it, too */
                                &(heft_source){.max_unpacked = n}, NULL);
        assert_int_equal(t->n_rows, ROWS);
        heft_table_free(t);
        heft_table_free(read_as(put_bytes(name, bytes, length), NULL, NULL));
    }
    free(text), free(gz), free(zst);
}

/* A column may be called like the beginning of another kind of file. */
static void names_like_files(void **state)
{
    (void)state;
    heft_table_free(read_text("a.csv", "PAR1,BZh,class\n1,2,x\n", NULL));
    heft_table_free(read_text("a.csv", "BZh9\tclass\n1\tx\n", NULL));
    refuse_text("a.csv", "PAR1\x15\x04\x15", NULL, HEFT_EFORMAT, "Parquet");
    refuse_text("a.csv", "BZh91AY&SY\x01\x02", NULL, HEFT_EFORMAT, "bzip2");
    static const char *const first[] = {"PK\3\4", "\x1f\x8b", "\xff\xfe", "%PDF-",
                                        "\xef\xbb\xbf\x78"};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        char text[64];
        snprintf(text, sizeof text, "x,\"%s\",class\n1,2,a\n3,4,b\n", first[k]);
        heft_table *t = read_text("a.csv", text, &(heft_source){.drop = "x"});
        assert_int_equal(heft_write_table(&ctx, t, in_folder("b.csv"), NULL), HEFT_OK);
        heft_table *back = read_as(in_folder("b.csv"), NULL, NULL);
        assert_same_table(t, back);
        heft_table_free(t), heft_table_free(back);
    }
}

/* The cells of a row that has too many are counted right where some hold quotes, wherever the text
 * is cut. */
static void ragged_rows_with_quotes(void **state)
{
    (void)state;
    const char *text = "a,b\n1,x\n\"p,\"\"q',\",c,d\n\"1,\n2\",x\n";
    refuse_text("a.csv", text, NULL, HEFT_EFORMAT,
                "a.csv:3: the row has 3 cells, but the header has 2");
    assert_refusal_does_not_move(put_text("a.csv", text), NULL);
}

/* Whatever a name holds, the sentence about it is one printable line. */
static void sentences_are_printable(void **state)
{
    (void)state;
    heft_fail(&ctx, HEFT_EIO, "%s: x", "a\nb\x1b[31m\x9b\xc2\x9b\xff\xc3\xa9");
    assert_string_equal(err.text, "a\\x0ab\\x1b[31m\\x9b\\xc2\\x9b\\xff\xc3\xa9: x");
    char name[600];
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    heft_fail(&ctx, HEFT_EIO, "%s", name);
    assert_true(strlen(err.text) < sizeof err.text);
    assert_null(strchr(err.text, '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(columns),
        IN_READING(classes),
        IN_READING(unpacked_bytes),
        IN_READING(names_like_files),
        IN_READING(ragged_rows_with_quotes),
        IN_READING(sentences_are_printable),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
