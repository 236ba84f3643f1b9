/* scan_test.c - marks of a text and short numbers: every version gives what a plain loop gives. */
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/rng.h"
#include "base/scan.h"
#include "base/text.h"
#include "fixture.h"

enum { MOST = 300 };

/* Text of some letters, in which the marks are as frequent as `one_in` says. */
static size_t draw_text(heft_rng *rng, char *text, char delimiter)
{
    const char     marks[] = {delimiter, '\n', '"', '\r', 0, (char)0x80, (char)0xff, '\t'};
    const uint64_t one_in = 1 + heft_rng_below(rng, 30);
    const size_t   n = heft_rng_below(rng, MOST + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = heft_rng_below(rng, one_in) ? (char)('!' + heft_rng_below(rng, 94))
                                              : marks[heft_rng_below(rng, sizeof marks)];
    return n;
}

static void check_marks(const heft_scanner *s, const char *text, size_t n, char delimiter)
{
    uint32_t   place[MOST + HEFT_SCAN_ROOM];
    heft_marks got, want = {0};
    s->marks(text, n, delimiter, '"', place, &got);
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (c != delimiter && c != '\n' && c != '"') continue;
        assert_true(want.n < got.n && place[want.n] == i);
        want.n++;
        want.n_lines += c == '\n';
        want.n_quotes += c == '"';
    }
    assert_int_equal(got.n, want.n);
    assert_int_equal(got.n_lines, want.n_lines);
    assert_int_equal(got.n_quotes, want.n_quotes);
}

static void check_facts(const heft_scanner *s, const char *text, size_t n)
{
    heft_text_facts got, want = {.ascii = true};
    s->facts(text, n, &got);
    for (size_t i = 0; i < n; i++) {
        want.n_lines += text[i] == '\n';
        want.quotes = want.quotes || text[i] == '"';
        want.zeros = want.zeros || text[i] == 0;
        want.ascii = want.ascii && (unsigned char)text[i] < 0x80;
    }
    assert_int_equal(got.n_lines, want.n_lines);
    assert_int_equal(got.quotes, want.quotes);
    assert_int_equal(got.zeros, want.zeros);
    assert_int_equal(got.ascii, want.ascii);
}

/* All versions that this processor can run find the same marks and facts, in texts of any length
 * and at any address, and read no byte behind the text. */
static void versions_agree(void **state)
{
    (void)state;
    heft_rng rng;
    heft_rng_init(&rng, 5, 0);
    size_t run = 0;
    for (size_t v = 0; v < heft_n_scanners; v++) run += heft_scanners[v].works();
    assert_true(run >= 1 && heft_scanners[heft_n_scanners - 1].works());
    for (int k = 0; k < 20000; k++) {
        char         space[MOST];
        const char   delimiter = ",;\t|x "[heft_rng_below(&rng, 6)];
        const size_t n = draw_text(&rng, space, delimiter);
        char        *text = malloc(n ? n : 1); /* of exactly this size: for the sanitizers */
        assert_non_null(text);
        memcpy(text, space, n);
        for (size_t v = 0; v < heft_n_scanners; v++) {
            if (!heft_scanners[v].works()) continue;
            check_marks(&heft_scanners[v], text, n, delimiter);
            check_facts(&heft_scanners[v], text, n);
        }
        free(text);
    }
}

/* ---- numbers ---- */

/* A number, nearly one, or none; returns its length. */
static size_t draw_number(heft_rng *rng, char *out)
{
    static const char odd[] = "0123456789.,-+eE /:?x";
    size_t            n = 0;
    if (heft_rng_below(rng, 3) == 0) out[n++] = '-';
    const size_t digits = heft_rng_below(rng, 19), point = heft_rng_below(rng, 25);
    for (size_t i = 0; i < digits; i++) {
        if (i == point) out[n++] = '.';
        out[n++] = (char)('0' + heft_rng_below(rng, 10));
    }
    if (digits && point == digits) out[n++] = '.';
    if (n && heft_rng_below(rng, 4) == 0)
        out[heft_rng_below(rng, n)] = odd[heft_rng_below(rng, sizeof odd - 1)];
    return n;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* What the short ways to a number accept is a number, and they give the bits that the long way
 * gives. They accept all plain numbers of up to 8 characters that do not end with the point, and
 * one by one those of up to 15. */
static void short_numbers_are_exact(void **state)
{
    (void)state;
    enum { N = 64 };
    heft_rng rng;
    size_t   taken = 0;
    heft_rng_init(&rng, 6, 0);
    for (int k = 0; k < 5000; k++) {
        char          room[N][48];
        size_t        length[N];
        uint64_t      odd[N];
        double        many[N], one, whole;
        heft_decimals texts = {.n = N};
        memset(room, '7', sizeof room); /* what is before a text does not count */
        for (size_t i = 0; i < N; i++) {
            memset(room[i] + 8, 0, 40);
            length[i] = draw_number(&rng, room[i] + 8);
            heft_decimals_put(&texts, i, room[i] + 8, room[i] + 8 + length[i]);
        }
        (void)heft_short_decimals(&texts, '.', many, odd);
        for (size_t i = 0; i < N; i++) {
            const char  *text = room[i] + 8, *end = text + length[i];
            const size_t n = length[i] - (*text == '-');
            const bool   is = heft_parse_double(text, end, &whole) == HEFT_NUM_OK;
            const bool   plain = is && strspn(text + (*text == '-'), "0123456789.") == n;
            if (!odd[i]) assert_true(is && same_bits(many[i], whole));
            if (plain && n <= 8 && end[-1] != '.') assert_true(!odd[i]);
            const bool shortly = heft_short_decimal(text, end, '.', &one);
            if (shortly) assert_true(is && same_bits(one, whole));
            if (plain && n <= 15) assert_true(shortly);
            taken += !odd[i];
        }
    }
    assert_true(taken > 50000);
}

/* Another decimal mark is one only where it is asked for. */
static void marks_of_decimals_are_kept_apart(void **state)
{
    (void)state;
    char   room[2][16] = {"7777777-12,50", "7777777-12.50"};
    double x;
    for (int k = 0; k < 2; k++) {
        const char   *text = room[k] + 7;
        uint64_t      odd;
        heft_decimals one = {.n = 1};
        heft_decimals_put(&one, 0, text, text + 6);
        for (int m = 0; m < 2; m++) {
            const char mark = m ? '.' : ',';
            assert_int_equal(heft_short_decimals(&one, mark, &x, &odd), k != m);
            if (k == m) assert_true(x == -12.5);
            assert_int_equal(heft_short_decimal(text, text + 6, mark, &x), k == m);
            if (k == m) assert_true(x == -12.5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(short_numbers_are_exact),
        cmocka_unit_test(marks_of_decimals_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
