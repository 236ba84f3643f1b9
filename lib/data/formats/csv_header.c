/* csv_header.c - whether the first record of a CSV file is a header: names over numbers, words that
 * no row repeats, or numbers that do not look like those of a row. */
#include "data/formats/csv_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- looking at records ---- */

static bool same_cell(const heft_text_cell *a, const heft_text_cell *b)
{
    if (a->length != b->length || a->length == 0) return a->length == b->length;
    return *a->text == *b->text && memcmp(a->text, b->text, a->length) == 0;
}

static bool is_word(const heft_text_cell *cell, const char *word)
{
    return heft_span_is_word(cell->text, cell->length, word);
}

static bool has_point(const heft_text_cell *cell)
{
    for (size_t k = 0; k < cell->length; k++)
        if (cell->text[k] == '.' || (cell->text[k] | 32) == 'e') return true;
    return false;
}

/* Whether a text that begins so may be a number or infinity; most words begin otherwise. */
static bool may_be_number(char first, char mark)
{
    return (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' ||
           first == mark || (first | 32) == 'i';
}

double heft_glance_cell(const heft_schema *schema, heft_glance *g, const heft_text_cell *cell)
{
    const char *text = cell->text, *end = text + cell->length;
    const char  mark = heft_decimal_mark(schema);
    double      x = NAN;
    g->repeated = g->repeated || same_cell(cell, &g->first);
    g->quoted = g->quoted || cell->quoted;
    if (heft_is_missing(schema, HEFT_NUMERIC, cell)) return NAN;
    if (!may_be_number(*text, mark)) {
        g->odd = true;
        return NAN;
    }
    if (!heft_short_decimal(text, end, mark, &x)) {
        const heft_number what = heft_read_number(schema, text, cell->length, &x);
        if (what == HEFT_NUM_NOT && !heft_is_infinity(text, cell->length)) {
            g->odd = true;
            return NAN;
        }
        if (what != HEFT_NUM_OK) x = NAN;
    }
    if (has_point(cell)) g->point = true;
    else g->bare = true;
    if (!g->number || x < g->lo) g->lo = x;
    if (!g->number || x > g->hi) g->hi = x;
    g->number = true;
    return x;
}

/* How the numbers of a record go on from left to right. */
typedef struct order {
    size_t n;
    double last, step;
    bool   rising, falling, even;
} order;

static const order no_order = {.rising = true, .falling = true, .even = true};

static void order_add(order *o, double x)
{
    const double step = x - o->last;
    if (o->n == 1) o->step = step;
    if (o->n > 0) {
        o->rising = o->rising && step > 0;
        o->falling = o->falling && step < 0;
        o->even = o->even && fabs(step - o->step) <= 1e-6 * fabs(o->step);
    }
    if (isnan(x)) o->rising = o->falling = o->even = false;
    o->last = x;
    o->n++;
}

void heft_glance_first(const heft_schema *schema, heft_glances *s, const heft_text_cell *cells)
{
    for (size_t j = 0; j < s->n; j++) {
        heft_glance *g = &s->columns[j];
        *g = (heft_glance){.first = cells[j]};
        if (heft_read_number(schema, cells[j].text, cells[j].length, &g->x) != HEFT_NUM_OK)
            g->x = NAN;
    }
}

/* Finds which columns hold nothing but numbers still. */
static void glance_numbers(const heft_schema *schema, heft_glances *s, const heft_text_cell *cells)
{
    s->n_numeric = 0;
    for (size_t j = 0; j < s->n; j++) {
        if (s->columns[j].odd) continue;
        (void)heft_glance_cell(schema, &s->columns[j], &cells[j]);
        s->n_numeric += !s->columns[j].odd;
    }
}

void heft_glance_row(const heft_schema *schema, heft_glances *s, const heft_text_cell *cells)
{
    order o = no_order;
    if (s->n_rows++ >= HEFT_MANY_RECORDS) {
        glance_numbers(schema, s, cells);
        return;
    }
    for (size_t j = 0; j < s->n; j++) {
        heft_glance *g = &s->columns[j];
        const double x = heft_glance_cell(schema, g, &cells[j]);
        if (s->n_rows == 1) g->next = cells[j];
        else g->recurs = g->recurs || same_cell(&cells[j], &g->next);
        if (!isnan(g->x)) order_add(&o, x);
    }
    s->rising = s->rising || o.rising;
    s->falling = s->falling || o.falling;
    s->even = s->even || (o.even && (o.rising || o.falling));
}

/* ---- words ---- */

/* Over a column of numbers a word is evidence for a header and a number is evidence against it; a ?
 * is never a name, and an empty cell or another mark of missing values is no evidence. Without
 * columns of numbers the first record is a header where most of its words are new to columns whose
 * values occur again and again; where no column is like that, unless all words occur again below.
 */
static bool is_header_of_words(const heft_schema *schema, const heft_glances *s)
{
    size_t names = 0, numbers = 0, shared = 0, fresh = 0;
    bool   repeated = true;
    for (size_t j = 0; j < s->n; j++) {
        const heft_glance *g = &s->columns[j];
        const bool         number = !isnan(g->x);
        if (g->first.length == 1 && *g->first.text == '?') return false;
        numbers += number;
        if (number || heft_is_missing(schema, HEFT_NUMERIC, &g->first)) continue;
        names += g->number && !g->odd;
        shared += g->recurs;
        fresh += g->recurs && !g->repeated;
        repeated = repeated && g->repeated;
    }
    if (names + numbers > 0) return names > numbers;
    return shared > 0 ? 2 * fresh > shared : !repeated;
}

/* ---- numbers ---- */

/* Whether the number in the first record does not fit the cells below. */
static bool is_unlike(const heft_glance *g)
{
    if (!g->number) return g->odd;
    if (g->x < g->lo || g->x > g->hi) return true;
    if (g->first.quoted && !g->quoted) return true;
    return has_point(&g->first) ? !g->point : !g->bare;
}

/* Whether the first cell is one that no row has, though rows share values or are numbers. */
static bool is_fresh(const heft_glance *g)
{
    return !g->repeated && (g->recurs || (isnan(g->x) && g->number && !g->odd));
}

/* Numbers are names of columns where they count 0, 1, 2, ..., as pandas does. Other numbers need
 * two signs, in a short file three: they go up or down as those of no row do; at least half of them
 * do not fit the cells below; a word beside them, or the cell of the class, is one that no row has;
 * the first cell is empty and no row has that. A name of the class is enough by itself: "class", a
 * word over classes that are numbers, or in a long file a word that no row has. What speaks against
 * a header: a word, or half of the numbers, that occur again below; an empty or missing cell. The
 * limits were chosen such that of 10,000 samples of 40 to 1000 rows from real tables without a
 * header none is mistaken, and of 3,500 samples of 21 rows less than one in a thousand. */
static bool is_header_of_numbers(const heft_schema *schema, const heft_glances *s, size_t target)
{
    enum { LEAST = 4, SHORT = 20, MIDDLE = 50, LONG = 100 }; /* rows */
    size_t numbers = 0, words = 0, repeated = 0, unlike = 0;
    bool   counted = true, fresh = false, named = false, indexed = false;
    order  o = no_order;
    for (size_t j = 0; j < s->n; j++) {
        const heft_glance *g = &s->columns[j];
        if (g->first.length == 0 && numbers + words == 0) {
            indexed = indexed || !g->repeated;
            continue;
        }
        if (heft_is_missing(schema, HEFT_NUMERIC, &g->first)) return false;
        if ((isnan(g->x) || j == target) && is_fresh(g)) fresh = true;
        if (isnan(g->x)) {
            if (g->repeated) return false;
            if (j == target)
                named = is_word(&g->first, "class") ||
                        (is_fresh(g) && s->n_rows >= (g->odd ? LONG : SHORT));
            words++;
            continue;
        }
        char next[24];
        snprintf(next, sizeof next, "%zu", numbers);
        counted = counted && g->first.length == strlen(next) &&
                  memcmp(g->first.text, next, g->first.length) == 0;
        numbers++;
        repeated += g->repeated;
        unlike += is_unlike(g);
        order_add(&o, g->x);
    }
    if (named && numbers > 0) return true;
    if (numbers < 2 || numbers + words < 3 || 2 * repeated >= numbers) return false;
    const bool even = o.even && numbers > 2 && (o.rising || o.falling) && !s->even;
    const bool ordered = even || (o.rising && !s->rising) || (o.falling && !s->falling);
    const int  signs = ordered + (2 * unlike >= numbers) + fresh + indexed;
    const int  needed = s->n_rows < (words ? SHORT : MIDDLE) ? 3 : 2;
    return counted || (s->n_rows >= LEAST && signs >= needed);
}

/* ---- names that are known ---- */

/* Finds the column of the class if the first record is a header; SIZE_MAX: it is not there. */
static size_t find_target(const heft_schema *schema, const heft_glances *s)
{
    const char *name = schema->how->target && *schema->how->target ? schema->how->target : NULL;
    size_t      lo, hi;
    for (size_t j = 0; j < s->n; j++)
        if (is_word(&s->columns[j].first, name ? name : "class")) return j;
    if (!name) return s->n - 1;
    return heft_column_range(name, s->n, &lo, &hi) && lo == hi ? lo : SIZE_MAX;
}

/* Whether the first record has the name that the caller gives the class, and no row has it. */
static bool names_target(const heft_schema *schema, const heft_glances *s, size_t target)
{
    const heft_glance *g = target < s->n ? &s->columns[target] : NULL;
    return g && schema->how->target && g->first.length && isnan(g->x) && !g->repeated &&
           is_word(&g->first, schema->how->target);
}

/* Whether no two names are the same, and most of those that a model expects are there. */
static heft_status compare_names(heft_ctx *ctx, const heft_schema *schema, const heft_glances *s,
                                 bool *distinct, bool *expected)
{
    HEFT_OWN(heft_dict) *names = NULL;
    size_t               n = 0, found = 0;
    uint32_t             code;
    const size_t         n_expected = schema->expect ? schema->expect->n : 0;
    HEFT_CHECK(heft_dict_create(ctx, &names));
    for (size_t j = 0; j < s->n; j++) {
        const heft_text_cell *cell = &s->columns[j].first;
        if (cell->length == 0) continue;
        HEFT_CHECK(heft_dict_add(ctx, names, cell->text, cell->length, &code));
        n++;
    }
    for (size_t i = 0; i < n_expected; i++) {
        const char *name = schema->expect->names[i];
        found += heft_dict_find(names, name, strlen(name)) != HEFT_DICT_NONE;
    }
    *distinct = heft_dict_size(names) == n;
    *expected = 2 * found > n_expected;
    return HEFT_OK;
}

heft_status heft_find_header(heft_ctx *ctx, const heft_schema *schema, const heft_glances *s,
                             heft_header *out)
{
    const size_t target = find_target(schema, s);
    bool         distinct, expected;
    HEFT_CHECK(compare_names(ctx, schema, s, &distinct, &expected));
    *out = HEFT_HEADER_NONE;
    if (expected || is_header_of_words(schema, s)) *out = HEFT_HEADER_WORDS;
    if (*out || schema->expect || !distinct) return HEFT_OK; /* a model knows its names */
    if (names_target(schema, s, target)) *out = HEFT_HEADER_WORDS;
    else if (is_header_of_numbers(schema, s, target)) *out = HEFT_HEADER_NUMBERS;
    return HEFT_OK;
}

/* ---- columns without a name ---- */

/* Empty, or as pandas calls such a column when it reads and writes a file: "Unnamed: 0",
 * "Unnamed: 0.1", "Unnamed: 0_level_0". */
static bool is_unnamed(const heft_text_cell *name)
{
    static const char by_pandas[] = "Unnamed: ", level[] = "_level_";
    const size_t      n = strlen(by_pandas), n_level = strlen(level);
    if (name->length == 0) return true;
    if (name->length <= n || memcmp(name->text, by_pandas, n) != 0) return false;
    for (size_t k = n; k < name->length; k++) {
        const char c = name->text[k];
        if ((c >= '0' && c <= '9') || (c == '.' && k > n)) continue;
        if (k == n || name->length - k <= n_level || memcmp(name->text + k, level, n_level) != 0)
            return false;
        k += n_level - 1;
    }
    return true;
}

size_t heft_count_unnamed(const heft_glances *s)
{
    size_t n = 0;
    while (n < s->n && is_unnamed(&s->columns[n].first)) n++;
    return n;
}
