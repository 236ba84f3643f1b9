/* scalars.c - a graph element by element. */
#include "export/scalars.h"

#include <math.h>
#include <string.h>

static bool moves(heft_op op)
{
    return op == HEFT_OP_JOIN || op == HEFT_OP_PICK || op == HEFT_OP_COLUMNS ||
           op == HEFT_OP_GATHER || op == HEFT_OP_TURN;
}

heft_scalar heft_scalar_at(const heft_graph *g, size_t k, size_t i, size_t c)
{
    for (;;) {
        const heft_graph_node *node = &g->node[k];
        size_t                 part = 0;
        if (node->rows == 1) i = 0;
        if (node->columns == 1) c = 0;
        if (!moves(node->op)) return (heft_scalar){k, i, c};
        k = heft_input(node, 0);
        switch (node->op) {
        case HEFT_OP_JOIN:
            while (i >= g->node[node->list[part]].rows) i -= g->node[node->list[part++]].rows;
            k = node->list[part];
            break;
        case HEFT_OP_PICK:
            i = node->list[i];
            break;
        case HEFT_OP_GATHER:
            i = node->list[i * node->columns + c];
            c = 0;
            break;
        case HEFT_OP_COLUMNS:
            if (node->list[c] == SIZE_MAX) return (heft_scalar){SIZE_MAX, 0, 0};
            c = node->list[c];
            break;
        default: /* TURN */
            part = i;
            i = c;
            c = part;
        }
    }
}

heft_scalar heft_scalar_in(const heft_graph *g, heft_scalar at, size_t k)
{
    return heft_scalar_at(g, g->node[at.node].in[k], at.row, at.column);
}

static bool is_constant(const heft_graph *g, heft_scalar at, double x)
{
    if (at.node == SIZE_MAX) return x == 0;
    return g->node[at.node].op == HEFT_OP_CONST &&
           heft_const_at(&g->node[at.node], at.row, at.column) == x;
}

bool heft_scalar_zero(const heft_graph *g, heft_scalar at)
{
    if (is_constant(g, at, 0)) return true;
    const heft_graph_node *node = &g->node[at.node];
    const heft_op          op = node->op;
    if (op == HEFT_OP_LOOKUP) {
        const heft_lookup_rule *r = (const heft_lookup_rule *)node->rule + at.row;
        for (size_t v = 0; v < r->n_lines; v++)
            if (r->table[v * node->columns + at.column] != 0) return false;
        return true;
    }
    if (op != HEFT_OP_MUL && op != HEFT_OP_ADD) return false;
    const bool a = heft_scalar_zero(g, heft_scalar_in(g, at, 0));
    const bool b = heft_scalar_zero(g, heft_scalar_in(g, at, 1));
    return op == HEFT_OP_MUL ? a || b : a && b;
}

/* Returns true, and the input, if the element is equal to one of its inputs. */
static bool is_input(const heft_graph *g, heft_scalar at, heft_scalar *same)
{
    const heft_op op = g->node[at.node].op;
    if (op == HEFT_OP_IF_EQUAL) {
        const heft_scalar b = heft_scalar_in(g, at, 1);
        *same = heft_scalar_in(g, at, 3);
        return b.node != SIZE_MAX && g->node[b.node].op == HEFT_OP_CONST &&
               isnan(heft_const_at(&g->node[b.node], b.row, b.column));
    }
    if (op != HEFT_OP_MUL && op != HEFT_OP_ADD) return false;
    for (size_t k = 0; k < 2; k++) {
        const heft_scalar other = heft_scalar_in(g, at, 1 - k);
        *same = heft_scalar_in(g, at, k);
        if (op == HEFT_OP_MUL ? is_constant(g, other, 1) : heft_scalar_zero(g, other)) return true;
    }
    return false;
}

void heft_scalar_define(const heft_scalars *s, heft_scalar at, heft_buf *out)
{
    heft_scalar same;
    if (heft_scalar_zero(s->g, at)) {
        s->put_field(s->format, (heft_scalar){SIZE_MAX, 0, 0}, out);
        return;
    }
    const heft_element *element = &heft_elements[s->g->node[at.node].op];
    if (is_input(s->g, at, &same)) {
        heft_scalar_put(s, same, out);
        return;
    }
    if (!element->n_in) {
        s->put_other(s->format, at, out);
        return;
    }
    for (const char *text = s->text(s->format, s->g->node[at.node].op); *text;) {
        const size_t plain = strcspn(text, "$");
        heft_buf_add(out, text, plain);
        text += plain;
        if (!*text) break;
        heft_scalar_put(s, heft_scalar_in(s->g, at, (size_t)(text[1] - 'a')), out);
        text += 2;
    }
}

void heft_scalar_put(const heft_scalars *s, heft_scalar at, heft_buf *out)
{
    if (at.node == SIZE_MAX || s->stored[at.node]) s->put_field(s->format, at, out);
    else heft_scalar_define(s, at, out);
}

/* ---- what to store ---- */

enum { CONSTANT = 16, FIELD = 8, LONG = 62, TABLE = 1000 /* characters */ };

/* How often input k stands in the text of an operator. */
static size_t repeated(const char *text, size_t k)
{
    size_t n = 0;
    for (; (text = strchr(text, '$')); text++) n += (size_t)(text[1] - 'a') == k;
    return n;
}

/* How long an element is, about, and whether that is too long to be written `uses` times. A table
 * always is. */
static bool is_long(const heft_scalars *s, size_t k, size_t uses, double *length)
{
    const heft_graph      *g = s->g;
    const heft_graph_node *node = &g->node[k];
    const heft_element    *element = &heft_elements[node->op];
    length[k] = node->op == HEFT_OP_CONST ? CONSTANT : node->op == HEFT_OP_LOOKUP ? TABLE : 0;
    for (size_t m = 0; m < node->n_in; m++)
        length[k] += length[heft_input(node, m)] *
                     (double)(element->n_in ? repeated(s->text(s->format, node->op), m) : 1);
    if (moves(node->op)) {
        length[k] = 0;
        for (size_t m = 0; m < node->n_in; m++)
            length[k] = fmax(length[k], length[heft_input(node, m)]);
        return false;
    }
    return uses > 1 && length[k] > LONG;
}

/* Whether an operator may use an element of its input for several of its own. */
static bool repeats(heft_op op)
{
    return heft_elements[op].n_in || op == HEFT_OP_COLUMNS || op == HEFT_OP_PICK ||
           op == HEFT_OP_GATHER;
}

/* Adds the uses of node k to those of its inputs. An element of fewer is used by several. */
static void count_uses(const heft_scalars *s, size_t k, size_t *uses)
{
    const heft_graph      *g = s->g;
    const heft_graph_node *node = &g->node[k];
    const heft_element    *element = &heft_elements[node->op];
    for (size_t m = 0; m < node->n_in; m++) {
        const heft_graph_node *from = &g->node[heft_input(node, m)];
        const size_t           each = node->rows * node->columns / (from->rows * from->columns);
        const size_t           n = element->n_in ? repeated(s->text(s->format, node->op), m) : 1;
        uses[heft_input(node, m)] +=
            (moves(node->op) ? uses[k] : n) * (each > 1 && repeats(node->op) ? each : 1);
        if (node->op == HEFT_OP_TOP || node->op == HEFT_OP_DECIDE) uses[heft_input(node, m)] += 2;
    }
}

heft_status heft_scalars_open(heft_ctx *ctx, const heft_graph *g, heft_scalars *out)
{
    size_t *uses;
    double *length;
    HEFT_ALLOC(ctx, &ctx->scratch, out->stored, g->n);
    HEFT_ALLOC(ctx, &ctx->scratch, uses, g->n);
    HEFT_ALLOC(ctx, &ctx->scratch, length, g->n);
    out->g = g;
    for (size_t k = g->n; k > 0; k--) count_uses(out, k - 1, uses);
    for (size_t k = 0; k < g->n; k++) {
        const heft_op op = g->node[k].op;
        const bool    always = op == HEFT_OP_NUMBERS || op == HEFT_OP_CODES || op == HEFT_OP_UNIT ||
                            op == HEFT_OP_SCALE || op == HEFT_OP_CUT || op == HEFT_OP_CELL ||
                            op == HEFT_OP_LEAF || op == HEFT_OP_KERNEL || op == HEFT_OP_TOP;
        out->stored[k] =
            is_long(out, k, uses[k], length) || always || (op == HEFT_OP_SUM && uses[k] > 1);
        if (out->stored[k]) length[k] = FIELD;
        if (op == HEFT_OP_SUM && !out->stored[k]) length[k] = TABLE;
    }
    for (size_t k = 0; k < g->n; k++) { /* leaves that one table of one column uses: no code */
        const heft_graph_node *node = &g->node[k];
        if (node->op == HEFT_OP_LOOKUP && g->node[node->in[0]].op == HEFT_OP_LEAF &&
            (node->columns == 1 || node->rows > 1000))
            out->stored[node->in[0]] = false;
    }
    for (size_t c = 0; c < g->terms->n_class; c++) {
        const size_t k = heft_scalar_at(g, g->probabilities, 0, c).node;
        if (k != SIZE_MAX) out->stored[k] = true;
    }
    return HEFT_OK;
}
