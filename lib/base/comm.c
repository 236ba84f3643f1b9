/* comm.c - collectives: whether a rank has failed and where each one is, then sums and copies. */
#include "base/comm.h"

#include <stdio.h>
#include <string.h>

enum { END = 1, SUM, SUM_EXACT, ADD, GATHER, BROADCAST };

typedef struct trouble { /* what a rank sends to the others when one has failed */
    int32_t code;
    char    text[508];
} trouble;

heft_status heft_comm_check(heft_ctx *ctx, const heft_comm *comm)
{
    if (!comm) return HEFT_OK;
    if (comm->size < 1 || comm->rank < 0 || comm->rank >= comm->size)
        return heft_fail(ctx, HEFT_EINVAL, "heft_comm: rank %d of %d", comm->rank, comm->size);
    if (comm->size > 1 &&
        (!comm->allreduce_doubles || !comm->allreduce_ints || !comm->allgather || !comm->broadcast))
        return heft_fail(ctx, HEFT_EINVAL, "heft_comm: a function is NULL");
    return HEFT_OK;
}

/* ---- failures ---- */

static heft_status lost(heft_ctx *ctx)
{
    const heft_comm *comm = ctx->comm;
    ctx->told = true; /* no rank can be told */
    heft_fail(ctx, HEFT_EIO, "rank %d: the other ranks cannot be reached (has one of them ended?)",
              comm->rank);
    if (comm->abort) comm->abort(comm->user, ctx->err->text);
    return HEFT_EIO;
}

/* Every rank sends its error; that of the lowest rank that failed becomes everyone's. */
static heft_status tell(heft_ctx *ctx, bool failed)
{
    heft_status      st = HEFT_OK;
    const heft_comm *comm = ctx->comm;
    const size_t     size = (size_t)comm->size;
    trouble          mine = {0}, *all = NULL;
    size_t          *length = NULL, r = 0;
    HEFT_HEAP(ctx, all, size);
    HEFT_HEAP(ctx, length, size);
    for (size_t k = 0; k < size; k++) length[k] = sizeof mine;
    if (failed) {
        mine.code = (int32_t)ctx->err->code;
        snprintf(mine.text, sizeof mine.text, "%.*s", (int)sizeof mine.text - 1, ctx->err->text);
    }
    if (comm->allgather(comm->user, &mine, length, all) != 0) {
        st = lost(ctx);
        goto done;
    }
    while (r + 1 < size && all[r].code == 0) r++;
    st = heft_fail(ctx, (heft_status)all[r].code, "rank %zu: %.480s", r, all[r].text);
done:
    ctx->told = true;
    heft_free(all);
    heft_free(length);
    return st;
}

/* ---- collectives ---- */

enum { CARRIED = 64 };

/* What every rank sends first, of the same size in every collective: a rank that has failed does
 * not know which one the others are in. A short sum travels in it. */
typedef struct packet {
    uint64_t failed, place;
    double   v[CARRIED];
} packet;

typedef struct freight { /* what is to be summed with a packet */
    double  *v;
    heft_dd *t;
    size_t   n, n_t;
} freight;

/* Sums in the order of the ranks: the same bits on all of them. */
static void add_up(const packet *all, size_t size, const freight *load)
{
    const double *first = all[0].v + load->n; /* the double-double ones */
    for (size_t k = 0; k < load->n_t; k++) {
        heft_dd sum = {first[2 * k], first[2 * k + 1]};
        for (size_t r = 1; r < size; r++) {
            const double *x = all[r].v + load->n + 2 * k;
            sum = heft_dd_add(sum, (heft_dd){x[0], x[1]});
        }
        load->t[k] = sum;
    }
    double *v = load->v;
    for (size_t k = 0; k < load->n; k++) {
        double sum = all[0].v[k];
        for (size_t r = 1; r < size; r++) sum += all[r].v[k];
        v[k] = sum;
    }
}

static heft_status not_together(heft_ctx *ctx)
{
    ctx->told = true; /* every rank sees it */
    return heft_fail(ctx, HEFT_EINVAL,
                     "rank %d: the ranks are not at the same step (start all of them with the same "
                     "program, options and files)",
                     ctx->comm->rank);
}

/* Checks that no rank has failed and all are at the same step; what is carried becomes the sum over
 * the ranks. */
static heft_status meet(heft_ctx *ctx, int what, size_t n, bool failed, const freight *carried)
{
    heft_status      st = HEFT_OK;
    const heft_comm *comm = ctx->comm;
    const size_t     size = (size_t)comm->size;
    packet          *all = heft_alloc(size, sizeof *all);
    size_t          *length = heft_alloc(size, sizeof *length);
    packet           mine = {failed, (uint64_t)what << 56 ^ n, {0}};
    bool             any = false, alike = true;
    for (size_t r = 0; length && r < size; r++) length[r] = sizeof mine;
    if (carried && carried->n) memcpy(mine.v, carried->v, carried->n * sizeof *mine.v);
    if (carried && carried->n_t)
        memcpy(mine.v + carried->n, carried->t, carried->n_t * sizeof *carried->t);
    if (!all || !length || comm->allgather(comm->user, &mine, length, all) != 0) {
        st = lost(ctx);
        goto done;
    }
    for (size_t r = 0; r < size; r++) {
        any = any || all[r].failed;
        alike = alike && all[r].place == all[0].place;
    }
    if (any) st = tell(ctx, failed);
    else if (!alike) st = not_together(ctx);
    else if (carried) add_up(all, size, carried);
done:
    heft_free(all);
    heft_free(length);
    return st;
}

heft_status heft_all_sum(heft_ctx *ctx, double *v, size_t n)
{
    if (heft_all_here(ctx) || n == 0) return HEFT_OK;
    const bool carry = n <= CARRIED;
    HEFT_CHECK(meet(ctx, SUM, n, false, carry ? &(freight){.v = v, .n = n} : NULL));
    if (!carry && ctx->comm->allreduce_doubles(ctx->comm->user, v, n) != 0) return lost(ctx);
    return HEFT_OK;
}

heft_status heft_all_sum_exact(heft_ctx *ctx, heft_dd *t, size_t n_t, double *v, size_t n)
{
    if (heft_all_here(ctx)) return HEFT_OK;
    const bool carry = 2 * n_t + n <= CARRIED;
    freight    both = {.v = v, .n = carry ? n : 0, .t = t, .n_t = n_t};
    if (2 * n_t > CARRIED)
        HEFT_CHECK(heft_fail(ctx, HEFT_EINVAL, "%zu sums at once are too many", n_t));
    HEFT_CHECK(meet(ctx, SUM_EXACT, n, false, &both));
    if (!carry && ctx->comm->allreduce_doubles(ctx->comm->user, v, n) != 0) return lost(ctx);
    return HEFT_OK;
}

heft_status heft_all_add(heft_ctx *ctx, int64_t *v, size_t n)
{
    if (heft_all_here(ctx) || n == 0) return HEFT_OK;
    HEFT_CHECK(meet(ctx, ADD, n, false, NULL));
    if (ctx->comm->allreduce_ints(ctx->comm->user, v, n) != 0) return lost(ctx);
    return HEFT_OK;
}

heft_status heft_all_max(heft_ctx *ctx, double *v, size_t n)
{
    heft_status   st = HEFT_OK;
    heft_gathered all = {0};
    if (heft_all_here(ctx) || n == 0) return HEFT_OK;
    HEFT_TRY(heft_all_gather(ctx, v, n * sizeof *v, &all));
    for (size_t r = 0; r < heft_all_parts(ctx); r++)
        for (size_t k = 0; k < n; k++) {
            double x;
            memcpy(&x, all.bytes + all.start[r] + k * sizeof x, sizeof x);
            if (x > v[k]) v[k] = x;
        }
done:
    heft_gathered_clear(&all);
    return st;
}

/* The lengths of all ranks, and where each one's bytes begin. */
static heft_status lengths(heft_ctx *ctx, size_t n, size_t *length, size_t *start)
{
    heft_status      st = HEFT_OK;
    const heft_comm *comm = ctx->comm;
    const size_t     size = heft_all_parts(ctx);
    int64_t         *v = NULL;
    HEFT_HEAP(ctx, v, size);
    v[heft_comm_rank(ctx)] = (int64_t)n;
    if (comm->allreduce_ints(comm->user, v, size) != 0) HEFT_TRY(lost(ctx));
    for (size_t r = 0; r < size; r++) {
        length[r] = (size_t)v[r];
        start[r + 1] = start[r] + length[r];
    }
done:
    heft_free(v);
    return st;
}

heft_status heft_all_gather(heft_ctx *ctx, const void *mine, size_t n, heft_gathered *out)
{
    heft_status  st = HEFT_OK;
    const size_t size = heft_all_parts(ctx);
    size_t      *length = NULL;
    *out = (heft_gathered){.n = size};
    HEFT_HEAP(ctx, out->start, size + 1);
    if (heft_all_here(ctx)) {
        HEFT_HEAP(ctx, out->bytes, n);
        if (n) memcpy(out->bytes, mine, n);
        out->start[1] = n;
        goto done;
    }
    HEFT_HEAP(ctx, length, size);
    HEFT_TRY(meet(ctx, GATHER, 0, false, NULL));
    HEFT_TRY(lengths(ctx, n, length, out->start));
    out->bytes = heft_alloc(out->start[size] + 1, 1);
    const bool room = out->bytes != NULL;
    if (!room) heft_no_memory(ctx, out->start[size], 1);
    HEFT_TRY(meet(ctx, GATHER, out->start[size], !room, NULL));
    if (ctx->comm->allgather(ctx->comm->user, mine, length, out->bytes) != 0) st = lost(ctx);
done:
    heft_free(length);
    return st;
}

void heft_gathered_clear(heft_gathered *gathered)
{
    heft_free(gathered->bytes);
    heft_free(gathered->start);
    *gathered = (heft_gathered){0};
}

heft_status heft_comm_broadcast(heft_ctx *ctx, void *bytes, size_t n, size_t root)
{
    if (heft_all_here(ctx)) return HEFT_OK;
    HEFT_CHECK(meet(ctx, BROADCAST, n, false, NULL));
    if (ctx->comm->broadcast(ctx->comm->user, bytes, n, (int)root) != 0) return lost(ctx);
    return HEFT_OK;
}

heft_status heft_comm_end(heft_ctx *ctx, heft_status st)
{
    if (heft_all_here(ctx) || ctx->told) return st;
    return meet(ctx, END, 0, st != HEFT_OK, NULL);
}
