/* registry.c - the methods, as methods.def lists them. */
#include "methods/registry.h"

#include <stdio.h>
#include <string.h>

#define HEFT_METHOD(name) extern const heft_method heft_method_##name;
#include "methods/methods.def"
#undef HEFT_METHOD

static const heft_method *const methods[] = {
#define HEFT_METHOD(name) &heft_method_##name,
#include "methods/methods.def"
#undef HEFT_METHOD
};

size_t heft_methods_count(void)
{
    return sizeof methods / sizeof *methods;
}

const heft_method *heft_methods_at(size_t i)
{
    return i < heft_methods_count() ? methods[i] : NULL;
}

/* Whether `name` is one of the comma-separated words of `list`. */
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && *at;) {
        const size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, name, length) == 0) return true;
        at += word + (at[word] == ',');
    }
    return false;
}

const heft_method *heft_methods_find(const char *name)
{
    for (size_t i = 0; i < heft_methods_count(); i++)
        if (strcmp(methods[i]->name, name) == 0 || listed(methods[i]->alias, name))
            return methods[i];
    return NULL;
}

void heft_methods_list(bool (*which)(const heft_method *method), char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t k = 0; k < heft_methods_count() && used < size; k++)
        if (!which || which(methods[k]))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     methods[k]->name);
}

heft_status heft_method_of(heft_ctx *ctx, const char *name, const heft_method **out)
{
    char known[400];
    *out = heft_methods_find(name ? name : HEFT_DEFAULT_METHOD);
    if (*out) return HEFT_OK;
    heft_methods_list(NULL, known, sizeof known);
    return heft_fail(ctx, HEFT_EINVAL, "unknown method '%.60s' (the methods are %s)", name, known);
}
