/* io.h - all access to files: thin wrappers of system calls, of which tests can make the n-th fail.
 *
 * They return what the system call returns, -1 with errno set on failure, but repeat an interrupted
 * call (EINTR). Reads and writes may be short. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

int     heft_io_open(const char *path, int flags, mode_t mode); /* O_CLOEXEC is added */
ssize_t heft_io_read(int fd, void *to, size_t n);
ssize_t heft_io_read_at(int fd, void *to, size_t n, off_t place);
ssize_t heft_io_write(int fd, const void *from, size_t n);
off_t   heft_io_seek(int fd, off_t to, int whence);
int     heft_io_sync(int fd);  /* returns 0 also for files that cannot be flushed */
void    heft_io_send(int fd);  /* starts writing to the disk without waiting; never fails */
int     heft_io_close(int fd); /* the file is closed whatever is returned */
int     heft_io_rename(const char *from, const char *to);
/* Opens a file without a name in a folder. It is deleted when it is closed, unless heft_io_link has
 * given it a name; that fails with EEXIST if the name is taken. Returns -1 if the system does not
 * support such files. */
int heft_io_nameless(const char *folder, mode_t mode);
int heft_io_link(int fd, const char *path);

/* For tests: the n-th call from now fails with the error `code` (and all after it when `sticky`); a
 * code of 0 lets it read or write a single byte. With n == 0 no call fails. */
void   heft_fail_io_at(size_t n, int code, bool sticky);
size_t heft_io_count(void);
