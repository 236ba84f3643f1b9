/* compare_page.c - a comparison of methods as a page: the JSON document that assets/compare.mjs
 * draws, and for readers without scripts the headline and a table of measures. */
#include <math.h>
#include <string.h>

#include "eval/headline.h"
#include "pages/html.h"
#include "pages/report.h"

/* Writes texts that each end with a zero byte, each as a paragraph; `tag` opens it. */
static void put_paragraphs(heft_buf *out, const char *tag, const heft_buf *texts)
{
    for (size_t at = 0; at < texts->length; at += strlen(texts->data + at) + 1) {
        heft_put(out, "%s", tag);
        heft_html_long(out, texts->data + at);
        heft_put(out, "</p>\n");
    }
    out->failed |= texts->failed;
}

static void put_head(heft_buf *out, const heft_results *results, const char *title)
{
    HEFT_LOCAL(heft_buf) how = {0};
    heft_put(out, "<header>\n<p class=\"over\">Comparison of methods &middot; ");
    heft_html_date(out);
    heft_put(out, "</p>\n<h1>%400h</h1>\n", title);
    heft_put_how(&how, results);
    put_paragraphs(out, "<p class=\"lead\">", &how);
    heft_put(out, "</header>\n");
}

static heft_status put_headline(heft_ctx *ctx, heft_buf *out, const heft_results *full)
{
    HEFT_LOCAL(heft_headline) h = {0};
    const heft_buf           *figures = &h.figures;
    heft_summary              s;
    HEFT_CHECK(heft_summarise(ctx, full, &s));
    HEFT_CHECK(heft_headline_find(ctx, full, &s, 0, &h));
    heft_put(out, "<div class=\"card headline\">\n<div class=\"figures\">");
    for (size_t at = 0, k = 0; at < figures->length; at += strlen(figures->data + at) + 1, k++)
        heft_put(out,
                 k % 2 ? "<p>%400h</p></div>\n"
                       : "<div class=\"figure\"><div class=\"big\">%400h</div>",
                 figures->data + at);
    out->failed |= figures->failed;
    heft_put(out, "</div>\n<div class=\"words\">\n");
    put_paragraphs(out, "<p>", &h.text);
    heft_put(out, "</div>\n</div>\n");
    return HEFT_OK;
}

static void put_value(heft_buf *out, const heft_cell *cell, size_t k)
{
    const double x = heft_drawn_value(cell, k);
    heft_put(out, "<td class=\"n\">%s", cell->failure ? "failed" : "");
    if (isfinite(x))
        heft_buf_fixed(out, k ? x : 100 * x, k ? heft_measures_at(k - 1)->decimals : 2);
    heft_put(out, "</td>");
}

/* One data set: methods by measures. Several: data sets by methods, the accuracies. */
static void put_table(heft_buf *out, const heft_results *full)
{
    const bool one = full->n_data == 1;
    heft_put(out,
             "<h2>%s</h2>\n<div class=\"scroll\"><table class=\"data\" id=\"results\">\n"
             "<tr><th>%s</th>",
             one ? "Measures" : "Accuracy, %", one ? "method" : "data set");
    if (!one)
        for (size_t m = 0; m < full->n_method; m++)
            heft_put(out, "<th class=\"n\"><bdi>%200h</bdi></th>", full->methods[m]);
    if (one)
        for (size_t k = 0; k < HEFT_N_DRAWN; k++)
            if (heft_drawn_shown(full, k))
                heft_put(out, "<th class=\"n\">%s%s</th>", heft_drawn_title(k), k ? "" : ", %");
    for (size_t i = 0; i < (one ? full->n_method : full->n_data); i++) {
        heft_put(out, "</tr>\n<tr><th scope=\"row\"><bdi>%200h</bdi></th>",
                 one ? full->methods[i] : full->sets[i].name);
        if (!one)
            for (size_t m = 0; m < full->n_method; m++) put_value(out, heft_cell_of(full, i, m), 0);
        if (one)
            for (size_t k = 0; k < HEFT_N_DRAWN; k++)
                if (heft_drawn_shown(full, k)) put_value(out, heft_cell_of(full, 0, i), k);
    }
    heft_put(out, "</tr>\n</table></div>\n");
}

static heft_status write_page(heft_ctx *ctx, const heft_results *results, heft_buf *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_results   full = heft_results_at(results, heft_results_headline(results));
    HEFT_LOCAL(heft_buf) title = {0};
    HEFT_LOCAL(heft_buf) still = {0};
    HEFT_LOCAL(heft_buf) json = {0};
    heft_put_title(&title, results);
    put_head(&still, results, heft_buf_string(&title));
    HEFT_CHECK(put_headline(ctx, &still, &full));
    put_table(&still, &full);
    HEFT_CHECK(heft_results_json(ctx, results, &json));
    heft_html_page(out, heft_buf_string(&title), heft_buf_string(&still), heft_buf_string(&json));
    out->failed |= title.failed || still.failed || json.failed;
    return HEFT_OK;
}

heft_status heft_results_render(heft_ctx *ctx, const heft_results *results, const char *format,
                                char **text)
{
    HEFT_LOCAL(heft_buf) buf = {0};
    HEFT_CHECK(strcmp(format, "html") == 0 ? write_page(ctx, results, &buf)
                                           : heft_results_format(ctx, results, format, &buf));
    return heft_buf_take(ctx, &buf, text);
}
