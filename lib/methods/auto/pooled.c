/* pooled.c - evidence of attribute values and of pairs of them, pooled into one additive score. */
#include "methods/auto/pooled.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "model/validate.h"

enum { BLOCK = 256 }; /* rows scored at once */

#define NONE SIZE_MAX

static const double LARGEST = 1e15; /* of a number that is read */

/* ---- pooling ---- */

heft_status heft_pooled_init(heft_ctx *ctx, const heft_coding *coding, const uint32_t *present,
                             size_t n_class, size_t n_declared, size_t room, heft_arena *arena,
                             heft_pooled *out)
{
    const size_t m = coding->n_attr;

    *out = (heft_pooled){.n_attr = m, .n_class = n_class, .n_declared = n_declared, .room = room};
    HEFT_ALLOC(ctx, arena, out->present, n_class);
    memcpy(out->present, present, n_class * sizeof *present);
    HEFT_ALLOC(ctx, arena, out->bias, n_class);
    HEFT_ALLOC(ctx, arena, out->attr, m);
    HEFT_ALLOC(ctx, arena, out->pair, room);
    HEFT_ALLOC(ctx, arena, out->size, room);
    HEFT_ALLOC(ctx, &ctx->scratch, out->head, room + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, out->next, room);
    for (size_t k = 0; k <= room; k++) out->head[k] = NONE;
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

void heft_pooled_add(heft_pooled *pooled, const heft_coding *coding, size_t j, unsigned res,
                     double factor, const double *table)
{
    const heft_lines *lines = &coding->attr[j];
    const size_t      K = pooled->n_class;
    for (uint32_t l = 0; l < lines->n_lines; l++) {
        const double *from = table + lines->code[res][l] * K;
        double       *to = pooled->attr[j].table + l * K;
        for (size_t c = 0; c < K; c++) to[c] += factor * from[c];
    }
}

void heft_pooled_slope(heft_pooled *pooled, size_t j, double *slope)
{
    pooled->attr[j].slope = slope;
}

/* The view of attribute j that codes as the resolution does. */
static heft_status view_of(heft_ctx *ctx, heft_pooled_attr *a, const heft_lines *lines,
                           unsigned res, heft_arena *arena, uint8_t *out)
{
    const size_t bytes = lines->n_lines * sizeof **a->view;

    for (size_t k = 0; k < a->n_views; k++)
        if (memcmp(a->view[k], lines->code[res], bytes) == 0) {
            *out = (uint8_t)k;
            return HEFT_OK;
        }
    HEFT_ALLOC(ctx, arena, a->view[a->n_views], lines->n_lines);
    memcpy(a->view[a->n_views], lines->code[res], bytes);
    a->n_codes[a->n_views] = lines->n_codes[res];
    *out = (uint8_t)a->n_views++;
    return HEFT_OK;
}

/* By both members: one attribute may be in every pair. */
static size_t *list_of(const heft_pooled *pooled, heft_pair at)
{
    const uint64_t mixed = ((uint64_t)at.i << 32 | at.j) * UINT64_C(0x9E3779B97F4A7C15);
    return &pooled->head[(mixed >> 20) % (pooled->room + 1)];
}

static heft_status pair_of(heft_ctx *ctx, heft_pooled *pooled, const heft_coding *coding,
                           heft_pair at, unsigned res, heft_arena *arena, heft_pair_table **out)
{
    heft_pair_table new = {.i = at.i, .j = at.j};
    heft_pooled_attr *a = &pooled->attr[at.i], *b = &pooled->attr[at.j];
    size_t           *head = list_of(pooled, at);

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

/* Tables of pairs are dense unless most of their cells would be empty. */
static heft_status new_table(heft_ctx *ctx, heft_pooled *pooled, heft_pair_table *pair,
                             const heft_join *join, heft_arena *arena)
{
    const uint64_t cells = (uint64_t)pooled->attr[pair->i].n_codes[pair->view_i] *
                           pooled->attr[pair->j].n_codes[pair->view_j];
    pair->n_cells = (size_t)cells;
    if (join && cells > 4096 && cells / 4 > join->n_seen) {
        pair->n_cells = join->n_seen;
        HEFT_ALLOC(ctx, arena, pair->key, join->n_seen);
        memcpy(pair->key, join->key, join->n_seen * sizeof *join->key);
    }
    HEFT_ALLOC(ctx, arena, pair->table, pair->n_cells * pooled->n_class);
    return HEFT_OK;
}

heft_status heft_pooled_pair_add(heft_ctx *ctx, heft_pooled *pooled, const heft_coding *coding,
                                 heft_pair at, unsigned res, const heft_join *join, double factor,
                                 const double *table, heft_arena *arena)
{
    const size_t     K = pooled->n_class;
    heft_pair_table *pair;

    HEFT_CHECK(pair_of(ctx, pooled, coding, at, res, arena, &pair));
    if (!pair->table) HEFT_CHECK(new_table(ctx, pooled, pair, join, arena));
    if (join && !pair->key) {
        for (size_t k = 0; k < join->n_seen; k++)
            for (size_t c = 0; c < K; c++)
                pair->table[(size_t)join->key[k] * K + c] += factor * table[k * K + c];
    } else if (join) { /* both lists increase; a cell that is in neither is no evidence */
        for (size_t k = 0, to = 0; k < join->n_seen; k++) {
            while (to < pair->n_cells && pair->key[to] < join->key[k]) to++;
            if (to == pair->n_cells || pair->key[to] != join->key[k]) continue;
            for (size_t c = 0; c < K; c++) pair->table[to * K + c] += factor * table[k * K + c];
        }
    } else {
        for (size_t k = 0; k < pair->n_cells * K; k++) pair->table[k] += factor * table[k];
    }
    return HEFT_OK;
}

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

/* ---- scores ---- */

/* The line of a pair's table, NULL where it has none. */
static const double *pair_line(const heft_pooled *pooled, const heft_pair_table *pair,
                               uint32_t line_i, uint32_t line_j)
{
    const heft_pooled_attr *a = &pooled->attr[pair->i], *b = &pooled->attr[pair->j];
    const uint64_t cell = (uint64_t)a->view[pair->view_i][line_i] * b->n_codes[pair->view_j] +
                          b->view[pair->view_j][line_j];
    if (!pair->key) return pair->table + (size_t)cell * pooled->n_class;
    const size_t lo = heft_lower_bound_u64(pair->key, pair->n_cells, cell);
    return lo < pair->n_cells && pair->key[lo] == cell ? pair->table + lo * pooled->n_class : NULL;
}

static void add(double *to, const double *from, double factor, size_t K)
{
    for (size_t c = 0; c < K; c++) to[c] += factor * from[c];
}

/* The evidence of one attribute by itself, added. */
static void add_attr(const heft_pooled *pooled, const heft_rows *rows, size_t j, size_t i,
                     uint32_t line, double *to)
{
    const heft_pooled_attr *a = &pooled->attr[j];
    const size_t            K = pooled->n_class;
    const double           *from = a->table + line * K;
    for (size_t c = 0; c < K; c++) to[c] += from[c];
    if (a->slope) add(to, a->slope, heft_line_scaled(&a->lines, rows->attr[j].numbers[i]), K);
}

typedef struct scoring {
    const heft_pooled *pooled;
    const heft_rows   *rows;
    double            *log_joint;
} scoring;

static void block_lines(const heft_pooled *pooled, const heft_rows *rows, size_t j, size_t lo,
                        size_t n, uint32_t *line)
{
    for (size_t i = 0; i < n; i++)
        line[i] = heft_line_at(&pooled->attr[j].lines, &rows->attr[j], lo + i);
}

static inline __attribute__((always_inline)) void
dense_pair(const heft_pooled *p, const heft_pair_table *pair, const uint32_t *line_i,
           const uint32_t *line_j, size_t n, size_t K, double *sum)
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
    switch (K) {
    case 2:
        dense_pair(p, pair, line_i, line_j, n, 2, sum);
        break;
    case 3:
        dense_pair(p, pair, line_i, line_j, n, 3, sum);
        break;
    default:
        dense_pair(p, pair, line_i, line_j, n, K, sum);
    }
}

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const scoring     *job = arg;
    const heft_pooled *p = job->pooled;
    const size_t       K = p->n_class, n = hi - lo;
    uint32_t          *line;
    double            *sum;

    HEFT_ALLOC(ctx, &ctx->scratch, line, p->n_attr * n);
    HEFT_ALLOC(ctx, &ctx->scratch, sum, n * K);
    for (size_t i = 0; i < n; i++) memcpy(sum + i * K, p->bias, K * sizeof *sum);
    for (size_t j = 0; j < p->n_attr; j++) {
        block_lines(p, job->rows, j, lo, n, line + j * n);
        for (size_t i = 0; i < n; i++)
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
    scoring job = {pooled, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, score_block, &job);
}

/* own[(1 + n_attr) x K], over the classes that take part; each pair's line to `seen`, and `half` of
 * it to either attribute. */
static void take_apart(const heft_pooled *p, const heft_rows *rows, size_t i, uint32_t *line,
                       double half, double *own, const double **seen)
{
    const size_t K = p->n_class;
    memcpy(own, p->bias, K * sizeof *own);
    memset(own + K, 0, p->n_attr * K * sizeof *own);
    for (size_t j = 0; j < p->n_attr; j++) {
        block_lines(p, rows, j, i, 1, &line[j]);
        add_attr(p, rows, j, i, line[j], own + (1 + j) * K);
    }
    for (size_t k = 0; k < p->n_pairs; k++) {
        const heft_pair_table *pair = &p->pair[k];
        seen[k] = pair_line(p, pair, line[pair->i], line[pair->j]);
        if (!seen[k]) continue;
        add(own + (1 + pair->i) * K, seen[k], half, K);
        add(own + (1 + pair->j) * K, seen[k], half, K);
    }
}

typedef struct apart { /* one row taken apart */
    uint32_t      *line;
    double        *own;
    const double **seen;
} apart;

static heft_status apart_init(heft_ctx *ctx, const heft_pooled *p, apart *out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, out->line, p->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, out->own, (1 + p->n_attr) * p->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, out->seen, p->n_pairs);
    return HEFT_OK;
}

static heft_status parts_of(heft_ctx *ctx, const heft_pooled *pooled, const heft_rows *rows,
                            size_t i, double half, double *parts, double *of_pair)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    K = pooled->n_class, all = pooled->n_declared;
    apart           a;

    HEFT_TRY(apart_init(ctx, pooled, &a));
    take_apart(pooled, rows, i, a.line, half, a.own, a.seen);
    for (size_t k = 0; k < (1 + pooled->n_attr) * all; k++) parts[k] = k < all ? -INFINITY : 0;
    for (size_t j = 0; j <= pooled->n_attr; j++)
        for (size_t c = 0; c < K; c++) parts[j * all + pooled->present[c]] = a.own[j * K + c];
    if (!of_pair) goto done;
    memset(of_pair, 0, pooled->n_pairs * all * sizeof *of_pair);
    for (size_t k = 0; k < pooled->n_pairs; k++)
        for (size_t c = 0; a.seen[k] && c < K; c++)
            of_pair[k * all + pooled->present[c]] = a.seen[k][c];
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_pooled_parts(heft_ctx *ctx, const heft_pooled *pooled, const heft_rows *rows,
                              size_t i, double *parts)
{
    return parts_of(ctx, pooled, rows, i, 0.5, parts, NULL);
}

heft_status heft_pooled_apart(heft_ctx *ctx, const heft_pooled *pooled, const heft_rows *rows,
                              size_t i, double *parts, double *of_pair)
{
    return parts_of(ctx, pooled, rows, i, 0, parts, of_pair);
}

heft_status heft_pooled_sizes(heft_ctx *ctx, heft_pooled *pooled, const heft_rows *rows,
                              size_t step, double *of_attr)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    K = pooled->n_class;
    double         *of_pair = pooled->size;
    const size_t    n = (rows->n_rows + step - 1) / step;
    apart           a;

    HEFT_TRY(apart_init(ctx, pooled, &a));
    memset(of_attr, 0, pooled->n_attr * sizeof *of_attr);
    memset(of_pair, 0, pooled->n_pairs * sizeof *of_pair);
    HEFT_ROWS (i, n) {
        take_apart(pooled, rows, i * step, a.line, 0.5, a.own, a.seen);
        for (size_t j = 0; j < pooled->n_attr; j++)
            for (size_t c = 0; c < K; c++) of_attr[j] += fabs(a.own[(1 + j) * K + c]);
        for (size_t k = 0; k < pooled->n_pairs; k++)
            for (size_t c = 0; a.seen[k] && c < K; c++) of_pair[k] += fabs(a.seen[k][c]);
    }
    for (size_t j = 0; j < pooled->n_attr; j++) of_attr[j] /= (double)(n * K);
    for (size_t k = 0; k < pooled->n_pairs; k++) of_pair[k] /= (double)(n * K);
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- files ---- */

/* own.class     U32 K: classes that take part        own.bias       F64 K
 * own.n_cuts    U32 A; own.cuts F64                  own.apart      U8 A
 * own.table     F64 lines x K of each attribute      own.sloped     U8 A
 * own.slope     F64 K of each sloped attribute       own.scale      F64 2 of each: mean, sd
 * own.n_views   U32 A; own.view U32: codes of the lines of each view
 * own.n_codes   U32, one a view
 * own.pair      U32 n x 4: attributes, views         own.n_keys     U64 n, 0: dense; own.key U64
 * own.pair_table F64                                 own.size       F64, one a pair */

typedef struct sizes { /* of the arrays */
    size_t cuts, table, sloped, views, view, keys, pair_table;
} sizes;

static sizes sizes_of(const heft_pooled *p)
{
    sizes s = {0};
    for (size_t j = 0; j < p->n_attr; j++) {
        const heft_pooled_attr *a = &p->attr[j];
        s.cuts += a->lines.n_cuts;
        s.table += a->lines.n_lines * p->n_class;
        s.sloped += a->slope != NULL;
        s.views += a->n_views;
        s.view += a->n_views * a->lines.n_lines;
    }
    for (size_t k = 0; k < p->n_pairs; k++) {
        s.keys += p->pair[k].key ? p->pair[k].n_cells : 0;
        s.pair_table += p->pair[k].n_cells * p->n_class;
    }
    return s;
}

static heft_status save_attrs(heft_ctx *ctx, const heft_pooled *p, const sizes *s, heft_file *file)
{
    uint32_t *n_cuts, *n_views, *view, *n_codes;
    uint8_t  *apart_, *sloped;
    double   *cuts, *table, *slope, *scale;
    size_t    at_cuts = 0, at_table = 0, at_slope = 0, at_view = 0, at_codes = 0;

    HEFT_ALLOC(ctx, &ctx->scratch, n_cuts, p->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, n_views, p->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, apart_, p->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, sloped, p->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, cuts, s->cuts);
    HEFT_ALLOC(ctx, &ctx->scratch, table, s->table);
    HEFT_ALLOC(ctx, &ctx->scratch, slope, s->sloped * p->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, scale, s->sloped * 2);
    HEFT_ALLOC(ctx, &ctx->scratch, view, s->view);
    HEFT_ALLOC(ctx, &ctx->scratch, n_codes, s->views);
    for (size_t j = 0; j < p->n_attr; j++) {
        const heft_pooled_attr *a = &p->attr[j];
        const size_t            lines = a->lines.n_lines;
        n_cuts[j] = (uint32_t)a->lines.n_cuts;
        n_views[j] = (uint32_t)a->n_views;
        apart_[j] = a->lines.apart;
        sloped[j] = a->slope != NULL;
        if (n_cuts[j]) memcpy(cuts + at_cuts, a->lines.cuts, n_cuts[j] * sizeof *cuts);
        at_cuts += n_cuts[j];
        memcpy(table + at_table, a->table, lines * p->n_class * sizeof *table);
        at_table += lines * p->n_class;
        if (a->slope) {
            memcpy(slope + at_slope * p->n_class, a->slope, p->n_class * sizeof *slope);
            scale[2 * at_slope] = a->lines.mean;
            scale[2 * at_slope++ + 1] = a->lines.sd;
        }
        for (size_t k = 0; k < a->n_views; k++, at_view += lines) {
            memcpy(view + at_view, a->view[k], lines * sizeof *view);
            n_codes[at_codes++] = a->n_codes[k];
        }
    }
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.n_cuts", HEFT_U32, p->n_attr, n_cuts));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.cuts", HEFT_F64, s->cuts, cuts));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.apart", HEFT_U8, p->n_attr, apart_));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.table", HEFT_F64, s->table, table));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.sloped", HEFT_U8, p->n_attr, sloped));
    HEFT_CHECK(
        heft_file_put_vector(ctx, file, "own.slope", HEFT_F64, s->sloped * p->n_class, slope));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.scale", HEFT_F64, s->sloped * 2, scale));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.n_views", HEFT_U32, p->n_attr, n_views));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.view", HEFT_U32, s->view, view));
    return heft_file_put_vector(ctx, file, "own.n_codes", HEFT_U32, s->views, n_codes);
}

static heft_status save_pairs(heft_ctx *ctx, const heft_pooled *p, const sizes *s, heft_file *file)
{
    uint32_t *pair;
    uint64_t *n_keys, *key;
    double   *table;
    size_t    at_key = 0, at_table = 0;

    HEFT_ALLOC(ctx, &ctx->scratch, pair, 4 * p->n_pairs);
    HEFT_ALLOC(ctx, &ctx->scratch, n_keys, p->n_pairs);
    HEFT_ALLOC(ctx, &ctx->scratch, key, s->keys);
    HEFT_ALLOC(ctx, &ctx->scratch, table, s->pair_table);
    for (size_t k = 0; k < p->n_pairs; k++) {
        const heft_pair_table *from = &p->pair[k];
        pair[4 * k] = from->i;
        pair[4 * k + 1] = from->j;
        pair[4 * k + 2] = from->view_i;
        pair[4 * k + 3] = from->view_j;
        if (from->key) {
            n_keys[k] = from->n_cells;
            memcpy(key + at_key, from->key, from->n_cells * sizeof *key);
            at_key += from->n_cells;
        }
        memcpy(table + at_table, from->table, from->n_cells * p->n_class * sizeof *table);
        at_table += from->n_cells * p->n_class;
    }
    const size_t shape[] = {p->n_pairs, 4};
    HEFT_CHECK(heft_file_put(ctx, file, "own.pair", HEFT_U32, shape, 2, pair));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.n_keys", HEFT_U64, p->n_pairs, n_keys));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.key", HEFT_U64, s->keys, key));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "own.pair_table", HEFT_F64, s->pair_table, table));
    return heft_file_put_vector(ctx, file, "own.size", HEFT_F64, p->n_pairs, p->size);
}

heft_status heft_pooled_save(heft_ctx *ctx, const heft_pooled *pooled, heft_file *file)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const sizes     s = sizes_of(pooled);

    HEFT_TRY(
        heft_file_put_vector(ctx, file, "own.class", HEFT_U32, pooled->n_class, pooled->present));
    HEFT_TRY(heft_file_put_vector(ctx, file, "own.bias", HEFT_F64, pooled->n_class, pooled->bias));
    HEFT_TRY(save_attrs(ctx, pooled, &s, file));
    HEFT_TRY(save_pairs(ctx, pooled, &s, file));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

typedef struct loader {
    heft_ctx        *ctx;
    const heft_file *file;
    const heft_prep *prep;
    heft_arena      *arena;
    heft_pooled     *out;
} loader;

static heft_status get(const loader *l, const char *name, heft_dtype type, size_t n, void **data,
                       size_t *found)
{
    size_t length = n;
    HEFT_CHECK(heft_file_get(l->ctx, l->file, name, type, n, false, l->arena, data, &length));
    for (size_t k = 0; type == HEFT_F64 && k < length; k++)
        if (fabs(((const double *)*data)[k]) > LARGEST && strcmp(name, "own.cuts") != 0 &&
            strcmp(name, "own.scale") != 0)
            return heft_file_damaged(l->ctx, l->file, "'%s' holds a number out of range", name);
    if (found) *found = length;
    return HEFT_OK;
}

static heft_status load_classes(const loader *l)
{
    heft_pooled *p = l->out;
    void        *data;
    p->n_declared = heft_dict_size(l->prep->classes);
    HEFT_CHECK(get(l, "own.class", HEFT_U32, SIZE_MAX, &data, &p->n_class));
    p->present = data;
    if (p->n_class == 0) HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "no class takes part"));
    for (size_t c = 0; c < p->n_class; c++)
        if (p->present[c] >= p->n_declared || (c && p->present[c] <= p->present[c - 1]))
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.class' names classes wrongly"));
    HEFT_CHECK(get(l, "own.bias", HEFT_F64, p->n_class, &data, NULL));
    p->bias = data;
    return HEFT_OK;
}

/* Cuts, and how many lines each attribute has. */
static heft_status load_lines(const loader *l)
{
    heft_pooled *p = l->out;
    void        *n_cuts, *apart_, *cuts;
    size_t       total = 0, found;
    bool         coded;

    HEFT_CHECK(get(l, "own.n_cuts", HEFT_U32, p->n_attr, &n_cuts, NULL));
    HEFT_CHECK(get(l, "own.apart", HEFT_U8, p->n_attr, &apart_, NULL));
    HEFT_CHECK(get(l, "own.cuts", HEFT_F64, SIZE_MAX, &cuts, &found));
    for (size_t j = 0; j < p->n_attr; j++) {
        const heft_attr_prep *from = &l->prep->attr[j];
        heft_lines           *to = &p->attr[j].lines;
        double               *at = (double *)cuts + total;
        to->numeric = from->kind == HEFT_NUMBER && !from->cut;
        to->apart = ((const uint8_t *)apart_)[j] != 0;
        to->n_cuts = ((const uint32_t *)n_cuts)[j];
        to->cuts = at;
        if (to->n_cuts > found - total || (to->n_cuts && !to->numeric) ||
            to->n_cuts > UINT32_MAX - 2)
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.n_cuts' is wrong"));
        for (size_t k = 1; k < to->n_cuts; k++)
            if (!(at[k - 1] < at[k]))
                HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.cuts' do not increase"));
        total += to->n_cuts;
        const size_t values = heft_prep_codes(from, &coded);
        to->n_lines = to->numeric ? (uint32_t)to->n_cuts + 2 : (uint32_t)values + 1 + to->apart;
    }
    if (total != found) HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.cuts' has too many"));
    return HEFT_OK;
}

static heft_status load_tables(const loader *l)
{
    heft_pooled *p = l->out;
    void        *sloped, *table, *slope, *scale;
    size_t       lines = 0, n = 0;

    HEFT_CHECK(get(l, "own.sloped", HEFT_U8, p->n_attr, &sloped, NULL));
    for (size_t j = 0; j < p->n_attr; j++) {
        lines += p->attr[j].lines.n_lines;
        n += ((const uint8_t *)sloped)[j] != 0;
        if (((const uint8_t *)sloped)[j] && !p->attr[j].lines.numeric)
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "a nominal attribute has a slope"));
    }
    HEFT_CHECK(get(l, "own.table", HEFT_F64, lines * p->n_class, &table, NULL));
    HEFT_CHECK(get(l, "own.slope", HEFT_F64, n * p->n_class, &slope, NULL));
    HEFT_CHECK(get(l, "own.scale", HEFT_F64, 2 * n, &scale, NULL));
    lines = n = 0;
    for (size_t j = 0; j < p->n_attr; j++) {
        p->attr[j].table = (double *)table + lines * p->n_class;
        lines += p->attr[j].lines.n_lines;
        if (!((const uint8_t *)sloped)[j]) continue;
        p->attr[j].slope = (double *)slope + n * p->n_class;
        p->attr[j].lines.mean = ((const double *)scale)[2 * n];
        p->attr[j].lines.sd = ((const double *)scale)[2 * n++ + 1];
        if (!(p->attr[j].lines.sd > 0))
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.scale' has no spread"));
    }
    return HEFT_OK;
}

static heft_status load_views(const loader *l)
{
    heft_pooled *p = l->out;
    void        *n_views, *view, *n_codes;
    size_t       views = 0, cells = 0;

    HEFT_CHECK(get(l, "own.n_views", HEFT_U32, p->n_attr, &n_views, NULL));
    for (size_t j = 0; j < p->n_attr; j++) {
        p->attr[j].n_views = ((const uint32_t *)n_views)[j];
        if (p->attr[j].n_views > HEFT_N_RES)
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.n_views' is too large"));
        views += p->attr[j].n_views;
        cells += p->attr[j].n_views * p->attr[j].lines.n_lines;
    }
    HEFT_CHECK(get(l, "own.view", HEFT_U32, cells, &view, NULL));
    HEFT_CHECK(get(l, "own.n_codes", HEFT_U32, views, &n_codes, NULL));
    views = cells = 0;
    for (size_t j = 0; j < p->n_attr; j++) {
        heft_pooled_attr *a = &p->attr[j];
        for (size_t k = 0; k < a->n_views; k++, cells += a->lines.n_lines) {
            a->n_codes[k] = ((const uint32_t *)n_codes)[views++];
            a->view[k] = (uint32_t *)view + cells;
            for (size_t v = 0; v < a->lines.n_lines; v++)
                if (a->view[k][v] >= a->n_codes[k])
                    HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.view' has a wrong code"));
        }
    }
    return HEFT_OK;
}

/* One pair of the file; *cells gets the lines of its table. */
static heft_status load_pair(const loader *l, const uint32_t *from, uint64_t n_keys,
                             const uint64_t *key, size_t left, heft_pair_table *to)
{
    const heft_pooled *p = l->out;
    size_t             dense;
    *to = (heft_pair_table){.i = from[0], .j = from[1]};
    if (from[0] >= from[1] || from[1] >= p->n_attr || from[2] >= p->attr[from[0]].n_views ||
        from[3] >= p->attr[from[1]].n_views)
        return heft_file_damaged(l->ctx, l->file, "'own.pair' names attributes wrongly");
    to->view_i = (uint8_t)from[2];
    to->view_j = (uint8_t)from[3];
    if (!heft_product(p->attr[to->i].n_codes[to->view_i], p->attr[to->j].n_codes[to->view_j],
                      &dense))
        return heft_file_damaged(l->ctx, l->file, "a pair has too many cells");
    to->n_cells = dense;
    if (n_keys == 0) return HEFT_OK;
    if (n_keys > left) return heft_file_damaged(l->ctx, l->file, "'own.key' is too short");
    for (uint64_t k = 0; k < n_keys; k++)
        if (key[k] >= dense || (k && key[k] <= key[k - 1]))
            return heft_file_damaged(l->ctx, l->file, "'own.key' does not increase");
    to->n_cells = (size_t)n_keys;
    return HEFT_OK;
}

static heft_status load_pairs(const loader *l)
{
    heft_pooled *p = l->out;
    void        *pair, *n_keys, *key, *table, *size;
    size_t       n, found, used = 0, cells = 0, lines;

    HEFT_CHECK(get(l, "own.n_keys", HEFT_U64, SIZE_MAX, &n_keys, &n));
    if (n > SIZE_MAX / 4) HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "it has too many pairs"));
    HEFT_CHECK(get(l, "own.pair", HEFT_U32, 4 * n, &pair, NULL));
    HEFT_CHECK(get(l, "own.key", HEFT_U64, SIZE_MAX, &key, &found));
    HEFT_ALLOC(l->ctx, l->arena, p->pair, n);
    for (p->n_pairs = 0; p->n_pairs < n; p->n_pairs++) {
        const uint64_t   keys = ((const uint64_t *)n_keys)[p->n_pairs];
        heft_pair_table *to = &p->pair[p->n_pairs];
        HEFT_CHECK(load_pair(l, (const uint32_t *)pair + 4 * p->n_pairs, keys,
                             (const uint64_t *)key + used, found - used, to));
        if (keys) to->key = (uint64_t *)key + used;
        used += (size_t)keys;
        if (to->n_cells > SIZE_MAX - cells)
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "its pairs have too many cells"));
        cells += to->n_cells;
    }
    if (used != found) HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "'own.key' is too long"));
    if (!heft_product(cells, p->n_class, &lines))
        HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "its pairs have too many cells"));
    HEFT_CHECK(get(l, "own.pair_table", HEFT_F64, lines, &table, NULL));
    HEFT_CHECK(get(l, "own.size", HEFT_F64, n, &size, NULL));
    p->size = size;
    cells = 0;
    for (size_t k = 0; k < n; k++) {
        p->pair[k].table = (double *)table + cells * p->n_class;
        cells += p->pair[k].n_cells;
    }
    return HEFT_OK;
}

heft_status heft_pooled_load(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                             heft_arena *arena, heft_pooled *out)
{
    const loader l = {ctx, file, prep, arena, out};

    *out = (heft_pooled){.n_attr = prep->n_attr};
    HEFT_ALLOC(ctx, arena, out->attr, out->n_attr);
    HEFT_CHECK(load_classes(&l));
    HEFT_CHECK(load_lines(&l));
    HEFT_CHECK(load_tables(&l));
    HEFT_CHECK(load_views(&l));
    return load_pairs(&l);
}
