/* results_table.c - results for people: data sets by methods, on a terminal, in Markdown or LaTeX.
 *
 * With several stages and one data set the stages are the lines of one table; with several data
 * sets each stage has a table, and a last one has their averages. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/put.h"

enum { SCREEN = 100, NAME_BYTES = 28, STAGE_BYTES = 100, CLASS_BYTES = 14, GAP = 2 };
enum { WIDEST = 20 /* classes of a confusion matrix that is shown */ };

static const double LEAST_P = 0.0001; /* smaller ones are shown as below it */

/* What every style writes in its own way: plain, Markdown, LaTeX. */
static const struct {
    const char *escaped[3]; /* characters that need a backslash */
    const char *failed[3];  /* a cell without figures */
    const char *plus_minus[3], *below[3], *to[3];
    const char *best[2][3];               /* around the best cell */
    const char *mark[3][3];               /* behind a cell: significantly worse, neither, better */
    const char *worse[3], *better[3];     /* the same marks in a sentence */
    const char *best_is[3], *line_end[3]; /* of the heading */
    const char *note[3], *note_end[3];    /* around a remark */
} words = {
    .escaped = {"", "|\\`*_<[", "&%$#_{}"},
    .failed = {"-", "-", "--"},
    .plus_minus = {" ± ", " ± ", " $\\pm$ "},
    .below = {"< ", "< ", "$<$ "},
    .to = {" to ", " to ", "--"},
    .best = {{"", "**", "\\textbf{"}, {"", "**", "}"}},
    .mark = {{"-", " −", " $\\bullet$"}, {" ", "", ""}, {"+", " +", " $\\circ$"}},
    .worse = {"-", "−", "$\\bullet$"},
    .better = {"+", "+", "$\\circ$"},
    .best_is = {"; * marks the best", "; the best is in bold", "; the best is in bold"},
    .line_end = {"\n", "\n\n", ".\n"},
    .note = {"", "- ", ""},
    .note_end = {"\n", "\n", ".\n"},
};

/* ---- texts and numbers ---- */

/* A name as it can be shown: cut, without control characters, escaped for the style. */
static void put_name(heft_buf *buf, const char *name, size_t most, heft_style style)
{
    static const char        chars[] = "\\~^<>|\"";
    static const char *const names[] = {"backslash", "asciitilde", "asciicircum", "less",
                                        "greater",   "bar",        "quotedbl"};
    char                     shown[2048];
    heft_show(shown, sizeof shown, name, strlen(name), most);
    for (const char *s = shown; *s; s++) {
        if (strchr(words.escaped[style], *s)) heft_buf_text(buf, "\\");
        const char *at = style == HEFT_LATEX ? strchr(chars, *s) : NULL;
        if (at) heft_buf_printf(buf, "\\text%s{}", names[at - chars]);
        else heft_buf_add(buf, s, 1);
    }
}

static void put_fixed(heft_buf *buf, double x, int decimals)
{
    if (isfinite(x)) heft_buf_fixed(buf, x, decimals);
    else heft_buf_text(buf, "-");
}

static void put_p(heft_buf *buf, double p, heft_style style)
{
    if (p < LEAST_P) heft_buf_printf(buf, "%s0.0001", words.below[style]);
    else put_fixed(buf, p, 4);
}

static bool has_marks(const heft_results *results)
{
    return results->n_method > 1 && results->folds > 1;
}

/* 95.33 ± 4.50, the best with a star or in bold, then + or - where it differs from the first
 * significantly; on a terminal star and sign have columns of their own. */
static void put_accuracy(heft_buf *buf, const heft_results *results, size_t d, size_t m,
                         heft_style style)
{
    const heft_cell *cell = heft_cell_of(results, d, m);
    const bool       best = heft_results_best(results, d, m);
    if (best) heft_buf_text(buf, words.best[0][style]);
    if (cell->failure) heft_buf_text(buf, words.failed[style]);
    else heft_buf_fixed(buf, 100 * cell->accuracy, 2);
    if (!cell->failure && cell->n_folds > 1) {
        heft_buf_text(buf, words.plus_minus[style]);
        if (style == HEFT_PLAIN && 100 * cell->accuracy_sd < 9.995) heft_buf_text(buf, " ");
        heft_buf_fixed(buf, 100 * cell->accuracy_sd, 2);
    }
    if (best) heft_buf_text(buf, words.best[1][style]);
    if (style == HEFT_PLAIN && results->n_method > 1) heft_buf_text(buf, best ? "*" : " ");
    if (has_marks(results))
        heft_buf_text(buf, words.mark[heft_results_mark(results, d, m) + 1][style]);
}

/* ---- the grid: lines of a first column and one column per method ---- */

typedef struct grid {
    heft_style style;
    size_t     n_cols, n_cells;
    size_t     pad;   /* blanks behind a cell, in line with star and sign of the accuracies */
    size_t     rule;  /* a rule is drawn above this line; 0: none */
    heft_buf   text;  /* all cells, each with a 0 behind it */
    size_t     begin; /* of the cell that is being written */
    size_t    *at;    /* by cell: where it begins */
    size_t    *width; /* by column: characters of its widest cell */
} grid;

static heft_status grid_open(heft_ctx *ctx, heft_style style, size_t n_cols, size_t most_lines,
                             grid *g)
{
    size_t cells;
    *g = (grid){.style = style, .n_cols = n_cols};
    if (!heft_product(n_cols, most_lines, &cells)) return heft_no_memory(ctx, n_cols, most_lines);
    HEFT_ALLOC(ctx, &ctx->scratch, g->at, cells);
    HEFT_ALLOC(ctx, &ctx->scratch, g->width, n_cols);
    return HEFT_OK;
}

/* What was written to g->text since the last cell is the next one. */
static void end_cell(grid *g)
{
    heft_buf_add(&g->text, "", 1);
    g->at[g->n_cells++] = g->begin;
    g->begin = g->text.length;
}

static const char *cell_text(const grid *g, size_t line, size_t col)
{
    return g->text.data + g->at[line * g->n_cols + col];
}

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void put_many(heft_buf *buf, const char *text, size_t n)
{
    while (n--) heft_buf_text(buf, text);
}

/* The first column and as many methods side by side as the screen holds, right-aligned, without
 * blanks at the end of a line; the others below. */
static void put_panels(heft_buf *buf, const grid *g)
{
    for (size_t from = 1; from < g->n_cols;) {
        size_t to = from, width = g->width[0];
        do width += GAP + g->width[to++];
        while (to < g->n_cols && width + GAP + g->width[to] <= SCREEN);
        if (from > 1) heft_buf_text(buf, "\n");
        for (size_t i = 0; i < g->n_cells / g->n_cols; i++) {
            size_t blanks = g->width[0] - width_of(cell_text(g, i, 0));
            if (i == 1 || (g->rule && i == g->rule)) {
                put_many(buf, "-", width);
                heft_buf_text(buf, "\n");
            }
            heft_buf_text(buf, cell_text(g, i, 0));
            for (size_t k = from; k < to; k++) {
                const char  *text = cell_text(g, i, k);
                const size_t length = strlen(text);
                size_t       shown = length;
                blanks += GAP + g->width[k] - width_of(text);
                while (shown && text[shown - 1] == ' ') shown--;
                if (shown) put_many(buf, " ", blanks);
                heft_buf_add(buf, text, shown);
                blanks = (shown ? 0 : blanks) + length - shown;
            }
            heft_buf_text(buf, "\n");
        }
        from = to;
    }
}

/* Markdown or LaTeX: the same lines between other marks. */
static void put_marked_up(heft_buf *buf, const grid *g)
{
    const bool latex = g->style == HEFT_LATEX;
    if (latex) {
        heft_buf_text(buf, "\\begin{tabular}{l");
        put_many(buf, "r", g->n_cols - 1);
        heft_buf_text(buf, "}\n\\toprule\n");
    }
    for (size_t i = 0; i < g->n_cells / g->n_cols; i++) {
        if (latex && g->rule && i == g->rule) heft_buf_text(buf, "\\midrule\n");
        if (!latex) heft_buf_text(buf, "| ");
        for (size_t k = 0; k < g->n_cols; k++) {
            if (k) heft_buf_text(buf, latex ? " & " : " | ");
            heft_buf_text(buf, cell_text(g, i, k));
        }
        heft_buf_text(buf, latex ? " \\\\\n" : " |\n");
        if (i) continue;
        heft_buf_text(buf, latex ? "\\midrule\n" : "|---|");
        if (!latex) put_many(buf, "---:|", g->n_cols - 1);
        if (!latex) heft_buf_text(buf, "\n");
    }
    if (latex) heft_buf_text(buf, "\\bottomrule\n\\end{tabular}\n");
}

/* Write the grid and free its texts. */
static void put_grid(heft_buf *buf, grid *g)
{
    for (size_t k = 0; k < g->n_cells && !g->text.failed; k++) {
        const size_t width = width_of(g->text.data + g->at[k]);
        if (width > g->width[k % g->n_cols]) g->width[k % g->n_cols] = width;
    }
    if (g->text.failed) buf->failed = true;
    else if (g->style == HEFT_PLAIN) put_panels(buf, g);
    else put_marked_up(buf, g);
    heft_buf_clear(&g->text);
}

/* ---- its lines ---- */

typedef enum line { HEAD, SET, AVERAGE, RANK, RECORD, SIGNIFICANT, WILCOXON, HOLM, N_LINES } line;

static const char *const line_names[N_LINES] = {
    [AVERAGE] = "average",         [RANK] = "mean rank",      [RECORD] = "win/tie/loss",
    [SIGNIFICANT] = "significant", [WILCOXON] = "Wilcoxon p", [HOLM] = "  Holm"};

static void put_summary(heft_buf *buf, const heft_method_summary *r, line kind, bool first,
                        heft_style style)
{
    const size_t n = r->wins + r->ties + r->losses;
    if (kind == AVERAGE) put_fixed(buf, 100 * r->mean_accuracy, 2);
    else if (kind == RANK) put_fixed(buf, r->mean_rank, 2);
    else if (first || !r->ran) heft_buf_text(buf, first ? "" : "-");
    else if (kind == RECORD) heft_buf_printf(buf, "%zu/%zu/%zu", r->wins, r->ties, r->losses);
    else if (kind == SIGNIFICANT)
        heft_buf_printf(buf, "%zu/%zu/%zu", r->better, n - r->better - r->worse, r->worse);
    else put_p(buf, kind == HOLM ? r->wilcoxon_holm : r->wilcoxon, style);
}

/* Names of methods, accuracies on data set d, or what is summed up over the data sets. */
static void add_line(grid *g, line kind, const char *label, const heft_results *results,
                     const heft_summary *s, size_t d)
{
    put_name(&g->text, label, NAME_BYTES, g->style);
    end_cell(g);
    for (size_t m = 0; m < results->n_method; m++) {
        if (kind == HEAD) put_name(&g->text, results->methods[m], NAME_BYTES, g->style);
        else if (kind == SET) put_accuracy(&g->text, results, d, m, g->style);
        else put_summary(&g->text, &s->by_method[m], kind, m == 0, g->style);
        if (kind != SET) put_many(&g->text, " ", g->pad);
        end_cell(g);
    }
}

static heft_status open_results(heft_ctx *ctx, const heft_results *results, heft_style style,
                                const char *label, size_t n_lines, grid *g)
{
    HEFT_CHECK(grid_open(ctx, style, results->n_method + 1, n_lines + 1, g));
    if (style == HEFT_PLAIN) g->pad = has_marks(results) ? 2 : results->n_method > 1;
    add_line(g, HEAD, label, results, NULL, 0);
    return HEFT_OK;
}

/* ---- remarks ---- */

/* Remarks below the table, one line each, an empty line before the first. */
typedef struct notes {
    heft_buf  *buf;
    heft_style style;
    bool       any;
} notes;

static heft_buf *next_note(notes *n)
{
    heft_buf_printf(n->buf, "%s%s", n->any ? "" : "\n", words.note[n->style]);
    n->any = true;
    return n->buf;
}

static void end_note(const notes *n)
{
    heft_buf_text(n->buf, words.note_end[n->style]);
}

static void put_against(notes *n, const heft_results *results)
{
    heft_put(next_note(n), "win/tie/loss against ");
    put_name(n->buf, results->methods[0], NAME_BYTES, n->style);
    if (has_marks(results))
        heft_put(n->buf, "; significantly better (%s) or worse (%s): %spaired t-test, level %n",
                 words.better[n->style], words.worse[n->style],
                 results->plain ? "" : "corrected resampled ", heft_results_alpha(results));
    end_note(n);
}

static void put_tests(notes *n, const heft_results *results, const heft_summary *s)
{
    static const char *const names[] = {"Friedman", ", Iman and Davenport", ", Quade"};
    const double             p[] = {s->friedman.chi2_p, s->friedman.p, s->quade.p};
    const double             accuracy = s->middle_accuracy, rank = ((double)s->n_ran + 1) / 2;
    const char              *to = words.to[n->style], *before = "; outside: ";
    put_against(n, results);
    heft_buf *buf = next_note(n);
    if (!s->has_ranks) {
        heft_no_ranks(buf, results, s);
        end_note(n);
        return;
    }
    heft_put(buf, "Tests over %z data sets: ", s->n_complete);
    for (size_t k = 0; k < 3; k++) {
        heft_put(buf, "%s p%s", names[k], p[k] < LEAST_P ? " " : " = ");
        put_p(buf, p[k], n->style);
    }
    if (results->decimals)
        heft_put(buf, " (accuracies rounded to %s)",
                 HEFT_COUNT_OF((size_t)results->decimals, "decimal"));
    end_note(n);
    heft_put(next_note(n),
             "Two mean ranks differ significantly if they are at least %3f apart (Nemenyi test, "
             "level %n)",
             s->nemenyi, s->alpha);
    if (results->n_method > 2)
        heft_put(buf, "; Holm: p adjusted for %z comparisons", results->n_method - 1);
    end_note(n);
    heft_put(next_note(n),
             "If all methods were equal: mean accuracy %2f%s%2f, mean rank %2f%s%2f (permutation "
             "bounds)",
             100 * (accuracy - s->accuracy_bound), to, 100 * (accuracy + s->accuracy_bound),
             rank - s->rank_bound, to, rank + s->rank_bound);
    for (size_t m = 0; m < results->n_method; m++) {
        if (!s->by_method[m].ran || !heft_is_outside(s, &s->by_method[m])) continue;
        heft_buf_text(buf, before);
        put_name(buf, results->methods[m], NAME_BYTES, n->style);
        before = ", ";
    }
    if (*before == ';') heft_buf_text(buf, "; no method is outside");
    end_note(n);
}

/* "data set, method, stage" */
static void put_place(heft_buf *buf, const heft_results *results, const heft_cell *cell,
                      heft_style style)
{
    const heft_stage *stage = heft_results_stage(results, 0);
    put_name(buf, cell->dataset, NAME_BYTES, style);
    heft_buf_text(buf, ", ");
    put_name(buf, cell->method, NAME_BYTES, style);
    if (*stage->name) heft_buf_text(buf, ", ");
    put_name(buf, stage->name, STAGE_BYTES, style);
    heft_buf_text(buf, ": ");
}

static void put_failures(notes *n, const heft_results *results)
{
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_cell *cell = &results->cells[k];
        if (!cell->failure) continue;
        put_place(next_note(n), results, cell, n->style);
        put_name(n->buf, cell->failure, 400, n->style);
        end_note(n);
    }
}

/* ---- one table, or several ---- */

/* The heading above the first table; in LaTeX, where each table floats, in every caption. */
static void put_title(heft_buf *buf, const heft_results *results, const char *stage,
                      heft_style style, bool first)
{
    const bool  latex = style == HEFT_LATEX;
    const char *end = words.line_end[style];
    if (latex) heft_buf_text(buf, "\\begin{table}\n\\centering\n\\caption{");
    if (latex || first) {
        if (results->tested) heft_put(buf, "Trained on the data set, tested on a separate table");
        else heft_put(buf, "%z-fold cross-validation", results->folds);
        if (results->repeats > 1) heft_put(buf, ", %z repeats", results->repeats);
        heft_buf_printf(buf, ", seed %" PRIu64 "%s%s, %s protocol%s", results->seed,
                        results->from_file ? ", folds from a file" : "",
                        results->weka ? ", Weka's split" : "", results->whole ? "whole" : "honest",
                        end);
        if (results->whole)
            heft_put(buf,
                     "Warning: the preparation was learned on the test rows too, so the results "
                     "are optimistic%s",
                     end);
        heft_put(buf, "Accuracy in percent");
        if (results->folds > 1)
            heft_put(buf, ", mean%sstandard deviation over the folds", words.plus_minus[style]);
        heft_put(buf, "%s%s", results->n_method > 1 ? words.best_is[style] : "", end);
    }
    if (!latex && (!first || style == HEFT_PLAIN)) heft_buf_text(buf, "\n");
    if (*stage) {
        put_name(buf, stage, STAGE_BYTES, style);
        heft_buf_text(buf, latex ? ".\n" : "\n\n");
    }
    if (latex) heft_buf_text(buf, "}\n");
}

/* The data sets of one stage, and what is summed up over them. */
static heft_status put_stage(heft_ctx *ctx, const heft_results *results, heft_style style,
                             bool first, heft_buf *buf)
{
    HEFT_SCRATCH_SCOPE(ctx);
    notes        n = {buf, style, false};
    heft_summary s;
    grid         g;
    HEFT_CHECK(heft_summarise(ctx, results, &s));
    HEFT_CHECK(open_results(ctx, results, style, "data", results->n_data + N_LINES, &g));
    for (size_t d = 0; d < results->n_data; d++)
        add_line(&g, SET, results->sets[d].name, results, &s, d);
    const bool several = results->n_method > 1, tested = s.n_complete > 1;
    const bool shown[N_LINES] = {[AVERAGE] = results->n_data > 1,
                                 [RANK] = results->n_data > 1 && several,
                                 [RECORD] = several,
                                 [SIGNIFICANT] = has_marks(results),
                                 [WILCOXON] = several && tested,
                                 [HOLM] = results->n_method > 2 && tested};
    for (line k = AVERAGE; k < N_LINES; k++) {
        if (!shown[k]) continue;
        if (!g.rule) g.rule = g.n_cells / g.n_cols;
        add_line(&g, k, line_names[k], results, &s, 0);
    }
    put_title(buf, results, heft_results_stage(results, 0)->name, style, first);
    put_grid(buf, &g);
    if (results->n_method > 1) put_tests(&n, results, &s);
    if (s.n_complete < results->n_data && results->n_data > 1) {
        heft_put(
            next_note(&n),
            "the average and the ranks are over the %z of %z data sets that every method completed",
            s.n_complete, results->n_data);
        end_note(&n);
    }
    put_failures(&n, results);
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
    return HEFT_OK;
}

/* One line per stage: the only data set, or the average over several. */
static heft_status put_stages(heft_ctx *ctx, const heft_results *results, heft_style style,
                              bool first, heft_buf *buf)
{
    const size_t n_stage = heft_results_stages(results);
    const bool   one = results->n_data == 1;
    grid         g;
    notes        n = {buf, style, false};
    HEFT_CHECK(
        open_results(ctx, results, style, one ? results->sets[0].name : "average", n_stage, &g));
    for (size_t k = 0; k < n_stage; k++) {
        const heft_results at = heft_results_at(results, k);
        heft_summary       s = {0};
        const heft_status  st = one ? HEFT_OK : heft_summarise(ctx, &at, &s);
        if (st != HEFT_OK) {
            heft_buf_clear(&g.text);
            return st;
        }
        add_line(&g, one ? SET : AVERAGE, heft_results_stage(results, k)->name, &at, &s, 0);
    }
    put_title(buf, results, "", style, first);
    put_grid(buf, &g);
    if (one && has_marks(results)) put_against(&n, results);
    for (size_t k = 0; one && k < n_stage; k++) {
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

static void add_class(grid *g, const heft_results_set *set, size_t c)
{
    char number[32];
    snprintf(number, sizeof number, "class %zu", c + 1);
    put_name(&g->text, set->classes ? set->classes[c] : number, CLASS_BYTES, HEFT_PLAIN);
    end_cell(g);
}

static heft_status put_matrix(heft_ctx *ctx, const heft_results_set *set, const heft_cell *cell,
                              heft_buf *out)
{
    const size_t n = cell->n_classes;
    grid         g;
    HEFT_CHECK(grid_open(ctx, HEFT_PLAIN, n + 1, n + 1, &g));
    heft_buf_text(&g.text, "actual \\ predicted");
    end_cell(&g);
    for (size_t c = 0; c < n; c++) add_class(&g, set, c);
    for (size_t k = 0; k < n * n; k++) {
        if (k % n == 0) add_class(&g, set, k / n);
        heft_buf_printf(&g.text, "%zu", cell->confusion[k]);
        end_cell(&g);
    }
    put_grid(out, &g);
    return HEFT_OK;
}

heft_status heft_results_details(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    const size_t n = results->n_data * results->n_method;
    for (size_t k = 0; k < heft_results_stages(results) * n; k++) {
        const heft_results at = heft_results_at(results, k / n);
        const heft_cell   *cell = &results->cells[k];
        if (cell->failure) continue;
        if (buf->length) heft_buf_text(buf, "\n");
        put_place(buf, &at, cell, HEFT_PLAIN);
        const char *before = "";
        for (size_t i = 0; i < HEFT_N_MEASURES; i++) {
            const heft_measure_info *m = heft_measure_at(i);
            if (!m->decimals) continue;
            heft_buf_printf(buf, "%s%s ", before, m->title);
            put_fixed(buf, cell->measures[i], m->decimals);
            before = ", ";
        }
        heft_buf_text(buf, "\n");
        if (cell->confusion && cell->n_classes <= WIDEST) {
            heft_buf_text(buf, "\n");
            HEFT_CHECK(put_matrix(ctx, &at.sets[k % n / at.n_method], cell, buf));
        } else {
            heft_buf_printf(buf,
                            cell->confusion ? "The confusion matrix of %zu classes is too large to "
                                              "show here; the JSON results have it.\n"
                                            : "%zu classes are too many for a confusion matrix.\n",
                            cell->n_classes);
        }
    }
    return HEFT_OK;
}
