/* compare_measures.c - the measures of a comparison's page, ranks by each of them, and the parts
 * that its plots share. */
#include <math.h>
#include <stdio.h>

#include "pages/compare.h"

const char *heft_compare_title(size_t k)
{
    return k ? heft_measures_at(k - 1)->title : "accuracy, %";
}

bool heft_compare_higher(size_t k)
{
    return k == 0 || heft_measures_at(k - 1)->higher_is_better;
}

int heft_compare_decimals(size_t k)
{
    return k ? heft_measures_at(k - 1)->decimals : 2;
}

double heft_compare_value(const heft_cell *cell, size_t k)
{
    if (cell->failure) return (double)NAN;
    return k ? cell->measures[k - 1] : 100 * cell->accuracy;
}

bool heft_compare_interval(const heft_cell *cell, size_t k, double *low, double *high)
{
    if (cell->failure || !cell->intervals) return false;
    *low = cell->intervals[2 * k] * (k ? 1 : 100);
    *high = cell->intervals[2 * k + 1] * (k ? 1 : 100);
    return isfinite(*low) && isfinite(*high);
}

bool heft_compare_best(const heft_compare *g, size_t d, size_t m, size_t k)
{
    const double sign = heft_compare_higher(k) ? 1 : -1;
    const double own = sign * heft_compare_value(heft_cell_of(g->r, d, m), k);
    if (g->r->n_method < 2 || isnan(own)) return false;
    for (size_t other = 0; other < g->r->n_method; other++)
        if (sign * heft_compare_value(heft_cell_of(g->r, d, other), k) > own + HEFT_SAME)
            return false;
    return true;
}

heft_status heft_compare_rank(const heft_compare *g, size_t k, heft_places *p)
{
    HEFT_CHECK(heft_places_find(g->ctx, g->r, &g->s, k, p));
    if (k == 0)
        for (size_t m = 0; m < g->r->n_method; m++) p->of[m].value *= 100;
    return HEFT_OK;
}

/* ---- parts ---- */

void heft_compare_by(const heft_compare *g, const char *element, size_t k)
{
    heft_put(g->out, "<%s class=\"by\" data-m=\"%s\"%s>", element, heft_drawn_name(k),
             k ? " hidden" : "");
}

const char *heft_compare_id(char own[HEFT_COMPARE_ID], const char *id, size_t k)
{
    snprintf(own, HEFT_COMPARE_ID, k ? "%s-%s" : "%s", id, heft_drawn_name(k));
    return own;
}

void heft_compare_figure(const heft_compare *g, size_t k, const char *caption, ...)
{
    va_list args;
    HEFT_SIDE_TEXT(text, g->out);
    va_start(args, caption);
    heft_vput(&text, caption, args);
    va_end(args);
    heft_compare_by(g, "figure", k);
    heft_put(g->out, "<figcaption>%200h</figcaption>\n", heft_buf_string(&text));
}

void heft_compare_sign(const heft_compare *g, size_t m)
{
    heft_put(g->out, "<i class=\"%s%z\"></i>", m < HEFT_HTML_COLOURS ? "b" : "ring t",
             m % HEFT_HTML_COLOURS);
}

void heft_compare_number(const heft_compare *g, const char *tag, double x, int decimals)
{
    heft_put(g->out, "%s", tag);
    if (isfinite(x)) heft_buf_fixed(g->out, x, decimals);
    heft_put(g->out, "</td>");
}

void heft_compare_legend(const heft_compare *g)
{
    if (g->n_method < 2) return;
    heft_put(g->out, "<p class=\"chips\">");
    for (size_t m = 0; m < g->n_method; m++) {
        heft_put(g->out, "<span class=\"chip\">");
        heft_compare_sign(g, m);
        heft_put(g->out, "<bdi>%100h</bdi></span> ", g->r->methods[m]);
    }
    heft_put(g->out, "</p>\n");
}

void heft_compare_dot(const heft_compare *g, size_t m, double x, double y, double radius,
                      const char *place, double value)
{
    char style[32];
    snprintf(style, sizeof style, "%s%zu", m < HEFT_HTML_COLOURS ? "c" : "ring l",
             m % HEFT_HTML_COLOURS);
    heft_svg_dot(g->out, style, x, y, radius, "%60q%s%100q: %4g", g->r->methods[m],
                 *place ? ", " : "", place, value);
}

void heft_compare_widen(heft_scale *s, size_t k)
{
    const double most = k ? heft_measures_at(k - 1)->most : 100;
    const double least = k ? heft_measures_at(k - 1)->least : 0;
    const double add = fmax((s->hi - s->lo) * 0.08, k ? 0.02 : 0.5);
    s->lo = fmax(s->lo - add, fmin(least, s->lo));
    s->hi = fmin(s->hi + add, fmax(floor(most), s->hi));
    if (!isfinite(s->hi)) s->hi = s->lo + 1;
}
