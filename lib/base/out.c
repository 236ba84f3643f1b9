/* out.c - an output file that is whole or absent.
 *
 * A regular target is written to a new file in the same folder, flushed to the disk and renamed
 * over it, keeping the mode of the file it replaces. Where the system can, the new file has no name
 * until it is whole, so that even a kill leaves nothing behind. Standard output, devices and pipes
 * cannot be replaced and are written directly. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/text.h"

enum { BUFFER = 256 * 1024 };

struct heft_out {
    int    fd;
    bool   close;  /* false for standard output */
    char  *target; /* as the caller named it, for messages            */
    char  *place;  /* where the bytes end up: links followed          */
    char  *beside; /* the temporary; NULL where the target is written */
    bool   named;  /* the temporary has its name already              */
    char  *data;   /* BUFFER bytes, `used` of them waiting            */
    size_t used;
};

static heft_status out_fail(heft_ctx *ctx, const char *path, const char *what, int code)
{
    char shown[256];
    return heft_fail(ctx, HEFT_EIO, "%s: %s: %s",
                     heft_show(shown, sizeof shown, path, strlen(path), 240), what, strerror(code));
}

static void out_free(heft_out *out)
{
    if (!out) return;
    heft_free(out->target);
    heft_free(out->place);
    heft_free(out->beside);
    heft_free(out->data);
    heft_free(out);
}

/* The file a chain of links leads to, so that the link stays a link. */
static char *follow_links(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = heft_copy_text(real ? real : path);
    free(real);
    return copy;
}

/* What the system hands out under these names is a stream, whatever is behind it. */
static bool is_stream(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* Give the finished file without a name the one in out->beside; false with errno when that fails.
 */
static bool link_name(const heft_out *out)
{
    char open_file[64];
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", out->fd);
    return linkat(AT_FDCWD, open_file, AT_FDCWD, out->beside, AT_SYMLINK_FOLLOW) == 0;
}

static bool open_name(heft_out *out)
{
    out->fd = open(out->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return out->fd >= 0;
}

/* A name in the folder of out->place that is free: out->beside, taken. */
static bool take_name(heft_out *out, size_t folder, size_t size)
{
    enum { TRIES = 100 };
    heft_rng        rng;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    heft_rng_init(&rng, (uint64_t)t.tv_nsec + ((uint64_t)t.tv_sec << 30), (uint64_t)getpid());
    for (int i = 0; i < TRIES; i++) {
        snprintf(out->beside + folder, size - folder, ".heft-%012llx.tmp",
                 (unsigned long long)(heft_rng_next(&rng) >> 16));
        if (out->fd >= 0 ? link_name(out) : open_name(out)) return true;
        if (errno != EEXIST && errno != EINTR) break;
    }
    return false;
}

static size_t folder_length(const char *place)
{
    const char *slash = strrchr(place, '/');
    return slash ? (size_t)(slash - place) + 1 : 0;
}

/* A file in the folder of out->place, without a name where that can be had and given one later. */
static heft_status open_beside(heft_ctx *ctx, heft_out *out)
{
    heft_status  st = HEFT_OK;
    const size_t folder = folder_length(out->place), size = folder + 32;
    HEFT_HEAP(ctx, out->beside, size);
    memcpy(out->beside, out->place, folder);
    if (access("/proc/self/fd", X_OK) == 0)
        out->fd = open(folder ? out->beside : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (out->fd >= 0) goto done;
    out->named = take_name(out, folder, size);
    if (!out->named) {
        st = out_fail(ctx, out->target, "cannot create a file beside it", errno);
        heft_free(out->beside); /* nothing to remove */
        out->beside = NULL;
    }
done:
    return st;
}

static heft_status open_target(heft_ctx *ctx, heft_out *out)
{
    struct stat  info;
    const char  *path = out->target;
    const size_t length = strlen(path);
    if (length == 0) return heft_fail(ctx, HEFT_EINVAL, "the name of the output file is empty");
    if (strcmp(path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        return HEFT_OK;
    }
    out->close = true;
    const bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return out_fail(ctx, path, "cannot write (name a file in it)", EISDIR);
    if (is_stream(path) || (there && !S_ISREG(info.st_mode))) {
        do out->fd = open(path, O_WRONLY | O_CLOEXEC);
        while (out->fd < 0 && errno == EINTR);
        return out->fd < 0 ? out_fail(ctx, path, "cannot write", errno) : HEFT_OK;
    }
    if (there && access(path, W_OK) != 0) return out_fail(ctx, path, "cannot write", errno);
    out->place = follow_links(path);
    if (!out->place) return heft_no_memory(ctx, length + 1, 1);
    const heft_status st = open_beside(ctx, out);
    if (st == HEFT_OK && there && fchmod(out->fd, info.st_mode & 07777) != 0)
        return out_fail(ctx, path, "cannot set the mode", errno);
    return st;
}

static heft_status write_all(heft_ctx *ctx, heft_out *out, const char *data, size_t length)
{
    while (length > 0) {
        const size_t  most = (size_t)1 << 30;
        const ssize_t n = write(out->fd, data, length < most ? length : most);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return out_fail(ctx, out->target, "cannot write", errno);
        data += n;
        length -= (size_t)n;
    }
    return HEFT_OK;
}

static heft_status flush(heft_ctx *ctx, heft_out *out)
{
    const size_t n = out->used;
    out->used = 0;
    return write_all(ctx, out, out->data, n);
}

/* After a rename the folder itself has to reach the disk; where that cannot be asked for, the
 * file is whole all the same. */
static void sync_folder(const char *place)
{
    const char  *slash = strrchr(place, '/');
    const size_t n = slash ? (size_t)(slash - place) + 1 : 0;
    char        *folder = n ? heft_copy_span(place, n) : heft_copy_text(".");
    const int    fd = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    heft_free(folder);
}

heft_status heft_out_open(heft_ctx *ctx, const char *path, heft_out **result)
{
    heft_status st = HEFT_OK;
    heft_out   *out;
    *result = NULL;
    HEFT_HEAP(ctx, out, 1);
    out->fd = -1;
    out->target = heft_copy_text(path);
    out->data = heft_alloc(BUFFER, 1);
    if (!out->target || !out->data) st = heft_no_memory(ctx, BUFFER, 1);
    if (st == HEFT_OK) st = open_target(ctx, out);
    if (st == HEFT_OK) *result = out;
    else heft_out_abandon(out);
done:
    return st;
}

heft_status heft_out_write(heft_ctx *ctx, heft_out *out, const void *data, size_t length)
{
    if (length > BUFFER - out->used) {
        const heft_status st = flush(ctx, out);
        if (st != HEFT_OK) return st;
        if (length >= BUFFER) return write_all(ctx, out, data, length);
    }
    if (length) memcpy(out->data + out->used, data, length);
    out->used += length;
    return HEFT_OK;
}

heft_status heft_out_commit(heft_ctx *ctx, heft_out *out)
{
    heft_status st = HEFT_OK;
    HEFT_TRY(flush(ctx, out));
    if (!out->beside) {
        const int fd = out->fd;
        out->fd = -1;
        if (out->close && close(fd) != 0 && errno != EINTR)
            st = out_fail(ctx, out->target, "cannot write", errno);
        goto done;
    }
    if (fsync(out->fd) != 0 && errno != EINVAL && errno != EINTR) {
        st = out_fail(ctx, out->target, "cannot write", errno);
        goto done;
    }
    const size_t folder = folder_length(out->place);
    if (!out->named && !(out->named = take_name(out, folder, folder + 32))) {
        st = out_fail(ctx, out->target, "cannot create a file beside it", errno);
        goto done;
    }
    const int fd = out->fd;
    out->fd = -1;
    if (close(fd) != 0 && errno != EINTR) {
        st = out_fail(ctx, out->target, "cannot write", errno);
        goto done;
    }
    if (rename(out->beside, out->place) != 0) {
        st = out_fail(ctx, out->target, "cannot put the finished file in its place", errno);
        goto done;
    }
    heft_free(out->beside); /* it is the target now */
    out->beside = NULL;
    sync_folder(out->place);
done:
    heft_out_abandon(out);
    return st;
}

void heft_out_abandon(heft_out *out)
{
    if (!out) return;
    if (out->fd >= 0 && out->close) close(out->fd);
    if (out->beside && out->named) unlink(out->beside);
    out_free(out);
}
