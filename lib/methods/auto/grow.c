/* grow.c - one tree, grown on rows that have a first and a second derivative of the loss.
 *
 * Histograms. A cell has the sums of g, h and weight of one code. Of two children the one with
 * fewer rows is counted, the other is the parent less it. Where all weights are 1, rows are counted
 * in blocks of up to 4094 into two 64-bit words for each code: 29 bits of g, 24 of h, 11 of rows.
 *
 * Cost: O(n m) for the root, at most as much again for the leaves below it that may still use every
 * attribute, and O(n) for each level of the others. */
#include "methods/auto/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/wide.h"
#include "methods/auto/sides.h"

enum {
    PACKED = 4094, /* rows that two words per code can count */
    G_BITS = 17,   /* |g| <= 2^17 */
    H_BITS = 13,   /* h < 2^13 */
    N_SHIFT = 11,  /* of h in a word */
    G_SHIFT = 35,  /* of g in a word */
    AT_ONCE = 4,   /* attributes counted in one pass over the rows */
    POWERS = 64,   /* of two that the largest |g| may lie below: 2^1, 2^0, ... */
    LEAST_SIDE = 10,
    MOST_HISTOGRAMS = 256 << 20, /* bytes; above, children are counted each */
    MOST_CELLS = 1 << 16,        /* of a histogram; above, rows are not counted in parts */
    LEAST_PART = 1 << 13         /* rows */
};

static const double LEAST_H = 0.001, LEAST_GAIN = 1e-7;

heft_status heft_growth_open(heft_ctx *ctx, heft_arena *arena, heft_growth *g)
{
    size_t cells = 0, most = 0;
    HEFT_ALLOCS(ctx, arena, g->n, g->index, g->spare, g->g);
    HEFT_ALLOC(ctx, arena, g->use, g->m);
    HEFT_ALLOC(ctx, arena, g->bin_at, g->m + 1);
    for (size_t k = 0; k < g->m; k++) {
        g->bin_at[k] = cells;
        cells += g->bins->attr[k].n_codes;
        if (g->bins->attr[k].n_codes > most) most = g->bins->attr[k].n_codes;
    }
    HEFT_ALLOC(ctx, arena, g->goes_left, most);
    g->bin_at[g->m] = cells;
    g->n_pool = heft_all_here(ctx) ? HEFT_MOST_LEAVES : HEFT_MOST_SPLITS;
    if (cells > MOST_HISTOGRAMS / sizeof(heft_row_sums) / g->n_pool) g->n_pool = 1;
    HEFT_ALLOC(ctx, arena, g->pool, 3 * cells * g->n_pool);
    HEFT_ALLOC(ctx, arena, g->went_left, heft_n_pieces(g->n));
    if (cells <= MOST_CELLS && g->n >= 2 * LEAST_PART)
        HEFT_ALLOC(ctx, arena, g->parts, 3 * cells * (HEFT_MOST_PARTS - 1));
    return HEFT_OK;
}

/* ---- words ----
 *
 * A row has its g in the upper 19 bits of its word and its h in the lower 13. In sums of words, of
 * 64 bits, the rows are counted as well. */

/* The largest |g|: floats that are not negative are in the order of their bits. */
HEFT_WIDE static int32_t largest_g(const heft_row_word *g, size_t n)
{
    int32_t top = 0;
    for (size_t i = 0; i < n; i++) top = (g[i] & 0x7fffffff) > top ? g[i] & 0x7fffffff : top;
    return top;
}

HEFT_WIDE static void pack_words(heft_row_word *word, float by_g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float g;
        memcpy(&g, &word[i], sizeof g);
        const float   size = fabsf(g);
        const int32_t top = (int32_t)(size * by_g + 0.5f), most = (1 << H_BITS) - 1;
        const int32_t curve = (int32_t)(size * (1 - size) * (float)(4 << H_BITS) + 0.5f);
        word[i] = (g < 0 ? -top : top) * (1 << H_BITS) + (curve > most ? most : curve);
    }
}

HEFT_INLINE int64_t word_g(int32_t word)
{
    return word >> H_BITS;
}

HEFT_INLINE int64_t word_h(int32_t word)
{
    return word & ((1 << H_BITS) - 1);
}

/* As it is added up. */
HEFT_INLINE int64_t wide_word(int32_t word)
{
    return word_g(word) * ((int64_t)1 << G_SHIFT) + (word_h(word) << N_SHIFT) + 1;
}

HEFT_WIDE static void widen(const heft_row_word *word, size_t n, int64_t *wide)
{
    for (size_t i = 0; i < n; i++) wide[i] = wide_word(word[i]);
}

int32_t heft_growth_largest(const heft_growth *g, size_t lo, size_t hi)
{
    return largest_g(g->word + lo, hi - lo);
}

/* The power of two that every |g| lies below, on all processes; 0 where all are 0. Below 2^-62
 * there is nothing to learn. */
static heft_status largest_power(heft_ctx *ctx, int32_t largest, int *power)
{
    double there[POWERS] = {0}; /* short enough for one exchange */
    float  top;
    memcpy(&top, &largest, sizeof top);
    (void)frexp((double)top, power);
    if (*power < 2 - POWERS) *power = 2 - POWERS;
    if (largest) there[1 - *power] = 1;
    HEFT_CHECK(heft_all_sum(ctx, there, POWERS));
    *power = 1;
    while (*power > 1 - POWERS && !(there[1 - *power] > 0)) --*power;
    if (*power == 1 - POWERS) *power = 0;
    return HEFT_OK;
}

static void pack_piece(void *arg, size_t piece)
{
    const heft_growth *g = arg;
    size_t             lo, hi;
    heft_piece_rows(g->n, piece, &lo, &hi);
    pack_words(g->word + lo, g->by_g, hi - lo);
}

/* g and h are rounded to steps that fit the largest |g|. */
heft_status heft_growth_pack(heft_ctx *ctx, heft_growth *g, int32_t largest)
{
    int power;
    HEFT_CHECK(largest_power(ctx, largest, &power));
    g->g_unit = ldexp(1, power - G_BITS);
    g->h_unit = ldexp(1, -(H_BITS + 2));
    g->by_g = ldexpf(1, G_BITS - power);
    heft_run_pieces(ctx, heft_n_pieces(g->n), pack_piece, g);
    return HEFT_OK;
}

/* ---- histograms ---- */

typedef struct word_sums { /* by code; every other row in each half: a processor waits for a sum
                            * that it has just written */
    int64_t half[2][256];
} word_sums;

/* For `many` attributes of one-byte codes. Without an index: rows 0 .. n - 1. */
HEFT_INLINE void count_bytes(const uint32_t *index, const int64_t *word, size_t n,
                             const uint8_t *const *code, size_t many, word_sums *at)
{
    size_t i = 0;
    for (; i + 1 < n; i += 2) {
        const size_t a = index ? index[i] : i, b = index ? index[i + 1] : i + 1;
        for (size_t k = 0; k < many; k++) {
            at[k].half[0][code[k][a]] += word[i];
            at[k].half[1][code[k][b]] += word[i + 1];
        }
    }
    for (size_t k = 0; k < many && i < n; k++)
        at[k].half[0][code[k][index ? index[i] : i]] += word[i];
}

/* The sums so far times `times`, 0 or 1, plus those of the words. */
HEFT_WIDE static void add_words(const word_sums *restrict from, size_t n, int64_t times,
                                int64_t *restrict g, int64_t *restrict h, int64_t *restrict rows)
{
    const int64_t keep = -times, h_mask = ((int64_t)1 << (G_SHIFT - N_SHIFT)) - 1,
                  n_mask = (1 << N_SHIFT) - 1;
    for (size_t v = 0; v < n; v++) {
        const int64_t a = from->half[0][v], b = from->half[1][v];
        g[v] = (g[v] & keep) + (a >> G_SHIFT) + (b >> G_SHIFT);
        h[v] = (h[v] & keep) + ((a >> N_SHIFT) & h_mask) + ((b >> N_SHIFT) & h_mask);
        rows[v] = (rows[v] & keep) + (a & n_mask) + (b & n_mask);
    }
}

typedef struct some_rows { /* of weight 1, at most PACKED */
    const uint32_t *index; /* NULL: those from `first` on */
    size_t          first, n;
    int64_t         wide[PACKED]; /* their words */
} some_rows;

static void take_rows(const heft_growth *g, const uint32_t *index, size_t n, some_rows *rows)
{
    for (size_t i = 0; index && i < n; i++) rows->wide[i] = wide_word(g->word[index[i]]);
    if (!index) widen(g->word + rows->first, n, rows->wide);
    rows->index = index;
    rows->n = n;
}

/* Attributes use[0..many) of one-byte codes. `more`: the sums are added to those so far. */
static void count_plain(const heft_growth *g, const some_rows *rows, const uint32_t *use,
                        size_t many, bool more, const heft_histograms *to)
{
    word_sums       at[AT_ONCE];
    const uint8_t  *code[AT_ONCE];
    const uint32_t *index = rows->index;
    for (size_t k = 0; k < many; k++) {
        const size_t bytes = g->bins->attr[use[k]].n_codes * sizeof(int64_t);
        code[k] = (const uint8_t *)g->column[use[k]].codes + (index ? 0 : rows->first);
        for (size_t h = 0; h < 2; h++) memset(at[k].half[h], 0, bytes);
    }
    if (many == AT_ONCE && index) count_bytes(index, rows->wide, rows->n, code, AT_ONCE, at);
    else if (index) count_bytes(index, rows->wide, rows->n, code, many, at);
    else if (many == AT_ONCE) count_bytes(NULL, rows->wide, rows->n, code, AT_ONCE, at);
    else count_bytes(NULL, rows->wide, rows->n, code, many, at);
    for (size_t k = 0; k < many; k++) {
        const size_t v = g->bin_at[use[k]];
        add_words(&at[k], g->bin_at[use[k] + 1] - v, more, to->g + v, to->h + v, to->n + v);
    }
}

/* One attribute, any codes and weights. */
static void count_any(const heft_growth *g, const uint32_t *index, size_t n, uint32_t k,
                      const heft_histograms *to)
{
    const heft_tree_codes *column = &g->column[k];
    const size_t           first = g->bin_at[k], bytes = (g->bin_at[k + 1] - first) * sizeof *to->g;
    memset(to->g + first, 0, bytes);
    memset(to->h + first, 0, bytes);
    memset(to->n + first, 0, bytes);
    for (size_t i = 0; i < n; i++) {
        const size_t  v = first + heft_code_at(column->codes, column->width, index[i]);
        const int32_t word = g->word[index[i]];
        const int64_t w = heft_units(g->weight, index[i]);
        to->g[v] += word_g(word) * w;
        to->h[v] += word_h(word) * w;
        to->n[v] += w;
    }
}

typedef struct counting {
    const heft_growth *g;
    const uint32_t    *use; /* the attributes */
    size_t             n_use, n;
    const uint32_t    *index; /* of the n rows */
    size_t             n_parts;
    heft_histograms    to[HEFT_MOST_PARTS];
} counting;

/* A part of the rows. */
static void count_part(void *arg, size_t part)
{
    const counting        *c = arg;
    const heft_growth     *g = c->g;
    const heft_histograms *to = &c->to[part];
    const size_t           first = c->n * part / c->n_parts;
    const size_t           n = c->n * (part + 1) / c->n_parts - first;
    some_rows              rows;
    for (size_t k = 0; k < c->n_use; k++)
        if (g->weight || g->column[c->use[k]].width > 1)
            count_any(g, c->index + first, n, c->use[k], to);
    for (size_t lo = 0; !g->weight && (lo == 0 || lo < n); lo += PACKED) { /* also of 0 rows */
        uint32_t group[AT_ONCE];
        size_t   many = 0;
        rows.first = first + lo;
        take_rows(g, c->n < g->n ? c->index + first + lo : NULL, n - lo < PACKED ? n - lo : PACKED,
                  &rows);
        for (size_t k = 0; k < c->n_use; k++) {
            if (g->column[c->use[k]].width > 1) continue;
            if (many == AT_ONCE) {
                count_plain(g, &rows, group, many, lo > 0, to);
                many = 0;
            }
            group[many++] = c->use[k];
        }
        if (many) count_plain(g, &rows, group, many, lo > 0, to);
    }
}

/* of += sign times part, for attributes use[0..n_use). */
HEFT_WIDE static void add_histogram(const heft_growth *g, const uint32_t *use, size_t n_use,
                                    const heft_histograms *part, int64_t sign,
                                    const heft_histograms *of)
{
    for (size_t k = 0; k < n_use; k++)
        for (size_t v = g->bin_at[use[k]]; v < g->bin_at[use[k] + 1]; v++) {
            of->g[v] += sign * part->g[v];
            of->h[v] += sign * part->h[v];
            of->n[v] += sign * part->n[v];
        }
}

static heft_histograms histograms_at(const heft_growth *g, int64_t *pool, size_t k)
{
    const size_t n = g->bin_at[g->m];
    int64_t     *at = pool + 3 * k * n;
    return (heft_histograms){at, at + n, at + 2 * n};
}

/* The histograms of attributes use[0..n_use) over the rows of a leaf, those of this process. */
static void count_leaf(heft_ctx *ctx, const heft_growth *g, const heft_node *l, const uint32_t *use,
                       size_t n_use, const heft_histograms *to)
{
    counting c = {.g = g, .use = use, .n_use = n_use, .n = l->n, .index = g->index + l->first};
    c.n_parts = g->parts && heft_idle_threads(ctx) ? l->n / LEAST_PART : 1;
    if (c.n_parts < 1) c.n_parts = 1;
    if (c.n_parts > HEFT_MOST_PARTS) c.n_parts = HEFT_MOST_PARTS;
    c.to[0] = *to;
    for (size_t k = 1; k < c.n_parts; k++) c.to[k] = histograms_at(g, g->parts, k - 1);
    heft_run_pieces(ctx, c.n_parts, count_part, &c);
    for (size_t k = 1; k < c.n_parts; k++) add_histogram(g, use, n_use, &c.to[k], 1, to);
}

static heft_row_sums sums_at(const heft_histograms *c, size_t v)
{
    return (heft_row_sums){c->g[v], c->h[v], c->n[v]};
}

static void add_sums(heft_row_sums *to, const heft_row_sums *from)
{
    to->g += from->g;
    to->h += from->h;
    to->n += from->n;
}

/* Of all rows of a leaf: those of the codes of one attribute, added. */
static heft_row_sums sums_of(const heft_growth *g, const heft_histograms *c, uint32_t j)
{
    heft_row_sums all = {0};
    for (size_t v = g->bin_at[j]; v < g->bin_at[j + 1]; v++) {
        const heft_row_sums one = sums_at(c, v);
        add_sums(&all, &one);
    }
    return all;
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

static void real_sums(const heft_growth *g, const heft_row_sums *c, double *out)
{
    out[0] = (double)c->g * g->g_unit * g->unit;
    out[1] = (double)c->h * g->h_unit * g->unit;
    out[2] = (double)c->n * g->unit;
}

typedef double double_bits __attribute__((may_alias));

/* The left sides of the splits behind each code but the last. */
HEFT_WIDE static void add_up_codes(const heft_growth *g, const heft_histograms *c, size_t first,
                                   size_t n, sides *s)
{
    /* A whole number below 2^51, added to the bits of 1.5 * 2^52, gives the double of the sum:
     * plain vector code, where the conversion of 64-bit numbers is not. */
    const int64_t bits = 0x4338000000000000;
    const double  zero = 0x1.8p52, g_unit = g->g_unit * g->unit, h_unit = g->h_unit * g->unit;
    int64_t       first_sum[HEFT_BINS + 2], second_sum[HEFT_BINS + 2], rows[HEFT_BINS + 2];
    int64_t       sum[3] = {bits, bits, bits};
    HEFT_KNOWN(n > 0 && n <= HEFT_BINS + 1);
    for (size_t v = 0; v < n; v++) {
        first_sum[v] = sum[0] += c->g[first + v];
        second_sum[v] = sum[1] += c->h[first + v];
        rows[v] = sum[2] += c->n[first + v];
    }
    for (size_t v = 0; v < n; v++) {
        s->g[v] = (((const double_bits *)first_sum)[v] - zero) * g_unit;
        s->h[v] = (((const double_bits *)second_sum)[v] - zero) * h_unit;
        s->n[v] = (((const double_bits *)rows)[v] - zero) * g->unit;
    }
}

static void split_numbers(const heft_growth *g, const heft_node *l, uint32_t j,
                          const heft_histograms *c, heft_leaf_split *best)
{
    sides        s;
    double       all[3];
    const size_t n = g->bins->attr[j].n_codes - 1;
    real_sums(g, &l->all, all);
    add_up_codes(g, c, g->bin_at[j], n, &s);
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

/* Prefixes of the codes in the order of G / (H + smooth), from either end. */
static heft_status split_values(heft_ctx *ctx, const heft_growth *g, const heft_node *l, uint32_t j,
                                const heft_histograms *c, heft_leaf_split *best)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_bin_attr *a = &g->bins->attr[j];
    const bool           many = a->n_values > HEFT_MOST_PLAIN;
    const double         smooth = many ? 30 : 10, ridge = a->n_values > 4 ? 11 : 1;
    const size_t         most = many ? HEFT_MOST_LISTED - 1 : HEFT_MOST_LISTED;
    listed_code         *v;
    sides                s;
    double               all[3], one[3];
    size_t               n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, v, a->n_codes);
    real_sums(g, &l->all, all);
    for (uint32_t code = 0; code + 1 < a->n_codes; code++) { /* the last is never listed */
        const heft_row_sums here = sums_at(c, g->bin_at[j] + code);
        real_sums(g, &here, one);
        if (one[2] >= a->least) v[n++] = (listed_code){one[0] / (one[1] + smooth), code};
    }
    qsort(v, n, sizeof *v, by_order);
    const size_t longest = n < most ? n : most;
    for (int end = 0; end < 2; end++) {
        heft_row_sums left = {0};
        for (size_t k = 0; k < longest; k++) {
            const heft_row_sums next = sums_at(c, g->bin_at[j] + v[end ? n - 1 - k : k].code);
            add_sums(&left, &next);
            real_sums(g, &left, one);
            s.g[k] = one[0];
            s.h[k] = one[1];
            s.n[k] = one[2];
        }
        if (longest == 0) break;
        gains(&s, longest, all, ridge);
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
static const uint32_t *allowed(const heft_growth *g, const heft_node *l, size_t *n)
{
    const bool bound = l->n_path == g->order;
    *n = bound ? l->n_path : g->n_use;
    return bound ? l->path : g->use;
}

static heft_status find_best(heft_ctx *ctx, const heft_growth *g, heft_node *l,
                             const heft_histograms *c)
{
    size_t          n;
    const uint32_t *use = allowed(g, l, &n);
    l->best.gain = 0;
    for (size_t k = 0; k < n; k++) {
        if (g->bins->attr[use[k]].nominal) HEFT_CHECK(split_values(ctx, g, l, use[k], c, &l->best));
        else split_numbers(g, l, use[k], c, &l->best);
    }
    heft_leaf_split *best = &l->best;
    for (size_t k = 0; best->gain > 0 && k < (best->n_listed ? best->n_listed : best->at + 1);
         k++) {
        const size_t        code = best->n_listed ? best->listed[k] : k;
        const heft_row_sums one = sums_at(c, g->bin_at[best->attr] + code);
        add_sums(&best->left, &one);
    }
    return HEFT_OK;
}

/* ---- growing ---- */

typedef struct parting {
    const heft_growth *g;
    const heft_node   *leaf;
    heft_byte_set      left; /* the codes of one byte that go left */
} parting;

/* Those that go left stay in rows[0..n), the others go to `other`. */
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

static void part_piece(void *arg, size_t piece)
{
    const parting         *p = arg;
    const heft_growth     *g = p->g;
    const heft_tree_codes *column = &g->column[p->leaf->best.attr];
    uint32_t              *index = g->index + p->leaf->first, *spare = g->spare + p->leaf->first;
    size_t                 lo, hi;
    heft_piece_rows(p->leaf->n, piece, &lo, &hi);
    g->went_left[piece] =
        column->width == 1
            ? heft_part_rows(index + lo, hi - lo, column->codes, &p->left, spare + lo)
            : part_wide(g, index + lo, hi - lo, column->codes, spare + lo);
}

/* The rows of a leaf: those that go left first, each side in its order. Returns how many do. */
static size_t part_rows(heft_ctx *ctx, const heft_growth *g, const heft_node *l)
{
    const heft_leaf_split *c = &l->best;
    parting                p = {g, l, {{0}}};
    uint32_t              *index = g->index + l->first;
    bool                  *in = g->goes_left;
    const size_t           n_pieces = heft_n_pieces(l->n);
    size_t                 left = 0, at, lo, hi;
    for (size_t k = 0; k < c->n_listed; k++) in[c->listed[k]] = true;
    for (size_t v = 0; c->n_listed == 0 && v <= c->at; v++) in[v] = true;
    for (size_t v = 0; v < g->bins->attr[c->attr].n_codes && v < 256; v++)
        p.left.word[v / 32] |= (uint32_t)in[v] << v % 32;
    heft_run_pieces(ctx, n_pieces, part_piece, &p);
    memset(in, 0, g->bins->attr[c->attr].n_codes * sizeof *in);
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
    return (double)l->all.n * g->unit >= 2 * LEAST_SIDE;
}

/* The histograms of nodes become those of all processes, at once. */
static heft_status add_histograms(heft_ctx *ctx, const heft_growth *g, heft_node *const *node,
                                  size_t n_nodes)
{
    HEFT_SCRATCH_SCOPE(ctx);
    int64_t *sent = NULL;
    size_t   n_sent = 0;
    if (heft_all_here(ctx)) return HEFT_OK;
    for (int step = 0; step < 3; step++) { /* count; put; take back */
        size_t at = 0;
        for (size_t k = 0; k < n_nodes; k++) {
            int64_t *const  kind[3] = {node[k]->of.g, node[k]->of.h, node[k]->of.n};
            size_t          n_use;
            const uint32_t *use = allowed(g, node[k], &n_use);
            for (size_t j = 0; j < 3 * n_use; j++) {
                const size_t first = g->bin_at[use[j / 3]], n = g->bin_at[use[j / 3] + 1] - first;
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

/* Both sides of a leaf that is split, or may be. */
static void make_children(heft_ctx *ctx, heft_growth *g, heft_node *l)
{
    const size_t        left = part_rows(ctx, g, l);
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

/* The child with fewer rows (by weight: processes differ in rows) is counted. */
static heft_node *child_of(heft_growth *g, const heft_node *parent, bool small)
{
    const int few = 2 * parent->best.left.n <= parent->all.n ? 0 : 1;
    return &g->node[parent->ahead[small ? few : !few]];
}

static heft_status count_node(heft_ctx *ctx, heft_growth *g, heft_node *l, size_t pool)
{
    size_t          n;
    const uint32_t *use = allowed(g, l, &n);
    l->of = histograms_at(g, g->pool, pool);
    count_leaf(ctx, g, l, use, n, &l->of);
    return g->n_pool == 1 ? add_histograms(ctx, g, &l, 1) : HEFT_OK;
}

/* Histograms and best splits of the children of n leaves, made here. Where histograms are not kept,
 * of one leaf. */
static heft_status weigh_children(heft_ctx *ctx, heft_growth *g, heft_node *const *leaf, size_t n)
{
    heft_node *small[HEFT_MOST_LEAVES];
    for (size_t k = 0; k < n; k++) {
        make_children(ctx, g, leaf[k]);
        small[k] = child_of(g, leaf[k], true);
        HEFT_CHECK(count_node(ctx, g, small[k], g->n_pool == 1 ? 0 : g->n_counted++));
    }
    if (g->n_pool > 1) HEFT_CHECK(add_histograms(ctx, g, small, n));
    for (size_t k = 0; k < n; k++) {
        heft_node      *large = child_of(g, leaf[k], false);
        size_t          n_use;
        const uint32_t *use = allowed(g, large, &n_use);
        if (worth_splitting(g, small[k])) HEFT_CHECK(find_best(ctx, g, small[k], &small[k]->of));
        if (!worth_splitting(g, large)) continue;
        large->of = leaf[k]->of;
        if (g->n_pool > 1) add_histogram(g, use, n_use, &small[k]->of, -1, &large->of);
        else HEFT_CHECK(count_node(ctx, g, large, 0));
        HEFT_CHECK(find_best(ctx, g, large, &large->of));
    }
    return HEFT_OK;
}

/* Of the open nodes the one of the largest gain, the oldest on a tie; NULL: none has one. */
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
 * be split next, as far as it is known by now, are weighed together. `left`: how many splits will
 * need the histograms of their children. */
static heft_status weigh_ahead(heft_ctx *ctx, heft_growth *g, const bool *leaves, size_t left)
{
    bool         open[HEFT_MOST_NODES];
    heft_node   *list[HEFT_MOST_LEAVES], *l;
    const size_t spare = g->n_pool - g->n_counted; /* `left` of them are needed in any case */
    const size_t most = heft_all_here(ctx) || spare <= left ? 1 : spare - left + 1;
    size_t       n = 0;
    memcpy(open, leaves, sizeof open);
    for (size_t k = 0; k < left && n < most && (l = best_of(g, open)); k++) {
        open[l - g->node] = false;
        if (l->ahead[0] < 0) list[n++] = l;
        else open[l->ahead[0]] = open[l->ahead[1]] = true;
    }
    return weigh_children(ctx, g, list, n);
}

heft_status heft_growth_tree(heft_ctx *ctx, heft_growth *g)
{
    heft_node *root = &g->node[0];
    bool       leaf[HEFT_MOST_NODES] = {true};
    int        turn = 0;
    *root = (heft_node){.n = g->n_rows, .child = {-1, -1}, .ahead = {-1, -1}, .turn = turn++};
    g->n_nodes = g->n_leaves = g->n_counted = 1;
    HEFT_CHECK(count_node(ctx, g, root, 0));
    if (g->n_pool > 1) HEFT_CHECK(add_histograms(ctx, g, &root, 1));
    root->all = sums_of(g, &root->of, g->use[0]);
    if (!worth_splitting(g, root)) return HEFT_OK;
    HEFT_CHECK(find_best(ctx, g, root, &root->of));
    while (g->n_leaves < g->most_leaves) {
        heft_node *best = best_of(g, leaf);
        if (!best) break;
        /* the children of the last split need no histograms */
        const size_t left = g->most_leaves - g->n_leaves;
        if (best->ahead[0] < 0 && left == 1) make_children(ctx, g, best);
        else if (best->ahead[0] < 0) HEFT_CHECK(weigh_ahead(ctx, g, leaf, left - 1));
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
