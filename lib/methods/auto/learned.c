/* learned.c - weights of codes, pairs of codes and scaled numbers. */
#include "methods/auto/learned.h"

#include "base/rows.h"
#include "base/sort.h"

static const double CODE_LAMBDA = 4, PAIR_LAMBDA = 8, REAL_LAMBDA = 1, BIAS_LAMBDA = 1;

/* ---- features ---- */

/* A resolution that has weights of its own. */
static bool is_part(const heft_coded *coded, size_t j, unsigned res)
{
    const heft_cells *cell = heft_cells_of(coded, j, res);
    return cell->same == res && cell->n_codes > 1;
}

/* The attributes that are learned from: all, or those with the most information at the pair
 * resolution. */
static heft_status choose_attrs(heft_ctx *ctx, const heft_sample *sample,
                                const heft_cells *const *cells, const heft_coded *coded,
                                const heft_coding *coding, heft_arena *arena, heft_learned *out)
{
    const size_t m = coded->n_attr, most = out->rule.most;
    double      *info;
    heft_ranked *order, *spare;
    bool        *in;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, info, order, spare, in);
    if (m > most) HEFT_CHECK(heft_attr_info(ctx, sample, cells, info));
    heft_order_falling(info, m, order, spare);
    for (size_t k = 0; k < most && k < m; k++) in[order[k].row] = true;
    HEFT_ALLOCS(ctx, arena, m, out->attr, out->real);
    for (size_t j = 0; j < m; j++) {
        bool any = false;
        for (unsigned r = 0; r < HEFT_N_RES; r++) any |= in[j] && is_part(coded, j, r);
        if (any) out->attr[out->n_attr++] = (uint32_t)j;
        if (in[j] && coding->attr[j].numeric && coding->attr[j].sd > 0)
            out->real[out->n_reals++] = (uint32_t)j;
    }
    HEFT_ALLOC(ctx, arena, out->res, out->n_attr);
    return HEFT_OK;
}

typedef struct joining {
    const heft_learned *learned;
    const heft_coded   *coded;
    heft_join          *join; /* NULL: those there are are applied */
    heft_cells         *out;
} joining;

static heft_status join_one(heft_ctx *ctx, void *arg, size_t k)
{
    const joining    *job = arg;
    const heft_pair   at = job->learned->pair[k];
    const unsigned    res = job->learned->rule.pair_res;
    const heft_cells *a = heft_cells_of(job->coded, at.i, res);
    const heft_cells *b = heft_cells_of(job->coded, at.j, res);
    if (job->join) return heft_join_learn(ctx, a, b, job->coded->n, &job->join[k], &job->out[k]);
    return heft_join_apply(ctx, &job->learned->join[k], a, b, job->coded->n, &job->out[k]);
}

typedef struct scaling {
    const heft_sample *sample;
    const heft_coding *coding;
    const uint32_t    *attr;
    float            **column; /* NULL where not wanted */
} scaling;

static heft_status scale_one(heft_ctx *ctx, void *arg, size_t k)
{
    const scaling     *job = arg;
    const heft_sample *s = job->sample;
    const heft_lines  *lines = &job->coding->attr[job->attr[k]];
    const double      *x = s->rows->attr[job->attr[k]].numbers;
    (void)ctx;
    HEFT_ROWS (i, job->column[k] ? s->n : 0)
        job->column[k][i] = (float)heft_line_scaled(lines, x[heft_sample_row(s, i)]);
    return HEFT_OK;
}

/* If an attribute has few values, its scaled number depends only on its line. */
static heft_status make_ties(heft_ctx *ctx, const heft_coding *coding, heft_arena *arena,
                             heft_learned *out)
{
    size_t f = 0;
    HEFT_ALLOC(ctx, arena, out->tie, out->n_reals);
    for (size_t k = 0; k < out->n_reals; k++) {
        const heft_lines *lines = &coding->attr[out->real[k]];
        float            *z;
        while (f < out->n_attr && out->attr[f] < out->real[k]) f++;
        if (!lines->only || f == out->n_attr || out->attr[f] != out->real[k]) continue;
        HEFT_ALLOC(ctx, arena, z, lines->n_lines);
        for (uint32_t l = 0; l < lines->n_lines; l++)
            z[l] = (float)heft_line_scaled(lines, lines->only[l]);
        out->tie[k] = (heft_tie){true, f, z};
    }
    return HEFT_OK;
}

static heft_status make_columns(heft_ctx *ctx, const heft_sample *sample, const heft_coding *coding,
                                const heft_learned *learned, const heft_tie *tie, heft_arena *arena,
                                float ***out)
{
    HEFT_ALLOC(ctx, arena, *out, learned->n_reals);
    for (size_t k = 0; k < learned->n_reals; k++)
        if (!tie || !tie[k].tied) HEFT_ALLOC(ctx, arena, (*out)[k], sample->n);
    scaling job = {sample, coding, learned->real, *out};
    return heft_run(ctx, learned->n_reals, scale_one, &job);
}

/* One feature per attribute, whose weights at all resolutions are found by its line, then one per
 * pair. */
static heft_status make_features(heft_ctx *ctx, const heft_coding *coding, const heft_coded *coded,
                                 heft_arena *arena, heft_learned *out)
{
    HEFT_ALLOC(ctx, arena, out->feature, out->n_attr + out->n_pairs);
    for (size_t k = 0; k < out->n_attr; k++) {
        const size_t      j = out->attr[k];
        const heft_lines *lines = &coding->attr[j];
        const heft_cells *line = &coded->line[j];
        heft_feature     *to = &out->feature[k];
        *to = (heft_feature){line->width, line->at, lines->n_lines, 0, {{0}}};
        for (unsigned r = 0; r < HEFT_N_RES; r++) {
            double alike = 0;
            if (!is_part(coded, j, r)) continue;
            for (unsigned q = 0; q < HEFT_N_RES; q++)
                alike += heft_cells_of(coded, j, q)->same == r;
            out->res[k][to->n_parts] = (uint8_t)r;
            to->part[to->n_parts++] =
                (heft_feature_part){lines->code[r], lines->n_codes[r], CODE_LAMBDA / alike};
        }
    }
    for (size_t k = 0; k < out->n_pairs; k++) {
        const heft_cells *cell = &out->joined[k];
        out->feature[out->n_attr + k] = (heft_feature){
            cell->width, cell->at, cell->n_codes, 1, {{NULL, cell->n_codes, PAIR_LAMBDA}}};
    }
    return HEFT_OK;
}

heft_status heft_learned_open(heft_ctx *ctx, const heft_sample *sample, const heft_coding *coding,
                              const heft_coded *coded, const heft_learned_rule *rule,
                              heft_arena *arena, heft_learned *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t       m = coding->n_attr;
    heft_pair_list     pairs;
    const heft_cells **cells;
    *out = (heft_learned){.rule = *rule};
    HEFT_ALLOC(ctx, &ctx->scratch, cells, m);
    for (size_t j = 0; j < m; j++) cells[j] = heft_cells_of(coded, j, rule->pair_res);
    HEFT_CHECK(choose_attrs(ctx, sample, cells, coded, coding, arena, out));
    HEFT_CHECK(heft_pairs_choose(ctx, sample, cells, rule->among, rule->keep, arena, &pairs));
    HEFT_ALLOCS(ctx, arena, pairs.n, out->join, out->joined);
    out->pair = pairs.pair;
    out->n_pairs = pairs.n;
    HEFT_CHECK(heft_run(ctx, pairs.n, join_one, &(joining){out, coded, out->join, out->joined}));
    HEFT_CHECK(make_ties(ctx, coding, arena, out));
    HEFT_CHECK(make_columns(ctx, sample, coding, out, out->tie, arena, &out->column));
    HEFT_CHECK(make_features(ctx, coding, coded, arena, out));
    const heft_logit_rows rows = {.n = sample->n,
                                  .y = sample->y,
                                  .weight = sample->weight,
                                  .n_features = out->n_attr + out->n_pairs,
                                  .n_reals = out->n_reals,
                                  .feature = out->feature,
                                  .real = (const float *const *)out->column,
                                  .tie = out->tie};
    HEFT_CHECK(
        heft_logit_open(ctx, &rows, sample->n_class, REAL_LAMBDA, BIAS_LAMBDA, arena, &out->logit));
    HEFT_ALLOC(ctx, arena, out->w, heft_logit_size(&out->logit));
    return HEFT_OK;
}

void heft_learned_clear(heft_learned *learned)
{
    for (size_t k = 0; k < learned->n_pairs; k++) {
        heft_join_clear(&learned->join[k]);
        heft_free(learned->joined[k].at);
    }
    *learned = (heft_learned){0};
}

/* ---- other rows ---- */

heft_status heft_learned_rows_make(heft_ctx *ctx, const heft_learned *learned,
                                   const heft_coding *coding, const heft_sample *sample,
                                   heft_arena *arena, heft_learned_rows *out)
{
    *out = (heft_learned_rows){0};
    HEFT_CHECK(
        heft_coded_fill(ctx, coding, sample, 1u << learned->rule.pair_res, true, &out->coded));
    HEFT_ALLOC(ctx, arena, out->joined, learned->n_pairs);
    out->n_pairs = learned->n_pairs;
    joining job = {learned, &out->coded, NULL, out->joined};
    HEFT_CHECK(heft_run(ctx, learned->n_pairs, join_one, &job));
    HEFT_CHECK(make_columns(ctx, sample, coding, learned, NULL, arena, &out->column));
    HEFT_ALLOC(ctx, arena, out->feature, learned->n_attr + learned->n_pairs);
    for (size_t k = 0, m = learned->n_attr; k < m + learned->n_pairs; k++) {
        const heft_cells *cell = k < m ? &out->coded.line[learned->attr[k]] : &out->joined[k - m];
        out->feature[k] = learned->feature[k];
        out->feature[k].width = cell->width;
        out->feature[k].lines = cell->at;
    }
    out->rows = (heft_logit_rows){.n = sample->n,
                                  .n_features = learned->logit.rows.n_features,
                                  .n_reals = learned->n_reals,
                                  .feature = out->feature,
                                  .real = (const float *const *)out->column};
    return HEFT_OK;
}

void heft_learned_rows_clear(heft_learned_rows *rows)
{
    for (size_t k = 0; k < rows->n_pairs; k++) heft_free(rows->joined[k].at);
    heft_coded_clear(&rows->coded);
    *rows = (heft_learned_rows){0};
}

/* ---- pooling ---- */

static heft_status weights_of(heft_ctx *ctx, const heft_learned *learned, size_t f, size_t part,
                              size_t n, double **out)
{
    const size_t K = learned->logit.n_class;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, n * K);
    for (size_t v = 0; v < n; v++)
        heft_logit_code(&learned->logit, learned->w, f, part, (uint32_t)v, *out + v * K);
    return HEFT_OK;
}

/* The fraction of the rows learned from that has each code. */
static heft_status fractions(heft_ctx *ctx, const heft_learned *learned, const heft_cells *cells,
                             double **out)
{
    const heft_logit_rows *rows = &learned->logit.rows;
    double                 total = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, cells->n_codes);
    HEFT_ROWS (i, rows->n) {
        const double w = rows->weight ? rows->weight[i] : 1;
        (*out)[heft_code_at(cells->at, cells->width, i)] += w;
        total += w;
    }
    for (size_t v = 0; v < cells->n_codes; v++) (*out)[v] /= total;
    return HEFT_OK;
}

typedef struct looking {
    const heft_learned      *learned;
    const heft_coded        *coded;
    const heft_learned_rows *asked;
    size_t                   n;
    const size_t            *row; /* places among the rows asked about */
    double                  *out;
    double                 **share; /* by attribute: fractions at the pair resolution */
} looking;

static double *contribution_at(const looking *job, size_t r, size_t j)
{
    return job->out + (r * job->coded->n_attr + j) * job->learned->logit.n_class;
}

/* The weights of a feature's lines, all parts added. */
static heft_status look_at_feature(heft_ctx *ctx, const looking *job, size_t f)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_learned *l = job->learned;
    const heft_feature *of = &l->feature[f];
    const heft_cells   *lines = &job->asked->coded.line[l->attr[f]];
    const size_t        K = l->logit.n_class;
    double             *table, *one, *share, *mean;
    HEFT_ALLOC(ctx, &ctx->scratch, table, of->n_lines * K);
    HEFT_ALLOCS(ctx, &ctx->scratch, K, one, mean);
    for (uint32_t v = 0; v < of->n_lines; v++)
        for (size_t p = 0; p < of->n_parts; p++) {
            heft_logit_code(&l->logit, l->w, f, p, of->part[p].code[v], one);
            heft_line_add(table + v * K, one, 1, K);
        }
    HEFT_CHECK(fractions(ctx, l, &job->coded->line[l->attr[f]], &share));
    for (uint32_t v = 0; v < of->n_lines; v++) heft_line_add(mean, table + v * K, share[v], K);
    for (size_t r = 0; r < job->n; r++) {
        const size_t v = heft_code_at(lines->at, lines->width, job->row[r]);
        double      *to = contribution_at(job, r, l->attr[f]);
        heft_line_add(to, table + v * K, 1, K);
        heft_line_add(to, mean, -1, K);
    }
    return HEFT_OK;
}

static heft_status look_at_real(heft_ctx *ctx, const looking *job, size_t k)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_learned    *l = job->learned;
    const heft_logit_rows *rows = &l->logit.rows;
    const heft_cells      *lines = &job->coded->line[l->real[k]];
    const size_t           K = l->logit.n_class;
    double                *slope, sum = 0, total = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, slope, K);
    heft_logit_real(&l->logit, l->w, k, slope);
    HEFT_ROWS (i, rows->n) {
        const double w = rows->weight ? rows->weight[i] : 1;
        sum += w * (l->tie[k].tied ? l->tie[k].z[heft_code_at(lines->at, lines->width, i)]
                                   : l->column[k][i]);
        total += w;
    }
    for (size_t r = 0; r < job->n; r++)
        heft_line_add(contribution_at(job, r, l->real[k]), slope,
                      job->asked->column[k][job->row[r]] - sum / total, K);
    return HEFT_OK;
}

static heft_status look_at_pair(heft_ctx *ctx, const looking *job, size_t k)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_learned *l = job->learned;
    const heft_pair     at = l->pair[k];
    const heft_join    *join = &l->join[k];
    const unsigned      res = l->rule.pair_res;
    const heft_cells   *a = heft_cells_of(&job->asked->coded, at.i, res);
    const heft_cells   *b = heft_cells_of(&job->asked->coded, at.j, res);
    const heft_cells   *joined = &job->asked->joined[k];
    const size_t        K = l->logit.n_class;
    const double       *share_i = job->share[at.i], *share_j = job->share[at.j];
    double             *table, *by_i, *by_j;
    HEFT_ALLOC(ctx, &ctx->scratch, table, (join->n_seen + 1) * K); /* cells not seen add 0 */
    for (uint32_t cell = 0; cell < join->n_seen; cell++)
        heft_logit_code(&l->logit, l->w, l->n_attr + k, 0, cell, table + cell * K);
    HEFT_ALLOC(ctx, &ctx->scratch, by_i, a->n_codes * K);
    HEFT_ALLOC(ctx, &ctx->scratch, by_j, b->n_codes * K);
    for (size_t cell = 0; cell < join->n_seen; cell++) {
        const size_t v = (size_t)(join->key[cell] / join->q),
                     w = (size_t)(join->key[cell] % join->q);
        heft_line_add(by_i + v * K, table + cell * K, share_j[w], K);
        heft_line_add(by_j + w * K, table + cell * K, share_i[v], K);
    }
    for (size_t r = 0; r < job->n; r++) {
        const size_t  i = job->row[r], cell = heft_code_at(joined->at, joined->width, i);
        const double *t = table + cell * K;
        const double *without_i = by_j + heft_code_at(b->at, b->width, i) * K;
        const double *without_j = by_i + heft_code_at(a->at, a->width, i) * K;
        double       *to_i = contribution_at(job, r, at.i), *to_j = contribution_at(job, r, at.j);
        for (size_t c = 0; c < K; c++) {
            to_i[c] += t[c] - without_i[c];
            to_j[c] += t[c] - without_j[c];
        }
    }
    return HEFT_OK;
}

heft_status heft_learned_contributions(heft_ctx *ctx, const heft_learned *learned,
                                       const heft_coded *coded, const heft_learned_rows *asked,
                                       size_t n_looked, const size_t *looked, double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    looking        job = {learned, coded, asked, n_looked, looked, out, NULL};
    const unsigned res = learned->rule.pair_res;
    HEFT_ALLOC(ctx, &ctx->scratch, job.share, coded->n_attr);
    for (size_t k = 0; k < 2 * learned->n_pairs; k++) {
        const size_t j = k % 2 ? learned->pair[k / 2].j : learned->pair[k / 2].i;
        if (!job.share[j])
            HEFT_CHECK(fractions(ctx, learned, heft_cells_of(coded, j, res), &job.share[j]));
    }
    for (size_t f = 0; f < learned->n_attr; f++) HEFT_CHECK(look_at_feature(ctx, &job, f));
    for (size_t k = 0; k < learned->n_reals; k++) HEFT_CHECK(look_at_real(ctx, &job, k));
    for (size_t k = 0; k < learned->n_pairs; k++) HEFT_CHECK(look_at_pair(ctx, &job, k));
    return HEFT_OK;
}

heft_status heft_learned_pool(heft_ctx *ctx, const heft_learned *learned, const heft_coding *coding,
                              double factor, heft_arena *arena, heft_pooled *pooled)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = learned->logit.n_class;
    double      *table;
    HEFT_ALLOC(ctx, &ctx->scratch, table, K);
    heft_logit_real(&learned->logit, learned->w, learned->n_reals, table);
    heft_pooled_bias(pooled, factor, table);
    for (size_t k = 0; k < learned->n_reals; k++) {
        heft_logit_real(&learned->logit, learned->w, k, table);
        HEFT_CHECK(heft_pooled_slope(ctx, pooled, learned->real[k], factor, table, arena));
    }
    for (size_t f = 0; f < learned->n_attr; f++)
        for (size_t p = 0; p < learned->feature[f].n_parts; p++) {
            HEFT_CHECK(weights_of(ctx, learned, f, p, learned->feature[f].part[p].n_codes, &table));
            heft_pooled_add(pooled, coding, learned->attr[f], learned->res[f][p], factor, table);
        }
    for (size_t k = 0; k < learned->n_pairs; k++) {
        HEFT_CHECK(
            weights_of(ctx, learned, learned->n_attr + k, 0, learned->join[k].n_seen, &table));
        const heft_pair_evidence evidence = {.at = learned->pair[k],
                                             .res = learned->rule.pair_res,
                                             .join = &learned->join[k],
                                             .table = table};
        HEFT_CHECK(heft_pooled_pair_add(ctx, pooled, coding, &evidence, factor, arena));
    }
    return HEFT_OK;
}
