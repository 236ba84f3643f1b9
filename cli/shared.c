/* shared.c - functions that several commands need: checks of files, loading, writing, names. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const char *method_name(const void *from, size_t i)
{
    (void)from;
    return heft_method_at(i)->name;
}

int cli_check_method(const char *name)
{
    if (heft_method_find(name)) return CLI_DONE;
    const char *near = cli_nearest(name, heft_method_count(), method_name, NULL);
    cli_error("unknown method '%s'%s%s%s (run 'heft methods' to list all methods)", name,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return CLI_USAGE;
}

/* ---- refusing outputs that would overwrite inputs ---- */

/* Whether output `a` and input `b` are the same regular file, also through links or another
 * spelling of the path. "-" is standard output for `a` and standard input for `b`. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (!a || !b) return false;
    if ((strcmp(a, "-") == 0 ? fstat(STDOUT_FILENO, &one) : stat(a, &one)) != 0) return false;
    if ((strcmp(b, "-") == 0 ? fstat(STDIN_FILENO, &other) : stat(b, &other)) != 0) return false;
    if (!S_ISREG(one.st_mode)) return false;
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

enum { N_OUTPUTS = 11 };

static void list_outputs(const cli *c, const char *out[N_OUTPUTS])
{
    const char *const all[N_OUTPUTS] = {
        c->output,      c->json,   c->csv,      c->markdown, c->latex, c->report,
        c->predictions, c->curves, c->fold_csv, c->figure,   "-"}; /* may go to a file */
    memcpy(out, all, sizeof all);
}

/* Returns CLI_DONE, or CLI_USAGE after a message if an output would overwrite the input `from`. */
static int check_input(const cli *c, const char *from)
{
    const char *to[N_OUTPUTS];
    list_outputs(c, to);
    for (size_t k = 0; k < N_OUTPUTS; k++) {
        if (!same_file(to[k], from)) continue;
        cli_error("the output %s is the input %s and would be overwritten (name another file)",
                  strcmp(to[k], "-") == 0 ? "on standard output" : to[k],
                  strcmp(from, "-") == 0 ? "from standard input" : from);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

int cli_check_files(const cli *c)
{
    const bool        chosen = c->command == &cli_convert; /* its --select may name a model file */
    const char *const read[] = {c->given.like, c->given.test, c->plan.folds_file,
                                chosen ? c->config.select : NULL};
    const char       *to[N_OUTPUTS];
    int               status = CLI_DONE;
    for (int k = 0; status == CLI_DONE && k < c->n_operands; k++)
        status = check_input(c, c->operands[k]);
    for (size_t k = 0; status == CLI_DONE && k < sizeof read / sizeof *read; k++)
        status = check_input(c, read[k]);
    for (const char **path = c->given.imports; status == CLI_DONE && path && *path; path++)
        status = check_input(c, *path);
    list_outputs(c, to);
    if (status != CLI_DONE) return status;
    for (size_t k = 0; k + 1 < N_OUTPUTS; k++)
        for (size_t i = k + 1; i + 1 < N_OUTPUTS; i++) {
            if (!to[k] || !to[i] || strcmp(to[k], "-") == 0) continue;
            if (strcmp(to[k], to[i]) != 0 && !same_file(to[k], to[i])) continue;
            cli_error("%s is named for two outputs (name another file)", to[k]);
            return CLI_USAGE;
        }
    return status;
}

int cli_check_config(cli *c, const heft_config *config)
{
    heft_status st = heft_config_check(config, &c->err);
    int         status = CLI_DONE;
    if (st == HEFT_EINVAL) {
        if (config->method) status = cli_check_method(config->method);
        if (status != CLI_DONE) return status;
        cli_error("%s", c->err.text);
        return CLI_USAGE;
    }
    char *path = NULL;
    for (size_t k = 0; st == HEFT_OK && status == CLI_DONE && (k == 0 || path); k++) {
        heft_text_free(path);
        st = heft_config_file(config, k, &path, &c->err);
        if (st == HEFT_OK) status = check_input(c, path);
    }
    heft_text_free(path);
    return st == HEFT_OK ? status : cli_end(c, st);
}

int cli_check_rule(cli *c)
{
    const heft_status st = heft_decision_check(c->config.cost, c->config.threshold, &c->err);
    if (st == HEFT_OK) return c->config.cost ? check_input(c, c->config.cost) : CLI_DONE;
    if (st != HEFT_EINVAL) return cli_end(c, st);
    cli_error("%s", c->err.text);
    return CLI_USAGE;
}

char *cli_base_name(const char *path, const char *add)
{
    char        *name = heft_data_name(path);
    const size_t n = name ? strlen(name) : 0, more = strlen(add);
    char        *out = name ? malloc(n + more + 1) : NULL;
    if (out) memcpy(out, name, n), memcpy(out + n, add, more + 1);
    heft_text_free(name);
    return out;
}

void cli_tell_size(const cli *c, const char *path, const char *what)
{
    struct stat file;
    if (path && !cli_is_stdout(path) && stat(path, &file) == 0 && S_ISREG(file.st_mode))
        cli_notice(c, "%s: %s %lld bytes", path, what, (long long)file.st_size);
}

void cli_tell_written(const cli *c, const char *path)
{
    if (c->verbose > 0) cli_tell_size(c, path, "wrote");
}

heft_status cli_write(cli *c, const char *path, const char *text)
{
    if (cli_is_stdout(path)) cli_bar_end();
    const heft_status st = heft_text_write(path, text, &c->err);
    if (st == HEFT_OK) cli_tell_written(c, path);
    return st;
}

heft_status cli_load(cli *c, const char *path, heft_model **out)
{
    const double      began = cli_clock();
    const heft_status st = heft_model_load(path, out, &c->err);
    const char *const next = c->n_operands > 1 && path == c->operands[0] ? c->operands[1] : NULL;
    if (st == HEFT_EFORMAT && next && !c->saved && heft_is_model_file(next))
        snprintf(c->err.text, sizeof c->err.text,
                 "%s is not a heft model (the model comes first: heft %s %s %s)", path,
                 c->command->name, next, path);
    if (st != HEFT_OK || c->verbose < 1) return st;
    const size_t n_attr = heft_model_attributes(*out), n_class = heft_model_classes(*out);
    cli_notice(c, "%s: loaded a model of method %s, %zu attribute%s, %zu class%s, in %.3f s", path,
               heft_model_method(*out), n_attr, cli_s(n_attr), n_class, n_class == 1 ? "" : "es",
               cli_clock() - began);
    if (c->verbose > 1) cli_tell_size(c, path, "read");
    return HEFT_OK;
}

heft_status cli_set_rule(cli *c, heft_model *model)
{
    if (!c->config.cost && !c->config.threshold) return HEFT_OK;
    return heft_model_set_decision(model, c->config.cost, c->config.threshold, &c->err);
}

heft_status cli_no_memory(heft_error *err)
{
    err->code = HEFT_ENOMEM;
    snprintf(err->text, sizeof err->text, "out of memory");
    return HEFT_ENOMEM;
}

bool cli_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

const heft_comm *cli_comm(const cli *c)
{
    return c->ranks.comm.n_ranks > 1 ? &c->ranks.comm : NULL;
}

int cli_launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    const char              *size = NULL, *rank = getenv("PMIX_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    for (size_t k = 0; !size && k < sizeof sizes / sizeof *sizes; k++) size = getenv(sizes[k]);
    if (!size && !rank) return 0;
    if (!size) size = getenv("SLURM_STEP_NUM_TASKS"); /* PMIx under srun gives only the rank */
    const long n = size ? strtol(size, NULL, 10) : strtol(rank, NULL, 10) + 1;
    return n > INT_MAX ? INT_MAX : n < 1 ? 1 : (int)n;
}

bool cli_is_first(const cli *c)
{
    return c->ranks.comm.n_ranks < 2 || c->ranks.comm.rank == 0;
}

heft_status cli_text_add(cli_text *text, const char *more, heft_error *err)
{
    const size_t length = strlen(more);
    if (text->length + length + 1 > text->capacity) {
        const size_t capacity = (text->length + length + 1) * 2;
        char        *grown = realloc(text->data, capacity);
        if (!grown) return cli_no_memory(err);
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, more, length + 1);
    text->length += length;
    return HEFT_OK;
}
