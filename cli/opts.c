/* opts.c - the option tables that several commands share, and the parser of all commands.
 *
 * Long options take their value after = or as the next word, short ones attached or as the next
 * word; flags may be bundled (-qv). Options and operands come in any order, -- ends the options and
 * a lone - is an operand. Names cannot be abbreviated, because a new option could then make the
 * abbreviation in a script ambiguous. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const cli_option cli_data_options[] = {
#define IF_DATA ROW
#include "settings_table.h"
    {0},
};

const cli_option cli_select_options[] = {
#define IF_SELECT  ROW
#define IF_PREPARE ROW
#include "settings_table.h"
    {0},
};

const cli_option cli_prepare_options[] = {
#define IF_PREPARE ROW
#include "settings_table.h"
    {0},
};

const cli_option cli_estimate_options[] = {
#define IF_ESTIMATE ROW
#define IF_UNSEEN   ROW
#include "settings_table.h"
    {0},
};

const cli_option cli_decision_options[] = {
#define IF_DECIDE  ROW
#define IF_BALANCE ROW
#include "settings_table.h"
    {0},
};

const cli_option cli_common_options[] = {
#define IF_GENERAL ROW
#include "settings_table.h"
    {"quiet", 'q', CLI_FLAG, offsetof(cli, quiet), NULL, "print only errors", 0},
    {"verbose", 'v', CLI_COUNT, offsetof(cli, verbose), NULL,
     "print more messages; -vv prints even more", 0},
    {"help", 'h', CLI_FLAG, offsetof(cli, help), NULL, "show this help and exit", 0},
    {"version", 0, CLI_FLAG, offsetof(cli, version), NULL, "show the version and exit", 0},
    {0},
};

static const cli_group only_common[] = {{"General", cli_common_options}, {0}};

static const cli_group *groups_of(const cli *c)
{
    return c->command ? c->command->groups : only_common;
}

/* ---- looking up ---- */

static const cli_option *find(const cli *c, const char *name, size_t length, char letter)
{
    for (const cli_group *g = groups_of(c); g->title; g++)
        for (const cli_option *o = g->options; o->name; o++)
            if (letter ? o->letter == letter
                       : strlen(o->name) == length && memcmp(o->name, name, length) == 0)
                return o;
    return NULL;
}

static const char *option_name(const void *from, size_t i)
{
    for (const cli_group *g = from; g->title; g++)
        for (const cli_option *o = g->options; o->name; o++)
            if (i-- == 0) return o->name;
    return NULL;
}

static int unknown(const cli *c, const char *word, size_t length)
{
    char name[64] = "";
    if (word[0] == '-' && word[1] == '-')
        snprintf(name, sizeof name, "%.*s", (int)(length - 2 < 63 ? length - 2 : 63), word + 2);
    size_t n = 0;
    while (option_name(groups_of(c), n)) n++;
    const char *near = *name ? cli_nearest(name, n, option_name, groups_of(c)) : NULL;
    return cli_wrong(c, "unknown option '%.*s'%s%s%s%s%s", (int)length, word,
                     c->command ? " for " : "", c->command ? c->command->name : "",
                     near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

/* ---- values ---- */

static bool is_word(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (const char *w = words; w; w = strchr(w, '|')) {
        if (*w == '|') w++;
        if (length > 0 && strncmp(w, text, length) == 0 && (w[length] == '|' || w[length] == 0))
            return true;
    }
    return false;
}

const char *cli_value(const cli_option *o)
{
    static char formats[128];
    size_t      at = 0;
    if (o->kind != CLI_FORMAT && o->kind != CLI_WRITTEN) return o->value;
    for (size_t k = 0; heft_format_at(k) && at < sizeof formats - 20; k++)
        if (heft_format_at(k)->written || o->kind == CLI_FORMAT)
            at += (size_t)snprintf(formats + at, sizeof formats - at, "%s%s", at ? "|" : "",
                                   heft_format_at(k)->name);
    return formats;
}

static bool read_natural(const char *text, uint64_t most, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    *out = n;
    return *end == 0 && errno == 0 && n <= most;
}

/* Read a whole number of bytes, with a suffix K, M, G or T for 1024, 1024^2, ... bytes. */
static bool read_size(const char *text, size_t *out)
{
    static const char units[] = "KMGT";
    char             *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char        *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    if (errno != 0 || (*end && (!unit || end[1]))) return false;
    const ptrdiff_t powers = unit ? unit - units + 1 : 0;
    for (ptrdiff_t k = 0; k < powers; k++) {
        if (n > SIZE_MAX / 1024) return false;
        n *= 1024;
    }
    *out = (size_t)n;
    return n > 0 && n <= SIZE_MAX;
}

/* Read a decimal number above 0. Letters are refused before strtod, which accepts nan, inf and
 * 0x1p3 too. */
static bool read_seconds(const char *text, double *out)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
    *out = strtod(text, &end);
    return *end == 0 && *out > 0 && *out < HUGE_VAL;
}

static bool read_character(const char *text, char *out)
{
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) *out = '\t';
    else if (strlen(text) == 1 && (unsigned char)text[0] < 0x80) *out = text[0];
    else return false;
    return true;
}

static int add_text(const char ***list, const char *text)
{
    size_t n = 0;
    while (*list && (*list)[n]) n++;
    const char **grown = realloc(*list, (n + 2) * sizeof *grown);
    if (!grown) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    *list = grown;
    grown[n] = text;
    grown[n + 1] = NULL;
    return CLI_DONE;
}

static int add_param(cli *c, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return cli_wrong(c, "-p takes NAME=VALUE, not '%s'", text);
    c->n_params++;
    return add_text(&c->params, text);
}

static int bad_value(const cli *c, const cli_option *o, const char *text, const char *wanted)
{
    return cli_wrong(c, "--%s takes %s, not '%s'", o->name, wanted, text);
}

static int set_value(cli *c, const cli_option *o, const char *text)
{
    void    *at = (char *)c + o->at;
    uint64_t n;
    char     wanted[96];
    switch (o->kind) {
    case CLI_FLAG:
        *(bool *)at = true;
        break;
    case CLI_COUNT:
        ++*(int *)at;
        break;
    case CLI_TEXT:
        *(const char **)at = text;
        break;
    case CLI_TEXTS:
        return add_text((const char ***)at, text);
    case CLI_PARAM:
        return add_param(c, text);
    case CLI_WORD:
    case CLI_FORMAT:
    case CLI_WRITTEN:
        if (!is_word(cli_value(o), text)) return bad_value(c, o, text, cli_value(o));
        *(const char **)at = text;
        break;
    case CLI_YES_NO:
        if (!is_word("yes|no", text)) return bad_value(c, o, text, "yes or no");
        *(int *)at = *text == 'y' ? 1 : -1;
        break;
    case CLI_CHARACTER:
        if (!read_character(text, at)) return bad_value(c, o, text, "one character, or tab");
        break;
    case CLI_QUOTE:
        if (strcmp(text, "none") == 0) *(char *)at = HEFT_NO_QUOTE;
        else if (!read_character(text, at)) return bad_value(c, o, text, "one character, or none");
        break;
    case CLI_NUMBER:
        snprintf(wanted, sizeof wanted, "a whole number (%d or more)", o->least);
        if (!read_natural(text, INT_MAX, &n) || (int)n < o->least)
            return bad_value(c, o, text, wanted);
        *(int *)at = (int)n;
        break;
    case CLI_SIZE:
        snprintf(wanted, sizeof wanted, "a whole number (1 or more)");
        if (o->least)
            snprintf(wanted, sizeof wanted, "a size (%dM or more), such as 500M or 2G", o->least);
        if (!read_size(text, at) || *(size_t *)at >> 20 < (size_t)o->least)
            return bad_value(c, o, text, wanted);
        break;
    case CLI_SEED:
        if (!read_natural(text, UINT64_MAX, &n) || n == 0)
            return bad_value(c, o, text, "a whole number (1 or more)");
        *(uint64_t *)at = n;
        break;
    case CLI_SECONDS:
        if (!read_seconds(text, at))
            return bad_value(c, o, text, "a number of seconds above 0, such as 60 or 0.5");
        break;
    }
    return CLI_DONE;
}

static bool takes_value(const cli_option *o)
{
    return o->kind != CLI_FLAG && o->kind != CLI_COUNT;
}

/* ---- words of the command line ---- */

/* Parse the long option argv[*i]. *i moves on if the value of the option is the next word. */
static int parse_long(cli *c, int argc, char **argv, int *i)
{
    const char       *word = argv[*i];
    const char       *equals = strchr(word, '=');
    const size_t      length = equals ? (size_t)(equals - word) : strlen(word);
    const cli_option *o = find(c, word + 2, length - 2, 0);
    if (!o) return unknown(c, word, length);
    if (!takes_value(o)) {
        if (equals) return cli_wrong(c, "--%s takes no value", o->name);
        return set_value(c, o, NULL);
    }
    if (equals) return set_value(c, o, equals + 1);
    if (*i + 1 >= argc) return cli_wrong(c, "--%s needs a value: %s", o->name, cli_value(o));
    return set_value(c, o, argv[++*i]);
}

static int parse_short(cli *c, int argc, char **argv, int *i)
{
    for (const char *s = argv[*i] + 1; *s; s++) {
        const cli_option *o = find(c, NULL, 0, *s);
        if (!o) return unknown(c, (char[]){'-', *s, 0}, 2);
        if (!takes_value(o)) {
            const int status = set_value(c, o, NULL);
            if (status != CLI_DONE) return status;
            continue;
        }
        if (s[1]) return set_value(c, o, s + 1);
        if (*i + 1 >= argc) return cli_wrong(c, "-%c needs a value: %s", *s, cli_value(o));
        return set_value(c, o, argv[++*i]);
    }
    return CLI_DONE;
}

/* ---- public ---- */

bool cli_any_given(const cli *c, const cli_option *options)
{
    static const size_t SIZES[] = {
        [CLI_FLAG] = sizeof(bool),      [CLI_COUNT] = sizeof(int),
        [CLI_TEXT] = sizeof(char *),    [CLI_TEXTS] = sizeof(char **),
        [CLI_WORD] = sizeof(char *),    [CLI_FORMAT] = sizeof(char *),
        [CLI_WRITTEN] = sizeof(char *), [CLI_YES_NO] = sizeof(int),
        [CLI_CHARACTER] = sizeof(char), [CLI_QUOTE] = sizeof(char),
        [CLI_NUMBER] = sizeof(int),     [CLI_SIZE] = sizeof(size_t),
        [CLI_SEED] = sizeof(uint64_t),  [CLI_SECONDS] = sizeof(double),
    };
    static const char none[sizeof(uint64_t)];
    for (const cli_option *o = options; o->name; o++)
        if (memcmp((const char *)c + o->at, none, SIZES[o->kind]) != 0) return true;
    return false;
}

int cli_wrong(const cli *c, const char *format, ...)
{
    char    text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_error("%s (see heft %s%s--help)", text, c->command ? c->command->name : "",
              c->command ? " " : "");
    return CLI_USAGE;
}

int cli_parse(cli *c, int argc, char **argv, int first)
{
    bool options_ended = false;
    int  kept = first; /* operands are moved to argv[first..kept-1] */
    int  i = first;
    for (; i < argc; i++) {
        char *word = argv[i];
        if (options_ended || word[0] != '-' || word[1] == 0) {
            if (!c->command) break;
            argv[kept++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        if ((word[1] == '-' ? parse_long : parse_short)(c, argc, argv, &i) != CLI_DONE) return -1;
    }
    if (!c->command) return i;
    c->operands = argv + first;
    c->n_operands = kept - first;
    c->config.params = c->params;
    c->plan.imports = c->given.imports;
    return i;
}
