/* bycol.c - sorts the entries of sparse rows by column, within the limit on memory. */
#include "base/bycol.h"

#include "base/rows.h"

enum { ENTRY = sizeof(size_t) + sizeof(double) }; /* bytes per entry of the result */

/* Sorts entries by column in two steps; afterwards start[j] is where column j + 1 begins. Scattered
 * writes to arrays in the spill file are slow, because each brings in a page. Entries are therefore
 * first moved to their group, which writes to one position per group, and then sorted within the
 * group in memory. A group consists of neighbouring columns whose entries fit in memory together,
 * or of one column that does not fit. */
static heft_status scatter_twice(heft_ctx *ctx, const heft_byrow *s, size_t n_rows, size_t m,
                                 heft_bycol *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t most = heft_memory_limit() / 8 / ENTRY;
    size_t       n = 0, longest = 0; /* number of groups; entries of the largest group with
                                        several columns */
    size_t   *end;                   /* per group: the column after its last one */
    size_t   *next, *row;            /* next: position of each group's next entry */
    uint32_t *group, *col;           /* group of each column; column of each entry */
    double   *val;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, end, next, group);
    HEFT_ALLOC(ctx, &ctx->scratch, col, s->start[n_rows]);
    for (size_t lo = 0, hi; lo < m; lo = hi) {
        const size_t *start = out->start;
        for (hi = lo + 1; hi < m && start[hi + 1] - start[lo] <= most;) hi++;
        if (hi - lo > 1 && start[hi] - start[lo] > longest) longest = start[hi] - start[lo];
        for (size_t j = lo; j < hi; j++) group[j] = (uint32_t)n;
        next[n] = start[lo];
        end[n++] = hi;
    }
    HEFT_ALLOCS(ctx, &ctx->scratch, longest, row, val);
    HEFT_ROWS (i, n_rows)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            const size_t at = next[group[s->col[k]]]++;
            out->row[at] = i;
            out->val[at] = s->val[k];
            col[at] = s->col[k];
        }
    for (size_t k = 0, lo = 0; k < n; lo = next[k++]) {
        const size_t first = k ? end[k - 1] : 0;
        if (end[k] - first == 1) {
            out->start[first] = next[k];
            continue;
        }
        HEFT_RANGE (i, lo, next[k]) { /* sort by column into memory outside the spill file */
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
