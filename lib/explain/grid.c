/* grid.c - text in columns. */
#include "explain/grid.h"

#include <math.h>
#include <string.h>

enum { LONGEST_NAME = 200 };

/* Places a text takes on a terminal: its UTF-8 characters. */
static size_t places(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void blanks(heft_buf *buf, size_t n)
{
    while (n--) heft_buf_add(buf, " ", 1);
}

void heft_grid_add(heft_grid *grid, const char *text)
{
    const size_t k = grid->n_cells++ % grid->n_cols, n = places(text);
    if (n > grid->width[k]) grid->width[k] = n;
    heft_buf_add(&grid->cells, text, strlen(text) + 1);
}

void heft_grid_name(heft_grid *grid, const char *text, size_t most)
{
    char shown[4 * LONGEST_NAME + 8];
    heft_grid_add(grid, heft_show(shown, sizeof shown, text, strlen(text),
                                  most < LONGEST_NAME ? most : LONGEST_NAME));
}

void heft_grid_print(heft_grid *grid, size_t indent, heft_buf *out)
{
    const char *text = grid->cells.data;
    size_t      owed = 0; /* blanks before the next text of the line */
    if (grid->cells.failed) out->failed = true;
    for (size_t i = 0; !out->failed && i < grid->n_cells; i++, text += strlen(text) + 1) {
        const size_t k = i % grid->n_cols, pad = grid->width[k] - places(text);
        if (k == 0) owed = indent;
        if (*text) {
            blanks(out, owed + (grid->right[k] ? pad : 0));
            heft_buf_text(out, text);
            owed = grid->right[k] ? 0 : pad;
        } else {
            owed += grid->width[k];
        }
        owed += 2;
        if (k + 1 == grid->n_cols) heft_buf_text(out, "\n");
    }
    heft_grid_clear(grid);
}

void heft_grid_clear(heft_grid *grid)
{
    heft_buf_clear(&grid->cells);
    grid->n_cells = 0;
    memset(grid->width, 0, sizeof grid->width);
}

void heft_buf_name(heft_buf *buf, const char *text, size_t most)
{
    char shown[4 * LONGEST_NAME + 8];
    heft_buf_text(buf, heft_show(shown, sizeof shown, text, strlen(text),
                                 most < LONGEST_NAME ? most : LONGEST_NAME));
}

/* The text added since `from`, cut back to its last digit that says something. */
static void trim_zeros(heft_buf *buf, size_t from)
{
    if (buf->failed || !memchr(buf->data + from, '.', buf->length - from)) return;
    while (buf->data[buf->length - 1] == '0') buf->length--;
    if (buf->data[buf->length - 1] == '.') buf->length--;
}

void heft_buf_short(heft_buf *buf, double x, int digits)
{
    const double size = fabs(x);
    if (!isfinite(x)) {
        heft_buf_text(buf, isnan(x) ? "?" : x > 0 ? "inf" : "-inf");
    } else if (size == 0) {
        heft_buf_text(buf, "0");
    } else if (size >= 1e-4 && size < 1e7) {
        const int    before = (int)floor(log10(size)) + 1;
        const size_t from = buf->length;
        heft_buf_fixed(buf, x, before >= digits ? 0 : digits - before);
        trim_zeros(buf, from);
    } else {
        int          power = (int)floor(log10(size));
        const double unit = pow(10, power < -300 ? -300 : power);
        double       lead = x / unit / (power < -300 ? pow(10, power + 300) : 1);
        const size_t from = buf->length;
        if (fabs(lead) >= 10 - 0.5 * pow(10, 1 - digits)) lead /= 10, power++;
        heft_buf_fixed(buf, lead, digits - 1);
        trim_zeros(buf, from);
        heft_buf_printf(buf, "e%d", power);
    }
}
