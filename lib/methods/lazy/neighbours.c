/* neighbours.c - packed training rows, and counts of them by class, distance and agreement.
 *
 * The idea. A lazy method weighs every training row by its Hamming distance to the row to predict
 * and then needs two kinds of sums: the weight of the rows of each class, and the weight of those
 * that agree with the query on each attribute. The weights depend on the distance alone (and on the
 * class), so that it is enough to count, for each class and distance l,
 *
 *   V_l     the rows at distance l                                   (Li and Li, step 1)
 *   V_li    those of them that agree with the query on attribute i   (step 3)
 *
 * and to multiply by the weights afterwards. Counts are whole numbers: they can be added over
 * blocks, threads and ranks in any order.
 *
 * Two ways to count. Rows of at most 64 one-byte cells are counted in one pass (`fused`): each row
 * adds its agreements, as bytes, to the line of its number of agreements (hamming.h). V_l need not
 * be counted then, since a row of line a adds a to the sum of the line. Wider rows, and those with
 * attributes of more than 254 values, have their distances measured first; the rows that get a
 * weight are sorted by distance and their agreements counted distance by distance. That is also the
 * way of lwnb and iclnb, which give most rows no weight at all (`whole`).
 *
 * HEFT_PROBE queries are answered together, tile by tile of the rows, so that a tile of rows is
 * read from memory once for all of them.
 *
 * Cost: O(n m) per query for n rows of m cells; 8 to 64 cells are compared at once. */
#include "methods/lazy/neighbours.h"

#include <string.h>

#include "base/all.h"
#include "base/text.h"
#include "learn/basis.h"
#include "methods/lazy/hamming.h"
#include "model/model.h"

enum {
    BYTE_VALUES = 254, /* codes 0..253; 254 is a missing cell of a row, 255 one of a query */
    NO_ROW_BYTE = 254,
    WORD_VALUES = 65535, /* codes 0..65534; 65535 is a missing cell of a query */
    NO_ROW_WORD = 65534,
    NO_WORD = 65535,
    MOST_ATTR = 65535,
    PACK_ROWS = 2048,
    PICK_ROWS = 64,
    HISTOGRAMS = 4
};

static const double MUCH = 1073741824.0; /* bytes from which on the message is a warning */

/* ---- packing ---- */

static heft_status check_columns(heft_ctx *ctx, const heft_rows *rows, const heft_prep *prep,
                                 const char *method)
{
    if (rows->n_attr > MOST_ATTR || rows->n_rows > UINT32_MAX)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "method %s supports at most %d attributes and %u rows, and the data have %zu and %zu",
            method, MOST_ATTR, UINT32_MAX, rows->n_attr, rows->n_rows);
    for (size_t j = 0; j < rows->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        const uint32_t   values = a->n_codes;
        bool             missing = false;
        if (values == WORD_VALUES)
            for (size_t i = 0; i < rows->n_rows && !missing; i++)
                missing = heft_code_at(a->codes, a->width, i) >= values;
        if (values < WORD_VALUES || (values == WORD_VALUES && !missing)) continue;
        const char *name = HEFT_SHOW(prep->attr[j].name, 100);
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "column '%s' has %u values, more than the %d that method %s supports "
                         "({advice leave-out-column}, or use fewer intervals)",
                         name, values, WORD_VALUES, method);
    }
    return HEFT_OK;
}

/* Assigns lanes by the declared number of values of each attribute. nb->keeps_constant is known. */
static heft_status lay_lanes(heft_ctx *ctx, heft_arena *arena, const uint32_t *n_codes,
                             size_t n_attr, heft_neighbours *nb)
{
    size_t lane = 0;
    HEFT_ALLOCS(ctx, arena, n_attr, nb->attr, nb->n_values);
    for (int wide = 0; wide < 2; wide++) {
        for (size_t j = 0; j < n_attr; j++) {
            if (n_codes[j] <= !nb->keeps_constant || (n_codes[j] > BYTE_VALUES) != wide) continue;
            nb->n_values[lane] = n_codes[j];
            nb->attr[lane++] = (uint32_t)j;
        }
        if (!wide) nb->n_byte = lane;
    }
    nb->n_attr = lane;
    nb->n_word = lane - nb->n_byte;
    return HEFT_OK;
}

static heft_status take_cells(heft_ctx *ctx, heft_arena *arena, heft_neighbours *nb)
{
    size_t bytes, words;
    if (!heft_product(nb->n_rows, nb->n_byte, &bytes) || bytes > SIZE_MAX - HEFT_HAMMING_PAD ||
        !heft_product(nb->n_rows, nb->n_word, &words))
        return heft_no_memory(ctx, nb->n_rows, nb->n_attr);
    HEFT_ALLOC(ctx, arena, nb->bytes, bytes + HEFT_HAMMING_PAD);
    HEFT_ALLOC(ctx, arena, nb->words, words);
    return HEFT_OK;
}

static heft_status pack_cells(heft_ctx *ctx, const heft_rows *rows, heft_neighbours *nb)
{
    HEFT_SCRATCH_SCOPE(ctx);
    uint32_t *place, *next;
    HEFT_ALLOC(ctx, &ctx->scratch, place, rows->n_rows);
    HEFT_ALLOC(ctx, &ctx->scratch, next, nb->n_class);
    for (size_t i = 0; i < rows->n_rows; i++) nb->start[rows->y[i] + 1]++;
    for (size_t c = 0; c < nb->n_class; c++) {
        next[c] = nb->start[c];
        nb->start[c + 1] += nb->start[c];
    }
    for (size_t i = 0; i < rows->n_rows; i++) place[i] = next[rows->y[i]]++;
    for (size_t lo = 0; lo < rows->n_rows; lo += PACK_ROWS) {
        const size_t hi = rows->n_rows - lo < PACK_ROWS ? rows->n_rows : lo + PACK_ROWS;
        for (size_t lane = 0; lane < nb->n_attr; lane++) {
            const heft_attr *a = &rows->attr[nb->attr[lane]];
            for (size_t i = lo; i < hi; i++) {
                const uint32_t v = heft_code_at(a->codes, a->width, i);
                const bool     missing = v >= a->n_codes;
                if (lane < nb->n_byte)
                    nb->bytes[place[i] * nb->n_byte + lane] = missing ? NO_ROW_BYTE : (uint8_t)v;
                else
                    nb->words[place[i] * nb->n_word + lane - nb->n_byte] =
                        missing ? NO_ROW_WORD : (uint16_t)v;
            }
        }
    }
    return HEFT_OK;
}

heft_status heft_neighbours_pack(heft_ctx *ctx, const heft_rows *rows, const heft_prep *prep,
                                 const char *method, heft_arena *arena, heft_neighbours *out)
{
    uint32_t *n_codes;
    *out = (heft_neighbours){
        .n_rows = rows->n_rows, .n_class = rows->n_class, .keeps_constant = out->keeps_constant};
    HEFT_CHECK(check_columns(ctx, rows, prep, method));
    HEFT_ALLOC(ctx, &ctx->scratch, n_codes, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) n_codes[j] = rows->attr[j].n_codes;
    HEFT_CHECK(lay_lanes(ctx, arena, n_codes, rows->n_attr, out));
    const double bytes = (double)out->n_rows * (double)(out->n_byte + 2 * out->n_word);
    heft_say(ctx, bytes >= MUCH ? HEFT_WARNING : HEFT_DETAIL,
             "method %s keeps the training rows: %zu x %zu cells take %.1f MB", method, out->n_rows,
             out->n_attr, bytes / 1e6);
    HEFT_ALLOC(ctx, arena, out->start, out->n_class + 1);
    HEFT_CHECK(take_cells(ctx, arena, out));
    HEFT_CHECK(pack_cells(ctx, rows, out));
    int64_t all = (int64_t)out->n_rows;
    out->spread = !heft_is_single(ctx);
    HEFT_CHECK(heft_all_add(ctx, &all, 1));
    if (out->spread && all > INT32_MAX) /* counts are added over the ranks, two in 64 bits */
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "method %s supports at most %d training rows on all ranks together, and there are %lld",
            method, INT32_MAX, (long long)all);
    return HEFT_OK;
}

/* ---- to and from a file ---- */

/* Keeps those cells of a file that belong to this process: its range of the rows of every class. */
static heft_status take_share(heft_ctx *ctx, heft_arena *arena, const heft_neighbours *all,
                              heft_neighbours *out)
{
    const size_t row = all->n_byte, words = all->n_word * sizeof *all->words;
    size_t       lo, hi;
    HEFT_ALLOC(ctx, arena, out->start, all->n_class + 1);
    for (size_t c = 0; c < all->n_class; c++) {
        heft_my_range(ctx, all->start[c + 1] - all->start[c], &lo, &hi);
        out->start[c + 1] = out->start[c] + (uint32_t)(hi - lo);
    }
    out->n_rows = out->start[all->n_class];
    out->spread = !heft_is_single(ctx);
    HEFT_CHECK(take_cells(ctx, arena, out));
    for (size_t c = 0; c < all->n_class; c++) {
        const size_t at = out->start[c], n = out->start[c + 1] - at;
        heft_my_range(ctx, all->start[c + 1] - all->start[c], &lo, &hi);
        lo += all->start[c];
        if (n && row) memcpy(out->bytes + at * row, all->bytes + lo * row, n * row);
        if (n && words)
            memcpy(out->words + at * all->n_word, all->words + lo * all->n_word, n * words);
    }
    return HEFT_OK;
}

/* Gathers the cells of all ranks: those of rank r stand in `to` class by class, behind those of the
 * ranks before it. */
static heft_status gather_cells(heft_ctx *ctx, const heft_gathered *starts, const void *mine,
                                size_t n_mine, size_t width, const heft_neighbours *whole, char *to)
{
    HEFT_FREED uint32_t      *next = NULL;
    HEFT_LOCAL(heft_gathered) cells = {0};
    HEFT_NEW(ctx, next, whole->n_class);
    HEFT_CHECK(heft_all_gather(ctx, mine, n_mine * width, &cells));
    for (size_t c = 0; c < whole->n_class; c++) next[c] = whole->start[c];
    for (size_t r = 0; r < cells.n; r++) {
        const uint32_t *start = (const uint32_t *)(const void *)(starts->bytes + starts->start[r]);
        const char     *from = cells.bytes + cells.start[r];
        for (size_t c = 0; c < whole->n_class; c++) {
            const size_t n = start[c + 1] - start[c];
            if (n && width) memcpy(to + next[c] * width, from + start[c] * width, n * width);
            next[c] += (uint32_t)n;
        }
    }
    return HEFT_OK;
}

heft_status heft_neighbours_gather(heft_ctx *ctx, heft_arena *arena, heft_neighbours *nb)
{
    heft_neighbours           whole = *nb;
    HEFT_LOCAL(heft_gathered) starts = {0};
    uint64_t                  n = 0;
    HEFT_CHECK(heft_all_gather(ctx, nb->start, (nb->n_class + 1) * sizeof *nb->start, &starts));
    HEFT_ALLOC(ctx, arena, whole.start, nb->n_class + 1);
    for (size_t c = 0; c < nb->n_class; c++) {
        for (size_t r = 0; r < starts.n; r++) {
            const uint32_t *start =
                (const uint32_t *)(const void *)(starts.bytes + starts.start[r]);
            n += start[c + 1] - start[c];
        }
        whole.start[c + 1] = (uint32_t)n;
    }
    whole.n_rows = (size_t)n;
    whole.spread = false;
    HEFT_CHECK(take_cells(ctx, arena, &whole));
    HEFT_CHECK(
        gather_cells(ctx, &starts, nb->bytes, nb->n_rows, nb->n_byte, &whole, (char *)whole.bytes));
    HEFT_CHECK(gather_cells(ctx, &starts, nb->words, nb->n_rows, nb->n_word * sizeof *nb->words,
                            &whole, (char *)whole.words));
    *nb = whole;
    return HEFT_OK;
}

static const heft_neighbours *rows_at(const heft_at *at)
{
    return at->root;
}

static heft_status begin_loading(const heft_loading *l, void *root)
{
    heft_neighbours *nb = root;
    uint32_t        *n_codes;
    const size_t     n_attr = l->model->prep.n_attr;
    nb->n_class = l->model->fitted.n_class;
    if (n_attr > MOST_ATTR)
        return heft_file_damaged(l->ctx, l->file, "tensor 'attr.name': too many attributes");
    HEFT_ALLOC(l->ctx, &l->ctx->scratch, n_codes, n_attr);
    for (size_t j = 0; j < n_attr; j++) {
        n_codes[j] = heft_attr_codes(&l->model->prep.attr[j]);
        if (n_codes[j] > WORD_VALUES)
            return heft_file_damaged(l->ctx, l->file, "an attribute has too many values");
    }
    nb->keeps_constant = heft_model_keeps_constant(l->model);
    return lay_lanes(l->ctx, l->arena, n_codes, n_attr, nb);
}

static heft_status set_n_rows(const heft_loading *l, void *root)
{
    heft_neighbours *nb = root;
    (void)l;
    nb->n_rows = nb->start[nb->n_class];
    return HEFT_OK;
}

/* Checks that the codes are those of their attributes, or missing. This rank then keeps its range
 * of all rows, which are in scratch memory. */
static heft_status keep_rows(const heft_loading *l, void *root)
{
    heft_neighbours      *nb = root;
    const heft_neighbours all = *nb;
    bool                  bytes = true, words = true;
    for (size_t i = 0; i < nb->n_rows; i++) {
        const uint8_t  *byte = nb->bytes + i * nb->n_byte;
        const uint16_t *word = nb->words + i * nb->n_word;
        const double   *n = nb->n_values + nb->n_byte;
        for (size_t k = 0; k < nb->n_byte; k++)
            bytes = bytes && (byte[k] < nb->n_values[k] || byte[k] == NO_ROW_BYTE);
        for (size_t k = 0; k < nb->n_word; k++)
            words = words && (word[k] < n[k] || word[k] == NO_ROW_WORD);
    }
    if (!bytes || !words)
        return heft_file_damaged(l->ctx, l->file, "tensor '%s': a row holds an unknown value",
                                 bytes ? "own.words" : "own.bytes");
    return take_share(l->ctx, l->arena, &all, nb);
}

HEFT_DIM(class_bounds, "K + 1", rows_at(at)->n_class + 1);
HEFT_DIM(n_rows, "rows", rows_at(at)->n_rows);
HEFT_DIM(n_byte, "attributes of at most 254 values", rows_at(at)->n_byte);
HEFT_DIM(n_word, "attributes of more values", rows_at(at)->n_word);

static const heft_tensor fields[] = {
    {"own.start", HEFT_U32, HEFT_ARRAY(heft_neighbours, start), .dims = {&class_bounds},
     .order = HEFT_OFFSETS, .memory.scratch = true, .then = set_n_rows,
     .help = "rows of class c are start[c] to start[c + 1] - 1"},
    {"own.bytes", HEFT_U8, HEFT_ARRAY(heft_neighbours, bytes), .dims = {&n_rows, &n_byte},
     .memory.scratch = true, .help = "their codes; 254: missing"},
    {"own.words", HEFT_U16, HEFT_ARRAY(heft_neighbours, words), .dims = {&n_rows, &n_word},
     .memory.scratch = true, .help = "their codes; 65534: missing"},
    {.name = NULL}};

const heft_state heft_neighbours_state = {.title = "iclnb, lcwnb and lwnb: the training rows",
                                          .size = sizeof(heft_neighbours),
                                          .begin = begin_loading,
                                          .fields = fields,
                                          .end = keep_rows};

/* ---- asking ---- */

heft_status heft_probe_init(heft_ctx *ctx, const heft_neighbours *nb, bool whole, heft_arena *arena,
                            heft_probe *out)
{
    const size_t lines = nb->n_attr + 1;
    size_t       most = 0; /* most rows of a class */
    *out = (heft_probe){.nb = nb, .whole = whole};
    out->fused = !whole && nb->n_word == 0 && nb->n_byte <= HEFT_HAMMING_NARROW;
    out->width = heft_hamming_width(nb->n_byte) + nb->n_word;
    out->query_width = (nb->n_byte / 64 + 1) * 64;
    HEFT_ALLOC(ctx, arena, out->query, HEFT_PROBE * out->query_width);
    HEFT_ALLOC(ctx, arena, out->words, HEFT_PROBE * nb->n_word);
    memset(out->query, HEFT_NO_BYTE, HEFT_PROBE * out->query_width);
    if (out->fused) {
        HEFT_ALLOC(ctx, arena, out->narrow, HEFT_HAMMING_TABLES * (out->width + 1) * out->width);
        HEFT_ALLOC(ctx, arena, out->turned, HEFT_HAMMING_TURNED);
        HEFT_ALLOC(ctx, arena, out->wide, HEFT_PROBE * lines * out->width);
        HEFT_ALLOC(ctx, arena, out->agreed, HEFT_PROBE * lines);
        return HEFT_OK;
    }
    for (size_t c = 0; c < nb->n_class; c++)
        if (nb->start[c + 1] - nb->start[c] > most) most = nb->start[c + 1] - nb->start[c];
    out->capacity = whole ? nb->n_rows : most;
    HEFT_ALLOC(ctx, arena, out->distance, HEFT_PROBE * out->capacity);
    HEFT_ALLOCS(ctx, arena, most, out->picked, out->list);
    HEFT_ALLOC(ctx, arena, out->end, lines + 1);
    HEFT_ALLOC(ctx, arena, out->count, out->width);
    if (whole) HEFT_ALLOC(ctx, arena, out->histogram, HISTOGRAMS * lines);
    return HEFT_OK;
}

/* Measures the distances of rows lo..hi-1 to query q. */
static void measure(const heft_probe *p, size_t q, size_t lo, size_t hi, uint16_t *distance)
{
    const heft_neighbours *nb = p->nb;
    const uint16_t        *words = p->words + q * nb->n_word;
    heft_hamming_distance(nb->bytes + lo * nb->n_byte, nb->n_byte, hi - lo,
                          p->query + q * p->query_width, distance);
    if (!nb->n_word) return;
    for (size_t r = lo; r < hi; r++) {
        unsigned differ = 0;
        for (size_t k = 0; k < nb->n_word; k++) differ += nb->words[r * nb->n_word + k] != words[k];
        distance[r - lo] = (uint16_t)(distance[r - lo] + differ);
    }
}

void heft_probe_load(heft_probe *p, const heft_rows *rows, size_t lo, size_t n)
{
    const heft_neighbours *nb = p->nb;
    for (size_t lane = 0; lane < nb->n_attr; lane++) {
        const heft_attr *a = &rows->attr[nb->attr[lane]];
        for (size_t q = 0; q < n; q++) {
            const uint32_t v = heft_code_at(a->codes, a->width, lo + q);
            const bool     known = v < a->n_codes;
            if (lane < nb->n_byte)
                p->query[q * p->query_width + lane] = known ? (uint8_t)v : HEFT_NO_BYTE;
            else p->words[q * nb->n_word + lane - nb->n_byte] = known ? (uint16_t)v : NO_WORD;
        }
    }
    if (!p->whole) return;
    /* All distances, tile by tile: a tile stays in the cache while the queries pass over it. */
    for (size_t r = 0; r < nb->n_rows; r += HEFT_HAMMING_TILE) {
        const size_t end = nb->n_rows - r < HEFT_HAMMING_TILE ? nb->n_rows : r + HEFT_HAMMING_TILE;
        for (size_t q = 0; q < n; q++) measure(p, q, r, end, p->distance + q * p->capacity + r);
    }
}

/* Finds the levels from the sums of lines. The rows of line a agree on a attributes, so its
 * counters sum to a times their number; the rows that agree on none are the rest. */
static void find_levels(const heft_probe *p, size_t n, double rows, double *level)
{
    const double round = 0x1.8p52; /* added and subtracted again, it rounds to a whole number */
    const size_t m = p->nb->n_attr;
    double      *rest = level + m * HEFT_PROBE;
    for (size_t q = 0; q < n; q++) rest[q] = rows;
    for (size_t a = m; a > 0; a--) {
        const double part = 1 / (double)a; /* the product is nearly whole, and a division slower */
        double      *line = level + (m - a) * HEFT_PROBE;
        for (size_t q = 0; q < n; q++) {
            line[q] = (double)(int64_t)p->agreed[q * (m + 1) + a] * part + round - round;
            rest[q] -= line[q];
        }
    }
}

void heft_probe_class(heft_probe *p, size_t c, size_t n, double *level)
{
    const heft_neighbours *nb = p->nb;
    const size_t           lo = nb->start[c], hi = nb->start[c + 1];
    const size_t           m = nb->n_attr, lines = m + 1, cells = lines * p->width;
    memset(level, 0, lines * HEFT_PROBE * sizeof *level);
    if (p->fused) {
        memset(p->wide, 0, n * cells * sizeof *p->wide);
        memset(p->agreed, 0, n * lines * sizeof *p->agreed);
    }
    for (size_t r = lo; r < hi; r += HEFT_HAMMING_TILE) {
        const size_t   end = hi - r < HEFT_HAMMING_TILE ? hi : r + HEFT_HAMMING_TILE;
        const uint8_t *bytes = nb->bytes + r * nb->n_byte;
        if (p->fused) heft_hamming_turn(bytes, nb->n_byte, end - r, p->turned);
        for (size_t q = 0; q < n; q++) {
            if (p->fused) {
                heft_hamming_levels(bytes, nb->n_byte, end - r, p->query + q * p->query_width,
                                    p->turned, p->narrow, p->wide + q * cells,
                                    p->agreed + q * lines);
                continue;
            }
            uint16_t *distance = p->distance + q * p->capacity + (r - lo);
            measure(p, q, r, end, distance);
            for (size_t k = 0; k < end - r; k++) level[distance[k] * HEFT_PROBE + q] += 1;
        }
    }
    if (p->fused) find_levels(p, n, (double)(hi - lo), level);
}

/* Histograms take turns, so that a row need not wait for the one before it to be stored. */
void heft_probe_all(heft_probe *p, size_t q, uint32_t *total)
{
    const heft_neighbours *nb = p->nb;
    const size_t           lines = nb->n_attr + 1;
    const uint16_t        *distance = p->distance + q * p->capacity;
    size_t                 r = 0;
    memset(p->histogram, 0, HISTOGRAMS * lines * sizeof *p->histogram);
    for (; r + HISTOGRAMS <= nb->n_rows; r += HISTOGRAMS)
        for (size_t h = 0; h < HISTOGRAMS; h++) p->histogram[h * lines + distance[r + h]]++;
    for (; r < nb->n_rows; r++) p->histogram[distance[r]]++;
    for (size_t l = 0; l < lines; l++) {
        total[l] = 0;
        for (size_t h = 0; h < HISTOGRAMS; h++) total[l] += p->histogram[h * lines + l];
    }
}

/* Picks the rows whose weight is not 0; returns their number. Blocks without one are passed over.
 */
static size_t pick_rows(heft_probe *p, const uint16_t *distance, size_t n, const double *weight)
{
    size_t picked = 0, limit = p->nb->n_attr + 1; /* all weights from here on are 0 */
    while (limit > 0 && weight[limit - 1] == 0) limit--;
    for (size_t lo = 0; lo < n; lo += PICK_ROWS) {
        const size_t hi = n - lo < PICK_ROWS ? n : lo + PICK_ROWS;
        uint16_t     nearest = UINT16_MAX;
        for (size_t r = lo; r < hi; r++) nearest = distance[r] < nearest ? distance[r] : nearest;
        if (nearest >= limit) continue;
        for (size_t r = lo; r < hi; r++) {
            p->picked[picked] = (uint32_t)r;
            picked += weight[distance[r]] != 0;
        }
    }
    return picked;
}

/* Sorts the picked rows by distance: those at distance l are list[end[l - 1]..end[l] - 1]. */
static void sort_rows(heft_probe *p, const uint16_t *distance, size_t picked)
{
    uint32_t *end = p->end + 1;
    memset(p->end, 0, (p->nb->n_attr + 2) * sizeof *p->end);
    for (size_t k = 0; k < picked; k++) end[distance[p->picked[k]]]++;
    for (size_t l = p->nb->n_attr + 1; l-- > 0;) end[l] = l ? end[l - 1] : 0;
    for (size_t l = 0; l < p->nb->n_attr; l++) end[l + 1] += end[l];
    for (size_t k = 0; k < picked; k++) p->list[end[distance[p->picked[k]]]++] = p->picked[k];
}

/* Sets p->count to the number of listed rows, numbered from `lo`, that agree with query q on each
 * lane. */
static void count_listed(heft_probe *p, size_t q, size_t lo, const uint32_t *list, size_t n)
{
    const heft_neighbours *nb = p->nb;
    const uint16_t        *query = p->words + q * nb->n_word;
    uint32_t              *words = p->count + heft_hamming_width(nb->n_byte);
    memset(p->count, 0, p->width * sizeof *p->count);
    heft_hamming_count(nb->bytes + lo * nb->n_byte, nb->n_byte, list, n,
                       p->query + q * p->query_width, p->count);
    if (!nb->n_word) return;
    for (size_t k = 0; k < n; k++) {
        const uint16_t *row = nb->words + (lo + list[k]) * nb->n_word;
        for (size_t w = 0; w < nb->n_word; w++) words[w] += row[w] == query[w];
    }
}

double heft_probe_near(heft_probe *p, size_t q, size_t c, const double *weight,
                       double *restrict sum)
{
    const heft_neighbours *nb = p->nb;
    const size_t           lo = nb->start[c], n = nb->start[c + 1] - lo;
    const uint16_t        *distance = p->distance + q * p->capacity + (p->whole ? lo : 0);
    const uint32_t        *words = p->count + heft_hamming_width(nb->n_byte);
    double                 mass = 0;
    memset(sum, 0, nb->n_attr * sizeof *sum);
    sort_rows(p, distance, pick_rows(p, distance, n, weight));
    for (size_t l = 0; l <= nb->n_attr; l++) {
        const uint32_t begin = p->end[l], end = p->end[l + 1]; /* end[0] is 0 */
        if (begin == end) continue;
        mass += weight[l] * (double)(end - begin);
        count_listed(p, q, lo, p->list + begin, end - begin);
        heft_hamming_add(weight[l], p->count, nb->n_byte, sum);
        for (size_t w = 0; w < nb->n_word; w++) sum[nb->n_byte + w] += weight[l] * (double)words[w];
    }
    return mass;
}

void heft_probe_weigh(heft_probe *p, size_t q, size_t c, const double *weight, double *sum)
{
    const size_t m = p->nb->n_attr;
    if (!p->fused) {
        (void)heft_probe_near(p, q, c, weight, sum);
        return;
    }
    heft_hamming_weigh(weight, m, p->wide + (q * (m + 1) + m) * p->width, p->width, m, sum);
}

void heft_probe_counts(heft_probe *p, size_t q, size_t c, uint32_t *count)
{
    const heft_neighbours *nb = p->nb;
    const size_t           m = nb->n_attr, lo = nb->start[c], n = nb->start[c + 1] - lo;
    const uint16_t        *distance = p->fused ? NULL : p->distance + q * p->capacity;
    memset(count, 0, (m + 1) * m * sizeof *count);
    if (p->fused) {
        for (size_t l = 0; l < m; l++)
            memcpy(count + l * m, p->wide + (q * (m + 1) + (m - l)) * p->width, m * sizeof *count);
        return;
    }
    for (size_t r = 0; r < n; r++) p->picked[r] = (uint32_t)r;
    sort_rows(p, distance, n);
    for (size_t l = 0; l <= m; l++) {
        const uint32_t begin = p->end[l], end = p->end[l + 1];
        if (begin == end) continue;
        count_listed(p, q, lo, p->list + begin, end - begin);
        memcpy(count + l * m, p->count, nb->n_byte * sizeof *count);
        memcpy(count + l * m + nb->n_byte, p->count + heft_hamming_width(nb->n_byte),
               nb->n_word * sizeof *count);
    }
}
