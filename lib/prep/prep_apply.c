/* prep_apply.c - preparing any rows in the way that was learned from the training rows.
 *
 * First each attribute gets a plan: its column, found by name, and how a raw cell becomes a
 * prepared one. Then the rows are prepared in one of three ways:
 *
 *   dense model, dense table    column by column in blocks of rows; untouched columns are borrowed
 *   dense model, sparse table   column by column, zeros filled in
 *   sparse model, any table     row by row; untouched rows are borrowed as a whole
 */
#include "prep/prep.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/marks.h"
#include "base/rows.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/wide.h"
#include "prep/numbers.h"

enum {
    BLOCK = 65536,       /* number of rows of a column per task */
    SPARSE_BLOCK = 1024, /* number of sparse rows per task */
    CHUNK = 512,         /* numbers that are prepared at a time, on the stack */
    SIDE = 32,           /* numbers that are compared with a cut at a time, in registers */
    FEW_CUTS = 16        /* up to this many cuts, all are compared with each number */
};

typedef struct plan { /* how one attribute is prepared */
    const heft_attr_prep *a;
    const heft_column    *from; /* NULL: a sparse table lacks the column, so it is all zeros */
    heft_numbers          source;
    bool                  coded, by_text; /* by_text: numbers are looked up as nominal values */
    uint32_t              n_codes, missing, unseen; /* codes of missing and unseen values */
    uint32_t              zero;                     /* see heft_zero_interval */
    const uint32_t       *code;   /* by raw code: the prepared code; n_values + 2 */
    const uint8_t        *is_new; /* by raw code: the model has never seen it; NULL: none */
    double                absent; /* prepared value of a cell that is not stored */
    bool                  absent_unseen;
} plan;

typedef struct applying {
    const heft_prep  *prep;
    const heft_table *table;
    plan             *plans;
    heft_bycol        bycol; /* for a dense model and a sparse table */
    heft_unit         unit;
    heft_prepared    *out;
    size_t           *work;     /* numbers of the attributes that are not borrowed */
    size_t            n_blocks; /* number of tasks per attribute */
    size_t           *n_unseen; /* by task: number of unseen values */
    const uint16_t *class;      /* class of the model, by code of the target */
    /* The following is for sparse models. */
    uint32_t *place;  /* by column: the attribute; UINT32_MAX: none */
    uint32_t *always; /* attributes that every row stores */
    size_t    n_always, longest;
    bool      sorted, measure; /* measure: only find the lengths of rows */
} applying;

/* ---- columns by name ---- */

/* Whether the file seems to have no header: its columns have names that reading made up, or there
 * are as many as the model has and one is called like a number. */
static bool lacks_header(const heft_table *table, size_t n_attr)
{
    bool   made_up = true, number = false;
    double x;
    for (size_t j = 0; j < table->n_cols; j++) {
        const char *name = table->cols[j].name, *end = name + strlen(name);
        made_up = made_up && *name == 'c' && strspn(name + 1, "0123456789") + 1 == strlen(name);
        number = number || heft_parse_double(name, end, &x) == HEFT_NUM_OK;
    }
    const bool fits = table->n_cols == n_attr || table->n_cols == n_attr + 1;
    return table->label && table->n_cols > 0 && (made_up || (number && fits));
}

static heft_status lacks_column(heft_ctx *ctx, const heft_table *table, size_t n_attr,
                                const char *name)
{
    char   list[240] = "", one[72];
    size_t used = 0, j = 0;
    for (; j < table->n_cols && used + sizeof one + 8 < sizeof list; j++) {
        const char *col =
            heft_show(one, sizeof one, table->cols[j].name, strlen(table->cols[j].name), 40);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", j ? ", " : "", col);
    }
    if (j < table->n_cols) memcpy(list + used, ", ...", 6);
    return heft_fail(
        ctx, HEFT_EINVAL,
        "%.100s: the model needs column '%s', which is missing from the table (its columns are "
        "%s%s)",
        heft_table_label(table), HEFT_SHOW(name, 100), list,
        lacks_header(table, n_attr) ? HEFT_MARKED("; {advice no-header}") : "");
}

/* An index of the columns by name. It is made when the first column is not where the model has it,
 * which is rare. */
typedef struct names {
    heft_dict *dict;
    size_t    *column; /* by code of the name: the column */
} names;

/* Find the column of attribute j by its name; *out is NULL if there is none. The class column of
 * the table may be an attribute of the model, because a table without the model's target was read
 * with another target. */
static heft_status find_column(heft_ctx *ctx, const heft_table *table, names *n, const char *name,
                               size_t j, const heft_column **out)
{
    *out = NULL;
    if (j < table->n_cols && strcmp(table->cols[j].name, name) == 0) {
        *out = &table->cols[j];
        return HEFT_OK;
    }
    uint32_t code;
    if (!n->dict) {
        HEFT_CHECK(heft_dict_create(ctx, &n->dict));
        HEFT_ALLOC(ctx, &ctx->scratch, n->column, table->n_cols);
        for (size_t k = 0; k < table->n_cols; k++) {
            const char  *key = table->cols[k].name;
            const size_t before = heft_dict_size(n->dict);
            HEFT_CHECK(heft_dict_add(ctx, n->dict, key, strlen(key), &code));
            if (code == before) n->column[code] = k;
        }
    }
    code = heft_dict_find(n->dict, name, strlen(name));
    if (code != HEFT_DICT_NONE) *out = &table->cols[n->column[code]];
    else if (!table->sparse && table->target && table->target->name &&
             strcmp(table->target->name, name) == 0)
        *out = table->target;
    return HEFT_OK;
}

/* ---- one cell ---- */

/* Returns the prepared value of a raw cell; a code is passed and returned as a number. Scaling to
 * unit length is not done here. */
static double prepare_cell(const plan *p, double raw, size_t *n_unseen)
{
    if (p->a->kind == HEFT_NUMERIC) {
        if (isnan(raw) && p->a->has_fill) raw = p->a->fill;
        if (isnan(raw)) return p->coded ? (double)p->n_codes : (double)NAN;
        const double y = heft_scaled(p->a, raw);
        return p->coded ? heft_swap_zero(heft_cut_code(p->a->cuts, p->a->n_cuts, y), p->zero) : y;
    }
    if (isnan(raw)) return p->missing;
    if (p->by_text) {
        char           text[32];
        const size_t   length = heft_format_double(text, raw + 0.0);
        const uint32_t code = heft_dict_find(p->a->dict, text, length);
        *n_unseen += code == HEFT_DICT_NONE;
        return code == HEFT_DICT_NONE ? p->unseen : code;
    }
    if (!p->code) return raw;
    if (p->is_new) *n_unseen += p->is_new[(uint32_t)raw];
    return p->code[(uint32_t)raw];
}

/* ---- the plan ---- */

static heft_status plan_nominal(heft_ctx *ctx, const heft_prep *prep, plan *p)
{
    p->coded = true;
    p->missing = p->a->has_fill ? (uint32_t)p->a->fill : p->n_codes;
    p->unseen = prep->spec.unseen_zero ? p->n_codes + 1 : p->missing;
    p->by_text = p->from && p->from->kind == HEFT_NUMERIC;
    if (!p->from || p->by_text) return HEFT_OK;
    const heft_dict *from = p->from->dict, *to = p->a->dict;
    const size_t     n = heft_dict_size(from);
    const bool       same = heft_dict_equal(from, to);
    uint32_t        *code;
    uint8_t         *is_new = NULL;
    HEFT_ALLOC(ctx, &ctx->scratch, code, n + 2);
    if (!same) HEFT_ALLOC(ctx, &ctx->scratch, is_new, n + 2);
    for (uint32_t v = 0; v < n; v++) {
        code[v] = same ? v : heft_dict_same(to, from, v);
        if (code[v] != HEFT_DICT_NONE) continue;
        code[v] = p->unseen;
        is_new[v] = 1;
        p->is_new = is_new;
    }
    code[n] = p->missing;
    code[n + 1] = p->unseen;
    p->code = code;
    return HEFT_OK;
}

static heft_status plan_number(heft_ctx *ctx, const applying *g, size_t j, plan *p)
{
    char name[128];
    if (p->from && p->from->kind == HEFT_NOMINAL)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%.100s: column '%s' is nominal, but the model expects numbers ({advice "
                         "read-as-numbers})",
                         heft_table_label(g->table),
                         heft_show(name, sizeof name, p->a->name, strlen(p->a->name), 100));
    p->coded = p->a->cut;
    p->zero = heft_zero_interval(g->prep, j);
    return HEFT_OK;
}

static heft_status make_plans(heft_ctx *ctx, applying *g)
{
    heft_status      st = HEFT_OK;
    const heft_prep *prep = g->prep;
    names            n = {0};
    HEFT_ARENA(ctx, &ctx->scratch, g->plans, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) {
        plan *p = &g->plans[j];
        p->a = &prep->attr[j];
        p->n_codes = heft_attr_codes(p->a);
        HEFT_TRY(find_column(ctx, g->table, &n, p->a->name, j, &p->from));
        if (!p->from && !g->table->sparse)
            HEFT_TRY(lacks_column(ctx, g->table, prep->n_attr, p->a->name));
        if (p->a->kind == HEFT_NOMINAL) HEFT_TRY(plan_nominal(ctx, prep, p));
        else HEFT_TRY(plan_number(ctx, g, j, p));
        if (p->from) p->source = heft_numbers_of(p->a, g->table, p->from, &g->bycol);
        size_t n_unseen = 0;
        if (p->from || p->a->kind == HEFT_NUMERIC) p->absent = prepare_cell(p, 0, &n_unseen);
        p->absent_unseen = n_unseen > 0;
    }
done:
    heft_dict_free(n.dict);
    return st;
}

/* Whether the raw cells of a dense column need no preparation. */
static bool untouched(const applying *g, const plan *p)
{
    if (!p->from || p->by_text || (p->a->has_fill && p->from->n_missing > 0)) return false;
    if (p->a->kind == HEFT_NOMINAL) return heft_dict_equal(p->from->dict, p->a->dict);
    return !p->coded && !g->unit.length && p->a->shift == 0 && p->a->factor == 1;
}

/* ---- dense model ---- */

/* Set code[i] to the number of cuts below x[i], or to `missing` for NaN. Every cut is compared with
 * SIDE numbers at a time, so that x and code have space for a multiple of SIDE. */
HEFT_INLINE void compare_all(const double *cuts, size_t n_cuts, double *restrict x, size_t n,
                             uint32_t missing, uint32_t *restrict code)
{
    for (size_t i = n; i % SIDE; i++) x[i] = NAN;
    for (size_t i = 0; i < n; i += SIDE) {
        int64_t below[SIDE] = {0};
        for (size_t k = 0; k < n_cuts; k++)
            for (size_t s = 0; s < SIDE; s++) below[s] += cuts[k] < x[i + s];
        for (size_t s = 0; s < SIDE; s++)
            code[i + s] = (uint32_t)(x[i + s] == x[i + s] ? below[s] : missing);
    }
}

/* Apply heft_scaled to n numbers, by the plain formula if it overflows for none of them. */
static void scale_numbers(const heft_attr_prep *a, double *x, size_t n)
{
    double y[CHUNK];
    int    far = 0;
    for (size_t i = 0; i < n; i++) y[i] = (x[i] - a->shift) * a->factor;
    for (size_t i = 0; i < n; i++) far |= !(fabs(y[i]) <= DBL_MAX) & !isnan(x[i]);
    if (far)
        for (size_t i = 0; i < n; i++) y[i] = heft_scaled(a, x[i]);
    memcpy(x, y, n * sizeof *x);
}

/* Prepare the numbers of rows lo..hi-1 of a dense column, to numbers or codes. */
HEFT_WIDE static void prepare_numbers(const applying *g, const plan *p, size_t lo, size_t hi,
                                      void *to, unsigned width)
{
    double                x[CHUNK];
    uint32_t              code[CHUNK];
    const heft_attr_prep *a = p->a;
    const double          fill = a->has_fill ? a->fill : (double)NAN;
    for (size_t at = lo; at < hi; at += CHUNK) {
        const size_t  n = hi - at < CHUNK ? hi - at : CHUNK;
        const double *from = p->source.cells + at;
        for (size_t i = 0; i < n; i++) x[i] = from[i] == from[i] ? from[i] : fill;
        if (g->unit.length)
            for (size_t i = 0; i < n; i++)
                x[i] = heft_unit_apply(x[i], g->unit.scale[at + i], g->unit.length[at + i]);
        if (a->shift != 0 || a->factor != 1) scale_numbers(a, x, n);
        if (!p->coded) {
            memcpy((double *)to + at, x, n * sizeof *x);
            continue;
        }
        if (a->n_cuts <= FEW_CUTS) compare_all(a->cuts, a->n_cuts, x, n, p->n_codes, code);
        else {
            heft_cuts_below(a->cuts, a->n_cuts, x, n, code);
            for (size_t i = 0; i < n; i++) code[i] = isnan(x[i]) ? p->n_codes : code[i];
        }
        if (p->zero)
            for (size_t i = 0; i < n; i++) code[i] = heft_swap_zero(code[i], p->zero);
        if (width == 1)
            for (size_t i = 0; i < n; i++) ((uint8_t *)to)[at + i] = (uint8_t)code[i];
        else
            for (size_t i = 0; i < n; i++) heft_code_put(to, width, at + i, code[i]);
    }
}

static size_t prepare_codes(const plan *p, size_t lo, size_t hi, void *to, unsigned width)
{
    size_t         n_unseen = 0;
    const void    *cells = p->from->cells;
    const unsigned raw = p->from->width;
    for (size_t i = lo; i < hi; i++)
        heft_code_put(to, width, i, p->code[heft_code_at(cells, raw, i)]);
    if (p->is_new)
        for (size_t i = lo; i < hi; i++) n_unseen += p->is_new[heft_code_at(cells, raw, i)];
    return n_unseen;
}

static void put_cell(const plan *p, void *to, unsigned width, size_t i, double value)
{
    if (p->coded) heft_code_put(to, width, i, (uint32_t)value);
    else ((double *)to)[i] = value;
}

/* Prepare a column of a sparse table, with zeros filled in. Returns the number of unseen values. */
static size_t prepare_entries(const applying *g, const plan *p, void *to, unsigned width)
{
    size_t n_unseen = 0;
    HEFT_ROWS (i, g->table->n_rows) put_cell(p, to, width, i, p->absent);
    HEFT_ROWS (k, p->source.n) {
        const size_t i = p->source.row[k];
        double       raw = p->source.val[k];
        if (p->a->kind == HEFT_NUMERIC && g->unit.length) {
            if (isnan(raw) && p->a->has_fill) raw = p->a->fill;
            if (!isnan(raw)) raw = heft_unit_apply(raw, g->unit.scale[i], g->unit.length[i]);
        }
        put_cell(p, to, width, i, prepare_cell(p, raw, &n_unseen));
    }
    return n_unseen + (p->absent_unseen ? g->table->n_rows - p->source.n : 0);
}

static heft_status prepare_block(heft_ctx *ctx, void *arg, size_t t)
{
    const applying *g = arg;
    const size_t    j = g->work[t / g->n_blocks], n = g->table->n_rows;
    const size_t    lo = t % g->n_blocks * BLOCK, hi = n - lo < BLOCK ? n : lo + BLOCK;
    const plan     *p = &g->plans[j];
    void           *to = g->out->owned[j];
    const unsigned  width = g->out->attr[j].width;
    (void)ctx;
    if (g->table->sparse) g->n_unseen[t] = prepare_entries(g, p, to, width);
    else if (p->a->kind == HEFT_NUMERIC) prepare_numbers(g, p, lo, hi, to, width);
    else if (!p->by_text) g->n_unseen[t] = prepare_codes(p, lo, hi, to, width);
    else
        for (size_t i = lo; i < hi; i++)
            put_cell(p, to, width, i,
                     prepare_cell(p, ((const double *)p->from->cells)[i], &g->n_unseen[t]));
    return HEFT_OK;
}

static heft_status apply_dense(heft_ctx *ctx, applying *g)
{
    size_t         n_work = 0, n_tasks;
    heft_prepared *out = g->out;
    const size_t   n_attr = g->prep->n_attr, n_rows = g->table->n_rows;
    heft_numbers  *sources;
    if (g->prep->spec.scaling == HEFT_SCALE_UNIT) {
        size_t n = 0;
        HEFT_ALLOC(ctx, &ctx->scratch, sources, n_attr);
        for (size_t j = 0; j < n_attr; j++)
            if (g->plans[j].a->kind == HEFT_NUMERIC && g->plans[j].from)
                sources[n++] = g->plans[j].source;
        HEFT_CHECK(heft_unit_learn(ctx, sources, n, n_rows, g->table->sparse != NULL, &g->unit));
    }
    HEFT_ALLOC(ctx, &ctx->scratch, g->work, n_attr);
    HEFT_NEW(ctx, out->owned, n_attr);
    out->n_owned = n_attr;
    for (size_t j = 0; j < n_attr; j++) {
        const plan *p = &g->plans[j];
        heft_attr  *attr = &out->attr[j];
        const void *cells = p->from ? p->from->cells : NULL;
        if (g->table->sparse || !untouched(g, p)) {
            cells = out->owned[j] = heft_alloc_rows(n_rows, attr->width);
            if (!cells) return heft_no_memory(ctx, n_rows, attr->width);
            g->work[n_work++] = j;
        }
        if (attr->coded) attr->codes = cells;
        else attr->numbers = cells;
    }
    g->n_blocks = g->table->sparse || !n_rows ? 1 : (n_rows - 1) / BLOCK + 1;
    if (!heft_product(n_work, g->n_blocks, &n_tasks))
        return heft_no_memory(ctx, n_work, g->n_blocks);
    HEFT_ALLOC(ctx, &ctx->scratch, g->n_unseen, n_tasks);
    HEFT_CHECK(heft_run(ctx, n_tasks, prepare_block, g));
    for (size_t t = 0; t < n_tasks; t++) out->n_unseen += g->n_unseen[t];
    return HEFT_OK;
}

/* ---- sparse model ---- */

typedef struct entries { /* the entries of one row, in the memory of a task */
    size_t       n;
    heft_ranked *at; /* key: attribute; row: index in raw */
    double      *raw;
    heft_ranked *spare;
    size_t      *stamp; /* by attribute: 1 + the last row that stored it */
} entries;

static void add_entry(entries *e, size_t j, double raw)
{
    e->at[e->n] = (heft_ranked){j, e->n};
    e->raw[e->n++] = raw;
}

/* Collect the raw entries of row i in the order of the attributes, in whatever order the table has
 * them. */
static void read_row(const applying *g, size_t i, entries *e)
{
    const heft_sparse *s = g->table->sparse;
    e->n = 0;
    if (!s) {
        for (size_t j = 0; j < g->prep->n_attr; j++) {
            const heft_column *c = g->plans[j].from;
            const bool         number = c->kind == HEFT_NUMERIC;
            const uint32_t     v = number ? 0 : heft_code_at(c->cells, c->width, i);
            if (number) add_entry(e, j, ((const double *)c->cells)[i]);
            else add_entry(e, j, v < heft_dict_size(c->dict) ? (double)v : NAN);
        }
        return;
    }
    for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
        const uint32_t j = g->place[s->col[k]];
        if (j == UINT32_MAX) continue;
        add_entry(e, j, s->val[k]);
        if (e->stamp) e->stamp[j] = i + 1;
    }
    for (size_t k = 0; k < g->n_always; k++)
        if (e->stamp[g->always[k]] != i + 1) add_entry(e, g->always[k], 0);
    if (!g->sorted) heft_order_sort(e->at, e->spare, e->n);
}

static void unit_row(const applying *g, entries *e)
{
    double top = 0, sum = 0;
    for (size_t k = 0; k < e->n; k++) {
        const plan *p = &g->plans[e->at[k].key];
        double     *x = &e->raw[e->at[k].row];
        if (p->a->kind != HEFT_NUMERIC) continue;
        if (isnan(*x) && p->a->has_fill) *x = p->a->fill;
        if (!isnan(*x)) top = fmax(top, fabs(*x));
    }
    const double scale = heft_unit_scale(top);
    for (size_t k = 0; k < e->n; k++) {
        const double x = e->raw[e->at[k].row] * scale;
        if (g->plans[e->at[k].key].a->kind == HEFT_NUMERIC && !isnan(x)) sum += x * x;
    }
    const double length = sqrt(sum);
    for (size_t k = 0; k < e->n; k++) {
        double *x = &e->raw[e->at[k].row];
        if (g->plans[e->at[k].key].a->kind == HEFT_NUMERIC) *x = heft_unit_apply(*x, scale, length);
    }
}

/* Prepare rows lo..hi-1. start[i + 1] is the length of row i before, and the end of row i after.
 * Zeros of a dense table are not stored. */
static heft_status write_rows(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const applying *g = arg;
    entries         e = {0};
    heft_sparse    *to = &g->out->own_sparse;
    const bool      dense = g->table->sparse == NULL, measure = g->measure;
    size_t          n_unseen = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, g->longest, e.at, e.raw, e.spare);
    if (g->n_always) HEFT_ALLOC(ctx, &ctx->scratch, e.stamp, g->prep->n_attr);
    for (size_t i = lo; i < hi; i++) {
        read_row(g, i, &e);
        if (measure && !dense) {
            to->start[i + 1] = e.n;
            continue;
        }
        if (g->prep->spec.scaling == HEFT_SCALE_UNIT) unit_row(g, &e);
        size_t at = measure ? 0 : to->start[i];
        for (size_t k = 0; k < e.n; k++) {
            const double v = prepare_cell(&g->plans[e.at[k].key], e.raw[e.at[k].row], &n_unseen);
            if (dense && v == 0) continue;
            if (!measure) {
                to->col[at] = (uint32_t)e.at[k].key;
                to->val[at] = v;
            }
            at++;
        }
        if (measure) to->start[i + 1] = at;
    }
    g->n_unseen[lo / SPARSE_BLOCK] = n_unseen;
    return HEFT_OK;
}

/* Find which attribute each column is, which attributes every row stores, and the largest number of
 * entries of a row. */
static heft_status place_columns(heft_ctx *ctx, applying *g)
{
    const size_t m = g->table->n_cols;
    g->sorted = true;
    g->longest = g->prep->n_attr;
    if (!g->table->sparse) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, g->place, m);
    HEFT_ALLOC(ctx, &ctx->scratch, g->always, g->prep->n_attr);
    for (size_t k = 0; k < m; k++) g->place[k] = UINT32_MAX;
    const heft_column *last = NULL;
    for (size_t j = 0; j < g->prep->n_attr; j++) {
        const plan *p = &g->plans[j];
        if (p->absent != 0 || p->absent_unseen) g->always[g->n_always++] = (uint32_t)j;
        if (!p->from) continue;
        g->place[p->from - g->table->cols] = (uint32_t)j;
        if (last && p->from < last) g->sorted = false;
        last = p->from;
    }
    if (g->n_always) g->sorted = false;
    const size_t *start = g->table->sparse->start;
    g->longest = 0;
    HEFT_ROWS (i, g->table->n_rows)
        g->longest = start[i + 1] - start[i] > g->longest ? start[i + 1] - start[i] : g->longest;
    g->longest += g->n_always;
    return HEFT_OK;
}

/* Whether the rows of a sparse table need no preparation. */
static bool rows_untouched(const applying *g)
{
    const heft_sparse *s = g->table->sparse;
    if (!s || g->table->n_cols != g->prep->n_attr || g->n_always ||
        g->prep->spec.scaling == HEFT_SCALE_UNIT)
        return false;
    for (size_t j = 0; j < g->prep->n_attr; j++) {
        const plan *p = &g->plans[j];
        if (p->from != &g->table->cols[j] || p->by_text) return false;
        if (p->a->kind == HEFT_NUMERIC ? p->coded || p->a->factor != 1 || p->a->shift != 0
                                       : !heft_dict_equal(p->from->dict, p->a->dict))
            return false;
    }
    /* A missing value is NaN in the table, but has its own code in prepared rows. */
    HEFT_ROWS (k, s->start[g->table->n_rows]) {
        if (!isnan(s->val[k])) continue;
        const heft_attr_prep *a = g->plans[s->col[k]].a;
        if (a->has_fill || a->kind == HEFT_NOMINAL) return false;
    }
    return true;
}

static heft_status apply_sparse(heft_ctx *ctx, applying *g)
{
    heft_sparse *to = &g->out->own_sparse;
    const size_t n = g->table->n_rows, n_blocks = n / SPARSE_BLOCK + 1;
    HEFT_CHECK(place_columns(ctx, g));
    if (rows_untouched(g)) {
        g->out->rows.sparse = g->table->sparse;
        return HEFT_OK;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, g->n_unseen, n_blocks);
    HEFT_NEW(ctx, to->start, n + 1);
    g->measure = true;
    HEFT_CHECK(heft_run_blocks(ctx, n, SPARSE_BLOCK, write_rows, g));
    HEFT_ROWS (i, n) to->start[i + 1] += to->start[i];
    HEFT_NEW(ctx, to->col, to->start[n]);
    HEFT_NEW(ctx, to->val, to->start[n]);
    g->measure = false;
    HEFT_CHECK(heft_run_blocks(ctx, n, SPARSE_BLOCK, write_rows, g));
    for (size_t b = 0; b < n_blocks; b++) g->out->n_unseen += g->n_unseen[b];
    g->out->rows.sparse = to;
    return HEFT_OK;
}

/* ---- classes, and all rows ---- */

uint32_t heft_prep_class(const heft_prep *prep, const char *text, size_t length)
{
    const uint32_t code = heft_dict_find(prep->classes, text, length);
    if (code != HEFT_DICT_NONE || !prep->positive) return code;
    return heft_dict_find(prep->classes, prep->positive, strlen(prep->positive)) == 0;
}

static heft_status put_classes(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const applying    *g = arg;
    const heft_column *target = g->table->target;
    (void)ctx;
    for (size_t i = lo; i < hi; i++)
        g->out->own_y[i] = g->class[heft_code_at(target->cells, target->width, i)];
    return HEFT_OK;
}

/* Find the class of every row by its text. There are no classes if the class column of the table
 * serves as an attribute. */
static heft_status apply_target(heft_ctx *ctx, applying *g)
{
    const heft_column *target = g->table->target;
    const size_t       n_class = heft_dict_size(g->prep->classes);
    uint16_t          *code;
    if (!target) return HEFT_OK;
    for (size_t j = 0; j < g->prep->n_attr; j++)
        if (g->plans[j].from == target) return HEFT_OK;
    const char *asked = g->table->positive, *own = g->prep->positive;
    if (asked && !own)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{positive=%s}: the model was trained without it (leave it out)",
                         HEFT_SHOW_CELL(asked, strlen(asked)));
    if (asked && own && strcmp(asked, own) != 0)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{positive=%s}: the model was trained with {positive=%s} (leave it out)",
                         HEFT_SHOW_CELL(asked, strlen(asked)), HEFT_SHOW_CELL(own, strlen(own)));
    const size_t n = heft_dict_size(target->dict);
    HEFT_ALLOC(ctx, &ctx->scratch, code, n + 2);
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t found = heft_prep_class(g->prep, heft_dict_text(target->dict, c),
                                               heft_dict_length(target->dict, c));
        code[c] = (uint16_t)(found == HEFT_DICT_NONE ? n_class : found);
    }
    code[n] = code[n + 1] = (uint16_t)n_class;
    g->class = code;
    HEFT_NEW(ctx, g->out->own_y, g->table->n_rows);
    HEFT_CHECK(heft_run_blocks(ctx, g->table->n_rows, HEFT_BLOCK_ROWS, put_classes, g));
    g->out->rows.y = g->out->own_y;
    return HEFT_OK;
}

heft_status heft_prep_apply(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                            heft_prepared *out)
{
    heft_status st = HEFT_OK;
    applying    g = {.prep = prep, .table = table, .out = out};
    HEFT_SCRATCH_SCOPE(ctx);
    *out = (heft_prepared){.rows = {.n_rows = table->n_rows,
                                    .n_attr = prep->n_attr,
                                    .n_class = heft_dict_size(prep->classes),
                                    .weight = table->weight,
                                    .n_stored = table->n_stored}};
    HEFT_TRY(heft_check_cancel(ctx));
    if (table->sparse && !prep->sparse)
        HEFT_TRY(heft_sparse_bycol(ctx, table->sparse, table->n_rows, table->n_cols, &g.bycol));
    HEFT_TRY(make_plans(ctx, &g));
    HEFT_HEAP(ctx, out->attr, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) {
        const plan *p = &g.plans[j];
        out->attr[j] = (heft_attr){.coded = p->coded, .n_codes = p->n_codes};
        out->attr[j].width = p->coded ? heft_code_width(p->n_codes) : 8;
    }
    out->rows.attr = out->attr;
    HEFT_TRY(prep->sparse ? apply_sparse(ctx, &g) : apply_dense(ctx, &g));
    HEFT_TRY(apply_target(ctx, &g));
done:
    if (st != HEFT_OK) heft_prepared_clear(out);
    return st;
}

void heft_prepared_clear(heft_prepared *prepared)
{
    for (size_t k = 0; k < prepared->n_owned; k++) heft_free(prepared->owned[k]);
    heft_free(prepared->owned);
    heft_free(prepared->attr);
    heft_free(prepared->own_sparse.start);
    heft_free(prepared->own_sparse.col);
    heft_free(prepared->own_sparse.val);
    heft_free(prepared->own_y);
    memset(prepared, 0, sizeof *prepared);
}

heft_rows heft_rows_part(const heft_rows *rows, size_t lo, size_t hi, heft_attr *attr,
                         heft_sparse *sparse)
{
    heft_rows part = *rows;
    part.n_rows = hi - lo;
    part.attr = attr;
    for (size_t j = 0; j < rows->n_attr; j++) {
        attr[j] = rows->attr[j];
        if (attr[j].codes) attr[j].codes = (const char *)attr[j].codes + lo * attr[j].width;
        if (attr[j].numbers) attr[j].numbers += lo;
    }
    if (rows->sparse) {
        *sparse = *rows->sparse;
        sparse->start += lo;
        part.sparse = sparse;
    }
    if (rows->y) part.y += lo;
    if (rows->weight) part.weight += lo;
    return part;
}
