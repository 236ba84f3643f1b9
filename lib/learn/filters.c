/* filters.c - coded views, blended weights and lists of names, for filter and wrapper methods. */
#include "learn/filters.h"

#include "prep/points.h"

enum { LONGEST_LIST = 400 }; /* a list of names ends soon after this many bytes */

static heft_binning binning_of(const heft_task *task)
{
    const heft_value *bins = heft_param(task, "bins");
    if (bins->word < 0) return (heft_binning){.cutting = HEFT_CUT_WIDTH, .bins = (size_t)bins->num};
    return (heft_binning){.cutting = HEFT_CUT_MDL, .mdl_scale = 1};
}

heft_status heft_filter_rows(heft_ctx *ctx, const heft_task *task, heft_rows *coded)
{
    const heft_binning how = binning_of(task);
    return heft_coded_rows(ctx, task->rows, &how, &ctx->scratch, coded);
}

/* Counts the intervals of one attribute by class from its distinct values. The cuts are those that
 * heft_coded_rows makes for rows with these values; for sparse rows, the two codes are zero and
 * non-zero. */
static heft_status count_values(heft_ctx *ctx, const heft_task *task, const heft_values *v,
                                double **cell, uint32_t *n_codes)
{
    const heft_binning how = binning_of(task);
    const size_t       K = task->rows->n_class, n = v->start[K];
    double            *cuts = NULL;
    size_t             n_cuts = 1;
    uint16_t          *y;
    HEFT_ALLOC(ctx, &ctx->scratch, y, n);
    for (size_t c = 0; c < K; c++)
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) y[k] = (uint16_t)c;
    if (!task->rows->sparse && how.cutting == HEFT_CUT_WIDTH)
        HEFT_CHECK(heft_cuts_width(ctx, &ctx->scratch, v->x, n, how.bins, &cuts, &n_cuts));
    else if (!task->rows->sparse)
        HEFT_CHECK(heft_cuts_mdl(ctx, &ctx->scratch, &(heft_points){n, v->x, y, v->w}, K,
                                 how.mdl_scale, &cuts, &n_cuts));
    *n_codes = (uint32_t)n_cuts + 1;
    HEFT_ALLOC(ctx, &ctx->scratch, *cell, (n_cuts + 3) * K);
    for (size_t k = 0; k < n; k++) {
        const uint32_t code =
            task->rows->sparse ? v->x[k] != 0 : heft_cut_code(cuts, n_cuts, v->x[k]);
        (*cell)[code * K + y[k]] += v->w[k];
    }
    return HEFT_OK;
}

heft_status heft_filter_counts(heft_ctx *ctx, const heft_task *task, heft_counts *counts,
                               uint32_t *n_codes)
{
    const heft_rows *rows = task->rows;
    heft_rows        coded;
    if (!task->known || !task->known->values) {
        HEFT_CHECK(heft_filter_rows(ctx, task, &coded));
        HEFT_CHECK(
            heft_known_counts(ctx, &coded, heft_known_coded(task->known), &ctx->scratch, counts));
        for (size_t j = 0; j < rows->n_attr; j++) n_codes[j] = coded.attr[j].n_codes;
        return HEFT_OK;
    }
    HEFT_CHECK(heft_known_counts(ctx, rows, task->known, &ctx->scratch, counts));
    for (size_t j = 0; j < rows->n_attr; j++) {
        n_codes[j] = rows->attr[j].n_codes;
        if (!rows->attr[j].coded)
            HEFT_CHECK(
                count_values(ctx, task, &task->known->values[j], &counts->cell[j], &n_codes[j]));
    }
    return HEFT_OK;
}

heft_status heft_filter_columns(heft_ctx *ctx, const heft_task *task, heft_columns **cols)
{
    heft_rows coded;
    HEFT_CHECK(heft_filter_rows(ctx, task, &coded));
    return heft_columns_build(ctx, &coded, heft_known_coded(task->known), &ctx->scratch, cols);
}

heft_status heft_filter_weights(heft_ctx *ctx, const heft_task *task, const double *w,
                                heft_fitted *out)
{
    const double blend = heft_param_num(task, "blend");
    HEFT_ALLOC(ctx, task->arena, out->weights.w, out->n_attr);
    out->weights.shape = HEFT_W_ATTR;
    for (size_t j = 0; j < out->n_attr; j++)
        out->weights.w[j] = blend == 1 ? w[j] : 1 + blend * (w[j] - 1);
    return HEFT_OK;
}

heft_status heft_fact_buf(heft_ctx *ctx, const heft_task *task, heft_fitted *out, const char *name,
                          heft_buf *buf)
{
    char            *kept;
    HEFT_FREED char *text = NULL;
    HEFT_CHECK(heft_buf_take(ctx, buf, &text));
    HEFT_CHECK(heft_arena_copy(ctx, task->arena, text, &kept));
    heft_fact_text(out, name, kept);
    return HEFT_OK;
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
