/* choose.h - parameters with alternatives, of which held-out rows choose: kappa=5|10|20. */
#pragma once

#include "model/model.h"

enum { HEFT_MOST_CHOICES = 100 };

typedef struct heft_choices {   /* every combination of alternatives */
    size_t              n;      /* 0: no parameter has alternatives */
    const char *const **params; /* by combination: all parameters, NULL-terminated */
    const char        **label;  /* by combination: those that differ, as "kappa=5" */
} heft_choices;

/* A | separates alternatives of numbers and words; in texts and names of files it is a letter. The
 * alternatives of the last parameter change first. More than HEFT_MOST_CHOICES are EINVAL. */
heft_status heft_choices_of(heft_ctx *ctx, const heft_method *method, const char *const *params,
                            heft_arena *arena, heft_choices *out);
/* The same, and the parameters as they are where none has alternatives, else the first
 * combination. */
heft_status heft_choices_first(heft_ctx *ctx, const heft_method *method, const char *const *params,
                               heft_arena *arena, heft_choices *out, const char *const **first);

struct heft_settings;

typedef struct heft_chosen {
    const char *const *params;
    const char        *note; /* the alternatives with their accuracies on held-out rows */
} heft_chosen;

/* The combination with the highest accuracy on the held-out rows of heft_held_out_right, the first
 * of several. Below ten rows the first of all. `table`: rows of known class and weight above 0;
 * `out` is in the arena. Cost: five fits for each combination. */
heft_status heft_choose(heft_ctx *ctx, const heft_table *table,
                        const struct heft_settings *settings, const heft_prep *prep,
                        heft_arena *arena, heft_chosen *out);
