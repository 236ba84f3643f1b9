/* export_json.c - a model as JSON: what inspect says, and "score", all that scoring a row takes.
 *
 * A row's score of class c is start[c] plus the sum of the terms' parts; its softmax is the
 * posterior. A term is { name, kind, preparation, density, weights }:
 *   preparation  values (nominal) or cuts (intervals, closed above), fill for a missing cell, then
 *                (x - shift) * factor; with "scale": "unit" numbers are divided by their row's
 *                length first
 *   density      table      log_likelihood[value][class]; the last two lines: missing, unheard of
 *                normal     mean, sd by class; sd 0 is a point mass, log 1e-10 off it
 *                rounded    the same on multiples of precision, as an interval's mass
 *                kernel     by class: width, points, log_mass
 *   weights      one a class, or [value][class]; absent where the likelihoods hold them
 * Models of pairs of classes have their weights in "pairs" and vote. With "calibration" the score
 * becomes scale[c] * score[c] + shift[c]; where "calibrate" is vector, of the score less its
 * log-sum-exp.
 *
 * Method auto: "start", then for each term its table, evidence[spot][class] (a spot is the value,
 * or the number of `cuts` below the number; the last two: missing, unheard of) and slope[class]
 * times (x - mean) / sd within [-4, 4], 0 where missing; then for each of "attribute_pairs" its
 * evidence[cell][class], cell = view_i[spot of i] * codes + view_j[spot of j]. With "cells" the
 * table has lines for these alone, others add nothing. */
#include <string.h>

#include "base/json.h"
#include "explain/explain.h"
#include "explain/spots.h"
#include "export/export.h"
#include "methods/ovo.h"
#include "model/method.h"
#include "prep/numbers.h"

static void put_list(heft_buf *out, const char *name, const double *x, size_t n)
{
    heft_buf_text(out, name);
    heft_buf_text(out, "[");
    for (size_t k = 0; k < n; k++) {
        if (k) heft_buf_text(out, ", ");
        heft_buf_json_number(out, x[k]);
    }
    heft_buf_text(out, "]");
}

static void put_number(heft_buf *out, const char *name, double x)
{
    heft_buf_text(out, name);
    heft_buf_json_number(out, x);
}

static void put_preparation(const heft_model *model, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &model->prep.attr[j];
    if (a->kind == HEFT_NOMINAL) {
        heft_buf_text(out, ", \"values\": [");
        for (uint32_t v = 0; v < heft_dict_size(a->dict); v++) {
            if (v) heft_buf_text(out, ", ");
            heft_buf_json(out, heft_dict_text(a->dict, v));
        }
        heft_buf_text(out, "]");
    } else {
        put_number(out, ", \"shift\": ", a->shift);
        put_number(out, ", \"factor\": ", a->factor);
        if (a->cut) put_list(out, ", \"cuts\": ", a->cuts, a->n_cuts);
        if (heft_zero_interval(&model->prep, j))
            heft_buf_printf(out, ", \"first_interval\": %lu",
                            (unsigned long)heft_zero_interval(&model->prep, j));
    }
    if (a->has_fill) put_number(out, ", \"fill\": ", a->fill);
}

static void put_table(const heft_lik *lik, size_t K, heft_buf *out)
{
    heft_buf_text(out, ", \"density\": \"table\", \"log_likelihood\": [");
    for (size_t v = 0; v < (size_t)lik->n_codes + 2; v++)
        put_list(out, v ? ", " : "", lik->table + v * K, K);
    heft_buf_text(out, "]");
}

static void put_kernel(const heft_lik *lik, size_t K, heft_buf *out)
{
    heft_buf_text(out, ", \"density\": \"kernel\"");
    put_list(out, ", \"width\": ", lik->width, K);
    heft_buf_text(out, ", \"points\": [");
    for (size_t c = 0; c < K; c++)
        put_list(out, c ? ", " : "", lik->point + lik->start[c], lik->start[c + 1] - lik->start[c]);
    heft_buf_text(out, "], \"log_mass\": [");
    for (size_t c = 0; c < K; c++)
        put_list(out, c ? ", " : "", lik->log_mass + lik->start[c],
                 lik->start[c + 1] - lik->start[c]);
    heft_buf_text(out, "]");
}

static void put_density(const heft_lik *lik, size_t K, heft_buf *out)
{
    if (lik->kind == HEFT_LIK_TABLE) {
        put_table(lik, K, out);
    } else if (lik->silent) {
        heft_buf_text(out, ", \"density\": \"none\"");
    } else if (lik->kind == HEFT_LIK_KERNEL) {
        put_kernel(lik, K, out);
    } else {
        const bool rounded = lik->kind == HEFT_LIK_ROUNDED;
        heft_buf_printf(out, ", \"density\": \"%s\"", rounded ? "rounded" : "normal");
        put_list(out, ", \"mean\": ", lik->mean, K);
        put_list(out, ", \"sd\": ", lik->sd, K);
        if (rounded) put_number(out, ", \"precision\": ", lik->precision);
    }
}

static void put_weights(const heft_model *model, size_t j, heft_buf *out)
{
    const heft_fitted  *f = &model->fitted;
    const heft_weights *w = &f->weights;
    const size_t        lines = w->shape == HEFT_W_VALUE ? w->offset[j + 1] - w->offset[j] : 0;
    if (w->folded || heft_ovo_of(model->method, f)) return;
    if (lines) {
        put_list(out, ", \"value_weights\": ", w->w + w->offset[j], lines);
        return;
    }
    heft_buf_text(out, ", \"weights\": [");
    for (size_t c = 0; c < f->n_class; c++)
        put_number(out, c ? ", " : "", heft_weight_at(w, f->n_class, j, c, 0));
    heft_buf_text(out, "]");
}

static void put_score(const heft_model *model, heft_buf *out)
{
    const heft_fitted *f = &model->fitted;
    const size_t       K = f->n_class;
    put_list(out, ",\n \"score\": {\"log_prior\": ", f->log_prior, K);
    put_number(out, ", \"prior_weight\": ", f->weights.w0);
    if (f->bias) put_list(out, ", \"bias\": ", f->bias, K);
    heft_buf_printf(out, ", \"sparse\": %s,\n  \"terms\": [",
                    model->prep.sparse ? "true" : "false");
    for (size_t j = 0; j < f->n_attr; j++) {
        heft_buf_text(out, j ? ",\n   {\"name\": " : "\n   {\"name\": ");
        heft_buf_json(out, model->prep.attr[j].name);
        heft_buf_printf(out, ", \"kind\": \"%s\"",
                        model->prep.attr[j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        put_preparation(model, j, out);
        put_density(&f->lik[j], K, out);
        put_weights(model, j, out);
        heft_buf_text(out, "}");
    }
    heft_buf_text(out, f->n_attr ? "\n  ]}}\n" : "]}}\n");
}

/* ---- pooled scores ---- */

typedef struct pool_writer {
    const heft_model  *model;
    const heft_pooled *pooled;
    double            *line; /* n_class */
    heft_buf          *out;
} pool_writer;

static void put_line(const pool_writer *w, const char *name, const double *line)
{
    heft_spot_numbers(w->pooled, line, 0, w->line);
    put_list(w->out, name, w->line, w->pooled->n_declared);
}

static void put_spots(const pool_writer *w, size_t j)
{
    const heft_spots        spots = heft_spots_of(w->model, w->pooled, j);
    const heft_pooled_attr *a = spots.attr;
    if (!w->model->prep.attr[j].cut && a->lines.numeric)
        put_list(w->out, ", \"cuts\": ", spots.cuts, spots.n_cuts);
    heft_buf_text(w->out, ", \"evidence\": [");
    for (size_t v = 0; v < spots.n_codes + 2; v++)
        put_line(w, v ? ", " : "", a->table + heft_spot_line(&spots, v) * w->pooled->n_class);
    heft_buf_text(w->out, "]");
    if (!a->slope) return;
    put_number(w->out, ", \"mean\": ", a->lines.mean);
    put_number(w->out, ", \"sd\": ", a->lines.sd);
    put_line(w, ", \"slope\": ", a->slope);
}

static void put_view(const pool_writer *w, const char *name, size_t j, size_t view)
{
    const heft_spots spots = heft_spots_of(w->model, w->pooled, j);
    heft_buf_text(w->out, name);
    for (size_t v = 0; v < spots.n_codes + 2; v++)
        heft_buf_printf(w->out, "%s%lu", v ? ", " : "[",
                        (unsigned long)spots.attr->view[view][heft_spot_line(&spots, v)]);
    heft_buf_text(w->out, "]");
}

static void put_pair(const pool_writer *w, const heft_pair_table *pair)
{
    const heft_prep *prep = &w->model->prep;
    heft_buf_text(w->out, "{\"attributes\": [");
    heft_buf_json(w->out, prep->attr[pair->i].name);
    heft_buf_text(w->out, ", ");
    heft_buf_json(w->out, prep->attr[pair->j].name);
    put_view(w, "], \"view_i\": ", pair->i, pair->view_i);
    put_view(w, ", \"view_j\": ", pair->j, pair->view_j);
    heft_buf_printf(w->out, ", \"codes\": %lu",
                    (unsigned long)w->pooled->attr[pair->j].n_codes[pair->view_j]);
    for (size_t v = 0; pair->key && v < pair->n_cells; v++)
        heft_buf_printf(w->out, "%s%llu", v ? ", " : ", \"cells\": [",
                        (unsigned long long)pair->key[v]);
    heft_buf_text(w->out, pair->key ? "], \"evidence\": [" : ", \"evidence\": [");
    for (size_t v = 0; v < pair->n_cells; v++)
        put_line(w, v ? ", " : "", pair->table + v * w->pooled->n_class);
    heft_buf_text(w->out, "]}");
}

static heft_status put_pooled(heft_ctx *ctx, const heft_model *model, const heft_pooled *pooled,
                              heft_buf *out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    pool_writer     w = {model, pooled, NULL, out};
    HEFT_ARENA(ctx, &ctx->scratch, w.line, pooled->n_declared);
    heft_spot_start(&model->fitted, pooled, w.line);
    put_list(out, ",\n \"score\": {\"start\": ", w.line, pooled->n_declared);
    heft_buf_text(out, ",\n  \"terms\": [");
    for (size_t j = 0; j < pooled->n_attr; j++) {
        heft_buf_text(out, j ? ",\n   {\"name\": " : "\n   {\"name\": ");
        heft_buf_json(out, model->prep.attr[j].name);
        heft_buf_printf(out, ", \"kind\": \"%s\"",
                        model->prep.attr[j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        put_preparation(model, j, out);
        put_spots(&w, j);
        heft_buf_text(out, "}");
    }
    heft_buf_text(out, "],\n  \"attribute_pairs\": [");
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        heft_buf_text(out, k ? ",\n   " : "\n   ");
        put_pair(&w, &pooled->pair[k]);
    }
    heft_buf_text(out, "]}}\n");
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_export_json(heft_ctx *ctx, const heft_model *model, char **out)
{
    heft_status st = HEFT_OK;
    char       *inspected = NULL;
    heft_buf    buf = {0};
    *out = NULL;
    const heft_pooled *pooled = heft_pooled_of(model->method, &model->fitted);
    HEFT_TRY(heft_export_check(ctx, model));
    HEFT_TRY(heft_inspect_json(ctx, model, &inspected));
    heft_buf_add(&buf, inspected, strlen(inspected) - 2); /* all but its closing brace */
    if (pooled) HEFT_TRY(put_pooled(ctx, model, pooled, &buf));
    else put_score(model, &buf);
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_free(inspected);
    return st;
}
