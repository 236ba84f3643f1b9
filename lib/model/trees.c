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

/* The split after those of n leaves from `at` on, or SIZE_MAX where they do not form a tree. */
static size_t splits_end(const heft_trees *trees, size_t at, size_t n)
{
    if (n == 1) return at;
    if (at >= trees->n_splits) return SIZE_MAX;
    const size_t left = trees->split[at].left;
    if (left == 0 || left >= n) return SIZE_MAX;
    at = splits_end(trees, at + 1, left);
    return at == SIZE_MAX ? at : splits_end(trees, at, n - left);
}

bool heft_trees_sound(const heft_trees *trees)
{
    size_t split = 0, leaf = 0;
    for (size_t t = 0; t < trees->n_trees; t++) {
        const size_t n = trees->tree[t].n_leaves;
        if (n == 0 || n > HEFT_MOST_LEAVES) return false;
        if (splits_end(trees, split, n) != split + n - 1) return false;
        split += n - 1;
        leaf += n;
    }
    return split == trees->n_splits && leaf == trees->n_leaves;
}

bool heft_trees_index(heft_trees *trees)
{
    size_t split = 0, leaf = 0;
    if (!heft_trees_sound(trees)) return false;
    for (size_t t = 0; t < trees->n_trees; t++) {
        heft_tree *tree = &trees->tree[t];
        tree->split = split;
        tree->leaf = leaf;
        (void)heft_tree_index(trees, t);
        split += tree->n_leaves - 1u;
        leaf += tree->n_leaves;
    }
    return true;
}

/* ---- leaves of rows ----
 *
 * Rows in chunks of 64, whose masks stay in registers or in the nearest cache while the loop runs
 * over the splits of a tree. */

enum { CHUNK = 64 };

/* Codes up to `at` change nothing, codes above it take away the leaves to the left. Compared in the
 * width of the codes, and widened after it. */
#define THRESHOLD(type, whole)                                                                     \
    do {                                                                                           \
        const type *code = (const type *)from->codes + lo;                                         \
        const type  at = (type)s->at;                                                              \
        whole       stays[CHUNK];                                                                  \
        for (size_t i = 0; i < n; i++) stays[i] = (whole) - (code[i] <= at);                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint32_t all = (uint32_t)(int32_t)stays[i];                                      \
            mask[i] &= keep | all;                                                                 \
        }                                                                                          \
    } while (0)

/* Listed codes, all below 32, change nothing. */
#define FEW_LISTED(type)                                                                           \
    do {                                                                                           \
        const type *code = (const type *)from->codes + lo;                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint32_t v = code[i];                                                            \
            mask[i] &= (v < 32) & (set >> (v & 31)) ? UINT32_MAX : keep;                           \
        }                                                                                          \
    } while (0)

HEFT_INLINE void threshold(const heft_tree_split *s, const heft_tree_codes *from, size_t lo,
                           size_t n, uint32_t *restrict mask)
{
    const uint32_t keep = s->keep;
    if (from->width == 1) THRESHOLD(uint8_t, int8_t);
    else if (from->width == 2) THRESHOLD(uint16_t, int16_t);
    else THRESHOLD(uint32_t, int32_t);
}

HEFT_INLINE void few_listed(const heft_tree_split *s, uint32_t set, const heft_tree_codes *from,
                            size_t lo, size_t n, uint32_t *restrict mask)
{
    const uint32_t keep = s->keep;
    if (from->width == 1) FEW_LISTED(uint8_t);
    else if (from->width == 2) FEW_LISTED(uint16_t);
    else FEW_LISTED(uint32_t);
}

/* Any list: it increases. */
static void many_listed(const heft_tree_split *s, const uint32_t *list, const heft_tree_codes *from,
                        size_t lo, size_t n, uint32_t *mask)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = heft_code_at(from->codes, from->width, lo + i);
        size_t         at = 0;
        for (size_t left = s->n_listed; left > 1;) { /* without branches */
            const size_t half = left / 2;
            at += list[at + half] <= code ? half : 0;
            left -= half;
        }
        mask[i] &= list[at] == code ? UINT32_MAX : s->keep;
    }
}

HEFT_INLINE void chunk_masks(const heft_trees *trees, const heft_tree *tree,
                             const heft_tree_codes *column, size_t lo, size_t n,
                             uint32_t *restrict mask)
{
    for (size_t i = 0; i < n; i++) mask[i] = UINT32_MAX;
    for (size_t k = tree->split; k + 1 < tree->split + tree->n_leaves; k++) {
        const heft_tree_split *s = &trees->split[k];
        const heft_tree_codes *from = &column[s->attr];
        const uint32_t        *list = trees->listed + s->at;
        if (s->n_listed == 0) {
            threshold(s, from, lo, n, mask);
        } else if (list[s->n_listed - 1] < 32) {
            uint32_t set = 0;
            for (size_t l = 0; l < s->n_listed; l++) set |= (uint32_t)1 << list[l];
            few_listed(s, set, from, lo, n, mask);
        } else {
            many_listed(s, list, from, lo, n, mask);
        }
    }
}

HEFT_WIDE static void all_masks(const heft_trees *trees, const heft_tree *tree,
                                const heft_tree_codes *column, size_t lo, size_t n, uint32_t *mask)
{
    for (; n >= CHUNK; n -= CHUNK, lo += CHUNK, mask += CHUNK)
        chunk_masks(trees, tree, column, lo, CHUNK, mask);
    if (n) chunk_masks(trees, tree, column, lo, n, mask);
}

void heft_tree_masks(const heft_trees *trees, size_t t, const heft_tree_codes *column, size_t lo,
                     size_t n, uint32_t *mask)
{
    all_masks(trees, &trees->tree[t], column, lo, n, mask);
}
