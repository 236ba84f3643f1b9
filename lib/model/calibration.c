/* calibration.c - applies a calibration to scores, or to the terms that add up to them. */
#include "model/calibration.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/setting_words.h"

heft_status heft_calibration_parse(heft_ctx *ctx, const char *word, heft_calibrating *out)
{
    size_t k = HEFT_CALIBRATE_NONE; /* the words are in the order of the enum */
    HEFT_CHECK(heft_setting_choose(ctx, "calibrate", word, &k, NULL));
    *out = (heft_calibrating)k;
    return HEFT_OK;
}

const char *heft_calibration_word(heft_calibrating kind)
{
    return heft_setting_word("calibrate", kind);
}

void heft_calibrate(const heft_calibration *calibration, size_t n, size_t n_class, double *scores)
{
    if (!calibration->scale) return;
    for (size_t i = 0; i < n; i++) {
        double      *s = scores + i * n_class;
        const double all = calibration->kind == HEFT_VECTOR ? heft_logsumexp(s, n_class) : 0;
        for (size_t c = 0; c < n_class; c++)
            if (isfinite(s[c]) && isfinite(all))
                s[c] = calibration->scale[c] * (s[c] - all) + calibration->shift[c];
    }
}

void heft_calibrate_lines(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *lines)
{
    if (!calibration->scale) return;
    for (size_t k = 0; k < n * n_class; k++)
        if (isfinite(lines[k])) lines[k] *= calibration->scale[k % n_class];
}

void heft_calibrate_parts(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *parts, double *room)
{
    if (!calibration->scale) return;
    memset(room, 0, n_class * sizeof *room);
    for (size_t k = 0; k < n * n_class; k++) room[k % n_class] += parts[k];
    const double all = heft_logsumexp(room, n_class);
    heft_calibrate_lines(calibration, n, n_class, parts);
    if (calibration->kind != HEFT_VECTOR || !isfinite(all)) return;
    for (size_t c = 0; c < n_class; c++)
        if (isfinite(parts[c])) parts[c] += calibration->shift[c] - calibration->scale[c] * all;
}
