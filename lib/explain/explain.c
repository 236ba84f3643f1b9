/* explain.c - why a row got its class: its score taken apart, attribute by attribute.
 *
 *   log-odds of a against b = sum over the prior and all attributes of (part for a - part for b)
 *
 * Scores, posterior and log-odds are all computed from the parts shown, so that they add up. The
 * class named first is the one that predict names. Where pairs and triples of attributes have
 * evidence of their own, each attribute has its share of it; the strongest are listed too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/num.h"
#include "explain/explain.h"
#include "explain/terms.h"
#include "model/describe.h"

enum { LEADING = 5, BAR = 12, LISTED = 5 };

typedef struct reasons {
    const heft_model *model;
    heft_table       *row;                /* the one row */
    heft_dict        *columns;            /* names of the row's columns, by place */
    size_t            K, A, best, second; /* second == K: no other class has a score */
    heft_terms        t;
    heft_row_evidence e;
    double           *score, *posterior;
    double            prior, total; /* log-odds */
    heft_standing    *order;        /* A attributes by the size of their log-odds */
    heft_standing    *ranking;      /* K classes by score */
} reasons;

/* ---- the cell as it was read ---- */

HEFT_LOWER_BOUND(lower_bound_u32, uint32_t)

/* The number in the column of attribute j, or the text of its code; 0 where there is no column. */
static double cell_of(const reasons *r, size_t j, const char **text)
{
    const char        *name = heft_attr_name(&r->t, j);
    const uint32_t     k = heft_dict_find(r->columns, name, strlen(name));
    const heft_sparse *s = r->row->sparse;
    const heft_column *col = k == HEFT_DICT_NONE ? NULL : &r->row->cols[k];
    double             number;
    *text = NULL;
    if (!col) return 0;
    if (s) {
        const size_t at =
            s->start[0] + lower_bound_u32(s->col + s->start[0], s->start[1] - s->start[0], k);
        number = at < s->start[1] && s->col[at] == k ? s->val[at] : 0;
    } else {
        number = col->kind == HEFT_NUMERIC ? ((const double *)col->cells)[0]
                                           : heft_code_at(col->cells, col->width, 0);
    }
    if (col->kind != HEFT_NOMINAL) return number;
    if (!(number >= 0 && number < (double)heft_dict_size(col->dict))) return NAN;
    *text = heft_dict_text(col->dict, (uint32_t)number);
    return number;
}

static const char *truth_of(const reasons *r)
{
    const heft_column *target = r->row->target;
    if (!target) return NULL;
    const uint32_t code = heft_code_at(target->cells, target->width, 0);
    if (code >= heft_dict_size(target->dict)) return NULL;
    const char    *text = heft_dict_text(target->dict, code);
    const uint32_t c = heft_prep_class(&r->model->prep, text, strlen(text));
    return c == HEFT_DICT_NONE ? text : heft_dict_text(r->model->prep.classes, c);
}

/* ---- reasons ---- */

/* The log-odds of line k of parts. */
static double odds_of(const reasons *r, const double *parts, size_t k)
{
    const double *p = parts + k * r->K;
    return r->second == r->K ? p[r->best] : p[r->best] - p[r->second];
}

/* The class that predict names comes first. Sums of parts round otherwise than its probabilities,
 * which settle a tie. */
static heft_status lead(heft_ctx *ctx, const heft_rows *rows, reasons *r)
{
    double *proba;
    size_t  at = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, proba, r->K);
    HEFT_CHECK(heft_posterior_rows(ctx, r->model, rows, proba));
    r->best = heft_decide(&r->model->decision, proba, r->K);
    while (r->ranking[at].j != r->best) at++;
    const heft_standing first = r->ranking[at];
    memmove(r->ranking + 1, r->ranking, at * sizeof *r->ranking);
    r->ranking[0] = first;
    return HEFT_OK;
}

/* r->row and r->columns are the caller's to free. */
static heft_status find_reasons(heft_ctx *ctx, const heft_table *table, size_t i, reasons *r)
{
    heft_status   st = HEFT_OK;
    heft_prepared prepared = {0};
    uint32_t      code;
    HEFT_TRY(heft_table_take(ctx, table, &i, 1, &r->row));
    HEFT_TRY(heft_dict_create(ctx, &r->columns));
    for (size_t k = 0; k < table->n_cols; k++) {
        const char *name = table->cols[k].name;
        HEFT_TRY(heft_dict_add(ctx, r->columns, name, strlen(name), &code));
    }
    HEFT_TRY(heft_prep_apply(ctx, &r->model->prep, r->row, &prepared));
    HEFT_TRY(heft_terms_shown(ctx, r->model, &r->t));
    HEFT_TRY(heft_terms_row(ctx, &r->t, &prepared.rows, 0, &r->e));
    HEFT_ARENAS(ctx, &ctx->scratch, r->K, r->score, r->posterior, r->ranking);
    HEFT_ARENA(ctx, &ctx->scratch, r->order, r->A);
    for (size_t line = 0; line <= r->A; line++)
        for (size_t c = 0; c < r->K; c++) r->score[c] += r->e.parts[line * r->K + c];
    memcpy(r->posterior, r->score, r->K * sizeof *r->score);
    heft_softmax(r->posterior, r->K);
    for (size_t c = 0; c < r->K; c++) r->ranking[c] = (heft_standing){c, r->score[c], 0};
    qsort(r->ranking, r->K, sizeof *r->ranking, heft_by_standing);
    HEFT_TRY(lead(ctx, &prepared.rows, r));
    r->second = r->K > 1 && isfinite(r->ranking[1].size) ? r->ranking[1].j : r->K;
    r->total = r->prior = odds_of(r, r->e.parts, 0);
    for (size_t j = 0; j < r->A; j++) {
        const double odds = odds_of(r, r->e.parts, 1 + j);
        r->order[j] = (heft_standing){j, fabs(odds), 0};
        r->total += odds;
    }
    qsort(r->order, r->A, sizeof *r->order, heft_by_standing);
done:
    heft_prepared_clear(&prepared);
    return st;
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

static void write_classes(const reasons *r, size_t i, heft_buf *out)
{
    heft_grid    grid = {.n_cols = 3, .align = "llr"};
    const char  *truth = truth_of(r), *place[LEADING] = {"predicted", "runner-up", "", "", ""};
    const size_t n = r->K < LEADING ? r->K : LEADING;
    heft_put(out, "row %z", i + 1);
    if (truth) heft_put(out, "; the actual value of %40q is %40q", r->model->prep.target, truth);
    heft_put(out, "\n\n");
    for (size_t k = 0; k < n; k++)
        heft_grid_put(&grid, "%s\t%40q\t%6f", place[k], heft_class_name(&r->t, r->ranking[k].j),
                      r->posterior[r->ranking[k].j]);
    heft_grid_print(&grid, out);
    if (n < r->K) heft_put(out, "(%s)\n", HEFT_COUNT_OF(r->K - n, "more class"));
    if (r->model->decision.kind != HEFT_MOST_PROBABLE) {
        heft_put(out, "the model ");
        heft_decision_tell(out, &r->model->decision, r->model->prep.classes);
        heft_put(out, "\n");
    }
    heft_put(out, "\nevidence for %40q", heft_class_name(&r->t, r->best));
    if (r->second == r->K) heft_put(out, ", the only possible class (log scores)\n\n");
    else heft_put(out, " against %40q (log-odds)\n\n", heft_class_name(&r->t, r->second));
}

static void write_shares(const reasons *r, size_t top, heft_buf *out)
{
    const size_t n = top && top < r->A ? top : r->A;
    const double most = fmax(fmax(fabs(r->prior), fabs(r->total)), r->A ? r->order[0].size : 0);
    double       rest = 0;
    heft_grid    grid = {.n_cols = 4, .align = "llrl"};
    heft_grid_put(&grid, "attribute\tvalue\tlog-odds\t\t(prior)\t");
    add_odds(&grid, r->prior, most);
    for (size_t k = 0; k < r->A; k++) {
        const size_t j = r->order[k].j;
        const double odds = odds_of(r, r->e.parts, 1 + j);
        const char  *text;
        if (k >= n) {
            rest += odds;
            continue;
        }
        const double number = cell_of(r, j, &text);
        if (text) heft_grid_put(&grid, "%40q\t%24q", heft_attr_name(&r->t, j), text);
        else heft_grid_put(&grid, "%40q\t%7g", heft_attr_name(&r->t, j), number);
        add_odds(&grid, odds, most);
    }
    if (n < r->A) {
        heft_grid_put(&grid, "(%z more)\t", r->A - n);
        add_odds(&grid, rest, most);
    }
    heft_grid_put(&grid, "total\t");
    add_odds(&grid, r->total, most);
    heft_grid_print(&grid, out);
}

/* The strongest pairs or triples of attributes. */
static heft_status write_joint(heft_ctx *ctx, const reasons *r, int which, size_t top,
                               heft_buf *out)
{
    const heft_joint_list list = heft_joint_list_of(&r->t, which);
    const size_t          usual = list.n < LISTED ? list.n : LISTED;
    const size_t          n = top && top < usual ? top : usual;
    const bool            three = list.n_attr == 3;
    heft_standing        *order;
    heft_grid             grid = {.n_cols = list.n_attr + 2, .align = three ? "lllrl" : "llrl"};
    double                most = 0;
    if (n == 0) return HEFT_OK;
    for (size_t k = 0; k < r->t.n_interactions; k++)
        most = fmax(most, fabs(odds_of(r, r->e.together, k)));
    HEFT_ALLOC(ctx, &ctx->scratch, order, list.n);
    for (size_t k = 0; k < list.n; k++)
        order[k] =
            (heft_standing){list.first + k, fabs(odds_of(r, r->e.together, list.first + k)), 0};
    qsort(order, list.n, sizeof *order, heft_by_standing);
    heft_put(out, "\nstrongest %s of attributes (%z of %z); %s attributes above\n\n", list.what, n,
             list.n,
             three ? "a third of each is included in its three"
                   : "half of each is included in both");
    heft_grid_put(&grid,
                  three ? "attribute\twith\tand\tlog-odds\t" : "attribute\twith\tlog-odds\t");
    for (size_t k = 0; k < n; k++) {
        const uint32_t *attr = r->t.interaction[order[k].j].attr;
        for (size_t m = 0; m < list.n_attr; m++)
            heft_grid_put(&grid, "%40q", heft_attr_name(&r->t, attr[m]));
        add_odds(&grid, odds_of(r, r->e.together, order[k].j), most);
    }
    heft_grid_print(&grid, out);
    return HEFT_OK;
}

/* ---- JSON ---- */

static void write_json(const reasons *r, size_t i, heft_buf *out)
{
    const char *text;
    heft_put(
        out,
        "{\"row\": %z,\n \"predicted\": %j,\n \"runner_up\": %j,\n \"actual\": %j,\n \"classes\": ",
        i + 1, heft_class_name(&r->t, r->best),
        r->second < r->K ? heft_class_name(&r->t, r->second) : NULL, truth_of(r));
    heft_describe_classes(out, &r->model->prep);
    heft_put(out, ",\n \"posterior\": %v,\n \"score\": %v,\n \"log_odds\": %n", r->posterior, r->K,
             r->score, r->K, r->total);
    heft_put(out, ",\n \"prior\": {\"log_odds\": %n, \"parts\": %v},\n \"attributes\": [", r->prior,
             r->e.parts, r->K);
    for (size_t j = 0; j < r->A; j++) {
        const double number = cell_of(r, j, &text);
        heft_put(out, "%s\n  {\"name\": %j, \"value\": ", j ? "," : "", heft_attr_name(&r->t, j));
        if (text) heft_put(out, "%j", text);
        else heft_put(out, "%n", number);
        heft_put(out, ", \"log_odds\": %n, \"parts\": %v", odds_of(r, r->e.parts, 1 + j),
                 r->e.parts + (1 + j) * r->K, r->K);
        if (r->e.alone) heft_put(out, ", \"alone\": %v", r->e.alone + (1 + j) * r->K, r->K);
        heft_put(out, "}");
    }
    heft_put(out, r->A ? "\n ]" : "]");
    /* prior, attributes alone, pairs and triples add up to the score too */
    for (int which = 0; r->e.alone && which < HEFT_JOINT_LISTS; which++) {
        const heft_joint_list list = heft_joint_list_of(&r->t, which);
        heft_put(out, ",\n \"attribute_%s\": [", list.what);
        for (size_t k = list.first; k < list.first + list.n; k++) {
            heft_put(out, "%s\n  {\"attributes\": [", k > list.first ? "," : "");
            heft_put_members(out, &r->t, k);
            heft_put(out, "], \"log_odds\": %n, \"parts\": %v}", odds_of(r, r->e.together, k),
                     r->e.together + k * r->K, r->K);
        }
        heft_put(out, list.n ? "\n ]" : "]");
    }
    heft_put(out, "}\n");
}

/* ---- public ---- */

heft_status heft_explanation(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                             size_t i, bool json, size_t top, char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status st = HEFT_OK;
    reasons     r = {.model = model, .K = model->fitted.n_class, .A = model->prep.n_attr};
    heft_buf    buf = {0};
    *out = NULL;
    HEFT_TRY(find_reasons(ctx, table, i, &r));
    if (json) {
        write_json(&r, i, &buf);
    } else {
        write_classes(&r, i, &buf);
        write_shares(&r, top, &buf);
        for (int which = 0; which < HEFT_JOINT_LISTS; which++)
            HEFT_TRY(write_joint(ctx, &r, which, top, &buf));
    }
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_dict_free(r.columns);
    heft_table_free(r.row);
    return st;
}
