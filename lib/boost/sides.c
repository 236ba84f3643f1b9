/* sides.c - the rows of a leaf go to the two sides of its split, by codes of one byte.
 *
 * With AVX-512 sixteen rows at a time: their codes are gathered, the words of the set that these
 * have are looked up in a register, and the rows of each side are moved together. */
#include "boost/sides.h"

#include "base/wide.h"

HEFT_INLINE size_t part_plainly(uint32_t *rows, size_t from, size_t n, const uint8_t *code,
                                const heft_byte_set *set, uint32_t *other, size_t left)
{
    for (size_t i = from; i < n; i++) {
        const uint32_t row = rows[i], v = code[row];
        rows[left] = other[i - left] = row;
        left += set->word[v / 32] >> v % 32 & 1;
    }
    return left;
}

size_t heft_part_rows_plainly(uint32_t *rows, size_t n, const uint8_t *code,
                              const heft_byte_set *set, uint32_t *other)
{
    return part_plainly(rows, 0, n, code, set, other, 0);
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

__attribute__((target("avx512f,popcnt"))) static size_t part_sixteen(uint32_t *rows, size_t n,
                                                                     const uint8_t       *code,
                                                                     const heft_byte_set *set,
                                                                     uint32_t            *other)
{
    const __m512i words = _mm512_loadu_si512(set->word), one = _mm512_set1_epi32(1);
    const __m512i eight = _mm512_set1_epi32(7);
    size_t        left = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i   row = _mm512_loadu_si512(rows + i);
        const __m512i   v = _mm512_i32gather_epi32(row, code, 1); /* in the lowest byte */
        const __m512i   at = _mm512_and_si512(_mm512_srli_epi32(v, 5), eight);
        const __mmask16 in =
            _mm512_test_epi32_mask(_mm512_permutexvar_epi32(at, words), _mm512_rolv_epi32(one, v));
        _mm512_storeu_si512(rows + left, _mm512_maskz_compress_epi32(in, row));
        _mm512_storeu_si512(other + i - left, _mm512_maskz_compress_epi32((__mmask16)~in, row));
        left += (size_t)__builtin_popcount(in);
    }
    return part_plainly(rows, i, n, code, set, other, left);
}

size_t heft_part_rows(uint32_t *rows, size_t n, const uint8_t *code, const heft_byte_set *set,
                      uint32_t *other)
{
    if (__builtin_cpu_supports("avx512f")) return part_sixteen(rows, n, code, set, other);
    return heft_part_rows_plainly(rows, n, code, set, other);
}

#else

size_t heft_part_rows(uint32_t *rows, size_t n, const uint8_t *code, const heft_byte_set *set,
                      uint32_t *other)
{
    return heft_part_rows_plainly(rows, n, code, set, other);
}

#endif
