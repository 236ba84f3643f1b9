/* store_test.c - a model comes back from its file as it was, and a file made to mislead does no
 * harm: it is refused, or it predicts proper probabilities. */
#include "fixture.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "model/model.h"
#include "model/store.h"
#include "pages/report.h"
#include "train/fit.h"

static char path[300];

/* ---- tables and models ---- */

enum { N_ROWS = 60, N_VALUES = 3, N_CLASS = 4 };

static const char *const values[] = {"plain", "Latin-1 \xe9", "with, 'quotes' \"and\ttab"};
static const char *const classes[] = {"no", "caf\xe9", "may be", "never seen"};

/* Two informative numbers (one with gaps), a constant, two nominal attributes; Latin-1 names. */
static heft_table *mixed_table(void)
{
    heft_rng rng;
    double   x[N_ROWS], gaps[N_ROWS], same[N_ROWS];
    int32_t  a[N_ROWS], b[N_ROWS], y[N_ROWS];
    heft_rng_init(&rng, 7, 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        y[i] = (int32_t)heft_rng_below(&rng, 3);
        x[i] = floor(10 * (heft_rng_real(&rng) + 0.5 * y[i])) / 10;
        gaps[i] = heft_rng_below(&rng, 5) ? 100 * heft_rng_real(&rng) - 70 * y[i] : NAN;
        same[i] = 3;
        a[i] = heft_rng_below(&rng, 3) ? y[i] : (int32_t)heft_rng_below(&rng, 3);
        b[i] = heft_rng_below(&rng, 6) ? (int32_t)heft_rng_below(&rng, 3) : -1;
    }
    return table_of(
        &(frame){.n_rows = N_ROWS,
                 .n_cols = 5,
                 .cols = {{"x", .numbers = x},
                          {"a \xe9", .codes = a, .values = values, .n_values = N_VALUES},
                          {"gaps", .numbers = gaps},
                          {"same", .numbers = same},
                          {"b", .codes = b, .values = values, .n_values = N_VALUES}},
                 .target = "the \xff class",
                 .y = y,
                 .classes = classes,
                 .n_class = N_CLASS});
}

static heft_table *few_rows(const heft_table *t)
{
    heft_ctx    ctx;
    heft_table *few;
    size_t      rows[12];
    for (size_t i = 0; i < 12; i++) rows[i] = i;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_table_take(&ctx, t, rows, 12, &few));
    heft_ctx_clear(&ctx);
    return few;
}

static heft_table *sparse_table(size_t n_rows, size_t n_cols, size_t per_row)
{
    heft_table *t;
    heft_rng    rng;
    size_t     *start = malloc((n_rows + 1) * sizeof *start);
    uint32_t   *col = malloc(n_rows * per_row * sizeof *col);
    double     *val = malloc(n_rows * per_row * sizeof *val);
    int32_t    *y = malloc(n_rows * sizeof *y);
    heft_rng_init(&rng, 3, 0);
    for (size_t i = 0; i < n_rows; i++) {
        start[i] = i * per_row;
        y[i] = (int32_t)(i % 2);
        for (size_t k = 0; k < per_row; k++) {
            const size_t span = n_cols / per_row;
            col[i * per_row + k] = (uint32_t)(k * span + heft_rng_below(&rng, span));
            val[i * per_row + k] = 1 + (double)heft_rng_below(&rng, 5);
        }
    }
    start[n_rows] = n_rows * per_row;
    OK(heft_table_create(n_rows, &t, &err));
    OK(heft_table_add_sparse(t, n_cols, start, col, val, NULL, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    free(start), free(col), free(val), free(y);
    return t;
}

static blob saved(const heft_model *model)
{
    OK(heft_model_save(model, path, &err));
    return read_bytes(path);
}

static heft_status load(const void *data, size_t n, heft_model **out)
{
    heft_ctx ctx;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    const heft_status st = heft_store_load_bytes(&ctx, "m.heft", data, n, heft_methods_find, out);
    assert_true((st == HEFT_OK) == (*out != NULL));
    heft_ctx_clear(&ctx);
    return st;
}

static void assert_same_bytes(const heft_model *a, const heft_model *b)
{
    blob x = saved(a), y = saved(b);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.data, y.data, x.n);
    free(x.data), free(y.data);
}

/* In memory as in the file, byte for byte, and back. */
static void assert_bytes_are_the_file(const heft_model *model)
{
    heft_model *back;
    char       *inside;
    size_t      length;
    blob        file = saved(model);
    OK(heft_model_to_bytes(model, &inside, &length, &err));
    assert_int_equal(length, file.n);
    assert_memory_equal(inside, file.data, length);
    OK(heft_model_from_bytes(inside, length, &back, &err));
    assert_same_bytes(model, back);
    heft_model_free(back);
    assert_int_equal(heft_model_from_bytes(inside, length / 2, &back, &err), HEFT_EFORMAT);
    assert_null(back);
    heft_text_free(inside);
    assert_int_equal(heft_model_to_bytes(NULL, &inside, &length, &err), HEFT_EINVAL);
    assert_null(inside);
    free(file.data);
}

/* Saved, loaded and saved again: the same bytes, the same posteriors, the same documents. */
static void assert_round_trip(const heft_model *model, const heft_table *t)
{
    heft_ctx     ctx;
    heft_model  *back;
    const size_t n = heft_table_rows(t) * heft_model_classes(model);
    double      *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
    char        *a, *b;
    OK(heft_model_save(model, path, &err));
    OK(heft_model_load(path, &back, &err));
    assert_same_bytes(model, back);
    assert_bytes_are_the_file(model);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_posterior(&ctx, model, t, p));
    OK(heft_posterior(&ctx, back, t, q));
    heft_ctx_clear(&ctx);
    assert_memory_equal(p, q, n * sizeof *p);
    OK(heft_inspect_text(model, "json", 0, &a, &err));
    OK(heft_inspect_text(back, "json", 0, &b, &err));
    assert_string_equal(a, b);
    heft_text_free(a), heft_text_free(b);
    free(p), free(q);
    heft_model_free(back);
}

/* ---- round trips ---- */

/* Every method under every preparation it takes comes back bit for bit. */
static void all_methods(void **state)
{
    (void)state;
    static const heft_config preps[] = {
        {0},
        {.impute = "mean", .discretize = "width:4", .smoothing = "m:2.5", .unseen = "zero"},
        {.impute = "mean", .discretize = "mdl:0.5", .prior = "uniform"},
        {.impute = "mean", .discretize = "frequency:3", .scale = "minmax", .prior = "frequency"},
        {.impute = "mean", .scale = "unit", .prior = "caf\xe9=0.75,no=0.25"},
    };
    heft_table *t = mixed_table();
    for (size_t m = 0; m < heft_methods_count(); m++) {
        for (size_t k = 0; k < sizeof preps / sizeof *preps; k++) {
            heft_config config = preps[k];
            config.run = RUN(.threads = 1);
            heft_model *model;
            config.method = heft_methods_at(m)->name;
            const heft_status st = heft_fit(t, &config, &model, &err);
            if (st == HEFT_EUNSUPPORTED) continue;
            OK(st);
            assert_round_trip(model, t);
            heft_model_free(model);
        }
    }
    heft_table_free(t);
}

/* Sparse models too, and twenty thousand attributes make a file of a few tensors. */
static void sparse_models(void **state)
{
    (void)state;
    heft_table *t = sparse_table(30, 20000, 40);
    for (size_t m = 0; m < heft_methods_count(); m++) {
        if (!(heft_methods_at(m)->caps & HEFT_TAKES_SPARSE)) continue;
        heft_model       *model;
        const heft_status st = heft_fit(
            t, &(heft_config){.method = heft_methods_at(m)->name, .run = RUN(.threads = 1)}, &model,
            &err);
        if (st == HEFT_EUNSUPPORTED) continue;
        OK(st);
        assert_round_trip(model, t);
        blob     b = saved(model);
        uint64_t header;
        memcpy(&header, b.data, 8);
        assert_true(header < 10000);
        free(b.data);
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* nb with weights of a shape, a bias, a record of iterations and facts, as other methods make. */
static heft_model *weighted_model(const heft_table *t, heft_shape shape)
{
    heft_ctx     ctx;
    heft_status  st = HEFT_OK;
    heft_model  *model = fit(t, "nb", &(heft_config){.impute = "mean", .discretize = "width:3"});
    heft_fitted *f = &model->fitted;
    const size_t room = f->n_attr * 8;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    f->weights.shape = shape;
    f->weights.w0 = 0.5;
    HEFT_ARENA(&ctx, f->arena, f->weights.w, room);
    HEFT_ARENA(&ctx, f->arena, f->bias, f->n_class);
    HEFT_ARENA(&ctx, f->arena, f->weights.offset, f->n_attr + 1);
    for (size_t k = 0; k < room; k++) f->weights.w[k] = 1 / (1.0 + (double)k) - 0.1;
    for (size_t j = 0; j < f->n_attr; j++)
        f->weights.offset[j + 1] = f->weights.offset[j] + f->lik[j].n_codes;
    f->bias[0] = -0.25;
    f->training.iterative = f->training.converged = true;
    f->training.iterations = 31;
    f->training.evaluations = 40;
    f->training.objective_initial = 0.75;
    f->training.objective_final = 0.5;
    f->training.stopped_by = "the gradient is small";
    heft_fact_number(f, "alpha", 0.1);
    heft_fact_text(f, "note", "caf\xe9");
    HEFT_TRY(heft_fitted_seal(&ctx, f, false));
done:
    assert_int_equal(st, HEFT_OK);
    heft_ctx_clear(&ctx);
    return model;
}

/* Weights of every shape, bias, facts and the record of the fit come back. */
static void weights(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    for (int shape = HEFT_W_ONE; shape <= HEFT_W_VALUE; shape++) {
        heft_model *model = weighted_model(t, (heft_shape)shape), *back;
        assert_round_trip(model, t);
        OK(heft_model_load(path, &back, &err));
        const heft_training *r = &back->fitted.training;
        assert_int_equal(back->fitted.weights.shape, shape);
        assert_true(back->fitted.weights.w0 == 0.5 && back->fitted.bias[0] == -0.25);
        assert_true(r->iterative && r->converged && r->iterations == 31 && r->evaluations == 40);
        assert_true(r->objective_initial == 0.75 && r->objective_final == 0.5);
        assert_string_equal(r->stopped_by, "the gradient is small");
        assert_int_equal(r->n_facts, 2);
        assert_string_equal(r->facts[0].name, "alpha");
        assert_true(r->facts[0].number == 0.1 && !r->facts[0].text);
        assert_string_equal(r->facts[1].text, "caf\xe9");
        heft_model_free(model);
        heft_model_free(back);
    }
    heft_table_free(t);
}

/* Names and values of any bytes come back, and the metadata are JSON all the same. */
static void any_bytes(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", &(heft_config){.prior = "caf\xe9=0.5,no=0.5"}), *back;
    blob        b = saved(model);
    uint64_t    header;
    OK(heft_model_load(path, &back, &err));
    assert_string_equal(heft_model_class_name(back, 1), classes[1]);
    assert_string_equal(heft_model_target(back), "the \xff class");
    assert_string_equal(model_column(back, 1), "a \xe9");
    assert_string_equal(heft_dict_text(back->prep.attr[1].dict, 2), values[2]);
    assert_string_equal(back->prior, "caf\xe9=0.5,no=0.5");
    memcpy(&header, b.data, 8);
    json_t *root = json_loadb((const char *)b.data + 8, header, 0, NULL);
    assert_non_null(root);
    json_t *meta = json_object_get(root, "__metadata__");
    assert_string_equal(json_string_value(json_object_get(meta, "method")), "nb");
    static const char *const documents[] = {"schema", "parameters", "preparation", "training",
                                            "extra"};
    for (size_t k = 0; k < 5; k++) {
        const char *text = json_string_value(json_object_get(meta, documents[k]));
        json_t     *document = text ? json_loads(text, 0, NULL) : NULL;
        assert_non_null(document);
        if (k == 0)
            assert_string_equal(
                json_string_value(json_array_get(json_object_get(document, "classes"), 1)),
                "caf\xc3\xa9");
        json_decref(document);
    }
    json_decref(root);
    free(b.data);
    heft_model_free(model);
    heft_model_free(back);
    heft_table_free(t);
}

/* ---- files made to mislead: a second writer of the format, with a proper checksum ---- */

enum { MOST_TENSORS = 120 };

typedef struct tensor {
    char           name[64], type[8];
    size_t         size, n; /* bytes an element, elements */
    unsigned char *data;
} tensor;

typedef struct parcel {
    json_t *meta;
    tensor  t[MOST_TENSORS];
    size_t  n;
} parcel;

static void unpack(const blob *b, parcel *p)
{
    uint64_t    header;
    const char *name;
    json_t     *about, *d;
    size_t      k;
    memcpy(&header, b->data, 8);
    json_t *root = json_loadb((const char *)b->data + 8, header, 0, NULL);
    assert_non_null(root);
    p->n = 0;
    p->meta = json_incref(json_object_get(root, "__metadata__"));
    json_object_foreach(root, name, about)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        tensor *t = &p->t[p->n++];
        assert_true(p->n < MOST_TENSORS);
        snprintf(t->name, sizeof t->name, "%s", name);
        snprintf(t->type, sizeof t->type, "%s", json_string_value(json_object_get(about, "dtype")));
        t->size = (size_t)atoi(t->type + 1) / 8;
        t->n = 1;
        json_array_foreach(json_object_get(about, "shape"), k, d) t->n *=
            (size_t)json_integer_value(d);
        t->data = calloc(t->n + 2, t->size); /* room to grow by one */
        memcpy(t->data,
               b->data + 8 + header +
                   json_integer_value(json_array_get(json_object_get(about, "data_offsets"), 0)),
               t->n * t->size);
    }
    json_decref(root);
}

static void parcel_free(parcel *p)
{
    for (size_t k = 0; k < p->n; k++) free(p->t[k].data);
    json_decref(p->meta);
}

static uLong crc_number(uLong crc, uint64_t x)
{
    unsigned char b[8];
    for (int k = 0; k < 8; k++) b[k] = (unsigned char)(x >> (8 * k));
    return crc32(crc, b, 8);
}

static uLong crc_text(uLong crc, const char *s)
{
    return crc32(crc_number(crc, strlen(s)), (const Bytef *)s, (uInt)strlen(s));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_tensor(const void *a, const void *b)
{
    return strcmp((*(const tensor *const *)a)->name, (*(const tensor *const *)b)->name);
}

/* As safetensors.h describes it, `without` left out. */
static uLong parcel_crc(const parcel *p, size_t without)
{
    const char   *names[32], *name;
    const tensor *order[MOST_TENSORS];
    json_t       *text;
    size_t        n = 0, m = 0;
    json_object_foreach(p->meta, name, text) if (strcmp(name, "checksum") != 0) names[n++] = name;
    qsort(names, n, sizeof *names, by_text);
    uLong crc = crc_number(crc32(0, NULL, 0), n);
    for (size_t k = 0; k < n; k++)
        crc = crc_text(crc_text(crc, names[k]),
                       json_string_value(json_object_get(p->meta, names[k])));
    for (size_t k = 0; k < p->n; k++)
        if (k != without) order[m++] = &p->t[k];
    qsort(order, m, sizeof *order, by_tensor);
    crc = crc_number(crc, m);
    for (size_t k = 0; k < m; k++) {
        crc = crc_text(crc_text(crc, order[k]->name), order[k]->type);
        crc = crc_number(crc_number(crc, 1), order[k]->n);
        crc = crc32(crc, order[k]->data, (uInt)(order[k]->n * order[k]->size));
    }
    return crc;
}

static blob repack(const parcel *p, size_t without)
{
    char   sum[16];
    size_t at = 0, length;
    blob   b;
    snprintf(sum, sizeof sum, "%08lx", (unsigned long)parcel_crc(p, without));
    json_object_set_new(p->meta, "checksum", json_string(sum));
    json_t *root = json_pack("{s:O}", "__metadata__", p->meta);
    for (size_t k = 0; k < p->n; k++) {
        const tensor *t = &p->t[k];
        if (k == without) continue;
        json_object_set_new(root, t->name,
                            json_pack("{s:s, s:[I], s:[I,I]}", "dtype", t->type, "shape",
                                      (json_int_t)t->n, "data_offsets", (json_int_t)at,
                                      (json_int_t)(at + t->n * t->size)));
        at += t->n * t->size;
    }
    char *header = json_dumps(root, JSON_COMPACT);
    length = strlen(header);
    b.n = 8 + length + at;
    b.data = malloc(b.n);
    for (int k = 0; k < 8; k++) b.data[k] = (unsigned char)((uint64_t)length >> (8 * k));
    memcpy(b.data + 8, header, length);
    at = 8 + length;
    for (size_t k = 0; k < p->n; k++) {
        if (k == without) continue;
        memcpy(b.data + at, p->t[k].data, p->t[k].n * p->t[k].size);
        at += p->t[k].n * p->t[k].size;
    }
    free(header);
    json_decref(root);
    return b;
}

static tensor *tensor_of(parcel *p, const char *name)
{
    for (size_t k = 0; k < p->n; k++)
        if (strcmp(p->t[k].name, name) == 0) return &p->t[k];
    fail_msg("no tensor %s", name);
    return NULL;
}

/* Load it; where that is allowed, every use gives proper probabilities and documents. */
static heft_status try_bytes(const blob *b, const heft_table *t, bool documents)
{
    heft_model       *model = NULL;
    const heft_status st = load(b->data, b->n, &model);
    if (st != HEFT_OK) return st;
    heft_error   ignored;
    heft_ctx     ctx;
    const size_t K = heft_model_classes(model), n = heft_table_rows(t);
    double      *q = malloc(n * K * sizeof *q);
    char        *text;
    heft_ctx_init(&ctx, &ignored, 1, 1, NULL);
    const bool fits = heft_posterior(&ctx, model, t, q) == HEFT_OK;
    heft_ctx_clear(&ctx);
    for (size_t i = 0; fits && i < n; i++) {
        double sum = 0;
        for (size_t c = 0; c < K; c++) {
            if (!(q[i * K + c] >= 0 && q[i * K + c] <= 1)) fail_msg("row %zu: %g", i, q[i * K + c]);
            sum += q[i * K + c];
        }
        assert_true(fabs(sum - 1) < 1e-9);
    }
    if (documents) {
        assert_int_equal(heft_inspect_text(model, "text", 0, &text, &ignored), HEFT_OK);
        heft_text_free(text);
        assert_int_equal(heft_inspect_text(model, "json", 0, &text, &ignored), HEFT_OK);
        heft_text_free(text);
        if (fits && heft_explain_text(model, t, 0, "text", 0, &text, &ignored) == HEFT_OK)
            heft_text_free(text);
    }
    free(q);
    heft_model_free(model);
    return HEFT_OK;
}

static heft_status try_it(const parcel *p, size_t without, const heft_table *t)
{
    blob              b = repack(p, without);
    const heft_status st = try_bytes(&b, t, true);
    free(b.data);
    return st;
}

/* A kind of calibration that there is not is refused, with and without its numbers. */
static void calibration_kinds(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, NULL, &(heft_config){.method = "nb", .calibrate = "vector"});
    blob        b = saved(model);
    parcel      p;
    unpack(&b, &p);
    tensor      *kind = tensor_of(&p, "calibration.kind");
    const size_t scale = (size_t)(tensor_of(&p, "calibration.scale") - p.t);
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_OK);
    for (unsigned char k = 0; k < 5; k++) {
        kind->data[0] = k;
        assert_int_equal(try_it(&p, SIZE_MAX, t), k == 2 ? HEFT_OK : HEFT_EFORMAT);
        assert_int_equal(try_it(&p, scale, t), HEFT_EFORMAT);
    }
    parcel_free(&p);
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

/* The second writer is right: what it writes unchanged is read. */
static void second_writer(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", NULL);
    blob        b = saved(model);
    parcel      p;
    unpack(&b, &p);
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_OK);
    parcel_free(&p);
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

/* Bytes worth changing: the end bytes of every number, where sign and size are, and every byte of
 * the small types. */
static bool worth(const tensor *v, size_t i)
{
    return v->size < 8 || i % 8 == 0 || i % 8 >= 6;
}

static bool is_common(const char *name)
{
    static const char *const starts[] = {"parameter", "setting", "target",   "class", "prep.",
                                         "attr.",     "lik.",    "training", "fact",  "log_prior"};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (strncmp(name, starts[k], strlen(starts[k])) == 0) return true;
    return false;
}

/* With `own`, only the tensors not every model has. Of long tensors a hundred elements. */
static void mutate_all(const heft_model *model, const heft_table *t, bool own)
{
    blob   b = saved(model), packed;
    parcel p;
    size_t at, n_tried = 0;
    unpack(&b, &p);
    packed = repack(&p, SIZE_MAX);
    char *sum = strstr((char *)packed.data + 8, "\"checksum\":\"");
    assert_non_null(sum);
    at = packed.n;
    for (size_t k = 0; k < p.n; k++) at -= p.t[k].n * p.t[k].size;
    for (size_t k = 0; k < p.n; k++) {
        tensor *v = &p.t[k];
        if (own && is_common(v->name)) {
            at += v->n * v->size;
            continue;
        }
        for (size_t i = 0; i < v->n * v->size; i++, at++) {
            static const unsigned char masks[] = {0x01, 0x80, 0xff, 0x7f, 0x40};
            const unsigned char        mask = masks[n_tried % sizeof masks];
            char                       digits[16];
            if (!worth(v, i) || (v->n > 200 && i / v->size % (v->n / 100) != 0)) continue;
            v->data[i] ^= mask;
            snprintf(digits, sizeof digits, "%08lx", (unsigned long)parcel_crc(&p, SIZE_MAX));
            memcpy(sum + 12, digits, 8);
            packed.data[at] ^= mask;
            try_bytes(&packed, t, own || n_tried % 8 == 0);
            n_tried++;
            packed.data[at] ^= mask;
            v->data[i] ^= mask;
        }
        try_it(&p, k, t); /* without the tensor, longer, shorter */
        v->n++;
        try_it(&p, SIZE_MAX, t);
        v->n--;
        if (v->n) {
            v->n--;
            try_it(&p, SIZE_MAX, t);
            v->n++;
        }
    }
    parcel_free(&p);
    free(packed.data);
    free(b.data);
}

/* Whatever byte of whatever tensor is changed, under a proper checksum, nothing bad comes of it. */
static void mutations(void **state)
{
    (void)state;
    heft_table *t = mixed_table(), *few = few_rows(t);
    for (size_t m = 0; m < heft_methods_count(); m++) {
        const heft_method *method = heft_methods_at(m);
        heft_model        *model = fit(few, method->name, NULL);
        mutate_all(model, few, method->family != HEFT_BASE);
        heft_model_free(model);
    }
    for (int shape = HEFT_W_ATTR; shape <= HEFT_W_VALUE; shape++) {
        heft_model *model = weighted_model(few, (heft_shape)shape);
        mutate_all(model, few, true);
        heft_model_free(model);
    }
    heft_table_free(few);
    heft_table_free(t);
}

static void put_odd_number(tensor *v, heft_rng *rng)
{
    static const double odd[] = {0,      -0.0, 1,     -1,       0.5,       3,   1e308, -1e308,
                                 5e-324, 1e15, -1e15, INFINITY, -INFINITY, NAN, 1e-300};
    const size_t        i = heft_rng_below(rng, v->n);
    const double        x = odd[heft_rng_below(rng, sizeof odd / sizeof *odd)];
    const uint64_t      w = heft_rng_below(rng, 4) ? heft_rng_below(rng, 8) : heft_rng_next(rng);
    memcpy(v->data + i * v->size, strcmp(v->type, "F64") == 0 ? (const void *)&x : &w, v->size);
}

/* Nor when several numbers are changed at once, to those that are odd in some way. */
static void odd_numbers(void **state)
{
    (void)state;
    heft_rng    rng;
    heft_table *t = mixed_table();
    heft_rng_init(&rng, 11, 0);
    for (size_t m = 0; m < heft_methods_count(); m++) {
        heft_model *model = fit(t, heft_methods_at(m)->name, NULL);
        blob        b = saved(model);
        for (int k = 0; k < 30; k++) {
            parcel p;
            unpack(&b, &p);
            for (uint64_t left = 1 + heft_rng_below(&rng, 3); left > 0; left--) {
                tensor *v = &p.t[heft_rng_below(&rng, p.n)];
                if (v->n) put_odd_number(v, &rng);
            }
            try_it(&p, SIZE_MAX, t);
            parcel_free(&p);
        }
        free(b.data);
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* Contradictions are refused, each for its reason. */
static void contradictions(void **state)
{
    (void)state;
    static const struct {
        const char *method, *tensor;
        size_t      at;
        double      number; /* F64, or a whole number for the others */
        const char *why;
    } cases[] = {
        {"nb", "log_prior", 0, 0.5, "tensor 'log_prior': 0.5 at place 0 is out of range"},
        {"nb", "log_prior", 0, NAN, "tensor 'log_prior': nan at place 0 is not a finite number"},
        {"nb", "log_prior", 0, INFINITY, "tensor 'log_prior': inf at place 0 is not a finite"},
        {"nb", "lik.table", 0, NAN, "'lik.table', attribute 'a \\xe9': nan at place 0 is not"},
        {"nb", "lik.table", 0, 1e300, "'lik.table', attribute 'a \\xe9': 1e+300 at place 0 is out"},
        {"nb", "lik.table", 3 * N_CLASS, -1, "its line of missing cells is not 0"},
        {"nb", "lik.sd", 0, -1, "'lik.sd', attribute 'x': -1 at place 0 is out of range"},
        {"nb", "lik.sd", 0, 1e-320, "attribute 'x': a standard deviation is out of range"},
        {"nb", "lik.mean", 0, INFINITY, "tensor 'lik.mean', attribute 'x': inf at place 0 is not"},
        {"gnb", "lik.sd", 0, 0, "attribute 'x': a standard deviation is out of range"},
        {"gnb", "lik.precision", 0, 0, "'lik.precision', attribute 'x': 0 at place 0 is out of"},
        {"flexnb", "lik.width", 0, 0, "'lik.width', attribute 'x': 0 at place 0 is out of range"},
        {"flexnb", "lik.point", 1, -1e9, "attribute 'x': the values of a class do not increase"},
        {"flexnb", "lik.log_mass", 0, 2, "'lik.log_mass', attribute 'x': 2 at place 0 is out of"},
        {"flexnb", "lik.start", 0, 1, "attribute 'x': the numbers are not offsets from 0 in order"},
        {"flexnb", "lik.start", 1, 1e6,
         "attribute 'x': the numbers are not offsets from 0 in order"},
        {"flexnb", "lik.start", N_CLASS, 1e6, "'lik.point' has"},
        {"flexnb", "attr.shift", 0, INFINITY, "tensor 'attr.shift', attribute 'x': inf"},
        {"nb", "lik.kind", 0, 0, "of another kind"},
        {"nb", "lik.kind", 1, 1, "of another kind"},
        {"nb", "lik.kind", 0, 9, "tensor 'lik.kind', attribute 'x': 9 at place 0 is out of range"},
        {"nb", "lik.silent", 0, 2, "tensor 'lik.silent', attribute 'x': 2 at place 0"},
        {"nb", "attr.kind", 0, 1, "of another kind"},
        {"nb", "attr.kind", 1, 0, "tensor 'attr.value.sizes' has values of attribute 1"},
        {"nb", "attr.value.sizes", 1, 4, "'attr.value.ends' has 6 elements, not 7"},
        {"nb", "attr.value.sizes", 1, 4294967295.0, "'attr.value.ends' has"},
        {"nb", "prep.cutting", 0, 9, "tensor 'prep.cutting': 9 at place 0 is out of range"},
        {"nb", "prep.sparse", 0, 7, "tensor 'prep.sparse': 7 at place 0 is out of range"},
        {"nb", "weight.shape", 0, 1, "it has no tensor 'weight'"},
        {"nb", "weight.shape", 0, 4, "tensor 'weight.shape': 4 at place 0 is out of range"},
        {"auto", "weight.shape", 0, 0, "tensor 'weight' has 5 elements, not 0"},
        {"nb", "calibration.kind", 0, 0, "tensor 'calibration.scale' has 4 elements, not 0"},
        {"nb", "calibration.kind", 0, 3, "tensor 'calibration.kind': 3 at place 0 is out of range"},
        {"nb", "calibration.shift", 1, 0.5, "a temperature is one factor for all classes"},
        {"nb", "calibration.scale", 0, -1, "tensor 'calibration.scale': -1 at place 0"},
        {"vwnb", "weight.offset", 1, 4,
         "tensor 'weight.offset': the weights do not fit the values"},
        {"nb", "weight.prior", 0, 1e300,
         "tensor 'weight.prior': 1e+300 at place 0 is out of range"},
        {"nb", "training.rows", 0, -1, "tensor 'training.rows': -1 at place 0 is out of range"},
        {"nb", "training.iterations", 0, 2e9,
         "tensor 'training.iterations': 2000000000 at place 0"},
        {"nb", "class.bytes", 0, 0, "tensor 'class.ends': the strings are not in order"},
        {"nb", "class.ends", 1, 1, "tensor 'class.ends': the strings are not in order"},
        {"nb", "attr.name.bytes", 0, 'b', "tensor 'attr.name': 'b' is there twice"},
        {"nb", "setting.smoothing.bytes", 0, 'x', "tensor 'setting.smoothing'"},
    };
    heft_table *t = mixed_table();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bool  calibrated = strncmp(cases[k].tensor, "calibration", 11) == 0;
        heft_model *model = fit(t, NULL,
                                &(heft_config){.method = cases[k].method,
                                               .calibrate = calibrated ? "temperature" : NULL});
        blob        b = saved(model);
        parcel      p;
        unpack(&b, &p);
        tensor        *v = tensor_of(&p, cases[k].tensor);
        const bool     real = strcmp(v->type, "F64") == 0;
        const uint64_t whole = real ? 0 : (uint64_t)cases[k].number;
        assert_true(cases[k].at < v->n);
        memcpy(v->data + cases[k].at * v->size, real ? (const void *)&cases[k].number : &whole,
               v->size);
        const heft_status st = try_it(&p, SIZE_MAX, t);
        if (st != HEFT_EFORMAT || !strstr(err.text, cases[k].why))
            fail_msg("%s %s: %d %s", cases[k].method, cases[k].tensor, (int)st, err.text);
        assert_non_null(strstr(err.text, "m.heft is damaged"));
        parcel_free(&p);
        free(b.data);
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* Cut points out of order, a fill that is no value, classes that are all impossible. */
static void more_contradictions(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", &(heft_config){.impute = "mean", .discretize = "width:5"});
    blob        b = saved(model);
    parcel      p;
    unpack(&b, &p);
    double *cuts = (double *)(void *)tensor_of(&p, "attr.cuts")->data, kept = cuts[1];
    cuts[1] = cuts[0];
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(
        strstr(err.text, "tensor 'attr.cuts', attribute 'x': the numbers do not increase"));
    cuts[1] = kept;
    double *fill = (double *)(void *)tensor_of(&p, "attr.fill")->data;
    kept = fill[1];
    fill[1] = 3;
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "its fill is not one of its values"));
    fill[1] = 0.5;
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    fill[1] = kept;
    double *prior = (double *)(void *)tensor_of(&p, "log_prior")->data;
    for (size_t c = 0; c < N_CLASS; c++) prior[c] = -INFINITY;
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "every class has probability 0"));
    parcel_free(&p);
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

/* ---- every tensor of every table ---- */

typedef struct damaging {
    const heft_model *model;
    const heft_table *t;
    parcel            p;
    size_t            n_tried;
} damaging;

/* The file with one thing changed is refused, and the sentence names the tensor (with `any`: some
 * tensor, since the length of this one tells that of others). */
static void expect_refusal(damaging *d, size_t without, const char *name, bool any,
                           const char *what)
{
    char named[128];
    snprintf(named, sizeof named, "tensor '%s'", name);
    const heft_status st = try_it(&d->p, without, d->t);
    if (st != HEFT_EFORMAT || !strstr(err.text, any ? "tensor '" : named))
        fail_msg("%s: %s %s: %d %s", d->model->method->name, name, what, (int)st,
                 st ? err.text : "accepted");
    d->n_tried++;
}

static void expect_number_refused(damaging *d, const heft_tensor *f, tensor *v, double x,
                                  const char *what)
{
    unsigned char  kept[8];
    const uint64_t whole = f->type == HEFT_F64 ? 0 : (uint64_t)x;
    if (!v->n) return;
    memcpy(kept, v->data, v->size);
    memcpy(v->data, f->type == HEFT_F64 ? (const void *)&x : &whole, v->size);
    expect_refusal(d, SIZE_MAX, f->name, false, what);
    memcpy(v->data, kept, v->size);
}

static void damage_numbers(damaging *d, const heft_tensor *f, tensor *v)
{
    const double most = ldexp(1, (int)(8 * v->size)) - 1; /* of an integer */
    if (f->type == HEFT_F64) {
        expect_number_refused(d, f, v, NAN, "NaN");
        expect_number_refused(d, f, v, INFINITY, "infinity");
        if (!f->infinite) expect_number_refused(d, f, v, -INFINITY, "-infinity");
        if (f->hi != 0 && f->hi < 1e300) expect_number_refused(d, f, v, 2 * f->hi + 1, "above");
        if (f->hi != 0 || f->lo != 0)
            expect_number_refused(d, f, v, f->lo - fabs(f->lo) - 1, "below");
    } else if (v->size < 8 && ((f->hi != 0 && f->hi < most) || f->below)) {
        expect_number_refused(d, f, v, most, "above");
    }
    if (f->order == HEFT_OFFSETS) expect_number_refused(d, f, v, 1, "an offset");
    if (f->order == HEFT_RISING && v->n > 1 && !f->each) {
        memcpy(v->data + v->size, v->data, v->size);
        expect_refusal(d, SIZE_MAX, f->name, false, "not increasing");
    }
}

/* Absent, of another type, longer and shorter. */
static void damage_shape(damaging *d, const heft_tensor *f, size_t k, const char *name)
{
    tensor    *v = &d->p.t[k], kept = *v;
    const bool any = f->counts || f->content == HEFT_DICTS;
    if (!f->optional) expect_refusal(d, k, name, false, "absent");
    else try_it(&d->p, k, d->t);
    v->data = calloc(v->n + 2, 8);
    v->size = 8;
    snprintf(v->type, sizeof v->type, "%s", strcmp(kept.type, "U64") == 0 ? "F64" : "U64");
    expect_refusal(d, SIZE_MAX, name, false, "of another type");
    free(v->data);
    *v = kept;
    v->n++;
    expect_refusal(d, SIZE_MAX, name, any, "longer");
    v->n = kept.n - 1;
    if (kept.n) expect_refusal(d, SIZE_MAX, name, any, "shorter");
    *v = kept;
}

static void damage_state(damaging *d, const heft_state *state)
{
    static const char *const endings[] = {".bytes", ".ends", ".sizes"};
    for (const heft_tensor *f = state->fields; f->name; f++) {
        if (f->own && d->model->method->state) damage_state(d, d->model->method->state);
        if (f->part) damage_state(d, f->part);
        for (size_t k = 0; !f->part && !f->own && k < d->p.n; k++) {
            tensor *v = &d->p.t[k], kept = *v;
            char    name[128];
            if (f->content == HEFT_NUMBERS && strcmp(v->name, f->name) == 0) {
                damage_shape(d, f, k, f->name);
                kept.data = malloc(v->n * v->size + 1);
                memcpy(kept.data, v->data, v->n * v->size);
                damage_numbers(d, f, v);
                memcpy(v->data, kept.data, v->n * v->size);
                free(kept.data);
            }
            for (size_t e = 0; f->content != HEFT_NUMBERS && e < 3; e++) {
                snprintf(name, sizeof name, "%s%s", f->name, endings[e]);
                if (strcmp(v->name, name) != 0) continue;
                if (e == 1) damage_shape(d, f, k, name);
                if (f->optional || e == 1) continue;
                expect_refusal(d, k, name, false, "absent");
                v->n++;
                expect_refusal(d, SIZE_MAX, f->name, true, "longer");
                v->n--;
            }
        }
    }
}

/* Whatever is wrong with whatever tensor of whatever method is refused by the tensor's name. */
static void every_tensor_is_checked(void **state)
{
    (void)state;
    static const heft_config ways[] = {
        {0},
        {.impute = "mean", .discretize = "width:3", .calibrate = "vector", .cost = "no:may be=2"}};
    heft_table *all = mixed_table(), *t = few_rows(all);
    size_t      n_tried = 0;
    for (size_t m = 0; m < 2 * heft_methods_count(); m++) {
        const heft_method *method = heft_methods_at(m / 2);
        heft_config        config = ways[m % 2];
        config.method = method->name;
        if (!method->state && method->family != HEFT_BASE && m % 2) continue; /* nothing new */
        damaging d = {.model = fit(t, NULL, &config), .t = t};
        blob     b = saved(d.model);
        unpack(&b, &d.p);
        damage_state(&d, method->state ? method->state : &heft_model_state);
        n_tried += d.n_tried;
        parcel_free(&d.p);
        free(b.data);
        heft_model_free((heft_model *)d.model);
    }
    assert_true(n_tried > 4000);
    heft_table_free(all);
    heft_table_free(t);
}

/* A tensor that no table of the method names is refused. */
static void unknown_tensors_are_refused(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, NULL, &(heft_config){.method = "rnb"});
    blob        b = saved(model);
    parcel      p;
    unpack(&b, &p);
    json_object_set_new(p.meta, "method", json_string("cawnb"));
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "tensor 'own.alpha' is not part of a model of method cawnb"));
    parcel_free(&p);
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

/* ---- docs/formats.md ---- */

static void describe_bounds(heft_buf *out, const heft_tensor *f)
{
    if (f->content != HEFT_NUMBERS) heft_buf_text(out, f->distinct ? "each once" : "");
    else if (f->lo == DBL_MIN || f->lo == DBL_TRUE_MIN) heft_buf_text(out, "above 0");
    else if (f->hi == DBL_MAX) heft_buf_printf(out, "at least %g", f->lo);
    else if (f->lo != 0 || f->hi != 0) heft_buf_printf(out, "%.10g to %.10g", f->lo, f->hi);
    else if (f->below) heft_buf_printf(out, "below %s", f->below->name);
    else heft_buf_text(out, f->order == HEFT_OFFSETS ? "" : f->type == HEFT_F64 ? "finite" : "");
    if (f->infinite) heft_buf_text(out, ", or -inf");
    if (f->order == HEFT_OFFSETS) heft_buf_text(out, "from 0, not falling");
    if (f->order == HEFT_RISING) heft_buf_text(out, ", increasing");
}

static void describe_field(heft_buf *out, const heft_tensor *f)
{
    static const char *const types[] = {"F64", "U8", "U16", "U32", "U64"};
    heft_buf_printf(out, "| `%s` | %s | ", f->name,
                    f->content == HEFT_NUMBERS ? types[f->type] : "text");
    for (size_t d = 0; d < 3 && f->dims[d]; d++)
        heft_buf_printf(out, "%s%s", d ? " x " : "", f->dims[d]->name);
    if (!f->dims[0])
        heft_buf_text(out, f->content == HEFT_DICTS ? "values"
                           : f->counts && !f->each  ? "any number"
                                                    : "1");
    if (f->each) heft_buf_printf(out, " per %s", f->each->what);
    if (f->where) heft_buf_printf(out, " where %s", f->where->name);
    heft_buf_text(out, " | ");
    describe_bounds(out, f);
    heft_buf_printf(out, " | %s%s |\n", f->help, f->optional ? " (may be absent)" : "");
}

/* The table of one state; parts of it that have a title get a table of their own. */
static void describe_state(heft_buf *out, const char *title, const heft_state *state)
{
    heft_buf_printf(out, "\n%s:\n\n| tensor | type | shape | values | |\n|---|---|---|---|---|\n",
                    title);
    for (const heft_tensor *f = state->fields; f->name; f++)
        if (!f->part && !f->own) describe_field(out, f);
    for (const heft_tensor *f = state->fields; f->name; f++)
        if (f->part && !strstr(out->data, f->part->title))
            describe_state(out, f->part->title, f->part);
}

static char *described(void)
{
    heft_buf out = {0};
    heft_ctx ctx;
    char    *text;
    describe_state(&out, heft_model_state.title, &heft_model_state);
    for (size_t m = 0; m < heft_methods_count(); m++) {
        const heft_state *state = heft_methods_at(m)->state;
        char              title[256] = "";
        bool              first = state != NULL;
        for (size_t k = 0; state && k < heft_methods_count(); k++) {
            const heft_state *other = heft_methods_at(k)->state;
            if (!other || other->fields != state->fields) continue;
            first = first && k >= m;
            snprintf(title + strlen(title), sizeof title - strlen(title), "%s%s",
                     title[0] ? ", " : "", heft_methods_at(k)->name);
        }
        if (first) describe_state(&out, title, state);
    }
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_buf_take(&ctx, &out, &text));
    heft_ctx_clear(&ctx);
    return text;
}

/* docs/formats.md lists the tables as they are. HEFT_WRITE_DOCS=1 brings it up to date. */
static void the_page_lists_the_tables(void **state)
{
    (void)state;
    static const char        begin[] = "<!-- tables -->\n", end[] = "\n<!-- end of tables -->";
    static const char *const places[] = {"docs", "../docs", "../../docs"};
    static char              page[1 << 16], name[1100];
    const char              *root = getenv("HEFT_ROOT");
    FILE                    *f = NULL;
    snprintf(name, sizeof name, "%s/docs/formats.md", root ? root : ".");
    for (size_t k = 0; !root && k < 3; k++) {
        snprintf(name, sizeof name, "%s/formats.md", places[k]);
        if (access(name, R_OK) == 0) break;
    }
    f = fopen(name, "rb");
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    char *from = strstr(page, begin), *to = strstr(page, end), *now = described();
    assert_non_null(from);
    assert_non_null(to);
    from += strlen(begin);
    if ((size_t)(to - from) != strlen(now) || memcmp(from, now, strlen(now)) != 0) {
        if (!getenv("HEFT_WRITE_DOCS"))
            fail_msg("%s is out of date: run store_test with HEFT_WRITE_DOCS=1", name);
        f = fopen(name, "wb");
        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(from - page), page, now, to);
        fclose(f);
    }
    heft_free(now);
}

/* A method this heft does not know is EUNSUPPORTED, by name; a parameter it does not know, damage.
 */
static void unknown_method(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", NULL);
    blob        b = saved(model);
    parcel      p;
    unpack(&b, &p);
    json_object_set_new(p.meta, "method", json_string("nb-of-tomorrow"));
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "m.heft: this heft has no method 'nb-of-tomorrow'"));
    json_object_set_new(p.meta, "method", json_string("nb"));
    static const char *const names[] = {"parameter.name", "parameter.value"};
    for (size_t k = 0; k < 2; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.bytes", names[k]);
        tensor *v = tensor_of(&p, name);
        v->data[v->n++] = 'z';
        const uint64_t end = v->n;
        snprintf(name, sizeof name, "%s.ends", names[k]);
        v = tensor_of(&p, name);
        ((uint64_t *)(void *)v->data)[v->n] = end;
        v->n++;
    }
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "method nb has no parameter 'z'"));
    parcel_free(&p);
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

/* A flipped bit in any byte and a cut at any length of a real model are refused. */
static void flips_and_cuts(void **state)
{
    (void)state;
    heft_table *t;
    double      x[] = {1, 2, 5, 6};
    int32_t     y[] = {0, 0, 1, 1};
    heft_model *back;
    OK(heft_table_create(4, &t, &err));
    OK(heft_table_add_numbers(t, "x", x, 1, &err));
    OK(heft_table_set_target(t, "y", y, classes, 2, &err));
    heft_model *model = fit(t, "nb", NULL);
    blob        b = saved(model);
    assert_int_equal(load(b.data, b.n, &back), HEFT_OK);
    heft_model_free(back);
    for (size_t i = 0; i < b.n; i++) {
        b.data[i] ^= (unsigned char)(1 << i % 8);
        if (load(b.data, b.n, &back) != HEFT_EFORMAT) fail_msg("byte %zu", i);
        b.data[i] ^= (unsigned char)(1 << i % 8);
        assert_int_equal(load(b.data, i, &back), HEFT_EFORMAT);
    }
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

/* What cannot be loaded again is not saved, and the file there before stays. */
static void unsound(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", NULL), *back;
    OK(heft_model_save(model, path, &err));
    model->fitted.lik[0].sd[0] = NAN;
    assert_int_equal(heft_model_save(model, path, &err), HEFT_ENUMERIC);
    assert_non_null(
        strstr(err.text, "tensor 'lik.sd', attribute 'x': nan at place 0 is not a finite"));
    OK(heft_model_load(path, &back, &err));
    heft_model_free(back);
    heft_model_free(model);
    heft_table_free(t);
}

/* Whichever allocation of a save or load fails: ENOMEM, no leak, no file half written. */
static void no_memory(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", &(heft_config){.impute = "mean", .discretize = "width:3"}),
               *back;
    heft_status st = HEFT_ENOMEM;
    blob        b = saved(model);
    unlink(path);
    for (size_t n = 1; st != HEFT_OK; n++) {
        heft_fail_alloc_at(n, n % 2);
        st = heft_model_save(model, path, &err);
        heft_fail_alloc_at(0, false);
        if (st == HEFT_OK) break;
        assert_int_equal(st, HEFT_ENOMEM);
        assert_int_equal(access(path, F_OK), -1);
    }
    st = HEFT_ENOMEM;
    for (size_t n = 1; st != HEFT_OK; n++) {
        heft_fail_alloc_at(n, n % 2);
        st = load(b.data, b.n, &back);
        heft_fail_alloc_at(0, false);
        if (st != HEFT_OK) assert_int_equal(st, HEFT_ENOMEM);
    }
    heft_model_free(back);
    free(b.data);
    heft_model_free(model);
    heft_table_free(t);
}

static int set_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path(".heft"));
    return 0;
}

static int drop_path(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods),
        cmocka_unit_test(sparse_models),
        cmocka_unit_test(weights),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(second_writer),
        cmocka_unit_test(calibration_kinds),
        cmocka_unit_test(mutations),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(more_contradictions),
        cmocka_unit_test(every_tensor_is_checked),
        cmocka_unit_test(unknown_tensors_are_refused),
        cmocka_unit_test(the_page_lists_the_tables),
        cmocka_unit_test(unknown_method),
        cmocka_unit_test(flips_and_cuts),
        cmocka_unit_test(unsound),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, set_path, drop_path);
}
