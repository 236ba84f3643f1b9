/* results_table.c - results for people: data sets by methods, on a terminal, in Markdown or LaTeX.
 *
 * With several stages and one data set the stages are the lines of one table; with several data
 * sets each stage has a table, and a last one has their averages. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCREEN = 100, NAME_BYTES = 28, GAP = 2 };

static const double LEAST_P = 0.0001; /* smaller ones are shown as below it */

/* Lines of a first column and one column per method; texts are in scratch memory. */
typedef struct grid {
    heft_style   style;
    size_t       n_lines, n_cols, room;
    const char **text;
    size_t       rule; /* a line is drawn above this one; 0: none */
} grid;

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* ---- cells ---- */

/* Take the text of a buffer into scratch memory, and empty it. */
static heft_status keep(heft_ctx *ctx, heft_buf *buf, const char **out)
{
    heft_status st = HEFT_OK;
    char       *text = NULL, *copy = NULL;
    HEFT_TRY(heft_buf_take(ctx, buf, &text));
    HEFT_TRY(heft_arena_copy(ctx, &ctx->scratch, text, &copy));
done:
    heft_free(text);
    *out = copy;
    return st;
}

static void put_latex(heft_buf *buf, char c)
{
    static const struct {
        char        c;
        const char *text;
    } named[] = {{'\\', "\\textbackslash{}"},  {'~', "\\textasciitilde{}"},
                 {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},     {'|', "\\textbar{}"},
                 {'"', "\\textquotedbl{}"}};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (named[k].c == c) {
            heft_buf_text(buf, named[k].text);
            return;
        }
    if (strchr("&%$#_{}", c)) heft_buf_text(buf, "\\");
    heft_buf_add(buf, &c, 1);
}

/* A name as it can be shown: cut, without control characters, and what the style would take for
 * its own escaped. */
static void put_name(heft_buf *buf, const char *name, size_t most, heft_style style)
{
    char shown[2048];
    heft_show(shown, sizeof shown, name, strlen(name), most);
    for (const char *s = shown; *s; s++) {
        if (style == HEFT_LATEX) {
            put_latex(buf, *s);
            continue;
        }
        if (style == HEFT_MARKDOWN && strchr("|\\`*_<[", *s)) heft_buf_text(buf, "\\");
        heft_buf_add(buf, s, 1);
    }
}

static bool has_marks(const heft_results *results)
{
    return results->n_method > 1 && results->folds > 1;
}

static void put_mean(heft_buf *buf, const heft_cell *cell, heft_style style)
{
    if (cell->failure) {
        heft_buf_text(buf, style == HEFT_LATEX ? "--" : "-");
        return;
    }
    heft_buf_fixed(buf, 100 * cell->accuracy, 2);
    if (cell->n_folds < 2) return;
    heft_buf_text(buf, style == HEFT_LATEX ? " $\\pm$ " : " ± ");
    if (style == HEFT_PLAIN && 100 * cell->accuracy_sd < 9.995) heft_buf_text(buf, " ");
    heft_buf_fixed(buf, 100 * cell->accuracy_sd, 2);
}

/* 95.33 ± 4.50, the best with a star or in bold, then + or - where it differs from the first
 * significantly; on a terminal star and sign have columns of their own. */
static void put_accuracy(heft_buf *buf, const heft_results *results, size_t d, size_t m,
                         heft_style style)
{
    static const char *const signs[3][3] = {
        {"-", " ", "+"}, {" −", "", " +"}, {" $\\bullet$", "", " $\\circ$"}};
    static const char *const open[3] = {"", "**", "\\textbf{"}, *const close[3] = {"", "**", "}"};
    const bool best = heft_results_best(results, d, m);
    if (best) heft_buf_text(buf, open[style]);
    put_mean(buf, heft_results_cell(results, d, m), style);
    if (best) heft_buf_text(buf, close[style]);
    if (style == HEFT_PLAIN && results->n_method > 1) heft_buf_text(buf, best ? "*" : " ");
    if (has_marks(results)) heft_buf_text(buf, signs[style][heft_results_mark(results, d, m) + 1]);
}

static void put_fixed(heft_buf *buf, double x, int decimals)
{
    if (isfinite(x)) heft_buf_fixed(buf, x, decimals);
    else heft_buf_text(buf, "-");
}

static void put_p(heft_buf *buf, double p, heft_style style)
{
    if (p < LEAST_P) heft_buf_text(buf, style == HEFT_LATEX ? "$<$ 0.0001" : "< 0.0001");
    else put_fixed(buf, p, 4);
}

typedef enum line_kind { AVERAGE, RANK, RECORD, SIGNIFICANT, WILCOXON, HOLM, N_KINDS } line_kind;

static const char *const line_names[N_KINDS] = {"average",     "mean rank",  "win/tie/loss",
                                                "significant", "Wilcoxon p", "  Holm"};

static bool is_shown(const heft_results *results, const heft_summary *s, line_kind kind)
{
    switch (kind) {
    case AVERAGE:
        return results->n_data > 1;
    case RANK:
        return results->n_data > 1 && results->n_method > 1;
    case RECORD:
        return results->n_method > 1;
    case SIGNIFICANT:
        return has_marks(results);
    case WILCOXON:
        return results->n_method > 1 && s->n_complete > 1;
    default:
        return results->n_method > 2 && s->n_complete > 1;
    }
}

static void put_summary(heft_buf *buf, const heft_rival *r, line_kind kind, bool first,
                        heft_style style)
{
    const bool against = kind != AVERAGE && kind != RANK;
    if (against && (first || !r->ran)) heft_buf_text(buf, first ? "" : "-");
    else if (kind == AVERAGE) put_fixed(buf, 100 * r->mean_accuracy, 2);
    else if (kind == RANK) put_fixed(buf, r->mean_rank, 2);
    else if (kind == RECORD) heft_buf_printf(buf, "%zu/%zu/%zu", r->wins, r->ties, r->losses);
    else if (kind == SIGNIFICANT)
        heft_buf_printf(buf, "%zu/%zu/%zu", r->better,
                        r->wins + r->ties + r->losses - r->better - r->worse, r->worse);
    else put_p(buf, kind == HOLM ? r->wilcoxon_holm : r->wilcoxon, style);
}

/* ---- the grid ---- */

typedef enum content { HEAD, SET, SUMMARY, STAGE } content;

typedef struct shown_line { /* what a line of the grid shows */
    content             kind;
    const heft_results *results;
    const heft_summary *s;
    const char         *label;
    size_t              d;
    line_kind           which;
} shown_line;

static void put_cell(heft_buf *buf, const shown_line *l, size_t m, heft_style style)
{
    const size_t blanks = has_marks(l->results) ? 2 : l->results->n_method > 1 ? 1 : 0;
    if (l->kind == HEAD) put_name(buf, l->results->methods[m], NAME_BYTES, style);
    else if (l->kind == SET) put_accuracy(buf, l->results, l->d, m, style);
    else if (l->kind == STAGE) put_fixed(buf, 100 * l->s->rivals[m].mean_accuracy, 2);
    else put_summary(buf, &l->s->rivals[m], l->which, m == 0, style);
    for (size_t k = 0; l->kind != SET && style == HEFT_PLAIN && k < blanks; k++)
        heft_buf_text(buf, " ");
}

static heft_status add_line(heft_ctx *ctx, grid *g, const shown_line *l)
{
    heft_status  st = HEFT_OK;
    heft_buf     buf = {0};
    const char **text = g->text + g->n_lines++ * g->n_cols;
    put_name(&buf, l->label, NAME_BYTES, g->style);
    HEFT_TRY(keep(ctx, &buf, &text[0]));
    for (size_t m = 0; m + 1 < g->n_cols; m++) {
        put_cell(&buf, l, m, g->style);
        HEFT_TRY(keep(ctx, &buf, &text[m + 1]));
    }
done:
    heft_buf_clear(&buf);
    return st;
}

static heft_status open_grid(heft_ctx *ctx, const heft_results *results, heft_style style,
                             const char *label, size_t n_lines, grid *g)
{
    size_t cells;
    *g = (grid){.style = style, .n_cols = results->n_method + 1, .room = n_lines + 1};
    if (!heft_product(g->n_cols, g->room, &cells)) return heft_no_memory(ctx, g->n_cols, g->room);
    HEFT_ALLOC(ctx, &ctx->scratch, g->text, cells);
    return add_line(ctx, g, &(shown_line){.kind = HEAD, .results = results, .label = label});
}

/* The data sets of one stage, and what is summed up over them. */
static heft_status set_grid(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                            heft_style style, grid *g)
{
    HEFT_CHECK(open_grid(ctx, results, style, "data", results->n_data + N_KINDS, g));
    for (size_t d = 0; d < results->n_data; d++)
        HEFT_CHECK(
            add_line(ctx, g, &(shown_line){SET, results, s, results->sets[d].name, d, AVERAGE}));
    for (line_kind k = AVERAGE; k < N_KINDS; k++) {
        if (!is_shown(results, s, k)) continue;
        if (!g->rule) g->rule = g->n_lines;
        HEFT_CHECK(add_line(ctx, g, &(shown_line){SUMMARY, results, s, line_names[k], 0, k}));
    }
    return HEFT_OK;
}

/* One line for each stage: the only data set, or the average over several. */
static heft_status stage_grid(heft_ctx *ctx, const heft_results *results, heft_style style, grid *g)
{
    const size_t n = heft_results_stages(results);
    const char  *label = results->n_data == 1 ? results->sets[0].name : "average";
    HEFT_CHECK(open_grid(ctx, results, style, label, n, g));
    for (size_t k = 0; k < n; k++) {
        const heft_results at = heft_results_at(results, k);
        const char        *name = heft_results_stage(results, k)->name;
        heft_summary       s = {0};
        if (results->n_data > 1) HEFT_CHECK(heft_summarise(ctx, &at, &s));
        HEFT_CHECK(add_line(
            ctx, g, &(shown_line){results->n_data == 1 ? SET : STAGE, &at, &s, name, 0, AVERAGE}));
    }
    return HEFT_OK;
}

static size_t column_width(const grid *g, size_t k)
{
    size_t most = 0;
    for (size_t i = 0; i < g->n_lines; i++) {
        const size_t w = width_of(g->text[i * g->n_cols + k]);
        if (w > most) most = w;
    }
    return most;
}

static void put_spaces(heft_buf *buf, size_t n)
{
    while (n--) heft_buf_add(buf, " ", 1);
}

/* Columns 0 and from..to-1, the methods right-aligned; no blanks at the end of a line. */
static void put_panel(heft_buf *buf, const grid *g, size_t from, size_t to)
{
    for (size_t i = 0; i < g->n_lines; i++) {
        const char **line = g->text + i * g->n_cols;
        size_t       blanks = column_width(g, 0) - width_of(line[0]);
        if (i == 1 || (g->rule && i == g->rule)) {
            size_t n = column_width(g, 0);
            for (size_t k = from; k < to; k++) n += GAP + column_width(g, k);
            while (n--) heft_buf_text(buf, "-");
            heft_buf_text(buf, "\n");
        }
        heft_buf_text(buf, line[0]);
        for (size_t k = from; k < to; k++) {
            size_t length = strlen(line[k]);
            blanks += GAP + column_width(g, k) - width_of(line[k]);
            while (length && line[k][length - 1] == ' ') length--;
            if (length) put_spaces(buf, blanks);
            heft_buf_add(buf, line[k], length);
            blanks = (length ? 0 : blanks) + strlen(line[k]) - length;
        }
        heft_buf_text(buf, "\n");
    }
}

/* As many methods side by side as the screen holds; the others below. */
static void put_panels(heft_buf *buf, const grid *g)
{
    for (size_t from = 1; from < g->n_cols;) {
        size_t to = from, width = column_width(g, 0);
        do width += GAP + column_width(g, to++);
        while (to < g->n_cols && width + GAP + column_width(g, to) <= SCREEN);
        if (from > 1) heft_buf_text(buf, "\n");
        put_panel(buf, g, from, to);
        from = to;
    }
}

static void put_tabular(heft_buf *buf, const grid *g)
{
    heft_buf_text(buf, "\\begin{tabular}{l");
    for (size_t k = 1; k < g->n_cols; k++) heft_buf_text(buf, "r");
    heft_buf_text(buf, "}\n\\toprule\n");
    for (size_t i = 0; i < g->n_lines; i++) {
        if (g->rule && i == g->rule) heft_buf_text(buf, "\\midrule\n");
        for (size_t k = 0; k < g->n_cols; k++) {
            heft_buf_text(buf, k ? " & " : "");
            heft_buf_text(buf, g->text[i * g->n_cols + k]);
        }
        heft_buf_text(buf, i ? " \\\\\n" : " \\\\\n\\midrule\n");
    }
    heft_buf_text(buf, "\\bottomrule\n\\end{tabular}\n");
}

static void put_markdown(heft_buf *buf, const grid *g)
{
    for (size_t i = 0; i < g->n_lines; i++) {
        for (size_t k = 0; k < g->n_cols; k++) {
            heft_buf_text(buf, k ? " " : "| ");
            heft_buf_text(buf, g->text[i * g->n_cols + k]);
            heft_buf_text(buf, " |");
        }
        heft_buf_text(buf, "\n");
        for (size_t k = 0; i == 0 && k < g->n_cols; k++) heft_buf_text(buf, k ? "---:|" : "|---|");
        if (i == 0) heft_buf_text(buf, "\n");
    }
}

static void put_grid(heft_buf *buf, const grid *g)
{
    if (g->style == HEFT_PLAIN) put_panels(buf, g);
    else if (g->style == HEFT_MARKDOWN) put_markdown(buf, g);
    else put_tabular(buf, g);
}

/* ---- what stands around it ---- */

void heft_results_heading(heft_buf *buf, const heft_results *results)
{
    if (results->tested) heft_buf_text(buf, "Trained on the data, tested on a table of its own");
    else heft_buf_printf(buf, "%zu-fold cross-validation", results->folds);
    if (results->repeats > 1) heft_buf_printf(buf, ", %zu repeats", results->repeats);
    heft_buf_printf(buf, ", seed %" PRIu64, results->seed);
    if (results->from_file) heft_buf_text(buf, ", folds from a file");
    if (results->weka) heft_buf_text(buf, ", Weka's split");
    heft_buf_printf(buf, ", %s protocol", results->whole ? "whole" : "honest");
}

static void put_heading(heft_buf *buf, const heft_results *results, heft_style style)
{
    static const char *const best[3] = {"; * the best", "; the best in bold", "; the best in bold"};
    const char              *end = style == HEFT_MARKDOWN ? "\n\n" : style ? ".\n" : "\n";
    heft_results_heading(buf, results);
    heft_buf_text(buf, end);
    if (results->whole)
        heft_buf_printf(buf, "Warning: the preparation saw the test rows: optimistic%s", end);
    heft_buf_text(buf, "Accuracy in percent");
    if (results->folds > 1)
        heft_buf_printf(buf, ", mean %s standard deviation over the folds",
                        style == HEFT_LATEX ? "$\\pm$" : "±");
    heft_buf_printf(buf, "%s%s", results->n_method > 1 ? best[style] : "", end);
}

/* Remarks below the table, a line each, an empty line before the first. */
typedef struct notes {
    heft_buf  *buf;
    heft_style style;
    bool       any;
} notes;

static heft_buf *next_note(notes *n)
{
    heft_buf_text(n->buf, n->any ? "" : "\n");
    heft_buf_text(n->buf, n->style == HEFT_MARKDOWN ? "- " : "");
    n->any = true;
    return n->buf;
}

/* LaTeX takes a line end for a blank. */
static void end_note(const notes *n)
{
    heft_buf_text(n->buf, n->style == HEFT_LATEX ? ".\n" : "\n");
}

static void put_test(const notes *n, const char *what, double p)
{
    heft_buf_text(n->buf, what);
    heft_buf_text(n->buf, p < LEAST_P ? " p " : " p = ");
    put_p(n->buf, p, n->style);
}

static void put_level(const notes *n, const heft_summary *s)
{
    heft_buf_text(n->buf, "level ");
    heft_buf_double(n->buf, s->alpha);
}

static void put_against(notes *n, const heft_results *results, const heft_summary *s)
{
    static const char *const better[3] = {"+", "+", "$\\circ$"}, *const worse[3] = {"-", "−",
                                                                                    "$\\bullet$"};
    heft_buf *buf = next_note(n);
    heft_buf_text(buf, "win/tie/loss against ");
    put_name(buf, results->methods[0], NAME_BYTES, n->style);
    if (has_marks(results)) {
        heft_buf_printf(buf, "; significant (%s better, %s worse): %spaired t, ", better[n->style],
                        worse[n->style], results->plain ? "" : "corrected resampled ");
        put_level(n, s);
    }
    end_note(n);
}

/* Methods whose mean accuracy or rank sticks out of the bounds. */
static void put_outside(const notes *n, const heft_results *results, const heft_summary *s)
{
    bool any = false;
    for (size_t m = 0; m < results->n_method; m++) {
        const heft_rival *r = &s->rivals[m];
        if (!r->ran || !heft_is_outside(s, r)) continue;
        heft_buf_text(n->buf, any ? ", " : "; outside: ");
        put_name(n->buf, results->methods[m], NAME_BYTES, n->style);
        any = true;
    }
    if (!any) heft_buf_text(n->buf, "; none is outside");
}

static void put_bounds(notes *n, const heft_results *results, const heft_summary *s)
{
    const char  *dash = n->style == HEFT_LATEX ? "--" : " to ";
    const double middle = ((double)s->n_ran + 1) / 2;
    heft_buf    *buf = next_note(n);
    heft_buf_text(buf, "Permutation bounds: mean accuracy ");
    heft_buf_fixed(buf, 100 * (s->middle_accuracy - s->accuracy_bound), 2);
    heft_buf_text(buf, dash);
    heft_buf_fixed(buf, 100 * (s->middle_accuracy + s->accuracy_bound), 2);
    heft_buf_text(buf, ", mean rank ");
    heft_buf_fixed(buf, middle - s->rank_bound, 2);
    heft_buf_text(buf, dash);
    heft_buf_fixed(buf, middle + s->rank_bound, 2);
    put_outside(n, results, s);
    end_note(n);
}

static void put_tests(notes *n, const heft_results *results, const heft_summary *s)
{
    put_against(n, results, s);
    heft_buf *buf = next_note(n);
    if (!s->has_ranks) {
        heft_no_ranks(buf, results, s);
        end_note(n);
        return;
    }
    heft_buf_printf(buf, "Over %zu data sets: ", s->n_complete);
    put_test(n, "Friedman", s->friedman.chi2_p);
    put_test(n, ", Iman and Davenport", s->friedman.p);
    put_test(n, ", Quade", s->quade.p);
    if (results->decimals)
        heft_buf_printf(buf, " (accuracies rounded to %d decimals)", results->decimals);
    end_note(n);
    next_note(n);
    heft_buf_text(buf, "Mean ranks differ from ");
    heft_buf_fixed(buf, s->nemenyi, 3);
    heft_buf_text(buf, " apart on (Nemenyi, ");
    put_level(n, s);
    heft_buf_text(buf, ")");
    if (results->n_method > 2)
        heft_buf_printf(buf, "; Holm: p adjusted for %zu comparisons", results->n_method - 1);
    end_note(n);
    put_bounds(n, results, s);
}

static void put_failures(notes *n, const heft_results *results)
{
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_cell  *cell = &results->cells[k];
        const heft_stage *stage = heft_results_stage(results, 0);
        if (!cell->failure) continue;
        put_name(next_note(n), cell->dataset, NAME_BYTES, n->style);
        heft_buf_text(n->buf, ", ");
        put_name(n->buf, cell->method, NAME_BYTES, n->style);
        if (*stage->name) heft_buf_text(n->buf, ", ");
        put_name(n->buf, stage->name, 100, n->style);
        heft_buf_text(n->buf, ": ");
        put_name(n->buf, cell->failure, 400, n->style);
        end_note(n);
    }
}

static void put_notes(heft_buf *buf, const heft_results *results, const heft_summary *s,
                      heft_style style)
{
    notes n = {buf, style, false};
    if (results->n_method > 1) put_tests(&n, results, s);
    if (s->n_complete < results->n_data && results->n_data > 1) {
        heft_buf_printf(next_note(&n),
                        "average and ranks: over the %zu of %zu data sets that every method did",
                        s->n_complete, results->n_data);
        end_note(&n);
    }
    put_failures(&n, results);
}

/* ---- one table, or several ---- */

/* A float around each table; what it needs is said once, above. */
static void open_float(heft_buf *buf, const heft_results *results, const heft_stage *stage)
{
    heft_buf_text(buf, "\\begin{table}\n\\centering\n\\caption{");
    put_heading(buf, results, HEFT_LATEX);
    if (*stage->name) {
        put_name(buf, stage->name, 100, HEFT_LATEX);
        heft_buf_text(buf, ".\n");
    }
    heft_buf_text(buf, "}\n");
}

static void put_title(heft_buf *buf, const heft_results *results, const heft_stage *stage,
                      heft_style style, bool first)
{
    if (style == HEFT_LATEX) {
        open_float(buf, results, stage);
        return;
    }
    if (first) put_heading(buf, results, style);
    if (first && style == HEFT_PLAIN) heft_buf_text(buf, "\n");
    if (!first) heft_buf_text(buf, "\n");
    if (!*stage->name) return;
    put_name(buf, stage->name, 100, style);
    heft_buf_text(buf, style == HEFT_MARKDOWN ? "\n\n" : "\n\n");
}

static heft_status put_stage(heft_ctx *ctx, const heft_results *results, heft_style style,
                             bool first, heft_buf *buf)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_summary    s;
    grid            g;
    HEFT_TRY(heft_summarise(ctx, results, &s));
    HEFT_TRY(set_grid(ctx, results, &s, style, &g));
    put_title(buf, results, heft_results_stage(results, 0), style, first);
    put_grid(buf, &g);
    put_notes(buf, results, &s, style);
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

static heft_status put_stages(heft_ctx *ctx, const heft_results *results, heft_style style,
                              bool first, heft_buf *buf)
{
    static const heft_stage all = {.name = ""};
    grid                    g;
    notes                   n = {buf, style, false};
    HEFT_CHECK(stage_grid(ctx, results, style, &g));
    put_title(buf, results, &all, style, first);
    put_grid(buf, &g);
    if (results->n_data == 1 && has_marks(results)) {
        heft_summary s = {.alpha = heft_results_alpha(results)};
        put_against(&n, results, &s);
    }
    for (size_t k = 0; results->n_data == 1 && k < heft_results_stages(results); k++) {
        const heft_results at = heft_results_at(results, k);
        put_failures(&n, &at);
    }
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
    return HEFT_OK;
}

heft_status heft_results_table(heft_ctx *ctx, const heft_results *results, heft_style style,
                               heft_buf *buf)
{
    const size_t n_stage = heft_results_stages(results);
    if (style == HEFT_LATEX)
        heft_buf_printf(buf, "%% heft %s; \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n",
                        heft_version());
    for (size_t k = 0; (n_stage == 1 || results->n_data > 1) && k < n_stage; k++) {
        const heft_results at = heft_results_at(results, k);
        HEFT_CHECK(put_stage(ctx, &at, style, k == 0, buf));
    }
    if (n_stage > 1) HEFT_CHECK(put_stages(ctx, results, style, results->n_data == 1, buf));
    return HEFT_OK;
}

/* ---- everything about each cell ---- */

enum { WIDEST = 20, CLASS_BYTES = 14 };

static void put_class(heft_buf *buf, const heft_results_set *set, size_t c)
{
    char number[32];
    snprintf(number, sizeof number, "class %zu", c + 1);
    put_name(buf, set->classes ? set->classes[c] : number, CLASS_BYTES, HEFT_PLAIN);
}

static heft_status put_matrix(heft_ctx *ctx, const heft_results_set *set, const heft_cell *cell,
                              heft_buf *out)
{
    heft_status  st = HEFT_OK;
    const size_t k = cell->n_class;
    heft_buf     buf = {0};
    grid         g = {.style = HEFT_PLAIN, .n_lines = k + 1, .n_cols = k + 1};
    HEFT_ARENA(ctx, &ctx->scratch, g.text, (k + 1) * (k + 1));
    for (size_t i = 0; i < (k + 1) * (k + 1); i++) {
        const size_t c = i / (k + 1), p = i % (k + 1);
        if (i == 0) heft_buf_text(&buf, "true \\ predicted");
        else if (c == 0 || p == 0) put_class(&buf, set, c ? c - 1 : p - 1);
        else heft_buf_printf(&buf, "%zu", cell->confusion[(c - 1) * k + p - 1]);
        HEFT_TRY(keep(ctx, &buf, &g.text[i]));
    }
    put_panels(out, &g);
done:
    heft_buf_clear(&buf);
    return st;
}

static void put_measures(heft_buf *buf, const heft_cell *c)
{
    const struct {
        const char *name;
        double      x;
    } figures[] = {{"macro F1", c->macro_f1},
                   {"log loss", c->log_loss},
                   {"Brier score", c->brier},
                   {"AUC", c->auc},
                   {"calibration error", c->calibration_error}};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        heft_buf_printf(buf, "%s%s ", k ? ", " : "", figures[k].name);
        put_fixed(buf, figures[k].x, 4);
    }
    heft_buf_text(buf, "\n");
}

static heft_status put_details(heft_ctx *ctx, const heft_results *results, size_t k, heft_buf *buf)
{
    const heft_results_set *set = &results->sets[k / results->n_method];
    const heft_cell        *cell = &results->cells[k];
    const heft_stage       *stage = heft_results_stage(results, 0);
    put_name(buf, cell->dataset, NAME_BYTES, HEFT_PLAIN);
    heft_buf_text(buf, ", ");
    put_name(buf, cell->method, NAME_BYTES, HEFT_PLAIN);
    if (*stage->name) heft_buf_printf(buf, ", %s", stage->name);
    heft_buf_text(buf, ": ");
    put_measures(buf, cell);
    if (cell->confusion && cell->n_class <= WIDEST) {
        heft_buf_text(buf, "\n");
        HEFT_CHECK(put_matrix(ctx, set, cell, buf));
    } else {
        heft_buf_printf(buf, "%zu classes: too many to show how they are confused\n",
                        cell->n_class);
    }
    return HEFT_OK;
}

heft_status heft_results_details(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    for (size_t s = 0; s < heft_results_stages(results); s++) {
        const heft_results at = heft_results_at(results, s);
        for (size_t k = 0; k < at.n_data * at.n_method; k++) {
            if (at.cells[k].failure) continue;
            if (buf->length) heft_buf_text(buf, "\n");
            HEFT_CHECK(put_details(ctx, &at, k, buf));
        }
    }
    return HEFT_OK;
}
