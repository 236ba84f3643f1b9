/* plan.c - reads what an evaluation is asked to do: settings, methods and stages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/put.h"
#include "base/setting_words.h"
#include "base/text.h"
#include "eval/plan.h"
#include "train/choose.h"
#include "train/select.h"

/* ---- methods ---- */

/* Read a method such as "name:a=1:b=2". The parameters of the plan come before those of the method,
 * which override them. The protocol `whole` is that of the papers and of Weka, which keep columns
 * with a single value as attributes. */
static heft_status read_method(heft_ctx *ctx, const heft_eval_plan *plan, heft_arena *arena,
                               const char *label, heft_eval_method *out)
{
    const bool         whole = heft_setting_is("protocol", 1, plan->protocol);
    size_t             n_shared = 0, n = 0;
    char              *copy = heft_arena_text(arena, label);
    heft_value        *values;
    heft_choices       choices;
    const char *const *first;
    if (!copy) return heft_no_memory(ctx, strlen(label) + 1, 1);
    if (plan->config->params)
        while (plan->config->params[n_shared]) n_shared++;
    for (const char *s = copy; *s; s++) n += *s == ':';
    HEFT_ALLOC(ctx, arena, out->params, whole + n_shared + n + 1);
    if (whole) out->params[0] = "constant=keep";
    for (size_t k = 0; k < n_shared; k++)
        HEFT_CHECK(heft_text_in(ctx, arena, plan->config->params[k], &out->params[whole + k]));
    n = n_shared += whole;
    for (char *at = strchr(copy, ':'); at; at = strchr(at, ':')) {
        *at++ = 0;
        out->params[n++] = at;
    }
    HEFT_CHECK(heft_method_of(ctx, copy, &out->method));
    HEFT_CHECK(heft_choices_first(ctx, out->method, out->params, arena, &choices, &first));
    out->chooses = choices.n > 0;
    HEFT_CHECK(heft_params_parse(ctx, out->method, first, true, arena, &out->values));
    HEFT_CHECK(heft_choices_first(ctx, out->method, out->params + n_shared, &ctx->scratch, &choices,
                                  &first));
    return heft_params_parse(ctx, out->method, first, false, &ctx->scratch, &values);
}

static heft_status read_methods(heft_ctx *ctx, heft_eval_run *r)
{
    heft_results            *res = r->results;
    const char              *only[] = {r->plan->config->method, NULL};
    static const char *const usual[] = {HEFT_DEFAULT_METHOD, "nb", NULL}; /* nb for comparison */
    const char *const       *labels = r->plan->methods;
    if (!labels || !labels[0]) labels = only[0] ? only : usual;
    while (labels[res->n_method]) res->n_method++;
    HEFT_ALLOCS(ctx, &res->arena, res->n_method, res->methods, r->methods);
    for (size_t m = 0; m < res->n_method; m++) {
        HEFT_KNOWN(labels[m]);
        for (size_t k = 0; k < m; k++)
            if (strcmp(res->methods[k], labels[m]) == 0)
                return heft_fail(ctx, HEFT_EINVAL, "method '%.80s' is listed twice", labels[m]);
        HEFT_CHECK(read_method(ctx, r->plan, &res->arena, labels[m], &r->methods[m]));
        HEFT_CHECK(heft_text_in(ctx, &res->arena, labels[m], &res->methods[m]));
    }
    for (const char *const *p = r->plan->config->params; p && *p; p++) {
        bool known = false; /* some method must know a parameter that is given to all */
        for (size_t m = 0; m < res->n_method; m++)
            known = known || heft_params_known(r->methods[m].method, *p);
        if (!known)
            return heft_fail(ctx, HEFT_EINVAL,
                             "no method of this evaluation has a parameter '%.*s'",
                             (int)strcspn(*p, "="), *p);
    }
    return HEFT_OK;
}

/* ---- settings ---- */

/* Find out whether the second of the two words of a setting is given; the first is the default. */
static heft_status read_word(heft_ctx *ctx, const char *name, const char *given, bool *is_second)
{
    size_t k = 0;
    HEFT_CHECK(heft_setting_choose(ctx, name, given, &k, NULL));
    *is_second = k == 1;
    return HEFT_OK;
}

typedef struct rule {
    bool        broken;
    const char *why;
} rule;

/* Returns why the plan is refused, or NULL if no rule is broken. */
static const char *conflict(const rule *rules, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (rules[k].broken) return rules[k].why;
    return NULL;
}

static heft_status read_settings(heft_ctx *ctx, heft_eval_run *r)
{
    const heft_eval_plan *t = r->plan;
    heft_results         *res = r->results;
    HEFT_CHECK(read_word(ctx, "protocol", t->protocol, &res->design.whole));
    HEFT_CHECK(read_word(ctx, "split", t->split, &res->design.weka));
    if (t->folds < 0 || t->repeats < 0)
        return heft_fail(ctx, HEFT_EINVAL, "{cv=%d} and {repeat=%d} cannot be negative", t->folds,
                         t->repeats);
    HEFT_CHECK(read_word(ctx, "paired", t->paired, &res->design.plain));
    if (!(t->alpha >= 0 && t->alpha < 1))
        return heft_fail(ctx, HEFT_EINVAL, "{alpha} must be between 0 and 1");
    if (t->decimals < 0 || t->decimals > 9)
        return heft_fail(ctx, HEFT_EINVAL, "{decimals=%d}: it must be from 0 (no rounding) to 9",
                         t->decimals);
    const bool  divided = t->test || t->folds_file || t->folds || res->design.weka;
    const bool  staged = t->noise || t->learn;
    const char *why = conflict(
        (rule[]){
            {!(t->holdout >= 0 && t->holdout < 1),
             "the holdout is the fraction of test rows and must be between 0 and 1"},
            {t->holdout > 0 && (divided || t->leave_one_out),
             "a holdout cannot be used together with folds, a split of Weka's or a test table"},
            {t->leave_one_out && divided,
             "leave-one-out cannot be used together with folds, a split of Weka's or a test table"},
            {t->leave_one_out && t->repeats > 1,
             "leave-one-out has only one split, so it cannot be repeated"},
            {t->keep_predictions && (staged || t->dimensions),
             "predictions cannot be kept together with noise, learning curves or dimensions"},
            {t->test && t->folds_file, "a test table and a file of folds cannot be used together"},
            {t->test && res->n_data != 1, "a test table needs exactly one data set"},
            {t->parts && (!t->test || res->design.whole || staged),
             "training rows in parts need a test table and the honest protocol, without noise and "
             "learning curves"}},
        8);
    if (why) return heft_fail(ctx, HEFT_EINVAL, "%s", why);
    res->design.from_file = t->folds_file != NULL;
    res->design.tested = t->test != NULL;
    res->design.weka = res->design.weka && !res->design.from_file && !res->design.tested;
    res->design.holdout = t->holdout;
    res->design.leave_one_out = t->leave_one_out;
    res->folds = res->design.tested || t->holdout > 0 ? 1
                 : t->folds                           ? (size_t)t->folds
                                                      : (size_t)heft_setting_number("cv");
    res->repeats = res->design.tested || !t->repeats ? 1 : (size_t)t->repeats;
    res->seed = ctx->seed;
    res->design.alpha = t->alpha;
    res->design.decimals = t->decimals;
    return HEFT_OK;
}

/* ---- stages ---- */

enum { NOISE, LEARN, DIMENSIONS, N_LISTS };

static const struct {
    const char *name, *mark, *wanted;
} lists[N_LISTS] = {
    {"noise", "{noise}", "shares of the training rows from 0 to 1, as in 0,0.1,0.2"},
    {"learn", "{learn}", "shares of the training rows up to 1, or numbers of rows from 2"},
    {"dimensions", "{dimensions}", "numbers of attributes, or shares such as 10%"},
};

/* Read a level of a list: its number, and whether it is a fraction. Returns false if the text is
 * not a level. */
static bool read_level(size_t which, const char *text, double *value, bool *share)
{
    const size_t length = strlen(text);
    const bool   percent = which == DIMENSIONS && length && text[length - 1] == '%';
    if (heft_parse_double(text, text + length - percent, value) != HEFT_NUM_OK) return false;
    const double x = *value;
    *share = which == NOISE || percent || (which == LEARN && x <= 1);
    if (which == NOISE) return x >= 0 && x <= 1;
    if (*share) return x > 0 && x <= (percent ? 100 : 1);
    return x == floor(x) && (which == LEARN ? x >= 2 && x < 1e15 : x >= 1 && x < 1e9);
}

typedef struct levels {
    size_t  n;    /* number of levels; 1 if no list was given */
    char  **text; /* the levels as texts; NULL if no list was given */
    double *value;
} levels;

static heft_status read_levels(heft_ctx *ctx, heft_arena *arena, size_t which, const char *list,
                               levels *out)
{
    const char *name = HEFT_MARKED(lists[which].mark), *wanted = lists[which].wanted;
    bool        first_share = false, share;
    *out = (levels){.n = 1};
    if (!list) return HEFT_OK;
    HEFT_CHECK(heft_split(ctx, arena, list, ',', &out->text, &out->n));
    if (out->n == 0)
        return heft_fail(ctx, HEFT_EINVAL, "%s: the list is empty (give %s)", name, wanted);
    HEFT_ALLOC(ctx, arena, out->value, out->n);
    for (size_t k = 0; k < out->n; k++) {
        const char *text = out->text[k];
        if (!read_level(which, text, &out->value[k], &share))
            return heft_fail(ctx, HEFT_EINVAL, "%s: '%.60s' is not accepted (give %s)", name, text,
                             wanted);
        for (size_t i = 0; i < k; i++)
            if (strcmp(out->text[i], text) == 0)
                return heft_fail(ctx, HEFT_EINVAL, "%s: %.60s is listed twice", name, text);
        if (k == 0) first_share = share;
        if (share != first_share)
            return heft_fail(
                ctx, HEFT_EINVAL,
                "%s: '%.40s' and '%.40s' cannot be mixed (give only shares, or only numbers)", name,
                out->text[0], text);
    }
    return HEFT_OK;
}

/* Make a stage for every combination of levels of the plan's lists. */
static heft_status read_stages(heft_ctx *ctx, heft_eval_run *r)
{
    const heft_eval_plan *t = r->plan;
    const char *const     given[N_LISTS] = {t->noise, t->learn, t->dimensions};
    heft_results         *res = r->results;
    levels                l[N_LISTS];
    res->n_stage = 1;
    for (size_t i = 0; i < N_LISTS; i++) {
        HEFT_CHECK(read_levels(ctx, &res->arena, i, given[i], &l[i]));
        if (!heft_product(res->n_stage, l[i].n, &res->n_stage))
            return heft_no_memory(ctx, res->n_stage, l[i].n);
    }
    if (t->config->time_limit != 0)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "an evaluation cannot use {time-limit}: its results must not depend on the "
            "speed of the machine (leave it out)");
    if (t->dimensions && t->config->select &&
        !heft_setting_is("select", HEFT_CHOOSE_ALL, t->config->select))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{dimensions} selects the attributes itself (leave out {select})");
    res->design.noisy = t->noise != NULL;
    res->design.growing = t->learn != NULL;
    res->design.narrowed = t->dimensions != NULL;
    HEFT_ALLOCS(ctx, &res->arena, res->n_stage, res->stages, r->select, r->same_select);
    for (size_t s = 0; s < res->n_stage; s++) {
        const size_t wide = l[DIMENSIONS].n;
        const size_t k[N_LISTS] = {s / (l[LEARN].n * wide), s / wide % l[LEARN].n, s % wide};
        r->same_select[s] = k[DIMENSIONS];
        heft_stage *out = &res->stages[s];
        char        text[N_LISTS * 80] = "";
        size_t      n = 0;
        for (size_t i = 0; i < N_LISTS; i++)
            if (l[i].text)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.60s", n ? ", " : "",
                                      lists[i].name, l[i].text[k[i]]);
        *out = (heft_stage){.learn = 1};
        HEFT_CHECK(heft_text_in(ctx, &res->arena, text, &out->name));
        if (l[NOISE].text) out->noise = l[NOISE].value[k[NOISE]];
        if (l[LEARN].text) out->learn = l[LEARN].value[k[LEARN]];
        if (!l[DIMENSIONS].text) continue;
        out->dimensions = l[DIMENSIONS].text[k[DIMENSIONS]];
        snprintf(text, sizeof text, "%s:%.60s", heft_setting_word("select", HEFT_CHOOSE_MUTUAL),
                 out->dimensions);
        HEFT_CHECK(heft_text_in(ctx, &res->arena, text, &r->select[s]));
    }
    return HEFT_OK;
}

static heft_status note_rule(heft_ctx *ctx, const heft_config *config, heft_results *out)
{
    const char *const word[][2] = {{"{class-weight=%200q}", config->class_weight},
                                   {"{cost=%200q}", config->cost},
                                   {"{threshold=%200q}", config->threshold},
                                   {"{tune=%200q}", config->tune}};
    heft_buf          text = {0};
    HEFT_FREED char  *taken = NULL;
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        if (word[k][1]) {
            heft_put(&text, "%s", text.length ? " " : "");
            heft_put_marked(&text, word[k][0], word[k][1]);
        }
    if (text.length == 0) return HEFT_OK;
    HEFT_CHECK(heft_buf_take(ctx, &text, &taken));
    return heft_text_in(ctx, &out->arena, taken, &out->design.rule);
}

heft_status heft_read_plan(heft_ctx *ctx, heft_eval_run *r)
{
    HEFT_CHECK(read_settings(ctx, r));
    HEFT_CHECK(note_rule(ctx, r->plan->config, r->results));
    HEFT_CHECK(read_methods(ctx, r));
    return read_stages(ctx, r);
}
