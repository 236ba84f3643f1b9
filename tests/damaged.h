/* damaged.h - a small model whose kept state a test spoils, saves and loads again. */
#ifndef HEFT_TESTS_DAMAGED_H
#define HEFT_TESTS_DAMAGED_H

#include "check.h"

static inline heft_model *small_model(const char *method)
{
    static const char *const names[] = {"a", "b", "c"};
    static const int32_t     x[] = {0, 1, 2, 0, 1, 2}, y[] = {0, 0, 1, 1, 1, 0};
    heft_error               err;
    heft_table              *t;
    heft_model              *model;
    OK(heft_table_create(6, &t, &err));
    OK(heft_table_add_codes(t, "x", x, 1, names, 3, &err));
    OK(heft_table_add_codes(t, "z", y, 1, names, 2, &err));
    OK(heft_table_set_target(t, "class", y, names, 3, &err));
    OK(heft_fit(t, &(heft_config){.method = method}, &model, &err));
    heft_table_free(t);
    return model;
}

/* HEFT_OK, or that the model as it is now is refused: by saving, which makes the checks of loading,
 * or by loading, which finds counts that contradict one another. The refusal names the tensor. */
static inline heft_status reload(const heft_model *model)
{
    heft_error  err;
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

#endif
