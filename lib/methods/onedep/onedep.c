/* onedep.c - pair counts, and scoring straight from them, for aode, waode and hnb.
 *
 * The denominators of aode do not depend on the other attribute's value, so they are multiplied up
 * once for every value of the parent, and a row multiplies counts. Rows are scored in tiles: within
 * one, rows of the same value of an attribute follow each other, so that the counts with this value
 * are read from memory once for all of them. Rows with a missing or unknown value are scored by the
 * definition. */
#include "methods/onedep/onedep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/wide.h"
#include "learn/basis.h"
#include "methods/onedep/tables.h"
#include "model/model.h"

enum { TILE = 1024, GROUP = 16, VECTOR = 4 };

/* A count is at most 1e15, so GROUP factors, or counts, span 240 decimal digits; products that go
 * on are kept above 1/STEP by factors of it. */
static const double STEP = 1e50;
static const double LOG_STEP = 115.12925464970228420; /* log(1e50) */

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

/* Zeros when either value is unknown. */
static const double *pair_of(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w)
{
    if (v < own->pairs.n_codes[i] && w < own->pairs.n_codes[j])
        return heft_pair_counts_at(&own->pairs, i, v, j, w);
    return own->value_sum + own->pairs.offset[own->pairs.n_attr] * own->pairs.n_class;
}

/* log of (N(c) + 1/K)/(n + 1), hnb's prior. */
static double log_prior(const heft_onedep *own, size_t c)
{
    return log((own->class_sum[c] + 1 / (double)own->pairs.n_class) / (own->total + 1));
}

static bool passed_over(const heft_onedep *own, size_t j)
{
    return own->place[j] == SIZE_MAX;
}

/* The place of j among the attributes used other than i. */
static size_t place_of(const heft_onedep *own, size_t i, size_t j)
{
    return own->place[j] - (own->place[j] > own->place[i]);
}

/* Sizes; refused when too large. */
static heft_status plan(heft_ctx *ctx, const uint32_t *n_codes, size_t n_attr, size_t n_class,
                        const char *method, heft_arena *arena, heft_onedep *own)
{
    double values = 0;
    own->pad = (n_class + VECTOR - 1) / VECTOR * VECTOR;
    HEFT_ALLOC(ctx, arena, own->place, n_attr);
    for (size_t j = 0; j < n_attr; j++) {
        values += n_codes[j];
        own->place[j] = n_codes[j] > 1 ? own->n_used++ : SIZE_MAX;
    }
    own->n_groups = own->n_used > 1 ? (own->n_used - 2) / GROUP + 1 : 1; /* of the others */
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
    HEFT_CHECK(heft_own_estimates(ctx, task));
    HEFT_ALLOC(ctx, task->arena, own, 1);
    HEFT_ALLOC(ctx, &ctx->scratch, n_codes, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) n_codes[j] = rows->attr[j].n_codes;
    HEFT_CHECK(heft_check_pair_tables(ctx, rows));
    HEFT_CHECK(plan(ctx, n_codes, rows->n_attr, K, task->method->name, task->arena, own));
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, &counts));
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
     .hi = 1e15, .slack = HEFT_PAIR_COUNTS_SLACK, .then = check_pairs,
     .help = "counts of two values of different attributes (stats/pair_counts.h)"},
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
            if (j == i || passed_over(own, i) || passed_over(own, j)) continue;
            for (size_t c = 0; c < K; c++)
                scale[place_of(own, i, j) / GROUP * own->pad + c] /= n[c] + own->below[j];
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

/* What value w of attribute j adds, for class c, to a child's mixture, or to the log of a parent's
 * product, where i has value v. */
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
        if (i == j || missing || passed_over(own, j)) continue;
        sum += pair_part(own, i, v, j, w, c);
    }
    return own->mixture ? log(fmax(sum, HEFT_LEAST_SUM)) : sum;
}

void heft_onedep_plain(const heft_onedep *own, const heft_rows *rows, size_t r, double *log_joint)
{
    bool any = own->mixture;
    for (size_t c = 0; c < own->pairs.n_class; c++) {
        log_joint[c] = own->mixture ? log_prior(own, c) : -INFINITY;
        for (size_t i = 0; i < own->pairs.n_attr; i++) {
            bool         missing;
            const size_t v = code_of(rows, r, i, &missing);
            if (missing || passed_over(own, i)) continue;
            const double both[] = {log_joint[c], plain_part(own, rows, r, i, v, c)};
            log_joint[c] = own->mixture ? both[0] + both[1] : heft_logsumexp(both, 2);
        }
        any = any || log_joint[c] > -INFINITY;
    }
    /* Naive Bayes, for a row without a value that occurs (AODE's own rule). */
    for (size_t c = 0; !any && c < own->pairs.n_class; c++) {
        const double n = own->class_sum[c];
        log_joint[c] = log((n + 1) / (own->total + (double)own->pairs.n_class));
        for (size_t j = 0; j < own->pairs.n_attr; j++) {
            bool          missing;
            const size_t  v = code_of(rows, r, j, &missing);
            const double *value = heft_onedep_value(own, j, v);
            if (!missing && !passed_over(own, j))
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
    for (size_t c = 0; c < K; c++) parts[c] = log_prior(own, c);
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        bool         missing;
        const size_t v = code_of(rows, i, j, &missing);
        for (size_t c = 0; c < K; c++)
            parts[(1 + j) * K + c] =
                missing || passed_over(own, j) ? 0 : plain_part(own, rows, i, j, v, c);
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

/* What parent or child i begins with. */
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
    HEFT_ALLOC(ctx, &ctx->scratch, t->sum, own->n_used);
    t->combining = own->mixture ? HEFT_MULTIPLIED : HEFT_AVERAGED;
    for (size_t c = 0; c < K; c++)
        t->start[c] = own->mixture ? log_prior(own, c)
                                   : log((own->class_sum[c] + 1) / (own->total + (double)K));
    for (size_t i = 0; i < m; i++) {
        if (passed_over(own, i)) continue;
        if (!own->mixture) HEFT_CHECK(heft_tables_attr(ctx, t, i, bayes_value, own));
        heft_terms *sum = &t->sum[t->n_sums++];
        HEFT_CHECK(heft_tables_sum(ctx, t, own->n_used, sum));
        HEFT_CHECK(heft_tables_attr(ctx, sum, i, joint_value, own));
        for (size_t j = 0; j < m; j++) {
            const bool silent = own->mixture && own->weight[i * m + j] == 0;
            if (i == j || silent || passed_over(own, j)) continue;
            HEFT_CHECK(heft_tables_pair(ctx, sum, i, j, pair_value, own));
        }
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

/* ---- tiles of rows ---- */

/* The same for n vectors of classes, a constant where it is called: their products do not wait for
 * one another. */
HEFT_INLINE void multiply_some(size_t n, const double *cell, const size_t *at, const double *add,
                               size_t lo, size_t hi, double *restrict out)
{
    typedef double vector __attribute__((vector_size(VECTOR * sizeof(double))));
    vector         x[4];
    for (size_t v = 0; v < n; v++) x[v] = (vector){1, 1, 1, 1};
    for (size_t k = lo; k < hi; k++)
        for (size_t v = 0; v < n; v++) {
            vector line;
            memcpy(&line, cell + at[k] + v * VECTOR, sizeof line);
            x[v] *= line + add[k];
        }
    for (size_t v = 0; v < n; v++) memcpy(out + v * VECTOR, &x[v], sizeof x[v]);
}

/* out[c] = prod_k (cell[at[k] + c] + add[k]), k = lo..hi-1. May read VECTOR - 1 numbers further. */
HEFT_WIDE_AVX2 static void multiply(const double *cell, const size_t *at, const double *add,
                                    size_t lo, size_t hi, size_t pad, double *restrict out)
{
    for (; pad >= 4 * VECTOR; pad -= 4 * VECTOR, cell += 4 * VECTOR, out += 4 * VECTOR)
        multiply_some(4, cell, at, add, lo, hi, out);
    if (pad == 3 * VECTOR) multiply_some(3, cell, at, add, lo, hi, out);
    else if (pad == 2 * VECTOR) multiply_some(2, cell, at, add, lo, hi, out);
    else if (pad == VECTOR) multiply_some(1, cell, at, add, lo, hi, out);
}

/* out[c] += sum_k (cell[at[k] + c] + add) share[line[k] + c]. */
HEFT_WIDE_AVX2 static void mix(const double *cell, const size_t *at, double add,
                               const double *share, const size_t *line, size_t n, size_t pad,
                               double *restrict out)
{
    for (size_t c = 0; c < pad; c += VECTOR) {
        double x = out[c], y = out[c + 1], z = out[c + 2], w = out[c + 3];
        for (size_t k = 0; k < n; k++) {
            const double *a = cell + at[k] + c, *b = share + line[k] + c;
            x += (a[0] + add) * b[0], y += (a[1] + add) * b[1];
            z += (a[2] + add) * b[2], w += (a[3] + add) * b[3];
        }
        out[c] = x, out[c + 1] = y, out[c + 2] = z, out[c + 3] = w;
    }
}

typedef struct tile { /* scratch for TILE rows */
    size_t    n;
    size_t   *row;          /* which rows they are */
    uint32_t *code;         /* TILE x n_used */
    uint32_t *order, *next; /* rows by their value of one attribute, i */
    /* n_used - 1, by the other attributes: */
    size_t *base;        /* where the counts of i with it begin */
    size_t *own, *step;  /* how they go by the value of i, and by its own */
    size_t *from, value; /* base for a value of i, and which: that of the row before */
    size_t *at, *line;   /* one row's counts, and its shares */
    double *add;
    double *share;         /* a mixture: lines of pad, weight over denominator, for one child */
    double *sum, *log_sum; /* TILE x pad */
    int    *exponent;      /* TILE: the sum is in units of STEP^-exponent */
    double *part, *more;   /* pad */
} tile;

static heft_status tile_init(heft_ctx *ctx, const heft_onedep *own, size_t rows, tile *t)
{
    heft_arena  *arena = &ctx->scratch;
    const size_t m = own->pairs.n_attr, pad = own->pad;
    uint32_t     most = 0;
    *t = (tile){0};
    for (size_t j = 0; j < m; j++)
        if (own->pairs.n_codes[j] > most) most = own->pairs.n_codes[j];
    HEFT_ALLOCS(ctx, arena, rows, t->row, t->order, t->exponent);
    HEFT_ALLOC(ctx, arena, t->code, rows * own->n_used);
    HEFT_ALLOC(ctx, arena, t->next, (size_t)most + 1);
    HEFT_ALLOCS(ctx, arena, m, t->base, t->own, t->step, t->from, t->at, t->line, t->add);
    if (own->mixture) HEFT_ALLOC(ctx, arena, t->share, own->pairs.offset[m] * pad);
    HEFT_ALLOCS(ctx, arena, rows * pad, t->sum, t->log_sum);
    HEFT_ALLOCS(ctx, arena, pad, t->part, t->more);
    return HEFT_OK;
}

/* The rows of the tile in the order of their values of attribute i, and where the counts of i with
 * each other attribute are. */
static void turn_to(const heft_onedep *own, tile *t, size_t i)
{
    const heft_pair_counts *p = &own->pairs;
    const size_t            U = own->n_used, q = p->n_codes[i];
    const uint32_t         *code = t->code + own->place[i];
    memset(t->next, 0, (q + 1) * sizeof *t->next);
    for (size_t r = 0; r < t->n; r++) t->next[code[r * U] + 1]++;
    for (size_t v = 1; v < q; v++) t->next[v] += t->next[v - 1];
    for (size_t r = 0; r < t->n; r++) t->order[t->next[code[r * U]]++] = (uint32_t)r;
    for (size_t j = 0; j < p->n_attr; j++) {
        if (i == j || passed_over(own, j)) continue;
        const size_t k = place_of(own, i, j);
        t->base[k] = heft_pair_counts_line(p, i < j ? i : j, i < j ? j : i) * p->n_class;
        t->own[k] = (i < j ? 1 : p->n_codes[j]) * p->n_class;
        t->step[k] = (i < j ? p->n_codes[i] : 1) * p->n_class;
        t->add[k] = own->add[j];
    }
    t->value = SIZE_MAX;
    if (!own->mixture) return;
    for (size_t j = 0; j < p->n_attr; j++)
        for (size_t w = 0; w < p->n_codes[j]; w++) {
            const double *n = heft_onedep_value(own, j, w);
            double       *share = t->share + (p->offset[j] + w) * own->pad;
            for (size_t c = 0; c < p->n_class; c++)
                share[c] = own->weight[i * p->n_attr + j] / (n[c] + own->below[j]);
        }
}

/* `at` of one row, whose values are code[n_used]. Rows of one value of i follow each other. */
static void locate(const heft_onedep *own, tile *t, size_t i, const uint32_t *code)
{
    const size_t before = own->place[i], others = own->n_used - 1;
    if (code[before] != t->value) {
        t->value = code[before];
        for (size_t k = 0; k < others; k++) t->from[k] = t->base[k] + t->value * t->own[k];
    }
    for (size_t k = 0; k < before; k++) t->at[k] = t->from[k] + code[k] * t->step[k];
    for (size_t k = before; k < others; k++) t->at[k] = t->from[k] + code[k + 1] * t->step[k];
}

/* The same of `line`, for a mixture. */
static void locate_shares(const heft_onedep *own, tile *t, size_t i, const uint32_t *code)
{
    for (size_t j = 0; j < own->pairs.n_attr; j++)
        if (j != i && !passed_over(own, j))
            t->line[place_of(own, i, j)] = (own->pairs.offset[j] + code[own->place[j]]) * own->pad;
}

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = v[k] > most ? v[k] : most;
    return most;
}

/* part = the product for one row and parent; returns the power of STEP it was multiplied by. */
static int product_of(const heft_onedep *own, tile *t, const double *scale)
{
    const size_t others = own->n_used - 1, K = own->pairs.n_class, pad = own->pad;
    int          exponent = 0;
    multiply(own->pairs.cell, t->at, t->add, 0, others < GROUP ? others : GROUP, pad, t->part);
    for (size_t c = 0; c < pad; c++) t->part[c] *= scale[c];
    for (size_t lo = GROUP; lo < others; lo += GROUP) {
        scale += pad;
        for (double most = largest(t->part, K); most > 0 && most < 1 / STEP; most *= STEP) {
            for (size_t c = 0; c < K; c++) t->part[c] *= STEP;
            exponent++;
        }
        multiply(own->pairs.cell, t->at, t->add, lo, others - lo < GROUP ? others : lo + GROUP, pad,
                 t->more);
        for (size_t c = 0; c < K; c++) t->part[c] *= t->more[c] * scale[c];
    }
    return exponent;
}

/* sum, in units of STEP^-*unit, += part, in units of STEP^-exponent. A sum of 0 has no unit yet. */
static void add_scaled(const double *part, int exponent, size_t K, double *restrict sum, int *unit)
{
    double scale_part = 1, scale_sum = 1;
    if (exponent == *unit) {
        for (size_t c = 0; c < K; c++) sum[c] += part[c];
        return;
    }
    const double shift = pow(STEP, -fmin(8, abs(exponent - *unit)));
    if (exponent > *unit && largest(sum, K) > 0) scale_part = shift;
    else scale_sum = shift, *unit = exponent;
    for (size_t c = 0; c < K; c++) sum[c] = sum[c] * scale_sum + part[c] * scale_part;
}

/* log_sum = log sum_i prod_j. */
static void sum_of_products(const heft_onedep *own, tile *t)
{
    const heft_pair_counts *p = &own->pairs;
    const size_t            m = p->n_attr, K = p->n_class, pad = own->pad;
    for (size_t i = 0; i < m; i++) {
        if (passed_over(own, i)) continue;
        turn_to(own, t, i);
        for (size_t k = 0; k < t->n; k++) {
            const size_t r = t->order[k];
            locate(own, t, i, t->code + r * own->n_used);
            const int exponent =
                product_of(own, t, own->scale + (p->offset[i] + t->value) * own->n_groups * pad);
            add_scaled(t->part, exponent, K, t->sum + r * pad, &t->exponent[r]);
        }
    }
    for (size_t r = 0; r < t->n; r++)
        for (size_t c = 0; c < K; c++)
            t->log_sum[r * pad + c] = t->sum[r * pad + c] > 0
                                          ? log(t->sum[r * pad + c]) - LOG_STEP * t->exponent[r]
                                          : -INFINITY;
}

/* log_sum = log prior + sum_i log sum_j, with GROUP sums multiplied before a logarithm is taken. */
static void product_of_sums(const heft_onedep *own, tile *t)
{
    const size_t m = own->pairs.n_attr, K = own->pairs.n_class, pad = own->pad;
    for (size_t c = 0; c < K; c++) t->more[c] = log_prior(own, c);
    for (size_t r = 0; r < t->n; r++) memcpy(t->log_sum + r * pad, t->more, pad * sizeof *t->more);
    for (size_t k = 0; k < t->n * pad; k++) t->sum[k] = 1;
    for (size_t i = 0; i < m; i++) {
        if (passed_over(own, i)) continue;
        turn_to(own, t, i);
        for (size_t k = 0; k < t->n; k++) {
            const size_t    r = t->order[k];
            const uint32_t *code = t->code + r * own->n_used;
            double         *sum = t->sum + r * pad;
            locate(own, t, i, code);
            locate_shares(own, t, i, code);
            memcpy(t->part, heft_onedep_joint(own, i, t->value), K * sizeof *t->part);
            mix(own->pairs.cell, t->at, own->add[i], t->share, t->line, own->n_used - 1, pad,
                t->part);
            for (size_t c = 0; c < K; c++)
                sum[c] *= t->part[c] > HEFT_LEAST_SUM ? t->part[c] : HEFT_LEAST_SUM;
        }
        if ((own->place[i] + 1) % GROUP && own->place[i] + 1 < own->n_used) continue;
        for (size_t r = 0; r < t->n; r++)
            for (size_t c = 0; c < K; c++) {
                t->log_sum[r * pad + c] += log(t->sum[r * pad + c]);
                t->sum[r * pad + c] = 1;
            }
    }
}

static heft_status score_tile(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const heft_onedep  *own = job->own;
    const size_t        m = own->pairs.n_attr, K = own->pairs.n_class;
    tile                t;
    HEFT_CHECK(tile_init(ctx, own, hi - lo, &t));
    for (size_t r = lo; r < hi; r++) {
        uint32_t *code = t.code + t.n * own->n_used;
        bool      known = own->n_used > 0; /* every value has counts */
        t.row[t.n] = r;
        for (size_t j = 0; j < m; j++) {
            if (passed_over(own, j)) continue;
            *code = heft_code_at(job->rows->attr[j].codes, job->rows->attr[j].width, r);
            known = known && *code++ < own->pairs.n_codes[j];
        }
        if (known) t.n++;
        else heft_onedep_plain(own, job->rows, r, job->log_joint + r * K);
    }
    if (own->mixture) product_of_sums(own, &t);
    else sum_of_products(own, &t);
    for (size_t k = 0; k < t.n; k++) {
        double *out = job->log_joint + t.row[k] * K;
        memcpy(out, t.log_sum + k * own->pad, K * sizeof *out);
        if (!(out[heft_argmax(out, K)] > -INFINITY))
            heft_onedep_plain(own, job->rows, t.row[k], out);
    }
    return HEFT_OK;
}

heft_status heft_onedep_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint)
{
    heft_scoring job = {fitted->own, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, TILE, score_tile, &job);
}
