/* ovo.c - pairs of classes: learning them side by side, the vote, the model file. */
#include "methods/ovo.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"

enum { BLOCK = 256 }; /* rows of one scoring task */

static const char CLASSES[] = "pairs.classes", PRIOR[] = "pairs.prior_weight";
static const char WEIGHTS[] = "pairs.weights";

/* ---- learning ---- */

typedef struct learning {
    heft_class_pair_fn *fn;
    void               *user;
    heft_class_pair    *pair;
} learning;

static heft_status learn_pair(heft_ctx *ctx, void *arg, size_t k)
{
    const learning *job = arg;
    return job->fn(ctx, job->user, k, &job->pair[k]);
}

static heft_status new_pairs(heft_ctx *ctx, size_t n_pairs, heft_fitted *out, heft_ovo **ovo)
{
    double *w;
    size_t  cells;
    if (!heft_product(n_pairs, out->n_attr, &cells))
        return heft_no_memory(ctx, n_pairs, out->n_attr);
    HEFT_ALLOC(ctx, out->arena, *ovo, 1);
    HEFT_ALLOC(ctx, out->arena, (*ovo)->pair, n_pairs);
    HEFT_ALLOC(ctx, out->arena, w, cells);
    (*ovo)->n_pairs = n_pairs;
    for (size_t k = 0; k < n_pairs; k++) (*ovo)->pair[k].w = w + k * out->n_attr;
    return HEFT_OK;
}

heft_status heft_ovo_fit(heft_ctx *ctx, const size_t *classes, size_t n, heft_class_pair_fn *fn,
                         void *user, heft_fitted *out)
{
    heft_ovo *ovo = NULL;
    size_t    k = 0;
    HEFT_CHECK(new_pairs(ctx, n * (n - 1) / 2, out, &ovo));
    for (size_t a = 0; a < n; a++) {
        for (size_t b = a + 1; b < n; b++) {
            heft_class_pair *pair = &ovo->pair[k++];
            pair->a = classes[a];
            pair->b = classes[b];
            pair->w0 = 1;
            for (size_t j = 0; j < out->n_attr; j++) pair->w[j] = 1;
        }
    }
    learning job = {fn, user, ovo->pair};
    HEFT_CHECK(heft_all_run(ctx, ovo->n_pairs, learn_pair, &job));
    out->own = ovo;
    return HEFT_OK;
}

const heft_ovo *heft_ovo_of(const heft_method *method, const heft_fitted *fitted)
{
    return method->score == heft_ovo_score ? fitted->own : NULL;
}

/* ---- the vote ---- */

typedef struct voting {
    const heft_fitted *fitted;
    const heft_rows   *rows;
    double            *log_joint;
} voting;

/* logs[c * n_attr + j] = log P(x_ij | c); `line` holds n_class numbers. */
static void logs_of(const voting *v, size_t i, double *line, double *logs)
{
    const size_t m = v->fitted->n_attr, K = v->fitted->n_class;
    for (size_t j = 0; j < m; j++) {
        const heft_attr *attr = &v->rows->attr[j];
        const heft_lik  *lik = &v->fitted->lik[j];
        const double    *from = line;
        if (lik->kind == HEFT_LIK_TABLE)
            from = heft_lik_code(lik, K, heft_code_at(attr->codes, attr->width, i));
        else heft_lik_number(lik, K, attr->numbers[i], line);
        for (size_t c = 0; c < K; c++) logs[c * m + j] = from[c];
    }
}

static double margin(const heft_fitted *f, const heft_class_pair *pair, const double *logs)
{
    const double *a = logs + pair->a * f->n_attr, *b = logs + pair->b * f->n_attr;
    double        sum = pair->w0 * (f->log_prior[pair->a] - f->log_prior[pair->b]);
    for (size_t j = 0; j < f->n_attr; j++) sum += pair->w[j] * (a[j] - b[j]);
    return sum;
}

/* A class that takes part has a share above 0, however small: the smallest double. */
static void vote(const heft_fitted *f, const double *logs, double *score)
{
    const heft_ovo *ovo = f->own;
    for (size_t c = 0; c < f->n_class; c++) score[c] = 0;
    for (size_t k = 0; k < ovo->n_pairs; k++) {
        const heft_class_pair *pair = &ovo->pair[k];
        const double           t = margin(f, pair, logs);
        score[pair->a] += heft_sigmoid(t); /* (22), (23) */
        score[pair->b] += heft_sigmoid(-t);
    }
    for (size_t c = 0; c < f->n_class; c++)
        score[c] = isinf(f->log_prior[c]) ? -INFINITY
                                          : log(fmax(score[c], DBL_MIN) / (double)ovo->n_pairs);
}

static heft_status vote_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const voting *v = arg;
    const size_t  K = v->fitted->n_class;
    double       *logs, *line;
    HEFT_ALLOC(ctx, &ctx->scratch, logs, v->fitted->n_attr * K);
    HEFT_ALLOC(ctx, &ctx->scratch, line, K);
    for (size_t i = lo; i < hi; i++) {
        logs_of(v, i, line, logs);
        vote(v->fitted, logs, v->log_joint + i * K);
    }
    return HEFT_OK;
}

heft_status heft_ovo_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                           double *log_joint)
{
    voting v = {fitted, rows, log_joint};
    if (!fitted->own) return heft_score_additive(ctx, fitted, rows, log_joint);
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, vote_block, &v);
}

heft_status heft_ovo_parts(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                           size_t i, double *parts)
{
    if (!fitted->own) return heft_parts_additive(ctx, fitted, rows, i, parts);
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "a vote of pairs of classes is no sum over attributes: nothing to take apart "
                     "(fit with -p multiclass=direct)");
}

/* ---- the model file ---- */

heft_status heft_ovo_save(heft_ctx *ctx, const heft_fitted *fitted, heft_file *file)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const heft_ovo *ovo = fitted->own;
    uint16_t       *classes;
    double         *prior;
    if (!ovo) return HEFT_OK;
    HEFT_ARENA(ctx, &ctx->scratch, classes, 2 * ovo->n_pairs);
    HEFT_ARENA(ctx, &ctx->scratch, prior, ovo->n_pairs);
    for (size_t k = 0; k < ovo->n_pairs; k++) {
        classes[2 * k] = (uint16_t)ovo->pair[k].a;
        classes[2 * k + 1] = (uint16_t)ovo->pair[k].b;
        prior[k] = ovo->pair[k].w0;
    }
    const size_t two[2] = {ovo->n_pairs, 2}, shape[2] = {ovo->n_pairs, fitted->n_attr};
    HEFT_TRY(heft_file_put(ctx, file, CLASSES, HEFT_U16, two, 2, classes));
    HEFT_TRY(heft_file_put_vector(ctx, file, PRIOR, HEFT_F64, ovo->n_pairs, prior));
    HEFT_TRY(heft_file_put(ctx, file, WEIGHTS, HEFT_F64, shape, 2, ovo->pair[0].w));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* Classes that take part, pairs in order, none left out. */
static heft_status check_pairs(heft_ctx *ctx, const heft_file *file, const heft_fitted *f,
                               const uint16_t *classes, size_t n_pairs)
{
    size_t n = 0, k = 0;
    for (size_t c = 0; c < f->n_class; c++) n += !isinf(f->log_prior[c]);
    if (n < 3 || n_pairs != n * (n - 1) / 2)
        return heft_file_damaged(ctx, file, "it has %zu pairs for %zu classes", n_pairs, n);
    for (size_t a = 0; a < f->n_class; a++)
        for (size_t b = a + 1; b < f->n_class; b++) {
            if (isinf(f->log_prior[a]) || isinf(f->log_prior[b])) continue;
            if (classes[2 * k] != a || classes[2 * k + 1] != b)
                return heft_file_damaged(ctx, file, "pair %zu is not of classes %zu and %zu", k, a,
                                         b);
            k++;
        }
    return HEFT_OK;
}

heft_status heft_ovo_load(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                          heft_fitted *fitted)
{
    heft_ovo *ovo;
    void     *classes, *prior, *weights;
    size_t    n = 0, cells;
    (void)prep;
    if (!heft_file_has(file, CLASSES)) return HEFT_OK;
    HEFT_CHECK(
        heft_file_get(ctx, file, CLASSES, HEFT_U16, SIZE_MAX, false, &ctx->scratch, &classes, &n));
    HEFT_CHECK(check_pairs(ctx, file, fitted, classes, n / 2));
    n /= 2;
    HEFT_CHECK(new_pairs(ctx, n, fitted, &ovo));
    if (!heft_product(n, fitted->n_attr, &cells)) return heft_no_memory(ctx, n, fitted->n_attr);
    HEFT_CHECK(heft_file_get(ctx, file, PRIOR, HEFT_F64, n, false, &ctx->scratch, &prior, NULL));
    HEFT_CHECK(
        heft_file_get(ctx, file, WEIGHTS, HEFT_F64, cells, false, &ctx->scratch, &weights, NULL));
    memcpy(ovo->pair[0].w, weights, cells * sizeof(double));
    for (size_t k = 0; k < n; k++) {
        ovo->pair[k].a = ((const uint16_t *)classes)[2 * k];
        ovo->pair[k].b = ((const uint16_t *)classes)[2 * k + 1];
        ovo->pair[k].w0 = ((const double *)prior)[k];
    }
    fitted->own = ovo;
    return HEFT_OK;
}
