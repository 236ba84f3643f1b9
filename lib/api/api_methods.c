/* api_methods.c - the public view of the registry. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/marks.h"
#include "export/export.h"
#include "heft_methods.h"
#include "methods/references.h"
#include "methods/registry.h"
#include "model/config.h"

enum { MOST_METHODS = 64, MOST_OPTIONS = 24 };

typedef struct described {
    heft_method_info        info;
    char                    prepare[160], exports[200];
    char                    source[HEFT_SOURCE_TEXT], references[HEFT_SOURCE_REFERENCES];
    heft_option_info        option[MOST_OPTIONS];
    const heft_option_info *options[MOST_OPTIONS + 1]; /* NULL-terminated */
    char                    range[MOST_OPTIONS][160];
} described;

static const char *const families[] = {"base",     "filter", "wrapper",
                                       "embedded", "lazy",   "structural"};

static void describe(const heft_method *m, described *d)
{
    const char *name = "";
    for (size_t k = 0; name; k++) {
        const char *word = heft_config_text(&m->prepare, k, &name);
        size_t      used = strlen(d->prepare);
        char        mark[64];
        if (!word) continue;
        if (used) d->prepare[used++] = ' ';
        snprintf(mark, sizeof mark, "{%s=%%s}", name);
        heft_print(d->prepare + used, sizeof d->prepare - 1 - used, mark, word);
    }
    heft_source_text(m, d->source, sizeof d->source);
    heft_source_references(m, d->references, sizeof d->references);
    d->info = (heft_method_info){.name = m->name,
                                 .alias = m->alias ? m->alias : "",
                                 .title = m->title,
                                 .source = d->source,
                                 .references = d->references,
                                 .family = families[m->family],
                                 .prepare = d->prepare,
                                 .options = d->options,
                                 .sparse = (m->caps & HEFT_TAKES_SPARSE) != 0,
                                 .weights = (m->caps & HEFT_TAKES_WEIGHTS) != 0,
                                 .missing = (m->caps & HEFT_TAKES_MISSING) != 0,
                                 .explains = (m->caps & HEFT_ADDITIVE) || m->parts || m->terms,
                                 .votes = (m->caps & HEFT_VOTES) != 0,
                                 .merges = m->suffstats != 0,
                                 .ranks = (m->caps & HEFT_SHARDS) != 0,
                                 .keeps_rows = m->gather != NULL,
                                 .stops = (m->caps & HEFT_STOPS) != 0,
                                 .exports = heft_exports_of(m, d->exports)};
    for (size_t k = 0; m->options && m->options[k].name && k < MOST_OPTIONS; k++) {
        const heft_option *o = &m->options[k];
        heft_option_range(o, d->range[k], sizeof d->range[k]);
        d->option[k] = (heft_option_info){o->name, o->fallback, d->range[k], o->help};
        d->options[k] = &d->option[k];
    }
}

static described      all[MOST_METHODS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void describe_all(void)
{
    for (size_t k = 0; k < heft_methods_count() && k < MOST_METHODS; k++)
        describe(heft_methods_at(k), &all[k]);
}

size_t heft_method_count(void)
{
    return heft_methods_count();
}

const heft_method_info *heft_method_at(size_t index)
{
    if (index >= heft_methods_count() || index >= MOST_METHODS) return NULL;
    pthread_once(&once, describe_all);
    return &all[index].info;
}

const heft_method_info *heft_method_find(const char *name)
{
    const heft_method *method = name ? heft_methods_find(name) : NULL;
    if (method)
        for (size_t k = 0; k < heft_methods_count(); k++)
            if (heft_methods_at(k) == method) return heft_method_at(k);
    return NULL;
}

const heft_setting_info *heft_setting_at(size_t index)
{
    return heft_setting(index);
}

void heft_set_message_syntax(heft_syntax syntax)
{
    heft_use_syntax(syntax);
}
