/* page.h - what the parts of a model's report share. */
#ifndef HEFT_PAGES_PAGE_H
#define HEFT_PAGES_PAGE_H

#include "methods/ovo.h"
#include "pages/report.h"
#include "pages/svg.h"

typedef struct heft_page {
    heft_ctx         *ctx;
    const heft_model *model;
    size_t            K, n_attr;
    const heft_ovo   *pairs;  /* of a one-against-one model; else NULL */
    heft_standing    *order;  /* attributes, the most telling first */
    bool              differ; /* the weights do */
    heft_buf         *out;
} heft_page;

const char *heft_page_class(const heft_page *page, size_t c);
const char *heft_page_attr(const heft_page *page, size_t j);
/* Names of classes for heft_html_legend; from: the page. */
const char *heft_page_legend(const void *page, size_t c);

/* report_evidence.c */
heft_status heft_page_evidence(const heft_page *page);
heft_status heft_page_nomogram(const heft_page *page); /* nothing where there can be none */
/* report_pooled.c: evidence of a pooled score; nothing for other methods. */
heft_status heft_page_pooled(const heft_page *page);
/* report_data.c: measures and plots of a table whose class is known for some rows. */
heft_status heft_page_data(const heft_page *page, const heft_table *table);
/* report_corr.c: how the attributes go together. */
heft_status heft_page_correlations(const heft_page *page, const heft_table *table);

#endif
