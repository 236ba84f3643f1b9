/* memory_table.c - tables made of arrays in the caller's memory, and read back into such arrays. */
#include "data/memory_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"

static heft_status check_new_column(heft_ctx *ctx, const heft_table *table, const char *name)
{
    if (!name || !name[0]) return heft_fail(ctx, HEFT_EINVAL, "a column needs a name");
    if (table->sparse)
        return heft_fail(ctx, HEFT_EINVAL,
                         "column '%.100s': columns cannot be added to a sparse table", name);
    if (heft_table_find(table, name) != SIZE_MAX ||
        (table->target && strcmp(table->target->name, name) == 0))
        return heft_fail(ctx, HEFT_EINVAL, "the table already has a column '%.100s'", name);
    return HEFT_OK;
}

/* Fill an empty column, which the caller clears after a failure. */
static heft_status fill_codes(heft_ctx *ctx, const heft_given_codes *from, size_t n_rows,
                              heft_column *col)
{
    HEFT_OWN(heft_dict) *dict = NULL;
    HEFT_CHECK(heft_dict_create(ctx, &dict));
    for (size_t v = 0; v < from->n_values; v++) {
        uint32_t    code;
        const char *value = from->values ? from->values[v] : NULL;
        if (!value)
            return heft_fail(ctx, HEFT_EINVAL, "column '%.100s': value %zu is NULL", from->name,
                             v + 1);
        HEFT_CHECK(heft_dict_add(ctx, dict, value, strlen(value), &code));
        if (code != v)
            return heft_fail(ctx, HEFT_EINVAL, "column '%.100s': value '%.100s' is listed twice",
                             from->name, value);
    }
    HEFT_CHECK(heft_column_init(ctx, col, from->name, dict));
    HEFT_CHECK(heft_column_alloc(ctx, col, n_rows));
    for (size_t i = 0; i < n_rows; i++) {
        const int32_t code = from->codes[i * from->stride];
        const bool    known = code >= 0 && (size_t)code < from->n_values;
        col->n_missing += !known;
        heft_code_put(col->cells, col->width, i, known ? (uint32_t)code : (uint32_t)from->n_values);
    }
    return HEFT_OK;
}

/* Take n finished columns into the table, which owns them then. Their array has a power of two as
 * its size, so that most calls do not move it. */
static heft_status append(heft_ctx *ctx, heft_table *table, const heft_column *cols, size_t n)
{
    size_t capacity = 1;
    while (capacity < table->n_cols + n) capacity *= 2;
    HEFT_RESIZE(ctx, table->cols, capacity);
    if (n) memcpy(table->cols + table->n_cols, cols, n * sizeof *cols);
    table->n_cols += n;
    return HEFT_OK;
}

/* ---- a matrix ---- */

enum { TILE = 64 }; /* rows and columns of a block: 64 x 64 doubles sit in the first cache */

typedef struct matrix {
    const heft_matrix *from;
    heft_column       *cols;
    bool               borrow;
} matrix;

/* Copies rows lo to hi of all columns, block by block, so that a row-major matrix is read once. */
static heft_status copy_tiles(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const matrix *m = arg;
    (void)ctx;
    for (size_t top = lo; top < hi; top += TILE) {
        const size_t end = hi - top < TILE ? hi : top + TILE;
        for (size_t j = 0; j < m->from->n_cols; j++) {
            double       *to = m->cols[j].cells;
            const double *from = m->from->cells + (ptrdiff_t)j * m->from->col_stride;
            for (size_t i = top; i < end; i++) to[i] = from[(ptrdiff_t)i * m->from->row_stride];
        }
    }
    return HEFT_OK;
}

static heft_status check_column(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const matrix *m = arg;
    for (size_t j = lo; j < hi; j++) {
        const double *x = m->cols[j].cells;
        size_t        odd = 0; /* cells that are not finite, without a branch */
        for (size_t i = 0; i < m->from->n_rows; i++) odd += !(x[i] - x[i] == 0);
        if (!odd) continue;
        for (size_t i = 0; i < m->from->n_rows; i++) {
            m->cols[j].n_missing += isnan(x[i]) != 0;
            if (isinf(x[i]))
                return heft_fail(ctx, HEFT_EINVAL, "column '%.100s', row %zu: not a finite number",
                                 m->cols[j].name, i + 1);
        }
    }
    return HEFT_OK;
}

/* The columns with their names, which must be new to the table and differ, and space for cells. */
static heft_status make_columns(heft_ctx *ctx, const heft_table *table, matrix *m)
{
    HEFT_OWN(heft_dict) *dict = NULL;
    const char *const   *names = m->from->names;
    const bool           check = names || table->n_cols || table->target;
    HEFT_CHECK(heft_dict_create(ctx, &dict));
    for (size_t j = 0; j < m->from->n_cols; j++) {
        char         made[32];
        const char  *name = names ? names[j] : made;
        heft_column *col = &m->cols[j];
        uint32_t     code = (uint32_t)j;
        if (!names) snprintf(made, sizeof made, "c%zu", j + 1);
        if (check) HEFT_CHECK(check_new_column(ctx, table, name));
        if (check) HEFT_CHECK(heft_dict_add(ctx, dict, name, strlen(name), &code));
        if (code != j)
            return heft_fail(ctx, HEFT_EINVAL, "the table already has a column '%.100s'", name);
        HEFT_CHECK(heft_column_init(ctx, col, name, NULL));
        col->borrowed = m->borrow;
        if (m->borrow) col->cells = (double *)m->from->cells + (ptrdiff_t)j * m->from->col_stride;
        else HEFT_CHECK(heft_column_alloc(ctx, col, m->from->n_rows));
    }
    return HEFT_OK;
}

heft_status heft_table_put_matrix(heft_ctx *ctx, heft_table *table, const heft_matrix *given,
                                  bool borrow)
{
    enum { ROWS = 8192 };
    heft_status  st = HEFT_OK;
    matrix       m = {.from = given, .borrow = borrow && given->row_stride == 1};
    const size_t n = table->n_rows, n_cols = given->n_cols;
    if (given->n_rows != n)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the matrix and the table differ in their number of rows: %zu and %zu",
                         given->n_rows, n);
    if (table->sparse)
        return heft_fail(ctx, HEFT_EINVAL, "a matrix cannot be added to a sparse table");
    HEFT_HEAP(ctx, m.cols, n_cols);
    HEFT_TRY(make_columns(ctx, table, &m));
    if (!m.borrow) HEFT_TRY(heft_run_blocks(ctx, n, ROWS, copy_tiles, &m));
    HEFT_TRY(heft_run_blocks(ctx, n_cols, 1 + ROWS / (n + 1), check_column, &m));
    HEFT_TRY(append(ctx, table, m.cols, n_cols));
    heft_free(m.cols); /* the table owns what they hold */
    m.cols = NULL;
done:
    if (m.cols)
        for (size_t j = 0; j < n_cols; j++) heft_column_clear(&m.cols[j]);
    heft_free(m.cols);
    return st;
}

/* ---- codes, classes, sparse rows, weights ---- */

heft_status heft_table_put_target(heft_ctx *ctx, heft_table *table, const heft_given_codes *column)
{
    if (!column->name[0]) return heft_fail(ctx, HEFT_EINVAL, "the class column needs a name");
    if (table->target || heft_table_find(table, column->name) != SIZE_MAX)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the table already has a class column, or a column '%.100s'",
                         column->name);
    HEFT_LOCAL(heft_column) col = {0};
    HEFT_CHECK(fill_codes(ctx, column, table->n_rows, &col));
    HEFT_NEW(ctx, table->target, 1);
    *table->target = col, col = (heft_column){0};
    return HEFT_OK;
}

heft_status heft_table_put_codes(heft_ctx *ctx, heft_table *table, const heft_given_codes *column)
{
    HEFT_LOCAL(heft_column) col = {0};
    HEFT_CHECK(check_new_column(ctx, table, column->name));
    HEFT_CHECK(fill_codes(ctx, column, table->n_rows, &col));
    HEFT_CHECK(append(ctx, table, &col, 1));
    col = (heft_column){0};
    return HEFT_OK;
}

heft_status heft_table_put_sparse(heft_ctx *ctx, heft_table *table, const heft_csr *rows)
{
    HEFT_OWN(heft_table) *fresh = NULL;
    const size_t          n_cols = rows->n_cols;
    if (table->n_cols || table->sparse)
        return heft_fail(ctx, HEFT_EINVAL,
                         "sparse rows can only be added to a table without attributes");
    HEFT_CHECK(heft_table_new(ctx, table->n_rows, n_cols, &fresh));
    for (size_t j = 0; j < n_cols; j++) {
        char name[32];
        snprintf(name, sizeof name, "c%zu", j + 1);
        HEFT_CHECK(
            heft_column_init(ctx, &fresh->cols[j], rows->names ? rows->names[j] : name, NULL));
    }
    const size_t n = rows->start[table->n_rows];
    HEFT_CHECK(heft_sparse_create(ctx, table->n_rows, n, &fresh->sparse));
    memcpy(fresh->sparse->start, rows->start, (table->n_rows + 1) * sizeof *rows->start);
    if (n) memcpy(fresh->sparse->col, rows->col, n * sizeof *rows->col);
    if (n) memcpy(fresh->sparse->val, rows->val, n * sizeof *rows->val);
    HEFT_CHECK(heft_table_check(ctx, fresh));
    heft_sparse_count_missing(fresh);
    heft_free(table->cols);
    table->cols = fresh->cols, fresh->cols = NULL;
    table->n_cols = n_cols, fresh->n_cols = 0;
    table->sparse = fresh->sparse, fresh->sparse = NULL;
    return HEFT_OK;
}

heft_status heft_table_put_weights(heft_ctx *ctx, heft_table *table, const double *weights)
{
    const size_t n = table->n_rows;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(weights[i]) || weights[i] < 0)
            return heft_fail(ctx, HEFT_EINVAL, "row %zu: a weight must be finite and not negative",
                             i + 1);
    double *copy = heft_alloc(n, sizeof *copy);
    if (!copy) return heft_no_memory(ctx, n, sizeof *copy);
    if (n) memcpy(copy, weights, n * sizeof *copy);
    heft_free(table->weight);
    table->weight = copy;
    return HEFT_OK;
}

/* ---- back into arrays ---- */

static void get_sparse(const heft_sparse *s, size_t n_rows, size_t j, double *cells)
{
    for (size_t i = 0; i < n_rows; i++) {
        cells[i] = 0;
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->col[k] == j) cells[i] = s->val[k];
    }
}

void heft_table_get_cells(const heft_table *table, size_t j, double *cells)
{
    const heft_column *col = &table->cols[j];
    const size_t       n_values = col->dict ? heft_dict_size(col->dict) : 0;
    if (table->sparse) {
        get_sparse(table->sparse, table->n_rows, j, cells);
    } else if (!col->dict) {
        if (table->n_rows) memcpy(cells, col->cells, table->n_rows * sizeof *cells);
    } else {
        for (size_t i = 0; i < table->n_rows; i++) {
            const uint32_t v = heft_code_at(col->cells, col->width, i);
            cells[i] = v < n_values ? (double)v : NAN;
        }
    }
}

int32_t heft_table_class_of(const heft_table *table, size_t i)
{
    if (!table->target || i >= table->n_rows) return -1;
    const uint32_t code = heft_code_at(table->target->cells, table->target->width, i);
    return code < heft_dict_size(table->target->dict) ? (int32_t)code : -1;
}

heft_status heft_table_count_classes(heft_ctx *ctx, const heft_table *table, int64_t *counts)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = table->n_rows, K = table->target ? heft_dict_size(table->target->dict) : 0;
    size_t      *rows;
    HEFT_ALLOC(ctx, &ctx->scratch, rows, K + 2);
    if (table->target) HEFT_CHECK(heft_column_count(ctx, table->target, n, rows));
    for (size_t c = 0; c < K; c++) counts[c] = (int64_t)rows[c];
    counts[K] = (int64_t)(table->target ? rows[K] + rows[K + 1] : n);
    counts[K + 1] = 0;
    if (!table->weight) return HEFT_OK;
    for (size_t i = 0; i < n; i++) {
        const int32_t c = heft_table_class_of(table, i);
        if (c < 0 || table->weight[i] > 0) continue;
        counts[c]--;
        counts[K + 1]++;
    }
    return HEFT_OK;
}
