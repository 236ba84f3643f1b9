/* histograms.c - sums of the derivatives of the loss over rows, for each code of each attribute.
 *
 * Where all weights are 1, rows are counted in blocks of up to 4094 into two 64-bit words per code:
 * 29 bits of g, 24 of h, 11 of rows. Large sets of rows are counted in parts by several threads. */
#include "boost/histograms.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/wide.h"

enum {
    PACKED = 4094,        /* rows that two words per code can count */
    G_BITS = 17,          /* |g| <= 2^17 */
    H_BITS = 13,          /* h < 2^13 */
    N_SHIFT = 11,         /* where h begins in a wide word */
    G_SHIFT = 35,         /* where g begins */
    AT_ONCE = 4,          /* attributes, or joints of them, counted in one pass over the rows */
    LEAST_JOINT = 1,      /* rows per cell, beyond what one attribute takes, that it pays for */
    POWERS = 64,          /* powers of two that may bound the largest |g|: 2^1, 2^0, ... */
    MOST_CELLS = 1 << 16, /* with more cells, rows are not counted in parts */
    LEAST_PART = 1 << 13  /* rows of a part */
};

heft_status heft_packed_rows_open(heft_ctx *ctx, heft_arena *arena, heft_packed_rows *rows)
{
    size_t cells = 0;
    rows->m = rows->bins->n_attr;
    HEFT_ALLOC(ctx, arena, rows->g, rows->n);
    HEFT_ALLOC(ctx, arena, rows->cell_at, rows->m + 1);
    for (size_t k = 0; k < rows->m; k++) {
        rows->cell_at[k] = cells;
        cells += rows->bins->attr[k].n_codes;
    }
    rows->cell_at[rows->m] = cells;
    if (cells <= MOST_CELLS && rows->n >= 2 * LEAST_PART)
        HEFT_ALLOC(ctx, arena, rows->parts, 3 * cells * (HEFT_COUNT_PARTS - 1));
    return rows->weight
               ? HEFT_OK
               : heft_joints_open(ctx, arena, rows->bins, rows->column, rows->n, &rows->joints);
}

void heft_packed_rows_order(const heft_packed_rows *rows, heft_attr_list use, bool *flags,
                            uint32_t *out)
{
    const uint32_t *order = rows->joints.order;
    size_t          n = 0;
    if (!order) {
        memcpy(out, use.attr, use.n * sizeof *out);
        return;
    }
    for (size_t k = 0; k < use.n; k++) flags[use.attr[k]] = true;
    for (size_t k = 0; k < rows->m; k++)
        if (flags[order[k]]) out[n++] = order[k];
    memset(flags, 0, rows->m * sizeof *flags);
}

/* ---- words ----
 *
 * The word of a row has g in the upper 19 bits and h in the lower 13. Wide words have 64 bits;
 * their sums count the rows as well. */

HEFT_WIDE static int32_t largest_g(const heft_row_word *g, size_t n)
{
    int32_t top = 0;
    for (size_t i = 0; i < n; i++) top = (g[i] & 0x7fffffff) > top ? g[i] & 0x7fffffff : top;
    return top;
}

HEFT_WIDE static void pack_words(heft_row_word *word, float steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float g;
        memcpy(&g, &word[i], sizeof g);
        const float   size = fabsf(g);
        const int32_t top = (int32_t)(size * steps + 0.5f), most = (1 << H_BITS) - 1;
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

/* The wide word of a row. */
HEFT_INLINE int64_t wide_word(int32_t word)
{
    return word_g(word) * ((int64_t)1 << G_SHIFT) + (word_h(word) << N_SHIFT) + 1;
}

HEFT_WIDE static void widen(const heft_row_word *word, size_t n, int64_t *wide)
{
    for (size_t i = 0; i < n; i++) wide[i] = wide_word(word[i]);
}

int32_t heft_packed_rows_largest(const heft_packed_rows *rows, size_t lo, size_t hi)
{
    return largest_g(rows->word + lo, hi - lo);
}

/* The power of two that every |g| of all processes lies below; 0 where all are 0. Below 2^-62 there
 * is nothing to learn. */
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
    const heft_packed_rows *rows = arg;
    size_t                  lo, hi;
    heft_piece_rows(rows->n, piece, &lo, &hi);
    pack_words(rows->word + lo, rows->steps, hi - lo);
}

/* g and h are rounded to steps that fit the largest |g|. */
heft_status heft_packed_rows_pack(heft_ctx *ctx, heft_packed_rows *rows, int32_t largest)
{
    int power;
    HEFT_CHECK(largest_power(ctx, largest, &power));
    rows->g_unit = ldexp(1, power - G_BITS);
    rows->h_unit = ldexp(1, -(H_BITS + 2));
    rows->steps = ldexpf(1, G_BITS - power);
    heft_run_pieces(ctx, heft_n_pieces(rows->n), pack_piece, rows);
    return HEFT_OK;
}

/* ---- histograms ---- */

/* Sums of words by code. Each half has every other row, because a processor waits for a sum that it
 * has just written. */
typedef struct word_sums {
    int64_t half[2][256];
} word_sums;

/* Counts `many` attributes of one-byte codes. Without an index: rows 0 .. n - 1. */
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
    if (i < n)
        for (size_t k = 0; k < many; k++) at[k].half[0][code[k][index ? index[i] : i]] += word[i];
}

/* Adds the sums of words to the sums so far, which are first multiplied by `times`, 0 or 1. */
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

typedef struct some_rows { /* at most PACKED rows of weight 1 */
    const uint32_t *index; /* NULL: the rows from `first` on */
    size_t          first, n;
    int64_t         wide[PACKED]; /* their words */
} some_rows;

static void take_rows(const heft_packed_rows *rows, const uint32_t *index, size_t n, some_rows *to)
{
    if (!index) widen(rows->word + to->first, n, to->wide);
    else
        for (size_t i = 0; i < n; i++) to->wide[i] = wide_word(rows->word[index[i]]);
    to->index = index;
    to->n = n;
}

typedef struct counted { /* attributes counted by one addition for each row */
    const uint32_t *attr;
    size_t          n; /* 1, or several with the same joint */
} counted;

/* Adds the sums of words to those of the attributes. `more`: which have some already. */
static void take_sums(const heft_packed_rows *rows, const counted *group, const word_sums *sums,
                      bool more, const heft_histograms *to)
{
    const bool joint = group->n > 1;
    word_sums  own;
    for (size_t k = 0; k < group->n; k++) {
        const uint32_t j = group->attr[k];
        const size_t   v = rows->cell_at[j], n = rows->cell_at[j + 1] - v;
        if (joint)
            for (size_t h = 0; h < 2; h++)
                heft_joint_margin(&rows->joints.attr[j], sums->half[h], n, own.half[h]);
        add_words(joint ? &own : sums, n, more, to->g + v, to->h + v, to->n + v);
    }
}

/* Counts attributes of one-byte codes. `more`: the sums are added to those so far. */
static void count_plain(const heft_packed_rows *rows, const some_rows *some, const counted *group,
                        size_t many, bool more, const heft_histograms *to)
{
    word_sums       at[AT_ONCE];
    const uint8_t  *code[AT_ONCE];
    const uint32_t *index = some->index;
    for (size_t k = 0; k < many; k++) {
        const uint32_t    j = group[k].attr[0];
        const heft_joint *joint = group[k].n > 1 ? &rows->joints.attr[j] : NULL;
        const size_t      n = joint ? joint->n_cells : rows->bins->attr[j].n_codes;
        code[k] = (joint ? joint->cell : (const uint8_t *)rows->column[j].codes) +
                  (index ? 0 : some->first);
        for (size_t h = 0; h < 2; h++) memset(at[k].half[h], 0, n * sizeof(int64_t));
    }
    if (many == AT_ONCE && index) count_bytes(index, some->wide, some->n, code, AT_ONCE, at);
    else if (index) count_bytes(index, some->wide, some->n, code, many, at);
    else if (many == AT_ONCE) count_bytes(NULL, some->wide, some->n, code, AT_ONCE, at);
    else count_bytes(NULL, some->wide, some->n, code, many, at);
    for (size_t k = 0; k < many; k++) take_sums(rows, &group[k], &at[k], more, to);
}

/* How many attributes from use[0] on are counted together over n rows. */
static size_t together(const heft_packed_rows *rows, const uint32_t *use, size_t n_use, size_t n)
{
    const heft_joint *joint = &rows->joints.attr[use[0]];
    size_t            many = 1;
    if (!joint->cell) return 1;
    while (many < n_use && rows->joints.attr[use[many]].cell == joint->cell) many++;
    return (many - 1) * n >= many * LEAST_JOINT * joint->n_cells ? many : 1;
}

/* Counts one attribute of any codes, with any weights. */
static void count_any(const heft_packed_rows *rows, const uint32_t *index, size_t n, uint32_t k,
                      const heft_histograms *to)
{
    const heft_tree_codes *column = &rows->column[k];
    const size_t first = rows->cell_at[k], bytes = (rows->cell_at[k + 1] - first) * sizeof *to->g;
    memset(to->g + first, 0, bytes);
    memset(to->h + first, 0, bytes);
    memset(to->n + first, 0, bytes);
    for (size_t i = 0; i < n; i++) {
        const size_t  v = first + heft_code_at(column->codes, column->width, index[i]);
        const int32_t word = rows->word[index[i]];
        const int64_t w = heft_units(rows->weight, index[i]);
        to->g[v] += word_g(word) * w;
        to->h[v] += word_h(word) * w;
        to->n[v] += w;
    }
}

typedef struct counting {
    const heft_packed_rows *rows;
    heft_attr_list          use;
    const uint32_t         *index; /* the n rows */
    size_t                  n, n_parts;
    heft_histograms         to[HEFT_COUNT_PARTS];
} counting;

/* Counts the attributes of one-byte codes. `more`: the sums are added to those so far. */
static void count_some(const counting *c, const some_rows *some, bool more,
                       const heft_histograms *to)
{
    const heft_packed_rows *rows = c->rows;
    counted                 group[AT_ONCE];
    size_t                  many = 0, next;
    for (size_t k = 0; k < c->use.n; k = next) {
        next = k + together(rows, c->use.attr + k, c->use.n - k, some->n);
        if (rows->column[c->use.attr[k]].width > 1) continue;
        if (many == AT_ONCE) {
            count_plain(rows, some, group, many, more, to);
            many = 0;
        }
        group[many++] = (counted){c->use.attr + k, next - k};
    }
    if (many) count_plain(rows, some, group, many, more, to);
}

static void count_part(void *arg, size_t part)
{
    const counting         *c = arg;
    const heft_packed_rows *rows = c->rows;
    const heft_histograms  *to = &c->to[part];
    const size_t            first = c->n * part / c->n_parts;
    const size_t            n = c->n * (part + 1) / c->n_parts - first;
    some_rows               some;
    for (size_t k = 0; k < c->use.n; k++)
        if (rows->weight || rows->column[c->use.attr[k]].width > 1)
            count_any(rows, c->index + first, n, c->use.attr[k], to);
    if (rows->weight) return;
    for (size_t lo = 0; lo == 0 || lo < n; lo += PACKED) { /* with 0 rows too: it sets the cells */
        some.first = first + lo;
        take_rows(rows, c->n < rows->n ? c->index + first + lo : NULL,
                  n - lo < PACKED ? n - lo : PACKED, &some);
        count_some(c, &some, lo > 0, to);
    }
}

HEFT_WIDE static void add_cells(const heft_packed_rows *rows, heft_attr_list use,
                                const heft_histograms *from, int64_t sign,
                                const heft_histograms *to)
{
    for (size_t k = 0; k < use.n; k++)
        for (size_t v = rows->cell_at[use.attr[k]]; v < rows->cell_at[use.attr[k] + 1]; v++) {
            to->g[v] += sign * from->g[v];
            to->h[v] += sign * from->h[v];
            to->n[v] += sign * from->n[v];
        }
}

void heft_histograms_add(const heft_packed_rows *rows, heft_attr_list use,
                         const heft_histograms *from, int64_t sign, const heft_histograms *to)
{
    add_cells(rows, use, from, sign, to);
}

void heft_histograms_count(heft_ctx *ctx, const heft_packed_rows *rows, const uint32_t *index,
                           size_t n, heft_attr_list use, const heft_histograms *to)
{
    counting c = {.rows = rows, .use = use, .n = n, .index = index};
    c.n_parts = rows->parts && heft_idle_threads(ctx) ? n / LEAST_PART : 1;
    if (c.n_parts < 1) c.n_parts = 1;
    if (c.n_parts > HEFT_COUNT_PARTS) c.n_parts = HEFT_COUNT_PARTS;
    c.to[0] = *to;
    for (size_t k = 1; k < c.n_parts; k++) c.to[k] = heft_histograms_at(rows, rows->parts, k - 1);
    heft_run_pieces(ctx, c.n_parts, count_part, &c);
    for (size_t k = 1; k < c.n_parts; k++) heft_histograms_add(rows, use, &c.to[k], 1, to);
}

heft_row_sums heft_histograms_total(const heft_packed_rows *rows, const heft_histograms *sums,
                                    uint32_t j)
{
    heft_row_sums all = {0};
    for (size_t v = rows->cell_at[j]; v < rows->cell_at[j + 1]; v++) {
        const heft_row_sums one = heft_cell_sums(sums, v);
        heft_row_sums_add(&all, &one);
    }
    return all;
}
