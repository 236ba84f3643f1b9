/* lbfgsb_oracle.c - the routine setulb of liblbfgsb works by reverse communication: it is called
 * again and again with the same arrays, and `task` says what it wants: FG (evaluate at x), NEW_X
 * (an iteration is finished), or why it ended. With factr = 0 it stops by itself only where f does
 * not fall at all. */
#include "lbfgsb_oracle.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_LBFGSB

enum { TEXT = 60 }; /* length of task and csave */

/* gfortran's conventions: everything by address, lengths of character arguments by value at the
 * end (size_t since GCC 8), LOGICAL as wide as INTEGER. */
extern void setulb_(const int *n, const int *m, double *x, const double *l, const double *u,
                    const int *nbd, double *f, double *g, const double *factr, const double *pgtol,
                    double *wa, int *iwa, char *task, const int *iprint, char *csave, int *lsave,
                    int *isave, double *dsave, size_t task_length, size_t csave_length);

bool oracle_is_here(void)
{
    return true;
}

static double slope_within(double x, double g, double lower, double upper)
{
    return fmin(fabs(g), g < 0 ? upper - x : x - lower);
}

heft_status oracle_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                          double *x, heft_minimum *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = problem->n, m = stop->memory;
    const int    n32 = (int)n, m32 = (int)m, silent = -1;
    const double factr = 0;
    double      *at, *best, *g, *l, *u, *wa, f = 0, before = 0, dsave[29];
    int         *nbd, *iwa, lsave[4], isave[44];
    char         task[TEXT], csave[TEXT];
    *out = (heft_minimum){.f = INFINITY};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, at, best, g, l, u, nbd);
    HEFT_ALLOC(ctx, &ctx->scratch, iwa, 3 * n);
    HEFT_ALLOC(ctx, &ctx->scratch, wa, 2 * m * n + 5 * n + 11 * m * m + 8 * m);
    memset(task, ' ', TEXT);
    memcpy(task, "START", 5);
    for (size_t j = 0; j < n; j++) { /* nbd: 0 free, 1 lower, 2 both, 3 upper */
        const double lo = problem->lower ? problem->lower[j] : -INFINITY;
        const double hi = problem->upper ? problem->upper[j] : INFINITY;
        nbd[j] = isfinite(lo) ? (isfinite(hi) ? 2 : 1) : isfinite(hi) ? 3 : 0;
        l[j] = isfinite(lo) ? lo : 0;
        u[j] = isfinite(hi) ? hi : 0;
        at[j] = x[j];
    }
    while (!out->stopped_by && !heft_capped(stop, out)) {
        setulb_(&n32, &m32, at, l, u, nbd, &f, g, &factr, &stop->pg_tol, wa, iwa, task, &silent,
                csave, lsave, isave, dsave, TEXT, TEXT);
        if (strncmp(task, "FG", 2) == 0) {
            HEFT_CHECK(problem->fn(ctx, problem->user, at, &f, g));
            if (out->evaluations++ == 0) before = out->f0 = f;
            if (!isfinite(f)) return heft_fail(ctx, HEFT_ENUMERIC, "the objective is not finite");
            if (f >= out->f) continue;
            out->f = f;
            out->pg_norm = 0;
            memcpy(best, at, n * sizeof *best);
            for (size_t j = 0; j < n; j++)
                out->pg_norm =
                    fmax(out->pg_norm, slope_within(at[j], g[j], nbd[j] % 3 ? l[j] : -INFINITY,
                                                    nbd[j] > 1 ? u[j] : INFINITY));
        } else if (strncmp(task, "NEW_X", 5) == 0) {
            out->iterations++;
            heft_stalled(stop, before, f, out);
            before = f;
        } else {
            out->converged = strncmp(task, "CONV", 4) == 0;
            out->stopped_by = out->converged ? "converged" : "the line search found no lower point";
        }
    }
    memcpy(x, best, n * sizeof *x);
    return HEFT_OK;
}

#else

bool oracle_is_here(void)
{
    return false;
}

heft_status oracle_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                          double *x, heft_minimum *out)
{
    (void)problem, (void)stop, (void)x, (void)out;
    return heft_fail(ctx, HEFT_EUNSUPPORTED, "there is no liblbfgsb");
}

#endif
