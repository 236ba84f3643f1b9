/* predictions.c - the predictions that an evaluation keeps: for programs, as a CSV file, and as the
 * counts that ROC and precision-recall curves are drawn from. */
#include <string.h>

#include "base/out.h"
#include "base/put.h"
#include "base/sort.h"
#include "eval/results.h"

/* ---- one cell ---- */

typedef struct kept_row {
    size_t        repeat, fold, row; /* numbers from 0 */
    size_t        actual, predicted;
    const double *proba;
} kept_row;

typedef struct kept_cell {
    const heft_results_set *set;
    double *const          *kept; /* by repeat: predictions */
    size_t                  repeats, folds;
    size_t                  repeat, i; /* the next row to look at */
} kept_cell;

/* Returns false if no predictions are kept: the cell failed, or they were not asked for. */
static bool open_cell(const heft_results *results, size_t cell, kept_cell *out)
{
    if (!results->kept || results->cells[cell].failure) return false;
    *out = (kept_cell){.set = &results->sets[cell / results->n_method % results->n_data],
                       .kept = results->kept + cell * results->repeats,
                       .repeats = results->repeats,
                       .folds = results->folds};
    return true;
}

/* Get the next row that was tested. Returns false after the last one. */
static bool next_row(kept_cell *k, kept_row *out)
{
    const heft_results_set *set = k->set;
    const size_t            n = set->n_measured, K = set->n_class;
    for (; k->repeat < k->repeats; k->repeat++, k->i = 0)
        for (; k->i < n; k->i++) {
            const size_t  i = k->i;
            const size_t  fold = set->fold ? set->fold[k->repeat * n + i] : 0;
            const double *predicted = k->kept[k->repeat];
            if (set->y[i] == UINT16_MAX || fold >= k->folds || !predicted) continue;
            *out = (kept_row){.repeat = k->repeat,
                              .fold = fold,
                              .row = set->row[i],
                              .actual = set->y[i],
                              .predicted = (size_t)predicted[n * K + i],
                              .proba = predicted + i * K};
            k->i++;
            return true;
        }
    return false;
}

size_t heft_predicted_rows(const heft_results *results, size_t stage, size_t dataset, size_t method,
                           const heft_predicted *to)
{
    const heft_cell *cell = heft_cell_in_stage(results, stage, dataset, method);
    kept_cell        k;
    kept_row         row;
    size_t           n = 0;
    if (!cell || !open_cell(results, (size_t)(cell - results->cells), &k)) return 0;
    for (; next_row(&k, &row); n++) {
        if (!to) continue;
        if (to->repeat) to->repeat[n] = row.repeat;
        if (to->fold) to->fold[n] = row.fold;
        if (to->row) to->row[n] = row.row;
        if (to->actual) to->actual[n] = (int32_t)row.actual;
        if (to->predicted) to->predicted[n] = (int32_t)row.predicted;
        if (to->proba)
            memcpy(to->proba + n * k.set->n_class, row.proba, k.set->n_class * sizeof *row.proba);
    }
    return n;
}

/* ---- files ---- */

enum { ENOUGH = 1 << 16 }; /* number of bytes that are written at once */

typedef struct writer {
    heft_ctx *ctx;
    heft_out *out;
    heft_buf  buf;
} writer;

/* Write the buffer to the file once it has at least `least` bytes. */
static heft_status flush(writer *w, size_t least)
{
    if (w->buf.failed) return heft_no_memory(w->ctx, w->buf.capacity, 2);
    if (w->buf.length < least) return HEFT_OK;
    HEFT_CHECK(heft_out_write(w->ctx, w->out, w->buf.data, w->buf.length));
    w->buf.length = 0;
    return HEFT_OK;
}

/* Join the classes of all data sets, in the order in which they first occur. at[d][c] is the column
 * of class c of data set d. */
static heft_status join_classes(writer *w, const heft_results *results, heft_dict *all,
                                uint32_t **at)
{
    heft_ctx *ctx = w->ctx;
    for (size_t d = 0; d < results->n_data; d++) {
        const heft_results_set *set = &results->sets[d];
        HEFT_ALLOC(ctx, &ctx->scratch, at[d], set->n_class);
        for (size_t c = 0; c < set->n_class; c++)
            HEFT_CHECK(
                heft_dict_add(ctx, all, set->classes[c], strlen(set->classes[c]), &at[d][c]));
    }
    return HEFT_OK;
}

static heft_status write_cell(writer *w, const heft_results *results, size_t cell,
                              const uint32_t *at, size_t n_columns)
{
    HEFT_SCRATCH_SCOPE(w->ctx);
    const heft_cell        *shown = &results->cells[cell];
    const heft_results_set *set = &results->sets[cell / results->n_method];
    kept_cell               k;
    kept_row                row;
    size_t                 *from; /* by column: class of the data set; n_class: none */
    if (!open_cell(results, cell, &k)) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, from, n_columns);
    for (size_t c = 0; c < n_columns; c++) from[c] = set->n_class;
    for (size_t c = 0; c < set->n_class; c++) from[at[c]] = c;
    while (next_row(&k, &row)) {
        heft_put(&w->buf, "%k,%k,%z,%z,%z,%k,%k", shown->dataset, shown->method, row.repeat + 1,
                 row.fold, row.row + 1, set->classes[row.actual], set->classes[row.predicted]);
        for (size_t c = 0; c < n_columns; c++) {
            heft_buf_text(&w->buf, ",");
            if (from[c] < set->n_class) heft_buf_double(&w->buf, row.proba[from[c]]);
        }
        heft_buf_text(&w->buf, "\n");
        HEFT_CHECK(flush(w, ENOUGH));
    }
    return HEFT_OK;
}

static heft_status write_predictions(writer *w, const heft_results *results)
{
    heft_ctx            *ctx = w->ctx;
    HEFT_OWN(heft_dict) *all = NULL;
    uint32_t           **at;
    HEFT_CHECK(heft_dict_create(ctx, &all));
    HEFT_ALLOC(ctx, &ctx->scratch, at, results->n_data);
    HEFT_CHECK(join_classes(w, results, all, at));
    heft_buf_text(&w->buf, "data,method,repeat,fold,row,actual,predicted");
    for (uint32_t c = 0; c < heft_dict_size(all); c++) {
        HEFT_SIDE_TEXT(name, &w->buf);
        heft_put(&name, "P(%s)", heft_dict_text(all, c));
        heft_put(&w->buf, ",%k", heft_buf_string(&name));
    }
    heft_buf_text(&w->buf, "\n");
    for (size_t cell = 0; cell < results->n_data * results->n_method; cell++)
        HEFT_CHECK(write_cell(w, results, cell, at[cell / results->n_method], heft_dict_size(all)));
    return HEFT_OK;
}

/* Write the counts of a curve at each distinct probability that n rows have of class c. */
static heft_status write_curve(writer *w, const heft_cell *cell, size_t c, const double *value,
                               const int32_t *actual, const heft_ranked *order, size_t n)
{
    size_t tp = 0, fp = 0, all = 0;
    for (size_t i = 0; i < n; i++) all += (size_t)actual[i] == c;
    for (size_t k = 0; k < n; k++) {
        const double threshold = value[order[k].row];
        if ((size_t)actual[order[k].row] == c) tp++;
        else fp++;
        if (k + 1 < n && value[order[k + 1].row] == threshold) continue;
        heft_put(&w->buf, "%k,%k,%k,%n,%z,%z,%z,%z\n", cell->dataset, cell->method,
                 cell->classes[c], threshold, tp, fp, n - all - fp, all - tp);
        HEFT_CHECK(flush(w, ENOUGH));
    }
    return HEFT_OK;
}

static heft_status write_curves(writer *w, const heft_results *results)
{
    heft_ctx *ctx = w->ctx;
    heft_buf_text(&w->buf, "data,method,class,threshold,tp,fp,tn,fn\n");
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        HEFT_SCRATCH_SCOPE(ctx);
        const heft_cell *cell = &results->cells[k];
        const size_t     d = k / results->n_method, m = k % results->n_method;
        const size_t     n = heft_predicted_rows(results, 0, d, m, NULL), K = cell->n_classes;
        int32_t         *actual;
        double          *proba, *value;
        heft_ranked     *order, *spare;
        HEFT_ALLOC(ctx, &ctx->scratch, proba, heft_times(n, K));
        HEFT_ALLOCS(ctx, &ctx->scratch, n, actual, value, order, spare);
        heft_predicted_rows(results, 0, d, m, &(heft_predicted){.actual = actual, .proba = proba});
        for (size_t c = 0; c < K; c++) {
            for (size_t i = 0; i < n; i++) value[i] = proba[i * K + c];
            heft_order_falling(value, n, order, spare);
            HEFT_CHECK(write_curve(w, cell, c, value, actual, order, n));
        }
    }
    return HEFT_OK;
}

static void writer_clear(writer *w)
{
    heft_out_abandon(w->out);
    heft_buf_clear(&w->buf);
}

heft_status heft_write_outcomes(heft_ctx *ctx, const heft_results *results, const char *what,
                                const char *path)
{
    HEFT_LOCAL(writer) w = {.ctx = ctx};
    const bool         curves = strcmp(what, "curves") == 0;
    if (!curves && strcmp(what, "predictions") != 0)
        return heft_fail(ctx, HEFT_EINVAL,
                         "unknown file of results '%.40s' (use predictions or curves)", what);
    if (!results->kept || heft_n_stages(results) != 1)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the results have no predictions (ask for them with keep_predictions)");
    HEFT_CHECK(heft_out_open(ctx, path, &w.out));
    HEFT_CHECK(curves ? write_curves(&w, results) : write_predictions(&w, results));
    HEFT_CHECK(flush(&w, 1));
    heft_out *out = w.out;
    w.out = NULL;
    return heft_out_commit(ctx, out);
}
