/* held_out.c - scores of training rows by models that were not trained on them: calibration and
 * thresholds are learned from these. */
#include <math.h>

#include "base/num.h"
#include "base/rows.h"
#include "stats/keys.h"
#include "train/fit.h"

enum { FOLDS = 5, LEAST_ROWS = 10 };

typedef struct holding {
    const heft_table *table;
    heft_config       config;
    bool              skip_unknown;
    heft_host         host; /* messages of inner fits are not for the user */
    size_t            K;
    const heft_prep  *prep;
    size_t           *order; /* the rows as they are drawn; what follows is in this order */
    uint16_t         *y;
    uint8_t          *fold;
    double           *weight; /* NULL: all 1 */
    double           *scores; /* n x K, log-normalised */
} holding;

/* Where classes of a table or of an inner model, which may lack some, are among all. */
static heft_status place_classes(heft_ctx *ctx, const holding *h, const heft_dict *classes,
                                 uint32_t **place)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *place, heft_dict_size(classes));
    for (uint32_t c = 0; c < heft_dict_size(classes); c++)
        (*place)[c] =
            heft_prep_class(h->prep, heft_dict_text(classes, c), heft_dict_length(classes, c));
    return HEFT_OK;
}

/* An order of the rows that is drawn by what they hold: not by what a preparation leaves of it. */
static heft_status draw_order(heft_ctx *ctx, const heft_table *table, size_t *order)
{
    heft_status          st = HEFT_OK;
    const heft_prep_spec as_it_is = {.mdl_scale = 1};
    heft_arena           arena = {0};
    heft_prep            prep = {0};
    heft_prepared        raw = {0};
    HEFT_TRY(heft_prep_fit(ctx, table, &as_it_is, &arena, &prep));
    HEFT_TRY(heft_prep_apply(ctx, &prep, table, &raw));
    HEFT_TRY(heft_keys_order(ctx, &raw.rows, order));
done:
    heft_prepared_clear(&raw);
    heft_prep_clear(&prep);
    heft_arena_clear(&arena);
    return st;
}

/* Class by class in the drawn order, dealt one after the other. */
static heft_status deal(heft_ctx *ctx, holding *h)
{
    const heft_column *target = h->table->target;
    const size_t       n = h->table->n_rows;
    uint32_t          *place;
    size_t            *count;
    HEFT_ALLOC(ctx, &ctx->scratch, count, h->K + 1);
    HEFT_CHECK(place_classes(ctx, h, target->dict, &place));
    HEFT_CHECK(draw_order(ctx, h->table, h->order));
    for (size_t k = 0; k < n; k++) {
        h->y[k] = (uint16_t)place[heft_code_at(target->cells, target->width, h->order[k])];
        if (h->weight) h->weight[k] = h->table->weight[h->order[k]];
        count[h->y[k] + 1]++;
    }
    for (size_t c = 0; c < h->K; c++) count[c + 1] += count[c];
    for (size_t k = 0; k < n; k++) h->fold[k] = (uint8_t)(count[h->y[k]]++ % FOLDS);
    return HEFT_OK;
}

/* at[n]: the places in the order of the rows that are taken. */
static heft_status take(heft_ctx *ctx, const holding *h, size_t f, bool held, size_t *at, size_t *n,
                        heft_table **out)
{
    heft_status st = HEFT_OK;
    size_t     *rows = NULL;
    *n = 0;
    HEFT_HEAP(ctx, rows, h->table->n_rows);
    for (size_t k = 0; k < h->table->n_rows; k++) {
        if ((h->fold[k] == f) != held) continue;
        rows[*n] = h->order[k];
        at[(*n)++] = k;
    }
    HEFT_TRY(heft_table_take(ctx, h->table, rows, *n, out));
done:
    heft_free(rows);
    return st;
}

static heft_status hold_out(heft_ctx *ctx, void *arg, size_t f)
{
    heft_status    st = HEFT_OK;
    const holding *h = arg;
    heft_table    *train = NULL, *test = NULL;
    heft_model    *model = NULL;
    size_t        *at = NULL, n, cells;
    double        *scores = NULL;
    uint32_t      *place;
    ctx->host = &h->host;
    HEFT_HEAP(ctx, at, h->table->n_rows);
    HEFT_TRY(take(ctx, h, f, false, at, &n, &train));
    HEFT_TRY(heft_fit_table(ctx, train, &h->config, h->skip_unknown, &model));
    HEFT_TRY(take(ctx, h, f, true, at, &n, &test));
    const size_t K = model->fitted.n_class;
    if (!heft_product(n, K, &cells)) HEFT_TRY(heft_no_memory(ctx, n, K));
    HEFT_HEAP(ctx, scores, cells);
    HEFT_TRY(place_classes(ctx, h, model->prep.classes, &place));
    HEFT_TRY(heft_scores(ctx, model, test, scores));
    for (size_t k = 0; k < n; k++) {
        double      *to = h->scores + at[k] * h->K;
        const double all = heft_logsumexp(scores + k * K, K);
        for (size_t c = 0; c < h->K; c++) to[c] = -INFINITY;
        for (size_t c = 0; c < K; c++) to[place[c]] = scores[k * K + c] - all;
    }
done:
    heft_free(scores);
    heft_model_free(model);
    heft_table_free(test);
    heft_table_free(train);
    heft_free(at);
    return st;
}

/* The rows and scores of a method that shifts its scores by the weights of classes. */
static void weigh_classes(holding *h, const double *class_weight)
{
    for (size_t k = 0; k < h->table->n_rows; k++) {
        if (h->weight) h->weight[k] *= class_weight[h->y[k]];
        for (size_t c = 0; c < h->K; c++) h->scores[k * h->K + c] += log(class_weight[c]);
    }
}

heft_status heft_learn_held_out(heft_ctx *ctx, const heft_table *table,
                                const heft_settings *settings, const double *factor,
                                heft_model *model)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = table->n_rows, K = model->fitted.n_class;
    const bool   calibrates = settings->calibrating != HEFT_AS_IT_IS;
    size_t       cells;
    holding      h = {.table = table,
                      .config = settings->config,
                      .skip_unknown = settings->skip_unknown,
                      .K = K,
                      .prep = &model->prep};
    model->calibration.kind = settings->calibrating;
    if (n < LEAST_ROWS) {
        const char *few = "left out: it needs at least ten rows";
        if (calibrates) heft_fact_text(&model->fitted, "calibration", few);
        if (settings->tuning) heft_fact_text(&model->fitted, "tuning", few);
        return HEFT_OK;
    }
    if (!heft_product(n, K, &cells)) HEFT_CHECK(heft_no_memory(ctx, n, K));
    HEFT_ALLOC(ctx, &ctx->scratch, h.scores, cells);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, h.order, h.y, h.fold);
    if (table->weight) HEFT_ALLOC(ctx, &ctx->scratch, h.weight, n);
    h.config.calibrate = h.config.tune = h.config.cost = h.config.threshold = NULL;
    h.config.class_weight = NULL; /* the rows have these weights already */
    if (ctx->host) h.host = (heft_host){.cancelled = ctx->host->cancelled, .user = ctx->host->user};
    HEFT_CHECK(deal(ctx, &h));
    HEFT_CHECK(heft_run(ctx, FOLDS, hold_out, &h));
    if (settings->class_weight) weigh_classes(&h, settings->class_weight);
    const heft_held held = {n, h.y, h.weight, h.scores};
    if (calibrates) HEFT_CHECK(heft_calibrate_model(ctx, &held, model));
    return settings->tuning && K == 2 ? heft_tune_model(ctx, &held, settings->tuning, factor, model)
                                      : HEFT_OK;
}
