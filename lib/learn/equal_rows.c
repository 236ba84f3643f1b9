/* equal_rows.c - rows of the same codes and the same class become one row that weighs as much. */
#include "learn/objective.h"

#include <math.h>
#include <string.h>

typedef struct merger {
    uint64_t *key;  /* n */
    uint32_t *slot; /* n_slot: 1 + merged row */
    size_t    n_slot;
    uint32_t *first; /* the row each merged row was made from */
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

/* The merged row of row i, a new one (number *n) when there is none like it yet. */
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

/* Merged rows in the order of their first row; their number is returned, 0 when it is not worth
 * it. into[i] gets the merged row of row i. Many rows of many values are rarely equal: equal ones
 * are counted among runs of rows from all over the data first. d equal rows among s of n suggest a
 * share of about d/s * n/s in all. */
static size_t find_equal(const heft_evidence *ev, merger *m, uint32_t *into)
{
    enum { RUNS = 64, RUN = 64 };
    const size_t s = RUNS * RUN, enough = ev->n_rows - ev->n_rows / 4;
    const bool   many = ev->n_rows >= 4 * s;
    merger       sample = *m;
    size_t       n = 0;
    sample.n_slot = 4 * s;
    for (size_t k = 0; k < RUNS && many; k++) {
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
    heft_status st = HEFT_OK;
    merger      m = {.n_slot = 64};
    uint32_t   *into = NULL;
    double     *weight = NULL;
    bool        whole = true; /* only whole numbers times a rounded residual are exact */
    if (ev->weight)
        for (size_t i = 0; i < ev->n_rows && whole; i++)
            whole = ev->weight[i] == rint(ev->weight[i]) && ev->weight[i] <= 0x1p40;
    if (ev->n_dense > 0 || ev->n_rows < 8 || ev->n_rows >= UINT32_MAX / 4 || !whole) return HEFT_OK;
    while (m.n_slot < 2 * ev->n_rows) m.n_slot *= 2;
    HEFT_HEAP(ctx, m.key, ev->n_rows);
    HEFT_HEAP(ctx, m.slot, m.n_slot);
    HEFT_HEAP(ctx, m.first, ev->n_rows);
    HEFT_HEAP(ctx, into, ev->n_rows);
    const size_t n = find_equal(ev, &m, into);
    if (n > 0) {
        HEFT_ARENA(ctx, arena, weight, n);
        for (size_t i = 0; i < ev->n_rows; i++) weight[into[i]] += ev->weight ? ev->weight[i] : 1;
        /* keep the first row of each kind, in place: a row never moves up */
        for (size_t k = 0; k < n; k++) y[k] = y[m.first[k]];
        for (heft_group *g = ev->group; g < ev->group + ev->n_group; g++)
            for (size_t k = 0; k < n; k++)
                heft_code_put(g->code, g->width, k, heft_code_at(g->code, g->width, m.first[k]));
        ev->weight = weight;
        ev->row = NULL;
        ev->n_rows = n;
    }
done:
    heft_free(m.key), heft_free(m.slot), heft_free(m.first), heft_free(into);
    return st;
}
