/* counted.c - one-dependence estimators at several resolutions, calibrated. */
#include "methods/auto/counted.h"

#include <string.h>

#include "base/rows.h"
#include "learn/mixing.h"

static const double PULL = 3, SHIFT = 1; /* strength of the penalties on beta and a */

enum { MAX_ITER = 100, BLOCK = 4096 };

static bool alike(const heft_coded *coded, unsigned a, unsigned b)
{
    bool same = true;
    for (size_t j = 0; j < coded->n_attr && same; j++)
        same = heft_cells_of(coded, j, a)->same == heft_cells_of(coded, j, b)->same;
    return same;
}

/* The distinct resolutions, with their multiplicities. Returns how many there are in all. */
static double list_members(const heft_coded *coded, unsigned resolutions, heft_counted *out)
{
    double all = 0;
    for (unsigned r = 0; r < HEFT_N_RES; r++) {
        size_t k = 0;
        if (!(resolutions >> r & 1)) continue;
        all++;
        while (k < out->n_members && !alike(coded, out->member[k].res, r)) k++;
        if (k == out->n_members) out->member[out->n_members++].res = r;
        out->member[k].multiplicity++;
    }
    return all;
}

typedef struct mixed {
    const heft_counted  *counted;
    const double *const *scores;
} mixed;

static heft_status mix_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const mixed        *job = arg;
    const heft_counted *b = job->counted;
    const size_t        K = b->n_class;
    (void)ctx;
    for (size_t i = lo; i < hi; i++) {
        double *to = b->held + i * K;
        memcpy(to, b->shift, K * sizeof *to);
        for (size_t k = 0; k < b->n_members; k++)
            for (size_t c = 0; c < K; c++) to[c] += b->member[k].beta * job->scores[k][i * K + c];
        heft_log_normalise(to, K);
    }
    return HEFT_OK;
}

/* beta and a from the leave-one-out scores of the members. */
static heft_status calibrate(heft_ctx *ctx, const heft_sample *sample,
                             const heft_counted_held *held, const double *const *scores, double all,
                             heft_counted *out)
{
    double    centre[HEFT_N_RES], strength[HEFT_N_RES], beta[HEFT_N_RES], *weight;
    uint16_t *y;
    HEFT_ALLOCS(ctx, &ctx->scratch, held->n, y, weight);
    for (size_t h = 0; h < held->n; h++) {
        const size_t i = held->row ? held->row[h] : h;
        y[h] = sample->y[i];
        if (sample->weight) weight[h] = sample->weight[i];
    }
    for (size_t k = 0; k < out->n_members; k++) {
        centre[k] = out->member[k].multiplicity / all;
        strength[k] = PULL / out->member[k].multiplicity;
    }
    const heft_mixing mixing = {.n = held->n,
                                .n_class = out->n_class,
                                .n_members = out->n_members,
                                .member = scores,
                                .y = y,
                                .weight = sample->weight ? weight : NULL,
                                .place = held->place,
                                .centre = centre,
                                .strength = strength,
                                .shift = SHIFT,
                                .max_iter = MAX_ITER};
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, beta, out->shift, &out->loss, &out->how));
    for (size_t k = 0; k < out->n_members; k++) out->member[k].beta = beta[k];
    return HEFT_OK;
}

heft_status heft_counted_fit(heft_ctx *ctx, const heft_sample *sample, const heft_coded *coded,
                             unsigned resolutions, const heft_counted_held *held, heft_arena *arena,
                             heft_counted *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t       m = coded->n_attr, K = sample->n_class, n_parts = held->n_looked * m * K;
    const heft_cells **cells;
    double            *scores[HEFT_N_RES] = {0}, *parts[HEFT_N_RES] = {0};
    *out = (heft_counted){.n_class = K};
    HEFT_ALLOC(ctx, arena, out->shift, K);
    HEFT_ALLOC(ctx, arena, out->held, held->n * K);
    HEFT_ALLOC(ctx, arena, out->contribution, n_parts);
    const double all = list_members(coded, resolutions, out);
    HEFT_ALLOC(ctx, &ctx->scratch, cells, m);
    for (size_t k = 0; k < out->n_members; k++) {
        HEFT_ALLOC(ctx, &ctx->scratch, scores[k], held->n * K);
        HEFT_ALLOC(ctx, &ctx->scratch, parts[k], n_parts);
        for (size_t j = 0; j < m; j++) cells[j] = heft_cells_of(coded, j, out->member[k].res);
        HEFT_CHECK(heft_geomean_fit(ctx, sample, cells, &heft_geomean_plain,
                                    &(heft_left_out){held->n, held->row, held->alike, scores[k],
                                                     held->n_looked, held->looked, parts[k]},
                                    arena, &out->member[k].dep));
    }
    HEFT_CHECK(calibrate(ctx, sample, held, (const double *const *)scores, all, out));
    for (size_t k = 0; k < out->n_members && parts[k]; k++)
        heft_line_add(out->contribution, parts[k], out->member[k].beta, n_parts);
    mixed job = {out, (const double *const *)scores};
    return heft_run_blocks(ctx, held->n, BLOCK, mix_block, &job);
}

size_t heft_counted_pairs(const heft_counted *counted)
{
    size_t n = 0;
    for (size_t k = 0; k < counted->n_members; k++) n += counted->member[k].dep.n_pairs;
    return n;
}

static heft_status pool_member(heft_ctx *ctx, const heft_counted_member *member,
                               const heft_coding *coding, double factor, heft_arena *arena,
                               heft_pooled *pooled)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_geomean *dep = &member->dep;
    const size_t        K = dep->n_class;
    for (size_t j = 0; j < dep->n_attr; j++) {
        const uint32_t q = coding->attr[j].n_codes[member->res];
        double        *table;
        if (!dep->joint[j]) continue;
        HEFT_ALLOC(ctx, &ctx->scratch, table, q * K);
        for (size_t k = 0; k < q * K; k++)
            table[k] = dep->joint[j][k] - dep->omega[j] * dep->log_class[k % K];
        heft_pooled_add(pooled, coding, j, member->res, factor, table);
        heft_pooled_bias(pooled, factor * dep->omega[j], dep->log_class);
    }
    for (size_t j = 0; j < dep->n_attr; j++)
        if (dep->rest[j]) heft_pooled_add(pooled, coding, j, member->res, factor, dep->rest[j]);
    for (size_t k = 0; k < dep->n_pairs; k++) {
        const heft_geomean_pair *pair = &dep->pair[k];
        const heft_join          seen = {.n_seen = pair->n_seen, .key = pair->key};
        const heft_pair_evidence evidence = {.at = {pair->i, pair->j},
                                             .res = member->res,
                                             .join = pair->sparse ? &seen : NULL,
                                             .table = pair->table};
        HEFT_CHECK(heft_pooled_pair_add(ctx, pooled, coding, &evidence, factor, arena));
    }
    return HEFT_OK;
}

heft_status heft_counted_pool(heft_ctx *ctx, const heft_counted *counted, const heft_coding *coding,
                              double factor, heft_arena *arena, heft_pooled *pooled)
{
    heft_pooled_bias(pooled, factor, counted->shift);
    for (size_t k = 0; k < counted->n_members; k++)
        if (counted->member[k].beta > 0)
            HEFT_CHECK(pool_member(ctx, &counted->member[k], coding,
                                   factor * counted->member[k].beta, arena, pooled));
    return HEFT_OK;
}
