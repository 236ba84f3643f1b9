/* marks.c - the settings and the words of each front end for them. */
#include "base/marks.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const heft_setting_info settings[] = {
#define HEFT_SETTING(group, owner, field, name, letter, kind, least, value, python, fallback,      \
                     help)                                                                         \
    {#group, #owner, #field, name, value, python, fallback, help, HEFT_SETTING_##kind,             \
     letter, least},
#include "base/settings.def"
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

const heft_setting_info *heft_setting(size_t index)
{
    return index < N_SETTINGS ? &settings[index] : NULL;
}

const heft_setting_info *heft_setting_find(const char *name, size_t length)
{
    for (size_t k = 0; k < N_SETTINGS; k++)
        if (strlen(settings[k].name) == length && memcmp(settings[k].name, name, length) == 0)
            return &settings[k];
    return NULL;
}

typedef struct phrase {
    const char *name, *program, *c, *python;
} phrase;

static const phrase phrases[] = {
#define HEFT_COMMAND(name, c, python)
#define HEFT_PHRASE(name, program, c, python) {name, program, c, python},
#include "base/phrases.def"
};

static const phrase commands[] = {
#define HEFT_COMMAND(name, c, python) {#name, #name, #c, python},
#define HEFT_PHRASE(name, program, c, python)
#include "base/phrases.def"
};

static _Atomic int chosen = HEFT_SYNTAX_C;

void heft_use_syntax(heft_syntax syntax)
{
    atomic_store(&chosen, (int)syntax);
}

heft_syntax heft_message_syntax(void)
{
    return (heft_syntax)atomic_load(&chosen);
}

/* ---- writing ---- */

typedef struct span {
    const char *at;
    size_t      n;
} span;

typedef struct writer {
    heft_syntax syntax;
    char       *out;
    size_t      n, size;
    bool        file; /* see heft_render_file */
} writer;

static span span_of(const char *text)
{
    return (span){text, strlen(text)};
}

static bool is(span s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.at, word, s.n) == 0;
}

static void put(writer *w, span s)
{
    const size_t fits = w->size - 1 - w->n;
    const size_t n = s.n < fits ? s.n : fits;
    memcpy(w->out + w->n, s.at, n);
    w->n += n;
}

static void put_text(writer *w, const char *text)
{
    put(w, span_of(text));
}

static void put_name(writer *w, span s)
{
    for (size_t i = 0; i < s.n; i++) put(w, s.at[i] == '-' ? span_of("_") : (span){s.at + i, 1});
}

/* Returns the text before the first `mark`; *rest is the text after it (`at` is NULL if there is no
 * mark). */
static span split(span s, char mark, span *rest)
{
    const char *found = memchr(s.at, mark, s.n);
    *rest = (span){0};
    if (!found) return s;
    *rest = (span){found + 1, s.n - 1 - (size_t)(found - s.at)};
    return (span){s.at, (size_t)(found - s.at)};
}

/* ---- values ---- */

static bool is_number(span s)
{
    if (s.at[0] == '%') /* a conversion alone: %s:10 is a text */
        return isalpha((unsigned char)s.at[s.n - 1]) && !strchr("scq", s.at[s.n - 1]);
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("0123456789.eE+-", s.at[i])) return false;
    return isdigit((unsigned char)s.at[0]) || s.at[0] == '-';
}

static void put_quoted(writer *w, span s, const char *quote)
{
    put_text(w, quote);
    put(w, s);
    put_text(w, quote);
}

static void put_value(writer *w, span s, heft_setting_kind kind)
{
    const bool python = w->syntax == HEFT_SYNTAX_PYTHON, text = kind == HEFT_SETTING_TEXT;
    const bool size = kind == HEFT_SETTING_SIZE || kind == HEFT_SETTING_NUMBER;
    if (s.n > 1 && s.at[0] == '\'') s = (span){s.at + 1, s.n - 2};
    if (size || (is_number(s) && (python || !text))) put(w, s);
    else if (python && kind == HEFT_SETTING_YES_NO) put_text(w, is(s, "yes") ? "True" : "False");
    else if (python) put_quoted(w, s, "'");
    else if (kind == HEFT_SETTING_YES_NO) put_text(w, is(s, "yes") ? "1" : "-1");
    else if (kind == HEFT_SETTING_QUOTE && is(s, "none")) put_text(w, "HEFT_NO_QUOTE");
    else
        put_quoted(w, s, kind == HEFT_SETTING_CHARACTER || kind == HEFT_SETTING_QUOTE ? "'" : "\"");
}

static void put_setting(writer *w, const heft_setting_info *s, span value)
{
    const bool method = s->kind == HEFT_SETTING_METHOD;
    if (w->syntax == HEFT_SYNTAX_PROGRAM) {
        put_text(w, method ? "-m" : "--");
        if (!method) put_text(w, s->name);
        if (!value.at) return;
        put_text(w, " ");
        put(w, value);
        return;
    }
    if (value.at && isupper((unsigned char)value.at[0])) value.at = NULL;
    if (w->syntax == HEFT_SYNTAX_C) {
        put_text(w, value.at ? "." : s->owner);
        if (!value.at) put_text(w, ".");
        put_text(w, s->field);
        if (value.at) put_text(w, " = ");
    } else {
        put_name(w, span_of(!s->python || s->python[0] == '=' ? s->name : s->python));
        if (value.at) put_text(w, "=");
    }
    if (value.at) put_value(w, value, s->kind);
}

/* ---- methods and their parameters ---- */

/* A method as its class of the Python package. */
static void put_class(writer *w, span name)
{
    static const char *const mixed[] = {"Auto", "FlexNB", "TreeNB"};
    char class[64] = "";
    const size_t n = name.n < sizeof class ? name.n : sizeof class - 1;
    for (size_t i = 0; i < n; i++) class[i] = (char)toupper((unsigned char)name.at[i]);
    for (size_t k = 0; k < sizeof mixed / sizeof *mixed; k++)
        if (strlen(mixed[k]) == n && strncasecmp(mixed[k], class, n) == 0)
            memcpy(class, mixed[k], n);
    put_text(w, "heft.");
    put_text(w, class);
}

/* Python's keywords, and arguments that all estimators have: a parameter of that name gets a _. */
static bool is_taken(span name)
{
    const heft_setting_info *s = heft_setting_find(name.at, name.n);
    if (is(name, "lambda")) return true;
    return s && s->python && strcmp(s->owner, "heft_config") == 0;
}

static void put_param(writer *w, span param)
{
    span       value;
    const span name = split(param, '=', &value);
    if (w->syntax == HEFT_SYNTAX_PROGRAM) put_text(w, "-p ");
    if (w->syntax == HEFT_SYNTAX_C) put_text(w, ".params \"");
    if (w->syntax != HEFT_SYNTAX_PYTHON) {
        put(w, param);
        if (w->syntax == HEFT_SYNTAX_C) put_text(w, "\"");
        return;
    }
    put_name(w, name);
    if (is_taken(name)) put_text(w, "_");
    if (!value.at) return;
    put_text(w, "=");
    if (value.n) put_value(w, value, HEFT_SETTING_TEXT);
}

/* ---- advice and commands ---- */

static void put_marked(writer *w, const char *format);

static const phrase *find_phrase(const phrase *list, size_t n, span name)
{
    for (size_t k = 0; k < n; k++)
        if (is(name, list[k].name)) return &list[k];
    return NULL;
}

static bool put_command(writer *w, span rest)
{
    span          more;
    const span    name = split(rest, ' ', &more);
    const phrase *p = find_phrase(commands, sizeof commands / sizeof *commands, name);
    if (!p) return false;
    if (w->syntax == HEFT_SYNTAX_PROGRAM) {
        put_text(w, "heft ");
        put(w, rest);
    } else {
        put_text(w, w->syntax == HEFT_SYNTAX_C ? p->c : p->python);
    }
    return true;
}

static const char *const separators[] = {", or ", " or ", " and ", "; ", ", "};

/* An advice that says nothing goes with the separator before it, else with the one behind it, and
 * with parentheses that hold nothing else. Returns where the format goes on. */
static const char *leave_out(writer *w, const char *next)
{
    bool before = false;
    for (size_t k = 0; k < sizeof separators / sizeof *separators && !before; k++) {
        const size_t n = strlen(separators[k]);
        before = w->n >= n && memcmp(w->out + w->n - n, separators[k], n) == 0;
        if (before) w->n -= n;
    }
    for (size_t k = 0; k < sizeof separators / sizeof *separators && !before; k++) {
        const size_t n = strlen(separators[k]);
        before = strncmp(next, separators[k], n) == 0;
        if (before) next += n;
    }
    if (!before && w->n >= 2 && memcmp(w->out + w->n - 2, " (", 2) == 0 && *next == ')') {
        w->n -= 2;
        next++;
    }
    return next;
}

/* The conversions in `value` take their arguments, and nothing is shown. */
static void put_unseen(writer *w, span value)
{
    for (size_t i = 0; i < value.n; i++) /* %40q of heft_put, %s of printf */
        if (value.at[i] == '%')
            put_text(w, memchr(value.at + i, 'q', value.n - i) ? "%0q" : "%.0s");
}

static bool put_advice(writer *w, span rest, const char **next)
{
    span          value;
    const span    name = split(rest, '=', &value);
    const phrase *p = find_phrase(phrases, sizeof phrases / sizeof *phrases, name);
    char          text[HEFT_MARKED_SIZE];
    writer        plain = {.out = text, .size = sizeof text};
    if (!p) return false;
    const char *words = w->file                              ? p->program
                        : w->syntax == HEFT_SYNTAX_PYTHON    ? p->python
                        : w->syntax == HEFT_SYNTAX_C && p->c ? p->c
                                                             : p->program;
    if (!*words) *next = leave_out(w, *next);
    bool shown = false;
    for (const char *s = words; *s; s++) {
        const bool place = *s == '$' && value.at;
        put(&plain, place ? value : (span){s, 1});
        shown = shown || place;
    }
    text[plain.n] = 0;
    put_marked(w, text);
    if (!shown) put_unseen(w, value);
    return true;
}

/* ---- formats ---- */

/* Render the mark between braces; false: it names nothing that is known. */
static bool put_mark(writer *w, span mark, const char **next)
{
    span       rest, value;
    const span word = split(mark, ' ', &rest), name = split(mark, '=', &value);
    if (rest.at && is(word, "param")) return put_param(w, rest), true;
    if (rest.at && is(word, "command")) return put_command(w, rest);
    if (rest.at && is(word, "advice")) return put_advice(w, rest, next);
    if (is(name, "method") && value.at && w->syntax == HEFT_SYNTAX_PYTHON && value.at[0] != '%')
        return put_class(w, value), true;
    const heft_setting_info *setting = heft_setting_find(name.at, name.n);
    if (setting) put_setting(w, setting, value);
    return setting != NULL;
}

static void put_marked(writer *w, const char *format)
{
    while (*format) {
        const size_t plain = strcspn(format, "{");
        put(w, (span){format, plain});
        format += plain;
        if (!*format) return;
        const size_t length = strcspn(format, "}");
        const char  *next = format + length + 1;
        if (format[length] && islower((unsigned char)format[1]) &&
            put_mark(w, (span){format + 1, length - 1}, &next)) {
            format = next;
        } else {
            put(w, (span){format++, 1});
        }
    }
}

static const char *render(writer w, const char *format)
{
    char *out = w.out;
    put_marked(&w, format);
    out[w.n] = 0;
    if (w.n + 1 < w.size) return out;
    size_t end = 0; /* a conversion at the end may be cut, so no % may stay alone */
    for (size_t i = 0; i < w.n; i++)
        if (out[i] == '%' && out[i + 1] == '%') end = ++i + 1;
    char *percent = strrchr(out + end, '%');
    if (percent) *percent = 0;
    return out;
}

const char *heft_render_as(heft_syntax syntax, char *out, size_t size, const char *format)
{
    return render((writer){syntax, out, 0, size, false}, format);
}

const char *heft_render_file(char *out, size_t size, const char *format)
{
    const heft_syntax syntax = heft_message_syntax();
    return render((writer){syntax, out, 0, size, syntax == HEFT_SYNTAX_PYTHON}, format);
}

const char *heft_render(char *out, size_t size, const char *format)
{
    return heft_render_as(heft_message_syntax(), out, size, format);
}

void heft_print(char *out, size_t size, const char *format, ...)
{
    char    rendered[HEFT_RENDERED_SIZE];
    va_list args;
    va_start(args, format);
    if (vsnprintf(out, size, heft_render(rendered, sizeof rendered, format), args) < 0) out[0] = 0;
    va_end(args);
}

const char *heft_param_word(char out[HEFT_PARAM_SIZE], const char *name)
{
    writer w = {heft_message_syntax(), out, 0, HEFT_PARAM_SIZE, false};
    if (w.syntax == HEFT_SYNTAX_PYTHON) put_param(&w, span_of(name));
    else put_text(&w, name);
    out[w.n] = 0;
    return out;
}
