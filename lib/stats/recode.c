/* recode.c - numbers cut for a measure, and presence in sparse rows. */
#include "stats/recode.h"

#include <math.h>

#include "base/comm.h"
#include "base/rows.h"
#include "prep/distinct.h"

typedef struct cutting_job {
    const heft_rows    *rows;
    const heft_binning *how;
    const size_t       *numeric; /* the numeric attributes */
    heft_attr          *attr;    /* of the view */
    uint32_t           *codes;   /* n_rows a numeric attribute */
} cutting_job;

/* Cuts go to `arena`, which is not ctx->scratch. */
static heft_status find_cuts(heft_ctx *ctx, heft_arena *arena, const cutting_job *job,
                             const double *x, const uint16_t *y, const double *weight, size_t n,
                             double **cuts, size_t *n_cuts)
{
    const heft_binning *how = job->how;
    switch (how->cutting) {
    case HEFT_CUT_MDL:
        return heft_cuts_mdl(ctx, arena, x, y, weight, n, job->rows->n_class, how->mdl_scale, cuts,
                             n_cuts);
    case HEFT_CUT_FREQUENCY:
        return heft_cuts_frequency(ctx, arena, x, weight, n, how->bins, cuts, n_cuts);
    default:
        return heft_cuts_width(ctx, arena, x, n, how->bins, cuts, n_cuts);
    }
}

static heft_status cut_one(heft_ctx *ctx, void *arg, size_t k)
{
    heft_status        st = HEFT_OK;
    const cutting_job *job = arg;
    const heft_rows   *rows = job->rows;
    const size_t       n = rows->n_rows, j = job->numeric[k];
    const double      *cells = rows->attr[j].numbers;
    uint32_t          *code = job->codes + k * n;
    double            *x, *cuts = NULL, *weight = NULL;
    uint16_t          *y;
    size_t             seen = 0, n_cuts = 0;
    heft_arena         own = {0};
    heft_distinct      all = {0};

    HEFT_TRY(heft_check_cancel(ctx));
    HEFT_ARENA(ctx, &ctx->scratch, x, n);
    HEFT_ARENA(ctx, &ctx->scratch, y, n);
    if (rows->weight) HEFT_ARENA(ctx, &ctx->scratch, weight, n);
    for (size_t i = 0; i < n; i++) {
        if (isnan(cells[i])) continue;
        x[seen] = cells[i];
        y[seen] = rows->y[i];
        if (weight) weight[seen] = rows->weight[i];
        seen++;
    }
    if (heft_alone(ctx)) {
        HEFT_TRY(find_cuts(ctx, &own, job, x, y, weight, seen, &cuts, &n_cuts));
    } else {
        HEFT_TRY(heft_distinct_of(ctx, x, y, weight, seen, &all));
        HEFT_TRY(heft_distinct_merge(ctx, &all, 1, HEFT_DISTINCT_EXACT));
        HEFT_TRY(find_cuts(ctx, &own, job, all.x, all.y, all.weight, all.n, &cuts, &n_cuts));
    }
    for (size_t i = 0; i < n; i++)
        code[i] = isnan(cells[i]) ? (uint32_t)(n_cuts + 1) : heft_cut_code(cuts, n_cuts, cells[i]);
    job->attr[j] = (heft_attr){
        .coded = true, .n_codes = (uint32_t)(n_cuts + 1), .width = sizeof *code, .codes = code};
done:
    heft_distinct_clear(&all);
    heft_arena_clear(&own);
    return st;
}

static heft_status presence(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_attr *attr, const heft_sparse **out)
{
    const size_t n = rows->sparse->start[rows->n_rows];
    heft_sparse *s;

    HEFT_ALLOC(ctx, arena, s, 1);
    *s = *rows->sparse;
    HEFT_ALLOC(ctx, arena, s->val, n);
    for (size_t e = 0; e < n; e++) {
        const double x = rows->sparse->val[e];
        s->val[e] = rows->attr[s->col[e]].coded || isnan(x) ? x : (double)(x != 0);
    }
    for (size_t j = 0; j < rows->n_attr; j++)
        if (!attr[j].coded) attr[j] = (heft_attr){.coded = true, .n_codes = 2, .width = 1};
    *out = s;
    return HEFT_OK;
}

heft_status heft_coded_rows(heft_ctx *ctx, const heft_rows *rows, const heft_binning *how,
                            heft_arena *arena, heft_rows *out)
{
    heft_attr *attr;
    size_t    *numeric, n_numeric = 0, cells;

    *out = *rows;
    HEFT_ALLOC(ctx, arena, attr, rows->n_attr);
    HEFT_ALLOC(ctx, arena, numeric, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) {
        attr[j] = rows->attr[j];
        if (!attr[j].coded) numeric[n_numeric++] = j;
    }
    out->attr = attr;
    if (n_numeric == 0) return HEFT_OK;
    out->suffstats = NULL; /* is of the numbers */
    if (rows->sparse) {
        HEFT_CHECK(presence(ctx, rows, arena, attr, &out->sparse));
        return HEFT_OK;
    }
    if (!heft_product(n_numeric, rows->n_rows, &cells))
        HEFT_CHECK(heft_no_memory(ctx, n_numeric, rows->n_rows));
    cutting_job job = {.rows = rows, .how = how, .numeric = numeric, .attr = attr};
    HEFT_ALLOC(ctx, arena, job.codes, cells);
    return heft_run_ranks(ctx, n_numeric, cut_one, &job);
}
