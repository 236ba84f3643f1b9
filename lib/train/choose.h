/* choose.h - parameters with alternatives, such as kappa=5|10|20, of which held-out rows choose one
 * (held_out.h). */
#pragma once

#include "model/model.h"

enum { HEFT_MOST_CHOICES = 100 };

typedef struct heft_choices {   /* every combination of alternatives */
    size_t              n;      /* 0: no parameter has alternatives */
    const char *const **params; /* by combination: all parameters, a NULL-terminated list */
    const char        **label;  /* by combination: the parameters with alternatives, as "kappa=5" */
} heft_choices;

/* List every combination of alternatives. A | separates alternatives of numbers and words; in texts
 * and names of files it is a character like others. The alternatives of the last parameter change
 * first. More than HEFT_MOST_CHOICES combinations are EINVAL. */
heft_status heft_choices_of(heft_ctx *ctx, const heft_method *method, const char *const *params,
                            heft_arena *arena, heft_choices *out);
/* Call heft_choices_of. *first is the first combination, or `params` if no parameter has
 * alternatives. */
heft_status heft_choices_first(heft_ctx *ctx, const heft_method *method, const char *const *params,
                               heft_arena *arena, heft_choices *out, const char *const **first);
