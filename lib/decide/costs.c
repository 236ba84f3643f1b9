/* costs.c - what wrong predictions cost, from a list or from a matrix in a CSV file. */
#include <string.h>

#include "base/marks.h"
#include "data/formats/csv_cells.h"
#include "decide/decide.h"

enum { MOST_BYTES = 64 << 20 }; /* largest size of a file of costs */

heft_status heft_no_class(heft_ctx *ctx, const char *option, const heft_dict *known,
                          const char *name, size_t length)
{
    char list[280];
    heft_dict_list(known, list, sizeof list);
    return heft_fail(ctx, HEFT_EINVAL, "%s: there is no class '%s' (the classes are %s)", option,
                     HEFT_SHOW_PART(name, length, 80), list);
}

bool heft_costs_in_file(const char *text)
{
    const size_t n = strlen(text);
    return n > 4 && heft_same_word(text + n - 4, ".csv");
}

static bool is_cost(const char *text, const char *end, double *out)
{
    return heft_parse_double(text, end, out) == HEFT_NUM_OK && *out >= 0 && *out <= HEFT_MOST_COST;
}

/* ---- a list ---- */

typedef struct item { /* one item TRUE:PREDICTED=COST of a list, as it was written */
    const char *text;
    size_t      length, equals; /* `equals` is the position of the last = */
    double      cost;
} item;

static heft_status bad_item(heft_ctx *ctx, const item *it, const char *what)
{
    return heft_fail(ctx, HEFT_EINVAL, "{cost}: '%s' %s", HEFT_SHOW_PART(it->text, it->length, 80),
                     what);
}

/* Returns the position after the quoted name that begins at p, p itself if no quotation mark is
 * there, or NULL if the name does not end. */
static const char *skip_quoted(const char *p)
{
    if (*p != '"') return p;
    for (p++; *p && (*p != '"' || p[1] == '"'); p++) p += *p == '"';
    return *p ? p + 1 : NULL;
}

/* Reads the next item of the list at *p and moves *p behind it. A quotation mark may begin an item
 * or follow a colon. */
static heft_status next_item(heft_ctx *ctx, const char **p, item *it)
{
    const char *q = *p;
    *it = (item){.text = q, .length = strlen(q), .equals = SIZE_MAX};
    for (bool fresh = true; *q && *q != ','; q++) {
        if (*q == '"' && fresh) {
            q = skip_quoted(q);
            if (!q) return bad_item(ctx, it, "has a quotation mark that is not closed (add a \")");
            if (!*q || *q == ',') break;
        }
        if (*q == '=') it->equals = (size_t)(q - it->text);
        fresh = *q == ':';
    }
    it->length = (size_t)(q - it->text);
    *p = *q ? q + 1 : q;
    if (it->equals == SIZE_MAX)
        return bad_item(ctx, it,
                        "is neither TRUE:PREDICTED=COST nor the name of a file that ends in .csv");
    if (!is_cost(it->text + it->equals + 1, q, &it->cost))
        return bad_item(ctx, it, "does not end in a cost (a number from 0 to 1e15)");
    return HEFT_OK;
}

/* Finds the class that [from, to) names, without the blanks and quotation marks around it. */
static uint32_t find_class(const heft_dict *dict, const char *from, const char *to, char *room)
{
    size_t n = 0;
    while (from < to && *from == ' ') from++;
    while (from < to && to[-1] == ' ') to--;
    const bool quoted = to - from > 1 && *from == '"' && to[-1] == '"';
    if (quoted) from++, to--;
    for (; from < to; from++) {
        room[n++] = *from;
        if (quoted && *from == '"') from++;
    }
    room[n] = 0;
    return heft_dict_find(dict, room, n);
}

typedef struct pair {
    uint32_t actual, predicted;
} pair;

/* Finds the two classes of an item. Class names may contain colons, so the colon that separates
 * them is the one with a known class on each side. */
static heft_status find_pair(heft_ctx *ctx, const item *it, const heft_dict *known, pair *out)
{
    const char *end = it->text + it->equals, *first = NULL;
    char       *room;
    size_t      found = 0, colons = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, room, it->length + 1);
    for (const char *q = skip_quoted(it->text); q < end; q++) {
        if (*q != ':') continue;
        if (colons++ == 0) first = q;
        const pair p = {find_class(known, it->text, q, room), find_class(known, q + 1, end, room)};
        if (p.actual != HEFT_DICT_NONE && p.predicted != HEFT_DICT_NONE) *out = p, found++;
    }
    if (found == 1) return HEFT_OK;
    if (found > 1)
        return bad_item(ctx, it, "can be read in two ways (put class names in quotation marks)");
    if (colons == 0) return bad_item(ctx, it, "has no colon between two classes");
    const bool second = find_class(known, it->text, first, room) != HEFT_DICT_NONE;
    if (second) find_class(known, first + 1, end, room);
    return heft_no_class(ctx, HEFT_MARKED("{cost}"), known, room, strlen(room));
}

/* Position of a pair of classes of `known` in the cost matrix of the model's classes; SIZE_MAX if
 * the model lacks one of them. */
static size_t cell_of(const heft_dict *known, const heft_dict *classes, pair p)
{
    const size_t   n = heft_dict_size(classes);
    const uint32_t a = heft_dict_same(classes, known, p.actual);
    const uint32_t b = heft_dict_same(classes, known, p.predicted);
    return a == HEFT_DICT_NONE || b == HEFT_DICT_NONE ? SIZE_MAX : a * n + b;
}

static heft_status read_list(heft_ctx *ctx, const char *text, const heft_dict *known,
                             const heft_dict *classes, double *cost)
{
    const size_t n = known ? heft_dict_size(classes) : 0;
    const char  *p = text;
    item         it;
    for (size_t k = 0; k < n * n; k++) cost[k] = -1;
    do {
        pair which = {HEFT_DICT_NONE, HEFT_DICT_NONE};
        HEFT_CHECK(next_item(ctx, &p, &it));
        if (!known && !memchr(it.text, ':', it.equals))
            return bad_item(ctx, &it, "has no colon between two classes");
        if (!known) continue;
        HEFT_CHECK(find_pair(ctx, &it, known, &which));
        const size_t at = cell_of(known, classes, which);
        if (at == SIZE_MAX) continue;
        if (cost[at] >= 0) return bad_item(ctx, &it, "gives a cost that was given before");
        cost[at] = it.cost;
    } while (*p || p[-1] == ',');
    for (size_t k = 0; k < n * n; k++)
        if (cost[k] < 0) cost[k] = k % (n + 1) != 0; /* default */
    return HEFT_OK;
}

/* ---- a file ---- */

typedef struct matrix {
    const char *path; /* path as messages show it */
    char       *text; /* content of the file and a line end; cells are terminated in place */
    const char *end;
    char        delimiter;
    size_t      line;
    heft_dict  *columns, *rows; /* classes of the header and of the rows, in the order of the
                                   file */
    double *cell;               /* costs, rows x columns; only the rows read so far are set */
} matrix;

/* Takes the cell at *p and moves *p behind it. *last says whether it ends the line. */
static heft_status take_cell(heft_ctx *ctx, matrix *m, char **p, char **cell, bool *last)
{
    heft_text_cell found;
    char          *q = heft_csv_take_cell(*p, m->end, m->delimiter, '"', &found);
    *cell = *p + (found.text - *p);
    *last = true;
    if (q >= m->end)
        return heft_fail_at(ctx, HEFT_EFORMAT, m->path, m->line,
                            "a quoted cell begins here and is never closed");
    while (*q != m->delimiter && *q != '\n') q++; /* text behind a closing quotation mark */
    *last = *q != m->delimiter;
    *p = q + 1;
    (*cell)[found.length] = 0; /* at or before the delimiter */
    return HEFT_OK;
}

static heft_status add_class(heft_ctx *ctx, const matrix *m, heft_dict *to, const char *name)
{
    uint32_t     code;
    const size_t n = heft_dict_size(to);
    HEFT_CHECK(heft_dict_add(ctx, to, name, strlen(name), &code));
    if (code == n) return HEFT_OK;
    return heft_fail_at(ctx, HEFT_EFORMAT, m->path, m->line, "class '%s' is there twice",
                        HEFT_SHOW(name, 80));
}

static heft_status take_row(heft_ctx *ctx, matrix *m, char **p)
{
    const size_t n = heft_dict_size(m->columns), row = heft_dict_size(m->rows);
    char        *cell;
    bool         last;
    size_t       k = 0;
    HEFT_CHECK(take_cell(ctx, m, p, &cell, &last));
    HEFT_CHECK(add_class(ctx, m, m->rows, cell));
    if (row == n)
        return heft_fail_at(ctx, HEFT_EFORMAT, m->path, m->line,
                            "the matrix has %s of costs, and more rows (it must be square: a row "
                            "and a column for each class)",
                            HEFT_COUNT_OF(n, "column"));
    for (; !last; k++) {
        HEFT_CHECK(take_cell(ctx, m, p, &cell, &last));
        if (k >= n) continue; /* this row is only counted; there is no space for it */
        if (!is_cost(cell, cell + strlen(cell), &m->cell[row * n + k]))
            return heft_fail_at(ctx, HEFT_EFORMAT, m->path, m->line,
                                "'%s' is not a cost (a number from 0 to 1e15)",
                                HEFT_SHOW(cell, 40));
    }
    if (k == n) return HEFT_OK;
    return heft_fail_at(ctx, HEFT_EFORMAT, m->path, m->line, "%s, and the header names %s",
                        HEFT_COUNT_OF(k, "cost"), HEFT_COUNT_OF(n, "class"));
}

/* Skips a line that consists of blanks and delimiters. Returns whether it did. */
static bool skip_empty(const matrix *m, char **p)
{
    char *q = *p;
    while (*q == ' ' || *q == '\r' || (*q && *q == m->delimiter)) q++;
    if (*q && *q != '\n') return false;
    *p = *q ? q + 1 : q;
    return true;
}

/* The first possible delimiter of the line that is not in quotation marks. */
static char find_delimiter(const char *p)
{
    for (bool quoted = false; *p && (*p != '\n' || quoted); p++) {
        quoted ^= *p == '"';
        if (!quoted && (*p == ',' || *p == ';' || *p == '\t')) return *p;
    }
    return ',';
}

static heft_status take_matrix(heft_ctx *ctx, matrix *m)
{
    char  *p = m->text, *cell;
    size_t cells;
    if (strncmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    for (m->line = 1; *p && skip_empty(m, &p); m->line++) {
    }
    m->delimiter = find_delimiter(p);
    bool last = !*p;
    if (!last) HEFT_CHECK(take_cell(ctx, m, &p, &cell, &last)); /* above the names of the rows */
    while (!last) {
        HEFT_CHECK(take_cell(ctx, m, &p, &cell, &last));
        HEFT_CHECK(add_class(ctx, m, m->columns, cell));
    }
    const size_t n = heft_dict_size(m->columns);
    if (n == 0)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: it is not a matrix of costs (its first line names the classes, and "
                         "each line below begins with the actual class)",
                         m->path);
    if (!heft_product(n, n, &cells)) return heft_no_memory(ctx, n, n * sizeof *m->cell);
    HEFT_ALLOC(ctx, &ctx->scratch, m->cell, cells);
    while (*p) {
        m->line++;
        if (!skip_empty(m, &p)) HEFT_CHECK(take_row(ctx, m, &p));
    }
    if (heft_dict_size(m->rows) < n)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the matrix has %s and %s of costs (it must be square: a row and a "
                         "column for each class)",
                         m->path, HEFT_COUNT_OF(heft_dict_size(m->rows), "row"),
                         HEFT_COUNT_OF(n, "column"));
    for (uint32_t c = 0; c < n; c++)
        if (heft_dict_same(m->rows, m->columns, c) == HEFT_DICT_NONE)
            return heft_fail(ctx, HEFT_EFORMAT, "%s: class '%.80s' has a column and no row",
                             m->path, heft_dict_text(m->columns, c));
    return HEFT_OK;
}

/* Copies the costs of the model's classes, all of which the file must have. */
static heft_status place_matrix(heft_ctx *ctx, const matrix *m, const heft_dict *known,
                                const heft_dict *classes, double *cost)
{
    const size_t n = heft_dict_size(m->columns), K = heft_dict_size(classes);
    uint32_t    *row, *column;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, row, column);
    for (uint32_t c = 0; c < n; c++) {
        const char  *name = heft_dict_text(m->columns, c);
        const size_t length = heft_dict_length(m->columns, c);
        if (heft_dict_find(known, name, length) == HEFT_DICT_NONE)
            return heft_no_class(ctx, m->path, known, name, length);
    }
    for (uint32_t c = 0; c < K; c++) {
        const char  *name = heft_dict_text(classes, c);
        const size_t length = heft_dict_length(classes, c);
        row[c] = heft_dict_find(m->rows, name, length);
        column[c] = heft_dict_find(m->columns, name, length);
        if (row[c] == HEFT_DICT_NONE)
            return heft_fail(ctx, HEFT_EINVAL,
                             "%s: the matrix has %s, and no costs of class '%.80s' (add a row and "
                             "a column for it)",
                             m->path, HEFT_COUNT_OF(n, "class"), name);
    }
    for (size_t a = 0; a < K; a++)
        for (size_t b = 0; b < K; b++) cost[a * K + b] = m->cell[row[a] * n + column[b]];
    return HEFT_OK;
}

static heft_status read_matrix(heft_ctx *ctx, const char *path, const heft_dict *known,
                               const heft_dict *classes, double *cost)
{
    heft_status           st = HEFT_OK;
    HEFT_OWN(heft_input) *in = NULL;
    const heft_comm      *comm = ctx->comm;
    matrix                m = {0};
    size_t                length;
    ctx->comm = NULL; /* without ranks, because every rank reads the whole file */
    HEFT_TRY(heft_input_open(ctx, path, &in));
    m.path = heft_input_name(in);
    if (heft_input_size(in) > MOST_BYTES)
        HEFT_TRY(heft_fail(ctx, HEFT_EFORMAT, "%s: it is too long for a matrix of costs", m.path));
    HEFT_ARENA(ctx, &ctx->scratch, m.text, heft_input_size(in) + HEFT_CHUNK_PAD);
    HEFT_TRY(heft_input_read(ctx, in, m.text, heft_input_size(in), &length));
    if (strlen(m.text) < length)
        HEFT_TRY(heft_fail(ctx, HEFT_EFORMAT, "%s: it is not a text file", m.path));
    m.text[length] = '\n';
    m.end = m.text + length + 1;
    HEFT_TRY(heft_dict_create(ctx, &m.columns));
    HEFT_TRY(heft_dict_create(ctx, &m.rows));
    HEFT_TRY(take_matrix(ctx, &m));
    if (known) HEFT_TRY(place_matrix(ctx, &m, known, classes, cost));
done:
    ctx->comm = comm;
    heft_dict_free(m.columns);
    heft_dict_free(m.rows);
    return st;
}

heft_status heft_costs_parse(heft_ctx *ctx, const char *text, const heft_dict *known,
                             const heft_dict *classes, double *cost)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = known ? heft_dict_size(classes) : 0;
    bool         any = n < 2;
    HEFT_CHECK(heft_costs_in_file(text) ? read_matrix(ctx, text, known, classes, cost)
                                        : read_list(ctx, text, known, classes, cost));
    for (size_t k = 0; k < n * n; k++) any |= cost[k] > 0;
    if (any) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "{cost}: every cost is 0, so no class is better than another (give a wrong "
                     "prediction a cost above 0)");
}
