/* formats.h - one record per file format: how it is called, recognised, read and written. The list
 * is in formats.c; everything that names formats (messages, --format, help) takes it from there.
 *
 * A format is one file of this folder with its record, a line in the list, a line in meson.build
 * and a test. Reading goes in two steps. `columns` looks at the first file, adds its columns to the
 * schema and calls heft_schema_assign. `rows` reads the rows of one file; it runs once per file,
 * and again for all files where a second pass is needed. A text format has heft_scan_rows parse
 * chunks of text; a columnar one, which has numbers and dictionary codes, hands them over with
 * heft_put_rows. What `rows` has to know of the file is kept in heft_row_source.layout. */
#pragma once

#include <math.h>

#include "base/out.h"
#include "base/text.h"
#include "data/batch.h"
#include "heft_methods.h"

typedef struct heft_format heft_format;

/* A file being written. */
struct heft_writer {
    const heft_format *format;
    const heft_table  *table; /* the rows to be written; in write_begin a table without rows */
    heft_out          *out;
    char               name[96];  /* name of the file, for messages */
    heft_buf           buf;       /* flushed to `out` now and then */
    char               delimiter; /* between cells */
    double            *line;      /* n_cols zeros, over which sparse rows are spread; or NULL */
    bool               begun;     /* the first row is written */
    bool               numbered;  /* LIBSVM: labels are class numbers */
};

struct heft_format {
    heft_format_info info;
    char             delimiter; /* between cells, unless the caller names one; 0: detected */
    bool             binary;    /* not text: the file is not cut into lines */
    /* Whether the file has this format, by its first line that is neither blank nor a comment;
     * of a binary one by its first bytes. NULL: never by content. The text ends with zeros. */
    bool (*sniff)(const char *text, size_t n);
    heft_status (*columns)(heft_ctx *ctx, heft_builder *b, heft_feed *feed);
    /* The rows of file k of the builder. The feed is at the start of a further file (k > 0), and of
     * the first one where heft_feed_start_at has put it, or at this rank's byte range. */
    heft_status (*rows)(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k);
    /* Writing. Whether the format can hold a table, a block of rows, or its columns (NULL: always);
     * what comes before the rows (NULL: the format is only read); then row i of w->table. */
    heft_status (*write_check)(heft_ctx *ctx, const heft_table *table);
    heft_status (*write_begin)(heft_ctx *ctx, heft_writer *w);
    void (*write_row)(heft_writer *w, size_t i);
};

/* ---- formats.c ---- */

const heft_format *heft_formats_at(size_t index);       /* NULL past the end */
const heft_format *heft_format_named(const char *word); /* by name or ending; NULL: none */
const heft_format *
heft_format_of_path(const char *path); /* by the ending; NULL: it tells nothing */
/* "csv, tsv, arff or libsvm", all or those that heft writes; with `dots` the usual endings. */
const char *heft_format_list(char out[128], bool written, bool dots);
/* The format of a file to read: as named, else by its ending, else by its content. Refuses what is
 * no text, unless the format is binary. */
heft_status heft_format_find(heft_ctx *ctx, const char *name, const char *path, heft_feed *feed,
                             const heft_format **out);

/* read_files.c: heft_read_table or, with a sink, heft_read_stream, in this format. NULL: find it.
 */
heft_status heft_read_as(heft_ctx *ctx, const heft_format *format, const char *path,
                         const heft_source *how, const heft_expect *expect, const heft_sink *sink,
                         heft_table **out);

/* ---- for writers ---- */

/* The columns to write: the attributes, and the class behind them where there is one. */
static inline size_t heft_write_columns(const heft_writer *w)
{
    return w->table->n_cols + !!w->table->target;
}

static inline const heft_column *heft_write_column(const heft_writer *w, size_t j)
{
    return j < w->table->n_cols ? &w->table->cols[j] : w->table->target;
}

/* A cell of column j in row i as a number: NaN where missing, a code where nominal. */
static inline double heft_write_cell(const heft_writer *w, size_t i, size_t j)
{
    const heft_column *col = heft_write_column(w, j);
    if (w->line && j < w->table->n_cols) return w->line[j];
    if (col->kind == HEFT_NUMERIC) return ((const double *)col->cells)[i];
    const uint32_t code = heft_code_at(col->cells, col->width, i);
    return code < heft_dict_size(col->dict) ? (double)code : NAN;
}
