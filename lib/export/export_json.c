/* export_json.c - a model as JSON: what inspect prints, and "score", the score graph (graph.h).
 *
 * "nodes" has an object for each node, in the order in which they are computed, and "rules" says in
 * words what the operators do, so that the file needs no other document. Matrices and tables are
 * flat lists, row by row. tests/cli/json_scorer.py scores rows by such a file alone. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "export/export.h"
#include "export/graph_counts.h"

enum { VERSION = 2 }; /* 1 listed the terms of a model, with their densities and trees */

extern const char *const heft_json_rules[]; /* the lines of rules.txt, then NULL */

/* A list of n counts; SIZE_MAX is null. */
static void put_counts(heft_buf *out, const char *name, const void *from, size_t n,
                       heft_rule_count *get)
{
    heft_put(out, ", \"%s\": [", name);
    for (size_t k = 0; k < n; k++) {
        heft_put(out, k ? "," : "");
        if (get(from, k) == SIZE_MAX) heft_put(out, "null");
        else heft_put(out, "%z", get(from, k));
    }
    heft_put(out, "]");
}

static void put_numbers(heft_buf *out, const char *before, const double *x, size_t n)
{
    heft_put(out, "%s[", before);
    for (size_t k = 0; k < n; k++) heft_put(out, k ? ",%n" : "%n", x[k]);
    heft_put(out, "]");
}

/* ---- rules ---- */

static void put_cuts(const heft_graph_node *node, heft_buf *out)
{
    const heft_cut_rule *rule = node->rule;
    put_counts(out, "from", rule, node->rows, heft_count_cut_from);
    heft_put(out, ", \"cuts\": [");
    for (size_t i = 0; i < node->rows; i++)
        put_numbers(out, i ? ",\n     " : "", rule[i].cuts, rule[i].n_cuts);
    heft_put(out, "]");
}

/* Maps that pairs share are written once. */
static heft_status put_cells(heft_ctx *ctx, const heft_graph_node *node, heft_buf *out)
{
    const heft_cell_rule *rule = node->rule;
    const uint32_t      **map;
    size_t                n_maps = 0, own[2];
    HEFT_SIDE_TEXT(maps, out);
    HEFT_ALLOC(ctx, &ctx->scratch, map, 2 * node->rows);
    heft_put(out, ", \"cells\": [");
    for (size_t i = 0; i < node->rows; i++) {
        for (size_t m = 0; m < 2; m++) {
            own[m] = 0;
            while (own[m] < n_maps && map[own[m]] != rule[i].map[m]) own[m]++;
            if (own[m] < n_maps) continue;
            map[n_maps++] = rule[i].map[m];
            for (size_t v = 0; v < rule[i].n_codes[m]; v++)
                heft_put(&maps, "%s%z",
                         v            ? ","
                         : n_maps > 1 ? "],["
                                      : "",
                         (size_t)rule[i].map[m][v]);
        }
        heft_put(out, "%s{\"from\": [%z,%z], \"maps\": [%z,%z], \"times\": %z", i ? ",\n     " : "",
                 rule[i].from[0], rule[i].from[1], own[0], own[1], rule[i].times);
        if (rule[i].key) put_counts(out, "keys", rule[i].key, rule[i].n_cells, heft_count_key);
        heft_put(out, "}");
    }
    heft_put(out, "], \"maps\": [[%s]]", heft_buf_string(&maps));
    return HEFT_OK;
}

/* A split: the row of its code, the codes that go left (those below a number, one more, or a list),
 * and how many leaves are to its left. */
static void put_leaves(const heft_graph_node *node, heft_buf *out)
{
    const heft_leaf_rule *rule = node->rule;
    put_counts(out, "leaves", rule, node->rows, heft_count_leaves);
    heft_put(out, ", \"splits\": [");
    for (size_t k = 0; k < rule->n_splits; k++) {
        const heft_graph_split *s = &rule->split[k];
        heft_put(out, "%s[%z,%z,",
                 k == 0   ? ""
                 : k % 16 ? ","
                          : ",\n     ",
                 (size_t)s->from, (size_t)s->left);
        if (s->n_listed) {
            for (size_t v = 0; v < s->n_listed; v++)
                heft_put(out, v ? ",%z" : "[%z", (size_t)s->listed[v]);
            heft_put(out, "]]");
        } else {
            heft_put(out, "%z", (size_t)s->below);
            if (s->also != UINT32_MAX) heft_put(out, ",%z", (size_t)s->also);
            heft_put(out, "]");
        }
    }
    heft_put(out, "]");
}

static void put_tables(const heft_graph_node *node, heft_buf *out)
{
    const heft_lookup_rule *rule = node->rule;
    put_counts(out, "from", rule, node->rows, heft_count_lookup_from);
    heft_put(out, ", \"tables\": [");
    for (size_t i = 0; i < node->rows; i++)
        put_numbers(out, i ? ",\n     " : "", rule[i].table, rule[i].n_lines * node->columns);
    heft_put(out, "]");
}

static void put_kernels(const heft_graph_node *node, heft_buf *out)
{
    const heft_kernel_rule *rule = node->rule;
    heft_put(out, ", \"kernels\": [");
    for (size_t k = 0; k < node->rows * node->columns; k++) {
        heft_put(out, "%s{\"width\": %n, ", k ? ",\n     " : "", rule[k].width);
        put_numbers(out, "\"points\": ", rule[k].point, rule[k].n);
        put_numbers(out, ", \"log_mass\": ", rule[k].log_mass, rule[k].n);
        heft_put(out, "}");
    }
    heft_put(out, "]");
}

static void put_decision(const heft_graph_node *node, heft_buf *out)
{
    static const char *const names[] = {[HEFT_LARGEST] = "largest",
                                        [HEFT_SMALLEST] = "smallest",
                                        [HEFT_FROM_THRESHOLD] = "threshold"};
    heft_put(out, ", \"rule\": \"%s\"", names[node->decide]);
    if (node->decide == HEFT_FROM_THRESHOLD)
        heft_put(out, ", \"class\": %z, \"threshold\": %n", node->chosen, node->one);
}

/* ---- nodes ---- */

/* What a node has beside its inputs. */
static heft_status put_content(heft_ctx *ctx, const heft_graph_node *node, heft_buf *out)
{
    const size_t n = node->rows * node->columns;
    switch (node->op) {
    case HEFT_OP_NUMBERS:
        put_counts(out, "attributes", node->list, n, heft_count_list);
        if (heft_fills(node)) put_numbers(out, ", \"fill\": ", node->numbers, n);
        break;
    case HEFT_OP_CODES:
        put_counts(out, "attributes", node->list, n, heft_count_list);
        break;
    case HEFT_OP_CONST:
        put_numbers(out, ", \"numbers\": ", node->numbers ? node->numbers : &node->one, n);
        break;
    case HEFT_OP_SCALE:
        put_numbers(out, ", \"shift\": ", node->numbers, n);
        put_numbers(out, ", \"factor\": ", node->numbers + n, n);
        break;
    case HEFT_OP_CUT:
        put_cuts(node, out);
        break;
    case HEFT_OP_CELL:
        return put_cells(ctx, node, out);
    case HEFT_OP_LEAF:
        put_leaves(node, out);
        break;
    case HEFT_OP_LOOKUP:
        put_tables(node, out);
        break;
    case HEFT_OP_KERNEL:
        put_kernels(node, out);
        break;
    case HEFT_OP_PICK:
        put_counts(out, "rows", node->list, node->rows, heft_count_list);
        break;
    case HEFT_OP_COLUMNS:
        put_counts(out, "columns", node->list, node->columns, heft_count_list);
        break;
    case HEFT_OP_GATHER:
        put_counts(out, "rows", node->list, n, heft_count_list);
        break;
    case HEFT_OP_SUM:
        if (node->numbers) put_numbers(out, ", \"start\": ", node->numbers, n);
        break;
    case HEFT_OP_DECIDE:
        put_decision(node, out);
        break;
    default:
        break;
    }
    return HEFT_OK;
}

static heft_status put_nodes(heft_ctx *ctx, const heft_graph *g, heft_buf *out)
{
    heft_put(out, ",\n  \"nodes\": [");
    for (size_t k = 0; k < g->n; k++) {
        const heft_graph_node *node = &g->node[k];
        heft_put(out, "%s\n   {\"op\": \"", k ? "," : "");
        heft_put_op(out, node->op);
        heft_put(out, "\", \"size\": [%z,%z]", node->rows, node->columns);
        if (node->n_in)
            put_counts(out, "in", node->op == HEFT_OP_JOIN ? node->list : node->in, node->n_in,
                       heft_count_list);
        HEFT_CHECK(put_content(ctx, node, out));
        heft_put(out, "}");
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    heft_put(out, "]");
    return HEFT_OK;
}

/* ---- around the nodes ---- */

/* Writes what the operators of the graph do: lines of rules.txt, or the C of graph_ops.def. */
static void put_rules(const heft_graph *g, heft_buf *out)
{
    bool used[HEFT_N_OPS] = {0};
    heft_put(out, ",\n  \"rules\": [");
    for (size_t k = 0; k < g->n; k++) used[g->node[k].op] = true;
    for (const char *const *line = heft_json_rules; *line; line++) {
        const size_t n = strcspn(*line, ":");
        bool         wanted = strncmp(*line, "nodes", n) == 0;
        for (size_t op = 0; op < HEFT_FIRST_ELEMENT_OP; op++) {
            HEFT_SIDE_TEXT(name, out);
            heft_put_op(&name, (heft_op)op);
            wanted |=
                used[op] && name.length == n && strncmp(*line, heft_buf_string(&name), n) == 0;
        }
        if (wanted) heft_put(out, "%s\n   %j", line == heft_json_rules ? "" : ",", *line);
    }
    for (size_t op = HEFT_FIRST_ELEMENT_OP; op < HEFT_N_OPS; op++) {
        HEFT_SIDE_TEXT(rule, out);
        heft_put_op(&rule, (heft_op)op);
        heft_put(&rule, ": %s", heft_elements[op].c);
        if (used[op]) heft_put(out, ",\n   %j", heft_buf_string(&rule));
    }
    heft_put(out, "]");
}

/* Writes where the densities of a number are, in the units of the data. */
static void put_range(const heft_terms *t, size_t j, heft_buf *out)
{
    const heft_attr_prep *a = &t->model->prep.attr[j];
    double                least = INFINITY, most = -INFINITY, lo, hi;
    for (size_t c = 0; c < t->n_class; c++)
        if (heft_term_span(&t->attr[j], c, 3, &lo, &hi)) {
            least = fmin(least, lo);
            most = fmax(most, hi);
        }
    if (least <= most)
        heft_put(out, ", \"range\": [%n,%n]", least / a->factor + a->shift,
                 most / a->factor + a->shift);
}

static void put_attributes(const heft_terms *t, heft_buf *out)
{
    const heft_prep *prep = &t->model->prep;
    heft_put(out, ",\n  \"attributes\": [");
    for (size_t j = 0; j < prep->n_attr; j++) {
        const heft_attr_prep *a = &prep->attr[j];
        heft_put(out, "%s\n   {\"name\": %j", j ? "," : "", a->name);
        if (a->kind == HEFT_NOMINAL) {
            heft_put(out, ", \"values\": [");
            for (uint32_t v = 0; v < heft_dict_size(a->dict); v++)
                heft_put(out, v ? ", %j" : "%j", heft_dict_text(a->dict, v));
            heft_put(out, "], \"missing\": %z, \"unseen\": %z", heft_code_missing(a),
                     heft_code_unseen(prep, j));
        } else if (t->attr[j].kind >= HEFT_TERM_NORMAL && t->attr[j].kind <= HEFT_TERM_KERNEL) {
            put_range(t, j, out);
        }
        heft_put(out, "}");
    }
    heft_put(out, "]");
}

/* Writes the node whose rows are what the terms add to the score, and the attributes of each. */
static void put_terms(const heft_graph *g, heft_buf *out)
{
    const heft_terms *t = g->terms;
    if (!g->line_term || t->class_pair || t->further.n) return;
    heft_put(out, ",\n  \"evidence\": %z, \"terms\": [", g->lines);
    for (size_t k = 0; k < g->node[g->lines].rows; k++) {
        const size_t term = g->line_term[k];
        heft_put(out, k ? ", " : "");
        if (term < t->n_attr) heft_put(out, "[%j]", heft_attr_name(t, term));
        else if (term == t->n_attr + t->joint.n) heft_put(out, "\"trees\"");
        else
            heft_put(out, "[%j, %j]", heft_attr_name(t, t->joint.list[term - t->n_attr].attr[0]),
                     heft_attr_name(t, t->joint.list[term - t->n_attr].attr[1]));
    }
    heft_put(out, "]");
}

static heft_status write_json(heft_ctx *ctx, const heft_terms *t, const heft_export_options *how,
                              heft_buf *out)
{
    heft_graph g;
    char      *inspected;
    (void)how;
    HEFT_CHECK(heft_graph_lower(ctx, t, HEFT_LOWER_EVIDENCE | HEFT_LOWER_SHORT, &g));
    HEFT_CHECK(heft_inspection(ctx, t->model, true, 0, &inspected));
    heft_buf_add(out, inspected, strlen(inspected) - 2); /* all but its closing brace */
    heft_free(inspected);
    heft_put(out, ",\n \"score\": {\"version\": %z", (size_t)VERSION);
    put_rules(&g, out);
    put_attributes(t, out);
    HEFT_CHECK(put_nodes(ctx, &g, out));
    heft_put(out, ",\n  \"probabilities\": %z, \"decision\": %z", g.probabilities, g.decision);
    put_terms(&g, out);
    heft_put(out, "}}\n");
    return HEFT_OK;
}

const heft_export heft_export_json = {
    .info = {.name = "json", .ending = ".json", .about = "JSON with everything that scoring needs"},
    .write = write_json,
};
