/* report_pairs.c - the strongest pairs and triples of attributes in a report's document, and pairs
 * as heat maps: what two values say together, beside what each says alone. */
#include <math.h>

#include "pages/page.h"
#include "prep/numbers.h"

enum { LISTED = 10, MAPS = 6, CELLS = 10 };

typedef struct axis { /* the lines of one attribute that are shown */
    size_t   j, n, all;
    uint32_t line[CELLS];
} axis;

typedef struct map {
    const heft_page *p;
    size_t           k;    /* the interaction */
    axis             a, b; /* down, across */
    size_t           c;    /* more classes: the class shown */
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

/* Writes the texts of the lines: a value, an interval, or up to which cut the numbers reach. */
static void put_labels(const heft_page *p, const char *name, const axis *x)
{
    const heft_term      *term = &p->t.attr[x->j];
    const heft_attr_prep *a = &p->model->prep.attr[x->j];
    char                  text[256];
    heft_json_open(p->out, name, '[');
    for (size_t i = 0; i < x->n; i++) {
        const uint32_t line = x->line[i];
        if (!term->numeric)
            heft_json_name(p->out, NULL,
                           heft_prep_value(&p->model->prep, x->j, line, text, sizeof text));
        else if (!term->n_cuts) heft_json_text(p->out, NULL, "any");
        else
            heft_json_format(p->out, NULL, line < term->n_cuts ? "\xe2\x89\xa4 %9g" : "> %9g",
                             term->cuts[line < term->n_cuts ? line : line - 1] / a->factor +
                                 a->shift);
    }
    heft_json_close(p->out, ']');
}

/* Finds the evidence of every cell shown; with more than two classes for the one about which the
 * pair says most. */
static heft_status fill_map(map *g)
{
    const heft_page *p = g->p;
    uint32_t        *line;
    double          *joint, *v, *size, *all;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, line, p->n_attr);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, joint, p->t.n_columns);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, all, CELLS * CELLS * p->K);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->K, v, size);
    for (size_t j = 0; j < p->n_attr; j++) line[j] = p->t.attr[j].missing;
    for (size_t i = 0; i < g->a.n * g->b.n; i++) {
        line[g->a.j] = g->a.line[i / g->b.n];
        line[g->b.j] = g->b.line[i % g->b.n];
        for (size_t k = 0; k < p->t.n_columns; k++) joint[k] = 0;
        heft_terms_interaction(&p->t, line, g->k, joint);
        heft_terms_spread(&p->t, joint, v);
        heft_calibrate_lines(&p->model->calibration, 1, p->K, v);
        for (size_t c = 0; c < p->K; c++) {
            all[i * p->K + c] = p->K == 2 ? v[p->one] - v[p->zero] : v[c];
            size[c] += fabs(v[c]);
        }
    }
    for (size_t c = 0; c < p->K; c++)
        if (size[c] > size[g->c]) g->c = c;
    for (size_t i = 0; i < g->a.n * g->b.n; i++)
        g->at[i / g->b.n][i % g->b.n] = all[i * p->K + g->c];
    return HEFT_OK;
}

static heft_status put_map(const heft_page *p, size_t k)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    map                     g = {.p = p, .k = k};
    const heft_interaction *of = &p->t.interactions.list[k];
    choose_lines(p, of->attr[0], &g.a);
    choose_lines(p, of->attr[1], &g.b);
    HEFT_CHECK(fill_map(&g));
    heft_json_put(p->out, "map:{ class:c", p->K == 2 ? SIZE_MAX : g.c);
    put_labels(p, "down", &g.a);
    put_labels(p, "across", &g.b);
    heft_json_open(p->out, "cells", '[');
    for (size_t i = 0; i < g.a.n; i++) heft_json_numbers(p->out, NULL, g.at[i], g.b.n);
    heft_json_put(p->out, "] some:b }", g.a.n < g.a.all || g.b.n < g.b.all);
    return HEFT_OK;
}

heft_status heft_report_pairs(const heft_page *p)
{
    for (int which = 0; which < HEFT_JOINT_LISTS; which++) {
        const heft_joint_list list = heft_joint_list_of(&p->t, which);
        const size_t          n = list.n < LISTED ? list.n : LISTED;
        heft_json_open(p->out, list.what, '{');
        heft_json_put(p->out, "n:z list:[", list.n);
        for (size_t k = 0; k < n; k++) {
            const size_t            at = p->t.interactions.strongest[list.first + k];
            const heft_interaction *of = &p->t.interactions.list[at];
            if (!heft_page_lists(p, of)) continue;
            heft_json_put(p->out, "{ attributes:[");
            for (size_t m = 0; m < of->n; m++)
                heft_json_size(p->out, NULL, p->bounds.place[of->attr[m]]);
            heft_json_put(p->out, "] size:g", of->size);
            if (which == HEFT_PAIRS && k < MAPS && p->additive) HEFT_CHECK(put_map(p, at));
            else if (which == HEFT_PAIRS) heft_json_null(p->out, "map");
            heft_json_close(p->out, '}');
        }
        heft_json_put(p->out, "] }");
    }
    if (p->t.interactions.wide) heft_json_put(p->out, "remainder:g", p->t.interactions.remainder);
    return HEFT_OK;
}
