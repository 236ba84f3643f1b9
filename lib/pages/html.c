/* html.c - the frame of a page. */
#include "pages/html.h"

#include <string.h>
#include <time.h>

/* The lines of style.css and of the joined modules of assets/, then NULL. */
extern const char *const heft_pages_style[], *const heft_pages_script[];

/* The page may run its own script and show its own pictures, and load nothing. */
#define ALONE                                                                                      \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

/* Writes a JSON text so that it can stand in a script element: what could end the element, and
 * control characters, which JSON has in strings only, are escaped. */
static void put_data(heft_buf *out, const char *json)
{
    for (const char *s = json; *s;) {
        const size_t  plain = strcspn(s, "<>&\x7f\xc2");
        const uint8_t c = (uint8_t)s[plain], next = c ? (uint8_t)s[plain + 1] : 0;
        heft_buf_add(out, s, plain);
        s += plain + (c ? 1 : 0);
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) { /* U+0080 to U+009F */
            heft_buf_printf(out, "\\u00%02x", (unsigned)next);
            s++;
        } else if (c == 0xc2) heft_buf_add(out, "\xc2", 1);
        else if (c) heft_buf_printf(out, "\\u00%02x", (unsigned)c);
    }
}

void heft_html_page(heft_buf *out, const char *title, const char *still, const char *json)
{
    heft_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"" ALONE "\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>%200h</title>\n<style>\n",
             title);
    for (const char *const *line = heft_pages_style; *line; line++) heft_buf_text(out, *line);
    heft_put(out, "</style>\n</head>\n<body>\n<main id=\"page\">\n%s</main>\n", still);
    heft_put(out, "<footer>Written by heft %s.</footer>\n", HEFT_VERSION);
    heft_put(out, "<script type=\"application/json\" id=\"data\">");
    put_data(out, json);
    heft_put(out, "</script>\n<script>\n");
    for (const char *const *line = heft_pages_script; *line; line++) heft_buf_text(out, *line);
    heft_put(out, "</script>\n</body>\n</html>\n");
}

void heft_html_long(heft_buf *out, const char *text)
{
    for (size_t n = strlen(text); n;) {
        char   part[301];
        size_t cut = n < 300 ? n : 300;
        while (cut < n && cut > 200 && ((unsigned char)text[cut] & 0xc0) == 0x80) cut--;
        memcpy(part, text, cut);
        part[cut] = 0;
        heft_html_text(out, part, 400);
        text += cut;
        n -= cut;
    }
}

void heft_html_date(heft_buf *out)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const time_t             now = time(NULL);
    struct tm                at;
    if (!gmtime_r(&now, &at)) return;
    heft_put(out, "<time>%l %s %l</time>", (long)at.tm_mday, months[at.tm_mon],
             (long)at.tm_year + 1900);
}
