/* greedy_wrappers.c - sbc and tcsfsnb: naive Bayes over attributes chosen one at a time.
 *
 * sbc is the selective Bayesian classifier of Langley and Sage. An attribute is added only when it
 * raises the share of training rows that are right. Where none does, the majority class is
 * predicted for every row (Kim and Lee's figures for nursery and car show this).
 *
 * tcsfsnb chooses attributes that are worth their cost: a reading of TCSFS-NB, no reproduction.
 *
 * TCSFS-NB is described as a wrapper around naive Bayes that combines accuracy and the cost of the
 * tests in one objective. Form, trade-off, costs, search and the estimate of accuracy are not
 * given. Chosen here:
 *
 *   value(S) = accuracy(S) - tradeoff * cost(S) / cost(all)
 *
 * with accuracy over the training rows, each left out of the tables that score it; greedy search
 * from the empty set; costs from a file, all 1 without one. tradeoff=0: plain wrapper selection. */
#include <string.h>

#include "data/input.h"
#include "learn/basis.h"
#include "learn/greedy.h"

static const heft_option sbc_options[] = {HEFT_GREEDY_OPTIONS("training"), HEFT_OPT_END};

static const heft_option tcsfsnb_options[] = {
    HEFT_OPT_NUMBER("tradeoff", "0.01", 0, 1e6,
                    "accuracy that must be gained to pay for all attributes together"),
    HEFT_OPT_FILE("costs", "",
                  "CSV file with a line NAME,COST for every attribute; none: each costs 1"),
    HEFT_GREEDY_OPTIONS("left-out"),
    HEFT_OPT_END,
};

typedef struct cost_file {
    const char *path;  /* path as messages show it */
    heft_dict  *names; /* the names of the attributes, in their order */
    double     *cost;
    bool       *known;
    size_t      n_other; /* names that are no attribute of the model */
} cost_file;

/* Returns the text without the blanks and the CR around it. */
static char *trim(char *s)
{
    s += strspn(s, " \t\r");
    for (size_t n = strlen(s); n > 0 && strchr(" \t\r", s[n - 1]); n--) s[n - 1] = 0;
    return s;
}

static heft_status take_line(heft_ctx *ctx, cost_file *p, const char *line, size_t number)
{
    char **item;
    size_t n;
    double cost = 0;
    HEFT_CHECK(heft_split(ctx, &ctx->scratch, line, ',', &item, &n));
    if (n != 2)
        return heft_fail_at(ctx, HEFT_EFORMAT, p->path, number,
                            "the line has %s instead of NAME,COST", HEFT_COUNT_OF(n, "cell"));
    const char *name = trim(item[0]), *text = trim(item[1]);
    const char *shown = HEFT_SHOW(name, 80);
    if (heft_parse_double(text, text + strlen(text), &cost) != HEFT_NUM_OK || !(cost >= 0)) {
        if (number == 1) return HEFT_OK; /* a header */
        return heft_fail_at(ctx, HEFT_EFORMAT, p->path, number,
                            "the cost of '%s' must be a number >= 0", shown);
    }
    const uint32_t j = heft_dict_find(p->names, name, strlen(name));
    if (j == HEFT_DICT_NONE) {
        p->n_other++;
        return HEFT_OK;
    }
    if (p->known[j])
        return heft_fail_at(ctx, HEFT_EFORMAT, p->path, number,
                            "column '%s' is listed twice (remove one line)", shown);
    p->known[j] = true;
    p->cost[j] = cost;
    return HEFT_OK;
}

static heft_status take_lines(heft_ctx *ctx, void *arg, const char *name, heft_chunk *chunk)
{
    size_t number = chunk->first_line;
    (void)name;
    for (char *line = chunk->text, *next; *line; line = next, number++) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        if (*trim(line)) HEFT_CHECK(take_line(ctx, arg, line, number));
    }
    return HEFT_OK;
}

static heft_status read_costs(heft_ctx *ctx, const heft_task *task, const char *path, double *cost)
{
    HEFT_OWN(heft_dict) *names = NULL;
    const size_t         m = task->prep->n_attr;
    const char          *first = NULL; /* the first of n attributes without a cost */
    size_t               n = 0;
    cost_file            p = {.cost = cost};
    uint32_t             code;
    p.path = HEFT_SHOW(path, 200);
    HEFT_ALLOC(ctx, &ctx->scratch, p.known, m);
    HEFT_CHECK(heft_dict_create(ctx, &names));
    p.names = names;
    for (size_t j = 0; j < m; j++) {
        const char *name = task->prep->attr[j].name;
        HEFT_CHECK(heft_dict_add(ctx, p.names, name, strlen(name), &code));
    }
    HEFT_CHECK(heft_feed_file(ctx, path, 0, take_lines, &p));
    for (size_t j = m; j-- > 0;)
        if (!p.known[j]) first = task->prep->attr[j].name, n++;
    if (n) {
        const char *name = HEFT_SHOW(first, 80);
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: column '%s' has no cost (columns without a cost: %zu of %zu)", p.path,
                         name, n, m);
    }
    if (p.n_other)
        heft_say(ctx, HEFT_INFO, "%s: %s %s not in this model and ignored", p.path,
                 HEFT_COUNT_OF(p.n_other, "name"), p.n_other == 1 ? "is" : "are");
    return HEFT_OK;
}

static heft_status fit_sbc(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_greedy_rule rule = {0};
    heft_counts      counts;
    heft_greedy_options(task, &rule);
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    return heft_greedy(ctx, task, &counts, &rule, out);
}

static heft_status fit_tcsfsnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const char      *path = heft_param(task, "costs")->as_text;
    heft_greedy_rule rule = {.tradeoff = heft_param_num(task, "tradeoff")};
    heft_counts      counts;
    double          *cost, all = 0, kept = 0;
    heft_greedy_options(task, &rule);
    HEFT_ALLOC(ctx, &ctx->scratch, cost, task->rows->n_attr);
    for (size_t j = 0; j < task->rows->n_attr; j++) cost[j] = 1;
    if (path[0]) HEFT_CHECK(read_costs(ctx, task, path, cost));
    rule.cost = cost;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    HEFT_CHECK(heft_greedy(ctx, task, &counts, &rule, out));
    for (size_t j = 0; j < out->n_attr; j++) {
        all += cost[j];
        kept += cost[j] * out->weights.w[j];
    }
    heft_fact_number(out, "cost", kept);
    heft_fact_number(out, "cost_of_all", all);
    heft_fact_number(out, "accuracy",
                     out->training.objective_final + (all > 0 ? rule.tradeoff * (kept / all) : 0));
    return HEFT_OK;
}

static const heft_twin sbc_twins[] = {
    HEFT_TWIN("start=all max-eval=0", "nb", "variance=class", 1e-12),
    HEFT_TWIN_PREPARED("start=all max-eval=0", "nb", "variance=class", 1e-12, .discretize = "mdl",
                       .impute = "mean", .smoothing = "paper"),
    HEFT_TWIN_END,
};

static const heft_twin tcsfsnb_twins[] = {
    HEFT_TWIN("start=all max-eval=0", "nb", "variance=class", 1e-12),
    HEFT_TWIN_PREPARED("tradeoff=0 judge=training", "sbc", "", 0, .discretize = "none"),
    HEFT_TWIN_END,
};

#define RECORD(id, what, from, ...)                                                                \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = HEFT_WRAPPER,                                                                    \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,      \
        .prepare = {__VA_ARGS__, .prior = "smoothed"},                                             \
        .options = id##_options,                                                                   \
        .twins = id##_twins,                                                                       \
        .fit = fit_##id,                                                                           \
    }

RECORD(sbc, "naive Bayes over attributes chosen greedily by training accuracy", "[langley1994]",
       .smoothing = "laplace");
RECORD(tcsfsnb, "attributes worth their cost, chosen greedily: an interpretation of TCSFS-NB",
       "a reading of TCSFS-NB as compared in [wang2020]", .impute = "mean", .discretize = "mdl",
       .smoothing = "paper");
