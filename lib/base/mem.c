/* mem.c - heap and arenas. */
#include "base/mem.h"

#include <malloc.h> /* malloc_usable_size */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static heft_fault fault;

void heft_fault_plan(heft_fault *f, size_t at, bool sticky)
{
    atomic_store(&f->n_calls, 0);
    atomic_store(&f->sticky, sticky);
    atomic_store(&f->at, at);
}

bool heft_fault_due(heft_fault *f)
{
    const size_t at = atomic_load_explicit(&f->at, memory_order_relaxed);
    if (at == 0) return false;
    const size_t k = atomic_fetch_add(&f->n_calls, 1) + 1;
    return k == at || (k > at && atomic_load(&f->sticky));
}

void heft_fail_alloc_at(size_t n, bool sticky)
{
    heft_fault_plan(&fault, n, sticky);
}

size_t heft_alloc_count(void)
{
    return atomic_load(&fault.n_calls);
}

bool heft_product(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

size_t heft_times(size_t a, size_t b)
{
    size_t out;
    return heft_product(a, b, &out) ? out : SIZE_MAX;
}

/* Whether *bytes = n * size may be requested. If not, the spill file is not the reason, so its
 * message is cleared. */
static bool may_ask(size_t n, size_t size, size_t *bytes)
{
    if (heft_product(n, size, bytes) && *bytes <= PTRDIFF_MAX && !heft_fault_due(&fault))
        return true;
    *heft_spill_failure() = 0;
    return false;
}

static bool is_spilled(size_t bytes)
{
    return bytes >= HEFT_SPILL_LEAST && heft_spill_current();
}

/* Bytes of a large page, and of the smallest array that uses them. */
enum { LARGE_PAGE = 2 << 20, LARGE = 2 * LARGE_PAGE };

/* Number of bytes to request: rounded up to whole large pages if most of the last page is used. */
static size_t whole_pages(size_t bytes)
{
    const size_t unused = (LARGE_PAGE - bytes % LARGE_PAGE) % LARGE_PAGE;
    return bytes < LARGE || unused > LARGE_PAGE / 4 ? bytes : bytes + unused;
}

/* A large array is asked for in large pages where the system has them: the first touch of a small
 * one costs as much as a thousand of its cells. It may refuse, which does no harm. */
static void *in_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (!p || bytes < LARGE) return p;
    const size_t skip = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
    (void)madvise((char *)p + skip, (bytes - skip) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)bytes;
#endif
    return p;
}

/* A new array, not zeroed. A large one begins with a large page. */
static void *fresh(size_t bytes)
{
    void *p = NULL;
    if (bytes < LARGE) return malloc(bytes ? bytes : 1);
    bytes = whole_pages(bytes);
    return posix_memalign(&p, LARGE_PAGE, bytes) == 0 ? in_large_pages(p, bytes) : NULL;
}

static void *allocate(size_t n, size_t size, bool rows, bool zeroed)
{
    size_t bytes;
    if (!may_ask(n, size, &bytes)) return NULL;
    if (is_spilled(bytes)) return heft_spill_alloc(bytes, rows); /* zeroed */
    return zeroed ? in_large_pages(calloc(bytes ? bytes : 1, 1), bytes) : fresh(bytes);
}

void *heft_alloc(size_t n, size_t size)
{
    return allocate(n, size, false, false);
}

void *heft_alloc_rows(size_t n, size_t size)
{
    return allocate(n, size, true, false);
}

void *heft_alloc0(size_t n, size_t size)
{
    return allocate(n, size, false, true);
}

void *heft_resize(void *p, size_t n, size_t size)
{
    size_t bytes;
    void  *out;
    if (!may_ask(n, size, &bytes)) return NULL;
    if (heft_spill_resize(p, bytes, &out)) return out;
    if (!is_spilled(bytes) && !p) return fresh(bytes);
    if (!is_spilled(bytes)) {
        bytes = whole_pages(bytes);
        return in_large_pages(realloc(p, bytes ? bytes : 1), bytes);
    }
    out = heft_spill_alloc(bytes, true);
    if (!out || !p) return out;
    const size_t before = malloc_usable_size(p);
    memcpy(out, p, before < bytes ? before : bytes);
    free(p);
    return out;
}

void heft_free(void *p)
{
    if (!heft_spill_free(p)) free(p);
}

void heft_free_at(void *variable)
{
    void *p;
    memcpy(&p, variable, sizeof p);
    heft_free(p);
}

char *heft_copy_span(const char *text, size_t length)
{
    if (length == SIZE_MAX) return NULL;
    char *copy = heft_alloc(length + 1, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *heft_copy_text(const char *text)
{
    return heft_copy_span(text, strlen(text));
}

/* ---- arenas ---- */

enum { ALIGN = 64, FIRST_BLOCK = 16 * 1024, LARGEST_STEP = 4 * 1024 * 1024, ZEROED = 1 << 20 };

struct heft_arena_block {
    heft_arena_block *before;
    size_t            used, size; /* bytes of data */
    size_t            dirty;      /* bytes before this offset may not be 0 */
    char             *data;       /* aligned, inside the same allocation */
};

/* The spare block if it has at least `least` bytes, otherwise a new block of `want` bytes. */
static heft_arena_block *next_block(heft_arena *arena, size_t least, size_t want)
{
    heft_arena_block *fresh = arena->spare;
    if (fresh && fresh->size >= least) {
        arena->spare = NULL;
    } else {
        const size_t whole = sizeof *fresh + ALIGN + want;
        /* A block of one array needs no zeros: new pages are zero, and the threads that use them
         * should touch them first. */
        const bool zeroed = want == least && want >= ZEROED / 4;
        fresh = zeroed ? heft_alloc0(1, whole) : heft_alloc(1, whole);
        if (!fresh) return NULL;
        *fresh = (heft_arena_block){.size = want};
        fresh->data = (char *)(fresh + 1) + (ALIGN - (uintptr_t)(fresh + 1) % ALIGN) % ALIGN;
        /* zeros cost a write to the spill file */
        fresh->dirty = zeroed || is_spilled(whole) ? 0 : want;
    }
    fresh->before = arena->last;
    arena->last = fresh;
    return fresh;
}

/* Takes memory from the arena; its first *stale bytes may not be 0. */
static char *arena_take(heft_arena *arena, size_t n, size_t size, size_t *stale)
{
    size_t bytes;
    if (!heft_product(n, size, &bytes) || bytes > PTRDIFF_MAX / 2) return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0) bytes = ALIGN;
    heft_arena_block *block = arena->last;
    if (!block || block->size - block->used < bytes) {
        size_t want = block ? block->size * 2 : FIRST_BLOCK;
        /* a short step under a limit on memory, so that what is small stays out of the spill file
         */
        const size_t fits = heft_memory_limit() / 64;
        const size_t step = fits == 0 || fits > LARGEST_STEP ? LARGEST_STEP : fits;
        if (want > step) want = step;
        if (want < bytes) want = bytes;
        block = next_block(arena, bytes, want);
        if (!block) return NULL;
    }
    char        *p = block->data + block->used;
    const size_t dirty = block->used < block->dirty ? block->dirty - block->used : 0;
    *stale = dirty < bytes ? dirty : bytes;
    block->used += bytes;
    if (block->dirty < block->used) block->dirty = block->used;
    return p;
}

void *heft_arena_alloc(heft_arena *arena, size_t n, size_t size)
{
    size_t stale = 0;
    char  *p = arena_take(arena, n, size, &stale);
    for (size_t at = 0; at < stale; at += ZEROED) {
        memset(p + at, 0, stale - at < ZEROED ? stale - at : ZEROED);
        heft_spill_release_pages();
    }
    return p;
}

void *heft_arena_raw(heft_arena *arena, size_t n, size_t size)
{
    size_t stale;
    return arena_take(arena, n, size, &stale);
}

char *heft_arena_text(heft_arena *arena, const char *text)
{
    const size_t length = strlen(text) + 1;
    char        *copy = heft_arena_alloc(arena, length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

heft_mark heft_arena_mark(const heft_arena *arena)
{
    return (heft_mark){arena->last, arena->last ? arena->last->used : 0};
}

void heft_arena_rewind(heft_arena *arena, heft_mark mark)
{
    while (arena->last != mark.block) {
        heft_arena_block *block = arena->last;
        arena->last = block->before;
        block->used = 0;
        if (block->size <= LARGEST_STEP && (!arena->spare || arena->spare->size < block->size)) {
            heft_arena_block *smaller = arena->spare;
            arena->spare = block;
            block = smaller;
        }
        heft_free(block);
    }
    if (arena->last) arena->last->used = mark.used;
}

void heft_arena_clear(heft_arena *arena)
{
    heft_arena_rewind(arena, (heft_mark){NULL, 0});
    heft_free(arena->spare);
    arena->spare = NULL;
}
