/* coded_rows.h - prepared rows made by hand: random codes, or given ones. */
#ifndef HEFT_TESTS_CODED_H
#define HEFT_TESTS_CODED_H

#include "check.h"

#include "base/rng.h"
#include "prep/prep.h"

typedef struct coded {
    heft_rows       rows;
    heft_attr      *attr;
    uint16_t       *y;
    heft_prep       prep; /* names, for messages */
    heft_attr_prep *names;
} coded;

static inline coded coded_new(size_t n, size_t m, size_t n_class, const uint32_t *n_codes)
{
    coded s = {.attr = calloc(m + 1, sizeof(heft_attr)),
               .y = calloc(n + 1, sizeof(uint16_t)),
               .names = calloc(m + 1, sizeof(heft_attr_prep))};
    for (size_t j = 0; j < m; j++) {
        const unsigned width = heft_code_width(n_codes[j]);
        s.attr[j] = (heft_attr){true, n_codes[j], width, calloc(n + 1, width), NULL};
        s.names[j].name = (char *)(uintptr_t) "some column";
    }
    s.rows = (heft_rows){.n_rows = n, .n_attr = m, .n_class = n_class, .attr = s.attr, .y = s.y};
    s.prep = (heft_prep){.n_attr = m, .attr = s.names};
    return s;
}

static inline void coded_put(coded *s, size_t i, size_t j, uint32_t v)
{
    heft_code_put((void *)(uintptr_t)s->attr[j].codes, s->attr[j].width, i, v);
}

static inline uint32_t coded_at(const heft_rows *rows, size_t i, size_t j)
{
    return heft_code_at(rows->attr[j].codes, rows->attr[j].width, i);
}

/* Every class but the last of three or more has rows; values lean towards the class, so that some
 * rows are near. */
static inline void coded_fill(coded *s, uint64_t seed, bool missing)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < s->rows.n_rows; i++) {
        const size_t used = s->rows.n_class > 2 ? s->rows.n_class - 1 : s->rows.n_class;
        s->y[i] = (uint16_t)heft_rng_below(&rng, used);
        for (size_t j = 0; j < s->rows.n_attr; j++) {
            const uint32_t q = s->attr[j].n_codes;
            uint32_t       v = (uint32_t)heft_rng_below(&rng, q);
            if (heft_rng_below(&rng, 2)) v = (s->y[i] + (uint32_t)j) % q;
            if (missing && heft_rng_below(&rng, 20) == 0) v = q + (uint32_t)heft_rng_below(&rng, 2);
            coded_put(s, i, j, v);
        }
    }
}

static inline void coded_free(coded *s)
{
    for (size_t j = 0; j < s->rows.n_attr; j++) free((void *)(uintptr_t)s->attr[j].codes);
    free(s->attr), free(s->y), free(s->names);
}

#endif
