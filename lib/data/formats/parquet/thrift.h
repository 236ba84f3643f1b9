/* thrift.h - reading Thrift's compact protocol, in which Parquet files describe themselves.
 *
 * Nothing is trusted: every length is compared with the bytes that are left. After the first fault
 * `bad` is set, no byte is read any more, and what is returned is zero: callers look at `bad` once,
 * at the end. A declared number of elements never exceeds the bytes left. */
#pragma once

#include "data/binary_values.h"

typedef struct heft_thrift {
    const uint8_t *at, *end;
    bool           bad;
} heft_thrift;

/* The field of a struct that heft_thrift_next has found. Zero it before the first one. */
typedef struct heft_thrift_field {
    int32_t  id;
    unsigned type;
} heft_thrift_field;

enum { HEFT_THRIFT_STRUCT = 12 };

/* The next field of a struct; false behind the last one. Each field found must be read or skipped.
 */
bool heft_thrift_next(heft_thrift *t, heft_thrift_field *field);
/* The value of the field. A field of another type is a fault. */
bool    heft_thrift_bool(heft_thrift *t, const heft_thrift_field *field);
int64_t heft_thrift_int(heft_thrift *t, const heft_thrift_field *field);
/* Reads all fields of a struct: integer k into *at[k], where k < n and at[k] is not NULL; all other
 * fields are skipped. */
void   heft_thrift_ints(heft_thrift *t, int64_t *const *at, size_t n);
size_t heft_thrift_text(heft_thrift *t, const heft_thrift_field *field, const char **text);
/* Whether a struct begins here, to be read field by field. */
bool heft_thrift_struct(heft_thrift *t, const heft_thrift_field *field);
/* The number of elements of a list of structs, which follow. */
size_t heft_thrift_structs(heft_thrift *t, const heft_thrift_field *field);
void   heft_thrift_skip(heft_thrift *t, const heft_thrift_field *field);
