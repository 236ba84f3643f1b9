/* pooled_values.c - the effects of joint values of two attributes as tables of pairs.
 *
 * Several boosted sets may have effects of the same pair, for different cells. They are added up
 * before they are pooled, so that the table of the pair has the cells of all. */
#include "base/sort.h"
#include "methods/auto/pooled.h"

typedef struct joint { /* a pair of one set, in the codes of the coding */
    const heft_value_pair *pair;
    const double          *effect; /* n_cells x n_columns */
    size_t                 n_columns;
    double                 weight;
    heft_pair              at; /* i < j */
} joint;

/* Lists the pairs of all sets. Returns how many there are; list may be NULL. */
static size_t list_joints(const heft_boosted_sets *sets, joint *list)
{
    size_t n = 0;
    for (const heft_boosted *b = sets->set; b < sets->set + sets->n; b++) {
        const heft_value_effects *e = &b->effects;
        const double             *table = heft_value_effects_of(e, b->trees.n_trees);
        for (size_t k = 0; k < e->n_pairs; k++) {
            const uint32_t *attr = e->pair[k].attr;
            const bool      turned = attr[0] > attr[1];
            if (list && table)
                list[n] = (joint){&e->pair[k],
                                  table + e->first[e->n_attr + k] * e->n_columns,
                                  e->n_columns,
                                  b->weight,
                                  {attr[turned], attr[!turned]}};
            n += table != NULL;
        }
    }
    return n;
}

size_t heft_pooled_value_pairs(const heft_boosted_sets *sets)
{
    return list_joints(sets, NULL);
}

/* The number of a cell in the codes of the coding. */
static uint64_t cell_of(const heft_coding *coding, const heft_rows *rows, const joint *of, size_t k)
{
    const heft_lines *a = &coding->attr[of->at.i], *b = &coding->attr[of->at.j];
    const uint32_t    q = rows->attr[of->pair->attr[1]].n_codes;
    uint64_t          v = of->pair->key[k] / q, w = of->pair->key[k] % q;
    if (of->pair->attr[0] != of->at.i) {
        const uint64_t first = v;
        v = w;
        w = first;
    }
    return (uint64_t)a->code[HEFT_AT_5][v] * b->n_codes[HEFT_AT_5] + b->code[HEFT_AT_5][w];
}

static bool is_same(const joint *a, const joint *b)
{
    return a->at.i == b->at.i && a->at.j == b->at.j;
}

/* Adds factor times the effects of the first of n joints, and of all others of the same pair. */
static heft_status add_joint(heft_ctx *ctx, heft_pooled *pooled, const heft_boosted_sets *sets,
                             const joint *list, size_t n, double factor, heft_arena *arena)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    const size_t K = pooled->n_class;
    size_t       n_cells = 0, at = 0;
    heft_ranked *cell, *spare;
    heft_join    join = {0};
    double      *table;
    for (size_t k = 0; k < n; k++)
        if (is_same(&list[k], list)) n_cells += list[k].pair->n_cells;
    HEFT_ALLOCS(ctx, &ctx->scratch, n_cells, cell, spare, join.key);
    HEFT_ALLOC(ctx, &ctx->scratch, table, n_cells * K);
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < (is_same(&list[k], list) ? list[k].pair->n_cells : 0); c++)
            cell[at++] = (heft_ranked){cell_of(sets->coding, sets->rows, &list[k], c), 0};
    heft_order_sort(cell, spare, n_cells);
    for (size_t k = 0; k < n_cells; k++)
        if (k == 0 || cell[k].key != cell[k - 1].key) join.key[join.n_seen++] = cell[k].key;
    for (const joint *of = list; of < list + n; of++) {
        if (!is_same(of, list)) continue;
        for (size_t c = 0; c < of->pair->n_cells; c++) {
            const double *v = of->effect + c * of->n_columns;
            double       *to = table + K * heft_key_find(join.key, join.n_seen,
                                                         cell_of(sets->coding, sets->rows, of, c));
            heft_line_add(to, K > 2 ? v : (const double[]){-*v / 2, *v / 2}, of->weight, K);
        }
    }
    const heft_pair_evidence evidence = {list->at, HEFT_AT_5, &join, table};
    for (size_t t = 0; t < sets->turns->n; t++) {
        pooled->turn = sets->turns->n > 1 ? &sets->turns->of[t] : NULL;
        HEFT_CHECK(heft_pooled_pair_add(ctx, pooled, sets->coding, &evidence,
                                        factor / (double)sets->turns->n, arena));
    }
    return HEFT_OK;
}

heft_status heft_pooled_value_pairs_add(heft_ctx *ctx, heft_pooled *pooled,
                                        const heft_boosted_sets *sets, double factor,
                                        heft_arena *arena)
{
    const size_t n = list_joints(sets, NULL);
    joint       *list;
    HEFT_ALLOC(ctx, &ctx->scratch, list, n);
    list_joints(sets, list);
    for (size_t k = 0; k < n; k++) {
        bool first = true;
        for (size_t m = 0; m < k; m++) first = first && !is_same(&list[m], &list[k]);
        if (first) HEFT_CHECK(add_joint(ctx, pooled, sets, list + k, n - k, factor, arena));
    }
    return HEFT_OK;
}
