/* greedy.c - the search of sbc and tcsfsnb. */
#include "learn/greedy.h"

#include <math.h>

enum { LONGEST_TRACE = 400 };

static const double RISE = 1e-12; /* values are shares: equal within this */

typedef struct search_state {
    const heft_task        *task;
    const heft_greedy_rule *rule;
    heft_judge             *judge;
    double                  total, all_cost;
    double                 *w; /* 0 or 1 */
    double                  cost, value;
    size_t                 *list; /* attributes that may move */
    double                 *right;
    double                  evaluations;
    long                    moves;
    bool                    spent; /* the budget */
    heft_buf                trace;
} search_state;

static double cost_of(const search_state *k, size_t j)
{
    return k->rule->cost ? k->rule->cost[j] : 1;
}

static double value_of(const search_state *k, double right, double cost)
{
    const double share = k->all_cost > 0 ? cost / k->all_cost : 0;
    return right / k->total - k->rule->tradeoff * share;
}

static heft_status open_case(heft_ctx *ctx, search_state *k, const heft_counts *counts,
                             const heft_fitted *basis)
{
    const size_t           m = basis->n_attr;
    const heft_judge_basis what = {.rows = k->task->rows,
                                   .counts = counts,
                                   .smoothing = &k->task->smoothing,
                                   .prior = &k->task->prior,
                                   .basis = basis};
    double                 right;

    k->total = counts->total;
    HEFT_ALLOC(ctx, k->task->arena, k->w, m);
    HEFT_ALLOC(ctx, &ctx->scratch, k->list, m);
    HEFT_ALLOC(ctx, &ctx->scratch, k->right, m);
    HEFT_CHECK(heft_judge_open(ctx, &what, k->rule->how, &ctx->scratch, &k->judge));
    for (size_t j = 0; j < m; j++) {
        k->all_cost += cost_of(k, j);
        if (!k->rule->backward) continue;
        k->w[j] = 1;
        k->cost += cost_of(k, j);
        HEFT_CHECK(heft_judge_move(ctx, k->judge, j, 1));
    }
    HEFT_CHECK(heft_judge_right(ctx, k->judge, &right));
    k->value = value_of(k, right, k->cost);
    return HEFT_OK;
}

/* The best of n candidates, SIZE_MAX when none raises the value; its value in *value. */
static heft_status pick(heft_ctx *ctx, search_state *k, size_t n, double step, size_t *best,
                        double *value)
{
    double sure = NAN; /* log posterior of the best, once it is needed */
    *best = SIZE_MAX;
    *value = k->value;
    for (size_t q = 0; q < n; q++) {
        const size_t j = k->list[q];
        const double v = value_of(k, k->right[q], k->cost + step * cost_of(k, j));
        double       now = NAN;
        if (*best == SIZE_MAX ? !(v > *value + RISE) : !(v > *value - RISE)) continue;
        if (*best != SIZE_MAX && v <= *value + RISE) {
            if (isnan(sure)) HEFT_CHECK(heft_judge_likelihood(ctx, k->judge, *best, step, &sure));
            HEFT_CHECK(heft_judge_likelihood(ctx, k->judge, j, step, &now));
            if (!(now > sure + RISE * fabs(sure))) continue;
        }
        *best = j;
        *value = v;
        sure = now;
    }
    return HEFT_OK;
}

static void trace_move(search_state *k, size_t j)
{
    if (k->trace.length > LONGEST_TRACE) return;
    heft_buf_text(&k->trace, k->moves == 1 ? "" : ", ");
    heft_buf_text(&k->trace, k->rule->backward ? "-" : "+");
    heft_buf_text(&k->trace, k->task->prep->attr[j].name);
    heft_buf_text(&k->trace, " ");
    heft_buf_fixed(&k->trace, k->value, 4);
}

/* Moves until none raises the value or the budget is spent; *why: which of the two. */
static heft_status search(heft_ctx *ctx, search_state *k, size_t m, const char **why)
{
    const double step = k->rule->backward ? -1 : 1;
    *why = "no attribute raises the value";
    for (;;) {
        size_t n = 0, best;
        double value;
        for (size_t j = 0; j < m; j++)
            if (k->w[j] == (k->rule->backward ? 1 : 0)) k->list[n++] = j;
        if (n == 0) break;
        if (k->evaluations + (double)n > k->rule->max_eval) {
            *why = "max-eval: no further move may be tried";
            k->spent = true;
            break;
        }
        HEFT_CHECK(heft_judge_try(ctx, k->judge, k->list, n, step, k->right));
        k->evaluations += (double)n;
        HEFT_CHECK(pick(ctx, k, n, step, &best, &value));
        if (best == SIZE_MAX) break;
        HEFT_CHECK(heft_judge_move(ctx, k->judge, best, step));
        k->w[best] += step;
        k->cost += step * cost_of(k, best);
        k->value = value;
        k->moves++;
        trace_move(k, best);
        heft_progress(ctx, k->task->method->name, (double)k->moves / (double)m);
    }
    return HEFT_OK;
}

static heft_status record(heft_ctx *ctx, search_state *k, double first, const char *why,
                          heft_fitted *out)
{
    heft_training *t = &out->training;
    size_t         n = 0;
    for (size_t j = 0; j < out->n_attr; j++)
        if (k->w[j] != 0) k->list[n++] = j;
    t->iterative = true;
    t->iterations = k->moves;
    t->evaluations = (long)k->evaluations;
    t->objective_initial = first;
    t->objective_final = k->value;
    t->converged = !k->spent;
    t->stopped_by = why;
    heft_fact_number(out, "selected", (double)n);
    HEFT_CHECK(heft_fact_attributes(ctx, k->task, out, "selected_attributes", k->list, n));
    if (k->moves) HEFT_CHECK(heft_fact_buf(ctx, k->task, out, "moves", &k->trace));
    return HEFT_OK;
}

void heft_greedy_options(const heft_task *task, heft_greedy_rule *rule)
{
    rule->how = heft_param(task, "judge")->word == 0 ? HEFT_JUDGE_TRAINING : HEFT_JUDGE_LEFT_OUT;
    rule->backward = heft_param(task, "start")->word == 1;
    rule->max_eval = heft_param_num(task, "max-eval");
}

heft_status heft_greedy(heft_ctx *ctx, const heft_task *task, const heft_counts *counts,
                        const heft_greedy_rule *rule, heft_fitted *out)
{
    heft_status  st = HEFT_OK;
    search_state k = {.task = task, .rule = rule};
    const char  *why;

    HEFT_TRY(open_case(ctx, &k, counts, out));
    const double first = k.value;
    HEFT_TRY(search(ctx, &k, out->n_attr, &why));
    out->weights.shape = HEFT_W_ATTR;
    out->weights.w = k.w;
    HEFT_TRY(record(ctx, &k, first, why, out));
done:
    heft_buf_clear(&k.trace);
    return st;
}
