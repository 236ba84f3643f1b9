/* report_whatif.c - the score graph of an additive model (export/graph.h) as data for the script of
 * the page: nodes in JSON, and their numbers in arrays that stand in base64 (assets/graph.mjs).
 *
 * Numbers of tables are whole multiples of a power of two, in 1 to 6 bytes each. Most tables of
 * method auto are such multiples already. Others are rounded so that probabilities are exact to
 * 1e-9. All other numbers are doubles, and whole numbers take 1, 2 or 4 bytes. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "export/graph_counts.h"
#include "export/score_parts.h"
#include "pages/page.h"

enum { MANY_ATTRS = 100, MOST_BYTES = 5000000, MOST_BYTES_OF_MANY = 1000000 };
enum { MOST_WIDTH = 6, EXACT_WIDTH = 4, POWER_ZERO = 1100 }; /* bytes; what is added to powers */
static const double SCORE_ERROR = 4e-10; /* largest error of a score by the rounding of its terms */

typedef struct writer {
    const heft_page  *p;
    const heft_graph *g;
    heft_buf          nodes, arrays, bytes; /* arrays: the list of what is in bytes */
    size_t            budget;
} writer;

/* ---- arrays ---- */

static bool is_over(const writer *w)
{
    return w->bytes.length > w->budget;
}

static void put_bytes(writer *w, uint64_t x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char byte = (char)(x >> (8 * k) & 0xff);
        heft_buf_add(&w->bytes, &byte, 1);
    }
}

/* Notes an array that follows: n numbers of `size` bytes. Its name is a word and the number of its
 * node. */
static void note_array(writer *w, const char *word, size_t node, size_t size, size_t n)
{
    heft_put(&w->arrays, "%s\"%s", w->arrays.length ? "," : "", word);
    if (node != SIZE_MAX) heft_put(&w->arrays, "%z", node);
    heft_put(&w->arrays, "\":[%z,%z,%z]", size, w->bytes.length, n);
}

static void put_doubles(writer *w, const char *word, size_t node, const double *x, size_t n)
{
    note_array(w, word, node, sizeof *x, n);
    if (!is_over(w) && n) heft_buf_add(&w->bytes, (const char *)x, n * sizeof *x);
}

/* Whole numbers below 2^32; SIZE_MAX becomes the largest of its width. */
static void put_counts(writer *w, const char *word, size_t node, const void *from, size_t n,
                       heft_rule_count *get)
{
    size_t most = 0;
    for (size_t k = 0; k < n; k++)
        if (get(from, k) > most) most = get(from, k);
    const size_t width = most < 256 ? 1 : most < 65536 ? 2 : 4;
    note_array(w, word, node, width, n);
    for (size_t k = 0; k < n && !is_over(w); k++) put_bytes(w, get(from, k), width);
}

/* ---- tables ---- */

/* How the numbers of a table are written: bytes of each, and the power of two that is their unit.
 * `terms`: how many of them are added up for a row. Their errors are as good as random, so that
 * they grow with the square root of that. */
static size_t table_width(const double *x, size_t n, size_t terms, int *unit)
{
    int       most, need = 0;
    const int least = heft_unit_power(x, n, 1, &most);
    *unit = least == INT_MAX ? 0 : least;
    if (least == INT_MAX) return 1;
    if (most - least + 1 <= 8 * EXACT_WIDTH) return (size_t)(most - least + 1 + 7) / 8;
    (void)frexp(SCORE_ERROR / sqrt((double)terms + 1), &need);
    size_t width = EXACT_WIDTH;
    while (width < MOST_WIDTH && most - 8 * (int)width + 1 > need) width++;
    *unit = most - 8 * (int)width + 1;
    return width;
}

static heft_status put_tables(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_lookup_rule *rule = node->rule;
    size_t                 *width, *power, n = 0;
    HEFT_ALLOCS(w->p->ctx, &w->p->ctx->scratch, node->rows, width, power);
    for (size_t i = 0; i < node->rows; i++) {
        int          unit;
        const size_t size = rule[i].n_lines * node->columns;
        width[i] = table_width(rule[i].table, size, w->g->node[w->g->lines].rows, &unit);
        power[i] = (size_t)unit + POWER_ZERO;
        n += width[i] * size;
    }
    put_counts(w, "from", k, rule, node->rows, heft_count_lookup_from);
    put_counts(w, "size", k, rule, node->rows, heft_count_lookup_size);
    put_counts(w, "width", k, width, node->rows, heft_count_list);
    put_counts(w, "power", k, power, node->rows, heft_count_list);
    note_array(w, "table", k, 1, n);
    for (size_t i = 0; i < node->rows && !is_over(w); i++) {
        const double top = ldexp(1, 8 * (int)width[i] - 1) - 1;
        for (size_t v = 0; v < rule[i].n_lines * node->columns; v++) {
            const double x = nearbyint(ldexp(rule[i].table[v], POWER_ZERO - (int)power[i]));
            put_bytes(w, (uint64_t)(int64_t)fmin(x, top), width[i]);
        }
    }
    return HEFT_OK;
}

/* ---- nodes ---- */

/* Maps that pairs share are written once. */
static heft_status put_cells(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_cell_rule *rule = node->rule;
    const uint32_t      **map;
    size_t               *first, *at, *codes, n = 0, n_maps = 0, n_keys = 0;
    double               *key;
    for (size_t i = 0; i < node->rows; i++) {
        n += rule[i].n_codes[0] + rule[i].n_codes[1];
        if (rule[i].key) n_keys += rule[i].n_cells;
    }
    HEFT_ALLOC(w->p->ctx, &w->p->ctx->scratch, map, 2 * node->rows);
    HEFT_ALLOCS(w->p->ctx, &w->p->ctx->scratch, 2 * node->rows, first, at);
    HEFT_ALLOC(w->p->ctx, &w->p->ctx->scratch, codes, n);
    HEFT_ALLOC(w->p->ctx, &w->p->ctx->scratch, key, n_keys);
    n = n_keys = 0;
    for (size_t i = 0; i < 2 * node->rows; i++) {
        const heft_cell_rule *r = &rule[i / 2];
        size_t                same = 0;
        while (same < n_maps && map[same] != r->map[i % 2]) same++;
        if (same == n_maps) {
            map[n_maps] = r->map[i % 2];
            first[n_maps++] = n;
            for (size_t v = 0; v < r->n_codes[i % 2]; v++) codes[n++] = r->map[i % 2][v];
        }
        at[i] = first[same];
        if (i % 2 == 0 && r->key)
            for (size_t v = 0; v < r->n_cells; v++) key[n_keys++] = (double)r->key[v];
    }
    put_counts(w, "from", k, rule, 2 * node->rows, heft_count_cell_from);
    put_counts(w, "map", k, at, 2 * node->rows, heft_count_list);
    put_counts(w, "maps", k, codes, n, heft_count_list);
    put_counts(w, "times", k, rule, node->rows, heft_count_cell_times);
    put_counts(w, "size", k, rule, node->rows, heft_count_cell_size);
    put_doubles(w, "key", k, key, n_keys);
    return HEFT_OK;
}

static heft_status put_leaves(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_leaf_rule *rule = node->rule;
    size_t               *list, n = 0;
    for (size_t s = 0; s < rule->n_splits; s++) n += rule->split[s].n_listed;
    HEFT_ALLOC(w->p->ctx, &w->p->ctx->scratch, list, n);
    n = 0;
    for (size_t s = 0; s < rule->n_splits; s++)
        for (size_t v = 0; v < rule->split[s].n_listed; v++) list[n++] = rule->split[s].listed[v];
    put_counts(w, "leaves", k, rule, node->rows, heft_count_leaves);
    put_counts(w, "from", k, rule, rule->n_splits, heft_count_split_from);
    put_counts(w, "below", k, rule, rule->n_splits, heft_count_split_below);
    put_counts(w, "also", k, rule, rule->n_splits, heft_count_split_also);
    put_counts(w, "left", k, rule, rule->n_splits, heft_count_split_left);
    if (n == 0) return HEFT_OK;
    put_counts(w, "listed", k, rule, rule->n_splits, heft_count_split_listed);
    put_counts(w, "list", k, list, n, heft_count_list);
    return HEFT_OK;
}

/* Numbers of all rules of a node, one after the other: cuts, points or masses. */
static heft_status put_rule_numbers(writer *w, const char *word, size_t k,
                                    const heft_graph_node *node)
{
    const heft_cut_rule    *cut = node->op == HEFT_OP_CUT ? node->rule : NULL;
    const heft_kernel_rule *kernel = cut ? NULL : node->rule;
    const size_t            rules = node->rows * node->columns;
    size_t                  n = 0;
    double                 *x;
    for (size_t i = 0; i < rules; i++) n += cut ? cut[i].n_cuts : kernel[i].n;
    HEFT_ALLOC(w->p->ctx, &w->p->ctx->scratch, x, n);
    n = 0;
    for (size_t i = 0; i < rules; i++) {
        const size_t  size = cut ? cut[i].n_cuts : kernel[i].n;
        const double *from = cut              ? cut[i].cuts
                             : word[0] == 'm' ? kernel[i].log_mass
                                              : kernel[i].point;
        if (size) memcpy(x + n, from, size * sizeof *x);
        n += size;
    }
    put_doubles(w, word, k, x, n);
    return HEFT_OK;
}

static heft_status put_kernels(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_kernel_rule *rule = node->rule;
    const size_t            n = node->rows * node->columns;
    double                 *width;
    HEFT_ALLOC(w->p->ctx, &w->p->ctx->scratch, width, n);
    for (size_t e = 0; e < n; e++) width[e] = rule[e].n ? rule[e].width : 1;
    put_counts(w, "size", k, rule, n, heft_count_kernel_size);
    put_doubles(w, "width", k, width, n);
    HEFT_CHECK(put_rule_numbers(w, "number", k, node));
    return put_rule_numbers(w, "mass", k, node);
}

/* The codes of missing cells and of values that are not known. */
static heft_status put_codes(writer *w, size_t k, const heft_graph_node *node)
{
    const heft_prep *prep = &w->p->model->prep;
    size_t          *missing, *unseen;
    HEFT_ALLOCS(w->p->ctx, &w->p->ctx->scratch, node->rows, missing, unseen);
    for (size_t i = 0; i < node->rows; i++) {
        missing[i] = heft_code_missing(&prep->attr[node->list[i]]);
        unseen[i] = heft_code_unseen(prep, node->list[i]);
    }
    put_counts(w, "list", k, node->list, node->rows, heft_count_list);
    put_counts(w, "missing", k, missing, node->rows, heft_count_list);
    put_counts(w, "unseen", k, unseen, node->rows, heft_count_list);
    return HEFT_OK;
}

static heft_status put_content(writer *w, size_t k, const heft_graph_node *node)
{
    const size_t n = node->rows * node->columns;
    switch (node->op) {
    case HEFT_OP_NUMBERS:
        put_counts(w, "list", k, node->list, n, heft_count_list);
        put_doubles(w, "number", k, node->numbers, n);
        return HEFT_OK;
    case HEFT_OP_CODES:
        return put_codes(w, k, node);
    case HEFT_OP_CONST:
    case HEFT_OP_SUM:
        if (node->numbers) put_doubles(w, "number", k, node->numbers, n);
        return HEFT_OK;
    case HEFT_OP_SCALE:
        put_doubles(w, "number", k, node->numbers, 2 * n);
        return HEFT_OK;
    case HEFT_OP_CUT:
        put_counts(w, "from", k, node->rule, n, heft_count_cut_from);
        put_counts(w, "size", k, node->rule, n, heft_count_cut_size);
        return put_rule_numbers(w, "number", k, node);
    case HEFT_OP_CELL:
        return put_cells(w, k, node);
    case HEFT_OP_LEAF:
        return put_leaves(w, k, node);
    case HEFT_OP_LOOKUP:
        return put_tables(w, k, node);
    case HEFT_OP_KERNEL:
        return put_kernels(w, k, node);
    case HEFT_OP_PICK:
        put_counts(w, "list", k, node->list, node->rows, heft_count_list);
        return HEFT_OK;
    case HEFT_OP_COLUMNS:
        put_counts(w, "list", k, node->list, node->columns, heft_count_list);
        return HEFT_OK;
    case HEFT_OP_GATHER:
        put_counts(w, "list", k, node->list, n, heft_count_list);
        return HEFT_OK;
    default:
        return HEFT_OK;
    }
}

static heft_status put_node(writer *w, size_t k)
{
    const heft_graph_node *node = &w->g->node[k];
    heft_buf              *out = &w->nodes;
    heft_put(out, "%s{\"op\":\"", k ? "," : "");
    heft_put_op(out, node->op);
    heft_put(out, "\",\"rows\":%z,\"columns\":%z", node->rows, node->columns);
    for (size_t m = 0; m < node->n_in; m++)
        heft_put(out, m ? ",%z" : ",\"in\":[%z", heft_input(node, m));
    if (node->n_in) heft_put(out, "]");
    if (node->op == HEFT_OP_CONST && !node->numbers) heft_put(out, ",\"one\":%n", node->one);
    if (node->op == HEFT_OP_DECIDE)
        heft_put(out, ",\"rule\":%z,\"chosen\":%z,\"one\":%n", (size_t)node->decide, node->chosen,
                 node->one);
    heft_put(out, "}");
    return put_content(w, k, node);
}

/* The fraction of the training rows that have each code, by the rows of the codes of trees. */
static void put_shares(writer *w)
{
    const heft_graph *g = w->g;
    size_t            n = 0;
    if (!g->share) return;
    put_counts(w, "share_size", SIZE_MAX, g->share_size, g->n_share, heft_count_list);
    for (size_t r = 0; r < g->n_share; r++) n += g->share_size[r];
    put_doubles(w, "share", SIZE_MAX, g->share, n);
}

/* ---- the document ---- */

static void put_base64(heft_buf *out, const heft_buf *from)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = (const uint8_t *)from->data;
    for (size_t k = 0; k < from->length; k += 3) {
        const size_t   left = from->length - k;
        const uint32_t x = (uint32_t)b[k] << 16 | (left > 1 ? (uint32_t)b[k + 1] << 8 : 0) |
                           (left > 2 ? b[k + 2] : 0);
        const char four[4] = {letters[x >> 18], letters[x >> 12 & 63],
                              left > 1 ? letters[x >> 6 & 63] : '=',
                              left > 2 ? letters[x & 63] : '='};
        heft_buf_add(out, four, 4);
    }
}

/* The node that is the input of the softmax, which the probabilities come from. */
static size_t score_node(const heft_graph *g)
{
    size_t k = g->probabilities;
    while (g->node[k].op != HEFT_OP_SOFTMAX) k = g->node[k].in[0];
    return g->node[k].in[0];
}

/* The sum of the terms. */
static size_t sum_node(const heft_graph *g)
{
    size_t k = 0;
    while (g->node[k].op != HEFT_OP_SUM || g->node[k].in[0] != g->lines) k++;
    return k;
}

static void put_whole(const writer *w)
{
    const heft_graph       *g = w->g;
    const heft_calibration *c = &w->p->model->calibration;
    heft_buf               *out = w->p->out;
    heft_json_open(out, "whatif", '{');
    heft_json_put(out, "version:z one:z unit:b differences:b", (size_t)2, w->p->one,
                  w->p->model->prep.spec.scaling == HEFT_SCALE_UNIT,
                  g->line_term && g->node[g->lines].columns < g->n_kept);
    heft_json_sizes(out, "kept", g->kept, g->n_kept);
    if (c->scale) {
        heft_json_open(out, "scale", '[');
        for (size_t k = 0; k < g->n_kept; k++) heft_json_exact(out, NULL, c->scale[g->kept[k]]);
        heft_json_close(out, ']');
    }
    heft_json_put(out, "score:z probabilities:z decision:z", score_node(g), g->probabilities,
                  g->decision);
    if (g->line_term) heft_json_put(out, "lines:z sum:z", g->lines, sum_node(g));
    else heft_json_put(out, "lines:0 sum:0"); /* no value says anything */
    heft_put(out, ",\"nodes\":[%s],\"arrays\":{%s},\"bytes\":\"",
             heft_buf_string((heft_buf *)&w->nodes), heft_buf_string((heft_buf *)&w->arrays));
    put_base64(out, &w->bytes);
    heft_put(out, "\"}");
    heft_json_null(out, "whatif_note");
}

/* Lowers the model and describes its nodes; *fits is false if they are too large for a page. */
static heft_status describe(writer *w, heft_graph *g, heft_terms *t, bool *fits)
{
    heft_ctx *ctx = w->p->ctx;
    HEFT_CHECK(heft_terms_whole(ctx, w->p->model, t));
    HEFT_CHECK(heft_graph_lower(ctx, t,
                                HEFT_LOWER_DIFFERENCES | HEFT_LOWER_NO_TAIL | HEFT_LOWER_EVIDENCE |
                                    HEFT_LOWER_SHORT | HEFT_LOWER_TREE_LINES,
                                g));
    w->g = g;
    for (size_t k = 0; k < g->n && !is_over(w); k++) HEFT_CHECK(put_node(w, k));
    put_shares(w);
    *fits = !is_over(w);
    return HEFT_OK;
}

heft_status heft_report_whatif(const heft_page *p)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    heft_status st = HEFT_OK;
    bool        fits = false;
    heft_graph  g;
    heft_terms  t;
    writer      w = {.p = p, .budget = p->n_attr <= MANY_ATTRS ? MOST_BYTES : MOST_BYTES_OF_MANY};
    if (p->additive && p->n_attr && !p->bounds.values_cut && p->bounds.n_listed == p->n_attr)
        HEFT_TRY(describe(&w, &g, &t, &fits));
    if (fits) {
        put_whole(&w);
    } else {
        heft_json_null(p->out, "whatif");
        if (!p->n_attr) heft_json_text(p->out, "whatif_note", "The model has no attributes.");
        else if (!p->additive)
            heft_json_format(p->out, "whatif_note",
                             "The score of method %s is not a sum over the values of a row, so "
                             "values cannot be tried out here ({command predict} takes any row).",
                             p->model->method->name);
        else
            heft_json_format(p->out, "whatif_note",
                             "The model is too large for this page, so values cannot be tried out "
                             "here ({command predict} and {command explain} take any row).");
    }
done:
    p->out->failed |= w.nodes.failed || w.arrays.failed || w.bytes.failed;
    heft_buf_clear(&w.nodes);
    heft_buf_clear(&w.arrays);
    heft_buf_clear(&w.bytes);
    return st;
}
