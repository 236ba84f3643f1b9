/* scan.c - finds delimiters, line ends and quotes in a text, 64 bytes at a time.
 *
 * Each version has two functions of its own: `masks` computes for 64 bytes one bit mask per kind of
 * character, and `put` stores the positions of the bits of a mask. The rest is common to all. */
#include "base/scan.h"

#include <string.h>

#include "base/decimal.h"
#include "base/wide.h"

enum { BLOCK = 64 };

typedef struct masks { /* bit k of a mask is set if byte k is such a character */
    uint64_t delimiter, line, quote, zero, high;
} masks;

/* Defines the functions of a version. The compiler removes what a version does not use. */
#define SCANNER(version, target)                                                                   \
    target static void marks_##version(const char *text, size_t n, char delimiter, char quote,     \
                                       uint32_t *place, heft_marks *out)                           \
    {                                                                                              \
        uint32_t *to = place;                                                                      \
        size_t    i = 0, lines = 0, quotes = 0;                                                    \
        for (bool more = true; more; i += BLOCK) {                                                 \
            char        last[BLOCK] = {0};                                                         \
            const char *p = text + i;                                                              \
            more = n - i >= BLOCK;                                                                 \
            if (!more) p = memcpy(last, p, n - i);                                                 \
            const masks m = masks_##version(p, delimiter, quote);                                  \
            lines += (size_t)__builtin_popcountll(m.line);                                         \
            quotes += (size_t)__builtin_popcountll(m.quote);                                       \
            to = put_##version(to, (uint32_t)i, m.delimiter | m.line | m.quote);                   \
        }                                                                                          \
        *out = (heft_marks){(size_t)(to - place), lines, quotes};                                  \
    }                                                                                              \
    target static void facts_##version(const char *text, size_t n, heft_text_facts *out)           \
    {                                                                                              \
        masks  all = {0};                                                                          \
        size_t i = 0, lines = 0;                                                                   \
        for (; n - i >= BLOCK; i += BLOCK) {                                                       \
            const masks m = masks_##version(text + i, '\n', '"');                                  \
            lines += (size_t)__builtin_popcountll(m.line);                                         \
            all.quote |= m.quote;                                                                  \
            all.zero |= m.zero;                                                                    \
            all.high |= m.high;                                                                    \
        }                                                                                          \
        char last[BLOCK];                                                                          \
        memset(last, ' ', sizeof last);                                                            \
        if (n > i) memcpy(last, text + i, n - i);                                                  \
        const masks m = masks_##version(last, '\n', '"');                                          \
        out->n_lines = lines + (size_t)__builtin_popcountll(m.line);                               \
        out->quotes = (all.quote | m.quote) != 0;                                                  \
        out->zeros = (all.zero | m.zero) != 0;                                                     \
        out->ascii = (all.high | m.high) == 0;                                                     \
    }

/* ---- words of 8 bytes ---- */

/* The top bits of 8 bytes as 8 bits. */
static inline uint64_t top_bits(uint64_t word)
{
    return ((word & 0x8080808080808080u) >> 7) * 0x0102040810204080u >> 56;
}

/* Which of 8 bytes are c, as 8 bits. */
static inline uint64_t equal8(uint64_t word, char c)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    const uint64_t x = word ^ (0x0101010101010101u * (unsigned char)c);
    return top_bits(~(((x & low) + low) | x));
}

HEFT_INLINE masks masks_plain(const char *p, char delimiter, char quote)
{
    masks m = {0};
    for (unsigned k = 0; k < BLOCK; k += 8) {
        const uint64_t word = heft_load8(p + k);
        m.delimiter |= equal8(word, delimiter) << k;
        m.line |= equal8(word, '\n') << k;
        m.quote |= equal8(word, quote) << k;
        m.zero |= equal8(word, 0) << k;
        m.high |= top_bits(word) << k;
    }
    return m;
}

HEFT_INLINE uint32_t *put_plain(uint32_t *to, uint32_t from, uint64_t bits)
{
    for (; bits; bits &= bits - 1) *to++ = from + (uint32_t)__builtin_ctzll(bits);
    return to;
}

SCANNER(plain, )

static bool always(void)
{
    return true;
}

/* ---- vectors of x86 ---- */

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

AVX2 HEFT_INLINE uint64_t equal32(__m256i a, __m256i b, char c)
{
    const __m256i  all = _mm256_set1_epi8(c);
    const unsigned low = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, all));
    const unsigned high = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, all));
    return (uint64_t)high << 32 | low;
}

AVX2 HEFT_INLINE masks masks_avx2(const char *p, char delimiter, char quote)
{
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    masks         m;
    m.delimiter = equal32(a, b, delimiter);
    m.line = equal32(a, b, '\n');
    m.quote = equal32(a, b, quote);
    m.zero = equal32(a, b, 0);
    m.high = (uint64_t)(unsigned)_mm256_movemask_epi8(b) << 32 | (unsigned)_mm256_movemask_epi8(a);
    return m;
}

/* Stores eight positions at a time even if there are fewer, because a branch on their number would
 * be mispredicted. */
AVX2 HEFT_INLINE uint32_t *put_avx2(uint32_t *to, uint32_t from, uint64_t bits)
{
    const int n = __builtin_popcountll(bits);
    for (int k = 0; k < n; k += 8)
        for (int i = 0; i < 8; i++, bits = _blsr_u64(bits))
            to[k + i] = from + (uint32_t)_tzcnt_u64(bits);
    return to + n;
}

SCANNER(avx2, AVX2)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,popcnt")))

AVX512 HEFT_INLINE masks masks_avx512(const char *p, char delimiter, char quote)
{
    const __m512i v = _mm512_loadu_si512(p);
    masks         m;
    m.delimiter = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(delimiter));
    m.line = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n'));
    m.quote = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(quote));
    m.zero = _mm512_testn_epi8_mask(v, v);
    m.high = _mm512_movepi8_mask(v);
    return m;
}

static const uint8_t counted[BLOCK] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* The numbers of the bits, packed; then 16 of them at a time. */
AVX512 HEFT_INLINE uint32_t *put_avx512(uint32_t *to, uint32_t from, uint64_t bits)
{
    const int     n = __builtin_popcountll(bits);
    const __m512i base = _mm512_set1_epi32((int)from);
    const __m512i k = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(counted));
    _mm512_storeu_si512(to,
                        _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(k))));
    if (n > 16) {
        const __m128i part[3] = {_mm512_extracti32x4_epi32(k, 1), _mm512_extracti32x4_epi32(k, 2),
                                 _mm512_extracti32x4_epi32(k, 3)};
        for (int i = 0; i < 3; i++)
            _mm512_storeu_si512(to + 16 * (i + 1),
                                _mm512_add_epi32(base, _mm512_cvtepu8_epi32(part[i])));
    }
    return to + n;
}

SCANNER(avx512, AVX512)

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

const heft_scanner heft_scanners[] = {
    {"avx512", has_avx512, marks_avx512, facts_avx512},
    {"avx2", has_avx2, marks_avx2, facts_avx2},
    {"plain", always, marks_plain, facts_plain},
};
#else
const heft_scanner heft_scanners[] = {{"plain", always, marks_plain, facts_plain}};
#endif

const size_t heft_n_scanners = sizeof heft_scanners / sizeof *heft_scanners;

static const heft_scanner *best(void)
{
    const heft_scanner *s = heft_scanners;
    while (!s->works()) s++;
    return s;
}

void heft_scan_marks(const char *text, size_t n, char delimiter, char quote, uint32_t *place,
                     heft_marks *out)
{
    best()->marks(text, n, delimiter, quote, place, out);
}

void heft_scan_facts(const char *text, size_t n, heft_text_facts *out)
{
    best()->facts(text, n, out);
}
