/* resume.c - a file of finished cells, from which a stopped evaluation can continue.
 *
 * A cell is known by its key: a checksum of the version, the data (name, size, contents), the
 * method with all its parameters, the preparation, the folds row by row, the seed, the protocol,
 * the test table and the stage. A cell of the file with the right key is used as it is; every
 * other cell is computed. Failed cells are computed again. Each cell has a checksum of its figures;
 * a file is refused if a cell to be used does not match its checksum.
 *
 * The file is written under another name and then renamed, so that it is never incomplete. It is
 * written at once after a cell that took more than a second. After other cells it is written when
 * twenty times the duration of the last write has passed, or a second. So writing takes at most a
 * twentieth of the time, and a crash loses the cells that were being computed and at most a
 * second's worth of finished ones. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/comm.h"
#include "base/out.h"
#include "eval/checksum.h"
#include "eval/resume.h"
#include "model/config.h"
#include "model/store.h"

/* Add the contents of a small file. */
static heft_status add_file(heft_ctx *ctx, const char *path, uint64_t *sum)
{
    char   bytes[4096];
    size_t n;
    FILE  *file = fopen(path, "rb");
    if (!file) return heft_fail(ctx, HEFT_EIO, "%.200s: cannot read: %s", path, strerror(errno));
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) *sum = heft_sum_bytes(*sum, bytes, n);
    fclose(file);
    return HEFT_OK;
}

/* Compute the checksum of the settings that all cells depend on. */
static heft_status sum_settings(heft_ctx *ctx, const heft_eval_run *r, uint64_t *out)
{
    const heft_results *res = r->results;
    const heft_config  *c = r->plan->config;
    uint64_t            sum = heft_sum_text(1, HEFT_VERSION);
    const char         *name = "", *text;
    HEFT_FREED char    *bytes = NULL;
    size_t              length;
    for (size_t k = 0; name; k++) {
        text = heft_config_text(c, k, &name);
        if (text && name && text != c->method) sum = heft_sum_text(heft_sum_text(sum, name), text);
    }
    sum = heft_sum_word(heft_sum_word(sum, res->folds), res->repeats);
    sum = heft_sum_word(heft_sum_word(sum, res->seed), res->design.whole);
    sum = heft_sum_word(sum, c->part);
    if (r->plan->intervals) sum = heft_sum_number(sum, heft_results_alpha(res));
    if (r->plan->test) sum = heft_sum_word(sum, heft_table_sum(r->plan->test));
    if (c->cost && heft_costs_in_file(c->cost)) HEFT_CHECK(add_file(ctx, c->cost, &sum));
    if (c->like) { /* the bytes of the model whose preparation is used */
        HEFT_CHECK(heft_store_save_bytes(ctx, c->like, &bytes, &length));
        sum = heft_sum_bytes(sum, bytes, length);
    }
    *out = sum;
    return HEFT_OK;
}

static uint64_t sum_set(const heft_eval_run *r, size_t d)
{
    const heft_results_set *shown = &r->results->sets[d];
    const heft_eval_set    *set = &r->sets[d];
    uint64_t                sum = heft_sum_text(2, shown->name);
    sum = heft_sum_word(heft_sum_word(sum, shown->n_rows), shown->n_attr);
    sum = heft_sum_word(heft_sum_word(sum, shown->n_class), shown->checksum);
    if (!set->fold) return sum;
    const size_t repeats = set->test ? 1 : r->results->repeats;
    return heft_sum_bytes(sum, set->fold, repeats * set->n * sizeof *set->fold);
}

static heft_status make_keys(heft_ctx *ctx, heft_eval_run *r)
{
    heft_results *res = r->results;
    uint64_t      settings, *set, *method;
    char          text[20];
    HEFT_CHECK(sum_settings(ctx, r, &settings));
    HEFT_ALLOC(ctx, &ctx->scratch, set, res->n_data);
    HEFT_ALLOC(ctx, &ctx->scratch, method, res->n_method);
    HEFT_ALLOC(ctx, &res->arena, res->keys, r->n_cells);
    for (size_t d = 0; d < res->n_data; d++) set[d] = sum_set(r, d);
    for (size_t m = 0; m < res->n_method; m++) {
        const heft_eval_method *e = &r->methods[m];
        method[m] = heft_sum_text(3, e->method->name);
        if (e->method->options)
            for (size_t k = 0; e->method->options[k].name; k++)
                method[m] = heft_sum_text(heft_sum_text(method[m], e->method->options[k].name),
                                          e->values[k].as_text);
    }
    for (size_t m = 0; m < res->n_method; m++)
        if (r->methods[m].chooses)
            for (const char *const *p = r->methods[m].params; *p; p++)
                method[m] = heft_sum_text(method[m], *p);
    HEFT_KNOWN(res->n_method > 0 && res->n_data > 0);
    for (size_t c = 0; c < r->n_cells; c++) {
        const heft_stage *s = &res->stages[c / (res->n_method * res->n_data)];
        uint64_t          sum = heft_sum_word(settings, set[c / res->n_method % res->n_data]);
        sum = heft_sum_word(sum, method[c % res->n_method]);
        sum = heft_sum_word(
            sum,
            heft_sum_text(heft_sum_number(heft_sum_number(4, s->noise), s->learn), s->dimensions));
        snprintf(text, sizeof text, "%016" PRIx64, sum);
        HEFT_CHECK(heft_text_in(ctx, &res->arena, text, &res->keys[c]));
    }
    return HEFT_OK;
}

/* ---- from the file ---- */

/* Read a finite number from lo to hi. */
static bool get_number(const json_t *x, double lo, double hi, double *out)
{
    if (!json_is_number(x)) return false;
    *out = json_number_value(x);
    return *out >= lo && *out <= hi;
}

static bool get_confusion(const json_t *cell, size_t *confusion, size_t n)
{
    const json_t *rows = json_object_get(cell, "confusion");
    if (json_array_size(rows) != n) return false;
    for (size_t k = 0; k < n * n; k++) {
        const json_t *row = json_array_get(rows, k / n), *x = json_array_get(row, k % n);
        if (json_array_size(row) != n || !json_is_integer(x) || json_integer_value(x) < 0)
            return false;
        confusion[k] = (size_t)json_integer_value(x);
    }
    return true;
}

static bool get_classes(const json_t *cell, heft_class_figures *out, size_t n)
{
    const json_t *list = json_object_get(cell, "per_class");
    if (json_array_size(list) != n) return false;
    for (size_t k = 0; k < n * HEFT_N_CLASS_FIGURES; k++) {
        const heft_class_figure_info *f = &heft_class_figure_list[k % HEFT_N_CLASS_FIGURES];
        const json_t *x = json_object_get(json_array_get(list, k / HEFT_N_CLASS_FIGURES), f->name);
        double *to = heft_class_figure(&out[k / HEFT_N_CLASS_FIGURES], k % HEFT_N_CLASS_FIGURES);
        *to = (double)NAN;
        if (f->at == offsetof(heft_class_figures, auc) && json_is_null(x)) continue;
        if (!get_number(x, 0, f->most, to)) return false;
    }
    return true;
}

static bool get_intervals(const json_t *cell, double *out)
{
    const json_t *list = json_object_get(cell, "intervals");
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        const json_t *pair = json_object_get(list, heft_drawn_name(k));
        for (size_t i = 0; i < 2; i++) {
            const json_t *x = json_array_get(pair, i);
            out[2 * k + i] = (double)NAN;
            if (pair && !json_is_null(pair) && !get_number(x, -INFINITY, INFINITY, &out[2 * k + i]))
                return false;
        }
    }
    return json_is_object(list);
}

/* Read a cell. Returns false if it is incomplete or does not match its checksum. */
static bool get_cell(const json_t *from, heft_eval_run *r, size_t c)
{
    const size_t          per_cell = heft_n_folds(r, c);
    heft_cell             cell = r->results->cells[c];
    const heft_eval_cell *to = &r->cells[c];
    const json_t         *list = json_object_get(from, "per_fold");
    const json_t         *f1 = json_object_get(from, "per_fold_macro_f1");
    const char           *written = json_string_value(json_object_get(from, "checksum"));
    char                  sum[20];
    for (size_t k = 0; k < HEFT_N_FIGURES; k++) {
        const heft_figure *f = &heft_figures[k];
        double             x;
        if (!get_number(json_object_get(from, f->name), 0, f->most, &x)) return false;
        memcpy((char *)&cell + f->at, &x, sizeof x);
    }
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) {
        const heft_measure_info *m = heft_measures_at(k);
        const json_t            *x = json_object_get(from, m->name);
        to->measures[k] = (double)NAN;
        if (m->can_be_nan && (m->optional ? !x : json_is_null(x))) continue;
        if (!get_number(x, m->least, m->most, &to->measures[k])) return false;
    }
    if (json_array_size(list) != per_cell || json_array_size(f1) != per_cell) return false;
    for (size_t k = 0; k < per_cell; k++)
        if (!get_number(json_array_get(list, k), 0, 1, &to->per_fold[k]) ||
            !get_number(json_array_get(f1, k), 0, 1.001, &to->macro_f1[k]))
            return false;
    if (to->confusion && !get_confusion(from, to->confusion, cell.n_classes)) return false;
    if (!get_classes(from, to->per_class, cell.n_classes)) return false;
    if (to->intervals && !get_intervals(from, to->intervals)) return false;
    cell.measures = to->measures;
    cell.n_folds = per_cell;
    cell.per_fold = to->per_fold;
    cell.per_fold_macro_f1 = to->macro_f1;
    cell.confusion = to->confusion;
    cell.per_class = to->per_class;
    cell.intervals = to->intervals;
    snprintf(sum, sizeof sum, "%016" PRIx64, heft_cell_sum(&cell, r->results->keys[c]));
    if (!written || strcmp(sum, written) != 0) return false;
    cell.reused = true;
    r->results->cells[c] = cell;
    return true;
}

/* Index the cells of the file by their keys; of equal keys the first counts. Failed cells are left
 * out, because they are computed again. */
static heft_status index_cells(heft_ctx *ctx, const json_t *sets, json_t *by_key)
{
    for (size_t d = 0; d < json_array_size(sets); d++) {
        const json_t *methods = json_object_get(json_array_get(sets, d), "methods");
        for (size_t m = 0; m < json_array_size(methods); m++) {
            json_t     *cell = json_array_get(methods, m);
            const char *key = json_string_value(json_object_get(cell, "key"));
            if (!key || json_object_get(cell, "failure") || json_object_get(by_key, key)) continue;
            if (json_object_set_nocheck(by_key, key, cell) != 0)
                return heft_no_memory(ctx, strlen(key) + 1, 1);
        }
    }
    return HEFT_OK;
}

/* Load the file. *out is NULL if there is no file yet, or an empty one. */
static heft_status load(heft_ctx *ctx, const char *path, json_t **out)
{
    struct stat  info;
    json_error_t why;
    *out = NULL;
    if (stat(path, &info) != 0) {
        if (errno == ENOENT) return HEFT_OK;
        return heft_fail(ctx, HEFT_EIO, "%.200s: cannot read: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode))
        return heft_fail(ctx, HEFT_EINVAL, "%.200s: results can only be kept in a regular file",
                         path);
    if (info.st_size == 0) return HEFT_OK;
    *out = json_load_file(path, 0, &why);
    if (*out && json_is_string(json_object_get(*out, "heft")) &&
        json_is_array(json_object_get(*out, "datasets")))
        return HEFT_OK;
    const bool read = *out || json_error_code(&why) != json_error_cannot_open_file;
    json_decref(*out);
    *out = NULL;
    if (!read) return heft_fail(ctx, HEFT_EIO, "%.200s: cannot read", path);
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%.200s: the file does not hold results of heft and would be overwritten "
                     "(name another file, or remove it)",
                     path);
}

/* jansson allocates with malloc. */
static void json_text_end(char **text)
{
    free(*text);
}

/* Send what rank 0 has read to every rank, because only rank 0 may have the file. */
static heft_status share(heft_ctx *ctx, json_t **root)
{
    HEFT_CLEARED(json_text_end) char *text = NULL;
    HEFT_LOCAL(heft_gathered)         all = {0};
    if (heft_is_single(ctx)) return HEFT_OK;
    if (*root) {
        text = json_dumps(*root, JSON_COMPACT | JSON_REAL_PRECISION(17));
        if (!text) return heft_no_memory(ctx, json_object_size(*root), 1);
    }
    HEFT_CHECK(heft_all_gather(ctx, text, text ? strlen(text) : 0, &all));
    const size_t length = all.start[heft_n_ranks(ctx)];
    if (*root || !length) return HEFT_OK;
    *root = json_loadb(all.bytes, length, 0, NULL);
    return *root ? HEFT_OK : heft_no_memory(ctx, length, 1);
}

heft_status heft_resume_read(heft_ctx *ctx, heft_eval_run *r)
{
    HEFT_CLEARED(json_decrefp) json_t *root = NULL, *by_key = NULL;
    HEFT_CHECK(make_keys(ctx, r));
    r->resume.path = heft_comm_rank(ctx) == 0 ? r->plan->resume : NULL;
    atomic_flag_clear(&r->resume.busy);
    if (r->resume.path) {
        HEFT_CHECK(load(ctx, r->resume.path, &root));
        HEFT_CHECK(heft_out_check(ctx, r->resume.path));
    }
    HEFT_CHECK(share(ctx, &root));
    if (!root || r->plan->fresh || r->plan->keep_predictions) return HEFT_OK;
    by_key = json_object();
    if (!by_key) return heft_no_memory(ctx, 1, sizeof root);
    HEFT_CHECK(index_cells(ctx, json_object_get(root, "datasets"), by_key));
    for (size_t c = 0; c < r->n_cells; c++) {
        const json_t *cell = json_object_get(by_key, r->results->keys[c]);
        if (!cell) continue;
        if (!get_cell(cell, r, c))
            return heft_fail(ctx, HEFT_EFORMAT,
                             "%.200s: the results of %.80s on %.80s are damaged (remove the file, "
                             "or compute all of them again with {fresh})",
                             r->plan->resume ? r->plan->resume : "the file of results",
                             r->results->cells[c].method, r->results->cells[c].dataset);
        atomic_store(&r->cells[c].finished, true);
    }
    return HEFT_OK;
}

/* ---- to the file ---- */

/* Write the cells that are finished now. */
static heft_status save(heft_ctx *ctx, heft_eval_run *r)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_results         part = *r->results;
    HEFT_LOCAL(heft_buf) buf = {0};
    bool                *open;
    size_t               n_open = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, open, r->n_cells);
    for (size_t c = 0; c < r->n_cells; c++) {
        open[c] = !atomic_load(&r->cells[c].finished);
        n_open += open[c];
    }
    if (n_open) part.open = open;
    HEFT_CHECK(heft_results_json(ctx, &part, &buf));
    const char *text = heft_buf_string(&buf);
    return buf.failed ? heft_no_memory(ctx, buf.length, 1)
                      : heft_out_text(ctx, r->resume.path, text);
}

/* If another thread is writing the file, this thread returns at once: the other thread looks for
 * new finished cells again after it has written. */
heft_status heft_resume_save(heft_ctx *ctx, heft_eval_run *r, bool urgent, bool now)
{
    heft_resume_file *k = &r->resume;
    heft_status       st = HEFT_OK;
    if (urgent && k->path) atomic_store(&k->urgent, true);
    if (k->path)
        while (st == HEFT_OK && atomic_load(&k->dirty) && !atomic_flag_test_and_set(&k->busy)) {
            const double pause = fmin(20 * k->cost, 1);
            const bool   due = now || atomic_load(&k->urgent) || heft_clock() - k->last >= pause;
            if (due) {
                atomic_store(&k->urgent, false);
                atomic_store(&k->dirty, false);
                const double began = heft_clock();
                st = save(ctx, r);
                k->last = heft_clock();
                k->cost = k->last - began;
            }
            atomic_flag_clear(&k->busy);
            if (!due) break;
        }
    return st;
}
