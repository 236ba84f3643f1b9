/* lower_densities.c - densities of numbers as a graph (graph.h): normals, point masses, normals on
 * rounded numbers, and kernels. A group has the attributes of one kind, so that the nodes do not
 * grow in number with the attributes. */
#include "export/lower.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "export/score_parts.h"

typedef struct group { /* attributes of one kind of density: n, and n x n_kept of each number */
    size_t  n, *attr;
    double *mean, *sd, *weight, *constant, *half;
    double *precision; /* n */
} group;

static heft_status find_group(heft_lowering *w, heft_term_kind kind, group *to)
{
    const size_t K = w->n_kept;
    *to = (group){0};
    SCRATCH(to->attr, w->t->n_attr);
    for (size_t j = 0; j < w->t->n_attr; j++)
        if (w->t->attr[j].kind == kind) to->attr[to->n++] = j;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, to->n * K, to->mean, to->sd, to->weight, to->constant,
                to->half);
    SCRATCH(to->precision, to->n);
    for (size_t m = 0; m < to->n; m++) {
        const heft_lik *lik = w->t->attr[to->attr[m]].lik;
        to->precision[m] = lik->precision;
        if (lik->mean)
            for (size_t k = 0; k < K; k++) {
                to->mean[m * K + k] = lik->mean[w->kept[k]];
                to->sd[m * K + k] = lik->sd[w->kept[k]];
                to->weight[m * K + k] = heft_density_weight(w->t, to->attr[m], w->kept[k]);
            }
    }
    return HEFT_OK;
}

/* Numbers of a group, which are often all the same. */
static size_t of_group(heft_lowering *w, const group *from, const double *x)
{
    bool same = true;
    for (size_t k = 1; k < from->n * w->n_kept; k++) same &= x[k] == x[0];
    if (same) return heft_node_number(w, x[0]);
    return heft_node_constant(w, x, from->n, w->n_kept);
}

/* Adds heft_term_lines of densities [n, n_kept]: times weights, unless these are NULL; 0 for
 * missing numbers x; in sparse rows, less what a zero adds. */
static heft_status add_densities(heft_lowering *w, const group *from, size_t x, size_t line,
                                 const double *weight, heft_term_lines *to)
{
    bool    plain = true;
    double *zero;
    if (weight)
        for (size_t k = 0; k < from->n * w->n_kept; k++) plain &= weight[k] == 1;
    if (!plain) line = EACH(w, MUL, line, of_group(w, from, weight));
    if (w->differences) {
        static const size_t one = 1, none = 0;
        const size_t        a = heft_node_columns(w, line, &one, 1),
                     b = heft_node_columns(w, line, &none, 1);
        line = EACH(w, SUB, a, b);
    }
    line = EACH(w, IF_MISSING, x, heft_node_number(w, 0), line);
    if (w->zeros) {
        SCRATCH(zero, from->n * w->C);
        for (size_t m = 0; m < from->n; m++)
            heft_lower_zero_line(w, from->attr[m], zero + m * w->C);
        line = EACH(w, SUB, line, heft_node_constant(w, zero, from->n, w->C));
        line = EACH(w, IF_EQUAL, x, heft_node_number(w, 0), heft_node_number(w, 0), line);
    }
    heft_lower_add_lines(to, w, line, from->attr);
    return HEFT_OK;
}

/* Whether the constants of normal densities follow from 1/sd: their weights are 1. */
static bool constants_follow(const heft_lowering *w, const group *of)
{
    for (size_t k = 0; k < of->n * w->n_kept; k++) {
        const double by_sd = log(of->sd[k]) - HEFT_LOG_TWO_PI_HALF;
        if (of->half[k] != 0.5 || !(fabs(by_sd - of->constant[k]) <= 1e-13 * fmax(1, fabs(by_sd))))
            return false;
    }
    return w->how & HEFT_LOWER_SHORT;
}

/* constant - half ((x - mean) inverse)^2, all weights included. */
static heft_status add_normals(heft_lowering *w, heft_term_lines *to)
{
    const size_t K = w->n_kept;
    group        of;
    size_t       x = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_NORMAL, &of));
    if (of.n == 0) return HEFT_OK;
    for (size_t m = 0; m < of.n; m++)
        for (size_t k = 0; k < K; k++) {
            const heft_normal n = heft_normal_of(w->t, of.attr[m], w->kept[k]);
            of.constant[m * K + k] = n.constant;
            of.mean[m * K + k] = n.mean;
            of.sd[m * K + k] = n.inverse;
            of.half[m * K + k] = n.half;
        }
    HEFT_CHECK(heft_lower_scaled(w, of.attr, of.n, &x));
    const size_t off = EACH(w, SUB, x, of_group(w, &of, of.mean)),
                 inverse = of_group(w, &of, of.sd);
    const size_t z = EACH(w, MUL, off, inverse);
    const size_t far = EACH(w, MUL, of_group(w, &of, of.half), EACH(w, SQUARE, z));
    const size_t constant =
        constants_follow(w, &of)
            ? EACH(w, SUB, EACH(w, LOG, inverse), heft_node_number(w, HEFT_LOG_TWO_PI_HALF))
            : of_group(w, &of, of.constant);
    return add_densities(w, &of, x, EACH(w, SUB, constant, far), NULL, to);
}

/* Normals some of which are point masses: a class whose numbers are all equal has one. */
static heft_status add_points(heft_lowering *w, heft_term_lines *to)
{
    group   of;
    double *at_point;
    size_t  x = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_POINT, &of));
    if (of.n == 0) return HEFT_OK;
    SCRATCH(at_point, of.n * w->n_kept);
    for (size_t k = 0; k < of.n * w->n_kept; k++) {
        const bool point = of.sd[k] == 0;
        at_point[k] = point ? of.mean[k] : (double)NAN;
        of.constant[k] = point ? HEFT_LOG_OFF_POINT : -HEFT_LOG_TWO_PI_HALF - log(of.sd[k]);
        of.half[k] = point ? 0 : 0.5;
        if (point) of.sd[k] = 1;
    }
    HEFT_CHECK(heft_lower_scaled(w, of.attr, of.n, &x));
    const size_t off = EACH(w, SUB, x, of_group(w, &of, of.mean));
    const size_t z = EACH(w, DIV, off, of_group(w, &of, of.sd));
    const size_t far = EACH(w, MUL, of_group(w, &of, of.half), EACH(w, SQUARE, z));
    const size_t line = EACH(w, SUB, of_group(w, &of, of.constant), far);
    const size_t there = of_group(w, &of, at_point), zero = heft_node_number(w, 0);
    return add_densities(w, &of, x, EACH(w, IF_EQUAL, x, there, zero, line), of.weight, to);
}

/* erfc(x) exp(x^2) (1 + 2 x) as a polynomial of (x - 3.75) / (x + 3.75), x >= 0: its Chebyshev
 * series up to degree 26. Relative error 6e-16. */
static const double TAIL[] = {
    1.23751263083782758,     -0.140240598585547018,    0.00358541548546369005,
    0.082276738490151024,    -0.108803930141707455,    0.0923043211601983343,
    -0.0586933985905476187,  0.0283622774215155971,    -0.00974657954761962297,
    0.00175562583242175281,  0.000293713594805707373,  -0.00029015397928986766,
    5.1649407775463988e-5,   2.23839120365506791e-5,   -1.1445049125831309e-5,
    -9.72849582211122029e-7, 1.75344342511063337e-6,   -5.82628107880077709e-8,
    -2.61147023599009552e-7, 2.42897629254887074e-8,   4.09712231527030033e-8,
    -4.38928415998632839e-9, -6.5455602124802673e-9,   5.45715730470468791e-10,
    9.02214970034059036e-10, -3.75315827795962034e-11, -7.33950500852953936e-11,
};
enum { N_TAIL = sizeof TAIL / sizeof *TAIL };

/* exp(-x^2), exact to the last digits: x is split into the nearest multiple of 1/1024, whose
 * square is exact in double precision, and the rest. x is at most 30. */
static size_t bell(heft_lowering *w, size_t x)
{
    const size_t steps = EACH(w, ROUND, EACH(w, MUL, x, heft_node_number(w, 1024)));
    const size_t near = EACH(w, DIV, steps, heft_node_number(w, 1024));
    const size_t rest = EACH(w, MUL, EACH(w, SUB, near, x), EACH(w, ADD, near, x));
    const size_t most = EACH(w, SUB, heft_node_number(w, 0), EACH(w, MUL, near, near));
    return EACH(w, MUL, EACH(w, EXP, most), EACH(w, EXP, rest));
}

/* P(Z > z) of a standard normal. */
static size_t upper_tail(heft_lowering *w, size_t z)
{
    if (!(w->how & HEFT_LOWER_NO_TAIL)) return EACH(w, TAIL, z);
    const size_t size = EACH(w, MUL, EACH(w, ABS, z), heft_node_number(w, 0.70710678118654752440));
    const size_t x = EACH(w, MIN, size, heft_node_number(w, 30)); /* erfc is 0 there */
    const size_t below = EACH(w, SUB, x, heft_node_number(w, 3.75));
    const size_t t = EACH(w, DIV, below, EACH(w, ADD, x, heft_node_number(w, 3.75)));
    size_t       p = EACH(w, MUL, t, heft_node_number(w, TAIL[N_TAIL - 1]));
    for (size_t k = N_TAIL - 2; k > 0; k--)
        p = EACH(w, MUL, EACH(w, ADD, p, heft_node_number(w, TAIL[k])), t);
    p = EACH(w, ADD, p, heft_node_number(w, TAIL[0]));
    p = EACH(w, DIV, p,
             EACH(w, ADD, EACH(w, MUL, x, heft_node_number(w, 2)), heft_node_number(w, 1)));
    p = EACH(w, MUL, EACH(w, MUL, p, bell(w, x)), heft_node_number(w, 0.5));
    return EACH(w, IF_LESS, z, heft_node_number(w, 0), EACH(w, SUB, heft_node_number(w, 1), p), p);
}

/* The mass of a normal between x - precision/2 and x + precision/2, x a multiple of precision. */
static heft_status add_rounded(heft_lowering *w, heft_term_lines *to)
{
    group   of;
    double *half;
    size_t  x = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_ROUNDED, &of));
    if (of.n == 0) return HEFT_OK;
    SCRATCH(half, of.n);
    for (size_t m = 0; m < of.n; m++) half[m] = of.precision[m] / 2;
    HEFT_CHECK(heft_lower_scaled(w, of.attr, of.n, &x));
    const size_t q = heft_node_constant(w, of.precision, of.n, 1),
                 step = heft_node_constant(w, half, of.n, 1);
    const size_t mean = of_group(w, &of, of.mean), sd = of_group(w, &of, of.sd);
    const size_t whole = EACH(w, MUL, EACH(w, ROUND, EACH(w, DIV, x, q)), q);
    const size_t near =
        EACH(w, IF_LESS, heft_node_number(w, DBL_MAX), EACH(w, ABS, whole), x, whole);
    const size_t d = EACH(w, SUB, near, mean), zero = heft_node_number(w, 0);
    const size_t lo = EACH(w, DIV, EACH(w, SUB, d, step), sd);
    const size_t hi = EACH(w, DIV, EACH(w, ADD, d, step), sd);
    const size_t from = EACH(w, IF_LESS, zero, lo, lo, EACH(w, SUB, zero, hi));
    const size_t end = EACH(w, IF_LESS, zero, lo, hi, EACH(w, SUB, zero, lo));
    const size_t mass = EACH(w, SUB, upper_tail(w, from), upper_tail(w, end));
    const size_t line = EACH(w, LOG, EACH(w, MAX, mass, heft_node_number(w, 1e-75)));
    return add_densities(w, &of, x, line, of.weight, to);
}

/* Kernel densities without the operator: a row for each point of each class. */
static heft_status spell_kernels(heft_lowering *w, size_t x, const heft_kernel_rule *rule, size_t n,
                                 size_t *out)
{
    const size_t K = w->t->n_class;
    size_t      *row, *of;
    SCRATCH(row, n);
    for (size_t m = 0; m < n; m++) {
        size_t *one;
        SCRATCH(of, K);
        SCRATCH(one, 1);
        *one = m;
        const size_t own = heft_node_pick(w, x, one, 1);
        for (size_t c = 0; c < K; c++) {
            const heft_kernel_rule *r = &rule[m * K + c];
            of[c] = heft_node_number(w, 0);
            if (r->n == 0) continue;
            const size_t off = EACH(w, SUB, own, heft_node_constant(w, r->point, r->n, 1));
            const size_t z = EACH(w, SQUARE, EACH(w, DIV, off, heft_node_number(w, r->width)));
            const size_t far = EACH(w, MUL, z, heft_node_number(w, 0.5));
            const size_t all = heft_node_log_sum(
                w, EACH(w, SUB, heft_node_constant(w, r->log_mass, r->n, 1), far));
            of[c] = EACH(w, SUB, all, heft_node_number(w, HEFT_LOG_TWO_PI_HALF + log(r->width)));
        }
        row[m] = heft_node_turn(w, heft_node_join(w, of, K));
    }
    *out = heft_node_join(w, row, n);
    return HEFT_OK;
}

/* Classes without points get the mean of the others, given their densities: [n, n_class]. */
static heft_status fill_kernels(heft_lowering *w, const heft_kernel_rule *rule, size_t n,
                                size_t *line)
{
    const size_t K = w->t->n_class;
    double      *empty, *known;
    bool         some = false;
    HEFT_TABLE(w->ctx, &w->ctx->scratch, empty, n, K);
    SCRATCH(known, n);
    for (size_t k = 0; k < n * K; k++) {
        empty[k] = rule[k].n == 0;
        known[k / K] += rule[k].n > 0;
        some |= rule[k].n == 0;
    }
    if (!some) return HEFT_OK;
    const size_t all = heft_node_turn(w, heft_node_sum(w, heft_node_turn(w, *line), NULL));
    const size_t mean = EACH(w, DIV, all, heft_node_constant(w, known, n, 1));
    *line =
        EACH(w, IF_EQUAL, heft_node_constant(w, empty, n, K), heft_node_number(w, 1), mean, *line);
    return HEFT_OK;
}

/* Kernel densities of a group. They are those of all classes first, for the means of fill_kernels.
 */
static heft_status add_kernel_group(heft_lowering *w, const group *of, const heft_kernel_rule *rule,
                                    heft_term_lines *to)
{
    const size_t K = w->t->n_class;
    size_t       x = 0, line = 0;
    HEFT_CHECK(heft_lower_scaled(w, of->attr, of->n, &x));
    if (w->how & HEFT_LOWER_NO_KERNEL) HEFT_CHECK(spell_kernels(w, x, rule, of->n, &line));
    else
        line = heft_node_add(
            w, (heft_graph_node){HEFT_OP_KERNEL, of->n, K, .n_in = 1, .in = {x}, .rule = rule});
    HEFT_CHECK(fill_kernels(w, rule, of->n, &line));
    if (w->n_kept < K) line = heft_node_columns(w, line, w->kept, w->n_kept);
    return add_densities(w, of, x, line, of->weight, to);
}

/* Kernel densities, in groups of HEFT_KERNELS at most: databases limit the columns of a step. */
static heft_status add_kernels(heft_lowering *w, heft_term_lines *to)
{
    const size_t      K = w->t->n_class, most = K < HEFT_KERNELS ? HEFT_KERNELS / K : 1;
    group             of;
    heft_kernel_rule *rule;
    size_t            n = 0;
    HEFT_CHECK(find_group(w, HEFT_TERM_KERNEL, &of));
    HEFT_TABLE(w->ctx, &w->ctx->scratch, rule, of.n, K);
    for (size_t m = 0; m < of.n; m++) {
        const heft_lik *lik = w->t->attr[of.attr[m]].lik;
        if (lik->start[K] == 0) continue; /* no number was observed */
        for (size_t c = 0; c < K; c++) {
            const size_t at = lik->start[c];
            rule[n * K + c] = (heft_kernel_rule){lik->start[c + 1] - at, lik->point + at,
                                                 lik->log_mass + at, lik->width[c]};
        }
        for (size_t k = 0; k < w->n_kept; k++)
            of.weight[n * w->n_kept + k] = heft_density_weight(w->t, of.attr[m], w->kept[k]);
        of.attr[n++] = of.attr[m];
    }
    for (size_t m = 0; m < n; m += most) {
        const group some = {.n = n - m < most ? n - m : most,
                            .attr = of.attr + m,
                            .weight = of.weight + m * w->n_kept};
        HEFT_CHECK(add_kernel_group(w, &some, rule + m * K, to));
    }
    return HEFT_OK;
}

heft_status heft_lower_densities(heft_lowering *w, heft_term_lines *to)
{
    HEFT_CHECK(add_normals(w, to));
    HEFT_CHECK(add_points(w, to));
    HEFT_CHECK(add_rounded(w, to));
    return add_kernels(w, to);
}
