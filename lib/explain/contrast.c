/* contrast.c - rows as explanations see them: their cells, and what speaks for the predicted class.
 */
#include <math.h>
#include <string.h>

#include "base/dict.h"
#include "base/num.h"
#include "explain/explain.h"

/* ---- cells as they were read ---- */

HEFT_LOWER_BOUND(lower_bound_u32, uint32_t)

heft_status heft_row_cells_open(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                heft_row_cells *out)
{
    HEFT_OWN(heft_dict) *names = NULL;
    uint32_t             code;
    *out = (heft_row_cells){.table = table};
    HEFT_CHECK(heft_dict_create(ctx, &names));
    for (size_t k = 0; k < table->n_cols; k++)
        HEFT_CHECK(
            heft_dict_add(ctx, names, table->cols[k].name, strlen(table->cols[k].name), &code));
    HEFT_ALLOC(ctx, &ctx->scratch, out->column, model->prep.n_attr);
    for (size_t j = 0; j < model->prep.n_attr; j++) {
        const char *name = model->prep.attr[j].name;
        out->column[j] = heft_dict_find(names, name, strlen(name));
    }
    return HEFT_OK;
}

double heft_cell_at(const heft_row_cells *cells, size_t j, size_t i, const char **text)
{
    const heft_table  *table = cells->table;
    const heft_sparse *s = table->sparse;
    const uint32_t     k = cells->column[j];
    double             number;
    *text = NULL;
    if (k == HEFT_DICT_NONE) return 0;
    const heft_column *col = &table->cols[k];
    if (s) {
        const size_t from = s->start[i], to = s->start[i + 1];
        const size_t at = from + lower_bound_u32(s->col + from, to - from, k);
        number = at < to && s->col[at] == k ? s->val[at] : 0;
    } else {
        number = col->kind == HEFT_NUMERIC ? ((const double *)col->cells)[i]
                                           : heft_code_at(col->cells, col->width, i);
    }
    if (col->kind != HEFT_NOMINAL) return number;
    if (!(number >= 0 && number < (double)heft_dict_size(col->dict))) return NAN;
    *text = heft_dict_text(col->dict, (uint32_t)number);
    return number;
}

void heft_cell_put(heft_buf *out, const heft_row_cells *cells, size_t j, size_t i,
                   const char *missing)
{
    const char  *text;
    const double number = heft_cell_at(cells, j, i, &text);
    if (text) heft_buf_text(out, text);
    else if (isfinite(number)) heft_buf_double(out, number);
    else heft_buf_text(out, isnan(number) ? missing : number > 0 ? "inf" : "-inf");
}

/* ---- the predicted class and the next ---- */

heft_status heft_contrast_of(heft_ctx *ctx, const heft_terms *t, const heft_rows *rows, size_t i,
                             size_t best, heft_contrast *out)
{
    const size_t K = t->n_class;
    *out = (heft_contrast){.n_class = K, .best = best, .second = K};
    HEFT_CHECK(heft_terms_row(ctx, t, rows, i, &out->e));
    HEFT_ALLOC(ctx, &ctx->scratch, out->score, K);
    for (size_t line = 0; line <= t->n_attr; line++)
        for (size_t c = 0; c < K; c++) out->score[c] += out->e.parts[line * K + c];
    for (size_t c = 0; c < K; c++)
        if (c != best && isfinite(out->score[c]) &&
            (out->second == K || out->score[c] > out->score[out->second]))
            out->second = c;
    return HEFT_OK;
}

double heft_contrast_odds(const heft_contrast *v, const double *parts, size_t k)
{
    const double *p = parts + k * v->n_class;
    return v->second == v->n_class      ? p[v->best]
           : p[v->best] == p[v->second] ? 0 /* also where both are log 0 */
                                        : p[v->best] - p[v->second];
}

size_t heft_contrast_top(const heft_contrast *v, size_t n_attr, size_t n, heft_attr_rank *top)
{
    size_t found = 0;
    if (n == 0) return 0;
    for (size_t j = 0; j < n_attr; j++) {
        const double size = fabs(heft_contrast_odds(v, v->e.parts, 1 + j));
        size_t       at = found < n ? found : n - 1;
        if (found == n && !(size > top[at].size)) continue;
        for (; at > 0 && size > top[at - 1].size; at--) top[at] = top[at - 1];
        top[at] = (heft_attr_rank){j, size, 0};
        found += found < n;
    }
    return found;
}
