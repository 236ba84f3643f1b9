/* array.c - arrays on the heap that grow as elements are added. */
#include "base/array.h"

void *heft_grown(heft_ctx *ctx, void *items, size_t *capacity, size_t need, size_t estimate,
                 size_t size)
{
    if (items && need <= *capacity) return items;
    size_t want = items ? *capacity + *capacity / 2 : estimate;
    if (want < need) want = need;
    void *more = heft_resize(items, want, size);
    if (more) *capacity = want;
    else (void)heft_no_memory(ctx, want, size);
    return more;
}
