/* logit.c - class-and-value weights by penalised conditional log-likelihood (logit.h).
 *
 * The idea. This is multinomial logistic regression on indicators: one weight per class and value
 * of an attribute, per class and cell of a chosen pair, and a slope per class and scaled number.
 * The penalty makes it a maximum a posteriori estimate under normal priors of variance 1/(scale
 * lambda). The gradient of the loss by the weight of a code is the sum of w_i (p_ic - [y_i = c])
 * over the rows that have the code; the gradient by u_k is the same sum times z_ik. L-BFGS
 * minimises it. The objective is convex, so that the start does not matter, except for the few
 * iterations it gets: fits under falling penalties each begin where the last one ended.
 *
 * Layout. Weights, gradients and scores come in lines of `stride` numbers, one per class: 1 number
 * for two classes, else n_class padded to whole vectors. Lines are ordered in two ways:
 *
 *   by code   w, g            parts of feature 0, of feature 1, ..., reals, bias    at[f][p]
 *   by line   table, sum      lines of feature 0, of feature 1, ..., reals, bias    line_at[f]
 *
 * A feature whose only part has no list of codes has line = code: rows read w itself, and its piece
 * of `table` is not used.
 *
 * One evaluation of the objective at w, F features, n rows:
 *
 *   fill_tables  table[line] = sum_p w_p[code_p(line)] + z(line) u of the reals tied to the feature
 *   one_run      per run of rows, block by block:
 *                  forward    score = bias + sum_f table_f[line of the row] + sum_k z_k u_k
 *                  residuals  score becomes w_i (p_c - [y_i = c]); the loss is added in double
 *                  backward   sum_f[line of the row] += residuals, in the run's own copy of `sum`
 *   finish_...   the runs' copies are added in order, parted by code, and the penalties added
 *
 * Cost: O(n (F + reals) stride) for the rows, O(n_runs n_lines stride) around them.
 *
 * What holds. Sums are in single precision and rounded, but their order depends on the data alone:
 * blocks and runs are cut by n, F and stride, a run adds its rows in order, and runs are added in
 * order. Numbers n_class .. stride - 1 of a line are 0 in w at the start; forward keeps them 0, the
 * residuals set them to exp(-100) = 0, so that their gradient and with it w stay 0. */
#include "methods/auto/logit.h"

#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/vec.h"
#include "data/table.h"

enum {
    TOGETHER = 4,        /* features whose lines are read in one pass over a block */
    SCORES = 128 * 1024, /* bytes of scores of a block; they stay in the second-level cache */
    MOST_BLOCK = 2048,
    LEAST_BLOCK = 128,
    MOST_RUNS = 32,
    LEAST_RUN = 8192, /* rows of a run */
    FINISH = 16,      /* features of one task */
    MEMORY = 8,       /* steps that the minimiser remembers */
    LEAST_MEMORY = 4, /* the same with very many weights */
    MANY_WEIGHTS = 1 << 19
};

static const double REL_TOL = 1e-8;

typedef struct heft_bundle {
    unsigned width;
    size_t   n, feature[TOGETHER];
} group;

typedef struct stretch { /* a block of rows and its scores, later residuals */
    const heft_logit_rows *rows;
    const heft_logit      *logit;
    size_t                 lo, n;
    float                 *score;
    const float           *w;
    float                 *g; /* by line */
} stretch;

/* ---- the inner loops; `stride`, `width` and `n` are constants where they are called ---- */

/* chunk(type, size): the widest vector that divides the stride. */
#define BY_VECTOR(chunk)                                                                           \
    if (stride == 1) chunk(float, 1);                                                              \
    else if (stride % 16 == 0) chunk(heft_sixteen, 16);                                            \
    else if (stride % 8 == 0) chunk(heft_eight, 8);                                                \
    else chunk(heft_four, 4)

#define ADD_UP(type, size)                                                                         \
    do                                                                                             \
        for (size_t c = 0; c < stride; c += (size)) {                                              \
            type x = *(const type *)(to + c);                                                      \
            for (size_t k = 0; k < n; k++) x += *(const type *)(from[k] + c);                      \
            *(type *)(to + c) = x;                                                                 \
        }                                                                                          \
    while (0)
#define ADD_EACH(type, size)                                                                       \
    do                                                                                             \
        for (size_t c = 0; c < stride; c += (size)) {                                              \
            const type x = *(const type *)(from + c);                                              \
            for (size_t k = 0; k < n; k++) *(type *)(to[k] + c) += x;                              \
        }                                                                                          \
    while (0)
#define ADD_TIMES(type, size)                                                                      \
    for (size_t c = 0; c < stride; c += (size))                                                    \
    *(type *)(to + c) += factor * *(const type *)(from + c)

/* to += from[0] + ... + from[n - 1] */
HEFT_INLINE void add_up(float *to, const float *const *from, size_t n, size_t stride)
{
    BY_VECTOR(ADD_UP);
}

/* to[k] += from, for each k */
HEFT_INLINE void add_each(float *const *to, const float *from, size_t n, size_t stride)
{
    BY_VECTOR(ADD_EACH);
}

/* to += factor from */
HEFT_INLINE void add_times(float *to, const float *from, float factor, size_t stride)
{
    BY_VECTOR(ADD_TIMES);
}

/* Whether the feature has a piece of `table`; for the others, rows read w itself. */
static bool has_table(const heft_logit *l, size_t f)
{
    return l->rows.feature[f].part[0].code != NULL;
}

/* score[i] += the weights of row lo + i's lines of n features */
HEFT_INLINE void group_forward(const stretch *s, const group *gr, size_t n, unsigned width,
                               size_t stride)
{
    const heft_logit *l = s->logit;
    const float      *table[TOGETHER];
    const void       *lines[TOGETHER];
    for (size_t k = 0; k < n; k++) {
        const size_t f = gr->feature[k];
        table[k] = has_table(l, f) ? l->work.table + l->line_at[f] * l->stride
                                   : s->w + l->at[f][0] * l->stride;
        lines[k] = s->rows->feature[f].lines;
    }
    for (size_t i = 0; i < s->n; i++) {
        const float *from[TOGETHER];
        for (size_t k = 0; k < n; k++)
            from[k] = table[k] + (size_t)heft_code_at(lines[k], width, s->lo + i) * stride;
        add_up(s->score + i * stride, from, n, stride);
    }
}

/* The gradients of row lo + i's lines += its residuals */
HEFT_INLINE void group_backward(const stretch *s, const group *gr, size_t n, unsigned width,
                                size_t stride)
{
    float      *sum[TOGETHER];
    const void *lines[TOGETHER];
    for (size_t k = 0; k < n; k++) {
        sum[k] = s->g + s->logit->line_at[gr->feature[k]] * stride;
        lines[k] = s->rows->feature[gr->feature[k]].lines;
    }
    for (size_t i = 0; i < s->n; i++) {
        float *to[TOGETHER];
        for (size_t k = 0; k < n; k++)
            to[k] = sum[k] + (size_t)heft_code_at(lines[k], width, s->lo + i) * stride;
        add_each(to, s->score + i * stride, n, stride);
    }
}

#define EACH_GROUP(what)                                                                           \
    for (size_t k = 0; k < s->logit->n_groups; k++) {                                              \
        const group *gr = &s->logit->group[k];                                                     \
        if (gr->width == 1 && gr->n == TOGETHER) what(s, gr, TOGETHER, 1, stride);                 \
        else if (gr->width == 2 && gr->n == TOGETHER) what(s, gr, TOGETHER, 2, stride);            \
        else what(s, gr, gr->n, gr->width, stride);                                                \
    }

/* Reals and bias come last, by code and by line. */
static inline size_t first_real(const heft_logit *l)
{
    return l->n_codes - 1 - l->rows.n_reals;
}

static inline bool is_tied(const heft_logit_rows *rows, size_t k)
{
    return rows->tie && rows->tie[k].tied;
}

HEFT_INLINE void all_forward(const stretch *s, size_t stride)
{
    const heft_logit *l = s->logit;
    EACH_GROUP(group_forward)
    const float *u = s->w + first_real(l) * stride;
    for (size_t k = 0; k < l->rows.n_reals; k++, u += stride) {
        if (is_tied(s->rows, k)) continue;
        const float *z = s->rows->real[k] + s->lo;
        for (size_t i = 0; i < s->n; i++) add_times(s->score + i * stride, u, z[i], stride);
    }
}

/* to += sum_i z_i from_i (z NULL: all 1). The sum of the block is made apart, in registers where
 * the stride is small, and added once. */
HEFT_INLINE void sum_times(float *to, const float *from, const float *z, size_t n, size_t stride)
{
    float  few[32] = {0};
    float *sum = stride <= 32 ? few : to;
    for (size_t i = 0; i < n; i++) add_times(sum, from + i * stride, z ? z[i] : 1, stride);
    if (stride <= 32) add_times(to, few, 1, stride);
}

HEFT_INLINE void all_backward(const stretch *s, size_t stride)
{
    const heft_logit *l = s->logit;
    EACH_GROUP(group_backward)
    float *u = s->g + (l->n_lines - 1 - l->rows.n_reals) * stride;
    for (size_t k = 0; k < l->rows.n_reals; k++, u += stride)
        if (!is_tied(s->rows, k)) sum_times(u, s->score, s->rows->real[k] + s->lo, s->n, stride);
    sum_times(u, s->score, NULL, s->n, stride);
}

/* Strides of up to 32 classes are constants in the loops. */
#define EACH_STRIDE(what)                                                                          \
    do {                                                                                           \
        const size_t width = s->logit->stride;                                                     \
        if (width == 1) what(s, 1);                                                                \
        else if (width == 4) what(s, 4);                                                           \
        else if (width == 8) what(s, 8);                                                           \
        else if (width == 12) what(s, 12);                                                         \
        else if (width == 16) what(s, 16);                                                         \
        else if (width == 24) what(s, 24);                                                         \
        else if (width == 32) what(s, 32);                                                         \
        else what(s, width);                                                                       \
    } while (0)

HEFT_WIDE static void forward(const stretch *s)
{
    const size_t stride = s->logit->stride;
    const float *bias = s->w + (s->logit->n_codes - 1) * stride;
    for (size_t i = 0; i < s->n; i++) memcpy(s->score + i * stride, bias, stride * sizeof *bias);
    EACH_STRIDE(all_forward);
}

HEFT_WIDE static void backward(const stretch *s)
{
    EACH_STRIDE(all_backward);
}

/* ---- residuals ---- */

/* Two classes: score z stands for (-z, z), so that the loss of a row of class 1 is
 * log(1 + exp(-2 z)), that of class 0 log(1 + exp(2 z)), and its slope by z is 2 (p - [y = 1]). The
 * scores become the slopes; returns the loss. */
static double two_residuals(const stretch *s, double *space)
{
    const heft_logit_rows *rows = s->rows;
    double                *t = space, *value = space + s->n, sum = 0;
    for (size_t i = 0; i < s->n; i++)
        t[i] = (rows->y[s->lo + i] ? -2.0 : 2.0) * (double)s->score[i];
    heft_log1pexp_all(t, s->n, value, t);
    for (size_t i = 0; i < s->n; i++) {
        const double w = rows->weight ? rows->weight[s->lo + i] : 1;
        sum += w * value[i];
        s->score[i] = (float)((rows->y[s->lo + i] ? -2.0 : 2.0) * w * t[i]);
    }
    return sum;
}

/* Scores become w_i (p_c - [y_i = c]); returns the loss. The largest score of a row is subtracted
 * first: exp never overflows, and the sum of a row is at least 1. */
HEFT_INLINE double row_residuals(const stretch *s, double *space, size_t stride)
{
    const size_t K = s->logit->n_class;
    double      *top = space, sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        float *z = s->score + i * stride, hi = z[0];
        for (size_t c = 1; c < K; c++) hi = z[c] > hi ? z[c] : hi;
        top[i] = (double)z[s->rows->y[s->lo + i]] - (double)hi;
        for (size_t c = 0; c < stride; c++) z[c] -= hi;
        for (size_t c = K; c < stride; c++) z[c] = -100;
    }
    heft_exp_floats(s->score, (s->n * stride + 7) / 8 * 8);
    for (size_t i = 0; i < s->n; i++) {
        float       *z = s->score + i * stride, all = 0;
        const size_t y = s->rows->y[s->lo + i];
        for (size_t c = 0; c < K; c++) all += z[c];
        const double w = s->rows->weight ? s->rows->weight[s->lo + i] : 1;
        const float  factor = (float)(w / (double)all);
        sum += w * (log((double)all) - top[i]);
        for (size_t c = 0; c < stride; c++) z[c] *= factor;
        z[y] -= (float)w;
    }
    return sum;
}

HEFT_WIDE static double many_residuals(const stretch *s, double *space)
{
    const size_t stride = s->logit->stride;
    if (stride == 4) return row_residuals(s, space, 4);
    if (stride == 8) return row_residuals(s, space, 8);
    return row_residuals(s, space, stride);
}

/* ---- the objective ---- */

/* Floats per run: two doubles per row of a block, then its scores. */
static size_t space_of(const heft_logit *l)
{
    return (l->work.block * (l->stride + 4) + 8 + 15) / 16 * 16;
}

/* Under a limit on memory rows are read from memory of their own, a block at a time. */
static heft_status make_near(heft_ctx *ctx, const heft_logit_rows *rows, size_t n,
                             heft_logit_rows *near)
{
    heft_feature *feature;
    float       **real;
    *near = *rows;
    HEFT_ALLOC(ctx, &ctx->scratch, feature, rows->n_features);
    HEFT_ALLOC(ctx, &ctx->scratch, real, rows->n_reals);
    for (size_t f = 0; f < rows->n_features; f++) {
        char *lines;
        HEFT_ALLOC(ctx, &ctx->scratch, lines, n * rows->feature[f].width);
        feature[f] = rows->feature[f];
        feature[f].lines = lines;
    }
    for (size_t k = 0; k < rows->n_reals; k++)
        if (!is_tied(rows, k)) HEFT_ALLOC(ctx, &ctx->scratch, real[k], n);
    near->feature = feature;
    near->real = (const float *const *)real;
    return HEFT_OK;
}

/* Rows lo..lo + n - 1 become rows 0..n - 1 of `near`, which owns its lines and reals. */
static void bring_near(const heft_logit_rows *rows, size_t lo, size_t n, heft_logit_rows *near)
{
    for (size_t f = 0; f < rows->n_features; f++) {
        const size_t width = rows->feature[f].width;
        heft_copy_part((void *)near->feature[f].lines, rows->feature[f].lines, lo * width,
                       n * width);
    }
    for (size_t k = 0; k < rows->n_reals; k++)
        if (!is_tied(rows, k))
            heft_copy_part((void *)near->real[k], rows->real[k], lo * sizeof **rows->real,
                           n * sizeof **rows->real);
    near->n = n;
    near->y = rows->y ? rows->y + lo : NULL;
    near->weight = rows->weight ? rows->weight + lo : NULL;
}

static heft_status one_run(heft_ctx *ctx, void *arg, size_t r)
{
    const heft_logit *l = arg;
    const size_t      n = l->rows.n, size = l->n_lines * l->stride;
    const size_t first = n / l->work.n_runs * r + (r < n % l->work.n_runs ? r : n % l->work.n_runs);
    const size_t last = first + n / l->work.n_runs + (r < n % l->work.n_runs);
    stretch      s = {.rows = &l->rows, .logit = l, .w = l->work.w, .g = l->work.sum + r * size};
    const bool   limited = heft_memory_limit() > 0;
    heft_logit_rows near;
    float          *space = l->work.space + r * space_of(l);
    double         *numbers = (double *)(void *)space;
    if (limited) HEFT_CHECK(make_near(ctx, &l->rows, l->work.block, &near));
    memset(s.g, 0, size * sizeof *s.g);
    l->work.loss[r] = 0;
    s.score = space + 4 * l->work.block;
    for (size_t lo = first; lo < last; lo += l->work.block) {
        s.lo = lo;
        s.n = last - lo < l->work.block ? last - lo : l->work.block;
        if (limited) {
            bring_near(&l->rows, lo, s.n, &near);
            s.rows = &near;
            s.lo = 0;
        }
        forward(&s);
        l->work.loss[r] +=
            l->stride == 1 ? two_residuals(&s, numbers) : many_residuals(&s, numbers);
        backward(&s);
    }
    return HEFT_OK;
}

/* Before the rows: adds up the weights of the parts by line, and z(line) u of the tied reals. */
static void fill_tables(const heft_logit *l, const heft_logit_rows *rows, const float *w)
{
    const size_t stride = l->stride;
    for (size_t f = 0; f < rows->n_features; f++) {
        const heft_feature *feature = &rows->feature[f];
        float              *to = l->work.table + l->line_at[f] * stride;
        if (!has_table(l, f)) continue;
        memset(to, 0, feature->n_lines * stride * sizeof *to);
        for (size_t p = 0; p < feature->n_parts; p++)
            for (size_t v = 0; v < feature->n_lines; v++) {
                const float *from = w + (l->at[f][p] + feature->part[p].code[v]) * stride;
                for (size_t c = 0; c < stride; c++) to[v * stride + c] += from[c];
            }
    }
    const float *u = w + first_real(l) * stride;
    for (size_t k = 0; k < rows->n_reals; k++, u += stride) {
        if (!is_tied(rows, k)) continue;
        const heft_tie *tie = &rows->tie[k];
        float          *to = l->work.table + l->line_at[tie->feature] * stride;
        for (size_t v = 0; v < rows->feature[tie->feature].n_lines; v++)
            for (size_t c = 0; c < stride; c++) to[v * stride + c] += tie->z[v] * u[c];
    }
}

/* After the rows: adds the runs' sums of n numbers from `at` on, in order, to those of run 0. */
static float *join_runs(const heft_logit *l, size_t at, size_t n)
{
    const size_t size = l->n_lines * l->stride;
    float       *sum = l->work.sum + at;
    for (size_t r = 1; r < l->work.n_runs; r++) {
        const float *more = l->work.sum + r * size + at;
        for (size_t k = 0; k < n; k++) sum[k] += more[k];
    }
    return sum;
}

/* g += lambda w; returns lambda / 2 |w|^2. With two classes the one number stands for two, and both
 * count double. */
static double add_penalty(const heft_logit *l, size_t at, size_t n, double lambda)
{
    const double twice = l->stride == 1 ? 2 : 1;
    const float  factor = (float)(twice * lambda), *w = l->work.w + at;
    float       *g = l->work.g + at;
    double       square = 0;
    for (size_t k = 0; k < n; k++) g[k] += factor * w[k];
    for (size_t k = 0; k < n; k++) square += (double)w[k] * (double)w[k];
    return twice * lambda / 2 * square;
}

static heft_status finish_features(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_logit *l = arg;
    const size_t      stride = l->stride;
    (void)ctx;
    HEFT_RANGE (f, lo, hi) {
        const heft_feature *feature = &l->rows.feature[f];
        const float        *sum = join_runs(l, l->line_at[f] * stride, feature->n_lines * stride);
        l->work.penalty[f] = 0;
        for (size_t p = 0; p < feature->n_parts; p++) {
            const heft_feature_part *part = &feature->part[p];
            float                   *g = l->work.g + l->at[f][p] * stride;
            const size_t             size = part->n_codes * stride;
            if (!part->code) {
                memcpy(g, sum, size * sizeof *g);
            } else {
                memset(g, 0, size * sizeof *g);
                for (size_t v = 0; v < feature->n_lines; v++)
                    for (size_t c = 0; c < stride; c++)
                        g[part->code[v] * stride + c] += sum[v * stride + c];
            }
            l->work.penalty[f] +=
                add_penalty(l, l->at[f][p] * stride, size, part->lambda * l->scale);
        }
    }
    return HEFT_OK;
}

/* Finishes reals and bias. The gradient of a tied real is made of those of the lines it is tied to:
 * it needs the joined sums of its feature, and finish_features comes first. */
static double finish_rest(const heft_logit *l)
{
    const size_t stride = l->stride, reals = l->rows.n_reals * stride;
    const size_t at = first_real(l) * stride;
    const float *sum = join_runs(l, (l->n_lines - 1) * stride - reals, reals + stride);
    memcpy(l->work.g + at, sum, (reals + stride) * sizeof *sum);
    for (size_t k = 0; k < l->rows.n_reals; k++) {
        if (!is_tied(&l->rows, k)) continue;
        const heft_tie *tie = &l->rows.tie[k];
        const float    *of_line = l->work.sum + l->line_at[tie->feature] * stride;
        float          *g = l->work.g + at + k * stride;
        for (size_t v = 0; v < l->rows.feature[tie->feature].n_lines; v++, of_line += stride)
            for (size_t c = 0; c < stride; c++) g[c] += tie->z[v] * of_line[c];
    }
    return add_penalty(l, at, reals, l->real_lambda * l->scale) +
           add_penalty(l, at + reals, stride, l->bias_lambda);
}

heft_status heft_logit_objective(heft_ctx *ctx, void *user, const float *w, double *f, float *g)
{
    heft_logit  *l = user;
    const size_t F = l->rows.n_features;
    l->work.w = w;
    l->work.g = g;
    fill_tables(l, &l->rows, w);
    HEFT_CHECK(heft_run(ctx, l->work.n_runs, one_run, l));
    HEFT_CHECK(heft_run_blocks(ctx, F, FINISH, finish_features, l));
    l->work.penalty[F] = finish_rest(l);
    *f = 0;
    for (size_t r = 0; r < l->work.n_runs; r++) *f += l->work.loss[r];
    for (size_t k = 0; k <= F; k++) *f += l->work.penalty[k];
    if (l->steps) heft_steps_add(ctx, l->steps, l->rows.n);
    return HEFT_OK;
}

/* ---- public ---- */

size_t heft_logit_size(const heft_logit *logit)
{
    return logit->n_codes * logit->stride;
}

/* Features of the same width, TOGETHER at a time, in their order. */
static heft_status make_groups(heft_ctx *ctx, heft_logit *l, heft_arena *arena)
{
    HEFT_ALLOC(ctx, arena, l->group, l->rows.n_features);
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
    return HEFT_OK;
}

heft_status heft_logit_open(heft_ctx *ctx, const heft_logit_rows *rows, size_t n_class,
                            double real_lambda, double bias_lambda, heft_arena *arena,
                            heft_logit *out)
{
    *out = (heft_logit){.n_class = n_class, .rows = *rows, .scale = 1};
    out->real_lambda = real_lambda;
    out->bias_lambda = bias_lambda;
    out->stride = n_class == 2                   ? 1
                  : n_class <= 4                 ? 4
                  : n_class > 8 && n_class <= 12 ? 12
                                                 : (n_class + 7) / 8 * 8;
    HEFT_ALLOCS(ctx, arena, rows->n_features, out->at, out->line_at);
    for (size_t f = 0; f < rows->n_features; f++) {
        const heft_feature *feature = &rows->feature[f];
        out->line_at[f] = out->n_lines;
        out->n_lines += feature->n_lines;
        for (size_t p = 0; p < feature->n_parts; out->n_codes += feature->part[p++].n_codes)
            out->at[f][p] = out->n_codes;
    }
    out->n_lines += rows->n_reals + 1;
    out->n_codes += rows->n_reals + 1;
    HEFT_CHECK(make_groups(ctx, out, arena));
    const size_t fits = SCORES / (out->stride * sizeof(float));
    out->work.block = fits > MOST_BLOCK ? MOST_BLOCK : fits < LEAST_BLOCK ? LEAST_BLOCK : fits;
    if (out->work.block > rows->n) out->work.block = rows->n + (rows->n == 0);
    /* A run costs a copy of `sum`: its rows must be worth 64 times its lines, and LEAST_RUN. */
    const double work = (double)rows->n * (double)(rows->n_features + rows->n_reals + 1);
    const double runs = fmin(work / (64 * (double)out->n_lines), (double)rows->n / LEAST_RUN);
    out->work.n_runs = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : (size_t)runs;
    HEFT_ALLOC(ctx, arena, out->work.loss, out->work.n_runs);
    HEFT_ALLOC(ctx, arena, out->work.penalty, rows->n_features + 1);
    HEFT_ALLOC(ctx, arena, out->work.space, out->work.n_runs * space_of(out));
    HEFT_ALLOC(ctx, arena, out->work.table, out->n_lines * out->stride);
    HEFT_ALLOC(ctx, arena, out->end.gradient, heft_logit_size(out));
    HEFT_ALLOC(ctx, arena, out->work.sum, out->work.n_runs * out->n_lines * out->stride);
    return HEFT_OK;
}

/* Value and gradient at w, known from the last fit under scale `from`, become those under `to`. */
static void change_scale(heft_logit *l, const float *w, double from, double to)
{
    const size_t F = l->rows.n_features, stride = l->stride;
    l->work.w = w;
    l->work.g = l->end.gradient;
    for (size_t f = 0; f < F; f++)
        for (size_t p = 0; p < l->rows.feature[f].n_parts; p++) {
            const heft_feature_part *part = &l->rows.feature[f].part[p];
            l->end.f += add_penalty(l, l->at[f][p] * stride, part->n_codes * stride,
                                    part->lambda * (to - from));
        }
    l->end.f += add_penalty(l, first_real(l) * stride, l->rows.n_reals * stride,
                            l->real_lambda * (to - from));
}

heft_status heft_logit_fit(heft_ctx *ctx, heft_logit *logit, double scale, long iterations,
                           float *w, heft_minimum *how)
{
    const size_t    n = heft_logit_size(logit), fits = n ? MANY_WEIGHTS * MEMORY / n : MEMORY;
    const heft_stop stop = {.memory = fits >= MEMORY         ? MEMORY
                                      : fits >= LEAST_MEMORY ? fits
                                                             : LEAST_MEMORY,
                            .rel_tol = REL_TOL,
                            .max_iter = iterations};
    if (logit->end.known) change_scale(logit, w, logit->scale, scale);
    logit->scale = scale;
    const heft_problem32 problem = {n, heft_logit_objective, logit, &logit->end};
    return heft_lbfgs(ctx, &problem, &stop, NULL, w, how);
}

/* A line of weights or scores, class by class. */
static void widen(const heft_logit *l, const float *from, double *out)
{
    if (l->stride == 1) {
        out[0] = -(double)*from;
        out[1] = (double)*from;
    } else {
        for (size_t c = 0; c < l->n_class; c++) out[c] = (double)from[c];
    }
}

typedef struct scoring {
    const heft_logit      *logit;
    const float           *w;
    const heft_logit_rows *rows;
    double                *out;
} scoring;

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const scoring    *job = arg;
    const heft_logit *l = job->logit;
    stretch           s = {job->rows, l, lo, hi - lo, NULL, job->w, NULL};
    heft_logit_rows   near;
    HEFT_ALLOC(ctx, &ctx->scratch, s.score, s.n * l->stride);
    if (heft_memory_limit() > 0) {
        HEFT_CHECK(make_near(ctx, job->rows, s.n, &near));
        bring_near(job->rows, lo, s.n, &near);
        s.rows = &near;
        s.lo = 0;
    }
    forward(&s);
    for (size_t i = 0; i < s.n; i++) {
        double *out = job->out + (lo + i) * l->n_class;
        widen(l, s.score + i * l->stride, out);
        const double all = heft_logsumexp(out, l->n_class);
        for (size_t c = 0; c < l->n_class; c++) out[c] -= all;
    }
    return HEFT_OK;
}

heft_status heft_logit_score(heft_ctx *ctx, const heft_logit *logit, const float *w,
                             const heft_logit_rows *rows, double *out)
{
    scoring job = {logit, w, rows, out};
    fill_tables(logit, rows, w);
    return heft_run_blocks(ctx, rows->n, MOST_BLOCK, score_block, &job);
}

void heft_logit_code(const heft_logit *logit, const float *w, size_t f, size_t part, uint32_t code,
                     double *out)
{
    widen(logit, w + (logit->at[f][part] + code) * logit->stride, out);
}

void heft_logit_real(const heft_logit *logit, const float *w, size_t k, double *out)
{
    widen(logit, w + (first_real(logit) + k) * logit->stride, out);
}
