/* references.c - the marks [key] in the sources of methods. */
#include "methods/references.h"

#include <string.h>

/* The reference of the mark that begins at `at`, or NULL if the table has no such key. */
static const heft_reference *marked(const char *at)
{
    if (*at != '[') return NULL;
    const size_t length = strcspn(at + 1, "]");
    for (const heft_reference *r = heft_references; r->key; r++)
        if (strlen(r->key) == length && strncmp(r->key, at + 1, length) == 0) return r;
    return NULL;
}

static size_t add(char *out, size_t size, size_t used, const char *text, size_t length)
{
    const size_t room = size - 1 - used, n = length < room ? length : room;
    memcpy(out + used, text, n);
    out[used + n] = 0;
    return used + n;
}

void heft_source_text(const heft_method *method, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (const char *at = method->source; *at;) {
        const heft_reference *r = marked(at);
        used = add(out, size, used, r ? r->brief : at, r ? strlen(r->brief) : 1);
        at += r ? strlen(r->key) + 2 : 1;
    }
}

void heft_source_references(const heft_method *method, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (const char *at = method->source; *at; at++) {
        const heft_reference *r = marked(at);
        if (!r) continue;
        if (used) used = add(out, size, used, "\n", 1);
        used = add(out, size, used, r->whole, strlen(r->whole));
    }
}
