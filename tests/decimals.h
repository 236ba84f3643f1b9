/* decimals.h - random texts of numbers, among them those that are hard to round. For text_test.c
 * and bench/decimals.c. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"

enum { DRAWN_DECIMAL = 1200 }; /* characters of the longest text */

/* A positive finite double of random bits, or with few of them. */
static inline double draw_double(heft_rng *rng)
{
    double x;
    do {
        uint64_t bits = heft_rng_next(rng) >> 1;
        if (heft_rng_below(rng, 4) == 0) bits &= ~(uint64_t)0 << heft_rng_below(rng, 52);
        if (heft_rng_below(rng, 2)) /* not too far from 1 */
            bits = (bits & 0x000fffffffffffffu) | (1023 - 60 + heft_rng_below(rng, 120)) << 52;
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

/* The middle between two doubles, exact or cut off, and perhaps a little more or less. */
static inline void draw_middle(heft_rng *rng, char *text)
{
    const double      x = draw_double(rng);
    const long double next = nextafter(x, INFINITY);
    const long double middle = (long double)x + (next - (long double)x) / 2;
    /* 64 bits hold the middle of two normal doubles */
    const int digits = heft_rng_below(rng, 3) ? 15 + (int)heft_rng_below(rng, 25) : 770;
    int       n = snprintf(text, DRAWN_DECIMAL, "%.*Le", digits, isinf(next) ? x : middle);
    char     *e = strchr(text, 'e'), tail[16];
    if (heft_rng_below(rng, 2) == 0) return;
    snprintf(tail, sizeof tail, "%s", e);
    if (heft_rng_below(rng, 2)) e[-1] = (char)(e[-1] < '9' ? e[-1] + 1 : '0');
    else *e++ = (char)('0' + heft_rng_below(rng, 10));
    snprintf(e, (size_t)(DRAWN_DECIMAL - n - 1), "%s", tail);
}

static inline const char *draw_decimal(heft_rng *rng, char text[DRAWN_DECIMAL])
{
    const uint64_t kind = heft_rng_below(rng, 8);
    if (kind == 0) {
        draw_middle(rng, text);
        return text;
    }
    if (kind <= 2) {
        snprintf(text, DRAWN_DECIMAL, "%.*g", 1 + (int)heft_rng_below(rng, 20), draw_double(rng));
        return text;
    }
    size_t       at = 0;
    const size_t n = 1 + heft_rng_below(rng, 24), point = heft_rng_below(rng, n + 1);
    if (heft_rng_below(rng, 3) == 0) text[at++] = '-';
    for (size_t k = 0; k < n; k++) {
        if (k == point) text[at++] = '.';
        text[at++] = (char)('0' + heft_rng_below(rng, 10));
    }
    text[at] = 0;
    if (heft_rng_below(rng, 2)) snprintf(text + at, 16, "e%d", (int)heft_rng_below(rng, 720) - 360);
    return text;
}
