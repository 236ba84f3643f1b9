/* stages.c - changes to training rows that test how robust a method is: wrong classes, few rows.
 * They depend on the seed, the repeat and the fold but not on the method, so that all methods learn
 * from the same rows. The rows of a smaller stage are among those of a larger one.
 *
 * Noise as in "Exponential Loss Minimization for Learning Weighted Naive Bayes Classifiers",
 * section 4: a fraction of the training rows, drawn at random, gets another class; the test rows
 * stay. With more than two classes the other class is drawn evenly from those that the training
 * rows have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "eval/stages.h"

/* Streams of random numbers other than those of the folds. */
static const uint64_t NOISE = (uint64_t)1 << 40, LEARN = (uint64_t)2 << 40;

/* ---- few rows ---- */

typedef struct ticket {
    double   turn; /* (k + 1/2) / n for the k-th drawn of the n rows of its class */
    uint32_t c;
    size_t   row;
} ticket;

static int by_turn(const void *pa, const void *pb)
{
    const ticket *a = pa, *b = pb;
    if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
    return a->c != b->c ? (a->c > b->c) - (a->c < b->c) : (a->row > b->row) - (a->row < b->row);
}

static int by_row(const void *pa, const void *pb)
{
    const size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    return (a > b) - (a < b);
}

static uint32_t class_at(const heft_table *table, size_t i)
{
    return heft_code_at(table->target->cells, table->target->width, i);
}

heft_status heft_stage_learn(heft_ctx *ctx, const heft_stage *stage, const heft_table *table,
                             uint64_t draw, size_t *rows, size_t *n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n_class = heft_dict_size(table->target->dict);
    size_t       wanted = *n, *order, *total, *so_far;
    ticket      *tickets;
    heft_rng     rng;
    if (stage->learn > 1) {
        if (stage->learn > (double)*n)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "{learn}: %.0f rows were asked for, and a fold has only %s",
                             stage->learn, HEFT_COUNT_OF(*n, "training row"));
        wanted = (size_t)stage->learn;
    } else if (stage->learn < 1) {
        wanted = (size_t)fmax(1, floor(stage->learn * (double)*n + 0.5));
    }
    if (wanted == *n) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, *n, tickets, order);
    HEFT_ALLOCS(ctx, &ctx->scratch, n_class + 1, total, so_far);
    for (size_t k = 0; k < *n; k++) order[k] = rows[k], total[class_at(table, rows[k])]++;
    heft_rng_init(&rng, ctx->seed, LEARN + draw);
    heft_rng_shuffle(&rng, order, *n);
    for (size_t k = 0; k < *n; k++) {
        const uint32_t c = class_at(table, order[k]);
        tickets[k] = (ticket){((double)so_far[c]++ + 0.5) / (double)total[c], c, order[k]};
    }
    qsort(tickets, *n, sizeof *tickets, by_turn); /* every prefix is stratified */
    for (size_t k = 0; k < wanted; k++) rows[k] = tickets[k].row;
    *n = wanted;
    qsort(rows, *n, sizeof *rows, by_row);
    return HEFT_OK;
}

/* ---- wrong classes ---- */

heft_status heft_stage_noise(heft_ctx *ctx, const heft_stage *stage, uint64_t draw,
                             heft_table *table)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t wrong = (size_t)floor(stage->noise * (double)table->n_rows + 0.5);
    heft_column *target = table->target;
    const size_t n_class = heft_dict_size(target->dict);
    uint32_t    *present; /* the n classes that occur */
    size_t      *order, n = 0;
    bool        *seen;
    heft_rng     rng;
    if (wrong == 0) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, n_class, seen, present);
    HEFT_ALLOC(ctx, &ctx->scratch, order, table->n_rows);
    for (size_t i = 0; i < table->n_rows; i++) order[i] = i, seen[class_at(table, i)] = true;
    for (uint32_t c = 0; c < n_class; c++)
        if (seen[c]) present[n++] = c;
    heft_rng_init(&rng, ctx->seed, NOISE + draw);
    heft_rng_shuffle(&rng, order, table->n_rows);
    if (n < 2) return HEFT_OK;
    for (size_t k = 0; k < wrong; k++) {
        const uint32_t c = class_at(table, order[k]);
        const size_t   other = heft_rng_below(&rng, n - 1);
        /* Choose one of the n - 1 classes other than c. */
        const uint32_t to = present[other] < c ? present[other] : present[other + 1];
        heft_code_put(target->cells, target->width, order[k], to);
    }
    return HEFT_OK;
}
