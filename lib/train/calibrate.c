/* calibrate.c - the calibration of a method's scores, learned from rows it was not trained on. */
#include "train/fit.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"
#include "learn/mixing.h"
#include "stats/keys.h"

enum { FOLDS = 5, LEAST_ROWS = 10, MAX_ITER = 200 };

static const double PULL = 1, LEAST_SCALE = 1e-3; /* the order of the classes must stay */
static const double LOWEST = -700;                /* of a log-probability that is learned from */

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

/* What inspect shows: "temperature: 0.43 (held-out loss 0.61 to 0.42)". */
static heft_status note(heft_ctx *ctx, heft_model *model, const double loss[2])
{
    const heft_calibration *c = &model->calibration;
    heft_buf                text = {0};
    char                   *taken;
    double                  lo = INFINITY, hi = -INFINITY;
    for (size_t k = 0; k < model->fitted.n_class; k++) {
        lo = fmin(lo, c->scale[k]);
        hi = fmax(hi, c->scale[k]);
    }
    heft_buf_printf(&text, "%s: scores multiplied by ", heft_calibration_word(c->kind));
    heft_buf_fixed(&text, lo, 4);
    if (hi > lo) heft_buf_text(&text, " to ");
    if (hi > lo) heft_buf_fixed(&text, hi, 4);
    heft_buf_text(&text, ", held-out loss from ");
    heft_buf_fixed(&text, loss[0], 4);
    heft_buf_text(&text, " to ");
    heft_buf_fixed(&text, loss[1], 4);
    HEFT_CHECK(heft_buf_take(ctx, &text, &taken));
    const heft_status st = heft_fact_copy(ctx, &model->fitted, "calibration", taken);
    heft_free(taken);
    return st;
}

/* Rows that can be learned from move to the front, their classes and weights to y and weight.
 * Returns how many there are. */
static size_t usable(double *scores, const uint16_t *from_y, const double *from_weight, size_t n,
                     size_t K, uint16_t *y, double *weight)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double *from = scores + i * K, *to = scores + kept * K;
        if (!isfinite(from[from_y[i]])) continue;
        for (size_t c = 0; c < K; c++) to[c] = fmax(from[c], LOWEST);
        y[kept] = from_y[i];
        if (weight) weight[kept] = from_weight[i];
        kept++;
    }
    return kept;
}

static double mean_loss(const double *scores, const uint16_t *y, const double *weight, size_t n,
                        size_t K)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = weight ? weight[i] : 1;
        sum -= w * (scores[i * K + y[i]] - heft_logsumexp(scores + i * K, K));
        all += w;
    }
    return all > 0 ? sum / all : 0;
}

heft_status heft_calibration_fit(heft_ctx *ctx, double *scores, const uint16_t *y,
                                 const double *weight, size_t n, size_t n_class,
                                 heft_calibration *out, double loss[2])
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = n_class;
    uint16_t    *own_y;
    double      *own_weight = NULL, *centre, *pull, *scale, *start;
    heft_minimum how;
    for (size_t c = 0; c < K; c++) out->scale[c] = 1, out->shift[c] = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, own_y, n);
    if (weight) HEFT_ALLOC(ctx, &ctx->scratch, own_weight, n);
    const size_t used = usable(scores, y, weight, n, K, own_y, own_weight);
    loss[0] = loss[1] = mean_loss(scores, own_y, own_weight, used, K);
    if (used == 0) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, centre, pull, scale, start);
    for (size_t c = 0; c < K; c++) centre[c] = 1, pull[c] = PULL;
    const double *member = scores;
    heft_mixing   mixing = {.n = used,
                            .n_class = K,
                            .n_members = 1,
                            .member = &member,
                            .y = own_y,
                            .weight = own_weight,
                            .centre = centre,
                            .strength = pull,
                            .max_iter = MAX_ITER};
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, scale, NULL, &loss[1], &how));
    for (size_t c = 1; c < K; c++) scale[c] = scale[0];
    if (out->kind == HEFT_VECTOR) { /* from the best temperature */
        memcpy(start, scale, K * sizeof *start);
        mixing.n_members = K;
        mixing.by_class = true;
        mixing.shift = PULL;
        mixing.start = start;
        HEFT_CHECK(heft_mixing_fit(ctx, &mixing, scale, out->shift, &loss[1], &how));
    }
    for (size_t c = 0; c < K; c++) out->scale[c] = fmax(scale[c], LEAST_SCALE);
    return HEFT_OK;
}

heft_status heft_calibrate_model(heft_ctx *ctx, const heft_table *table,
                                 const heft_settings *settings, heft_model *model)
{
    heft_calibration *c = &model->calibration;
    const size_t      n = table->n_rows, K = model->fitted.n_class;
    HEFT_SCRATCH_SCOPE(ctx);
    size_t  cells;
    double  loss[2];
    holding h = {.table = table,
                 .config = settings->config,
                 .skip_unknown = settings->skip_unknown,
                 .K = K,
                 .prep = &model->prep};
    c->kind = settings->calibrating;
    if (n < LEAST_ROWS) {
        heft_fact_text(&model->fitted, "calibration", "left out: it needs at least ten rows");
        return HEFT_OK;
    }
    if (!heft_product(n, K, &cells)) HEFT_CHECK(heft_no_memory(ctx, n, K));
    HEFT_ALLOC(ctx, &ctx->scratch, h.scores, cells);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, h.order, h.y, h.fold);
    if (table->weight) HEFT_ALLOC(ctx, &ctx->scratch, h.weight, n);
    HEFT_ALLOCS(ctx, &model->arena, K, c->scale, c->shift);
    h.config.calibrate = NULL;
    if (ctx->host) h.host = (heft_host){.cancelled = ctx->host->cancelled, .user = ctx->host->user};
    HEFT_CHECK(deal(ctx, &h));
    HEFT_CHECK(heft_run(ctx, FOLDS, hold_out, &h));
    HEFT_CHECK(heft_calibration_fit(ctx, h.scores, h.y, h.weight, n, K, c, loss));
    return note(ctx, model, loss);
}
