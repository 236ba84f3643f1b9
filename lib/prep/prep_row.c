/* prep_row.c - one row prepared without a table (heft_predict_row). */
#include <math.h>

#include "prep/numbers.h"
#include "prep/prep.h"

/* Compute the length of the row over its numeric attributes; see heft_unit. */
static void measure(heft_row *row)
{
    const heft_prep *prep = row->prep;
    double           top = 0, sum = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < prep->n_attr; j++) {
            const heft_attr_prep *a = &prep->attr[j];
            if (a->kind != HEFT_NUMERIC) continue;
            double x = row->raw[j];
            if (isnan(x)) x = a->has_fill ? a->fill : 0;
            if (pass == 0) top = fmax(top, fabs(x));
            else sum += (x * row->scale) * (x * row->scale);
        }
        if (pass == 0) row->scale = heft_unit_scale(top);
    }
    row->length = sqrt(sum);
}

heft_status heft_row_open(heft_ctx *ctx, const heft_prep *prep, const double *raw, heft_row *out)
{
    *out = (heft_row){.prep = prep, .raw = raw, .scale = 1};
    for (size_t j = 0; j < prep->n_attr; j++)
        if (isinf(raw[j]))
            return heft_fail(ctx, HEFT_EINVAL, "attribute '%.100s': not a finite number",
                             prep->attr[j].name);
    if (prep->spec.scaling == HEFT_SCALE_UNIT) measure(out);
    return HEFT_OK;
}

static double nominal_cell(const heft_prep *prep, const heft_attr_prep *a, double raw)
{
    const uint32_t n = heft_attr_codes(a);
    const double   missing = a->has_fill ? a->fill : (double)n;
    if (isnan(raw)) return missing;
    if (raw >= 0 && raw < n && raw == floor(raw)) return raw;
    return prep->spec.unseen_zero ? (double)n + 1 : missing;
}

double heft_prep_cell(const heft_prep *prep, size_t j, double x, double scale, double length)
{
    const heft_attr_prep *a = &prep->attr[j];
    if (a->kind == HEFT_NOMINAL) return nominal_cell(prep, a, x);
    if (isnan(x) && a->has_fill) x = a->fill;
    if (isnan(x)) return a->cut ? (double)heft_attr_codes(a) : x;
    const double y = heft_scaled(a, heft_unit_apply(x, scale, length));
    if (!a->cut) return y;
    const uint32_t code = heft_cut_code(a->cuts, a->n_cuts, y);
    return prep->sparse ? heft_swap_zero(code, heft_zero_interval(prep, j)) : code;
}

static heft_status fill_sparse(heft_ctx *ctx, const heft_row *row, const heft_sparse **out)
{
    heft_sparse *s;
    const size_t n_attr = row->prep->n_attr;
    HEFT_ALLOC(ctx, &ctx->scratch, s, 1);
    HEFT_ALLOC(ctx, &ctx->scratch, s->start, 2);
    HEFT_ALLOCS(ctx, &ctx->scratch, n_attr, s->col, s->val);
    for (size_t j = 0; j < n_attr; j++) {
        const double x = heft_row_cell(row, j);
        if (x == 0) continue;
        s->col[s->start[1]] = (uint32_t)j;
        s->val[s->start[1]++] = x;
    }
    *out = s;
    return HEFT_OK;
}

heft_status heft_row_prepare(heft_ctx *ctx, const heft_row *row, heft_rows *out)
{
    const heft_prep *prep = row->prep;
    heft_attr       *attr;
    double          *cell; /* cells of 8 bytes; a code is stored in the first bytes */
    HEFT_ALLOC(ctx, &ctx->scratch, attr, prep->n_attr);
    *out = (heft_rows){.n_rows = 1,
                       .n_attr = prep->n_attr,
                       .n_class = heft_dict_size(prep->classes),
                       .attr = attr};
    for (size_t j = 0; j < prep->n_attr; j++) attr[j] = heft_attr_of(&prep->attr[j]);
    if (prep->sparse) return fill_sparse(ctx, row, &out->sparse);
    HEFT_ALLOC(ctx, &ctx->scratch, cell, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) {
        const double x = heft_row_cell(row, j);
        if (attr[j].coded) {
            heft_code_put(&cell[j], attr[j].width, 0, (uint32_t)x);
            attr[j].codes = &cell[j];
        } else {
            cell[j] = x;
            attr[j].numbers = &cell[j];
        }
    }
    return HEFT_OK;
}
