/* bycol.c - sparse rows turned into columns, within the limit on memory. */
#include "base/bycol.h"

#include "base/rows.h"

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
    HEFT_ALLOCS(ctx, &ctx->scratch, m, g->end, g->of);
    for (size_t lo = 0, hi; lo < m; lo = hi) {
        for (hi = lo + 1; hi < m && start[hi + 1] - start[lo] <= most;) hi++;
        if (hi - lo > 1 && start[hi] - start[lo] > g->longest) g->longest = start[hi] - start[lo];
        for (size_t j = lo; j < hi; j++) g->of[j] = (uint32_t)g->n;
        g->end[g->n++] = hi;
    }
    return HEFT_OK;
}

/* Entries to their columns; start[j] is left where column j + 1 begins. To write all over arrays
 * that live in a file is slow, and brings in a page for every entry: entries go to their group
 * first, then within it. So there are never more places written to at a time than groups. */
static heft_status scatter_twice(heft_ctx *ctx, const heft_byrow *s, size_t n_rows, size_t m,
                                 heft_bycol *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    groups    g = {0};
    size_t   *next, *row;
    uint32_t *col;
    double   *val;
    HEFT_CHECK(group_columns(ctx, out->start, m, &g));
    HEFT_ALLOC(ctx, &ctx->scratch, next, g.n);
    HEFT_ALLOC(ctx, &ctx->scratch, col, s->start[n_rows]);
    HEFT_ALLOCS(ctx, &ctx->scratch, g.longest, row, val);
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
        if (g.end[k] - first == 1) {
            out->start[first] = next[k];
            continue;
        }
        HEFT_RANGE (i, lo, next[k]) { /* by column, through plain memory */
            const size_t at = out->start[col[i]]++ - lo;
            row[at] = out->row[i];
            val[at] = out->val[i];
        }
        HEFT_RANGE (i, lo, next[k]) {
            out->row[i] = row[i - lo];
            out->val[i] = val[i - lo];
        }
    }
    return HEFT_OK;
}

heft_status heft_bycol_build(heft_ctx *ctx, const heft_byrow *s, size_t n_rows, size_t m,
                             heft_bycol *out)
{
    const size_t n_entries = s->start[n_rows], limit = heft_memory_limit();
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, m + 1);
    HEFT_ALLOCS(ctx, &ctx->scratch, n_entries, out->row, out->val);
    HEFT_ROWS (k, n_entries) out->start[s->col[k]]++;
    size_t place = 0;
    for (size_t j = 0; j <= m; j++) {
        const size_t here = out->start[j];
        out->start[j] = place;
        place += here;
    }
    if (limit && n_entries > limit / 8 / ENTRY) {
        HEFT_CHECK(scatter_twice(ctx, s, n_rows, m, out));
    } else {
        HEFT_ROWS (i, n_rows)
            for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
                const size_t at = out->start[s->col[k]]++;
                out->row[at] = i;
                out->val[at] = s->val[k];
            }
    }
    for (size_t j = m; j > 0; j--) out->start[j] = out->start[j - 1];
    out->start[0] = 0;
    return HEFT_OK;
}
