/* store_suffstats.c - to and from a file: what a model keeps of its rows so that it can be merged.
 * A model without it, as older ones are, loads all the same. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/store.h"
#include "model/validate.h"

static const double MOST_WEIGHT = 1e15;

/* ---- saving ---- */

static size_t lines_of(const heft_attr *a)
{
    return (size_t)a->n_codes + 2;
}

static heft_status save_values(heft_ctx *ctx, const heft_suffstats *t, heft_file *file)
{
    const size_t K = t->n_class;
    size_t       n = 0, n_numeric = 0, at = 0;
    uint64_t    *start;
    double      *x, *w;

    for (size_t j = 0; j < t->n_attr; j++) {
        if (t->attr[j].coded) continue;
        n += t->values[j].start[K];
        n_numeric++;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, start, n_numeric * (K + 1));
    HEFT_ALLOC(ctx, &ctx->scratch, x, n);
    HEFT_ALLOC(ctx, &ctx->scratch, w, n);
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_values *v = &t->values[j];
        if (t->attr[j].coded) continue;
        for (size_t c = 0; c <= K; c++) *start++ = v->start[c];
        memcpy(x + at, v->x, v->start[K] * sizeof *x);
        memcpy(w + at, v->w, v->start[K] * sizeof *w);
        at += v->start[K];
    }
    start -= n_numeric * (K + 1);
    HEFT_CHECK(
        heft_file_put_vector(ctx, file, "suffstats.start", HEFT_U64, n_numeric * (K + 1), start));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "suffstats.point", HEFT_F64, n, x));
    return heft_file_put_vector(ctx, file, "suffstats.weight", HEFT_F64, n, w);
}

static heft_status save_counts(heft_ctx *ctx, const heft_suffstats *t, heft_file *file)
{
    const size_t K = t->n_class;
    size_t       lines = 0, at = 0;
    double      *cells;
    for (size_t j = 0; j < t->n_attr; j++)
        if (t->attr[j].coded) lines += lines_of(&t->attr[j]);
    HEFT_ALLOC(ctx, &ctx->scratch, cells, lines * K);
    for (size_t j = 0; j < t->n_attr; j++) {
        const size_t n = lines_of(&t->attr[j]) * K;
        if (!t->attr[j].coded) continue;
        memcpy(cells + at, t->counts.cell[j], n * sizeof *cells);
        at += n;
    }
    HEFT_CHECK(
        heft_file_put_vector(ctx, file, "suffstats.class", HEFT_F64, K, t->counts.class_sum));
    if (lines)
        HEFT_CHECK(
            heft_file_put(ctx, file, "suffstats.value", HEFT_F64, (size_t[]){lines, K}, 2, cells));
    return HEFT_OK;
}

heft_status heft_store_save_suffstats(heft_ctx *ctx, const heft_model *model, heft_file *file)
{
    heft_status           st = HEFT_OK;
    const heft_suffstats *t = model->suffstats;
    const heft_mark       mark = heft_arena_mark(&ctx->scratch);

    if (!t) return HEFT_OK;
    HEFT_TRY(save_counts(ctx, t, file));
    if (t->n_attr)
        HEFT_TRY(
            heft_file_put_vector(ctx, file, "suffstats.filled", HEFT_U8, t->n_attr, model->filled));
    if (t->sums.by_class) {
        const size_t shape[] = {t->sums.n_numeric, t->n_class, HEFT_N_SUMS};
        HEFT_TRY(heft_file_put(ctx, file, "suffstats.sum", HEFT_F64, shape, 3, t->sums.cells));
        HEFT_TRY(heft_file_put_vector(ctx, file, "suffstats.scale", HEFT_F64, t->sums.n_numeric,
                                      t->sums.scale));
    }
    if (t->values) HEFT_TRY(save_values(ctx, t, file));
    if (t->pairs.cell) {
        const size_t shape[] = {t->pairs.start[t->n_attr], t->n_class};
        HEFT_TRY(heft_file_put(ctx, file, "suffstats.pair", HEFT_F64, shape, 2, t->pairs.cell));
    }
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- loading ---- */

typedef struct reader {
    heft_ctx        *ctx;
    const heft_file *file;
    heft_arena      *arena;
    heft_suffstats  *t;
} reader;

static heft_status get(const reader *r, const char *name, size_t n, double **out)
{
    void             *data = NULL;
    const heft_status st =
        heft_file_get(r->ctx, r->file, name, HEFT_F64, n, false, r->arena, &data, NULL);
    *out = data;
    return st;
}

static heft_status contradiction(const reader *r)
{
    return heft_file_damaged(r->ctx, r->file, "the counts contradict one another");
}

static heft_status load_counts(const reader *r)
{
    heft_suffstats *t = r->t;
    heft_counts    *n = &t->counts;
    const size_t    K = t->n_class;
    size_t          cells = 0, one;
    double         *value = NULL;

    *n = (heft_counts){.n_attr = t->n_attr, .n_class = K};
    HEFT_CHECK(get(r, "suffstats.class", K, &n->class_sum));
    HEFT_ALLOC(r->ctx, r->arena, n->cell, t->n_attr);
    for (size_t j = 0; j < t->n_attr; j++) {
        if (!t->attr[j].coded) continue;
        if (!heft_product(lines_of(&t->attr[j]), K, &one) || one > SIZE_MAX / 2 - cells)
            HEFT_CHECK(heft_file_damaged(r->ctx, r->file, "its counts are too many"));
        cells += one;
    }
    if (cells) HEFT_CHECK(get(r, "suffstats.value", cells, &value));
    for (size_t c = 0; c < K; c++) {
        if (!(n->class_sum[c] >= 0 && n->class_sum[c] <= MOST_WEIGHT)) HEFT_CHECK(contradiction(r));
        n->total += n->class_sum[c];
    }
    if (!(n->total > 0)) HEFT_CHECK(contradiction(r));
    for (size_t j = 0; j < t->n_attr; j++) {
        if (!t->attr[j].coded) continue;
        n->cell[j] = value;
        for (size_t v = 0; v < lines_of(&t->attr[j]); v++, value += K)
            if (!heft_is_part(value, n->class_sum, K)) HEFT_CHECK(contradiction(r));
    }
    return HEFT_OK;
}

static bool sound_line(const double *line, double class_sum)
{
    const double n = line[HEFT_SUM_N], unlike = line[HEFT_SUM_UNLIKE];
    return heft_is_part(&n, &class_sum, 1) && (unlike == 0 || unlike == 1) &&
           line[HEFT_SUM_XX] >= 0;
}

static heft_status load_sums(const reader *r, bool sparse)
{
    heft_suffstats *t = r->t;
    double         *cells, *scale;
    HEFT_CHECK(heft_sums_new(r->ctx, t->attr, t->n_attr, t->n_class, r->arena, &t->sums));
    HEFT_CHECK(get(r, "suffstats.sum", t->sums.n_numeric * t->n_class * HEFT_N_SUMS, &cells));
    HEFT_CHECK(get(r, "suffstats.scale", t->sums.n_numeric, &scale));
    for (size_t k = 0; k < t->sums.n_numeric; k++)
        if (scale[k] != 1 && scale[k] != HEFT_SUM_SCALE_SMALL) HEFT_CHECK(contradiction(r));
    memcpy(t->sums.cells, cells,
           t->sums.n_numeric * t->n_class * HEFT_N_SUMS * sizeof *t->sums.cells);
    memcpy(t->sums.scale, scale, t->sums.n_numeric * sizeof *scale);
    t->sums.from_zero = sparse;
    for (size_t k = 0; k < t->sums.n_numeric * t->n_class; k++)
        if (!sound_line(cells + k * HEFT_N_SUMS, t->counts.class_sum[k % t->n_class]))
            HEFT_CHECK(contradiction(r));
    return HEFT_OK;
}

/* The list of one attribute: in order, and no heavier than its classes. */
static bool sound_values(const heft_values *v, const double *class_sum, size_t K)
{
    bool ok = true;
    for (size_t c = 0; c < K; c++) {
        double sum = 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            ok = ok && v->w[k] > 0 && (k == v->start[c] || v->x[k] > v->x[k - 1]);
            sum += v->w[k];
        }
        ok = ok && heft_is_part(&sum, &class_sum[c], 1);
    }
    return ok;
}

static heft_status load_values(const reader *r)
{
    heft_suffstats *t = r->t;
    const size_t    K = t->n_class;
    size_t          n_numeric = 0, n = 0;
    void           *data;
    double         *x, *w;

    for (size_t j = 0; j < t->n_attr; j++) n_numeric += !t->attr[j].coded;
    HEFT_CHECK(heft_file_get(r->ctx, r->file, "suffstats.start", HEFT_U64, n_numeric * (K + 1),
                             false, &r->ctx->scratch, &data, NULL));
    const uint64_t *start = data;
    for (size_t k = 0; k < n_numeric; k++)
        for (size_t c = 0; c <= K; c++) {
            const uint64_t at = start[k * (K + 1) + c];
            if (c == 0 ? at != 0 : at < start[k * (K + 1) + c - 1]) HEFT_CHECK(contradiction(r));
            if (at > SIZE_MAX / 32 - n) HEFT_CHECK(contradiction(r));
            if (c == K) n += (size_t)at;
        }
    HEFT_CHECK(get(r, "suffstats.point", n, &x));
    HEFT_CHECK(get(r, "suffstats.weight", n, &w));
    HEFT_ALLOC(r->ctx, r->arena, t->values, t->n_attr);
    for (size_t j = 0; j < t->n_attr; j++) {
        heft_values *v = &t->values[j];
        if (t->attr[j].coded) continue;
        HEFT_ALLOC(r->ctx, r->arena, v->start, K + 1);
        for (size_t c = 0; c <= K; c++) v->start[c] = (size_t)*start++;
        v->x = x;
        v->w = w;
        x += v->start[K];
        w += v->start[K];
        if (!sound_values(v, t->counts.class_sum, K)) HEFT_CHECK(contradiction(r));
    }
    return HEFT_OK;
}

static bool sound_pairs(const heft_suffstats *t)
{
    const size_t K = t->n_class;
    bool         ok = true;
    for (size_t i = 0; ok && i < t->n_attr; i++)
        for (size_t j = i + 1; ok && j < t->n_attr; j++)
            for (size_t v = 0; v < t->attr[i].n_codes; v++)
                for (size_t w = 0; w < t->attr[j].n_codes; w++) {
                    const double *n = heft_pair_counts_at(&t->pairs, i, v, j, w);
                    ok = ok && heft_is_part(n, t->counts.cell[i] + v * K, K) &&
                         heft_is_part(n, t->counts.cell[j] + w * K, K);
                }
    return ok;
}

static heft_status load_pairs(const reader *r)
{
    heft_suffstats *t = r->t;
    size_t          cells;
    double         *cell;
    uint32_t       *n_codes;
    HEFT_ALLOC(r->ctx, &r->ctx->scratch, n_codes, t->n_attr);
    for (size_t j = 0; j < t->n_attr; j++) {
        n_codes[j] = t->attr[j].n_codes;
        if (!t->attr[j].coded) HEFT_CHECK(contradiction(r));
    }
    HEFT_CHECK(heft_pair_counts_plan(r->ctx, n_codes, t->n_attr, t->n_class, 0, "of the model",
                                     r->arena, &t->pairs));
    if (!heft_product(t->pairs.start[t->n_attr], t->n_class, &cells)) HEFT_CHECK(contradiction(r));
    HEFT_CHECK(get(r, "suffstats.pair", cells, &cell));
    t->pairs.cell = cell;
    if (!sound_pairs(t)) HEFT_CHECK(contradiction(r));
    return HEFT_OK;
}

static heft_status load_attr(const reader *r, const heft_prep *prep)
{
    *r->t = (heft_suffstats){.n_attr = prep->n_attr, .n_class = heft_dict_size(prep->classes)};
    HEFT_ALLOC(r->ctx, r->arena, r->t->attr, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) {
        heft_attr *a = &r->t->attr[j];
        a->n_codes = (uint32_t)heft_prep_codes(&prep->attr[j], &a->coded);
        a->width = a->coded ? heft_code_width(a->n_codes) : 8;
    }
    return HEFT_OK;
}

heft_status heft_store_load_suffstats(heft_ctx *ctx, const heft_file *file, heft_model *model)
{
    reader r = {ctx, file, &model->arena, NULL};
    void  *filled;

    if (!heft_file_has(file, "suffstats.class")) return HEFT_OK;
    HEFT_ALLOC(ctx, r.arena, r.t, 1);
    HEFT_CHECK(load_attr(&r, &model->prep));
    HEFT_CHECK(load_counts(&r));
    if (model->prep.n_attr) {
        HEFT_CHECK(heft_file_get(ctx, file, "suffstats.filled", HEFT_U8, model->prep.n_attr, false,
                                 r.arena, &filled, NULL));
        model->filled = filled;
    }
    if (heft_file_has(file, "suffstats.sum")) HEFT_CHECK(load_sums(&r, model->prep.sparse));
    if (heft_file_has(file, "suffstats.start")) HEFT_CHECK(load_values(&r));
    if (heft_file_has(file, "suffstats.pair")) HEFT_CHECK(load_pairs(&r));
    model->suffstats = r.t;
    return HEFT_OK;
}
