/* fuzz_resume.c - the file of results that evaluate goes on from.
 *
 * The first byte says what the rest is: a file as it is, or a change to a good file of these very
 * data (two bytes say where). Held to be true: figures that are figures and a whole file, or a
 * sentence and the file as it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { ROWS = 16, MOST = 1 << 16 };

static char path[64];

static void put(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    fuzz_need(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "no file");
}

static size_t get(char *bytes)
{
    FILE *f = fopen(path, "rb");
    fuzz_need(f != NULL, "the file is gone");
    const size_t n = fread(bytes, 1, MOST - 1, f);
    fclose(f);
    bytes[n] = 0;
    return n;
}

static heft_table *sample(void)
{
    static const char *const values[] = {"p", "q"}, *const classes[] = {"no", "yes"};
    heft_table *t = NULL;
    heft_error  err;
    int32_t     y[ROWS], v[ROWS];
    for (int i = 0; i < ROWS; i++) y[i] = i % 2, v[i] = i / 3 % 2;
    fuzz_need(heft_table_create(ROWS, &t, &err) == HEFT_OK &&
                  heft_table_add_codes(t, "v", v, 1, values, 2, &err) == HEFT_OK &&
                  heft_table_set_target(t, "class", y, classes, 2, &err) == HEFT_OK,
              "no table: %s", err.text);
    return t;
}

static void check_cells(const heft_results *results)
{
    for (size_t m = 0; m < heft_results_methods(results); m++) {
        const heft_cell *cell = heft_results_cell(results, 0, 0, m);
        fuzz_need(cell != NULL, "no cell");
        if (cell->failure) continue;
        fuzz_need(cell->accuracy >= 0 && cell->accuracy <= 1, "accuracy %g", cell->accuracy);
        for (size_t k = 0; k < heft_measure_count(); k++) {
            const heft_measure_info *info = heft_measure_at(k);
            const double             x = cell->measures[k];
            fuzz_need((info->can_be_nan && isnan(x)) ||
                          (isfinite(x) && x >= info->least && x <= info->most),
                      "%s %g", info->name, x);
        }
        for (size_t k = 0; k < cell->n_folds; k++)
            fuzz_need(cell->per_fold[k] >= 0 && cell->per_fold[k] <= 1, "fold %zu", k);
    }
}

static heft_status evaluate(heft_error *err)
{
    heft_results        *results = NULL;
    heft_table          *t = sample();
    const heft_table    *data[] = {t};
    const char          *names[] = {"t"}, *methods[] = {"nb", "gnb", NULL};
    const heft_eval_plan plan = {.methods = methods,
                                 .folds = 2,
                                 .resume = path,
                                 .config = &(heft_config){.run = &(heft_runtime){.threads = 1}}};
    const heft_status    st = heft_evaluate(data, names, 1, &plan, &results, err);
    fuzz_error(st, err);
    if (st == HEFT_OK) check_cells(results);
    for (int k = 0; st == HEFT_OK && k < 6; k++) {
        static const char *const formats[] = {"table", "json", "csv", "markdown", "latex", "html"};
        char                    *text = NULL;
        heft_error               other;
        fuzz_need(heft_results_text(results, formats[k], &text, &other) == HEFT_OK, "%s: %s",
                  formats[k], other.text);
        heft_text_free(text);
    }
    heft_results_free(results);
    heft_table_free(t);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char   good[MOST], before[MOST], after[MOST];
    static size_t n_good;
    heft_error    err;
    if (!path[0]) {
        snprintf(path, sizeof path, "%s/heft-resume-%ld.json",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        put("", 0);
        fuzz_need(evaluate(&err) == HEFT_OK, "no good file: %s", err.text);
        n_good = get(good);
    }
    if (size < 1 || size > MOST / 2) return 0;
    if (data[0] % 2 == 0 || size < 4) {
        put(data + 1, size - 1);
    } else {
        const size_t at = (data[1] | (size_t)data[2] << 8) % n_good, n = size - 3;
        memcpy(before, good, n_good);
        memcpy(before + at, data + 3, n < n_good - at ? n : n_good - at);
        put(before, n_good);
    }
    const size_t      n = get(before);
    const heft_status st = evaluate(&err);
    const size_t      m = get(after);
    if (st == HEFT_OK) fuzz_json(after, "the file that is kept");
    else fuzz_need(n == m && memcmp(before, after, n) == 0, "refused, and changed: %s", err.text);
    unlink(path);
    return 0;
}
