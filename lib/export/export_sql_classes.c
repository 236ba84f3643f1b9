/* export_sql_classes.c - from scores to probabilities and a class, in SQL.
 *   heft_top, heft_all, heft_calibrated            calibrated scores
 *   heft_most, heft_exp, heft_total, heft_proba    softmax: p0 of class 0
 *   heft_costs                                     expected costs: r0 of predicting class 0 */
#include <math.h>

#include "export/export_sql.h"

typedef struct classes {
    const heft_terms *t;
    heft_buf         *out;
    size_t            n; /* classes that are not left out */
    size_t           *kept;
} classes;

/* ---- the first of the best ---- */

typedef struct contest {
    const char   *column, *sign; /* "p", ">=" */
    const size_t *among;         /* classes; NULL: 0, 1, ... */
    size_t        at;
} contest;

static size_t one_of(const contest *c, size_t k)
{
    return c->among ? c->among[k] : k;
}

static void put_compare(void *arg, size_t k, heft_buf *out)
{
    const contest *c = arg;
    heft_put(out, "%s%z%s%s%z", c->column, one_of(c, c->at), c->sign, c->column, one_of(c, k));
}

/* The best of n: its value, or its name (`names`). The first that no later one exceeds is the first
 * of the best. */
static void put_best(heft_buf *out, contest c, size_t n, const heft_terms *names)
{
    if (n > 1) heft_put(out, "CASE");
    for (c.at = 0; c.at < n; c.at++) {
        if (c.at + 1 < n) {
            heft_put(out, "\n    WHEN ");
            heft_sql_join(out, " AND ", c.at + 1, n, put_compare, &c);
            heft_put(out, " THEN ");
        } else if (n > 1) {
            heft_put(out, "\n    ELSE ");
        }
        if (names) heft_sql_put(out, "%t", heft_class_name(names, one_of(&c, c.at)));
        else heft_put(out, "%s%z", c.column, one_of(&c, c.at));
    }
    if (n > 1) heft_put(out, " END");
}

void heft_sql_largest(heft_buf *out, const char *column, const size_t *among, size_t n)
{
    put_best(out, (contest){column, ">=", among, 0}, n, NULL);
}

/* ---- softmax ---- */

static void put_top(classes *k, const char *name, const char *from)
{
    heft_put(k->out, ",\n%s AS MATERIALIZED (SELECT *,\n  ", name);
    heft_sql_largest(k->out, "s", k->kept, k->n);
    heft_put(k->out, " AS top FROM %s)", from);
}

/* exp(s - top) of a class that is not left out */
static void put_exp(void *arg, size_t at, heft_buf *out)
{
    const size_t c = ((classes *)arg)->kept[at];
    heft_put(out, "CASE WHEN s%z-top>-600 THEN exp(s%z-top) ELSE 0e0 END", c, c);
}

static void put_e(void *arg, size_t at, heft_buf *out)
{
    heft_put(out, "e%z", ((classes *)arg)->kept[at]);
}

/* The scores, as `calibration` has them. Returns where they are. */
static const char *put_calibrated(classes *k, const heft_calibration *calibration)
{
    const bool vector = calibration->kind == HEFT_VECTOR;
    if (!calibration->scale) return "heft_scores";
    if (vector) {
        put_top(k, "heft_top", "heft_scores");
        heft_put(k->out, ",\nheft_all AS MATERIALIZED (SELECT *, top+ln(");
        heft_sql_join(k->out, "+", 0, k->n, put_exp, k);
        heft_put(k->out, ") AS every FROM heft_top)");
    }
    heft_put(k->out, ",\nheft_calibrated AS MATERIALIZED (SELECT id");
    for (size_t at = 0; at < k->n; at++) {
        const size_t c = k->kept[at];
        heft_sql_put(k->out, vector ? ",\n  %d*(s%z-every)+%d AS s%z" : ",\n  %d*s%z+%d AS s%z",
                     calibration->scale[c], c, calibration->shift[c], c);
    }
    heft_put(k->out, " FROM %s)", vector ? "heft_all" : "heft_scores");
    return "heft_calibrated";
}

static void put_softmax(classes *k, const char *from)
{
    put_top(k, "heft_most", from);
    heft_put(k->out, ",\nheft_exp AS MATERIALIZED (SELECT id");
    for (size_t at = 0; at < k->n; at++) {
        heft_put(k->out, ",\n  ");
        put_exp(k, at, k->out);
        heft_put(k->out, " AS e%z", k->kept[at]);
    }
    heft_put(k->out, " FROM heft_most),\nheft_total AS MATERIALIZED (SELECT *, ");
    heft_sql_join(k->out, "+", 0, k->n, put_e, k);
    heft_put(k->out, " AS total FROM heft_exp),\nheft_proba AS MATERIALIZED (SELECT id");
    for (size_t c = 0; c < k->t->n_class; c++)
        heft_put(k->out,
                 heft_class_absent(k->t, c) ? ", CAST(0 AS FLOAT8) AS p%z" : ", e%z/total AS p%z",
                 c, c);
    heft_put(k->out, " FROM heft_total)");
}

/* ---- the decision ---- */

typedef struct expected {
    const double *cost;
    size_t        n, c;
} expected;

static void put_cost(void *arg, size_t actual, heft_buf *out)
{
    const expected *e = arg;
    heft_sql_put(out, "p%z*%d", actual, e->cost[actual * e->n + e->c]);
}

static void put_costs(classes *k, const double *cost)
{
    expected e = {cost, k->t->n_class, 0};
    heft_put(k->out, ",\nheft_costs AS MATERIALIZED (SELECT *");
    for (e.c = 0; e.c < e.n; e.c++) {
        heft_put(k->out, ",\n  ");
        heft_sql_join(k->out, "+", 0, e.n, put_cost, &e);
        heft_put(k->out, " AS r%z", e.c);
    }
    heft_put(k->out, " FROM heft_proba)");
}

static void put_decision(classes *k, const heft_decision *rule)
{
    switch (rule->kind) {
    case HEFT_THRESHOLD:
        heft_sql_put(k->out, "CASE WHEN p%z>=%d THEN %t ELSE %t END", rule->chosen, rule->threshold,
                     heft_class_name(k->t, rule->chosen), heft_class_name(k->t, 1 - rule->chosen));
        break;
    case HEFT_LEAST_COST:
        put_best(k->out, (contest){"r", "<=", NULL, 0}, k->t->n_class, k->t);
        break;
    case HEFT_MOST_PROBABLE:
        put_best(k->out, (contest){"p", ">=", NULL, 0}, k->t->n_class, k->t);
        break;
    }
}

static void put_result(classes *k, const char *id)
{
    const heft_decision *rule = &k->t->model->decision;
    const bool           costs = rule->kind == HEFT_LEAST_COST;
    if (costs) put_costs(k, rule->cost);
    heft_put(k->out, "\nSELECT ");
    if (id) heft_sql_put(k->out, "id AS %n, ", id);
    put_decision(k, rule);
    heft_put(k->out, " AS predicted");
    for (size_t c = 0; c < k->t->n_class; c++) {
        HEFT_SIDE_TEXT(name, k->out);
        heft_put(&name, "P(%s)", heft_class_name(k->t, c));
        heft_sql_put(k->out, ",\n  p%z AS %n", c, heft_buf_string(&name));
    }
    heft_put(k->out, "\nFROM %s;\n", costs ? "heft_costs" : "heft_proba");
}

heft_status heft_sql_classes(heft_ctx *ctx, const heft_terms *t, const char *id, heft_buf *out)
{
    classes k = {.t = t, .out = out};
    HEFT_ALLOC(ctx, &ctx->scratch, k.kept, t->n_class);
    for (size_t c = 0; c < t->n_class; c++)
        if (!heft_class_absent(t, c)) k.kept[k.n++] = c;
    put_softmax(&k, put_calibrated(&k, &t->model->calibration));
    put_result(&k, id);
    return HEFT_OK;
}
