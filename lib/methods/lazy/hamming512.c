/* hamming512.c - the counting pass for rows of 16 bytes on processors with AVX-512 (BW, VBMI,
 * BITALG, VPOPCNTDQ) and GFNI: Ice Lake, Zen 4 and later.
 *
 * 64 rows at a time become 16 words of 64 bits, one for each byte of a row: bit r says whether row
 * r agrees there. A level is one more such word, and a counter counts the bits two words share. */
#include "methods/lazy/hamming.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define FAST                                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,avx512vpopcntdq,"     \
                          "gfni,popcnt")))

enum { ROW = 16, BLOCK = 64, BLOCKS = (HEFT_HAMMING_TILE + BLOCK - 1) / BLOCK };

typedef struct bits { /* one block */
    __m512i agree[2]; /* lane k: agreement on byte k, of the first and the last eight */
    __m512i level;    /* byte r: on how many bytes row r agrees; 255 when there is no such row */
} bits;

/* Orders of bytes: the low and the high bytes of 64 words of 16 bits, an 8 x 8 table of bytes
 * turned, and every eight bytes backwards. */
#define EIGHT(of, k)                                                                               \
    of(k), of(k + 1), of(k + 2), of(k + 3), of(k + 4), of(k + 5), of(k + 6), of(k + 7)
#define ALL(of)                                                                                    \
    {                                                                                              \
        EIGHT(of, 0), EIGHT(of, 8), EIGHT(of, 16), EIGHT(of, 24), EIGHT(of, 32), EIGHT(of, 40),    \
            EIGHT(of, 48), EIGHT(of, 56)                                                           \
    }
#define LOW(k)  (2 * (k))
#define HIGH(k) (2 * (k) + 1)
#define TURN(k) ((k) % 8 * 8 + (k) / 8)
#define BACK(k) ((k) % 16 / 8 * 8 + 7 - (k) % 8)
static const uint8_t LOWS[64] = ALL(LOW), HIGHS[64] = ALL(HIGH), TURNS[64] = ALL(TURN),
                     BACKS[64] = ALL(BACK);

typedef struct orders {
    __m512i low, high, turn, back;
} orders;

/* 64 bytes, bit k of byte r, to 8 words, bit r of word k; within eight bits r runs backwards. */
FAST static inline __m512i turn_bits(__m512i bytes, const orders *o)
{
    const __m512i unit = _mm512_set1_epi64((long long)0x8040201008040201ULL);
    return _mm512_permutexvar_epi8(o->turn, _mm512_gf2p8affine_epi64_epi8(unit, bytes, 0));
}

/* equal[4 k..4 k + 3], 16 bits each, say where rows 4 k to 4 k + 3 agree. */
FAST static inline void compare(const uint8_t *rows, __m512i query, uint64_t *equal)
{
    for (size_t k = 0; k < BLOCK / 4; k++)
        equal[k] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(rows + 4 * ROW * k), query);
}

/* Arranges these bits by byte of the row; only the first n rows of the block exist. */
FAST static inline bits arrange(const uint64_t *equal, size_t n, const orders *o)
{
    const __m512i   a = _mm512_loadu_si512(equal), b = _mm512_loadu_si512(equal + 8);
    const __m512i   low = _mm512_permutex2var_epi8(a, o->low, b);
    const __m512i   high = _mm512_permutex2var_epi8(a, o->high, b);
    const __m512i   level = _mm512_add_epi8(_mm512_popcnt_epi8(low), _mm512_popcnt_epi8(high));
    const __mmask64 there = n < BLOCK ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    return (bits){
        {turn_bits(low, o), turn_bits(high, o)},
        _mm512_shuffle_epi8(_mm512_mask_mov_epi8(_mm512_set1_epi8(-1), there, level), o->back)};
}

/* The largest level of a row of the blocks. */
FAST static unsigned highest(const bits *block, size_t n_blocks)
{
    const __m512i none = _mm512_set1_epi8(-1);
    __m512i       most = _mm512_setzero_si512();
    unsigned      a = ROW;
    for (size_t b = 0; b < n_blocks; b++) {
        const __mmask64 there = _mm512_cmpneq_epi8_mask(block[b].level, none);
        most = _mm512_mask_max_epu8(most, there, most, block[b].level);
    }
    while (a > 0 && !_mm512_cmpeq_epi8_mask(most, _mm512_set1_epi8((char)a))) a--;
    return a;
}

FAST static void count_level(const bits *block, size_t n_blocks, unsigned a, uint32_t *wide,
                             uint64_t *sum)
{
    const __m512i wanted = _mm512_set1_epi8((char)a);
    __m512i       low = _mm512_setzero_si512(), high = low;
    uint64_t      rows = 0;
    for (size_t b = 0; b < n_blocks; b++) {
        const uint64_t at = _mm512_cmpeq_epi8_mask(block[b].level, wanted);
        const __m512i  level = _mm512_set1_epi64((long long)at);
        rows += (uint64_t)__builtin_popcountll(at);
        low =
            _mm512_add_epi64(low, _mm512_popcnt_epi64(_mm512_and_si512(level, block[b].agree[0])));
        high =
            _mm512_add_epi64(high, _mm512_popcnt_epi64(_mm512_and_si512(level, block[b].agree[1])));
    }
    __m256i *const out = (__m256i *)(void *)(wide + ROW * a);
    _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), _mm512_cvtepi64_epi32(low)));
    _mm256_storeu_si256(out + 1,
                        _mm256_add_epi32(_mm256_loadu_si256(out + 1), _mm512_cvtepi64_epi32(high)));
    sum[a] += a * rows;
}

FAST void heft_hamming_512(const uint8_t *rows, size_t n, const uint8_t *query, uint32_t *wide,
                           uint64_t *sum)
{
    const __m512i q = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)query));
    const orders  o = {_mm512_loadu_si512(LOWS), _mm512_loadu_si512(HIGHS),
                       _mm512_loadu_si512(TURNS), _mm512_loadu_si512(BACKS)};
    const size_t  n_blocks = (n + BLOCK - 1) / BLOCK;
    uint64_t      equal[BLOCKS * BLOCK / 4];
    bits          block[BLOCKS];
    /* Two passes, because what was just stored in parts cannot be loaded as a whole at once. */
    for (size_t b = 0; b < n_blocks; b++) compare(rows + b * BLOCK * ROW, q, equal + b * BLOCK / 4);
    for (size_t b = 0; b < n_blocks; b++)
        block[b] = arrange(equal + b * BLOCK / 4, n - b * BLOCK, &o);
    for (unsigned a = highest(block, n_blocks); a > 0; a--)
        count_level(block, n_blocks, a, wide, sum);
}

bool heft_hamming_has_512(size_t stride)
{
    return stride == ROW && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("gfni");
}

#endif
