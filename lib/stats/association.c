/* association.c - entropies of single columns and mutual information of pairs of columns.
 *
 * The filters need I(A;B) of every pair of attributes: n m^2 / 2 steps for n rows and m attributes,
 * which is nearly all of their time. The design below makes such a step cheap. A pair is
 * counted in the joint code a * |B| + b, into a table that stays in the nearest cache. Attributes
 * of few values are joined into groups first: one pass over two groups counts every pair between
 * them, and the tables of the pairs are sums over the table of the groups. With groups of g
 * attributes that is g^2 pairs for one step per row.
 *
 * Without row weights all counts are whole numbers, so the order of counting cannot change a bit.
 * Entropies are computed from the finished tables. */
#include "stats/association.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "stats/info.h"
#include "stats/suffstats.h"

enum {
    MOST_LOGS = 65536,     /* largest size of the table of x log x */
    SLICES = 64,           /* number of partial sums over pairs, added in a fixed order */
    MANY = 10000,          /* number of attributes above which a warning states the pairs */
    TOO_MANY = 100000,     /* number of attributes above which pairs are refused */
    MOST_GROUP = 64,       /* largest number of value combinations of a group */
    COLUMNS_PER_TASK = 64, /* number of correlations that one task computes */
};

static const double WRITTEN_OUT_LIMIT = 1073741824.0; /* most bytes for sparse rows written out */
static const double NO_RELATION = 1e-6; /* Weka's Utils.SMALL: no relation below this */

/* ---- two columns ---- */

typedef struct entropy_sums { /* sums over counts x from which an entropy is computed */
    double n, s;              /* sum of x, and sum of x log x */
    size_t used;              /* number of counts above 0 */
} entropy_sums;

static void add_count(entropy_sums *t, double x)
{
    t->n += x;
    t->s += heft_xlogx(x);
    t->used += x > 0;
}

static double entropy_of(const entropy_sums *t)
{
    return t->used < 2 ? 0 : fmax(0, log(t->n) - t->s / t->n);
}

static double mutual_of(double h_a, double h_b, double h_ab)
{
    return h_a == 0 || h_b == 0 ? 0 : fmin(fmax(0, h_a + h_b - h_ab), fmin(h_a, h_b));
}

static heft_info info_of_sums(double n, const entropy_sums *a, const entropy_sums *b,
                              const entropy_sums *ab)
{
    const double h_a = entropy_of(a), h_b = entropy_of(b);
    return (heft_info){n, h_a, h_b, mutual_of(h_a, h_b, entropy_of(ab))};
}

/* The first `used` columns of each line are counts; `stride` is the distance between lines. */
static heft_info info_of(const double *table, size_t n_a, size_t used, size_t stride)
{
    entropy_sums a = {0}, b = {0}, ab = {0};
    for (size_t v = 0; v < n_a; v++) {
        double line = 0;
        for (size_t c = 0; c < used; c++) {
            line += table[v * stride + c];
            add_count(&ab, table[v * stride + c]);
        }
        add_count(&a, line);
    }
    for (size_t c = 0; c < used; c++) {
        double column = 0;
        for (size_t v = 0; v < n_a; v++) column += table[v * stride + c];
        add_count(&b, column);
    }
    return info_of_sums(ab.n, &a, &b, &ab);
}

heft_info heft_info_of(const double *table, size_t n_a, size_t n_b)
{
    return info_of(table, n_a, n_b, n_b);
}

heft_info heft_info_class(const heft_counts *counts, size_t j, uint32_t n_codes)
{
    return heft_info_of(counts->cell[j], n_codes, counts->n_class);
}

double heft_gain_ratio(const heft_info *info)
{
    return info->h_a > 0 ? info->mutual / info->h_a : 0;
}

double heft_uncertainty(const heft_info *info)
{
    const double h = info->h_a + info->h_b;
    return h > 0 ? 2 * info->mutual / h : 0;
}

/* ---- columns ---- */

typedef struct building {
    const heft_rows *rows;
    heft_columns    *cols;
    uint8_t         *narrow; /* one-byte codes of all n_attr + 1 columns */
    uint32_t       **wide;   /* four-byte codes of each column that may need them, else NULL */
} building;

static heft_status build_one(heft_ctx *ctx, void *arg, size_t j)
{
    const building   *b = arg;
    const heft_rows  *rows = b->rows;
    heft_code_column *c = &b->cols->col[j];
    const bool        is_class = j == rows->n_attr;
    const heft_attr  *a = is_class ? NULL : &rows->attr[j];
    const size_t      n = rows->n_rows;
    const uint32_t    missing = is_class ? (uint32_t)rows->n_class : a->n_codes;
    uint8_t          *narrow = b->narrow + j * n;
    uint32_t         *code, *to; /* to[v]: the new number of code v among the codes that occur */
    double *there, *count;       /* there[v] > 0: code v occurs in some process; the last entry of
                                    each array is for missing cells */
    HEFT_ALLOC(ctx, &ctx->scratch, code, n);
    HEFT_ALLOC(ctx, &ctx->scratch, to, missing);
    HEFT_ALLOC(ctx, &ctx->scratch, there, (size_t)missing + 1);
    for (size_t i = 0; i < n; i++) {
        code[i] = is_class ? rows->y[i] : heft_code_at(a->codes, a->width, i);
        there[code[i] < missing ? code[i] : missing] = 1;
    }
    HEFT_CHECK(heft_all_max(ctx, there, (size_t)missing + 1));
    c->missing = there[missing] > 0;
    for (size_t v = 0; v < missing; v++)
        if (there[v] > 0) to[v] = (uint32_t)c->n++;
    HEFT_ALLOC(ctx, &ctx->scratch, count, c->n + 1);
    for (size_t i = 0; i < n; i++) {
        code[i] = code[i] >= missing ? (uint32_t)c->n : to[code[i]];
        count[code[i]] += rows->weight ? rows->weight[i] : 1;
    }
    HEFT_CHECK(heft_all_sum(ctx, count, c->n + 1));
    c->entropy = heft_entropy(count, c->n);
    c->wide = c->n + c->missing > 256;
    if (!c->wide)
        for (size_t i = 0; i < n; i++) narrow[i] = (uint8_t)code[i];
    c->code = narrow;
    if (c->wide) c->code = memcpy(b->wide[j], code, n * sizeof *code);
    return HEFT_OK;
}

/* Writes sparse rows out as columns of one byte per cell; 255 stands for a missing cell. */
static heft_status densify(heft_ctx *ctx, heft_rows *rows)
{
    const double       bytes = 2 * (double)rows->n_rows * (double)rows->n_attr;
    const heft_sparse *s = rows->sparse;
    uint8_t           *cells;
    heft_attr         *attr;
    for (size_t j = 0; j < rows->n_attr; j++)
        if (rows->attr[j].n_codes > 254)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "attribute %zu of a sparse table has %u values, more than 254 (use "
                             "fewer intervals, or {advice leave-out-column})",
                             j + 1, rows->attr[j].n_codes);
    if (bytes > WRITTEN_OUT_LIMIT)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "relations between %zu attributes of %zu sparse rows would take %.0f MB "
                         "(use fewer attributes, for example {select=mutual-information:1000})",
                         rows->n_attr, rows->n_rows, bytes / 1e6);
    HEFT_ALLOC(ctx, &ctx->scratch, cells, rows->n_rows * rows->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, attr, rows->n_attr);
    for (size_t i = 0; i < rows->n_rows; i++)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            cells[(size_t)s->col[e] * rows->n_rows + i] =
                isnan(s->val[e]) ? UINT8_MAX : (uint8_t)s->val[e];
    for (size_t j = 0; j < rows->n_attr; j++) {
        attr[j] = rows->attr[j];
        attr[j].width = 1;
        attr[j].codes = cells + j * rows->n_rows;
    }
    rows->attr = attr;
    rows->sparse = NULL;
    return HEFT_OK;
}

/* Makes columns that have no rows; their counts and pair counts are in `from`. */
static heft_status columns_of_suffstats(heft_ctx *ctx, const heft_suffstats *from,
                                        heft_arena *arena, heft_columns **out)
{
    const heft_counts *n = &from->counts;
    const size_t       m = from->n_attr, K = from->n_class;
    HEFT_ALLOC(ctx, arena, *out, 1);
    heft_columns *cols = *out;
    *cols = (heft_columns){.n_attr = m, .total = n->total, .suffstats = from};
    HEFT_ALLOC(ctx, arena, cols->col, m + 1);
    for (size_t j = 0; j < m; j++) {
        heft_code_column *c = &cols->col[j];
        double           *count;
        c->n = from->attr[j].n_codes;
        HEFT_ALLOC(ctx, &ctx->scratch, count, c->n + 1);
        for (size_t k = 0; k < c->n * K; k++) count[k / K] += n->cell[j][k];
        c->entropy = heft_entropy(count, c->n);
    }
    cols->col[m] = (heft_code_column){.n = K, .entropy = heft_entropy(n->class_sum, K)};
    return HEFT_OK;
}

heft_status heft_columns_build(heft_ctx *ctx, const heft_rows *coded, const heft_suffstats *known,
                               heft_arena *arena, heft_columns **out)
{
    if (known && known->pairs.cell) return columns_of_suffstats(ctx, known, arena, out);
    heft_rows    rows = *coded;
    const size_t n = rows.n_rows, m = rows.n_attr + 1;
    building     b = {.rows = &rows};
    size_t       before;
    if (rows.sparse) HEFT_CHECK(densify(ctx, &rows));
    HEFT_ALLOC(ctx, arena, *out, 1);
    heft_columns *cols = b.cols = *out;
    *cols = (heft_columns){.n_rows = n, .n_attr = rows.n_attr, .weight = rows.weight};
    for (size_t i = 0; i < n; i++) cols->total += rows.weight ? rows.weight[i] : 1;
    HEFT_CHECK(heft_all_sum(ctx, &cols->total, 1));
    HEFT_CHECK(heft_all_place(ctx, n, &before, &cols->n_all));
    HEFT_ALLOC(ctx, arena, cols->col, m);
    HEFT_TABLE(ctx, arena, b.narrow, m, n);
    HEFT_ALLOC(ctx, &ctx->scratch, b.wide, m);
    for (size_t j = 0; j < m; j++)
        if ((j == rows.n_attr ? rows.n_class : rows.attr[j].n_codes) > 255)
            HEFT_ALLOC(ctx, arena, b.wide[j], n);
    HEFT_CHECK(heft_all_run(ctx, m, build_one, &b));
    if (!cols->weight) {
        cols->n_log = cols->n_all < MOST_LOGS ? cols->n_all + 1 : MOST_LOGS;
        HEFT_ALLOC(ctx, arena, cols->xlogx, cols->n_log);
        for (size_t x = 0; x < cols->n_log; x++) cols->xlogx[x] = heft_xlogx((double)x);
    }
    return HEFT_OK;
}

/* ---- counting two columns ---- */

typedef struct bench { /* work arrays for counting a pair; they grow as needed */
    size_t    cells;   /* length of the arrays below */
    uint32_t *twice;   /* two tables of `cells` counters: neighbouring rows count into different
                          tables, so that an increment need not wait for the one before it */
    double *table;     /* table of a pair of columns or groups */
    double *part;      /* table derived from `table` */
    double *line, *column;
} bench;

/* Number of codes of a column, including the code for missing cells if there are any. */
static size_t codes_of(const heft_code_column *c)
{
    return c->n + c->missing;
}

static heft_status bench_room(heft_ctx *ctx, bench *w, size_t cells)
{
    const size_t n = cells < 1024 ? 1024 : cells;
    if (w->table && w->line && cells <= w->cells) return HEFT_OK;
    heft_arena_clear(&ctx->scratch); /* each task has its own arena, which holds only `w` */
    *w = (bench){0};
    HEFT_ALLOC(ctx, &ctx->scratch, w->twice, 2 * n);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, w->table, w->part, w->line, w->column);
    w->cells = n; /* set last: it stays 0 if an allocation fails */
    return HEFT_OK;
}

#define COUNT_PAIR(type_a, type_b)                                                                 \
    do {                                                                                           \
        const type_a *ca = a->code;                                                                \
        const type_b *cb = b->code;                                                                \
        if (weight)                                                                                \
            for (size_t i = 0; i < n; i++) w->table[ca[i] * nb + cb[i]] += weight[i];              \
        else {                                                                                     \
            size_t i = 0;                                                                          \
            for (; i + 1 < n; i += 2) {                                                            \
                w->twice[ca[i] * nb + cb[i]]++;                                                    \
                other[ca[i + 1] * nb + cb[i + 1]]++;                                               \
            }                                                                                      \
            if (i < n) w->twice[ca[i] * nb + cb[i]]++;                                             \
        }                                                                                          \
    } while (0)

/* w->table[u * codes_of(b) + v] = weight of the rows with code u in column a and v in column b. */
static void count_pair(const heft_columns *cols, const heft_code_column *a,
                       const heft_code_column *b, bench *w)
{
    const size_t  n = cols->n_rows, nb = codes_of(b), cells = codes_of(a) * nb;
    const double *weight = cols->weight;
    uint32_t     *other = w->twice + cells;
    HEFT_KNOWN(w->table && w->twice);
    if (weight) memset(w->table, 0, cells * sizeof *w->table);
    else memset(w->twice, 0, 2 * cells * sizeof *w->twice);
    if (a->wide && b->wide) COUNT_PAIR(uint32_t, uint32_t);
    else if (a->wide) COUNT_PAIR(uint32_t, uint8_t);
    else if (b->wide) COUNT_PAIR(uint8_t, uint32_t);
    else COUNT_PAIR(uint8_t, uint8_t);
    if (!weight)
        for (size_t k = 0; k < cells; k++) w->table[k] = (double)w->twice[k] + (double)other[k];
}

/* Fills the table that count_pair makes, but from pair counts; column n_attr is the class. */
static void pair_of_suffstats(const heft_suffstats *t, size_t j, size_t k, double *table)
{
    const size_t m = t->n_attr, K = t->n_class;
    const size_t na = j == m ? K : t->attr[j].n_codes, nb = k == m ? K : t->attr[k].n_codes;
    for (size_t v = 0; v < na; v++)
        for (size_t w = 0; w < nb; w++) {
            double *to = &table[v * nb + w];
            if (k == m) *to = t->counts.cell[j][v * K + w];
            else if (j == m) *to = t->counts.cell[k][w * K + v];
            else {
                const double *n = heft_pair_counts_at(&t->pairs, j, v, k, w);
                *to = 0;
                for (size_t c = 0; c < K; c++) *to += n[c];
            }
        }
}

/* I(A;B) from a table as count_pair makes it. */
static heft_info info_from(const heft_columns *cols, const heft_code_column *a,
                           const heft_code_column *b, const double *table)
{
    double s = 0;
    if (a->missing || b->missing) return info_of(table, a->n, b->n, b->n + b->missing);
    for (size_t k = 0; k < a->n * b->n; k++)
        s += table[k] < (double)cols->n_log ? cols->xlogx[(size_t)table[k]] : heft_xlogx(table[k]);
    const double joint = log(cols->total) - s / cols->total, h_a = a->entropy, h_b = b->entropy;
    return (heft_info){cols->total, h_a, h_b, mutual_of(h_a, h_b, joint)};
}

/* ---- tables too large to count into: rows are sorted by their code in A, then the codes of B are
 * counted for the rows of one code of A at a time ---- */

static bool too_large(const heft_columns *cols, const heft_code_column *a,
                      const heft_code_column *b)
{
    const double cells = (double)codes_of(a) * (double)codes_of(b);
    return cells > 4096 && cells > 8 * (double)cols->n_all;
}

static heft_status info_by_runs(heft_ctx *ctx, const heft_columns *cols, const heft_code_column *a,
                                const heft_code_column *b, heft_info *out)
{
    const size_t n = cols->n_rows;
    HEFT_SCRATCH_SCOPE(ctx);
    size_t      *start, *order, *met;
    double      *count, *column;
    entropy_sums ta = {0}, tb = {0}, tab = {0};
    HEFT_ALLOC(ctx, &ctx->scratch, start, a->n + 2);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, order, met);
    HEFT_ALLOCS(ctx, &ctx->scratch, b->n + 1, count, column);
    for (size_t i = 0; i < n; i++) start[heft_column_code(a, i) + 1]++;
    for (size_t v = 1; v < a->n + 2; v++) start[v] += start[v - 1];
    for (size_t i = 0; i < n; i++) order[start[heft_column_code(a, i)]++] = i;
    for (size_t v = 0, k = 0; v < a->n; v++) { /* start[v] is now the end of v's rows */
        size_t n_met = 0;
        double line = 0;
        for (; k < start[v]; k++) {
            const uint32_t c = heft_column_code(b, order[k]);
            const double   x = cols->weight ? cols->weight[order[k]] : 1;
            if (c >= b->n) continue;
            if (count[c] == 0) met[n_met++] = c;
            count[c] += x;
            column[c] += x;
            line += x;
        }
        add_count(&ta, line);
        for (size_t q = 0; q < n_met; q++) add_count(&tab, count[met[q]]), count[met[q]] = 0;
    }
    for (size_t c = 0; c < b->n; c++) add_count(&tb, column[c]);
    *out = info_of_sums(ta.n, &ta, &tb, &tab);
    return HEFT_OK;
}

/* info_by_runs over the rows of all processes: every process receives both columns complete. */
static heft_status info_of_all(heft_ctx *ctx, const heft_columns *cols, const heft_code_column *a,
                               const heft_code_column *b, heft_info *out)
{
    heft_status          st = HEFT_OK;
    const size_t         n = cols->n_rows;
    heft_gathered        part[3] = {0};
    heft_columns         whole = *cols;
    heft_code_column     both[2] = {*a, *b};
    HEFT_FREED uint32_t *mine = NULL;
    if (heft_is_single(ctx)) return info_by_runs(ctx, cols, a, b, out);
    HEFT_HEAP(ctx, mine, n);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++) mine[i] = heft_column_code(&both[k], i);
        HEFT_TRY(heft_all_gather(ctx, mine, n * sizeof *mine, &part[k]));
        both[k].wide = true;
        both[k].code = part[k].bytes;
    }
    if (cols->weight) {
        HEFT_TRY(heft_all_gather(ctx, cols->weight, n * sizeof *cols->weight, &part[2]));
        whole.weight = (const double *)(const void *)part[2].bytes; /* as malloc aligns it */
    }
    whole.n_rows = cols->n_all;
    st = info_by_runs(ctx, &whole, &both[0], &both[1], out);
done:
    for (size_t k = 0; k < 3; k++) heft_gathered_clear(&part[k]);
    return st;
}

/* ---- groups ---- */

typedef struct group {
    heft_code_column all;      /* the column of a group of one, otherwise the joined codes */
    size_t           codes;    /* number of codes of `all` */
    size_t           first, n; /* first column of the group and number of its columns */
    size_t          *stride;   /* factor of each column's code in the code of the group */
} group;

typedef struct pairing {
    const heft_columns *cols;
    const char         *who;
    group              *group;
    size_t              n_group, n_slice;
    double             *sum;  /* n_slice x n_attr partial sums of I(A_j;A_k) */
    atomic_size_t       done; /* number of finished groups, for the progress message */
} pairing;

/* Joins neighbouring columns into groups while a group has at most `most` combinations of values:
 * joining saves time only if the tables of two groups are small compared with the rows. */
static void find_groups(pairing *p)
{
    const heft_columns *cols = p->cols;
    const size_t        n = cols->n_rows;
    const size_t        most = n >= 32768 ? MOST_GROUP : n >= 8192 ? 32 : n >= 2048 ? 16 : 1;
    for (size_t j = 0; j < cols->n_attr; j++) {
        const heft_code_column *c = &cols->col[j];
        group                  *last = p->n_group ? &p->group[p->n_group - 1] : NULL;
        if (c->entropy == 0) continue; /* a constant has no mutual information */
        if (last && last->first + last->n == j && last->codes <= most / codes_of(c)) {
            last->n++;
            last->codes *= codes_of(c);
        } else {
            p->group[p->n_group++] = (group){*c, codes_of(c), j, 1, NULL};
        }
    }
}

static heft_status join_columns(heft_ctx *ctx, const heft_columns *cols, group *g)
{
    size_t   stride = 1;
    uint8_t *code;
    HEFT_ALLOC(ctx, &ctx->scratch, g->stride, g->n);
    for (size_t k = 0; k < g->n; k++) {
        g->stride[k] = stride;
        stride *= codes_of(&cols->col[g->first + k]);
    }
    if (g->n == 1) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, code, cols->n_rows);
    for (size_t k = 0; k < g->n; k++) {
        const uint8_t *from = cols->col[g->first + k].code;
        for (size_t i = 0; i < cols->n_rows; i++)
            code[i] = (uint8_t)(code[i] + from[i] * g->stride[k]);
    }
    g->all = (heft_code_column){.n = g->codes, .code = code};
    return HEFT_OK;
}

static void add_pair(const pairing *p, double *sum, size_t j, size_t k, const double *table)
{
    const heft_code_column *col = p->cols->col;
    const double            mutual = info_from(p->cols, &col[j], &col[k], table).mutual;
    sum[j] += mutual;
    sum[k] += mutual;
}

/* Adds I(A;B) of all pairs of members of one group; the codes of the group are counted once. */
static heft_status within(heft_ctx *ctx, const pairing *p, const group *g, bench *w, double *sum)
{
    if (g->n < 2) return HEFT_OK;
    HEFT_CHECK(bench_room(ctx, w, g->codes));
    memset(w->line, 0, g->codes * sizeof *w->line);
    const uint8_t *code = g->all.code;
    for (size_t i = 0; i < p->cols->n_rows; i++)
        w->line[code[i]] += p->cols->weight ? p->cols->weight[i] : 1;
    for (size_t a = 0; a < g->n; a++)
        for (size_t b = a + 1; b < g->n; b++) {
            const size_t na = codes_of(&p->cols->col[g->first + a]);
            const size_t nb = codes_of(&p->cols->col[g->first + b]);
            memset(w->part, 0, na * nb * sizeof *w->part);
            for (size_t v = 0; v < g->codes; v++)
                w->part[v / g->stride[a] % na * nb + v / g->stride[b] % nb] += w->line[v];
            add_pair(p, sum, g->first + a, g->first + b, w->part);
        }
    return HEFT_OK;
}

/* Sums w->table, the counts of groups g and h, to the tables of all pairs of their members. For
 * member b of h it first sums over the other members of h, which gives w->column (codes of g by
 * codes of b); then for each member a of g over the other members of g. */
static void spread_table(const pairing *p, const group *g, const group *h, bench *w, double *sum)
{
    for (size_t b = 0; b < h->n; b++) {
        const size_t  nb = codes_of(&p->cols->col[h->first + b]);
        const double *by_b = w->table;
        if (h->n > 1) {
            memset(w->column, 0, g->codes * nb * sizeof *w->column);
            for (size_t v = 0; v < h->codes; v++)
                for (size_t u = 0; u < g->codes; u++)
                    w->column[u * nb + v / h->stride[b] % nb] += w->table[u * h->codes + v];
            by_b = w->column;
        }
        for (size_t a = 0; a < g->n; a++) {
            const size_t  na = codes_of(&p->cols->col[g->first + a]);
            const double *table = by_b;
            if (g->n > 1) {
                memset(w->part, 0, na * nb * sizeof *w->part);
                for (size_t u = 0; u < g->codes; u++)
                    for (size_t v = 0; v < nb; v++)
                        w->part[u / g->stride[a] % na * nb + v] += by_b[u * nb + v];
                table = w->part;
            }
            add_pair(p, sum, g->first + a, h->first + b, table);
        }
    }
}

static heft_status between(heft_ctx *ctx, const pairing *p, const group *g, const group *h,
                           bench *w, double *sum)
{
    const heft_code_column *a = &p->cols->col[g->first], *b = &p->cols->col[h->first];
    const heft_suffstats   *known = p->cols->suffstats; /* if not NULL, each group has one column */
    if (!known && g->n == 1 && h->n == 1 && too_large(p->cols, a, b)) {
        heft_info info;
        HEFT_CHECK(info_by_runs(ctx, p->cols, a, b, &info));
        sum[g->first] += info.mutual;
        sum[h->first] += info.mutual;
        return HEFT_OK;
    }
    HEFT_CHECK(bench_room(ctx, w, g->codes * h->codes));
    if (known) pair_of_suffstats(known, g->first, h->first, w->table);
    else count_pair(p->cols, &g->all, &h->all, w);
    spread_table(p, g, h, w, sum);
    return HEFT_OK;
}

/* Task b pairs the groups b, b + n_slice, b + 2 n_slice, ... with all groups after them. */
static heft_status pair_slice(heft_ctx *ctx, void *arg, size_t b)
{
    pairing *p = arg;
    double  *sum = p->sum + b * p->cols->n_attr;
    bench    w = {0};
    for (size_t g = b; g < p->n_group; g += p->n_slice) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(within(ctx, p, &p->group[g], &w, sum));
        for (size_t h = g + 1; h < p->n_group; h++)
            HEFT_CHECK(between(ctx, p, &p->group[g], &p->group[h], &w, sum));
        const size_t done_now = atomic_fetch_add(&p->done, 1) + 1;
        const double left = 1 - (double)done_now / (double)p->n_group;
        if (p->n_group > 64) heft_progress(ctx, p->who, 1 - left * left);
    }
    return HEFT_OK;
}

heft_status heft_mutual_sums(heft_ctx *ctx, const heft_columns *cols, const char *who, double *sum)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t m = cols->n_attr;
    const double pairs = (double)m * ((double)m - 1) / 2;
    const double bytes = (double)m * ((double)cols->n_rows * 2 + SLICES * 8);
    pairing      p = {.cols = cols, .who = who};
    memset(sum, 0, m * sizeof *sum);
    if (m > TOO_MANY)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "%s compares all pairs of attributes: %zu attributes make %.3g pairs, which would take "
            "%.0f MB (use fewer attributes, for example {select=mutual-information:1000})",
            who, m, pairs, bytes / 1e6);
    if (m > MANY)
        heft_say(ctx, HEFT_WARNING,
                 "%s compares all pairs of attributes: %zu attributes make %.3g pairs, which take "
                 "%.0f MB and some time (fewer attributes are faster, for example "
                 "{select=mutual-information:1000})",
                 who, m, pairs, bytes / 1e6);
    HEFT_ALLOC(ctx, &ctx->scratch, p.group, m);
    find_groups(&p);
    for (size_t g = 0; g < p.n_group; g++) HEFT_CHECK(join_columns(ctx, cols, &p.group[g]));
    p.n_slice = p.n_group < SLICES ? p.n_group : SLICES;
    HEFT_ALLOC(ctx, &ctx->scratch, p.sum, p.n_slice * m);
    HEFT_CHECK(heft_run(ctx, p.n_slice, pair_slice, &p));
    for (size_t b = 0; b < p.n_slice; b++)
        for (size_t j = 0; j < m; j++) sum[j] += p.sum[b * m + j];
    return HEFT_OK;
}

/* ---- correlations as computed by Weka ---- */

/* Distributes the counts of missing cells as Weka's CfsSubsetEval does with missingSeparate off:
 * rows with A missing over the values of A in proportion to their counts, rows with B missing over
 * the values of B, rows with both missing over the pairs of values. The table t is
 * (na + 1) x (nb + 1); its last line and last column count missing cells. */
static void share_missing(double *t, size_t na, size_t nb, double *line, double *column,
                          double *copy)
{
    const size_t stride = nb + 1;
    double       n = 0;
    memset(line, 0, (na + 1) * sizeof *line);
    memset(column, 0, (nb + 1) * sizeof *column);
    for (size_t v = 0; v <= na; v++)
        for (size_t c = 0; c <= nb; c++) {
            line[v] += t[v * stride + c];
            column[c] += t[v * stride + c];
            n += t[v * stride + c];
        }
    const double both = t[na * stride + nb], any = line[na] + column[nb] - both;
    if (!(line[na] < n) || !(column[nb] < n)) return;
    memcpy(copy, t, (na + 1) * stride * sizeof *t);
    for (size_t c = 0; c < nb; c++)
        for (size_t v = 0; v < na; v++)
            t[v * stride + c] += line[v] / (n - line[na]) * copy[na * stride + c];
    for (size_t v = 0; v < na; v++)
        for (size_t c = 0; c < nb; c++)
            t[v * stride + c] += column[c] / (n - column[nb]) * copy[v * stride + nb];
    if (both > 0 && any < n)
        for (size_t v = 0; v < na; v++)
            for (size_t c = 0; c < nb; c++)
                t[v * stride + c] += copy[v * stride + c] / (n - any) * both;
}

static heft_status correlation(heft_ctx *ctx, const heft_columns *cols, size_t j, size_t k,
                               bench *w, double *out)
{
    const heft_code_column *a = &cols->col[j], *b = &cols->col[k];
    heft_info               info;
    if (!cols->suffstats && too_large(cols, a, b)) {
        HEFT_CHECK(info_of_all(ctx, cols, a, b, &info));
        *out = heft_uncertainty(&info);
        return HEFT_OK;
    }
    HEFT_CHECK(bench_room(ctx, w, (a->n + 1) * (b->n + 1)));
    if (cols->suffstats) pair_of_suffstats(cols->suffstats, j, k, w->table);
    else {
        count_pair(cols, a, b, w);
        HEFT_CHECK(heft_all_sum(ctx, w->table, codes_of(a) * codes_of(b)));
    }
    if (a->missing || b->missing) { /* share_missing expects a line and a column of missing
                                       cells, even if A or B has none */
        memset(w->part, 0, (a->n + 1) * (b->n + 1) * sizeof *w->part);
        for (size_t v = 0, nb = codes_of(b); v < codes_of(a); v++)
            memcpy(w->part + v * (b->n + 1), w->table + v * nb, nb * sizeof *w->part);
        share_missing(w->part, a->n, b->n, w->line, w->column, w->table);
        info = info_of(w->part, a->n, b->n, b->n + 1);
    } else {
        info = info_from(cols, a, b, w->table);
    }
    *out = heft_uncertainty(&info);
    return HEFT_OK;
}

typedef struct correlating {
    const heft_columns *cols;
    size_t              j;
    float               unrelated;
    float              *out;
} correlating;

static heft_status correlate(heft_ctx *ctx, void *arg, size_t task)
{
    const correlating *job = arg;
    const size_t       m = job->cols->n_attr, lo = task * COLUMNS_PER_TASK;
    const size_t       hi = m + 1 - lo < COLUMNS_PER_TASK ? m + 1 : lo + COLUMNS_PER_TASK;
    bench              w = {0};
    HEFT_CHECK(heft_check_cancel(ctx));
    for (size_t k = lo; k < hi; k++) {
        double su = 1;
        if (k != job->j) HEFT_CHECK(correlation(ctx, job->cols, job->j, k, &w, &su));
        const float nothing = k == m || job->j == m ? 0 : job->unrelated;
        job->out[k] = su < NO_RELATION ? nothing : (float)su;
    }
    return HEFT_OK;
}

heft_status heft_correlation_row(heft_ctx *ctx, const heft_columns *cols, size_t j, float unrelated,
                                 float *out)
{
    correlating job = {cols, j, unrelated, out};
    return heft_all_run(ctx, cols->n_attr / COLUMNS_PER_TASK + 1, correlate, &job);
}
