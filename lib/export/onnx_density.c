/* onnx_density.c - densities of numbers as nodes of an ONNX graph. */
#include <math.h>

#include "export/onnx_terms.h"
#include "export/score_parts.h"

typedef struct group { /* the attributes of one kind of density: n, and n x K of each number */
    size_t   n;
    size_t  *term;
    int64_t *column;
    double  *mean, *sd, *weight, *constant, *half;
    double  *precision; /* n */
} group;

/* Finds the next attributes of the kind from *next on, as many as go into one part; *next is set
 * behind them. */
static heft_status find_group(heft_onnx_walk *w, heft_term_kind kind, size_t *next, group *to)
{
    const size_t n_attr = w->t->n_attr, K = w->K;
    heft_arena  *arena = &w->ctx->scratch;
    *to = (group){0};
    HEFT_ALLOC(w->ctx, arena, to->term, n_attr);
    for (; *next < n_attr && to->n < heft_onnx_part(w); ++*next)
        if (w->t->attr[*next].kind == kind) to->term[to->n++] = *next;
    HEFT_ALLOCS(w->ctx, arena, to->n, to->column, to->precision);
    HEFT_ALLOCS(w->ctx, arena, to->n * K, to->mean, to->sd, to->weight, to->constant, to->half);
    for (size_t m = 0; m < to->n; m++) {
        const size_t    j = to->term[m];
        const heft_lik *lik = w->t->attr[j].lik;
        to->column[m] = w->number_of[j];
        to->precision[m] = lik->precision;
        for (size_t c = 0; c < K; c++) {
            to->mean[m * K + c] = lik->mean[c];
            to->sd[m * K + c] = lik->sd[c];
            to->weight[m * K + c] = heft_density_weight(w->t, j, c);
        }
    }
    return HEFT_OK;
}

/* A constant of the group: n x K. */
static heft_onnx_value of_group(heft_onnx_walk *w, const group *from, const double *x)
{
    return heft_onnx_doubles(w->g, x, from->n, w->K);
}

/* The numbers of the group: [N, n, 1]. */
static heft_onnx_value numbers_of(heft_onnx_walk *w, const group *from)
{
    return heft_onnx_unsqueeze(w->g, heft_onnx_columns(w->g, w->numbers, from->column, from->n), 2);
}

/* Replaces the lines of missing numbers by 0. */
static heft_onnx_value unless_missing(heft_onnx_walk *w, heft_onnx_value lines)
{
    const heft_onnx_value none = HEFT_ONNX(w->g, "IsNaN", lines);
    return HEFT_ONNX(w->g, "Where", none, heft_onnx_double(w->g, 0), lines);
}

/* Adds constant - half z^2, with z at most 1e140. */
static heft_onnx_value normal_lines(heft_onnx_walk *w, const group *from, heft_onnx_value z)
{
    heft_onnx            *g = w->g;
    const heft_onnx_value near = HEFT_ONNX(g, "Min", z, heft_onnx_double(g, 1e140));
    const heft_onnx_value square = HEFT_ONNX(g, "Mul", near, near);
    const heft_onnx_value off = HEFT_ONNX(g, "Mul", of_group(w, from, from->half), square);
    return HEFT_ONNX(g, "Sub", of_group(w, from, from->constant), off);
}

static heft_status add_normals(heft_onnx_walk *w, size_t *next)
{
    heft_onnx   *g = w->g;
    const size_t K = w->K;
    group        of;
    HEFT_CHECK(find_group(w, HEFT_TERM_NORMAL, next, &of));
    if (of.n == 0) return HEFT_OK;
    for (size_t m = 0; m < of.n; m++)
        for (size_t c = 0; c < K; c++) {
            const heft_normal n = heft_normal_of(w->t, of.term[m], c);
            of.constant[m * K + c] = n.constant;
            of.mean[m * K + c] = n.mean;
            of.sd[m * K + c] = n.inverse;
            of.half[m * K + c] = n.half;
        }
    const heft_onnx_value off = HEFT_ONNX(g, "Sub", numbers_of(w, &of), of_group(w, &of, of.mean));
    const heft_onnx_value z =
        HEFT_ONNX(g, "Mul", HEFT_ONNX(g, "Abs", off), of_group(w, &of, of.sd));
    return heft_onnx_add(w, unless_missing(w, normal_lines(w, &of, z)), of.term, of.n);
}

/* Adds densities some of which are point masses: a class whose numbers are all equal has one. */
static heft_status add_points(heft_onnx_walk *w, size_t *next)
{
    heft_onnx *g = w->g;
    group      of;
    double    *at_point;
    HEFT_CHECK(find_group(w, HEFT_TERM_POINT, next, &of));
    if (of.n == 0) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, at_point, of.n * w->K);
    for (size_t k = 0; k < of.n * w->K; k++) {
        const bool point = of.sd[k] == 0;
        at_point[k] = point ? of.mean[k] : (double)NAN;
        of.constant[k] =
            of.weight[k] * (point ? HEFT_LOG_OFF_POINT : -HEFT_LOG_TWO_PI_HALF - log(of.sd[k]));
        of.half[k] = point ? 0 : 0.5 * of.weight[k];
        if (point) of.sd[k] = 1;
    }
    const heft_onnx_value x = numbers_of(w, &of);
    const heft_onnx_value off = HEFT_ONNX(g, "Sub", x, of_group(w, &of, of.mean));
    const heft_onnx_value z =
        HEFT_ONNX(g, "Div", HEFT_ONNX(g, "Abs", off), of_group(w, &of, of.sd));
    const heft_onnx_value lines = normal_lines(w, &of, z);
    const heft_onnx_value there = HEFT_ONNX(g, "Equal", x, of_group(w, &of, at_point));
    const heft_onnx_value all = HEFT_ONNX(g, "Where", there, heft_onnx_double(g, 0), lines);
    return heft_onnx_add(w, unless_missing(w, all), of.term, of.n);
}

/* ---- rounded numbers ---- */

/* erfc(x) exp(x^2) (1 + 2 x) as a polynomial of (x - 3.75) / (x + 3.75), x >= 0: its Chebyshev
 * series up to degree 26. Relative error 6e-16. ONNX has erf, in single precision. */
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

static heft_onnx_value plus(heft_onnx *g, heft_onnx_value x, double y)
{
    return HEFT_ONNX(g, "Add", x, heft_onnx_double(g, y));
}

static heft_onnx_value times(heft_onnx *g, heft_onnx_value x, double y)
{
    return HEFT_ONNX(g, "Mul", x, heft_onnx_double(g, y));
}

/* Adds exp(-x^2), exact to the last digits: x is split into a single-precision part, whose square
 * is exact in double precision, and the rest. */
static heft_onnx_value bell(heft_onnx *g, heft_onnx_value x)
{
    const heft_onnx_value near =
        heft_onnx_cast(g, heft_onnx_cast(g, x, HEFT_ONNX_FLOAT), HEFT_ONNX_DOUBLE);
    const heft_onnx_value rest =
        HEFT_ONNX(g, "Mul", HEFT_ONNX(g, "Sub", near, x), HEFT_ONNX(g, "Add", near, x));
    const heft_onnx_value most = HEFT_ONNX(g, "Neg", HEFT_ONNX(g, "Mul", near, near));
    return HEFT_ONNX(g, "Mul", HEFT_ONNX(g, "Exp", most), HEFT_ONNX(g, "Exp", rest));
}

/* P(Z > z) of a standard normal. */
static heft_onnx_value upper_tail(heft_onnx *g, heft_onnx_value z)
{
    const heft_onnx_value size = times(g, HEFT_ONNX(g, "Abs", z), 0.70710678118654752440);
    const heft_onnx_value x = HEFT_ONNX(g, "Min", size, heft_onnx_double(g, 30)); /* erfc is 0 */
    const heft_onnx_value t = HEFT_ONNX(g, "Div", plus(g, x, -3.75), plus(g, x, 3.75));
    heft_onnx_value       sum = times(g, t, TAIL[N_TAIL - 1]);
    for (size_t k = N_TAIL - 2; k > 0; k--) sum = HEFT_ONNX(g, "Mul", plus(g, sum, TAIL[k]), t);
    sum = plus(g, sum, TAIL[0]);
    sum = HEFT_ONNX(g, "Div", sum, plus(g, times(g, x, 2), 1));
    sum = times(g, HEFT_ONNX(g, "Mul", sum, bell(g, x)), 0.5);
    const heft_onnx_value below = HEFT_ONNX(g, "Less", z, heft_onnx_double(g, 0));
    const heft_onnx_value other = HEFT_ONNX(g, "Sub", heft_onnx_double(g, 1), sum);
    return HEFT_ONNX(g, "Where", below, other, sum);
}

/* The mass of a normal between x - precision/2 and x + precision/2, x a multiple of precision. */
static heft_status add_rounded(heft_onnx_walk *w, size_t *next)
{
    heft_onnx *g = w->g;
    group      of;
    double    *half;
    HEFT_CHECK(find_group(w, HEFT_TERM_ROUNDED, next, &of));
    if (of.n == 0) return HEFT_OK;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, half, of.n);
    for (size_t m = 0; m < of.n; m++) half[m] = of.precision[m] / 2;
    const heft_onnx_value x = numbers_of(w, &of);
    const heft_onnx_value q = heft_onnx_doubles(g, of.precision, of.n, 1);
    const heft_onnx_value step = heft_onnx_doubles(g, half, of.n, 1);
    const heft_onnx_value mean = of_group(w, &of, of.mean), sd = of_group(w, &of, of.sd);
    const heft_onnx_value whole = HEFT_ONNX(g, "Round", HEFT_ONNX(g, "Div", x, q));
    const heft_onnx_value near = HEFT_ONNX(g, "Mul", whole, q);
    const heft_onnx_value huge = HEFT_ONNX(g, "IsInf", near);
    const heft_onnx_value d = HEFT_ONNX(g, "Sub", HEFT_ONNX(g, "Where", huge, x, near), mean);
    const heft_onnx_value lo = HEFT_ONNX(g, "Div", HEFT_ONNX(g, "Sub", d, step), sd);
    const heft_onnx_value hi = HEFT_ONNX(g, "Div", HEFT_ONNX(g, "Add", d, step), sd);
    const heft_onnx_value above = HEFT_ONNX(g, "Greater", lo, heft_onnx_double(g, 0));
    const heft_onnx_value from = HEFT_ONNX(g, "Where", above, lo, HEFT_ONNX(g, "Neg", hi));
    const heft_onnx_value to = HEFT_ONNX(g, "Where", above, hi, HEFT_ONNX(g, "Neg", lo));
    const heft_onnx_value mass = HEFT_ONNX(g, "Sub", upper_tail(g, from), upper_tail(g, to));
    const heft_onnx_value least = HEFT_ONNX(g, "Max", mass, heft_onnx_double(g, 1e-75));
    const heft_onnx_value lines =
        HEFT_ONNX(g, "Mul", HEFT_ONNX(g, "Log", least), of_group(w, &of, of.weight));
    const heft_onnx_value none = HEFT_ONNX(g, "IsNaN", x);
    return heft_onnx_add(w, HEFT_ONNX(g, "Where", none, heft_onnx_double(g, 0), lines), of.term,
                         of.n);
}

/* ---- kernels ---- */

/* log sum exp over the points of each class that has some: [N, classes]. Shorter lists are filled
 * up with points of no mass. */
static heft_status kernel_sums(heft_onnx_walk *w, size_t j, heft_onnx_value x, const size_t *class,
                               size_t n, heft_onnx_value *out)
{
    heft_onnx      *g = w->g;
    const heft_lik *lik = w->t->attr[j].lik;
    size_t          most = 0;
    double         *point, *mass, *width, *constant;
    for (size_t k = 0; k < n; k++) {
        const size_t points = lik->start[class[k] + 1] - lik->start[class[k]];
        if (points > most) most = points;
    }
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n * most, point, mass);
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, width, constant);
    for (size_t k = 0; k < n; k++) {
        const size_t first = lik->start[class[k]], points = lik->start[class[k] + 1] - first;
        width[k] = lik->width[class[k]];
        constant[k] = HEFT_LOG_TWO_PI_HALF + log(width[k]);
        for (size_t m = 0; m < most; m++) {
            point[k * most + m] = lik->point[first + (m < points ? m : 0)];
            mass[k * most + m] = m < points ? lik->log_mass[first + m] : -(double)INFINITY;
        }
    }
    const heft_onnx_value off = HEFT_ONNX(g, "Sub", x, heft_onnx_doubles(g, point, n, most));
    const heft_onnx_value far =
        HEFT_ONNX(g, "Div", HEFT_ONNX(g, "Abs", off), heft_onnx_doubles(g, width, n, 1));
    const heft_onnx_value z = HEFT_ONNX(g, "Min", far, heft_onnx_double(g, 1e140));
    const heft_onnx_value square = HEFT_ONNX(g, "Mul", times(g, z, 0.5), z);
    const heft_onnx_value each = HEFT_ONNX(g, "Sub", heft_onnx_doubles(g, mass, n, most), square);
    heft_onnx_set_ints(g, "axes", (const int64_t[]){2}, 1);
    const heft_onnx_value top = HEFT_ONNX(g, "ReduceMax", each);
    const heft_onnx_value part = HEFT_ONNX(g, "Exp", HEFT_ONNX(g, "Sub", each, top));
    const heft_onnx_value rest = HEFT_ONNX(g, "Log", heft_onnx_sum(g, part, 2));
    const heft_onnx_value best =
        heft_onnx_sum(g, top, 2); /* the axis has length 1, and the sum drops it */
    *out =
        HEFT_ONNX(g, "Sub", HEFT_ONNX(g, "Add", best, rest), heft_onnx_doubles(g, constant, n, 0));
    return HEFT_OK;
}

/* Adds a kernel density. A class without points has the mean of the others. */
static heft_status add_kernel(heft_onnx_walk *w, size_t j)
{
    heft_onnx      *g = w->g;
    const heft_lik *lik = w->t->attr[j].lik;
    const size_t    K = w->K;
    size_t          n = 0, *class;
    double         *mix; /* n x K */
    heft_onnx_value sums = 0;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, class, K);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, mix, K * K);
    for (size_t c = 0; c < K; c++)
        if (lik->start[c + 1] > lik->start[c]) class[n++] = c;
    if (n == 0) return HEFT_OK;
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < K; c++) {
            const bool has = lik->start[c + 1] > lik->start[c];
            mix[k * K + c] =
                heft_density_weight(w->t, j, c) * (has ? class[k] == c : 1 / (double)n);
        }
    const heft_onnx_value cell = heft_onnx_columns(g, w->numbers, &w->number_of[j], 1);
    HEFT_CHECK(kernel_sums(w, j, heft_onnx_unsqueeze(g, cell, 2), class, n, &sums));
    const heft_onnx_value lines = HEFT_ONNX(g, "MatMul", sums, heft_onnx_doubles(g, mix, n, K));
    const heft_onnx_value none = HEFT_ONNX(g, "IsNaN", cell);
    const heft_onnx_value known = HEFT_ONNX(g, "Where", none, heft_onnx_double(g, 0), lines);
    return heft_onnx_add(w, heft_onnx_unsqueeze(g, known, 1), &j, 1);
}

heft_status heft_onnx_densities(heft_onnx_walk *w)
{
    static heft_status (*const kinds[])(heft_onnx_walk *, size_t *) = {add_normals, add_points,
                                                                       add_rounded};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t next = 0; next < w->t->n_attr;) HEFT_CHECK(kinds[k](w, &next));
    for (size_t j = 0; j < w->t->n_attr; j++)
        if (w->t->attr[j].kind == HEFT_TERM_KERNEL) HEFT_CHECK(add_kernel(w, j));
    return HEFT_OK;
}
