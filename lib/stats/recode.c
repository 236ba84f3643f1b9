/* recode.c - codes for numeric attributes: intervals in dense rows, zero or not in sparse rows. */
#include "stats/recode.h"

#include <math.h>

#include "base/rows.h"
#include "prep/quantiles.h"

typedef struct cutting_job {
    const heft_rows    *rows;
    const heft_binning *how;
    const size_t       *numeric; /* indices of the numeric attributes */
    heft_attr          *attr;    /* attributes of the view that is made */
    uint32_t           *codes;   /* n_rows codes per numeric attribute */
} cutting_job;

static heft_status cut_one(heft_ctx *ctx, void *arg, size_t k)
{
    const cutting_job *job = arg;
    const heft_rows   *rows = job->rows;
    const size_t       n = rows->n_rows, j = job->numeric[k];
    const double      *cells = rows->attr[j].numbers;
    uint32_t          *code = job->codes + k * n;
    double            *cuts = NULL;
    size_t             n_cuts = 0;
    heft_points        points;
    HEFT_CHECK(heft_check_cancel(ctx));
    HEFT_CHECK(heft_points_new(ctx, n, rows->weight != NULL, &points));
    HEFT_ROWS (i, n) {
        if (!isnan(cells[i]))
            heft_points_add(&points, cells[i], rows->y[i], rows->weight ? rows->weight[i] : 1);
    }
    HEFT_CHECK(heft_points_merge(ctx, &points, HEFT_POINTS_EXACT));
    HEFT_CHECK(
        heft_points_cut(ctx, &points, job->how, rows->n_class, &ctx->scratch, &cuts, &n_cuts));
    HEFT_ROWS (i, n)
        code[i] = isnan(cells[i]) ? (uint32_t)(n_cuts + 1) : heft_cut_code(cuts, n_cuts, cells[i]);
    job->attr[j] = (heft_attr){
        .coded = true, .n_codes = (uint32_t)(n_cuts + 1), .width = sizeof *code, .codes = code};
    return HEFT_OK;
}

heft_status heft_coded_rows(heft_ctx *ctx, const heft_rows *rows, const heft_binning *how,
                            heft_arena *arena, heft_rows *out)
{
    heft_attr *attr;
    size_t    *numeric, n_numeric = 0;
    *out = *rows;
    HEFT_ALLOCS(ctx, arena, rows->n_attr, attr, numeric);
    for (size_t j = 0; j < rows->n_attr; j++) {
        attr[j] = rows->attr[j];
        if (!attr[j].coded) numeric[n_numeric++] = j;
    }
    out->attr = attr;
    if (n_numeric == 0) return HEFT_OK;
    if (rows->sparse) {
        const size_t n = rows->sparse->start[rows->n_rows];
        heft_sparse *s;
        HEFT_ALLOC(ctx, arena, s, 1);
        *s = *rows->sparse;
        HEFT_ALLOC(ctx, arena, s->val, n);
        for (size_t e = 0; e < n; e++) {
            const double x = rows->sparse->val[e];
            s->val[e] = rows->attr[s->col[e]].coded || isnan(x) ? x : (double)(x != 0);
        }
        for (size_t k = 0; k < n_numeric; k++)
            attr[numeric[k]] = (heft_attr){.coded = true, .n_codes = 2, .width = 1};
        out->sparse = s;
        return HEFT_OK;
    }
    cutting_job job = {.rows = rows, .how = how, .numeric = numeric, .attr = attr};
    HEFT_TABLE(ctx, arena, job.codes, n_numeric, rows->n_rows);
    return heft_all_run(ctx, n_numeric, cut_one, &job);
}
