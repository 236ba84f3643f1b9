/* filters.c - coded views, blended weights and lists of names, for every filter and wrapper. */
#include "methods/filters.h"

#include <string.h>

enum { LONGEST_LIST = 400 }; /* bytes of a list of names, about */

heft_status heft_filter_rows(heft_ctx *ctx, const heft_task *task, heft_rows *coded)
{
    const heft_value *bins = heft_param(task, "bins");
    heft_binning      how = {.cutting = HEFT_CUT_MDL, .mdl_scale = 1};
    if (bins->word < 0) how = (heft_binning){.cutting = HEFT_CUT_WIDTH, .bins = (size_t)bins->num};
    return heft_coded_rows(ctx, task->rows, &how, &ctx->scratch, coded);
}

heft_status heft_filter_columns(heft_ctx *ctx, const heft_task *task, heft_columns **cols)
{
    heft_rows         coded;
    const heft_status st = heft_filter_rows(ctx, task, &coded);
    return st == HEFT_OK ? heft_columns_build(ctx, &coded, &ctx->scratch, cols) : st;
}

heft_status heft_filter_weights(heft_ctx *ctx, const heft_task *task, const double *w,
                                heft_fitted *out)
{
    heft_status  st = HEFT_OK;
    const double blend = heft_param_num(task, "blend");
    HEFT_ARENA(ctx, task->arena, out->weights.w, out->n_attr);
    out->weights.shape = HEFT_W_ATTR;
    for (size_t j = 0; j < out->n_attr; j++)
        out->weights.w[j] = blend == 1 ? w[j] : 1 + blend * (w[j] - 1);
done:
    return st;
}

heft_status heft_fact_buf(heft_ctx *ctx, const heft_task *task, heft_fitted *out, const char *name,
                          heft_buf *buf)
{
    heft_status st = HEFT_OK;
    char       *text = NULL, *kept;
    HEFT_TRY(heft_buf_take(ctx, buf, &text));
    kept = heft_arena_text(task->arena, text);
    if (!kept) HEFT_TRY(heft_no_memory(ctx, strlen(text) + 1, 1));
    heft_fact_text(out, name, kept);
done:
    heft_free(text);
    return st;
}

heft_status heft_fact_attributes(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                                 const char *name, const size_t *list, size_t n)
{
    heft_buf buf = {0};
    size_t   k = 0;
    for (; k < n && buf.length < LONGEST_LIST; k++) {
        heft_buf_text(&buf, k ? ", " : "");
        heft_buf_text(&buf, task->prep->attr[list[k]].name);
    }
    if (k < n) heft_buf_printf(&buf, " and %zu more", n - k);
    if (n == 0) heft_buf_text(&buf, "none");
    return heft_fact_buf(ctx, task, out, name, &buf);
}
