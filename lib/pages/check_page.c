/* check_page.c - a check of a table as a page: the JSON document that assets/check.mjs draws, and
 * for readers without scripts the findings and a table of the columns shown. */
#include "pages/check_page.h"

#include <math.h>

#include "pages/html.h"

static void put_head(heft_buf *out, const heft_check *check, const char *title)
{
    heft_put(out, "<header>\n<p class=\"over\">Check of a table &middot; ");
    heft_html_date(out);
    heft_put(out, "</p>\n<h1>%200h</h1>\n<p class=\"lead\">%s, %s", title,
             HEFT_COUNT_OF(check->n_rows, "row"), HEFT_COUNT_OF(check->n_attr, "attribute"));
    if (check->n_cols > check->n_attr)
        heft_put(out, ", %s in column <bdi>%200h</bdi>", HEFT_COUNT_OF(check->classes.n, "class"),
                 check->cols[check->n_attr].show.name);
    heft_put(out, ".</p>\n</header>\n");
}

static void put_findings(heft_buf *out, const heft_check *check)
{
    heft_put(out, "<section id=\"findings\">\n<h2>Findings</h2>\n%s",
             check->n_findings ? "<ul class=\"findings\">\n" : "<p>Nothing looks wrong.</p>\n");
    for (size_t k = 0; k < check->n_findings; k++) {
        const heft_finding *f = &check->findings[k];
        heft_put(out, "<li%s><b>%s</b> ", f->serious ? " class=\"serious\"" : "", f->code);
        heft_html_long(out, f->text);
        heft_put(out, "</li>\n");
    }
    heft_put(out, "%s</section>\n", check->n_findings ? "</ul>\n" : "");
}

static void put_columns(heft_buf *out, const heft_check *check)
{
    heft_put(out, "<section id=\"columns\">\n<h2>Columns</h2>\n");
    if (check->top < check->n_attr)
        heft_put_marked(out, "<p>%s shown here; {advice show-more}.</p>\n",
                        HEFT_COUNT_OF(check->n_attr - check->top, "column is not"));
    heft_put(out, "<div class=\"scroll\"><table class=\"data\">\n<tr><th>column</th><th>kind</th>"
                  "<th class=\"n\">missing</th><th class=\"n\">distinct values</th>"
                  "<th class=\"n\">information</th></tr>\n");
    for (size_t k = 0; k < check->top; k++) {
        const heft_column_summary *col = &check->cols[check->order[k]];
        heft_put(out,
                 "<tr><th scope=\"row\"><bdi>%200h</bdi></th><td>%s</td><td class=\"n\">%z</td>"
                 "<td class=\"n\">%z</td><td class=\"n\">",
                 col->show.name, col->dict ? "nominal" : "numeric", col->show.n_missing,
                 col->show.n_distinct);
        if (!isnan(col->show.information)) heft_put(out, "%1f%%", 100 * col->show.information);
        heft_put(out, "</td></tr>\n");
    }
    heft_put(out, "</table></div>\n</section>\n");
}

heft_status heft_check_page(heft_ctx *ctx, const heft_check *check, char **out)
{
    HEFT_LOCAL(heft_buf) buf = {0};
    HEFT_LOCAL(heft_buf) title = {0};
    HEFT_LOCAL(heft_buf) still = {0};
    HEFT_FREED char     *json = NULL;
    HEFT_CHECK(heft_check_write(ctx, check, true, &json));
    heft_put(&title, "%100q at a glance", check->name ? check->name : "The table");
    put_head(&still, check, heft_buf_string(&title));
    put_findings(&still, check);
    put_columns(&still, check);
    heft_html_page(&buf, heft_buf_string(&title), heft_buf_string(&still), json);
    buf.failed |= title.failed || still.failed;
    return heft_buf_take(ctx, &buf, out);
}
