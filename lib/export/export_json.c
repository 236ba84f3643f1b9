/* export_json.c - a model as JSON: what inspect prints, and "score", all that scoring a row needs.
 *
 * A row's score of class c is start[c] plus the sum of the terms' parts; its softmax is the
 * posterior. A term is { name, kind, preparation, density, weights }:
 *   preparation  values (nominal) or cuts (intervals, closed above), fill for a missing cell, then
 *                (x - shift) * factor; with "scale": "unit" numbers are divided by their row's
 *                length first
 *   density      table      log_likelihood[value][class]; the last two lines: missing, never seen
 *                normal     mean, sd by class; sd 0 is a point mass, log 1e-10 off it
 *                rounded    the same on multiples of precision, as an interval's mass
 *                kernel     by class: width, points, log_mass
 *   weights      one per class, or [value][class]; absent where the likelihoods hold them
 * Where a score combines several sums (term.h), "sums" has the further ones, each with its own
 * start and terms, and "combine" says how. Models of class pairs have their weights in "pairs" and
 * vote. With "calibration" the score becomes scale[c] * score[c] + shift[c]; where "calibrate" is
 * vector, of the score less its log-sum-exp.
 *
 * Method auto: "start", then for each term its table, evidence[spot][class] (a spot is the value,
 * or the number of `cuts` below the number; the last two: missing, never seen) and slope[class]
 * times (x - mean) / sd within [-4, 4], 0 where missing; then for each of "attribute_pairs" its
 * evidence[cell][class], cell = view_i[spot of i] * codes + view_j[spot of j]. With "cells" the
 * table has lines for these alone, others add nothing. Last, each of "trees" adds the evidence of
 * the leaf that the row reaches. A split is { attribute, up_to | values | intervals, missing,
 * unseen, left, right }; left and right are a split or a leaf, which is the list evidence[class].
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "export/export.h"
#include "prep/numbers.h"

extern const char *const heft_json_rules[]; /* the lines of rules.txt, then NULL */

static void put_preparation(const heft_prep *prep, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &prep->attr[j];
    if (a->kind == HEFT_NOMINAL) {
        heft_put(out, ", \"values\": [");
        for (uint32_t v = 0; v < heft_dict_size(a->dict); v++)
            heft_put(out, "%s%j", v ? ", " : "", heft_dict_text(a->dict, v));
        heft_put(out, "]");
    } else {
        heft_put(out, ", \"shift\": %n, \"factor\": %n", a->shift, a->factor);
        if (a->cut) heft_put(out, ", \"cuts\": %v", a->cuts, a->n_cuts);
        if (heft_zero_interval(prep, j))
            heft_put(out, ", \"first_interval\": %z", (size_t)heft_zero_interval(prep, j));
    }
    if (a->has_fill) heft_put(out, ", \"fill\": %n", a->fill);
}

/* Writes [[...], ...]: a list of numbers per class, that of class c from at[c] on. */
static void put_lists(heft_buf *out, const char *name, const double *x, const size_t *at, size_t K)
{
    heft_put(out, ", \"%s\": [", name);
    for (size_t c = 0; c < K; c++)
        heft_put(out, "%s%v", c ? ", " : "", x + at[c], at[c + 1] - at[c]);
    heft_put(out, "]");
}

static void put_density(const heft_term *term, size_t K, heft_buf *out)
{
    static const char *const names[HEFT_TERM_KINDS] = {
        [HEFT_TERM_NONE] = "none",     [HEFT_TERM_TABLE] = "table",
        [HEFT_TERM_NORMAL] = "normal", [HEFT_TERM_POINT] = "normal",
        [HEFT_TERM_KERNEL] = "kernel", [HEFT_TERM_ROUNDED] = "rounded"};
    const heft_lik *lik = term->lik;
    heft_put(out, ", \"density\": \"%s\"", names[term->kind]);
    if (term->kind == HEFT_TERM_TABLE) {
        heft_put(out, ", \"log_likelihood\": [");
        for (size_t v = 0; v < term->n_codes + 2; v++)
            heft_put(out, "%s%v", v ? ", " : "", lik->table + v * K, K);
        heft_put(out, "]");
    } else if (term->kind == HEFT_TERM_KERNEL) {
        heft_put(out, ", \"width\": %v", lik->width, K);
        put_lists(out, "points", lik->point, lik->start, K);
        put_lists(out, "log_mass", lik->log_mass, lik->start, K);
    } else if (term->kind != HEFT_TERM_NONE) {
        heft_put(out, ", \"mean\": %v, \"sd\": %v", lik->mean, K, lik->sd, K);
        if (term->kind == HEFT_TERM_ROUNDED) heft_put(out, ", \"precision\": %n", lik->precision);
    }
}

static void put_weights(const heft_terms *t, size_t j, heft_buf *out)
{
    const heft_weights *w = &t->fitted->weights;
    const bool          by_value = t->per == HEFT_PER_VALUE && t->attr[j].n_codes > 0;
    const size_t        n = by_value ? t->attr[j].n_codes : t->n_class;
    if (w->folded || t->per == HEFT_PER_CLASS_PAIR) return;
    heft_put(out, by_value ? ", \"value_weights\": [" : ", \"weights\": [");
    for (size_t k = 0; k < n; k++)
        heft_put(out, "%s%n", k ? ", " : "",
                 heft_term_weight(t, j, by_value || t->per == HEFT_PER_CLASS ? k : 0));
    heft_put(out, "]");
}

static void put_line(const heft_terms *t, const char *before, const double *line, double *buffer,
                     heft_buf *out)
{
    heft_terms_spread(t, line, buffer);
    heft_put(out, "%s%v", before, buffer, t->n_class);
}

/* Writes the table of a term that a method describes itself; `buffer` has space for n_class
 * numbers. */
static void put_evidence(const heft_terms *t, const heft_term *term, double *buffer, heft_buf *out)
{
    if (!term->table) return;
    heft_put(out, ", \"evidence\": [");
    for (size_t v = 0; v < term->n_codes + 2; v++)
        put_line(t, v ? ", " : "", term->table + heft_term_line(term, v) * t->n_columns, buffer,
                 out);
    heft_put(out, "]");
    if (!term->slope) return;
    heft_put(out, ", \"mean\": %n, \"sd\": %n", term->mean, term->sd);
    put_line(t, ", \"slope\": ", term->slope, buffer, out);
}

static void put_joint(const heft_terms *t, const heft_joint_term *joint, double *buffer,
                      heft_buf *out)
{
    const heft_prep *prep = &t->model->prep;
    heft_put(out, "{\"attributes\": [%j, %j]", prep->attr[joint->attr[0]].name,
             prep->attr[joint->attr[1]].name);
    for (size_t k = 0; k < joint->n; k++) {
        const heft_term *term = &t->attr[joint->attr[k]];
        heft_put(out, ", \"view_%c\": ", "ijk"[k]);
        for (size_t v = 0; v < term->n_codes + 2; v++)
            heft_put(out, "%s%z", v ? ", " : "[",
                     (size_t)term->view[joint->view[k]][heft_term_line(term, v)]);
        heft_put(out, "]");
    }
    heft_put(out, ", \"codes\": %z", (size_t)heft_joint_codes(t, joint, 1));
    if (joint->key)
        for (size_t v = 0; v < joint->n_cells; v++)
            heft_put(out, "%s%z", v ? ", " : ", \"cells\": [", (size_t)joint->key[v]);
    heft_put(out, joint->key ? "], \"evidence\": [" : ", \"evidence\": [");
    for (size_t v = 0; v < joint->n_cells; v++)
        put_line(t, v ? ", " : "", joint->table + v * t->n_columns, buffer, out);
    heft_put(out, "]}");
}

/* Writes which cells go left at a split. */
static void put_split(const heft_terms *t, const heft_tree_split *s, heft_buf *out)
{
    const heft_term      *term = &t->attr[s->attr];
    const heft_attr_prep *a = &t->model->prep.attr[s->attr];
    bool                  missing = false, unseen = false;
    size_t                n = 0;
    heft_put(out, "{\"attribute\": %j, ", a->name);
    if (s->n_listed == 0) { /* the codes of numbers begin at 1 (term.h) */
        const double cut = s->at == 0              ? NAN
                           : s->at <= term->n_cuts ? term->cuts[s->at - 1]
                                                   : DBL_MAX;
        missing = t->tree_missing[s->attr] <= s->at;
        heft_put(out, "\"up_to\": %n", cut);
    } else {
        heft_put(out, a->kind == HEFT_NOMINAL ? "\"values\": [" : "\"intervals\": [");
        for (size_t k = 0; k < s->n_listed; k++) {
            const uint32_t line = t->trees->listed[s->at + k];
            missing |= line == term->missing;
            unseen |= line == term->unseen;
            if (line >= term->n_codes) continue;
            heft_put(out, n++ ? ", " : "");
            if (a->kind == HEFT_NOMINAL) heft_put(out, "%j", heft_dict_text(a->dict, line));
            else heft_put(out, "%z", (size_t)line);
        }
        heft_put(out, "]");
    }
    heft_put(out, ", \"missing\": \"%s\"", missing ? "left" : "right");
    if (a->kind == HEFT_NOMINAL && term->unseen != term->missing)
        heft_put(out, ", \"unseen\": \"%s\"", unseen ? "left" : "right");
}

/* Writes the next n leaves of the trees and the splits between them. Depth: at most 15. */
static void put_subtree(const heft_terms *t, size_t n, size_t *split, size_t *leaf, double *buffer,
                        heft_buf *out)
{
    const heft_trees *trees = t->trees;
    if (n == 1) {
        const double *value = trees->value + (*leaf)++ * trees->n_columns;
        const double  two[] = {-value[0], value[0]};
        put_line(t, "", t->n_columns == 2 ? two : value, buffer, out);
        return;
    }
    const heft_tree_split *s = &trees->split[(*split)++];
    put_split(t, s, out);
    heft_put(out, ", \"left\": ");
    put_subtree(t, s->left, split, leaf, buffer, out);
    heft_put(out, ", \"right\": ");
    put_subtree(t, n - s->left, split, leaf, buffer, out);
    heft_put(out, "}");
}

/* Writes the rules of a kind: the lines of rules.txt that begin with it. */
static void put_rules_of(const char *kind, bool first, heft_buf *out)
{
    const size_t n = strlen(kind);
    for (const char *const *line = heft_json_rules; *line; line++) {
        if (strncmp(*line, kind, n) != 0 || (*line)[n] != ':') continue;
        heft_put(out, "%s\n   %j", first ? "" : ",", *line + n + 2);
        first = false;
    }
}

/* Writes in words how a row is scored, so that the file needs no other document. */
static void put_rules(const heft_terms *t, heft_buf *out)
{
    static const char *const combining[] = {
        [HEFT_MIXED] = "mixed", [HEFT_AVERAGED] = "averaged", [HEFT_MULTIPLIED] = "multiplied"};
    static const char *const decisions[] = {[HEFT_MOST_PROBABLE] = "most probable",
                                            [HEFT_THRESHOLD] = "threshold",
                                            [HEFT_LEAST_COST] = "least cost"};
    heft_put(out, ",\n  \"rules\": [");
    put_rules_of(t->shared ? "shared" : "own", true, out);
    if (t->further.n) put_rules_of(combining[t->further.combining], false, out);
    put_rules_of(decisions[t->model->decision.kind], false, out);
    heft_put(out, "]");
}

/* Writes where a sum begins. */
static void put_start(const heft_terms *t, heft_buf *out)
{
    const heft_fitted *f = t->fitted;
    if (!t->shared) {
        heft_put(out, "\"start\": %v", t->start, t->n_class);
        return;
    }
    heft_put(out, "\"log_prior\": %v, \"prior_weight\": %n", f->log_prior, t->n_class,
             f->weights.w0);
    if (f->bias) heft_put(out, ", \"bias\": %v", f->bias, t->n_class);
}

/* Writes what an attribute adds to a sum. */
static void put_term(const heft_terms *t, size_t j, double *buffer, heft_buf *out)
{
    if (t->shared) {
        put_density(&t->attr[j], t->n_class, out);
        put_weights(t, j, out);
    } else {
        put_evidence(t, &t->attr[j], buffer, out);
    }
}

static void put_pairs(const heft_terms *t, double *buffer, heft_buf *out)
{
    heft_put(out, ",\n  \"attribute_pairs\": [");
    for (size_t k = 0; k < t->joint.n; k++) {
        heft_put(out, k ? ",\n   " : "\n   ");
        put_joint(t, &t->joint.list[k], buffer, out);
    }
    heft_put(out, "]");
}

static void put_trees(const heft_terms *t, double *buffer, heft_buf *out)
{
    size_t split = 0, leaf = 0; /* the split and the leaf that come next */
    heft_put(out, ",\n  \"trees\": [");
    if (t->trees)
        for (size_t k = 0; k < t->trees->n_trees; k++) {
            heft_put(out, k ? ",\n   " : "\n   ");
            put_subtree(t, t->trees->tree[k].n_leaves, &split, &leaf, buffer, out);
        }
    heft_put(out, "]");
}

static void put_sums(const heft_terms *t, double *buffer, heft_buf *out)
{
    if (t->further.mixing)
        heft_put(out, ",\n  \"mixing\": %v", t->further.mixing, 1 + t->further.n);
    heft_put(out, ",\n  \"sums\": [");
    for (size_t k = 0; k < t->further.n; k++) {
        const heft_terms *sum = &t->further.list[k];
        size_t            n = 0;
        heft_put(out, "%s\n  {", k ? "," : "");
        put_start(sum, out);
        heft_put(out, ", \"terms\": [");
        for (size_t j = 0; j < sum->n_attr; j++) {
            if (sum->attr[j].kind == HEFT_TERM_NONE) continue;
            heft_put(out, "%s\n   {\"name\": %j", n++ ? "," : "", heft_attr_name(sum, j));
            put_term(sum, j, buffer, out);
            heft_put(out, "}");
        }
        heft_put(out, "]");
        if (!sum->shared) put_pairs(sum, buffer, out);
        heft_put(out, "}");
    }
    heft_put(out, "]");
}

static heft_status write_json(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                              heft_buf *out)
{
    (void)how;
    const heft_prep *prep = &t->model->prep;
    double          *buffer;
    char            *inspected;
    HEFT_ALLOC(ctx, &ctx->scratch, buffer, t->n_class);
    HEFT_CHECK(heft_inspection(ctx, t->model, true, 0, &inspected));
    heft_buf_add(out, inspected, strlen(inspected) - 2); /* all but its closing brace */
    heft_free(inspected);
    heft_put(out, ",\n \"score\": {");
    put_start(t, out);
    if (t->shared) heft_put(out, ", \"sparse\": %s", prep->sparse ? "true" : "false");
    put_rules(t, out);
    heft_put(out, ",\n  \"terms\": [");
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_term *term = &t->attr[j];
        heft_put(out, "%s\n   {\"name\": %j, \"kind\": \"%s\"", j ? "," : "", prep->attr[j].name,
                 prep->attr[j].kind == HEFT_NUMERIC ? "numeric" : "nominal");
        put_preparation(prep, j, out);
        if (!t->shared && !prep->attr[j].cut && term->numeric)
            heft_put(out, ", \"cuts\": %v", term->cuts, term->n_cuts);
        put_term(t, j, buffer, out);
        heft_put(out, "}");
    }
    heft_put(out, t->shared && t->n_attr ? "\n  ]" : "]");
    if (!t->shared) put_pairs(t, buffer, out);
    if (!t->shared) put_trees(t, buffer, out);
    if (t->further.n) put_sums(t, buffer, out);
    heft_put(out, "}}\n");
    return HEFT_OK;
}

const heft_export heft_export_json = {
    .info = {.name = "json", .ending = ".json", .about = "JSON with everything that scoring needs"},
    .write = write_json,
};
