/* check_page.c - a check of a table as a page: what looks wrong, the classes, and a small
 * distribution of every column shown, the most informative first. */
#include "pages/check_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pages/html.h"

extern const char *const heft_check_style[]; /* the lines of check.css, then NULL */

enum { ROW = 17, CLASSES = 20, TOLD = 12 };
static const double WIDTH = 264; /* width of a small plot, in its units */
static const double TALL = 64,
                    STRIP = 12; /* heights of the bars of numbers, and of the shares below */
static const double LEFT = 92, BAR = 96, SHARES = 66; /* columns of the lines of a nominal column */

typedef struct view {
    const heft_check *check;
    heft_buf         *out;
} view;

static const char *colour_name(const view *v, size_t k, char rest[40])
{
    const heft_check *check = v->check;
    if (check->classes.n == 0) return "";
    if (check->classes.colour[k] != UINT32_MAX)
        return heft_dict_text(check->cols[check->n_attr].dict, check->classes.colour[k]);
    snprintf(rest, 40, "%s",
             HEFT_COUNT_OF(check->classes.n + 1 - check->classes.n_colour, "other class"));
    return rest;
}

/* ---- findings and classes ---- */

static void write_findings(const view *v)
{
    const heft_check *check = v->check;
    heft_put(v->out, "<section id=\"findings\">\n<h2>What looks wrong</h2>\n");
    if (check->n_findings == 0)
        heft_put(v->out, "<p>Nothing. Below is what every column holds.</p>\n");
    else heft_put(v->out, "<ul class=\"findings\">\n");
    for (size_t k = 0; k < check->n_findings; k++) {
        const heft_finding *f = &check->findings[k];
        heft_put(v->out, "<li%s><b>%s</b> ", f->serious ? " class=\"serious\"" : "", f->code);
        for (const char *text = f->text;
             *text;) { /* the text has any length, and heft_html_text takes 400 bytes */
            char         part[301];
            const size_t n = strlen(text);
            size_t       cut = n < 300 ? n : 300;
            while (cut < n && cut > 200 && ((unsigned char)text[cut] & 0xc0) == 0x80) cut--;
            memcpy(part, text, cut);
            part[cut] = 0;
            heft_html_text(v->out, part, 400);
            text += cut;
        }
        heft_put(v->out, "</li>\n");
    }
    if (check->n_findings) heft_put(v->out, "</ul>\n");
    heft_put(v->out, "</section>\n");
}

static void write_classes(const view *v)
{
    const heft_check *check = v->check;
    const size_t      n = check->classes.n < CLASSES ? check->classes.n : CLASSES;
    const double      left = 140, width = HEFT_PLOT_WIDTH;
    size_t            most = 1;
    if (n == 0) return;
    for (size_t c = 0; c < check->classes.n; c++)
        most = check->classes.rows[c] > most ? check->classes.rows[c] : most;
    const heft_scale s = {0, (double)most, left, width - 96};
    heft_plot_open(v->out,
                   n < check->classes.n ? "Rows of the first classes" : "Rows of each class",
                   "class-rows", (double)(n * ROW + 8), "rows of each class");
    for (size_t c = 0; c < n; c++) {
        const double rows = (double)check->classes.rows[c], y = (double)(c * ROW + 4);
        const char  *name = heft_dict_text(check->cols[check->n_attr].dict, (uint32_t)c);
        char         style[8] = "up";
        if (check->classes.n <= HEFT_CHECK_COLOURS) snprintf(style, sizeof style, "c%zu", c);
        heft_svg_text(v->out, "end", left - 6, y + 12, name, 17);
        heft_svg_rect(v->out, style,
                      (heft_box){left, y + 1, fmax(heft_scale_at(&s, rows) - left, 0.8), ROW - 4},
                      "%80q: %s", name, HEFT_COUNT_OF(check->classes.rows[c], "row"));
        heft_put(v->out, "<text class=\"soft small\" x=\"%1f\" y=\"%1f\">%z (%1f%%)</text>\n",
                 heft_scale_at(&s, rows) + 4, y + 11, check->classes.rows[c],
                 100 * rows / (double)(check->classes.n_labelled ? check->classes.n_labelled : 1));
    }
    heft_plot_end(v->out, n < check->classes.n ? "<p>%s in all.</p>\n" : "",
                  HEFT_COUNT_OF(check->classes.n, "class"));
}

/* What the first columns say about the class. */
static void write_information(const view *v)
{
    const heft_check *check = v->check;
    const size_t      n = check->top < TOLD ? check->top : TOLD;
    const double      left = 140;
    const heft_scale  s = {0, 1, left, HEFT_PLOT_WIDTH - 50};
    if (n == 0 || check->classes.n < 2) return;
    heft_plot_open(v->out, "How much a column tells about the class, by itself", "information",
                   (double)(n * ROW + 8), "information about the class");
    for (size_t k = 0; k < n; k++) {
        const heft_check_column *c = &check->cols[check->order[k]].show;
        const double             x = isnan(c->information) ? 0 : c->information;
        const double             y = (double)(k * ROW + 4), to = heft_scale_at(&s, x);
        heft_svg_text(v->out, "end", left - 6, y + 12, c->name, 17);
        heft_svg_rect(v->out, "up", (heft_box){left, y + 1, fmax(to - left, 0.8), ROW - 4},
                      "%80q: %1f%%", c->name, 100 * x);
        heft_put(v->out, "<text class=\"soft small\" x=\"%1f\" y=\"%1f\">%0f%%</text>\n", to + 4,
                 y + 11, 100 * x);
    }
    heft_plot_end(v->out, "");
}

/* ---- distributions ---- */

static size_t bar_rows(const heft_spread *s, size_t k)
{
    size_t sum = 0;
    for (size_t c = 0; c < HEFT_CHECK_COLOURS; c++) sum += s->count[k][c];
    return sum;
}

/* What a bar stands for, for people. */
static void put_value(heft_buf *out, const heft_column_summary *col, size_t k)
{
    const heft_spread *s = col->spread;
    if (col->dict && s->code[k] == UINT32_MAX)
        heft_put(out, "%z others", col->show.n_distinct + 1 - s->n_bars);
    else if (col->dict) heft_put(out, "%60q", heft_dict_text(col->dict, s->code[k]));
    else if (!s->intervals) heft_put(out, "%6g", s->number[k]);
    else {
        const double from = k == 0 ? col->show.least : s->lo + (double)k * s->width;
        const double to = k + 1 == s->n_bars ? col->show.most : s->lo + (double)(k + 1) * s->width;
        heft_put(out, "%5g to %5g", from, to);
    }
}

/* A box cut into the classes of bar k: from bottom to top, or from left to right. */
static void put_box(const view *v, const heft_column_summary *col, size_t k, heft_box box,
                    bool upright)
{
    const size_t rows = bar_rows(col->spread, k);
    double       at = 0;
    HEFT_SIDE_TEXT(value, v->out);
    put_value(&value, col, k);
    for (size_t c = 0; c < HEFT_CHECK_COLOURS; c++) {
        const size_t n = col->spread->count[k][c];
        const double share = rows ? (double)n / (double)rows : 0;
        heft_box     piece = box;
        char         style[8], rest[40];
        if (n == 0) continue;
        if (upright) piece.y = box.y + box.h * (1 - at - share), piece.h = box.h * share;
        else piece.x = box.x + box.w * at, piece.w = box.w * share;
        snprintf(style, sizeof style, "c%zu", c);
        heft_svg_rect(v->out, style, piece, "%70q: %60q, %s", heft_buf_string(&value),
                      colour_name(v, c, rest), HEFT_COUNT_OF(n, "row"));
        at += share;
    }
}

static void put_svg(const view *v, const heft_column_summary *col, double height)
{
    heft_put(v->out,
             "<svg viewBox=\"0 0 %0f %0f\" role=\"img\" aria-label=\"distribution of %60h\">\n",
             WIDTH, height, col->show.name);
}

/* Bars of rows, and below them the shares of the classes in each. */
static void draw_numbers(const view *v, const heft_column_summary *col)
{
    const heft_spread *s = col->spread;
    const double       step = WIDTH / (double)(s->n_bars > 8 ? s->n_bars : 8);
    const bool         shares = v->check->classes.n > 1;
    size_t             most = 1;
    for (size_t k = 0; k < s->n_bars; k++) most = bar_rows(s, k) > most ? bar_rows(s, k) : most;
    const double below = TALL + (shares ? STRIP + 3 : 0);
    put_svg(v, col, below + 16);
    for (size_t k = 0; k < s->n_bars; k++) {
        const size_t rows = bar_rows(s, k);
        const double x = (double)k * step, h = TALL * (double)rows / (double)most;
        if (rows == 0) continue;
        put_box(v, col, k, (heft_box){x + 0.4, TALL - h, step - 0.8, h}, true);
        if (shares) put_box(v, col, k, (heft_box){x + 0.4, TALL + 3, step - 0.8, STRIP}, true);
    }
    heft_svg_line(v->out, "axis", 0, TALL + 0.5, step * (double)s->n_bars, TALL + 0.5);
    heft_svg_number(v->out, "soft small", 0, below + 12, col->show.least, 6);
    if (s->n_bars > 1) {
        heft_put(v->out, "<text class=\"soft small\" text-anchor=\"end\" x=\"%1f\" y=\"%1f\">",
                 fmax(step * (double)s->n_bars, 60), below + 12);
        heft_put(v->out, "%6g</text>\n", col->show.most);
    }
    heft_put(v->out, "</svg>\n");
}

/* A line for each value: its rows, and the shares of the classes among them. */
static void draw_values(const view *v, const heft_column_summary *col)
{
    const heft_spread *s = col->spread;
    const bool         shares = v->check->classes.n > 1;
    const double       wide = shares ? BAR : BAR + SHARES;
    size_t             most = 1;
    for (size_t k = 0; k < s->n_bars; k++) most = bar_rows(s, k) > most ? bar_rows(s, k) : most;
    put_svg(v, col, (double)(s->n_bars * ROW));
    for (size_t k = 0; k < s->n_bars; k++) {
        const double y = (double)(k * ROW), rows = (double)bar_rows(s, k);
        HEFT_SIDE_TEXT(value, v->out);
        put_value(&value, col, k);
        heft_svg_text(v->out, "end", LEFT - 5, y + 12, heft_buf_string(&value), 15);
        const double length = fmax(wide * rows / (double)most, 0.8);
        put_box(v, col, k, (heft_box){LEFT, y + 2, length, ROW - 4}, false);
        if (shares) put_box(v, col, k, (heft_box){LEFT + BAR + 8, y + 2, SHARES, ROW - 4}, false);
    }
    heft_put(v->out, "</svg>\n");
}

static void write_column(const view *v, const heft_column_summary *col)
{
    const heft_check_column *c = &col->show;
    const size_t             n = v->check->n_rows;
    heft_put(v->out, "<figure><figcaption>%80h</figcaption>\n<p class=\"facts\">%s", c->name,
             col->dict ? "nominal" : "numeric");
    if (c->n_missing)
        heft_put(v->out, ", %s%0f%% missing", 100 * c->n_missing < n ? "under " : "",
                 fmax(1, floor(100 * (double)c->n_missing / (double)n)));
    heft_put(v->out, ", %z distinct", c->n_distinct);
    if (!isnan(c->information))
        heft_put(v->out, ", information <b>%0f%%</b>", 100 * c->information);
    heft_put(v->out, "</p>\n");
    if (col->spread->n_bars == 0) heft_put(v->out, "<p>All cells are missing.</p>\n");
    else if (col->dict) draw_values(v, col);
    else draw_numbers(v, col);
    heft_put(v->out, "</figure>\n");
}

static void write_columns(const view *v)
{
    const heft_check *check = v->check;
    const char       *names[HEFT_CHECK_COLOURS];
    char              rest[40];
    heft_put(v->out, "<section id=\"columns\">\n<h2>Columns</h2>\n<p>The columns that say most "
                     "about the class come first: 0%% nothing, 100%% everything, each by itself. ");
    if (check->classes.n > 1)
        heft_put(v->out, "The colours are the classes; the narrow bars show their shares for each "
                         "value. ");
    if (check->top < check->n_attr)
        heft_put_marked(v->out, "%s shown here; {advice show-more}. ",
                        HEFT_COUNT_OF(check->n_attr - check->top, "column is not"));
    heft_put(v->out, "</p>\n");
    for (size_t k = 0; k < check->classes.n_colour; k++) names[k] = colour_name(v, k, rest);
    if (check->classes.n > 1) heft_html_legend(v->out, check->classes.n_colour, names);
    heft_put(v->out, "<div class=\"cards\">\n");
    for (size_t k = 0; k < check->top; k++) write_column(v, &check->cols[check->order[k]]);
    heft_put(v->out, "</div>\n</section>\n");
}

heft_status heft_check_page(heft_ctx *ctx, const heft_check *check, char **out)
{
    heft_buf   buf = {0}, title = {0}, lead = {0};
    const view v = {check, &buf};
    heft_put(&title, "%100q at a glance", check->name ? check->name : "The table");
    heft_put(&lead, "%s, %s", HEFT_COUNT_OF(check->n_rows, "row"),
             HEFT_COUNT_OF(check->n_attr, "attribute"));
    if (check->n_cols > check->n_attr)
        heft_put(&lead, ", %s in column %60h", HEFT_COUNT_OF(check->classes.n, "class"),
                 check->cols[check->n_attr].show.name);
    heft_put(&lead, ".");
    heft_html_open(&buf, heft_buf_string(&title), heft_buf_string(&lead), heft_check_style);
    write_findings(&v);
    heft_html_section(&buf, "overview", "Overview", NULL);
    write_classes(&v);
    write_information(&v);
    heft_html_section_end(&buf);
    write_columns(&v);
    heft_html_close(&buf);
    buf.failed |= title.failed || lead.failed;
    heft_buf_clear(&title);
    heft_buf_clear(&lead);
    const heft_status st = heft_buf_take(ctx, &buf, out);
    heft_buf_clear(&buf);
    return st;
}
