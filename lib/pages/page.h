/* page.h - what the parts of a model's report share. */
#pragma once

#include "explain/terms.h"
#include "pages/html.h"
#include "pages/report.h"

typedef struct heft_page {
    heft_ctx         *ctx;
    const heft_model *model;
    size_t            K, n_attr;
    const char      **classes; /* K */
    heft_terms        t;
    heft_standing    *order;  /* attributes, the most important first */
    bool              differ; /* the weights do */
    heft_buf         *out;
} heft_page;

/* report_evidence.c: what the values of the most important attributes add to which class, and the
 * strongest pairs and triples; the nomogram, where the model has one. */
heft_status heft_page_evidence(const heft_page *page);
void        heft_page_nomogram(const heft_page *page);
/* report_data.c: measures and plots of a table whose class is known for some rows. */
heft_status heft_page_data(const heft_page *page, const heft_table *table);
/* report_corr.c: how the attributes go together. */
heft_status heft_page_correlations(const heft_page *page, const heft_table *table);
