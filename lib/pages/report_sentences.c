/* report_sentences.c - what a model says, in sentences made from its terms: of the attributes that
 * matter most, the two values that speak most differently, and how many times as high the odds of a
 * class are with one as with the other. */
#include <math.h>

#include "pages/page.h"

enum { CANDIDATES = 40 };
static const double OFTEN = 0.01; /* least share of the rows with a value that is named */
static const double WORTH = 0.18; /* least log-odds that a sentence is worth: 1.2 times */

typedef struct contrast { /* the log-odds of class a against b are higher by `odds` with `with` */
    size_t a, b;
    double with, than, odds;
} contrast;

/* Finds the values that may be named: frequent ones, or numbers that occur. */
static heft_status find_values(const heft_page *p, size_t j, double *raw, size_t *n)
{
    heft_value_spread s;
    bool              all;
    *n = 0;
    HEFT_CHECK(heft_page_spread(p, j, &s));
    if (heft_page_number(p, j) && s.m) {
        const size_t some = heft_page_occurring(&s, CANDIDATES, raw, &all);
        for (size_t k = 0; k < some; k++)
            if (raw[k] >= s.lo && raw[k] <= s.hi) raw[(*n)++] = raw[k];
    } else if (heft_page_number(p, j)) {
        for (; *n < 9; ++*n) raw[*n] = s.lo + (s.hi - s.lo) * (double)*n / 8;
    } else if (s.share) {
        for (size_t v = 0; v < s.n && *n < CANDIDATES; v++)
            if (s.share[v] >= OFTEN) raw[(*n)++] = (double)v;
    }
    return HEFT_OK;
}

/* Looks for the class whose evidence differs most between two values, and the class against which
 * that is most. at: n x K. */
static contrast find_contrast(const heft_page *p, const double *raw, const double *at, size_t n)
{
    const size_t K = p->K;
    contrast     best = {.odds = 0};
    size_t       hi = 0, lo = 0;
    double       widest = 0;
    for (size_t c = 0; c < K; c++) {
        size_t most = 0, least = 0;
        if (K == 2 && c != p->one) continue;
        for (size_t i = 0; i < n; i++) {
            if (at[i * K + c] > at[most * K + c]) most = i;
            if (at[i * K + c] < at[least * K + c]) least = i;
        }
        const double range = at[most * K + c] - at[least * K + c];
        if (range > widest) widest = range, best.a = c, hi = most, lo = least;
    }
    if (!(widest > 0)) return best;
    for (size_t c = 0; c < K; c++) {
        const double odds =
            (at[hi * K + best.a] - at[hi * K + c]) - (at[lo * K + best.a] - at[lo * K + c]);
        if (c == best.a || !isfinite(p->t.start[c]) || !isfinite(odds) || odds <= best.odds)
            continue;
        best = (contrast){best.a, c, raw[hi], raw[lo], odds};
    }
    return best;
}

static heft_status value_text(const heft_page *p, size_t j, double raw, const char **out)
{
    char text[256], *copy;
    HEFT_SIDE_TEXT(number, p->out);
    heft_put(&number, "%4g", raw);
    HEFT_CHECK(
        heft_arena_copy(p->ctx, &p->ctx->scratch,
                        heft_page_number(p, j)
                            ? heft_buf_string(&number)
                            : heft_prep_value(&p->model->prep, j, (uint32_t)raw, text, sizeof text),
                        &copy));
    *out = copy;
    return HEFT_OK;
}

/* How many times as high the odds are; nobody can picture more than a thousand times. */
static heft_status times_text(const heft_page *p, double odds, const char **out)
{
    const double times = exp(fmin(odds, 10)), unit = times < 100 ? 1 : 10;
    char        *copy;
    HEFT_SIDE_TEXT(text, p->out);
    if (times > 1000) heft_put(&text, " are more than 1,000 times as high as with ");
    else if (times < 10) heft_put(&text, " are %2g times as high as with ", times);
    else heft_put(&text, " are about %3g times as high as with ", nearbyint(times / unit) * unit);
    HEFT_CHECK(heft_arena_copy(p->ctx, &p->ctx->scratch, heft_buf_string(&text), &copy));
    *out = copy;
    return HEFT_OK;
}

/* Whether what the attribute says depends on other attributes too. */
static bool interacts(const heft_page *p, size_t j)
{
    for (size_t k = 0; k < p->t.interactions.n; k++)
        for (size_t m = 0; m < p->t.interactions.list[k].n; m++)
            if (p->t.interactions.list[k].attr[m] == j) return true;
    return false;
}

static heft_status make_sentence(const heft_page *p, size_t j, const contrast *c, heft_sentence *s)
{
    const char *name = p->model->prep.attr[j].name, *with, *than, *times;
    HEFT_CHECK(value_text(p, j, c->with, &with));
    HEFT_CHECK(value_text(p, j, c->than, &than));
    HEFT_CHECK(times_text(p, c->odds, &times));
    *s = (heft_sentence){.j = j,
                         .part = {interacts(p, j) ? "On average, with " : "With ", name, " = ",
                                  with, ", the odds of ", p->classes[c->a], times, name, " = ",
                                  than, "."}};
    if (p->K == 2) {
        s->n = 11;
        return HEFT_OK;
    }
    s->n = 13;
    for (size_t k = 12; k >= 8; k--) s->part[k] = s->part[k - 2];
    s->part[6] = " against ";
    s->part[7] = p->classes[c->b];
    return HEFT_OK;
}

heft_status heft_page_sentences(heft_page *p)
{
    double raw[CANDIDATES], *at;
    if (!p->additive || p->model->prep.spec.scaling == HEFT_SCALE_UNIT) return HEFT_OK;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, at, CANDIDATES * p->K);
    for (size_t k = 0; k < p->n_attr && p->said.n < HEFT_SENTENCES && k < 3 * HEFT_SENTENCES; k++) {
        const size_t j = p->rank[k];
        size_t       n;
        HEFT_CHECK(find_values(p, j, raw, &n));
        if (n < 2) continue;
        for (size_t i = 0; i < n; i++) heft_page_value(p, j, raw[i], at + i * p->K);
        const contrast c = find_contrast(p, raw, at, n);
        if (c.odds >= WORTH) HEFT_CHECK(make_sentence(p, j, &c, &p->said.list[p->said.n++]));
    }
    return HEFT_OK;
}

void heft_report_sentences(const heft_page *p)
{
    heft_json_open(p->out, "sentences", '[');
    for (size_t k = 0; k < p->said.n; k++) {
        const heft_sentence *s = &p->said.list[k];
        heft_json_open(p->out, NULL, '{');
        heft_json_parts(p->out, s->part, s->n);
        heft_json_sizes(p->out, "attributes", &p->bounds.place[s->j], 1);
        heft_json_close(p->out, '}');
    }
    heft_json_close(p->out, ']');
}
