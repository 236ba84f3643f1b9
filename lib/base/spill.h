/* spill.h - large arrays under a limit on resident memory.
 *
 * While a spill is the calling thread's, heft_alloc and friends (mem.h) take arrays of
 * HEFT_SPILL_LEAST bytes and more from it. Up to a fraction of the limit they are plain memory, a
 * small one for long arrays and those said to be rows, a larger one for others. Beyond it they live
 * in a spill file that has no name, mapped into memory: nothing is left behind whatever ends the
 * process. When the resident memory of the process comes near the limit the mapped pages are let
 * go; their content stays in the file (in the system's cache, then on the disk) and comes back when
 * touched. So every method works as it is, with the same bits.
 *
 * Space in the file is reserved before an array is handed out: a full disk is an allocation that
 * fails with a sentence, never a signal. Knows nothing of contexts; ctx.h has heft_ctx_limit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define HEFT_SPILL_LEAST  ((size_t)64 * 1024)        /* bytes of an array worth a mapping */
#define HEFT_MEMORY_LEAST ((size_t)32 * 1024 * 1024) /* the smallest limit */

typedef struct heft_spill heft_spill;

/* `folder` NULL: $TMPDIR, else /tmp. NULL and a sentence in `why` when no spill file can be made
 * there; a warning in `why` when the folder is in memory itself (tmpfs), where the limit cannot do
 * much. The arrays taken from it keep it alive after its release. */
heft_spill *heft_spill_create(size_t limit, const char *folder, char *why, size_t size);
void        heft_spill_release(heft_spill *spill);

/* Make it the calling thread's (NULL: none); returns the one before. */
heft_spill *heft_spill_swap(heft_spill *spill);
heft_spill *heft_spill_current(void);

/* Let go of mapped pages when the process is near its limit. Any thread may call it at any time;
 * without a limit it costs a look at one word. A thread of the spill calls it too, so that loops
 * without block ends are covered. */
void heft_spill_release_pages(void);

/* The bytes of resident memory that the calling thread's work should stay within; 0: no limit. */
size_t heft_memory_limit(void);
/* to = `size` bytes of `array` (as it was allocated) from byte `at` on. Work on many arrays side by
 * side under a limit on memory should copy a block of rows from each of them: the system brings in
 * 64 KB around every byte that is read in place, and a copy takes no more than its bytes. */
void heft_copy_part(void *to, const void *array, size_t at, size_t size);

/* ---- for mem.c ---- */

/* Zeroed, from the thread's spill; NULL: see failure. `rows`: see heft_alloc_rows. */
void *heft_spill_alloc(size_t bytes, bool rows);
/* True when p is such an array; then *out is it with `bytes` bytes, NULL when that fails. */
bool heft_spill_resize(void *p, size_t bytes, void **out);
bool heft_spill_free(void *p); /* true when p was one */
/* Why the thread's last allocation failed, where the spill file was the reason; else "". The
 * caller may clear it. */
char *heft_spill_failure(void);
