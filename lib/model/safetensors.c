/* safetensors.c - the model container: one safetensors file in memory, written or read.
 *
 * Texts and tensors are sorted by name for the checksum, by place or size for the layout. A file is
 * checked before its content is used, in this order: it begins like a model, the length of its
 * header is possible, the JSON of the header is small and flat, it is a file of heft with a known
 * version, the tensors cover the data exactly and without overlap, and the checksum is right. */
#include "model/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/out.h"
#include "base/put.h"

#undef heft_file_damaged /* it is a macro when the analyzer reads this file */

HEFT_OWNED(json_t, json_decref)

enum {
    PREFIX = 8,
    MAX_DIMS = 3,
    MAX_DEPTH = 3,
    SNIFF = 512,
    SHOWN = 64,
    FIRST_READ = 64 * 1024,
    NAME = 256, /* largest number of bytes of the name of a tensor that is written */
    MAX_ENTRIES = 1000,
    MAX_COMMAS = 8 * MAX_ENTRIES /* most commas of a header; a tensor needs six */
};

static const size_t MAX_HEADER = 100 * 1000 * 1000; /* limit of the reference implementation */

static const char STDIN[] = "standard input";
static const char FORMAT[] = "heft";
static const char VERSION[] = "1";

typedef struct entry { /* a text, or a tensor */
    const char *name;
    const char *text; /* NULL for a tensor */
    heft_dtype  type;
    size_t      n_dims, shape[MAX_DIMS];
    size_t      n, bytes;
    size_t      at; /* offset in the data of a file that was read */
    const void *data;
} entry;

typedef struct entries {
    entry  items[MAX_ENTRIES];
    size_t n;
} entries;

struct heft_file {
    const char *path;
    entries     texts, tensors; /* the checksum is not among the texts */
    const char *said;           /* checksum that a file that was read contains; NULL: none */
    heft_arena  arena;          /* names and texts; also the data of a file that is written */
    char       *content;        /* bytes of a file that was read */
};

static const struct {
    const char *name;
    size_t      size;
} TYPES[] = {
    [HEFT_F64] = {"F64", 8}, [HEFT_U8] = {"U8", 1},   [HEFT_U16] = {"U16", 2},
    [HEFT_U32] = {"U32", 4}, [HEFT_U64] = {"U64", 8},
};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES };

/* ---- entries ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

/* Larger elements first keeps every tensor aligned without holes. */
static int by_size(const void *a, const void *b)
{
    const size_t s = TYPES[((const entry *)a)->type].size, t = TYPES[((const entry *)b)->type].size;
    return s != t ? (s > t ? -1 : 1) : by_name(a, b);
}

static int by_place(const void *a, const void *b)
{
    const entry *s = a, *t = b;
    if (s->at != t->at) return s->at < t->at ? -1 : 1;
    return s->bytes < t->bytes ? -1 : s->bytes > t->bytes;
}

static void sort(entries *list, int (*compare)(const void *, const void *))
{
    qsort(list->items, list->n, sizeof *list->items, compare);
}

static const entry *find(const entries *list, const char *name)
{
    for (size_t k = 0; k < list->n; k++)
        if (strcmp(list->items[k].name, name) == 0) return &list->items[k];
    return NULL;
}

/* Adds an entry. It is an error if the list already has one of that name. */
static heft_status insert(heft_ctx *ctx, entries *list, const entry *item)
{
    if (find(list, item->name) || list->n == MAX_ENTRIES)
        return heft_fail(ctx, HEFT_EINVAL, "model file: '%s' is put twice, or there are too many",
                         item->name);
    list->items[list->n++] = *item;
    return HEFT_OK;
}

#define SHOW(text) HEFT_SHOW(text, SHOWN)

/* ---- bytes ---- */

/* Copies elements and converts between the byte order of the host and that of the file; the
 * conversion is the same in both directions. */
static void copy_elements(void *to, const void *from, size_t n, size_t size)
{
    const uint16_t one = 1;
    if (n == 0) return;
    HEFT_KNOWN(to && from);
    if (*(const uint8_t *)&one == 1) { /* the host is little-endian too */
        memcpy(to, from, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            ((uint8_t *)to)[i * size + b] = ((const uint8_t *)from)[i * size + size - 1 - b];
}

static uint64_t number_at(const void *bytes)
{
    uint64_t x;
    copy_elements(&x, bytes, 1, sizeof x);
    return x;
}

static uLong sum_number(uLong crc, uint64_t x)
{
    const uint64_t bytes = number_at(&x);
    return crc32_z(crc, (const Bytef *)&bytes, sizeof bytes);
}

static uLong sum_text(uLong crc, const char *text)
{
    const size_t length = strlen(text);
    return crc32_z(sum_number(crc, length), (const Bytef *)text, length);
}

/* The checksum that safetensors.h describes. */
static void checksum(heft_file *file, char out[9])
{
    sort(&file->texts, by_name);
    sort(&file->tensors, by_name);
    uLong crc = sum_number(crc32_z(0, NULL, 0), file->texts.n);
    for (size_t k = 0; k < file->texts.n; k++)
        crc = sum_text(sum_text(crc, file->texts.items[k].name), file->texts.items[k].text);
    crc = sum_number(crc, file->tensors.n);
    for (size_t k = 0; k < file->tensors.n; k++) {
        const entry *t = &file->tensors.items[k];
        crc = sum_text(sum_text(crc, t->name), TYPES[t->type].name);
        crc = sum_number(crc, t->n_dims);
        for (size_t d = 0; d < t->n_dims; d++) crc = sum_number(crc, t->shape[d]);
        if (t->bytes) crc = crc32_z(crc, t->data, t->bytes);
    }
    snprintf(out, 9, "%08lx", (unsigned long)crc & 0xfffffffful);
}

/* ---- writing ---- */

/* Makes the text of the header, and sorts the tensors in the order in which they are written. */
static heft_status header_text(heft_ctx *ctx, heft_file *file, const char *label, char **out)
{
    char     sum[9];
    heft_buf buf = {0};
    size_t   at = 0;
    checksum(file, sum);
    sort(&file->tensors, by_size);
    heft_buf_printf(&buf, "{\"__metadata__\":{\"checksum\":\"%s\"", sum);
    for (size_t k = 0; k < file->texts.n; k++)
        heft_put(&buf, ",%j:%j", file->texts.items[k].name, file->texts.items[k].text);
    heft_buf_text(&buf, "}");
    for (size_t k = 0; k < file->tensors.n; k++) {
        const entry *t = &file->tensors.items[k];
        heft_put(&buf, ",%j:{\"dtype\":\"%s\",\"shape\":[", t->name, TYPES[t->type].name);
        for (size_t d = 0; d < t->n_dims; d++)
            heft_buf_printf(&buf, d ? ",%zu" : "%zu", t->shape[d]);
        heft_buf_printf(&buf, "],\"data_offsets\":[%zu,%zu]}", at, at + t->bytes);
        at += t->bytes;
    }
    heft_buf_text(&buf, "}");
    heft_buf_add(&buf, "       ", (PREFIX - buf.length % PREFIX) % PREFIX); /* align the tensors */
    HEFT_CHECK(heft_buf_take(ctx, &buf, out));
    if (strlen(*out) <= MAX_HEADER - PREFIX) return HEFT_OK;
    return heft_fail(ctx, HEFT_EUNSUPPORTED, "%s: the model has too many parts to be saved", label);
}

/* Writes to an output, or to *memory, which moves on. */
static heft_status emit(heft_ctx *ctx, heft_out *out, char **memory, const void *data, size_t n)
{
    if (out) return heft_out_write(ctx, out, data, n);
    HEFT_KNOWN(memory && (*memory || !n));
    if (n) memcpy(*memory, data, n);
    *memory += n;
    return HEFT_OK;
}

static heft_status write_all(heft_ctx *ctx, heft_out *out, char *memory, const char *header,
                             const entries *tensors)
{
    const uint64_t length = strlen(header), prefix = number_at(&length);
    HEFT_CHECK(emit(ctx, out, &memory, &prefix, PREFIX));
    HEFT_CHECK(emit(ctx, out, &memory, header, (size_t)length));
    for (size_t k = 0; k < tensors->n; k++)
        if (tensors->items[k].bytes)
            HEFT_CHECK(emit(ctx, out, &memory, tensors->items[k].data, tensors->items[k].bytes));
    return HEFT_OK;
}

/* ---- reading ---- */

/* Whether there is no control character except those that text files have. */
static bool looks_like_text(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)s[i];
        if (c == 0 || c == 0x7f || (c < 0x20 && !strchr("\t\n\r\f", c))) return false;
    }
    return n > 0;
}

/* Checks whether a file could be a model by its first bytes: SNIFF of them, or the whole file where
 * it is shorter. */
static heft_status check_start(heft_ctx *ctx, const char *path, const char *s, size_t n)
{
    const uint64_t header = n >= PREFIX ? number_at(s) : 0;
    if (n > PREFIX && header >= 2 && header <= MAX_HEADER && s[PREFIX] == '{') return HEFT_OK;
    if (n == 0)
        return heft_fail(ctx, HEFT_EFORMAT, "%s is empty, not a heft model ({advice train-one})",
                         path);
    const bool packed =
        n >= 4 && (memcmp(s, "\x1f\x8b", 2) == 0 || memcmp(s, "\x28\xb5\x2f\xfd", 4) == 0);
    const bool text = !packed && looks_like_text(s, n);
    if (!packed && !text && (n < PREFIX || (n == PREFIX && header >= 2 && header <= MAX_HEADER)))
        return heft_fail(ctx, HEFT_EFORMAT, "%s is cut short: it has %s (copy it again)", path,
                         HEFT_COUNT_OF(n, "byte"));
    if (packed)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s is not a heft model (it is compressed; decompress it first)", path);
    if (!text)
        return heft_fail(ctx, HEFT_EFORMAT, "%s is not a heft model ({advice train-one})", path);
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s is not a heft model (it looks like a text data file; {advice "
                     "train-from=%s})",
                     path, path != STDIN ? path : "DATA");
}

/* Reads a whole stream, but refuses it early when it does not begin like a model. */
static heft_status read_stream(heft_ctx *ctx, int fd, const char *path, char **out, size_t *length)
{
    size_t  n = 0, capacity = 0;
    bool    checked = false;
    ssize_t got = 1;
    while (got > 0) {
        if (n == capacity) {
            capacity = capacity ? capacity * 2 : FIRST_READ;
            char *grown = heft_resize(*out, capacity, 1);
            if (!grown) return heft_no_memory(ctx, capacity, 1);
            *out = grown;
        }
        const size_t most = (size_t)1 << 30, want = checked ? capacity - n : SNIFF - n;
        got = heft_io_read(fd, *out + n, want < most ? want : most);
        if (got < 0) return heft_fail(ctx, HEFT_EIO, "%s: cannot read: %s", path, strerror(errno));
        n += (size_t)got;
        if (checked || (got > 0 && n < SNIFF)) continue;
        HEFT_CHECK(check_start(ctx, path, *out, n));
        checked = true;
    }
    *length = n;
    return HEFT_OK;
}

/* Limits the memory that the JSON parser can need. Returns what is wrong with the header, or NULL.
 */
static const char *header_fault(const char *s, size_t n)
{
    size_t depth = 0, commas = 0;
    bool   quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (quoted) {
            if (s[i] == '\\') i++;
            else if (s[i] == '"') quoted = false;
        } else if (s[i] == '"') {
            quoted = true;
        } else if (s[i] == '{' || s[i] == '[') {
            if (++depth > MAX_DEPTH) return "its header is nested too deeply";
        } else if (s[i] == '}' || s[i] == ']') {
            if (depth-- == 0) return "its header is not JSON";
        } else if (s[i] == ',' && ++commas > MAX_COMMAS) {
            return "its header has too many entries";
        }
    }
    return NULL;
}

static heft_status parse_header(heft_ctx *ctx, heft_file *file, const char *s, size_t n,
                                json_t **out)
{
    const char *fault = header_fault(s, n);
    if (fault) return heft_file_damaged(ctx, file, "%s", fault);
    json_error_t error = {.text = ""};
    *out = json_loadb(s, n, JSON_REJECT_DUPLICATES, &error);
    if (*out) return HEFT_OK;
    if (error.text[0] == 0 || json_error_code(&error) == json_error_out_of_memory)
        return heft_no_memory(ctx, n, 1);
    return heft_file_damaged(ctx, file, "its header is not valid: %s", SHOW(error.text));
}

/* Reads the texts, and checks by them that the file is a model of a known version. */
static heft_status read_texts(heft_ctx *ctx, heft_file *file, json_t *meta)
{
    const char *name;
    json_t     *value;
    if (json_object_size(meta) > MAX_ENTRIES)
        return heft_file_damaged(ctx, file, "it has more than %d texts", MAX_ENTRIES);
    json_object_foreach(meta, name, value)
    {
        if (!json_is_string(value))
            return heft_file_damaged(ctx, file, "its metadata are not all text");
        entry t = {.name = heft_arena_text(&file->arena, name),
                   .text = heft_arena_text(&file->arena, json_string_value(value))};
        if (!t.name || !t.text) return heft_no_memory(ctx, json_string_length(value), 1);
        if (strcmp(name, "checksum") == 0) file->said = t.text;
        else HEFT_CHECK(insert(ctx, &file->texts, &t));
    }
    const entry *format = find(&file->texts, "format"), *version = find(&file->texts, "version");
    if (!format || strcmp(format->text, FORMAT) != 0)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s is a safetensors file but not a heft model ({advice "
                         "train-one})",
                         file->path);
    if (!version) return heft_file_damaged(ctx, file, "it names no version");
    if (strcmp(version->text, VERSION) != 0)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the model has format version %s, and this heft reads version %s (use "
                         "the heft that wrote it, or train again)",
                         file->path, SHOW(version->text), VERSION);
    return HEFT_OK;
}

/* Reads a JSON integer that is not negative; false where the value is something else. */
static bool get_size(const json_t *value, size_t *out)
{
    const json_int_t x = json_is_integer(value) ? json_integer_value(value) : -1;
    *out = (size_t)x;
    return x >= 0 && (uint64_t)x <= SIZE_MAX / 2;
}

/* Reads dtype, shape and offsets of one tensor, which must agree with one another. Returns what is
 * wrong with them, or NULL. */
static const char *tensor_fault(const json_t *about, entry *t)
{
    const char *type = json_string_value(json_object_get(about, "dtype"));
    json_t     *shape = json_object_get(about, "shape");
    json_t     *offsets = json_object_get(about, "data_offsets");
    size_t      k = 0, end;
    if (json_object_size(about) != 3 || !type || !json_is_array(shape) || !json_is_array(offsets))
        return "must have dtype, shape and data_offsets";
    while (k < N_TYPES && strcmp(type, TYPES[k].name) != 0) k++;
    if (k == N_TYPES) return "has a dtype that no heft model has";
    t->type = (heft_dtype)k;
    t->n_dims = json_array_size(shape);
    if (t->n_dims > MAX_DIMS) return "has too many dimensions";
    t->n = 1;
    for (size_t d = 0; d < t->n_dims; d++)
        if (!get_size(json_array_get(shape, d), &t->shape[d]) ||
            !heft_product(t->n, t->shape[d], &t->n))
            return "has an impossible shape";
    if (json_array_size(offsets) != 2 || !get_size(json_array_get(offsets, 0), &t->at) ||
        !get_size(json_array_get(offsets, 1), &end) || end < t->at)
        return "has impossible offsets";
    if (!heft_product(t->n, TYPES[k].size, &t->bytes) || t->bytes != end - t->at)
        return "has a shape that does not fit its bytes";
    return NULL;
}

static heft_status read_tensors(heft_ctx *ctx, heft_file *file, json_t *root)
{
    const char *name;
    json_t     *about;
    if (json_object_size(root) > MAX_ENTRIES)
        return heft_file_damaged(ctx, file, "it has more than %d tensors", MAX_ENTRIES);
    json_object_foreach(root, name, about)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        entry       t = {.name = heft_arena_text(&file->arena, name)};
        const char *fault = tensor_fault(about, &t);
        if (!t.name) return heft_no_memory(ctx, strlen(name), 1);
        if (fault) return heft_file_damaged(ctx, file, "tensor '%s' %s", SHOW(name), fault);
        HEFT_CHECK(insert(ctx, &file->tensors, &t));
    }
    return HEFT_OK;
}

static heft_status cut_short(heft_ctx *ctx, const heft_file *file, size_t said, size_t length)
{
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s is cut short: it should have %zu bytes and has %zu (copy it again)",
                     file->path, said, length);
}

/* Finds the data of the tensors, which must follow one another from 0 to the end of the file. */
static heft_status place_tensors(heft_ctx *ctx, heft_file *file, size_t header, size_t length)
{
    const size_t have = length - PREFIX - header;
    size_t       at = 0;
    sort(&file->tensors, by_place);
    for (size_t k = 0; k < file->tensors.n; k++) {
        entry *t = &file->tensors.items[k];
        if (t->at != at)
            return heft_file_damaged(ctx, file, "tensor '%s' %s", SHOW(t->name),
                                     t->at < at ? "overlaps another" : "leaves a hole before it");
        if (t->bytes <= have && at <= have - t->bytes)
            t->data = file->content + PREFIX + header + at;
        at += t->bytes;
    }
    if (at > have) return cut_short(ctx, file, PREFIX + header + at, length);
    if (at < have)
        return heft_file_damaged(ctx, file, "it should have %zu bytes and has %zu",
                                 PREFIX + header + at, length);
    return HEFT_OK;
}

/* Reads the texts and tensors of file->content, which has `length` bytes and begins like a model.
 */
static heft_status interpret(heft_ctx *ctx, heft_file *file, size_t length)
{
    HEFT_OWN(json_t) *root = NULL;
    char              sum[9];
    HEFT_CHECK(check_start(ctx, file->path, file->content, length));
    const size_t header = (size_t)number_at(file->content); /* check_start made sure that it is at
                                                               most MAX_HEADER */
    if (header > length - PREFIX) return cut_short(ctx, file, PREFIX + header, length);
    HEFT_CHECK(parse_header(ctx, file, file->content + PREFIX, header, &root));
    json_t *meta = json_object_get(root, "__metadata__");
    if (meta && !json_is_object(meta))
        return heft_file_damaged(ctx, file, "its metadata are not an object");
    HEFT_CHECK(read_texts(ctx, file, meta));
    HEFT_CHECK(read_tensors(ctx, file, root));
    HEFT_CHECK(place_tensors(ctx, file, header, length));
    if (!file->said) return heft_file_damaged(ctx, file, "it has no checksum");
    checksum(file, sum);
    if (strcmp(file->said, sum) == 0) return HEFT_OK;
    return heft_file_damaged(ctx, file, "its checksum does not match its content");
}

static heft_status file_new(heft_ctx *ctx, const char *path, heft_file **out)
{
    HEFT_NEW(ctx, *out, 1);
    (*out)->path = path == STDIN ? STDIN : heft_arena_text(&(*out)->arena, path);
    return (*out)->path ? HEFT_OK : heft_no_memory(ctx, strlen(path), 1);
}

/* Finds a tensor of this name and type with n elements (SIZE_MAX: any number); EFORMAT where there
 * is none. */
static heft_status get_tensor(heft_ctx *ctx, const heft_file *file, const char *name,
                              heft_dtype type, size_t n, const entry **out)
{
    const entry *t = *out = find(&file->tensors, name);
    if (!t) return heft_file_damaged(ctx, file, "it has no tensor '%s'", name);
    if (t->type != type)
        return heft_file_damaged(ctx, file, "tensor '%s' is %s, not %s", name, TYPES[t->type].name,
                                 TYPES[type].name);
    if (n == SIZE_MAX || t->n == n) return HEFT_OK;
    return heft_file_damaged(ctx, file, "tensor '%s' has %zu elements, not %zu", name, t->n, n);
}

/* ---- public ---- */

heft_status heft_file_damaged(heft_ctx *ctx, const heft_file *file, const char *format, ...)
{
    char    what[384];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return heft_fail(ctx, HEFT_EFORMAT, "%s is damaged: %s (copy it again, or train again)",
                     file->path, what);
}

heft_status heft_file_create(heft_ctx *ctx, heft_file **out)
{
    HEFT_OWN(heft_file) *file = NULL;
    *out = NULL;
    HEFT_CHECK(file_new(ctx, "a new model", &file));
    entries *texts = &file->texts;
    texts->items[texts->n++] = (entry){.name = "format", .text = FORMAT};
    texts->items[texts->n++] = (entry){.name = "version", .text = VERSION};
    *out = file, file = NULL;
    return HEFT_OK;
}

heft_status heft_file_put_text(heft_ctx *ctx, heft_file *file, const char *name, const char *text)
{
    if (strcmp(name, "checksum") == 0 || !heft_utf8_valid(name) || !heft_utf8_valid(text))
        return heft_fail(ctx, HEFT_EINVAL, "model file: the text under '%s' is not valid", name);
    const entry t = {.name = heft_arena_text(&file->arena, name),
                     .text = heft_arena_text(&file->arena, text)};
    if (!t.name || !t.text) return heft_no_memory(ctx, strlen(name) + strlen(text), 1);
    return insert(ctx, &file->texts, &t);
}

heft_status heft_file_put(heft_ctx *ctx, heft_file *file, const char *name, heft_dtype type,
                          const size_t *shape, size_t n_dims, const void *data)
{
    entry t = {.type = type, .n_dims = n_dims, .n = 1};
    if (n_dims > MAX_DIMS || !heft_utf8_valid(name) || strcmp(name, "__metadata__") == 0)
        return heft_fail(ctx, HEFT_EINVAL, "model file: tensor '%s' is not valid", name);
    for (size_t d = 0; d < n_dims; d++) {
        t.shape[d] = shape[d];
        if (!heft_product(t.n, shape[d], &t.n)) return heft_no_memory(ctx, t.n, shape[d]);
    }
    if (!heft_product(t.n, TYPES[type].size, &t.bytes))
        return heft_fail(ctx, HEFT_EINVAL, "model file: too large at tensor '%s'", name);
    t.name = heft_arena_text(&file->arena, name);
    void *copy = heft_arena_alloc(&file->arena, t.n, TYPES[type].size);
    if (!t.name || !copy) return heft_no_memory(ctx, t.n, TYPES[type].size);
    copy_elements(copy, data, t.n, TYPES[type].size);
    t.data = copy;
    return insert(ctx, &file->tensors, &t);
}

heft_status heft_file_put_strings(heft_ctx *ctx, heft_file *file, const char *name,
                                  const char *const *strings, size_t n)
{
    HEFT_LOCAL(heft_buf) bytes = {0};
    uint64_t            *ends;
    char                 part[NAME];
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_ALLOC(ctx, &ctx->scratch, ends, n);
    for (size_t i = 0; i < n; i++) {
        heft_buf_text(&bytes, strings[i]);
        ends[i] = bytes.length;
    }
    if (bytes.failed) return heft_no_memory(ctx, bytes.length, 1);
    snprintf(part, sizeof part, "%s.bytes", name);
    HEFT_CHECK(heft_file_put(ctx, file, part, HEFT_U8, &bytes.length, 1, bytes.data));
    snprintf(part, sizeof part, "%s.ends", name);
    return heft_file_put(ctx, file, part, HEFT_U64, &n, 1, ends);
}

heft_status heft_file_save(heft_ctx *ctx, heft_file *file, const char *path)
{
    HEFT_FREED char    *header = NULL;
    HEFT_OWN(heft_out) *out = NULL;
    HEFT_CHECK(header_text(ctx, file, path, &header));
    HEFT_CHECK(heft_out_open(ctx, path, &out));
    HEFT_CHECK(write_all(ctx, out, NULL, header, &file->tensors));
    heft_out *whole = out;
    out = NULL;
    return heft_out_commit(ctx, whole);
}

heft_status heft_file_bytes(heft_ctx *ctx, heft_file *file, char **bytes, size_t *length)
{
    char            *to = NULL;
    HEFT_FREED char *header = NULL;
    *bytes = NULL;
    HEFT_CHECK(header_text(ctx, file, "memory", &header));
    size_t total = PREFIX + strlen(header);
    for (size_t k = 0; k < file->tensors.n; k++) total += file->tensors.items[k].bytes;
    HEFT_NEW(ctx, to, total);
    HEFT_CHECK(write_all(ctx, NULL, to, header, &file->tensors));
    *bytes = to, *length = total;
    return HEFT_OK;
}

heft_status heft_file_open(heft_ctx *ctx, const char *path, heft_file **out)
{
    const bool           standard = strcmp(path, "-") == 0;
    size_t               length = 0;
    HEFT_OWN(heft_file) *file = NULL;
    *out = NULL;
    HEFT_CHECK(file_new(ctx, standard ? STDIN : path, &file));
    const int fd = standard ? STDIN_FILENO : heft_io_open(path, O_RDONLY, 0);
    if (fd < 0) return heft_fail(ctx, HEFT_EIO, "%s: cannot open: %s", path, strerror(errno));
    const heft_status st = read_stream(ctx, fd, file->path, &file->content, &length);
    if (!standard) (void)heft_io_close(fd);
    HEFT_CHECK(st);
    HEFT_CHECK(interpret(ctx, file, length));
    *out = file, file = NULL;
    return HEFT_OK;
}

heft_status heft_file_open_bytes(heft_ctx *ctx, const char *label, const void *bytes, size_t length,
                                 heft_file **out)
{
    HEFT_OWN(heft_file) *file = NULL;
    *out = NULL;
    HEFT_CHECK(file_new(ctx, label, &file));
    HEFT_NEW(ctx, file->content, length);
    if (length) memcpy(file->content, bytes, length);
    HEFT_CHECK(interpret(ctx, file, length));
    *out = file, file = NULL;
    return HEFT_OK;
}

bool heft_file_has(const heft_file *file, const char *name)
{
    return find(&file->tensors, name) != NULL;
}

bool heft_file_has_type(const heft_file *file, const char *name, heft_dtype type)
{
    const entry *t = find(&file->tensors, name);
    return t && t->type == type;
}

heft_status heft_file_get_text(heft_ctx *ctx, const heft_file *file, const char *name,
                               const char **text)
{
    const entry *t = find(&file->texts, name);
    if (!t) return heft_file_damaged(ctx, file, "it has no '%s'", name);
    *text = t->text;
    return HEFT_OK;
}

heft_status heft_file_count(heft_ctx *ctx, const heft_file *file, const char *name, heft_dtype type,
                            size_t *n)
{
    const entry *t;
    HEFT_CHECK(get_tensor(ctx, file, name, type, SIZE_MAX, &t));
    *n = t->n;
    return HEFT_OK;
}

heft_status heft_file_get(heft_ctx *ctx, const heft_file *file, const char *name, heft_dtype type,
                          size_t n, void *to)
{
    const entry *t;
    HEFT_CHECK(get_tensor(ctx, file, name, type, n, &t));
    copy_elements(to, t->data, n, TYPES[type].size);
    return HEFT_OK;
}

heft_status heft_file_get_strings(heft_ctx *ctx, const heft_file *file, const char *name, size_t n,
                                  heft_arena *arena, char ***strings)
{
    char         part[NAME], *copy, **list;
    const entry *bytes, *ends;
    size_t       from = 0, i = 0;
    snprintf(part, sizeof part, "%s.bytes", name);
    HEFT_CHECK(get_tensor(ctx, file, part, HEFT_U8, SIZE_MAX, &bytes));
    snprintf(part, sizeof part, "%s.ends", name);
    HEFT_CHECK(get_tensor(ctx, file, part, HEFT_U64, n, &ends));
    HEFT_ALLOC(ctx, arena, list, n);
    HEFT_ALLOC(ctx, arena, copy, bytes->n + n); /* the sum cannot overflow, because both
                                                   numbers are sizes of memory */
    for (; i < n; i++) {
        const char    *text = (const char *)bytes->data + from;
        const uint64_t end = number_at((const char *)ends->data + i * sizeof end);
        if (end < from || end > bytes->n || (end > from && memchr(text, 0, (size_t)end - from)))
            break;
        list[i] = copy + from + i;
        if (end > from) memcpy(list[i], text, (size_t)end - from);
        from = (size_t)end;
    }
    if (i < n || from != bytes->n)
        return heft_file_damaged(ctx, file, "tensor '%s': the strings are not in order", part);
    *strings = list;
    return HEFT_OK;
}

const char *heft_file_tensor(const heft_file *file, size_t k)
{
    return k < file->tensors.n ? file->tensors.items[k].name : NULL;
}

size_t heft_dtype_size(heft_dtype type)
{
    return TYPES[type].size;
}

const char *heft_file_path(const heft_file *file)
{
    return file->path;
}

void heft_file_free(heft_file *file)
{
    if (!file) return;
    heft_free(file->content);
    heft_arena_clear(&file->arena);
    heft_free(file);
}
