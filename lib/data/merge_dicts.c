/* merge_dicts.c - one set of dictionaries for the parts of a table.
 *
 * Ranks first compare fingerprints of their columns; when these agree there is nothing to do. Else
 * every rank shows its columns and values to all, each makes the same dictionaries of them, and
 * recodes its own cells. */
#include "data/merge_dicts.h"

#include <string.h>

#include "base/comm.h"
#include "base/text.h"

/* ---- what a rank shows ---- */

static void put_text(heft_buf *buf, const char *text, size_t n)
{
    const uint32_t length = (uint32_t)n;
    heft_buf_add(buf, (const char *)&length, sizeof length);
    heft_buf_add(buf, text, n);
}

static void put_column(heft_buf *buf, const heft_column *col)
{
    const uint32_t n = col->dict ? (uint32_t)heft_dict_size(col->dict) : 0;
    heft_buf_add(buf, col->kind == HEFT_NUMBER ? "n" : "c", 1);
    put_text(buf, col->name, strlen(col->name));
    heft_buf_add(buf, (const char *)&n, sizeof n);
    for (uint32_t v = 0; v < n; v++)
        put_text(buf, heft_dict_text(col->dict, v), heft_dict_length(col->dict, v));
}

/* 's' or 'd', weights, target, the columns; the target comes last. */
static heft_status put_table(heft_ctx *ctx, const heft_table *table, heft_buf *buf)
{
    const uint64_t n = table->n_cols;
    heft_buf_add(buf, table->sparse ? "s" : "d", 1);
    heft_buf_add(buf, table->weight ? "w" : "1", 1);
    heft_buf_add(buf, table->target ? "t" : "-", 1);
    heft_buf_add(buf, (const char *)&n, sizeof n);
    for (size_t j = 0; j < table->n_cols; j++) put_column(buf, &table->cols[j]);
    if (table->target) put_column(buf, table->target);
    return buf->failed ? heft_no_memory(ctx, buf->capacity, 2) : HEFT_OK;
}

static uint64_t fingerprint(const char *p, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static heft_status all_alike(heft_ctx *ctx, const heft_buf *buf, bool *alike)
{
    heft_status    st = HEFT_OK;
    const uint64_t mine = fingerprint(buf->data, buf->length);
    heft_gathered  all = {0};
    *alike = true;
    HEFT_TRY(heft_all_gather(ctx, &mine, sizeof mine, &all));
    for (size_t r = 0; r < heft_all_parts(ctx); r++)
        *alike = *alike && memcmp(all.bytes + all.start[r], &mine, sizeof mine) == 0;
done:
    heft_gathered_clear(&all);
    return st;
}

/* ---- what it sees of the others ---- */

typedef struct column { /* the next one of a rank's list */
    char        kind;
    const char *name;
    uint32_t    length, n_values;
} column;

static uint32_t take_number(const char **p)
{
    uint32_t n;
    memcpy(&n, *p, sizeof n);
    *p += sizeof n;
    return n;
}

static const char *take_text(const char **p, uint32_t *length)
{
    *length = take_number(p);
    const char *text = *p;
    *p += *length;
    return text;
}

static column take_column(const char **p)
{
    column c = {.kind = *(*p)++};
    c.name = take_text(p, &c.length);
    c.n_values = take_number(p);
    return c;
}

static bool same_name(const column *a, const column *b)
{
    return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

static heft_status check_head(heft_ctx *ctx, const char *a, const char *b, size_t rank)
{
    uint64_t n, m;
    memcpy(&n, a + 3, sizeof n);
    memcpy(&m, b + 3, sizeof m);
    if (n != m)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not fit: rank %zu has %zu attributes, rank 0 has %zu (all "
                         "parts need the same columns)",
                         rank, (size_t)m, (size_t)n);
    if (a[0] != b[0])
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not fit: rank %zu has %s rows, rank 0 has not", rank,
                         b[0] == 's' ? "sparse" : "dense");
    if (a[1] != b[1])
        return heft_fail(
            ctx, HEFT_EINVAL,
            "the parts do not fit: only some have weights of rows (rank 0 and rank %zu "
            "differ)",
            rank);
    if (a[2] != b[2])
        return heft_fail(ctx, HEFT_EINVAL, "the parts do not fit: only some have a class column");
    return HEFT_OK;
}

static heft_status check_column(heft_ctx *ctx, const column *a, const column *b, size_t rank,
                                size_t j)
{
    char one[96], two[96];
    heft_show(one, sizeof one, a->name, a->length, 60);
    heft_show(two, sizeof two, b->name, b->length, 60);
    if (!same_name(a, b))
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not fit: column %zu is '%s' on rank 0 and '%s' on rank %zu "
                         "(all parts need the same columns in the same order)",
                         j + 1, one, two, rank);
    if (a->kind != b->kind)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not fit: column '%s' is %s on rank 0 and %s on rank %zu "
                         "(--numeric or --nominal settles it)",
                         one, a->kind == 'n' ? "numeric" : "nominal",
                         b->kind == 'n' ? "numeric" : "nominal", rank);
    return HEFT_OK;
}

typedef struct uniting { /* one column at a time, of all ranks at once */
    const char **at;     /* how far each rank's list is read */
    size_t       size;
    bool         sparse;
} uniting;

static bool in_order(const uint32_t *map, size_t n)
{
    for (size_t v = 0; v < n; v++)
        if (map[v] != v) return false;
    return true;
}

/* Whether this rank's values are as a reader would have sorted them. */
static heft_status is_sorted(heft_ctx *ctx, const heft_dict *dict, bool *sorted)
{
    heft_status  st = HEFT_OK;
    const size_t n = heft_dict_size(dict);
    heft_dict   *again = NULL;
    uint32_t    *map = NULL;
    HEFT_HEAP(ctx, map, n + 1);
    HEFT_TRY(heft_dict_sorted(ctx, dict, &again, map));
    *sorted = in_order(map, n);
done:
    heft_dict_free(again);
    heft_free(map);
    return st;
}

static heft_status read_values(heft_ctx *ctx, const char **p, uint32_t n, heft_dict *into)
{
    for (uint32_t v = 0; v < n; v++) {
        uint32_t    length, code;
        const char *text = take_text(p, &length);
        HEFT_CHECK(heft_dict_add(ctx, into, text, length, &code));
    }
    return HEFT_OK;
}

/* The dictionary of all ranks. */
static heft_status unite_values(heft_ctx *ctx, uniting *u, const column *heads, heft_dict **out)
{
    heft_status st = HEFT_OK;
    heft_dict  *all = NULL, *one = NULL, *ordered = NULL;
    uint32_t   *map = NULL;
    bool        sorted = true, same = true;
    HEFT_TRY(heft_dict_create(ctx, &all));
    for (size_t r = 0; r < u->size; r++) {
        const char *again = u->at[r];
        HEFT_TRY(read_values(ctx, &u->at[r], heads[r].n_values, all));
        HEFT_TRY(heft_dict_create(ctx, &one));
        HEFT_TRY(read_values(ctx, &again, heads[r].n_values, one));
        bool this_one = false;
        HEFT_TRY(is_sorted(ctx, one, &this_one));
        sorted = sorted && this_one;
        same = same && heft_dict_equal(one, all);
        heft_dict_free(one);
        one = NULL;
    }
    if (sorted && !same) {
        HEFT_HEAP(ctx, map, heft_dict_size(all) + 1);
        HEFT_TRY(heft_dict_sorted(ctx, all, &ordered, map));
        heft_dict_free(all);
        all = ordered, ordered = NULL;
    }
    *out = all, all = NULL;
done:
    heft_dict_free(all);
    heft_dict_free(one);
    heft_dict_free(ordered);
    heft_free(map);
    return st;
}

/* ---- recoding ---- */

static heft_status recode(heft_ctx *ctx, heft_column *col, heft_dict *dict, size_t n_rows)
{
    heft_status    st = HEFT_OK;
    const size_t   n_old = heft_dict_size(col->dict), n_new = heft_dict_size(dict);
    const unsigned width = heft_code_width(n_new);
    uint32_t      *map = NULL;
    void          *cells = NULL;
    HEFT_HEAP(ctx, map, n_old + 1);
    for (uint32_t v = 0; v < n_old; v++)
        map[v] = heft_dict_find(dict, heft_dict_text(col->dict, v), heft_dict_length(col->dict, v));
    map[n_old] = (uint32_t)n_new; /* missing */
    cells = heft_alloc(n_rows, width);
    if (!cells) HEFT_TRY(heft_no_memory(ctx, n_rows, width));
    for (size_t i = 0; i < n_rows; i++) {
        const uint32_t v = heft_code_at(col->cells, col->width, i);
        heft_code_put(cells, width, i, map[v < n_old ? v : n_old]);
    }
    heft_free(col->cells);
    heft_dict_free(col->dict);
    col->cells = cells;
    col->dict = heft_dict_share(dict);
    col->width = width;
done:
    heft_free(map);
    return st;
}

static heft_status unite_column(heft_ctx *ctx, uniting *u, size_t j, heft_column *col,
                                column *heads, size_t n_rows)
{
    heft_status st = HEFT_OK;
    heft_dict  *dict = NULL;
    char        shown[96];
    for (size_t r = 0; r < u->size; r++) {
        heads[r] = take_column(&u->at[r]);
        HEFT_TRY(check_column(ctx, &heads[0], &heads[r], r, j));
    }
    if (col->kind == HEFT_NUMBER) goto done;
    HEFT_TRY(unite_values(ctx, u, heads, &dict));
    if (heft_dict_equal(dict, col->dict)) goto done;
    if (!col->cells)
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL,
                           "the parts do not fit: column '%s' of sparse rows has other values on "
                           "another rank (declare the same values in every part)",
                           heft_show(shown, sizeof shown, col->name, strlen(col->name), 60)));
    HEFT_TRY(recode(ctx, col, dict, n_rows));
done:
    heft_dict_free(dict);
    return st;
}

static heft_status copy_table(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    heft_status st = HEFT_OK;
    size_t     *rows = NULL;
    HEFT_HEAP(ctx, rows, table->n_rows);
    for (size_t i = 0; i < table->n_rows; i++) rows[i] = i;
    HEFT_TRY(heft_table_take(ctx, table, rows, table->n_rows, out));
done:
    heft_free(rows);
    return st;
}

static heft_status unite_all(heft_ctx *ctx, const heft_gathered *shown, heft_table *table)
{
    heft_status  st = HEFT_OK;
    const size_t size = heft_all_parts(ctx), head = 3 + sizeof(uint64_t);
    uniting      u = {.size = size};
    column      *heads = NULL;
    HEFT_HEAP(ctx, u.at, size);
    HEFT_HEAP(ctx, heads, size);
    for (size_t r = 0; r < size; r++) {
        u.at[r] = shown->bytes + shown->start[r];
        HEFT_TRY(check_head(ctx, u.at[0], u.at[r], r));
    }
    for (size_t r = 0; r < size; r++) u.at[r] += head;
    for (size_t j = 0; j < table->n_cols; j++)
        HEFT_TRY(unite_column(ctx, &u, j, &table->cols[j], heads, table->n_rows));
    if (table->target)
        HEFT_TRY(unite_column(ctx, &u, table->n_cols, table->target, heads, table->n_rows));
done:
    heft_free(u.at);
    heft_free(heads);
    return st;
}

/* What all ranks show; nothing where all show the same. */
static heft_status show_columns(heft_ctx *ctx, const heft_table *table, heft_gathered *shown)
{
    heft_status st = HEFT_OK;
    heft_buf    mine = {0};
    bool        alike;
    HEFT_TRY(put_table(ctx, table, &mine));
    HEFT_TRY(all_alike(ctx, &mine, &alike));
    if (!alike) HEFT_TRY(heft_all_gather(ctx, mine.data, mine.length, shown));
done:
    heft_buf_clear(&mine);
    return st;
}

heft_status heft_table_merge_dicts(heft_ctx *ctx, heft_table *table)
{
    heft_status   st = HEFT_OK;
    heft_gathered shown = {0};
    if (heft_all_here(ctx)) return HEFT_OK;
    HEFT_TRY(show_columns(ctx, table, &shown));
    if (shown.bytes) HEFT_TRY(unite_all(ctx, &shown, table));
done:
    heft_gathered_clear(&shown);
    return st;
}

heft_status heft_table_with_merged_dicts(heft_ctx *ctx, const heft_table *table,
                                         heft_table **united)
{
    heft_status   st = HEFT_OK;
    heft_gathered shown = {0};
    heft_table   *copy = NULL;
    *united = NULL;
    if (heft_all_here(ctx)) return HEFT_OK;
    HEFT_TRY(show_columns(ctx, table, &shown));
    if (!shown.bytes) goto done;
    HEFT_TRY(copy_table(ctx, table, &copy));
    HEFT_TRY(unite_all(ctx, &shown, copy));
    *united = copy, copy = NULL;
done:
    heft_table_free(copy);
    heft_gathered_clear(&shown);
    return st;
}
