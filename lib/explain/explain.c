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
#include "model/describe.h"

enum { LEADING = 5, BAR = 12, LISTED = 5 };

typedef struct reasons {
    const heft_model *model;
    const heft_table *row; /* a table of the row that is explained */
    heft_row_cells    cells;
    size_t            K, A;
    heft_terms        t;
    heft_contrast     v;
    double           *posterior;
    double            prior, total; /* log-odds of the prior, and of all parts together */
    heft_attr_rank   *order;        /* A attributes by the size of their log-odds */
    heft_attr_rank   *ranking;      /* K classes by score, the predicted one before them */
} reasons;

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

/* The class that predict names comes first. Sums of parts round otherwise than its probabilities,
 * which settle a tie. */
static void rank_classes(reasons *r)
{
    size_t at = 0;
    for (size_t c = 0; c < r->K; c++) r->ranking[c] = (heft_attr_rank){c, r->v.score[c], 0};
    qsort(r->ranking, r->K, sizeof *r->ranking, heft_attr_rank_compare);
    while (r->ranking[at].j != r->v.best) at++;
    const heft_attr_rank first = r->ranking[at];
    memmove(r->ranking + 1, r->ranking, at * sizeof *r->ranking);
    r->ranking[0] = first;
}

static heft_status find_reasons(heft_ctx *ctx, reasons *r)
{
    HEFT_LOCAL(heft_prepared) prepared = {0};
    HEFT_CHECK(heft_row_cells_open(ctx, r->model, r->row, &r->cells));
    HEFT_CHECK(heft_prep_apply(ctx, &r->model->prep, r->row, &prepared));
    HEFT_CHECK(heft_terms_shown(ctx, r->model, &r->t));
    HEFT_CHECK(heft_terms_check(ctx, &r->t));
    HEFT_ALLOCS(ctx, &ctx->scratch, r->K, r->posterior, r->ranking);
    HEFT_CHECK(heft_posterior_rows(ctx, r->model, &prepared.rows, r->posterior));
    const size_t best = heft_decide(&r->model->decision, r->posterior, r->K);
    HEFT_CHECK(heft_contrast_of(ctx, &r->t, &prepared.rows, 0, best, &r->v));
    memcpy(r->posterior, r->v.score, r->K * sizeof *r->posterior);
    heft_softmax(r->posterior, r->K);
    rank_classes(r);
    r->total = r->prior = heft_contrast_odds(&r->v, r->v.e.parts, 0);
    HEFT_ALLOC(ctx, &ctx->scratch, r->order, r->A);
    for (size_t j = 0; j < r->A; j++) {
        const double odds = heft_contrast_odds(&r->v, r->v.e.parts, 1 + j);
        r->order[j] = (heft_attr_rank){j, fabs(odds), 0};
        r->total += odds;
    }
    qsort(r->order, r->A, sizeof *r->order, heft_attr_rank_compare);
    return HEFT_OK;
}

/* ---- text ---- */

/* Adds log-odds and a bar, the last two cells of a row. */
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
    heft_put(out, "\nevidence for %40q", heft_class_name(&r->t, r->v.best));
    if (r->v.second == r->K) heft_put(out, ", the only possible class (log scores)\n\n");
    else heft_put(out, " against %40q (log-odds)\n\n", heft_class_name(&r->t, r->v.second));
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
        const double odds = heft_contrast_odds(&r->v, r->v.e.parts, 1 + j);
        const char  *text;
        if (k >= n) {
            rest += odds;
            continue;
        }
        const double number = heft_cell_at(&r->cells, j, 0, &text);
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

/* Writes the strongest pairs or triples of attributes. */
static heft_status write_joint(heft_ctx *ctx, const reasons *r, int which, size_t top,
                               heft_buf *out)
{
    const heft_joint_list list = heft_joint_list_of(&r->t, which);
    const size_t          usual = list.n < LISTED ? list.n : LISTED;
    const size_t          n = top && top < usual ? top : usual;
    const bool            three = list.n_attr == 3;
    heft_attr_rank       *order;
    heft_grid             grid = {.n_cols = list.n_attr + 2, .align = three ? "lllrl" : "llrl"};
    double                most = 0;
    if (n == 0) return HEFT_OK;
    for (size_t k = 0; k < r->t.interactions.n; k++)
        most = fmax(most, fabs(heft_contrast_odds(&r->v, r->v.e.together, k)));
    HEFT_ALLOC(ctx, &ctx->scratch, order, list.n);
    for (size_t k = 0; k < list.n; k++)
        order[k] = (heft_attr_rank){
            list.first + k, fabs(heft_contrast_odds(&r->v, r->v.e.together, list.first + k)), 0};
    qsort(order, list.n, sizeof *order, heft_attr_rank_compare);
    heft_put(out, "\nstrongest %s of attributes (%z of %z); %s attributes above\n\n", list.what, n,
             list.n,
             three ? "a third of each is included in its three"
                   : "half of each is included in both");
    heft_grid_put(&grid,
                  three ? "attribute\twith\tand\tlog-odds\t" : "attribute\twith\tlog-odds\t");
    for (size_t k = 0; k < n; k++) {
        const uint32_t *attr = r->t.interactions.list[order[k].j].attr;
        for (size_t m = 0; m < list.n_attr; m++)
            heft_grid_put(&grid, "%40q", heft_attr_name(&r->t, attr[m]));
        add_odds(&grid, heft_contrast_odds(&r->v, r->v.e.together, order[k].j), most);
    }
    heft_grid_print(&grid, out);
    return HEFT_OK;
}

static double remainder_odds(const reasons *r)
{
    return heft_contrast_odds(&r->v, r->v.e.together, r->t.interactions.n);
}

static void write_remainder(const reasons *r, heft_buf *out)
{
    if (!r->t.interactions.wide) return;
    const double odds = remainder_odds(r);
    heft_put(out, "\n" HEFT_REMAINDER ": %s", odds >= 0 ? "+" : "");
    heft_put(out, fabs(odds) < 1e7 ? "%3f" : "%4g", odds);
    heft_put(out, "; equal parts are included in their attributes above\n");
}

/* ---- JSON ---- */

static void write_json(const reasons *r, size_t i, heft_buf *out)
{
    const char *text;
    heft_put(
        out,
        "{\"row\": %z,\n \"predicted\": %j,\n \"runner_up\": %j,\n \"actual\": %j,\n \"classes\": ",
        i + 1, heft_class_name(&r->t, r->v.best),
        r->v.second < r->K ? heft_class_name(&r->t, r->v.second) : NULL, truth_of(r));
    heft_describe_classes(out, &r->model->prep);
    heft_put(out, ",\n \"posterior\": %v,\n \"score\": %v,\n \"log_odds\": %n", r->posterior, r->K,
             r->v.score, r->K, r->total);
    heft_put(out, ",\n \"prior\": {\"log_odds\": %n, \"parts\": %v},\n \"attributes\": [", r->prior,
             r->v.e.parts, r->K);
    for (size_t j = 0; j < r->A; j++) {
        const double number = heft_cell_at(&r->cells, j, 0, &text);
        heft_put(out, "%s\n  {\"name\": %j, \"value\": ", j ? "," : "", heft_attr_name(&r->t, j));
        if (text) heft_put(out, "%j", text);
        else heft_put(out, "%n", number);
        heft_put(out, ", \"log_odds\": %n, \"parts\": %v",
                 heft_contrast_odds(&r->v, r->v.e.parts, 1 + j), r->v.e.parts + (1 + j) * r->K,
                 r->K);
        if (r->v.e.alone) heft_put(out, ", \"alone\": %v", r->v.e.alone + (1 + j) * r->K, r->K);
        heft_put(out, "}");
    }
    heft_put(out, r->A ? "\n ]" : "]");
    /* prior, attributes alone, pairs, triples and remainder add up to the score too */
    if (r->v.e.alone)
        for (int which = 0; which < HEFT_JOINT_LISTS; which++) {
            const heft_joint_list list = heft_joint_list_of(&r->t, which);
            heft_put(out, ",\n \"attribute_%s\": [", list.what);
            for (size_t k = list.first; k < list.first + list.n; k++) {
                heft_put(out, "%s\n  {\"attributes\": [", k > list.first ? "," : "");
                heft_put_members(out, &r->t, k);
                heft_put(out, "], \"log_odds\": %n, \"parts\": %v}",
                         heft_contrast_odds(&r->v, r->v.e.together, k), r->v.e.together + k * r->K,
                         r->K);
            }
            heft_put(out, list.n ? "\n ]" : "]");
        }
    if (r->t.interactions.wide)
        heft_put(out, ",\n \"remainder\": {\"log_odds\": %n, \"parts\": %v}", remainder_odds(r),
                 r->v.e.together + r->t.interactions.n * r->K, r->K);
    heft_put(out, "}\n");
}

/* ---- public ---- */

heft_status heft_explanation(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                             size_t i, bool json, size_t top, char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    reasons               r = {.model = model, .K = model->fitted.n_class, .A = model->prep.n_attr};
    HEFT_OWN(heft_table) *row = NULL;
    HEFT_LOCAL(heft_buf)  buf = {0};
    *out = NULL;
    HEFT_CHECK(heft_table_take(ctx, table, &i, 1, &row));
    r.row = row;
    HEFT_CHECK(find_reasons(ctx, &r));
    if (json) {
        write_json(&r, i, &buf);
    } else {
        write_classes(&r, i, &buf);
        write_shares(&r, top, &buf);
        for (int which = 0; which < HEFT_JOINT_LISTS; which++)
            HEFT_CHECK(write_joint(ctx, &r, which, top, &buf));
        write_remainder(&r, &buf);
    }
    return heft_buf_take(ctx, &buf, out);
}
