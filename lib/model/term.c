/* term.c - terms of a score: the evidence of a cell by their tables, and of a row. */
#include "model/term.h"
#include "base/num.h"

#include <math.h>
#include <string.h>

/* ---- the shared form ---- */

/* Makes the terms of the shared form (fitted.h). Methods with class pairs have their weights there,
 * so their terms have none. */
heft_status heft_terms_shared(heft_ctx *ctx, const heft_fitted *f, heft_terms *t)
{
    const int shape = (int)f->weights.shape;
    HEFT_ALLOC(ctx, &ctx->scratch, t->start, t->n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, t->attr, t->n_attr);
    t->shared = true;
    t->fitted = f;
    t->n_columns = t->n_class;
    t->per = t->class_pair           ? HEFT_PER_CLASS_PAIR
             : shape == HEFT_W_CLASS ? HEFT_PER_CLASS
             : shape == HEFT_W_VALUE ? HEFT_PER_VALUE
                                     : HEFT_PER_ATTR;
    if (f->log_prior)
        for (size_t c = 0; c < t->n_class; c++) {
            const bool plain = t->class_pair || !isfinite(f->log_prior[c]);
            t->start[c] = plain ? f->log_prior[c] : f->weights.w0 * f->log_prior[c];
            if (f->bias && !t->class_pair) t->start[c] += f->bias[c];
        }
    for (size_t j = 0; f->lik && j < t->n_attr; j++) {
        const heft_lik *lik = &f->lik[j];
        const double   *ready = f->ready && !t->class_pair ? f->ready[j] : NULL;
        heft_term      *to = &t->attr[j];
        *to = (heft_term){.kind = lik->kind == HEFT_LIK_TABLE     ? HEFT_TERM_TABLE
                                  : lik->silent                   ? HEFT_TERM_NONE
                                  : lik->kind == HEFT_LIK_ROUNDED ? HEFT_TERM_ROUNDED
                                  : lik->kind == HEFT_LIK_KERNEL  ? HEFT_TERM_KERNEL
                                  : ready                         ? HEFT_TERM_NORMAL
                                                                  : HEFT_TERM_POINT,
                          .numeric = lik->kind != HEFT_LIK_TABLE,
                          .n_codes = lik->n_codes,
                          .missing = lik->n_codes,
                          .unseen = lik->n_codes + 1,
                          .lik = lik};
        if (to->kind == HEFT_TERM_TABLE) to->table = ready ? ready : lik->table;
        if (to->kind == HEFT_TERM_NORMAL) to->normal = ready;
    }
    return HEFT_OK;
}

/* ---- values ---- */

uint32_t heft_term_line(const heft_term *term, size_t spot)
{
    if (spot < term->n_codes) return (uint32_t)spot;
    return spot == term->n_codes ? term->missing : term->unseen;
}

void heft_terms_spread(const heft_terms *t, const double *line, double *out)
{
    if (t->present) memset(out, 0, t->n_class * sizeof *out);
    for (size_t c = 0; c < t->n_columns; c++) out[t->present ? t->present[c] : c] = line[c];
}

static uint32_t line_of(const heft_term *term, uint32_t code, double number)
{
    if (!term->numeric) return heft_term_line(term, code);
    if (isnan(number)) return term->missing;
    return (uint32_t)heft_lower_bound(term->cuts, term->n_cuts, number);
}

/* Adds a line of the table to the evidence, with the slope if the term has one. */
static void table_value(const heft_terms *t, const heft_term *term, uint32_t line, double number,
                        double *out)
{
    heft_terms_spread(t, term->table + line * t->n_columns, out);
    if (!term->slope || isnan(number) || !(term->sd > 0)) return;
    const double z = (number - term->mean) / term->sd, near = z < -4 ? -4 : z > 4 ? 4 : z;
    for (size_t c = 0; c < t->n_columns; c++)
        out[t->present ? t->present[c] : c] += term->slope[c] * near;
}

double heft_term_error(const heft_term *term, uint32_t code, double number)
{
    return term->error ? heft_error_of(term->error[line_of(term, code, number)]) : (double)NAN;
}

void heft_term_table_value(const heft_terms *t, size_t j, uint32_t code, double number, double *out)
{
    table_value(t, &t->attr[j], line_of(&t->attr[j], code, number), number, out);
}

uint32_t heft_joint_codes(const heft_terms *t, const heft_joint_term *joint, size_t k)
{
    return t->attr[joint->attr[k]].view_size[joint->view[k]];
}

heft_status heft_terms_grids(heft_ctx *ctx, const heft_terms *t, const heft_joint_term ***grid,
                             size_t *n)
{
    *n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, *grid, t->joint.n_grids);
    for (size_t k = 0; k <= t->further.n; k++) {
        const heft_terms *sum = k < t->further.n ? &t->further.list[k] : t;
        for (size_t p = 0; p < sum->joint.n; p++) {
            const heft_joint_term **to = &(*grid)[sum->joint.list[p].grid];
            *n += !*to;
            *to = &sum->joint.list[p];
        }
    }
    return HEFT_OK;
}

/* The line of a joint term's table, or NULL if the cell has none, because such cells add
 * nothing. */
static const double *joint_line(const heft_terms *t, const heft_joint_term *joint,
                                const uint32_t *line)
{
    uint64_t cell = 0;
    for (size_t k = 0; k < joint->n; k++)
        cell = cell * heft_joint_codes(t, joint, k) +
               t->attr[joint->attr[k]].view[joint->view[k]][line[joint->attr[k]]];
    if (!joint->key) return joint->table + (size_t)cell * t->n_columns;
    const size_t lo = heft_lower_bound_u64(joint->key, joint->n_cells, cell);
    return lo < joint->n_cells && joint->key[lo] == cell ? joint->table + lo * t->n_columns : NULL;
}

/* ---- one row ---- */

/* Expands the trees of the terms into lines of tables (tree_effects.h). */
static heft_status expand_trees(heft_ctx *ctx, const heft_terms *t, heft_tree_effects *out)
{
    heft_tree_attr *attr;
    HEFT_ALLOC(ctx, &ctx->scratch, attr, t->n_attr);
    for (size_t j = 0; j < t->n_attr; j++)
        attr[j] = (heft_tree_attr){.numeric = t->attr[j].numeric,
                                   .n_lines = t->attr[j].missing + 1u,
                                   .missing = t->tree_missing[j],
                                   .share = t->share[j]};
    return heft_tree_effects_open(ctx,
                                  &(heft_expansion){.trees = t->trees,
                                                    .n_columns = t->n_columns,
                                                    .n_attr = t->n_attr,
                                                    .attr = attr,
                                                    .n_interactions = t->interactions.n,
                                                    .interaction = t->interactions.list},
                                  out);
}

heft_status heft_terms_unfold(heft_ctx *ctx, heft_terms *t)
{
    const size_t       C = t->n_columns;
    heft_tree_effects *effects;
    while (t->interactions.n_pairs < t->interactions.n &&
           t->interactions.list[t->interactions.n_pairs].n == 2)
        t->interactions.n_pairs++;
    HEFT_ALLOC(ctx, &ctx->scratch, t->interactions.part_of, t->joint.n);
    for (size_t k = 0; k < t->joint.n; k++)
        t->interactions.part_of[k] = heft_interaction_at(t->interactions.list, t->interactions.n,
                                                         t->joint.list[k].attr, t->joint.list[k].n);
    if (!t->trees) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, effects, 1);
    HEFT_CHECK(expand_trees(ctx, t, effects));
    for (size_t c = 0; c < C; c++) t->start[t->present ? t->present[c] : c] += effects->start[c];
    for (size_t j = 0; j < t->n_attr; j++) {
        double *sum = effects->table[j];
        if (!sum) continue;
        for (size_t k = 0; k < (t->attr[j].missing + 1u) * C; k++) sum[k] += t->attr[j].table[k];
        t->attr[j].table = sum;
    }
    t->interactions.effects = effects;
    t->interactions.wide = effects->wide;
    t->trees = NULL;
    return HEFT_OK;
}

void heft_terms_interaction(const heft_terms *t, const uint32_t *line, size_t which,
                            double *together)
{
    for (size_t k = 0; k < t->joint.n; k++) {
        const double *found =
            t->interactions.part_of[k] == which ? joint_line(t, &t->joint.list[k], line) : NULL;
        if (found)
            for (size_t c = 0; c < t->n_columns; c++) together[c] += found[c];
    }
    if (t->interactions.effects)
        heft_tree_effects_one(t->interactions.effects, line, which, together);
}

/* Sets the lines of row i, and the evidence of the start and of the attributes by themselves. */
static void set_alone(const heft_terms *t, const heft_rows *rows, size_t i, uint32_t *line,
                      double *alone)
{
    const size_t K = t->n_class;
    memcpy(alone, t->start, K * sizeof *alone);
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        const uint32_t   code = a->coded ? heft_code_at(a->codes, a->width, i) : 0;
        const double     number = a->coded ? (double)NAN : a->numbers[i];
        line[j] = line_of(&t->attr[j], code, number);
        table_value(t, &t->attr[j], line[j], number, alone + (1 + j) * K);
    }
}

/* Adds what joint terms and trees say of n rows together. */
static void add_joint(const heft_terms *t, uint32_t *const *line, size_t n,
                      const heft_joint_sums *sums)
{
    const size_t C = t->n_columns;
    for (size_t k = 0; k < t->joint.n; k++)
        for (size_t r = 0; r < n; r++) {
            const double *found = joint_line(t, &t->joint.list[k], line[r]);
            double       *to = sums->together + t->interactions.part_of[k] * C * n + r;
            if (found)
                for (size_t c = 0; c < C; c++) to[c * n] += found[c];
        }
    if (t->interactions.effects) heft_tree_effects_rows(t->interactions.effects, line, n, sums);
}

/* Sets joint evidence of row r of n, and each attribute's part of it. */
static void set_joint(const heft_terms *t, const heft_joint_sums *sums, size_t n, size_t r,
                      double *room, heft_row_evidence *out)
{
    const size_t K = t->n_class, C = t->n_columns;
    double      *v = room + C;
    memcpy(out->parts, out->alone, (1 + t->n_attr) * K * sizeof *out->parts);
    for (size_t k = 0; k < heft_terms_joint(t); k++) {
        for (size_t c = 0; c < C; c++) room[c] = sums->together[(k * C + c) * n + r];
        heft_terms_spread(t, room, out->together + k * K);
        const size_t n_attr = k < t->interactions.n ? t->interactions.list[k].n : 0;
        for (size_t m = 0; m < n_attr; m++) {
            double *to = out->parts + (1 + t->interactions.list[k].attr[m]) * K;
            for (size_t c = 0; c < K; c++) to[c] += out->together[k * K + c] / (double)n_attr;
        }
    }
    if (sums->shares)
        for (size_t j = 0; j < t->n_attr; j++) {
            for (size_t c = 0; c < C; c++) room[c] = sums->shares[(j * C + c) * n + r];
            heft_terms_spread(t, room, v);
            for (size_t c = 0; c < K; c++) out->parts[(1 + j) * K + c] += v[c];
        }
}

heft_status heft_terms_evidence(heft_ctx *ctx, const heft_terms *t, const heft_rows *rows,
                                const size_t *row, size_t n, heft_row_evidence *out)
{
    const size_t    K = t->n_class, C = t->n_columns, joint = heft_terms_joint(t);
    uint32_t       *line[HEFT_ROWS_AT_ONCE];
    heft_joint_sums sums = {0};
    double         *room;
    HEFT_ALLOC(ctx, &ctx->scratch, sums.together, joint * C * n);
    HEFT_ALLOC(ctx, &ctx->scratch, room, C + K);
    if (t->interactions.wide) {
        sums.remainder = sums.together + t->interactions.n * C * n;
        HEFT_ALLOC(ctx, &ctx->scratch, sums.shares, t->n_attr * C * n);
    }
    for (size_t r = 0; r < n; r++) {
        HEFT_ALLOC(ctx, &ctx->scratch, line[r], t->n_attr);
        HEFT_ALLOCS(ctx, &ctx->scratch, (1 + t->n_attr) * K, out[r].parts, out[r].alone);
        HEFT_ALLOC(ctx, &ctx->scratch, out[r].together, joint * K);
        set_alone(t, rows, row[r], line[r], out[r].alone);
    }
    add_joint(t, line, n, &sums);
    for (size_t r = 0; r < n; r++) set_joint(t, &sums, n, r, room, &out[r]);
    return HEFT_OK;
}
