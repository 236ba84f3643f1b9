/* cfs.c - the merit of a set and the best-first search, as in Weka 3.6. */
#include "stats/cfs.h"

#include <math.h>
#include <string.h>

static const double GAIN = 1e-5;  /* smallest increase of the merit that counts as a gain */
static const double SAME = 1e-12; /* merits that differ by less are equal */

typedef struct node { /* a set of attributes */
    double  merit;
    size_t  n;
    size_t *in; /* attributes of the set in increasing order */
} node;

typedef struct search {
    const heft_columns  *cols;
    const heft_cfs_rule *rule;
    float               *with_class; /* r_jc of every attribute j */
    float              **row;        /* row[i][j] = r_ij; row[i] is NULL until it is needed */
    double              *near;       /* per attribute: sum of r_ij over the set that is expanded */
    size_t               n_open;
    node                *open; /* best sets not expanded yet, at most rule->stale of them */
    node                 best;
    long                 evaluations, expansions;
} search;

/* *out = the set `from` with attribute `added`; its array is new. */
static heft_status grown(heft_ctx *ctx, const node *from, size_t added, double merit, node *out)
{
    size_t k = 0;
    *out = (node){.merit = merit, .n = from->n + 1};
    HEFT_ALLOC(ctx, &ctx->scratch, out->in, out->n);
    for (; k < from->n && from->in[k] < added; k++) out->in[k] = from->in[k];
    out->in[k] = added;
    for (; k < from->n; k++) out->in[k + 1] = from->in[k];
    return HEFT_OK;
}

/* Position of a set of this merit in the list of open sets, or SIZE_MAX if it is not good enough.
 * Among sets of equal merit the one found earlier stays first. The list holds rule->stale sets,
 * because the search ends before it could expand more of them without a gain. */
static size_t place_of(const search *s, double merit)
{
    size_t k = 0;
    while (k < s->n_open && !(merit > s->open[k].merit + SAME)) k++;
    return k < s->rule->stale ? k : SIZE_MAX;
}

static heft_status expand(heft_ctx *ctx, search *s, const node *from, bool *better)
{
    const size_t m = s->cols->n_attr;
    double       num = 0, cross = 0; /* numerator and half the cross terms of the set */
    memset(s->near, 0, m * sizeof *s->near);
    for (size_t k = 0; k < from->n; k++) {
        const size_t j = from->in[k];
        if (!s->row[j]) {
            HEFT_ALLOC(ctx, &ctx->scratch, s->row[j], m + 1);
            HEFT_CHECK(heft_correlation_row(ctx, s->cols, j, s->rule->unrelated, s->row[j]));
        }
        num += s->with_class[j];
        cross += s->near[j];
        for (size_t i = 0; i < m; i++) s->near[i] += s->row[j][i];
    }
    for (size_t i = 0, k = 0; i < m; i++) {
        if (k < from->n && from->in[k] == i) {
            k++;
            continue;
        }
        const double below = (double)(from->n + 1) + 2 * (cross + s->near[i]);
        const double merit = (num + s->with_class[i]) / sqrt(below);
        const bool   best = merit - s->best.merit > GAIN;
        const size_t at = place_of(s, merit);
        node         set;
        s->evaluations++;
        if (!best && at == SIZE_MAX) continue;
        HEFT_CHECK(grown(ctx, from, i, merit, &set));
        if (at != SIZE_MAX) {
            if (s->n_open < s->rule->stale) s->n_open++;
            for (size_t q = s->n_open - 1; q > at; q--) s->open[q] = s->open[q - 1];
            s->open[at] = set;
        }
        if (best) s->best = set, *better = true;
    }
    s->expansions++;
    return HEFT_OK;
}

heft_status heft_cfs_search(heft_ctx *ctx, const heft_columns *cols, const heft_cfs_rule *rule,
                            heft_arena *arena, heft_cfs *out)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    const size_t m = cols->n_attr;
    search s = {.cols = cols, .rule = rule, .n_open = 1}; /* open[0]: the empty set, merit 0 */
    HEFT_ALLOC(ctx, &ctx->scratch, s.with_class, m + 1);
    HEFT_ALLOCS(ctx, &ctx->scratch, m, s.row, s.near);
    HEFT_ALLOC(ctx, &ctx->scratch, s.open, rule->stale);
    HEFT_CHECK(heft_correlation_row(ctx, cols, m, rule->unrelated, s.with_class));
    for (size_t stale = 0; stale < rule->stale && s.n_open > 0;) {
        const node head = s.open[0];
        bool       better = false;
        HEFT_CHECK(heft_check_cancel(ctx));
        for (size_t k = 1; k < s.n_open; k++) s.open[k - 1] = s.open[k];
        s.n_open--;
        HEFT_CHECK(expand(ctx, &s, &head, &better));
        stale = better ? 0 : stale + 1;
    }
    *out = (heft_cfs){s.best.n, NULL, s.best.merit, s.evaluations, s.expansions};
    HEFT_ALLOC(ctx, arena, out->kept, s.best.n);
    for (size_t k = 0; k < s.best.n; k++) out->kept[k] = s.best.in[k];
    return HEFT_OK;
}
