/* lead.h - the headline of results whose accuracy says little. */
#pragma once

#include "eval/measures.h"
#include "pages/html.h"

/* The inside of a headline: the figures of the rare class, or means over the classes, in large
 * type; then accuracy and baseline in words. `right` is the accuracy; `badge` and `source` (the end
 * of a sentence) are HTML. */
void heft_html_lead(heft_buf *out, const heft_lead *lead, const char *const *classes, double right,
                    const char *badge, const char *source);
/* Writes the title of measure k, with the class that it describes, as "AUC (yes)"; NULL: all
 * classes. */
void heft_html_measure(heft_buf *out, size_t k, const char *of);
/* Writes the baseline, and a warning where the accuracy is not above it. `classes` may be NULL. */
void heft_html_baseline(heft_buf *out, const heft_lead *lead, const char *const *classes);
