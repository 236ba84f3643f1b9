/* lead.c - the headline of results whose accuracy says little. */
#include "pages/lead.h"

#include <math.h>

void heft_html_baseline(heft_buf *out, const heft_lead *lead, const char *const *classes)
{
    heft_put(out,
             "<p id=\"baseline\">%sBaseline: %1f%%, by always predicting the most frequent class",
             lead->below ? "<strong>The accuracy is not above the baseline.</strong> " : "",
             100 * lead->baseline);
    if (classes) heft_put(out, ", <bdi>%200h</bdi>", classes[lead->frequent]);
    heft_put(out, ".</p>\n");
}

void heft_html_measure(heft_buf *out, size_t k, const char *of)
{
    heft_put(out, "%s", heft_measures_at(k)->title);
    if (of) heft_put(out, " (<bdi>%100h</bdi>)", of);
}

void heft_html_lead(heft_buf *out, const heft_lead *lead, const char *const *classes, double right,
                    const char *badge, const char *source)
{
    heft_put(out, "<div><div class=\"leads\">\n");
    for (size_t k = 0; k < HEFT_N_LEAD; k++) {
        const heft_lead_figure *f = &lead->figure[k];
        const bool share = lead->of_class && k < 2; /* a share of rows, shown in percent */
        heft_put(out,
                 share ? "<div><div class=\"big\">%1f%%</div><p>%s"
                       : "<div><div class=\"big\">%3f</div><p>%s",
                 share ? 100 * f->value : f->value, f->title);
        if (lead->of_class) heft_put(out, " of <bdi>%200h</bdi>", classes[lead->rarest]);
        if (isfinite(f->baseline) && f->baseline > 0) heft_put(out, " (baseline %3f)", f->baseline);
        heft_put(out, "</p></div>\n");
    }
    heft_put(out, "</div>%s</div><div>\n<p>", badge);
    if (lead->of_class)
        heft_put(out,
                 "Recall: the share of the rows of <bdi>%200h</bdi> that are found. Precision: the "
                 "share of the rows predicted as <bdi>%200h</bdi> that are. ",
                 classes[lead->rarest], classes[lead->rarest]);
    heft_put(out, "Measured %s.</p>\n<p>Accuracy, %1f%%, says little here.</p>\n", source,
             100 * right);
    heft_html_baseline(out, lead, classes);
    heft_put(out, "</div>");
}
