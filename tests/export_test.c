/* export_test.c - exported models, compiled and held against predict. */
#include "fixture.h"

#include "base/num.h"
#include "methods/registry.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "graph_run.h"
#include "model/method.h"
#include "model/model.h"

enum { N_NUM = 4, N_NOM = 3, N_ATTR = N_NUM + N_NOM, N_TRAIN = 120, N_ROWS = 80, MOST_CASES = 128 };

/* Whatever a data set may call things. */
static const char *const names[] = {
    "x\"); exit(1); /*",  "a*/b",        "two\nlines\r", "\?\?/\?\?'",
    "\x80\xff not UTF-8", "back\\slash", "%s%n",
};
static const char *const values[] = {"\"", "*/", "\?\?/", "\\\n", "never trained"};
static const char *const classes[] = {"no", "\"yes\"\n*/", "\xf0\x28 may be"};

typedef struct rows {
    size_t  n;
    double  num[N_TRAIN][N_NUM];
    int32_t nom[N_TRAIN][N_NOM], y[N_TRAIN];
} rows;

/* Column 1 is a point in class 0, column 3 is constant. Rows to predict reach beyond what was
 * trained. */
static void fill(rows *r, size_t n, size_t K, uint64_t seed, bool wild)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 3);
    r->n = n;
    for (size_t i = 0; i < n; i++) {
        r->y[i] = (int32_t)heft_rng_below(&rng, K);
        for (size_t j = 0; j < N_NUM; j++) {
            const double x = heft_rng_real(&rng) + heft_rng_real(&rng) - 1 + 0.5 * r->y[i];
            r->num[i][j] = j == 3 ? 7 : j == 1 && r->y[i] == 0 ? 0.25 : j == 2 ? 1e6 * x : x;
            if (heft_rng_below(&rng, 9) == 0 && j != 3) r->num[i][j] = NAN;
            if (wild && heft_rng_below(&rng, 15) == 0) r->num[i][j] = i % 2 ? -1e300 : 40;
        }
        for (size_t j = 0; j < N_NOM; j++) {
            const bool tell = heft_rng_below(&rng, 2) == 0;
            r->nom[i][j] = tell ? r->y[i] : (int32_t)heft_rng_below(&rng, wild ? 5 : 4);
            if (heft_rng_below(&rng, 9) == 0) r->nom[i][j] = -1;
        }
    }
}

static heft_table *rows_table(const rows *r, size_t K, bool wild, bool nominal)
{
    frame f = {.n_rows = r->n,
               .n_cols = N_NUM + (nominal ? N_NOM : 0),
               .y = r->y,
               .classes = classes,
               .n_class = K};
    for (size_t j = 0; j < N_NUM; j++)
        f.cols[j] = (field){names[j], .numbers = &r->num[0][j], .step = N_NUM};
    for (size_t j = 0; nominal && j < N_NOM; j++)
        f.cols[N_NUM + j] = (field){names[N_NUM + j], .codes = &r->nom[0][j], .step = N_NOM,
                                    .values = values, .n_values = wild ? 5 : 4};
    return table_of(&f);
}

/* The numbers only, most of them 0, as compressed rows. */
static heft_table *sparse_of(const rows *r, size_t K)
{
    heft_table *t;
    size_t     *start = calloc(r->n + 1, sizeof *start), at = 0;
    uint32_t   *col = calloc(r->n * N_NUM, sizeof *col);
    double     *val = calloc(r->n * N_NUM, sizeof *val);
    for (size_t i = 0; i < r->n; i++) {
        for (size_t j = 0; j < N_NUM; j++)
            if (!(r->num[i][j] < 0.3)) col[at] = (uint32_t)j, val[at++] = r->num[i][j];
        start[i + 1] = at;
    }
    OK(heft_table_create(r->n, &t, &err));
    OK(heft_table_add_sparse(t, N_NUM, start, col, val, names, &err));
    OK(heft_table_set_target(t, "class", r->y, classes, K, &err));
    free(start), free(col), free(val);
    return t;
}

typedef struct one { /* a model, what it was asked and what it said */
    const heft_model *model;
    double           *proba;
    size_t            K;
    bool              sparse, nominal;
} one;

typedef struct batch {
    char   dir[256];
    size_t n;
    one    at[MOST_CASES];
    rows  *ask;
} batch;

static void put_file(const batch *b, const char *name, const char *text)
{
    char path[320];
    snprintf(path, sizeof path, "%s/%s", b->dir, name);
    write_text(path, text);
}

/* Where predict adds numbers in another order than the terms are listed, or finds a number in
 * another way, the last bits can differ. Kernels: predict leaves out far points, or sums by a
 * series. tan, aode, waode and hnb multiply counts by factors that the tables of the terms include.
 * auto adds what members, pairs and trees say in blocks. Class pairs and the mixture of rnb: the
 * logarithm of a sum is taken in another way. */
static double graph_limit(const heft_terms *t)
{
    if (t->class_pair || t->further.n || !t->shared) return 1e-13;
    for (size_t j = 0; j < t->n_attr; j++)
        if (t->attr[j].kind == HEFT_TERM_KERNEL) return 1e-12;
    return 0;
}

static double sparse_cell(const heft_table *t, size_t j, size_t i)
{
    for (size_t k = t->sparse->start[i]; k < t->sparse->start[i + 1]; k++)
        if (t->sparse->col[k] == j) return t->sparse->val[k];
    return 0;
}

/* Cells of row i of the table, as the model codes them. */
static graph_row cells_of(const heft_model *model, const heft_table *t, size_t i, double *x, int *v)
{
    for (size_t j = 0; j < model->prep.n_attr; j++) {
        const heft_attr_prep *a = &model->prep.attr[j];
        const heft_column    *col = NULL;
        for (size_t k = 0; k < t->n_cols; k++)
            if (strcmp(t->cols[k].name, a->name) == 0) col = &t->cols[k];
        assert_non_null(col);
        if (a->kind == HEFT_NUMERIC) {
            x[j] = col->cells ? ((const double *)col->cells)[i]
                              : sparse_cell(t, (size_t)(col - t->cols), i);
            continue;
        }
        const uint32_t code = heft_code_at(col->cells, col->width, i);
        const char    *text =
            code < heft_dict_size(col->dict) ? heft_dict_text(col->dict, code) : NULL;
        const uint32_t own = text ? heft_dict_find(a->dict, text, strlen(text)) : HEFT_DICT_NONE;
        v[j] = own != HEFT_DICT_NONE ? (int)own : text ? -2 : -1;
    }
    return (graph_row){x, v};
}

/* The graph of a model, in its plain form and as SQL has it, gives what predict gives. */
static void compare_graph(const heft_model *model, const heft_table *t, size_t n, const char *what)
{
    const size_t K = heft_dict_size(model->prep.classes), n_attr = model->prep.n_attr;
    double      *proba = calloc(t->n_rows * K, sizeof *proba), *p = calloc(K, sizeof *p);
    double      *x = calloc(n_attr + 1, sizeof *x);
    int         *v = calloc(n_attr + 1, sizeof *v);
    heft_ctx     ctx;
    OK(heft_predict_proba(model, t, proba, &err));
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (unsigned how = 0; how <= 31; how += 31) {
        heft_terms terms;
        heft_graph g;
        OK(heft_terms_whole(&ctx, model, &terms));
        OK(heft_graph_lower(&ctx, &terms, how, &g));
        const double near = how ? 1e-11 : graph_limit(&terms);
        for (size_t i = 0; i < n; i++) {
            const graph_row row = cells_of(model, t, i, x, v);
            int32_t         decided;
            const size_t    best = graph_run(&g, &row, p);
            bool            far = false; /* differences keep digits that sums of 1e280 lose */
            for (size_t j = 0; j < n_attr; j++) far |= fabs(x[j]) > 1e100;
            if (far && how) {
                double sum = 0;
                for (size_t c = 0; c < K; c++) sum += p[c];
                NEAR(sum, 1, 1e-12); /* so none of them is NaN */
                continue;
            }
            OK(heft_model_decide(model, p, 1, &decided, &err));
            assert_int_equal(best, decided);
            for (size_t c = 0; c < K; c++)
                if (!(fabs(p[c] - proba[i * K + c]) <= near))
                    fail_msg("%s, %s, %u, row %zu, class %zu: %.17g by the graph, %.17g by predict",
                             what, heft_model_method(model), how, i, c, p[c], proba[i * K + c]);
        }
    }
    heft_ctx_clear(&ctx);
    free(proba), free(p), free(x), free(v);
}

static void add_case(batch *b, const heft_config *config, size_t K, bool sparse, bool nominal)
{
    heft_model *model;
    rows       *train = malloc(sizeof *train);
    char       *text, name[32], wrap[128];
    one        *o = &b->at[b->n];
    fill(train, N_TRAIN, K, 5, false);
    heft_table *t = sparse ? sparse_of(train, K) : rows_table(train, K, false, nominal);
    heft_table *ask = sparse ? sparse_of(b->ask, K) : rows_table(b->ask, K, true, nominal);
    assert_true(b->n < MOST_CASES);
    if (heft_fit(t, config, &model, &err) != HEFT_OK) fail_msg("%s: %s", config->method, err.text);
    *o = (one){model, calloc(N_ROWS * K, sizeof(double)), K, sparse, nominal};
    OK(heft_predict_proba(model, ask, o->proba, &err));
    compare_graph(model, ask, N_ROWS,
                  sparse               ? "sparse"
                  : config->discretize ? config->discretize
                                       : "case");
    OK(heft_export_text(model, &(heft_export_options){.format = "c"}, &text, NULL, &err));
    snprintf(name, sizeof name, "m%zu.h", b->n);
    put_file(b, name, text);
    snprintf(wrap, sizeof wrap, "#define MODEL_NAME(x) m%zu_##x\n#include \"%s\"\n", b->n, name);
    snprintf(name, sizeof name, "m%zu.c", b->n++);
    put_file(b, name, wrap);
    heft_text_free(text);
    heft_table_free(t), heft_table_free(ask);
    free(train);
}

static void compare(const batch *b, void *library, size_t k)
{
    const one *o = &b->at[k];
    char       name[32];
    int (*predict)(const double *, const int *, double *);
    int (*code)(int, const char *);
    snprintf(name, sizeof name, "m%zu_predict", k);
    *(void **)&predict = dlsym(library, name);
    snprintf(name, sizeof name, "m%zu_code", k);
    *(void **)&code = dlsym(library, name);
    assert_non_null(predict);
    assert_non_null(code);
    for (size_t i = 0; i < N_ROWS; i++) {
        double x[N_ATTR] = {0}, p[3];
        int    v[N_ATTR] = {0};
        for (size_t j = 0; j < N_NUM; j++)
            x[j] = o->sparse && b->ask->num[i][j] < 0.3 ? 0 : b->ask->num[i][j];
        for (size_t j = 0; o->nominal && j < N_NOM; j++)
            v[N_NUM + j] =
                code((int)(N_NUM + j), b->ask->nom[i][j] < 0 ? NULL : values[b->ask->nom[i][j]]);
        const int best = predict(x, v, p);
        for (size_t c = 0; c < o->K; c++)
            if (!(fabs(p[c] - o->proba[i * o->K + c]) <= 1e-12))
                fail_msg("case %zu, %s, row %zu, class %zu: %.17g in C, %.17g by predict", k,
                         heft_model_method(o->model), i, c, p[c], o->proba[i * o->K + c]);
        int32_t decided;
        OK(heft_model_decide(o->model, o->proba + i * o->K, 1, &decided, &err));
        assert_int_equal(best, decided);
        assert_int_equal(predict(x, v, NULL), best);
    }
}

static void add_cases(batch *b)
{
    for (size_t k = 0; k < heft_methods_count(); k++) {
        const heft_method *m = heft_methods_at(k);
        if (!(m->caps & HEFT_ADDITIVE) && !m->tables) continue;
        const char *impute = m->caps & HEFT_TAKES_MISSING ? NULL : "mean";
        for (size_t K = 2; K <= 3; K++)
            add_case(b, &(heft_config){.method = m->name, .impute = impute}, K, false, true);
        if (m->tables) {
            add_case(b, &(heft_config){.method = m->name, .unseen = "zero", .calibrate = "vector"},
                     3, false, true);
            add_case(b,
                     &(heft_config){.method = m->name,
                                    .threshold = "\"\"\"yes\"\"\n*/\"=0.2",
                                    .discretize = "frequency:3"},
                     2, false, true);
        }
        if (m->caps & HEFT_TAKES_NUMBERS)
            add_case(
                b,
                &(heft_config){
                    .method = m->name, .impute = "mean", .discretize = "none", .unseen = "zero"},
                3, false, true);
        if (m->caps & HEFT_TAKES_SPARSE)
            add_case(b, &(heft_config){.method = m->name, .impute = impute}, 3, true, false);
    }
    const char *efforts[][2] = {{"effort=count"}, {"effort=lean"}, {"effort=full"}, {"order=any"}};
    for (size_t k = 0; k < 4; k++)
        for (size_t K = 2; K <= 3; K++)
            add_case(b, &(heft_config){.method = "auto", .params = efforts[k]}, K, false, K == 2);
    add_case(b, &(heft_config){.method = "auto", .impute = "mean", .unseen = "zero"}, 3, false,
             true);
    add_case(b, &(heft_config){.method = "auto", .discretize = "frequency:4", .scale = "unit"}, 3,
             false, true);
    add_case(b, &(heft_config){.method = "auto", .unseen = "zero", .scale = "minmax"}, 2, false,
             true);
    add_case(b, &(heft_config){.method = "auto"}, 3, true, false);
    const char *calibrated[][2] = {{"nb", "temperature"},
                                   {"nb", "vector"},
                                   {"lnb", "vector"},
                                   {"cawnb", "temperature"},
                                   {"auto", "vector"}};
    for (size_t k = 0; k < 5; k++)
        add_case(b,
                 &(heft_config){
                     .method = calibrated[k][0], .impute = "mean", .calibrate = calibrated[k][1]},
                 3, false, true);
    add_case(
        b,
        &(heft_config){.method = "nb", .cost = "no:\"\"\"yes\"\"\n*/\"=4,\xf0\x28 may be:no=0.2"},
        3, false, true);
    add_case(b, &(heft_config){.method = "nb", .threshold = "\"\"\"yes\"\"\n*/\"=0.2"}, 2, false,
             true);
    add_case(b, &(heft_config){.method = "auto", .tune = "f1"}, 2, false, true);
    const char *preps[][3] = {{"none", "unit", "none"},
                              {"none", "minmax", "mean"},
                              {"frequency:5", "unit", "mean"},
                              {"mdl", "minmax", "none"},
                              {"width:4", "none", "none"}};
    const char *of[] = {"nb", "gnb", "flexnb"};
    for (size_t k = 0; k < 5; k++)
        for (size_t m = 0; m < 3; m++)
            add_case(b,
                     &(heft_config){.method = of[m],
                                    .discretize = preps[k][0],
                                    .scale = preps[k][1],
                                    .impute = preps[k][2],
                                    .smoothing = "m:2"},
                     3, m == 1 && k > 1, false);
}

static void clear(batch *b)
{
    char command[512];
    for (size_t k = 0; k < b->n; k++) {
        heft_model_free((heft_model *)b->at[k].model);
        free(b->at[k].proba);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", b->dir);
    assert_int_equal(system(command), 0);
    free(b->ask);
}

static bool has_compiler(void)
{
    const bool has = system("cc --version >/dev/null 2>&1") == 0;
    if (!has) print_message("skipped: no C compiler at hand\n");
    return has;
}

/* The files of the batch as a library. */
static void *compiled(const batch *b)
{
    char command[1024], path[320];
    snprintf(command, sizeof command,
             "cd '%s' && cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -O0 -shared "
             "-fPIC m*.c -o all.so -lm",
             b->dir);
    if (system(command) != 0) fail_msg("the compiler complains: %s", command);
    snprintf(path, sizeof path, "%s/all.so", b->dir);
    void *library = dlopen(path, RTLD_NOW);
    if (!library) fail_msg("%s", dlerror());
    return library;
}

/* The C file of every method with a sum over attributes compiles without a warning, whatever things
 * are called, and gives the probabilities of predict within 1e-12. */
static void c_agrees_with_predict(void **state)
{
    (void)state;
    if (!has_compiler()) return;
    batch b = {.ask = malloc(sizeof(rows))};
    snprintf(b.dir, sizeof b.dir, "%s", temp_path(".d"));
    assert_int_equal(mkdir(b.dir, 0700), 0);
    fill(b.ask, N_ROWS, 3, 9, true);
    for (size_t i = 0; i < N_ROWS; i++) b.ask->y[i] %= 2;
    add_cases(&b);
    if (!SANITIZED) { /* the files are the same there */
        void *library = compiled(&b);
        for (size_t k = 0; k < b.n; k++) compare(&b, library, k);
        dlclose(library);
    }
    clear(&b);
}

/* Every kind of score, on the tables that heft comes with; every method is tried by add_cases. */
static void graphs_of_example_tables(void **state)
{
    static const char *const names_of[] = {"loans", "iris", "wine"};
    static const char *const methods[] = {"nb",  "gnb", "flexnb", "lnb",   "cfwnb",
                                          "rnb", "tan", "aode",   "waode", "hnb"};
    (void)state;
    for (size_t d = 0; d < 3; d++) {
        heft_table *t;
        char        path[512];
        snprintf(path, sizeof path, "%s/examples/%s.csv", getenv("HEFT_ROOT"), names_of[d]);
        OK(heft_read(path, NULL, &t, &err));
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            heft_model *model = fit(t, methods[k], &(heft_config){.impute = "mean"});
            compare_graph(model, t, 40, names_of[d]);
            heft_model_free(model);
        }
        heft_table_free(t);
    }
}

enum { MANY = 700, FREQUENT = 9, N_MANY = 2000 };

typedef struct words { /* rows of one word and one number */
    char        text[MANY + 1][8];
    const char *value[MANY + 1];
    int32_t     word[N_MANY], y[N_MANY];
    double      x[N_MANY];
} words;

static heft_table *words_table(const words *w, size_t n_values, size_t K)
{
    return table_of(&(frame){
        .n_rows = N_MANY,
        .n_cols = 2,
        .cols = {{.codes = w->word, .values = w->value, .n_values = n_values}, {.numbers = w->x}},
        .y = w->y,
        .classes = classes,
        .n_class = K});
}

static void compare_words(const words *w, const heft_config *config, size_t K, const char *dir)
{
    batch       b = {.n = 1};
    double     *proba = calloc(N_MANY * K, sizeof *proba), p[3];
    char       *text;
    heft_table *t = words_table(w, MANY, K);
    heft_model *model = fit(t, "auto", config);
    words      *asked = memcpy(malloc(sizeof *asked), w, sizeof *asked);
    for (size_t i = 0; i < N_MANY; i += 10) asked->word[i] = MANY; /* never trained */
    heft_table *ask = words_table(asked, MANY + 1, K);
    snprintf(b.dir, sizeof b.dir, "%s", dir);
    OK(heft_predict_proba(model, ask, proba, &err));
    OK(heft_export_text(model, &(heft_export_options){.format = "c"}, &text, NULL, &err));
    put_file(&b, "m.c", text);
    void *library = compiled(&b);
    int (*predict)(const double *, const int *, double *);
    int (*code)(int, const char *);
    *(void **)&predict = dlsym(library, "model_predict");
    *(void **)&code = dlsym(library, "model_code");
    for (size_t i = 0; i < N_MANY; i++) {
        const double x[] = {0, asked->x[i]};
        const int    v[] = {code(0, asked->word[i] < 0 ? NULL : w->value[asked->word[i]]), 0};
        predict(x, v, p);
        for (size_t c = 0; c < K; c++)
            if (!(fabs(p[c] - proba[i * K + c]) <= 1e-12))
                fail_msg("row %zu, class %zu: %.17g in C, %.17g by predict", i, c, p[c],
                         proba[i * K + c]);
    }
    assert_non_null(strstr(text, "n_listed"));
    assert_non_null(strstr(text, "static const unsigned short listed_"));
    dlclose(library);
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t), heft_table_free(ask);
    free(asked), free(proba);
}

/* Trees whose splits list codes above 255: the frequent words are the last ones. */
static void c_has_trees_of_many_values(void **state)
{
    (void)state;
    heft_rng rng;
    char     dir[256], command[512];
    words   *w = calloc(1, sizeof *w);
    if (!has_compiler()) {
        free(w);
        return;
    }
    snprintf(dir, sizeof dir, "%s", temp_path(".words"));
    assert_int_equal(mkdir(dir, 0700), 0);
    for (size_t v = 0; v <= MANY; v++) {
        snprintf(w->text[v], sizeof w->text[v], "w%zu", v);
        w->value[v] = w->text[v];
    }
    for (size_t K = 2; K <= 3; K++) {
        heft_rng_init(&rng, 7, K);
        for (size_t i = 0; i < N_MANY; i++) {
            const int32_t word =
                (int32_t)(i < MANY ? i : MANY - 1 - heft_rng_below(&rng, FREQUENT));
            w->word[i] = heft_rng_below(&rng, 12) == 0 ? -1 : word;
            w->x[i] = heft_rng_below(&rng, 6) == 0 ? NAN : heft_rng_real(&rng);
            w->y[i] = (int32_t)((word % 2 + (w->x[i] > 0.4)) % (int32_t)K);
            if (heft_rng_below(&rng, 8) == 0) w->y[i] = (int32_t)heft_rng_below(&rng, K);
        }
        compare_words(w, &(heft_config){0}, K, dir);
        compare_words(w, &(heft_config){.unseen = "zero"}, K, dir);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
    free(w);
}

static json_t *node_of(json_t *score, const char *op)
{
    json_t *node;
    size_t  k;
    json_array_foreach(json_object_get(score, "nodes"), k, node)
    {
        if (strcmp(json_string_value(json_object_get(node, "op")), op) == 0) return node;
    }
    fail_msg("no node %s", op);
    return NULL;
}

static double at(json_t *list, size_t k)
{
    return json_number_value(json_array_get(list, k));
}

/* JSON holds the tables: naive Bayes scored from it by hand gives the posterior. Codes of values
 * come before those of numbers. */
static void json_is_enough(void **state)
{
    (void)state;
    heft_model *model;
    char       *text;
    rows       *r = malloc(sizeof *r);
    double      proba[N_TRAIN * 3];
    fill(r, N_TRAIN, 3, 5, false);
    heft_table *t = rows_table(r, 3, false, true);
    model = fit(t, "nb", &(heft_config){.discretize = "frequency:4"});
    OK(heft_predict_proba(model, t, proba, &err));
    OK(heft_export_text(model, &(heft_export_options){.format = "json"}, &text, NULL, &err));
    json_t *doc = json_loads(text, 0, NULL);
    assert_non_null(doc);
    json_t *score = json_object_get(doc, "score"), *lookup = node_of(score, "lookup");
    json_t *tables = json_object_get(lookup, "tables"), *from = json_object_get(lookup, "from");
    json_t *cuts = json_object_get(node_of(score, "cut"), "cuts");
    json_t *start = json_object_get(node_of(score, "sum"), "start");
    assert_int_equal(json_array_size(tables), N_ATTR);
    for (size_t i = 0; i < N_TRAIN; i++) {
        double s[3], sum = 0;
        for (size_t c = 0; c < 3; c++) {
            s[c] = at(start, c);
            for (size_t j = 0; j < N_ATTR; j++) {
                const size_t row = (size_t)at(from, j), number = row - N_NOM;
                size_t       v = 0;
                if (row < N_NOM) v = r->nom[i][row] < 0 ? 4 : (size_t)r->nom[i][row];
                else if (isnan(r->num[i][number]))
                    v = json_array_size(json_array_get(cuts, number)) + 1;
                else
                    while (v < json_array_size(json_array_get(cuts, number)) &&
                           at(json_array_get(cuts, number), v) < r->num[i][number])
                        v++;
                s[c] += at(json_array_get(tables, j), v * 3 + c);
            }
            sum += exp(s[c]);
        }
        for (size_t c = 0; c < 3; c++) NEAR(exp(s[c]) / sum, proba[i * 3 + c], 1e-9);
    }
    json_decref(doc);
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t);
    free(r);
}

/* A method that keeps its rows is refused by name, and another one named; so is a format that does
 * not exist. */
static void refusals_say_why(void **state)
{
    (void)state;
    heft_model *model;
    char       *text = (char *)&err;
    rows       *r = malloc(sizeof *r);
    fill(r, N_TRAIN, 2, 5, false);
    heft_table *t = rows_table(r, 2, false, true);
    model = fit(t, "lcwnb", NULL);
    assert_int_equal(
        heft_export_text(model, &(heft_export_options){.format = "c"}, &text, NULL, &err),
        HEFT_EUNSUPPORTED);
    assert_null(text);
    assert_non_null(strstr(err.text, "lcwnb"));
    assert_non_null(strstr(err.text, ".method = \"auto\""));
    assert_int_equal(
        heft_export_text(model, &(heft_export_options){.format = "json"}, &text, NULL, &err),
        HEFT_EUNSUPPORTED);
    assert_int_equal(
        heft_export_text(model, &(heft_export_options){.format = "f77"}, &text, NULL, &err),
        HEFT_EINVAL);
    assert_int_equal(
        heft_export_text(NULL, &(heft_export_options){.format = "c"}, &text, NULL, &err),
        HEFT_EINVAL);
    heft_model_free(model);
    heft_table_free(t);
    free(r);
}

/* Every format of the list is described, has a name of its own and writes a model. */
static void formats_are_listed(void **state)
{
    (void)state;
    heft_model             *model;
    const heft_export_info *e;
    rows                   *r = malloc(sizeof *r);
    fill(r, N_TRAIN, 2, 5, false);
    heft_table *t = rows_table(r, 2, false, true);
    OK(heft_fit(t, &(heft_config){.method = "nb"}, &model, &err));
    for (size_t k = 0; (e = heft_export_at(k)); k++) {
        char *text = NULL;
        assert_true(*e->about && e->ending[0] == '.');
        for (size_t before = 0; before < k; before++)
            assert_string_not_equal(heft_export_at(before)->name, e->name);
        OK(heft_export_text(model, &(heft_export_options){.format = e->name}, &text, NULL, &err));
        assert_true(*text);
        heft_text_free(text);
        assert_int_equal(
            heft_export_text(model, &(heft_export_options){.format = "f77"}, &text, NULL, &err),
            HEFT_EINVAL);
        assert_non_null(strstr(err.text, e->name));
    }
    assert_non_null(heft_export_at(0));
    heft_model_free(model);
    heft_table_free(t);
    free(r);
}

/* An allocation that fails gives ENOMEM and no text, in every format. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "flexnb", "lnb", "rnb", "tan", "aode", "hnb"};
    enum { N_METHODS = sizeof methods / sizeof *methods };
    const heft_export_info *e;
    rows                   *r = malloc(sizeof *r);
    fill(r, N_TRAIN, 3, 5, false);
    heft_table *t = rows_table(r, 3, false, true);
    for (size_t m = 0; m < N_METHODS; m++) {
        heft_model *model = fit(t, methods[m], NULL);
        for (size_t k = 0; (e = heft_export_at(k)); k++) {
            heft_status st = HEFT_ENOMEM;
            for (size_t n = 1; st == HEFT_ENOMEM; n += 1 + n / 6) {
                char *text = NULL;
                heft_fail_alloc_at(n, n % 2 == 0);
                st = heft_export_text(model, &(heft_export_options){.format = e->name}, &text, NULL,
                                      &err);
                heft_fail_alloc_at(0, false);
                assert_true(st == HEFT_OK || !text);
                assert_true(st == HEFT_OK || st == HEFT_ENOMEM || st == HEFT_EUNSUPPORTED);
                heft_text_free(text);
            }
        }
        heft_model_free(model);
    }
    heft_table_free(t);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_of_example_tables),   cmocka_unit_test(c_agrees_with_predict),
        cmocka_unit_test(c_has_trees_of_many_values), cmocka_unit_test(json_is_enough),
        cmocka_unit_test(refusals_say_why),           cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
