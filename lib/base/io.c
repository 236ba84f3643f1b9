/* io.c - the system's calls on files, and faults on demand. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"

static heft_fault fault;
static atomic_int fault_code; /* 0: the call reads or writes a single byte */

/* Whether the call that is about to be made fails; errno is set then. */
static bool fails(bool *brief)
{
    const bool due = heft_fault_due(&fault);
    const int  code = due ? atomic_load(&fault_code) : 0;
    if (brief) *brief = due && code == 0;
    if (code) errno = code;
    return code != 0;
}

/* Repeats a call until no signal interrupts it. */
#define AGAIN(result, call)                                                                        \
    do (result) = (call);                                                                          \
    while ((result) < 0 && errno == EINTR)

void heft_fail_io_at(size_t n, int code, bool sticky)
{
    atomic_store(&fault_code, code);
    heft_fault_plan(&fault, n, sticky);
}

size_t heft_io_count(void)
{
    return atomic_load(&fault.n_calls);
}

int heft_io_open(const char *path, int flags, mode_t mode)
{
    int fd;
    AGAIN(fd, fails(NULL) ? -1 : open(path, flags | O_CLOEXEC, mode));
    return fd;
}

ssize_t heft_io_read(int fd, void *to, size_t n)
{
    ssize_t got;
    bool    brief;
    AGAIN(got, fails(&brief) ? -1 : read(fd, to, brief && n ? 1 : n));
    return got;
}

ssize_t heft_io_read_at(int fd, void *to, size_t n, off_t place)
{
    ssize_t got;
    bool    brief;
    AGAIN(got, fails(&brief) ? -1 : pread(fd, to, brief && n ? 1 : n, place));
    return got;
}

ssize_t heft_io_write(int fd, const void *from, size_t n)
{
    ssize_t done;
    bool    brief;
    AGAIN(done, fails(&brief) ? -1 : write(fd, from, brief && n ? 1 : n));
    return done;
}

off_t heft_io_seek(int fd, off_t to, int whence)
{
    off_t at;
    AGAIN(at, fails(NULL) ? -1 : lseek(fd, to, whence));
    return at;
}

int heft_io_sync(int fd)
{
    int st;
    AGAIN(st, fails(NULL) ? -1 : fsync(fd));
    return st != 0 && errno == EINVAL ? 0 : st;
}

void heft_io_send(int fd)
{
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
#endif
}

int heft_io_close(int fd)
{
    const bool failed = fails(NULL);
    const int  code = errno;
    int        st = close(fd);
    if (failed) st = -1, errno = code;
    return st != 0 && errno == EINTR ? 0 : st; /* closed all the same */
}

int heft_io_rename(const char *from, const char *to)
{
    int st;
    AGAIN(st, fails(NULL) ? -1 : rename(from, to));
    return st;
}

int heft_io_nameless(const char *folder, mode_t mode)
{
    /* The file gets its name through /proc; without that it could not be named. */
    if (access("/proc/self/fd", X_OK) == 0) return heft_io_open(folder, O_WRONLY | O_TMPFILE, mode);
    errno = ENOTSUP;
    return -1;
}

int heft_io_link(int fd, const char *path)
{
    char from[64];
    int  st;
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    AGAIN(st, fails(NULL) ? -1 : linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
    return st;
}
