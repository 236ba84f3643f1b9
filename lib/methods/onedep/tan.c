/* tan.c - tree augmented naive Bayes: every attribute but one has another as parent besides the
 * class. Friedman, Geiger and Goldszmidt, Bayesian Network Classifiers.
 *
 *   P(c, x) = P(c) prod_i P(x_i | c, x_parent(i))      estimates (N + alpha)/(N_parent + alpha q)
 *
 * tree=bayes        arcs weigh by the gain in log marginal likelihood of the child (Dirichlet,
 *                   alpha per cell), which depends on the direction. Tree and directions are those
 *                   of Weka's BayesNet with TAN search, as in Li and Li's figures.
 * tree=information  arcs weigh by I(X_i;X_j|Y) and are directed away from the first attribute: the
 *                   tree of Friedman, Geiger and Goldszmidt. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "learn/basis.h"
#include "methods/onedep/tables.h"
#include "model/model.h"
#include "model/state.h"
#include "stats/info.h"
#include "stats/tails.h"

static const heft_option options[] = {
    HEFT_OPT_WORDS(
        "tree", "bayes", "bayes|information",
        "bayes: arcs by gain in log marginal likelihood, as Weka's BayesNet; information: by "
        "conditional mutual information, as Friedman, Geiger and Goldszmidt"),
    HEFT_OPT_ABOVE("alpha", "0.5", 0, 1e6, "added to every count; 1 is Laplace"),
    HEFT_CONSTANT_OPTION,
    HEFT_OPT_END,
};

enum { BLOCK = 4096, MOST_MEMO = 1 << 20 };

#define NO_PARENT UINT32_MAX

typedef struct tan_state { /* the private state */
    size_t    n_attr, n_class;
    double    alpha;
    uint32_t *n_codes;
    uint32_t *parent;    /* NO_PARENT: the class alone */
    size_t   *start;     /* n_attr + 1: first line of counts; the parent's value runs slowest */
    double   *count;     /* lines of n_class */
    double   *class_sum; /* n_class */
    /* Made from them: */
    double  *log_prior;
    double **table; /* per attribute: logarithms; a line more per parent value: unknown values */
} tan_state;

static size_t parent_values(const tan_state *own, size_t i)
{
    return own->parent[i] == NO_PARENT ? 1 : own->n_codes[own->parent[i]];
}

/* ---- weights of arcs ---- */

typedef struct arcs {
    heft_pair_counts   pairs;
    const heft_counts *counts;
    double             alpha;
    bool               information;
    bool *complete; /* attributes without a missing cell, of several values unless constant=keep;
                       others stay out of the tree */
    double *memo;   /* log Gamma(alpha + N) - log Gamma(alpha) for whole N; may be NULL */
    size_t  n_memo;
    double *weight; /* weight[i * n_attr + j]: i the child */
} arcs;

static double log_gamma(const arcs *a, double n)
{
    if (n < (double)a->n_memo && n == floor(n)) return a->memo[(size_t)n];
    return heft_log_gamma(a->alpha + n);
}

/* Log marginal likelihood of attribute i given the class and attribute j (i itself: the class
 * alone). Many arcs of attributes with few occurring values weigh the same but for rounding, and
 * rounding then chooses: the terms are added one by one in Weka's order, so that its trees come
 * out. */
static double node_score(const arcs *a, size_t i, size_t j)
{
    const size_t q = a->pairs.n_codes[i], K = a->pairs.n_class;
    const double all = a->alpha * (double)q, constant = (double)q * log_gamma(a, 0);
    const double log_all = heft_log_gamma((double)q * a->alpha);
    double       score = 0;
    for (size_t c = 0; c < K; c++)
        for (size_t u = 0; u < (i == j ? 1 : a->pairs.n_codes[j]); u++) {
            double sum = 0;
            for (size_t v = 0; v < q; v++) {
                const double n = i == j ? a->counts->cell[i][v * K + c]
                                        : heft_pair_counts_at(&a->pairs, i, v, j, u)[c];
                score += log_gamma(a, n);
                sum += a->alpha + n;
            }
            score -= sum == all ? log_all : heft_log_gamma(sum);
            score -= constant;
            score += log_all;
        }
    return score;
}

/* Arcs from every attribute to child i. */
static heft_status weigh_arcs(heft_ctx *ctx, void *arg, size_t i)
{
    const arcs             *a = arg;
    const heft_pair_counts *p = &a->pairs;
    const heft_counts      *n = a->counts;
    const double            alone = a->information ? 0 : node_score(a, i, i);
    (void)ctx;
    for (size_t j = 0; j < p->n_attr; j++) {
        double *weight = &a->weight[i * p->n_attr + j];
        if (i == j) continue;
        if (!a->information) *weight = node_score(a, i, j) - alone;
        else {
            const size_t lo = i < j ? i : j, hi = i < j ? j : i;
            *weight = heft_information_given(
                &(heft_triple_counts){.n_x = p->n_codes[lo],
                                      .n_z = p->n_codes[hi],
                                      .n_y = p->n_class,
                                      .cell =
                                          p->cell + heft_pair_counts_line(p, lo, hi) * p->n_class,
                                      .xy = n->cell[lo],
                                      .zy = n->cell[hi],
                                      .y = n->class_sum,
                                      .total = n->total},
                0);
        }
    }
    return HEFT_OK;
}

/* ---- the tree ---- */

typedef struct arc {
    size_t child, parent;
    double weight;
} arc;

/* Heavier; of equal weight, the one that comes first by child, then by parent. */
static bool heavier(const arc *x, const arc *y)
{
    if (x->weight != y->weight) return x->weight > y->weight;
    return x->child != y->child ? x->child < y->child : x->parent < y->parent;
}

static void better(const arcs *a, size_t child, size_t parent, bool *any, arc *best)
{
    const arc x = {child, parent, a->weight[child * a->pairs.n_attr + parent]};
    if (!*any || heavier(&x, best)) *best = x;
    *any = true;
}

/* Arcs of the heaviest tree, in the order in which they join it: the heaviest arc of all, then
 * always the heaviest between what is in the tree and what is not. Cost: n_attr^2. */
static heft_status grow_tree(heft_ctx *ctx, const arcs *a, arc *tree, size_t *n_arcs)
{
    const size_t m = a->pairs.n_attr;
    bool        *in, *reach;
    arc         *best, first = {0};
    bool         any = false;
    *n_arcs = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, in, reach, best);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            if (i != j && a->complete[i] && a->complete[j]) better(a, i, j, &any, &first);
    if (!any) return HEFT_OK;
    tree[(*n_arcs)++] = first;
    size_t joined[] = {first.child, first.parent}, n_joined = 2;
    for (;;) {
        for (size_t k = 0; k < n_joined; k++) in[joined[k]] = true;
        for (size_t k = 0; k < n_joined; k++)
            for (size_t i = 0; i < m; i++) {
                if (in[i] || !a->complete[i]) continue;
                better(a, i, joined[k], &reach[i], &best[i]);
                better(a, joined[k], i, &reach[i], &best[i]);
            }
        size_t next = m;
        for (size_t i = 0; i < m; i++)
            if (!in[i] && reach[i] && (next == m || heavier(&best[i], &best[next]))) next = i;
        if (next == m) break;
        tree[(*n_arcs)++] = best[next];
        joined[0] = next, n_joined = 1;
    }
    return HEFT_OK;
}

/* Away from the lowest attribute in the tree. */
static heft_status turn_from_first(heft_ctx *ctx, const arc *tree, size_t n_arcs, size_t m,
                                   uint32_t *parent)
{
    bool  *done_with;
    size_t root = m;
    HEFT_ALLOC(ctx, &ctx->scratch, done_with, m + 1);
    for (size_t k = 0; k < n_arcs; k++) {
        root = tree[k].child < root ? tree[k].child : root;
        root = tree[k].parent < root ? tree[k].parent : root;
    }
    done_with[root] = true;
    for (size_t left = n_arcs; left > 0;)
        for (size_t k = 0; k < n_arcs; k++) {
            const size_t a = tree[k].parent, b = tree[k].child;
            if (done_with[a] == done_with[b]) continue;
            parent[done_with[a] ? b : a] = (uint32_t)(done_with[a] ? a : b);
            done_with[a] = done_with[b] = true;
            left--;
        }
    return HEFT_OK;
}

/* ---- estimates ---- */

static heft_status lay_out(const heft_loading *l, void *root)
{
    tan_state *own = root;
    size_t     cells;
    HEFT_ALLOC(l->ctx, l->arena, own->start, own->n_attr + 1);
    for (size_t i = 0; i < own->n_attr; i++) {
        size_t lines;
        if (!heft_product(parent_values(own, i), own->n_codes[i], &lines) ||
            own->start[i] > SIZE_MAX - lines)
            return heft_no_memory(l->ctx, parent_values(own, i), own->n_codes[i]);
        own->start[i + 1] = own->start[i] + lines;
    }
    if (!heft_product(own->start[own->n_attr], own->n_class, &cells))
        return heft_no_memory(l->ctx, own->start[own->n_attr], own->n_class);
    return HEFT_OK;
}

/* Tables of logarithms from the counts. */
static heft_status estimate(const heft_loading *l, void *root)
{
    tan_state   *own = root;
    const size_t K = own->n_class;
    double       total = 0, *below;
    HEFT_ALLOC(l->ctx, l->arena, own->log_prior, K);
    HEFT_ALLOC(l->ctx, l->arena, own->table, own->n_attr);
    HEFT_ALLOC(l->ctx, &l->ctx->scratch, below, K);
    for (size_t c = 0; c < K; c++) total += own->class_sum[c];
    for (size_t c = 0; c < K; c++)
        own->log_prior[c] =
            log((own->class_sum[c] + own->alpha) / (total + own->alpha * (double)K));
    for (size_t i = 0; i < own->n_attr; i++) {
        const size_t q = own->n_codes[i], lines = parent_values(own, i);
        double      *to;
        HEFT_ALLOC(l->ctx, l->arena, to, lines * (q + 1) * K);
        own->table[i] = to;
        for (size_t u = 0; u < lines; u++, to += (q + 1) * K) {
            const double *n = own->count + (own->start[i] + u * q) * K;
            for (size_t c = 0; c < K; c++) {
                below[c] = own->alpha * (double)q;
                for (size_t v = 0; v < q; v++) below[c] += n[v * K + c];
            }
            for (size_t v = 0; v <= q; v++)
                for (size_t c = 0; c < K; c++)
                    to[v * K + c] =
                        q > 1 ? log(((v < q ? n[v * K + c] : 0) + own->alpha) / below[c]) : 0;
        }
    }
    return HEFT_OK;
}

/* ---- the method ---- */

static heft_status count_arcs(heft_ctx *ctx, const heft_task *task, const tan_state *own,
                              const heft_counts *counts, arcs *a)
{
    const size_t m = own->n_attr, K = own->n_class;
    const bool   keeps_constant = heft_keeps_constant(task);
    double       most = 0;
    *a = (arcs){
        .counts = counts, .alpha = own->alpha, .information = heft_param(task, "tree")->word == 1};
    HEFT_CHECK(heft_check_pair_tables(ctx, task->rows));
    HEFT_CHECK(heft_pair_counts_plan(ctx, own->n_codes, m, K, 16.0 * (double)m * (double)m,
                                     task->method->name, &ctx->scratch, &a->pairs));
    HEFT_CHECK(heft_known_pairs(ctx, task->rows, task->known, &ctx->scratch, &a->pairs));
    HEFT_ALLOC(ctx, &ctx->scratch, a->weight, m * m);
    HEFT_ALLOC(ctx, &ctx->scratch, a->complete, m);
    for (size_t j = 0; j < m; j++) {
        double missing = 0;
        for (size_t c = 0; c < K; c++)
            missing += counts->cell[j][own->n_codes[j] * K + c] +
                       counts->cell[j][(own->n_codes[j] + 1) * K + c];
        a->complete[j] = missing == 0 && own->n_codes[j] > !keeps_constant;
    }
    for (size_t c = 0; c < K; c++) most = fmax(most, counts->class_sum[c]);
    if (!a->information && most < MOST_MEMO) {
        a->n_memo = (size_t)most + 1;
        HEFT_ALLOC(ctx, &ctx->scratch, a->memo, a->n_memo);
        for (size_t n = 0; n < a->n_memo; n++) a->memo[n] = heft_log_gamma(a->alpha + (double)n);
    }
    return heft_run(ctx, m, weigh_arcs, a);
}

static heft_status find_parents(heft_ctx *ctx, const arcs *a, tan_state *own)
{
    arc   *tree;
    size_t n_arcs;
    HEFT_ALLOC(ctx, &ctx->scratch, tree, own->n_attr);
    for (size_t i = 0; i < own->n_attr; i++) own->parent[i] = NO_PARENT;
    HEFT_CHECK(grow_tree(ctx, a, tree, &n_arcs));
    if (a->information) return turn_from_first(ctx, tree, n_arcs, own->n_attr, own->parent);
    /* Weka's rule: going through the arcs as they joined, the scored parent becomes the child of
     * the other end, unless it has a parent already. */
    for (size_t k = 0; k < n_arcs; k++) {
        const size_t x = tree[k].parent, y = tree[k].child;
        if (own->parent[x] == NO_PARENT) own->parent[x] = (uint32_t)y;
        else own->parent[y] = (uint32_t)x;
    }
    return HEFT_OK;
}

static heft_status fit_tan(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_loading l = {.ctx = ctx, .arena = task->arena};
    const heft_rows   *rows = task->rows;
    const size_t       K = rows->n_class;
    tan_state         *own;
    heft_counts        counts;
    arcs               a;
    HEFT_ALLOC(ctx, task->arena, own, 1);
    own->n_attr = rows->n_attr;
    own->n_class = K;
    own->alpha = heft_param_num(task, "alpha");
    HEFT_ALLOCS(ctx, task->arena, own->n_attr, own->n_codes, own->parent);
    for (size_t j = 0; j < own->n_attr; j++) own->n_codes[j] = rows->attr[j].n_codes;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    HEFT_CHECK(count_arcs(ctx, task, own, &counts, &a));
    HEFT_CHECK(find_parents(ctx, &a, own));
    HEFT_CHECK(lay_out(&l, own));
    HEFT_ALLOC(ctx, task->arena, own->count, own->start[own->n_attr] * K);
    HEFT_ALLOC(ctx, task->arena, own->class_sum, K);
    memcpy(own->class_sum, counts.class_sum, K * sizeof *own->class_sum);
    for (size_t i = 0; i < own->n_attr; i++) {
        double *to = own->count + own->start[i] * K;
        if (own->parent[i] == NO_PARENT) {
            memcpy(to, counts.cell[i], own->n_codes[i] * K * sizeof *to);
            continue;
        }
        for (size_t u = 0; u < parent_values(own, i); u++)
            for (size_t v = 0; v < own->n_codes[i]; v++, to += K)
                memcpy(to, heft_pair_counts_at(&a.pairs, own->parent[i], u, i, v), K * sizeof *to);
    }
    out->own = own;
    return estimate(&l, own);
}

/* The line of attribute i for a row; NULL when it adds nothing: missing, or its parent unknown. */
static const double *line_of(const tan_state *own, const heft_rows *rows, size_t r, size_t i)
{
    const heft_attr *a = &rows->attr[i];
    const size_t     q = own->n_codes[i];
    size_t           u = 0, v = heft_code_at(a->codes, a->width, r);
    if (v == q) return NULL;
    if (own->parent[i] != NO_PARENT) {
        const heft_attr *b = &rows->attr[own->parent[i]];
        u = heft_code_at(b->codes, b->width, r);
        if (u >= own->n_codes[own->parent[i]]) return NULL;
    }
    return own->table[i] + (u * (q + 1) + (v < q ? v : q)) * own->n_class;
}

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const tan_state    *own = job->own;
    const size_t        K = own->n_class;
    (void)ctx;
    for (size_t r = lo; r < hi; r++) {
        double *restrict out = job->log_joint + r * K;
        memcpy(out, own->log_prior, K * sizeof *out);
        for (size_t i = 0; i < own->n_attr; i++) {
            const double *line = line_of(own, job->rows, r, i);
            if (!line) continue;
            for (size_t c = 0; c < K; c++) out[c] += line[c];
        }
    }
    return HEFT_OK;
}

static heft_status score_tan(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                             double *log_joint)
{
    heft_scoring job = {fitted->own, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, score_block, &job);
}

static heft_status parts_tan(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                             size_t i, double *parts)
{
    const tan_state *own = fitted->own;
    const size_t     K = own->n_class;
    (void)ctx;
    memcpy(parts, own->log_prior, K * sizeof *parts);
    for (size_t j = 0; j < own->n_attr; j++) {
        const double *line = line_of(own, rows, i, j);
        for (size_t c = 0; c < K; c++) parts[(1 + j) * K + c] = line ? line[c] : 0;
    }
    return HEFT_OK;
}

/* ---- tables ---- */

static void attr_value(const void *of, size_t i, size_t v, double *out)
{
    const tan_state *own = of;
    const size_t     q = own->n_codes[i], K = own->n_class;
    if (v == q) memset(out, 0, K * sizeof *out);
    else memcpy(out, own->table[i] + (v < q ? v : q) * K, K * sizeof *out);
}

/* Value v of attribute i given value u of its parent. */
static void pair_value(const void *of, size_t i, size_t v, size_t parent, size_t u, double *out)
{
    const tan_state *own = of;
    const size_t     q = own->n_codes[i], K = own->n_class;
    if (v == q || u >= own->n_codes[parent]) memset(out, 0, K * sizeof *out);
    else memcpy(out, own->table[i] + (u * (q + 1) + (v < q ? v : q)) * K, K * sizeof *out);
}

static heft_status tables_tan(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *t)
{
    const tan_state *own = fitted->own;
    HEFT_CHECK(heft_tables_open(ctx, t, own->n_attr));
    memcpy(t->start, own->log_prior, own->n_class * sizeof *t->start);
    for (size_t i = 0; i < own->n_attr; i++) {
        if (own->parent[i] == NO_PARENT) HEFT_CHECK(heft_tables_attr(ctx, t, i, attr_value, own));
        else HEFT_CHECK(heft_tables_pair(ctx, t, i, own->parent[i], pair_value, own));
    }
    for (size_t k = 0; k < t->joint.n; k++) t->joint.list[k].grid = k;
    t->joint.n_grids = t->joint.n;
    return HEFT_OK;
}

static heft_status arcs_tan(heft_ctx *ctx, const heft_fitted *fitted, heft_arc **out, size_t *n)
{
    const tan_state *own = fitted->own;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, own->n_attr);
    *n = 0;
    for (size_t i = 0; i < own->n_attr; i++)
        if (own->parent[i] != NO_PARENT)
            (*out)[(*n)++] = (heft_arc){(uint32_t)i, own->parent[i], NAN};
    return HEFT_OK;
}

/* ---- to and from a file ---- */

static const tan_state *tan_at(const heft_at *at)
{
    return at->root;
}

static heft_status begin_loading(const heft_loading *l, void *root)
{
    tan_state *own = root;
    own->n_attr = l->model->prep.n_attr;
    own->n_class = l->model->fitted.n_class;
    HEFT_ALLOC(l->ctx, l->arena, own->n_codes, own->n_attr);
    for (size_t j = 0; j < own->n_attr; j++)
        own->n_codes[j] = heft_attr_codes(&l->model->prep.attr[j]);
    return HEFT_OK;
}

static const char *parent_fault(const heft_at *at)
{
    const tan_state *own = tan_at(at);
    for (size_t i = 0; i < own->n_attr; i++)
        if (own->parent[i] != NO_PARENT && (own->parent[i] >= own->n_attr || own->parent[i] == i))
            return "an attribute has a parent that does not exist";
    return NULL;
}

HEFT_DIM(lines, "values of each attribute and its parent", tan_at(at)->start[tan_at(at)->n_attr]);

static const heft_tensor fields[] = {
    {"own.alpha", HEFT_F64, HEFT_VALUE(tan_state, alpha), .lo = DBL_TRUE_MIN, .hi = 1e6,
     .help = "added to every count"},
    {"own.parent", HEFT_U32, HEFT_ARRAY(tan_state, parent), .dims = {&heft_dim_attrs},
     .check = parent_fault, .then = lay_out,
     .help = "parent of each attribute; 4294967295: the class alone"},
    {"own.class", HEFT_F64, HEFT_ARRAY(tan_state, class_sum), .dims = {&heft_dim_classes},
     .hi = 1e15, .help = "weight of the training rows by class"},
    {"own.count", HEFT_F64, HEFT_ARRAY(tan_state, count), .dims = {&lines, &heft_dim_classes},
     .hi = 1e15, .help = "counts; the parent's value runs slowest"},
    {.name = NULL}};

static const heft_state state = {
    .size = sizeof(tan_state), .begin = begin_loading, .fields = fields, .end = estimate};

const heft_method heft_method_tan = {
    .name = "tan",
    .title = "tree augmented naive Bayes: every attribute has one other as parent",
    .source = "[friedman1997]; Weka 3.6 BayesNet, as compared in [li2014]",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_WEIGHTS | HEFT_SHARDS | HEFT_ESTIMATES,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS,
    .options = options,
    .fit = fit_tan,
    .score = score_tan,
    .state = &state,
    .tables = tables_tan,
    .parts = parts_tan,
    .arcs = arcs_tan,
};
