/* html.h - the frame of a page: one file without a network, drawn by its script from its data, and
 * readable without scripts. */
#pragma once

#include "base/put.h"

/* A whole page: `still` is HTML for readers without scripts, which the script replaces by what it
 * draws from the document `json`. `title` is escaped. */
void heft_html_page(heft_buf *out, const char *title, const char *still, const char *json);
void heft_html_long(heft_buf *out, const char *text); /* escaped text of any length */
void heft_html_date(heft_buf *out);                   /* today's */
