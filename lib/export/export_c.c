/* export_c.c - a model as one C99 file that needs the standard library alone.
 *
 * The nodes of the score graph (graph.h) become arrays of constants and loops over elements, in the
 * function that predicts. Results that are read more than once, or by a function of the file, are
 * stored in arrays. All others are written where they are used: a loop first computes each of them
 * as a local number, those that do not depend on the column outside the loop over columns. What a
 * sum adds up is never stored, so that a row needs little memory.
 *
 * The frame of the file and the functions that loops call are the template reader.c.in, which the
 * build embeds. Names and values of users appear in string literals only, every byte outside plain
 * ASCII in octal: no quote, newline, end of comment or trigraph of theirs reaches the compiler. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/c_names.h"
#include "export/export.h"
#include "export/graph_counts.h"

extern const char *const heft_reader[], *const heft_reader_header[]; /* lines, then NULL */

/* HAS_... of the template: a header file; attributes, numeric and nominal ones; operators that need
 * a function; cells that are found among keys. */
/* clang-format off */
#define FLAGS(X)                                                                                   \
    X(HEADER) X(ATTRS) X(NUMBERS) X(NOMINAL) X(CODES) X(UNIT) X(SCALE) X(CUT) X(CELL) X(KEYS)      \
    X(KERNEL) X(LOG_SUM)
#define PARTS(X) /* $... of the template */                                                        \
    X(PREFIX) X(HEADER) X(GUARD) X(REAL) X(ROW_MEMBERS) X(ROW_CELLS) X(METHOD) X(TITLE)            \
    X(VERSION) X(N_ATTR) X(N_CLASS) X(DECISION) X(TEXTS) X(ATTRIBUTES) X(DATA) X(CODE)
/* clang-format on */

#define FLAG(name) HAS_##name,
#define PART(name) PUT_##name,
#define NAME(name) #name,
enum { FLAGS(FLAG) N_FLAGS };
enum { PARTS(PART) N_PARTS };
static const char *const FLAG_NAMES[] = {FLAGS(NAME)};
static const char *const PART_NAMES[] = {PARTS(NAME)};

enum { LINE = 90, INDEX = 120, RUN = 8 /* rows */ };

typedef struct spot { /* a row or a column in a loop */
    char text[INDEX];
    bool inner; /* it depends on the column of the loop */
} spot;

typedef struct place { /* an element in a loop */
    spot row, column;
} place;

typedef struct local { /* an element that a loop has computed already */
    size_t node;
    place  at;
} local;

typedef struct writer {
    heft_ctx         *ctx;
    const heft_graph *g;
    const heft_prep  *prep;
    bool              single;                /* numbers are float in place of double */
    bool              has[N_FLAGS + 1];      /* the last is for names that do not exist */
    heft_buf          part[N_PARTS + 1];     /* the same */
    size_t            n_texts;               /* strings so far */
    bool             *live, *stored, *given; /* per node; given: its constants are written */
    size_t           *array, *first; /* per node: the array that it is stored in, and where */
    local            *known;         /* g->n: what the loop has computed */
    size_t            n_known;
    heft_buf          by_row, by_column; /* statements in the loops over rows and over columns */
} writer;

/* ---- constants ---- */

static void put_number(heft_buf *buf, double x)
{
    char text[32];
    if (isnan(x)) {
        heft_buf_text(buf, "NAN");
    } else if (isfinite(x)) {
        heft_format_double(text, x);
        heft_put(buf, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
    } else {
        heft_buf_text(buf, x > 0 ? "INFINITY" : "-INFINITY");
    }
}

/* Small whole numbers need no point: tables have many zeros. */
static bool is_whole(double x)
{
    return x == 0 ? !signbit(x) : fabs(x) < 1e6 && x == nearbyint(x);
}

/* Writes a number, or a float where the file is in single precision: nine digits identify every
 * float. A finite number stays finite, and one that is not 0 stays so. */
static void put_real(const writer *w, heft_buf *buf, double x)
{
    if (is_whole(x)) {
        heft_put(buf, "%l", (long)x);
        return;
    }
    if (!w->single || !isfinite(x)) {
        put_number(buf, x);
        return;
    }
    const double near = fmin(fmax(x, -(double)FLT_MAX), (double)FLT_MAX);
    const double y =
        fabs(near) < (double)FLT_MIN && x != 0 ? copysign((double)FLT_MIN, x) : (double)(float)near;
    const size_t from = buf->length;
    heft_buf_short(buf, y, 9);
    if (buf->failed) return;
    const char  *text = buf->data + from;
    const size_t n = buf->length - from;
    heft_buf_text(buf, memchr(text, '.', n) || memchr(text, 'e', n) ? "f" : ".0f");
}

/* Begins an array of constants of a node: its name is a word and the number of the node. */
static heft_buf *begin_array(writer *w, const char *type, const char *word, size_t k)
{
    heft_put(&w->part[PUT_DATA], "static const %s %s_%z[] = {\n    ", type, word, k);
    return &w->part[PUT_DATA];
}

static void end_array(writer *w)
{
    heft_put(&w->part[PUT_DATA], "\n};\n\n");
}

/* What stands between two items of a list; `line` is where its last line begins. */
static void put_comma(heft_buf *out, size_t *line, bool any)
{
    const bool full = out->length - *line > LINE;
    heft_buf_text(out, !any ? "" : full ? ",\n    " : ", ");
    if (full) *line = out->length;
}

/* Numbers, n of them from x on; `some` goes on with an array that has numbers already. */
static void put_numbers(writer *w, const double *x, size_t n, size_t *line, bool some)
{
    heft_buf *out = &w->part[PUT_DATA];
    for (size_t k = 0; k < n; k++) {
        put_comma(out, line, some || k);
        put_real(w, out, x[k]);
    }
}

static void put_number_array(writer *w, const char *word, size_t k, const double *x, size_t n)
{
    size_t line = begin_array(w, "double", word, k)->length;
    put_numbers(w, x, n, &line, false);
    end_array(w);
}

/* The narrowest type of C for whole numbers up to `most`. */
static const char *type_for(size_t most)
{
    return most <= 0xff ? "unsigned char" : most <= 0xffff ? "unsigned short" : "long";
}

/* An array of n counts; SIZE_MAX is written as -1. */
static void put_counts(writer *w, const char *word, size_t node, const void *from, size_t n,
                       heft_rule_count *get)
{
    size_t most = 0;
    for (size_t k = 0; k < n; k++)
        if (get(from, k) > most) most = get(from, k);
    heft_buf *out = begin_array(w, type_for(most), word, node);
    size_t    line = out->length;
    for (size_t k = 0; k < n; k++) {
        put_comma(out, &line, k);
        if (get(from, k) == SIZE_MAX) heft_put(out, "-1");
        else heft_put(out, "%z", get(from, k));
    }
    end_array(w);
}

/* n + 1 counts: the sums of the counts before. */
static heft_status put_sums(writer *w, size_t node, const void *from, size_t n,
                            heft_rule_count *get)
{
    size_t *at;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, at, n + 1);
    for (size_t k = 0; k < n; k++) at[k + 1] = at[k] + get(from, k);
    put_counts(w, "at", node, at, n + 1, heft_count_list);
    return HEFT_OK;
}

/* Whether each row has its own number. */
static bool is_identity(const void *from, size_t n, heft_rule_count *get)
{
    for (size_t k = 0; k < n; k++)
        if (get(from, k) != k) return false;
    return true;
}

/* Whether the codes count the lines of all tables of a LOOKUP node on: those of leaves do, which
 * are numbered through all trees in the file. */
static bool counts_lines(const writer *w, const heft_graph_node *node)
{
    return w->g->node[node->in[0]].op == HEFT_OP_LEAF;
}

static heft_status give_lookup(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_lookup_rule *rule = node->rule;
    size_t                  line = begin_array(w, "double", "number", k)->length;
    for (size_t i = 0; i < node->rows; i++)
        put_numbers(w, rule[i].table, rule[i].n_lines * node->columns, &line, i > 0);
    end_array(w);
    if (!is_identity(rule, node->rows, heft_count_lookup_from))
        put_counts(w, "from", k, rule, node->rows, heft_count_lookup_from);
    if (counts_lines(w, node)) return HEFT_OK;
    return put_sums(w, k, rule, node->rows, heft_count_lookup_size);
}

static heft_status give_cuts(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_cut_rule *rule = node->rule;
    size_t               line = begin_array(w, "double", "number", k)->length, n = 0;
    for (size_t i = 0; i < node->rows; i++) {
        put_numbers(w, rule[i].cuts, rule[i].n_cuts, &line, n > 0);
        n += rule[i].n_cuts;
    }
    if (n == 0) heft_put(&w->part[PUT_DATA], "0");
    end_array(w);
    if (!is_identity(rule, node->rows, heft_count_cut_from))
        put_counts(w, "from", k, rule, node->rows, heft_count_cut_from);
    return put_sums(w, k, rule, node->rows, heft_count_cut_size);
}

/* The points of each kernel, then the logs of their shares; and the widths. */
static heft_status give_kernels(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_kernel_rule *rule = node->rule;
    const size_t            n = node->rows * node->columns;
    size_t                  line = begin_array(w, "double", "number", k)->length;
    bool                    some = false;
    double                 *width;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, width, n);
    for (size_t e = 0; e < n; e++) {
        put_numbers(w, rule[e].point, rule[e].n, &line, some);
        some |= rule[e].n > 0;
        put_numbers(w, rule[e].log_mass, rule[e].n, &line, some);
        width[e] = rule[e].width;
    }
    end_array(w);
    put_number_array(w, "width", k, width, n);
    return put_sums(w, k, rule, n, heft_count_kernel_size);
}

/* The maps of the attributes are one array; those that pairs share are there once. */
static heft_status give_cells(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_cell_rule *rule = node->rule;
    const uint32_t      **map;
    size_t               *at, *code, n_maps = 0, n_codes = 0, n_keys = 0, all = 0;
    for (size_t i = 0; i < node->rows; i++) all += rule[i].n_codes[0] + rule[i].n_codes[1];
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, map, 2 * node->rows);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, at, 2 * node->rows);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, code, all);
    heft_buf *out = begin_array(w, "pair", "pair", k);
    size_t    line = out->length;
    for (size_t i = 0; i < node->rows; i++) {
        const heft_cell_rule *r = &rule[i];
        size_t                begin[2];
        for (size_t m = 0; m < 2; m++) {
            size_t same = 0;
            while (same < n_maps && map[same] != r->map[m]) same++;
            if (same == n_maps) {
                map[n_maps] = r->map[m];
                at[n_maps++] = n_codes;
                for (size_t v = 0; v < r->n_codes[m]; v++) code[n_codes++] = r->map[m][v];
            }
            begin[m] = at[same];
        }
        put_comma(out, &line, i);
        heft_put(out, "{%z, %z, %z, %z, %z, %l, %z}", r->from[0], r->from[1], begin[0], begin[1],
                 r->times, r->key ? (long)r->n_cells : -1, n_keys);
        if (r->key) n_keys += r->n_cells;
    }
    end_array(w);
    put_counts(w, "map", k, code, n_codes, heft_count_list);
    if (!w->has[HAS_KEYS]) return HEFT_OK;
    out = begin_array(w, "unsigned long long", "key", k);
    line = out->length;
    for (size_t i = 0, n = 0; i < node->rows; i++)
        for (size_t v = 0; rule[i].key && v < rule[i].n_cells; v++) {
            put_comma(out, &line, n++);
            heft_put(out, "%z", (size_t)rule[i].key[v]);
        }
    if (n_keys == 0) heft_put(out, "0");
    end_array(w);
    return HEFT_OK;
}

/* Splits compare a code as it is with missing ones replaced (heft_leaf_rule). */
static heft_status give_leaves(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_leaf_rule *rule = node->rule;
    size_t               *listed, n = 0, n_codes = 0, most = 0, all = 1;
    for (size_t s = 0; s < rule->n_splits; s++) {
        all += rule->split[s].n_listed;
        if (rule->split[s].from >= n_codes) n_codes = rule->split[s].from + 1;
        if (rule->split[s].at > most) most = rule->split[s].at;
    }
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, listed, all);
    heft_buf *out = &w->part[PUT_DATA];
    heft_put(out,
             "static const struct {\n    %s code;\n    %s at; /* numbers: codes below it go left; "
             "values: the codes that go left, in the list */\n    unsigned char left; /* leaves to "
             "the left */\n",
             type_for(n_codes), type_for(most > all ? most : all));
    if (all > 1) heft_put(out, "    unsigned char n_listed;\n");
    heft_put(out, "} split_%z[] = {\n    ", k);
    size_t line = out->length;
    for (size_t s = 0; s < rule->n_splits; s++) {
        const heft_graph_split *split = &rule->split[s];
        put_comma(out, &line, s);
        heft_put(out, "{%z, %z, %z", (size_t)split->from, split->n_listed ? n : (size_t)split->at,
                 (size_t)split->left);
        if (all > 1) heft_put(out, ", %z", (size_t)split->n_listed);
        heft_put(out, "}");
        for (size_t v = 0; v < split->n_listed; v++) listed[n++] = split->listed[v];
    }
    if (rule->n_splits == 0) heft_put(out, all > 1 ? "{0, 0, 0, 0}" : "{0, 0, 0}");
    end_array(w);
    if (all > 1) put_counts(w, "listed", k, listed, n, heft_count_list);
    put_counts(w, "leaves", k, rule, node->rows, heft_count_leaves);
    out = begin_array(w, "long", "missing",
                      k); /* the code of missing cells, and what stands for it */
    line = out->length;
    for (size_t j = 0; j < n_codes; j++) {
        put_comma(out, &line, j);
        heft_put(out, "%z, %l", (size_t)rule->missing[j], (long)rule->missing_as[j]);
    }
    if (n_codes == 0) heft_put(out, "0");
    end_array(w);
    return HEFT_OK;
}

/* Writes the constants of a node, once. */
static heft_status give(writer *w, size_t k)
{
    const heft_graph_node *node = &w->g->node[k];
    const size_t           n = node->rows * node->columns;
    if (w->given[k]) return HEFT_OK;
    w->given[k] = true;
    switch (node->op) {
    case HEFT_OP_NUMBERS:
        if (heft_fills(node)) put_number_array(w, "number", k, node->numbers, n);
        if (!is_identity(node->list, n, heft_count_list))
            put_counts(w, "list", k, node->list, n, heft_count_list);
        return HEFT_OK;
    case HEFT_OP_CONST:
        put_number_array(w, "number", k, node->numbers, n);
        return HEFT_OK;
    case HEFT_OP_SCALE:
        put_number_array(w, "number", k, node->numbers, 2 * n);
        return HEFT_OK;
    case HEFT_OP_SUM:
        put_number_array(w, "number", k, node->numbers, node->columns);
        return HEFT_OK;
    case HEFT_OP_PICK:
        put_counts(w, "list", k, node->list, node->rows, heft_count_list);
        return HEFT_OK;
    case HEFT_OP_COLUMNS:
        put_counts(w, "list", k, node->list, node->columns, heft_count_list);
        return HEFT_OK;
    case HEFT_OP_CODES:
    case HEFT_OP_GATHER:
        put_counts(w, "list", k, node->list, n, heft_count_list);
        return HEFT_OK;
    case HEFT_OP_LOOKUP:
        return give_lookup(w, k, node);
    case HEFT_OP_CUT:
        return give_cuts(w, k, node);
    case HEFT_OP_KERNEL:
        return give_kernels(w, k, node);
    case HEFT_OP_CELL:
        return give_cells(w, k, node);
    case HEFT_OP_LEAF:
        return give_leaves(w, k, node);
    default:
        return HEFT_OK;
    }
}

/* ---- elements ---- */

static const spot FIRST = {"0", false};

static bool is_fixed(const spot *at)
{
    return at->text[0] >= '0' && at->text[0] <= '9' && !strpbrk(at->text, "+*");
}

/* The spot that entry `at` of the list of node k names. */
static spot listed_spot(writer *w, size_t k, const spot *at, size_t n)
{
    const heft_graph_node *node = &w->g->node[k];
    spot                   to = {.inner = at->inner};
    if (is_identity(node->list, n, heft_count_list)) return *at;
    if (is_fixed(at)) {
        size_t entry = 0;
        for (const char *s = at->text; *s; s++) entry = 10 * entry + (size_t)(*s - '0');
        (void)snprintf(to.text, INDEX, "%zu", node->list[entry]);
        return to;
    }
    if (give(w, k) != HEFT_OK) w->by_row.failed = true;
    (void)snprintf(to.text, INDEX, "list_%zu[%.*s]", k, INDEX - 30, at->text);
    return to;
}

/* The row that a GATHER node has for an element. */
static spot gathered_spot(size_t k, size_t columns, const place *at)
{
    spot to = {.inner = true};
    (void)snprintf(to.text, INDEX, "list_%zu[%.*s * %zu + %.*s]", k, INDEX / 4, at->row.text,
                   columns, INDEX / 4, at->column.text);
    return to;
}

/* The place of an element in an array of all elements of a node, from `first` on. */
static void put_index(const heft_graph_node *node, size_t first, const place *at, heft_buf *out)
{
    const bool rows = node->rows > 1, columns = node->columns > 1;
    heft_put(out, "[");
    if (first) heft_put(out, "%z%s", first, rows || columns ? " + " : "");
    if (rows && columns) heft_put(out, "%s * %z + ", at->row.text, node->columns);
    if (columns) heft_put(out, "%s", at->column.text);
    else if (rows) heft_put(out, "%s", at->row.text);
    else if (!first) heft_put(out, "0");
    heft_put(out, "]");
}

static void put_stored(const writer *w, size_t k, const place *at, heft_buf *out)
{
    heft_put(out, "v%z", w->array[k]);
    put_index(&w->g->node[k], w->first[k], at, out);
}

static void put_value(writer *w, size_t k, place at, heft_buf *out);

/* The number of a local of the loop; n_known: there is none for this element. */
static size_t known_local(const writer *w, size_t k, const place *at)
{
    for (size_t m = 0; m < w->n_known; m++)
        if (w->known[m].node == k && strcmp(w->known[m].at.row.text, at->row.text) == 0 &&
            strcmp(w->known[m].at.column.text, at->column.text) == 0)
            return m;
    return w->n_known;
}

static void put_input(writer *w, size_t k, size_t m, const place *at, heft_buf *out)
{
    put_value(w, heft_input(&w->g->node[k], m), *at, out);
}

/* The line of a table, which a loop over rows finds before it goes over the columns. */
static void put_lookup(writer *w, size_t k, const place *at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    place                  code = *at;
    HEFT_SIDE_TEXT(line, out);
    if (!is_identity(node->rule, node->rows, heft_count_lookup_from))
        (void)snprintf(code.row.text, INDEX, "from_%zu[%.*s]", k, INDEX - 30, at->row.text);
    if (!counts_lines(w, node)) heft_put(&line, "((long)at_%z[%s] + ", k, at->row.text);
    put_value(w, node->in[0], code, &line);
    if (!counts_lines(w, node)) heft_put(&line, ")");
    const char *text = heft_buf_string(&line);
    if (node->columns == 1 || at->row.inner) {
        heft_put(out, "number_%z[%s", k, text);
        if (node->columns > 1) heft_put(out, " * %z + %s", node->columns, at->column.text);
        heft_put(out, "]");
        return;
    }
    const place begin = {at->row, FIRST};
    size_t      known = known_local(w, k, &begin);
    if (known == w->n_known) {
        heft_put(&w->by_row, "        const double *const t%z = number_%z + %s * %z;\n", known, k,
                 text, node->columns);
        w->known[w->n_known++] = (local){k, begin};
    }
    heft_put(out, "t%z[%s]", known, at->column.text);
}

/* The expression of an operator on elements, from the C of graph_ops.def. */
static void put_element(writer *w, size_t k, const place *at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    heft_buf               in[4] = {{0}};
    for (size_t m = 0; m < node->n_in; m++) put_input(w, k, m, at, &in[m]);
    for (const char *s = heft_elements[node->op].c; *s;) {
        const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz");
        if (n == 1 && *s <= 'd') heft_put(out, "%s", heft_buf_string(&in[*s - 'a']));
        else heft_buf_add(out, s, n ? n : 1);
        s += n ? n : 1;
    }
    for (size_t m = 0; m < node->n_in; m++) {
        out->failed |= in[m].failed;
        heft_buf_clear(&in[m]);
    }
}

static void put_expression(writer *w, size_t k, const place *at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    if (give(w, k) != HEFT_OK) out->failed = true;
    if (node->op == HEFT_OP_SCALE) {
        heft_put(out, "scaled(");
        put_input(w, k, 0, at, out);
        heft_put(out, ", number_%z[%s], number_%z[%z + %s])", k, at->row.text, k, node->rows,
                 at->row.text);
    } else if (node->op == HEFT_OP_KERNEL) {
        HEFT_SIDE_TEXT(x, out);
        HEFT_SIDE_TEXT(e, out);
        put_input(w, k, 0, at, &x);
        heft_put(&e, "%s * %z + %s", at->row.text, node->columns, at->column.text);
        const char *entry = heft_buf_string(&e);
        heft_put(out,
                 "kernel(number_%z + 2L * at_%z[%s], at_%z[%s + 1] - at_%z[%s], %s, width_%z[%s])",
                 k, k, entry, k, entry, k, entry, heft_buf_string(&x), k, entry);
    } else if (node->op == HEFT_OP_COLUMNS) { /* some columns are 0 */
        const spot column = listed_spot(w, k, &at->column, node->columns);
        heft_put(out, "%s < 0 ? 0 : ", column.text);
        put_value(w, node->in[0], (place){at->row, column}, out);
    } else {
        put_element(w, k, at, out);
    }
}

static bool has_absent(const heft_graph_node *node)
{
    if (node->op != HEFT_OP_COLUMNS) return false;
    for (size_t c = 0; c < node->columns; c++)
        if (node->list[c] == SIZE_MAX) return true;
    return false;
}

/* Writes an element as a local number of the loop, which is computed once. */
static void put_local(writer *w, size_t k, const place *at, heft_buf *out)
{
    const bool   inner = at->row.inner || at->column.inner;
    const size_t known = known_local(w, k, at);
    if (known < w->n_known) {
        heft_put(out, "t%z", known);
        return;
    }
    HEFT_SIDE_TEXT(text, out);
    put_expression(w, k, at, &text);
    heft_put(inner ? &w->by_column : &w->by_row, "%s        const double t%z = %s;\n",
             inner ? "    " : "", w->n_known, heft_buf_string(&text));
    heft_put(out, "t%z", w->n_known);
    w->known[w->n_known++] = (local){k, *at};
}

/* Writes an element as an operand: a constant, an entry of an array, or a local number. */
static void put_value(writer *w, size_t k, place at, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    if (node->rows == 1) at.row = FIRST;
    if (node->columns == 1) at.column = FIRST;
    if (w->stored[k]) {
        put_stored(w, k, &at, out);
        return;
    }
    switch (node->op) {
    case HEFT_OP_CONST:
        if (!node->numbers) {
            put_real(w, out, node->one);
            return;
        }
        if (give(w, k) != HEFT_OK) out->failed = true;
        heft_put(out, "number_%z", k);
        put_index(node, 0, &at, out);
        return;
    case HEFT_OP_LOOKUP:
        if (give(w, k) != HEFT_OK) out->failed = true;
        put_lookup(w, k, &at, out);
        return;
    case HEFT_OP_PICK:
        at.row = listed_spot(w, k, &at.row, node->rows);
        put_input(w, k, 0, &at, out);
        return;
    case HEFT_OP_GATHER:
        if (give(w, k) != HEFT_OK) out->failed = true;
        put_input(w, k, 0, &(place){gathered_spot(k, node->columns, &at), FIRST}, out);
        return;
    case HEFT_OP_TURN:
        put_input(w, k, 0, &(place){at.column, at.row}, out);
        return;
    case HEFT_OP_COLUMNS:
        if (!has_absent(node)) {
            at.column = listed_spot(w, k, &at.column, node->columns);
            put_input(w, k, 0, &at, out);
            return;
        }
        break;
    default:
        break;
    }
    put_local(w, k, &at, out);
}

/* ---- loops ---- */

typedef struct target { /* an array that elements are put into ("=") or added to ("+=") */
    const char            *name, *sign;
    const heft_graph_node *as;    /* its entries are those of such a node, */
    size_t                 first; /* from here on */
} target;

typedef struct range { /* rows; none: i is the row already */
    size_t lo, hi;
} range;

static range all_rows(const writer *w, size_t k)
{
    return (range){0, w->g->node[k].rows};
}

/* Loops over the elements of some rows of node k. */
static void put_loop(writer *w, size_t k, range rows, const target *to, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    const spot             column = {"c", true};
    const place            at = {{"i", false}, node->columns > 1 ? column : FIRST};
    HEFT_SIDE_TEXT(value, out);
    w->n_known = w->by_row.length = w->by_column.length = 0;
    put_value(w, k, at, &value);
    if (rows.hi && node->rows > 1)
        heft_put(out, "    for (i = %z; i < %z; i++) ", rows.lo, rows.hi);
    else heft_put(out, "    ");
    heft_put(out, "{\n%s", heft_buf_string(&w->by_row));
    if (node->columns > 1) heft_put(out, "        for (c = 0; c < %z; c++) {\n", node->columns);
    heft_put(out, "%s            %s", heft_buf_string(&w->by_column), to->name);
    put_index(to->as, to->first, &at, out);
    heft_put(out, " %s %s;\n", to->sign, heft_buf_string(&value));
    if (node->columns > 1) heft_put(out, "        }\n");
    heft_put(out, "    }\n");
    out->failed |= w->by_row.failed || w->by_column.failed;
}

typedef struct ordered { /* the rows of a sum in their order: row[k] of part[k] */
    const size_t *parts; /* nodes */
    size_t        n_parts, n, *part, *row;
    size_t        mixed; /* rows in the lists of constants so far */
} ordered;

/* How many rows from row k on follow each other in one part. */
static size_t run_of(const ordered *of, size_t k)
{
    size_t n = 1;
    while (k + n < of->n && of->part[k + n] == of->part[k] && of->row[k + n] == of->row[k] + n) n++;
    return n;
}

/* n rows of changing parts: the part and the row of each are in lists. */
static void put_mixed(writer *w, size_t sum, ordered *of, size_t n, const target *to, heft_buf *out)
{
    heft_put(out,
             "    for (k = %z; k < %z; k++) {\n    i = row_%z[k];\n    switch (part_%z[k]) {\n",
             of->mixed, of->mixed + n, sum, sum);
    for (size_t m = 0; m < of->n_parts; m++) {
        heft_put(out, m + 1 < of->n_parts ? "    case %z:\n" : "    default:\n", m);
        put_loop(w, of->parts[m], (range){0}, to, out);
        heft_put(out, "    break;\n");
    }
    heft_put(out, "    }\n    }\n");
    of->mixed += n;
}

/* The parts of a sum that are joined, in an order that may mix them. Long runs are loops. */
static heft_status put_parts(writer *w, const heft_graph_node *join, const heft_graph_node *order,
                             size_t sum, const target *to, heft_buf *out)
{
    ordered of = {.parts = join->list, .n_parts = join->n_in, .n = join->rows};
    size_t *list[2], n = 0, begin = 0; /* begin: the first row that is not written yet */
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, of.n, of.part, of.row, list[0], list[1]);
    for (size_t i = 0; i < of.n; i++) {
        of.row[i] = order ? order->list[i] : i;
        while (of.row[i] >= w->g->node[join->list[of.part[i]]].rows)
            of.row[i] -= w->g->node[join->list[of.part[i]++]].rows;
    }
    for (size_t k = 0; k <= of.n;) {
        const size_t run = k < of.n ? run_of(&of, k) : 0;
        if (k < of.n && run < RUN && order) {
            for (size_t m = k; m < k + run; m++, n++)
                list[0][n] = of.part[m], list[1][n] = of.row[m];
            k += run;
            continue;
        }
        if (k > begin) put_mixed(w, sum, &of, k - begin, to, out);
        if (k == of.n) break;
        put_loop(w, join->list[of.part[k]], (range){of.row[k], of.row[k] + run}, to, out);
        begin = k += run;
    }
    if (n == 0) return HEFT_OK;
    put_counts(w, "part", sum, list[0], n, heft_count_list);
    put_counts(w, "row", sum, list[1], n, heft_count_list);
    return HEFT_OK;
}

static heft_status put_sum(writer *w, size_t k, const char *name, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k], *from = &w->g->node[node->in[0]];
    const heft_graph_node *order = NULL;
    const target           to = {name, "+=", node, w->first[k]};
    HEFT_SIDE_TEXT(start, out);
    if (node->numbers) {
        HEFT_CHECK(give(w, k));
        heft_put(&start, "number_%z[c]", k); /* columns are counted even if there is one */
    }
    heft_put(out, "    for (c = 0; c < %z; c++) %s", node->columns, name);
    put_index(node, w->first[k], &(place){FIRST, {"c", true}}, out);
    heft_put(out, " = %s;\n", node->numbers ? heft_buf_string(&start) : "0");
    if (from->op == HEFT_OP_PICK && w->g->node[from->in[0]].op == HEFT_OP_JOIN &&
        !w->stored[from->in[0]]) {
        order = from;
        from = &w->g->node[from->in[0]];
    }
    if (from->op == HEFT_OP_JOIN && !w->stored[from - w->g->node])
        return put_parts(w, from, order, k, &to, out);
    put_loop(w, node->in[0], all_rows(w, node->in[0]), &to, out);
    return HEFT_OK;
}

/* Writes a text in which # stands for the number of node k. */
static void put_numbered(size_t k, const char *text, heft_buf *out)
{
    for (; *text; text++) {
        if (*text == '#') heft_put(out, "%z", k);
        else heft_buf_add(out, text, 1);
    }
}

/* Follows the splits of each tree. Leaves are numbered through all trees. */
static void put_leaves(writer *w, size_t k, heft_buf *out)
{
    static const char begin[] = /* one of n leaves from `at` on */
        "        for (i = 0; i < n_#; i++) {\n"
        "            long s = first, n = leaves_#[i], at = leaf;\n"
        "            while (n > 1) {\n"
        "                int left = own[split_#[s].code] < (long)split_#[s].at;\n";
    static const char lists[] =
        "                if (split_#[s].n_listed) left = 0;\n"
        "                for (k = 0; k < split_#[s].n_listed; k++)\n"
        "                    left |= listed_#[split_#[s].at + k] == own[split_#[s].code];\n";
    static const char      end[] = "                if (left) {\n"
                                   "                    n = split_#[s++].left;\n"
                                   "                } else {\n"
                                   "                    at += split_#[s].left;\n"
                                   "                    n -= split_#[s].left;\n"
                                   "                    s += split_#[s].left;\n"
                                   "                }\n"
                                   "            }\n"
                                   "            v#[i] = at;\n"
                                   "            first += leaves_#[i] - 1;\n"
                                   "            leaf += leaves_#[i];\n"
                                   "        }\n"
                                   "    }\n";
    const heft_graph_node *node = &w->g->node[k];
    const heft_leaf_rule  *rule = node->rule;
    size_t                 n_codes = 0;
    bool                   some = false;
    for (size_t s = 0; s < rule->n_splits; s++) {
        if (rule->split[s].from >= n_codes) n_codes = rule->split[s].from + 1;
        some |= rule->split[s].n_listed > 0;
    }
    heft_put(out,
             "    {\n        enum { n_%z = %z };\n        long own[%z], first = 0, leaf = 0;\n"
             "        for (i = 0; i < %z; i++) own[i] = ",
             k, node->rows, n_codes ? n_codes : 1, n_codes);
    put_value(w, node->in[0], (place){{"i", false}, FIRST}, out);
    put_numbered(k, " == missing_#[2 * i] ? missing_#[2 * i + 1] : ", out);
    put_value(w, node->in[0], (place){{"i", false}, FIRST}, out);
    heft_put(out, ";\n");
    put_numbered(k, begin, out);
    if (some) put_numbered(k, lists, out);
    put_numbered(k, end, out);
}

/* The statement that gives each row of a node its value; the text of the value comes next. */
static void put_rows(const heft_graph_node *node, const char *name, size_t first, heft_buf *out)
{
    heft_put(out, "    for (i = 0; i < %z; i++) %s[", node->rows, name);
    if (first) heft_put(out, "%z + ", first);
    heft_put(out, "i] = ");
}

/* Numbers and codes of the row, and codes of these. */
static heft_status put_cells(writer *w, size_t k, const char *name, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    place                  from = {{"i", false}, FIRST};
    put_rows(node, name, w->first[k], out);
    if (node->op == HEFT_OP_CUT || node->op == HEFT_OP_CELL) HEFT_CHECK(give(w, k));
    if (node->op == HEFT_OP_CUT) {
        if (!is_identity(node->rule, node->rows, heft_count_cut_from))
            (void)snprintf(from.row.text, INDEX, "from_%zu[i]", k);
        heft_put(out, "interval(number_%z + at_%z[i], at_%z[i + 1] - at_%z[i], ", k, k, k, k);
        put_value(w, node->in[0], from, out);
        heft_put(out, ");\n");
        return HEFT_OK;
    }
    if (node->op == HEFT_OP_CELL) {
        static const char *const members[] = {"a", "b"};
        heft_put(out, "cell_of(&pair_%z[i], ", k);
        if (w->has[HAS_KEYS]) heft_put(out, "key_%z, ", k);
        for (size_t m = 0; m < 2; m++) {
            heft_put(out, "%smap_%z[pair_%z[i].map_%s + ", m ? ", " : "", k, k, members[m]);
            (void)snprintf(from.row.text, INDEX, "pair_%zu[i].%s", k, members[m]);
            put_value(w, node->in[0], from, out);
            heft_put(out, "]");
        }
        heft_put(out, ");\n");
        return HEFT_OK;
    }
    const spot attr = {"i", false}, cell = listed_spot(w, k, &attr, node->rows);
    if (node->op == HEFT_OP_CODES) {
        heft_put(out, "known_code(&attributes[%s], codes[%s]);\n", cell.text, cell.text);
        return HEFT_OK;
    }
    HEFT_CHECK(give(w, k));
    if (heft_fills(node)) heft_put(out, "isnan(numbers[%s]) ? number_%z[i] : ", cell.text, k);
    heft_put(out, "numbers[%s];\n", cell.text);
    return HEFT_OK;
}

/* ---- nodes ---- */

/* The first entry of a stored node, as an argument. */
static void put_address(const writer *w, size_t k, heft_buf *out)
{
    heft_put(out, "v%z", w->array[k]);
    if (w->first[k]) heft_put(out, " + %z", w->first[k]);
}

/* Writes the statements that compute a stored node. */
static heft_status put_node(writer *w, size_t k, heft_buf *out)
{
    const heft_graph_node *node = &w->g->node[k];
    HEFT_SIDE_TEXT(array, out);
    heft_put(&array, "v%z", w->array[k]);
    const char *name = heft_buf_string(&array);
    target      to = {name, "=", node, w->first[k]};
    switch (node->op) {
    case HEFT_OP_NUMBERS:
    case HEFT_OP_CODES:
    case HEFT_OP_CUT:
    case HEFT_OP_CELL:
        return put_cells(w, k, name, out);
    case HEFT_OP_LEAF:
        HEFT_CHECK(give(w, k));
        put_leaves(w, k, out);
        return HEFT_OK;
    case HEFT_OP_SUM:
        return put_sum(w, k, name, out);
    case HEFT_OP_UNIT:
    case HEFT_OP_SOFTMAX:
        heft_put(out, node->op == HEFT_OP_UNIT ? "    to_unit_length(" : "    softmax(");
        put_address(w, node->in[0], out);
        heft_put(out, ", %z, ", node->rows * node->columns);
        put_address(w, k, out);
        heft_put(out, ");\n");
        return HEFT_OK;
    case HEFT_OP_LOG_SUM:
        heft_put(out, "    for (c = 0; c < %z; c++) %s", node->columns, name);
        put_index(node, w->first[k], &(place){FIRST, {"c", true}}, out);
        heft_put(out, " = log_sum(");
        put_address(w, node->in[0], out);
        heft_put(out, " + c, %z, %z);\n", w->g->node[node->in[0]].rows, node->columns);
        return HEFT_OK;
    case HEFT_OP_JOIN:
        for (size_t m = 0; m < node->n_in; m++) {
            const size_t          part = node->list[m];
            const heft_graph_node shape = {.rows = node->rows, .columns = node->columns};
            const bool            here =
                w->stored[part] && w->array[part] == w->array[k] && w->first[part] == to.first;
            to.as = &shape;
            if (!here) put_loop(w, part, all_rows(w, part), &to, out);
            to.first += w->g->node[part].rows * node->columns;
        }
        return HEFT_OK;
    default: /* an operator on elements, or one that moves them */
        w->stored[k] = false;
        put_loop(w, k, all_rows(w, k), &to, out);
        w->stored[k] = true;
        return HEFT_OK;
    }
}

/* ---- what to store ---- */

static bool reads_array(heft_op op)
{
    return op == HEFT_OP_UNIT || op == HEFT_OP_LOG_SUM || op == HEFT_OP_SOFTMAX ||
           op == HEFT_OP_DECIDE;
}

static bool is_array(heft_op op)
{
    return op == HEFT_OP_NUMBERS || op == HEFT_OP_CODES || op == HEFT_OP_CUT ||
           op == HEFT_OP_CELL || op == HEFT_OP_LEAF || op == HEFT_OP_SUM || op == HEFT_OP_UNIT ||
           op == HEFT_OP_LOG_SUM || op == HEFT_OP_SOFTMAX;
}

/* Marks what is needed and what is stored. A join that only sums read is not; one that another
 * operator reads is, and so is what it reads through operators that choose rows. */
static void find_stored(writer *w)
{
    const heft_graph *g = w->g;
    w->live[g->probabilities] = w->live[g->decision] = true;
    for (size_t k = g->n; k > 0; k--) {
        const heft_graph_node *node = &g->node[k - 1];
        if (!w->live[k - 1]) continue;
        w->stored[k - 1] |= is_array(node->op);
        for (size_t m = 0; m < node->n_in; m++) {
            const size_t           in = heft_input(node, m);
            const heft_graph_node *from = &g->node[in];
            const bool             joined =
                from->op == HEFT_OP_JOIN ||
                (from->op == HEFT_OP_PICK && g->node[from->in[0]].op == HEFT_OP_JOIN);
            w->live[in] = true;
            if (from->op == HEFT_OP_CONST && !reads_array(node->op)) continue;
            if (reads_array(node->op) || has_absent(node)) w->stored[in] = true;
            if (joined && node->op != HEFT_OP_SUM && node->op != HEFT_OP_PICK)
                w->stored[from->op == HEFT_OP_JOIN ? in : from->in[0]] = true;
            if (joined && node->op == HEFT_OP_PICK && w->stored[k - 1])
                w->stored[from->op == HEFT_OP_JOIN ? in : from->in[0]] = true;
        }
    }
    w->stored[g->decision] = false;
    if (g->node[g->decision].in[0] == g->probabilities && !is_array(g->node[g->probabilities].op))
        w->stored[g->probabilities] = false; /* it is the caller's array */
}

/* Parts of a stored join are computed in its array. */
static void find_arrays(writer *w)
{
    for (size_t k = 0; k < w->g->n; k++) w->array[k] = k;
    for (size_t k = w->g->n; k > 0; k--) {
        const heft_graph_node *join = &w->g->node[k - 1];
        size_t                 first = w->first[k - 1];
        if (join->op != HEFT_OP_JOIN || !w->stored[k - 1]) continue;
        for (size_t m = 0; m < join->n_in; m++) {
            const size_t part = join->list[m];
            if (w->stored[part] && w->array[part] == part) {
                w->array[part] = w->array[k - 1];
                w->first[part] = first;
            }
            first += w->g->node[part].rows * join->columns;
        }
    }
}

static void note_operators(writer *w)
{
    for (size_t k = 0; k < w->g->n; k++) {
        const heft_graph_node *node = &w->g->node[k];
        const heft_cell_rule  *cell = node->op == HEFT_OP_CELL ? node->rule : NULL;
        if (!w->live[k]) continue;
        w->has[HAS_UNIT] |= node->op == HEFT_OP_UNIT;
        w->has[HAS_SCALE] |= node->op == HEFT_OP_SCALE;
        w->has[HAS_CUT] |= node->op == HEFT_OP_CUT;
        w->has[HAS_CELL] |= node->op == HEFT_OP_CELL;
        w->has[HAS_KERNEL] |= node->op == HEFT_OP_KERNEL;
        w->has[HAS_LOG_SUM] |= node->op == HEFT_OP_LOG_SUM;
        w->has[HAS_CODES] |= node->op == HEFT_OP_CODES;
        if (cell)
            for (size_t i = 0; i < node->rows; i++) w->has[HAS_KEYS] |= cell[i].key != NULL;
    }
}

static void put_decision(writer *w, heft_buf *out)
{
    const heft_graph_node *rule = &w->g->node[w->g->decision];
    if (rule->decide == HEFT_FROM_THRESHOLD) {
        heft_put(out, "    return proba[%z] >= ", rule->chosen);
        put_real(w, out, rule->one);
        heft_put(out, " ? %z : %z;\n", rule->chosen, 1 - rule->chosen);
        return;
    }
    HEFT_SIDE_TEXT(array, out);
    if (w->stored[rule->in[0]]) put_address(w, rule->in[0], &array);
    else heft_put(&array, "proba");
    const char *x = heft_buf_string(&array);
    heft_put(out,
             "    for (k = 0, c = 1; c < %z; c++)\n        if ((%s)[c] %s (%s)[k]) k = c;\n"
             "    return (int)k;\n",
             w->g->node[rule->in[0]].columns, x, rule->decide == HEFT_LARGEST ? ">" : "<", x);
}

/* Writes the body of the function that predicts, and the constants that it needs. */
static heft_status put_code(writer *w)
{
    const heft_graph *g = w->g;
    heft_buf         *out = &w->part[PUT_CODE];
    find_stored(w);
    find_arrays(w);
    note_operators(w);
    for (size_t k = 0; k < g->n; k++)
        if (w->live[k] && w->stored[k] && w->array[k] == k)
            heft_put(out, "    %s v%z[%z];\n", g->node[k].codes ? "long" : "double", k,
                     g->node[k].rows * g->node[k].columns);
    heft_put(out,
             "    double own[N_CLASS];\n    long i = 0, c = 0, k = 0;\n    if (!proba) proba = "
             "own;\n");
    for (size_t k = 0; k < g->n; k++) {
        if (w->live[k] && w->stored[k]) HEFT_CHECK(put_node(w, k, out));
        if (k % 64 == 0) HEFT_CHECK(heft_check_cancel(w->ctx));
        if (k == g->probabilities)
            put_loop(w, k, all_rows(w, k), &(target){"proba", "=", &g->node[k], 0}, out);
    }
    heft_put(out, "    (void)i;\n    (void)k;\n    (void)numbers;\n    (void)codes;\n");
    put_decision(w, out);
    return HEFT_OK;
}

/* ---- names ---- */

static heft_buf *next(heft_buf *to, const char *between)
{
    if (to->length) heft_buf_text(to, between);
    return to;
}

static void add_string(writer *w, const char *text)
{
    heft_buf *buf = next(&w->part[PUT_TEXTS], ",\n    ");
    w->n_texts++;
    heft_buf_text(buf, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s < 0x20 || *s >= 0x7f) heft_buf_printf(buf, "\\%03o", (unsigned)*s);
        else if (*s == '"' || *s == '\\' || *s == '?') heft_buf_printf(buf, "\\%c", *s);
        else heft_buf_add(buf, (const char *)s, 1);
    }
    heft_buf_text(buf, "\"");
}

static void add_attribute(writer *w, size_t j)
{
    const heft_attr_prep *a = &w->prep->attr[j];
    const bool            nominal = a->kind == HEFT_NOMINAL;
    w->has[nominal ? HAS_NOMINAL : HAS_NUMBERS] = true;
    heft_put(next(&w->part[PUT_ATTRIBUTES], ",\n    "), "{%z, %z, %z, %z, %z}", (size_t)nominal,
             nominal ? w->n_texts : 0, nominal ? heft_dict_size(a->dict) : 0,
             nominal ? heft_code_missing(a) : 0, nominal ? heft_code_unseen(w->prep, j) : 0);
    if (nominal)
        for (uint32_t v = 0; v < heft_dict_size(a->dict); v++)
            add_string(w, heft_dict_text(a->dict, v));
}

/* Adds a struct that has a member for each attribute. */
static heft_status add_row(writer *w)
{
    heft_status st = HEFT_OK;
    heft_dict  *taken;
    char       *name;
    HEFT_CHECK(heft_dict_create(w->ctx, &taken));
    for (size_t j = 0; j < w->prep->n_attr; j++) {
        const bool nominal = w->prep->attr[j].kind == HEFT_NOMINAL;
        HEFT_TRY(heft_c_member(w->ctx, w->prep->attr[j].name, taken, &name));
        heft_put(next(&w->part[PUT_ROW_MEMBERS], "\n"), "    %s%s;",
                 nominal     ? "const char *"
                 : w->single ? "float "
                             : "double ",
                 name);
        heft_buf *cell = next(&w->part[PUT_ROW_CELLS], "\n    ");
        if (nominal) heft_put(cell, "codes[%z] = MODEL_NAME(code)(%z, row->%s);", j, j, name);
        else heft_put(cell, "numbers[%z] = row->%s;", j, name);
    }
    if (w->prep->n_attr == 0) heft_put(&w->part[PUT_ROW_MEMBERS], "    char none;");
done:
    heft_dict_free(taken);
    return st;
}

static heft_status add_names(writer *w, const char *header)
{
    static const char *const decisions[] = {[HEFT_MOST_PROBABLE] = "the most likely one",
                                            [HEFT_THRESHOLD] =
                                                "one of the two from a certain probability on",
                                            [HEFT_LEAST_COST] = "the one of least expected cost"};
    const heft_model        *model = w->g->terms->model;
    const char              *slash = header ? strrchr(header, '/') : NULL;
    char                    *prefix = (char[]){"model_"};
    w->has[HAS_HEADER] = header;
    w->has[HAS_ATTRS] = w->prep->n_attr > 0;
    if (header) {
        HEFT_CHECK(heft_c_prefix(w->ctx, header, &prefix));
        heft_put(&w->part[PUT_HEADER], "%s", slash ? slash + 1 : header);
        for (const char *at = prefix; *at; at++)
            heft_put(&w->part[PUT_GUARD], "%c", *at >= 'a' && *at <= 'z' ? *at - 32 : *at);
        heft_put(&w->part[PUT_GUARD], "H");
    }
    heft_put(&w->part[PUT_PREFIX], "%s", prefix);
    heft_put(&w->part[PUT_REAL], w->single ? "float" : "double");
    heft_put(&w->part[PUT_METHOD], "%s", model->method->name);
    heft_put(&w->part[PUT_TITLE], "%s", model->method->title);
    heft_put(&w->part[PUT_VERSION], "%s", HEFT_VERSION);
    heft_put(&w->part[PUT_N_ATTR], "%z", w->prep->n_attr);
    heft_put(&w->part[PUT_N_CLASS], "%z", w->g->terms->n_class);
    heft_put(&w->part[PUT_DECISION], "%s", decisions[model->decision.kind]);
    for (size_t c = 0; c < w->g->terms->n_class; c++)
        add_string(w, heft_class_name(w->g->terms, c));
    for (size_t j = 0; j < w->prep->n_attr; j++) add_string(w, w->prep->attr[j].name);
    for (size_t j = 0; j < w->prep->n_attr; j++) add_attribute(w, j);
    return add_row(w);
}

/* ---- the file ---- */

/* Returns which of n names `text` begins with, n for none; *end is set behind it. */
static size_t name_at(const char *const *names, size_t n, const char *text, const char **end)
{
    const size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    *end = text + length;
    for (size_t k = 0; k < n; k++)
        if (strlen(names[k]) == length && memcmp(names[k], text, length) == 0) return k;
    return n;
}

/* Whether the condition of an #if line holds, as HAS_A && !HAS_B. */
static bool holds(const writer *w, const char *line)
{
    while ((line = strstr(line, "HAS_"))) {
        const bool without = line[-1] == '!';
        if (w->has[name_at(FLAG_NAMES, N_FLAGS, line + 4, &line)] == without) return false;
    }
    return true;
}

static void put_text(const writer *w, const char *text, size_t length, heft_buf *out)
{
    if (w->single) heft_c_single(out, text, length);
    else heft_buf_add(out, text, length);
}

static void put_line(writer *w, const char *line, heft_buf *out)
{
    for (const char *at; (at = strchr(line, '$'));) {
        put_text(w, line, (size_t)(at - line), out);
        const size_t k = name_at(PART_NAMES, N_PARTS, at + 1, &line);
        const char  *text = heft_buf_string(&w->part[k]);
        if (k == PUT_CODE || k == PUT_DATA) put_text(w, text, strlen(text), out);
        else heft_buf_text(out, text);
    }
    put_text(w, line, strlen(line), out);
}

/* Writes the template without the parts whose condition does not hold, and with its $NAMES filled
 * in. */
static void put_file(writer *w, const char *const *template, heft_buf *out)
{
    size_t depth = 0, skip = 0; /* how many conditions are open; which of them does not hold */
    for (const char *const *at = template; *at; at++) {
        const char *line = *at;
        if (strncmp(line, "#if ", 4) == 0) {
            depth++;
            if (!skip && !holds(w, line)) skip = depth;
        } else if (strcmp(line, "#else\n") == 0) {
            skip = skip == 0 ? depth : skip == depth ? 0 : skip;
        } else if (depth && strcmp(line, "#endif\n") == 0) {
            if (skip == depth) skip = 0;
            depth--;
        } else if (!skip && strncmp(line, "//", 2) != 0) {
            put_line(w, line, out);
        }
    }
}

static heft_status fill_in(writer *w, const heft_export_options *how)
{
    const size_t n = w->g->n;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, w->live, w->stored, w->given);
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n, w->array, w->first);
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, w->known, n);
    HEFT_CHECK(add_names(w, how->header));
    return put_code(w);
}

static heft_status write_template(heft_ctx *ctx, const heft_terms *t,
                                  const heft_export_options *how, const char *const *template,
                                  heft_buf                  *out)
{
    heft_graph g;
    writer     w = {.ctx = ctx, .g = &g, .prep = &t->model->prep, .single = how->single};
    HEFT_CHECK(heft_graph_lower(ctx, t, 0, &g));
    const heft_status st = fill_in(&w, how);
    for (size_t k = 0; k <= N_PARTS; k++) out->failed |= w.part[k].failed;
    out->failed |= w.by_row.failed || w.by_column.failed;
    if (st == HEFT_OK && !out->failed) put_file(&w, template, out);
    for (size_t k = 0; k <= N_PARTS; k++) heft_buf_clear(&w.part[k]);
    heft_buf_clear(&w.by_row);
    heft_buf_clear(&w.by_column);
    return st;
}

static heft_status write_c(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                           heft_buf *out)
{
    return write_template(ctx, t, how, heft_reader, out);
}

static heft_status write_header(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                                heft_buf *out)
{
    return write_template(ctx, t, how, heft_reader_header, out);
}

const heft_export heft_export_c = {
    .info = {.name = "c", .ending = ".c", .about = "one C99 file that scores rows without heft"},
    .takes = HEFT_EXPORT_HEADER | HEFT_EXPORT_SINGLE,
    .write = write_c,
    .write_header = write_header,
};
