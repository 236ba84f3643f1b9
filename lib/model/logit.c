/* logit.c - class-and-value weights by penalised conditional log-likelihood. */
#include "model/logit.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/vec.h"
#include "data/table.h"

enum {
    TOGETHER = 4,       /* features read in one go */
    SCORES = 32 * 1024, /* bytes of scores of a block: what the first-level cache holds */
    MOST_BLOCK = 1024,
    LEAST_BLOCK = 128,
    MOST_RUNS = 32,
    LEAST_RUN = 2048, /* rows of a run */
    MEMORY = 8
};

static const double REL_TOL = 1e-8;

/* Where the loader can choose, also a version for wider vectors: the same operations on the same
 * numbers, the same bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif
#define ALWAYS static inline __attribute__((always_inline))

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

typedef struct heft_group {
    unsigned width;
    size_t   n, feature[TOGETHER];
} group;

/* ---- the inner loops; `stride` and `width` are constants where they are called ---- */

/* to[0..stride) += the lines a[0..n) */
ALWAYS void add_lines(float *to, const float *const *a, size_t n, size_t stride)
{
    if (stride == 1) {
        float x = *to;
        for (size_t k = 0; k < n; k++) x += *a[k];
        *to = x;
    } else if (stride % 8 == 0) {
        for (size_t c = 0; c < stride; c += 8) {
            eight x = *(const eight *)(to + c);
            for (size_t k = 0; k < n; k++) x += *(const eight *)(a[k] + c);
            *(eight *)(to + c) = x;
        }
    } else {
        for (size_t c = 0; c < stride; c += 4) {
            four x = *(const four *)(to + c);
            for (size_t k = 0; k < n; k++) x += *(const four *)(a[k] + c);
            *(four *)(to + c) = x;
        }
    }
}

ALWAYS void add_line(float *to, const float *from, size_t stride)
{
    if (stride == 1) *to += *from;
    else if (stride % 8 == 0)
        for (size_t c = 0; c < stride; c += 8) *(eight *)(to + c) += *(const eight *)(from + c);
    else
        for (size_t c = 0; c < stride; c += 4) *(four *)(to + c) += *(const four *)(from + c);
}

/* to += x from */
ALWAYS void add_times(float *to, const float *from, float x, size_t stride)
{
    if (stride == 1) *to += x * *from;
    else if (stride % 8 == 0)
        for (size_t c = 0; c < stride; c += 8) *(eight *)(to + c) += x * *(const eight *)(from + c);
    else
        for (size_t c = 0; c < stride; c += 4) *(four *)(to + c) += x * *(const four *)(from + c);
}

/* score[i] += the weights of row lo + i's codes of n features */
ALWAYS void gather(float *score, size_t rows, size_t lo, const float *const *w,
                   const void *const *codes, size_t n, unsigned width, size_t stride)
{
    for (size_t i = 0; i < rows; i++) {
        const float *line[TOGETHER];
        for (size_t k = 0; k < n; k++)
            line[k] = w[k] + (size_t)heft_code_at(codes[k], width, lo + i) * stride;
        add_lines(score + i * stride, line, n, stride);
    }
}

/* The gradient of row lo + i's codes += its residuals */
ALWAYS void scatter(const float *residual, size_t rows, size_t lo, float *const *g,
                    const void *const *codes, size_t n, unsigned width, size_t stride)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++)
            add_line(g[k] + (size_t)heft_code_at(codes[k], width, lo + i) * stride,
                     residual + i * stride, stride);
}

typedef struct stretch { /* a block of rows and its scores, later residuals */
    const heft_logit_rows *rows;
    const heft_logit      *logit;
    size_t                 lo, n;
    float                 *score;
    const float           *w;
    float                 *g;
} stretch;

ALWAYS void group_forward(const stretch *s, const group *gr, size_t n, unsigned width,
                          size_t stride)
{
    const float *w[TOGETHER];
    const void  *codes[TOGETHER];
    for (size_t k = 0; k < n; k++) {
        w[k] = s->w + s->logit->at[gr->feature[k]] * stride;
        codes[k] = s->rows->feature[gr->feature[k]].codes;
    }
    gather(s->score, s->n, s->lo, w, codes, n, width, stride);
}

ALWAYS void group_backward(const stretch *s, const group *gr, size_t n, unsigned width,
                           size_t stride)
{
    float      *g[TOGETHER];
    const void *codes[TOGETHER];
    for (size_t k = 0; k < n; k++) {
        g[k] = s->g + s->logit->at[gr->feature[k]] * stride;
        codes[k] = s->rows->feature[gr->feature[k]].codes;
    }
    scatter(s->score, s->n, s->lo, g, codes, n, width, stride);
}

ALWAYS void all_forward(const stretch *s, size_t stride)
{
    const heft_logit *l = s->logit;
    for (size_t k = 0; k < l->n_groups; k++) {
        const group *gr = &l->group[k];
        if (gr->width == 1 && gr->n == TOGETHER) group_forward(s, gr, TOGETHER, 1, stride);
        else if (gr->width == 2 && gr->n == TOGETHER) group_forward(s, gr, TOGETHER, 2, stride);
        else group_forward(s, gr, gr->n, gr->width, stride);
    }
    const float *u = s->w + (l->n_lines - 1 - l->rows.n_reals) * stride;
    for (size_t k = 0; k < l->rows.n_reals; k++, u += stride) {
        const float *z = s->rows->real[k] + s->lo;
        for (size_t i = 0; i < s->n; i++) add_times(s->score + i * stride, u, z[i], stride);
    }
}

/* to += sum_i z_i from_i (z NULL: 1), in registers where the stride is small. */
ALWAYS void sum_times(float *to, const float *from, const float *z, size_t n, size_t stride)
{
    float  few[32] = {0};
    float *sum = stride <= 32 ? few : to;
    for (size_t i = 0; i < n; i++) add_times(sum, from + i * stride, z ? z[i] : 1, stride);
    if (stride <= 32) add_line(to, few, stride);
}

ALWAYS void all_backward(const stretch *s, size_t stride)
{
    const heft_logit *l = s->logit;
    for (size_t k = 0; k < l->n_groups; k++) {
        const group *gr = &l->group[k];
        if (gr->width == 1 && gr->n == TOGETHER) group_backward(s, gr, TOGETHER, 1, stride);
        else if (gr->width == 2 && gr->n == TOGETHER) group_backward(s, gr, TOGETHER, 2, stride);
        else group_backward(s, gr, gr->n, gr->width, stride);
    }
    float *u = s->g + (l->n_lines - 1 - l->rows.n_reals) * stride;
    for (size_t k = 0; k < l->rows.n_reals; k++, u += stride)
        sum_times(u, s->score, s->rows->real[k] + s->lo, s->n, stride);
    sum_times(u, s->score, NULL, s->n, stride);
}

#define EACH_STRIDE(what)                                                                          \
    switch (s->logit->stride) {                                                                    \
    case 1:                                                                                        \
        what(s, 1);                                                                                \
        break;                                                                                     \
    case 4:                                                                                        \
        what(s, 4);                                                                                \
        break;                                                                                     \
    case 8:                                                                                        \
        what(s, 8);                                                                                \
        break;                                                                                     \
    case 12:                                                                                       \
        what(s, 12);                                                                               \
        break;                                                                                     \
    case 16:                                                                                       \
        what(s, 16);                                                                               \
        break;                                                                                     \
    case 24:                                                                                       \
        what(s, 24);                                                                               \
        break;                                                                                     \
    case 32:                                                                                       \
        what(s, 32);                                                                               \
        break;                                                                                     \
    default:                                                                                       \
        what(s, s->logit->stride);                                                                 \
    }

WIDE static void forward(const stretch *s)
{
    const size_t stride = s->logit->stride;
    const float *bias = s->w + (s->logit->n_lines - 1) * stride;
    for (size_t i = 0; i < s->n; i++) memcpy(s->score + i * stride, bias, stride * sizeof *bias);
    EACH_STRIDE(all_forward)
}

WIDE static void backward(const stretch *s)
{
    EACH_STRIDE(all_backward)
}

/* ---- scores ---- */

/* Scores of the classes in double. */
static void widen(const heft_logit *l, const float *score, size_t n, double *out)
{
    const size_t K = l->n_class;
    for (size_t i = 0; i < n; i++) {
        if (l->stride == 1) {
            out[2 * i] = -(double)score[i];
            out[2 * i + 1] = (double)score[i];
        } else {
            for (size_t c = 0; c < K; c++) out[i * K + c] = (double)score[i * l->stride + c];
        }
    }
}

/* Scores become residuals w_i (p_c - [y_i = c]); returns the loss. */
static double residuals(const stretch *s, double *proba)
{
    const heft_logit *l = s->logit;
    const size_t      K = l->n_class;
    double           *lse = proba + s->n * K, sum = 0;
    widen(l, s->score, s->n, proba);
    for (size_t i = 0; i < s->n; i++) {
        const double w = s->rows->weight ? s->rows->weight[s->lo + i] : 1;
        sum -= w * proba[i * K + s->rows->y[s->lo + i]];
    }
    heft_softmax_all(proba, s->n, K, lse);
    for (size_t i = 0; i < s->n; i++) {
        const size_t y = s->rows->y[s->lo + i];
        const double w = s->rows->weight ? s->rows->weight[s->lo + i] : 1;
        double      *p = proba + i * K;
        sum += w * lse[i];
        p[y] -= 1;
        if (l->stride == 1) s->score[i] = (float)(2 * w * p[1]);
        else
            for (size_t c = 0; c < K; c++) s->score[i * l->stride + c] = (float)(w * p[c]);
    }
    return sum;
}

static size_t room_of(const heft_logit *l) /* doubles a run needs: scores, probabilities, lse */
{
    return l->block * (l->stride / 2 + 1 + l->n_class + 1);
}

static heft_status one_run(heft_ctx *ctx, void *arg, size_t r)
{
    const heft_logit *l = arg;
    const size_t      n = l->rows.n, size = heft_logit_size(l);
    const size_t      first = n / l->n_runs * r + (r < n % l->n_runs ? r : n % l->n_runs);
    const size_t      last = first + n / l->n_runs + (r < n % l->n_runs);
    double           *proba = l->room + r * room_of(l);
    stretch           s = {.rows = &l->rows, .logit = l, .w = l->w};
    (void)ctx;
    s.score = (float *)(proba + l->block * (l->n_class + 1));
    s.g = l->n_runs == 1 ? l->g : l->part + r * size;
    memset(s.g, 0, size * sizeof *s.g);
    l->loss[r] = 0;
    for (s.lo = first; s.lo < last; s.lo += l->block) {
        s.n = last - s.lo < l->block ? last - s.lo : l->block;
        forward(&s);
        l->loss[r] += residuals(&s, proba);
        backward(&s);
    }
    return HEFT_OK;
}

static double lambda_of(const heft_logit *l, size_t f)
{
    const size_t F = l->rows.n_features;
    return f < F    ? l->rows.feature[f].lambda * l->scale
           : f == F ? l->real_lambda * l->scale
                    : l->bias_lambda;
}

/* Adds the runs' gradients and the penalty for lines lo .. hi - 1; acc[0] += |w|^2 lambda / 2. */
static void finish_lines(const heft_logit *l, size_t lo, size_t hi, double lambda, double *acc)
{
    const size_t size = heft_logit_size(l), stride = l->stride;
    /* With two classes the one number stands for two. */
    const double twice = stride == 1 ? 2 : 1;
    double       square = 0;
    for (size_t k = lo * stride; k < hi * stride; k++) {
        float sum = l->n_runs == 1 ? l->g[k] : l->part[k];
        for (size_t r = 1; r < l->n_runs; r++) sum += l->part[r * size + k];
        square += (double)l->w[k] * (double)l->w[k];
        l->g[k] = sum + (float)(twice * lambda) * l->w[k];
    }
    acc[0] += twice * lambda / 2 * square;
}

/* Features lo .. hi - 1; behind the last one the reals and the bias. */
static void finish_features(const void *arg, size_t lo, size_t hi, double *acc)
{
    const heft_logit *l = arg;
    const size_t      F = l->rows.n_features;
    for (size_t f = lo; f < hi; f++) {
        const size_t first = f < F ? l->at[f] : f == F ? l->at[F] : l->n_lines - 1;
        const size_t end = f < F ? l->at[f + 1] : f == F ? l->n_lines - 1 : l->n_lines;
        finish_lines(l, first, end, lambda_of(l, f), acc);
    }
}

heft_status heft_logit_objective(heft_ctx *ctx, void *user, const float *w, double *f, float *g)
{
    heft_status st = HEFT_OK;
    heft_logit *l = user;
    l->w = w;
    l->g = g;
    HEFT_TRY(heft_run(ctx, l->n_runs, one_run, l));
    HEFT_TRY(heft_sum_rows(ctx, l->rows.n_features + 2, 1, finish_features, l, f));
    for (size_t r = 0; r < l->n_runs; r++) *f += l->loss[r];
done:
    return st;
}

/* ---- public ---- */

size_t heft_logit_size(const heft_logit *logit)
{
    return logit->n_lines * logit->stride;
}

/* Features of the same width, a few at a time. */
static heft_status make_groups(heft_ctx *ctx, heft_logit *l, heft_arena *arena)
{
    heft_status st = HEFT_OK;
    HEFT_ARENA(ctx, arena, l->group, l->rows.n_features);
    for (unsigned width = 1; width <= 4; width *= 2) {
        group *open = NULL;
        for (size_t f = 0; f < l->rows.n_features; f++) {
            if (l->rows.feature[f].width != width) continue;
            if (!open || open->n == TOGETHER) {
                open = &l->group[l->n_groups++];
                open->width = width;
            }
            open->feature[open->n++] = f;
        }
    }
done:
    return st;
}

/* More runs than rows or lines of weights can feed would cost more than they save. */
static size_t runs_of(const heft_logit *l)
{
    const double work = (double)l->rows.n * (double)(l->rows.n_features + l->rows.n_reals + 1);
    double       runs = work / (16 * (double)l->n_lines);
    runs = fmin(runs, (double)l->rows.n / LEAST_RUN);
    return runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : (size_t)runs;
}

heft_status heft_logit_open(heft_ctx *ctx, const heft_logit_rows *rows, size_t n_class,
                            double real_lambda, double bias_lambda, heft_arena *arena,
                            heft_logit *out)
{
    heft_status st = HEFT_OK;
    *out = (heft_logit){.n_class = n_class,
                        .rows = *rows,
                        .real_lambda = real_lambda,
                        .bias_lambda = bias_lambda,
                        .scale = 1};
    out->stride = n_class == 2    ? 1
                  : n_class <= 4  ? 4
                  : n_class <= 8  ? 8
                  : n_class <= 12 ? 12
                                  : (n_class + 7) / 8 * 8;
    HEFT_ARENA(ctx, arena, out->at, rows->n_features + 1);
    for (size_t f = 0; f < rows->n_features; f++)
        out->at[f + 1] = out->at[f] + rows->feature[f].n_codes;
    out->n_lines = out->at[rows->n_features] + rows->n_reals + 1;
    HEFT_TRY(make_groups(ctx, out, arena));
    const size_t fits = SCORES / (out->stride * sizeof(float));
    out->block = fits > MOST_BLOCK ? MOST_BLOCK : fits < LEAST_BLOCK ? LEAST_BLOCK : fits;
    out->n_runs = runs_of(out);
    HEFT_ARENA(ctx, arena, out->loss, out->n_runs);
    HEFT_ARENA(ctx, arena, out->room, out->n_runs * room_of(out));
    if (out->n_runs > 1) HEFT_ARENA(ctx, arena, out->part, out->n_runs * heft_logit_size(out));
done:
    return st;
}

heft_status heft_logit_fit(heft_ctx *ctx, heft_logit *logit, double scale, long iterations,
                           float *w, heft_minimum *how)
{
    const heft_stop stop = {.memory = MEMORY, .rel_tol = REL_TOL, .max_iter = iterations};
    logit->scale = scale;
    return heft_lbfgs(ctx, heft_logit_size(logit), heft_logit_objective, logit, &stop, NULL, w,
                      how);
}

typedef struct scoring {
    const heft_logit      *logit;
    const float           *w;
    const heft_logit_rows *rows;
    double                *out;
} scoring;

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    heft_status    st = HEFT_OK;
    const scoring *job = arg;
    const size_t   K = job->logit->n_class;
    double        *out = job->out + lo * K, *lse, *proba;
    stretch        s = {job->rows, job->logit, lo, hi - lo, NULL, job->w, NULL};

    HEFT_ARENA(ctx, &ctx->scratch, s.score, s.n * job->logit->stride);
    HEFT_ARENA(ctx, &ctx->scratch, proba, s.n * K);
    HEFT_ARENA(ctx, &ctx->scratch, lse, s.n);
    forward(&s);
    widen(job->logit, s.score, s.n, out);
    memcpy(proba, out, s.n * K * sizeof *proba);
    heft_softmax_all(proba, s.n, K, lse);
    for (size_t i = 0; i < s.n; i++)
        for (size_t c = 0; c < K; c++) out[i * K + c] -= lse[i];
done:
    return st;
}

heft_status heft_logit_score(heft_ctx *ctx, const heft_logit *logit, const float *w,
                             const heft_logit_rows *rows, double *out)
{
    scoring job = {logit, w, rows, out};
    return heft_run_blocks(ctx, rows->n, logit->block, score_block, &job);
}

static void line_out(const heft_logit *l, const float *w, size_t line, double *out)
{
    widen(l, w + line * l->stride, 1, out);
}

void heft_logit_code(const heft_logit *logit, const float *w, size_t f, uint32_t code, double *out)
{
    line_out(logit, w, logit->at[f] + code, out);
}

void heft_logit_real(const heft_logit *logit, const float *w, size_t k, double *out)
{
    line_out(logit, w, logit->at[logit->rows.n_features] + k, out);
}

void heft_logit_bias(const heft_logit *logit, const float *w, double *out)
{
    line_out(logit, w, logit->n_lines - 1, out);
}
