/* merge_dicts.c - one set of dictionaries for the parts of a table, and their rows in one place.
 *
 * Ranks first compare fingerprints of their columns; when these agree there is nothing to do. Else
 * every rank sends its columns and values to all, each makes the same dictionaries from them and
 * recodes its own cells.
 *
 * Columns are sent to one rank one at a time: a rank that does not keep the rows never holds more
 * than one. */
#include "data/merge_dicts.h"

#include <string.h>

#include "base/comm.h"
#include "base/text.h"

/* ---- what a rank sends ---- */

static void put_text(heft_buf *buf, const char *text, size_t n)
{
    const uint32_t length = (uint32_t)n;
    heft_buf_add(buf, (const char *)&length, sizeof length);
    heft_buf_add(buf, text, n);
}

static void put_column(heft_buf *buf, const heft_column *col)
{
    const uint32_t n = col->dict ? (uint32_t)heft_dict_size(col->dict) : 0;
    heft_buf_add(buf, col->kind == HEFT_NUMERIC ? "n" : "c", 1);
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

/* ---- what it gets from the others ---- */

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

typedef struct column { /* the next one of a rank's list */
    char        kind;
    const char *name;
    uint32_t    length;
    heft_dict  *dict;
} column;

static heft_status take_column(heft_ctx *ctx, const char **p, column *c)
{
    uint32_t code, length;
    c->kind = *(*p)++;
    c->name = take_text(p, &c->length);
    HEFT_CHECK(heft_dict_create(ctx, &c->dict));
    for (uint32_t n = take_number(p); n > 0; n--) {
        const char *text = take_text(p, &length);
        HEFT_CHECK(heft_dict_add(ctx, c->dict, text, length, &code));
    }
    return HEFT_OK;
}

static heft_status check_head(heft_ctx *ctx, const char *a, const char *b, size_t rank)
{
    uint64_t n, m;
    memcpy(&n, a + 3, sizeof n);
    memcpy(&m, b + 3, sizeof m);
    if (n != m)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: rank %zu has %s and rank 0 has %zu (all parts "
                         "need the same columns)",
                         rank, HEFT_COUNT_OF((size_t)m, "attribute"), (size_t)n);
    if (a[0] != b[0])
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: rank %zu has %s rows and rank 0 does not", rank,
                         b[0] == 's' ? "sparse" : "dense");
    if (a[1] != b[1])
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: some have instance weights and some do not (rank "
                         "0 and rank %zu differ)",
                         rank);
    if (a[2] != b[2])
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: some have a class column and some do not");
    return HEFT_OK;
}

static heft_status check_column(heft_ctx *ctx, const column *a, const column *b, size_t rank,
                                size_t j)
{
    char one[96];
    heft_show(one, sizeof one, a->name, a->length, 60);
    const char *two = HEFT_SHOW_PART(b->name, b->length, 60);
    if (a->length != b->length || memcmp(a->name, b->name, a->length) != 0)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: column %zu is '%s' on rank 0 and '%s' on rank "
                         "%zu (all parts need the same columns in the same order)",
                         j + 1, one, two, rank);
    if (a->kind != b->kind)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: column '%s' is %s on rank 0 and %s on rank %zu "
                         "({advice set-kind})",
                         one, a->kind == 'n' ? "numeric" : "nominal",
                         b->kind == 'n' ? "numeric" : "nominal", rank);
    return HEFT_OK;
}

/* ---- merging ---- */

/* The column with the dictionary of all ranks. */
static heft_status merge_column(heft_ctx *ctx, heft_dict *const *dicts, size_t n, heft_column *col,
                                size_t n_rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_OWN(heft_dict) *all = NULL;
    uint32_t            *map;
    const size_t         n_old = heft_dict_size(col->dict);
    HEFT_CHECK(heft_dict_union(ctx, dicts, n, &all));
    if (heft_dict_equal(all, col->dict)) return HEFT_OK;
    if (!col->cells)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the parts do not match: column '%s' of sparse rows has other values on "
                         "another rank (declare the same values in every part)",
                         HEFT_SHOW_NAME(col->name));
    HEFT_ALLOC(ctx, &ctx->scratch, map, n_old);
    for (uint32_t v = 0; v < n_old; v++) map[v] = heft_dict_same(all, col->dict, v);
    return heft_column_recode(ctx, col, all, map, n_rows);
}

/* Column j of this rank's table with what all ranks show of it; at[r]: how far each rank's list is
 * read. */
static heft_status merge_next(heft_ctx *ctx, const char **at, size_t j, heft_column *col,
                              size_t n_rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status  st = HEFT_OK;
    const size_t size = heft_n_ranks(ctx);
    column       first, next;
    heft_dict  **dicts;
    HEFT_ALLOC(ctx, &ctx->scratch, dicts, size);
    for (size_t r = 0; r < size; r++) {
        next.dict = NULL;
        st = take_column(ctx, &at[r], &next);
        dicts[r] = next.dict;
        if (r == 0) first = next;
        if (st == HEFT_OK) st = check_column(ctx, &first, &next, r, j);
        if (st != HEFT_OK) goto done;
    }
    if (col->kind == HEFT_NOMINAL) HEFT_TRY(merge_column(ctx, dicts, size, col, n_rows));
done:
    for (size_t r = 0; r < size; r++) heft_dict_free(dicts[r]);
    return st;
}

static heft_status merge_all(heft_ctx *ctx, const heft_gathered *shown, heft_table *table)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t size = heft_n_ranks(ctx), head = 3 + sizeof(uint64_t);
    const char **at;
    HEFT_ALLOC(ctx, &ctx->scratch, at, size);
    for (size_t r = 0; r < size; r++) {
        HEFT_CHECK(check_head(ctx, shown->bytes, shown->bytes + shown->start[r], r));
        at[r] = shown->bytes + shown->start[r] + head;
    }
    for (size_t j = 0; j < table->n_cols; j++)
        HEFT_CHECK(merge_next(ctx, at, j, &table->cols[j], table->n_rows));
    if (table->target) HEFT_CHECK(merge_next(ctx, at, table->n_cols, table->target, table->n_rows));
    return HEFT_OK;
}

/* Gather the columns of all ranks; `shown` stays empty if their fingerprints are equal. */
static heft_status show_columns(heft_ctx *ctx, const heft_table *table, heft_gathered *shown)
{
    HEFT_LOCAL(heft_buf)      mine = {0};
    HEFT_LOCAL(heft_gathered) all = {0};
    uint64_t                  h = UINT64_C(0xcbf29ce484222325);
    bool                      alike = true;
    HEFT_CHECK(put_table(ctx, table, &mine));
    for (size_t i = 0; i < mine.length; i++)
        h = (h ^ (unsigned char)mine.data[i]) * UINT64_C(0x100000001b3);
    HEFT_CHECK(heft_all_gather(ctx, &h, sizeof h, &all));
    for (size_t r = 0; r < heft_n_ranks(ctx); r++)
        alike = alike && memcmp(all.bytes + all.start[r], &h, sizeof h) == 0;
    if (!alike) HEFT_CHECK(heft_all_gather(ctx, mine.data, mine.length, shown));
    return HEFT_OK;
}

heft_status heft_table_merge_dicts(heft_ctx *ctx, const heft_table *table, heft_table **own)
{
    HEFT_LOCAL(heft_gathered) shown = {0};
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_CHECK(show_columns(ctx, *own ? *own : table, &shown));
    if (!shown.bytes) return HEFT_OK;
    HEFT_CHECK(heft_table_own(ctx, table, own));
    return merge_all(ctx, &shown, *own);
}

/* ---- rows in one place ---- */

double heft_table_bytes(const heft_table *table)
{
    const double n = (double)table->n_rows;
    double       bytes = table->weight ? sizeof(double) * n : 0;
    if (table->target) bytes += table->target->width * n;
    for (size_t j = 0; j < table->n_cols; j++)
        if (table->cols[j].cells) bytes += table->cols[j].width * n;
    if (table->sparse)
        bytes += sizeof(size_t) * n +
                 (sizeof(uint32_t) + sizeof(double)) * (double)table->sparse->start[table->n_rows];
    return bytes;
}

/* *to: the bytes of all ranks, on the heap of rank 0. On other ranks it stays NULL. */
static heft_status gather_to_root(heft_ctx *ctx, const void *mine, size_t n, void **to)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_CHECK(heft_all_gather(ctx, mine, n, &all));
    if (heft_comm_rank(ctx) == 0) *to = all.bytes, all.bytes = NULL;
    return HEFT_OK;
}

static heft_status gather_column(heft_ctx *ctx, const heft_column *from, size_t n_rows,
                                 heft_column *to)
{
    int64_t missing = (int64_t)from->n_missing;
    HEFT_CHECK(heft_all_add(ctx, &missing, 1));
    if (from->cells) HEFT_CHECK(gather_to_root(ctx, from->cells, n_rows * from->width, &to->cells));
    to->n_missing = (size_t)missing;
    to->inferred = from->inferred;
    return heft_comm_rank(ctx) ? HEFT_OK : heft_column_init(ctx, to, from->name, from->dict);
}

/* Compressed rows: entries as they are, the starts from the lengths of the rows. */
static heft_status gather_sparse(heft_ctx *ctx, const heft_table *table, heft_table *whole)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sparse *from = table->sparse;
    const size_t       n = from->start[table->n_rows];
    size_t            *length;
    HEFT_FREED size_t *all = NULL;
    heft_sparse        none = {0}, *to = &none;
    if (whole) {
        HEFT_NEW(ctx, whole->sparse, 1);
        to = whole->sparse;
        HEFT_NEW(ctx, to->start, whole->n_rows + 1);
    }
    HEFT_ALLOC(ctx, &ctx->scratch, length, table->n_rows);
    for (size_t i = 0; i < table->n_rows; i++) length[i] = from->start[i + 1] - from->start[i];
    HEFT_CHECK(gather_to_root(ctx, length, table->n_rows * sizeof *length, (void **)(void *)&all));
    HEFT_CHECK(gather_to_root(ctx, from->col, n * sizeof *from->col, (void **)(void *)&to->col));
    HEFT_CHECK(gather_to_root(ctx, from->val, n * sizeof *from->val, (void **)(void *)&to->val));
    if (whole)
        for (size_t i = 0; i < whole->n_rows; i++) {
            HEFT_KNOWN(all);
            to->start[i + 1] = to->start[i] + all[i];
        }
    return HEFT_OK;
}

heft_status heft_table_gather(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    HEFT_OWN(heft_table) *whole = NULL;
    heft_column           none = {0};
    void                 *weight = NULL;
    const size_t          n = table->n_rows;
    int64_t               n_rows = (int64_t)n;
    *out = NULL;
    HEFT_CHECK(heft_all_add(ctx, &n_rows, 1));
    if (heft_comm_rank(ctx) == 0) {
        HEFT_CHECK(heft_table_new(ctx, (size_t)n_rows, table->n_cols, &whole));
        HEFT_CHECK(heft_table_copy_names(ctx, table, whole));
        if (table->target) HEFT_NEW(ctx, whole->target, 1);
    }
    for (size_t j = 0; j < table->n_cols; j++)
        HEFT_CHECK(gather_column(ctx, &table->cols[j], n, whole ? &whole->cols[j] : &none));
    if (table->target)
        HEFT_CHECK(gather_column(ctx, table->target, n, whole ? whole->target : &none));
    if (table->weight)
        HEFT_CHECK(gather_to_root(ctx, table->weight, n * sizeof *table->weight, &weight));
    if (whole) whole->weight = weight;
    if (table->sparse) HEFT_CHECK(gather_sparse(ctx, table, whole));
    *out = whole, whole = NULL;
    return HEFT_OK;
}
