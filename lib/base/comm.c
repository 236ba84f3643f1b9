/* comm.c - collectives: each first checks that no rank has failed and that all are at the same
 * step, then sums or copies. */
#include "base/comm.h"

#include <stdio.h>
#include <string.h>

enum { END = 1, SUM, SUM_EXACT, ADD, GATHER, BROADCAST };

typedef struct rank_error { /* the error that a rank sends to the others when one has failed */
    int32_t code;
    char    text[508];
} rank_error;

heft_status heft_comm_check(heft_ctx *ctx, const heft_comm *comm)
{
    if (!comm) return HEFT_OK;
    if (comm->n_ranks < 1 || comm->rank < 0 || comm->rank >= comm->n_ranks)
        return heft_fail(ctx, HEFT_EINVAL,
                         "heft_comm: rank is %d and n_ranks is %d, but rank must be below n_ranks",
                         comm->rank, comm->n_ranks);
    if (comm->n_ranks > 1 &&
        (!comm->allreduce_doubles || !comm->allreduce_ints || !comm->allgather || !comm->broadcast))
        return heft_fail(ctx, HEFT_EINVAL, "heft_comm: a function is NULL");
    return HEFT_OK;
}

/* ---- failures ---- */

static heft_status fail_unreachable(heft_ctx *ctx)
{
    const heft_comm *comm = ctx->comm;
    ctx->error_shared = true; /* no rank can be told of the error */
    heft_fail(ctx, HEFT_EIO, "rank %d: the other ranks cannot be reached (has one of them ended?)",
              comm->rank);
    if (comm->abort) comm->abort(comm->user, ctx->err->text);
    return HEFT_EIO;
}

/* Gathers n bytes of each rank: all + k * n are those of rank k. Returns false on failure. */
static bool gather_equal(const heft_comm *comm, const void *mine, size_t n, void *all)
{
    HEFT_FREED size_t *length = heft_alloc((size_t)comm->n_ranks, sizeof *length);
    if (length)
        for (int k = 0; k < comm->n_ranks; k++) length[k] = n;
    return all && length && comm->allgather(comm->user, mine, length, all) == 0;
}

/* Every rank sends its error; the error of the lowest rank that failed becomes that of all ranks.
 */
static heft_status exchange_errors(heft_ctx *ctx, bool failed)
{
    const heft_comm       *comm = ctx->comm;
    const size_t           size = (size_t)comm->n_ranks;
    rank_error             mine = {0};
    HEFT_FREED rank_error *all = NULL;
    size_t                 r = 0;
    ctx->error_shared = true;
    HEFT_NEW(ctx, all, size);
    if (failed) {
        mine.code = (int32_t)ctx->err->code;
        snprintf(mine.text, sizeof mine.text, "%.*s", (int)sizeof mine.text - 1, ctx->err->text);
    }
    if (!gather_equal(comm, &mine, sizeof mine, all)) return fail_unreachable(ctx);
    while (r + 1 < size && all[r].code == 0) r++;
    return heft_fail(ctx, (heft_status)all[r].code, "rank %zu: %.480s", r, all[r].text);
}

/* ---- collectives ---- */

enum { PACKET_NUMBERS = 64 };

/* The packet that every rank sends first in a collective. It has the same size in every collective,
 * because a rank that has failed does not know which collective the others are in. Small sums are
 * sent inside the packet, which saves a second exchange. */
typedef struct packet {
    uint64_t failed, place;
    double   v[PACKET_NUMBERS];
} packet;

typedef struct small_sum { /* numbers sent in the packets; each becomes the sum over the ranks */
    double  *v;
    heft_dd *t;
    size_t   n, n_t;
} small_sum;

/* Checks that no rank has failed and that all are at the same step. If `small` is not NULL,
 * computes that sum too. */
static heft_status begin_collective(heft_ctx *ctx, int what, size_t n, bool failed,
                                    const small_sum *small)
{
    const heft_comm   *comm = ctx->comm;
    const size_t       size = (size_t)comm->n_ranks;
    HEFT_FREED packet *all = heft_alloc(size, sizeof *all);
    packet             mine = {failed, (uint64_t)what << 56 ^ n, {0}};
    bool               any = false, alike = true;
    if (small && small->n) memcpy(mine.v, small->v, small->n * sizeof *mine.v);
    if (small && small->n_t) memcpy(mine.v + small->n, small->t, small->n_t * sizeof *small->t);
    if (!gather_equal(comm, &mine, sizeof mine, all)) return fail_unreachable(ctx);
    for (size_t r = 0; r < size; r++) {
        any = any || all[r].failed;
        alike = alike && all[r].place == all[0].place;
    }
    if (any) HEFT_CHECK(exchange_errors(ctx, failed));
    if (!any && !alike) {
        ctx->error_shared = true; /* every rank finds it */
        return heft_fail(ctx, HEFT_EINVAL,
                         "rank %d: the ranks are not at the same step (start all of them with the "
                         "same program, options and files)",
                         comm->rank);
    }
    if (!small) return HEFT_OK;
    /* Sums in the order of the ranks: the same bits on all of them. */
    for (size_t k = 0; k < small->n; k++) {
        small->v[k] = all[0].v[k];
        for (size_t r = 1; r < size; r++) small->v[k] += all[r].v[k];
    }
    for (size_t k = 0; k < small->n_t; k++)
        for (size_t r = 0; r < size; r++) {
            const double *x = all[r].v + small->n + 2 * k;
            const heft_dd term = {x[0], x[1]};
            small->t[k] = r ? heft_dd_add(small->t[k], term) : term;
        }
    return HEFT_OK;
}

/* Sums `t` and `v` over all ranks. Both are sent in the packet if they fit, otherwise only `t`. */
static heft_status sum(heft_ctx *ctx, int what, heft_dd *t, size_t n_t, double *v, size_t n)
{
    if (heft_is_single(ctx)) return HEFT_OK;
    const bool      fits = 2 * n_t + n <= PACKET_NUMBERS;
    const small_sum small = {.v = v, .n = fits ? n : 0, .t = t, .n_t = n_t};
    HEFT_CHECK(begin_collective(ctx, what, n, false, &small));
    if (!fits && ctx->comm->allreduce_doubles(ctx->comm->user, v, n) != 0)
        return fail_unreachable(ctx);
    return HEFT_OK;
}

heft_status heft_all_sum(heft_ctx *ctx, double *v, size_t n)
{
    return n == 0 ? HEFT_OK : sum(ctx, SUM, NULL, 0, v, n);
}

heft_status heft_all_sum_exact(heft_ctx *ctx, heft_dd *t, size_t n_t, double *v, size_t n)
{
    if (2 * n_t > PACKET_NUMBERS && !heft_is_single(ctx))
        return heft_fail(ctx, HEFT_EINVAL, "%zu numbers are too many for one sum over the ranks",
                         n_t);
    return sum(ctx, SUM_EXACT, t, n_t, v, n);
}

heft_status heft_all_add(heft_ctx *ctx, int64_t *v, size_t n)
{
    if (heft_is_single(ctx) || n == 0) return HEFT_OK;
    HEFT_CHECK(begin_collective(ctx, ADD, n, false, NULL));
    if (ctx->comm->allreduce_ints(ctx->comm->user, v, n) != 0) return fail_unreachable(ctx);
    return HEFT_OK;
}

/* Keys are summed as two halves of 32 bits, because sums of these do not overflow. */
heft_status heft_all_add_keys(heft_ctx *ctx, uint64_t *v, size_t n)
{
    HEFT_FREED int64_t *half = NULL;
    if (heft_is_single(ctx) || n == 0) return HEFT_OK;
    HEFT_NEW(ctx, half, 2 * n);
    for (size_t k = 0; k < n; k++) {
        half[2 * k] = (int64_t)(v[k] & UINT32_MAX);
        half[2 * k + 1] = (int64_t)(v[k] >> 32);
    }
    HEFT_CHECK(heft_all_add(ctx, half, 2 * n));
    for (size_t k = 0; k < n; k++) v[k] = (uint64_t)half[2 * k] + ((uint64_t)half[2 * k + 1] << 32);
    return HEFT_OK;
}

heft_status heft_all_place(heft_ctx *ctx, size_t n, size_t *before, size_t *all)
{
    const size_t        size = heft_n_ranks(ctx), rank = heft_comm_rank(ctx);
    HEFT_FREED int64_t *n_of = NULL;
    *before = 0;
    *all = n;
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_NEW(ctx, n_of, size);
    n_of[rank] = (int64_t)n;
    HEFT_CHECK(heft_all_add(ctx, n_of, size));
    *all = 0;
    for (size_t r = 0; r < size; r++) {
        if (r < rank) *before += (size_t)n_of[r];
        *all += (size_t)n_of[r];
    }
    return HEFT_OK;
}

heft_status heft_all_max(heft_ctx *ctx, double *v, size_t n)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    if (heft_is_single(ctx) || n == 0) return HEFT_OK;
    HEFT_CHECK(heft_all_gather(ctx, v, n * sizeof *v, &all));
    for (size_t r = 0; r < heft_n_ranks(ctx); r++)
        for (size_t k = 0; k < n; k++) {
            double x;
            memcpy(&x, all.bytes + all.start[r] + k * sizeof x, sizeof x);
            if (x > v[k]) v[k] = x;
        }
    return HEFT_OK;
}

heft_status heft_all_gather(heft_ctx *ctx, const void *mine, size_t n, heft_gathered *out)
{
    const size_t        size = heft_n_ranks(ctx);
    HEFT_FREED size_t  *length = NULL;
    HEFT_FREED int64_t *n_of = NULL; /* bytes per rank */
    *out = (heft_gathered){.n = size, .mine = heft_comm_rank(ctx)};
    HEFT_NEW(ctx, out->start, size + 1);
    if (heft_is_single(ctx)) {
        HEFT_NEW(ctx, out->bytes, n);
        if (n) memcpy(out->bytes, mine, n);
        out->start[1] = n;
        return HEFT_OK;
    }
    HEFT_NEW(ctx, length, size);
    HEFT_CHECK(begin_collective(ctx, GATHER, 0, false, NULL));
    HEFT_NEW(ctx, n_of, size);
    n_of[heft_comm_rank(ctx)] = (int64_t)n;
    if (ctx->comm->allreduce_ints(ctx->comm->user, n_of, size) != 0)
        HEFT_CHECK(fail_unreachable(ctx));
    for (size_t r = 0; r < size; r++) {
        length[r] = (size_t)n_of[r];
        out->start[r + 1] = out->start[r] + length[r];
    }
    out->bytes = heft_alloc(out->start[size] + 1, 1);
    if (!out->bytes) heft_no_memory(ctx, out->start[size], 1);
    HEFT_CHECK(begin_collective(ctx, GATHER, out->start[size], !out->bytes, NULL));
    if (ctx->comm->allgather(ctx->comm->user, mine, length, out->bytes) != 0)
        return fail_unreachable(ctx);
    return HEFT_OK;
}

void heft_gathered_clear(heft_gathered *gathered)
{
    heft_free(gathered->bytes);
    heft_free(gathered->start);
    *gathered = (heft_gathered){0};
}

heft_status heft_comm_broadcast(heft_ctx *ctx, void *bytes, size_t n, size_t root)
{
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_CHECK(begin_collective(ctx, BROADCAST, n, false, NULL));
    if (ctx->comm->broadcast(ctx->comm->user, bytes, n, (int)root) != 0)
        return fail_unreachable(ctx);
    return HEFT_OK;
}

heft_status heft_comm_end(heft_ctx *ctx, heft_status st)
{
    if (heft_is_single(ctx) || ctx->error_shared) return st;
    return begin_collective(ctx, END, 0, st != HEFT_OK, NULL);
}
