/* select.c - selection of attributes before a method is fitted. */
#include "train/select.h"

#include <math.h>
#include <string.h>

#include "base/setting_words.h"
#include "base/sort.h"
#include "base/text.h"
#include "stats/association.h"
#include "stats/cfs.h"
#include "stats/recode.h"

/* Read the N or N% that follows the colon. */
static bool parse_number(const char *text, heft_select *out)
{
    const char *end = text + strlen(text);
    out->percent = end > text && end[-1] == '%';
    if (heft_parse_double(text, end - out->percent, &out->number) != HEFT_NUM_OK) return false;
    if (out->percent) return out->number > 0 && out->number <= 100;
    return out->number >= 1 && out->number <= 1e9 && out->number == floor(out->number);
}

heft_status heft_select_parse(heft_ctx *ctx, const char *text, heft_select *out)
{
    size_t      choice = HEFT_CHOOSE_ALL; /* the words are in the order of the enum */
    const char *number;
    HEFT_CHECK(heft_setting_choose(ctx, "select", text, &choice, &number));
    *out = (heft_select){.choice = (heft_choice)choice};
    if (!number || parse_number(number, out)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "{select}: '%.80s' needs the number of attributes to keep, such as "
                     "{select=%s:10}, or their share of all, such as {select=%s:2.5%%}",
                     text, heft_setting_word("select", choice),
                     heft_setting_word("select", choice));
}

/* Returns the number of attributes to select. A percentage is rounded to the nearest number, and at
 * least 1: 2.5% of 7129 is 178. */
static size_t wanted(const heft_select *s, size_t n_cols)
{
    const double n = s->percent ? floor(s->number / 100 * (double)n_cols + 0.5) : s->number;
    return n < 1 ? 1 : n < (double)n_cols ? (size_t)n : n_cols;
}

/* Set keep[j] for the attributes with the largest values of the measure. */
static heft_status by_measure(heft_ctx *ctx, const heft_rows *coded, const heft_select *s,
                              bool *keep)
{
    const size_t m = coded->n_attr, n = wanted(s, m);
    heft_counts  counts;
    heft_ranked *order, *spare;
    HEFT_CHECK(heft_count(ctx, coded, &ctx->scratch, &counts));
    HEFT_ALLOCS(ctx, &ctx->scratch, m, order, spare);
    for (size_t j = 0; j < m; j++) {
        const heft_info info = heft_info_class(&counts, j, coded->attr[j].n_codes);
        const double    measure =
            s->choice == HEFT_CHOOSE_RATIO ? heft_gain_ratio(&info) : info.mutual;
        order[j] = (heft_ranked){heft_order_key(-measure), j};
    }
    heft_order_sort(order, spare, m);
    for (size_t k = 0; k < n; k++) keep[order[k].row] = true;
    return HEFT_OK;
}

static heft_status by_cfs(heft_ctx *ctx, const heft_table *table, const heft_rows *coded,
                          heft_arena *arena, bool *keep)
{
    const heft_cfs_rule rule = {.stale = 5, .unrelated = 1};
    heft_columns       *cols;
    heft_cfs            cfs;
    HEFT_CHECK(heft_columns_build(ctx, coded, NULL, &ctx->scratch, &cols));
    HEFT_CHECK(heft_cfs_search(ctx, cols, &rule, arena, &cfs));
    for (size_t k = 0; k < cfs.n; k++) keep[cfs.kept[k]] = true;
    if (cfs.n == 0)
        heft_say(ctx, HEFT_WARNING,
                 "%s: {select=cfs} found no attribute that tells anything about the class, so the "
                 "model has only the prior",
                 heft_table_label(table));
    return HEFT_OK;
}

/* Prepare all columns as the method would, measure them, and set keep[j] for the selected ones. */
static heft_status choose(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                          const heft_select *s, bool *keep)
{
    HEFT_LOCAL(heft_arena)    arena = {0};
    HEFT_LOCAL(heft_prep)     prep = {0};
    HEFT_LOCAL(heft_prepared) prepared = {0};
    heft_rows                 coded;
    HEFT_CHECK(heft_prep_fit(ctx, table, spec, &arena, &prep));
    HEFT_CHECK(heft_prep_apply(ctx, &prep, table, &prepared));
    HEFT_CHECK(heft_coded_rows(ctx, &prepared.rows,
                               &(heft_binning){.cutting = HEFT_CUT_MDL, .mdl_scale = 1},
                               &ctx->scratch, &coded));
    if (s->choice == HEFT_CHOOSE_CFS) HEFT_CHECK(by_cfs(ctx, table, &coded, &arena, keep));
    else HEFT_CHECK(by_measure(ctx, &coded, s, keep));
    return HEFT_OK;
}

heft_status heft_select_table(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                              const heft_select *select, heft_table **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    bool   *keep;
    size_t *cols, n = 0;
    *out = NULL;
    if (select->choice == HEFT_CHOOSE_ALL || table->n_cols == 0) return HEFT_OK;
    if (!table->target)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: {select} needs a class column ({advice name-target})",
                         heft_table_label(table));
    HEFT_ALLOCS(ctx, &ctx->scratch, table->n_cols, keep, cols);
    HEFT_CHECK(choose(ctx, table, spec, select, keep));
    for (size_t j = 0; j < table->n_cols; j++)
        if (keep[j]) cols[n++] = j;
    return heft_table_keep(ctx, table, cols, n, out);
}
