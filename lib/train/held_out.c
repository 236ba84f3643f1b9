/* held_out.c - scores of training rows by models that were not trained on them. Parameters with
 * alternatives, calibration and thresholds are learned from these scores. */
#include "train/held_out.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/put.h"
#include "base/rows.h"
#include "learn/folds.h"
#include "predict/predict.h"
#include "stats/keys.h"

enum { LEAST_ROWS = 10 };

typedef struct holding {
    const heft_table *table;
    heft_config       config;
    bool              skip_unknown;
    heft_fit_call    *fit;
    heft_host         host; /* a host without messages: inner fits are not shown to the user */
    size_t            K;
    const heft_prep  *prep;
    size_t            n_all; /* number of rows of all processes */
    uint16_t         *fold;  /* by row: the fold that holds it out */
    size_t           *drawn; /* by row: its index in `order` */
    size_t           *order; /* rows in the order in which they are drawn */
    size_t           *place; /* by drawn row: its index among all processes, class after class */
    uint16_t         *y;
    double           *weight; /* NULL: all 1 */
    double           *scores; /* by drawn row: K log-normalised scores */
} holding;

/* Set place[c] to the number that class c of `classes` has among all classes. The model of a fold
 * may lack classes. */
static heft_status place_classes(heft_ctx *ctx, const holding *h, const heft_dict *classes,
                                 uint32_t **place)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *place, heft_dict_size(classes));
    for (uint32_t c = 0; c < heft_dict_size(classes); c++)
        (*place)[c] =
            heft_prep_class(h->prep, heft_dict_text(classes, c), heft_dict_length(classes, c));
    return HEFT_OK;
}

/* Compute the keys of the rows, and number their classes by the content of their names, so that
 * neither depends on the order in which the file has them. */
static heft_status key_rows(heft_ctx *ctx, const heft_prep *prep, const heft_rows *rows,
                            heft_arena *arena, uint64_t *key, uint16_t *y)
{
    heft_keys keys;
    size_t   *order;
    uint16_t *number;
    HEFT_CHECK(heft_keys_of(ctx, rows, arena, &keys));
    HEFT_CHECK(heft_keys_part(ctx, prep, NULL, &keys));
    HEFT_CHECK(heft_keys_rows(ctx, &keys, key));
    HEFT_ALLOCS(ctx, arena, rows->n_class, order, number);
    HEFT_CHECK(heft_keys_order(ctx, keys.class, rows->n_class, order));
    for (size_t c = 0; c < rows->n_class; c++) number[order[c]] = (uint16_t)c;
    HEFT_ROWS (i, rows->n_rows) y[i] = number[rows->y[i]];
    return HEFT_OK;
}

/* Deal the rows to folds by their raw content: rows that only a preparation makes equal may be in
 * different folds. */
static heft_status draw_folds(heft_ctx *ctx, holding *h)
{
    const heft_prep_spec      as_it_is = {.mdl_scale = 1};
    const size_t              n = h->table->n_rows;
    HEFT_LOCAL(heft_arena)    arena = {0};
    HEFT_LOCAL(heft_prep)     prep = {0};
    HEFT_LOCAL(heft_prepared) raw = {0};
    const heft_rows          *rows = &raw.rows;
    uint64_t                 *key;
    uint16_t                 *y;
    heft_dealing              dealt;
    HEFT_CHECK(heft_prep_fit(ctx, h->table, &as_it_is, &arena, &prep));
    HEFT_CHECK(heft_prep_apply(ctx, &prep, h->table, &raw));
    HEFT_ALLOCS(ctx, &arena, n, key, y);
    HEFT_CHECK(key_rows(ctx, &prep, rows, &arena, key, y));
    const heft_sample sample = {
        .rows = rows, .n = n, .weight = rows->weight, .y = y, .n_class = rows->n_class};
    HEFT_CHECK(heft_folds_deal(ctx,
                               &(heft_fold_plan){.rule = HEFT_FOLDS_CONTENT,
                                                 .sample = &sample,
                                                 .n_folds = HEFT_KFOLD,
                                                 .seed = ctx->seed,
                                                 .key = key,
                                                 .n_wanted = h->n_all,
                                                 .arena = &arena,
                                                 .order = &dealt},
                               h->fold));
    for (size_t k = 0; k < n; k++) {
        h->order[k] = dealt.row[k];
        h->drawn[dealt.row[k]] = k;
        h->place[k] = dealt.place ? dealt.place[k] : k;
    }
    return HEFT_OK;
}

static heft_status deal(heft_ctx *ctx, holding *h)
{
    const heft_column *target = h->table->target;
    uint32_t          *place;
    HEFT_CHECK(place_classes(ctx, h, target->dict, &place));
    HEFT_CHECK(draw_folds(ctx, h));
    for (size_t k = 0; k < h->table->n_rows; k++) {
        h->y[k] = (uint16_t)place[heft_code_at(target->cells, target->width, h->order[k])];
        if (h->weight) h->weight[k] = h->table->weight[h->order[k]];
    }
    return HEFT_OK;
}

/* Take the rows of fold f if `held` is set, else the other rows. rows[*n] are in the order of the
 * table, so that all processes have them in the order that one process would have. */
static heft_status take(heft_ctx *ctx, const holding *h, size_t f, bool held, size_t *rows,
                        size_t *n, heft_table **out)
{
    *n = heft_rows_of_fold(h->fold, h->table->n_rows, f, held, rows);
    return heft_table_take(ctx, h->table, rows, *n, out);
}

static heft_status hold_out(heft_ctx *ctx, void *arg, size_t f)
{
    const holding        *h = arg;
    HEFT_OWN(heft_table) *test = NULL, *train = NULL;
    HEFT_OWN(heft_model) *model = NULL;
    size_t                n, cells;
    HEFT_FREED size_t    *rows = NULL;
    HEFT_FREED double    *scores = NULL;
    uint32_t             *place;
    ctx->host = &h->host;
    HEFT_NEW(ctx, rows, h->table->n_rows);
    HEFT_CHECK(take(ctx, h, f, false, rows, &n, &train));
    HEFT_CHECK(h->fit(ctx, train, &h->config, h->skip_unknown, &model));
    HEFT_CHECK(take(ctx, h, f, true, rows, &n, &test));
    const size_t K = model->fitted.n_class;
    if (!heft_product(n, K, &cells)) return heft_no_memory(ctx, n, K);
    HEFT_NEW(ctx, scores, cells);
    HEFT_CHECK(place_classes(ctx, h, model->prep.classes, &place));
    HEFT_CHECK(heft_scores(ctx, model, test, scores));
    for (size_t k = 0; k < n; k++) {
        double      *to = h->scores + h->drawn[rows[k]] * h->K;
        const double all = heft_logsumexp(scores + k * K, K);
        for (size_t c = 0; c < h->K; c++) to[c] = -INFINITY;
        for (size_t c = 0; c < K; c++) to[place[c]] = scores[k * K + c] - all;
    }
    return HEFT_OK;
}

/* Apply the class weights to rows and scores, for a method that shifts its scores by them. */
static void weigh_classes(holding *h, const double *class_weight)
{
    for (size_t k = 0; k < h->table->n_rows; k++) {
        if (h->weight) h->weight[k] *= class_weight[h->y[k]];
        for (size_t c = 0; c < h->K; c++) h->scores[k * h->K + c] += log(class_weight[c]);
    }
}

typedef struct held_row { /* a row of a model with two classes, as processes exchange it */
    size_t   place;
    double   weight, score[2];
    uint16_t y;
} held_row;

/* Gather the rows of all processes in scratch memory, in the order that one process would have.
 * This is for thresholds: unlike a calibration, the best threshold cannot be found from sums over
 * rows. */
static heft_status gather_held(heft_ctx *ctx, const heft_held *held, heft_held *out)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_FREED held_row      *mine = NULL;
    uint16_t                 *y;
    double                   *weight = NULL, *scores;
    *out = *held;
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_NEW(ctx, mine, held->n);
    for (size_t k = 0; k < held->n; k++)
        mine[k] = (held_row){held->place[k],
                             held->weight ? held->weight[k] : 1,
                             {held->scores[2 * k], held->scores[2 * k + 1]},
                             held->y[k]};
    HEFT_CHECK(heft_all_gather(ctx, mine, held->n * sizeof *mine, &all));
    out->n = all.start[all.n] / sizeof *mine;
    HEFT_ALLOC(ctx, &ctx->scratch, scores, 2 * out->n);
    HEFT_ALLOC(ctx, &ctx->scratch, y, out->n);
    if (held->weight) HEFT_ALLOC(ctx, &ctx->scratch, weight, out->n);
    for (size_t k = 0; k < out->n; k++) {
        held_row row;
        memcpy(&row, all.bytes + k * sizeof row, sizeof row);
        memcpy(scores + 2 * row.place, row.score, sizeof row.score);
        y[row.place] = row.y;
        if (weight) weight[row.place] = row.weight;
    }
    out->y = y;
    out->weight = weight;
    out->scores = scores;
    out->place = NULL;
    return HEFT_OK;
}

/* Allocate scratch memory, and deal the rows to folds. */
static heft_status open_holding(heft_ctx *ctx, const heft_held_out *from, holding *h)
{
    const heft_table *table = from->table;
    const size_t      n = table->n_rows;
    size_t            cells, before;
    *h = (holding){.table = table,
                   .config = from->settings->config,
                   .skip_unknown = from->settings->skip_unknown,
                   .fit = from->fit,
                   .K = heft_dict_size(from->prep->classes),
                   .prep = from->prep};
    HEFT_CHECK(heft_all_place(ctx, n, &before, &h->n_all));
    if (h->n_all < LEAST_ROWS) return HEFT_OK;
    if (!heft_product(n, h->K, &cells)) return heft_no_memory(ctx, n, h->K);
    HEFT_ALLOC(ctx, &ctx->scratch, h->scores, cells);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, h->drawn, h->order, h->place, h->y, h->fold);
    if (table->weight) HEFT_ALLOC(ctx, &ctx->scratch, h->weight, n);
    h->config.calibrate = h->config.tune = h->config.cost = h->config.threshold = NULL;
    h->config.class_weight = NULL; /* the weights of rows include them already */
    if (ctx->host)
        h->host = (heft_host){.cancelled = ctx->host->cancelled, .user = ctx->host->user};
    return deal(ctx, h);
}

/* Set right[k], which is 0, to the number of held-out rows whose class is predicted right with
 * combination k. *n is the number of rows; it is 0 if there are too few. */
static heft_status count_right(heft_ctx *ctx, const heft_held_out *from, size_t *right, size_t *n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_choices *all = &from->settings->choices;
    holding             h;
    HEFT_CHECK(open_holding(ctx, from, &h));
    *n = h.n_all < LEAST_ROWS ? 0 : h.n_all;
    if (!*n) return HEFT_OK;
    for (size_t k = 0; k < all->n; k++) {
        h.config.params = all->params[k];
        HEFT_CHECK(heft_all_run(ctx, HEFT_KFOLD, hold_out, &h));
        for (size_t i = 0; i < h.table->n_rows; i++)
            right[k] += heft_argmax(h.scores + i * h.K, h.K) == h.y[i];
    }
    return HEFT_OK;
}

/* Copy the parameters and the note to the arena. */
static heft_status keep(heft_ctx *ctx, const char *const *params, const char *note,
                        heft_arena *arena, heft_chosen *out)
{
    const char **list;
    size_t       n = 0;
    char        *text;
    while (params[n]) n++;
    HEFT_ALLOC(ctx, arena, list, n + 1);
    for (size_t k = 0; k < n; k++) {
        HEFT_CHECK(heft_arena_copy(ctx, arena, params[k], &text));
        list[k] = text;
    }
    HEFT_CHECK(heft_arena_copy(ctx, arena, note, &text));
    *out = (heft_chosen){(const char *const *)list, text};
    return HEFT_OK;
}

heft_status heft_choose(heft_ctx *ctx, const heft_held_out *from, heft_arena *arena,
                        heft_chosen *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_choices  *all = &from->settings->choices;
    HEFT_LOCAL(heft_buf) note = {0};
    size_t              *right, n_rows, best = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, right, all->n);
    HEFT_CHECK(count_right(ctx, from, right, &n_rows));
    for (size_t k = 0; k < all->n; k++) {
        if (right[k] > right[best]) best = k;
        if (n_rows)
            heft_put(&note, "%s%s: %4f", k ? ", " : "", all->label[k],
                     (double)right[k] / (double)n_rows);
    }
    if (!n_rows) heft_put(&note, "%s: it needs at least ten rows", all->label[0]);
    return keep(ctx, all->params[best], heft_buf_string(&note), arena, out);
}

heft_status heft_learn_held_out(heft_ctx *ctx, const heft_held_out *from, const double *factor,
                                heft_model *model)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_settings *settings = from->settings;
    const size_t         K = model->fitted.n_class;
    const bool           calibrates = settings->calibrating != HEFT_CALIBRATE_NONE;
    heft_held            all;
    holding              h;
    model->calibration.kind = settings->calibrating;
    HEFT_CHECK(open_holding(ctx, from, &h));
    if (h.n_all < LEAST_ROWS) {
        const char *few = "left out: it needs at least ten rows";
        if (calibrates) heft_fact_text(&model->fitted, "calibration", few);
        if (settings->tuning) heft_fact_text(&model->fitted, "tuning", few);
        return HEFT_OK;
    }
    HEFT_CHECK(heft_all_run(ctx, HEFT_KFOLD, hold_out, &h));
    if (settings->class_weight) weigh_classes(&h, settings->class_weight);
    const heft_held held = {from->table->n_rows, h.y, h.weight, h.scores, h.place};
    if (calibrates) HEFT_CHECK(heft_calibrate_model(ctx, &held, model));
    if (!settings->tuning || K != 2) return HEFT_OK;
    HEFT_CHECK(gather_held(ctx, &held, &all));
    return heft_tune_model(ctx, &all, settings->tuning, factor, model);
}
