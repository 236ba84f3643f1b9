/* results_table.c - results for people: data sets by methods, on a terminal or in Markdown. */
#include "eval/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SCREEN = 100, NAME_BYTES = 28, GAP = 2 };

static const double LEAST_P = 0.0001; /* smaller ones are shown as below it */

/* Lines of a first column and one column per method; texts are in scratch memory. */
typedef struct grid {
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
    char       *text = NULL;
    *out = NULL;
    HEFT_TRY(heft_buf_take(ctx, buf, &text));
    *out = heft_arena_text(&ctx->scratch, text);
    if (!*out) st = heft_no_memory(ctx, strlen(text) + 1, 1);
done:
    heft_free(text);
    return st;
}

/* A name as it can be shown: cut, without control characters, and in Markdown without bars. */
static void put_name(heft_buf *buf, const char *name, size_t most, bool markdown)
{
    char shown[512];
    heft_show(shown, sizeof shown, name, strlen(name), most);
    for (const char *s = shown; *s; s++) {
        if (markdown && strchr("|\\`*_<[", *s)) heft_buf_text(buf, "\\");
        heft_buf_add(buf, s, 1);
    }
}

static bool is_best(const heft_results *results, size_t d, size_t m)
{
    const heft_cell *cell = heft_results_cell(results, d, m);
    if (results->n_method < 2 || cell->failure) return false;
    for (size_t k = 0; k < results->n_method; k++) {
        const heft_cell *other = heft_results_cell(results, d, k);
        if (!other->failure && other->accuracy > cell->accuracy + HEFT_SAME) return false;
    }
    return true;
}

/* 95.33 ± 4.50, the best with a star behind it; the star has a column of its own. */
static void put_accuracy(heft_buf *buf, const heft_results *results, size_t d, size_t m,
                         bool markdown)
{
    const heft_cell *cell = heft_results_cell(results, d, m);
    const bool       best = is_best(results, d, m);
    if (markdown && best) heft_buf_text(buf, "**");
    if (cell->failure) heft_buf_text(buf, "-");
    else {
        heft_buf_fixed(buf, 100 * cell->accuracy, 2);
        if (cell->n_folds > 1) {
            heft_buf_text(buf, " ± ");
            if (!markdown && 100 * cell->accuracy_sd < 9.995) heft_buf_text(buf, " ");
            heft_buf_fixed(buf, 100 * cell->accuracy_sd, 2);
        }
    }
    if (markdown && best) heft_buf_text(buf, "**");
    if (!markdown && results->n_method > 1) heft_buf_text(buf, best ? "*" : " ");
}

static void put_fixed(heft_buf *buf, double x, int decimals)
{
    if (isfinite(x)) heft_buf_fixed(buf, x, decimals);
    else heft_buf_text(buf, "-");
}

static void put_p(heft_buf *buf, double p)
{
    if (p < LEAST_P) heft_buf_text(buf, "< 0.0001");
    else put_fixed(buf, p, 4);
}

typedef enum line_kind { AVERAGE, RANK, RECORD, SIGNIFICANT, WILCOXON, N_KINDS } line_kind;

static const char *const line_names[N_KINDS] = {"average", "mean rank", "win/tie/loss",
                                                "significant", "Wilcoxon p"};

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
        return results->n_method > 1 && results->folds > 1;
    default:
        return results->n_method > 1 && s->n_complete > 1;
    }
}

static void put_summary(heft_buf *buf, const heft_rival *r, line_kind kind, bool first)
{
    const bool against = kind == RECORD || kind == SIGNIFICANT || kind == WILCOXON;
    if (against && (first || !r->ran)) heft_buf_text(buf, first ? "" : "-");
    else if (kind == AVERAGE) put_fixed(buf, 100 * r->mean_accuracy, 2);
    else if (kind == RANK) put_fixed(buf, r->mean_rank, 2);
    else if (kind == RECORD) heft_buf_printf(buf, "%zu/%zu/%zu", r->wins, r->ties, r->losses);
    else if (kind == SIGNIFICANT)
        heft_buf_printf(buf, "%zu/%zu/%zu", r->better,
                        r->wins + r->ties + r->losses - r->better - r->worse, r->worse);
    else put_p(buf, r->wilcoxon);
}

/* ---- the grid ---- */

static heft_status fill_line(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                             bool markdown, size_t kind, grid *g)
{
    heft_status  st = HEFT_OK;
    heft_buf     buf = {0};
    const bool   head = kind == 0, data = !head && kind <= results->n_data;
    const char **line = g->text + g->n_lines++ * g->n_cols;
    for (size_t k = 0; k < g->n_cols; k++) {
        if (head && k == 0) heft_buf_text(&buf, "data");
        else if (head) put_name(&buf, results->methods[k - 1], NAME_BYTES, markdown);
        else if (data && k == 0) put_name(&buf, results->sets[kind - 1].name, NAME_BYTES, markdown);
        else if (data) put_accuracy(&buf, results, kind - 1, k - 1, markdown);
        else if (k == 0) heft_buf_text(&buf, line_names[kind - results->n_data - 1]);
        else put_summary(&buf, &s->rivals[k - 1], (line_kind)(kind - results->n_data - 1), k == 1);
        if (!data && k && !markdown && results->n_method > 1) heft_buf_text(&buf, " ");
        HEFT_TRY(keep(ctx, &buf, &line[k]));
    }
done:
    heft_buf_clear(&buf);
    return st;
}

static heft_status make_grid(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                             bool markdown, grid *g)
{
    heft_status st = HEFT_OK;
    size_t      cells;
    *g = (grid){.n_cols = results->n_method + 1, .room = results->n_data + 1 + N_KINDS};
    if (!heft_product(g->n_cols, g->room, &cells)) return heft_no_memory(ctx, g->n_cols, g->room);
    HEFT_ARENA(ctx, &ctx->scratch, g->text, cells);
    for (size_t k = 0; k <= results->n_data; k++)
        HEFT_TRY(fill_line(ctx, results, s, markdown, k, g));
    for (size_t k = 0; k < N_KINDS; k++) {
        if (!is_shown(results, s, (line_kind)k)) continue;
        if (!g->rule) g->rule = g->n_lines;
        HEFT_TRY(fill_line(ctx, results, s, markdown, results->n_data + 1 + k, g));
    }
done:
    return st;
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

/* ---- what stands around it ---- */

static void put_heading(heft_buf *buf, const heft_results *results, bool markdown)
{
    const char *end = markdown ? "\n\n" : "\n";
    if (results->tested) heft_buf_text(buf, "Trained on the data, tested on a table of its own");
    else heft_buf_printf(buf, "%zu-fold cross-validation", results->folds);
    if (results->repeats > 1) heft_buf_printf(buf, ", %zu repeats", results->repeats);
    heft_buf_printf(buf, ", seed %" PRIu64, results->seed);
    if (results->from_file) heft_buf_text(buf, ", folds from a file");
    if (results->weka) heft_buf_text(buf, ", Weka's split");
    heft_buf_printf(buf, ", %s protocol%s", results->whole ? "whole" : "honest", end);
    if (results->whole)
        heft_buf_printf(buf, "Warning: the preparation saw the test rows: optimistic%s", end);
    heft_buf_printf(buf, "Accuracy in percent%s%s%s%s",
                    results->folds > 1 ? ", mean ± standard deviation over the folds" : "",
                    results->n_method > 1 ? "; " : "",
                    results->n_method < 2 ? ""
                    : markdown            ? "the best in bold"
                                          : "* the best",
                    end);
    if (!markdown) heft_buf_text(buf, "\n");
}

/* Remarks below the table, a line each, an empty line before the first. */
typedef struct notes {
    heft_buf *buf;
    bool      markdown, any;
} notes;

static heft_buf *next_note(notes *n)
{
    heft_buf_text(n->buf, n->any ? "" : "\n");
    heft_buf_text(n->buf, n->markdown ? "- " : "");
    n->any = true;
    return n->buf;
}

static void put_tests(notes *n, const heft_results *results, const heft_summary *s)
{
    heft_buf *buf = next_note(n);
    heft_buf_text(buf, "win/tie/loss: against ");
    put_name(buf, results->methods[0], NAME_BYTES, n->markdown);
    heft_buf_text(buf, ", by mean accuracy");
    if (results->folds > 1)
        heft_buf_text(buf, "; significant: by the corrected resampled paired t at 5%");
    heft_buf_text(buf, "\n");
    next_note(n);
    if (!s->has_friedman) {
        heft_buf_printf(buf,
                        "No tests on ranks: they need two data sets with figures for all methods, "
                        "and there %s %zu\n",
                        s->n_complete == 1 ? "is" : "are", s->n_complete);
        return;
    }
    heft_buf_printf(buf,
                    "Friedman's test over %zu data sets (Iman and Davenport's F): ", s->n_complete);
    if (isfinite(s->friedman.f)) {
        heft_buf_text(buf, "F = ");
        heft_buf_fixed(buf, s->friedman.f, 3);
        heft_buf_text(buf, ", ");
    }
    heft_buf_text(buf, s->friedman.p < LEAST_P ? "p " : "p = ");
    put_p(buf, s->friedman.p);
    heft_buf_text(buf, "\n");
}

static void put_notes(heft_buf *buf, const heft_results *results, const heft_summary *s,
                      bool markdown)
{
    notes n = {buf, markdown, false};
    if (results->n_method > 1) put_tests(&n, results, s);
    if (s->n_complete < results->n_data && results->n_data > 1)
        heft_buf_printf(next_note(&n),
                        "average and ranks: over the %zu of %zu data sets that every method did\n",
                        s->n_complete, results->n_data);
    for (size_t k = 0; k < results->n_data * results->n_method; k++) {
        const heft_cell *cell = &results->cells[k];
        if (!cell->failure) continue;
        put_name(next_note(&n), cell->dataset, NAME_BYTES, markdown);
        heft_buf_text(buf, ", ");
        put_name(buf, cell->method, NAME_BYTES, markdown);
        heft_buf_text(buf, ": ");
        put_name(buf, cell->failure, 400, markdown);
        heft_buf_text(buf, "\n");
    }
}

heft_status heft_results_table(heft_ctx *ctx, const heft_results *results, bool markdown,
                               heft_buf *buf)
{
    heft_status  st = HEFT_OK;
    heft_summary s;
    grid         g;
    HEFT_TRY(heft_summarise(ctx, results, &s));
    HEFT_TRY(make_grid(ctx, results, &s, markdown, &g));
    put_heading(buf, results, markdown);
    if (markdown) put_markdown(buf, &g);
    else put_panels(buf, &g);
    put_notes(buf, results, &s, markdown);
done:
    return st;
}
