/* used.c - the attributes a model uses, and a table reduced to them. */
#include "explain/used.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "explain/terms.h"

/* The least weight that counts; 0: any other than 0. */
static double bar_of(const heft_model *model)
{
    double bar = 0;
    for (size_t k = 0; k < model->n_params; k++) {
        const char *text = model->param_values[k];
        if (strcmp(model->param_names[k], "threshold") == 0 &&
            heft_parse_double(text, text + strlen(text), &bar) != HEFT_NUM_OK)
            bar = 0;
    }
    return bar;
}

/* Some class, value or class pair gives attribute j a weight of at least `bar`. */
static bool is_used(const heft_terms *t, size_t j, double bar)
{
    const heft_fitted *f = &t->model->fitted;
    if (t->per == HEFT_PER_ATTR && f->weights.shape == HEFT_W_ONE) return true;
    if (t->per == HEFT_PER_VALUE && t->attr[j].n_codes == 0) return false;
    for (size_t k = 0; k < heft_term_weights(t, j); k++) {
        const double w = heft_term_weight(t, j, k);
        const bool   left_out = t->per == HEFT_PER_CLASS && isinf(f->log_prior[k]);
        if (!left_out && (bar > 0 ? w >= bar : w != 0)) return true;
    }
    return false;
}

heft_status heft_used_table(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            heft_table **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status  st = HEFT_OK;
    const double bar = bar_of(model);
    const char  *where = table->name ? table->name : "the table";
    heft_terms   t;
    heft_dict   *names = NULL; /* of the attributes that the model uses */
    size_t      *cols, n = 0, wanted = 0;

    *out = NULL;
    HEFT_TRY(heft_dict_create(ctx, &names));
    HEFT_TRY(heft_terms_open(ctx, model, &t));
    HEFT_ARENA(ctx, &ctx->scratch, cols, table->n_cols);
    for (size_t j = 0; j < t.n_attr; j++) {
        const char *name = heft_attr_name(&t, j);
        uint32_t    code;
        if (!is_used(&t, j, bar)) continue;
        HEFT_TRY(heft_dict_add(ctx, names, name, strlen(name), &code));
        wanted++;
    }
    for (size_t k = 0; k < table->n_cols; k++) {
        const char *name = table->cols[k].name;
        if (heft_dict_find(names, name, strlen(name)) != HEFT_DICT_NONE) cols[n++] = k;
    }
    if (n < wanted)
        heft_say(ctx, HEFT_WARNING, "%zu of the %zu attributes the model uses are not in %s",
                 wanted - n, wanted, where);
    if (n == 0)
        HEFT_TRY(
            heft_fail(ctx, HEFT_EINVAL,
                      "the model uses none of the columns of %s: no weight reaches its threshold "
                      "(train with a lower -p threshold=)",
                      where));
    HEFT_TRY(heft_table_keep(ctx, table, cols, n, out));
done:
    heft_dict_free(names);
    return st;
}
