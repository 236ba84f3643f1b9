/* blocks_test.c - a file read in blocks is the file read at once: the same output, the same
 * warnings, the same errors, wherever the blocks and the chunks are cut. */
#include "reading.h"

#include "data/batch.h"

static char *slurp(const char *path)
{
    return access(path, R_OK) ? NULL : (char *)read_bytes(path).data;
}

static int reset(void **state)
{
    heft_block_bytes = (size_t)16 << 20;
    return close_reading(state);
}

#define IN_BLOCKS(f) cmocka_unit_test_setup_teardown(f, open_reading, reset)

/* ---- converting ---- */

/* The text of `path` read at once and written as `format`, or the error; freed by the caller. */
static char *at_once(const char *path, const heft_source *how, const char *format)
{
    heft_table *table = NULL;
    heft_error  e;
    said[0] = 0;
    if (heft_read(path, how, &table, &e) != HEFT_OK) return strdup(e.text);
    const char *to = in_folder("whole.out");
    if (heft_write(table, to, format, how->run, &e) != HEFT_OK) {
        heft_table_free(table);
        return strdup(e.text);
    }
    heft_table_free(table);
    return slurp(to);
}

static char *in_blocks(const char *path, const heft_source *how, const char *format)
{
    heft_error  e;
    const char *to = in_folder("blocks.out");
    said[0] = 0;
    unlink(to);
    if (heft_convert_file(path, how, NULL, to, format, &e) == HEFT_OK) return slurp(to);
    assert_int_not_equal(access(to, F_OK), 0); /* nothing half-written */
    return strdup(e.text);
}

static void same_both_ways(const char *from, const heft_source *how, const char *format)
{
    char                path[160]; /* in_folder has but a few */
    static const size_t chunks[] = {17, 64, 1000, (size_t)1 << 20};
    char                warned[sizeof said];
    snprintf(path, sizeof path, "%s", from);
    char *whole = at_once(path, how, format);
    strcpy(warned, said);
    for (size_t c = 0; c < 4; c++)
        for (size_t small = 0; small < 2; small++) {
            heft_chunk_bytes = chunks[c];
            heft_block_bytes = small ? 5 : (size_t)16 << 20;
            char *blocks = in_blocks(path, how, format);
            assert_string_equal(blocks, whole);
            assert_string_equal(said, warned);
            free(blocks);
        }
    heft_chunk_bytes = (size_t)1 << 20;
    free(whole);
}

static void same_in_all_formats(const char *from, heft_source how)
{
    char path[160];
    snprintf(path, sizeof path, "%s", from);
    for (int threads = 1; threads <= 3; threads += 2) {
        how.run = RUN(.threads = threads, .host = &listener);
        same_both_ways(path, &how, "csv");
        same_both_ways(path, &how, "arff");
        same_both_ways(path, &how, "libsvm");
    }
}

static const char mixed[] = "x,late,odd,s,w,class\n"
                            "1.50,1,1,b,1,yes\n2,2,2,a,2,no\n3,3,3,b,0.5,yes\n4,4,4,c,1,no\n"
                            "5,5,5,\"a,b\",1,maybe\n6,six,6,b,1,yes\n,7,7,a,1,no\n8,8,8,,1,yes\n"
                            "9,9,9,b,1,\n-0,10,10,b,1,no\n";

/* CSV: kinds that a late cell refutes, values in the order of the whole file, missing cells, a
 * column of weights, one class against the rest. */
static void csv_in_blocks(void **state)
{
    (void)state;
    same_in_all_formats(put_text("a.csv", mixed), (heft_source){0});
    same_in_all_formats(in_folder("a.csv"), (heft_source){.weight = "w", .drop = "x"});
    same_in_all_formats(in_folder("a.csv"), (heft_source){.positive = "yes", .nominal = "odd"});
    same_in_all_formats(in_folder("a.csv"), (heft_source){.positive = "never"});
    same_in_all_formats(in_folder("a.csv"), (heft_source){.numeric = "late"});
    same_in_all_formats(put_text("n.csv", "a,b,class\n1,2,1\n3,4,2\n5,6,1\n7,8,2\n"),
                        (heft_source){0});
}

/* A column that is nominal for a few odd cells is told about with the same count. */
static void odd_cells_are_counted(void **state)
{
    static char text[1 << 16];
    size_t      at = (size_t)sprintf(text, "a,e,class\n");
    (void)state;
    for (int i = 0; i < 500; i++)
        at += (size_t)sprintf(text + at, "%s,,%c\n",
                              i == 300   ? "none"
                              : i == 400 ? "nope"
                                         : "1",
                              "pq"[i % 2]);
    same_both_ways(put_text("odd.csv", text), &(heft_source){.run = RUN(.host = &listener)}, "csv");
    assert_non_null(strstr(said, "2 cells are not numeric"));
    assert_non_null(strstr(said, "column 'e' has no values"));
}

/* ARFF: declared order, values that no row has, weights of rows from the middle on, sparse rows. */
static void arff_in_blocks(void **state)
{
    (void)state;
    const char *dense = "@relation r\n@attribute a numeric\n@attribute b {z,y,x}\n"
                        "@attribute t string\n@attribute class {n,p}\n@data\n1,y,one,p\n2,z,two,n\n"
                        "?,?,one,p\n4,z,three,n,{2.5}\n5,y,one,p\n6,y,zero,p,{3}\n";
    const char *sparse = "@relation r\n@attribute a numeric\n@attribute b {z,y,x}\n"
                         "@attribute c numeric\n@attribute class {n,p}\n@data\n{0 1,3 p}\n"
                         "{1 y}\n{0 ?,2 4}\n{}\n{0 2,1 x,2 5,3 p},{2}\n{2 7}\n";
    same_in_all_formats(put_text("d.arff", dense), (heft_source){0});
    same_in_all_formats(in_folder("d.arff"), (heft_source){.drop = "t,b"});
    same_in_all_formats(put_text("s.arff", sparse), (heft_source){0});
    same_in_all_formats(in_folder("s.arff"), (heft_source){.nominal = "c"});
    same_in_all_formats(in_folder("s.arff"), (heft_source){.target = "c"});
}

/* LIBSVM: the number of columns is known from the first row on; dropped ones; missing values. */
static void libsvm_in_blocks(void **state)
{
    (void)state;
    same_in_all_formats(put_text("a.libsvm", "1 1:2 3:4\n-1 2:1\n+1 1:0.5 7:2\n1\n-1 5:1 # c\n"),
                        (heft_source){0});
    same_in_all_formats(in_folder("a.libsvm"), (heft_source){.drop = "c3,c7"});
    same_in_all_formats(in_folder("a.libsvm"), (heft_source){.drop = "c9"});
    same_in_all_formats(put_text("m.libsvm", "a 1:1 2:?\nb 2:2\na 1:3\n"), (heft_source){0});
}

/* What is wrong with a file is said with the same words and the same line. */
static void errors_in_blocks(void **state)
{
    (void)state;
    same_in_all_formats(put_text("a.csv", "a,class\n1,x\n2,y\n3\n4,x\n"), (heft_source){0});
    same_in_all_formats(put_text("b.csv", "a,class\n"), (heft_source){0});
    same_in_all_formats(put_text("c.csv", "a,class\n1,x\n2,y\n1e999,x\n2,y\n"), (heft_source){0});
    same_in_all_formats(put_text("d.arff", "@relation r\n@attribute a {x,y}\n@attribute class "
                                           "{n,p}\n@data\nx,p\ny,n\nz,p\n"),
                        (heft_source){0});
    same_in_all_formats(put_text("e.csv", "a,class\n1,x\n\"2,y\n"), (heft_source){0});
}

/* ---- predicting ---- */

static heft_model *model_of(const char *path, heft_source how)
{
    heft_table *table;
    heft_model *model;
    if (heft_read(path, &how, &table, &err) != HEFT_OK) fail_msg("%s", err.text);
    if (heft_fit(table, &(heft_config){.method = "nb"}, &model, &err) != HEFT_OK)
        fail_msg("%s", err.text);
    heft_table_free(table);
    return model;
}

static void same_predictions(const heft_model *model, const char *path, heft_source how)
{
    heft_table *table;
    heft_error  e;
    heft_tally  tally = {0}, tally_b = {0};
    char        warned[sizeof said], failed[sizeof e.text] = "", *whole = NULL;
    const char *to = in_folder("p.csv");
    how.like = model;
    how.run = RUN(.host = &listener);
    said[0] = 0;
    if (heft_read(path, &how, &table, &e) == HEFT_OK) {
        if (heft_predict_table(
                model, table, to,
                &(heft_predictions){
                    .size = sizeof(heft_predictions), .proba = true, .run = how.run, .reasons = 2},
                &tally, &e) == HEFT_OK)
            whole = slurp(to);
        heft_table_free(table);
    }
    if (!whole) strcpy(failed, e.text);
    strcpy(warned, said);
    for (size_t k = 0; k < 6; k++) {
        heft_chunk_bytes = k % 3 == 0 ? 20 : k % 3 == 1 ? 300 : (size_t)1 << 20;
        heft_block_bytes = k < 3 ? 30 : (size_t)16 << 20;
        how.run = RUN(.threads = k % 2 ? 3 : 1, .host = &listener);
        said[0] = 0;
        unlink(to);
        const heft_predictions with = {.size = sizeof with, .proba = true, .reasons = 2};
        if (heft_predict_file(model, path, &how, to, &with, &tally_b, &e) != HEFT_OK) {
            assert_string_equal(e.text, failed);
            assert_int_not_equal(access(to, F_OK), 0);
            continue;
        }
        char *blocks = slurp(to);
        assert_non_null(whole);
        assert_string_equal(blocks, whole);
        assert_string_equal(said, warned);
        assert_memory_equal(&tally, &tally_b, sizeof tally);
        free(blocks);
    }
    heft_chunk_bytes = (size_t)1 << 20;
    free(whole);
}

/* Any order of columns, columns more and less, values never seen, no class, weights. */
static void predict_in_blocks(void **state)
{
    (void)state;
    heft_model *model = model_of(put_text("a.csv", mixed), (heft_source){.weight = "w"});
    same_predictions(model, put_text("a.csv", mixed), (heft_source){.weight = "w"});
    same_predictions(model,
                     put_text("b.csv", "s,id,odd,late,x\nb,k1,1,2,3\nnew,k2,1,six,\n,k3,,?,"
                                       "1\nnewer,k4,9,9,9\nb,k5,1,,5\n"),
                     (heft_source){0});
    same_predictions(model, put_text("c.csv", "s,odd,x,class\nb,1,3,no\na,1,3,no\n"),
                     (heft_source){0});
    same_predictions(model,
                     put_text("d.csv", "x,late,odd,s,class\n1,1,1,b,no\n2,2,2,b,no\n"
                                       "3,3,3,b,unheard\nx,3,3,b,no\n"),
                     (heft_source){0});
    same_predictions(model, put_text("e.csv", "x,late,odd,s,class\n,1,1,b,no\n,2,2,b,no\n"),
                     (heft_source){0});
    heft_model_free(model);
}

static void predict_sparse_in_blocks(void **state)
{
    (void)state;
    const char *text = "1 1:2 3:4\n-1 2:1\n+1 1:0.5 7:2\n1\n-1 5:1\n-1 2:3 3:1\n";
    heft_model *model = model_of(put_text("a.libsvm", text), (heft_source){0});
    same_predictions(model, put_text("a.libsvm", text), (heft_source){0});
    same_predictions(model, put_text("b.libsvm", "1:2\n2:3 900:1\n1 1:1\n"), (heft_source){0});
    heft_model_free(model);
}

/* A model with 1,500 classes on rows of one slice and more. */
static void predict_in_slices(void **state)
{
    enum { CLASSES = 1500, ROWS = 9000 };
    char *text = malloc(ROWS * 24);
    (void)state;
    size_t at = (size_t)sprintf(text, "x,class\n");
    for (int i = 0; i < ROWS; i++)
        at += (size_t)sprintf(text + at, "%d,k%d\n", i % 97, i * 7 % CLASSES);
    const char *path = put_text("many.csv", text), *to = in_folder("p.csv");
    heft_model *model = model_of(path, (heft_source){0});
    heft_table *table;
    size_t      same = 0;
    heft_tally  tally = {0};
    double     *proba = malloc(sizeof *proba * ROWS * CLASSES);
    assert_int_equal(heft_read(path, NULL, &table, &err), HEFT_OK);
    assert_int_equal(heft_predict_proba(model, table, proba, &err), HEFT_OK);
    for (size_t i = 0; i < ROWS; i++) {
        size_t best = 0;
        for (size_t c = 1; c < CLASSES; c++)
            if (proba[i * CLASSES + c] > proba[i * CLASSES + best]) best = c;
        same += best == (size_t)heft_table_class(table, i);
    }
    assert_int_equal(heft_predict_file(model, path, NULL, to, NULL, &tally, &err), HEFT_OK);
    assert_int_equal(tally.n_rows, ROWS);
    assert_int_equal(tally.n_labelled, ROWS);
    assert_int_equal(tally.n_right, same);
    heft_table_free(table);
    heft_model_free(model);
    free(proba);
    free(text);
}

/* A nominal column of ever new values keeps no more than a bounded number of them. */
static void endless_values(void **state)
{
    enum { ROWS = 200000 };
    char       *text = malloc(ROWS * 24 + 64);
    heft_model *model = model_of(put_text("t.csv", "id,class\na1,p\nb2,q\n"), (heft_source){0});
    (void)state;
    size_t     at = (size_t)sprintf(text, "id,class\n");
    heft_tally tally = {0};
    for (int i = 0; i < ROWS; i++)
        at += (size_t)sprintf(text + at, i % 1000 ? "u%d,p\n" : "b2,q\n", i);
    const char *path = put_text("u.csv", text);
    heft_block_bytes = 1000;
    assert_int_equal(heft_predict_file(model, path, &(heft_source){.run = RUN(.host = &listener)},
                                       in_folder("p.csv"), NULL, &tally, &err),
                     HEFT_OK);
    assert_int_equal(tally.n_labelled, ROWS);
    assert_int_equal(tally.n_right, ROWS);
    assert_non_null(strstr(said, "199800 cells have a value that is not in the training data"));
    heft_model_free(model);
    free(text);
}

/* ---- blocks for the caller ---- */

typedef struct suffstats {
    size_t            rows, blocks, stop_after;
    const heft_table *whole;
} suffstats;

static bool count(void *user, const heft_table *rows)
{
    suffstats *t = user;
    assert_int_equal(heft_table_attributes(rows), heft_table_attributes(t->whole));
    assert_int_equal(heft_table_classes(rows), heft_table_classes(t->whole));
    for (size_t i = 0; i < heft_table_rows(rows); i++)
        assert_int_equal(heft_table_class(rows, i), heft_table_class(t->whole, t->rows + i));
    t->rows += heft_table_rows(rows);
    return ++t->blocks != t->stop_after;
}

/* Blocks have the columns and classes of the whole from the first one on; the caller may stop. */
static void blocks_for_the_caller(void **state)
{
    heft_table *whole;
    suffstats   t = {0};
    (void)state;
    const char *path = put_text("a.csv", mixed);
    assert_int_equal(heft_read(path, NULL, &whole, &err), HEFT_OK);
    t.whole = whole;
    heft_chunk_bytes = 20;
    heft_block_bytes = 4;
    assert_int_equal(
        heft_read_blocks(path, &(heft_source){.run = RUN(.threads = 1)}, count, &t, &err), HEFT_OK);
    assert_int_equal(t.rows, heft_table_rows(whole));
    assert_true(t.blocks > 2);
    t = (suffstats){.stop_after = 2, .whole = whole};
    assert_int_equal(
        heft_read_blocks(path, &(heft_source){.run = RUN(.threads = 1)}, count, &t, &err),
        HEFT_ECANCELLED);
    assert_int_equal(t.blocks, 2);
    assert_int_equal(heft_read_blocks(path, NULL, NULL, NULL, &err), HEFT_EINVAL);
    heft_table_free(whole);
}

/* Every allocation may fail: an error, no leak, no file. */
static void no_memory_in_blocks(void **state)
{
    (void)state;
    const char *path = put_text("a.csv", mixed), *to = in_folder("o.csv");
    heft_model *model = model_of(path, (heft_source){0});
    heft_chunk_bytes = 40;
    heft_block_bytes = 8;
    for (int what = 0; what < 3; what++)
        for (size_t k = 1;; k++) {
            const heft_source      how = {.run = RUN(.threads = 1)};
            const heft_predictions with = {.size = sizeof with, .proba = true, .reasons = 2};
            heft_error             e;
            unlink(to);
            heft_fail_alloc_at(k, false);
            const heft_status st = what == 0 ? heft_convert_file(path, &how, NULL, to, "arff", &e)
                                   : what == 1
                                       ? heft_predict_file(model, path, &how, to, &with, NULL, &e)
                                       : heft_explain_file(model, path, &how, 0, to, &e);
            const bool        met = heft_alloc_count() >= k;
            heft_fail_alloc_at(0, false);
            if (!met) {
                assert_int_equal(st, HEFT_OK);
                break;
            }
            if (st == HEFT_OK) continue; /* one it can do without */
            assert_int_equal(st, HEFT_ENOMEM);
            assert_true(e.text[0] != 0);
            assert_int_not_equal(access(to, F_OK), 0);
        }
    heft_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_BLOCKS(csv_in_blocks),
        IN_BLOCKS(odd_cells_are_counted),
        IN_BLOCKS(arff_in_blocks),
        IN_BLOCKS(libsvm_in_blocks),
        IN_BLOCKS(errors_in_blocks),
        IN_BLOCKS(predict_in_blocks),
        IN_BLOCKS(predict_sparse_in_blocks),
        IN_BLOCKS(predict_in_slices),
        IN_BLOCKS(endless_values),
        IN_BLOCKS(blocks_for_the_caller),
        IN_BLOCKS(no_memory_in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
