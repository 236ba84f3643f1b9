/* check_text.c - a check as text for a terminal, and as JSON. */
#include <math.h>

#include "base/grid.h"
#include "check/check.h"

/* ---- text ---- */

static void put_share(heft_buf *out, size_t n, size_t all)
{
    const double percent = all ? 100 * (double)n / (double)all : 0;
    if (n > 0 && percent < 1) heft_put(out, "<1%%");
    else heft_put(out, "%0f%%", n < all && percent > 99 ? 99 : percent);
}

/* Writes the range of numbers, or the most frequent values, of which long ones are cut with an
 * ellipsis. */
static void put_values(heft_buf *out, const heft_check *check, const heft_column_summary *col)
{
    const heft_check_column *c = &col->show;
    if (c->n_distinct == 0) return;
    if (!col->dict) {
        if (c->n_distinct == 1) heft_put(out, "%6g", c->least);
        else heft_put(out, "%6g to %6g, mean %6g", c->least, c->most, c->mean);
        return;
    }
    const size_t shown = c->n_frequent < 3 ? c->n_frequent : 3;
    for (size_t k = 0; k < shown; k++) {
        heft_put(out, "%s%24q ", k ? ", " : "", c->frequent[k]);
        put_share(out, c->n_rows_with[k], check->n_rows);
    }
    if (c->n_distinct > shown) heft_put(out, ", %z more", c->n_distinct - shown);
}

static void put_column(heft_grid *grid, const heft_check *check, const heft_column_summary *col)
{
    const heft_check_column *c = &col->show;
    heft_buf                *text = &grid->text;
    heft_put(text, "%40q\t%s\t", c->name, c->target ? "class" : col->dict ? "nominal" : "numeric");
    if (c->n_missing) put_share(text, c->n_missing, check->n_rows);
    heft_put(text, "\t%z\t", c->n_distinct);
    if (!isnan(c->information)) heft_put(text, "%0f%%", 100 * c->information);
    heft_put(text, "\t");
    put_values(text, check, col);
    heft_grid_end(grid);
}

static void write_findings(const heft_check *check, heft_buf *out)
{
    size_t serious = 0;
    for (size_t k = 0; k < check->n_findings; k++) serious += check->findings[k].serious;
    if (check->n_findings == 0) {
        heft_put(out, "\nnothing looks wrong\n");
        return;
    }
    for (size_t k = 0; k < check->n_findings; k++) {
        if (k == 0 && serious) heft_put(out, "\nwhat looks wrong\n");
        if (k == serious) heft_put(out, "\nwhat to know\n");
        heft_put(out, "- %s\n", check->findings[k].text);
    }
}

static heft_status write_text(heft_ctx *ctx, const heft_check *check, heft_buf *out)
{
    heft_grid grid = {.n_cols = 6, .align = "llrrrl"};
    size_t   *order, n;
    HEFT_CHECK(heft_check_shown(ctx, check, &order, &n));
    heft_put(out, "%200q: %s, %s%s", check->label ? check->label : "the table",
             HEFT_COUNT_OF(check->n_rows, "row"), HEFT_COUNT_OF(check->n_attr, "attribute"),
             check->sparse ? " (sparse)" : "");
    if (check->n_cols > check->n_attr)
        heft_put(out, ", class '%60q'", check->cols[check->n_attr].show.name);
    heft_put(out, "\n\n");
    heft_grid_put(&grid, "column\tkind\tmissing\tdistinct\tinformation\tvalues");
    for (size_t k = 0; k < n; k++) put_column(&grid, check, &check->cols[order[k]]);
    heft_grid_print(&grid, out);
    if (check->top < check->n_attr)
        heft_put_marked(out, "(%s, which say less about the class; {advice see-top})\n",
                        HEFT_COUNT_OF(check->n_attr - check->top, "more column"));
    write_findings(check, out);
    return HEFT_OK;
}

/* ---- JSON ---- */

/* The groups of classes that distributions tell apart; a table without classes has one. */
static size_t n_groups(const heft_check *check)
{
    return check->classes.n_colour ? check->classes.n_colour : 1;
}

/* The bars of a distribution: the edges of intervals, or the value of each bar (null: all other
 * values), and the rows of each bar by group of classes. */
static void json_bars(heft_buf *out, const heft_check *check, const heft_column_summary *col)
{
    const heft_spread *s = col->spread;
    heft_put(out, ",\n   \"bars\": {\"%s\": [", s->intervals ? "edges" : "values");
    for (size_t k = 0; k < s->n_bars + s->intervals; k++) {
        heft_put(out, k ? ", " : "");
        if (col->dict)
            heft_put(out, "%j",
                     s->code[k] == UINT32_MAX ? NULL : heft_dict_text(col->dict, s->code[k]));
        else if (!s->intervals) heft_put(out, "%n", s->number[k]);
        else /* the first and the last bar hold what lies outside */
            heft_put(out, "%n",
                     k == 0           ? col->show.least
                     : k == s->n_bars ? col->show.most
                                      : s->lo + (double)k * s->width);
    }
    heft_put(out, "], \"rows\": [");
    for (size_t k = 0; k < s->n_bars; k++) {
        for (size_t c = 0; c < n_groups(check); c++)
            heft_put(out, "%s%z", c ? ", " : k ? ", [" : "[", s->count[k][c]);
        heft_put(out, "]");
    }
    heft_put(out, "]}");
}

static void json_column(heft_buf *out, const heft_check *check, const heft_column_summary *col)
{
    const heft_check_column *c = &col->show;
    heft_put(out, "{\"name\": %j, \"kind\": \"%s\", \"target\": %s, \"missing\": %z, ", c->name,
             col->dict ? "nominal" : "numeric", c->target ? "true" : "false", c->n_missing);
    heft_put(out, "\"distinct\": %z, ", c->n_distinct);
    if (!col->dict)
        heft_put(out, "\"least\": %n, \"most\": %n, \"mean\": %n, ", c->least, c->most, c->mean);
    if (col->dict) {
        heft_put(out, "\"frequent\": [");
        for (size_t k = 0; k < c->n_frequent; k++)
            heft_put(out, "%s{\"value\": %j, \"rows\": %z}", k ? ", " : "", c->frequent[k],
                     c->n_rows_with[k]);
        heft_put(out, "], ");
    }
    heft_put(out, "\"information\": %n", c->information);
    if (col->spread) json_bars(out, check, col);
    heft_put(out, "}");
}

static void write_json(const heft_check *check, heft_buf *out)
{
    heft_put(out,
             "{\"heft\": %j, \"format\": \"heft page\", \"version\": 1, \"page\": \"check\",\n "
             "\"data\": %j, \"rows\": %z, \"attributes\": %z, ",
             HEFT_VERSION, check->name, check->n_rows, check->n_attr);
    heft_put(out, "\"sparse\": %s, \"repeated_rows\": %z, \"contradicting_rows\": %z,\n",
             check->sparse ? "true" : "false", check->n_repeated, check->n_contradicting);
    heft_put(out, " \"classes\": [");
    for (size_t c = 0; c < check->classes.n; c++)
        heft_put(out, "%s{\"class\": %j, \"rows\": %z}", c ? ", " : "",
                 heft_dict_text(check->cols[check->n_attr].dict, (uint32_t)c),
                 check->classes.rows[c]);
    heft_put(out, "],\n \"groups\": [");
    for (size_t c = 0; c < n_groups(check); c++)
        heft_put(out, "%s%j", c ? ", " : "",
                 check->classes.n == 0 || check->classes.colour[c] == UINT32_MAX
                     ? NULL
                     : heft_dict_text(check->cols[check->n_attr].dict, check->classes.colour[c]));
    heft_put(out, "],\n \"shown\": [");
    for (size_t k = 0; k < check->top; k++) heft_put(out, "%s%z", k ? ", " : "", check->order[k]);
    heft_put(out, "],\n \"columns\": [");
    for (size_t j = 0; j < check->n_cols; j++) {
        heft_put(out, j ? ",\n  " : "\n  ");
        json_column(out, check, &check->cols[j]);
    }
    heft_put(out, "],\n \"findings\": [");
    for (size_t k = 0; k < check->n_findings; k++) {
        const heft_finding *f = &check->findings[k];
        heft_put(out, "%s{\"code\": %j, \"serious\": %s, \"text\": %j, \"columns\": [",
                 k ? ",\n  " : "\n  ", f->code, f->serious ? "true" : "false", f->text);
        for (size_t i = 0; i < f->n_columns; i++)
            heft_put(out, "%s%j", i ? ", " : "", check->cols[f->columns[i]].show.name);
        heft_put(out, "]}");
    }
    heft_put(out, "]}\n");
}

heft_status heft_check_write(heft_ctx *ctx, const heft_check *check, bool json, char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(heft_buf) buf = {0};
    if (json) write_json(check, &buf);
    else HEFT_CHECK(write_text(ctx, check, &buf));
    return heft_buf_take(ctx, &buf, out);
}
