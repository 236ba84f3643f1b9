/* api_predict.c - predictions as CSV: formatted in blocks by several threads, written in order. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "base/comm.h"
#include "base/num.h"
#include "base/out.h"
#include "base/rows.h"
#include "base/text.h"
#include "methods/fit.h"

enum { BLOCK = 4096, WAVE = 16 }; /* rows of a block; blocks in memory at once */

typedef struct writing {
    const double *proba;
    size_t        n_rows, n_class, first; /* first block of the wave */
    bool          with_proba;
    char        **label; /* class names, quoted for CSV */
    heft_buf     *buf;   /* WAVE of them */
} writing;

static heft_status format_block(heft_ctx *ctx, void *arg, size_t b)
{
    const writing *w = arg;
    heft_buf      *buf = &w->buf[b];
    const size_t   lo = (w->first + b) * BLOCK, K = w->n_class;
    const size_t   hi = w->n_rows - lo < BLOCK ? w->n_rows : lo + BLOCK;

    buf->length = 0;
    for (size_t i = lo; i < hi; i++) {
        const double *p = w->proba + i * K;
        heft_buf_text(buf, w->label[heft_argmax(p, K)]);
        for (size_t c = 0; w->with_proba && c < K; c++) {
            heft_buf_add(buf, ",", 1);
            heft_buf_double(buf, p[c]);
        }
        heft_buf_add(buf, "\n", 1);
    }
    return buf->failed ? heft_no_memory(ctx, BLOCK, 32 * K) : HEFT_OK;
}

static heft_status make_labels(heft_ctx *ctx, const heft_model *model, char ***out)
{
    heft_status  st = HEFT_OK;
    const size_t K = model->fitted.n_class;
    heft_buf     buf = {0};

    HEFT_ARENA(ctx, &ctx->scratch, *out, K);
    for (uint32_t c = 0; c < K; c++) {
        buf.length = 0;
        heft_buf_csv(&buf, heft_dict_text(model->prep.classes, c), ',');
        if (buf.failed) HEFT_TRY(heft_no_memory(ctx, 1, buf.length + 1));
        HEFT_ARENA(ctx, &ctx->scratch, (*out)[c], buf.length + 1);
        if (buf.length) memcpy((*out)[c], buf.data, buf.length);
    }
done:
    heft_buf_clear(&buf);
    return st;
}

static heft_status write_header(heft_ctx *ctx, const heft_model *model, bool proba, heft_out *out)
{
    heft_status st = HEFT_OK;
    heft_buf    buf = {0}, name = {0};

    heft_buf_text(&buf, "predicted");
    for (uint32_t c = 0; proba && c < model->fitted.n_class; c++) {
        name.length = 0;
        heft_buf_text(&name, "P(");
        heft_buf_text(&name, heft_dict_text(model->prep.classes, c));
        heft_buf_add(&name, ")", 2); /* with its 0 */
        heft_buf_add(&buf, ",", 1);
        if (!name.failed) heft_buf_csv(&buf, name.data, ',');
    }
    heft_buf_add(&buf, "\n", 1);
    if (buf.failed || name.failed) HEFT_TRY(heft_no_memory(ctx, 1, buf.length + 1));
    HEFT_TRY(heft_out_write(ctx, out, buf.data, buf.length));
done:
    heft_buf_clear(&buf);
    heft_buf_clear(&name);
    return st;
}

static heft_status write_rows(heft_ctx *ctx, writing *w, heft_out *out)
{
    heft_status  st = HEFT_OK;
    const size_t n_blocks = w->n_rows ? (w->n_rows - 1) / BLOCK + 1 : 0;

    for (w->first = 0; w->first < n_blocks; w->first += WAVE) {
        const size_t n = n_blocks - w->first < WAVE ? n_blocks - w->first : WAVE;
        HEFT_TRY(heft_check_cancel(ctx));
        HEFT_TRY(heft_run(ctx, n, format_block, w));
        for (size_t b = 0; b < n; b++)
            HEFT_TRY(heft_out_write(ctx, out, w->buf[b].data, w->buf[b].length));
    }
done:
    return st;
}

/* The next wave of this rank's lines in one piece; empty at their end. */
static heft_status next_piece(heft_ctx *ctx, writing *w, heft_buf *piece)
{
    heft_status  st = HEFT_OK;
    const size_t n_blocks = w->n_rows ? (w->n_rows - 1) / BLOCK + 1 : 0;
    piece->length = 0;
    if (w->first >= n_blocks) return HEFT_OK;
    const size_t n = n_blocks - w->first < WAVE ? n_blocks - w->first : WAVE;
    HEFT_TRY(heft_check_cancel(ctx));
    HEFT_TRY(heft_run(ctx, n, format_block, w));
    for (size_t b = 0; b < n; b++) heft_buf_add(piece, w->buf[b].data, w->buf[b].length);
    w->first += n;
    if (piece->failed) HEFT_TRY(heft_no_memory(ctx, piece->length, 2));
done:
    return st;
}

/* The lines of the other ranks, one rank after the other, piece by piece; rank 0 writes them. */
static heft_status write_others(heft_ctx *ctx, writing *w, heft_out *out)
{
    heft_status st = HEFT_OK;
    heft_buf    piece = {0};
    char       *copy = NULL;
    w->first = 0;
    for (size_t root = 1; root < heft_comm_size(ctx); root++) {
        const bool mine = heft_comm_rank(ctx) == root;
        int64_t    n = 1;
        while (n > 0) {
            if (mine) HEFT_TRY(next_piece(ctx, w, &piece));
            n = (int64_t)piece.length;
            HEFT_TRY(heft_comm_broadcast(ctx, &n, sizeof n, root));
            if (!mine) {
                char *room = heft_resize(copy, (size_t)n + 1, 1);
                if (!room) HEFT_TRY(heft_no_memory(ctx, (size_t)n, 1));
                copy = room;
            }
            HEFT_TRY(heft_comm_broadcast(ctx, mine ? piece.data : copy, (size_t)n, root));
            if (out && n > 0) HEFT_TRY(heft_out_write(ctx, out, copy, (size_t)n));
        }
    }
done:
    heft_free(copy);
    heft_buf_clear(&piece);
    return st;
}

static heft_status write_csv(heft_ctx *ctx, const heft_model *model, const double *proba,
                             size_t n_rows, const char *path, bool with_proba)
{
    heft_status st = HEFT_OK;
    heft_out   *out = NULL;
    heft_buf    buf[WAVE] = {0};
    writing     w = {.proba = proba,
                     .n_rows = n_rows,
                     .n_class = model->fitted.n_class,
                     .with_proba = with_proba,
                     .buf = buf};

    HEFT_TRY(make_labels(ctx, model, &w.label));
    if (heft_comm_rank(ctx) == 0) {
        HEFT_TRY(heft_out_open(ctx, path, &out));
        HEFT_TRY(write_header(ctx, model, with_proba, out));
        HEFT_TRY(write_rows(ctx, &w, out));
    }
    /* Of a model that is spread out every rank has all the answers. */
    if (!heft_alone(ctx) && !model->comm) HEFT_TRY(write_others(ctx, &w, out));
    if (out) st = heft_out_commit(ctx, out);
    out = NULL;
done:
    heft_out_abandon(out);
    for (size_t b = 0; b < WAVE; b++) heft_buf_clear(&buf[b]);
    return st;
}

static heft_status count_right(const heft_model *model, const heft_table *data, const double *proba,
                               size_t *right, size_t *known, heft_error *err)
{
    int32_t *truth = heft_alloc(data->n_rows, sizeof *truth);
    if (!truth) return HEFT_ENOMEM;
    const heft_status st = heft_model_truth(model, data, truth, err);
    const size_t      K = model->fitted.n_class;
    size_t            n_right = 0, n_known = 0;
    for (size_t i = 0; st == HEFT_OK && i < data->n_rows; i++) {
        if (truth[i] < 0) continue;
        n_known++;
        n_right += heft_argmax(proba + i * K, K) == (size_t)truth[i];
    }
    heft_free(truth);
    if (right) *right = n_right;
    if (known) *known = n_known;
    return st;
}

static heft_status predict_write(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                 const char *path, bool proba, size_t *right, size_t *known)
{
    heft_status  st = HEFT_OK;
    double      *p = NULL;
    int64_t      sums[2];
    const size_t line = model->fitted.n_class * sizeof *p;
    p = heft_alloc(data->n_rows, line);
    if (!p) HEFT_TRY(heft_no_memory(ctx, data->n_rows, line));
    HEFT_TRY(heft_posterior(ctx, model, data, p));
    st = count_right(model, data, p, right, known, ctx->err);
    if (st == HEFT_ENOMEM) heft_no_memory(ctx, data->n_rows, sizeof(int32_t));
    if (st != HEFT_OK) goto done;
    if (!model->comm) {
        sums[0] = (int64_t)*right, sums[1] = (int64_t)*known;
        HEFT_TRY(heft_comm_add(ctx, sums, 2));
        *right = (size_t)sums[0], *known = (size_t)sums[1];
    }
    HEFT_TRY(write_csv(ctx, model, p, data->n_rows, path, proba));
done:
    heft_free(p);
    return st;
}

heft_status heft_predict_write_ranks(const heft_model *model, const heft_table *data,
                                     const char *path, bool proba, int threads,
                                     const heft_talk *talk, const heft_comm *comm, size_t *right,
                                     size_t *known, heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;
    size_t      n_right = 0, n_known = 0;

    heft_ctx_init(&ctx, err, threads, 0, talk);
    HEFT_TRY(heft_comm_check(&ctx, comm));
    ctx.comm = comm;
    st = heft_need(&ctx, model && data && path, "heft_predict_write");
    if (st == HEFT_OK) st = predict_write(&ctx, model, data, path, proba, &n_right, &n_known);
    st = heft_comm_end(&ctx, st);
    if (right) *right = n_right;
    if (known) *known = n_known;
done:
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_predict_write(const heft_model *model, const heft_table *data, const char *path,
                               bool proba, int threads, const heft_talk *talk, size_t *right,
                               size_t *known, heft_error *err)
{
    return heft_predict_write_ranks(model, data, path, proba, threads, talk, NULL, right, known,
                                    err);
}
