/* state.c - saves, loads and checks what the tables of heft_tensor describe. All three walk over
 * the same tables, so that a file that is saved can be loaded. */
#include "model/state.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/wide.h"
#include "model/model.h"

static size_t n_attr(const heft_at *at)
{
    return at->model->prep.n_attr;
}

static size_t n_class(const heft_at *at)
{
    return at->model->fitted.n_class;
}

const heft_dim heft_dim_attrs = {"A", n_attr}, heft_dim_classes = {"K", n_class};

enum { PART = 128 }; /* bytes for a piece of an error message */

/* ---- records and blocks ---- */

static void *pointer_at(const void *base, size_t at)
{
    void *p;
    memcpy(&p, (const char *)base + at, sizeof p);
    return p;
}

static void set_pointer(void *base, size_t at, const void *p)
{
    memcpy((char *)base + at, &p, sizeof p);
}

static size_t count_at(const void *root, size_t at)
{
    size_t n;
    HEFT_KNOWN(root);
    memcpy(&n, (const char *)root + at, sizeof n);
    return n;
}

/* The first record of a field; NULL: the array is not allocated. */
static char *records_of(const heft_tensor *f, const void *root)
{
    if (!f->each) return (char *)(uintptr_t)root;
    return f->each->in_place ? (char *)(uintptr_t)root + f->each->at
                             : pointer_at(root, f->each->at);
}

static size_t n_records(const heft_tensor *f, const void *root)
{
    if (!f->each) return 1;
    return records_of(f, root) ? count_at(root, f->each->count_at) : 0;
}

static char *record_of(const heft_tensor *f, const void *root, size_t r)
{
    return records_of(f, root) + (f->each ? r * f->each->stride : 0);
}

static void *block_of(const heft_tensor *f, const void *root, size_t r)
{
    char *record = record_of(f, root, r);
    return f->member.pointer ? pointer_at(record, f->member.at) : record + f->member.at;
}

/* The number of elements of one block; SIZE_MAX where it overflows. */
static size_t extent(const heft_tensor *f, const heft_model *model, const void *root, size_t r)
{
    const heft_at at = {model, root, r};
    size_t        n = f->length.counts && !f->each ? count_at(root, f->length.at)
                                                   : !f->where || f->where->of(&at);
    for (size_t d = 0; d < 3 && f->dims[d] && n; d++)
        if (!heft_product(n, f->dims[d]->of(&at), &n)) return SIZE_MAX;
    return n;
}

static size_t total_extent(const heft_tensor *f, const heft_model *model, const void *root)
{
    const size_t records = n_records(f, root);
    size_t       n = 0;
    for (size_t r = 0; r < records; r++) {
        const size_t one = extent(f, model, root, r);
        if (one > SIZE_MAX / 16 - n) return SIZE_MAX;
        n += one;
    }
    return n;
}

/* The name of a field in messages. Strings are two tensors and are named by the first. */
static const char *tensor_name(const heft_tensor *f, char out[PART])
{
    snprintf(out, PART, "%s%s", f->name, f->content == HEFT_NUMBERS ? "" : ".bytes");
    return out;
}

/* ---- numbers ---- */

static uint64_t whole_at(const void *p, size_t size, size_t k)
{
    return size == 1   ? ((const uint8_t *)p)[k]
           : size == 2 ? ((const uint16_t *)p)[k]
           : size == 4 ? ((const uint32_t *)p)[k]
                       : ((const uint64_t *)p)[k];
}

static void put_whole(void *p, size_t size, size_t k, uint64_t x)
{
    if (size == 1) ((uint8_t *)p)[k] = (uint8_t)x;
    else if (size == 2) ((uint16_t *)p)[k] = (uint16_t)x;
    else if (size == 4) ((uint32_t *)p)[k] = (uint32_t)x;
    else ((uint64_t *)p)[k] = x;
}

static void copy_numbers(void *to, size_t to_size, const void *from, size_t from_size, size_t n)
{
    if (to_size != from_size)
        for (size_t k = 0; k < n; k++) put_whole(to, to_size, k, whole_at(from, from_size, k));
    else if (n) memcpy(to, from, n * to_size);
}

/* ---- packed numbers ---- */

static bool is_packed(const heft_tensor *f, const heft_model *model, const void *root)
{
    return f->memory.packed.step && n_records(f, root) &&
           f->memory.packed.step(&(heft_at){model, root, 0}) > 0;
}

static double zero_of(const heft_tensor *f)
{
    return ldexp(1, 8 * (int)heft_dtype_size(f->memory.packed.type) - 1);
}

/* false: a number is not a multiple of the step, or too large for the type. */
static bool pack(const heft_tensor *f, double step, const double *from, size_t n, void *to)
{
    const size_t size = heft_dtype_size(f->memory.packed.type);
    const double zero = zero_of(f);
    for (size_t k = 0; k < n; k++) {
        const double x = from[k] / step;
        if (!(x == nearbyint(x) && x >= -zero && x < zero)) return false;
        put_whole(to, size, k, (uint64_t)(x + zero));
    }
    return true;
}

static void unpack(const heft_tensor *f, double step, const void *from, size_t n, double *to)
{
    const size_t size = heft_dtype_size(f->memory.packed.type);
    const double zero = zero_of(f);
    for (size_t k = 0; k < n; k++) to[k] = ((double)whole_at(from, size, k) - zero) * step;
}

/* ---- what is wrong ---- */

static double number_at(const heft_tensor *f, const void *block, size_t k)
{
    return f->type == HEFT_F64 ? ((const double *)block)[k]
                               : (double)whole_at(block, f->member.size, k);
}

/* Counts the numbers among n that are not finite, below lo, above hi, or not below `end`. */
HEFT_WIDE static uint64_t count_outside(const double *x, size_t n, double lo, double hi, double end)
{
    const double least = lo > -DBL_MAX ? lo : -DBL_MAX, most = hi < DBL_MAX ? hi : DBL_MAX;
    uint64_t     outside = 0;
    for (size_t k = 0; k < n; k++) outside += !((x[k] >= least) & (x[k] <= most) & (x[k] < end));
    return outside;
}

/* Returns what is wrong with the n numbers of a block, or NULL. */
static const char *numbers_fault(const heft_tensor *f, const heft_at *at, const void *block,
                                 size_t n, char out[PART])
{
    const bool   bounded = f->lo != 0 || f->hi != 0;
    const double widest =
        f->type == HEFT_F64 ? INFINITY : ldexp(1, 8 * (int)heft_dtype_size(f->type));
    const double lo = bounded ? f->lo : f->type == HEFT_F64 ? -INFINITY : 0;
    const double hi = bounded ? f->hi : widest,
                 below = f->below ? (double)f->below->of(at) : widest;
    double before = 0;
    if (f->type == HEFT_F64 && f->order == HEFT_UNORDERED &&
        !count_outside(block, n, lo, hi, below))
        return NULL;
    for (size_t k = 0; k < n; k++) {
        const double x = number_at(f, block, k);
        const bool   fits = isfinite(x) ? x >= lo && x <= hi && x < below : f->infinite && x < 0;
        if (!fits && !(f->optional && !f->member.pointer && x == f->absent.fallback)) {
            snprintf(out, PART,
                     isfinite(x) ? "%.10g at place %zu is out of range"
                                 : "%g at place %zu is not a finite number",
                     x, k);
            return out;
        }
        if (f->order == HEFT_RISING && k && !(x > before)) return "the numbers do not increase";
        if (f->order == HEFT_OFFSETS && !(k ? x >= before : x == 0))
            return "the numbers are not offsets from 0 in order";
        before = x;
    }
    return NULL;
}

/* Returns what is wrong with the field, as a sentence that names it, or NULL. */
static const char *field_fault(const heft_tensor *f, const heft_model *model, const void *root,
                               char out[HEFT_FAULT])
{
    char         text[PART];
    const size_t records = n_records(f, root);
    for (size_t r = 0; r < records; r++) {
        const heft_at at = {model, root, r};
        const void   *block = block_of(f, root, r);
        const char   *fault = NULL;
        const size_t  n = extent(f, model, root, r);
        if (n == SIZE_MAX) fault = "it is too large";
        else if (n && !block) fault = "it is not there";
        else if (f->content == HEFT_NUMBERS) fault = numbers_fault(f, &at, block, n, text);
        if (!fault && f->check && n) fault = f->check(&at);
        if (!fault) continue;
        if (f->each && strcmp(f->each->what, "attribute") == 0)
            snprintf(out, HEFT_FAULT, "tensor '%s', attribute '%s': %s", f->name,
                     HEFT_SHOW(model->prep.attr[r].name, 60), fault);
        else if (f->each)
            snprintf(out, HEFT_FAULT, "tensor '%s', %s %zu: %s", f->name, f->each->what, r, fault);
        else snprintf(out, HEFT_FAULT, "tensor '%s': %s", f->name, fault);
        return out;
    }
    return NULL;
}

/* The tables of a field that is a struct of its own; NULL where the field is a tensor. */
static const heft_state *state_of(const heft_tensor *f, const heft_model *model)
{
    static const heft_tensor end = {.name = NULL};
    static const heft_state  none = {.fields = &end, .optional = true};
    if (!f->part.own) return f->part.state;
    return model->method->state ? model->method->state : &none;
}

/* Whether the field is optional and has nothing to save. */
static bool is_absent(const heft_tensor *f, const void *root)
{
    const size_t records = n_records(f, root);
    if (!records_of(f, root)) return true;
    if (f->member.pointer && !f->each) return !block_of(f, root, 0);
    if (f->member.pointer || (f->each && f->each->optional)) return false;
    for (size_t r = 0; r < records; r++)
        if (f->content == HEFT_TEXTS ? pointer_at(record_of(f, root, r), f->member.at) != NULL
                                     : number_at(f, block_of(f, root, r), 0) != f->absent.fallback)
            return false;
    return true;
}

const char *heft_state_fault(const heft_state *state, const heft_model *model, const void *root,
                             char out[HEFT_FAULT])
{
    const char *fault = NULL;
    if (root)
        for (const heft_tensor *f = state->fields; !fault && f->name; f++) {
            const heft_state *part = state_of(f, model);
            if (part) fault = heft_state_fault(part, model, block_of(f, root, 0), out);
            else if (!f->optional || !is_absent(f, root)) fault = field_fault(f, model, root, out);
        }
    return fault;
}

/* ---- saving ---- */

typedef struct saving {
    heft_ctx         *ctx;
    const heft_model *model;
    heft_file        *file;
} saving;

static heft_status save_numbers(const saving *s, const heft_tensor *f, const void *root, size_t n)
{
    const bool       packed = is_packed(f, s->model, root);
    const heft_dtype type = packed ? f->memory.packed.type : f->type;
    const size_t     records = n_records(f, root), size = heft_dtype_size(type);
    size_t           shape[3] = {n}, n_dims = 0;
    const void      *data = block_of(f, root, 0);
    if (!f->each)
        for (; n_dims < 3 && f->dims[n_dims]; n_dims++)
            shape[n_dims] = f->dims[n_dims]->of(&(heft_at){s->model, root, 0});
    if (f->each || f->member.size != size) {
        char *to;
        HEFT_ALLOC(s->ctx, &s->ctx->scratch, to, n * size);
        data = to;
        for (size_t r = 0; r < records; r++) {
            const size_t one = extent(f, s->model, root, r);
            if (!packed) copy_numbers(to, size, block_of(f, root, r), f->member.size, one);
            else if (!pack(f, f->memory.packed.step(&(heft_at){s->model, root, r}),
                           block_of(f, root, r), one, to))
                return heft_fail(s->ctx, HEFT_ENUMERIC, "tensor '%s' does not fit its step",
                                 f->name);
            to += one * size;
        }
    }
    return heft_file_put(s->ctx, s->file, f->name, type, shape, n_dims ? n_dims : 1, data);
}

static heft_status save_texts(const saving *s, const heft_tensor *f, const void *root)
{
    const size_t records = n_records(f, root);
    const char **texts, **to;
    uint32_t    *sizes;
    size_t       total = 0;
    char         name[PART];
    HEFT_ALLOC(s->ctx, &s->ctx->scratch, sizes, records);
    for (size_t r = 0; r < records; r++) {
        sizes[r] = (uint32_t)extent(f, s->model, root, r);
        if (sizes[r] && f->content == HEFT_DICTS)
            sizes[r] = (uint32_t)heft_dict_size(pointer_at(block_of(f, root, r), 0));
        total += sizes[r];
    }
    HEFT_ALLOC(s->ctx, &s->ctx->scratch, texts, total);
    to = texts;
    for (size_t r = 0; r < records; r++)
        for (uint32_t k = 0; k < sizes[r]; k++, to++) {
            void *from = block_of(f, root, r);
            *to = f->content == HEFT_DICTS ? heft_dict_text(pointer_at(from, 0), k)
                                           : pointer_at(from, k * sizeof(char *));
            if (!*to) *to = "";
        }
    HEFT_CHECK(heft_file_put_strings(s->ctx, s->file, f->name, texts, total));
    if (f->content == HEFT_TEXTS || !f->each) return HEFT_OK;
    snprintf(name, sizeof name, "%s.sizes", f->name);
    return heft_file_put(s->ctx, s->file, name, HEFT_U32, &records, 1, sizes);
}

static heft_status save_state(const saving *s, const heft_state *state, const void *root)
{
    if (root)
        for (const heft_tensor *f = state->fields; f->name; f++) {
            const heft_state *part = state_of(f, s->model);
            HEFT_SCRATCH_SCOPE(s->ctx);
            if (part) HEFT_CHECK(save_state(s, part, block_of(f, root, 0)));
            if (part || (f->optional && is_absent(f, root))) continue;
            const size_t n = total_extent(f, s->model, root);
            if (n == SIZE_MAX) return heft_no_memory(s->ctx, n, 1);
            if (n || f->optional || f->length.counts)
                HEFT_CHECK(f->content == HEFT_NUMBERS ? save_numbers(s, f, root, n)
                                                      : save_texts(s, f, root));
        }
    return HEFT_OK;
}

heft_status heft_state_save(heft_ctx *ctx, const heft_state *state, const heft_model *model,
                            const void *root, const char *label, heft_file *file)
{
    char fault[HEFT_FAULT];
    if (heft_state_fault(state, model, root, fault))
        return heft_fail(ctx, HEFT_ENUMERIC, "%s: the model cannot be saved: %s", label, fault);
    return save_state(&(saving){ctx, model, file}, state, root);
}

/* ---- loading ---- */

/* The number of records that a field with HEFT_COUNTS defines by its length in the file. */
static heft_status count_of(const heft_loading *l, const heft_tensor *f, size_t *n)
{
    const bool numbers = f->content == HEFT_NUMBERS;
    char       name[PART];
    snprintf(name, sizeof name, "%s%s", f->name, numbers ? "" : ".ends");
    HEFT_CHECK(heft_file_count(l->ctx, l->file, name, numbers ? f->type : HEFT_U64, n));
    if (*n >= f->length.least && (!f->length.most || *n <= f->length.most)) return HEFT_OK;
    return heft_file_damaged(l->ctx, l->file, "tensor '%s' has %zu elements", f->name, *n);
}

static heft_status load_numbers(const heft_loading *l, const heft_tensor *f, void *root, size_t n)
{
    const bool packed =
        is_packed(f, l->model, root) && !heft_file_has_type(l->file, f->name, f->type);
    const heft_dtype type = packed ? f->memory.packed.type : f->type;
    const size_t     records = n_records(f, root), size = heft_dtype_size(type);
    char            *raw, *to = NULL;
    size_t           there;
    HEFT_CHECK(heft_file_count(l->ctx, l->file, f->name, type, &there));
    if (there != n)
        return heft_file_damaged(l->ctx, l->file, "tensor '%s' has %zu elements, not %zu", f->name,
                                 there, n);
    if (f->member.pointer && !f->each) to = block_of(f, root, 0); /* allocated by a hook before */
    if (f->member.pointer && !to)
        to = heft_arena_alloc(f->memory.scratch ? &l->ctx->scratch : l->arena, n + f->memory.slack,
                              f->member.size);
    if (f->member.pointer && !to) return heft_no_memory(l->ctx, n, f->member.size);
    raw = to;
    if (!f->member.pointer || f->member.size != size)
        HEFT_ALLOC(l->ctx, &l->ctx->scratch, raw, n * size);
    HEFT_CHECK(heft_file_get(l->ctx, l->file, f->name, type, n, raw));
    if (!packed && raw != to && f->member.pointer) copy_numbers(to, f->member.size, raw, size, n);
    for (size_t r = 0; r < records; r++) {
        const size_t one = extent(f, l->model, root, r);
        if (packed)
            unpack(f, f->memory.packed.step(&(heft_at){l->model, root, r}), raw, one, (double *)to);
        if (packed) raw += one * size;
        if (!f->member.pointer) copy_numbers(block_of(f, root, r), f->member.size, raw, size, one);
        else if (one || !f->each) set_pointer(record_of(f, root, r), f->member.at, to);
        if (f->member.pointer) to += one * f->member.size;
        else raw += one * size;
    }
    return HEFT_OK;
}

/* Makes a dictionary of n different texts. Where they are those of the record before, its
 * dictionary is used again, which saves memory. */
static heft_status make_dict(const heft_loading *l, const heft_tensor *f, char *const *texts,
                             size_t n, heft_dict *before, heft_dict **out)
{
    HEFT_OWN(heft_dict) *dict = NULL;
    uint32_t             code, same = 0;
    if (before)
        while (heft_dict_size(before) == n && same < n &&
               strcmp(heft_dict_text(before, same), texts[same]) == 0)
            same++;
    *out = n && same == n ? heft_dict_share(before) : NULL;
    if (*out) return HEFT_OK;
    HEFT_CHECK(heft_dict_create(l->ctx, &dict));
    for (size_t v = 0; v < n; v++) {
        HEFT_CHECK(heft_dict_add(l->ctx, dict, texts[v], strlen(texts[v]), &code));
        if (code == v) continue;
        const char *shown = HEFT_SHOW(texts[v], 60);
        return heft_file_damaged(l->ctx, l->file, "tensor '%s': '%s' is there twice", f->name,
                                 shown);
    }
    *out = dict, dict = NULL;
    return HEFT_OK;
}

static heft_status load_texts(const heft_loading *l, const heft_tensor *f, void *root, size_t n)
{
    const size_t records = n_records(f, root);
    char       **texts;
    HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, f->name, n, l->arena, &texts));
    if (f->order == HEFT_DISTINCT) {
        heft_dict *all;
        HEFT_CHECK(make_dict(l, f, texts, n, NULL, &all));
        heft_dict_free(all);
    }
    if (f->optional)
        for (size_t k = 0; k < n; k++) texts[k] = texts[k][0] ? texts[k] : NULL;
    for (size_t r = 0; r < records; r++) {
        const size_t one = extent(f, l->model, root, r);
        if (f->member.pointer) set_pointer(record_of(f, root, r), f->member.at, texts);
        else if (one) set_pointer(record_of(f, root, r), f->member.at, *texts);
        texts += one;
    }
    return HEFT_OK;
}

static heft_status load_dicts(const heft_loading *l, const heft_tensor *f, void *root)
{
    const size_t records = n_records(f, root);
    size_t       total = 0, one;
    char       **texts;
    uint32_t    *sizes = NULL;
    heft_dict   *dict = NULL;
    char         name[PART];
    if (f->each) {
        snprintf(name, sizeof name, "%s.sizes", f->name);
        HEFT_CHECK(heft_file_count(l->ctx, l->file, name, HEFT_U32, &one));
        HEFT_ALLOC(l->ctx, &l->ctx->scratch, sizes, one);
        HEFT_CHECK(heft_file_get(l->ctx, l->file, name, HEFT_U32, records, sizes));
        for (size_t r = 0; r < records; r++) total += sizes[r];
    } else {
        HEFT_CHECK(count_of(l, f, &total));
    }
    HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, f->name, total, &l->ctx->scratch, &texts));
    for (size_t r = 0; r < records; r++) {
        const size_t n = sizes ? sizes[r] : total;
        one = extent(f, l->model, root, r);
        if (!one && n)
            return heft_file_damaged(l->ctx, l->file, "tensor '%s' has values of %s %zu", name,
                                     f->each ? f->each->what : "record", r);
        if (!one) continue;
        HEFT_CHECK(make_dict(l, f, texts, n, dict, &dict));
        set_pointer(record_of(f, root, r), f->member.at, dict);
        texts += n;
    }
    return HEFT_OK;
}

static heft_status load_part(const heft_loading *l, const heft_tensor *f, const heft_state *state,
                             void *root)
{
    char  name[PART];
    void *part;
    bool  any = !state->optional;
    if (!f->member.pointer) return heft_state_load(l, state, block_of(f, root, 0));
    for (const heft_tensor *k = state->fields; k->name; k++)
        any = any || heft_file_has(l->file, tensor_name(k, name));
    if (!any) return HEFT_OK;
    part = heft_arena_alloc(l->arena, 1, state->size);
    if (!part) return heft_no_memory(l->ctx, 1, state->size);
    set_pointer(root, f->member.at, part);
    return heft_state_load(l, state, part);
}

static heft_status load_field(const heft_loading *l, const heft_tensor *f, void *root)
{
    const heft_state *part = state_of(f, l->model);
    const heft_at     at = {l->model, root, 0};
    char              text[HEFT_FAULT];
    if (part) return load_part(l, f, part, root);
    const bool there = heft_file_has(l->file, tensor_name(f, text));
    if (!there && f->optional && !(f->absent.needed && f->absent.needed->of(&at))) {
        const bool numbers = !f->member.pointer && f->content == HEFT_NUMBERS;
        if (numbers)
            for (size_t r = 0; r < n_records(f, root); r++) {
                void *to = block_of(f, root, r);
                if (f->type == HEFT_F64) memcpy(to, &f->absent.fallback, sizeof f->absent.fallback);
                else put_whole(to, f->member.size, 0, (uint64_t)f->absent.fallback);
            }
        return HEFT_OK;
    }
    if (f->length.counts) {
        size_t count;
        HEFT_CHECK(count_of(l, f, &count));
        memcpy((char *)root + f->length.at, &count, sizeof count);
    }
    const heft_each *e = f->each;
    if (e && !records_of(f, root) && (!e->optional || f->optional)) {
        void *records = heft_arena_alloc(l->arena, count_at(root, e->count_at), e->stride);
        if (!records) return heft_no_memory(l->ctx, count_at(root, e->count_at), e->stride);
        set_pointer(root, e->at, records);
    }
    const size_t n = total_extent(f, l->model, root);
    if (n == SIZE_MAX)
        return heft_file_damaged(l->ctx, l->file, "tensor '%s' is too large", f->name);
    if (n || there || f->optional || f->length.counts) {
        HEFT_CHECK(f->content == HEFT_NUMBERS ? load_numbers(l, f, root, n)
                   : f->content == HEFT_TEXTS ? load_texts(l, f, root, n)
                                              : load_dicts(l, f, root));
        if (field_fault(f, l->model, root, text))
            return heft_file_damaged(l->ctx, l->file, "%s", text);
    } else if (f->member.pointer && !f->each && (!f->where || f->where->of(&at))) {
        char *empty;
        HEFT_ALLOC(l->ctx, l->arena, empty, 0);
        set_pointer(root, f->member.at, empty);
    }
    return f->then ? f->then(l, root) : HEFT_OK;
}

heft_status heft_state_load(const heft_loading *l, const heft_state *state, void *root)
{
    if (state->begin) HEFT_CHECK(state->begin(l, root));
    for (const heft_tensor *f = state->fields; f->name; f++) HEFT_CHECK(load_field(l, f, root));
    return state->end ? state->end(l, root) : HEFT_OK;
}

bool heft_state_knows(const heft_state *state, const heft_model *model, const char *tensor)
{
    static const char *const endings[] = {".bytes", ".ends", ".sizes"};
    for (const heft_tensor *f = state->fields; f->name; f++) {
        const heft_state *part = state_of(f, model);
        const size_t      n = strlen(f->name);
        if (part && heft_state_knows(part, model, tensor)) return true;
        if (part || strncmp(tensor, f->name, n) != 0) continue;
        if (f->content == HEFT_NUMBERS && !tensor[n]) return true;
        if (f->content != HEFT_NUMBERS)
            for (size_t k = 0; k < 3; k++)
                if (strcmp(tensor + n, endings[k]) == 0) return true;
    }
    return false;
}
