/* fixture.c - what the test programs share. */
#include "fixture.h"

#include <sys/stat.h>

#include "base/mem.h"
#include "eval/results.h"
#include "methods/registry.h"
#include "model/model.h"

_Thread_local heft_error err;

double largest_difference(const double *a, const double *b, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* ---- tables ---- */

static size_t row_of(const frame *f, size_t i)
{
    if (f->order) return f->order[i];
    return f->backward_rows ? f->n_rows - 1 - i : i;
}

/* Codes in the frame's order of rows, counted from the other end when turned; the caller frees
 * them. */
static int32_t *arranged(const frame *f, const int32_t *codes, size_t step, size_t n, bool turned)
{
    int32_t *out = calloc(f->n_rows + 1, sizeof *out);
    for (size_t i = 0; i < f->n_rows; i++) {
        const int32_t v = codes[row_of(f, i) * step];
        out[i] = turned && v >= 0 ? (int32_t)n - 1 - v : v;
    }
    return out;
}

static double *arranged_numbers(const frame *f, const double *numbers, size_t step)
{
    double *out = calloc(f->n_rows + 1, sizeof *out);
    for (size_t i = 0; i < f->n_rows; i++) out[i] = numbers[row_of(f, i) * step];
    return out;
}

static const char **arranged_names(const char *const *names, size_t n, bool turned)
{
    const char **out = calloc(n + 1, sizeof *out);
    for (size_t v = 0; v < n; v++) out[v] = names[turned ? n - 1 - v : v];
    return out;
}

static void add_field(heft_table *t, const frame *f, size_t j)
{
    const field *col = &f->cols[j];
    const size_t step = col->step ? col->step : 1;
    char         name[24];
    snprintf(name, sizeof name, "x%zu", j);
    if (col->numbers) {
        double *cells = arranged_numbers(f, col->numbers, step);
        OK(heft_table_add_numbers(t, col->name ? col->name : name, cells, 1, &err));
        free(cells);
        return;
    }
    int32_t     *codes = arranged(f, col->codes, step, col->n_values, col->turned);
    const char **values = arranged_names(col->values, col->n_values, col->turned);
    OK(heft_table_add_codes(t, col->name ? col->name : name, codes, 1, values, col->n_values,
                            &err));
    free(codes), free(values);
}

heft_table *table_of(const frame *f)
{
    heft_table *t;
    assert_true(f->n_cols <= MOST_FIELDS);
    OK(heft_table_create(f->n_rows, &t, &err));
    for (size_t j = 0; j < f->n_cols; j++)
        add_field(t, f, f->backward_columns ? f->n_cols - 1 - j : j);
    if (f->y) {
        int32_t     *y = arranged(f, f->y, 1, f->n_class, f->turned_classes);
        const char **classes = arranged_names(f->classes, f->n_class, f->turned_classes);
        OK(heft_table_set_target(t, f->target ? f->target : "class", y, classes, f->n_class, &err));
        free(y), free(classes);
    }
    if (f->weight) {
        double *weight = arranged_numbers(f, f->weight, 1);
        OK(heft_table_set_weights(t, weight, &err));
        free(weight);
    }
    return t;
}

const char *table_column(const heft_table *t, size_t j)
{
    heft_attribute a = {0};
    OK(heft_table_attribute(t, j, &a, &err));
    return a.name;
}

const char *model_column(const heft_model *model, size_t j)
{
    heft_attribute a = {0};
    OK(heft_model_attribute(model, j, &a, &err));
    return a.name;
}

/* ---- models ---- */

heft_model *fit(const heft_table *t, const char *method, const heft_config *config)
{
    heft_model *model;
    heft_config own = config ? *config : (heft_config){0};
    if (method) own.method = method;
    if (heft_fit(t, &own, &model, &err) != HEFT_OK)
        fail_msg("%s: %s", own.method ? own.method : "the default method", err.text);
    return model;
}

double *posterior(const heft_model *model, const heft_table *t)
{
    double *p = calloc(heft_table_rows(t) * heft_model_classes(model) + 1, sizeof *p);
    OK(heft_predict_proba(model, t, p, &err));
    return p;
}

double *fit_posterior(const heft_table *train, const heft_table *test, const char *method,
                      const heft_config *config)
{
    heft_model *model = fit(train, method, config);
    double     *p = posterior(model, test);
    heft_model_free(model);
    return p;
}

char *inspect(const heft_model *model, const char *format, size_t top)
{
    char *text;
    OK(heft_inspect_text(model, format, top, &text, &err));
    return text;
}

const heft_fact *fact(const heft_model *model, const char *name)
{
    const heft_training *t = &model->fitted.training;
    for (size_t k = 0; k < t->n_facts; k++)
        if (strcmp(t->facts[k].name, name) == 0) return &t->facts[k];
    fail_msg("%s: there is no fact '%s'", heft_model_method(model), name);
    return NULL;
}

heft_model *small_model(const char *method)
{
    static const char *const names[] = {"a", "b", "c"};
    static const int32_t     x[] = {0, 1, 2, 0, 1, 2}, y[] = {0, 0, 1, 1, 1, 0};
    heft_table              *t = table_of(&(frame){.n_rows = 6,
                                                   .n_cols = 2,
                                                   .cols = {{"x", .codes = x, .values = names, .n_values = 3},
                                                            {"z", .codes = y, .values = names, .n_values = 2}},
                                                   .y = y,
                                                   .classes = names,
                                                   .n_class = 3});
    heft_model              *model = fit(t, method, NULL);
    heft_table_free(t);
    return model;
}

heft_status reload(const heft_model *model)
{
    heft_model *again = NULL;
    char        path[256];
    snprintf(path, sizeof path, "%s", temp_path(".heft"));
    heft_status st = heft_model_save(model, path, &err);
    assert_true(st == HEFT_OK || st == HEFT_ENUMERIC);
    if (st == HEFT_OK) {
        st = heft_model_load(path, &again, &err);
        assert_true(st == HEFT_OK || st == HEFT_EFORMAT);
        unlink(path);
    }
    if (st != HEFT_OK) assert_non_null(strstr(err.text, "tensor '"));
    heft_model_free(again);
    return st == HEFT_OK ? HEFT_OK : HEFT_EFORMAT;
}

/* ---- results ---- */

heft_results *evaluate(const heft_table *table, const heft_eval_plan *plan)
{
    heft_results *results;
    const char   *name = "some";
    OK(heft_evaluate(&table, &name, 1, plan, &results, &err));
    return results;
}

json_t *json_of(const heft_results *results)
{
    char        *text;
    json_error_t why;
    OK(heft_results_text(results, "json", &text, &err));
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root) fail_msg("%s in %s", why.text, text);
    heft_text_free(text);
    size_t  d, m;
    json_t *set, *cell;
    json_array_foreach(json_object_get(root, "datasets"), d, set)
        json_array_foreach(json_object_get(set, "methods"), m, cell)
    {
        json_object_del(cell, "fit_seconds");
        json_object_del(cell, "checksum"); /* of the seconds too */
        json_object_del(cell, "predict_seconds");
    }
    return root;
}

void every_allocation_fails(const heft_table *table, const heft_eval_plan *plan)
{
    heft_status st = HEFT_ENOMEM;
    for (size_t n = 1; st != HEFT_OK; n++) {
        heft_results *results;
        heft_fail_alloc_at(n, true);
        st = heft_evaluate(&table, NULL, 1, plan, &results, &err);
        heft_fail_alloc_at(0, false);
        if (st == HEFT_OK) heft_results_free(results);
        else assert_int_equal(st, HEFT_ENOMEM);
        if (n == 1) assert_int_equal(st, HEFT_ENOMEM);
    }
}

/* ---- prepared rows made by hand ---- */

coded coded_new(size_t n, size_t m, size_t n_class, const uint32_t *n_codes)
{
    coded s = {.attr = calloc(m + 1, sizeof(heft_attr)),
               .y = calloc(n + 1, sizeof(uint16_t)),
               .names = calloc(m + 1, sizeof(heft_attr_prep))};
    for (size_t j = 0; j < m; j++) {
        const unsigned width = heft_code_width(n_codes[j]);
        s.attr[j] = (heft_attr){true, n_codes[j], width, calloc(n + 1, width), NULL};
        s.names[j].name = (char *)(uintptr_t) "some column";
    }
    s.rows = (heft_rows){.n_rows = n, .n_attr = m, .n_class = n_class, .attr = s.attr, .y = s.y};
    s.prep = (heft_prep){.n_attr = m, .attr = s.names};
    return s;
}

void coded_put(coded *s, size_t i, size_t j, uint32_t v)
{
    heft_code_put((void *)(uintptr_t)s->attr[j].codes, s->attr[j].width, i, v);
}

uint32_t coded_at(const heft_rows *rows, size_t i, size_t j)
{
    return heft_code_at(rows->attr[j].codes, rows->attr[j].width, i);
}

void coded_fill(coded *s, uint64_t seed, bool missing)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < s->rows.n_rows; i++) {
        const size_t used = s->rows.n_class > 2 ? s->rows.n_class - 1 : s->rows.n_class;
        s->y[i] = (uint16_t)heft_rng_below(&rng, used);
        for (size_t j = 0; j < s->rows.n_attr; j++) {
            const uint32_t q = s->attr[j].n_codes;
            uint32_t       v = (uint32_t)heft_rng_below(&rng, q);
            if (heft_rng_below(&rng, 2)) v = (s->y[i] + (uint32_t)j) % q;
            if (missing && heft_rng_below(&rng, 20) == 0) v = q + (uint32_t)heft_rng_below(&rng, 2);
            coded_put(s, i, j, v);
        }
    }
}

coded coded_random(size_t n, size_t m, size_t n_class, uint32_t values, uint32_t cycle,
                   uint64_t seed, bool missing)
{
    uint32_t *n_codes = calloc(m + 1, sizeof *n_codes);
    for (size_t j = 0; j < m; j++) n_codes[j] = values + (uint32_t)(j % cycle);
    coded s = coded_new(n, m, n_class, n_codes);
    coded_fill(&s, seed, missing);
    free(n_codes);
    return s;
}

void coded_free(coded *s)
{
    for (size_t j = 0; j < s->rows.n_attr; j++) free((void *)(uintptr_t)s->attr[j].codes);
    free(s->attr), free(s->y), free(s->names);
}

heft_status try_fit(fitted *t, const char *method, const char *param, const coded *s)
{
    const char *params[] = {param, NULL};
    heft_value *values;
    *t = (fitted){.method = heft_methods_find(method)};
    heft_ctx_init(&t->ctx, &t->err, 1, 1, NULL);
    const heft_status st = heft_params_parse(&t->ctx, t->method, params, false, &t->arena, &values);
    if (st != HEFT_OK) return st;
    const heft_task task = {.method = t->method,
                            .values = values,
                            .rows = &s->rows,
                            .prep = &s->prep,
                            .smoothing = {.laplace = true},
                            .arena = &t->arena};
    return t->method->fit(&t->ctx, &task, &t->f);
}

void fitted_free(fitted *t)
{
    heft_arena_clear(&t->arena);
    heft_ctx_clear(&t->ctx);
}

/* ---- files ---- */

const char *data_file(const char *name)
{
    static char path[1024];
    const char *given = getenv("HEFT_DATA");
    const char *tried[] = {given, "../shared/data", "../../shared/data", "../../../shared/data",
                           "../../../../shared/data"};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        if (!tried[k]) continue;
        snprintf(path, sizeof path, "%s/%s", tried[k], name);
        if (access(path, R_OK) == 0) return path;
    }
    print_message("skipped: %s is not at hand (set HEFT_DATA to the folder of the data sets)\n",
                  name);
    return NULL;
}

static const char *temp_folder(void)
{
    const char *dir = getenv("TMPDIR");
    return dir ? dir : "/tmp";
}

const char *temp_path(const char *ending)
{
    static char path[256];
    static int  n;
    snprintf(path, sizeof path, "%s/heft-test-%ld-%d%s", temp_folder(), (long)getpid(), n++,
             ending);
    return path;
}

static char folder[128];

int open_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/heft-test-XXXXXX", temp_folder());
    return mkdtemp(folder) ? 0 : -1;
}

int close_folder(void **state)
{
    char command[160];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

const char *in_folder(const char *name)
{
    static char path[8][256];
    static int  turn;
    if (!name) return folder;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[0], "%s/%s", folder, name);
    return path[turn];
}

blob read_bytes(const char *path)
{
    struct stat about;
    FILE       *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be opened", path);
    assert_int_equal(fstat(fileno(f), &about), 0);
    blob b = {calloc((size_t)about.st_size + 1, 1), (size_t)about.st_size};
    assert_int_equal(fread(b.data, 1, b.n, f), b.n);
    fclose(f);
    return b;
}

const char *write_bytes(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f) fail_msg("%s cannot be written", path);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

const char *write_text(const char *path, const char *text)
{
    return write_bytes(path, text, strlen(text));
}
