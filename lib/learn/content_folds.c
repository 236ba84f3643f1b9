/* content_folds.c - assigns rows to folds by the keys of their content, class by class.
 *
 * The rows may be spread over several processes. Each process sorts its own rows. The order of all
 * rows is then found piece by piece: the keys of the rows of a class are divided into ranges, the
 * processes count together how many rows each range has, and they exchange the sort keys of the
 * rows of a few ranges at a time. If only every k-th row is taken, only ranges of a few rows around
 * each taken row are exchanged, however many rows there are. */
#include "learn/folds.h"

#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"
#include "learn/copies.h"
#include "stats/keys.h"

enum {
    AT_ONCE = 1 << 16,  /* most rows whose sort keys are exchanged at once */
    RANGE = 1 << 15,    /* a range of keys with more rows is divided into pieces */
    FEW = 8,            /* limit used instead of RANGE if not all rows are taken */
    BITS = 2,           /* a range is divided by the values of the next BITS bits of the keys */
    PIECES = 1 << BITS, /* number of pieces that a range is divided into */
    MOST_RANGES = 4096  /* most ranges that are divided at once */
};

/* ---- order ---- */

typedef struct drawn { /* the rows of this process in order */
    const heft_sample *sample;
    size_t             n_folds;
    size_t            *order; /* the rows sorted by class, key and weight */
    uint64_t          *key;   /* key of each row: its content hashed with the seed */
    size_t            *unit;  /* number of copies of a typical row of each class (copies.h) */
} drawn;

/* Number of rows in the next unit of copies, if n equal rows of class c are left. A remainder that
 * is smaller than a unit is added to the last unit. */
static size_t unit_size(const drawn *d, uint64_t c, size_t n)
{
    return n < 2 * d->unit[c] ? n : d->unit[c];
}

static double weight_at(const heft_sample *s, size_t i)
{
    return s->weight ? s->weight[i] : 1;
}

static heft_status draw_order(heft_ctx *ctx, const drawn *d)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sample *s = d->sample;
    heft_ranked       *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, s->n, v, spare);
    HEFT_ROWS (i, s->n) v[i] = (heft_ranked){s->weight ? heft_order_key(s->weight[i]) : 0, i};
    if (s->weight) heft_order_sort(v, spare, s->n);
    HEFT_ROWS (i, s->n) v[i].key = d->key[v[i].row];
    heft_order_sort(v, spare, s->n);
    HEFT_ROWS (i, s->n) v[i].key = s->y[v[i].row];
    heft_order_sort(v, spare, s->n);
    HEFT_ROWS (i, s->n) d->order[i] = v[i].row;
    return HEFT_OK;
}

/* ---- the order of all processes ---- */

/* Index of the k-th taken row, if n_wanted of n rows are taken. */
static size_t nth_taken(size_t k, size_t n_wanted, size_t n)
{
    return n_wanted == n ? k : (size_t)((double)k * (double)n / (double)n_wanted);
}

typedef struct range {  /* rows of a class whose keys begin with the same bits */
    uint64_t key;       /* the common first bits, followed by zeros */
    int      bits;      /* number of common bits */
    size_t   lo, hi;    /* rows of this process in the range: order[lo..hi - 1] */
    size_t   before, n; /* number of rows of all processes before the range, and in it */
} range;

typedef struct walk { /* a walk along the order of all processes */
    const drawn  *d;
    size_t        n_wanted, n_all;
    size_t        most;   /* a range of at most this many rows is not cut further */
    size_t        at;     /* number of rows passed so far */
    size_t        taken;  /* number of these that were taken */
    size_t        next;   /* place of the next row that is taken */
    size_t        mine;   /* number of rows of this process passed so far */
    double        weight; /* weight of the current row and its copies */
    bool          any;    /* whether the current row or a copy of it is taken */
    heft_dealing *out;
    uint16_t     *fold; /* fold of each row of this process */
} walk;

/* Whether at least one of the rows before .. before + n - 1 is taken. */
static bool is_wanted(const walk *w, size_t before, size_t n)
{
    size_t k = (size_t)((double)before / (double)w->n_all * (double)w->n_wanted);
    if (k > 0) k--;
    while (nth_taken(k, w->n_wanted, w->n_all) < before) k++;
    return k < w->n_wanted && nth_taken(k, w->n_wanted, w->n_all) < before + n;
}

static bool is_large(const walk *w, const range *r)
{
    return r->n > w->most && r->bits < 64;
}

/* First index i in lo..hi - 1 for which the key of row order[i] is not below `key`; hi if none. */
static size_t row_from(const drawn *d, size_t lo, size_t hi, uint64_t key)
{
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (d->key[d->order[mid]] < key) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* own[PIECES]: number of rows of this process in each piece of a large range. */
static void count_pieces(const drawn *d, const range *r, int64_t *own)
{
    size_t at = r->lo;
    for (uint64_t k = 0; k < PIECES; k++) {
        const uint64_t next = r->key + ((k + 1) << (64 - BITS - r->bits));
        const size_t   end = k + 1 < PIECES ? row_from(d, at, r->hi, next) : r->hi;
        own[k] = (int64_t)(end - at);
        at = end;
    }
}

/* Stores the pieces of a large range that have a taken row in `to` and returns their number. If
 * `to` is NULL, they are only counted. */
static size_t take_pieces(const walk *w, range r, const int64_t *own, const int64_t *all, range *to)
{
    const uint64_t first = r.key;
    size_t         n = 0;
    r.hi = r.lo;
    r.bits += BITS;
    for (uint64_t k = 0; k < PIECES; k++) {
        r.key = first + (k << (64 - r.bits));
        r.hi += (size_t)own[k];
        r.n = (size_t)all[k];
        if (is_wanted(w, r.before, r.n)) {
            if (to) to[n] = r;
            n++;
        }
        r.lo = r.hi;
        r.before += r.n;
    }
    return n;
}

/* *out = the ranges, with each large one replaced by its pieces; in ctx->scratch. */
static heft_status cut_ranges(heft_ctx *ctx, const walk *w, const range *from, size_t n,
                              range **out, size_t *n_out)
{
    int64_t *own, *all;
    size_t   large = 0, kept = 0;
    for (size_t q = 0; q < n; q++) large += is_large(w, &from[q]);
    HEFT_ALLOCS(ctx, &ctx->scratch, large * PIECES, own, all);
    for (size_t q = 0, at = 0; q < n; q++)
        if (is_large(w, &from[q])) count_pieces(w->d, &from[q], own + PIECES * at++);
    memcpy(all, own, large * PIECES * sizeof *all);
    HEFT_CHECK(heft_all_add(ctx, all, large * PIECES));
    for (int fill = 0; fill < 2; fill++) {
        if (fill) HEFT_ALLOC(ctx, &ctx->scratch, *out, kept);
        kept = 0;
        for (size_t q = 0, at = 0; q < n; q++) {
            range *to = fill ? *out + kept : NULL;
            if (is_large(w, &from[q])) {
                kept += take_pieces(w, from[q], own + PIECES * at, all + PIECES * at, to);
                at++;
            } else {
                if (to) *to = from[q];
                kept++;
            }
        }
    }
    *n_out = kept;
    return HEFT_OK;
}

/* Words of a record, which stands for equal rows of a process: key; class in the upper and number
 * of rows in the lower 32 bits; weight, only if rows have weights. */
enum { KEY, CLASS, WEIGHT, MOST_WORDS };

typedef struct portion { /* records of all processes for a few ranges */
    size_t    n_words;   /* number of words per record */
    size_t    n;         /* number of records */
    uint64_t *record;
    size_t   *order; /* sorted order of the records */
} portion;

/* Whether two records have the same content and class; their weights may differ. */
static bool alike(const uint64_t *a, const uint64_t *b)
{
    return a[KEY] == b[KEY] && a[CLASS] >> 32 == b[CLASS] >> 32;
}

/* Writes records for the rows of a range and returns their number. */
static size_t make_records(const drawn *d, const range *r, size_t n_words, uint64_t *to)
{
    const heft_sample *s = d->sample;
    size_t             n = 0;
    HEFT_RANGE (i, r->lo, r->hi) {
        const size_t   row = d->order[i];
        const uint64_t one[MOST_WORDS] = {d->key[row], (uint64_t)s->y[row] << 32,
                                          heft_order_key(weight_at(s, row))};
        uint64_t      *last = to + n * n_words;
        if (n == 0 || !alike(last - n_words, one) ||
            (n_words > WEIGHT && (last - n_words)[WEIGHT] != one[WEIGHT]) ||
            (uint32_t)(last - n_words)[CLASS] == UINT32_MAX) {
            memcpy(last, one, n_words * sizeof *one);
            n++;
        }
        to[(n - 1) * n_words + CLASS]++;
    }
    return n;
}

/* Sorts the records by class, key, weight and process. */
static heft_status sort_records(heft_ctx *ctx, portion *p)
{
    static const int by[] = {WEIGHT, KEY, CLASS};
    heft_ranked     *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, p->n, v, spare, p->order);
    for (size_t k = 0; k < p->n; k++) v[k].row = k;
    for (size_t b = p->n_words > WEIGHT ? 0 : 1; b < 3; b++) {
        for (size_t k = 0; k < p->n; k++) {
            const uint64_t word = p->record[v[k].row * p->n_words + (size_t)by[b]];
            v[k].key = by[b] == CLASS ? word >> 32 : word;
        }
        heft_order_sort(v, spare, p->n);
    }
    for (size_t k = 0; k < p->n; k++) p->order[k] = v[k].row;
    return HEFT_OK;
}

static const uint64_t *record_at(const portion *p, size_t k)
{
    return p->record + p->order[k] * p->n_words;
}

/* Finds the records k..*end - 1 that have the content and class of record k, and returns the number
 * of their rows. */
static size_t kind_at(const portion *p, size_t k, size_t *end)
{
    size_t n = 0;
    for (*end = k; *end < p->n && alike(record_at(p, *end), record_at(p, k)); ++*end)
        n += (uint32_t)record_at(p, *end)[CLASS];
    return n;
}

/* Weight of n rows, starting with row `at` of record k. */
static double weight_from(const portion *p, size_t k, size_t at, size_t n)
{
    double sum = 0;
    for (; n > 0; k++, at = 0) {
        const uint64_t *one = record_at(p, k);
        const size_t    left = (uint32_t)one[CLASS] - at, here = left < n ? left : n;
        sum += (double)here * (p->n_words > WEIGHT ? heft_order_value(one[WEIGHT]) : 1);
        n -= here;
    }
    return sum;
}

/* Passes one row; `own` says whether it belongs to this process. */
static void pass_row(walk *w, bool own)
{
    heft_dealing *out = w->out;
    if (w->at == w->next) {
        if (own) {
            out->row[out->n] = w->d->order[w->mine];
            out->place[out->n] = w->taken;
            out->alike[out->n] = w->weight;
            w->fold[w->d->order[w->mine]] = (uint16_t)(out->n_kinds % w->d->n_folds);
            out->n++;
        }
        w->any = true;
        w->taken++;
        w->next = nth_taken(w->taken, w->n_wanted, w->n_all);
    }
    w->at++;
    w->mine += own;
}

/* Passes all rows of a range, whose records begin with record k; returns the record after them. */
static size_t pass_range(walk *w, const range *r, const heft_gathered *all, const portion *p,
                         size_t k)
{
    const size_t bytes = p->n_words * sizeof *p->record;
    w->at = r->before;
    w->mine = r->lo;
    for (size_t end; k < p->n && w->at < r->before + r->n;) {
        size_t left = kind_at(p, k, &end), in_unit = 0;
        for (; k < end; k++) {
            const size_t at = p->order[k] * bytes;
            const bool   own = at >= all->start[all->mine] && at < all->start[all->mine + 1];
            for (size_t i = 0; i < (uint32_t)record_at(p, k)[CLASS]; i++, left--) {
                if (in_unit == 0) {
                    in_unit = unit_size(w->d, record_at(p, k)[CLASS] >> 32, left);
                    w->weight = weight_from(p, k, i, in_unit);
                    w->any = false;
                }
                pass_row(w, own);
                if (--in_unit == 0) w->out->n_kinds += w->any;
            }
        }
    }
    return k;
}

/* Exchanges the sort keys of the rows of these ranges between all processes, and passes the rows.
 */
static heft_status pass_portion(heft_ctx *ctx, walk *w, const range *list, size_t n_list)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(heft_gathered) all = {0};
    const bool                weights = w->d->sample->weight;
    portion                   p = {.n_words = weights ? MOST_WORDS : WEIGHT};
    uint64_t                 *mine;
    size_t                    n = 0, k = 0;
    const size_t              bytes = p.n_words * sizeof *mine;
    for (size_t q = 0; q < n_list; q++) n += list[q].hi - list[q].lo;
    HEFT_ALLOC(ctx, &ctx->scratch, mine, n * p.n_words);
    n = 0;
    for (size_t q = 0; q < n_list; q++)
        n += make_records(w->d, &list[q], p.n_words, mine + n * p.n_words);
    HEFT_CHECK(heft_all_gather(ctx, mine, n * bytes, &all));
    p.n = all.start[all.n] / bytes;
    p.record = (uint64_t *)(void *)all.bytes; /* as malloc aligns it */
    HEFT_CHECK(sort_records(ctx, &p));
    for (const range *r = list; r < list + n_list; r++) k = pass_range(w, r, &all, &p, k);
    return HEFT_OK;
}

/* Divides ranges until they are short and passes their rows. At most MOST_RANGES ranges are divided
 * at a time, so that neither the list nor the data exchanged at once grow with the rows. */
static heft_status pass_ranges(heft_ctx *ctx, walk *w, const range *list, size_t n)
{
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        HEFT_SCRATCH_SCOPE(ctx);
        bool   large = false;
        size_t rows = 0, n_pieces = 0;
        range *piece;
        for (hi = lo; hi < n && hi - lo < MOST_RANGES; hi++) large |= is_large(w, &list[hi]);
        if (large) {
            HEFT_CHECK(cut_ranges(ctx, w, list + lo, hi - lo, &piece, &n_pieces));
            HEFT_CHECK(pass_ranges(ctx, w, piece, n_pieces));
            continue;
        }
        const size_t end = hi;
        for (hi = lo; hi < end && (hi == lo || rows + list[hi].n <= AT_ONCE); hi++)
            rows += list[hi].n;
        HEFT_CHECK(pass_portion(ctx, w, list + lo, hi - lo));
    }
    return HEFT_OK;
}

/* Orders the rows of all processes and assigns their folds. */
static heft_status order_all(heft_ctx *ctx, const drawn *d, const heft_fold_plan *plan,
                             uint16_t *fold)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sample *s = d->sample;
    heft_dealing      *out = plan->order;
    const size_t       n_wanted = plan->n_wanted;
    const size_t       K = s->n_class, most = s->n < n_wanted ? s->n : n_wanted;
    walk     w = {.d = d, .n_wanted = n_wanted, .n_all = out->n_all, .out = out, .fold = fold};
    range   *of;
    int64_t *n;
    w.most = n_wanted < out->n_all ? FEW : RANGE;
    HEFT_ALLOCS(ctx, plan->arena, most, out->row, out->place, out->alike);
    HEFT_ALLOCS(ctx, &ctx->scratch, K, of, n);
    HEFT_ROWS (i, s->n) n[s->y[i]]++;
    for (size_t c = 0, at = 0; c < K; c++) {
        of[c].lo = at;
        of[c].hi = at += (size_t)n[c];
    }
    HEFT_CHECK(heft_all_add(ctx, n, K));
    for (size_t c = 0, before = 0; c < K; c++) {
        of[c].before = before;
        before += of[c].n = (size_t)n[c];
    }
    return pass_ranges(ctx, &w, of, K);
}

heft_status heft_folds_by_content(heft_ctx *ctx, const heft_fold_plan *plan, uint16_t *fold)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sample *sample = plan->sample;
    heft_dealing      *out = plan->order;
    drawn              d = {.sample = sample, .n_folds = plan->n_folds};
    int64_t            n = (int64_t)sample->n;
    *out = (heft_dealing){.fold = fold};
    HEFT_ROWS (i, sample->n) fold[i] = HEFT_NO_FOLD;
    HEFT_ALLOCS(ctx, &ctx->scratch, sample->n, d.key, d.order);
    HEFT_ROWS (i, sample->n) d.key[i] = heft_mix(plan->key[i] + plan->seed * 0x9e3779b97f4a7c15u);
    HEFT_ALLOC(ctx, &ctx->scratch, d.unit, sample->n_class);
    HEFT_CHECK(draw_order(ctx, &d));
    HEFT_CHECK(heft_copies_find(ctx, &(heft_keyed_rows){sample, d.key, d.order}, d.unit));
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    out->n_all = (size_t)n;
    HEFT_CHECK(order_all(ctx, &d, plan, fold));
    out->n_all = plan->n_wanted;
    return HEFT_OK;
}

/* ---- one fold and the others ---- */

static heft_status alloc_part(heft_ctx *ctx, const heft_sample *sample, size_t n, heft_arena *arena,
                              heft_fold_part *part)
{
    *part = (heft_fold_part){0};
    HEFT_ALLOCS(ctx, arena, n, part->row, part->y);
    if (sample->weight) HEFT_ALLOC(ctx, arena, part->weight, n);
    return HEFT_OK;
}

/* Row `at` of the sample becomes row k of the part. */
static void put_row(const heft_sample *sample, size_t at, heft_fold_part *part, size_t k)
{
    part->row[k] = sample->row ? sample->row[at] : at;
    part->y[k] = sample->y[at];
    if (sample->weight) part->weight[k] = sample->weight[at];
}

heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const heft_dealing *dealing,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others)
{
    heft_fold_part *parts[2] = {held, others};
    size_t          n[2] = {0};
    HEFT_ROWS (i, dealing->n) n[dealing->fold[dealing->row[i]] != k]++;
    HEFT_CHECK(alloc_part(ctx, sample, n[0], arena, held));
    HEFT_ALLOCS(ctx, arena, n[0], held->place, held->alike);
    if (others) HEFT_CHECK(alloc_part(ctx, sample, n[1], arena, others));
    HEFT_ROWS (i, dealing->n) {
        const size_t    at = dealing->row[i];
        heft_fold_part *part = parts[dealing->fold[at] != k];
        if (!part) continue;
        put_row(sample, at, part, part->n);
        if (part->place) part->place[part->n] = dealing->place[i];
        if (part->alike) part->alike[part->n] = dealing->alike[i];
        part->n++;
    }
    return HEFT_OK;
}

heft_status heft_windows_split(heft_ctx *ctx, const heft_sample *sample, const uint16_t *fold,
                               size_t n_windows, heft_arena *arena, heft_fold_part *others,
                               size_t **first)
{
    HEFT_SCRATCH_SCOPE(ctx);
    size_t *next;
    HEFT_ALLOC(ctx, arena, *first, n_windows + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, next, n_windows);
    HEFT_ROWS (i, sample->n)
        if (fold[i] != 0 && fold[i] != HEFT_NO_FOLD) (*first)[fold[i] % n_windows + 1]++;
    for (size_t w = 0; w < n_windows; w++) {
        next[w] = (*first)[w];
        (*first)[w + 1] += (*first)[w];
    }
    HEFT_CHECK(alloc_part(ctx, sample, (*first)[n_windows], arena, others));
    others->n = (*first)[n_windows];
    HEFT_ROWS (i, sample->n)
        if (fold[i] != 0 && fold[i] != HEFT_NO_FOLD)
            put_row(sample, i, others, next[fold[i] % n_windows]++);
    return HEFT_OK;
}
