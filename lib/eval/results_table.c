/* results_table.c - results for people: a table of data sets by methods, for a terminal, in
 * Markdown or in LaTeX.
 *
 * With several stages and one data set the stages are the lines of one table; with several data
 * sets each stage has a table, and a last one has their averages. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/grid.h"
#include "base/marks.h"
#include "decide/decide.h"

static const double LEAST_P = 0.0001; /* a smaller p is shown as "below" this one */

/* Texts that differ between the styles: plain, Markdown, LaTeX. */
static const struct {
    const char *failed[3]; /* a cell without figures */
    const char *plus_minus[3], *below[3], *to[3];
    const char *best[2][3];           /* texts before and after the best cell */
    const char *mark[3][3];           /* text after a cell: significantly worse, neither, better */
    const char *worse[3], *better[3]; /* the marks of significance in a sentence */
    const char *best_is[3], *line_end[3]; /* for the heading */
    const char *note[3], *note_end[3];    /* texts before and after a remark */
} words = {
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

static void put_p(heft_buf *buf, double p, heft_style style)
{
    if (p < LEAST_P) heft_buf_printf(buf, "%s0.0001", words.below[style]);
    else heft_put_fixed(buf, p, 4);
}

static bool has_marks(const heft_results *results)
{
    return results->n_method > 1 && results->folds * results->repeats > 1;
}

/* Whether the numbers of rows of each class are known, from which the baseline is computed. */
static bool has_baseline(const heft_results *results)
{
    for (size_t k = 0; k < results->n_data * results->n_method; k++)
        if (!results->cells[k].failure && results->cells[k].per_class) return true;
    return false;
}

/* Whether some cell has a class none of whose rows is predicted right. */
static bool any_missed(const heft_results *results)
{
    for (size_t k = 0; k < results->n_data * results->n_method; k++)
        if (heft_cell_missed(&results->cells[k], 0) < results->cells[k].n_classes) return true;
    return false;
}

/* Write an accuracy, such as 95.33 ± 4.50. The best one has a star or is in bold. A + or - follows
 * if it differs significantly from the first method. On a terminal, star and sign have fixed
 * columns. */
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
    const bool missed = heft_cell_missed(cell, 0) < cell->n_classes;
    if (style != HEFT_PLAIN) heft_buf_text(buf, missed ? " !" : "");
    else if (any_missed(results)) heft_buf_text(buf, missed ? "!" : " ");
}

/* ---- lines of the table ---- */

typedef enum line { HEAD, SET, AVERAGE, RANK, RECORD, SIGNIFICANT, WILCOXON, HOLM, N_LINES } line;

static const char *const line_names[N_LINES] = {
    [AVERAGE] = "average",         [RANK] = "mean rank",      [RECORD] = "win/tie/loss",
    [SIGNIFICANT] = "significant", [WILCOXON] = "Wilcoxon p", [HOLM] = "  Holm"};

static void put_summary(heft_buf *buf, const heft_method_summary *r, line kind, bool first,
                        heft_style style)
{
    const size_t n = r->wins + r->ties + r->losses;
    if (kind == AVERAGE) heft_put_fixed(buf, 100 * r->mean_accuracy, 2);
    else if (kind == RANK) heft_put_fixed(buf, r->mean_rank, 2);
    else if (first || !r->ran) heft_buf_text(buf, first ? "" : "-");
    else if (kind == RECORD) heft_buf_printf(buf, "%zu/%zu/%zu", r->wins, r->ties, r->losses);
    else if (kind == SIGNIFICANT)
        heft_buf_printf(buf, "%zu/%zu/%zu", r->better, n - r->better - r->worse, r->worse);
    else put_p(buf, kind == HOLM ? r->wilcoxon_holm : r->wilcoxon, style);
}

typedef struct table {
    heft_grid grid;
    size_t    pad; /* blanks after a cell, in place of star and sign of an accuracy */
} table;

/* Add the cell of the last column, the baseline: its name, its accuracy on data set d, or its
 * average over the data sets. */
static void add_baseline(heft_grid *g, line kind, const heft_results *results, size_t d)
{
    double sum = 0, n = 0;
    for (size_t k = 0; k < results->n_data; k++) {
        const heft_cell *cell = heft_cell_present(results, k);
        if (!cell || (kind == SET && k != d)) continue;
        sum += 100 * heft_cell_lead(cell).baseline;
        n++;
    }
    if (kind == HEAD) heft_buf_text(&g->text, "baseline");
    else if (kind == SET || kind == AVERAGE)
        heft_put_fixed(&g->text, n > 0 ? sum / n : (double)NAN, 2);
    heft_grid_end(g);
}

/* Add a line: names of methods, accuracies on data set d, or a summary over the data sets. */
static void add_line(table *t, line kind, const char *label, const heft_results *results,
                     const heft_summary *s, size_t d)
{
    heft_grid *g = &t->grid;
    heft_grid_put(g, "%28w", label, g->style);
    for (size_t m = 0; m < results->n_method; m++) {
        if (kind == HEAD) heft_put(&g->text, "%28w", results->methods[m], g->style);
        else if (kind == SET) put_accuracy(&g->text, results, d, m, g->style);
        else put_summary(&g->text, &s->by_method[m], kind, m == 0, g->style);
        if (kind != SET) heft_put_many(&g->text, " ", t->pad);
        heft_grid_end(g);
    }
    if (has_baseline(results)) add_baseline(g, kind, results, d);
}

/* Whether accuracy says little about some method on data set d. */
static bool is_led(const heft_results *results, size_t d)
{
    for (size_t m = 0; m < results->n_method; m++) {
        const heft_cell *cell = heft_cell_of(results, d, m);
        if (!cell->failure && heft_cell_lead(cell).any) return true;
    }
    return false;
}

/* Add the figures that precede the accuracies of data set d if these say little. */
static void add_lead(table *t, const heft_results *results, size_t d)
{
    heft_grid       *g = &t->grid;
    const heft_cell *present = heft_cell_present(results, d);
    const heft_lead  first = present ? heft_cell_lead(present) : (heft_lead){0};
    for (size_t k = 0; is_led(results, d) && k < HEFT_N_LEAD; k++) {
        heft_put(&g->text, "%28w, %s", results->sets[d].name, g->style, first.figure[k].title);
        if (first.of_class)
            heft_put(&g->text, " of %28w", present->classes[first.rarest], g->style);
        heft_grid_end(g);
        for (size_t m = 0; m < results->n_method; m++) {
            const heft_cell *cell = heft_cell_of(results, d, m);
            heft_put_fixed(&g->text,
                           cell->failure ? (double)NAN : 100 * heft_cell_lead(cell).figure[k].value,
                           2);
            heft_put_many(&g->text, " ", t->pad);
            heft_grid_end(g);
        }
        heft_put_fixed(&g->text, 100 * first.figure[k].baseline, 2);
        heft_grid_end(g);
    }
}

static table open_results(const heft_results *results, heft_style style, const char *label)
{
    table t = {heft_figures_grid(style, results->n_method + 1 + has_baseline(results)), 0};
    if (style == HEFT_PLAIN)
        t.pad = (has_marks(results) ? 2 : results->n_method > 1) + (size_t)any_missed(results);
    add_line(&t, HEAD, label, results, NULL, 0);
    return t;
}

/* ---- remarks ---- */

/* Remarks below the table: one line each, with an empty line before the first. */
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

/* Write a remark as heft_put does. */
static void put_note(notes *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heft_vput(next_note(n), format, args);
    va_end(args);
    end_note(n);
}

static void put_against(notes *n, const heft_results *results)
{
    heft_put(next_note(n), "win/tie/loss against %28w", results->methods[0], n->style);
    if (has_marks(results))
        heft_put(n->buf, "; significantly better (%s) or worse (%s): %spaired t-test, level %n",
                 words.better[n->style], words.worse[n->style],
                 results->design.plain ? "" : "corrected resampled ", heft_results_alpha(results));
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
    if (results->design.decimals)
        heft_put(buf, " (accuracies rounded to %s)",
                 HEFT_COUNT_OF((size_t)results->design.decimals, "decimal"));
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
        heft_put(buf, "%s%28w", before, results->methods[m], n->style);
        before = ", ";
    }
    if (*before == ';') heft_buf_text(buf, "; no method is outside");
    end_note(n);
}

/* Write whether the method marked as the best is better by more than chance. */
static heft_status put_verdict(heft_ctx *ctx, notes *n, const heft_results *results,
                               const heft_summary *s)
{
    heft_verdict v;
    size_t       best = 0;
    while (best < results->n_method && !heft_results_best(results, 0, best)) best++;
    if (best == results->n_method) return HEFT_OK;
    HEFT_CHECK(heft_judge(ctx, results, s, best, &v));
    if (!v.test) return HEFT_OK;
    heft_put_verdict(next_note(n), &v, s->alpha);
    end_note(n);
    return HEFT_OK;
}

/* Add a line: measure, first model, other model, their difference, its interval, p. */
static void add_difference(heft_grid *g, const char *title, const heft_cell *const pair[2],
                           const char *measure, const heft_drawn_difference *d)
{
    heft_grid_put(g, "%s", title);
    for (size_t k = 0; k < 3; k++) {
        heft_put_fixed(&g->text, k < 2 ? heft_measure_in_cell(pair[k], measure) : d->difference, 4);
        heft_grid_end(g);
    }
    if (isfinite(d->low)) heft_put(&g->text, "%4f to %4f", d->low, d->high);
    heft_grid_end(g);
    put_p(&g->text, d->p, g->style);
    heft_grid_end(g);
}

/* Write the comparison of saved model m with the first on the same rows. */
static void put_row_test(notes *n, const heft_results *results, size_t m)
{
    const heft_row_tests  *t = &results->row_tests[m];
    const heft_cell *const pair[2] = {&results->cells[0], &results->cells[m]};
    const double           alpha = heft_results_alpha(results);
    heft_grid              g = heft_figures_grid(n->style, 6);
    heft_grid_put(&g, "%28w against %28w\t%28w\t%28w\tdifference\t%4g%s interval\tp",
                  results->methods[m], n->style, results->methods[0], n->style, results->methods[0],
                  n->style, results->methods[m], n->style, 100 * (1 - alpha),
                  n->style == HEFT_LATEX ? "\\%" : "%");
    const double accuracy = pair[1]->accuracy_pooled - pair[0]->accuracy_pooled;
    add_difference(&g, "accuracy", pair, "micro_f1",
                   &(heft_drawn_difference){accuracy, (double)NAN, (double)NAN, t->mcnemar_p});
    add_difference(&g, "log loss (lower is better)", pair, "log_loss", &t->log_loss);
    add_difference(&g, "AUC", pair, "auc", &t->auc);
    heft_buf_text(n->buf, "\n");
    heft_grid_print(&g, n->buf);
    n->any = false; /* an empty line precedes the next remark */
    put_note(n, "accuracy: McNemar's test; %28w alone is right in %s, %28w alone in %z",
             results->methods[m], n->style, HEFT_COUNT_OF(t->only_other, "row"),
             results->methods[0], n->style, t->only_first);
}

enum { MOST_MISSED = 5 }; /* most classes that are named */

/* Write which classes are never predicted right, and what to do about it. */
static void put_missed(notes *n, const heft_results *results)
{
    size_t all = 0, most = 0; /* `most`: largest number of classes of such a cell */
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_cell *cell = &results->cells[k];
        if (heft_cell_missed(cell, 0) < cell->n_classes && cell->n_classes > most)
            most = cell->n_classes;
        for (size_t c = heft_cell_missed(cell, 0); c < cell->n_classes;
             c = heft_cell_missed(cell, c + 1)) {
            if (++all > MOST_MISSED) continue;
            if (all == 1) heft_put(next_note(n), "! no row of a class is predicted right: ");
            else heft_buf_text(n->buf, "; ");
            heft_put_place(n->buf, results, cell, n->style);
            heft_put(n->buf, ": class %28w (%s)", cell->classes[c], n->style,
                     HEFT_COUNT_OF((size_t)cell->per_class[c].support, "row"));
        }
    }
    if (all == 0) return;
    if (all > MOST_MISSED) heft_put(n->buf, "; and %z more", all - MOST_MISSED);
    end_note(n);
    if (n->style != HEFT_PLAIN) return; /* documents have no advice */
    heft_put_marked(next_note(n),
                    "Accuracy hides this: look at balanced accuracy and the figures of each class "
                    "({advice details}), and try %s",
                    HEFT_MARKED(heft_rare_options(most, results->design.saved)));
    end_note(n);
}

/* Write which results are not above the baseline. */
static void put_below(notes *n, const heft_results *results)
{
    size_t all = 0;
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_cell *cell = &results->cells[k];
        if (cell->failure || !heft_cell_lead(cell).below || ++all > MOST_MISSED) continue;
        if (all == 1) heft_put(next_note(n), "Not above the baseline: ");
        else heft_buf_text(n->buf, "; ");
        heft_put_place(n->buf, results, cell, n->style);
        heft_put(n->buf, " (%2f against %2f)", 100 * cell->accuracy_pooled,
                 100 * heft_cell_lead(cell).baseline);
    }
    if (all == 0) return;
    if (all > MOST_MISSED) heft_put(n->buf, "; and %z more", all - MOST_MISSED);
    end_note(n);
}

static void put_baselines(notes *n, const heft_results *results, bool led)
{
    const heft_cell *cell = results->n_data == 1 ? heft_cell_present(results, 0) : NULL;
    if (!has_baseline(results)) return;
    heft_put(next_note(n), "baseline: always the most frequent class");
    if (cell && cell->classes)
        heft_put(n->buf, ", %28w", cell->classes[heft_cell_lead(cell).frequent], n->style);
    end_note(n);
    if (led)
        put_note(n, "Where one class has over 90 percent of the rows, or the baseline is as good, "
                    "accuracy says little and other figures come first");
    put_below(n, results);
}

/* Write which methods are those of other programs. */
static void put_imported(notes *n, const heft_results *results)
{
    bool any = false;
    for (size_t m = 0; m < results->n_method; m++) {
        if (!results->cells[m].imported) continue;
        heft_put(any ? n->buf : next_note(n), any ? ", %28w" : "Imported accuracies: %28w",
                 results->methods[m], n->style);
        any = true;
    }
    if (any) end_note(n);
}

static void put_failures(notes *n, const heft_results *results)
{
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_cell *cell = &results->cells[k];
        if (!cell->failure) continue;
        heft_put_place(next_note(n), results, cell, n->style);
        heft_put(n->buf, ": %400w", cell->failure, n->style);
        end_note(n);
    }
}

/* ---- one table, or several ---- */

/* Write the heading above the first table; in LaTeX, where tables float, it is in every caption. */
static void put_title(heft_buf *buf, const heft_results *results, const char *label,
                      heft_style style, bool first)
{
    const bool  latex = style == HEFT_LATEX;
    const char *end = words.line_end[style];
    const char *stage = results->n_stage > 1 ? "" : heft_stage_at(results, 0)->name;
    if (latex) {
        heft_buf_text(buf, "\\begin{table}\n\\centering\n\\caption{Accuracy of ");
        heft_put_about(buf, results, style);
        heft_buf_text(buf, ".\n");
    }
    if (latex || first) {
        heft_put_split(buf, results);
        if (results->repeats > 1) heft_put(buf, ", %z repeats", results->repeats);
        heft_buf_printf(buf, ", seed %" PRIu64 "%s%s%s%s", results->seed,
                        results->design.from_file ? ", folds from a file" : "",
                        results->design.weka ? ", Weka's split" : "",
                        results->design.saved   ? ""
                        : results->design.whole ? ", whole protocol"
                                                : ", honest protocol",
                        end);
        if (results->design.rule) heft_put(buf, "%100w%s", results->design.rule, style, end);
        if (results->design.whole)
            heft_put(buf,
                     "Warning: the preparation was learned on the test rows too, so the results "
                     "are optimistic%s",
                     end);
        heft_put(buf, "Accuracy in percent");
        if (results->folds * results->repeats > 1)
            heft_put(buf, ", mean%sstandard deviation over the %s", words.plus_minus[style],
                     results->folds > 1 ? "folds" : "repeats");
        heft_put(buf, "%s%s", results->n_method > 1 ? words.best_is[style] : "", end);
    }
    if (!latex && (!first || style == HEFT_PLAIN)) heft_buf_text(buf, "\n");
    if (*stage) heft_put(buf, "%100w%s", stage, style, latex ? ".\n" : "\n\n");
    if (!latex) return;
    heft_buf_text(buf, "}\n");
    heft_put_label(buf, results, label);
}

/* Write the data sets of one stage, and the summary over them. `number` is that of the stage, from
 * 1; 0 means that there is only one stage. */
static heft_status put_stage(heft_ctx *ctx, const heft_results *results, heft_style style,
                             size_t number, heft_buf *buf)
{
    HEFT_SCRATCH_SCOPE(ctx);
    char         label[40];
    notes        n = {buf, style, false};
    heft_summary s;
    size_t       n_led = 0; /* number of data sets with figures before the accuracies */
    HEFT_CHECK(heft_summarise(ctx, results, &s));
    table t = open_results(results, style, "data");
    for (size_t d = 0; d < results->n_data; d++) {
        add_lead(&t, results, d);
        add_line(&t, SET, results->sets[d].name, results, &s, d);
        n_led += is_led(results, d);
    }
    const bool several = results->n_method > 1, tested = s.n_complete > 1;
    const bool shown[N_LINES] = {[AVERAGE] = results->n_data > 1,
                                 [RANK] = results->n_data > 1 && several,
                                 [RECORD] = several && !results->design.saved,
                                 [SIGNIFICANT] = has_marks(results),
                                 [WILCOXON] = several && tested,
                                 [HOLM] = results->n_method > 2 && tested};
    for (line k = AVERAGE; k < N_LINES; k++) {
        if (!shown[k]) continue;
        t.grid.rule = 1 + results->n_data + HEFT_N_LEAD * n_led;
        add_line(&t, k, line_names[k], results, &s, 0);
    }
    snprintf(label, sizeof label, number ? "accuracy-%zu" : "accuracy", number);
    put_title(buf, results, label, style, number <= 1);
    heft_grid_print(&t.grid, buf);
    put_baselines(&n, results, n_led > 0);
    if (results->n_method > 1 && !results->design.saved) put_tests(&n, results, &s);
    HEFT_CHECK(put_verdict(ctx, &n, results, &s));
    if (s.n_complete < results->n_data && results->n_data > 1)
        put_note(
            &n,
            "the average and the ranks are over the %z of %z data sets that every method completed",
            s.n_complete, results->n_data);
    for (size_t m = 1; results->row_tests && m < results->n_method; m++)
        if (!results->cells[0].failure && !results->cells[m].failure) put_row_test(&n, results, m);
    put_missed(&n, results);
    put_imported(&n, results);
    put_failures(&n, results);
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
    return HEFT_OK;
}

/* Write one line per stage, for the only data set or for the average over several. */
static heft_status put_stages(heft_ctx *ctx, const heft_results *results, heft_style style,
                              bool first, heft_buf *buf)
{
    const size_t n_stage = heft_n_stages(results);
    const bool   one = results->n_data == 1;
    notes        n = {buf, style, false};
    table        t = open_results(results, style, one ? results->sets[0].name : "average");
    for (size_t k = 0; k < n_stage; k++) {
        const heft_results at = heft_results_at(results, k);
        heft_summary       s = {0};
        const heft_status  st = one ? HEFT_OK : heft_summarise(ctx, &at, &s);
        if (st != HEFT_OK) {
            heft_buf_clear(&t.grid.text);
            return st;
        }
        add_line(&t, one ? SET : AVERAGE, heft_stage_at(results, k)->name, &at, &s, 0);
    }
    put_title(buf, results, "accuracy", style, first);
    heft_grid_print(&t.grid, buf);
    if (one && has_marks(results)) put_against(&n, results);
    if (one)
        for (size_t k = 0; k < n_stage; k++) {
            const heft_results at = heft_results_at(results, k);
            if (k == 0) put_baselines(&n, &at, false);
            else put_below(&n, &at);
            put_missed(&n, &at);
            put_failures(&n, &at);
        }
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
    return HEFT_OK;
}

heft_status heft_results_table(heft_ctx *ctx, const heft_results *results, heft_style style,
                               heft_buf *buf)
{
    const size_t n_stage = heft_n_stages(results);
    if (style == HEFT_LATEX)
        heft_buf_printf(buf, "%% heft %s; \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n",
                        HEFT_VERSION);
    for (size_t k = 0; (n_stage == 1 || results->n_data > 1) && k < n_stage; k++) {
        const heft_results at = heft_results_at(results, k);
        HEFT_CHECK(put_stage(ctx, &at, style, n_stage > 1 ? k + 1 : 0, buf));
    }
    if (n_stage > 1) HEFT_CHECK(put_stages(ctx, results, style, results->n_data == 1, buf));
    if (style != HEFT_PLAIN) heft_results_appendix(results, style, buf);
    return HEFT_OK;
}
