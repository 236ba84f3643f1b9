/* class_weight.c - the weights of classes in words. */
#include <string.h>

#include "model/decide.h"

static const double MOST_WEIGHT = 1e15;

static heft_status not_a_weight(heft_ctx *ctx, const char *text)
{
    return heft_fail(ctx, HEFT_EINVAL,
                     "--class-weight: '%.80s' is not balanced or CLASS=W with a weight W from 0 to "
                     "1e15",
                     text);
}

heft_status heft_class_weight_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                                    double *weight, bool *balanced)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = classes ? heft_dict_size(classes) : 0;
    char       **item;
    size_t       n;
    bool        *given;
    HEFT_ALLOC(ctx, &ctx->scratch, given, K);
    for (size_t c = 0; c < K; c++) weight[c] = 1;
    *balanced = strcmp(text, "balanced") == 0;
    if (*balanced) return HEFT_OK;
    HEFT_CHECK(heft_split(ctx, &ctx->scratch, text, ',', &item, &n));
    if (n == 0) return not_a_weight(ctx, text);
    for (size_t k = 0; k < n; k++) {
        const char *equals = strrchr(item[k], '=');
        double      w;
        if (!equals ||
            heft_parse_double(equals + 1, item[k] + strlen(item[k]), &w) != HEFT_NUM_OK ||
            !(w >= 0 && w <= MOST_WEIGHT))
            return not_a_weight(ctx, item[k]);
        if (!classes) continue;
        const size_t   length = (size_t)(equals - item[k]);
        const uint32_t c = heft_dict_find(classes, item[k], length);
        if (c == HEFT_DICT_NONE)
            return heft_no_class(ctx, "--class-weight", classes, item[k], length);
        if (given[c])
            return heft_fail(ctx, HEFT_EINVAL, "--class-weight: class '%.80s' is given twice",
                             heft_dict_text(classes, c));
        given[c] = true;
        weight[c] = w;
    }
    return HEFT_OK;
}
