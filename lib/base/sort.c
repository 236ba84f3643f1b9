/* sort.c - radix sort of (key, row) pairs, least significant digit first. */
#include "base/sort.h"

#include <string.h>

#include "base/rows.h"
#include "base/spill.h"

enum {
    SMALL = 48, /* up to this many elements are sorted by insertion */
    MANY = 4096 /* from this many elements on, longer digits save time */
};

typedef struct part { /* bits of a key: `passes` digits of `bits` each, from bit `low` on */
    int    low, bits, passes;
    size_t digits; /* 1 << bits */
} part;

static inline size_t digit_of(uint64_t key, const part *p, int pass)
{
    return (size_t)(key >> (p->low + pass * p->bits)) & (p->digits - 1);
}

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

static void insert_all(heft_ranked *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const heft_ranked x = v[i];
        size_t            k = i;
        for (; k > 0 && v[k - 1].key > x.key; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

static void sort_by(heft_ranked *v, heft_ranked *spare, size_t n, const part *by)
{
    size_t count[3 << 11];
    memset(count, 0, (size_t)by->passes * by->digits * sizeof *count);
    HEFT_ROW_BLOCKS (lo, hi, n)
        for (size_t i = lo; i < hi; i++)
            for (int p = 0; p < by->passes; p++)
                count[(size_t)p * by->digits + digit_of(v[i].key, by, p)]++;
    heft_ranked *from = v, *to = spare;
    for (int p = 0; p < by->passes; p++) {
        size_t *at = count + (size_t)p * by->digits, place = 0;
        if (at[digit_of(v[0].key, by, p)] == n) continue; /* all keys have the same digit */
        for (size_t d = 0; d < by->digits; d++) {
            const size_t here = at[d];
            at[d] = place;
            place += here;
        }
        HEFT_ROW_BLOCKS (lo, hi, n)
            for (size_t i = lo; i < hi; i++) to[at[digit_of(from[i].key, by, p)]++] = from[i];
        heft_ranked *t = from;
        from = to;
        to = t;
    }
    if (from == v) return;
    HEFT_ROW_BLOCKS (lo, hi, n) memcpy(v + lo, from + lo, (hi - lo) * sizeof *v);
}

/* Sorts by the high half of the keys first, which usually decides; runs of keys that are equal in
 * it are then sorted by the low half. */
void heft_order_sort(heft_ranked *v, heft_ranked *spare, size_t n)
{
    static const part few[] = {{32, 8, 4, 256}, {0, 8, 4, 256}},
                      many[] = {{31, 11, 3, 2048}, {0, 11, 3, 2048}};
    if (n <= SMALL) {
        insert_all(v, n);
        return;
    }
    /* in scratch memory a place for each of many digits is a page for each */
    const size_t least = heft_spill_current() ? SIZE_MAX : MANY;
    const part  *high = n < least ? &few[0] : &many[0];
    sort_by(v, spare, n, high);
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        uint64_t differ = 0;
        for (hi = lo + 1; hi < n && heft_row_step(hi) && (v[hi].key ^ v[lo].key) >> high->low == 0;
             hi++)
            differ |= v[hi].key ^ v[lo].key;
        if (differ == 0) continue;
        if (hi - lo <= SMALL) insert_all(v + lo, hi - lo);
        else sort_by(v + lo, spare + lo, hi - lo, hi - lo < least ? &few[1] : &many[1]);
    }
}

void heft_order_falling(const double *value, size_t n, heft_ranked *order, heft_ranked *spare)
{
    for (size_t k = 0; k < n; k++) order[k] = (heft_ranked){~heft_order_key(value[k]), k};
    heft_order_sort(order, spare, n);
}
