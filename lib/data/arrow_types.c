/* arrow_types.c - the types of Arrow columns, and the checks of their arrays: nothing that the
 * structs say is used before it is checked. What they cannot tell, the sizes of buffers, is the
 * producer's word. */
#include <stdlib.h>
#include <string.h>

#include "data/arrow.h"

/* ---- types ---- */

static const struct {
    char            letter;
    heft_arrow_type type;
} plain[] = {
    {'n', {HEFT_ARROW_NOTHING, 0, 0}}, {'b', {HEFT_ARROW_BOOL, 0, 0}},
    {'c', {HEFT_ARROW_SIGNED, 1, 0}},  {'C', {HEFT_ARROW_UNSIGNED, 1, 0}},
    {'s', {HEFT_ARROW_SIGNED, 2, 0}},  {'S', {HEFT_ARROW_UNSIGNED, 2, 0}},
    {'i', {HEFT_ARROW_SIGNED, 4, 0}},  {'I', {HEFT_ARROW_UNSIGNED, 4, 0}},
    {'l', {HEFT_ARROW_SIGNED, 8, 0}},  {'L', {HEFT_ARROW_UNSIGNED, 8, 0}},
    {'e', {HEFT_ARROW_FLOAT, 2, 0}},   {'f', {HEFT_ARROW_FLOAT, 4, 0}},
    {'g', {HEFT_ARROW_FLOAT, 8, 0}},   {'u', {HEFT_ARROW_TEXT, 4, 0}},
    {'U', {HEFT_ARROW_TEXT, 8, 0}},
};

/* "d:19,10" or "d:9,2,32": digits in all, digits behind the point, bits (128). */
static heft_arrow_type decimal_type(const char *format)
{
    const heft_arrow_type other = {0};
    char                 *end;
    const long            precision = strtol(format, &end, 10);
    if (*end != ',') return other;
    const long digits = strtol(end + 1, &end, 10);
    long       bits = 128;
    if (*end == ',') bits = strtol(end + 1, &end, 10);
    if (*end || precision < 1 || precision > 38 || digits < -300 || digits > 300) return other;
    if (bits != 32 && bits != 64 && bits != 128) return other;
    return (heft_arrow_type){HEFT_ARROW_DECIMAL, (unsigned)bits / 8, (int)digits};
}

heft_arrow_type heft_arrow_type_of(const char *format)
{
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (format[0] == plain[k].letter && !format[1]) return plain[k].type;
    if (strcmp(format, "vu") == 0) return (heft_arrow_type){HEFT_ARROW_VIEW, 16, 0};
    if (strncmp(format, "d:", 2) == 0) return decimal_type(format + 2);
    return (heft_arrow_type){0};
}

heft_status heft_arrow_refuse(heft_ctx *ctx, const char *name, const char *format)
{
    const char *what = "has a type", *advice = "cast the column to numbers or text";
    if (format[0] == 't')
        what = "holds dates or times", advice = "make them numbers: cast the column to int64";
    else if (strcmp(format, "+r") == 0)
        what = "is run-end encoded", advice = "decode it, as pyarrow.compute.run_end_decode does";
    else if (format[0] == '+') what = "is nested", advice = "make a column of each of its parts";
    else if (format[0] == 'd') what = "holds long decimals", advice = "cast the column to float64";
    else if (strchr("zZwv", format[0]))
        what = "holds bytes", advice = "cast the column to text if it is text";
    return heft_fail(
        ctx, HEFT_EUNSUPPORTED,
        "column '%s' %s: the Arrow type '%s' is neither numbers nor text (%s, or leave "
        "it out)",
        HEFT_SHOW_NAME(name), what, HEFT_SHOW_CELL(format, strlen(format)), advice);
}

/* ---- arrays ---- */

static heft_status bad(heft_ctx *ctx, const char *name, const char *what)
{
    return heft_fail(ctx, HEFT_EFORMAT,
                     "column '%s': the Arrow array is damaged: %s (report it to the program that "
                     "made it)",
                     HEFT_SHOW_NAME(name), what);
}

/* offset + length elements of up to 16 bytes can be counted. */
static bool countable(const struct ArrowArray *a)
{
    const int64_t most = (int64_t)(PTRDIFF_MAX / 16) - 1;
    return a->length >= 0 && a->offset >= 0 && a->length <= most && a->offset <= most - a->length;
}

heft_status heft_arrow_check_batch(heft_ctx *ctx, const struct ArrowSchema *schema,
                                   const struct ArrowArray *batch)
{
    const char *what = NULL;
    if (!batch->release) what = "it was released before";
    else if (!countable(batch)) what = "its length or offset is out of range";
    else if (batch->n_children != schema->n_children)
        what = "its number of columns is not that of the schema";
    else if (batch->n_children && !batch->children) what = "it has no columns";
    else if (batch->n_buffers != 1 || !batch->buffers)
        what = "a record batch has one buffer, of nulls";
    for (int64_t j = 0; !what && j < batch->n_children; j++) {
        const struct ArrowArray *child = batch->children[j];
        if (!child) what = "a column is missing";
        else if (!countable(child)) what = "the length or offset of a column is out of range";
        else if (child->length < batch->offset + batch->length)
            what = "a column is shorter than the batch";
    }
    if (what)
        return heft_fail(ctx, HEFT_EFORMAT,
                         HEFT_ARROW_NAME ": the record batch is damaged: %s (report it to the "
                                         "program that made it)",
                         what);
    const unsigned char *valid = batch->null_count ? batch->buffers[0] : NULL;
    if (valid)
        for (int64_t i = 0; i < batch->length; i++)
            if (!heft_arrow_bit(valid, (size_t)(batch->offset + i)))
                return heft_fail(ctx, HEFT_EFORMAT,
                                 HEFT_ARROW_NAME
                                 ": row %lld of a record batch is null as a whole (make "
                                 "its cells null instead, or leave the row out)",
                                 (long long)i + 1);
    return HEFT_OK;
}

/* Views end with a buffer of the sizes of those before it. */
static heft_status check_view_buffers(heft_ctx *ctx, const char *name, const struct ArrowArray *a)
{
    if (a->n_buffers < 3) return bad(ctx, name, "it has too few buffers");
    const unsigned char *sizes = a->buffers[a->n_buffers - 1];
    if (a->n_buffers > 3 && !sizes) return bad(ctx, name, "the sizes of its buffers are missing");
    for (int64_t k = 0; k < a->n_buffers - 3; k++) {
        int64_t size;
        memcpy(&size, sizes + 8 * k, sizeof size);
        if (size < 0 || (size && !a->buffers[2 + k])) return bad(ctx, name, "a buffer is missing");
    }
    return HEFT_OK;
}

static const unsigned char nothing[1]; /* the cells of an array that has none */

heft_status heft_arrow_part_of(heft_ctx *ctx, const char *name, heft_arrow_type type,
                               const struct ArrowArray *array, size_t lo, size_t n,
                               heft_arrow_part *out)
{
    if (!array) return bad(ctx, name, "its dictionary is missing");
    if (!countable(array) || lo + n > (size_t)array->length)
        return bad(ctx, name, "its length or offset is out of range");
    *out = (heft_arrow_part){
        .type = type, .array = array, .first = (size_t)array->offset + lo, .n = n};
    out->cells = nothing;
    if (type.what == HEFT_ARROW_NOTHING) return HEFT_OK;
    const int64_t n_buffers = type.what == HEFT_ARROW_TEXT ? 3 : 2;
    if (!array->buffers || (type.what != HEFT_ARROW_VIEW && array->n_buffers != n_buffers))
        return bad(ctx, name, "it has too few buffers, or too many");
    if (type.what == HEFT_ARROW_VIEW) HEFT_CHECK(check_view_buffers(ctx, name, array));
    out->valid = array->null_count ? array->buffers[0] : NULL;
    out->cells = array->buffers[1];
    if (array->null_count > 0 && !out->valid)
        return bad(ctx, name, "its bits of nulls are missing");
    return out->cells || !n ? HEFT_OK : bad(ctx, name, "its buffer of cells is missing");
}

bool heft_arrow_has_nulls(const heft_arrow_part *part)
{
    if (part->valid)
        for (size_t i = 0; i < part->n; i++)
            if (!heft_arrow_known(part, i)) return true;
    return false;
}
