/* kernel.c - sums of normal kernels in bounded time. */
#include "model/kernel.h"

#include <math.h>

enum { TERMS = 28, LEAST_POINTS = 8 };

static const double FARTHEST = 12; /* largest distance, in units of h, at which a box is
                                      summed by its series */

struct heft_kernel_box {
    size_t first, end; /* points first .. end - 1 are in the box */
    double centre;
    double coefficient[TERMS];
};

/* The end of the box that begins at point `first`: it has the points within h/2 of it. */
static size_t box_end(const heft_kernel *k, size_t first)
{
    const double most = k->point[first] + k->h / 2;
    size_t       end = first + 1;
    while (end < k->n && k->point[end] <= most) end++;
    return end;
}

static void expand(const heft_kernel *k, heft_kernel_box *box)
{
    box->centre = k->point[box->first] + k->h / 4;
    for (size_t i = box->first; i < box->end; i++) {
        const double v = (k->point[i] - box->centre) / k->h;
        double       term = exp(k->log_mass[i] - 0.5 * v * v);
        for (int t = 0; t < TERMS; t++) {
            box->coefficient[t] += term;
            term *= v / (t + 1);
        }
    }
}

heft_status heft_kernel_seal(heft_ctx *ctx, heft_arena *arena, heft_kernel *k)
{
    size_t n = 0;
    for (size_t i = 0, end; i < k->n; i = end) {
        end = box_end(k, i);
        n += end - i >= LEAST_POINTS;
    }
    if (!n) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, k->box, n);
    for (size_t i = 0, end; i < k->n; i = end) {
        end = box_end(k, i);
        if (end - i < LEAST_POINTS) continue;
        heft_kernel_box *box = &k->box[k->n_boxes++];
        box->first = i;
        box->end = end;
        expand(k, box);
    }
    return HEFT_OK;
}

/* The first of the points lo..hi-1 that is at least x + limit, where limit < 0, or above x + limit
 * otherwise; hi where there is none. */
static size_t border(const heft_kernel *k, size_t lo, size_t hi, double x, double limit)
{
    const bool left = limit < 0;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const double d = k->point[mid] - x;
        if (left ? d < limit : d <= limit) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

static double box_sum(const heft_kernel *k, const heft_kernel_box *box, double x, double best)
{
    const double u = (x - box->centre) / k->h;
    double       sum = box->coefficient[TERMS - 1];
    for (int t = TERMS - 2; t >= 0; t--) sum = sum * u + box->coefficient[t];
    return sum * exp(-0.5 * u * u - best);
}

/* The first box that begins at point `at` or later. */
static size_t next_box(const heft_kernel *k, size_t at)
{
    size_t lo = 0, hi = k->n_boxes;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (k->box[mid].first < at) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

double heft_kernel_log_sum(const heft_kernel *k, double x)
{
    const double *point = k->point, h = k->h;
    const size_t  right = border(k, 0, k->n, x, -0x1p-1074); /* the first point at x or above */
    const bool    on_left = right == k->n || (right > 0 && x - point[right - 1] < point[right] - x);
    const size_t  closest = on_left ? right - 1 : right;
    const double  near = fmin(fabs(x - point[closest]) / h, 1e140);
    const double  best = k->log_mass[closest] - 0.5 * near * near;
    /* All points farther than `limit` together have less than e^-45 of the closest one's term. */
    const double limit = sqrt(near * near + 2 * (45 - k->log_mass[closest])) * h;
    size_t       a = border(k, 0, right, x, -limit), b = border(k, right, k->n, x, limit);
    if (a == b) a = closest, b = closest + 1; /* rounding at enormous distances left no point */
    double sum = 0;
    for (size_t i = a, next = next_box(k, a); i < b;) {
        const heft_kernel_box *box = next < k->n_boxes ? &k->box[next] : NULL;
        if (box && box->first == i && box->end <= b && fabs(x - box->centre) <= FARTHEST * h) {
            sum += box_sum(k, box, x, best);
            i = box->end;
            next++;
            continue;
        }
        next += box && box->first == i;
        const double z = fmin(fabs(x - point[i]) / h, 1e140);
        sum += exp(k->log_mass[i] - 0.5 * z * z - best);
        i++;
    }
    return best + log(sum);
}
