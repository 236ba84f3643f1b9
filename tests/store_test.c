/* store_test.c - a model comes back from its file as it was, and damage to the file is noticed. */
#include "stored.h"

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
#include "predict/predict.h"
#include "train/fit.h"

/* ---- tables and models ---- */

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
            if (st == HEFT_EINVAL && heft_config_check(&config, &err) == HEFT_EINVAL) continue;
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
    assert_string_equal(back->set.prior, "caf\xe9=0.5,no=0.5");
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

/* ---- docs/formats.md ---- */

static void describe_bounds(heft_buf *out, const heft_tensor *f)
{
    if (f->content != HEFT_NUMBERS)
        heft_buf_text(out, f->order == HEFT_DISTINCT ? "each once" : "");
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
    heft_buf_printf(out, "| `%s` | %s", f->name,
                    f->content == HEFT_NUMBERS ? types[f->type] : "text");
    if (f->memory.packed.step) heft_buf_printf(out, " or %s", types[f->memory.packed.type]);
    heft_buf_text(out, " | ");
    for (size_t d = 0; d < 3 && f->dims[d]; d++)
        heft_buf_printf(out, "%s%s", d ? " x " : "", f->dims[d]->name);
    if (!f->dims[0])
        heft_buf_text(out, f->content == HEFT_DICTS       ? "values"
                           : f->length.counts && !f->each ? "any number"
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
        if (!f->part.state && !f->part.own) describe_field(out, f);
    for (const heft_tensor *f = state->fields; f->name; f++)
        if (f->part.state && !strstr(out->data, f->part.state->title))
            describe_state(out, f->part.state->title, f->part.state);
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
static void invalid(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods),
        cmocka_unit_test(sparse_models),
        cmocka_unit_test(weights),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(the_page_lists_the_tables),
        cmocka_unit_test(flips_and_cuts),
        cmocka_unit_test(invalid),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, set_path, drop_path);
}
