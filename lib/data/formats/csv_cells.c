/* csv_cells.c - where records and cells of CSV text begin and end. */
#include "data/formats/csv_cells.h"

#include <string.h>

size_t heft_csv_blank_line(const char *p, char delimiter)
{
    const char *from = p;
    while (heft_is_blank(*p) && *p != delimiter) p++;
    if (*p == '\r') p++;
    return *p == '\n' ? (size_t)(p + 1 - from) : 0;
}

const char *heft_csv_skip_quoted(const char *p, const char *end, char quote)
{
    for (p++; p < end; p += 2) {
        p = memchr(p, quote, (size_t)(end - p));
        if (!p) return end;
        if (p[1] != quote) return p + 1;
    }
    return end;
}

const char *heft_csv_skip_record(const char *p, const char *end, char delimiter, char quote,
                                 size_t *n)
{
    bool fresh = true; /* at the start of a cell, blanks aside */
    *n = 1;
    while (p < end && *p != '\n') {
        if (*p == quote && fresh) {
            p = heft_csv_skip_quoted(p, end, quote);
            fresh = false;
            continue;
        }
        if (*p == delimiter) ++*n;
        fresh = *p == delimiter || (fresh && heft_is_blank(*p));
        p++;
    }
    return p < end ? p + 1 : end;
}

char *heft_csv_take_cell(char *p, const char *end, char delimiter, char quote, heft_text_cell *cell)
{
    *cell = (heft_text_cell){.text = p};
    while (heft_is_blank(*p) && *p != delimiter) p++;
    if (*p == quote) {
        char *to = ++p;
        cell->text = to;
        cell->quoted = true;
        for (; p < end && (*p != quote || p[1] == quote); p++) {
            if (*p == quote) p++;
            cell->n_lines += *p == '\n';
            *to++ = *p;
        }
        if (p >= end) {
            cell->problem =
                "a quoted cell begins here and is never closed ({quote=none} if quotation "
                "marks are letters like others)";
            return p;
        }
        cell->length = (size_t)(to - cell->text);
        for (p++; heft_is_blank(*p) && *p != delimiter;) p++;
        if (*p != delimiter && *p != '\n' && !(*p == '\r' && p[1] == '\n'))
            cell->problem = "there is text after a closing quotation mark (inside a quoted cell, "
                            "write each quotation mark twice; {quote=none} if quotation marks are "
                            "letters like others)";
        return p;
    }
    cell->text = p;
    while (*p != delimiter && *p != '\n') p++;
    if (*p == '\n' && p > cell->text && p[-1] == '\r') p--;
    cell->length = (size_t)(p - cell->text);
    while (cell->length && heft_is_blank(cell->text[cell->length - 1])) cell->length--;
    return p;
}

size_t heft_csv_squeeze(char *text, size_t length, char quote)
{
    const char *p = text, *end = text + length;
    char       *to = text;
    bool        line_start = true;
    while (p < end) {
        const char *from = p;
        while (heft_is_blank(*p)) p++;
        const bool at_end = *p == '\n' || (*p == '\r' && p[1] == '\n');
        if (p > from && !line_start && !at_end) *to++ = '\t';
        from = p;
        if (*p == quote && !at_end) p = heft_csv_skip_quoted(p, end, quote);
        else if (*p == '\n') p++;
        else
            while (!heft_is_blank(*p) && *p != '\n') p++;
        line_start = from < p && *from == '\n';
        memmove(to, from, (size_t)(p - from));
        to += p - from;
    }
    return (size_t)(to - text);
}
