/* treenb.c - TreeNB: an attribute weighs by how early a decision tree tests it. Hall, a decision
 * tree-based attribute weighting filter for naive Bayes.
 *
 *   w_j = 1 / sqrt(d_j)     d_j: depth of the first test of j in a tree grown to the end, root = 1
 *   w_j = 0                 never tested
 *
 * The tree splits on the values of the attribute with the largest information gain (or gain ratio)
 * until a node holds one class or no attribute divides it; numbers are cut into intervals for it.
 * Rows in which the tested attribute is missing make a branch of their own and add nothing to its
 * gain. Of equal gains the attribute with the larger one at the root is taken, then the one that
 * stats/keys.h puts first by its cells. The tie is left open between attributes that no key tells
 * apart, such as the arms of a balance: the earlier column is taken.
 *
 * The original averages ten trees grown on bootstrap samples: trees=10. Kim and Lee's description,
 * the default, is one tree on all rows. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"
#include "base/rows.h"
#include "learn/basis.h"
#include "learn/filters.h"
#include "stats/keys.h"

static const heft_option options[] = {
    HEFT_OPT_WORDS("split", "gain", "gain|ratio",
                   "the tree splits by information gain, or by gain ratio"),
    HEFT_OPT_WHOLE("trees", "1", 1, 1000,
                   "1: one tree on all rows; more: the mean over trees on bootstrap samples"),
    HEFT_OPT_WHOLE("min-rows", "2", 2, 1e9,
                   "a node with fewer rows is not split; 2: the tree is grown fully"),
    HEFT_BINS_OPTION("10"),
    HEFT_BLEND_OPTION,
    HEFT_OPT_END,
};

enum { ROOT = 1, WORTH_THREADS = 1 << 17, ATTRIBUTES_PER_TASK = 16 };

static const double SAME = 1e-12;

typedef struct counters { /* counts by value and class; all are 0 between two uses */
    double *cell;         /* value x class */
    double *value, *of_class;
} counters;

typedef struct node {
    size_t lo, hi; /* rows of the node: order[lo..hi) */
    long   depth;
} node;

typedef struct tree {
    const heft_columns *cols;
    const heft_rows    *rows;
    size_t              n_class, most_values;
    bool                ratio;
    double              least;  /* least weight of the rows of a node that may be split */
    double             *weight; /* per row: its weight times how often it was drawn */
    size_t             *order, *spare;
    node               *stack, at; /* `at` is the node that is being split */
    double             *gain, *at_root;
    uint64_t           *key;   /* keys of the columns, made once two are equal */
    long               *first; /* d_j; 0: not tested */
    long                n_nodes, depth;
    counters            own;
} tree;

static double xlogx(const tree *t, double x)
{
    const heft_columns *c = t->cols;
    return x < (double)c->n_log && x == floor(x) ? c->xlogx[(size_t)x] : heft_xlogx(x);
}

/* ---- one node, one attribute ---- */

/* Gain (or gain ratio) times the share of rows present; below 0: the attribute splits nothing.
 * Counts the rows of the node, then clears the counters row by row: a small node costs little
 * however many values there are. */
static double gain_of(const tree *t, size_t j, counters *b)
{
    const size_t            K = t->n_class;
    const node             *at = &t->at;
    const heft_code_column *y = &t->cols->col[t->cols->n_attr], *col = &t->cols->col[j];
    double                  n = 0, missing = 0, s_cell = 0, s_value = 0, s_class = 0;
    size_t                  n_values = 0;
    for (size_t k = at->lo; k < at->hi; k++) {
        const size_t   i = t->order[k], c = heft_column_code(y, i);
        const uint32_t v = heft_column_code(col, i);
        if (v >= col->n) {
            missing += t->weight[i];
            continue;
        }
        b->cell[v * K + c] += t->weight[i];
        b->value[v] += t->weight[i];
        b->of_class[c] += t->weight[i];
        n += t->weight[i];
    }
    for (size_t k = at->lo; k < at->hi; k++) {
        const size_t   i = t->order[k], c = heft_column_code(y, i);
        const uint32_t v = heft_column_code(col, i);
        if (v >= col->n) continue;
        s_cell += xlogx(t, b->cell[v * K + c]);
        s_value += xlogx(t, b->value[v]);
        s_class += xlogx(t, b->of_class[c]);
        n_values += b->value[v] > 0;
        b->cell[v * K + c] = b->value[v] = b->of_class[c] = 0;
    }
    if (n_values < 2) return -1;
    const double all = xlogx(t, n);
    double       gain = fmax(0, (all - s_class - s_value + s_cell) / n);
    if (t->ratio) gain /= fmax((all - s_value) / n, 1e-300);
    return gain * n / (n + missing);
}

static heft_status counters_init(heft_ctx *ctx, const tree *t, counters *b)
{
    HEFT_TABLE(ctx, &ctx->scratch, b->cell, t->most_values, t->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, b->value, t->most_values);
    HEFT_ALLOC(ctx, &ctx->scratch, b->of_class, t->n_class);
    return HEFT_OK;
}

static heft_status gain_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const tree *t = arg;
    counters    b;
    HEFT_CHECK(counters_init(ctx, t, &b));
    for (size_t j = lo; j < hi; j++) t->gain[j] = gain_of(t, j, &b);
    return HEFT_OK;
}

/* ---- the tree ---- */

/* Whether the node has enough rows, and two classes among them. */
static bool may_split(const tree *t)
{
    const heft_code_column *y = &t->cols->col[t->cols->n_attr];
    const uint32_t          first = heft_column_code(y, t->order[t->at.lo]);
    bool                    mixed = false;
    double                  sum = 0;
    for (size_t k = t->at.lo; k < t->at.hi; k++) {
        sum += t->weight[t->order[k]];
        mixed = mixed || heft_column_code(y, t->order[k]) != first;
    }
    return mixed && sum >= t->least;
}

/* Compares two gains: 1 if a is larger, -1 if b is, 0 if they are equal except for rounding. */
static int above(double a, double b)
{
    return a > b + SAME ? 1 : a < b - SAME ? -1 : 0;
}

/* Finds the attribute to split on; SIZE_MAX if none divides the node. */
static heft_status best_split(heft_ctx *ctx, tree *t, size_t *best)
{
    *best = SIZE_MAX;
    for (size_t j = 0; j < t->cols->n_attr; j++) {
        if (t->gain[j] < 0) continue;
        int wins = *best == SIZE_MAX ? 1 : above(t->gain[j], t->gain[*best]);
        if (wins == 0) wins = above(t->at_root[j], t->at_root[*best]);
        if (wins == 0 && !t->key) {
            HEFT_ALLOC(ctx, &ctx->scratch, t->key, t->cols->n_attr);
            HEFT_CHECK(heft_keys_columns(ctx, t->rows, t->key));
        }
        if (wins > 0 || (wins == 0 && t->key[j] > t->key[*best])) *best = j;
    }
    return HEFT_OK;
}

/* Sorts the rows of a node by their code in column j, stably, and makes one child per code. */
static heft_status divide(heft_ctx *ctx, tree *t, size_t j, size_t *n_stack)
{
    const heft_code_column *col = &t->cols->col[j];
    const node             *at = &t->at;
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t codes = col->n + 1;
    size_t      *start;
    HEFT_ALLOC(ctx, &ctx->scratch, start, codes + 1);
    for (size_t k = at->lo; k < at->hi; k++) start[heft_column_code(col, t->order[k]) + 1]++;
    for (size_t v = 0; v < codes; v++) start[v + 1] += start[v];
    for (size_t v = 0; v < codes; v++)
        if (start[v + 1] - start[v] > 1)
            t->stack[(*n_stack)++] =
                (node){at->lo + start[v], at->lo + start[v + 1], at->depth + 1};
    for (size_t k = at->lo; k < at->hi; k++)
        t->spare[at->lo + start[heft_column_code(col, t->order[k])]++] = t->order[k];
    memcpy(t->order + at->lo, t->spare + at->lo, (at->hi - at->lo) * sizeof *t->order);
    return HEFT_OK;
}

static heft_status split_node(heft_ctx *ctx, tree *t, size_t *n_stack)
{
    const size_t m = t->cols->n_attr;
    const long   depth = t->at.depth;
    if (!may_split(t)) return HEFT_OK;
    if ((t->at.hi - t->at.lo) * m > WORTH_THREADS) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(heft_run_blocks(ctx, m, ATTRIBUTES_PER_TASK, gain_block, t));
    } else
        for (size_t j = 0; j < m; j++) t->gain[j] = gain_of(t, j, &t->own);
    if (depth == ROOT) memcpy(t->at_root, t->gain, m * sizeof *t->gain);
    size_t best;
    HEFT_CHECK(best_split(ctx, t, &best));
    if (best == SIZE_MAX) return HEFT_OK;
    if (t->first[best] == 0 || depth < t->first[best]) t->first[best] = depth;
    t->n_nodes++;
    if (depth > t->depth) t->depth = depth;
    return divide(ctx, t, best, n_stack);
}

static heft_status tree_open(heft_ctx *ctx, const heft_task *task, tree *t)
{
    heft_columns *cols;
    const size_t  n = task->rows->n_rows, m = task->rows->n_attr;
    HEFT_CHECK(heft_filter_columns(ctx, task, &cols));
    t->cols = cols;
    t->rows = task->rows;
    t->n_class = cols->col[m].n;
    t->most_values = 1;
    for (size_t j = 0; j < m; j++)
        if (cols->col[j].n > t->most_values) t->most_values = cols->col[j].n;
    /* Nodes that wait have two rows or more and share none, so the stack holds fewer than n. */
    HEFT_ALLOCS(ctx, &ctx->scratch, n, t->weight, t->order, t->spare, t->stack);
    HEFT_ALLOCS(ctx, &ctx->scratch, m, t->gain, t->at_root, t->first);
    return counters_init(ctx, t, &t->own);
}

/* Chooses the rows of tree k: all of them, or as many drawn with replacement. */
static size_t sample(heft_ctx *ctx, const heft_task *task, tree *t, bool drawn, size_t k)
{
    const size_t n = task->rows->n_rows;
    size_t       used = 0;
    heft_rng     rng;
    heft_rng_init(&rng, ctx->seed, k);
    for (size_t i = 0; i < n; i++) t->weight[i] = drawn ? 0 : 1;
    if (drawn)
        for (size_t i = 0; i < n; i++) t->weight[heft_rng_below(&rng, n)] += 1;
    for (size_t i = 0; i < n; i++) {
        if (!(t->weight[i] > 0)) continue;
        if (task->rows->weight) t->weight[i] *= task->rows->weight[i];
        t->order[used++] = i;
    }
    return used;
}

/* ---- the method ---- */

/* Records the attributes by the depth of their first test, for inspect. */
static heft_status record(heft_ctx *ctx, const heft_task *task, const tree *t, const double *w,
                          heft_fitted *out)
{
    size_t *list, n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, list, out->n_attr);
    for (size_t j = 0; j < out->n_attr; j++)
        if (w[j] > 0) list[n++] = j;
    for (size_t a = 1; a < n; a++) /* sort by weight; equal ones stay in their order */
        for (size_t b = a; b > 0 && w[list[b]] > w[list[b - 1]] + SAME; b--) {
            const size_t swap = list[b];
            list[b] = list[b - 1];
            list[b - 1] = swap;
        }
    heft_fact_number(out, "tested", (double)n);
    heft_fact_number(out, "tree_depth", (double)t->depth);
    heft_fact_number(out, "tree_splits", (double)t->n_nodes);
    return heft_fact_attributes(ctx, task, out, "tested_attributes", list, n);
}

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const size_t trees = (size_t)heft_param_num(task, "trees");
    tree         t = {.ratio = heft_param(task, "split")->word == 1,
                      .least = heft_param_num(task, "min-rows")};
    double      *w;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, w, out->n_attr);
    HEFT_CHECK(tree_open(ctx, task, &t));
    for (size_t k = 0; k < trees; k++) {
        HEFT_CHECK(heft_check_cancel(ctx));
        const size_t n_rows = sample(ctx, task, &t, trees > 1, k);
        size_t       n_stack = 0;
        memset(t.first, 0, out->n_attr * sizeof *t.first);
        t.n_nodes = t.depth = 0;
        if (n_rows > 1) t.stack[n_stack++] = (node){0, n_rows, ROOT};
        while (n_stack > 0) {
            t.at = t.stack[--n_stack];
            HEFT_CHECK(split_node(ctx, &t, &n_stack));
        }
        for (size_t j = 0; j < out->n_attr; j++)
            if (t.first[j]) w[j] += 1 / sqrt((double)t.first[j]) / (double)trees;
    }
    HEFT_CHECK(record(ctx, task, &t, w, out));
    return heft_filter_weights(ctx, task, w, out);
}

static const heft_twin twins[] = HEFT_TWINS_OF("nb", "blend=0", "variance=class");

const heft_method heft_method_treenb = {
    .name = "treenb",
    .title = "attributes weighted by how early a decision tree tests them",
    .source = "[hall2007]; one tree, as [kim2022] describe it",
    .family = HEFT_FILTER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,
    .prepare = {.smoothing = "laplace", .prior = "smoothed"},
    .options = options,
    .twins = twins,
    .fit = fit,
};
