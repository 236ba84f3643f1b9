/* thrift.c - Thrift's compact protocol: fields, numbers of varying length, texts, lists. */
#include "data/formats/parquet/thrift.h"

enum { TRUE = 1, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };
enum { DEEPEST = 32 };

static bool fault(heft_thrift *t)
{
    t->bad = true;
    t->at = t->end;
    return false;
}

static size_t left(const heft_thrift *t)
{
    return (size_t)(t->end - t->at);
}

static unsigned take_byte(heft_thrift *t)
{
    if (t->at == t->end) fault(t);
    return t->bad ? 0 : *t->at++;
}

static uint64_t take_varint(heft_thrift *t)
{
    uint64_t x;
    if (!heft_take_varint(&t->at, t->end, &x)) fault(t);
    return t->bad ? 0 : x;
}

static int64_t take_int(heft_thrift *t)
{
    return heft_unzigzag(take_varint(t));
}

static void take_bytes(heft_thrift *t, uint64_t n)
{
    if (n > left(t)) fault(t);
    else t->at += n;
}

/* How many elements follow, and of which type. Each takes a byte or more. */
static size_t take_list(heft_thrift *t, unsigned *type)
{
    const unsigned head = take_byte(t);
    const uint64_t n = head >> 4 < 15 ? head >> 4 : take_varint(t);
    *type = head & 15;
    if (n > left(t)) fault(t);
    return t->bad ? 0 : (size_t)n;
}

bool heft_thrift_next(heft_thrift *t, heft_thrift_field *field)
{
    const unsigned head = take_byte(t);
    if (head == 0) return false; /* the end of the struct, or a fault */
    field->type = head & 15;
    const int64_t id = head >> 4 ? field->id + (int64_t)(head >> 4) : take_int(t);
    if (id < 0 || id > INT16_MAX) return fault(t);
    field->id = (int32_t)id;
    return true;
}

bool heft_thrift_bool(heft_thrift *t, const heft_thrift_field *field)
{
    if (field->type != TRUE && field->type != FALSE) fault(t);
    return field->type == TRUE;
}

int64_t heft_thrift_int(heft_thrift *t, const heft_thrift_field *field)
{
    if (field->type == I8) return (int8_t)take_byte(t);
    if (field->type == I16 || field->type == I32 || field->type == I64) return take_int(t);
    return fault(t);
}

size_t heft_thrift_text(heft_thrift *t, const heft_thrift_field *field, const char **text)
{
    if (field->type != BINARY) fault(t);
    const uint64_t n = take_varint(t);
    *text = (const char *)t->at;
    take_bytes(t, n);
    return t->bad ? 0 : (size_t)n;
}

bool heft_thrift_struct(heft_thrift *t, const heft_thrift_field *field)
{
    return field->type == STRUCT || fault(t);
}

size_t heft_thrift_structs(heft_thrift *t, const heft_thrift_field *field)
{
    unsigned type = 0;
    if (field->type != LIST) fault(t);
    const size_t n = take_list(t, &type);
    if (n > 0 && type != STRUCT) fault(t);
    return t->bad ? 0 : n;
}

/* `alone`: an element of a list or a map, where a truth value takes a byte. */
static void skip_value(heft_thrift *t, unsigned type, bool alone, unsigned depth)
{
    heft_thrift_field field = {0};
    unsigned          key, value;
    if (depth > DEEPEST) fault(t);
    if (t->bad) return;
    if (type == TRUE || type == FALSE) take_bytes(t, alone);
    else if (type == I8) take_bytes(t, 1);
    else if (type == I16 || type == I32 || type == I64) (void)take_varint(t);
    else if (type == DOUBLE) take_bytes(t, 8);
    else if (type == BINARY) take_bytes(t, take_varint(t));
    else if (type == LIST || type == SET) {
        const size_t n = take_list(t, &value);
        for (size_t i = 0; i < n && !t->bad; i++) skip_value(t, value, true, depth + 1);
    } else if (type == MAP) {
        const uint64_t n = take_varint(t);
        if (n > left(t)) fault(t);
        key = n ? take_byte(t) : 0;
        for (uint64_t i = 0; i < n && !t->bad; i++) {
            skip_value(t, key >> 4, true, depth + 1);
            skip_value(t, key & 15, true, depth + 1);
        }
    } else if (type == STRUCT) {
        while (heft_thrift_next(t, &field)) skip_value(t, field.type, false, depth + 1);
    } else fault(t);
}

void heft_thrift_skip(heft_thrift *t, const heft_thrift_field *field)
{
    skip_value(t, field->type, false, 0);
}

void heft_thrift_ints(heft_thrift *t, int64_t *const *at, size_t n)
{
    heft_thrift_field f = {0};
    while (heft_thrift_next(t, &f)) {
        if ((size_t)f.id < n && at[f.id]) *at[f.id] = heft_thrift_int(t, &f);
        else heft_thrift_skip(t, &f);
    }
}
