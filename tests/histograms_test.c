/* histograms_test.c - sums of derivatives by code, of attributes counted alone and together,
 * against plain loops. */
#include "fixture.h"

#include "boost/histograms.h"

enum { ROWS = 9000, ATTRIBUTES = 14 };

static const uint32_t CODES[ATTRIBUTES] = {2, 128, 16, 2, 3, 16, 16, 300, 1, 129, 2, 5, 256, 4};

typedef struct rows {
    heft_bins        bins;
    heft_bin_attr    attr[ATTRIBUTES];
    heft_tree_codes  column[ATTRIBUTES];
    uint16_t         code[ATTRIBUTES][ROWS]; /* of any width */
    uint8_t          byte[ATTRIBUTES][ROWS];
    int64_t          weight[ROWS];
    uint32_t         index[ROWS];
    heft_packed_rows of;
} rows;

static rows *make(bool weighted)
{
    rows    *r = test_calloc(1, sizeof *r);
    heft_rng rng;
    heft_rng_init(&rng, 11, 0);
    for (size_t k = 0; k < ATTRIBUTES; k++) {
        r->attr[k].n_codes = CODES[k];
        r->column[k].width = CODES[k] > 256 ? 2 : 1;
        r->column[k].codes = CODES[k] > 256 ? (void *)r->code[k] : r->byte[k];
        for (size_t i = 0; i < ROWS; i++) {
            r->code[k][i] = (uint16_t)heft_rng_below(&rng, CODES[k]);
            r->byte[k][i] = (uint8_t)r->code[k][i];
        }
    }
    for (size_t i = 0; i < ROWS; i++) r->weight[i] = 1 + (int64_t)heft_rng_below(&rng, 3);
    r->bins = (heft_bins){ATTRIBUTES, r->attr};
    r->of = (heft_packed_rows){.bins = &r->bins,
                               .column = r->column,
                               .n = ROWS,
                               .m = ATTRIBUTES,
                               .weight = weighted ? r->weight : NULL,
                               .unit = 1};
    return r;
}

/* The sums of attribute k over n rows. */
static void check(const rows *r, size_t n, uint32_t k, const heft_histograms *got)
{
    int64_t want[3][300] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const uint32_t row = r->index[i];
        const int64_t  w = r->of.weight ? r->weight[row] : 1;
        want[0][r->code[k][row]] += w * (r->of.word[row] >> 13);
        want[1][r->code[k][row]] += w * (r->of.word[row] & 0x1fff);
        want[2][r->code[k][row]] += w;
    }
    const size_t at = r->of.cell_at[k], bytes = CODES[k] * sizeof(int64_t);
    assert_memory_equal(got->g + at, want[0], bytes);
    assert_memory_equal(got->h + at, want[1], bytes);
    assert_memory_equal(got->n + at, want[2], bytes);
}

/* Some attributes over some rows, or all of them, in the order of the rows. */
static void check_some(heft_ctx *ctx, rows *r, size_t n, bool some, const heft_histograms *got)
{
    uint32_t use[ATTRIBUTES], order[ATTRIBUTES];
    size_t   n_use = 0;
    bool     flags[ATTRIBUTES] = {0};
    for (uint32_t k = 0; k < ATTRIBUTES; k++)
        if (!some || (n + k) % 3) use[n_use++] = k;
    for (size_t i = 0; i < n; i++) r->index[i] = (uint32_t)(i * ROWS / n);
    heft_packed_rows_order(&r->of, (heft_attr_list){use, n_use}, flags, order);
    heft_histograms_count(ctx, &r->of, r->index, n, (heft_attr_list){order, n_use}, got);
    for (size_t k = 0; k < n_use; k++) check(r, n, use[k], got);
    for (size_t k = 0; k < ATTRIBUTES; k++) assert_false(flags[k]);
}

static void check_rows(bool weighted)
{
    heft_ctx     ctx;
    heft_arena   arena = {0};
    rows        *r = make(weighted);
    const size_t numbers[] = {0, 1, 2, 300, 511, 512, 700, 2000, 4094, 4095, ROWS - 1, ROWS};
    heft_rng     rng;
    heft_rng_init(&rng, 3, 0);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_packed_rows_open(&ctx, &arena, &r->of));
    for (size_t i = 0; i < ROWS; i++) r->of.g[i] = (float)(2 * heft_rng_real(&rng) - 1);
    OK(heft_packed_rows_pack(&ctx, &r->of, heft_packed_rows_largest(&r->of, 0, ROWS)));
    int64_t              *memory = test_calloc(3 * r->of.cell_at[ATTRIBUTES], sizeof *memory);
    const heft_histograms got = heft_histograms_at(&r->of, memory, 0);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        check_some(&ctx, r, numbers[k], false, &got);
        check_some(&ctx, r, numbers[k], true, &got);
    }
    test_free(memory);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
    test_free(r);
}

static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    check_rows(false);
    check_rows(true);
}

/* 1, 2, 2, 2, 3 and 4 codes make 96 cells, 5 and 16 make 80, 16 and 16 make 256. */
static void attributes_of_few_codes_are_joined(void **state)
{
    (void)state;
    heft_ctx   ctx;
    heft_arena arena = {0};
    rows      *r = make(false);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_packed_rows_open(&ctx, &arena, &r->of));
    const heft_joint *of = r->of.joints.attr;
    const uint32_t    order[ATTRIBUTES] = {8, 0, 3, 10, 4, 13, 11, 2, 5, 6, 1, 9, 7, 12};
    assert_memory_equal(r->of.joints.order, order, sizeof order);
    const uint16_t cells[ATTRIBUTES] = {96, 0, 80, 96, 96, 256, 256, 0, 96, 0, 96, 80, 0, 96};
    for (size_t k = 0; k < ATTRIBUTES; k++) {
        assert_int_equal(of[k].n_cells, cells[k]);
        for (size_t j = 0; j < k; j++)
            assert_true((of[j].cell == of[k].cell) == (cells[j] == cells[k]));
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < ATTRIBUTES; k++)
            if (of[k].cell) assert_int_equal(of[k].cell[i] / of[k].step % CODES[k], r->byte[k][i]);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
    test_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(attributes_of_few_codes_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
