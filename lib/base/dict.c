/* dict.c - ordered set of strings: texts back to back in one block, an open-addressing index. */
#include "base/dict.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/text.h"

struct heft_dict {
    atomic_size_t owners;
    size_t        n, capacity; /* strings, and how many fit */
    size_t       *end;         /* end[k]: where string k ends in blob, before its 0 */
    uint64_t     *hash;        /* hash[k] is the hash of string k */
    char         *blob;
    size_t        used, blob_capacity;
    uint32_t     *slot; /* code + 1, 0 = free; a power of two of them */
    size_t        n_slots;
};

/* Seeded once per process, so that a file cannot be made to collide. The order of codes never
 * depends on it. */
static uint64_t       seed = 0x9e3779b97f4a7c15u;
static pthread_once_t seeded = PTHREAD_ONCE_INIT;

static void draw_seed(void)
{
    uint64_t drawn;
    if (getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) == (ssize_t)sizeof drawn) seed ^= drawn;
    seed |= 1;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide                              p = (wide)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t h = seed ^ length;
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        h = mix(h ^ word, 0xa0761d6478bd642fu);
    }
    if (length) {
        uint64_t word = 0;
        for (size_t k = 0; k < length; k++) word |= (uint64_t)(unsigned char)text[k] << (8 * k);
        h = mix(h ^ word, 0xe7037ed1a0b428dbu);
    }
    return mix(h, 0x8ebc6af09c88c6e3u);
}

static size_t start_of(const heft_dict *dict, uint32_t code)
{
    return code ? dict->end[code - 1] + 1 : 0;
}

static uint32_t look_up(const heft_dict *dict, uint64_t hash, const char *text, size_t length)
{
    if (!dict->n_slots) return HEFT_DICT_NONE;
    for (size_t k = hash & (dict->n_slots - 1);; k = (k + 1) & (dict->n_slots - 1)) {
        const uint32_t entry = dict->slot[k];
        if (!entry) return HEFT_DICT_NONE;
        const uint32_t code = entry - 1;
        if (dict->hash[code] != hash) continue;
        const size_t start = start_of(dict, code);
        if (dict->end[code] - start == length && memcmp(dict->blob + start, text, length) == 0)
            return code;
    }
}

static void put_slot(heft_dict *dict, uint32_t code)
{
    size_t k = dict->hash[code] & (dict->n_slots - 1);
    while (dict->slot[k]) k = (k + 1) & (dict->n_slots - 1);
    dict->slot[k] = code + 1;
}

/* Capacity for another string of this length. */
static heft_status reserve(heft_ctx *ctx, heft_dict *dict, size_t length)
{
    if (dict->n >= UINT32_MAX - 3)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "a column has more than %u distinct values ({advice leave-out-column})",
                         UINT32_MAX - 3);
    if (dict->n == dict->capacity) {
        const size_t capacity = dict->capacity ? dict->capacity * 2 : 8;
        HEFT_RESIZE(ctx, dict->end, capacity);
        HEFT_RESIZE(ctx, dict->hash, capacity);
        dict->capacity = capacity;
    }
    if (dict->blob_capacity - dict->used <= length) {
        size_t capacity = dict->blob_capacity ? dict->blob_capacity * 2 : 64;
        if (capacity - dict->used <= length) capacity = dict->used + length + 1;
        HEFT_RESIZE(ctx, dict->blob, capacity);
        dict->blob_capacity = capacity;
    }
    if ((dict->n + 1) * 2 > dict->n_slots) {
        const size_t n_slots = dict->n_slots ? dict->n_slots * 2 : 16;
        uint32_t    *slot;
        HEFT_NEW(ctx, slot, n_slots);
        heft_free(dict->slot);
        dict->slot = slot;
        dict->n_slots = n_slots;
        for (uint32_t code = 0; code < dict->n; code++) put_slot(dict, code);
    }
    return HEFT_OK;
}

heft_status heft_dict_create(heft_ctx *ctx, heft_dict **out)
{
    pthread_once(&seeded, draw_seed);
    HEFT_NEW(ctx, *out, 1);
    atomic_init(&(*out)->owners, 1);
    return HEFT_OK;
}

heft_dict *heft_dict_share(heft_dict *dict)
{
    if (dict) atomic_fetch_add(&dict->owners, 1);
    return dict;
}

void heft_dict_free(heft_dict *dict)
{
    if (!dict || atomic_fetch_sub(&dict->owners, 1) != 1) return;
    heft_free(dict->end);
    heft_free(dict->hash);
    heft_free(dict->blob);
    heft_free(dict->slot);
    heft_free(dict);
}

size_t heft_dict_size(const heft_dict *dict)
{
    return dict ? dict->n : 0;
}

const char *heft_dict_text(const heft_dict *dict, uint32_t code)
{
    return dict->blob + start_of(dict, code);
}

size_t heft_dict_length(const heft_dict *dict, uint32_t code)
{
    return dict->end[code] - start_of(dict, code);
}

uint32_t heft_dict_find(const heft_dict *dict, const char *text, size_t length)
{
    return look_up(dict, hash_of(text, length), text, length);
}

heft_status heft_dict_add(heft_ctx *ctx, heft_dict *dict, const char *text, size_t length,
                          uint32_t *code)
{
    const uint64_t hash = hash_of(text, length);
    *code = look_up(dict, hash, text, length);
    if (*code != HEFT_DICT_NONE) return HEFT_OK;
    HEFT_CHECK(reserve(ctx, dict, length));
    *code = (uint32_t)dict->n;
    if (length) memcpy(dict->blob + dict->used, text, length);
    dict->blob[dict->used + length] = 0;
    dict->end[*code] = dict->used + length;
    dict->used += length + 1;
    dict->hash[*code] = hash;
    dict->n++;
    put_slot(dict, *code);
    return HEFT_OK;
}

bool heft_dict_equal(const heft_dict *a, const heft_dict *b)
{
    if (a == b) return true;
    if (!a || !b || a->n != b->n || a->used != b->used) return false;
    return a->n == 0 || (memcmp(a->end, b->end, a->n * sizeof *a->end) == 0 &&
                         memcmp(a->blob, b->blob, a->used) == 0);
}

/* ---- sorting ---- */

typedef struct item {
    const char *text;
    size_t      length;
    double      number;
    uint32_t    code;
} item;

static int by_bytes(const void *pa, const void *pb)
{
    const item  *a = pa, *b = pb;
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int    order = memcmp(a->text, b->text, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_number(const void *pa, const void *pb)
{
    const item *a = pa, *b = pb;
    /* 1 and 1.0 are different values */
    return a->number < b->number ? -1 : a->number > b->number ? 1 : by_bytes(pa, pb);
}

static item item_of(const heft_dict *dict, uint32_t code)
{
    return (item){heft_dict_text(dict, code), heft_dict_length(dict, code), 0, code};
}

heft_status heft_dict_order(heft_ctx *ctx, const heft_dict *dict, size_t n, size_t *order)
{
    HEFT_FREED item *items = NULL;
    HEFT_NEW(ctx, items, n);
    for (uint32_t k = 0; k < n; k++) items[k] = item_of(dict, k);
    qsort(items, n, sizeof *items, by_bytes);
    for (size_t k = 0; k < n; k++) order[k] = items[k].code;
    return HEFT_OK;
}

heft_status heft_dict_sorted(heft_ctx *ctx, const heft_dict *dict, heft_dict **out,
                             uint32_t *old_to_new)
{
    HEFT_OWN(heft_dict) *sorted = NULL;
    HEFT_FREED item     *items = NULL;
    bool                 numbers = true;
    *out = NULL;
    HEFT_CHECK(heft_dict_create(ctx, &sorted));
    HEFT_NEW(ctx, items, dict->n);
    for (uint32_t k = 0; k < dict->n; k++) {
        items[k] = item_of(dict, k);
        numbers = numbers && heft_parse_double(items[k].text, items[k].text + items[k].length,
                                               &items[k].number) == HEFT_NUM_OK;
    }
    qsort(items, dict->n, sizeof *items, numbers ? by_number : by_bytes);
    for (size_t k = 0; k < dict->n; k++) {
        uint32_t code;
        HEFT_CHECK(heft_dict_add(ctx, sorted, items[k].text, items[k].length, &code));
        old_to_new[items[k].code] = code;
    }
    *out = sorted, sorted = NULL;
    return HEFT_OK;
}

/* ---- union ---- */

heft_status heft_dict_is_sorted(heft_ctx *ctx, const heft_dict *dict, bool *yes)
{
    HEFT_OWN(heft_dict) *sorted = NULL;
    HEFT_FREED uint32_t *map = NULL;
    HEFT_NEW(ctx, map, dict->n);
    HEFT_CHECK(heft_dict_sorted(ctx, dict, &sorted, map));
    *yes = heft_dict_equal(dict, sorted);
    return HEFT_OK;
}

static heft_status add_all(heft_ctx *ctx, heft_dict *const *dicts, size_t n, heft_dict **out)
{
    HEFT_OWN(heft_dict) *all = NULL;
    uint32_t             code;
    HEFT_CHECK(heft_dict_create(ctx, &all));
    for (size_t k = 0; k < n; k++)
        for (uint32_t v = 0; v < dicts[k]->n; v++)
            HEFT_CHECK(heft_dict_add(ctx, all, heft_dict_text(dicts[k], v),
                                     heft_dict_length(dicts[k], v), &code));
    *out = all, all = NULL;
    return HEFT_OK;
}

heft_status heft_dict_copy(heft_ctx *ctx, const heft_dict *dict, heft_dict **out)
{
    heft_dict *only = (heft_dict *)dict;
    return add_all(ctx, &only, 1, out);
}

heft_status heft_dict_union(heft_ctx *ctx, heft_dict *const *dicts, size_t n, heft_dict **out)
{
    HEFT_OWN(heft_dict) *all = NULL;
    HEFT_FREED uint32_t *map = NULL;
    bool                 same = true, sorted = true;
    *out = NULL;
    for (size_t k = 1; k < n; k++) same = same && heft_dict_equal(dicts[0], dicts[k]);
    if (same) {
        *out = heft_dict_share(dicts[0]);
        return HEFT_OK;
    }
    for (size_t k = 0; k < n && sorted; k++)
        HEFT_CHECK(heft_dict_is_sorted(ctx, dicts[k], &sorted));
    if (!sorted) return add_all(ctx, dicts, n, out);
    HEFT_CHECK(add_all(ctx, dicts, n, &all));
    HEFT_NEW(ctx, map, all->n);
    return heft_dict_sorted(ctx, all, out, map);
}

heft_status heft_check_classes(heft_ctx *ctx, const char *where, size_t n_class)
{
    if (n_class <= HEFT_MOST_CLASSES) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "%.200s: there are %zu classes, and at most %d are supported ({advice "
                     "choose-target})",
                     where, n_class, HEFT_MOST_CLASSES);
}

void heft_dict_list(const heft_dict *dict, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (uint32_t k = 0; k < heft_dict_size(dict) && at + 60 < size; k++) {
        const char *shown = HEFT_SHOW_PART(heft_dict_text(dict, k), heft_dict_length(dict, k), 30);
        at += (size_t)snprintf(out + at, size - at, "%s'%s'", k ? ", " : "", shown);
        if (k + 1 < heft_dict_size(dict) && at + 60 >= size) snprintf(out + at, size - at, ", ...");
    }
}
