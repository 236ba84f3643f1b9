/* protobuf.h - messages in the encoding of Protocol Buffers, appended to a buffer field by field. A
 * failed allocation is noted in the buffer (base/text.h). */
#pragma once

#include "base/text.h"

void heft_pb_int(heft_buf *out, unsigned field, int64_t x);
void heft_pb_bytes(heft_buf *out, unsigned field, const void *data, size_t length);
void heft_pb_ints(heft_buf *out, unsigned field, const int64_t *x, size_t n); /* packed */
void heft_pb_floats(heft_buf *out, unsigned field, const float *x, size_t n); /* packed */
/* A string: bytes that are not UTF-8 are taken as Latin-1. */
void heft_pb_text(heft_buf *out, unsigned field, const char *text);
/* A message in a message; `message` is empty after. */
void heft_pb_message(heft_buf *out, unsigned field, heft_buf *message);

/* Numbers without a field, little-endian. */
void heft_pb_raw(heft_buf *out, uint64_t bits, size_t n_bytes);
/* The text as heft_pb_text writes it. */
void heft_utf8_add(heft_buf *out, const char *text);
