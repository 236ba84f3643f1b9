/* html.h - one self-contained page: no script, no network, light and dark, for screen and paper. */
#pragma once

#include "base/put.h"

enum { HEFT_HTML_COLOURS = 10 }; /* .c0 to .c9 */

/* `title` is escaped, `lead` is not. */
void heft_html_open(heft_buf *out, const char *title, const char *lead);
void heft_html_close(heft_buf *out);
/* A section shows its figures side by side where they fit. Its title and note are not escaped. */
void heft_html_section(heft_buf *out, const char *id, const char *title, const char *note);
void heft_html_section_end(heft_buf *out);
void heft_html_figure(heft_buf *out, const char *caption);
void heft_html_figure_end(heft_buf *out);
/* The colours of n things by name, the first HEFT_HTML_COLOURS of them. */
void heft_html_legend(heft_buf *out, size_t n, const char *(*name)(const void *from, size_t k),
                      const void *from);
/* A line of a table of two columns; the value is formatted by heft_put. */
void heft_html_fact(heft_buf *out, const char *name, const char *format, ...);
