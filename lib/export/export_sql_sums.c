/* export_sql_sums.c - a score that combines several sums (model/term.h), in SQL.
 *   heft_sums          u3_0: sum 3 of class 0
 *   heft_sum_tops      top3: the largest of sum 3 over the classes
 *   heft_sum_top       top: the largest of all sums
 *   heft_sum_exps      e3_0: exp(u3_0 - top3)
 *   heft_sum_wholes    whole3: the sum of e3_0, e3_1, ...
 *   heft_scores        s0: the log of a number that is at most about 1 and matters down to 1e-300
 */
#include <stdio.h>

#include "export/export_sql.h"

typedef struct combiner {
    heft_sql_writer *w;
    size_t           n_sums; /* without the base */
    size_t           n;      /* classes that are not left out */
    size_t          *kept;
    size_t           k, c; /* the sum and the class that is being written */
} combiner;

/* ---- items of sums ---- */

static void put_e(void *arg, size_t at, heft_buf *out)
{
    const combiner *m = arg;
    heft_put(out, "e%z_%z", m->k, m->kept[at]);
}

/* The share of a sum's probability of the class. */
static void put_share(void *arg, size_t k, heft_buf *out)
{
    const combiner *m = arg;
    const double    share = m->w->t->further.mixing[k == m->n_sums ? 0 : k + 1];
    heft_sql_put(out, "%d*(e%z_%z/whole%z)", share, k, m->c, k);
}

static void put_exp(void *arg, size_t k, heft_buf *out)
{
    const combiner *m = arg;
    heft_put(out, "CASE WHEN u%z_%z-top>-600 THEN exp(u%z_%z-top) ELSE 0e0 END", k, m->c, k, m->c);
}

static void put_log(void *arg, size_t k, heft_buf *out)
{
    const combiner *m = arg;
    heft_sql_put(out, "ln(CASE WHEN u%z_%z>%d THEN u%z_%z ELSE %d END)", k, m->c, HEFT_LEAST_SUM, k,
                 m->c, HEFT_LEAST_SUM);
}

/* ---- steps ---- */

static void put_tops(combiner *m, size_t n)
{
    heft_buf *out = m->w->out;
    heft_sql_begin(m->w, "heft_sum_tops", true);
    for (size_t k = 0; k < n; k++) {
        char column[32];
        snprintf(column, sizeof column, "u%zu_", k);
        heft_put(out, ",\n  ");
        heft_sql_largest(out, column, m->kept, m->n);
        heft_put(out, " AS top%z", k);
    }
    heft_put(out, " FROM heft_sums)");
}

/* Posteriors of the sums. */
static void put_shares(combiner *m)
{
    heft_buf *out = m->w->out;
    put_tops(m, m->n_sums + 1);
    heft_sql_begin(m->w, "heft_sum_exps", false);
    for (size_t k = 0; k <= m->n_sums; k++)
        for (size_t at = 0; at < m->n; at++)
            heft_put(out,
                     ",\n  CASE WHEN u%z_%z-top%z>-600 THEN exp(u%z_%z-top%z) ELSE 0e0 END AS "
                     "e%z_%z",
                     k, m->kept[at], k, k, m->kept[at], k, k, m->kept[at]);
    heft_put(out, " FROM heft_sum_tops)");
    heft_sql_begin(m->w, "heft_sum_wholes", true);
    for (m->k = 0; m->k <= m->n_sums; m->k++) {
        heft_put(out, ",\n  ");
        heft_sql_join(out, "+", 0, m->n, put_e, m);
        heft_put(out, " AS whole%z", m->k);
    }
    heft_put(out, " FROM heft_sum_exps)");
}

static void put_largest(combiner *m)
{
    put_tops(m, m->n_sums);
    heft_sql_begin(m->w, "heft_sum_top", true);
    heft_put(m->w->out, ",\n  ");
    heft_sql_largest(m->w->out, "top", NULL, m->n_sums);
    heft_put(m->w->out, " AS top FROM heft_sum_tops)");
}

static void put_score(combiner *m)
{
    heft_buf *out = m->w->out;
    switch (m->w->t->further.combining) {
    case HEFT_MIXED:
        heft_put(out, "ln(1e-300+");
        heft_sql_join(out, "+", 0, m->n_sums + 1, put_share, m);
        heft_put(out, ")");
        break;
    case HEFT_AVERAGED:
        heft_sql_put(out, "CASE WHEN top<%d THEN u%z_%z ELSE ln(1e-300+", HEFT_ABSENT / 10,
                     m->n_sums, m->c);
        heft_sql_join(out, "+", 0, m->n_sums, put_exp, m);
        heft_put(out, ") END");
        break;
    case HEFT_MULTIPLIED:
        heft_put(out, "u%z_%z+", m->n_sums, m->c);
        heft_sql_join(out, "+", 0, m->n_sums, put_log, m);
        break;
    case HEFT_ALONE:
        break;
    }
}

heft_status heft_sql_combine(heft_ctx *ctx, heft_sql_writer *w)
{
    const heft_terms *t = w->t;
    combiner          m = {.w = w, .n_sums = t->further.n};
    const char       *from = "heft_sums";
    HEFT_ALLOC(ctx, &ctx->scratch, m.kept, t->n_class);
    for (size_t c = 0; c < t->n_class; c++)
        if (!heft_class_absent(t, c)) m.kept[m.n++] = c;
    if (t->further.combining == HEFT_MIXED) put_shares(&m), from = "heft_sum_wholes";
    if (t->further.combining == HEFT_AVERAGED) put_largest(&m), from = "heft_sum_top";
    heft_sql_begin(w, "heft_scores", false);
    for (size_t at = 0; at < m.n; at++) {
        m.c = m.kept[at];
        heft_put(w->out, ",\n  ");
        put_score(&m);
        heft_put(w->out, " AS s%z", m.c);
    }
    heft_put(w->out, " FROM %s)", from);
    return HEFT_OK;
}
