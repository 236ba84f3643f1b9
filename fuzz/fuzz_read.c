/* fuzz_read.c - the readers. Built once for each format (FUZZ_FORMAT, NULL: detected).
 *
 * The first line of the input gives the options, KEY=VALUE with bars between: t target, d drop,
 * n numeric, c nominal, p positive, m missing, w weight, h header (1, -1), s separator. The rest is
 * the file. Held to be true: the table is valid; chunks and threads do not change it, nor what is
 * said of text; blocks are its rows; ARFF and CSV written from it read back to it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/batch.h"
#include "data/read.h"
#include "fuzz.h"

enum { MOST_COLUMNS = 2000, MOST_UNPACKED = 1 << 22 };

static void take_options(char *line, heft_source *how)
{
    for (char *word = line, *next; word; word = next) {
        next = strchr(word, '|');
        if (next) *next++ = 0;
        if (!word[0] || word[1] != '=') continue;
        const char *value = word + 2;
        switch (word[0]) {
        case 't':
            how->target = value;
            break;
        case 'd':
            how->drop = value;
            break;
        case 'n':
            how->numeric = value;
            break;
        case 'c':
            how->nominal = value;
            break;
        case 'p':
            how->positive = value;
            break;
        case 'm':
            how->missing = value;
            break;
        case 'w':
            how->weight = value;
            break;
        case 'h':
            how->header = *value == '-' ? -1 : *value == '1';
            break;
        case 's':
            how->delimiter = *value;
            break;
        case 'q':
            how->quote = *value == 'n' ? HEFT_NO_QUOTE : *value;
            break;
        default:
            break;
        }
    }
}

static heft_status read_cut(const char *path, const heft_source *how, size_t chunk, int threads,
                            heft_table **out, heft_error *err)
{
    heft_ctx ctx;
    heft_ctx_init(&ctx, err, threads, 1, NULL);
    heft_chunk_bytes = chunk;
    const heft_status st = heft_read_table(&ctx, path, how, NULL, out);
    heft_ctx_clear(&ctx);
    fuzz_error(st, err);
    fuzz_need((st == HEFT_OK) == (*out != NULL), "a table and a failure, or neither");
    return st;
}

static void write_to(const heft_table *table, const char *path, const char *format)
{
    heft_error        err;
    const heft_status st = heft_write(table, path, format, NULL, &err);
    fuzz_need(st == HEFT_OK, "writing %s: %s", format, err.text);
}

/* A name that a list of columns would take for another. */
static bool is_number(const char *name)
{
    return strspn(name, "+-0123456789") == strlen(name);
}

static bool has_mark(const heft_column *col)
{
    for (uint32_t v = 0; col->dict && v < heft_dict_size(col->dict); v++)
        if (heft_is_usual_mark(HEFT_NOMINAL, heft_dict_text(col->dict, v),
                               heft_dict_length(col->dict, v)))
            return true;
    return false;
}

/* CSV cannot say all that a table can: marks of missing cells as values, names that are numbers
 * (the lists of kinds below go by number), a column of nothing. */
static bool fits_csv(const heft_table *t)
{
    if (t->sparse || !t->target || has_mark(t->target) || is_number(t->target->name)) return false;
    for (size_t j = 0; j < t->n_cols; j++)
        if (has_mark(&t->cols[j]) || is_number(t->cols[j].name)) return false;
    return t->n_cols < 1000;
}

static void list_add(char *list, size_t size, size_t number)
{
    const size_t n = strlen(list);
    snprintf(list + n, size - n, n ? ",%zu" : "%zu", number);
}

/* Values of little but control characters can make a file look like no text. */
static bool like_binary(const heft_error *err)
{
    return strstr(err->text, "binary data, not text") != NULL;
}

static void csv_round_trip(const heft_table *t)
{
    static char numeric[8192], nominal[8192], weight[32];
    heft_source how = {.format = "csv",
                       .delimiter = ',',
                       .header = 1,
                       .target = "-1",
                       .numeric = numeric,
                       .nominal = nominal};
    heft_table *back = NULL;
    heft_error  err;
    numeric[0] = nominal[0] = 0;
    for (size_t j = 0; j < t->n_cols; j++)
        list_add(t->cols[j].kind == HEFT_NUMERIC ? numeric : nominal, sizeof numeric, j + 1);
    if (t->weight) {
        snprintf(weight, sizeof weight, "%zu", t->n_cols + 1);
        how.weight = weight;
    }
    const char *path = fuzz_file(1, "", 0);
    write_to(t, path, "csv");
    const heft_status st = read_cut(path, &how, 1 << 20, 1, &back, &err);
    fuzz_need(st == HEFT_OK || like_binary(&err), "CSV written is refused: %s", err.text);
    if (st == HEFT_OK) fuzz_same_cells(t, back, "CSV written and read");
    heft_table_free(back);
}

static void arff_round_trip(const heft_table *t)
{
    heft_table *back = NULL;
    heft_error  err;
    const char *path = fuzz_file(2, "", 0);
    write_to(t, path, "arff");
    const heft_source how = {.format = "arff", .target = "-1"};
    const heft_status st = read_cut(path, &how, 1 << 20, 1, &back, &err);
    fuzz_need(st == HEFT_OK || like_binary(&err), "ARFF written is refused: %s", err.text);
    if (st == HEFT_OK) fuzz_same_table(t, back, "ARFF written and read");
    heft_table_free(back);
}

typedef struct walk {
    const heft_table *whole;
    size_t            rows;
} walk;

static bool take_block(void *user, const heft_table *rows)
{
    walk *w = user;
    if (w->whole) fuzz_same_block(w->whole, rows, w->rows);
    w->rows += rows->n_rows;
    return true;
}

/* Read in blocks, the file is what it is read at once: the same rows, or refused as well. */
static void read_blocks(const char *path, const heft_source *how, const heft_table *whole)
{
    heft_error  err;
    walk        w = {.whole = whole};
    heft_source one = *how;
    one.run = &(heft_runtime){.threads = 1};
    const heft_status st = heft_read_blocks(path, &one, take_block, &w, &err);
    fuzz_error(st, &err);
    fuzz_need((st == HEFT_OK) == (whole != NULL), "read in blocks: %d '%s'", st, err.text);
    if (whole) fuzz_need(w.rows == whole->n_rows, "read in blocks: %zu rows", w.rows);
}

/* Chunks change neither the answer nor, of text, its words. Of the faults of a Parquet file the
 * first one is told, and which that is depends on the rows that are read together. */
static void need_same(const fuzz_text *file, size_t chunk, heft_status st, heft_status again,
                      const char *err, const char *other)
{
    const bool binary = file->end - file->at >= 4 && memcmp(file->at, "PAR1", 4) == 0;
    const bool both = st != HEFT_OK && again != HEFT_OK;
    if (binary && both) return;
    fuzz_need(st == again, "chunks of %zu: %d and %d, '%s' and '%s'", chunk, st, again, err, other);
    fuzz_need(strcmp(err, other) == 0, "chunks of %zu: '%s' and '%s'", chunk, err, other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        line[512] = "";
    fuzz_text   text = {(const char *)data, (const char *)data + size};
    heft_source how = {.size = sizeof how,
                       .format = FUZZ_FORMAT,
                       .max_columns = MOST_COLUMNS,
                       .max_unpacked = MOST_UNPACKED};
    heft_table *whole = NULL, *part = NULL;
    heft_error  err, other;
    heft_ctx    ctx;

    if (!fuzz_line(&text, line, sizeof line)) return 0;
    take_options(line, &how);
    const char       *path = fuzz_file(0, text.at, (size_t)(text.end - text.at));
    const size_t      chunk = 1 + (size ? data[size / 2] : 0) % 64;
    const heft_status st = read_cut(path, &how, (size_t)1 << 20, 1, &whole, &err);
    const heft_status again = read_cut(path, &how, chunk, 3, &part, &other);
    need_same(&text, chunk, st, again, err.text, other.text);
    if (st == HEFT_OK) {
        heft_ctx_init(&ctx, &err, 1, 1, NULL);
        fuzz_need(heft_table_check(&ctx, whole) == HEFT_OK, "invalid table: %s", err.text);
        heft_ctx_clear(&ctx);
        fuzz_same_table(whole, part, "cut in chunks");
        if (whole->target) arff_round_trip(whole);
        if (fits_csv(whole)) csv_round_trip(whole);
    }
    heft_chunk_bytes = chunk;
    read_blocks(path, &how, whole);
    heft_table_free(whole);
    heft_table_free(part);
    return 0;
}
