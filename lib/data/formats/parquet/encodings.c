/* encodings.c - runs of repeated and packed values, and packed differences. */
#include "data/formats/parquet/encodings.h"

#include <string.h>

#include "data/batch.h"

static inline uint64_t load8(const uint8_t *p)
{
    return heft_load8((const char *)p);
}

/* ---- runs ---- */

/* Unpacks 8 values of a width that the compiler knows. */
static inline __attribute__((always_inline)) void unpack_group(const uint8_t *p, uint32_t *out,
                                                               const unsigned width)
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned bit = i * width;
        out[i] = (uint32_t)((load8(p + bit / 8) >> (bit % 8)) & mask);
    }
}

static void unpack_groups(const uint8_t *p, uint32_t *out, size_t n, unsigned width)
{
    /* clang-format off */
#define UNPACK(w)                                                                                  \
    case w:                                                                                        \
        for (size_t g = 0; g < n; g++) unpack_group(p + g * (w), out + 8 * g, w);                  \
        break;
    switch (width) {
    UNPACK(1) UNPACK(2) UNPACK(3) UNPACK(4) UNPACK(5) UNPACK(6) UNPACK(7) UNPACK(8) UNPACK(9)
    UNPACK(10) UNPACK(11) UNPACK(12) UNPACK(13) UNPACK(14) UNPACK(15) UNPACK(16) UNPACK(17)
    UNPACK(18) UNPACK(19) UNPACK(20)
    default:
        for (size_t g = 0; g < n; g++) unpack_group(p + g * width, out + 8 * g, width);
    }
    /* clang-format on */
#undef UNPACK
}

heft_runs heft_runs_of(const uint8_t *at, const uint8_t *end, unsigned width)
{
    return (heft_runs){.at = at, .end = end, .width = width, .n_taken = 8};
}

/* Begins the next run. False: there is none, or it is broken; then it has no values. */
static bool next_run(heft_runs *r)
{
    const size_t bytes = (r->width + 7) / 8;
    uint64_t     head;
    if (!heft_take_varint(&r->at, r->end, &head)) return false;
    const size_t left = (size_t)(r->end - r->at);
    if (head & 1) {
        const uint64_t groups = head >> 1;
        if (r->width == 0) {
            r->same = 0;
            r->n_same = groups < SIZE_MAX / 8 ? 8 * (size_t)groups : 0;
            return true;
        }
        r->n_groups = groups < left / r->width ? (size_t)groups : left / r->width;
        return r->n_groups > 0 || groups == 0;
    }
    if (left < bytes) return false;
    r->same = 0;
    for (size_t k = 0; k < bytes; k++) r->same |= (uint32_t)r->at[k] << (8 * k);
    r->at += bytes;
    if (r->width < 32 && r->same >> r->width) return false;
    r->n_same = (size_t)(head >> 1);
    return true;
}

/* Takes the spare values of the last group, up to n. */
static size_t take_spare(heft_runs *r, uint32_t *out, size_t n)
{
    const size_t k = 8 - r->n_taken < n ? 8 - r->n_taken : n;
    memcpy(out, r->spare + r->n_taken, k * sizeof *out);
    r->n_taken += (unsigned)k;
    return k;
}

bool heft_runs_take(heft_runs *r, uint32_t *out, size_t n)
{
    while (n > 0) {
        size_t k;
        if (r->n_taken < 8) {
            k = take_spare(r, out, n);
        } else if (r->n_same > 0) {
            k = r->n_same < n ? r->n_same : n;
            for (size_t i = 0; i < k; i++) out[i] = r->same;
            r->n_same -= k;
        } else if (r->n_groups > 0) {
            size_t groups = n / 8 < r->n_groups ? n / 8 : r->n_groups;
            k = 8 * groups;
            if (groups > 0) unpack_groups(r->at, out, groups, r->width);
            else unpack_groups(r->at, r->spare, groups = 1, r->width), r->n_taken = 0;
            r->at += groups * r->width;
            r->n_groups -= groups;
        } else {
            k = 0;
            if (!next_run(r)) return false;
        }
        out += k;
        n -= k;
    }
    return true;
}

size_t heft_runs_skip(heft_runs *r, uint32_t value, size_t n)
{
    while (r->n_taken == 8 && r->n_same == 0 && r->n_groups == 0)
        if (!next_run(r)) return 0;
    if (r->n_taken < 8 || r->n_same == 0 || r->same != value) return 0;
    const size_t k = r->n_same < n ? r->n_same : n;
    r->n_same -= k;
    return k;
}

/* ---- differences ---- */

/* Returns value i of a run of packed values of up to 64 bits. */
static uint64_t packed_at(const uint8_t *p, size_t i, unsigned width)
{
    const size_t   bit = i * width;
    const unsigned shift = (unsigned)(bit % 8);
    uint64_t       word = load8(p + bit / 8) >> shift;
    if (shift + width > 64) word |= (uint64_t)p[bit / 8 + 8] << (64 - shift);
    return width == 64 ? word : word & (((uint64_t)1 << width) - 1);
}

/* Takes up to n values, each the one before plus a difference plus `least`; *last is the one
 * before.
 */
static bool take_part(const uint8_t **at, const uint8_t *end, unsigned width, size_t part, size_t n,
                      uint64_t least, uint64_t *last, int64_t *out)
{
    const size_t left = (size_t)(end - *at), k = part < n ? part : n;
    if (width > 64 || (k * width + 7) / 8 > left) return false;
    for (size_t i = 0; i < k; i++) {
        *last += least + (width ? packed_at(*at, i, width) : 0);
        out[i] = (int64_t)*last;
    }
    *at += part * width / 8 < left ? part * width / 8 : left; /* the last one may be cut short */
    return true;
}

bool heft_deltas_take(const uint8_t **at, const uint8_t *end, int64_t *out, size_t most, size_t *n)
{
    const uint64_t longest = 1 << 20;
    uint64_t       block, parts, count, first, least;
    *n = 0;
    if (!heft_take_varint(at, end, &block) || !heft_take_varint(at, end, &parts)) return false;
    if (!heft_take_varint(at, end, &count) || !heft_take_varint(at, end, &first)) return false;
    if (block == 0 || block > longest || parts == 0 || parts > block || block % parts != 0 ||
        block / parts % 8 != 0 || count > most)
        return false;
    if (count == 0) return true;
    const size_t part = (size_t)(block / parts);
    uint64_t     last = (uint64_t)heft_unzigzag(first);
    size_t       done = 0;
    out[done++] = (int64_t)last;
    while (done < count) {
        if (!heft_take_varint(at, end, &least) || (size_t)(end - *at) < parts) return false;
        const uint8_t *widths = *at;
        *at += parts;
        for (uint64_t k = 0; k < parts && done < count; k++) {
            const size_t left = (size_t)count - done;
            if (!take_part(at, end, widths[k], part, left, (uint64_t)heft_unzigzag(least), &last,
                           out + done))
                return false;
            done += part < left ? part : left;
        }
    }
    *n = done;
    return true;
}
