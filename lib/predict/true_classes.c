/* true_classes.c - finds the model's class for the class of each row of a table, and counts the
 * rows whose class the model does not know. */
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/rows.h"
#include "base/text.h"
#include "predict/predict.h"

enum { SHOWN = 5 };

static heft_status note_unknown(heft_ctx *ctx, heft_unknown *unknown, const char *text,
                                size_t length)
{
    uint32_t code;
    if (!unknown->classes) HEFT_CHECK(heft_dict_create(ctx, &unknown->classes));
    return heft_dict_add(ctx, unknown->classes, text, length, &code);
}

heft_status heft_true_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              int32_t *classes, heft_unknown *unknown)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_column *target = table->target;
    const size_t       K = target ? heft_dict_size(target->dict) : 0;
    int32_t           *to; /* index of each of the table's classes in the model */
    HEFT_ALLOC(ctx, &ctx->scratch, to, K + 1);
    for (uint32_t c = 0; c < K; c++) to[c] = HEFT_UNKNOWN_CLASS;
    to[K] = HEFT_NO_CLASS;
    if (unknown && target) heft_show_name(unknown->column, target->name);
    for (uint32_t c = 0; c < K; c++) {
        const uint32_t code = heft_prep_class(&model->prep, heft_dict_text(target->dict, c),
                                              heft_dict_length(target->dict, c));
        if (code != HEFT_DICT_NONE) to[c] = (int32_t)code;
    }
    HEFT_ROWS (i, table->n_rows) {
        const bool     counts = !unknown || !table->weight || table->weight[i] > 0;
        const uint32_t c =
            target && counts ? heft_code_at(target->cells, target->width, i) : (uint32_t)K;
        classes[i] = to[c < K ? c : K];
        if (!unknown) continue;
        unknown->n_labelled += c < K;
        if (classes[i] != HEFT_UNKNOWN_CLASS) continue;
        unknown->n_rows++;
        HEFT_CHECK(note_unknown(ctx, unknown, heft_dict_text(target->dict, c),
                                heft_dict_length(target->dict, c)));
    }
    return HEFT_OK;
}

/* ---- the warning ---- */

/* Joins the unknown classes of all ranks, rank by rank. */
static heft_status join_classes(heft_ctx *ctx, heft_unknown *unknown)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_LOCAL(heft_buf)      own = {0};
    for (uint32_t c = 0; c < heft_dict_size(unknown->classes); c++)
        heft_buf_add(&own, heft_dict_text(unknown->classes, c),
                     heft_dict_length(unknown->classes, c) + 1); /* the terminating 0 is included */
    if (own.failed) return heft_no_memory(ctx, own.capacity, 2);
    HEFT_CHECK(heft_all_gather(ctx, own.data, own.length, &all));
    heft_dict_free(unknown->classes);
    unknown->classes = NULL;
    for (size_t at = 0; at < all.start[all.n]; at += strlen(all.bytes + at) + 1)
        HEFT_CHECK(note_unknown(ctx, unknown, all.bytes + at, strlen(all.bytes + at)));
    return HEFT_OK;
}

const char *heft_show_classes(const heft_dict *classes, char *out, size_t size)
{
    const size_t n = heft_dict_size(classes);
    size_t       at = 0;
    out[0] = 0;
    for (uint32_t c = 0; c < n && c < SHOWN; c++)
        at += (size_t)snprintf(
            out + at, size - at, "%s'%s'", c ? ", " : "",
            HEFT_SHOW_CELL(heft_dict_text(classes, c), heft_dict_length(classes, c)));
    if (n > SHOWN) snprintf(out + at, size - at, " and %zu more", n - SHOWN);
    return out;
}

heft_status heft_warn_unknown(heft_ctx *ctx, const heft_model *model, const char *name,
                              heft_unknown *unknown)
{
    char    theirs[400], own[400];
    int64_t sums[2] = {(int64_t)unknown->n_rows, (int64_t)unknown->n_labelled};
    if (!heft_is_single(ctx) && !model->comm) {
        HEFT_CHECK(heft_all_add(ctx, sums, 2));
        HEFT_CHECK(join_classes(ctx, unknown));
        unknown->n_rows = (size_t)sums[0];
        unknown->n_labelled = (size_t)sums[1];
    }
    if (!unknown->n_rows || heft_comm_rank(ctx) != 0) return HEFT_OK;
    heft_show_classes(unknown->classes, theirs, sizeof theirs);
    if (unknown->n_rows == unknown->n_labelled)
        heft_say(ctx, HEFT_WARNING,
                 "%s: the model knows none of the classes in column '%s' (%s): every row counts as "
                 "wrong (the model's classes are %s)",
                 name ? name : "table", unknown->column, theirs,
                 heft_show_classes(model->prep.classes, own, sizeof own));
    else
        heft_say(ctx, HEFT_WARNING,
                 "%s: %zu of %zu rows have a class that the model does not know and count as "
                 "wrong: %s",
                 name ? name : "table", unknown->n_rows, unknown->n_labelled, theirs);
    return HEFT_OK;
}

void heft_unknown_clear(heft_unknown *unknown)
{
    heft_dict_free(unknown->classes);
    *unknown = (heft_unknown){0};
}
