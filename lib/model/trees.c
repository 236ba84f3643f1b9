/* trees.c - trees over coded attributes, each with up to 32 leaves. */
#include "model/trees.h"

#include <string.h>

#include "base/wide.h"

/* ---- structure ---- */

/* Splits from `at` on, in pre-order, for leaves lo .. lo + n - 1. Returns the split after the last
 * one, or SIZE_MAX where the splits do not form a tree. Depth: at most 31. */
static size_t index_from(heft_trees *trees, size_t at, size_t lo, size_t n)
{
    if (n == 1) return at;
    if (at >= trees->n_splits) return SIZE_MAX;
    heft_tree_split *s = &trees->split[at];
    if (s->left == 0 || s->left >= n) return SIZE_MAX;
    s->keep = ~((((uint32_t)1 << s->left) - 1) << lo);
    at = index_from(trees, at + 1, lo, s->left);
    return at == SIZE_MAX ? at : index_from(trees, at, lo + s->left, n - s->left);
}

bool heft_tree_index(heft_trees *trees, size_t t)
{
    const heft_tree *tree = &trees->tree[t];
    if (tree->n_leaves == 0 || tree->n_leaves > HEFT_MOST_LEAVES) return false;
    return index_from(trees, tree->split, 0, tree->n_leaves) == tree->split + tree->n_leaves - 1;
}

bool heft_trees_index(heft_trees *trees)
{
    size_t split = 0, leaf = 0;
    for (size_t t = 0; t < trees->n_trees; t++) {
        heft_tree *tree = &trees->tree[t];
        tree->split = split;
        tree->leaf = leaf;
        if (!heft_tree_index(trees, t)) return false;
        split += tree->n_leaves - 1u;
        leaf += tree->n_leaves;
    }
    return split == trees->n_splits && leaf == trees->n_leaves;
}

/* ---- leaves of rows ---- */

/* Codes up to `at` change nothing, codes above it take away the leaves to the left. */
HEFT_WIDE static void threshold_u8(const uint8_t *code, uint8_t at, uint32_t keep, size_t n,
                                   uint32_t *mask)
{
    for (size_t i = 0; i < n; i++) mask[i] &= code[i] <= at ? UINT32_MAX : keep;
}

HEFT_WIDE static void threshold_u16(const uint16_t *code, uint16_t at, uint32_t keep, size_t n,
                                    uint32_t *mask)
{
    for (size_t i = 0; i < n; i++) mask[i] &= code[i] <= at ? UINT32_MAX : keep;
}

static void threshold_u32(const uint32_t *code, uint32_t at, uint32_t keep, size_t n,
                          uint32_t *mask)
{
    for (size_t i = 0; i < n; i++) mask[i] &= code[i] <= at ? UINT32_MAX : keep;
}

/* A listed code changes nothing. All listed codes are below 32. */
HEFT_WIDE static void few_listed(const uint8_t *code, uint32_t set, uint32_t keep, size_t n,
                                 uint32_t *mask)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = code[i], in = v < 32 ? set >> (v & 31) & 1 : 0;
        mask[i] &= in ? UINT32_MAX : keep;
    }
}

static void listed(const uint32_t *list, size_t n_list, const heft_tree_codes *column, size_t lo,
                   size_t n, uint32_t keep, uint32_t *mask)
{
    uint32_t       by_code[256];
    const uint8_t *bytes = column->codes;
    if (column->width == 1 && list[n_list - 1] < 32) {
        uint32_t set = 0;
        for (size_t k = 0; k < n_list; k++) set |= (uint32_t)1 << list[k];
        few_listed(bytes + lo, set, keep, n, mask);
        return;
    }
    for (size_t v = 0; v < 256; v++) by_code[v] = keep;
    for (size_t k = 0; k < n_list; k++)
        if (list[k] < 256) by_code[list[k]] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = heft_code_at(column->codes, column->width, lo + i);
        bool           in = code < 256 && by_code[code] == UINT32_MAX;
        for (size_t k = 0; code >= 256 && !in && k < n_list; k++) in = list[k] == code;
        if (!in) mask[i] &= keep;
    }
}

void heft_tree_masks(const heft_trees *trees, size_t t, const heft_tree_codes *column, size_t lo,
                     size_t n, uint32_t *mask)
{
    const heft_tree *tree = &trees->tree[t];
    memset(mask, 0xff, n * sizeof *mask);
    for (size_t k = tree->split; k + 1 < tree->split + tree->n_leaves; k++) {
        const heft_tree_split *s = &trees->split[k];
        const heft_tree_codes *from = &column[s->attr];
        if (s->n_listed) listed(trees->listed + s->at, s->n_listed, from, lo, n, s->keep, mask);
        else if (from->width == 1)
            threshold_u8((const uint8_t *)from->codes + lo, (uint8_t)s->at, s->keep, n, mask);
        else if (from->width == 2)
            threshold_u16((const uint16_t *)from->codes + lo, (uint16_t)s->at, s->keep, n, mask);
        else threshold_u32((const uint32_t *)from->codes + lo, s->at, s->keep, n, mask);
    }
}
