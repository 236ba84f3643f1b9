/* out.c - an output file that is whole or absent.
 *
 * A regular target is written to a new file in the same folder, flushed to the disk and put in its
 * place, keeping the permissions of the file it replaces, but not its set-user-ID and set-group-ID
 * bits, which were given to other contents. Other hard links to that file keep the old contents.
 * The new file has no name until it is whole, where the system can do that, so that a process that
 * is killed leaves nothing behind; else it is called .heft-NUMBER.tmp. Standard output, devices and
 * pipes cannot be replaced and are written directly.
 */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/rng.h"
#include "base/text.h"
#include "heft_stream.h"

enum {
    BUFFER = 256 * 1024,
    LONG = 64 * 1024 /* not worth a copy */,
    SEND = 8 << 20,
    NAME = 32,
    TRIES = 100
};

struct heft_out {
    int    fd;
    bool   close;  /* false for standard output */
    char  *target; /* path as the caller wrote it, for messages */
    char  *place;  /* path of the target after following links */
    char  *beside; /* space for the name of the temporary file */
    bool   named;  /* whether the temporary file has that name and must be removed */
    bool   direct; /* whether the target itself is written, because it cannot be replaced */
    char  *data;   /* buffer of BUFFER bytes */
    size_t used;   /* number of bytes in the buffer that are not written yet */
    size_t unsent; /* bytes written whose way to the disk has not begun */
};

#define SHOW(text, length) HEFT_SHOW_PART(text, length, 240)

static heft_status out_fail(heft_ctx *ctx, const char *path, const char *what, int code)
{
    if (strcmp(path, "-") == 0) path = "standard output";
    return heft_fail(ctx, HEFT_EIO, "%s: %s: %s", SHOW(path, strlen(path)), what, strerror(code));
}

/* Path of the folder that contains `place`, on the heap. */
static char *folder_of(const char *place)
{
    const char *slash = strrchr(place, '/');
    return slash ? heft_copy_span(place, (size_t)(slash - place) + 1) : heft_copy_text(".");
}

/* Sets out->beside to an unused name in the folder of out->place and gives it to the open file, or
 * to a new file if none is open. Returns false and sets errno on failure. */
static bool name_beside(heft_out *out)
{
    const char     *slash = strrchr(out->place, '/');
    const size_t    folder = slash ? (size_t)(slash - out->place) + 1 : 0;
    const bool      create = out->fd < 0;
    heft_rng        rng;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    heft_rng_init(&rng, (uint64_t)t.tv_nsec + ((uint64_t)t.tv_sec << 30), (uint64_t)getpid());
    memcpy(out->beside, out->place, folder);
    for (int i = 0; i < TRIES && !out->named; i++) {
        snprintf(out->beside + folder, NAME, ".heft-%012llx.tmp",
                 (unsigned long long)(heft_rng_next(&rng) >> 16));
        if (create) out->fd = heft_io_open(out->beside, O_WRONLY | O_CREAT | O_EXCL, 0666);
        out->named = create ? out->fd >= 0 : heft_io_link(out->fd, out->beside) == 0;
        if (!out->named && errno != EEXIST) break;
    }
    return out->named;
}

/* Opens a new temporary file in the folder of out->place. */
static heft_status open_beside(heft_ctx *ctx, heft_out *out)
{
    out->beside = heft_alloc(strlen(out->place) + NAME, 1);
    char *folder = out->beside ? folder_of(out->place) : NULL;
    if (!folder) return heft_no_memory(ctx, strlen(out->place) + NAME, 1);
    out->fd = heft_io_nameless(folder, 0666);
    heft_free(folder);
    if (out->fd >= 0 || name_beside(out)) return HEFT_OK;
    if (errno == ENOENT) {
        const char *slash = strrchr(out->place, '/');
        return heft_fail(ctx, HEFT_EIO, "%s: cannot write: there is no folder '%s' (create it)",
                         SHOW(out->target, strlen(out->target)),
                         SHOW(out->place, slash ? (size_t)(slash - out->place) : 0));
    }
    return out_fail(ctx, out->target, "cannot create a temporary file beside it", errno);
}

/* out->place becomes the path behind all links: a link stays a link. The last one may lead to a
 * file that is not there yet. */
static heft_status follow_links(heft_ctx *ctx, heft_out *out)
{
    enum { MOST_LINKS = 40 };
    char   *real = realpath(out->target, NULL), link[4096];
    ssize_t n = 0;
    out->place = heft_copy_text(real ? real : out->target);
    if (!real)
        for (int k = 0; out->place && (n = readlink(out->place, link, sizeof link)) >= 0; k++) {
            const char  *slash = *link == '/' ? NULL : strrchr(out->place, '/');
            const size_t folder = slash ? (size_t)(slash - out->place) + 1 : 0;
            if (k == MOST_LINKS || n == (ssize_t)sizeof link)
                return out_fail(ctx, out->target, "cannot write", ELOOP);
            char *next = heft_alloc(folder + (size_t)n + 1, 1);
            if (next) {
                memcpy(next, out->place, folder);
                memcpy(next + folder, link, (size_t)n);
                next[folder + (size_t)n] = 0;
            }
            heft_free(out->place);
            out->place = next;
        }
    free(real);
    return out->place ? HEFT_OK : heft_no_memory(ctx, strlen(out->target) + 1, 1);
}

/* Whether the file cannot be replaced, and is written itself: a pipe or a device. */
static bool is_stream(const char *path)
{
    struct stat info;
    /* These names are streams, even where a plain file is open there. Other files below /dev may be
     * plain ones, as in /dev/shm. */
    if (strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
        strncmp(path, "/proc/", 6) == 0)
        return true;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static heft_status open_target(heft_ctx *ctx, heft_out *out)
{
    struct stat info;
    const char *path = out->target;
    if (!*path) return heft_fail(ctx, HEFT_EINVAL, "the name of the output file is empty");
    if (strcmp(path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        out->direct = true;
        return HEFT_OK;
    }
    out->close = true;
    const bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return out_fail(ctx, path, "cannot write (name a file in it)", EISDIR);
    if (is_stream(path)) {
        out->direct = true;
        out->fd = heft_io_open(path, O_WRONLY, 0);
        return out->fd < 0 ? out_fail(ctx, path, "cannot write", errno) : HEFT_OK;
    }
    if (there && access(path, W_OK) != 0) return out_fail(ctx, path, "cannot write", errno);
    HEFT_CHECK(follow_links(ctx, out));
    HEFT_CHECK(open_beside(ctx, out));
    if (there && fchmod(out->fd, info.st_mode & 0777) != 0)
        return out_fail(ctx, path, "cannot set the mode", errno);
    return HEFT_OK;
}

static heft_status write_all(heft_ctx *ctx, heft_out *out, const char *data, size_t length)
{
    while (length > 0) {
        const size_t  most = (size_t)1 << 30;
        const ssize_t n = heft_io_write(out->fd, data, length < most ? length : most);
        if (n < 0) return out_fail(ctx, out->target, "cannot write", errno);
        data += n;
        length -= (size_t)n;
        out->unsent += (size_t)n;
    }
    if (out->direct || out->unsent < SEND) return HEFT_OK;
    heft_io_send(out->fd); /* the commit waits for the rest only */
    out->unsent = 0;
    return HEFT_OK;
}

heft_status heft_out_open(heft_ctx *ctx, const char *path, heft_out **result)
{
    HEFT_OWN(heft_out) *out = NULL;
    *result = NULL;
    HEFT_NEW(ctx, out, 1);
    out->fd = -1;
    out->target = heft_copy_text(path);
    out->data = heft_alloc(BUFFER, 1);
    if (!out->target || !out->data) return heft_no_memory(ctx, BUFFER, 1);
    HEFT_CHECK(open_target(ctx, out));
    *result = out, out = NULL;
    return HEFT_OK;
}

heft_status heft_out_write(heft_ctx *ctx, heft_out *out, const void *data, size_t length)
{
    if (length > BUFFER - out->used || length >= LONG) {
        HEFT_CHECK(write_all(ctx, out, out->data, out->used));
        out->used = 0;
        if (length >= LONG) return write_all(ctx, out, data, length);
    }
    if (length) memcpy(out->data + out->used, data, length);
    out->used += length;
    return HEFT_OK;
}

static heft_status close_out(heft_ctx *ctx, heft_out *out)
{
    const int fd = out->fd;
    out->fd = -1;
    if (!out->close || heft_io_close(fd) == 0) return HEFT_OK;
    return out_fail(ctx, out->target, "cannot write", errno);
}

heft_status heft_out_commit(heft_ctx *ctx, heft_out *out)
{
    heft_status st = HEFT_OK;
    bool        placed = false;
    const char *no_place = "cannot rename the finished file";
    HEFT_TRY(write_all(ctx, out, out->data, out->used));
    if (out->direct) {
        st = close_out(ctx, out);
        goto done;
    }
    if (heft_io_sync(out->fd) != 0) HEFT_TRY(out_fail(ctx, out->target, "cannot write", errno));
    if (!out->named) { /* the file gets the target's name if nothing has that, otherwise another
                          one */
        placed = heft_io_link(out->fd, out->place) == 0;
        if (!placed && (errno != EEXIST || !name_beside(out)))
            HEFT_TRY(out_fail(ctx, out->target, no_place, errno));
    }
    if (placed) {
        (void)close_out(ctx, out); /* the file is complete, flushed and in its place */
        ctx->err->code = HEFT_OK, ctx->err->text[0] = 0;
    } else {
        HEFT_TRY(close_out(ctx, out));
        if (heft_io_rename(out->beside, out->place) != 0)
            HEFT_TRY(out_fail(ctx, out->target, no_place, errno));
        out->named = false; /* the temporary file is the target now */
    }
    /* After a rename the folder itself has to reach the disk; where that cannot be asked for, the
     * file is whole all the same. */
    char     *folder = folder_of(out->place);
    const int fd = folder ? heft_io_open(folder, O_RDONLY, 0) : -1;
    if (fd >= 0) {
        (void)heft_io_sync(fd);
        (void)heft_io_close(fd);
    }
    heft_free(folder);
done:
    heft_out_abandon(out);
    return st;
}

void heft_out_abandon(heft_out *out)
{
    if (!out) return;
    if (out->fd >= 0 && out->close) (void)heft_io_close(out->fd);
    if (out->named) unlink(out->beside);
    heft_free(out->target);
    heft_free(out->place);
    heft_free(out->beside);
    heft_free(out->data);
    heft_free(out);
}

heft_status heft_out_text(heft_ctx *ctx, const char *path, const char *text)
{
    HEFT_OWN(heft_out) *out = NULL;
    HEFT_CHECK(heft_out_open(ctx, path, &out));
    HEFT_CHECK(heft_out_write(ctx, out, text, strlen(text)));
    heft_out *whole = out;
    out = NULL;
    return heft_out_commit(ctx, whole);
}

heft_status heft_out_check(heft_ctx *ctx, const char *path)
{
    HEFT_OWN(heft_out) *out = NULL;
    if (!is_stream(path)) return heft_out_open(ctx, path, &out);
    /* A pipe is opened only once: a reader would see its end. */
    return access(path, W_OK) == 0 ? HEFT_OK : out_fail(ctx, path, "cannot write", errno);
}
