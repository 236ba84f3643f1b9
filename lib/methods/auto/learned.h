/* learned.h - the learned member (A) of the default method: weights of codes, pairs of codes and
 * scaled numbers (logit.h).
 *
 *   feature                                                               lambda
 *   code of attribute j at mdl, 5, 10, 20; r resolutions that code every
 *     row alike are one feature, one with a single code is none            4 / r
 *   chosen pairs at the pair resolution, one line per pair of codes seen    8
 *   scaled number of each numeric attribute that varies                     1
 *   bias                                                                   1, not scaled */
#pragma once

#include "methods/auto/logit.h"
#include "methods/auto/pooled.h"

typedef struct heft_learned_rule {
    unsigned pair_res;
    size_t   among, keep; /* pairs: the best `keep` among that many attributes */
    size_t   most;        /* attributes that are learned from: those with the most information */
} heft_learned_rule;

typedef struct heft_learned {
    heft_learned_rule rule;
    size_t            n_attr, n_pairs, n_reals;
    uint32_t         *attr;     /* attributes with more than one code at some resolution */
    uint8_t (*res)[HEFT_N_RES]; /* resolutions of their parts */
    heft_pair    *pair;
    heft_join    *join;
    heft_cells   *joined;
    uint32_t     *real;   /* attributes */
    float       **column; /* the scaled numbers of those not tied to their lines */
    heft_tie     *tie;
    heft_feature *feature; /* attributes by their lines, then pairs */
    heft_logit    logit;
    float        *w;
} heft_learned;

/* Features of the sample, of which `coded` has the lines and the codes at the pair resolution;
 * weights 0. Borrows all three. Memory from `arena` and the heap: heft_learned_clear, also after a
 * failure. */
heft_status heft_learned_open(heft_ctx *ctx, const heft_sample *sample, const heft_coding *coding,
                              const heft_coded *coded, const heft_learned_rule *rule,
                              heft_arena *arena, heft_learned *out);
void        heft_learned_clear(heft_learned *learned);

/* Other rows, as features of the model. */
typedef struct heft_learned_rows {
    heft_coded      coded;
    size_t          n_pairs;
    heft_cells     *joined;
    heft_feature   *feature;
    float         **column;
    heft_logit_rows rows;
} heft_learned_rows;

heft_status heft_learned_rows_make(heft_ctx *ctx, const heft_learned *learned,
                                   const heft_coding *coding, const heft_sample *sample,
                                   heft_arena        *arena,
                                   heft_learned_rows *out); /* clear it also after a failure */
void        heft_learned_rows_clear(heft_learned_rows *rows);
/* out[n_looked x all attributes x K] += what each attribute adds to the scores of some of the rows
 * `asked`: the score less its mean over the values of the attribute. `coded`: the rows learned
 * from, over which the means are. */
heft_status heft_learned_contributions(heft_ctx *ctx, const heft_learned *learned,
                                       const heft_coded *coded, const heft_learned_rows *asked,
                                       size_t n_looked, const size_t *looked, double *out);
/* Adds factor times the scores to the pooled score. */
heft_status heft_learned_pool(heft_ctx *ctx, const heft_learned *learned, const heft_coding *coding,
                              double factor, heft_arena *arena, heft_pooled *pooled);
