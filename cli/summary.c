/* summary.c - what train reports on standard error: rows, class column, attributes, model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { CLASSES_NAMED = 6, NAME_SHOWN = 40 };

const char *cli_s(size_t n)
{
    return n == 1 ? "" : "s";
}

static void tell_rows(const cli *c, const int64_t *counts, size_t n_class)
{
    const long long no_class = counts[n_class], no_weight = counts[n_class + 1];
    const long long all = counts[n_class + 2], used = all - no_class - no_weight;
    const size_t    n_more = (size_t)c->n_operands - 1;
    char            from[400], skipped[100] = "";
    int             at = snprintf(from, sizeof from, "%.300s",
                      cli_is_stdout(c->operands[0]) ? "standard input" : c->operands[0]);
    if (n_more > 0)
        snprintf(from + at, sizeof from - (size_t)at, " and %zu other file%s", n_more,
                 cli_s(n_more));
    at = 0;
    if (no_class > 0)
        at = snprintf(skipped, sizeof skipped, "; skipped: %lld without a class", no_class);
    if (no_weight > 0)
        snprintf(skipped + at, sizeof skipped - (size_t)at, "%s%lld with weight 0",
                 at ? ", " : "; skipped: ", no_weight);
    cli_notice(c, "rows        %lld from %s%s", used, from, skipped);
}

/* Returns the number of rows of class k of the model. In a model of one class against the rest, the
 * rest has the rows of all other classes; a table read for --like still has these apart. */
static long long rows_of(const heft_table *data, const heft_model *model, size_t k,
                         const int64_t *counts)
{
    heft_source how = {.size = sizeof how};
    const char *name = heft_model_class_name(model, k);
    const bool  reduced = heft_model_source(model, &how, NULL) == HEFT_OK && how.positive;
    const bool  rest = reduced && strcmp(name, how.positive) != 0;
    long long   n = 0;
    for (size_t c = 0; c < heft_table_classes(data); c++)
        if ((strcmp(heft_table_class_name(data, c), rest ? how.positive : name) == 0) != rest)
            n += (long long)counts[c];
    return n;
}

/* Print a line such as "default: no (420), yes (180)". If there are many classes, only the first
 * few are listed. Classes that only skipped rows have are not in the model. */
static void tell_class(const cli *c, const heft_table *data, const heft_model *model,
                       const int64_t *counts)
{
    char         text[900];
    const size_t n_class = heft_model_classes(model);
    size_t at = (size_t)snprintf(text, sizeof text, "%.*s: ", NAME_SHOWN, heft_model_target(model));
    if (n_class > CLASSES_NAMED)
        at += (size_t)snprintf(text + at, sizeof text - at, "%zu classes, ", n_class);
    for (size_t k = 0; k < n_class && k < CLASSES_NAMED; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s (%lld)", k ? ", " : "",
                               NAME_SHOWN, heft_model_class_name(model, k),
                               rows_of(data, model, k, counts));
    if (n_class > CLASSES_NAMED) snprintf(text + at, sizeof text - at, ", ...");
    cli_notice(c, "class       %s", text);
}

static void tell_attributes(const cli *c, const heft_table *data, const heft_model *model)
{
    const size_t n = heft_table_attributes(data), used = heft_model_attributes(model);
    size_t       nominal = 0;
    char         kinds[80], kept[200] = "";
    for (size_t j = 0; j < n; j++) {
        heft_attribute a = {.size = sizeof a};
        nominal += heft_table_attribute(data, j, &a, NULL) == HEFT_OK && a.kind == HEFT_NOMINAL;
    }
    if (n == 0) kinds[0] = 0;
    else if (nominal == 0 || nominal == n)
        snprintf(kinds, sizeof kinds, " (%s)", nominal ? "nominal" : "numeric");
    else snprintf(kinds, sizeof kinds, " (%zu numeric, %zu nominal)", n - nominal, nominal);
    if (c->config.select && strcmp(c->config.select, "none") != 0)
        snprintf(kept, sizeof kept, ", %zu kept by --select %.100s", used, c->config.select);
    else if (used < n) snprintf(kept, sizeof kept, ", %zu used", used);
    cli_notice(c, "attributes  %zu%s%s", n, kinds, kept);
}

heft_status cli_count_rows(cli *c, const heft_table *data, int64_t **out)
{
    const size_t     n = heft_table_rows(data), n_class = heft_table_classes(data);
    const heft_comm *comm = cli_comm(c);
    int64_t         *counts = *out = calloc(n_class + 3, sizeof *counts);
    if (!counts) return cli_no_memory(&c->err);
    const heft_status st = heft_table_class_counts(data, counts, &c->err);
    if (st != HEFT_OK) return st;
    counts[n_class + 2] = (int64_t)n;
    if (!comm || comm->allreduce_ints(comm->user, counts, n_class + 3) == 0) return HEFT_OK;
    snprintf(c->err.text, sizeof c->err.text, "the other ranks cannot be reached");
    return HEFT_EIO;
}

void cli_tell_training(const cli *c, const heft_table *data, const heft_model *model,
                       const int64_t *counts, double seconds)
{
    tell_rows(c, counts, heft_table_classes(data));
    tell_class(c, data, model, counts);
    tell_attributes(c, data, model);
    cli_notice(c, "model       %s: %s, trained in %.3f s",
               cli_is_stdout(c->output) ? "standard output" : c->output, heft_model_method(model),
               seconds);
}
