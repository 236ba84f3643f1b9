/* fuzz_costs.c - the file of costs that tcsfsnb takes. Held to be true: a model whose probabilities
 * are distributions, or a sentence; twice the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { ROWS = 16, CLASSES = 2 };

static heft_table *sample(void)
{
    static const char *const values[] = {"p", "q"}, *const classes[] = {"no", "yes"};
    static const char *const names[] = {"a", "b c", "d,e", "\"f\""};
    heft_table              *t = NULL;
    heft_error               err;
    int32_t                  y[ROWS], v[ROWS];
    for (int i = 0; i < ROWS; i++) y[i] = i % 2;
    fuzz_need(heft_table_create(ROWS, &t, &err) == HEFT_OK, "no table: %s", err.text);
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < ROWS; i++) v[i] = (i % (j + 2) + (i % 3 ? y[i] : 0)) % 2;
        fuzz_need(heft_table_add_codes(t, names[j], v, 1, values, 2, &err) == HEFT_OK, "column: %s",
                  err.text);
    }
    fuzz_need(heft_table_set_target(t, "class", y, classes, CLASSES, &err) == HEFT_OK, "class: %s",
              err.text);
    return t;
}

static heft_status fit(const heft_table *t, const char *const *params, double *p, heft_error *err)
{
    heft_model       *model = NULL;
    const heft_config config = {
        .method = "tcsfsnb", .params = params, .run = &(heft_runtime){.threads = 1}};
    const heft_status st = heft_fit(t, &config, &model, err);
    fuzz_error(st, err);
    if (st == HEFT_OK) {
        heft_error other;
        fuzz_need(heft_predict_proba(model, t, p, &other) == HEFT_OK, "predict: %s", other.text);
        fuzz_distributions(p, ROWS, CLASSES);
    }
    heft_model_free(model);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        costs[128];
    const char *params[] = {costs, "tradeoff=0.5", NULL};
    double      p[ROWS * CLASSES] = {0}, q[ROWS * CLASSES] = {0};
    heft_error  one, two;
    heft_table *t = sample();
    snprintf(costs, sizeof costs, "costs=%s", fuzz_file(0, data, size));
    const heft_status st = fit(t, params, p, &one);
    fuzz_need(fit(t, params, q, &two) == st && strcmp(one.text, two.text) == 0, "'%s' and '%s'",
              one.text, two.text);
    fuzz_need(memcmp(p, q, sizeof p) == 0, "twice not the same");
    heft_table_free(t);
    return 0;
}
