/* join.c - the rows of two tables under the first one's columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/table.h"

/* Name and kind of `a`, its values and then those that `b` adds; b == NULL: none. (*code)[v] is the
 * joined code of b's code v, its missing mark included; NULL for numbers. */
static heft_status join_head(heft_ctx *ctx, const heft_column *a, const heft_column *b,
                             heft_column *out, uint32_t **code)
{
    heft_status  st = HEFT_OK;
    const size_t n = b && b->dict ? heft_dict_size(b->dict) : 0;
    if (b && a->kind != b->kind) {
        char name[64];
        return heft_fail(ctx, HEFT_EINVAL,
                         "column '%s' is numeric in one table and nominal in the other (use "
                         "--numeric or --nominal)",
                         heft_show(name, sizeof name, a->name, strlen(a->name), 40));
    }
    *code = NULL;
    out->kind = a->kind;
    out->width = a->width;
    out->n_missing = a->n_missing;
    out->name = heft_copy_text(a->name);
    if (!out->name) return heft_no_memory(ctx, strlen(a->name) + 1, 1);
    if (a->kind == HEFT_NUMBER) return HEFT_OK;
    HEFT_TRY(heft_dict_copy(ctx, a->dict, &out->dict));
    HEFT_HEAP(ctx, *code, n + 1);
    for (uint32_t v = 0; v < n; v++)
        HEFT_TRY(heft_dict_add(ctx, out->dict, heft_dict_text(b->dict, v),
                               heft_dict_length(b->dict, v), &(*code)[v]));
    (*code)[n] = (uint32_t)heft_dict_size(out->dict);
    out->width = heft_code_width(heft_dict_size(out->dict));
done:
    return st;
}

static heft_status join_column(heft_ctx *ctx, const heft_column *a, size_t n_a,
                               const heft_column *b, size_t n_b, heft_column *out)
{
    heft_status st = HEFT_OK;
    uint32_t   *code = NULL;
    HEFT_TRY(join_head(ctx, a, b, out, &code));
    out->n_missing += b->n_missing;
    out->cells = heft_alloc(n_a + n_b, out->width);
    if (!out->cells) HEFT_TRY(heft_no_memory(ctx, n_a + n_b, out->width));
    if (a->kind == HEFT_NUMBER) {
        if (n_a) memcpy(out->cells, a->cells, n_a * sizeof(double));
        if (n_b) memcpy((double *)out->cells + n_a, b->cells, n_b * sizeof(double));
        goto done;
    }
    const uint32_t none_a = (uint32_t)heft_dict_size(a->dict);
    const uint32_t none = (uint32_t)heft_dict_size(out->dict);
    for (size_t i = 0; i < n_a; i++) {
        const uint32_t v = heft_code_at(a->cells, a->width, i);
        heft_code_put(out->cells, out->width, i, v == none_a ? none : v);
    }
    for (size_t i = 0; i < n_b; i++)
        heft_code_put(out->cells, out->width, n_a + i, code[heft_code_at(b->cells, b->width, i)]);
done:
    heft_free(code);
    return st;
}

/* place[j of b] = the column of a with that name, UINT32_MAX: none; seen[j of a]: b has it. */
static heft_status match_names(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                               uint32_t *place, uint32_t *seen)
{
    heft_status st = HEFT_OK;
    heft_dict  *names = NULL;
    uint32_t    code;
    HEFT_TRY(heft_dict_create(ctx, &names));
    for (size_t j = 0; j < a->n_cols; j++) {
        seen[j] = UINT32_MAX;
        HEFT_TRY(heft_dict_add(ctx, names, a->cols[j].name, strlen(a->cols[j].name), &code));
    }
    for (size_t j = 0; j < b->n_cols; j++) {
        place[j] = heft_dict_find(names, b->cols[j].name, strlen(b->cols[j].name));
        if (place[j] != HEFT_DICT_NONE) seen[place[j]] = (uint32_t)j;
    }
done:
    heft_dict_free(names);
    return st;
}

static heft_status join_dense(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                              const uint32_t *seen, heft_table *out)
{
    for (size_t j = 0; j < a->n_cols; j++) {
        char name[64];
        if (seen[j] == UINT32_MAX)
            return heft_fail(
                ctx, HEFT_EINVAL, "the test table has no column '%s'",
                heft_show(name, sizeof name, a->cols[j].name, strlen(a->cols[j].name), 40));
        HEFT_CHECK(
            join_column(ctx, &a->cols[j], a->n_rows, &b->cols[seen[j]], b->n_rows, &out->cols[j]));
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
    heft_status  st = HEFT_OK;
    const size_t n_a = a->sparse->start[a->n_rows], n_b = b->sparse->start[b->n_rows];
    uint32_t   **code = NULL;
    entry       *row = NULL;
    HEFT_HEAP(ctx, code, a->n_cols);
    HEFT_HEAP(ctx, row, b->n_cols);
    for (size_t j = 0; j < a->n_cols; j++)
        HEFT_TRY(join_head(ctx, &a->cols[j], seen[j] == UINT32_MAX ? NULL : &b->cols[seen[j]],
                           &out->cols[j], &code[j]));
    HEFT_HEAP(ctx, out->sparse, 1);
    HEFT_HEAP(ctx, out->sparse->start, out->n_rows + 1);
    HEFT_HEAP(ctx, out->sparse->col, n_a + n_b);
    HEFT_HEAP(ctx, out->sparse->val, n_a + n_b);
    memcpy(out->sparse->start, a->sparse->start, (a->n_rows + 1) * sizeof *out->sparse->start);
    if (n_a) memcpy(out->sparse->col, a->sparse->col, n_a * sizeof *out->sparse->col);
    if (n_a) memcpy(out->sparse->val, a->sparse->val, n_a * sizeof *out->sparse->val);
    append_rows(a, b, place, code, row, out);
done:
    for (size_t j = 0; code && j < a->n_cols; j++) heft_free(code[j]);
    heft_free(code);
    heft_free(row);
    return st;
}

static heft_status join_rest(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                             heft_table *out)
{
    heft_status st = HEFT_OK;
    if (a->name) {
        out->name = heft_copy_text(a->name);
        if (!out->name) return heft_no_memory(ctx, strlen(a->name) + 1, 1);
    }
    HEFT_HEAP(ctx, out->target, 1);
    HEFT_TRY(join_column(ctx, a->target, a->n_rows, b->target, b->n_rows, out->target));
    if (a->weight || b->weight) {
        HEFT_HEAP(ctx, out->weight, out->n_rows);
        for (size_t i = 0; i < a->n_rows; i++) out->weight[i] = a->weight ? a->weight[i] : 1;
        for (size_t i = 0; i < b->n_rows; i++)
            out->weight[a->n_rows + i] = b->weight ? b->weight[i] : 1;
    }
done:
    return st;
}

heft_status heft_table_join(heft_ctx *ctx, const heft_table *a, const heft_table *b,
                            heft_table **out)
{
    heft_status st = HEFT_OK;
    heft_table *joined = NULL, *dense_a = NULL, *dense_b = NULL;
    uint32_t   *place = NULL, *seen = NULL;

    *out = NULL;
    HEFT_HEAP(ctx, place, b->n_cols);
    HEFT_HEAP(ctx, seen, a->n_cols);
    HEFT_TRY(match_names(ctx, a, b, place, seen));
    if (!(a->sparse && b->sparse && same_zero(a, b, seen))) {
        if (a->sparse) HEFT_TRY(heft_table_densify(ctx, a, &dense_a));
        if (b->sparse) HEFT_TRY(heft_table_densify(ctx, b, &dense_b));
        a = dense_a ? dense_a : a;
        b = dense_b ? dense_b : b;
    }
    HEFT_TRY(heft_table_new(ctx, a->n_rows + b->n_rows, a->n_cols, &joined));
    HEFT_TRY(join_rest(ctx, a, b, joined));
    HEFT_TRY(a->sparse ? join_sparse(ctx, a, b, place, seen, joined)
                       : join_dense(ctx, a, b, seen, joined));
    *out = joined, joined = NULL;
done:
    heft_free(place);
    heft_free(seen);
    heft_table_free(joined);
    heft_table_free(dense_a);
    heft_table_free(dense_b);
    return st;
}
