/* setting_words.c - the words that settings accept. */
#include "base/setting_words.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The words of a setting one after the other: "" when there are no more. Words in capitals stand
 * for something else, and are left out. */
static const char *next_word(const char **at, size_t *length)
{
    while (**at) {
        const char *word = *at;
        *length = strcspn(word, "|:[");
        *at += strcspn(word, "|");
        *at += **at == '|';
        if (islower((unsigned char)word[0])) return word;
    }
    return "";
}

heft_status heft_setting_refuse(heft_ctx *ctx, const char *name, const char *given)
{
    const heft_setting_info *s = heft_setting_find(name, strlen(name));
    char                     words[160] = "", mark[64];
    size_t                   n = 0;
    for (const char *c = s->value; *c && n + 3 < sizeof words; c++) {
        if (*c != '|') words[n++] = *c;
        else words[n++] = ',', words[n++] = ' ';
    }
    snprintf(mark, sizeof mark, "{%s}", name);
    return heft_fail(ctx, HEFT_EINVAL, "%s: '%s' is not one of %s", HEFT_MARKED(mark),
                     HEFT_SHOW(given, 80), words);
}

heft_status heft_setting_choose(heft_ctx *ctx, const char *name, const char *given, size_t *out,
                                const char **rest)
{
    const char *at = heft_setting_find(name, strlen(name))->value, *word;
    size_t      length, k = 0;
    if (rest) *rest = NULL;
    if (!given) return HEFT_OK;
    for (; *(word = next_word(&at, &length)); k++) {
        if (strncmp(given, word, length) != 0) continue;
        const bool colon = word[length] == ':' || word[length] == '[';
        if (given[length] && (!colon || given[length] != ':')) continue;
        if (rest && given[length]) *rest = given + length + 1;
        else if (rest && word[length] == ':') *rest = given + length;
        *out = k;
        return HEFT_OK;
    }
    return heft_setting_refuse(ctx, name, given);
}

enum {
    N_SETTINGS = 0
#define HEFT_SETTING(...) +1
#include "base/settings.def"
};

/* The values of all settings, cut where a word ends. */
static char           pool[2048];
static size_t         start[N_SETTINGS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void cut_words(void)
{
    size_t n = 0;
    for (size_t k = 0; k < N_SETTINGS; k++) {
        start[k] = n;
        for (const char *c = heft_setting(k)->value; c && *c && n + 3 < sizeof pool; c++)
            if (!strchr("|:[", *c)) pool[n++] = *c;
            else if (pool[n - 1]) pool[n++] = 0;
        n += 2; /* an empty word ends the list */
    }
}

const char *heft_setting_word(const char *name, size_t k)
{
    const heft_setting_info *s = heft_setting_find(name, strlen(name));
    pthread_once(&once, cut_words);
    const char *word = pool + start[s - heft_setting(0)];
    while (*word && (!islower((unsigned char)*word) || k-- > 0)) word += strlen(word) + 1;
    return word;
}

bool heft_setting_is(const char *name, size_t k, const char *given)
{
    return given && strcmp(given, heft_setting_word(name, k)) == 0;
}

bool heft_setting_prepares(const char *name)
{
    const char *group = heft_setting_find(name, strlen(name))->group;
    return strcmp(group, "PREPARE") == 0 || strcmp(group, "SELECT") == 0 ||
           strcmp(group, "UNSEEN") == 0;
}

double heft_setting_number(const char *name)
{
    const char *text = heft_setting_find(name, strlen(name))->fallback;
    double      x = 0;
    (void)heft_parse_double(text, text + strlen(text), &x);
    return x;
}
