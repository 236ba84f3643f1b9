/* safetensors.h - the model container: safetensors (8-byte little-endian header length, JSON
 * header, raw little-endian tensors), read with nothing trusted before it is checked.
 *
 * Writing: create, put metadata and tensors, save. Reading: open (which checks lengths, offsets,
 * shapes, version and checksum), get by name.
 *
 * __metadata__ holds "format" ("heft"), "version" ("1"), "checksum" and whatever was put as text.
 * The checksum is the CRC-32 of zlib, eight lower-case hexadecimal digits, over
 *
 *   number of texts but the checksum, then for each, by name: name, text
 *   number of tensors, then for each, by name: name, dtype, number of dimensions, each dimension,
 *   the data as in the file
 *
 * where a number is 8 bytes little-endian, a string is its length as such a number and its bytes,
 * and "by name" is in the order of the bytes. It does not depend on the order or the layout of the
 * header, so that other programs may write the file. */
#pragma once

#include "base/ctx.h"

typedef struct heft_file heft_file;

typedef enum heft_dtype { HEFT_F64, HEFT_U8, HEFT_U16, HEFT_U32, HEFT_U64 } heft_dtype;

heft_status heft_file_create(heft_ctx *ctx, heft_file **out);
/* Put a text under __metadata__. It is copied. Names and texts must be UTF-8; for names and values
 * of users' data, which need not be, there is heft_file_put_strings. A name is put once. */
heft_status heft_file_put_text(heft_ctx *ctx, heft_file *file, const char *name, const char *text);
/* Put a tensor of up to three dimensions. The data are copied. */
heft_status heft_file_put(heft_ctx *ctx, heft_file *file, const char *name, heft_dtype type,
                          const size_t *shape, size_t n_dims, const void *data);
/* Put strings of any bytes as two tensors: NAME.bytes has them end to end, NAME.ends where each of
 * them ends. */
heft_status heft_file_put_strings(heft_ctx *ctx, heft_file *file, const char *name,
                                  const char *const *strings, size_t n);
heft_status heft_file_save(heft_ctx *ctx, heft_file *file, const char *path);
/* The bytes that heft_file_save would write; free them with heft_free. */
heft_status heft_file_bytes(heft_ctx *ctx, heft_file *file, char **bytes, size_t *length);

/* Read a file; "-" is standard input. A file that does not begin like a model is refused before it
 * is read further. */
heft_status heft_file_open(heft_ctx *ctx, const char *path, heft_file **out);
heft_status heft_file_open_bytes(heft_ctx *ctx, const char *label, const void *bytes, size_t length,
                                 heft_file **out);                  /* the bytes are copied */
bool        heft_file_has(const heft_file *file, const char *name); /* whether it has this tensor */
/* Whether it has a tensor of this name and type. */
bool heft_file_has_type(const heft_file *file, const char *name, heft_dtype type);
/* The text of this name; EFORMAT when there is none. It lives as long as the file. */
heft_status heft_file_get_text(heft_ctx *ctx, const heft_file *file, const char *name,
                               const char **text);
/* The number of elements of a tensor; EFORMAT when it is absent or of another type. */
heft_status heft_file_count(heft_ctx *ctx, const heft_file *file, const char *name, heft_dtype type,
                            size_t *n);
/* Copy n elements of the given type to `to`. EFORMAT when absent, of another type or length. */
heft_status heft_file_get(heft_ctx *ctx, const heft_file *file, const char *name, heft_dtype type,
                          size_t n, void *to);
heft_status heft_file_get_strings(heft_ctx *ctx, const heft_file *file, const char *name, size_t n,
                                  heft_arena *arena, char ***strings);
const char *heft_file_tensor(const heft_file *file, size_t k); /* name of the k-th, or NULL */
size_t      heft_dtype_size(heft_dtype type);                  /* bytes per element */
/* Fails with EFORMAT, "PATH is damaged: ...". For code that finds the content of a file
 * contradictory. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
heft_status
heft_file_damaged(heft_ctx *ctx, const heft_file *file, const char *format, ...);
#ifdef __clang_analyzer__
#define heft_file_damaged(ctx, file, ...)                                                          \
    (heft_file_damaged((ctx), (file), __VA_ARGS__), HEFT_EFORMAT)
#endif
const char *heft_file_path(const heft_file *file);
void        heft_file_free(heft_file *file);
HEFT_OWNED(heft_file, heft_file_free)
