/* results.c - the results of an evaluation: access, and what is computed over all data sets. */
#include "eval/results.h"

#include <math.h>
#include <string.h>

void heft_results_free(heft_results *results)
{
    if (!results) return;
    heft_arena_clear(&results->arena);
    heft_free(results);
}

size_t heft_results_datasets(const heft_results *results)
{
    return results ? results->n_data : 0;
}

size_t heft_results_methods(const heft_results *results)
{
    return results ? results->n_method : 0;
}

const heft_cell *heft_results_cell(const heft_results *results, size_t dataset, size_t method)
{
    if (!results || dataset >= results->n_data || method >= results->n_method) return NULL;
    return &results->cells[dataset * results->n_method + method];
}

bool heft_results_differ(const heft_results *results, size_t d, size_t m, heft_difference *out)
{
    const heft_cell *a = heft_results_cell(results, d, m), *b = heft_results_cell(results, d, 0);
    if (m == 0 || a->failure || b->failure || a->n_folds < 2) return false;
    *out = heft_paired_t(a->per_fold, b->per_fold, a->n_folds, 1 / (double)(results->folds - 1));
    return true;
}

/* ---- over all data sets ---- */

/* Methods without any figure are left aside: they must not take the ranks from the others. */
static bool is_complete(const heft_results *results, const heft_rival *rivals, size_t d)
{
    for (size_t m = 0; m < results->n_method; m++)
        if (rivals[m].ran && heft_results_cell(results, d, m)->failure) return false;
    return true;
}

static void compare_with_first(const heft_results *results, size_t m, heft_rival *out)
{
    for (size_t d = 0; d < results->n_data; d++) {
        const heft_cell *a = heft_results_cell(results, d, m),
                        *b = heft_results_cell(results, d, 0);
        heft_difference t;
        if (m == 0 || a->failure || b->failure) continue;
        const double by = a->accuracy - b->accuracy;
        if (fabs(by) <= HEFT_SAME) out->ties++;
        else if (by > 0) out->wins++;
        else out->losses++;
        if (heft_results_differ(results, d, m, &t) && t.p < 0.05) {
            if (t.mean > 0) out->better++;
            else out->worse++;
        }
    }
}

/* accuracy[n_complete][n_ran]: the complete data sets and the methods that ran. */
static heft_status collect(heft_ctx *ctx, const heft_results *results, heft_summary *s,
                           double **accuracy)
{
    heft_status st = HEFT_OK;
    size_t      at = 0, cells;
    for (size_t d = 0; d < results->n_data; d++)
        s->n_complete += is_complete(results, s->rivals, d);
    if (s->n_ran == 0) s->n_complete = 0;
    if (!heft_product(s->n_complete, s->n_ran, &cells))
        return heft_no_memory(ctx, s->n_complete, s->n_ran);
    HEFT_ARENA(ctx, &ctx->scratch, *accuracy, cells);
    for (size_t d = 0; s->n_ran && d < results->n_data; d++) {
        if (!is_complete(results, s->rivals, d)) continue;
        for (size_t m = 0; m < results->n_method; m++)
            if (s->rivals[m].ran) (*accuracy)[at++] = heft_results_cell(results, d, m)->accuracy;
    }
done:
    return st;
}

/* Column j of a table of n rows and `width` columns. */
static void column(const double *table, size_t n, size_t width, size_t j, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = table[i * width + j];
}

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return n ? sum / (double)n : (double)NAN;
}

static heft_status rank_methods(heft_ctx *ctx, const heft_results *results, const double *accuracy,
                                heft_summary *s)
{
    heft_status  st = HEFT_OK;
    const size_t n = s->n_complete, k = s->n_ran;
    double      *rank, *own, *first;
    HEFT_ARENA(ctx, &ctx->scratch, rank, n * k);
    HEFT_ARENA(ctx, &ctx->scratch, own, n);
    HEFT_ARENA(ctx, &ctx->scratch, first, n);
    for (size_t d = 0; d < n; d++) heft_rank(accuracy + d * k, k, rank + d * k);
    if (k) column(accuracy, n, k, 0, first);
    for (size_t m = 0, j = 0; m < results->n_method; m++) {
        heft_rival *rival = &s->rivals[m];
        rival->mean_accuracy = rival->mean_rank = rival->wilcoxon = (double)NAN;
        if (!rival->ran) continue;
        column(rank, n, k, j, own);
        rival->mean_rank = mean(own, n);
        column(accuracy, n, k, j, own);
        rival->mean_accuracy = mean(own, n);
        if (m > 0 && n >= 2 && s->rivals[0].ran)
            HEFT_TRY(heft_wilcoxon(ctx, own, first, n, &rival->wilcoxon));
        j++;
    }
    s->has_friedman = n >= 2 && k >= 2;
    if (s->has_friedman) s->friedman = heft_friedman_test(rank, n, k);
done:
    return st;
}

heft_status heft_summarise(heft_ctx *ctx, const heft_results *results, heft_summary *out)
{
    heft_status st = HEFT_OK;
    double     *accuracy;
    *out = (heft_summary){0};
    HEFT_ARENA(ctx, &ctx->scratch, out->rivals, results->n_method);
    for (size_t m = 0; m < results->n_method; m++) {
        heft_rival *rival = &out->rivals[m];
        for (size_t d = 0; d < results->n_data; d++)
            rival->ran = rival->ran || !heft_results_cell(results, d, m)->failure;
        out->n_ran += rival->ran;
        compare_with_first(results, m, rival);
    }
    HEFT_TRY(collect(ctx, results, out, &accuracy));
    HEFT_TRY(rank_methods(ctx, results, accuracy, out));
done:
    return st;
}

heft_status heft_results_format(heft_ctx *ctx, const heft_results *results, const char *format,
                                heft_buf *buf)
{
    if (strcmp(format, "json") == 0) return heft_results_json(ctx, results, buf);
    if (strcmp(format, "csv") == 0) return heft_results_csv(ctx, results, buf);
    if (strcmp(format, "table") == 0) return heft_results_table(ctx, results, false, buf);
    if (strcmp(format, "markdown") == 0) return heft_results_table(ctx, results, true, buf);
    return heft_fail(ctx, HEFT_EINVAL,
                     "results as '%.40s': there are table, json, csv, markdown and html", format);
}
