/* read_parquet_test.c - Parquet files give the table of a CSV file with the same cells; what is
 * damaged, hostile or not a flat table is refused with a sentence.
 *
 * The files are in tests/parquet, written by pyarrow, polars and DuckDB (make.py there). */
#include "reading.h"

#include <errno.h>
#include <math.h>

#include "base/io.h"
#include "data/formats/parquet/encodings.h"
#include "data/formats/parquet/reader.h"

static const char *parquet_file(const char *name)
{
    static char path[4][1024];
    static int  k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/tests/parquet/%s", getenv("HEFT_ROOT"), name);
    return path[k];
}

/* The bytes of a file of tests/parquet. */
static size_t load(const char *name, char *out, size_t size)
{
    FILE *file = fopen(parquet_file(name), "rb");
    assert_non_null(file);
    const size_t n = fread(out, 1, size, file);
    fclose(file);
    assert_in_range(n, 1, size - 1);
    return n;
}

static void refused(const char *name, const heft_source *how, heft_status code, const char *part)
{
    heft_table       *table = NULL;
    const heft_status st = heft_read_table(&ctx, parquet_file(name), how, NULL, &table);
    if (st != code || !strstr(err.text, part)) fail_msg("%s: %d '%s'", name, st, err.text);
    assert_null(table);
}

static void same_as_csv(const char *name, const char *csv, const heft_source *how)
{
    heft_table *a = read_as(parquet_file(name), how, NULL);
    heft_table *b = read_as(parquet_file(csv), how, NULL);
    assert_same_table(b, a);
    heft_table_free(a);
    heft_table_free(b);
}

static const char *const same[] = {
    "snappy",   "plain",       "gzip-v2",  "zstd-pages", "checksum",      "overflow", "delta",
    "delta-v2", "decimal-int", "required", "polars",     "polars-snappy", "duckdb",   "duckdb-v2"};

/* Every encoding, codec, version of pages, cut into row groups and pages, with missing values. */
static void tables_are_those_of_csv(void **state)
{
    char path[64];
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        snprintf(path, sizeof path, "%s.parquet", same[k]);
        same_as_csv(path, "table.csv", NULL);
        same_as_csv(path, "table.csv", &(heft_source){.nominal = "small,count", .drop = "word"});
        same_as_csv(path, "table.csv", &(heft_source){.target = "yes", .weight = "count"});
        same_as_csv(path, "table.csv", &(heft_source){.missing = "5,red"});
        assert_cut_does_not_matter(parquet_file(path), NULL);
    }
    same_as_csv("twice.parquet", "twice.csv", NULL);
    same_as_csv("index.parquet", "table.csv", NULL); /* without the row index of pandas */
    assert_non_null(strstr(said, "'__index_level_0__' is left out as the row index"));
    assert_cut_does_not_matter(parquet_file("twice.parquet"), &(heft_source){.positive = "a"});
}

/* Several files are one table; they must have the same columns. */
static void files_follow_one_another(void **state)
{
    (void)state;
    const char *const more[] = {parquet_file("gzip-v2.parquet"), NULL};
    same_as_csv("twice.parquet", "twice.csv", NULL);
    heft_table *a = read_as(parquet_file("snappy.parquet"), &(heft_source){.more = more}, NULL);
    heft_table *b = read_as(parquet_file("twice.csv"), NULL, NULL);
    assert_same_table(b, a);
    heft_table_free(a);
    heft_table_free(b);
    const char *const other[] = {parquet_file("lz4.parquet"), NULL};
    refused("snappy.parquet", &(heft_source){.more = other}, HEFT_EFORMAT,
            "lz4.parquet: the file has 2 columns, but the first file has 10 columns");
}

static void files_are_recognised(void **state)
{
    static char  bytes[8192];
    const size_t n = load("snappy.parquet", bytes, sizeof bytes);
    (void)state;
    heft_table *a = read_as(parquet_file("snappy.parquet"), NULL, NULL);
    heft_table *b = read_as(put_bytes("named.csv", bytes, n), NULL, NULL);
    assert_same_table(a, b);
    heft_table_free(b);
    b = read_as(put_bytes("named.dat", bytes, n), &(heft_source){.format = "parquet"}, NULL);
    assert_same_table(a, b);
    heft_table_free(b);
    heft_table_free(a);
    refuse_text("t.parquet", "a,b\n1,x\n", NULL, HEFT_EFORMAT, "does not begin with PAR1");
    refuse_text("e.parquet", "", NULL, HEFT_EFORMAT, "does not begin with PAR1");
}

/* Dates, lists and the like are no trouble where nobody needs them. */
static void odd_columns_are_refused_where_used(void **state)
{
    static const char *const columns[][2] = {
        {"day", "holds dates (store them as numbers"},
        {"stamp", "holds dates and times"},
        {"list", "is a list"},
        {"struct", "is nested (it has columns of its own)"},
        {"map", "is a map"},
        {"time", "is a time of day"},
        {"fixed", "is binary data"},
        {"bytes", "'\\xff\\x00' is not text: it has a NUL byte"}};
    static const char all[] = "day,stamp,list,struct,map,time,bytes,fixed";
    (void)state;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        char drop[sizeof all] = "", name[32];
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
            if (j != k) strcat(strcat(drop, *drop ? "," : ""), columns[j][0]);
        snprintf(name, sizeof name, "column '%s'", columns[k][0]);
        const heft_status code = k == 7 ? HEFT_EFORMAT : HEFT_EUNSUPPORTED;
        refused("odd.parquet", &(heft_source){.drop = drop}, code, columns[k][1]);
        assert_non_null(strstr(err.text, name));
    }
    heft_table *t = read_as(parquet_file("odd.parquet"), &(heft_source){.drop = all}, NULL);
    assert_int_equal(t->n_cols, 4);
    assert_true(number_at(t, 1, 0) == 9007199254740992.0); /* the nearest double */
    assert_true(number_at(t, 0, 1) == 0.5 && isnan(number_at(t, 1, 1)));
    assert_true(number_at(t, 2, 1) == -65504);
    assert_true(number_at(t, 0, 2) == 12345678901234567890.123 && number_at(t, 1, 2) == -0.001);
    assert_true(isnan(number_at(t, 0, 3)));
    heft_table_free(t);
    refused("int96.parquet", NULL, HEFT_EUNSUPPORTED, "column 'stamp' is a timestamp of 96 bits");
    refused("lz4.parquet", NULL, HEFT_EUNSUPPORTED, "is compressed with LZ4");
    refused("brotli.parquet", NULL, HEFT_EUNSUPPORTED, "is compressed with Brotli");
    refused("no-rows.parquet", NULL, HEFT_EFORMAT, "the file has no data rows");
    refused("no-columns.parquet", NULL, HEFT_EFORMAT, "the file has no columns");
    refused("snappy.parquet", &(heft_source){.skip = 1}, HEFT_EINVAL,
            "heft_source.skip leaves out lines");
    refused("snappy.parquet", &(heft_source){.decimal_mark = ','}, HEFT_EINVAL,
            "heft_source.decimal_mark");
}

/* As values, dates are written as usual, and whole numbers exactly. */
static void values_are_texts(void **state)
{
    static const heft_source how = {.nominal = "day,stamp,id,huge",
                                    .drop = "list,struct,map,time,bytes,fixed,half,none"};
    (void)state;
    heft_table *t = read_as(parquet_file("odd.parquet"), &how, NULL);
    assert_string_equal(value_at(t, 1, 0), "9007199254740993");
    assert_string_equal(value_at(t, 0, 1), "1970-01-01");
    assert_string_equal(value_at(t, 1, 1), "2024-02-29");
    assert_string_equal(value_at(t, 2, 1), "1899-12-31");
    assert_string_equal(value_at(t, 0, 2), "2001-02-03 04:05:06");
    assert_string_equal(value_at(t, 1, 2), "1969-12-31 23:59:59.500000");
    assert_string_equal(value_at(t, 0, 3), "12345678901234567890.123");
    assert_string_equal(value_at(t, 1, 3), "-0.001");
    heft_table_free(t);
}

/* A model that needs the column id: other columns are not looked at, whatever they are. */
static void models_get_what_they_need(void **state)
{
    static const char *const names[] = {"id"};
    static const heft_kind   kinds[] = {HEFT_NUMERIC};
    const heft_expect        expect = {.n = 1, .names = names, .kinds = kinds, .target = "class"};
    (void)state;
    heft_table *t = read_as(parquet_file("odd.parquet"), NULL, &expect);
    assert_int_equal(t->n_rows, 3);
    assert_string_equal(class_at(t, 1), "b");
    heft_table_free(t);
    const heft_source how = {.keep = "day,id,huge,class"};
    t = read_as(parquet_file("odd.parquet"), &how, &expect);
    assert_string_equal(t->kept.names, "id,day,huge,class");
    assert_memory_equal(t->kept.text, "1,1970-01-01,12345678901234567890.123,a", t->kept.end[0]);
    assert_memory_equal(t->kept.text + t->kept.end[0], "9007199254740993,2024-02-29,-0.001,b",
                        t->kept.end[1] - t->kept.end[0]);
    heft_table_free(t);
}

/* ---- damage ---- */

static void no_memory_is_an_error(void **state)
{
    (void)state;
    assert_survives_no_memory(parquet_file("delta.parquet"), NULL);
    assert_survives_no_memory(parquet_file("gzip-v2.parquet"), &(heft_source){.nominal = "big"});
    assert_survives_no_memory(parquet_file("overflow.parquet"), &(heft_source){.keep = "all"});
}

/* Whichever call of the system fails, it is told; one that reads a single byte changes nothing. */
static void failing_calls_are_told(void **state)
{
    heft_table *whole = read_as(parquet_file("gzip-v2.parquet"), NULL, NULL);
    (void)state;
    for (int code = 0; code <= EIO; code += EIO) {
        heft_status st = HEFT_EIO;
        size_t      n = 0, told = 0;
        for (bool done = false; !done;) {
            heft_table *table = NULL;
            heft_fail_io_at(++n, code, false);
            st = heft_read_table(&ctx, parquet_file("gzip-v2.parquet"), NULL, NULL, &table);
            done = heft_io_count() < n;
            heft_fail_io_at(0, 0, false);
            assert_int_equal(st != HEFT_OK, table == NULL);
            told += st == HEFT_EIO;
            assert_true(st == HEFT_OK || st == HEFT_EIO);
            if (table) assert_same_table(whole, table);
            heft_table_free(table);
        }
        assert_true(n > 30);
        assert_int_equal(told, code ? n - 2 : 0); /* that of closing the file is no loss */
    }
    heft_table_free(whole);
}

/* Reads it; where it is no table there is a sentence. */
static void try_bytes(const char *bytes, size_t n, const heft_source *how)
{
    heft_table *table = NULL;
    ctx.threads = 1;
    if (heft_read_table(&ctx, put_bytes("d.parquet", bytes, n), how, NULL, &table) == HEFT_OK) {
        if (heft_table_check(&ctx, table) != HEFT_OK) fail_msg("%s", err.text);
    } else {
        assert_true(strlen(err.text) > 10);
        assert_null(table);
    }
    heft_table_free(table);
}

/* Cut at any place, the end is missing. */
static void truncated_files_are_refused(void **state)
{
    static char  bytes[8192];
    const size_t n = load("delta.parquet", bytes, sizeof bytes);
    (void)state;
    for (size_t k = 4; k < n; k += 3) {
        heft_table *table;
        assert_int_equal(
            heft_read_table(&ctx, put_bytes("c.parquet", bytes, k), NULL, NULL, &table),
            HEFT_EFORMAT);
        assert_non_null(strstr(err.text, "Parquet file is truncated"));
    }
}

/* Any byte may be another one: a valid table or a sentence. */
static void damaged_files_are_survived(void **state)
{
    static char       good[8192], bad[8192];
    const heft_source how = {.max_unpacked = (size_t)1 << 22};
    uint64_t          s = 99;
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.parquet", same[k]);
        const size_t n = load(name, good, sizeof good);
        for (int round = 0; round < 250; round++) {
            memcpy(bad, good, n);
            for (int edit = 0; edit <= round % 3; edit++) {
                s = s * 6364136223846793005u + 1442695040888963407u;
                bad[(s >> 33) % n] = (char)(s >> 20);
            }
            try_bytes(bad, n, &how);
        }
    }
}

/* Bytes of a page that has a checksum cannot change unseen. */
static void checksums_are_checked(void **state)
{
    static char  bytes[8192];
    const size_t n = load("checksum.parquet", bytes, sizeof bytes);
    (void)state;
    bool seen = false;
    for (size_t k = 20; k < 120 && !seen; k++) {
        heft_table *table = NULL;
        bytes[k] ^= 64;
        if (heft_read_table(&ctx, put_bytes("k.parquet", bytes, n), NULL, NULL, &table) != HEFT_OK)
            seen = strstr(err.text, "the checksum of a page is wrong") != NULL;
        heft_table_free(table);
        bytes[k] ^= 64;
    }
    assert_true(seen);
}

static void foreign_ends_are_refused(void **state)
{
    static char  bytes[8192];
    const size_t n = load("plain.parquet", bytes, sizeof bytes);
    (void)state;
    memcpy(bytes + n - 4, "PARE", 4);
    assert_refused("p.parquet", bytes, n, NULL, HEFT_EUNSUPPORTED, "is encrypted");
    memcpy(bytes, "PARE", 4);
    assert_refused("p.parquet", bytes, n, NULL, HEFT_EUNSUPPORTED, "is encrypted");
    memcpy(bytes, "PAR1", 4);
    memcpy(bytes + n - 8, "\xff\xff\xff\x7fPAR1", 8);
    assert_refused("p.parquet", bytes, n, NULL, HEFT_EFORMAT, "is truncated");
    memcpy(bytes + n - 8, "\x09\0\0\0PAR1", 8);
    assert_refused("p.parquet", bytes, n, NULL, HEFT_EFORMAT, "is damaged");
}

/* ---- parts ---- */

/* A footer by hand: one column, `rows` rows in a group without pages. */
static size_t put_footer(char *out, uint64_t rows)
{
    static const char head[] = "\x15\x02"                   /* version 1 */
                               "\x19\x2c"                   /* a list of two elements: */
                               "\x48\x01r\x15\x02\0"        /* the root, one child */
                               "\x15\x04\x25\0\x18\x01x\0"; /* INT64, required, x */
    char   n_rows[16];
    size_t k = 0, at = 0;
    for (uint64_t z = rows << 1; z || !k; z >>= 7)
        n_rows[k++] = (char)((z & 127) | (z > 127 ? 128 : 0));
#define ADD(text, n) (memcpy(out + at, (text), (n)), at += (n))
    ADD("PAR1", 4);
    ADD(head, sizeof head - 1);
    ADD("\x16", 1), ADD(n_rows, k);               /* num_rows */
    ADD("\x19\x1c\x19\x1c\x3c", 5);               /* a row group with one chunk, its description: */
    ADD("\x15\x04\x35\0\x16", 5), ADD(n_rows, k); /* INT64, uncompressed, values */
    ADD("\x26\x02\x26\x08\0\0", 6);               /* a byte long, from byte 4 on */
    ADD("\x26", 1), ADD(n_rows, k), ADD("\0\0", 2);
    const uint32_t length = (uint32_t)(at - 4);
    for (unsigned b = 0; b < 4; b++) out[at++] = (char)(length >> (8 * b));
    ADD("PAR1", 4);
#undef ADD
    return at;
}

/* A hundred bytes that tell of a million million rows must not make heft take memory for them. */
static void rows_that_cannot_be_are_refused(void **state)
{
    char         bytes[256];
    const size_t n = put_footer(bytes, (uint64_t)1 << 40);
    (void)state;
    assert_refused("b.parquet", bytes, n, NULL, HEFT_EFORMAT, "heft_source.max_unpacked");
    assert_refused("b.parquet", bytes, put_footer(bytes, 3), NULL, HEFT_EFORMAT, "is damaged");
}

/* Packed values of every width, taken in pieces of every size, with runs between. */
static void runs_are_unpacked(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 32; width++) {
        uint8_t  bytes[512 + HEFT_PARQUET_PAD] = {0};
        uint32_t value[64 + 5], got[64 + 5];
        size_t   at = 0, bit = 8;
        uint64_t s = width;
        bytes[at++] = 8 << 1 | 1; /* 8 groups */
        for (size_t i = 0; i < 64; i++, bit += width) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            value[i] = (uint32_t)(s >> 32 & (((uint64_t)1 << width) - 1));
            for (unsigned b = 0; b < width; b++)
                if (value[i] >> b & 1) bytes[(bit + b) / 8] |= (uint8_t)(1u << ((bit + b) % 8));
        }
        at += 8 * width;
        bytes[at++] = 5 << 1; /* 5 times 1 */
        bytes[at] = 1;
        at += (width + 7) / 8;
        for (size_t i = 64; i < 69; i++) value[i] = 1;
        for (size_t piece = 1; piece < 70; piece += 1 + piece / 3) {
            heft_runs r = heft_runs_of(bytes, bytes + at, width);
            for (size_t i = 0; i < 69; i += piece)
                assert_true(heft_runs_take(&r, got + i, 69 - i < piece ? 69 - i : piece));
            assert_memory_equal(value, got, sizeof value);
            assert_false(heft_runs_take(&r, got, 1));
        }
    }
}

static void broken_runs_are_told(void **state)
{
    static const uint8_t cut[2 + HEFT_PARQUET_PAD] = {9 << 1 | 1, 7},
                                 large[2 + HEFT_PARQUET_PAD] = {2, 9};
    uint32_t  got[80];
    heft_runs r = heft_runs_of(cut, cut + 2, 3);
    (void)state;
    assert_false(heft_runs_take(&r, got, 72));
    r = heft_runs_of(large, large + 2, 3);
    assert_false(heft_runs_take(&r, got, 1));
    r = heft_runs_of(large, large + 2, 3);
    assert_int_equal(heft_runs_skip(&r, 1, 5), 0); /* what is broken stays so */
    assert_false(heft_runs_take(&r, got, 1));
    r = heft_runs_of(cut, cut, 3);
    assert_false(heft_runs_take(&r, got, 1));
    assert_int_equal(heft_runs_skip(&r, 1, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_READING(tables_are_those_of_csv),
        IN_READING(files_follow_one_another),
        IN_READING(files_are_recognised),
        IN_READING(odd_columns_are_refused_where_used),
        IN_READING(values_are_texts),
        IN_READING(models_get_what_they_need),
        IN_READING(no_memory_is_an_error),
        IN_READING(failing_calls_are_told),
        IN_READING(truncated_files_are_refused),
        IN_READING(damaged_files_are_survived),
        IN_READING(checksums_are_checked),
        IN_READING(foreign_ends_are_refused),
        IN_READING(rows_that_cannot_be_are_refused),
        IN_READING(runs_are_unpacked),
        IN_READING(broken_runs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
