/* fuzz.c - see fuzz.h. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/put.h"

void fuzz_need(bool holds, const char *format, ...)
{
    va_list args;
    if (holds) return;
    va_start(args, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

void fuzz_error(heft_status st, const heft_error *err)
{
    if (st == HEFT_OK) return;
    fuzz_need(err->code == st, "status %d, but the error says %d", st, err->code);
    fuzz_need(strlen(err->text) >= 5, "an error without a sentence");
    fuzz_need(strlen(err->text) < sizeof err->text, "a sentence without an end");
    fuzz_need(heft_utf8_valid(err->text), "a sentence that is not UTF-8: %s", err->text);
    for (const unsigned char *p = (const unsigned char *)err->text; *p; p++) {
        const bool c1 = *p == 0xc2 && p[1] < 0xa0;
        fuzz_need(*p >= ' ' && *p != 0x7f && !c1, "a sentence with a control: %s", err->text);
    }
}

const char *fuzz_file(int place, const void *bytes, size_t size)
{
    static char path[FUZZ_FILES][64];
    static int  file[FUZZ_FILES];
    size_t      done = 0;
    if (!path[place][0]) {
        file[place] = memfd_create("heft-fuzz", 0);
        fuzz_need(file[place] >= 0, "no file in memory");
        snprintf(path[place], sizeof path[place], "/proc/self/fd/%d", file[place]);
    }
    fuzz_need(ftruncate(file[place], 0) == 0, "no file in memory");
    while (done < size) {
        const ssize_t n = pwrite(file[place], (const char *)bytes + done, size - done, (off_t)done);
        fuzz_need(n > 0, "no room for a file in memory");
        done += (size_t)n;
    }
    return path[place];
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)); /* -0 is written as 0 */
}

static const char *text_at(const heft_column *col, size_t i)
{
    const uint32_t code = heft_code_at(col->cells, col->width, i);
    return code < heft_dict_size(col->dict) ? heft_dict_text(col->dict, code) : NULL;
}

static bool same_cell(const heft_column *a, const heft_column *b, size_t i)
{
    if (a->kind == HEFT_NUMERIC)
        return same_number(((const double *)a->cells)[i], ((const double *)b->cells)[i]);
    const char *s = text_at(a, i), *t = text_at(b, i);
    return s && t ? strcmp(s, t) == 0 : s == t;
}

static void same_column(const heft_column *a, const heft_column *b, size_t n, bool values,
                        const char *what)
{
    fuzz_need(strcmp(a->name, b->name) == 0, "%s: names '%s' and '%s'", what, a->name, b->name);
    fuzz_need(a->kind == b->kind, "%s: '%s' changes its kind", what, a->name);
    fuzz_need(a->n_missing == b->n_missing, "%s: '%s': missing cells", what, a->name);
    if (values) fuzz_need(heft_dict_equal(a->dict, b->dict), "%s: '%s': values", what, a->name);
    if (!a->cells || !b->cells) {
        fuzz_need(a->cells == b->cells, "%s: '%s': cells", what, a->name);
        return;
    }
    for (size_t i = 0; i < n; i++)
        fuzz_need(same_cell(a, b, i), "%s: '%s': the cell of row %zu", what, a->name, i);
}

static void same_sparse(const heft_sparse *a, const heft_sparse *b, size_t n, const char *what)
{
    fuzz_need(!a == !b, "%s: sparse", what);
    for (size_t i = 0; a && i <= n; i++)
        fuzz_need(a->start[i] == b->start[i], "%s: entries of row %zu", what, i);
    for (size_t k = 0; a && k < a->start[n]; k++)
        fuzz_need(a->col[k] == b->col[k] && same_number(a->val[k], b->val[k]), "%s: entry %zu",
                  what, k);
}

static void same(const heft_table *a, const heft_table *b, bool values, const char *what)
{
    fuzz_need(a->n_rows == b->n_rows, "%s: %zu and %zu rows", what, a->n_rows, b->n_rows);
    fuzz_need(a->n_cols == b->n_cols, "%s: %zu and %zu columns", what, a->n_cols, b->n_cols);
    for (size_t j = 0; j < a->n_cols; j++)
        same_column(&a->cols[j], &b->cols[j], a->n_rows, values, what);
    fuzz_need(!a->target == !b->target, "%s: class column", what);
    if (a->target) same_column(a->target, b->target, a->n_rows, values, what);
    fuzz_need(!a->weight == !b->weight, "%s: weights", what);
    for (size_t i = 0; a->weight && i < a->n_rows; i++)
        fuzz_need(a->weight[i] == b->weight[i], "%s: the weight of row %zu", what, i);
    same_sparse(a->sparse, b->sparse, a->n_rows, what);
}

void fuzz_same_table(const heft_table *a, const heft_table *b, const char *what)
{
    same(a, b, true, what);
}

void fuzz_same_cells(const heft_table *a, const heft_table *b, const char *what)
{
    same(a, b, false, what);
}

static bool same_cell_at(const heft_column *a, size_t i, const heft_column *b, size_t k)
{
    if (a->kind == HEFT_NUMERIC)
        return same_number(((const double *)a->cells)[i], ((const double *)b->cells)[k]);
    const char *s = text_at(a, i), *t = text_at(b, k);
    return s && t ? strcmp(s, t) == 0 : s == t;
}

static void same_span(const heft_column *a, size_t from, const heft_column *b, size_t n)
{
    fuzz_need(strcmp(a->name, b->name) == 0 && a->kind == b->kind, "block: column '%s'", a->name);
    fuzz_need(heft_dict_equal(a->dict, b->dict), "block: '%s': values", a->name);
    for (size_t i = 0; a->cells && i < n; i++)
        fuzz_need(same_cell_at(a, from + i, b, i), "block: '%s': row %zu", a->name, from + i);
}

void fuzz_same_block(const heft_table *whole, const heft_table *block, size_t from)
{
    const size_t n = block->n_rows;
    fuzz_need(from + n <= whole->n_rows && block->n_cols == whole->n_cols, "block: its size");
    fuzz_need(!whole->sparse == !block->sparse, "block: sparse");
    for (size_t j = 0; j < whole->n_cols; j++) same_span(&whole->cols[j], from, &block->cols[j], n);
    fuzz_need(!whole->target == !block->target, "block: class column");
    if (whole->target) same_span(whole->target, from, block->target, n);
    for (size_t i = 0; whole->weight && i < n; i++)
        fuzz_need(block->weight && whole->weight[from + i] == block->weight[i], "block: weight");
    for (size_t i = 0; whole->sparse && i < n; i++) {
        const heft_sparse *a = whole->sparse, *b = block->sparse;
        const size_t       k = a->start[from + i], m = b->start[i];
        fuzz_need(a->start[from + i + 1] - k == b->start[i + 1] - m, "block: entries of a row");
        for (size_t e = 0; e < b->start[i + 1] - m; e++)
            fuzz_need(a->col[k + e] == b->col[m + e] && same_number(a->val[k + e], b->val[m + e]),
                      "block: an entry");
    }
}

void fuzz_distributions(const double *p, size_t n_rows, size_t n_class)
{
    for (size_t i = 0; i < n_rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < n_class; c++) {
            const double x = p[i * n_class + c];
            fuzz_need(isfinite(x) && x >= 0, "row %zu: probability %g of class %zu", i, x, c);
            sum += x;
        }
        fuzz_need(fabs(sum - 1) < 1e-9, "row %zu: probabilities sum to %.17g", i, sum);
    }
}

void fuzz_json(const char *text, const char *what)
{
    json_error_t error;
    json_t      *root = json_loads(text, JSON_DECODE_ANY, &error);
    fuzz_need(root != NULL, "%s is not JSON: %s", what, error.text);
    json_decref(root);
}

bool fuzz_line(fuzz_text *text, char *out, size_t size)
{
    size_t n = 0;
    if (text->at >= text->end) return false;
    while (text->at < text->end && *text->at != '\n') {
        if (n + 1 < size) out[n++] = *text->at;
        text->at++;
    }
    text->at += text->at < text->end;
    out[n] = 0;
    return true;
}
