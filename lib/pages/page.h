/* page.h - what the parts of a model's report share. */
#pragma once

#include "explain/terms.h"
#include "pages/report.h"
#include "pages/svg.h"

typedef struct heft_page {
    heft_ctx         *ctx;
    const heft_model *model;
    size_t            K, n_attr;
    heft_terms        t;
    heft_standing    *order;  /* attributes, the most important first */
    bool              differ; /* the weights do */
    heft_buf         *out;
} heft_page;

const char *heft_page_class(const heft_page *page, size_t c);
const char *heft_page_attr(const heft_page *page, size_t j);
/* Names of classes for heft_html_legend; from: the page. */
const char *heft_page_legend(const void *page, size_t c);

/* report_evidence.c: what the values of the most important attributes add to which class, and the
 * strongest pairs. */
heft_status heft_page_evidence(const heft_page *page);
/* Where the densities of the first K classes have their mass, to s->lo and s->hi. */
void heft_page_spans(const heft_page *page, const heft_term *term, size_t K, double reach,
                     heft_scale *s);
/* report_nomogram.c: nothing where the model has none. */
void heft_page_nomogram(const heft_page *page);
/* report_data.c: measures and plots of a table whose class is known for some rows. */
heft_status heft_page_data(const heft_page *page, const heft_table *table);
/* report_corr.c: how the attributes go together. */
heft_status heft_page_correlations(const heft_page *page, const heft_table *table);
