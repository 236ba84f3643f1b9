/* ovo.c - class pairs: learning them in parallel, the vote, the model file. */
#include "methods/ovo.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "model/model.h"

enum { BLOCK = 256 }; /* rows of one scoring task */

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

heft_status heft_ovo_fit(heft_ctx *ctx, const size_t *classes, size_t n, heft_class_pair_fn *fn,
                         void *user, heft_fitted *out)
{
    const size_t n_pairs = n * (n - 1) / 2, m = out->n_attr;
    heft_ovo    *ovo;
    double      *w;
    size_t       cells, k = 0;
    if (!heft_product(n_pairs, m, &cells)) return heft_no_memory(ctx, n_pairs, m);
    HEFT_ALLOC(ctx, out->arena, ovo, 1);
    HEFT_ALLOC(ctx, out->arena, ovo->pair, n_pairs);
    HEFT_ALLOC(ctx, out->arena, w, cells);
    for (size_t i = 0; i < cells; i++) w[i] = 1;
    ovo->n_pairs = n_pairs;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++, k++)
            ovo->pair[k] = (heft_class_pair){classes[a], classes[b], 1, w + k * m};
    learning job = {fn, user, ovo->pair};
    HEFT_CHECK(heft_all_run(ctx, ovo->n_pairs, learn_pair, &job));
    out->own = ovo;
    return HEFT_OK;
}

/* ---- the vote ---- */

/* Every class that is not left out has a share above 0: at least the smallest double. */
static void vote(const heft_fitted *f, const double *logs, double *score)
{
    const heft_ovo *ovo = f->own;
    for (size_t c = 0; c < f->n_class; c++) score[c] = 0;
    for (size_t k = 0; k < ovo->n_pairs; k++) {
        const heft_class_pair *pair = &ovo->pair[k];
        const double          *a = logs + pair->a * f->n_attr, *b = logs + pair->b * f->n_attr;
        double                 t = pair->w0 * (f->log_prior[pair->a] - f->log_prior[pair->b]);
        for (size_t j = 0; j < f->n_attr; j++) t += pair->w[j] * (a[j] - b[j]);
        score[pair->a] += heft_sigmoid(t); /* (22), (23) */
        score[pair->b] += heft_sigmoid(-t);
    }
    for (size_t c = 0; c < f->n_class; c++)
        score[c] = isinf(f->log_prior[c]) ? -INFINITY
                                          : log(fmax(score[c], DBL_MIN) / (double)ovo->n_pairs);
}

static heft_status vote_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const heft_fitted  *f = job->own;
    const size_t        m = f->n_attr, K = f->n_class;
    double             *logs, *line; /* logs[c * m + j] = log P(x_ij | c) */
    HEFT_ALLOC(ctx, &ctx->scratch, logs, m * K);
    HEFT_ALLOC(ctx, &ctx->scratch, line, K);
    for (size_t i = lo; i < hi; i++) {
        for (size_t j = 0; j < m; j++) {
            const heft_attr *attr = &job->rows->attr[j];
            const heft_lik  *lik = &f->lik[j];
            const double    *from = line;
            if (lik->kind == HEFT_LIK_TABLE)
                from = heft_lik_code(lik, K, heft_code_at(attr->codes, attr->width, i));
            else heft_lik_number(lik, K, attr->numbers[i], line);
            for (size_t c = 0; c < K; c++) logs[c * m + j] = from[c];
        }
        vote(f, logs, job->log_joint + i * K);
    }
    return HEFT_OK;
}

heft_status heft_ovo_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                           double *log_joint)
{
    heft_scoring job = {fitted, rows, log_joint};
    if (!fitted->own) return heft_score_additive(ctx, fitted, rows, log_joint);
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, vote_block, &job);
}

heft_status heft_ovo_terms(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *out)
{
    const heft_ovo *ovo = fitted->own;
    (void)ctx;
    out->class_pair = ovo ? ovo->pair : NULL;
    out->n_class_pairs = ovo ? ovo->n_pairs : 0;
    return HEFT_OK;
}

/* ---- the model file ---- */

/* Checks that the pairs are all pairs of the classes that have a prior, in order. */
static heft_status check_pairs(const heft_loading *l, void *root)
{
    const heft_ovo    *ovo = root;
    const heft_fitted *f = &l->model->fitted;
    size_t             n = 0, k = 0;
    for (size_t c = 0; c < f->n_class; c++) n += !isinf(f->log_prior[c]);
    if (n < 3 || ovo->n_pairs != n * (n - 1) / 2)
        return heft_file_damaged(l->ctx, l->file, "tensor 'pairs.a': %zu pairs for %zu classes",
                                 ovo->n_pairs, n);
    for (size_t a = 0; a < f->n_class; a++)
        for (size_t b = a + 1; b < f->n_class; b++) {
            if (isinf(f->log_prior[a]) || isinf(f->log_prior[b])) continue;
            if (ovo->pair[k].a != a || ovo->pair[k].b != b)
                return heft_file_damaged(
                    l->ctx, l->file, "tensor 'pairs.%s': pair %zu is not of classes %zu and %zu",
                    ovo->pair[k].a != a ? "a" : "b", k, a, b);
            k++;
        }
    return HEFT_OK;
}

static const heft_each pairs = {.what = "pair", HEFT_EACH(heft_ovo, pair, n_pairs)};

#define PAIR(member) HEFT_VALUE(heft_class_pair, member), .each = &pairs

static const heft_tensor fields[] = {
    {"pairs.a", HEFT_U16, PAIR(a), HEFT_COUNTS(heft_ovo, n_pairs), .length.least = 1,
     .below = &heft_dim_classes, .help = "first class of each pair"},
    {"pairs.b", HEFT_U16, PAIR(b), .below = &heft_dim_classes, .then = check_pairs,
     .help = "second class of each pair"},
    {"pairs.prior_weight", HEFT_F64, PAIR(w0), .lo = -1e15, .hi = 1e15,
     .help = "weight of the prior"},
    {"pairs.weight", HEFT_F64, HEFT_ARRAY(heft_class_pair, w), .each = &pairs,
     .dims = {&heft_dim_attrs}, .lo = -1e15, .hi = 1e15, .help = "weights of the attributes"},
    {.name = NULL}};

const heft_state heft_ovo_state = {.title =
                                       "enb, dnb, lnb, gdnb and mse with more than two classes",
                                   .size = sizeof(heft_ovo),
                                   .fields = fields,
                                   .optional = true};
