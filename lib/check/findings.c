/* findings.c - what looks wrong with a table, one sentence each: where, what, what to do.
 *
 * A wrong finding costs more trust than a right one wins: the limits are set so that tables in good
 * order have no serious findings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/marks.h"
#include "base/put.h"
#include "base/sort.h"
#include "check/check.h"
#include "decide/decide.h"

enum { NAMED = 5, NAME = 60 }; /* columns that a sentence names, and bytes of a name */
enum { FEW_ROWS = 20, LEAK_ROWS = 50, RARE = 10, MANY = 20 };
static const double UNIQUE = 0.9;  /* distinct values per cell, as in method auto */
static const double LEAK = 0.95;   /* share of the information about the class */
static const double NEARLY = 0.95; /* share of missing cells, or of rows of one class */
static const double DOMINANT = 0.99;
static const double MOST_WORDS =
    0.5; /* share of the cells, in a column that is meant to have numbers */

typedef struct finder {
    heft_ctx     *ctx;
    heft_check   *check;
    const size_t *cols; /* the columns of the finding at hand, in scratch memory */
    size_t        n;
    size_t        capacity; /* findings that there is space for */
    heft_finding *found;    /* on the heap */
} finder;

/* ---- sentences ---- */

static const char *name_of(const finder *f, size_t k)
{
    return f->check->cols[f->cols[k]].show.name;
}

/* Writes the columns at hand: column 'a'; columns 'a', 'b' and 'c'; columns 'a', ..., 'e' and 7
 * more */
static void put_columns(const finder *f, heft_buf *out)
{
    heft_put(out, f->n == 1 ? "column" : "columns");
    for (size_t k = 0; k < f->n && k < NAMED; k++)
        heft_put(out, "%s '%60q'",
                 k == 0                           ? ""
                 : k + 1 == f->n && f->n <= NAMED ? " and"
                                                  : ",",
                 name_of(f, k));
    if (f->n > NAMED) heft_put(out, " and %z more", f->n - NAMED);
}

/* Whether the name needs no quotes in a shell, nor in a list. */
static bool is_plain(const char *name)
{
    for (; *name; name++)
        if (!((*name | 32) >= 'a' && (*name | 32) <= 'z') && !(*name >= '0' && *name <= '9') &&
            !strchr("_-.:/", *name) && (unsigned char)*name < 0x80)
            return false;
    return true;
}

/* A format with its marks rendered: those of a file's columns are named as the file is read, and
 * those of a table in memory by what can be done with it. */
static const char *marked(const finder *f, char out[HEFT_RENDERED_SIZE], const char *format)
{
    return f->check->label ? heft_render_file(out, HEFT_RENDERED_SIZE, format)
                           : heft_render(out, HEFT_RENDERED_SIZE, format);
}
#define MARKED(f, format) marked((f), (char[HEFT_RENDERED_SIZE]){0}, (format))

/* "with --drop a,b,c)" */
static void put_option(const finder *f, bool drop, heft_buf *out)
{
    HEFT_LOCAL(heft_buf) names = {0};
    bool                 plain = true;
    for (size_t k = 0; k < f->n && k < NAMED; k++) {
        plain = plain && is_plain(name_of(f, k));
        heft_put(&names, "%s%60q", k ? "," : "", name_of(f, k));
    }
    if (f->n > NAMED) heft_put(&names, ",...");
    const char *format = drop && plain ? "{advice out-of-table=%s})"
                         : drop        ? "{advice out-of-table='%s'})"
                         : plain       ? "{advice as-class=%s})"
                                       : "{advice as-class='%s'})";
    heft_put(out, MARKED(f, format), heft_buf_string(&names));
}

/* "1 row has", "3 rows have" */
static const char *have(char out[HEFT_COUNT_SIZE + 8], size_t n, const char *noun)
{
    snprintf(out, HEFT_COUNT_SIZE + 8, "%s %s", HEFT_COUNT_OF(n, noun), n == 1 ? "has" : "have");
    return out;
}

enum { COLUMNS = 1, SERIOUS = 2, DROP = 4, NOMINAL = 8 };

/* Adds a finding about the columns at hand. With COLUMNS the sentence begins with them; with DROP
 * or NOMINAL it ends with that option for them, and a bracket. The format is that of
 * heft_put_marked. */
static heft_status add(finder *f, const char *code, unsigned how, const char *format, ...)
{
    heft_ctx            *ctx = f->ctx;
    HEFT_LOCAL(heft_buf) text = {0};
    char                *kept;
    HEFT_FREED char     *own = NULL;
    size_t              *cols;
    va_list              args;
    if (how & COLUMNS) put_columns(f, &text);
    va_start(args, format);
    heft_vput(&text, MARKED(f, format), args);
    va_end(args);
    if (how & (DROP | NOMINAL)) put_option(f, how & DROP, &text);
    HEFT_CHECK(heft_buf_take(ctx, &text, &own));
    HEFT_CHECK(heft_arena_copy(ctx, &f->check->arena, own, &kept));
    HEFT_ALLOC(ctx, &f->check->arena, cols, f->n + 1);
    if (f->n) memcpy(cols, f->cols, f->n * sizeof *cols);
    HEFT_GROW(ctx, f->found, f->capacity, f->check->n_findings + 1, 16);
    f->found[f->check->n_findings++] = (heft_finding){code, how & SERIOUS, kept, f->n, cols};
    return HEFT_OK;
}

/* ---- columns ---- */

typedef bool column_test(const heft_check *check, const heft_column_summary *col);

/* Whether method auto will say itself that the column takes no part, because nearly every row has a
 * value of its own there: one warning is enough. */
static bool is_told_by_auto(const heft_check *check, const heft_column_summary *col)
{
    return check->auto_tells && col->dict &&
           (double)col->show.n_distinct > UNIQUE * (double)col->n_observed;
}

/* Makes the attributes that pass the test those of the next finding; false: none does. */
static bool gather(finder *f, column_test *test, size_t *cols)
{
    f->n = 0;
    f->cols = cols;
    for (size_t j = 0; j < f->check->n_attr; j++)
        if (test(f->check, &f->check->cols[j]) && !is_told_by_auto(f->check, &f->check->cols[j]))
            cols[f->n++] = j;
    return f->n > 0;
}

static bool is_text(const heft_check *check, const heft_column_summary *col)
{
    (void)check;
    return col->looks == HEFT_LOOKS_TEXT && 2 * col->show.n_distinct > col->n_observed;
}

static bool is_date(const heft_check *check, const heft_column_summary *col)
{
    (void)check;
    return col->looks == HEFT_LOOKS_DATE;
}

static bool is_identifier(const heft_check *check, const heft_column_summary *col)
{
    return col->dict && col->looks == HEFT_LOOKS_PLAIN && col->n_observed >= FEW_ROWS &&
           !is_text(check, col) && (double)col->show.n_distinct > UNIQUE * (double)col->n_observed;
}

static bool is_row_number(const heft_check *check, const heft_column_summary *col)
{
    (void)check;
    return col->counts_rows;
}

static bool is_leak(const heft_check *check, const heft_column_summary *col)
{
    return check->classes.n_labelled >= LEAK_ROWS && col->show.information >= LEAK &&
           !col->counts_rows;
}

static bool is_all_missing(const heft_check *check, const heft_column_summary *col)
{
    return check->n_rows > 0 && col->show.n_missing == check->n_rows;
}

static bool is_nearly_missing(const heft_check *check, const heft_column_summary *col)
{
    return (double)col->show.n_missing >= NEARLY * (double)check->n_rows &&
           !is_all_missing(check, col);
}

static bool is_constant(const heft_check *check, const heft_column_summary *col)
{
    return check->n_rows > 1 && col->show.n_distinct == 1 && col->show.n_missing == 0;
}

static bool is_dominated(const heft_check *check, const heft_column_summary *col)
{
    return !check->sparse && check->n_rows >= 100 && col->show.n_distinct > 1 &&
           (double)col->n_most >= DOMINANT * (double)check->n_rows;
}

/* Finds numbers in another notation, with one finding for each notation. */
static heft_status find_notations(finder *f, size_t *cols)
{
    char point[120];
    heft_print(point, sizeof point, "{decimal-mark} is %c; leave it out to read decimal points",
               f->check->mark);
    const struct {
        heft_looks  looks;
        const char *what, *remedy;
    } known[] = {
        {HEFT_LOOKS_DECIMAL_COMMA, "a decimal comma", "{advice decimal-comma}"},
        {HEFT_LOOKS_DECIMAL_POINT, "decimal points", point},
        {HEFT_LOOKS_THOUSANDS, "separators of thousands",
         "take the separators out of the file, or {advice use-decimal-comma}"},
        {HEFT_LOOKS_CURRENCY, "a sign of currency", "take the sign out of the file"},
        {HEFT_LOOKS_PERCENT, "a percent sign", "take the sign out of the file"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        f->n = 0;
        f->cols = cols;
        for (size_t j = 0; j < f->check->n_attr; j++)
            if (f->check->cols[j].looks == known[k].looks) cols[f->n++] = j;
        if (f->n == 0) continue;
        const heft_column_summary *col = &f->check->cols[cols[0]];
        HEFT_CHECK(add(f, "number-as-text", COLUMNS | SERIOUS,
                       ": numbers with %s, such as '%40q', are read as categories (%s)",
                       known[k].what, heft_dict_text(col->dict, col->example),
                       MARKED(f, known[k].remedy)));
    }
    return HEFT_OK;
}

/* Whether a few words stand among the numbers of a column. A quick check, before training, passes
 * over columns with fewer than 1 such cell in 100, because reading has warned of them. */
static bool is_mixed(const heft_check *check, const heft_column_summary *col)
{
    if (check->quick && col->n_words * 100 < col->n_observed) return false;
    return col->looks == HEFT_LOOKS_MIXED && col->n_words > 0 &&
           (double)col->n_words <= MOST_WORDS * (double)col->n_observed;
}

/* Finds columns of numbers that a few words make nominal. */
static heft_status find_mixed(finder *f, size_t *cols)
{
    if (!gather(f, is_mixed, cols)) return HEFT_OK;
    const heft_column_summary *col = &f->check->cols[cols[0]];
    const char                *word = heft_dict_text(col->dict, col->example);
    if (strpbrk(word, "0123456789")) /* a value such as 18-25 does not mark a missing cell */
        return add(f, "number-as-text", COLUMNS | SERIOUS,
                   ": most of %s cells are numbers, but a few such as '%40q' are not, so all are "
                   "read as categories (write numbers there, or leave the cells empty)",
                   f->n == 1 ? "the" : "their", word);
    if (f->n == 1)
        return add(f, "number-as-text", COLUMNS | SERIOUS,
                   ": %z of %z cells are numbers, but others such as '%40q' are not, so all are "
                   "read as categories ({advice mark-missing=%40q}, or "
                   "{advice make-error=%60q})",
                   col->n_observed - col->n_words, col->n_observed, word, word, col->show.name);
    return add(f, "number-as-text", COLUMNS | SERIOUS,
               ": most of their cells are numbers, but a few such as '%40q' are not, so all are "
               "read as categories ({advice mark-missing=%40q})",
               word, word);
}

/* Finds words in several spellings, which count as different values, also in the class. */
static heft_status find_spellings(finder *f, size_t *cols)
{
    f->cols = cols;
    f->n = 1;
    for (size_t j = 0; j < f->check->n_cols; j++) {
        heft_column_summary *col = &f->check->cols[j];
        if (col->n_alike == 0) continue;
        cols[0] = j;
        HEFT_CHECK(add(f, "spelling", COLUMNS,
                       ": %s look like %s in different spellings, and count as different values "
                       "(write them alike in the file)",
                       heft_buf_string(&col->alike),
                       col->n_alike == 1 ? "one value" : HEFT_COUNT_OF(col->n_alike, "value")));
    }
    return HEFT_OK;
}

static heft_status find_leaks(finder *f, size_t *cols)
{
    if (!gather(f, is_leak, cols)) return HEFT_OK;
    if (f->n == 1)
        return add(
            f, "leak", COLUMNS | SERIOUS | DROP,
            ": it almost determines the class by itself (%0f%% of the information): if it is not "
            "known before the class is, leave it out (",
            100 * f->check->cols[cols[0]].show.information);
    return add(f, "leak", COLUMNS | SERIOUS | DROP,
               ": each of them almost determines the class by itself: leave out those that are not "
               "known before the class is (");
}

/* Findings that are one sentence about all columns that pass a test. The last %s is "it" or "them";
 * before it the finding of dates has an example, and that of nearly empty columns "a column". */
typedef struct plain_finding {
    column_test *test;
    const char  *code, *text;
    unsigned     how;
} plain_finding;

/* Texts and dates that are read as categories, and columns that name the rows. */
static const plain_finding names[] = {
    {is_row_number, "row-number",
     ": the numbers count the rows, so they say nothing about other rows (leave %s out ", SERIOUS},
    {is_identifier, "identifier",
     ": nearly every row has a value of its own there, which says nothing about other rows (leave "
     "%s out ",
     SERIOUS},
    {is_date, "date",
     ": dates or times such as '%40q' are read as categories (put numbers such as year, month and "
     "hour into columns of their own, or leave %s out ",
     SERIOUS},
    {is_text, "free-text",
     ": free text is read as categories, and nearly every text is another one (make columns of its "
     "words, or leave %s out ",
     SERIOUS},
};

static const plain_finding contents[] = {
    {is_all_missing, "missing", ": all cells are missing (leave %s out ", 0},
    {is_nearly_missing, "missing",
     ": at least 95%% of the cells are missing (see whether the others are worth %s, or leave %s "
     "out ",
     0},
    {is_constant, "constant",
     ": all rows have the same value, which says nothing about the class (leave %s out ", 0},
    {is_dominated, "dominant",
     ": at least 99%% of the rows have the same value (the others can tell little; unless they "
     "matter leave %s out ",
     0},
};

static heft_status find_plain(finder *f, size_t *cols, const plain_finding *list, size_t n)
{
    for (const plain_finding *one = list; one < list + n; one++) {
        if (!gather(f, one->test, cols)) continue;
        const heft_column_summary *col = &f->check->cols[cols[0]];
        const char                *pronoun = f->n == 1 ? "it" : "them", *first = pronoun;
        if (one->test == is_date) first = heft_dict_text(col->dict, col->example);
        if (one->test == is_nearly_missing) first = f->n == 1 ? "a column" : "columns";
        HEFT_CHECK(add(f, one->code, COLUMNS | DROP | one->how, one->text, first, pronoun));
    }
    return HEFT_OK;
}

/* ---- columns that repeat others ---- */

/* Sorts the columns by key, in the order of the table where keys are equal. */
static heft_status sort_keys(heft_ctx *ctx, const heft_check *check, heft_ranked **out, size_t *n)
{
    heft_ranked *spare;
    *n = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, check->n_attr, *out, spare);
    for (size_t j = 0; j < check->n_attr; j++)
        if (check->cols[j].key) (*out)[(*n)++] = (heft_ranked){check->cols[j].key, j};
    heft_order_sort(*out, spare, *n);
    return HEFT_OK;
}

static heft_status find_repeats(finder *f, size_t *cols)
{
    heft_ranked *v;
    size_t       n, *first;
    HEFT_CHECK(sort_keys(f->ctx, f->check, &v, &n));
    HEFT_ALLOC(f->ctx, &f->ctx->scratch, first, f->check->n_attr);
    for (size_t j = 0; j < f->check->n_attr; j++) first[j] = j;
    for (size_t k = 1; k < n; k++)
        if (v[k].key == v[k - 1].key) first[v[k].row] = first[v[k - 1].row];
    size_t all = 0;
    for (size_t j = 0; j < f->check->n_attr; j++)
        if (first[j] != j) cols[all++] = j;
    f->cols = cols;
    f->n = all;
    if (all > NAMED)
        return add(f, "repeat", COLUMNS | DROP,
                   ": each of them repeats another column, or is a one-to-one recoding of one "
                   "(leave one of each set out ");
    for (size_t k = 0; k < all; k++) {
        const heft_column_summary *col = &f->check->cols[cols[k]];
        const heft_column_summary *other = &f->check->cols[first[cols[k]]];
        const char *how = col->exact == other->exact ? "repeats" : "is a one-to-one recoding of";
        f->cols = cols + k;
        f->n = 1;
        HEFT_CHECK(add(f, "repeat", COLUMNS | DROP, " %s column '%60q' (leave one of them out ",
                       how, other->show.name));
    }
    return HEFT_OK;
}

/* ---- the class ---- */

static const char *class_name(const heft_check *check, size_t c)
{
    return heft_dict_text(check->cols[check->n_attr].dict, (uint32_t)c);
}

/* Whether the classes are numbers that look measured: fractions, so many values that each has few
 * rows, or whole numbers with gaps. */
static bool is_measured(const heft_check *check)
{
    const heft_column_summary *y = &check->cols[check->n_attr];
    const double     K = (double)y->show.n_distinct, n = (double)check->classes.n_labelled;
    const heft_dict *dict = y->dict;
    bool             whole = true;
    double           lo = INFINITY, hi = -INFINITY, x;
    if (K < MANY) return false;
    for (uint32_t v = 0; v < heft_dict_size(dict); v++) {
        const char *text = heft_dict_text(dict, v);
        if (heft_parse_double(text, text + heft_dict_length(dict, v), &x) != HEFT_NUM_OK)
            return false;
        whole = whole && x == floor(x);
        lo = fmin(lo, x);
        hi = fmax(hi, x);
    }
    return !whole || K >= 0.05 * n || hi - lo + 1 > 1.5 * K;
}

static heft_status find_rare(finder *f)
{
    const heft_check    *check = f->check;
    size_t               rare = 0, most = 0, present = 0, top = 0, least = SIZE_MAX, last = 0;
    HEFT_LOCAL(heft_buf) list = {0};
    char                 count[HEFT_COUNT_SIZE + 8];
    for (size_t c = 0; c < check->classes.n; c++) {
        const size_t n = check->classes.rows[c];
        if (n == 0) continue;
        present++;
        if (n > most) most = n, top = c;
        if (n < least) least = n, last = c;
        if (n >= RARE) continue;
        if (rare++ < NAMED)
            heft_put(&list, "%s'%40q' (%z)", rare > 1 ? ", " : "", class_name(check, c), n);
    }
    const bool two = present == 2;
    if (present > 1 && (double)most >= NEARLY * (double)check->classes.n_labelled &&
        check->classes.n_labelled >= 100)
        HEFT_CHECK(add(f, "imbalance", SERIOUS,
                       "class '%60q' has %s%1f%% of the rows: a high accuracy says little about %s "
                       "(see {advice recall}, and %s)",
                       class_name(check, two ? last : top), two ? "only " : "",
                       100 * (double)(two ? least : most) / (double)check->classes.n_labelled,
                       two ? "it" : "the others", HEFT_MARKED(heft_rare_options(present, false))));
    if (rare > NAMED) heft_put(&list, " and %z more", rare - NAMED);
    if (rare > 0 && present > 1)
        HEFT_CHECK(add(f, "rare-class", 0,
                       "%s fewer than 10 rows, too few to learn from or to measure by: %s (collect "
                       "more rows of %s, or join classes)",
                       have(count, rare, "class"), heft_buf_string(&list),
                       rare == 1 ? "it" : "them"));
    return HEFT_OK;
}

static heft_status find_class(finder *f, size_t *cols)
{
    const heft_check *check = f->check;
    if (check->n_cols == check->n_attr) return HEFT_OK;
    const heft_column_summary *y = &check->cols[check->n_attr];
    const size_t               K = y->show.n_distinct;
    cols[0] = check->n_attr;
    f->cols = cols;
    f->n = 1;
    if (K == 0)
        return add(f, "one-class", SERIOUS,
                   "class column '%60q': all cells are missing, so there is nothing to learn from "
                   "({advice choose-target})",
                   y->show.name);
    if (K == 1)
        return add(
            f, "one-class", SERIOUS,
            "class column '%60q': all rows have the class '%60q', so there is nothing to learn "
            "({advice choose-target})",
            y->show.name, y->top_text[0]);
    if (K > HEFT_MOST_CLASSES)
        return add(
            f, "many-classes", SERIOUS,
            "class column '%60q': it has %s, and at most %z are allowed ({advice choose-target})",
            y->show.name, HEFT_COUNT_OF(K, "value"), (size_t)HEFT_MOST_CLASSES);
    if (is_measured(check) && !check->declared)
        return add(
            f, "numeric-class", SERIOUS | NOMINAL,
            "class column '%60q': it has %s that look measured, and heft predicts classes: it does "
            "no regression (make a few intervals of the numbers, {advice choose-target}, or "
            "make every number a class",
            y->show.name, HEFT_COUNT_OF(K, "different number"));
    if (K >= MANY && (double)K > 0.2 * (double)check->classes.n_labelled && !check->declared)
        return add(
            f, "many-classes", SERIOUS | NOMINAL,
            "class column '%60q': it has %s in %s, too few of each to learn from (join values, "
            "{advice choose-target}, or keep them all",
            y->show.name, HEFT_COUNT_OF(K, "value"),
            HEFT_COUNT_OF(check->classes.n_labelled, "row"));
    if (check->n_attr == 0)
        HEFT_CHECK(
            add(f, "no-attributes", SERIOUS,
                "there is no column besides the class '%60q', so that all rows get the same "
                "prediction (add columns that help to predict the class, or {advice see-drop})",
                y->show.name));
    return find_rare(f);
}

/* ---- rows ---- */

static heft_status find_rows(finder *f)
{
    const heft_check *check = f->check;
    const size_t      unlabelled = check->classes.n ? check->n_rows - check->classes.n_labelled : 0;
    char              count[HEFT_COUNT_SIZE + 8];
    f->n = 0;
    if (check->n_contradicting)
        HEFT_CHECK(add(f, "contradiction", 0,
                       "%s other rows with the same attributes and another class: no method "
                       "predicts all of them right (see whether a column is missing from the "
                       "data)",
                       have(count, check->n_contradicting, "row")));
    if (check->n_repeated)
        HEFT_CHECK(add(f, "repeated-rows", 0,
                       "%s the same attributes as an earlier row: where copies are in training and "
                       "in test rows, results look better than they are (remove rows that were "
                       "copied by mistake)",
                       have(count, check->n_repeated, "row")));
    if (unlabelled && check->classes.n_labelled)
        HEFT_CHECK(add(f, "no-class", 0,
                       "%s no class: training leaves %s out (add the class, or keep them to be "
                       "predicted)",
                       have(count, unlabelled, "row"), unlabelled == 1 ? "it" : "them"));
    return HEFT_OK;
}

heft_status heft_check_find(heft_ctx *ctx, heft_check *check)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status st = HEFT_OK;
    finder      f = {.ctx = ctx, .check = check};
    size_t     *cols;
    HEFT_ARENA(ctx, &ctx->scratch, cols, check->n_cols + 1);
    HEFT_TRY(find_leaks(&f, cols)); /* the most serious first */
    HEFT_TRY(find_class(&f, cols));
    HEFT_TRY(find_notations(&f, cols));
    HEFT_TRY(find_mixed(&f, cols));
    HEFT_TRY(find_plain(&f, cols, names, sizeof names / sizeof *names));
    if (!check->quick) {
        HEFT_TRY(find_spellings(&f, cols));
        HEFT_TRY(find_rows(&f));
        HEFT_TRY(find_repeats(&f, cols));
        HEFT_TRY(find_plain(&f, cols, contents, sizeof contents / sizeof *contents));
    }
    HEFT_ARENA(ctx, &check->arena, check->findings, check->n_findings + 1);
    size_t n = 0; /* notes go behind the serious ones */
    for (int notes = 0; notes < 2; notes++)
        for (size_t k = 0; k < check->n_findings; k++)
            if (f.found[k].serious != (notes == 1)) check->findings[n++] = f.found[k];
done:
    heft_free(f.found);
    return st;
}
