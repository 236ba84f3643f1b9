/* used.c - the attributes a model uses, and a table reduced to them. */
#include "explain/used.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "methods/ovo.h"

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

static bool counts(double w, double bar)
{
    return bar > 0 ? w >= bar : w != 0;
}

static bool any_counts(const heft_fitted *f, size_t j, double bar)
{
    const heft_weights *w = &f->weights;
    bool                any = false;
    switch (w->shape) {
    case HEFT_W_ONE:
        return true;
    case HEFT_W_ATTR:
        return counts(w->w[j], bar);
    case HEFT_W_CLASS:
        for (size_t c = 0; c < f->n_class; c++)
            any = any || (!isinf(f->log_prior[c]) && counts(w->w[j * f->n_class + c], bar));
        return any;
    case HEFT_W_VALUE:
        for (size_t v = w->offset[j]; v < w->offset[j + 1]; v++) any = any || counts(w->w[v], bar);
        return any;
    }
    return true;
}

size_t heft_used_attributes(const heft_model *model, bool *selected)
{
    const heft_fitted *f = &model->fitted;
    const heft_ovo    *ovo = heft_ovo_of(model->method, f);
    const double       bar = bar_of(model);
    size_t             n = 0;
    for (size_t j = 0; j < f->n_attr; j++) {
        selected[j] = !ovo && any_counts(f, j, bar);
        for (size_t k = 0; ovo && k < ovo->n_pairs; k++)
            selected[j] = selected[j] || counts(ovo->pair[k].w[j], bar);
        n += selected[j];
    }
    return n;
}

heft_status heft_used_table(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            heft_table **out)
{
    heft_status      st = HEFT_OK;
    const heft_prep *prep = &model->prep;
    heft_dict       *names = NULL; /* of the model, by attribute */
    bool            *selected = NULL;
    size_t          *cols = NULL, n = 0;

    *out = NULL;
    HEFT_TRY(heft_dict_create(ctx, &names));
    HEFT_HEAP(ctx, selected, prep->n_attr);
    HEFT_HEAP(ctx, cols, table->n_cols);
    for (size_t j = 0; j < prep->n_attr; j++) {
        uint32_t code;
        HEFT_TRY(heft_dict_add(ctx, names, prep->attr[j].name, strlen(prep->attr[j].name), &code));
    }
    const size_t wanted = heft_used_attributes(model, selected);
    for (size_t j = 0; j < table->n_cols; j++) {
        const char    *name = table->cols[j].name;
        const uint32_t at = heft_dict_find(names, name, strlen(name));
        if (at != HEFT_DICT_NONE && selected[at]) cols[n++] = j;
    }
    if (n < wanted)
        heft_say(ctx, HEFT_WARNING, "%zu of the %zu attributes the model uses are not in %s",
                 wanted - n, wanted, table->name ? table->name : "the table");
    if (n == 0)
        HEFT_TRY(
            heft_fail(ctx, HEFT_EINVAL,
                      "the model uses none of the columns of %s: no weight reaches its threshold "
                      "(train with a lower -p threshold=)",
                      table->name ? table->name : "the table"));
    HEFT_TRY(heft_table_keep(ctx, table, cols, n, out));
done:
    heft_free(cols);
    heft_free(selected);
    heft_dict_free(names);
    return st;
}
