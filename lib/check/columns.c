/* columns.c - what every column of a table holds: values, range, information about the class, and
 * keys by which equal columns are found.
 *
 * Information. A number falls into one of up to 20 intervals with about as many rows each; where
 * they tell something, also into intervals that are cut where the class changes (prep/mdl.c), and
 * what tells more counts: a border between classes may lie inside of one of the 20. Values of a
 * nominal column that fewer than 5 rows have are taken together, and so are more where there
 * are very many. Missing cells count as a value of their own. Weights of rows are not considered.
 */
#include "check/columns.h"

#include <math.h>

#include "base/rows.h"
#include "prep/points.h"
#include "stats/info.h"
#include "stats/keys.h"

enum { INTERVALS = 20, LEAST_ROWS = 5, MOST_VALUES = 1000 };
static const double LEAST_CUT = 0.1; /* a column that tells all tells so much in 20 intervals */
enum { LEAST_COMPARED = 20, LEAST_APART = 10 }; /* rows of a column that is compared with others */

static uint64_t cell_key(size_t i, uint64_t cell)
{
    return heft_mix(heft_mix((uint64_t)i + 1) + cell);
}

static uint64_t text_key(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t k = 0; k < length; k++) h = (h ^ (unsigned char)text[k]) * 0x100000001b3u;
    return heft_mix(h);
}

/* ---- information ---- */

/* Returns how much the lines of a table of counts tell about the class. `cell` has
 * (n_lines + 1) * n_group numbers; its last line, the missing cells, is filled in here. */
static double information(const heft_column_scan *l, double *cell, size_t n_lines)
{
    const size_t G = l->check->classes.n_group;
    double       missing = 0;
    for (size_t g = 0; g < G; g++) {
        double rest = (double)l->group_rows[g];
        for (size_t k = 0; k < n_lines; k++) rest -= cell[k * G + g];
        cell[n_lines * G + g] = rest;
        missing += rest;
    }
    if (!(l->check->classes.entropy > 0)) return l->check->classes.n > 0 ? 0 : (double)NAN;
    const double found = heft_information_beyond_chance(cell, n_lines + (missing > 0), G);
    return fmin(found / l->check->classes.entropy, 1);
}

static void count_run(const heft_column_scan *l, const heft_sorted_numbers *s,
                      const heft_equals *run, double *line)
{
    for (size_t k = run->lo; k < run->hi; k++) {
        const uint8_t g = heft_group_of(l, s->v[k].row);
        if (g != HEFT_NO_GROUP) line[g]++;
    }
    if (run->zeros)
        for (size_t g = 0; g < l->check->classes.n_group; g++) line[g] += (double)s->zero[g];
}

/* ---- numbers ---- */

/* The key follows the order of the numbers or the reverse order, whichever gives the smaller key:
 * columns have equal keys where one rises or falls with the other. Where there are few numbers, the
 * order of their first rows takes the place of their own, which no recoding changes. */
static heft_status number_keys(heft_ctx *ctx, const heft_column_scan *l,
                               const heft_sorted_numbers *s, heft_column_summary *col)
{
    const size_t n = l->table->n_rows, distinct = col->show.n_distinct;
    const bool   few = !l->table->sparse && distinct <= n / 2;
    uint64_t     up = 0, down = 0, first = 0;
    uint32_t    *rank = NULL, *name = NULL, named = 0;
    size_t       r = 0;
    if (few) {
        HEFT_ALLOC(ctx, &ctx->scratch, rank, n + 1);
        HEFT_ALLOC(ctx, &ctx->scratch, name, distinct + 1);
        HEFT_ROWS (i, n) rank[i] = (uint32_t)distinct;
    }
    for (heft_equals run = {0}; heft_equals_next(s, &run); r++)
        for (size_t k = run.lo; k < run.hi; k++) {
            const size_t i = s->v[k].row;
            if (!l->table->sparse || run.x != 0) col->exact += cell_key(i, s->v[k].key);
            up += cell_key(i, r);
            down += cell_key(i, distinct - 1 - r);
            if (few) rank[i] = (uint32_t)r;
        }
    HEFT_ROWS (i, few ? n : 0) {
        if (!name[rank[i]]) name[rank[i]] = ++named;
        first += cell_key(i, name[rank[i]]);
    }
    col->key = l->table->sparse ? heft_mix(col->exact ^ 3)
               : few            ? heft_mix(first ^ 1)
                                : heft_mix((up < down ? up : down) ^ 2);
    return HEFT_OK;
}

/* Whether the column has the numbers k, k + 1, k + 2, ... from the first row on. */
static bool counts_rows(const heft_table *t, size_t j)
{
    const double *x = t->cols[j].cells;
    if (t->sparse || t->n_rows < LEAST_COMPARED || x[0] != floor(x[0])) return false;
    HEFT_ROWS (i, t->n_rows)
        if (!(x[i] == x[0] + (double)i)) return false;
    return true;
}

static bool is_compared(const heft_column_scan *l, const heft_column_summary *col)
{
    const size_t n = l->table->n_rows;
    return n >= LEAST_COMPARED && col->show.n_distinct >= 2 && n - col->n_most >= LEAST_APART;
}

/* Finds how much intervals tell that are cut where the class changes. */
static heft_status cut_information(heft_ctx *ctx, const heft_column_scan *l,
                                   const heft_sorted_numbers *s, double *out)
{
    const size_t G = l->check->classes.n_group;
    heft_points  points;
    double      *cuts, *cell;
    size_t       n_cuts, line = 0;
    HEFT_CHECK(heft_points_new(ctx, s->n + G, s->zeros > 0, &points));
    HEFT_ROWS (k, s->n)
        heft_points_add(&points, heft_order_value(s->v[k].key), heft_group_of(l, s->v[k].row), 1);
    if (s->zeros > 0)
        for (size_t g = 0; g < G; g++) heft_points_add(&points, 0, (uint16_t)g, (double)s->zero[g]);
    HEFT_CHECK(heft_cuts_mdl(ctx, &ctx->scratch, &points, G, 1, &cuts, &n_cuts));
    HEFT_ALLOC(ctx, &ctx->scratch, cell, (n_cuts + 2) * G);
    for (heft_equals run = {0}; heft_equals_next(s, &run);) {
        while (line < n_cuts && run.x > cuts[line]) line++;
        count_run(l, s, &run, cell + line * G);
    }
    *out = information(l, cell, n_cuts + 1);
    return HEFT_OK;
}

static heft_status look_at_numbers(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                                   heft_column_summary *col)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t        G = l->check->classes.n_group;
    heft_sorted_numbers s;
    double             *cell, sum = 0;
    size_t              line = 0, in_line = 0;
    HEFT_CHECK(heft_sort_numbers(ctx, l, j, &s));
    HEFT_ALLOC(ctx, &ctx->scratch, cell, (INTERVALS + 1) * G);
    col->n_observed = s.n + s.zeros;
    const size_t enough = (col->n_observed + INTERVALS - 1) / INTERVALS;
    for (heft_equals run = {0}; heft_equals_next(&s, &run);) {
        heft_check_column *show = &col->show;
        if (show->n_distinct++ == 0) show->least = run.x;
        show->most = run.x;
        sum += run.x * (double)run.n;
        if (run.n > col->n_most) col->n_most = run.n, col->most_number = run.x;
        /* a number that many rows have is an interval of its own */
        if (in_line > 0 && (in_line >= enough || run.n >= enough) && line + 1 < INTERVALS)
            line++, in_line = 0;
        in_line += run.n;
        count_run(l, &s, &run, cell + line * G);
    }
    if (col->n_observed) col->show.mean = sum / (double)col->n_observed;
    if (!isfinite(col->show.mean)) col->show.mean = (double)NAN;
    col->show.n_missing = l->table->n_rows - col->n_observed;
    col->show.information = information(l, cell, line + 1);
    if (col->show.information >= LEAST_CUT && col->show.information < 1) {
        double cut = 0;
        HEFT_CHECK(cut_information(ctx, l, &s, &cut));
        col->show.information = fmax(col->show.information, cut);
    }
    if (is_compared(l, col)) HEFT_CHECK(number_keys(ctx, l, &s, col));
    return HEFT_OK;
}

/* ---- values ---- */

/* Assigns each value a line of the table of counts; UINT32_MAX: the line that all rare values
 * share. Returns the number of lines. */
static uint32_t assign_lines(const size_t *rows, size_t n_values, uint32_t *line)
{
    uint32_t n = MOST_VALUES + 1;
    for (size_t least = LEAST_ROWS; n > MOST_VALUES; least *= 2) {
        n = 0;
        for (size_t v = 0; v < n_values; v++) line[v] = rows[v] >= least ? n++ : UINT32_MAX;
    }
    return n;
}

static void list_frequent(const size_t *rows, size_t n_values, heft_column_summary *col)
{
    size_t *n = &col->show.n_frequent;
    for (size_t v = 0; v < n_values; v++) {
        if (rows[v] == 0 || (*n == HEFT_CHECK_FREQUENT && rows[v] <= col->top_rows[*n - 1]))
            continue;
        size_t k = *n < HEFT_CHECK_FREQUENT ? (*n)++ : *n - 1;
        for (; k > 0 && col->top_rows[k - 1] < rows[v]; k--) {
            col->top_rows[k] = col->top_rows[k - 1];
            col->top_code[k] = col->top_code[k - 1];
        }
        col->top_rows[k] = rows[v];
        col->top_code[k] = (uint32_t)v;
    }
    for (size_t k = 0; k < *n; k++) col->top_text[k] = heft_dict_text(col->dict, col->top_code[k]);
    col->n_most = *n ? col->top_rows[0] : 0;
}

static heft_status value_keys(heft_ctx *ctx, const heft_column_scan *l, const heft_codes *codes,
                              heft_column_summary *col)
{
    const size_t n = l->table->n_rows, n_values = heft_dict_size(col->dict);
    uint32_t    *name, named = 0;
    uint64_t    *text, first = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n_values + 2, name, text);
    for (uint32_t v = 0; v < n_values; v++)
        text[v] = text_key(heft_dict_text(col->dict, v), heft_dict_length(col->dict, v));
    HEFT_ROWS (i, n) {
        const uint32_t v = heft_code_at(codes->cells, codes->width, i);
        if (!name[v]) name[v] = ++named;
        first += cell_key(i, name[v]);
        col->exact += cell_key(i, text[v]);
    }
    col->key = heft_mix(col->show.n_distinct <= n / 2 ? first ^ 1 : col->exact ^ 3);
    return HEFT_OK;
}

static heft_status look_at_values(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                                  heft_column_summary *col)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t G = l->check->classes.n_group, n = l->table->n_rows,
                 n_values = heft_dict_size(col->dict);
    heft_codes codes;
    size_t    *rows;
    uint32_t  *line;
    double    *cell;
    HEFT_CHECK(heft_codes_of(ctx, l, j, &codes));
    HEFT_ALLOCS(ctx, &ctx->scratch, n_values + 2, rows, line);
    HEFT_ROWS (i, n) rows[heft_code_at(codes.cells, codes.width, i)]++;
    for (size_t v = 0; v < n_values; v++) {
        col->show.n_distinct += rows[v] > 0;
        col->n_observed += rows[v];
        if (col->looks == HEFT_LOOKS_MIXED && heft_is_word(col->dict, (uint32_t)v, l->check->mark))
            col->n_words += rows[v];
    }
    col->show.n_missing = n - col->n_observed;
    list_frequent(rows, n_values, col);
    if (!l->check->quick)
        HEFT_CHECK(heft_find_alike(ctx, col->dict, rows, &col->alike, &col->n_alike));
    if (j == l->table->n_cols) return HEFT_OK; /* the class */
    const uint32_t n_lines = assign_lines(rows, n_values, line);
    HEFT_ALLOC(ctx, &ctx->scratch, cell, ((size_t)n_lines + 2) * G);
    HEFT_ROWS (i, n) {
        const uint32_t v = heft_code_at(codes.cells, codes.width, i);
        const uint8_t  g = heft_group_of(l, i);
        if (v >= n_values || g == HEFT_NO_GROUP) continue;
        cell[(line[v] < n_lines ? line[v] : n_lines) * G + g]++;
    }
    col->show.information = information(l, cell, (size_t)n_lines + 1);
    if (is_compared(l, col)) HEFT_CHECK(value_keys(ctx, l, &codes, col));
    return HEFT_OK;
}

/* ---- all columns ---- */

/* Fills in what is known without looking at rows. */
static void look_quickly(const heft_column_scan *l, size_t j, heft_column_summary *col)
{
    const heft_column *from =
        j < l->table->n_cols ? &l->table->cols[j] : heft_check_class(l->table);
    col->show.n_missing = from->n_missing;
    col->n_observed = l->table->n_rows - from->n_missing;
    if (col->dict) col->show.n_distinct = heft_dict_size(col->dict);
}

static heft_status look_at_column(heft_ctx *ctx, void *arg, size_t j)
{
    heft_column_scan    *l = arg;
    heft_column_summary *col = &l->check->cols[j];
    const bool           attribute = j < l->table->n_cols;
    const bool           quick = l->check->quick;
    if (quick) look_quickly(l, j, col);
    if (col->dict && attribute && (col->inferred || !l->table->label)) /* or made in memory */
        col->looks = heft_values_look(col->dict, l->check->mark, &col->example);
    if (!col->dict) col->counts_rows = counts_rows(l->table, j);
    /* values may be declared that no row has */
    const bool unique = col->dict && !col->inferred && attribute &&
                        (double)heft_dict_size(col->dict) > 0.9 * (double)col->n_observed;
    const bool counted = unique || col->looks == HEFT_LOOKS_MIXED;
    if (quick && attribute && !counted && !heft_screen_column(l, j)) return HEFT_OK;
    col->show.n_distinct = col->n_observed = 0;
    HEFT_CHECK(col->dict ? look_at_values(ctx, l, j, col) : look_at_numbers(ctx, l, j, col));
    heft_steps_add(ctx, &l->steps, 1);
    return heft_check_cancel(ctx);
}

static heft_status name_columns(heft_ctx *ctx, const heft_table *t, heft_check *check)
{
    for (size_t j = 0; j < check->n_cols; j++) {
        const heft_column   *from = j < t->n_cols ? &t->cols[j] : heft_check_class(t);
        heft_column_summary *col = &check->cols[j];
        char                *name;
        HEFT_CHECK(heft_arena_copy(ctx, &check->arena, from->name, &name));
        col->dict = heft_dict_share(from->dict);
        col->inferred = from->inferred;
        col->show = (heft_check_column){.name = name,
                                        .kind = from->kind,
                                        .target = j == t->n_cols,
                                        .least = (double)NAN,
                                        .most = (double)NAN,
                                        .mean = (double)NAN,
                                        .frequent = col->top_text,
                                        .n_rows_with = col->top_rows,
                                        .information = (double)NAN};
    }
    return HEFT_OK;
}

/* ---- classes ---- */

/* Chooses the classes that are told apart, and those that have a colour: the most frequent ones. */
static heft_status group_classes(heft_ctx *ctx, heft_column_scan *l)
{
    heft_check  *check = l->check;
    const size_t K = check->classes.n;
    double      *rows, *sum;
    heft_ranked *order, *spare;
    check->classes.n_group = K == 0 ? 1 : K < HEFT_CHECK_GROUPS ? K : HEFT_CHECK_GROUPS;
    check->classes.n_colour = K < HEFT_CHECK_COLOURS ? K : HEFT_CHECK_COLOURS;
    HEFT_ALLOC(ctx, &check->arena, check->classes.group, K + 1);
    HEFT_ALLOC(ctx, &check->arena, check->classes.colour, HEFT_CHECK_COLOURS);
    HEFT_ALLOCS(ctx, &ctx->scratch, check->classes.n_group, l->colour, sum);
    HEFT_ALLOCS(ctx, &ctx->scratch, K + 1, rows, order, spare);
    for (size_t c = 0; c < K; c++) rows[c] = (double)check->classes.rows[c];
    heft_order_falling(rows, K, order, spare);
    for (size_t k = 0; k < K; k++) {
        const size_t c = order[k].row, last = check->classes.n_group - 1;
        const size_t g = K <= HEFT_CHECK_GROUPS ? c : k < last ? k : last;
        const size_t rest = HEFT_CHECK_COLOURS - 1;
        const size_t colour = K <= HEFT_CHECK_COLOURS ? c : k < rest ? k : rest;
        check->classes.group[c] = (uint8_t)g;
        l->colour[g] = (uint8_t)colour;
        check->classes.colour[colour] =
            K > HEFT_CHECK_COLOURS && colour == rest ? UINT32_MAX : (uint32_t)c;
        sum[g] += rows[c];
        check->classes.n_labelled += check->classes.rows[c];
    }
    check->classes.entropy = heft_entropy(sum, check->classes.n_group);
    return HEFT_OK;
}

static heft_status look_at_classes(heft_ctx *ctx, heft_column_scan *l)
{
    const heft_column *target = heft_check_class(l->table);
    heft_check        *check = l->check;
    const size_t       n = l->table->n_rows;
    check->classes.n = target ? heft_dict_size(target->dict) : 0;
    HEFT_ALLOC(ctx, &check->arena, check->classes.rows, check->classes.n + 2);
    if (target) HEFT_CHECK(heft_column_count(ctx, target, n, check->classes.rows));
    HEFT_CHECK(group_classes(ctx, l));
    HEFT_ALLOC(ctx, &ctx->scratch, l->group_rows, check->classes.n_group + 1);
    for (size_t c = 0; c < check->classes.n; c++)
        l->group_rows[check->classes.group[c]] += check->classes.rows[c];
    if (!target) l->group_rows[0] = n;
    else l->group_rows[check->classes.n_group] = n - check->classes.n_labelled;
    return HEFT_OK;
}

/* ---- the whole table ---- */

static heft_status order_columns(heft_ctx *ctx, heft_check *check)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double      *value;
    heft_ranked *order, *spare;
    HEFT_ALLOC(ctx, &check->arena, check->order, check->n_attr);
    HEFT_ALLOCS(ctx, &ctx->scratch, check->n_attr, value, order, spare);
    for (size_t j = 0; j < check->n_attr; j++) {
        const double x = check->cols[j].show.information;
        value[j] = isnan(x) ? -1 : x;
    }
    heft_order_falling(value, check->n_attr, order, spare);
    for (size_t j = 0; j < check->n_attr; j++) check->order[j] = order[j].row;
    return HEFT_OK;
}

static heft_status spread_column(heft_ctx *ctx, void *arg, size_t k)
{
    const heft_column_scan *l = arg;
    const size_t            j = k < l->check->top ? l->check->order[k] : l->check->n_attr;
    return heft_spread_column(ctx, l, j, l->check->cols[j].spread);
}

heft_status heft_check_summarise(heft_ctx *ctx, const heft_table *table, heft_check *check)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_column_scan l = {.table = table, .check = check};
    HEFT_CHECK(name_columns(ctx, table, check));
    HEFT_CHECK(look_at_classes(ctx, &l));
    l.steps.what = "looking at columns";
    l.steps.all = check->n_cols;
    if (check->quick && table->sparse) /* the class alone is cheap */
        return table->target ? look_at_column(ctx, &l, check->n_attr) : HEFT_OK;
    if (table->sparse) {
        const heft_sparse *s = table->sparse;
        const heft_byrow   rows = {s->start, s->col, s->val};
        HEFT_CHECK(heft_bycol_build(ctx, &rows, table->n_rows, table->n_cols, &l.bycol));
    }
    HEFT_CHECK(heft_run(ctx, check->n_cols, look_at_column, &l));
    HEFT_CHECK(order_columns(ctx, check));
    if (check->quick) return HEFT_OK;
    if (check->top > check->n_attr) check->top = check->n_attr;
    for (size_t k = 0; k < check->top; k++)
        HEFT_ALLOC(ctx, &check->arena, check->cols[check->order[k]].spread, 1);
    return heft_run(ctx, check->top, spread_column, &l);
}
