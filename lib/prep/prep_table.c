/* prep_table.c - prepared rows as a table again, and the text of codes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "prep/numbers.h"
#include "prep/prep.h"

const char *heft_prep_value(const heft_prep *prep, size_t j, uint32_t v, char *out, size_t size)
{
    const heft_attr_prep *a = &prep->attr[j];
    if (v >= heft_attr_codes(a)) snprintf(out, size, "?");
    else if (a->kind == HEFT_NOMINAL) snprintf(out, size, "%s", heft_dict_text(a->dict, v));
    else if (a->n_cuts == 0) snprintf(out, size, "All");
    else { /* an interval, as Weka writes it */ char lo[32] = "-inf", hi[32] = "inf";
        const uint32_t k = heft_swap_zero(v, heft_zero_interval(prep, j));
        if (k > 0) heft_format_double(lo, a->cuts[k - 1]);
        if (k < a->n_cuts) heft_format_double(hi, a->cuts[k]);
        snprintf(out, size, "(%s-%s%c", lo, hi, k < a->n_cuts ? ']' : ')');
    }
    return out;
}

/* ---- columns ---- */

/* Copy n cells of `width` bytes. `out` is the address of a pointer to cells of any type. */
static heft_status copy_cells(heft_ctx *ctx, const void *cells, size_t n, size_t width, void *out)
{
    void *copy = heft_alloc(n, width);
    if (!copy) return heft_no_memory(ctx, n, width);
    if (n) memcpy(copy, cells, n * width);
    memcpy(out, &copy, sizeof copy);
    return HEFT_OK;
}

/* Make column j of the table. Cells that the preparation made are taken over, borrowed ones are
 * copied. A value that the model has never seen becomes missing, because it has no text. */
static heft_status fill_column(heft_ctx *ctx, const heft_prep *prep, heft_prepared *rows, size_t j,
                               heft_column *col)
{
    const heft_attr_prep *a = &prep->attr[j];
    const heft_attr      *attr = &rows->attr[j];
    const size_t          n = rows->rows.n_rows;
    const void           *from = attr->coded ? attr->codes : (const void *)attr->numbers;
    char                  text[96];
    uint32_t              code;
    col->kind = attr->coded ? HEFT_NOMINAL : HEFT_NUMERIC;
    col->width = attr->width;
    HEFT_CHECK(heft_heap_copy(ctx, a->name, &col->name));
    if (a->kind == HEFT_NOMINAL) col->dict = heft_dict_share(a->dict);
    else if (attr->coded) HEFT_CHECK(heft_dict_create(ctx, &col->dict));
    if (a->kind != HEFT_NOMINAL && attr->coded)
        for (uint32_t v = 0; v < attr->n_codes; v++) {
            heft_prep_value(prep, j, v, text, sizeof text);
            HEFT_CHECK(heft_dict_add(ctx, col->dict, text, strlen(text), &code));
        }
    if (rows->rows.sparse) return HEFT_OK;
    col->cells = rows->owned[j];
    if (!rows->owned[j]) HEFT_CHECK(copy_cells(ctx, from, n, attr->width, &col->cells));
    rows->owned[j] = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!attr->coded) {
            col->n_missing += isnan(((const double *)col->cells)[i]) != 0;
        } else if (heft_code_at(col->cells, col->width, i) >= attr->n_codes) {
            heft_code_put(col->cells, col->width, i, attr->n_codes);
            col->n_missing++;
        }
    }
    return HEFT_OK;
}

static heft_status fill_sparse(heft_ctx *ctx, heft_prepared *rows, heft_table *table)
{
    const heft_sparse *from = rows->rows.sparse;
    heft_sparse       *own = &rows->own_sparse;
    const size_t       n_entries = from->start[table->n_rows];
    HEFT_NEW(ctx, table->sparse, 1);
    if (from == own) {
        *table->sparse = *own;
        memset(own, 0, sizeof *own);
    } else {
        heft_sparse *to = table->sparse;
        HEFT_CHECK(copy_cells(ctx, from->start, table->n_rows + 1, sizeof *to->start, &to->start));
        HEFT_CHECK(copy_cells(ctx, from->col, n_entries, sizeof *to->col, &to->col));
        HEFT_CHECK(copy_cells(ctx, from->val, n_entries, sizeof *to->val, &to->val));
    }
    for (size_t k = 0; k < n_entries; k++) {
        const uint32_t j = table->sparse->col[k];
        double        *x = &table->sparse->val[k];
        if (rows->attr[j].coded && *x >= rows->attr[j].n_codes) *x = NAN;
        table->cols[j].n_missing += isnan(*x) != 0;
    }
    return HEFT_OK;
}

heft_status heft_prep_table(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                            heft_table **out)
{
    HEFT_LOCAL(heft_prepared) rows = {0};
    HEFT_OWN(heft_table)     *fresh = NULL;
    const size_t              n = table->n_rows;
    *out = NULL;
    HEFT_CHECK(heft_prep_apply(ctx, prep, table, &rows));
    HEFT_CHECK(heft_table_new(ctx, n, prep->n_attr, &fresh));
    for (size_t j = 0; j < prep->n_attr; j++)
        HEFT_CHECK(fill_column(ctx, prep, &rows, j, &fresh->cols[j]));
    if (rows.rows.sparse) HEFT_CHECK(fill_sparse(ctx, &rows, fresh));
    HEFT_CHECK(heft_heap_copy(ctx, table->label, &fresh->label));
    HEFT_CHECK(heft_heap_copy(ctx, table->name, &fresh->name));
    HEFT_CHECK(heft_heap_copy(ctx, table->positive, &fresh->positive));
    HEFT_CHECK(heft_heap_copy(ctx, table->decimal_mark, &fresh->decimal_mark));
    HEFT_CHECK(heft_heap_copy(ctx, table->missing, &fresh->missing));
    if (rows.rows.y) { /* the target is copied as it is */
        const heft_column *col = table->target;
        HEFT_NEW(ctx, fresh->target, 1);
        *fresh->target = (heft_column){.kind = col->kind, .width = col->width};
        fresh->target->n_missing = col->n_missing;
        fresh->target->dict = heft_dict_share(col->dict);
        HEFT_CHECK(heft_heap_copy(ctx, col->name, &fresh->target->name));
        HEFT_CHECK(copy_cells(ctx, col->cells, n, col->width, &fresh->target->cells));
    }
    if (table->weight)
        HEFT_CHECK(copy_cells(ctx, table->weight, n, sizeof *table->weight, &fresh->weight));
    *out = fresh, fresh = NULL;
    return HEFT_OK;
}
