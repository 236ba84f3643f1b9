/* fingerprint.c - the training rows of a model as two numbers.
 *
 * The key of a row is a sum over its cells: of the mixed hash of the column's name with the number
 * or the hash of the text. Cells that are 0 or missing add nothing, so that sparse and dense rows
 * have equal keys. Of dense rows some columns are enough. The fingerprint is the number of rows and
 * the sum of 32 bits of their keys. */
#include "model/fingerprint.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "stats/keys.h"

enum { COLUMNS = 16 }; /* of a dense table: reading rows costs more than looking at so many */

static uint64_t text_key(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return heft_mix(h);
}

/* Keys of the values of a nominal column; NULL for numbers. */
static heft_status value_keys(heft_ctx *ctx, const heft_column *col, uint64_t **out)
{
    *out = NULL;
    if (col->kind != HEFT_NOMINAL) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, heft_dict_size(col->dict) + 2);
    for (uint32_t v = 0; v < heft_dict_size(col->dict); v++)
        (*out)[v] = text_key(heft_dict_text(col->dict, v));
    return HEFT_OK;
}

/* What a cell adds to the key of its row. The keys of columns have as many random bits as a number.
 */
static uint64_t cell_key(uint64_t column, const uint64_t *values, size_t n_values, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!values) return x == 0 || isnan(x) ? 0 : heft_mix(column ^ bits);
    return x >= 0 && x < (double)n_values ? heft_mix(column ^ values[(size_t)x]) : 0;
}

static heft_status add_dense(heft_ctx *ctx, const heft_table *t, size_t k, uint64_t *key)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_column *col = &t->cols[k];
    const uint64_t     name = text_key(col->name);
    const size_t       n = heft_dict_size(col->dict);
    uint64_t          *values;
    HEFT_CHECK(value_keys(ctx, col, &values));
    for (size_t v = 0; values && v < n; v++) values[v] = heft_mix(name ^ values[v]);
    HEFT_ROW_BLOCKS (lo, hi, t->n_rows) {
        for (size_t i = lo; values && i < hi; i++) {
            const uint32_t v = heft_code_at(col->cells, col->width, i);
            key[i] += v < n ? values[v] : 0;
        }
        for (size_t i = lo; !values && i < hi; i++)
            key[i] += cell_key(name, NULL, 0, ((const double *)col->cells)[i]);
    }
    return HEFT_OK;
}

/* used[n_cols]: the columns that count. */
static heft_status add_sparse(heft_ctx *ctx, const heft_table *t, const bool *used, uint64_t *key)
{
    uint64_t *name, **values;
    HEFT_ALLOCS(ctx, &ctx->scratch, t->n_cols, name, values);
    for (size_t k = 0; k < t->n_cols; k++) {
        name[k] = text_key(t->cols[k].name);
        HEFT_CHECK(value_keys(ctx, &t->cols[k], &values[k]));
    }
    HEFT_ROWS (i, t->n_rows)
        for (size_t e = t->sparse->start[i]; e < t->sparse->start[i + 1]; e++) {
            const size_t k = t->sparse->col[e];
            if (used[k])
                key[i] += cell_key(name[k], values[k], heft_dict_size(t->cols[k].dict),
                                   t->sparse->val[e]);
        }
    return HEFT_OK;
}

static heft_status add_cells(heft_ctx *ctx, const heft_prep *prep, const heft_table *t,
                             uint64_t *key)
{
    heft_status st = HEFT_OK;
    heft_dict  *names = NULL;
    uint32_t    code;
    bool       *used;
    HEFT_ARENA(ctx, &ctx->scratch, used, t->n_cols);
    HEFT_TRY(heft_dict_create(ctx, &names));
    const size_t step = t->sparse || prep->n_attr < COLUMNS ? 1 : prep->n_attr / COLUMNS;
    for (size_t j = 0; j < prep->n_attr; j += step)
        HEFT_TRY(heft_dict_add(ctx, names, prep->attr[j].name, strlen(prep->attr[j].name), &code));
    for (size_t k = 0; k < t->n_cols; k++) {
        const char *name = t->cols[k].name;
        used[k] = heft_dict_find(names, name, strlen(name)) != HEFT_DICT_NONE;
        if (used[k] && !t->sparse) HEFT_TRY(add_dense(ctx, t, k, key));
    }
    if (t->sparse) HEFT_TRY(add_sparse(ctx, t, used, key));
done:
    heft_dict_free(names);
    return st;
}

/* By the names that the model has for them. */
static heft_status class_keys(heft_ctx *ctx, const heft_prep *prep, const heft_dict *dict,
                              uint64_t **out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *out, heft_dict_size(dict));
    for (uint32_t v = 0; v < heft_dict_size(dict); v++) {
        const char    *text = heft_dict_text(dict, v);
        const uint32_t c = heft_prep_class(prep, text, heft_dict_length(dict, v));
        (*out)[v] = text_key(c == HEFT_DICT_NONE ? text : heft_dict_text(prep->classes, c));
    }
    return HEFT_OK;
}

heft_status heft_fingerprint_of(heft_ctx *ctx, const heft_prep *prep, const heft_table *t,
                                heft_fingerprint *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    int64_t   sum[2] = {0, 0};
    uint64_t *key, *classes = NULL;
    HEFT_ALLOC(ctx, &ctx->scratch, key, t->n_rows);
    HEFT_CHECK(add_cells(ctx, prep, t, key));
    if (t->target) HEFT_CHECK(class_keys(ctx, prep, t->target->dict, &classes));
    HEFT_ROWS (i, t->n_rows) {
        const uint32_t v = classes ? heft_code_at(t->target->cells, t->target->width, i) : 0;
        if (!classes || v >= heft_dict_size(t->target->dict)) continue;
        if (t->weight && !(t->weight[i] > 0)) continue;
        sum[0]++;
        sum[1] += (int64_t)(heft_mix(key[i] + classes[v]) & UINT32_MAX);
    }
    HEFT_CHECK(heft_all_add(ctx, sum, 2));
    *out = (heft_fingerprint){(uint64_t)sum[0], (uint64_t)sum[1]};
    return HEFT_OK;
}

heft_status heft_trained_on(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            bool *same)
{
    heft_fingerprint here;
    HEFT_CHECK(heft_fingerprint_of(ctx, &model->prep, table, &here));
    *same = here.n_rows && here.n_rows == model->fingerprint.n_rows &&
            here.sum == model->fingerprint.sum;
    return HEFT_OK;
}
