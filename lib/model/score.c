/* score.c - the additive scorer of methods that have none of their own.
 *
 *   s_c(x) = w0 log P(c) + b_c + sum_j w(c,j,x_j) log P(x_j | c)
 *
 * Weights are multiplied into the tables beforehand, so that a coded cell costs n_class additions.
 * The score of a sparse row is the score of the row of zeros plus, for each entry, the difference
 * to what a 0 would add: the time depends on the entries, not on the attributes. */
#include "model/method.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/wide.h"

enum {
    TILE = 256,         /* rows whose scores stay in cache */
    FEW_CLASSES = 8,    /* most classes for which a tile has the scores of all classes on
                           the stack */
    BLOCK = 8192,       /* rows of one task */
    STACK_CLASSES = 256 /* most classes for which the terms of a cell are on the stack */
};

static const double LOG_TWO_PI_HALF = 0.91893853320467274178;

double heft_weight_at(const heft_weights *w, size_t n_class, size_t j, size_t c, uint32_t v)
{
    if (w->shape == HEFT_W_ATTR) return w->w[j];
    if (w->shape == HEFT_W_CLASS) return w->w[j * n_class + c];
    return w->shape == HEFT_W_VALUE && v < w->offset[j + 1] - w->offset[j] ? w->w[w->offset[j] + v]
                                                                           : 1;
}

static void add_fact(heft_training *t, heft_fact fact)
{
    if (t->n_facts < HEFT_MAX_FACTS) t->facts[t->n_facts++] = fact;
}

void heft_fact_number(heft_fitted *fitted, const char *name, double number)
{
    add_fact(&fitted->training, (heft_fact){name, number, NULL});
}

void heft_fact_text(heft_fitted *fitted, const char *name, const char *text)
{
    add_fact(&fitted->training, (heft_fact){name, 0, text});
}

heft_status heft_fact_copy(heft_ctx *ctx, heft_fitted *fitted, const char *name, const char *text)
{
    char *copy;
    HEFT_CHECK(heft_arena_copy(ctx, fitted->arena, text, &copy));
    heft_fact_text(fitted, name, copy);
    return HEFT_OK;
}

/* ---- sealing ---- */

/* Number of numbers of `ready` that an attribute needs; 0: none, because its table is used
 * unchanged, or its density is computed for each cell. */
static size_t ready_size(const heft_fitted *f, size_t j)
{
    const heft_lik *lik = &f->lik[j];
    if (lik->kind == HEFT_LIK_TABLE)
        return f->weights.shape == HEFT_W_ONE || f->weights.folded
                   ? 0
                   : ((size_t)lik->n_codes + 2) * f->n_class;
    if (lik->kind != HEFT_LIK_NORMAL || lik->silent) return 0;
    for (size_t c = 0; c < f->n_class; c++)
        if (lik->sd[c] == 0) return 0; /* a point mass */
    return 4 * f->n_class;
}

static double applied_weight(const heft_fitted *f, size_t j, size_t c, uint32_t v)
{
    return f->weights.folded ? 1 : heft_weight_at(&f->weights, f->n_class, j, c, v);
}

/* Fills in `ready`: the weighted table of a coded attribute, or constant, mean, 1/sd and weight/2
 * of a normal without point masses, n_class numbers each. */
static void fold(const heft_fitted *f, size_t j, double *ready)
{
    const heft_lik *lik = &f->lik[j];
    const size_t    K = f->n_class, lines = (size_t)lik->n_codes + 2;
    if (lik->kind == HEFT_LIK_TABLE)
        for (size_t v = 0; v < lines; v++)
            for (size_t c = 0; c < K; c++)
                ready[v * K + c] = applied_weight(f, j, c, (uint32_t)v) * lik->table[v * K + c];
    else
        for (size_t c = 0; c < K; c++) {
            const double w = applied_weight(f, j, c, 0);
            ready[c] = -w * (LOG_TWO_PI_HALF + log(lik->sd[c]));
            ready[K + c] = lik->mean[c];
            ready[2 * K + c] = 1 / lik->sd[c];
            ready[3 * K + c] = 0.5 * w;
        }
}

static double start_of(const heft_fitted *f, size_t c)
{
    const double prior = f->weights.w0 != 0 || isinf(f->log_prior[c]) ? f->log_prior[c] : 0;
    return (isinf(prior) ? prior : f->weights.w0 * prior) + (f->bias ? f->bias[c] : 0);
}

heft_status heft_fitted_seal(heft_ctx *ctx, heft_fitted *f, bool sparse)
{
    const size_t K = f->n_class;
    size_t       size = 0;
    double      *space;
    HEFT_ALLOC(ctx, f->arena, f->ready, f->n_attr);
    for (size_t j = 0; j < f->n_attr; j++) size += ready_size(f, j);
    HEFT_ALLOC(ctx, f->arena, space, size);
    for (size_t j = 0; j < f->n_attr; j++) {
        const size_t own = ready_size(f, j);
        f->ready[j] = own ? space : f->lik[j].table;
        if (own) fold(f, j, space);
        space += own;
        HEFT_CHECK(heft_lik_seal(ctx, K, f->arena, &f->lik[j]));
    }
    if (!sparse) return HEFT_OK;
    HEFT_ALLOC(ctx, f->arena, f->zero, f->n_attr * K);
    HEFT_ALLOC(ctx, f->arena, f->zero_sum, K);
    for (size_t c = 0; c < K; c++) f->zero_sum[c] = start_of(f, c);
    for (size_t j = 0; j < f->n_attr; j++) {
        heft_cell_part(f, j, 0, 0, f->zero + j * K);
        for (size_t c = 0; c < K; c++) f->zero_sum[c] += f->zero[j * K + c];
    }
    return HEFT_OK;
}

/* ---- cells ---- */

static inline void normal_part(const double *ready, size_t K, double x, double *out)
{
    for (size_t c = 0; c < K; c++) {
        const double far = fabs(x - ready[K + c]) * ready[2 * K + c];
        const double z = far < 1e140 ? far : 1e140; /* the square of z stays finite */
        out[c] += ready[c] - ready[3 * K + c] * (z * z);
    }
}

void heft_cell_part(const heft_fitted *f, size_t j, uint32_t code, double number, double *out)
{
    const heft_lik *lik = &f->lik[j];
    const size_t    K = f->n_class;
    if (lik->kind == HEFT_LIK_TABLE) {
        const uint32_t line = code <= lik->n_codes + 1 ? code : lik->n_codes;
        memcpy(out, f->ready[j] + (size_t)line * K, K * sizeof *out);
    } else if (f->ready[j] && !isnan(number)) {
        memset(out, 0, K * sizeof *out);
        normal_part(f->ready[j], K, number, out);
    } else {
        heft_lik_number(lik, K, number, out);
        for (size_t c = 0; c < K; c++) out[c] *= applied_weight(f, j, c, 0);
    }
}

/* Does what heft_cell_part does, for an entry of a sparse row, which stores a code as a number. */
static void entry_part(const heft_fitted *f, size_t j, double x, double *out)
{
    const bool code = f->lik[j].kind == HEFT_LIK_TABLE && x >= 0 && x <= f->lik[j].n_codes + 1.0;
    heft_cell_part(f, j, code ? (uint32_t)x : f->lik[j].n_codes, x, out);
}

/* ---- dense rows ----
 *
 * The scores of a tile lie class by class where classes are few: then the loops over rows
 * vectorise. Else they lie row by row, and the loops over classes do. */

typedef struct tile {
    double *score;
    size_t  n, row, class; /* n: number of rows; the score of row i and class c is at i *
                              row + c * class */
} tile;

#define ADD_LINES(type)                                                                            \
    do {                                                                                           \
        const type *code = (const type *)a->codes + lo;                                            \
        if (t->row == 1)                                                                           \
            for (size_t c = 0; c < K; c++)                                                         \
                for (size_t i = 0; i < t->n; i++)                                                  \
                    score[c * TILE + i] += table[K * (size_t)code[i] + c];                         \
        else                                                                                       \
            for (size_t i = 0; i < t->n; i++)                                                      \
                for (size_t c = 0; c < K; c++) score[K * i + c] += table[K * (size_t)code[i] + c]; \
    } while (0)

static void add_coded(const heft_attr *a, const double *table, size_t K, size_t lo, const tile *t)
{
    double *restrict score = t->score;
    if (a->width == 1) ADD_LINES(uint8_t);
    else if (a->width == 2) ADD_LINES(uint16_t);
    else ADD_LINES(uint32_t);
}

/* Adds what normal_part computes, for many rows and one class. */
HEFT_WIDE static void add_normal(const double *ready, size_t K, const double *x, size_t n,
                                 double *restrict score)
{
    const double constant = ready[0], mean = ready[K], rate = ready[2 * K], half = ready[3 * K];
    for (size_t i = 0; i < n; i++) {
        const double far = fabs(x[i] - mean) * rate, z = far < 1e140 ? far : 1e140;
        const double sum = score[i] + (constant - half * (z * z));
        score[i] = isnan(x[i]) ? score[i] : sum;
    }
}

static void add_numbers(const heft_fitted *f, size_t j, const double *x, double *part,
                        const tile *t)
{
    const size_t K = f->n_class;
    if (f->ready[j] && t->row == 1) {
        for (size_t c = 0; c < K; c++) add_normal(f->ready[j] + c, K, x, t->n, t->score + c * TILE);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        double *out = t->score + i * t->row;
        if (isnan(x[i])) continue;
        if (f->ready[j]) {
            normal_part(f->ready[j], K, x[i], out);
        } else {
            heft_cell_part(f, j, 0, x[i], part);
            for (size_t c = 0; c < K; c++) out[c * t->class] += part[c];
        }
    }
}

static heft_status score_dense(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const heft_fitted  *f = job->own;
    const size_t        K = f->n_class;
    const bool          by_class = K <= FEW_CLASSES;
    double              room[FEW_CLASSES * TILE], *part, *start;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, part, start);
    for (size_t c = 0; c < K; c++) start[c] = start_of(f, c);
    for (; lo < hi; lo += TILE) {
        double    *out = job->log_joint + lo * K;
        const tile t = {.score = by_class ? room : out,
                        .n = hi - lo < TILE ? hi - lo : TILE,
                        .row = by_class ? 1 : K,
                        .class = by_class ? TILE : 1};
        for (size_t i = 0; i < t.n; i++)
            for (size_t c = 0; c < K; c++) t.score[i * t.row + c * t.class] = start[c];
        for (size_t j = 0; j < f->n_attr; j++) {
            const heft_attr *a = &job->rows->attr[j];
            if (f->lik[j].silent && f->lik[j].kind != HEFT_LIK_TABLE) continue;
            if (a->coded) add_coded(a, f->ready[j], K, lo, &t);
            else add_numbers(f, j, a->numbers + lo, part, &t);
        }
        if (by_class)
            for (size_t i = 0; i < t.n; i++)
                for (size_t c = 0; c < K; c++) out[i * K + c] = room[c * TILE + i];
    }
    return HEFT_OK;
}

/* ---- sparse rows ---- */

static heft_status score_sparse(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const heft_fitted  *f = job->own;
    const heft_sparse  *s = job->rows->sparse;
    const size_t        K = f->n_class;
    double             *part;
    HEFT_ALLOC(ctx, &ctx->scratch, part, K);
    for (size_t i = lo; i < hi; i++) {
        double *out = job->log_joint + i * K;
        memcpy(out, f->zero_sum, K * sizeof *out);
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            const double *zero = f->zero + s->col[e] * K;
            entry_part(f, s->col[e], s->val[e], part);
            for (size_t c = 0; c < K; c++) out[c] += part[c] - zero[c];
        }
    }
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_score_additive(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                                double *log_joint)
{
    heft_scoring job = {fitted, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, rows->sparse ? score_sparse : score_dense,
                           &job);
}

heft_status heft_score_row(heft_ctx *ctx, const heft_fitted *f, const heft_row *row,
                           double *log_joint)
{
    const size_t K = f->n_class;
    const bool   sparse = row->prep->sparse;
    double       space[STACK_CLASSES], *part = space;
    if (K > STACK_CLASSES) HEFT_ALLOC(ctx, &ctx->scratch, part, K);
    for (size_t c = 0; c < K; c++) log_joint[c] = sparse ? f->zero_sum[c] : start_of(f, c);
    for (size_t j = 0; j < f->n_attr; j++) {
        const heft_lik *lik = &f->lik[j];
        const bool      coded = lik->kind == HEFT_LIK_TABLE;
        if (!sparse && lik->silent && !coded) continue;
        const double x = heft_row_cell(row, j);
        if (sparse) {
            const double *zero = f->zero + j * K;
            if (x == 0) continue;
            entry_part(f, j, x, part);
            for (size_t c = 0; c < K; c++) log_joint[c] += part[c] - zero[c];
        } else if (coded) {
            const double *line = f->ready[j] + K * (size_t)x;
            for (size_t c = 0; c < K; c++) log_joint[c] += line[c];
        } else {
            add_numbers(f, j, &x, part, &(tile){log_joint, 1, K, 1});
        }
    }
    return HEFT_OK;
}

heft_status heft_parts_additive(heft_ctx *ctx, const heft_fitted *f, const heft_rows *rows,
                                size_t i, double *parts)
{
    const size_t       K = f->n_class;
    const heft_sparse *s = rows->sparse;
    (void)ctx;
    for (size_t c = 0; c < K; c++) parts[c] = start_of(f, c);
    for (size_t j = 0; j < f->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        double          *out = parts + (1 + j) * K;
        if (s) memcpy(out, f->zero + j * K, K * sizeof *out);
        else if (a->coded) heft_cell_part(f, j, heft_code_at(a->codes, a->width, i), 0, out);
        else heft_cell_part(f, j, 0, a->numbers[i], out);
    }
    if (s)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            entry_part(f, s->col[e], s->val[e], parts + (1 + (size_t)s->col[e]) * K);
    return HEFT_OK;
}
