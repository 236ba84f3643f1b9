/* lazy_cpu.c - CPU time of fitting and predicting through heft.h, one thread, the best of several
 * runs.
 *
 *     cc -O2 -Iinclude -Ibuild/include bench/lazy_cpu.c -Lbuild/lib -lheft -o lazy_cpu
 *     lazy_cpu fold RUNS METHOD[:PARAM] TRAIN TEST [TRAIN TEST]...
 *         seconds of fit and predict, and the number of rows
 *     lazy_cpu grid METHOD[:PARAM]
 *         queries per second by rows and attributes, on generated data
 *
 * With -DAVX2_ALONE -Ilib, and linked with libheft.a, it leaves out AVX-512. */
#include <heft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef AVX2_ALONE
#include "base/wide.h"
#define LIMIT() heft_simd_allow(HEFT_SIMD_AVX2)
#else
#define LIMIT() (void)0
#endif

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static heft_error         err;
static const heft_runtime one_thread = {.threads = 1};

static void must(heft_status status)
{
    if (status == HEFT_OK) return;
    fprintf(stderr, "lazy_cpu: %s\n", err.text);
    exit(1);
}

static double fit_seconds, ask_seconds;

static void run(const char *method, const char *param, const heft_table *train,
                const heft_table *test)
{
    const char  *params[] = {param, NULL};
    heft_config  config = {.method = method, .params = params, .run = &one_thread};
    heft_model  *model;
    const double begun = cpu();
    must(heft_fit(train, &config, &model, &err));
    const double fitted = cpu();
    double      *proba = malloc(heft_table_rows(test) * heft_model_classes(model) * sizeof *proba);
    must(heft_predict_scores(model, test, HEFT_PROBABILITY, &one_thread, proba, &err));
    ask_seconds += cpu() - fitted;
    fit_seconds += fitted - begun;
    free(proba);
    heft_model_free(model);
}

static heft_table *table_of(const char *path)
{
    heft_table *table;
    must(heft_read(path, &(heft_source){.run = &one_thread}, &table, &err));
    return table;
}

static void folds(int argc, char **argv, const char *method, const char *param)
{
    const int    n = (argc - 4) / 2;
    heft_table **table = calloc((size_t)argc, sizeof *table);
    double       fit = 1e9, ask = 1e9;
    size_t       rows = 0;
    for (int k = 0; k < 2 * n; k++) table[k] = table_of(argv[4 + k]);
    for (int k = 0; k < n; k++) rows += heft_table_rows(table[2 * k + 1]);
    for (int r = 0; r < atoi(argv[2]); r++) {
        fit_seconds = ask_seconds = 0;
        for (int k = 0; k < n; k++) run(method, param, table[2 * k], table[2 * k + 1]);
        if (fit_seconds < fit) fit = fit_seconds;
        if (ask_seconds < ask) ask = ask_seconds;
    }
    for (int k = 0; k < 2 * n; k++) heft_table_free(table[k]);
    free(table);
    printf("%.6f %.6f %zu\n", fit, ask, rows);
}

/* n rows of m attributes of 10 values, 8 classes; every attribute leans towards the class. */
static heft_table *made_up(size_t n, size_t m, uint64_t seed)
{
    static const char *const values[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    heft_table              *table;
    int32_t                 *y = malloc(n * sizeof *y), *codes = malloc(n * sizeof *codes);
    uint64_t                 s = 88172645463325252u + seed;
    must(heft_table_create(n, &table, &err));
    for (size_t i = 0; i < n; i++) {
        s ^= s >> 12, s ^= s << 25, s ^= s >> 27;
        y[i] = (int32_t)(s * 2685821657736338717u >> 61);
    }
    for (size_t j = 0; j < m; j++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", j);
        for (size_t i = 0; i < n; i++) {
            s ^= s >> 12, s ^= s << 25, s ^= s >> 27;
            const uint64_t x = s * 2685821657736338717u;
            codes[i] = x >> 62 ? (int32_t)((x >> 20) % 10) : (y[i] + (int32_t)j) % 10;
        }
        must(heft_table_add_codes(table, name, codes, 1, values, 10, &err));
    }
    must(heft_table_set_target(table, "class", y, values, 8, &err));
    free(y), free(codes);
    return table;
}

static void grid(const char *method, const char *param)
{
    static const size_t rows[] = {1000, 10000, 100000, 1000000}, attrs[] = {8, 16, 32, 64, 128};
    printf("rows      ");
    for (size_t a = 0; a < 5; a++) printf("%8zu", attrs[a]);
    printf("\n");
    for (size_t k = 0; k < 4; k++) {
        printf("%-10zu", rows[k]);
        for (size_t a = 0; a < 5; a++) {
            const size_t asked = 2000000 / rows[k] < 16 ? 16 : 2000000 / rows[k];
            heft_table  *train = made_up(rows[k], attrs[a], 1), *test = made_up(asked, attrs[a], 2);
            double       best = 1e9;
            for (int r = 0; r < 3; r++) {
                ask_seconds = 0;
                run(method, param, train, test);
                if (ask_seconds < best) best = ask_seconds;
            }
            printf("%8.0f", (double)asked / best);
            fflush(stdout);
            heft_table_free(train), heft_table_free(test);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    char method[64] = "", *param = NULL;
    if (argc < 3) return 2;
    LIMIT();
    const bool of_folds = strcmp(argv[1], "fold") == 0 && argc > 5;
    snprintf(method, sizeof method, "%s", argv[of_folds ? 3 : 2]);
    if ((param = strchr(method, ':'))) *param++ = 0;
    if (of_folds) folds(argc, argv, method, param);
    else grid(method, param);
    return 0;
}
