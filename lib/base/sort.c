/* sort.c - least-significant-byte radix sort of (key, row) pairs. */
#include "base/sort.h"

#include <string.h>

#include "base/rows.h"

enum { SMALL = 48, DIGITS = 256, PASSES = 8 };

uint64_t heft_order_key(double x)
{
    uint64_t     bits;
    const double plain = x + 0.0; /* -0 becomes 0 */
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

double heft_order_value(uint64_t key)
{
    double         x;
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void heft_order_sort(heft_ranked *v, heft_ranked *spare, size_t n)
{
    if (n <= SMALL) {
        for (size_t i = 1; i < n; i++) {
            const heft_ranked x = v[i];
            size_t            k = i;
            for (; k > 0 && v[k - 1].key > x.key; k--) v[k] = v[k - 1];
            v[k] = x;
        }
        return;
    }
    size_t count[PASSES][DIGITS];
    memset(count, 0, sizeof count);
    HEFT_ROW_BLOCKS (lo, hi, n)
        for (size_t i = lo; i < hi; i++)
            for (int p = 0; p < PASSES; p++) count[p][v[i].key >> (8 * p) & 0xff]++;
    heft_ranked *from = v, *to = spare;
    for (int p = 0; p < PASSES; p++) {
        if (count[p][v[0].key >> (8 * p) & 0xff] == n) continue; /* all alike in this byte */
        size_t place = 0;
        for (int d = 0; d < DIGITS; d++) {
            const size_t here = count[p][d];
            count[p][d] = place;
            place += here;
        }
        HEFT_ROW_BLOCKS (lo, hi, n)
            for (size_t i = lo; i < hi; i++)
                to[count[p][from[i].key >> (8 * p) & 0xff]++] = from[i];
        heft_ranked *t = from;
        from = to;
        to = t;
    }
    if (from == v) return;
    HEFT_ROW_BLOCKS (lo, hi, n) memcpy(v + lo, from + lo, (hi - lo) * sizeof *v);
}

void heft_order_falling(const double *value, size_t n, heft_ranked *order, heft_ranked *spare)
{
    for (size_t k = 0; k < n; k++) order[k] = (heft_ranked){~heft_order_key(value[k]), k};
    heft_order_sort(order, spare, n);
}
