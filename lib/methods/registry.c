/* registry.c - the methods, as methods.def lists them. */
#include "methods/registry.h"

#include <string.h>

#include "base/text.h"

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

/* `name` is one of the comma-separated words of `list`. */
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
