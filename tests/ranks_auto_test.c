/* ranks_auto_test.c - the default method on rows that stay where they are: the model has the bytes
 * of one process, and no rank sees the rows of another. */
#include "fixture.h"

#include <malloc.h> /* malloc_usable_size */

#include "base/comm.h"
#include "learn/folds.h"
#include "methods/auto/auto_plan.h"
#include "model/model.h"
#include "prep/quantiles.h"
#include "ranks.h"
#include "stats/keys.h"

enum { NUMBERS = 12, WORDS = 3, MANY_VALUES = 300, MOST_CLASSES = 3 };

/* ---- memory ---- */

/* What a thread, which is a rank, has on the heap: now and at most (linked with --wrap). */
static _Thread_local ptrdiff_t held, most_held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void  __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void  __wrap_free(void *p);

static void *got(void *p)
{
    if (p) held += (ptrdiff_t)malloc_usable_size(p);
    if (held > most_held) most_held = held;
    return p;
}

void *__wrap_malloc(size_t size)
{
    return got(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return got(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    const size_t before = p ? malloc_usable_size(p) : 0;
    void        *q = __real_realloc(p, size);
    if (q) held -= (ptrdiff_t)before;
    return got(q);
}

void __wrap_free(void *p)
{
    if (p) held -= (ptrdiff_t)malloc_usable_size(p);
    __real_free(p);
}

/* ---- tables ---- */

typedef struct cells { /* a table to be taken apart */
    size_t   n_rows, n_numbers, n_words;
    int      n_class;
    double  *x[NUMBERS], *weight;
    int32_t *word[WORDS], *y;
} cells;

static void clear_cells(cells *t)
{
    for (size_t j = 0; j < NUMBERS; j++) free(t->x[j]);
    for (size_t j = 0; j < WORDS; j++) free(t->word[j]);
    free(t->weight), free(t->y);
}

/* Columns say hardly anything about the class, so that few trees are enough. Numbers: all distinct,
 * with gaps; few values; several hundred values. Words: few with gaps, many, one that is constant
 * on most ranks. The highest class is in the last rows alone. */
static void fill_cells(cells *t, size_t n_rows, int n_class, size_t n_numbers)
{
    heft_rng rng;
    heft_rng_init(&rng, 5, 0);
    *t = (cells){.n_rows = n_rows, .n_class = n_class, .n_numbers = n_numbers, .n_words = 3};
    for (size_t j = 0; j < n_numbers; j++) t->x[j] = calloc(n_rows, sizeof **t->x);
    for (size_t j = 0; j < WORDS; j++) t->word[j] = calloc(n_rows, sizeof **t->word);
    t->weight = calloc(n_rows, sizeof *t->weight);
    t->y = calloc(n_rows, sizeof *t->y);
    for (size_t i = 0; i < n_rows; i++) {
        const bool    late = i > n_rows - n_rows / 5;
        const int32_t c =
            (int32_t)heft_rng_below(&rng, (uint64_t)(n_class - (n_class > 2 && !late)));
        t->y[i] = c;
        for (size_t j = 0; j < n_numbers; j++) {
            const double u = heft_rng_real(&rng);
            t->x[j][i] = j == 0 ? u + 0.05 * (c % 4) : j == 1 ? floor(20 * u) : floor(700 * u) / 8;
            if (j == 0 && i % 17 == 3) t->x[j][i] = (double)NAN;
        }
        t->word[0][i] = i % 23 == 5 ? -1 : (int32_t)heft_rng_below(&rng, 3 + (uint64_t)(i % 2));
        t->word[1][i] = (int32_t)heft_rng_below(&rng, MANY_VALUES);
        t->word[2][i] = late ? (int32_t)heft_rng_below(&rng, 2) : 0;
        t->weight[i] = 0.37 + 0.06 * (double)(i % 11);
    }
}

/* Codes lo..hi-1 with a dictionary of the values that occur there alone. */
static void add_words(heft_table *table, const char *name, const int32_t *code, size_t lo,
                      size_t hi)
{
    static _Thread_local char text[MANY_VALUES][8];
    const char               *own[MANY_VALUES];
    int32_t                   map[MANY_VALUES], *mine = calloc(hi - lo + 1, sizeof *mine);
    bool                      there[MANY_VALUES] = {false};
    size_t                    n = 0;
    for (size_t i = lo; i < hi; i++)
        if (code[i] >= 0) there[code[i]] = true;
    for (int32_t v = 0; v < MANY_VALUES; v++) {
        map[v] = (int32_t)n;
        snprintf(text[v], sizeof text[v], "v%03d", v);
        if (there[v]) own[n++] = text[v];
    }
    for (size_t i = lo; i < hi; i++) mine[i - lo] = code[i] < 0 ? -1 : map[code[i]];
    assert_int_equal(heft_table_add_codes(table, name, mine, 1, own, n, NULL), HEFT_OK);
    free(mine);
}

static heft_table *rows_between(const cells *t, size_t lo, size_t hi, bool weights)
{
    static char  text[MOST_CLASSES][16];
    const char **class_name = calloc(MOST_CLASSES, sizeof *class_name);
    heft_table  *table;
    char         name[24];
    for (int c = 0; c < t->n_class; c++) {
        snprintf(text[c], sizeof text[c], "c%04d", c);
        class_name[c] = text[c];
    }
    assert_int_equal(heft_table_create(hi - lo, &table, NULL), HEFT_OK);
    for (size_t j = 0; j < t->n_numbers; j++) {
        snprintf(name, sizeof name, "x%zu", j);
        assert_int_equal(heft_table_add_numbers(table, name, t->x[j] + lo, 1, NULL), HEFT_OK);
    }
    for (size_t j = 0; j < t->n_words; j++) {
        snprintf(name, sizeof name, "w%zu", j);
        add_words(table, name, t->word[j], lo, hi);
    }
    assert_int_equal(
        heft_table_set_target(table, "class", t->y + lo, class_name, (size_t)t->n_class, NULL),
        HEFT_OK);
    if (weights) assert_int_equal(heft_table_set_weights(table, t->weight + lo, NULL), HEFT_OK);
    free(class_name);
    return table;
}

/* ---- fits ---- */

typedef struct fits {
    heft_table *part[MOST_RANKS];
    heft_config config;
    heft_model *model[MOST_RANKS];
    heft_status status[MOST_RANKS];
    heft_error  err[MOST_RANKS];
    heft_host   host[MOST_RANKS];
    ptrdiff_t   bytes[MOST_RANKS]; /* of memory that the fit took at most */
} fits;

static void fit_rank(const heft_comm *comm, void *arg)
{
    fits       *f = arg;
    const int   r = comm->rank;
    heft_config config = f->config;
    config.run = RUN(.threads = 1, .comm = comm, .host = &f->host[r]);
    held = most_held = 0;
    f->status[r] = heft_fit(f->part[r], &config, &f->model[r], &f->err[r]);
    f->bytes[r] = most_held;
}

/* Uneven parts; of four the third is empty. */
static void take_apart(const cells *t, int size, bool weights, fits *f)
{
    static const double ends[5][5] = {
        {0}, {0, 1}, {0, 0.3, 1}, {0, 0.5, 0.51, 1}, {0, 0.35, 0.7, 0.7, 1}};
    for (int r = 0; r < size; r++)
        f->part[r] = rows_between(t, (size_t)(ends[size][r] * (double)t->n_rows),
                                  (size_t)(ends[size][r + 1] * (double)t->n_rows), weights);
}

static void clear_fits(fits *f, int size)
{
    for (int r = 0; r < size; r++) {
        heft_table_free(f->part[r]);
        heft_model_free(f->model[r]);
    }
}

/* On every rank, of 2 and 4, of 3, or of 4, the model of one process; nothing that one rank shows
 * the others at once takes more than `most` bytes. */
static void check_spread(const cells *t, const heft_config *config, bool weights, int least_size,
                         size_t most)
{
    heft_table *whole = rows_between(t, 0, t->n_rows, weights);
    heft_model *one;
    OK(heft_fit(whole, config, &one, &err));
    for (int size = least_size; size <= 4; size += 2) {
        fits f = {.config = *config};
        take_apart(t, size, weights, &f);
        const ranks all = ranks_watch(size, fit_rank, &f);
        for (int r = 0; r < size; r++) {
            if (f.status[r] != HEFT_OK) fail_msg("%d ranks: %s", size, f.err[r].text);
            assert_false(heft_model_is_spread(f.model[r]));
            same_file(one, f.model[r]);
        }
        if (all.largest > most) fail_msg("%d ranks: %zu bytes at once", size, all.largest);
        clear_fits(&f, size);
    }
    heft_model_free(one);
    heft_table_free(whole);
}

/* What a row is dealt by takes 16 bytes, with a weight 24: the rest is short. */
static size_t key_bytes(const cells *t, bool weights)
{
    return t->n_rows * (weights ? 24 : 16);
}

static void two_classes(void **state)
{
    cells t;
    (void)state;
    fill_cells(&t, 10200, 2, 3);
    check_spread(&t, &(heft_config){.method = NULL}, false, 2, key_bytes(&t, false));
    check_spread(&t, &(heft_config){.class_weight = "balanced"}, false, 3, key_bytes(&t, false));
    check_spread(&t, WITH("order=any"), true, 4, key_bytes(&t, true));
    clear_cells(&t);
}

/* The third class is on the last rank alone. Weights are no whole numbers. */
static void three_classes_and_weights(void **state)
{
    cells                    t;
    static const char *const alone[] = {"order=1", NULL};
    (void)state;
    fill_cells(&t, 15400, 3, 3);
    check_spread(&t, &(heft_config){.method = "auto"}, false, 3, key_bytes(&t, false));
    check_spread(&t, &(heft_config){.params = alone}, true, 4, key_bytes(&t, true));
    clear_cells(&t);
}

/* Two columns of values that decide together: the cells of a rank are not those of another. */
static void pairs_of_values(void **state)
{
    cells t;
    (void)state;
    fill_cells(&t, 10200, 2, 1);
    for (size_t i = 0; i < t.n_rows; i++) {
        t.word[0][i] = (int32_t)(i * 7919 % 10200 * 40 / 10200);
        t.word[1][i] %= 50;
        if (i % 6) t.y[i] = heft_mix((uint64_t)(50 * t.word[0][i] + t.word[1][i])) % 2;
    }
    check_spread(&t, &(heft_config){.method = NULL}, false, 3, 8 * key_bytes(&t, false));
    check_spread(&t, &(heft_config){.method = NULL}, true, 4, 8 * key_bytes(&t, true));
    clear_cells(&t);
}

/* Rows that are the same on all ranks, and whole weights. */
static void repeated_rows(void **state)
{
    cells t;
    (void)state;
    fill_cells(&t, 10200, 2, 0);
    for (size_t i = 0; i < t.n_rows; i++) {
        t.word[1][i] %= 3;
        t.weight[i] = 1 + (double)(i % 3);
    }
    check_spread(&t, &(heft_config){.method = "auto"}, false, 3, 8192);
    check_spread(&t, &(heft_config){.method = "auto"}, true, 3, 8192);
    clear_cells(&t);
}

/* Rows that are many: trees are grown on one window after the other. */
static void windows(void **state)
{
    cells t;
    (void)state;
    heft_plan_many_rows(2000);
    fill_cells(&t, 10200, 2, 3);
    check_spread(&t, &(heft_config){.method = "auto"}, false, 2, key_bytes(&t, false));
    clear_cells(&t);
    fill_cells(&t, 10200, 3, 3);
    check_spread(&t, &(heft_config){.method = "auto"}, true, 3, key_bytes(&t, true));
    clear_cells(&t);
    heft_plan_many_rows(0);
}

/* Neither threads nor rows in a scratch file change a bit of trees grown on windows. */
static void windows_in_a_scratch_file(void **state)
{
    cells t;
    (void)state;
    heft_plan_many_rows(10000);
    fill_cells(&t, 60000, 2, 3);
    heft_table *whole = rows_between(&t, 0, t.n_rows, false);
    heft_model *one, *other;
    OK(heft_fit(whole, &(heft_config){.run = RUN(.threads = 1)}, &one, &err));
    for (int way = 0; way < 2; way++) {
        const heft_config config = {.run = way ? RUN(.threads = 1, .memory = HEFT_MEMORY_LEAST)
                                               : RUN(.threads = 3)};
        OK(heft_fit(whole, &config, &other, &err));
        same_file(one, other);
        heft_model_free(other);
    }
    heft_model_free(one);
    heft_table_free(whole);
    clear_cells(&t);
    heft_plan_many_rows(0);
}

static const char *const count[] = {"effort=count", NULL};

static void counted_evidence(void **state)
{
    cells t;
    (void)state;
    fill_cells(&t, 15400, 2, 3);
    check_spread(&t, &(heft_config){.params = count}, true, 2, key_bytes(&t, true));
    /* folds for the threshold are dealt by 16 bytes for each row, and their scores take 40 */
    check_spread(&t, &(heft_config){.params = count, .calibrate = "temperature", .tune = "mcc"},
                 false, 3, t.n_rows * 40);
    clear_cells(&t);
}

/* Of more than a million rows evidence is calibrated on those that are drawn. A rank needs memory
 * for its own rows, at most 0.35 of all, and 12 MB that do not grow with the rows. */
static void memory_falls_with_ranks(void **state)
{
    cells t;
    fits  one = {.config = {.params = count}}, four = {.config = {.params = count}};
    (void)state;
    fill_cells(&t, 1000200, 2, 1);
    t.n_words = 2;
    take_apart(&t, 1, false, &one);
    take_apart(&t, 4, false, &four);
    ranks_run(1, fit_rank, &one);
    ranks_run(4, fit_rank, &four);
    assert_int_equal(one.status[0], HEFT_OK);
    for (int r = 0; r < 4; r++) {
        if (four.status[r] != HEFT_OK) fail_msg("%s", four.err[r].text);
        same_file(one.model[0], four.model[r]);
        if ((double)four.bytes[r] > 0.35 * (double)one.bytes[0] + 12e6)
            fail_msg("rank %d takes %td bytes of memory, and one process %td", r, four.bytes[r],
                     one.bytes[0]);
    }
    clear_fits(&one, 1);
    clear_fits(&four, 4);
    clear_cells(&t);
}

/* Sums do not grow with the rows: what does is what the rows are dealt by, in portions. */
static void nothing_is_gathered(void **state)
{
    cells t;
    fits  f = {.config = {.method = "auto"}};
    (void)state;
    fill_cells(&t, 16000, 2, NUMBERS);
    take_apart(&t, 4, false, &f);
    const ranks  all = ranks_watch(4, fit_rank, &f);
    const double rows = (double)t.n_rows * (8 * NUMBERS + 4);
    for (int r = 0; r < 4; r++) assert_int_equal(f.status[r], HEFT_OK);
    /* packets, which every exchange begins with, are short */
    assert_true((double)all.gathered < 0.5 * rows + 4.0 * 528 * 100000);
    assert_true((double)all.largest < 24 * 0.5 * (double)t.n_rows);
    clear_fits(&f, 4);
    clear_cells(&t);
}

/* ---- failures ---- */

typedef struct countdown {
    int left;
} countdown;

static bool cancel_late(void *user)
{
    countdown *c = user;
    return --c->left < 0;
}

/* A rank that is cancelled while it grows trees ends all. */
static void a_cancelled_rank_ends_all(void **state)
{
    cells t;
    (void)state;
    fill_cells(&t, 11000, 3, 3);
    for (int after = 5; after <= 45; after += 20) {
        countdown clock = {after};
        fits      f = {.config = {.method = "auto"}};
        f.host[1] = (heft_host){.cancelled = cancel_late, .user = &clock};
        take_apart(&t, 3, false, &f);
        ranks_run(3, fit_rank, &f);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(f.status[r], HEFT_ECANCELLED);
            assert_null(f.model[r]);
            assert_non_null(strstr(f.err[r].text, "rank 1: "));
        }
        clear_fits(&f, 3);
    }
    clear_cells(&t);
}

static void leave(const heft_comm *comm, void *arg)
{
    if (comm->rank == 2) comm->abort(comm->user, "gone");
    else fit_rank(comm, arg);
}

static void a_lost_rank_ends_all(void **state)
{
    cells t;
    fits  f = {.config = {.method = "auto"}};
    (void)state;
    fill_cells(&t, 10200, 2, 3);
    take_apart(&t, 3, false, &f);
    ranks_run(3, leave, &f);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(f.status[r], HEFT_EIO);
        assert_non_null(strstr(f.err[r].text, "cannot be reached"));
    }
    clear_fits(&f, 3);
    clear_cells(&t);
}

/* ---- quantiles ---- */

enum { VALUES = 3000, ASKED = 40 };

typedef struct asking {
    double x[VALUES], weight[VALUES], p[ASKED];
    bool   weighted, reach;
    double value[MOST_RANKS][ASKED], next[MOST_RANKS][ASKED], cuts[MOST_RANKS][20];
    size_t n_cuts[MOST_RANKS];
} asking;

static void ask(heft_ctx *ctx, asking *a, size_t lo, size_t hi, int r)
{
    heft_quantiles l;
    OK(heft_quantiles_make(ctx, a->x + lo, a->weighted ? a->weight + lo : NULL, hi - lo, true, &l));
    OK(heft_quantiles_find(ctx, &l, a->p, ASKED, a->reach, a->value[r], a->next[r]));
    OK(heft_quantiles_cuts(ctx, &l, &(size_t){20}, 1, &(double *){a->cuts[r]}, &a->n_cuts[r]));
}

static void ask_rank(const heft_comm *comm, void *arg)
{
    heft_ctx     ctx;
    heft_error   fault;
    const size_t n = (size_t)comm->n_ranks, r = (size_t)comm->rank;
    heft_ctx_init(&ctx, &fault, 1, 0, NULL);
    ctx.comm = comm;
    ask(&ctx, arg, r == 1 ? VALUES : VALUES * r / n, r == 1 ? VALUES : VALUES * (r + 1) / n,
        comm->rank);
    heft_ctx_clear(&ctx);
}

/* Values of few and of many kinds, also where a rank has none, and asked beyond the ends. */
static void quantiles_agree(void **state)
{
    static asking a;
    heft_rng      rng;
    (void)state;
    heft_rng_init(&rng, 3, 0);
    for (int way = 0; way < 12; way++) {
        heft_ctx   ctx;
        heft_error fault;
        double     total = 0;
        a.weighted = way % 2;
        a.reach = way / 2 % 2;
        for (size_t i = 0; i < VALUES; i++) {
            const double u = heft_rng_real(&rng) - 0.5;
            a.x[i] = way / 4 == 0 ? floor(40 * u) : way / 4 == 1 ? u : ldexp(u, (int)(i % 90) - 45);
            a.weight[i] = a.weighted ? 0.25 * (double)(1 + i % 5) : 1;
            if (i >= VALUES / 3 && i < 2 * (VALUES / 3)) a.x[i] = 0; /* and what rank 1 of 3 has */
            total += a.weight[i];
        }
        for (size_t k = 0; k < ASKED; k++) a.p[k] = total * ((double)k / (ASKED - 2) - 0.01);
        /* rank 1 gives nothing: one process leaves out the same rows */
        for (int size = 2; size <= 3; size++) {
            static asking rest;
            const size_t  lo = VALUES / (size_t)size, hi = VALUES * 2 / (size_t)size;
            rest = a;
            memmove(rest.x + lo, a.x + hi, (VALUES - hi) * sizeof *a.x);
            memmove(rest.weight + lo, a.weight + hi, (VALUES - hi) * sizeof *a.weight);
            heft_ctx_init(&ctx, &fault, 1, 0, NULL);
            ask(&ctx, &rest, 0, VALUES - (hi - lo), 0);
            heft_ctx_clear(&ctx);
            ranks_run(size, ask_rank, &a);
            for (int r = 0; r < size; r++) {
                assert_memory_equal(a.value[r], rest.value[0], sizeof a.value[r]);
                assert_memory_equal(a.next[r], rest.next[0], sizeof a.next[r]);
                assert_int_equal(a.n_cuts[r], rest.n_cuts[0]);
                assert_memory_equal(a.cuts[r], rest.cuts[0], a.n_cuts[r] * sizeof **a.cuts);
            }
        }
    }
}

/* ---- the order in which rows are dealt ---- */

enum { DEALT = 20000 };

typedef struct deals {
    double   x[DEALT], weight[DEALT];
    uint16_t y[DEALT];
    bool     weighted;
    size_t   n_wanted;
    size_t   taken[DEALT]; /* by place: its content, as the row that has it first */
    double   alike[DEALT];
    uint8_t  part[DEALT];
    size_t   same_as[DEALT]; /* the first row of the same content */
} deals;

static void deal(heft_ctx *ctx, deals *d, size_t lo, size_t hi)
{
    const heft_attr   attr = {.numbers = d->x + lo};
    const double     *weight = d->weighted ? d->weight + lo : NULL;
    const heft_rows   rows = {.n_rows = hi - lo,
                              .n_attr = 1,
                              .n_class = 3,
                              .attr = &attr,
                              .y = d->y + lo,
                              .weight = weight};
    const heft_sample sample = {&rows, hi - lo, NULL, weight, d->y + lo, 3};
    heft_arena        arena = {0};
    heft_dealing      out;
    heft_keys         keys;
    uint64_t         *key = calloc(hi - lo + 1, sizeof *key);
    uint16_t         *fold = calloc(hi - lo + 1, sizeof *fold);
    OK(heft_keys_of(ctx, &rows, &arena, &keys));
    OK(heft_keys_part(ctx, NULL, NULL, &keys));
    OK(heft_keys_rows(ctx, &keys, key));
    OK(heft_folds_deal(ctx,
                       &(heft_fold_plan){.rule = HEFT_FOLDS_CONTENT,
                                         .sample = &sample,
                                         .n_folds = HEFT_KFOLD,
                                         .seed = ctx->seed,
                                         .key = key,
                                         .n_wanted = d->n_wanted,
                                         .arena = &arena,
                                         .order = &out},
                       fold));
    assert_int_equal(out.n_all, d->n_wanted);
    for (size_t k = 0; k < out.n; k++) {
        const size_t place = out.place ? out.place[k] : k;
        d->taken[place] = d->same_as[lo + out.row[k]];
        d->alike[place] = out.alike[k];
        d->part[place] = (uint8_t)fold[out.row[k]];
    }
    free(fold);
    free(key);
    heft_arena_clear(&arena);
}

static void deal_rank(const heft_comm *comm, void *arg)
{
    static const double ends[] = {0, 0.35, 0.7, 0.7, 1}; /* the third rank has none */
    heft_ctx            ctx;
    heft_error          fault;
    const int           r = comm->n_ranks == 1 ? 3 : comm->rank;
    heft_ctx_init(&ctx, &fault, 1, 0, NULL);
    ctx.comm = comm;
    deal(&ctx, arg, comm->n_ranks == 1 ? 0 : (size_t)(ends[r] * DEALT),
         (size_t)(ends[r + 1] * DEALT));
    heft_ctx_clear(&ctx);
}

/* All rows or some, distinct or many of the same content, with and without weights: four ranks deal
 * them as one process does, and show each other no more than 8 rows for each that is taken. */
static void dealt_alike(void **state)
{
    static deals one, four;
    const size_t packets = (size_t)4 * 528 * 60;
    const size_t looked_at = (size_t)2 * 4500 * 32; /* rows, to find copies (copies.h) */
    (void)state;
    for (int way = 0; way < 12; way++) {
        heft_rng rng;
        heft_rng_init(&rng, 11, (uint64_t)way);
        one.n_wanted = way % 3 == 0 ? DEALT : way % 3 == 1 ? DEALT / 4 - 1 : 150;
        one.weighted = way / 3 % 2;
        for (size_t i = 0; i < DEALT; i++) {
            const double u = heft_rng_real(&rng);
            one.x[i] = way / 6 ? floor(40 * u * u) : u;
            one.y[i] = (uint16_t)(u * u * 2.999);
            one.weight[i] = 1 + (double)(i % 2);
        }
        for (size_t i = 0; i < DEALT; i++) {
            size_t k = way / 6 ? 0 : i;
            while (one.x[k] != one.x[i] || one.y[k] != one.y[i] ||
                   (one.weighted && one.weight[k] != one.weight[i]))
                k++;
            one.same_as[i] = k;
        }
        four = one;
        ranks_run(1, deal_rank, &one);
        const ranks all = ranks_watch(4, deal_rank, &four);
        assert_memory_equal(one.taken, four.taken, one.n_wanted * sizeof *one.taken);
        assert_memory_equal(one.alike, four.alike, one.n_wanted * sizeof *one.alike);
        assert_memory_equal(one.part, four.part, one.n_wanted);
        if (one.n_wanted < DEALT && all.gathered > 8 * 24 * one.n_wanted + packets + looked_at)
            fail_msg("%zu bytes shown for %zu rows", all.gathered, one.n_wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_agree),
        cmocka_unit_test(two_classes),
        cmocka_unit_test(three_classes_and_weights),
        cmocka_unit_test(pairs_of_values),
        cmocka_unit_test(repeated_rows),
        cmocka_unit_test(windows),
        cmocka_unit_test(windows_in_a_scratch_file),
        cmocka_unit_test(counted_evidence),
        cmocka_unit_test(nothing_is_gathered),
        cmocka_unit_test(dealt_alike),
        FIGURES_TEST(memory_falls_with_ranks),
        cmocka_unit_test(a_cancelled_rank_ends_all),
        cmocka_unit_test(a_lost_rank_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
