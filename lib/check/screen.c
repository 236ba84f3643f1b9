/* screen.c - a cheap look at a few hundred rows: may this column by itself tell the class? Only the
 * columns for which it may are looked at more closely before training. */
#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "check/columns.h"

enum { ROWS = 300, PIECES = 10, MOST_CELLS = 4096, WIDE = 200 };

typedef struct drawn {
    double  x;
    uint8_t group;
} drawn;

static void sort_drawn(drawn *v, size_t n) /* shell sort: n is small */
{
    static const size_t gaps[] = {132, 57, 23, 10, 4, 1};
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++)
        for (size_t i = gaps[k]; i < n; i++) {
            const drawn one = v[i];
            size_t      at = i;
            for (; at >= gaps[k] && v[at - gaps[k]].x > one.x; at -= gaps[k])
                v[at] = v[at - gaps[k]];
            v[at] = one;
        }
}

/* Counts the rows that are in the most frequent group of their line. */
static size_t in_most(const uint16_t *cell, size_t n_lines, size_t n_group)
{
    size_t sum = 0;
    for (size_t k = 0; k < n_lines; k++) {
        uint16_t most = 0;
        for (size_t g = 0; g < n_group; g++)
            most = cell[k * n_group + g] > most ? cell[k * n_group + g] : most;
        sum += most;
    }
    return sum;
}

/* Counts the rows that are wrong in intervals cut where the class changes, and the changes
 * themselves. */
static size_t changes(const drawn *v, size_t n)
{
    size_t  sum = 0;
    uint8_t before = v[0].group;
    for (size_t lo = 0, hi; lo < n; lo = hi) { /* equal numbers */
        uint16_t count[HEFT_CHECK_GROUPS] = {0};
        uint8_t  most = v[lo].group;
        for (hi = lo; hi < n && v[hi].x == v[lo].x; hi++)
            if (++count[v[hi].group] > count[most]) most = v[hi].group;
        sum += hi - lo - count[most] + (lo > 0 && most != before);
        before = most;
    }
    return sum;
}

bool heft_screen_column(const heft_column_scan *l, size_t j)
{
    const heft_table  *t = l->table;
    const heft_column *col = &t->cols[j];
    const size_t       G = l->check->classes.n_group, step = t->n_rows / ROWS + 1;
    const size_t       n_values = col->dict ? heft_dict_size(col->dict) : 0;
    const size_t       n_lines = col->dict ? n_values + 1 : PIECES + 1;
    drawn              v[ROWS];
    uint16_t           cell[MOST_CELLS], all[HEFT_CHECK_GROUPS] = {0};
    size_t             n = 0;
    if (n_lines * G > MOST_CELLS || G < 2) return false;
    if (t->n_cols > WIDE && t->n_rows < 10 * ROWS)
        return false; /* a closer look would cost as much as reading the table */
    memset(cell, 0, n_lines * G * sizeof *cell);
    for (size_t i = 0; i < t->n_rows && n < ROWS; i += step) {
        const uint8_t g = heft_group_of(l, i);
        heft_release_pages();
        if (g == HEFT_NO_GROUP) continue;
        v[n].group = g;
        v[n].x =
            col->dict ? heft_code_at(col->cells, col->width, i) : ((const double *)col->cells)[i];
        if (isnan(v[n].x)) v[n].x = -INFINITY;
        all[g]++;
        n++;
    }
    if (!col->dict) sort_drawn(v, n);
    for (size_t k = 0, line = 0; k < n; k++) {
        if (col->dict) line = (size_t)v[k].x;
        else if (k * PIECES / n > line && v[k].x != v[k - 1].x) line++;
        cell[line * G + v[k].group]++;
    }
    const size_t right = in_most(cell, n_lines, G), usual = in_most(all, 1, G);
    if (n < 20 || usual == n) return false;
    /* most of the rows that the most frequent class gets wrong are right here */
    if ((double)(right - usual) >= 0.75 * (double)(n - usual)) return true;
    size_t present = 0;
    for (size_t g = 0; g < G; g++) present += all[g] > 0;
    return !col->dict &&
           (double)changes(v, n) <= 0.25 * (double)(n - usual) + (double)(present - 1);
}
