/* io.h - all access to files: thin calls over the system's; tests can make the n-th fail.
 *
 * They return what the system does, -1 and errno on failure, but an interrupted call (EINTR) is
 * begun again. Reads and writes may be short. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

int     heft_io_open(const char *path, int flags, mode_t mode); /* O_CLOEXEC is added */
ssize_t heft_io_read(int fd, void *to, size_t n);
ssize_t heft_io_read_at(int fd, void *to, size_t n, off_t place);
ssize_t heft_io_write(int fd, const void *from, size_t n);
off_t   heft_io_seek(int fd, off_t to, int whence);
int     heft_io_sync(int fd);  /* 0 also where the file is of a kind that cannot be flushed */
void    heft_io_send(int fd);  /* what is written begins its way to the disk; never fails */
int     heft_io_close(int fd); /* the file is closed whatever is returned */
int     heft_io_rename(const char *from, const char *to);
/* A file of no name in a folder, gone when it is closed unless heft_io_link gives it a name that
 * nothing has (EEXIST). -1 where the system has no such thing. */
int heft_io_nameless(const char *folder, mode_t mode);
int heft_io_link(int fd, const char *path);

/* For tests: the n-th call from now fails with the error `code` (and all after it when `sticky`); a
 * code of 0 lets it read or write a single byte. n == 0: no faults. */
void   heft_fail_io_at(size_t n, int code, bool sticky);
size_t heft_io_count(void);
