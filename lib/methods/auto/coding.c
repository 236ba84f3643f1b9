/* coding.c - attributes coded at several resolutions at once. */
#include "methods/auto/coding.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"
#include "base/wide.h"
#include "prep/quantiles.h"

enum { MEDIAN = 3, N_LISTS = 4, MOST_FINE = 64, AT_ONCE = 1024 /* attributes */ };

static const size_t BINS[N_LISTS] = {5, 10, 20, 2}; /* the last: the median */

static const double CLIP = 4; /* largest size of a scaled number */

/* ---- learning ---- */

typedef struct column { /* the observed cells of one numeric attribute */
    size_t    n;
    double   *x, *weight; /* weight NULL: all 1 */
    uint16_t *y;
    bool      missing; /* some cell is not observed */
} column;

typedef struct attr_cuts {     /* the cuts of one attribute */
    double  list[N_LISTS][20]; /* the cuts of each list of equal frequency */
    size_t  n_list[N_LISTS];
    double *mdl; /* heap */
    size_t  n_mdl;
    double  fine[MOST_FINE]; /* the distinct values */
    size_t  n_fine;          /* 0: more than MOST_FINE */
    bool    nothing;         /* no cell is observed */
    size_t  mode;            /* nominal: the most frequent value */
} attr_cuts;

typedef struct learning {
    const heft_sample *sample;
    const heft_keys   *keys;
    bool               learned;
    heft_lines        *attr;
    size_t             first; /* first of the attributes at work */
    attr_cuts         *cuts;  /* cuts of the attributes at work */
} learning;

static heft_status observed(heft_ctx *ctx, const heft_sample *s, const double *numbers, column *out)
{
    *out = (column){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, s->n, out->x, out->y);
    if (s->weight) HEFT_ALLOC(ctx, &ctx->scratch, out->weight, s->n);
    HEFT_ROWS (i, s->n) {
        const double x = numbers[heft_sample_row(s, i)];
        if (isnan(x)) {
            out->missing = true;
            continue;
        }
        out->x[out->n] = x;
        out->y[out->n] = s->y[i];
        if (s->weight) out->weight[out->n] = s->weight[i];
        out->n++;
    }
    return HEFT_OK;
}

/* Numbers are divided by a power of two first, so that squares do not overflow. The sums do not
 * depend on the order of the rows. */
static void scale_of(const column *col, double *mean, double *sd)
{
    double  top = 0;
    heft_dd sum = {0}, total = {0}, square = {0};
    int     power;
    *mean = *sd = 0;
    for (size_t i = 0; i < col->n; i++) top = fmax(top, fabs(col->x[i]));
    if (!(top > 0)) return;
    frexp(top, &power);
    for (size_t i = 0; i < col->n; i++) {
        const double w = col->weight ? col->weight[i] : 1;
        sum = heft_dd_add(sum, (heft_dd){w * ldexp(col->x[i], -power), 0});
        total = heft_dd_add(total, (heft_dd){w, 0});
    }
    const double centre = sum.high / total.high;
    for (size_t i = 0; i < col->n; i++) {
        const double d = ldexp(col->x[i], -power) - centre;
        square = heft_dd_add(square, (heft_dd){(col->weight ? col->weight[i] : 1) * d * d, 0});
    }
    *mean = ldexp(centre, power);
    *sd = ldexp(sqrt(square.high / total.high), power);
    bool differ = false; /* a constant's sd is 0 whatever the rounding */
    for (size_t i = 1; i < col->n && !differ; i++) differ = col->x[i] != col->x[0];
    if (!differ) *sd = 0;
}

/* Cuts that need no class, and the distinct values where these are few: of all rows. */
static heft_status cut_numbers(heft_ctx *ctx, const column *col, attr_cuts *to)
{
    heft_quantiles quantiles;
    double        *lists[N_LISTS];
    HEFT_CHECK(heft_quantiles_make(ctx, col->x, col->weight, col->n, true, &quantiles));
    to->nothing = !(quantiles.total > 0);
    if (quantiles.here && quantiles.n <= MOST_FINE) to->n_fine = quantiles.n;
    for (size_t k = 0; k < to->n_fine; k++) to->fine[k] = heft_order_value(quantiles.key[k]);
    for (size_t l = 0; l < N_LISTS; l++) lists[l] = to->list[l];
    HEFT_CHECK(heft_quantiles_cuts(ctx, &quantiles, BINS, N_LISTS, lists, to->n_list));
    /* a column of one value: all its quantiles are that value, a cut with an empty code above it */
    if (to->n_fine)
        for (size_t l = 0; l < N_LISTS; l++)
            if (to->n_list[l] == 0) to->list[l][to->n_list[l]++] = to->fine[0];
    return HEFT_OK;
}

static heft_status learn_numbers(heft_ctx *ctx, const learning *job, size_t j)
{
    heft_lines *a = &job->attr[j];
    attr_cuts  *to = &job->cuts[j - job->first];
    column      col;
    double     *cuts = NULL, missing;
    HEFT_CHECK(observed(ctx, job->sample, job->sample->rows->attr[j].numbers, &col));
    missing = col.missing;
    HEFT_CHECK(heft_all_max(ctx, &missing, 1));
    a->own_missing = missing > 0;
    HEFT_CHECK(cut_numbers(ctx, &col, to));
    if (!job->learned) return HEFT_OK;
    scale_of(&col, &a->mean, &a->sd);
    HEFT_CHECK(heft_cuts_mdl(ctx, &ctx->scratch, &(heft_points){col.n, col.x, col.y, col.weight},
                             job->sample->n_class, 1, &cuts, &to->n_mdl));
    HEFT_NEW(ctx, to->mdl, to->n_mdl);
    if (cuts) memcpy(to->mdl, cuts, to->n_mdl * sizeof *cuts);
    return HEFT_OK;
}

/* Numbers values by their keys, or as they are declared if there are none; the unseen one is last.
 */
static heft_status number_values(heft_ctx *ctx, const learning *job, size_t j, uint32_t *code)
{
    const uint32_t n = job->sample->rows->attr[j].n_codes;
    heft_ranked   *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    for (uint32_t k = 0; k < n; k++)
        v[k] = (heft_ranked){job->keys ? job->keys->value[j][k] : k, k};
    heft_order_sort(v, spare, n);
    for (uint32_t k = 0; k < n; k++) code[v[k].row] = k;
    code[n] = n;
    return HEFT_OK;
}

/* The most frequent value, the one of the lowest key on a tie. */
static size_t most_frequent(const learning *job, size_t j, const double *count)
{
    const uint32_t n = job->sample->rows->attr[j].n_codes;
    size_t         best = 0;
    for (size_t k = 1; k < n; k++)
        if (count[k] > count[best] || (job->keys && count[k] == count[best] &&
                                       job->keys->value[j][k] < job->keys->value[j][best]))
            best = k;
    return best;
}

static heft_status learn_one(heft_ctx *ctx, void *arg, size_t nth)
{
    const learning    *job = arg;
    const heft_sample *s = job->sample;
    const size_t       j = job->first + nth;
    const heft_attr   *a = &s->rows->attr[j];
    double            *count;
    if (!a->coded) return learn_numbers(ctx, job, j);
    HEFT_ALLOC(ctx, &ctx->scratch, count, (size_t)a->n_codes + 2);
    HEFT_ROWS (i, s->n)
        count[heft_code_at(a->codes, a->width, heft_sample_row(s, i))] += heft_sample_weight(s, i);
    HEFT_CHECK(heft_all_sum(ctx, count, (size_t)a->n_codes + 2));
    job->attr[j].own_missing = count[a->n_codes] > 0;
    job->cuts[nth].mode = most_frequent(job, j, count);
    return HEFT_OK;
}

/* ---- lines ---- */

/* The cuts of a resolution; returns how many there are. */
static size_t resolution(attr_cuts *from, unsigned res, const double **cuts)
{
    *cuts = res == HEFT_AT_MDL ? from->mdl : from->list[res - 1];
    return res == HEFT_AT_MDL ? from->n_mdl : from->n_list[res - 1];
}

/* The cuts of all resolutions, merged, and those between few values. */
static heft_status merge_cuts(heft_ctx *ctx, const learning *job, size_t j, heft_arena *arena)
{
    heft_lines   *a = &job->attr[j];
    attr_cuts    *from = &job->cuts[j - job->first];
    const double *cuts[HEFT_N_RES + 1];
    size_t        n[HEFT_N_RES + 1], at[HEFT_N_RES + 1] = {0}, most = 0;
    for (unsigned r = 0; r < HEFT_N_RES; r++) most += n[r] = resolution(from, r, &cuts[r]);
    cuts[HEFT_N_RES] = from->fine;
    most += n[HEFT_N_RES] = from->n_fine > 1 ? from->n_fine - 1 : 0;
    HEFT_ALLOC(ctx, arena, a->cuts, most);
    for (double least = INFINITY;; least = INFINITY) {
        bool left = false;
        for (unsigned r = 0; r <= HEFT_N_RES; r++) {
            left |= at[r] < n[r];
            if (at[r] < n[r]) least = fmin(least, cuts[r][at[r]]);
        }
        if (!left) break;
        a->cuts[a->n_cuts++] = least;
        for (unsigned r = 0; r <= HEFT_N_RES; r++)
            while (at[r] < n[r] && cuts[r][at[r]] <= least) at[r]++;
    }
    a->n_lines = (uint32_t)(a->n_cuts + 2);
    if (from->n_fine == 0) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, a->only, a->n_lines);
    for (uint32_t l = 0; l < a->n_lines; l++) a->only[l] = NAN;
    for (size_t k = 0; k < from->n_fine; k++)
        a->only[heft_line_number(a, from->fine[k])] = from->fine[k];
    return HEFT_OK;
}

/* Line l lies above cuts[l - 1] and up to cuts[l]: its code is the number of the resolution's cuts
 * up to cuts[l - 1]. Where nothing was observed, missing is the only code. */
static heft_status code_numbers(heft_ctx *ctx, const learning *job, size_t j, heft_arena *arena)
{
    heft_lines    *a = &job->attr[j];
    const uint32_t last = a->n_lines - 1;
    attr_cuts     *from = &job->cuts[j - job->first];
    const double   median = from->list[MEDIAN][0];
    for (unsigned r = 0; r < HEFT_N_RES; r++) {
        const double *cuts;
        const size_t  n = resolution(from, r, &cuts);
        size_t        below = 0;
        HEFT_ALLOC(ctx, arena, a->code[r], a->n_lines);
        for (uint32_t l = 0; l < last; l++) {
            if (l > 0)
                while (below < n && cuts[below] <= a->cuts[l - 1]) below++;
            a->code[r][l] = (uint32_t)below;
        }
        a->n_codes[r] = (uint32_t)n + 1 + (a->own_missing && !from->nothing);
        a->code[r][last] = a->own_missing ? a->n_codes[r] - 1 : heft_cut_code(cuts, n, median);
    }
    return HEFT_OK;
}

static heft_status code_values(heft_ctx *ctx, const learning *job, size_t j, bool unseen_apart,
                               heft_arena *arena)
{
    heft_lines    *a = &job->attr[j];
    const uint32_t values = job->sample->rows->attr[j].n_codes + unseen_apart;
    a->apart = unseen_apart;
    uint32_t *code;
    HEFT_ALLOC(ctx, arena, code, (size_t)values + 1);
    HEFT_CHECK(number_values(ctx, job, j, code));
    code[values] = a->own_missing || values == 0 ? values : code[job->cuts[j - job->first].mode];
    a->n_lines = values + 1;
    for (unsigned r = 0; r < HEFT_N_RES; r++) {
        a->code[r] = code;
        a->n_codes[r] = values + (a->own_missing || values == 0);
    }
    return HEFT_OK;
}

/* Learns n attributes from job->first on: more at a time would only take more memory. */
static heft_status learn_some(heft_ctx *ctx, learning *job, size_t n, bool unseen_apart,
                              heft_arena *arena)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    HEFT_ARENA(ctx, &ctx->scratch, job->cuts, n);
    HEFT_TRY(heft_all_run(ctx, n, learn_one, job));
    for (size_t j = job->first; j < job->first + n; j++) {
        heft_lines *a = &job->attr[j];
        a->numeric = !job->sample->rows->attr[j].coded;
        if (a->numeric) HEFT_TRY(merge_cuts(ctx, job, j, arena));
        HEFT_TRY(a->numeric ? code_numbers(ctx, job, j, arena)
                            : code_values(ctx, job, j, unseen_apart, arena));
    }
done:
    if (job->cuts)
        for (size_t k = 0; k < n; k++) heft_free(job->cuts[k].mdl);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_coding_learn(heft_ctx *ctx, const heft_sample *sample, const heft_keys *keys,
                              bool unseen_apart, bool learned, heft_arena *arena, heft_coding *out)
{
    const size_t m = sample->rows->n_attr;
    *out = (heft_coding){.n_attr = m};
    HEFT_ALLOC(ctx, arena, out->attr, m);
    for (size_t first = 0; first < m; first += AT_ONCE) {
        learning job = {
            .sample = sample, .keys = keys, .learned = learned, .attr = out->attr, .first = first};
        HEFT_CHECK(
            learn_some(ctx, &job, m - first < AT_ONCE ? m - first : AT_ONCE, unseen_apart, arena));
    }
    return HEFT_OK;
}

heft_status heft_coding_refine(heft_ctx *ctx, heft_coding *coding, size_t j, const double *cuts,
                               size_t n_cuts, heft_arena *arena)
{
    heft_lines      *a = &coding->attr[j];
    const heft_lines old = *a;
    uint32_t        *from; /* the old line of each new one */
    size_t           i = 0, k = 0;
    HEFT_ALLOC(ctx, arena, a->cuts, old.n_cuts + n_cuts);
    HEFT_ALLOC(ctx, arena, from, old.n_cuts + n_cuts + 2);
    a->n_cuts = 0;
    a->only = NULL;
    while (i < old.n_cuts || k < n_cuts) {
        const double x = i < old.n_cuts ? old.cuts[i] : INFINITY, y = k < n_cuts ? cuts[k] : x;
        from[a->n_cuts] = (uint32_t)i;
        a->cuts[a->n_cuts++] = x < y ? x : y;
        i += x <= y && i < old.n_cuts;
        k += y <= x && k < n_cuts;
    }
    from[a->n_cuts] = (uint32_t)old.n_cuts;
    from[a->n_cuts + 1] = old.n_lines - 1;
    a->n_lines = (uint32_t)a->n_cuts + 2;
    for (unsigned r = 0; r < HEFT_N_RES; r++) {
        HEFT_ALLOC(ctx, arena, a->code[r], a->n_lines);
        for (uint32_t l = 0; l < a->n_lines; l++) a->code[r][l] = old.code[r][from[l]];
    }
    return HEFT_OK;
}

/* ---- one cell ---- */

uint32_t heft_line_number(const heft_lines *lines, double x)
{
    if (isnan(x)) return lines->n_lines - 1;
    const double *at = lines->cuts;
    size_t        n = lines->n_cuts;
    while (n > 1) { /* without branches: the answer lies within at .. at + n */
        const size_t half = n / 2;
        at += at[half - 1] < x ? half : 0;
        n -= half;
    }
    return (uint32_t)(at - lines->cuts) + (n && *at < x);
}

/* The line of row i of a prepared attribute. */
static uint32_t line_at(const heft_lines *lines, const heft_attr *attr, size_t i)
{
    if (!attr->coded) return heft_line_number(lines, attr->numbers[i]);
    uint32_t v = heft_code_at(attr->codes, attr->width, i);
    if (lines->apart && v >= attr->n_codes)
        v = v == attr->n_codes ? attr->n_codes + 1 : attr->n_codes;
    return v < lines->n_lines ? v : lines->n_lines - 1;
}

void heft_lines_at(const heft_lines *lines, const heft_attr *attr, size_t lo, size_t n,
                   uint32_t *out)
{
    if (attr->coded) {
        for (size_t i = 0; i < n; i++) out[i] = line_at(lines, attr, lo + i);
        return;
    }
    heft_cuts_below(lines->cuts, lines->n_cuts, attr->numbers + lo, n, out);
    for (size_t i = 0; i < n; i++)
        if (isnan(attr->numbers[lo + i])) out[i] = lines->n_lines - 1;
}

double heft_line_scaled(const heft_lines *lines, double x)
{
    if (isnan(x) || !(lines->sd > 0)) return 0;
    const double z = (x - lines->mean) / lines->sd;
    return z < -CLIP ? -CLIP : z > CLIP ? CLIP : z;
}

/* ---- codes of rows ---- */

typedef struct filling {
    const heft_coding *coding;
    const heft_sample *sample;
    unsigned           made;
    bool               lines;
    heft_coded        *out;
} filling;

void heft_cells_count(const heft_sample *s, const heft_cells *cells, double *count)
{
    HEFT_ROW_BLOCKS (lo, hi, s->n)
        for (size_t i = lo; i < hi; i++)
            count[(size_t)heft_code_at(cells->at, cells->width, i) * s->n_class + s->y[i]] +=
                heft_sample_weight(s, i);
}

heft_status heft_cells_alloc(heft_ctx *ctx, size_t n, heft_cells *cells)
{
    cells->width = cells->n_codes <= 256 ? 1 : cells->n_codes <= 65536 ? 2 : 4;
    cells->at = heft_alloc_rows(n, cells->width);
    return cells->at ? HEFT_OK : heft_no_memory(ctx, n, cells->width);
}

/* Whether both resolutions give all lines seen the same code. A resolution of a single code is not
 * used for learning, and so is only like another of a single code. */
static bool code_alike(const heft_lines *lines, const int64_t *seen, unsigned a, unsigned b)
{
    bool same = (lines->n_codes[a] > 1) == (lines->n_codes[b] > 1);
    for (uint32_t l = 0; l < lines->n_lines && same; l++)
        same = !seen[l] || lines->code[a][l] == lines->code[b][l];
    return same;
}

/* Stores the code of each line; code NULL: the lines themselves. */
static heft_status put_codes(heft_ctx *ctx, const uint32_t *line, size_t n, const uint32_t *code,
                             heft_cells *out)
{
    HEFT_CHECK(heft_cells_alloc(ctx, n, out));
    uint8_t *at = out->at;
    if (out->width == 1 && code)
        HEFT_ROW_BLOCKS (lo, hi, n)
            for (size_t i = lo; i < hi; i++) at[i] = (uint8_t)code[line[i]];
    else
        HEFT_ROWS (i, n) heft_code_put(at, out->width, i, code ? code[line[i]] : line[i]);
    return HEFT_OK;
}

static heft_status fill_one(heft_ctx *ctx, void *arg, size_t j)
{
    const filling     *job = arg;
    const heft_sample *s = job->sample;
    const heft_lines  *lines = &job->coding->attr[j];
    heft_cells        *cell = &job->out->cell[j * HEFT_N_RES];
    uint32_t          *line;
    int64_t           *seen;
    HEFT_ALLOC(ctx, &ctx->scratch, line, s->n);
    HEFT_ALLOC(ctx, &ctx->scratch, seen, lines->n_lines);
    if (s->row)
        HEFT_ROWS (i, s->n) line[i] = line_at(lines, &s->rows->attr[j], s->row[i]);
    else
        HEFT_ROW_BLOCKS (lo, hi, s->n)
            heft_lines_at(lines, &s->rows->attr[j], lo, hi - lo, line + lo);
    HEFT_ROWS (i, s->n) seen[line[i]] = 1;
    HEFT_CHECK(heft_all_add(ctx, seen, lines->n_lines));
    for (unsigned r = 0; r < HEFT_N_RES; r++) {
        const heft_cells *like = NULL;
        cell[r] = (heft_cells){.same = r, .n_codes = lines->n_codes[r]};
        for (unsigned k = r; k-- > 0;)
            if (code_alike(lines, seen, k, r)) {
                cell[r].same = k;
                if (cell[k].at) like = &cell[k];
            }
        if (!(job->made >> r & 1)) continue;
        cell[r].shared = like != NULL;
        if (!like) HEFT_CHECK(put_codes(ctx, line, s->n, lines->code[r], &cell[r]));
        else cell[r].width = like->width, cell[r].at = like->at;
    }
    job->out->line[j].n_codes = lines->n_lines;
    if (job->lines) HEFT_CHECK(put_codes(ctx, line, s->n, NULL, &job->out->line[j]));
    return HEFT_OK;
}

heft_status heft_coded_fill(heft_ctx *ctx, const heft_coding *coding, const heft_sample *sample,
                            unsigned made, bool lines, heft_coded *out)
{
    filling job = {coding, sample, made, lines, out};
    *out = (heft_coded){.n = sample->n, .n_attr = coding->n_attr};
    HEFT_NEW(ctx, out->cell, coding->n_attr * HEFT_N_RES);
    HEFT_NEW(ctx, out->line, coding->n_attr);
    return heft_all_run(ctx, coding->n_attr, fill_one, &job);
}

void heft_coded_clear(heft_coded *coded)
{
    for (size_t j = 0; j < coded->n_attr; j++) {
        if (coded->line) heft_free(coded->line[j].at);
        for (size_t k = j * HEFT_N_RES; k < (j + 1) * HEFT_N_RES; k++)
            if (coded->cell && !coded->cell[k].shared) heft_free(coded->cell[k].at);
    }
    heft_free(coded->cell);
    heft_free(coded->line);
    *coded = (heft_coded){0};
}
