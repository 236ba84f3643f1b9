/* faults_test.c - the n-th call on a file fails, for every n: open, read, seek, write, flush,
 * close, naming and renaming, with an error once or from then on, an interruption, or a single byte
 * at a time. Afterwards: the right answer or EIO with a sentence; the old file as it was or the new
 * one whole; nothing beside it; no open file more than before. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "base/io.h"
#include "base/mem.h"
#include "eval/eval.h"

static char   out_path[256];
static size_t n_faults, n_refused, n_survived;

/* ---- files ---- */

static char *get(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    *n = f ? fread(bytes, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return bytes;
}

static size_t count_entries(const char *path)
{
    size_t n = 0;
    DIR   *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n++;
    closedir(d);
    return n;
}

static size_t open_files(void)
{
    return count_entries("/proc/self/fd");
}

/* ---- faults ---- */

typedef struct job {
    const char *name;
    heft_status (*run)(const struct job *job);
    const char *out; /* the file it writes; NULL: none */
} job;

typedef struct fault {
    int  code; /* 0: a byte at a time */
    bool sticky;
} fault;

static const fault faults[] = {{EIO, false}, {EIO, true},    {ENOSPC, false}, {ENOSPC, true},
                               {0, false},   {EINTR, false}, {0, true}};

/* One fault; false when the job made fewer calls than that. */
static bool one_fault(const job *j, const fault *f, size_t n, const char *good, size_t n_good)
{
    static const char old[] = "what was here before";
    if (j->out) write_bytes(j->out, old, sizeof old);
    const size_t entries = count_entries(in_folder(NULL)), files = open_files();
    heft_fail_io_at(n, f->code, f->sticky);
    const heft_status st = j->run(j);
    const bool        reached = heft_io_count() >= n;
    heft_fail_io_at(0, 0, false);
    if (open_files() != files) fail_msg("%s: call %zu: an open file is left", j->name, n);
    if (count_entries(in_folder(NULL)) != entries)
        fail_msg("%s: call %zu: a file is left", j->name, n);
    if (st != HEFT_OK) {
        if (st != HEFT_EIO || strlen(err.text) < 10)
            fail_msg("%s: call %zu: status %d '%s'", j->name, n, st, err.text);
        if (f->code == 0 || f->code == EINTR)
            fail_msg("%s: call %zu: a short or interrupted call is no error: %s", j->name, n,
                     err.text);
    }
    if (j->out) {
        size_t     found;
        char      *bytes = get(j->out, &found);
        const bool is_old = found == sizeof old && memcmp(bytes, old, found) == 0;
        const bool is_new = found == n_good && memcmp(bytes, good, found) == 0;
        free(bytes);
        if (st == HEFT_OK ? !is_new : !is_old)
            fail_msg("%s: call %zu: %s, the file is neither", j->name, n,
                     st == HEFT_OK ? "done" : err.text);
    }
    if (reached) n_faults++, *(st == HEFT_OK ? &n_survived : &n_refused) += 1;
    return reached;
}

static void all_faults(const job *j)
{
    size_t n_good = 0;
    OK(j->run(j));
    char *good = j->out ? get(j->out, &n_good) : NULL;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        for (size_t n = 1; one_fault(j, &faults[k], n, good, n_good);) n++;
    free(good);
}

/* ---- jobs ---- */

static heft_table *table;
static heft_model *model;

static heft_status read_job(const job *j)
{
    heft_table       *t = NULL;
    const heft_status st =
        heft_read(in_folder(j->name), &(heft_source){.run = RUN(.threads = 2)}, &t, &err);
    if (st == HEFT_OK) assert_int_equal(heft_table_rows(t), heft_table_rows(table));
    heft_table_free(t);
    return st;
}

static heft_status load_job(const job *j)
{
    heft_model       *m = NULL;
    const heft_status st = heft_model_load(in_folder(j->name), &m, &err);
    if (st == HEFT_OK) assert_int_equal(heft_model_classes(m), 2);
    heft_model_free(m);
    return st;
}

static heft_status folds_job(const job *j)
{
    heft_results        *r = NULL;
    const heft_table    *data[] = {table};
    const char          *names[] = {"t"}, *methods[] = {"nb", NULL};
    const heft_eval_plan plan = {.methods = methods, .folds_file = in_folder(j->name)};
    const heft_status    st = heft_evaluate(data, names, 1, &plan, &r, &err);
    heft_results_free(r);
    return st;
}

static heft_status costs_job(const job *j)
{
    char        costs[200];
    heft_model *m = NULL;
    const char *params[] = {costs, NULL};
    snprintf(costs, sizeof costs, "costs=%s", in_folder(j->name));
    const heft_config config = {.method = "tcsfsnb", .params = params, .run = RUN(.threads = 1)};
    const heft_status st = heft_fit(table, &config, &m, &err);
    heft_model_free(m);
    return st;
}

static heft_status save_job(const job *j)
{
    return heft_model_save(model, j->out, &err);
}

static heft_status write_job(const job *j)
{
    return heft_write(table, j->out, j->name, NULL, &err);
}

static heft_status predict_job(const job *j)
{
    return heft_predict_table(model, table, j->out,
                              &(heft_predictions){.size = sizeof(heft_predictions),
                                                  .proba = true,
                                                  .run = RUN(.threads = 2),
                                                  .reasons = 2},
                              NULL, &err);
}

static heft_status convert_job(const job *j)
{
    return heft_convert_file(in_folder("t.csv.gz"), &(heft_source){.run = RUN(.threads = 1)}, NULL,
                             j->out, "arff", &err);
}

static heft_status stream_job(const job *j)
{
    return heft_predict_file(model, in_folder("t.csv"), &(heft_source){.like = model}, j->out,
                             &(heft_predictions){.proba = true}, NULL, &err);
}

static heft_status text_job(const job *j)
{
    char             *html = NULL;
    const heft_status st = heft_report_html(model, NULL, NULL, &html, &err);
    if (st != HEFT_OK) return st;
    const heft_status written = heft_text_write(j->out, html, &err);
    heft_text_free(html);
    return written;
}

/* ---- tests ---- */

static void inputs(void **state)
{
    (void)state;
    static const char *const data[] = {"t.csv", "t.arff", "t.svm", "t.csv.gz"};
    for (size_t k = 0; k < sizeof data / sizeof *data; k++)
        all_faults(&(job){data[k], read_job, NULL});
    all_faults(&(job){"m.heft", load_job, NULL});
    all_faults(&(job){"folds", folds_job, NULL});
    all_faults(&(job){"costs", costs_job, NULL});
}

static void outputs(void **state)
{
    (void)state;
    all_faults(&(job){"save", save_job, out_path});
    all_faults(&(job){"csv", write_job, out_path});
    all_faults(&(job){"arff", write_job, out_path});
    all_faults(&(job){"predict", predict_job, out_path});
    all_faults(&(job){"convert file", convert_job, out_path});
    all_faults(&(job){"predict file", stream_job, out_path});
    all_faults(&(job){"report", text_job, out_path});
    print_message("%zu faults: %zu refused with a sentence, %zu without effect\n", n_faults,
                  n_refused, n_survived);
    assert_true(n_faults > 300 && n_refused > 100 && n_survived > 50);
}

/* A target that was not there before is absent after a failure. */
static void new_targets(void **state)
{
    (void)state;
    for (size_t n = 1, reached = 1; reached; n++) {
        const char *path = in_folder("fresh");
        heft_fail_io_at(n, ENOSPC, true);
        const heft_status st = heft_model_save(model, path, &err);
        reached = heft_io_count() >= n;
        heft_fail_io_at(0, 0, false);
        assert_int_equal(access(path, F_OK) == 0, st == HEFT_OK);
        unlink(path);
    }
}

/* A device that is full, and a pipe whose reader is gone, are errors of a sentence. */
static void full_device(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(heft_model_save(model, "/dev/full", &err), HEFT_EIO);
    assert_non_null(strstr(err.text, "No space left"));
    assert_int_equal(heft_write(table, "/dev/full", "csv", NULL, &err), HEFT_EIO);
    assert_int_equal(heft_text_write("/dev/full", "x", &err), HEFT_EIO);
}

/* The permissions of a file that is replaced stay; a link stays a link. Who could run the old
 * contents as the owner must not run the new ones so, and another hard link keeps the old contents.
 */
static void replaced_in_place(void **state)
{
    (void)state;
    struct stat info;
    const char *path = in_folder("kept"), *hard = in_folder("hard"), *soft = in_folder("link");
    write_bytes(path, "x", 1);
    assert_int_equal(chmod(path, 06640), 0);
    assert_int_equal(symlink("kept", soft), 0);
    assert_int_equal(link(path, hard), 0);
    OK(heft_text_write(soft, "new", &err));
    assert_int_equal(lstat(soft, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(info.st_size, 3);
    assert_int_equal(stat(hard, &info), 0);
    assert_int_equal(info.st_size, 1);
    unlink(path), unlink(soft), unlink(hard);
}

/* A file in /dev/shm is a file: replaced whole, never written over in part. */
static void files_below_dev(void **state)
{
    (void)state;
    size_t n;
    char   path[64];
    if (access("/dev/shm", W_OK) != 0) skip();
    snprintf(path, sizeof path, "/dev/shm/heft-test-%ld.arff", (long)getpid());
    OK(heft_text_write(path, "a text that is longer than the next", &err));
    OK(heft_text_write(path, "short", &err));
    char *bytes = get(path, &n);
    assert_int_equal(n, 5);
    free(bytes);
    OK(heft_write(table, path, NULL, NULL, &err));
    bytes = get(path, &n);
    assert_memory_equal(bytes, "@relation", 9);
    free(bytes);
    unlink(path);
}

/* ---- the stage ---- */

static int set_stage(void **state)
{
    char text[4096] = "x,y,class\n", folds[512] = "", svm[4096] = "";
    for (int i = 0; i < 40; i++) {
        char line[64];
        snprintf(line, sizeof line, "%d.5,%c,%s\n", i, 'p' + i % 3, i % 2 ? "a" : "b");
        strcat(text, line);
        snprintf(line, sizeof line, "%d 1:%d 2:1\n", i % 2, i + 1);
        strcat(svm, line);
        strcat(folds, i % 4 < 2 ? "0\n" : "1\n");
    }
    if (open_folder(state) != 0) return -1;
    snprintf(out_path, sizeof out_path, "%s", in_folder("out"));
    write_text(in_folder("t.csv"), text);
    write_text(in_folder("t.svm"), svm);
    write_text(in_folder("folds"), folds);
    write_text(in_folder("costs"), "x,2\ny,1\n");
    gzFile gz = gzopen(in_folder("t.csv.gz"), "wb");
    gzwrite(gz, text, (unsigned)strlen(text));
    gzclose(gz);
    OK(heft_read(in_folder("t.csv"), NULL, &table, &err));
    OK(heft_write(table, in_folder("t.arff"), NULL, NULL, &err));
    model = fit(table, "nb", NULL);
    OK(heft_model_save(model, in_folder("m.heft"), &err));
    return 0;
}

static int clear_stage(void **state)
{
    heft_table_free(table);
    heft_model_free(model);
    return close_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs),
        cmocka_unit_test(outputs),
        cmocka_unit_test(new_targets),
        cmocka_unit_test(full_device),
        cmocka_unit_test(replaced_in_place),
        cmocka_unit_test(files_below_dev),
    };
    return cmocka_run_group_tests_name("faults", tests, set_stage, clear_stage);
}
