/* marks_test.c - settings in messages: the syntax of each front end, and text of users untouched.
 */
#include "fixture.h"

#include "base/dict.h"
#include "base/put.h"
#include "base/setting_words.h"
#include "methods/registry.h"

static void renders(const char *format, const char *program, const char *c, const char *python)
{
    char out[512];
    assert_string_equal(heft_render_as(HEFT_SYNTAX_PROGRAM, out, sizeof out, format), program);
    assert_string_equal(heft_render_as(HEFT_SYNTAX_C, out, sizeof out, format), c);
    assert_string_equal(heft_render_as(HEFT_SYNTAX_PYTHON, out, sizeof out, format), python);
}

/* Each front end reads its own syntax, with and without a value. */
static void settings_in_three_syntaxes(void **state)
{
    (void)state;
    renders("use {discretize}", "use --discretize", "use heft_config.discretize", "use discretize");
    renders("use {discretize=mdl}.", "use --discretize mdl.", "use .discretize = \"mdl\".",
            "use discretize='mdl'.");
    renders("{class-weight=balanced}", "--class-weight balanced", ".class_weight = \"balanced\"",
            "class_weight='balanced'");
    renders("{class-weight=CLASS=W,...}", "--class-weight CLASS=W,...", "heft_config.class_weight",
            "class_weight");
    renders("{cv=%zu} {repeat=2}", "--cv %zu --repeat 2", ".folds = %zu .repeats = 2",
            "cv=%zu repeats=2");
    renders("{tune=%s}", "--tune %s", ".tune = \"%s\"", "tune='%s'");
    renders("{missing='%.40s'}", "--missing '%.40s'", ".missing = \"%.40s\"", "missing='%.40s'");
    renders("{seed} {threads} {weight} {float}", "--seed --threads --weight --float",
            "heft_runtime.seed heft_runtime.threads heft_source.weight heft_export_options.single",
            "random_state n_jobs sample_weight single");
    renders("{header=no} {header=yes} {quote=none} {decimal-mark=%c}",
            "--header no --header yes --quote none --decimal-mark %c",
            ".header = -1 .header = 1 .quote = HEFT_NO_QUOTE .decimal_mark = '%c'",
            "header=False header=True quote='none' decimal_mark='%c'");
}

static void methods_parameters_commands(void **state)
{
    (void)state;
    renders("{method=nb} {method=auto} {method=treenb} {method=%s}",
            "-m nb -m auto -m treenb -m %s",
            ".method = \"nb\" .method = \"auto\" .method = \"treenb\" .method = \"%s\"",
            "heft.NB heft.Auto heft.TreeNB method='%s'");
    renders("{param tol=1e-7}", "-p tol=1e-7", ".params \"tol=1e-7\"", "tol=1e-7");
    renders("{param lambda=2} {param max-iter} {param effort=full}",
            "-p lambda=2 -p max-iter -p effort=full",
            ".params \"lambda=2\" .params \"max-iter\" .params \"effort=full\"",
            "lambda_=2 max_iter effort='full'");
    renders("{param threshold=}", "-p threshold=", ".params \"threshold=\"", "threshold_=");
    renders("{command merge}, {command inspect MODEL}", "heft merge, heft inspect MODEL",
            "heft_model_merge, heft_inspect_text", "heft.merge, inspect");
}

/* Advice that a front end cannot follow is left out, with what joins it to its neighbours. */
static void advice_goes_with_its_separators(void **state)
{
    (void)state;
    renders("x ({advice leave-out-column})", "x (leave it out with --drop)",
            "x (leave it out with heft_source.drop)", "x (leave the column out of X)");
    renders("x ({advice name-target})", "x (name one with --target)",
            "x (name one with heft_source.target)", "x");
    renders("x (do a, or {advice name-target})", "x (do a, or name one with --target)",
            "x (do a, or name one with heft_source.target)", "x (do a)");
    renders("x ({advice name-target}; do a)", "x (name one with --target; do a)",
            "x (name one with heft_source.target; do a)", "x (do a)");
    /* the argument of a value that is not shown is still taken */
    renders("({advice mark-missing=%s}) %s", "(--missing '%s' if it marks missing values) %s",
            "(.missing = \"%s\" if it marks missing values) %s", "(make such cells NaN%.0s) %s");
    renders("({advice mark-missing=%40q})", "(--missing '%40q' if it marks missing values)",
            "(.missing = \"%40q\" if it marks missing values)", "(make such cells NaN%0q)");
}

/* Braces that hold no mark, and marks that nothing is known about, stay. */
static void other_braces_stay(void **state)
{
    (void)state;
    static const char *const plain[] = {"{",
                                        "}",
                                        "{}",
                                        "a {b",
                                        "{Drop}",
                                        "{nonsense}",
                                        "{advice nonsense}",
                                        "{command nonsense}",
                                        "{\"drop\": 1}"};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        renders(plain[k], plain[k], plain[k], plain[k]);
    renders("{values} and {drop}", "{values} and --drop", "{values} and heft_source.drop",
            "{values} and drop");
}

/* Text of users that looks like a mark or an option is shown as it is. */
static void text_of_users_is_untouched(void **state)
{
    (void)state;
    heft_ctx ctx;
    char     out[100];
    heft_buf text = {0};
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    heft_set_message_syntax(HEFT_SYNTAX_PROGRAM);
    heft_fail(&ctx, HEFT_EINVAL, "column '%s' ({drop=%s}) %s", "{drop}", "{advice train-one}",
              "--drop");
    assert_string_equal(err.text, "column '{drop}' (--drop {advice train-one}) --drop");
    heft_print(out, sizeof out, "{cv=%zu} %s", (size_t)3, "{cv}");
    assert_string_equal(out, "--cv 3 {cv}");
    heft_put_marked(&text, "{missing='%40q'} %z", "{missing}", (size_t)4);
    assert_string_equal(heft_buf_string(&text), "--missing '{missing}' 4");
    heft_buf_clear(&text);
    heft_set_message_syntax(HEFT_SYNTAX_PYTHON);
    heft_put_marked(&text, "({advice mark-missing=%40q}) %z", "{missing}", (size_t)4);
    assert_string_equal(heft_buf_string(&text), "(make such cells NaN) 4");
    heft_buf_clear(&text);
    heft_put_marked(&text, "leave it out {advice out-of-table=%s} %z", "{a}", (size_t)4);
    assert_string_equal(heft_buf_string(&text), "leave it out of X 4");
    heft_render_file(out, sizeof out, "leave it out {advice out-of-table=a b}");
    assert_string_equal(out, "leave it out with drop='a b'");
    assert_string_equal(HEFT_PARAM_WORD("max-iter"), "max_iter");
    assert_string_equal(HEFT_PARAM_WORD("lambda"), "lambda_");
    heft_set_message_syntax(HEFT_SYNTAX_C);
    assert_string_equal(HEFT_PARAM_WORD("max-iter"), "max-iter");
    assert_string_equal(HEFT_MARKED("{cost} or {tune}"), "heft_config.cost or heft_config.tune");
    heft_buf_clear(&text);
    heft_ctx_clear(&ctx);
}

/* What does not fit is cut, and never inside a conversion or beyond the buffer. */
static void long_texts_are_bounded(void **state)
{
    (void)state;
    const char format[] = "{discretize=mdl} %s {drop='%.40s'} %zu {advice mark-missing=%s}";
    char       whole[256], out[256];
    for (int syntax = HEFT_SYNTAX_C; syntax <= HEFT_SYNTAX_PYTHON; syntax++) {
        heft_render_as((heft_syntax)syntax, whole, sizeof whole, format);
        for (size_t size = 1; size <= strlen(whole) + 1; size++) {
            memset(out, '#', sizeof out);
            heft_render_as((heft_syntax)syntax, out, size, format);
            const size_t n = strlen(out);
            assert_true(n < size && memcmp(out, whole, n) == 0 && out[size] == '#');
            for (const char *p = strchr(out, '%'); p; p = strchr(p + 1, '%')) {
                const size_t left = strspn(p + 1, ".0123456789z");
                assert_true(p[1 + left] == 's' || p[1 + left] == 'u');
            }
        }
    }
}

/* The public list has every setting once, and no two with the same name. */
static void the_list_is_complete(void **state)
{
    (void)state;
    size_t n = 0;
    for (const heft_setting_info *s; (s = heft_setting_at(n)); n++) {
        assert_true(s->owner[0] && s->field[0] && s->name[0] && s->help[0]);
        const bool flag = s->kind == HEFT_SETTING_FLAG || s->kind == HEFT_SETTING_SWITCH;
        assert_true(flag == (s->value == NULL));
        for (size_t k = 0; k < n; k++) assert_string_not_equal(heft_setting_at(k)->name, s->name);
    }
    assert_true(n > 50 && !heft_setting_at(n) && !heft_setting_at(SIZE_MAX));
}

static void chooses(const char *name, const char *given, size_t k, const char *rest)
{
    heft_ctx    ctx;
    size_t      found = 99;
    const char *behind;
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    const heft_status st = heft_setting_choose(&ctx, name, given, &found, &behind);
    assert_int_equal(st, k == 99 && given ? HEFT_EINVAL : HEFT_OK);
    assert_int_equal(found, k);
    if (rest) assert_string_equal(behind, rest);
    else if (st == HEFT_OK) assert_null(behind);
    heft_ctx_clear(&ctx);
}

/* Words are found as the list has them, with what follows a colon where it has one. */
static void words_are_those_of_the_list(void **state)
{
    (void)state;
    chooses("scale", NULL, 99, NULL);
    chooses("scale", "none", 0, NULL);
    chooses("scale", "unit", 3, NULL);
    chooses("scale", "unit:2", 99, NULL);
    chooses("scale", "uni", 99, NULL);
    chooses("scale", "", 99, NULL);
    chooses("discretize", "width:10", 1, "10");
    chooses("discretize", "width", 1, "");
    chooses("discretize", "width:", 1, "");
    chooses("discretize", "mdl", 3, NULL);
    chooses("discretize", "mdl:0.6", 3, "0.6");
    chooses("discretize", "mdlx", 99, NULL);
    chooses("discretize", "presence", 4, NULL);
    chooses("prior", "CLASS=P", 99, NULL);
    assert_string_equal(err.text, "heft_config.prior: 'CLASS=P' is not one of smoothed, frequency, "
                                  "uniform, CLASS=P,...");
    static const char *const cut[] = {"none", "width", "frequency", "mdl", "presence", "", ""};
    for (size_t k = 0; k < 7; k++) assert_string_equal(heft_setting_word("discretize", k), cut[k]);
    assert_string_equal(heft_setting_word("tune", 3), "cost");
    assert_string_equal(heft_setting_word("part", 0), "");
    assert_string_equal(heft_setting_word("paired", 1), "plain");
    assert_true(heft_setting_is("protocol", 1, "whole") &&
                !heft_setting_is("protocol", 0, "whole"));
    assert_false(heft_setting_is("protocol", 0, NULL));
    assert_true(heft_setting_number("cv") == 10 && heft_setting_number("alpha") == 0.05);
    assert_true(heft_setting_number("max-columns") == 1 << 24);
    assert_true(heft_setting_number("max-classes") == HEFT_MOST_CLASSES);
    assert_string_equal(heft_setting_find("method", 6)->fallback, HEFT_DEFAULT_METHOD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_in_three_syntaxes),
        cmocka_unit_test(methods_parameters_commands),
        cmocka_unit_test(advice_goes_with_its_separators),
        cmocka_unit_test(other_braces_stay),
        cmocka_unit_test(text_of_users_is_untouched),
        cmocka_unit_test(long_texts_are_bounded),
        cmocka_unit_test(the_list_is_complete),
        cmocka_unit_test(words_are_those_of_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
