/* graph_counts.h - whole numbers of the rules of a graph (graph.h), by their number: what C, JSON
 * and the page write as lists. */
#pragma once

#include "export/graph.h"

typedef size_t heft_rule_count(const void *from, size_t k);

/* A function of a list or an array of rules, x, and a number k. */
#define HEFT_COUNT(name, type, value)                                                              \
    static inline size_t heft_count_##name(const void *from, size_t k)                             \
    {                                                                                              \
        const type *x = from;                                                                      \
        return value;                                                                              \
    }
HEFT_COUNT(list, size_t, x[k])
HEFT_COUNT(cut_from, heft_cut_rule, x[k].from)
HEFT_COUNT(cut_size, heft_cut_rule, x[k].n_cuts)
HEFT_COUNT(lookup_from, heft_lookup_rule, x[k].from)
HEFT_COUNT(lookup_size, heft_lookup_rule, x[k].n_lines)
HEFT_COUNT(kernel_size, heft_kernel_rule, x[k].n)
HEFT_COUNT(leaves, heft_leaf_rule, x->n_leaves[k])
HEFT_COUNT(split_from, heft_leaf_rule, x->split[k].from)
HEFT_COUNT(split_below, heft_leaf_rule, x->split[k].below)
HEFT_COUNT(split_also, heft_leaf_rule, (uint32_t)(x->split[k].also + 1)) /* 0: none */
HEFT_COUNT(split_left, heft_leaf_rule, x->split[k].left)
HEFT_COUNT(split_listed, heft_leaf_rule, x->split[k].n_listed)
HEFT_COUNT(cell_from, heft_cell_rule, x[k / 2].from[k % 2])
HEFT_COUNT(cell_times, heft_cell_rule, x[k].times)
HEFT_COUNT(cell_size, heft_cell_rule, x[k].key ? x[k].n_cells + 1 : 0) /* 0: no keys */
HEFT_COUNT(key, uint64_t, x[k])
#undef HEFT_COUNT

/* Whether missing numbers of a NUMBERS node are filled in. */
static inline bool heft_fills(const heft_graph_node *node)
{
    for (size_t i = 0; i < node->rows; i++)
        if (node->numbers[i] == node->numbers[i]) return true;
    return false;
}
