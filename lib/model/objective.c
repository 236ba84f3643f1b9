/* objective.c - value and gradient of a loss over the rows: weights folded into the tables, look-up
 * and add forward, the method's loss, look-up and add backward, contraction. */
#include "model/objective.h"

#include "base/comm.h"
#include "base/rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    TILE = HEFT_MOST_TILE, /* scores in a tile */
    LOOK_TILES = 4         /* tiles a task of heft_evidence_look works through */
};

typedef struct pass { /* one evaluation */
    const heft_evidence *ev;
    size_t               n_lane, n_sums;
    double              *base;   /* n_lane */
    double              *folded; /* n_code x n_lane: weighted table of each joined code  */
    double              *dense;  /* n_dense x n_lane: weights                            */
    heft_loss_fn        *loss;
    const void          *user;
    bool                 size;  /* contract with |l| in place of l */
    bool                 lanes; /* residuals by lane are wanted */
    heft_look_fn        *look;
    void                *look_user;
} pass;

/* The sums of heft_sum_rows: the loss and the caller's, residuals by lane, histograms of the
 * groups, gradients of the dense attributes. */
static size_t at_lanes(const pass *p)
{
    return p->n_sums;
}

static size_t at_codes(const pass *p)
{
    return p->n_sums + p->n_lane;
}

static size_t at_dense(const pass *p)
{
    return p->n_sums + p->n_lane + p->ev->n_code * p->n_lane;
}

static size_t width_of(const pass *p)
{
    return at_dense(p) + p->ev->n_dense * p->n_lane;
}

/* ---- look-up and add, one lane ---- */

static const uint8_t *bytes_at(const heft_group *group, size_t first)
{
    return (const uint8_t *)group->code + first;
}

static void add_one(const heft_group *group, const double *table, size_t first, size_t n, double *s)
{
    if (group->width == 1) {
        const uint8_t *code = bytes_at(group, first);
        for (size_t i = 0; i < n; i++) s[i] += table[code[i]];
    } else {
        for (size_t i = 0; i < n; i++)
            s[i] += table[heft_code_at(group->code, group->width, first + i)];
    }
}

static void sum_one(const heft_group *group, double *hist, size_t first, size_t n, const double *r)
{
    if (group->width == 1) {
        const uint8_t *code = bytes_at(group, first);
        for (size_t i = 0; i < n; i++) hist[code[i]] += r[i];
    } else {
        for (size_t i = 0; i < n; i++)
            hist[heft_code_at(group->code, group->width, first + i)] += r[i];
    }
}

/* Two or four groups of one-byte codes at a time: the scores are loaded and stored once for all,
 * and additions to different histograms do not wait for one another. */
static bool are_bytes(const heft_evidence *ev, size_t g, size_t n)
{
    if (ev->n_group - g < n) return false;
    for (size_t k = 0; k < n; k++)
        if (ev->group[g + k].width != 1) return false;
    return true;
}

static void add_two(const heft_group *q, const double *folded, size_t first, size_t n, double *s)
{
    const uint8_t *a = bytes_at(&q[0], first), *b = bytes_at(&q[1], first);
    const double  *ta = folded + q[0].at, *tb = folded + q[1].at;
    for (size_t i = 0; i < n; i++) s[i] += ta[a[i]] + tb[b[i]];
}

static void add_four(const heft_group *q, const double *folded, size_t first, size_t n, double *s)
{
    const uint8_t *a = bytes_at(&q[0], first), *b = bytes_at(&q[1], first);
    const uint8_t *c = bytes_at(&q[2], first), *d = bytes_at(&q[3], first);
    const double  *ta = folded + q[0].at, *tb = folded + q[1].at;
    const double  *tc = folded + q[2].at, *td = folded + q[3].at;
    for (size_t i = 0; i < n; i++) s[i] += (ta[a[i]] + tb[b[i]]) + (tc[c[i]] + td[d[i]]);
}

static void sum_two(const heft_group *q, double *hist, size_t first, size_t n, const double *r)
{
    const uint8_t *a = bytes_at(&q[0], first), *b = bytes_at(&q[1], first);
    double        *ha = hist + q[0].at, *hb = hist + q[1].at;
    for (size_t i = 0; i < n; i++) {
        const double x = r[i];
        ha[a[i]] += x;
        hb[b[i]] += x;
    }
}

static void sum_four(const heft_group *q, double *hist, size_t first, size_t n, const double *r)
{
    const uint8_t *a = bytes_at(&q[0], first), *b = bytes_at(&q[1], first);
    const uint8_t *c = bytes_at(&q[2], first), *d = bytes_at(&q[3], first);
    double        *ha = hist + q[0].at, *hb = hist + q[1].at;
    double        *hc = hist + q[2].at, *hd = hist + q[3].at;
    for (size_t i = 0; i < n; i++) {
        const double x = r[i];
        ha[a[i]] += x;
        hb[b[i]] += x;
        hc[c[i]] += x;
        hd[d[i]] += x;
    }
}

/* ---- look-up and add, several lanes ---- */

static inline void add_lines(const heft_group *group, const double *table, size_t first, size_t n,
                             size_t n_lane, double *restrict s)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = heft_code_at(group->code, group->width, first + i);
        const double *restrict line = table + (size_t)code * n_lane;
        for (size_t k = 0; k < n_lane; k++) s[i * n_lane + k] += line[k];
    }
}

static inline void sum_lines(const heft_group *group, double *hist, size_t first, size_t n,
                             size_t n_lane, const double *restrict r)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = heft_code_at(group->code, group->width, first + i);
        double *restrict line = hist + (size_t)code * n_lane;
        for (size_t k = 0; k < n_lane; k++) line[k] += r[i * n_lane + k];
    }
}

/* Few lanes are the common case: let the compiler unroll them. */
#define BY_LANES(fn, group, table, first, n, n_lane, v)                                            \
    switch (n_lane) {                                                                              \
    case 2:                                                                                        \
        fn(group, table, first, n, 2, v);                                                          \
        break;                                                                                     \
    case 3:                                                                                        \
        fn(group, table, first, n, 3, v);                                                          \
        break;                                                                                     \
    case 4:                                                                                        \
        fn(group, table, first, n, 4, v);                                                          \
        break;                                                                                     \
    case 6:                                                                                        \
        fn(group, table, first, n, 6, v);                                                          \
        break;                                                                                     \
    case 8:                                                                                        \
        fn(group, table, first, n, 8, v);                                                          \
        break;                                                                                     \
    default:                                                                                       \
        fn(group, table, first, n, n_lane, v);                                                     \
        break;                                                                                     \
    }

static void add_groups(const pass *p, size_t first, size_t n, double *s)
{
    const heft_evidence *ev = p->ev;
    for (size_t g = 0; g < ev->n_group; g++) {
        const heft_group *group = &ev->group[g];
        const double     *table = p->folded + group->at * p->n_lane;
        if (p->n_lane > 1) {
            BY_LANES(add_lines, group, table, first, n, p->n_lane, s)
        } else if (are_bytes(ev, g, 4)) {
            add_four(group, p->folded, first, n, s);
            g += 3;
        } else if (are_bytes(ev, g, 2)) {
            add_two(group, p->folded, first, n, s);
            g += 1;
        } else {
            add_one(group, table, first, n, s);
        }
    }
}

static void sum_groups(const pass *p, size_t first, size_t n, const double *r, double *acc)
{
    const heft_evidence *ev = p->ev;
    double              *codes = acc + at_codes(p);
    for (size_t g = 0; g < ev->n_group; g++) {
        const heft_group *group = &ev->group[g];
        double           *hist = codes + group->at * p->n_lane;
        if (p->n_lane > 1) {
            BY_LANES(sum_lines, group, hist, first, n, p->n_lane, r)
        } else if (are_bytes(ev, g, 4)) {
            sum_four(group, codes, first, n, r);
            g += 3;
        } else if (are_bytes(ev, g, 2)) {
            sum_two(group, codes, first, n, r);
            g += 1;
        } else {
            sum_one(group, hist, first, n, r);
        }
    }
}

/* ---- dense attributes ---- */

/* The log-likelihoods of row i: kept ones, or computed into `line`. */
static const double *dense_line(const pass *p, const heft_dense *dense, size_t i, double *work,
                                double *line)
{
    const heft_evidence *ev = p->ev;
    if (dense->cells) return dense->cells + i * ev->n_base;
    heft_density_lanes(&dense->density, ev->n_base, dense->numbers[ev->row ? ev->row[i] : i], work,
                       line);
    return line;
}

static void add_dense(const pass *p, size_t first, size_t n, double *s)
{
    const heft_evidence *ev = p->ev;
    double               work[HEFT_MOST_LANES], line[HEFT_MOST_LANES];
    for (size_t d = 0; d < ev->n_dense; d++) {
        const heft_dense *dense = &ev->dense[d];
        const double     *w = p->dense + d * p->n_lane;
        if (p->n_lane == 1 && dense->cells) {
            const double *x = dense->cells + first;
            for (size_t i = 0; i < n; i++) s[i] += w[0] * x[i];
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const double *x = dense_line(p, dense, first + i, work, line);
            for (size_t h = 0; h < p->n_lane; h += ev->n_base)
                for (size_t k = 0; k < ev->n_base; k++) s[i * p->n_lane + h + k] += w[h + k] * x[k];
        }
    }
}

/* Four sums side by side, so that additions overlap; their order is fixed. */
static double dot(const double *x, const double *r, size_t n)
{
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += x[i] * r[i];
        b += x[i + 1] * r[i + 1];
        c += x[i + 2] * r[i + 2];
        d += x[i + 3] * r[i + 3];
    }
    for (; i < n; i++) a += x[i] * r[i];
    return (a + b) + (c + d);
}

static void sum_dense(const pass *p, size_t first, size_t n, const double *r, double *acc)
{
    const heft_evidence *ev = p->ev;
    double               work[HEFT_MOST_LANES], line[HEFT_MOST_LANES];
    for (size_t d = 0; d < ev->n_dense; d++) {
        const heft_dense *dense = &ev->dense[d];
        double           *g = acc + at_dense(p) + d * p->n_lane;
        if (p->n_lane == 1 && dense->cells && !p->size) {
            g[0] += dot(dense->cells + first, r, n);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const double *x = dense_line(p, dense, first + i, work, line);
            for (size_t h = 0; h < p->n_lane; h += ev->n_base)
                for (size_t k = 0; k < ev->n_base; k++)
                    g[h + k] += r[i * p->n_lane + h + k] * (p->size ? fabs(x[k]) : x[k]);
        }
    }
}

/* ---- tiles ---- */

static const double *ones(void)
{
#define ONE_4   1, 1, 1, 1
#define ONE_16  ONE_4, ONE_4, ONE_4, ONE_4
#define ONE_64  ONE_16, ONE_16, ONE_16, ONE_16
#define ONE_256 ONE_64, ONE_64, ONE_64, ONE_64
    static const double one[TILE] = {ONE_256, ONE_256, ONE_256, ONE_256};
    return one;
}

size_t heft_tile_rows(size_t n_lane)
{
    HEFT_KNOWN(n_lane > 0);
    return n_lane >= TILE ? 1 : TILE / n_lane;
}

static void forward(const pass *p, size_t first, size_t n, double *scores, heft_tile *tile)
{
    const heft_evidence *ev = p->ev;
    *tile = (heft_tile){first, n, p->n_lane, ev->y + first, ones()};
    if (ev->weight) tile->weight = ev->weight + first;
    if (p->size) return; /* scores are not looked at */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p->n_lane; k++) scores[i * p->n_lane + k] = p->base[k];
    add_groups(p, first, n, scores);
    if (ev->n_dense) add_dense(p, first, n, scores);
}

static void sum_block(const void *arg, size_t lo, size_t hi, double *acc)
{
    const pass  *p = arg;
    const size_t step = heft_tile_rows(p->n_lane);
    double       scores[HEFT_MOST_LANES];
    for (size_t first = lo; first < hi; first += step) {
        const size_t n = hi - first < step ? hi - first : step;
        heft_tile    tile;
        forward(p, first, n, scores, &tile);
        p->loss(p->user, &tile, scores, acc);
        double *lanes = acc + at_lanes(p);
        for (size_t i = 0; p->lanes && i < n; i++)
            for (size_t k = 0; k < p->n_lane; k++) lanes[k] += scores[i * p->n_lane + k];
        sum_groups(p, first, n, scores, acc);
        if (p->ev->n_dense) sum_dense(p, first, n, scores, acc);
    }
}

static heft_status look_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const pass  *p = arg;
    const size_t step = heft_tile_rows(p->n_lane);
    double       scores[HEFT_MOST_LANES];
    (void)ctx;
    for (size_t first = lo; first < hi; first += step) {
        heft_tile tile;
        forward(p, first, hi - first < step ? hi - first : step, scores, &tile);
        p->look(p->look_user, &tile, scores);
    }
    return HEFT_OK;
}

/* ---- weights in, gradient out ---- */

static double weight_of(const heft_head *head, const heft_member *m, size_t n_base, size_t v,
                        size_t k)
{
    switch (head->shape) {
    case HEFT_W_ONE:
        return 1;
    case HEFT_W_ATTR:
        return head->w[m->j];
    case HEFT_W_CLASS:
        return head->w[m->j * n_base + k];
    case HEFT_W_VALUE:
        break;
    }
    assert(m->used);
    return m->used[v] < m->n_codes ? head->w[head->offset[m->j] + m->used[v]] : 1;
}

/* The weighted table of a group: its members' lines added for every combination. */
static void fold_group(const pass *p, const heft_group *group, const heft_head *heads)
{
    const heft_evidence *ev = p->ev;
    double              *table = p->folded + group->at * p->n_lane;
    memset(table, 0, p->n_lane * sizeof *table);
    for (size_t at = group->head; at != SIZE_MAX; at = ev->member[at].next) {
        const heft_member *m = &ev->member[at];
        for (size_t v = m->n_used; v-- > 0;) { /* down: line block 0 is the source of all */
            for (size_t k = 0; k < p->n_lane; k++) {
                const size_t base = k % ev->n_base;
                const double w = weight_of(&heads[k / ev->n_base], m, ev->n_base, v, base);
                const double add = w * m->table[v * ev->n_base + base];
                double      *to = table + v * m->stride * p->n_lane + k;
                for (size_t c = 0; c < m->stride; c++)
                    to[c * p->n_lane] = table[c * p->n_lane + k] + add;
            }
        }
    }
}

static void fold_dense(const pass *p, const heft_head *heads)
{
    const heft_evidence *ev = p->ev;
    for (size_t d = 0; d < ev->n_dense; d++) {
        for (size_t k = 0; k < p->n_lane; k++) {
            const heft_head *head = &heads[k / ev->n_base];
            const size_t     j = ev->dense[d].j;
            assert(head->shape != HEFT_W_VALUE);
            p->dense[d * p->n_lane + k] = head->shape == HEFT_W_ONE ? 1
                                          : head->shape == HEFT_W_ATTR
                                              ? head->w[j]
                                              : head->w[j * ev->n_base + k % ev->n_base];
        }
    }
}

static heft_status open_pass(heft_ctx *ctx, pass *p, const heft_head *heads, size_t n_heads)
{
    heft_status          st = HEFT_OK;
    const heft_evidence *ev = p->ev;
    p->n_lane = n_heads * ev->n_base;
    if (p->n_lane > HEFT_MOST_LANES) {
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%zu classes are more than weights can be learned "
                         "for here",
                         ev->n_base);
    }
    HEFT_ARENA(ctx, &ctx->scratch, p->base, p->n_lane);
    HEFT_ARENA(ctx, &ctx->scratch, p->folded, ev->n_code * p->n_lane);
    HEFT_ARENA(ctx, &ctx->scratch, p->dense, ev->n_dense * p->n_lane);
    for (size_t h = 0; h < n_heads; h++)
        for (size_t k = 0; k < ev->n_base; k++)
            p->base[h * ev->n_base + k] = heads[h].base ? heads[h].base[k] : 0;
    for (size_t g = 0; g < ev->n_group; g++) fold_group(p, &ev->group[g], heads);
    fold_dense(p, heads);
done:
    return st;
}

static size_t gradient_size(const heft_evidence *ev, const heft_head *head)
{
    return head->shape == HEFT_W_ATTR    ? ev->n_attr
           : head->shape == HEFT_W_CLASS ? ev->n_attr * ev->n_base
           : head->shape == HEFT_W_VALUE ? head->offset[ev->n_attr]
                                         : 0;
}

static void put_gradient(const heft_head *head, const heft_evidence *ev, size_t j, size_t k,
                         size_t value, double g, double *gradient)
{
    if (head->shape == HEFT_W_ATTR) gradient[j] += g;
    else if (head->shape == HEFT_W_CLASS) gradient[j * ev->n_base + k] += g;
    else if (head->shape == HEFT_W_VALUE) gradient[head->offset[j] + value] += g;
}

/* hist[n_used x n_lane]: the group's histogram by the values of one member. */
static void marginal(const pass *p, const heft_group *group, const heft_member *m,
                     const double *codes, double *hist)
{
    memset(hist, 0, m->n_used * p->n_lane * sizeof *hist);
    for (size_t c = 0; c < group->n_code; c++) {
        const double *from = codes + (group->at + c) * p->n_lane;
        double       *to = hist + c / m->stride % m->n_used * p->n_lane;
        for (size_t k = 0; k < p->n_lane; k++) to[k] += from[k];
    }
}

static void contract_member(const pass *p, const heft_member *m, const double *hist,
                            const heft_head *head, size_t first_lane, double *gradient)
{
    const size_t n_base = p->ev->n_base;
    for (size_t v = 0; v < m->n_used; v++) {
        const size_t value = m->used ? m->used[v] : 0;
        if (head->shape == HEFT_W_VALUE && value >= m->n_codes) continue;
        for (size_t k = 0; k < n_base; k++) {
            const double l = m->table[v * n_base + k];
            put_gradient(head, p->ev, m->j, k, value,
                         hist[v * p->n_lane + first_lane + k] * (p->size ? fabs(l) : l), gradient);
        }
    }
}

static heft_status contract(heft_ctx *ctx, const pass *p, const heft_head *heads, size_t n_heads,
                            const double *acc, double *const *gradient)
{
    heft_status          st = HEFT_OK;
    const heft_evidence *ev = p->ev;
    size_t               most = 0;
    double              *hist;
    for (size_t at = 0; at < ev->n_member; at++)
        if (ev->member[at].n_used > most) most = ev->member[at].n_used;
    HEFT_ARENA(ctx, &ctx->scratch, hist, most * p->n_lane);
    for (size_t h = 0; h < n_heads; h++)
        if (gradient[h]) memset(gradient[h], 0, gradient_size(ev, &heads[h]) * sizeof(double));
    for (size_t g = 0; g < ev->n_group; g++) {
        for (size_t at = ev->group[g].head; at != SIZE_MAX; at = ev->member[at].next) {
            const heft_member *m = &ev->member[at];
            marginal(p, &ev->group[g], m, acc + at_codes(p), hist);
            for (size_t h = 0; h < n_heads; h++)
                if (gradient[h])
                    contract_member(p, m, hist, &heads[h], h * ev->n_base, gradient[h]);
        }
    }
    for (size_t d = 0; d < ev->n_dense; d++)
        for (size_t k = 0; k < p->n_lane; k++)
            if (gradient[k / ev->n_base])
                put_gradient(&heads[k / ev->n_base], ev, ev->dense[d].j, k % ev->n_base, 0,
                             acc[at_dense(p) + d * p->n_lane + k], gradient[k / ev->n_base]);
done:
    return st;
}

/* Sums and gradients over the ranks, in one meeting. The layout of codes differs from rank to rank:
 * only what it is contracted to can be added. */
static heft_status share_pass(heft_ctx *ctx, const pass *p, const heft_head *heads, size_t n_heads,
                              double *sums, double *lane_sum, double *const *gradient)
{
    heft_status st = HEFT_OK;
    size_t      n = 0;
    double     *all;
    struct {
        double *v;
        size_t  n;
    } part[HEFT_MOST_HEADS + 2];
    size_t n_parts = 0;
    if (heft_alone(ctx)) return HEFT_OK;
    part[n_parts].v = sums, part[n_parts++].n = sums ? p->n_sums : 0;
    part[n_parts].v = lane_sum, part[n_parts++].n = lane_sum ? p->n_lane : 0;
    for (size_t h = 0; h < n_heads; h++)
        part[n_parts].v = gradient[h],
        part[n_parts++].n = gradient[h] ? gradient_size(p->ev, &heads[h]) : 0;
    for (size_t k = 0; k < n_parts; k++) n += part[k].n;
    HEFT_ARENA(ctx, &ctx->scratch, all, n);
    n = 0;
    for (size_t k = 0; k < n_parts; n += part[k++].n)
        if (part[k].n) memcpy(all + n, part[k].v, part[k].n * sizeof *all);
    HEFT_TRY(heft_comm_sum(ctx, all, n));
    n = 0;
    for (size_t k = 0; k < n_parts; n += part[k++].n)
        if (part[k].n) memcpy(part[k].v, all + n, part[k].n * sizeof *all);
done:
    return st;
}

static heft_status run_pass(heft_ctx *ctx, pass *p, const heft_head *heads, size_t n_heads,
                            double *sums, double *lane_sum, double *const *gradient)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    double         *acc;
    HEFT_TRY(open_pass(ctx, p, heads, n_heads));
    HEFT_ARENA(ctx, &ctx->scratch, acc, width_of(p));
    HEFT_TRY(heft_sum_here(ctx, p->ev->n_rows, width_of(p), sum_block, p, acc));
    if (sums) memcpy(sums, acc, p->n_sums * sizeof *sums);
    if (lane_sum) memcpy(lane_sum, acc + at_lanes(p), p->n_lane * sizeof *lane_sum);
    HEFT_TRY(contract(ctx, p, heads, n_heads, acc, gradient));
    HEFT_TRY(share_pass(ctx, p, heads, n_heads, sums, lane_sum, gradient));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_evidence_sum(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                              size_t n_heads, heft_loss_fn *loss, const void *user, size_t n_extra,
                              double *sums, double *lane_sum, double *const *gradient)
{
    pass p = {.ev = ev, .n_sums = 1 + n_extra, .loss = loss, .user = user, .lanes = lane_sum};
    return run_pass(ctx, &p, heads, n_heads, sums, lane_sum, gradient);
}

/* Leave each row's share of the total as its residual: contracted with |l| it is the mean. */
static void share_of_weight(const void *user, const heft_tile *tile, double *scores, double *sums)
{
    const double total = *(const double *)user;
    (void)sums;
    for (size_t i = 0; i < tile->n; i++)
        for (size_t k = 0; k < tile->n_lane; k++)
            scores[i * tile->n_lane + k] = tile->weight[i] / (total * (double)tile->n_lane);
}

heft_status heft_evidence_spread(heft_ctx *ctx, const heft_evidence *ev, double *spread)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_head       head = {.shape = HEFT_W_ATTR};
    pass    p = {.ev = ev, .n_sums = 1, .loss = share_of_weight, .user = &ev->total, .size = true};
    double *zero;
    HEFT_ARENA(ctx, &ctx->scratch, zero, ev->n_attr);
    head.w = zero;
    HEFT_TRY(run_pass(ctx, &p, &head, 1, NULL, NULL, &spread));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_evidence_look(heft_ctx *ctx, const heft_evidence *ev, const heft_head *heads,
                               size_t n_heads, heft_look_fn *look, void *user)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    pass            p = {.ev = ev, .n_sums = 1, .look = look, .look_user = user};
    HEFT_TRY(open_pass(ctx, &p, heads, n_heads));
    HEFT_TRY(
        heft_run_blocks(ctx, ev->n_rows, LOOK_TILES * heft_tile_rows(p.n_lane), look_block, &p));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
