/* inspect.c - what a model learned, as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/marks.h"
#include "explain/explain.h"
#include "explain/terms.h"
#include "methods/references.h"
#include "model/config.h"
#include "model/describe.h"

enum { SHOWN_CLASSES = 4, LISTED_CLASSES = 30, LISTED = 10, SHOWN_PARENTS = 4, BAR = 10 };

typedef struct view { /* a model as it is shown */
    heft_terms      t;
    double         *prior; /* sums to 1 */
    heft_attr_rank *order;
    bool            differ; /* not all weights are equal */
    heft_arc       *arc;    /* by child, the heaviest first */
    size_t          n_arcs;
    size_t         *first_arc; /* n_attr + 1: arcs of attribute j begin at first_arc[j] */
} view;

static const char *kind_of(const view *v, size_t j)
{
    return v->t.model->prep.attr[j].kind == HEFT_NUMERIC ? "numeric" : "nominal";
}

/* ---- text ---- */

void heft_inspect_fit(heft_buf *out, const heft_training *t)
{
    heft_put(out, "%s", HEFT_COUNT_OF((size_t)t->iterations, "iteration"));
    if (!t->converged && !t->stopped_by) heft_put(out, " (a fixed number)");
    if (t->objective_initial != 0 || t->objective_final != 0) /* some fits have none */
        heft_put(out, ", objective %6g to %6g", t->objective_initial, t->objective_final);
    if (t->converged || t->stopped_by)
        heft_put(out, t->converged ? ", converged" : ", not converged");
    if (t->stopped_by) heft_put(out, ": %120q", t->stopped_by);
}

const char *heft_fact_title(const char *name, char *title)
{
    static const char *const words[][2] = {{"E", "E at the end"},
                                           {"E_0", "E at the start"},
                                           {"selection_rate", "share of weights above 0"},
                                           {"selected_union", "selected in any class"},
                                           {"w0", "weight of the prior"},
                                           {"without_weight", "attributes without weight"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(name, words[k][0]) == 0) name = words[k][1];
    snprintf(title, HEFT_TITLE_BYTES, "%s", name);
    for (char *c = title; *c; c++)
        if (*c == '_') *c = ' ';
    return title;
}

/* Writes what the model is, before what it has learned. */
static void write_head(const view *v, heft_buf *out)
{
    const heft_model    *model = v->t.model;
    const heft_training *t = &model->fitted.training;
    heft_grid            grid = {.n_cols = 2, .align = "l"};
    heft_buf            *text = &grid.text;
    heft_put(out, "%s: %s\n\n", model->method->name, model->method->title);
    heft_put(text, "target\t%40q (%s), predicted from %s%s", model->prep.target,
             HEFT_COUNT_OF(v->t.n_class, "class"), HEFT_COUNT_OF(v->t.n_attr, "attribute"),
             model->prep.sparse ? ", sparse" : "");
    if (model->decision.kind != HEFT_MOST_PROBABLE) {
        heft_put(text, "\tdecision\t");
        heft_decision_tell(text, &model->decision, model->prep.classes);
    }
    heft_put(text, "\ttrained on\t%10g %s in ", t->rows, t->rows == 1 ? "row" : "rows");
    if (t->seconds < 0.001) heft_put(text, "less than 0.001 s");
    else heft_put(text, "%3g s", t->seconds);
    heft_grid_end(&grid);
    heft_grid_print(&grid, out);
}

/* Writes how the model was made, for those who want to repeat it. */
static void write_making(const view *v, heft_buf *settings, heft_buf *out)
{
    const heft_model    *model = v->t.model;
    const heft_training *t = &model->fitted.training;
    heft_grid            grid = {.n_cols = 2, .align = "l"};
    heft_buf            *text = &grid.text;
    char                 source[HEFT_SOURCE_TEXT];
    heft_source_text(model->method, source, sizeof source);
    heft_put(out, "\nHow the model was made:\n\n");
    heft_put(text, "source\t%s\tsettings\t%s", source, heft_buf_string(settings));
    for (size_t k = 0; k < model->n_params; k++)
        heft_put_marked(text, k ? " {param %40q=%80q}" : "\tparameters\t{param %40q=%80q}",
                        HEFT_PARAM_WORD(model->param_names[k]), model->param_values[k]);
    if (t->iterative) {
        heft_put(text, "\tfit\t");
        heft_inspect_fit(text, t);
    }
    heft_grid_end(&grid);
    for (size_t k = 0; k < t->n_facts; k++) {
        const heft_fact *fact = &t->facts[k];
        char             title[HEFT_TITLE_BYTES];
        heft_fact_title(fact->name, title);
        if (fact->text) heft_grid_put(&grid, "%s\t%120q", title, fact->text);
        else heft_grid_put(&grid, "%s\t%6g", title, fact->number);
    }
    heft_grid_print(&grid, out);
}

static void write_classes(const view *v, heft_buf *out)
{
    heft_grid grid = {.n_cols = 3, .align = "lrl"};
    char      bar[HEFT_BAR];
    if (!v->t.model->fitted.log_prior) return;
    heft_grid_put(&grid, "class\tprior\t");
    for (size_t c = 0; c < v->t.n_class && c < LISTED_CLASSES; c++)
        heft_grid_put(&grid, "%40q\t%4g\t%s", heft_class_name(&v->t, c), v->prior[c],
                      heft_bar(bar, '#', BAR, v->prior[c]));
    heft_put(out, "\n");
    heft_grid_print(&grid, out);
    if (v->t.n_class > LISTED_CLASSES)
        heft_put(out, "(%s)\n", HEFT_COUNT_OF(v->t.n_class - LISTED_CLASSES, "more class"));
}

/* Adds what was learned about attribute j, class by class: the likeliest value and its probability,
 * or mean and standard deviation. */
static void add_learned(const view *v, size_t j, heft_grid *grid)
{
    const heft_term *term = &v->t.attr[j];
    const bool       silent = heft_term_silent(term);
    heft_buf        *text = &grid->text;
    char             value[256];
    if (silent) heft_put(text, "the same in every class");
    if (term->lik && !silent)
        for (size_t c = 0; c < v->t.n_class; c++) {
            double   mean, sd;
            uint32_t best = 0;
            if (c) heft_put(text, c < SHOWN_CLASSES ? " | " : " | ...");
            if (c == SHOWN_CLASSES) break;
            if (term->numeric) {
                if (heft_term_moments(term, c, &mean, &sd)) heft_put(text, "%4g +- %3g", mean, sd);
                else heft_put(text, "no values");
                continue;
            }
            for (uint32_t x = 1; x < term->n_codes; x++)
                if (term->lik->table[x * v->t.n_class + c] >
                    term->lik->table[best * v->t.n_class + c])
                    best = x;
            if (term->n_codes)
                heft_put(text, "%24q %3g",
                         heft_prep_value(&v->t.model->prep, j, best, value, sizeof value),
                         heft_term_share(term, v->t.n_class, best, c));
        }
    heft_grid_end(grid);
}

static void add_weight(const view *v, size_t j, heft_grid *grid)
{
    double lo, hi, size;
    heft_term_weight_range(&v->t, j, &lo, &hi, &size);
    if (v->t.beside) heft_put(&grid->text, v->differ ? "%4g; " : "%4g", v->t.beside[j]);
    if (v->differ) heft_put(&grid->text, "%4g", lo);
    if (hi != lo) heft_put(&grid->text, " to %4g", hi);
    heft_grid_end(grid);
}

static void write_table(const view *v, size_t n, heft_buf *out)
{
    double     most = 0;
    char       bar[HEFT_BAR];
    const bool weighs = v->differ || v->t.beside;
    heft_grid  grid = {.n_cols = 5 + weighs, .align = weighs ? "llrrl" : "llrl"};
    for (size_t j = 0; j < v->t.n_attr; j++) most = fmax(most, v->order[j].bits);
    heft_put(
        out,
        "\n%s.\nbits: how much the attribute alone tells about the class. Then, by class: mean "
        "+- standard\ndeviation, or the most likely value with its probability.\n\n",
        v->differ ? "Attributes, sorted by the size of their weights"
        : v->t.beside
            ? "Attributes, sorted by how much they tell about the class; weight: as a parent of "
              "the others"
            : "All weights are equal; attributes are sorted by how much they tell about the class");
    heft_put(&grid.text, "attribute\tkind%s\tbits\t\t",
             !weighs                           ? ""
             : v->t.beside && v->differ        ? "\tweight; by class"
             : v->t.per == HEFT_PER_CLASS_PAIR ? "\tweight by class pair"
                                               : "\tweight");
    for (size_t c = 0; c < v->t.n_class && c < SHOWN_CLASSES; c++)
        heft_put(&grid.text, "%s%20q", c ? " | " : "", heft_class_name(&v->t, c));
    if (v->t.n_class > SHOWN_CLASSES) heft_put(&grid.text, " | ...");
    heft_grid_end(&grid);
    for (size_t k = 0; k < n; k++) {
        const heft_attr_rank *r = &v->order[k];
        heft_grid_put(&grid, "%40q\t%s", heft_attr_name(&v->t, r->j), kind_of(v, r->j));
        if (weighs) add_weight(v, r->j, &grid);
        heft_grid_put(&grid, "%3g\t%s", r->bits,
                      heft_bar(bar, '#', BAR, most > 0 ? r->bits / most : 0));
        add_learned(v, r->j, &grid);
    }
    heft_grid_print(&grid, out);
}

static void add_evidence(heft_grid *grid, double size, double most)
{
    char bar[HEFT_BAR];
    heft_grid_put(grid, "%4g\t%s", size, heft_bar(bar, '#', BAR, most > 0 ? size / most : 0));
}

/* Writes attributes by their importance on held-out rows. */
static void write_importance(const view *v, size_t n, heft_buf *out)
{
    const heft_fitted *f = &v->t.model->fitted;
    heft_grid          grid = {.n_cols = 7, .align = "llrlrll"};
    const double       most = fmax(f->importance[v->order[0].j], 0);
    heft_put(
        out,
        "\nAttributes, sorted by importance: how much the mean loss of held-out rows rises if "
        "what the\nattribute says is left out, +- two standard errors. Evidence: the mean size "
        "of what it adds to\nthe score of a class, with %s.\n\n",
        heft_joint_shares(&v->t));
    heft_grid_put(&grid, "attribute\tkind\timportance\t\tevidence\t\t");
    for (size_t k = 0; k < n; k++) {
        const size_t j = v->order[k].j;
        char         bar[HEFT_BAR];
        heft_grid_put(&grid, "%40q\t%s\t%3g\t+- %2g\t%4g\t%s\t%s", heft_attr_name(&v->t, j),
                      kind_of(v, j), f->importance[j], HEFT_ERRORS * f->importance_error[j],
                      v->t.size[j],
                      heft_bar(bar, '#', BAR, most > 0 ? fmax(f->importance[j], 0) / most : 0),
                      heft_may_be_noise(&v->t, j) ? "may be noise" : "");
    }
    heft_grid_print(&grid, out);
}

/* Writes attributes by their importance, by their weight, or by the evidence they add, which is the
 * mean size over rows and classes. */
static void write_attributes(const view *v, size_t top, heft_buf *out)
{
    const size_t all = v->t.n_attr, n = top && top < all ? top : all;
    heft_grid    grid = {.n_cols = 4, .align = "llrl"};
    if (v->t.size && v->t.model->fitted.importance) {
        write_importance(v, n, out);
    } else if (v->t.size) {
        heft_put(out,
                 "\nAttributes, sorted by evidence: the mean size of what they add to the "
                 "score of a class.\n"
                 "Each attribute has %s.\n\n",
                 heft_joint_shares(&v->t));
        heft_grid_put(&grid, "attribute\tkind\tevidence\t");
        for (size_t k = 0; k < n; k++) {
            const size_t j = v->order[k].j;
            heft_grid_put(&grid, "%40q\t%s", heft_attr_name(&v->t, j), kind_of(v, j));
            add_evidence(&grid, v->t.size[j], v->t.size[v->order[0].j]);
        }
        heft_grid_print(&grid, out);
    } else {
        write_table(v, n, out);
    }
    if (n < all) heft_put(out, "(%s)\n", HEFT_COUNT_OF(all - n, "more attribute"));
}

/* Writes the strongest pairs or triples. */
static void write_joint(const view *v, int which, size_t top, heft_buf *out)
{
    const heft_joint_list list = heft_joint_list_of(&v->t, which);
    const size_t          usual = list.n < LISTED ? list.n : LISTED;
    const size_t          n = top && top < usual ? top : usual;
    const bool            three = list.n_attr == 3;
    heft_grid             grid = {.n_cols = list.n_attr + 2, .align = three ? "lllrl" : "llrl"};
    if (n == 0) return;
    heft_put(out, "\nStrongest %s of attributes (%z of %z):\n\n", list.what, n, list.n);
    heft_grid_put(&grid,
                  three ? "attribute\twith\tand\tevidence\t" : "attribute\twith\tevidence\t");
    for (size_t k = 0; k < n; k++) {
        const heft_interaction *of =
            &v->t.interactions.list[v->t.interactions.strongest[list.first + k]];
        for (size_t m = 0; m < of->n; m++)
            heft_grid_put(&grid, "%40q", heft_attr_name(&v->t, of->attr[m]));
        add_evidence(&grid, of->size, heft_joint_most(&v->t));
    }
    heft_grid_print(&grid, out);
}

static int by_child_and_weight(const void *pa, const void *pb)
{
    const heft_arc *a = pa, *b = pb;
    if (a->child != b->child) return a->child < b->child ? -1 : 1;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return a->parent < b->parent ? -1 : a->parent > b->parent;
}

/* Writes the parents of attribute j, the heaviest first. */
static void put_parents(const view *v, size_t j, heft_buf *out)
{
    const size_t first = v->first_arc[j], end = v->first_arc[j + 1];
    if (first == end) heft_put(out, "none");
    for (size_t k = first; k < end; k++) {
        if (k - first == SHOWN_PARENTS) {
            heft_put(out, ", ...");
            break;
        }
        heft_put(out, "%s%40q", k > first ? ", " : "", heft_attr_name(&v->t, v->arc[k].parent));
        if (!isnan(v->arc[k].weight)) heft_put(out, " %3g", v->arc[k].weight);
    }
}

static void write_arcs(const view *v, size_t top, heft_buf *out)
{
    const size_t all = v->t.n_attr, n = top && top < all ? top : all;
    heft_grid    grid = {.n_cols = 2, .align = "ll"};
    if (!v->n_arcs) return;
    heft_put(out, "\nParents: the attributes that an attribute depends on besides the class.\n\n");
    heft_grid_put(&grid, "attribute\tparents");
    for (size_t k = 0; k < n; k++) {
        heft_put(&grid.text, "%40q\t", heft_attr_name(&v->t, v->order[k].j));
        put_parents(v, v->order[k].j, &grid.text);
        heft_grid_end(&grid);
    }
    heft_grid_print(&grid, out);
    if (n < all) heft_put(out, "(%s)\n", HEFT_COUNT_OF(all - n, "more attribute"));
}

static heft_status find_arcs(heft_ctx *ctx, const heft_model *m, view *v)
{
    if (!m->method->arcs) return HEFT_OK;
    HEFT_CHECK(m->method->arcs(ctx, &m->fitted, &v->arc, &v->n_arcs));
    if (v->n_arcs) qsort(v->arc, v->n_arcs, sizeof *v->arc, by_child_and_weight);
    HEFT_ALLOC(ctx, &ctx->scratch, v->first_arc, v->t.n_attr + 1);
    for (size_t k = 0; k < v->n_arcs; k++) v->first_arc[v->arc[k].child + 1] = k + 1;
    for (size_t j = 0; j < v->t.n_attr; j++)
        if (v->first_arc[j + 1] < v->first_arc[j]) v->first_arc[j + 1] = v->first_arc[j];
    return HEFT_OK;
}

/* ---- JSON ---- */

static void json_arcs(const view *v, heft_buf *out)
{
    if (!v->t.model->method->arcs) return;
    heft_put(out, ",\n \"arcs\": [");
    for (size_t k = 0; k < v->n_arcs; k++) {
        const heft_arc *arc = &v->arc[k];
        heft_put(out, "%s\n  {\"attribute\": %j, \"parent\": %j", k ? "," : "",
                 heft_attr_name(&v->t, arc->child), heft_attr_name(&v->t, arc->parent));
        if (!isnan(arc->weight)) heft_put(out, ", \"weight\": %n", arc->weight);
        heft_put(out, "}");
    }
    heft_put(out, v->n_arcs ? "\n ]" : "]");
}

/* Writes "weight", "class_weights" or "value_weights"; those of class pairs have a list of their
 * own. */
static void json_weights(const view *v, size_t j, heft_buf *out)
{
    const heft_prep      *prep = &v->t.model->prep;
    const heft_attr_prep *a = &prep->attr[j];
    const bool            by_class = v->t.per == HEFT_PER_CLASS;
    const bool            by_value = v->t.per == HEFT_PER_VALUE && v->t.attr[j].n_codes > 0;
    char                  text[128];
    if (v->t.per == HEFT_PER_CLASS_PAIR) return;
    if (v->t.beside || !(by_class || by_value))
        heft_put(out, ", \"weight\": %n",
                 v->t.beside ? v->t.beside[j] : heft_term_weight(&v->t, j, 0));
    if (!(by_class || by_value)) return;
    heft_put(out, by_class ? ", \"class_weights\": {" : ", \"value_weights\": {");
    for (uint32_t k = 0; k < heft_term_weights(&v->t, j); k++)
        heft_put(out, "%s%j: %n", k ? ", " : "",
                 by_class                  ? heft_class_name(&v->t, k)
                 : a->kind == HEFT_NOMINAL ? heft_dict_text(a->dict, k)
                                           : heft_prep_value(prep, j, k, text, sizeof text),
                 heft_term_weight(&v->t, j, k));
    heft_put(out, "}");
}

/* Writes pairs of classes, and pairs and triples of attributes, those with the most evidence first.
 */
static void json_pairs(const view *v, heft_buf *out)
{
    if (v->t.class_pair) heft_put(out, ",\n \"pairs\": [");
    if (v->t.class_pair)
        for (size_t k = 0; k < v->t.n_class_pairs; k++) {
            const heft_class_pair *pair = &v->t.class_pair[k];
            heft_put(out, "%s\n  {\"classes\": [%j, %j], \"prior_weight\": %n, \"weights\": %v}",
                     k ? "," : "", heft_class_name(&v->t, pair->a), heft_class_name(&v->t, pair->b),
                     pair->w0, pair->w, v->t.n_attr);
        }
    if (v->t.class_pair) heft_put(out, "\n ]");
    if (v->t.shared) return;
    for (int which = 0; which < HEFT_JOINT_LISTS; which++) {
        const heft_joint_list list = heft_joint_list_of(&v->t, which);
        heft_put(out, ",\n \"attribute_%s\": [", list.what);
        for (size_t k = list.first; k < list.first + list.n; k++) {
            heft_put(out, "%s\n  {\"attributes\": [", k > list.first ? "," : "");
            heft_put_members(out, &v->t, v->t.interactions.strongest[k]);
            heft_put(out, "], \"weight\": %n}",
                     v->t.interactions.list[v->t.interactions.strongest[k]].size);
        }
        heft_put(out, list.n ? "\n ]" : "]");
    }
    if (v->t.interactions.wide)
        heft_put(out, ",\n \"remainder\": {\"weight\": %n}", v->t.interactions.remainder);
}

static void write_json(const view *v, heft_buf *out)
{
    const heft_model       *model = v->t.model;
    const heft_calibration *calibration = &model->calibration;
    heft_put(out, "{\"method\": %j,\n \"heft\": %j,\n \"target\": %j,\n \"classes\": ",
             model->method->name, HEFT_VERSION, model->prep.target);
    heft_describe_classes(out, &model->prep);
    if (model->prep.positive) heft_put(out, ",\n \"positive\": %j", model->prep.positive);
    if (model->fitted.log_prior) heft_put(out, ",\n \"prior\": %v", v->prior, v->t.n_class);
    else heft_put(out, ",\n \"prior\": null");
    heft_put(out, ",\n \"prior_weight\": %n,\n \"attributes\": [", model->fitted.weights.w0);
    for (size_t j = 0; j < v->t.n_attr; j++) {
        heft_put(out, "%s\n  {\"name\": %j, \"kind\": \"%s\"", j ? "," : "",
                 heft_attr_name(&v->t, j), kind_of(v, j));
        json_weights(v, j, out);
        if (model->fitted.importance)
            heft_put(out, ", \"importance\": %n, \"importance_error\": %n",
                     model->fitted.importance[j], model->fitted.importance_error[j]);
        heft_put(out, "}");
    }
    heft_put(out, v->t.n_attr ? "\n ]" : "]");
    json_pairs(v, out);
    json_arcs(v, out);
    heft_put(out, ",\n \"training\": ");
    heft_describe_training(out, model);
    heft_put(out, ",\n \"parameters\": ");
    heft_describe_params(out, model);
    heft_put(out, ",\n \"preparation\": ");
    heft_describe_prep(out, model);
    if (calibration->scale)
        heft_put(out, ",\n \"calibration\": {\"scale\": %v, \"shift\": %v}", calibration->scale,
                 v->t.n_class, calibration->shift, v->t.n_class);
    if (model->decision.kind != HEFT_MOST_PROBABLE) {
        heft_put(out, ",\n \"decision\": ");
        heft_decision_json(out, &model->decision, model->prep.classes);
    }
    heft_put(out, ",\n \"extra\": ");
    heft_describe_facts(out, model);
    heft_put(out, "}\n");
}

/* ---- public ---- */

heft_status heft_inspect_settings(heft_ctx *ctx, const heft_model *model, heft_buf *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_config config;
    const char *name = "", *gap = "";
    HEFT_CHECK(heft_config_of(ctx, model, false, &ctx->scratch, &config));
    config.method = NULL; /* it is shown before */
    for (size_t k = 0; name; k++) {
        const char *text = heft_config_text(&config, k, &name);
        if (!text) continue;
        char mark[64];
        snprintf(mark, sizeof mark, "%s{%s=%%80q}", gap, name);
        heft_put_marked(out, mark, text);
        gap = " ";
    }
    if (model->prep.positive) heft_put_marked(out, " {positive=%40q}", model->prep.positive);
    if (model->prep.missing && *model->prep.missing)
        heft_put_marked(out, " {missing=%40q}", model->prep.missing);
    return HEFT_OK;
}

heft_status heft_inspection(heft_ctx *ctx, const heft_model *m, bool json, size_t top, char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    view                 v = {0};
    HEFT_LOCAL(heft_buf) settings = {0}, buf = {0};
    *out = NULL;
    HEFT_CHECK(heft_terms_shown(ctx, m, &v.t));
    HEFT_ALLOC(ctx, &ctx->scratch, v.prior, v.t.n_class);
    heft_terms_prior(&v.t, v.prior);
    HEFT_CHECK(find_arcs(ctx, m, &v));
    if (json) {
        write_json(&v, &buf);
    } else {
        HEFT_CHECK(heft_rank_attributes(ctx, &v.t, &v.order, &v.differ));
        write_head(&v, &buf);
        write_classes(&v, &buf);
        if (v.t.n_attr) write_attributes(&v, top, &buf);
        write_arcs(&v, top, &buf);
        for (int which = 0; which < HEFT_JOINT_LISTS; which++) write_joint(&v, which, top, &buf);
        if (v.t.interactions.wide)
            heft_put(&buf, "\nevidence of " HEFT_REMAINDER ": %4g\n", v.t.interactions.remainder);
        HEFT_CHECK(heft_inspect_settings(ctx, m, &settings));
        write_making(&v, &settings, &buf);
        buf.failed |= settings.failed;
    }
    return heft_buf_take(ctx, &buf, out);
}
