/* copies.c - detection of duplicated rows. A "kind" is a set of equal rows of one class. */
#include "learn/copies.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"
#include "stats/keys.h"

enum {
    LOOKED_AT = 4096, /* number of rows that are examined, about */
    BUCKETS = 1024    /* number of hash buckets in which the values of a column are counted */
};

static const double RARE = 0.1; /* a kind is rare if fewer rows than this are expected by chance */
static const double SOME = 0.1; /* smallest ratio of rare kinds to other kinds of a class */

typedef struct kind { /* equal rows of a class */
    uint64_t key;
    size_t class, n; /* class, and number of rows */
    double expected; /* number of rows expected by chance */
} kind;

typedef struct kinds {
    size_t  n;
    kind   *of;
    size_t *row; /* one row of each kind; NULL if the kinds are merged over all processes */
} kinds;

/* Finds the kinds among the examined rows of this process. */
static heft_status look(heft_ctx *ctx, const heft_keyed_rows *rows, kinds *out)
{
    const heft_sample *s = rows->sample;
    size_t             before, n_all, room = 0;
    HEFT_CHECK(heft_all_place(ctx, s->n, &before, &n_all));
    const double   share = n_all > LOOKED_AT ? (double)LOOKED_AT / (double)n_all : 1;
    const uint64_t limit = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
    for (int fill = 0; fill < 2; fill++) {
        if (fill) HEFT_ALLOCS(ctx, &ctx->scratch, room, out->of, out->row);
        out->n = 0;
        const kind *last = NULL;
        HEFT_ROWS (i, s->n) {
            const size_t   row = rows->order[i];
            const uint64_t key = rows->key[row];
            if (heft_mix(key) > limit) continue;
            if (fill && last && last->key == key && last->class == s->y[row]) {
                out->of[out->n - 1].n++;
                continue;
            }
            if (fill) {
                out->of[out->n] = (kind){.key = key, .class = s->y[row], .n = 1};
                out->row[out->n] = row;
                last = &out->of[out->n];
            }
            out->n++;
        }
        room = out->n;
    }
    return HEFT_OK;
}

/* Merges the kinds of all processes, sorted by class and key. */
static heft_status merge(heft_ctx *ctx, const kinds *mine, kinds *out)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    heft_ranked              *v, *spare;
    kind                     *of;
    HEFT_CHECK(heft_all_gather(ctx, mine->of, mine->n * sizeof *of, &all));
    const size_t n = all.start[all.n] / sizeof *of;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare, of, out->of);
    if (n) memcpy(of, all.bytes, n * sizeof *of);
    for (size_t k = 0; k < n; k++) v[k] = (heft_ranked){of[k].key, k};
    heft_order_sort(v, spare, n);
    for (size_t k = 0; k < n; k++) v[k].key = of[v[k].row].class;
    heft_order_sort(v, spare, n);
    out->n = 0;
    for (size_t k = 0; k < n; k++) {
        const kind *one = &of[v[k].row];
        kind       *last = out->of + out->n;
        if (out->n && last[-1].key == one->key && last[-1].class == one->class) {
            last[-1].n += one->n;
        } else {
            *last = *one;
            out->n++;
        }
    }
    return HEFT_OK;
}

/* *out = the lower median of the sizes of the rare kinds of class c, or 1 if there are hardly any.
 */
static heft_status unit_of(heft_ctx *ctx, const kinds *all, size_t c, size_t *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_ranked *v, *spare;
    size_t       n = 0, others = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, all->n, v, spare);
    for (size_t k = 0; k < all->n; k++) {
        if (all->of[k].class != c) continue;
        if (all->of[k].expected < RARE) v[n++] = (heft_ranked){all->of[k].n, k};
        else others++;
    }
    heft_order_sort(v, spare, n);
    *out = (double)n > SOME * (double)others ? (size_t)v[(n - 1) / 2].key : 1;
    return HEFT_OK;
}

static size_t bucket_of(const heft_attr *a, size_t i)
{
    uint64_t bits;
    if (a->coded) return heft_mix(heft_code_at(a->codes, a->width, i)) % BUCKETS;
    const double x = a->numbers[i] + 0.0;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0 : heft_mix(bits) % BUCKETS;
}

/* Sets the number of rows expected by chance for each kind of class c, if every row of the class
 * has `unit` copies. */
static heft_status expect(heft_ctx *ctx, const heft_keyed_rows *rows, size_t c, size_t unit,
                          const kinds *mine)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sample *s = rows->sample;
    const heft_rows   *cells = s->rows;
    int64_t           *count, n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, count, BUCKETS);
    HEFT_ROWS (i, s->n) n += s->y[i] == c;
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    for (size_t k = 0; k < mine->n; k++)
        if (mine->of[k].class == c) mine->of[k].expected = log((double)n / (double)unit);
    if (!cells->sparse)
        for (size_t j = 0; j < cells->n_attr; j++) {
            const heft_attr *a = &cells->attr[j];
            memset(count, 0, BUCKETS * sizeof *count);
            HEFT_ROWS (i, s->n)
                if (s->y[i] == c) count[bucket_of(a, i)]++;
            HEFT_CHECK(heft_all_add(ctx, count, BUCKETS));
            for (size_t k = 0; k < mine->n; k++)
                if (mine->of[k].class == c)
                    mine->of[k].expected +=
                        log((double)count[bucket_of(a, mine->row[k])] / (double)n);
        }
    for (size_t k = 0; k < mine->n; k++)
        if (mine->of[k].class == c) mine->of[k].expected = exp(mine->of[k].expected);
    return HEFT_OK;
}

heft_status heft_copies_find(heft_ctx *ctx, const heft_keyed_rows *rows, size_t *unit)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = rows->sample->n_class;
    kinds        mine = {0}, all = {0};
    bool         some = false;
    HEFT_CHECK(look(ctx, rows, &mine));
    HEFT_CHECK(merge(ctx, &mine, &all));
    for (size_t c = 0; c < K; c++) {
        HEFT_CHECK(unit_of(ctx, &all, c, &unit[c]));
        if (unit[c] > 1) HEFT_CHECK(expect(ctx, rows, c, unit[c], &mine));
        some |= unit[c] > 1;
    }
    if (!some) return HEFT_OK;
    HEFT_CHECK(merge(ctx, &mine, &all));
    for (size_t c = 0; c < K; c++)
        if (unit[c] > 1) HEFT_CHECK(unit_of(ctx, &all, c, &unit[c]));
    return HEFT_OK;
}
