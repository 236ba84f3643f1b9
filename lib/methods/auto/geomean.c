/* geomean.c - the weighted geometric mean of one-dependence estimators, from counts. */
#include "methods/auto/geomean.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"
#include "methods/auto/pair_search.h"
#include "stats/info.h"

const heft_geomean_rule heft_geomean_plain = {.s0 = 1, .s = 5, .limit = 5e7, .dense = 1 << 20};

enum { BLOCK = 512, LOOKED = 64, TOGETHER = 4, GROUP_CELLS = 1 << 20, MOST_PRODUCT = 6000 };

typedef struct single { /* one attribute, q lines of K each */
    double *count;
    double *base;                 /* P0, q */
    double *like;                 /* P(v | c) */
    double *log_like;             /* log(s P(v | c)) */
    double *log_own;              /* log(n_cv + s) */
    double *like_less, *log_less; /* P(v | c) and log_own with a weight of 1 left out */
    double *change;               /* what leaving out a weight of 1 adds to omega log P(c, v) */
} single;

typedef struct work {
    const heft_sample       *sample;
    const heft_cells *const *cells;
    const heft_geomean_rule *rule;
    const heft_left_out     *left;
    size_t                   n_all; /* rows of all processes */
    double                  *own;   /* what leaving out changes in the row's own class */
    heft_geomean            *out;
    single                  *one;
    size_t                   first, last; /* pairs of the current group */
    heft_join                join;        /* for a sparse pair, which is a group of its own */
    heft_cells               joined;
    double                 **count, **change;
    double                 **mean;    /* the means of each pair: over j, then over i */
    bool                     counted; /* the pairs of the group are counted */
} work;

/* The h-th row that is left out, and how much is left out with it. */
static size_t row_of(const work *job, size_t h)
{
    return job->left->row ? job->left->row[h] : h;
}

static double weight_of(const work *job, size_t h)
{
    return job->left->weight ? job->left->weight[h] : 1;
}

void heft_log_normalise(double *v, size_t n)
{
    const double all = heft_logsumexp(v, n);
    for (size_t c = 0; c < n; c++) v[c] -= all;
}

/* ---- single attributes ---- */

static heft_status count_one(heft_ctx *ctx, void *arg, size_t j)
{
    const work       *job = arg;
    const heft_cells *cell = job->cells[j];
    const size_t      K = job->sample->n_class;
    const double      s0 = job->rule->s0, s = job->rule->s;
    single           *one = &job->one[j];
    heft_cells_count(job->sample, cell, one->count);
    HEFT_CHECK(heft_all_sum(ctx, one->count, cell->n_codes * K));
    job->out->info[j] = heft_information_beyond_chance(one->count, cell->n_codes, K);
    for (size_t v = 0; v < cell->n_codes; v++) {
        double n_v = 0;
        for (size_t c = 0; c < K; c++) n_v += one->count[v * K + c];
        one->base[v] = (n_v + 1) / (job->out->total + cell->n_codes);
        for (size_t c = 0; c < K; c++) {
            const size_t k = v * K + c;
            const double n = one->count[k], n_c = job->out->class_sum[c];
            one->like[k] = (n + s0 * one->base[v]) / (n_c + s0);
            one->log_like[k] = log(s * one->like[k]);
            one->log_own[k] = log(n + s);
            if (n < 1) continue;
            one->like_less[k] = (n - 1 + s0 * one->base[v]) / (n_c - 1 + s0);
            one->log_less[k] = log(n - 1 + s);
        }
    }
    return HEFT_OK;
}

static heft_status count_singles(heft_ctx *ctx, work *job, heft_arena *arena)
{
    heft_geomean      *out = job->out;
    const heft_sample *s = job->sample;
    const size_t       K = s->n_class;
    HEFT_ALLOCS(ctx, arena, K, out->class_sum, out->log_class);
    HEFT_ALLOCS(ctx, arena, out->n_attr, out->info, out->omega, out->joint, out->rest);
    HEFT_ROW_BLOCKS (lo, hi, s->n)
        for (size_t i = lo; i < hi; i++) out->class_sum[s->y[i]] += heft_sample_weight(s, i);
    HEFT_CHECK(heft_all_sum(ctx, out->class_sum, K));
    for (size_t c = 0; c < K; c++) out->total += out->class_sum[c];
    for (size_t c = 0; c < K; c++)
        out->log_class[c] = log((out->class_sum[c] + 1.0 / (double)K) / (out->total + 1));
    HEFT_ALLOC(ctx, &ctx->scratch, job->one, out->n_attr);
    for (size_t j = 0; j < out->n_attr; j++) {
        single      *one = &job->one[j];
        const size_t q = job->cells[j]->n_codes;
        HEFT_ALLOC(ctx, &ctx->scratch, one->base, q);
        HEFT_ALLOCS(ctx, &ctx->scratch, q * K, one->count, one->like, one->log_like, one->log_own,
                    one->like_less, one->log_less, one->change);
    }
    return heft_all_run(ctx, out->n_attr, count_one, job);
}

/* ---- superparents ---- */

/* log P(c, v) with d of the weight left out. */
static double log_joint(const work *job, size_t j, size_t v, size_t c, double d)
{
    const heft_geomean *out = job->out;
    const single       *one = &job->one[j];
    const double        n = out->total + 1 - d;
    const double        n_c = out->class_sum[c] - d + 1.0 / (double)out->n_class;
    return log((one->count[v * out->n_class + c] - d + one->base[v] * n_c / n) / n);
}

/* S = min(m, max(1, floor(6000 / m))), while the cells stay below the limit. Fills their `joint`.
 */
static heft_status choose_parents(heft_ctx *ctx, work *job, heft_arena *arena)
{
    heft_geomean *out = job->out;
    const size_t  m = out->n_attr, K = out->n_class;
    const size_t  most = m < MOST_PRODUCT ? MOST_PRODUCT / m : 1;
    double        codes = 0, all = 0, sum = 0;
    heft_ranked  *order, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, order, spare);
    for (size_t j = 0; j < m; j++) all += job->cells[j]->n_codes;
    heft_order_falling(out->info, m, order, spare);
    while (out->n_super < m && out->n_super < most) {
        codes += job->cells[order[out->n_super].row]->n_codes;
        if (out->n_super > 0 && codes * all * (double)K > job->rule->limit) break;
        sum += out->info[order[out->n_super++].row];
    }
    for (size_t k = 0; k < out->n_super; k++) {
        const size_t j = order[k].row;
        out->omega[j] =
            sum > 0 && !job->rule->even ? out->info[j] / sum : 1.0 / (double)out->n_super;
        if (!(out->omega[j] > 0)) continue;
        const size_t n = job->cells[j]->n_codes * K;
        HEFT_ALLOC(ctx, arena, out->joint[j], n);
        for (size_t at = 0; at < n; at++) {
            out->joint[j][at] = out->omega[j] * log_joint(job, j, at / K, at % K, 0);
            if (job->one[j].count[at] >= 1)
                job->one[j].change[at] =
                    out->omega[j] * log_joint(job, j, at / K, at % K, 1) - out->joint[j][at];
        }
    }
    return HEFT_OK;
}

/* The first partner of attribute i from j on: any, or a superparent where i is none. */
static size_t partner(const heft_geomean *out, size_t i, size_t j, const uint32_t *parent)
{
    return out->omega[i] > 0 || j == out->n_attr ? j : parent[j];
}

/* A pair is sparse whose table would mostly have cells without rows. */
static heft_status list_pairs(heft_ctx *ctx, work *job, heft_arena *arena)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    heft_geomean *out = job->out;
    const size_t  m = out->n_attr;
    const double  dense = job->rule->dense, enough = 4 * (double)job->n_all;
    size_t        n = 0;
    uint32_t     *parent; /* the first superparent from an attribute on, m: none */
    HEFT_ALLOC(ctx, &ctx->scratch, parent, m);
    for (size_t j = m, parents = 0; j-- > 0;) { /* partners after it: all, or the superparents */
        parent[j] = (uint32_t)(out->omega[j] > 0 ? j : j + 1 < m ? parent[j + 1] : m);
        n += out->omega[j] > 0 ? m - 1 - j : parents;
        parents += out->omega[j] > 0;
    }
    HEFT_ALLOC(ctx, arena, out->pair, n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = partner(out, i, i + 1, parent); j < m; j = partner(out, i, j + 1, parent)) {
            const size_t a = job->cells[i]->n_codes, b = job->cells[j]->n_codes;
            size_t       cells;
            if (!heft_product(a * b, out->n_class, &cells)) return heft_no_memory(ctx, a, b);
            heft_geomean_pair *pair = &out->pair[out->n_pairs++];
            *pair = (heft_geomean_pair){.i = (uint32_t)i, .j = (uint32_t)j};
            pair->sparse = dense > 0 && (double)cells > dense &&
                           (dense == 1 || (double)cells / (double)out->n_class > enough);
            if (!pair->sparse) HEFT_ALLOC(ctx, arena, pair->table, cells);
        }
    return HEFT_OK;
}

/* ---- pairs ---- */

static size_t pair_cells(const work *job, const heft_geomean_pair *pair)
{
    return (size_t)job->cells[pair->i]->n_codes * job->cells[pair->j]->n_codes;
}

typedef struct pair_entry { /* one number in the table of a pair (i, j) */
    size_t line;            /* its line in the table */
    size_t v, w, c;         /* code of i, code of j, class */
    double both;            /* n_cvw */
} pair_entry;

/* log P(w | c, v) with d left out; v_c and w_c are the places of parent and child, in class c. */
static double log_child(const work *job, const single *parent, size_t v_c, const single *child,
                        size_t w_c, double both, double d)
{
    const size_t K = job->out->n_class;
    HEFT_KNOWN(K > 0);
    const double s = job->rule->s, s0 = job->rule->s0;
    const double like = (child->count[w_c] - d + s0 * child->base[w_c / K]) /
                        (job->out->class_sum[w_c % K] - d + s0);
    return log((both - d + s * like) / (parent->count[v_c] - d + s));
}

/* Both terms of the pair in an entry with d left out, less the plain entry; if the pair is sparse,
 * also less what a cell without rows would have. */
static double left_out(const work *job, const heft_geomean_pair *pair, const pair_entry *at,
                       double d)
{
    const single *a = &job->one[pair->i], *b = &job->one[pair->j];
    const double  up = job->out->omega[pair->i], down = job->out->omega[pair->j];
    const size_t  K = job->out->n_class, vc = at->v * K + at->c, wc = at->w * K + at->c;
    double        sum = 0;
    if (up > 0) sum += up * log_child(job, a, vc, b, wc, at->both, d);
    if (down > 0) sum += down * log_child(job, b, wc, a, vc, at->both, d);
    if (pair->sparse)
        sum -= (up > 0 ? up * (b->log_like[wc] - a->log_own[vc]) : 0) +
               (down > 0 ? down * (a->log_like[vc] - b->log_own[wc]) : 0);
    return sum - pair->table[at->line * K + at->c];
}

/* What the logarithms of line v of the pair's table are taken of, cell by cell: with rows both
 * terms, and where a row can be left out both again without it. Returns how many there are. */
static size_t line_terms(const work *job, const heft_geomean_pair *pair, const double *count,
                         size_t v, bool loo, double *term)
{
    const single *a = &job->one[pair->i], *b = &job->one[pair->j];
    const size_t  K = job->out->n_class, q_j = job->cells[pair->j]->n_codes;
    const double  s = job->rule->s;
    size_t        n = 0;
    for (size_t w = 0; w < q_j; w++)
        for (size_t c = 0; c < K; c++) {
            const size_t vc = v * K + c, wc = w * K + c;
            const double both = count[(v * q_j + w) * K + c];
            if (!(both > 0)) continue;
            term[n++] = both + s * b->like[wc];
            term[n++] = both + s * a->like[vc];
            if (!loo || both < 1) continue;
            term[n++] = both - 1 + s * b->like_less[wc];
            term[n++] = both - 1 + s * a->like_less[vc];
        }
    return n;
}

static heft_status count_pair(heft_ctx *ctx, void *arg, size_t nth)
{
    const work              *job = arg;
    const heft_geomean_pair *pair = &job->out->pair[job->first + nth];
    return heft_pair_count(ctx, job->sample, job->cells[pair->i], job->cells[pair->j],
                           job->count[nth]);
}

/* The table of the pair; `change` gets what leaving out a weight of 1 changes. Cells
 * without rows need no logarithm of their own. */
static heft_status make_pair(heft_ctx *ctx, void *arg, size_t nth)
{
    const work              *job = arg;
    const heft_geomean_pair *pair = &job->out->pair[job->first + nth];
    const single            *a = &job->one[pair->i], *b = &job->one[pair->j];
    const size_t             K = job->out->n_class;
    const size_t             q_i = job->cells[pair->i]->n_codes, q_j = job->cells[pair->j]->n_codes;
    const double             up = job->out->omega[pair->i], down = job->out->omega[pair->j];
    double                  *count = job->count[nth], *change = job->change[nth], *term;
    if (!count) HEFT_ALLOC(ctx, &ctx->scratch, count, q_i * q_j * K);
    HEFT_ALLOC(ctx, &ctx->scratch, term, 4 * q_j * K);
    if (!job->counted)
        HEFT_CHECK(
            heft_pair_count(ctx, job->sample, job->cells[pair->i], job->cells[pair->j], count));
    for (size_t v = 0; v < q_i; v++) {
        const double *next = term;
        heft_log_all(term, line_terms(job, pair, count, v, change != NULL, term));
        for (size_t w = 0; w < q_j; w++)
            for (size_t c = 0; c < K; c++) {
                const size_t at = (v * q_j + w) * K + c, vc = v * K + c, wc = w * K + c;
                const bool   some = count[at] > 0;
                pair->table[at] = up * ((some ? next[0] : b->log_like[wc]) - a->log_own[vc]) +
                                  down * ((some ? next[1] : a->log_like[vc]) - b->log_own[wc]);
                if (some) next += 2;
                if (!change || count[at] < 1) continue;
                change[at] = up * (next[0] - a->log_less[vc]) + down * (next[1] - b->log_less[wc]) -
                             pair->table[at];
                next += 2;
            }
    }
    return HEFT_OK;
}

/* ---- sparse pairs ---- */

/* Cells that occur, in order, and their counts, tables and changes. What a cell without rows of a
 * class would have goes to the two attributes. */
static heft_status make_sparse(heft_ctx *ctx, work *job, heft_arena *arena)
{
    heft_geomean_pair *pair = &job->out->pair[job->first];
    const size_t       K = job->out->n_class;
    const single      *a = &job->one[pair->i], *b = &job->one[pair->j];
    const double       up = job->out->omega[pair->i], down = job->out->omega[pair->j];
    double            *count, *change;
    HEFT_CHECK(heft_join_learn(ctx, job->cells[pair->i], job->cells[pair->j], job->sample->n,
                               &job->join, &job->joined));
    pair->n_seen = job->join.n_seen;
    HEFT_ALLOC(ctx, arena, pair->key, pair->n_seen);
    memcpy(pair->key, job->join.key, pair->n_seen * sizeof *pair->key);
    HEFT_ALLOC(ctx, arena, pair->table, pair->n_seen * K);
    HEFT_ALLOCS(ctx, &ctx->scratch, pair->n_seen * K, count, change);
    heft_cells_count(job->sample, &job->joined, count);
    HEFT_CHECK(heft_all_sum(ctx, count, pair->n_seen * K));
    for (size_t at = 0; at < pair->n_seen * K; at++) {
        const size_t k = at / K, c = at % K;
        const size_t v = (size_t)(pair->key[k] / job->join.q), vc = v * K + c;
        const size_t w = (size_t)(pair->key[k] % job->join.q), wc = w * K + c;
        const double n = count[at], s = job->rule->s;
        if (!(n > 0)) continue;
        pair->table[at] = (up > 0 ? up * (log(n + s * b->like[wc]) - b->log_like[wc]) : 0) +
                          (down > 0 ? down * (log(n + s * a->like[vc]) - a->log_like[vc]) : 0);
        if (n >= 1) change[at] = left_out(job, pair, &(pair_entry){k, v, w, c, n}, 1);
    }
    for (int side = 0; side < 2; side++) {
        const size_t  j = side ? pair->j : pair->i, n = job->cells[j]->n_codes * K;
        const double  own = side ? down : up, other = side ? up : down;
        const single *one = &job->one[j];
        double      **rest = &job->out->rest[j];
        if (!*rest) HEFT_ALLOC(ctx, arena, *rest, n);
        for (size_t k = 0; k < n; k++) {
            if (own > 0) (*rest)[k] -= own * one->log_own[k];
            if (other > 0) (*rest)[k] += other * one->log_like[k];
        }
    }
    job->count[0] = count;
    job->change[0] = change;
    return HEFT_OK;
}

static void add_sparse(const work *job, size_t lo, size_t hi)
{
    const heft_geomean_pair *pair = &job->out->pair[job->first];
    const heft_sample       *s = job->sample;
    const size_t             K = job->out->n_class;
    for (size_t h = lo; h < hi; h++) {
        const size_t i = row_of(job, h);
        const double d = weight_of(job, h);
        const size_t k = heft_code_at(job->joined.at, job->joined.width, i), own = k * K + s->y[i];
        double      *sum = job->left->score + h * K;
        for (size_t c = 0; c < K; c++) sum[c] += pair->table[k * K + c];
        const pair_entry at = {k, (size_t)(pair->key[k] / job->join.q),
                               (size_t)(pair->key[k] % job->join.q), s->y[i], job->count[0][own]};
        job->own[h] += d == 1 ? job->change[0][own] : left_out(job, pair, &at, d);
    }
}

/* ---- leave-one-out ---- */

typedef struct lookup { /* a pair and its codes */
    const heft_geomean_pair *pair;
    const heft_cells        *a, *b;
    const double            *count, *change;
} lookup;

/* What leaving row i out, of weight d, changes in the entry of its own class. */
HEFT_INLINE double own_change(const work *job, const lookup *at, size_t i, double d, size_t cell,
                              size_t K)
{
    const heft_sample *s = job->sample;
    const size_t       q = at->b->n_codes, own = cell * K + s->y[i];
    if (d == 1) return at->change[own];
    const pair_entry entry = {cell, cell / q, cell % q, s->y[i], at->count[own]};
    return left_out(job, at->pair, &entry, d);
}

/* n pairs at once: the sums of a row are read and written once for all of them. */
HEFT_INLINE void add_some(const work *job, const lookup *at, size_t n, size_t lo, size_t hi,
                          size_t K, bool bytes)
{
    for (size_t h = lo; h < hi; h++) {
        const size_t  i = row_of(job, h);
        const double  d = weight_of(job, h);
        double       *sum = job->left->score + h * K, change = 0;
        const double *t[TOGETHER];
        for (size_t k = 0; k < n; k++) {
            const heft_cells *a = at[k].a, *b = at[k].b;
            const size_t v = bytes ? ((const uint8_t *)a->at)[i] : heft_code_at(a->at, a->width, i);
            const size_t w = bytes ? ((const uint8_t *)b->at)[i] : heft_code_at(b->at, b->width, i);
            const size_t cell = v * b->n_codes + w;
            t[k] = at[k].pair->table + cell * K;
            change += own_change(job, &at[k], i, d, cell, K);
        }
        for (size_t c = 0; c < K; c++) {
            double x = sum[c];
            for (size_t k = 0; k < n; k++) x += t[k][c];
            sum[c] = x;
        }
        job->own[h] += change;
    }
}

HEFT_INLINE void add_group(const work *job, const lookup *at, size_t n, size_t lo, size_t hi,
                           size_t K)
{
    bool bytes = true;
    for (size_t k = 0; k < n; k++) bytes = bytes && at[k].a->width == 1 && at[k].b->width == 1;
    if (n == TOGETHER && bytes) add_some(job, at, TOGETHER, lo, hi, K, true);
    else add_some(job, at, n, lo, hi, K, false);
}

HEFT_WIDE static heft_status add_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const work *job = arg;
    (void)ctx;
    if (job->out->pair[job->first].sparse) {
        add_sparse(job, lo, hi);
        return HEFT_OK;
    }
    for (size_t first = job->first; first < job->last; first += TOGETHER) {
        const size_t n = job->last - first < TOGETHER ? job->last - first : TOGETHER;
        lookup       at[TOGETHER];
        for (size_t k = 0; k < n; k++) {
            const heft_geomean_pair *pair = &job->out->pair[first + k];
            const size_t             place = first + k - job->first;
            at[k] = (lookup){pair, job->cells[pair->i], job->cells[pair->j], job->count[place],
                             job->change[place]};
        }
        const size_t K = job->out->n_class;
        if (K == 2) add_group(job, at, n, lo, hi, 2);
        else if (K == 3) add_group(job, at, n, lo, hi, 3);
        else if (K == 4) add_group(job, at, n, lo, hi, 4);
        else add_group(job, at, n, lo, hi, K);
    }
    return HEFT_OK;
}

static heft_status finish_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const work         *job = arg;
    const heft_geomean *out = job->out;
    const heft_sample  *s = job->sample;
    const size_t        K = out->n_class;
    (void)ctx;
    for (size_t h = lo; h < hi; h++) {
        const size_t i = row_of(job, h), y = s->y[i];
        const double d = weight_of(job, h);
        double      *sum = job->left->score + h * K;
        for (size_t j = 0; j < out->n_attr; j++) {
            if (!out->joint[j]) continue;
            const size_t  v = heft_code_at(job->cells[j]->at, job->cells[j]->width, i);
            const double *t = out->joint[j] + v * K;
            for (size_t c = 0; c < K; c++) sum[c] += t[c];
            job->own[h] += d == 1 ? job->one[j].change[v * K + y]
                                  : out->omega[j] * log_joint(job, j, v, y, d) - t[y];
        }
        for (size_t j = 0; j < out->n_attr; j++) {
            if (!out->rest[j]) continue;
            const size_t v = heft_code_at(job->cells[j]->at, job->cells[j]->width, i);
            for (size_t c = 0; c < K; c++) sum[c] += out->rest[j][v * K + c];
        }
        sum[y] += job->own[h];
        heft_log_normalise(sum, K);
    }
    return HEFT_OK;
}

/* ---- contributions of attributes ---- */

/* The means of the table of a pair over one of its attributes, weighted by P0. */
static heft_status mean_pair(heft_ctx *ctx, void *arg, size_t nth)
{
    const work              *job = arg;
    const heft_geomean_pair *pair = &job->out->pair[job->first + nth];
    const size_t             K = job->out->n_class, q = job->cells[pair->j]->n_codes;
    const size_t             n = pair->sparse ? pair->n_seen : pair_cells(job, pair);
    const double            *base_i = job->one[pair->i].base, *base_j = job->one[pair->j].base;
    double                  *by_i = job->mean[nth], *by_j = by_i + job->cells[pair->i]->n_codes * K;
    (void)ctx;
    for (size_t at = 0; at < n; at++) {
        const size_t  cell = pair->sparse ? (size_t)pair->key[at] : at, v = cell / q, w = cell % q;
        const double *t = pair->table + at * K;
        for (size_t c = 0; c < K; c++) {
            by_i[v * K + c] += base_j[w] * t[c];
            by_j[w * K + c] += base_i[v] * t[c];
        }
    }
    return HEFT_OK;
}

/* What leaving out d adds to -log(n_cv + s). */
static double parent_change(const work *job, const single *parent, size_t v_c, double d)
{
    const double less = d == 1 ? parent->log_less[v_c] : log(parent->count[v_c] - d + job->rule->s);
    return parent->log_own[v_c] - less;
}

/* The contributions of the two attributes of a pair. Of the mean over the values of one of them, a
 * row that is left out changes the cell of its own value, and in all cells what its value of the
 * other attribute divides by. */
HEFT_INLINE void look_at_pair(const work *job, size_t nth, size_t lo, size_t hi, size_t K)
{
    const heft_geomean_pair *pair = &job->out->pair[job->first + nth];
    const size_t             m = job->out->n_attr, q_j = job->cells[pair->j]->n_codes;
    const heft_cells        *a = job->cells[pair->i], *b = job->cells[pair->j];
    const single            *one = &job->one[pair->i], *two = &job->one[pair->j];
    const double             up = job->out->omega[pair->i], down = job->out->omega[pair->j];
    const double *by_i = job->mean[nth], *by_j = by_i + a->n_codes * K, *change = job->change[nth];
    for (size_t r = lo; r < hi; r++) {
        const size_t h = job->left->looked[r], i = row_of(job, h), y = job->sample->y[i];
        const double d = weight_of(job, h);
        const size_t v = heft_code_at(a->at, a->width, i), w = heft_code_at(b->at, b->width, i);
        const size_t at =
            pair->sparse ? heft_code_at(job->joined.at, job->joined.width, i) : v * q_j + w;
        const double    *t = pair->table + at * K;
        const pair_entry entry = {at, v, w, y, job->count[nth][at * K + y]};
        const double     own = d == 1 ? change[at * K + y] : left_out(job, pair, &entry, d);
        double          *to = job->left->contribution + r * m * K;
        for (size_t c = 0; c < K; c++) {
            to[pair->i * K + c] += t[c] - by_j[w * K + c];
            to[pair->j * K + c] += t[c] - by_i[v * K + c];
        }
        to[pair->i * K + y] +=
            (1 - one->base[v]) * (own - down * parent_change(job, two, w * K + y, d));
        to[pair->j * K + y] +=
            (1 - two->base[w]) * (own - up * parent_change(job, one, v * K + y, d));
    }
}

static heft_status look_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const work  *job = arg;
    const size_t K = job->out->n_class, n = job->last - job->first;
    (void)ctx;
    for (size_t k = 0; k < n; k++) {
        if (K == 2) look_at_pair(job, k, lo, hi, 2);
        else look_at_pair(job, k, lo, hi, K);
    }
    return HEFT_OK;
}

static heft_status look_at_group(heft_ctx *ctx, work *job)
{
    const size_t n = job->last - job->first;
    HEFT_ALLOC(ctx, &ctx->scratch, job->mean, n);
    for (size_t k = 0; k < n; k++) {
        const heft_geomean_pair *pair = &job->out->pair[job->first + k];
        const size_t lines = job->cells[pair->i]->n_codes + job->cells[pair->j]->n_codes;
        HEFT_ALLOC(ctx, &ctx->scratch, job->mean[k], lines * job->out->n_class);
    }
    HEFT_CHECK(heft_run(ctx, n, mean_pair, job));
    return heft_run_blocks(ctx, job->left->n_looked, LOOKED, look_block, job);
}

/* Adds what attributes say by themselves. */
static heft_status look_at_singles(heft_ctx *ctx, work *job)
{
    const heft_geomean *out = job->out;
    const size_t        K = out->n_class;
    double             *mean;
    HEFT_ALLOC(ctx, &ctx->scratch, mean, K);
    for (size_t j = 0; j < out->n_attr; j++) {
        const heft_cells *cell = job->cells[j];
        const single     *one = &job->one[j];
        for (int k = 0; k < 2; k++) {
            const double *table = k ? out->rest[j] : out->joint[j];
            if (!table) continue;
            memset(mean, 0, K * sizeof *mean);
            for (size_t v = 0; v < cell->n_codes; v++)
                for (size_t c = 0; c < K; c++) mean[c] += one->base[v] * table[v * K + c];
            for (size_t r = 0; r < job->left->n_looked; r++) {
                const size_t h = job->left->looked[r], i = row_of(job, h), y = job->sample->y[i];
                const size_t v = heft_code_at(cell->at, cell->width, i);
                const double d = weight_of(job, h), *t = table + v * K;
                double      *to = job->left->contribution + (r * out->n_attr + j) * K;
                const double own = k        ? 0
                                   : d == 1 ? one->change[v * K + y]
                                            : out->omega[j] * log_joint(job, j, v, y, d) - t[y];
                for (size_t c = 0; c < K; c++) to[c] += t[c] - mean[c];
                to[y] += (1 - one->base[v]) * own;
            }
        }
    }
    return HEFT_OK;
}

/* Pairs first .. last - 1 share the scratch memory for counts. A sparse one is by itself. */
static void next_group(work *job)
{
    const heft_geomean_pair *pair = job->out->pair;
    size_t                   cells = 0;
    for (job->first = job->last; job->last < job->out->n_pairs; job->last++) {
        cells += pair_cells(job, &pair[job->last]) * job->out->n_class;
        if (job->last > job->first &&
            (cells > GROUP_CELLS || pair[job->last].sparse || pair[job->first].sparse))
            break;
    }
}

/* Counts of all rows: over several processes, those of the pairs of a group are added at once. */
static heft_status count_group(heft_ctx *ctx, work *job, double *counts, size_t n_counts)
{
    HEFT_CHECK(heft_run(ctx, job->last - job->first, count_pair, job));
    job->counted = true;
    return heft_all_sum(ctx, counts, n_counts);
}

static heft_status make_group(heft_ctx *ctx, work *job, heft_arena *arena)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    n = job->last - job->first;
    const bool      sparse = job->out->pair[job->first].sparse, spread = !heft_is_single(ctx);
    double         *counts;
    size_t          cells = 0;
    HEFT_ARENAS(ctx, &ctx->scratch, n, job->count, job->change);
    for (size_t k = 0; k < n; k++)
        cells += pair_cells(job, &job->out->pair[job->first + k]) * job->out->n_class;
    const size_t n_counts = !sparse && (job->left->score || spread) ? cells : 0;
    HEFT_ARENA(ctx, &ctx->scratch, counts, n_counts);
    if (n_counts)
        for (size_t k = 0, at = 0; k < n; k++) {
            const size_t here =
                pair_cells(job, &job->out->pair[job->first + k]) * job->out->n_class;
            job->count[k] = counts + at;
            if (job->left->score) HEFT_ARENA(ctx, &ctx->scratch, job->change[k], here);
            at += here;
        }
    if (spread && !sparse) HEFT_TRY(count_group(ctx, job, counts, n_counts));
    HEFT_TRY(sparse ? make_sparse(ctx, job, arena) : heft_run(ctx, n, make_pair, job));
    if (job->left->score) HEFT_TRY(heft_run_blocks(ctx, job->left->n, BLOCK, add_block, job));
    if (job->left->n_looked) HEFT_TRY(look_at_group(ctx, job));
done:
    heft_join_clear(&job->join);
    heft_free(job->joined.at);
    job->joined = (heft_cells){0};
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_geomean_fit(heft_ctx *ctx, const heft_sample *sample,
                             const heft_cells *const *cells, const heft_geomean_rule *rule,
                             const heft_left_out *left, heft_arena *arena, heft_geomean *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    int64_t n_all = (int64_t)sample->n;
    HEFT_CHECK(heft_all_add(ctx, &n_all, 1));
    work job = {sample, cells, rule, left, (size_t)n_all, .out = out};
    *out = (heft_geomean){.n_attr = sample->rows->n_attr, .n_class = sample->n_class};
    HEFT_CHECK(count_singles(ctx, &job, arena));
    HEFT_CHECK(choose_parents(ctx, &job, arena));
    HEFT_CHECK(list_pairs(ctx, &job, arena));
    if (left->score) {
        memset(left->score, 0, left->n * out->n_class * sizeof *left->score);
        HEFT_ALLOC(ctx, &ctx->scratch, job.own, left->n);
    }
    for (next_group(&job); job.first < job.last; next_group(&job)) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(make_group(ctx, &job, arena));
    }
    if (left->score) HEFT_CHECK(heft_run_blocks(ctx, left->n, BLOCK, finish_block, &job));
    return left->n_looked ? look_at_singles(ctx, &job) : HEFT_OK;
}
