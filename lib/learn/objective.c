/* objective.c - value and gradient of a loss over the rows.
 *
 * An evaluation (heft_evidence_sum) is one pass over the rows. open_pass multiplies each table of
 * log-likelihoods by the weights, so that a row's score is a sum of table lines, one per group of
 * joined attributes. sum_block takes the rows in tiles that stay in the nearest cache: it adds up
 * the scores of a tile, the loss turns them into residuals r (d loss / d score) in place, and the
 * residuals are added to histograms by code. take_outcome turns the histograms of joined codes into
 * those of single attributes, and `contract` multiplies them with the log-likelihoods: the gradient
 * by weights of any shape comes from the same histograms, which is why the shape costs nothing per
 * row.
 *
 * Residuals are rounded to a grid before they are added, and then every sum is exact. The grid must
 * suit the sum of all |r|, which is known only after the pass: it is guessed from the evaluation
 * before, and where the guess was wrong (too small: sums could round; 32 times too large: digits
 * are wasted) the pass is repeated with the sum just found. Both cases depend on the sums alone, so
 * that all threads, ranks and orders of rows repeat alike. */
#include "learn/objective.h"

#include "base/all.h"
#include "base/double_double.h"
#include "base/rows.h"
#include "base/wide.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    TILE = HEFT_MOST_TILE, /* scores in a tile */
    VISIT_TILES = 4,       /* tiles per task of heft_evidence_visit */
    MOST_GUESSES = 5       /* passes of one evaluation */
};

typedef struct places { /* offsets of the components of the sums over rows; see run_pass */
    size_t size, base, codes, dense, width;
} places;

typedef struct pass { /* one evaluation */
    const heft_evidence *ev;
    size_t               n_score, n_sums;
    places               at;
    double              *ones;   /* weights of a tile's rows if the rows have none: all 1 */
    double              *base;   /* n_score numbers that all scores start from */
    double              *folded; /* weighted table of each joined code, n_code x n_score */
    double              *dense;  /* weights of the dense attributes, n_dense x n_score */
    heft_loss            loss;
    double               step;            /* grain that rounds the terms of scores */
    double               most;            /* upper limit of the sums of residuals */
    double               grain;           /* grain that rounds residuals */
    double              *coarse, *fine;   /* grains for products with each dense column */
    bool                 size;            /* whether to contract with |l| instead of l */
    bool                 slopes, by_base; /* whether gradients by weights and by base are wanted */
    heft_visit_fn       *visit;
    void                *visit_user;
} pass;

/* ---- exact sums ---- */

/* The grain for sums up to `most`. (x + grain) - grain is x rounded to a multiple of a power of two
 * d, where grain = 1.5 * 2^52 d. Rounded numbers add up exactly, in any order, while sums stay
 * below 2^53 d. Returns 0, which rounds nothing, if there is no suitable grain. */
static double grain_for(double most)
{
    int e;
    if (!(most > 0) || most > 1e300) return 0;
    (void)frexp(most, &e);
    return e < -900 ? 0 : ldexp(3, e);
}

static inline double rounded(double x, double grain)
{
    return (x + grain) - grain;
}

static void round_residuals(const pass *p, const heft_tile *tile, double *r)
{
    for (size_t k = 0; k < tile->n * p->n_score; k++) r[k] = rounded(r[k], p->grain);
}

/* Multiplies residuals by the weights of their rows. A row of whole weight w counts exactly like w
 * rows, because a whole multiple of a rounded residual needs no rounding. */
static void weigh_residuals(const pass *p, const heft_tile *tile, double *r)
{
    const double grain = p->grain;
    const size_t L = p->n_score;
    if (!p->ev->weight) return;
    if (L == 1)
        for (size_t i = 0; i < tile->n; i++) r[i] = rounded(tile->weight[i] * r[i], grain);
    else
        for (size_t i = 0; i < tile->n; i++)
            for (size_t k = 0; k < L; k++)
                r[i * L + k] = rounded(tile->weight[i] * r[i * L + k], grain);
}

enum { SIDE = 8 }; /* number of independent sums, so that additions overlap */

static void add_dd(double *sum, heft_dd x)
{
    const heft_dd s = heft_dd_add((heft_dd){sum[0], sum[1]}, x);
    sum[0] = s.high, sum[1] = s.low;
}

/* Adds the values times their weights (all 1 if `weight` is NULL) to the double-double sum[2]. */
HEFT_INLINE void add_values(const double *v, const double *weight, size_t n, double *sum)
{
    double high[SIDE] = {0}, low[SIDE] = {0};
    size_t i = 0;
    for (; i + SIDE <= n; i += SIDE)
        for (size_t k = 0; k < SIDE; k++) {
            const heft_dd p =
                weight ? heft_two_product(v[i + k], weight[i + k]) : (heft_dd){v[i + k], 0};
            const heft_dd s = heft_two_sum(high[k], p.high);
            high[k] = s.high;
            low[k] += weight ? s.low + p.low : s.low;
        }
    for (; i < n; i++) add_dd(sum, weight ? heft_two_product(v[i], weight[i]) : (heft_dd){v[i], 0});
    for (size_t k = 0; k < SIDE; k++) add_dd(sum, heft_two_sum(high[k], low[k]));
}

HEFT_WIDE static void add_sums(const pass *p, const heft_tile *tile, const double *value,
                               double *acc)
{
    for (size_t k = 0; k < p->n_sums; k++, value += tile->n, acc += 2)
        if (p->ev->weight) add_values(value, tile->weight, tile->n, acc);
        else add_values(value, NULL, tile->n, acc);
}

/* The sum of |r|, which is exact in any order because the r are rounded. */
HEFT_WIDE static double size_of(const double *r, size_t n)
{
    double sum[SIDE] = {0}, all = 0;
    size_t i = 0;
    for (; i + SIDE <= n; i += SIDE)
        for (size_t k = 0; k < SIDE; k++) sum[k] += fabs(r[i + k]);
    for (; i < n; i++) all += fabs(r[i]);
    for (size_t k = 0; k < SIDE; k++) all += sum[k];
    return all;
}

/* Adds the sums of one block of rows to those of the blocks before it. */
static void add_slice(const void *arg, const double *slice, size_t width, double *out)
{
    const pass *p = arg;
    for (size_t k = 0; k < p->n_sums; k++)
        add_dd(out + 2 * k, (heft_dd){slice[2 * k], slice[2 * k + 1]});
    for (size_t v = p->at.size; v < width; v++) out[v] += slice[v];
}

/* ---- look-up and add ---- */

/* The next functions work forward, adding the table lines of each row's codes to its scores s, and
 * backward, adding its residuals s to those lines. Every caller passes a constant `back`, so that
 * the compiler makes two versions.
 *
 * add_bytes is for one score per row and takes n_q groups of one-byte codes at a time (1, 2 or 4,
 * also a constant). The scores are loaded and stored once for all groups, and additions to
 * different histograms do not wait for one another. */
HEFT_INLINE void add_bytes(const heft_group *q, size_t n_q, double *lines, size_t first, size_t n,
                           double *s, bool back)
{
    const uint8_t *code[4];
    double        *table[4];
    for (size_t g = 0; g < n_q; g++) {
        code[g] = (const uint8_t *)q[g].code + first;
        table[g] = lines + q[g].at;
    }
    if (back)
        for (size_t i = 0; i < n; i++) {
            const double x = s[i];
            for (size_t g = 0; g < n_q; g++) table[g][code[g][i]] += x;
        }
    else
        for (size_t i = 0; i < n; i++) {
            double x = table[0][code[0][i]];
            if (n_q > 1) x += table[1][code[1][i]];
            if (n_q > 2) x += table[2][code[2][i]] + table[3][code[3][i]];
            s[i] += x;
        }
}

/* add_lines is for any number of scores per row and codes of any width. Callers pass small numbers
 * of scores as constants. */
HEFT_INLINE void add_lines(size_t n_score, const heft_group *group, double *table, size_t first,
                           size_t n, double *restrict s, bool back)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = heft_code_at(group->code, group->width, first + i);
        double *restrict line = table + (size_t)code * n_score;
        for (size_t k = 0; k < n_score; k++)
            if (back) line[k] += s[i * n_score + k];
            else s[i * n_score + k] += line[k];
    }
}

#define BY_SCORES(fn, n_score, ...)                                                                \
    if ((n_score) == 1) fn(1, __VA_ARGS__);                                                        \
    else if ((n_score) == 2) fn(2, __VA_ARGS__);                                                   \
    else if ((n_score) == 3) fn(3, __VA_ARGS__);                                                   \
    else if ((n_score) == 4) fn(4, __VA_ARGS__);                                                   \
    else if ((n_score) == 6) fn(6, __VA_ARGS__);                                                   \
    else if ((n_score) == 8) fn(8, __VA_ARGS__);                                                   \
    else fn(n_score, __VA_ARGS__)

/* add_lines compiled for wide vectors, for rows with several scores. */
HEFT_WIDE static void add_wide(size_t n_score, const heft_group *group, double *table, size_t first,
                               size_t n, double *s, bool back)
{
    if (back) {
        BY_SCORES(add_lines, n_score, group, table, first, n, s, true);
    } else {
        BY_SCORES(add_lines, n_score, group, table, first, n, s, false);
    }
}

/* Number of groups, from g on, that add_bytes takes at a time: 4, 2 or 1, or 0 if it cannot. */
static size_t n_bytes(const pass *p, size_t g)
{
    size_t n = 0;
    if (p->n_score != 1) return 0;
    while (n < 4 && g + n < p->ev->n_group && p->ev->group[g + n].width == 1) n++;
    return n == 3 ? 2 : n;
}

HEFT_INLINE void add_groups(const pass *p, double *lines, size_t first, size_t n, double *s,
                            bool back)
{
    for (size_t g = 0, taken; g < p->ev->n_group; g += taken) {
        const heft_group *group = &p->ev->group[g];
        double           *table = lines + group->at * p->n_score;
        taken = n_bytes(p, g);
        if (taken == 4) add_bytes(group, 4, lines, first, n, s, back);
        else if (taken == 2) add_bytes(group, 2, lines, first, n, s, back);
        else if (taken == 1) add_bytes(group, 1, lines, first, n, s, back);
        else add_wide(p->n_score, group, table, first, n, s, back);
        if (taken == 0) taken = 1;
    }
}

/* ---- dense attributes ---- */

/* The log-likelihoods of row i: the stored ones, or computed into `line`. */
static const double *dense_line(const pass *p, const heft_dense *dense, size_t i, double *work,
                                double *line)
{
    const heft_evidence *ev = p->ev;
    if (dense->cells) return dense->cells + i * ev->n_base;
    heft_density_logs(&dense->density, ev->n_base, dense->numbers[ev->row ? ev->row[i] : i], work,
                      line);
    return line;
}

static void add_dense(const pass *p, size_t first, size_t n, double *s)
{
    const heft_evidence *ev = p->ev;
    double               work[HEFT_MOST_SCORES], line[HEFT_MOST_SCORES];
    for (size_t d = 0; d < ev->n_dense; d++) {
        const heft_dense *dense = &ev->dense[d];
        const double     *w = p->dense + d * p->n_score;
        if (p->n_score == 1 && dense->cells) {
            const double *x = dense->cells + first;
            for (size_t i = 0; i < n; i++) s[i] += rounded(w[0] * x[i], p->step);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const double *x = dense_line(p, dense, first + i, work, line);
            for (size_t h = 0; h < p->n_score; h += ev->n_base)
                for (size_t k = 0; k < ev->n_base; k++)
                    s[i * p->n_score + h + k] += rounded(w[h + k] * x[k], p->step);
        }
    }
}

/* Adds a product with a dense column. Products may be of any size, so each is split into a coarse
 * and a fine summand, and sums of either kind are exact. The weight is applied afterwards: whole
 * multiples of the summands need no rounding, so a row of weight w adds the same as w rows. */
static inline void add_split(double x, double weight, double coarse, double fine, double *sum)
{
    const double high = rounded(x, coarse), low = rounded(x - high, fine);
    const double whole = rounded(weight * high, coarse);
    sum[0] += whole;
    sum[1] += rounded(weight * high - whole + weight * low, fine);
}

/* Adds the products of x, r and the weights (all 1 if `weight` is NULL) to sum[2] like add_split.
 */
HEFT_INLINE void add_products(const double *x, const double *r, const double *weight, size_t n,
                              double coarse, double fine, double *sum)
{
    typedef double side __attribute__((vector_size(SIDE * sizeof(double))));
    side           high = {0}, low = {0};
    size_t         i = 0;
    for (; i + SIDE <= n; i += SIDE) {
        side a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, r + i, sizeof b);
        const side v = a * b, whole = (v + coarse) - coarse, rest = ((v - whole) + fine) - fine;
        if (!weight) {
            high += whole, low += rest;
            continue;
        }
        memcpy(&a, weight + i, sizeof a);
        const side more = (a * whole + coarse) - coarse;
        high += more;
        low += ((a * whole - more + a * rest) + fine) - fine;
    }
    for (; i < n; i++) add_split(x[i] * r[i], weight ? weight[i] : 1, coarse, fine, sum);
    for (size_t k = 0; k < SIDE; k++) sum[0] += high[k], sum[1] += low[k];
}

HEFT_WIDE static void dot(const double *x, const double *r, const double *weight, size_t n,
                          double coarse, double fine, double *sum)
{
    if (weight) add_products(x, r, weight, n, coarse, fine, sum);
    else add_products(x, r, NULL, n, coarse, fine, sum);
}

/* Adds the gradients of the dense attributes; the residuals r are rounded and not yet multiplied by
 * the weights. */
static void sum_dense(const pass *p, const heft_tile *tile, const double *r, double *acc)
{
    const heft_evidence *ev = p->ev;
    double               work[HEFT_MOST_SCORES], line[HEFT_MOST_SCORES];
    for (size_t d = 0; d < ev->n_dense; d++) {
        const heft_dense *dense = &ev->dense[d];
        const double      coarse = p->coarse[d], fine = p->fine[d];
        double           *g = acc + p->at.dense + 2 * d * p->n_score;
        if (p->n_score == 1 && dense->cells && !p->size) {
            dot(dense->cells + tile->first, r, ev->weight ? tile->weight : NULL, tile->n, coarse,
                fine, g);
            continue;
        }
        for (size_t i = 0; i < tile->n; i++) {
            const double *x = dense_line(p, dense, tile->first + i, work, line);
            for (size_t h = 0; h < p->n_score; h += ev->n_base)
                for (size_t k = 0; k < ev->n_base; k++)
                    add_split(r[i * p->n_score + h + k] * (p->size ? fabs(x[k]) : x[k]),
                              tile->weight[i], coarse, fine, g + 2 * (h + k));
        }
    }
}

/* ---- tiles ---- */

size_t heft_tile_rows(size_t n_score)
{
    HEFT_KNOWN(n_score > 0);
    return n_score >= TILE ? 1 : TILE / n_score;
}

static void forward(const pass *p, size_t first, size_t n, double *scores, heft_tile *tile)
{
    const heft_evidence *ev = p->ev;
    *tile =
        (heft_tile){first, n, p->n_score, ev->y + first, ev->weight ? ev->weight + first : p->ones};
    if (p->size) return; /* heft_evidence_spread does not use scores */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p->n_score; k++) scores[i * p->n_score + k] = p->base[k];
    add_groups(p, p->folded, first, n, scores, false);
    if (ev->n_dense) add_dense(p, first, n, scores);
}

static void sum_block(const void *arg, size_t lo, size_t hi, double *acc)
{
    const pass  *p = arg;
    const size_t step = heft_tile_rows(p->n_score);
    double       scores[HEFT_MOST_SCORES], value[HEFT_MOST_SUMS * TILE];
    for (size_t first = lo; first < hi; first += step) {
        const size_t n = hi - first < step ? hi - first : step;
        heft_tile    tile;
        forward(p, first, n, scores, &tile);
        p->loss.fn(p->loss.user, &tile, scores, value);
        add_sums(p, &tile, value, acc);
        if (!p->slopes && !p->by_base) continue;
        round_residuals(p, &tile, scores);
        if (p->ev->n_dense) sum_dense(p, &tile, scores, acc);
        weigh_residuals(p, &tile, scores);
        acc[p->at.size] += size_of(scores, n * p->n_score);
        double *by_base = acc + p->at.base;
        if (p->by_base)
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < p->n_score; k++) by_base[k] += scores[i * p->n_score + k];
        add_groups(p, acc + p->at.codes, first, n, scores, true);
    }
}

static heft_status visit_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const pass  *p = arg;
    const size_t step = heft_tile_rows(p->n_score);
    double       scores[HEFT_MOST_SCORES];
    (void)ctx;
    for (size_t first = lo; first < hi; first += step) {
        heft_tile tile;
        forward(p, first, hi - first < step ? hi - first : step, scores, &tile);
        p->visit(p->visit_user, &tile, scores);
    }
    return HEFT_OK;
}

/* ---- weights in, gradient out ---- */

/* Index in w, and in its gradient, of the weight of attribute j, score k and a value. For j =
 * n_attr and k = value = 0 it is the length of w. */
static size_t place_of(const heft_head *head, size_t n_base, size_t j, size_t k, size_t value)
{
    return head->shape == HEFT_W_ATTR    ? j
           : head->shape == HEFT_W_CLASS ? j * n_base + k
                                         : head->offset[j] + value;
}

/* The log-likelihood of value v of a member in score k, times its weight. */
static double weighted(const heft_evidence *ev, const heft_head *heads, const heft_member *m,
                       size_t v, size_t k)
{
    const heft_head *head = &heads[k / ev->n_base];
    const size_t     base = k % ev->n_base;
    const uint32_t   value = m->used ? m->used[v] : 0;
    const bool       by_value = head->shape == HEFT_W_VALUE;
    assert(!by_value || m->used);
    const bool   one = head->shape == HEFT_W_ONE || (by_value && value >= m->n_codes);
    const double w = one ? 1 : head->w[place_of(head, ev->n_base, m->j, base, value)];
    return w * m->table[v * ev->n_base + base];
}

/* Upper limit of the absolute values of all scores. */
static double largest_score(const pass *p, const heft_head *heads)
{
    const heft_evidence *ev = p->ev;
    double               all = 0;
    for (size_t k = 0; k < p->n_score; k++)
        if (isfinite(p->base[k])) all = fmax(all, fabs(p->base[k]));
    for (const heft_member *m = ev->member; m < ev->member + ev->n_member; m++) {
        double most = 0;
        for (size_t v = 0; v < m->n_used; v++)
            for (size_t k = 0; k < p->n_score; k++)
                most = fmax(most, fabs(weighted(ev, heads, m, v, k)));
        all += most;
    }
    for (size_t d = 0; d < ev->n_dense; d++) {
        double most = 0;
        for (size_t k = 0; k < p->n_score; k++)
            most = fmax(most, fabs(p->dense[d * p->n_score + k]));
        all += most * ev->dense[d].most;
    }
    return all;
}

/* Computes the weighted table of a group: for every combination of values, the sum of its members'
 * terms. The terms are rounded so that they add up exactly, which makes the scores independent of
 * the order of the attributes. */
static void fold_group(const pass *p, const heft_group *group, const heft_head *heads)
{
    const heft_evidence *ev = p->ev;
    double              *table = p->folded + group->at * p->n_score;
    memset(table, 0, p->n_score * sizeof *table);
    for (size_t at = group->head; at != SIZE_MAX; at = ev->member[at].next) {
        const heft_member *m = &ev->member[at];
        for (size_t v = m->n_used; v-- > 0;) /* downwards, because block 0 is read by all */
            for (size_t k = 0; k < p->n_score; k++) {
                const double add = rounded(weighted(ev, heads, m, v, k), p->step);
                double      *to = table + v * m->stride * p->n_score + k;
                for (size_t c = 0; c < m->stride; c++)
                    to[c * p->n_score] = table[c * p->n_score + k] + add;
            }
    }
}

static heft_status open_pass(heft_ctx *ctx, pass *p, const heft_head *heads, size_t n_heads)
{
    const heft_evidence *ev = p->ev;
    const double         unit = 0x1p-52 / 1.5;
    p->n_score = n_heads * ev->n_base;
    if (p->n_score > HEFT_MOST_SCORES)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "weights cannot be learned for %zu classes, and at most %zu are supported "
                         "(use {method=nb} or {method=aode}, or {advice choose-target})",
                         ev->n_base, HEFT_MOST_SCORES / n_heads);
    const size_t rows = heft_tile_rows(p->n_score), n_ones = ev->n_rows < rows ? ev->n_rows : rows;
    HEFT_ALLOC(ctx, &ctx->scratch, p->ones, n_ones);
    for (size_t i = 0; i < n_ones; i++) p->ones[i] = 1;
    HEFT_ALLOC(ctx, &ctx->scratch, p->base, p->n_score);
    HEFT_ALLOC(ctx, &ctx->scratch, p->folded, ev->n_code * p->n_score);
    HEFT_ALLOC(ctx, &ctx->scratch, p->dense, ev->n_dense * p->n_score);
    HEFT_ALLOCS(ctx, &ctx->scratch, ev->n_dense, p->coarse, p->fine);
    /* Sums of residuals are at most `most`; sums of products with a dense column at most that times
     * its largest |l|; and sums of the remainders of coarse rounding at most half its unit per row.
     */
    p->grain = grain_for(p->most);
    for (size_t d = 0; d < ev->n_dense; d++) {
        p->coarse[d] = grain_for(p->most * ev->dense[d].most);
        p->fine[d] = grain_for(p->coarse[d] * unit * ev->size);
    }
    for (size_t k = 0; k < p->n_score; k++) {
        const heft_head *head = &heads[k / ev->n_base];
        const size_t     base = k % ev->n_base;
        const bool       one = head->shape == HEFT_W_ONE;
        assert(ev->n_dense == 0 || head->shape != HEFT_W_VALUE);
        p->base[k] = head->base ? head->base[base] : 0;
        for (size_t d = 0; d < ev->n_dense; d++)
            p->dense[d * p->n_score + k] =
                one ? 1 : head->w[place_of(head, ev->n_base, ev->dense[d].j, base, 0)];
    }
    p->step = grain_for(largest_score(p, heads));
    for (size_t k = 0; k < p->n_score; k++) p->base[k] = rounded(p->base[k], p->step);
    for (size_t g = 0; g < ev->n_group; g++) fold_group(p, &ev->group[g], heads);
    return HEFT_OK;
}

/* The sums of residuals over the rows: by score, by the values of each member, and by dense
 * attribute. They have the same layout on every rank. */
typedef struct outcome {
    heft_dd sums[HEFT_MOST_SUMS];
    double *all;
    size_t  n, at_member, at_dense; /* length of `all`, and offsets in it; `all` begins with the sum
                                       of |r| and the residuals by score */
} outcome;

static heft_status take_outcome(heft_ctx *ctx, const pass *p, const double *acc, outcome *out)
{
    const heft_evidence *ev = p->ev;
    *out = (outcome){.at_member = 1 + (p->by_base ? p->n_score : 0)};
    out->at_dense = out->at_member;
    if (p->slopes)
        for (size_t at = 0; at < ev->n_member; at++)
            out->at_dense += ev->member[at].n_used * p->n_score;
    out->n = out->at_dense + (p->slopes ? 2 * ev->n_dense * p->n_score : 0);
    HEFT_ALLOC(ctx, &ctx->scratch, out->all, out->n);
    for (size_t k = 0; k < p->n_sums; k++) out->sums[k] = (heft_dd){acc[2 * k], acc[2 * k + 1]};
    out->all[0] = acc[p->at.size];
    if (p->by_base) memcpy(out->all + 1, acc + p->at.base, p->n_score * sizeof *acc);
    if (!p->slopes) return HEFT_OK;
    double *hist = out->all + out->at_member;
    for (size_t g = 0; g < ev->n_group; g++) {
        const heft_group *group = &ev->group[g];
        for (size_t at = group->head; at != SIZE_MAX; at = ev->member[at].next) {
            const heft_member *m = &ev->member[at]; /* hist is n_used x n_score */
            const double      *from = acc + p->at.codes + group->at * p->n_score;
            for (size_t c = 0; c < group->n_code; c++, from += p->n_score)
                for (size_t k = 0; k < p->n_score; k++)
                    hist[c / m->stride % m->n_used * p->n_score + k] += from[k];
            hist += m->n_used * p->n_score;
        }
    }
    memcpy(hist, acc + p->at.dense, 2 * ev->n_dense * p->n_score * sizeof *acc);
    return HEFT_OK;
}

/* Computes the gradient by the weights of one head, whose scores start at first_score. Sums are
 * double-double, so that the order of values and classes does not change the result. */
static heft_status contract(heft_ctx *ctx, const pass *p, const heft_head *head, size_t first_score,
                            const outcome *from, double *gradient)
{
    const heft_evidence *ev = p->ev;
    const size_t         B = ev->n_base, n = place_of(head, B, ev->n_attr, 0, 0);
    const double        *hist = from->all + from->at_member + first_score;
    const double        *dense = from->all + from->at_dense + 2 * first_score;
    heft_dd             *sum;
    HEFT_ALLOC(ctx, &ctx->scratch, sum, n);
    for (size_t g = 0; g < ev->n_group; g++)
        for (size_t at = ev->group[g].head; at != SIZE_MAX; at = ev->member[at].next) {
            const heft_member *m = &ev->member[at];
            for (size_t v = 0; v < m->n_used; v++, hist += p->n_score) {
                const size_t value = m->used ? m->used[v] : 0;
                if (head->shape == HEFT_W_VALUE && value >= m->n_codes) continue;
                for (size_t k = 0; k < B; k++) {
                    const double l = m->table[v * B + k];
                    heft_dd     *to = &sum[place_of(head, B, m->j, k, value)];
                    *to = heft_dd_add(*to, heft_two_product(hist[k], p->size ? fabs(l) : l));
                }
            }
        }
    for (size_t d = 0; d < ev->n_dense; d++, dense += 2 * p->n_score)
        for (size_t k = 0; k < B; k++) {
            heft_dd *to = &sum[place_of(head, B, ev->dense[d].j, k, 0)];
            *to = heft_dd_add(*to, heft_two_sum(dense[2 * k], dense[2 * k + 1]));
        }
    for (size_t k = 0; k < n; k++) gradient[k] = sum[k].high;
    return HEFT_OK;
}

/* Runs one pass over all rows. *size becomes the sum of |residual|. */
static heft_status run_pass(heft_ctx *ctx, pass *p, const heft_head *heads, size_t n_heads,
                            double *sums, double *base_gradient, double *const *gradient,
                            double *size)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *acc;
    outcome out;
    p->n_sums = 1 + p->loss.n_extra;
    p->by_base = base_gradient != NULL;
    for (size_t h = 0; h < n_heads; h++) p->slopes = p->slopes || gradient[h];
    assert(p->n_sums <= HEFT_MOST_SUMS);
    HEFT_CHECK(open_pass(ctx, p, heads, n_heads));
    /* The sums over the rows: n_sums double-double pairs, the loss first; the sum of |residual|;
     * the residuals by score; the histograms of the groups; and the gradients of the dense
     * attributes as a coarse and a fine sum each. */
    p->at.size = 2 * p->n_sums;
    p->at.base = p->at.size + 1;
    p->at.codes = p->at.base + p->n_score;
    p->at.dense = p->at.codes + p->ev->n_code * p->n_score;
    p->at.width = p->at.dense + 2 * p->ev->n_dense * p->n_score;
    HEFT_ALLOC(ctx, &ctx->scratch, acc, p->at.width);
    HEFT_CHECK(heft_sum_rows_by(ctx, p->ev->n_rows, p->at.width, sum_block, add_slice, p, acc));
    HEFT_CHECK(take_outcome(ctx, p, acc, &out));
    HEFT_CHECK(heft_all_sum_exact(ctx, out.sums, p->n_sums, out.all, out.n));
    if (sums)
        for (size_t k = 0; k < p->n_sums; k++) sums[k] = out.sums[k].high;
    *size = out.all[0];
    if (base_gradient) memcpy(base_gradient, out.all + 1, p->n_score * sizeof *base_gradient);
    for (size_t h = 0; h < n_heads; h++)
        if (gradient[h])
            HEFT_CHECK(contract(ctx, p, &heads[h], h * p->ev->n_base, &out, gradient[h]));
    return HEFT_OK;
}

/* Repeats the pass until its rounding fits: sums below p.most are exact, but a limit far above them
 * rounds more than necessary. Without an estimate the first pass rounds nothing and only finds the
 * size of the sums. */
heft_status heft_evidence_sum(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                              size_t n_heads, const heft_loss *loss, double *sums,
                              double *base_gradient, double *const *gradient)
{
    double size = 0, guess = loss->size ? *loss->size : 0;
    for (int left = MOST_GUESSES; left > 0; left--) {
        pass p = {.ev = ev, .loss = *loss, .most = guess * ev->total};
        HEFT_CHECK(run_pass(ctx, &p, heads, n_heads, sums, base_gradient, gradient, &size));
        if (!p.slopes && !p.by_base) return HEFT_OK;
        if (p.most == 0 ? size == 0 : !isfinite(size) || (size <= p.most && size > p.most / 32))
            break;
        guess = 4 * size / ev->total; /* 0 if rounding left nothing: the next pass does not round */
    }
    if (loss->size) *loss->size = guess;
    return HEFT_OK;
}

/* Loss function of heft_evidence_spread: every residual is 1, so that contracting with |l| gives
 * the weighted sum of |l|. */
static void one_each(const void *user, const heft_tile *tile, double *scores, double *value)
{
    (void)user;
    for (size_t i = 0; i < tile->n; i++) value[i] = 0;
    for (size_t k = 0; k < tile->n * tile->n_score; k++) scores[k] = 1;
}

heft_status heft_evidence_spread(heft_ctx *ctx, const heft_evidence *ev, double *spread)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_head head = {.shape = HEFT_W_ATTR};
    pass      p = {.ev = ev, .loss = {.fn = one_each}, .size = true};
    double   *zero, size;
    HEFT_ALLOC(ctx, &ctx->scratch, zero, ev->n_attr);
    head.w = zero;
    p.most = ev->total * (double)ev->n_base;
    HEFT_CHECK(run_pass(ctx, &p, &head, 1, NULL, NULL, &spread, &size));
    for (size_t j = 0; j < ev->n_attr; j++) spread[j] /= ev->total * (double)p.n_score;
    return HEFT_OK;
}

heft_status heft_evidence_visit(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                                size_t n_heads, heft_visit_fn *visit, void *user)
{
    HEFT_SCRATCH_SCOPE(ctx);
    pass p = {.ev = ev, .visit = visit, .visit_user = user};
    HEFT_CHECK(open_pass(ctx, &p, heads, n_heads));
    return heft_run_blocks(ctx, ev->n_rows, VISIT_TILES * heft_tile_rows(p.n_score), visit_block,
                           &p);
}

double heft_dense_value(const heft_evidence *ev, size_t d, size_t i)
{
    double     work[HEFT_MOST_SCORES], line[1];
    const pass p = {.ev = ev};
    return dense_line(&p, &ev->dense[d], i, work, line)[0];
}

/* The bits are those of `forward`, because the terms of scores add up exactly in any order. */
heft_status heft_evidence_scores(heft_ctx *ctx, const heft_evidence *ev, const heft_head *head,
                                 const size_t *row, size_t n, double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    pass p = {.ev = ev};
    assert(ev->n_base == 1);
    HEFT_CHECK(open_pass(ctx, &p, head, 1));
    for (size_t k = 0; k < n; k++) {
        const size_t i = row ? row[k] : k;
        out[k] = p.base[0];
        for (const heft_group *g = ev->group; g < ev->group + ev->n_group; g++)
            out[k] += p.folded[g->at + heft_code_at(g->code, g->width, i)];
        for (size_t d = 0; d < ev->n_dense; d++)
            out[k] += rounded(p.dense[d] * heft_dense_value(ev, d, i), p.step);
    }
    return HEFT_OK;
}
