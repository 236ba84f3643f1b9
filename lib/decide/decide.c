/* decide.c - which class is predicted, given the probabilities of a row. */
#include "decide/decide.h"

#include <string.h>

#include "base/num.h"
#include "base/put.h"
#include "base/setting_words.h"

enum { SHOWN_COSTS = 4 }; /* most classes whose costs are written out */

static size_t least_cost(const double *cost, const double *proba, size_t n_class)
{
    size_t best = 0;
    double least = 0;
    for (size_t c = 0; c < n_class; c++) {
        double expected = 0;
        for (size_t actual = 0; actual < n_class; actual++)
            expected += proba[actual] * cost[actual * n_class + c];
        if (c > 0 && expected >= least) continue;
        best = c;
        least = expected;
    }
    return best;
}

size_t heft_decide(const heft_decision *rule, const double *proba, size_t n_class)
{
    switch (rule ? rule->kind : HEFT_MOST_PROBABLE) {
    case HEFT_THRESHOLD:
        return proba[rule->chosen] >= rule->threshold ? rule->chosen : 1 - rule->chosen;
    case HEFT_LEAST_COST:
        return least_cost(rule->cost, proba, n_class);
    case HEFT_MOST_PROBABLE:
        break;
    }
    return heft_argmax(proba, n_class);
}

size_t heft_positive_class(const heft_dict *classes, const char *positive)
{
    const uint32_t c =
        positive ? heft_dict_find(classes, positive, strlen(positive)) : HEFT_DICT_NONE;
    return c < 2 ? c : 1;
}

const char *heft_rare_options(size_t n_class, bool trained)
{
    return n_class > 2 ? "{cost}"
           : trained   ? "{threshold} or {cost}"
                       : "{threshold}, {cost} or {tune}";
}

/* ---- measures to tune for ---- */

static const char *const titles[] = {
    [HEFT_TUNE_BALANCED_ACCURACY] = "balanced accuracy",
    [HEFT_TUNE_F1] = "F1",
    [HEFT_TUNE_MCC] = "Matthews correlation",
    [HEFT_TUNE_COST] = "mean cost",
};

heft_status heft_tuning_parse(heft_ctx *ctx, const char *word, heft_tuning *out)
{
    size_t k = 0; /* the words are in the order of the enum */
    HEFT_CHECK(heft_setting_choose(ctx, "tune", word, &k, NULL));
    *out = word ? (heft_tuning)(HEFT_TUNE_BALANCED_ACCURACY + k) : HEFT_NOT_TUNED;
    return HEFT_OK;
}

const char *heft_tuning_word(heft_tuning tuning)
{
    return heft_setting_word("tune", (size_t)tuning - HEFT_TUNE_BALANCED_ACCURACY);
}

const char *heft_tuning_title(heft_tuning tuning)
{
    return titles[tuning];
}

/* ---- from words ---- */

/* Splits the text CLASS=P; *name is the class. */
static heft_status split_threshold(heft_ctx *ctx, const char *text, char **name, double *p)
{
    char **item = NULL;
    size_t n;
    HEFT_CHECK(heft_split(ctx, &ctx->scratch, text, ',', &item, &n));
    char *equals = n == 1 ? strrchr(item[0], '=') : NULL;
    if (!equals || equals == item[0] ||
        heft_parse_double(equals + 1, item[0] + strlen(item[0]), p) != HEFT_NUM_OK ||
        !(*p >= 0 && *p <= 1))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{threshold}: '%.80s' is not CLASS=P with a probability P from 0 to 1",
                         text);
    *equals = 0;
    *name = item[0];
    return HEFT_OK;
}

static heft_status one_of(heft_ctx *ctx, const char *cost, const char *threshold)
{
    if (!cost || !threshold) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "{cost} cannot be combined with {threshold} (leave out one of them)");
}

heft_status heft_decision_words(heft_ctx *ctx, const char *cost, const char *threshold)
{
    HEFT_SCRATCH_SCOPE(ctx);
    char  *name;
    double p;
    HEFT_CHECK(one_of(ctx, cost, threshold));
    if (cost) return heft_costs_parse(ctx, cost, NULL, NULL, NULL);
    return threshold ? split_threshold(ctx, threshold, &name, &p) : HEFT_OK;
}

static heft_status parse_threshold(heft_ctx *ctx, const char *text, const heft_dict *known,
                                   const heft_dict *classes, heft_decision *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = heft_dict_size(classes);
    char        *name;
    double       p;
    HEFT_CHECK(split_threshold(ctx, text, &name, &p));
    if (heft_dict_find(known, name, strlen(name)) == HEFT_DICT_NONE)
        return heft_no_class(ctx, HEFT_MARKED("{threshold}"), known, name, strlen(name));
    if (K > 2)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{threshold} needs two classes, and there are %zu (use {cost}, or {advice "
                         "make-two-classes})",
                         K);
    const uint32_t c = heft_dict_find(classes, name, strlen(name));
    if (K < 2) return HEFT_OK; /* with one class there is nothing to decide */
    if (c == HEFT_DICT_NONE)
        return heft_no_class(ctx, HEFT_MARKED("{threshold}"), classes, name, strlen(name));
    *out = (heft_decision){HEFT_THRESHOLD, .chosen = c, .threshold = p};
    return HEFT_OK;
}

static heft_status new_costs(heft_ctx *ctx, const heft_dict *classes, heft_arena *arena,
                             double **cost)
{
    const size_t K = heft_dict_size(classes);
    HEFT_TABLE(ctx, arena, *cost, K, K);
    return HEFT_OK;
}

heft_status heft_decision_parse(heft_ctx *ctx, const char *cost, const char *threshold,
                                const heft_dict *known, const heft_dict *classes, heft_arena *arena,
                                heft_decision *out)
{
    *out = (heft_decision){0};
    HEFT_CHECK(one_of(ctx, cost, threshold));
    if (threshold) return parse_threshold(ctx, threshold, known, classes, out);
    if (!cost) return HEFT_OK;
    HEFT_CHECK(new_costs(ctx, classes, arena, &out->cost));
    HEFT_CHECK(heft_costs_parse(ctx, cost, known, classes, out->cost));
    out->kind = HEFT_LEAST_COST;
    return HEFT_OK;
}

/* ---- from another model ---- */

static uint32_t same_class(const heft_dict *to, const heft_dict *from, size_t c)
{
    return heft_dict_same(to, from, (uint32_t)c);
}

heft_status heft_decision_copy(heft_ctx *ctx, const heft_decision *from,
                               const heft_dict *from_classes, const heft_dict *classes,
                               heft_arena *arena, heft_decision *out)
{
    const size_t K = heft_dict_size(classes);
    char         list[200];
    *out = (heft_decision){0};
    if (from->kind == HEFT_MOST_PROBABLE) return HEFT_OK;
    bool same = K == heft_dict_size(from_classes);
    for (size_t c = 0; same && c < K; c++)
        same = same_class(from_classes, classes, c) != HEFT_DICT_NONE;
    heft_dict_list(from_classes, list, sizeof list);
    if (!same)
        return heft_fail(ctx, HEFT_EINVAL,
                         "the rule of the model decides between the classes %s, and the rows have "
                         "%s (give {cost} or {threshold})",
                         list,
                         K == heft_dict_size(from_classes) ? "others" : HEFT_COUNT_OF(K, "class"));
    *out = *from;
    out->cost = NULL;
    if (from->kind == HEFT_THRESHOLD) out->chosen = same_class(classes, from_classes, from->chosen);
    if (!from->cost) return HEFT_OK;
    HEFT_CHECK(new_costs(ctx, classes, arena, &out->cost));
    for (size_t a = 0; a < K; a++)
        for (size_t b = 0; b < K; b++)
            out->cost[a * K + b] = from->cost[same_class(from_classes, classes, a) * K +
                                              same_class(from_classes, classes, b)];
    return HEFT_OK;
}

bool heft_decision_equal(const heft_decision *a, const heft_dict *a_classes, const heft_decision *b,
                         const heft_dict *b_classes)
{
    const size_t K = heft_dict_size(a_classes);
    if (a->kind != b->kind || a->tuned != b->tuned || !a->cost != !b->cost) return false;
    if (a->kind == HEFT_MOST_PROBABLE) return true;
    if (K != heft_dict_size(b_classes)) return false;
    for (size_t c = 0; c < K; c++)
        if (same_class(b_classes, a_classes, c) == HEFT_DICT_NONE) return false;
    if (a->kind == HEFT_THRESHOLD &&
        (a->threshold != b->threshold || same_class(b_classes, a_classes, a->chosen) != b->chosen))
        return false;
    if (a->cost)
        for (size_t k = 0; k < K * K; k++)
            if (a->cost[k] != b->cost[same_class(b_classes, a_classes, k / K) * K +
                                      same_class(b_classes, a_classes, k % K)])
                return false;
    return true;
}

/* ---- in words ---- */

void heft_decision_tell(heft_buf *out, const heft_decision *rule, const heft_dict *classes)
{
    const size_t K = heft_dict_size(classes);
    if (rule->kind == HEFT_MOST_PROBABLE) heft_put(out, "predicts the most probable class");
    if (rule->kind == HEFT_THRESHOLD)
        heft_put(out, "predicts '%40q' from a probability of %6g on",
                 heft_dict_text(classes, (uint32_t)rule->chosen), rule->threshold);
    if (rule->tuned) heft_put(out, " (tuned for %s on held-out rows)", titles[rule->tuned]);
    if (rule->kind == HEFT_LEAST_COST) heft_put(out, "predicts the class of least expected cost");
    if (!rule->cost || K > SHOWN_COSTS) return;
    heft_put(out, "; costs:");
    for (size_t k = 0, n = 0; k < K * K; k++)
        if (rule->cost[k] != 0)
            heft_put(out, "%s %40q:%40q=%6g", n++ ? "," : "",
                     heft_dict_text(classes, (uint32_t)(k / K)),
                     heft_dict_text(classes, (uint32_t)(k % K)), rule->cost[k]);
}

void heft_decision_json(heft_buf *out, const heft_decision *rule, const heft_dict *classes)
{
    const size_t K = heft_dict_size(classes);
    heft_put(out, "{\"rule\": \"%s\"",
             rule->kind == HEFT_THRESHOLD    ? "threshold"
             : rule->kind == HEFT_LEAST_COST ? "cost"
                                             : "most probable");
    if (rule->kind == HEFT_THRESHOLD)
        heft_put(out, ", \"class\": %j, \"threshold\": %n",
                 heft_dict_text(classes, (uint32_t)rule->chosen), rule->threshold);
    if (rule->tuned) heft_put(out, ", \"tuned\": \"%s\"", heft_tuning_word(rule->tuned));
    if (rule->cost)
        for (size_t a = 0; a < K; a++)
            heft_put(out, "%s%v", a ? ", " : ", \"cost\": [", rule->cost + a * K, K);
    heft_put(out, rule->cost ? "]}" : "}");
}
