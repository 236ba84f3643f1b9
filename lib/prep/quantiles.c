/* quantiles.c - quantiles of a column whose rows may be spread over processes, and cuts. */
#include "prep/quantiles.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/wide.h"

enum { BITS = 4, PROBES = (1 << BITS) - 1 }; /* one exchange between processes finds BITS bits */

/* ---- distinct numbers ---- */

typedef struct weighted_key {
    uint64_t key;
    double   weight;
} weighted_key;

/* Merge the distinct numbers of all processes. */
static heft_status join(heft_ctx *ctx, heft_quantiles *l)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_FREED weighted_key  *mine = NULL;
    heft_ranked              *v, *spare;
    double                   *weight, sum = 0;
    HEFT_NEW(ctx, mine, l->n);
    for (size_t k = 0; k < l->n; k++)
        mine[k] = (weighted_key){l->key[k], l->up_to[k] - (k ? l->up_to[k - 1] : 0)};
    HEFT_CHECK(heft_all_gather(ctx, mine, l->n * sizeof *mine, &all));
    const size_t n = all.start[all.n] / sizeof *mine;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare, weight, l->key, l->up_to);
    for (size_t k = 0; k < n; k++) {
        weighted_key r;
        memcpy(&r, all.bytes + k * sizeof r, sizeof r);
        v[k] = (heft_ranked){r.key, k};
        weight[k] = r.weight;
    }
    heft_order_sort(v, spare, n);
    l->n = 0;
    for (size_t k = 0; k < n; k++) {
        sum += weight[v[k].row];
        if (k == 0 || v[k].key != v[k - 1].key) l->key[l->n++] = v[k].key;
        l->up_to[l->n - 1] = sum;
    }
    return HEFT_OK;
}

/* Whether all weights are whole numbers above 0. */
static bool are_whole(const double *weight, size_t n)
{
    size_t i = 0;
    if (!weight) return true;
    while (i < n && weight[i] > 0 && weight[i] == floor(weight[i])) i++;
    return i == n;
}

heft_status heft_quantiles_make(heft_ctx *ctx, const double *x, const double *weight, size_t n,
                                bool all, heft_quantiles *out)
{
    heft_ranked *v, *spare;
    double       sum = 0, most[2];
    *out = (heft_quantiles){.whole = true, .here = true};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, out->key, out->up_to);
    {
        HEFT_SCRATCH_SCOPE(ctx);
        HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
        /* Equal values come by increasing weight, so that sums do not depend on the order of the
         * rows. Sums of whole weights do not anyway. */
        const size_t m =
            heft_points_order(x, NULL, are_whole(weight, n) ? NULL : weight, n, 0, v, spare);
        HEFT_ROWS (i, m) {
            const double w = weight ? weight[v[i].row] : 1;
            sum += w;
            out->whole = out->whole && w == floor(w);
            if (i == 0 || v[i].key != v[i - 1].key) out->key[out->n++] = v[i].key;
            out->up_to[out->n - 1] = sum;
        }
    }
    out->total = sum;
    if (!all || heft_is_single(ctx)) return HEFT_OK;
    most[0] = (double)out->n, most[1] = !out->whole;
    HEFT_CHECK(heft_all_max(ctx, most, 2));
    HEFT_CHECK(heft_all_sum(ctx, &out->total, 1));
    out->whole = most[1] == 0;
    out->here = most[0] <= HEFT_QUANTILES_FEW;
    return out->here ? join(ctx, out) : HEFT_OK;
}

/* ---- values ---- */

/* Returns how many numbers of this process have keys of at most `key`. */
static size_t numbers_to(const heft_quantiles *l, uint64_t key)
{
    return key == UINT64_MAX ? l->n : heft_lower_bound_u64(l->key, l->n, key + 1);
}

static double weight_to(const heft_quantiles *l, uint64_t key)
{
    const size_t k = numbers_to(l, key);
    return k ? l->up_to[k - 1] : 0;
}

/* Whether a weight reaches p. A weight of 0 never does, because there is no value. */
static bool enough(double weight, double p, bool reach)
{
    return weight > 0 && (reach ? weight >= p : weight > p);
}

/* Find values if this process has the numbers of all processes. */
static void find_here(const heft_quantiles *l, const double *p, size_t n, bool reach, double *value,
                      double *next)
{
    for (size_t k = 0; k < n; k++) {
        size_t lo = 0, hi = l->n - 1; /* the last value if none reaches p */
        while (lo < hi) {
            const size_t mid = lo + (hi - lo) / 2;
            if (enough(l->up_to[mid], p[k], reach)) hi = mid;
            else lo = mid + 1;
        }
        value[k] = heft_order_value(l->key[lo]);
        if (next) next[k] = lo + 1 < l->n ? heft_order_value(l->key[lo + 1]) : INFINITY;
    }
}

/* Find BITS further bits of each key[n]. What is sought is the lowest key whose weight reaches p;
 * key[k] becomes the largest multiple of 2^shift that is not above it. */
static heft_status find_bits(heft_ctx *ctx, const heft_quantiles *l, const double *p, size_t n,
                             bool reach, int shift, uint64_t *key)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *weight;
    HEFT_ALLOC(ctx, &ctx->scratch, weight, n * PROBES);
    for (size_t k = 0; k < n; k++)
        for (uint64_t d = 0; d < PROBES; d++) /* weight up to the end of range d */
            weight[k * PROBES + d] = weight_to(l, key[k] + (((d + 1) << shift) - 1));
    HEFT_CHECK(heft_all_sum(ctx, weight, n * PROBES));
    for (size_t k = 0; k < n; k++) {
        uint64_t d = 0;
        while (d < PROBES && !enough(weight[k * PROBES + d], p[k], reach)) d++;
        key[k] += d << shift;
    }
    return HEFT_OK;
}

/* Find values by exchanges between processes. If no key reaches p, the highest key is taken. */
static heft_status find_all(heft_ctx *ctx, const heft_quantiles *l, const double *p, size_t n,
                            bool reach, double *value, double *next)
{
    HEFT_SCRATCH_SCOPE(ctx);
    uint64_t *key;
    double   *after, top = l->n ? heft_order_value(l->key[l->n - 1]) : -INFINITY;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, key, after);
    HEFT_CHECK(heft_all_max(ctx, &top, 1));
    for (int shift = 64 - BITS; shift >= 0; shift -= BITS)
        HEFT_CHECK(find_bits(ctx, l, p, n, reach, shift, key));
    for (size_t k = 0; k < n; k++) {
        if (!enough(l->total, p[k], reach)) key[k] = heft_order_key(top);
        const size_t above = numbers_to(l, key[k]);
        value[k] = heft_order_value(key[k]);
        after[k] = above < l->n ? -heft_order_value(l->key[above]) : -INFINITY;
    }
    if (!next) return HEFT_OK;
    HEFT_CHECK(heft_all_max(ctx, after, n));
    for (size_t k = 0; k < n; k++) next[k] = -after[k];
    return HEFT_OK;
}

heft_status heft_quantiles_find(heft_ctx *ctx, const heft_quantiles *quantiles, const double *p,
                                size_t n, bool reach, double *value, double *next)
{
    if (!quantiles->here) return find_all(ctx, quantiles, p, n, reach, value, next);
    find_here(quantiles, p, n, reach, value, next);
    return HEFT_OK;
}

/* ---- quantiles ---- */

/* a + t (b - a), 0 <= t <= 1, from the nearer end, never outside [a, b]. */
static double between(double a, double b, double t)
{
    const double d = b - a;
    if (!isfinite(d)) return a * (1 - t) + b * t;
    const double x = t < 0.5 ? a + d * t : b - d * (1 - t);
    return x < a ? a : x > b ? b : x;
}

/* Add a cut if it is larger than the last one. */
static void add_cut(double *cuts, size_t *n_cuts, double x)
{
    if (*n_cuts == 0 || x > cuts[*n_cuts - 1]) cuts[(*n_cuts)++] = x + 0.0;
}

heft_status heft_quantiles_cuts(heft_ctx *ctx, const heft_quantiles *quantiles, const size_t *bins,
                                size_t n_lists, double *const *cuts, size_t *n_cuts)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const double total = quantiles->total;
    double      *p, *value, *next;
    size_t       n = 0;
    for (size_t l = 0; l < n_lists; l++) {
        n_cuts[l] = 0;
        n += 2 * bins[l];
    }
    if (quantiles->here && quantiles->n < 2) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, p, value);
    n = 0;
    for (size_t l = 0; l < n_lists; l++)
        for (size_t k = 1; k < bins[l]; k++) { /* two order statistics, or one value twice */
            const double q = (double)k / (double)bins[l], place = (total - 1) * q;
            p[n] = quantiles->whole ? floor(place) : q * total * (1 - 1e-12);
            p[n + 1] = quantiles->whole ? floor(place) + 1 : p[n];
            n += 2;
        }
    HEFT_CHECK(heft_quantiles_find(ctx, quantiles, p, n, false, value, NULL));
    next = value;
    for (size_t l = 0; l < n_lists; l++)
        for (size_t k = 1; k < bins[l]; k++, next += 2) {
            const double place = (total - 1) * ((double)k / (double)bins[l]);
            const double x =
                quantiles->whole ? between(next[0], next[1], place - floor(place)) : next[0];
            add_cut(cuts[l], &n_cuts[l], x);
        }
    return HEFT_OK;
}

/* ---- cuts, and the codes that follow from them ---- */

heft_status heft_cuts_width(heft_ctx *ctx, heft_arena *arena, const double *x, size_t n,
                            size_t bins, double **cuts, size_t *n_cuts)
{
    double lo = INFINITY, hi = -INFINITY;
    *cuts = NULL;
    *n_cuts = 0;
    HEFT_ROWS (i, n) {
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    const double range = hi - lo, width = range / (double)bins;
    if (bins < 2 || !(width > 0)) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, *cuts, bins - 1);
    for (size_t k = 1; k < bins; k++)
        add_cut(*cuts, n_cuts,
                isfinite(range) ? lo + width * (double)k
                                : between(lo, hi, (double)k / (double)bins));
    return HEFT_OK;
}

heft_status heft_cuts_frequency(heft_ctx *ctx, heft_arena *arena, const double *x,
                                const double *weight, size_t n, size_t bins, double **cuts,
                                size_t *n_cuts)
{
    heft_quantiles quantiles;
    *cuts = NULL;
    *n_cuts = 0;
    if (bins < 2) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, *cuts, bins - 1);
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    HEFT_CHECK(heft_quantiles_make(ctx, x, weight, n, false, &quantiles));
    return heft_quantiles_cuts(ctx, &quantiles, &bins, 1, cuts, n_cuts);
}

uint32_t heft_cut_code(const double *cuts, size_t n_cuts, double x)
{
    return (uint32_t)heft_lower_bound(cuts, n_cuts, x);
}

/* Binary searches of many rows run in step with each other and without branches, so that no search
 * waits for the memory access of another. A chunk of codes stays in the nearest cache. */
HEFT_WIDE static void search_cuts(const double *cuts, size_t n_cuts, const double *x, size_t n,
                                  uint32_t *out)
{
    enum { CHUNK = 512 };
    for (size_t some; n > 0; n -= some, x += some, out += some) {
        some = n < CHUNK ? n : CHUNK;
        memset(out, 0, some * sizeof *out);
        for (size_t left = n_cuts; left > 1; left -= left / 2) {
            const uint32_t half = (uint32_t)(left / 2);
            const double  *at = cuts + half - 1;
            for (size_t i = 0; i < some; i++) out[i] += half * (at[out[i]] < x[i]);
        }
        if (n_cuts)
            for (size_t i = 0; i < some; i++) out[i] += cuts[out[i]] < x[i];
    }
}

void heft_cuts_below(const double *cuts, size_t n_cuts, const double *x, size_t n, uint32_t *out)
{
    search_cuts(cuts, n_cuts, x, n, out);
}

heft_status heft_points_cut(heft_ctx *ctx, const heft_points *points, const heft_binning *how,
                            size_t n_class, heft_arena *arena, double **cuts, size_t *n_cuts)
{
    switch (how->cutting) {
    case HEFT_CUT_WIDTH:
        return heft_cuts_width(ctx, arena, points->x, points->n, how->bins, cuts, n_cuts);
    case HEFT_CUT_FREQUENCY:
        return heft_cuts_frequency(ctx, arena, points->x, points->weight, points->n, how->bins,
                                   cuts, n_cuts);
    case HEFT_CUT_MDL:
        return heft_cuts_mdl(ctx, arena, points, n_class, how->mdl_scale, cuts, n_cuts);
    default: /* presence: one cut, at 0 */
        HEFT_ALLOC(ctx, arena, *cuts, 1);
        *n_cuts = 1;
        return HEFT_OK;
    }
}
