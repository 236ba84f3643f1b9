/* hamming.c - comparing rows of bytes with a query, portable and AVX2.
 *
 * Every count is a byte while it grows and is widened before 255 rows have gone into it. Tables
 * take turns in heft_hamming_levels, so that a row need not wait for the ones before it to be
 * stored. */
#include "methods/lazy/hamming.h"

#include <string.h>

#include "base/wide.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2 1
#include <immintrin.h>
#define FAST __attribute__((target("avx2,popcnt")))
#endif

enum { BYTE_ROWS = 255, SIDE = 16 }; /* rows that a byte can count; sums computed at a time */

size_t heft_hamming_width(size_t stride)
{
    if (stride <= 16) return 16;
    return stride <= 32 ? 32 : (stride + 63) / 64 * 64;
}

/* ---- portable: eight bytes per word ---- */

static const uint64_t LOW = 0x0101010101010101U, SEVEN = 0x7f7f7f7f7f7f7f7fU;

/* 1 in every byte where a and b are equal, 0 elsewhere. */
static inline uint64_t equal_bytes(const uint8_t *a, const uint8_t *b)
{
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    x ^= y;
    return ~(((x & SEVEN) + SEVEN) | x) >> 7 & LOW;
}

/* The sum of eight bytes that are 0 or 1. */
static inline uint64_t sum_bytes(uint64_t x)
{
    return x * LOW >> 56;
}

static void distance_plain(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                           uint16_t *distance)
{
    for (size_t r = 0; r < n; r++, rows += stride) {
        uint64_t agree = 0;
        for (size_t k = 0; k < stride; k += 8) agree += sum_bytes(equal_bytes(rows + k, query + k));
        distance[r] = (uint16_t)(stride - agree);
    }
}

static void levels_plain(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                         size_t width, uint8_t *narrow)
{
    const size_t cells = (width + 1) * width;
    for (size_t r = 0; r < n; r++, rows += stride) {
        uint64_t equal[HEFT_HAMMING_NARROW / 8], agree = 0;
        for (size_t k = 0; 8 * k < stride; k++) {
            equal[k] = equal_bytes(rows + 8 * k, query + 8 * k);
            agree += sum_bytes(equal[k]);
        }
        uint8_t *line = narrow + r % 4 * cells + agree * width;
        for (size_t k = 0; 8 * k < stride; k++) {
            uint64_t old;
            memcpy(&old, line + 8 * k, 8);
            old += equal[k];
            memcpy(line + 8 * k, &old, 8);
        }
    }
}

static void count_plain(const uint8_t *rows, size_t stride, const uint32_t *list, size_t n,
                        const uint8_t *query, uint32_t *count)
{
    for (size_t k = 0; k < stride; k += 8) {
        uint64_t sum = 0;
        uint8_t  byte[8];
        for (size_t r = 0; r < n; r++)
            sum += equal_bytes(rows + (size_t)list[r] * stride + k, query + k);
        memcpy(byte, &sum, 8);
        for (size_t b = 0; b < 8; b++) count[k + b] += byte[b];
    }
}

/* Adds the tables of `narrow` to `wide` and sets them to 0; sum += the sums of the lines. */
static void widen_plain(size_t lines, size_t width, uint8_t *narrow, uint32_t *wide, uint64_t *sum)
{
    const size_t cells = (width + 1) * width;
    for (size_t k = 0; k < lines * width; k++) {
        uint32_t total = 0;
        for (size_t t = 0; t < 4; t++) {
            total += narrow[t * cells + k];
            narrow[t * cells + k] = 0;
        }
        wide[k] += total;
        sum[k / width] += total;
    }
}

/* ---- AVX2 ---- */

#ifdef HAVE_AVX2

FAST static inline __m256i load32(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

FAST static inline __m256i equal32(const uint8_t *row, __m256i q)
{
    return _mm256_cmpeq_epi8(load32(row), q);
}

FAST static inline size_t ones32(__m256i equal)
{
    return (size_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(equal));
}

FAST static inline __m128i equal16(const uint8_t *row, __m128i q)
{
    return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)row), q);
}

FAST static inline size_t ones16(__m128i equal)
{
    return (size_t)__builtin_popcount((unsigned)_mm_movemask_epi8(equal));
}

FAST static void distance_fast(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                               uint16_t *distance)
{
    if (stride <= 16) {
        const __m128i q = _mm_loadu_si128((const __m128i *)(const void *)query);
        for (size_t r = 0; r < n; r++, rows += stride)
            distance[r] = (uint16_t)(stride - ones16(equal16(rows, q)));
        return;
    }
    for (size_t r = 0; r < n; r++, rows += stride) {
        size_t agree = 0;
        for (size_t k = 0; k < stride; k += 32)
            agree += ones32(equal32(rows + k, load32(query + k)));
        distance[r] = (uint16_t)(stride - agree);
    }
}

/* Makes the compiler forget what it knows of an offset: it then puts it into the addresses of a
 * load and of a store, and does not compute their sum with the table first, an instruction per row.
 */
#define FORGET(offset) __asm__("" : "+r"(offset))

FAST static inline void level32(const uint8_t *row, __m256i q, uint8_t *table)
{
    const __m256i equal = equal32(row, q);
    size_t        line = 32 * ones32(equal);
    const __m256i old = _mm256_load_si256((const __m256i *)(const void *)(table + line));
    const __m256i now = _mm256_add_epi8(old, equal);
    FORGET(line);
    _mm256_store_si256((__m256i *)(void *)(table + line), now);
}

FAST static inline void level64(const uint8_t *row, __m256i q, __m256i p, uint8_t *table)
{
    const __m256i equal = equal32(row, q), more = equal32(row + 32, p);
    __m256i      *line = (__m256i *)(void *)(table + 64 * (ones32(equal) + ones32(more)));
    _mm256_store_si256(line, _mm256_add_epi8(_mm256_load_si256(line), equal));
    _mm256_store_si256(line + 1, _mm256_add_epi8(_mm256_load_si256(line + 1), more));
}

/* Four rows at a time, each into its own table of width + 1 lines: with width known to the
 * compiler, all addresses are one register and a constant. */
#define LEVEL_ROWS(level, width)                                                                   \
    do {                                                                                           \
        enum { CELLS = (width + 1) * width };                                                      \
        for (; r + 4 <= n; r += 4, rows += 4 * stride) {                                           \
            level(rows, narrow);                                                                   \
            level(rows + stride, narrow + CELLS);                                                  \
            level(rows + 2 * stride, narrow + 2 * CELLS);                                          \
            level(rows + 3 * stride, narrow + 3 * CELLS);                                          \
        }                                                                                          \
        for (; r < n; r++, rows += stride) level(rows, narrow + r % 4 * CELLS);                    \
    } while (0)
#define LEVEL32(row, to) level32(row, q, to)
#define LEVEL64(row, to) level64(row, q, p, to)

FAST static void levels_fast(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                             size_t width, uint8_t *narrow)
{
    const __m256i q = load32(query), p = load32(query + 32);
    size_t        r = 0;
    if (width == 32) LEVEL_ROWS(LEVEL32, 32);
    else LEVEL_ROWS(LEVEL64, 64);
}

/* wide += sixteen counters of each of four tables, which count down from 0; returns the sum of all.
 */
FAST static inline uint64_t widen16(__m128i a, __m128i b, __m128i c, __m128i d, uint32_t *wide)
{
    const __m128i zero = _mm_setzero_si128();
    a = _mm_sub_epi8(zero, a), b = _mm_sub_epi8(zero, b);
    c = _mm_sub_epi8(zero, c), d = _mm_sub_epi8(zero, d);
    const __m256i sum =
        _mm256_add_epi16(_mm256_add_epi16(_mm256_cvtepu8_epi16(a), _mm256_cvtepu8_epi16(b)),
                         _mm256_add_epi16(_mm256_cvtepu8_epi16(c), _mm256_cvtepu8_epi16(d)));
    const __m128i total =
        _mm_add_epi64(_mm_add_epi64(_mm_sad_epu8(a, zero), _mm_sad_epu8(b, zero)),
                      _mm_add_epi64(_mm_sad_epu8(c, zero), _mm_sad_epu8(d, zero)));
    __m256i *const out = (__m256i *)(void *)wide;
    const __m256i  low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(sum));
    const __m256i  high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(sum, 1));
    _mm256_store_si256(out, _mm256_add_epi32(_mm256_load_si256(out), low));
    _mm256_store_si256(out + 1, _mm256_add_epi32(_mm256_load_si256(out + 1), high));
    return (uint64_t)_mm_cvtsi128_si64(total) +
           (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(total, total));
}

FAST static void widen_fast(size_t lines, size_t width, uint8_t *narrow, uint32_t *wide,
                            uint64_t *sum)
{
    const size_t cells = (width + 1) * width;
    for (size_t k = 0; k < lines * width; k += 16) {
        __m128i *at[4], any = _mm_setzero_si128();
        for (size_t t = 0; t < 4; t++) {
            at[t] = (__m128i *)(void *)(narrow + t * cells + k);
            any = _mm_or_si128(any, *at[t]);
        }
        if (_mm_testz_si128(any, any)) continue;
        sum[k / width] += widen16(*at[0], *at[1], *at[2], *at[3], wide + k);
        for (size_t t = 0; t < 4; t++) *at[t] = _mm_setzero_si128();
    }
}

/* ---- AVX2, rows of at most 16 bytes ---- */

enum { SET = 32, LINES16 = 17 * 16 }; /* rows turned together; bytes of a table */

/* Byte k of SET rows, side by side, to turned + SET k: sixteen registers are joined byte by byte,
 * each with the eighth behind it, four times. */
FAST static void turn_set(const uint8_t *rows, size_t stride, uint8_t *turned)
{
    __m256i x[16], y[16];
    for (size_t r = 0; r < 16; r++)
        x[r] = _mm256_loadu2_m128i((const __m128i *)(const void *)(rows + (r + 16) * stride),
                                   (const __m128i *)(const void *)(rows + r * stride));
    for (int step = 0; step < 4; step++) {
        for (size_t r = 0; r < 8; r++) {
            y[2 * r] = _mm256_unpacklo_epi8(x[r], x[r + 8]);
            y[2 * r + 1] = _mm256_unpackhi_epi8(x[r], x[r + 8]);
        }
        for (size_t r = 0; r < 16; r++) x[r] = y[r];
    }
    for (size_t r = 0; r < 16; r++)
        _mm256_storeu_si256((__m256i *)(void *)(turned + r * SET), x[r]);
}

/* twice[r] = 2 times the bytes on which row r agrees with the query; returns the largest. */
FAST static unsigned agreements(const uint8_t *turned, size_t n, const uint8_t *query,
                                uint8_t *twice)
{
    __m256i q[16], most = _mm256_setzero_si256();
    uint8_t byte[SET], largest = 0;
    for (size_t k = 0; k < 16; k++) q[k] = _mm256_set1_epi8((char)query[k]);
    for (size_t r = 0; r < n; r += SET, turned += 16 * SET) {
        __m256i sum = _mm256_setzero_si256(), more = sum;
        for (size_t k = 0; k < 16; k += 2) {
            sum = _mm256_sub_epi8(sum, equal32(turned + k * SET, q[k]));
            more = _mm256_sub_epi8(more, equal32(turned + (k + 1) * SET, q[k + 1]));
        }
        sum = _mm256_add_epi8(sum, more);
        sum = _mm256_add_epi8(sum, sum);
        most = _mm256_max_epu8(most, sum);
        _mm256_storeu_si256((__m256i *)(void *)(twice + r), sum);
    }
    _mm256_storeu_si256((__m256i *)(void *)byte, most);
    for (size_t k = 0; k < SET; k++) largest = byte[k] > largest ? byte[k] : largest;
    return largest;
}

FAST static inline void level16(const uint8_t *row, __m128i q, size_t twice, uint8_t *table)
{
    const __m128i equal = equal16(row, q); /* -1 */
    const __m128i now =
        _mm_add_epi8(equal, _mm_load_si128((const __m128i *)(const void *)(table + 8 * twice)));
    FORGET(twice);
    _mm_store_si128((__m128i *)(void *)(table + 8 * twice), now);
}

/* Counts eight rows at a time, each into its own table. */
FAST HEFT_INLINE void rows16(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                             const uint8_t *twice, uint8_t *narrow)
{
    const __m128i q = _mm_loadu_si128((const __m128i *)(const void *)query);
    size_t        r = 0;
    for (; r + 8 <= n; r += 8, rows += 8 * stride)
        for (size_t t = 0; t < 8; t++)
            level16(rows + t * stride, q, twice[r + t], narrow + t * LINES16);
    for (; r < n; r++, rows += stride) level16(rows, q, twice[r], narrow + r % 8 * LINES16);
}

/* heft_hamming_levels for rows of up to 16 bytes. Of 1020 rows, tables t and t + 4 have 128 and
 * 127: a byte holds both. */
FAST static void levels16(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                          const uint8_t *turned, uint8_t *narrow, uint32_t *wide, uint64_t *sum)
{
    uint8_t        twice[HEFT_HAMMING_TILE + SET];
    const unsigned most = agreements(turned, n, query, twice) / 2;
    if (stride == 16) rows16(rows, 16, n, query, twice, narrow);
    else rows16(rows, stride, n, query, twice, narrow);
    for (size_t a = 1; a <= most; a++) {
        __m128i count[4];
        for (size_t t = 0; t < 4; t++) {
            __m128i *one = (__m128i *)(void *)(narrow + t * LINES16 + 16 * a);
            __m128i *two = (__m128i *)(void *)(narrow + (t + 4) * LINES16 + 16 * a);
            count[t] = _mm_add_epi8(*one, *two);
            *one = *two = _mm_setzero_si128();
        }
        sum[a] += widen16(count[0], count[1], count[2], count[3], wide + 16 * a);
    }
}

FAST static void count_fast(const uint8_t *rows, size_t stride, const uint32_t *list, size_t n,
                            const uint8_t *query, uint32_t *count)
{
    for (size_t k = 0; k < stride; k += 64) {
        const __m256i q = load32(query + k), p = load32(query + k + 32);
        __m256i       sum = _mm256_setzero_si256(), more = sum;
        uint8_t       byte[64];
        for (size_t r = 0; r < n; r++) {
            const uint8_t *row = rows + (size_t)list[r] * stride + k;
            sum = _mm256_sub_epi8(sum, equal32(row, q));
            more = _mm256_sub_epi8(more, equal32(row + 32, p));
        }
        _mm256_storeu_si256((__m256i *)(void *)byte, sum);
        _mm256_storeu_si256((__m256i *)(void *)(byte + 32), more);
        const size_t lanes =
            heft_hamming_width(stride) - k < 64 ? heft_hamming_width(stride) - k : 64;
        for (size_t b = 0; b < lanes; b++) count[k + b] += byte[b];
    }
}

static bool allowed(heft_simd simd)
{
    return heft_simd_allowed(simd) && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("popcnt");
}

#define CHOOSE(name, ...)                                                                          \
    (allowed(HEFT_SIMD_AVX2) ? name##_fast(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define CHOOSE(name, ...) name##_plain(__VA_ARGS__)
#endif

HEFT_WIDE_AVX2 static void add_weighted(double weight, const uint32_t *count, size_t n,
                                        double *restrict sum)
{
    for (size_t k = 0; k < n; k++) sum[k] += weight * (double)(int32_t)count[k];
}

typedef double  vector __attribute__((vector_size(4 * sizeof(double))));
typedef int32_t whole __attribute__((vector_size(4 * sizeof(int32_t))));

/* Adds n_lines lines of counts, from `last` downwards, like add_weighted; SIDE sums stay in
 * registers. */
HEFT_WIDE_AVX2 static void add_lines(const double *weight, size_t n_lines, const uint32_t *last,
                                     size_t width, size_t n, double *restrict sum)
{
    for (size_t lo = 0; lo < n; lo += SIDE) {
        vector total[SIDE / 4];
        for (size_t k = 0; k < SIDE / 4; k++) total[k] = (vector){0, 0, 0, 0};
        for (size_t l = 0; l < n_lines; l++) {
            const uint32_t *count = last - l * width + lo;
            if (weight[l] == 0) continue;
            for (size_t k = 0; k < SIDE / 4; k++) {
                whole some;
                memcpy(&some, count + 4 * k, sizeof some);
                total[k] += weight[l] * __builtin_convertvector(some, vector);
            }
        }
        if (n - lo >= SIDE) memcpy(sum + lo, total, sizeof total);
        else memcpy(sum + lo, total, (n - lo) * sizeof *sum);
    }
}

/* ---- public ---- */

void heft_hamming_add(double weight, const uint32_t *count, size_t n, double *sum)
{
    add_weighted(weight, count, n, sum);
}

void heft_hamming_weigh(const double *weight, size_t n_lines, const uint32_t *last, size_t width,
                        size_t n, double *sum)
{
    add_lines(weight, n_lines, last, width, n, sum);
}

void heft_hamming_distance(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                           uint16_t *distance)
{
    CHOOSE(distance, rows, stride, n, query, distance);
}

void heft_hamming_turn(const uint8_t *rows, size_t stride, size_t n, uint8_t *turned)
{
#ifdef HAVE_AVX2
    if (stride > 16 || !allowed(HEFT_SIMD_AVX2) ||
        (allowed(HEFT_SIMD_AVX512) && heft_hamming_has_512(stride)))
        return;
    for (size_t r = 0; r < n; r += SET) turn_set(rows + r * stride, stride, turned + 16 * r);
#else
    (void)rows, (void)stride, (void)n, (void)turned;
#endif
}

void heft_hamming_levels(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                         const uint8_t *turned, uint8_t *narrow, uint32_t *wide, uint64_t *sum)
{
    const size_t width = heft_hamming_width(stride);
#ifdef HAVE_AVX2
    if (allowed(HEFT_SIMD_AVX512) && heft_hamming_has_512(stride)) {
        heft_hamming_512(rows, n, query, wide, sum);
        return;
    }
    if (width == 16 && allowed(HEFT_SIMD_AVX2)) {
        levels16(rows, stride, n, query, turned, narrow, wide, sum);
        return;
    }
#endif
    CHOOSE(levels, rows, stride, n, query, width, narrow);
    CHOOSE(widen, stride + 1, width, narrow, wide, sum);
}

void heft_hamming_count(const uint8_t *rows, size_t stride, const uint32_t *list, size_t n,
                        const uint8_t *query, uint32_t *count)
{
    for (size_t lo = 0; lo < n; lo += BYTE_ROWS) {
        const size_t part = n - lo < BYTE_ROWS ? n - lo : BYTE_ROWS;
        CHOOSE(count, rows, stride, list + lo, part, query, count);
    }
}
