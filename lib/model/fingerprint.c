/* fingerprint.c - the training rows of a model as two numbers.
 *
 * The key of a row is the sum of the keys of its cells and of its class. The key of a number is its
 * bits times the hash of the column's name; the key of a category is the mixed hash of the column's
 * name and the text. Numbers that are 0 and cells that are missing add nothing, so that a sparse
 * row has the key of the same dense row. About eight columns of a dense table are used, to save
 * time. The fingerprint is the number of rows and the sum of 32 bits of their mixed keys: a sum, so
 * that it does not depend on the order of rows or on how they are divided among threads and ranks.
 */
#include "model/fingerprint.h"

#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/wide.h"
#include "stats/keys.h"

/* Smallest number of columns of a dense table that are used. Two tables that agree in so many
 * columns and in the class are taken to be the same. */
enum { COLUMNS = 8 };

static uint64_t text_key(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return heft_mix(h);
}

/* The keys of the values of a nominal column; NULL for a numeric column. */
static heft_status value_keys(heft_ctx *ctx, const heft_column *col, uint64_t **out)
{
    *out = NULL;
    if (col->kind != HEFT_NOMINAL) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, heft_dict_size(col->dict) + 2);
    for (uint32_t v = 0; v < heft_dict_size(col->dict); v++)
        (*out)[v] = text_key(heft_dict_text(col->dict, v));
    return HEFT_OK;
}

/* Computes the key that a number adds to its row. The lower 32 bits of most numbers in data are 0,
 * so the upper half is mixed into the lower one. Multiplication by an odd number keeps all bits. */
HEFT_INLINE uint64_t number_key(uint64_t column, double x)
{
    const uint64_t counts = ~(uint64_t)0 * ((x < 0) | (x > 0)); /* all bits set, or none where x is
                                                                   0 or missing */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits ^ bits >> 32) * (column | 1) & counts;
}

/* Computes the key that a cell of a sparse row adds to its row; `values` is NULL for a number. */
static uint64_t cell_key(uint64_t column, const uint64_t *values, size_t n_values, double x)
{
    if (!values) return number_key(column, x);
    return x >= 0 && x < (double)n_values ? heft_mix(column ^ values[(size_t)x]) : 0;
}

/* ---- dense rows ---- */

typedef struct key_column { /* a column of a dense table and the keys of its cells */
    const heft_column *col;
    uint64_t           name;
    const uint64_t    *values; /* key of each code, 0 for missing cells; NULL: the column is
                                  numeric */
} key_column;

HEFT_WIDE static void add_numbers(uint64_t name, const double *x, size_t n, uint64_t *key)
{
    for (size_t i = 0; i < n; i++) key[i] += number_key(name, x[i]);
}

static void add_values(const key_column *k, size_t lo, size_t n, uint64_t *key)
{
    const unsigned width = k->col->width;
    for (size_t i = 0; i < n; i++) key[i] += k->values[heft_code_at(k->col->cells, width, lo + i)];
}

/* Makes the list of the columns that are used. */
static heft_status plan_dense(heft_ctx *ctx, const heft_table *t, const bool *used,
                              key_column **columns, size_t *n)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *columns, t->n_cols);
    *n = 0;
    for (size_t j = 0; j < t->n_cols; j++) {
        if (!used[j]) continue;
        key_column *k = &(*columns)[(*n)++];
        uint64_t   *values;
        *k = (key_column){.col = &t->cols[j], .name = text_key(t->cols[j].name)};
        HEFT_CHECK(value_keys(ctx, k->col, &values));
        if (values)
            for (size_t v = 0; v < heft_dict_size(k->col->dict); v++)
                values[v] = heft_mix(k->name ^ values[v]);
        k->values = values;
    }
    return HEFT_OK;
}

/* Adds the cells of sparse rows to the keys of these rows, for columns with used[column]. */
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

static heft_status find_used(heft_ctx *ctx, const heft_prep *prep, const heft_table *t, bool *used)
{
    HEFT_OWN(heft_dict) *names = NULL;
    uint32_t             code;
    HEFT_CHECK(heft_dict_create(ctx, &names));
    const size_t step = t->sparse || prep->n_attr < COLUMNS ? 1 : prep->n_attr / COLUMNS;
    for (size_t j = 0; j < prep->n_attr; j += step)
        HEFT_CHECK(
            heft_dict_add(ctx, names, prep->attr[j].name, strlen(prep->attr[j].name), &code));
    for (size_t k = 0; k < t->n_cols; k++) {
        const char *name = t->cols[k].name;
        used[k] = heft_dict_find(names, name, strlen(name)) != HEFT_DICT_NONE;
    }
    return HEFT_OK;
}

/* The keys of the table's classes, by the names that the model has for them. */
static heft_status class_keys(heft_ctx *ctx, const heft_prep *prep, const heft_dict *dict,
                              uint64_t **out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *out, heft_dict_size(dict) + 2);
    for (uint32_t v = 0; v < heft_dict_size(dict); v++) {
        const char    *text = heft_dict_text(dict, v);
        const uint32_t c = heft_prep_class(prep, text, heft_dict_length(dict, v));
        (*out)[v] = text_key(c == HEFT_DICT_NONE ? text : heft_dict_text(prep->classes, c));
    }
    return HEFT_OK;
}

/* ---- the sum ---- */

enum { BLOCK = 1 << 15, CUT = 1024 }; /* rows of a task; rows whose keys fit in the first cache */

typedef struct printing {
    const heft_table *table;
    const uint64_t   *sparse; /* keys of sparse rows; NULL where the table is dense */
    const key_column *columns;
    size_t            n_columns;
    const uint64_t   *classes;
    int64_t (*sum)[2]; /* for each block: number of rows that count, sum of their mixed keys */
} printing;

HEFT_WIDE static int64_t sum_of_keys(const uint64_t *key, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += heft_mix(key[i]) & UINT32_MAX;
    return (int64_t)sum;
}

/* Adds rows lo..lo + n - 1 to the sums. `key` has their keys without the class and is overwritten:
 * the keys of rows that count (class known, weight above 0) are moved to its front. */
static void add_rows(const printing *p, size_t lo, size_t n, uint64_t *key, int64_t *sum)
{
    const heft_table *t = p->table;
    const size_t      n_classes = heft_dict_size(t->target->dict);
    size_t            to = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = heft_code_at(t->target->cells, t->target->width, lo + i);
        key[to] = key[i] + p->classes[v];
        to += v < n_classes && (!t->weight || t->weight[lo + i] > 0);
    }
    sum[0] += (int64_t)to;
    sum[1] += sum_of_keys(key, to);
}

static heft_status print_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const printing *p = arg;
    int64_t        *sum = p->sum[lo / BLOCK];
    (void)ctx;
    for (size_t i = lo; i < hi; i += CUT) {
        const size_t n = hi - i < CUT ? hi - i : CUT;
        uint64_t     key[CUT] = {0};
        if (p->sparse) memcpy(key, p->sparse + i, n * sizeof *key);
        for (size_t k = 0; k < p->n_columns; k++) {
            const key_column *c = &p->columns[k];
            if (c->values) add_values(c, i, n, key);
            else add_numbers(c->name, (const double *)c->col->cells + i, n, key);
        }
        add_rows(p, i, n, key, sum);
    }
    return HEFT_OK;
}

heft_status heft_fingerprint_of(heft_ctx *ctx, const heft_prep *prep, const heft_table *t,
                                heft_fingerprint *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n_blocks = t->n_rows / BLOCK + 1;
    int64_t      sum[2] = {0, 0};
    printing     p = {.table = t};
    uint64_t    *sparse, *classes;
    key_column  *columns;
    bool        *used;
    HEFT_ALLOC(ctx, &ctx->scratch, used, t->n_cols);
    HEFT_CHECK(find_used(ctx, prep, t, used));
    if (t->sparse) {
        HEFT_ALLOC(ctx, &ctx->scratch, sparse, t->n_rows);
        HEFT_CHECK(add_sparse(ctx, t, used, sparse));
        p.sparse = sparse;
    } else {
        HEFT_CHECK(plan_dense(ctx, t, used, &columns, &p.n_columns));
        p.columns = columns;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, p.sum, n_blocks);
    if (t->target) {
        HEFT_CHECK(class_keys(ctx, prep, t->target->dict, &classes));
        p.classes = classes;
        HEFT_CHECK(heft_run_blocks(ctx, t->n_rows, BLOCK, print_block, &p));
    }
    for (size_t k = 0; k < n_blocks; k++) sum[0] += p.sum[k][0], sum[1] += p.sum[k][1];
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
