/* root_rank.c - methods and settings that need all rows in one place, on several ranks.
 *
 * Rank 0 gathers the rows of all ranks, fits as a single process does, and sends the model to the
 * others. So the model has the same bits as with one process, and methods need no code for ranks.
 */
#include "train/root_rank.h"

#include <math.h>

#include "base/comm.h"
#include "base/marks.h"
#include "base/rows.h"
#include "data/merge_dicts.h"
#include "model/store.h"

/* Most bytes of rows that rank 0 gathers if there is no memory limit. With a memory limit any
 * number is gathered, because rows beyond the limit are in a spill file. */
static const double MOST_BYTES = 1073741824;

/* Measure the rows that the method sees, which have a known class and a weight above 0. */
static heft_status extent_of(heft_ctx *ctx, const heft_table *table, const double *factor,
                             heft_extent *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_column *target = table->target;
    const size_t       K = heft_dict_size(target->dict);
    int64_t           *count;
    *out = (heft_extent){0};
    HEFT_ALLOC(ctx, &ctx->scratch, count, K);
    HEFT_ROWS (i, table->n_rows) {
        const uint32_t c = heft_code_at(target->cells, target->width, i);
        const double   w = table->weight ? table->weight[i] : 1;
        if (c >= K || !(w > 0) || (factor && !(factor[c] > 0))) continue;
        count[c]++;
        out->weight += w;
    }
    HEFT_CHECK(heft_all_add(ctx, count, K));
    HEFT_CHECK(heft_all_sum(ctx, &out->weight, 1));
    for (size_t c = 0; c < K; c++) {
        out->n_rows += (size_t)count[c];
        out->n_class += count[c] > 0;
    }
    return HEFT_OK;
}

/* Find out whether all weights are whole numbers: then sums of weights are exact, and have the same
 * bits however the rows are spread. */
static heft_status whole_weights(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                                 const double *factor, bool *out)
{
    const heft_column *target = table->target;
    const size_t       K = target ? heft_dict_size(target->dict) : 0;
    const bool         shifts = s->method->caps & HEFT_SHIFTS_CLASSES;
    double             broken = 0;
    HEFT_ROWS (i, table->n_rows) {
        const uint32_t c = K ? heft_code_at(target->cells, target->width, i) : 0;
        const double   f = factor && !shifts && c < K ? factor[c] : 1;
        const double   w = (table->weight ? table->weight[i] : 1) * f;
        if (w != floor(w)) broken = 1;
    }
    HEFT_CHECK(heft_all_max(ctx, &broken, 1));
    *out = broken == 0;
    return HEFT_OK;
}

heft_status heft_needs_root(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                            const double *factor, const char **what)
{
    heft_extent extent;
    bool        whole = true;
    *what = NULL;
    if (heft_is_single(ctx)) return HEFT_OK;
    if (s->select.choice == HEFT_CHOOSE_CFS)
        HEFT_CHECK(whole_weights(ctx, s, table, factor, &whole));
    if (s->choices.n) *what = "the choice of a parameter";
    else if (!(s->method->caps & HEFT_SHARDS)) *what = s->method->name;
    else if (s->method->gather && s->calibrating != HEFT_CALIBRATE_NONE) *what = "{calibrate}";
    else if (s->method->gather && s->tuning) *what = "{tune}";
    else if (!whole) *what = "{select=cfs}";
    if (*what || !s->method->spreads || !table->target) return HEFT_OK;
    HEFT_CHECK(extent_of(ctx, table, factor, &extent));
    if (!s->method->spreads(s->values, &extent)) *what = s->method->name;
    return HEFT_OK;
}

static bool sums_over_ranks(const heft_method *method)
{
    return method->caps & HEFT_SHARDS && !method->spreads;
}

/* Refuse to gather too many rows, and name the methods that can be fitted without. */
static heft_status refuse(heft_ctx *ctx, const heft_settings *s, const char *what, double bytes)
{
    char known[300];
    heft_methods_list(sums_over_ranks, known, sizeof known);
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "%s%s needs all rows on one rank, and they take %.0f MB, more than the %.0f "
                     "MB that are gathered by default ({advice set-memory}, or use %s)",
                     what == s->method->name ? "method " : "", HEFT_MARKED(what), bytes / 1048576,
                     MOST_BYTES / 1048576, known);
}

/* Send the model of rank 0 to every rank. Each rank loads it as a single process does, because
 * ranks that load a model together would each keep only some of its training rows. */
static heft_status give_model(heft_ctx *ctx, const heft_comm *comm, heft_model **model)
{
    heft_status               st = HEFT_OK;
    HEFT_FREED char          *bytes = NULL;
    size_t                    length = 0;
    HEFT_LOCAL(heft_gathered) all = {0};
    ctx->comm = NULL;
    if (*model) HEFT_TRY(heft_store_save_bytes(ctx, *model, &bytes, &length));
    ctx->comm = comm;
    HEFT_TRY(heft_all_gather(ctx, bytes, length, &all));
    ctx->comm = NULL;
    if (!*model)
        HEFT_TRY(heft_store_load_bytes(ctx, "memory", all.bytes, all.start[comm->n_ranks],
                                       heft_methods_find, model));
done:
    ctx->comm = comm;
    return st;
}

heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_settings *s,
                             const char *what, heft_fit_call *fit, heft_model **out)
{
    const heft_comm      *comm = ctx->comm;
    HEFT_OWN(heft_table) *all = NULL;
    double                bytes = heft_table_bytes(table);
    HEFT_CHECK(heft_all_sum(ctx, &bytes, 1));
    if (bytes > MOST_BYTES && !heft_memory_limit()) return refuse(ctx, s, what, bytes);
    HEFT_CHECK(heft_table_gather(ctx, table, &all));
    if (all) {
        ctx->comm = NULL;
        const heft_status st = fit(ctx, all, &s->config, s->skip_unknown, out);
        ctx->comm = comm;
        if (st != HEFT_OK) return st;
    }
    return give_model(ctx, comm, out);
}
