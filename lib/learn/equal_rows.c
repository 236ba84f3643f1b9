/* equal_rows.c - merges rows with the same codes and the same class into one row with the sum of
 * their weights, so that an evaluation of the objective visits fewer rows. */
#include "learn/objective.h"

#include <math.h>
#include <string.h>

typedef struct merger {
    uint64_t *key;  /* hash of each row */
    uint32_t *slot; /* hash table of n_slot entries: 1 + index of the merged row; 0 if free */
    size_t    n_slot;
    uint32_t *first; /* first original row of each merged row */
} merger;

static void hash_rows(const heft_evidence *ev, size_t lo, size_t hi, uint64_t *key)
{
    for (size_t i = lo; i < hi; i++) key[i] = ev->y[i];
    for (size_t g = 0; g < ev->n_group; g++) {
        const heft_group *group = &ev->group[g];
        for (size_t i = lo; i < hi; i++) {
            const uint64_t k = key[i] ^ heft_code_at(group->code, group->width, i);
            key[i] = k * UINT64_C(0x9e3779b97f4a7c15);
            key[i] ^= key[i] >> 29;
        }
    }
}

static bool same_row(const heft_evidence *ev, size_t i, size_t k)
{
    if (ev->y[i] != ev->y[k]) return false;
    bool same = true;
    for (const heft_group *g = ev->group; g < ev->group + ev->n_group && same; g++)
        same = heft_code_at(g->code, g->width, i) == heft_code_at(g->code, g->width, k);
    return same;
}

/* Index of the merged row of row i. If no earlier row is equal to row i, a new merged row is added
 * and *n counts it. */
static uint32_t merged_row(const heft_evidence *ev, merger *m, size_t i, size_t *n)
{
    size_t at = (size_t)(m->key[i] >> 20) & (m->n_slot - 1);
    while (m->slot[at] && (m->key[m->first[m->slot[at] - 1]] != m->key[i] ||
                           !same_row(ev, i, m->first[m->slot[at] - 1])))
        at = (at + 1) & (m->n_slot - 1);
    if (!m->slot[at]) {
        m->first[*n] = (uint32_t)i;
        m->slot[at] = (uint32_t)++ * n;
    }
    return m->slot[at] - 1;
}

/* Finds the merged rows, in the order of their first rows, and sets into[i] to the merged row of
 * row i. Returns their number, or 0 if merging would save less than a quarter of the rows. Large
 * data are sampled first, because rows with many values are rarely equal: if d of s sampled rows
 * are equal to others, about d/s * n/s of all n rows are. */
static size_t find_equal(const heft_evidence *ev, merger *m, uint32_t *into)
{
    enum { RUNS = 64, RUN = 64 };
    const size_t s = RUNS * RUN, enough = ev->n_rows - ev->n_rows / 4;
    const bool   many = ev->n_rows >= 4 * s;
    merger       sample = *m;
    size_t       n = 0;
    sample.n_slot = 4 * s;
    if (many)
        for (size_t k = 0; k < RUNS; k++) {
            const size_t lo = ev->n_rows / RUNS * k;
            hash_rows(ev, lo, lo + RUN, m->key);
            for (size_t i = lo; i < lo + RUN; i++) (void)merged_row(ev, &sample, i, &n);
        }
    if (many && !((double)(s - n) / (double)s * ((double)ev->n_rows / (double)s) > 0.1)) return 0;
    if (many) memset(m->slot, 0, sample.n_slot * sizeof *m->slot);
    n = 0;
    hash_rows(ev, 0, ev->n_rows, m->key);
    for (size_t i = 0; i < ev->n_rows && n < enough; i++) into[i] = merged_row(ev, m, i, &n);
    return n < enough ? n : 0;
}

heft_status heft_evidence_merge(heft_ctx *ctx, heft_arena *arena, uint16_t *y, heft_evidence *ev)
{
    merger               m = {.n_slot = 64};
    HEFT_FREED uint64_t *key = NULL;
    HEFT_FREED uint32_t *slot = NULL, *first = NULL, *into = NULL;
    double              *weight = NULL;
    bool whole = true; /* products of rounded residuals are exact for whole weights only */
    if (ev->weight)
        for (size_t i = 0; i < ev->n_rows && whole; i++)
            whole = ev->weight[i] == rint(ev->weight[i]) && ev->weight[i] <= 0x1p40;
    if (ev->n_dense > 0 || ev->n_rows < 8 || ev->n_rows >= UINT32_MAX / 4 || !whole) return HEFT_OK;
    while (m.n_slot < 2 * ev->n_rows) m.n_slot *= 2;
    HEFT_NEW(ctx, key, ev->n_rows);
    HEFT_NEW(ctx, slot, m.n_slot);
    HEFT_NEW(ctx, first, ev->n_rows);
    HEFT_NEW(ctx, into, ev->n_rows);
    m.key = key, m.slot = slot, m.first = first;
    const size_t n = find_equal(ev, &m, into);
    if (n == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, weight, n);
    for (size_t i = 0; i < ev->n_rows; i++) weight[into[i]] += ev->weight ? ev->weight[i] : 1;
    /* Move the first row of each set of equal rows to its new index, in place: first[k] >= k.
     */
    for (size_t k = 0; k < n; k++) y[k] = y[m.first[k]];
    for (heft_group *g = ev->group; g < ev->group + ev->n_group; g++)
        for (size_t k = 0; k < n; k++)
            heft_code_put(g->code, g->width, k, heft_code_at(g->code, g->width, m.first[k]));
    ev->weight = weight;
    ev->row = NULL;
    ev->n_rows = n;
    return HEFT_OK;
}
