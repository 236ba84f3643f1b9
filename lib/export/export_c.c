/* export_c.c - a model as one C99 file that needs the standard library alone.
 *
 * The file is data (one pool of doubles, one record per attribute) and a small reader of it. Its
 * text is the template reader.c.in, which the build embeds; the parts of the model are put in here.
 *
 * Names and values of users appear in string literals only, every byte outside plain ASCII in
 * octal: no quote, newline, end of comment or trigraph of theirs reaches the compiler. */
#include <math.h>
#include <string.h>

#include "export/c_names.h"
#include "export/export.h"
#include "export/score_parts.h"
#include "prep/numbers.h"

extern const char *const heft_reader[], *const heft_reader_header[]; /* lines, then NULL */

/* HAS_... of the template: the kinds of terms, as heft_term_kind; whether there are attributes, and
 * which; densities that need log(2 pi) / 2; rows scaled to length 1; sparse rows, whose score
 * starts from that of all zeros; class pairs; pairs of attributes; some of them with keys; further
 * sums, how they are combined, and whether by the log of a sum of exponentials; trees; some of them
 * with lists of codes; one number per leaf, for and against two classes; pairs or trees, which read
 * the codes of the row; numbers in the pool; calibration; the predicted class by a threshold, or by
 * costs. */
/* clang-format off */
#define FLAGS(X)                                                                                   \
    X(NONE) X(TABLE) X(NORMAL) X(POINT) X(ROUNDED) X(KERNEL) X(SLOPED) X(ATTRS) X(HEADER) X(NOMINAL) \
    X(NUMBERS) X(CUTS) X(LOG) X(UNIT) X(ZEROS) X(VOTE) X(PAIRS) X(KEYS)                            \
    X(SUMS) X(MIXED) X(AVERAGED) X(MULTIPLIED) X(LOG_SUM)                                          \
    X(TREES) X(LISTED) X(MARGIN) X(CODES) X(DATA) X(SCALE) X(THRESHOLD) X(COST)
#define PARTS(X) /* $... of the template */                                                        \
    X(PREFIX) X(HEADER) X(GUARD) X(REAL) X(ROW_MEMBERS) X(ROW_CELLS) X(VIEW_TYPE)                  \
    X(METHOD) X(TITLE) X(VERSION) X(N_ATTR) X(N_CLASS) X(UNSEEN_ZERO) X(TEXTS) X(DATA)             \
    X(ATTRIBUTES) X(START) X(ZERO) X(N_PAIRS) X(VIEWS) X(KEYS) X(PAIRS) X(N_TREES)                 \
    X(N_SUMS) X(SUMS) X(SUM_TERMS) X(SHARE)                                                        \
    X(FIRST) X(SECOND) X(LEAVES_AT) X(ATTR_TYPE) X(AT_TYPE) X(CODE_TYPE) X(TREE_MISSING)           \
    X(TREE_LEAVES) X(SPLITS) X(LISTED) X(N_CLASS_PAIRS) X(CLASS_PAIRS)                             \
    X(CLASS_PAIR_WEIGHTS) X(NORMALISE) X(SCALE) X(SHIFT) X(DECISION) X(CHOSEN) X(OTHER)                     \
    X(THRESHOLD) X(COST)
/* clang-format on */

#define FLAG(name) HAS_##name,
#define PART(name) PUT_##name,
#define NAME(name) #name,
enum { FLAGS(FLAG) N_FLAGS };
enum { PARTS(PART) N_PARTS };
_Static_assert(HAS_SLOPED == (int)HEFT_TERM_SLOPED && HAS_ATTRS == (int)HEFT_TERM_KINDS, "order");
static const char *const FLAG_NAMES[] = {FLAGS(NAME)};
static const char *const PART_NAMES[] = {PARTS(NAME)};

typedef struct part { /* a piece of the file: its text, and how many items are in it */
    heft_buf text;
    size_t   n;
    size_t   most;   /* the largest of them, where they are counts */
    bool     single; /* numbers are float */
} part;

typedef struct writer {
    const heft_terms *t;
    const heft_prep  *prep;
    bool              single; /* numbers are float in place of double */
    size_t            K, n_line;
    bool              has[N_FLAGS + 1];  /* the last is for names that do not exist */
    part              part[N_PARTS + 1]; /* the last is for names that do not exist */
    size_t           *view;              /* where each attribute's views begin */
    double           *line;              /* K */
} writer;

/* ---- values ---- */

/* Returns the text that the next item of a list is added to. */
static heft_buf *next(part *to, const char *between)
{
    if (to->n++) heft_buf_text(&to->text, between);
    return &to->text;
}

/* Returns the same for lists with `across` items on a line. */
static heft_buf *next_of(part *to, size_t across)
{
    return next(to, to->n % across ? ", " : ",\n    ");
}

static void put_number(heft_buf *buf, double x)
{
    char text[32];
    if (isfinite(x)) {
        heft_format_double(text, x);
        heft_put(buf, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
    } else {
        heft_buf_text(buf, x > 0 ? "INFINITY" : "-INFINITY");
    }
}

/* Writes a number, or a float where the file is in single precision: nine digits identify every
 * float. */
static void put_real(const part *to, heft_buf *buf, double x)
{
    const double y = to->single ? (double)(float)x : x;
    const size_t from = buf->length;
    if (!to->single || !isfinite(y)) {
        put_number(buf, y);
        return;
    }
    heft_buf_short(buf, y, 9);
    if (buf->failed) return;
    const char  *text = buf->data + from;
    const size_t n = buf->length - from;
    heft_buf_text(buf, memchr(text, '.', n) || memchr(text, 'e', n) ? "f" : ".0f");
}

static void put_count(part *to, size_t across, size_t x)
{
    heft_put(next_of(to, across), "%z", x);
    if (x > to->most) to->most = x;
}

/* Returns the narrowest type of C for counts up to `most`. */
static const char *type_for(size_t most)
{
    return most <= 0xff ? "unsigned char" : most <= 0xffff ? "unsigned short" : "unsigned long";
}

static void put_numbers(part *to, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) put_real(to, next_of(to, 4), x[k]);
}

static void add_string(writer *w, const char *text)
{
    heft_buf *buf = next(&w->part[PUT_TEXTS], ",\n    ");
    heft_buf_text(buf, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s < 0x20 || *s >= 0x7f) heft_buf_printf(buf, "\\%03o", (unsigned)*s);
        else if (*s == '"' || *s == '\\' || *s == '?') heft_buf_printf(buf, "\\%c", *s);
        else heft_buf_add(buf, (const char *)s, 1);
    }
    heft_buf_text(buf, "\"");
}

/* Adds numbers to the pool, which all tables refer to. */
static void add_data(writer *w, const double *x, size_t n)
{
    part *data = &w->part[PUT_DATA];
    for (size_t k = 0; k < n; k++) {
        const size_t from = data->text.length;
        const bool   full = w->n_line > 84;
        put_real(data, next(data, full ? ",\n    " : ", "), x[k]);
        w->n_line = (full ? 0 : w->n_line) + data->text.length - from;
    }
}

static void add_line(writer *w, const double *line)
{
    heft_terms_spread(w->t, line, w->line);
    add_data(w, w->line, w->K);
}

/* ---- terms ---- */

/* Adds the weights of a density that are not folded into its numbers. */
static void add_weights(writer *w, size_t j)
{
    for (size_t c = 0; c < w->K; c++) w->line[c] = heft_density_weight(w->t, j, c);
    add_data(w, w->line, w->K);
}

static void add_term(writer *w, size_t j)
{
    const heft_term *term = &w->t->attr[j];
    const heft_lik  *lik = term->lik;
    switch (term->kind) {
    case HEFT_TERM_TABLE:
    case HEFT_TERM_SLOPED:
        if (term->slope) {
            add_data(w, &term->mean, 1);
            add_data(w, &term->sd, 1);
            add_line(w, term->slope);
        }
        for (size_t v = 0; v < term->n_codes + 2; v++)
            add_line(w, term->table + heft_term_line(term, v) * w->t->n_columns);
        break;
    case HEFT_TERM_NORMAL:
        add_data(w, term->normal, 4 * w->K);
        break;
    case HEFT_TERM_POINT:
    case HEFT_TERM_ROUNDED:
        add_data(w, lik->mean, w->K);
        add_data(w, lik->sd, w->K);
        add_weights(w, j);
        if (term->kind == HEFT_TERM_ROUNDED) add_data(w, &lik->precision, 1);
        break;
    case HEFT_TERM_KERNEL:
        add_data(w, lik->width, w->K);
        add_weights(w, j);
        for (size_t c = 0; c < w->K; c++) w->line[c] = (double)(lik->start[c + 1] - lik->start[c]);
        add_data(w, w->line, w->K);
        for (size_t c = 0; c < w->K; c++) {
            const size_t n = lik->start[c + 1] - lik->start[c];
            add_data(w, lik->point + lik->start[c], n);
            add_data(w, lik->log_mass + lik->start[c], n);
        }
        break;
    case HEFT_TERM_NONE:
    case HEFT_TERM_KINDS:
        break;
    }
}

static void note_kind(writer *w, heft_term_kind kind)
{
    w->has[kind] = true;
    w->has[HAS_LOG] |= kind == HEFT_TERM_POINT || kind == HEFT_TERM_KERNEL;
}

static void add_attribute(writer *w, size_t j)
{
    const heft_attr_prep *a = &w->prep->attr[j];
    const heft_term      *term = &w->t->attr[j];
    const bool            nominal = a->kind == HEFT_NOMINAL;
    const size_t          values = w->part[PUT_TEXTS].n, cuts = w->part[PUT_DATA].n;
    heft_buf             *out = next(&w->part[PUT_ATTRIBUTES], ",\n    ");
    note_kind(w, term->kind);
    w->has[HAS_ATTRS] = w->has[nominal ? HAS_NOMINAL : HAS_NUMBERS] = true;
    w->has[HAS_CUTS] |= !nominal && heft_term_coded(term);
    if (nominal)
        for (uint32_t v = 0; v < heft_dict_size(a->dict); v++)
            add_string(w, heft_dict_text(a->dict, v));
    add_data(w, term->cuts, term->n_cuts);
    heft_put(out, "{%z, %z, %z, %z, %z, ", (size_t)nominal, (size_t)term->kind, term->n_codes,
             nominal ? values : 0, (size_t)a->has_fill);
    put_real(&w->part[PUT_ATTRIBUTES], out, a->has_fill ? a->fill : 0);
    heft_put(out, ", ");
    put_real(&w->part[PUT_ATTRIBUTES], out, nominal ? 0 : a->shift);
    heft_put(out, ", ");
    put_real(&w->part[PUT_ATTRIBUTES], out, nominal ? 1 : a->factor);
    heft_put(out, ", %z, %z, %z, %z}", term->n_cuts, term->n_cuts ? cuts : 0,
             (size_t)heft_zero_interval(w->prep, j), w->part[PUT_DATA].n);
    add_term(w, j);
    w->view[j] = w->part[PUT_VIEWS].n;
    for (size_t k = 0; k < term->n_views; k++)
        for (size_t v = 0; v < term->n_codes + 2; v++)
            put_count(&w->part[PUT_VIEWS], 24, term->view[k][heft_term_line(term, v)]);
}

static void add_pair(writer *w, const heft_joint_term *joint)
{
    const size_t keys = w->part[PUT_KEYS].n, at = w->part[PUT_DATA].n;
    size_t       view[2];
    for (size_t k = 0; k < 2; k++)
        view[k] =
            w->view[joint->attr[k]] + joint->view[k] * (w->t->attr[joint->attr[k]].n_codes + 2);
    if (joint->key)
        for (size_t v = 0; v < joint->n_cells; v++)
            heft_put(next_of(&w->part[PUT_KEYS], 12), "%z", (size_t)joint->key[v]);
    for (size_t v = 0; v < joint->n_cells; v++) add_line(w, joint->table + v * w->t->n_columns);
    heft_put(next(&w->part[PUT_PAIRS], ",\n    "), "{%z, %z, %z, %z, %z, %z, %z, %z}",
             (size_t)joint->attr[0], (size_t)joint->attr[1], view[0], view[1],
             (size_t)heft_joint_codes(w->t, joint, 1), joint->key ? joint->n_cells : 0,
             joint->key ? keys : 0, at);
}

/* Adds a further sum: its start, then where its terms and its pairs end. */
static void add_sum(writer *w, const heft_terms *sum)
{
    const heft_terms *base = w->t;
    const size_t      start = w->part[PUT_DATA].n;
    w->t = sum;
    add_line(w, sum->start);
    for (size_t j = 0; j < sum->n_attr; j++) {
        const heft_term *term = &sum->attr[j];
        if (term->kind == HEFT_TERM_NONE) continue;
        note_kind(w, term->kind);
        heft_put(next_of(&w->part[PUT_SUM_TERMS], 6), "{%z, %z, %z}", j, (size_t)term->kind,
                 w->part[PUT_DATA].n);
        add_term(w, j);
    }
    for (size_t k = 0; k < sum->joint.n; k++) add_pair(w, &sum->joint.list[k]);
    heft_put(next_of(&w->part[PUT_SUMS], 6), "{%z, %z, %z}", start, w->part[PUT_SUM_TERMS].n,
             w->part[PUT_PAIRS].n);
    w->t = base;
}

static void add_combination(writer *w)
{
    const heft_terms *t = w->t;
    w->has[HAS_SUMS] = t->further.n > 0;
    w->has[HAS_MIXED] = t->further.combining == HEFT_MIXED;
    w->has[HAS_AVERAGED] = t->further.combining == HEFT_AVERAGED;
    w->has[HAS_MULTIPLIED] = t->further.combining == HEFT_MULTIPLIED;
    w->has[HAS_PAIRS] = w->part[PUT_PAIRS].n > 0;
    heft_put(&w->part[PUT_N_SUMS].text, "%z", t->further.n);
    if (t->further.mixing)
        for (size_t k = 0; k <= t->further.n; k++)
            put_numbers(&w->part[PUT_SHARE], (double[]){log(t->further.mixing[k])}, 1);
    if (w->part[PUT_SUM_TERMS].n == 0) heft_put(&w->part[PUT_SUM_TERMS].text, "{0, 0, 0}");
}

/* A split, and the codes that it sends left. In the file they are spots (terms.h): codes of numbers
 * are one less than those of the trees, and those of missing cells may be -1. */
static void add_split(writer *w, const heft_tree_split *s)
{
    const heft_term *term = &w->t->attr[s->attr];
    part            *splits = &w->part[PUT_SPLITS], *listed = &w->part[PUT_LISTED];
    const size_t     at = s->n_listed ? listed->n : s->at;
    for (size_t k = 0; k < s->n_listed; k++) {
        const uint32_t line = w->t->trees->listed[s->at + k];
        if (line < term->n_codes) put_count(listed, 24, line);
        if (line == term->missing) put_count(listed, 24, term->n_codes);
        if (line == term->unseen) put_count(listed, 24, term->n_codes + 1);
    }
    heft_put(next_of(splits, 6), "{%z, %z, %z", (size_t)s->attr, at, (size_t)s->left);
    if (w->has[HAS_LISTED]) heft_put(&splits->text, ", %z", s->n_listed ? listed->n - at : 0);
    heft_put(&splits->text, "}");
    if (at > splits->most) splits->most = at;
}

static void add_trees(writer *w, const heft_trees *trees)
{
    const uint32_t *present = w->t->present;
    w->has[HAS_LISTED] = trees->n_listed > 0;
    w->has[HAS_MARGIN] = w->t->n_columns == 2;
    heft_put(&w->part[PUT_N_TREES].text, "%z", trees->n_trees);
    heft_put(&w->part[PUT_LEAVES_AT].text, "%z", w->part[PUT_DATA].n);
    if (w->has[HAS_MARGIN]) {
        heft_put(&w->part[PUT_FIRST].text, "%z", present ? present[0] : (size_t)0);
        heft_put(&w->part[PUT_SECOND].text, "%z", present ? present[1] : (size_t)1);
    }
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const heft_term *term = &w->t->attr[j];
        const long code = term->numeric ? (long)w->t->tree_missing[j] - 1 : (long)term->n_codes;
        heft_put(next_of(&w->part[PUT_TREE_MISSING], 24), "%l", code);
    }
    for (size_t k = 0; k < trees->n_trees; k++)
        put_count(&w->part[PUT_TREE_LEAVES], 24, trees->tree[k].n_leaves);
    for (size_t k = 0; k < trees->n_splits; k++) add_split(w, &trees->split[k]);
    if (trees->n_splits == 0) heft_put(&w->part[PUT_SPLITS].text, "{0, 0, 0}");
    for (size_t k = 0; k < trees->n_leaves; k++) {
        const double *value = trees->value + k * trees->n_columns;
        if (w->has[HAS_MARGIN]) add_data(w, value, 1);
        else add_line(w, value);
    }
    heft_put(&w->part[PUT_ATTR_TYPE].text, "%s", type_for(w->t->n_attr));
    heft_put(&w->part[PUT_AT_TYPE].text, "%s", type_for(w->part[PUT_SPLITS].most));
    heft_put(&w->part[PUT_CODE_TYPE].text, "%s", type_for(w->part[PUT_LISTED].most));
}

/* Adds a class pair and its weights: w0, then one per attribute. */
static void add_class_pair(writer *w, const heft_class_pair *pair)
{
    heft_buf *out = next(&w->part[PUT_CLASS_PAIR_WEIGHTS], ",\n    ");
    heft_put(next(&w->part[PUT_CLASS_PAIRS], ", "), "{%z, %z}", pair->a, pair->b);
    for (size_t j = 0; j <= w->t->n_attr; j++) {
        heft_buf_text(out, j == 0 ? "{" : j % 8 ? ", " : ",\n     ");
        put_real(&w->part[PUT_CLASS_PAIR_WEIGHTS], out, j ? pair->w[j - 1] : pair->w0);
    }
    heft_buf_text(out, "}");
}

/* Adds the decision rule. Names of classes must not get into a comment of the file, which they
 * could end. */
static void add_decision(writer *w, const heft_decision *rule)
{
    static const char *const said[] = {[HEFT_MOST_PROBABLE] = "the most likely one",
                                       [HEFT_THRESHOLD] =
                                           "one of the two from a certain probability on",
                                       [HEFT_LEAST_COST] = "the one of least expected cost"};
    w->has[HAS_THRESHOLD] = rule->kind == HEFT_THRESHOLD;
    w->has[HAS_COST] = rule->kind == HEFT_LEAST_COST;
    heft_put(&w->part[PUT_DECISION].text, "%s", said[rule->kind]);
    heft_put(&w->part[PUT_CHOSEN].text, "%z", rule->chosen);
    heft_put(&w->part[PUT_OTHER].text, "%z", 1 - rule->chosen);
    heft_put(&w->part[PUT_THRESHOLD].text, "%n", rule->threshold);
    if (w->has[HAS_COST]) put_numbers(&w->part[PUT_COST], rule->cost, w->K * w->K);
}

/* Adds a struct that has a member for each attribute. */
static heft_status add_row(heft_ctx *ctx, writer *w)
{
    heft_status st = HEFT_OK;
    heft_dict  *taken;
    char       *name;
    HEFT_CHECK(heft_dict_create(ctx, &taken));
    for (size_t j = 0; j < w->t->n_attr; j++) {
        const bool nominal = w->prep->attr[j].kind == HEFT_NOMINAL;
        HEFT_TRY(heft_c_member(ctx, w->prep->attr[j].name, taken, &name));
        heft_put(next(&w->part[PUT_ROW_MEMBERS], "\n"), "    %s%s;",
                 nominal     ? "const char *"
                 : w->single ? "float "
                             : "double ",
                 name);
        heft_buf *cell = next(&w->part[PUT_ROW_CELLS], "\n    ");
        if (nominal) heft_put(cell, "codes[%z] = MODEL_NAME(code)(%z, row->%s);", j, j, name);
        else heft_put(cell, "numbers[%z] = row->%s;", j, name);
    }
    if (w->t->n_attr == 0) heft_put(&w->part[PUT_ROW_MEMBERS].text, "    char none;");
done:
    heft_dict_free(taken);
    return st;
}

static heft_status add_names(heft_ctx *ctx, writer *w, const char *header)
{
    const char *slash = header ? strrchr(header, '/') : NULL;
    char       *prefix = (char[]){"model_"};
    w->has[HAS_HEADER] = header;
    if (header) {
        HEFT_CHECK(heft_c_prefix(ctx, header, &prefix));
        heft_put(&w->part[PUT_HEADER].text, "%s", slash ? slash + 1 : header);
        for (const char *at = prefix; *at; at++)
            heft_put(&w->part[PUT_GUARD].text, "%c", *at >= 'a' && *at <= 'z' ? *at - 32 : *at);
        heft_put(&w->part[PUT_GUARD].text, "H");
    }
    heft_put(&w->part[PUT_PREFIX].text, "%s", prefix);
    heft_put(&w->part[PUT_REAL].text, w->single ? "float" : "double");
    return add_row(ctx, w);
}

/* Adds where the score begins. For sparse rows that is the score of a row of zeros, and what each
 * 0 adds is listed, to be subtracted. */
static heft_status add_start(heft_ctx *ctx, writer *w)
{
    double *start;
    HEFT_ALLOC(ctx, &ctx->scratch, start, w->K);
    memcpy(start, w->t->start, w->K * sizeof *start);
    if (w->has[HAS_ZEROS])
        for (size_t j = 0; j < w->t->n_attr; j++) {
            heft_term_value(w->t, j, 0, 0, w->line);
            for (size_t c = 0; c < w->K; c++) start[c] += w->line[c];
            put_numbers(&w->part[PUT_ZERO], w->line, w->K);
        }
    put_numbers(&w->part[PUT_START], start, w->K);
    return HEFT_OK;
}

static heft_status add_parts(heft_ctx *ctx, writer *w)
{
    const heft_terms       *t = w->t;
    const heft_prep        *prep = w->prep;
    const heft_calibration *calibration = &t->model->calibration;
    const heft_method      *method = t->model->method;
    HEFT_ALLOC(ctx, &ctx->scratch, w->line, w->K);
    HEFT_ALLOC(ctx, &ctx->scratch, w->view, t->n_attr);
    w->has[HAS_UNIT] = prep->spec.scaling == HEFT_SCALE_UNIT;
    w->has[HAS_VOTE] = t->class_pair;
    w->has[HAS_ZEROS] = prep->sparse && !t->class_pair;
    w->has[HAS_TREES] = t->trees;
    w->has[HAS_CODES] = t->joint.n > 0 || t->trees || t->further.n > 0;
    w->has[HAS_SCALE] = calibration->scale;
    w->has[HAS_LOG_SUM] = calibration->scale || t->further.combining == HEFT_MIXED;
    heft_put(&w->part[PUT_METHOD].text, "%s", method->name);
    heft_put(&w->part[PUT_TITLE].text, "%s", method->title);
    heft_put(&w->part[PUT_VERSION].text, "%s", HEFT_VERSION);
    heft_put(&w->part[PUT_N_ATTR].text, "%z", t->n_attr);
    heft_put(&w->part[PUT_N_CLASS].text, "%z", w->K);
    heft_put(&w->part[PUT_UNSEEN_ZERO].text, prep->spec.unseen_zero ? "1" : "0");
    heft_put(&w->part[PUT_N_PAIRS].text, "%z", t->joint.n);
    heft_put(&w->part[PUT_N_CLASS_PAIRS].text, "%z", t->n_class_pairs);
    heft_put(&w->part[PUT_NORMALISE].text, calibration->kind == HEFT_VECTOR ? "1" : "0");
    for (uint32_t c = 0; c < w->K; c++) add_string(w, heft_dict_text(prep->classes, c));
    for (size_t j = 0; j < t->n_attr; j++) add_string(w, prep->attr[j].name);
    for (size_t j = 0; j < t->n_attr; j++) {
        add_attribute(w, j);
        if (j % 1024 == 0) HEFT_CHECK(heft_check_cancel(ctx));
    }
    for (size_t k = 0; k < t->joint.n; k++) add_pair(w, &t->joint.list[k]);
    for (size_t k = 0; k < t->further.n; k++) {
        add_sum(w, &t->further.list[k]);
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    add_combination(w);
    if (t->trees) add_trees(w, t->trees);
    for (size_t k = 0; k < t->n_class_pairs; k++) add_class_pair(w, &t->class_pair[k]);
    heft_put(&w->part[PUT_VIEW_TYPE].text, "%s", type_for(w->part[PUT_VIEWS].most));
    w->has[HAS_KEYS] = w->part[PUT_KEYS].n > 0;
    w->has[HAS_DATA] = w->part[PUT_DATA].n > 0;
    put_numbers(&w->part[PUT_SCALE], calibration->scale, calibration->scale ? w->K : 0);
    put_numbers(&w->part[PUT_SHIFT], calibration->shift, calibration->scale ? w->K : 0);
    add_decision(w, &t->model->decision);
    return add_start(ctx, w);
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

static void put_code(const writer *w, const char *text, size_t length, heft_buf *out)
{
    if (w->single) heft_c_single(out, text, length);
    else heft_buf_add(out, text, length);
}

static void put_line(writer *w, const char *line, heft_buf *out)
{
    for (const char *at; (at = strchr(line, '$'));) {
        put_code(w, line, (size_t)(at - line), out);
        const size_t k = name_at(PART_NAMES, N_PARTS, at + 1, &line);
        heft_buf_text(out, heft_buf_string(&w->part[k].text));
    }
    put_code(w, line, strlen(line), out);
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

static heft_status write_template(heft_ctx *ctx, const heft_terms *t,
                                  const heft_export_options *how, const char *const *template,
                                  heft_buf                  *out)
{
    writer      w = {.t = t, .prep = &t->model->prep, .K = t->n_class, .single = how->single};
    heft_status st;
    for (size_t k = 0; k <= N_PARTS; k++) w.part[k].single = how->single;
    st = add_parts(ctx, &w);
    if (st == HEFT_OK) st = add_names(ctx, &w, how->header);
    if (st == HEFT_OK) put_file(&w, template, out);
    for (size_t k = 0; k <= N_PARTS; k++) {
        out->failed |= w.part[k].text.failed;
        heft_buf_clear(&w.part[k].text);
    }
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
