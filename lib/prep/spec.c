/* spec.c - the words of --impute, --discretize, --scale and --unseen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/setting_words.h"
#include "base/text.h"
#include "prep/prep.h"

enum { FEWEST_BINS = 2, MOST_BINS = 65535 };

typedef struct choice {
    const char *option;
    size_t      n;
    const char *words[5];
} choice;

static const choice CUTTING = {"discretize", 5, {"none", "width", "frequency", "mdl", "presence"}};
static const choice SCALING = {"scale", 4, {"none", "minmax", "unit", "range"}};
static const choice IMPUTE = {"impute", 2, {"none", "mean"}};
static const choice UNSEEN = {"unseen", 2, {"missing", "zero"}};

static heft_status refuse(heft_ctx *ctx, const choice *c, const char *given)
{
    return heft_setting_refuse(ctx, c->option, given);
}

/* *out = which of the words `given` is, up to the colon where numbers follow; NULL keeps *out. */
static heft_status choose(heft_ctx *ctx, const choice *c, const char *given, size_t *out)
{
    if (!given) return HEFT_OK;
    const size_t length = c == &CUTTING ? strcspn(given, ":") : strlen(given);
    for (size_t k = 0; k < c->n; k++)
        if (strlen(c->words[k]) == length && memcmp(c->words[k], given, length) == 0) {
            *out = k;
            return HEFT_OK;
        }
    return refuse(ctx, c, given);
}

static heft_status parse_cutting(heft_ctx *ctx, const char *given, heft_prep_spec *out)
{
    const size_t length = strcspn(given, ":");
    const char  *number = given[length] ? given + length + 1 : NULL;
    size_t       k = HEFT_CUT_NONE;
    double       x = 1;
    char         shown[96];
    HEFT_CHECK(choose(ctx, &CUTTING, given, &k));
    out->cutting = (heft_cutting)k;
    if (k == HEFT_CUT_NONE || k == HEFT_CUT_PRESENCE)
        return number ? refuse(ctx, &CUTTING, given) : HEFT_OK;
    const bool read =
        number && heft_parse_double(number, number + strlen(number), &x) == HEFT_NUM_OK;
    heft_show(shown, sizeof shown, given, strlen(given), 60);
    if (k == HEFT_CUT_MDL) {
        if (number && (!read || !(x > 0)))
            return heft_fail(
                ctx, HEFT_EINVAL,
                "{discretize}: '%s' needs a number above 0 as its scale, such as mdl:0.6", shown);
        out->mdl_scale = x;
        return HEFT_OK;
    }
    if (!read || x != floor(x) || x < FEWEST_BINS || x > MOST_BINS)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "{discretize}: '%s' needs a number of bins from %d to %d, such as width:10", shown,
            FEWEST_BINS, MOST_BINS);
    out->bins = (size_t)x;
    return HEFT_OK;
}

heft_status heft_prep_parse(heft_ctx *ctx, const heft_config *config, const heft_prep_spec *base,
                            heft_prep_spec *out)
{
    heft_prep_spec spec = *base;
    size_t         impute = spec.impute, scaling = spec.scaling, unseen = spec.unseen_zero;
    HEFT_CHECK(choose(ctx, &IMPUTE, config->impute, &impute));
    HEFT_CHECK(choose(ctx, &SCALING, config->scale, &scaling));
    HEFT_CHECK(choose(ctx, &UNSEEN, config->unseen, &unseen));
    if (config->discretize) HEFT_CHECK(parse_cutting(ctx, config->discretize, &spec));
    spec.impute = impute == 1;
    spec.scaling = (heft_scaling)scaling;
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
    snprintf(out->discretize, sizeof out->discretize, "%s%s", CUTTING.words[spec->cutting], number);
    out->impute = IMPUTE.words[spec->impute];
    out->scale = SCALING.words[spec->scaling];
    out->unseen = UNSEEN.words[spec->unseen_zero];
}
