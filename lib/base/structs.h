/* structs.h - structs that programs built for other versions of heft fill in. They begin with
 * `size_t size`: sizeof the struct as the program knows it, or 0, the fields of version 1.0. */
#pragma once

#include "base/ctx.h"

typedef struct heft_struct { /* one of them, as this library knows it */
    const char *name;
    size_t      size;  /* now */
    size_t      first; /* up to its last field in version 1.0, which is `last` */
} heft_struct;

#define HEFT_STRUCT(type, last)                                                                    \
    &(const heft_struct)                                                                           \
    {                                                                                              \
#type, sizeof(type), offsetof(type, last) + sizeof((type *)0)->last                        \
    }

/* `to`, of this library's size: the caller's struct, and zeros where that has no fields. EINVAL
 * where the caller's is shorter than in any version, or has a field set that this version does not
 * know. NULL gives zeros. */
heft_status heft_struct_take(heft_ctx *ctx, const heft_struct *as, const void *from, void *to);

/* The other way round, for structs that the caller gets: as many bytes as it has are written. Its
 * `size` stays as it is. */
heft_status heft_struct_give(heft_ctx *ctx, const heft_struct *as, const void *from, void *to);

/* EINVAL where heft_struct_give would refuse. */
heft_status heft_struct_fits(heft_ctx *ctx, const heft_struct *as, const void *to);

/* ---- the structs that several calls take ---- */

#define HEFT_RUNTIME   HEFT_STRUCT(heft_runtime, comm)
#define HEFT_HOST      HEFT_STRUCT(heft_host, user)
#define HEFT_COMM      HEFT_STRUCT(heft_comm, abort)
#define HEFT_SOURCE    HEFT_STRUCT(heft_source, run)
#define HEFT_CONFIG    HEFT_STRUCT(heft_config, run)
#define HEFT_ATTRIBUTE HEFT_STRUCT(heft_attribute, cuts)
#define HEFT_MATRIX    HEFT_STRUCT(heft_matrix, weights)

#define HEFT_EXPORT_OPTIONS HEFT_STRUCT(heft_export_options, evidence)

/* The context of a public call that is to run like this (NULL: on all cores). */
heft_status heft_ctx_open(heft_ctx *ctx, heft_error *err, const heft_runtime *run);
