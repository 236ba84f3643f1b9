/* table.c - making, copying, subsetting, joining and checking tables. */
#include "data/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "heft_arrow.h"

unsigned heft_code_width(size_t n_values)
{
    return n_values + 2 <= 256 ? 1 : n_values + 2 <= 65536 ? 2 : 4;
}

const char *heft_table_label(const heft_table *table)
{
    return table->label ? table->label : table->name && table->name[0] ? table->name : "the table";
}

const char *heft_show_name(char out[96], const char *name)
{
    return heft_show(out, 96, name, strlen(name), 60);
}

static void sparse_free(heft_sparse *sparse)
{
    if (!sparse) return;
    heft_free(sparse->start);
    heft_free(sparse->col);
    heft_free(sparse->val);
    heft_free(sparse);
}

HEFT_OWNED(heft_sparse, sparse_free)

void heft_column_clear(heft_column *column)
{
    heft_free(column->name);
    heft_dict_free(column->dict);
    if (!column->borrowed) heft_free(column->cells);
    memset(column, 0, sizeof *column);
}

void heft_table_delete(heft_table *table)
{
    if (!table) return;
    for (size_t j = 0; j < table->n_cols; j++) heft_column_clear(&table->cols[j]);
    if (table->target) heft_column_clear(table->target);
    if (table->crowded) heft_column_clear(table->crowded);
    heft_free(table->target);
    heft_free(table->crowded);
    heft_free(table->cols);
    heft_free(table->weight);
    heft_free(table->label);
    heft_free(table->name);
    heft_free(table->positive);
    heft_free(table->kept.names);
    heft_free(table->kept.text);
    heft_free(table->kept.end);
    heft_free(table->decimal_mark);
    heft_free(table->missing);
    if (table->lender) table->lender->release(table->lender);
    heft_free(table->lender);
    sparse_free(table->sparse);
    heft_free(table);
}

heft_status heft_table_new(heft_ctx *ctx, size_t n_rows, size_t n_cols, heft_table **out)
{
    HEFT_OWN(heft_table) *table = NULL;
    *out = NULL;
    HEFT_NEW(ctx, table, 1);
    table->n_rows = n_rows;
    HEFT_NEW(ctx, table->cols, n_cols);
    table->n_cols = n_cols;
    *out = table, table = NULL;
    return HEFT_OK;
}

size_t heft_table_find(const heft_table *table, const char *name)
{
    for (size_t j = 0; j < table->n_cols; j++)
        if (strcmp(table->cols[j].name, name) == 0) return j;
    return SIZE_MAX;
}

/* ---- columns ---- */

heft_status heft_column_init(heft_ctx *ctx, heft_column *col, const char *name, heft_dict *dict)
{
    col->kind = dict ? HEFT_NOMINAL : HEFT_NUMERIC;
    col->dict = heft_dict_share(dict);
    col->width = dict ? heft_code_width(heft_dict_size(dict)) : sizeof(double);
    return heft_heap_copy(ctx, name, &col->name);
}

heft_status heft_column_alloc(heft_ctx *ctx, heft_column *col, size_t n_rows)
{
    col->cells = heft_alloc(n_rows, col->width);
    return col->cells ? HEFT_OK : heft_no_memory(ctx, n_rows, col->width);
}

heft_status heft_column_recode(heft_ctx *ctx, heft_column *col, heft_dict *dict,
                               const uint32_t *map, size_t n_rows)
{
    heft_column    to = {.width = heft_code_width(heft_dict_size(dict))};
    const uint32_t n_old = (uint32_t)heft_dict_size(col->dict);
    const uint32_t none = (uint32_t)heft_dict_size(dict);
    HEFT_CHECK(heft_column_alloc(ctx, &to, n_rows));
    HEFT_ROWS (i, n_rows) {
        const uint32_t v = heft_code_at(col->cells, col->width, i);
        heft_code_put(to.cells, to.width, i, v < n_old ? map[v] : none);
    }
    heft_free(col->cells);
    heft_dict_free(col->dict);
    col->cells = to.cells;
    col->width = to.width;
    col->dict = heft_dict_share(dict);
    return HEFT_OK;
}

/* ---- sparse rows ---- */

heft_status heft_sparse_create(heft_ctx *ctx, size_t n_rows, size_t n_entries, heft_sparse **out)
{
    HEFT_OWN(heft_sparse) *sparse = NULL;
    *out = NULL;
    HEFT_NEW(ctx, sparse, 1);
    HEFT_NEW(ctx, sparse->start, n_rows + 1);
    HEFT_NEW(ctx, sparse->col, n_entries);
    HEFT_NEW(ctx, sparse->val, n_entries);
    *out = sparse, sparse = NULL;
    return HEFT_OK;
}

void heft_sparse_count_missing(heft_table *table)
{
    const heft_sparse *s = table->sparse;
    HEFT_ROWS (k, s->start[table->n_rows]) {
        if (isnan(s->val[k])) table->cols[s->col[k]].n_missing++;
    }
}

/* ---- subsets ---- */

/* The cells of n rows, and how many of them are missing. */
static void gather(const heft_column *from, const size_t *rows, size_t n, heft_column *to)
{
    const uint32_t none = from->dict ? (uint32_t)heft_dict_size(from->dict) : 0;
    size_t         missing = 0;
    if (from->kind == HEFT_NUMERIC) {
        const double *src = from->cells;
        double       *dst = to->cells;
        for (size_t i = 0; i < n; i++) {
            dst[i] = src[rows[i]];
            missing += isnan(dst[i]) != 0;
        }
    } else if (from->width == 1) {
        const uint8_t *src = from->cells;
        uint8_t       *dst = to->cells;
        for (size_t i = 0; i < n; i++) missing += (dst[i] = src[rows[i]]) == none;
    } else {
        for (size_t i = 0; i < n; i++) {
            const uint32_t code = heft_code_at(from->cells, from->width, rows[i]);
            heft_code_put(to->cells, to->width, i, code);
            missing += code == none;
        }
    }
    to->n_missing = missing;
}

/* `rows` NULL: all n of them. A column of sparse rows has no cells. */
static heft_status take_column(heft_ctx *ctx, const heft_column *from, const size_t *rows, size_t n,
                               heft_column *to)
{
    HEFT_CHECK(heft_column_init(ctx, to, from->name, from->dict));
    to->inferred = from->inferred;
    if (!rows) to->n_missing = from->n_missing;
    if (!from->cells) return HEFT_OK;
    HEFT_CHECK(heft_column_alloc(ctx, to, n));
    if (rows) gather(from, rows, n, to);
    else if (n) memcpy(to->cells, from->cells, n * to->width);
    return HEFT_OK;
}

static heft_status take_sparse(heft_ctx *ctx, const heft_sparse *from, const size_t *rows, size_t n,
                               heft_table *table)
{
    size_t total = rows ? 0 : from->start[n], at = 0;
    if (rows)
        for (size_t i = 0; i < n; i++) total += from->start[rows[i] + 1] - from->start[rows[i]];
    HEFT_CHECK(heft_sparse_create(ctx, n, total, &table->sparse));
    HEFT_ROWS (i, n) {
        const size_t row = rows ? rows[i] : i, lo = from->start[row];
        const size_t count = from->start[row + 1] - lo;
        if (count) {
            memcpy(table->sparse->col + at, from->col + lo, count * sizeof *from->col);
            memcpy(table->sparse->val + at, from->val + lo, count * sizeof *from->val);
        }
        table->sparse->start[i + 1] = at += count;
    }
    if (rows) heft_sparse_count_missing(table);
    return HEFT_OK;
}

heft_status heft_table_copy_names(heft_ctx *ctx, const heft_table *table, heft_table *out)
{
    HEFT_CHECK(heft_heap_copy(ctx, table->label, &out->label));
    HEFT_CHECK(heft_heap_copy(ctx, table->name, &out->name));
    HEFT_CHECK(heft_heap_copy(ctx, table->positive, &out->positive));
    HEFT_CHECK(heft_heap_copy(ctx, table->decimal_mark, &out->decimal_mark));
    return heft_heap_copy(ctx, table->missing, &out->missing);
}

/* Which columns and rows of a table a copy has; without a list all of them. */
typedef struct subset {
    const size_t *cols;
    size_t        n_cols;
    const size_t *rows;
    size_t        n_rows;
} subset;

/* A copy without the entries of sparse rows. */
static heft_status copy_table(heft_ctx *ctx, const heft_table *table, const subset *of,
                              heft_table **out)
{
    const size_t n = of->n_rows;
    HEFT_CHECK(heft_table_new(ctx, n, of->n_cols, out));
    heft_table *to = *out;
    for (size_t j = 0; j < of->n_cols; j++)
        HEFT_CHECK(
            take_column(ctx, &table->cols[of->cols ? of->cols[j] : j], of->rows, n, &to->cols[j]));
    HEFT_CHECK(heft_table_copy_names(ctx, table, to));
    to->n_stored = table->n_stored;
    if (table->target) {
        HEFT_NEW(ctx, to->target, 1);
        HEFT_CHECK(take_column(ctx, table->target, of->rows, n, to->target));
    }
    if (!table->weight) return HEFT_OK;
    HEFT_NEW(ctx, to->weight, n);
    for (size_t i = 0; i < n; i++) to->weight[i] = table->weight[of->rows ? of->rows[i] : i];
    return HEFT_OK;
}

/* Hands a finished copy out, or frees one that is not complete. */
static heft_status give(heft_status st, heft_table *copy, heft_table **out)
{
    *out = st == HEFT_OK ? copy : NULL;
    if (st != HEFT_OK) heft_table_delete(copy);
    return st;
}

heft_status heft_table_take(heft_ctx *ctx, const heft_table *table, const size_t *rows, size_t n,
                            heft_table **out)
{
    const subset of = {NULL, table->n_cols, rows, n};
    heft_table  *part = NULL;
    heft_status  st = copy_table(ctx, table, &of, &part);
    if (st == HEFT_OK && table->sparse) st = take_sparse(ctx, table->sparse, rows, n, part);
    return give(st, part, out);
}

heft_status heft_table_own(heft_ctx *ctx, const heft_table *table, heft_table **own)
{
    return *own ? HEFT_OK : heft_table_take(ctx, table, NULL, table->n_rows, own);
}

static heft_status keep_sparse(heft_ctx *ctx, const heft_table *table, const size_t *cols, size_t n,
                               heft_table *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sparse *from = table->sparse;
    uint32_t          *place; /* new number of each column; UINT32_MAX: it is dropped */
    size_t             total = 0, at = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, place, table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++) place[j] = UINT32_MAX;
    for (size_t j = 0; j < n; j++) {
        place[cols[j]] = (uint32_t)j;
        if (j && cols[j] < cols[j - 1])
            return heft_fail(ctx, HEFT_EINVAL, "the columns of a sparse table cannot be reordered");
    }
    HEFT_ROWS (k, from->start[table->n_rows]) total += place[from->col[k]] != UINT32_MAX;
    HEFT_CHECK(heft_sparse_create(ctx, table->n_rows, total, &out->sparse));
    for (size_t i = 0; i < table->n_rows; i++) {
        for (size_t k = from->start[i]; k < from->start[i + 1]; k++) {
            const uint32_t j = place[from->col[k]];
            if (j == UINT32_MAX) continue;
            out->sparse->col[at] = j;
            out->sparse->val[at++] = from->val[k];
        }
        out->sparse->start[i + 1] = at;
    }
    return HEFT_OK;
}

heft_status heft_table_keep(heft_ctx *ctx, const heft_table *table, const size_t *cols, size_t n,
                            heft_table **out)
{
    const subset of = {cols, n, NULL, table->n_rows};
    heft_table  *part = NULL;
    heft_status  st = copy_table(ctx, table, &of, &part);
    if (st == HEFT_OK && table->sparse) st = keep_sparse(ctx, table, cols, n, part);
    return give(st, part, out);
}

/* Puts the entries of sparse rows into cells, which are 0 elsewhere. */
static heft_status spread_rows(heft_ctx *ctx, const heft_table *table, heft_table *dense)
{
    const heft_sparse *s = table->sparse;
    for (size_t j = 0; j < table->n_cols; j++) {
        heft_column *col = &dense->cols[j];
        HEFT_CHECK(heft_column_alloc(ctx, col, table->n_rows));
        memset(col->cells, 0, table->n_rows * col->width);
    }
    for (size_t i = 0; i < table->n_rows; i++)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            heft_column   *col = &dense->cols[s->col[k]];
            const double   x = s->val[k];
            const uint32_t none = col->dict ? (uint32_t)heft_dict_size(col->dict) : 0;
            if (!col->dict) ((double *)col->cells)[i] = x;
            else heft_code_put(col->cells, col->width, i, isnan(x) ? none : (uint32_t)x);
        }
    dense->n_stored = s->start[table->n_rows] + table->n_cols;
    return HEFT_OK;
}

heft_status heft_table_densify(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    const subset of = {NULL, table->n_cols, NULL, table->n_rows};
    heft_table  *dense = NULL;
    heft_status  st = copy_table(ctx, table, &of, &dense);
    if (st == HEFT_OK && table->sparse) st = spread_rows(ctx, table, dense);
    return give(st, dense, out);
}

/* Name and kind of `a`, its values and then those that `b` adds; b == NULL: none. (*code)[v] is the
 * joined code of b's code v, its missing mark included, in scratch memory; NULL for numbers. */
static heft_status join_head(heft_ctx *ctx, const heft_column *a, const heft_column *b,
                             heft_column *out, uint32_t **code)
{
    const size_t n = b && b->dict ? heft_dict_size(b->dict) : 0;
    if (b && a->kind != b->kind)
        return heft_fail(ctx, HEFT_EINVAL,
                         "column '%s' is numeric in one table and nominal in the other "
                         "({advice set-kind})",
                         HEFT_SHOW_CELL(a->name, strlen(a->name)));
    *code = NULL;
    HEFT_CHECK(heft_column_init(ctx, out, a->name, NULL));
    out->kind = a->kind;
    out->n_missing = a->n_missing;
    if (a->kind == HEFT_NUMERIC) return HEFT_OK;
    HEFT_CHECK(heft_dict_copy(ctx, a->dict, &out->dict));
    HEFT_ALLOC(ctx, &ctx->scratch, *code, n + 1);
    for (uint32_t v = 0; v < n; v++)
        HEFT_CHECK(heft_dict_add(ctx, out->dict, heft_dict_text(b->dict, v),
                                 heft_dict_length(b->dict, v), &(*code)[v]));
    (*code)[n] = (uint32_t)heft_dict_size(out->dict);
    out->width = heft_code_width(heft_dict_size(out->dict));
    return HEFT_OK;
}

static heft_status join_column(heft_ctx *ctx, const heft_column *a, size_t n_a,
                               const heft_column *b, size_t n_b, heft_column *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    uint32_t *code;
    HEFT_CHECK(join_head(ctx, a, b, out, &code));
    out->n_missing += b->n_missing;
    HEFT_CHECK(heft_column_alloc(ctx, out, n_a + n_b));
    if (a->kind == HEFT_NUMERIC) {
        if (n_a) memcpy(out->cells, a->cells, n_a * sizeof(double));
        if (n_b) memcpy((double *)out->cells + n_a, b->cells, n_b * sizeof(double));
        return HEFT_OK;
    }
    const uint32_t none_a = (uint32_t)heft_dict_size(a->dict);
    const uint32_t none = (uint32_t)heft_dict_size(out->dict);
    for (size_t i = 0; i < n_a; i++) {
        const uint32_t v = heft_code_at(a->cells, a->width, i);
        heft_code_put(out->cells, out->width, i, v == none_a ? none : v);
    }
    for (size_t i = 0; i < n_b; i++)
        heft_code_put(out->cells, out->width, n_a + i, code[heft_code_at(b->cells, b->width, i)]);
    return HEFT_OK;
}

/* place[j of b] = the column of a with that name, UINT32_MAX: none; seen[j of a]: b has it. */
static heft_status match_names(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                               uint32_t *place, uint32_t *seen)
{
    HEFT_OWN(heft_dict) *names = NULL;
    uint32_t             code;
    HEFT_CHECK(heft_dict_create(ctx, &names));
    for (size_t j = 0; j < a->n_cols; j++) {
        seen[j] = UINT32_MAX;
        HEFT_CHECK(heft_dict_add(ctx, names, a->cols[j].name, strlen(a->cols[j].name), &code));
    }
    for (size_t j = 0; j < b->n_cols; j++) {
        place[j] = heft_dict_find(names, b->cols[j].name, strlen(b->cols[j].name));
        if (place[j] != HEFT_DICT_NONE) seen[place[j]] = (uint32_t)j;
    }
    return HEFT_OK;
}

/* Whether an absent entry means the same in both: numbers 0, nominal columns one first value. */
static bool same_zero(const heft_table *a, const heft_table *b, const uint32_t *seen)
{
    for (size_t j = 0; j < a->n_cols; j++) {
        if (a->cols[j].kind != HEFT_NOMINAL) continue;
        if (seen[j] == UINT32_MAX) continue;
        const heft_dict *u = a->cols[j].dict, *v = b->cols[seen[j]].dict;
        if (!v || heft_dict_size(u) == 0 || heft_dict_size(v) == 0 ||
            strcmp(heft_dict_text(u, 0), heft_dict_text(v, 0)) != 0)
            return false;
    }
    return true;
}

typedef struct entry {
    uint32_t col;
    double   val;
} entry;

static int by_column(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;
    return (a->col > b->col) - (a->col < b->col);
}

/* Append b's rows to out's, columns by `place`, nominal codes by `code`. `row` has space for one;
 * its entries are sorted, because b's columns may be in another order. */
static void append_rows(const heft_table *a, const heft_table *b, const uint32_t *place,
                        uint32_t *const *code, entry *row, heft_table *out)
{
    heft_sparse *s = out->sparse;
    size_t       at = s->start[a->n_rows];
    for (size_t i = 0; i < b->n_rows; i++) {
        size_t n = 0;
        for (size_t k = b->sparse->start[i]; k < b->sparse->start[i + 1]; k++) {
            const uint32_t j = place[b->sparse->col[k]];
            double         x = b->sparse->val[k];
            if (j == HEFT_DICT_NONE) continue;
            if (isnan(x)) out->cols[j].n_missing++;
            else if (code[j]) x = code[j][(uint32_t)x];
            row[n++] = (entry){j, x};
        }
        qsort(row, n, sizeof *row, by_column);
        for (size_t k = 0; k < n; k++, at++) s->col[at] = row[k].col, s->val[at] = row[k].val;
        s->start[a->n_rows + i + 1] = at;
    }
}

static heft_status join_sparse(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                               const uint32_t *place, const uint32_t *seen, heft_table *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n_a = a->sparse->start[a->n_rows], n_b = b->sparse->start[b->n_rows];
    uint32_t   **code;
    entry       *row;
    HEFT_ALLOC(ctx, &ctx->scratch, code, a->n_cols);
    HEFT_ALLOC(ctx, &ctx->scratch, row, b->n_cols);
    for (size_t j = 0; j < a->n_cols; j++)
        HEFT_CHECK(join_head(ctx, &a->cols[j], seen[j] == UINT32_MAX ? NULL : &b->cols[seen[j]],
                             &out->cols[j], &code[j]));
    HEFT_CHECK(heft_sparse_create(ctx, out->n_rows, n_a + n_b, &out->sparse));
    memcpy(out->sparse->start, a->sparse->start, (a->n_rows + 1) * sizeof *out->sparse->start);
    if (n_a) memcpy(out->sparse->col, a->sparse->col, n_a * sizeof *out->sparse->col);
    if (n_a) memcpy(out->sparse->val, a->sparse->val, n_a * sizeof *out->sparse->val);
    append_rows(a, b, place, code, row, out);
    return HEFT_OK;
}

heft_status heft_table_join(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                            heft_table **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_OWN(heft_table) *joined = NULL, *dense_a = NULL, *dense_b = NULL;
    uint32_t             *place, *seen;
    *out = NULL;
    HEFT_ALLOC(ctx, &ctx->scratch, place, b->n_cols);
    HEFT_ALLOC(ctx, &ctx->scratch, seen, a->n_cols);
    HEFT_CHECK(match_names(ctx, a, b, place, seen));
    if (!(a->sparse && b->sparse && same_zero(a, b, seen))) {
        if (a->sparse) HEFT_CHECK(heft_table_densify(ctx, a, &dense_a));
        if (b->sparse) HEFT_CHECK(heft_table_densify(ctx, b, &dense_b));
        a = dense_a ? dense_a : a;
        b = dense_b ? dense_b : b;
    }
    const size_t n_a = a->n_rows, n_b = b->n_rows;
    HEFT_CHECK(heft_table_new(ctx, n_a + n_b, a->n_cols, &joined));
    HEFT_CHECK(heft_heap_copy(ctx, a->name, &joined->name));
    HEFT_NEW(ctx, joined->target, 1);
    HEFT_CHECK(join_column(ctx, a->target, n_a, b->target, n_b, joined->target));
    if (a->weight || b->weight) HEFT_NEW(ctx, joined->weight, n_a + n_b);
    if (joined->weight)
        for (size_t i = 0; i < n_a; i++) joined->weight[i] = a->weight ? a->weight[i] : 1;
    if (joined->weight)
        for (size_t i = 0; i < n_b; i++) joined->weight[n_a + i] = b->weight ? b->weight[i] : 1;
    if (a->sparse) HEFT_CHECK(join_sparse(ctx, a, b, place, seen, joined));
    if (!a->sparse)
        for (size_t j = 0; j < a->n_cols; j++) {
            const heft_column *col = &a->cols[j];
            if (seen[j] == UINT32_MAX)
                return heft_fail(ctx, HEFT_EINVAL, "the test table has no column '%s'",
                                 HEFT_SHOW_CELL(col->name, strlen(col->name)));
            HEFT_CHECK(join_column(ctx, col, n_a, &b->cols[seen[j]], n_b, &joined->cols[j]));
        }
    *out = joined, joined = NULL;
    return HEFT_OK;
}

/* ---- checking ---- */

static heft_status check_column(heft_ctx *ctx, const heft_column *col, size_t n_rows, bool sparse)
{
    const bool     number = col->kind == HEFT_NUMERIC;
    const size_t   n_values = number ? 0 : heft_dict_size(col->dict);
    const unsigned width = number ? 8 : heft_code_width(n_values);
    size_t         missing = 0;
    if (!col->name || !col->name[0]) return heft_fail(ctx, HEFT_EINVAL, "a column has no name");
    if (col->width != width)
        return heft_fail(ctx, HEFT_EINVAL, "column '%s': the size of a cell is %u instead of %u",
                         col->name, col->width, width);
    if (sparse) return HEFT_OK;
    if (!col->cells && n_rows)
        return heft_fail(ctx, HEFT_EINVAL, "column '%s' has no cells", col->name);
    for (size_t i = 0; i < n_rows; i++) {
        const double   x = number ? ((const double *)col->cells)[i] : 0;
        const uint32_t code = number ? 0 : heft_code_at(col->cells, col->width, i);
        if (isinf(x))
            return heft_fail(ctx, HEFT_EINVAL,
                             "column '%s', row %zu: the cell is not a finite number", col->name,
                             i + 1);
        if (code > n_values)
            return heft_fail(ctx, HEFT_EINVAL,
                             "column '%s', row %zu: code %u is not one of the %zu values",
                             col->name, i + 1, code, n_values);
        missing += number ? isnan(x) != 0 : code == n_values;
    }
    if (missing != col->n_missing)
        return heft_fail(ctx, HEFT_EINVAL,
                         "column '%s': the number of missing cells is %zu, not %zu", col->name,
                         missing, col->n_missing);
    return HEFT_OK;
}

static heft_status check_sparse(heft_ctx *ctx, const heft_table *table)
{
    const heft_sparse *s = table->sparse;
    if (s->start[0] != 0) return heft_fail(ctx, HEFT_EINVAL, "the sparse rows do not start at 0");
    for (size_t i = 0; i < table->n_rows; i++) {
        if (s->start[i + 1] < s->start[i])
            return heft_fail(ctx, HEFT_EINVAL, "row %zu: the sparse rows are out of order", i + 1);
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            if (s->col[k] >= table->n_cols || (k > s->start[i] && s->col[k] <= s->col[k - 1]))
                return heft_fail(ctx, HEFT_EINVAL,
                                 "row %zu: the column numbers must increase and stay below %zu",
                                 i + 1, table->n_cols);
            const heft_column *col = &table->cols[s->col[k]];
            const double       x = s->val[k];
            if (isinf(x) || (col->kind == HEFT_NOMINAL && !isnan(x) &&
                             !(x >= 0 && x < (double)heft_dict_size(col->dict) && x == floor(x))))
                return heft_fail(ctx, HEFT_EINVAL,
                                 "row %zu, column '%s': the entry is not one of the values", i + 1,
                                 col->name);
        }
    }
    return HEFT_OK;
}

heft_status heft_table_check(heft_ctx *ctx, const heft_table *table)
{
    HEFT_OWN(heft_dict) *names = NULL;
    HEFT_CHECK(heft_dict_create(ctx, &names));
    for (size_t j = 0; j < table->n_cols; j++) {
        uint32_t           code;
        const heft_column *col = &table->cols[j];
        HEFT_CHECK(check_column(ctx, col, table->n_rows, table->sparse != NULL));
        HEFT_CHECK(heft_dict_add(ctx, names, col->name, strlen(col->name), &code));
        if (code != j) return heft_fail(ctx, HEFT_EINVAL, "two columns are named '%s'", col->name);
    }
    if (table->target) {
        if (table->target->kind != HEFT_NOMINAL)
            return heft_fail(ctx, HEFT_EINVAL, "the class column is numeric");
        HEFT_CHECK(check_column(ctx, table->target, table->n_rows, false));
    }
    if (table->weight)
        for (size_t i = 0; i < table->n_rows; i++)
            if (!isfinite(table->weight[i]) || table->weight[i] < 0)
                return heft_fail(ctx, HEFT_EINVAL, "row %zu: a weight must be finite and >= 0",
                                 i + 1);
    if (table->sparse) HEFT_CHECK(check_sparse(ctx, table));
    return HEFT_OK;
}
