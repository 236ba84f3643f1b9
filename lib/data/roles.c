/* roles.c - which column is the class, which are left out, which kind each has: what the caller
 * asked for, by name or number, is looked up among the columns of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comm.h"
#include "base/marks.h"
#include "data/schema.h"

/* ---- names ---- */

typedef struct naming { /* the columns of a file by name */
    const char *file;
    size_t      n;
    heft_dict  *dict;
    size_t     *index; /* by code: the first column of that name */
    size_t     *twin;  /* by column: the first column of the same name, maybe itself */
} naming;

static void naming_clear(naming *k)
{
    heft_dict_free(k->dict);
}

/* Begins an empty list for n columns; its arrays are in scratch memory. */
static heft_status naming_init(heft_ctx *ctx, const char *file, size_t n, naming *k)
{
    *k = (naming){.file = file};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, k->index, k->twin);
    return heft_dict_create(ctx, &k->dict);
}

static heft_status naming_add(heft_ctx *ctx, naming *k, size_t j, const char *name)
{
    const size_t known = heft_dict_size(k->dict);
    uint32_t     code;
    HEFT_CHECK(heft_dict_add(ctx, k->dict, name, strlen(name), &code));
    if (code == known) k->index[code] = j;
    k->twin[j] = k->index[code];
    k->n++;
    return HEFT_OK;
}

/* Finds a column whose name is exactly this; SIZE_MAX: there is none. */
static size_t find_exactly(const naming *k, const char *name)
{
    const uint32_t code = name ? heft_dict_find(k->dict, name, strlen(name)) : HEFT_DICT_NONE;
    return code == HEFT_DICT_NONE ? SIZE_MAX : k->index[code];
}

/* Finds a name as it is written, then in any case; SIZE_MAX: there is none. */
static size_t find_name(const naming *k, const char *name)
{
    const size_t j = find_exactly(k, name);
    if (j != SIZE_MAX) return j;
    for (uint32_t v = 0; v < heft_dict_size(k->dict); v++)
        if (heft_same_word(heft_dict_text(k->dict, v), name)) return k->index[v];
    return SIZE_MAX;
}

/* Reads a whole number of at most 9 digits at *p, and moves *p behind it. */
static bool take_number(const char **p, size_t *out)
{
    char *end;
    if (**p < '0' || **p > '9') return false;
    const unsigned long k = strtoul(*p, &end, 10);
    if (end - *p > 9) return false;
    *out = (size_t)k;
    *p = end;
    return true;
}

bool heft_column_range(const char *text, size_t n, size_t *lo, size_t *hi)
{
    const char *p = text;
    const bool  from_end = *p == '-';
    p += from_end;
    if (!take_number(&p, lo) || *lo == 0 || *lo > n) return false;
    if (from_end) *lo = n + 1 - *lo;
    *hi = *lo;
    if (!from_end && *p == '-') {
        p++;
        if (!take_number(&p, hi) || *hi < *lo || *hi > n) return false;
    }
    *lo -= 1;
    *hi -= 1;
    return *p == 0;
}

/* Edit distance, in any case; `most` + 1 when it is more or the texts are long. */
static size_t distance(const char *a, const char *b, size_t most)
{
    enum { LONGEST = 64 };
    const size_t n = strlen(a), m = strlen(b);
    size_t       row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST || n > m + most || m > n + most) return most + 1;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const bool   same = (a[i - 1] | 32) == (b[j - 1] | 32);
            const size_t swap = corner + !same;
            corner = row[j];
            row[j] = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            if (swap < row[j]) row[j] = swap;
        }
    }
    return row[m];
}

/* Lists what the user may have meant: up to three names close to the wanted one, else the first few
 * columns. */
static void suggest(const naming *names, const char *wanted, char *out, size_t size)
{
    enum { MOST = 5, LOOK = 20000 };
    const size_t n = heft_dict_size(names->dict), look = n < LOOK ? n : LOOK;
    size_t       at = 0, found = 0;
    for (size_t far = 1; far <= 3 && !found; far++) {
        const bool all = far == 3;
        if (all) at = (size_t)snprintf(out, size, "the columns are");
        for (uint32_t k = 0; k < look && found < (all ? MOST : 3); k++) {
            const char *name = heft_dict_text(names->dict, k);
            if (!all && (far >= strlen(wanted) || distance(name, wanted, far) > far)) continue;
            const char *before = all ? (found ? ", " : " ") : found ? " or " : "did you mean ";
            const int   len =
                snprintf(out + at, size - at, "%s'%s'", before, HEFT_SHOW_CELL(name, strlen(name)));
            at += (size_t)len < size - at ? (size_t)len : size - at - 1;
            found++;
        }
        if (!all && found) snprintf(out + at, size - at, "?");
        if (all && n > MOST) snprintf(out + at, size - at, ", ... (%zu columns in all)", names->n);
    }
}

/* Advises quotes where the wanted name is what stands before the comma in the name of a column. */
static bool suggest_quotes(const naming *names, const char *wanted, char *out, size_t size)
{
    const size_t length = strlen(wanted);
    for (uint32_t k = 0; k < heft_dict_size(names->dict); k++) {
        const char *name = heft_dict_text(names->dict, k);
        if (strncmp(name, wanted, length) != 0 || name[length] != ',') continue;
        snprintf(out, size, "did you mean '%s'? In a list such a name is quoted: '\"%s\",...'",
                 HEFT_SHOW_NAME(name), HEFT_SHOW_NAME(name));
        return true;
    }
    return false;
}

static heft_status no_such_column(heft_ctx *ctx, const naming *names, const char *option,
                                  const char *wanted)
{
    char       hint[300];
    const bool range = *wanted && strchr(wanted + 1, '-');
    if (*wanted && strspn(wanted, "-0123456789") == strlen(wanted))
        return heft_fail(
            ctx, HEFT_EINVAL, "%s: %s: there %s %.40s (the file has %s, numbered from 1%s)",
            names->file, HEFT_MARKED(option), range ? "are no columns" : "is no column", wanted,
            HEFT_COUNT_OF(names->n, "column"), range ? "; a range is written LOW-HIGH" : "");
    if (!suggest_quotes(names, wanted, hint, sizeof hint))
        suggest(names, wanted, hint, sizeof hint);
    return heft_fail(ctx, HEFT_EINVAL, "%s: %s: there is no column '%s' (%s)", names->file,
                     HEFT_MARKED(option), HEFT_SHOW_NAME(wanted), hint);
}

/* The columns that a list such as heft_source.drop names, in the arena; a list that is the name of
 * a column, as one with a comma may be, names that column. `option` is for messages. */
static heft_status list_columns(heft_ctx *ctx, const naming *names, const char *option,
                                const char *list, heft_arena *arena, size_t **out, size_t *n_out)
{
    char       **items;
    size_t       n, total = 0;
    const size_t whole = list && strchr(list, ',') ? find_name(names, list) : SIZE_MAX;
    *out = NULL;
    *n_out = 0;
    if (whole != SIZE_MAX) {
        HEFT_ALLOC(ctx, arena, *out, 1);
        (*out)[(*n_out)++] = whole;
        return HEFT_OK;
    }
    HEFT_CHECK(heft_split(ctx, arena, list, ',', &items, &n));
    size_t(*range)[2];
    HEFT_ALLOC(ctx, arena, range, n);
    for (size_t i = 0; i < n; i++) {
        range[i][0] = range[i][1] = find_name(names, items[i]);
        if (range[i][0] == SIZE_MAX &&
            !heft_column_range(items[i], names->n, &range[i][0], &range[i][1]))
            HEFT_CHECK(no_such_column(ctx, names, option, items[i]));
        total += range[i][1] - range[i][0] + 1;
    }
    HEFT_ALLOC(ctx, arena, *out, total);
    for (size_t i = 0; i < n; i++)
        for (size_t j = range[i][0]; j <= range[i][1]; j++) (*out)[(*n_out)++] = j;
    return HEFT_OK;
}

bool heft_is_expected(const heft_expect *expect, const char *name)
{
    for (size_t i = 0; i < expect->n; i++)
        if (strcmp(expect->names[i], name) == 0) return true;
    return expect->target && strcmp(expect->target, name) == 0;
}

/* ---- roles ---- */

static heft_status keep_columns(heft_ctx *ctx, heft_schema *schema, const naming *k)
{
    const char *list = schema->how->keep;
    size_t     *cols, n;
    if (!list || !*list) return HEFT_OK;
    const bool all = strcmp(list, "all") == 0;
    if (!all) HEFT_CHECK(list_columns(ctx, k, "{keep}", list, &schema->arena, &cols, &n));
    for (size_t i = 0; i < (all ? schema->n_fields : n); i++)
        schema->fields[all ? i : cols[i]].kept = true;
    schema->keeps = schema->n_fields > 0;
    return HEFT_OK;
}

static heft_status drop_columns(heft_ctx *ctx, heft_schema *schema, const naming *k)
{
    size_t *cols, n;
    HEFT_CHECK(list_columns(ctx, k, "{drop}", schema->how->drop, &schema->arena, &cols, &n));
    for (size_t i = 0; i < n; i++) schema->fields[cols[i]].role = HEFT_ROLE_DROPPED;
    return HEFT_OK;
}

/* Two columns may have the same name only where one of them is left out. */
static heft_status check_twins(heft_ctx *ctx, const heft_schema *schema, const naming *k)
{
    for (size_t j = 0; j < schema->n_fields; j++) {
        const size_t i = k->twin[j], first = i < j ? i : j, second = i < j ? j : i;
        if (i == j || schema->fields[i].role == HEFT_ROLE_DROPPED ||
            schema->fields[j].role == HEFT_ROLE_DROPPED)
            continue;
        char number[24];
        snprintf(number, sizeof number, "%zu", second + 1);
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: columns %zu and %s are both named '%s' (rename one, or "
                         "{advice leave-one-out=%s})",
                         schema->name, first + 1, number, HEFT_SHOW_NAME(schema->fields[j].name),
                         number);
    }
    return HEFT_OK;
}

const char heft_why_nominal[] = "{nominal}";

static void set_kind(heft_field *field, heft_kind kind, const char *why)
{
    field->why = why;
    if (field->kind == kind) return;
    field->kind = kind;
    field->declared = false;
    heft_dict_free(field->dict);
    field->dict = NULL;
}

/* Gives the column that `wanted` names, or numbers, its role; no column has two. */
static heft_status take_role(heft_ctx *ctx, heft_schema *schema, const naming *names,
                             heft_role role, const char *option, const char *wanted)
{
    static const char *const words[] = {"", "the class column", "the column of weights",
                                        "left out"};
    size_t                   j = find_name(names, wanted), hi = j;
    if (j == SIZE_MAX && (!heft_column_range(wanted, names->n, &j, &hi) || j != hi))
        return no_such_column(ctx, names, option, wanted);
    heft_field *field = &schema->fields[j];
    if (field->role != HEFT_ROLE_ATTRIBUTE)
        return heft_fail(ctx, HEFT_EINVAL, "%s: %s: column '%s' is already %s", schema->name,
                         HEFT_MARKED(option), HEFT_SHOW_NAME(field->name), words[field->role]);
    field->role = role;
    return HEFT_OK;
}

/* The class column where none was named: "class" in any case, exactly so first, else the last. */
static size_t default_target(const heft_schema *schema)
{
    size_t last = SIZE_MAX, found = SIZE_MAX;
    for (size_t j = 0; j < schema->n_fields; j++) {
        if (schema->fields[j].role != HEFT_ROLE_ATTRIBUTE) continue;
        last = j;
        if (strcmp(schema->fields[j].name, "class") == 0) return j;
        if (found == SIZE_MAX && heft_same_word(schema->fields[j].name, "class")) found = j;
    }
    return found != SIZE_MAX ? found : last;
}

static heft_status choose_target(heft_ctx *ctx, heft_schema *schema, const naming *k)
{
    size_t j = SIZE_MAX;
    if (schema->how->no_target) return HEFT_OK;
    if (schema->how->target && *schema->how->target)
        return take_role(ctx, schema, k, HEFT_ROLE_TARGET, "{target}", schema->how->target);
    if (schema->expect) {
        j = find_exactly(k,
                         schema->expect->target); /* the class column may be absent, or dropped */
        if (j != SIZE_MAX && schema->fields[j].role == HEFT_ROLE_ATTRIBUTE)
            schema->fields[j].role = HEFT_ROLE_TARGET;
    } else {
        j = default_target(schema);
        if (j == SIZE_MAX)
            return heft_fail(
                ctx, HEFT_EINVAL,
                "%s: no column is left for the class (leave out fewer columns with {drop})",
                schema->name);
        schema->fields[j].role = HEFT_ROLE_TARGET;
    }
    return HEFT_OK;
}

static heft_status force_kinds(heft_ctx *ctx, heft_schema *schema, const naming *k)
{
    static const char numeric[] = "{numeric} requires numbers";
    size_t           *cols, n;
    HEFT_CHECK(list_columns(ctx, k, "{numeric}", schema->how->numeric, &schema->arena, &cols, &n));
    for (size_t i = 0; i < n; i++) set_kind(&schema->fields[cols[i]], HEFT_NUMERIC, numeric);
    HEFT_CHECK(list_columns(ctx, k, "{nominal}", schema->how->nominal, &schema->arena, &cols, &n));
    for (size_t i = 0; i < n; i++) {
        heft_field *field = &schema->fields[cols[i]];
        if (field->why == numeric)
            return heft_fail(ctx, HEFT_EINVAL,
                             "%s: column '%s' cannot be both {numeric} and {nominal}", schema->name,
                             HEFT_SHOW_NAME(field->name));
        set_kind(field, HEFT_NOMINAL, heft_why_nominal);
    }
    return HEFT_OK;
}

/* Sets kinds as the model expects them. Reading once for a model skips all other columns. */
static void expect_kinds(heft_schema *schema, const naming *k)
{
    if (schema->once)
        for (size_t j = 0; j < schema->n_fields; j++)
            schema->fields[j].idle = schema->fields[j].role == HEFT_ROLE_ATTRIBUTE;
    if (schema->expect)
        for (size_t i = 0; i < schema->expect->n; i++) {
            const size_t j = find_exactly(k, schema->expect->names[i]);
            if (j == SIZE_MAX) continue;
            schema->fields[j].idle = false;
            schema->fields[j].lenient = schema->expect->kinds[i] == HEFT_NUMERIC;
            set_kind(&schema->fields[j], schema->expect->kinds[i],
                     schema->expect->kinds[i] == HEFT_NUMERIC ? "the model expects numbers"
                                                              : "the model");
        }
}

/* Columns lo..hi-1 are left out. The advice is a range where a column is named "1": names take
 * precedence over numbers. */
static void warn_index(heft_ctx *ctx, const heft_schema *schema, const naming *k, size_t lo,
                       size_t hi)
{
    char columns[64], number[24];
    if (schema->expect || lo == hi || heft_comm_rank(ctx) != 0) return;
    snprintf(columns, sizeof columns, "%zu-%zu", lo + 1, hi);
    snprintf(number, sizeof number, "%zu", hi);
    if (hi > lo + 1)
        heft_say(ctx, HEFT_WARNING,
                 "%s: columns %s have no names and are left out as the row index ({numeric=%s} or "
                 "{nominal=%s} keeps them)",
                 schema->name, columns, columns, columns);
    else
        heft_say(ctx, HEFT_WARNING,
                 "%s: column %s has no name and is left out as the row index ({numeric=%s} or "
                 "{nominal=%s} keeps it)",
                 schema->name, number, find_exactly(k, number) == SIZE_MAX ? number : columns,
                 find_exactly(k, number) == SIZE_MAX ? number : columns);
}

/* Unnamed columns before the others label the rows, and say nothing of other rows. They stay where
 * no other attribute is left, and where somebody asks for them: as the class, with a kind, or by a
 * model that has them. */
static void drop_index(heft_ctx *ctx, heft_schema *schema, const naming *k)
{
    size_t n_attr = 0, lo = 0;
    for (size_t j = schema->n_index; j < schema->n_fields; j++)
        n_attr += schema->fields[j].role == HEFT_ROLE_ATTRIBUTE;
    if (n_attr == 0) return;
    for (size_t j = 0; j < schema->n_index; j++) {
        heft_field *field = &schema->fields[j];
        if (field->role == HEFT_ROLE_ATTRIBUTE && !field->why) {
            field->role = HEFT_ROLE_DROPPED;
            continue;
        }
        warn_index(ctx, schema, k, lo, j);
        lo = j + 1;
    }
    warn_index(ctx, schema, k, lo, schema->n_index);
}

heft_status heft_schema_assign(heft_ctx *ctx, heft_schema *schema)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(naming) k = {0};
    uint32_t           place = 0;
    HEFT_CHECK(naming_init(ctx, schema->name, schema->n_fields, &k));
    for (size_t i = 0; i < schema->n_fields;
         i++) { /* a name of the file takes precedence over c1 */
        const size_t j = (i + schema->n_index) % schema->n_fields;
        HEFT_CHECK(naming_add(ctx, &k, j, schema->fields[j].name));
    }
    HEFT_CHECK(drop_columns(ctx, schema, &k));
    HEFT_CHECK(keep_columns(ctx, schema, &k));
    if (schema->how->weight && *schema->how->weight)
        HEFT_CHECK(take_role(ctx, schema, &k, HEFT_ROLE_WEIGHT, "{advice weight-column}",
                             schema->how->weight));
    HEFT_CHECK(choose_target(ctx, schema, &k));
    HEFT_CHECK(force_kinds(ctx, schema, &k));
    expect_kinds(schema, &k);
    drop_index(ctx, schema, &k);
    HEFT_CHECK(check_twins(ctx, schema, &k));
    for (size_t j = 0; j < schema->n_fields; j++) {
        heft_field *field = &schema->fields[j];
        if (field->role == HEFT_ROLE_TARGET && field->why != heft_why_nominal)
            set_kind(field, HEFT_NOMINAL, "the class");
        if (field->role == HEFT_ROLE_WEIGHT)
            set_kind(field, HEFT_NUMERIC, "weights must be numbers");
        if (field->role == HEFT_ROLE_ATTRIBUTE) field->place = place++;
    }
    return HEFT_OK;
}

heft_status heft_table_drop(heft_ctx *ctx, const char *file, const char *list, heft_table **table)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(naming) k = {0};
    bool              *gone;
    size_t            *cols, n, *kept, n_kept = 0;
    heft_table        *part;
    const size_t       n_cols = (*table)->n_cols;
    HEFT_CHECK(naming_init(ctx, file, n_cols, &k));
    for (size_t j = 0; j < n_cols; j++) HEFT_CHECK(naming_add(ctx, &k, j, (*table)->cols[j].name));
    HEFT_CHECK(list_columns(ctx, &k, "{drop}", list, &ctx->scratch, &cols, &n));
    HEFT_ALLOCS(ctx, &ctx->scratch, n_cols, gone, kept);
    for (size_t i = 0; i < n; i++) gone[cols[i]] = true;
    for (size_t j = 0; j < n_cols; j++)
        if (!gone[j]) kept[n_kept++] = j;
    HEFT_CHECK(heft_table_keep(ctx, *table, kept, n_kept, &part));
    heft_table_delete(*table);
    *table = part;
    return HEFT_OK;
}
