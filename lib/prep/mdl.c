/* mdl.c - supervised cut points by the minimum description length principle.
 * Fayyad and Irani, Multi-Interval Discretization of Continuous-Valued Attributes for
 * Classification Learning, 1993.
 *
 * A set S of N values with k classes and class entropy H(S), in bits, is cut in S1, S2 where
 *
 *   E = N1/N H(S1) + N2/N H(S2)
 *
 * is least (on a tie the lowest cut is taken), and both subsets are cut again, as long as
 *
 *   H(S) - E > scale (log2(N - 1) + delta) / N
 *   delta = log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2))
 *
 * Cuts lie midway between adjacent distinct values. Counts are sums of weights; a set of weight
 * below 2 is not cut.
 *
 * The work runs on a grid of groups by classes, built by one sort. A group is a distinct value, or
 * a run of values that all belong to one class: E is strictly concave along such a run (theorem 1
 * of the paper), so that its least value is never inside. From one group to the next the sums
 * of n log2 n change only for the classes of the group, and each node costs O(entries log entries)
 * at most, however many classes there are. */
#include <math.h>
#include <stdlib.h>

#include "base/double_double.h"
#include "base/rows.h"
#include "prep/points.h"

typedef struct group {
    double first, last; /* lowest and highest value of the group */
    size_t entry;       /* first entry of the group; the next group's is its end */
} group;

typedef struct grid {
    size_t    n_groups, n_entries, n_class;
    group    *groups; /* n_groups + 1; the last one only marks the end */
    uint16_t *cls;    /* by entry: the class; classes increase within a group */
    double   *count;
    size_t    n_known;
    double   *known; /* table of n log2 n for whole n below n_known */
} grid;

typedef struct node {            /* the class counts of a set of groups */
    double   *count;             /* weight by class; 0 for classes that are not listed */
    uint16_t *listed;            /* in increasing order: all classes present, and perhaps others */
    size_t    n_listed, n_class; /* numbers of classes listed and of classes present */
    double    total, entropy;
} node;

typedef struct halves { /* weight of one class on both sides of a cut */
    double left, right;
    double logs; /* sum of n log2 n over both sides */
} halves;

/* Least entropies closer than this are ties: they must not be decided by rounding. */
static const double SLACK = 1e-12;

/* Add x to a running sum that keeps its rounding errors. */
static inline void sum_add(heft_dd *s, double x)
{
    const heft_dd t = heft_two_sum(s->high, x);
    *s = (heft_dd){t.high, s->low + t.low};
}

static inline double n_log_n(const grid *g, double n)
{
    const size_t k = n > 0 && n < (double)g->n_known ? (size_t)n : 0;
    if (k > 0 && (double)k == n) return g->known[k];
    return n > 0 ? n * log2(n) : 0;
}

/* ---- the grid ---- */

/* Join the last group with the one before it if both consist of the same single class. */
static void join_group(grid *g)
{
    if (g->n_groups < 2) return;
    group       *last = &g->groups[g->n_groups - 1], *before = last - 1;
    const size_t e = before->entry;
    if (last->entry != e + 1 || g->n_entries != e + 2 || g->cls[e] != g->cls[e + 1]) return;
    g->count[e] += g->count[e + 1];
    before->last = last->last;
    g->n_entries--;
    g->n_groups--;
}

static heft_status build_grid(heft_ctx *ctx, const heft_points *p, size_t n_class, grid *g)
{
    const size_t n = p->n;
    heft_ranked *v, *spare;
    g->n_class = n_class;
    HEFT_ALLOC(ctx, &ctx->scratch, g->groups, n + 1);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, g->cls, g->count);
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    const size_t m = heft_points_order(p->x, p->y, p->weight, n, n_class, v, spare);
    HEFT_ROWS (i, m) {
        const bool fresh = i == 0 || v[i].key != v[i - 1].key;
        if (fresh) {
            join_group(g);
            const double value = heft_order_value(v[i].key);
            g->groups[g->n_groups++] = (group){value, value, g->n_entries};
        }
        const uint16_t c = p->y[v[i].row];
        if (fresh || g->cls[g->n_entries - 1] != c) {
            g->cls[g->n_entries] = c;
            g->count[g->n_entries++] = 0;
        }
        g->count[g->n_entries - 1] += p->weight ? p->weight[v[i].row] : 1;
    }
    join_group(g);
    g->groups[g->n_groups].entry = g->n_entries;
    return HEFT_OK;
}

/* Make a table of n log2 n if all counts are whole numbers and their sum is not much larger than
 * the number of entries; otherwise the table would cost more than it saves. */
static heft_status know_logs(heft_ctx *ctx, grid *g)
{
    double total = 0;
    HEFT_ROW_BLOCKS (lo, hi, g->n_entries)
        for (size_t e = lo; e < hi; e++) {
            if (g->count[e] != floor(g->count[e])) return HEFT_OK;
            total += g->count[e];
        }
    if (!(total <= 16 * (double)g->n_entries)) return HEFT_OK;
    const size_t n = (size_t)total + 1;
    HEFT_ALLOC(ctx, &ctx->scratch, g->known, n);
    HEFT_RANGE (k, 1, n) g->known[k] = (double)k * log2((double)k);
    g->n_known = n;
    return HEFT_OK;
}

/* ---- cutting ---- */

static int by_number(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* List the classes of groups first..end-1. If there are fewer entries than classes, only the
 * classes of the entries are listed, so that the cost does not grow with the number of classes. */
static void list_classes(const grid *g, size_t first, size_t end, node *s)
{
    for (size_t k = 0; k < s->n_listed; k++) s->count[s->listed[k]] = 0;
    s->n_listed = 0;
    if (end - first >= g->n_class) {
        while (s->n_listed < g->n_class)
            s->listed[s->n_listed] = (uint16_t)s->n_listed, s->n_listed++;
        return;
    }
    for (size_t e = first; e < end; e++) {
        if (s->count[g->cls[e]] == 0) s->listed[s->n_listed++] = g->cls[e];
        s->count[g->cls[e]] = 1;
    }
    for (size_t k = 0; k < s->n_listed; k++) s->count[s->listed[k]] = 0;
    qsort(s->listed, s->n_listed, sizeof *s->listed, by_number);
}

static void count_node(const grid *g, size_t lo, size_t hi, node *s)
{
    const size_t first = g->groups[lo].entry;
    list_classes(g, first, g->groups[hi].entry, s);
    HEFT_ROW_BLOCKS (from, to, g->groups[hi].entry - first)
        for (size_t e = first + from; e < first + to; e++) s->count[g->cls[e]] += g->count[e];
    s->total = 0;
    s->n_class = 0;
    double logs = 0;
    for (size_t k = 0; k < s->n_listed; k++) {
        const double n = s->count[s->listed[k]];
        s->total += n;
        s->n_class += n > 0;
        logs += n_log_n(g, n);
    }
    s->entropy = s->n_class > 1 ? (n_log_n(g, s->total) - logs) / s->total : 0;
}

/* Returns the group after which E is least among groups lo..hi-1, of which there are at least two.
 * `parts` is work space with one element per class. */
static size_t least_entropy(const grid *g, size_t lo, size_t hi, const node *whole, halves *parts)
{
    heft_dd logs = {0, 0}, n1 = {0, 0}; /* sum of n log2 n over both sides and all classes; N1 */
    double  least = INFINITY;
    size_t  best = lo;
    for (size_t k = 0; k < whole->n_listed; k++) {
        const size_t c = whole->listed[k];
        parts[c] = (halves){0, whole->count[c], n_log_n(g, whole->count[c])};
        sum_add(&logs, parts[c].logs);
    }
    HEFT_RANGE (k, lo, hi - 1) {
        for (size_t e = g->groups[k].entry; e < g->groups[k + 1].entry; e++) {
            halves *p = &parts[g->cls[e]];
            sum_add(&logs, -p->logs);
            p->left += g->count[e];
            p->right -= g->count[e];
            p->logs = n_log_n(g, p->left) + n_log_n(g, p->right);
            sum_add(&logs, p->logs);
            sum_add(&n1, g->count[e]);
        }
        const double N1 = n1.high + n1.low, N2 = whole->total - N1;
        const double E = (n_log_n(g, N1) + n_log_n(g, N2) - (logs.high + logs.low)) / whole->total;
        if (E < least - SLACK) {
            least = E;
            best = k;
        }
    }
    return best;
}

/* The test of the paper, with its threshold multiplied by `scale`. */
static bool worth_cutting(const node *s, const node *s1, const node *s2, double scale)
{
    const double N = s->total, k = (double)s->n_class;
    const double E = s1->total / N * s1->entropy + s2->total / N * s2->entropy;
    const double gain = s->entropy - E;
    const double log_3k = s->n_class > 40 ? k * log2(3) : log2(pow(3, k) - 2);
    const double delta = log_3k - (k * s->entropy - (double)s1->n_class * s1->entropy -
                                   (double)s2->n_class * s2->entropy);
    return gain > 0 && gain > scale * (log2(N - 1) + delta) / N;
}

/* Mark the groups that are followed by a cut. */
static heft_status cut_grid(heft_ctx *ctx, const grid *g, double scale, bool *cut_after,
                            size_t *n_cuts)
{
    node    s = {0}, s1 = {0}, s2 = {0};
    halves *parts;
    /* The smaller subset is cut first, so that the sizes of the waiting subsets at least halve from
     * one to the next. So there are never more of them than a size_t has bits. */
    struct span {
        size_t lo, hi;
    } waiting[8 * sizeof(size_t) + 1] = {{0, g->n_groups}};
    size_t n_waiting = 1;
    HEFT_ALLOCS(ctx, &ctx->scratch, g->n_class, s.count, s1.count, s2.count, parts);
    HEFT_ALLOCS(ctx, &ctx->scratch, g->n_class, s.listed, s1.listed, s2.listed);
    while (n_waiting > 0) {
        const size_t lo = waiting[--n_waiting].lo, hi = waiting[n_waiting].hi;
        if (hi - lo < 2) continue;
        HEFT_CHECK(heft_check_cancel(ctx));
        count_node(g, lo, hi, &s);
        if (s.n_class < 2 || s.total < 2) continue;
        const size_t at = least_entropy(g, lo, hi, &s, parts);
        count_node(g, lo, at + 1, &s1);
        count_node(g, at + 1, hi, &s2);
        if (!worth_cutting(&s, &s1, &s2, scale)) continue;
        cut_after[at] = true;
        (*n_cuts)++;
        const struct span left = {lo, at + 1}, right = {at + 1, hi};
        const bool        left_first = at + 1 - lo < hi - at - 1;
        waiting[n_waiting++] = left_first ? right : left;
        waiting[n_waiting++] = left_first ? left : right;
    }
    return HEFT_OK;
}

/* Returns the middle of u < v, but never v itself: x <= cut must separate u from v. */
static double midway(double u, double v)
{
    const double both = u + v, x = isfinite(both) ? both / 2 : u / 2 + v / 2;
    return x < v ? x + 0.0 : u;
}

heft_status heft_cuts_mdl(heft_ctx *ctx, heft_arena *arena, const heft_points *points,
                          size_t n_class, double scale, double **cuts, size_t *n_cuts)
{
    grid   g = {0};
    bool  *cut_after;
    size_t found = 0, k = 0;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    *cuts = NULL;
    *n_cuts = 0;
    HEFT_CHECK(build_grid(ctx, points, n_class, &g));
    HEFT_CHECK(know_logs(ctx, &g));
    HEFT_ALLOC(ctx, &ctx->scratch, cut_after, g.n_groups + 1);
    HEFT_CHECK(cut_grid(ctx, &g, scale, cut_after, &found));
    if (found == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, *cuts, found);
    for (size_t i = 0; i + 1 < g.n_groups; i++)
        if (cut_after[i]) (*cuts)[k++] = midway(g.groups[i].last, g.groups[i + 1].first);
    *n_cuts = found;
    return HEFT_OK;
}
