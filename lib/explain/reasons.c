/* reasons.c - why many rows got their classes: reasons beside predictions, and all terms of a score
 * as lines of CSV.
 *
 * A reason is what an attribute adds to the log-odds of the predicted class against the other class
 * with the highest score, with its share of pairs and triples: the figure of `explain`. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/put.h"
#include "base/rows.h"
#include "explain/explain.h"

enum { BLOCK = 256 };

typedef struct telling { /* the text about the rows, table after table */
    heft_terms     t;
    heft_row_cells cells;
    size_t         n_reasons;
    size_t         first; /* number of rows before this table */
    char *
        *term; /* names of the start, attributes, interactions and the remainder, as cells of CSV */
} telling;

static heft_status begin_table(heft_ctx *ctx, void *arg, const heft_table *table, size_t first)
{
    telling *of = arg;
    of->first = first;
    return heft_row_cells_open(ctx, of->t.model, table, &of->cells);
}

static heft_status open_telling(heft_ctx *ctx, const heft_model *model, telling **out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *out, 1);
    HEFT_CHECK(heft_terms_shown(ctx, model, &(*out)->t));
    return heft_terms_check(ctx, &(*out)->t);
}

/* ---- reasons ---- */

static void reasons_header(const void *arg, heft_buf *out)
{
    const telling *of = arg;
    for (size_t k = 0; k < of->n_reasons; k++) heft_put(out, ",reason_%z", k + 1);
}

/* Writes log-odds with the digits of `explain`, which turns to exponents at the same size. */
static void put_odds(heft_buf *out, double x)
{
    heft_put(out, x < 0 ? " " : " +");
    if (fabs(x) < 1e7) heft_put(out, "%2f", x);
    else heft_put(out, "%4g", x);
}

static heft_status put_reasons(heft_ctx *ctx, const void *arg, const heft_csv_row *row,
                               heft_buf *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const telling       *of = arg;
    HEFT_LOCAL(heft_buf) text = {0};
    heft_contrast        v;
    heft_attr_rank      *top;
    HEFT_CHECK(heft_contrast_of(ctx, &of->t, row->rows, row->i, row->decided, &v));
    HEFT_ALLOC(ctx, &ctx->scratch, top, of->n_reasons);
    const size_t n = heft_contrast_top(&v, of->t.n_attr, of->n_reasons, top);
    for (size_t k = 0; k < of->n_reasons; k++) {
        heft_buf_add(out, ",", 1);
        if (k >= n) continue;
        text.length = 0;
        heft_buf_text(&text, heft_attr_name(&of->t, top[k].j));
        heft_buf_add(&text, "=", 1);
        heft_cell_put(&text, &of->cells, top[k].j, row->at, "?");
        put_odds(&text, heft_contrast_odds(&v, v.e.parts, 1 + top[k].j));
        heft_buf_csv_cell(out, text.data, text.length, ',');
    }
    return text.failed ? heft_no_memory(ctx, 1, text.length + 1) : HEFT_OK;
}

static heft_status reasons_csv(heft_ctx *ctx, const heft_model *model, size_t n, heft_csv_more *out)
{
    telling *of;
    if (n > HEFT_MOST_REASONS)
        return heft_fail(ctx, HEFT_EINVAL, "{reasons}: %zu is more than %d (ask for fewer)", n,
                         HEFT_MOST_REASONS);
    HEFT_CHECK(open_telling(ctx, model, &of));
    of->n_reasons = n;
    *out = (heft_csv_more){
        .arg = of, .width = n, .begin = begin_table, .header = reasons_header, .row = put_reasons};
    return HEFT_OK;
}

typedef struct asking {
    const heft_terms *t;
    const heft_rows  *rows;
    const double     *proba;
    size_t            n;
    heft_reason      *out;
} asking;

static heft_status find_reasons(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const asking *a = arg;
    const size_t  K = a->t->n_class;
    for (size_t i = lo; i < hi; i++) {
        HEFT_SCRATCH_SCOPE(ctx);
        heft_reason    *to = a->out + i * a->n;
        heft_contrast   v;
        heft_attr_rank *top;
        const size_t    best = heft_decide(&a->t->model->decision, a->proba + i * K, K);
        HEFT_CHECK(heft_contrast_of(ctx, a->t, a->rows, i, best, &v));
        HEFT_ALLOC(ctx, &ctx->scratch, top, a->n);
        const size_t n = heft_contrast_top(&v, a->t->n_attr, a->n, top);
        for (size_t k = 0; k < a->n; k++)
            to[k] = k < n ? (heft_reason){(int64_t)top[k].j,
                                          heft_contrast_odds(&v, v.e.parts, 1 + top[k].j)}
                          : (heft_reason){-1, 0};
    }
    return HEFT_OK;
}

heft_status heft_reasons_of(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            size_t n, heft_reason *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(heft_prepared) prepared = {0};
    heft_terms                t;
    HEFT_FREED double        *proba = NULL;
    HEFT_CHECK(heft_terms_shown(ctx, model, &t));
    HEFT_CHECK(heft_terms_check(ctx, &t));
    HEFT_NEW(ctx, proba, heft_times(table->n_rows, model->fitted.n_class));
    HEFT_CHECK(heft_posterior(ctx, model, table, proba));
    HEFT_CHECK(heft_prep_apply(ctx, &model->prep, table, &prepared));
    HEFT_CHECK(heft_run_blocks(ctx, table->n_rows, BLOCK, find_reasons,
                               &(asking){&t, &prepared.rows, proba, n, out}));
    return HEFT_OK;
}

/* ---- all terms ---- */

static void terms_header(const void *arg, heft_buf *out)
{
    const telling *of = arg;
    heft_buf_text(out, "row,term,value");
    heft_csv_class_columns(out, of->t.model->prep.classes, "score");
}

/* Writes a name. One that contains " x " is put in double quotes, because it is not a pair. */
static void put_name(heft_buf *out, const char *name)
{
    const bool quote = strstr(name, " x ") != NULL;
    heft_put(out, quote ? "\"%s\"" : "%s", name);
}

static heft_status name_terms(heft_ctx *ctx, telling *of)
{
    const size_t A = of->t.n_attr, end = 1 + A + of->t.interactions.n;
    const size_t n = 1 + A + heft_terms_joint(&of->t);
    HEFT_ALLOC(ctx, &ctx->scratch, of->term, n);
    for (size_t k = 0; k < n; k++) {
        HEFT_LOCAL(heft_buf) name = {0}, cell = {0};
        const char          *joint = "";
        if (k == 0) heft_put(&name, "(prior)");
        if (k > 0 && k <= A) put_name(&name, heft_attr_name(&of->t, k - 1));
        if (k == end) heft_put(&name, "(" HEFT_REMAINDER ")");
        if (k > A && k < end)
            for (size_t m = 0; m < of->t.interactions.list[k - 1 - A].n; m++, joint = " x ") {
                heft_put(&name, "%s", joint);
                put_name(&name, heft_attr_name(&of->t, of->t.interactions.list[k - 1 - A].attr[m]));
            }
        heft_buf_csv(&cell, heft_buf_string(&name), ',');
        const char *text = heft_buf_string(&cell);
        if (name.failed || cell.failed) return heft_no_memory(ctx, n, 1);
        HEFT_CHECK(heft_arena_copy(ctx, &ctx->scratch, text, &of->term[k]));
    }
    return HEFT_OK;
}

/* Writes the cells of the term's attributes, with ", " between them; nothing for the start and the
 * remainder. */
static void put_values(const telling *of, size_t k, size_t at, heft_buf *value, heft_buf *out)
{
    const size_t A = of->t.n_attr;
    value->length = 0;
    if (k == 0 || k == 1 + A + of->t.interactions.n) return;
    if (k <= A) heft_cell_put(value, &of->cells, k - 1, at, "");
    if (k > A)
        for (size_t m = 0; m < of->t.interactions.list[k - 1 - A].n; m++) {
            if (m) heft_buf_text(value, ", ");
            heft_cell_put(value, &of->cells, of->t.interactions.list[k - 1 - A].attr[m], at, "?");
        }
    if (value->length) heft_buf_csv_cell(out, value->data, value->length, ',');
}

static void put_scores(heft_buf *out, const double *x, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        heft_buf_add(out, ",", 1);
        if (x[c] > -DBL_MAX) heft_buf_double(out, x[c]);
        else heft_buf_text(out, "-inf"); /* log 0 */
    }
    heft_buf_add(out, "\n", 1);
}

static heft_status put_terms(heft_ctx *ctx, const void *arg, const heft_csv_row *row, heft_buf *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const telling *of = arg;
    const size_t K = of->t.n_class, lines = 1 + of->t.n_attr, n = lines + heft_terms_joint(&of->t);
    heft_row_evidence    e;
    HEFT_LOCAL(heft_buf) value = {0};
    HEFT_CHECK(heft_terms_row(ctx, &of->t, row->rows, row->i, &e));
    const double *single = e.alone ? e.alone : e.parts;
    for (size_t k = 0; k < n; k++) {
        heft_put(out, "%z,%s,", of->first + row->at + 1, of->term[k]);
        put_values(of, k, row->at, &value, out);
        put_scores(out, k < lines ? single + k * K : e.together + (k - lines) * K, K);
    }
    return value.failed ? heft_no_memory(ctx, 1, 1) : HEFT_OK;
}

static heft_status terms_csv(heft_ctx *ctx, const heft_model *model, heft_csv_more *out)
{
    telling *of;
    HEFT_CHECK(open_telling(ctx, model, &of));
    HEFT_CHECK(name_terms(ctx, of));
    *out = (heft_csv_more){.arg = of,
                           .instead = true,
                           .width =
                               (1 + of->t.n_attr + heft_terms_joint(&of->t)) * (3 + of->t.n_class),
                           .begin = begin_table,
                           .header = terms_header,
                           .row = put_terms};
    return HEFT_OK;
}

heft_status heft_predict_reasons_csv(heft_ctx *ctx, const heft_csv_plan *plan, size_t n,
                                     heft_tally *tally)
{
    heft_csv_plan own = *plan;
    heft_csv_more reasons;
    if (n) HEFT_CHECK(reasons_csv(ctx, plan->model, n, &reasons));
    if (n) own.more = &reasons;
    return heft_predict_csv(ctx, &own, tally);
}

heft_status heft_explain_csv(heft_ctx *ctx, const heft_csv_plan *plan)
{
    heft_csv_plan own = *plan;
    heft_csv_more terms;
    heft_tally    tally = {0};
    HEFT_CHECK(terms_csv(ctx, plan->model, &terms));
    own.more = &terms;
    return heft_predict_csv(ctx, &own, &tally);
}
