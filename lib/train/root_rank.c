/* root_rank.c - methods and settings that need all rows in one place, on several ranks.
 *
 * Rank 0 gets the rows of all, fits as one process does, and gives the model to the others: the
 * same bits as alone, and no method knows of it. */
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "data/merge_dicts.h"
#include "model/store.h"
#include "train/fit.h"
#include "train/select.h"

/* Bytes of rows brought to one rank unasked. Under a limit on memory the rest is in a scratch file,
 * and there is no such bound. */
static const double WHOLE_MOST = 1073741824;

heft_status heft_needs_root(heft_ctx *ctx, const heft_method *method, const heft_config *config,
                            const char **what)
{
    heft_select       s;
    const heft_status st = heft_select_parse(ctx, config->select, &s);
    *what = NULL;
    if (st != HEFT_OK || heft_all_here(ctx)) return st;
    if (!(method->caps & HEFT_SHARDS)) *what = method->name;
    else if (config->calibrate && strcmp(config->calibrate, "none") != 0) *what = "--calibrate";
    else if (s.choice == HEFT_CHOOSE_CFS) *what = "--select cfs";
    return HEFT_OK;
}

/* Too many rows for one rank: say so, and what else there is. */
static heft_status refuse(heft_ctx *ctx, const heft_method *method, const char *what, double bytes)
{
    char   known[300] = "";
    size_t used = 0;
    for (size_t k = 0; k < heft_methods_count() && used < sizeof known; k++)
        if (heft_methods_at(k)->caps & HEFT_SHARDS)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     heft_methods_at(k)->name);
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "%s%s needs all rows in one place, and these take %.0f MB, more than the %.0f "
                     "that are brought together unasked (give --memory LIMIT, or use %s)",
                     what == method->name ? "method " : "", what, bytes / 1048576,
                     WHOLE_MOST / 1048576, known);
}

/* The model of rank 0, on every rank. A whole one: loaded by ranks together, kept rows would be
 * shared out. */
static heft_status give_model(heft_ctx *ctx, const heft_comm *comm, heft_model **model)
{
    heft_status   st = HEFT_OK;
    char         *bytes = NULL;
    size_t        length = 0;
    heft_gathered all = {0};
    ctx->comm = NULL;
    if (*model) HEFT_TRY(heft_store_save_bytes(ctx, *model, &bytes, &length));
    ctx->comm = comm;
    HEFT_TRY(heft_all_gather(ctx, bytes, length, &all));
    ctx->comm = NULL;
    if (!*model)
        HEFT_TRY(heft_store_load_bytes(ctx, "memory", all.bytes, all.start[comm->size],
                                       heft_methods_find, model));
done:
    ctx->comm = comm;
    heft_gathered_clear(&all);
    heft_free(bytes);
    return st;
}

heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                             const heft_method *method, const char *what, bool skip_unknown,
                             heft_model **out)
{
    heft_status      st = HEFT_OK;
    const heft_comm *comm = ctx->comm;
    heft_table      *whole = NULL;
    double           bytes = heft_table_bytes(table);
    HEFT_TRY(heft_all_sum(ctx, &bytes, 1));
    if (bytes > WHOLE_MOST && !heft_memory_limit()) HEFT_TRY(refuse(ctx, method, what, bytes));
    HEFT_TRY(heft_table_gather(ctx, table, &whole));
    if (whole) {
        ctx->comm = NULL;
        st = heft_fit_table(ctx, whole, config, skip_unknown, out);
        ctx->comm = comm;
        if (st != HEFT_OK) goto done;
    }
    HEFT_TRY(give_model(ctx, comm, out));
done:
    heft_table_free(whole);
    return st;
}
