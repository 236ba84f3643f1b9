/* keys.c - keys are sums of mixed whole numbers, so that no order can matter. */
#include "stats/keys.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"

enum { BLOCK = 2048 };

typedef struct job {
    heft_keys      *keys;
    const uint64_t *row_key; /* NULL: keys from the classes alone */
    uint64_t       *out;     /* of rows, or of columns */
} job;

/* Whole weights are kept as they are, others in steps of 2^-20. */
static uint64_t weight_of(const heft_rows *rows, size_t i)
{
    return rows->weight ? (uint64_t)fmin(rows->weight[i] * 0x1p20, 0x1p62) : (uint64_t)1 << 20;
}

static uint64_t number_key(double x, int power)
{
    uint64_t bits;
    if (isnan(x)) return 3;
    x = ldexp(x, -power) + 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return heft_mix(bits);
}

static heft_status key_numbers(heft_ctx *ctx, heft_keys *to, size_t j)
{
    const heft_rows *rows = to->rows;
    const double    *x = rows->attr[j].numbers;
    double           top = 0;
    uint64_t         sum = 0;
    HEFT_ROWS (i, rows->n_rows) top = fmax(top, fabs(x[i]));
    HEFT_CHECK(heft_all_max(ctx, &top, 1));
    (void)frexp(top, &to->power[j]);
    HEFT_ROWS (i, rows->n_rows)
        sum +=
            weight_of(rows, i) * heft_mix(number_key(x[i], to->power[j]) ^ to->class[rows->y[i]]);
    HEFT_CHECK(heft_all_add_keys(ctx, &sum, 1));
    to->column[j] = heft_mix(sum);
    return HEFT_OK;
}

/* By class in the first round, by the keys of rows later. A class without rows adds nothing. */
static heft_status key_values(heft_ctx *ctx, const job *g, size_t j)
{
    heft_keys       *to = g->keys;
    const heft_rows *rows = to->rows;
    const heft_attr *a = &rows->attr[j];
    const size_t     K = rows->n_class, V = (size_t)a->n_codes + 2;
    uint64_t        *key = to->value[j], *count = NULL;
    if (!g->row_key) HEFT_ALLOC(ctx, &ctx->scratch, count, V * K);
    memset(key, 0, V * sizeof *key);
    HEFT_ROWS (i, rows->n_rows) {
        const uint32_t v = heft_code_at(a->codes, a->width, i);
        if (count) count[v * K + rows->y[i]] += weight_of(rows, i);
        else key[v] += weight_of(rows, i) * heft_mix(g->row_key[i] ^ to->class[rows->y[i]]);
    }
    HEFT_CHECK(heft_all_add_keys(ctx, count ? count : key, count ? V * K : V));
    for (size_t k = 0; count && k < V * K; k++)
        if (count[k]) key[k / K] += heft_mix(count[k] ^ to->class[k % K]);
    uint64_t sum = 0;
    for (size_t v = 0; v < V; v++) {
        if (v == a->n_codes) key[v] ^= 1; /* missing */
        if (key[v]) sum += heft_mix(key[v]);
    }
    if (count) to->column[j] = heft_mix(sum);
    return HEFT_OK;
}

/* Entries of 0 are as good as none. */
static heft_status key_entries(heft_ctx *ctx, heft_keys *to)
{
    const heft_rows   *rows = to->rows;
    const heft_sparse *s = rows->sparse;
    HEFT_ROWS (i, rows->n_rows)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            if (s->val[e] != 0)
                to->column[s->col[e]] +=
                    weight_of(rows, i) * heft_mix(number_key(s->val[e], 0) ^ to->class[rows->y[i]]);
    HEFT_CHECK(heft_all_add_keys(ctx, to->column, rows->n_attr));
    for (size_t j = 0; j < rows->n_attr; j++) to->column[j] = heft_mix(to->column[j]);
    return HEFT_OK;
}

static heft_status key_column(heft_ctx *ctx, void *arg, size_t j)
{
    const job *g = arg;
    if (g->keys->rows->attr[j].coded) return key_values(ctx, g, j);
    return g->row_key ? HEFT_OK : key_numbers(ctx, g->keys, j);
}

/* New keys of the values, made of the keys of the rows that have them: values that the classes have
 * equally often differ by what they come with. Columns keep theirs. */
static heft_status refine_values(heft_ctx *ctx, const uint64_t *row_key, heft_keys *keys)
{
    job g = {.keys = keys, .row_key = row_key};
    return keys->rows->sparse ? HEFT_OK : heft_all_run(ctx, keys->rows->n_attr, key_column, &g);
}

static inline uint64_t cell_key(const heft_keys *from, size_t j, size_t i)
{
    const heft_attr *a = &from->rows->attr[j];
    return a->coded ? from->value[j][heft_code_at(a->codes, a->width, i)]
                    : number_key(a->numbers[i], from->power[j]);
}

static heft_status key_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const job       *g = arg;
    const heft_keys *from = g->keys;
    (void)ctx;
    const heft_sparse *s = from->rows->sparse;
    for (size_t i = lo; i < hi; i++) g->out[i] = 0;
    for (size_t i = lo; s && i < hi; i++)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            if (s->val[e] != 0)
                g->out[i] += heft_mix(from->column[s->col[e]] ^ number_key(s->val[e], 0));
    for (size_t j = 0; !s && j < from->rows->n_attr; j++)
        for (size_t i = lo; i < hi; i++)
            g->out[i] += heft_mix(from->column[j] ^ cell_key(from, j, i));
    return HEFT_OK;
}

/* From the keys of the column's cells, each with that of its row. */
static heft_status refine_column(heft_ctx *ctx, void *arg, size_t j)
{
    const job       *g = arg;
    const heft_rows *rows = g->keys->rows;
    uint64_t         sum = 0;
    HEFT_ROWS (i, rows->n_rows)
        sum += weight_of(rows, i) * heft_mix(cell_key(g->keys, j, i) ^
                                             heft_mix(g->row_key[i] + g->keys->class[rows->y[i]]));
    HEFT_CHECK(heft_all_add_keys(ctx, &sum, 1));
    g->out[j] = heft_mix(sum ^ rows->attr[j].n_codes);
    return HEFT_OK;
}

heft_status heft_keys_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_keys *out)
{
    const size_t m = rows->n_attr;
    job          g = {.keys = out};
    *out = (heft_keys){.rows = rows};
    HEFT_ALLOCS(ctx, arena, m, out->column, out->value, out->power);
    HEFT_ALLOC(ctx, arena, out->class, rows->n_class);
    for (size_t j = 0; j < m; j++)
        if (rows->attr[j].coded && !rows->sparse)
            HEFT_ALLOC(ctx, arena, out->value[j], (size_t)rows->attr[j].n_codes + 2);
    HEFT_ROWS (i, rows->n_rows) out->class[rows->y[i]] += weight_of(rows, i);
    HEFT_CHECK(heft_all_add_keys(ctx, out->class, rows->n_class));
    for (size_t c = 0; c < rows->n_class; c++) out->class[c] = heft_mix(out->class[c]);
    return rows->sparse ? key_entries(ctx, out) : heft_all_run(ctx, m, key_column, &g);
}

heft_status heft_keys_rows(heft_ctx *ctx, const heft_keys *keys, uint64_t *key)
{
    job g = {.keys = (heft_keys *)keys, .out = key};
    return heft_run_blocks(ctx, keys->rows->n_rows, BLOCK, key_block, &g);
}

heft_status heft_keys_columns(heft_ctx *ctx, const heft_rows *rows, uint64_t *key)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_keys keys;
    uint64_t *row_key;
    HEFT_ALLOC(ctx, &ctx->scratch, row_key, rows->n_rows);
    HEFT_CHECK(heft_keys_of(ctx, rows, &ctx->scratch, &keys));
    HEFT_CHECK(heft_keys_rows(ctx, &keys, row_key));
    job g = {.keys = &keys, .row_key = row_key, .out = key};
    return heft_all_run(ctx, rows->n_attr, refine_column, &g);
}

heft_status heft_keys_draw(heft_ctx *ctx, const heft_rows *rows, size_t *order, uint64_t *first,
                           uint64_t *second)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = rows->n_rows;
    heft_keys    keys;
    heft_ranked *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    HEFT_CHECK(heft_keys_of(ctx, rows, &ctx->scratch, &keys));
    HEFT_CHECK(heft_keys_rows(ctx, &keys, first));
    HEFT_CHECK(refine_values(ctx, first, &keys));
    HEFT_CHECK(heft_keys_rows(ctx, &keys, second));
    HEFT_ROWS (i, n) {
        second[i] += keys.class[rows->y[i]];
        first[i] = heft_mix(first[i] + ctx->seed * 0x9e3779b97f4a7c15u);
    }
    HEFT_ROWS (i, n) v[i] = (heft_ranked){rows->y[i], i}; /* parts classes of equal keys */
    heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) v[i].key = rows->weight ? heft_order_key(rows->weight[v[i].row]) : 0;
    if (rows->weight) heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) v[i].key = second[v[i].row];
    heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) v[i].key = first[v[i].row];
    heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) order[i] = v[i].row;
    return HEFT_OK;
}
