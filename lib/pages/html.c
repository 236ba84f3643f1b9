/* html.c - the frame of a page: escaping, style, sections. */
#include "pages/html.h"

static const char STYLE[] =
    ":root{color-scheme:light dark;--bg:#fff;--ink:#1c2430;--soft:#5c6675;--line:#d5dae1;"
    "--panel:#f6f7f9;--up:#1f6fb4;--down:#c2571a;"
    "--c0:#2f6fb5;--c1:#d1662a;--c2:#2f8f5b;--c3:#a04a8f;--c4:#8a6d1f;--c5:#2a8f98;"
    "--c6:#b23a48;--c7:#5b5fc7;--c8:#6b7a2f;--c9:#7a6a5f}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#14181e;--ink:#e4e8ee;--soft:#9aa5b4;"
    "--line:#333c48;--panel:#1b2129;--up:#6fb3ee;--down:#f0935a;"
    "--c0:#6aa9ea;--c1:#f0935a;--c2:#5fc48c;--c3:#d58ac6;--c4:#d0b25a;--c5:#5fc7cf;"
    "--c6:#ec7b88;--c7:#9da1f5;--c8:#b3c46a;--c9:#bca99b}}\n"
    "@media print{:root{--bg:#fff;--ink:#000;--soft:#444;--line:#bbb;--panel:#fff}"
    "figure,pre,table{break-inside:avoid}body{max-width:none}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1100px;padding:1.2rem 1rem 3rem;background:var(--bg);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0}h2{font-size:1.2rem;margin:2.2rem 0 .3rem;"
    "border-bottom:1px solid var(--line)}\n"
    "p{margin:.3rem 0 .8rem;color:var(--soft);max-width:46rem}\n"
    ".figures{display:grid;gap:1rem;align-items:start;grid-template-columns:repeat(auto-fit,minmax("
    "min(100%,400px),"
    "1fr))}\n"
    "figure{margin:0;padding:.7rem;background:var(--panel);border:1px solid var(--line);"
    "border-radius:6px;min-width:0}\n"
    "figcaption{font-weight:600;font-size:.95rem;margin-bottom:.4rem}\n"
    "svg{display:block;width:100%;height:auto;max-width:560px}\n"
    "svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .soft{fill:var(--soft)}\n"
    "svg .end{text-anchor:end;font-size:11px}svg .mid{text-anchor:middle}svg "
    ".small{font-size:10px}\n"
    "svg line,svg path{stroke:var(--soft);fill:none;stroke-width:1}svg .grid{stroke:var(--line)}\n"
    "svg .bold{stroke-width:2.2}svg .thick{stroke:var(--ink);stroke-width:4}\n"
    "svg .dash{stroke-dasharray:4 4}\n"
    "svg .frame{fill:none;stroke:var(--line)}svg .up{fill:var(--up)}svg .down{fill:var(--down)}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem}\n"
    "th,td{text-align:left;padding:.2rem .7rem .2rem 0;vertical-align:top;"
    "border-bottom:1px solid var(--line)}th{font-weight:600}td.n,th.n{text-align:right;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}td.best{font-weight:700}\n"
    "details{min-width:0}pre{overflow-x:auto;background:var(--panel);border:1px solid "
    "var(--line);border-radius:6px;"
    "padding:.7rem;font-size:.8rem;line-height:1.35}summary{cursor:pointer;font-weight:600}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.85rem;margin:.2rem 0 .5rem}\n"
    ".legend svg{display:inline-block;width:.8em;height:.8em;margin-right:.3em}\n";

/* The colours of things, as fills and as strokes. */
static void write_colours(heft_buf *out)
{
    for (size_t k = 0; k < HEFT_HTML_COLOURS; k++)
        heft_put(out, "svg .c%z{fill:var(--c%z)}svg .l%z{stroke:var(--c%z)}\n", k, k, k, k);
}

void heft_html_open(heft_buf *out, const char *title, const char *lead)
{
    heft_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>%200h</title>\n<style>\n%s",
             title, STYLE);
    write_colours(out);
    heft_put(out, "</style>\n</head>\n<body>\n<h1>%200h</h1>\n<p>%s</p>\n", title, lead);
}

void heft_html_close(heft_buf *out)
{
    heft_put(out, "<p>Written by heft %s.</p>\n</body>\n</html>\n", heft_version());
}

void heft_html_section(heft_buf *out, const char *id, const char *title, const char *note)
{
    heft_put(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    if (note) heft_put(out, "<p>%s</p>\n", note);
    heft_put(out, "<div class=\"figures\">\n");
}

void heft_html_section_end(heft_buf *out)
{
    heft_put(out, "</div>\n</section>\n");
}

void heft_html_figure(heft_buf *out, const char *caption)
{
    heft_put(out, "<figure><figcaption>%120h</figcaption>\n", caption);
}

void heft_html_figure_end(heft_buf *out)
{
    heft_put(out, "</figure>\n");
}

void heft_html_legend(heft_buf *out, size_t n, const char *(*name)(const void *, size_t),
                      const void *from)
{
    heft_put(out, "<div class=\"legend\">");
    for (size_t k = 0; k < n && k < HEFT_HTML_COLOURS; k++)
        heft_put(out,
                 "<span><svg viewBox=\"0 0 10 10\"><rect class=\"c%z\" width=\"10\" "
                 "height=\"10\"/></svg>%40h</span>",
                 k, name(from, k));
    if (n > HEFT_HTML_COLOURS) heft_put(out, "<span>(%z more)</span>", n - HEFT_HTML_COLOURS);
    heft_put(out, "</div>\n");
}

void heft_html_fact(heft_buf *out, const char *name, const char *format, ...)
{
    heft_buf value = {0};
    va_list  args;
    va_start(args, format);
    heft_vput(&value, format, args);
    va_end(args);
    heft_put(out, "<tr><th>%80h</th><td>%400h</td></tr>\n", name, heft_buf_string(&value));
    out->failed |= value.failed;
    heft_buf_clear(&value);
}
