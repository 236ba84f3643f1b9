/* greedy.c - the search of sbc and tcsfsnb. */
#include "learn/greedy.h"

#include <math.h>

#include "stats/keys.h"

enum { LONGEST_TRACE = 400 };

static const double RISE = 1e-12; /* values are fractions; a smaller difference is a tie */

typedef struct search_state {
    const heft_task        *task;
    const heft_greedy_rule *rule;
    heft_subset            *subset;
    double                  total, all_cost;
    double                 *w;     /* weight of each attribute, 0 or 1 */
    double                  cost;  /* cost of the chosen attributes */
    size_t                 *list;  /* attributes that can be added or removed next */
    uint64_t               *key;   /* keys of the columns; NULL until a tie needs them */
    double                 *right; /* weight of the rows classified right after each move */
    heft_minimum            how;   /* f is the value of the set, iterations counts moves */
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
    const size_t            m = basis->n_attr;
    const heft_subset_basis what = {.rows = k->task->rows,
                                    .counts = counts,
                                    .smoothing = &k->task->smoothing,
                                    .prior = &k->task->prior,
                                    .basis = basis};
    double                  right;
    k->total = counts->total;
    HEFT_ALLOC(ctx, k->task->arena, k->w, m);
    HEFT_ALLOCS(ctx, &ctx->scratch, m, k->list, k->right);
    HEFT_CHECK(heft_subset_open(ctx, &what, k->rule->how, &ctx->scratch, &k->subset));
    for (size_t j = 0; j < m; j++) {
        k->all_cost += cost_of(k, j);
        if (!k->rule->backward) continue;
        k->w[j] = 1;
        k->cost += cost_of(k, j);
        HEFT_CHECK(heft_subset_move(ctx, k->subset, j, 1));
    }
    HEFT_CHECK(heft_subset_right(ctx, k->subset, &right));
    k->how.f0 = k->how.f = value_of(k, right, k->cost);
    return HEFT_OK;
}

/* *first = whether column a wins a tie against column b, by the keys of their contents. */
static heft_status comes_first(heft_ctx *ctx, search_state *k, size_t a, size_t b, bool *first)
{
    const heft_rows *rows = k->task->rows;
    if (!k->key) {
        HEFT_ALLOC(ctx, &ctx->scratch, k->key, rows->n_attr);
        HEFT_CHECK(heft_keys_columns(ctx, rows, k->key));
    }
    *first = k->key[a] > k->key[b];
    return HEFT_OK;
}

/* *best = the best of n candidate moves and *value = its value; *best is SIZE_MAX if none raises
 * the value. */
static heft_status pick(heft_ctx *ctx, search_state *k, size_t n, double step, size_t *best,
                        double *value)
{
    double sure = NAN; /* log posterior of the best move; NaN until a tie needs it */
    *best = SIZE_MAX;
    *value = k->how.f;
    for (size_t q = 0; q < n; q++) {
        const size_t j = k->list[q];
        const double v = value_of(k, k->right[q], k->cost + step * cost_of(k, j));
        double       now = NAN;
        if (*best == SIZE_MAX ? !(v > *value + RISE) : !(v > *value - RISE)) continue;
        if (*best != SIZE_MAX && v <= *value + RISE) {
            if (isnan(sure)) HEFT_CHECK(heft_subset_likelihood(ctx, k->subset, *best, step, &sure));
            HEFT_CHECK(heft_subset_likelihood(ctx, k->subset, j, step, &now));
            bool wins = now > sure + RISE * fabs(sure);
            if (!wins && now >= sure - RISE * fabs(sure))
                HEFT_CHECK(comes_first(ctx, k, j, *best, &wins));
            if (!wins) continue;
        }
        *best = j;
        *value = v;
        sure = now;
    }
    return HEFT_OK;
}

/* Makes moves until none raises the value, or max_eval moves have been tried. */
static heft_status search(heft_ctx *ctx, search_state *k, size_t m)
{
    const double step = k->rule->backward ? -1 : 1;
    k->how.converged = true;
    k->how.stopped_by = "no attribute improves the value";
    for (;;) {
        size_t n = 0, best;
        double value;
        for (size_t j = 0; j < m; j++)
            if (k->w[j] == (k->rule->backward ? 1 : 0)) k->list[n++] = j;
        if (n == 0) break;
        if ((double)k->how.evaluations + (double)n > k->rule->max_eval) {
            k->how.stopped_by = "the limit max-eval was reached";
            k->how.converged = false;
            break;
        }
        HEFT_CHECK(heft_subset_try(ctx, k->subset, k->list, n, step, k->right));
        k->how.evaluations += (long)n;
        HEFT_CHECK(pick(ctx, k, n, step, &best, &value));
        if (best == SIZE_MAX) break;
        HEFT_CHECK(heft_subset_move(ctx, k->subset, best, step));
        k->w[best] += step;
        k->cost += step * cost_of(k, best);
        k->how.f = value;
        k->how.iterations++;
        if (k->trace.length <= LONGEST_TRACE) {
            heft_buf_printf(&k->trace, "%s%s%s ", k->how.iterations == 1 ? "" : ", ",
                            k->rule->backward ? "-" : "+", k->task->prep->attr[best].name);
            heft_buf_fixed(&k->trace, value, 4);
        }
        heft_progress(ctx, k->task->method->name, (double)k->how.iterations / (double)m);
    }
    return HEFT_OK;
}

void heft_greedy_options(const heft_task *task, heft_greedy_rule *rule)
{
    rule->how = heft_param(task, "judge")->word == 0 ? HEFT_SUBSET_TRAINING : HEFT_SUBSET_LEFT_OUT;
    rule->backward = heft_param(task, "start")->word == 1;
    rule->max_eval = heft_param_num(task, "max-eval");
}

heft_status heft_greedy(heft_ctx *ctx, const heft_task *task, const heft_counts *counts,
                        const heft_greedy_rule *rule, heft_fitted *out)
{
    heft_status  st = HEFT_OK;
    search_state k = {.task = task, .rule = rule};
    size_t       n = 0;
    HEFT_TRY(open_case(ctx, &k, counts, out));
    HEFT_TRY(search(ctx, &k, out->n_attr));
    out->weights.shape = HEFT_W_ATTR;
    out->weights.w = k.w;
    for (size_t j = 0; j < out->n_attr; j++)
        if (k.w[j] != 0) k.list[n++] = j;
    heft_record_minimum(&k.how, &out->training);
    heft_fact_number(out, "selected", (double)n);
    HEFT_TRY(heft_fact_attributes(ctx, task, out, "selected_attributes", k.list, n));
    if (k.how.iterations) HEFT_TRY(heft_fact_buf(ctx, task, out, "moves", &k.trace));
done:
    heft_buf_clear(&k.trace);
    return st;
}
