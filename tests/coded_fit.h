/* coded_fit.h - a method fitted on rows made by hand. */
#ifndef HEFT_TESTS_CODED_FIT_H
#define HEFT_TESTS_CODED_FIT_H

#include "coded_rows.h"
#include "methods/registry.h"

#include "model/method.h"

typedef struct fitted { /* a fit on hand-made rows */
    heft_ctx           ctx;
    heft_error         err;
    heft_arena         arena;
    const heft_method *method;
    heft_fitted        f;
} fitted;

static inline heft_status try_fit(fitted *t, const char *method, const char *param, const coded *s)
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

static inline void fitted_free(fitted *t)
{
    heft_arena_clear(&t->arena);
    heft_ctx_clear(&t->ctx);
}

#endif
