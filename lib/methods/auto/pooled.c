/* pooled.c - evidence of attribute values and of pairs of them, pooled into one additive score.
 *
 * The idea. Each member of the default method is a sum of tables over one attribute or two, and of
 * trees. So is a weighted sum of members: tables over the same codes are added, weights included,
 * and a prediction no longer knows which member its evidence came from. That is why predicting with
 * `auto` costs as much as with one member, and why it can be explained and exported as tables.
 *
 *   sum_m h_m (bias_m + sum_j T_mj[code of x_j] + sum_ij T_mij[codes of x_i, x_j] + trees_m)
 *     = bias + sum_j table_j[line of x_j] + sum_ij table_ij[cell] + trees
 *
 * Members code an attribute at different resolutions, therefore tables are kept by lines: the
 * intervals between all cuts of all resolutions and of all trees (coding.h), of which every code is
 * a set. Trees stay trees; the cuts they use become lines, so that a row is looked up once.
 *
 * Layout. All tables have lines of K numbers, one per class that has rows; `present` maps them to
 * the declared classes. Attribute j has one line per line of the coding (coding.h). Pair (i, j) has
 * one line per cell (view_i[line of x_i], view_j[line of x_j]): cell v q_j + w is line v q_j + w of
 * a dense table, and the place of v q_j + w among the increasing `key` of a sparse one.
 *
 * Pooling. Members are added one after the other, each times its factor, in the order of the calls:
 * tables of attributes by the code of each line, tables of pairs into the one that has the same
 * attributes and views. Two resolutions that give every line of an attribute the same code are one
 * view, so that their pairs share a table. heft_pooled_close ends it: from then on every line has
 * mean 0 over the classes, which changes no posterior but makes the sizes of evidence comparable.
 */
#include "methods/auto/pooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/all.h"
#include "base/sort.h"
#include "boost/tree_paths.h"

enum { BLOCK = 512 }; /* rows whose lines are looked up at once */

#define NONE SIZE_MAX

/* ---- pooling ---- */

heft_status heft_pooled_init(heft_ctx *ctx, const heft_coding *coding, heft_arena *arena,
                             heft_pooled *out)
{
    const size_t    m = coding->n_attr, K = out->n_class;
    const uint32_t *present = out->present;
    out->n_attr = m;
    HEFT_ALLOCS(ctx, arena, K, out->present, out->bias);
    memcpy(out->present, present, K * sizeof *present);
    HEFT_ALLOC(ctx, arena, out->attr, m);
    HEFT_ALLOC(ctx, arena, out->pair, out->capacity);
    HEFT_ALLOCS(ctx, &ctx->scratch, out->capacity + 1, out->head, out->next);
    for (size_t k = 0; k <= out->capacity; k++) out->head[k] = NONE;
    for (size_t j = 0; j < m; j++) {
        const heft_lines *from = &coding->attr[j];
        heft_lines       *to = &out->attr[j].lines;
        *to = *from;
        memset(to->code, 0, sizeof to->code);
        to->only = NULL;
        HEFT_ALLOC(ctx, arena, to->cuts, from->n_cuts);
        if (from->n_cuts) memcpy(to->cuts, from->cuts, from->n_cuts * sizeof *from->cuts);
        HEFT_ALLOC(ctx, arena, out->attr[j].table, from->n_lines * K);
    }
    return HEFT_OK;
}

/* The place of attribute j after the exchange. */
static size_t place_of(const heft_pooled *pooled, size_t j)
{
    return pooled->turn ? pooled->turn->column[j] : j;
}

/* The code of v after the exchange. Codes of gaps and of unseen values stay. */
static uint32_t code_of(const heft_pooled *pooled, size_t j, uint32_t v)
{
    const heft_lines *lines = &pooled->attr[j].lines;
    const size_t     *value = pooled->turn ? pooled->turn->value[j] : NULL;
    return value && v < lines->n_lines - 1 - lines->apart ? (uint32_t)value[v] : v;
}

/* The code of attribute j that goes to code v. */
static uint32_t code_from(const heft_pooled *pooled, size_t j, uint32_t v)
{
    uint32_t code = v;
    if (code_of(pooled, j, v) != v)
        for (code = 0; code_of(pooled, j, code) != v;) code++;
    return code;
}

/* n lines of K numbers, each to the place of its class. */
static void add_lines(const heft_pooled *pooled, double *to, const double *from, double factor,
                      size_t n)
{
    const size_t K = pooled->n_class;
    if (!pooled->turn) {
        heft_line_add(to, from, factor, n * K);
        return;
    }
    for (size_t l = 0; l < n; l++)
        for (size_t c = 0; c < K; c++)
            to[l * K + pooled->turn->class[c]] += factor * from[l * K + c];
}

void heft_pooled_bias(heft_pooled *pooled, double factor, const double *line)
{
    add_lines(pooled, pooled->bias, line, factor, 1);
}

heft_status heft_pooled_slope(heft_ctx *ctx, heft_pooled *pooled, size_t j, double factor,
                              const double *line, heft_arena *arena)
{
    heft_pooled_attr *a = &pooled->attr[place_of(pooled, j)];
    if (!a->slope) HEFT_ALLOC(ctx, arena, a->slope, pooled->n_class);
    a->sloped = true;
    add_lines(pooled, a->slope, line, factor, 1);
    return HEFT_OK;
}

void heft_pooled_add(heft_pooled *pooled, const heft_coding *coding, size_t j, unsigned res,
                     double factor, const double *table)
{
    const size_t      to = place_of(pooled, j), K = pooled->n_class;
    const heft_lines *lines = &coding->attr[to];
    for (uint32_t l = 0; l < lines->n_lines; l++)
        add_lines(pooled, pooled->attr[to].table + l * K,
                  table + code_from(pooled, j, lines->code[res][l]) * K, factor, 1);
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

/* The place of cell v q + w of the table of attributes i and j after the exchange. */
static uint64_t cell_of(const heft_pooled *pooled, heft_pair at, uint64_t cell, size_t q)
{
    return (uint64_t)code_of(pooled, at.i, (uint32_t)(cell / q)) * q +
           code_of(pooled, at.j, (uint32_t)(cell % q));
}

/* A new table is dense unless the cells that were seen are below a quarter of many. What a sparse
 * table has no line for stays 0. */
static heft_status open_table(heft_ctx *ctx, const heft_pooled *pooled, heft_pair at,
                              const heft_join *join, heft_arena *arena, heft_pair_table *pair)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    const size_t   q = pooled->attr[pair->j].n_codes[pair->view_j];
    const uint64_t cells = (uint64_t)pooled->attr[pair->i].n_codes[pair->view_i] * q;
    heft_ranked   *v, *spare;
    pair->n_cells = (size_t)cells;
    if (join && cells > 4096 && cells / 4 > join->n_seen) {
        pair->n_cells = join->n_seen;
        HEFT_ALLOC(ctx, arena, pair->key, join->n_seen);
        HEFT_ALLOCS(ctx, &ctx->scratch, join->n_seen, v, spare);
        for (size_t k = 0; k < join->n_seen; k++)
            v[k] = (heft_ranked){cell_of(pooled, at, join->key[k], q), k};
        heft_order_sort(v, spare, join->n_seen);
        for (size_t k = 0; k < join->n_seen; k++) pair->key[k] = v[k].key;
    }
    HEFT_ALLOC(ctx, arena, pair->table, pair->n_cells * pooled->n_class);
    return HEFT_OK;
}

heft_status heft_pooled_pair_add(heft_ctx *ctx, heft_pooled *pooled, const heft_coding *coding,
                                 const heft_pair_evidence *evidence, double factor,
                                 heft_arena *arena)
{
    const size_t     K = pooled->n_class;
    const heft_pair  at = evidence->at;
    const heft_pair  to = {(uint32_t)place_of(pooled, at.i), (uint32_t)place_of(pooled, at.j)};
    const heft_join *join = evidence->join;
    heft_pair_table *pair;
    HEFT_CHECK(pair_of(ctx, pooled, coding, to, evidence->res, arena, &pair));
    if (!pair->table) HEFT_CHECK(open_table(ctx, pooled, at, join, arena, pair));
    if (!join && !pooled->turn) {
        heft_line_add(pair->table, evidence->table, factor, pair->n_cells * K);
        return HEFT_OK;
    }
    const size_t q = pooled->attr[pair->j].n_codes[pair->view_j];
    const size_t n = join ? join->n_seen : pair->n_cells;
    for (size_t k = 0; k < n; k++) {
        const uint64_t cell = cell_of(pooled, at, join ? join->key[k] : k, q);
        const size_t   line =
            pair->key ? heft_key_find(pair->key, pair->n_cells, cell) : (size_t)cell;
        if (line < pair->n_cells) /* cells without a line are left out */
            add_lines(pooled, pair->table + line * K, evidence->table + k * K, factor, 1);
    }
    return HEFT_OK;
}

/* ---- trees ---- */

typedef struct used_cuts {
    size_t  n, room;
    double *cut;
} used_cuts;

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The cut of a numeric split: cells up to it go left. -INFINITY: missing cells alone. */
static double cut_of(const heft_bin_attr *a, uint32_t at)
{
    return a->own_missing && at == 0 ? -INFINITY : a->cuts[at - a->own_missing];
}

/* Lists the cuts of all numeric splits by attribute, in a first pass only counting them. */
static void list_cuts(const heft_boosted_sets *sets, bool counting, used_cuts *used)
{
    for (const heft_boosted *b = sets->set; b < sets->set + sets->n; b++)
        for (size_t k = 0; k < b->trees.n_splits; k++) {
            const heft_tree_split *s = &b->trees.split[k];
            const heft_bin_attr   *a = &b->bins.attr[s->attr];
            if (s->n_listed || cut_of(a, s->at) == -INFINITY) continue;
            for (size_t t = 0; t < sets->turns->n; t++) {
                used_cuts *u = &used[sets->turns->of[t].column[a->attr]];
                if (counting) u->room++;
                else u->cut[u->n++] = cut_of(a, s->at);
            }
        }
}

heft_status heft_trees_refine(heft_ctx *ctx, const heft_boosted_sets *sets, heft_arena *arena)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_coding *coding = sets->coding;
    used_cuts   *used;
    HEFT_ALLOC(ctx, &ctx->scratch, used, coding->n_attr);
    list_cuts(sets, true, used);
    for (size_t j = 0; j < coding->n_attr; j++)
        HEFT_ALLOC(ctx, &ctx->scratch, used[j].cut, used[j].room);
    list_cuts(sets, false, used);
    for (size_t j = 0; j < coding->n_attr; j++) {
        used_cuts *u = &used[j];
        size_t     n = 0;
        if (u->n == 0) continue;
        qsort(u->cut, u->n, sizeof *u->cut, by_value);
        for (size_t k = 0; k < u->n; k++)
            if (n == 0 || u->cut[k] != u->cut[n - 1]) u->cut[n++] = u->cut[k];
        HEFT_CHECK(heft_coding_refine(ctx, coding, j, u->cut, n, arena));
    }
    return HEFT_OK;
}

/* The value that value v of attribute j goes to. */
static uint32_t value_at(const heft_pooled *pooled, const heft_coding *coding, size_t j, uint32_t v)
{
    const uint32_t *code = coding->attr[place_of(pooled, j)].code[HEFT_AT_5];
    uint32_t        l = 0;
    if (!pooled->turn) return v;
    while (code[l] != code_of(pooled, j, coding->attr[j].code[HEFT_AT_5][v])) l++;
    return l;
}

/* The split in terms of the lines of the pooled attributes. */
static void convert_split(const heft_pooled *pooled, const heft_coding *coding,
                          const heft_bins *bins, const heft_tree_split *from,
                          const uint32_t *listed, heft_trees *to)
{
    const heft_bin_attr    *a = &bins->attr[from->attr];
    const size_t            place = place_of(pooled, a->attr);
    const heft_pooled_attr *p = &pooled->attr[place];
    heft_tree_split        *s = &to->split[to->n_splits++];
    *s = *from;
    s->attr = (uint32_t)place;
    if (from->n_listed == 0) { /* line + 1 of the cells up to the cut */
        const double cut = cut_of(a, from->at);
        s->at = cut == -INFINITY ? 0 : heft_line_number(&p->lines, cut) + 1;
        return;
    }
    s->at = (uint32_t)to->n_listed;
    for (size_t k = 0; k < from->n_listed; k++) {
        const uint32_t code = listed[from->at + k];
        const bool     missing = code == a->missing;
        to->listed[to->n_listed++] =
            missing ? p->lines.n_lines - 1 : value_at(pooled, coding, a->attr, a->value_of[code]);
    }
    qsort(to->listed + s->at, s->n_listed, sizeof *to->listed, by_number);
}

/* The fraction of the training rows, all those of the table, that has each line. */
static heft_status set_shares(heft_ctx *ctx, heft_pooled *pooled, const heft_sample *sample,
                              heft_arena *arena)
{
    double   total = 0;
    uint32_t line[BLOCK];
    for (size_t i = 0; i < sample->n; i++) total += heft_sample_weight(sample, i);
    HEFT_CHECK(heft_all_sum(ctx, &total, 1));
    for (size_t j = 0; j < pooled->n_attr; j++) {
        heft_pooled_attr *a = &pooled->attr[j];
        HEFT_ALLOC(ctx, arena, a->share, a->lines.n_lines);
        HEFT_BLOCKS_OF (BLOCK, lo, hi, sample->n) {
            heft_lines_at(&a->lines, &sample->rows->attr[j], lo, hi - lo, line);
            for (size_t i = lo; i < hi; i++)
                a->share[line[i - lo]] += heft_sample_weight(sample, i);
        }
        HEFT_CHECK(heft_all_sum(ctx, a->share, a->lines.n_lines));
        for (size_t l = 0; l < a->lines.n_lines; l++) a->share[l] /= total;
    }
    return HEFT_OK;
}

/* Adds the effects of values. With two classes half of an effect is added to the second class and
 * subtracted from the first. */
static void add_effects(heft_pooled *pooled, const heft_coding *coding, const heft_boosted *b,
                        double factor)
{
    const heft_value_effects *e = &b->effects;
    const double             *table = heft_value_effects_of(e, b->trees.n_trees);
    const size_t              K = pooled->n_class;
    if (!table) return;
    for (size_t k = 0; k < e->n_attr; k++) {
        const size_t  place = place_of(pooled, e->attr[k]);
        double       *to = pooled->attr[place].table;
        const double *v = table + e->first[k] * e->n_columns;
        for (uint32_t l = 0; l < e->first[k + 1] - e->first[k]; l++, v += e->n_columns)
            add_lines(pooled, to + value_at(pooled, coding, e->attr[k], l) * K,
                      K > 2 ? v : (const double[]){-*v / 2, *v / 2}, factor, 1);
    }
}

/* Adds the values of the leaves, each at the place of its class. */
static void add_leaves(const heft_pooled *pooled, const heft_boosted *b, double factor,
                       heft_trees *to)
{
    double *value = to->value + to->n_leaves * to->n_columns;
    if (to->n_columns > 1) {
        add_lines(pooled, value, b->trees.value, factor, b->trees.n_leaves);
    } else {
        const bool exchanged = pooled->turn && pooled->turn->class[0] == 1;
        for (size_t k = 0; k < b->trees.n_leaves; k++)
            value[k] = (exchanged ? -factor : factor) * b->trees.value[k];
    }
    to->n_leaves += b->trees.n_leaves;
}

static void add_boosted(heft_pooled *pooled, const heft_coding *coding, const heft_boosted *b,
                        double factor)
{
    heft_trees *to = &pooled->trees;
    for (size_t k = 0; k < b->bins.n_attr; k++) {
        const heft_bin_attr *a = &b->bins.attr[k];
        heft_pooled_attr    *p = &pooled->attr[place_of(pooled, a->attr)];
        if (!a->nominal)
            p->tree_missing = a->own_missing ? 0 : heft_line_number(&p->lines, a->median) + 1;
    }
    for (size_t t = 0; t < b->trees.n_trees; t++)
        to->tree[to->n_trees++].n_leaves = b->trees.tree[t].n_leaves;
    for (size_t k = 0; k < b->trees.n_splits; k++)
        convert_split(pooled, coding, &b->bins, &b->trees.split[k], b->trees.listed, to);
    add_leaves(pooled, b, factor, to);
    heft_pooled_bias(pooled, factor, b->start);
    add_effects(pooled, coding, b, factor);
}

heft_status heft_pooled_trees_add(heft_ctx *ctx, heft_pooled *pooled, const heft_sample *sample,
                                  const heft_boosted_sets *sets, double factor, heft_arena *arena)
{
    heft_trees  *to = &pooled->trees;
    const size_t n = sets->turns->n;
    *to = (heft_trees){.n_columns = sets->set[0].trees.n_columns};
    for (const heft_boosted *b = sets->set; b < sets->set + sets->n; b++) {
        to->n_trees += n * b->trees.n_trees;
        to->n_splits += n * b->trees.n_splits;
        to->n_listed += n * b->trees.n_listed;
        to->n_leaves += n * b->trees.n_leaves;
    }
    HEFT_ALLOC(ctx, arena, to->tree, to->n_trees);
    HEFT_ALLOC(ctx, arena, to->split, to->n_splits);
    HEFT_ALLOC(ctx, arena, to->listed, to->n_listed);
    HEFT_ALLOC(ctx, arena, to->value, to->n_leaves * to->n_columns);
    to->n_trees = to->n_splits = to->n_listed = to->n_leaves = 0;
    for (size_t t = 0; t < n; t++) {
        pooled->turn = n > 1 ? &sets->turns->of[t] : NULL;
        for (const heft_boosted *b = sets->set; b < sets->set + sets->n; b++)
            add_boosted(pooled, sets->coding, b, factor * b->weight / (double)n);
    }
    (void)heft_trees_index(to);
    return set_shares(ctx, pooled, sample, arena);
}

/* ---- the end of pooling ---- */

/* Subtracts from every line its mean over the classes. */
static void centre(double *v, size_t n_lines, size_t K)
{
    for (size_t l = 0; l < n_lines; l++, v += K) {
        double mean = 0;
        for (size_t c = 0; c < K; c++) mean += v[c] / (double)K;
        for (size_t c = 0; c < K; c++) v[c] -= mean;
    }
}

static void centre_all(heft_pooled *pooled)
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
    if (pooled->trees.n_columns > 1) centre(pooled->trees.value, pooled->trees.n_leaves, K);
}

#define NO_CODE UINT32_MAX

/* Whether the codes of view `fine` determine those of view `coarse`: code[n_codes of fine], NO_CODE
 * where no line has the code. */
static bool is_finer(const heft_pooled_attr *a, size_t fine, size_t coarse, uint32_t *code)
{
    for (uint32_t v = 0; v < a->n_codes[fine]; v++) code[v] = NO_CODE;
    for (uint32_t l = 0; l < a->lines.n_lines; l++) {
        uint32_t *to = &code[a->view[fine][l]];
        if (*to != NO_CODE && *to != a->view[coarse][l]) return false;
        *to = a->view[coarse][l];
    }
    return true;
}

/* Adds table `from` to `to` where both are over the same attributes, `to` has the finer codes, and
 * both have a line for every cell. Then `from` has no table any more. */
static heft_status add_coarse(heft_ctx *ctx, const heft_pooled *p, heft_pair_table *from,
                              heft_pair_table *to)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_pooled_attr *a = &p->attr[to->i], *b = &p->attr[to->j];
    const size_t q_i = a->n_codes[to->view_i], q_j = b->n_codes[to->view_j], K = p->n_class;
    uint32_t    *code_i, *code_j;
    if (from->i != to->i || from->j != to->j || !from->table || from->key || to->key)
        return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, code_i, q_i);
    HEFT_ALLOC(ctx, &ctx->scratch, code_j, q_j);
    if (!is_finer(a, to->view_i, from->view_i, code_i) ||
        !is_finer(b, to->view_j, from->view_j, code_j))
        return HEFT_OK;
    for (size_t v = 0; v < q_i; v++)
        for (size_t w = 0; w < q_j; w++) {
            const size_t cell = (size_t)code_i[v] * b->n_codes[from->view_j] + code_j[w];
            if (code_i[v] == NO_CODE || code_j[w] == NO_CODE) continue;
            heft_line_add(to->table + (v * q_j + w) * K, from->table + cell * K, 1, K);
        }
    from->table = NULL;
    return HEFT_OK;
}

/* Members have tables of the same pair at several resolutions. One look-up is enough where the
 * codes of one resolution are unions of those of another. */
static heft_status merge_pairs(heft_ctx *ctx, heft_pooled *p)
{
    size_t n = 0;
    for (size_t k = 0; k < p->n_pairs; k++) /* a list has the last pair first */
        for (size_t m = p->next[k]; m != NONE; m = p->next[m])
            HEFT_CHECK(add_coarse(ctx, p, &p->pair[m], &p->pair[k]));
    for (size_t k = p->n_pairs; k-- > 0;)
        for (size_t m = p->next[k]; m != NONE && p->pair[k].table; m = p->next[m])
            if (p->pair[m].table) HEFT_CHECK(add_coarse(ctx, p, &p->pair[k], &p->pair[m]));
    for (size_t k = 0; k < p->n_pairs; k++)
        if (p->pair[k].table) p->pair[n++] = p->pair[k];
    p->n_pairs = n;
    p->head = p->next = NULL;
    return HEFT_OK;
}

/* Drops the views that no pair has any more. */
static heft_status drop_views(heft_ctx *ctx, heft_pooled *p)
{
    HEFT_SCRATCH_SCOPE(ctx);
    uint8_t(*place)[HEFT_N_RES]; /* 1 where a view is used, then its number */
    HEFT_ALLOC(ctx, &ctx->scratch, place, p->n_attr);
    for (const heft_pair_table *k = p->pair; k < p->pair + p->n_pairs; k++)
        place[k->i][k->view_i] = place[k->j][k->view_j] = 1;
    for (size_t j = 0; j < p->n_attr; j++) {
        heft_pooled_attr *a = &p->attr[j];
        uint8_t           n = 0;
        for (size_t v = 0; v < a->n_views; v++) {
            if (!place[j][v]) continue;
            a->view[n] = a->view[v];
            a->n_codes[n] = a->n_codes[v];
            place[j][v] = n++;
        }
        a->n_views = n;
    }
    for (heft_pair_table *k = p->pair; k < p->pair + p->n_pairs; k++) {
        k->view_i = place[k->i][k->view_i];
        k->view_j = place[k->j][k->view_j];
    }
    return HEFT_OK;
}

/* Rounds n numbers to whole multiples of a power of two, of which 2^(bits - 1) is above them all.
 * Returns it. */
static double round_all(double *v, size_t n, int bits)
{
    double most = 0;
    int    power;
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
    frexp(most, &power);
    if (most == 0) power = 0;
    const double step = ldexp(1, power + 1 - bits), top = ldexp(1, bits - 1) - 1;
    for (size_t k = 0; k < n; k++)
        v[k] = fmax(fmin(nearbyint(v[k] / step), top), -top) * step + 0.0;
    return step;
}

heft_status heft_pooled_close(heft_ctx *ctx, heft_pooled *pooled)
{
    heft_trees *t = &pooled->trees;
    HEFT_CHECK(merge_pairs(ctx, pooled));
    HEFT_CHECK(drop_views(ctx, pooled));
    centre_all(pooled);
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        heft_pair_table *pair = &pooled->pair[k];
        pair->step = round_all(pair->table, pair->n_cells * pooled->n_class, 16);
    }
    pooled->leaf_step = round_all(t->value, t->n_leaves * t->n_columns, 32);
    return HEFT_OK;
}

/* Puts the numbers of n lines into the order[K] of the classes. */
static heft_status turn_lines(heft_ctx *ctx, const size_t *order, size_t K, double *v, size_t n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *line;
    HEFT_ALLOC(ctx, &ctx->scratch, line, K);
    for (size_t l = 0; l < n; l++, v += K) {
        memcpy(line, v, K * sizeof *v);
        for (size_t c = 0; c < K; c++) v[c] = line[order[c]];
    }
    return HEFT_OK;
}

/* Puts the classes into the order of their numbers. */
static heft_status turn_classes(heft_ctx *ctx, heft_pooled *p)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = p->n_class;
    size_t      *order;
    heft_ranked *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, order, v, spare);
    for (size_t c = 0; c < K; c++) v[c] = (heft_ranked){p->present[c], c};
    heft_order_sort(v, spare, K);
    for (size_t c = 0; c < K; c++) {
        order[c] = v[c].row;
        p->present[c] = (uint32_t)v[c].key;
    }
    HEFT_CHECK(turn_lines(ctx, order, K, p->bias, 1));
    for (size_t j = 0; j < p->n_attr; j++) {
        heft_pooled_attr *a = &p->attr[j];
        HEFT_CHECK(turn_lines(ctx, order, K, a->table, a->lines.n_lines));
        if (a->slope) HEFT_CHECK(turn_lines(ctx, order, K, a->slope, 1));
    }
    for (size_t k = 0; k < p->n_pairs; k++)
        HEFT_CHECK(turn_lines(ctx, order, K, p->pair[k].table, p->pair[k].n_cells));
    if (p->trees.n_columns > 1) return turn_lines(ctx, order, K, p->trees.value, p->trees.n_leaves);
    if (K == 2 && order[0] == 1)
        for (size_t k = 0; k < p->trees.n_leaves; k++) p->trees.value[k] = -p->trees.value[k];
    return HEFT_OK;
}

heft_status heft_pair_turn(heft_ctx *ctx, const heft_pooled *p, heft_arena *arena,
                           heft_pair_table *pair)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    const heft_pair_table old = *pair;
    const size_t          K = p->n_class, q_i = p->attr[old.i].n_codes[old.view_i],
                 q_j = p->attr[old.j].n_codes[old.view_j];
    heft_ranked *v, *spare;
    *pair = (heft_pair_table){.i = old.j,
                              .j = old.i,
                              .view_i = old.view_j,
                              .view_j = old.view_i,
                              .n_cells = old.n_cells,
                              .key = old.key,
                              .step = old.step};
    HEFT_ALLOCS(ctx, &ctx->scratch, old.n_cells, v, spare);
    for (size_t k = 0; k < old.n_cells; k++) {
        const uint64_t cell = old.key ? old.key[k] : k;
        v[k] = (heft_ranked){cell % q_j * q_i + cell / q_j, k};
    }
    heft_order_sort(v, spare, old.n_cells);
    HEFT_ALLOC(ctx, arena, pair->table, old.n_cells * K);
    for (size_t k = 0; k < old.n_cells; k++) {
        if (pair->key) pair->key[k] = v[k].key;
        memcpy(pair->table + k * K, old.table + v[k].row * K, K * sizeof *old.table);
    }
    return HEFT_OK;
}

heft_status heft_pooled_interactions(heft_ctx *ctx, heft_pooled *pooled, heft_arena *arena)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    heft_interaction *list;
    size_t            n = pooled->n_pairs;
    HEFT_ALLOC(ctx, &ctx->scratch, list, n);
    for (size_t k = 0; k < n; k++)
        list[k] = (heft_interaction){.n = 2, .attr = {pooled->pair[k].i, pooled->pair[k].j}};
    heft_tree_attr *attr;
    HEFT_ALLOC(ctx, &ctx->scratch, attr, pooled->n_attr);
    for (size_t j = 0; j < pooled->n_attr; j++) {
        const heft_pooled_attr *a = &pooled->attr[j];
        attr[j] = (heft_tree_attr){a->lines.numeric, a->lines.n_lines, a->tree_missing, a->share};
    }
    const heft_expansion x = {.trees = &pooled->trees,
                              .n_columns = pooled->n_class,
                              .n_attr = pooled->n_attr,
                              .attr = attr};
    HEFT_CHECK(heft_interactions_find(ctx, &x, arena, &list, &n));
    pooled->interaction = list;
    pooled->n_interactions = n;
    return HEFT_OK;
}

/* The interactions of the widened model: attribute k is used[k] now. */
static heft_status list_interactions(heft_ctx *ctx, heft_pooled *pooled, const size_t *used,
                                     heft_arena *arena)
{
    const size_t      n = pooled->n_interactions;
    heft_interaction *list;
    HEFT_ALLOC(ctx, arena, list, n);
    for (size_t k = 0; k < n; k++) {
        const heft_interaction *was = &pooled->interaction[k];
        uint32_t               *attr = list[k].attr;
        list[k].n = was->n;
        list[k].size = was->size;
        for (size_t m = 0; m < was->n; m++) {
            size_t at = m; /* they are listed from the lowest */
            for (; at > 0 && attr[at - 1] > used[was->attr[m]]; at--) attr[at] = attr[at - 1];
            attr[at] = (uint32_t)used[was->attr[m]];
        }
    }
    heft_interactions_sort(list, n);
    pooled->interaction = list;
    if (heft_trees_width(&pooled->trees) <= HEFT_JOINT_ATTRS) return HEFT_OK;
    pooled->n_listed = n * HEFT_JOINT_ATTRS;
    HEFT_ALLOC(ctx, arena, pooled->listed, pooled->n_listed);
    for (size_t k = 0; k < pooled->n_listed; k++) {
        const heft_interaction *of = &list[k / HEFT_JOINT_ATTRS];
        const size_t            m = k % HEFT_JOINT_ATTRS;
        pooled->listed[k] = m < of->n ? of->attr[m] : UINT32_MAX;
    }
    return HEFT_OK;
}

heft_status heft_pooled_widen(heft_ctx *ctx, heft_pooled *pooled, const size_t *used,
                              const heft_rows *rows, bool unseen_apart, heft_arena *arena)
{
    heft_pooled_attr *attr;
    HEFT_CHECK(turn_classes(ctx, pooled));
    HEFT_ALLOC(ctx, arena, attr, rows->n_attr);
    for (size_t k = 0; k < pooled->n_pairs; k++) {
        heft_pair_table *pair = &pooled->pair[k];
        if (used[pair->i] > used[pair->j]) HEFT_CHECK(heft_pair_turn(ctx, pooled, arena, pair));
        pair->i = (uint32_t)used[pair->i];
        pair->j = (uint32_t)used[pair->j];
    }
    for (size_t k = 0; k < pooled->trees.n_splits; k++)
        pooled->trees.split[k].attr = (uint32_t)used[pooled->trees.split[k].attr];
    for (size_t k = 0; k < pooled->n_attr; k++) attr[used[k]] = pooled->attr[k];
    for (size_t j = 0; j < rows->n_attr; j++) {
        heft_lines *lines = &attr[j].lines;
        if (attr[j].table) continue;
        lines->numeric = !rows->attr[j].coded;
        lines->apart = !lines->numeric && unseen_apart;
        lines->n_lines = lines->numeric ? 2 : rows->attr[j].n_codes + lines->apart + 1;
        HEFT_ALLOC(ctx, arena, lines->cuts, 0);
        HEFT_ALLOC(ctx, arena, attr[j].table, lines->n_lines * pooled->n_class);
        if (pooled->trees.n_trees) HEFT_ALLOC(ctx, arena, attr[j].share, lines->n_lines);
        if (pooled->has_errors) HEFT_ALLOC(ctx, arena, attr[j].error, lines->n_lines);
    }
    pooled->attr = attr;
    pooled->n_attr = rows->n_attr;
    return list_interactions(ctx, pooled, used, arena);
}
