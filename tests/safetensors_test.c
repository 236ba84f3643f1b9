/* safetensors_test.c - the model container: what is put comes back, and nothing else is let in. */
#include "fixture.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/put.h"
#include "model/safetensors.h"

static char path[300];

static heft_ctx *ctx_new(heft_ctx *ctx)
{
    heft_ctx_init(ctx, &err, 1, 1, NULL);
    return ctx;
}

static heft_status put_vector(heft_ctx *ctx, heft_file *file, const char *name, heft_dtype type,
                              size_t n, const void *data)
{
    return heft_file_put(ctx, file, name, type, &n, 1, data);
}

/* Texts, every dtype, zero to three dimensions, an empty tensor, strings of any bytes. */
static heft_status put_sample(heft_ctx *ctx, heft_file *file)
{
    static const double   f64[] = {1.5, -0.0, 5e-324, 1.7976931348623157e308, -2, 3};
    static const uint8_t  u8[] = {1, 2, 255};
    static const uint16_t u16[] = {1, 65535};
    static const uint32_t u32[] = {0, 4294967295u, 7};
    static const uint64_t u64[] = {1, UINT64_MAX};
    const char *const words[] = {"plain", "", "Latin-1 \xe9\xff", "tab\t\"quote\\", "caf\xc3\xa9"};
    const size_t      cube[] = {1, 2, 3};
    heft_status       st = HEFT_OK;
    HEFT_TRY(heft_file_put_text(ctx, file, "method", "nb"));
    HEFT_TRY(heft_file_put_text(ctx, file, "a note", "\"caf\xc3\xa9\"\\\n\x1f{}"));
    HEFT_TRY(put_vector(ctx, file, "u8", HEFT_U8, 3, u8));
    HEFT_TRY(heft_file_put(ctx, file, "cube", HEFT_F64, cube, 3, f64));
    HEFT_TRY(put_vector(ctx, file, "u16", HEFT_U16, 2, u16));
    HEFT_TRY(put_vector(ctx, file, "u32", HEFT_U32, 3, u32));
    HEFT_TRY(heft_file_put(ctx, file, "scalar", HEFT_F64, NULL, 0, f64 + 5));
    HEFT_TRY(put_vector(ctx, file, "u64", HEFT_U64, 2, u64));
    HEFT_TRY(put_vector(ctx, file, "none", HEFT_F64, 0, NULL));
    HEFT_TRY(heft_file_put_strings(ctx, file, "words", words, 5));
    HEFT_TRY(heft_file_put_strings(ctx, file, "no words", NULL, 0));
done:
    return st;
}

static heft_status write_sample(heft_ctx *ctx, const char *name)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    HEFT_TRY(heft_file_create(ctx, &file));
    HEFT_TRY(put_sample(ctx, file));
    HEFT_TRY(heft_file_save(ctx, file, name));
done:
    heft_file_free(file);
    return st;
}

static blob sample(void)
{
    heft_ctx ctx;
    assert_int_equal(write_sample(ctx_new(&ctx), path), HEFT_OK);
    heft_ctx_clear(&ctx);
    return read_bytes(path);
}

static heft_status open_status(const void *data, size_t n)
{
    heft_ctx          ctx;
    heft_file        *file = NULL;
    const heft_status st = heft_file_open_bytes(ctx_new(&ctx), "m.heft", data, n, &file);
    assert_true((st == HEFT_OK) == (file != NULL));
    assert_int_equal(st, err.code);
    heft_file_free(file);
    heft_ctx_clear(&ctx);
    return st;
}

/* All that is put comes back as it was. */
static void round_trip(void **state)
{
    (void)state;
    heft_ctx    ctx;
    heft_file  *file;
    heft_arena  arena = {0};
    const char *text;
    double      room[8];
    void       *p = room;
    char      **words;
    size_t      n;
    blob        b = sample();
    ctx_new(&ctx);
    assert_int_equal(heft_file_open(&ctx, path, &file), HEFT_OK);
    assert_string_equal(heft_file_path(file), path);
    assert_int_equal(heft_file_get_text(&ctx, file, "a note", &text), HEFT_OK);
    assert_string_equal(text, "\"caf\xc3\xa9\"\\\n\x1f{}");
    assert_int_equal(heft_file_get(&ctx, file, "cube", HEFT_F64, 6, p), 0);
    assert_memory_equal(p, ((const double[]){1.5, -0.0, 5e-324, 1.7976931348623157e308, -2, 3}),
                        48);
    assert_int_equal(heft_file_get(&ctx, file, "scalar", HEFT_F64, 1, p), 0);
    assert_true(*(double *)p == 3);
    assert_int_equal(heft_file_count(&ctx, file, "u8", HEFT_U8, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(heft_file_get(&ctx, file, "u8", HEFT_U8, 3, p), 0);
    assert_memory_equal(p, "\1\2\xff", 3);
    assert_int_equal(heft_file_get(&ctx, file, "u16", HEFT_U16, 2, p), 0);
    assert_int_equal(((uint16_t *)p)[1], 65535);
    assert_int_equal(heft_file_get(&ctx, file, "u32", HEFT_U32, 3, p), 0);
    assert_true(((uint32_t *)p)[1] == 4294967295u);
    assert_int_equal(heft_file_get(&ctx, file, "u64", HEFT_U64, 2, p), 0);
    assert_true(((uint64_t *)p)[1] == UINT64_MAX);
    assert_int_equal(heft_file_count(&ctx, file, "none", HEFT_F64, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(heft_file_get_strings(&ctx, file, "words", 5, &arena, &words), HEFT_OK);
    assert_string_equal(words[0], "plain");
    assert_string_equal(words[1], "");
    assert_string_equal(words[2], "Latin-1 \xe9\xff");
    assert_string_equal(words[3], "tab\t\"quote\\");
    assert_string_equal(words[4], "caf\xc3\xa9");
    assert_int_equal(heft_file_get_strings(&ctx, file, "no words", 0, &arena, &words), 0);
    assert_true(heft_file_has(file, "u8") && !heft_file_has(file, "method"));
    heft_file_free(file);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
    free(b.data);
}

/* The same content gives the same bytes, also when it was read back before. */
static void same_bytes(void **state)
{
    (void)state;
    heft_ctx   ctx;
    heft_file *file;
    blob       a = sample(), b = sample();
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.data, b.data, a.n);
    free(b.data);
    ctx_new(&ctx);
    assert_int_equal(heft_file_open(&ctx, path, &file), HEFT_OK);
    assert_int_equal(heft_file_save(&ctx, file, path), HEFT_OK);
    b = read_bytes(path);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.data, b.data, a.n);
    heft_file_free(file);
    heft_ctx_clear(&ctx);
    free(a.data);
    free(b.data);
}

/* The container is what safetensors says: offsets in order without holes, each tensor aligned. */
static void layout(void **state)
{
    (void)state;
    blob        b = sample();
    uint64_t    header;
    json_int_t  at = 0;
    const char *name;
    json_t     *about;
    memcpy(&header, b.data, 8); /* the test runs where the sample was written */
    assert_int_equal(header % 8, 0);
    json_t *root = json_loadb((const char *)b.data + 8, header, 0, NULL);
    assert_non_null(root);
    json_object_foreach(root, name, about)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        json_t    *offsets = json_object_get(about, "data_offsets");
        json_int_t size = atoi(json_string_value(json_object_get(about, "dtype")) + 1) / 8;
        assert_true(json_integer_value(json_array_get(offsets, 0)) == at);
        assert_true(at % size == 0);
        at = json_integer_value(json_array_get(offsets, 1));
    }
    assert_true((uint64_t)at + 8 + header == b.n);
    json_decref(root);
    free(b.data);
}

/* A file written by the Python package safetensors, with heft's metadata, is read. */
static void from_elsewhere(void **state)
{
    (void)state;
    static const char made[] =
        "\x00\x01\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"note\":\"caf\xc3\xa9 \\\"x\\\"\","
        "\"checksum\":\"37b63392\",\"format\":\"heft\",\"version\":\"1\"},"
        "\"b\":{\"dtype\":\"F64\",\"shape\":[1,3],\"data_offsets\":[0,24]},"
        "\"c\":{\"dtype\":\"U16\",\"shape\":[1],\"data_offsets\":[24,26]},"
        "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[26,28]}}"
        "\x00\x00\x00\x00\x00\x00\xf8?\x00\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\xd0?"
        "\xff\xff\x07\xff";
    heft_ctx    ctx;
    heft_file  *file;
    const char *text;
    double      room[8];
    void       *p = room;
    ctx_new(&ctx);
    assert_int_equal(heft_file_open_bytes(&ctx, "made", made, sizeof made - 1, &file), HEFT_OK);
    assert_int_equal(heft_file_get_text(&ctx, file, "note", &text), HEFT_OK);
    assert_string_equal(text, "caf\xc3\xa9 \"x\"");
    assert_int_equal(heft_file_get(&ctx, file, "b", HEFT_F64, 3, p), HEFT_OK);
    assert_memory_equal(p, ((const double[]){1.5, -2, 0.25}), 24);
    assert_int_equal(heft_file_get(&ctx, file, "a", HEFT_U8, 2, p), HEFT_OK);
    assert_memory_equal(p, "\x07\xff", 2);
    heft_file_free(file);
    heft_ctx_clear(&ctx);
}

/* Any single flipped bit, anywhere in the file, is noticed (but for the case of a hexadecimal digit
 * in an escaped control character, which changes nothing). */
static void bit_flips(void **state)
{
    (void)state;
    blob b = sample();
    assert_int_equal(open_status(b.data, b.n), HEFT_OK);
    for (size_t i = 0; i < b.n; i++) {
        for (int bit = 0; bit < 8; bit++) {
            b.data[i] ^= (unsigned char)(1 << bit);
            const bool  same = i >= 5 && memcmp(b.data + i - 5, "\\u001F", 6) == 0;
            heft_status st = open_status(b.data, b.n);
            if (st != (same ? HEFT_OK : HEFT_EFORMAT)) fail_msg("byte %zu, bit %d passed", i, bit);
            b.data[i] ^= (unsigned char)(1 << bit);
        }
    }
    free(b.data);
}

/* A file cut at any length is refused, and from the header on the message says so. */
static void truncations(void **state)
{
    (void)state;
    blob b = sample();
    for (size_t n = 0; n < b.n; n++) {
        assert_int_equal(open_status(b.data, n), HEFT_EFORMAT);
        if (n >= 8) assert_non_null(strstr(err.text, "m.heft is cut short"));
    }
    free(b.data);
}

/* Bytes after the end are refused. */
static void too_long(void **state)
{
    (void)state;
    blob b = sample();
    b.data[b.n] = 0;
    assert_int_equal(open_status(b.data, b.n + 1), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "m.heft is damaged: it should have"));
    free(b.data);
}

/* A header and `n` bytes of data; META stands for good metadata up to the checksum. */
static heft_status open_header(const char *header, size_t n)
{
    static const char meta[] = "\"__metadata__\":{\"format\":\"heft\",\"version\":\"1\","
                               "\"checksum\":\"00000000\"}";
    static char       all[1 << 16];
    const char       *mark = strstr(header, "META");
    const size_t      before = mark ? (size_t)(mark - header) : 0;
    const int         length =
        mark ? snprintf(all + 8, sizeof all - 8, "%.*s%s%s", (int)before, header, meta, mark + 4)
                     : snprintf(all + 8, sizeof all - 8, "%s", header);
    assert_true(length > 0 && (size_t)length + n + 8 < sizeof all);
    for (int k = 0; k < 8; k++) all[k] = (char)((uint64_t)length >> (8 * k) & 0xff);
    memset(all + 8 + length, 0, n);
    return open_status(all, 8 + (size_t)length + n);
}

/* Headers made to mislead are refused, each for its reason. */
static void hostile_headers(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t      data;
        const char *why;
    } cases[] = {
#define T(type, shape, offsets)                                                                    \
    "{\"dtype\":" type ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
        {"{META,\"a\":" T("\"F64\"", "[1]", "[0,8]") ",\"b\":" T("\"F64\"", "[1]", "[0,8]") "}", 8,
         "overlaps"},
        {"{META,\"a\":" T("\"F64\"", "[2]", "[0,16]") ",\"b\":" T("\"F64\"", "[1]", "[8,16]") "}",
         16, "overlaps"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[8,16]") "}", 16, "hole"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[0,8]") ",\"b\":" T("\"U8\"", "[1]", "[9,10]") "}", 10,
         "hole"},
        {"{META,\"a\":" T("\"F64\"", "[2]", "[0,8]") "}", 8, "does not fit its bytes"},
        {"{META,\"a\":" T("\"F64\"", "[]", "[0,0]") "}", 0, "does not fit its bytes"},
        {"{META,\"a\":" T("\"U16\"", "[1]", "[0,8]") "}", 8, "does not fit its bytes"},
        {"{META,\"a\":" T("\"F64\"", "[9223372036854775807]", "[0,8]") "}", 8, "shape"},
        {"{META,\"a\":" T("\"F64\"", "[2305843009213693953]", "[0,8]") "}", 8, "shape"},
        {"{META,\"a\":" T("\"F64\"", "[4294967296,4294967296]", "[0,0]") "}", 0, "shape"},
        {"{META,\"a\":" T("\"F64\"", "[4294967296,4294967296,0]", "[0,0]") "}", 0, "shape"},
        {"{META,\"a\":" T("\"F64\"", "[99999999999999999999]", "[0,8]") "}", 8, "not valid"},
        {"{META,\"a\":" T("\"F64\"", "[-1]", "[0,8]") "}", 8, "impossible shape"},
        {"{META,\"a\":" T("\"F64\"", "[1.0]", "[0,8]") "}", 8, "impossible shape"},
        {"{META,\"a\":" T("\"F64\"", "[\"1\"]", "[0,8]") "}", 8, "impossible shape"},
        {"{META,\"a\":" T("\"F64\"", "[1,1,1,1]", "[0,8]") "}", 8, "too many dimensions"},
        {"{META,\"a\":" T("\"F64\"", "1", "[0,8]") "}", 8, "must have"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[-8,0]") "}", 8, "impossible offsets"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[8,0]") "}", 8, "impossible offsets"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[0,8,16]") "}", 8, "impossible offsets"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[0,\"8\"]") "}", 8, "impossible offsets"},
        {"{META,\"a\":" T("\"F64\"", "[1152921504606846975]", "[0,9223372036854775800]") "}", 8,
         "cut short"},
        {"{META,\"a\":" T("\"F64\"", "[125000000000]", "[0,1000000000000]") "}", 8, "cut short"},
        {"{META,\"a\":" T("\"F32\"", "[2]", "[0,8]") "}", 8, "dtype"},
        {"{META,\"a\":" T("\"f64\"", "[1]", "[0,8]") "}", 8, "dtype"},
        {"{META,\"a\":" T("64", "[1]", "[0,8]") "}", 8, "must have"},
        {"{META,\"a\":{\"dtype\":\"F64\",\"shape\":[1]}}", 8, "must have"},
        {"{META,\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8],\"x\":1}}", 8,
         "must have"},
        {"{META,\"a\":7}", 8, "must have"},
        {"{META,\"a\":[]}", 8, "must have"},
        {"{META,\"a\":" T("\"F64\"", "[1]", "[0,8]") ",\"a\":" T("\"F64\"", "[1]", "[8,16]") "}",
         16, "not valid: duplicate object key"},
        {"{META,\"__metadata__\":{}}", 0, "not valid: duplicate object key"},
        {"{META,\"a\\u0000b\":" T("\"F64\"", "[1]", "[0,8]") "}", 8, "not valid"},
        {"{META,\"a\xff\":" T("\"F64\"", "[1]", "[0,8]") "}", 8, "not valid"},
        {"{META,\"a\":" T("\"F64\"", "[[1]]", "[0,8]") "}", 8, "nested too deeply"},
        {"{META} {}", 0, "not valid"},
        {"{META}}", 0, "not JSON"},
        {"{META", 0, "not valid"},
        {"{META,}", 0, "not valid"},
        {"{\"__metadata__\":7}", 0, "metadata are not an object"},
        {"{\"__metadata__\":{\"format\":7}}", 0, "metadata are not all text"},
        {"{\"__metadata__\":{\"format\":\"heft\"}}", 0, "names no version"},
        {"{\"__metadata__\":{\"format\":\"heft\",\"version\":\"1\"}}", 0, "has no checksum"},
        {"{META}", 0, "checksum does not match"},
        {"{\"__metadata__\":{\"format\":\"pt\"}}", 0, "a safetensors file but not a heft model"},
        {"{\"__metadata__\":{\"format\":\"heft\",\"version\":\"2\"}}", 0,
         "format version 2, and this heft reads version 1"},
        {"{}", 0, "a safetensors file but not a heft model"},
        {"{\"a\":" T("\"BF16\"", "[4]", "[0,8]") "}", 8, "a safetensors file but not a heft model"},
#undef T
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (open_header(cases[k].header, cases[k].data) != HEFT_EFORMAT ||
            !strstr(err.text, cases[k].why))
            fail_msg("%s: %s", cases[k].header, err.text);
    }
}

/* Nesting without end is refused before a parser sees it. */
static void deep_nesting(void **state)
{
    (void)state;
    static char header[60000];
    for (size_t k = 0; k + 10 < sizeof header; k += 5) memcpy(header + k, "{\"a\":", 6);
    assert_int_equal(open_header(header, 0), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "nested too deeply"));
}

/* Files of other kinds are named for what they are. */
static void other_files(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        size_t      n;
        const char *why;
    } cases[] = {
        {"", 0, "m.heft is empty"},
        {"@relation iris\r\n\r\n@attribute x numeric\n", 38,
         "m.heft is not a heft model (it looks like a text data file; train one with heft_fit and "
         "heft_model_save)"},
        {"a,b", 3, "looks like a text data file"},
        {"caf\xe9,b\n1,2\n", 11, "looks like a text data file"},
        {"{\"a\": 1, \"b\": 2}", 16, "looks like a text data file"},
        {"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10, "it is compressed"},
        {"\x28\xb5\x2f\xfd\0\0\0\0\0\0", 10, "it is compressed"},
        {"\0\0\0\0\0\0\0\0{}", 10, "is not a heft model"},
        {"\x7f"
         "ELF\2\1\1\0\0\0\0\0",
         12, "is not a heft model"},
        {"\2\0\0\0\0\0\0\0[]", 10, "is not a heft model"},
        {"\2\0\0\0\0\0\0\x80{}", 10, "is not a heft model"},
        {"\3\0\0\0\0\0\0\0{}", 10, "cut short: it should have 11 bytes and has 10"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(open_status(cases[k].data, cases[k].n), HEFT_EFORMAT);
        if (!strstr(err.text, cases[k].why)) fail_msg("%zu: %s", k, err.text);
    }
}

static heft_status open_path(const char *name)
{
    heft_ctx          ctx;
    heft_file        *file;
    const heft_status st = heft_file_open(ctx_new(&ctx), name, &file);
    heft_file_free(file);
    heft_ctx_clear(&ctx);
    return st;
}

/* A missing file and a folder are EIO with the system's reason; a data file is refused by path. */
static void paths(void **state)
{
    (void)state;
    char name[320];
    snprintf(name, sizeof name, "%s/none", in_folder(NULL));
    assert_int_equal(open_path(name), HEFT_EIO);
    assert_non_null(strstr(err.text, strerror(ENOENT)));
    assert_int_equal(open_path(in_folder(NULL)), HEFT_EIO);
    assert_non_null(strstr(err.text, strerror(EISDIR)));
    write_bytes(path, "a,b\n1,2\n", 8);
    assert_int_equal(open_path(path), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, path));
    write_bytes(path, "", 0);
    assert_int_equal(open_path(path), HEFT_EFORMAT);
}

/* "-" reads a model from a pipe. */
static void from_pipe(void **state)
{
    (void)state;
    blob b = sample();
    int  ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], b.data, b.n), (ssize_t)b.n);
    close(ends[1]);
    const int kept = dup(0);
    assert_int_equal(dup2(ends[0], 0), 0);
    assert_int_equal(open_path("-"), HEFT_OK);
    assert_int_equal(open_path("-"), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "standard input is empty"));
    dup2(kept, 0);
    close(kept);
    close(ends[0]);
    clearerr(stdin);
    free(b.data);
}

/* A tensor is handed out only as what it is. (state.h bounds the numbers: store_test.c) */
static void wrong_requests(void **state)
{
    (void)state;
    heft_ctx    ctx;
    heft_file  *file;
    heft_arena  arena = {0};
    const char *text;
    double      room[8];
    void       *p = room;
    char      **words;
    ctx_new(&ctx);
    assert_int_equal(heft_file_create(&ctx, &file), HEFT_OK);
    assert_int_equal(put_sample(&ctx, file), HEFT_OK);
    assert_int_equal(heft_file_get(&ctx, file, "u8", HEFT_U16, 3, p), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "'u8' is U8, not U16"));
    assert_int_equal(heft_file_get(&ctx, file, "u8", HEFT_U8, 4, p), HEFT_EFORMAT);
    assert_non_null(strstr(err.text, "'u8' has 3 elements, not 4"));
    assert_int_equal(heft_file_get(&ctx, file, "x", HEFT_U8, 4, p), HEFT_EFORMAT);
    assert_int_equal(heft_file_get_text(&ctx, file, "none", &text), HEFT_EFORMAT);
    assert_int_equal(heft_file_get_strings(&ctx, file, "words", 4, &arena, &words), HEFT_EFORMAT);
    assert_int_equal(heft_file_get_strings(&ctx, file, "method", 4, &arena, &words), HEFT_EFORMAT);
    heft_file_free(file);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

/* A name is put once; text that is not UTF-8 and reserved names are refused. */
static void wrong_puts(void **state)
{
    (void)state;
    heft_ctx     ctx;
    heft_file   *file;
    const size_t huge[] = {SIZE_MAX, SIZE_MAX};
    ctx_new(&ctx);
    assert_int_equal(heft_file_create(&ctx, &file), HEFT_OK);
    assert_int_equal(put_sample(&ctx, file), HEFT_OK);
    assert_int_equal(heft_file_put_text(&ctx, file, "method", "x"), HEFT_EINVAL);
    assert_int_equal(heft_file_put_text(&ctx, file, "format", "x"), HEFT_EINVAL);
    assert_int_equal(heft_file_put_text(&ctx, file, "version", "x"), HEFT_EINVAL);
    assert_int_equal(heft_file_put_text(&ctx, file, "checksum", "x"), HEFT_EINVAL);
    assert_int_equal(heft_file_put_text(&ctx, file, "e", "caf\xe9"), HEFT_EINVAL);
    assert_int_equal(heft_file_put_text(&ctx, file, "\xe9", "e"), HEFT_EINVAL);
    assert_int_equal(put_vector(&ctx, file, "u8", HEFT_U8, 1, "x"), HEFT_EINVAL);
    assert_int_equal(put_vector(&ctx, file, "\xe9", HEFT_U8, 1, "x"), HEFT_EINVAL);
    assert_int_equal(put_vector(&ctx, file, "__metadata__", HEFT_U8, 1, "x"), HEFT_EINVAL);
    assert_int_equal(heft_file_put(&ctx, file, "huge", HEFT_U8, huge, 2, "x"), HEFT_ENOMEM);
    heft_file_free(file);
    heft_ctx_clear(&ctx);
}

/* Strings whose ends do not fit their bytes are refused. */
static void hostile_strings(void **state)
{
    (void)state;
    static const struct {
        const char *blob;
        size_t      n;
        uint64_t    ends[3];
    } cases[] = {
        {"abcdef", 6, {3, 2, 6}},  {"abcdef", 6, {3, 5, 7}},          {"abcdef", 6, {1, 2, 5}},
        {"ab\0def", 6, {1, 4, 6}}, {"abcdef", 6, {UINT64_MAX, 2, 6}}, {"", 0, {0, 0, 1}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_ctx   ctx;
        heft_file *file;
        heft_arena arena = {0};
        char     **words;
        ctx_new(&ctx);
        assert_int_equal(heft_file_create(&ctx, &file), HEFT_OK);
        assert_int_equal(put_vector(&ctx, file, "s.bytes", HEFT_U8, cases[k].n, cases[k].blob), 0);
        assert_int_equal(put_vector(&ctx, file, "s.ends", HEFT_U64, 3, cases[k].ends), 0);
        assert_int_equal(heft_file_get_strings(&ctx, file, "s", 3, &arena, &words), HEFT_EFORMAT);
        assert_non_null(strstr(err.text, "not in order"));
        heft_file_free(file);
        heft_arena_clear(&arena);
        heft_ctx_clear(&ctx);
    }
}

static heft_status open_and_get(heft_ctx *ctx, const char *name)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    heft_arena  arena = {0};
    double      room[8];
    void       *p = room;
    char      **words;
    HEFT_TRY(heft_file_open(ctx, name, &file));
    HEFT_TRY(heft_file_get(ctx, file, "cube", HEFT_F64, 6, p));
    HEFT_TRY(heft_file_get_strings(ctx, file, "words", 5, &arena, &words));
done:
    heft_file_free(file);
    heft_arena_clear(&arena);
    return st;
}

static bool parser_failed;

static void *parser_alloc(size_t n)
{
    void *p = heft_alloc(n, 1);
    parser_failed |= !p;
    return p;
}

/* Whichever allocation fails: ENOMEM, no leak, and the file on disk is untouched. The JSON parser
 * does not always tell its own failure from a fault in the text; that may be EFORMAT. */
static void no_memory(void **state)
{
    (void)state;
    heft_ctx    ctx;
    heft_status st = HEFT_ENOMEM;
    blob        before = sample(), after;
    json_set_alloc_funcs(parser_alloc, heft_free);
    for (size_t n = 1; st != HEFT_OK; n++) {
        ctx_new(&ctx);
        heft_fail_alloc_at(n, n % 2);
        st = write_sample(&ctx, path);
        heft_fail_alloc_at(0, false);
        heft_ctx_clear(&ctx);
        if (st != HEFT_OK) assert_int_equal(st, HEFT_ENOMEM);
        after = read_bytes(path);
        assert_int_equal(after.n, before.n);
        assert_memory_equal(after.data, before.data, before.n);
        free(after.data);
    }
    st = HEFT_ENOMEM;
    size_t n = 1;
    for (; st != HEFT_OK; n++) {
        ctx_new(&ctx);
        parser_failed = false;
        heft_fail_alloc_at(n, n % 2);
        st = open_and_get(&ctx, path);
        heft_fail_alloc_at(0, false);
        heft_ctx_clear(&ctx);
        if (st != HEFT_OK && st != HEFT_ENOMEM && !(parser_failed && st == HEFT_EFORMAT))
            fail_msg("allocation %zu: %s", n, err.text);
    }
    assert_true(n > 50);
    json_set_alloc_funcs(malloc, free);
    free(before.data);
}

/* Any bytes become a JSON string that a parser reads; UTF-8 stays, other bytes are Latin-1. */
static void json_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *read;
    } cases[] = {
        {"", ""},
        {"a\"\\/\b\t\n\x01\x1f\x7f", "a\"\\/\b\t\n\x01\x1f\x7f"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"caf\xe9", "caf\xc3\xa9"},
        {"\xc3", "\xc3\x83"},
        {"\xc0\xaf", "\xc3\x80\xc2\xaf"},
        {"\xed\xa0\x80", "\xc3\xad\xc2\xa0\xc2\x80"},
        {"\xf4\x90\x80\x80", "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"},
        {"\xff\xfe\x80", "\xc3\xbf\xc3\xbe\xc2\x80"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_buf buf = {0};
        heft_buf_json(&buf, cases[k].text);
        json_t *read = json_loadb(buf.data, buf.length, JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        assert_string_equal(json_string_value(read), cases[k].read);
        assert_int_equal(heft_utf8_valid(cases[k].text), strcmp(cases[k].text, cases[k].read) == 0);
        json_decref(read);
        heft_buf_clear(&buf);
    }
}

static int open_stage(void **state)
{
    if (open_folder(state) != 0) return -1;
    snprintf(path, sizeof path, "%s", in_folder("m.heft"));
    return 0;
}

static int close_stage(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(in_folder(NULL)); /* fails when something was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),      cmocka_unit_test(same_bytes),
        cmocka_unit_test(layout),          cmocka_unit_test(from_elsewhere),
        cmocka_unit_test(bit_flips),       cmocka_unit_test(truncations),
        cmocka_unit_test(too_long),        cmocka_unit_test(hostile_headers),
        cmocka_unit_test(deep_nesting),    cmocka_unit_test(other_files),
        cmocka_unit_test(paths),           cmocka_unit_test(from_pipe),
        cmocka_unit_test(wrong_requests),  cmocka_unit_test(wrong_puts),
        cmocka_unit_test(hostile_strings), cmocka_unit_test(no_memory),
        cmocka_unit_test(json_strings),
    };
    return cmocka_run_group_tests(tests, open_stage, close_stage);
}
