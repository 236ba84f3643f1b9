/* windows.h - many rows, of which the first trees are grown on parts.
 *
 * The first trees find what is coarse, and whatever they get wrong by chance is error that later
 * trees correct. So they need not be grown on all rows. The rows are divided at random into windows
 * of about equal size. Trees are grown on one window for some rounds, then on the next, and so on;
 * later on more windows at a time, and in the end on all rows: what the last trees learn by chance
 * stays, and the more rows they are grown on the less that is.
 *
 * Rows of other windows are not touched meanwhile. The trees that were grown since a window was
 * last used are added to its rows when its turn comes, a few rows at a time, so that their codes
 * are read once for many trees.
 *
 * The caller divides the rows, by their content (methods/auto/members.c), and the sample has them
 * window after window. With one window all this does nothing. */
#pragma once

#include "boost/boost_rows.h"
#include "boost/histograms.h"

typedef struct heft_windows {
    size_t          n;
    const size_t   *first; /* n + 1: where the rows of each window begin; then how many there are */
    size_t          now;   /* the first window that trees are grown on, */
    size_t          n_now; /* and how many windows they are grown on */
    bool            moved; /* these have changed since the last tree was grown */
    size_t          since; /* the round from which on trees are grown on all rows */
    size_t         *n_trees; /* by window: how many trees were added to its rows */
    heft_boost_rows all;     /* the rows of all windows */
} heft_windows;

/* `rows` become those of all windows. The caller has set n and `all`, and `first` if there are
 * several windows. n_attr: attributes that the rows have codes of. */
heft_status heft_windows_open(heft_ctx *ctx, heft_arena *arena, size_t n_attr,
                              heft_windows *windows, heft_boost_rows *rows);
/* Makes `rows` and `packed` those of n windows from window k on. */
void heft_windows_show(heft_windows *windows, size_t k, size_t n, heft_boost_rows *rows,
                       heft_packed_rows *packed);
/* Adds trees to the rows of window k until they have n_trees. */
heft_status heft_windows_add_trees(heft_ctx *ctx, const heft_windows *windows, size_t k,
                                   const heft_last_tree *last, size_t n_trees);
