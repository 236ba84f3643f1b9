/* rng.h - one seeded generator (xoshiro256**), split by stream: a fold, a block, a repeat. The
 * same seed and stream give the same numbers on every machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct heft_rng {
    uint64_t s[4];
} heft_rng;

void     heft_rng_init(heft_rng *rng, uint64_t seed, uint64_t stream);
uint64_t heft_rng_next(heft_rng *rng);
uint64_t heft_rng_below(heft_rng *rng, uint64_t n); /* uniform in [0, n), n > 0 */
double   heft_rng_real(heft_rng *rng);              /* uniform in [0, 1) */
void     heft_rng_shuffle(heft_rng *rng, size_t *v, size_t n);
