/* cli.h - what the commands of the program share.
 *
 * The program is a thin layer over the library, which it sees through the public headers alone. One
 * struct, `cli`, holds everything that a command line can say, and one parser (opts.c) fills it for
 * every command. The parser is driven by option tables: a row has the name of an option, the kind
 * of its value and the offset of the field that gets it. Settings that the library has too are not
 * written down again: settings_table.h makes their rows from lib/base/settings.def, the one list
 * from which the library's checks and messages and the Python package are made as well. Their
 * fields are members of the library's own structs (heft_source, heft_config, heft_eval_plan), so
 * that nothing has to be copied from options to arguments. The parser, the help and the completion
 * scripts read the same tables and cannot disagree.
 *
 * Each command is one file cmd_NAME.c with a `cli_command`: its tables, its texts for the help and
 * a function `run`, which refuses what makes no sense, calls the library and prints the answer.
 * Results go to standard output or to the file of -o. Everything else (errors, warnings, notices,
 * the progress bar) goes to standard error (talk.c), so that output can be piped. The exit status
 * is 0 for success, 1 for a failure, 2 for a wrong command line and 128 + N after signal N.
 *
 * With MPI several processes, called ranks, run one command together (ranks_mpi.c); only rank 0
 * prints. */
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
    bool      open;  /* MPI has been opened and must be closed at the end */
    heft_comm comm;  /* the functions that join the ranks; with n_ranks > 1 there are others */
    int       cores; /* number of processor cores for this rank */
} cli_ranks;

/* Settings whose text a command must convert before the library gets them: a file name becomes a
 * model or a table, a text becomes a number. The members have the names of the library's fields. */
typedef struct cli_given {
    const char  *like, *test;
    const char  *folds, *holdout, *alpha;
    const char **imports; /* files of --import; plan.imports points to the list after parsing */
    bool         header, proba, actual;
    int          reasons;
} cli_given;

/* Everything the command line can say. Zero or NULL means that an option was not given. Texts point
 * into argv. */
typedef struct cli {
    const struct cli_command *command;
    char                    **operands;
    int                       n_operands;

    heft_runtime   run; /* threads, memory and host; passed to every call that takes a runtime */
    heft_source    source;
    heft_config    config;
    heft_eval_plan plan;
    const char   **params; /* -p, NULL-terminated; config.params points here after parsing */
    size_t         n_params;
    const char    *output, *to;
    const char    *json, *csv, *markdown, *latex, *report;
    const char    *predictions, *curves, *fold_csv, *figure;
    int            row, top, verbose;
    bool           details, quiet, help, version;
    bool           saved; /* the operands are saved models */
    bool           flows; /* rows go to standard output while they are read */

    heft_export_options exporting;
    cli_given           given;

    heft_host  host;
    heft_error err;
    cli_ranks  ranks;
} cli;

enum { CLI_USUAL_TOP = 100 }; /* number of attributes that a table shows without --top */

/* ---- opts.c: option tables and the parser ------------------------------------------------- */

typedef enum cli_kind {
    CLI_FLAG,      /* bool */
    CLI_COUNT,     /* int: how often the option was given */
    CLI_TEXT,      /* const char * */
    CLI_TEXTS,     /* const char **: a NULL-terminated list; each use of the option adds a text */
    CLI_PARAM,     /* NAME=VALUE, appended to cli.params */
    CLI_WORD,      /* const char *, one of the words in `value`, separated by | */
    CLI_FORMAT,    /* const char *, the name of a data format */
    CLI_WRITTEN,   /* const char *, the name of a data format that heft can write */
    CLI_YES_NO,    /* int: yes is 1, no is -1, so that 0 means not given */
    CLI_CHARACTER, /* char */
    CLI_QUOTE,     /* char; the word none gives HEFT_NO_QUOTE */
    CLI_NUMBER,    /* int, at least `least` */
    CLI_SIZE,      /* size_t with a suffix K, M, G or T; at least 1, or `least` MB */
    CLI_SEED,      /* uint64_t, 1 or more */
    CLI_SECONDS,   /* double, above 0 */
    /* Kinds that settings.def tells apart and the parser reads alike. */
    CLI_METHOD = CLI_TEXT,
    CLI_OBJECT = CLI_TEXT,
    CLI_OBJECTS = CLI_TEXTS,
    CLI_SWITCH = CLI_FLAG
} cli_kind;

typedef struct cli_option {
    const char *name;   /* name without the dashes */
    char        letter; /* short name; 0: there is none */
    cli_kind    kind;
    size_t      at;    /* offset of the field in struct cli */
    const char *value; /* how help writes the value; NULL for flags and counts */
    const char *help;
    int         least; /* least value of CLI_NUMBER and CLI_SIZE */
} cli_option;

typedef struct cli_group { /* a titled table, ended by an option without a name */
    const char       *title;
    const cli_option *options;
} cli_group;

typedef struct cli_command {
    const char      *name;
    const char      *summary;     /* one line */
    const char      *synopsis;    /* what follows "heft NAME " in the usage line */
    const char      *about;       /* a paragraph for --help */
    const char      *examples;    /* lines, each a command */
    int              least, most; /* allowed number of operands; most < 0: no limit */
    const char      *operand;     /* what completion offers, as cli_option.value; NULL: files */
    const cli_group *groups;      /* ended by a group without a title */
    bool             ranks; /* several ranks run the command together; else rank 0 alone does */
    void (*prepare)(void);  /* completes the option table before parsing; NULL: it is complete */
    int (*run)(cli *c);
} cli_command;

extern const cli_option cli_data_options[];
extern const cli_option cli_select_options[];  /* options of the preparation, --select included */
extern const cli_option cli_prepare_options[]; /* options of the preparation without --select */
extern const cli_option cli_estimate_options[];
extern const cli_option cli_decision_options[];
extern const cli_option cli_common_options[];

/* Returns how help writes the value of an option: the words to choose from, or a placeholder. */
const char *cli_value(const cli_option *o);

/* Whether the command line gave one of the options of a table. */
bool cli_any_given(const cli *c, const cli_option *options);

/* Parse argv[first..argc-1]. While c->command is not set, parsing stops before the first operand,
 * which is the name of the command. Returns the index at which parsing stopped, or -1 after having
 * said what is wrong. */
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

/* Set signal handlers, colours and the clock. Call it before any message. */
void cli_talk_init(cli *c);
/* After parsing, complete c->run and make source, config and plan point to it. */
void cli_talk_setup(cli *c);
/* Returns seconds of a clock that never goes back. */
double cli_clock(void);

/* Write one line to standard error, with control characters made visible. The option -q silences
 * notices. */
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

/* Remove the progress bar, because results follow on standard output. */
void cli_bar_end(void);
/* Announce that rows are written to `path` while they are read. If this is a terminal, the progress
 * bar is switched off, because it would mix with the rows. */
void cli_flow(cli *c, const char *path);

/* Turn a status into an exit status, and print c->err if st is not HEFT_OK. If a signal stopped the
 * work, the exit status is 128 plus its number. */
int cli_end(const cli *c, heft_status st);

/* Let this process write messages from here on, whichever rank it is. */
void cli_talk_alone(void);

/* ---- ranks_mpi.c or ranks_none.c: several processes as one -------------------------------- */

/* Find out whether there are other ranks. It must be called first, because MPI may remove arguments
 * of its own. */
void cli_ranks_open(cli *c, int *argc, char ***argv);
/* Returns CLI_DONE if all ranks have the same version and arguments, else CLI_USAGE after a
 * message. */
int cli_ranks_check(cli *c, int argc, char **argv);
/* Say that several processes were started which cannot talk to each other. Returns CLI_USAGE. */
int cli_ranks_apart(void);
/* Close MPI if it is open. Returns the highest exit status of all ranks. */
int cli_ranks_close(cli *c, int status);

/* ---- summary.c ---------------------------------------------------------------------------- */

const char *cli_s(size_t n); /* the plural ending: "" for 1, else "s" */
/* Count rows: *out has the number of rows to learn from of each class, then the numbers of rows
 * without a class, of rows with weight 0, and of all rows. The caller frees it, also after a
 * failure. All ranks must call this function; each gets the sums over all ranks. */
heft_status cli_count_rows(cli *c, const heft_table *data, int64_t **out);
/* Report a training run on standard error. */
void cli_tell_training(const cli *c, const heft_table *data, const heft_model *model,
                       const int64_t *counts, double seconds);

/* ---- shared.c ----------------------------------------------------------------------------- */

/* Call heft_model_load and heft_text_write, and report them under -v or -vv. */
heft_status cli_load(cli *c, const char *path, heft_model **out);
heft_status cli_write(cli *c, const char *path, const char *text);
/* Give a trained model the decision rule of --cost or --threshold, if one of these was given. */
heft_status cli_set_rule(cli *c, heft_model *model);
/* Say "PATH: WHAT 12 bytes", such as "PATH: read 12 bytes", if `path` is a regular file. */
void cli_tell_size(const cli *c, const char *path, const char *what);
/* Under -v, say how large the written file is. Nothing is said if `path` is NULL or "-". */
void cli_tell_written(const cli *c, const char *path);
/* Returns CLI_DONE for a known method, else CLI_USAGE after a message. */
int cli_check_method(const char *name);
/* Refuse an unknown method, parameter or preparation word before any data are read, and an output
 * that would overwrite a file which a parameter names. Returns CLI_DONE, or another exit status
 * after a message. */
int cli_check_config(cli *c, const heft_config *config);
/* Refuse a wrong --cost or --threshold, for a command that uses no other setting of a
 * configuration. Returns as cli_check_config does. */
int cli_check_rule(cli *c);
/* Refuse to overwrite a file that is also read. Returns CLI_DONE, or CLI_USAGE after a message. */
int cli_check_files(const cli *c);
/* Returns the name of the file without its folder and without the endings of compression and
 * format, followed by `add`. The caller frees it. NULL means that there is no memory. */
char       *cli_base_name(const char *path, const char *add);
heft_status cli_no_memory(heft_error *err);
bool        cli_is_stdout(const char *path); /* true for "-", false for NULL */
/* Returns the communicator for the library; NULL if this process is alone. */
const heft_comm *cli_comm(const cli *c);
/* Returns how many processes mpirun, srun or a similar launcher started, as far as the environment
 * tells, or 0 if this process was started without one. */
int cli_launched(void);
/* Returns true for rank 0 and for a single process, which print and write. */
bool cli_is_first(const cli *c);

typedef struct cli_text { /* a growing text; the caller frees `data` */
    char  *data;
    size_t length, capacity;
} cli_text;

heft_status cli_text_add(cli_text *text, const char *more, heft_error *err);

/* Leave a command at its label `done` on failure. The command declares `heft_status st`. */
#define CLI_TRY(expr)                                                                              \
    do {                                                                                           \
        st = (expr);                                                                               \
        if (st != HEFT_OK) goto done;                                                              \
    } while (0)

extern const cli_command cli_check, cli_train, cli_predict, cli_evaluate, cli_inspect, cli_explain,
    cli_methods, cli_convert, cli_report, cli_export, cli_merge, cli_completion;
extern const cli_command *const cli_commands[]; /* all commands, NULL at the end */

#endif
