/* make_table.c - a made-up table for measuring: 10 numeric and 10 nominal columns and a class that
 * depends on half of them; or, sparse, rows of 40 of 20,000 columns as words are in texts, a few of
 * them often and most of them rarely. The same arguments give the same bytes.
 *
 *     cc -O2 bench/make_table.c -o make_table -lm && ./make_table 1000000 > big.csv
 *     ./make_table 1000000 sparse > big.libsvm
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMERIC = 10, NOMINAL = 10, CLASSES = 3, COLUMNS = 20000, ENTRIES = 40 };

static uint64_t state = 88172645463325252u;

static uint64_t next(void) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

static double uniform(void)
{
    return ((double)(next() >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static void put_row(void)
{
    const unsigned c = (unsigned)(next() % CLASSES);
    for (int j = 0; j < NUMERIC; j++) {
        const double shift = j % 2 ? 0 : 0.4 * (double)c;
        printf("%.4f,", (normal() + shift) * (1 + 10 * j));
    }
    for (unsigned j = 0; j < NOMINAL; j++) {
        const unsigned n_values = 3 + 2 * j;
        const bool     tells = j % 2 == 0 && next() % 4 == 0;
        const unsigned v = tells ? c * n_values / CLASSES : (unsigned)(next() % n_values);
        printf("v%u,", v);
    }
    printf("class_%u\n", c);
}

static int by_number(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void put_sparse_row(void)
{
    const unsigned c = (unsigned)(next() % CLASSES);
    unsigned       col[ENTRIES], last = 0;
    for (int k = 0; k < ENTRIES; k++) { /* column j is about as often as 1/j says */
        const double at = pow(COLUMNS, uniform());
        col[k] = (unsigned)at;
        if (col[k] % 10 == 0 && next() % 2) col[k] += c + 1;
    }
    qsort(col, ENTRIES, sizeof *col, by_number);
    printf("%u", c);
    for (int k = 0; k < ENTRIES; k++) {
        if (col[k] != last) printf(" %u:%.2f", col[k], -log(uniform()));
        last = col[k];
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    const long rows = argc > 1 ? atol(argv[1]) : 1000000;
    const bool sparse = argc > 2 && strcmp(argv[2], "sparse") == 0;
    if (rows < 1 || (argc > 2 && !sparse)) {
        fprintf(stderr,
                "usage: make_table ROWS > FILE.csv, make_table ROWS sparse > FILE.libsvm\n");
        return 2;
    }
    for (long i = 0; sparse && i < rows; i++) put_sparse_row();
    if (sparse) return fflush(stdout) == 0 ? 0 : 1;
    for (int j = 0; j < NUMERIC; j++) printf("x%d,", j + 1);
    for (int j = 0; j < NOMINAL; j++) printf("n%d,", j + 1);
    puts("class");
    for (long i = 0; i < rows; i++) put_row();
    return fflush(stdout) == 0 ? 0 : 1;
}
