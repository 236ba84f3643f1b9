/* boost.c - boosted trees in which no path tests more than three attributes.
 *
 * One round, K classes:
 *
 *   draw         classes S, attributes, rows
 *   residuals    p of all rows by the leaves of the last tree, and g_i = sum of p_ic - [y_i = c]
 *                over S (residuals.h); h_i = |g_i| (1 - |g_i|); both rounded, as a word
 *   grow         leaves with their rows (a stretch of `index`), histograms and best splits
 *   values       sums of p over the rows of each leaf
 *   watch        p of the rows held out, and their loss
 *
 * The classes are numbered by their keys inside this file.
 *
 * Cost of a round: that of a tree (grow.h) and O(n K). */
#include "methods/auto/boost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"
#include "methods/auto/grow.h"
#include "methods/auto/residuals.h"

enum {
    BLOCK = 1024,   /* rows of a loop */
    OWN_BITS = 24,  /* of a residual in the sums of a class */
    UNIT_BITS = 30, /* of all weights together */
    TURN = 4,       /* rounds at a time */
    PARTS = 4       /* of the rows, each with its sums of leaves */
};

static const double DRAWN = 0.7; /* share of the attributes of a tree */
static const double MOST_STEP = 10;

typedef struct boosting_sums { /* of the rows of each leaf, and of those not grown on */
    int64_t *all;              /* 2 stride numbers each: of p, of p (1 - p) */
    int32_t *few;              /* the same of a few rows; else 0 */
} boosting_sums;

struct heft_boosting {
    const heft_boost_rule *rule;
    const heft_keys       *keys;
    heft_boost_watch      *watch;
    heft_boosted          *out;
    size_t                 n, K, stride, m; /* rows of this process, classes, ..., attributes */
    uint32_t              *class_of;        /* of each class here: its number in the sample */
    uint64_t              *class_key;
    uint16_t              *y;
    int64_t               *weight; /* in units; NULL: all 1 */
    double                 unit;
    uint32_t              *hash; /* of the rows, where a tree is grown on a part of them */
    uint8_t               *leaf; /* of each row in the last tree; their number: not grown on it */
    const heft_node       *leaf_node[HEFT_MOST_LEAVES];
    heft_tree_codes       *column;
    float                 *P;      /* n x stride: probabilities, but for a factor */
    float                 *scale;  /* n: that factor; more than two classes */
    uint64_t               salt;   /* of the round */
    float                 *in;     /* stride: 1 for the drawn classes */
    int64_t               *own;    /* K: sum of 1 - p over the rows of the class */
    float                 *factor; /* exp of the values of the leaves of the last tree */
    boosting_sums          sums[PARTS];
    size_t                 n_parts;
    int32_t               *largest; /* of each piece of the rows: the bits of the largest |g| */
    heft_growth            grow;
    /* held-out rows */
    const heft_sample *held;
    heft_tree_codes   *held_column;
    float             *held_P, *held_scale, *best_P; /* best_P: in the best round */
    uint16_t          *held_y;
    int64_t           *held_weight;
    /* trees: room */
    size_t room_trees, room_splits, room_listed, room_leaves;
    /* rounds */
    size_t round, reported; /* steps reported */
    double began;
    /* memory */
    heft_arena work;
    void      *codes, *held_codes;
};

typedef struct heft_boosting boosting;

/* ---- keys and draws ---- */

heft_status heft_boost_keys_of(heft_ctx *ctx, const heft_sample *all, heft_arena *arena,
                               heft_arena *row_arena, heft_boost_keys *out)
{
    HEFT_ALLOC(ctx, arena, out->keys, 1);
    HEFT_ALLOC(ctx, row_arena, out->row, all->n);
    HEFT_ALLOC(ctx, arena, out->class, all->n_class);
    HEFT_CHECK(heft_keys_of(ctx, all->rows, arena, out->keys));
    HEFT_CHECK(heft_keys_rows(ctx, out->keys, out->row));
    HEFT_ROWS (i, all->n) {
        const double w = all->weight ? all->weight[i] : 1;
        out->class[all->y[i]] += (uint64_t)fmin(w * 0x1p20, 0x1p62) * heft_mix(out->row[i]);
    }
    return heft_all_add_keys(ctx, out->class, all->n_class);
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

HEFT_WIDE_AVX2 static void draw_rows(const uint32_t *hash, uint32_t salt, uint32_t limit, size_t n,
                                     uint8_t *drawn)
{
    for (size_t i = 0; i < n; i++) drawn[i] = row_draw(hash[i] + salt) <= limit;
}

/* ---- residuals ---- */

/* Those of the last tree: two classes have the difference of both scores. */
static void set_factors(const boosting *b)
{
    const heft_trees *t = &b->out->trees;
    const heft_tree  *tree = &t->tree[t->n_trees - 1];
    double            v[BLOCK];
    for (size_t k = 0; k < tree->n_leaves; k++)
        HEFT_BLOCKS_OF (BLOCK, lo, hi, t->n_columns) {
            const double *value = t->value + (tree->leaf + k) * t->n_columns;
            for (size_t c = lo; c < hi; c++) v[c - lo] = (b->K == 2 ? 2 : 1) * value[c];
            heft_exp_all(v, hi - lo);
            for (size_t c = lo; c < hi; c++) b->factor[k * b->stride + c] = (float)v[c - lo];
        }
}

/* Adds the last tree to rows lo .. hi - 1, at most BLOCK. `known`: their leaves, or NULL. Before
 * the first tree all rows are in one leaf, whose factors are 1. */
static void step(const boosting *b, const heft_tree_codes *column, const uint8_t *known, size_t lo,
                 size_t hi, heft_residual_rows rows)
{
    const heft_trees *t = &b->out->trees;
    uint8_t           leaf[BLOCK];
    if (t->n_trees == 0) memset(leaf, 0, sizeof leaf);
    else if (!known) heft_tree_leaves(t, t->n_trees - 1, column, lo, hi - lo, leaf);
    rows.n = hi - lo;
    rows.K = b->K;
    rows.stride = b->stride;
    rows.leaf = t->n_trees && known ? known + lo : leaf;
    rows.factor = b->factor;
    rows.in = b->in;
    rows.y += lo;
    rows.P += lo * b->stride;
    if (rows.scale) rows.scale += lo;
    heft_residual_step(&rows);
}

/* own[y] += 1 - p of n rows. They come class by class. */
static void add_own(const boosting *b, size_t lo, size_t n, const float *own)
{
    const float scale = (float)(1 << OWN_BITS);
    for (size_t i = 0; i < n;) {
        const uint16_t c = b->y[lo + i];
        int64_t        sum = 0;
        for (; i < n && b->y[lo + i] == c; i++)
            sum += (int32_t)((1 - own[i]) * scale) * heft_units(b->weight, lo + i);
        (void)__atomic_fetch_add(&b->own[c], sum, __ATOMIC_RELAXED);
    }
}

static void residual_piece(void *arg, size_t piece)
{
    const boosting *b = arg;
    const uint8_t  *known = b->grow.n_rows == b->n ? b->leaf : NULL;
    float           own[BLOCK];
    size_t          first, end;
    heft_piece_rows(b->n, piece, &first, &end);
    HEFT_BLOCKS_OF (BLOCK, from, to, end - first) {
        const size_t lo = first + from, hi = first + to;
        step(b, b->column, known, lo, hi,
             (heft_residual_rows){
                 .y = b->y, .P = b->P, .scale = b->scale, .g = b->grow.rows.g + lo, .own = own});
        if (b->K > 2) add_own(b, lo, hi - lo, own);
    }
    b->largest[piece] = heft_packed_rows_largest(&b->grow.rows, first, end);
}

/* Of all rows, to grow.rows.g, which is packed. `own` becomes the sum of 1 - p over the rows of
 * each class. */
static heft_status residuals(heft_ctx *ctx, boosting *b)
{
    const size_t n_pieces = heft_n_pieces(b->n);
    int32_t      largest = 0;
    memset(b->own, 0, b->K * sizeof *b->own);
    heft_run_pieces(ctx, n_pieces, residual_piece, b);
    for (size_t k = 0; k < n_pieces; k++)
        if (b->largest[k] > largest) largest = b->largest[k];
    if (b->K > 2) HEFT_CHECK(heft_all_add(ctx, b->own, b->K));
    return heft_packed_rows_pack(ctx, &b->grow.rows, largest);
}

/* ---- what a tree is grown on ---- */

/* One class with probability proportional to the sum of 1 - p over its rows in the round before,
 * each other with 1/2; if that is all of them, the one after the first is left out. */
static void draw_classes(boosting *b)
{
    const size_t K = b->K;
    double       all = 0, upto = 0;
    size_t       first, n = 0;
    if (K == 2) return;
    for (size_t c = 0; c < K; c++) all += (double)b->own[c];
    const double at = draw(b, 1) * all;
    for (first = 0; first + 1 < K; first++) {
        upto += (double)b->own[first];
        if (at < upto) break;
    }
    for (size_t c = 0; c < K; c++) {
        const bool in = c == first || draw(b, b->class_key[c] + 2) < 0.5;
        b->in[c] = in;
        n += in;
    }
    if (n == K) b->in[first + 1 < K ? first + 1 : 0] = 0;
}

static void draw_attributes(boosting *b)
{
    double least = 2;
    size_t lowest = 0;
    b->grow.n_use = 0;
    for (uint32_t k = 0; k < b->m; k++) {
        const double at = draw(b, b->keys->column[b->out->bins.attr[k].attr] + 3);
        if (at < DRAWN) b->grow.use[b->grow.n_use++] = k;
        if (at < least) {
            least = at;
            lowest = k;
        }
    }
    if (b->grow.n_use == 0) b->grow.use[b->grow.n_use++] = (uint32_t)lowest;
}

static void take_piece(void *arg, size_t piece)
{
    const boosting *b = arg;
    size_t          lo, hi;
    heft_piece_rows(b->n, piece, &lo, &hi);
    for (size_t i = lo; i < hi; i++) b->grow.index[i] = (uint32_t)i;
}

/* The rows of the tree. */
static heft_status draw_rows_of(heft_ctx *ctx, boosting *b)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const uint32_t limit = (uint32_t)fmin(b->rule->rows * 0x1p32, UINT32_MAX);
    const uint32_t salt = (uint32_t)(b->salt >> 32);
    heft_growth   *g = &b->grow;
    uint8_t       *drawn;
    if (limit == UINT32_MAX) {
        heft_run_pieces(ctx, heft_n_pieces(b->n), take_piece, b);
        g->n_rows = b->n;
        return HEFT_OK;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, drawn, HEFT_BLOCK_ROWS);
    g->n_rows = 0;
    HEFT_ROW_BLOCKS (lo, hi, b->n) {
        draw_rows(b->hash + lo, salt, limit, hi - lo, drawn);
        for (size_t i = lo; i < hi; i++) {
            g->index[g->n_rows] = (uint32_t)i;
            g->n_rows += drawn[i - lo];
        }
    }
    return HEFT_OK;
}

/* ---- the tree ---- */

/* Pre-order: appends the splits below `node` and numbers the leaves there. */
static void emit(boosting *b, const heft_node *node, uint8_t *n_leaves)
{
    heft_trees *t = &b->out->trees;
    uint8_t     side[2];
    *n_leaves = 1;
    if (node->child[0] < 0) {
        const uint8_t number = (uint8_t)(t->n_leaves++ - t->tree[t->n_trees].leaf);
        b->leaf_node[number] = node;
        return;
    }
    const heft_leaf_split *c = &node->best;
    heft_tree_split       *s = &t->split[t->n_splits++];
    *s = (heft_tree_split){.attr = c->attr, .at = c->at, .n_listed = (uint8_t)c->n_listed};
    if (c->n_listed) {
        s->at = (uint32_t)t->n_listed;
        memcpy(t->listed + t->n_listed, c->listed, c->n_listed * sizeof *c->listed);
        t->n_listed += c->n_listed;
    }
    for (int k = 0; k < 2; k++) emit(b, &b->grow.node[node->child[k]], &side[k]);
    s->left = side[0];
    *n_leaves = (uint8_t)(side[0] + side[1]);
}

/* sums += w few, and few = 0. */
HEFT_WIDE static void move_few(int32_t *restrict few, size_t n, int64_t w, int64_t *restrict sums)
{
    if (w == 1)
        for (size_t k = 0; k < n; k++) sums[k] += few[k];
    else
        for (size_t k = 0; k < n; k++) sums[k] += few[k] * w;
    memset(few, 0, n * sizeof *few);
}

static void mark_rows(void *arg, size_t leaf)
{
    const boosting  *b = arg;
    const heft_node *l = b->leaf_node[leaf];
    for (size_t k = 0; k < l->n; k++) b->leaf[b->grow.index[l->first + k]] = (uint8_t)leaf;
}

/* Adds the sums of rows lo .. hi - 1 to those of their leaves. With weights: of one row. */
static void add_sums(const boosting *b, size_t lo, size_t hi, const boosting_sums *sums)
{
    const int64_t w = heft_units(b->weight, lo);
    const size_t  line = 2 * b->stride, first = b->weight ? b->leaf[lo] * line : 0;
    const size_t  n = b->weight ? line : (b->grow.n_leaves + 1) * line;
    heft_residual_sums(b->P + lo * b->stride, b->scale + lo, b->leaf + lo, hi - lo, b->stride,
                       sums->few);
    move_few(sums->few + first, n, w, sums->all + first);
    for (size_t i = lo; i < hi; i++)
        sums->all[b->leaf[i] * line + b->y[i]] -= w * (1 << HEFT_SUM_BITS);
}

static void sum_part(void *arg, size_t part)
{
    const boosting *b = arg;
    const size_t    first = b->n * part / b->n_parts, n = b->n * (part + 1) / b->n_parts - first;
    memset(b->sums[part].all, 0, (b->grow.n_leaves + 1) * 2 * b->stride * sizeof(int64_t));
    HEFT_BLOCKS_OF (b->weight ? 1 : HEFT_FEW_ROWS, lo, hi, n)
        add_sums(b, first + lo, first + hi, &b->sums[part]);
}

/* sums[0]: of p - [y = c] and of p (1 - p) in each leaf, over the rows of all processes. */
static heft_status sum_leaves(heft_ctx *ctx, boosting *b)
{
    const size_t n = b->grow.n_leaves * 2 * b->stride;
    heft_run_pieces(ctx, b->n_parts, sum_part, b);
    for (size_t part = 1; part < b->n_parts; part++)
        for (size_t k = 0; k < n; k++) b->sums[0].all[k] += b->sums[part].all[k];
    return heft_all_add(ctx, b->sums[0].all, n);
}

/* v_c = -rate G_c / (K/(K-1) H_c + 1). Two classes: half of it for the second, taken from the
 * first, by the sums of the words. */
static void leaf_values(const boosting *b, size_t leaf, double *value)
{
    const size_t K = b->K;
    const double step = ldexp(b->unit, -HEFT_SUM_BITS), rate = b->rule->rate,
                 most = MOST_STEP * rate;
    const double factor = (double)K / (double)(K - 1);
    if (K == 2) {
        double G, H;
        heft_growth_sums(&b->grow, b->leaf_node[leaf], &G, &H);
        const double v = -rate * G / (H + 1);
        *value = (v > most ? most : v < -most ? -most : v) / 2;
        return;
    }
    const int64_t *sum = b->sums[0].all + leaf * 2 * b->stride, *curve = sum + b->stride;
    for (size_t c = 0; c < K; c++) {
        const double v = -rate * ((double)sum[c] * step) / (factor * (double)curve[c] * step + 1);
        value[c] = v > most ? most : v < -most ? -most : v;
    }
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
    ROOM(ctx, t->tree, b->room_trees, t->n_trees + 1);
    ROOM(ctx, t->split, b->room_splits, t->n_splits + HEFT_MOST_LEAVES);
    ROOM(ctx, t->listed, b->room_listed, t->n_listed + HEFT_MOST_LEAVES * HEFT_MOST_LISTED);
    ROOM(ctx, t->value, b->room_leaves, (t->n_leaves + HEFT_MOST_LEAVES) * t->n_columns);
    heft_tree *tree = &t->tree[t->n_trees];
    *tree = (heft_tree){.split = t->n_splits, .leaf = t->n_leaves};
    if (b->grow.n_rows < b->n) memset(b->leaf, (int)b->grow.n_leaves, b->n);
    emit(b, &b->grow.node[0], &tree->n_leaves);
    heft_run_pieces(ctx, tree->n_leaves, mark_rows, b);
    if (b->K > 2) HEFT_CHECK(sum_leaves(ctx, b));
    for (size_t k = 0; k < tree->n_leaves; k++)
        leaf_values(b, k, t->value + (tree->leaf + k) * t->n_columns);
    t->n_trees++;
    set_factors(b);
    return HEFT_OK;
}

/* ---- held-out rows ---- */

/* Their probabilities by the leaves of the last tree, and the mean loss of the rows of all
 * processes. */
static heft_status held_loss(heft_ctx *ctx, const boosting *b, double *loss)
{
    float   own[BLOCK], g[BLOCK];
    double  log_of[BLOCK];
    int64_t sum[2] = {0}; /* losses, weights */
    HEFT_BLOCKS_OF (BLOCK, lo, hi, b->held->n) {
        step(b, b->held_column, NULL, lo, hi,
             (heft_residual_rows){
                 .y = b->held_y, .P = b->held_P, .scale = b->held_scale, .g = g, .own = own});
        for (size_t i = 0; i < hi - lo; i++) log_of[i] = (double)own[i];
        heft_log_all(log_of, hi - lo);
        for (size_t i = 0; i < hi - lo; i++) {
            const int64_t w = heft_units(b->held_weight, lo + i);
            sum[0] -= (int64_t)(log_of[i] * 0x1p20) * w;
            sum[1] += w;
        }
    }
    HEFT_CHECK(heft_all_add(ctx, sum, 2));
    *loss = sum[1] ? (double)sum[0] / (double)sum[1] * 0x1p-20 : 0;
    return HEFT_OK;
}

/* log-posteriors of the best round, in the order of the classes of the sample. */
static heft_status held_scores(const boosting *b, double *score)
{
    const size_t K = b->K;
    const double floor_at = log(1e-15);
    HEFT_ROWS (i, b->held->n) {
        const float *p = b->best_P + i * b->stride;
        double      *s = score + i * K, sum = 0;
        for (size_t c = 0; c < K; c++) { /* an order that the names of the classes do not change */
            const double one = K > 2 ? (double)p[c] : c ? (double)p[0] : 1;
            s[b->class_of[c]] = log(one);
            sum += one;
        }
        for (size_t c = 0; c < K; c++) s[c] = fmax(s[c] - log(sum), floor_at);
    }
    return HEFT_OK;
}

/* ---- setting up ---- */

/* Classes are numbered by their keys here: number[] has the new numbers. */
static heft_status order_classes(heft_ctx *ctx, const heft_boost_keys *keys, heft_arena *arena,
                                 boosting *b, uint16_t **number)
{
    heft_ranked *order, *spare;
    HEFT_ALLOCS(ctx, arena, b->K, order, spare, b->class_of, b->class_key, b->own, *number);
    HEFT_ALLOC(ctx, arena, b->in, b->stride);
    HEFT_ALLOC(ctx, arena, b->factor, HEFT_MOST_LEAVES * b->stride);
    for (size_t k = 0; k < HEFT_MOST_LEAVES * b->stride; k++) b->factor[k] = 1;
    b->n_parts = heft_n_pieces(b->n) < PARTS ? 1 : PARTS;
    for (size_t part = 0; part < b->n_parts && b->K > 2; part++)
        HEFT_ALLOCS(ctx, arena, (HEFT_MOST_LEAVES + 1) * 2 * b->stride, b->sums[part].all,
                    b->sums[part].few);
    for (size_t c = 0; c < b->K; c++) order[c] = (heft_ranked){keys->class[c], c};
    heft_order_sort(order, spare, b->K);
    for (size_t c = 0; c < b->K; c++) {
        b->class_of[c] = (uint32_t)order[c].row;
        b->class_key[c] = order[c].key;
        (*number)[order[c].row] = (uint16_t)c;
    }
    return HEFT_OK;
}

/* Classes, weights as whole multiples of the unit, and probabilities at the start. */
static heft_status set_rows(heft_ctx *ctx, const boosting *b, const heft_sample *s,
                            const uint16_t *number, heft_arena *arena, uint16_t **y,
                            int64_t **weight, float **P, float **scale)
{
    const double *start = b->out->start;
    HEFT_ALLOC(ctx, arena, *y, s->n);
    HEFT_ALLOC(ctx, arena, *P, (s->n + 1) * b->stride); /* residuals.h */
    if (b->K > 2) HEFT_ALLOC(ctx, arena, *scale, s->n);
    if (s->weight) HEFT_ALLOC(ctx, arena, *weight, s->n);
    HEFT_ROWS (i, s->n) {
        float *p = *P + i * b->stride;
        (*y)[i] = number[s->y[i]];
        if (s->weight) (*weight)[i] = llrint(s->weight[i] / b->unit);
        if (b->K == 2) p[0] = (float)exp(start[b->class_of[1]] - start[b->class_of[0]]);
        else (*scale)[i] = 1;
        for (size_t c = 0; c < b->K && b->K > 2; c++) p[c] = (float)exp(start[b->class_of[c]]);
    }
    return HEFT_OK;
}

/* start_c = log((n_c + 1/2) / (n + K/2)). Whole weights are whole multiples of the unit. */
static heft_status set_start(heft_ctx *ctx, const heft_sample *s, heft_arena *results, boosting *b)
{
    double total = 0, broken = 0;
    int    power;
    HEFT_ALLOC(ctx, results, b->out->start, b->K);
    HEFT_ROWS (i, s->n) {
        const double w = s->weight ? s->weight[i] : 1;
        b->out->start[s->y[i]] += w;
        total += w;
        if (w != floor(w)) broken = 1;
    }
    HEFT_CHECK(heft_all_sum(ctx, b->out->start, b->K));
    HEFT_CHECK(heft_all_sum(ctx, &total, 1));
    HEFT_CHECK(heft_all_max(ctx, &broken, 1));
    for (size_t c = 0; c < b->K; c++)
        b->out->start[c] = log((b->out->start[c] + 0.5) / (total + (double)b->K / 2));
    frexp(total, &power);
    b->unit = (s->weight && power > UNIT_BITS) || broken > 0 ? ldexp(1, power - UNIT_BITS) : 1;
    return HEFT_OK;
}

static heft_status set_up(heft_ctx *ctx, const heft_sample *s, const heft_boost_keys *keys,
                          const heft_boost_watch *watch, heft_arena *arena, heft_arena *results,
                          boosting *b)
{
    uint16_t *number = NULL;
    HEFT_CHECK(order_classes(ctx, keys, arena, b, &number));
    HEFT_CHECK(set_start(ctx, s, results, b));
    HEFT_CHECK(set_rows(ctx, b, s, number, arena, &b->y, &b->weight, &b->P, &b->scale));
    b->grow = (heft_growth){.rows = {.bins = &b->out->bins,
                                     .column = b->column,
                                     .n = b->n,
                                     .m = b->m,
                                     .weight = b->weight,
                                     .unit = b->unit},
                            .order = b->rule->order,
                            .most_leaves = b->rule->most_leaves};
    HEFT_CHECK(heft_growth_open(ctx, arena, &b->grow));
    HEFT_ALLOC(ctx, arena, b->leaf, b->n);
    HEFT_ALLOC(ctx, arena, b->largest, heft_n_pieces(b->n));
    if (b->rule->rows < 1) HEFT_ALLOC(ctx, arena, b->hash, b->n);
    HEFT_ROWS (i, s->n) b->own[b->y[i]] += heft_units(b->weight, i);
    HEFT_CHECK(heft_all_add(ctx, b->own, b->K));
    HEFT_ROWS (i, b->hash ? s->n : 0)
        b->hash[i] = (uint32_t)(heft_mix(keys->row[s->row ? s->row[i] : i]) >> 32);
    b->held = watch->held;
    if (!b->held) return HEFT_OK;
    HEFT_CHECK(set_rows(ctx, b, b->held, number, arena, &b->held_y, &b->held_weight, &b->held_P,
                        &b->held_scale));
    HEFT_ALLOC(ctx, arena, b->best_P, b->held->n * b->stride);
    return HEFT_OK;
}

/* ---- rounds ---- */

static heft_status one_round(heft_ctx *ctx, boosting *b)
{
    b->salt = heft_mix(b->rule->draw + heft_mix(b->round + 1));
    draw_classes(b);
    HEFT_CHECK(residuals(ctx, b));
    draw_attributes(b);
    HEFT_CHECK(draw_rows_of(ctx, b));
    HEFT_CHECK(heft_growth_tree(ctx, &b->grow));
    b->round++;
    return store_tree(ctx, b);
}

static heft_status watch_held(heft_ctx *ctx, const boosting *b)
{
    double loss;
    HEFT_CHECK(held_loss(ctx, b, &loss));
    if (b->round == 0 || loss < b->watch->loss) {
        b->watch->loss = loss;
        b->watch->best = b->round;
        memcpy(b->best_P, b->held_P, b->held->n * b->stride * sizeof *b->best_P);
    }
    return HEFT_OK;
}

/* Processes agree on whether the time is over: their clocks do not. */
static heft_status enough(heft_ctx *ctx, const boosting *b, bool *out)
{
    heft_boost_watch *watch = b->watch;
    *out = b->round >= b->rule->most_rounds ||
           (watch->rounds && b->round >= atomic_load(watch->rounds)) ||
           (watch->held && b->round >= watch->best + b->rule->patience);
    if (*out || !(watch->until > 0)) return HEFT_OK;
    double late = heft_clock() >= watch->until;
    HEFT_CHECK(heft_all_sum(ctx, &late, 1));
    *out = watch->late = late > 0;
    return HEFT_OK;
}

/* Reports the share of the work that is done, up to 1. As long as the loss falls, as many rounds
 * again are expected. */
static void report(heft_ctx *ctx, boosting *b)
{
    const heft_boost_watch *watch = b->watch;
    const size_t            rounds = watch->rounds ? atomic_load(watch->rounds) : SIZE_MAX;
    double                  all = (double)b->rule->most_rounds, share;
    if (watch->held) {
        all = fmin(all, (double)(2 * watch->best + b->rule->patience));
        heft_steps_note(ctx, watch->steps, "round %zu, held-out loss %.4f", b->round, watch->loss);
    } else if (rounds != SIZE_MAX) {
        all = fmin(all, (double)rounds);
        heft_steps_note(ctx, watch->steps, "round %zu of %zu", b->round, rounds);
    }
    share = (double)b->round / all;
    if (watch->until > b->began)
        share = fmax(share, (heft_clock() - b->began) / (watch->until - b->began));
    const size_t now = (size_t)(fmin(share, 1) * (double)watch->n_steps);
    heft_steps_add(ctx, watch->steps, now > b->reported ? now - b->reported : 0);
    if (now > b->reported) b->reported = now;
}

void heft_boosted_keep(heft_boosted *boosted, size_t n)
{
    heft_trees *t = &boosted->trees;
    if (n >= t->n_trees) return;
    t->n_splits = t->tree[n].split;
    t->n_leaves = t->tree[n].leaf;
    t->n_trees = n;
    t->n_listed = 0;
    for (size_t k = 0; k < t->n_splits; k++) t->n_listed += t->split[k].n_listed;
}

/* Columns of the values in the order of the classes of the sample. */
static heft_status restore_classes(heft_ctx *ctx, boosting *b)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_trees *t = &b->out->trees;
    double     *line;
    if (b->K == 2) {
        for (size_t k = 0; k < t->n_leaves && b->class_of[1] == 0; k++) t->value[k] = -t->value[k];
        return HEFT_OK;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, line, b->K);
    for (size_t k = 0; k < t->n_leaves; k++) {
        double *v = t->value + k * b->K;
        for (size_t c = 0; c < b->K; c++) line[b->class_of[c]] = v[c];
        memcpy(v, line, b->K * sizeof *v);
    }
    return HEFT_OK;
}

static heft_status open_fit(heft_ctx *ctx, const heft_sample *sample, const heft_boost_keys *keys,
                            heft_arena *arena, boosting *b)
{
    heft_bins        *bins = &b->out->bins;
    heft_boost_watch *watch = b->watch;
    HEFT_CHECK(heft_bins_learn(ctx, sample, b->keys, b->rule->shift, b->rule->draw, arena, bins));
    HEFT_CHECK(heft_bins_fill(ctx, bins, sample, &b->work, &b->column, &b->codes));
    HEFT_CHECK(heft_bins_keep(ctx, sample, b->rule->most_attrs, bins, b->column));
    if (watch->held)
        HEFT_CHECK(
            heft_bins_fill(ctx, bins, watch->held, &b->work, &b->held_column, &b->held_codes));
    b->m = bins->n_attr;
    HEFT_CHECK(set_up(ctx, sample, keys, watch, &b->work, arena, b));
    watch->best = 0;
    watch->loss = INFINITY;
    return b->held ? watch_held(ctx, b) : HEFT_OK;
}

heft_status heft_boost_open(heft_ctx *ctx, const heft_sample *sample, const heft_boost_keys *keys,
                            const heft_boost_rule *rule, heft_boost_watch *watch, heft_arena *arena,
                            heft_boosted *out, heft_boosting **fit)
{
    const size_t K = sample->n_class;
    HEFT_NEW(ctx, *fit, 1);
    **fit = (heft_boosting){.rule = rule,
                            .keys = keys->keys,
                            .watch = watch,
                            .out = out,
                            .n = sample->n,
                            .K = K,
                            .stride = heft_residual_stride(K),
                            .began = heft_clock()};
    out->trees.n_columns = K == 2 ? 1 : K;
    return open_fit(ctx, sample, keys, arena, *fit);
}

/* What is left to do behind the last round. */
static heft_status end_fit(heft_ctx *ctx, boosting *b)
{
    const heft_boost_watch *watch = b->watch;
    if (watch->steps) heft_steps_add(ctx, watch->steps, watch->n_steps - b->reported);
    if (b->held && watch->score) HEFT_CHECK(held_scores(b, watch->score));
    if (b->held) heft_boosted_keep(b->out, watch->best);
    return restore_classes(ctx, b);
}

heft_status heft_boost_go_on(heft_ctx *ctx, heft_boosting *b, bool *more)
{
    bool done = b->m == 0;
    for (int k = 0; k < TURN && !done; k++) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(one_round(ctx, b));
        if (b->held) HEFT_CHECK(watch_held(ctx, b));
        if (b->watch->steps) report(ctx, b);
        HEFT_CHECK(enough(ctx, b, &done));
    }
    *more = !done;
    return done ? end_fit(ctx, b) : HEFT_OK;
}

void heft_boost_close(heft_boosting *b)
{
    if (!b) return;
    heft_free(b->codes);
    heft_free(b->held_codes);
    heft_arena_clear(&b->work);
    heft_free(b);
}

heft_status heft_boost_fit(heft_ctx *ctx, const heft_sample *sample, const heft_boost_keys *keys,
                           const heft_boost_rule *rule, heft_boost_watch *watch, heft_arena *arena,
                           heft_boosted *out)
{
    heft_boosting *b = NULL;
    heft_status    st = heft_boost_open(ctx, sample, keys, rule, watch, arena, out, &b);
    for (bool more = true; st == HEFT_OK && more;) st = heft_boost_go_on(ctx, b, &more);
    heft_boost_close(b);
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
