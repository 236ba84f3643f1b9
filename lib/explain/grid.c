/* grid.c - text in columns. */
#include "explain/grid.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Places a text takes on a terminal: its UTF-8 characters. */
static size_t places(const char *text, size_t length)
{
    size_t n = 0;
    for (size_t k = 0; k < length; k++) n += ((unsigned char)text[k] & 0xc0) != 0x80;
    return n;
}

void heft_grid_text(heft_grid *grid, heft_buf *text)
{
    for (const char *cell = heft_buf_string(text), *end;; cell = end + 1) {
        end = cell + strcspn(cell, "\t");
        const size_t k = grid->n_cells++ % grid->n_cols, n = places(cell, (size_t)(end - cell));
        if (n > grid->width[k]) grid->width[k] = n;
        heft_buf_add(&grid->cells, cell, (size_t)(end - cell));
        heft_buf_add(&grid->cells, "", 1);
        if (!*end) break;
    }
    grid->cells.failed |= text->failed;
    heft_buf_clear(text);
}

void heft_grid_put(heft_grid *grid, const char *format, ...)
{
    heft_buf text = {0};
    va_list  args;
    va_start(args, format);
    heft_vput(&text, format, args);
    va_end(args);
    heft_grid_text(grid, &text);
}

const char *heft_bar(char out[HEFT_BAR], char mark, size_t length, double share)
{
    const double n = isfinite(share) && share > 0 ? ceil(share * (double)length) : 0;
    memset(out, 0, HEFT_BAR);
    memset(out, mark, n < (double)length ? (size_t)n : length);
    return out;
}

void heft_grid_print(heft_grid *grid, heft_buf *out)
{
    const char *text = grid->cells.data;
    size_t      owed = 0; /* blanks before the next text of the line */
    out->failed |= grid->cells.failed;
    for (size_t i = 0; !out->failed && i < grid->n_cells; i++, text += strlen(text) + 1) {
        const size_t k = i % grid->n_cols, pad = grid->width[k] - places(text, strlen(text));
        if (k == 0) owed = 0;
        if (*text) {
            for (owed += grid->right[k] ? pad : 0; owed; owed--) heft_buf_text(out, " ");
            heft_buf_text(out, text);
            owed = grid->right[k] ? 0 : pad;
        } else {
            owed += grid->width[k];
        }
        owed += 2;
        if (k + 1 == grid->n_cols) heft_buf_text(out, "\n");
    }
    heft_buf_clear(&grid->cells);
    grid->n_cells = 0;
    memset(grid->width, 0, sizeof grid->width);
}
