/* grow.c - one tree, grown on rows that have a first and a second derivative of the loss.
 *
 * How a leaf is split. Its histograms have G, H and the weight of the rows for every code of every
 * attribute. For a number the candidate splits lie behind each code, and running sums give their
 * left sides. For nominal values the codes are sorted by G / (H + smooth), the value that a leaf of
 * this code alone would get; the best set of codes is a prefix of this order, or near one, so that
 * only prefixes from either end are tried, of at most MOST_PREFIX codes.
 *
 * Why it is fast. Of two children the one with fewer rows is counted (histograms.h); the histograms
 * of the other are those of the parent minus these. A leaf at the bound of its path counts only the
 * attributes of the path.
 *
 * Several processes. Each counts its own rows; the histograms are added before splits are chosen,
 * and because an exchange costs more than counting, the children of several leaves that will
 * probably be split next are counted ahead and exchanged at once (search_ahead). The tree is the
 * same as without that.
 *
 * Cost: O(n m) for the root, at most as much again for the leaves below it that may still use every
 * attribute, and O(n) for each level of the others. */
#include "boost/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/wide.h"
#include "boost/sides.h"

enum {
    LEAST_SIDE = 10,            /* rows on each side of a split */
    MOST_PREFIX = 31,           /* nominal codes that a split separates from the others */
    MOST_HISTOGRAMS = 256 << 20 /* bytes; if more, both children are counted and none is kept */
};

static const double LEAST_H = 0.001, LEAST_GAIN = 1e-7;

heft_status heft_growth_open(heft_ctx *ctx, heft_arena *arena, heft_growth *g)
{
    const heft_packed_rows *rows = &g->rows;
    size_t                  most = 0;
    HEFT_CHECK(heft_packed_rows_open(ctx, arena, &g->rows));
    HEFT_ALLOCS(ctx, arena, rows->n, g->index, g->spare);
    HEFT_ALLOCS(ctx, arena, rows->m, g->use.attr, g->counted, g->flags);
    for (size_t k = 0; k < rows->m; k++)
        if (rows->bins->attr[k].n_codes > most) most = rows->bins->attr[k].n_codes;
    HEFT_ALLOC(ctx, arena, g->goes_left, most);
    const size_t cells = rows->cell_at[rows->m];
    g->n_pool = heft_is_single(ctx) ? HEFT_MOST_LEAVES : HEFT_MOST_SPLITS;
    if (cells > MOST_HISTOGRAMS / sizeof(heft_row_sums) / g->n_pool) g->n_pool = 1;
    HEFT_ALLOC(ctx, arena, g->pool, 3 * cells * g->n_pool);
    HEFT_ALLOC(ctx, arena, g->went_left, heft_n_pieces(rows->n));
    return HEFT_OK;
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

/* The place of the largest number, the first on a tie. */
static size_t largest(const double *v, size_t n)
{
    size_t at = 0;
    for (size_t k = 1; k < n; k++)
        if (v[k] > v[at]) at = k;
    return at;
}

static void real_sums(const heft_growth *g, const heft_row_sums *c, double *out)
{
    out[0] = (double)c->g * g->rows.g_unit * g->rows.unit;
    out[1] = (double)c->h * g->rows.h_unit * g->rows.unit;
    out[2] = (double)c->n * g->rows.unit;
}

typedef double double_bits __attribute__((may_alias));

/* The left sides of the splits behind each code but the last. */
HEFT_WIDE static void add_up_codes(const heft_growth *g, const heft_histograms *c, size_t first,
                                   size_t n, sides *s)
{
    /* A whole number below 2^51, added to the bits of 1.5 * 2^52, gives the double of the sum:
     * plain vector code, where the conversion of 64-bit numbers is not. */
    const int64_t bits = 0x4338000000000000;
    const double  zero = 0x1.8p52, g_unit = g->rows.g_unit * g->rows.unit,
                 h_unit = g->rows.h_unit * g->rows.unit;
    int64_t first_sum[HEFT_BINS + 2], second_sum[HEFT_BINS + 2], rows[HEFT_BINS + 2];
    int64_t sum[3] = {bits, bits, bits};
    HEFT_KNOWN(n > 0 && n <= HEFT_BINS + 1);
    for (size_t v = 0; v < n; v++) {
        first_sum[v] = sum[0] += c->g[first + v];
        second_sum[v] = sum[1] += c->h[first + v];
        rows[v] = sum[2] += c->n[first + v];
    }
    for (size_t v = 0; v < n; v++) {
        s->g[v] = (((const double_bits *)first_sum)[v] - zero) * g_unit;
        s->h[v] = (((const double_bits *)second_sum)[v] - zero) * h_unit;
        s->n[v] = (((const double_bits *)rows)[v] - zero) * g->rows.unit;
    }
}

static void split_numbers(const heft_growth *g, const heft_node *l, uint32_t j,
                          const heft_histograms *c, heft_leaf_split *best)
{
    sides        s;
    double       all[3];
    const size_t n = g->rows.bins->attr[j].n_codes - 1;
    real_sums(g, &l->all, all);
    add_up_codes(g, c, g->rows.cell_at[j], n, &s);
    gains(&s, n, all, 1);
    const size_t at = largest(s.gain, n);
    const double gain = s.gain[at] - all[0] * all[0] / (all[1] + 1);
    if (s.gain[at] >= 0 && gain > LEAST_GAIN && gain > best->gain)
        *best = (heft_leaf_split){.gain = gain, .attr = j, .at = (uint32_t)at};
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

/* Takes from the gains what sorting many codes makes of chance: the k codes of n whose G deviate
 * most can be expected to deviate by sqrt(2 log(n/k)) times sqrt(H) each. deviation[k]: the sum of
 * sqrt(H) over the first k + 1. */
static void less_chance(sides *s, size_t n_splits, const double *deviation, size_t n,
                        const double *all, double ridge)
{
    for (size_t k = 0; k < n_splits; k++) {
        const double both = 1 / (s->h[k] + ridge) + 1 / (all[1] - s->h[k] + ridge);
        const double by = 2 * log((double)n / (double)(k + 1)) * deviation[k] * deviation[k] * both;
        s->gain[k] = s->gain[k] > by ? s->gain[k] - by : -1;
    }
}

/* Tries prefixes of the codes in the order of G / (H + smooth), from either end. */
static heft_status split_values(heft_ctx *ctx, const heft_growth *g, const heft_node *l, uint32_t j,
                                const heft_histograms *c, heft_leaf_split *best)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_bin_attr *a = &g->rows.bins->attr[j];
    const bool           many = a->n_values > HEFT_MOST_PLAIN;
    const double         smooth = many ? 30 : 10, ridge = a->n_values > 4 ? 11 : 1;
    listed_code         *v;
    sides                s;
    double               all[3], one[3], deviation[HEFT_MOST_LISTED];
    size_t               n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, v, a->n_codes);
    real_sums(g, &l->all, all);
    for (uint32_t code = 0; code + 1 < a->n_codes; code++) { /* the last is never listed */
        const heft_row_sums here = heft_cell_sums(c, g->rows.cell_at[j] + code);
        real_sums(g, &here, one);
        if (one[2] >= a->least) v[n++] = (listed_code){one[0] / (one[1] + smooth), code};
    }
    qsort(v, n, sizeof *v, by_order);
    const size_t longest = n < MOST_PREFIX ? n : MOST_PREFIX;
    for (int end = 0; end < 2; end++) {
        heft_row_sums left = {0};
        for (size_t k = 0; k < longest; k++) {
            const heft_row_sums next =
                heft_cell_sums(c, g->rows.cell_at[j] + v[end ? n - 1 - k : k].code);
            heft_row_sums_add(&left, &next);
            real_sums(g, &next, one);
            deviation[k] = (k ? deviation[k - 1] : 0) + sqrt(one[1]);
            real_sums(g, &left, one);
            s.g[k] = one[0];
            s.h[k] = one[1];
            s.n[k] = one[2];
        }
        if (longest == 0) break;
        gains(&s, longest, all, ridge);
        if (many) less_chance(&s, longest, deviation, n, all, ridge);
        const size_t at = largest(s.gain, longest);
        const double gain = s.gain[at] - all[0] * all[0] / (all[1] + ridge);
        if (!(s.gain[at] >= 0 && gain > LEAST_GAIN && gain > best->gain)) continue;
        *best = (heft_leaf_split){.gain = gain, .attr = j, .n_listed = (uint32_t)at + 1};
        for (size_t k = 0; k <= at; k++) best->listed[k] = v[end ? n - 1 - k : k].code;
        qsort(best->listed, at + 1, sizeof *best->listed, by_code);
    }
    return HEFT_OK;
}

/* The attributes that a leaf may be split on. */
static heft_attr_list allowed(const heft_growth *g, heft_node *l)
{
    return l->n_path == g->order ? (heft_attr_list){l->path, l->n_path} : g->use;
}

/* Sets the best split of a leaf, whose histograms are known. */
static heft_status find_best(heft_ctx *ctx, const heft_growth *g, heft_node *l)
{
    const heft_histograms *c = &l->sums;
    const heft_attr_list   use = allowed(g, l);
    heft_leaf_split       *best = &l->best;
    best->gain = 0;
    for (size_t k = 0; k < use.n; k++) {
        if (g->rows.bins->attr[use.attr[k]].nominal)
            HEFT_CHECK(split_values(ctx, g, l, use.attr[k], c, best));
        else split_numbers(g, l, use.attr[k], c, best);
    }
    if (!(best->gain > 0)) return HEFT_OK;
    for (size_t k = 0; k < (best->n_listed ? best->n_listed : best->at + 1); k++) {
        const size_t        code = best->n_listed ? best->listed[k] : k;
        const heft_row_sums one = heft_cell_sums(c, g->rows.cell_at[best->attr] + code);
        heft_row_sums_add(&best->left, &one);
    }
    return HEFT_OK;
}

/* ---- growing ---- */

typedef struct partition {
    const heft_growth *g;
    const heft_node   *leaf;
    heft_byte_set      left; /* the codes of one byte that go left */
} partition;

/* Rows that go left stay in rows[0..n), the others go to `other`. */
static size_t part_wide(const heft_growth *g, uint32_t *rows, size_t n, const uint16_t *code,
                        uint32_t *other)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t row = rows[i];
        rows[left] = other[i - left] = row;
        left += g->goes_left[code[row]];
    }
    return left;
}

static void partition_piece(void *arg, size_t piece)
{
    const partition       *p = arg;
    const heft_growth     *g = p->g;
    const heft_tree_codes *column = &g->rows.column[p->leaf->best.attr];
    uint32_t              *index = g->index + p->leaf->first, *spare = g->spare + p->leaf->first;
    size_t                 lo, hi;
    heft_piece_rows(p->leaf->n, piece, &lo, &hi);
    g->went_left[piece] =
        column->width == 1
            ? heft_part_rows(index + lo, hi - lo, column->codes, &p->left, spare + lo)
            : part_wide(g, index + lo, hi - lo, column->codes, spare + lo);
}

/* Moves the rows of a leaf that go left to the front, each side in its order. Returns how many go
 * left. */
static size_t partition_rows(heft_ctx *ctx, const heft_growth *g, const heft_node *l)
{
    const heft_leaf_split *c = &l->best;
    partition              p = {g, l, {{0}}};
    uint32_t              *index = g->index + l->first;
    bool                  *in = g->goes_left;
    const size_t           n_pieces = heft_n_pieces(l->n);
    size_t                 left = 0, at, lo, hi;
    if (c->n_listed == 0) memset(in, true, c->at + 1);
    for (size_t k = 0; k < c->n_listed; k++) in[c->listed[k]] = true;
    for (size_t v = 0; v < g->rows.bins->attr[c->attr].n_codes && v < 256; v++)
        p.left.word[v / 32] |= (uint32_t)in[v] << v % 32;
    heft_run_pieces(ctx, n_pieces, partition_piece, &p);
    memset(in, 0, g->rows.bins->attr[c->attr].n_codes * sizeof *in);
    for (size_t k = 0; k < n_pieces; k++) {
        heft_piece_rows(l->n, k, &lo, &hi);
        memmove(index + left, index + lo, g->went_left[k] * sizeof *index);
        left += g->went_left[k];
    }
    at = left;
    for (size_t k = 0; k < n_pieces; k++) {
        heft_piece_rows(l->n, k, &lo, &hi);
        const size_t right = hi - lo - g->went_left[k];
        memcpy(index + at, g->spare + l->first + lo, right * sizeof *index);
        at += right;
    }
    return left;
}

static bool worth_splitting(const heft_growth *g, const heft_node *l)
{
    return (double)l->all.n * g->rows.unit >= 2 * LEAST_SIDE;
}

/* Adds up the histograms of the nodes over all processes, in one exchange. */
static heft_status exchange_histograms(heft_ctx *ctx, const heft_growth *g, heft_node *const *node,
                                       size_t n_nodes)
{
    HEFT_SCRATCH_SCOPE(ctx);
    int64_t *sent = NULL;
    size_t   n_sent = 0;
    if (heft_is_single(ctx)) return HEFT_OK;
    for (int step = 0; step < 3; step++) { /* count; put; take back */
        size_t at = 0;
        for (size_t k = 0; k < n_nodes; k++) {
            int64_t *const       kind[3] = {node[k]->sums.g, node[k]->sums.h, node[k]->sums.n};
            const heft_attr_list use = allowed(g, node[k]);
            for (size_t j = 0; j < 3 * use.n; j++) {
                const size_t first = g->rows.cell_at[use.attr[j / 3]];
                const size_t n = g->rows.cell_at[use.attr[j / 3] + 1] - first;
                if (step == 1) memcpy(sent + at, kind[j % 3] + first, n * sizeof *sent);
                if (step == 2) memcpy(kind[j % 3] + first, sent + at, n * sizeof *sent);
                at += n;
            }
        }
        n_sent = at;
        if (step == 0) HEFT_ALLOC(ctx, &ctx->scratch, sent, n_sent);
        if (step == 1) HEFT_CHECK(heft_all_add(ctx, sent, n_sent));
    }
    return HEFT_OK;
}

/* Makes the two sides of a leaf that is split, or may be split later. */
static void make_children(heft_ctx *ctx, heft_growth *g, heft_node *l)
{
    const size_t        left = partition_rows(ctx, g, l);
    const heft_row_sums part = l->best.left;
    for (int k = 0; k < 2; k++) {
        heft_node *c = &g->node[g->n_nodes];
        l->ahead[k] = (int)g->n_nodes++;
        *c = (heft_node){
            .first = l->first + (k ? left : 0),
            .n = k ? l->n - left : left,
            .all =
                k ? (heft_row_sums){l->all.g - part.g, l->all.h - part.h, l->all.n - part.n} : part,
            .n_path = l->n_path,
            .child = {-1, -1},
            .ahead = {-1, -1},
            .turn = -1};
        memcpy(c->path, l->path, sizeof c->path);
        bool known = false;
        for (unsigned p = 0; p < c->n_path; p++) known |= c->path[p] == l->best.attr;
        if (!known && c->n_path < g->order) c->path[c->n_path++] = l->best.attr;
    }
}

/* The child with less weight, which is counted, or the other one. By weight and not by rows,
 * because processes differ in rows. */
static heft_node *child_of(heft_growth *g, const heft_node *parent, bool small)
{
    const int few = 2 * parent->best.left.n <= parent->all.n ? 0 : 1;
    return &g->node[parent->ahead[small ? few : !few]];
}

static heft_status count_node(heft_ctx *ctx, heft_growth *g, heft_node *l, size_t pool)
{
    heft_attr_list use = allowed(g, l);
    if (use.attr == g->use.attr) use.attr = g->counted;
    l->sums = heft_histograms_at(&g->rows, g->pool, pool);
    heft_histograms_count(ctx, &g->rows, g->index + l->first, l->n, use, &l->sums);
    return g->n_pool == 1 ? exchange_histograms(ctx, g, &l, 1) : HEFT_OK;
}

/* Makes the children of n leaves, with their histograms and best splits. Where histograms are not
 * kept, n is 1. */
static heft_status search_children(heft_ctx *ctx, heft_growth *g, heft_node *const *leaf, size_t n)
{
    heft_node *small[HEFT_MOST_LEAVES];
    for (size_t k = 0; k < n; k++) {
        make_children(ctx, g, leaf[k]);
        small[k] = child_of(g, leaf[k], true);
        HEFT_CHECK(count_node(ctx, g, small[k], g->n_pool == 1 ? 0 : g->n_counted++));
    }
    if (g->n_pool > 1) HEFT_CHECK(exchange_histograms(ctx, g, small, n));
    for (size_t k = 0; k < n; k++) {
        heft_node *large = child_of(g, leaf[k], false);
        if (worth_splitting(g, small[k])) HEFT_CHECK(find_best(ctx, g, small[k]));
        if (!worth_splitting(g, large)) continue;
        large->sums = leaf[k]->sums;
        if (g->n_pool > 1)
            heft_histograms_add(&g->rows, allowed(g, large), &small[k]->sums, -1, &large->sums);
        else HEFT_CHECK(count_node(ctx, g, large, 0));
        HEFT_CHECK(find_best(ctx, g, large));
    }
    return HEFT_OK;
}

/* The open node of the largest gain, the oldest on a tie; NULL: none can be split. */
static heft_node *best_of(heft_growth *g, const bool *open)
{
    heft_node *best = NULL;
    for (heft_node *l = g->node; l < g->node + g->n_nodes; l++)
        if (open[l - g->node] && l->best.gain > 0 &&
            (!best || l->best.gain > best->best.gain ||
             (l->best.gain == best->best.gain && l->turn < best->turn)))
            best = l;
    return best;
}

/* Over several processes an exchange costs more than counting: the children of all nodes that would
 * be split next, as far as is known by now, are searched together. `left`: how many splits will
 * need the histograms of their children. */
static heft_status search_ahead(heft_ctx *ctx, heft_growth *g, const bool *leaves, size_t left)
{
    bool         open[HEFT_MOST_NODES];
    heft_node   *list[HEFT_MOST_LEAVES], *l;
    const size_t spare = g->n_pool - g->n_counted; /* `left` of them are needed in any case */
    const size_t most = heft_is_single(ctx) || spare <= left ? 1 : spare - left + 1;
    size_t       n = 0;
    memcpy(open, leaves, sizeof open);
    for (size_t k = 0; k < left && n < most && (l = best_of(g, open)); k++) {
        open[l - g->node] = false;
        if (l->ahead[0] < 0) list[n++] = l;
        else open[l->ahead[0]] = open[l->ahead[1]] = true;
    }
    return search_children(ctx, g, list, n);
}

heft_status heft_growth_tree(heft_ctx *ctx, heft_growth *g)
{
    heft_node *root = &g->node[0];
    bool       leaf[HEFT_MOST_NODES] = {true};
    int        turn = 0;
    *root = (heft_node){.n = g->n_rows, .child = {-1, -1}, .ahead = {-1, -1}, .turn = turn++};
    g->n_nodes = g->n_leaves = g->n_counted = 1;
    heft_packed_rows_order(&g->rows, g->use, g->flags, g->counted);
    HEFT_CHECK(count_node(ctx, g, root, 0));
    if (g->n_pool > 1) HEFT_CHECK(exchange_histograms(ctx, g, &root, 1));
    root->all = heft_histograms_total(&g->rows, &root->sums, g->use.attr[0]);
    if (!worth_splitting(g, root)) return HEFT_OK;
    HEFT_CHECK(find_best(ctx, g, root));
    while (g->n_leaves < g->most_leaves) {
        heft_node *best = best_of(g, leaf);
        if (!best) break;
        /* the children of the last split need no histograms */
        const size_t left = g->most_leaves - g->n_leaves;
        if (best->ahead[0] < 0 && left == 1) make_children(ctx, g, best);
        else if (best->ahead[0] < 0) HEFT_CHECK(search_ahead(ctx, g, leaf, left - 1));
        leaf[best - g->node] = false;
        for (int k = 0; k < 2; k++) {
            best->child[k] = best->ahead[k];
            g->node[best->child[k]].turn = turn++;
            leaf[best->child[k]] = true;
        }
        g->n_leaves++;
    }
    return HEFT_OK;
}

void heft_growth_sums(const heft_growth *g, const heft_node *node, double *G, double *H)
{
    double real[3];
    real_sums(g, &node->all, real);
    *G = real[0];
    *H = real[1];
}
