/* line_search.c - the line search of Moré and Thuente. It keeps an interval that contains a good
 * step, chooses the next step in it by interpolation, and shrinks it. Numbers in parentheses are
 * those of the paper. */
#include "optim/line_search.h"

#include <math.h>

enum { MOST_TRIES = 20 };

static const double DECREASE = 1e-3, CURVATURE = 0.9; /* mu and eta of conditions (1.1) and (1.2) */
static const double NARROW = 0.1; /* least width of the interval, relative to its longer step */
static const double NEAREST = 1.1, FARTHEST = 4; /* how far a step goes beyond the last (2.2) */
static const double SHRINK = 0.66; /* two steps must shrink the interval at least by this factor */

double heft_cubic_least(const heft_line_point *a, const heft_line_point *b)
{
    const double w = b->step - a->step;
    const double theta = a->slope + b->slope - 3 * (b->f - a->f) / w;
    const double root = theta * theta - a->slope * b->slope;
    if (!isfinite(root) || root <= 0) return NAN;
    const double gamma = w > 0 ? sqrt(root) : -sqrt(root);
    return (gamma - a->slope + theta) / (2 * gamma - a->slope + b->slope);
}

/* Returns the minimum of the parabola through both values with the slope of a, as a fraction of the
 * way from a to b. */
static double parabola_least(const heft_line_point *a, const heft_line_point *b)
{
    const double w = b->step - a->step;
    return a->slope / ((a->f - b->f) / w + a->slope) / 2;
}

/* Returns where the line through both slopes is 0, as a fraction of the way from a to b. */
static double secant_root(const heft_line_point *a, const heft_line_point *b)
{
    return a->slope / (a->slope - b->slope);
}

static double along(const heft_line_point *a, const heft_line_point *b, double fraction)
{
    return a->step + fraction * (b->step - a->step);
}

static bool nearer(double a, double b, double to)
{
    return fabs(a - to) < fabs(b - to);
}

/* Returns the next step in case 3 of Section 4: f is not above the lowest value and still falls,
 * but less steeply. The minimum may be far away. */
static double go_on(const heft_line *line, const heft_line_point *low, const heft_line_point *at)
{
    const double fraction = heft_cubic_least(at, low);
    const double far = at->step > low->step ? line->most : line->least;
    const double cubic = fraction < 0 ? along(at, low, fraction) : far;
    const double secant = along(at, low, secant_root(at, low));
    const bool   take_cubic = nearer(cubic, secant, at->step) == line->bracketed;
    const double step = take_cubic ? cubic : secant;
    if (!line->bracketed) return fmin(fmax(step, line->least), line->most);
    const double most = at->step + SHRINK * (line->end.step - at->step);
    return at->step > low->step ? fmin(step, most) : fmax(step, most);
}

/* Returns the next step by the four cases of Section 4. *bracket is set if a minimum lies between
 * `low` and `at`. */
static double trial(const heft_line *line, const heft_line_point *low, const heft_line_point *end,
                    const heft_line_point *at, bool *bracket)
{
    *bracket = true;
    if (at->f > low->f) {
        const double cubic = along(low, at, heft_cubic_least(low, at));
        const double parabola = along(low, at, parabola_least(low, at));
        return nearer(cubic, parabola, low->step) ? cubic : cubic + (parabola - cubic) / 2;
    }
    if (at->slope * low->slope < 0) {
        const double cubic = along(at, low, heft_cubic_least(at, low));
        const double secant = along(at, low, secant_root(at, low));
        return nearer(cubic, secant, at->step) ? secant : cubic;
    }
    *bracket = false;
    if (fabs(at->slope) < fabs(low->slope)) return go_on(line, low, at);
    if (line->bracketed) return along(at, end, heft_cubic_least(at, end));
    return at->step > low->step ? line->most : line->least;
}

/* Returns the point of the function phi(t) - mu phi'(0) t, which the first stage of the search uses
 * in place of phi (2.1). */
static heft_line_point tilted(const heft_line *line, const heft_line_point *p)
{
    const double slope = DECREASE * line->start.slope;
    return (heft_line_point){p->step, p->f - p->step * slope, p->slope - slope};
}

/* Replace one end of the interval by `at` (Section 2). Returns the next step to try. */
static double move_ends(heft_line *line, const heft_line_point *at, bool enough)
{
    heft_line_point low = line->low, end = line->end, here = *at;
    bool            bracket;
    if (!line->entered && !enough && at->f <= low.f) {
        low = tilted(line, &low);
        end = tilted(line, &end);
        here = tilted(line, &here);
    }
    const double step = trial(line, &low, &end, &here, &bracket);
    if (here.f > low.f) {
        line->end = *at;
    } else {
        if (bracket) line->end = line->low;
        line->low = *at;
    }
    line->bracketed = line->bracketed || bracket;
    return step;
}

/* Whether the interval is too narrow for a better step. */
static bool exhausted(const heft_line *line, double step)
{
    return line->bracketed && (step <= line->least || step >= line->most ||
                               line->most - line->least <= NARROW * line->most);
}

void heft_line_begin(heft_line *line, double f, double slope, double step, double limit)
{
    const heft_line_point start = {0, f, slope};
    *line = (heft_line){.start = start, .low = start, .end = start, .limit = limit};
    line->step = fmin(step, limit);
    line->most = line->step + FARTHEST * line->step;
    line->width[0] = limit;
    line->width[1] = 2 * limit;
}

heft_line_answer heft_line_next(heft_line *line, const heft_line_point *at)
{
    const double fall = DECREASE * line->start.slope;
    const bool   enough = at->f <= line->start.f + at->step * fall;
    if (enough && fabs(at->slope) <= -CURVATURE * line->start.slope) return HEFT_LINE_ACCEPT;
    if (enough && at->slope <= fall && at->step >= line->limit) return HEFT_LINE_ACCEPT;
    if (exhausted(line, at->step))
        return at->step > 0 && at->f < line->start.f ? HEFT_LINE_ACCEPT : HEFT_LINE_FAIL;
    if (++line->tries >= MOST_TRIES) return HEFT_LINE_FAIL;

    if (enough && at->slope >= 0) line->entered = true;
    double step = move_ends(line, at, enough);
    if (line->bracketed) {
        const double width = fabs(line->end.step - line->low.step);
        if (width >= SHRINK * line->width[1] || !isfinite(step))
            step = along(&line->low, &line->end, 0.5);
        line->width[1] = line->width[0];
        line->width[0] = width;
        line->least = fmin(line->low.step, line->end.step);
        line->most = fmax(line->low.step, line->end.step);
    } else {
        line->least = step + NEAREST * (step - line->low.step);
        line->most = step + FARTHEST * (step - line->low.step);
    }
    step = fmin(fmax(step, 0), line->limit);
    line->step = exhausted(line, step) ? line->low.step : step;
    return line->step > 0 ? HEFT_LINE_TRY : HEFT_LINE_FAIL;
}

/* The point is that of a parabola which has the value and slope of phi at 0 and its minimum at a
 * tenth of the step. */
heft_line_point heft_line_undefined(const heft_line *line)
{
    const double slope = line->start.slope;
    return (heft_line_point){line->step, line->start.f - 4 * slope * line->step, -9 * slope};
}
