/* spec.c - the words of --impute, --discretize, --scale and --unseen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "prep/prep.h"

enum { FEWEST_BINS = 2, MOST_BINS = 65535 };

static const char *const cutting_words[] = {"none", "width", "frequency", "mdl", "presence"};
static const char *const scaling_words[] = {"none", "minmax", "unit", "range"};

static heft_status refuse(heft_ctx *ctx, const char *option, const char *given,
                          const char *accepted)
{
    char shown[96];
    return heft_fail(ctx, HEFT_EINVAL, "--%s: '%s' is not one of %s", option,
                     heft_show(shown, sizeof shown, given, strlen(given), 60), accepted);
}

/* Which of the n words the first `length` bytes of text are; n: none of them. */
static size_t word_at(const char *const *words, size_t n, const char *text, size_t length)
{
    for (size_t k = 0; k < n; k++)
        if (strlen(words[k]) == length && memcmp(words[k], text, length) == 0) return k;
    return n;
}

enum { N_CUTTING = sizeof cutting_words / sizeof *cutting_words };

static heft_status parse_bins(heft_ctx *ctx, const char *given, const char *number, size_t *bins)
{
    double x;
    char   shown[96];
    if (!number || heft_parse_double(number, number + strlen(number), &x) != HEFT_NUM_OK ||
        x != floor(x) || x < FEWEST_BINS || x > MOST_BINS)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "--discretize: '%s' needs a number of bins from %d to %d, such as width:10",
            heft_show(shown, sizeof shown, given, strlen(given), 60), FEWEST_BINS, MOST_BINS);
    *bins = (size_t)x;
    return HEFT_OK;
}

static heft_status parse_cutting(heft_ctx *ctx, const char *given, heft_prep_spec *out)
{
    const char  *number = strchr(given, ':');
    const size_t length = number ? (size_t)(number - given) : strlen(given);
    const size_t k = word_at(cutting_words, N_CUTTING, given, length);
    char         shown[96];
    if (number) number++;
    if (k == N_CUTTING || ((k == HEFT_CUT_NONE || k == HEFT_CUT_PRESENCE) && number))
        return refuse(ctx, "discretize", given,
                      "none, width:BINS, frequency:BINS, mdl, mdl:SCALE, presence");
    out->cutting = (heft_cutting)k;
    if (k == HEFT_CUT_WIDTH || k == HEFT_CUT_FREQUENCY)
        return parse_bins(ctx, given, number, &out->bins);
    if (k != HEFT_CUT_MDL) return HEFT_OK;
    out->mdl_scale = 1;
    if (number &&
        (heft_parse_double(number, number + strlen(number), &out->mdl_scale) != HEFT_NUM_OK ||
         !(out->mdl_scale > 0)))
        return heft_fail(ctx, HEFT_EINVAL,
                         "--discretize: '%s' needs a number above 0 as its scale, such as mdl:0.6",
                         heft_show(shown, sizeof shown, given, strlen(given), 60));
    return HEFT_OK;
}

heft_status heft_prep_parse(heft_ctx *ctx, const heft_config *config, const heft_prep_spec *base,
                            heft_prep_spec *out)
{
    heft_prep_spec spec = *base;
    if (config->impute) {
        spec.impute = strcmp(config->impute, "mean") == 0;
        if (!spec.impute && strcmp(config->impute, "none") != 0)
            HEFT_CHECK(refuse(ctx, "impute", config->impute, "none, mean"));
    }
    if (config->scale) {
        const size_t k = word_at(scaling_words, 4, config->scale, strlen(config->scale));
        if (k == 4) HEFT_CHECK(refuse(ctx, "scale", config->scale, "none, minmax, unit, range"));
        spec.scaling = (heft_scaling)k;
    }
    if (config->unseen) {
        spec.unseen_zero = strcmp(config->unseen, "zero") == 0;
        if (!spec.unseen_zero && strcmp(config->unseen, "missing") != 0)
            HEFT_CHECK(refuse(ctx, "unseen", config->unseen, "missing, zero"));
    }
    if (config->discretize) HEFT_CHECK(parse_cutting(ctx, config->discretize, &spec));
    *out = spec;
    return HEFT_OK;
}

void heft_prep_describe(const heft_prep_spec *spec, char *out, size_t size)
{
    char number[40] = "";
    if (spec->cutting == HEFT_CUT_WIDTH || spec->cutting == HEFT_CUT_FREQUENCY)
        snprintf(number, sizeof number, ":%zu", spec->bins);
    if (spec->cutting == HEFT_CUT_MDL && spec->mdl_scale != 1) {
        number[0] = ':';
        heft_format_double(number + 1, spec->mdl_scale);
    }
    snprintf(out, size, "--impute %s --discretize %s%s%s%s%s", spec->impute ? "mean" : "none",
             cutting_words[spec->cutting], number,
             spec->scaling == HEFT_SCALE_NONE ? "" : " --scale ",
             spec->scaling == HEFT_SCALE_NONE ? "" : scaling_words[spec->scaling],
             spec->unseen_zero ? " --unseen zero" : "");
}
