/* byte_range_test.c - ranks that read a file together get the table of one reader, rank by rank. */
#include "fixture.h"

#include <zlib.h>

#include "data/input.h"
#include "data/table.h"
#include "ranks.h"

enum { MOST_FILES = 6 };

typedef struct reading {
    const char      *path;
    heft_source      how;
    const heft_host *host;
    heft_table      *table[MOST_RANKS];
    heft_status      status[MOST_RANKS];
    heft_error       err[MOST_RANKS];
} reading;

static void read_rank(const heft_comm *comm, void *arg)
{
    reading    *job = arg;
    heft_source how = job->how;
    how.run = RUN(.threads = 1, .comm = comm, .host = job->host);
    job->status[comm->rank] =
        heft_read(job->path, &how, &job->table[comm->rank], &job->err[comm->rank]);
}

/* ---- comparing ---- */

static void same_column(const heft_column *one, const heft_column *part, size_t from, size_t n)
{
    assert_string_equal(one->name, part->name);
    assert_int_equal(one->kind, part->kind);
    if (one->kind == HEFT_NOMINAL) assert_true(heft_dict_equal(one->dict, part->dict));
    for (size_t i = 0; i < n && one->cells; i++) {
        if (one->kind == HEFT_NOMINAL) {
            assert_int_equal(heft_code_at(one->cells, one->width, from + i),
                             heft_code_at(part->cells, part->width, i));
            continue;
        }
        const double a = ((const double *)one->cells)[from + i], b = ((double *)part->cells)[i];
        assert_true(a == b || (isnan(a) && isnan(b)));
    }
}

static void same_entries(const heft_table *one, const heft_table *part, size_t from)
{
    const heft_sparse *a = one->sparse, *b = part->sparse;
    for (size_t i = 0; i < part->n_rows; i++) {
        const size_t n = b->start[i + 1] - b->start[i];
        assert_int_equal(a->start[from + i + 1] - a->start[from + i], n);
        assert_memory_equal(a->col + a->start[from + i], b->col + b->start[i], n * sizeof *a->col);
        assert_memory_equal(a->val + a->start[from + i], b->val + b->start[i], n * sizeof *a->val);
    }
}

static void same_rows(const heft_table *one, const heft_table *part, size_t from)
{
    assert_int_equal(one->n_cols, part->n_cols);
    for (size_t j = 0; j < one->n_cols; j++)
        same_column(&one->cols[j], &part->cols[j], from, part->n_rows);
    same_column(one->target, part->target, from, part->n_rows);
    assert_int_equal(one->sparse != NULL, part->sparse != NULL);
    if (one->sparse) same_entries(one, part, from);
    assert_int_equal(one->weight != NULL, part->weight != NULL);
    for (size_t i = 0; one->weight && i < part->n_rows; i++)
        assert_true(one->weight[from + i] == part->weight[i]);
}

/* Read alone and by 2 to 5 ranks. */
static void check_file(const char *path, const heft_source *how)
{
    heft_table *one;
    OK(heft_read(path, how, &one, &err));
    for (int size = 2; size <= 5; size++) {
        reading job = {.path = path};
        size_t  from = 0;
        if (how) job.how = *how;
        ranks_run(size, read_rank, &job);
        for (int r = 0; r < size; r++) {
            if (job.status[r] != HEFT_OK) fail_msg("%d of %d: %s", r, size, job.err[r].text);
            same_rows(one, job.table[r], from);
            from += job.table[r]->n_rows;
            heft_table_free(job.table[r]);
        }
        assert_int_equal(from, one->n_rows);
    }
    heft_table_free(one);
}

static void check_refused(const char *path, const heft_source *how, int size, const char *text)
{
    reading job = {.path = path};
    if (how) job.how = *how;
    ranks_run(size, read_rank, &job);
    for (int r = 0; r < size; r++) {
        assert_int_not_equal(job.status[r], HEFT_OK);
        assert_null(job.table[r]);
        if (!strstr(job.err[r].text, text)) fail_msg("no '%s' in '%s'", text, job.err[r].text);
        assert_string_equal(job.err[r].text, job.err[0].text);
    }
}

/* ---- files ---- */

static void add(char **at, const char *text)
{
    *at += sprintf(*at, "%s", text);
}

/* A cell with whatever quotes allow. */
static void odd_cell(heft_rng *rng, char **at)
{
    static const char *const cells[] = {
        "plain",   "\"a, b\"",         "\"two\nlines\"", "5\" disk",    "\"say \"\"so\"\"\"",
        "\"\"",    " \"blank\" ",      "\"end\n\"",      "\"\n\n,\n\"", "\"\"\"\"",
        "x\"y\"z", "\"a\"\",\n\"\"b\""};
    add(at, cells[heft_rng_below(rng, sizeof cells / sizeof *cells)]);
}

static void quotes_are_followed(void **state)
{
    static char text[1 << 16];
    heft_rng    rng;
    (void)state;
    heft_rng_init(&rng, 3, 0);
    heft_chunk_bytes = 300;
    for (int round = 0; round < 12; round++) {
        const char *ends = round % 3 == 2 ? "\r\n" : "\n";
        char       *at = text;
        if (round % 2) add(&at, "\xef\xbb\xbf");
        at += sprintf(at, "\"first, name\",x,class%s", ends);
        for (int i = 0; i < 60 + 40 * round; i++) {
            odd_cell(&rng, &at);
            at += sprintf(at, ",%d,%s%s", (int)heft_rng_below(&rng, 9), i % 3 ? "yes" : "no", ends);
            if (heft_rng_below(&rng, 20) == 0) add(&at, ends);
        }
        if (round % 4 == 3) at[-1] = 0; /* no line end at the end */
        const char *path = write_text(temp_path(".csv"), text);
        check_file(path, NULL);
        unlink(path);
    }
    heft_chunk_bytes = (size_t)1 << 20;
}

/* A late word makes a column nominal on every rank; one long record leaves ranks without rows. */
static void kinds_are_agreed(void **state)
{
    static char text[1 << 17];
    char       *at = text;
    (void)state;
    add(&at, "a,b,class\n");
    for (int i = 0; i < 4000; i++)
        at += sprintf(at, "%d,%s,%s\n", i,
                      i == 3990 ? "late"
                      : i % 2   ? "1"
                                : "2",
                      i % 3 ? "u" : "v");
    const char *path = write_text(temp_path(".csv"), text);
    check_file(path, NULL);
    check_file(path, &(heft_source){.positive = "v"});
    check_refused(path, &(heft_source){.positive = "w"}, 3, "there is no class 'w'");
    unlink(path);
    at = text;
    add(&at, "a,class\n1,u\n2,v\n\"");
    for (int i = 0; i < 500; i++) add(&at, "long\n");
    add(&at, "\",u\n4,v\n");
    path = write_text(temp_path(".csv"), text);
    check_file(path, NULL);
    unlink(path);
}

/* Each rank reads row groups of its own; some have none. */
static void row_groups_are_shared(void **state)
{
    static const char *const files[] = {"twice", "gzip-v2", "snappy"};
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/tests/parquet/%s.parquet", getenv("HEFT_ROOT"), files[k]);
        check_file(path, NULL);
        check_file(path, &(heft_source){.nominal = "small", .weight = "count"});
        check_refused(path, &(heft_source){.numeric = "colour"}, 2, "'red' is not a number");
    }
}

static char said[2048];

static void hear(void *user, heft_level level, const char *text)
{
    (void)user;
    if (level == HEFT_WARNING) snprintf(said, sizeof said, "%s", text);
}

/* Rank 0 tells what is odd about a column, with the cells of all ranks. */
static void odd_cells_are_told(void **state)
{
    static char     text[1 << 16];
    const heft_host ears = {.log = hear};
    char           *at = text;
    (void)state;
    add(&at, "a,b,class\n");
    for (int i = 0; i < 3000; i++)
        at +=
            sprintf(at, "%d,%s,%s\n", i, i == 2000 || i == 2900 ? "none" : "1", i % 3 ? "u" : "v");
    const char *path = write_text(temp_path(".csv"), text);
    reading     job = {.path = path, .host = &ears};
    ranks_run(3, read_rank, &job);
    for (int r = 0; r < 3; r++) heft_table_free(job.table[r]);
    assert_non_null(
        strstr(said, ":2002: column 'b' is read as nominal because of 'none' (2 cells are "));
    unlink(path);
}

static void other_formats(void **state)
{
    static char text[1 << 16];
    char       *at = text;
    (void)state;
    add(&at, "% told\n@relation r\n@attribute x numeric\n@attribute 'a b' {p,q,'r s'}\n"
             "@attribute class {yes,no}\n@data\n% rows\n");
    for (int i = 0; i < 300; i++)
        at += sprintf(at, "%d,%s,%s%s\n", i % 7, i % 3 ? "p" : "'r s'", i % 2 ? "yes" : "no",
                      i == 250 ? ", {2}" : "");
    const char *path = write_text(temp_path(".arff"), text);
    check_file(path, NULL);
    unlink(path);
    at = text;
    add(&at, "@relation r\n@attribute x numeric\n@attribute w {p,q}\n@attribute class {yes,no}\n"
             "@data\n");
    for (int i = 0; i < 300; i++)
        at += sprintf(at, i % 3 ? "{0 %d, 2 no}\n" : "{1 q}\n", i % 11 + 1);
    path = write_text(temp_path(".arff"), text);
    check_file(path, NULL);
    unlink(path);
    at = text;
    for (int i = 0; i < 300; i++)
        at += sprintf(at, "%s 1:%d %d:2.5 # x\n", i % 2 ? "+1" : "-1", i, i == 10 ? 40 : 3 + i % 5);
    path = write_text(temp_path(".libsvm"), text);
    check_file(path, NULL);
    check_file(path, &(heft_source){.drop = "c3"});
    unlink(path);
}

static void packed_files(void **state)
{
    static char text[1 << 16];
    char       *at = text;
    const char *path = temp_path(".csv.gz");
    (void)state;
    add(&at, "a,b,class\n");
    for (int i = 0; i < 2000; i++) at += sprintf(at, "%d,\"%c\n\",%d\n", i % 9, 'a' + i % 5, i % 2);
    gzFile f = gzopen(path, "wb");
    gzwrite(f, text, (unsigned)strlen(text));
    gzclose(f);
    check_file(path, NULL);
    assert_int_equal(truncate(path, 150), 0);
    check_refused(path, NULL, 3, "the gzip file is truncated");
    unlink(path);
}

/* ---- several files ---- */

typedef struct parts {
    char        path[MOST_FILES][256];
    const char *more[MOST_FILES];
    heft_source how;
} parts;

/* Files of 40 rows each; `header` in the first, in all or in none. */
static void make_parts(parts *p, size_t n, int header)
{
    for (size_t k = 0; k < n; k++) {
        char text[4096], *at = text;
        if (header == 2 || (header == 1 && k == 0)) add(&at, "num,word,class\n");
        for (int i = 0; i < 40; i++)
            at += sprintf(at, "%d,%c,%s\n", i + (int)k, 'a' + (int)k + i % 3, i % 2 ? "u" : "v");
        strcpy(p->path[k], write_text(temp_path(".csv"), text));
        if (k > 0) p->more[k - 1] = p->path[k];
    }
    p->more[n - 1] = NULL;
    p->how.more = p->more;
}

static void remove_parts(parts *p, size_t n)
{
    for (size_t k = 0; k < n; k++) unlink(p->path[k]);
}

static void files_are_dealt_out(void **state)
{
    (void)state;
    for (int header = 0; header < 3; header++)
        for (size_t n = 2; n <= MOST_FILES; n += 2) { /* fewer than ranks, and more */
            parts p = {0};
            make_parts(&p, n, header);
            check_file(p.path[0], &p.how);
            heft_table *table;
            OK(heft_read(p.path[0], &p.how, &table, &err));
            assert_int_equal(heft_table_rows(table), 40 * n);
            assert_string_equal(table_column(table, 0), header ? "num" : "c1");
            heft_table_free(table);
            remove_parts(&p, n);
        }
}

static void bad_parts(void **state)
{
    parts p = {0};
    (void)state;
    make_parts(&p, 4, 2);
    write_text(p.path[2], "num,other,class\n1,a,u\n2,b,v\n");
    check_refused(p.path[0], &p.how, 3, "column 2 is named 'other', but 'word' in the first file");
    write_text(p.path[2], "num,class\n1,u\n2,v\n");
    check_refused(p.path[0], &p.how, 3, "the line has 2 cells, but the first file has 3 columns");
    write_text(p.path[2], "num,word,class\n1,a,u\n2,b");
    check_refused(p.path[0], &p.how, 3, "the row has 2 cells, but the header has 3");
    write_text(p.path[2], "num,word,class\n1,\"a,u\n2,b,v\n");
    check_refused(p.path[0], &p.how, 3, "never closed");
    write_text(p.path[2], "");
    check_refused(p.path[0], &p.how, 3, "the file is empty");
    unlink(p.path[2]);
    check_refused(p.path[0], &p.how, 3, "cannot open");
    check_refused("absent.csv", NULL, 3, "rank 0: absent.csv: cannot open");
    p.more[0] = "-";
    check_refused(p.path[0], &p.how, 2, "standard input cannot be one of several");
    remove_parts(&p, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_are_followed),   cmocka_unit_test(kinds_are_agreed),
        cmocka_unit_test(row_groups_are_shared), cmocka_unit_test(other_formats),
        cmocka_unit_test(odd_cells_are_told),    cmocka_unit_test(packed_files),
        cmocka_unit_test(files_are_dealt_out),   cmocka_unit_test(bad_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
