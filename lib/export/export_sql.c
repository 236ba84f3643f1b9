/* export_sql.c - a model as one SELECT for SQLite, DuckDB and PostgreSQL.
 *
 * The elements of the graph (graph.h) are columns or expressions (scalars.h). Columns are made in
 * steps, each a common table expression that is materialized, so that no engine puts the text of
 * one step into the next. What the three understand alike, and what they limit:
 *   - a number with an exponent is a double in SQLite and DuckDB. PostgreSQL reads an exact
 *     numeric, and turns it into a double beside one: where none is near, there is a cast.
 *   - expressions may be 1,000 levels deep in SQLite and DuckDB, and SQLite's parser has room for
 *     100 open symbols: sums, conditions and searches are trees.
 *   - DuckDB plans a statement in a time that grows with the number of its expressions: 25,000 of
 *     them take seconds. So numbers of a table are texts that are cut by position,
 *     substr('1.25 0.5  ...', 5*c3+1, 5), which is one expression. PostgreSQL counts characters
 *     from the beginning of the text, so that very long texts would be slow there.
 *   - a step has at most 1,664 columns in PostgreSQL. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/export.h"
#include "export/scalars.h"
#include "export/score_parts.h"
#include "export/sql_text.h"

enum { STEP_COLUMNS = 600, MOST_COLUMNS = 1664 };

typedef struct writer {
    heft_ctx         *ctx;
    const heft_graph *g;
    const heft_prep  *prep;
    heft_buf         *out;
    heft_scalars      scalars;
    size_t *step, *last; /* steps in which a stored node is made and last used, one per node */
    size_t  n_steps;
    heft_sql_steps search;
} writer;

/* ---- names of columns ---- */

static void put_column(const writer *w, heft_scalar at, heft_buf *out)
{
    heft_put(out, "v%z_%z", at.node, at.row * w->g->node[at.node].columns + at.column);
}

/* ---- searches and tables ---- */

static void begin_search(writer *w, bool numbers, bool codes)
{
    w->search.n = 0;
    w->search.numbers = numbers;
    w->search.codes = codes;
    w->search.table = false;
    w->search.unit = 0;
}

static void put_condition(const writer *w, size_t codes, const heft_graph_split *s, bool left,
                          heft_buf *out)
{
    const heft_scalar at = heft_scalar_at(w->g, codes, s->from, 0);
    heft_buf          c = {0};
    put_column(w, at, &c);
    const char *name = heft_buf_string(&c);
    if (s->n_listed) {
        size_t n_runs = 0;
        if (!left) heft_put(out, "NOT (");
        for (size_t k = 0, end; k < s->n_listed; k = end) {
            for (end = k + 1; end < s->n_listed && s->listed[end] == s->listed[end - 1] + 1;) end++;
            heft_put(out, "%s%s", n_runs++ ? " OR " : "", name);
            if (end == k + 1) heft_put(out, "=%z", (size_t)s->listed[k]);
            else
                heft_put(out, " BETWEEN %z AND %z", (size_t)s->listed[k],
                         (size_t)s->listed[end - 1]);
        }
        if (!left) heft_put(out, ")");
    } else {
        heft_put(out, "%s%s%z", name, left ? "<" : ">=", (size_t)s->below);
        if (s->also != UINT32_MAX)
            heft_put(out, left ? " OR %s=%z" : " AND %s<>%z", name, (size_t)s->also);
    }
    out->failed |= c.failed;
    heft_buf_clear(&c);
}

typedef struct tree_text {
    const writer *w;
    size_t        codes; /* node */
    const double *value; /* one per leaf, `step` apart; NULL: the number of the leaf is written */
    size_t        step;
    heft_buf     *out;
} tree_text;

static void put_leaf_value(const tree_text *t, size_t leaf, bool first)
{
    if (t->value) heft_sql_value(t->out, t->value[leaf * t->step], first);
    else heft_put(t->out, "%z", leaf);
}

/* The n leaves from `leaf` on and the splits between them. The side with fewer leaves is a CASE of
 * its own, the other one goes on in this one: so the depth is log2 n. The first result of a CASE
 * has a cast, for PostgreSQL. */
static void put_leaves(const tree_text *t, const heft_graph_split *s, size_t n, size_t leaf,
                       bool first)
{
    if (n == 1) {
        put_leaf_value(t, leaf, first);
        return;
    }
    heft_put(t->out, "CASE");
    for (first = true; n > 1; first = false) {
        const size_t n_left = s->left;
        const bool   left = 2 * n_left <= n; /* whether the left side is the CASE of its own */
        heft_put(t->out, " WHEN ");
        put_condition(t->w, t->codes, s, left, t->out);
        heft_put(t->out, " THEN ");
        put_leaves(t, left ? s + 1 : s + n_left, left ? n_left : n - n_left,
                   left ? leaf : leaf + n_left, first);
        if (left) s += n_left, leaf += n_left, n -= n_left;
        else s++, n = n_left;
    }
    heft_put(t->out, " ELSE ");
    put_leaf_value(t, leaf, false);
    heft_put(t->out, " END");
}

/* Tree t of a LEAF node: the number of the leaf, or what `value` has for it. */
static void put_leaf(const writer *w, heft_scalar at, const double *value, size_t step,
                     heft_buf *out)
{
    const heft_graph_node  *node = &w->g->node[at.node];
    const heft_leaf_rule   *rule = node->rule;
    const heft_graph_split *s = rule->split;
    for (size_t m = 0; m < at.row; m++) s += rule->n_leaves[m] - 1;
    put_leaves(&(tree_text){w, node->in[0], value, step, out}, s, rule->n_leaves[at.row], 0, true);
}

static void put_cut(writer *w, const heft_cut_rule *r, heft_scalar x, heft_buf *out)
{
    double before = -INFINITY;
    begin_search(w, true, true);
    for (size_t v = 0; v <= r->n_cuts; v++) {
        const double end = v == r->n_cuts ? DBL_MAX : r->cuts[v];
        if (end > before) heft_sql_step(&w->search, before, (double)v);
        before = end;
    }
    heft_buf name = {0};
    put_column(w, x, &name);
    heft_put(out, "CASE WHEN %s IS NULL THEN %z ELSE ", heft_buf_string(&name), r->n_cuts + 1);
    heft_sql_search(out, &w->search, heft_buf_string(&name));
    heft_put(out, " END");
    out->failed |= name.failed;
    heft_buf_clear(&name);
}

static void put_cell(writer *w, const heft_cell_rule *r, size_t codes, heft_buf *out)
{
    for (size_t m = 0; m < 2; m++) {
        heft_buf name = {0};
        begin_search(w, false, true);
        for (size_t v = 0; v < r->n_codes[m]; v++)
            heft_sql_step(&w->search, (double)v, r->map[m][v] * (m ? 1.0 : (double)r->times));
        put_column(w, heft_scalar_at(w->g, codes, r->from[m], 0), &name);
        heft_put(out, m ? "+" : "");
        heft_sql_search(out, &w->search, heft_buf_string(&name));
        out->failed |= name.failed;
        heft_buf_clear(&name);
    }
}

/* The line of a table. Cells with keys are searched by their number; others add nothing. */
static void put_lookup(writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node  *node = &w->g->node[at.node];
    const heft_lookup_rule *r = (const heft_lookup_rule *)node->rule + at.row;
    const heft_scalar       code = heft_scalar_at(w->g, node->in[0], r->from, 0);
    const heft_graph_node  *from = &w->g->node[code.node];
    const double           *table = r->table + at.column;
    heft_buf                name = {0};
    if (!w->scalars.stored[code.node]) {
        put_leaf(w, code, table, node->columns, out);
        return;
    }
    const heft_cell_rule *cell =
        from->op == HEFT_OP_CELL ? (const heft_cell_rule *)from->rule + code.row : NULL;
    begin_search(w, false, false);
    if (cell && cell->key) {
        double next = 0;
        for (size_t v = 0; v < cell->n_cells; v++) {
            if ((double)cell->key[v] > next) heft_sql_step(&w->search, next, 0);
            heft_sql_step(&w->search, (double)cell->key[v], table[v * node->columns]);
            next = (double)cell->key[v] + 1;
        }
        heft_sql_step(&w->search, next, 0);
    } else {
        heft_sql_begin_table(&w->search, table, r->n_lines, node->columns);
    }
    put_column(w, code, &name);
    heft_sql_search(out, &w->search, heft_buf_string(&name));
    out->failed |= name.failed;
    heft_buf_clear(&name);
}

/* ---- other operators ---- */

typedef struct addends {
    const writer      *w;
    const heft_scalar *list;
} addends;

static void put_addend(void *arg, size_t k, heft_buf *out)
{
    const addends *a = arg;
    heft_put(out, "\n   ");
    heft_scalar_put(&a->w->scalars, a->list[k], out);
}

static void put_sum(writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[at.node];
    const size_t           rows = w->g->node[node->in[0]].rows;
    const double           start = node->numbers ? node->numbers[at.column] : 0;
    heft_scalar           *list = heft_arena_alloc(&w->ctx->scratch, rows + 1, sizeof *list);
    size_t                 n = 0;
    if (!list) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        list[n] = heft_scalar_at(w->g, node->in[0], i, at.column);
        if (!heft_scalar_zero(w->g, list[n])) n++;
    }
    heft_sql_put(out, n ? "(%f+" : "%f", start);
    if (n) heft_sql_join(out, "+", 0, n, put_addend, &(addends){w, list});
    if (n) heft_put(out, ")");
}

typedef struct contest { /* the first of the best: no later one exceeds it */
    const writer *w;
    size_t        node, n, at;
    const char   *sign; /* ">=" */
    bool          rows; /* among the rows of column `column`, else among columns */
    size_t        column;
} contest;

static heft_scalar contender(const contest *c, size_t k)
{
    return heft_scalar_at(c->w->g, c->node, c->rows ? k : 0, c->rows ? c->column : k);
}

static void put_compare(void *arg, size_t k, heft_buf *out)
{
    const contest *c = arg;
    heft_scalar_put(&c->w->scalars, contender(c, c->at), out);
    heft_put(out, "%s", c->sign);
    heft_scalar_put(&c->w->scalars, contender(c, k), out);
}

/* The value of the best, or its name where classes are compared. */
static void put_best(contest c, const heft_terms *names, heft_buf *out)
{
    if (c.n > 1) heft_put(out, "CASE");
    for (c.at = 0; c.at < c.n; c.at++) {
        if (c.at + 1 < c.n) {
            heft_put(out, "\n    WHEN ");
            heft_sql_join(out, " AND ", c.at + 1, c.n, put_compare, &c);
            heft_put(out, " THEN ");
        } else if (c.n > 1) {
            heft_put(out, "\n    ELSE ");
        }
        if (names) heft_sql_put(out, "%t", heft_class_name(names, c.at));
        else heft_scalar_put(&c.w->scalars, contender(&c, c.at), out);
    }
    if (c.n > 1) heft_put(out, " END");
}

/* log sum_k exp(m - z_k^2/2) over the points of a column. The exponents are taken relative to the
 * nearest point, whose distance is n, so that the sum does not underflow. */
static void put_kernel(writer *w, heft_scalar at, heft_buf *out)
{
    const size_t            k = at.node, c = at.row * w->g->node[k].columns + at.column;
    const heft_kernel_rule *r = (const heft_kernel_rule *)w->g->node[k].rule + c;
    heft_buf                x = {0};
    if (r->n == 0) {
        heft_put(out, "CAST(0 AS FLOAT8)");
        return;
    }
    put_column(w, heft_scalar_in(w->g, at, 0), &x);
    const char  *name = heft_buf_string(&x);
    const double h = r->width;
    heft_sql_put(
        out,
        "CASE WHEN h.%s IS NULL THEN 0e0 ELSE %d-0.5e0*(h.n%z_%z/%d)*(h.n%z_%z/%d)+ln((SELECT "
        "sum(CASE WHEN q.e>-600e0 THEN exp(q.e) ELSE 0e0 END) FROM (SELECT "
        "k.m+0.5e0*((h.n%z_%z-abs(h.%s-k.p))/%d)*((h.n%z_%z+abs(h.%s-k.p))/%d) AS e FROM "
        "heft_points AS k WHERE k.j=%z AND k.c=%z) AS q)) END",
        name, -HEFT_LOG_TWO_PI_HALF - log(h), k, c, h, k, c, h, k, c, name, h, k, c, name, h, k, c);
    out->failed |= x.failed;
    heft_buf_clear(&x);
}

/* The distance to the nearest point. */
static void put_near(const writer *w, size_t k, size_t c, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    heft_put(out, ",\n  (SELECT min(abs(h.");
    put_column(w, heft_scalar_in(w->g, (heft_scalar){k, c / node->columns, 0}, 0), out);
    heft_put(out, "-k.p)) FROM heft_points AS k WHERE k.j=%z AND k.c=%z) AS n%z_%z", k, c, k, c);
}

static void put_scaled(const writer *w, heft_scalar at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[at.node];
    const double shift = node->numbers[at.row], factor = node->numbers[node->rows + at.row];
    double       lo, hi;
    const bool   limited = heft_scale_limits(shift, factor, &lo, &hi);
    HEFT_SIDE_TEXT(text, out);
    heft_scalar_put(&w->scalars, heft_scalar_in(w->g, at, 0), &text);
    const char *x = heft_buf_string(&text);
    if (limited)
        heft_sql_put(out, "CASE WHEN %s>%d THEN %d WHEN %s<%d THEN %d ELSE ", x, hi, DBL_MAX, x, lo,
                     -DBL_MAX);
    heft_sql_put(out, "(%s-%d)*%d", x, shift, factor);
    if (limited) heft_put(out, " END");
}

/* Writes an element of an operator that is not in graph_ops.def. */
static void put_other(void *format, heft_scalar at, heft_buf *out)
{
    writer                *w = format;
    const heft_graph_node *node = &w->g->node[at.node];
    switch (node->op) {
    case HEFT_OP_CONST:
        heft_sql_put(out, "%d", heft_const_at(node, at.row, at.column));
        break;
    case HEFT_OP_SCALE:
        put_scaled(w, at, out);
        break;
    case HEFT_OP_CUT: {
        const heft_cut_rule *r = (const heft_cut_rule *)node->rule + at.row;
        put_cut(w, r, heft_scalar_at(w->g, node->in[0], r->from, 0), out);
        break;
    }
    case HEFT_OP_CELL:
        put_cell(w, (const heft_cell_rule *)node->rule + at.row, node->in[0], out);
        break;
    case HEFT_OP_LEAF:
        put_leaf(w, at, NULL, 0, out);
        break;
    case HEFT_OP_LOOKUP:
        put_lookup(w, at, out);
        break;
    case HEFT_OP_KERNEL:
        put_kernel(w, at, out);
        break;
    case HEFT_OP_SUM:
        put_sum(w, at, out);
        break;
    case HEFT_OP_TOP:
        put_best((contest){w, node->in[0], w->g->node[node->in[0]].rows, 0, ">=", true, at.column},
                 NULL, out);
        break;
    case HEFT_OP_UNIT:
        heft_put(out, "CASE WHEN length>0 THEN ");
        heft_scalar_put(&w->scalars, heft_scalar_in(w->g, at, 0), out);
        heft_put(out, "/length ELSE ");
        heft_scalar_put(&w->scalars, heft_scalar_in(w->g, at, 0), out);
        heft_put(out, " END");
        break;
    default:
        break;
    }
}

static void put_field(void *format, heft_scalar at, heft_buf *out)
{
    if (at.node == SIZE_MAX) heft_put(out, "0e0");
    else put_column(format, at, out);
}

static const char *sql_of(void *format, heft_op op)
{
    (void)format;
    return heft_elements[op].sql;
}

/* ---- steps ---- */

static size_t n_elements(const writer *w, size_t k)
{
    return w->g->node[k].rows * w->g->node[k].columns;
}

static bool in_two_steps(heft_op op)
{
    return op == HEFT_OP_KERNEL || op == HEFT_OP_UNIT;
}

/* Finds the step of every stored node: behind those that it uses, and not too many at once. */
static heft_status find_steps(writer *w)
{
    size_t *reach, current = 2, width = 0;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, w->g->n, reach, w->step, w->last);
    for (size_t k = 0; k < w->g->n; k++) {
        const heft_graph_node *node = &w->g->node[k];
        for (size_t m = 0; m < node->n_in; m++)
            if (reach[heft_input(node, m)] > reach[k]) reach[k] = reach[heft_input(node, m)];
        if (!w->scalars.stored[k]) continue;
        const size_t need = reach[k] + 1 + in_two_steps(node->op);
        if (need > current || width + n_elements(w, k) > STEP_COLUMNS) {
            current = need > current ? need : current + 1;
            width = 0;
        }
        width += n_elements(w, k);
        if (node->n_in == 0) reach[k] = w->step[k] = 1;
        else reach[k] = w->step[k] = current;
    }
    w->n_steps = current + 1;
    return HEFT_OK;
}

/* Notes that a step uses the stored nodes below `node`. */
static void note_use(writer *w, size_t k, size_t step)
{
    const heft_graph_node *node = &w->g->node[k];
    if (w->scalars.stored[k]) {
        if (step > w->last[k]) w->last[k] = step;
        return;
    }
    for (size_t m = 0; m < node->n_in; m++) note_use(w, heft_input(node, m), step);
}

static void find_uses(writer *w)
{
    for (size_t k = 0; k < w->g->n; k++)
        for (size_t m = 0; w->scalars.stored[k] && m < w->g->node[k].n_in; m++)
            note_use(w, heft_input(&w->g->node[k], m), w->step[k]);
    note_use(w, w->g->probabilities, w->n_steps);
    note_use(w, w->g->node[w->g->decision].in[0], w->n_steps);
}

static void put_length(writer *w, size_t k)
{
    heft_put(w->out, ",\n  sqrt(CAST(0 AS FLOAT8)");
    for (size_t i = 0; i < w->g->node[k].rows; i++) {
        HEFT_SIDE_TEXT(x, w->out);
        put_column(w, heft_scalar_in(w->g, (heft_scalar){k, i, 0}, 0), &x);
        const char *name = heft_buf_string(&x);
        heft_put(w->out, "+CASE WHEN abs(%s)>=1e-140 THEN %s*%s ELSE 0e0 END", name, name, name);
    }
    heft_put(w->out, ") AS length");
}

/* Columns of a node in a step: carried from the step before, or made here. */
static void put_columns(writer *w, size_t k, size_t step)
{
    const size_t C = w->g->node[k].columns;
    for (size_t e = 0; e < n_elements(w, k); e++) {
        const heft_scalar at = {k, e / C, e % C};
        if (w->step[k] < step) {
            heft_put(w->out, ", ");
            put_column(w, at, w->out);
        } else {
            heft_put(w->out, ",\n  ");
            heft_scalar_define(&w->scalars, at, w->out);
            heft_put(w->out, " AS ");
            put_column(w, at, w->out);
        }
    }
}

static void put_step(writer *w, size_t step)
{
    heft_put(w->out, ",\nheft_%z AS MATERIALIZED (SELECT id", step);
    for (size_t k = 0; k < w->g->n; k++) {
        const heft_op op = w->g->node[k].op;
        if (!w->scalars.stored[k]) continue;
        const bool carried = w->step[k] < step && w->last[k] > step;
        if (carried || w->step[k] == step) put_columns(w, k, step);
        if (w->step[k] != step + 1) continue;
        if (op == HEFT_OP_UNIT) put_length(w, k);
        if (op == HEFT_OP_KERNEL)
            for (size_t c = 0; c < n_elements(w, k); c++) put_near(w, k, c, w->out);
    }
    heft_put(w->out, " FROM heft_%z AS h)", step - 1);
}

/* The columns of the widest step. */
static size_t count_columns(const writer *w)
{
    size_t widest = 1 + w->g->terms->n_attr;
    for (size_t step = 1; step < w->n_steps; step++) {
        size_t n = 1;
        for (size_t k = 0; k < w->g->n; k++) {
            if (!w->scalars.stored[k]) continue;
            if (w->step[k] == step || (w->step[k] < step && w->last[k] > step))
                n += n_elements(w, k);
            if (w->step[k] == step + 1 && in_two_steps(w->g->node[k].op)) /* see put_step */
                n += w->g->node[k].op == HEFT_OP_KERNEL ? n_elements(w, k) : 1;
        }
        if (n > widest) widest = n;
    }
    return widest;
}

/* ---- the statement ---- */

static void put_nominal(writer *w, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &w->prep->attr[j];
    const size_t          missing = heft_code_missing(a), unseen = heft_code_unseen(w->prep, j);
    const size_t          n = heft_dict_size(a->dict);
    heft_put(out, "CASE");
    if (unseen != missing)
        heft_sql_put(out, " WHEN t.%n IS NULL THEN %z ELSE CASE", a->name, missing);
    heft_sql_put(out, " t.%n", a->name);
    for (uint32_t v = 0; v < n; v++)
        heft_sql_put(out, " WHEN %t THEN %z", heft_dict_text(a->dict, v), (size_t)v);
    if (n == 0) heft_put(out, " WHEN NULL THEN 0");
    heft_put(out, " ELSE %z END%s", unseen, unseen != missing ? " END" : "");
}

/* Cells of the data: codes of values, and numbers, where those that are not finite are missing. */
static void put_input(writer *w, const heft_export_options *how)
{
    for (size_t step = 0; step < 2; step++) {
        if (step) heft_put(w->out, ",\nheft_1 AS MATERIALIZED (SELECT id");
        else
            heft_sql_put(w->out,
                         how->id ? "heft_0 AS (SELECT t.%n AS id" : "heft_0 AS (SELECT 1 AS id",
                         how->id);
        for (size_t k = 0; k < w->g->n; k++) {
            const heft_graph_node *node = &w->g->node[k];
            for (size_t i = 0; i < node->rows; i++) {
                if (node->op != HEFT_OP_NUMBERS && node->op != HEFT_OP_CODES) break;
                HEFT_SIDE_TEXT(column, w->out);
                put_column(w, (heft_scalar){k, i, 0}, &column);
                const char *name = heft_buf_string(&column);
                heft_put(w->out, ",\n  ");
                if (node->op == HEFT_OP_CODES) {
                    if (!step) put_nominal(w, node->list[i], w->out);
                    heft_put(w->out, step ? "%s" : " AS %s", name);
                } else if (!step) {
                    heft_sql_put(w->out, "CAST(t.%n AS FLOAT8) AS %s",
                                 w->prep->attr[node->list[i]].name, name);
                } else {
                    heft_sql_put(w->out, "CASE WHEN %s BETWEEN %d AND %d THEN %s", name, -DBL_MAX,
                                 DBL_MAX, name);
                    if (!isnan(node->numbers[i]))
                        heft_sql_put(w->out, " ELSE %d", node->numbers[i]);
                    heft_put(w->out, " END AS %s", name);
                }
            }
        }
        heft_put(w->out, "\n FROM ");
        if (!step) heft_sql_table(w->out, how->table ? how->table : "data");
        heft_put(w->out, step ? "heft_0)" : " AS t)");
    }
}

/* The points of all kernels: the node and the column, the point, the log of its share. */
static void put_points(writer *w)
{
    size_t n = 0;
    for (size_t k = 0; k < w->g->n; k++) {
        const heft_graph_node  *node = &w->g->node[k];
        const heft_kernel_rule *rule = node->rule;
        if (node->op != HEFT_OP_KERNEL) continue;
        for (size_t c = 0; c < n_elements(w, k); c++)
            for (size_t p = 0; p < rule[c].n; p++) {
                if (n == 0) heft_put(w->out, "heft_points(j, c, p, m) AS (VALUES");
                heft_sql_put(w->out, n++ ? ",\n  (%z,%z,%d,%d)" : "\n  (%z,%z,%f,%f)", k, c,
                             rule[c].point[p], rule[c].log_mass[p]);
            }
    }
    if (n) heft_put(w->out, "),\n");
}

static void put_result(writer *w, const char *id)
{
    const heft_terms      *t = w->g->terms;
    const heft_graph_node *rule = &w->g->node[w->g->decision];
    heft_put(w->out, "\nSELECT ");
    if (id) heft_sql_put(w->out, "id AS %n, ", id);
    if (rule->decide == HEFT_FROM_THRESHOLD) {
        heft_put(w->out, "CASE WHEN ");
        heft_scalar_put(&w->scalars, heft_scalar_at(w->g, rule->in[0], 0, rule->chosen), w->out);
        heft_sql_put(w->out, ">=%d THEN %t ELSE %t END", rule->one,
                     heft_class_name(t, rule->chosen), heft_class_name(t, 1 - rule->chosen));
    } else {
        put_best((contest){w, rule->in[0], t->n_class, 0,
                           rule->decide == HEFT_LARGEST ? ">=" : "<=", false, 0},
                 t, w->out);
    }
    heft_put(w->out, " AS predicted");
    for (size_t c = 0; c < t->n_class; c++) {
        const heft_scalar at = heft_scalar_at(w->g, w->g->probabilities, 0, c);
        HEFT_SIDE_TEXT(name, w->out);
        heft_put(&name, "P(%s)", heft_class_name(t, c));
        heft_put(w->out, ",\n  ");
        if (at.node == SIZE_MAX) heft_put(w->out, "CAST(0 AS FLOAT8)");
        else heft_scalar_put(&w->scalars, at, w->out);
        heft_sql_put(w->out, " AS %n", heft_buf_string(&name));
    }
    heft_put(w->out, "\nFROM heft_%z;\n", w->n_steps - 1);
}

/* Refuses a table with a name of our own: SQLite would read the step of that name. */
static heft_status check_table(heft_ctx *ctx, const char *table)
{
    static const char own[] = "heft_";
    char              start[sizeof own] = "";
    const char       *name = table && table[0] == '"' ? table + 1 : table;
    if (name) memcpy(start, name, strnlen(name, sizeof own - 1));
    if (!heft_same_word(start, own)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "export: {table=%.80s}: names that begin with heft_ are those of the "
                     "statement's own steps (rename the table, or make a view of it)",
                     table);
}

static heft_status put_head(heft_ctx *ctx, const writer *w)
{
    const heft_terms *t = w->g->terms;
    const size_t      n = count_columns(w), all = n > t->n_class + 2 ? n : t->n_class + 2;
    if (n > MOST_COLUMNS && t->further.n)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "export: as SQL this model of method %s needs %s at once, and "
                         "databases have at most 1,664 ({advice other-format=c, json or onnx}, "
                         "or train with {method=auto}, {method=nb} or {method=lnb})",
                         t->model->method->name, HEFT_COUNT_OF(n, "column"));
    heft_put(
        w->out,
        "-- A model of method %s, written by heft %s: for SQLite 3.35 or later with its\n"
        "-- mathematical functions, DuckDB, and PostgreSQL 14 or later. NULL is a missing value.\n",
        t->model->method->name, HEFT_VERSION);
    if (all > MOST_COLUMNS)
        heft_put_marked(
            w->out,
            "-- Columns that it needs at once: %z. PostgreSQL has at most 1,664, SQLite "
            "2,000: use\n"
            "-- DuckDB, or train a model with fewer attributes ({select}).\n",
            all);
    heft_put(w->out, "WITH ");
    return HEFT_OK;
}

/* Space for the steps of any search. */
static heft_status make_search(writer *w)
{
    size_t most = 8;
    for (size_t k = 0; k < w->g->n; k++) {
        const heft_graph_node  *node = &w->g->node[k];
        const heft_cut_rule    *cut = node->op == HEFT_OP_CUT ? node->rule : NULL;
        const heft_cell_rule   *cell = node->op == HEFT_OP_CELL ? node->rule : NULL;
        const heft_lookup_rule *table = node->op == HEFT_OP_LOOKUP ? node->rule : NULL;
        for (size_t i = 0; i < node->rows; i++) {
            size_t n = 0;
            if (cut) n = cut[i].n_cuts + 2;
            if (table) n = table[i].n_lines;
            if (cell) n = cell[i].n_codes[0] + cell[i].n_codes[1] + 2 * cell[i].n_cells + 2;
            if (n > most) most = n;
        }
    }
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, most, w->search.from, w->search.value);
    return HEFT_OK;
}

static heft_status write_sql(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                             heft_buf *out)
{
    heft_graph g;
    writer     w = {.ctx = ctx, .g = &g, .prep = &t->model->prep, .out = out};
    HEFT_CHECK(check_table(ctx, how->table));
    HEFT_CHECK(heft_graph_lower(ctx, t,
                                HEFT_LOWER_DIFFERENCES | HEFT_LOWER_NO_TAIL |
                                    HEFT_LOWER_NO_LOG_SUM | HEFT_LOWER_NO_SOFTMAX,
                                &g));
    w.scalars = (heft_scalars){
        .format = &w, .put_field = put_field, .put_other = put_other, .text = sql_of};
    HEFT_CHECK(heft_scalars_open(ctx, &g, &w.scalars));
    HEFT_CHECK(make_search(&w));
    HEFT_CHECK(find_steps(&w));
    find_uses(&w);
    HEFT_CHECK(put_head(ctx, &w));
    put_points(&w);
    put_input(&w, how);
    for (size_t step = 2; step < w.n_steps; step++) {
        put_step(&w, step);
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    put_result(&w, how->id);
    return HEFT_OK;
}

const heft_export heft_export_sql = {
    .info = {.name = "sql",
             .ending = ".sql",
             .about = "one SELECT for SQLite, DuckDB and PostgreSQL"},
    .takes = HEFT_EXPORT_TABLE | HEFT_EXPORT_ID,
    .write = write_sql,
};
