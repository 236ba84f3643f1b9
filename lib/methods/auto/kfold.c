/* kfold.c - rows dealt into five parts, class by class. */
#include "methods/auto/kfold.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/sort.h"

enum { BLOCK = 2048 };

/* ---- keys ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t text_key(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return mix(h);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

typedef struct keys {
    const heft_sample *sample;
    const heft_coded  *coded;
    const heft_prep   *prep;
    uint64_t          *salt;               /* by attribute */
    uint64_t         **profile, **wording; /* of nominal attributes, by prepared code */
    uint64_t          *first, *second;     /* of rows: the second parts what the first does not */
} keys;

/* What values mean, whatever they are called: how often each class has them. Counted in whole
 * numbers, so that the order of rows cannot matter. */
static heft_status find_profile(heft_ctx *ctx, void *arg, size_t j)
{
    const keys        *job = arg;
    const heft_sample *s = job->sample;
    const heft_attr   *a = &s->rows->attr[j];
    const size_t       K = s->n_class;
    uint64_t          *count;
    if (!a->coded) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, count, ((size_t)a->n_codes + 2) * K);
    for (size_t i = 0; i < s->n; i++)
        count[heft_code_at(a->codes, a->width, i) * K + s->y[i]] +=
            s->weight ? (uint64_t)fmin(s->weight[i] * 0x1p20, 0x1p40) : (uint64_t)1 << 20;
    for (size_t v = 0; v < (size_t)a->n_codes + 2; v++) {
        job->profile[j][v] = 1;
        for (size_t c = 0; c < K; c++) job->profile[j][v] += mix(count[v * K + c] + 1);
    }
    return HEFT_OK;
}

static heft_status prepare_keys(heft_ctx *ctx, keys *job)
{
    const heft_sample *s = job->sample;
    const size_t       m = s->rows->n_attr;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, job->salt, job->profile, job->wording);
    HEFT_ALLOCS(ctx, &ctx->scratch, s->n, job->first, job->second);
    for (size_t j = 0; j < m; j++) {
        const heft_attr      *a = &s->rows->attr[j];
        const heft_attr_prep *p = &job->prep->attr[j];
        job->salt[j] = text_key(p->name);
        if (!a->coded) continue;
        HEFT_ALLOCS(ctx, &ctx->scratch, (size_t)a->n_codes + 2, job->profile[j], job->wording[j]);
        for (uint32_t v = 0; v < a->n_codes + 2; v++)
            job->wording[j][v] =
                p->dict && v < a->n_codes ? text_key(heft_dict_text(p->dict, v)) : mix(v + 1);
    }
    return heft_run(ctx, m, find_profile, job);
}

static heft_status key_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const keys      *job = arg;
    const heft_rows *rows = job->sample->rows;
    (void)ctx;
    for (size_t j = 0; j < rows->n_attr; j++) {
        const heft_attr  *a = &rows->attr[j];
        const heft_cells *cell = heft_cells_of(job->coded, j, HEFT_AT_10);
        const uint64_t    salt = job->salt[j];
        if (cell->n_codes < 2) continue; /* the same in every row */
        for (size_t i = lo; i < hi; i++) {
            if (a->coded) {
                const uint32_t v = heft_code_at(a->codes, a->width, i);
                job->first[i] += mix(salt ^ job->profile[j][v]);
                job->second[i] += mix(salt ^ job->wording[j][v]);
            } else {
                /* up to a power of two: its place among the bins, and its leading digits */
                const double   x = a->numbers[i];
                const uint32_t bin = heft_code_at(cell->at, cell->width, i);
                int            power;
                job->first[i] += mix(salt ^ (isnan(x) ? 3 : bits_of(frexp(x, &power)) + bin));
                job->second[i] += mix(salt ^ (isnan(x) ? 3 : bits_of(x)));
            }
        }
    }
    return HEFT_OK;
}

heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, const heft_coded *coded,
                             const heft_prep *prep, heft_arena *arena, size_t **order)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = sample->n, none = sample->n_class;
    keys         job = {.sample = sample, .coded = coded, .prep = prep};
    heft_ranked *v, *spare;
    size_t      *turn, next = 0;
    HEFT_ALLOC(ctx, arena, *order, n);
    HEFT_CHECK(prepare_keys(ctx, &job));
    HEFT_CHECK(heft_run_blocks(ctx, n, BLOCK, key_block, &job));
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    HEFT_ALLOC(ctx, &ctx->scratch, turn, sample->n_class);
    HEFT_ROWS (i, n) v[i] = (heft_ranked){job.second[i], i};
    heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) v[i].key = mix(job.first[v[i].row] + ctx->seed * 0x9e3779b97f4a7c15u);
    heft_order_sort(v, spare, n);
    /* Classes come in the order of their first rows. */
    for (size_t c = 0; c < sample->n_class; c++) turn[c] = none;
    HEFT_ROWS (i, n) {
        size_t *t = &turn[sample->y[v[i].row]];
        if (*t == none) *t = next++;
        v[i].key = *t;
    }
    heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) (*order)[i] = v[i].row;
    return HEFT_OK;
}

/* ---- dealing ---- */

/* How much of [from, from + w) lies in part k. */
static double share_of(double from, double w, size_t k)
{
    const double rounds = floor(w / HEFT_KFOLD), end = from + w - rounds * HEFT_KFOLD;
    double       share = k < HEFT_KFOLD ? rounds : 0;
    for (double cell = floor(from); cell < end; cell++)
        if ((size_t)fmod(cell, HEFT_KFOLD) == k) share += fmin(cell + 1, end) - fmax(cell, from);
    return share;
}

heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const size_t *at, size_t n,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others)
{
    heft_fold_part *parts[2] = {held, others};
    double          from = 0;
    for (int p = 0; p < 2; p++) {
        *parts[p] = (heft_fold_part){0};
        HEFT_ALLOCS(ctx, arena, n, parts[p]->at, parts[p]->row, parts[p]->y);
        if (sample->weight) HEFT_ALLOC(ctx, arena, parts[p]->weight, n);
    }
    HEFT_ROWS (i, n) {
        const double w = sample->weight ? sample->weight[at[i]] : 1;
        double       in = sample->weight ? share_of(from, w, k) : i % HEFT_KFOLD == k;
        from += w;
        if (in < 1e-9 * w) in = 0; /* what rounding leaves */
        if (w - in < 1e-9 * w) in = w;
        for (int p = 0; p < 2; p++) {
            heft_fold_part *part = parts[p];
            const double    weight = p == 0 ? in : w - in;
            if (!(weight > 0)) continue;
            part->at[part->n] = i;
            part->row[part->n] = sample->row ? sample->row[at[i]] : at[i];
            part->y[part->n] = sample->y[at[i]];
            if (part->weight) part->weight[part->n] = weight;
            part->n++;
        }
    }
    return HEFT_OK;
}
