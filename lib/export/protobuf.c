/* protobuf.c - the encoding of Protocol Buffers: a field is its number and wire type, then a varint
 * (7 bits a byte, the lowest first), or a length and that many bytes. */
#include "export/protobuf.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2 };

static void put_varint(heft_buf *out, uint64_t x)
{
    char   bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
        x >>= 7;
    } while (x);
    heft_buf_add(out, bytes, n);
}

static size_t varint_size(uint64_t x)
{
    size_t n = 1;
    while (x >>= 7) n++;
    return n;
}

static void put_key(heft_buf *out, unsigned field, unsigned type)
{
    put_varint(out, (uint64_t)field << 3 | type);
}

void heft_pb_int(heft_buf *out, unsigned field, int64_t x)
{
    put_key(out, field, VARINT);
    put_varint(out, (uint64_t)x);
}

void heft_pb_bytes(heft_buf *out, unsigned field, const void *data, size_t length)
{
    put_key(out, field, BYTES);
    put_varint(out, length);
    if (length) heft_buf_add(out, data, length);
}

void heft_pb_ints(heft_buf *out, unsigned field, const int64_t *x, size_t n)
{
    size_t length = 0;
    for (size_t k = 0; k < n; k++) length += varint_size((uint64_t)x[k]);
    put_key(out, field, BYTES);
    put_varint(out, length);
    for (size_t k = 0; k < n; k++) put_varint(out, (uint64_t)x[k]);
}

void heft_pb_floats(heft_buf *out, unsigned field, const float *x, size_t n)
{
    put_key(out, field, BYTES);
    put_varint(out, n * sizeof *x);
    for (size_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        heft_pb_raw(out, bits, sizeof bits);
    }
}

void heft_pb_text(heft_buf *out, unsigned field, const char *text)
{
    heft_buf utf8 = {0};
    heft_utf8_add(&utf8, text);
    heft_pb_message(out, field, &utf8);
}

void heft_pb_message(heft_buf *out, unsigned field, heft_buf *message)
{
    out->failed |= message->failed;
    heft_pb_bytes(out, field, message->data, message->length);
    heft_buf_clear(message);
}

void heft_pb_raw(heft_buf *out, uint64_t bits, size_t n_bytes)
{
    char bytes[8];
    for (size_t k = 0; k < n_bytes; k++) bytes[k] = (char)(bits >> 8 * k & 0xff);
    heft_buf_add(out, bytes, n_bytes);
}

void heft_utf8_add(heft_buf *out, const char *text)
{
    for (size_t n = strlen(text), step; n > 0; text += step, n -= step)
        step = heft_buf_utf8(out, text, n);
}
