/* explain.h - what a model learned and why a row got its class, for people (text, safe for a
 * terminal) and programs (JSON). The text is the caller's to free. */
#pragma once

#include "base/text.h"
#include "model/model.h"

/* What the model learned. In text attributes are listed by the size of their weight where weights
 * differ, otherwise by how much they tell about the class; at most `top` of them, 0: all. In JSON
 * all of them in the model's order. */
heft_status heft_inspection(heft_ctx *ctx, const heft_model *model, bool json, size_t top,
                            char **out);

/* The preparation, in the words of the command line. */
void heft_inspect_settings(heft_buf *out, const heft_model *model);
/* The name of a fact in words, in title[HEFT_TITLE_BYTES]. JSON has the name itself. */
enum { HEFT_TITLE_BYTES = 128 };
const char *heft_fact_title(const char *name, char *title);
/* Of an iterative fit: iterations, objective, and whether it converged. */
void heft_inspect_fit(heft_buf *out, const heft_training *training);

/* Why row i of `table` gets its class: what each attribute adds to the log-odds of the predicted
 * class against the runner-up, in text the largest first. In JSON all attributes in the model's
 * order, with their parts of every class's score. EUNSUPPORTED when the method's score is not a
 * sum over attributes. */
heft_status heft_explanation(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                             size_t i, bool json, size_t top, char **out);

/* The columns of `table` that the model uses, in the table's order; cells as they are. A column is
 * used where some class, value or class pair gives it a weight other than 0; a method with a
 * parameter `threshold` (swnb) sets the bar there. */
heft_status heft_used_table(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            heft_table **out);
