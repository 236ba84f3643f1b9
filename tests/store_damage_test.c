/* store_damage_test.c - a model file made to mislead does no harm: it is refused, or it predicts
 * proper probabilities. */
#include "stored.h"

#include <float.h>

#include "base/mem.h"
#include "base/text.h"
#include "parcel.h"
#include "predict/predict.h"

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

/* ---- model files taken apart ---- */

static void unpack(const blob *b, parcel *p)
{
    assert_true(parcel_open(p, b->data, b->n));
}

static void take_apart(const heft_model *model, parcel *p)
{
    blob b = saved(model);
    unpack(&b, p);
    free(b.data);
}

static blob repack(const parcel *p, size_t without)
{
    blob b;
    b.data = parcel_bytes(p, without, &b.n);
    assert_non_null(b.data);
    return b;
}

static parcel_tensor *tensor_of(parcel *p, const char *name)
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

/* With tensor v of another length. */
static heft_status try_length(const parcel *p, parcel_tensor *v, size_t n, const heft_table *t)
{
    const parcel_tensor kept = *v;
    *v = parcel_resized(&kept, n);
    const heft_status st = try_it(p, SIZE_MAX, t);
    parcel_release(v);
    *v = kept;
    return st;
}

/* A kind of calibration that there is not is refused, with and without its numbers. */
static void calibration_kinds(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, NULL, &(heft_config){.method = "nb", .calibrate = "vector"});
    parcel      p;
    take_apart(model, &p);
    parcel_tensor *kind = tensor_of(&p, "calibration.kind");
    const size_t   scale = (size_t)(tensor_of(&p, "calibration.scale") - p.t);
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_OK);
    for (unsigned char k = 0; k < 5; k++) {
        kind->data[0] = k;
        assert_int_equal(try_it(&p, SIZE_MAX, t), k == 2 ? HEFT_OK : HEFT_EFORMAT);
        assert_int_equal(try_it(&p, scale, t), HEFT_EFORMAT);
    }
    parcel_close(&p);
    heft_model_free(model);
    heft_table_free(t);
}

/* The second writer is right: what it writes unchanged is read. */
static void second_writer(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", NULL);
    parcel      p;
    take_apart(model, &p);
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_OK);
    parcel_close(&p);
    heft_model_free(model);
    heft_table_free(t);
}

/* Bytes worth changing: the end bytes of every number, where sign and size are, and every byte of
 * the small types. */
static bool worth(const parcel_tensor *v, size_t i)
{
    return v->width < 8 || i % 8 == 0 || i % 8 >= 6;
}

static bool is_common(const char *name)
{
    static const char *const starts[] = {"parameter", "setting", "target",   "class", "prep.",
                                         "attr.",     "lik.",    "training", "fact",  "log_prior"};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (strncmp(name, starts[k], strlen(starts[k])) == 0) return true;
    return false;
}

/* With `own`, only the tensors not every model has. Of long tensors `most` elements. */
static void mutate_all(const heft_model *model, const heft_table *t, bool own)
{
    const size_t most = SANITIZED ? 30 : 100;
    blob         packed;
    parcel       p;
    size_t       at, n_tried = 0;
    take_apart(model, &p);
    packed = repack(&p, SIZE_MAX);
    char *sum = strstr((char *)packed.data + 8, "\"checksum\":\"");
    assert_non_null(sum);
    at = packed.n;
    for (size_t k = 0; k < p.n; k++) at -= p.t[k].bytes;
    for (size_t k = 0; k < p.n; k++) {
        parcel_tensor *v = &p.t[k];
        const size_t   n = parcel_count(v);
        if (own && is_common(v->name)) {
            at += v->bytes;
            continue;
        }
        for (size_t i = 0; i < v->bytes; i++, at++) {
            static const unsigned char masks[] = {0x01, 0x80, 0xff, 0x7f, 0x40};
            const unsigned char        mask = masks[n_tried % sizeof masks];
            char                       digits[16];
            if (!worth(v, i) || (n > 2 * most && i / v->width % (n / most) != 0)) continue;
            v->data[i] ^= mask;
            assert_true(parcel_checksum(&p, SIZE_MAX, digits));
            memcpy(sum + 12, digits, 8);
            packed.data[at] ^= mask;
            try_bytes(&packed, t, own || n_tried % 8 == 0);
            n_tried++;
            packed.data[at] ^= mask;
            v->data[i] ^= mask;
        }
        try_it(&p, k, t); /* without the tensor, longer, shorter */
        try_length(&p, v, n + 1, t);
        if (n) try_length(&p, v, n - 1, t);
    }
    parcel_close(&p);
    free(packed.data);
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

static void put_odd_number(parcel_tensor *v, heft_rng *rng)
{
    static const double odd[] = {0,      -0.0, 1,     -1,       0.5,       3,   1e308, -1e308,
                                 5e-324, 1e15, -1e15, INFINITY, -INFINITY, NAN, 1e-300};
    const size_t        i = heft_rng_below(rng, parcel_count(v));
    const double        x = odd[heft_rng_below(rng, sizeof odd / sizeof *odd)];
    const uint64_t      w = heft_rng_below(rng, 4) ? heft_rng_below(rng, 8) : heft_rng_next(rng);
    memcpy(v->data + i * v->width, strcmp(v->type, "F64") == 0 ? (const void *)&x : &w, v->width);
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
                parcel_tensor *v = &p.t[heft_rng_below(&rng, p.n)];
                if (v->bytes) put_odd_number(v, &rng);
            }
            try_it(&p, SIZE_MAX, t);
            parcel_close(&p);
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
        parcel      p;
        take_apart(model, &p);
        parcel_tensor *v = tensor_of(&p, cases[k].tensor);
        const bool     real = strcmp(v->type, "F64") == 0;
        const uint64_t whole = real ? 0 : (uint64_t)cases[k].number;
        assert_true(cases[k].at < parcel_count(v));
        memcpy(v->data + cases[k].at * v->width, real ? (const void *)&cases[k].number : &whole,
               v->width);
        const heft_status st = try_it(&p, SIZE_MAX, t);
        if (st != HEFT_EFORMAT || !strstr(err.text, cases[k].why))
            fail_msg("%s %s: %d %s", cases[k].method, cases[k].tensor, (int)st, err.text);
        assert_non_null(strstr(err.text, "m.heft is damaged"));
        parcel_close(&p);
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
    parcel      p;
    take_apart(model, &p);
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
    parcel_close(&p);
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

static void expect_number_refused(damaging *d, const heft_tensor *f, parcel_tensor *v, double x,
                                  const char *what)
{
    unsigned char  kept[8];
    const uint64_t whole = f->type == HEFT_F64 ? 0 : (uint64_t)x;
    if (!v->bytes) return;
    memcpy(kept, v->data, v->width);
    memcpy(v->data, f->type == HEFT_F64 ? (const void *)&x : &whole, v->width);
    expect_refusal(d, SIZE_MAX, f->name, false, what);
    memcpy(v->data, kept, v->width);
}

static void damage_numbers(damaging *d, const heft_tensor *f, parcel_tensor *v)
{
    const double most = ldexp(1, (int)(8 * v->width)) - 1; /* of an integer */
    if (f->memory.packed.step && strcmp(v->type, "F64") != 0)
        return; /* every whole number is valid */
    if (f->type == HEFT_F64) {
        expect_number_refused(d, f, v, NAN, "NaN");
        expect_number_refused(d, f, v, INFINITY, "infinity");
        if (!f->infinite) expect_number_refused(d, f, v, -INFINITY, "-infinity");
        if (f->hi != 0 && f->hi < 1e300) expect_number_refused(d, f, v, 2 * f->hi + 1, "above");
        if (f->hi != 0 || f->lo != 0)
            expect_number_refused(d, f, v, f->lo - fabs(f->lo) - 1, "below");
    } else if (v->width < 8 && ((f->hi != 0 && f->hi < most) || f->below)) {
        expect_number_refused(d, f, v, most, "above");
    }
    if (f->order == HEFT_OFFSETS) expect_number_refused(d, f, v, 1, "an offset");
    if (f->order == HEFT_RISING && parcel_count(v) > 1 && !f->each) {
        memcpy(v->data + v->width, v->data, v->width);
        expect_refusal(d, SIZE_MAX, f->name, false, "not increasing");
    }
}

static void expect_length_refused(damaging *d, parcel_tensor *v, size_t n, const char *name,
                                  bool any, const char *what)
{
    const parcel_tensor kept = *v;
    *v = parcel_resized(&kept, n);
    expect_refusal(d, SIZE_MAX, name, any, what);
    parcel_release(v);
    *v = kept;
}

/* Absent, of another type, longer and shorter. */
static void damage_shape(damaging *d, const heft_tensor *f, size_t k, const char *name)
{
    parcel_tensor *v = &d->p.t[k], kept = *v;
    const size_t   n = parcel_count(v);
    const bool     any = f->length.counts || f->content == HEFT_DICTS;
    if (!f->optional) expect_refusal(d, k, name, false, "absent");
    else try_it(&d->p, k, d->t);
    v->data = calloc(n + 1, 8);
    v->width = 8;
    v->bytes = 8 * n;
    snprintf(v->type, sizeof v->type, "%s", strcmp(kept.type, "U64") == 0 ? "F64" : "U64");
    expect_refusal(d, SIZE_MAX, name, false, "of another type");
    free(v->data);
    *v = kept;
    expect_length_refused(d, v, n + 1, name, any, "longer");
    if (n) expect_length_refused(d, v, n - 1, name, any, "shorter");
}

static void damage_state(damaging *d, const heft_state *state)
{
    static const char *const endings[] = {".bytes", ".ends", ".sizes"};
    for (const heft_tensor *f = state->fields; f->name; f++) {
        if (f->part.own && d->model->method->state) damage_state(d, d->model->method->state);
        if (f->part.state) damage_state(d, f->part.state);
        for (size_t k = 0; !f->part.state && !f->part.own && k < d->p.n; k++) {
            parcel_tensor *v = &d->p.t[k], kept = *v;
            char           name[128];
            if (f->content == HEFT_NUMBERS && strcmp(v->name, f->name) == 0) {
                damage_shape(d, f, k, f->name);
                kept.data = malloc(v->bytes + 1);
                memcpy(kept.data, v->data, v->bytes);
                damage_numbers(d, f, v);
                memcpy(v->data, kept.data, v->bytes);
                free(kept.data);
            }
            for (size_t e = 0; f->content != HEFT_NUMBERS && e < 3; e++) {
                snprintf(name, sizeof name, "%s%s", f->name, endings[e]);
                if (strcmp(v->name, name) != 0) continue;
                if (e == 1) damage_shape(d, f, k, name);
                if (f->optional || e == 1) continue;
                expect_refusal(d, k, name, false, "absent");
                expect_length_refused(d, v, parcel_count(v) + 1, f->name, true, "longer");
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
        if (SANITIZED && method->state && m / 2 % 2 == m % 2)
            continue; /* the other way is enough */
        damaging d = {.model = fit(t, NULL, &config), .t = t};
        take_apart(d.model, &d.p);
        damage_state(&d, method->state ? method->state : &heft_model_state);
        n_tried += d.n_tried;
        parcel_close(&d.p);
        heft_model_free((heft_model *)d.model);
    }
    assert_true(n_tried > (SANITIZED ? 2000 : 4000));
    heft_table_free(all);
    heft_table_free(t);
}

/* Five columns of which four decide together. */
static heft_table *four_ways(void)
{
    enum { ROWS = 600, COLS = 5 };
    static const char *const three[] = {"r", "s", "t"}, *const two[] = {"no", "yes"};
    static const char *const names[] = {"p", "q", "u", "v", "w"};
    int32_t                  x[ROWS * COLS], y[ROWS];
    heft_rng                 rng;
    frame f = {.n_rows = ROWS, .n_cols = COLS, .y = y, .classes = two, .n_class = 2};
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < ROWS; i++) {
        int32_t sum = 0;
        for (size_t j = 0; j < COLS; j++) {
            x[i * COLS + j] = (int32_t)heft_rng_below(&rng, 3);
            if (j < 4) sum += x[i * COLS + j] * (int32_t)(j + 1);
        }
        y[i] = sum % 5 < 2;
    }
    for (size_t j = 0; j < COLS; j++)
        f.cols[j] = (field){names[j], .codes = x + j, .step = COLS, .values = three, .n_values = 3};
    return table_of(&f);
}

/* Where paths test more than three attributes the file lists the interactions. */
static void listed_interactions(void **state)
{
    (void)state;
    static const struct {
        size_t      at;
        uint32_t    number;
        const char *why;
    } cases[] = {{0, 5, "attributes do not increase"},
                 {1, 0, "attributes do not increase"},
                 {0, UINT32_MAX, "attributes do not increase"},
                 {1, 4, "interactions are not in order"},
                 {2, 3, "interactions are not in order"}};
    heft_table *t = four_ways();
    heft_model *model = fit(t, "auto", WITH("order=any"));
    parcel      p;
    take_apart(model, &p);
    parcel_tensor *listed = tensor_of(&p, "own.joint.attrs");
    uint32_t       kept, *number = (uint32_t *)(void *)listed->data;
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        kept = number[cases[k].at];
        number[cases[k].at] = cases[k].number;
        assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
        if (!strstr(err.text, "own.joint.attrs") || !strstr(err.text, cases[k].why))
            fail_msg("%zu: %s", k, err.text);
        number[cases[k].at] = kept;
    }
    assert_int_equal(try_it(&p, (size_t)(listed - p.t), t), HEFT_EFORMAT); /* without it */
    parcel_resize(listed, parcel_count(listed) - 1);
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    parcel_resize(listed, parcel_count(listed) - 2); /* one interaction less than there are sizes */
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    parcel_close(&p);
    heft_model_free(model);
    heft_table_free(t);
}

/* A tensor that no table of the method names is refused. */
static void unknown_tensors_are_refused(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, NULL, &(heft_config){.method = "rnb"});
    parcel      p;
    take_apart(model, &p);
    json_object_set_new(p.meta, "method", json_string("cawnb"));
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "tensor 'own.alpha' is not part of a model of method cawnb"));
    parcel_close(&p);
    heft_model_free(model);
    heft_table_free(t);
}

/* A method this heft does not know is EUNSUPPORTED, by name; a parameter it does not know, damage.
 */
static void unknown_method(void **state)
{
    (void)state;
    heft_table *t = mixed_table();
    heft_model *model = fit(t, "nb", NULL);
    parcel      p;
    take_apart(model, &p);
    json_object_set_new(p.meta, "method", json_string("nb-of-tomorrow"));
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "m.heft: this heft has no method 'nb-of-tomorrow'"));
    json_object_set_new(p.meta, "method", json_string("nb"));
    static const char *const names[] = {"parameter.name", "parameter.value"};
    for (size_t k = 0; k < 2; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.bytes", names[k]);
        parcel_tensor *v = tensor_of(&p, name);
        const uint64_t end = parcel_count(v) + 1;
        parcel_resize(v, end);
        v->data[end - 1] = 'z';
        snprintf(name, sizeof name, "%s.ends", names[k]);
        v = tensor_of(&p, name);
        parcel_resize(v, parcel_count(v) + 1);
        memcpy(v->data + v->bytes - v->width, &end, v->width);
    }
    assert_int_equal(try_it(&p, SIZE_MAX, t), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "method nb has no parameter 'z'"));
    parcel_close(&p);
    heft_model_free(model);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibration_kinds),
        cmocka_unit_test(second_writer),
        cmocka_unit_test(mutations),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(more_contradictions),
        cmocka_unit_test(every_tensor_is_checked),
        cmocka_unit_test(listed_interactions),
        cmocka_unit_test(unknown_tensors_are_refused),
        cmocka_unit_test(unknown_method),
    };
    return cmocka_run_group_tests(tests, set_path, drop_path);
}
