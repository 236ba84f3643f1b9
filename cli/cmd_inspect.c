/* cmd_inspect.c - heft inspect MODEL [--json FILE] [--top N] */
#include "cli.h"

static const cli_option options[] = {
    {"json", 0, CLI_TEXT, offsetof(cli, json), "FILE",
     "also write everything to FILE as JSON; if FILE is -, print only the JSON", 0},
    {"top", 0, CLI_NUMBER, offsetof(cli, top), "N",
     "list the N most important attributes (default: 100)", 1},
    {0},
};

static const cli_group groups[] = {
    {"Inspection", options},
    {"General", cli_common_options},
    {0},
};

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    char       *text = NULL, *json = NULL;

    CLI_TRY(cli_load(c, c->operands[0], &model));
    if (c->json) {
        CLI_TRY(heft_inspect_text(model, "json", 0, &json, &c->err));
        CLI_TRY(cli_write(c, c->json, json));
    }
    if (!cli_is_stdout(c->json)) {
        const int top = c->top ? c->top : CLI_USUAL_TOP;
        CLI_TRY(heft_inspect_text(model, "text", (size_t)top, &text, &c->err));
        CLI_TRY(cli_write(c, "-", text));
    }
done:
    heft_text_free(json);
    heft_text_free(text);
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_inspect = {
    .name = "inspect",
    .summary = "show what a model has learned",
    .synopsis = "MODEL [--json FILE] [--top N]",
    .about = "Show the method, the classes and their prior probabilities, and the weight of each "
             "attribute; at the end the preparation of the data and facts about the training.",
    .examples = "  heft inspect iris.heft\n"
                "  heft inspect genes.heft --top 20\n"
                "  heft inspect iris.heft --json - | jq .prior\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .run = run,
};
