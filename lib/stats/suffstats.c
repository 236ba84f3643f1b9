/* suffstats.c - computing sufficient statistics from rows, and adding them up. */
#include "stats/suffstats.h"

#include "base/all.h"

#include <math.h>
#include <string.h>

/* ---- counting ---- */

static heft_status copy_attr(heft_ctx *ctx, const heft_attr *attr, size_t n_attr, size_t n_class,
                             heft_arena *arena, heft_suffstats *out)
{
    *out = (heft_suffstats){.n_attr = n_attr, .n_class = n_class};
    HEFT_ALLOC(ctx, arena, out->attr, n_attr);
    for (size_t j = 0; j < n_attr; j++)
        out->attr[j] =
            (heft_attr){.coded = attr[j].coded, .n_codes = attr[j].n_codes, .width = attr[j].width};
    return HEFT_OK;
}

static size_t count_numeric(const heft_attr *attr, size_t n_attr)
{
    size_t n = 0;
    for (size_t j = 0; j < n_attr; j++) n += !attr[j].coded;
    return n;
}

static bool pairs_fit(const heft_rows *rows, double n_rows, double most, double work)
{
    const double m = (double)rows->n_attr;
    double       values = 0, squares = 0;
    if (rows->sparse || count_numeric(rows->attr, rows->n_attr)) return false;
    for (size_t j = 0; j < rows->n_attr; j++) {
        const double q = rows->attr[j].n_codes;
        values += q;
        squares += q * q;
    }
    return 4 * (values * values - squares) * (double)rows->n_class <= most &&
           n_rows * m * m / 2 <= work;
}

static bool any_missing(const heft_suffstats *t)
{
    double sum = 0;
    for (size_t j = 0; j < t->n_attr; j++)
        for (size_t k = 0; k < 2 * t->n_class; k++)
            sum += t->counts.cell[j][t->attr[j].n_codes * t->n_class + k];
    return sum > 0;
}

static heft_status plan_pairs(heft_ctx *ctx, const heft_attr *attr, size_t n_attr, size_t n_class,
                              heft_arena *arena, heft_pair_counts *out)
{
    uint32_t *n_codes;
    HEFT_ALLOC(ctx, &ctx->scratch, n_codes, n_attr);
    for (size_t j = 0; j < n_attr; j++) n_codes[j] = attr[j].n_codes;
    return heft_pair_counts_plan(ctx, n_codes, n_attr, n_class, 0, "of the models", arena, out);
}

heft_status heft_suffstats_rows(heft_ctx *ctx, const heft_rows *rows, unsigned parts, double most,
                                double work, heft_arena *arena, heft_suffstats *out)
{
    const double numbers = (double)count_numeric(rows->attr, rows->n_attr);
    double       extent[2] = {
              (double)rows->n_rows, /* numbers of rows and of sparse entries of all processes */
        rows->sparse ? (double)rows->sparse->start[rows->n_rows] : 0};
    HEFT_CHECK(heft_all_sum(ctx, extent, 2));
    const double cells =
        rows->sparse ? extent[1] + numbers * (double)rows->n_class : extent[0] * numbers;
    HEFT_CHECK(copy_attr(ctx, rows->attr, rows->n_attr, rows->n_class, arena, out));
    HEFT_CHECK(heft_count(ctx, rows, arena, &out->counts));
    if (parts & HEFT_STATS_SUMS && numbers > 0)
        HEFT_CHECK(heft_sums_of(ctx, rows, arena, &out->sums));
    if (parts & HEFT_STATS_VALUES && numbers > 0 && 16 * cells <= most) {
        heft_value_reader reader;
        HEFT_CHECK(heft_values_begin(ctx, rows, &reader));
        HEFT_ALLOC(ctx, arena, out->values, rows->n_attr);
        for (size_t j = 0; j < rows->n_attr; j++) {
            if (rows->attr[j].coded) continue;
            HEFT_CHECK(heft_check_cancel(ctx));
            HEFT_CHECK(heft_values_of(ctx, &reader, j, arena, &out->values[j]));
            HEFT_CHECK(heft_values_merge(ctx, rows->n_class, arena, &out->values[j]));
        }
    }
    if (parts & HEFT_STATS_PAIRS && pairs_fit(rows, extent[0], most, work) &&
        !(parts & HEFT_STATS_COMPLETE && any_missing(out))) {
        HEFT_CHECK(plan_pairs(ctx, rows->attr, rows->n_attr, rows->n_class, arena, &out->pairs));
        HEFT_CHECK(heft_pair_counts_fill(ctx, rows, arena, &out->pairs));
    }
    return HEFT_OK;
}

unsigned heft_suffstats_parts(const heft_suffstats *suffstats)
{
    return HEFT_STATS_COUNTS | (suffstats->sums.by_class ? HEFT_STATS_SUMS : 0) |
           (suffstats->values ? HEFT_STATS_VALUES : 0) |
           (suffstats->pairs.cell ? HEFT_STATS_PAIRS : 0);
}

/* ---- adding up ---- */

static const uint32_t *codes_of(const heft_suffstats_part *p, size_t j)
{
    return p->code ? p->code[p->attr[j]] : NULL;
}

/* Adds the counts of attribute j of the summand to those of the sum. The last two lines, for
 * missing and unseen values, are added to the last two lines. */
static void add_cells(const heft_suffstats_part *p, size_t j, const heft_suffstats *out)
{
    const size_t    K = out->n_class, k = p->suffstats->n_class;
    const size_t    from = p->attr[j], lines = (size_t)p->suffstats->attr[from].n_codes;
    const uint32_t *code = codes_of(p, j);
    for (size_t v = 0; v < lines + 2; v++) {
        const size_t to = v >= lines ? out->attr[j].n_codes + (v - lines) : code ? code[v] : v;
        for (size_t c = 0; c < k; c++)
            out->counts.cell[j][to * K + p->class[c]] += p->suffstats->counts.cell[from][v * k + c];
    }
}

/* Scale of attribute j of the sum in the summand p, or `otherwise` if p does not have it. */
static double scale_in(const heft_suffstats_part *p, size_t j, double otherwise)
{
    const heft_sums *sums = &p->suffstats->sums;
    return p->attr[j] == SIZE_MAX ? otherwise : sums->scale[heft_sums_place(sums, p->attr[j])];
}

static void add_sums(const heft_suffstats_part *p, heft_suffstats *out)
{
    const heft_sums *from = &p->suffstats->sums;
    for (size_t j = 0; j < out->n_attr; j++) {
        if (out->attr[j].coded) continue;
        const size_t k = heft_sums_place(&out->sums, j);
        for (size_t c = 0; c < p->suffstats->n_class; c++) {
            double        zeros[HEFT_N_SUMS] = {p->suffstats->counts.class_sum[c]};
            const double *line =
                p->attr[j] == SIZE_MAX ? zeros : from->by_class[p->attr[j]] + c * HEFT_N_SUMS;
            heft_sums_add_line(&out->sums, k, out->sums.by_class[j] + p->class[c] * HEFT_N_SUMS,
                               line, scale_in(p, j, out->sums.scale[k]));
        }
    }
}

/* Adds the sums of n summands into new memory, because the addition must be repeated from the start
 * if a scale has to change. */
static heft_status merge_sums(heft_ctx *ctx, const heft_suffstats_part *const *from, size_t n,
                              heft_arena *arena, heft_suffstats *out)
{
    heft_sums *sums = &out->sums;
    HEFT_CHECK(heft_sums_new(ctx, out->attr, out->n_attr, out->n_class, arena, sums));
    sums->from_zero = from[0]->suffstats->sums.from_zero;
    for (size_t j = 0; j < out->n_attr; j++) {
        if (out->attr[j].coded) continue;
        double *scale = &sums->scale[heft_sums_place(sums, j)];
        for (size_t k = 0; k < n; k++) *scale = fmin(*scale, scale_in(from[k], j, 1));
    }
    do {
        memset(sums->cells, 0, sums->n_numeric * sums->n_class * HEFT_N_SUMS * sizeof *sums->cells);
        for (size_t k = 0; k < n; k++) add_sums(from[k], out);
    } while (heft_sums_rescale(sums));
    if (heft_sums_finite(sums)) return HEFT_OK;
    return heft_fail(ctx, HEFT_ENUMERIC, "the sums over the models are not finite");
}

/* Adds the pair counts of attributes i < j of the sum. */
static void add_pair(const heft_suffstats_part *p, size_t i, size_t j, const heft_suffstats *out)
{
    const heft_pair_counts *from = p->pairs, *to = &out->pairs;
    const size_t            a = p->attr[i], b = p->attr[j];
    const uint32_t         *code_a = codes_of(p, i), *code_b = codes_of(p, j);
    for (size_t v = 0; v < from->n_codes[a]; v++)
        for (size_t w = 0; w < from->n_codes[b]; w++) {
            const double *n = heft_pair_counts_at(from, a, v, b, w);
            const size_t  tv = code_a ? code_a[v] : v, tw = code_b ? code_b[w] : w;
            double       *sum = to->cell + (heft_pair_counts_at(to, i, tv, j, tw) - to->cell);
            for (size_t c = 0; c < from->n_class; c++) sum[p->class[c]] += n[c];
        }
}

/* Adds the counts and pair counts of a summand to those in `out`. */
static void add_in_place(unsigned parts, const heft_suffstats_part *p, heft_suffstats *out)
{
    const double *class_sum = p->suffstats->counts.class_sum;
    const size_t  n_class = p->suffstats->n_class;
    for (size_t c = 0; c < n_class; c++) out->counts.class_sum[p->class[c]] += class_sum[c];
    for (size_t j = 0; j < out->n_attr; j++) {
        if (!out->attr[j].coded) continue;
        if (p->attr[j] != SIZE_MAX) add_cells(p, j, out);
        else /* all its cells are zero, which is code 0 */
            for (size_t c = 0; c < n_class; c++) out->counts.cell[j][p->class[c]] += class_sum[c];
    }
    if (!(parts & HEFT_STATS_PAIRS)) return;
    for (size_t i = 0; i < out->n_attr; i++)
        for (size_t j = i + 1; j < out->n_attr; j++) add_pair(p, i, j, out);
}

/* ---- lists of distinct values while summands are added ---- */

struct heft_value_list { /* values of one attribute; the first `packed` cells are all different */
    heft_value_cell *cell;
    size_t           n, room, packed;
};

/* Makes room for `more` cells. Equal cells are joined first, if half of all cells may be equal to
 * others; so the list stays within a constant factor of the number of distinct values. */
static heft_status make_room(heft_ctx *ctx, heft_value_list *list, size_t more)
{
    if (list->n && list->n + more > list->room && list->n >= 2 * list->packed) {
        HEFT_CHECK(heft_values_join(ctx, list->cell, &list->n));
        list->packed = list->n;
    }
    if (list->n + more <= list->room) return HEFT_OK;
    const size_t     room = 2 * (list->n + more);
    heft_value_cell *grown = heft_resize(list->cell, room, sizeof *grown);
    if (!grown) return heft_no_memory(ctx, room, sizeof *grown);
    list->cell = grown;
    list->room = room;
    return HEFT_OK;
}

/* Appends the values of attribute j of the sum in the summand p. */
static heft_status append(heft_ctx *ctx, const heft_suffstats_part *p, size_t j,
                          heft_value_list *list)
{
    const size_t       K = p->suffstats->n_class;
    const heft_values *v = p->attr[j] == SIZE_MAX ? NULL : &p->suffstats->values[p->attr[j]];
    HEFT_CHECK(make_room(ctx, list, v ? v->start[K] : K));
    for (uint32_t c = 0; c < K; c++) {
        const double sum = p->suffstats->counts.class_sum[c];
        if (!v && sum > 0) list->cell[list->n++] = (heft_value_cell){0, sum, p->class[c]};
        if (v)
            for (size_t k = v->start[c]; k < v->start[c + 1]; k++)
                list->cell[list->n++] = (heft_value_cell){v->x[k], v->w[k], p->class[c]};
    }
    return HEFT_OK;
}

/* Adds the values of summand p to the lists. `before` is the sum so far, as a summand: an attribute
 * that it did not have is all zeros in its rows. */
static heft_status add_values(heft_ctx *ctx, heft_suffstats_sum *sum,
                              const heft_suffstats_part *before, const heft_suffstats_part *p,
                              const heft_suffstats *now)
{
    const size_t had = before ? before->suffstats->n_attr : 0;
    if (now->n_attr > had) {
        heft_value_list *lists = heft_resize(sum->lists, now->n_attr, sizeof *lists);
        if (!lists) HEFT_CHECK(heft_no_memory(ctx, now->n_attr, sizeof *lists));
        memset(lists + had, 0, (now->n_attr - had) * sizeof *lists);
        sum->lists = lists;
        sum->suffstats.n_attr = now->n_attr; /* heft_suffstats_sum_clear frees this many lists */
    }
    for (size_t j = 0; j < now->n_attr; j++) {
        if (now->attr[j].coded) continue;
        if (before && before->attr[j] == SIZE_MAX)
            HEFT_CHECK(append(ctx, before, j, &sum->lists[j]));
        HEFT_CHECK(append(ctx, p, j, &sum->lists[j]));
    }
    return HEFT_OK;
}

/* ---- the sum ---- */

void heft_suffstats_sum_init(heft_suffstats_sum *sum, unsigned parts)
{
    *sum = (heft_suffstats_sum){.parts = parts};
}

void heft_suffstats_sum_clear(heft_suffstats_sum *sum)
{
    if (sum->lists)
        for (size_t j = 0; j < sum->suffstats.n_attr; j++) heft_free(sum->lists[j].cell);
    heft_free(sum->lists);
    heft_arena_clear(&sum->arena);
    heft_arena_clear(&sum->sums_arena);
    *sum = (heft_suffstats_sum){0};
}

static bool same_layout(const heft_suffstats *t, const heft_attr *attr, size_t n_attr,
                        size_t n_class)
{
    if (t->n_attr != n_attr || t->n_class != n_class) return false;
    for (size_t j = 0; j < n_attr; j++) {
        HEFT_KNOWN(t->attr && attr);
        if (t->attr[j].n_codes != attr[j].n_codes) return false;
    }
    return true;
}

/* *out = the sum so far as a summand whose attributes and classes keep their positions; attributes
 * that it does not have yet are SIZE_MAX. */
static heft_status as_part(heft_ctx *ctx, const heft_suffstats_sum *sum, size_t n_attr,
                           heft_suffstats_part *out)
{
    size_t *attr;
    uint32_t *class;
    HEFT_ALLOC(ctx, &ctx->scratch, attr, n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, class, sum->suffstats.n_class);
    for (size_t j = 0; j < n_attr; j++) attr[j] = j < sum->suffstats.n_attr ? j : SIZE_MAX;
    for (size_t c = 0; c < sum->suffstats.n_class; c++) class[c] = (uint32_t)c;
    *out = (heft_suffstats_part){
        .suffstats = &sum->suffstats, .pairs = &sum->suffstats.pairs, .attr = attr, .class = class};
    return HEFT_OK;
}

/* Allocates attributes, counts and pair counts in `out`, with all counts 0. */
static heft_status lay_out(heft_ctx *ctx, unsigned parts, const heft_attr *attr, size_t n_attr,
                           size_t n_class, heft_arena *arena, heft_suffstats *out)
{
    heft_counts *n = &out->counts;
    HEFT_CHECK(copy_attr(ctx, attr, n_attr, n_class, arena, out));
    *n = (heft_counts){.n_attr = n_attr, .n_class = n_class};
    HEFT_ALLOC(ctx, arena, n->class_sum, n_class);
    HEFT_ALLOC(ctx, arena, n->cell, n_attr);
    for (size_t j = 0; j < n_attr; j++)
        if (attr[j].coded)
            HEFT_ALLOC(ctx, arena, n->cell[j], ((size_t)attr[j].n_codes + 2) * n_class);
    if (!(parts & HEFT_STATS_PAIRS)) return HEFT_OK;
    HEFT_CHECK(plan_pairs(ctx, attr, n_attr, n_class, arena, &out->pairs));
    HEFT_CHECK(heft_pair_counts_new(ctx, arena, &out->pairs));
    memset(out->pairs.cell, 0,
           out->pairs.start[n_attr] * out->pairs.n_class * sizeof *out->pairs.cell);
    return HEFT_OK;
}

heft_status heft_suffstats_sum_add(heft_ctx *ctx, heft_suffstats_sum *sum,
                                   const heft_suffstats_part *part, const heft_attr *attr,
                                   size_t n_attr, size_t n_class)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const bool first = !sum->suffstats.attr,
               same = same_layout(&sum->suffstats, attr, n_attr, n_class) && !first;
    HEFT_LOCAL(heft_arena)     arena = {0}, sums_arena = {0};
    heft_suffstats_part        before;
    const heft_suffstats_part *both[2] = {&before, part};
    heft_suffstats             now = sum->suffstats;
    if (!first) HEFT_CHECK(as_part(ctx, sum, n_attr, &before));
    if (!same) {
        HEFT_CHECK(lay_out(ctx, sum->parts, attr, n_attr, n_class, &arena, &now));
        if (!first) add_in_place(sum->parts, &before, &now);
    }
    if (sum->parts & HEFT_STATS_SUMS)
        HEFT_CHECK(merge_sums(ctx, both + first, first ? 1 : 2, &sums_arena, &now));
    if (sum->parts & HEFT_STATS_VALUES)
        HEFT_CHECK(add_values(ctx, sum, first ? NULL : &before, part, &now));
    add_in_place(sum->parts, part, &now);
    if (!same) {
        heft_arena_clear(&sum->arena);
        sum->arena = arena, arena = (heft_arena){0};
    }
    heft_arena_clear(&sum->sums_arena);
    sum->sums_arena = sums_arena, sums_arena = (heft_arena){0};
    sum->suffstats = now;
    return HEFT_OK;
}

static heft_status pack_values(heft_ctx *ctx, heft_suffstats_sum *sum, const uint32_t *class,
                               heft_arena *arena, heft_suffstats *out)
{
    HEFT_ALLOC(ctx, arena, out->values, out->n_attr);
    for (size_t j = 0; j < out->n_attr; j++) {
        heft_value_list *list = &sum->lists[j];
        if (out->attr[j].coded) continue;
        for (size_t k = 0; k < list->n; k++) list->cell[k].c = class[list->cell[k].c];
        HEFT_CHECK(
            heft_values_pack(ctx, list->cell, list->n, out->n_class, arena, &out->values[j]));
        heft_free(list->cell);
        *list = (heft_value_list){0};
    }
    return HEFT_OK;
}

heft_status heft_suffstats_sum_end(heft_ctx *ctx, heft_suffstats_sum *sum,
                                   const uint32_t *const *code, const uint32_t *class,
                                   heft_arena *arena, heft_suffstats *out)
{
    const heft_suffstats      *t = &sum->suffstats;
    heft_suffstats_part        all;
    const heft_suffstats_part *only = &all;
    HEFT_CHECK(as_part(ctx, sum, t->n_attr, &all));
    all.code = code;
    all.class = class;
    HEFT_CHECK(lay_out(ctx, sum->parts, t->attr, t->n_attr, t->n_class, arena, out));
    add_in_place(sum->parts, &all, out);
    for (size_t c = 0; c < out->n_class; c++) out->counts.total += out->counts.class_sum[c];
    if (sum->parts & HEFT_STATS_SUMS) HEFT_CHECK(merge_sums(ctx, &only, 1, arena, out));
    if (sum->parts & HEFT_STATS_VALUES) HEFT_CHECK(pack_values(ctx, sum, class, arena, out));
    return HEFT_OK;
}

/* ---- statistics of rows, from known ones where possible ---- */

const heft_suffstats *heft_known_coded(const heft_suffstats *known)
{
    return known && count_numeric(known->attr, known->n_attr) == 0 ? known : NULL;
}

heft_status heft_known_counts(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                              heft_arena *arena, heft_counts *out)
{
    if (!known) return heft_count(ctx, rows, arena, out);
    const heft_counts *from = &known->counts;
    const size_t       K = from->n_class;
    *out = *from;
    HEFT_ALLOC(ctx, arena, out->cell, from->n_attr);
    HEFT_ALLOC(ctx, arena, out->class_sum, K);
    memcpy(out->class_sum, from->class_sum, K * sizeof *out->class_sum);
    for (size_t j = 0; j < from->n_attr; j++) {
        if (!known->attr[j].coded) continue;
        const size_t n = ((size_t)known->attr[j].n_codes + 2) * K;
        HEFT_ALLOC(ctx, arena, out->cell[j], n);
        memcpy(out->cell[j], from->cell[j], n * sizeof *out->cell[j]);
    }
    return HEFT_OK;
}

heft_status heft_known_moments(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                               heft_arena *arena, heft_moments **out)
{
    return known && known->sums.by_class ? heft_moments_from(ctx, &known->sums, arena, out)
                                         : heft_moments_of(ctx, rows, arena, out);
}

heft_status heft_known_pairs(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                             heft_arena *arena, heft_pair_counts *pairs)
{
    if (!known || !known->pairs.cell) return heft_pair_counts_fill(ctx, rows, arena, pairs);
    const heft_pair_counts *from = &known->pairs;
    HEFT_CHECK(heft_pair_counts_new(ctx, arena, pairs));
    memcpy(pairs->cell, from->cell,
           from->start[from->n_attr] * from->n_class * sizeof *pairs->cell);
    return HEFT_OK;
}
