/* check_page.h - a check of a table as an HTML page. */
#pragma once

#include "check/check.h"

/* The text is the caller's to free. */
heft_status heft_check_page(heft_ctx *ctx, const heft_check *check, char **out);
