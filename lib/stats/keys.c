/* keys.c - content keys. A key is a sum of hashed integers modulo 2^64: integer addition is
 * associative and commutative, so no order of rows, threads or processes can change a key. */
#include "stats/keys.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/dict.h"
#include "base/rows.h"
#include "base/sort.h"

enum { BLOCK = 2048 };

typedef struct job {
    heft_keys      *keys;
    const uint64_t *row_key; /* row keys that refine the keys of columns, values and classes */
    uint64_t       *out;     /* row keys that heft_keys_rows computes */
} job;

/* The weight of row i in units of 2^-20, so that whole weights are exact. */
static uint64_t weight_of(const heft_rows *rows, size_t i)
{
    return rows->weight ? (uint64_t)fmin(rows->weight[i] * 0x1p20, 0x1p62) : (uint64_t)1 << 20;
}

static uint64_t number_key(double x, int power)
{
    uint64_t bits;
    if (isnan(x)) return 3;
    x = ldexp(x, -power) + 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return heft_mix(bits);
}

static heft_status key_numbers(heft_ctx *ctx, heft_keys *to, size_t j)
{
    const heft_rows *rows = to->rows;
    const double    *x = rows->attr[j].numbers;
    double           top = 0;
    uint64_t         sum = 0;
    HEFT_ROWS (i, rows->n_rows) top = fmax(top, fabs(x[i]));
    HEFT_CHECK(heft_all_max(ctx, &top, 1));
    (void)frexp(top, &to->power[j]);
    HEFT_ROWS (i, rows->n_rows)
        sum +=
            weight_of(rows, i) * heft_mix(number_key(x[i], to->power[j]) ^ to->class[rows->y[i]]);
    HEFT_CHECK(heft_all_add_keys(ctx, &sum, 1));
    to->column[j] = heft_mix(sum);
    return HEFT_OK;
}

/* Counts of 0 are skipped, so that a class without rows does not change the keys. */
static heft_status key_values(heft_ctx *ctx, heft_keys *to, size_t j)
{
    const heft_rows *rows = to->rows;
    const heft_attr *a = &rows->attr[j];
    const size_t     K = rows->n_class, V = (size_t)a->n_codes + 2;
    uint64_t        *key = to->value[j], *count, sum = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, count, V * K);
    HEFT_ROWS (i, rows->n_rows)
        count[heft_code_at(a->codes, a->width, i) * K + rows->y[i]] += weight_of(rows, i);
    HEFT_CHECK(heft_all_add_keys(ctx, count, V * K));
    for (size_t k = 0; k < V * K; k++)
        if (count[k]) key[k / K] += heft_mix(count[k] ^ to->class[k % K]);
    key[a->n_codes] ^= 1; /* a missing cell must not have the key of a value with its counts */
    for (size_t v = 0; v < V; v++)
        if (key[v]) sum += heft_mix(key[v]);
    to->column[j] = heft_mix(sum);
    return HEFT_OK;
}

/* Stored zeros are skipped, so that they have the same effect as zeros that are not stored. */
static heft_status key_entries(heft_ctx *ctx, heft_keys *to)
{
    const heft_rows   *rows = to->rows;
    const heft_sparse *s = rows->sparse;
    HEFT_ROWS (i, rows->n_rows)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            if (s->val[e] != 0)
                to->column[s->col[e]] +=
                    weight_of(rows, i) * heft_mix(number_key(s->val[e], 0) ^ to->class[rows->y[i]]);
    HEFT_CHECK(heft_all_add_keys(ctx, to->column, rows->n_attr));
    for (size_t j = 0; j < rows->n_attr; j++) to->column[j] = heft_mix(to->column[j]);
    return HEFT_OK;
}

static heft_status key_column(heft_ctx *ctx, void *arg, size_t j)
{
    heft_keys *to = ((const job *)arg)->keys;
    return to->rows->attr[j].coded ? key_values(ctx, to, j) : key_numbers(ctx, to, j);
}

static heft_status key_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const job       *g = arg;
    const heft_keys *from = g->keys;
    (void)ctx;
    const heft_sparse *s = from->rows->sparse;
    for (size_t i = lo; i < hi; i++) g->out[i] = 0;
    if (s)
        for (size_t i = lo; i < hi; i++)
            for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
                if (s->val[e] != 0)
                    g->out[i] += heft_mix(from->column[s->col[e]] ^ number_key(s->val[e], 0));
    if (!s)
        for (size_t j = 0; j < from->rows->n_attr; j++) {
            const heft_attr *a = &from->rows->attr[j];
            for (size_t i = lo; i < hi; i++)
                g->out[i] +=
                    heft_mix(from->column[j] ^
                             (a->coded ? from->value[j][heft_code_at(a->codes, a->width, i)]
                                       : number_key(a->numbers[i], from->power[j])));
        }
    return HEFT_OK;
}

heft_status heft_keys_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_keys *out)
{
    const size_t m = rows->n_attr;
    job          g = {.keys = out};
    *out = (heft_keys){.rows = rows};
    HEFT_ALLOCS(ctx, arena, m, out->column, out->value, out->power);
    HEFT_ALLOC(ctx, arena, out->class, rows->n_class);
    for (size_t j = 0; j < m; j++)
        if (rows->attr[j].coded && !rows->sparse)
            HEFT_ALLOC(ctx, arena, out->value[j], (size_t)rows->attr[j].n_codes + 2);
    HEFT_ROWS (i, rows->n_rows) out->class[rows->y[i]] += weight_of(rows, i);
    HEFT_CHECK(heft_all_add_keys(ctx, out->class, rows->n_class));
    for (size_t c = 0; c < rows->n_class; c++) out->class[c] = heft_mix(out->class[c]);
    return rows->sparse ? key_entries(ctx, out) : heft_all_run(ctx, m, key_column, &g);
}

heft_status heft_keys_rows(heft_ctx *ctx, const heft_keys *keys, uint64_t *key)
{
    job g = {.keys = (heft_keys *)keys, .out = key};
    return heft_run_blocks(ctx, keys->rows->n_rows, BLOCK, key_block, &g);
}

/* ---- keys that differ ---- */

/* Key of row i with its class: what refines the keys of the row's columns and values. */
static uint64_t told_by(const job *g, size_t i)
{
    const heft_rows *rows = g->keys->rows;
    return heft_mix(g->row_key[i] ^ g->keys->class[rows->y[i]]);
}

static heft_status tell_column(heft_ctx *ctx, void *arg, size_t j)
{
    const job       *g = arg;
    heft_keys       *to = g->keys;
    const heft_rows *rows = to->rows;
    const heft_attr *a = &rows->attr[j];
    const size_t     V = a->coded ? (size_t)a->n_codes + 2 : 1;
    uint64_t        *sum;
    HEFT_ALLOC(ctx, &ctx->scratch, sum, V);
    HEFT_ROWS (i, rows->n_rows) {
        const uint32_t v = a->coded ? heft_code_at(a->codes, a->width, i) : 0;
        const uint64_t cell = a->coded ? 0 : number_key(a->numbers[i], to->power[j]);
        sum[v] += weight_of(rows, i) * heft_mix(told_by(g, i) ^ cell);
    }
    HEFT_CHECK(heft_all_add_keys(ctx, sum, V));
    if (a->coded)
        for (size_t v = 0; v < V; v++)
            to->value[j][v] = sum[v] = sum[v] ? heft_mix(to->value[j][v] + sum[v]) : 0;
    for (size_t v = 0; v < V; v++) to->column[j] += heft_mix(sum[v]);
    to->column[j] = heft_mix(to->column[j]);
    return HEFT_OK;
}

static heft_status tell_classes(heft_ctx *ctx, const job *g)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_rows *rows = g->keys->rows;
    const size_t     K = rows->n_class;
    uint64_t        *sum;
    HEFT_ALLOC(ctx, &ctx->scratch, sum, K);
    HEFT_ROWS (i, rows->n_rows) sum[rows->y[i]] += weight_of(rows, i) * heft_mix(g->row_key[i]);
    HEFT_CHECK(heft_all_add_keys(ctx, sum, K));
    for (size_t c = 0; c < K; c++) g->keys->class[c] = heft_mix(g->keys->class[c] + sum[c]);
    return HEFT_OK;
}

/* *out = the number of different keys among n. */
static heft_status n_kinds(heft_ctx *ctx, const uint64_t *key, size_t n, size_t *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *order;
    HEFT_ALLOC(ctx, &ctx->scratch, order, n);
    HEFT_CHECK(heft_keys_order(ctx, key, n, order));
    *out = n > 0;
    for (size_t k = 1; k < n; k++) *out += key[order[k]] != key[order[k - 1]];
    return HEFT_OK;
}

/* Makes equal keys different: the first of equal keys in the order `order` (NULL: by index) stays,
 * the others are hashed with their number in that order. */
static heft_status part(heft_ctx *ctx, const size_t *order, size_t n, uint64_t *key)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_ranked *v, *spare;
    uint64_t     often = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    for (size_t k = 0; k < n; k++) {
        const size_t at = order ? order[k] : k;
        v[k] = (heft_ranked){key[at], at};
    }
    heft_order_sort(v, spare, n);
    for (size_t k = 0; k < n; k++) {
        often = k && v[k].key == v[k - 1].key ? often + 1 : 0;
        if (often) key[v[k].row] = heft_mix(v[k].key + often);
    }
    return HEFT_OK;
}

/* Makes the n keys of an attribute's values different, in the order of the values' texts. Intervals
 * have no dictionary; they are taken in their own order. */
static heft_status part_values(heft_ctx *ctx, const heft_dict *dict, size_t n, uint64_t *key)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *order, kinds;
    HEFT_CHECK(n_kinds(ctx, key, n, &kinds));
    if (kinds == n) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, order, n);
    for (size_t k = 0; k < n; k++) order[k] = k;
    if (dict) HEFT_CHECK(heft_dict_order(ctx, dict, n, order));
    return part(ctx, order, n, key);
}

/* all[3]: the numbers of different keys of columns, of classes, and of values of all columns. */
static heft_status count_kinds(heft_ctx *ctx, const heft_keys *keys, size_t all[3])
{
    const heft_rows *rows = keys->rows;
    all[2] = 0;
    HEFT_CHECK(n_kinds(ctx, keys->column, rows->n_attr, &all[0]));
    HEFT_CHECK(n_kinds(ctx, keys->class, rows->n_class, &all[1]));
    if (!rows->sparse)
        for (size_t j = 0; j < rows->n_attr; j++) {
            size_t one = 0, none = 0; /* `none`: values without rows, each counted as different */
            if (rows->attr[j].coded)
                for (size_t v = 0; v < rows->attr[j].n_codes; v++) none += keys->value[j][v] == 0;
            if (rows->attr[j].coded)
                HEFT_CHECK(n_kinds(ctx, keys->value[j], rows->attr[j].n_codes, &one));
            all[2] += one + none - (none > 0);
        }
    return HEFT_OK;
}

/* Refines the keys of columns, classes and values by the keys of their rows, in up to ROUNDS
 * rounds, until all are different or a round separates no more of them. */
static heft_status tell_apart(heft_ctx *ctx, heft_keys *keys)
{
    enum { ROUNDS = 3 };
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_rows *rows = keys->rows;
    size_t           kinds[3], before[3] = {0}, values = 0;
    uint64_t        *row;
    job              g = {.keys = keys};
    HEFT_CHECK(count_kinds(ctx, keys, kinds));
    for (size_t j = 0; j < rows->n_attr; j++)
        values += rows->attr[j].coded ? rows->attr[j].n_codes : 0;
    HEFT_ALLOC(ctx, &ctx->scratch, row, rows->n_rows);
    g.row_key = row;
    if (!rows->sparse)
        for (int round = 0; round < ROUNDS; round++) {
            const bool apart = kinds[0] == rows->n_attr && kinds[1] == rows->n_class;
            if (apart && (round || kinds[2] == values)) break;
            if (memcmp(kinds, before, sizeof kinds) == 0) break;
            HEFT_CHECK(heft_keys_rows(ctx, keys, row));
            HEFT_CHECK(heft_all_run(ctx, rows->n_attr, tell_column, &g));
            HEFT_CHECK(tell_classes(ctx, &g));
            memcpy(before, kinds, sizeof kinds);
            HEFT_CHECK(count_kinds(ctx, keys, kinds));
        }
    return HEFT_OK;
}

/* Makes the keys different that the rows leave equal: values in the order of their texts, columns
 * and classes in the order of their positions. */
static heft_status part_all(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                            heft_keys *keys)
{
    const heft_rows *rows = keys->rows;
    if (!rows->sparse)
        for (size_t j = 0; j < rows->n_attr; j++) {
            const heft_dict *dict = prep ? prep->attr[used ? used[j] : j].dict : NULL;
            if (rows->attr[j].coded)
                HEFT_CHECK(part_values(ctx, dict, rows->attr[j].n_codes, keys->value[j]));
        }
    HEFT_CHECK(part(ctx, NULL, rows->n_attr, keys->column));
    return part(ctx, NULL, rows->n_class, keys->class);
}

heft_status heft_keys_columns(heft_ctx *ctx, const heft_rows *rows, uint64_t *key)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_keys keys;
    uint64_t *row_key;
    HEFT_ALLOC(ctx, &ctx->scratch, row_key, rows->n_rows);
    HEFT_CHECK(heft_keys_of(ctx, rows, &ctx->scratch, &keys));
    HEFT_CHECK(heft_keys_rows(ctx, &keys, row_key));
    job g = {.keys = &keys, .row_key = row_key};
    HEFT_CHECK(heft_all_run(ctx, rows->n_attr, tell_column, &g));
    for (size_t j = 0; j < rows->n_attr; j++)
        key[j] = heft_mix(keys.column[j] ^ rows->attr[j].n_codes);
    return HEFT_OK;
}

heft_status heft_keys_part(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                           heft_keys *keys)
{
    HEFT_CHECK(tell_apart(ctx, keys));
    return part_all(ctx, prep, used, keys);
}

heft_status heft_keys_order(heft_ctx *ctx, const uint64_t *key, size_t n, size_t *order)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_ranked *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    for (size_t k = 0; k < n; k++) v[k] = (heft_ranked){key[k], k};
    heft_order_sort(v, spare, n);
    for (size_t k = 0; k < n; k++) order[k] = v[k].row;
    return HEFT_OK;
}

/* ---- columns and classes that can be exchanged ---- */

enum { MOST_CELLS = 1 << 20 }; /* most cells of a table that is searched for exchanges */

typedef struct search {
    const heft_prep *prep;
    const size_t    *used;
    heft_arena      *arena;
    heft_keys       *best;    /* keys of the first assignment that reached the lowest sum */
    uint64_t         lowest;  /* lowest sum of row keys so far */
    size_t           n_tried; /* number of complete assignments of keys tried so far */
    heft_turns      *out;
} search;

static heft_status copy_keys(heft_ctx *ctx, const heft_keys *from, heft_arena *arena, heft_keys *to)
{
    const heft_rows *rows = from->rows;
    const size_t     m = rows->n_attr;
    *to = (heft_keys){.rows = rows, .power = from->power};
    HEFT_ALLOCS(ctx, arena, m, to->column, to->value);
    HEFT_ALLOC(ctx, arena, to->class, rows->n_class);
    memcpy(to->column, from->column, m * sizeof *to->column);
    memcpy(to->class, from->class, rows->n_class * sizeof *to->class);
    for (size_t j = 0; j < m; j++) {
        if (!rows->attr[j].coded) continue;
        const size_t V = (size_t)rows->attr[j].n_codes + 2;
        HEFT_ALLOC(ctx, arena, to->value[j], V);
        memcpy(to->value[j], from->value[j], V * sizeof **to->value);
    }
    return HEFT_OK;
}

/* *out = whether columns i and j have the same cells in all processes. */
static heft_status is_same(heft_ctx *ctx, const heft_rows *rows, size_t i, size_t j, bool *out)
{
    const heft_attr *a = &rows->attr[i], *b = &rows->attr[j];
    double           differ = a->coded != b->coded;
    for (size_t r = 0; r < rows->n_rows && differ == 0; r++) {
        if (a->coded)
            differ = heft_code_at(a->codes, a->width, r) != heft_code_at(b->codes, b->width, r);
        else differ = number_key(a->numbers[r], 0) != number_key(b->numbers[r], 0);
    }
    HEFT_CHECK(heft_all_max(ctx, &differ, 1));
    *out = differ == 0;
    return HEFT_OK;
}

/* member[*n]: the columns or classes that have the lowest key that occurs more than once. Of
 * columns with the same cells only one is listed, because exchanging them changes nothing. */
static heft_status find_tie(heft_ctx *ctx, const heft_rows *rows, const uint64_t *key,
                            size_t n_keys, bool columns, size_t *member, size_t *n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *order;
    HEFT_ALLOC(ctx, &ctx->scratch, order, n_keys);
    HEFT_CHECK(heft_keys_order(ctx, key, n_keys, order));
    *n = 0;
    for (size_t k = 0; k < n_keys; k++) {
        bool same = false;
        if (k && key[order[k]] != key[order[k - 1]]) {
            if (*n > 1) return HEFT_OK;
            *n = 0;
        }
        if (columns)
            for (size_t l = 0; l < *n && !same; l++)
                HEFT_CHECK(is_same(ctx, rows, member[l], order[k], &same));
        if (!same) member[(*n)++] = order[k];
    }
    if (*n < 2) *n = 0;
    return HEFT_OK;
}

static heft_status order_by(heft_ctx *ctx, const heft_keys *keys, heft_arena *arena, heft_turn *out)
{
    const heft_rows *rows = keys->rows;
    HEFT_ALLOCS(ctx, arena, rows->n_attr, out->column, out->value);
    HEFT_ALLOC(ctx, arena, out->class, rows->n_class);
    HEFT_CHECK(heft_keys_order(ctx, keys->column, rows->n_attr, out->column));
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (!rows->attr[j].coded) continue;
        HEFT_ALLOC(ctx, arena, out->value[j], rows->attr[j].n_codes);
        HEFT_CHECK(heft_keys_order(ctx, keys->value[j], rows->attr[j].n_codes, out->value[j]));
    }
    return heft_keys_order(ctx, keys->class, rows->n_class, out->class);
}

/* Called when all keys differ: keeps this assignment of keys if the sum of its row keys is the
 * lowest so far, or equal to the lowest. Assignments with equal sums give the same table. */
static heft_status keep_way(heft_ctx *ctx, search *s, heft_keys *keys)
{
    const heft_rows *rows = keys->rows;
    uint64_t        *row, sum = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, row, rows->n_rows);
    HEFT_CHECK(part_all(ctx, s->prep, s->used, keys));
    HEFT_CHECK(heft_keys_rows(ctx, keys, row));
    HEFT_ROWS (i, rows->n_rows)
        sum += weight_of(rows, i) * heft_mix(row[i] ^ keys->class[rows->y[i]]);
    HEFT_CHECK(heft_all_add_keys(ctx, &sum, 1));
    if (s->n_tried++ == 0 || sum < s->lowest) {
        HEFT_CHECK(copy_keys(ctx, keys, s->arena, s->best));
        s->lowest = sum;
        s->out->n = 0;
    }
    if (sum != s->lowest || s->out->n == HEFT_MOST_TURNS) return HEFT_OK;
    return order_by(ctx, keys, s->arena, &s->out->of[s->out->n++]);
}

static heft_status try_ways(heft_ctx *ctx, search *s, heft_keys *keys);

/* Continues the search with column or class `at` given a key of its own. */
static heft_status try_member(heft_ctx *ctx, search *s, const heft_keys *keys, bool column,
                              size_t at)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_keys way;
    HEFT_CHECK(copy_keys(ctx, keys, &ctx->scratch, &way));
    uint64_t *key = column ? &way.column[at] : &way.class[at];
    *key = heft_mix(*key + 1);
    return try_ways(ctx, s, &way);
}

/* Searches all assignments of different keys. The members of a tie cannot be distinguished by their
 * content, so each of them in turn is given a key of its own, which lets the rows distinguish the
 * others. The assignment with the lowest sum of row keys wins. */
static heft_status try_ways(heft_ctx *ctx, search *s, heft_keys *keys)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_rows *rows = keys->rows;
    const size_t     most = rows->n_attr > rows->n_class ? rows->n_attr : rows->n_class;
    size_t          *member, n;
    bool             columns = false;
    HEFT_CHECK(tell_apart(ctx, keys));
    HEFT_ALLOC(ctx, &ctx->scratch, member, most);
    HEFT_CHECK(find_tie(ctx, rows, keys->class, rows->n_class, false, member, &n));
    if (n == 0) {
        columns = true;
        HEFT_CHECK(find_tie(ctx, rows, keys->column, rows->n_attr, true, member, &n));
    }
    if (n == 0) return keep_way(ctx, s, keys);
    for (size_t k = 0; k < n && s->n_tried <= HEFT_MOST_TURNS; k++)
        HEFT_CHECK(try_member(ctx, s, keys, columns, member[k]));
    return HEFT_OK;
}

heft_status heft_keys_turns(heft_ctx *ctx, const heft_prep *prep, const size_t *used,
                            heft_arena *arena, heft_keys *keys, heft_turns *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_rows *rows = keys->rows;
    heft_keys        first, best = {0};
    search           s = {prep, used, arena, &best, .out = out};
    int64_t          n = (int64_t)rows->n_rows;
    out->n = 0;
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    if (rows->n_attr && (size_t)n <= MOST_CELLS / rows->n_attr) {
        HEFT_CHECK(copy_keys(ctx, keys, &ctx->scratch, &first));
        HEFT_CHECK(try_ways(ctx, &s, &first));
        if (s.n_tried <= HEFT_MOST_TURNS) *keys = best;
    }
    if (s.n_tried && s.n_tried <= HEFT_MOST_TURNS) return HEFT_OK;
    out->n = 1;
    HEFT_CHECK(heft_keys_part(ctx, prep, used, keys));
    return order_by(ctx, keys, arena, &out->of[0]);
}
