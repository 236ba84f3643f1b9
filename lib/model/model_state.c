/* model_state.c - the tables of what every model file holds. The bounds keep sums of products
 * finite: a density is at most 1e280 away from 0, a weight at most 1e15, and a model has at most
 * 1e12 attributes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "decide/class_weight.h"
#include "model/model.h"
#include "model/state.h"

#define LARGEST    1e15 /* largest size of weights, logarithms, counts and table cells */
#define JUST_ABOVE 1e-6 /* how far above 0 rounding may bring the logarithm of a probability */

#define A &heft_dim_attrs
#define K &heft_dim_classes

/* A check of one record: `expr` must hold for every k below n. */
#define MUST_ALL(id, k, n, expr, text)                                                             \
    static const char *id(const heft_at *at)                                                       \
    {                                                                                              \
        for (size_t k = 0; k < (n); k++)                                                           \
            if (!(expr)) return (text);                                                            \
        return NULL;                                                                               \
    }

static const char DISAGREE[] = "the counts contradict one another";

static const heft_attr_prep *attr_at(const heft_at *at)
{
    return &at->model->prep.attr[at->r];
}

static const heft_lik *lik_at(const heft_at *at)
{
    return &at->model->fitted.lik[at->r];
}

static size_t n_class(const heft_at *at)
{
    return at->model->fitted.n_class;
}

/* ---- settings and preparation ---- */

/* Reports an error of a function that does not know of files with the name of the tensor.
 * Parameters and settings of a file are checked by the functions that check those of users. */
static heft_status in_tensor(const heft_loading *l, const char *tensor, heft_status st)
{
    char what[sizeof l->ctx->err->text];
    if (st != HEFT_EINVAL) return st;
    memcpy(what, l->ctx->err->text, sizeof what);
    return heft_file_damaged(l->ctx, l->file, "tensor '%s': %.250s", tensor, what);
}

/* Parse the method's parameters. Those that the file does not have get their defaults. */
static heft_status parse_params(const heft_loading *l, void *root)
{
    heft_model        *m = root;
    const heft_option *options = m->method->options;
    heft_value        *values;
    const char *const *list;
    size_t             n = 0;
    HEFT_CHECK(heft_params_list(l->ctx, m->param_names, m->param_values, m->n_params,
                                &l->ctx->scratch, &list));
    HEFT_CHECK(in_tensor(l, "parameter.value",
                         heft_params_parse(l->ctx, m->method, list, false, l->arena, &values)));
    if (options)
        while (options[n].name) n++;
    HEFT_ALLOCS(l->ctx, l->arena, n, m->param_names, m->param_values);
    HEFT_KNOWN((values && options) || n == 0);
    for (size_t k = 0; k < n; k++) {
        HEFT_CHECK(heft_arena_copy(l->ctx, l->arena, options[k].name, &m->param_names[k]));
        HEFT_CHECK(heft_arena_copy(l->ctx, l->arena, values[k].as_text, &m->param_values[k]));
    }
    m->n_params = n;
    return HEFT_OK;
}

static heft_status parse_settings(const heft_loading *l, void *root)
{
    const heft_model *m = root;
    heft_smoothing    smoothing;
    heft_prior_spec   prior;
    HEFT_CHECK(in_tensor(l, "setting.smoothing",
                         heft_smoothing_parse(l->ctx, m->set.smoothing, &smoothing)));
    return in_tensor(
        l, "setting.prior",
        heft_prior_parse(l->ctx, m->set.prior, m->prep.classes, &l->ctx->scratch, &prior));
}

static heft_status parse_class_weight(const heft_loading *l, void *root)
{
    heft_kept_settings *set = &((heft_model *)root)->set;
    bool                balanced;
    if (set->class_weight && !set->class_weight[0]) set->class_weight = NULL;
    if (!set->class_weight) return HEFT_OK;
    return in_tensor(l, "setting.class_weight",
                     heft_class_weight_parse(l->ctx, set->class_weight, NULL, NULL, &balanced));
}

static heft_status set_sizes(const heft_loading *l, void *root)
{
    heft_model *m = root;
    m->prep.arena = l->arena;
    m->fitted.n_attr = m->prep.n_attr;
    m->fitted.n_class = heft_dict_size(m->prep.classes);
    return HEFT_OK;
}

/* Find the selection of attributes in files of earlier versions, which have it only in a fact such
 * as "cfs: 3 of 8 attributes". */
static heft_status find_selection(const heft_loading *l, void *root)
{
    heft_model          *m = root;
    const heft_training *t = &m->fitted.training;
    heft_kept_settings  *set = &m->set;
    if (!set->seed)
        for (size_t k = 0; k < t->n_facts; k++) {
            const char *text = t->facts[k].text, *end = text ? strstr(text, ": ") : NULL;
            if (!end || strcmp(t->facts[k].name, "select") != 0) continue;
            HEFT_ALLOCS(l->ctx, l->arena, 1, set->given, set->value);
            HEFT_CHECK(heft_arena_copy(l->ctx, l->arena, "select", &set->given[0]));
            HEFT_CHECK(heft_arena_copy(l->ctx, l->arena, text, &set->value[0]));
            set->value[0][end - text] = 0;
            set->n_given = 1;
            return HEFT_OK;
        }
    return HEFT_OK;
}

/* Refuse a file whose preparation makes rows that its method cannot read. */
static heft_status check_method(const heft_loading *l, void *root)
{
    const heft_model  *m = root;
    const heft_method *method = m->method;
    if (m->prep.sparse && !(method->caps & HEFT_TAKES_SPARSE))
        return heft_file_damaged(
            l->ctx, l->file, "tensor 'prep.sparse': method %s has no sparse form", method->name);
    for (size_t j = 0; j < m->prep.n_attr && !(method->caps & HEFT_TAKES_NUMBERS); j++)
        if (m->prep.attr[j].kind == HEFT_NUMERIC && !m->prep.attr[j].cut)
            return heft_file_damaged(l->ctx, l->file,
                                     "tensor 'attr.cut': method %s takes no numbers", method->name);
    return HEFT_OK;
}

static const char *mark_fault(const heft_at *at)
{
    const char *mark = at->model->prep.decimal_mark;
    return !mark || (strlen(mark) == 1 && (unsigned char)*mark < 0x7f &&
                     !strchr("0123456789+-\"\n", *mark))
               ? NULL
               : "it is not one character that can mark decimals";
}

static const char *positive_fault(const heft_at *at)
{
    const heft_prep *prep = &at->model->prep;
    if (!prep->positive) return NULL;
    return heft_dict_size(prep->classes) == 2 &&
                   heft_dict_find(prep->classes, prep->positive, strlen(prep->positive)) < 2
               ? NULL
               : "it is not one of two classes";
}

HEFT_MUST(name_fault, attr_at(at)->name[0], "it has no name")
HEFT_MUST(mdl_fault,
          at->model->prep.spec.cutting != HEFT_CUT_MDL || at->model->prep.spec.mdl_scale > 0,
          "it is not above 0")

static const char *fill_fault(const heft_at *at)
{
    const heft_attr_prep *a = attr_at(at);
    if (!a->has_fill || a->kind == HEFT_NUMERIC) return NULL;
    return a->fill >= 0 && a->fill < (double)heft_dict_size(a->dict) && a->fill == floor(a->fill)
               ? NULL
               : "its fill is not one of its values";
}

HEFT_MUST(cut_fault, !attr_at(at)->cut || attr_at(at)->kind == HEFT_NUMERIC,
          "nominal values cannot be discretised")
HEFT_MUST(n_cuts_fault, attr_at(at)->cut || !attr_at(at)->n_cuts,
          "an attribute that is not cut has cuts")

static const heft_each attrs = {.what = "attribute", HEFT_EACH(heft_model, prep.attr, prep.n_attr)};

HEFT_DIM(nominal, "attr.kind is 1", attr_at(at)->kind == HEFT_NOMINAL);
HEFT_DIM(cuts, "attr.n_cuts", attr_at(at)->n_cuts);
HEFT_DIM(params, "parameters", at->model->n_params);
HEFT_DIM(any_given, "settings given", at->model->set.n_given);

/* ---- likelihoods ---- */

HEFT_DIM(additive, "the method has an additive score",
         !at->model->method->score || at->model->method->caps & HEFT_ADDITIVE);
HEFT_DIM(is_table, "lik.kind is 0", lik_at(at)->kind == HEFT_LIK_TABLE);
HEFT_DIM(is_normal, "lik.kind is 1 or 2",
         lik_at(at)->kind == HEFT_LIK_NORMAL || lik_at(at)->kind == HEFT_LIK_ROUNDED);
HEFT_DIM(is_rounded, "lik.kind is 2", lik_at(at)->kind == HEFT_LIK_ROUNDED);
HEFT_DIM(is_kernel, "lik.kind is 3", lik_at(at)->kind == HEFT_LIK_KERNEL);
HEFT_DIM(table_lines, "(values + 2)", (size_t)lik_at(at)->n_codes + 2);
HEFT_DIM(class_bounds, "K + 1", n_class(at) + 1);
HEFT_DIM(points, "points", lik_at(at)->start[n_class(at)]);

static const heft_each liks = {
    .what = "attribute", HEFT_EACH(heft_model, fitted.lik, fitted.n_attr), .optional = true};

HEFT_MUST(kind_fault, heft_attr_of(attr_at(at)).coded == (lik_at(at)->kind == HEFT_LIK_TABLE),
          "its likelihood is of another kind")

static heft_status set_codes(const heft_loading *l, void *root)
{
    heft_model *m = root;
    (void)l;
    for (size_t j = 0; j < m->prep.n_attr; j++)
        m->fitted.lik[j].n_codes = heft_attr_codes(&m->prep.attr[j]);
    return HEFT_OK;
}

MUST_ALL(table_fault, c, n_class(at), lik_at(at)->table[lik_at(at)->n_codes * n_class(at) + c] == 0,
         "its line of missing cells is not 0")
MUST_ALL(sd_fault, c, n_class(at),
         lik_at(at)->sd[c] >= DBL_MIN ||
             (lik_at(at)->kind != HEFT_LIK_ROUNDED && lik_at(at)->sd[c] == 0),
         "a standard deviation is out of range")
HEFT_MUST(start_fault, points_of(at) || lik_at(at)->silent, "it has no points")

static const char UNORDERED[] = "the values of a class do not increase";

/* Whether the numbers start[c]..start[c + 1]-1 of x increase, for each class c. */
static bool rises(const size_t *start, const double *x, size_t n)
{
    for (size_t c = 0; c < n; c++)
        for (size_t k = start[c] + 1; k < start[c + 1]; k++)
            if (!(x[k] > x[k - 1])) return false;
    return true;
}

HEFT_MUST(point_fault, rises(lik_at(at)->start, lik_at(at)->point, n_class(at)), UNORDERED)

static const char *prior_fault(const heft_at *at)
{
    for (size_t c = 0; c < at->model->fitted.n_class; c++)
        if (isfinite(at->model->fitted.log_prior[c])) return NULL;
    return "every class has probability 0";
}

/* ---- weights, training, calibration ---- */

HEFT_DIM(by_value, "weight.shape is 3", at->model->fitted.weights.shape == HEFT_W_VALUE);
HEFT_DIM(attr_bounds, "A + 1", at->model->fitted.n_attr + 1);
HEFT_DIM(measured, "importance is there", at->model->fitted.importance != NULL);
HEFT_DIM(weighted, "weight.shape is not 0", at->model->fitted.weights.shape != HEFT_W_ONE);

static size_t n_weights(const heft_at *at)
{
    const heft_fitted *f = &at->model->fitted;
    size_t             n = f->n_attr;
    if (f->weights.shape == HEFT_W_VALUE) return f->weights.offset[n];
    return f->weights.shape == HEFT_W_CLASS && !heft_product(n, f->n_class, &n) ? SIZE_MAX : n;
}

static const heft_dim weights = {"A, A x K or values", n_weights};

MUST_ALL(offset_fault, j, at->model->prep.n_attr,
         at->model->fitted.weights.offset[j + 1] - at->model->fitted.weights.offset[j] ==
             heft_attr_codes(&at->model->prep.attr[j]),
         "the weights do not fit the values")

static const heft_each facts = {
    .what = "fact",
    HEFT_EACH(heft_model, fitted.training.facts, fitted.training.n_facts),
    .in_place = true};

HEFT_DIM(calibrated, "calibration.kind is there",
         at->model->calibration.kind != HEFT_CALIBRATE_NONE);
HEFT_DIM(scaled, "calibration.scale is there", at->model->calibration.scale != NULL);
MUST_ALL(map_fault, c, n_class(at),
         at->model->calibration.kind == HEFT_VECTOR ||
             (at->model->calibration.scale[c] == at->model->calibration.scale[0] &&
              at->model->calibration.shift[c] == 0),
         "a temperature is one factor for all classes")

/* ---- decisions ---- */

static const heft_decision *rule_at(const heft_at *at)
{
    return &at->model->decision;
}

HEFT_DIM(by_threshold, "decision.kind is 1", rule_at(at)->kind == HEFT_THRESHOLD);
HEFT_DIM(has_cost, "decision.kind is 2, or decision.tuned is 4",
         rule_at(at)->kind == HEFT_LEAST_COST || rule_at(at)->tuned == HEFT_TUNE_COST);
HEFT_MUST(rule_fault, rule_at(at)->kind != HEFT_THRESHOLD || n_class(at) == 2,
          "a threshold needs two classes")
HEFT_MUST(tuned_fault, !rule_at(at)->tuned || rule_at(at)->kind == HEFT_THRESHOLD,
          "only a threshold is chosen on held-out rows")

/* ---- sufficient statistics ---- */

static const heft_suffstats *stats_at(const heft_at *at)
{
    return at->root;
}

static heft_status contradiction(const heft_loading *l, const char *tensor)
{
    return heft_file_damaged(l->ctx, l->file, "tensor '%s': %s", tensor, DISAGREE);
}

static heft_status begin_stats(const heft_loading *l, void *root)
{
    heft_suffstats  *t = root;
    const heft_prep *prep = &l->model->prep;
    t->n_attr = t->counts.n_attr = prep->n_attr;
    t->n_class = t->counts.n_class = l->model->fitted.n_class;
    HEFT_ALLOC(l->ctx, l->arena, t->attr, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) t->attr[j] = heft_attr_of(&prep->attr[j]);
    return HEFT_OK;
}

static heft_status add_up(const heft_loading *l, void *root)
{
    heft_counts *n = &((heft_suffstats *)root)->counts;
    for (size_t c = 0; c < n->n_class; c++) n->total += n->class_sum[c];
    return n->total > 0 ? HEFT_OK : contradiction(l, "suffstats.class");
}

HEFT_DIM(coded, "coded", stats_at(at)->attr[at->r].coded);
HEFT_DIM(numeric, "not coded", !stats_at(at)->attr[at->r].coded);
HEFT_DIM(count_lines, "(values + 2)", (size_t)stats_at(at)->attr[at->r].n_codes + 2);
HEFT_DIM(n_sums, "7", HEFT_N_SUMS);
HEFT_DIM(has_sums, "suffstats.sum is there", stats_at(at)->sums.by_class != NULL);
HEFT_DIM(has_stats, "suffstats.class is there", at->model->suffstats != NULL);
HEFT_DIM(n_values, "points", stats_at(at)->values[at->r].start[stats_at(at)->n_class]);

static size_t n_numeric(const heft_at *at)
{
    size_t n = 0;
    for (size_t j = 0; j < stats_at(at)->n_attr; j++) n += !stats_at(at)->attr[j].coded;
    return n;
}

static const heft_dim numerics = {"numeric attributes", n_numeric};

/* The number of pairs of values of different attributes: (sum^2 - sum of squares) / 2 of the
 * numbers of values. SIZE_MAX where it is too large, or an attribute is not coded. */
static size_t n_pairs(const heft_at *at)
{
    size_t before = 0, n = 0, more;
    for (size_t j = 0; j < stats_at(at)->n_attr; j++) {
        const heft_attr *a = &stats_at(at)->attr[j];
        if (!a->coded || !heft_product(before, a->n_codes, &more) || more > SIZE_MAX / 16 - n)
            return SIZE_MAX;
        n += more;
        before += a->n_codes;
    }
    return n;
}

static const heft_dim pairs = {"pairs of values", n_pairs};

static const heft_each cells = {.what = "attribute",
                                HEFT_EACH(heft_suffstats, counts.cell, n_attr)};
static const heft_each values = {
    .what = "attribute", HEFT_EACH(heft_suffstats, values, n_attr), .optional = true};

MUST_ALL(cells_fault, v, count_lines_of(at),
         heft_is_part(stats_at(at)->counts.cell[at->r] + v * n_class(at),
                      stats_at(at)->counts.class_sum, n_class(at)),
         DISAGREE)

/* Allocate the sums, and put those there that were read from the file. */
static heft_status bind_sums(const heft_loading *l, void *root)
{
    heft_suffstats *t = root;
    const double   *read = t->sums.cells;
    HEFT_CHECK(heft_sums_new(l->ctx, t->attr, t->n_attr, t->n_class, l->arena, &t->sums));
    const size_t n = t->sums.n_numeric * t->n_class;
    if (n) memcpy(t->sums.cells, read, n * HEFT_N_SUMS * sizeof *read);
    t->sums.from_zero = l->model->prep.sparse;
    for (size_t k = 0; k < n; k++) {
        const double *line = t->sums.cells + k * HEFT_N_SUMS, unlike = line[HEFT_SUM_UNLIKE];
        if (!heft_is_part(&line[HEFT_SUM_N], &t->counts.class_sum[k % t->n_class], 1) ||
            (unlike != 0 && unlike != 1) || !(line[HEFT_SUM_XX] >= 0))
            return contradiction(l, "suffstats.sum");
    }
    return HEFT_OK;
}

MUST_ALL(scale_fault, k, stats_at(at)->sums.n_numeric,
         stats_at(at)->sums.scale[k] == 1 || stats_at(at)->sums.scale[k] == HEFT_SUM_SCALE_SMALL,
         "it is no scale")
HEFT_MUST(values_fault,
          rises(stats_at(at)->values[at->r].start, stats_at(at)->values[at->r].x, n_class(at)),
          UNORDERED)

/* The weights of the values of an attribute cannot sum to more than the weight of the class. */
static const char *value_weight_fault(const heft_at *at)
{
    const heft_values *v = &stats_at(at)->values[at->r];
    for (size_t c = 0; c < stats_at(at)->n_class; c++) {
        double sum = 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) sum += v->w[k];
        if (!heft_is_part(&sum, &stats_at(at)->counts.class_sum[c], 1)) return DISAGREE;
    }
    return NULL;
}

static heft_status bind_pairs(const heft_loading *l, void *root)
{
    heft_suffstats *t = root;
    double         *read = t->pairs.cell;
    uint32_t       *n_codes;
    HEFT_ALLOC(l->ctx, &l->ctx->scratch, n_codes, t->n_attr);
    for (size_t j = 0; j < t->n_attr; j++) n_codes[j] = t->attr[j].n_codes;
    HEFT_CHECK(heft_pair_counts_plan(l->ctx, n_codes, t->n_attr, t->n_class, 0, "of the model",
                                     l->arena, &t->pairs));
    t->pairs.cell = read;
    return heft_pair_counts_agree(&t->pairs, t->counts.cell) ? HEFT_OK
                                                             : contradiction(l, "suffstats.pair");
}

static const heft_tensor stats_fields[] = {
    {"suffstats.class", HEFT_F64, HEFT_ARRAY(heft_suffstats, counts.class_sum), .dims = {K},
     .hi = LARGEST, .then = add_up, .help = "weight of the training rows by class"},
    {"suffstats.value", HEFT_F64, .member.size = sizeof(double), .member.pointer = true,
     .each = &cells, .where = &coded, .dims = {&count_lines, K}, .hi = LARGEST,
     .check = cells_fault, .help = "counts, laid out as lik.table"},
    {"suffstats.sum", HEFT_F64, HEFT_ARRAY(heft_suffstats, sums.cells), .optional = true,
     .dims = {&numerics, K, &n_sums}, .then = bind_sums,
     .help = "weight, 1 when the values differ, least value a, sum of x - a (two numbers to be "
             "added), sum of (x - a)^2 (two numbers); a is 0 in sparse models"},
    {"suffstats.scale", HEFT_F64, HEFT_ARRAY(heft_suffstats, sums.scale), .where = &has_sums,
     .dims = {&numerics}, .check = scale_fault, .help = "factor of the values in suffstats.sum"},
    {"suffstats.start", HEFT_U64, HEFT_ARRAY(heft_values, start), .each = &values, .optional = true,
     .where = &numeric, .dims = {&class_bounds}, .order = HEFT_OFFSETS,
     .help = "distinct values of class c are start[c] to start[c + 1] - 1"},
    {"suffstats.point", HEFT_F64, HEFT_ARRAY(heft_values, x), .each = &values, .where = &numeric,
     .dims = {&n_values}, .check = values_fault, .help = "the distinct values by class"},
    {"suffstats.weight", HEFT_F64, HEFT_ARRAY(heft_values, w), .each = &values, .where = &numeric,
     .dims = {&n_values}, .lo = DBL_TRUE_MIN, .hi = LARGEST, .check = value_weight_fault,
     .help = "their weight"},
    {"suffstats.pair", HEFT_F64, HEFT_ARRAY(heft_suffstats, pairs.cell), .optional = true,
     .dims = {&pairs, K}, .hi = LARGEST, .then = bind_pairs,
     .help = "counts of two values of different attributes (stats/counts.h)"},
    {.name = NULL}};

static const heft_state stats_state = {.title = "Sufficient statistics, for merging",
                                       .size = sizeof(heft_suffstats),
                                       .begin = begin_stats,
                                       .fields = stats_fields,
                                       .optional = true};

/* ---- the model ---- */

#define MODEL(member)  HEFT_VALUE(heft_model, member)
#define ARRAY(member)  HEFT_ARRAY(heft_model, member)
#define ATTR(member)   HEFT_VALUE(heft_attr_prep, member), .each = &attrs
#define LIK(member)    HEFT_ARRAY(heft_lik, member), .each = &liks
#define FACT(member)   HEFT_VALUE(heft_fact, member), .each = &facts
#define RECORD(member) HEFT_VALUE(heft_model, fitted.training.member)

static const heft_tensor model_fields[] = {
    {"parameter.name", ARRAY(param_names), .content = HEFT_TEXTS, HEFT_COUNTS(heft_model, n_params),
     .help = "the method's options"},
    {"parameter.value", ARRAY(param_values), .content = HEFT_TEXTS, .dims = {&params},
     .then = parse_params, .help = "their values as used"},
    {"target", MODEL(prep.target), .content = HEFT_TEXTS, .help = "name of the class column"},
    {"class", MODEL(prep.classes), .content = HEFT_DICTS, .length.least = 1,
     .length.most = UINT16_MAX - 1, .help = "names of the K classes"},
    {"positive", MODEL(prep.positive), .content = HEFT_TEXTS, .optional = true,
     .check = positive_fault, .help = "the positive class; the other one is the rest"},
    {"decimal_mark", MODEL(prep.decimal_mark), .content = HEFT_TEXTS, .optional = true,
     .check = mark_fault, .help = "decimal mark of the training data, where it is not a point"},
    {"missing", MODEL(prep.missing), .content = HEFT_TEXTS, .optional = true,
     .help = "marks of missing values in the training data, besides the usual"},
    {"setting.smoothing", MODEL(set.smoothing), .content = HEFT_TEXTS,
     .help = "smoothing, in the words of the settings"},
    {"setting.prior", MODEL(set.prior), .content = HEFT_TEXTS, .then = parse_settings,
     .help = "prior, as written on the command line"},
    {"setting.class_weight", MODEL(set.class_weight), .content = HEFT_TEXTS, .optional = true,
     .then = parse_class_weight, .help = "weights of classes, as written on the command line"},
    {"setting.seed", HEFT_U64, MODEL(set.seed), .optional = true,
     .help = "seed of the fit; absent: the file does not tell which settings were given"},
    {"setting.given", ARRAY(set.given), .content = HEFT_TEXTS, .optional = true,
     HEFT_COUNTS(heft_model, set.n_given), .help = "names of the settings that were given"},
    {"setting.value", ARRAY(set.value), .content = HEFT_TEXTS, .optional = true,
     .absent.needed = &any_given, .dims = {&any_given}, .help = "their values as they were given"},
    {"prep.impute", HEFT_U8, MODEL(prep.spec.impute), .hi = 1,
     .help = "1: missing cells are filled"},
    {"prep.cutting", HEFT_U8, MODEL(prep.spec.cutting), .hi = HEFT_CUT_PRESENCE,
     .help = "0 none, 1 width, 2 frequency, 3 mdl, 4 presence"},
    {"prep.bins", HEFT_U32, MODEL(prep.spec.bins), .help = "intervals of width and frequency"},
    {"prep.mdl_scale", HEFT_F64, MODEL(prep.spec.mdl_scale), .check = mdl_fault,
     .help = "factor of mdl's threshold"},
    {"prep.scaling", HEFT_U8, MODEL(prep.spec.scaling), .hi = HEFT_SCALE_RANGE,
     .help = "0 none, 1 minmax, 2 unit, 3 range"},
    {"prep.unseen_zero", HEFT_U8, MODEL(prep.spec.unseen_zero), .hi = 1,
     .help = "1: unseen values count as 0, otherwise as missing"},
    {"prep.sparse", HEFT_U8, MODEL(prep.sparse), .hi = 1, .help = "1: prepared rows are sparse"},
    {"attr.name", ATTR(name), .content = HEFT_TEXTS, HEFT_COUNTS(heft_model, prep.n_attr),
     .order = HEFT_DISTINCT, .check = name_fault, .then = set_sizes,
     .help = "names of the A attributes"},
    {"attr.kind", HEFT_U8, ATTR(kind), .hi = HEFT_NOMINAL, .help = "0 numeric, 1 nominal"},
    {"attr.value", ATTR(dict), .content = HEFT_DICTS, .where = &nominal,
     .help = "values of all nominal attributes, one attribute after another"},
    {"attr.has_fill", HEFT_U8, ATTR(has_fill), .hi = 1, .optional = true,
     .help = "1: missing cells are filled"},
    {"attr.fill", HEFT_F64, ATTR(fill), .optional = true, .check = fill_fault,
     .help = "with this number or code"},
    {"attr.shift", HEFT_F64, ATTR(shift), .optional = true, .help = "x becomes (x - shift) factor"},
    {"attr.factor", HEFT_F64, ATTR(factor), .optional = true, .absent.fallback = 1,
     .help = "x becomes (x - shift) factor"},
    {"attr.cut", HEFT_U8, ATTR(cut), .hi = 1, .optional = true, .check = cut_fault,
     .help = "1: cut into n_cuts + 1 intervals"},
    {"attr.n_cuts", HEFT_U32, ATTR(n_cuts), .hi = UINT32_MAX - 4.0, .optional = true,
     .check = n_cuts_fault, .help = "number of cuts"},
    {"attr.cuts", HEFT_F64, HEFT_ARRAY(heft_attr_prep, cuts), .each = &attrs, .dims = {&cuts},
     .order = HEFT_RISING, .then = check_method, .help = "the cuts, in scaled units"},
    {"attr.flat", HEFT_U8, ATTR(flat), .hi = 1, .optional = true,
     .help = "1: all numbers it was cut from are equal"},

    {"log_prior", HEFT_F64, ARRAY(fitted.log_prior), .dims = {K}, .optional = true,
     .absent.needed = &additive, .lo = -LARGEST, .hi = JUST_ABOVE, .infinite = true,
     .check = prior_fault, .help = "log P(c); -inf: the class is never predicted"},
    {"bias", HEFT_F64, ARRAY(fitted.bias), .dims = {K}, .optional = true, .lo = -1e100, .hi = 1e100,
     .help = "added to the score of each class"},
    {"lik.kind", HEFT_U8, HEFT_VALUE(heft_lik, kind), .each = &liks, .optional = true,
     .absent.needed = &additive, .hi = HEFT_LIK_KERNEL, .check = kind_fault, .then = set_codes,
     .help = "0 table, 1 normal, 2 rounded normal, 3 kernel"},
    {"lik.silent", HEFT_U8, HEFT_VALUE(heft_lik, silent), .each = &liks, .hi = 1,
     .help = "1: the same in all classes"},
    {"lik.table", HEFT_F64, LIK(table), .where = &is_table, .dims = {&table_lines, K},
     .lo = -LARGEST, .hi = LARGEST, .check = table_fault,
     .help = "log P(value given c), value by value, then missing and unseen"},
    {"lik.mean", HEFT_F64, LIK(mean), .where = &is_normal, .dims = {K}, .help = "means"},
    {"lik.sd", HEFT_F64, LIK(sd), .where = &is_normal, .dims = {K}, .hi = DBL_MAX,
     .check = sd_fault, .help = "standard deviations; 0: a point mass"},
    {"lik.precision", HEFT_F64, HEFT_VALUE(heft_lik, precision), .each = &liks,
     .where = &is_rounded, .lo = DBL_MIN, .hi = DBL_MAX,
     .help = "the values are rounded to multiples of this"},
    {"lik.start", HEFT_U64, LIK(start), .where = &is_kernel, .dims = {&class_bounds},
     .order = HEFT_OFFSETS, .check = start_fault,
     .help = "points of class c are start[c] to start[c + 1] - 1"},
    {"lik.point", HEFT_F64, LIK(point), .where = &is_kernel, .dims = {&points},
     .check = point_fault, .help = "distinct training values by class"},
    {"lik.log_mass", HEFT_F64, LIK(log_mass), .where = &is_kernel, .dims = {&points},
     .lo = -LARGEST, .hi = JUST_ABOVE, .help = "log of their share of the class"},
    {"lik.width", HEFT_F64, LIK(width), .where = &is_kernel, .dims = {K}, .lo = DBL_MIN,
     .hi = DBL_MAX, .help = "bandwidths"},
    {"weight.shape", HEFT_U8, MODEL(fitted.weights.shape), .hi = HEFT_W_VALUE,
     .help = "0 all 1, 1 by attribute, 2 by attribute and class, 3 by value"},
    {"weight.folded", HEFT_U8, MODEL(fitted.weights.folded), .hi = 1,
     .help = "1: the weights are already part of the likelihoods"},
    {"weight.prior", HEFT_F64, MODEL(fitted.weights.w0), .lo = -LARGEST, .hi = LARGEST,
     .help = "weight of the prior"},
    {"weight.offset", HEFT_U64, ARRAY(fitted.weights.offset), .where = &by_value,
     .dims = {&attr_bounds}, .order = HEFT_OFFSETS, .check = offset_fault,
     .help = "weights of attribute j are offset[j] to offset[j + 1] - 1"},
    {"weight", HEFT_F64, ARRAY(fitted.weights.w), .where = &weighted, .dims = {&weights},
     .lo = -LARGEST, .hi = LARGEST, .help = "the weights"},
    {"importance", HEFT_F64, ARRAY(fitted.importance), .dims = {A}, .optional = true,
     .lo = -LARGEST, .hi = LARGEST,
     .help = "rise of the mean held-out loss if what the attribute says is left out"},
    {"importance.error", HEFT_F64, ARRAY(fitted.importance_error), .where = &measured, .dims = {A},
     .hi = LARGEST, .help = "its standard error"},

    {"training.rows", HEFT_F64, RECORD(rows), .hi = DBL_MAX, .help = "sum of the rows' weights"},
    {"training.iterative", HEFT_U8, RECORD(iterative), .hi = 1,
     .help = "1: the fit was iterative, and the next six are set"},
    {"training.iterations", HEFT_U32, RECORD(iterations), .hi = 1e9, .help = "iterations"},
    {"training.evaluations", HEFT_U32, RECORD(evaluations), .hi = 1e9,
     .help = "evaluations of the objective"},
    {"training.objective_initial", HEFT_F64, RECORD(objective_initial),
     .help = "objective before the first iteration"},
    {"training.objective_final", HEFT_F64, RECORD(objective_final),
     .help = "objective after the last iteration"},
    {"training.converged", HEFT_U8, RECORD(converged), .hi = 1, .help = "1: the fit converged"},
    {"training.stopped_by", RECORD(stopped_by), .content = HEFT_TEXTS, .optional = true,
     .help = "why the fit stopped"},
    {"training.seconds", HEFT_F64, RECORD(seconds), .hi = DBL_MAX, .help = "time of the fit"},
    {"training.n_keys", HEFT_U64, MODEL(fingerprint.n_rows), .optional = true,
     .help = "rows that training.key_sum is of; 0: not known"},
    {"training.key_sum", HEFT_U64, MODEL(fingerprint.sum), .optional = true,
     .help = "sum of 32-bit keys of the training rows (model/fingerprint.c)"},
    {"fact.name", FACT(name), .content = HEFT_TEXTS, .length.most = HEFT_MAX_FACTS,
     HEFT_COUNTS(heft_model, fitted.training.n_facts),
     .help = "names of other facts that the method reports"},
    {"fact.text", FACT(text), .content = HEFT_TEXTS, .optional = true,
     .help = "their values as text; empty: a number"},
    {"fact.number", HEFT_F64, FACT(number), .then = find_selection,
     .help = "their values as numbers"},
    {"calibration.kind", HEFT_U8, MODEL(calibration.kind), .optional = true, .lo = 1,
     .hi = HEFT_VECTOR, .help = "1 temperature, 2 vector"},
    {"calibration.scale", HEFT_F64, ARRAY(calibration.scale), .optional = true,
     .where = &calibrated, .dims = {K}, .hi = LARGEST, .help = "factor of each class's score"},
    {"calibration.shift", HEFT_F64, ARRAY(calibration.shift), .where = &scaled, .dims = {K},
     .lo = -LARGEST, .hi = LARGEST, .check = map_fault, .help = "added to it"},
    {"decision.kind", HEFT_U8, MODEL(decision.kind), .optional = true, .hi = HEFT_LEAST_COST,
     .check = rule_fault,
     .help = "0 the most probable class, 1 by a threshold, 2 of least expected cost"},
    {"decision.chosen", HEFT_U32, MODEL(decision.chosen), .where = &by_threshold, .hi = 1,
     .help = "the class that is predicted"},
    {"decision.threshold", HEFT_F64, MODEL(decision.threshold), .where = &by_threshold, .hi = 1,
     .help = "from this probability on"},
    {"decision.tuned", HEFT_U8, MODEL(decision.tuned), .optional = true, .hi = HEFT_TUNE_COST,
     .check = tuned_fault,
     .help = "the threshold was chosen on held-out rows by 1 balanced accuracy, 2 F1, 3 Matthews "
             "correlation, 4 cost"},
    {"decision.cost", HEFT_F64, ARRAY(decision.cost), .where = &has_cost, .dims = {K, K},
     .hi = HEFT_MOST_COST, .help = "costs, actual by predicted class"},
    {.name = "suffstats",
     .member.at = offsetof(heft_model, suffstats),
     .member.pointer = true,
     .part.state = &stats_state},
    {"suffstats.filled", HEFT_U8, ARRAY(filled), .where = &has_stats, .dims = {A}, .hi = 1,
     .help = "1: a training cell of the attribute was imputed"},
    {.name = "own",
     .member.at = offsetof(heft_model, fitted.own),
     .member.pointer = true,
     .part.own = true},
    {.name = NULL}};

const heft_state heft_model_state = {
    .title = "Every model", .size = sizeof(heft_model), .fields = model_fields};
