/* pooled.c - evidence of attribute values and of pairs of them, pooled into one additive score.
 *
 * Layout. All tables have lines of K numbers, one per class that has rows; `present` maps them to
 * the declared classes. Attribute j has one line per line of the coding (coding.h). Pair (i, j) has
 * one line per cell (view_i[line of x_i], view_j[line of x_j]): cell v q_j + w is line v q_j + w of
 * a dense table, and the place of v q_j + w among the increasing `key` of a sparse one.
 *
 * Pooling. Members are added one after the other, each times its factor, in the order of the calls:
 * tables of attributes by the code of each line, tables of pairs into the one that has the same
 * attributes and views. Two resolutions that give every line of an attribute the same code are one
 * view, so that their pairs share a table. heft_pooled_centre ends it: from then on every line has
 * mean 0 over the classes, which changes no posterior but makes the sizes of evidence comparable.
 *
 * Scoring adds bias, attributes in their order, pairs in theirs: the same bits for any block and
 * thread. Cost: O(K) per attribute and pair of a row, and a binary search per sparse pair. */
#include "methods/auto/pooled.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/wide.h"
#include "model/model.h"

enum { BLOCK = 256 }; /* rows scored at once */

#define NONE SIZE_MAX

/* ---- pooling ---- */

heft_status heft_pooled_init(heft_ctx *ctx, const heft_coding *coding, const uint32_t *present,
                             size_t n_class, size_t n_declared, size_t capacity, heft_arena *arena,
                             heft_pooled *out)
{
    const size_t m = coding->n_attr;
    *out = (heft_pooled){
        .n_attr = m, .n_class = n_class, .n_declared = n_declared, .capacity = capacity};
    HEFT_ALLOCS(ctx, arena, n_class, out->present, out->bias);
    memcpy(out->present, present, n_class * sizeof *present);
    HEFT_ALLOC(ctx, arena, out->attr, m);
    HEFT_ALLOCS(ctx, arena, capacity, out->pair, out->size);
    HEFT_ALLOC(ctx, &ctx->scratch, out->head, capacity + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, out->next, capacity);
    for (size_t k = 0; k <= capacity; k++) out->head[k] = NONE;
    for (size_t j = 0; j < m; j++) {
        const heft_lines *from = &coding->attr[j];
        heft_lines       *to = &out->attr[j].lines;
        *to = *from;
        memset(to->code, 0, sizeof to->code);
        to->only = NULL;
        HEFT_ALLOC(ctx, arena, to->cuts, from->n_cuts);
        if (from->n_cuts) memcpy(to->cuts, from->cuts, from->n_cuts * sizeof *from->cuts);
        HEFT_ALLOC(ctx, arena, out->attr[j].table, from->n_lines * n_class);
    }
    return HEFT_OK;
}

static void add(double *to, const double *from, double factor, size_t K)
{
    for (size_t c = 0; c < K; c++) to[c] += factor * from[c];
}

void heft_pooled_add(heft_pooled *pooled, const heft_coding *coding, size_t j, unsigned res,
                     double factor, const double *table)
{
    const heft_lines *lines = &coding->attr[j];
    const size_t      K = pooled->n_class;
    for (uint32_t l = 0; l < lines->n_lines; l++)
        add(pooled->attr[j].table + l * K, table + lines->code[res][l] * K, factor, K);
}

/* *out: the view of attribute `a` with the codes of the resolution; added where there is none yet.
 * There are at most HEFT_N_RES. */
static heft_status view_of(heft_ctx *ctx, heft_pooled_attr *a, const heft_lines *lines,
                           unsigned res, heft_arena *arena, uint8_t *out)
{
    const size_t bytes = lines->n_lines * sizeof **a->view;
    size_t       k = 0;
    while (k < a->n_views && memcmp(a->view[k], lines->code[res], bytes) != 0) k++;
    *out = (uint8_t)k;
    if (k < a->n_views) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, a->view[k], lines->n_lines);
    memcpy(a->view[k], lines->code[res], bytes);
    a->n_codes[k] = lines->n_codes[res];
    a->n_views++;
    return HEFT_OK;
}

/* *out: the pair of these attributes and views; new, without a table, where there is none yet. The
 * list of pair (i, j) is found by a hash of both: one attribute may be in every pair. Before and
 * after each call every pair is in exactly one list. */
static heft_status pair_of(heft_ctx *ctx, heft_pooled *pooled, const heft_coding *coding,
                           heft_pair at, unsigned res, heft_arena *arena, heft_pair_table **out)
{
    heft_pair_table new = {.i = at.i, .j = at.j};
    heft_pooled_attr *a = &pooled->attr[at.i], *b = &pooled->attr[at.j];
    const uint64_t    mixed = ((uint64_t)at.i << 32 | at.j) * UINT64_C(0x9E3779B97F4A7C15);
    size_t           *head = &pooled->head[(mixed >> 20) % (pooled->capacity + 1)];
    HEFT_CHECK(view_of(ctx, a, &coding->attr[at.i], res, arena, &new.view_i));
    HEFT_CHECK(view_of(ctx, b, &coding->attr[at.j], res, arena, &new.view_j));
    for (size_t k = *head; k != NONE; k = pooled->next[k]) {
        *out = &pooled->pair[k];
        if ((*out)->i == at.i && (*out)->j == at.j && (*out)->view_i == new.view_i &&
            (*out)->view_j == new.view_j)
            return HEFT_OK;
    }
    *out = &pooled->pair[pooled->n_pairs];
    **out = new;
    pooled->next[pooled->n_pairs] = *head;
    *head = pooled->n_pairs++;
    return HEFT_OK;
}

/* A new table is dense unless the cells that were seen are below a quarter of many. What a sparse
 * table has no line for stays 0. */
heft_status heft_pooled_pair_add(heft_ctx *ctx, heft_pooled *pooled, const heft_coding *coding,
                                 heft_pair at, unsigned res, const heft_join *join, double factor,
                                 const double *table, heft_arena *arena)
{
    const size_t     K = pooled->n_class;
    heft_pair_table *pair;
    HEFT_CHECK(pair_of(ctx, pooled, coding, at, res, arena, &pair));
    if (!pair->table) {
        const uint64_t cells = (uint64_t)pooled->attr[at.i].n_codes[pair->view_i] *
                               pooled->attr[at.j].n_codes[pair->view_j];
        pair->n_cells = (size_t)cells;
        if (join && cells > 4096 && cells / 4 > join->n_seen) {
            pair->n_cells = join->n_seen;
            HEFT_ALLOC(ctx, arena, pair->key, join->n_seen);
            memcpy(pair->key, join->key, join->n_seen * sizeof *join->key);
        }
        HEFT_ALLOC(ctx, arena, pair->table, pair->n_cells * K);
    }
    if (!join) add(pair->table, table, factor, pair->n_cells * K);
    /* both lists of keys increase; cells without a line are left out */
    for (size_t k = 0, to = 0; join && k < join->n_seen; k++) {
        if (!pair->key) to = (size_t)join->key[k];
        else
            while (to < pair->n_cells && pair->key[to] < join->key[k]) to++;
        if (to < pair->n_cells && (!pair->key || pair->key[to] == join->key[k]))
            add(pair->table + to * K, table + k * K, factor, K);
    }
    return HEFT_OK;
}

/* Every line less its mean over the classes. */
static void centre(double *v, size_t n_lines, size_t K)
{
    for (size_t l = 0; l < n_lines; l++, v += K) {
        double mean = 0;
        for (size_t c = 0; c < K; c++) mean += v[c] / (double)K;
        for (size_t c = 0; c < K; c++) v[c] -= mean;
    }
}

void heft_pooled_centre(heft_pooled *pooled)
{
    const size_t K = pooled->n_class;
    centre(pooled->bias, 1, K);
    for (size_t j = 0; j < pooled->n_attr; j++) {
        heft_pooled_attr *a = &pooled->attr[j];
        centre(a->table, a->lines.n_lines, K);
        if (a->slope) centre(a->slope, 1, K);
    }
    for (size_t k = 0; k < pooled->n_pairs; k++)
        centre(pooled->pair[k].table, pooled->pair[k].n_cells, K);
    pooled->head = pooled->next = NULL;
}

heft_status heft_pooled_widen(heft_ctx *ctx, heft_pooled *pooled, const size_t *used,
                              const heft_rows *rows, bool unseen_apart, heft_arena *arena)
{
    heft_pooled_attr *attr;
    size_t            n = 0;
    HEFT_ALLOC(ctx, arena, attr, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (n < pooled->n_attr && used[n] == j) {
            attr[j] = pooled->attr[n++];
            continue;
        }
        heft_lines *lines = &attr[j].lines;
        lines->numeric = !rows->attr[j].coded;
        lines->apart = !lines->numeric && unseen_apart;
        lines->n_lines = lines->numeric ? 2 : rows->attr[j].n_codes + lines->apart + 1;
        HEFT_ALLOC(ctx, arena, lines->cuts, 0);
        HEFT_ALLOC(ctx, arena, attr[j].table, lines->n_lines * pooled->n_class);
    }
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        pooled->pair[k].i = (uint32_t)used[pooled->pair[k].i];
        pooled->pair[k].j = (uint32_t)used[pooled->pair[k].j];
    }
    pooled->attr = attr;
    pooled->n_attr = rows->n_attr;
    return HEFT_OK;
}

/* ---- scores ---- */

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

/* The evidence of one attribute by itself, added. */
static void add_attr(const heft_pooled *pooled, const heft_rows *rows, size_t j, size_t i,
                     uint32_t line, double *to)
{
    const heft_pooled_attr *a = &pooled->attr[j];
    const size_t            K = pooled->n_class;
    add(to, a->table + line * K, 1, K);
    if (a->slope) add(to, a->slope, heft_line_scaled(&a->lines, rows->attr[j].numbers[i]), K);
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
            if (from) add(sum + i * K, from, 1, K);
        }
        return;
    }
    if (K == 2) dense_pair(p, pair, line_i, line_j, n, 2, sum);
    else if (K == 3) dense_pair(p, pair, line_i, line_j, n, 3, sum);
    else dense_pair(p, pair, line_i, line_j, n, K, sum);
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
    for (size_t j = 0; j < p->n_attr; j++)
        for (size_t i = 0; i < n; i++) {
            line[j * n + i] = heft_line_at(&p->attr[j].lines, &job->rows->attr[j], lo + i);
            add_attr(p, job->rows, j, lo + i, line[j * n + i], sum + i * K);
        }
    for (size_t k = 0; k < p->n_pairs; k++) {
        const heft_pair_table *pair = &p->pair[k];
        add_pair(p, pair, line + pair->i * n, line + pair->j * n, n, sum);
    }
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

heft_status heft_pooled_sizes(heft_ctx *ctx, heft_pooled *p, const heft_rows *rows, size_t step,
                              double *of_attr)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = p->n_class, m = p->n_attr, n = (rows->n_rows + step - 1) / step;
    uint32_t    *line;
    double      *own; /* m x K: the attributes of one row, each with half of its pairs' evidence */
    HEFT_ALLOC(ctx, &ctx->scratch, line, m);
    HEFT_ALLOC(ctx, &ctx->scratch, own, m * K);
    memset(of_attr, 0, m * sizeof *of_attr);
    memset(p->size, 0, p->n_pairs * sizeof *p->size);
    HEFT_ROWS (i, n) {
        memset(own, 0, m * K * sizeof *own);
        for (size_t j = 0; j < m; j++) {
            line[j] = heft_line_at(&p->attr[j].lines, &rows->attr[j], i * step);
            add_attr(p, rows, j, i * step, line[j], own + j * K);
        }
        for (size_t k = 0; k < p->n_pairs; k++) {
            const heft_pair_table *pair = &p->pair[k];
            const double          *seen = pair_line(p, pair, line[pair->i], line[pair->j]);
            if (!seen) continue;
            add(own + pair->i * K, seen, 0.5, K);
            add(own + pair->j * K, seen, 0.5, K);
            for (size_t c = 0; c < K; c++) p->size[k] += fabs(seen[c]);
        }
        for (size_t k = 0; k < m * K; k++) of_attr[k / K] += fabs(own[k]);
    }
    for (size_t j = 0; j < m; j++) of_attr[j] /= (double)(n * K);
    for (size_t k = 0; k < p->n_pairs; k++) p->size[k] /= (double)(n * K);
    return HEFT_OK;
}

heft_status heft_pooled_terms(heft_ctx *ctx, const heft_pooled *pooled, heft_terms *out)
{
    out->n_columns = pooled->n_class;
    out->present = pooled->present;
    out->n_joint = pooled->n_pairs;
    HEFT_ALLOC(ctx, &ctx->scratch, out->start, pooled->n_declared);
    HEFT_ALLOC(ctx, &ctx->scratch, out->attr, pooled->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, out->joint, pooled->n_pairs);
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
                                   .n_views = a->n_views,
                                   .view = a->view,
                                   .view_size = a->n_codes};
    }
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        const heft_pair_table *pair = &pooled->pair[k];
        out->joint[k] = (heft_joint_term){.n = 2,
                                          .attr = {pair->i, pair->j},
                                          .view = {pair->view_i, pair->view_j},
                                          .n_cells = pair->n_cells,
                                          .key = pair->key,
                                          .table = pair->table,
                                          .size = pooled->size[k]};
    }
    return HEFT_OK;
}

/* ---- the model file ---- */

static const heft_pooled *pooled_at(const heft_at *at)
{
    return at->root;
}

static const heft_pooled_attr *attr_at(const heft_at *at)
{
    return &pooled_at(at)->attr[at->r];
}

static const heft_pair_table *pair_at(const heft_at *at)
{
    return &pooled_at(at)->pair[at->r];
}

static heft_status begin_loading(const heft_loading *l, void *root)
{
    heft_pooled *p = root;
    p->n_attr = l->model->prep.n_attr;
    p->n_declared = l->model->fitted.n_class;
    HEFT_ALLOC(l->ctx, l->arena, p->attr, p->n_attr);
    for (size_t j = 0; j < p->n_attr; j++) {
        const heft_attr_prep *from = &l->model->prep.attr[j];
        p->attr[j].lines.numeric = from->kind == HEFT_NUMERIC && !from->cut;
    }
    return HEFT_OK;
}

static heft_status set_lines(const heft_loading *l, void *root)
{
    heft_pooled *p = root;
    for (size_t j = 0; j < p->n_attr; j++) {
        heft_lines    *lines = &p->attr[j].lines;
        const uint32_t values = heft_attr_codes(&l->model->prep.attr[j]);
        lines->n_lines = (uint32_t)(lines->numeric ? lines->n_cuts + 2 : values + 1 + lines->apart);
    }
    return HEFT_OK;
}

HEFT_MUST(n_cuts_fault, attr_at(at)->lines.numeric || !attr_at(at)->lines.n_cuts,
          "a nominal attribute has cuts")
HEFT_MUST(sloped_fault, attr_at(at)->lines.numeric || !attr_at(at)->sloped,
          "a nominal attribute has a slope")
HEFT_MUST(pair_fault, pair_at(at)->i < pair_at(at)->j, "the attributes are not in order")

/* Cells of a pair: one per pair of codes. */
static uint64_t all_cells(const heft_at *at)
{
    const heft_pair_table  *pair = pair_at(at);
    const heft_pooled_attr *attr = pooled_at(at)->attr;
    return (uint64_t)attr[pair->i].n_codes[pair->view_i] * attr[pair->j].n_codes[pair->view_j];
}

HEFT_MUST(n_cells_fault, pair_at(at)->n_cells <= all_cells(at), "it has more lines than cells")

HEFT_DIM(present, "P", pooled_at(at)->n_class);
HEFT_DIM(cuts, "own.n_cuts", attr_at(at)->lines.n_cuts);
HEFT_DIM(lines, "lines", attr_at(at)->lines.n_lines);
HEFT_DIM(sloped, "own.sloped is 1", attr_at(at)->sloped);
HEFT_DIM(views, "own.n_views", attr_at(at)->n_views);
HEFT_DIM(view_0, "own.n_views > 0", attr_at(at)->n_views > 0);
HEFT_DIM(view_1, "own.n_views > 1", attr_at(at)->n_views > 1);
HEFT_DIM(view_2, "own.n_views > 2", attr_at(at)->n_views > 2);
HEFT_DIM(view_3, "own.n_views > 3", attr_at(at)->n_views > 3);
HEFT_DIM(codes_0, "its codes", attr_at(at)->n_codes[0]);
HEFT_DIM(codes_1, "its codes", attr_at(at)->n_codes[1]);
HEFT_DIM(codes_2, "its codes", attr_at(at)->n_codes[2]);
HEFT_DIM(codes_3, "its codes", attr_at(at)->n_codes[3]);
HEFT_DIM(views_i, "views of the first", pooled_at(at)->attr[pair_at(at)->i].n_views);
HEFT_DIM(views_j, "views of the second", pooled_at(at)->attr[pair_at(at)->j].n_views);
HEFT_DIM(all, "cells", all_cells(at));
HEFT_DIM(n_cells, "own.pair.n_cells", pair_at(at)->n_cells);
HEFT_DIM(searched, "own.pair.n_cells is below all cells", pair_at(at)->n_cells < all_cells(at));
HEFT_DIM(n_pairs, "pairs", pooled_at(at)->n_pairs);

static const heft_each attrs = {.what = "attribute", HEFT_EACH(heft_pooled, attr, n_attr)};
static const heft_each pairs = {.what = "pair", HEFT_EACH(heft_pooled, pair, n_pairs)};

#define ATTR(member)  HEFT_VALUE(heft_pooled_attr, member), .each = &attrs
#define ATTRS(member) HEFT_ARRAY(heft_pooled_attr, member), .each = &attrs
#define PAIR(member)  HEFT_VALUE(heft_pair_table, member), .each = &pairs
#define PAIRS(member) HEFT_ARRAY(heft_pair_table, member), .each = &pairs
#define VIEW(k)                                                                                    \
    {                                                                                              \
        "own.view." #k, HEFT_U32, ATTRS(view[k]), .where = &view_##k, .dims = {&lines},            \
                                                  .below = &codes_##k,                             \
                                                  .help = "codes of the lines in view " #k         \
    }

static const heft_tensor fields[] = {
    {"own.class", HEFT_U32, HEFT_ARRAY(heft_pooled, present), HEFT_COUNTS(heft_pooled, n_class),
     .least = 1, .below = &heft_dim_classes, .order = HEFT_RISING,
     .help = "the P classes that have rows"},
    {"own.bias", HEFT_F64, HEFT_ARRAY(heft_pooled, bias), .dims = {&present}, .lo = -1e15,
     .hi = 1e15, .help = "score of each before any attribute"},
    {"own.n_cuts", HEFT_U32, ATTR(lines.n_cuts), .hi = UINT32_MAX - 4.0, .check = n_cuts_fault,
     .help = "number of cuts"},
    {"own.cuts", HEFT_F64, ATTRS(lines.cuts), .dims = {&cuts}, .order = HEFT_RISING,
     .help = "the cuts of all resolutions"},
    {"own.apart", HEFT_U8, ATTR(lines.apart), .hi = 1, .then = set_lines,
     .help = "1: unseen values have a line of their own"},
    {"own.table", HEFT_F64, ATTRS(table), .dims = {&lines, &present}, .lo = -1e15, .hi = 1e15,
     .help = "evidence of each line: intervals or values, unseen, missing"},
    {"own.sloped", HEFT_U8, ATTR(sloped), .hi = 1, .check = sloped_fault,
     .help = "1: a slope is added"},
    {"own.slope", HEFT_F64, ATTRS(slope), .where = &sloped, .dims = {&present}, .lo = -1e15,
     .hi = 1e15, .help = "evidence per unit of the scaled number"},
    {"own.mean", HEFT_F64, ATTR(lines.mean), .where = &sloped, .help = "centre of the scale"},
    {"own.sd", HEFT_F64, ATTR(lines.sd), .where = &sloped, .lo = DBL_TRUE_MIN, .hi = DBL_MAX,
     .help = "unit of the scale"},
    {"own.n_views", HEFT_U8, ATTR(n_views), .hi = HEFT_N_RES, .help = "number of views"},
    {"own.n_codes", HEFT_U32, ATTR(n_codes[0]), .dims = {&views}, .help = "codes of each view"},
    VIEW(0),
    VIEW(1),
    VIEW(2),
    VIEW(3),
    {"own.pair.i", HEFT_U32, PAIR(i), HEFT_COUNTS(heft_pooled, n_pairs), .below = &heft_dim_attrs,
     .help = "first attribute of each pair"},
    {"own.pair.j", HEFT_U32, PAIR(j), .below = &heft_dim_attrs, .check = pair_fault,
     .help = "second attribute of each pair"},
    {"own.pair.view_i", HEFT_U8, PAIR(view_i), .below = &views_i, .help = "view of the first"},
    {"own.pair.view_j", HEFT_U8, PAIR(view_j), .below = &views_j, .help = "view of the second"},
    {"own.pair.n_cells", HEFT_U64, PAIR(n_cells), .lo = 1, .hi = 1e15, .check = n_cells_fault,
     .help = "lines of its table"},
    {"own.pair.key", HEFT_U64, PAIRS(key), .where = &searched, .dims = {&n_cells}, .below = &all,
     .order = HEFT_RISING, .help = "the cells that have a line"},
    {"own.pair.table", HEFT_F64, PAIRS(table), .dims = {&n_cells, &present}, .lo = -1e15,
     .hi = 1e15, .help = "evidence of each cell"},
    {"own.pair.size", HEFT_F64, HEFT_ARRAY(heft_pooled, size), .dims = {&n_pairs}, .lo = -1e15,
     .hi = 1e15, .help = "mean size of each pair's evidence"},
    {.name = NULL}};

const heft_state heft_pooled_state = {
    .size = sizeof(heft_pooled), .begin = begin_loading, .fields = fields};
