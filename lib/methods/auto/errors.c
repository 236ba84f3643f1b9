/* errors.c - standard errors of what single attributes say, from the fits that there are.
 *
 * The model has trees from all rows, and for each fold trees from the other rows. Where M is the
 * evidence of a line of an attribute by itself (tree_effects.h) in the trees from all rows, and M_k
 * that in the trees without fold k of g = 5,
 *
 *   (g - 1) times the mean over k of (M_k - M)^2
 *
 * estimates the variance of M over samples of as many rows, as the jackknife does, plus what the
 * draws of boosting add; several sets of trees from the same rows tell how much that is. A line has
 * few folds, so that the squares are averaged over its neighbours: over lines whose rows are near
 * in the order of the numbers, or values that are about as frequent. The other members have
 * learned from the same rows; they are taken to err as the trees do.
 *
 * The error is that of the difference to a fit to other rows, so that an interval of two errors to
 * each side has the evidence of such a fit in about 95 % of cases (bench/term_errors.py). */
#include <math.h>

#include "base/num.h"
#include "boost/contributions.h"
#include "methods/auto/auto_fit.h"

enum { MOST_LINES = 500, MOST_NUMBERS = 4000000 };

/* Half the width of the neighbourhood: for numbers as a fraction of the rows, for values as the
 * logarithm of a ratio of frequencies; how much the mean over all lines counts, as a fraction of
 * the rows; the penalty in rows. */
static const double NEAR_ROWS = 0.1, NEAR_VALUES = 1, OVERALL = 0.05, PENALTY = 15, LEAST = 0.6;

typedef struct spread {
    const heft_auto *s;
    size_t           n_sets; /* those of the folds, then those from all rows */
    double        ***main;   /* by set and attribute of its bins: n_codes x C */
    uint32_t       **place;  /* by set and attribute: its place in the bins, or UINT32_MAX */
} spread;

/* What line l of attribute j says in a set of trees: out[C], with mean 0 over the classes. */
static void evidence_of(const spread *job, size_t set, size_t j, uint32_t l, double *out)
{
    const heft_boosted       *b = &job->s->fitted.boosted[set];
    const heft_value_effects *e = &b->effects;
    const heft_lines         *lines = &job->s->pooled->attr[j].lines;
    const double             *table = heft_value_effects_of(e, b->trees.n_trees);
    const size_t              C = b->trees.n_columns;
    const bool                missing = l + 1 == lines->n_lines;
    for (size_t c = 0; c < C; c++) out[c] = 0;
    if (job->place[set][j] != UINT32_MAX) {
        const heft_bin_attr *a = &b->bins.attr[job->place[set][j]];
        const double         x = l < lines->n_cuts ? lines->cuts[l] : INFINITY;
        const uint32_t       values = job->s->rows.all.rows->attr[j].n_codes;
        uint32_t             code = a->missing;
        if (a->nominal) code = a->code_of[l < values ? l : values];
        else if (!missing)
            code = a->own_missing + (uint32_t)heft_lower_bound(a->cuts, a->n_cuts, x);
        for (size_t c = 0; c < C; c++) out[c] = job->main[set][job->place[set][j]][code * C + c];
    }
    for (size_t k = 0; k < (table ? e->n_attr : 0); k++)
        if (e->attr[k] == j && l < e->first[k + 1] - e->first[k])
            for (size_t c = 0; c < C; c++)
                out[c] += table[(e->first[k] + l) * C + c] / (C == 1 ? 2 : 1);
    double mean = 0;
    if (C == 1) return;
    for (size_t c = 0; c < C; c++) mean += out[c] / (double)C;
    for (size_t c = 0; c < C; c++) out[c] -= mean;
}

/* The mean squares of a line: of the differences of folds, and of those of sets. */
static void squares_of(const spread *job, size_t j, uint32_t l, double *v, double *folds,
                       double *sets)
{
    const size_t n_folds = job->s->rows.n_folds, n = job->n_sets - n_folds;
    const size_t C = job->s->fitted.boosted[0].trees.n_columns;
    double      *all = v + C;
    *folds = *sets = 0;
    for (size_t c = 0; c < C; c++) all[c] = 0;
    for (size_t k = n_folds; k < job->n_sets; k++) {
        evidence_of(job, k, j, l, v);
        for (size_t c = 0; c < C; c++) all[c] += v[c] / (double)n;
    }
    for (size_t k = 0; k < job->n_sets; k++) {
        double sum = 0;
        evidence_of(job, k, j, l, v);
        for (size_t c = 0; c < C; c++) sum += (v[c] - all[c]) * (v[c] - all[c]) / (double)C;
        if (k < n_folds) *folds += sum / (double)n_folds;
        else if (n > 1) *sets += sum / (double)(n - 1);
    }
}

typedef struct line {   /* a line of an attribute's table */
    double at, share;   /* where it is among the others; its fraction of the rows */
    double folds, sets; /* mean squares of differences */
} line;

/* What a line is with its neighbours; numbers are near if few rows are between them, values if they
 * are about as frequent. `share` becomes that of the neighbours. */
static line with_neighbours(const line *of, size_t n, size_t l, double width)
{
    line out = {.at = of[l].at};
    for (const line *m = of; m < of + n; m++) {
        const double near = 1 - fabs(of[l].at - m->at) / width;
        if (near <= 0) continue;
        out.share += near * m->share;
        out.folds += near * m->share * m->folds;
        out.sets += near * m->share * m->sets;
    }
    return out;
}

/* The variance that so many rows have in themselves: of the log of frequencies of the classes, less
 * their mean, with a penalty of PENALTY rows. */
static double least_variance(const heft_auto *s, double rows)
{
    const heft_used_rows *used = &s->rows.used;
    const size_t          K = used->n_class;
    double                sum = 0;
    for (size_t k = 0; k < K; k++) sum += used->total / used->class_sum[used->present[k]];
    const double known = rows * (double)(K * K) / (sum * (double)(K - 1));
    return known / ((known + PENALTY) * (known + PENALTY));
}

/* The errors of the lines of attribute j, as bytes. */
static heft_status attr_errors(heft_ctx *ctx, const spread *job, size_t j, uint8_t *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_auto        *s = job->s;
    const heft_pooled_attr *a = &s->pooled->attr[j];
    const size_t            L = a->lines.n_lines, C = s->fitted.boosted[0].trees.n_columns;
    const double            n = (double)(job->n_sets - s->rows.n_folds), *h = s->fitted.weight;
    const bool              numeric = a->lines.numeric;
    double                 *v, below = 0;
    line                   *of, all = {0};
    HEFT_ALLOC(ctx, &ctx->scratch, of, L);
    HEFT_ALLOC(ctx, &ctx->scratch, v, 2 * C);
    for (uint32_t l = 0; l < L; l++) {
        of[l].share = a->share[l];
        of[l].at = numeric ? below + a->share[l] / 2 : log(fmax(a->share[l], 1e-9));
        squares_of(job, j, l, v, &of[l].folds, &of[l].sets);
        below += a->share[l];
        all.folds += a->share[l] * of[l].folds;
        all.sets += a->share[l] * of[l].sets;
    }
    for (size_t l = 0; l < L; l++) {
        line near = {0};
        if (L <= MOST_LINES) near = with_neighbours(of, L, l, numeric ? NEAR_ROWS : NEAR_VALUES);
        const double weight = near.share + OVERALL;
        const double drawn = (near.sets + OVERALL * all.sets) / weight;
        const double both = (near.folds + OVERALL * all.folds) / weight;
        const double rows = (HEFT_KFOLD - 1) * fmax(both - drawn * (1 + 1 / n), both / 4);
        const double trees = (h[HEFT_LEARNED] + h[HEFT_BOOSTED]) * sqrt(rows + drawn / n);
        const double least =
            LEAST * (h[HEFT_LEARNED] + h[HEFT_COUNTED] + h[HEFT_BOOSTED]) *
            sqrt(least_variance(s, s->rows.n_distinct * (numeric ? near.share : of[l].share)));
        out[l] = heft_error_byte(sqrt(2) * fmax(trees, least));
    }
    return HEFT_OK;
}

heft_status heft_auto_errors(heft_ctx *ctx, const heft_auto *s, heft_arena *arena)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_auto_fitted *f = &s->fitted;
    spread                  job = {.s = s, .n_sets = s->rows.n_folds + s->plan.n_sets};
    heft_sample             all;
    double                  numbers = 0;
    const size_t            m = s->rows.all.rows->n_attr;
    const bool              boosted = f->takes_part[HEFT_BOOSTED] && f->weight[HEFT_BOOSTED] > 0;
    if (!boosted || s->rows.n_folds == 0 || s->plan.n_sets == 0) return HEFT_OK;
    if (s->rows.used.turns.n > 1) return HEFT_OK;
    for (size_t k = 0; k < job.n_sets; k++)
        for (size_t i = 0; i < f->boosted[k].bins.n_attr; i++)
            numbers += (double)f->boosted[k].bins.attr[i].n_codes * (double)s->rows.all.n_class;
    if (numbers > MOST_NUMBERS) return HEFT_OK;
    HEFT_CHECK(heft_auto_mean_sample(ctx, s, &all));
    HEFT_ALLOCS(ctx, &ctx->scratch, job.n_sets, job.main, job.place);
    for (size_t k = 0; k < job.n_sets; k++) {
        const heft_boosted *b = &f->boosted[k];
        HEFT_ALLOC(ctx, &ctx->scratch, job.place[k], m);
        for (size_t j = 0; j < m; j++) job.place[k][j] = UINT32_MAX;
        for (size_t i = 0; i < b->bins.n_attr; i++)
            job.place[k][b->bins.attr[i].attr] = (uint32_t)i;
        HEFT_CHECK(heft_boosted_mains(ctx, b, &all, &job.main[k]));
    }
    s->pooled->has_errors = true;
    for (size_t j = 0; j < m; j++) {
        heft_pooled_attr *a = &s->pooled->attr[j];
        HEFT_ALLOC(ctx, arena, a->error, a->lines.n_lines);
        HEFT_CHECK(attr_errors(ctx, &job, j, a->error));
    }
    return HEFT_OK;
}
