/* spec.c - reading a preparation from the words of a configuration, and writing it as words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/setting_words.h"
#include "base/text.h"
#include "prep/prep.h"

enum { FEWEST_BINS = 2, MOST_BINS = 65535 };

/* The scalings in the order of their words. The last two are in another order than in the enum. As
 * only these two are exchanged, the array also maps a scaling to the index of its word. */
static const heft_scaling SCALINGS[] = {HEFT_SCALE_NONE, HEFT_SCALE_MINMAX, HEFT_SCALE_RANGE,
                                        HEFT_SCALE_UNIT};
_Static_assert(HEFT_SCALE_RANGE == 3 && HEFT_SCALE_UNIT == 2, "SCALINGS is its own inverse");

static heft_status parse_cutting(heft_ctx *ctx, const char *given, heft_prep_spec *out)
{
    const char *number;
    size_t      k = HEFT_CUT_NONE; /* the words are in the order of the enum */
    double      x = 1;
    HEFT_CHECK(heft_setting_choose(ctx, "discretize", given, &k, &number));
    out->cutting = (heft_cutting)k;
    if (k == HEFT_CUT_NONE || k == HEFT_CUT_PRESENCE) return HEFT_OK;
    const bool read =
        number && heft_parse_double(number, number + strlen(number), &x) == HEFT_NUM_OK;
    const char *shown = HEFT_SHOW(given, 60);
    if (k == HEFT_CUT_MDL) {
        if (number && (!read || !(x > 0)))
            return heft_fail(ctx, HEFT_EINVAL,
                             "{discretize}: '%s' needs a number above 0 as its scale, such as "
                             "{discretize=mdl:0.6}",
                             shown);
        out->mdl_scale = x;
        return HEFT_OK;
    }
    if (!read || x != floor(x) || x < FEWEST_BINS || x > MOST_BINS)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "{discretize}: '%s' needs a number of bins from %d to %d, such as {discretize=%s:10}",
            shown, FEWEST_BINS, MOST_BINS, heft_setting_word("discretize", k));
    out->bins = (size_t)x;
    return HEFT_OK;
}

heft_status heft_prep_parse(heft_ctx *ctx, const heft_config *config, const heft_prep_spec *base,
                            heft_prep_spec *out)
{
    heft_prep_spec spec = *base;
    size_t impute = spec.impute, scaling = SCALINGS[spec.scaling], unseen = spec.unseen_zero;
    HEFT_CHECK(heft_setting_choose(ctx, "impute", config->impute, &impute, NULL));
    HEFT_CHECK(heft_setting_choose(ctx, "scale", config->scale, &scaling, NULL));
    HEFT_CHECK(heft_setting_choose(ctx, "unseen", config->unseen, &unseen, NULL));
    if (config->discretize) HEFT_CHECK(parse_cutting(ctx, config->discretize, &spec));
    spec.impute = impute == 1;
    spec.scaling = SCALINGS[scaling];
    spec.unseen_zero = unseen == 1;
    *out = spec;
    return HEFT_OK;
}

void heft_prep_describe(const heft_prep_spec *spec, heft_prep_words *out)
{
    char number[40] = "";
    if (spec->cutting == HEFT_CUT_WIDTH || spec->cutting == HEFT_CUT_FREQUENCY)
        snprintf(number, sizeof number, ":%zu", spec->bins);
    if (spec->cutting == HEFT_CUT_MDL && spec->mdl_scale != 1) {
        number[0] = ':';
        heft_format_double(number + 1, spec->mdl_scale);
    }
    snprintf(out->discretize, sizeof out->discretize, "%s%s",
             heft_setting_word("discretize", spec->cutting), number);
    out->impute = heft_setting_word("impute", spec->impute);
    out->scale = heft_setting_word("scale", SCALINGS[spec->scaling]);
    out->unseen = heft_setting_word("unseen", spec->unseen_zero);
}
