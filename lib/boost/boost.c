/* boost.c - the rounds of boosting: draws, residuals, a tree, the held-out loss, when to stop.
 *
 * One round, K classes:
 *
 *   draw         classes S, attributes, rows
 *   residuals    p of all rows by the leaves of the last tree, and g_i = sum of p_ic - [y_i = c]
 *                over S (residuals.h); h_i = |g_i| (1 - |g_i|); both rounded, as a word
 *   grow         leaves with their rows (a range of `index`), histograms and best splits (grow.h)
 *   values       sums of p over the rows of each leaf, and a Newton step from them (boost_tree.h)
 *   watch        p of the rows held out, and their loss (boost_rows.h)
 *
 * The set S changes from round to round because one tree with one set of boxes must serve all
 * classes: over many rounds every class is told from many sets of others. A class whose rows are
 * predicted badly is drawn more often.
 *
 * Cost of a round: that of a tree (grow.h) and O(n K). */
#include "boost/boost.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"
#include "base/wide.h"
#include "boost/boost_tree.h"
#include "boost/residuals.h"
#include "boost/windows.h"

enum {
    OWN_BITS = 24,  /* bits of a residual in the sum of its class */
    UNIT_BITS = 30, /* bits of the sum of all weights, where some are not whole or it is large */
    TURN = 4,       /* rounds done by one call of heft_boost_go_on */
    WINDOW = 16,    /* rounds for which trees are grown on the same windows */
    ALL_ROWS = 1000 /* from this round on, trees are grown on all rows */
};

/* A tree is grown on rule.attrs of the attributes, or on about so many. */
static const double MOST_DRAWN = 100;

struct heft_boosting {
    const heft_boost_rule *rule;
    const heft_keys       *keys;
    heft_boost_watch      *watch;
    heft_boosted          *out;
    heft_boost_classes     classes;
    heft_windows           windows;
    heft_boost_rows        rows; /* those of the windows that trees are grown on */
    heft_boost_rows        held; /* held-out rows; used only if watch->held */
    heft_last_tree         last;
    uint32_t              *hash;     /* a random number per row, if trees are grown on some rows */
    double                 fraction; /* the fraction of the attributes that a tree is grown on */
    uint64_t               salt;     /* makes the draws of a round differ from those of others */
    int64_t               *own;      /* K: sum of 1 - p over the rows of the class */
    int32_t               *largest;  /* the bits of the largest |g| in each piece of the rows */
    heft_growth            grow;
    heft_boost_tree        tree;
    size_t                 round; /* rounds done */
    double                 began; /* heft_clock */
    heft_arena             work;  /* memory that the fit alone needs */
};

typedef struct heft_boosting boosting;

/* ---- draws ---- */

/* A random number in [0, 1) for this key in this round. */
static double draw(const boosting *b, uint64_t key)
{
    return (double)(heft_mix(b->salt ^ heft_mix(key)) >> 11) * 0x1p-53;
}

/* A random number for a row, in 32 bits so that the loop over rows is vector code. x: hash + salt.
 */
HEFT_INLINE uint32_t row_draw(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

HEFT_WIDE_AVX2 static void draw_rows(const uint32_t *hash, uint32_t salt, uint32_t limit, size_t n,
                                     uint8_t *drawn)
{
    for (size_t i = 0; i < n; i++) drawn[i] = row_draw(hash[i] + salt) <= limit;
}

/* ---- residuals ---- */

/* own[y] += 1 - p of n rows. Rows of a class follow each other. */
static void add_own(const boosting *b, size_t lo, size_t n, const float *own)
{
    const float scale = (float)(1 << OWN_BITS);
    for (size_t i = 0; i < n;) {
        const uint16_t c = b->rows.y[lo + i];
        int64_t        sum = 0;
        for (; i < n && b->rows.y[lo + i] == c; i++)
            sum += (int32_t)((1 - own[i]) * scale) * heft_units(b->rows.weight, lo + i);
        (void)__atomic_fetch_add(&b->own[c], sum, __ATOMIC_RELAXED);
    }
}

static void residual_piece(void *arg, size_t piece)
{
    const boosting *b = arg;
    const uint8_t  *known = b->grow.n_rows == b->rows.n && !b->windows.moved ? b->tree.leaf : NULL;
    float           own[HEFT_STEP_ROWS];
    size_t          first, end;
    heft_piece_rows(b->rows.n, piece, &first, &end);
    HEFT_BLOCKS_OF (HEFT_STEP_ROWS, from, to, end - first) {
        const size_t lo = first + from, hi = first + to;
        heft_last_tree_step(&b->last, &b->rows, known, lo, hi, b->grow.rows.g + lo, own);
        if (b->classes.K > 2) add_own(b, lo, hi - lo, own);
    }
    b->largest[piece] = heft_packed_rows_largest(&b->grow.rows, first, end);
}

/* Adds the last tree to all rows and packs their residuals. `own` becomes the sum of 1 - p over the
 * rows of each class. */
static heft_status residuals(heft_ctx *ctx, boosting *b)
{
    const size_t n_pieces = heft_n_pieces(b->rows.n);
    int32_t      largest = 0;
    memset(b->own, 0, b->classes.K * sizeof *b->own);
    heft_run_pieces(ctx, n_pieces, residual_piece, b);
    b->windows.moved = false;
    for (size_t k = 0; k < n_pieces; k++)
        if (b->largest[k] > largest) largest = b->largest[k];
    if (b->classes.K > 2) HEFT_CHECK(heft_all_add(ctx, b->own, b->classes.K));
    return heft_packed_rows_pack(ctx, &b->grow.rows, largest);
}

/* ---- what a tree is grown on ---- */

/* Draws one class with probability proportional to the sum of 1 - p over its rows in the round
 * before, and each other one with 1/2. If these are all classes, the one after the first drawn is
 * left out. */
static void draw_classes(boosting *b)
{
    const size_t K = b->classes.K;
    double       all = 0, upto = 0;
    size_t       first, n = 0;
    if (K == 2) return;
    for (size_t c = 0; c < K; c++) all += (double)b->own[c];
    const double at = draw(b, 1) * all;
    for (first = 0; first + 1 < K; first++) {
        upto += (double)b->own[first];
        if (at < upto) break;
    }
    for (size_t c = 0; c < K; c++) {
        const bool in = c == first || draw(b, b->classes.key[c] + 2) < 0.5;
        b->classes.drawn[c] = in;
        n += in;
    }
    if (n == K) b->classes.drawn[first + 1 < K ? first + 1 : 0] = 0;
}

/* The fraction of the attributes that trees are grown on. Eight attributes of two codes are counted
 * at once (joints.h), so that they count as one. */
static double drawn_fraction(const heft_bins *bins, double most)
{
    double counted = 0;
    for (size_t k = 0; k < bins->n_attr; k++)
        counted += 1 / fmax(floor(8 / log2((double)bins->attr[k].n_codes)), 1);
    return fmin(MOST_DRAWN / counted, most);
}

static void draw_attributes(boosting *b)
{
    const size_t m = b->out->bins.n_attr;
    double       least = 2;
    size_t       lowest = 0;
    b->grow.use.n = 0;
    for (uint32_t k = 0; k < m; k++) {
        const double at = draw(b, b->keys->column[b->out->bins.attr[k].attr] + 3);
        if (at < b->fraction) b->grow.use.attr[b->grow.use.n++] = k;
        if (at < least) {
            least = at;
            lowest = k;
        }
    }
    if (b->grow.use.n == 0) b->grow.use.attr[b->grow.use.n++] = (uint32_t)lowest;
}

static void take_all(void *arg, size_t piece)
{
    const boosting *b = arg;
    size_t          lo, hi;
    heft_piece_rows(b->rows.n, piece, &lo, &hi);
    for (size_t i = lo; i < hi; i++) b->grow.index[i] = (uint32_t)i;
}

static heft_status draw_tree_rows(heft_ctx *ctx, boosting *b)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const uint32_t limit = (uint32_t)fmin(b->rule->rows * 0x1p32, UINT32_MAX);
    const uint32_t salt = (uint32_t)(b->salt >> 32);
    heft_growth   *g = &b->grow;
    uint8_t       *drawn;
    if (limit == UINT32_MAX) {
        heft_run_pieces(ctx, heft_n_pieces(b->rows.n), take_all, b);
        g->n_rows = b->rows.n;
        return HEFT_OK;
    }
    const uint32_t *hash = b->hash + b->windows.first[b->windows.now];
    HEFT_ALLOC(ctx, &ctx->scratch, drawn, HEFT_BLOCK_ROWS);
    g->n_rows = 0;
    HEFT_ROW_BLOCKS (lo, hi, b->rows.n) {
        draw_rows(hash + lo, salt, limit, hi - lo, drawn);
        for (size_t i = lo; i < hi; i++) {
            g->index[g->n_rows] = (uint32_t)i;
            g->n_rows += drawn[i - lo];
        }
    }
    return HEFT_OK;
}

/* ---- setting up ---- */

static heft_status order_classes(heft_ctx *ctx, const heft_keys *keys, heft_arena *arena,
                                 heft_boost_classes *to)
{
    heft_ranked *order, *spare;
    HEFT_ALLOCS(ctx, arena, to->K, order, spare, to->in_sample, to->key, to->number);
    HEFT_ALLOC(ctx, arena, to->drawn, to->stride);
    for (size_t c = 0; c < to->K; c++) order[c] = (heft_ranked){keys->class[c], c};
    heft_order_sort(order, spare, to->K);
    for (size_t c = 0; c < to->K; c++) {
        to->in_sample[c] = (uint32_t)order[c].row;
        to->key[c] = order[c].key;
        to->number[order[c].row] = (uint16_t)c;
    }
    return HEFT_OK;
}

/* start_c = log((n_c + 1/2) / (n + K/2)). Whole weights are whole multiples of the unit. */
static heft_status set_start(heft_ctx *ctx, const heft_sample *s, boosting *b)
{
    const size_t K = b->classes.K;
    double       total = 0, broken = 0;
    int          power;
    HEFT_ALLOC(ctx, &b->out->arena, b->out->start, K);
    HEFT_ROWS (i, s->n) {
        const double w = heft_sample_weight(s, i);
        b->out->start[s->y[i]] += w;
        total += w;
        if (w != floor(w)) broken = 1;
    }
    HEFT_CHECK(heft_all_sum(ctx, b->out->start, K));
    HEFT_CHECK(heft_all_sum(ctx, &total, 1));
    HEFT_CHECK(heft_all_max(ctx, &broken, 1));
    for (size_t c = 0; c < K; c++)
        b->out->start[c] = log((b->out->start[c] + 0.5) / (total + (double)K / 2));
    frexp(total, &power);
    b->windows.all.unit =
        (s->weight && power > UNIT_BITS) || broken > 0 ? ldexp(1, power - UNIT_BITS) : 1;
    return HEFT_OK;
}

static heft_status set_up(heft_ctx *ctx, const heft_boost_input *input, boosting *b)
{
    heft_boost_rows   *rows = &b->rows, *all = &b->windows.all;
    heft_arena        *arena = &b->work;
    const heft_sample *s = input->sample;
    HEFT_CHECK(order_classes(ctx, input->keys, arena, &b->classes));
    HEFT_CHECK(set_start(ctx, s, b));
    HEFT_CHECK(heft_boost_rows_open(ctx, arena, b->out->start, false, all));
    HEFT_CHECK(heft_windows_open(ctx, arena, b->out->bins.n_attr, &b->windows, rows));
    b->last = (heft_last_tree){.classes = &b->classes, .trees = &b->out->trees};
    HEFT_CHECK(heft_last_tree_open(ctx, arena, &b->last));
    b->grow = (heft_growth){.rows = {.bins = &b->out->bins,
                                     .column = rows->column,
                                     .n = rows->n,
                                     .weight = rows->weight,
                                     .unit = rows->unit},
                            .order = b->rule->order,
                            .most_leaves = b->rule->most_leaves};
    HEFT_CHECK(heft_growth_open(ctx, arena, &b->grow));
    b->tree = (heft_boost_tree){.grow = &b->grow, .rows = rows, .trees = &b->out->trees};
    HEFT_CHECK(heft_boost_tree_open(ctx, arena, &b->tree));
    HEFT_ALLOC(ctx, arena, b->own, b->classes.K);
    HEFT_ALLOC(ctx, arena, b->largest, heft_n_pieces(rows->n));
    heft_windows_show(&b->windows, 0, 1, rows, &b->grow.rows);
    HEFT_ROWS (i, all->n) b->own[all->y[i]] += heft_units(all->weight, i);
    HEFT_CHECK(heft_all_add(ctx, b->own, b->classes.K));
    if (b->rule->rows < 1) {
        HEFT_ALLOC(ctx, arena, b->hash, all->n);
        HEFT_ROWS (i, all->n)
            b->hash[i] = (uint32_t)(heft_mix(input->row_key[heft_sample_row(s, i)]) >> 32);
    }
    b->held.unit = rows->unit;
    return b->watch->held ? heft_boost_rows_open(ctx, arena, b->out->start, true, &b->held)
                          : HEFT_OK;
}

/* ---- rounds ---- */

/* Whether the held-out loss has not fallen for `patience` rounds. */
static bool waited(const boosting *b)
{
    const size_t since = b->watch->best > b->windows.since ? b->watch->best : b->windows.since;
    return b->round >= since + b->rule->patience;
}

/* Goes on to the next windows, if it is time to, or to all rows if the held-out loss falls no more.
 * The last tree is not yet part of the rows, neither of those that were grown on nor of the others.
 */
static heft_status next_windows(heft_ctx *ctx, boosting *b)
{
    heft_windows *w = &b->windows;
    const bool    stuck = b->watch->held && waited(b);
    if (w->n_now == w->n || b->round == 0 || (b->round % WINDOW && !stuck)) return HEFT_OK;
    for (size_t k = w->now; k < w->now + w->n_now; k++) w->n_trees[k] = b->round - 1;
    const size_t wanted = 1 + w->n * b->round / ALL_ROWS;
    const size_t n = wanted < w->n && !stuck ? wanted : w->n;
    if (n == w->n) b->windows.since = b->round;
    size_t first = w->now + w->n_now < w->n ? w->now + w->n_now : 0;
    if (first + n > w->n) first = w->n - n;
    for (size_t k = first; k < first + n; k++)
        HEFT_CHECK(heft_windows_add_trees(ctx, w, k, &b->last, b->round - 1));
    heft_windows_show(w, first, n, &b->rows, &b->grow.rows);
    b->windows.moved = true;
    return HEFT_OK;
}

/* Sets the effects of values anew, from the rows of all windows; the last tree has been added to
 * those that are grown on. */
static heft_status set_effects(heft_ctx *ctx, boosting *b)
{
    heft_windows *w = &b->windows;
    for (size_t k = w->now; k < w->now + w->n_now; k++) w->n_trees[k] = b->round;
    for (size_t k = 0; k < w->n; k++)
        HEFT_CHECK(heft_windows_add_trees(ctx, w, k, &b->last, b->round));
    return heft_value_effects_set(ctx, &b->windows.all, b->watch->held ? &b->held : NULL, b->round,
                                  &b->out->arena, &b->out->effects);
}

/* The rate of the round that was last begun. */
static double rate_of(const boosting *b)
{
    const size_t even = b->rule->even_rounds;
    return even && b->round > even ? b->rule->rate * (double)b->round / (double)even
                                   : b->rule->rate;
}

static heft_status one_round(heft_ctx *ctx, boosting *b)
{
    b->salt = heft_mix(b->rule->draw + heft_mix(b->round + 1));
    draw_classes(b);
    HEFT_CHECK(next_windows(ctx, b));
    HEFT_CHECK(residuals(ctx, b));
    if (b->out->effects.n_attr && b->round && (b->round & (b->round - 1)) == 0) {
        HEFT_CHECK(set_effects(ctx, b));
        heft_last_tree_unset(&b->last);
        HEFT_CHECK(residuals(ctx, b));
    }
    draw_attributes(b);
    HEFT_CHECK(draw_tree_rows(ctx, b));
    HEFT_CHECK(heft_growth_tree(ctx, &b->grow));
    b->round++;
    b->tree.rate = rate_of(b);
    HEFT_CHECK(heft_boost_tree_store(ctx, &b->tree));
    heft_last_tree_set(&b->last);
    return HEFT_OK;
}

static heft_status watch_held(heft_ctx *ctx, const boosting *b)
{
    double loss;
    HEFT_CHECK(heft_boost_held_add(ctx, &b->last, &b->held, &loss));
    if (b->round == 0 || loss < b->watch->loss) {
        b->watch->loss = loss;
        b->watch->best = b->round;
        heft_boost_held_keep(&b->held);
    }
    return HEFT_OK;
}

/* Whether the fit is complete. Clocks of processes differ, so all stop when one is late. */
static heft_status enough(heft_ctx *ctx, const boosting *b, bool *out)
{
    heft_boost_watch *watch = b->watch;
    *out = b->round >= b->rule->most_rounds ||
           (watch->rounds && b->round >= atomic_load(watch->rounds)) ||
           (watch->held && b->windows.n_now == b->windows.n && waited(b));
    if (*out || !(watch->until > 0)) return HEFT_OK;
    double late = heft_clock() >= watch->until;
    HEFT_CHECK(heft_all_sum(ctx, &late, 1));
    *out = watch->late = late > 0;
    return HEFT_OK;
}

/* Reports the fraction of the work that is done. As long as the loss falls, as many rounds again
 * are expected. */
static void report(heft_ctx *ctx, boosting *b)
{
    const heft_boost_watch *watch = b->watch;
    const size_t            rounds = watch->rounds ? atomic_load(watch->rounds) : SIZE_MAX;
    double                  all = (double)b->rule->most_rounds;
    if (watch->held) {
        all = fmin(all, (double)(2 * watch->best + b->rule->patience));
        heft_steps_note(ctx, watch->steps, "round %zu, held-out loss %.4f", b->round, watch->loss);
    } else if (rounds != SIZE_MAX) {
        all = fmin(all, (double)rounds);
        heft_steps_note(ctx, watch->steps, "round %zu of %zu", b->round, rounds);
    }
    double done = (double)b->round / all;
    if (watch->until > b->began)
        done = fmax(done, (heft_clock() - b->began) / (watch->until - b->began));
    const size_t now = (size_t)(fmin(done, 1) * (double)watch->n_steps);
    heft_steps_add(ctx, watch->steps, now > b->watch->reported ? now - b->watch->reported : 0);
    if (now > b->watch->reported) b->watch->reported = now;
}

void heft_boosted_keep(heft_boosted *boosted, size_t n)
{
    heft_trees *t = &boosted->trees;
    if (n >= t->n_trees) return;
    t->n_splits = t->tree[n].split;
    t->n_leaves = t->tree[n].leaf;
    t->n_trees = n;
    t->n_listed = 0;
    for (size_t k = 0; k < t->n_splits; k++) t->n_listed += t->split[k].n_listed;
}

/* Puts the columns of n lines into the order of the classes of the sample. */
static heft_status restore_classes(heft_ctx *ctx, const heft_boost_classes *classes, double *lines,
                                   size_t n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = classes->K;
    double      *line;
    if (K == 2) {
        if (classes->in_sample[1] == 0)
            for (size_t k = 0; k < n; k++) lines[k] = -lines[k];
        return HEFT_OK;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, line, K);
    for (size_t k = 0; k < n; k++, lines += K) {
        for (size_t c = 0; c < K; c++) line[classes->in_sample[c]] = lines[c];
        memcpy(lines, line, K * sizeof *lines);
    }
    return HEFT_OK;
}

static heft_status open_fit(heft_ctx *ctx, const heft_boost_input *input, boosting *b)
{
    const heft_sample *sample = input->sample;
    heft_bins         *bins = &b->out->bins;
    heft_boost_watch  *watch = b->watch;
    heft_boost_rows   *rows = &b->windows.all, *held = &b->held;
    const size_t       n_cut = input->n_cut < sample->n ? input->n_cut : sample->n;
    HEFT_CHECK(heft_bins_learn(ctx, sample, n_cut, b->keys, b->rule->shift ? &b->rule->draw : NULL,
                               &b->work, bins));
    HEFT_CHECK(heft_bins_fill(ctx, bins, sample, &b->work, &rows->column, &rows->codes));
    HEFT_CHECK(
        heft_bins_keep(ctx, sample, b->rule->most_attrs, &b->out->arena, bins, rows->column));
    if (watch->held)
        HEFT_CHECK(heft_bins_fill(ctx, bins, watch->held, &b->work, &held->column, &held->codes));
    b->fraction = drawn_fraction(bins, b->rule->attrs);
    HEFT_CHECK(set_up(ctx, input, b));
    HEFT_CHECK(heft_value_effects_open(ctx, bins, sample, &b->out->arena, &b->out->effects));
    /* twice, because the effects of one attribute change what those of others should be */
    for (int k = 0; k < 2; k++) HEFT_CHECK(set_effects(ctx, b));
    if (b->rule->order > 1)
        HEFT_CHECK(heft_value_effects_pairs(ctx, rows, watch->held ? held : NULL, b->keys,
                                            &b->out->arena, &b->work, &b->out->effects));
    if (b->out->effects.n_pairs)
        for (int k = 0; k < 2; k++) HEFT_CHECK(set_effects(ctx, b));
    watch->best = 0;
    watch->loss = INFINITY;
    return watch->held ? watch_held(ctx, b) : HEFT_OK;
}

heft_status heft_boost_open(heft_ctx *ctx, const heft_boost_input *input,
                            const heft_boost_rule *rule, heft_boost_watch *watch, heft_boosted *out,
                            heft_boosting **fit)
{
    const size_t K = input->sample->n_class;
    HEFT_NEW(ctx, *fit, 1);
    boosting *b = *fit;
    *b = (boosting){.rule = rule,
                    .keys = input->keys,
                    .watch = watch,
                    .out = out,
                    .classes = {.K = K, .stride = heft_residual_stride(K)},
                    .windows = {.n = input->window ? input->n_windows : 1,
                                .first = input->window,
                                .all = {.sample = input->sample, .classes = &b->classes}},
                    .held = {.sample = watch->held, .classes = &b->classes},
                    .began = heft_clock()};
    out->trees.n_columns = K == 2 ? 1 : K;
    return open_fit(ctx, input, b);
}

static heft_status end_fit(heft_ctx *ctx, boosting *b)
{
    const heft_boost_watch *watch = b->watch;
    if (watch->steps) {
        heft_steps_add(ctx, watch->steps, watch->n_steps - watch->reported);
        b->watch->reported = watch->n_steps;
    }
    if (watch->held && watch->score) heft_boost_held_scores(&b->held, watch->score);
    if (watch->held) heft_boosted_keep(b->out, watch->best);
    const heft_value_effects *e = &b->out->effects;
    for (size_t k = 0; k < e->n_tables; k++)
        HEFT_CHECK(restore_classes(ctx, &b->classes, e->table[k], e->n_values));
    return restore_classes(ctx, &b->classes, b->out->trees.value, b->out->trees.n_leaves);
}

heft_status heft_boost_go_on(heft_ctx *ctx, heft_boosting *b, bool *more)
{
    bool done = b->out->bins.n_attr == 0;
    for (int k = 0; k < TURN && !done; k++) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(one_round(ctx, b));
        if (b->watch->held) HEFT_CHECK(watch_held(ctx, b));
        if (b->watch->steps) report(ctx, b);
        HEFT_CHECK(enough(ctx, b, &done));
    }
    *more = !done;
    return done ? end_fit(ctx, b) : HEFT_OK;
}

void heft_boost_close(heft_boosting *b)
{
    if (!b) return;
    heft_free(b->windows.all.codes);
    heft_free(b->held.codes);
    heft_arena_clear(&b->work);
    heft_free(b);
}

void heft_boosted_clear(heft_boosted *boosted)
{
    heft_free(boosted->trees.tree);
    heft_free(boosted->trees.split);
    heft_free(boosted->trees.listed);
    heft_free(boosted->trees.value);
    boosted->trees = (heft_trees){0};
    heft_arena_clear(&boosted->arena);
}
