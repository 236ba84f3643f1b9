/* cmd_train.c - heft train DATA [-o MODEL] [-m METHOD] [-p NAME=VALUE]... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "MODEL",
     "file for the model (default: the name of DATA with .heft, in the current folder)", 0},
#define IF_TRAIN ROW
#define IF_DRAW  ROW
#include "settings_table.h"
    {0},
};

static const cli_group groups[] = {
    {"Training", options},
    {"Data", cli_data_options},
    {"Preparation, learned from the training rows and stored in the model", cli_select_options},
    {"Estimation", cli_estimate_options},
    {"Decision", cli_decision_options},
    {"General", cli_common_options},
    {0},
};

static int run(cli *c)
{
    heft_status  st = HEFT_OK;
    heft_table  *data = NULL;
    heft_model  *model = NULL, *like = NULL;
    char        *own_name = NULL;
    const char **more = NULL;
    int64_t     *counts = NULL;
    const char  *from = c->operands[0];
    const double began = cli_clock();
    int          status = CLI_DONE;

    if (c->config.method && strchr(c->config.method, ',')) {
        cli_error("train takes one method, not '%s' (heft evaluate compares several)",
                  c->config.method);
        return CLI_USAGE;
    }
    if (!c->output && cli_is_stdout(from))
        return cli_wrong(c, "reading from standard input needs -o MODEL");
    /* Under mpirun standard output always looks like a terminal. */
    if (cli_is_stdout(c->output) && !cli_comm(c) && isatty(STDOUT_FILENO))
        return cli_wrong(c, "cannot write a model to a terminal; name a file with -o");
    if (c->given.like) {
        CLI_TRY(cli_comm(c) ? heft_model_load_ranks(c->given.like, cli_comm(c), &like, &c->err)
                            : cli_load(c, c->given.like, &like));
        c->config.like = c->source.like = like;
    }
    if (!c->output) {
        own_name = cli_base_name(from, ".heft");
        if (!own_name) CLI_TRY(cli_no_memory(&c->err));
        c->output = own_name;
        status = cli_check_files(c);
    }
    if (status == CLI_DONE) status = cli_check_config(c, &c->config);
    if (status != CLI_DONE) {
        heft_model_free(like);
        free(own_name);
        return status;
    }
    more = calloc((size_t)c->n_operands, sizeof *more);
    if (!more) {
        st = cli_no_memory(&c->err);
        goto done;
    }
    for (int k = 1; k < c->n_operands; k++) more[k - 1] = c->operands[k];
    c->source.more = more;
    CLI_TRY(heft_read(from, &c->source, &data, &c->err));
    CLI_TRY(heft_check_warn(data, c->config.method ? c->config.method : "auto", false, &c->run,
                            &c->err));
    CLI_TRY(heft_fit(data, &c->config, &model, &c->err));
    CLI_TRY(heft_model_gather(model, &c->err));
    CLI_TRY(cli_count_rows(c, data, &counts));
    if (!cli_is_first(c)) goto done;
    CLI_TRY(heft_model_save(model, c->output, &c->err));
    cli_tell_written(c, c->output);
    cli_tell_training(c, data, model, counts, cli_clock() - began);
done:
    heft_model_free(like);
    heft_model_free(model);
    heft_table_free(data);
    free(own_name);
    free(more);
    free(counts);
    return cli_end(c, st);
}

const cli_command cli_train = {
    .name = "train",
    .summary = "train a model and save it to a file",
    .synopsis = "DATA... [-o MODEL] [-m METHOD] [-p NAME=VALUE]... [options]",
    .about =
        "Train a model that predicts the class column of DATA from the other columns, and save it "
        "together with the preparation of the data. Several DATA files are read as one table: "
        "they must have the same columns in the same order, with a header in the first file or in "
        "each.",
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
