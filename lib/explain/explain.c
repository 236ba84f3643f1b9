/* explain.c - why a row got its class: its score taken apart, attribute by attribute.
 *
 *   log-odds of a against b = sum over the prior and all attributes of (part for a - part for b)
 *
 * Scores, posterior and log-odds are all computed from the parts shown, so that they add up. Where
 * pairs of attributes have evidence of their own, half of it stands with either attribute; the
 * pairs are listed too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "explain/explain.h"
#include "explain/grid.h"
#include "methods/auto/auto.h"
#include "methods/auto/pair_terms.h"
#include "model/describe.h"
#include "train/fit.h"

enum { NAME = 40, LEADING = 5, BAR = 12, LISTED_BONDS = 5 };

typedef struct share { /* an attribute's of the log-odds, or a class's score */
    size_t j;
    double odds;
} share;

typedef struct reasons {
    const heft_model *model;
    const heft_table *row;                /* the one row */
    heft_dict        *columns;            /* names of the row's columns, by place */
    size_t            K, A, best, second; /* second == K: no other class takes part */
    double           *parts;              /* (1 + A) x K */
    double           *score, *posterior;
    double            prior, total; /* log-odds */
    share            *order;        /* A attributes */
    share            *ranking;      /* K classes by score */
    heft_pair_terms   pairs;        /* pairs of attributes; none in most methods */
    double           *alone;        /* (1 + A) x K: the parts without the pairs; NULL: no pairs */
    double           *together;     /* pairs.n x K */
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

static double odds_in(const reasons *r, const double *p)
{
    return r->second == r->K ? p[r->best] : p[r->best] - p[r->second];
}

static double odds_of(const reasons *r, size_t line)
{
    return odds_in(r, r->parts + line * r->K);
}

static heft_status find_bonds(heft_ctx *ctx, const heft_rows *rows, reasons *r)
{
    const heft_pooled *pooled = heft_pooled_of(r->model->method, &r->model->fitted);
    if (!pooled) return HEFT_OK;
    HEFT_CHECK(heft_pair_terms_open(ctx, pooled, &r->pairs));
    HEFT_ALLOC(ctx, &ctx->scratch, r->alone, (1 + r->A) * r->K);
    HEFT_ALLOC(ctx, &ctx->scratch, r->together, r->pairs.n * r->K);
    HEFT_CHECK(heft_pair_terms_row(ctx, pooled, &r->pairs, rows, 0, r->alone, r->together));
    heft_calibrate_lines(&r->model->calibration, 1 + r->A, r->K, r->alone);
    heft_calibrate_lines(&r->model->calibration, r->pairs.n, r->K, r->together);
    memcpy(r->alone, r->parts, r->K * sizeof *r->parts); /* no pair is in it */
    return HEFT_OK;
}

static heft_status find_parts(heft_ctx *ctx, reasons *r)
{
    heft_status   st = HEFT_OK;
    heft_prepared prepared = {0};
    size_t        n;
    HEFT_TRY(heft_prep_apply(ctx, &r->model->prep, r->row, &prepared));
    if (!heft_product(1 + r->A, r->K, &n)) HEFT_TRY(heft_no_memory(ctx, 1 + r->A, r->K));
    HEFT_ARENA(ctx, &ctx->scratch, r->parts, n);
    HEFT_TRY(heft_parts_of(ctx, r->model, &prepared.rows, 0, r->parts));
    HEFT_TRY(find_bonds(ctx, &prepared.rows, r));
done:
    heft_prepared_clear(&prepared);
    return st;
}

static heft_status find_classes(heft_ctx *ctx, reasons *r)
{
    HEFT_ALLOC(ctx, &ctx->scratch, r->score, r->K);
    HEFT_ALLOC(ctx, &ctx->scratch, r->posterior, r->K);
    for (size_t line = 0; line <= r->A; line++)
        for (size_t c = 0; c < r->K; c++) r->score[c] += r->parts[line * r->K + c];
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
    r->total = r->prior = odds_of(r, 0);
    for (size_t j = 0; j < r->A; j++) {
        r->order[j] = (share){j, odds_of(r, 1 + j)};
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
    HEFT_CHECK(find_parts(ctx, r));
    HEFT_CHECK(find_classes(ctx, r));
    return find_shares(ctx, r);
}

/* ---- text ---- */

static const char *class_name(const reasons *r, size_t c)
{
    return heft_dict_text(r->model->prep.classes, (uint32_t)c);
}

/* The text so far becomes a cell. */
static void add_text(heft_grid *grid, heft_buf *text)
{
    heft_buf_add(text, "", 1);
    heft_grid_add(grid, text->failed ? "" : text->data);
    grid->cells.failed |= text->failed;
    heft_buf_clear(text);
}

static void add_odds(heft_grid *grid, double x)
{
    heft_buf text = {0};
    if (!(fabs(x) < 1e7)) {
        heft_buf_short(&text, x, 4);
    } else {
        if (x >= 0) heft_buf_text(&text, "+");
        heft_buf_fixed(&text, x, 3);
    }
    add_text(grid, &text);
}

static void add_bar(heft_grid *grid, double x, double most)
{
    char         bar[BAR + 1] = "";
    const double n = most > 0 && isfinite(x) ? ceil(fabs(x) / most * BAR) : 0;
    memset(bar, x < 0 ? '-' : '+', n < BAR ? (size_t)n : BAR);
    heft_grid_add(grid, bar);
}

static void add_cell(const reasons *r, size_t j, heft_grid *grid)
{
    heft_buf    text = {0};
    double      number;
    const char *value;
    cell_of(r, j, &number, &value);
    if (value) heft_buf_name(&text, value, 24);
    else if (isnan(number)) heft_buf_text(&text, "?");
    else heft_buf_short(&text, number, 7);
    add_text(grid, &text);
}

static void write_classes(const reasons *r, size_t i, heft_buf *out)
{
    heft_grid    grid = {.n_cols = 3, .right = {false, false, true}};
    heft_buf     text = {0};
    const char  *truth = truth_of(r);
    const size_t n = r->K < LEADING ? r->K : LEADING;
    heft_buf_printf(out, "row %zu", i + 1);
    if (truth) {
        heft_buf_text(out, ", where ");
        heft_buf_name(out, r->model->prep.target, NAME);
        heft_buf_text(out, " is ");
        heft_buf_name(out, truth, NAME);
    }
    heft_buf_text(out, "\n\n");
    for (size_t k = 0; k < n; k++) {
        heft_grid_add(&grid, k == 0 ? "predicted" : k == 1 ? "runner-up" : "");
        heft_grid_name(&grid, class_name(r, r->ranking[k].j), NAME);
        heft_buf_fixed(&text, r->posterior[r->ranking[k].j], 6);
        add_text(&grid, &text);
    }
    heft_grid_print(&grid, 0, out);
    if (n < r->K) heft_buf_printf(out, "(%zu more classes)\n", r->K - n);
}

static void write_title(const reasons *r, heft_buf *out)
{
    heft_buf_text(out, "\nevidence for ");
    heft_buf_name(out, class_name(r, r->best), NAME);
    if (r->second == r->K) {
        heft_buf_text(out, ", the only class that takes part (log scores)\n\n");
        return;
    }
    heft_buf_text(out, " against ");
    heft_buf_name(out, class_name(r, r->second), NAME);
    heft_buf_text(out, " (log-odds)\n\n");
}

static void add_row(heft_grid *grid, const char *name, double odds, double most)
{
    heft_grid_add(grid, name);
    heft_grid_add(grid, "");
    add_odds(grid, odds);
    add_bar(grid, odds, most);
}

static void write_shares(const reasons *r, size_t top, heft_buf *out)
{
    const size_t n = top && top < r->A ? top : r->A;
    const double most = fmax(fabs(r->prior), r->A ? fabs(r->order[0].odds) : 0);
    double       rest = 0;
    heft_grid    grid = {.n_cols = 4, .right = {false, false, true, false}};
    heft_buf     text = {0};
    heft_grid_add(&grid, "attribute");
    heft_grid_add(&grid, "value");
    heft_grid_add(&grid, "log-odds");
    heft_grid_add(&grid, "");
    add_row(&grid, "(prior)", r->prior, most);
    for (size_t k = 0; k < n; k++) {
        heft_grid_name(&grid, r->model->prep.attr[r->order[k].j].name, NAME);
        add_cell(r, r->order[k].j, &grid);
        add_odds(&grid, r->order[k].odds);
        add_bar(&grid, r->order[k].odds, most);
    }
    for (size_t k = n; k < r->A; k++) rest += r->order[k].odds;
    if (n < r->A) {
        heft_buf_printf(&text, "(%zu more)", r->A - n);
        heft_buf_add(&text, "", 1);
        grid.cells.failed |= text.failed;
        add_row(&grid, text.failed ? "" : text.data, rest, most);
        heft_buf_clear(&text);
    }
    add_row(&grid, "total", r->total, most);
    heft_grid_print(&grid, 0, out);
}

/* The pairs of attributes that speak loudest. */
static heft_status write_bonds(heft_ctx *ctx, const reasons *r, size_t top, heft_buf *out)
{
    const size_t usual = r->pairs.n < LISTED_BONDS ? r->pairs.n : LISTED_BONDS;
    const size_t n = top && top < usual ? top : usual;
    share       *order;
    heft_grid    grid = {.n_cols = 4, .right = {false, false, true, false}};
    if (n == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, order, r->pairs.n);
    for (size_t b = 0; b < r->pairs.n; b++)
        order[b] = (share){b, odds_in(r, r->together + b * r->K)};
    qsort(order, r->pairs.n, sizeof *order, by_odds);
    heft_buf_printf(out, "\nthe loudest of %zu pairs; their halves stand above\n\n", r->pairs.n);
    heft_grid_add(&grid, "attribute");
    heft_grid_add(&grid, "with");
    heft_grid_add(&grid, "log-odds");
    heft_grid_add(&grid, "");
    for (size_t k = 0; k < n; k++) {
        const heft_pair_term *pair = &r->pairs.pair[order[k].j];
        heft_grid_name(&grid, r->model->prep.attr[pair->i].name, NAME);
        heft_grid_name(&grid, r->model->prep.attr[pair->j].name, NAME);
        add_odds(&grid, order[k].odds);
        add_bar(&grid, order[k].odds, fabs(order[0].odds));
    }
    heft_grid_print(&grid, 0, out);
    return HEFT_OK;
}

/* ---- JSON ---- */

static void json_list(heft_buf *out, const char *name, const double *x, size_t n)
{
    heft_buf_text(out, name);
    for (size_t k = 0; k < n; k++) {
        heft_buf_text(out, k ? ", " : "[");
        heft_buf_json_number(out, x[k]);
    }
    heft_buf_text(out, "]");
}

static void json_class(heft_buf *out, const char *name, const char *text)
{
    heft_buf_text(out, name);
    if (text) heft_buf_json(out, text);
    else heft_buf_text(out, "null");
}

static void json_attribute(const reasons *r, size_t j, heft_buf *out)
{
    double      number;
    const char *text;
    heft_buf_text(out, j ? ",\n  {\"name\": " : "\n  {\"name\": ");
    heft_buf_json(out, r->model->prep.attr[j].name);
    heft_buf_text(out, ", \"value\": ");
    cell_of(r, j, &number, &text);
    if (text) heft_buf_json(out, text);
    else heft_buf_json_number(out, number);
    heft_buf_text(out, ", \"log_odds\": ");
    heft_buf_json_number(out, odds_of(r, 1 + j));
    json_list(out, ", \"parts\": ", r->parts + (1 + j) * r->K, r->K);
    if (r->alone) json_list(out, ", \"alone\": ", r->alone + (1 + j) * r->K, r->K);
    heft_buf_text(out, "}");
}

/* Prior, what the attributes say alone, and the pairs add up to the score too. */
static void json_pair_terms(const reasons *r, heft_buf *out)
{
    if (!r->alone) return;
    heft_buf_text(out, ",\n \"attribute_pairs\": [");
    for (size_t b = 0; b < r->pairs.n; b++) {
        heft_buf_text(out, b ? ",\n  {\"attributes\": [" : "\n  {\"attributes\": [");
        heft_buf_json(out, r->model->prep.attr[r->pairs.pair[b].i].name);
        heft_buf_text(out, ", ");
        heft_buf_json(out, r->model->prep.attr[r->pairs.pair[b].j].name);
        heft_buf_text(out, "], \"log_odds\": ");
        heft_buf_json_number(out, odds_in(r, r->together + b * r->K));
        json_list(out, ", \"parts\": ", r->together + b * r->K, r->K);
        heft_buf_text(out, "}");
    }
    heft_buf_text(out, r->pairs.n ? "\n ]" : "]");
}

static void write_json(const reasons *r, size_t i, heft_buf *out)
{
    heft_buf_printf(out, "{\"row\": %zu", i + 1);
    json_class(out, ",\n \"predicted\": ", class_name(r, r->best));
    json_class(out, ",\n \"runner_up\": ", r->second < r->K ? class_name(r, r->second) : NULL);
    json_class(out, ",\n \"actual\": ", truth_of(r));
    heft_buf_text(out, ",\n \"classes\": ");
    heft_describe_classes(out, &r->model->prep);
    json_list(out, ",\n \"posterior\": ", r->posterior, r->K);
    json_list(out, ",\n \"score\": ", r->score, r->K);
    heft_buf_text(out, ",\n \"log_odds\": ");
    heft_buf_json_number(out, r->total);
    heft_buf_text(out, ",\n \"prior\": {\"log_odds\": ");
    heft_buf_json_number(out, r->prior);
    json_list(out, ", \"parts\": ", r->parts, r->K);
    heft_buf_text(out, "},\n \"attributes\": [");
    for (size_t j = 0; j < r->A; j++) json_attribute(r, j, out);
    heft_buf_text(out, r->A ? "\n ]" : "]");
    json_pair_terms(r, out);
    heft_buf_text(out, "}\n");
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
        write_title(&r, &buf);
        write_shares(&r, top, &buf);
        HEFT_TRY(write_bonds(ctx, &r, top, &buf));
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
