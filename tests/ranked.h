/* ranked.h - rows that are spread over ranks, and fits of them, for ranks_test.c and
 * ranks_whole_test.c. */
#ifndef RANKED_H
#define RANKED_H

#include "fixture.h"

#include "base/comm.h"
#include "data/table.h"
#include "model/method.h"
#include "model/model.h"
#include "ranks.h"

enum { ROWS = 2500, CLASSES = 4, NUMBERS = 4, WORDS = 3, VALUES = 5 };

static const char *const class_names[CLASSES] = {"acc", "good", "unacc", "vgood"};
static const char *const words[VALUES] = {"big", "high", "low", "med", "small"};

/* ---- rows ---- */

typedef struct cells { /* a table to be taken apart */
    double  x[NUMBERS][ROWS], weight[ROWS];
    int32_t word[WORDS][ROWS], y[ROWS];
} cells;

static inline void fill_cells(cells *t, bool numbers_missing)
{
    heft_rng rng;
    heft_rng_init(&rng, 11, 0);
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t u = heft_rng_below(&rng, 10);
        const int      c = u < 4 ? 0 : u < 7 ? 1 : u < 9 ? 2 : 3;
        t->y[i] = c;
        t->x[0][i] = c + 2 * heft_rng_real(&rng);                     /* all distinct */
        t->x[1][i] = (double)heft_rng_below(&rng, 12) + (c == 2) * 3; /* few values */
        t->x[2][i] = floor(100 * (heft_rng_real(&rng) + 0.2 * c)) / 10;
        t->x[3][i] = 7; /* constant */
        if (numbers_missing && i % 23 == 5) t->x[2][i] = (double)NAN;
        for (size_t j = 0; j < WORDS; j++)
            t->word[j][i] = (int32_t)(heft_rng_below(&rng, 3) ? ((size_t)c + j) % VALUES
                                                              : heft_rng_below(&rng, VALUES));
        if (i < ROWS / 3 && t->word[0][i] == 1) t->word[0][i] = 2; /* "high" comes late */
        if (numbers_missing && i % 31 == 7) t->word[1][i] = -1;
        t->weight[i] = 0.75 + 0.5 * (double)(i % 3);
    }
}

/* Codes lo..hi-1 with a dictionary of the values that occur there alone. */
static inline void add_words(heft_table *table, const char *name, const int32_t *code, size_t lo,
                             size_t hi)
{
    const char *own[VALUES];
    int32_t     map[VALUES], *mine = calloc(hi - lo + 1, sizeof *mine);
    size_t      n = 0;
    for (int32_t v = 0; v < VALUES; v++) {
        bool there = false;
        for (size_t i = lo; i < hi; i++) there = there || code[i] == v;
        map[v] = (int32_t)n;
        if (there) own[n++] = words[v];
    }
    for (size_t i = lo; i < hi; i++) mine[i - lo] = code[i] < 0 ? -1 : map[code[i]];
    assert_int_equal(heft_table_add_codes(table, name, mine, 1, own, n, NULL), HEFT_OK);
    free(mine);
}

static inline heft_table *rows_between(const cells *t, size_t lo, size_t hi, bool weights)
{
    heft_table *table;
    char        name[8];
    assert_int_equal(heft_table_create(hi - lo, &table, NULL), HEFT_OK);
    for (size_t j = 0; j < NUMBERS; j++) {
        snprintf(name, sizeof name, "x%zu", j);
        assert_int_equal(heft_table_add_numbers(table, name, t->x[j] + lo, 1, NULL), HEFT_OK);
    }
    for (size_t j = 0; j < WORDS; j++) {
        snprintf(name, sizeof name, "w%zu", j);
        add_words(table, name, t->word[j], lo, hi);
    }
    assert_int_equal(heft_table_set_target(table, "class", t->y + lo, class_names, CLASSES, NULL),
                     HEFT_OK);
    if (weights) assert_int_equal(heft_table_set_weights(table, t->weight + lo, NULL), HEFT_OK);
    return table;
}

/* ---- fits ---- */

typedef struct fits { /* one rank's part and what came of it */
    heft_table *part[MOST_RANKS];
    heft_config config;
    size_t      memory; /* the limit, or 0 */
    heft_model *model[MOST_RANKS];
    heft_status status[MOST_RANKS];
    heft_error  err[MOST_RANKS];

    const heft_table *whole; /* to be predicted by models that are spread out */
    double           *proba[MOST_RANKS];
} fits;

static inline void fit_rank(const heft_comm *comm, void *arg)
{
    fits       *f = arg;
    const int   r = comm->rank;
    heft_config config = f->config;
    config.run = RUN(.threads = 1, .comm = comm, .memory = f->memory);
    f->status[r] = heft_fit(f->part[r], &config, &f->model[r], &f->err[r]);
    if (f->status[r] != HEFT_OK || !f->whole || !heft_model_is_spread(f->model[r])) return;
    f->proba[r] = calloc((size_t)ROWS * CLASSES, sizeof(double));
    f->status[r] = heft_predict_proba(f->model[r], f->whole, f->proba[r], &f->err[r]);
    if (f->status[r] == HEFT_OK) f->status[r] = heft_model_gather(f->model[r], &f->err[r]);
}

/* Uneven parts; of four the third is empty. */
static inline void take_apart(const cells *t, int size, bool weights, fits *f)
{
    static const size_t ends[5][5] = {
        {0}, {0, ROWS}, {0, 700, ROWS}, {0, 900, 1000, ROWS}, {0, 801, 1600, 1600, ROWS}};
    for (int r = 0; r < size; r++)
        f->part[r] = rows_between(t, ends[size][r], ends[size][r + 1], weights);
}

static inline void clear_fits(fits *f, int size)
{
    for (int r = 0; r < size; r++) {
        heft_table_free(f->part[r]);
        heft_model_free(f->model[r]);
        free(f->proba[r]);
    }
}

enum { WIDE = 30, ENTRIES = 4 };

static inline heft_table *sparse_between(size_t lo, size_t hi)
{
    static size_t   start[ROWS + 1];
    static uint32_t col[ROWS * ENTRIES];
    static double   val[ROWS * ENTRIES];
    static int32_t  y[ROWS];
    heft_rng        rng;
    heft_table     *table;
    size_t          at = 0;
    heft_rng_init(&rng, 9, 0);
    for (size_t i = 0; i < hi; i++) {
        const int32_t c = (int32_t)heft_rng_below(&rng, 2);
        if (i >= lo) start[i - lo] = at, y[i - lo] = c;
        for (uint32_t k = 0; k < ENTRIES; k++) {
            const uint32_t block = WIDE / ENTRIES;
            const uint32_t j = k * block + (uint32_t)heft_rng_below(&rng, block - (c == 0));
            const double   x = (double)(1 + heft_rng_below(&rng, 3 + (uint64_t)c));
            if (i < lo) continue;
            col[at] = j;
            val[at++] = x;
        }
    }
    start[hi - lo] = at;
    assert_int_equal(heft_table_create(hi - lo, &table, NULL), HEFT_OK);
    assert_int_equal(heft_table_add_sparse(table, WIDE, start, col, val, NULL, NULL), HEFT_OK);
    assert_int_equal(heft_table_set_target(table, "class", y, class_names, 2, NULL), HEFT_OK);
    return table;
}

#endif
