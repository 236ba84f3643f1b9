/* merge_test.c - models that add up: every method that says it merges, random partitions, weights,
 * failing memory; and the arithmetic below. */
#include "fixture.h"

#include "base/exact_sum.h"
#include "methods/registry.h"

#include "base/ctx.h"
#include "base/dict.h"
#include "base/double_double.h"
#include "model/method.h"
#include "model/model.h"

enum { ROWS = 240, NUMERIC = 2, NOMINAL = 3 };

static const char *const letters[] = {"a", "b", "c", "d", "e"};
static const char *const kinds[] = {"no", "perhaps", "yes"};

typedef struct made {
    double  x[NUMERIC][ROWS];
    int32_t v[NOMINAL][ROWS], y[ROWS];
    double  w[ROWS];
} made;

static made *make(uint64_t seed)
{
    made    *m = calloc(1, sizeof *m);
    uint64_t s = seed;
    for (size_t i = 0; i < ROWS; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        m->y[i] = (int32_t)((s >> 33) % 3);
        m->w[i] = i % 5 == 2 ? 0 : (double)(1 + (s >> 40) % 3);
        for (size_t j = 0; j < NUMERIC; j++)
            m->x[j][i] = (double)((s >> (20 + j)) % 1000) / 7 + m->y[i] + (j ? 1e7 : 0);
        for (size_t j = 0; j < NOMINAL; j++)
            m->v[j][i] = (int32_t)((s >> (11 * j)) % 7) - (j == 2); /* 5 and 6: missing */
        if (i % 17 == 3) m->x[0][i] = NAN;
    }
    return m;
}

/* Rows lo..hi-1. Without `gaps` nothing is missing; without `numbers` all attributes are nominal.
 */
static heft_table *made_table(const made *m, size_t lo, size_t hi, bool numbers, bool gaps,
                              bool weights)
{
    static const char *const name[] = {"v0", "v1", "v2"};
    int32_t                  codes[NOMINAL][ROWS];
    frame                    f = {.n_rows = hi - lo,
                                  .y = m->y + lo,
                                  .classes = kinds,
                                  .n_class = 3,
                                  .weight = weights ? m->w + lo : NULL};
    for (size_t j = 0; numbers && j < NUMERIC; j++)
        f.cols[f.n_cols++] = (field){.numbers = m->x[j] + lo};
    for (size_t j = 0; j < NOMINAL; j++) {
        for (size_t i = lo; i < hi; i++) codes[j][i - lo] = gaps ? m->v[j][i] : abs(m->v[j][i]) % 5;
        f.cols[f.n_cols++] = (field){name[j], .codes = codes[j], .values = letters, .n_values = 5};
    }
    return table_of(&f);
}

static heft_model *fit_part(const heft_table *t, const char *method, bool numbers)
{
    return fit(t, method,
               &(heft_config){.part = true,
                              .run = RUN(.threads = 2),
                              .impute = "none",
                              .scale = "none",
                              .discretize = numbers ? "none" : NULL});
}

static void merged_as_whole(const made *m, const char *method, bool numbers, bool gaps,
                            bool weights, const size_t *edges, size_t n)
{
    heft_table *whole = made_table(m, 0, ROWS, numbers, gaps, weights);
    heft_model *one = fit_part(whole, method, numbers), *parts[8], *merged = NULL;
    for (size_t k = 0; k < n; k++) {
        heft_table *t = made_table(m, edges[k], edges[k + 1], numbers, gaps, weights);
        parts[k] = fit_part(t, method, numbers);
        heft_table_free(t);
    }
    OK(heft_model_merge((const heft_model *const *)parts, n, &merged, &err));
    double *a = posterior(one, whole), *b = posterior(merged, whole);
    if (memcmp(a, b, ROWS * 3 * sizeof *a) != 0) fail_msg("%s: other posteriors", method);
    const heft_suffstats *s = one->suffstats, *t = merged->suffstats;
    assert_memory_equal(s->counts.class_sum, t->counts.class_sum, 3 * sizeof(double));
    for (size_t j = 0; j < s->n_attr; j++)
        if (s->attr[j].coded)
            assert_memory_equal(s->counts.cell[j], t->counts.cell[j], 7 * 3 * sizeof(double));
    free(a);
    free(b);
    heft_model_free(one);
    heft_model_free(merged);
    for (size_t k = 0; k < n; k++) heft_model_free(parts[k]);
    heft_table_free(whole);
}

/* Every method of the registry that says so, with what it takes. */
static void every_method_that_merges(void **state)
{
    (void)state;
    const size_t halves[] = {0, 100, ROWS}, many[] = {0, 1, 2, 60, 61, 170, 239, ROWS};
    size_t       count = 0;
    made        *m = make(7);
    for (size_t k = 0; k < heft_methods_count(); k++) {
        const heft_method *method = heft_methods_at(k);
        if (!method->suffstats) continue;
        const bool pairs = method->suffstats & HEFT_STATS_PAIRS;
        const bool gaps =
            method->caps & HEFT_TAKES_MISSING && !(method->suffstats & HEFT_STATS_COMPLETE);
        for (int w = 0; w < 2; w++) {
            merged_as_whole(m, method->name, !pairs, gaps, w, halves, 2);
            merged_as_whole(m, method->name, !pairs, gaps, w, many, 7);
        }
        count++;
    }
    assert_true(count >= 10);
    free(m);
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    made *m = make(9);
    for (int numbers = 0; numbers < 2; numbers++) {
        heft_table *t = made_table(m, 0, 60, numbers, false, false);
        heft_model *part = fit_part(t, numbers ? "klnb" : "cfwnb", numbers), *merged = NULL;
        const heft_model *const both[] = {part, part};
        size_t                  n = 1;
        for (;; n++) {
            heft_fail_alloc_at(n, n % 2);
            const heft_status st = heft_model_merge(both, 2, &merged, &err);
            heft_fail_alloc_at(0, false);
            if (st == HEFT_OK) break;
            assert_int_equal(st, HEFT_ENOMEM);
            assert_null(merged);
        }
        assert_true(n > 5);
        heft_model_free(merged);
        heft_model_free(part);
        heft_table_free(t);
    }
    free(m);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    heft_model       *out;
    const heft_model *none[] = {NULL};
    assert_int_equal(heft_model_merge(NULL, 1, &out, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge(none, 1, &out, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge(none, 0, &out, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge(none, 1, NULL, &err), HEFT_EINVAL);
    const char *const path[] = {"/nowhere/a.heft", NULL};
    assert_int_equal(heft_model_merge_files(NULL, 1, &out, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge_files(path, 0, &out, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge_files(path, 1, NULL, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge_files(path + 1, 1, &out, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_merge_files(path, 1, &out, &err), HEFT_EIO);
    assert_null(out);
}

/* ---- like ---- */

static void parts_like_a_model_take_new_values_in(void **state)
{
    (void)state;
    made                    *m = make(11);
    static const char *const more[] = {"a", "b", "c", "d", "e", "f"};
    static const char *const four[] = {"never", "no", "perhaps", "yes"};
    const int32_t            codes[] = {5, 0, 1}, y[] = {0, 1, 3};
    const double             x[] = {1, 2, 3};
    heft_table              *t = made_table(m, 0, 100, true, false, false), *extra;
    heft_model              *base = NULL, *part = NULL, *merged = NULL;
    base = fit(t, "aode", NULL);
    OK(heft_table_create(3, &extra, &err));
    OK(heft_table_add_codes(extra, "v1", codes, 1, more, 6, &err));
    OK(heft_table_add_numbers(extra, "x1", x, 1, &err));
    OK(heft_table_add_numbers(extra, "x0", x, 1, &err));
    OK(heft_table_add_codes(extra, "v0", codes, 1, more, 6, &err));
    OK(heft_table_add_codes(extra, "v2", codes, 1, more, 6, &err));
    OK(heft_table_set_target(extra, "class", y, four, 4, &err));
    OK(heft_fit(extra, &(heft_config){.like = base}, &part, &err));
    assert_string_equal(heft_model_method(part), "aode");
    assert_string_equal(model_column(part, 0), "x0");
    const heft_model *const both[] = {base, part};
    OK(heft_model_merge(both, 2, &merged, &err));
    assert_int_equal(heft_model_classes(merged), 4);
    assert_string_equal(heft_model_class_name(merged, 0), "never");
    assert_int_equal(heft_dict_size(merged->prep.attr[2].dict), 6);
    NEAR(merged->suffstats->counts.total, 103, 0);
    heft_model_free(part);
    heft_model_free(merged);
    assert_int_equal(heft_fit(extra, &(heft_config){.like = base, .impute = "mean"}, &part, &err),
                     HEFT_EINVAL);
    heft_model_free(base);
    heft_table_free(extra);
    heft_table_free(t);
    free(m);
}

/* ---- below ---- */

static heft_dict *dict_of(heft_ctx *ctx, const char *words)
{
    heft_dict *d;
    uint32_t   code;
    assert_int_equal(heft_dict_create(ctx, &d), HEFT_OK);
    for (; *words; words++) assert_int_equal(heft_dict_add(ctx, d, words, 1, &code), HEFT_OK);
    return d;
}

static void union_is(heft_ctx *ctx, const char *a, const char *b, const char *expected)
{
    heft_dict *dicts[] = {dict_of(ctx, a), dict_of(ctx, b)}, *both;
    assert_int_equal(heft_dict_union(ctx, dicts, 2, &both), HEFT_OK);
    assert_int_equal(heft_dict_size(both), strlen(expected));
    for (uint32_t v = 0; expected[v]; v++)
        assert_int_equal(heft_dict_text(both, v)[0], expected[v]);
    for (size_t k = 0; k < 2; k++) heft_dict_free(dicts[k]);
    heft_dict_free(both);
}

static void dictionaries_unite(void **state)
{
    (void)state;
    heft_ctx ctx;
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    union_is(&ctx, "bd", "ac", "abcd"); /* sorted ones stay sorted */
    union_is(&ctx, "db", "ac", "dbac"); /* declared ones in order of appearance */
    union_is(&ctx, "yn", "yn", "yn");   /* equal ones as they are */
    union_is(&ctx, "29", "1", "129");   /* numbers by size */
    union_is(&ctx, "", "ba", "ba");
    union_is(&ctx, "ac", "", "ac");
    heft_ctx_clear(&ctx);
}

static void dd_sums_lose_nothing(void **state)
{
    (void)state;
    const heft_dd third = heft_dd_over((heft_dd){1, 0}, 3);
    const heft_dd one = heft_dd_scale(third, 3);
    NEAR(one.high - 1 + one.low, 0, 1e-31);
    const heft_dd p = heft_two_product(1 + 0x1p-30, 1 - 0x1p-30);
    assert_true(p.high == 1 && p.low == -0x1p-60);
    const heft_dd s = heft_two_sum(1e16, 1.25), back = heft_dd_add(s, (heft_dd){-1e16, 0});
    assert_true(back.high == 1.25 && back.low == 0);
    const heft_dd q = heft_two_square(1 + 0x1p-52);
    assert_true(q.high == 1 + 0x1p-51 && q.low == 0x1p-104);
    const heft_dd t = heft_dd_times(third, (heft_dd){3, 0});
    NEAR(t.high - 1 + t.low, 0, 1e-31);
}

/* The bits of an exact sum depend neither on the order nor on the grouping of its terms, and no
 * term is lost beside larger ones. */
static void exact_sums_have_one_value(void **state)
{
    enum { TERMS = 999 };
    double   term[TERMS];
    heft_dd  first = {0, 0};
    heft_rng rng;
    (void)state;
    heft_rng_init(&rng, 3, 0);
    for (size_t i = 0; i < TERMS; i++)
        term[i] = ldexp(2 * heft_rng_real(&rng) - 1, -(int)heft_rng_below(&rng, 60));
    for (size_t round = 0; round < 20; round++) {
        double  sum[7][HEFT_DIGITS] = {{0}};
        int64_t all[HEFT_DIGITS] = {0}, own[HEFT_DIGITS];
        for (size_t i = TERMS - 1; i > 0; i--) {
            const size_t k = heft_rng_below(&rng, i + 1);
            const double t = term[i];
            term[i] = term[k], term[k] = t;
        }
        for (size_t i = 0; i < TERMS; i++) {
            double *s = sum[i * (round % 7 + 1) / TERMS];
            HEFT_ADD_DIGITS(double, s[1], s[2], s[3], term[i], 0x1p-60 * term[i]);
            if (i % (round + 1) == round) heft_exact_carry(s);
        }
        for (size_t r = 0; r < 7; r++) {
            heft_exact_digits(sum[r], own);
            for (size_t d = 0; d < HEFT_DIGITS; d++) all[d] += own[d];
        }
        const heft_dd value = heft_exact_value(all);
        if (round == 0) first = value;
        assert_true(value.high == first.high && value.low == first.low);
    }
    double  small[HEFT_DIGITS] = {0};
    int64_t digits[HEFT_DIGITS];
    HEFT_ADD_DIGITS(double, small[1], small[2], small[3], 1.0, 0.0);
    HEFT_ADD_DIGITS(double, small[1], small[2], small[3], 0x1p-100, 0.0);
    heft_exact_digits(small, digits);
    assert_true(heft_exact_value(digits).high == 1 && heft_exact_value(digits).low == 0x1p-100);
    HEFT_ADD_DIGITS(double, small[1], small[2], small[3], -1.0, 0.0);
    heft_exact_digits(small, digits);
    assert_true(heft_exact_value(digits).high == 0x1p-100 && heft_exact_value(digits).low == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_that_merges),
        cmocka_unit_test(failing_memory_is_reported),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(parts_like_a_model_take_new_values_in),
        cmocka_unit_test(dictionaries_unite),
        cmocka_unit_test(dd_sums_lose_nothing),
        cmocka_unit_test(exact_sums_have_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
