/* structs.h - public structs, which programs built for other versions of heft may fill in. They
 * begin with `size_t size`: the sizeof that the program was compiled with, or 0 for the fields of
 * version 1.0. */
#pragma once

#include "base/ctx.h"

typedef struct heft_struct { /* description of a public struct in this version of the library */
    const char *name;
    size_t      size;  /* size in this version */
    size_t      first; /* size in version 1.0, where `last` was its last field */
} heft_struct;

#define HEFT_STRUCT(type, last)                                                                    \
    &(const heft_struct)                                                                           \
    {                                                                                              \
#type, sizeof(type), offsetof(type, last) + sizeof((type *)0)->last                        \
    }

/* Copies the caller's struct `from` to `to`, which has the size of this version; fields that the
 * caller's struct lacks become zeros, and all do if `from` is NULL. Returns EINVAL if the caller's
 * struct is shorter than in any version, or sets a field that this version does not know. */
heft_status heft_struct_take(heft_ctx *ctx, const heft_struct *as, const void *from, void *to);

/* Copies a struct of this version to the caller's struct `to`, as many bytes as that has. Its field
 * `size` does not change. */
heft_status heft_struct_give(heft_ctx *ctx, const heft_struct *as, const void *from, void *to);

/* Returns EINVAL if heft_struct_give would fail. */
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
