/* evidence.c - lays the rows out for the objective (objective.h): codes, joined codes, tables of
 * log-likelihoods by code, and dense columns. */
#include "learn/objective.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/all.h"
#include "base/double_double.h"
#include "base/rows.h"
#include "base/text.h"

enum {
    MOST_JOINT = 256,    /* most combinations of a joined code, so that it takes one byte per row */
    MOST_TABLE = 2048,   /* most numbers in the table of a joined code, so that it stays in cache */
    MOST_DISTINCT = 200, /* most distinct values of a numeric attribute that becomes coded */
    SLOTS = 1024,        /* slots of the hash table that finds distinct values */
    OPEN_GROUPS = 32,    /* number of groups that are tried for a new attribute */
    FEW_CODES = 16,      /* an attribute with at most so many values is assumed to have them all */
    MOST_KEPT = 1 << 29  /* most bytes of log-likelihoods stored in all dense columns together */
};

typedef struct survey { /* the values of one attribute */
    uint8_t *seen;      /* coded attribute: whether each code occurs */
    double  *value;     /* numeric attribute: its distinct values, if they are few */
    size_t   n_values;  /* number of distinct values; above MOST_DISTINCT if too many */
} survey;

typedef struct builder {
    heft_ctx        *ctx;
    const heft_rows *rows;
    const heft_lik  *lik;
    heft_arena      *arena;
    const size_t    *row; /* the rows that are laid out; NULL if all are, in order */
    size_t           n, n_base, n_class;
    bool             pair;
    size_t           a, b;
    size_t           limit;  /* most combinations of a joined code */
    double          *logs;   /* work array of n_class log-likelihoods */
    survey          *survey; /* values of each attribute on all ranks; NULL in a single process */
    uint8_t        **seen;   /* per coded attribute: the codes that occur (find_codes) */
    uint32_t       **digit;  /* per coded attribute: the digit of each code in the joined code */
    size_t           n_all;  /* number of rows laid out on all ranks */
    heft_evidence   *ev;
} builder;

/* ---- densities ---- */

void heft_density_logs(const heft_density *density, size_t n_base, double x, double *work,
                       double *out)
{
    heft_lik_number(density->lik, density->n_class, x, work);
    if (density->pair) out[0] = work[density->a] - work[density->b];
    else memcpy(out, work, n_base * sizeof *out);
}

static bool any_nonzero(const double *v, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (v[k] != 0) return true;
    return false;
}

/* The density of attribute j. For a class pair, normal densities are restricted to the two classes,
 * so that those of other classes are not computed. */
static heft_status density_of(builder *b, size_t j, heft_density *out)
{
    const heft_lik *lik = &b->lik[j];
    *out = (heft_density){lik, b->n_class, b->pair, b->a, b->b};
    if (b->pair && b->n_class > 2 &&
        (lik->kind == HEFT_LIK_NORMAL || lik->kind == HEFT_LIK_ROUNDED)) {
        heft_lik *two;
        HEFT_ALLOC(b->ctx, b->arena, two, 1);
        *two = *lik;
        HEFT_ALLOCS(b->ctx, b->arena, 2, two->mean, two->sd);
        two->mean[0] = lik->mean[b->a], two->mean[1] = lik->mean[b->b];
        two->sd[0] = lik->sd[b->a], two->sd[1] = lik->sd[b->b];
        *out = (heft_density){two, 2, true, 0, 1};
    }
    return HEFT_OK;
}

/* ---- codes ---- */

static inline size_t place_of(const builder *b, size_t i)
{
    return b->row ? b->row[i] : i;
}

static size_t n_lines(const heft_attr *attr)
{
    return (size_t)attr->n_codes + 2;
}

static void mark_codes(const builder *b, const heft_attr *attr, uint8_t *seen)
{
    for (size_t i = 0; i < b->n; i++)
        seen[heft_code_at(attr->codes, attr->width, place_of(b, i))] = 1;
}

/* seen[c] = 1 for every code that occurs on some rank, or is assumed to: an attribute of few
 * values, none of them missing or unknown, is assumed to have them all, because a line too many
 * costs less than a search. Not for one class pair of many, where most values may be absent. */
static heft_status find_codes(heft_ctx *ctx, void *arg, size_t j)
{
    const builder   *b = arg;
    const heft_attr *attr = &b->rows->attr[j];
    uint8_t         *seen = b->seen[j];
    const bool       all = attr->n_codes <= FEW_CODES && (!b->pair || b->n_class == 2);
    const bool       fast = all && attr->width == 1 && !b->row; /* the largest code is enough */
    const uint8_t   *code = attr->codes;
    uint8_t          most = 0;
    (void)ctx;
    if (!seen) return HEFT_OK;
    if (fast)
        for (size_t i = 0; i < b->n; i++) most = code[i] > most ? code[i] : most;
    if (b->survey) memcpy(seen, b->survey[j].seen, n_lines(attr));
    else if (!fast || most >= attr->n_codes) mark_codes(b, attr, seen);
    if (all && !seen[attr->n_codes] && !seen[attr->n_codes + 1]) memset(seen, 1, attr->n_codes);
    return HEFT_OK;
}

static void clear_codes(const builder *b, heft_group *group)
{
    if (group->blank) memset(group->code, 0, b->n * group->width);
    group->blank = false;
}

/* *out = a group that can take one more digit of n_used values, or a new group if none can. */
static heft_status join(builder *b, size_t n_used, heft_group **out)
{
    heft_evidence *ev = b->ev;
    const size_t   first = ev->n_group > OPEN_GROUPS ? ev->n_group - OPEN_GROUPS : 0;
    for (size_t g = first; g < ev->n_group; g++) {
        *out = &ev->group[g];
        if ((*out)->width == 1 && n_used <= b->limit / (*out)->n_code) return HEFT_OK;
    }
    const unsigned width = n_used <= 256 ? 1 : n_used <= 65536 ? 2 : 4;
    void          *code = heft_arena_raw(b->arena, b->n, width);
    if (!code) return heft_no_memory(b->ctx, b->n, width);
    *out = &ev->group[ev->n_group++];
    **out = (heft_group){.n_code = 1,
                         .width = width,
                         .code = code,
                         .blank = true,
                         .head = SIZE_MAX,
                         .tail = SIZE_MAX};
    return HEFT_OK;
}

static void add_member(builder *b, heft_group *group, const heft_member *member)
{
    heft_evidence *ev = b->ev;
    const size_t   at = ev->n_member++;
    ev->member[at] = *member;
    ev->member[at].stride = group->n_code;
    ev->member[at].next = SIZE_MAX;
    if (group->head == SIZE_MAX) group->head = at;
    else ev->member[group->tail].next = at;
    group->tail = at;
    group->n_code *= member->n_used;
    ev->active[member->j] = true;
}

static void add_bytes(const uint8_t *restrict from, uint8_t stride, size_t n, uint8_t *restrict to)
{
    for (size_t i = 0; i < n; i++) to[i] = (uint8_t)(to[i] + from[i] * stride);
}

/* Adds the digit of the member, times its stride, to the code of the group. If the values that
 * occur are the first ones without a gap, a digit equals its code. */
static void add_digit(const builder *b, const heft_group *group, const heft_member *m)
{
    const heft_attr *attr = &b->rows->attr[m->j];
    const bool       digits = m->used[m->n_used - 1] == m->n_used - 1;
    const bool       bytes = group->width == 1 && attr->width == 1 && !b->row && digits;
    if (bytes) add_bytes(attr->codes, (uint8_t)m->stride, b->n, group->code);
    if (!bytes)
        for (size_t i = 0; i < b->n; i++) {
            const uint32_t code = heft_code_at(attr->codes, attr->width, place_of(b, i));
            const uint32_t sum = heft_code_at(group->code, group->width, i) +
                                 b->digit[m->j][code] * (uint32_t)m->stride;
            heft_code_put(group->code, group->width, i, sum);
        }
}

/* Adds the digits of all coded attributes of a group; take_number has added those of numeric ones.
 */
static heft_status add_digits(heft_ctx *ctx, void *arg, size_t g)
{
    const builder       *b = arg;
    const heft_evidence *ev = b->ev;
    (void)ctx;
    clear_codes(b, &ev->group[g]);
    for (size_t k = ev->group[g].head; k != SIZE_MAX; k = ev->member[k].next)
        if (ev->member[k].used) add_digit(b, &ev->group[g], &ev->member[k]);
    return HEFT_OK;
}

/* Finds which codes of each coded attribute occur. */
static heft_status look_at_codes(builder *b)
{
    const size_t m = b->rows->n_attr;
    HEFT_ALLOCS(b->ctx, b->arena, m, b->seen, b->digit);
    for (size_t j = 0; j < m; j++) {
        const size_t lines = n_lines(&b->rows->attr[j]);
        if (!b->rows->attr[j].coded || b->lik[j].silent) continue;
        HEFT_ALLOCS(b->ctx, b->arena, lines, b->seen[j], b->digit[j]);
    }
    return heft_run(b->ctx, m, find_codes, b);
}

static heft_status take_coded(builder *b, size_t j)
{
    const heft_attr *attr = &b->rows->attr[j];
    const size_t     lines = n_lines(attr);
    heft_member      member = {.j = j, .n_codes = attr->n_codes};
    heft_group      *group;
    HEFT_ALLOC(b->ctx, b->arena, member.used, lines);
    for (size_t c = 0; c < lines; c++) {
        if (!b->seen[j][c]) continue;
        b->digit[j][c] = (uint32_t)member.n_used;
        member.used[member.n_used++] = (uint32_t)c;
    }
    HEFT_ALLOC(b->ctx, b->arena, member.table, member.n_used * b->n_base);
    for (size_t v = 0; v < member.n_used; v++) {
        const double *logs = heft_lik_code(&b->lik[j], b->n_class, member.used[v]);
        if (b->pair) member.table[v] = logs[b->a] - logs[b->b];
        else memcpy(member.table + v * b->n_base, logs, b->n_base * sizeof *logs);
    }
    if (!any_nonzero(member.table, member.n_used * b->n_base)) return HEFT_OK;
    HEFT_CHECK(join(b, member.n_used, &group));
    add_member(b, group, &member);
    return HEFT_OK;
}

/* ---- numbers ---- */

typedef struct distinct { /* values in the order of their first row */
    double  value[MOST_DISTINCT];
    uint8_t slot[SLOTS]; /* 1 + index of a value; 0 if free */
    size_t  n;
} distinct;

/* Index of the value x, which is added if it is new; MOST_DISTINCT if there is no space left. */
static size_t find_distinct(distinct *d, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    size_t at = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
    while (d->slot[at]) {
        const size_t k = d->slot[at] - 1u;
        if (d->value[k] == x || (isnan(x) && isnan(d->value[k]))) return k;
        at = (at + 1) % SLOTS;
    }
    if (d->n == MOST_DISTINCT) return MOST_DISTINCT;
    d->value[d->n] = x;
    d->slot[at] = (uint8_t)(d->n + 1);
    return d->n++;
}

/* Codes the numbers of attribute j by their index in `d`, which may contain values already. Returns
 * false if there are too many distinct values. */
static bool code_numbers(const builder *b, size_t j, distinct *d, uint8_t *code)
{
    const double *numbers = b->rows->attr[j].numbers;
    for (size_t i = 0; i < b->n; i++) {
        const double x = numbers[place_of(b, i)];
        const size_t k = find_distinct(d, isnan(x) ? (double)NAN : x + 0.0); /* -0 becomes 0 */
        if (k == MOST_DISTINCT) return false;
        code[i] = (uint8_t)k;
    }
    return true;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Codes the numbers of attribute j; returns false if there are too many distinct values. Codes are
 * numbered in increasing order of the values, with the missing value last, because sums over values
 * must not depend on the order of the rows. */
static bool number_codes(const builder *b, size_t j, distinct *d, uint8_t *code)
{
    const size_t known = b->survey ? b->survey[j].n_values : 0;
    double       sorted[MOST_DISTINCT];
    uint8_t      now[MOST_DISTINCT] = {0};
    memset(d, 0, sizeof *d);
    if (known > MOST_DISTINCT) return false;
    for (size_t k = 0; k < known; k++) (void)find_distinct(d, b->survey[j].value[k]);
    if (!code_numbers(b, j, d, code) || (double)d->n > b->ev->size / 4) return false;
    memcpy(sorted, d->value, d->n * sizeof *sorted);
    qsort(sorted, d->n, sizeof *sorted, by_size);
    for (size_t k = 0; k < d->n; k++) now[find_distinct(d, sorted[k])] = (uint8_t)k;
    for (size_t i = 0; i < b->n; i++) code[i] = now[code[i]];
    memcpy(d->value, sorted, d->n * sizeof *sorted);
    return true;
}

/* Adds attribute j as a dense column. Its log-likelihoods are stored if all dense columns together
 * stay within MOST_KEPT bytes; otherwise they are computed again whenever they are needed. */
static heft_status take_dense(builder *b, size_t j, const heft_density *density)
{
    heft_evidence *ev = b->ev;
    heft_dense     dense = {.j = j, .numbers = b->rows->attr[j].numbers, .density = *density};
    double        *line;
    size_t         cells;
    HEFT_ALLOC(b->ctx, b->arena, line, b->n_base);
    if (!heft_product(b->n, b->n_base, &cells)) return heft_no_memory(b->ctx, b->n, b->n_base);
    const bool kept = cells <= MOST_KEPT / sizeof(double) / b->rows->n_attr;
    if (kept) HEFT_ALLOC(b->ctx, b->arena, dense.cells, cells);
    for (size_t i = 0; i < b->n; i++) {
        if (kept) line = dense.cells + i * b->n_base;
        heft_density_logs(density, b->n_base, dense.numbers[place_of(b, i)], b->logs, line);
        for (size_t k = 0; k < b->n_base; k++)
            if (fabs(line[k]) > dense.most) dense.most = fabs(line[k]);
    }
    ev->dense[ev->n_dense++] = dense;
    return HEFT_OK;
}

/* Removes dense attributes whose log-likelihoods are 0 in all rows of all ranks. */
static heft_status settle_dense(builder *b)
{
    HEFT_SCRATCH_SCOPE(b->ctx);
    heft_evidence *ev = b->ev;
    double        *most;
    size_t         n = 0;
    HEFT_ALLOC(b->ctx, &b->ctx->scratch, most, ev->n_dense);
    for (size_t d = 0; d < ev->n_dense; d++) most[d] = ev->dense[d].most;
    HEFT_CHECK(heft_all_max(b->ctx, most, ev->n_dense));
    for (size_t d = 0; d < ev->n_dense; d++) {
        if (most[d] == 0) continue;
        ev->dense[n] = ev->dense[d];
        ev->dense[n].most = most[d];
        ev->active[ev->dense[n++].j] = true;
    }
    ev->n_dense = n;
    return HEFT_OK;
}

static heft_status take_number(builder *b, size_t j)
{
    heft_density        density;
    heft_member         member = {.j = j};
    heft_group         *group;
    distinct            d;
    HEFT_FREED uint8_t *code = NULL;
    HEFT_NEW(b->ctx, code, b->n);
    HEFT_CHECK(density_of(b, j, &density));
    if (!number_codes(b, j, &d, code)) {
        HEFT_CHECK(take_dense(b, j, &density));
        return HEFT_OK;
    }
    member.n_used = d.n;
    HEFT_ALLOC(b->ctx, b->arena, member.table, d.n * b->n_base);
    for (size_t v = 0; v < d.n; v++)
        heft_density_logs(&density, b->n_base, d.value[v], b->logs, member.table + v * b->n_base);
    if (!any_nonzero(member.table, d.n * b->n_base)) return HEFT_OK;
    HEFT_CHECK(join(b, d.n, &group));
    clear_codes(b, group);
    add_bytes(code, (uint8_t)group->n_code, b->n, group->code);
    add_member(b, group, &member);
    return HEFT_OK;
}

/* ---- building ---- */

static heft_status take_weights(builder *b)
{
    heft_dd total = {(double)b->n, 0};
    double *weight;
    if (b->rows->weight) {
        HEFT_ALLOC(b->ctx, b->arena, weight, b->n);
        total.high = 0;
        for (size_t i = 0; i < b->n; i++) {
            weight[i] = b->rows->weight[place_of(b, i)];
            total = heft_dd_add(total, (heft_dd){weight[i], 0});
        }
        b->ev->weight = weight;
    }
    HEFT_CHECK(heft_all_sum_exact(b->ctx, &total, 1, NULL, 0));
    b->ev->total = total.high;
    b->ev->size = fmax(total.high, (double)b->n_all);
    return HEFT_OK;
}

/* ---- values that occur in the rows of all ranks ---- */

static void put_size(heft_buf *out, size_t n)
{
    const uint64_t v = n;
    heft_buf_add(out, (const char *)&v, sizeof v);
}

/* Serialises the values that occur on this rank. A coded attribute has one byte per code, 1 if it
 * occurs. A numeric attribute has the number of distinct values, followed by these values if they
 * are few. */
static heft_status pack_values(builder *b, heft_buf *out)
{
    size_t              most = 1;
    HEFT_FREED uint8_t *seen = NULL, *code = NULL;
    for (size_t j = 0; j < b->rows->n_attr; j++)
        if (b->rows->attr[j].coded && n_lines(&b->rows->attr[j]) > most)
            most = n_lines(&b->rows->attr[j]);
    HEFT_NEW(b->ctx, seen, most);
    HEFT_NEW(b->ctx, code, b->n);
    put_size(out, b->n);
    for (size_t j = 0; j < b->rows->n_attr; j++) {
        const heft_attr *attr = &b->rows->attr[j];
        distinct         d = {0};
        if (b->lik[j].silent) continue;
        if (attr->coded) {
            memset(seen, 0, n_lines(attr));
            mark_codes(b, attr, seen);
            heft_buf_add(out, (const char *)seen, n_lines(attr));
        } else if (code_numbers(b, j, &d, code)) {
            put_size(out, d.n);
            heft_buf_add(out, (const char *)d.value, d.n * sizeof *d.value);
        } else {
            put_size(out, MOST_DISTINCT + 1);
        }
    }
    if (out->failed) return heft_no_memory(b->ctx, out->length, 1);
    return HEFT_OK;
}

static const char *get_size(const char *from, size_t *n)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    *n = (size_t)v;
    return from + sizeof v;
}

/* Adds the values that one rank serialised by pack_values to those of all ranks. */
static void merge_values(builder *b, const char *from)
{
    size_t n;
    from = get_size(from, &n);
    b->n_all += n;
    for (size_t j = 0; j < b->rows->n_attr; j++) {
        survey *s = &b->survey[j];
        if (b->lik[j].silent) continue;
        if (b->rows->attr[j].coded) {
            for (size_t c = 0; c < n_lines(&b->rows->attr[j]); c++) s->seen[c] |= (uint8_t)*from++;
            continue;
        }
        from = get_size(from, &n);
        distinct     d = {0};
        const size_t known = s->n_values <= MOST_DISTINCT ? s->n_values : 0;
        for (size_t k = 0; k < known; k++) (void)find_distinct(&d, s->value[k]);
        if (n > MOST_DISTINCT) s->n_values = n;
        if (n <= MOST_DISTINCT)
            for (size_t k = 0; k < n; k++, from += sizeof(double)) {
                double x;
                memcpy(&x, from, sizeof x);
                if (find_distinct(&d, x) == MOST_DISTINCT) s->n_values = MOST_DISTINCT + 1;
            }
        if (s->n_values > MOST_DISTINCT) continue;
        s->n_values = d.n;
        memcpy(s->value, d.value, d.n * sizeof *d.value);
    }
}

/* Gathers the values of all ranks. The layout depends on the rows of all ranks, so that scores and
 * sums do not depend on how the rows are distributed. */
static heft_status gather_distinct_values(builder *b)
{
    HEFT_LOCAL(heft_buf)      mine = {0};
    HEFT_LOCAL(heft_gathered) all = {0};
    b->n_all = b->n;
    if (heft_is_single(b->ctx)) return HEFT_OK;
    b->n_all = 0;
    HEFT_ALLOC(b->ctx, b->arena, b->survey, b->rows->n_attr);
    for (size_t j = 0; j < b->rows->n_attr; j++) {
        const heft_attr *attr = &b->rows->attr[j];
        if (attr->coded) HEFT_ALLOC(b->ctx, b->arena, b->survey[j].seen, n_lines(attr));
        else HEFT_ALLOC(b->ctx, b->arena, b->survey[j].value, MOST_DISTINCT);
    }
    HEFT_CHECK(pack_values(b, &mine));
    HEFT_CHECK(heft_all_gather(b->ctx, mine.data, mine.length, &all));
    for (size_t r = 0; r < all.n; r++) merge_values(b, all.bytes + all.start[r]);
    return HEFT_OK;
}

static heft_status build(builder *b, uint16_t *y, heft_evidence **out)
{
    const size_t   m = b->rows->n_attr;
    heft_evidence *ev;
    assert(!b->rows->sparse);
    *out = NULL;
    if (b->n_base > HEFT_MOST_SCORES)
        return heft_fail(b->ctx, HEFT_EUNSUPPORTED,
                         "weights cannot be learned for %zu classes, and at most %d are supported "
                         "(use {method=nb} or {method=aode}, or {advice choose-target})",
                         b->n_base, (int)HEFT_MOST_SCORES);
    HEFT_CHECK(gather_distinct_values(b));
    HEFT_ALLOC(b->ctx, b->arena, ev, 1);
    *ev = (heft_evidence){.n_attr = m, .n_base = b->n_base, .n_rows = b->n, .row = b->row, .y = y};
    HEFT_ALLOCS(b->ctx, b->arena, m, ev->active, ev->member, ev->group, ev->dense);
    HEFT_ALLOC(b->ctx, b->arena, b->logs, b->n_class);
    b->ev = *out = ev;
    HEFT_CHECK(take_weights(b));
    b->limit = MOST_TABLE / b->n_base;
    if (b->limit > MOST_JOINT) b->limit = MOST_JOINT;
    if ((double)b->limit > ev->size / 4) b->limit = (size_t)(ev->size / 4);
    HEFT_CHECK(look_at_codes(b));
    for (size_t j = 0; j < m; j++) {
        if (b->lik[j].silent) continue;
        HEFT_CHECK(heft_check_cancel(b->ctx));
        HEFT_CHECK(b->rows->attr[j].coded ? take_coded(b, j) : take_number(b, j));
    }
    HEFT_CHECK(heft_run(b->ctx, ev->n_group, add_digits, b));
    HEFT_CHECK(settle_dense(b));
    HEFT_CHECK(heft_evidence_merge(b->ctx, b->arena, y, ev));
    for (size_t g = 0; g < ev->n_group; ev->n_code += ev->group[g++].n_code)
        ev->group[g].at = ev->n_code;
    return HEFT_OK;
}

static inline bool in_pair(const builder *b, uint16_t c)
{
    return (c == b->a) | (c == b->b);
}

/* Chooses the rows of known class, or those of a class pair, in their order, and sets *y: the
 * class, or 0 and 1 for a pair. b->row stays NULL if all rows are chosen. */
static heft_status choose_rows(builder *b, uint16_t **y)
{
    const size_t    n = b->rows->n_rows;
    const uint16_t *from = b->rows->y, last = (uint16_t)b->rows->n_class;
    size_t         *row = NULL;
    HEFT_ALLOC(b->ctx, b->arena, *y, n);
    for (size_t i = 0; i < n; i++) b->n += b->pair ? in_pair(b, from[i]) : from[i] < last;
    if (b->n < n) {
        HEFT_ALLOC(b->ctx, b->arena, row, b->n);
        for (size_t i = 0, at = 0; i < n; i++)
            if (b->pair ? in_pair(b, from[i]) : from[i] < last) row[at++] = i;
    }
    b->row = row;
    for (size_t i = 0; i < b->n; i++) {
        const uint16_t c = from[place_of(b, i)];
        (*y)[i] = b->pair ? c == b->b : c;
    }
    return HEFT_OK;
}

/* choose_rows for a class pair whose rows are listed by class: the rows of a, then those of b. */
static heft_status choose_listed(builder *b, const heft_row_list *lists, uint16_t **y)
{
    const size_t n_a = lists[b->a].n, n_b = lists[b->b].n;
    size_t      *row;
    b->n = n_a + n_b;
    HEFT_ALLOCS(b->ctx, b->arena, b->n, row, *y);
    if (n_a > 0) memcpy(row, lists[b->a].row, n_a * sizeof *row);
    if (n_b > 0) memcpy(row + n_a, lists[b->b].row, n_b * sizeof *row);
    for (size_t i = n_a; i < b->n; i++) (*y)[i] = 1;
    b->row = row;
    return HEFT_OK;
}

heft_status heft_evidence_build(heft_ctx *ctx, const heft_rows *rows, const heft_lik *lik,
                                heft_arena *arena, heft_evidence **out)
{
    builder   b = {.ctx = ctx, .rows = rows, .lik = lik, .arena = arena, .n_base = rows->n_class};
    uint16_t *y;
    *out = NULL;
    b.n_class = rows->n_class;
    HEFT_CHECK(choose_rows(&b, &y));
    return build(&b, y, out);
}

heft_status heft_rows_by_class(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                               heft_row_list **lists)
{
    heft_row_list *list;
    size_t        *row, *at;
    HEFT_ALLOC(ctx, arena, list, rows->n_class + 1);
    HEFT_ALLOC(ctx, arena, row, rows->n_rows);
    HEFT_ALLOC(ctx, arena, at, rows->n_class + 2);
    for (size_t i = 0; i < rows->n_rows; i++)
        if (rows->y[i] < rows->n_class) at[rows->y[i] + 1u]++;
    for (size_t c = 0; c < rows->n_class; c++) {
        list[c] = (heft_row_list){row + at[c], at[c + 1]};
        at[c + 1] += at[c];
    }
    for (size_t i = 0; i < rows->n_rows; i++)
        if (rows->y[i] < rows->n_class) row[at[rows->y[i]]++] = i;
    *lists = list;
    return HEFT_OK;
}

heft_status heft_evidence_pair(heft_ctx *ctx, const heft_rows *rows, const heft_lik *lik,
                               const heft_row_list *lists, size_t a, size_t b, heft_arena *arena,
                               heft_evidence **out)
{
    builder own = {.ctx = ctx, .rows = rows, .lik = lik, .arena = arena, .n_base = 1, .pair = true};
    uint16_t *y = NULL;
    *out = NULL;
    own.n_class = rows->n_class;
    own.a = a;
    own.b = b;
    HEFT_CHECK(lists ? choose_listed(&own, lists, &y) : choose_rows(&own, &y));
    return build(&own, y, out);
}
