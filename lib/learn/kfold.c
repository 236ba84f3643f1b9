/* kfold.c - rows dealt into five parts, class by class.
 *
 * Rows may be spread over several processes. Each puts its own rows in order. The order of all is
 * found piece by piece: the first keys of the rows of a class are cut into ranges, whose rows the
 * processes count together, and every process sees what the rows of a few ranges are ordered by.
 * Where every k-th row is taken only, this is done for ranges of a few rows around each that is
 * taken, however many rows there are. */
#include "learn/kfold.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"
#include "stats/keys.h"

enum {
    AT_ONCE = 1 << 16,  /* rows that processes show each other at once */
    RANGE = 1 << 15,    /* rows of a range of keys */
    FEW = 8,            /* the same where not all rows are taken */
    BITS = 2,           /* of the keys that tell the pieces of a range apart */
    PIECES = 1 << BITS, /* of a range */
    MOST_RANGES = 4096  /* cut at once */
};

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

/* Of n rows, the place of the k-th that is taken. */
static size_t nth_taken(size_t k, size_t n_wanted, size_t n)
{
    return n_wanted == n ? k : (size_t)((double)k * (double)n / (double)n_wanted);
}

typedef struct range { /* rows of a class whose first keys begin with the same bits */
    uint64_t key;      /* these, then zeros */
    int      bits;
    size_t   lo, hi;    /* the rows of this process, in its order */
    size_t   before, n; /* rows of all processes before them, and these */
} range;

typedef struct walk { /* along the order of all processes */
    const drawn  *d;
    size_t        n_wanted, n_all;
    size_t        most;  /* rows of a range that is cut no further */
    size_t        at;    /* rows so far */
    size_t        taken; /* of these */
    size_t        next;  /* where the next one to be taken is */
    size_t        mine;  /* rows of this process so far */
    double        from;
    heft_dealing *out;
} walk;

/* Whether a row is taken among n after the first `before`. */
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

/* The first of rows lo..hi - 1 in the order whose first key is not below `key`. */
static size_t row_from(const drawn *d, size_t lo, size_t hi, uint64_t key)
{
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (d->first[d->order[mid]] < key) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* own[PIECES]: the rows of this process in each piece of a large range. */
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

/* The pieces of a large range that have a wanted row; to: NULL, they are counted alone. */
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

/* The ranges with pieces in place of the large ones, in scratch memory. */
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

/* Records of the rows of a range. */
static size_t make_records(const drawn *d, const range *r, size_t n_words, uint64_t *to)
{
    const heft_sample *s = d->sample;
    size_t             n = 0;
    HEFT_RANGE (i, r->lo, r->hi) {
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

/* The rows of a record. */
static void pass_record(walk *w, size_t count, double weight, bool own)
{
    heft_dealing *out = w->out;
    for (size_t k = 0; k < count; k++, w->at++, w->mine += own) {
        if (w->at != w->next) continue;
        if (own) {
            out->row[out->n] = w->d->order[w->mine];
            out->place[out->n] = w->taken;
            if (out->from) out->from[out->n] = w->from;
            out->n++;
        }
        w->from += weight;
        w->taken++;
        w->next = nth_taken(w->taken, w->n_wanted, w->n_all);
    }
}

/* Every process sees what the rows of these ranges are ordered by. */
static heft_status pass_portion(heft_ctx *ctx, walk *w, const range *list, size_t n_list)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status   st = HEFT_OK;
    heft_gathered all = {0};
    const bool    weights = w->d->sample->weight;
    portion       p = {.n_words = weights ? MOST_WORDS : WEIGHT};
    uint64_t     *mine;
    size_t        n = 0, k = 0;
    const size_t  bytes = p.n_words * sizeof *mine;
    for (size_t q = 0; q < n_list; q++) n += list[q].hi - list[q].lo;
    HEFT_ARENA(ctx, &ctx->scratch, mine, n * p.n_words);
    n = 0;
    for (size_t q = 0; q < n_list; q++)
        n += make_records(w->d, &list[q], p.n_words, mine + n * p.n_words);
    HEFT_TRY(heft_all_gather(ctx, mine, n * bytes, &all));
    p.n = all.start[all.n] / bytes;
    p.record = (uint64_t *)(void *)all.bytes; /* as malloc aligns it */
    HEFT_TRY(sort_records(ctx, &p));
    for (const range *r = list; r < list + n_list; r++) {
        w->at = r->before;
        w->mine = r->lo;
        for (; k < p.n && w->at < r->before + r->n; k++) {
            const uint64_t *one = p.record + p.order[k] * p.n_words;
            const size_t    at = p.order[k] * bytes;
            const bool      own = at >= all.start[all.mine] && at < all.start[all.mine + 1];
            pass_record(w, (uint32_t)one[TURN], weights ? heft_order_value(one[WEIGHT]) : 1, own);
        }
    }
done:
    heft_gathered_clear(&all);
    return st;
}

/* Ranges are cut until they are short, MOST_RANGES of the list at a time: neither the list nor what
 * is exchanged at once grows with the rows. */
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

static heft_status order_all(heft_ctx *ctx, const drawn *d, size_t n_wanted, heft_arena *arena,
                             heft_dealing *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_sample *s = d->sample;
    const size_t       K = s->n_class, most = s->n < n_wanted ? s->n : n_wanted;
    walk               w = {.d = d, .n_wanted = n_wanted, .n_all = out->n_all, .out = out};
    range             *of;
    int64_t           *n;
    w.most = n_wanted < out->n_all ? FEW : RANGE;
    HEFT_ALLOCS(ctx, arena, most, out->row, out->place);
    if (s->weight) HEFT_ALLOC(ctx, arena, out->from, most);
    HEFT_ALLOCS(ctx, &ctx->scratch, K, of, n);
    HEFT_ROWS (i, s->n) n[d->turn[s->y[i]]]++;
    for (size_t t = 0, at = 0; t < K; t++) {
        of[t].lo = at;
        of[t].hi = at += (size_t)n[t];
    }
    HEFT_CHECK(heft_all_add(ctx, n, K));
    for (size_t t = 0, before = 0; t < K; t++) {
        of[t].before = before;
        before += of[t].n = (size_t)n[t];
    }
    return pass_ranges(ctx, &w, of, K);
}

heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, size_t n_wanted,
                             heft_arena *arena, heft_dealing *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    drawn   d = {.sample = sample};
    int64_t n = (int64_t)sample->n;
    double  broken = 0; /* weights */
    *out = (heft_dealing){0};
    HEFT_ROWS (i, sample->weight ? sample->n : 0)
        if (sample->weight[i] != floor(sample->weight[i])) broken = 1;
    HEFT_CHECK(heft_all_max(ctx, &broken, 1));
    out->apart = broken > 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, sample->n, d.first, d.second);
    HEFT_ALLOC(ctx, &ctx->scratch, d.turn, sample->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, d.order, sample->n);
    HEFT_CHECK(draw_order(ctx, &d));
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    out->n_all = (size_t)n;
    if (!heft_all_here(ctx)) HEFT_CHECK(order_all(ctx, &d, n_wanted, arena, out));
    else {
        out->n = n_wanted;
        HEFT_ALLOC(ctx, arena, out->row, n_wanted);
        HEFT_ROWS (k, n_wanted) out->row[k] = d.order[nth_taken(k, n_wanted, sample->n)];
    }
    out->n_all = n_wanted;
    return HEFT_OK;
}

/* ---- dealing ---- */

/* How much of [from, from + w) lies in part k. */
static double share_of(double from, double w, size_t k)
{
    const double rounds = floor(w / HEFT_KFOLD), end = from + w - rounds * HEFT_KFOLD;
    double       share = rounds;
    for (double cell = floor(from); cell < end; cell++)
        if ((size_t)fmod(cell, HEFT_KFOLD) == k) share += fmin(cell + 1, end) - fmax(cell, from);
    return share;
}

/* What part k has of the weight of row i; `before`: of all rows before it. */
static double weight_in(const heft_sample *s, const heft_dealing *d, size_t k, size_t i,
                        double *before)
{
    const size_t place = d->place ? d->place[i] : i;
    const double w = weight_at(s, d->row[i]), from = d->from ? d->from[i] : *before;
    if (!s->weight || d->apart) return place % HEFT_KFOLD == k ? w : 0;
    const double in = share_of(from, w, k);
    *before += w;
    return in < 1e-9 * w ? 0 : w - in < 1e-9 * w ? w : in; /* not what rounding leaves */
}

static heft_status make_part(heft_ctx *ctx, const heft_sample *sample, size_t n, bool placed,
                             heft_arena *arena, heft_fold_part *out)
{
    *out = (heft_fold_part){0};
    HEFT_ALLOCS(ctx, arena, n, out->row, out->y);
    if (placed) HEFT_ALLOC(ctx, arena, out->place, n);
    if (sample->weight) HEFT_ALLOC(ctx, arena, out->weight, n);
    return HEFT_OK;
}

heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const heft_dealing *dealing,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others)
{
    heft_fold_part *parts[2] = {held, others};
    size_t          n[2] = {0};
    double          before = 0;
    HEFT_ROWS (i, dealing->n) {
        const double in = weight_in(sample, dealing, k, i, &before);
        n[0] += in > 0;
        n[1] += weight_at(sample, dealing->row[i]) > in;
    }
    for (int p = 0; p < 2; p++) HEFT_CHECK(make_part(ctx, sample, n[p], p == 0, arena, parts[p]));
    before = 0;
    HEFT_ROWS (i, dealing->n) {
        const size_t at = dealing->row[i];
        const double in = weight_in(sample, dealing, k, i, &before);
        for (int p = 0; p < 2; p++) {
            heft_fold_part *part = parts[p];
            const double    weight = p == 0 ? in : weight_at(sample, at) - in;
            if (!(weight > 0)) continue;
            part->row[part->n] = sample->row ? sample->row[at] : at;
            part->y[part->n] = sample->y[at];
            if (part->place) part->place[part->n] = dealing->place ? dealing->place[i] : i;
            if (part->weight) part->weight[part->n] = weight;
            part->n++;
        }
    }
    return HEFT_OK;
}
