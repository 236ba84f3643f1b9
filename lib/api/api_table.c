/* api_table.c - the public calls on tables: reading, building, looking, writing; and on files that
 * need not fit in memory: rows in blocks, and from one format to another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/comm.h"
#include "base/rows.h"
#include "data/read.h"
#include "explain/explain.h"
#include "heft_memory.h"
#include "heft_stream.h"
#include "model/model.h"

heft_status heft_expect_of(heft_ctx *ctx, const heft_model *model, heft_expect *out)
{
    const heft_prep *prep = &model->prep;
    const char     **names;
    heft_kind       *kinds;
    HEFT_ALLOCS(ctx, &ctx->scratch, prep->n_attr, names, kinds);
    for (size_t j = 0; j < prep->n_attr; j++) {
        names[j] = prep->attr[j].name;
        kinds[j] = prep->attr[j].kind;
    }
    *out = (heft_expect){
        prep->n_attr, names, kinds, prep->target, prep->decimal_mark ? *prep->decimal_mark : 0,
        prep->missing};
    return HEFT_OK;
}

static heft_status read_any(heft_ctx *ctx, const char *path, const heft_source *how,
                            heft_table **out)
{
    heft_expect expect;
    HEFT_CHECK(heft_need(ctx, path && out, "heft_read"));
    if (how->like) HEFT_CHECK(heft_expect_of(ctx, how->like, &expect));
    return heft_read_table(ctx, path, how, how->like ? &expect : NULL, out);
}

/* With several ranks: a table on all of them, or on none. */
heft_status heft_read(const char *path, const heft_source *how, heft_table **out, heft_error *err)
{
    heft_source own;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    const heft_status st = heft_comm_end(ctx, read_any(ctx, path, &own, out));
    if (st == HEFT_OK || !out) return st;
    heft_table_free(*out);
    *out = NULL;
    return st;
}

heft_status heft_table_create(size_t n_rows, heft_table **out, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    return out ? heft_table_new(ctx, n_rows, 0, out) : heft_need(ctx, false, "out");
}

static heft_status check_new_column(heft_ctx *ctx, const heft_table *table, const char *name)
{
    if (!table || !name) return heft_need(ctx, false, "table or name");
    if (!name[0]) return heft_fail(ctx, HEFT_EINVAL, "a column needs a name");
    if (table->sparse)
        return heft_fail(ctx, HEFT_EINVAL,
                         "column '%.100s': columns cannot be added to a sparse table", name);
    if (heft_table_find(table, name) != SIZE_MAX ||
        (table->target && strcmp(table->target->name, name) == 0))
        return heft_fail(ctx, HEFT_EINVAL, "the table already has a column '%.100s'", name);
    return HEFT_OK;
}

static heft_status fill_codes(heft_ctx *ctx, const char *name, const int32_t *codes, size_t stride,
                              const char *const *values, size_t n_values, size_t n_rows,
                              heft_column *col)
{
    heft_status st = HEFT_OK;
    heft_dict  *dict = NULL;
    HEFT_TRY(heft_need(ctx, codes || !n_rows, "codes"));
    HEFT_TRY(heft_dict_create(ctx, &dict));
    for (size_t v = 0; v < n_values; v++) {
        uint32_t code;
        HEFT_TRY(heft_need(ctx, values && values[v], "values"));
        HEFT_TRY(heft_dict_add(ctx, dict, values[v], strlen(values[v]), &code));
        if (code != v)
            HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "column '%.100s': value '%.100s' is listed twice",
                               name, values[v]));
    }
    HEFT_TRY(heft_column_init(ctx, col, name, dict));
    HEFT_TRY(heft_column_alloc(ctx, col, n_rows));
    for (size_t i = 0; i < n_rows; i++) {
        const int32_t code = codes[i * stride];
        const bool    known = code >= 0 && (size_t)code < n_values;
        col->n_missing += !known;
        heft_code_put(col->cells, col->width, i, known ? (uint32_t)code : (uint32_t)n_values);
    }
done:
    heft_dict_free(dict);
    if (st != HEFT_OK) heft_column_clear(col);
    return st;
}

/* Take n finished columns into the table, which owns them then. Their array has a power of two as
 * its size, so that most calls do not move it. */
static heft_status append(heft_ctx *ctx, heft_table *table, const heft_column *cols, size_t n)
{
    size_t capacity = 1;
    while (capacity < table->n_cols + n) capacity *= 2;
    heft_column *more = heft_resize(table->cols, capacity, sizeof *more);
    if (!more) return heft_no_memory(ctx, capacity, sizeof *more);
    table->cols = more;
    if (n) memcpy(more + table->n_cols, cols, n * sizeof *cols);
    table->n_cols += n;
    return HEFT_OK;
}

/* ---- a matrix ---- */

enum { TILE = 64 }; /* rows and columns of a block: 64 x 64 doubles sit in the first cache */

typedef struct matrix {
    const double *cells;
    ptrdiff_t     row_stride, col_stride;
    size_t        n_rows, n_cols;
    heft_column  *cols;
    bool          borrow;
} matrix;

/* Copies rows lo to hi of all columns, block by block, so that a row-major matrix is read once. */
static heft_status copy_tiles(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const matrix *m = arg;
    (void)ctx;
    for (size_t top = lo; top < hi; top += TILE) {
        const size_t end = hi - top < TILE ? hi : top + TILE;
        for (size_t j = 0; j < m->n_cols; j++) {
            double       *to = m->cols[j].cells;
            const double *from = m->cells + (ptrdiff_t)j * m->col_stride;
            for (size_t i = top; i < end; i++) to[i] = from[(ptrdiff_t)i * m->row_stride];
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
        for (size_t i = 0; i < m->n_rows; i++) odd += !(x[i] - x[i] == 0);
        for (size_t i = 0; odd && i < m->n_rows; i++) {
            m->cols[j].n_missing += isnan(x[i]) != 0;
            if (isinf(x[i]))
                return heft_fail(ctx, HEFT_EINVAL, "column '%.100s', row %zu: not a finite number",
                                 m->cols[j].name, i + 1);
        }
    }
    return HEFT_OK;
}

/* The columns with their names, which must be new to the table and differ, and space for cells. */
static heft_status make_columns(heft_ctx *ctx, const heft_table *table, const char *const *names,
                                matrix *m)
{
    heft_status st = HEFT_OK;
    heft_dict  *dict = NULL;
    const bool  check = names || table->n_cols || table->target;
    HEFT_TRY(heft_dict_create(ctx, &dict));
    for (size_t j = 0; j < m->n_cols; j++) {
        char         made[32];
        const char  *name = names ? names[j] : made;
        heft_column *col = &m->cols[j];
        uint32_t     code = (uint32_t)j;
        if (!names) snprintf(made, sizeof made, "c%zu", j + 1);
        if (check) HEFT_TRY(check_new_column(ctx, table, name));
        if (check) HEFT_TRY(heft_dict_add(ctx, dict, name, strlen(name), &code));
        if (code != j)
            HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "the table already has a column '%.100s'", name));
        HEFT_TRY(heft_column_init(ctx, col, name, NULL));
        col->borrowed = m->borrow;
        if (m->borrow) col->cells = (double *)m->cells + (ptrdiff_t)j * m->col_stride;
        else HEFT_TRY(heft_column_alloc(ctx, col, m->n_rows));
    }
done:
    heft_dict_free(dict);
    return st;
}

static heft_status add_matrix(heft_ctx *ctx, heft_table *table, matrix *m, const char *const *names)
{
    enum { ROWS = 8192 };
    heft_status st = HEFT_OK;
    HEFT_TRY(heft_need(ctx, table && (m->cells || !table->n_rows || !m->n_cols), "cells"));
    if (table->sparse)
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "a matrix cannot be added to a sparse table"));
    m->n_rows = table->n_rows;
    m->borrow = m->borrow && m->row_stride == 1;
    HEFT_HEAP(ctx, m->cols, m->n_cols);
    HEFT_TRY(make_columns(ctx, table, names, m));
    if (!m->borrow) HEFT_TRY(heft_run_blocks(ctx, m->n_rows, ROWS, copy_tiles, m));
    HEFT_TRY(heft_run_blocks(ctx, m->n_cols, 1 + ROWS / (m->n_rows + 1), check_column, m));
    HEFT_TRY(append(ctx, table, m->cols, m->n_cols));
    m->n_cols = 0;
done:
    for (size_t j = 0; m->cols && j < m->n_cols; j++) heft_column_clear(&m->cols[j]);
    heft_free(m->cols);
    return st;
}

heft_status heft_table_add_numbers(heft_table *table, const char *name, const double *cells,
                                   size_t stride, heft_error *err)
{
    matrix m = {.cells = cells, .row_stride = (ptrdiff_t)stride, .n_cols = 1};
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(check_new_column(ctx, table, name));
    return add_matrix(ctx, table, &m, &name);
}

heft_status heft_table_add_matrix(heft_table *table, const heft_matrix *given, bool borrow,
                                  heft_error *err)
{
    heft_matrix own;
    HEFT_ENTER(NULL);
    HEFT_CHECK(heft_need(ctx, table && given, __func__));
    HEFT_CHECK(heft_struct_take(ctx, HEFT_MATRIX, given, &own));
    if (own.n_rows != table->n_rows)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the matrix and the table differ in their number of rows: %zu and %zu",
                         own.n_rows, table->n_rows);
    matrix m = {own.cells, own.row_stride, own.col_stride, .n_cols = own.n_cols, .borrow = borrow};
    return add_matrix(ctx, table, &m, own.names);
}

heft_status heft_table_add_codes(heft_table *table, const char *name, const int32_t *codes,
                                 size_t stride, const char *const *values, size_t n_values,
                                 heft_error *err)
{
    heft_column col = {0};
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(check_new_column(ctx, table, name));
    HEFT_CHECK(fill_codes(ctx, name, codes, stride, values, n_values, table->n_rows, &col));
    const heft_status st = append(ctx, table, &col, 1);
    if (st != HEFT_OK) heft_column_clear(&col);
    return st;
}

heft_status heft_table_values_of_rows(heft_table *table, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, table, "table"));
    return heft_table_infer_values(ctx, table);
}

heft_status heft_table_add_sparse(heft_table *table, size_t n_cols, const size_t *start,
                                  const uint32_t *col, const double *val, const char *const *names,
                                  heft_error *err)
{
    heft_status st = HEFT_OK;
    heft_table *fresh = NULL;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_TRY(heft_need(ctx, table && start && (start[table->n_rows] == 0 || (col && val)),
                       "sparse rows"));
    if (table->n_cols || table->sparse)
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL,
                           "sparse rows can only be added to a table without attributes"));
    HEFT_TRY(heft_table_new(ctx, table->n_rows, n_cols, &fresh));
    for (size_t j = 0; j < n_cols; j++) {
        char name[32];
        snprintf(name, sizeof name, "c%zu", j + 1);
        HEFT_TRY(heft_column_init(ctx, &fresh->cols[j], names ? names[j] : name, NULL));
    }
    const size_t n = start[table->n_rows];
    HEFT_TRY(heft_sparse_create(ctx, table->n_rows, n, &fresh->sparse));
    memcpy(fresh->sparse->start, start, (table->n_rows + 1) * sizeof *start);
    if (n) memcpy(fresh->sparse->col, col, n * sizeof *col);
    if (n) memcpy(fresh->sparse->val, val, n * sizeof *val);
    HEFT_TRY(heft_table_check(ctx, fresh));
    heft_sparse_count_missing(fresh);
    heft_free(table->cols);
    table->cols = fresh->cols, fresh->cols = NULL;
    table->n_cols = n_cols, fresh->n_cols = 0;
    table->sparse = fresh->sparse, fresh->sparse = NULL;
done:
    heft_table_free(fresh);
    return st;
}

heft_status heft_table_set_target(heft_table *table, const char *name, const int32_t *codes,
                                  const char *const *values, size_t n_values, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, table && name, "table or name"));
    if (!name[0]) return heft_fail(ctx, HEFT_EINVAL, "the class column needs a name");
    if (table->target || heft_table_find(table, name) != SIZE_MAX)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the table already has a class column, or a column '%.100s'", name);
    heft_column *target = heft_alloc0(1, sizeof *target);
    if (!target) return heft_no_memory(ctx, 1, sizeof *target);
    const heft_status st = fill_codes(ctx, name, codes, 1, values, n_values, table->n_rows, target);
    if (st == HEFT_OK) table->target = target;
    else heft_free(target);
    return st;
}

heft_status heft_table_set_weights(heft_table *table, const double *weights, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, table && weights, "weights"));
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

HEFT_GET(size_t, heft_table_rows(const heft_table *table), table->n_rows)
HEFT_GET(size_t, heft_table_rows_total(const heft_table *table),
         table->n_total ? table->n_total : table->n_rows)
HEFT_GET(size_t, heft_table_attributes(const heft_table *table), table->n_cols)
HEFT_GET(size_t, heft_table_classes(const heft_table *table),
         table->target ? heft_dict_size(table->target->dict) : 0)
HEFT_GET(const char *, heft_table_class_name(const heft_table *table, size_t c),
         c < heft_table_classes(table) ? heft_dict_text(table->target->dict, (uint32_t)c) : NULL)

heft_status heft_table_attribute(const heft_table *table, size_t j, heft_attribute *out,
                                 heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, table && out, __func__));
    HEFT_CHECK(heft_check_attribute(ctx, j, table->n_cols, "table"));
    const heft_column   *col = &table->cols[j];
    const heft_attribute own = {.name = col->name,
                                .kind = col->kind,
                                .n_values = col->dict ? heft_dict_size(col->dict) : 0,
                                .fill = NAN,
                                .factor = 1};
    return heft_struct_give(ctx, HEFT_ATTRIBUTE, &own, out);
}

const char *heft_table_value(const heft_table *table, size_t j, size_t v)
{
    const heft_dict *dict = j < table->n_cols ? table->cols[j].dict : NULL;
    return dict && v < heft_dict_size(dict) ? heft_dict_text(dict, (uint32_t)v) : NULL;
}

heft_status heft_table_cells(const heft_table *table, size_t j, double *cells, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, table && cells, __func__));
    HEFT_CHECK(heft_check_attribute(ctx, j, table->n_cols, "table"));
    const heft_column *col = &table->cols[j];
    const heft_sparse *s = table->sparse;
    const uint32_t     n_values = col->dict ? (uint32_t)heft_dict_size(col->dict) : 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        cells[i] = 0;
        for (size_t k = s ? s->start[i] : 0; s && k < s->start[i + 1]; k++)
            if (s->col[k] == j) cells[i] = s->val[k];
        if (s) continue;
        const uint32_t v = col->dict ? heft_code_at(col->cells, col->width, i) : 0;
        cells[i] = !col->dict ? ((const double *)col->cells)[i] : v < n_values ? (double)v : NAN;
    }
    return HEFT_OK;
}

int32_t heft_table_class(const heft_table *table, size_t i)
{
    if (!table->target || i >= table->n_rows) return -1;
    const uint32_t code = heft_code_at(table->target->cells, table->target->width, i);
    return code < heft_dict_size(table->target->dict) ? (int32_t)code : -1;
}

double heft_table_weight(const heft_table *table, size_t i)
{
    if (i >= table->n_rows) return NAN;
    return table->weight ? table->weight[i] : 1;
}

static heft_status class_counts(heft_ctx *ctx, const heft_table *table, int64_t *counts)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = heft_table_classes(table), n = table->n_rows;
    size_t      *rows;
    HEFT_ALLOC(ctx, &ctx->scratch, rows, K + 2);
    if (table->target) HEFT_CHECK(heft_column_count(ctx, table->target, n, rows));
    for (size_t c = 0; c < K; c++) counts[c] = (int64_t)rows[c];
    counts[K] = (int64_t)(table->target ? rows[K] + rows[K + 1] : n);
    counts[K + 1] = 0;
    for (size_t i = 0; table->weight && i < n; i++) {
        const int32_t c = heft_table_class(table, i);
        if (c < 0 || table->weight[i] > 0) continue;
        counts[c]--;
        counts[K + 1]++;
    }
    return HEFT_OK;
}

heft_status heft_table_class_counts(const heft_table *table, int64_t *counts, heft_error *err)
{
    HEFT_CALL(table && counts, NULL, class_counts(ctx, table, counts));
}

heft_status heft_write(const heft_table *table, const char *path, const char *format,
                       const heft_runtime *run, heft_error *err)
{
    HEFT_CALL(table && path, run, heft_write_table(ctx, table, path, format));
}

/* ---- files in blocks ---- */

static heft_status read_stream(heft_ctx *ctx, const char *path, const heft_source *how,
                               const heft_sink *sink)
{
    heft_expect expect;
    if (how->like) HEFT_CHECK(heft_expect_of(ctx, how->like, &expect));
    return heft_read_stream(ctx, path, how, how->like ? &expect : NULL, sink);
}

typedef struct listener {
    heft_rows_fn *fn;
    void         *user;
} listener;

static heft_status nothing_yet(heft_ctx *ctx, void *arg, const heft_table *schema)
{
    (void)ctx, (void)arg, (void)schema;
    return HEFT_OK;
}

static heft_status tell(heft_ctx *ctx, void *arg, const heft_table *rows)
{
    const listener *l = arg;
    return l->fn(l->user, rows) ? HEFT_OK : heft_fail(ctx, HEFT_ECANCELLED, "cancelled");
}

heft_status heft_read_blocks(const char *path, const heft_source *how, heft_rows_fn *fn, void *user,
                             heft_error *err)
{
    heft_source own;
    listener    l = {fn, user};
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    HEFT_CHECK(heft_need(ctx, path && fn, __func__));
    return read_stream(ctx, path, &own, &(heft_sink){nothing_yet, tell, &l});
}

/* ---- from format to format ---- */

typedef struct converting {
    const heft_model *like, *keep; /* or NULL */
    const char       *to, *format;
    heft_writer      *writer;
} converting;

/* The rows as they are to be written, into the writer; without one, it is opened for them. */
static heft_status write_block(heft_ctx *ctx, void *arg, const heft_table *rows)
{
    heft_status st = HEFT_OK;
    converting *c = arg;
    heft_table *kept = NULL, *prepared = NULL;
    if (c->keep) HEFT_TRY(heft_used_table(ctx, c->keep, rows, &kept));
    if (kept) rows = kept;
    if (c->like) HEFT_TRY(heft_prep_table(ctx, &c->like->prep, rows, &prepared));
    if (prepared) rows = prepared;
    st = c->writer ? heft_writer_rows(ctx, c->writer, rows)
                   : heft_writer_open(ctx, rows, c->to, c->format, &c->writer);
done:
    heft_table_free(prepared);
    heft_table_free(kept);
    return st;
}

heft_status heft_convert_file(const char *path, const heft_source *how, const heft_model *keep,
                              const char *to, const char *format, heft_error *err)
{
    heft_status st = HEFT_OK;
    heft_source own;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    HEFT_CHECK(heft_need(ctx, path && to, __func__));
    converting c = {.like = own.like, .keep = keep, .to = to, .format = format};
    HEFT_TRY(read_stream(ctx, path, &own, &(heft_sink){write_block, write_block, &c}));
    st = heft_writer_commit(ctx, c.writer);
    c.writer = NULL;
done:
    heft_writer_abandon(c.writer);
    return st;
}
