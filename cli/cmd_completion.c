/* cmd_completion.c - heft completion SHELL: scripts made from the option tables.
 *
 * What to complete follows from how help writes a value: "csv|arff" is a choice of words, FILE,
 * MODEL and DATA are files, DIR is a folder, METHOD is the name of a method, "METHOD,..." a list of
 * them. Placeholders inside a choice are not offered: "width:B" gives the word "width:",
 * "mdl[:SCALE]" gives "mdl", and "CLASS=P,..." gives no word. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef enum kind { NOTHING, WORDS, FILES, FOLDERS, METHODS, METHOD_LIST } kind;

typedef struct choice {
    kind kind;
    char words[1024]; /* separated by blanks */
} choice;

static void add_word(choice *c, const char *word, size_t length)
{
    const size_t at = strlen(c->words);
    snprintf(c->words + at, sizeof c->words - at, "%s%.*s", at ? " " : "", (int)length, word);
}

static choice choice_of(const char *value)
{
    static const struct {
        const char *value;
        kind        kind;
    } kinds[] = {{"FILE", FILES},  {"MODEL", FILES},    {"DATA", FILES},
                 {"DIR", FOLDERS}, {"METHOD", METHODS}, {"METHOD,...", METHOD_LIST}};
    choice c = {0};
    for (const char *w = strchr(value, '|') ? value : NULL; w; w = strchr(w, '|')) {
        w += *w == '|';
        const size_t length = strcspn(w, "|[:");
        if (islower((unsigned char)*w)) add_word(&c, w, length + (w[length] == ':'));
    }
    if (c.words[0]) c.kind = WORDS;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(value, kinds[k].value) == 0) c.kind = kinds[k].kind;
    if (c.kind == METHODS || c.kind == METHOD_LIST)
        for (size_t i = 0; i < heft_method_count(); i++)
            add_word(&c, heft_method_at(i)->name, strlen(heft_method_at(i)->name));
    return c;
}

static choice operand_choice(const cli_command *command)
{
    return choice_of(command->operand ? command->operand : "FILE");
}

/* Print `text` for use inside apostrophes, with a backslash before each character of `special`. An
 * apostrophe in the text ends the quoted text of the shell and begins it again. */
static void put_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *text)) putchar('\\');
        putchar(*text);
    }
}

/* ---- bash ---- */

static void bash_action(const choice *c, const char *indent)
{
    static const char *const actions[] = {[NOTHING] = ":",           [WORDS] = "_heft_words",
                                          [FILES] = "_heft_files",   [FOLDERS] = "_heft_folders",
                                          [METHODS] = "_heft_words", [METHOD_LIST] = "_heft_list"};
    printf("%s%s", indent, actions[c->kind]);
    if (c->words[0]) printf(" '%s'", c->words);
    puts(" ;;");
}

static void bash_names(const cli_option *o, const char *between)
{
    if (o->letter) printf("-%c%s", o->letter, between);
    printf("--%s", o->name);
}

static void bash_command(const cli_command *command)
{
    printf("    %s)\n        options='", command->name);
    for (const cli_group *g = command->groups; g->title; g++)
        for (const cli_option *o = g->options; o->name; o++) {
            if (g > command->groups || o > g->options) putchar(' ');
            bash_names(o, " ");
        }
    puts("'\n        case $option in");
    for (const cli_group *g = command->groups; g->title; g++)
        for (const cli_option *o = g->options; o->name; o++) {
            if (!o->value) continue;
            const choice c = choice_of(cli_value(o));
            fputs("        ", stdout);
            bash_names(o, " | ");
            bash_action(&c, ") ");
        }
    const choice operand = operand_choice(command);
    fputs("        *) [[ $cur == -* ]] && _heft_words \"$options\" ||", stdout);
    bash_action(&operand, " ");
    puts("        esac ;;");
}

static void bash_script(void)
{
    puts("# bash completion for heft; made by 'heft completion bash'\n"
         "\n"
         "_heft_words()\n"
         "{\n"
         "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
         "    [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *: ]] && compopt -o nospace 2>/dev/null\n"
         "    return 0\n"
         "}\n"
         "\n"
         "_heft_list() # words separated by commas\n"
         "{\n"
         "    local before=\n"
         "    [[ $cur == *,* ]] && before=${cur%,*},\n"
         "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n"
         "}\n"
         "\n"
         "_heft_paths()\n"
         "{\n"
         "    local IFS=$'\\n'\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n"
         "}\n"
         "\n"
         "_heft_files() { _heft_paths -f; }\n"
         "_heft_folders() { _heft_paths -d; }\n"
         "\n"
         "_heft()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    local command= option= options= i\n"
         "    COMPREPLY=()\n"
         "    if [[ $cur == = ]]; then\n"
         "        option=$prev cur=\n"
         "    elif [[ $prev == = ]]; then\n"
         "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    elif [[ $prev == -* ]]; then\n"
         "        option=$prev\n"
         "    fi\n"
         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "        case ${COMP_WORDS[i]} in\n"
         "        --threads) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); ((i++)) ;;\n"
         "        -* | = | help) ;;\n"
         "        *) command=${COMP_WORDS[i]}; break ;;\n"
         "        esac\n"
         "    done\n"
         "    case $command in\n"
         "    '')");
    fputs("        [[ $cur == -* ]] && _heft_words '", stdout);
    for (const cli_option *o = cli_common_options; o->name; o++) {
        if (o > cli_common_options) putchar(' ');
        bash_names(o, " ");
    }
    fputs("' || _heft_words '", stdout);
    for (size_t i = 0; cli_commands[i]; i++) printf("%s%s", i ? " " : "", cli_commands[i]->name);
    puts("' ;;");
    for (size_t i = 0; cli_commands[i]; i++) bash_command(cli_commands[i]);
    puts("    esac\n"
         "}\n"
         "\n"
         "complete -F _heft heft");
}

/* ---- zsh ---- */

static void zsh_action(const choice *c)
{
    switch (c->kind) {
    case NOTHING:
        break;
    case WORDS:
    case METHODS:
        putchar('(');
        put_quoted(c->words, ":");
        putchar(')');
        break;
    case FILES:
        fputs("_files", stdout);
        break;
    case FOLDERS:
        fputs("_files -/", stdout);
        break;
    case METHOD_LIST:
        printf("_sequence compadd - %s", c->words);
        break;
    }
}

static void zsh_option(const cli_option *o)
{
    const bool value = o->value != NULL,
               again = o->kind == CLI_PARAM || o->kind == CLI_TEXTS || o->kind == CLI_COUNT;
    fputs("        ", stdout);
    if (o->letter && again) printf("'*'{-%c,--%s}", o->letter, o->name);
    else if (o->letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}", o->letter, o->name, o->letter, value ? "+" : "",
               o->name, value ? "=" : "");
    else printf("--%s%s", o->name, value ? "=" : "");
    fputs("'[", stdout);
    put_quoted(o->help, "[]:\\");
    putchar(']');
    if (value) {
        const choice c = choice_of(cli_value(o));
        putchar(':');
        put_quoted(c.kind == WORDS ? o->name : cli_value(o), ":[]");
        putchar(':');
        zsh_action(&c);
    }
    puts("' \\");
}

static void zsh_script(void)
{
    puts("#compdef heft\n"
         "# zsh completion for heft; made by 'heft completion zsh'\n"
         "\n"
         "_heft()\n"
         "{\n"
         "    local curcontext=$curcontext state\n"
         "    local -a commands line\n"
         "    local -A opt_args\n"
         "    _arguments -C \\");
    for (const cli_option *o = cli_common_options; o->name; o++) zsh_option(o);
    puts("        '1: :->command' '*:: :->arguments' && return\n"
         "    if [[ $state == command ]]; then\n"
         "        commands=(");
    for (size_t i = 0; cli_commands[i]; i++) {
        printf("            '%s:", cli_commands[i]->name);
        put_quoted(cli_commands[i]->summary, "");
        puts("'");
    }
    puts("        )\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    case $words[1] in");
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        const choice       operand = operand_choice(command);
        printf("    %s) _arguments -s \\\n", command->name);
        for (const cli_group *g = command->groups; g->title; g++)
            for (const cli_option *o = g->options; o->name; o++) zsh_option(o);
        fputs("        '*: :", stdout);
        zsh_action(&operand);
        puts("' ;;");
    }
    puts("    esac\n"
         "}\n"
         "\n"
         "if [[ $funcstack[1] == _heft ]]; then _heft \"$@\"; else compdef _heft heft; fi");
}

/* ---- fish ---- */

/* Print the end of a line that begins with "complete -c heft". */
static void fish_action(const choice *c)
{
    switch (c->kind) {
    case NOTHING:
        fputs(" -x", stdout);
        break;
    case WORDS:
    case METHODS:
        printf(" -x -a '%s'", c->words);
        break;
    case FILES:
        fputs(" -r -F", stdout);
        break;
    case FOLDERS:
        fputs(" -x -a '(__fish_complete_directories)'", stdout);
        break;
    case METHOD_LIST:
        printf(" -x -a '(__fish_append , %s)'", c->words);
        break;
    }
}

static void fish_text(const char *text)
{
    fputs(" -d '", stdout);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    puts("'");
}

static void fish_option(const char *condition, const char *command, const cli_option *o)
{
    printf("complete -c heft -n '%s%s'", condition, command);
    if (o->letter) printf(" -s %c", o->letter);
    printf(" -l %s", o->name);
    if (o->value) {
        const choice c = choice_of(cli_value(o));
        fish_action(&c);
    }
    fish_text(o->help);
}

static void fish_script(void)
{
    static const char seen[] = "__fish_seen_subcommand_from ";
    puts("# fish completion for heft; made by 'heft completion fish'\n"
         "complete -c heft -f");
    for (const cli_option *o = cli_common_options; o->name; o++)
        fish_option("__fish_use_subcommand", "", o);
    for (size_t i = 0; cli_commands[i]; i++) {
        printf("complete -c heft -n __fish_use_subcommand -a %s", cli_commands[i]->name);
        fish_text(cli_commands[i]->summary);
    }
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        const choice       operand = operand_choice(command);
        for (const cli_group *g = command->groups; g->title; g++)
            for (const cli_option *o = g->options; o->name; o++)
                fish_option(seen, command->name, o);
        printf("complete -c heft -n '%s%s'", seen, command->name);
        if (operand.kind == FILES) puts(" -F");
        else printf(" -a '%s'\n", operand.words);
    }
}

/* ---- the command ---- */

static int run(cli *c)
{
    static const struct {
        const char *name;
        void (*write)(void);
    } shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    for (size_t i = 0; cli_commands[i]; i++)
        if (cli_commands[i]->prepare) cli_commands[i]->prepare();
    for (size_t k = 0; k < sizeof shells / sizeof *shells; k++)
        if (strcmp(c->operands[0], shells[k].name) == 0) {
            shells[k].write();
            return cli_end(c, HEFT_OK);
        }
    return cli_wrong(c, "completion takes bash, zsh or fish, not '%s'", c->operands[0]);
}

static const cli_group groups[] = {
    {"General", cli_common_options},
    {0},
};

const cli_command cli_completion = {
    .name = "completion",
    .summary = "print a script that completes commands in a shell",
    .synopsis = "bash|zsh|fish",
    .about = "Print a script that completes the commands, options and values of heft in a shell. "
             "Installed packages contain these scripts; the command is for other installations.",
    .examples = "  source <(heft completion bash)         # in ~/.bashrc\n"
                "  source <(heft completion zsh)          # in ~/.zshrc, after compinit\n"
                "  heft completion fish > ~/.config/fish/completions/heft.fish\n",
    .least = 1,
    .most = 1,
    .operand = "bash|zsh|fish",
    .groups = groups,
    .run = run,
};
