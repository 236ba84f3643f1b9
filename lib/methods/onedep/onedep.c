/* onedep.c - aode, waode and hnb: pair counts, their file, and the score by the definition. tiles.c
 * scores many rows. */
#include "methods/onedep/onedep.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "learn/basis.h"
#include "methods/onedep/tables.h"
#include "model/model.h"

/* ---- counts ---- */

const double *heft_onedep_value(const heft_onedep *own, size_t j, size_t v)
{
    const size_t line =
        v < own->pairs.n_codes[j] ? own->pairs.offset[j] + v : own->pairs.offset[own->pairs.n_attr];
    return own->value_sum + line * own->pairs.n_class;
}

double *heft_onedep_joint(const heft_onedep *own, size_t j, size_t v)
{
    const size_t line = v < own->pairs.n_codes[j] ? own->pairs.offset[j] + v
                                                  : own->pairs.offset[own->pairs.n_attr] + j;
    return own->joint + line * own->pairs.n_class;
}

/* The counts of a pair of values by class; zeros if either value is unknown. */
static const double *pair_of(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w)
{
    if (v < own->pairs.n_codes[i] && w < own->pairs.n_codes[j])
        return heft_pair_counts_at(&own->pairs, i, v, j, w);
    return own->value_sum + own->pairs.offset[own->pairs.n_attr] * own->pairs.n_class;
}

/* Sets the sizes, and refuses those that are too large. own->keeps_constant is known. */
static heft_status plan(heft_ctx *ctx, const uint32_t *n_codes, size_t n_attr, size_t n_class,
                        const char *method, heft_arena *arena, heft_onedep *own)
{
    double values = 0;
    own->pad = (n_class + HEFT_ONEDEP_VECTOR - 1) / HEFT_ONEDEP_VECTOR * HEFT_ONEDEP_VECTOR;
    HEFT_ALLOC(ctx, arena, own->place, n_attr);
    for (size_t j = 0; j < n_attr; j++) {
        values += n_codes[j];
        own->place[j] = n_codes[j] > !own->keeps_constant ? own->n_used++ : SIZE_MAX;
    }
    own->n_groups = own->n_used > 1 ? (own->n_used - 2) / HEFT_ONEDEP_GROUP + 1 : 1;
    const double besides = 8 * values * (double)(own->n_groups * own->pad + 2 * n_class) +
                           8 * (double)n_attr * (double)n_attr;
    HEFT_CHECK(
        heft_pair_counts_plan(ctx, n_codes, n_attr, n_class, besides, method, arena, &own->pairs));
    const size_t lines = own->pairs.offset[n_attr];
    HEFT_ALLOC(ctx, arena, own->class_sum, n_class);
    HEFT_ALLOC(ctx, arena, own->value_sum, (lines + 1) * n_class);
    HEFT_ALLOC(ctx, arena, own->joint, (lines + n_attr) * n_class);
    HEFT_ALLOCS(ctx, arena, n_attr, own->add, own->below);
    return HEFT_OK;
}

heft_status heft_onedep_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_rows *rows = task->rows;
    const size_t     K = rows->n_class;
    heft_onedep     *own;
    heft_counts      counts;
    uint32_t        *n_codes;
    HEFT_ALLOC(ctx, task->arena, own, 1);
    HEFT_ALLOC(ctx, &ctx->scratch, n_codes, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) n_codes[j] = rows->attr[j].n_codes;
    HEFT_CHECK(heft_check_pair_tables(ctx, rows));
    own->keeps_constant = heft_keeps_constant(task);
    HEFT_CHECK(plan(ctx, n_codes, rows->n_attr, K, task->method->name, task->arena, own));
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    own->total = counts.total;
    memcpy(own->class_sum, counts.class_sum, K * sizeof *own->class_sum);
    for (size_t j = 0; j < rows->n_attr; j++)
        memcpy(own->value_sum + own->pairs.offset[j] * K, counts.cell[j],
               n_codes[j] * K * sizeof *own->value_sum);
    HEFT_CHECK(heft_known_pairs(ctx, rows, task->known, task->arena, &own->pairs));
    out->own = own;
    return task->method->state->end(&(heft_loading){.ctx = ctx, .arena = task->arena}, own);
}

const heft_pair_counts *heft_onedep_pairs(const heft_fitted *fitted)
{
    return &((const heft_onedep *)fitted->own)->pairs;
}

/* ---- to and from a file ---- */

static const heft_onedep *own_at(const heft_at *at)
{
    return at->root;
}

heft_status heft_onedep_begin(const heft_loading *l, void *root)
{
    const heft_prep *prep = &l->model->prep;
    uint32_t        *n_codes;
    HEFT_ALLOC(l->ctx, &l->ctx->scratch, n_codes, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) n_codes[j] = heft_attr_codes(&prep->attr[j]);
    ((heft_onedep *)root)->keeps_constant = heft_model_keeps_constant(l->model);
    return plan(l->ctx, n_codes, prep->n_attr, l->model->fitted.n_class, "of the model", l->arena,
                root);
}

static heft_status add_up(const heft_loading *l, void *root)
{
    heft_onedep *own = root;
    for (size_t c = 0; c < own->pairs.n_class; c++) own->total += own->class_sum[c];
    if (own->total > 0) return HEFT_OK;
    return heft_file_damaged(l->ctx, l->file, "tensor 'own.class': there are no rows");
}

static const char *values_fault(const heft_at *at)
{
    const heft_onedep *own = own_at(at);
    const size_t       K = own->pairs.n_class;
    for (size_t v = 0; v < own->pairs.offset[own->pairs.n_attr]; v++)
        if (!heft_is_part(own->value_sum + v * K, own->class_sum, K))
            return "the counts contradict one another";
    return NULL;
}

/* No count exceeds one it is part of. */
static heft_status check_pairs(const heft_loading *l, void *root)
{
    const heft_onedep *own = root;
    double           **value;
    HEFT_ALLOC(l->ctx, &l->ctx->scratch, value, own->pairs.n_attr);
    for (size_t j = 0; j < own->pairs.n_attr; j++)
        value[j] = own->value_sum + own->pairs.offset[j] * own->pairs.n_class;
    if (heft_pair_counts_agree(&own->pairs, value)) return HEFT_OK;
    return heft_file_damaged(l->ctx, l->file,
                             "tensor 'own.pair': the counts contradict one another");
}

HEFT_DIM(values, "values of all attributes", own_at(at)->pairs.offset[own_at(at)->pairs.n_attr]);
HEFT_DIM(pairs, "pairs of values", own_at(at)->pairs.start[own_at(at)->pairs.n_attr]);

const heft_tensor heft_onedep_fields[] = {
    {"own.class", HEFT_F64, HEFT_ARRAY(heft_onedep, class_sum), .dims = {&heft_dim_classes},
     .hi = 1e15, .then = add_up, .help = "weight of the training rows by class"},
    {"own.value", HEFT_F64, HEFT_ARRAY(heft_onedep, value_sum),
     .dims = {&values, &heft_dim_classes}, .hi = 1e15, .check = values_fault,
     .help = "counts of each value"},
    {"own.pair", HEFT_F64, HEFT_ARRAY(heft_onedep, pairs.cell), .dims = {&pairs, &heft_dim_classes},
     .hi = 1e15, .memory.slack = HEFT_PAIR_COUNTS_SLACK, .then = check_pairs,
     .help = "counts of two values of different attributes (stats/counts.h)"},
    {.name = NULL}};

/* ---- denominators ---- */

/* scale = joint over the product of the denominators, group by group of the other attributes. */
static heft_status scale_attribute(heft_ctx *ctx, void *arg, size_t i)
{
    const heft_onedep      *own = arg;
    const heft_pair_counts *p = &own->pairs;
    const size_t            K = p->n_class, line_size = own->n_groups * own->pad;
    (void)ctx;
    for (size_t v = 0; v < p->n_codes[i]; v++) {
        const double *n = heft_onedep_value(own, i, v), *joint = heft_onedep_joint(own, i, v);
        double       *scale = own->scale + (p->offset[i] + v) * line_size;
        for (size_t k = 0; k < line_size; k++) scale[k] = k < own->pad ? (k < K ? joint[k] : 0) : 1;
        for (size_t j = 0; j < p->n_attr; j++) {
            if (j == i || heft_onedep_passed_over(own, i) || heft_onedep_passed_over(own, j))
                continue;
            for (size_t c = 0; c < K; c++)
                scale[heft_onedep_place(own, i, j) / HEFT_ONEDEP_GROUP * own->pad + c] /=
                    n[c] + own->below[j];
        }
    }
    return HEFT_OK;
}

heft_status heft_onedep_seal(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    if (own->mixture) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, own->scale,
               own->pairs.offset[own->pairs.n_attr] * own->n_groups * own->pad);
    return heft_run(ctx, own->pairs.n_attr, scale_attribute, own);
}

/* ---- one row by the definition ---- */

/* The code of row r: n_codes for an unknown value; *missing when there is none. */
static size_t code_of(const heft_rows *rows, size_t r, size_t j, bool *missing)
{
    const heft_attr *a = &rows->attr[j];
    const uint32_t   v = heft_code_at(a->codes, a->width, r);
    *missing = v == a->n_codes;
    return v < a->n_codes ? v : a->n_codes;
}

/* The term of value w of attribute j, for class c, in the mixture of a child, or in the log of the
 * product of a parent, where attribute i has value v. */
static double pair_part(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w, size_t c)
{
    const double both = pair_of(own, i, v, j, w)[c];
    if (own->mixture)
        return own->weight[i * own->pairs.n_attr + j] * (both + own->add[i]) /
               (heft_onedep_value(own, j, w)[c] + own->below[j]);
    return log((both + own->add[j]) / (heft_onedep_value(own, i, v)[c] + own->below[j]));
}

/* log, for class c, of parent i's product or child i's mixture. */
static double plain_part(const heft_onedep *own, const heft_rows *rows, size_t r, size_t i,
                         size_t v, size_t c)
{
    const double joint = heft_onedep_joint(own, i, v)[c];
    double       sum = own->mixture ? joint : log(joint);
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        bool         missing;
        const size_t w = code_of(rows, r, j, &missing);
        if (i == j || missing || heft_onedep_passed_over(own, j)) continue;
        sum += pair_part(own, i, v, j, w, c);
    }
    return own->mixture ? log(fmax(sum, HEFT_LEAST_SUM)) : sum;
}

void heft_onedep_plain(const heft_onedep *own, const heft_rows *rows, size_t r, double *log_joint)
{
    bool any = own->mixture;
    for (size_t c = 0; c < own->pairs.n_class; c++) {
        log_joint[c] = own->mixture ? heft_onedep_log_prior(own, c) : -INFINITY;
        for (size_t i = 0; i < own->pairs.n_attr; i++) {
            bool         missing;
            const size_t v = code_of(rows, r, i, &missing);
            if (missing || heft_onedep_passed_over(own, i)) continue;
            const double both[] = {log_joint[c], plain_part(own, rows, r, i, v, c)};
            log_joint[c] = own->mixture ? both[0] + both[1] : heft_logsumexp(both, 2);
        }
        any = any || log_joint[c] > -INFINITY;
    }
    if (any) return;
    /* a row without a value that occurs gets the score of naive Bayes (AODE's own rule) */
    for (size_t c = 0; c < own->pairs.n_class; c++) {
        const double n = own->class_sum[c];
        log_joint[c] = log((n + 1) / (own->total + (double)own->pairs.n_class));
        for (size_t j = 0; j < own->pairs.n_attr; j++) {
            bool          missing;
            const size_t  v = code_of(rows, r, j, &missing);
            const double *value = heft_onedep_value(own, j, v);
            if (!missing && !heft_onedep_passed_over(own, j))
                log_joint[c] += log((value[c] + 1) / (n + own->pairs.n_codes[j]));
        }
    }
}

heft_status heft_onedep_parts(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              size_t i, double *parts)
{
    const heft_onedep *own = fitted->own;
    const size_t       K = own->pairs.n_class;
    (void)ctx;
    for (size_t c = 0; c < K; c++) parts[c] = heft_onedep_log_prior(own, c);
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        bool         missing;
        const size_t v = code_of(rows, i, j, &missing);
        for (size_t c = 0; c < K; c++)
            parts[(1 + j) * K + c] =
                missing || heft_onedep_passed_over(own, j) ? 0 : plain_part(own, rows, i, j, v, c);
    }
    return HEFT_OK;
}

/* ---- tables ---- */

/* The value of a spot (tables.h), as code_of has it. */
static size_t value_at(const heft_onedep *own, size_t j, size_t spot, bool *missing)
{
    const size_t q = own->pairs.n_codes[j];
    *missing = spot == q;
    return spot < q ? spot : q;
}

/* Naive Bayes, as for a row without a value that occurs. */
static void bayes_value(const void *of, size_t j, size_t spot, double *out)
{
    const heft_onedep *own = of;
    bool               missing;
    const size_t       v = value_at(own, j, spot, &missing);
    for (size_t c = 0; c < own->pairs.n_class; c++)
        out[c] = missing ? 0
                         : log((heft_onedep_value(own, j, v)[c] + 1) /
                               (own->class_sum[c] + own->pairs.n_codes[j]));
}

/* The first term of parent or child i. */
static void joint_value(const void *of, size_t i, size_t spot, double *out)
{
    const heft_onedep *own = of;
    bool               missing;
    const size_t       v = value_at(own, i, spot, &missing);
    for (size_t c = 0; c < own->pairs.n_class; c++) {
        const double joint = heft_onedep_joint(own, i, v)[c];
        if (own->mixture) out[c] = missing ? 1 : joint;
        else out[c] = missing || !(joint > 0) ? HEFT_ABSENT : log(joint);
    }
}

static void pair_value(const void *of, size_t i, size_t spot_i, size_t j, size_t spot_j,
                       double *out)
{
    const heft_onedep *own = of;
    bool               missing[2];
    const size_t       v = value_at(own, i, spot_i, &missing[0]);
    const size_t       w = value_at(own, j, spot_j, &missing[1]);
    for (size_t c = 0; c < own->pairs.n_class; c++)
        out[c] = missing[0] || missing[1] ? 0 : pair_part(own, i, v, j, w, c);
}

heft_status heft_onedep_tables(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *t)
{
    const heft_onedep *own = fitted->own;
    const size_t       m = own->pairs.n_attr, K = own->pairs.n_class;
    HEFT_CHECK(heft_tables_open(ctx, t, 0));
    HEFT_ALLOC(ctx, &ctx->scratch, t->further.list, own->n_used);
    t->further.combining = own->mixture ? HEFT_MULTIPLIED : HEFT_AVERAGED;
    for (size_t c = 0; c < K; c++)
        t->start[c] = own->mixture ? heft_onedep_log_prior(own, c)
                                   : log((own->class_sum[c] + 1) / (own->total + (double)K));
    for (size_t i = 0; i < m; i++) {
        if (heft_onedep_passed_over(own, i)) continue;
        if (!own->mixture) HEFT_CHECK(heft_tables_attr(ctx, t, i, bayes_value, own));
        heft_terms *sum = &t->further.list[t->further.n++];
        HEFT_CHECK(heft_tables_sum(ctx, t, own->n_used, sum));
        HEFT_CHECK(heft_tables_attr(ctx, sum, i, joint_value, own));
        for (size_t j = 0; j < m; j++) {
            const bool silent = own->mixture && own->weight[i * m + j] == 0;
            if (i == j || silent || heft_onedep_passed_over(own, j)) continue;
            HEFT_CHECK(heft_tables_pair(ctx, sum, i, j, pair_value, own));
        }
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}
