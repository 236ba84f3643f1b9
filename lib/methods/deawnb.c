/* deawnb.c - DEAWNB: weights within [0,1] that get the most training rows right, found by
 * differential evolution. Wu and Cai, attribute weighting via differential evolution.
 *
 * The first population contains the point of all ones, which is naive Bayes; the result gets at
 * least as many rows right. The original's settings are not known; the defaults come near its
 * published figures. */
#include "learn/basis.h"
#include "learn/objective.h"
#include "optim/optim.h"
#include "stats/keys.h"

static const heft_option options[] = {
    HEFT_OPT_WHOLE("population", "20", 4, 10000, "number of members of a generation"),
    HEFT_OPT_WHOLE("generations", "50", 0, 1e6,
                   "number of generations after the first, random one"),
    HEFT_OPT_NUMBER("f", "0.5", 0, 2,
                    "factor of the difference of two members that is added to a third"),
    HEFT_OPT_NUMBER("cr", "0.9", 0, 1,
                    "probability that a weight is taken from the mutated member"),
    HEFT_OPT_WHOLE("max-eval", "1000000", 1, 1e12,
                   "maximum number of points tried; 1 keeps every weight at 1"),
    HEFT_OPT_END,
};

typedef struct problem {
    const heft_evidence *ev;
    const double        *log_prior;
    const size_t        *active; /* n attributes with evidence; the others keep 1 */
    size_t               n;
} problem;

/* A row is right when no class before its own scores as much, and none after it more. */
static void count_right(void *user, const heft_tile *tile, const double *scores)
{
    const size_t K = tile->n_score;
    double      *right = user;
    for (size_t i = 0; i < tile->n; i++) {
        const double *s = scores + i * K;
        const size_t  y = tile->y[i];
        int           lost = 0;
        for (size_t c = 0; c < y; c++) lost |= s[c] >= s[y];
        for (size_t c = y + 1; c < K; c++) lost |= s[c] > s[y];
        if (!lost) *right += tile->weight[i];
    }
}

static void spread_out(const problem *h, const double *x, double *w)
{
    for (size_t j = 0; j < h->ev->n_attr; j++) w[j] = 1;
    for (size_t k = 0; k < h->n; k++) w[h->active[k]] = x[k];
}

/* Runs as a task, within which the tiles come one after the other. */
static heft_status share_right(heft_ctx *ctx, void *user, const double *x, double *fitness)
{
    const problem *h = user;
    double         right = 0, *w;
    HEFT_ALLOC(ctx, &ctx->scratch, w, h->ev->n_attr);
    spread_out(h, x, w);
    const heft_head head = {.shape = HEFT_W_ATTR, .w = w, .base = h->log_prior};
    HEFT_CHECK(heft_evidence_visit(ctx, h->ev, &head, 1, count_right, &right));
    *fitness = right / h->ev->total;
    return HEFT_OK;
}

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_evolve_rule rule = {.population = (size_t)heft_param_num(task, "population"),
                                   .generations = (long)heft_param_num(task, "generations"),
                                   .f = heft_param_num(task, "f"),
                                   .cr = heft_param_num(task, "cr"),
                                   .max_eval = (long)heft_param_num(task, "max-eval")};
    heft_evidence         *ev;
    heft_minimum           how;
    long                   found;
    heft_keys              keys;
    uint64_t              *key;
    size_t                *active, n = 0;
    double                *x;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    HEFT_ALLOC(ctx, task->arena, out->weights.w, out->n_attr);
    out->weights.shape = HEFT_W_ATTR;
    HEFT_CHECK(heft_evidence_build(ctx, task->rows, out->lik, &ctx->scratch, &ev));
    HEFT_ALLOCS(ctx, &ctx->scratch, out->n_attr, key, active, x);
    HEFT_CHECK(heft_keys_of(ctx, task->rows, &ctx->scratch, &keys));
    for (size_t j = 0; j < out->n_attr; j++) {
        if (!ev->active[j]) continue;
        x[n] = 1;
        key[n] = keys.column[j] | 1; /* 0 is the key of the members */
        active[n++] = j;
    }
    problem              h = {ev, out->log_prior, active, n};
    const heft_evolution what = {n, key, 0, 1, 1, share_right, &h, task->method->name};
    HEFT_CHECK(heft_evolve(ctx, &what, &rule, x, &found, &how));
    spread_out(&h, x, out->weights.w);
    heft_record_minimum(&how, &out->training);
    heft_fact_number(out, "training_accuracy_of_nb", how.f0);
    heft_fact_number(out, "training_accuracy", how.f);
    heft_fact_number(out, "found_in_generation", (double)found);
    return HEFT_OK;
}

static const heft_twin twins[] = HEFT_TWINS_OF("nb", "max-eval=1", "variance=class");

const heft_method heft_method_deawnb = {
    .name = "deawnb",
    .title = "weights that predict the most training rows right, found by differential evolution",
    .source = "[wu2011]; a reading, as compared in [wang2020]",
    .family = HEFT_WRAPPER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,
    .prepare = {.impute = "mean", .discretize = "mdl", .smoothing = "paper", .prior = "smoothed"},
    .options = options,
    .twins = twins,
    .fit = fit,
};
