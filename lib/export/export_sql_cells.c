/* export_sql_cells.c - from the columns of the table to codes, slopes and cells of pairs, in SQL.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "export/export_sql.h"
#include "prep/numbers.h"

typedef heft_sql_writer writer;

/* ---- steps ---- */

heft_sql_steps *heft_sql_begin_steps(writer *w, const char *column, size_t of)
{
    w->steps.column = column;
    w->steps.of = of;
    w->steps.numbers = w->steps.codes = false;
    w->steps.n = 0;
    return &w->steps;
}

size_t heft_sql_spots(const writer *w, size_t j)
{
    const bool apart = w->prep->attr[j].kind == HEFT_NOMINAL && w->prep->spec.unseen_zero;
    return w->t->attr[j].n_codes + 1 + apart;
}

/* ---- cells ---- */

void heft_sql_begin(writer *w, const char *name, bool all)
{
    heft_put(w->out, ",\n%s AS MATERIALIZED (SELECT %s", name, all ? "*" : "id");
}

static void put_nominal(writer *w, size_t j)
{
    const heft_attr_prep *a = &w->prep->attr[j];
    const size_t          n = w->t->attr[j].n_codes;
    const size_t          missing = a->has_fill ? (size_t)a->fill : n;
    const size_t          unseen = w->prep->spec.unseen_zero ? n + 1 : missing;
    heft_put(w->out, ",\n  CASE");
    if (unseen != missing)
        heft_sql_put(w->out, " WHEN t.%n IS NULL THEN %z ELSE CASE", a->name, missing);
    heft_sql_put(w->out, " t.%n", a->name);
    for (uint32_t v = 0; v < n && v < heft_dict_size(a->dict); v++)
        heft_sql_put(w->out, " WHEN %t THEN %z", heft_dict_text(a->dict, v), (size_t)v);
    if (n == 0) heft_put(w->out, " WHEN NULL THEN 0");
    heft_put(w->out, " ELSE %z END%s AS c%z", unseen, unseen != missing ? " END" : "", j);
}

void heft_sql_input(writer *w, const heft_export_options *how)
{
    heft_sql_put(w->out,
                 how->id ? "heft_input AS (SELECT t.%n AS id" : "heft_input AS (SELECT 1 AS id",
                 how->id);
    for (size_t j = 0; j < w->t->n_attr; j++)
        if (w->prep->attr[j].kind == HEFT_NOMINAL) put_nominal(w, j);
        else heft_sql_put(w->out, ",\n  CAST(t.%n AS FLOAT8) AS x%z", w->prep->attr[j].name, j);
    heft_put(w->out, "\n FROM ");
    heft_sql_table(w->out, how->table ? how->table : "data");
    heft_put(w->out, " AS t)");
    heft_sql_begin(w, "heft_cells", false);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_attr_prep *a = &w->prep->attr[j];
        if (a->kind == HEFT_NOMINAL) {
            heft_put(w->out, ", c%z", j);
            continue;
        }
        heft_sql_put(w->out, ",\n  CASE WHEN x%z BETWEEN %d AND %d THEN x%z", j, -DBL_MAX, DBL_MAX,
                     j);
        if (a->has_fill) heft_sql_put(w->out, " ELSE %d", a->fill);
        heft_put(w->out, " END AS x%z", j);
    }
    heft_put(w->out, " FROM heft_input)");
}

static void put_square(void *arg, size_t j, heft_buf *out)
{
    const writer *w = arg;
    if (w->prep->attr[j].kind == HEFT_NOMINAL) heft_put(out, "0e0");
    else heft_put(out, "CASE WHEN abs(x%z)>=1e-140 THEN x%z*x%z ELSE 0e0 END", j, j, j);
}

/* (x - shift) * factor */
static void put_scaled(const writer *w, size_t j, const char *x)
{
    const heft_attr_prep *a = &w->prep->attr[j];
    const bool            plain = a->shift == 0 && a->factor == 1;
    heft_sql_put(w->out, plain ? "%s" : "(%s-%d)*%d", x, a->shift, a->factor);
}

void heft_sql_unit(writer *w)
{
    heft_sql_begin(w, "heft_length", true);
    heft_put(w->out, ", sqrt(CAST(0 AS FLOAT8)+");
    heft_sql_join(w->out, "+", 0, w->t->n_attr, put_square, w);
    heft_put(w->out, ") AS length FROM heft_cells)");
    heft_sql_begin(w, "heft_unit", false);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        char x[96];
        if (w->prep->attr[j].kind == HEFT_NOMINAL) {
            heft_put(w->out, ", c%z", j);
            continue;
        }
        snprintf(x, sizeof x, "CASE WHEN length>0 THEN x%zu/length ELSE x%zu END", j, j);
        heft_put(w->out, ",\n  ");
        put_scaled(w, j, x);
        heft_put(w->out, " AS x%z", j);
    }
    heft_put(w->out, " FROM heft_length)");
}

/* The scaled number of attribute j, from heft_cells or heft_unit. */
static void put_number(const writer *w, size_t j)
{
    char x[32];
    snprintf(x, sizeof x, "x%zu", j);
    if (w->unit) heft_put(w->out, "%s", x);
    else put_scaled(w, j, x);
}

static void put_interval(writer *w, size_t j)
{
    const heft_term *term = &w->t->attr[j];
    const uint32_t   zero = heft_zero_interval(w->prep, j);
    heft_sql_steps  *steps = heft_sql_begin_steps(w, "x", j);
    double           before = -INFINITY;
    steps->numbers = steps->codes = true;
    for (size_t v = 0; v <= term->n_cuts; v++) {
        const double end = v == term->n_cuts ? DBL_MAX
                           : w->unit         ? term->cuts[v]
                                             : heft_raw_cut(&w->prep->attr[j], term->cuts[v]);
        if (end > before) heft_sql_step(steps, before, heft_swap_zero((uint32_t)v, zero));
        before = end;
    }
    heft_put(w->out, ",\n  CASE WHEN x%z IS NULL THEN %z ELSE ", j, term->n_codes);
    heft_sql_search(w->out, steps);
    heft_put(w->out, " END AS c%z", j);
}

static void put_slope(writer *w, size_t j)
{
    const heft_term         *term = &w->t->attr[j];
    static const char *const before[] = {",\n  CASE WHEN ", "<-4 THEN -4e0 WHEN ",
                                         ">4 THEN 4e0 WHEN ", " IS NULL THEN 0e0 ELSE "};
    for (size_t k = 0; k < 4; k++) {
        heft_put(w->out, "%s((", before[k]);
        put_number(w, j);
        heft_sql_put(w->out, ")-%d)/%d", term->mean, term->sd);
    }
    heft_put(w->out, " END AS z%z", j);
}

void heft_sql_codes(writer *w)
{
    heft_sql_begin(w, "heft_codes", false);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_term *term = &w->t->attr[j];
        if (w->prep->attr[j].kind == HEFT_NOMINAL) heft_put(w->out, ", c%z", j);
        else if (heft_term_coded(term)) put_interval(w, j);
        if (heft_has_slope(term)) put_slope(w, j);
        if (!heft_sql_density(term)) continue;
        heft_put(w->out, ",\n  ");
        put_number(w, j);
        heft_put(w->out, " AS x%z", j);
    }
    heft_put(w->out, " FROM %s)", w->unit ? "heft_unit" : "heft_cells");
}

static void put_view(writer *w, const heft_joint_term *joint, size_t k)
{
    const size_t     j = joint->attr[k];
    const heft_term *term = &w->t->attr[j];
    heft_sql_steps  *steps = heft_sql_begin_steps(w, "c", j);
    steps->codes = true;
    for (size_t v = 0; v < heft_sql_spots(w, j); v++)
        heft_sql_step(steps, (double)v, term->view[joint->view[k]][heft_term_line(term, v)]);
    heft_sql_search(w->out, steps);
}

void heft_sql_pairs(writer *w)
{
    heft_sql_begin(w, "heft_pairs", true);
    for (size_t k = 0; k < w->t->joint.n_grids; k++) {
        const heft_joint_term *joint = w->grid[k];
        if (!joint) continue;
        heft_put(w->out, ",\n  ");
        put_view(w, joint, 0);
        heft_put(w->out, "*%z+", (size_t)heft_joint_codes(w->t, joint, 1));
        put_view(w, joint, 1);
        heft_put(w->out, " AS p%z", k);
    }
    heft_put(w->out, " FROM heft_codes)");
}
