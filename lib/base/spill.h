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

#define HEFT_SPILL_LEAST  ((size_t)64 * 1024)        /* smallest array that is mapped */
#define HEFT_MEMORY_LEAST ((size_t)32 * 1024 * 1024) /* the smallest limit */

typedef struct heft_spill heft_spill;

/* Creates a spill with its file in `folder`, or in $TMPDIR or /tmp if `folder` is NULL. Returns
 * NULL and a message in `why` if no spill file can be created there. `why` receives a warning if
 * the folder is in memory itself (tmpfs), where the limit has little effect. Arrays taken from the
 * spill keep it alive after its release. */
heft_spill *heft_spill_create(size_t limit, const char *folder, char *why, size_t size);
void        heft_spill_release(heft_spill *spill);

/* Makes `spill` (NULL: none) the spill of the calling thread and returns the previous one. */
heft_spill *heft_spill_swap(heft_spill *spill);
heft_spill *heft_spill_current(void);

/* Releases mapped pages if the process is near its limit. Any thread may call it at any time;
 * without a limit it only reads one word. A thread of the spill does the same, so that loops that
 * never call it are covered. */
void heft_spill_release_pages(void);

/* The bytes of resident memory that the calling thread's work should stay within; 0: no limit. */
size_t heft_memory_limit(void);
/* to = `size` bytes of `array` (as it was allocated) from byte `at` on. Work on many arrays side by
 * side under a limit on memory should copy a block of rows from each of them: the system brings in
 * 64 KB around every byte that is read in place, and a copy takes no more than its bytes. */
void heft_copy_part(void *to, const void *array, size_t at, size_t size);

/* ---- for mem.c ---- */

/* Allocates a zeroed array from the thread's spill, or returns NULL (see heft_spill_failure).
 * `rows` says that the array is as described at heft_alloc_rows. */
void *heft_spill_alloc(size_t bytes, bool rows);
/* If p is an array of a spill, resizes it to `bytes` bytes, sets *out to the result (NULL on
 * failure) and returns true; otherwise returns false. */
bool heft_spill_resize(void *p, size_t bytes, void **out);
bool heft_spill_free(void *p); /* returns false if p is not an array of a spill */
/* Message that says why the thread's last allocation failed, if the spill file was the reason;
 * otherwise "". The caller may clear it. */
char *heft_spill_failure(void);
