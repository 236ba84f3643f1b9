/* io.c - the system's calls on files, and faults on demand. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_size_t n_calls;  /* counted only while a fault is planned */
static atomic_size_t fault_at; /* 0: never */
static atomic_int    fault_code;
static atomic_bool   fault_sticky;

typedef enum turn { TURN_PLAIN, TURN_SHORT, TURN_FAIL } turn;

/* What becomes of the call that is about to be made; errno is set where it fails. */
static turn next_turn(void)
{
    const size_t at = atomic_load_explicit(&fault_at, memory_order_relaxed);
    if (at == 0) return TURN_PLAIN;
    const size_t k = atomic_fetch_add(&n_calls, 1) + 1;
    if (k != at && !(k > at && atomic_load(&fault_sticky))) return TURN_PLAIN;
    const int code = atomic_load(&fault_code);
    if (code == 0) return TURN_SHORT;
    errno = code;
    return TURN_FAIL;
}

void heft_fail_io_at(size_t n, int code, bool sticky)
{
    atomic_store(&n_calls, 0);
    atomic_store(&fault_code, code);
    atomic_store(&fault_sticky, sticky);
    atomic_store(&fault_at, n);
}

size_t heft_io_count(void)
{
    return atomic_load(&n_calls);
}

int heft_io_open(const char *path, int flags, mode_t mode)
{
    int fd;
    do fd = next_turn() == TURN_FAIL ? -1 : open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

ssize_t heft_io_read(int fd, void *to, size_t n)
{
    ssize_t got;
    do {
        const turn t = next_turn();
        got = t == TURN_FAIL ? -1 : read(fd, to, t == TURN_SHORT && n ? 1 : n);
    } while (got < 0 && errno == EINTR);
    return got;
}

ssize_t heft_io_write(int fd, const void *from, size_t n)
{
    ssize_t done;
    do {
        const turn t = next_turn();
        done = t == TURN_FAIL ? -1 : write(fd, from, t == TURN_SHORT && n ? 1 : n);
    } while (done < 0 && errno == EINTR);
    return done;
}

off_t heft_io_seek(int fd, off_t to, int whence)
{
    off_t at;
    do at = next_turn() == TURN_FAIL ? -1 : lseek(fd, to, whence);
    while (at < 0 && errno == EINTR);
    return at;
}

int heft_io_sync(int fd)
{
    int st;
    do st = next_turn() == TURN_FAIL ? -1 : fsync(fd);
    while (st != 0 && errno == EINTR);
    return st != 0 && errno == EINVAL ? 0 : st;
}

int heft_io_close(int fd)
{
    const turn t = next_turn();
    const int  code = errno;
    int        st = close(fd);
    if (t == TURN_FAIL) {
        st = -1;
        errno = code;
    }
    return st != 0 && errno == EINTR ? 0 : st; /* closed all the same */
}

int heft_io_rename(const char *from, const char *to)
{
    int st;
    do st = next_turn() == TURN_FAIL ? -1 : rename(from, to);
    while (st != 0 && errno == EINTR);
    return st;
}

int heft_io_nameless(const char *folder, mode_t mode)
{
#ifdef O_TMPFILE
    /* it gets its name through /proc: without that it would be lost */
    if (access("/proc/self/fd", X_OK) == 0) return heft_io_open(folder, O_WRONLY | O_TMPFILE, mode);
#endif
    (void)folder, (void)mode;
    errno = ENOTSUP;
    return -1;
}

int heft_io_link(int fd, const char *path)
{
    char from[64];
    int  st;
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    do
        st = next_turn() == TURN_FAIL ? -1
                                      : linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
    while (st != 0 && errno == EINTR);
    return st;
}
