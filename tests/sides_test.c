/* sides_test.c - rows to the two sides of a split: every version against a plain rule. */
#include "fixture.h"

#include "boost/sides.h"

enum { ROWS = 3000 };

static void every_row_has_its_side(void **state)
{
    (void)state;
    heft_rng rng;
    uint8_t *code = test_calloc(ROWS + HEFT_CODES_BEHIND, 1);
    heft_rng_init(&rng, 5, 0);
    for (size_t trial = 0; trial < 600; trial++) {
        const size_t  n_codes = trial % 3 ? 256 : 1 + heft_rng_below(&rng, 130);
        const size_t  n = trial < 100 ? trial : heft_rng_below(&rng, ROWS);
        heft_byte_set set = {0};
        bool          in[256] = {0};
        uint32_t      row[ROWS], want[ROWS];
        size_t        left = 0, right = 0, n_rows = 0;
        for (size_t i = 0; i < ROWS; i++) code[i] = (uint8_t)heft_rng_below(&rng, n_codes);
        for (uint32_t v = 0; v < n_codes; v++) {
            in[v] = heft_rng_below(&rng, 1 + trial % 4) == 0;
            set.word[v / 32] |= (uint32_t)in[v] << v % 32;
        }
        for (uint32_t i = 0; i < ROWS && n_rows < n; i++)
            if (trial % 2 || heft_rng_below(&rng, 2)) row[n_rows++] = i;
        for (size_t i = 0; i < n_rows; i++) left += in[code[row[i]]];
        for (size_t i = 0, l = 0; i < n_rows; i++)
            want[in[code[row[i]]] ? l++ : left + right++] = row[i];
        for (int plain = 0; plain < 2; plain++) {
            uint32_t *rows = test_calloc(n_rows + 1, sizeof *rows);
            uint32_t *other = test_calloc(n_rows + 1, sizeof *other);
            memcpy(rows, row, n_rows * sizeof *rows);
            const size_t got = plain ? heft_part_rows_plainly(rows, n_rows, code, &set, other)
                                     : heft_part_rows(rows, n_rows, code, &set, other);
            assert_int_equal(got, left);
            if (left) assert_memory_equal(rows, want, left * sizeof *rows);
            if (right) assert_memory_equal(other, want + left, right * sizeof *rows);
            assert_true(rows[n_rows] == 0 && other[n_rows] == 0);
            test_free(rows);
            test_free(other);
        }
    }
    test_free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_has_its_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
