/* api_table.c - the public calls on tables: reading, building, looking, writing; and on files that
 * need not fit in memory: rows in blocks, and from one format to another. */
#include <math.h>

#include "api/api.h"
#include "base/comm.h"
#include "data/formats/formats.h"
#include "data/memory_table.h"
#include "explain/convert_file.h"
#include "heft_evaluate.h"
#include "model/model.h"

heft_status heft_read(const char *path, const heft_source *how, heft_table **out, heft_error *err)
{
    heft_source own;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    if (!path || !out) return heft_comm_end(ctx, heft_need(ctx, false, __func__));
    return heft_read_like(ctx, path, &own, out);
}

void heft_table_free(heft_table *table)
{
    heft_table_delete(table);
}

HEFT_GET(const heft_format_info *, heft_format_at(size_t index),
         heft_formats_at(index) ? &heft_formats_at(index)->info : NULL)
HEFT_GET(char *, heft_data_name(const char *path), heft_name_of_path(path))

heft_status heft_table_create(size_t n_rows, heft_table **out, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    return out ? heft_table_new(ctx, n_rows, 0, out) : heft_need(ctx, false, "out");
}

heft_status heft_table_add_numbers(heft_table *table, const char *name, const double *cells,
                                   size_t stride, heft_error *err)
{
    HEFT_CALL(table && name && (cells || !table->n_rows), HEFT_ONE_THREAD,
              heft_table_put_matrix(ctx, table,
                                    &(heft_matrix){.n_rows = table->n_rows,
                                                   .n_cols = 1,
                                                   .cells = cells,
                                                   .row_stride = (ptrdiff_t)stride,
                                                   .names = &name},
                                    false));
}

heft_status heft_table_add_matrix(heft_table *table, const heft_matrix *given, bool borrow,
                                  heft_error *err)
{
    heft_matrix m;
    HEFT_ENTER(NULL);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_MATRIX, given, &m));
    HEFT_CHECK(heft_need(ctx, table && given && (m.cells || !m.n_rows || !m.n_cols), __func__));
    return heft_table_put_matrix(ctx, table, &m, borrow);
}

heft_status heft_table_add_codes(heft_table *table, const char *name, const int32_t *codes,
                                 size_t stride, const char *const *values, size_t n_values,
                                 heft_error *err)
{
    HEFT_CALL(table && name && (codes || !table->n_rows), HEFT_ONE_THREAD,
              heft_table_put_codes(ctx, table,
                                   &(heft_given_codes){name, codes, stride, values, n_values}));
}

heft_status heft_table_values_of_rows(heft_table *table, heft_error *err)
{
    HEFT_CALL(table, HEFT_ONE_THREAD, heft_table_infer_values(ctx, table));
}

heft_status heft_table_add_sparse(heft_table *table, size_t n_cols, const size_t *start,
                                  const uint32_t *col, const double *val, const char *const *names,
                                  heft_error *err)
{
    HEFT_CALL(table && start && (start[table->n_rows] == 0 || (col && val)), HEFT_ONE_THREAD,
              heft_table_put_sparse(ctx, table, &(heft_csr){n_cols, start, col, val, names}));
}

heft_status heft_table_set_target(heft_table *table, const char *name, const int32_t *codes,
                                  const char *const *values, size_t n_values, heft_error *err)
{
    HEFT_CALL(
        table && name && (codes || !table->n_rows), HEFT_ONE_THREAD,
        heft_table_put_target(ctx, table, &(heft_given_codes){name, codes, 1, values, n_values}));
}

heft_status heft_table_set_weights(heft_table *table, const double *weights, heft_error *err)
{
    HEFT_CALL(table && weights, HEFT_ONE_THREAD, heft_table_put_weights(ctx, table, weights));
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
    HEFT_OPEN(table && out, HEFT_ONE_THREAD);
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
    HEFT_OPEN(table && cells, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_check_attribute(ctx, j, table->n_cols, "table"));
    heft_table_get_cells(table, j, cells);
    return HEFT_OK;
}

HEFT_GET(int32_t, heft_table_class(const heft_table *table, size_t i),
         heft_table_class_of(table, i))

double heft_table_weight(const heft_table *table, size_t i)
{
    if (i >= table->n_rows) return NAN;
    return table->weight ? table->weight[i] : 1;
}

heft_status heft_table_class_counts(const heft_table *table, int64_t *counts, heft_error *err)
{
    HEFT_CALL(table && counts, NULL, heft_table_count_classes(ctx, table, counts));
}

heft_status heft_write(const heft_table *table, const char *path, const char *format,
                       const heft_runtime *run, heft_error *err)
{
    HEFT_CALL(table && path, run, heft_write_table(ctx, table, path, format));
}

/* ---- files in blocks ---- */

heft_status heft_read_blocks(const char *path, const heft_source *how, heft_rows_fn *fn, void *user,
                             heft_error *err)
{
    heft_source own;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    HEFT_CHECK(heft_need(ctx, path && fn, __func__));
    return heft_rows_of_file(ctx, path, &own, fn, user);
}

heft_status heft_convert_file(const char *path, const heft_source *how, const heft_model *keep,
                              const char *to, const char *format, heft_error *err)
{
    heft_source own;
    HEFT_ENTER_WITH(HEFT_SOURCE, how, own);
    HEFT_CHECK(heft_need(ctx, path && to, __func__));
    return heft_convert(ctx, path, &own, &(heft_conversion){keep, to, format});
}
