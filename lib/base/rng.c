/* rng.c - xoshiro256** seeded by splitmix64 (Blackman and Vigna). */
#include "base/rng.h"

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void heft_rng_init(heft_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t x = seed;
    x = splitmix(&x) ^ (stream * 0xd1342543de82ef95u);
    for (int k = 0; k < 4; k++) rng->s[k] = splitmix(&x);
}

uint64_t heft_rng_next(heft_rng *rng)
{
    uint64_t      *s = rng->s;
    const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t heft_rng_below(heft_rng *rng, uint64_t n)
{
    const uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* reject the uneven rest */
    uint64_t       x;
    do x = heft_rng_next(rng);
    while (x >= limit);
    return x % n;
}

double heft_rng_real(heft_rng *rng)
{
    return (double)(heft_rng_next(rng) >> 11) * 0x1p-53;
}

void heft_rng_shuffle(heft_rng *rng, size_t *v, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)heft_rng_below(rng, i), t = v[i - 1];
        v[i - 1] = v[k];
        v[k] = t;
    }
}
