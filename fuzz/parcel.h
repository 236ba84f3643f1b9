/* parcel.h - a model file taken apart and put together again with a proper checksum: a second
 * writer of the format of model/safetensors.h, so that changed files pass the checksum test. */
#ifndef HEFT_FUZZ_PARCEL_H
#define HEFT_FUZZ_PARCEL_H

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
    json_t       *meta; /* __metadata__ */
    parcel_tensor t[PARCEL_TENSORS];
    size_t        n;
} parcel;

/* False, and nothing to free, where the bytes are no such file. */
bool parcel_open(parcel *p, const uint8_t *bytes, size_t n);
void parcel_close(parcel *p);
/* The file; free it. NULL where the texts are no texts. */
uint8_t *parcel_bytes(parcel *p, size_t *n);
void     parcel_drop(parcel *p, size_t k); /* take out tensor k */

#endif
