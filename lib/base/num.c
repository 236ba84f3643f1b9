/* num.c - log-sum-exp and the logistic pieces. */
#include "base/num.h"

#include <math.h>

double heft_logsumexp(const double *v, size_t n)
{
    double hi = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > hi) hi = v[i];
    if (!isfinite(hi)) return hi; /* all -inf, a +inf, or an empty list */
    for (size_t i = 0; i < n; i++) sum += exp(v[i] - hi);
    return hi + log(sum);
}

double heft_log1pexp(double t)
{
    return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

double heft_sigmoid(double t)
{
    if (t >= 0) return 1 / (1 + exp(-t));
    const double e = exp(t);
    return e / (1 + e);
}

double heft_xlogx(double x)
{
    return x > 0 ? x * log(x) : 0;
}

double heft_softmax(double *v, size_t n)
{
    double hi = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > hi) hi = v[i];
    if (!isfinite(hi)) { /* no class takes part: nothing is known */
        for (size_t i = 0; i < n; i++) v[i] = 1 / (double)n;
        return hi;
    }
    for (size_t i = 0; i < n; i++) sum += v[i] = exp(v[i] - hi);
    for (size_t i = 0; i < n; i++) v[i] /= sum;
    return hi + log(sum);
}

size_t heft_argmax(const double *v, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (v[i] > v[best] || (isnan(v[best]) && !isnan(v[i]))) best = i;
    return best;
}

bool heft_is_part(const double *part, const double *whole, size_t n)
{
    bool ok = true;
    for (size_t k = 0; k < n; k++)
        ok = ok && part[k] >= 0 && part[k] <= whole[k] * (1 + 1e-9) + 1e-9;
    return ok;
}
