/* spill.c - large arrays in memory up to a fraction of the limit, in a mapped spill file beyond.
 *
 * The idea: the code that uses an array must not know where it is. So an array that does not fit
 * is a shared mapping of a file, and the system moves its pages between memory and disk. A process
 * that only maps would still fill the memory with pages that it touched once. Therefore heft looks
 * at its resident memory (heft_spill_release_pages, called by every loop over rows, and a watching
 * thread for code that has no such loop), and when it nears the limit it gives back all pages of
 * the file at once. That is safe at any time for shared mappings: the content is in the file, and
 * what another thread touches comes back by itself. Giving back everything needs no record of which
 * page was used when, and rows are read in order, so that old pages are not needed soon.
 *
 * Every array (`piece`) is a mapping of its own, found by its address in a hash table (`chains`).
 * The file has no name (O_TMPFILE, or removed at once): nothing is left behind by a crash. Space in
 * it is reserved before it is mapped, because writing to a mapped page on a full disk would end the
 * process with a signal; the space of freed arrays is kept in a list of gaps and used again. After
 * a fork the child reads the arrays of the parent and makes a file of its own.
 *
 * This file stands below mem.c, so its own few records come from malloc. */
#define _GNU_SOURCE /* fallocate, mremap, O_TMPFILE */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/marks.h"

typedef struct gap { /* space in the file that no array uses */
    struct gap *next;
    size_t      at, size;
} gap;

struct heft_spill {
    heft_spill    *next;
    size_t         limit;
    size_t         n_owners; /* number of callers and arrays that use this spill */
    char          *folder;
    int            fd; /* file descriptor; -1 until the file is first needed */
    size_t         end;
    size_t         cached;     /* a file up to this size is likely to stay in the system's cache */
    gap           *gaps;       /* gaps sorted by offset; neighbouring gaps are merged */
    bool           dirty_gaps; /* whether gaps keep old bytes, if the file system has no holes */
    bool           watched, stop;
    pthread_t      watcher;
    pthread_cond_t wake;
};

typedef struct piece { /* one array */
    struct piece *next;
    heft_spill   *home;
    char         *base;
    size_t        size; /* size in bytes, a multiple of the page size */
    size_t        at;   /* offset in the file */
    bool          filed;
    bool          rows;    /* whether the array holds rows that are read in order */
    bool          foreign; /* whether it was mapped before a fork, from the parent's file */
} piece;

enum { CHAINS = 4096, STEP = 1024 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t  once = PTHREAD_ONCE_INIT;

/* The lock protects these. */
static heft_spill *spills;
static piece      *chains[CHAINS];
static size_t      plain;   /* bytes handed out as plain memory, by all of them */
static size_t      program; /* resident bytes of the program's own files, as of the first spill */

static atomic_size_t         n_pieces, n_spills;
static atomic_uint_least64_t next_look; /* earliest time of the next look, in nanoseconds */

static _Thread_local heft_spill *current;
static _Thread_local char        failure[400];

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + page_size() - 1) / page_size() * page_size();
}

/* ---- forks ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The child reads the parent's arrays and writes to a file of its own. */
static void in_child(void)
{
    for (size_t c = 0; c < CHAINS; c++)
        for (piece *p = chains[c]; p; p = p->next) p->foreign = p->filed;
    for (heft_spill *s = spills; s; s = s->next) {
        if (s->fd >= 0) close(s->fd);
        s->fd = -1;
        s->end = 0;
        s->gaps = NULL; /* a few bytes of the child are lost */
        s->watched = false;
    }
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

/* ---- the file ---- */

/* Opens a file without a name in the folder. Returns -1 and a message in `why` on failure. */
static int scratch_file(const char *folder, char *why, size_t size)
{
    char path[4096];
    int  fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        /* the system knows no files without a name: make one and remove its name */
        errno = ENAMETOOLONG;
        if (snprintf(path, sizeof path, "%s/heft-XXXXXX", folder) < (int)sizeof path)
            fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0) (void)unlink(path);
    }
    if (fd < 0)
        heft_print(why, size, "cannot create a scratch file in %.200s: %s ({advice other-scratch})",
                   folder, strerror(errno));
    return fd;
}

/* Reserves bytes at..at + size of the file, also on the disk, so that writing to them cannot fail.
 */
static bool reserve(heft_spill *s, size_t at, size_t size)
{
    struct rlimit most;
    int           code = EFBIG;
    /* beyond this limit the system sends a signal, which is not ours to catch */
    if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY ||
        at + size <= most.rlim_cur)
        do code = posix_fallocate(s->fd, (off_t)at, (off_t)size);
        while (code == EINTR);
    if (code != 0)
        heft_print(
            failure, sizeof failure,
            "the scratch file in %.200s cannot grow by %zu bytes: %s (free some space there, "
            "or {advice other-scratch})",
            s->folder, size, strerror(code));
    return code == 0;
}

/* Finds space in the file: the first gap that is large enough, or the end of the file. *fresh says
 * whether the space reads as zeros. */
static bool find_space(heft_spill *s, size_t size, size_t *at, bool *fresh)
{
    gap **g = &s->gaps;
    while (*g && (*g)->size < size) g = &(*g)->next;
    gap *here = *g;
    *at = here ? here->at : s->end;
    *fresh = !here || !s->dirty_gaps;
    if (!reserve(s, *at, size)) return false;
    if (!here) {
        s->end += size;
    } else if (here->size > size) {
        here->at += size;
        here->size -= size;
    } else {
        *g = here->next;
        free(here);
    }
    return true;
}

/* Gives space back to the disk. If there is no memory to record the gap, this range of the file is
 * not used again. */
static void give_space(heft_spill *s, size_t at, size_t size)
{
    if (fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size) != 0)
        s->dirty_gaps = true;
    gap *fresh = malloc(sizeof *fresh);
    if (!fresh) return;
    gap **place = &s->gaps;
    while (*place && (*place)->at < at) place = &(*place)->next;
    *fresh = (gap){*place, at, size};
    *place = fresh;
    for (gap *g = s->gaps, *after; (after = g->next);) {
        if (g->at + g->size == after->at) {
            g->size += after->size;
            g->next = after->next;
            free(after);
        } else {
            g = after;
        }
    }
}

/* ---- pieces by address ---- */

/* The link to the piece at `base`; without such a piece the end of its chain. */
static piece **link_to(const void *base)
{
    piece **at = &chains[((uintptr_t)base / 4096 * 0x9e3779b1u >> 7) % CHAINS];
    while (*at && (*at)->base != base) at = &(*at)->next;
    return at;
}

/* The piece at `base`, with the lock taken; NULL, without the lock, where there is none. Addresses
 * that cannot be ours are told without taking it. */
static piece *lock_piece(const void *base)
{
    if (!base || atomic_load_explicit(&n_pieces, memory_order_relaxed) == 0 ||
        (uintptr_t)base % page_size() != 0)
        return NULL;
    pthread_mutex_lock(&lock);
    piece *p = *link_to(base);
    if (!p) pthread_mutex_unlock(&lock);
    return p;
}

/* ---- releasing pages ---- */

static void read_line(const char *path, char *text, size_t size)
{
    const int     fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);
    text[n > 0 ? n : 0] = 0;
    if (fd >= 0) close(fd);
}

/* Resident bytes of the process, and those of them that files back; 0 where the system does not
 * tell. */
static size_t resident(size_t *from_files)
{
    char text[128], *at;
    read_line("/proc/self/statm", text, sizeof text); /* total, resident, from files, ... */
    (void)strtoll(text, &at, 10);
    const long long pages = strtoll(at, &at, 10), filed = strtoll(at, &at, 10);
    *from_files = 0;
    if (pages <= 0 || filed < 0) return 0;
    *from_files = (size_t)filed * page_size();
    return (size_t)pages * page_size();
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Under the lock. Looks come late on a busy machine, so half of the limit is near enough to let
 * go; but not where that could free next to nothing. Returns how far resident memory may grow
 * before the next look. */
static size_t look(void)
{
    enum { SHORTEST = 50 * 1000, LONGEST = 1000 * 1000 };
    size_t limit = SIZE_MAX, from_files;
    for (const heft_spill *s = spills; s; s = s->next) limit = s->limit < limit ? s->limit : limit;
    const size_t used = resident(&from_files), near = limit / 2, worth = limit / 16;
    const size_t ours = from_files > program ? from_files - program : 0;
    size_t       growth = used < near ? near - used : worth;
    if (used >= near && ours < worth) {
        growth = worth - ours;
    } else if (used >= near) {
        for (size_t c = 0; c < CHAINS; c++)
            for (const piece *p = chains[c]; p; p = p->next)
                if (p->filed) (void)madvise(p->base, p->size, MADV_DONTNEED);
    }
    /* a few threads read at 16 bytes per nanosecond */
    const uint64_t wait = growth / 16;
    const uint64_t most = wait < LONGEST ? wait : LONGEST;
    atomic_store(&next_look, now() + (most > SHORTEST ? most : SHORTEST));
    return growth;
}

void heft_spill_release_pages(void)
{
    if (atomic_load_explicit(&n_spills, memory_order_relaxed) == 0) return;
    if (now() < atomic_load(&next_look)) return;
    pthread_mutex_lock(&lock); /* a thread that is about to use memory waits for the look */
    if (now() >= atomic_load(&next_look)) (void)look();
    pthread_mutex_unlock(&lock);
}

/* Sleeps for as long as memory cannot have grown to the limit meanwhile. */
static void *watch(void *arg)
{
    enum { BYTES_PER_MICROSECOND = 4096, SHORTEST = 500, LONGEST = 50000 };
    heft_spill *s = arg;
    pthread_mutex_lock(&lock);
    while (!s->stop) {
        const uint64_t us = look() / BYTES_PER_MICROSECOND;
        const uint64_t t = now() + 1000 * (us < SHORTEST ? SHORTEST : us > LONGEST ? LONGEST : us);
        const struct timespec until = {(time_t)(t / 1000000000), (long)(t % 1000000000)};
        (void)pthread_cond_timedwait(&s->wake, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* ---- life ---- */

/* A quarter of the memory this process may have, as the machine or its container has it. */
static size_t cache_size(void)
{
    const long   pages = sysconf(_SC_PHYS_PAGES);
    const size_t memory = pages > 0 ? (size_t)pages * page_size() : 0;
    char         text[32];
    read_line("/sys/fs/cgroup/memory.max", text, sizeof text);
    const unsigned long long most = strtoull(text, NULL, 10); /* "max": 0 */
    return (most > 0 && most < memory ? (size_t)most : memory) / 4;
}

/* Removes one owner. The caller holds the lock, which is released if it was the last owner. */
static void disown(heft_spill *s)
{
    if (--s->n_owners > 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    heft_spill **at = &spills;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    atomic_fetch_sub(&n_spills, 1);
    s->stop = true;
    if (s->watched) pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&lock);
    if (s->watched) {
        pthread_join(s->watcher, NULL);
        pthread_cond_destroy(&s->wake);
    }
    for (gap *g = s->gaps, *next; g; g = next) {
        next = g->next;
        free(g);
    }
    if (s->fd >= 0) close(s->fd);
    free(s->folder);
    free(s);
}

heft_spill *heft_spill_create(size_t limit, const char *folder, char *why, size_t size)
{
    enum { TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };
    struct statfs      info;
    pthread_condattr_t attr;
    sigset_t           all, before;
    *why = 0;
    if (!folder || !*folder) folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    const int fd = scratch_file(folder, why, size);
    if (fd < 0) return NULL;
    heft_spill *s = malloc(sizeof *s);
    char       *copy = strdup(folder);
    if (!s || !copy) {
        snprintf(why, size, "out of memory");
        close(fd);
        free(s);
        free(copy);
        return NULL;
    }
    *s = (heft_spill){
        .limit = limit, .n_owners = 1, .folder = copy, .fd = fd, .cached = cache_size()};
    if (fstatfs(fd, &info) == 0 && ((int)info.f_type == TMPFS || (int)info.f_type == RAMFS))
        heft_print(why, size,
                   "%s is a folder in memory, so {memory} cannot save any (choose a folder on a "
                   "disk with {scratch})",
                   folder);
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (!spills && atomic_load(&n_pieces) == 0) (void)resident(&program);
    s->next = spills;
    spills = s;
    atomic_fetch_add(&n_spills, 1);
    pthread_mutex_unlock(&lock);
    if (pthread_condattr_init(&attr) != 0)
        return s; /* without a thread the block ends still look */
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    if (pthread_cond_init(&s->wake, &attr) == 0) {
        sigfillset(&all); /* signals are for the host's threads */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        s->watched = pthread_create(&s->watcher, NULL, watch, s) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!s->watched) pthread_cond_destroy(&s->wake);
    }
    pthread_condattr_destroy(&attr);
    return s;
}

void heft_spill_release(heft_spill *spill)
{
    if (!spill) return;
    pthread_mutex_lock(&lock);
    disown(spill);
}

heft_spill *heft_spill_swap(heft_spill *spill)
{
    heft_spill *before = current;
    current = spill;
    return before;
}

heft_spill *heft_spill_current(void)
{
    return current;
}

size_t heft_memory_limit(void)
{
    return current ? current->limit : 0;
}

char *heft_spill_failure(void)
{
    return failure;
}

/* ---- arrays ---- */

/* Whether an array of `size` bytes, `more` than before, may be plain memory. Arrays that grow with
 * the rows are read in order and are nearly as fast in the file; every long array counts as one of
 * them, whatever the caller says. Other arrays, such as sums by column and class, are accessed in
 * any order, and an access to a page that was let go costs far more than one to memory: most of the
 * fraction is kept for them. */
static bool fits_plain(const heft_spill *s, size_t size, size_t more, bool rows)
{
    const size_t most = s->limit / 8 * (rows || size > s->limit / 16 ? 1 : 3);
    return plain <= most && more <= most - plain;
}

/* The system keeps what it reads ahead in large parts, and newer kernels (Linux 6.18) map a whole
 * part, up to 2 MB, when one byte of it is touched. So the system is asked not to read ahead while
 * the file fits in its cache, where nothing needs reading. A larger file is read from the disk
 * again, which is far too slow page by page. */
static void advise(const heft_spill *s, const piece *p)
{
    (void)madvise(p->base, p->size, s->end <= s->cached ? MADV_RANDOM : MADV_NORMAL);
}

/* Under the lock: p->base for p->size bytes in the file, zeroed. */
static bool map_filed(heft_spill *s, piece *p)
{
    bool fresh;
    if (s->fd < 0) s->fd = scratch_file(s->folder, failure, sizeof failure);
    const bool cached = s->end <= s->cached;
    if (s->fd < 0 || !find_space(s, p->size, &p->at, &fresh)) return false;
    if (cached && s->end > s->cached)
        for (size_t c = 0; c < CHAINS; c++)
            for (const piece *other = chains[c]; other; other = other->next)
                if (other->filed && other->home == s) advise(s, other);
    p->base = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, (off_t)p->at);
    if (p->base == MAP_FAILED) {
        give_space(s, p->at, p->size);
        return false;
    }
    /* with pages of 2 MB a touch here and there would bring in the whole array */
    (void)madvise(p->base, p->size, MADV_NOHUGEPAGE);
    advise(s, p);
    if (!fresh) memset(p->base, 0, p->size);
    p->filed = true;
    return true;
}

/* Under the lock. NULL: no memory, or no space in the file. */
static piece *new_piece(heft_spill *s, size_t size, bool rows)
{
    piece *p = malloc(sizeof *p);
    if (!p) return NULL;
    *p = (piece){.home = s, .size = size, .rows = rows};
    bool done;
    if (fits_plain(s, size, size, rows)) {
        p->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        done = p->base != MAP_FAILED;
        if (done) plain += size;
    } else {
        done = map_filed(s, p);
    }
    if (!done) {
        free(p);
        return NULL;
    }
    *link_to(p->base) = p;
    s->n_owners++;
    atomic_fetch_add(&n_pieces, 1);
    return p;
}

/* Shrinks an array and gives the space of its end back. The caller holds the lock. */
static void shrink(piece *p, size_t size)
{
    const size_t less = p->size - size;
    if (less == 0) return;
    (void)munmap(p->base + size, less);
    if (!p->filed) plain -= less;
    else if (!p->foreign) give_space(p->home, p->at + size, less);
    p->size = size;
}

/* Frees an array. The caller holds the lock, which is released. */
static void drop_piece(piece *p)
{
    heft_spill *s = p->home;
    *link_to(p->base) = p->next;
    shrink(p, 0);
    free(p);
    atomic_fetch_sub(&n_pieces, 1);
    disown(s);
}

void *heft_spill_alloc(size_t bytes, bool rows)
{
    failure[0] = 0;
    if (bytes > PTRDIFF_MAX / 2) return NULL;
    pthread_mutex_lock(&lock);
    const piece *p = new_piece(current, whole_pages(bytes), rows);
    pthread_mutex_unlock(&lock);
    return p ? p->base : NULL;
}

bool heft_spill_free(void *base)
{
    piece *p = lock_piece(base);
    if (p) drop_piece(p);
    return p != NULL;
}

void heft_copy_part(void *to, const void *array, size_t at, size_t size)
{
    const piece *p = lock_piece(array);
    int          fd = -1;
    off_t        from = 0;
    if (p && p->filed && !p->foreign) {
        fd = p->home->fd; /* open as long as the array is there */
        from = (off_t)(p->at + at);
    }
    if (p) pthread_mutex_unlock(&lock);
    if (fd >= 0)
        while (size > 0) {
            const ssize_t n = pread(fd, to, size, from);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            to = (char *)to + n;
            from += n;
            at += (size_t)n;
            size -= (size_t)n;
        }
    if (size > 0) memcpy(to, (const char *)array + at, size);
}

/* Under the lock: plain memory grows where it is, or moves by its pages; true when it did. */
static bool grow_plain(piece *p, size_t size)
{
    if (p->filed || !fits_plain(p->home, size, size - p->size, p->rows)) return false;
    void *base = mremap(p->base, p->size, size, MREMAP_MAYMOVE);
    if (base == MAP_FAILED) return false;
    *link_to(p->base) = p->next;
    plain += size - p->size;
    p->base = base;
    p->size = size;
    p->next = NULL;
    *link_to(base) = p;
    return true;
}

bool heft_spill_resize(void *base, size_t bytes, void **out)
{
    piece *p = lock_piece(base);
    if (!p) return false;
    const size_t size = bytes > PTRDIFF_MAX / 2 ? SIZE_MAX : whole_pages(bytes ? bytes : 1);
    *out = NULL;
    failure[0] = 0;
    if (size <= p->size) shrink(p, size);
    if (size == p->size || (size != SIZE_MAX && grow_plain(p, size))) *out = p->base;
    piece *fresh = *out || size == SIZE_MAX ? NULL : new_piece(p->home, size, p->rows);
    pthread_mutex_unlock(&lock);
    if (!fresh) return true;
    for (size_t at = 0; at < p->size; at += STEP) { /* does not keep what it has copied */
        memcpy(fresh->base + at, p->base + at, p->size - at < STEP ? p->size - at : STEP);
        heft_spill_release_pages();
    }
    *out = fresh->base;
    pthread_mutex_lock(&lock);
    drop_piece(p);
    return true;
}
