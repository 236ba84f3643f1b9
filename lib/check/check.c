/* check.c - a check of a table, all of it or the cheap part. */
#include "check/check.h"

#include <string.h>

enum { MOST_TOLD = 3 };

void heft_check_free(heft_check *check)
{
    if (!check) return;
    for (size_t j = 0; check->cols && j < check->n_cols; j++) heft_dict_free(check->cols[j].dict);
    heft_arena_clear(&check->arena);
    heft_free(check);
}

heft_status heft_check_create(heft_ctx *ctx, const heft_table *table, size_t top, bool quick,
                              heft_check **out)
{
    heft_status st = HEFT_OK;
    heft_check *check = NULL;
    HEFT_HEAP(ctx, check, 1);
    check->n_rows = table->n_rows;
    check->n_attr = table->n_cols;
    check->sparse = table->sparse != NULL;
    check->quick = quick;
    check->mark = table->decimal_mark ? *table->decimal_mark : '.';
    check->top = top ? top : HEFT_CHECK_TOP;
    HEFT_TRY(heft_arena_copy(ctx, &check->arena, table->name, &check->name));
    HEFT_TRY(heft_arena_copy(ctx, &check->arena, table->label, &check->label));
    const size_t n_cols = table->n_cols + (table->target != NULL);
    HEFT_ARENA(ctx, &check->arena, check->cols, n_cols + 1);
    check->n_cols = n_cols;
    HEFT_TRY(heft_check_look(ctx, table, check));
    if (!quick) HEFT_TRY(heft_check_rows(ctx, table, check));
    HEFT_TRY(heft_check_judge(ctx, check));
    *out = check, check = NULL;
done:
    heft_check_free(check);
    return st;
}

heft_status heft_check_tell(heft_ctx *ctx, const heft_table *table, const char *method)
{
    heft_status st = HEFT_OK;
    heft_check *check = NULL;
    size_t      told = 0, more = 0;
    if (!ctx->host || !ctx->host->log || table->n_rows == 0) return HEFT_OK;
    HEFT_TRY(heft_check_create(ctx, table, 0, true, &check));
    const char *file = table->label ? table->label : "";
    const bool  stream = !table->label || strcmp(table->label, "standard input") == 0;
    for (size_t k = 0; k < check->n_findings; k++) {
        const heft_finding *f = &check->findings[k];
        if (!f->serious || strcmp(f->code, "one-class") == 0) continue; /* training refuses it */
        if (method && strcmp(method, "auto") == 0 && strcmp(f->code, "identifier") == 0)
            continue; /* it says so itself */
        if (told == MOST_TOLD) more++;
        else heft_say(ctx, HEFT_WARNING, "%s%s%s", file, *file ? ": " : "", f->text), told++;
    }
    if (more)
        heft_say(ctx, HEFT_WARNING, "%s%s%s (heft check %s shows all)", file, *file ? ": " : "",
                 HEFT_COUNT_OF(more, "more finding"), stream ? "FILE" : file);
done:
    heft_check_free(check);
    return st;
}

heft_status heft_check_shown(heft_ctx *ctx, const heft_check *check, size_t **order, size_t *n)
{
    const bool all = check->top >= check->n_attr;
    HEFT_ALLOC(ctx, &ctx->scratch, *order, check->top + 1);
    for (*n = 0; *n < check->top; ++*n) (*order)[*n] = all ? *n : check->order[*n];
    if (check->n_cols > check->n_attr) (*order)[(*n)++] = check->n_attr;
    return HEFT_OK;
}
