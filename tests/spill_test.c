/* spill_test.c - large arrays under a limit on memory: what they hold, where they live, and what
 * happens when the scratch file cannot be had or filled. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/ctx.h"
#include "base/rows.h"

static const size_t MB = (size_t)1 << 20;

static heft_ctx ctx;

static int begin(void **state)
{
    (void)state;
    heft_ctx_init(&ctx, &err, 2, 1, NULL);
    OK(heft_ctx_limit(&ctx, 32 * MB));
    return 0;
}

static int end(void **state)
{
    (void)state;
    heft_ctx_clear(&ctx);
    return 0;
}

#define LIMITED(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* Kilobytes of a line such as VmRSS in /proc/self/status. */
static size_t status_of(const char *what)
{
    char   line[256];
    size_t found = 0;
    FILE  *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, what, strlen(what)) == 0) found = strtoul(line + strlen(what), NULL, 10);
    if (f) fclose(f);
    return found;
}

static uint32_t value(size_t i)
{
    return (uint32_t)(i * 2654435761u);
}

static void fill(uint32_t *p, size_t from, size_t to)
{
    HEFT_RANGE (i, from, to) p[i] = value(i);
}

static void check(const uint32_t *p, size_t n)
{
    HEFT_ROWS (i, n) {
        if (p[i] != value(i)) fail_msg("item %zu of %zu is %u", i, n, p[i]);
    }
}

/* Arrays of four times the limit keep what is written to them, and the process stays below. */
static void arrays_keep_their_content(void **state)
{
    enum { N = 8 };
    const size_t each = 4 * MB; /* of 4 bytes */
    uint32_t    *p[N];
    (void)state;
    const size_t before = status_of("VmRSS:");
    for (size_t k = 0; k < N; k++) {
        p[k] = heft_alloc0(each, sizeof *p[k]);
        assert_non_null(p[k]);
        assert_int_equal(p[k][each - 1], 0);
        fill(p[k], 0, each);
    }
    for (size_t k = 0; k < N; k++) check(p[k], each);
    const size_t after = status_of("VmHWM:");
    for (size_t k = 0; k < N; k++) heft_free(p[k]);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(after < before + 40 * 1024);
#endif
    (void)before, (void)after;
}

/* From small to large and back, through plain memory and the file: nothing is lost. */
static void arrays_grow_and_shrink(void **state)
{
    size_t    n = 1000;
    uint32_t *p = heft_alloc(n, sizeof *p), *other = NULL;
    (void)state;
    fill(p, 0, n);
    while (n < 10 * MB) {
        const size_t more = n + n / 2;
        p = heft_resize(p, more, sizeof *p);
        assert_non_null(p);
        check(p, n);
        fill(p, n, more);
        n = more;
        if (!other && n > MB) other = heft_alloc0(MB, sizeof *other); /* in the way */
    }
    for (; n > 1000; n /= 3) {
        p = heft_resize(p, n, sizeof *p);
        assert_non_null(p);
        check(p, n);
    }
    for (size_t i = 0; i < MB; i++) assert_int_equal(other[i], 0);
    heft_free(p);
    heft_free(other);
}

/* Room that was used before reads as zeros when it is handed out again. */
static void room_is_used_again(void **state)
{
    uint32_t *keep = heft_alloc(4 * MB, sizeof *keep);
    (void)state;
    for (int turn = 0; turn < 6; turn++) {
        const size_t n = (size_t)(turn % 3 + 1) * MB;
        uint32_t    *a = heft_alloc0(n, sizeof *a), *b = heft_alloc0(2 * n, sizeof *b);
        for (size_t i = 0; i < n; i++) assert_int_equal(a[i] | b[i] | b[n + i], 0);
        fill(a, 0, n);
        fill(b, 0, 2 * n);
        heft_free(turn % 2 ? a : b);
        heft_free(turn % 2 ? b : a);
    }
    heft_free(keep);
}

/* A copy without mapping: of plain memory, of arrays in the file, of what is no array of ours. */
static void copies_are_the_same(void **state)
{
    enum { N = 3 };
    const size_t each[N] = {1000, MB / 2, 8 * MB};
    uint32_t     out[777];
    (void)state;
    for (size_t k = 0; k < N; k++) {
        uint32_t *p = heft_alloc_rows(each[k], sizeof *p);
        assert_non_null(p);
        fill(p, 0, each[k]);
        for (size_t at = 0; at + 777 <= each[k]; at += each[k] / 3) {
            heft_copy_part(out, p, at * sizeof *p, sizeof out);
            for (size_t i = 0; i < 777 && at + i < each[k]; i++)
                assert_int_equal(out[i], value(at + i));
        }
        heft_free(p);
    }
}

/* Scratch memory is zeroed however often it is used again. */
static void arenas_are_zeroed(void **state)
{
    heft_arena arena = {0};
    (void)state;
    for (size_t turn = 0; turn < 4; turn++) {
        const heft_mark mark = heft_arena_mark(&arena);
        for (size_t k = 1; k <= 3; k++) {
            const size_t n = k * (MB / 3 + turn);
            uint32_t    *p = heft_arena_alloc(&arena, n, sizeof *p);
            assert_non_null(p);
            for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
            fill(p, 0, n);
        }
        if (turn != 2) heft_arena_rewind(&arena, mark);
    }
    heft_arena_clear(&arena);
}

/* What a call made under a limit may be used and freed after it, by anyone. */
static void arrays_outlive_the_call(void **state)
{
    heft_ctx c;
    (void)state;
    heft_ctx_init(&c, &err, 1, 1, NULL);
    OK(heft_ctx_limit(&c, 32 * MB));
    uint32_t *p = heft_alloc(16 * MB, sizeof *p);
    heft_ctx_clear(&c);
    assert_null(heft_spill_current());
    fill(p, 0, 16 * MB);
    check(p, 16 * MB);
    heft_free(p);
    p = heft_alloc(MB, sizeof *p); /* plain again */
    heft_free(p);
}

typedef struct sums {
    const uint32_t *p;
    uint32_t       *copies[4];
} sums;

static void add_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    for (size_t i = lo; i < hi; i++) acc[0] += ((const uint32_t *)arg)[i];
}

static heft_status copy_all(heft_ctx *task, void *arg, size_t k)
{
    heft_status st = HEFT_OK;
    sums       *s = arg;
    HEFT_HEAP(task, s->copies[k], 4 * MB);
    HEFT_ROWS (i, 4 * MB) s->copies[k][i] = s->p[i];
done:
    return st;
}

/* Tasks on other threads work under the caller's limit; sums have the bits they have without. */
static void tasks_share_the_limit(void **state)
{
    const size_t n = 4 * MB;
    sums         s = {0};
    double       limited, plain;
    uint32_t    *p = heft_alloc(n, sizeof *p);
    (void)state;
    fill(p, 0, n);
    s.p = p;
    OK(heft_run(&ctx, 4, copy_all, &s));
    for (size_t k = 0; k < 4; k++) check(s.copies[k], n);
    OK(heft_sum_rows(&ctx, n, 1, add_rows, s.copies[3], &limited));
    heft_spill *spill = heft_spill_swap(NULL);
    uint32_t   *q = heft_alloc(n, sizeof *q);
    for (size_t i = 0; i < n; i++) q[i] = p[i];
    OK(heft_sum_rows(&ctx, n, 1, add_rows, q, &plain));
    (void)heft_spill_swap(spill);
    assert_true(limited == plain);
    for (size_t k = 0; k < 4; k++) heft_free(s.copies[k]);
    heft_free(p);
    heft_free(q);
}

/* A forked child reads the arrays of its parent and writes its own elsewhere. */
static void forks_do_not_mix(void **state)
{
    const size_t n = 8 * MB;
    uint32_t    *p = heft_alloc(n, sizeof *p);
    int          status;
    (void)state;
    fill(p, 0, n);
    const pid_t child = fork();
    if (child == 0) {
        uint32_t *q = heft_alloc(n, sizeof *q);
        bool      good = q != NULL;
        for (size_t i = 0; good && i < n; i++) q[i] = ~value(i);
        for (size_t i = 0; good && i < n; i++) good = q[i] == ~value(i) && p[i] == value(i);
        heft_free(p);
        heft_free(q);
        _exit(good ? 0 : 1);
    }
    uint32_t *r = heft_alloc0(n, sizeof *r);
    assert_non_null(r);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check(p, n);
    for (size_t i = 0; i < n; i++) assert_int_equal(r[i], 0);
    heft_free(p);
    heft_free(r);
}

/* No place for a scratch file, or no file left to write: a sentence that says so. */
static void bad_folders_are_refused(void **state)
{
    heft_ctx c;
    (void)state;
    heft_ctx_init(&c, &err, 1, 1, NULL);
    c.folder = "/no/such/folder";
    assert_int_equal(heft_ctx_limit(&c, 64 * MB), HEFT_EIO);
    assert_non_null(strstr(err.text, "cannot create a scratch file in /no/such/folder"));
    assert_non_null(strstr(err.text, "heft_runtime.scratch"));
    c.folder = "/proc/self/status";
    assert_int_equal(heft_ctx_limit(&c, 64 * MB), HEFT_EIO);
    c.folder = NULL;
    assert_int_equal(heft_ctx_limit(&c, 1 * MB), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "use 32M or more"));
    heft_ctx_clear(&c);
}

/* A file that may not grow: the allocation fails with the reason, what is there stays whole, and
 * no signal is sent. */
static void full_disk_is_an_error(void **state)
{
    struct rlimit before, small;
    uint32_t     *p = heft_alloc(4 * MB, sizeof *p); /* beyond what is plain */
    (void)state;
    assert_non_null(p);
    fill(p, 0, 4 * MB);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 20 * MB;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_null(heft_alloc(4 * MB, 4));
    assert_int_equal(heft_no_memory(&ctx, 4 * MB, 4), HEFT_ENOMEM);
    assert_non_null(strstr(err.text, "the scratch file in "));
    assert_non_null(strstr(err.text, "free some space there"));
    assert_null(heft_resize(p, 8 * MB, sizeof *p));
    setrlimit(RLIMIT_FSIZE, &before);
    check(p, 4 * MB);
    assert_null(heft_alloc(SIZE_MAX / 2, 1)); /* no fault of the file's */
    assert_int_equal(heft_no_memory(&ctx, 7, 1), HEFT_ENOMEM);
    assert_null(strstr(err.text, "scratch"));
    assert_non_null(strstr(err.text, "a machine with more memory"));
    heft_free(p);
}

/* Without a limit there is something else to try. */
static void without_a_limit_one_is_proposed(void **state)
{
    heft_ctx c;
    (void)state;
    heft_ctx_init(&c, &err, 1, 1, NULL);
    assert_int_equal(heft_no_memory(&c, 7, 1), HEFT_ENOMEM);
    assert_string_equal(err.text,
                        "out of memory: 7 bytes could not be allocated (use fewer rows or "
                        "attributes, or heft_runtime.memory to keep data in a scratch file)");
    heft_ctx_clear(&c);
}

/* The scratch file has no name: nothing is in the folder while it is in use. */
static void nothing_is_left_behind(void **state)
{
    char     folder[] = "/tmp/heft-spill-XXXXXX";
    heft_ctx c;
    (void)state;
    assert_non_null(mkdtemp(folder));
    heft_ctx_init(&c, &err, 1, 1, NULL);
    c.folder = folder;
    OK(heft_ctx_limit(&c, 32 * MB));
    uint32_t *p = heft_alloc(16 * MB, sizeof *p);
    fill(p, 0, 16 * MB);
    assert_int_equal(rmdir(folder), 0); /* works on an empty one only */
    check(p, 16 * MB);
    heft_free(p);
    heft_ctx_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED(arrays_keep_their_content),
        LIMITED(arrays_grow_and_shrink),
        LIMITED(copies_are_the_same),
        LIMITED(arenas_are_zeroed),
        LIMITED(room_is_used_again),
        cmocka_unit_test(arrays_outlive_the_call),
        LIMITED(tasks_share_the_limit),
        LIMITED(forks_do_not_mix),
        cmocka_unit_test(bad_folders_are_refused),
        LIMITED(full_disk_is_an_error),
        cmocka_unit_test(without_a_limit_one_is_proposed),
        cmocka_unit_test(nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
