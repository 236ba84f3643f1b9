/* choose.c - the combinations of parameters with alternatives. */
#include "train/choose.h"

#include <string.h>

#include "base/put.h"

/* Returns the number of alternatives that are given for a parameter of the method. */
static size_t n_values(const heft_method *method, const char *param)
{
    const size_t       length = strcspn(param, "=");
    const heft_option *o = method->options;
    size_t             n = 1;
    while (o && o->name && (strlen(o->name) != length || memcmp(o->name, param, length) != 0)) o++;
    if (!o || !o->name || o->text) return 1;
    for (const char *s = param; *s; s++) n += *s == '|';
    return n;
}

/* Whether no later value of the same parameter replaces this one. */
static bool counts(const char *const *param)
{
    const size_t length = strcspn(*param, "=") + 1;
    for (const char *const *later = param + 1; *later; later++)
        if (strncmp(*later, *param, length) == 0) return false;
    return true;
}

/* Make the text of alternative k: for "kappa=5|10|20" and k = 1, this is "kappa=10". */
static heft_status take_value(heft_ctx *ctx, heft_arena *arena, const char *param, size_t k,
                              const char **out)
{
    const char  *value = param + strcspn(param, "=");
    const size_t name = (size_t)(value - param) + (*value == '=');
    char        *copy;
    value = param + name;
    for (; k; k--) value += strcspn(value, "|") + 1;
    const size_t length = strcspn(value, "|");
    HEFT_ALLOC(ctx, arena, copy, name + length + 1);
    memcpy(copy, param, name);
    memcpy(copy + name, value, length);
    *out = copy;
    return HEFT_OK;
}

/* Make combination k. Parameters with one value are the same in all combinations. */
static heft_status combine(heft_ctx *ctx, const heft_method *method, const char *const *params,
                           heft_arena *arena, size_t k, heft_choices *out)
{
    HEFT_LOCAL(heft_buf) label = {0};
    const char         **list;
    size_t               n = 0, left = out->n;
    char                *text;
    while (params[n]) n++;
    HEFT_ALLOC(ctx, arena, list, n + 1);
    for (size_t p = 0; p < n; p++) {
        const size_t given = n_values(method, params[p]), each = counts(params + p) ? given : 1;
        list[p] = params[p];
        left /= each;
        if (given > 1)
            HEFT_CHECK(take_value(ctx, arena, params[p], each > 1 ? k / left % each : 0, &list[p]));
        if (each > 1) heft_put(&label, "%s%s", label.length ? " " : "", list[p]);
    }
    HEFT_CHECK(heft_arena_copy(ctx, arena, heft_buf_string(&label), &text));
    out->params[k] = (const char *const *)list;
    out->label[k] = text;
    return HEFT_OK;
}

heft_status heft_choices_of(heft_ctx *ctx, const heft_method *method, const char *const *params,
                            heft_arena *arena, heft_choices *out)
{
    size_t n = 1;
    bool   any = false;
    *out = (heft_choices){0};
    for (const char *const *p = params; p && *p; p++) {
        const size_t given = n_values(method, *p);
        any |= given > 1;
        if (counts(p) && given <= HEFT_MOST_CHOICES) n *= given;
        if (n > HEFT_MOST_CHOICES || given > HEFT_MOST_CHOICES)
            return heft_fail(ctx, HEFT_EINVAL,
                             "method %s: the alternatives of its parameters have more than %d "
                             "combinations (give fewer)",
                             method->name, HEFT_MOST_CHOICES);
    }
    if (!any) return HEFT_OK;
    out->n = n;
    HEFT_ALLOCS(ctx, arena, n, out->params, out->label);
    for (size_t k = 0; k < n; k++) HEFT_CHECK(combine(ctx, method, params, arena, k, out));
    return HEFT_OK;
}

heft_status heft_choices_first(heft_ctx *ctx, const heft_method *method, const char *const *params,
                               heft_arena *arena, heft_choices *out, const char *const **first)
{
    HEFT_CHECK(heft_choices_of(ctx, method, params, arena, out));
    *first = out->n ? out->params[0] : params;
    return HEFT_OK;
}
