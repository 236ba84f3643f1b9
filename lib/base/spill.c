/* spill.c - large arrays in memory up to a share of the limit, in a mapped scratch file beyond.
 *
 * Every array is a mapping of its own, known by its address. Resident memory is read from the
 * system; when it nears the limit all pages of the file are let go at once, which is safe at any
 * time for shared mappings: what another thread touches comes back by itself.
 *
 * This file stands below mem.c, so its own few records come from malloc. */
#define _GNU_SOURCE /* fallocate, mremap, O_TMPFILE */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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

#include "base/known.h"
#include "base/mem.h"
#include "base/pool.h"

typedef struct gap { /* space in the file that no array uses */
    struct gap *next;
    size_t      at, size;
} gap;

struct heft_spill {
    heft_spill    *next;
    size_t         limit;
    size_t         n_owners; /* callers and arrays */
    char          *folder;
    int            fd; /* -1: to be opened when first needed */
    size_t         end;
    size_t         cached;     /* a file up to this size is likely to stay in the system's cache */
    gap           *gaps;       /* by place, never touching one another */
    bool           dirty_gaps; /* the file system cannot punch holes: old bytes stay there */
    bool           in_memory;
    bool           watched, stop;
    pthread_t      watcher;
    pthread_cond_t wake;
};

typedef struct piece { /* one array */
    struct piece *next;
    heft_spill   *home;
    char         *base;
    size_t        size; /* whole pages */
    size_t        at;   /* in the file */
    bool          filed;
    bool          rows;    /* the caller says that it goes through them in order */
    bool          foreign; /* mapped before a fork: the file is the parent's */
} piece;

enum { CHAINS = 4096, STEP = 1024 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t  once = PTHREAD_ONCE_INIT;

/* All under the lock. */
static heft_spill *spills;
static piece      *chains[CHAINS];
static size_t      plain;   /* bytes handed out as plain memory, by all of them */
static size_t      program; /* resident bytes of the program's own files, as of the first spill */

static atomic_size_t         n_pieces, n_spills;
static atomic_uint_least64_t next_look; /* no need for one before; nanoseconds */

static _Thread_local heft_spill *current;
static _Thread_local char        failure[400];

static size_t page_size(void)
{
    static atomic_size_t known;
    size_t               size = atomic_load_explicit(&known, memory_order_relaxed);
    if (size == 0) {
        const long asked = sysconf(_SC_PAGESIZE);
        size = asked > 0 ? (size_t)asked : 4096;
        atomic_store(&known, size);
    }
    return size;
}

static size_t whole_pages(size_t bytes)
{
    const size_t page = page_size();
    return (bytes + page - 1) / page * page;
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

static const char *folder_of(const char *folder)
{
    if (folder && *folder) return folder;
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

/* Where the system knows no files without a name: make one, take its name away. */
static int named_file(const char *folder)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/heft-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) (void)unlink(path);
    return fd;
}

/* An open file in the folder (NULL: the default one) without a name; -1 and a sentence in `why`. */
static int scratch_file(const char *folder, char *why, size_t size)
{
    folder = folder_of(folder);
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        fd = named_file(folder);
    if (fd < 0)
        snprintf(why, size,
                 "no scratch file can be made in %.200s: %s (name another folder with --scratch)",
                 folder, strerror(errno));
    return fd;
}

static void no_room(const heft_spill *s, size_t bytes, int code)
{
    snprintf(failure, sizeof failure,
             "the scratch file in %.200s cannot take %zu more bytes: %s (make room there, or name "
             "another folder with --scratch)",
             s->folder, bytes, strerror(code));
}

/* Bytes at..at + size of the file are the caller's from here on, on the disk too. */
static bool take_room(heft_spill *s, size_t at, size_t size)
{
    struct rlimit most;
    int           code = 0;
    /* beyond this limit the system sends a signal, which is not ours to catch */
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        at + size > most.rlim_cur)
        code = EFBIG;
    while (code == 0) {
        code = posix_fallocate(s->fd, (off_t)at, (off_t)size);
        if (code != EINTR) break;
        code = 0;
    }
    if (code != 0) no_room(s, size, code);
    return code == 0;
}

/* The first gap that is large enough, else the end. *fresh: it reads as zeros. */
static bool find_room(heft_spill *s, size_t size, size_t *at, bool *fresh)
{
    *fresh = true;
    for (gap **g = &s->gaps; *g; g = &(*g)->next) {
        gap *here = *g;
        if (here->size < size) continue;
        if (!take_room(s, here->at, size)) return false;
        *at = here->at;
        *fresh = !s->dirty_gaps;
        here->at += size;
        here->size -= size;
        if (here->size == 0) {
            *g = here->next;
            free(here);
        }
        return true;
    }
    if (!take_room(s, s->end, size)) return false;
    *at = s->end;
    s->end += size;
    return true;
}

static void join_gaps(gap *g)
{
    gap *after = g->next;
    if (!after || g->at + g->size != after->at) return;
    g->size += after->size;
    g->next = after->next;
    free(after);
}

/* Give space back to the disk. Without memory for the record it is only lost to the file. */
static void give_room(heft_spill *s, size_t at, size_t size)
{
    if (fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size) != 0)
        s->dirty_gaps = true;
    gap *fresh = malloc(sizeof *fresh);
    if (!fresh) return;
    gap **g = &s->gaps, *before = NULL;
    for (; *g && (*g)->at < at; g = &(*g)->next) before = *g;
    *fresh = (gap){*g, at, size};
    *g = fresh;
    join_gaps(fresh);
    if (before) join_gaps(before);
}

/* ---- pieces by address ---- */

static piece **chain_of(const void *base)
{
    return &chains[((uintptr_t)base / 4096 * 0x9e3779b1u >> 7) % CHAINS];
}

static void enter(piece *p)
{
    piece **chain = chain_of(p->base);
    p->next = *chain;
    *chain = p;
}

static void leave(piece *p)
{
    piece **at = chain_of(p->base);
    while (*at != p) at = &(*at)->next;
    *at = p->next;
}

static piece *find(const void *base)
{
    piece *p = *chain_of(base);
    while (p && p->base != base) p = p->next;
    return p;
}

/* Addresses that cannot be ours are told without the lock. */
static bool may_be_ours(const void *p)
{
    return p && atomic_load_explicit(&n_pieces, memory_order_relaxed) > 0 &&
           (uintptr_t)p % page_size() == 0;
}

/* ---- the valve ---- */

/* Resident bytes of the process, and those of them that files back; 0 where the system does not
 * tell. */
static size_t resident(size_t *from_files)
{
    char      text[128], *end;
    long long pages = 0, filed = 0;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    *from_files = 0;
    if (fd < 0) return 0;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *blank = strchr(text, ' ');
    if (blank) {
        pages = strtoll(blank + 1, &end, 10);
        filed = strtoll(end, NULL, 10);
    }
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

static void let_go(void)
{
    for (size_t c = 0; c < CHAINS; c++)
        for (piece *p = chains[c]; p; p = p->next)
            if (p->filed) (void)madvise(p->base, p->size, MADV_DONTNEED);
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
    size_t       room = used < near ? near - used : worth;
    if (used >= near && ours < worth) room = worth - ours;
    else if (used >= near) let_go();
    /* a few threads read at 16 bytes per nanosecond */
    uint64_t wait = room / 16;
    if (wait < SHORTEST) wait = SHORTEST;
    if (wait > LONGEST) wait = LONGEST;
    atomic_store(&next_look, now() + wait);
    return room;
}

void heft_spill_valve(void)
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
    enum { BYTES_A_MICROSECOND = 4096 };
    heft_spill *s = arg;
    pthread_mutex_lock(&lock);
    while (!s->stop) {
        uint64_t        microseconds = look() / BYTES_A_MICROSECOND;
        struct timespec until;
        if (microseconds < 500) microseconds = 500;
        if (microseconds > 50000) microseconds = 50000;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)microseconds * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&s->wake, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Without a thread the block ends still look. */
static void start_watcher(heft_spill *s)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0) return;
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    if (pthread_cond_init(&s->wake, &attr) == 0) {
        s->watched = heft_pool_side(&s->watcher, watch, s) == 0;
        if (!s->watched) pthread_cond_destroy(&s->wake);
    }
    pthread_condattr_destroy(&attr);
}

/* ---- life ---- */

static bool is_in_memory(int fd)
{
    enum { TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };
    struct statfs info;
    return fstatfs(fd, &info) == 0 && ((int)info.f_type == TMPFS || (int)info.f_type == RAMFS);
}

/* Of the memory this process may have, as the machine or its container has it, a quarter. */
static size_t cache_room(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    size_t     memory = pages > 0 ? (size_t)pages * page_size() : 0;
    char       text[32];
    const int  fd = open("/sys/fs/cgroup/memory.max", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return memory / 4;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const unsigned long long most = strtoull(text, NULL, 10); /* "max": 0 */
    if (most > 0 && most < memory) memory = (size_t)most;
    return memory / 4;
}

static void destroy(heft_spill *s)
{
    if (s->watched) {
        pthread_mutex_lock(&lock);
        s->stop = true;
        pthread_cond_signal(&s->wake);
        pthread_mutex_unlock(&lock);
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

/* One owner less; under the lock, which is given up when it was the last. */
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
    pthread_mutex_unlock(&lock);
    destroy(s);
}

heft_spill *heft_spill_create(size_t limit, const char *folder, char *why, size_t size)
{
    heft_spill *s = calloc(1, sizeof *s);
    if (!s || !(s->folder = strdup(folder_of(folder)))) {
        snprintf(why, size, "out of memory");
        free(s);
        return NULL;
    }
    s->limit = limit;
    s->n_owners = 1;
    s->fd = scratch_file(folder, why, size);
    if (s->fd < 0) {
        destroy(s);
        return NULL;
    }
    s->in_memory = is_in_memory(s->fd);
    s->cached = cache_room();
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (!spills && atomic_load(&n_pieces) == 0) (void)resident(&program);
    s->next = spills;
    spills = s;
    atomic_fetch_add(&n_spills, 1);
    pthread_mutex_unlock(&lock);
    start_watcher(s);
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

bool heft_spill_in_memory(const heft_spill *spill)
{
    return spill->in_memory;
}

const char *heft_spill_folder(const heft_spill *spill)
{
    return spill->folder;
}

const char *heft_spill_failure(void)
{
    return failure[0] ? failure : NULL;
}

void heft_spill_forget_failure(void)
{
    failure[0] = 0;
}

/* ---- arrays ---- */

/* Plain memory there may be in all for another array to be plain. Those that grow with the rows and
 * are gone through in order are well served by the file. Others, such as sums by column and class,
 * are touched all over, and every touch of a page that was let go costs far more than one of
 * memory: room is kept for them. */
static size_t plain_most(const heft_spill *s, bool rows)
{
    return rows ? s->limit / 8 : s->limit / 8 * 3;
}

/* What is long has as many rows, whatever the caller says. */
static bool for_rows(const heft_spill *s, size_t size, bool rows)
{
    return rows || size > s->limit / 16;
}

static void *map_plain(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* What the system reads ahead it keeps in large parts, and newer kernels (Linux 6.18) map all of
 * such a part when one byte of it is touched: up to 2 MB. So it is asked to read nothing ahead, as
 * long as the file has a place in its cache, where nothing needs reading. A larger file comes from
 * the disk again, and that is far too slow page by page. */
static void advise(const heft_spill *s, const piece *p)
{
    (void)madvise(p->base, p->size, s->end <= s->cached ? MADV_RANDOM : MADV_NORMAL);
}

static void advise_all(const heft_spill *s)
{
    for (size_t c = 0; c < CHAINS; c++)
        for (const piece *p = chains[c]; p; p = p->next)
            if (p->filed && p->home == s) advise(s, p);
}

/* Under the lock: p->base for p->size bytes in the file, zeroed. */
static bool map_filed(heft_spill *s, piece *p)
{
    bool fresh;
    if (s->fd < 0) s->fd = scratch_file(s->folder, failure, sizeof failure);
    const bool cached = s->end <= s->cached;
    if (s->fd < 0 || !find_room(s, p->size, &p->at, &fresh)) return false;
    if (cached && s->end > s->cached) advise_all(s);
    p->base = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, (off_t)p->at);
    if (p->base == MAP_FAILED) {
        give_room(s, p->at, p->size);
        return false;
    }
    /* with pages of 2 MB a touch here and there would bring in the whole array */
    (void)madvise(p->base, p->size, MADV_NOHUGEPAGE);
    advise(s, p);
    if (!fresh) memset(p->base, 0, p->size);
    p->filed = true;
    return true;
}

/* Under the lock. NULL: no memory, or no room in the file. */
static piece *new_piece(heft_spill *s, size_t size, bool rows)
{
    piece *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->home = s;
    p->size = size;
    p->rows = rows;
    const size_t most = plain_most(s, for_rows(s, size, rows));
    bool         done;
    if (size <= most && plain <= most - size) {
        p->base = map_plain(size);
        done = p->base != MAP_FAILED;
        if (done) plain += size;
    } else {
        done = map_filed(s, p);
    }
    if (!done) {
        free(p);
        return NULL;
    }
    enter(p);
    s->n_owners++;
    atomic_fetch_add(&n_pieces, 1);
    return p;
}

/* Under the lock, which is given up. */
static void drop_piece(piece *p)
{
    heft_spill *s = p->home;
    leave(p);
    (void)munmap(p->base, p->size);
    if (!p->filed) plain -= p->size;
    else if (!p->foreign) give_room(s, p->at, p->size);
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
    if (!may_be_ours(base)) return false;
    pthread_mutex_lock(&lock);
    piece *p = find(base);
    if (p) drop_piece(p);
    else pthread_mutex_unlock(&lock);
    return p != NULL;
}

/* True when all of it was read from the file. */
static bool read_filed(int fd, off_t from, char *to, size_t size)
{
    while (size > 0) {
        const ssize_t n = pread(fd, to, size, from);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

void heft_copy_part(void *to, const void *array, size_t at, size_t size)
{
    int   fd = -1;
    off_t from = 0;
    if (may_be_ours(array)) {
        pthread_mutex_lock(&lock);
        const piece *p = find(array);
        if (p && p->filed && !p->foreign) {
            fd = p->home->fd; /* open as long as the array is there */
            from = (off_t)(p->at + at);
        }
        pthread_mutex_unlock(&lock);
    }
    if (fd < 0 || !read_filed(fd, from, to, size)) memcpy(to, (const char *)array + at, size);
}

/* Under the lock: the tail goes back. */
static void shrink(piece *p, size_t size)
{
    const size_t less = p->size - size;
    if (less == 0) return;
    (void)munmap(p->base + size, less);
    if (!p->filed) plain -= less;
    else if (!p->foreign) give_room(p->home, p->at + size, less);
    p->size = size;
}

/* A long copy that does not keep what it has copied. */
static void move_bytes(char *to, char *from, size_t size)
{
    HEFT_KNOWN(from);
    for (size_t at = 0; at < size; at += STEP) {
        const size_t n = size - at < STEP ? size - at : STEP;
        memcpy(to + at, from + at, n);
        heft_spill_valve();
    }
}

/* Plain memory grows where it is, or moves by its pages; true when that was done. Under the lock.
 */
static bool grow_plain(piece *p, size_t size)
{
    heft_spill  *s = p->home;
    const size_t more = size - p->size, most = plain_most(s, for_rows(s, size, p->rows));
    if (p->filed || plain > most || more > most - plain) return false;
    void *base = mremap(p->base, p->size, size, MREMAP_MAYMOVE);
    if (base == MAP_FAILED) return false;
    leave(p);
    p->base = base;
    p->size = size;
    plain += more;
    enter(p);
    return true;
}

bool heft_spill_resize(void *base, size_t bytes, void **out)
{
    if (!may_be_ours(base)) return false;
    pthread_mutex_lock(&lock);
    piece *p = find(base);
    if (!p) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    const size_t size = bytes > PTRDIFF_MAX / 2 ? SIZE_MAX : whole_pages(bytes ? bytes : 1);
    *out = NULL;
    failure[0] = 0;
    if (size <= p->size) shrink(p, size);
    if (size == p->size || (size != SIZE_MAX && grow_plain(p, size))) *out = p->base;
    piece *fresh = *out || size == SIZE_MAX ? NULL : new_piece(p->home, size, p->rows);
    pthread_mutex_unlock(&lock);
    if (!fresh) return true;
    move_bytes(fresh->base, p->base, p->size);
    *out = fresh->base;
    pthread_mutex_lock(&lock);
    drop_piece(p);
    return true;
}
