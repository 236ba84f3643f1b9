/* class_weight.c - the weights of classes: in words, and applied to the rows of a table. */
#include "decide/class_weight.h"

#include <string.h>

#include "base/all.h"
#include "base/marks.h"
#include "base/rows.h"
#include "base/setting_words.h"
#include "base/text.h"
#include "decide/decide.h"

heft_status heft_class_list_parse(heft_ctx *ctx, const heft_class_list *how, const char *text,
                                  const heft_dict *classes, double *number, double *sum)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = classes ? heft_dict_size(classes) : 0;
    char       **item;
    size_t       n;
    double       x;
    *sum = 0;
    for (size_t c = 0; c < K; c++) number[c] = -1;
    HEFT_CHECK(heft_split(ctx, &ctx->scratch, text, ',', &item, &n));
    for (size_t k = 0; k < n || k == 0; k++) {
        const char *one = n ? item[k] : text, *equals = strrchr(one, '=');
        if (!equals || heft_parse_double(equals + 1, one + strlen(one), &x) != HEFT_NUM_OK ||
            !(x >= 0 && x <= how->most))
            return heft_fail(ctx, HEFT_EINVAL, "%s: '%.80s' is not %s", HEFT_MARKED(how->mark), one,
                             how->form);
        if (!classes) continue;
        const size_t   length = (size_t)(equals - one);
        const uint32_t c = heft_dict_find(classes, one, length);
        if (c == HEFT_DICT_NONE)
            return heft_no_class(ctx, HEFT_MARKED(how->mark), classes, one, length);
        if (number[c] >= 0)
            return heft_fail(ctx, HEFT_EINVAL, "%s: class '%.80s' is given twice",
                             HEFT_MARKED(how->mark), heft_dict_text(classes, c));
        number[c] = x;
        *sum += x;
    }
    return HEFT_OK;
}

heft_status heft_class_weight_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                                    double *weight, bool *balanced)
{
    static const heft_class_list weights = {
        "{class-weight}", "balanced or CLASS=W with a weight W from 0 to 1e15", 1e15};
    const size_t K = classes ? heft_dict_size(classes) : 0;
    double       sum;
    *balanced = heft_setting_is("class-weight", 0, text);
    if (!*balanced) HEFT_CHECK(heft_class_list_parse(ctx, &weights, text, classes, weight, &sum));
    for (size_t c = 0; c < K; c++)
        if (*balanced || weight[c] < 0) weight[c] = 1;
    return HEFT_OK;
}

/* ---- weights of the rows of a table ---- */

heft_status heft_class_factors(heft_ctx *ctx, const heft_table *table, const char *word,
                               double **factor)
{
    const heft_column *target = table->target;
    const size_t       K = heft_dict_size(target->dict);
    bool               balanced;
    heft_dd           *sum, all = {0};
    size_t             n_there = 0;
    *factor = NULL;
    if (!word) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, *factor, sum);
    HEFT_CHECK(heft_class_weight_parse(ctx, word, target->dict, *factor, &balanced));
    if (!balanced) return HEFT_OK;
    HEFT_ROWS (i, table->n_rows) {
        const uint32_t c = heft_code_at(target->cells, target->width, i);
        const double   w = table->weight ? table->weight[i] : 1;
        if (c < K) sum[c] = heft_dd_add(sum[c], (heft_dd){w, 0});
    }
    HEFT_CHECK(heft_all_sum_exact(ctx, sum, K, NULL, 0));
    for (size_t c = 0; c < K; c++) {
        all = heft_dd_add(all, sum[c]);
        n_there += sum[c].high > 0;
    }
    for (size_t c = 0; c < K; c++)
        if (sum[c].high > 0) (*factor)[c] = all.high / (double)n_there / sum[c].high;
    return HEFT_OK;
}

heft_status heft_weigh_classes(heft_ctx *ctx, const heft_table *table, const double *factor,
                               bool shifts, double **weight)
{
    const heft_column *target = table->target;
    *weight = NULL;
    if (!factor) return HEFT_OK;
    const size_t K = heft_dict_size(target->dict);
    HEFT_NEW(ctx, *weight, table->n_rows);
    HEFT_ROWS (i, table->n_rows) {
        const uint32_t c = heft_code_at(target->cells, target->width, i);
        const double   f = c < K ? factor[c] : 1;
        (*weight)[i] = (table->weight ? table->weight[i] : 1) * (shifts && f > 0 ? 1 : f);
    }
    return HEFT_OK;
}

heft_status heft_place_factors(heft_ctx *ctx, const heft_table *table, const heft_prep *prep,
                               double **factor)
{
    const heft_dict *from = table->target->dict;
    const size_t     K = heft_dict_size(prep->classes);
    double          *placed;
    HEFT_ALLOC(ctx, &ctx->scratch, placed, K);
    for (size_t c = 0; c < K; c++) placed[c] = 1;
    for (uint32_t c = 0; c < heft_dict_size(from); c++) {
        const uint32_t to =
            heft_prep_class(prep, heft_dict_text(from, c), heft_dict_length(from, c));
        if (to != HEFT_DICT_NONE) placed[to] = (*factor)[c];
    }
    *factor = placed;
    return HEFT_OK;
}
