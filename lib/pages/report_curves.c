/* report_curves.c - how good probabilities are, by rows in their order: the counts behind ROC,
 * precision-recall, gain and cost curves, the reliability diagram and the scores by class. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "pages/page.h"

enum { CURVES = 8, POINTS = 120, POINTS_OF_TWO = 400, BINS = 10, SCORES = 20 };

typedef struct scored { /* rows in falling order of the probability of class c */
    size_t  n;
    double *q;
    bool   *right; /* the row is of the class */
} scored;

/* Class c; c == K: the most probable class of each row, and whether it is right. */
static heft_status sort_rows(const heft_page *p, size_t c, scored *out)
{
    const heft_page_outcomes *o = p->outcomes;
    heft_ranked              *order, *spare;
    double                   *q;
    bool                     *right;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, o->n_known, order, spare, q, right, out->q, out->right);
    out->n = 0;
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= o->K) continue;
        const size_t of = c < o->K ? c : heft_decide(NULL, o->proba + i * o->K, o->K);
        q[out->n] = o->proba[i * o->K + of];
        right[out->n++] = o->y[i] == of;
    }
    heft_order_falling(q, out->n, order, spare);
    for (size_t k = 0; k < out->n; k++) {
        out->q[k] = q[order[k].row];
        out->right[k] = right[order[k].row];
    }
    return HEFT_OK;
}

/* ---- curves ---- */

/* The threshold from which the model itself predicts class `one`. */
static double own_threshold(const heft_page *p)
{
    const heft_decision *d = &p->model->decision;
    if (d->kind == HEFT_THRESHOLD) return d->chosen == p->one ? d->threshold : 1 - d->threshold;
    if (d->kind != HEFT_LEAST_COST) return 0.5;
    const double *c = d->cost;
    const double  alarm = c[p->zero * 2 + p->one] - c[p->zero * 2 + p->zero];
    const double  miss = c[p->one * 2 + p->zero] - c[p->one * 2 + p->one];
    return alarm + miss > 0 ? fmin(fmax(alarm / (alarm + miss), 0), 1) : 0.5;
}

static void put_own(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    size_t                    hit[2] = {0, 0};
    for (size_t i = 0; i < o->n; i++)
        if (o->y[i] < 2) hit[o->y[i] == p->one] += o->guess[i] == p->one;
    heft_json_put(p->out, "own:{ threshold:g tp:z fp:z }", own_threshold(p), hit[1], hit[0]);
}

typedef struct points { /* points of a curve: rows above a threshold, of the class and others */
    size_t  n, *hit, *alarm;
    double *at;
} points;

/* Keeps the points that can be seen: those at which a count has grown by a small part of its total,
 * or, near the top, by a small part of itself. */
static heft_status keep_points(const heft_page *p, const scored *s, size_t most, points *out)
{
    const double third = (double)most / 3, growth = 1 + log((double)s->n + 1) / third;
    size_t       hits = 0, hit = 0, alarm = 0, kept_hit = 0, kept_alarm = 0;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, s->n, out->at, out->hit, out->alarm);
    for (size_t i = 0; i < s->n; i++) hits += s->right[i];
    for (size_t i = 0; i < s->n; i++) {
        s->right[i] ? hit++ : alarm++;
        if (i + 1 < s->n && s->q[i + 1] == s->q[i]) continue;
        const bool seen = (double)(hit - kept_hit) * third > (double)hits ||
                          (double)(alarm - kept_alarm) * third > (double)(s->n - hits) ||
                          (double)(hit + alarm) > (double)(kept_hit + kept_alarm) * growth;
        if (!seen && i + 1 < s->n && s->n > most) continue;
        out->at[out->n] = s->q[i];
        out->hit[out->n] = kept_hit = hit;
        out->alarm[out->n++] = kept_alarm = alarm;
    }
    return HEFT_OK;
}

static heft_status put_curve(const heft_page *p, size_t c)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    const heft_page_outcomes *o = p->outcomes;
    heft_buf                 *out = p->out;
    const bool                two = o->K == 2 && p->K == 2;
    scored                    s;
    points                    g = {0};
    HEFT_CHECK(sort_rows(p, c, &s));
    HEFT_CHECK(keep_points(p, &s, two ? POINTS_OF_TWO : POINTS, &g));
    heft_json_put(out, "{ class:z positives:z negatives:z auc:g average_precision:g", c,
                  o->count[c], o->n_known - o->count[c], o->by_class[c].auc,
                  o->by_class[c].average_precision);
    if (two) put_own(p);
    else heft_json_null(out, "own");
    heft_json_open(out, "at", '[');
    for (size_t k = 0; k < g.n; k++) heft_json_exact(out, NULL, g.at[k]);
    heft_json_close(out, ']');
    heft_json_sizes(out, "tp", g.hit, g.n);
    heft_json_sizes(out, "fp", g.alarm, g.n);
    heft_json_close(out, '}');
    return HEFT_OK;
}

static void put_costs(const heft_page *p)
{
    const heft_decision *d = &p->model->decision;
    const double        *cost = d->kind == HEFT_LEAST_COST ? d->cost : (const double[]){0, 1, 1, 0};
    if (!p->outcomes || p->K != 2 || p->outcomes->K != 2) {
        heft_json_null(p->out, "costs");
        return;
    }
    heft_json_put(p->out, "costs:{ tp:g fp:g fn:g tn:g }", cost[p->one * 2 + p->one],
                  cost[p->zero * 2 + p->one], cost[p->one * 2 + p->zero],
                  cost[p->zero * 2 + p->zero]);
}

/* ---- reliability and scores ---- */

/* The bounds within which a share of k rows among n lies with 95% confidence (Wilson). */
static void put_interval(heft_buf *out, double k, double n)
{
    const double z = 1.959964, share = k / n, width = 1 + z * z / n;
    const double middle = (share + z * z / (2 * n)) / width;
    const double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / width;
    heft_json_put(out, "low:g high:g", fmax(middle - half, 0), fmin(middle + half, 1));
}

static void put_bins(heft_buf *out, const scored *s)
{
    for (size_t end = s->n, b = BINS; b-- > 0 && end > 0;) { /* the lowest probabilities first */
        size_t from = b * s->n / BINS;
        double said = 0, right = 0;
        if (from >= end) continue;
        while (from > 0 && s->q[from - 1] == s->q[from]) from--; /* equal ones stay together */
        for (size_t i = from; i < end; i++) said += s->q[i], right += s->right[i];
        const double n = (double)(end - from);
        heft_json_put(out, "{ rows:z predicted:g observed:g", end - from, said / n, right / n);
        put_interval(out, right, n);
        heft_json_close(out, '}');
        end = from;
    }
}

/* Writes how the probabilities are distributed: for two classes by actual class, for more by right
 * and wrong predictions. */
static void put_scores(heft_buf *out, const scored *s, bool two)
{
    double share[2][SCORES] = {{0}}, sum[2] = {0, 0};
    for (size_t i = 0; i < s->n; i++) {
        const double q = s->q[i] * SCORES;
        share[s->right[i]][q < SCORES ? (size_t)q : SCORES - 1]++;
        sum[s->right[i]]++;
    }
    for (size_t b = 0; b < 2 * SCORES; b++)
        if (sum[b / SCORES] > 0) share[b / SCORES][b % SCORES] /= sum[b / SCORES];
    heft_json_put(out, "scores:{ kind:s", two ? "classes" : "right");
    heft_json_numbers(out, "first", share[1], SCORES);
    heft_json_numbers(out, "second", share[0], SCORES);
    heft_json_close(out, '}');
}

static heft_status put_reliability(const heft_page *p)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    const bool two = p->outcomes->K == 2;
    scored     s;
    HEFT_CHECK(sort_rows(p, two ? p->one : p->outcomes->K, &s));
    heft_json_put(p->out, "reliability:{ class:c bins:[", two ? p->one : SIZE_MAX);
    put_bins(p->out, &s);
    heft_json_put(p->out, "] }");
    put_scores(p->out, &s, two);
    return HEFT_OK;
}

heft_status heft_report_curves(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const size_t              most = !o ? 0 : o->K == 2 ? 1 : o->K < CURVES ? o->K : CURVES;
    heft_json_open(p->out, "curves", '[');
    for (size_t k = 0; k < most; k++) {
        const size_t c = o->K == 2 ? p->one : o->frequent[k];
        if (o->count[c] > 0 && o->count[c] < o->n_known) HEFT_CHECK(put_curve(p, c));
    }
    heft_json_close(p->out, ']');
    put_costs(p);
    if (o) return put_reliability(p);
    heft_json_put(p->out, "reliability:0 scores:0");
    return HEFT_OK;
}
