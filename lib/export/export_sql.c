/* export_sql.c - a model as one SELECT for SQLite, DuckDB and PostgreSQL.
 *
 * Each step of scoring is a common table expression, which is materialized so that no engine puts
 * the text of one step into the next:
 *   heft_input    codes of nominal columns (c0), numbers as doubles (x1)
 *   heft_cells    what is not a finite number is missing; missing numbers are filled in
 *   heft_length, heft_unit      rows scaled to length 1
 *   heft_codes    codes of numbers, slopes (z1), scaled numbers of densities (x1)
 *   heft_pairs    cells of attribute pairs (p0)
 *   heft_near, heft_kernels     kernel densities (k1_0) over heft_points
 *   heft_margins, heft_votes    class pairs
 *   heft_sums     several sums, which are combined (export_sql_sums.c)
 *   heft_scores   s0 of class 0
 * then calibration, softmax and the decision (export_sql_classes.c). A code is a spot of term.h:
 * the value or interval, then missing, then never seen. */
#include <math.h>
#include <string.h>

#include "export/export.h"
#include "export/export_sql.h"

typedef enum part_kind { START, TABLE, SLOPE, DENSITY, KERNEL, PAIR, TREE } part_kind;

struct heft_sql_part { /* a term of a score */
    part_kind kind;
    size_t    at; /* attribute, pair or tree */
};

typedef heft_sql_writer      writer;
typedef struct heft_sql_part part;

/* What a line of a table adds to the sum. */
static double value_of(const writer *w, size_t j, const double *line)
{
    return w->pair ? w->pair->w[j] * (line[w->a] - line[w->b]) : line[w->a];
}

/* ---- kernels ---- */

static void put_points(writer *w)
{
    size_t n = 0;
    heft_put(w->out, "heft_points(j, c, p, m) AS (VALUES");
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_lik *lik = w->t->attr[j].lik;
        if (w->t->attr[j].kind != HEFT_TERM_KERNEL) continue;
        for (size_t c = 0; c < w->t->n_class; c++)
            for (size_t k = lik->start[c]; k < lik->start[c + 1]; k++)
                heft_sql_put(w->out, n++ ? ",\n  (%z,%z,%d,%d)" : "\n  (%z,%z,%f,%f)", j, c,
                             lik->point[k], lik->log_mass[k]);
    }
    heft_put(w->out, "),\n");
}

/* Writes log sum_k exp(m - z_k^2/2) over the points of a class. The exponents are taken relative to
 * the nearest point, whose distance is d, so that the sum does not underflow. */
static void put_kernel(writer *w, size_t j, size_t c)
{
    const double h = w->t->attr[j].lik->width[c];
    heft_sql_put(
        w->out,
        ",\n  CASE WHEN h.x%z IS NULL THEN 0e0 ELSE "
        "%d-0.5e0*(h.d%z_%z/%d)*(h.d%z_%z/%d)+ln((SELECT "
        "sum(CASE WHEN q.e>-600e0 THEN exp(q.e) ELSE 0e0 END) FROM (SELECT "
        "k.m+0.5e0*((h.d%z_%z-abs(h.x%z-k.p))/%d)*((h.d%z_%z+abs(h.x%z-k.p))/%d) AS e FROM "
        "heft_points AS k WHERE k.j=%z AND k.c=%z) AS q)) END AS k%z_%z",
        j, -HEFT_LOG_TWO_PI_HALF - log(h), j, c, h, j, c, h, j, c, j, h, j, c, j, h, j, c, j, c);
}

static void put_kernels(writer *w)
{
    for (int step = 0; step < 2; step++) {
        heft_put(w->out, ",\n%s AS MATERIALIZED (SELECT h.*", step ? "heft_kernels" : "heft_near");
        for (size_t j = 0; j < w->t->n_attr; j++) {
            const heft_lik *lik = w->t->attr[j].lik;
            if (w->t->attr[j].kind != HEFT_TERM_KERNEL) continue;
            for (size_t c = 0; c < w->t->n_class; c++) {
                if (lik->start[c] == lik->start[c + 1]) continue;
                if (step) put_kernel(w, j, c);
                else
                    heft_put(w->out,
                             ",\n  (SELECT min(abs(h.x%z-k.p)) FROM heft_points AS k WHERE "
                             "k.j=%z AND k.c=%z) AS d%z_%z",
                             j, j, c, j, c);
            }
        }
        heft_put(w->out, " FROM %s AS h)", step ? "heft_near" : "heft_codes");
    }
}

/* Writes log P(x | c). A class without points has the mean of the others. */
static void put_kernel_part(const writer *w, size_t j, size_t c)
{
    const heft_lik *lik = w->t->attr[j].lik;
    size_t          n = 0;
    for (size_t k = 0; k < w->t->n_class; k++) n += lik->start[k] < lik->start[k + 1];
    if (lik->start[c] < lik->start[c + 1]) {
        heft_put(w->out, "k%z_%z", j, c);
        return;
    }
    for (size_t k = 0, first = 1; k < w->t->n_class; k++) {
        if (lik->start[k] == lik->start[k + 1]) continue;
        heft_put(w->out, "%sk%z_%z", first ? "(" : "+", j, k);
        first = 0;
    }
    heft_put(w->out, ")/%z", n);
}

/* ---- densities ---- */

static void put_normal(const writer *w, size_t j, size_t c)
{
    const heft_normal n = heft_normal_of(w->t, j, c);
    if (n.point) {
        heft_sql_put(w->out, "CASE WHEN x%z IS NULL OR x%z=%d THEN CAST(0 AS FLOAT8) ELSE %d END",
                     j, j, n.mean, n.constant);
        return;
    }
    heft_sql_put(w->out,
                 "CASE WHEN abs((x%z-%d)*%d) BETWEEN 1e-140 AND 1e140 THEN "
                 "%d-%d*(((x%z-%d)*%d)*((x%z-%d)*%d)) WHEN x%z IS NULL THEN 0e0 WHEN "
                 "abs((x%z-%d)*%d)<1e0 THEN %d ELSE %d END",
                 j, n.mean, n.inverse, n.constant, n.half, j, n.mean, n.inverse, j, n.mean,
                 n.inverse, j, j, n.mean, n.inverse, n.constant, n.constant - n.half * 1e280);
}

static void put_density(const writer *w, const part *p)
{
    void (*put)(const writer *, size_t, size_t) = p->kind == KERNEL ? put_kernel_part : put_normal;
    const bool weighted = w->pair || p->kind == KERNEL;
    if (weighted)
        heft_sql_put(w->out, "%d*(",
                     w->pair ? w->pair->w[p->at] : heft_density_weight(w->t, p->at, w->a));
    put(w, p->at, w->a);
    if (w->pair) {
        heft_put(w->out, "-");
        put(w, p->at, w->b);
    }
    if (weighted) heft_put(w->out, ")");
}

/* ---- trees ---- */

static bool is_listed(const writer *w, const heft_tree_split *s, size_t spot)
{
    const uint32_t line = heft_term_line(&w->t->attr[s->attr], spot);
    for (size_t k = 0; k < s->n_listed; k++)
        if (w->t->trees->listed[s->at + k] == line) return true;
    return false;
}

/* Writes a test for runs of codes. IN with a list would be shorter, but DuckDB makes a join of it.
 */
static void put_listed(const writer *w, const heft_tree_split *s)
{
    const size_t n = w->t->attr[s->attr].n_codes + 2, j = s->attr;
    size_t       n_runs = 0;
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        for (hi = lo; hi < n && is_listed(w, s, hi); hi++) continue;
        if (hi > lo) heft_put(w->out, "%sc%z", n_runs++ ? " OR " : "", j);
        if (hi == lo + 1) heft_put(w->out, "=%z", lo);
        else if (hi > lo) heft_put(w->out, " BETWEEN %z AND %z", lo, hi - 1);
        if (hi == lo) hi++;
    }
    if (n_runs == 0) heft_put(w->out, "c%z<0", j);
}

/* Writes the condition for a row to go left at a split, or not to. */
static void put_condition(const writer *w, const heft_tree_split *s, bool left)
{
    const heft_term *term = &w->t->attr[s->attr];
    const size_t     j = s->attr, at = s->at < term->n_codes ? s->at : term->n_codes;
    if (s->n_listed) {
        if (!left) heft_put(w->out, "NOT (");
        put_listed(w, s);
        if (!left) heft_put(w->out, ")");
        return;
    }
    heft_put(w->out, "c%z%s%z", j, left ? "<" : ">=", at);
    if (w->t->tree_missing[j] <= s->at)
        heft_put(w->out, left ? " OR c%z=%z" : " AND c%z<>%z", j, term->n_codes);
}

/* The n leaves from `leaf` on and the splits between them, from `split` on. The side with fewer
 * leaves is a CASE of its own, the other one goes on in this one: so the depth is log2 n. */
static void put_tree(const writer *w, size_t n, size_t split, size_t leaf)
{
    const heft_trees *trees = w->t->trees;
    const bool        margin = trees->n_columns == 1;
    bool              first = true;
    if (n > 1) heft_put(w->out, "CASE");
    while (n > 1) {
        const heft_tree_split *s = &trees->split[split];
        const size_t           n_left = s->left;
        const bool left = 2 * n_left <= n; /* whether the left side is the CASE of its own */
        heft_put(w->out, " WHEN ");
        put_condition(w, s, left);
        heft_put(w->out, " THEN ");
        put_tree(w, left ? n_left : n - n_left, left ? split + 1 : split + n_left,
                 left ? leaf : leaf + n_left);
        if (left) split += n_left, leaf += n_left, n -= n_left;
        else split++, n = n_left;
        if (n == 1) heft_put(w->out, " ELSE ");
        first = false;
    }
    const double value = trees->value[leaf * trees->n_columns + (margin ? 0 : w->a)];
    heft_sql_put(w->out, "%f", margin ? 2 * value : value);
    if (!first) heft_put(w->out, " END");
}

/* ---- sums ---- */

static void put_start(const writer *w)
{
    const double *start = w->t->start;
    double        x = start[heft_class_of(w->t, w->a)];
    if (w->pair) x = w->pair->w0 * (x - start[heft_class_of(w->t, w->b)]);
    heft_sql_put(w->out, "%f", isfinite(x) ? x : x > 0 ? 1e300 : x < 0 ? -1e300 : 0.0);
}

static void put_table(writer *w, size_t j)
{
    const heft_term *term = &w->t->attr[j];
    heft_sql_steps  *steps = heft_sql_begin_steps(w, "c", j);
    for (size_t v = 0; v < heft_sql_spots(w, j); v++)
        heft_sql_step(steps, (double)v,
                      value_of(w, j, term->table + heft_term_line(term, v) * w->t->n_columns));
    heft_sql_search(w->out, steps);
}

/* Writes what a pair adds. Cells without a line add nothing. */
static void put_pair(writer *w, size_t k)
{
    const heft_joint_term *joint = &w->t->joint.list[k];
    heft_sql_steps        *steps = heft_sql_begin_steps(w, "p", joint->grid);
    double                 next = 0;
    for (size_t v = 0; v < joint->n_cells; v++) {
        const double cell = (double)(joint->key ? joint->key[v] : v);
        if (cell > next) heft_sql_step(steps, next, 0);
        heft_sql_step(steps, cell, joint->table[v * w->t->n_columns + w->a]);
        next = cell + 1;
    }
    heft_sql_step(steps, next, joint->key ? 0 : steps->value[steps->n - 1]);
    heft_sql_search(w->out, steps);
}

static void put_part(void *arg, size_t k, heft_buf *out)
{
    writer     *w = arg;
    const part *p = &w->part[k];
    heft_put(out, "\n   ");
    switch (p->kind) {
    case START:
        put_start(w);
        break;
    case TABLE:
        put_table(w, p->at);
        break;
    case SLOPE:
        heft_sql_put(out, "%d*z%z", w->t->attr[p->at].slope[w->a], p->at);
        break;
    case DENSITY:
    case KERNEL:
        put_density(w, p);
        break;
    case PAIR:
        put_pair(w, p->at);
        break;
    case TREE:
        put_tree(w, w->t->trees->tree[p->at].n_leaves, w->t->trees->tree[p->at].split,
                 w->t->trees->tree[p->at].leaf);
        break;
    }
}

/* With two columns the trees of the first are left out, and those of the second doubled: softmax
 * and calibration look at differences alone. */
static void put_sum(writer *w)
{
    const bool   none = w->t->trees && w->t->trees->n_columns == 1 && w->a == 0;
    const size_t n = w->n_parts - (none ? w->t->trees->n_trees : 0);
    heft_put(w->out, ",\n  ");
    heft_sql_join(w->out, "+", 0, n, put_part, w);
}

/* ---- class pairs ---- */

static void put_vote(void *arg, size_t k, heft_buf *out)
{
    const writer          *w = arg;
    const heft_class_pair *pair = &w->t->class_pair[k];
    if (pair->a == w->a) heft_put(out, "v%z", k);
    else if (pair->b == w->a) heft_put(out, "(1e0-v%z)", k);
    else heft_put(out, "0e0");
}

static void put_votes(writer *w, const char *from)
{
    const size_t n = w->t->n_class_pairs;
    heft_sql_begin(w, "heft_margins", false);
    for (size_t k = 0; k < n; k++) {
        w->pair = &w->t->class_pair[k];
        w->a = w->pair->a, w->b = w->pair->b;
        put_sum(w);
        heft_put(w->out, " AS m%z", k);
    }
    heft_put(w->out, " FROM %s)", from);
    w->pair = NULL;
    heft_sql_begin(w, "heft_votes", false);
    for (size_t k = 0; k < n; k++)
        heft_put(w->out,
                 ",\n  CASE WHEN m%z<-600 THEN 0e0 WHEN m%z>600 THEN 1e0 ELSE 1e0/(1e0+exp(-m%z)) "
                 "END AS v%z",
                 k, k, k, k);
    heft_put(w->out, " FROM heft_margins)");
}

/* ---- the whole ---- */

static void put_scores(writer *w, const char *from)
{
    heft_sql_begin(w, "heft_scores", false);
    for (w->a = 0; w->a < w->t->n_columns; w->a++) {
        if (heft_class_absent(w->t, heft_class_of(w->t, w->a))) continue;
        if (w->t->class_pair) {
            heft_put(w->out, ",\n  ln((1e-300+");
            heft_sql_join(w->out, "+", 0, w->t->n_class_pairs, put_vote, w);
            heft_put(w->out, ")/%z)", w->t->n_class_pairs);
        } else {
            put_sum(w);
        }
        heft_put(w->out, " AS s%z", heft_class_of(w->t, w->a));
    }
    heft_put(w->out, " FROM %s)", w->t->class_pair ? "heft_votes" : from);
}

/* Lists the parts of a sum, which is the one that is written from now on. */
static heft_status list_parts(heft_ctx *ctx, writer *w, const heft_terms *t)
{
    const size_t n_trees = t->trees ? t->trees->n_trees : 0;
    w->t = t;
    w->n_parts = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, w->part, 1 + 2 * t->n_attr + t->joint.n + n_trees);
    w->part[w->n_parts++] = (part){START, 0};
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_term *term = &t->attr[j];
        if (term->table) w->part[w->n_parts++] = (part){TABLE, j};
        if (heft_has_slope(term)) w->part[w->n_parts++] = (part){SLOPE, j};
        if (heft_sql_density(term))
            w->part[w->n_parts++] = (part){term->kind == HEFT_TERM_KERNEL ? KERNEL : DENSITY, j};
        w->kernels |= term->kind == HEFT_TERM_KERNEL;
    }
    for (size_t k = 0; k < t->joint.n; k++) w->part[w->n_parts++] = (part){PAIR, k};
    for (size_t k = 0; k < n_trees; k++) w->part[w->n_parts++] = (part){TREE, k};
    return HEFT_OK;
}

/* Allocates space for the steps of any search. */
static heft_status make_steps(heft_ctx *ctx, writer *w)
{
    size_t most = 4;
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_term *term = &w->t->attr[j];
        if (term->n_codes + term->n_cuts + 4 > most) most = term->n_codes + term->n_cuts + 4;
    }
    for (size_t k = 0; k < w->t->joint.n_grids; k++)
        if (w->grid[k] && 2 * w->grid[k]->n_cells + 2 > most) most = 2 * w->grid[k]->n_cells + 2;
    HEFT_ALLOCS(ctx, &ctx->scratch, most, w->steps.from, w->steps.value);
    return HEFT_OK;
}

/* Writes all sums, the base as the last one. */
static heft_status put_sums(heft_ctx *ctx, writer *w, const char *from)
{
    const heft_terms *base = w->t;
    heft_sql_begin(w, "heft_sums", false);
    for (size_t k = 0; k <= base->further.n; k++) {
        HEFT_CHECK(list_parts(ctx, w, k < base->further.n ? &base->further.list[k] : base));
        HEFT_CHECK(heft_check_cancel(ctx));
        for (w->a = 0; w->a < base->n_class; w->a++) {
            if (heft_class_absent(base, w->a)) continue;
            put_sum(w);
            heft_put(w->out, " AS u%z_%z", k, w->a);
        }
    }
    heft_put(w->out, " FROM %s)", from);
    return heft_sql_combine(ctx, w);
}

/* Refuses a table with a name of our own: SQLite would read the step of that name. */
static heft_status check_table(heft_ctx *ctx, const char *table)
{
    static const char own[] = "heft_";
    char              start[sizeof own] = "";
    if (table) memcpy(start, table, strnlen(table, sizeof own - 1));
    if (!heft_same_word(start, own)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "export: {table=%.80s}: names that begin with heft_ are those of the "
                     "statement's own steps (rename the table, or make a view of it)",
                     table);
}

/* Returns how many columns the widest step has. */
static size_t count_columns(const writer *w)
{
    const size_t sums = 2 + (w->t->further.n + 1) * (w->t->n_class + 1);
    size_t       n = 1 + w->t->n_attr + w->n_pairs;
    for (size_t j = 0; j < w->t->n_attr; j++) {
        n += heft_has_slope(&w->t->attr[j]);
        if (w->t->attr[j].kind == HEFT_TERM_KERNEL) n += 2 * w->t->n_class;
    }
    return w->t->further.n && sums > n ? sums : n;
}

static heft_status put_head(heft_ctx *ctx, const writer *w)
{
    const size_t n = count_columns(w), most = 1664;
    if (n > most && w->t->further.n)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "export: as SQL this model of method %s needs %s at once, and "
                         "databases have at most 1,664 ({advice other-format=c, json or onnx}, "
                         "or train with {method=auto}, {method=nb} or {method=lnb})",
                         w->t->model->method->name, HEFT_COUNT_OF(n, "column"));
    heft_put(
        w->out,
        "-- A model of method %s, written by heft %s: for SQLite 3.35 or later with its\n"
        "-- mathematical functions, DuckDB, and PostgreSQL 14 or later. NULL is a missing value.\n",
        w->t->model->method->name, HEFT_VERSION);
    if (n > most || w->t->n_class + 2 > most)
        heft_put_marked(
            w->out,
            "-- Columns that it needs at once: %z. PostgreSQL has at most 1,664, SQLite "
            "2,000: use\n"
            "-- DuckDB, or train a model with fewer attributes ({select}).\n",
            n > w->t->n_class + 2 ? n : w->t->n_class + 2);
    heft_put(w->out, "WITH ");
    return HEFT_OK;
}

static heft_status write_sql(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                             heft_buf *out)
{
    writer w = {.t = t,
                .prep = &t->model->prep,
                .out = out,
                .unit = t->model->prep.spec.scaling == HEFT_SCALE_UNIT && t->n_attr > 0};
    HEFT_CHECK(check_table(ctx, how->table));
    HEFT_CHECK(list_parts(ctx, &w, t));
    HEFT_CHECK(heft_terms_grids(ctx, t, &w.grid, &w.n_pairs));
    HEFT_CHECK(make_steps(ctx, &w));
    const char *from = w.kernels ? "heft_kernels" : w.n_pairs ? "heft_pairs" : "heft_codes";
    HEFT_CHECK(put_head(ctx, &w));
    if (w.kernels) put_points(&w);
    heft_sql_input(&w, how);
    if (w.unit) heft_sql_unit(&w);
    heft_sql_codes(&w);
    if (w.n_pairs) heft_sql_pairs(&w);
    if (w.kernels) put_kernels(&w);
    if (t->class_pair) put_votes(&w, from);
    if (t->further.n) HEFT_CHECK(put_sums(ctx, &w, from));
    else put_scores(&w, from);
    return heft_sql_classes(ctx, t, how->id, out);
}

const heft_export heft_export_sql = {
    .info = {.name = "sql",
             .ending = ".sql",
             .about = "one SELECT for SQLite, DuckDB and PostgreSQL"},
    .takes = HEFT_EXPORT_TABLE | HEFT_EXPORT_ID,
    .lacks = 1 << HEFT_LIK_ROUNDED, /* SQL has no error function */
    .write = write_sql,
};
