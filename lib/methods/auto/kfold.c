/* kfold.c - rows dealt into five parts, class by class.
 *
 * Rows spread over several processes. Each puts its own rows in order. The order of all is found
 * piece by piece: the first keys of the rows of a class are cut into ranges of about equal numbers
 * of rows, and every process sees what the rows of a few ranges are ordered by. */
#include "methods/auto/kfold.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"
#include "stats/keys.h"

enum { AT_ONCE = 1 << 16, RANGE = 1 << 15 }; /* rows exchanged at once; of a range of keys */

/* ---- order ---- */

typedef struct drawn {
    const heft_sample *sample;
    size_t            *order;          /* rows of this process */
    uint64_t          *first, *second; /* by row; then weight and class */
    size_t            *turn; /* of each class: they come in the order of their first rows */
} drawn;

static double weight_at(const heft_sample *s, size_t i)
{
    return s->weight ? s->weight[i] : 1;
}

typedef struct head { /* what the first row of a class is ordered by, and then by class */
    uint64_t there, key[3];
} head;

/* -1, 0 or 1. */
static int compare(const head *a, const head *b)
{
    for (size_t k = 0; k < 3; k++)
        if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
    return 0;
}

/* The turns of the classes, by the first rows of all processes. */
static heft_status take_turns(heft_ctx *ctx, const drawn *d)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status        st = HEFT_OK;
    const heft_sample *s = d->sample;
    const size_t       K = s->n_class;
    heft_gathered      all = {0};
    head              *of;
    heft_ranked       *v, *spare;
    HEFT_ARENAS(ctx, &ctx->scratch, K, of, v, spare);
    HEFT_ROWS (i, s->n) {
        const size_t row = d->order[i];
        head        *h = &of[s->y[row]];
        if (!h->there)
            *h = (head){1, {d->first[row], d->second[row], heft_order_key(weight_at(s, row))}};
    }
    HEFT_TRY(heft_all_gather(ctx, of, K * sizeof *of, &all));
    for (size_t r = 0; r < all.n; r++)
        for (size_t c = 0; c < K; c++) {
            head h;
            memcpy(&h, all.bytes + all.start[r] + c * sizeof h, sizeof h);
            if (h.there && (!of[c].there || compare(&h, &of[c]) < 0)) of[c] = h;
        }
    for (size_t c = 0; c < K; c++) v[c].row = c;
    for (size_t k = 3; k-- > 0;) {
        for (size_t c = 0; c < K; c++) v[c].key = of[v[c].row].key[k];
        heft_order_sort(v, spare, K);
    }
    for (size_t c = 0; c < K; c++) d->turn[v[c].row] = c;
done:
    heft_gathered_clear(&all);
    return st;
}

/* order[n]: class after class, within a class as drawn. */
static heft_status draw_order(heft_ctx *ctx, const drawn *d)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sample *s = d->sample;
    heft_ranked       *v, *spare;
    HEFT_CHECK(heft_keys_draw(ctx, s->rows, d->order, d->first, d->second));
    HEFT_CHECK(take_turns(ctx, d));
    HEFT_ALLOCS(ctx, &ctx->scratch, s->n, v, spare);
    HEFT_ROWS (i, s->n) v[i] = (heft_ranked){d->turn[s->y[d->order[i]]], d->order[i]};
    heft_order_sort(v, spare, s->n);
    HEFT_ROWS (i, s->n) d->order[i] = v[i].row;
    return HEFT_OK;
}

/* ---- the order of all processes ---- */

typedef struct ranges { /* of first keys, class after class */
    size_t   n;
    size_t  *at;    /* by turn: the first of the class */
    int     *bits;  /* by turn: leading bits that tell the ranges of the class apart */
    int64_t *count; /* rows of all processes */
} ranges;

static size_t range_of(const drawn *d, const ranges *r, size_t row)
{
    const size_t turn = d->turn[d->sample->y[row]];
    return r->at[turn] + (r->bits[turn] ? (size_t)(d->first[row] >> (64 - r->bits[turn])) : 0);
}

static heft_status make_ranges(heft_ctx *ctx, const drawn *d, ranges *out)
{
    const heft_sample *s = d->sample;
    const size_t       K = s->n_class;
    int64_t           *of_turn;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, of_turn, out->at, out->bits);
    HEFT_ROWS (i, s->n) of_turn[d->turn[s->y[i]]]++;
    HEFT_CHECK(heft_all_add(ctx, of_turn, K));
    for (size_t t = 0; t < K; t++) {
        while (of_turn[t] >> out->bits[t] > RANGE) out->bits[t]++;
        out->at[t] = out->n;
        out->n += (size_t)1 << out->bits[t];
    }
    HEFT_ALLOC(ctx, &ctx->scratch, out->count, out->n);
    HEFT_ROWS (i, s->n) out->count[range_of(d, out, i)]++;
    return heft_all_add(ctx, out->count, out->n);
}

/* Equal rows of a process: first key, second key, turn of the class and number of rows, and the
 * weight where there are weights. */
enum { FIRST, SECOND, TURN, WEIGHT, MOST_WORDS };

typedef struct portion {
    size_t    n_words; /* of a record */
    size_t    n;       /* records of all processes */
    uint64_t *record;
    size_t   *order; /* of the records */
} portion;

static bool same(const uint64_t *a, const uint64_t *b, size_t n_words)
{
    return a[FIRST] == b[FIRST] && a[SECOND] == b[SECOND] && a[TURN] >> 32 == b[TURN] >> 32 &&
           (n_words <= WEIGHT || a[WEIGHT] == b[WEIGHT]);
}

/* Records of rows lo.. in the order, up to range `end`; *hi: the row after them. */
static size_t make_records(const drawn *d, const ranges *r, size_t end, size_t lo, size_t *hi,
                           size_t n_words, uint64_t *to)
{
    const heft_sample *s = d->sample;
    size_t             n = 0, i = lo;
    for (; i < s->n && range_of(d, r, d->order[i]) < end; i++) {
        const size_t   row = d->order[i];
        const uint64_t one[MOST_WORDS] = {d->first[row], d->second[row],
                                          (uint64_t)d->turn[s->y[row]] << 32,
                                          heft_order_key(weight_at(s, row))};
        uint64_t      *last = to + n * n_words;
        if (n == 0 || !same(last - n_words, one, n_words) ||
            (uint32_t)(last - n_words)[TURN] == UINT32_MAX) {
            memcpy(last, one, n_words * sizeof *one);
            n++;
        }
        to[(n - 1) * n_words + TURN]++;
    }
    *hi = i;
    return n;
}

/* By turn, first key, second key, weight, process. */
static heft_status sort_records(heft_ctx *ctx, portion *p)
{
    static const int by[] = {WEIGHT, SECOND, FIRST, TURN};
    heft_ranked     *v, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, p->n, v, spare, p->order);
    for (size_t k = 0; k < p->n; k++) v[k].row = k;
    for (size_t b = p->n_words > WEIGHT ? 0 : 1; b < 4; b++) {
        for (size_t k = 0; k < p->n; k++) {
            const uint64_t word = p->record[v[k].row * p->n_words + (size_t)by[b]];
            v[k].key = by[b] == TURN ? word >> 32 : word;
        }
        heft_order_sort(v, spare, p->n);
    }
    for (size_t k = 0; k < p->n; k++) p->order[k] = v[k].row;
    return HEFT_OK;
}

typedef struct walk { /* along the order of all processes */
    size_t n_wanted;
    size_t at;    /* rows so far */
    size_t taken; /* of these */
    size_t next;  /* where the next one to be taken is */
    size_t mine;  /* rows of this process so far */
    double from;
} walk;

/* Of n rows, the place of the k-th that is taken. */
static size_t nth_taken(size_t k, size_t n_wanted, size_t n)
{
    return n_wanted == n ? k : (size_t)((double)k * (double)n / (double)n_wanted);
}

/* The rows of a record. */
static void pass_record(const drawn *d, walk *w, size_t count, double weight, bool own,
                        heft_dealing *out)
{
    for (size_t k = 0; k < count; k++, w->at++, w->mine += own) {
        if (w->at != w->next) continue;
        if (own) {
            out->row[out->n] = d->order[w->mine];
            out->place[out->n] = w->taken;
            if (out->from) out->from[out->n] = w->from;
            out->n++;
        }
        w->from += weight;
        w->taken++;
        w->next = nth_taken(w->taken, w->n_wanted, out->n_all);
    }
}

/* What the processes have in ranges up to `end` is passed. */
static heft_status pass_ranges(heft_ctx *ctx, const drawn *d, const ranges *r, size_t end, walk *w,
                               size_t *lo, heft_dealing *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status   st = HEFT_OK;
    heft_gathered all = {0};
    portion       p = {.n_words = d->sample->weight ? MOST_WORDS : WEIGHT};
    uint64_t     *mine;
    size_t        n = 0, hi;
    const size_t  bytes = p.n_words * sizeof *mine;
    while (*lo + n < d->sample->n && range_of(d, r, d->order[*lo + n]) < end) n++;
    HEFT_ARENA(ctx, &ctx->scratch, mine, n * p.n_words);
    n = make_records(d, r, end, *lo, &hi, p.n_words, mine);
    HEFT_TRY(heft_all_gather(ctx, mine, n * bytes, &all));
    p.n = all.start[all.n] / bytes;
    p.record = (uint64_t *)(void *)all.bytes; /* as malloc aligns it */
    HEFT_TRY(sort_records(ctx, &p));
    for (size_t k = 0; k < p.n; k++) {
        const uint64_t *one = p.record + p.order[k] * p.n_words;
        const size_t    at = p.order[k] * bytes;
        const bool      own = at >= all.start[all.mine] && at < all.start[all.mine + 1];
        pass_record(d, w, (uint32_t)one[TURN],
                    d->sample->weight ? heft_order_value(one[WEIGHT]) : 1, own, out);
    }
    *lo = hi;
done:
    heft_gathered_clear(&all);
    return st;
}

static heft_status order_all(heft_ctx *ctx, const drawn *d, size_t n_wanted, heft_arena *arena,
                             heft_dealing *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    ranges r = {0};
    walk   w = {.n_wanted = n_wanted};
    size_t lo = 0;
    HEFT_ALLOCS(ctx, arena, d->sample->n, out->row, out->place);
    if (d->sample->weight) HEFT_ALLOC(ctx, arena, out->from, d->sample->n);
    HEFT_CHECK(make_ranges(ctx, d, &r));
    for (size_t end = 0; end < r.n;) {
        int64_t rows = r.count[end++];
        while (end < r.n && rows + r.count[end] <= AT_ONCE) rows += r.count[end++];
        HEFT_CHECK(pass_ranges(ctx, d, &r, end, &w, &lo, out));
    }
    return HEFT_OK;
}

heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, size_t n_wanted,
                             heft_arena *arena, heft_dealing *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    drawn   d = {.sample = sample};
    int64_t n = (int64_t)sample->n;
    *out = (heft_dealing){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, sample->n, d.first, d.second);
    HEFT_ALLOC(ctx, &ctx->scratch, d.turn, sample->n_class);
    HEFT_ALLOC(ctx, heft_all_here(ctx) ? arena : &ctx->scratch, d.order, sample->n);
    HEFT_CHECK(draw_order(ctx, &d));
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    out->n_all = (size_t)n;
    if (!heft_all_here(ctx)) HEFT_CHECK(order_all(ctx, &d, n_wanted, arena, out));
    else {
        out->row = d.order;
        out->n = n_wanted;
        for (size_t k = 0; n_wanted < sample->n && k < n_wanted; k++)
            out->row[k] = d.order[nth_taken(k, n_wanted, sample->n)];
    }
    out->n_all = n_wanted;
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

heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const heft_dealing *dealing,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others)
{
    heft_fold_part *parts[2] = {held, others};
    const size_t    n = dealing->n;
    double          before = 0;
    for (int p = 0; p < 2; p++) {
        *parts[p] = (heft_fold_part){0};
        HEFT_ALLOCS(ctx, arena, n, parts[p]->row, parts[p]->place, parts[p]->y);
        if (sample->weight) HEFT_ALLOC(ctx, arena, parts[p]->weight, n);
    }
    HEFT_ROWS (i, n) {
        const size_t at = dealing->row[i], place = dealing->place ? dealing->place[i] : i;
        const double w = weight_at(sample, at), from = dealing->from ? dealing->from[i] : before;
        double       in = sample->weight ? share_of(from, w, k) : place % HEFT_KFOLD == k;
        before += w;
        if (in < 1e-9 * w) in = 0; /* what rounding leaves */
        if (w - in < 1e-9 * w) in = w;
        for (int p = 0; p < 2; p++) {
            heft_fold_part *part = parts[p];
            const double    weight = p == 0 ? in : w - in;
            if (!(weight > 0)) continue;
            part->row[part->n] = sample->row ? sample->row[at] : at;
            part->place[part->n] = place;
            part->y[part->n] = sample->y[at];
            if (part->weight) part->weight[part->n] = weight;
            part->n++;
        }
    }
    return HEFT_OK;
}
