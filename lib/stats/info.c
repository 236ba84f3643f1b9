/* info.c - entropy and information of counts, in natural logarithms. */
#include "stats/info.h"

#include <math.h>

#include "base/num.h"

static const double ROUNDING = 1e-14; /* a sum no larger than this is rounding error */

double heft_entropy(const double *n, size_t size)
{
    double total = 0, sum = 0;
    for (size_t k = 0; k < size; k++) total += n[k];
    if (!(total > 0)) return 0;
    for (size_t k = 0; k < size; k++) sum -= heft_xlogx(n[k] / total);
    return fmax(0, sum);
}

double heft_information(const double *cell, const double *x_sum, const double *y_sum, double total,
                        size_t n_x, size_t n_y, double least)
{
    double sum = 0;
    if (!(total > 0)) return 0;
    for (size_t x = 0; x < n_x; x++)
        for (size_t y = 0; y < n_y; y++) {
            const double joint = cell[x * n_y + y] / total;
            const double apart = x_sum[x] / total * (y_sum[y] / total);
            if (joint > 0 && joint >= least && apart >= least) sum += joint * log(joint / apart);
        }
    return fmax(0, sum);
}

double heft_information_beyond_chance(const double *cell, size_t n_x, size_t n_y)
{
    double by_x = 0, by_cell = 0, by_y = 0, total = 0, q = 0;
    for (size_t x = 0; x < n_x; x++) {
        double n = 0;
        for (size_t y = 0; y < n_y; y++) {
            n += cell[x * n_y + y];
            by_cell += heft_xlogx(cell[x * n_y + y]);
        }
        by_x += heft_xlogx(n);
        total += n;
        q += n > 0;
    }
    for (size_t y = 0; y < n_y; y++) {
        double n = 0;
        for (size_t x = 0; x < n_x; x++) n += cell[x * n_y + y];
        by_y += heft_xlogx(n);
    }
    if (!(total > 0)) return 0;
    const double chance = (q - 1) * ((double)n_y - 1) / (2 * total);
    const double info = (by_cell - by_x - by_y + heft_xlogx(total)) / total - chance;
    return info > 1e-12 ? info : 0; /* a difference this small is rounding error */
}

double heft_information_given(const heft_triple_counts *t, double least)
{
    const size_t n_y = t->n_y;
    const double total = t->total;
    double       sum = 0;
    if (!(total > 0)) return 0;
    for (size_t z = 0; z < t->n_z; z++)
        for (size_t x = 0; x < t->n_x; x++)
            for (size_t y = 0; y < n_y; y++) {
                const double n = t->cell[(z * t->n_x + x) * n_y + y];
                if (!(n > 0)) continue;
                const double joint = n / total;
                const double above = joint * (t->y[y] / total);
                const double below = t->xy[x * n_y + y] / total * (t->zy[z * n_y + y] / total);
                if (above >= least && below >= least) sum += joint * log(above / below);
            }
    return least > 0 && fabs(sum) > ROUNDING ? sum : fmax(0, sum);
}
