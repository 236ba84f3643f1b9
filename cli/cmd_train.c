/* cmd_train.c - heft train DATA [-o MODEL] [-m METHOD] [-p NAME=VALUE]... */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "MODEL",
     "where to write the model (default: the data's name with .heft, in the current folder)", 0},
    {"method", 'm', CLI_TEXT, offsetof(cli, config.method), "METHOD",
     "how to learn (default: auto); heft methods lists the methods and tells which when", 0},
    {"param", 'p', CLI_PARAM, 0, "NAME=VALUE",
     "a parameter of the method, see heft methods METHOD; may be repeated", 0},
    {"like", 0, CLI_TEXT, offsetof(cli, like), "MODEL",
     "prepare the rows as MODEL does, and learn by its method and parameters unless given; so "
     "trained, models of parts can be merged",
     0},
    {"part", 0, CLI_FLAG, offsetof(cli, config.part), NULL,
     "DATA is a part of more: one class will do, and all that heft merge needs is kept", 0},
    {"seed", 0, CLI_SEED, offsetof(cli, config.seed), "S", "seed of random choices (default: 1)",
     0},
    {0},
};

static const cli_group groups[] = {
    {"Training", options},
    {"Data", cli_data_options},
    {"Preparation, learned from the training rows and stored in the model", cli_prepare_options},
    {"Estimates", cli_estimate_options},
    {"General", cli_common_options},
    {0},
};

static const char *label(const char *path)
{
    return cli_is_stdout(path) ? "standard input" : path;
}

static int run(cli *c)
{
    heft_status  st = HEFT_OK;
    heft_table  *data = NULL;
    heft_model  *model = NULL, *like = NULL;
    char        *own_name = NULL;
    const char **more = NULL;
    const char  *from = c->operands[0];
    const double began = cli_clock();

    if (!c->output && cli_is_stdout(from))
        return cli_wrong(c, "data from standard input need -o MODEL");
    if (cli_is_stdout(c->output) && !cli_comm(c) && isatty(STDOUT_FILENO)) /* mpirun's always is */
        return cli_wrong(c, "a model is not for a terminal; name a file after -o");
    if (c->like) {
        CLI_TRY(cli_comm(c) ? heft_model_load_ranks(c->like, cli_comm(c), &like, &c->err)
                            : heft_model_load(c->like, &like, &c->err));
        c->config.like = c->source.like = like;
    }
    const int status = cli_check_config(c, &c->config);
    if (status != CLI_DONE) {
        heft_model_free(like);
        return status;
    }
    if (!c->output) {
        own_name = cli_base_name(from, ".heft");
        if (!own_name) CLI_TRY(cli_no_memory(&c->err));
        c->output = own_name;
        if (cli_check_files(c) != CLI_DONE) {
            heft_model_free(like);
            free(own_name);
            return CLI_USAGE;
        }
    }
    more = calloc((size_t)c->n_operands, sizeof *more);
    if (!more) {
        st = cli_no_memory(&c->err);
        goto done;
    }
    for (int k = 1; k < c->n_operands; k++) more[k - 1] = c->operands[k];
    c->source.more = more;
    c->source.comm = c->config.comm = cli_comm(c);
    CLI_TRY(heft_read(from, &c->source, &data, &c->err));
    CLI_TRY(heft_fit(data, &c->config, &model, &c->err));
    CLI_TRY(heft_model_gather(model, &c->err));
    if (!cli_is_first(c)) goto done;
    const char  *method = heft_model_method(model);
    const size_t n_rows = heft_table_rows_total(data), n_attr = heft_table_attributes(data);
    const size_t n_class = heft_model_classes(model);
    CLI_TRY(heft_model_save(model, c->output, &c->err));
    cli_notice(c, "learned %s from %s%s: %zu rows, %zu attributes, %zu classes, %.3f s; model: %s",
               method, label(from), c->n_operands > 1 ? " and others" : "", n_rows, n_attr, n_class,
               cli_clock() - began, cli_is_stdout(c->output) ? "standard output" : c->output);
done:
    heft_model_free(like);
    heft_model_free(model);
    heft_table_free(data);
    free(own_name);
    free(more);
    return cli_end(c, st);
}

const cli_command cli_train = {
    .name = "train",
    .summary = "learn a model from data and write it to a file",
    .synopsis = "DATA... [-o MODEL] [-m METHOD] [-p NAME=VALUE]... [options]",
    .about =
        "Learn to predict the class column of DATA from its other columns and write the model, "
        "together with how it prepared the data, to a file. Several DATA are parts of one table: "
        "the same columns, a header in the first or in each.",
    .examples = "  heft train iris.csv                             # writes iris.heft\n"
                "  heft train adult.csv.gz -t income --drop id -o adult.heft\n"
                "  heft train glass.arff -m nb --discretize mdl --impute mean\n"
                "  heft train june.csv --like may.heft -o june.heft\n"

                "  zcat big.csv.gz | heft train - --format csv -o big.heft\n"
                "  heft train part-*.csv -o whole.heft             # parts of one table\n",
    .least = 1,
    .most = -1,
    .groups = groups,
    .ranks = true,
    .run = run,
};
