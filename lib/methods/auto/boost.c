/* boost.c - boosted trees in which no path tests more than three attributes.
 *
 * One round:
 *
 *   posteriors   P = softmax(F), for all rows                     K = 2: the second class alone
 *   draw         classes, attributes, rows; word[i] = (g, h, 1) of each drawn row, packed
 *   grow         leaves with their rows (a stretch of `index`), histograms and best splits
 *   values       sums of P over the rows of each leaf
 *   update       F of all rows, and of the rows held out, by the masks of the tree (trees.h)
 *
 * Histograms. A cell has the sums of g, h and weight of one code. Of two children the one with
 * fewer rows is counted, the other is the parent less it. Where all weights are 1, rows are counted
 * in blocks of up to 4095 into one 64-bit word for each code: 27 bits of g, 25 of h, 12 of rows.
 * The classes are numbered by their keys inside this file.
 *
 * Cost of a tree: O(0.5 n m) for the root, at most as much again for the leaves below it that may
 * still use every attribute, and O(n) for each level of the others. */
#include "methods/auto/boost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"

enum {
    BLOCK = 1024,   /* rows of a loop whose numbers stay in the cache */
    PACKED = 4095,  /* rows that one word per code can count */
    G_BITS = 14,    /* |g| <= 2^14 */
    H_BITS = 13,    /* h < 2^13 */
    N_SHIFT = 12,   /* of h in a word */
    G_SHIFT = 37,   /* of g in a word */
    SUM_BITS = 30,  /* of a posterior in the sums of a leaf */
    UNIT_BITS = 32, /* of all weights together */
    AT_ONCE = 4,    /* attributes counted in one pass over the rows */
    LEAST_SIDE = 10,
    MOST_HISTOGRAMS = 256 << 20 /* bytes; above, children are counted each */
};

static const double DRAWN = 0.7, LEAST_H = 0.001, LEAST_GAIN = 1e-7, MOST_STEP = 10;

typedef struct cell {
    int64_t g, h, n;
} cell;

typedef struct choice { /* the best split of a leaf */
    double   gain;      /* 0: none */
    uint32_t attr, at, n_listed;
    uint32_t listed[HEFT_MOST_LISTED];
} choice;

typedef struct leaf {
    size_t   first, n; /* its rows in `index` */
    cell     all;
    cell    *cells; /* by bin; NULL: not kept */
    unsigned n_path;
    uint32_t path[3];
    choice   best;
    int      child[2]; /* -1: none */
} leaf;

enum { MOST_NODES = 2 * HEFT_MOST_LEAVES };

typedef struct boosting {
    const heft_boost_rule *rule;
    heft_boosted          *out;
    size_t                 n, K, stride, m;
    uint32_t              *class_of; /* of each class here: its number in the sample */
    uint64_t              *class_key;
    uint16_t              *y;
    int64_t               *weight; /* in units; NULL: all 1 */
    double                 unit;
    uint32_t              *hash; /* of the rows */
    heft_tree_codes       *column;
    float                 *F, *P; /* n x stride */
    float                 *part;  /* n: posterior of the drawn classes */
    /* of one tree */
    uint64_t  salt;
    bool     *in; /* K: the drawn classes */
    uint32_t *use;
    size_t    n_use;
    uint32_t *index, *spare; /* drawn rows */
    size_t    n_drawn;
    int64_t  *word;           /* by row */
    int64_t  *gathered;       /* words of the rows of a leaf */
    double    g_unit, h_unit; /* what one step of the rounded numbers is */
    size_t   *bin_at;         /* m + 1: first cell of each attribute */
    cell     *pool;           /* HEFT_MOST_LEAVES histograms, or one */
    bool      keep;
    leaf      node[MOST_NODES];
    size_t    n_nodes, n_leaves;
    /* held-out rows */
    const heft_sample *held;
    heft_tree_codes   *held_column;
    float             *held_F, *best_F;
    uint16_t          *held_y;
    int64_t           *held_weight;
    double            *space; /* BLOCK x K */
    /* trees: room */
    size_t room_trees, room_splits, room_listed, room_leaves;
} boosting;

/* ---- keys and draws ---- */

heft_status heft_boost_keys_of(heft_ctx *ctx, const heft_sample *all, heft_arena *arena,
                               heft_boost_keys *out)
{
    HEFT_ALLOC(ctx, arena, out->keys, 1);
    HEFT_ALLOC(ctx, arena, out->row, all->n);
    HEFT_ALLOC(ctx, arena, out->class, all->n_class);
    HEFT_CHECK(heft_keys_of(ctx, all->rows, arena, out->keys));
    HEFT_CHECK(heft_keys_rows(ctx, out->keys, out->row));
    HEFT_ROWS (i, all->n) {
        const double w = all->weight ? all->weight[i] : 1;
        out->class[all->y[i]] += (uint64_t)fmin(w * 0x1p20, 0x1p62) * heft_mix(out->row[i]);
    }
    return HEFT_OK;
}

/* A number in [0, 1) for what has this key in this tree. */
static double draw(const boosting *b, uint64_t key)
{
    return (double)(heft_mix(b->salt ^ heft_mix(key)) >> 11) * 0x1p-53;
}

/* The same for a row, in 32 bits, so that the loop over rows is vector code. */
HEFT_INLINE uint32_t row_draw(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

HEFT_WIDE static void draw_rows(const uint32_t *hash, uint32_t salt, uint32_t limit, size_t n,
                                uint8_t *drawn)
{
    for (size_t i = 0; i < n; i++) drawn[i] = row_draw(hash[i] + salt) < limit;
}

/* ---- posteriors ---- */

HEFT_WIDE static void sigmoid_rows(const float *F, size_t n, float *P)
{
    for (size_t i = 0; i < n; i++) P[i] = -fabsf(F[i]);
    heft_exp_floats(P, n);
    for (size_t i = 0; i < n; i++) P[i] = (F[i] >= 0 ? 1 : P[i]) / (1 + P[i]);
}

HEFT_INLINE void softmax_lines(const float *F, size_t n, size_t K, size_t stride, float *P)
{
    for (size_t i = 0; i < n; i++) {
        const float *f = F + i * stride;
        float       *p = P + i * stride, top = f[0];
        for (size_t c = 1; c < K; c++) top = f[c] > top ? f[c] : top;
        for (size_t c = 0; c < K; c++) p[c] = f[c] - top;
        for (size_t c = K; c < stride; c++) p[c] = -100;
    }
    heft_exp_floats(P, n * stride);
    for (size_t i = 0; i < n; i++) {
        float *p = P + i * stride, sum = 0;
        for (size_t c = 0; c < stride; c++) sum += p[c];
        const float by = 1 / sum;
        for (size_t c = 0; c < stride; c++) p[c] *= by;
    }
}

HEFT_WIDE static void softmax_rows(const float *F, size_t n, size_t K, size_t stride, float *P)
{
    if (stride == 4) softmax_lines(F, n, K, 4, P);
    else if (stride == 8) softmax_lines(F, n, K, 8, P);
    else softmax_lines(F, n, K, stride, P);
}

static void posteriors(const boosting *b, const float *F, size_t n, float *P)
{
    if (b->K == 2) sigmoid_rows(F, n, P);
    else softmax_rows(F, n, b->K, b->stride, P);
}

static int64_t units(const int64_t *weight, size_t i)
{
    return weight ? weight[i] : 1;
}

/* sum[c] += p_ic and own[c] += p_ic of the rows of class c, over n rows from `lo`. */
HEFT_WIDE static void add_posteriors(const boosting *b, size_t lo, size_t n, int64_t *sum,
                                     int64_t *own)
{
    const float scale = 1 << 24;
    for (size_t i = lo; i < lo + n; i++) {
        const float  *p = b->P + i * b->stride;
        const int64_t w = units(b->weight, i);
        for (size_t c = 0; c < b->K; c++) sum[c] += (int32_t)(p[c] * scale) * w;
        own[b->y[i]] += (int32_t)(p[b->y[i]] * scale) * w;
    }
}

/* ---- what a tree is grown on ---- */

/* One class with probability proportional to sum_i |p_ic - [y_i = c]|, each other with 1/2; if that
 * is all of them, the one after the first is left out. */
static heft_status draw_classes(heft_ctx *ctx, boosting *b)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = b->K;
    int64_t     *sum, *own;
    double       all = 0, upto = 0;
    size_t       first = 0, n = 0;
    if (K == 2) {
        b->in[0] = false;
        b->in[1] = true;
        return HEFT_OK;
    }
    HEFT_ALLOCS(ctx, &ctx->scratch, K, sum, own);
    HEFT_ROW_BLOCKS (lo, hi, b->n) {
        add_posteriors(b, lo, hi - lo, sum, own);
        for (size_t i = lo; i < hi; i++) sum[b->y[i]] += units(b->weight, i) << 24;
    }
    /* rows of the class: 1 - p; the others: p */
    for (size_t c = 0; c < K; c++) all += (double)(sum[c] - 2 * own[c]);
    const double at = draw(b, 1) * all;
    for (first = 0; first + 1 < K; first++) {
        upto += (double)(sum[first] - 2 * own[first]);
        if (at < upto) break;
    }
    for (size_t c = 0; c < K; c++) {
        b->in[c] = c == first || draw(b, b->class_key[c] + 2) < 0.5;
        n += b->in[c];
    }
    if (n == K) b->in[(first + 1) % K] = false;
    return HEFT_OK;
}

static void draw_attributes(boosting *b, const heft_keys *keys)
{
    double least = 2;
    size_t lowest = 0;
    b->n_use = 0;
    for (uint32_t k = 0; k < b->m; k++) {
        const double at = draw(b, keys->column[b->out->bins.attr[k].attr] + 3);
        if (at < DRAWN) b->use[b->n_use++] = k;
        if (at < least) {
            least = at;
            lowest = k;
        }
    }
    if (b->n_use == 0) b->use[b->n_use++] = (uint32_t)lowest;
}

/* part[i] = posterior of the drawn classes. */
HEFT_WIDE static void sum_drawn(const boosting *b, const float *in, size_t lo, size_t n)
{
    for (size_t i = lo; i < lo + n; i++) {
        const float *p = b->P + i * b->stride;
        float        sum = 0;
        for (size_t c = 0; c < b->K; c++) sum += p[c] * in[c];
        b->part[i] = sum < 1 ? sum : 1;
    }
}

/* The rows of the tree, with g and h rounded to steps that fit the largest |g|. */
static heft_status draw_rows_of(heft_ctx *ctx, boosting *b)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const uint32_t limit = (uint32_t)(DRAWN * 0x1p32), salt = (uint32_t)(b->salt >> 32);
    uint8_t       *drawn;
    float         *in, top = 0;
    int            power;
    HEFT_ALLOC(ctx, &ctx->scratch, drawn, HEFT_BLOCK_ROWS);
    HEFT_ALLOC(ctx, &ctx->scratch, in, b->K);
    for (size_t c = 0; c < b->K; c++) in[c] = b->in[c];
    b->n_drawn = 0;
    HEFT_ROW_BLOCKS (lo, hi, b->n) {
        if (b->K > 2) sum_drawn(b, in, lo, hi - lo);
        draw_rows(b->hash + lo, salt, limit, hi - lo, drawn);
        for (size_t i = lo; i < hi; i++) {
            const float g = fabsf(b->part[i] - (float)b->in[b->y[i]]);
            b->index[b->n_drawn] = (uint32_t)i;
            b->n_drawn += drawn[i - lo];
            top = drawn[i - lo] && g > top ? g : top;
        }
    }
    frexp((double)top, &power); /* top < 2^power */
    if (!(top > 0)) power = 0;
    const float by_g = ldexpf(1, G_BITS - power), by_h = 1 << (H_BITS + 2);
    b->g_unit = ldexp(1, power - G_BITS);
    b->h_unit = ldexp(1, -(H_BITS + 2));
    HEFT_ROW_BLOCKS (lo, hi, b->n_drawn)
        for (size_t k = lo; k < hi; k++) {
            const size_t  i = b->index[k];
            const float   p = b->part[i];
            const int64_t g = lrintf((p - (float)b->in[b->y[i]]) * by_g);
            int64_t       h = lrintf(p * (1 - p) * by_h);
            if (h > (1 << H_BITS) - 1) h = (1 << H_BITS) - 1;
            b->word[i] = g * ((int64_t)1 << G_SHIFT) + (h << N_SHIFT) + 1;
        }
    return HEFT_OK;
}

static int64_t word_g(int64_t word)
{
    return word >> G_SHIFT;
}

static int64_t word_h(int64_t word)
{
    return (word >> N_SHIFT) & (((int64_t)1 << (G_SHIFT - N_SHIFT)) - 1);
}

static int64_t word_n(int64_t word)
{
    return word & ((1 << N_SHIFT) - 1);
}

/* ---- histograms ---- */

/* at[k][code] += word, for `many` attributes of one-byte codes. */
HEFT_INLINE void count_bytes(const uint32_t *index, const int64_t *word, size_t n,
                             const uint8_t *const *code, size_t many, int64_t (*at)[256])
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < many; k++) at[k][code[k][index[i]]] += word[i];
}

static void add_words(const int64_t *from, size_t n, cell *to)
{
    for (size_t v = 0; v < n; v++) {
        to[v].g += word_g(from[v]);
        to[v].h += word_h(from[v]);
        to[v].n += word_n(from[v]);
    }
}

/* Attributes use[0..many) of one-byte codes, rows of weight 1. */
static void count_plain(const boosting *b, const uint32_t *index, size_t n, const uint32_t *use,
                        size_t many, cell *cells)
{
    int64_t        at[AT_ONCE][256];
    const uint8_t *code[AT_ONCE];
    for (size_t k = 0; k < many; k++) code[k] = b->column[use[k]].codes;
    for (size_t lo = 0; lo < n; lo += PACKED) {
        const size_t here = n - lo < PACKED ? n - lo : PACKED;
        for (size_t k = 0; k < many; k++)
            memset(at[k], 0, b->out->bins.attr[use[k]].n_codes * sizeof **at);
        if (many == AT_ONCE) count_bytes(index + lo, b->gathered + lo, here, code, AT_ONCE, at);
        else count_bytes(index + lo, b->gathered + lo, here, code, many, at);
        for (size_t k = 0; k < many; k++)
            add_words(at[k], b->out->bins.attr[use[k]].n_codes, cells + b->bin_at[use[k]]);
    }
}

/* One attribute, any codes and weights. */
static void count_any(const boosting *b, const uint32_t *index, size_t n, uint32_t k, cell *cells)
{
    const heft_tree_codes *column = &b->column[k];
    cell                  *to = cells + b->bin_at[k];
    for (size_t i = 0; i < n; i++) {
        cell         *at = &to[heft_code_at(column->codes, column->width, index[i])];
        const int64_t w = units(b->weight, index[i]);
        at->g += word_g(b->gathered[i]) * w;
        at->h += word_h(b->gathered[i]) * w;
        at->n += w;
    }
}

/* The histograms of attributes use[0..n_use) over the rows of a leaf. */
static void count_leaf(const boosting *b, const leaf *l, const uint32_t *use, size_t n_use,
                       cell *cells)
{
    const uint32_t *index = b->index + l->first;
    uint32_t        group[AT_ONCE];
    size_t          many = 0;
    heft_spill_valve();
    for (size_t i = 0; i < l->n; i++) b->gathered[i] = b->word[index[i]];
    for (size_t k = 0; k < n_use; k++) {
        const uint32_t j = use[k];
        memset(cells + b->bin_at[j], 0, (b->bin_at[j + 1] - b->bin_at[j]) * sizeof *cells);
        if (b->weight || b->column[j].width > 1) {
            count_any(b, index, l->n, j, cells);
            continue;
        }
        group[many++] = j;
        if (many < AT_ONCE) continue;
        count_plain(b, index, l->n, group, many, cells);
        many = 0;
    }
    if (many) count_plain(b, index, l->n, group, many, cells);
}

HEFT_WIDE static void take_away(const boosting *b, const cell *part, const uint32_t *use,
                                size_t n_use, cell *from)
{
    for (size_t k = 0; k < n_use; k++)
        for (size_t v = b->bin_at[use[k]]; v < b->bin_at[use[k] + 1]; v++) {
            from[v].g -= part[v].g;
            from[v].h -= part[v].h;
            from[v].n -= part[v].n;
        }
}

/* ---- splits ---- */

typedef struct sides { /* the left sides of up to 128 splits, and what they gain */
    double g[HEFT_BINS + 2], h[HEFT_BINS + 2], n[HEFT_BINS + 2], gain[HEFT_BINS + 2];
} sides;

/* gain[k], or -1 where a side is too small. all: G, H and weight of the leaf. */
HEFT_WIDE static void gains(sides *s, size_t n_splits, const double *all, double ridge)
{
    for (size_t k = 0; k < n_splits; k++) {
        const double g = all[0] - s->g[k], h = all[1] - s->h[k], n = all[2] - s->n[k];
        const double gain = s->g[k] * s->g[k] / (s->h[k] + ridge) + g * g / (h + ridge);
        const bool   fits =
            (s->n[k] >= LEAST_SIDE) & (n >= LEAST_SIDE) & (s->h[k] >= LEAST_H) & (h >= LEAST_H);
        s->gain[k] = fits ? gain : -1;
    }
}

/* The first of the largest. */
static size_t largest(const double *v, size_t n)
{
    size_t at = 0;
    for (size_t k = 1; k < n; k++)
        if (v[k] > v[at]) at = k;
    return at;
}

static void real_sums(const boosting *b, const cell *c, double *out)
{
    out[0] = (double)c->g * b->g_unit * b->unit;
    out[1] = (double)c->h * b->h_unit * b->unit;
    out[2] = (double)c->n * b->unit;
}

static void split_numbers(const boosting *b, const leaf *l, uint32_t j, const cell *cells,
                          choice *best)
{
    sides        s;
    cell         left = {0};
    double       all[3], one[3];
    const size_t n = b->out->bins.attr[j].n_codes - 1;
    real_sums(b, &l->all, all);
    for (size_t v = 0; v < n; v++) {
        left.g += cells[v].g;
        left.h += cells[v].h;
        left.n += cells[v].n;
        real_sums(b, &left, one);
        s.g[v] = one[0];
        s.h[v] = one[1];
        s.n[v] = one[2];
    }
    gains(&s, n, all, 1);
    const size_t at = largest(s.gain, n);
    const double gain = s.gain[at] - all[0] * all[0] / (all[1] + 1);
    if (s.gain[at] >= 0 && gain > LEAST_GAIN && gain > best->gain)
        *best = (choice){.gain = gain, .attr = j, .at = (uint32_t)at};
}

typedef struct listed_code {
    double   order;
    uint32_t code;
} listed_code;

static int by_order(const void *a, const void *b)
{
    const listed_code *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->code < y->code ? -1 : 1;
}

static int by_code(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Prefixes of the codes in the order of G / (H + smooth), from either end. */
static heft_status split_values(heft_ctx *ctx, const boosting *b, const leaf *l, uint32_t j,
                                const cell *cells, choice *best)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_bin_attr *a = &b->out->bins.attr[j];
    const bool           many = a->n_values > HEFT_MOST_PLAIN;
    const double         smooth = many ? 30 : 10, ridge = a->n_values > 4 ? 11 : 1;
    const size_t         most = many ? HEFT_MOST_LISTED - 1 : HEFT_MOST_LISTED;
    listed_code         *v;
    sides                s;
    double               all[3], one[3];
    size_t               n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, v, a->n_codes);
    real_sums(b, &l->all, all);
    for (uint32_t code = 0; code + 1 < a->n_codes; code++) { /* the last is never listed */
        real_sums(b, &cells[code], one);
        if (one[2] >= a->least) v[n++] = (listed_code){one[0] / (one[1] + smooth), code};
    }
    qsort(v, n, sizeof *v, by_order);
    const size_t longest = n < most ? n : most;
    for (int end = 0; end < 2; end++) {
        cell left = {0};
        for (size_t k = 0; k < longest; k++) {
            const cell *c = &cells[v[end ? n - 1 - k : k].code];
            left.g += c->g;
            left.h += c->h;
            left.n += c->n;
            real_sums(b, &left, one);
            s.g[k] = one[0];
            s.h[k] = one[1];
            s.n[k] = one[2];
        }
        if (longest == 0) break;
        gains(&s, longest, all, ridge);
        const size_t at = largest(s.gain, longest);
        const double gain = s.gain[at] - all[0] * all[0] / (all[1] + ridge);
        if (!(s.gain[at] >= 0 && gain > LEAST_GAIN && gain > best->gain)) continue;
        *best = (choice){.gain = gain, .attr = j, .n_listed = (uint32_t)at + 1};
        for (size_t k = 0; k <= at; k++) best->listed[k] = v[end ? n - 1 - k : k].code;
        qsort(best->listed, at + 1, sizeof *best->listed, by_code);
    }
    return HEFT_OK;
}

/* The attributes that a leaf may be split on. */
static const uint32_t *allowed(const boosting *b, const leaf *l, size_t *n)
{
    const bool bound = l->n_path == b->rule->order;
    *n = bound ? l->n_path : b->n_use;
    return bound ? l->path : b->use;
}

static heft_status find_best(heft_ctx *ctx, const boosting *b, leaf *l, const cell *cells)
{
    size_t          n;
    const uint32_t *use = allowed(b, l, &n);
    l->best.gain = 0;
    for (size_t k = 0; k < n; k++) {
        const cell *of = cells + b->bin_at[use[k]];
        if (b->out->bins.attr[use[k]].nominal)
            HEFT_CHECK(split_values(ctx, b, l, use[k], of, &l->best));
        else split_numbers(b, l, use[k], of, &l->best);
    }
    return HEFT_OK;
}

/* ---- growing ---- */

static bool goes_left(const boosting *b, const choice *c, uint32_t row)
{
    const heft_tree_codes *column = &b->column[c->attr];
    const uint32_t         code = heft_code_at(column->codes, column->width, row);
    if (c->n_listed == 0) return code <= c->at;
    for (size_t k = 0; k < c->n_listed; k++)
        if (c->listed[k] == code) return true;
    return false;
}

/* The rows of a leaf: those that go left first, each side in its order. Returns how many do. */
static size_t part_rows(const boosting *b, const leaf *l)
{
    const choice  *c = &l->best;
    uint32_t      *index = b->index + l->first;
    const uint8_t *code = b->column[c->attr].codes;
    size_t         left = 0, right = 0;
    bool           in[256] = {false};
    heft_spill_valve();
    for (size_t k = 0; k < c->n_listed; k++)
        if (c->listed[k] < 256) in[c->listed[k]] = true;
    for (size_t v = 0; c->n_listed == 0 && v <= c->at && v < 256; v++) in[v] = true;
    if (b->column[c->attr].width == 1) {
        for (size_t i = 0; i < l->n; i++) {
            const uint32_t row = index[i];
            const bool     go = in[code[row]];
            index[left] = b->spare[right] = row;
            left += go;
            right += !go;
        }
    } else {
        for (size_t i = 0; i < l->n; i++) {
            const uint32_t row = index[i];
            const bool     go = goes_left(b, c, row);
            index[left] = b->spare[right] = row;
            left += go;
            right += !go;
        }
    }
    memcpy(index + left, b->spare, right * sizeof *index);
    return left;
}

static cell sum_rows(const boosting *b, const leaf *l)
{
    cell sum = {0};
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const int64_t word = b->word[b->index[i]], w = units(b->weight, b->index[i]);
        sum.g += word_g(word) * w;
        sum.h += word_h(word) * w;
        sum.n += w;
    }
    return sum;
}

static bool worth_splitting(const boosting *b, const leaf *l)
{
    return (double)l->all.n * b->unit >= 2 * LEAST_SIDE;
}

/* Histograms and best splits of both children of a node that has been split. */
static heft_status weigh_children(heft_ctx *ctx, boosting *b, leaf *parent)
{
    leaf           *child[2] = {&b->node[parent->child[0]], &b->node[parent->child[1]]};
    const int       few = child[0]->n <= child[1]->n ? 0 : 1;
    size_t          n;
    const uint32_t *use = allowed(b, child[0], &n);
    leaf           *small = child[few], *large = child[!few];
    if (!b->keep) {
        for (int k = 0; k < 2; k++) {
            if (!worth_splitting(b, child[k])) continue;
            count_leaf(b, child[k], use, n, b->pool);
            HEFT_CHECK(find_best(ctx, b, child[k], b->pool));
        }
        return HEFT_OK;
    }
    small->cells = b->pool + (b->n_leaves - 1) * b->bin_at[b->m];
    large->cells = parent->cells;
    if (worth_splitting(b, small) || worth_splitting(b, large)) {
        count_leaf(b, small, use, n, small->cells);
        take_away(b, small->cells, use, n, large->cells);
    }
    if (worth_splitting(b, small)) HEFT_CHECK(find_best(ctx, b, small, small->cells));
    if (worth_splitting(b, large)) HEFT_CHECK(find_best(ctx, b, large, large->cells));
    return HEFT_OK;
}

static heft_status split_leaf(heft_ctx *ctx, boosting *b, leaf *l)
{
    const size_t left = part_rows(b, l);
    for (int k = 0; k < 2; k++) {
        leaf *c = &b->node[b->n_nodes];
        l->child[k] = (int)b->n_nodes++;
        *c = (leaf){.first = l->first + (k ? left : 0),
                    .n = k ? l->n - left : left,
                    .n_path = l->n_path,
                    .child = {-1, -1}};
        memcpy(c->path, l->path, sizeof c->path);
        bool known = false;
        for (unsigned p = 0; p < c->n_path; p++) known |= c->path[p] == l->best.attr;
        if (!known && c->n_path < b->rule->order) c->path[c->n_path++] = l->best.attr;
    }
    leaf *first = &b->node[l->child[0]], *second = &b->node[l->child[1]];
    leaf *fewer = first->n < second->n ? first : second, *more = fewer == first ? second : first;
    fewer->all = sum_rows(b, fewer);
    more->all = (cell){l->all.g - fewer->all.g, l->all.h - fewer->all.h, l->all.n - fewer->all.n};
    b->n_leaves++;
    return b->n_leaves < HEFT_MOST_LEAVES ? weigh_children(ctx, b, l) : HEFT_OK;
}

static heft_status grow(heft_ctx *ctx, boosting *b)
{
    leaf *root = &b->node[0];
    *root = (leaf){.n = b->n_drawn, .cells = b->pool, .child = {-1, -1}};
    root->all = sum_rows(b, root);
    b->n_nodes = b->n_leaves = 1;
    if (!worth_splitting(b, root)) return HEFT_OK;
    count_leaf(b, root, b->use, b->n_use, b->pool);
    HEFT_CHECK(find_best(ctx, b, root, b->pool));
    while (b->n_leaves < HEFT_MOST_LEAVES) {
        leaf *best = NULL;
        for (leaf *l = b->node; l < b->node + b->n_nodes; l++)
            if (l->child[0] < 0 && l->best.gain > 0 && (!best || l->best.gain > best->best.gain))
                best = l;
        if (!best) break;
        HEFT_CHECK(split_leaf(ctx, b, best));
    }
    return HEFT_OK;
}

/* ---- the tree ---- */

/* sum[c], curve[c] += p, p (1 - p) of the rows of the leaf, in steps of 2^-SUM_BITS. */
HEFT_WIDE static void add_leaf(const boosting *b, const leaf *l, int64_t *sum, int64_t *curve)
{
    const float scale = 1 << SUM_BITS;
    for (size_t k = l->first; k < l->first + l->n; k++) {
        const size_t  i = b->index[k];
        const float  *p = b->P + i * b->stride;
        const int64_t w = units(b->weight, i);
        for (size_t c = 0; c < b->stride; c++) {
            sum[c] += (int32_t)(p[c] * scale) * w;
            curve[c] += (int32_t)(p[c] * (1 - p[c]) * scale) * w;
        }
    }
}

/* v_c = -rate G_c / (K/(K-1) H_c + 1); two classes: half of it for the second, taken from the
 * first. */
static heft_status leaf_values(heft_ctx *ctx, const boosting *b, const leaf *l, double *value)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = b->K;
    const double step = ldexp(b->unit, -SUM_BITS), rate = b->rule->rate, most = MOST_STEP * rate;
    const double factor = K == 2 ? 1 : (double)K / (double)(K - 1);
    int64_t     *sum, *curve;
    HEFT_ALLOCS(ctx, &ctx->scratch, b->stride + 2, sum, curve);
    add_leaf(b, l, sum, curve);
    for (size_t k = l->first; k < l->first + l->n; k++) {
        const size_t i = b->index[k];
        if (K == 2) sum[0] -= b->y[i] ? units(b->weight, i) << SUM_BITS : 0;
        else sum[b->y[i]] -= units(b->weight, i) << SUM_BITS;
    }
    for (size_t c = 0; c < b->out->trees.n_columns; c++) {
        const double v = -rate * ((double)sum[c] * step) / (factor * (double)curve[c] * step + 1);
        const double within = v > most ? most : v < -most ? -most : v;
        if (K == 2) value[0] = within / 2;
        else value[c] = within;
    }
    return HEFT_OK;
}

/* Pre-order: appends the splits and values below `node`; returns the leaves there. */
static heft_status emit(heft_ctx *ctx, boosting *b, const leaf *node, uint8_t *n_leaves)
{
    heft_trees *t = &b->out->trees;
    uint8_t     side[2];
    *n_leaves = 1;
    if (node->child[0] < 0) {
        return leaf_values(ctx, b, node, t->value + t->n_leaves++ * t->n_columns);
    }
    const choice    *c = &node->best;
    heft_tree_split *s = &t->split[t->n_splits++];
    *s = (heft_tree_split){.attr = c->attr, .at = c->at, .n_listed = (uint8_t)c->n_listed};
    if (c->n_listed) {
        s->at = (uint32_t)t->n_listed;
        memcpy(t->listed + t->n_listed, c->listed, c->n_listed * sizeof *c->listed);
        t->n_listed += c->n_listed;
    }
    for (int k = 0; k < 2; k++) HEFT_CHECK(emit(ctx, b, &b->node[node->child[k]], &side[k]));
    s->left = side[0];
    *n_leaves = (uint8_t)(side[0] + side[1]);
    return HEFT_OK;
}

#define ROOM(ctx, p, room, n)                                                                      \
    do                                                                                             \
        if ((n) > (room)) {                                                                        \
            HEFT_RESIZE((ctx), (p), 2 * (n));                                                      \
            (room) = 2 * (n);                                                                      \
        }                                                                                          \
    while (0)

static heft_status store_tree(heft_ctx *ctx, boosting *b)
{
    heft_trees *t = &b->out->trees;
    heft_tree   tree = {.split = t->n_splits, .leaf = t->n_leaves};
    ROOM(ctx, t->tree, b->room_trees, t->n_trees + 1);
    ROOM(ctx, t->split, b->room_splits, t->n_splits + HEFT_MOST_LEAVES);
    ROOM(ctx, t->listed, b->room_listed, t->n_listed + HEFT_MOST_LEAVES * HEFT_MOST_LISTED);
    ROOM(ctx, t->value, b->room_leaves, (t->n_leaves + HEFT_MOST_LEAVES) * t->n_columns);
    HEFT_CHECK(emit(ctx, b, &b->node[0], &tree.n_leaves));
    t->tree[t->n_trees++] = tree;
    heft_tree_index(t, t->n_trees - 1);
    return HEFT_OK;
}

/* F += the values of the leaves of the last tree. */
static void update(const boosting *b, const heft_tree_codes *column, size_t n, float *F)
{
    const heft_trees *t = &b->out->trees;
    const double     *value = t->value + t->tree[t->n_trees - 1].leaf * t->n_columns;
    const size_t      K = b->K, stride = b->stride;
    uint16_t          mask[BLOCK];
    float             few[HEFT_MOST_LEAVES];
    for (size_t k = 0; K == 2 && k < t->tree[t->n_trees - 1].n_leaves; k++)
        few[k] = (float)(2 * value[k]);
    for (size_t lo = 0; lo < n; lo += BLOCK) {
        const size_t here = n - lo < BLOCK ? n - lo : BLOCK;
        heft_spill_valve();
        heft_tree_masks(t, t->n_trees - 1, column, lo, here, mask);
        if (K == 2) {
            for (size_t i = 0; i < here; i++) F[lo + i] += few[heft_leaf_of(mask[i])];
            continue;
        }
        for (size_t i = 0; i < here; i++) {
            const double *v = value + heft_leaf_of(mask[i]) * K;
            float        *f = F + (lo + i) * stride;
            for (size_t c = 0; c < K; c++) f[c] += (float)v[c];
        }
    }
}

/* ---- held-out rows ---- */

/* log-posteriors of rows lo .. lo + n - 1, in the classes of this file. */
static void log_posteriors(const boosting *b, const float *F, size_t lo, size_t n, double *out)
{
    const size_t K = b->K;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < K; c++)
            out[i * K + c] =
                K == 2 ? (c ? (double)F[lo + i] : 0) : (double)F[(lo + i) * b->stride + c];
}

static double held_loss(const boosting *b)
{
    const size_t K = b->K;
    double       lse[BLOCK], right[BLOCK];
    int64_t      sum = 0, all = 0;
    for (size_t lo = 0; lo < b->held->n; lo += BLOCK) {
        const size_t n = b->held->n - lo < BLOCK ? b->held->n - lo : BLOCK;
        heft_spill_valve();
        if (K == 2) {
            for (size_t i = 0; i < n; i++)
                right[i] = (b->held_y[lo + i] ? -1.0 : 1.0) * (double)b->held_F[lo + i];
            heft_log1pexp_all(right, n, lse, right);
        } else {
            log_posteriors(b, b->held_F, lo, n, b->space);
            for (size_t i = 0; i < n; i++) right[i] = b->space[i * K + b->held_y[lo + i]];
            heft_softmax_all(b->space, n, K, lse);
            for (size_t i = 0; i < n; i++) lse[i] -= right[i];
        }
        for (size_t i = 0; i < n; i++) {
            const int64_t w = units(b->held_weight, lo + i);
            sum += (int64_t)(lse[i] * 0x1p20) * w;
            all += w;
        }
    }
    return all ? (double)sum / (double)all * 0x1p-20 : 0;
}

static heft_status held_scores(const boosting *b, double *score)
{
    const size_t K = b->K;
    const double floor_at = log(1e-15);
    HEFT_ROWS (i, b->held->n) {
        double *s = b->space;
        log_posteriors(b, b->best_F, i, 1, s);
        double top = s[0], sum = 0;
        for (size_t c = 1; c < K; c++) top = fmax(top, s[c]);
        for (size_t c = 0; c < K; c++) sum += exp(s[c] - top);
        for (size_t c = 0; c < K; c++)
            score[i * K + b->class_of[c]] = fmax(s[c] - top - log(sum), floor_at);
    }
    return HEFT_OK;
}

/* ---- setting up ---- */

/* Classes are numbered by their keys here: number[] has the new numbers. */
static heft_status order_classes(heft_ctx *ctx, const heft_boost_keys *keys, heft_arena *arena,
                                 boosting *b, uint16_t **number)
{
    heft_ranked *order, *spare;
    HEFT_ALLOCS(ctx, arena, b->K, order, spare, b->class_of, b->class_key, b->in, *number);
    for (size_t c = 0; c < b->K; c++) order[c] = (heft_ranked){keys->class[c], c};
    heft_order_sort(order, spare, b->K);
    for (size_t c = 0; c < b->K; c++) {
        b->class_of[c] = (uint32_t)order[c].row;
        b->class_key[c] = order[c].key;
        (*number)[order[c].row] = (uint16_t)c;
    }
    return HEFT_OK;
}

/* Classes, weights as whole multiples of the unit, and scores of the start. */
static heft_status set_rows(heft_ctx *ctx, const boosting *b, const heft_sample *s,
                            const uint16_t *number, heft_arena *arena, uint16_t **y,
                            int64_t **weight, float **F)
{
    const double *start = b->out->start;
    HEFT_ALLOC(ctx, arena, *y, s->n);
    HEFT_ALLOC(ctx, arena, *F, s->n * b->stride);
    if (s->weight) HEFT_ALLOC(ctx, arena, *weight, s->n);
    HEFT_ROWS (i, s->n) {
        float *f = *F + i * b->stride;
        (*y)[i] = number[s->y[i]];
        if (s->weight) (*weight)[i] = llrint(s->weight[i] / b->unit);
        if (b->K == 2) f[0] = (float)(start[b->class_of[1]] - start[b->class_of[0]]);
        else
            for (size_t c = 0; c < b->K; c++) f[c] = (float)start[b->class_of[c]];
    }
    return HEFT_OK;
}

/* start_c = log((n_c + 1/2) / (n + K/2)). Whole weights are whole multiples of the unit. */
static heft_status set_start(heft_ctx *ctx, const heft_sample *s, heft_arena *results, boosting *b)
{
    double total = 0;
    int    power;
    HEFT_ALLOC(ctx, results, b->out->start, b->K);
    HEFT_ROWS (i, s->n) {
        const double w = s->weight ? s->weight[i] : 1;
        b->out->start[s->y[i]] += w;
        total += w;
    }
    for (size_t c = 0; c < b->K; c++)
        b->out->start[c] = log((b->out->start[c] + 0.5) / (total + (double)b->K / 2));
    frexp(total, &power);
    b->unit = s->weight && power > UNIT_BITS ? ldexp(1, power - UNIT_BITS) : 1;
    for (size_t i = 0; i < s->n && s->weight && b->unit == 1; i++)
        if (s->weight[i] != floor(s->weight[i])) b->unit = ldexp(1, power - UNIT_BITS);
    return HEFT_OK;
}

static heft_status set_histograms(heft_ctx *ctx, heft_arena *arena, boosting *b)
{
    size_t cells = 0;
    HEFT_ALLOC(ctx, arena, b->bin_at, b->m + 1);
    for (size_t k = 0; k < b->m; k++) {
        b->bin_at[k] = cells;
        cells += b->out->bins.attr[k].n_codes;
    }
    b->bin_at[b->m] = cells;
    b->keep = cells <= MOST_HISTOGRAMS / sizeof(cell) / HEFT_MOST_LEAVES;
    HEFT_ALLOC(ctx, arena, b->pool, cells * (b->keep ? HEFT_MOST_LEAVES : 1));
    return HEFT_OK;
}

static heft_status set_up(heft_ctx *ctx, const heft_sample *s, const heft_boost_keys *keys,
                          const heft_boost_watch *watch, heft_arena *arena, heft_arena *results,
                          boosting *b)
{
    uint16_t *number;
    HEFT_CHECK(order_classes(ctx, keys, arena, b, &number));
    HEFT_CHECK(set_start(ctx, s, results, b));
    HEFT_CHECK(set_rows(ctx, b, s, number, arena, &b->y, &b->weight, &b->F));
    HEFT_CHECK(set_histograms(ctx, arena, b));
    HEFT_ALLOC(ctx, arena, b->P, b->n * b->stride + 16);
    HEFT_ALLOCS(ctx, arena, b->n, b->hash, b->index, b->spare, b->word, b->gathered);
    HEFT_ALLOC(ctx, arena, b->use, b->m);
    if (b->K == 2) b->part = b->P;
    else HEFT_ALLOC(ctx, arena, b->part, b->n);
    HEFT_ROWS (i, s->n) b->hash[i] = (uint32_t)(heft_mix(keys->row[s->row ? s->row[i] : i]) >> 32);
    b->held = watch->held;
    if (!b->held) return HEFT_OK;
    HEFT_CHECK(set_rows(ctx, b, b->held, number, arena, &b->held_y, &b->held_weight, &b->held_F));
    HEFT_ALLOC(ctx, arena, b->best_F, b->held->n * b->stride);
    HEFT_ALLOC(ctx, arena, b->space, BLOCK * b->K);
    return HEFT_OK;
}

/* ---- rounds ---- */

static heft_status one_round(heft_ctx *ctx, boosting *b, const heft_keys *keys, size_t round)
{
    b->salt = heft_mix(b->rule->draw + heft_mix(round + 1));
    HEFT_ROW_BLOCKS (lo, hi, b->n)
        posteriors(b, b->F + lo * b->stride, hi - lo, b->P + lo * b->stride);
    HEFT_CHECK(draw_classes(ctx, b));
    draw_attributes(b, keys);
    HEFT_CHECK(draw_rows_of(ctx, b));
    HEFT_CHECK(grow(ctx, b));
    HEFT_CHECK(store_tree(ctx, b));
    update(b, b->column, b->n, b->F);
    return HEFT_OK;
}

static heft_status watch_held(boosting *b, size_t round, heft_boost_watch *watch)
{
    update(b, b->held_column, b->held->n, b->held_F);
    const double loss = held_loss(b);
    if (loss < watch->loss) {
        watch->loss = loss;
        watch->best = round;
        memcpy(b->best_F, b->held_F, b->held->n * b->stride * sizeof *b->best_F);
    }
    return HEFT_OK;
}

static bool enough(const boosting *b, size_t round, heft_boost_watch *watch)
{
    if (round >= b->rule->most_rounds) return true;
    if (watch->rounds && round >= atomic_load(watch->rounds)) return true;
    if (watch->held && round >= watch->best + b->rule->patience) return true;
    watch->late = watch->until > 0 && heft_clock() >= watch->until;
    return watch->late && round > 0;
}

static heft_status all_rounds(heft_ctx *ctx, boosting *b, const heft_keys *keys,
                              heft_boost_watch *watch)
{
    size_t round = 0;
    watch->best = 0;
    watch->loss = INFINITY;
    if (b->held) {
        watch->loss = held_loss(b);
        memcpy(b->best_F, b->held_F, b->held->n * b->stride * sizeof *b->best_F);
    }
    while (b->m > 0 && !enough(b, round, watch)) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(one_round(ctx, b, keys, round++));
        if (b->held) HEFT_CHECK(watch_held(b, round, watch));
        if (watch->steps) heft_steps_add(ctx, watch->steps, b->n);
    }
    if (b->held && watch->score) held_scores(b, watch->score);
    return HEFT_OK;
}

/* Trees beyond `n` are dropped. */
static void keep_trees(heft_trees *t, size_t n)
{
    if (n >= t->n_trees) return;
    t->n_splits = t->tree[n].split;
    t->n_leaves = t->tree[n].leaf;
    t->n_trees = n;
    t->n_listed = 0;
    for (size_t k = 0; k < t->n_splits; k++) t->n_listed += t->split[k].n_listed;
}

/* Columns of the values in the order of the classes of the sample. */
static void restore_classes(boosting *b)
{
    heft_trees *t = &b->out->trees;
    if (b->K == 2) {
        for (size_t k = 0; k < t->n_leaves && b->class_of[1] == 0; k++) t->value[k] = -t->value[k];
        return;
    }
    double *line = b->space;
    for (size_t k = 0; k < t->n_leaves; k++) {
        double *v = t->value + k * b->K;
        for (size_t c = 0; c < b->K; c++) line[b->class_of[c]] = v[c];
        memcpy(v, line, b->K * sizeof *v);
    }
}

heft_status heft_boost_fit(heft_ctx *ctx, const heft_sample *sample, const heft_boost_keys *keys,
                           const heft_boost_rule *rule, heft_boost_watch *watch, heft_arena *arena,
                           heft_boosted *out)
{
    heft_status  st = HEFT_OK;
    heft_arena   work = {0};
    void        *codes = NULL, *held_codes = NULL;
    const size_t K = sample->n_class;
    boosting    *b = NULL;
    HEFT_ARENA(ctx, &work, b, 1);
    *b = (boosting){.rule = rule, .out = out, .n = sample->n, .K = K};
    b->stride = K == 2 ? 1 : (K + 3) / 4 * 4;
    out->trees.n_columns = K == 2 ? 1 : K;
    HEFT_TRY(heft_bins_learn(ctx, sample, keys->keys, rule->shift, rule->draw, arena, &out->bins));
    b->m = out->bins.n_attr;
    HEFT_TRY(heft_bins_fill(ctx, &out->bins, sample, &work, &b->column, &codes));
    if (watch->held)
        HEFT_TRY(heft_bins_fill(ctx, &out->bins, watch->held, &work, &b->held_column, &held_codes));
    HEFT_TRY(set_up(ctx, sample, keys, watch, &work, arena, b));
    HEFT_TRY(all_rounds(ctx, b, keys->keys, watch));
    keep_trees(&out->trees, watch->held     ? watch->best
                            : watch->rounds ? atomic_load(watch->rounds)
                                            : SIZE_MAX);
    if (!b->space) HEFT_ARENA(ctx, &work, b->space, K);
    restore_classes(b);
done:
    heft_free(codes);
    heft_free(held_codes);
    heft_arena_clear(&work);
    return st;
}

void heft_boosted_clear(heft_boosted *boosted)
{
    heft_free(boosted->trees.tree);
    heft_free(boosted->trees.split);
    heft_free(boosted->trees.listed);
    heft_free(boosted->trees.value);
    boosted->trees = (heft_trees){0};
}
