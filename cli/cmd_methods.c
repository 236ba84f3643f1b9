/* cmd_methods.c - heft methods [NAME] */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const cli_group groups[] = {
    {"General", cli_common_options},
    {0},
};

/* Which method to use for which data. docs/auto.md has the measurements behind this advice. */
static const char *const advice[][2] = {
    {"auto", "by default; also with wrong labels, or with more attributes than rows"},
    {"auto -p effort=count",
     "for less time: counted evidence alone, two to five points less accurate"},
    {"nb, swnb", "for sparse data (LIBSVM) that are too large to store as a dense table"},
    {"nb", "for data in several places, or new rows every day: models can be merged"},
    {"lnb, cfwnb, nb", "for a model that fits on one page: one weight per attribute, a nomogram"},
    {"ANY --calibrate temperature", "for any other method, with probabilities that can be trusted"},
};

static int width_of(int so_far, const char *text)
{
    const int n = (int)strlen(text);
    return n > so_far ? n : so_far;
}

static void print_table(void)
{
    int name = 4, alias = 5, family = 6;
    for (size_t i = 0; i < heft_method_count(); i++) {
        const heft_method_info *m = heft_method_at(i);
        name = width_of(name, m->name);
        alias = width_of(alias, m->alias);
        family = width_of(family, m->family);
    }
    printf("%-*s  %-*s  %-*s  explain    export  %s\n", name, "name", alias, "alias", family,
           "family", "title");
    for (size_t i = 0; i < heft_method_count(); i++) {
        const heft_method_info *m = heft_method_at(i);
        const char             *explain = !m->explains ? "" : m->votes ? "2 classes" : "yes";
        printf("%-*s  %-*s  %-*s  %-9s  %-6s  %s\n", name, m->name, alias, m->alias, family,
               m->family, explain, *m->exports ? "yes" : "", m->title);
    }
    puts("\nWhich to use:");
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        printf("  %-27s  %s\n", advice[i][0], advice[i][1]);
    puts("\n'heft methods NAME' shows the source, preparation and parameters of a method.");
}

static void print_options(const heft_method_info *m)
{
    int name = 4, fallback = 7, range = 6;
    for (size_t k = 0; m->options[k]; k++) {
        name = width_of(name, m->options[k]->name);
        fallback = width_of(fallback, m->options[k]->fallback);
        range = width_of(range, m->options[k]->range);
    }
    printf("  %-*s  %-*s  %-*s  %s\n", name, "name", fallback, "default", range, "values",
           "description");
    for (size_t k = 0; m->options[k]; k++) {
        const heft_option_info *o = m->options[k];
        printf("  %-*s  %-*s  %-*s  %s\n", name, o->name, fallback, o->fallback, range, o->range,
               o->help);
    }
}

/* Print an example such as " -p NAME=VALUE" if the parameter has words to choose from. The value is
 * a word other than the default. */
static void print_setting(const heft_option_info *o)
{
    const char  *word = o && strchr(o->range, '|') ? o->range : NULL;
    const size_t usual = word ? strlen(o->fallback) : 0;
    if (word && strcspn(word, "|") == usual && strncmp(word, o->fallback, usual) == 0)
        word += usual + 1;
    if (word) printf(" -p %s=%.*s", o->name, (int)strcspn(word, "|"), word);
}

static void print_record(const heft_method_info *m)
{
    printf("%s: %s\n\n", m->name, m->title);
    if (*m->alias) printf("Also called:   %s\n", m->alias);
    printf("Family:        %s\n", m->family);
    printf("Source:        %s\n", m->source);
    printf("Preparation:   %s\n", *m->prepare ? m->prepare : "none");
    printf("Sparse data:   %s\n", m->sparse ? "supported" : "converted to a dense table");
    printf("Explanation:   %s%s\n",
           m->explains ? "possible by attribute (heft explain)" : "not possible by attribute",
           m->votes ? " with two classes, or with -p multiclass=direct" : "");
    printf("Export:        %s%s\n", *m->exports ? m->exports : "not possible",
           *m->exports ? " (heft export)" : "");
    printf("Merging:       %s\n",
           m->merges ? "models of parts can be merged (heft merge)" : "not possible");
    if (m->stops)
        puts("Time limit:    --time-limit SECONDS stops training at the best model so far");
    if (*m->references) puts("\nReferences:");
    for (const char *at = m->references; *at; at += strcspn(at, "\n"), at += *at == '\n')
        printf("  %.*s\n", (int)strcspn(at, "\n"), at);
    if (m->options[0]) {
        puts("\nParameters (-p NAME=VALUE):");
        print_options(m);
    } else {
        puts("\nParameters:    none");
    }
    printf("\nExample:\n  heft train data.csv -m %s", m->name);
    print_setting(m->options[0]);
    putchar('\n');
}

static int run(cli *c)
{
    if (c->n_operands == 0) {
        print_table();
        return cli_end(c, HEFT_OK);
    }
    const int status = cli_check_method(c->operands[0]);
    if (status != CLI_DONE) return status;
    print_record(heft_method_find(c->operands[0]));
    return cli_end(c, HEFT_OK);
}

const cli_command cli_methods = {
    .name = "methods",
    .summary = "list the methods, or describe one",
    .synopsis = "[NAME]",
    .about = "Without NAME, list all methods and say which to use. With the name or alias of a "
             "method, show its source, its default preparation, whether its models can be "
             "explained, exported and merged, and its parameters with their defaults and accepted "
             "values.",
    .examples = "  heft methods\n"
                "  heft methods nb\n",
    .least = 0,
    .most = 1,
    .operand = "METHOD",
    .groups = groups,
    .run = run,
};
