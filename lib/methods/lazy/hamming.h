/* hamming.h - comparing rows of bytes with a query.
 *
 * Three implementations with the same results: eight bytes per machine word in portable C, AVX2
 * and, for one of the functions, AVX-512, where the processor has them (found at run time).
 *
 * A row is `stride` bytes, rows lie end to end, and HEFT_HAMMING_PAD bytes after the last may be
 * read. A query is padded to a multiple of 64 bytes with HEFT_NO_BYTE, which no row holds: what is
 * read beyond a row never agrees. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEFT_NO_BYTE = 255,
    HEFT_HAMMING_PAD = 1024,
    HEFT_HAMMING_NARROW = 64, /* the widest row heft_hamming_levels takes */
    HEFT_HAMMING_TABLES = 8,  /* tables of bytes it fills in turn at most */
    HEFT_HAMMING_TILE = 1020, /* rows in one call of it at most */
    HEFT_HAMMING_TURNED = 16 * 1024
};

/* Counters of one line of a level table: stride rounded up to 16, 32, or a multiple of 64. */
size_t heft_hamming_width(size_t stride);

/* distance[r] = bytes on which row r differs from the query; stride <= 65535. */
void heft_hamming_distance(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                           uint16_t *distance);

/* turned[HEFT_HAMMING_TURNED] = the rows in another order, for heft_hamming_levels. */
void heft_hamming_turn(const uint8_t *rows, size_t stride, size_t n, uint8_t *turned);

/* Line a of `wide` (stride + 1 lines of width counters) gets, for each byte, how many of the rows
 * that agree with the query on a bytes in all agree on this one, and sum[a] the sum of the line,
 * both added. heft_hamming_turn has made `turned` of the same rows. `narrow` is scratch of
 * HEFT_HAMMING_TABLES x (width + 1) x width bytes, zero before and after. */
void heft_hamming_levels(const uint8_t *rows, size_t stride, size_t n, const uint8_t *query,
                         const uint8_t *turned, uint8_t *narrow, uint32_t *wide, uint64_t *sum);

/* count[k] += how many of the listed rows agree with the query on byte k; width counters. */
void heft_hamming_count(const uint8_t *rows, size_t stride, const uint32_t *list, size_t n,
                        const uint8_t *query, uint32_t *count);

/* sum[k] += weight * count[k], k < n; counts below 2^31. */
void heft_hamming_add(double weight, const uint32_t *count, size_t n, double *sum);

/* sum[k] = the sum over l < n_lines of weight[l] * last[k - l * width], k < n <= width, as
 * heft_hamming_add adds them; width is a multiple of 16. */
void heft_hamming_weigh(const double *weight, size_t n_lines, const uint32_t *last, size_t width,
                        size_t n, double *sum);

/* hamming512.c, on x86: heft_hamming_levels by AVX-512, for rows of 16 bytes; and whether it can.
 */
bool heft_hamming_has_512(size_t stride);
void heft_hamming_512(const uint8_t *rows, size_t n, const uint8_t *query, uint32_t *wide,
                      uint64_t *sum);
