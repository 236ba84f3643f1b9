/* help.c - help made from the option tables, and the guess at what a mistyped name meant. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { TEXT_COLUMN = 32, LINE = 96 };

/* Print `text` word by word with line breaks. The cursor is in column `at`; new lines begin in
 * column `indent`. */
static void put_wrapped(const char *text, int at, int indent)
{
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + length > LINE) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

/* Text that only the program adds to the help of a setting. */
static const char *where_listed(const cli_option *o)
{
    if (strcmp(o->name, "method") == 0) return "; 'heft methods' lists them";
    if (strcmp(o->name, "param") == 0) return "; 'heft methods METHOD' lists them";
    return "";
}

static void put_option(const cli_option *o)
{
    char left[96], help[600];
    snprintf(left, sizeof left, "  %c%c%c --%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name, o->value ? " " : "",
             o->value ? cli_value(o) : "");
    int at = printf("%s", left);
    if (at > TEXT_COLUMN - 2) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", TEXT_COLUMN - at, "");
    snprintf(help, sizeof help, "%s%s", o->help, where_listed(o));
    put_wrapped(help, TEXT_COLUMN, TEXT_COLUMN);
}

void cli_help(const cli_command *command)
{
    printf("Usage: heft %s %s\n\n", command->name, command->synopsis);
    put_wrapped(command->about, 0, 0);
    for (const cli_group *g = command->groups; g->title; g++) {
        printf("\n%s:\n", g->title);
        for (const cli_option *o = g->options; o->name; o++) put_option(o);
    }
    printf("\nExamples:\n%s", command->examples);
}

void cli_help_overview(const cli_command *const *commands)
{
    fputs("Usage: heft COMMAND [OPTIONS] ...\n\n"
          "Weighted naive Bayes classification: train models, predict, evaluate, explain.\n"
          "Data files:",
          stdout);
    for (size_t k = 0; heft_format_at(k); k++)
        printf("%s%s", k ? ", " : " ", heft_format_at(k)->name);
    fputs("; text may be compressed (.gz, .zst).\n\nCommands:\n", stdout);
    for (; *commands; commands++) printf("  %-11s %s\n", (*commands)->name, (*commands)->summary);
    fputs("\nGeneral:\n", stdout);
    for (const cli_option *o = cli_common_options; o->name; o++) put_option(o);
    fputs("\nExamples:\n"
          "  heft train iris.csv                   # writes iris.heft\n"
          "  heft predict iris.heft new.csv --proba\n"
          "  heft evaluate iris.csv --cv 10\n"
          "\nA file named '-' is standard input or output. For more, see 'heft COMMAND --help'.\n",
          stdout);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the least number of edits from a to b, which are both shorter than 64. An edit inserts,
 * deletes or replaces a character or swaps two neighbours (optimal string alignment distance). */
static size_t edits(const char *a, const char *b)
{
    size_t       rows[3][64];
    const size_t n = strlen(a), m = strlen(b);
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t       *now = rows[i % 3];
        const size_t *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(up[j], now[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], up2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *cli_nearest(const char *word, size_t n, const char *(*get)(const void *, size_t),
                        const void *from)
{
    const char *best = NULL;
    size_t      best_edits = 4;
    char        lower[64] = ""; /* the word in lower case, as all names are */
    if (strlen(word) > 62) return NULL;
    for (size_t k = 0; word[k]; k++)
        lower[k] = word[k] >= 'A' && word[k] <= 'Z' ? (char)(word[k] | 32) : word[k];
    for (size_t i = 0; i < n; i++) {
        const char  *name = get(from, i);
        const size_t cost = strlen(name) > 62 ? 99 : edits(lower, name);
        if (cost < best_edits && cost * 2 < strlen(name) + 1) {
            best = name;
            best_edits = cost;
        }
    }
    return best;
}
