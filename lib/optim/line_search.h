/* line_search.h - a step along a direction of descent, after Moré and Thuente, Line Search
 * Algorithms with Guaranteed Sufficient Decrease, 1994. For the minimisers of this folder.
 *
 * With phi(t) = f(x + t d), the search ends at a step t with the strong Wolfe conditions
 *
 *   phi(t) <= phi(0) + 1e-3 t phi'(0)    and    |phi'(t)| <= 0.9 |phi'(0)|
 *
 * or at the longest step allowed if f still falls there. If the interval becomes
 * too narrow, the search ends at a step that is lower than the start. The search does not evaluate
 * the function itself: the caller evaluates phi at `step`, passes the value and slope to
 * heft_line_next, and repeats this until the answer is not HEFT_LINE_TRY. */
#pragma once

#include <stdbool.h>

typedef struct heft_line_point { /* a step with the value and the slope there */
    double step, f, slope;
} heft_line_point;

typedef enum heft_line_answer {
    HEFT_LINE_TRY,    /* the caller must evaluate phi at `step` */
    HEFT_LINE_ACCEPT, /* the point just passed is the result; f has not risen */
    HEFT_LINE_FAIL,   /* no step that lowers f was found */
} heft_line_answer;

typedef struct heft_line {
    double          step;            /* step to try next */
    heft_line_point start, low, end; /* `low` is the lowest point; `end` the other end */
    bool            bracketed;       /* `end` is set: a minimum lies between `low` and `end` */
    bool            entered;         /* the second stage of the search has begun */
    double          least, most;     /* range of the next step */
    double          limit;           /* longest step of the whole search */
    double          width[2];        /* width of the interval, now and before the last step */
    int             tries;
} heft_line;

/* Begin a search with phi(0) = f and phi'(0) = slope < 0. The first step to try is `step`; no step
 * is longer than `limit`. */
void heft_line_begin(heft_line *line, double f, double slope, double step, double limit);
/* Continue after phi was evaluated at line->step; the numbers of `at` must be finite. */
heft_line_answer heft_line_next(heft_line *line, const heft_line_point *at);
/* Returns a point to pass to heft_line_next if the function has no finite value at line->step. It
 * is never accepted, and makes the next step a tenth of this one. */
heft_line_point heft_line_undefined(const heft_line *line);

/* Returns the minimum of the cubic that has the values and slopes of a and b, as a fraction of the
 * way from a to b; NaN if the cubic has no minimum. */
double heft_cubic_least(const heft_line_point *a, const heft_line_point *b);
