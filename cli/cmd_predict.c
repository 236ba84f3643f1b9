/* cmd_predict.c - heft predict MODEL DATA [-o FILE] [--proba] [--reasons N] */
#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE",
     "write the predictions to FILE (default: standard output)", 0},
#define IF_PREDICT ROW
#define IF_DECIDE(owner, field, name, letter, kind, least, value, help)                            \
    ROW(owner, field, name, letter, kind, least, value,                                            \
        help ", whatever rule the model was trained with")
#include "settings_table.h"
    {0},
};

static const cli_group groups[] = {
    {"Prediction", options},
    {"Data", cli_data_options},
    {"General", cli_common_options},
    {0},
};

/* Predict the range of rows that is this rank's. If the model is distributed over the ranks, every
 * rank predicts all rows, because each prediction needs all ranks. */
static heft_status predict_ranks(cli *c, heft_model **model, const heft_predictions *how,
                                 heft_tally *tally)
{
    heft_status st = HEFT_OK;
    heft_table *data = NULL;
    CLI_TRY(heft_model_load_ranks(c->operands[0], cli_comm(c), model, &c->err));
    CLI_TRY(cli_set_rule(c, *model));
    c->source.like = *model;
    c->source.whole = heft_model_is_spread(*model);
    CLI_TRY(heft_read(c->operands[1], &c->source, &data, &c->err));
    CLI_TRY(heft_predict_table(*model, data, c->output ? c->output : "-", how, tally, &c->err));
done:
    heft_table_free(data);
    return st;
}

static heft_status predict_alone(cli *c, heft_model **model, const heft_predictions *how,
                                 heft_tally *tally)
{
    heft_status st = HEFT_OK;
    CLI_TRY(cli_load(c, c->operands[0], model));
    CLI_TRY(cli_set_rule(c, *model));
    CLI_TRY(heft_predict_file(*model, c->operands[1], &c->source, c->output ? c->output : "-", how,
                              tally, &c->err));
done:
    return st;
}

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    heft_tally  tally = {0};

    const heft_predictions how = {.size = sizeof how,
                                  .proba = c->given.proba,
                                  .actual = c->given.actual,
                                  .run = &c->run,
                                  .reasons = (size_t)c->given.reasons};

    const int status = cli_check_rule(c);
    if (status != CLI_DONE) return status;
    cli_flow(c, c->output ? c->output : "-");
    CLI_TRY(cli_comm(c) ? predict_ranks(c, &model, &how, &tally)
                        : predict_alone(c, &model, &how, &tally));
    cli_tell_written(c, c->output);
    if (tally.n_labelled > 0)
        cli_notice(c, "%s: accuracy %.4f (%zu of %zu rows correct)", c->operands[1],
                   (double)tally.n_right / (double)tally.n_labelled, tally.n_right,
                   tally.n_labelled);
done:
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_predict = {
    .name = "predict",
    .summary = "predict the class of each row",
    .synopsis = "MODEL DATA [-o FILE] [--proba] [--reasons N] [options]",
    .about = "Write one CSV line per row of DATA: the predicted class, with --proba the "
             "probability of each class, and with --reasons the attributes that decided. Columns "
             "are matched by name and categories by their text; "
             "other columns are ignored. If DATA has the class column, the accuracy is printed on "
             "standard error.",
    .examples = "  heft predict iris.heft new.csv\n"
                "  heft predict iris.heft new.csv.gz --proba -o out.csv\n"
                "  heft predict iris.heft new.csv --reasons 3\n"
                "  cut -d, -f1-4 iris.csv | heft predict iris.heft - --format csv\n",
    .least = 2,
    .most = 2,
    .groups = groups,
    .ranks = true,
    .run = run,
};
