/* prep_like.c - other rows prepared as a model prepared its own. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "prep/numbers.h"
#include "prep/prep.h"

/* Attributes, names, fills, scales and cuts of `from`, without dictionaries. */
static heft_status outline(heft_ctx *ctx, const heft_prep *from, heft_arena *arena, heft_prep *out)
{
    *out = (heft_prep){.spec = from->spec, .sparse = from->sparse, .arena = arena};
    HEFT_CHECK(heft_arena_copy(ctx, arena, from->target, &out->target));
    HEFT_ALLOC(ctx, arena, out->attr, from->n_attr);
    out->n_attr = from->n_attr;
    for (size_t j = 0; j < from->n_attr; j++) {
        heft_attr_prep *a = &out->attr[j];
        *a = from->attr[j];
        a->dict = NULL;
        a->cuts = NULL;
        HEFT_CHECK(heft_arena_copy(ctx, arena, from->attr[j].name, &a->name));
        if (!a->n_cuts) continue;
        HEFT_ALLOC(ctx, arena, a->cuts, a->n_cuts);
        memcpy(a->cuts, from->attr[j].cuts, a->n_cuts * sizeof *a->cuts);
    }
    return HEFT_OK;
}

/* The attribute's column, in its place or by name; NULL: none. */
static const heft_column *column_of(const heft_table *table, const char *name, size_t j)
{
    if (j < table->n_cols && strcmp(table->cols[j].name, name) == 0) return &table->cols[j];
    const size_t found = heft_table_find(table, name);
    return found == SIZE_MAX ? NULL : &table->cols[found];
}

static heft_status take_values(heft_ctx *ctx, const heft_attr_prep *from, const heft_column *col,
                               heft_attr_prep *to)
{
    if (!col || col->kind != HEFT_NOMINAL) {
        to->dict = heft_dict_share(from->dict);
        return HEFT_OK;
    }
    HEFT_CHECK(heft_dict_union(ctx, (heft_dict *const[]){from->dict, col->dict}, 2, &to->dict));
    if (from->has_fill) {
        const uint32_t code = (uint32_t)from->fill;
        to->fill = heft_dict_find(to->dict, heft_dict_text(from->dict, code),
                                  heft_dict_length(from->dict, code));
    }
    return HEFT_OK;
}

static heft_status check_target(heft_ctx *ctx, const heft_prep *from, const heft_table *table)
{
    char        own[128], other[128];
    const char *name = table->target->name ? table->target->name : "";
    if (strcmp(name, from->target) == 0) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "%s: the class column is '%s', but that of the model to train like is '%s' "
                     "(name it with --target)",
                     heft_table_label(table), heft_show(own, sizeof own, name, strlen(name), 100),
                     heft_show(other, sizeof other, from->target, strlen(from->target), 100));
}

heft_status heft_prep_like(heft_ctx *ctx, const heft_prep *from, const heft_table *table,
                           heft_arena *arena, heft_prep *out)
{
    heft_status st = HEFT_OK;
    *out = (heft_prep){0};
    HEFT_TRY(check_target(ctx, from, table));
    HEFT_TRY(outline(ctx, from, arena, out));
    HEFT_TRY(heft_dict_union(ctx, (heft_dict *const[]){from->classes, table->target->dict}, 2,
                             &out->classes));
    HEFT_TRY(heft_check_classes(ctx, heft_table_label(table), heft_dict_size(out->classes)));
    for (size_t j = 0; j < from->n_attr; j++)
        if (from->attr[j].dict)
            HEFT_TRY(take_values(ctx, &from->attr[j], column_of(table, from->attr[j].name, j),
                                 &out->attr[j]));
done:
    if (st != HEFT_OK) heft_prep_clear(out);
    return st;
}
