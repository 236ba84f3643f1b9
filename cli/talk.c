/* talk.c - messages on standard error: errors, warnings, notices, the progress bar, and what a
 * signal does. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum {
    PATIENCE = 2 /* seconds from a signal to the end of a process that does not react */
};

static volatile sig_atomic_t caught; /* the signal that asked the program to stop; 0: none */

static struct console {
    const cli *owner;  /* the options of this struct say which messages are printed */
    bool       colour; /* standard error understands colours */
    bool       bar;    /* standard error is a terminal that can erase a line */
    bool       bar_shown;
    bool       silent; /* this process prints nothing, because rank 0 does */
    double     began;  /* time at which the program began */
    /* Begin of the current step, its progress then, and the time the bar was last drawn. */
    double piece_began, piece_from, last_drawn;
    char   piece[64]; /* name of the current step, as the bar shows it */
} console;

/* Guards the progress bar and the messages, which any thread may write. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

double cli_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- signals ---- */

static void on_signal(int number)
{
    if (caught || number == SIGALRM) _exit(128 + (caught ? caught : number));
    caught = number;
    alarm(PATIENCE);
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler =
        SIG_DFL; /* a closed pipe ends the program without a message, as in heft ... | head */
    sigaction(SIGPIPE, &action, NULL);
    action.sa_handler = on_signal;
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 3; i++) {
        const int        number = (int[]){SIGINT, SIGTERM, SIGHUP}[i];
        struct sigaction old;
        sigaction(number, NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(number, &action, NULL); /* nohup ignores SIGHUP */
    }
}

/* ---- lines ---- */

static void erase_bar(void)
{
    if (!console.bar_shown) return;
    fputs("\r\033[K", stderr);
    console.bar_shown = false;
}

/* Returns the number of bytes of the UTF-8 character at s, or 0 if a terminal must not get it: it
 * is a control character, changes the direction of writing, or is not valid UTF-8. */
static size_t visible_at(const unsigned char *s)
{
    const unsigned c = s[0];
    const size_t   n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (n == 1) return c >= 0x20 && c != 0x7f;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] >= 0xa0) || (c == 0xf0 && s[1] < 0x90) ||
        (c == 0xf4 && s[1] >= 0x90))
        return 0;                                     /* overlong, surrogate, too large */
    if (n == 2 && c == 0xc2 && s[1] < 0xa0) return 0; /* C1 controls */
    if (n == 3 && c == 0xe2 && s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) return 0;
    if (n == 3 && c == 0xe2 && s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9) return 0;
    return n;
}

/* Write text with control characters as \xNN. File names and cells can contain anything, and must
 * neither break the line of a message nor control the terminal. */
static void put_visible(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const size_t n = visible_at(s);
        if (n == 0) fprintf(stderr, "\\x%02x", *s++);
        for (size_t k = 0; k < n; k++) putc(*s++, stderr);
    }
}

static void put_line(const char *label, const char *colour, const char *text)
{
    if (console.silent) return;
    pthread_mutex_lock(&lock);
    erase_bar();
    fputs("heft: ", stderr);
    if (label) {
        if (console.colour) fprintf(stderr, "\033[%sm%s:\033[0m ", colour, label);
        else fprintf(stderr, "%s: ", label);
    }
    put_visible(text);
    putc('\n', stderr);
    fflush(stderr);
    pthread_mutex_unlock(&lock);
}

static void put_message(const char *label, const char *colour, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    put_line(label, colour, text);
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_message("error", "1;31", format, args);
    va_end(args);
}

void cli_warning(const cli *c, const char *format, ...)
{
    va_list args;
    if (c->quiet) return;
    va_start(args, format);
    put_message("warning", "1;33", format, args);
    va_end(args);
}

void cli_notice(const cli *c, const char *format, ...)
{
    va_list args;
    if (c->quiet) return;
    va_start(args, format);
    put_message(NULL, "", format, args);
    va_end(args);
}

static void on_log(void *user, heft_level level, const char *text)
{
    const cli *c = console.owner;
    (void)user;
    if (level == HEFT_WARNING) cli_warning(c, "%s", text);
    else if ((int)level <= c->verbose) cli_notice(c, "%s", text);
}

/* ---- progress ---- */

/* Draw the bar in one line of a terminal with 80 columns. */
static void draw_bar(const char *what, double done, double left)
{
    enum { MOST = 30, LINE = 79, REST = 23, TEXT = 42 }; /* REST: " [] 100% 99:59:59 left" */
    const int own = (int)strlen(what), length = own > TEXT || strchr(what, ':') ? TEXT : own;
    const int width = length + MOST + REST > LINE ? LINE - REST - length : MOST;
    char      cells[MOST + 1];
    for (int i = 0; i < width; i++) cells[i] = i < (int)(done * width) ? '#' : '.';
    cells[width] = 0;
    fprintf(stderr, "\r\033[K%-*.*s [%s] %3d%%", length, length, what, cells, (int)(done * 100));
    if (left >= 0 && left < 360000) {
        const int s = (int)(left + 0.5);
        if (s >= 3600) fprintf(stderr, " %d:%02d:%02d left", s / 3600, s / 60 % 60, s % 60);
        else fprintf(stderr, " %d:%02d left", s / 60, s % 60);
    }
    fflush(stderr);
    console.bar_shown = true;
}

static void on_progress(void *user, const char *what, double done)
{
    (void)user;
    const double now = cli_clock();
    const size_t all = strcspn(what, ":"), length = all < sizeof console.piece ? all : 0;
    pthread_mutex_lock(&lock);
    if (strncmp(what, console.piece, length) != 0 ||
        console.piece[length]) { /* a new step of the work */
        memcpy(console.piece, what, length);
        console.piece[length] = 0;
        console.piece_began = now;
        console.piece_from = done;
    }
    if (now - console.began > 1 && now - console.last_drawn > 0.1) {
        const double share = done - console.piece_from;
        const double left = share > 0.01 ? (now - console.piece_began) * (1 - done) / share : -1;
        draw_bar(what, done < 0 ? 0 : done > 1 ? 1 : done, left);
        console.last_drawn = now;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- public ---- */

void cli_talk_init(cli *c)
{
    static char message[BUFSIZ]; /* buffer that makes a message one write */
    const char *no_colour = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    const bool  able = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    setvbuf(stderr, message, _IOFBF, sizeof message);
    console.colour = able && !(no_colour && *no_colour);
    console.bar = able;
    console.began = cli_clock();
    console.silent = !cli_is_first(c);
    console.owner = c;
    c->host = (heft_host){
        .log = on_log, .cancelled = heft_flag_raised, .user = (void *)(uintptr_t)&caught};
    catch_signals();
}

void cli_talk_alone(void)
{
    console.silent = false;
}

void cli_talk_setup(cli *c)
{
    if (console.bar && !c->quiet && !console.silent) c->host.progress = on_progress;
    if (!c->run.threads) c->run.threads = c->ranks.cores;
    c->run.host = &c->host;
    c->run.comm = c->command->ranks ? cli_comm(c) : NULL; /* others run on rank 0 only */
    c->source.run = c->config.run = &c->run;
    c->plan.config = &c->config;
}

void cli_bar_end(void)
{
    pthread_mutex_lock(&lock);
    erase_bar();
    fflush(stderr);
    pthread_mutex_unlock(&lock);
}

void cli_flow(cli *c, const char *path)
{
    c->flows = cli_is_stdout(path);
    if (c->flows && isatty(STDOUT_FILENO)) c->host.progress = NULL;
}

int cli_end(const cli *c, heft_status st)
{
    cli_bar_end();
    if (caught && st != HEFT_OK) {
        const char *by = caught == SIGINT ? "the user" : "a signal";
        if (c->plan.resume && access(c->plan.resume, R_OK) == 0)
            cli_error("stopped by %s; the finished results are in %s", by, c->plan.resume);
        else cli_error("stopped by %s%s", by, c->flows ? "" : "; nothing was written");
        return 128 + (int)caught;
    }
    if (st == HEFT_OK && fflush(stdout) != 0) {
        cli_error("standard output: %s", strerror(errno));
        return CLI_FAILED;
    }
    if (st == HEFT_OK && ferror(stdout)) { /* an earlier write failed; errno has changed since */
        cli_error("standard output: not all of it could be written");
        return CLI_FAILED;
    }
    if (st == HEFT_OK) return CLI_DONE;
    cli_error("%s", c->err.text);
    return CLI_FAILED;
}
