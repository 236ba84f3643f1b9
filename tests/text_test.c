/* text_test.c - numbers, quoting, lists, growing strings, tables of text, and output files. */
#include "fixture.h"

#include <float.h>
#include <locale.h>
#include <sys/stat.h>

#include "base/digits.h"
#include "base/grid.h"
#include "base/out.h"
#include "base/powers.h"
#include "base/text.h"
#include "decimals.h"

static heft_ctx ctx;

static int start(void **state)
{
    (void)state;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    heft_ctx_clear(&ctx);
    return 0;
}

static heft_number parse(const char *text, double *x)
{
    return heft_parse_double(text, text + strlen(text), x);
}

/* A double of any size: bit patterns, unit reals, tiny ones, short decimals, powers of two. */
static double random_double(heft_rng *rng, int i)
{
    uint64_t bits = heft_rng_next(rng);
    double   x;
    switch (i % 5) {
    case 0:
        break;
    case 1:
        return heft_rng_real(rng);
    case 2:
        return ldexp(heft_rng_real(rng), -(int)(bits % 200));
    case 3:
        return (double)(bits % 1000000) / 1000;
    default:
        bits = ((bits % 2047) << 52) - (bits >> 63);
    }
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 0.5;
}

/* What heft_format_double writes is read back to the same bits, by strtod and by heft. */
static void formatted_doubles_read_back(void **state)
{
    (void)state;
    heft_rng rng;
    heft_rng_init(&rng, 1, 1);
    for (int i = 0; i < 100000; i++) {
        const double x = random_double(&rng, i);
        char         text[32], *stop;
        double       y;
        const size_t n = heft_format_double(text, x);
        assert_true(n <= 24 && strlen(text) == n);
        assert_true(strtod(text, &stop) == x && !*stop);
        assert_int_equal(parse(text, &y), HEFT_NUM_OK);
        assert_true(y == x);
    }
}

/* A natural number of any size, the lowest part first. */
enum { PARTS = 50 };
typedef struct natural {
    uint32_t part[PARTS];
} natural;

static void multiply(natural *x, uint32_t by)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < PARTS; i++) {
        carry += (uint64_t)x->part[i] * by;
        x->part[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* `low` at bit `at` and on. */
static natural placed(heft_wide low, int at)
{
    natural x = {0};
    for (int b = 0; b < 128; b++)
        if ((low >> b) & 1) x.part[(at + b) / 32] |= 1u << ((at + b) % 32);
    return x;
}

static int compare(const natural *a, const natural *b)
{
    for (size_t i = PARTS; i-- > 0;)
        if (a->part[i] != b->part[i]) return a->part[i] < b->part[i] ? -1 : 1;
    return 0;
}

/* p 2^e <= 10^k < (p + 1) 2^e in whole numbers: both sides times 10^-k or 2^-e where these are
 * fractions. */
static void powers_of_ten_are_exact(void **state)
{
    (void)state;
    for (int k = HEFT_LOWEST_POWER; k <= HEFT_HIGHEST_POWER; k++) {
        const heft_wide p = heft_power_of_ten(k);
        const int       e = heft_power_log2(k) - 127;
        natural         low = placed(p, e > 0 ? e : 0), high = placed(p + 1, e > 0 ? e : 0);
        natural         power = placed(1, e < 0 ? -e : 0);
        assert_true(p >> 127 && p + 1);
        for (int i = 0; i < k; i++) multiply(&power, 10);
        for (int i = 0; i > k; i--) multiply(&low, 10), multiply(&high, 10);
        assert_true(compare(&low, &power) <= 0 && compare(&power, &high) < 0);
    }
}

/* No text with fewer digits reads back, and of those with as many digits the one written is
 * nearest: it is what printf writes with the least precision that reads back. Next to a power of
 * two there may be a shorter text than printf finds, which rounds to nearest only. */
/* Sixteen digits by printf, and by heft_put_sixteen. */
static void assert_sixteen(uint64_t first, uint64_t last)
{
    char   want[20], text[16];
    size_t n = 16;
    snprintf(want, sizeof want, "%08u%08u", (unsigned)first, (unsigned)last);
    while (n && want[n - 1] == '0') n--;
    assert_int_equal(heft_put_sixteen(text, first, last), n);
    assert_memory_equal(text, want, 16);
}

static void sixteen_digits_are_those_of_printf(void **state)
{
    heft_rng rng;
    (void)state;
    heft_rng_init(&rng, 3, 1);
    for (uint64_t m = 0; m < 10000; m++) {
        assert_sixteen(m * 10000, 99999999 - m);
        assert_sixteen(m, m * 10000);
    }
    for (int i = 0; i < 1000000; i++) {
        const uint64_t draw = heft_rng_next(&rng);
        assert_sixteen((uint32_t)draw % 100000000, (draw >> 32) % 100000000);
    }
}

static void formatted_doubles_are_shortest_and_nearest(void **state)
{
    (void)state;
    heft_rng rng;
    size_t   shorter = 0;
    heft_rng_init(&rng, 3, 1);
    for (int i = 0; i < 100000; i++) {
        const double x = random_double(&rng, i);
        char         text[32], least[40], same[40];
        int          precision = 0;
        heft_format_double(text, x);
        do snprintf(least, sizeof least, "%.*e", precision++, x);
        while (strtod(least, NULL) != x);
        size_t digits = 0;
        for (const char *p = text; *p && *p != 'e'; p++)
            if (*p >= '0' && *p <= '9' && (digits || *p != '0')) digits++;
        if (strchr(text, '.') == NULL && strchr(text, 'e') == NULL) continue; /* a whole number */
        if (digits < (size_t)precision) {
            shorter++;
            continue;
        }
        assert_int_equal(digits, precision);
        snprintf(same, sizeof same, "%.*Le", precision - 1, strtold(text, NULL));
        assert_string_equal(same, least);
    }
    assert_true(shorter < 1000);
}

/* Parsing agrees with strtod to the bit on random decimals, short and long, of any exponent, and on
 * numbers at and beside the middle between two doubles. */
static void decimals_are_correctly_rounded(void **state)
{
    (void)state;
    heft_rng rng;
    heft_rng_init(&rng, 2, 1);
    for (int i = 0; i < 1000000; i++) {
        char              text[DRAWN_DECIMAL];
        double            x = 0;
        const double      y = strtod(draw_decimal(&rng, text), NULL);
        const heft_number what = parse(text, &x);
        assert_int_equal(what, isinf(y) ? HEFT_NUM_OVERFLOW : HEFT_NUM_OK);
        if (what == HEFT_NUM_OK) assert_memory_equal(&x, &y, sizeof x);
    }
}

/* Halfway cases, long mantissas, limits and denormals round as IEEE says. */
static void hard_decimals_are_correctly_rounded(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "9007199254740993",
        "9007199254740993.00000000000000000000000000000001",
        "9007199254740992.99999999999999999999999999999999",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "8.98846567431158e307",
        "0.000000000000000000000000000000000000000000000000000123",
        "100000000000000000000000000000000000000000000000000",
        "0e999999999999999999999",
        "1e-999999999999999999999",
        "123456789012345678901234567890e-29",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double x = 1, y = strtod(texts[i], NULL);
        assert_int_equal(parse(texts[i], &x), HEFT_NUM_OK);
        assert_memory_equal(&x, &y, sizeof x);
    }
    double x;
    assert_int_equal(parse("1e999", &x), HEFT_NUM_OVERFLOW);
    assert_int_equal(parse("-1.7976931348623159e308", &x), HEFT_NUM_OVERFLOW);
    assert_int_equal(parse("1e999999999999999999999999", &x), HEFT_NUM_OVERFLOW);
}

/* A number of a million digits is read, and its far digits still break a tie. */
static void very_long_mantissas_are_read(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char *text = malloc(N + 8);
    assert_non_null(text);
    memset(text, '0', N);
    memcpy(text, "9007199254740993.", 17); /* halfway between ...992 and ...994 */
    double x;
    assert_int_equal(heft_parse_double(text, text + N, &x), HEFT_NUM_OK);
    assert_true(x == 9007199254740992.0);
    text[N - 1] = '1';
    assert_int_equal(heft_parse_double(text, text + N, &x), HEFT_NUM_OK);
    assert_true(x == 9007199254740994.0);
    free(text);
}

/* Only decimal numbers are numbers. */
static void other_texts_are_not_numbers(void **state)
{
    (void)state;
    static const char *const no[] = {"",    "-",   "+",   ".",   "e5",    "1e",  "1e+",  "1 ",
                                     " 1",  "0x1", "inf", "nan", "1.2.3", "--1", "1,5",  "1e5.",
                                     "1e-", "١",   "1f",  "+-1", "1_0",   "-.",  "-.e1", "1d5"};
    static const char *const yes[] = {"1",   "-1",   "+1",   "1.",     ".5",
                                      "1e5", "1E-5", "1.e2", "-.5e+3", "00012"};
    double                   x;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_int_equal(parse(no[i], &x), HEFT_NUM_NOT);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        assert_int_equal(parse(yes[i], &x), HEFT_NUM_OK);
        assert_true(x == strtod(yes[i], NULL));
    }
}

/* Doubles are written the way people write them. */
static void doubles_look_as_expected(void **state)
{
    (void)state;
    static const struct {
        double      x;
        const char *text;
    } want[] = {{0.95, "0.95"},
                {1e-5, "0.00001"},
                {9.5e-6, "9.5e-6"},
                {100, "100"},
                {-2.5, "-2.5"},
                {0.0, "0"},
                {-0.0, "0"},
                {1e15, "1000000000000000"},
                {1e16, "1e16"},
                {123456789012345678.0, "1.2345678901234568e17"},
                {0.1 + 0.2, "0.30000000000000004"},
                {1e-57, "1e-57"},
                {DBL_MAX, "1.7976931348623157e308"},
                {5e-324, "5e-324"},
                {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char text[32];
        heft_format_double(text, want[i].x);
        assert_string_equal(text, want[i].text);
    }
}

/* A locale with a decimal comma changes neither reading nor writing. */
static void the_locale_has_no_say(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "C"};
    size_t                   i = 0;
    while (i < 4 && !setlocale(LC_ALL, names[i])) i++;
    double   x = 0;
    heft_buf buf = {0};
    assert_int_equal(parse("1234567890123456789012345678901234567890.5e-39", &x), HEFT_NUM_OK);
    heft_buf_double(&buf, 0.25);
    heft_buf_text(&buf, " ");
    heft_buf_fixed(&buf, 1234.567, 2);
    heft_buf_text(&buf, " ");
    heft_buf_fixed(&buf, -0.5, 0);
    setlocale(LC_ALL, "C");
    assert_true(x == 1.2345678901234567890123456789012345678905);
    assert_string_equal(buf.data, "0.25 1234.57 -0");
    heft_buf_clear(&buf);
}

/* CSV and ARFF fields are quoted exactly where a reader needs it. */
static void fields_are_quoted_where_needed(void **state)
{
    (void)state;
    heft_buf buf = {0};
    heft_buf_csv(&buf, "plain", ','), heft_buf_text(&buf, "|");
    heft_buf_csv(&buf, "a,b", ','), heft_buf_text(&buf, "|");
    heft_buf_csv(&buf, "a,b", ';'), heft_buf_text(&buf, "|");
    heft_buf_csv(&buf, "say \"x\"", ','), heft_buf_text(&buf, "|");
    heft_buf_csv(&buf, " edge", ','), heft_buf_text(&buf, "|");
    heft_buf_csv(&buf, "two\nlines", ',');
    assert_string_equal(buf.data, "plain|\"a,b\"|a,b|\"say \"\"x\"\"\"|\" edge\"|\"two\nlines\"");
    heft_buf_clear(&buf);
    heft_buf_arff(&buf, "plain"), heft_buf_text(&buf, "|");
    heft_buf_arff(&buf, "a b"), heft_buf_text(&buf, "|");
    heft_buf_arff(&buf, "it's"), heft_buf_text(&buf, "|");
    heft_buf_arff(&buf, "?"), heft_buf_text(&buf, "|");
    heft_buf_arff(&buf, "50%"), heft_buf_text(&buf, "|");
    heft_buf_arff(&buf, "a\\b\n"), heft_buf_text(&buf, "|");
    heft_buf_arff(&buf, "");
    assert_string_equal(buf.data, "plain|'a b'|'it\\'s'|'?'|'50\\%'|'a\\\\b\\n'|''");
    heft_buf_clear(&buf);
}

/* Text for people holds no control characters, is valid UTF-8 and fits. */
static void shown_text_is_safe(void **state)
{
    (void)state;
    char out[16], wide[64];
    assert_string_equal(heft_show(wide, sizeof wide, "a\033[1m\xff\xc3\xa9", 8, 60),
                        "a\\x1b[1m\\xff\xc3\xa9");
    assert_string_equal(heft_show(wide, sizeof wide, "abcdefghij", 10, 4), "a...");
    assert_string_equal(heft_show(out, sizeof out, "0123456789abcde", 15, 60), "0123456789abcde");
    assert_string_equal(heft_show(out, sizeof out, "0123456789abcdef", 16, 60), "0123456789ab...");
    assert_string_equal(heft_show(out, 2, "\n\n", 2, 60), ".");
    assert_string_equal(heft_show(wide, sizeof wide, "\xc2\x85\xed\xa0\x80", 5, 60),
                        "\\xc2\\x85\\xed\\xa0\\x80");
}

/* Lists are split at the delimiter, outside quotes, without surrounding blanks. */
static void lists_are_split(void **state)
{
    (void)state;
    char **items;
    size_t n;
    assert_int_equal(heft_split(&ctx, &ctx.scratch, "a, 29-34 ,\"x,\"\"y\",", ',', &items, &n), 0);
    assert_int_equal(n, 4);
    assert_string_equal(items[0], "a");
    assert_string_equal(items[1], "29-34");
    assert_string_equal(items[2], "x,\"y");
    assert_string_equal(items[3], "");
    assert_int_equal(heft_split(&ctx, &ctx.scratch, "", ',', &items, &n), HEFT_OK);
    assert_int_equal(n, 0);
    assert_int_equal(heft_split(&ctx, &ctx.scratch, NULL, ',', &items, &n), HEFT_OK);
    assert_int_equal(n, 0);
    assert_int_equal(heft_split(&ctx, &ctx.scratch, "\"open", ',', &items, &n), HEFT_EINVAL);
}

/* A span equals a word in any case, and neither a part of it nor a longer text does. */
static void spans_are_compared_with_words(void **state)
{
    (void)state;
    assert_true(heft_span_is_word("CLASSes", 5, "class"));
    assert_true(heft_span_is_word("@Data", 5, "@data"));
    assert_true(heft_span_is_word("", 0, ""));
    assert_false(heft_span_is_word("class", 4, "class"));
    assert_false(heft_span_is_word("class", 5, "clas"));
    assert_false(heft_span_is_word("cl\0ss", 5, "cl"));
    assert_false(heft_span_is_word("`", 1, "@"));
    assert_true(heft_same_word("NaN", "nan") && !heft_same_word("nan", "na"));
}

/* A count agrees with its noun, however large it is. */
static void counts_agree_with_nouns(void **state)
{
    static const struct {
        size_t      n;
        const char *noun, *text;
    } cases[] = {{0, "row", "0 rows"},
                 {1, "row", "1 row"},
                 {2, "row", "2 rows"},
                 {0, "class", "0 classes"},
                 {1, "class", "1 class"},
                 {26, "class", "26 classes"},
                 {1, "more class", "1 more class"},
                 {3, "fold number", "3 fold numbers"},
                 {SIZE_MAX, "pass", "18446744073709551615 passes"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(HEFT_COUNT_OF(cases[k].n, cases[k].noun), cases[k].text);
}

/* A buffer whose growth fails says so once, when it is taken. */
static void failed_buffers_say_so(void **state)
{
    (void)state;
    heft_buf buf = {0};
    char    *text;
    heft_buf_text(&buf, "begin");
    heft_fail_alloc_at(1, false);
    for (int i = 0; i < 100; i++) heft_buf_printf(&buf, "%d and more and more,", i);
    heft_fail_alloc_at(0, false);
    assert_int_equal(heft_buf_take(&ctx, &buf, &text), HEFT_ENOMEM);
    assert_null(text);
    assert_int_equal(heft_buf_take(&ctx, &buf, &text), HEFT_OK);
    assert_string_equal(text, "");
    heft_free(text);
    heft_buf_printf(&buf, "%s-%d", "a", 7);
    assert_int_equal(heft_buf_take(&ctx, &buf, &text), HEFT_OK);
    assert_string_equal(text, "a-7");
    heft_free(text);
}

static heft_grid small_grid(heft_style style)
{
    heft_grid grid = {
        .style = style, .n_cols = 3, .align = "lrl", .screen = 100, .head = true, .rule = 2};
    heft_grid_put(&grid, "name\tvalue\tmark");
    heft_put_name(&grid.text, "gr\xc3\xb6\xc3\x9f_e", 40, style);
    heft_grid_end(&grid);
    heft_put_fixed(&grid.text, 1.5, 2);
    heft_grid_put(&grid, "  \t#"); /* blanks behind a number count as part of it */
    heft_grid_put(&grid, "b\t\t");
    return grid;
}

/* A table in each style: cells are padded by their characters, and no line ends in a blank. */
static void tables_are_aligned(void **state)
{
    static const char *const expected[] = {
        "name     value  mark\n"
        "--------------------\n"
        "gr\xc3\xb6\xc3\x9f_e  1.50    #\n"
        "--------------------\n"
        "b\n",
        "| name | value | mark |\n|---|---:|---|\n"
        "| gr\xc3\xb6\xc3\x9f\\_e | 1.50   | # |\n| b |  |  |\n",
        "\\begin{tabular}{lrl}\n\\toprule\nname & value & mark \\\\\n\\midrule\n"
        "gr\xc3\xb6\xc3\x9f\\_e & 1.50   & # \\\\\n\\midrule\nb &  &  \\\\\n"
        "\\bottomrule\n\\end{tabular}\n",
    };
    (void)state;
    for (int style = HEFT_PLAIN; style <= HEFT_LATEX; style++) {
        heft_grid grid = small_grid((heft_style)style);
        heft_buf  out = {0};
        heft_grid_print(&grid, &out);
        assert_string_equal(heft_buf_string(&out), expected[style]);
        heft_buf_clear(&out);
    }
}

/* Columns beyond the screen's width follow below, each time beside the first column. */
static void wide_tables_continue_below(void **state)
{
    heft_grid grid = {.n_cols = 4, .align = "lr", .screen = 9};
    heft_buf  out = {0};
    (void)state;
    heft_grid_put(&grid, "a\t1\t22\t333\tbb\t4\t5\t123456789");
    heft_grid_print(&grid, &out);
    assert_string_equal(heft_buf_string(&out), "a   1  22\n"
                                               "bb  4   5\n\n"
                                               "a         333\n"
                                               "bb  123456789\n");
    heft_buf_clear(&out);
}

/* Without memory the output has failed, and nothing is left behind. */
static void tables_survive_allocation_failure(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        heft_buf out = {0};
        heft_fail_alloc_at(n, false);
        heft_grid grid = small_grid(HEFT_PLAIN);
        heft_grid_print(&grid, &out);
        heft_fail_alloc_at(0, false);
        const bool failed = out.failed;
        heft_buf_clear(&out);
        assert_null(grid.text.data);
        if (failed) continue;
        assert_true(n > 3);
        break;
    }
}

/* ---- output files ---- */

static int make_folder(void **state)
{
    return start(state) || open_folder(state);
}

static int remove_folder(void **state)
{
    return end(state) + close_folder(state);
}

static void assert_content(const char *path, const char *text)
{
    const blob got = read_bytes(path);
    assert_int_equal(got.n, strlen(text));
    assert_string_equal((const char *)got.data, text);
    free(got.data);
}

static size_t files_in_folder(void)
{
    char command[256];
    snprintf(command, sizeof command, "ls -A %s | wc -l", in_folder(NULL));
    FILE *p = popen(command, "r");
    int   n = -1;
    assert_int_equal(fscanf(p, "%d", &n), 1);
    pclose(p);
    return (size_t)n;
}

/* The target appears at commit, whole, and keeps the mode of the file it replaces. */
static void output_appears_whole(void **state)
{
    (void)state;
    heft_out   *out;
    const char *path = in_folder("a.txt");
    write_text(path, "old");
    chmod(path, 0640);
    assert_int_equal(heft_out_open(&ctx, path, &out), HEFT_OK);
    assert_int_equal(heft_out_write(&ctx, out, "new ", 4), HEFT_OK);
    assert_content(path, "old");
    assert_int_equal(heft_out_write(&ctx, out, "text", 4), HEFT_OK);
    assert_int_equal(heft_out_commit(&ctx, out), HEFT_OK);
    assert_content(path, "new text");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(files_in_folder(), 1);
}

/* An abandoned output leaves the target and the folder as they were. */
static void abandoned_output_leaves_no_trace(void **state)
{
    (void)state;
    heft_out   *out;
    const char *path = in_folder("a.txt");
    write_text(path, "old");
    assert_int_equal(heft_out_open(&ctx, path, &out), HEFT_OK);
    assert_int_equal(heft_out_write(&ctx, out, "new", 3), HEFT_OK);
    heft_out_abandon(out);
    heft_out_abandon(NULL);
    assert_content(path, "old");
    assert_int_equal(files_in_folder(), 1);
}

/* A link stays a link; the file behind it is replaced. */
static void links_are_followed(void **state)
{
    (void)state;
    heft_out   *out;
    const char *path = in_folder("real.txt"), *link = in_folder("link.txt");
    write_text(path, "old");
    assert_int_equal(symlink("real.txt", link), 0);
    assert_int_equal(heft_out_open(&ctx, link, &out), HEFT_OK);
    assert_int_equal(heft_out_write(&ctx, out, "new", 3), HEFT_OK);
    assert_int_equal(heft_out_commit(&ctx, out), HEFT_OK);
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content(path, "new");
}

/* Large writes arrive complete and in order. */
static void large_outputs_are_complete(void **state)
{
    (void)state;
    enum { N = 300000 };
    heft_out   *out;
    const char *path = in_folder("big");
    assert_int_equal(heft_out_open(&ctx, path, &out), HEFT_OK);
    char *block = malloc(N);
    memset(block, 'x', N);
    for (size_t n = 1; n <= N; n = n * 3 + 1)
        assert_int_equal(heft_out_write(&ctx, out, block, n), HEFT_OK);
    assert_int_equal(heft_out_commit(&ctx, out), HEFT_OK);
    free(block);
    size_t sum = 0;
    for (size_t n = 1; n <= N; n = n * 3 + 1) sum += n;
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, sum);
}

/* Devices are written directly; folders, absent folders and full devices are refused by name. */
static void odd_targets_are_handled(void **state)
{
    (void)state;
    heft_out *out;
    assert_int_equal(heft_out_open(&ctx, "/dev/null", &out), HEFT_OK);
    assert_int_equal(heft_out_write(&ctx, out, "x", 1), HEFT_OK);
    assert_int_equal(heft_out_commit(&ctx, out), HEFT_OK);
    assert_int_equal(heft_out_open(&ctx, in_folder(NULL), &out), HEFT_EIO);
    assert_null(out);
    assert_non_null(strstr(err.text, in_folder(NULL)));
    assert_int_equal(heft_out_open(&ctx, in_folder("no/such"), &out), HEFT_EIO);
    assert_non_null(strstr(err.text, "no/such"));
    assert_int_equal(heft_out_open(&ctx, "", &out), HEFT_EINVAL);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(heft_out_open(&ctx, "/dev/full", &out), HEFT_OK);
        assert_int_equal(heft_out_write(&ctx, out, "x", 1), HEFT_OK);
        assert_int_equal(heft_out_commit(&ctx, out), HEFT_EIO);
        assert_non_null(strstr(err.text, "/dev/full"));
    }
    assert_int_equal(files_in_folder(), 0);
}

/* "-" is standard output, which is left open. */
static void a_dash_is_standard_output(void **state)
{
    (void)state;
    heft_out   *out;
    const char *path = in_folder("stdout.txt");
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    assert_non_null(freopen(path, "wb", stdout));
    const heft_status opened = heft_out_open(&ctx, "-", &out);
    const heft_status wrote = opened ? opened : heft_out_write(&ctx, out, "text", 4);
    const heft_status done = opened ? opened : heft_out_commit(&ctx, out);
    const ssize_t     more = write(STDOUT_FILENO, "!", 1);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_true(opened == HEFT_OK && wrote == HEFT_OK && done == HEFT_OK && more == 1);
    assert_content(path, "text!");
}

/* Whatever allocation fails, opening an output says ENOMEM and leaves nothing behind. */
static void output_survives_allocation_failure(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        heft_out *out;
        heft_fail_alloc_at(n, false);
        const heft_status st = heft_out_open(&ctx, in_folder("a"), &out);
        heft_fail_alloc_at(0, false);
        if (st == HEFT_OK) {
            assert_true(n > 3);
            heft_out_abandon(out);
            break;
        }
        assert_int_equal(st, HEFT_ENOMEM);
        assert_int_equal(files_in_folder(), 0);
    }
}

#define PLAIN(f) cmocka_unit_test_setup_teardown(f, start, end)
#define FILES(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN(formatted_doubles_read_back),
        PLAIN(powers_of_ten_are_exact),
        PLAIN(formatted_doubles_are_shortest_and_nearest),
        PLAIN(sixteen_digits_are_those_of_printf),
        PLAIN(decimals_are_correctly_rounded),
        PLAIN(hard_decimals_are_correctly_rounded),
        PLAIN(very_long_mantissas_are_read),
        PLAIN(other_texts_are_not_numbers),
        PLAIN(doubles_look_as_expected),
        PLAIN(the_locale_has_no_say),
        PLAIN(fields_are_quoted_where_needed),
        PLAIN(shown_text_is_safe),
        PLAIN(lists_are_split),
        PLAIN(spans_are_compared_with_words),
        PLAIN(counts_agree_with_nouns),
        PLAIN(failed_buffers_say_so),
        PLAIN(tables_are_aligned),
        PLAIN(wide_tables_continue_below),
        PLAIN(tables_survive_allocation_failure),
        FILES(output_appears_whole),
        FILES(abandoned_output_leaves_no_trace),
        FILES(links_are_followed),
        FILES(large_outputs_are_complete),
        FILES(odd_targets_are_handled),
        FILES(a_dash_is_standard_output),
        FILES(output_survives_allocation_failure),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
