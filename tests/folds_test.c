/* folds_test.c - fold assignments. */
#include "fixture.h"

#include "learn/folds.h"

enum { NONE = UINT16_MAX, ROWS = 257, CLASSES = 5 };

typedef struct wish { /* what a test deals */
    heft_fold_rule  rule;
    const uint16_t *y;
    size_t          n, n_class, n_folds;
    uint64_t        seed;
    size_t          repeat;
} wish;

static heft_status deal(heft_ctx *ctx, const wish *w, uint16_t *fold)
{
    return heft_folds_deal(
        ctx,
        &(heft_fold_plan){.rule = w->rule,
                          .sample = &(heft_sample){.n = w->n, .y = w->y, .n_class = w->n_class},
                          .n_folds = w->n_folds,
                          .seed = w->seed,
                          .repeat = w->repeat,
                          .holdout = 0.3},
        fold);
}

static heft_status stratified(heft_ctx *ctx, const uint16_t *y, size_t n_folds, uint64_t seed,
                              size_t repeat, uint16_t *fold)
{
    return deal(ctx, &(wish){HEFT_FOLDS_STRATIFIED, y, ROWS, CLASSES, n_folds, seed, repeat}, fold);
}

static heft_status weka(heft_ctx *ctx, const uint16_t *y, size_t n, size_t n_folds, uint64_t seed,
                        uint16_t *fold)
{
    return deal(ctx, &(wish){HEFT_FOLDS_WEKA, y, n, CLASSES, n_folds, seed, 0}, fold);
}

static void some_classes(uint16_t *y, size_t n)
{
    heft_rng rng;
    heft_rng_init(&rng, 42, 0);
    for (size_t i = 0; i < n; i++) /* uneven classes, some missing */
        y[i] = i % 23 == 7 ? NONE : (uint16_t)(heft_rng_below(&rng, 9) * CLASSES / 16);
}

static size_t spread(const size_t *count, size_t folds)
{
    size_t lo = SIZE_MAX, hi = 0;
    for (size_t f = 0; f < folds; f++) {
        lo = count[f] < lo ? count[f] : lo;
        hi = count[f] > hi ? count[f] : hi;
    }
    return hi - lo;
}

/* Every known row is in one fold; missing rows are out; class counts differ by one at most, and
 * so do fold sizes. */
static void check_strata(const uint16_t *y, size_t n, const uint16_t *fold, size_t folds)
{
    size_t *size = calloc(folds, sizeof *size);
    for (size_t c = 0; c < CLASSES; c++) {
        size_t *count = calloc(folds, sizeof *count);
        for (size_t i = 0; i < n; i++)
            if (y[i] == c) {
                assert_true(fold[i] < folds);
                count[fold[i]]++, size[fold[i]]++;
            }
        assert_true(spread(count, folds) <= 1);
        free(count);
    }
    assert_true(spread(size, folds) <= 1);
    for (size_t i = 0; i < n; i++) assert_int_equal(fold[i] == NONE, y[i] == NONE);
    free(size);
}

static void strata_are_even(void **state)
{
    /* Fold sizes, and the rows of each class in a fold, differ by one at most. */
    (void)state;
    heft_ctx ctx;
    uint16_t y[ROWS], fold[ROWS];
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    some_classes(y, ROWS);
    for (size_t folds = 2; folds <= 20; folds++) {
        assert_int_equal(stratified(&ctx, y, folds, 3, 0, fold), HEFT_OK);
        check_strata(y, ROWS, fold, folds);
        assert_int_equal(weka(&ctx, y, ROWS, folds, 3, fold), HEFT_OK);
        check_strata(y, ROWS, fold, folds);
    }
    heft_ctx_clear(&ctx);
}

static void seed_and_repeat_decide(void **state)
{
    /* The same seed and repeat give the same folds, other ones other folds. */
    (void)state;
    heft_ctx ctx;
    uint16_t y[ROWS], a[ROWS], b[ROWS];
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    some_classes(y, ROWS);
    assert_int_equal(stratified(&ctx, y, 10, 1, 0, a), HEFT_OK);
    ctx.threads = 7;
    assert_int_equal(stratified(&ctx, y, 10, 1, 0, b), HEFT_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(stratified(&ctx, y, 10, 2, 0, b), HEFT_OK);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(stratified(&ctx, y, 10, 1, 1, b), HEFT_OK);
    assert_memory_not_equal(a, b, sizeof a);
    heft_ctx_clear(&ctx);
}

static void weka_folds_are_wekas(void **state)
{
    /* Folds computed by Weka 3.6.14 itself: randomize(new Random(seed)), stratify, testCV. */
    (void)state;
    static const uint16_t y[13] = {0, 1, 0, 2, 1, 1, NONE, 0, 0, 2, 1, 0, 2};
    static const struct {
        uint64_t seed;
        size_t   folds;
        uint16_t fold[13];
    } known[] = {
        {1, 3, {1, 2, 2, 0, 1, 0, NONE, 1, 0, 2, 0, 2, 1}},
        {1, 4, {3, 2, 3, 2, 1, 0, NONE, 2, 1, 1, 3, 0, 0}},
        {1, 5, {2, 2, 1, 1, 1, 0, NONE, 0, 4, 0, 3, 3, 4}},
        {7, 3, {0, 0, 1, 1, 0, 2, NONE, 2, 2, 2, 1, 1, 0}},
        {7, 4, {1, 0, 3, 0, 3, 2, NONE, 0, 3, 1, 1, 2, 2}},
        {7, 5, {4, 0, 2, 4, 3, 2, NONE, 3, 1, 0, 1, 0, 1}},
    };
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint16_t fold[13];
        assert_int_equal(weka(&ctx, y, 13, known[k].folds, known[k].seed, fold), HEFT_OK);
        assert_memory_equal(fold, known[k].fold, sizeof fold);
    }
    heft_ctx_clear(&ctx);
}

static heft_status few(heft_ctx *ctx, const uint16_t *y, size_t n_folds, uint16_t *fold)
{
    return deal(ctx, &(wish){HEFT_FOLDS_STRATIFIED, y, 4, 2, n_folds, 1, 0}, fold);
}

static void too_few_rows_are_refused(void **state)
{
    /* More folds than rows of known class are refused with what to do. */
    (void)state;
    static const uint16_t y[4] = {0, 1, NONE, 0};
    heft_ctx              ctx;
    uint16_t              fold[4];
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(few(&ctx, y, 10, fold), HEFT_EINVAL);
    assert_string_equal(ctx.err->text,
                        "3 rows cannot be divided into 10 folds (use .folds = 3 or less)");
    assert_int_equal(weka(&ctx, y, 4, 10, 1, fold), HEFT_EINVAL);
    assert_int_equal(few(&ctx, y, 1, fold), HEFT_EINVAL);
    assert_int_equal(few(&ctx, y, 0, fold), HEFT_EINVAL);
    assert_int_equal(few(&ctx, y, 65535, fold), HEFT_EINVAL);
    assert_int_equal(few(&ctx, y, 3, fold), HEFT_OK);
    heft_ctx_clear(&ctx);
}

static void other_rules_hold(void **state)
{
    /* A holdout tests three rows in ten of each class; leave-one-out has a fold for each row; the
     * rows of a fold and the others are all rows in folds, each once. */
    (void)state;
    heft_ctx ctx;
    uint16_t y[ROWS], fold[ROWS];
    size_t   held[ROWS], others[ROWS];
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    some_classes(y, ROWS);
    assert_int_equal(deal(&ctx, &(wish){HEFT_FOLDS_HOLDOUT, y, ROWS, CLASSES, 0, 1, 0}, fold),
                     HEFT_OK);
    for (size_t c = 0; c < CLASSES; c++) {
        size_t n = 0, tested = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (y[i] == c) n++, tested += fold[i] == 0;
        assert_true(fabs((double)tested - 0.3 * (double)n) <= 1);
    }
    const size_t n = heft_rows_of_fold(fold, ROWS, 0, true, held);
    const size_t m = heft_rows_of_fold(fold, ROWS, 0, false, others);
    size_t       a = 0, b = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (a < n && held[a] == i) a++;
        else if (b < m && others[b] == i) b++;
        else assert_int_equal(y[i], NONE);
    }
    assert_int_equal(a + b, n + m);
    assert_int_equal(deal(&ctx, &(wish){HEFT_FOLDS_SINGLE, y, ROWS, CLASSES, 0, 1, 0}, fold),
                     HEFT_OK);
    for (size_t i = 0; i < ROWS; i++) assert_int_equal(fold[i], i);
    heft_ctx_clear(&ctx);
}

/* ---- files ---- */

static const char *path;

static int make_path(void **state)
{
    (void)state;
    path = temp_path(".folds");
    return 0;
}

static int drop_path(void **state)
{
    (void)state;
    return unlink(path);
}

static heft_status read_text(heft_ctx *ctx, const char *text, size_t n_rows, heft_fold_file *out)
{
    return heft_folds_read(ctx, write_text(path, text), n_rows, &ctx->scratch, out);
}

static void file_is_read(void **state)
{
    /* A file gives each repeat its column, with or without blanks and a last line end. */
    (void)state;
    heft_ctx       ctx;
    heft_fold_file file;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(read_text(&ctx, "0,1\n 1 ,0\r\n2,2", 3, &file), HEFT_OK);
    assert_int_equal(file.n_repeats, 2);
    assert_int_equal(file.n_folds, 3);
    assert_memory_equal(file.fold, ((uint16_t[]){0, 1, 2, 1, 0, 2}), 6 * sizeof *file.fold);
    assert_int_equal(read_text(&ctx, "1\n0\n", 2, &file), HEFT_OK);
    assert_int_equal(file.n_repeats, 1);
    heft_ctx_clear(&ctx);
}

static void bad_files_are_refused(void **state)
{
    /* A file that is not one fold number per row and repeat is refused with its place. */
    (void)state;
    static const struct {
        const char *text, *place;
    } bad[] = {
        {"0\n1\n", ": the file has 2 lines, and the data have 3 rows"},
        {"", ": the file has 0 lines"},
        {"0\n1\n0\n1\n", ":4: the data have only 3 rows"},
        {"0\n1\n0\n\n", ":4: the data have only 3 rows"},
        {"0\n\n1\n", ":2: a fold number is expected"},
        {"0\nx\n1\n", ":2: a fold number is expected"},
        {"0\n-1\n1\n", ":2: a fold number is expected"},
        {"0\n1.5\n1\n", ":2: a line has one fold number"},
        {"0,1\n1\n0,0\n", ":2: the line has 1 fold number, but the first line has 2"},
        {"0,1\n1,\n0,0\n", ":2: a fold number is expected"},
        {"0\n1\n99999999999999999999\n", ":3: fold numbers must be below"},
        {"0\n2\n0\n", ": repeat 1: fold 1 has no rows (use every number from 0 to 2)"},
        {"0,0\n1,0\n0,0\n", ": repeat 2: all rows are in fold 0"},
    };
    heft_ctx       ctx;
    heft_fold_file file;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(read_text(&ctx, bad[k].text, 3, &file), HEFT_EFORMAT);
        assert_memory_equal(ctx.err->text, path, strlen(path));
        if (!strstr(ctx.err->text, bad[k].place)) fail_msg("%s: %s", bad[k].place, ctx.err->text);
    }
    assert_int_equal(heft_folds_read(&ctx, "/nowhere/at/all", 3, &ctx.scratch, &file), HEFT_EIO);
    assert_int_equal(heft_folds_read(&ctx, "/tmp", 3, &ctx.scratch, &file), HEFT_EIO);
    heft_ctx_clear(&ctx);
}

static void memory_may_run_out(void **state)
{
    /* A failed allocation at any place is ENOMEM, and nothing leaks. */
    (void)state;
    uint16_t       y[ROWS], fold[ROWS];
    heft_fold_file file;
    size_t         n_failed = 0;
    some_classes(y, ROWS);
    for (size_t n = 1, ok = 0; ok < 3; n++) {
        heft_ctx ctx;
        heft_ctx_init(&ctx, NULL, 1, 1, NULL);
        ok = 0;
        heft_fail_alloc_at(n, true);
        heft_status st = stratified(&ctx, y, 10, 1, 0, fold);
        ok += st == HEFT_OK;
        assert_true(st == HEFT_OK || st == HEFT_ENOMEM);
        heft_arena_clear(&ctx.scratch);
        heft_fail_alloc_at(n, true);
        st = weka(&ctx, y, ROWS, 10, 1, fold);
        ok += st == HEFT_OK;
        assert_true(st == HEFT_OK || st == HEFT_ENOMEM);
        heft_arena_clear(&ctx.scratch);
        heft_fail_alloc_at(n, true);
        st = read_text(&ctx, "0\n1\n2\n", 3, &file);
        ok += st == HEFT_OK;
        assert_true(st == HEFT_OK || st == HEFT_ENOMEM);
        heft_fail_alloc_at(0, false);
        heft_ctx_clear(&ctx);
        n_failed += 3 - ok;
    }
    assert_true(n_failed >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strata_are_even),
        cmocka_unit_test(seed_and_repeat_decide),
        cmocka_unit_test(weka_folds_are_wekas),
        cmocka_unit_test(too_few_rows_are_refused),
        cmocka_unit_test(other_rules_hold),
        cmocka_unit_test_setup_teardown(file_is_read, make_path, drop_path),
        cmocka_unit_test_setup_teardown(bad_files_are_refused, make_path, drop_path),
        cmocka_unit_test_setup_teardown(memory_may_run_out, make_path, drop_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
