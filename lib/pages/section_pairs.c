/* section_pairs.c - the strongest pairs of attributes as heat maps: what two values say together,
 * beside what each says alone. */
#include <math.h>
#include <stdio.h>

#include "pages/page.h"
#include "prep/numbers.h"

enum { SHOWN = 4, CELLS = 10 };

typedef struct axis { /* the lines of one attribute that are shown */
    size_t   j, n, all;
    uint32_t line[CELLS];
} axis;

typedef struct map {
    const heft_page *p;
    size_t           k;    /* the interaction */
    axis             a, b; /* down, across */
    size_t           c;    /* more classes: the class shown */
    double           most;
    double           at[CELLS][CELLS];
} map;

/* Chooses the lines that are shown, evenly spaced; for numbers they are the intervals between cuts.
 */
static void choose_lines(const heft_page *p, size_t j, axis *out)
{
    const heft_term *term = &p->t.attr[j];
    out->j = j;
    out->all = term->numeric ? term->n_cuts + 1 : term->n_codes;
    out->n = out->all < CELLS ? out->all : CELLS;
    for (size_t i = 0; i < out->n; i++)
        out->line[i] = (uint32_t)(((double)i + 0.5) * (double)out->all / (double)out->n);
}

/* Writes the text of a line: a value, an interval, or up to which cut the numbers reach. */
static void put_line(const heft_page *p, const axis *x, size_t i, const char *element)
{
    const heft_term      *term = &p->t.attr[x->j];
    const heft_attr_prep *a = &p->model->prep.attr[x->j];
    const uint32_t        line = x->line[i];
    char                  text[256];
    heft_put(p->out, "<%s><span>", element);
    if (!term->numeric)
        heft_put(p->out, "<bdi>%200h</bdi>",
                 heft_prep_value(&p->model->prep, x->j, line, text, sizeof text));
    else if (!term->n_cuts) heft_put(p->out, "any");
    else if (line < term->n_cuts)
        heft_put(p->out, "<span class=\"num\">&le;&thinsp;%3g</span>",
                 term->cuts[line] / a->factor + a->shift);
    else
        heft_put(p->out, "<span class=\"num\">&gt;&thinsp;%3g</span>",
                 term->cuts[line - 1] / a->factor + a->shift);
    heft_put(p->out, "</span></th>");
}

/* Finds the evidence of every cell shown; with more than two classes for the one about which the
 * pair says most. */
static heft_status fill_map(map *g)
{
    const heft_page *p = g->p;
    uint32_t        *line;
    double          *joint, *v, *size, *all;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, line, p->n_attr);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, joint, p->t.interactions.n * p->t.n_columns);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, all, CELLS * CELLS * p->K);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->K, v, size);
    for (size_t j = 0; j < p->n_attr; j++) line[j] = p->t.attr[j].missing;
    for (size_t i = 0; i < g->a.n * g->b.n; i++) {
        line[g->a.j] = g->a.line[i / g->b.n];
        line[g->b.j] = g->b.line[i % g->b.n];
        for (size_t k = 0; k < p->t.n_columns; k++) joint[g->k * p->t.n_columns + k] = 0;
        heft_terms_together(&p->t, line, g->k, joint);
        heft_terms_spread(&p->t, joint + g->k * p->t.n_columns, v);
        heft_calibrate_lines(&p->model->calibration, 1, p->K, v);
        for (size_t c = 0; c < p->K; c++) {
            all[i * p->K + c] = p->K == 2 ? v[p->one] - v[p->zero] : v[c];
            size[c] += fabs(v[c]);
        }
    }
    for (size_t c = 0; c < p->K; c++)
        if (size[c] > size[g->c]) g->c = c;
    for (size_t i = 0; i < g->a.n * g->b.n; i++) {
        const double x = all[i * p->K + g->c];
        g->at[i / g->b.n][i % g->b.n] = x;
        g->most = fmax(g->most, fabs(x));
    }
    return HEFT_OK;
}

/* Returns the class whose colour shows evidence for it, or against it. */
static size_t side_of(const map *g, double x)
{
    return g->p->K > 2 ? g->c : x > 0 ? g->p->one : g->p->zero;
}

static void put_key(const map *g)
{
    const heft_page *p = g->p;
    heft_put(p->out, "<p class=\"key\">");
    for (int k = -2; k <= 2; k++) {
        const double x = g->most * k / 2;
        if (k < 0 && p->K > 2) heft_put(p->out, "<span><span class=\"cell against\"");
        else heft_put(p->out, "<span><span class=\"cell b%z\"", side_of(g, x) % HEFT_HTML_COLOURS);
        heft_put(p->out, " style=\"--o:%2f\"></span> %s%2g</span>", fabs(k / 2.0), k > 0 ? "+" : "",
                 x);
    }
    heft_put(p->out,
             p->K == 2 ? "<span>log-odds for <bdi>%200h</bdi> against <bdi>%200h</bdi></span></p>"
                       : "<span>evidence for <bdi>%200h</bdi>%s; grey is against it</span></p>",
             p->classes[p->K == 2 ? p->one : g->c], p->K == 2 ? p->classes[p->zero] : "");
}

static void put_map(const map *g, const char *id)
{
    const heft_page *p = g->p;
    heft_put(p->out,
             "<figure><figcaption><bdi>%200h</bdi> (down) and <bdi>%200h</bdi> (across)"
             "</figcaption>\n<div class=\"scroll\"><table class=\"heat fit\" id=\"%s\">\n"
             "<tr><th></th>",
             heft_attr_name(&p->t, g->a.j), heft_attr_name(&p->t, g->b.j), id);
    for (size_t i = 0; i < g->b.n; i++) put_line(p, &g->b, i, "th scope=\"col\" class=\"up turn\"");
    heft_put(p->out, "</tr>\n");
    for (size_t i = 0; i < g->a.n; i++) {
        heft_put(p->out, "<tr>");
        put_line(p, &g->a, i, "th scope=\"row\"");
        for (size_t k = 0; k < g->b.n; k++) {
            const double x = g->at[i][k];
            if (x < 0 && p->K > 2) heft_put(p->out, "<td class=\"cell against\"");
            else heft_put(p->out, "<td class=\"cell b%z\"", side_of(g, x) % HEFT_HTML_COLOURS);
            heft_put(p->out, " style=\"--o:%2f\" title=\"%3g\"></td>",
                     g->most > 0 ? fabs(x) / g->most : 0, x);
        }
        heft_put(p->out, "</tr>\n");
    }
    heft_put(p->out, "</table></div>\n");
    put_key(g);
    if (g->a.n < g->a.all || g->b.n < g->b.all)
        heft_put(p->out, "<p>A selection of the values is shown.</p>\n");
    heft_put(p->out, "</figure>\n");
}

heft_status heft_section_pairs(const heft_page *p)
{
    const size_t n = p->t.interactions.n_pairs < SHOWN ? p->t.interactions.n_pairs : SHOWN;
    char         id[40];
    if (!p->additive || !n) return HEFT_OK;
    heft_html_section(p->out, "together", "Pairs of attributes",
                      "What two values add together, beside what each of them adds alone: the "
                      "strongest pairs. Strong colours are strong evidence.");
    for (size_t k = 0; k < n; k++) {
        HEFT_SCRATCH_SCOPE(p->ctx);
        map                     g = {.p = p, .k = p->t.interactions.strongest[k]};
        const heft_interaction *of = &p->t.interactions.list[g.k];
        choose_lines(p, of->attr[0], &g.a);
        choose_lines(p, of->attr[1], &g.b);
        HEFT_CHECK(fill_map(&g));
        snprintf(id, sizeof id, "pair-%zu", k);
        put_map(&g, id);
    }
    heft_html_section_end(p->out);
    return HEFT_OK;
}
