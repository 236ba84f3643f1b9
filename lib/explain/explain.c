/* explain.c - why a row got its class: its score taken apart, attribute by attribute.
 *
 *   log-odds of a against b = sum over the prior and all attributes of (part for a - part for b)
 *
 * Scores, posterior and log-odds are all computed from the parts shown, so that they add up. Where
 * pairs of attributes have evidence of their own, each attribute has half of it; the pairs are
 * listed too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "explain/explain.h"
#include "explain/grid.h"
#include "explain/terms.h"
#include "model/describe.h"
#include "train/fit.h"

enum { LEADING = 5, BAR = 12, LISTED_PAIRS = 5 };

typedef struct share { /* an attribute's of the log-odds, or a class's score */
    size_t j;
    double odds;
} share;

typedef struct reasons {
    const heft_model *model;
    const heft_table *row;                /* the one row */
    heft_dict        *columns;            /* names of the row's columns, by place */
    size_t            K, A, best, second; /* second == K: no other class has a score */
    heft_terms        t;
    heft_row_evidence e;
    double           *score, *posterior;
    double            prior, total; /* log-odds */
    share            *order;        /* A attributes */
    share            *ranking;      /* K classes by score */
} reasons;

/* ---- the cell as it was read ---- */

static double sparse_at(const heft_sparse *s, size_t col)
{
    size_t lo = s->start[0], hi = s->start[1];
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (s->col[mid] < col) lo = mid + 1;
        else hi = mid;
    }
    return lo < s->start[1] && s->col[lo] == col ? s->val[lo] : 0;
}

/* The column of attribute j, NULL when the table has none; then the number, or the code's text. */
static const heft_column *cell_of(const reasons *r, size_t j, double *number, const char **text)
{
    const char        *name = r->model->prep.attr[j].name;
    const uint32_t     k = heft_dict_find(r->columns, name, strlen(name));
    const heft_column *col = k == HEFT_DICT_NONE ? NULL : &r->row->cols[k];
    *number = col ? NAN : 0;
    *text = NULL;
    if (!col) return NULL;
    if (r->row->sparse) *number = sparse_at(r->row->sparse, k);
    else if (col->kind == HEFT_NUMBER) *number = ((const double *)col->cells)[0];
    else *number = heft_code_at(col->cells, col->width, 0);
    if (col->kind == HEFT_NOMINAL && *number >= 0 && *number < (double)heft_dict_size(col->dict))
        *text = heft_dict_text(col->dict, (uint32_t)*number);
    else if (col->kind == HEFT_NOMINAL) *number = NAN;
    return col;
}

static const char *truth_of(const reasons *r)
{
    const heft_column *target = r->row->target;
    if (!target) return NULL;
    const uint32_t code = heft_code_at(target->cells, target->width, 0);
    return code < heft_dict_size(target->dict) ? heft_dict_text(target->dict, code) : NULL;
}

/* ---- reasons ---- */

static int by_odds(const void *pa, const void *pb)
{
    const share *a = pa, *b = pb;
    if (fabs(a->odds) != fabs(b->odds)) return fabs(a->odds) > fabs(b->odds) ? -1 : 1;
    return a->j < b->j ? -1 : 1;
}

static int by_score(const void *pa, const void *pb)
{
    const share *a = pa, *b = pb;
    if (a->odds != b->odds) return a->odds > b->odds ? -1 : 1;
    return a->j < b->j ? -1 : 1;
}

/* The log-odds of a line of parts. */
static double odds_of(const reasons *r, const double *p)
{
    return r->second == r->K ? p[r->best] : p[r->best] - p[r->second];
}

static heft_status find_evidence(heft_ctx *ctx, reasons *r)
{
    heft_status   st = HEFT_OK;
    heft_prepared prepared = {0};
    HEFT_TRY(heft_prep_apply(ctx, &r->model->prep, r->row, &prepared));
    HEFT_TRY(heft_terms_open(ctx, r->model, &r->t));
    HEFT_TRY(heft_terms_row(ctx, &r->t, &prepared.rows, 0, &r->e));
done:
    heft_prepared_clear(&prepared);
    return st;
}

static heft_status find_classes(heft_ctx *ctx, reasons *r)
{
    HEFT_ALLOCS(ctx, &ctx->scratch, r->K, r->score, r->posterior);
    for (size_t line = 0; line <= r->A; line++)
        for (size_t c = 0; c < r->K; c++) r->score[c] += r->e.parts[line * r->K + c];
    memcpy(r->posterior, r->score, r->K * sizeof *r->score);
    heft_softmax(r->posterior, r->K);
    HEFT_ALLOC(ctx, &ctx->scratch, r->ranking, r->K);
    for (size_t c = 0; c < r->K; c++) r->ranking[c] = (share){c, r->score[c]};
    qsort(r->ranking, r->K, sizeof *r->ranking, by_score);
    r->best = r->ranking[0].j;
    r->second = r->K > 1 && isfinite(r->ranking[1].odds) ? r->ranking[1].j : r->K;
    return HEFT_OK;
}

static heft_status find_shares(heft_ctx *ctx, reasons *r)
{
    HEFT_ALLOC(ctx, &ctx->scratch, r->order, r->A);
    r->total = r->prior = odds_of(r, r->e.parts);
    for (size_t j = 0; j < r->A; j++) {
        r->order[j] = (share){j, odds_of(r, r->e.parts + (1 + j) * r->K)};
        r->total += r->order[j].odds;
    }
    return HEFT_OK;
}

/* r->row and r->columns are the caller's to free. */
static heft_status find_reasons(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                size_t i, heft_table **row, reasons *r)
{
    uint32_t code;
    r->model = model;
    r->K = model->fitted.n_class;
    r->A = model->prep.n_attr;
    HEFT_CHECK(heft_table_take(ctx, table, &i, 1, row));
    r->row = *row;
    HEFT_CHECK(heft_dict_create(ctx, &r->columns));
    for (size_t k = 0; k < table->n_cols; k++)
        HEFT_CHECK(heft_dict_add(ctx, r->columns, table->cols[k].name, strlen(table->cols[k].name),
                                 &code));
    HEFT_CHECK(find_evidence(ctx, r));
    HEFT_CHECK(find_classes(ctx, r));
    return find_shares(ctx, r);
}

static const char *class_name(const reasons *r, size_t c)
{
    return heft_dict_text(r->model->prep.classes, (uint32_t)c);
}

static const char *attr_name(const reasons *r, size_t j)
{
    return r->model->prep.attr[j].name;
}

/* ---- text ---- */

/* Log-odds and a bar, the last two cells of a row. */
static void add_odds(heft_grid *grid, double x, double most)
{
    char        bar[HEFT_BAR];
    const char *drawn = heft_bar(bar, x < 0 ? '-' : '+', BAR, most > 0 ? fabs(x) / most : 0);
    if (fabs(x) < 1e7) heft_grid_put(grid, "%s%3f\t%s", x >= 0 ? "+" : "", x, drawn);
    else heft_grid_put(grid, "%4g\t%s", x, drawn);
}

static void add_row(heft_grid *grid, const char *name, double odds, double most)
{
    heft_grid_put(grid, "%s\t", name);
    add_odds(grid, odds, most);
}

static void add_attribute(const reasons *r, const share *s, double most, heft_grid *grid)
{
    double      number;
    const char *value;
    cell_of(r, s->j, &number, &value);
    heft_grid_put(grid, "%40q", attr_name(r, s->j));
    if (value) heft_grid_put(grid, "%24q", value);
    else heft_grid_put(grid, "%7g", number);
    add_odds(grid, s->odds, most);
}

static void write_classes(const reasons *r, size_t i, heft_buf *out)
{
    heft_grid    grid = {.n_cols = 3, .right = {false, false, true}};
    const char  *truth = truth_of(r);
    const size_t n = r->K < LEADING ? r->K : LEADING;
    heft_put(out, "row %z", i + 1);
    if (truth) heft_put(out, ", where %40q is %40q", r->model->prep.target, truth);
    heft_put(out, "\n\n");
    for (size_t k = 0; k < n; k++)
        heft_grid_put(&grid, "%s\t%40q\t%6f",
                      k == 0   ? "predicted"
                      : k == 1 ? "runner-up"
                               : "",
                      class_name(r, r->ranking[k].j), r->posterior[r->ranking[k].j]);
    heft_grid_print(&grid, out);
    if (n < r->K) heft_put(out, "(%z more classes)\n", r->K - n);
    heft_put(out, "\nevidence for %40q", class_name(r, r->best));
    if (r->second == r->K) heft_put(out, ", the only class that takes part (log scores)\n\n");
    else heft_put(out, " against %40q (log-odds)\n\n", class_name(r, r->second));
}

static void write_shares(const reasons *r, size_t top, heft_buf *out)
{
    const size_t n = top && top < r->A ? top : r->A;
    const double most = fmax(fabs(r->prior), r->A ? fabs(r->order[0].odds) : 0);
    double       rest = 0;
    heft_grid    grid = {.n_cols = 4, .right = {false, false, true, false}};
    heft_grid_put(&grid, "attribute\tvalue\tlog-odds\t");
    add_row(&grid, "(prior)", r->prior, most);
    for (size_t k = 0; k < n; k++) add_attribute(r, &r->order[k], most, &grid);
    for (size_t k = n; k < r->A; k++) rest += r->order[k].odds;
    if (n < r->A) {
        heft_grid_put(&grid, "(%z more)\t", r->A - n);
        add_odds(&grid, rest, most);
    }
    add_row(&grid, "total", r->total, most);
    heft_grid_print(&grid, out);
}

/* The strongest pairs of attributes. */
static heft_status write_pairs(heft_ctx *ctx, const reasons *r, size_t top, heft_buf *out)
{
    const size_t all = r->t.n_interactions, usual = all < LISTED_PAIRS ? all : LISTED_PAIRS;
    const size_t n = top && top < usual ? top : usual;
    share       *order;
    heft_grid    grid = {.n_cols = 4, .right = {false, false, true, false}};
    if (n == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, order, all);
    for (size_t k = 0; k < all; k++) order[k] = (share){k, odds_of(r, r->e.together + k * r->K)};
    qsort(order, all, sizeof *order, by_odds);
    heft_put(out, "\nthe loudest of %z pairs; their halves stand above\n\n", all);
    heft_grid_put(&grid, "attribute\twith\tlog-odds\t");
    for (size_t k = 0; k < n; k++) {
        const heft_interaction *pair = &r->t.interaction[order[k].j];
        heft_grid_put(&grid, "%40q\t%40q", attr_name(r, pair->attr[0]),
                      attr_name(r, pair->attr[1]));
        add_odds(&grid, order[k].odds, fabs(order[0].odds));
    }
    heft_grid_print(&grid, out);
    return HEFT_OK;
}

/* ---- JSON ---- */

static void json_attribute(const reasons *r, size_t j, heft_buf *out)
{
    const double *parts = r->e.parts + (1 + j) * r->K;
    double        number;
    const char   *text;
    heft_put(out, "%s\n  {\"name\": %j, \"value\": ", j ? "," : "", attr_name(r, j));
    cell_of(r, j, &number, &text);
    if (text) heft_put(out, "%j", text);
    else heft_put(out, "%n", number);
    heft_put(out, ", \"log_odds\": %n, \"parts\": %v", odds_of(r, parts), parts, r->K);
    if (r->e.alone) heft_put(out, ", \"alone\": %v", r->e.alone + (1 + j) * r->K, r->K);
    heft_put(out, "}");
}

/* Prior, what the attributes say alone, and the pairs add up to the score too. */
static void json_pairs(const reasons *r, heft_buf *out)
{
    if (!r->e.alone) return;
    heft_put(out, ",\n \"attribute_pairs\": [");
    for (size_t k = 0; k < r->t.n_interactions; k++) {
        const uint32_t *attr = r->t.interaction[k].attr;
        const double   *parts = r->e.together + k * r->K;
        heft_put(out, "%s\n  {\"attributes\": [%j, %j], \"log_odds\": %n, \"parts\": %v}",
                 k ? "," : "", attr_name(r, attr[0]), attr_name(r, attr[1]), odds_of(r, parts),
                 parts, r->K);
    }
    heft_put(out, r->t.n_interactions ? "\n ]" : "]");
}

static void write_json(const reasons *r, size_t i, heft_buf *out)
{
    heft_put(out, "{\"row\": %z,\n \"predicted\": %j,\n \"runner_up\": %j,\n \"actual\": %j", i + 1,
             class_name(r, r->best), r->second < r->K ? class_name(r, r->second) : NULL,
             truth_of(r));
    heft_put(out, ",\n \"classes\": ");
    heft_describe_classes(out, &r->model->prep);
    heft_put(out, ",\n \"posterior\": %v,\n \"score\": %v,\n \"log_odds\": %n", r->posterior, r->K,
             r->score, r->K, r->total);
    heft_put(out, ",\n \"prior\": {\"log_odds\": %n, \"parts\": %v},\n \"attributes\": [", r->prior,
             r->e.parts, r->K);
    for (size_t j = 0; j < r->A; j++) json_attribute(r, j, out);
    heft_put(out, r->A ? "\n ]" : "]");
    json_pairs(r, out);
    heft_put(out, "}\n");
}

/* ---- public ---- */

static heft_status explain(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                           size_t i, bool json, size_t top, char **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_table     *row = NULL;
    reasons         r = {0};
    heft_buf        buf = {0};
    *out = NULL;
    HEFT_TRY(find_reasons(ctx, model, table, i, &row, &r));
    if (json) {
        write_json(&r, i, &buf);
    } else {
        if (r.A) qsort(r.order, r.A, sizeof *r.order, by_odds);
        write_classes(&r, i, &buf);
        write_shares(&r, top, &buf);
        HEFT_TRY(write_pairs(ctx, &r, top, &buf));
    }
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_dict_free(r.columns);
    heft_table_free(row);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_explain_text(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              size_t i, size_t top, char **out)
{
    return explain(ctx, model, table, i, false, top, out);
}

heft_status heft_explain_json(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              size_t i, char **out)
{
    return explain(ctx, model, table, i, true, 0, out);
}
