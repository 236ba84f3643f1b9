/* arrow_test.c - record batches become the table of a CSV file with the same cells: every type,
 * nulls, offsets, several batches; who releases what, and when; damaged arrays.
 *
 * Columns are written down once, as texts, and encoded twice: as CSV and as Arrow buffers. Every
 * array is on the heap, so that the sanitizers see what is released twice, late or never. */
#include "reading.h"

#include "heft_arrow.h"

enum { ROWS = 7, MOST_COLUMNS = 24 };

typedef struct spec {
    const char *name, *format;
    const char *dictionary; /* its format; NULL: none */
    const char *values[4];  /* of the dictionary */
    const char *cells[ROWS];
} spec;

#define X NULL /* null */
static const spec every[] = {
    {"i8", "c", NULL, {0}, {"1", X, "-128", "127", "0", "5", "6"}},
    {"u8", "C", NULL, {0}, {"1", "255", X, "7", "0", "5", "6"}},
    {"i16", "s", NULL, {0}, {"-32768", "2", "3", X, "0", "5", "6"}},
    {"u16", "S", NULL, {0}, {"65535", "2", "3", "4", X, "5", "6"}},
    {"i32", "i", NULL, {0}, {"-2147483648", "2", "3", "4", "0", X, "6"}},
    {"u32", "I", NULL, {0}, {"4294967295", "2", "3", "4", "0", "5", X}},
    {"i64", "l", NULL, {0}, {"-9007199254740993", X, "3", X, "0", "5", "6"}},
    {"u64", "L", NULL, {0}, {"18446744073709551615", "2", X, "4", X, "5", "6"}},
    {"f16", "e", NULL, {0}, {"0.5", "-2", "65504", X, "5.9604644775390625e-08", "0.25", "6"}},
    {"f32", "f", NULL, {0}, {"0.5", "-1.25", X, "4", "0", "1048577", "6"}},
    {"f64", "g", NULL, {0}, {"0.1", "-1e300", X, "4", "0", "5", "6"}},
    {"full", "g", NULL, {0}, {"0.1", "1e-300", "2.5", "4", "0", "5", "6"}},
    {"d32", "d:9,2,32", NULL, {0}, {"0.10", "-1.25", X, "4.00", "0.00", "21474836.47", "6.00"}},
    {"d64", "d:18,3,64", NULL, {0}, {"0.100", "-1.251", X, "4.000", "9007199254740.993", "0.3", X}},
    {"d128",
     "d:38,4",
     NULL,
     {0},
     {"0.1000", "-1.2512", X, "1234567890123456789012345678901234.5678", "0.0000",
      "-9999999999999999999999999999999999.9999", "922337203685477.5808"}},
    {"bool", "b", NULL, {0}, {"True", "False", X, "True", "True", "False", X}},
    {"text",
     "u",
     NULL,
     {0},
     {"red", X, "green", "a longer text, with \"quotes\"", "red", "z", "x"}},
    {"large", "U", NULL, {0}, {"red", "blue", "green", X, "red", "\xc3\xa4", "x"}},
    {"view",
     "vu",
     NULL,
     {0},
     {"red", "twelve bytes", "thirteen byte", X, "red", "thirteen byte", "x"}},
    {"words", "c", "u", {"a", "b", "c"}, {"a", "c", X, "b", "b", "a", "c"}},
    {"numbers", "I", "g", {"0.5", "2", "10"}, {"2", "0.5", X, "10", "2", "2", "0.5"}},
    {"wide",
     "l",
     "L",
     {"1", "18446744073709551615"},
     {"1", "18446744073709551615", X, "1", "1", "1", "1"}},
    {"class", "u", NULL, {0}, {"yes", "no", "yes", "no", "yes", "yes", "no"}},
};
enum { COLUMNS = sizeof every / sizeof *every };

/* ---- Arrow by hand ---- */

static size_t n_released, n_made; /* batches */

static void free_array(struct ArrowArray *a)
{
    assert_non_null(a->release);
    for (int64_t k = 0; k < a->n_buffers; k++) free((void *)a->buffers[k]);
    for (int64_t j = 0; j < a->n_children; j++) {
        if (a->children[j]->release) a->children[j]->release(a->children[j]);
        free(a->children[j]);
    }
    if (a->dictionary) a->dictionary->release(a->dictionary);
    free(a->dictionary);
    free(a->children);
    free(a->buffers);
    a->release = NULL;
}

static void free_batch(struct ArrowArray *a)
{
    n_released++;
    free_array(a);
}

static void *zeros(size_t n)
{
    return calloc(n ? n : 1, 1);
}

static void put_bit(unsigned char *bits, size_t i, bool on)
{
    if (on) bits[i / 8] = (unsigned char)(bits[i / 8] | 1 << i % 8);
}

static uint16_t half_of(double x) /* exact ones */
{
    int          e;
    const double f = fabs(x), m = frexp(f, &e); /* f = m 2^e, m in [0.5, 1) */
    const int    sign = x < 0 ? 1 << 15 : 0;
    if (f == 0) return (uint16_t)sign;
    if (e < -13) return (uint16_t)(sign | (int)ldexp(f, 24));
    return (uint16_t)(sign | (e + 14) << 10 | ((int)(m * 2048) & 1023));
}

/* The digits of a decimal, without its point and with as many places as its type has. */
static void put_decimal(unsigned char *at, unsigned width, int places, const char *text)
{
    __extension__ typedef __int128 wide;
    wide                           v = 0;
    int                            seen = -1;
    for (const char *p = text + (*text == '-'); *p; p++) {
        if (*p == '.') seen = 0;
        else v = v * 10 + (*p - '0'), seen += seen >= 0;
    }
    for (int k = seen < 0 ? 0 : seen; k < places; k++) v *= 10;
    if (*text == '-') v = -v;
    memcpy(at, &v, width); /* little-endian */
}

static void put_number(const char *format, unsigned char *cells, size_t i, const char *text)
{
#define PUT(letter, type, value)                                                                   \
    if (*format == (letter)) {                                                                     \
        const type v_ = (type)(value);                                                             \
        memcpy(cells + i * sizeof v_, &v_, sizeof v_);                                             \
    }
    PUT('c', int8_t, atoi(text))
    PUT('C', uint8_t, atoi(text))
    PUT('s', int16_t, atoi(text))
    PUT('S', uint16_t, atoi(text))
    PUT('i', int32_t, atoll(text))
    PUT('I', uint32_t, atoll(text))
    PUT('l', int64_t, strtoll(text, NULL, 10))
    PUT('L', uint64_t, strtoull(text, NULL, 10))
    PUT('e', uint16_t, half_of(strtod(text, NULL)))
    PUT('f', float, strtod(text, NULL))
    PUT('g', double, strtod(text, NULL))
    if (*format == 'b') put_bit(cells, i, strcmp(text, "True") == 0);
    if (*format == 'd') {
        const char    *bits = strchr(strchr(format, ',') + 1, ',');
        const unsigned width = bits ? (unsigned)atoi(bits + 1) / 8 : 16;
        put_decimal(cells + i * width, width, atoi(strchr(format, ',') + 1), text);
    }
#undef PUT
}

static struct ArrowArray *encode(const char *format, const char *const *cells, size_t n,
                                 size_t pad);

/* Offsets and the bytes behind one another. */
static void put_texts(struct ArrowArray *a, bool large, const char *const *cells, size_t n,
                      size_t pad)
{
    size_t  total = 0, at = 0;
    int32_t narrow;
    int64_t wide;
    for (size_t i = 0; i < n; i++) total += cells[i] ? strlen(cells[i]) : 0;
    char          *data = zeros(total);
    unsigned char *ends = zeros((pad + n + 1) * 8);
    for (size_t i = 0; i <= pad + n; i++) {
        narrow = (int32_t)at, wide = (int64_t)at;
        memcpy(ends + i * (large ? 8 : 4), large ? (void *)&wide : (void *)&narrow, large ? 8 : 4);
        const char *cell = i >= pad && i < pad + n ? cells[i - pad] : NULL;
        if (cell) memcpy(data + at, cell, strlen(cell)), at += strlen(cell);
    }
    a->buffers[1] = ends;
    a->buffers[2] = data;
}

/* Long texts are in the second of two buffers. */
static void put_views(struct ArrowArray *a, const char *const *cells, size_t n, size_t pad)
{
    unsigned char *views = zeros((pad + n) * 16);
    char          *data = zeros(1000);
    int32_t        at = 0, which = 1;
    for (size_t i = 0; i < n; i++) {
        const int32_t  size = cells[i] ? (int32_t)strlen(cells[i]) : 0;
        unsigned char *v = views + (pad + i) * 16;
        memcpy(v, &size, 4);
        if (size) memcpy(v + 4, cells[i], size <= 12 ? (size_t)size : 4);
        if (size <= 12) continue;
        memcpy(v + 8, &which, 4), memcpy(v + 12, &at, 4);
        memcpy(data + at, cells[i], (size_t)size);
        at += size;
    }
    const int64_t sizes[2] = {0, at};
    a->buffers[1] = views;
    a->buffers[3] = data;
    a->buffers[4] = memcpy(zeros(sizeof sizes), sizes, sizeof sizes);
}

static struct ArrowArray *encode(const char *format, const char *const *cells, size_t n, size_t pad)
{
    struct ArrowArray *a = zeros(sizeof *a);
    const bool         text = *format == 'u' || *format == 'U', view = *format == 'v';
    unsigned char     *valid = zeros((pad + n) / 8 + 1);
    *a = (struct ArrowArray){.length = (int64_t)n, .offset = (int64_t)pad, .release = free_array};
    a->n_buffers = *format == 'n' ? 0 : text ? 3 : view ? 5 : 2;
    a->buffers = zeros((size_t)a->n_buffers * sizeof *a->buffers);
    for (size_t i = 0; i < n; i++) {
        put_bit(valid, pad + i, cells[i] != NULL);
        a->null_count += !cells[i];
    }
    if (a->n_buffers && a->null_count) a->buffers[0] = valid;
    else free(valid);
    if (text) put_texts(a, *format == 'U', cells, n, pad);
    else if (view) put_views(a, cells, n, pad);
    else if (a->n_buffers) {
        unsigned char *at = zeros((pad + n) * 16);
        for (size_t i = 0; i < n; i++)
            if (cells[i]) put_number(format, at, pad + i, cells[i]);
        a->buffers[1] = at;
    }
    return a;
}

/* A column with a dictionary; `turned`: its values are the other way round. */
static struct ArrowArray *encode_coded(const spec *s, const char *const *cells, size_t n,
                                       size_t pad, bool turned)
{
    const char *index[2 * ROWS], *values[4];
    char        texts[2 * ROWS][8];
    size_t      n_values = 0;
    while (n_values < 4 && s->values[n_values]) n_values++;
    for (size_t v = 0; v < n_values; v++) values[v] = s->values[turned ? n_values - 1 - v : v];
    for (size_t i = 0; i < n; i++) {
        index[i] = NULL;
        for (size_t v = 0; v < n_values; v++)
            if (cells[i] && strcmp(values[v], cells[i]) == 0)
                index[i] = (snprintf(texts[i], sizeof texts[i], "%zu", v), texts[i]);
    }
    struct ArrowArray *a = encode(s->format, index, n, pad);
    a->dictionary = encode(s->dictionary, values, n_values, pad);
    return a;
}

typedef struct shape {
    size_t pad, parent; /* offsets of columns and of the batch */
    bool   turned;      /* other dictionaries */
} shape;

/* Rows lo .. hi - 1. The columns have `parent` rows more, of which nothing is to be read. */
static struct ArrowArray batch_of(const spec *specs, size_t n_cols, size_t lo, size_t hi, shape how)
{
    struct ArrowArray b = {.length = (int64_t)(hi - lo), .offset = (int64_t)how.parent};
    b.n_buffers = 1, b.release = free_batch, b.n_children = (int64_t)n_cols;
    b.buffers = zeros(sizeof *b.buffers);
    b.children = zeros(n_cols * sizeof *b.children);
    for (size_t j = 0; j < n_cols; j++) {
        const char *cells[2 * ROWS] = {0};
        for (size_t i = lo; i < hi; i++) cells[how.parent + i - lo] = specs[j].cells[i];
        const size_t n = how.parent + hi - lo;
        assert_true(n <= 2 * ROWS);
        b.children[j] = specs[j].dictionary ? encode_coded(&specs[j], cells, n, how.pad, how.turned)
                                            : encode(specs[j].format, cells, n, how.pad);
    }
    n_made++;
    return b;
}

/* ---- schemas: they stay the caller's ---- */

static struct ArrowSchema  children[MOST_COLUMNS], dictionaries[MOST_COLUMNS];
static struct ArrowSchema *pointers[MOST_COLUMNS];

static void no_release(struct ArrowSchema *s)
{
    s->release = NULL;
}

static struct ArrowSchema schema_of(const spec *specs, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        dictionaries[j] =
            (struct ArrowSchema){.format = specs[j].dictionary, .release = no_release};
        children[j] =
            (struct ArrowSchema){.format = specs[j].format,
                                 .name = specs[j].name,
                                 .dictionary = specs[j].dictionary ? &dictionaries[j] : NULL,
                                 .release = no_release};
        pointers[j] = &children[j];
    }
    return (struct ArrowSchema){
        .format = "+s", .n_children = (int64_t)n, .children = pointers, .release = no_release};
}

/* ---- streams ---- */

typedef struct feed { /* what a stream still has */
    struct ArrowSchema schema;
    struct ArrowArray  batches[4];
    size_t             n, at, fail_at; /* fail_at: 1 + the batch that is an error */
    size_t             n_released;
} feed;

static int next_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const feed *f = s->private_data;
    if (f->fail_at == 100) return 5;
    *out = f->schema;
    return 0;
}

static int next_batch(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    feed *f = s->private_data;
    if (f->fail_at && f->at + 1 == f->fail_at) return 5;
    *out = (struct ArrowArray){0};
    if (f->at < f->n) *out = f->batches[f->at], f->batches[f->at++].release = NULL;
    return 0;
}

static const char *last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "the server is gone";
}

static void end_stream(struct ArrowArrayStream *s)
{
    feed *f = s->private_data;
    for (size_t k = 0; k < f->n; k++)
        if (f->batches[k].release) f->batches[k].release(&f->batches[k]);
    f->n_released++;
    s->release = NULL;
}

static struct ArrowArrayStream stream_of(feed *f)
{
    return (struct ArrowArrayStream){next_schema, next_batch, last_error, end_stream, f};
}

/* ---- tests ---- */

/* The columns as a CSV file has them. */
static heft_table *csv_table(const spec *specs, size_t n_cols, const heft_source *how)
{
    heft_buf buf = {0};
    for (size_t j = 0; j < n_cols; j++) {
        if (j) heft_buf_text(&buf, ",");
        heft_buf_csv(&buf, specs[j].name, ',');
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < n_cols; j++) {
            heft_buf_text(&buf, j ? "," : "\n");
            if (specs[j].cells[i]) heft_buf_csv(&buf, specs[j].cells[i], ',');
        }
    heft_buf_text(&buf, "\n");
    heft_table *t = read_text("t.csv", buf.data, how);
    heft_buf_clear(&buf);
    return t;
}

static void assert_sound(const heft_table *t)
{
    if (heft_table_check(&ctx, t) != HEFT_OK) fail_msg("%s", err.text);
}

static int open_counts(void **state)
{
    n_made = n_released = 0;
    return open_reading(state);
}

/* Every batch that was made is released, once: a second time would be an access to freed memory. */
static int close_counts(void **state)
{
    assert_int_equal(n_released, n_made);
    return close_reading(state);
}

static const char kinds[] = "words,numbers,wide"; /* CSV would take digits for numbers */

/* One batch or several, with any offsets, by the array or by the stream. */
static void every_type_is_the_table_of_the_text(void **state)
{
    (void)state;
    static const size_t cuts[][3] = {{7, 7, 7}, {3, 7, 7}, {0, 1, 7}, {2, 4, 6}};
    const heft_source   how = {.nominal = kinds, .target = "class"};
    heft_table         *text = csv_table(every, COLUMNS, &how);
    for (size_t c = 0; c < 4; c++)
        for (size_t pad = 0; pad <= 9; pad += 3)
            for (int streamed = 0; streamed < 2; streamed++) {
                feed        f = {.schema = schema_of(every, COLUMNS)};
                heft_table *t = NULL;
                size_t      lo = 0;
                for (size_t k = 0; k < 4 && lo < ROWS; k++) {
                    const size_t hi = k < 3 ? cuts[c][k] : ROWS;
                    f.batches[f.n++] =
                        batch_of(every, COLUMNS, lo, hi, (shape){pad, pad / 3, false});
                    lo = hi;
                }
                struct ArrowArrayStream s = stream_of(&f);
                if (streamed) OK(heft_table_from_arrow_stream(&s, &how, &t, &err));
                else OK(heft_table_from_arrow(&f.schema, f.batches, f.n, &how, &t, &err));
                assert_sound(t);
                assert_same_table(text, t);
                if (streamed) assert_null(s.release);
                assert_int_equal(f.n_released, streamed);
                for (size_t k = 0; k < f.n; k++) assert_null(f.batches[k].release);
                heft_table_free(t);
                assert_int_equal(n_released, n_made);
            }
    heft_table_free(text);
}

/* Roles and kinds are asked for as of a file, and a model of either table is the same. */
static void roles_are_those_of_a_file(void **state)
{
    (void)state;
    static const heft_source ways[] = {
        {.nominal = kinds},
        {.nominal = kinds, .target = "bool", .drop = "text,view"},
        {.nominal = "words,numbers,wide,i8,u64,f64,i64", .weight = "full"},
        {.nominal = "words,numbers", .numeric = "wide", .positive = "yes"},
        {.nominal = kinds, .missing = "red,0.5,127,False"},
        {.nominal = kinds, .no_target = true},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        struct ArrowSchema schema = schema_of(every, COLUMNS);
        struct ArrowArray  batch = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
        heft_table        *text = csv_table(every, COLUMNS, &ways[k]), *t = NULL;
        OK(heft_table_from_arrow(&schema, &batch, 1, &ways[k], &t, &err));
        assert_sound(t);
        if (k == 1) assert_int_equal(heft_table_classes(t), 2);
        if (k == 4) { /* a boolean keeps both values, and so does a dictionary */
            assert_int_equal(heft_dict_size(t->cols[15].dict), 2);
            heft_column_clear(&t->cols[15]), heft_column_clear(&text->cols[15]);
            heft_column_clear(&t->cols[20]), heft_column_clear(&text->cols[20]);
            t->cols[15].name = t->cols[20].name = text->cols[15].name = text->cols[20].name = NULL;
            for (size_t j = 0; j < t->n_cols; j++)
                if (t->cols[j].name) assert_same_column(&text->cols[j], &t->cols[j], ROWS);
        } else assert_same_table(text, t);
        heft_table_free(t);
        heft_table_free(text);
    }
}

static void models_are_the_same_bits(void **state)
{
    (void)state;
    const heft_source how = {.nominal = kinds};
    heft_table       *tables[2] = {csv_table(every, COLUMNS, &how)};
    double            p[2][ROWS * 2];
    struct ArrowArray batch = batch_of(every, COLUMNS, 0, ROWS, (shape){4, 1, false}), again;
    for (int k = 0; k < 2; k++) {
        heft_model        *model = NULL;
        heft_table        *rows = NULL;
        struct ArrowSchema schema = schema_of(every, COLUMNS);
        if (k) OK(heft_table_from_arrow(&schema, &batch, 1, &how, &tables[1], &err));
        OK(heft_fit(tables[k], &(heft_config){.method = "nb"}, &model, &err));
        /* rows for the model; a column that it does not know may have any type */
        const char *const format = children[22].format;
        again = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
        children[22].format = "tdD";
        children[22].name = "when";
        OK(heft_table_from_arrow(&schema, &again, 1, &(heft_source){.like = model}, &rows, &err));
        children[22].format = format;
        OK(heft_predict_proba(model, rows, p[k], &err));
        heft_table_free(rows);
        heft_table_free(tables[k]);
        heft_model_free(model);
    }
    assert_memory_equal(p[0], p[1], sizeof p[0]);
}

/* Dictionaries say which values there are, and their order; different ones are joined. */
static void dictionaries_declare_their_values(void **state)
{
    (void)state;
    static const spec two[] = {
        {"size",
         "c",
         "u",
         {"small", "medium", "large", "huge"},
         {"large", X, "small", "large", X, "small", X}},
        {"class", "b", NULL, {0}, {"True", "True", "True", "True", X, "True", "True"}}};
    for (int turned = 0; turned < 2; turned++) {
        struct ArrowSchema schema = schema_of(two, 2);
        struct ArrowArray  batches[2] = {batch_of(two, 2, 0, 3, (shape){1, 1, false}),
                                         batch_of(two, 2, 3, ROWS, (shape){0, 2, turned})};
        heft_table        *t = NULL;
        OK(heft_table_from_arrow(&schema, batches, 2, NULL, &t, &err));
        assert_sound(t);
        for (size_t v = 0; v < 4; v++)
            assert_string_equal(heft_table_value(t, 0, v), two[0].values[v]);
        assert_null(heft_table_value(t, 0, 4));
        assert_null(heft_table_value(t, 1, 0));
        assert_string_equal(heft_table_class_name(t, 0), "False");
        assert_string_equal(value_at(t, 3, 0), "large");
        assert_string_equal(value_at(t, 5, 0), "small");
        assert_false(t->cols[0].inferred);
        assert_int_equal(t->cols[0].n_missing, 3);
        assert_int_equal(t->target->n_missing, 1);
        double cells[ROWS];
        OK(heft_table_cells(t, 0, cells, &err));
        assert_true(cells[0] == 2 && isnan(cells[1]) && cells[2] == 0);
        assert_int_equal(heft_table_cells(t, 1, cells, &err), HEFT_EINVAL);
        heft_table_free(t);
    }
}

/* Texts are as they are: only nulls are missing, and what `missing` lists. */
static void marks_are_texts(void **state)
{
    (void)state;
    static const spec two[] = {{"t", "u", NULL, {0}, {"NA", "?", "", X, "nan", "-", "a"}},
                               {"class", "u", NULL, {0}, {"a", "b", "a", "b", "?", "NA", ""}}};
    for (int marks = 0; marks < 2; marks++) {
        struct ArrowSchema schema = schema_of(two, 2);
        struct ArrowArray  batch = batch_of(two, 2, 0, ROWS, (shape){0});
        heft_table        *t = NULL;
        const heft_source  how = {.missing = marks ? "-,a" : NULL};
        OK(heft_table_from_arrow(&schema, &batch, 1, &how, &t, &err));
        assert_sound(t);
        assert_int_equal(t->cols[0].n_missing, marks ? 3 : 1);
        assert_int_equal(heft_dict_size(t->cols[0].dict), marks ? 4 : 6);
        assert_int_equal(t->target->n_missing, marks ? 2 : 0);
        heft_table_free(t);
    }
}

static const spec small[] = {{"x", "g", NULL, {0}, {"0.1", "1", "2.5", "4", "0", "5", "6"}},
                             {"nulls", "g", NULL, {0}, {"0.1", "1", "2.5", X, "0", "5", "6"}},
                             {"class", "u", NULL, {0}, {"a", "b", "a", "b", "a", "b", "b"}}};

/* The numbers of a single batch stay where they are, until the table is freed. */
static void numbers_are_not_copied(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(small, 3);
    struct ArrowArray  batch = batch_of(small, 3, 0, ROWS, (shape){2, 3, false});
    double            *cells = (double *)batch.children[0]->buffers[1] + 5;
    heft_table        *t = NULL;
    cells[1] = NAN;
    OK(heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err));
    assert_sound(t);
    assert_ptr_equal(t->cols[0].cells, cells);
    assert_int_equal(t->cols[0].n_missing, 1);
    assert_int_equal(t->cols[1].n_missing, 1);
    assert_null(batch.release);
    assert_int_equal(n_released, 0);
    heft_table_free(t);
    assert_int_equal(n_released, 1);

    feed                    f = {.schema = schema_of(small, 3),
                                 .n = 1,
                                 .batches = {batch_of(small, 3, 0, ROWS, (shape){0})}};
    struct ArrowArrayStream s = stream_of(&f);
    const void             *at = f.batches[0].children[0]->buffers[1];
    OK(heft_table_from_arrow_stream(&s, NULL, &t, &err));
    assert_ptr_equal(t->cols[0].cells, at);
    assert_int_equal(f.n_released, 1); /* a batch outlives its stream */
    assert_int_equal(n_released, 1);
    heft_table_free(t);
    assert_int_equal(n_released, 2);

    /* nothing to lend: everything is released at once */
    batch = batch_of(small + 1, 2, 0, ROWS, (shape){0});
    schema = schema_of(small + 1, 2);
    OK(heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err));
    assert_int_equal(n_released, 3);
    heft_table_free(t);
}

static void free_odd(struct ArrowArray *a)
{
    a->buffers[1] = (const char *)a->buffers[1] - 1;
    free_array(a);
}

/* Buffers that are not aligned are read all the same. */
static void unaligned_buffers_are_copied(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(every, COLUMNS);
    struct ArrowArray  batch = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
    const heft_source  how = {.nominal = kinds};
    heft_table        *t = NULL, *text = csv_table(every, COLUMNS, &how);
    for (size_t j = 0; j < COLUMNS; j++) {
        struct ArrowArray *child = batch.children[j];
        char              *odd = zeros(16 * (ROWS + 1) + 1);
        memcpy(odd + 1, child->buffers[1], child->n_buffers == 3 ? 64 : 112);
        free((void *)child->buffers[1]);
        child->buffers[1] = odd + 1;
        child->release = free_odd;
    }
    OK(heft_table_from_arrow(&schema, &batch, 1, &how, &t, &err));
    assert_same_table(text, t);
    heft_table_free(t);
    heft_table_free(text);
}

/* Without rows, without batches, without columns. */
static void tables_may_be_empty(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(every, COLUMNS);
    struct ArrowArray  batches[2] = {batch_of(every, COLUMNS, 3, 3, (shape){1, 1, false}),
                                     batch_of(every, COLUMNS, 0, 0, (shape){0})};
    heft_table        *t = NULL;
    for (size_t n = 0; n < 2; n++) {
        OK(heft_table_from_arrow(&schema, batches + n, 1 - n, NULL, &t, &err));
        assert_sound(t);
        assert_int_equal(heft_table_rows(t), 0);
        assert_int_equal(heft_table_attributes(t), COLUMNS - 1);
        heft_table_free(t);
    }
    schema.n_children = 0;
    batches[1].n_children = 0; /* its columns are freed by hand below */
    struct ArrowArray bare = batches[1];
    bare.length = 5;
    bare.n_children = 0;
    bare.children = NULL;
    bare.buffers = zeros(sizeof *bare.buffers);
    OK(heft_table_from_arrow(&schema, &bare, 1, &(heft_source){.no_target = true}, &t, &err));
    assert_int_equal(heft_table_rows(t), 5);
    heft_table_free(t);
    batches[1].n_children = COLUMNS;
    batches[1].release(&batches[1]);
    n_made++;
}

/* ---- errors ---- */

typedef void damage_fn(struct ArrowSchema *schema, struct ArrowArray *batch);

/* Refused with these words; the batch stays the caller's. */
static void refuse(damage_fn *damage, heft_status code, const char *part)
{
    struct ArrowSchema schema = schema_of(every, COLUMNS);
    struct ArrowArray batch = batch_of(every, COLUMNS, 0, ROWS, (shape){2, 1, false}), good = batch;
    heft_table       *t = NULL;
    damage(&schema, &batch);
    const heft_status st = heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err);
    assert_null(t);
    if (st != code || !strstr(err.text, part))
        fail_msg("status %d '%s' in place of %d '%s'", st, err.text, code, part);
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(n_released + 1, n_made);
    good.release(&good);
}

#define CHILD(name) batch->children[place(#name)]
static size_t place(const char *name)
{
    for (size_t j = 0; j < COLUMNS; j++)
        if (strcmp(every[j].name, name) == 0) return j;
    fail();
    return 0;
}

/* Each kind of damage is undone by nobody: what it changes must not be what is freed. */
#define DAMAGE(name, change)                                                                       \
    static void name(struct ArrowSchema *schema, struct ArrowArray *batch)                         \
    {                                                                                              \
        (void)schema, (void)batch;                                                                 \
        change;                                                                                    \
    }
DAMAGE(released, batch->release = NULL)
DAMAGE(negative_length, batch->length = -1)
DAMAGE(huge_offset, batch->offset = INT64_MAX)
DAMAGE(fewer_columns, batch->n_children--)
DAMAGE(no_columns, batch->children = NULL)
DAMAGE(no_buffers, batch->n_buffers = 0)
DAMAGE(long_batch, batch->length++)
DAMAGE(schema_released, schema->release = NULL)
DAMAGE(not_a_struct, schema->format = "l")
DAMAGE(no_format, children[3].format = NULL)
DAMAGE(bad_name, children[3].name = "\xff")
DAMAGE(twice, children[3].name = "i8")
DAMAGE(dates, children[3].format = "tdD")
DAMAGE(nested, children[3].format = "+l")
DAMAGE(bytes, children[3].format = "z")
DAMAGE(long_decimal, children[3].format = "d:76,2,256")
DAMAGE(dated_dictionary, dictionaries[place("words")].format = "tdD")
DAMAGE(short_index, children[place("words")].format = "g")
DAMAGE(index_beyond, ((int8_t *)CHILD(words)->buffers[1])[3] = 3)
DAMAGE(index_below, ((int8_t *)CHILD(words)->buffers[1])[3] = -1)
DAMAGE(offset_decreases, ((int32_t *)CHILD(text)->buffers[1])[4] = 1000)
DAMAGE(offset_below, ((int32_t *)CHILD(text)->buffers[1])[3] = -1)
DAMAGE(not_utf8, ((char *)CHILD(text)->buffers[2])[0] = (char)0xff)
DAMAGE(zero_byte, ((char *)CHILD(large)->buffers[2])[1] = 0)
DAMAGE(view_length, ((int32_t *)CHILD(view)->buffers[1])[4 * 3] = -1)
DAMAGE(view_buffer, ((int32_t *)CHILD(view)->buffers[1])[4 * 5 + 2] = 2)
DAMAGE(view_end, ((int32_t *)CHILD(view)->buffers[1])[4 * 5 + 3] = 30)
DAMAGE(infinite, ((double *)CHILD(full)->buffers[1])[5] = INFINITY)

static unsigned char bits[8];
static void          null_row(struct ArrowSchema *schema, struct ArrowArray *batch)
{
    static const void *buffers[1] = {bits};
    (void)schema;
    bits[0] = 0xfb; /* the second row, behind one that is not there */
    batch->buffers = buffers;
    batch->null_count = 1;
}

static void damaged_arrays_are_refused(void **state)
{
    (void)state;
    static const struct {
        damage_fn  *damage;
        heft_status code;
        const char *part;
    } all[] = {
        {released, HEFT_EFORMAT, "it was released before"},
        {negative_length, HEFT_EFORMAT, "its length or offset is out of range"},
        {huge_offset, HEFT_EFORMAT, "its length or offset is out of range"},
        {fewer_columns, HEFT_EFORMAT, "its number of columns is not that of the schema"},
        {no_columns, HEFT_EFORMAT, "it has no columns"},
        {no_buffers, HEFT_EFORMAT, "a record batch has one buffer"},
        {long_batch, HEFT_EFORMAT, "a column is shorter than the batch"},
        {null_row, HEFT_EFORMAT, "row 2 of a record batch is null as a whole"},
        {schema_released, HEFT_EINVAL, "the schema was released"},
        {not_a_struct, HEFT_EINVAL, "type 'l', not a struct of columns (pass a table"},
        {no_format, HEFT_EINVAL, "the schema of column 4 is damaged"},
        {bad_name, HEFT_EINVAL, "the schema of column 4 is damaged, or its name is not UTF-8"},
        {twice, HEFT_EFORMAT, "columns 1 and 4 are both named 'i8'"},
        {dates, HEFT_EUNSUPPORTED,
         "column 'u16' holds dates or times: the Arrow type 'tdD' is neither numbers nor text "
         "(make "
         "them numbers: cast the column to int64, or leave it out)"},
        {nested, HEFT_EUNSUPPORTED, "column 'u16' is nested"},
        {bytes, HEFT_EUNSUPPORTED, "column 'u16' holds bytes"},
        {long_decimal, HEFT_EUNSUPPORTED, "column 'u16' holds long decimals"},
        {dated_dictionary, HEFT_EUNSUPPORTED, "column 'words' holds dates or times"},
        {short_index, HEFT_EUNSUPPORTED, "column 'words' has a type"},
        {index_beyond, HEFT_EFORMAT, "column 'words': element 2 of the Arrow array is no index"},
        {index_below, HEFT_EFORMAT, "column 'words': element 2 of the Arrow array is no index"},
        {offset_decreases, HEFT_EFORMAT, "column 'text': element 3 of the Arrow array has offsets"},
        {offset_below, HEFT_EFORMAT, "column 'text': element 2 of the Arrow array has offsets"},
        {not_utf8, HEFT_EFORMAT, "column 'text': element 2 of the Arrow array is not UTF-8"},
        {zero_byte, HEFT_EFORMAT, "has a byte of value zero in it"},
        {view_length, HEFT_EFORMAT, "column 'view': element 2 of the Arrow array has a negative"},
        {view_buffer, HEFT_EFORMAT,
         "column 'view': element 4 of the Arrow array points to no buffer"},
        {view_end, HEFT_EFORMAT, "column 'view': element 4 of the Arrow array ends behind"},
        {infinite, HEFT_EINVAL, "column 'full', row 3: not a finite number"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        refuse(all[k].damage, all[k].code, all[k].part);
}

/* A child is damaged in place, and mended before it is freed. */
static void damaged_columns_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        struct ArrowSchema schema = schema_of(every, COLUMNS);
        struct ArrowArray  batch = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
        const size_t       j = place(k < 3 ? "f64" : k < 5 ? "words" : "view");
        struct ArrowArray *child = batch.children[j], good = *child, inner;
        const void        *buffers[5] = {0};
        heft_table        *t = NULL;
        if (good.dictionary) inner = *good.dictionary;
        memcpy(buffers, good.buffers, (size_t)good.n_buffers * sizeof *buffers);
        if (k == 0) child->n_buffers = 3;
        if (k == 1) child->buffers[0] = NULL; /* but there are nulls */
        if (k == 2) child->buffers[1] = NULL;
        if (k == 3) child->dictionary = NULL;
        if (k == 4) good.dictionary->length = -3;
        if (k == 5) child->n_buffers = 2;
        if (k == 6) child->buffers[4] = NULL;
        const heft_status st = heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err);
        memcpy(good.buffers, buffers, (size_t)good.n_buffers * sizeof *buffers);
        *child = good;
        if (good.dictionary) *good.dictionary = inner;
        assert_int_equal(st, HEFT_EFORMAT);
        assert_non_null(strstr(err.text, "the Arrow array is damaged"));
        assert_non_null(strstr(err.text, every[j].name));
        assert_null(t);
        batch.release(&batch);
    }
}

/* A column that is left out may be anything; other errors are those of a file. */
static void options_are_checked(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(small, 3);
    struct ArrowArray  batch = batch_of(small, 3, 0, ROWS, (shape){0});
    heft_table        *t = NULL;
    static const struct {
        heft_source how;
        const char *part;
    } all[] = {
        {{.target = "klass"}, "--target: there is no column 'klass' (did you mean 'class'?)"},
        {{.weight = "nulls"}, "Arrow data:4: column 'nulls': '' is not a weight"},
        {{.numeric = "class", .target = "x"}, "Arrow data:1: column 'class': 'a' is not a number"},
        {{.positive = "c"}, "--positive: there is no class 'c'"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        assert_true(heft_table_from_arrow(&schema, &batch, 1, &all[k].how, &t, &err) != HEFT_OK);
        if (!strstr(err.text, all[k].part)) fail_msg("%s", err.text);
    }
    children[1].format = "+l";
    OK(heft_table_from_arrow(&schema, &batch, 1, &(heft_source){.drop = "nulls"}, &t, &err));
    assert_int_equal(heft_table_attributes(t), 1);
    heft_table_free(t);
    assert_int_equal(heft_table_from_arrow(NULL, &batch, 1, NULL, &t, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_from_arrow(&schema, NULL, 1, NULL, &t, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_from_arrow_stream(NULL, NULL, &t, &err), HEFT_EINVAL);
}

static void streams_may_fail(void **state)
{
    (void)state;
    for (size_t at = 0; at < 5; at++) {
        feed f = {.schema = schema_of(small, 3), .n = 3, .fail_at = at == 4 ? 100 : at + 1};
        for (size_t k = 0; k < 3; k++)
            f.batches[k] = batch_of(small, 3, 2 * k, 2 * k + 2, (shape){0});
        struct ArrowArrayStream s = stream_of(&f);
        heft_table             *t = NULL;
        assert_int_equal(heft_table_from_arrow_stream(&s, NULL, &t, &err), HEFT_EIO);
        assert_string_equal(err.text, "the Arrow stream failed: the server is gone");
        assert_null(t);
        assert_int_equal(f.n_released, 0);
        s.release(&s); /* the caller's to do; the batches it still has go with it */
        assert_int_equal(heft_table_from_arrow_stream(&s, NULL, &t, &err), HEFT_EINVAL);
        assert_int_equal(n_released, n_made);
    }
}

/* Whichever allocation fails: ENOMEM, the caller has what it had, and nothing leaks. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    const heft_source how = {.nominal = kinds, .run = RUN(.threads = 1)};
    for (int way = 0; way < 3; way++)
        for (size_t n = 1;; n++) {
            feed f = {.schema = schema_of(every, COLUMNS), .n = way ? 2 : 1};
            f.batches[0] = batch_of(every, COLUMNS, 0, way ? 3 : ROWS, (shape){0});
            if (way) f.batches[1] = batch_of(every, COLUMNS, 3, ROWS, (shape){1, 2, true});
            struct ArrowArrayStream s = stream_of(&f);
            heft_table             *t = NULL;
            heft_fail_alloc_at(n, false);
            const heft_status st =
                way == 2 ? heft_table_from_arrow_stream(&s, &how, &t, &err)
                         : heft_table_from_arrow(&f.schema, f.batches, f.n, &how, &t, &err);
            heft_fail_alloc_at(0, false);
            if (st == HEFT_OK) {
                assert_true(n > 50);
                heft_table_free(t);
                break;
            }
            assert_int_equal(st, HEFT_ENOMEM);
            assert_null(t);
            if (way == 2) s.release(&s);
            for (size_t k = 0; k < f.n; k++) {
                if (way < 2) f.batches[k].release(&f.batches[k]);
                assert_null(f.batches[k].release);
            }
            assert_int_equal(n_released, n_made);
        }
}

/* More rows than are handed over at a time. */
static void long_batches_are_read_in_parts(void **state)
{
    (void)state;
    enum { MANY = 150000 };
    static const spec  one[] = {{"n", "i", NULL, {0}, {0}}, {"class", "u", NULL, {0}, {0}}};
    struct ArrowSchema schema = schema_of(one, 2);
    struct ArrowArray  batch = batch_of(one, 2, 0, 0, (shape){0});
    int32_t           *n = zeros(MANY * 4), *ends = zeros((MANY + 1) * 4);
    for (int32_t i = 0; i < MANY; i++) n[i] = i, ends[i + 1] = i + 1;
    char *text = zeros(MANY);
    for (int32_t i = 0; i < MANY; i++) text[i] = i < 100000 ? 'b' : 'a';
    const void *const own[] = {n, ends, text};
    batch.length = batch.children[0]->length = batch.children[1]->length = MANY;
    for (int k = 0; k < 3; k++) {
        const void **at = &batch.children[k > 0]->buffers[k ? k : 1];
        free((void *)*at);
        *at = own[k];
    }
    heft_table *t = NULL;
    OK(heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err));
    assert_sound(t);
    for (size_t i = 0; i < MANY; i++) assert_true(number_at(t, i, 0) == (double)i);
    assert_string_equal(class_at(t, 99999), "b");
    assert_string_equal(class_at(t, 100000), "a");
    heft_table_free(t);
}

/* The cells of sparse rows. */
static void cells_of_sparse_rows(void **state)
{
    (void)state;
    const size_t   start[] = {0, 1, 1, 3};
    const uint32_t col[] = {1, 0, 1};
    const double   val[] = {2, 3, NAN};
    heft_table    *t = NULL;
    double         cells[3];
    OK(heft_table_create(3, &t, &err));
    OK(heft_table_add_sparse(t, 2, start, col, val, NULL, &err));
    OK(heft_table_cells(t, 1, cells, &err));
    assert_true(cells[0] == 2 && cells[1] == 0 && isnan(cells[2]));
    heft_table_free(t);
}

#define COUNTED(f) cmocka_unit_test_setup_teardown(f, open_counts, close_counts)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(every_type_is_the_table_of_the_text),
        COUNTED(roles_are_those_of_a_file),
        COUNTED(models_are_the_same_bits),
        COUNTED(dictionaries_declare_their_values),
        COUNTED(marks_are_texts),
        COUNTED(numbers_are_not_copied),
        COUNTED(unaligned_buffers_are_copied),
        COUNTED(tables_may_be_empty),
        COUNTED(damaged_arrays_are_refused),
        COUNTED(damaged_columns_are_refused),
        COUNTED(options_are_checked),
        COUNTED(streams_may_fail),
        COUNTED(no_memory_is_an_error),
        COUNTED(long_batches_are_read_in_parts),
        COUNTED(cells_of_sparse_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
