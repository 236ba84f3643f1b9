/* heft_host.h - how the library reports to the program that uses it: heft_runtime.host.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_HOST_H
#define HEFT_HOST_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum heft_level { HEFT_WARNING = 0, HEFT_INFO = 1, HEFT_DETAIL = 2 } heft_level;

/* Any function may be NULL. They may be called from a worker thread, but log and progress never
 * from two threads at the same time. */
struct heft_host {
    size_t size;
    void (*log)(void *user, heft_level level, const char *text);
    /* what: the work, and after a colon how far it is, as in "learning: round 180, held-out loss
     * 0.3124"; done: 0 to 1, an estimate where the amount of work is not known. */
    void (*progress)(void *user, const char *what, double done);
    bool (*cancelled)(void *user); /* true: stop; the call returns HEFT_ECANCELLED */
    void *user;
};

/* A `cancelled` function for a flag: `user` points to an int, and any value but 0 cancels. Another
 * thread or a signal handler may set it. */
HEFT_API bool heft_flag_raised(void *user);

/* How messages name settings: .discretize = "mdl" for users of this interface, --discretize mdl for
 * those of the program, discretize='mdl' for those of the Python package. It holds for the whole
 * process. A front end chooses once, before other calls; another choice later is safe at any time,
 * and counts for messages that are made after it (heft_method_info.prepare keeps the syntax of its
 * first use). */
typedef enum heft_syntax {
    HEFT_SYNTAX_C = 0, /* the default */
    HEFT_SYNTAX_PROGRAM = 1,
    HEFT_SYNTAX_PYTHON = 2
} heft_syntax;
HEFT_API void heft_set_message_syntax(heft_syntax syntax);

#ifdef __cplusplus
}
#endif
#endif
