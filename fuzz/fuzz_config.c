/* fuzz_config.c - methods, their parameters and the words of the preparation.
 *
 * A line each: m=METHOD p=PARAMETER d=DISCRETIZE i=IMPUTE s=SCALE o=SMOOTHING r=PRIOR e=SELECT
 * u=UNSEEN b=CALIBRATE t=SECONDS v=METHOD:PARAMETER. Held to be true: what heft_config_check
 * refuses, heft_fit refuses with the same status; a fit gives distributions or a sentence; so does
 * an evaluation. Work that lasts is cancelled. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LINES = 24, LENGTH = 160, ROWS = 24, CLASSES = 3 };

static bool enough(void *user)
{
    int *left = user;
    return __atomic_sub_fetch(left, 1, __ATOMIC_RELAXED) < 0; /* asked by any thread */
}

static heft_table *sample(void)
{
    static const char *const values[] = {"red", "green", "a=b"}, *const classes[] = {"no", "yes",
                                                                                     "x"};
    double      a[ROWS], b[ROWS];
    int32_t     v[ROWS], y[ROWS];
    heft_table *t = NULL;
    heft_error  err;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % CLASSES;
        a[i] = i * 0.37 + y[i];
        b[i] = (i * 7) % 5;
        v[i] = (i / 2 + y[i]) % 3;
    }
    fuzz_need(heft_table_create(ROWS, &t, &err) == HEFT_OK &&
                  heft_table_add_numbers(t, "a", a, 1, &err) == HEFT_OK &&
                  heft_table_add_numbers(t, "b", b, 1, &err) == HEFT_OK &&
                  heft_table_add_codes(t, "v", v, 1, values, 3, &err) == HEFT_OK &&
                  heft_table_set_target(t, "class", y, classes, CLASSES, &err) == HEFT_OK,
              "no table: %s", err.text);
    return t;
}

static void take_line(heft_config *config, const char **params, size_t *n_params,
                      const char **methods, size_t *n_methods, const char *line)
{
    const char *value = line + 2;
    if (!line[0] || line[1] != '=') return;
    switch (line[0]) {
    case 'm':
        config->method = value;
        break;
    case 'p':
        params[(*n_params)++] = value;
        break;
    case 'd':
        config->discretize = value;
        break;
    case 'i':
        config->impute = value;
        break;
    case 's':
        config->scale = value;
        break;
    case 'o':
        config->smoothing = value;
        break;
    case 'r':
        config->prior = value;
        break;
    case 'e':
        config->select = value;
        break;
    case 'u':
        config->unseen = value;
        break;
    case 'b':
        config->calibrate = value;
        break;
    case 't': /* any number, nan and inf included */
        config->time_limit = strtod(value, NULL);
        break;
    case 'v':
        methods[(*n_methods)++] = value;
        break;
    default:
        break;
    }
}

static void try_fit(const heft_table *t, const heft_config *config)
{
    heft_model       *model = NULL;
    heft_error        err, said;
    const heft_status checked = heft_config_check(config, &said);
    fuzz_error(checked, &said);
    const heft_status st = heft_fit(t, config, &model, &err);
    fuzz_error(st, &err);
    fuzz_need((st == HEFT_OK) == (model != NULL), "a model and a failure, or neither");
    if (checked != HEFT_OK)
        fuzz_need(st == checked, "check says '%s', fit says '%s'", said.text, err.text);
    if (model) {
        double p[ROWS * CLASSES];
        fuzz_need(heft_predict_proba(model, t, p, &err) == HEFT_OK, "predict: %s", err.text);
        fuzz_distributions(p, ROWS, CLASSES);
    }
    heft_model_free(model);
}

static void try_evaluate(const heft_table *t, const heft_config *config, const char *const *methods)
{
    heft_results        *results = NULL;
    heft_error           err;
    char                *text = NULL;
    const heft_table    *data[] = {t};
    const char          *names[] = {"a name, \"quoted\""};
    const heft_eval_plan plan = {.methods = methods, .config = config, .folds = 2};
    const heft_status    st = heft_evaluate(data, names, 1, &plan, &results, &err);
    fuzz_error(st, &err);
    if (st == HEFT_OK) {
        fuzz_need(heft_results_text(results, "json", &text, &err) == HEFT_OK, "%s", err.text);
        fuzz_json(text, "results");
        heft_text_free(text);
    }
    heft_results_free(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char        line[LINES][LENGTH];
    const char        *params[LINES + 1] = {0}, *methods[LINES + 1] = {0};
    size_t             n_params = 0, n_methods = 0;
    fuzz_text          text = {(const char *)data, (const char *)data + size};
    int                left = 400;
    const heft_host    host = {.cancelled = enough, .user = &left};
    const heft_runtime run = {.threads = 1, .host = &host};
    heft_config        config = {.run = &run};
    for (size_t k = 0; k < LINES && fuzz_line(&text, line[k], LENGTH); k++) {
        /* a file that is there, or waits, is not what is looked for here */
        if (strstr(line[k], "costs")) return 0;
        take_line(&config, params, &n_params, methods, &n_methods, line[k]);
    }
    heft_table *t = sample();
    config.params = params;
    try_fit(t, &config);
    left = 400;
    config.method = NULL;
    if (n_methods) try_evaluate(t, &config, methods);
    heft_table_free(t);
    return 0;
}
