/* sets.c - the data sets of an evaluation: rows that count, their folds, the test table. */
#include <string.h>

#include "base/comm.h"
#include "base/text.h"
#include "data/merge_dicts.h"
#include "eval/checksum.h"
#include "eval/sets.h"
#include "learn/folds.h"
#include "predict/predict.h"

/* Find the rows that count, rows[0 .. *n-1]: those that have a class and a weight above 0. *out is
 * the table itself if all count, or a copy of these rows, which *owned owns, without values and
 * classes that only other rows have. With `part` the table has one rank's range of the rows and
 * may have no rows that count. */
static heft_status only_counting(heft_ctx *ctx, const heft_table *table, bool part, size_t *rows,
                                 size_t *n, heft_table **owned, const heft_table **out)
{
    size_t unknown = 0;
    if (!table->target)
        return heft_fail(ctx, HEFT_EINVAL, "there is no class column ({advice name-target})");
    const size_t n_class = heft_dict_size(table->target->dict);
    *n = 0;
    HEFT_CHECK(heft_check_classes(ctx, table->target->name, n_class));
    for (size_t i = 0; i < table->n_rows; i++) {
        const bool known = heft_code_at(table->target->cells, table->target->width, i) < n_class;
        unknown += !known;
        if (known && (!table->weight || table->weight[i] > 0)) rows[(*n)++] = i;
    }
    if (*n == 0 && !part)
        return heft_fail(
            ctx, HEFT_EINVAL, "no row has a class in column '%s'%s ({advice choose-target})",
            HEFT_SHOW_NAME(table->target->name), table->weight ? " and a weight above 0" : "");
    if (unknown)
        heft_say(ctx, HEFT_WARNING, "%s: %zu of %s %s no class and %s left out",
                 heft_table_label(table), unknown, HEFT_COUNT_OF(table->n_rows, "row"),
                 unknown == 1 ? "has" : "have", unknown == 1 ? "is" : "are");
    if (*n < table->n_rows) HEFT_CHECK(heft_table_take(ctx, table, rows, *n, owned));
    HEFT_CHECK(heft_table_trim_values(ctx, table, owned));
    *out = *owned ? *owned : table;
    return HEFT_OK;
}

/* Make the folds of every repeat. rows[set->n] are the rows that count of the caller's table, which
 * has n_rows rows. */
static heft_status make_folds(heft_ctx *ctx, heft_eval_run *r, heft_eval_set *set, size_t n_rows,
                              const size_t *rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_results     *res = r->results;
    const heft_sample sample = {.n = set->n, .y = set->y, .n_class = set->n_class};
    heft_fold_file    file;
    heft_fold_plan    plan = {.rule = res->design.from_file       ? HEFT_FOLDS_FILE
                                      : res->design.leave_one_out ? HEFT_FOLDS_SINGLE
                                      : res->design.weka          ? HEFT_FOLDS_WEKA
                                      : res->design.holdout > 0   ? HEFT_FOLDS_HOLDOUT
                                                                  : HEFT_FOLDS_STRATIFIED,
                              .sample = &sample,
                              .seed = res->seed,
                              .holdout = res->design.holdout,
                              .file = &file,
                              .row = rows};
    if (res->design.from_file) { /* the file has a line for every row of the table */
        HEFT_CHECK(heft_folds_read(ctx, r->plan->folds_file, n_rows, &ctx->scratch, &file));
        res->repeats = file.n_repeats;
        res->folds = file.n_folds;
    }
    plan.n_folds = res->folds;
    HEFT_ALLOC(ctx, &res->arena, set->fold, heft_times(res->repeats, set->n));
    for (; plan.repeat < res->repeats; plan.repeat++)
        HEFT_CHECK(heft_folds_deal(ctx, &plan, set->fold + plan.repeat * set->n));
    return HEFT_OK;
}

/* Store the row numbers in the caller's table, for the rows of the set from `from` on. */
static heft_status keep_rows(heft_ctx *ctx, heft_eval_run *r, heft_eval_set *set, size_t from,
                             const size_t *rows)
{
    if (!r->plan->keep_predictions) return HEFT_OK;
    HEFT_ALLOC(ctx, &r->results->arena, set->row, set->n);
    for (size_t i = from; i < set->n; i++) set->row[i] = rows[i - from];
    return HEFT_OK;
}

static void copy_classes(const heft_table *table, uint16_t *y)
{
    for (size_t i = 0; i < table->n_rows; i++)
        y[i] = (uint16_t)heft_code_at(table->target->cells, table->target->width, i);
}

/* Map the classes of the test rows to those of the training table. Classes that the training table
 * does not have come last; no prediction of such a row can be right. */
static heft_status match_classes(heft_ctx *ctx, const heft_dict *known, heft_eval_set *set)
{
    const heft_column *target = set->test->target;
    uint16_t          *number;
    HEFT_ALLOC(ctx, &ctx->scratch, number, heft_dict_size(target->dict));
    for (uint32_t c = 0; c < heft_dict_size(target->dict); c++) {
        const uint32_t code = heft_dict_same(known, target->dict, c);
        number[c] = code == HEFT_DICT_NONE ? UINT16_MAX : (uint16_t)code;
    }
    for (size_t i = 0; i < set->n; i++) {
        uint16_t *c = &number[heft_code_at(target->cells, target->width, i)];
        if (*c == UINT16_MAX) *c = (uint16_t)set->n_class++;
        HEFT_CHECK(heft_check_classes(ctx, "the two tables", set->n_class));
        set->y[i] = *c;
    }
    return HEFT_OK;
}

/* Warn of test rows that no method can predict right. */
static heft_status warn_of_new_classes(heft_ctx *ctx, const heft_dict *known,
                                       const heft_eval_set *set)
{
    const heft_column   *target = set->test->target;
    const size_t         n_known = heft_dict_size(known);
    HEFT_OWN(heft_dict) *fresh = NULL;
    size_t               n = 0;
    char                 list[400];
    HEFT_CHECK(heft_dict_create(ctx, &fresh));
    for (size_t i = 0; i < set->n; i++) {
        uint32_t code = heft_code_at(target->cells, target->width, i);
        if (set->y[i] < n_known) continue;
        n++;
        HEFT_CHECK(heft_dict_add(ctx, fresh, heft_dict_text(target->dict, code),
                                 heft_dict_length(target->dict, code), &code));
    }
    if (n && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING,
                 "%s: %zu of %zu rows have a class that the training data lack and count as "
                 "wrong: %s",
                 set->test->name ? set->test->name : "the test table", n, set->n,
                 heft_show_classes(fresh, list, sizeof list));
    return HEFT_OK;
}

/* Set up a set that is trained on the data and tested on another table. Under `whole` both tables
 * become one with two folds, of which only the first is tested. */
static heft_status add_test(heft_ctx *ctx, heft_eval_run *r, heft_eval_set *set)
{
    heft_arena        *arena = &r->results->arena;
    HEFT_FREED size_t *rows = NULL;
    const size_t       n_train = set->table->n_rows;
    HEFT_NEW(ctx, rows, r->plan->test->n_rows);
    HEFT_CHECK(only_counting(ctx, r->plan->test, false, rows, &set->n, &set->owned[1], &set->test));
    if (!r->results->design.whole) {
        HEFT_ALLOC(ctx, arena, set->y, set->n);
        HEFT_CHECK(match_classes(ctx, set->table->target->dict, set));
        HEFT_CHECK(warn_of_new_classes(ctx, set->table->target->dict, set));
        return keep_rows(ctx, r, set, 0, rows);
    }
    HEFT_CHECK(heft_table_join(ctx, set->table, set->test, &set->owned[2]));
    set->table = set->owned[2];
    set->test = NULL;
    set->n = set->table->n_rows;
    set->n_class = heft_dict_size(set->table->target->dict);
    HEFT_CHECK(heft_check_classes(ctx, "the two tables", set->n_class));
    HEFT_ALLOCS(ctx, arena, set->n, set->y, set->fold);
    copy_classes(set->table, set->y);
    for (size_t i = 0; i < n_train; i++) set->y[i] = UINT16_MAX, set->fold[i] = 1;
    return keep_rows(ctx, r, set, n_train, rows);
}

static heft_status add_set(heft_ctx *ctx, heft_eval_run *r, const heft_table *table,
                           heft_eval_set *set)
{
    HEFT_FREED size_t *rows = NULL;
    if (r->plan->parts) HEFT_CHECK(heft_table_merge_dicts(ctx, table, &set->owned[2]));
    if (set->owned[2]) table = set->owned[2];
    HEFT_NEW(ctx, rows, table->n_rows);
    HEFT_CHECK(
        only_counting(ctx, table, r->plan->parts, rows, &set->n, &set->owned[0], &set->table));
    set->n_class = heft_dict_size(set->table->target->dict);
    set->positive = heft_positive_class(set->table->target->dict, table->positive);
    if (r->plan->test) return add_test(ctx, r, set);
    HEFT_ALLOC(ctx, &r->results->arena, set->y, set->n);
    copy_classes(set->table, set->y);
    HEFT_CHECK(keep_rows(ctx, r, set, 0, rows));
    return make_folds(ctx, r, set, table->n_rows, rows);
}

/* List the names of the classes: those of the table, then those that only test rows have. */
static heft_status name_classes(heft_ctx *ctx, heft_eval_run *r, const heft_eval_set *set,
                                const char ***out)
{
    const heft_column *own = set->table->target, *test = set->test ? set->test->target : NULL;
    HEFT_ALLOC(ctx, &r->results->arena, *out, set->n_class);
    for (size_t c = 0; c < set->n_class; c++) (*out)[c] = "";
    for (uint32_t c = 0; c < heft_dict_size(own->dict); c++)
        HEFT_CHECK(heft_text_in(ctx, &r->results->arena, heft_dict_text(own->dict, c), &(*out)[c]));
    if (test)
        for (size_t i = 0; i < set->n; i++) {
            const uint32_t code = heft_code_at(test->cells, test->width, i);
            if (!*(*out)[set->y[i]])
                HEFT_CHECK(heft_text_in(ctx, &r->results->arena, heft_dict_text(test->dict, code),
                                        &(*out)[set->y[i]]));
        }
    return HEFT_OK;
}

/* Refuse ranks with different rows: if folds are divided among ranks, all must have the same rows.
 */
static heft_status check_same(heft_ctx *ctx, const heft_results_set *shown)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_CHECK(heft_all_gather(ctx, &shown->checksum, sizeof shown->checksum, &all));
    for (size_t r = 1; r < heft_n_ranks(ctx); r++)
        if (memcmp(all.bytes, all.bytes + all.start[r], sizeof shown->checksum) != 0)
            return heft_fail(ctx, HEFT_EIO,
                             "%s: rank 0 and rank %zu do not have the same rows (did the file "
                             "change while it was read? All ranks need the same file)",
                             shown->name, r);
    return HEFT_OK;
}

heft_status heft_read_sets(heft_ctx *ctx, heft_eval_run *r, const heft_table *const *data,
                           const char *const *names)
{
    heft_results *res = r->results;
    HEFT_ALLOCS(ctx, &res->arena, res->n_data, res->sets, r->sets);
    for (size_t d = 0; d < res->n_data; d++) {
        heft_results_set    *shown = &res->sets[d];
        const heft_eval_set *set = &r->sets[d];
        const char          *name;
        const char *given = names && names[d] ? names[d] : data[d]->name ? data[d]->name : "data";
        HEFT_CHECK(heft_text_in(ctx, &res->arena, given, &name));
        HEFT_CHECK(heft_name_failure(ctx, name, add_set(ctx, r, data[d], &r->sets[d])));
        *shown = (heft_results_set){.name = name,
                                    .n_rows = set->n,
                                    .n_attr = data[d]->n_cols,
                                    .n_class = set->n_class,
                                    .positive = set->positive,
                                    .n_measured = set->n,
                                    .y = set->y,
                                    .fold = set->fold,
                                    .row = set->row};
        if (set->test) shown->n_rows += set->table->n_rows;
        HEFT_CHECK(name_classes(ctx, r, set, &shown->classes));
        shown->checksum = heft_table_sum(data[d]);
        if (!r->plan->parts) {
            HEFT_CHECK(check_same(ctx, shown));
            continue;
        }
        const size_t here = set->table->n_rows; /* results have sums over the ranks */
        int64_t      sums[2] = {(int64_t)here, (int64_t)(shown->checksum >> 16)};
        HEFT_CHECK(heft_all_add(ctx, sums, 2));
        shown->n_rows += (size_t)sums[0] - here;
        shown->checksum = (uint64_t)sums[1];
    }
    if (res->design.leave_one_out)
        for (size_t d = 0; d < res->n_data; d++)
            res->folds = d == 0 || r->sets[d].n > res->folds ? r->sets[d].n : res->folds;
    for (size_t d = 0; d < res->n_data; d++)
        r->sets[d].folds = res->design.leave_one_out ? r->sets[d].n : res->folds;
    return HEFT_OK;
}
