/* params.c - from "name=value" to checked values, by the method's option table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/marks.h"
#include "base/text.h"
#include "model/method.h"

static size_t n_options(const heft_method *method)
{
    size_t n = 0;
    if (method->options)
        while (method->options[n].name) n++;
    return n;
}

/* The index of the option whose name is the `length` characters at `name`; the number of options
 * where there is none. */
static size_t find_option(const heft_method *method, const char *name, size_t length)
{
    size_t k = 0;
    while (k < n_options(method) &&
           (strncmp(method->options[k].name, name, length) != 0 || method->options[k].name[length]))
        k++;
    return k;
}

/* Index of `text` among the words "a|b|c", -1 when it is none of them. */
static int word_index(const char *words, const char *text)
{
    const size_t length = strlen(text);
    int          index = 0;
    for (const char *at = words; at && *at; index++) {
        const size_t word = strcspn(at, "|");
        if (word == length && strncmp(at, text, length) == 0) return index;
        at += word + (at[word] == '|');
    }
    return -1;
}

void heft_option_range(const heft_option *o, char *out, size_t size)
{
    char lo[32], hi[32], numbers[128] = "";
    heft_format_double(lo, isfinite(o->lo) ? o->lo : 0);
    heft_format_double(hi, isfinite(o->hi) ? o->hi : 0);
    if (o->text) snprintf(numbers, sizeof numbers, "text");
    else if (o->pair) snprintf(numbers, sizeof numbers, "LOW,HIGH");
    else if (o->number)
        snprintf(numbers, sizeof numbers, "%s %s %s%s%s", o->whole ? "a whole number" : "a number",
                 o->open ? "above" : "from", lo, isfinite(o->hi) ? " to " : "",
                 isfinite(o->hi) ? hi : "");
    snprintf(out, size, "%s%s%s", numbers, numbers[0] && o->words ? ", or " : "",
             o->words ? o->words : "");
}

static bool parse_value(const heft_option *o, const char *text, heft_value *v)
{
    const char *end = text + strlen(text);
    v->word = word_index(o->words, text);
    v->num = v->num2 = 0;
    if (v->word >= 0 || o->text) return true;
    if (o->pair) {
        const char *comma = strchr(text, ',');
        return comma && heft_parse_double(text, comma, &v->num) == HEFT_NUM_OK &&
               heft_parse_double(comma + 1, end, &v->num2) == HEFT_NUM_OK && v->num <= v->num2;
    }
    return o->number && heft_parse_double(text, end, &v->num) == HEFT_NUM_OK &&
           (!o->whole || v->num == floor(v->num)) && (o->open ? v->num > o->lo : v->num >= o->lo) &&
           v->num <= o->hi;
}

static heft_status unknown(heft_ctx *ctx, const heft_method *method, const char *name)
{
    char   known[256] = "";
    size_t used = 0;
    for (size_t k = 0; k < n_options(method) && used < sizeof known; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                                 method->options[k].name);
    return heft_fail(ctx, HEFT_EINVAL, "method %s has no parameter '%.80s' (it has %s)",
                     method->name, name, known[0] ? known : "none");
}

/* Write what an option accepts in the syntax of Python: words in quotation marks, a tuple for a
 * pair of numbers. */
static void python_range(const heft_option *o, char *out, size_t size)
{
    heft_option numbers = *o;
    size_t      used;
    numbers.words = NULL;
    if (o->pair) snprintf(out, size, "(LOW, HIGH)");
    else heft_option_range(&numbers, out, size);
    used = strlen(out);
    for (const char *at = o->words; at && *at && used < size;) {
        const size_t n = strcspn(at, "|");
        used += (size_t)snprintf(out + used, size - used, "%s'%.*s'",
                                 !used   ? ""
                                 : at[n] ? ", "
                                         : " or ",
                                 (int)n, at);
        at += n + (at[n] == '|');
    }
}

static heft_status not_accepted(heft_ctx *ctx, const heft_method *method, const heft_option *o,
                                const char *given)
{
    char range[256];
    if (heft_message_syntax() == HEFT_SYNTAX_PYTHON) {
        python_range(o, range, sizeof range);
        return heft_fail(ctx, HEFT_EINVAL, "%s: '%.80s' is not accepted (it takes %s)",
                         HEFT_PARAM_WORD(o->name), given, range);
    }
    heft_option_range(o, range, sizeof range);
    return heft_fail(ctx, HEFT_EINVAL,
                     "method %s, parameter %s: '%.80s' is not accepted (it takes %s)", method->name,
                     o->name, given, range);
}

static heft_status set_one(heft_ctx *ctx, const heft_method *method, const char *param,
                           bool skip_unknown, heft_arena *arena, heft_value *values)
{
    const size_t name = strcspn(param, "=");
    char        *copy;
    HEFT_CHECK(heft_arena_copy(ctx, arena, param, &copy));
    if (!param[name])
        return heft_fail(ctx, HEFT_EINVAL, "parameter '%.80s' is not of the form NAME=VALUE",
                         param);
    copy[name] = 0;
    const size_t k = find_option(method, copy, name);
    if (k == n_options(method)) return skip_unknown ? HEFT_OK : unknown(ctx, method, copy);
    values[k].as_text = copy + name + 1;
    if (parse_value(&method->options[k], values[k].as_text, &values[k])) return HEFT_OK;
    return not_accepted(ctx, method, &method->options[k], values[k].as_text);
}

heft_status heft_params_parse(heft_ctx *ctx, const heft_method *method, const char *const *params,
                              bool skip_unknown, heft_arena *arena, heft_value **values)
{
    const size_t n = n_options(method);
    HEFT_ALLOC(ctx, arena, *values, n);
    for (size_t k = 0; k < n; k++) {
        (*values)[k].as_text = method->options[k].fallback;
        if (!parse_value(&method->options[k], method->options[k].fallback, &(*values)[k]))
            HEFT_CHECK(heft_fail(ctx, HEFT_EINVAL,
                                 "method %s: the default of %s is out of its range", method->name,
                                 method->options[k].name));
    }
    for (; params && *params; params++)
        HEFT_CHECK(set_one(ctx, method, *params, skip_unknown, arena, *values));
    return HEFT_OK;
}

heft_status heft_params_list(heft_ctx *ctx, char *const *names, char *const *values, size_t n,
                             heft_arena *arena, const char *const **out)
{
    char **list;
    HEFT_ALLOC(ctx, arena, list, n + 1);
    for (size_t k = 0; k < n; k++) {
        const size_t size = strlen(names[k]) + strlen(values[k]) + 2;
        HEFT_ALLOC(ctx, arena, list[k], size);
        snprintf(list[k], size, "%s=%s", names[k], values[k]);
    }
    *out = (const char *const *)list;
    return HEFT_OK;
}

bool heft_params_known(const heft_method *method, const char *param)
{
    return find_option(method, param, strcspn(param, "=")) < n_options(method);
}

const heft_value *heft_param(const heft_task *task, const char *name)
{
    static const heft_value nothing = {"", -1, 0, 0};
    const size_t            k = find_option(task->method, name, strlen(name));
    if (k < n_options(task->method)) return &task->values[k];
    assert(0 && "a method asked for an option it does not declare");
    return &nothing;
}

double heft_param_num(const heft_task *task, const char *name)
{
    return heft_param(task, name)->num;
}
