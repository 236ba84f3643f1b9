/* auto.c - the default method: pooled first- and second-order evidence.
 *
 * The score of a class is a sum of evidence, one term for each attribute value and one for each
 * pair of them. Part B of it is counted: one-dependence estimators weighted by information and
 * calibrated on leave-one-out scores (model/counted.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "methods/method.h"
#include "model/counted.h"

enum { EFFORT_COUNT, EFFORT_LEAN, EFFORT_FULL };
enum { FEW_ROWS = 2000, MOST_LOOKED_AT = 4096, SHOWN_PAIRS = 5 };

typedef struct session { /* one fit */
    const heft_task *task;
    heft_arena      *arena; /* until the fit ends */
    heft_sample      all;
    uint16_t        *y;
    uint32_t        *present; /* of the declared classes, those with rows */
    double          *class_sum, total;
    heft_coding      coding;
    heft_coded       coded;
    heft_counted     counted;
    heft_pooled     *pooled;
} session;

/* ---- rows ---- */

/* Classes without rows take no part: the others are numbered anew. */
static heft_status find_classes(heft_ctx *ctx, session *s)
{
    heft_status      st = HEFT_OK;
    const heft_rows *rows = s->task->rows;
    uint16_t        *number;

    s->all = (heft_sample){.rows = rows, .n = rows->n_rows, .weight = rows->weight};
    HEFT_ARENA(ctx, s->arena, s->y, rows->n_rows);
    HEFT_ARENA(ctx, s->arena, s->present, rows->n_class);
    HEFT_ARENA(ctx, s->arena, s->class_sum, rows->n_class);
    HEFT_ARENA(ctx, s->arena, number, rows->n_class);
    for (size_t i = 0; i < rows->n_rows; i++)
        s->class_sum[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
    for (size_t c = 0; c < rows->n_class; c++) {
        number[c] = (uint16_t)s->all.n_class;
        if (s->class_sum[c] > 0) s->present[s->all.n_class++] = (uint32_t)c;
        s->total += s->class_sum[c];
    }
    for (size_t i = 0; i < rows->n_rows; i++) s->y[i] = number[rows->y[i]];
    s->all.y = s->y;
done:
    return st;
}

/* ---- the end of a fit ---- */

/* Priors for inspect. A prior that is asked for takes the place of the frequencies. */
static heft_status set_prior(heft_ctx *ctx, session *s, heft_fitted *out)
{
    heft_status       st = HEFT_OK;
    const heft_task  *task = s->task;
    const heft_counts counts = {
        .n_class = task->rows->n_class, .total = s->total, .class_sum = s->class_sum};

    HEFT_TRY(heft_log_prior(ctx, &counts, true, &task->smoothing, &task->prior, task->arena,
                            &out->log_prior));
    if (task->prior.kind != HEFT_PRIOR_UNIFORM && task->prior.kind != HEFT_PRIOR_GIVEN) goto done;
    for (size_t k = 0; k < s->all.n_class; k++) {
        const size_t c = s->present[k];
        if (isfinite(out->log_prior[c]))
            s->pooled->bias[k] += out->log_prior[c] - log(s->class_sum[c] / s->total);
    }
done:
    return st;
}

/* One class, or nothing to go by: the class frequencies. */
static void by_frequency(session *s)
{
    for (size_t k = 0; k < s->all.n_class; k++)
        s->pooled->bias[k] = log(s->class_sum[s->present[k]] / s->total);
}

static heft_status note_pairs(heft_ctx *ctx, session *s, const double *size, heft_fitted *out)
{
    heft_status        st = HEFT_OK;
    const heft_pooled *p = s->pooled;
    double            *left;
    heft_buf           text = {0};
    char              *kept;

    HEFT_ARENA(ctx, &ctx->scratch, left, p->n_pairs);
    memset(left, 0, p->n_pairs * sizeof *left);
    for (size_t k = 0; k < p->n_pairs; k++) { /* the tables of a pair together, at its first */
        size_t first = k;
        while (first > 0 && p->pair[first - 1].i == p->pair[k].i &&
               p->pair[first - 1].j == p->pair[k].j)
            first--;
        left[first] += size[k];
    }
    for (size_t shown = 0; shown < SHOWN_PAIRS; shown++) {
        size_t best = 0;
        for (size_t k = 1; k < p->n_pairs; k++)
            if (left[k] > left[best]) best = k;
        if (p->n_pairs == 0 || !(left[best] > 0)) break;
        char        a[64], b[64];
        const char *x = s->task->prep->attr[p->pair[best].i].name;
        const char *y = s->task->prep->attr[p->pair[best].j].name;
        heft_buf_printf(&text, "%s%s with %s ", shown ? "; " : "",
                        heft_show(a, sizeof a, x, strlen(x), 40),
                        heft_show(b, sizeof b, y, strlen(y), 40));
        heft_buf_fixed(&text, left[best], 3);
        left[best] = 0;
    }
    if (text.length == 0 && !text.failed) goto done;
    char *taken;
    HEFT_TRY(heft_buf_take(ctx, &text, &taken));
    kept = heft_arena_text(out->arena, taken);
    heft_text_free(taken);
    if (!kept) HEFT_TRY(heft_no_memory(ctx, 1, 1));
    heft_fact_text(out, "strongest pairs", kept);
done:
    heft_buf_clear(&text);
    return st;
}

/* The weight of an attribute, for inspect: the mean size of its evidence. */
static heft_status set_weights(heft_ctx *ctx, session *s, heft_fitted *out)
{
    heft_status      st = HEFT_OK;
    const heft_rows *rows = s->task->rows;
    double          *of_pair;

    out->weights = (heft_weights){.shape = HEFT_W_ATTR, .folded = true, .w0 = 1};
    HEFT_ARENA(ctx, out->arena, out->weights.w, out->n_attr);
    HEFT_ARENA(ctx, &ctx->scratch, of_pair, s->pooled->n_pairs);
    HEFT_TRY(heft_pooled_sizes(ctx, s->pooled, rows, rows->n_rows / MOST_LOOKED_AT + 1,
                               out->weights.w, of_pair));
    HEFT_TRY(note_pairs(ctx, s, of_pair, out));
done:
    return st;
}

static heft_status note_counted(heft_ctx *ctx, const session *s, heft_fitted *out)
{
    heft_status         st = HEFT_OK;
    const heft_counted *b = &s->counted;
    static const char  *names[] = {"mdl", "5", "10", "20"};
    char                line[256];
    size_t              used = 0;

    for (size_t k = 0; k < b->n_members; k++) {
        char number[32];
        heft_format_double(number, round(b->member[k].beta * 1e4) / 1e4);
        used += (size_t)snprintf(
            line + used, sizeof line - used, "%s%s at %s%s", k ? ", " : "", number,
            names[b->member[k].res],
            b->n_members == 1 && b->member[k].multiplicity > 1 ? " (all resolutions alike)" : "");
    }
    char *kept = heft_arena_text(out->arena, line);
    if (!kept) return heft_no_memory(ctx, sizeof line, 1);
    heft_fact_text(out, "beta", kept);
    heft_fact_number(out, "superparents", (double)b->member[0].dep.n_super);
    heft_fact_number(out, "leave-one-out loss", b->loss);
    return st;
}

/* ---- fit ---- */

static heft_status fit_counted(heft_ctx *ctx, session *s)
{
    heft_status    st = HEFT_OK;
    const unsigned few = 1u << HEFT_AT_5 | 1u << HEFT_AT_10;
    const unsigned at = s->total < FEW_ROWS ? few : few | 1u << HEFT_AT_20;

    HEFT_TRY(heft_coding_learn(ctx, &s->all, s->task->prep->spec.unseen_zero, false, s->arena,
                               &s->coding));
    HEFT_TRY(heft_coded_fill(ctx, &s->coding, &s->all, at, NULL, &s->coded));
    HEFT_TRY(heft_counted_fit(ctx, &s->all, &s->coded, at, NULL, s->all.n, s->arena, &s->counted));
done:
    return st;
}

static heft_status fit_session(heft_ctx *ctx, session *s, heft_fitted *out)
{
    heft_status      st = HEFT_OK;
    const heft_task *task = s->task;

    HEFT_TRY(find_classes(ctx, s));
    HEFT_ARENA(ctx, task->arena, s->pooled, 1);
    const bool plain = s->all.n_class < 2 || task->rows->n_attr == 0;
    if (plain)
        HEFT_TRY(heft_coding_learn(ctx, &s->all, task->prep->spec.unseen_zero, false, s->arena,
                                   &s->coding));
    else HEFT_TRY(fit_counted(ctx, s));
    HEFT_TRY(heft_pooled_init(ctx, &s->coding, s->present, s->all.n_class, task->rows->n_class,
                              heft_counted_pairs(&s->counted), task->arena, s->pooled));
    if (plain) by_frequency(s);
    else HEFT_TRY(heft_counted_pool(ctx, &s->counted, &s->coding, 1, task->arena, s->pooled));
    HEFT_TRY(set_prior(ctx, s, out));
    heft_pooled_centre(s->pooled);
    if (!plain) HEFT_TRY(note_counted(ctx, s, out));
    HEFT_TRY(set_weights(ctx, s, out));
    out->training.iterative = !plain;
    out->training.iterations = s->counted.how.iterations;
    out->training.evaluations = s->counted.how.evaluations;
    out->training.objective_initial = s->counted.how.f0;
    out->training.objective_final = s->counted.how.f;
    out->training.converged = s->counted.how.converged;
    out->training.stopped_by = s->counted.how.stopped_by;
done:
    return st;
}

static heft_status fit_auto(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_status st = HEFT_OK;
    heft_arena  work = {0};
    session     s = {.task = task, .arena = &work};

    if (!task->smoothing.laplace)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "method auto smooths in its own way: leave out --smoothing (or give "
                         "laplace)");
    out->n_attr = task->rows->n_attr;
    out->n_class = task->rows->n_class;
    out->arena = task->arena;
    HEFT_TRY(fit_session(ctx, &s, out));
    out->training.rows = s.total;
    out->own = s.pooled;
done:
    heft_coded_clear(&s.coded);
    heft_arena_clear(&work);
    return st;
}

/* ---- use ---- */

/* A class whose given prior is 0 takes no part. */
static void leave_out(const heft_fitted *fitted, size_t n, double *score)
{
    for (size_t c = 0; c < fitted->n_class; c++)
        if (fitted->log_prior && !isfinite(fitted->log_prior[c]))
            for (size_t i = 0; i < n; i++) score[i * fitted->n_class + c] = -INFINITY;
}

static heft_status score_auto(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint)
{
    const heft_status st = heft_pooled_score(ctx, fitted->own, rows, log_joint);
    leave_out(fitted, rows->n_rows, log_joint);
    return st;
}

static heft_status parts_auto(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              size_t i, double *parts)
{
    const heft_status st = heft_pooled_parts(ctx, fitted->own, rows, i, parts);
    leave_out(fitted, 1, parts);
    return st;
}

static heft_status save_auto(heft_ctx *ctx, const heft_fitted *fitted, heft_file *file)
{
    return heft_pooled_save(ctx, fitted->own, file);
}

static heft_status load_auto(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                             heft_fitted *fitted)
{
    heft_status  st = HEFT_OK;
    heft_pooled *pooled;
    HEFT_ARENA(ctx, fitted->arena, pooled, 1);
    HEFT_TRY(heft_pooled_load(ctx, file, prep, fitted->arena, pooled));
    fitted->own = pooled;
done:
    return st;
}

static const heft_option options[] = {
    {.name = "effort",
     .fallback = "count",
     .help = "count: counted evidence alone",
     .words = "count|lean|full"},
    {.name = NULL},
};

const heft_method heft_method_auto = {
    .name = "auto",
    .title = "pooled evidence of attribute values and their pairs, counted and learned",
    .source = "heft's own; docs/auto.md",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS,
    .prepare = {.smoothing = "laplace", .prior = "smoothed"},
    .options = options,
    .fit = fit_auto,
    .score = score_auto,
    .save = save_auto,
    .load = load_auto,
    .parts = parts_auto,
};
