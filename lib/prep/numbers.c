/* numbers.c - columns of sparse tables, lengths of rows, scaling. */
#include "prep/numbers.h"

#include <float.h>
#include <math.h>

#include "base/rows.h"

enum { BLOCK = 4096 };

/* ---- lengths of rows ---- */

typedef struct lengths { /* lengths of rows over columns, or over the entries of a sparse table */
    const heft_numbers   *sources;
    size_t                n_sources;
    const heft_sparse    *sparse;
    const heft_attr_prep *attr;
    heft_unit            *out;
} lengths;

/* Returns the number of a cell that counts for the length of its row; 0 if the cell is missing and
 * there is nothing to impute. */
static inline double counted(bool has_fill, double fill, double x)
{
    return !isnan(x) ? x : has_fill ? fill : 0;
}

double heft_unit_scale(double top)
{
    if (top == 0 || (top > 0x1p-500 && top < 0x1p500)) return 1;
    int e;
    (void)frexp(top, &e);
    return ldexp(1, e < -1022 ? 1022 : -e);
}

/* Compute the lengths of rows lo..hi-1 in two passes: first the largest number of each row, which
 * `length` holds in between, then the sum of squares. */
static heft_status length_rows(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const lengths *job = arg;
    double        *length = job->out->length, *scale = job->out->scale;
    (void)ctx;
    for (size_t j = 0; j < job->n_sources; j++) {
        const heft_numbers *s = &job->sources[j];
        if (s->cells)
            for (size_t i = lo; i < hi; i++)
                length[i] = fmax(length[i], fabs(counted(s->has_fill, s->fill, s->cells[i])));
        else
            for (size_t k = 0; k < s->n; k++)
                length[s->row[k]] =
                    fmax(length[s->row[k]], fabs(counted(s->has_fill, s->fill, s->val[k])));
    }
    for (size_t i = lo; i < hi; i++) {
        scale[i] = heft_unit_scale(length[i]);
        length[i] = 0;
    }
    for (size_t j = 0; j < job->n_sources; j++) {
        const heft_numbers *s = &job->sources[j];
        if (s->cells)
            for (size_t i = lo; i < hi; i++) {
                const double x = counted(s->has_fill, s->fill, s->cells[i]) * scale[i];
                length[i] += x * x;
            }
        else
            for (size_t k = 0; k < s->n; k++) {
                const double x = counted(s->has_fill, s->fill, s->val[k]) * scale[s->row[k]];
                length[s->row[k]] += x * x;
            }
    }
    for (size_t i = lo; i < hi; i++) length[i] = sqrt(length[i]);
    return HEFT_OK;
}

heft_status heft_unit_learn(heft_ctx *ctx, const heft_numbers *sources, size_t n_sources,
                            size_t n_rows, bool sparse, heft_unit *out)
{
    lengths job = {.sources = sources, .n_sources = n_sources, .out = out};
    HEFT_ALLOCS(ctx, &ctx->scratch, n_rows, out->scale, out->length);
    /* The entries of a sparse column cannot be found by row, so that all rows are one block. */
    return heft_run_blocks(ctx, n_rows, sparse ? SIZE_MAX : BLOCK, length_rows, &job);
}

static heft_status length_sparse(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const lengths     *job = arg;
    const heft_sparse *s = job->sparse;
    (void)ctx;
    for (size_t i = lo; i < hi; i++) {
        double top = 0, sum = 0;
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            const heft_attr_prep *a = &job->attr[s->col[k]];
            if (a->kind == HEFT_NUMERIC)
                top = fmax(top, fabs(counted(a->has_fill, a->fill, s->val[k])));
        }
        const double scale = heft_unit_scale(top);
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            const heft_attr_prep *a = &job->attr[s->col[k]];
            const double          x = counted(a->has_fill, a->fill, s->val[k]) * scale;
            if (a->kind == HEFT_NUMERIC) sum += x * x;
        }
        job->out->scale[i] = scale;
        job->out->length[i] = sqrt(sum);
    }
    return HEFT_OK;
}

heft_status heft_unit_learn_sparse(heft_ctx *ctx, const heft_table *table,
                                   const heft_attr_prep *attr, heft_unit *out)
{
    lengths job = {.sparse = table->sparse, .attr = attr, .out = out};
    HEFT_ALLOCS(ctx, &ctx->scratch, table->n_rows, out->scale, out->length);
    return heft_run_blocks(ctx, table->n_rows, BLOCK, length_sparse, &job);
}

/* ---- one attribute ---- */

heft_numbers heft_numbers_of(const heft_attr_prep *a, const heft_table *table,
                             const heft_column *col, const heft_bycol *bycol)
{
    heft_numbers s = {.cells = col->cells, .has_fill = a->has_fill, .fill = a->fill};
    if (!bycol->start) return s;
    const size_t k = (size_t)(col - table->cols), lo = bycol->start[k];
    s.n = bycol->start[k + 1] - lo;
    s.row = bycol->row + lo;
    s.val = bycol->val + lo;
    return s;
}

double heft_scaled_far(const heft_attr_prep *a, double x)
{
    const double y = (x / 2 - a->shift / 2) * a->factor * 2;
    return y > DBL_MAX ? DBL_MAX : y < -DBL_MAX ? -DBL_MAX : y;
}

uint32_t heft_zero_interval(const heft_prep *prep, size_t j)
{
    const heft_attr_prep *a = &prep->attr[j];
    return prep->sparse && a->cut ? heft_cut_code(a->cuts, a->n_cuts, heft_scaled(a, 0)) : 0;
}

uint32_t heft_attr_codes(const heft_attr_prep *a)
{
    return a->kind == HEFT_NOMINAL ? (uint32_t)heft_dict_size(a->dict)
           : a->cut                ? (uint32_t)a->n_cuts + 1
                                   : 0;
}
