/* numbers.c - columns of sparse tables, lengths of rows, scaling. */
#include "prep/numbers.h"

#include <float.h>
#include <math.h>

#include "base/rows.h"

enum { BLOCK = 4096 };

/* ---- sparse tables by column ---- */

enum { ENTRY = sizeof(size_t) + sizeof(double) }; /* bytes of an entry by column */

/* Under a limit on memory: columns that stand side by side and whose entries fit in together, or
 * one that is too long by itself. */
typedef struct groups {
    size_t    n, longest; /* longest: entries of a group of several columns */
    size_t   *end;        /* by group: the column behind its last one */
    uint32_t *of;         /* by column */
} groups;

static heft_status group_columns(heft_ctx *ctx, const size_t *start, size_t m, groups *g)
{
    const size_t most = heft_memory_limit() / 8 / ENTRY;
    HEFT_ALLOC(ctx, &ctx->scratch, g->end, m);
    HEFT_ALLOC(ctx, &ctx->scratch, g->of, m);
    for (size_t lo = 0, hi; lo < m; lo = hi) {
        for (hi = lo + 1; hi < m && start[hi + 1] - start[lo] <= most;) hi++;
        if (hi - lo > 1 && start[hi] - start[lo] > g->longest) g->longest = start[hi] - start[lo];
        for (size_t j = lo; j < hi; j++) g->of[j] = (uint32_t)g->n;
        g->end[g->n++] = hi;
    }
    return HEFT_OK;
}

/* Entries to their columns, in one go; start[j] is left where column j + 1 begins. */
static void scatter(const heft_sparse *s, size_t n_rows, heft_bycol *out)
{
    HEFT_ROWS (i, n_rows)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            const size_t at = out->start[s->col[k]]++;
            out->row[at] = i;
            out->val[at] = s->val[k];
        }
}

/* The entries of one group, by column, through plain memory. */
static void sort_group(heft_bycol *out, size_t lo, size_t hi, const uint32_t *col, size_t *row,
                       double *val)
{
    HEFT_RANGE (k, lo, hi) {
        const size_t at = out->start[col[k]]++ - lo;
        row[at] = out->row[k];
        val[at] = out->val[k];
    }
    HEFT_RANGE (k, lo, hi) {
        out->row[k] = row[k - lo];
        out->val[k] = val[k - lo];
    }
}

/* The same as scatter. To write all over arrays that live in a file is slow, and brings in a page
 * for every entry: entries go to their group first, then within it. So there are never more places
 * written to at a time than groups. */
static heft_status scatter_twice(heft_ctx *ctx, const heft_sparse *s, size_t n_rows, size_t m,
                                 heft_bycol *out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    groups          g = {0};
    size_t         *next, *row;
    uint32_t       *col;
    double         *val;
    HEFT_TRY(group_columns(ctx, out->start, m, &g));
    HEFT_ARENA(ctx, &ctx->scratch, next, g.n);
    HEFT_ARENA(ctx, &ctx->scratch, col, s->start[n_rows]);
    HEFT_ARENA(ctx, &ctx->scratch, row, g.longest);
    HEFT_ARENA(ctx, &ctx->scratch, val, g.longest);
    for (size_t k = 0; k < g.n; k++) next[k] = out->start[k ? g.end[k - 1] : 0];
    HEFT_ROWS (i, n_rows)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            const size_t at = next[g.of[s->col[k]]]++;
            out->row[at] = i;
            out->val[at] = s->val[k];
            col[at] = s->col[k];
        }
    for (size_t k = 0, lo = 0; k < g.n; lo = next[k++]) {
        const size_t first = k ? g.end[k - 1] : 0;
        if (g.end[k] - first == 1) out->start[first] = next[k];
        else sort_group(out, lo, next[k], col, row, val);
    }
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_bycol_build(heft_ctx *ctx, const heft_sparse *s, size_t n_rows, size_t m,
                             heft_bycol *out)
{
    const size_t n_entries = s->start[n_rows], limit = heft_memory_limit();
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, m + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, out->row, n_entries);
    HEFT_ALLOC(ctx, &ctx->scratch, out->val, n_entries);
    HEFT_ROWS (k, n_entries) out->start[s->col[k]]++;
    size_t place = 0;
    for (size_t j = 0; j <= m; j++) {
        const size_t here = out->start[j];
        out->start[j] = place;
        place += here;
    }
    if (limit == 0 || n_entries <= limit / 8 / ENTRY) scatter(s, n_rows, out);
    else HEFT_CHECK(scatter_twice(ctx, s, n_rows, m, out));
    for (size_t j = m; j > 0; j--) out->start[j] = out->start[j - 1];
    out->start[0] = 0;
    return HEFT_OK;
}

/* ---- lengths of rows ---- */

typedef struct lengths {
    const heft_numbers *sources;
    size_t              n_sources;
    heft_unit          *out;
} lengths;

/* The number a row's length is made of: 0 where a cell is missing for good. */
static inline double counted(const heft_numbers *s, double x)
{
    return !isnan(x) ? x : s->has_fill ? s->fill : 0;
}

static inline double counted_for(const heft_attr_prep *a, double x)
{
    return !isnan(x) ? x : a->has_fill ? a->fill : 0;
}

double heft_unit_scale(double top)
{
    if (top == 0 || (top > 0x1p-500 && top < 0x1p500)) return 1;
    int e;
    (void)frexp(top, &e);
    return ldexp(1, e < -1022 ? 1022 : -e);
}

/* Largest number first, then the squares; `length` holds the former in between. */
static heft_status length_rows(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const lengths *job = arg;
    double        *length = job->out->length, *scale = job->out->scale;
    (void)ctx;
    for (size_t j = 0; j < job->n_sources; j++) {
        const heft_numbers *s = &job->sources[j];
        for (size_t i = lo; s->cells && i < hi; i++)
            length[i] = fmax(length[i], fabs(counted(s, s->cells[i])));
        for (size_t k = 0; !s->cells && k < s->n; k++)
            length[s->row[k]] = fmax(length[s->row[k]], fabs(counted(s, s->val[k])));
    }
    for (size_t i = lo; i < hi; i++) {
        scale[i] = heft_unit_scale(length[i]);
        length[i] = 0;
    }
    for (size_t j = 0; j < job->n_sources; j++) {
        const heft_numbers *s = &job->sources[j];
        for (size_t i = lo; s->cells && i < hi; i++) {
            const double x = counted(s, s->cells[i]) * scale[i];
            length[i] += x * x;
        }
        for (size_t k = 0; !s->cells && k < s->n; k++) {
            const double x = counted(s, s->val[k]) * scale[s->row[k]];
            length[s->row[k]] += x * x;
        }
    }
    for (size_t i = lo; i < hi; i++) length[i] = sqrt(length[i]);
    return HEFT_OK;
}

heft_status heft_unit_learn(heft_ctx *ctx, const heft_numbers *sources, size_t n_sources,
                            size_t n_rows, bool sparse, heft_unit *out)
{
    lengths job = {sources, n_sources, out};
    HEFT_ALLOC(ctx, &ctx->scratch, out->scale, n_rows);
    HEFT_ALLOC(ctx, &ctx->scratch, out->length, n_rows);
    /* Entries of a column are not found by row: then all rows are one block. */
    return heft_run_blocks(ctx, n_rows, sparse ? SIZE_MAX : BLOCK, length_rows, &job);
}

typedef struct row_lengths {
    const heft_table     *table;
    const heft_attr_prep *attr;
    heft_unit            *out;
} row_lengths;

static heft_status length_sparse(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const row_lengths *job = arg;
    const heft_sparse *s = job->table->sparse;
    (void)ctx;
    for (size_t i = lo; i < hi; i++) {
        double top = 0, sum = 0;
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (job->attr[s->col[k]].kind == HEFT_NUMBER)
                top = fmax(top, fabs(counted_for(&job->attr[s->col[k]], s->val[k])));
        const double scale = heft_unit_scale(top);
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            if (job->attr[s->col[k]].kind != HEFT_NUMBER) continue;
            const double x = counted_for(&job->attr[s->col[k]], s->val[k]) * scale;
            sum += x * x;
        }
        job->out->scale[i] = scale;
        job->out->length[i] = sqrt(sum);
    }
    return HEFT_OK;
}

heft_status heft_unit_learn_sparse(heft_ctx *ctx, const heft_table *table,
                                   const heft_attr_prep *attr, heft_unit *out)
{
    row_lengths job = {table, attr, out};
    HEFT_ALLOC(ctx, &ctx->scratch, out->scale, table->n_rows);
    HEFT_ALLOC(ctx, &ctx->scratch, out->length, table->n_rows);
    return heft_run_blocks(ctx, table->n_rows, BLOCK, length_sparse, &job);
}

/* ---- one attribute ---- */

double heft_scaled_far(const heft_attr_prep *a, double x)
{
    const double y = (x / 2 - a->shift / 2) * a->factor * 2;
    return y > DBL_MAX ? DBL_MAX : y < -DBL_MAX ? -DBL_MAX : y;
}

uint32_t heft_zero_interval(const heft_prep *prep, size_t j)
{
    const heft_attr_prep *a = &prep->attr[j];
    return prep->sparse && a->cut ? heft_cut_code(a->cuts, a->n_cuts, heft_scaled(a, 0)) : 0;
}

uint32_t heft_attr_codes(const heft_attr_prep *a)
{
    return a->kind == HEFT_NOMINAL ? (uint32_t)heft_dict_size(a->dict)
           : a->cut                ? (uint32_t)a->n_cuts + 1
                                   : 0;
}

const char *heft_table_label(const heft_table *table)
{
    return table->name && table->name[0] ? table->name : "the table";
}
