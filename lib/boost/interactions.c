/* interactions.c - sets of two and three attributes, in tables and in lists. */
#include "boost/interactions.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

/* ---- a table of interactions ---- */

static int by_attributes(const void *pa, const void *pb)
{
    const heft_interaction *a = pa, *b = pb;
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (size_t k = 0; k < a->n; k++)
        if (a->attr[k] != b->attr[k]) return a->attr[k] < b->attr[k] ? -1 : 1;
    return 0;
}

uint32_t *heft_set_place(const heft_set_table *s, const heft_interaction *of)
{
    uint64_t h = of->n;
    for (size_t k = 0; k < of->n; k++) h = (h ^ of->attr[k]) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t at = (size_t)(h >> 20);; at++) {
        uint32_t *place = &s->at[at & (2 * s->room - 1)];
        if (!*place || by_attributes(&s->list[*place - 1], of) == 0) return place;
    }
}

/* Room for as many again, or for the first. */
static heft_status grow(heft_set_table *s)
{
    const heft_interaction *old = s->list;
    s->room = s->room ? 2 * s->room : FIRST_ROOM;
    HEFT_ALLOC(s->ctx, &s->ctx->scratch, s->list, s->room);
    HEFT_ALLOC(s->ctx, &s->ctx->scratch, s->at, 2 * s->room);
    if (s->n) memcpy(s->list, old, s->n * sizeof *old);
    for (uint32_t k = 0; k < s->n; k++) *heft_set_place(s, &s->list[k]) = k + 1;
    return HEFT_OK;
}

heft_status heft_set_add(heft_set_table *sets, const heft_interaction *set)
{
    if (sets->n == sets->room) HEFT_CHECK(grow(sets));
    uint32_t *place = heft_set_place(sets, set);
    if (*place) {
        sets->list[*place - 1].size += set->size;
        return HEFT_OK;
    }
    sets->list[sets->n++] = *set;
    *place = (uint32_t)sets->n;
    return HEFT_OK;
}

/* ---- lists ---- */

void heft_interactions_sort(heft_interaction *list, size_t n)
{
    if (n) qsort(list, n, sizeof *list, by_attributes);
}

size_t heft_interaction_at(const heft_interaction *list, size_t n_list, const uint32_t *attr,
                           size_t n)
{
    heft_interaction wanted = {.n = n};
    for (size_t k = 0; k < n; k++) wanted.attr[k] = attr[k];
    const heft_interaction *found =
        n_list ? bsearch(&wanted, list, n_list, sizeof *list, by_attributes) : NULL;
    return found ? (size_t)(found - list) : SIZE_MAX;
}
