/* build_table.c - from the columns of the sink to a table: values are sorted, odd columns are
 * reported, the class and the weights are set apart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/marks.h"
#include "base/rows.h"
#include "data/batch.h"
#include "heft_evaluate.h"

enum { MOST_WARNINGS = 5 };

/* Gives back unused memory; if that fails the items stay as they are. */
static void *trim(void *items, size_t n, size_t size)
{
    void *less = items ? heft_resize(items, n, size) : NULL;
    return less ? less : items;
}

static heft_status refuse_huge(heft_ctx *ctx, const heft_builder *b)
{
    const heft_field *worst = NULL;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        const heft_field *field = &b->schema.fields[j];
        if (field->kind != HEFT_NUMERIC || field->role == HEFT_ROLE_DROPPED || !field->huge.line)
            continue;
        if (!worst || field->huge.line < worst->huge.line) worst = field;
    }
    if (!worst) return HEFT_OK;
    return heft_fail_at(
        ctx, HEFT_EFORMAT, b->schema.name, worst->huge.line,
        "column '%s': '%s' is too large for a number (correct it, or use {missing='%s'})",
        HEFT_SHOW_NAME(worst->name), worst->huge.text, worst->huge.text);
}

/* Translate codes by `map`; missing ones become map[n_values]. */
static void settle_codes(void *cells, unsigned width, size_t n, const uint32_t *map,
                         uint32_t n_values)
{
    const uint32_t none = heft_building_none(width);
    if (width == 1) {
        uint8_t table[256] = {0}, *at = cells;
        for (uint32_t k = 0; k < n_values; k++) table[k] = (uint8_t)map[k];
        table[none] = (uint8_t)map[n_values];
        HEFT_ROW_BLOCKS (lo, hi, n)
            for (size_t i = lo; i < hi; i++) at[i] = table[at[i]];
        return;
    }
    HEFT_ROWS (i, n) {
        const uint32_t code = heft_code_at(cells, width, i);
        heft_code_put(cells, width, i, map[code == none ? n_values : code]);
    }
}

/* Puts the values of a field into their final order and translates their codes. Missing cells get
 * the code that tables have for them, n_values, where no more rows follow. */
static heft_status settle_nominal(heft_ctx *ctx, const heft_builder *b, size_t j, bool last)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_field       *field = &b->schema.fields[j];
    heft_sink_column *c = &b->sink.columns[j];
    const uint32_t    n_values = (uint32_t)heft_dict_size(field->dict);
    uint32_t         *map;
    heft_dict        *sorted;
    HEFT_ALLOC(ctx, &ctx->scratch, map, n_values + (size_t)1);
    for (uint32_t k = 0; k < n_values; k++) map[k] = k;
    map[n_values] = last ? n_values : heft_building_none(c->width);
    if (!field->declared && !field->settled && b->sink.phase != HEFT_BLOCKS) {
        HEFT_CHECK(heft_dict_sorted(ctx, field->dict, &sorted, map));
        heft_dict_free(field->dict);
        field->dict = sorted;
        if (field->odd.line) field->odd_code = map[field->odd_code];
    }
    bool change = last && c->n_missing > 0;
    for (uint32_t k = 0; k < n_values; k++) change = change || map[k] != k;
    if (change && c->cells) settle_codes(c->cells, c->width, b->sink.n_rows, map, n_values);
    return HEFT_OK;
}

static bool holds_values(const heft_schema *schema, const heft_field *field)
{
    return heft_is_used(field) && field->kind == HEFT_NOMINAL &&
           !(schema->sparse && field->role == HEFT_ROLE_ATTRIBUTE);
}

/* A task of its own: fields share nothing. */
static heft_status settle_field(heft_ctx *ctx, void *arg, size_t j)
{
    const heft_builder *b = arg;
    const bool          values = holds_values(&b->schema, &b->schema.fields[j]);
    return values ? settle_nominal(ctx, b, j, true) : HEFT_OK;
}

heft_status heft_sink_sort(heft_ctx *ctx, heft_builder *b)
{
    for (size_t j = 0; j < b->schema.n_fields; j++)
        if (holds_values(&b->schema, &b->schema.fields[j]))
            HEFT_CHECK(settle_nominal(ctx, b, j, false));
    return HEFT_OK;
}

typedef struct oddity { /* what a warning says about a column */
    uint64_t cells;     /* cells that are not numbers: the column is nominal because of them, or
                           a model takes numbers and they count as missing */
    uint64_t missing;
    uint64_t line; /* line of the first such cell; 0: there is none */
    char     cell[64];
} oddity;

static heft_status find_oddity(heft_ctx *ctx, const heft_builder *b, size_t j, oddity *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_field       *field = &b->schema.fields[j];
    const heft_sink_column *c = &b->sink.columns[j];
    size_t                 *count;
    out->missing = c->n_missing;
    if (field->lenient) {
        out->cells = field->n_odd;
        out->line = field->odd.line;
        memcpy(out->cell, field->odd.text, sizeof field->odd.text);
    }
    if (field->kind != HEFT_NOMINAL || !field->odd.line || field->why) return HEFT_OK;
    const size_t n_values = heft_dict_size(field->dict);
    size_t       numbers = 0;
    bool        *is_number;
    HEFT_ALLOC(ctx, &ctx->scratch, is_number, n_values);
    HEFT_ALLOC(ctx, &ctx->scratch, count, n_values + 1);
    for (uint32_t k = 0; k < n_values; k++)
        numbers += is_number[k] = heft_is_number(&b->schema, heft_dict_text(field->dict, k),
                                                 heft_dict_length(field->dict, k));
    out->cells = field->n_odd;
    if (numbers == 0 && c->cells) out->cells += b->sink.n_rows - c->n_missing;
    HEFT_ROW_BLOCKS (lo, hi, numbers && c->cells ? b->sink.n_rows : 0)
        for (size_t i = lo; i < hi; i++) count[heft_code_at(c->cells, c->width, i)]++;
    for (uint32_t k = 0; k < n_values; k++)
        if (!is_number[k]) out->cells += count[k];
    out->line = field->odd.line;
    heft_show(out->cell, sizeof out->cell, heft_dict_text(field->dict, field->odd_code),
              heft_dict_length(field->dict, field->odd_code), 40);
    return HEFT_OK;
}

/* Adds up what the ranks found in their rows. */
static heft_status join_oddities(heft_ctx *ctx, oddity *all, size_t n)
{
    HEFT_LOCAL(heft_gathered) found = {0};
    HEFT_CHECK(heft_all_gather(ctx, all, n * sizeof *all, &found));
    memset(all, 0, n * sizeof *all);
    for (size_t r = 0; r < heft_n_ranks(ctx); r++)
        for (size_t j = 0; j < n; j++) {
            oddity one;
            memcpy(&one, found.bytes + found.start[r] + j * sizeof one, sizeof one);
            all[j].cells += one.cells;
            all[j].missing += one.missing;
            if (!one.line || all[j].line) continue; /* the ranks are in the order of the file */
            all[j].line = one.line;
            memcpy(all[j].cell, one.cell, sizeof one.cell);
        }
    return HEFT_OK;
}

typedef struct counts {
    size_t odd, lenient, empty; /* columns of each sort */
} counts;

/* Warns of a column that is nominal because of a few cells that are not numbers, and of one without
 * any value; of the first few of each sort. */
static void tell_oddity(heft_ctx *ctx, const heft_builder *b, size_t j, const oddity *o,
                        uint64_t n_rows, counts *n)
{
    const heft_field *field = &b->schema.fields[j];
    const char       *file = b->schema.name, *name = HEFT_SHOW_NAME(field->name);
    const size_t      line = (size_t)o->line;
    const bool        one = o->cells == 1;
    const char       *cells = HEFT_COUNT_OF((size_t)o->cells, "cell");
    if (o->cells && field->lenient) {
        if (n->lenient++ < MOST_WARNINGS)
            heft_say(ctx, HEFT_WARNING,
                     "%s:%zu: column '%s': %s %s no number and %s as missing (the first is '%s', "
                     "and the model takes numbers)",
                     file, line, name, cells, one ? "is" : "are", one ? "counts" : "count",
                     o->cell);
        return;
    }
    if (o->line && o->cells * 100 < n_rows - o->missing && n->odd++ < MOST_WARNINGS) {
        char advice[140] = ""; /* a text with digits in it, as 18-25, is no mark */
        if (!strpbrk(o->cell, "0123456789"))
            heft_print(advice, sizeof advice, ", or {missing='%s'} if it marks a missing value",
                       o->cell);
        heft_say(ctx, HEFT_WARNING,
                 "%s:%zu: column '%s' is read as nominal because of '%s' (%s %s not numeric; use "
                 "{numeric='%s'} to make it an error%s)",
                 file, line, name, o->cell, cells, one ? "is" : "are", name, advice);
    }
    if (o->missing == n_rows && n->empty++ < MOST_WARNINGS)
        heft_say(ctx, HEFT_WARNING, "%s: column '%s' has no values: all its cells are missing",
                 file, name);
}

/* How many columns of a sort were not named. */
static void tell_more(heft_ctx *ctx, const heft_builder *b, size_t n, const char *one,
                      const char *several, const char *what)
{
    if (n <= MOST_WARNINGS) return;
    n -= MOST_WARNINGS;
    heft_say(ctx, HEFT_WARNING, "%s: %s %s %s", b->schema.name, HEFT_COUNT_OF(n, "more column"),
             n == 1 ? one : several, what);
}

static bool may_be_odd(const heft_schema *schema, size_t j)
{
    const heft_field *field = &schema->fields[j];
    return field->role == HEFT_ROLE_ATTRIBUTE && !field->idle && !schema->sparse;
}

heft_status heft_sink_warn(heft_ctx *ctx, const heft_builder *b, uint64_t n_rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const bool parts = !heft_is_single(ctx) && !b->schema.how->whole;
    oddity    *all;
    counts     n = {0};
    if (!parts && (!ctx->host || !ctx->host->log)) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, all, b->schema.n_fields);
    for (size_t j = 0; j < b->schema.n_fields; j++)
        if (may_be_odd(&b->schema, j)) HEFT_CHECK(find_oddity(ctx, b, j, &all[j]));
    if (parts) HEFT_CHECK(join_oddities(ctx, all, b->schema.n_fields));
    if (heft_comm_rank(ctx) != 0) return HEFT_OK;
    for (size_t j = 0; j < b->schema.n_fields; j++)
        if (may_be_odd(&b->schema, j))
            tell_oddity(ctx, b, j, &all[j], parts ? n_rows : b->sink.n_rows, &n);
    tell_more(ctx, b, n.odd, "is", "are",
              "read as nominal because of a few cells that are not numeric");
    tell_more(ctx, b, n.lenient, "has", "have", "cells that are no numbers and count as missing");
    tell_more(ctx, b, n.empty, "has", "have", "no values");
    return HEFT_OK;
}

/* Make a target of one class against the rest. The rest comes first: a tie goes to the first class,
 * so that a row is not called positive where both are equally likely. */
static heft_status make_binary(heft_ctx *ctx, const heft_builder *b, heft_column *target)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const bool           light = b->sink.phase == HEFT_SURVEY_LIGHT;
    const char          *value = b->schema.how->positive;
    const uint32_t       yes = heft_dict_find(target->dict, value, strlen(value));
    const size_t         n_values = heft_dict_size(target->dict);
    const char          *rest = strcmp(value, "rest") == 0 ? "other" : "rest";
    HEFT_OWN(heft_dict) *dict = NULL;
    uint32_t             code, *map;
    double               found = yes != HEFT_DICT_NONE;
    HEFT_CHECK(heft_all_max(ctx, &found, 1)); /* whether any rank has it */
    if (found == 0 && !b->schema.expect) {
        char values[300];
        heft_dict_list(target->dict, values, sizeof values);
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: {positive}: there is no class '%s' (the classes are %s)",
                         b->schema.name, HEFT_SHOW_CELL(value, strlen(value)), values);
    }
    HEFT_CHECK(heft_dict_create(ctx, &dict));
    HEFT_CHECK(heft_dict_add(ctx, dict, rest, strlen(rest), &code));
    HEFT_CHECK(heft_dict_add(ctx, dict, value, strlen(value), &code));
    HEFT_ALLOC(ctx, &ctx->scratch, map, n_values);
    if (yes != HEFT_DICT_NONE) map[yes] = 1;
    HEFT_CHECK(heft_column_recode(ctx, target, dict, map, light ? 0 : b->sink.n_rows));
    target->inferred = false;
    return HEFT_OK;
}

/* The field becomes a column. Where more blocks or another pass follow, the field keeps its name
 * and shares its dictionary. */
static heft_status move_column(heft_ctx *ctx, heft_builder *b, size_t j, heft_column *to)
{
    heft_field       *field = &b->schema.fields[j];
    heft_sink_column *c = &b->sink.columns[j];
    const bool        shared = b->sink.phase == HEFT_SURVEY_LIGHT || b->sink.phase == HEFT_BLOCKS;
    const size_t      n = b->sink.phase == HEFT_SURVEY_LIGHT ? 0 : b->sink.n_rows;
    to->kind = field->kind;
    to->width = field->kind == HEFT_NUMERIC ? 8 : c->width;
    to->n_missing = c->n_missing;
    to->inferred = !field->declared &&
                   (field->kind == HEFT_NOMINAL || (!field->why && c->n_missing == b->sink.n_rows));
    to->cells = b->sink.phase == HEFT_BLOCKS ? c->cells : trim(c->cells, n, to->width);
    c->cells = NULL;
    if (!shared) {
        to->name = field->name;
        to->dict = field->dict;
        field->name = NULL;
        field->dict = NULL;
        return HEFT_OK;
    }
    to->dict = heft_dict_share(field->dict);
    return heft_heap_copy(ctx, field->name, &to->name);
}

static heft_status finish_target(heft_ctx *ctx, heft_builder *b, size_t j, heft_table *table)
{
    const heft_field *field = &b->schema.fields[j];
    const bool        crowded = heft_dict_size(field->dict) > b->schema.max_classes;
    if (crowded && b->schema.how->any_classes && b->schema.max_classes == HEFT_MOST_CLASSES) {
        HEFT_NEW(ctx, table->crowded, 1);
        return move_column(ctx, b, j, table->crowded);
    }
    if (crowded)
        return heft_fail(
            ctx, HEFT_EFORMAT,
            "%s: the class column '%s' has %zu distinct values, and at most %zu are allowed"
            "%s",
            b->schema.name, HEFT_SHOW_NAME(field->name), heft_dict_size(field->dict),
            b->schema.max_classes,
            HEFT_MARKED(b->schema.max_classes < HEFT_MOST_CLASSES
                            ? " ({advice choose-target}, or {advice allow-classes})"
                            : " ({advice choose-target})"));
    HEFT_NEW(ctx, table->target, 1);
    table->target_nominal = field->declared || field->why == heft_why_nominal;
    HEFT_CHECK(move_column(ctx, b, j, table->target));
    if (!b->schema.how->positive || !*b->schema.how->positive) return HEFT_OK;
    HEFT_CHECK(make_binary(ctx, b, table->target));
    return heft_heap_copy(ctx, b->schema.how->positive, &table->positive);
}

static heft_status finish_sparse(heft_ctx *ctx, heft_builder *b, heft_table *table)
{
    heft_entries *e = &b->sink.entries;
    HEFT_NEW(ctx, table->sparse, 1);
    heft_sparse *s = table->sparse;
    if (b->sink.phase == HEFT_SURVEY_LIGHT) {
        HEFT_NEW(ctx, s->start, 1);
        for (size_t j = 0; j < table->n_cols && j < b->sink.missing_capacity; j++)
            table->cols[j].n_missing = b->sink.missing[j];
        return HEFT_OK;
    }
    s->start = trim(e->start, b->sink.n_rows + 1, sizeof *s->start);
    s->col = trim(e->col, e->n, sizeof *s->col);
    s->val = trim(e->val, e->n, sizeof *s->val);
    *e = (heft_entries){0};
    heft_sparse_count_missing(table);
    return HEFT_OK;
}

/* Makes empty columns, on a rank without rows. */
static heft_status no_rows_here(heft_ctx *ctx, heft_builder *b)
{
    if (b->schema.sparse) {
        HEFT_CHECK(heft_entries_grow(ctx, &b->sink.entries, 0, 1, 0, 0));
        b->sink.entries.start[0] = 0;
    }
    HEFT_CHECK(heft_sink_open(ctx, b));
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_field *field = &b->schema.fields[j];
        double     *cells;
        if (field->role == HEFT_ROLE_DROPPED) continue;
        if (b->sink.columns[j].cells || (b->schema.sparse && field->role == HEFT_ROLE_ATTRIBUTE))
            continue;
        HEFT_NEW(ctx, cells, 1);
        b->sink.columns[j].cells = cells;
    }
    return HEFT_OK;
}

/* Kept text moves to the table. */
static heft_status finish_kept(heft_ctx *ctx, heft_builder *b, heft_kept *out)
{
    heft_buf names = {0};
    size_t   n = 0;
    if (!b->schema.keeps || b->sink.phase == HEFT_SURVEY_LIGHT) return HEFT_OK;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        if (!b->schema.fields[j].kept) continue;
        if (n++) heft_buf_add(&names, ",", 1);
        heft_buf_csv(&names, b->schema.fields[j].name, ',');
    }
    HEFT_CHECK(heft_buf_take(ctx, &names, &out->names));
    HEFT_CHECK(heft_buf_take(ctx, &b->sink.kept.text, &out->text));
    out->end = b->sink.kept.end;
    b->sink.kept = (heft_kept_rows){0};
    return HEFT_OK;
}

/* Notes what is known of the table besides its columns. */
static heft_status name_table(heft_ctx *ctx, const heft_builder *b, heft_table *table)
{
    HEFT_CHECK(heft_heap_copy(ctx, b->source.title, &table->name));
    table->target_asked = b->schema.how->target && *b->schema.how->target;
    if (heft_decimal_mark(&b->schema) != '.')
        HEFT_CHECK(
            heft_heap_copy(ctx, (char[]){b->schema.how->decimal_mark, 0}, &table->decimal_mark));
    if (b->schema.how->missing && *b->schema.how->missing)
        HEFT_CHECK(heft_heap_copy(ctx, b->schema.how->missing, &table->missing));
    return heft_heap_copy(ctx, b->schema.name, &table->label);
}

static heft_status move_fields(heft_ctx *ctx, heft_builder *b, heft_table *table)
{
    if (b->schema.n_columns)
        for (size_t j = 0; j < table->n_cols; j++) { /* LIBSVM: c1, c2, ... */
            char name[24];
            snprintf(name, sizeof name, "c%zu", j + 1);
            HEFT_CHECK(heft_column_init(ctx, &table->cols[j], name, NULL));
        }
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        const heft_field *field = &b->schema.fields[j];
        heft_sink_column *c = &b->sink.columns[j];
        if (field->role == HEFT_ROLE_TARGET) {
            HEFT_CHECK(finish_target(ctx, b, j, table));
        } else if (field->role == HEFT_ROLE_WEIGHT) {
            table->weight = trim(c->cells, b->sink.n_rows, sizeof(double));
            if (b->sink.phase == HEFT_SURVEY_LIGHT) HEFT_NEW(ctx, table->weight, 1);
            c->cells = NULL;
            c->capacity = 0;
        } else if (field->role == HEFT_ROLE_ATTRIBUTE) {
            HEFT_CHECK(move_column(ctx, b, j, &table->cols[field->place]));
        }
    }
    return HEFT_OK;
}

heft_status heft_sink_table(heft_ctx *ctx, heft_builder *b, heft_table **out)
{
    HEFT_OWN(heft_table) *table = NULL;
    size_t                n_cols = b->schema.n_columns;
    *out = NULL;
    int64_t n_rows = (int64_t)b->sink.n_rows;
    HEFT_CHECK(heft_all_add(ctx, &n_rows, 1));
    if (n_rows == 0 && !b->schema.may_be_empty) return heft_no_rows(ctx, &b->schema);
    HEFT_CHECK(refuse_huge(ctx, b));
    if (b->sink.n_rows == 0) HEFT_CHECK(no_rows_here(ctx, b));
    for (size_t j = 0; j < b->schema.n_fields; j++)
        n_cols += b->schema.fields[j].role == HEFT_ROLE_ATTRIBUTE;
    HEFT_CHECK(heft_run(ctx, b->schema.n_fields, settle_field, b));
    if (b->sink.phase != HEFT_BLOCKS) HEFT_CHECK(heft_sink_warn(ctx, b, (uint64_t)n_rows));
    HEFT_CHECK(heft_table_new(ctx, b->sink.phase == HEFT_SURVEY_LIGHT ? 0 : b->sink.n_rows, n_cols,
                              &table));
    table->n_total = (size_t)n_rows;
    HEFT_CHECK(name_table(ctx, b, table));
    HEFT_CHECK(finish_kept(ctx, b, &table->kept)); /* before the fields' names move */
    HEFT_CHECK(move_fields(ctx, b, table));
    if (b->sink.row_weight) {
        table->weight = trim(b->sink.row_weight, b->sink.n_rows, sizeof(double));
        b->sink.row_weight = NULL;
    }
    if (b->sink.phase == HEFT_SURVEY_LIGHT && b->sink.weighted && !table->weight)
        HEFT_NEW(ctx, table->weight, 1);
    if (b->schema.sparse) HEFT_CHECK(finish_sparse(ctx, b, table));
    if (b->schema.drop && *b->schema.drop)
        HEFT_CHECK(heft_table_drop(ctx, b->schema.name, b->schema.drop, &table));
    *out = table, table = NULL;
    return HEFT_OK;
}
