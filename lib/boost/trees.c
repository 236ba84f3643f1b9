/* trees.c - trees over coded attributes, each with up to 32 leaves. */
#include "boost/trees.h"

#include <string.h>

#include "base/rows.h"
#include "base/wide.h"

/* ---- structure ---- */

/* The split after those of n leaves from `at` on, or SIZE_MAX where they do not form a tree. Depth:
 * at most 31. */
static size_t splits_end(const heft_trees *trees, size_t at, size_t n)
{
    if (n == 1) return at;
    if (at >= trees->n_splits) return SIZE_MAX;
    const size_t left = trees->split[at].left;
    if (left == 0 || left >= n) return SIZE_MAX;
    at = splits_end(trees, at + 1, left);
    return at == SIZE_MAX ? at : splits_end(trees, at, n - left);
}

bool heft_trees_valid(const heft_trees *trees)
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
    if (!heft_trees_valid(trees)) return false;
    for (size_t t = 0; t < trees->n_trees; t++) {
        heft_tree *tree = &trees->tree[t];
        tree->split = split;
        tree->leaf = leaf;
        split += tree->n_leaves - 1u;
        leaf += tree->n_leaves;
    }
    return true;
}

/* ---- leaves of rows ----
 *
 * The leaves of a chunk of rows below a split are those below its left side, with those below its
 * right side in place of them where a row goes right: a choice between two bytes for each row,
 * without branches. */

enum { CHUNK = 512, SET_WORDS = 1024 /* 64-bit words of a set */ };

typedef struct chunk {
    const heft_trees      *trees;
    const heft_tree_codes *column;
    size_t                 lo, n;
    uint64_t              *set; /* SET_WORDS, all 0 between two splits; NULL: there is none yet */
    uint64_t               words[SET_WORDS];
} chunk;

HEFT_INLINE uint8_t either(bool stays, uint8_t leaf, uint8_t right)
{
    return (uint8_t)(leaf ^ ((leaf ^ right) & (stays - 1)));
}

/* Codes up to `at` stay. A side that is one leaf has no leaves of rows. */
#define THRESHOLD(type, left_of, right_of)                                                         \
    do {                                                                                           \
        const type *code = (const type *)from->codes + c->lo;                                      \
        const type  at = (type)s->at;                                                              \
        for (size_t i = 0; i < n; i++) leaf[i] = either(code[i] <= at, left_of, right_of);         \
    } while (0)

/* Listed codes, all below 32, stay. */
#define FEW_LISTED(type)                                                                           \
    do {                                                                                           \
        const type *code = (const type *)from->codes + c->lo;                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint32_t v = code[i];                                                            \
            leaf[i] = either((v < 32) & (set >> (v & 31)), leaf[i], right[i]);                     \
        }                                                                                          \
    } while (0)

HEFT_WIDE_AVX2 static void by_bytes(const chunk *c, const heft_tree_split *s, size_t first,
                                    const uint8_t *restrict right, uint8_t *restrict leaf)
{
    const heft_tree_codes *from = &c->column[s->attr];
    const size_t           n = c->n;
    const uint8_t          l = (uint8_t)first, r = (uint8_t)(first + s->left);
    if (s->left == 1 && !right) THRESHOLD(uint8_t, l, r);
    else if (s->left == 1) THRESHOLD(uint8_t, l, right[i]);
    else if (!right) THRESHOLD(uint8_t, leaf[i], r);
    else THRESHOLD(uint8_t, leaf[i], right[i]);
}

HEFT_WIDE_AVX2 static void by_threshold(const chunk *c, const heft_tree_split *s,
                                        const uint8_t *restrict right, uint8_t *restrict leaf)
{
    const heft_tree_codes *from = &c->column[s->attr];
    const size_t           n = c->n;
    if (from->width == 2) THRESHOLD(uint16_t, leaf[i], right[i]);
    else THRESHOLD(uint32_t, leaf[i], right[i]);
}

HEFT_WIDE_AVX2 static void by_few_listed(const chunk *c, const heft_tree_split *s, uint32_t set,
                                         const uint8_t *restrict right, uint8_t *restrict leaf)
{
    const heft_tree_codes *from = &c->column[s->attr];
    const size_t           n = c->n;
    if (from->width == 1) FEW_LISTED(uint8_t);
    else if (from->width == 2) FEW_LISTED(uint16_t);
    else FEW_LISTED(uint32_t);
}

/* A list of any codes below 65536, as a set of bits. */
static void by_set(chunk *c, const heft_tree_split *s, const uint32_t *list, const uint8_t *right,
                   uint8_t *leaf)
{
    const heft_tree_codes *from = &c->column[s->attr];
    if (!c->set) c->set = memset(c->words, 0, sizeof c->words);
    for (size_t l = 0; l < s->n_listed; l++) c->set[list[l] / 64] |= (uint64_t)1 << list[l] % 64;
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t code = heft_code_at(from->codes, from->width, c->lo + i);
        leaf[i] = either(c->set[code / 64] >> code % 64 & 1, leaf[i], right[i]);
    }
    for (size_t l = 0; l < s->n_listed; l++) c->set[list[l] / 64] = 0;
}

/* Any list: it increases. */
static void by_listed(const chunk *c, const heft_tree_split *s, const uint32_t *list,
                      const uint8_t *right, uint8_t *leaf)
{
    const uint32_t *codes = c->column[s->attr].codes;
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t code = codes[c->lo + i];
        size_t         at = 0;
        for (size_t left = s->n_listed; left > 1;) { /* without branches */
            const size_t half = left / 2;
            at += list[at + half] <= code ? half : 0;
            left -= half;
        }
        leaf[i] = either(list[at] == code, leaf[i], right[i]);
    }
}

static void choose_side(chunk *c, const heft_tree_split *s, const uint8_t *right, uint8_t *leaf)
{
    const uint32_t *list = c->trees->listed + s->at;
    uint32_t        set = 0;
    if (s->n_listed == 0) {
        by_threshold(c, s, right, leaf);
    } else if (list[s->n_listed - 1] < 32) {
        for (size_t l = 0; l < s->n_listed; l++) set |= (uint32_t)1 << list[l];
        by_few_listed(c, s, set, right, leaf);
    } else if (c->column[s->attr].width < 4) {
        by_set(c, s, list, right, leaf);
    } else {
        by_listed(c, s, list, right, leaf);
    }
}

/* The leaves of the rows among first .. first + n - 1, whose splits begin at `at`; returns the
 * split after them. Depth: at most 31. */
static size_t find_leaves(chunk *c, size_t at, size_t first, size_t n, uint8_t *leaf)
{
    const heft_tree_split *s = &c->trees->split[at];
    uint8_t                right[CHUNK];
    const bool             plain = s->n_listed == 0 && c->column[s->attr].width == 1;
    const bool             one = n - s->left == 1; /* leaf on the right */
    at++;
    if (s->left > 1) at = find_leaves(c, at, first, s->left, leaf);
    else if (!plain) memset(leaf, (int)first, CHUNK);
    if (!one) at = find_leaves(c, at, first + s->left, n - s->left, right);
    else if (!plain) memset(right, (int)(first + s->left), CHUNK);
    if (plain) by_bytes(c, s, first, one ? NULL : right, leaf);
    else choose_side(c, s, right, leaf);
    return at;
}

void heft_tree_leaves(const heft_trees *trees, size_t t, const heft_tree_codes *column, size_t lo,
                      size_t n, uint8_t *leaf)
{
    const heft_tree *tree = &trees->tree[t];
    uint8_t          here[CHUNK];
    chunk            c;
    c.trees = trees, c.column = column, c.set = NULL;
    HEFT_BLOCKS_OF (CHUNK, from, to, n) {
        c.lo = lo + from, c.n = to - from;
        if (tree->n_leaves > 1) find_leaves(&c, tree->split, 0, tree->n_leaves, here);
        else memset(here, 0, CHUNK);
        memcpy(leaf + from, here, c.n);
    }
}
