/* stages.c - what is done to training rows to see how a method bears it: wrong classes, few rows,
 * few attributes. It depends on the seed, the repeat and the fold, not on the method, so that all
 * methods learn from the same rows; and the rows of one stage are among those of the next.
 *
 * Noise as in "Exponential Loss Minimization for Learning Weighted Naive Bayes Classifiers",
 * section 4: a share of the training rows, drawn at random, gets another class; the test rows stay.
 * With more than two classes the other class is drawn evenly from those that the training rows
 * have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "eval/running.h"

/* Streams of random numbers apart from those of the folds. */
static const uint64_t NOISE = (uint64_t)1 << 40, LEARN = (uint64_t)2 << 40;

typedef struct levels {
    size_t  n; /* 1 where nothing was asked for */
    char  **text;
    double *value;
} levels;

/* ---- reading the lists ---- */

typedef bool level_fn(const char *text, double *value);

static bool number(const char *text, size_t length, double *value)
{
    return heft_parse_double(text, text + length, value) == HEFT_NUM_OK;
}

static bool noise_level(const char *text, double *value)
{
    return number(text, strlen(text), value) && *value >= 0 && *value <= 1;
}

static bool learn_level(const char *text, double *value)
{
    if (!number(text, strlen(text), value)) return false;
    return (*value > 0 && *value <= 1) || (*value >= 2 && *value == floor(*value) && *value < 1e15);
}

static bool attribute_level(const char *text, double *value)
{
    const size_t length = strlen(text);
    if (length && text[length - 1] == '%')
        return number(text, length - 1, value) && *value > 0 && *value <= 100;
    return number(text, length, value) && *value >= 1 && *value == floor(*value) && *value < 1e9;
}

static heft_status read_levels(heft_ctx *ctx, heft_arena *arena, const char *name, const char *list,
                               level_fn *fits, const char *wanted, levels *out)
{
    *out = (levels){.n = 1};
    if (!list) return HEFT_OK;
    HEFT_CHECK(heft_split(ctx, arena, list, ',', &out->text, &out->n));
    if (out->n == 0)
        HEFT_CHECK(heft_fail(ctx, HEFT_EINVAL, "--%s: the list is empty (%s)", name, wanted));
    HEFT_ALLOC(ctx, arena, out->value, out->n);
    for (size_t k = 0; k < out->n; k++) {
        if (!fits(out->text[k], &out->value[k]))
            HEFT_CHECK(heft_fail(ctx, HEFT_EINVAL, "--%s: '%.60s' is not accepted (%s)", name,
                                 out->text[k], wanted));
        for (size_t i = 0; i < k; i++)
            if (strcmp(out->text[i], out->text[k]) == 0)
                HEFT_CHECK(
                    heft_fail(ctx, HEFT_EINVAL, "--%s: %.60s is listed twice", name, out->text[k]));
    }
    return HEFT_OK;
}

/* Shares and numbers do not lie on one axis. */
static heft_status same_kind(heft_ctx *ctx, const char *name, const levels *l,
                             bool (*is_share)(const char *))
{
    for (size_t k = 1; l->text && k < l->n; k++)
        if (is_share(l->text[k]) != is_share(l->text[0]))
            return heft_fail(ctx, HEFT_EINVAL,
                             "--%s: '%.40s' and '%.40s' do not mix (shares, or numbers)", name,
                             l->text[0], l->text[k]);
    return HEFT_OK;
}

static bool is_row_share(const char *text)
{
    double value;
    return number(text, strlen(text), &value) && value <= 1;
}

static bool is_percent(const char *text)
{
    return text[strlen(text) - 1] == '%';
}

/* ---- the stages ---- */

static void add_name(heft_buf *buf, const char *what, const levels *l, size_t k)
{
    if (!l->text) return;
    if (buf->length) heft_buf_text(buf, ", ");
    heft_buf_printf(buf, "%s %.60s", what, l->text[k]);
}

static heft_status make_stage(heft_ctx *ctx, run *r, const levels *l, const size_t *k,
                              heft_stage *out, const char **select)
{
    heft_status st = HEFT_OK;
    heft_buf    buf = {0};
    char       *text = NULL, *copy;
    add_name(&buf, "noise", &l[0], k[0]);
    add_name(&buf, "learn", &l[1], k[1]);
    add_name(&buf, "dimensions", &l[2], k[2]);
    HEFT_TRY(heft_buf_take(ctx, &buf, &text));
    HEFT_TRY(heft_arena_copy(ctx, &r->results->arena, text, &copy));
    *out = (heft_stage){.name = copy, .learn = 1};
    if (l[0].text) out->noise = l[0].value[k[0]];
    if (l[1].text) out->learn = l[1].value[k[1]];
    if (!l[2].text) goto done;
    out->dimensions = l[2].text[k[2]];
    heft_free(text);
    text = NULL;
    heft_buf_printf(&buf, "mutual-information:%.60s", out->dimensions);
    HEFT_TRY(heft_buf_take(ctx, &buf, &text));
    HEFT_TRY(heft_arena_copy(ctx, &r->results->arena, text, &copy));
    *select = copy;
done:
    heft_free(text);
    heft_buf_clear(&buf);
    return st;
}

heft_status heft_read_stages(heft_ctx *ctx, run *r)
{
    const heft_eval_plan *t = r->trial;
    heft_results         *res = r->results;
    levels                l[3];
    HEFT_CHECK(read_levels(ctx, &res->arena, "noise", t->noise, noise_level,
                           "shares of the training rows from 0 to 1, as in 0,0.1,0.2", &l[0]));
    HEFT_CHECK(read_levels(ctx, &res->arena, "learn", t->learn, learn_level,
                           "shares of the training rows up to 1, or numbers of rows from 2",
                           &l[1]));
    HEFT_CHECK(read_levels(ctx, &res->arena, "dimensions", t->dimensions, attribute_level,
                           "numbers of attributes, or shares such as 10%", &l[2]));
    HEFT_CHECK(same_kind(ctx, "learn", &l[1], is_row_share));
    HEFT_CHECK(same_kind(ctx, "dimensions", &l[2], is_percent));
    if (t->dimensions && t->config.select && strcmp(t->config.select, "none") != 0)
        HEFT_CHECK(heft_fail(ctx, HEFT_EINVAL,
                             "--dimensions chooses the attributes itself (leave out --select)"));
    res->noisy = l[0].text != NULL;
    res->growing = l[1].text != NULL;
    res->narrowed = l[2].text != NULL;
    if (!heft_product(l[0].n, l[1].n, &res->n_stage) ||
        !heft_product(res->n_stage, l[2].n, &res->n_stage))
        HEFT_CHECK(heft_no_memory(ctx, l[0].n, l[1].n));
    HEFT_ALLOC(ctx, &res->arena, res->stages, res->n_stage);
    HEFT_ALLOC(ctx, &res->arena, r->select, res->n_stage);
    HEFT_ALLOC(ctx, &res->arena, r->drawer, res->n_stage);
    for (size_t s = 0; s < res->n_stage; s++) {
        const size_t k[3] = {s / (l[1].n * l[2].n), s / l[2].n % l[1].n, s % l[2].n};
        r->drawer[s] = k[2]; /* the stages of one number of attributes share what is prepared */
        HEFT_CHECK(make_stage(ctx, r, l, k, &res->stages[s], &r->select[s]));
    }
    return HEFT_OK;
}

/* ---- few rows ---- */

typedef struct ticket {
    double   turn; /* (k + 1/2) / n for the k-th drawn of the n rows of its class */
    uint32_t c;
    size_t   row;
} ticket;

static int by_turn(const void *pa, const void *pb)
{
    const ticket *a = pa, *b = pb;
    if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
    return a->c != b->c ? (a->c > b->c) - (a->c < b->c) : (a->row > b->row) - (a->row < b->row);
}

static int by_row(const void *pa, const void *pb)
{
    const size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    return (a > b) - (a < b);
}

static uint32_t class_at(const heft_table *table, size_t i)
{
    return heft_code_at(table->target->cells, table->target->width, i);
}

/* The rows in an order any beginning of which has the classes in about their shares. */
static heft_status take_turns(heft_ctx *ctx, const heft_table *table, uint64_t draw,
                              const size_t *rows, size_t n, ticket **out)
{
    const size_t n_class = heft_dict_size(table->target->dict);
    size_t      *order, *total, *so_far;
    heft_rng     rng;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, n);
    HEFT_ALLOC(ctx, &ctx->scratch, order, n);
    HEFT_ALLOC(ctx, &ctx->scratch, total, n_class + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, so_far, n_class + 1);
    for (size_t k = 0; k < n; k++) order[k] = rows[k], total[class_at(table, rows[k])]++;
    heft_rng_init(&rng, ctx->seed, LEARN + draw);
    heft_rng_shuffle(&rng, order, n);
    for (size_t k = 0; k < n; k++) {
        const uint32_t c = class_at(table, order[k]);
        (*out)[k] = (ticket){((double)so_far[c]++ + 0.5) / (double)total[c], c, order[k]};
    }
    qsort(*out, n, sizeof **out, by_turn);
    return HEFT_OK;
}

heft_status heft_stage_learn(heft_ctx *ctx, const heft_stage *stage, const heft_table *table,
                             uint64_t draw, size_t *rows, size_t *n)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    size_t          wanted = *n;
    ticket         *tickets;
    if (stage->learn > 1) {
        if (stage->learn > (double)*n)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "%.0f rows to learn from: a fold has only %zu to train on",
                             stage->learn, *n);
        wanted = (size_t)stage->learn;
    } else if (stage->learn < 1) {
        wanted = (size_t)fmax(1, floor(stage->learn * (double)*n + 0.5));
    }
    if (wanted == *n) return HEFT_OK;
    HEFT_TRY(take_turns(ctx, table, draw, rows, *n, &tickets));
    for (size_t k = 0; k < wanted; k++) rows[k] = tickets[k].row;
    *n = wanted;
    qsort(rows, *n, sizeof *rows, by_row);
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- wrong classes ---- */

/* present[0 .. *n-1]: the classes that rows have. */
static heft_status list_present(heft_ctx *ctx, const heft_table *table, uint32_t **present,
                                size_t *n)
{
    const size_t n_class = heft_dict_size(table->target->dict);
    bool        *seen;
    HEFT_ALLOC(ctx, &ctx->scratch, seen, n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, *present, n_class);
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) seen[class_at(table, i)] = true;
    for (uint32_t c = 0; c < n_class; c++)
        if (seen[c]) (*present)[(*n)++] = c;
    return HEFT_OK;
}

heft_status heft_stage_noise(heft_ctx *ctx, const heft_stage *stage, uint64_t draw,
                             heft_table *table)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    wrong = (size_t)floor(stage->noise * (double)table->n_rows + 0.5);
    heft_column    *target = table->target;
    uint32_t       *present;
    size_t         *order, n = 0;
    heft_rng        rng;
    if (wrong == 0) return HEFT_OK;
    HEFT_TRY(list_present(ctx, table, &present, &n));
    HEFT_ARENA(ctx, &ctx->scratch, order, table->n_rows);
    for (size_t i = 0; i < table->n_rows; i++) order[i] = i;
    heft_rng_init(&rng, ctx->seed, NOISE + draw);
    heft_rng_shuffle(&rng, order, table->n_rows);
    for (size_t k = 0; n > 1 && k < wrong; k++) {
        const uint32_t c = class_at(table, order[k]);
        const size_t   other = heft_rng_below(&rng, n - 1);
        /* the n - 1 classes that are not c, in order */
        const uint32_t to = present[other] < c ? present[other] : present[other + 1];
        heft_code_put(target->cells, target->width, order[k], to);
    }
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
