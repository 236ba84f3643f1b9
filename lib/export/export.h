/* export.h - a model for use without heft. The text is the caller's to free. */
#ifndef HEFT_EXPORT_EXPORT_H
#define HEFT_EXPORT_EXPORT_H

#include "base/text.h"
#include "model/model.h"

/* EUNSUPPORTED, with the reason, unless the method's score is a sum the exports can hold. */
heft_status heft_export_check(heft_ctx *ctx, const heft_model *model);
/* One C99 file that scores rows; its head tells how. */
heft_status heft_export_c(heft_ctx *ctx, const heft_model *model, char **out);
/* What inspect says, and all that scoring a row takes. */
heft_status heft_export_json(heft_ctx *ctx, const heft_model *model, char **out);

#endif
