/* schema.c - fields, marks of missing values, and numbers as the file writes them. */
#include "data/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/setting_words.h"

/* The marks that the caller lists, and those that the model was trained with. */
static heft_status take_marks(heft_ctx *ctx, heft_schema *schema)
{
    const char *const lists[] = {schema->how->missing,
                                 schema->expect ? schema->expect->missing : NULL};
    char            **mark[2];
    size_t            n[2];
    for (size_t k = 0; k < 2; k++)
        HEFT_CHECK(heft_split(ctx, &schema->arena, lists[k], ',', &mark[k], &n[k]));
    HEFT_ALLOC(ctx, &schema->arena, schema->marks.text, n[0] + n[1]);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < n[k]; i++) schema->marks.text[schema->marks.n++] = mark[k][i];
    for (size_t i = 0; i < schema->marks.n; i++)
        if (heft_is_number(schema, schema->marks.text[i], strlen(schema->marks.text[i])))
            schema->marks.are_numbers = true;
    return HEFT_OK;
}

heft_status heft_schema_init(heft_ctx *ctx, heft_schema *schema, const char *name,
                             const heft_source *how, const heft_expect *expect)
{
    memset(schema, 0, sizeof *schema);
    schema->name = name;
    schema->how = how;
    schema->expect = expect;
    /* A column takes about a hundred bytes even where it holds nothing: without a limit one short
     * line of a LIBSVM file could ask for all memory. */
    schema->max_columns =
        how->max_columns ? how->max_columns : (size_t)heft_setting_number("max-columns");
    if (schema->max_columns > INT32_MAX - 1) schema->max_columns = INT32_MAX - 1;
    schema->max_classes = how->max_classes && how->max_classes < HEFT_MOST_CLASSES
                              ? how->max_classes
                              : HEFT_MOST_CLASSES;
    return take_marks(ctx, schema);
}

heft_status heft_schema_add(heft_ctx *ctx, heft_schema *schema, const char *name, size_t length)
{
    const size_t need = schema->n_fields + 1;
    char         number[24];
    if (need > schema->max_columns)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the file has more than %zu columns ({advice allow-columns})",
                         schema->name, schema->max_columns);
    HEFT_GROW(ctx, schema->fields, schema->field_capacity, need, 16);
    if (length == 0) {
        length = (size_t)snprintf(number, sizeof number, "c%zu", need);
        name = number;
    }
    heft_field *field = &schema->fields[schema->n_fields];
    memset(field, 0, sizeof *field);
    field->name = heft_copy_span(name, length);
    if (!field->name) return heft_no_memory(ctx, length + 1, 1);
    schema->n_fields++;
    return HEFT_OK;
}

void heft_schema_clear(heft_schema *schema)
{
    for (size_t j = 0; j < schema->n_fields; j++) {
        heft_free(schema->fields[j].name);
        heft_dict_free(schema->fields[j].dict);
        heft_dict_free(schema->fields[j].later);
    }
    heft_free(schema->fields);
    heft_arena_clear(&schema->arena);
    memset(schema, 0, sizeof *schema);
}

/* ---- cells ---- */

heft_number heft_read_number(const heft_schema *schema, const char *text, size_t length,
                             double *out)
{
    return heft_parse_marked(heft_decimal_mark(schema), text, text + length, out);
}

bool heft_is_number(const heft_schema *schema, const char *text, size_t length)
{
    double x;
    return heft_read_number(schema, text, length, &x) != HEFT_NUM_NOT ||
           heft_is_infinity(text, length);
}

/* A dash and the word None may be values of a nominal column. */
bool heft_is_usual_mark(heft_kind kind, const char *text, size_t length)
{
    static const char mark[][5] = {"?",    "NA",   "N/A",  "n/a",  "NaN", "nan",
                                   "#N/A", "NULL", "null", "<NA>", "-",   "None"};
    const size_t      n = sizeof mark / sizeof *mark - (kind == HEFT_NOMINAL ? 2 : 0);
    if (length == 0) return true;
    if (length > 4 || (*text >= '0' && *text <= '9')) return false;
    for (size_t k = 0; k < n; k++)
        if (mark[k][0] == *text && !mark[k][length] && memcmp(mark[k], text, length) == 0)
            return true;
    return false;
}

bool heft_is_missing(const heft_schema *schema, heft_kind kind, const heft_text_cell *cell)
{
    const char  *text = cell->text;
    const size_t length = cell->length;
    for (size_t i = 0; i < schema->marks.n; i++)
        if (strlen(schema->marks.text[i]) == length &&
            memcmp(schema->marks.text[i], text, length) == 0)
            return true;
    if (cell->quoted &&
        (schema->marks.only_question || (schema->marks.quotes_count && kind == HEFT_NOMINAL)))
        return false;
    if (schema->marks.only_question) return length == 0 || (length == 1 && *text == '?');
    return heft_is_usual_mark(kind, text, length);
}

bool heft_is_infinity(const char *text, size_t length)
{
    if (length && (*text == '-' || *text == '+')) text++, length--;
    return heft_span_is_word(text, length, "inf") || heft_span_is_word(text, length, "infinity");
}

/* ---- messages that several formats have ---- */

heft_status heft_no_rows(heft_ctx *ctx, const heft_schema *schema)
{
    return heft_fail(ctx, HEFT_EFORMAT, "%s: the file has no data rows", schema->name);
}

heft_status heft_other_name(heft_ctx *ctx, const heft_schema *schema, size_t j, const char *name,
                            size_t length)
{
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: column %zu is named '%s', but '%s' in the first file (all files of a "
                     "table need the same columns)",
                     schema->name, j + 1, HEFT_SHOW_PART(name, length, 60),
                     HEFT_SHOW_NAME(schema->fields[j].name));
}
