/* folds.c - assigns rows to folds by their positions, in Weka's order, or as a file says. */
#include "learn/folds.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/rows.h"
#include "base/text.h"
#include "data/input.h"

#define BLANKS " \t\r"
enum { MOST_FOLDS = HEFT_NO_FOLD - 1, MOST_REPEATS = 1000 };

/* ---- rules that need the classes alone ---- */

static heft_status check_count(heft_ctx *ctx, size_t n_known, size_t n_folds)
{
    if (n_folds < 2 || n_folds > MOST_FOLDS)
        return heft_fail(ctx, HEFT_EINVAL, "cross-validation needs 2 to %d folds, not %zu",
                         MOST_FOLDS, n_folds);
    if (n_known < 2)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the data have %s with a class, and cross-validation needs at least 2",
                         HEFT_COUNT_OF(n_known, "row"));
    if (n_known < n_folds)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%zu rows cannot be divided into %zu folds (use {cv=%zu} or less)",
                         n_known, n_folds, n_known);
    return HEFT_OK;
}

/* rows[*n_known]: the rows of known class, class after class, those of a class in random order. */
static heft_status shuffle_classes(heft_ctx *ctx, const heft_fold_plan *plan, size_t *rows,
                                   size_t *n_known)
{
    const uint16_t *y = plan->sample->y;
    const size_t    n = plan->sample->n, n_class = plan->sample->n_class;
    size_t         *first;
    heft_rng        rng;
    HEFT_ALLOC(ctx, &ctx->scratch, first, n_class + 1);
    for (size_t i = 0; i < n; i++)
        if (y[i] < n_class) first[y[i] + 1]++;
    for (size_t c = 0; c < n_class; c++) first[c + 1] += first[c];
    *n_known = first[n_class];
    for (size_t i = 0; i < n; i++) /* first[c] moves to the end of class c */
        if (y[i] < n_class) rows[first[y[i]]++] = i;
    heft_rng_init(&rng, plan->seed, plan->repeat);
    for (size_t c = 0, lo = 0; c < n_class; lo = first[c++])
        heft_rng_shuffle(&rng, rows + lo, first[c] - lo);
    return HEFT_OK;
}

/* Assigns folds 0, 1, 2, ... in turn to the rows sorted by class, which keeps the fold sizes and
 * the class counts of the folds even. */
static heft_status deal_round(heft_ctx *ctx, const heft_fold_plan *plan, const size_t *rows,
                              size_t n_known, uint16_t *fold)
{
    HEFT_CHECK(check_count(ctx, n_known, plan->n_folds));
    for (size_t k = 0; k < n_known; k++) fold[rows[k]] = (uint16_t)(k % plan->n_folds);
    return HEFT_OK;
}

static heft_status hold_out(heft_ctx *ctx, const heft_fold_plan *plan, const size_t *rows,
                            size_t n_known, uint16_t *fold)
{
    const double of = plan->holdout;
    size_t       n_test = 0;
    if (n_known < 2)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the data have %s with a class, and a holdout needs at least 2",
                         HEFT_COUNT_OF(n_known, "row"));
    for (size_t k = 0; k < n_known; k++) { /* evenly over the rows as they are sorted by class */
        const bool tested = floor((double)(k + 1) * of + 0.5) > floor((double)k * of + 0.5);
        fold[rows[k]] = !tested;
        n_test += tested;
    }
    if (n_test == 0 || n_test == n_known)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "{holdout=%g} of %zu rows leaves no row to %s (use another share, or {cv})", of,
            n_known, n_test ? "train on" : "test");
    return HEFT_OK;
}

static heft_status deal_single(heft_ctx *ctx, size_t n, uint16_t *fold)
{
    if (n > MOST_FOLDS)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "leave-one-out trains a model for each of %zu rows, and %d are the most "
                         "(use {cv=10})",
                         n, MOST_FOLDS);
    HEFT_CHECK(check_count(ctx, n, n < 2 ? 2 : n));
    for (size_t i = 0; i < n; i++) fold[i] = (uint16_t)i;
    return HEFT_OK;
}

/* ---- Weka's order ---- */

/* java.util.Random: a linear congruential generator of 48 bits, as its documentation fixes it. */
static uint32_t java_bits(uint64_t *state, unsigned bits)
{
    *state = (*state * 0x5deece66du + 0xb) & (((uint64_t)1 << 48) - 1);
    return (uint32_t)(*state >> (48 - bits));
}

/* java.util.Random.nextInt(bound), for 0 < bound < 2^31. */
static uint32_t java_below(uint64_t *state, uint32_t bound)
{
    if ((bound & (bound - 1)) == 0)
        return (uint32_t)(((uint64_t)bound * java_bits(state, 31)) >> 31);
    uint32_t bits, value;
    do {
        bits = java_bits(state, 31);
        value = bits % bound;
    } while ((uint64_t)bits - value + (bound - 1) > INT32_MAX); /* Java: the sum overflowed */
    return value;
}

static void swap(size_t *v, size_t a, size_t b)
{
    const size_t t = v[a];
    v[a] = v[b];
    v[b] = t;
}

/* rows[*n_known]: the rows of known class in the order that Weka has before it forms the folds. */
static heft_status order_as_weka(heft_ctx *ctx, const heft_fold_plan *plan, size_t *rows,
                                 size_t *n_known)
{
    const uint16_t *y = plan->sample->y;
    uint64_t state = ((plan->seed + plan->repeat) ^ 0x5deece66du) & (((uint64_t)1 << 48) - 1);
    size_t   m = 0;
    for (size_t i = 0; i < plan->sample->n; i++) /* deleteWithMissingClass */
        if (y[i] < plan->sample->n_class) rows[m++] = i;
    *n_known = m;
    if (m > INT32_MAX)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%zu rows are more than Weka can split (use {split=heft})", m);
    for (size_t j = m; j > 1; j--) swap(rows, j - 1, java_below(&state, (uint32_t)j));
    /* Instances.stratify's first half: rows of one class brought together by swaps, which also move
     * the rows of other classes about; one pass per class. */
    for (size_t next = 1; next < m; next++) {
        const uint16_t c = y[rows[next - 1]];
        for (size_t j = next; j < m; j++)
            if (y[rows[j]] == c) swap(rows, next++, j);
    }
    /* Weka now reads the positions 0, F, 2F, ..., 1, F+1, ... in one line and cuts it into F
     * slices, the first m mod F of them one row longer: slice f is the positions f, F+f, 2F+f, ...
     */
    return HEFT_OK;
}

/* ---- from a file ---- */

typedef struct folds_reader {
    const char *path; /* the file's name as messages show it */
    size_t      line; /* number of the line, from 1 */
    size_t      n_rows, repeats, n_folds;
    heft_arena *arena;
    uint16_t   *all;                /* repeats x n_rows; NULL before the first line */
    uint16_t    fold[MOST_REPEATS]; /* fold numbers of one line */
} folds_reader;

/* Reads a line of numbers separated by commas into rd->fold[0 .. *n - 1]. *at moves to the next
 * line. */
static heft_status read_line(heft_ctx *ctx, folds_reader *rd, const char **at, size_t *n)
{
    const char *s = *at;
    for (*n = 0;; s++) {
        unsigned value = 0;
        if (*n == MOST_REPEATS)
            return heft_fail_at(ctx, HEFT_EFORMAT, rd->path, rd->line,
                                "the line has more than %d fold numbers", MOST_REPEATS);
        s += strspn(s, BLANKS);
        if (*s < '0' || *s > '9')
            return heft_fail_at(ctx, HEFT_EFORMAT, rd->path, rd->line,
                                "a fold number is expected (write 0, 1, 2, ... for each row)");
        for (; *s >= '0' && *s <= '9'; s++) {
            value = value * 10 + (unsigned)(*s - '0');
            if (value >= MOST_FOLDS)
                return heft_fail_at(ctx, HEFT_EFORMAT, rd->path, rd->line,
                                    "fold numbers must be below %d", MOST_FOLDS);
        }
        rd->fold[(*n)++] = (uint16_t)value;
        s += strspn(s, BLANKS);
        if (*s != ',') break;
    }
    if (*s != '\n')
        return heft_fail_at(ctx, HEFT_EFORMAT, rd->path, rd->line,
                            "a line has one fold number, or several separated by commas");
    *at = s + 1;
    return HEFT_OK;
}

/* Every repeat must use the folds 0 .. n_folds-1, at least two of them. */
static heft_status check_folds(heft_ctx *ctx, folds_reader *rd)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *count, top = 0;
    for (size_t k = 0; k < rd->n_rows * rd->repeats; k++)
        if (rd->all[k] > top) top = rd->all[k];
    rd->n_folds = top + 1;
    HEFT_ALLOC(ctx, &ctx->scratch, count, rd->n_folds);
    for (size_t r = 0; r < rd->repeats; r++) {
        memset(count, 0, rd->n_folds * sizeof *count);
        for (size_t i = 0; i < rd->n_rows; i++) count[rd->all[r * rd->n_rows + i]]++;
        for (size_t f = 0; f < rd->n_folds; f++) {
            if (count[f] == rd->n_rows)
                return heft_fail(
                    ctx, HEFT_EFORMAT,
                    "%s: repeat %zu: all rows are in fold %zu, and none is left to train on",
                    rd->path, r + 1, f);
            if (count[f] == 0)
                return heft_fail(
                    ctx, HEFT_EFORMAT,
                    "%s: repeat %zu: fold %zu has no rows (use every number from 0 to %zu)",
                    rd->path, r + 1, f, top);
        }
    }
    return HEFT_OK;
}

static heft_status read_lines(heft_ctx *ctx, void *arg, const char *name, heft_chunk *chunk)
{
    folds_reader *rd = arg;
    const char   *at = chunk->text;
    rd->path = name;
    for (size_t n, cells; *at; rd->line++) {
        if (rd->line > rd->n_rows)
            return heft_fail_at(ctx, HEFT_EFORMAT, rd->path, rd->line,
                                "the data have only %s (write one line per row)",
                                HEFT_COUNT_OF(rd->n_rows, "row"));
        HEFT_CHECK(read_line(ctx, rd, &at, &n));
        if (!rd->all) {
            rd->repeats = n;
            if (!heft_product(rd->n_rows, n, &cells)) return heft_no_memory(ctx, rd->n_rows, n);
            HEFT_ALLOC(ctx, rd->arena, rd->all, cells);
        }
        if (n != rd->repeats)
            return heft_fail_at(ctx, HEFT_EFORMAT, rd->path, rd->line,
                                "the line has %s, but the first line has %zu",
                                HEFT_COUNT_OF(n, "fold number"), rd->repeats);
        for (size_t r = 0; r < n; r++) rd->all[r * rd->n_rows + rd->line - 1] = rd->fold[r];
    }
    if (chunk->length) return HEFT_OK;
    if (rd->line - 1 != rd->n_rows || !rd->all) /* this was the last chunk */
        return heft_fail(
            ctx, HEFT_EFORMAT, "%s: the file has %s, and the data have %s (write one line per row)",
            rd->path, HEFT_COUNT_OF(rd->line - 1, "line"), HEFT_COUNT_OF(rd->n_rows, "row"));
    return check_folds(ctx, rd);
}

/* Takes the fold numbers of the sample's rows from the file, and checks that each fold has a row to
 * test and a row to train on. */
static heft_status take_from_file(heft_ctx *ctx, const heft_fold_plan *plan, uint16_t *fold)
{
    const heft_fold_file *file = plan->file;
    const size_t          n = plan->sample->n;
    size_t               *count;
    HEFT_ALLOC(ctx, &ctx->scratch, count, file->n_folds);
    for (size_t i = 0; i < n; i++) {
        const size_t row = plan->row ? plan->row[i] : i;
        fold[i] = file->fold[plan->repeat * file->n_rows + row];
        count[fold[i]]++;
    }
    for (size_t f = 0; f < file->n_folds; f++)
        if (count[f] == 0 || count[f] == n)
            return heft_fail(ctx, HEFT_EINVAL,
                             "fold %zu has %zu of the %zu rows with a class and a weight above 0 "
                             "(each fold needs rows to test and rows to train on)",
                             f, count[f], n);
    return HEFT_OK;
}

heft_status heft_folds_read(heft_ctx *ctx, const char *path, size_t n_rows, heft_arena *arena,
                            heft_fold_file *out)
{
    HEFT_FREED folds_reader *rd = NULL;
    *out = (heft_fold_file){.n_rows = n_rows};
    HEFT_NEW(ctx, rd, 1);
    *rd = (folds_reader){.line = 1, .n_rows = n_rows, .arena = arena};
    HEFT_CHECK(heft_feed_file(ctx, path, 0, read_lines, rd));
    out->n_folds = rd->n_folds;
    out->n_repeats = rd->repeats;
    out->fold = rd->all;
    return HEFT_OK;
}

/* ---- all rules ---- */

heft_status heft_folds_deal(heft_ctx *ctx, const heft_fold_plan *plan, uint16_t *fold)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = plan->sample->n;
    size_t      *rows, n_known = 0;
    HEFT_ROWS (i, n) fold[i] = HEFT_NO_FOLD;
    if (plan->rule == HEFT_FOLDS_CONTENT) return heft_folds_by_content(ctx, plan, fold);
    if (plan->rule == HEFT_FOLDS_FILE) return take_from_file(ctx, plan, fold);
    if (plan->rule == HEFT_FOLDS_SINGLE) return deal_single(ctx, n, fold);
    HEFT_ALLOC(ctx, &ctx->scratch, rows, n);
    HEFT_CHECK(plan->rule == HEFT_FOLDS_WEKA ? order_as_weka(ctx, plan, rows, &n_known)
                                             : shuffle_classes(ctx, plan, rows, &n_known));
    return plan->rule == HEFT_FOLDS_HOLDOUT ? hold_out(ctx, plan, rows, n_known, fold)
                                            : deal_round(ctx, plan, rows, n_known, fold);
}

size_t heft_rows_of_fold(const uint16_t *fold, size_t n, size_t f, bool held, size_t *rows)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (fold[i] != HEFT_NO_FOLD && (fold[i] == f) == held) rows[m++] = i;
    return m;
}
