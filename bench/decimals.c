/* decimals.c - heft's reading of numbers against strtod, on random and hard numbers.
 *
 *     cc -O2 -Ilib -Iinclude -Ibuild/include -Itests bench/decimals.c build/lib/libheft.a \
 *         -o decimals -lm -ljansson -lz -lzstd -lpthread
 *     ./decimals 100000000 1          # how many, and the seed
 *
 * Ends with status 1 at the first number that differs. Then prints how long each takes for numbers
 * of 17 digits. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "decimals.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for a million numbers of 17 digits, by heft and by strtod. */
static void measure(heft_rng *rng, double took[2])
{
    enum { N = 1000, TIMES = 1000 };
    static char text[N][32];
    double      x, sum[2] = {0, 0};
    for (int i = 0; i < N; i++)
        snprintf(text[i], sizeof text[i], "%.17g", heft_rng_real(rng) * 1000 - 500);
    for (int by = 0; by < 2; by++) {
        const double before = seconds();
        for (int t = 0; t < TIMES; t++)
            for (int i = 0; i < N; i++) {
                if (by) x = strtod(text[i], NULL);
                else (void)heft_parse_double(text[i], text[i] + strlen(text[i]), &x);
                sum[by] += x;
            }
        took[by] = seconds() - before;
    }
    if (sum[0] != sum[1]) puts("the sums differ");
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 1000000;
    heft_rng   rng;
    double     took[2];
    heft_rng_init(&rng, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 1);
    for (long i = 0; i < n; i++) {
        char              text[DRAWN_DECIMAL];
        double            x = 0;
        const double      y = strtod(draw_decimal(&rng, text), NULL);
        const heft_number what = heft_parse_double(text, text + strlen(text), &x);
        if (what == (isinf(y) ? HEFT_NUM_OVERFLOW : HEFT_NUM_OK) &&
            (what != HEFT_NUM_OK || memcmp(&x, &y, sizeof x) == 0))
            continue;
        printf("%s: heft %a, strtod %a\n", text, x, y);
        return 1;
    }
    measure(&rng, took);
    printf("%ld numbers agree; a million of 17 digits: heft %.3f s, strtod %.3f s\n", n, took[0],
           took[1]);
    return 0;
}
