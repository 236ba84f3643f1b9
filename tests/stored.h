/* stored.h - models to save, for store_test.c and store_damage_test.c. */
#ifndef STORED_H
#define STORED_H

#include "fixture.h"

#include <math.h>

#include "base/rng.h"
#include "model/model.h"
#include "model/state.h"
#include "model/store.h"
#include "train/fit.h"

static char path[300];

enum { N_ROWS = 60, N_VALUES = 3, N_CLASS = 4 };

static const char *const values[] = {"plain", "Latin-1 \xe9", "with, 'quotes' \"and\ttab"};
static const char *const classes[] = {"no", "caf\xe9", "may be", "never seen"};

/* Two informative numbers (one with gaps), a constant, two nominal attributes; Latin-1 names. */
static inline heft_table *mixed_table(void)
{
    heft_rng rng;
    double   x[N_ROWS], gaps[N_ROWS], same[N_ROWS];
    int32_t  a[N_ROWS], b[N_ROWS], y[N_ROWS];
    heft_rng_init(&rng, 7, 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        y[i] = (int32_t)heft_rng_below(&rng, 3);
        x[i] = floor(10 * (heft_rng_real(&rng) + 0.5 * y[i])) / 10;
        gaps[i] = heft_rng_below(&rng, 5) ? 100 * heft_rng_real(&rng) - 70 * y[i] : NAN;
        same[i] = 3;
        a[i] = heft_rng_below(&rng, 3) ? y[i] : (int32_t)heft_rng_below(&rng, 3);
        b[i] = heft_rng_below(&rng, 6) ? (int32_t)heft_rng_below(&rng, 3) : -1;
    }
    return table_of(
        &(frame){.n_rows = N_ROWS,
                 .n_cols = 5,
                 .cols = {{"x", .numbers = x},
                          {"a \xe9", .codes = a, .values = values, .n_values = N_VALUES},
                          {"gaps", .numbers = gaps},
                          {"same", .numbers = same},
                          {"b", .codes = b, .values = values, .n_values = N_VALUES}},
                 .target = "the \xff class",
                 .y = y,
                 .classes = classes,
                 .n_class = N_CLASS});
}

static inline blob saved(const heft_model *model)
{
    OK(heft_model_save(model, path, &err));
    return read_bytes(path);
}

static inline heft_status load(const void *data, size_t n, heft_model **out)
{
    heft_ctx ctx;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    const heft_status st = heft_store_load_bytes(&ctx, "m.heft", data, n, heft_methods_find, out);
    assert_true((st == HEFT_OK) == (*out != NULL));
    heft_ctx_clear(&ctx);
    return st;
}

/* nb with weights of a shape, a bias, a record of iterations and facts, as other methods make. */
static inline heft_model *weighted_model(const heft_table *t, heft_shape shape)
{
    heft_ctx     ctx;
    heft_status  st = HEFT_OK;
    heft_model  *model = fit(t, "nb", &(heft_config){.impute = "mean", .discretize = "width:3"});
    heft_fitted *f = &model->fitted;
    const size_t room = f->n_attr * 8;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    f->weights.shape = shape;
    f->weights.w0 = 0.5;
    HEFT_ARENA(&ctx, f->arena, f->weights.w, room);
    HEFT_ARENA(&ctx, f->arena, f->bias, f->n_class);
    HEFT_ARENA(&ctx, f->arena, f->weights.offset, f->n_attr + 1);
    for (size_t k = 0; k < room; k++) f->weights.w[k] = 1 / (1.0 + (double)k) - 0.1;
    for (size_t j = 0; j < f->n_attr; j++)
        f->weights.offset[j + 1] = f->weights.offset[j] + f->lik[j].n_codes;
    f->bias[0] = -0.25;
    f->training.iterative = f->training.converged = true;
    f->training.iterations = 31;
    f->training.evaluations = 40;
    f->training.objective_initial = 0.75;
    f->training.objective_final = 0.5;
    f->training.stopped_by = "the gradient is small";
    heft_fact_number(f, "alpha", 0.1);
    heft_fact_text(f, "note", "caf\xe9");
    HEFT_TRY(heft_fitted_seal(&ctx, f, false));
done:
    assert_int_equal(st, HEFT_OK);
    heft_ctx_clear(&ctx);
    return model;
}

static inline int set_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path(".heft"));
    return 0;
}

static inline int drop_path(void **state)
{
    (void)state;
    return unlink(path);
}

#endif
