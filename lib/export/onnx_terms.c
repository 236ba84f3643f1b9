/* onnx_terms.c - tables and joint terms as nodes of an ONNX graph.
 *
 * All tables are one tensor, and the cells of a row name its lines: a model has a few dozen nodes,
 * however many attributes it has. */
#include "export/onnx_terms.h"

#include <string.h>

#include "prep/numbers.h"

size_t heft_onnx_line(const heft_terms *t, size_t j, size_t spot)
{
    const heft_term *term = &t->attr[j];
    if (spot < term->n_codes && t->model->prep.attr[j].kind == HEFT_NUMERIC)
        spot = heft_swap_zero((uint32_t)spot, heft_zero_interval(&t->model->prep, j));
    return heft_term_line(term, spot);
}

/* ---- the sum ---- */

/* One margin for each class pair: weights times the differences between two classes. */
static heft_status margins(heft_onnx_walk *w, heft_onnx_value lines, const size_t *term, size_t n,
                           heft_onnx_value *sum)
{
    const size_t P = w->t->n_class_pairs;
    int64_t     *a, *b;
    double      *weight;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, P, a, b);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, weight, n * P);
    for (size_t k = 0; k < P; k++) {
        a[k] = (int64_t)w->t->class_pair[k].a;
        b[k] = (int64_t)w->t->class_pair[k].b;
        for (size_t m = 0; m < n; m++) weight[m * P + k] = w->t->class_pair[k].w[term[m]];
    }
    const heft_onnx_value for_a = heft_onnx_gather(w->g, lines, heft_onnx_ints(w->g, a, P, 0), 2);
    const heft_onnx_value for_b = heft_onnx_gather(w->g, lines, heft_onnx_ints(w->g, b, P, 0), 2);
    const heft_onnx_value by = heft_onnx_doubles(w->g, weight, n, P);
    const heft_onnx_value apart = HEFT_ONNX(w->g, "Sub", for_a, for_b);
    *sum = heft_onnx_sum(w->g, HEFT_ONNX(w->g, "Mul", apart, by), 1);
    return HEFT_OK;
}

heft_status heft_onnx_add(heft_onnx_walk *w, heft_onnx_value lines, const size_t *term, size_t n)
{
    heft_onnx_value sum = 0;
    if (w->t->class_pair) HEFT_CHECK(margins(w, lines, term, n, &sum));
    else sum = heft_onnx_sum(w->g, lines, 1);
    w->sum = w->any ? HEFT_ONNX(w->g, "Add", w->sum, sum) : sum;
    w->any = true;
    if (!w->evidence) return HEFT_OK;
    w->part[w->n_parts++] = lines;
    memcpy(w->term + w->n_lines, term, n * sizeof *term);
    w->n_lines += n;
    return HEFT_OK;
}

/* Adds the lines of a table that `at` [N, n] names. */
static heft_status add_table(heft_onnx_walk *w, heft_onnx_value at, heft_onnx_value table,
                             const size_t *term, size_t n)
{
    const size_t most = heft_onnx_part(w);
    for (size_t lo = 0; lo < n; lo += most) {
        const size_t          m = n - lo < most ? n - lo : most;
        const heft_onnx_value some = m == n ? at : heft_onnx_slice(w->g, at, lo, lo + m);
        HEFT_CHECK(heft_onnx_add(w, heft_onnx_gather(w->g, table, some, 0), term + lo, m));
    }
    return HEFT_OK;
}

/* ---- attributes ---- */

/* (x - mean) / sd within [-4, 4], times a slope for each class; 0 where it is missing. */
static heft_status add_slopes(heft_onnx_walk *w)
{
    heft_onnx   *g = w->g;
    const size_t n_attr = w->t->n_attr;
    size_t       n = 0, *term;
    int64_t     *column;
    double      *mean, *sd, *slope;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n_attr, term, column, mean, sd);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, slope, n_attr * w->K);
    for (size_t j = 0; j < n_attr; j++) {
        const heft_term *from = &w->t->attr[j];
        if (!from->slope || !(from->sd > 0)) continue;
        heft_terms_spread(w->t, from->slope, slope + n * w->K);
        mean[n] = from->mean;
        sd[n] = from->sd;
        column[n] = w->number_of[j];
        term[n++] = j;
    }
    if (n == 0) return HEFT_OK;
    const heft_onnx_value x = heft_onnx_columns(g, w->numbers, column, n);
    const heft_onnx_value off = HEFT_ONNX(g, "Sub", x, heft_onnx_doubles(g, mean, n, 0));
    const heft_onnx_value z = HEFT_ONNX(g, "Div", off, heft_onnx_doubles(g, sd, n, 0));
    const heft_onnx_value lo = heft_onnx_double(g, -4), hi = heft_onnx_double(g, 4);
    const heft_onnx_value near = HEFT_ONNX(g, "Clip", z, lo, hi);
    const heft_onnx_value none = HEFT_ONNX(g, "IsNaN", x);
    const heft_onnx_value known = HEFT_ONNX(g, "Where", none, heft_onnx_double(g, 0), near);
    const heft_onnx_value by = heft_onnx_doubles(g, slope, n, w->K);
    return heft_onnx_add(w, HEFT_ONNX(g, "Mul", heft_onnx_unsqueeze(g, known, 2), by), term, n);
}

heft_status heft_onnx_tables(heft_onnx_walk *w)
{
    const size_t n_attr = w->t->n_attr;
    size_t       rows = 0, n = 0, *term;
    int64_t     *start, *column;
    double      *table;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n_attr, term, start, column);
    for (size_t j = 0; j < n_attr; j++) {
        if (!w->t->attr[j].table) continue;
        column[n] = w->spot_of[j];
        start[n] = (int64_t)rows;
        rows += w->t->attr[j].n_codes + 2;
        term[n++] = j;
    }
    if (n == 0) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, table, rows * w->K);
    for (size_t k = 0; k < n; k++)
        for (size_t v = 0; v < w->t->attr[term[k]].n_codes + 2; v++)
            heft_terms_spread(w->t,
                              w->t->attr[term[k]].table +
                                  heft_onnx_line(w->t, term[k], v) * w->t->n_columns,
                              table + ((size_t)start[k] + v) * w->K);
    const heft_onnx_value spot = heft_onnx_columns(w->g, w->spots, column, n);
    const heft_onnx_value at = HEFT_ONNX(w->g, "Add", spot, heft_onnx_ints(w->g, start, n, 0));
    HEFT_CHECK(add_table(w, at, heft_onnx_doubles(w->g, table, rows, w->K), term, n));
    return add_slopes(w);
}

/* ---- joint terms ---- */

heft_status heft_onnx_views(heft_onnx_walk *w)
{
    size_t   n = 0;
    int64_t *code;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, w->view_of, w->t->n_attr);
    for (size_t j = 0; j < w->t->n_attr; j++) {
        w->view_of[j] = n;
        n += w->t->attr[j].n_views * (w->t->attr[j].n_codes + 2);
    }
    if (n == 0) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, code, n);
    for (size_t j = 0, at = 0; j < w->t->n_attr; j++)
        for (size_t k = 0; k < w->t->attr[j].n_views; k++)
            for (size_t v = 0; v < w->t->attr[j].n_codes + 2; v++)
                code[at++] = w->t->attr[j].view[k][heft_onnx_line(w->t, j, v)];
    w->views = heft_onnx_ints(w->g, code, n, 0);
    return HEFT_OK;
}

/* The codes of member k of the given joint terms: [N, n]. */
static heft_status member_codes(heft_onnx_walk *w, const size_t *which, size_t n, size_t k,
                                heft_onnx_value *out)
{
    int64_t *column, *from;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, column, from);
    for (size_t m = 0; m < n; m++) {
        const heft_joint_term *joint = &w->t->joint.list[which[m]];
        const size_t           j = joint->attr[k];
        column[m] = w->spot_of[j];
        from[m] = (int64_t)(w->view_of[j] + joint->view[k] * (w->t->attr[j].n_codes + 2));
    }
    const heft_onnx_value spot = heft_onnx_columns(w->g, w->spots, column, n);
    const heft_onnx_value at = HEFT_ONNX(w->g, "Add", spot, heft_onnx_ints(w->g, from, n, 0));
    *out = heft_onnx_gather(w->g, w->views, at, 0);
    return HEFT_OK;
}

/* Cells that have a line of the table, by their number; others get the line behind the last. */
static heft_status keyed_lines(heft_onnx_walk *w, heft_onnx_value cell, const size_t *which,
                               size_t n, const int64_t *first, size_t rows, heft_onnx_value *out)
{
    int64_t *key, *line;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, rows, key, line);
    for (size_t m = 0, at = 0; m < n; m++)
        for (size_t v = 0; v < w->t->joint.list[which[m]].n_cells; v++, at++) {
            key[at] = first[m] + (int64_t)w->t->joint.list[which[m]].key[v];
            line[at] = (int64_t)at;
        }
    heft_onnx_set_ints(w->g, "keys_int64s", key, rows);
    heft_onnx_set_ints(w->g, "values_int64s", line, rows);
    heft_onnx_set(w->g, "default_int64", (int64_t)rows);
    *out = HEFT_ONNX(w->g, "ml.LabelEncoder", cell);
    return HEFT_OK;
}

/* Pairs whose table has all cells, or those that have keys. A cell is a number: the codes of both
 * attributes, counted on from the cells of the pair before. */
static heft_status add_joint(heft_onnx_walk *w, const size_t *which, size_t n, bool keyed)
{
    heft_onnx_value code[2], at;
    size_t          rows = 0, *term;
    int64_t        *codes, *first, cells = 0;
    double         *table;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, codes, first, term);
    for (size_t m = 0; m < n; m++) {
        const heft_joint_term *joint = &w->t->joint.list[which[m]];
        term[m] = w->t->n_attr + which[m];
        codes[m] = heft_joint_codes(w->t, joint, 1);
        first[m] = cells;
        cells += codes[m] * (int64_t)heft_joint_codes(w->t, joint, 0);
        rows += joint->n_cells;
    }
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, table, (rows + 1) * w->K); /* the last: 0 */
    for (size_t m = 0, line = 0; m < n; m++)
        for (size_t v = 0; v < w->t->joint.list[which[m]].n_cells; v++, line++)
            heft_terms_spread(w->t, w->t->joint.list[which[m]].table + v * w->t->n_columns,
                              table + line * w->K);
    for (size_t k = 0; k < 2; k++) HEFT_CHECK(member_codes(w, which, n, k, &code[k]));
    at = HEFT_ONNX(w->g, "Mul", code[0], heft_onnx_ints(w->g, codes, n, 0));
    at = HEFT_ONNX(w->g, "Add", at, code[1]);
    at = HEFT_ONNX(w->g, "Add", at, heft_onnx_ints(w->g, first, n, 0));
    if (keyed) HEFT_CHECK(keyed_lines(w, at, which, n, first, rows, &at));
    return add_table(w, at, heft_onnx_doubles(w->g, table, rows + 1, w->K), term, n);
}

heft_status heft_onnx_joint(heft_onnx_walk *w)
{
    size_t *which, n;
    if (w->t->joint.n == 0) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, which, w->t->joint.n);
    for (int keyed = 0; keyed < 2; keyed++) {
        n = 0;
        for (size_t k = 0; k < w->t->joint.n; k++)
            if ((w->t->joint.list[k].key != NULL) == (keyed == 1)) which[n++] = k;
        if (n) HEFT_CHECK(add_joint(w, which, n, keyed));
    }
    return HEFT_OK;
}
