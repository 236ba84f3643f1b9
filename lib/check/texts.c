/* texts.c - what the values of a nominal column look like: numbers in another notation, dates, free
 * text. */
#include <string.h>

#include "base/put.h"
#include "check/check.h"

enum { MOST_LOOKED_AT = 1000 };

/* ---- one value ---- */

typedef enum form {
    FORM_OTHER,
    FORM_NUMBER,    /* as heft reads it */
    FORM_COMMA,     /* 1,5 */
    FORM_EITHER,    /* 1,234: a decimal comma, or thousands */
    FORM_THOUSANDS, /* 1,234.5 or 1.234.567 */
    FORM_CURRENCY,
    FORM_PERCENT,
    FORM_DATE,
    FORM_POINT, /* 1.5, and the decimal mark is another one */
    N_FORMS
} form;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(const char *p, const char *end)
{
    const char *from = p;
    while (p < end && is_digit(*p)) p++;
    return (size_t)(p - from);
}

/* A number of 1 to `most` digits at *p, which moves behind it; -1: there is none. */
static int take_digits(const char **p, const char *end, size_t most)
{
    const size_t n = digits(*p, end);
    int          x = 0;
    if (n == 0 || n > most) return -1;
    for (size_t k = 0; k < n; k++) x = 10 * x + (*p)[k] - '0';
    *p += n;
    return x;
}

/* 12:30, 12:30:59, 12:30:59.5, and a Z or an offset behind it. */
static bool is_time(const char *p, const char *end)
{
    const int hour = take_digits(&p, end, 2);
    if (hour < 0 || hour > 24 || p == end || *p != ':') return false;
    for (int k = 0; k < 2 && p < end && *p == ':'; k++) {
        p++;
        const int part = take_digits(&p, end, 2);
        if (part < 0 || part > 60) return false;
    }
    if (p < end && (*p == '.' || *p == ',')) p += 1 + digits(p + 1, end);
    if (p < end && *p == ' ') p++;
    if (end - p == 2 && (*p | 32) >= 'a' && (p[1] | 32) == 'm') return true; /* am, pm */
    if (p < end && (*p == 'Z' || *p == 'z')) p++;
    else if (p < end && (*p == '+' || *p == '-')) {
        p++;
        p += digits(p, end);
        if (p < end && *p == ':') p += 1 + digits(p + 1, end);
    }
    return p == end;
}

static bool is_month_name(const char *p, const char *end)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    if (end - p >= 3)
        for (size_t k = 0; k < 36; k += 3)
            if ((p[0] | 32) == names[k] && (p[1] | 32) == names[k + 1] &&
                (p[2] | 32) == names[k + 2])
                return true;
    return false;
}

/* The parts between marks: 2024-01-31, 31.1.24, 1/31/2024, 31 Jan 2024, Jan 31, 2024; a time may
 * follow. */
static bool is_date(const char *p, const char *end)
{
    int  part[3];
    bool name = false;
    for (int k = 0; k < 3; k++) {
        const char *from = p;
        part[k] = take_digits(&p, end, 4);
        if (part[k] < 0 && !name && k < 2 && is_month_name(p, end)) {
            while (p < end && (*p | 32) >= 'a' && (*p | 32) <= 'z') p++;
            part[k] = 1;
            name = true;
        }
        if (part[k] < 0 || (k == 1 && p - from > 2 && !name)) return false;
        if (k == 2) break;
        if (p < end && *p == ',') p++;
        if (p == end || !memchr("-/. ", *p, 4)) return false;
        p++;
    }
    const bool year_first = part[0] > 31, day_first = part[0] >= 1 && part[0] <= 31;
    if (!year_first && !day_first) return false;
    if (part[1] < 1 || part[1] > 31 || (year_first && part[1] > 12)) return false;
    if (!name && !year_first && part[0] > 12 && part[1] > 12) return false;
    if (year_first && (part[2] < 1 || part[2] > 31 || part[0] < 1000)) return false;
    if (p == end) return true;
    if (*p == 'T' || *p == ' ' || *p == ',') p++;
    if (p < end && *p == ' ') p++;
    return is_time(p, end);
}

/* Behind the sign of a currency at p, or p. */
static const char *skip_currency(const char *p, const char *end)
{
    static const char *const signs[] = {"$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5",
                                        "USD", "EUR",          "GBP",      "CHF"};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        const size_t n = strlen(signs[k]);
        if ((size_t)(end - p) >= n && memcmp(p, signs[k], n) == 0) return p + n;
    }
    return p;
}

/* Digits in groups of three, marked by commas, points, apostrophes or blanks; another mark may be
 * the decimal one. */
static form grouped(const char *p, const char *end)
{
    const char  *from = p;
    const size_t n = digits(p, end);
    size_t       groups = 0;
    if (n == 0) return FORM_OTHER;
    p += n;
    if (p == end) return FORM_NUMBER;
    const char mark = *p;
    if (!memchr(",.' ", mark, 4)) return FORM_OTHER;
    const size_t after = digits(p + 1, end);
    if (mark == ',' && p + 1 + after == end && after > 0 && (after != 3 || n > 3 || *from == '0'))
        return FORM_COMMA;
    if (mark == ',' && p + 1 + after == end && after == 3) return FORM_EITHER;
    if (n > 3) return FORM_OTHER;
    for (; p < end && *p == mark; p += 4, groups++)
        if (digits(p + 1, end) != 3) return FORM_OTHER;
    if (groups == 0) return FORM_OTHER;
    if (p < end && (*p == '.' || *p == ',') && *p != mark) p += 1 + digits(p + 1, end);
    return p == end ? FORM_THOUSANDS : FORM_OTHER;
}

static form form_of(const char *p, size_t length, char mark_used)
{
    double      x;
    const char *end = p + length;
    form        mark = FORM_OTHER;
    while (p < end && *p == ' ') p++;
    while (end > p && end[-1] == ' ') end--;
    if (p == end) return FORM_OTHER;
    if (heft_parse_marked(mark_used, p, end, &x) != HEFT_NUM_NOT) return FORM_NUMBER;
    if (mark_used != '.' && heft_parse_double(p, end, &x) != HEFT_NUM_NOT) return FORM_POINT;
    if (is_date(p, end) || is_time(p, end)) return FORM_DATE;
    if (*p == '-' || *p == '+') p++;
    const char *bare = skip_currency(p, end);
    if (bare > p) mark = FORM_CURRENCY;
    else if (end - p > 1 && end[-1] == '%') mark = FORM_PERCENT, end--;
    else
        for (const char *back = end; !mark && back > p && end - back < 4;) {
            back--;
            if (skip_currency(back, end) == end) mark = FORM_CURRENCY, end = back;
        }
    p = bare;
    while (p < end && *p == ' ') p++;
    while (end > p && end[-1] == ' ') end--;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const form number =
        p < end && heft_parse_double(p, end, &x) != HEFT_NUM_NOT ? FORM_NUMBER : grouped(p, end);
    return number == FORM_OTHER || !mark ? number : mark;
}

/* ---- all values ---- */

static size_t words(const char *text)
{
    size_t n = 0;
    for (bool inside = false; *text; text++) {
        const bool letter = *text != ' ' && *text != '\t' && *text != '\n';
        n += letter && !inside;
        inside = letter;
    }
    return n;
}

typedef struct tally {
    size_t   n, of[N_FORMS]; /* values looked at, and by form */
    uint32_t first[N_FORMS]; /* the first one of the form */
    double   length, words;  /* bytes and words of all values together */
} tally;

/* At most MOST_LOOKED_AT values, evenly spaced. */
static void tally_values(const heft_dict *dict, char mark, tally *t)
{
    const size_t n = heft_dict_size(dict), step = n / MOST_LOOKED_AT + 1;
    for (size_t v = 0; v < n; v += step) {
        const uint32_t code = (uint32_t)v;
        const form     f = form_of(heft_dict_text(dict, code), heft_dict_length(dict, code), mark);
        if (t->of[f]++ == 0) t->first[f] = code;
        t->length += (double)heft_dict_length(dict, code);
        t->words += (double)words(heft_dict_text(dict, code));
        t->n++;
    }
}

bool heft_is_word(const heft_dict *dict, uint32_t v, char mark)
{
    const char *text = heft_dict_text(dict, v);
    double      x;
    return heft_parse_marked(mark, text, text + heft_dict_length(dict, v), &x) == HEFT_NUM_NOT;
}

/* Whether at least one and at most MOST_WORDS values are no numbers. *example is the first of them.
 */
static bool has_few_words(const heft_dict *dict, char mark, uint32_t *example)
{
    enum { MOST_WORDS = 5 };
    size_t n = 0;
    for (uint32_t v = 0; v < heft_dict_size(dict) && n <= MOST_WORDS; v++)
        if (heft_is_word(dict, v, mark) && n++ == 0) *example = v;
    return n > 0 && n <= MOST_WORDS;
}

heft_looks heft_values_look(const heft_dict *dict, char mark, uint32_t *example)
{
    enum {
        LEAST_VALUES = 3,
        LEAST_DATES = 10,
        LEAST_TEXTS = 20,
        LONG = 30,
        WORDS = 4,
        NUMBERS = 20
    };
    tally t = {0};
    *example = 0;
    if (heft_dict_size(dict) < LEAST_VALUES) return HEFT_LOOKS_PLAIN;
    tally_values(dict, mark, &t);
    const double n = (double)t.n;
    const size_t either = t.of[FORM_EITHER], comma = t.of[FORM_COMMA];
    const size_t thousands = t.of[FORM_THOUSANDS];
    const size_t marked = t.of[FORM_CURRENCY] + t.of[FORM_PERCENT];
    const size_t odd = either + comma + thousands + marked;
    if ((double)t.of[FORM_DATE] >= 0.9 * n && heft_dict_size(dict) >= LEAST_DATES) {
        *example = t.first[FORM_DATE];
        return HEFT_LOOKS_DATE;
    }
    if (t.of[FORM_POINT] > 0 && (double)(t.of[FORM_POINT] + t.of[FORM_NUMBER]) >= 0.95 * n) {
        *example = t.first[FORM_POINT];
        return HEFT_LOOKS_DECIMAL_POINT;
    }
    if (t.of[FORM_NUMBER] >= NUMBERS && (double)t.of[FORM_NUMBER] >= 0.8 * n &&
        has_few_words(dict, mark, example))
        return HEFT_LOOKS_MIXED;
    if ((double)(odd + t.of[FORM_NUMBER]) >= 0.95 * n && (double)odd >= 0.1 * n) {
        static const struct { /* the first form that some value has says what all look like */
            form       form;
            heft_looks looks;
        } order[] = {{FORM_CURRENCY, HEFT_LOOKS_CURRENCY},
                     {FORM_PERCENT, HEFT_LOOKS_PERCENT},
                     {FORM_COMMA, HEFT_LOOKS_DECIMAL_COMMA},
                     {FORM_THOUSANDS, HEFT_LOOKS_THOUSANDS},
                     {FORM_EITHER, HEFT_LOOKS_THOUSANDS}};
        size_t k = 0;
        while (t.of[order[k].form] == 0) k++;
        *example = t.first[order[k].form];
        return order[k].looks;
    }
    if (heft_dict_size(dict) >= LEAST_TEXTS && t.length >= LONG * n && t.words >= WORDS * n)
        return HEFT_LOOKS_TEXT;
    return HEFT_LOOKS_PLAIN;
}

/* ---- spellings ---- */

enum { LONGEST = 64 };

/* 1: yes, true and the like, 2: no, false and the like, 0: another word. */
static int truth_of(const char *word)
{
    static const char *const words[] = {"y", "yes", "t", "true",  "1", "on",
                                        "n", "no",  "f", "false", "0", "off"};
    for (size_t k = 0; k < 12; k++)
        if (strcmp(word, words[k]) == 0) return k < 6 ? 1 : 2;
    return 0;
}

/* The text in small letters, without blanks at its ends; false: it is long or empty. */
static bool fold(const char *text, char out[LONGEST])
{
    size_t n = strlen(text);
    while (n && *text == ' ') text++, n--;
    while (n && text[n - 1] == ' ') n--;
    if (n == 0 || n >= LONGEST) return false;
    for (size_t k = 0; k < n; k++)
        out[k] = (char)(text[k] >= 'A' && text[k] <= 'Z' ? text[k] | 32 : text[k]);
    out[n] = 0;
    return true;
}

/* Which word every value is, HEFT_DICT_NONE for those without rows and for long ones. */
static heft_status fold_values(heft_ctx *ctx, const heft_dict *dict, const size_t *rows,
                               heft_dict *words, uint32_t *of)
{
    const size_t n_values = heft_dict_size(dict);
    char         word[LONGEST];
    bool         truths = true; /* the column has only words such as yes and no */
    for (uint32_t v = 0; v < n_values && truths; v++)
        truths = !rows[v] || (fold(heft_dict_text(dict, v), word) && truth_of(word));
    for (uint32_t v = 0; v < n_values; v++) {
        of[v] = HEFT_DICT_NONE;
        if (!rows[v] || !fold(heft_dict_text(dict, v), word)) continue;
        const char *as = !truths ? word : truth_of(word) == 1 ? "yes" : "no";
        HEFT_CHECK(heft_dict_add(ctx, words, as, strlen(as), &of[v]));
    }
    return HEFT_OK;
}

/* 'Y' (3), 'yes' (20) and 'Yes' (8): the n values that are this word. */
static void put_spellings(const heft_dict *dict, const size_t *rows, const uint32_t *of,
                          uint32_t word, size_t n, heft_buf *out)
{
    enum { NAMED = 6 };
    size_t k = 0;
    for (uint32_t v = 0; v < heft_dict_size(dict) && k < NAMED; v++)
        if (of[v] == word) {
            const char *before = k == 0 ? "" : k + 1 == n ? " and " : ", ";
            heft_put(out, "%s'%40q' (%z)", before, heft_dict_text(dict, v), rows[v]);
            k++;
        }
    if (n > k) heft_put(out, " and %z more", n - k);
}

heft_status heft_find_alike(heft_ctx *ctx, const heft_dict *dict, const size_t *rows, heft_buf *out,
                            size_t *n_words)
{
    enum { NAMED = 20 };
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_OWN(heft_dict) *words = NULL;
    const size_t         n_values = heft_dict_size(dict);
    uint32_t            *of;
    size_t              *n;
    *n_words = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n_values, of, n);
    HEFT_CHECK(heft_dict_create(ctx, &words));
    HEFT_CHECK(fold_values(ctx, dict, rows, words, of));
    for (size_t v = 0; v < n_values; v++)
        if (of[v] != HEFT_DICT_NONE) n[of[v]]++;
    for (uint32_t w = 0; w < heft_dict_size(words); w++) {
        if (n[w] < 2 || ++*n_words > NAMED) continue;
        if (*n_words > 1) heft_put(out, "; ");
        put_spellings(dict, rows, of, w, n[w], out);
    }
    if (*n_words > NAMED) heft_put(out, "; and so on");
    return HEFT_OK;
}
