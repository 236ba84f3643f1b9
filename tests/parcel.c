/* parcel.c - see parcel.h. */
#include "parcel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static size_t width_of(const char *type)
{
    if (strcmp(type, "U8") == 0) return 1;
    if (strcmp(type, "U16") == 0) return 2;
    if (strcmp(type, "U32") == 0) return 4;
    return strcmp(type, "U64") == 0 || strcmp(type, "F64") == 0 ? 8 : 0;
}

static bool take_tensor(parcel *p, const char *name, json_t *about, const uint8_t *data, size_t n)
{
    json_t       *offsets = json_object_get(about, "data_offsets");
    const char   *type = json_string_value(json_object_get(about, "dtype"));
    json_t       *shape = json_object_get(about, "shape");
    parcel_tensor t = {.width = type ? width_of(type) : 0};
    if (!t.width || !json_is_array(shape) || json_array_size(shape) > 3 || p->n == PARCEL_TENSORS)
        return false;
    const json_int_t lo = json_integer_value(json_array_get(offsets, 0));
    const json_int_t hi = json_integer_value(json_array_get(offsets, 1));
    if (lo < 0 || hi < lo || (size_t)hi > n) return false;
    t.bytes = (size_t)(hi - lo);
    t.name = strdup(name);
    t.data = malloc(t.bytes + 1);
    if (!t.name || !t.data) abort();
    snprintf(t.type, sizeof t.type, "%s", type);
    memcpy(t.data, data + lo, t.bytes);
    t.shape = json_deep_copy(shape);
    p->t[p->n++] = t;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const parcel_tensor *)a)->name, ((const parcel_tensor *)b)->name);
}

bool parcel_open(parcel *p, const uint8_t *bytes, size_t n)
{
    uint64_t    header = 0;
    const char *name;
    json_t     *about;
    memset(p, 0, sizeof *p);
    if (n < 8) return false;
    for (int k = 7; k >= 0; k--) header = header << 8 | bytes[k];
    if (header > n - 8) return false;
    json_t *root = json_loadb((const char *)bytes + 8, (size_t)header, 0, NULL);
    bool    good = json_is_object(json_object_get(root, "__metadata__"));
    if (good) p->meta = json_deep_copy(json_object_get(root, "__metadata__"));
    json_object_foreach(root, name, about)
    {
        if (!good || strcmp(name, "__metadata__") == 0) continue;
        good = take_tensor(p, name, about, bytes + 8 + header, n - 8 - (size_t)header);
    }
    json_decref(root);
    if (good) qsort(p->t, p->n, sizeof *p->t, by_name);
    else parcel_close(p);
    return good;
}

void parcel_release(parcel_tensor *t)
{
    free(t->data);
    json_decref(t->shape);
}

void parcel_drop(parcel *p, size_t k)
{
    free(p->t[k].name);
    parcel_release(&p->t[k]);
    p->n--;
    memmove(&p->t[k], &p->t[k + 1], (p->n - k) * sizeof *p->t);
}

void parcel_close(parcel *p)
{
    while (p->n) parcel_drop(p, p->n - 1);
    json_decref(p->meta);
    p->meta = NULL;
}

/* ---- lengths ---- */

parcel_tensor parcel_resized(const parcel_tensor *t, size_t n)
{
    parcel_tensor out = *t;
    out.bytes = n * t->width;
    out.data = malloc(out.bytes + 1);
    out.shape = json_pack("[I]", (json_int_t)n);
    if (!out.data || !out.shape) abort();
    for (size_t k = 0; k < out.bytes; k++) out.data[k] = t->bytes ? t->data[k % t->bytes] : 0;
    return out;
}

void parcel_resize(parcel_tensor *t, size_t n)
{
    parcel_tensor old = *t;
    *t = parcel_resized(&old, n);
    parcel_release(&old);
}

/* ---- the checksum of model/safetensors.h ---- */

static uLong sum_number(uLong crc, uint64_t x)
{
    Bytef b[8];
    for (int k = 0; k < 8; k++) b[k] = (Bytef)(x >> (8 * k));
    return crc32(crc, b, 8);
}

static uLong sum_text(uLong crc, const char *s)
{
    return crc32(sum_number(crc, strlen(s)), (const Bytef *)s, (uInt)strlen(s));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool parcel_checksum(const parcel *p, size_t without, char out[16])
{
    const char *names[PARCEL_TEXTS], *name;
    json_t     *text;
    size_t      n = 0;
    json_object_foreach(p->meta, name, text)
    {
        if (n == PARCEL_TEXTS || !json_is_string(text)) return false;
        if (strcmp(name, "checksum") != 0) names[n++] = name;
    }
    qsort(names, n, sizeof *names, by_text);
    uLong crc = sum_number(crc32(0, NULL, 0), n);
    for (size_t k = 0; k < n; k++)
        crc = sum_text(sum_text(crc, names[k]),
                       json_string_value(json_object_get(p->meta, names[k])));
    crc = sum_number(crc, p->n - (without < p->n));
    for (size_t k = 0; k < p->n; k++) {
        const parcel_tensor *t = &p->t[k];
        if (k == without) continue;
        crc = sum_text(sum_text(crc, t->name), t->type);
        crc = sum_number(crc, json_array_size(t->shape));
        for (size_t d = 0; d < json_array_size(t->shape); d++)
            crc = sum_number(crc, (uint64_t)json_integer_value(json_array_get(t->shape, d)));
        if (t->bytes) crc = crc32(crc, t->data, (uInt)t->bytes);
    }
    snprintf(out, 16, "%08lx", (unsigned long)crc & 0xfffffffful);
    return true;
}

uint8_t *parcel_bytes(const parcel *p, size_t without, size_t *n)
{
    char   sum[16];
    size_t at = 0;
    if (!parcel_checksum(p, without, sum)) return NULL;
    json_object_set_new(p->meta, "checksum", json_string(sum));
    json_t *root = json_object();
    json_object_set(root, "__metadata__", p->meta);
    for (size_t k = 0; k < p->n; k++) {
        const parcel_tensor *t = &p->t[k];
        if (k == without) continue;
        json_object_set_new(root, t->name,
                            json_pack("{s:s, s:O, s:[I,I]}", "dtype", t->type, "shape", t->shape,
                                      "data_offsets", (json_int_t)at, (json_int_t)(at + t->bytes)));
        at += t->bytes;
    }
    char *header = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (!header) return NULL;
    const size_t length = strlen(header);
    uint8_t     *out = malloc(8 + length + at);
    if (!out) abort();
    for (int k = 0; k < 8; k++) out[k] = (uint8_t)((uint64_t)length >> (8 * k));
    memcpy(out + 8, header, length);
    free(header);
    *n = 8 + length;
    for (size_t k = 0; k < p->n; k++) {
        if (k == without) continue;
        memcpy(out + *n, p->t[k].data, p->t[k].bytes);
        *n += p->t[k].bytes;
    }
    return out;
}
