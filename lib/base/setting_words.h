/* setting_words.h - the words that settings (settings.def) accept. */
#pragma once

#include "base/ctx.h"
#include "base/marks.h"

/* *out = which of the setting's words `given` is, counted from 0; NULL keeps *out. A word that is
 * followed by something else, as in width:B or mdl[:SCALE], is found by what stands before the
 * colon, and *rest (may be NULL where no word has a colon) is what follows it, or NULL. Another
 * word is EINVAL, and the message lists those that are known. Where a number must follow and is
 * left out, as in "width", *rest is the empty text, so that the caller can say what it lacks. */
heft_status heft_setting_choose(heft_ctx *ctx, const char *name, const char *given, size_t *out,
                                const char **rest);
/* The message of heft_setting_choose, for a word that is wrong for another reason. */
heft_status heft_setting_refuse(heft_ctx *ctx, const char *name, const char *given);
/* Word number k of the setting, up to a colon; "" past the end. It stays valid. */
const char *heft_setting_word(const char *name, size_t k);
/* Whether `given`, which may be NULL, is word number k of the setting. */
bool heft_setting_is(const char *name, size_t k, const char *given);
/* Whether the setting is part of the preparation, which a model has learned as a whole. */
bool heft_setting_prepares(const char *name);
/* The default of a setting that the list gives a number for. */
double heft_setting_number(const char *name);
