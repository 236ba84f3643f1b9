/* parcel.h - a model file taken apart and put together again with a proper checksum: a second
 * writer of the format of model/safetensors.h, so that changed files pass the checksum test. For
 * store_damage_test.c and fuzz/fuzz_model.c. */
#ifndef HEFT_PARCEL_H
#define HEFT_PARCEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARCEL_TENSORS = 256, PARCEL_TEXTS = 64 };

typedef struct parcel_tensor {
    char    *name;
    char     type[8];
    size_t   width; /* bytes an element */
    json_t  *shape;
    uint8_t *data;
    size_t   bytes;
} parcel_tensor;

typedef struct parcel {
    json_t       *meta;              /* __metadata__ */
    parcel_tensor t[PARCEL_TENSORS]; /* by name */
    size_t        n;
} parcel;

/* False, and nothing to free, where the bytes are no such file. */
bool parcel_open(parcel *p, const uint8_t *bytes, size_t n);
void parcel_close(parcel *p);
/* The file without tensor number `without` (SIZE_MAX: all of them); free it. NULL where the texts
 * are no texts. */
uint8_t *parcel_bytes(const parcel *p, size_t without, size_t *n);
bool     parcel_checksum(const parcel *p, size_t without, char out[16]);
void     parcel_drop(parcel *p, size_t k); /* take out tensor k */

static inline size_t parcel_count(const parcel_tensor *t) /* of elements */
{
    return t->bytes / t->width;
}
/* A tensor of n elements and one dimension: those of t; what is new repeats them. It shares the
 * name of t; free the rest with parcel_release. */
parcel_tensor parcel_resized(const parcel_tensor *t, size_t n);
void          parcel_release(parcel_tensor *t);
void          parcel_resize(parcel_tensor *t, size_t n); /* in its place */

#endif
