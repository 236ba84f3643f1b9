/* cli.h - what the commands of the program share: one struct filled by the parser, option tables,
 * and messages on standard error. The program sees the library through its public headers,
 * and its list of settings (settings_table.h).
 */
#ifndef HEFT_CLI_H
#define HEFT_CLI_H

#include "heft.h"
#include "heft_check.h"
#include "heft_evaluate.h"
#include "heft_host.h"
#include "heft_inspect.h"
#include "heft_methods.h"
#include "heft_ranks.h"
#include "heft_stream.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

struct cli_command;

typedef struct cli_ranks {
    bool      open;
    heft_comm comm;  /* n_ranks > 1: several ranks run this command together */
    int       cores; /* for this rank */
} cli_ranks;

/* Settings of which a command makes what the library gets: models and tables of the names of files,
 * numbers. The members are named as the fields of the library's structs. */
typedef struct cli_given {
    const char  *like, *test;
    const char  *folds, *holdout, *alpha;
    const char **imports; /* plan.imports once parsed */
    bool         header, proba, actual;
    int          reasons;
} cli_given;

/* Everything the command line can say; zero or NULL: not given. Texts point into argv. */
typedef struct cli {
    const struct cli_command *command;
    char                    **operands;
    int                       n_operands;

    heft_runtime   run; /* passed to every call that takes one */
    heft_source    source;
    heft_config    config;
    heft_eval_plan plan;
    const char   **params; /* -p, NULL-terminated; config.params once parsed */
    size_t         n_params;
    const char    *output, *to;
    const char    *json, *csv, *markdown, *latex, *report;
    const char    *predictions, *curves, *fold_csv, *figure;
    int            row, top, verbose;
    bool           details, quiet, help, version;
    bool           saved; /* the operands are saved models */
    bool           flows; /* rows go to standard output as they come: some may have gone */

    heft_export_options exporting;
    cli_given           given;

    heft_host  host;
    heft_error err;
    cli_ranks  ranks;
} cli;

enum { CLI_USUAL_TOP = 100 }; /* attributes that a table shows without --top */

/* ---- opts.c: option tables and the parser ------------------------------------------------- */

typedef enum cli_kind {
    CLI_FLAG,      /* bool */
    CLI_COUNT,     /* int, one more each time */
    CLI_TEXT,      /* const char * */
    CLI_TEXTS,     /* const char **, appended, NULL-terminated */
    CLI_PARAM,     /* NAME=VALUE, appended to cli.params */
    CLI_WORD,      /* const char *, one of the words in `value`, separated by | */
    CLI_FORMAT,    /* the same of the names of data formats */
    CLI_WRITTEN,   /* a format that heft writes */
    CLI_YES_NO,    /* int, 1 or -1 */
    CLI_CHARACTER, /* char */
    CLI_QUOTE,     /* char, HEFT_NO_QUOTE for the word none */
    CLI_NUMBER,    /* int, at least `least` */
    CLI_SIZE,      /* size_t, 1 or `least` M or more; K, M, G, T behind it: times 1024, ... */
    CLI_SEED,      /* uint64_t, 1 or more */
    CLI_SECONDS,   /* double, above 0 */
    /* kinds of the list of settings that are read in the same way as another one */
    CLI_METHOD = CLI_TEXT,
    CLI_OBJECT = CLI_TEXT,
    CLI_OBJECTS = CLI_TEXTS,
    CLI_SWITCH = CLI_FLAG
} cli_kind;

typedef struct cli_option {
    const char *name;   /* without the dashes */
    char        letter; /* 0: none */
    cli_kind    kind;
    size_t      at;    /* place in struct cli */
    const char *value; /* how help writes the value; NULL for flags and counts */
    const char *help;
    int         least;
} cli_option;

typedef struct cli_group { /* a titled table, ended by an option without a name */
    const char       *title;
    const cli_option *options;
} cli_group;

typedef struct cli_command {
    const char      *name;
    const char      *summary;     /* one line */
    const char      *synopsis;    /* after "heft NAME " */
    const char      *about;       /* a paragraph for --help */
    const char      *examples;    /* lines, each a command */
    int              least, most; /* operands; most < 0: any number */
    const char      *operand;     /* as cli_option.value, for completion; NULL: files */
    const cli_group *groups;      /* ended by a group without a title */
    bool             ranks;       /* several ranks run it together */
    void (*prepare)(void);        /* completes the option table; NULL: it is complete */
    int (*run)(cli *c);
} cli_command;

extern const cli_option cli_data_options[];
extern const cli_option cli_select_options[];  /* preparation, with selection */
extern const cli_option cli_prepare_options[]; /* the same without */
extern const cli_option cli_estimate_options[];
extern const cli_option cli_decision_options[];
extern const cli_option cli_common_options[];

/* How help writes the value: the words to choose from, or a placeholder. */
const char *cli_value(const cli_option *o);

/* Parse argv[first..argc-1]. With no command yet set it stops before the first operand. Returns
 * the index it stopped at, or -1 after having said what is wrong. */
int cli_parse(cli *c, int argc, char **argv, int first);

/* Say "heft: error: ... (see heft COMMAND --help)" and return CLI_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_wrong(const cli *c, const char *format, ...);

/* ---- help.c ------------------------------------------------------------------------------- */

void cli_help(const cli_command *command);
void cli_help_overview(const cli_command *const *commands);
/* Returns the nearest of n names (get(i) gives one) when it is near enough to be a typing error;
 * else NULL. */
const char *cli_nearest(const char *word, size_t n, const char *(*get)(const void *, size_t),
                        const void *from);

/* ---- talk.c: messages, progress, signals -------------------------------------------------- */

void   cli_talk_init(cli *c);  /* handlers, colours, clock; before anything is said */
void   cli_talk_setup(cli *c); /* after parsing: completes c->run and connects it */
double cli_clock(void);        /* seconds on a clock that only moves forward */

/* One line to standard error; control characters are made visible. A notice is silenced by -q. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cli_error(const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_warning(const cli *c, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_notice(const cli *c, const char *format, ...);

/* Removes the progress bar, because results follow on standard output. */
void cli_bar_end(void);
/* `path` gets rows as they come; where that is a terminal there is no bar meanwhile. */
void cli_flow(cli *c, const char *path);

/* Turn the outcome into an exit status: says c->err when st is not HEFT_OK. 128 + signal when the
 * user stopped the work. */
int cli_end(const cli *c, heft_status st);

/* Lets this process write messages from here on, whichever rank it is. */
void cli_talk_alone(void);

/* ---- ranks_mpi.c or ranks_none.c: several processes as one -------------------------------- */

/* Find out whether there are other ranks; before anything else is done with the arguments. */
void cli_ranks_open(cli *c, int *argc, char ***argv);
/* Returns CLI_DONE when all ranks were started alike, else CLI_USAGE after saying so. */
int cli_ranks_check(cli *c, int argc, char **argv);
/* Several processes were started and do not know of each other: CLI_USAGE, and it is said why. */
int cli_ranks_apart(void);
/* Returns the worst exit status of all ranks. */
int cli_ranks_close(cli *c, int status);

/* ---- summary.c ---------------------------------------------------------------------------- */

const char *cli_s(size_t n); /* the plural: "" for 1, else "s" */
/* counts[n_class + 3]: the rows to learn from by class; then those without a class, those with
 * weight 0, and all rows. To be freed, also on failure. All ranks call it, and get the sums. */
heft_status cli_count_rows(cli *c, const heft_table *data, int64_t **out);
/* Report a training run. */
void cli_tell_training(const cli *c, const heft_table *data, const heft_model *model,
                       const int64_t *counts, double seconds);

/* ---- shared.c ----------------------------------------------------------------------------- */

/* heft_model_load and heft_text_write, which -v and -vv tell about. */
heft_status cli_load(cli *c, const char *path, heft_model **out);
heft_status cli_write(cli *c, const char *path, const char *text);
/* The rule of --cost or --threshold for a model that has been trained, where one is given. */
heft_status cli_set_rule(cli *c, heft_model *model);
/* Says "PATH: read 12 bytes" where it is a file. */
void cli_tell_size(const cli *c, const char *path, const char *what);
/* With -v: how large the file is that has been written; NULL or "-": nothing. */
void cli_tell_written(const cli *c, const char *path);
/* CLI_DONE, or CLI_USAGE after having said which method is not known. */
int cli_check_method(const char *name);
/* Refuse an unknown method, parameter or preparation word before any data are read, and an output
 * over a file that a parameter names: CLI_DONE, or another exit status after having said what is
 * wrong. */
int cli_check_config(cli *c, const heft_config *config);
/* The same for a command that takes no more of a configuration than --cost and --threshold. */
int cli_check_rule(cli *c);
/* Refuse to write over a file that is read: CLI_DONE, or CLI_USAGE after having said which. */
int cli_check_files(const cli *c);
/* The file's name without folder and without the endings of packing and format, plus `add`; to be
 * freed; NULL when there is no memory. */
char       *cli_base_name(const char *path, const char *add);
heft_status cli_no_memory(heft_error *err);
bool        cli_is_stdout(const char *path); /* "-"; NULL is not */
/* The communicator for the library: NULL alone. */
const heft_comm *cli_comm(const cli *c);
/* How many processes mpirun, srun or the like started, as far as the environment tells: 0 where
 * this one was started by itself. */
int  cli_launched(void);
bool cli_is_first(const cli *c); /* alone, or rank 0: the one that prints and writes */

typedef struct cli_text { /* a growing text; free `data` */
    char  *data;
    size_t length, capacity;
} cli_text;

heft_status cli_text_add(cli_text *text, const char *more, heft_error *err);

/* Inside a command: `heft_status st = HEFT_OK;` and one label `done`. */
#define CLI_TRY(expr)                                                                              \
    do {                                                                                           \
        st = (expr);                                                                               \
        if (st != HEFT_OK) goto done;                                                              \
    } while (0)

extern const cli_command cli_check, cli_train, cli_predict, cli_evaluate, cli_inspect, cli_explain,
    cli_methods, cli_convert, cli_report, cli_export, cli_merge, cli_completion;
extern const cli_command *const cli_commands[]; /* all of them; NULL at the end */

#endif
