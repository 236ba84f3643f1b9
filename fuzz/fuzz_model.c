/* fuzz_model.c - a model file, and all that can be done with the model in it.
 *
 * The checksum is made right first, so that what is changed behind it is looked at. Held to be true
 * of a file that is accepted: saved and loaded again it gives the same bytes; probabilities are
 * distributions, with the same bits for one thread and three; what is written as JSON is JSON; each
 * document is made or refused with a sentence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/parcel.h"
#include "fuzz.h"
#include "predict/predict.h"
#include "train/fit.h"

enum { ROWS = 9, MOST_CELLS = 1 << 20 };

/* ---- a table the model can take ---- */

static void add_numbers(heft_table *t, const heft_attr_prep *a, size_t j)
{
    static const double odd[] = {0, 1, -1.5, 1e308, -1e308, 5e-324, 1e-3};
    double              cells[ROWS];
    heft_error          err;
    for (size_t i = 0; i < ROWS; i++) {
        cells[i] = i + 1 == ROWS ? NAN : odd[(i + j) % (sizeof odd / sizeof *odd)];
        if (i % 3 == 1 && a->cut && a->n_cuts) cells[i] = a->cuts[(i + j) % a->n_cuts];
    }
    const heft_status st = heft_table_add_numbers(t, a->name, cells, 1, &err);
    fuzz_error(st, &err);
}

static void add_values(heft_table *t, const heft_attr_prep *a, size_t j)
{
    enum { MOST = 16 };
    const size_t n = heft_dict_size(a->dict);
    const char  *values[MOST + 1];
    int32_t      codes[ROWS];
    heft_error   err;
    size_t       m = n < MOST ? n : MOST;
    for (size_t v = 0; v < m; v++) values[v] = heft_dict_text(a->dict, (uint32_t)(n - 1 - v));
    values[m++] = "a value no model knows";
    for (size_t i = 0; i < ROWS; i++) codes[i] = i == 0 ? -1 : (int32_t)((i + j) % m);
    const heft_status st = heft_table_add_codes(t, a->name, codes, 1, values, m, &err);
    fuzz_error(st, &err);
}

static heft_table *table_for(const heft_model *model)
{
    heft_table *t = NULL;
    heft_error  err;
    fuzz_need(heft_table_create(ROWS, &t, &err) == HEFT_OK, "no table: %s", err.text);
    for (size_t j = 0; j < model->prep.n_attr; j++) {
        const heft_attr_prep *a = &model->prep.attr[j];
        if (a->kind == HEFT_NUMERIC) add_numbers(t, a, j);
        else add_values(t, a, j);
    }
    return t;
}

/* A class column: the classes of the model, one it does not know, and a missing cell. */
static void add_classes(heft_table *t, const heft_model *model)
{
    enum { MOST = ROWS - 2 };
    const size_t n_class = heft_model_classes(model);
    const char  *classes[MOST + 1];
    int32_t      codes[ROWS];
    heft_error   err;
    size_t       m = n_class < MOST ? n_class : MOST;
    for (size_t c = 0; c < m; c++) classes[c] = heft_model_class_name(model, c);
    classes[m++] = "a class no model knows";
    for (size_t i = 0; i < ROWS; i++) codes[i] = i + 1 == ROWS ? -1 : (int32_t)(i % m);
    const heft_status st =
        heft_table_set_target(t, heft_model_target(model), codes, classes, m, &err);
    fuzz_error(st, &err);
}

/* ---- use ---- */

static heft_status posterior(const heft_model *model, const heft_table *t, int threads, double *p)
{
    heft_error err;
    heft_ctx   ctx;
    heft_ctx_init(&ctx, &err, threads, 1, NULL);
    const heft_status st = heft_posterior(&ctx, model, t, p);
    heft_ctx_clear(&ctx);
    fuzz_error(st, &err);
    return st;
}

/* Log-probabilities are finite, or minus infinity: the logarithm of 0. */
static void no_nan(const double *x, size_t n, const char *what)
{
    for (size_t k = 0; k < n; k++) fuzz_need(x[k] < INFINITY, "%s: %g", what, x[k]);
}

static void use_probabilities(const heft_model *model, const heft_table *t)
{
    const size_t cells = ROWS * heft_model_classes(model);
    const size_t lines = 1 + heft_model_attributes(model);
    double      *p = calloc(cells, sizeof *p), *q = calloc(cells, sizeof *q);
    double      *parts = calloc(lines * heft_model_classes(model), sizeof *parts);
    heft_error   err;
    fuzz_need(p && q && parts, "no memory");
    const heft_status st = posterior(model, t, 1, p);
    fuzz_need(posterior(model, t, 3, q) == st, "threads change the status");
    if (st == HEFT_OK) {
        fuzz_distributions(p, ROWS, heft_model_classes(model));
        fuzz_need(memcmp(p, q, cells * sizeof *p) == 0, "threads change bits");
        fuzz_need(heft_predict_log_proba(model, t, q, &err) == HEFT_OK, "log: %s", err.text);
        no_nan(q, cells, "log probability");
        fuzz_need(heft_predict_scores(model, t, HEFT_SCORE, NULL, q, &err) == HEFT_OK, "score: %s",
                  err.text);
        no_nan(q, cells, "score");
        for (size_t i = 0; i < ROWS; i += 4) {
            const heft_status said = heft_explain_row(model, t, i, parts, q, &err);
            fuzz_error(said, &err);
            if (said == HEFT_OK) no_nan(parts, lines * heft_model_classes(model), "explained part");
            if (said == HEFT_OK) no_nan(q, heft_model_classes(model), "explained score");
        }
    }
    free(p), free(q), free(parts);
}

static void use_attribute(const heft_model *model, size_t j, double *p)
{
    enum { FEW = 40 };
    const size_t n_class = heft_model_classes(model),
                 pairs = heft_model_weighting(model) == HEFT_WEIGHT_PAIR;
    heft_attribute a = {0};
    heft_error     err;
    char           text[16];
    fuzz_need(heft_model_attribute(model, j, &a, &err) == HEFT_OK, "attribute: %s", err.text);
    for (size_t k = 1; k < a.n_cuts; k++) fuzz_need(a.cuts[k - 1] < a.cuts[k], "cut %zu", k);
    for (size_t v = 0; v < (a.n_values < FEW ? a.n_values : FEW); v++) {
        fuzz_need(heft_model_value(model, j, v, text, sizeof text) ==
                      heft_model_value(model, j, v, NULL, 0),
                  "value %zu", v);
        for (size_t c = 0; !pairs && c < n_class; c++)
            fuzz_need(isfinite(heft_model_weight(model, j, c, v)), "weight of value %zu", v);
    }
    const heft_status st = heft_model_likelihood(model, j, a.n_values ? 0 : 1.5, p, &err);
    fuzz_error(st, &err);
    if (st == HEFT_OK) no_nan(p, n_class, "likelihood");
}

/* The weights between each two of a few classes. */
static void use_pairs(const heft_model *model)
{
    const size_t n_class = heft_model_classes(model), n_attr = heft_model_attributes(model);
    double      *w = calloc(n_attr + 1, sizeof *w);
    heft_error   err;
    fuzz_need(w != NULL, "no memory");
    for (size_t a = 0; a < n_class && a < 4; a++)
        for (size_t b = 0; b < n_class && b < 4; b++) {
            const heft_status st = heft_model_pair_weights(model, a, b, &w[n_attr], w, &err);
            fuzz_error(st, &err);
            for (size_t j = 0; st == HEFT_OK && j <= n_attr; j++)
                fuzz_need(isfinite(w[j]), "pair weight %zu of %zu and %zu", j, a, b);
        }
    free(w);
}

/* What heft_inspect.h gives, and a row without a table. */
static void use_figures(const heft_model *model)
{
    const size_t n_class = heft_model_classes(model), n_attr = heft_model_attributes(model);
    const size_t n_terms = heft_model_terms(model);
    const size_t cells = (1 + n_terms) * n_class;
    if (cells > MOST_CELLS) return;
    double    *row = calloc(n_attr + 1, sizeof *row), *out = calloc(cells, sizeof *out);
    heft_error err;
    fuzz_need(row && out, "no memory");
    if (heft_model_prior(model, out, &err) == HEFT_OK) fuzz_distributions(out, 1, n_class);
    for (size_t j = 0; j < n_attr; j++) use_attribute(model, j, out);
    use_pairs(model);
    for (size_t k = 0; k < 3; k++) {
        for (size_t j = 0; j < n_attr; j++) row[j] = k == 2 ? NAN : (double)((j + k) % 4);
        heft_status st = heft_predict_row(model, row, out, &err);
        fuzz_error(st, &err);
        if (st == HEFT_OK) fuzz_distributions(out, 1, n_class);
        st = n_terms ? heft_model_evidence(model, row, out, &err) : HEFT_OK;
        fuzz_error(st, &err);
        if (st == HEFT_OK && n_terms) no_nan(out, cells, "evidence");
    }
    for (size_t t = 0; t < n_terms; t++) {
        heft_term_info term = {0};
        fuzz_need(heft_model_term(model, t, &term, &err) == HEFT_OK, "term: %s", err.text);
        for (size_t k = 0; k < term.n_attributes; k++)
            fuzz_need(term.attributes[k] < n_attr, "attribute of term %zu", t);
    }
    free(row), free(out);
}

static void take_document(heft_status st, const heft_error *err, char *text, bool json,
                          const char *what)
{
    fuzz_error(st, err);
    fuzz_need((st == HEFT_OK) == (text != NULL), "%s: a text and a failure, or neither", what);
    if (text && json) fuzz_json(text, what);
    heft_text_free(text);
}

static void use_documents(const heft_model *model, const heft_table *t)
{
    static const char *const inspect[] = {"text", "json"};
    const heft_export_info  *format;
    heft_error               err;
    heft_status              st;
    char                    *text;
    for (int k = 0; k < 2; k++) {
        for (size_t top = 0; top < 2; top++) {
            text = NULL, st = heft_inspect_text(model, inspect[k], top, &text, &err);
            fuzz_need(st == HEFT_OK, "inspect: %s", err.text);
            take_document(st, &err, text, k == 1, "inspect");
            text = NULL, st = heft_explain_text(model, t, 1 + top, inspect[k], top, &text, &err);
            take_document(st, &err, text, k == 1, "explain");
        }
        text = NULL, st = heft_report_html(model, k ? t : NULL, NULL, &text, &err);
        take_document(st, &err, text, false, "report");
        text = NULL, st = heft_report_json(model, k ? t : NULL, NULL, &text, &err);
        take_document(st, &err, text, true, "data of a report");
    }
    for (size_t k = 0; (format = heft_export_at(k)); k++) {
        const heft_export_options how = {.format = format->name};
        text = NULL, st = heft_export_text(model, &how, &text, NULL, &err);
        take_document(st, &err, text, strcmp(format->name, "json") == 0, "export");
    }
}

static void use_tables(const heft_model *model, const heft_table *t)
{
    heft_table *made = NULL;
    heft_error  err;
    heft_status st = heft_model_prepare(model, t, &made, &err);
    fuzz_error(st, &err);
    heft_table_free(made);
    made = NULL;
    st = heft_model_select(model, t, &made, &err);
    fuzz_error(st, &err);
    heft_table_free(made);
}

/* The predictions of `heft predict`, and the page with the measures of `heft report`. */
static void use_classes(const heft_model *model, heft_table *t)
{
    int32_t           labels[ROWS];
    heft_tally        tally = {0};
    heft_error        err;
    char             *page = NULL;
    heft_predictions  how = {.proba = true};
    const heft_status known = heft_model_labels(model, t, labels, &err);
    fuzz_error(known, &err);
    for (size_t i = 0; known == HEFT_OK && i < ROWS; i++)
        fuzz_need(labels[i] < (int32_t)heft_model_classes(model), "label %d", labels[i]);
    heft_status st = heft_predict_table(model, t, "/dev/null", &how, &tally, &err);
    fuzz_error(st, &err);
    if (st == HEFT_OK)
        fuzz_need(tally.n_rows == ROWS && tally.n_right <= tally.n_labelled &&
                      tally.n_labelled <= ROWS,
                  "tally: %zu of %zu of %zu", tally.n_right, tally.n_labelled, tally.n_rows);
    st = heft_report_html(model, t, NULL, &page, &err);
    take_document(st, &err, page, false, "report");
}

/* Two parts that are alike add up, or it is said why not. */
static void merge(const heft_model *model, const heft_table *t)
{
    const heft_model *parts[] = {model, model};
    heft_model       *both = NULL;
    heft_error        err;
    const heft_status st = heft_model_merge(parts, 2, &both, &err);
    fuzz_error(st, &err);
    fuzz_need((st == HEFT_OK) == (both != NULL), "merge: a model and a failure, or neither");
    if (both) {
        double *p = calloc(ROWS * heft_model_classes(both), sizeof *p);
        fuzz_need(p != NULL, "no memory");
        if (posterior(both, t, 1, p) == HEFT_OK)
            fuzz_distributions(p, ROWS, heft_model_classes(both));
        free(p);
    }
    heft_model_free(both);
}

static void round_trip(const heft_model *model)
{
    char       *a = NULL, *b = NULL;
    size_t      n, m;
    heft_model *again = NULL;
    heft_error  err;
    fuzz_need(heft_model_to_bytes(model, &a, &n, &err) == HEFT_OK, "save: %s", err.text);
    fuzz_need(heft_model_from_bytes(a, n, &again, &err) == HEFT_OK, "load: %s", err.text);
    fuzz_need(heft_model_to_bytes(again, &b, &m, &err) == HEFT_OK, "save: %s", err.text);
    fuzz_need(n == m && memcmp(a, b, n) == 0, "load and save change bytes");
    heft_text_free(a), heft_text_free(b);
    heft_model_free(again);
}

static void use_model(const heft_model *model)
{
    round_trip(model);
    if (heft_model_attributes(model) * heft_model_classes(model) > MOST_CELLS) return;
    heft_table *t = table_for(model);
    use_probabilities(model, t);
    use_figures(model);
    use_documents(model, t);
    use_tables(model, t);
    merge(model, t);
    add_classes(t, model);
    use_classes(model, t);
    heft_table_free(t);
}

static heft_model *load(const uint8_t *data, size_t size)
{
    heft_model       *model = NULL;
    heft_error        err;
    const heft_status st = heft_model_from_bytes(data, size, &model, &err);
    fuzz_error(st, &err);
    fuzz_need((st == HEFT_OK) == (model != NULL), "a model and a failure, or neither");
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    heft_model *model = load(data, size);
    parcel      p;
    if (!model && parcel_open(&p, data, size)) {
        size_t   n;
        uint8_t *bytes = parcel_bytes(&p, SIZE_MAX, &n);
        if (bytes) model = load(bytes, n);
        free(bytes);
        parcel_close(&p);
    }
    if (model) use_model(model);
    heft_model_free(model);
    return 0;
}

/* ---- changes that keep the file a model file ---- */

static uint64_t state;

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

static void put_odd(parcel_tensor *t)
{
    static const double   reals[] = {0,   -0.0, 1,        -1,        1e308, -1e308, 5e-324,
                                     0.5, 1e17, INFINITY, -INFINITY, NAN,   1e-310, -700};
    static const uint64_t wholes[] = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      255,
                                      256,
                                      65535,
                                      65536,
                                      0x7fffffff,
                                      0xffffffff,
                                      (uint64_t)1 << 32,
                                      (uint64_t)1 << 63,
                                      UINT64_MAX};
    const size_t          n = parcel_count(t);
    if (!n) return;
    uint8_t *at = t->data + below(n) * t->width;
    if (t->type[0] == 'F') memcpy(at, &reals[below(sizeof reals / sizeof *reals)], 8);
    else memcpy(at, &wholes[below(sizeof wholes / sizeof *wholes)], t->width);
}

static void copy_other(parcel *p, parcel_tensor *t)
{
    const parcel_tensor *from = &p->t[below(p->n)];
    const size_t         n = from->bytes < t->bytes ? from->bytes : t->bytes;
    if (from->width == t->width && from != t) memcpy(t->data, from->data, n);
}

static void change_text(parcel *p)
{
    static const char *const names[] = {"method", "parameters", "schema", "version", "heft"};
    const heft_method       *method = heft_methods_at(below(heft_methods_count()));
    const char              *name = names[below(5)];
    json_object_set_new(p->meta, name,
                        json_string(name[0] == 'm' ? method->name
                                    : below(2)     ? "{}"
                                                   : "1"));
}

static void change(parcel *p)
{
    parcel_tensor *t = &p->t[below(p->n)];
    switch (p->n ? below(12) : 11) {
    case 0:
        parcel_resize(t, parcel_count(t) + 1 + below(3));
        break;
    case 1:
        parcel_resize(t, below(parcel_count(t) + 1));
        break;
    case 2:
        parcel_drop(p, (size_t)(t - p->t));
        break;
    case 3:
        copy_other(p, t);
        break;
    case 4:
    case 5:
        if (t->bytes) LLVMFuzzerMutate(t->data, t->bytes, t->bytes);
        break;
    case 11:
        change_text(p);
        break;
    default:
        put_odd(t);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    parcel p;
    size_t n = 0;
    state = seed;
    if (below(16) == 0 || !parcel_open(&p, data, size))
        return LLVMFuzzerMutate(data, size, max_size);
    for (size_t k = 1 + below(3); k; k--) change(&p);
    uint8_t *bytes = parcel_bytes(&p, SIZE_MAX, &n);
    if (bytes && n <= max_size) memcpy(data, bytes, n);
    else n = size;
    free(bytes);
    parcel_close(&p);
    return n;
}
