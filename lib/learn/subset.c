/* subset.c - scores of the training rows that move by one attribute at a time. */
#include "learn/subset.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"

enum { BLOCK = 4096 }; /* rows per task */

static const double KEPT_LIMIT = 536870912.0; /* bytes of likelihoods of numbers */
static const double LOG_TWO_PI_HALF = 0.91893853320467274178;
static const double LOG_OFF_POINT = -23.02585092994045684; /* log 1e-10, as in likelihood.c */

typedef struct attr_column { /* one attribute */
    const heft_attr *attr;
    const heft_lik  *lik;
    const double    *cell;       /* counts of the attribute; NULL for a number */
    double          *present;    /* per class: number of rows in which it is present; only in the
                                    mode HEFT_SUBSET_LEFT_OUT */
    double             *own;     /* coded, left out: n_codes x K, the own class one count short */
    const heft_moments *moments; /* numbers, left out */
    double             *kept;    /* numbers: n_rows x K, the own class left out; NULL: computed */
} attr_column;

struct heft_subset {
    heft_subset_basis what;
    heft_subset_mode  how;
    size_t            n, K;
    double           *score; /* n x K */
    attr_column      *col;
};

typedef struct view { /* the rows of one attribute; `space` holds K */
    const heft_subset *subset;
    const attr_column *col;
    double            *space;
} view;

typedef struct moving { /* attributes whose weights are changed, or tried */
    heft_subset  *subset;
    const size_t *list; /* attributes */
    double        step;
    double       *right; /* rows that each tried attribute gets right */
} moving;

static double weight_at(const heft_subset *set, size_t i)
{
    return set->what.rows->weight ? set->what.rows->weight[i] : 1;
}

/* ---- a row left out ---- */

static double own_share(const heft_subset *set, double n, double n_c, double v, double out)
{
    return log(heft_smooth(set->what.smoothing, fmax(0, n - out), fmax(0, n_c - out), v));
}

/* log of the normal at x without one x of weight `out`. In units of the spread, so that no square
 * overflows. */
static double normal_without(const heft_moments *m, size_t c, size_t K, double x, double out)
{
    const double n = m->n[c], rest = n - out;
    if (m->unlike[c] == 0) return x == m->first[c] ? 0 : LOG_OFF_POINT;
    if (!(rest > 1e-9 * n)) return LOG_OFF_POINT;
    const double u = (x - m->mean[c]) / m->spread[c], v = u * (n / rest);
    const double left = 1 - out * u * v; /* sum of squares about the new mean */
    if (!(left > 1e-12)) return LOG_OFF_POINT;
    const double own = m->spread[c] * sqrt(left / (rest > 1 ? rest - 1 : rest));
    const double sd = fmax(own, m->sd[K] * 3.1622776601683794e-5);
    const double z = v * (m->spread[c] / sd);
    const double value = -LOG_TWO_PI_HALF - log(sd) - 0.5 * z * z;
    return isfinite(value) ? value : LOG_OFF_POINT;
}

/* ---- what an attribute adds to a row ---- */

/* K numbers for row i; *own, that of its own class. */
static inline const double *line_at(const view *v, size_t i, double *own)
{
    const attr_column *col = v->col;
    const heft_subset *set = v->subset;
    const size_t       K = set->K, y = set->what.rows->y[i];
    const bool         left_out = set->how == HEFT_SUBSET_LEFT_OUT;
    const double      *line = v->space;
    if (col->kept) {
        line = col->kept + i * K;
        *own = line[y];
    } else if (col->attr->coded) {
        const uint32_t code = heft_code_at(col->attr->codes, col->attr->width, i);
        const double   out = left_out ? fmin(1, weight_at(set, i)) : 0, V = col->attr->n_codes;
        line = heft_lik_code(col->lik, K, code);
        if (!left_out) *own = line[y];
        else if (code >= col->attr->n_codes) *own = 0;
        else if (out == 1) *own = col->own[code * K + y];
        else *own = own_share(set, col->cell[code * K + y], col->present[y], V, out);
    } else {
        const double x = col->attr->numbers[i];
        heft_lik_number(col->lik, K, x, v->space);
        if (!left_out) *own = line[y];
        else if (isnan(x) || col->lik->silent) *own = 0;
        else *own = normal_without(col->moments, y, K, x, fmin(1, weight_at(set, i)));
    }
    return line;
}

/* Row i is right when no class before its own scores as much, and none after it more. */
static inline bool is_right(const double *s, const double *line, double step, double own, size_t y,
                            size_t K)
{
    int lost = 0;
    for (size_t c = 0; c < y; c++) lost |= s[c] + step * line[c] >= own;
    for (size_t c = y + 1; c < K; c++) lost |= s[c] + step * line[c] > own;
    return !lost;
}

static heft_status try_one(heft_ctx *ctx, void *arg, size_t k)
{
    const moving      *job = arg;
    const heft_subset *set = job->subset;
    const size_t       K = set->K;
    view               v = {.subset = set, .col = &set->col[job->list[k]]};
    double             right = 0;
    HEFT_CHECK(heft_check_cancel(ctx));
    HEFT_ALLOC(ctx, &ctx->scratch, v.space, K);
    for (size_t i = 0; i < set->n; i++) {
        const double *s = set->score + i * K;
        const size_t  y = set->what.rows->y[i];
        double        own;
        const double *line = line_at(&v, i, &own);
        if (is_right(s, line, job->step, s[y] + job->step * own, y, K)) right += weight_at(set, i);
    }
    job->right[k] = right;
    return HEFT_OK;
}

/* ---- opening ---- */

static double own_prior(const heft_subset *set, size_t y, double out)
{
    const heft_counts *counts = set->what.counts;
    const double       log_prior = set->what.basis->log_prior[y];
    const double       n = counts->class_sum[y];
    if (set->what.prior->kind == HEFT_PRIOR_FREQUENCY)
        return n > out ? log_prior + log((n - out) / n) : -INFINITY;
    if (set->what.prior->kind != HEFT_PRIOR_SMOOTHED) return log_prior;
    /* the denominator loses one row as well, but that is the same for every class */
    const double K = (double)set->K, total = counts->total;
    return log_prior + log(heft_smooth(set->what.smoothing, fmax(0, n - out), total, K) /
                           heft_smooth(set->what.smoothing, n, total, K));
}

static heft_status own_tables(heft_ctx *ctx, heft_subset *set, heft_arena *arena, attr_column *col)
{
    const size_t K = set->K, V = col->attr->n_codes;
    HEFT_ALLOC(ctx, arena, col->present, K);
    HEFT_ALLOC(ctx, arena, col->own, V * K);
    for (size_t k = 0; k < V * K; k++) col->present[k % K] += col->cell[k];
    for (size_t k = 0; k < V * K; k++)
        col->own[k] = own_share(set, col->cell[k], col->present[k % K], (double)V, 1);
    return HEFT_OK;
}

static heft_status keep_numbers(heft_ctx *ctx, void *arg, size_t j)
{
    heft_subset *set = arg;
    attr_column *col = &set->col[j];
    double      *to = col->kept, *space;
    if (!to) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, space, set->K);
    col->kept = NULL; /* for line_at, while it is filled */
    const view v = {set, col, space};
    for (size_t i = 0; i < set->n; i++) {
        double        own;
        const double *line = line_at(&v, i, &own);
        memcpy(to + i * set->K, line, set->K * sizeof *to);
        to[i * set->K + set->what.rows->y[i]] = own;
    }
    col->kept = to;
    return HEFT_OK;
}

static heft_status open_columns(heft_ctx *ctx, heft_subset *set, heft_arena *arena)
{
    const heft_rows *rows = set->what.rows;
    const double     bytes = 8.0 * (double)set->n * (double)set->K;
    double           kept = 0;
    heft_moments    *moments = NULL;
    bool             numbers = false;
    HEFT_ALLOC(ctx, arena, set->col, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) numbers = numbers || !rows->attr[j].coded;
    if (numbers && set->how == HEFT_SUBSET_LEFT_OUT)
        HEFT_CHECK(heft_moments_of(ctx, rows, arena, &moments));
    for (size_t j = 0; j < rows->n_attr; j++) {
        attr_column *col = &set->col[j];
        *col = (attr_column){.attr = &rows->attr[j], .lik = &set->what.basis->lik[j]};
        col->cell = set->what.counts->cell[j];
        if (moments) col->moments = &moments[j];
        if (rows->attr[j].coded && set->how == HEFT_SUBSET_LEFT_OUT)
            HEFT_CHECK(own_tables(ctx, set, arena, col));
        if (rows->attr[j].coded || (kept += bytes) > KEPT_LIMIT) continue;
        HEFT_ALLOC(ctx, arena, col->kept, set->n * set->K);
    }
    return heft_run(ctx, rows->n_attr, keep_numbers, set);
}

heft_status heft_subset_open(heft_ctx *ctx, const heft_subset_basis *what, heft_subset_mode how,
                             heft_arena *arena, heft_subset **out)
{
    heft_subset *set;
    size_t       cells;
    HEFT_ALLOC(ctx, arena, set, 1);
    *set =
        (heft_subset){.what = *what, .how = how, .n = what->rows->n_rows, .K = what->rows->n_class};
    if (!heft_product(set->n, set->K, &cells)) return heft_no_memory(ctx, set->n, set->K);
    HEFT_CHECK(heft_check_tables(ctx, what->rows, (double)cells, "a score per row and class"));
    HEFT_ALLOC(ctx, arena, set->score, cells);
    HEFT_CHECK(open_columns(ctx, set, arena));
    for (size_t i = 0; i < set->n; i++) {
        const size_t y = what->rows->y[i];
        memcpy(set->score + i * set->K, what->basis->log_prior, set->K * sizeof *set->score);
        if (how == HEFT_SUBSET_LEFT_OUT)
            set->score[i * set->K + y] = own_prior(set, y, fmin(1, weight_at(set, i)));
    }
    *out = set;
    return HEFT_OK;
}

/* ---- questions ---- */

static void right_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const heft_subset *set = arg;
    for (size_t i = lo; i < hi; i++) {
        const double *s = set->score + i * set->K;
        const size_t  y = set->what.rows->y[i];
        if (is_right(s, s, 0, s[y], y, set->K)) acc[0] += weight_at(set, i);
    }
}

heft_status heft_subset_right(heft_ctx *ctx, const heft_subset *subset, double *right)
{
    return heft_sum_rows(ctx, subset->n, 1, right_rows, subset, right);
}

heft_status heft_subset_try(heft_ctx *ctx, const heft_subset *subset, const size_t *list, size_t n,
                            double step, double *right)
{
    moving job = {(heft_subset *)subset, list, step, right};
    return heft_run(ctx, n, try_one, &job);
}

heft_status heft_subset_likelihood(heft_ctx *ctx, const heft_subset *subset, size_t j, double step,
                                   double *log_posterior)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = subset->K;
    view         v = {.subset = subset, .col = &subset->col[j]};
    double      *s, sum = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, v.space, s);
    for (size_t i = 0; i < subset->n; i++) {
        const double *from = subset->score + i * K;
        const size_t  y = subset->what.rows->y[i];
        double        own;
        const double *line = line_at(&v, i, &own);
        for (size_t c = 0; c < K; c++) s[c] = from[c] + step * (c == y ? own : line[c]);
        const double total = heft_logsumexp(s, K);
        sum += weight_at(subset, i) * fmax(isfinite(total) ? s[y] - total : -1e6, -1e6);
    }
    *log_posterior = sum;
    return HEFT_OK;
}

static heft_status move_rows(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const moving *job = arg;
    const size_t  K = job->subset->K;
    view          v = {.subset = job->subset, .col = &job->subset->col[*job->list]};
    HEFT_ALLOC(ctx, &ctx->scratch, v.space, K);
    for (size_t i = lo; i < hi; i++) {
        double       *s = job->subset->score + i * K;
        const size_t  y = job->subset->what.rows->y[i];
        double        own;
        const double *line = line_at(&v, i, &own);
        own = s[y] + job->step * own;
        for (size_t c = 0; c < K; c++) s[c] += job->step * line[c];
        s[y] = own;
    }
    return HEFT_OK;
}

heft_status heft_subset_move(heft_ctx *ctx, heft_subset *subset, size_t j, double step)
{
    moving job = {subset, &j, step, NULL};
    return heft_run_blocks(ctx, subset->n, BLOCK, move_rows, &job);
}
