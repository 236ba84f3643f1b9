/* pairs512.c - pair counts of rows without weights on processors with AVX-512 (F, BW, DQ,
 * VPOPCNTDQ): Ice Lake, Zen 4 and later.
 *
 * A value is represented by the set of rows that have it, one bit per row. The count of two values
 * is the number of bits in the intersection of their sets. A vector has eight lanes of 64 rows.
 * Each lane belongs to one of eight classes; with four, two or one classes, each class has two,
 * four or eight lanes. The counts of the classes thus come out side by side, which is how they are
 * stored.
 */
#include "stats/counts.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "base/wide.h"

#define FAST __attribute__((target("avx512f,avx512bw,avx512dq,avx512vpopcntdq")))

enum {
    LANES = 8,
    WORD = 64,          /* number of rows per lane */
    ROWS = 32768,       /* most rows that are sorted by class at a time */
    ROOM = 2048,        /* most vectors of all sets together, so that they stay in the cache */
    MOST_WORDS = 16,    /* most vectors per set */
    MOST_CLASSES = 256, /* with more classes a class has too few rows for this method */
    LEFT = 5,           /* LEFT values of an attribute are counted with RIGHT values of later */
    RIGHT = 4           /* attributes at a time; LEFT x RIGHT sums fit into the registers */
};

typedef struct sets {
    const heft_rows        *rows;
    const heft_pair_counts *pairs;
    size_t                  lo;                   /* first row of the chunk */
    uint16_t                row[ROWS];            /* rows relative to lo, sorted by class */
    size_t next[MOST_CLASSES], end[MOST_CLASSES]; /* range in `row` of the rows of each class that
                                                     are not counted yet */
    size_t   first, n_class; /* first class and number of classes that are being counted */
    size_t   side;           /* n_class rounded up to a power of two */
    size_t   words;          /* number of vectors per set */
    uint64_t bits[ROOM + RIGHT * MOST_WORDS][LANES]; /* the sets, `words` vectors per value */
} sets;

/* ---- sets ---- */

/* Sorts n rows by class. */
static void sort_rows(sets *s, size_t n)
{
    const uint16_t *y = s->rows->y + s->lo;
    const size_t    K = s->rows->n_class;
    memset(s->end, 0, K * sizeof *s->end);
    for (size_t r = 0; r < n; r++) s->end[y[r]]++;
    for (size_t c = 0, sum = 0; c < K; c++) {
        s->next[c] = sum;
        sum += s->end[c];
        s->end[c] = s->next[c];
    }
    for (size_t r = 0; r < n; r++) s->row[s->end[y[r]]++] = (uint16_t)r;
}

/* Selects up to LANES classes, from `first` on, to be counted next. */
static void take_classes(sets *s, size_t first)
{
    s->first = first;
    s->n_class = s->rows->n_class - first < LANES ? s->rows->n_class - first : LANES;
    for (s->side = 1; s->side < s->n_class;) s->side *= 2;
}

/* Number of vectors per set that all uncounted rows of the selected classes need. */
static size_t words_of(const sets *s)
{
    const size_t all = LANES / s->side * WORD;
    size_t       most = 0;
    for (size_t c = s->first; c < s->first + s->n_class; c++)
        if (s->end[c] - s->next[c] > most) most = s->end[c] - s->next[c];
    return (most + all - 1) / all;
}

/* Fills one lane of the sets of all values of attribute j with n rows. */
FAST static void fill_lane(sets *s, size_t j, size_t lane, const uint16_t *row, size_t n)
{
    const uint8_t *codes = (const uint8_t *)s->rows->attr[j].codes + s->lo;
    uint8_t        code[MOST_WORDS * WORD];
    for (size_t r = 0; r < n; r++) code[r] = codes[row[r]];
    memset(code + n, UINT8_MAX, s->words * WORD - n); /* a code that no value has */
    for (size_t t = 0; t < s->words; t++) {
        const __m512i x = _mm512_loadu_si512(code + t * WORD);
        uint64_t(*to)[LANES] = s->bits + s->pairs->offset[j] * s->words + t;
        for (size_t v = 0; v < s->pairs->n_codes[j]; v++, to += s->words)
            (*to)[lane] = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)v));
    }
}

/* Takes the next uncounted rows of class first + k, at most as many as a lane holds, and returns
 * their number. */
static size_t take_rows(sets *s, size_t k, const uint16_t **row)
{
    const size_t c = s->first + k, most = s->words * WORD;
    if (k >= s->n_class) return 0;
    const size_t n = s->end[c] - s->next[c] < most ? s->end[c] - s->next[c] : most;
    *row = s->row + s->next[c];
    s->next[c] += n;
    return n;
}

/* Fills the sets of all values with the next rows of each class. RIGHT empty sets follow, because
 * count_some reads RIGHT sets at a time. */
static void fill_sets(sets *s)
{
    const uint16_t *row[LANES] = {0};
    size_t          n[LANES];
    memset(s->bits[s->pairs->offset[s->pairs->n_attr] * s->words], 0,
           RIGHT * s->words * sizeof *s->bits);
    for (size_t lane = 0; lane < LANES; lane++) n[lane] = take_rows(s, lane % s->side, &row[lane]);
    for (size_t j = 0; j < s->pairs->n_attr; j++)
        for (size_t lane = 0; lane < LANES; lane++) fill_lane(s, j, lane, row[lane], n[lane]);
}

/* ---- counts ---- */

/* line[c] += the sum of lanes c, c + side, c + 2 side, ..., which belong to class c. */
FAST HEFT_INLINE void add_lanes(__m512i x, size_t side, __mmask8 classes, double *line)
{
    if (side <= 4) x = _mm512_add_epi64(x, _mm512_shuffle_i64x2(x, x, 0x4e));
    if (side <= 2) x = _mm512_add_epi64(x, _mm512_permutex_epi64(x, 0x4e));
    if (side <= 1) x = _mm512_add_epi64(x, _mm512_shuffle_epi32(x, 0x4e));
    const __m512d sum = _mm512_add_pd(_mm512_maskz_loadu_pd(classes, line), _mm512_cvtepi64_pd(x));
    _mm512_mask_storeu_pd(line, classes, sum);
}

/* Counts n values, from set x on, with the next n_right values (at most RIGHT), from set y on.
 * Every caller passes a constant n, so that the loops are unrolled. The counts of (v, w) are at
 * line + (v + w * step) * n_class. */
FAST HEFT_INLINE void count_some(size_t n, const sets *s, size_t x, size_t y, size_t n_right,
                                 size_t step, double *line)
{
    const size_t   K = s->rows->n_class, words = s->words;
    const __mmask8 classes = (__mmask8)((1U << s->n_class) - 1);
    __m512i        sum[LEFT][RIGHT];
    for (size_t v = 0; v < n; v++)
        for (size_t w = 0; w < RIGHT; w++) sum[v][w] = _mm512_setzero_si512();
    for (size_t t = 0; t < words; t++) {
        __m512i right[RIGHT];
        for (size_t w = 0; w < RIGHT; w++)
            right[w] = _mm512_loadu_si512(s->bits[(y + w) * words + t]);
        for (size_t v = 0; v < n; v++) {
            const __m512i left = _mm512_loadu_si512(s->bits[(x + v) * words + t]);
            for (size_t w = 0; w < RIGHT; w++)
                sum[v][w] = _mm512_add_epi64(sum[v][w],
                                             _mm512_popcnt_epi64(_mm512_and_si512(left, right[w])));
        }
    }
    for (size_t w = 0; w < RIGHT; w++)
        if (w < n_right)
            for (size_t v = 0; v < n; v++)
                add_lanes(sum[v][w], s->side, classes, line + (v + w * step) * K);
}

/* Counts values v..v + n - 1 of attribute i with all values of later attributes. */
FAST static void count_values(const sets *s, size_t i, size_t v, size_t n, double *acc)
{
    const heft_pair_counts *p = s->pairs;
    const size_t            x = p->offset[i] + v, from = p->offset[i + 1], q = p->n_codes[i];
    for (size_t y = from; y < p->offset[p->n_attr]; y += RIGHT) {
        const size_t right = p->offset[p->n_attr] - y;
        double      *line = acc + (p->start[i] + (y - from) * q + v) * p->n_class + s->first;
        if (n == 5) count_some(5, s, x, y, right, q, line);
        else if (n == 4) count_some(4, s, x, y, right, q, line);
        else if (n == 3) count_some(3, s, x, y, right, q, line);
        else if (n == 2) count_some(2, s, x, y, right, q, line);
        else count_some(1, s, x, y, right, q, line);
    }
}

/* Counts all pairs of values. The values of an attribute are taken in steps of nearly equal size,
 * at most LEFT. */
static void count_sets(const sets *s, double *acc)
{
    for (size_t i = 0; i + 1 < s->pairs->n_attr; i++) {
        const size_t q = s->pairs->n_codes[i];
        size_t       steps = (q + LEFT - 1) / LEFT;
        for (size_t v = 0, n; v < q; v += n, steps--) {
            n = (q - v) / steps;
            count_values(s, i, v, n, acc);
        }
    }
}

/* ---- public ---- */

static bool possible(const heft_rows *rows, const heft_pair_counts *p)
{
    bool ok = !rows->weight && rows->n_class <= MOST_CLASSES &&
              heft_simd_allowed(HEFT_SIMD_AVX512) && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq") &&
              p->offset[p->n_attr] <= ROOM / LANES;
    for (size_t j = 0; ok && j < p->n_attr; j++) ok = rows->attr[j].width == 1;
    return ok;
}

/* Whether counting by sets takes less time than one addition per row and pair of attributes. */
static bool worth_it(sets *s, size_t n)
{
    const heft_pair_counts *p = s->pairs;
    size_t                  words = 0;
    for (size_t c = 0; c < s->rows->n_class; c += LANES) {
        take_classes(s, c);
        words += words_of(s) + 3; /* 3: fixed cost per pair of values */
    }
    return words * p->start[p->n_attr] < n * p->n_attr * (p->n_attr - 1) / 2;
}

bool heft_pair_counts_512(const heft_rows *rows, const heft_pair_counts *p, size_t lo, size_t hi,
                          double *acc)
{
    sets   s;
    size_t most, left;
    if (hi - lo > ROWS || !possible(rows, p)) return false;
    s.rows = rows, s.pairs = p, s.lo = lo;
    sort_rows(&s, hi - lo);
    if (!worth_it(&s, hi - lo)) return false;
    most = ROOM / p->offset[p->n_attr];
    if (most > MOST_WORDS) most = MOST_WORDS;
    for (size_t c = 0; c < rows->n_class; c += LANES) {
        take_classes(&s, c);
        while ((left = words_of(&s)) > 0) {
            s.words = left < most ? left : most;
            fill_sets(&s);
            count_sets(&s, acc);
        }
    }
    return true;
}

#else

bool heft_pair_counts_512(const heft_rows *rows, const heft_pair_counts *p, size_t lo, size_t hi,
                          double *acc)
{
    (void)rows, (void)p, (void)lo, (void)hi, (void)acc;
    return false;
}

#endif
