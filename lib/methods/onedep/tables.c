/* tables.c - scores of one-dependence methods as tables, for exports.
 *
 * Pairs have cells for what can occur: missing cells are filled in unless a column has none but
 * missing ones, and values never seen are a case of their own with --unseen zero only. */
#include "methods/onedep/tables.h"

#include <string.h>

#include "model/model.h"
#include "prep/numbers.h"

/* ---- views ---- */

/* A missing cell has a code of its own in the view. */
static bool sees_missing(const heft_terms *t, size_t j)
{
    return !t->model->prep.attr[j].has_fill || t->attr[j].n_codes == 0;
}

static bool sees_unseen(const heft_terms *t, size_t j)
{
    return t->model->prep.spec.unseen_zero && t->model->prep.attr[j].kind == HEFT_NOMINAL;
}

/* The spot that a code of the view stands for. */
static size_t spot_of(const heft_terms *t, size_t j, size_t code)
{
    return code == t->attr[j].n_codes && !sees_missing(t, j) ? code + 1 : code;
}

static heft_status add_view(heft_ctx *ctx, heft_terms *t, size_t j)
{
    heft_term   *term = &t->attr[j];
    const size_t n = term->n_codes, missing = sees_missing(t, j), unseen = sees_unseen(t, j);
    uint32_t   **view, *code, *size;
    HEFT_ALLOCS(ctx, &ctx->scratch, 1, view, size);
    HEFT_ALLOC(ctx, &ctx->scratch, code, n + 2);
    for (size_t v = 0; v < n; v++) code[v] = (uint32_t)v;
    code[n] = (uint32_t)(missing ? n : 0);
    code[n + 1] = unseen ? (uint32_t)(n + missing) : code[n];
    *size = (uint32_t)(n + missing + unseen);
    *view = code;
    term->n_views = 1;
    term->view = view;
    term->view_size = size;
    return HEFT_OK;
}

/* ---- sums ---- */

heft_status heft_tables_open(heft_ctx *ctx, heft_terms *t, size_t most)
{
    const size_t m = t->n_attr;
    t->shared = false;
    t->n_columns = t->n_class;
    t->joint.n_grids = m * m;
    HEFT_ALLOC(ctx, &ctx->scratch, t->start, t->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, t->joint.list, most);
    for (size_t j = 0; j < m; j++) {
        const uint32_t n = heft_attr_codes(&t->model->prep.attr[j]);
        t->attr[j] =
            (heft_term){.kind = HEFT_TERM_NONE, .n_codes = n, .missing = n, .unseen = n + 1};
        HEFT_CHECK(add_view(ctx, t, j));
    }
    return HEFT_OK;
}

heft_status heft_tables_sum(heft_ctx *ctx, const heft_terms *t, size_t most, heft_terms *out)
{
    *out = *t;
    out->joint.n = out->further.n = 0;
    out->further.combining = HEFT_ALONE;
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, t->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, out->attr, t->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, out->joint.list, most);
    memcpy(out->attr, t->attr, t->n_attr * sizeof *t->attr);
    for (size_t j = 0; j < t->n_attr; j++) {
        out->attr[j].kind = HEFT_TERM_NONE;
        out->attr[j].table = NULL;
    }
    return HEFT_OK;
}

heft_status heft_tables_attr(heft_ctx *ctx, heft_terms *sum, size_t i, heft_spot_value *value,
                             const void *own)
{
    const size_t n = sum->attr[i].n_codes + 2;
    double      *table;
    HEFT_ALLOC(ctx, &ctx->scratch, table, n * sum->n_class);
    for (size_t v = 0; v < n; v++) value(own, i, v, table + v * sum->n_class);
    sum->attr[i].kind = HEFT_TERM_TABLE;
    sum->attr[i].table = table;
    return HEFT_OK;
}

heft_status heft_tables_pair(heft_ctx *ctx, heft_terms *sum, size_t i, size_t j,
                             heft_cell_value *value, const void *own)
{
    const size_t K = sum->n_class, lo = i < j ? i : j, hi = i < j ? j : i;
    const size_t n_lo = sum->attr[lo].view_size[0], n_hi = sum->attr[hi].view_size[0];
    double      *table;
    HEFT_TABLE(ctx, &ctx->scratch, table, n_lo * n_hi, K);
    for (size_t a = 0; a < n_lo; a++)
        for (size_t b = 0; b < n_hi; b++) {
            const size_t v = spot_of(sum, lo, a), w = spot_of(sum, hi, b);
            value(own, i, i < j ? v : w, j, i < j ? w : v, table + (a * n_hi + b) * K);
        }
    sum->joint.list[sum->joint.n++] = (heft_joint_term){.n = 2,
                                                        .attr = {(uint32_t)lo, (uint32_t)hi},
                                                        .n_cells = n_lo * n_hi,
                                                        .table = table,
                                                        .grid = lo * sum->n_attr + hi};
    return HEFT_OK;
}
