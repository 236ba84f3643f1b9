/* check.c - a check of a table, all of it or the cheap part. */
#include "check/check.h"

#include <string.h>

#include "base/put.h"

enum { MOST_TOLD = 3 };

void heft_check_delete(heft_check *check)
{
    if (!check) return;
    if (check->cols)
        for (size_t j = 0; j < check->n_cols; j++) {
            heft_dict_free(check->cols[j].dict);
            heft_buf_clear(&check->cols[j].alike);
        }
    heft_arena_clear(&check->arena);
    heft_free(check);
}

heft_status heft_check_create(heft_ctx *ctx, const heft_table *table, size_t top,
                              const char *method, heft_check **out)
{
    HEFT_OWN(heft_check) *check = NULL;
    HEFT_NEW(ctx, check, 1);
    check->n_rows = table->n_rows;
    check->n_attr = table->n_cols;
    check->sparse = table->sparse != NULL;
    check->quick = method != NULL;
    check->auto_tells = method && strcmp(method, "auto") == 0;
    check->declared = table->target_nominal;
    check->mark = table->decimal_mark ? *table->decimal_mark : '.';
    check->top = top ? top : HEFT_CHECK_TOP;
    HEFT_CHECK(heft_arena_copy(ctx, &check->arena, table->name, &check->name));
    HEFT_CHECK(heft_arena_copy(ctx, &check->arena, table->label, &check->label));
    const size_t n_cols = table->n_cols + (heft_check_class(table) != NULL);
    HEFT_ALLOC(ctx, &check->arena, check->cols, n_cols + 1);
    check->n_cols = n_cols;
    HEFT_CHECK(heft_check_summarise(ctx, table, check));
    if (!check->quick) HEFT_CHECK(heft_check_rows(ctx, table, check));
    HEFT_CHECK(heft_check_find(ctx, check));
    *out = check, check = NULL;
    return HEFT_OK;
}

/* Whether a warning before training mentions the finding. */
static bool is_told(const heft_finding *f)
{
    return f->serious && strcmp(f->code, "one-class") != 0; /* training refuses that */
}

/* Whether training refuses the class column: numbers that look measured, or values with fewer than
 * two rows each. */
static bool is_refused(const heft_check *check, const heft_finding *f)
{
    const bool unique =
        check->cols[check->n_cols - 1].show.n_distinct * 2 > check->classes.n_labelled;
    return strcmp(f->code, "numeric-class") == 0 ||
           (strcmp(f->code, "many-classes") == 0 && unique);
}

/* Write the operands of the command that shows all findings, such as "a.csv -t y". */
static void put_operands(const heft_table *table, heft_buf *out)
{
    const bool stream = !table->label || strcmp(table->label, "standard input") == 0;
    heft_put(out, "%s", stream ? "FILE" : table->label);
    if (table->target && table->target_asked) {
        const char *name = table->target->name;
        const char *quote = strpbrk(name, " $&*()[]{};'<>?|\"\\`") ? "'" : "";
        heft_put(out, " -t %s%60q%s", quote, name, quote);
    }
}

heft_status heft_check_tell(heft_ctx *ctx, const heft_table *table, const char *method, bool brief)
{
    HEFT_OWN(heft_check) *check = NULL;
    HEFT_LOCAL(heft_buf)  operands = {0};
    size_t                told = 0, all = 0;
    if (table->n_rows == 0) return HEFT_OK;
    HEFT_CHECK(heft_check_create(ctx, table, 0, method ? method : "", &check));
    const char  *file = table->label ? table->label : "", *colon = *file ? ": " : "";
    const size_t most = brief ? 1 : MOST_TOLD;
    put_operands(table, &operands);
    for (size_t k = 0; k < check->n_findings; k++) all += is_told(&check->findings[k]);
    const char *show = heft_buf_string(&operands);
    for (size_t k = 0; k < check->n_findings; k++)
        if (is_refused(check, &check->findings[k]))
            return heft_fail(ctx, HEFT_EINVAL, "%s%s%s", file, colon, check->findings[k].text);
    for (size_t k = 0; k < check->n_findings && told < most; k++) {
        if (!is_told(&check->findings[k])) continue;
        const char *text = check->findings[k].text;
        told++;
        if (brief && all > 1)
            heft_say(ctx, HEFT_WARNING, "%s%s%s; and %s ({advice check-shows=%s})", file, colon,
                     text, HEFT_COUNT_OF(all - 1, "more finding"), show);
        else heft_say(ctx, HEFT_WARNING, "%s%s%s", file, colon, text);
    }
    if (all > told && !brief)
        heft_say(ctx, HEFT_WARNING, "%s%s%s ({advice check-shows=%s})", file, colon,
                 HEFT_COUNT_OF(all - told, "more finding"), show);
    return HEFT_OK;
}

heft_status heft_check_shown(heft_ctx *ctx, const heft_check *check, size_t **order, size_t *n)
{
    const bool all = check->top >= check->n_attr;
    HEFT_ALLOC(ctx, &ctx->scratch, *order, check->top + 1);
    for (*n = 0; *n < check->top; ++*n) (*order)[*n] = all ? *n : check->order[*n];
    if (check->n_cols > check->n_attr) (*order)[(*n)++] = check->n_attr;
    return HEFT_OK;
}
