/* import.c - reads accuracies of other programs, to compare them with those of an evaluation. */
#include "eval/import.h"

#include <math.h>
#include <string.h>

#include "data/formats/csv_cells.h"
#include "eval/fold_results.h"

struct heft_imported { /* a method of another program */
    heft_imported *next;
    const char    *name;
    double        *accuracy; /* data sets x folds x repeats; NAN: not read yet */
};

enum { DATA, METHOD, REPEAT, FOLD, ACCURACY, N_NAMES, MOST_FIELDS = 256 };
static const char *const names[N_NAMES] = {"data", "method", "repeat", "fold", "accuracy"};

typedef struct import {
    heft_eval_run *r;
    const char    *path; /* the file's name as messages show it */
    size_t         line;
    size_t         inner;       /* number of line ends inside quoted fields of the line */
    bool           head;        /* the line of names was read */
    size_t         at[N_NAMES]; /* by column name: the field that has it */
    size_t         n_fields;    /* number of fields of the line of names */
    char          *field[MOST_FIELDS];
} import;

/* ---- lines ---- */

/* Cut a line into its fields, in place. */
static heft_status cut_line(heft_ctx *ctx, import *im, char **at, const char *end, size_t *n)
{
    *n = 0;
    for (char behind = ','; behind == ','; ++*at) {
        heft_text_cell cell;
        if (*n == MOST_FIELDS)
            return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                                "the line has more than %d fields", MOST_FIELDS);
        char *from = *at;
        *at = heft_csv_take_cell(from, end, ',', '"', &cell);
        if (cell.problem)
            return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                                "a quotation mark is not closed, or text follows it");
        *at += **at == '\r';
        behind = **at;
        im->field[*n] = from + (cell.text - from);
        im->field[(*n)++][cell.length] = 0;
        im->inner += cell.n_lines;
    }
    return HEFT_OK;
}

static heft_status read_head(heft_ctx *ctx, import *im, size_t n)
{
    for (size_t k = 0; k < N_NAMES; k++) {
        im->at[k] = n;
        for (size_t i = 0; i < n; i++)
            if (strcmp(im->field[i], names[k]) == 0) im->at[k] = i;
        if (im->at[k] == n)
            return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                                "there is no column '%s' (the first line names the columns data, "
                                "method, repeat, fold and accuracy)",
                                names[k]);
    }
    im->head = true;
    im->n_fields = n;
    return HEFT_OK;
}

static const char *text_of(const import *im, size_t name)
{
    return im->field[im->at[name]];
}

/* Read a whole number that is at least `least` and below least + n. */
static heft_status read_whole(heft_ctx *ctx, const import *im, size_t name, size_t least, size_t n,
                              size_t *out)
{
    const char *text = text_of(im, name);
    double      x = -1;
    if (heft_parse_double(text, text + strlen(text), &x) != HEFT_NUM_OK || x != floor(x) ||
        x < (double)least || x >= (double)(least + n))
        return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                            "unknown %s '%.40s' of data set '%.60s' (this run has %zu to %zu)",
                            names[name], text, text_of(im, DATA), least, least + n - 1);
    *out = (size_t)x - least;
    return HEFT_OK;
}

static heft_status read_accuracy(heft_ctx *ctx, const import *im, double *out)
{
    const char *text = text_of(im, ACCURACY);
    if (heft_parse_double(text, text + strlen(text), out) != HEFT_NUM_OK)
        return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                            "column 'accuracy': '%.40s' is not a number", text);
    if (!(*out >= 0 && *out <= 1))
        return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                            "column 'accuracy': %.40s is not from 0 to 1 (write a share, not "
                            "percent)",
                            text);
    return HEFT_OK;
}

/* Find the method of the line among those imported so far, or add it. */
static heft_status find_method(heft_ctx *ctx, const import *im, heft_imported **out)
{
    heft_results   *res = im->r->results;
    heft_imported **last = &im->r->imported;
    const char     *name = text_of(im, METHOD);
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->name, name) == 0) break;
    *out = *last;
    if (*last) return HEFT_OK;
    if (!*name)
        return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line, "the method has no name");
    for (size_t m = 0; m < res->n_method; m++)
        if (strcmp(res->methods[m], name) == 0)
            return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                                "this run has a method '%.80s' of its own (give the imported one "
                                "another name)",
                                name);
    const size_t n = heft_times(res->n_data * res->repeats, res->folds);
    HEFT_ALLOC(ctx, &res->arena, *out, 1);
    HEFT_CHECK(heft_text_in(ctx, &res->arena, name, &(*out)->name));
    HEFT_ALLOC(ctx, &res->arena, (*out)->accuracy, n);
    for (size_t k = 0; k < n; k++) (*out)->accuracy[k] = (double)NAN;
    *last = *out;
    return HEFT_OK;
}

/* Returns where a method has the accuracy of fold f of repeat t on data set d. */
static double *place_of(const heft_eval_run *r, const heft_imported *m, size_t d, size_t t,
                        size_t f)
{
    const heft_results *res = r->results;
    return m->accuracy + d * res->repeats * res->folds + t * r->sets[d].folds + f;
}

static heft_status read_line(heft_ctx *ctx, import *im)
{
    const heft_eval_run *r = im->r;
    const heft_results  *res = r->results;
    heft_imported       *method = NULL;
    size_t               d = 0, repeat = 0, fold = 0;
    double               x;
    while (d < res->n_data && strcmp(res->sets[d].name, text_of(im, DATA)) != 0) d++;
    if (d == res->n_data)
        return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                            "this run has no data set '%.80s' (its first is '%.80s')",
                            text_of(im, DATA), res->sets[0].name);
    HEFT_CHECK(read_whole(ctx, im, REPEAT, 1, res->repeats, &repeat));
    HEFT_CHECK(read_whole(ctx, im, FOLD, 0, r->sets[d].folds, &fold));
    HEFT_CHECK(read_accuracy(ctx, im, &x));
    HEFT_CHECK(find_method(ctx, im, &method));
    HEFT_KNOWN(method);
    double *to = place_of(r, method, d, repeat, fold);
    if (!isnan(*to))
        return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                            "method '%.60s' has an accuracy of data set '%.60s', repeat %zu, fold "
                            "%zu already",
                            method->name, res->sets[d].name, repeat + 1, fold);
    *to = x;
    return HEFT_OK;
}

static heft_status read_chunk(heft_ctx *ctx, void *arg, const char *name, heft_chunk *chunk)
{
    import *im = arg;
    char   *at = chunk->text, *end = at + chunk->length;
    im->path = name;
    while (*at) {
        size_t n;
        if (*at == '\n' || (*at == '\r' && at[1] == '\n')) {
            at += 1 + (*at == '\r');
            im->line++;
            continue;
        }
        HEFT_CHECK(cut_line(ctx, im, &at, end, &n));
        if (!im->head) HEFT_CHECK(read_head(ctx, im, n));
        else if (n != im->n_fields)
            return heft_fail_at(ctx, HEFT_EFORMAT, im->path, im->line,
                                "the line has %s, but the first line has %zu",
                                HEFT_COUNT_OF(n, "field"), im->n_fields);
        else HEFT_CHECK(read_line(ctx, im));
        im->line += 1 + im->inner;
        im->inner = 0;
    }
    if (im->head || chunk->length) return HEFT_OK;
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: the file is empty (the first line names the columns data, method, "
                     "repeat, fold and accuracy)",
                     im->path);
}

/* ---- files ---- */

static heft_status read_file(heft_ctx *ctx, heft_eval_run *r, const char *path)
{
    HEFT_FREED import *im = NULL;
    HEFT_NEW(ctx, im, 1);
    *im = (import){.r = r, .line = 1};
    return heft_feed_file(ctx, path, ',', read_chunk, im);
}

/* Refuse methods that lack a fold of a data set. */
static heft_status check_complete(heft_ctx *ctx, const heft_eval_run *r, const char *path)
{
    const heft_results *res = r->results;
    for (const heft_imported *m = r->imported; m; m = m->next)
        for (size_t d = 0; d < res->n_data; d++)
            for (size_t k = 0; k < res->repeats * r->sets[d].folds; k++)
                if (isnan(*place_of(r, m, d, 0, k)))
                    return heft_fail(
                        ctx, HEFT_EFORMAT,
                        "%.200s: method '%.60s' has no accuracy of data set '%.60s', repeat %zu, "
                        "fold %zu (every fold of every data set of the run is needed)",
                        path, m->name, res->sets[d].name, k / r->sets[d].folds + 1,
                        k % r->sets[d].folds);
    return HEFT_OK;
}

heft_status heft_imports_read(heft_ctx *ctx, heft_eval_run *r)
{
    const char *const *path = r->plan->imports;
    if (!path || !*path) return HEFT_OK;
    if (r->results->n_stage > 1)
        return heft_fail(ctx, HEFT_EINVAL,
                         "accuracies cannot be imported together with several rates of noise, "
                         "numbers of training rows or dimensions");
    for (; *path; path++) HEFT_CHECK(read_file(ctx, r, *path));
    return check_complete(ctx, r, path[-1]);
}

/* ---- results ---- */

/* Fill the cell of an imported method with its accuracies. Measures of predictions are missing. */
static void fill_cell(const heft_eval_run *r, const heft_imported *m, size_t d, double *none,
                      heft_cell *out)
{
    const heft_results_set *set = &r->results->sets[d];
    *out = (heft_cell){.dataset = set->name,
                       .method = m->name,
                       .n_folds = r->results->repeats * r->sets[d].folds,
                       .per_fold = place_of(r, m, d, 0, 0),
                       .measures = none,
                       .n_classes = set->n_class,
                       .classes = set->classes,
                       .imported = true};
    heft_sum_accuracies(out);
    out->accuracy_pooled = out->macro_f1_folds = (double)NAN;
    out->fit_seconds = out->predict_seconds = (double)NAN;
}

heft_status heft_imports_add(heft_ctx *ctx, heft_eval_run *r)
{
    heft_results *res = r->results;
    const size_t  own = res->n_method;
    size_t        n = own;
    heft_cell    *all;
    const char  **methods, **keys;
    double       *none, **kept = NULL;
    for (const heft_imported *m = r->imported; m; m = m->next) n++;
    if (n == own) return HEFT_OK;
    const size_t cells = heft_times(n, res->n_data);
    HEFT_ALLOC(ctx, &res->arena, methods, n);
    HEFT_ALLOCS(ctx, &res->arena, cells, all, keys);
    HEFT_ALLOC(ctx, &res->arena, none, HEFT_N_MEASURES);
    if (res->kept) HEFT_ALLOC(ctx, &res->arena, kept, cells * res->repeats);
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) none[k] = (double)NAN;
    memcpy(methods, res->methods, own * sizeof *methods);
    for (size_t d = 0; d < res->n_data; d++) {
        const size_t to = d * n, from = d * own;
        memcpy(all + to, res->cells + from, own * sizeof *all);
        memcpy(keys + to, res->keys + from, own * sizeof *keys);
        if (kept)
            memcpy(kept + to * res->repeats, res->kept + from * res->repeats,
                   own * res->repeats * sizeof *kept);
        size_t at = own;
        for (const heft_imported *m = r->imported; m; m = m->next, at++) {
            methods[at] = m->name;
            fill_cell(r, m, d, none, &all[to + at]);
        }
    }
    res->n_method = n;
    res->methods = methods;
    res->cells = all;
    res->keys = keys;
    res->kept = kept;
    if (kept) res->n_kept = cells * res->repeats;
    return HEFT_OK;
}
