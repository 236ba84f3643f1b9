/* line_search.h - a step along a direction of descent, after Moré and Thuente, Line Search
 * Algorithms with Guaranteed Sufficient Decrease, 1994. For the minimisers of this folder.
 *
 * With phi(t) = f(x + t d), the search ends at a step t with the strong Wolfe conditions
 *
 *   phi(t) <= phi(0) + 1e-3 t phi'(0)    and    |phi'(t)| <= 0.9 |phi'(0)|
 *
 * or at the longest step allowed where f still falls, or, where steps can hardly be told apart any
 * more, at the lowest one met. The caller evaluates: it tries `step`, tells what it found, and goes
 * on until the answer is not HEFT_LINE_TRY. */
#pragma once

#include <stdbool.h>

typedef struct heft_line_point { /* a step with the value and the slope there */
    double step, f, slope;
} heft_line_point;

typedef enum heft_line_answer {
    HEFT_LINE_TRY,    /* evaluate at `step` */
    HEFT_LINE_ACCEPT, /* the probe just told is the answer; f is not above the start's */
    HEFT_LINE_FAIL,   /* no step lowers f */
} heft_line_answer;

typedef struct heft_line {
    double          step;            /* to try next */
    heft_line_point start, low, end; /* low: the lowest so far; a minimum is between it and `end` */
    bool            bracketed;       /* `end` is there */
    bool            entered;         /* f has fallen enough once, where it rises again */
    double          least, most;     /* steps allowed next */
    double          limit;           /* no step is longer */
    double          width[2];        /* width of the interval now and one try before */
    int             tries;
} heft_line;

/* From phi(0) = f and phi'(0) = slope < 0; the first step to try is `step`, the longest `limit`. */
void heft_line_begin(heft_line *line, double f, double slope, double step, double limit);
/* `at` is what was found at line->step, finite. */
heft_line_answer heft_line_next(heft_line *line, const heft_line_point *at);
/* In place of the probe at a step where the function has no finite value: the next step is a tenth
 * of the way to it, and it is not accepted. */
heft_line_point heft_line_undefined(const heft_line *line);

/* Where the cubic through a and b has its least value, as a fraction of the way from a to b; NaN
 * where it has none. */
double heft_cubic_least(const heft_line_point *a, const heft_line_point *b);
