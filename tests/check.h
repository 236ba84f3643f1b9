/* check.h - cmocka with its includes, temporary files, and where the papers' data sets are. */
#ifndef HEFT_TESTS_CHECK_H
#define HEFT_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "heft.h"

/* Fails with the library's sentence when a call does. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        heft_status ok_status = (call);                                                            \
        if (ok_status != HEFT_OK)                                                                  \
            fail_msg("%s: %s (%s)", #call, heft_status_name(ok_status), err.text);                 \
    } while (0)

/* |a - b| <= tol, in doubles; a NaN fails. */
#define NEAR(a, b, tol)                                                                            \
    do {                                                                                           \
        const double near_a = (a), near_b = (b);                                                   \
        if (!(fabs(near_a - near_b) <= (tol)))                                                     \
            fail_msg("%s is %.17g, %s is %.17g", #a, near_a, #b, near_b);                          \
    } while (0)

static inline double largest_difference(const double *a, const double *b, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* Path of a file of the papers' collection, or NULL with a message when it is not at hand. */
static inline const char *data_file(const char *name)
{
    static char path[1024];
    const char *folder = getenv("HEFT_DATA");
    const char *tried[] = {folder, "../shared/data", "../../shared/data", "../../../shared/data",
                           "../../../../shared/data"};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        if (!tried[k]) continue;
        snprintf(path, sizeof path, "%s/%s", tried[k], name);
        if (access(path, R_OK) == 0) return path;
    }
    print_message("skipped: %s is not at hand (set HEFT_DATA to the folder of the data sets)\n",
                  name);
    return NULL;
}

static inline const char *temp_path(const char *ending)
{
    static char path[256];
    static int  n;
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/heft-test-%ld-%d%s", dir ? dir : "/tmp", (long)getpid(), n++,
             ending);
    return path;
}

/* Evaluates with the n-th allocation failing, for n = 1, 2, ... until none is left to fail; before
 * that every end is ENOMEM. */
static inline void every_allocation_fails_at(const heft_table *table, const heft_eval_plan *plan,
                                             void (*fail_at)(size_t n, bool sticky))
{
    heft_status st = HEFT_ENOMEM;
    for (size_t n = 1; st != HEFT_OK; n++) {
        heft_results *results;
        heft_error    err;
        fail_at(n, true);
        st = heft_evaluate(&table, NULL, 1, plan, &results, &err);
        fail_at(0, false);
        if (st == HEFT_OK) heft_results_free(results);
        else assert_int_equal(st, HEFT_ENOMEM);
        if (n == 1) assert_int_equal(st, HEFT_ENOMEM);
    }
}

#endif
