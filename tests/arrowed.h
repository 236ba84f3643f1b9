/* arrowed.h - Arrow arrays, schemas and streams made by hand, for arrow_test.c and
 * arrow_damage_test.c.
 *
 * Columns are written down once, as texts, and encoded twice: as CSV and as Arrow buffers. Every
 * array is on the heap, so that the sanitizers see what is released twice, late or never. */
#ifndef ARROWED_H
#define ARROWED_H

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
static const char kinds[] = "words,numbers,wide"; /* CSV would take digits for numbers */

static const spec small[] = {{"x", "g", NULL, {0}, {"0.1", "1", "2.5", "4", "0", "5", "6"}},
                             {"nulls", "g", NULL, {0}, {"0.1", "1", "2.5", X, "0", "5", "6"}},
                             {"class", "u", NULL, {0}, {"a", "b", "a", "b", "a", "b", "b"}}};

/* ---- Arrow by hand ---- */

static size_t n_released, n_made; /* batches */

static inline void free_array(struct ArrowArray *a)
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

static inline void free_batch(struct ArrowArray *a)
{
    n_released++;
    free_array(a);
}

static inline void *zeros(size_t n)
{
    return calloc(n ? n : 1, 1);
}

static inline void put_bit(unsigned char *bits, size_t i, bool on)
{
    if (on) bits[i / 8] = (unsigned char)(bits[i / 8] | 1 << i % 8);
}

static inline uint16_t half_of(double x) /* exact ones */
{
    int          e;
    const double f = fabs(x), m = frexp(f, &e); /* f = m 2^e, m in [0.5, 1) */
    const int    sign = x < 0 ? 1 << 15 : 0;
    if (f == 0) return (uint16_t)sign;
    if (e < -13) return (uint16_t)(sign | (int)ldexp(f, 24));
    return (uint16_t)(sign | (e + 14) << 10 | ((int)(m * 2048) & 1023));
}

/* The digits of a decimal, without its point and with as many places as its type has. */
static inline void put_decimal(unsigned char *at, unsigned width, int places, const char *text)
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

static inline void put_number(const char *format, unsigned char *cells, size_t i, const char *text)
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

static inline struct ArrowArray *encode(const char *format, const char *const *cells, size_t n,
                                        size_t pad);

/* Offsets and the bytes behind one another. */
static inline void put_texts(struct ArrowArray *a, bool large, const char *const *cells, size_t n,
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
static inline void put_views(struct ArrowArray *a, const char *const *cells, size_t n, size_t pad)
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

static inline struct ArrowArray *encode(const char *format, const char *const *cells, size_t n,
                                        size_t pad)
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
static inline struct ArrowArray *encode_coded(const spec *s, const char *const *cells, size_t n,
                                              size_t pad, bool turned)
{
    const char *index[2 * ROWS] = {NULL}, *values[4];
    char        texts[2 * ROWS][24];
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
static inline struct ArrowArray batch_of(const spec *specs, size_t n_cols, size_t lo, size_t hi,
                                         shape how)
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

static inline void no_release(struct ArrowSchema *s)
{
    s->release = NULL;
}

static inline struct ArrowSchema schema_of(const spec *specs, size_t n)
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

static inline int next_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const feed *f = s->private_data;
    if (f->fail_at == 100) return 5;
    *out = f->schema;
    return 0;
}

static inline int next_batch(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    feed *f = s->private_data;
    if (f->fail_at && f->at + 1 == f->fail_at) return 5;
    *out = (struct ArrowArray){0};
    if (f->at < f->n) *out = f->batches[f->at], f->batches[f->at++].release = NULL;
    return 0;
}

static inline const char *last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "the server is gone";
}

static inline void end_stream(struct ArrowArrayStream *s)
{
    feed *f = s->private_data;
    for (size_t k = 0; k < f->n; k++)
        if (f->batches[k].release) f->batches[k].release(&f->batches[k]);
    f->n_released++;
    s->release = NULL;
}

static inline struct ArrowArrayStream stream_of(feed *f)
{
    return (struct ArrowArrayStream){next_schema, next_batch, last_error, end_stream, f};
}

/* ---- tests ---- */

/* The columns as a CSV file has them. */
static inline heft_table *csv_table(const spec *specs, size_t n_cols, const heft_source *how)
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

static inline void assert_sound(const heft_table *t)
{
    if (heft_table_check(&ctx, t) != HEFT_OK) fail_msg("%s", err.text);
}

static inline int open_counts(void **state)
{
    n_made = n_released = 0;
    return open_reading(state);
}

/* Every batch that was made is released, once: a second time would be an access to freed memory. */
static inline int close_counts(void **state)
{
    assert_int_equal(n_released, n_made);
    return close_reading(state);
}

#define COUNTED(f) cmocka_unit_test_setup_teardown(f, open_counts, close_counts)

#endif
