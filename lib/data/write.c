/* write.c - a table to a CSV, TSV, ARFF or LIBSVM file that reads back to the same table.
 *
 * The class comes last. CSV has a column for the weights before it, ARFF has them in braces; a
 * missing cell is empty in CSV and ? in ARFF. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "base/text.h"
#include "data/read.h"

enum { FLUSH_AT = 128 * 1024 };

typedef enum format { CSV, TSV, ARFF, LIBSVM, UNKNOWN } format;

typedef struct heft_writer {
    const heft_table *table; /* the rows at hand */
    heft_out         *out;
    heft_buf          buf;
    format            format;
    char              delimiter; /* CSV */
    double           *line;      /* one row of a sparse table */
    bool              numbered; /* LIBSVM: labels are class numbers, their names being no numbers */
    bool              begun;    /* the first row is written */
} writer;

static heft_status flush(heft_ctx *ctx, writer *w)
{
    if (w->buf.failed) return heft_no_memory(ctx, w->buf.capacity * 2, 1);
    const heft_status st = heft_out_write(ctx, w->out, w->buf.data, w->buf.length);
    w->buf.length = 0;
    return st;
}

static void put(writer *w, const char *text)
{
    heft_buf_text(&w->buf, text);
}

static const char *show(char out[96], const char *text)
{
    return heft_show(out, 96, text, strlen(text), 60);
}

/* ---- cells ---- */

/* Cell of attribute j in row i, as a number: NaN where missing, a code where nominal. */
static double cell_at(const writer *w, size_t i, size_t j)
{
    const heft_column *col = &w->table->cols[j];
    if (w->line) return w->line[j];
    if (col->kind == HEFT_NUMBER) return ((const double *)col->cells)[i];
    const uint32_t code = heft_code_at(col->cells, col->width, i);
    return code < heft_dict_size(col->dict) ? (double)code : NAN;
}

/* Spread sparse row i over w->line, or take it off again. */
static void spread(writer *w, size_t i, bool on)
{
    const heft_sparse *s = w->table->sparse;
    for (size_t k = s->start[i]; w->line && k < s->start[i + 1]; k++)
        w->line[s->col[k]] = on ? s->val[k] : 0;
}

static const char *target_text(const heft_table *table, size_t i)
{
    const heft_column *target = table->target;
    const uint32_t     code = heft_code_at(target->cells, target->width, i);
    return code < heft_dict_size(target->dict) ? heft_dict_text(target->dict, code) : NULL;
}

/* ---- CSV ---- */

static bool is_mark(const char *text)
{
    static const char *const marks[] = {"", "?", "NA", "NaN", "nan"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(text, marks[i]) == 0) return true;
    return false;
}

/* Quotes do not keep a value from being read as missing: say so. */
static void warn_marks(heft_ctx *ctx, const heft_column *col)
{
    char name[96], value[96];
    for (uint32_t k = 0; col->dict && k < heft_dict_size(col->dict); k++)
        if (is_mark(heft_dict_text(col->dict, k)))
            heft_say(ctx, HEFT_WARNING,
                     "column '%s': the value '%s' means missing in a CSV file (ARFF keeps it)",
                     show(name, col->name), show(value, heft_dict_text(col->dict, k)));
}

/* A name for the column of weights that no attribute has. */
static void put_weight_name(writer *w)
{
    char name[64] = "weight";
    for (size_t k = 2; heft_table_find(w->table, name) != SIZE_MAX; k++)
        snprintf(name, sizeof name, "weight%zu", k);
    heft_buf_csv(&w->buf, name, w->delimiter);
}

/* The file begins with this name, and readers go by how a file begins: one that might be taken for
 * a packed or a binary file is quoted. */
static void put_first_name(writer *w, const char *name)
{
    bool odd = strncmp(name, "%PDF-", 5) == 0 || strncmp(name, "BZh", 3) == 0 ||
               strncmp(name, "PAR1", 4) == 0 || strncmp(name, "SQLite format 3", 15) == 0;
    for (size_t k = 0; k < 4 && name[k]; k++)
        if ((unsigned char)name[k] < 0x20 || (unsigned char)name[k] >= 0x80) odd = true;
    const size_t before = w->buf.length;
    heft_buf_csv(&w->buf, name, w->delimiter);
    if (!odd || w->buf.failed || w->buf.data[before] == '"') return;
    w->buf.length = before;
    put(w, "\"");
    put(w, name); /* holds no quote: it would have been quoted */
    put(w, "\"");
}

static void csv_header(heft_ctx *ctx, writer *w)
{
    const heft_table *t = w->table;
    const char        cut[2] = {w->delimiter, 0};
    for (size_t j = 0; j < t->n_cols; j++) {
        if (j) put(w, cut);
        if (j) heft_buf_csv(&w->buf, t->cols[j].name, w->delimiter);
        else put_first_name(w, t->cols[j].name);
        warn_marks(ctx, &t->cols[j]);
    }
    if (t->weight) {
        if (t->n_cols) put(w, cut);
        put_weight_name(w);
    }
    if (t->target) {
        if (t->n_cols || t->weight) put(w, cut);
        if (t->n_cols || t->weight) heft_buf_csv(&w->buf, t->target->name, w->delimiter);
        else put_first_name(w, t->target->name);
        warn_marks(ctx, t->target);
    }
    put(w, "\n");
}

static void csv_cell(writer *w, size_t i, size_t j)
{
    const heft_column *col = &w->table->cols[j];
    const double       x = cell_at(w, i, j);
    if (isnan(x)) return;
    if (col->kind == HEFT_NUMBER) heft_buf_double(&w->buf, x);
    else heft_buf_csv(&w->buf, heft_dict_text(col->dict, (uint32_t)x), w->delimiter);
}

static void csv_row(writer *w, size_t i)
{
    const heft_table *t = w->table;
    const char        cut[2] = {w->delimiter, 0};
    const size_t      before = w->buf.length;
    for (size_t j = 0; j < t->n_cols; j++) {
        if (j) put(w, cut);
        csv_cell(w, i, j);
    }
    if (t->weight) {
        if (t->n_cols) put(w, cut);
        heft_buf_double(&w->buf, t->weight[i]);
    }
    if (t->target) {
        if (t->n_cols || t->weight) put(w, cut);
        const char *text = target_text(t, i);
        if (text) heft_buf_csv(&w->buf, text, w->delimiter);
    }
    if (w->buf.length == before) put(w, "?"); /* a blank line would be no row */
    put(w, "\n");
}

/* ---- ARFF ---- */

static void arff_attribute(writer *w, const heft_column *col)
{
    put(w, "@attribute ");
    heft_buf_arff(&w->buf, col->name);
    if (col->kind == HEFT_NUMBER) {
        put(w, " numeric\n");
        return;
    }
    put(w, " {");
    for (uint32_t k = 0; k < heft_dict_size(col->dict); k++) {
        if (k) put(w, ",");
        heft_buf_arff(&w->buf, heft_dict_text(col->dict, k));
    }
    put(w, "}\n");
}

static void arff_header(writer *w)
{
    const heft_table *t = w->table;
    put(w, "@relation ");
    heft_buf_arff(&w->buf, t->name ? t->name : "data");
    put(w, "\n\n");
    for (size_t j = 0; j < t->n_cols; j++) arff_attribute(w, &t->cols[j]);
    if (t->target) arff_attribute(w, t->target);
    put(w, "\n@data\n");
}

static void arff_value(writer *w, const heft_column *col, double x)
{
    if (isnan(x)) put(w, "?");
    else if (col->kind == HEFT_NUMBER) heft_buf_double(&w->buf, x);
    else heft_buf_arff(&w->buf, heft_dict_text(col->dict, (uint32_t)x));
}

static void arff_target(writer *w, size_t i)
{
    const char *text = target_text(w->table, i);
    if (text) heft_buf_arff(&w->buf, text);
    else put(w, "?");
}

static void arff_dense_row(writer *w, size_t i)
{
    const heft_table *t = w->table;
    for (size_t j = 0; j < t->n_cols; j++) {
        if (j) put(w, ",");
        arff_value(w, &t->cols[j], cell_at(w, i, j));
    }
    if (t->target) {
        if (t->n_cols) put(w, ",");
        arff_target(w, i);
    }
}

static void arff_sparse_row(writer *w, size_t i)
{
    const heft_table  *t = w->table;
    const heft_sparse *s = t->sparse;
    put(w, "{");
    for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
        heft_buf_printf(&w->buf, "%s%u ", k > s->start[i] ? "," : "", s->col[k]);
        arff_value(w, &t->cols[s->col[k]], s->val[k]);
    }
    if (t->target) {
        heft_buf_printf(&w->buf, "%s%zu ", s->start[i + 1] > s->start[i] ? "," : "", t->n_cols);
        arff_target(w, i);
    }
    put(w, "}");
}

static void arff_row(writer *w, size_t i)
{
    if (w->table->sparse) arff_sparse_row(w, i);
    else arff_dense_row(w, i);
    if (w->table->weight) {
        put(w, ",{");
        heft_buf_double(&w->buf, w->table->weight[i]);
        put(w, "}");
    }
    put(w, "\n");
}

/* ---- LIBSVM ---- */

static heft_status libsvm_check(heft_ctx *ctx, writer *w)
{
    const heft_table *t = w->table;
    char              shown[96];
    for (size_t j = 0; j < t->n_cols; j++) {
        const heft_column *col = &t->cols[j];
        if (col->kind == HEFT_NOMINAL)
            return heft_fail(
                ctx, HEFT_EUNSUPPORTED,
                "column '%s' is nominal: a LIBSVM file holds numbers alone (write ARFF "
                "or CSV, or --drop it)",
                show(shown, col->name));
        if (col->n_missing)
            return heft_fail(
                ctx, HEFT_EUNSUPPORTED,
                "column '%s' has missing cells: a LIBSVM file holds none (--impute mean "
                "fills them)",
                show(shown, col->name));
    }
    if (t->target && t->target->n_missing)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%zu rows have no class: a LIBSVM file needs one in every row",
                         t->target->n_missing);
    return HEFT_OK;
}

/* Labels are numbers: the class names where they are, else their places in the list of classes. */
static heft_status libsvm_labels(heft_ctx *ctx, writer *w)
{
    const heft_column *target = w->table->target;
    heft_buf           list = {0};
    const size_t       n = target ? heft_dict_size(target->dict) : 0;
    for (uint32_t k = 0; k < n; k++) {
        const char *text = heft_dict_text(target->dict, k);
        double      x;
        char        shown[96];
        if (heft_parse_double(text, text + strlen(text), &x) != HEFT_NUM_OK) w->numbered = true;
        if (k < 10) heft_buf_printf(&list, "%s%u = '%s'", k ? ", " : "", k, show(shown, text));
    }
    if (n > 10) heft_buf_text(&list, ", ...");
    const heft_status st = list.failed ? heft_no_memory(ctx, list.capacity * 2, 1) : HEFT_OK;
    if (st == HEFT_OK && w->numbered)
        heft_say(ctx, HEFT_WARNING, "classes are written as numbers: %s", list.data);
    heft_buf_clear(&list);
    return st;
}

static void libsvm_entry(writer *w, size_t j, double x)
{
    heft_buf_printf(&w->buf, " %zu:", j + 1);
    heft_buf_double(&w->buf, x);
}

static void libsvm_row(writer *w, size_t i)
{
    const heft_table  *t = w->table;
    const heft_sparse *s = t->sparse;
    size_t             last = SIZE_MAX;
    if (!t->target) put(w, "0");
    else if (w->numbered)
        heft_buf_printf(&w->buf, "%u", heft_code_at(t->target->cells, t->target->width, i));
    else put(w, target_text(t, i));
    for (size_t k = s ? s->start[i] : 0; s && k < s->start[i + 1]; k++)
        if (s->val[k] != 0) libsvm_entry(w, last = s->col[k], s->val[k]);
    for (size_t j = 0; !s && j < t->n_cols; j++) {
        const double x = cell_at(w, i, j);
        if (x != 0) libsvm_entry(w, last = j, x);
    }
    /* a zero in the last column of the first row tells how many columns there are */
    if (!w->begun && t->n_cols && last != t->n_cols - 1) libsvm_entry(w, t->n_cols - 1, 0);
    put(w, "\n");
}

/* ---- any format ---- */

static format format_of(const char *word)
{
    static const struct {
        const char *word;
        format      format;
    } known[] = {{"csv", CSV},       {"tsv", TSV},    {"tab", TSV},        {"arff", ARFF},
                 {"libsvm", LIBSVM}, {"svm", LIBSVM}, {"svmlight", LIBSVM}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (heft_same_word(word, known[i].word)) return known[i].format;
    return UNKNOWN;
}

static heft_status choose_format(heft_ctx *ctx, const char *path, const char *name, format *out)
{
    char        shown[96];
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    if (slash && dot && dot < slash) dot = NULL;
    if (dot && (heft_same_word(dot, ".gz") || heft_same_word(dot, ".zst")))
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: files are written unpacked (leave out '%s' and pack it afterwards)",
                         show(shown, path), dot);
    if (name && *name) *out = format_of(name);
    else if (strcmp(path, "-") == 0) *out = CSV;
    else *out = dot ? format_of(dot + 1) : UNKNOWN;
    if (*out == UNKNOWN && !(name && *name) && strncmp(path, "/dev/", 5) == 0) *out = CSV;
    if (*out != UNKNOWN) return HEFT_OK;
    if (name && *name)
        return heft_fail(ctx, HEFT_EINVAL,
                         "--format: '%s' is not known (use csv, tsv, arff, libsvm)",
                         show(shown, name));
    return heft_fail(
        ctx, HEFT_EINVAL,
        "%s: the ending tells no format (use .csv, .tsv, .arff or .libsvm, or --format)",
        show(shown, path));
}

heft_status heft_writer_open(heft_ctx *ctx, const heft_table *schema, const char *path,
                             const char *format_name, heft_writer **out)
{
    heft_status  st = HEFT_OK;
    heft_writer *w = NULL;
    *out = NULL;
    HEFT_HEAP(ctx, w, 1);
    w->table = schema;
    HEFT_TRY(choose_format(ctx, path, format_name, &w->format));
    w->delimiter = w->format == TSV ? '\t' : ',';
    if (w->format == LIBSVM) {
        HEFT_TRY(libsvm_check(ctx, w));
        if (schema->weight)
            heft_say(ctx, HEFT_WARNING, "a LIBSVM file has no weights: they are left out");
        HEFT_TRY(libsvm_labels(ctx, w));
    }
    if (schema->sparse && (w->format == CSV || w->format == TSV))
        HEFT_HEAP(ctx, w->line, schema->n_cols);
    HEFT_TRY(heft_out_open(ctx, path, &w->out));
    if (w->format == ARFF) arff_header(w);
    else if (w->format != LIBSVM) csv_header(ctx, w);
    *out = w, w = NULL;
done:
    heft_writer_abandon(w);
    return st;
}

heft_status heft_writer_rows(heft_ctx *ctx, heft_writer *w, const heft_table *rows)
{
    w->table = rows;
    if (w->format == LIBSVM) HEFT_CHECK(libsvm_check(ctx, w));
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (w->line) spread(w, i, true);
        if (w->format == ARFF) arff_row(w, i);
        else if (w->format == LIBSVM) libsvm_row(w, i);
        else csv_row(w, i);
        w->begun = true;
        if (w->line) spread(w, i, false);
        if (w->buf.length < FLUSH_AT && !w->buf.failed) continue;
        HEFT_CHECK(flush(ctx, w));
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

heft_status heft_writer_commit(heft_ctx *ctx, heft_writer *w)
{
    heft_status st = HEFT_OK;
    HEFT_TRY(flush(ctx, w));
    heft_out *out = w->out;
    w->out = NULL; /* commit frees it */
    HEFT_TRY(heft_out_commit(ctx, out));
done:
    heft_writer_abandon(w);
    return st;
}

void heft_writer_abandon(heft_writer *w)
{
    if (!w) return;
    heft_out_abandon(w->out);
    heft_buf_clear(&w->buf);
    heft_free(w->line);
    heft_free(w);
}

heft_status heft_write_table(heft_ctx *ctx, const heft_table *table, const char *path,
                             const char *format_name)
{
    heft_status  st = HEFT_OK;
    heft_writer *w = NULL;
    HEFT_TRY(heft_writer_open(ctx, table, path, format_name, &w));
    HEFT_TRY(heft_writer_rows(ctx, w, table));
    st = heft_writer_commit(ctx, w);
    w = NULL;
done:
    heft_writer_abandon(w);
    return st;
}
