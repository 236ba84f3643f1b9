/* pooled_score.c - scores, terms and sizes of pooled evidence.
 *
 * Scoring adds bias, attributes in their order, pairs in theirs: the same bits for any block and
 * thread. Cost: O(K) per attribute and pair of a row, and a binary search per sparse pair. */
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/wide.h"
#include "boost/tree_paths.h"
#include "methods/auto/pooled.h"
#include "model/model.h"

enum { BLOCK = 512 }; /* rows scored at once */
enum { /* rows for the sizes of evidence: without trees, with trees, and with long paths, whose
          leaves have far more interactions */
       MOST_LOOKED_AT = 200,
       LOOKED_AT = 50,
       LEAST_LOOKED_AT = 16
};

/* ---- tables ---- */

/* The line of a pair's table, NULL where it has none. */
static const double *pair_line(const heft_pooled *pooled, const heft_pair_table *pair,
                               uint32_t line_i, uint32_t line_j)
{
    const heft_pooled_attr *a = &pooled->attr[pair->i], *b = &pooled->attr[pair->j];
    const uint64_t cell = (uint64_t)a->view[pair->view_i][line_i] * b->n_codes[pair->view_j] +
                          b->view[pair->view_j][line_j];
    if (!pair->key) return pair->table + (size_t)cell * pooled->n_class;
    const size_t line = heft_key_find(pair->key, pair->n_cells, cell);
    return line < pair->n_cells ? pair->table + line * pooled->n_class : NULL;
}

/* Adds the evidence of one attribute by itself. */
static void add_attr(const heft_pooled *pooled, const heft_rows *rows, size_t j, size_t i,
                     uint32_t line, double *to)
{
    const heft_pooled_attr *a = &pooled->attr[j];
    const size_t            K = pooled->n_class;
    heft_line_add(to, a->table + line * K, 1, K);
    if (a->slope)
        heft_line_add(to, a->slope, heft_line_scaled(&a->lines, rows->attr[j].numbers[i]), K);
}

HEFT_INLINE void dense_pair(const heft_pooled *p, const heft_pair_table *pair,
                            const uint32_t *line_i, const uint32_t *line_j, size_t n, size_t K,
                            double *sum)
{
    const uint32_t *view_i = p->attr[pair->i].view[pair->view_i];
    const uint32_t *view_j = p->attr[pair->j].view[pair->view_j];
    const size_t    q = p->attr[pair->j].n_codes[pair->view_j];
    for (size_t i = 0; i < n; i++) {
        const double *from = pair->table + (view_i[line_i[i]] * q + view_j[line_j[i]]) * K;
        for (size_t c = 0; c < K; c++) sum[i * K + c] += from[c];
    }
}

static void add_pair(const heft_pooled *p, const heft_pair_table *pair, const uint32_t *line_i,
                     const uint32_t *line_j, size_t n, double *sum)
{
    const size_t K = p->n_class;
    if (pair->key) {
        for (size_t i = 0; i < n; i++) {
            const double *from = pair_line(p, pair, line_i[i], line_j[i]);
            if (from) heft_line_add(sum + i * K, from, 1, K);
        }
        return;
    }
    if (K == 2) dense_pair(p, pair, line_i, line_j, n, 2, sum);
    else if (K == 3) dense_pair(p, pair, line_i, line_j, n, 3, sum);
    else dense_pair(p, pair, line_i, line_j, n, K, sum);
}

/* ---- trees ---- */

static uint32_t tree_code(const heft_pooled_attr *a, uint32_t line)
{
    if (!a->lines.numeric) return line;
    return line == a->lines.n_lines - 1 ? a->tree_missing : line + 1;
}

/* sum[n x K] += the values of the leaves of n rows, of which line[attribute n + i] has the lines.
 */
static heft_status add_trees(heft_ctx *ctx, const heft_pooled *p, const uint32_t *line, size_t n,
                             double *sum)
{
    const heft_trees *t = &p->trees;
    const size_t      K = p->n_class;
    heft_tree_codes  *column;
    double           *margin;
    uint8_t           leaf[BLOCK];
    if (t->n_trees == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, column, p->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, margin, n);
    for (size_t k = 0; k < t->n_splits; k++) {
        const size_t            j = t->split[k].attr;
        const heft_pooled_attr *a = &p->attr[j];
        void                   *codes;
        if (column[j].codes) continue;
        column[j].width = a->lines.n_lines < UINT8_MAX ? 1 : a->lines.n_lines < UINT16_MAX ? 2 : 4;
        codes = heft_arena_alloc(&ctx->scratch, n, column[j].width);
        if (!codes) return heft_no_memory(ctx, n, column[j].width);
        for (size_t i = 0; i < n; i++)
            heft_code_put(codes, column[j].width, i, tree_code(a, line[j * n + i]));
        column[j].codes = codes;
    }
    for (size_t k = 0; k < t->n_trees; k++) {
        const double *value = t->value + t->tree[k].leaf * t->n_columns;
        heft_tree_leaves(t, k, column, 0, n, leaf);
        if (K == 2) {
            for (size_t i = 0; i < n; i++) margin[i] += value[leaf[i]];
            continue;
        }
        for (size_t i = 0; i < n; i++) heft_line_add(sum + i * K, value + leaf[i] * K, 1, K);
    }
    if (K == 2)
        for (size_t i = 0; i < n; i++) {
            sum[2 * i] -= margin[i];
            sum[2 * i + 1] += margin[i];
        }
    return HEFT_OK;
}

/* Attribute by attribute, then pair by pair, so that a table stays in the cache for a block. */
static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const heft_pooled  *p = job->own;
    const size_t        K = p->n_class, n = hi - lo;
    uint32_t           *line;
    double             *sum;
    HEFT_ALLOC(ctx, &ctx->scratch, line, p->n_attr * n);
    HEFT_ALLOC(ctx, &ctx->scratch, sum, n * K);
    for (size_t i = 0; i < n; i++) memcpy(sum + i * K, p->bias, K * sizeof *sum);
    for (size_t j = 0; j < p->n_attr; j++) {
        heft_lines_at(&p->attr[j].lines, &job->rows->attr[j], lo, n, line + j * n);
        for (size_t i = 0; i < n; i++)
            add_attr(p, job->rows, j, lo + i, line[j * n + i], sum + i * K);
    }
    for (size_t k = 0; k < p->n_pairs; k++) {
        const heft_pair_table *pair = &p->pair[k];
        add_pair(p, pair, line + pair->i * n, line + pair->j * n, n, sum);
    }
    HEFT_CHECK(add_trees(ctx, p, line, n, sum));
    for (size_t i = 0; i < n; i++) {
        double *out = job->log_joint + (lo + i) * p->n_declared;
        for (size_t c = 0; c < p->n_declared; c++) out[c] = -INFINITY;
        for (size_t c = 0; c < K; c++) out[p->present[c]] = sum[i * K + c];
    }
    return HEFT_OK;
}

heft_status heft_pooled_score(heft_ctx *ctx, const heft_pooled *pooled, const heft_rows *rows,
                              double *log_joint)
{
    heft_scoring job = {pooled, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, score_block, &job);
}

heft_status heft_pooled_terms(heft_ctx *ctx, const heft_pooled *pooled, heft_terms *out)
{
    out->n_columns = pooled->n_class;
    out->present = pooled->present;
    out->joint.n = out->joint.n_grids = pooled->n_pairs;
    out->interactions.n = pooled->n_interactions;
    out->interactions.list = pooled->interaction;
    out->interactions.remainder = pooled->remainder;
    if (pooled->trees.n_trees) {
        out->trees = &pooled->trees;
        HEFT_ALLOC(ctx, &ctx->scratch, out->tree_missing, pooled->n_attr);
        HEFT_ALLOC(ctx, &ctx->scratch, out->share, pooled->n_attr);
        for (size_t j = 0; j < pooled->n_attr; j++) {
            out->tree_missing[j] = pooled->attr[j].tree_missing;
            out->share[j] = pooled->attr[j].share;
        }
    }
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, pooled->n_declared);
    HEFT_ALLOC(ctx, &ctx->scratch, out->attr, pooled->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, out->joint.list, pooled->n_pairs);
    for (size_t c = 0; c < pooled->n_declared; c++) out->start[c] = -INFINITY;
    for (size_t c = 0; c < pooled->n_class; c++) out->start[pooled->present[c]] = pooled->bias[c];
    for (size_t j = 0; j < pooled->n_attr; j++) {
        const heft_pooled_attr *a = &pooled->attr[j];
        const heft_lines       *l = &a->lines;
        out->attr[j] = (heft_term){.kind = a->slope ? HEFT_TERM_SLOPED : HEFT_TERM_TABLE,
                                   .numeric = l->numeric,
                                   .n_codes = l->n_lines - 1 - l->apart,
                                   .n_cuts = l->n_cuts,
                                   .cuts = l->cuts,
                                   .missing = l->n_lines - 1,
                                   .unseen = l->n_lines - 1 - l->apart,
                                   .table = a->table,
                                   .slope = a->slope,
                                   .mean = l->mean,
                                   .sd = l->sd,
                                   .error = a->error,
                                   .n_views = a->n_views,
                                   .view = a->view,
                                   .view_size = a->n_codes};
    }
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        const heft_pair_table *pair = &pooled->pair[k];
        out->joint.list[k] = (heft_joint_term){.n = 2,
                                               .attr = {pair->i, pair->j},
                                               .view = {pair->view_i, pair->view_j},
                                               .n_cells = pair->n_cells,
                                               .key = pair->key,
                                               .table = pair->table,
                                               .grid = k};
    }
    return HEFT_OK;
}

enum {
    GROUP = 8, /* blocks at a time: the sizes of their rows are kept until they are added */
    FEW_TERMS =
        1000000 /* up to so many numbers of a row's interactions, a block has several rows */
};

typedef struct sizing {
    const heft_terms *terms;
    const heft_rows  *rows;
    size_t            n_rows, step; /* row k is row k step of `rows` */
    size_t            first;        /* the first row of the group */
    size_t            n_block;      /* rows of a block */
    size_t            n;            /* attributes, interactions and the remainder */
    double           *size;         /* n of each row */
} sizing;

/* sum_c |contribution| of each attribute, each interaction and the remainder to the rows of a
 * block.
 */
static heft_status block_sizes(heft_ctx *ctx, void *arg, size_t block)
{
    const sizing     *g = arg;
    const size_t      D = g->terms->n_class, m = g->terms->n_attr, first = block * g->n_block;
    heft_row_evidence e[HEFT_ROWS_AT_ONCE];
    size_t            row[HEFT_ROWS_AT_ONCE];
    for (size_t r = 0; r < g->n_block; r++) { /* the last block may repeat the last row */
        const size_t k = g->first + first + r;
        row[r] = (k < g->n_rows ? k : g->n_rows - 1) * g->step;
    }
    HEFT_CHECK(heft_terms_evidence(ctx, g->terms, g->rows, row, g->n_block, e));
    for (size_t r = 0; r < g->n_block; r++) {
        double *size = g->size + (first + r) * g->n;
        memset(size, 0, g->n * sizeof *size);
        for (size_t i = 0; i < m * D; i++) size[i / D] += fabs(e[r].parts[D + i]);
        for (size_t i = 0; i < (g->n - m) * D; i++) size[m + i / D] += fabs(e[r].together[i]);
    }
    return HEFT_OK;
}

/* Adds the sizes of n rows: 0, step, 2 step, ... */
static heft_status add_sizes(heft_ctx *ctx, const heft_terms *t, const heft_rows *rows, size_t n,
                             size_t step, double *of_attr, heft_pooled *p)
{
    const size_t m = t->n_attr;
    sizing       g = {.terms = t, .rows = rows, .n_rows = n, .step = step};
    g.n_block = heft_terms_joint(t) * t->n_class <= FEW_TERMS ? HEFT_ROWS_AT_ONCE : 1;
    g.n = m + heft_terms_joint(t);
    HEFT_ALLOC(ctx, &ctx->scratch, g.size, GROUP * g.n_block * g.n);
    for (; g.first < n; g.first += GROUP * g.n_block) {
        const size_t left = n - g.first, most = GROUP * g.n_block, some = left < most ? left : most;
        HEFT_CHECK(heft_run(ctx, (some + g.n_block - 1) / g.n_block, block_sizes, &g));
        for (size_t k = 0; k < some; k++) {
            const double *size = g.size + k * g.n;
            for (size_t j = 0; j < m; j++) of_attr[j] += size[j];
            for (size_t i = 0; i < p->n_interactions; i++) p->interaction[i].size += size[m + i];
            if (t->interactions.wide) p->remainder += size[m + p->n_interactions];
        }
    }
    return HEFT_OK;
}

/* A few rows of all processes, in their order, on each of them: places 0, step, 2 step, ... */
static heft_status bring_rows(heft_ctx *ctx, const heft_rows *rows, size_t step, heft_rows *out)
{
    heft_attr                *attr;
    HEFT_LOCAL(heft_gathered) all = {0};
    size_t                    before, n_all, n = 0;
    char                     *mine, *cells;
    *out = *rows;
    HEFT_CHECK(heft_all_place(ctx, rows->n_rows, &before, &n_all));
    const size_t first = (step - before % step) % step;
    for (size_t i = first; i < rows->n_rows; i += step) n++;
    HEFT_ALLOC(ctx, &ctx->scratch, attr, rows->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, mine, n * sizeof(double));
    out->attr = attr;
    out->n_rows = (n_all + step - 1) / step;
    for (size_t j = 0; j < rows->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        const size_t     width = a->coded ? a->width : sizeof *a->numbers;
        const char      *from = a->coded ? a->codes : (const void *)a->numbers;
        for (size_t k = 0; k < n; k++) {
            heft_release_pages();
            memcpy(mine + k * width, from + (first + k * step) * width, width);
        }
        HEFT_CHECK(heft_all_gather(ctx, mine, n * width, &all));
        HEFT_ALLOC(ctx, &ctx->scratch, cells, out->n_rows * width);
        memcpy(cells, all.bytes, out->n_rows * width);
        heft_gathered_clear(&all);
        attr[j] = *a;
        attr[j].codes = a->coded ? cells : NULL;
        attr[j].numbers = a->coded ? NULL : (const double *)(const void *)cells;
    }
    return HEFT_OK;
}

heft_status heft_pooled_sizes(heft_ctx *ctx, heft_pooled *p, const heft_rows *rows,
                              heft_arena *arena, double *of_attr)
{
    const size_t K = p->n_class, m = p->n_attr;
    heft_terms   t = {.n_attr = m, .n_class = p->n_declared};
    heft_rows    few;
    size_t       before, n_all;
    HEFT_CHECK(heft_all_place(ctx, rows->n_rows, &before, &n_all));
    size_t       step = n_all / MOST_LOOKED_AT + 1;
    const bool   wide = heft_trees_width(&p->trees) > HEFT_JOINT_ATTRS;
    const size_t wanted = wide ? LEAST_LOOKED_AT : LOOKED_AT;
    if (p->trees.n_trees && step < n_all / wanted) step = n_all / wanted;
    const size_t n = (n_all + step - 1) / step;
    if (!heft_is_single(ctx)) {
        HEFT_CHECK(bring_rows(ctx, rows, step, &few));
        rows = &few;
        step = 1;
    }
    for (size_t k = 0; k < p->n_pairs; k++) /* interactions list their attributes from the lowest */
        if (p->pair[k].i > p->pair[k].j) HEFT_CHECK(heft_pair_turn(ctx, p, arena, &p->pair[k]));
    HEFT_CHECK(heft_pooled_interactions(ctx, p, &ctx->scratch));
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_CHECK(heft_pooled_terms(ctx, p, &t));
    HEFT_CHECK(heft_terms_unfold(ctx, &t));
    memset(of_attr, 0, m * sizeof *of_attr);
    HEFT_CHECK(add_sizes(ctx, &t, rows, n, step, of_attr, p));
    for (size_t j = 0; j < m; j++) of_attr[j] /= (double)(n * K);
    for (size_t k = 0; k < p->n_interactions; k++) p->interaction[k].size /= (double)(n * K);
    p->remainder /= (double)(n * K);
    return HEFT_OK;
}
