/* export_c.c - a model as one C99 file that needs the standard library alone.
 *
 * The file is data (one pool of doubles, one record an attribute) and a small reader of it; of the
 * reader only the pieces the model needs are written, so that strict compilers find nothing unused.
 * It repeats the arithmetic of prep_apply.c, score.c, density.c, ovo.c and pooled.c step by step,
 * in the same order, on the same doubles.
 *
 * Names and values of users appear in string literals only, every byte outside plain ASCII in
 * octal: no quote, newline, end of comment or trigraph of theirs reaches the compiler. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "explain/explain.h"
#include "explain/spots.h"
#include "export/export.h"
#include "methods/ovo.h"
#include "model/method.h"
#include "prep/numbers.h"

typedef enum term { /* how an attribute is scored; the numbers stand in the exported file */
                    TERM_NONE,
                    TERM_TABLE,
                    TERM_NORMAL, /* constant, mean, 1/sd, weight/2 */
                    TERM_POINT,  /* mean, sd (0: a point mass), weight */
                    TERM_ROUNDED,
                    TERM_KERNEL,
                    TERM_LINES /* mean, sd and slope of the number, then a table */
} term;

typedef struct writer {
    const heft_model  *model;
    const heft_fitted *f;
    const heft_ovo    *class_pairs; /* NULL: one sum a class */
    const heft_pooled *pooled;      /* NULL: no pairs of attributes */
    size_t             K, n_data, n_texts, n_line;
    bool               has_term[TERM_LINES + 1], has_nominal, has_cuts;
    heft_buf           data, texts, records; /* the three arrays */
    heft_buf           views, keys, pairs;   /* of pairs of attributes */
    size_t             n_views, n_keys;
    size_t (*view)[HEFT_N_RES]; /* where each attribute's views begin */
    double *line;               /* K */
} writer;

/* ---- the reader's pieces ---- */

static const char HEAD[] =
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <string.h>\n"
    "\n"
    "#ifndef MODEL_NAME\n"
    "#define MODEL_NAME(x) model_##x\n"
    "#endif\n"
    "#define MODEL_MISSING (-1)\n"
    "#define MODEL_UNKNOWN (-2)\n"
    "\n"
    "int MODEL_NAME(code)(int attribute, const char *text);\n"
    "int MODEL_NAME(predict)(const double *numbers, const int *codes, double *proba);\n"
    "const char *MODEL_NAME(attribute_name)(int attribute);\n"
    "const char *MODEL_NAME(class_name)(int c);\n"
    "int MODEL_NAME(is_nominal)(int attribute);\n"
    "int MODEL_NAME(attributes)(void);\n"
    "int MODEL_NAME(classes)(void);\n\n";

static const char RECORD[] =
    "typedef struct attribute {\n"
    "    int nominal, term;        /* what the cell is, how it is scored */\n"
    "    long n_codes, values;     /* values, or intervals; place of the values in texts */\n"
    "    int filled;               /* a missing cell becomes `fill` */\n"
    "    double fill, shift, factor;\n"
    "    long n_cuts, cuts, first; /* cuts in data; the interval that has code 0 */\n"
    "    long at;                  /* numbers of the term in data */\n"
    "} attribute;\n\n";

static const char NAMES[] =
    "const char *MODEL_NAME(attribute_name)(int attribute)\n"
    "{\n"
    "    return attribute >= 0 && attribute < N_ATTR ? texts[N_CLASS + attribute] : NULL;\n"
    "}\n\n"
    "const char *MODEL_NAME(class_name)(int c)\n"
    "{\n"
    "    return c >= 0 && c < N_CLASS ? texts[c] : NULL;\n"
    "}\n\n"
    "int MODEL_NAME(is_nominal)(int attribute)\n"
    "{\n"
    "    return attribute >= 0 && attribute < N_ATTR && attributes[attribute].nominal;\n"
    "}\n\n"
    "int MODEL_NAME(attributes)(void)\n"
    "{\n"
    "    return N_ATTR;\n"
    "}\n\n"
    "int MODEL_NAME(classes)(void)\n"
    "{\n"
    "    return N_CLASS;\n"
    "}\n\n"
    "int MODEL_NAME(code)(int attribute, const char *text)\n"
    "{\n"
    "    long v;\n"
    "    if (!text || !MODEL_NAME(is_nominal)(attribute)) return MODEL_MISSING;\n"
    "    for (v = 0; v < attributes[attribute].n_codes; v++)\n"
    "        if (strcmp(texts[attributes[attribute].values + v], text) == 0) return (int)v;\n"
    "    return MODEL_UNKNOWN;\n"
    "}\n\n";

static const char NOMINAL[] =
    "static long known_code(const attribute *a, int code)\n"
    "{\n"
    "    const long missing = a->filled ? (long)a->fill : a->n_codes;\n"
    "    if (code >= 0 && code < a->n_codes) return code;\n"
    "    return code == MODEL_UNKNOWN && UNSEEN_ZERO ? a->n_codes + 1 : missing;\n"
    "}\n\n";

static const char CUTS[] = "/* Cuts strictly below x. */\n"
                           "static long interval_of(const attribute *a, double x)\n"
                           "{\n"
                           "    long lo = 0, hi = a->n_cuts;\n"
                           "    if (isnan(x)) return a->n_codes;\n"
                           "    while (lo < hi) {\n"
                           "        const long mid = lo + (hi - lo) / 2;\n"
                           "        if (data[a->cuts + mid] < x) lo = mid + 1;\n"
                           "        else hi = mid;\n"
                           "    }\n"
                           "    return lo == a->first ? 0 : lo == 0 ? a->first : lo;\n"
                           "}\n\n";

static const char SCALED[] = "static double scaled(const attribute *a, double x)\n"
                             "{\n"
                             "    double y = (x - a->shift) * a->factor;\n"
                             "    if (isinf(y) || (isnan(y) && !isnan(x))) {\n"
                             "        y = (x / 2 - a->shift / 2) * a->factor * 2;\n"
                             "        y = y > DBL_MAX ? DBL_MAX : y < -DBL_MAX ? -DBL_MAX : y;\n"
                             "    }\n"
                             "    return y;\n"
                             "}\n\n"
                             "static double filled(const attribute *a, double x)\n"
                             "{\n"
                             "    return isnan(x) && a->filled ? a->fill : x;\n"
                             "}\n\n";

static const char UNIT[] =
    "/* The row's length over its numbers, each times the power of two *scale. */\n"
    "static double length_of(const double *numbers, double *scale)\n"
    "{\n"
    "    double top = 0, sum = 0;\n"
    "    long j;\n"
    "    for (j = 0; j < N_ATTR; j++) {\n"
    "        const double x = attributes[j].nominal ? 0 : filled(&attributes[j], numbers[j]);\n"
    "        if (!isnan(x) && fabs(x) > top) top = fabs(x);\n"
    "    }\n"
    "    *scale = 1;\n"
    "    if (top != 0 && !(top > 0x1p-500 && top < 0x1p500)) {\n"
    "        int e;\n"
    "        (void)frexp(top, &e);\n"
    "        *scale = ldexp(1, e < -1022 ? 1022 : -e);\n"
    "    }\n"
    "    for (j = 0; j < N_ATTR; j++) {\n"
    "        const double x =\n"
    "            attributes[j].nominal ? 0 : filled(&attributes[j], numbers[j]) * *scale;\n"
    "        if (!isnan(x)) sum += x * x;\n"
    "    }\n"
    "    return sqrt(sum);\n"
    "}\n\n";

static const char NORMAL[] =
    "static void add_normal(const double *p, double x, double *part)\n"
    "{\n"
    "    int c;\n"
    "    for (c = 0; c < N_CLASS; c++) {\n"
    "        const double far = fabs(x - p[N_CLASS + c]) * p[2 * N_CLASS + c];\n"
    "        const double z = far < 1e140 ? far : 1e140;\n"
    "        part[c] = p[c] - p[3 * N_CLASS + c] * (z * z);\n"
    "    }\n"
    "}\n\n";

static const char POINT[] = "static void add_point(const double *p, double x, double *part)\n"
                            "{\n"
                            "    int c;\n"
                            "    for (c = 0; c < N_CLASS; c++) {\n"
                            "        const double mean = p[c], sd = p[N_CLASS + c];\n"
                            "        if (sd == 0) {\n"
                            "            part[c] = x == mean ? 0 : -23.02585092994045684;\n"
                            "        } else {\n"
                            "            const double z = fmin(fabs(x - mean) / sd, 1e140);\n"
                            "            part[c] = -LOG_TWO_PI_HALF - log(sd) - 0.5 * z * z;\n"
                            "        }\n"
                            "        part[c] *= p[2 * N_CLASS + c];\n"
                            "    }\n"
                            "}\n\n";

static const char ROUNDED[] =
    "static double upper_tail(double z)\n"
    "{\n"
    "    return 0.5 * erfc(z * 0.70710678118654752440);\n"
    "}\n\n"
    "static void add_rounded(const double *p, double x, double *part)\n"
    "{\n"
    "    const double q = p[3 * N_CLASS], near = nearbyint(x / q) * q;\n"
    "    int c;\n"
    "    for (c = 0; c < N_CLASS; c++) {\n"
    "        const double d = (isfinite(near) ? near : x) - p[c], sd = p[N_CLASS + c];\n"
    "        const double lo = (d - q / 2) / sd, hi = (d + q / 2) / sd;\n"
    "        const double mass =\n"
    "            lo > 0 ? upper_tail(lo) - upper_tail(hi) : upper_tail(-hi) - upper_tail(-lo);\n"
    "        part[c] = log(fmax(mass, 1e-75)) * p[2 * N_CLASS + c];\n"
    "    }\n"
    "}\n\n";

static const char KERNEL[] =
    "static double kernel_sum(const double *point, const double *mass, long n, double x, double "
    "h)\n"
    "{\n"
    "    long lo = 0, hi = n, a, b, k, closest;\n"
    "    double near, limit, best = -INFINITY, sum = 0;\n"
    "    while (lo < hi) {\n"
    "        const long mid = lo + (hi - lo) / 2;\n"
    "        if (point[mid] < x) lo = mid + 1;\n"
    "        else hi = mid;\n"
    "    }\n"
    "    closest = lo == n || (lo > 0 && x - point[lo - 1] < point[lo] - x) ? lo - 1 : lo;\n"
    "    near = fmin(fabs(x - point[closest]) / h, 1e140);\n"
    "    limit = sqrt(near * near + 2 * (45 - mass[closest])) * h;\n"
    "    a = b = lo;\n"
    "    while (a > 0 && x - point[a - 1] <= limit) a--;\n"
    "    while (b < n && point[b] - x <= limit) b++;\n"
    "    if (a == b) a = closest, b = closest + 1;\n"
    "    for (k = a; k < b; k++) {\n"
    "        const double z = fmin(fabs(x - point[k]) / h, 1e140);\n"
    "        best = fmax(best, mass[k] - 0.5 * z * z);\n"
    "    }\n"
    "    for (k = a; k < b; k++) {\n"
    "        const double z = fmin(fabs(x - point[k]) / h, 1e140);\n"
    "        sum += exp(mass[k] - 0.5 * z * z - best);\n"
    "    }\n"
    "    return best + log(sum);\n"
    "}\n\n"
    "/* Widths, weights and numbers of points, each a class; then points and log masses. */\n"
    "static void add_kernel(const double *p, double x, double *part)\n"
    "{\n"
    "    const double *point = p + 3 * N_CLASS;\n"
    "    double mean = 0, n = 0;\n"
    "    int c;\n"
    "    for (c = 0; c < N_CLASS; c++) {\n"
    "        const long count = (long)p[2 * N_CLASS + c];\n"
    "        if (!count) continue;\n"
    "        part[c] = kernel_sum(point, point + count, count, x, p[c]) - LOG_TWO_PI_HALF -\n"
    "                  log(p[c]);\n"
    "        point += 2 * count;\n"
    "        mean += part[c];\n"
    "        n++;\n"
    "    }\n"
    "    for (c = 0; c < N_CLASS; c++) {\n"
    "        if (p[2 * N_CLASS + c] == 0) part[c] = mean / n;\n"
    "        part[c] *= p[N_CLASS + c];\n"
    "    }\n"
    "}\n\n";

static const char SOFTMAX[] =
    "/* Scores become probabilities; the likeliest class. */\n"
    "static int finish(const double *score, double *proba)\n"
    "{\n"
    "    double top = -INFINITY, sum = 0;\n"
    "    int c, best = 0;\n"
    "    for (c = 0; c < N_CLASS; c++)\n"
    "        if (score[c] > top) top = score[c];\n"
    "    for (c = 0; c < N_CLASS; c++) sum += proba[c] = isinf(top) ? 1 : exp(score[c] - top);\n"
    "    for (c = 0; c < N_CLASS; c++) proba[c] /= sum;\n"
    "    for (c = 1; c < N_CLASS; c++)\n"
    "        if (proba[c] > proba[best]) best = c;\n"
    "    return best;\n"
    "}\n\n";

static const char VOTE[] =
    "static double sigmoid(double t)\n"
    "{\n"
    "    const double e = exp(-fabs(t));\n"
    "    return t >= 0 ? 1 / (1 + e) : e / (1 + e);\n"
    "}\n\n"
    "/* One vote a pair of classes; shares of the votes are the probabilities. */\n"
    "static void vote(const double *margin, double *score)\n"
    "{\n"
    "    int c, k;\n"
    "    for (c = 0; c < N_CLASS; c++) score[c] = 0;\n"
    "    for (k = 0; k < N_CLASS_PAIRS; k++) {\n"
    "        score[class_pairs[k][0]] += sigmoid(margin[k]);\n"
    "        score[class_pairs[k][1]] += sigmoid(-margin[k]);\n"
    "    }\n"
    "    for (c = 0; c < N_CLASS; c++)\n"
    "        score[c] = isinf(start[c]) ? -INFINITY : log(fmax(score[c], DBL_MIN) / "
    "N_CLASS_PAIRS);\n"
    "}\n\n";

static const char LINES[] =
    "/* Mean, sd and slopes of the number, then the table. */\n"
    "static void add_lines(const double *p, double x, long code, double *part)\n"
    "{\n"
    "    double z = isnan(x) ? 0 : (x - p[0]) / p[1];\n"
    "    int c;\n"
    "    z = z < -4 ? -4 : z > 4 ? 4 : z;\n"
    "    for (c = 0; c < N_CLASS; c++)\n"
    "        part[c] = p[2 + (code + 1) * N_CLASS + c] + p[2 + c] * z;\n"
    "}\n\n";

static const char PAIR[] = "typedef struct pair {         /* a pair of attributes */\n"
                           "    long i, j, view_i, view_j; /* what a code becomes, in views */\n"
                           "    unsigned long codes;       /* of the second view */\n"
                           "    long n_keys, keys;         /* 0: every cell is in the table */\n"
                           "    long at;                   /* the table in data */\n"
                           "} pair;\n\n";

static const char PAIRS[] =
    "static void add_pair(const pair *b, const long *spot, double *score)\n"
    "{\n"
    "    const unsigned long long cell =\n"
    "        (unsigned long long)views[b->view_i + spot[b->i]] * b->codes +\n"
    "        views[b->view_j + spot[b->j]];\n"
    "    long at = (long)cell;\n"
    "    int c;\n"
    "    if (b->n_keys) {\n"
    "        long lo = 0, hi = b->n_keys;\n"
    "        while (lo < hi) {\n"
    "            const long mid = lo + (hi - lo) / 2;\n"
    "            if (keys[b->keys + mid] < cell) lo = mid + 1;\n"
    "            else hi = mid;\n"
    "        }\n"
    "        if (lo == b->n_keys || keys[b->keys + lo] != cell) return;\n"
    "        at = lo;\n"
    "    }\n"
    "    for (c = 0; c < N_CLASS; c++) score[c] += data[b->at + at * N_CLASS + c];\n"
    "}\n\n";

static const char CALIBRATE[] =
    "static void calibrate(double *score)\n"
    "{\n"
    "    double all = 0;\n"
    "    int c;\n"
    "    if (NORMALISE) {\n"
    "        double top = -INFINITY, sum = 0;\n"
    "        for (c = 0; c < N_CLASS; c++)\n"
    "            if (score[c] > top) top = score[c];\n"
    "        for (c = 0; c < N_CLASS; c++) sum += exp(score[c] - top);\n"
    "        all = top + log(sum);\n"
    "    }\n"
    "    for (c = 0; c < N_CLASS; c++)\n"
    "        if (isfinite(score[c]) && isfinite(all))\n"
    "            score[c] = scale[c] * (score[c] - all) + shift[c];\n"
    "}\n\n";

/* ---- values ---- */

static void put_number(heft_buf *buf, double x)
{
    char text[32];
    if (!isfinite(x)) {
        heft_buf_text(buf, x > 0 ? "INFINITY" : "-INFINITY");
        return;
    }
    heft_format_double(text, x);
    heft_buf_text(buf, text);
    if (!strpbrk(text, ".e")) heft_buf_text(buf, ".0");
}

static void put_literal(heft_buf *buf, const char *text)
{
    heft_buf_text(buf, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s < 0x20 || *s >= 0x7f) heft_buf_printf(buf, "\\%03o", (unsigned)*s);
        else if (*s == '"' || *s == '\\' || *s == '?') heft_buf_printf(buf, "\\%c", *s);
        else heft_buf_add(buf, (const char *)s, 1);
    }
    heft_buf_text(buf, "\"");
}

/* One more number of the pool. */
static void add_data(writer *w, double x)
{
    const size_t from = w->data.length;
    if (w->n_data++) heft_buf_text(&w->data, w->n_line > 84 ? ",\n    " : ", ");
    if (w->n_line > 84) w->n_line = 0;
    put_number(&w->data, x);
    w->n_line += w->data.length - from;
}

static void add_list(writer *w, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) add_data(w, x[k]);
}

static void add_string(writer *w, const char *text)
{
    if (w->n_texts++) heft_buf_text(&w->texts, ",\n    ");
    put_literal(&w->texts, text);
}

/* ---- attributes ---- */

static term term_of(const writer *w, size_t j)
{
    if (w->pooled) return w->pooled->attr[j].slope ? TERM_LINES : TERM_TABLE;
    const heft_lik *lik = &w->f->lik[j];
    if (lik->kind == HEFT_LIK_TABLE) return TERM_TABLE;
    if (lik->silent) return TERM_NONE;
    if (lik->kind == HEFT_LIK_ROUNDED) return TERM_ROUNDED;
    if (lik->kind == HEFT_LIK_KERNEL) return TERM_KERNEL;
    return w->f->ready[j] && !w->class_pairs ? TERM_NORMAL : TERM_POINT;
}

/* The weights of a density that are not folded into its numbers. */
static void add_weights(writer *w, size_t j)
{
    for (size_t c = 0; c < w->K; c++)
        add_data(w, w->f->weights.folded || w->class_pairs
                        ? 1
                        : heft_weight_at(&w->f->weights, w->K, j, c, 0));
}

static void add_kernel(writer *w, size_t j)
{
    const heft_lik *lik = &w->f->lik[j];
    add_list(w, lik->width, w->K);
    add_weights(w, j);
    for (size_t c = 0; c < w->K; c++) add_data(w, (double)(lik->start[c + 1] - lik->start[c]));
    for (size_t c = 0; c < w->K; c++) {
        const size_t n = lik->start[c + 1] - lik->start[c];
        add_list(w, lik->point + lik->start[c], n);
        add_list(w, lik->log_mass + lik->start[c], n);
    }
}

static void add_declared(writer *w, const double *line)
{
    heft_spot_numbers(w->pooled, line, 0, w->line);
    add_list(w, w->line, w->K);
}

/* The table of an attribute of a pooled score by its spots, and what its views make of them. */
static void add_spots(writer *w, const heft_spots *spots, size_t j)
{
    const heft_pooled_attr *a = spots->attr;
    HEFT_KNOWN(a);
    if (a->slope) {
        add_data(w, a->lines.mean);
        add_data(w, a->lines.sd);
        add_declared(w, a->slope);
    }
    for (size_t v = 0; v < spots->n_codes + 2; v++)
        add_declared(w, a->table + heft_spot_line(spots, v) * w->pooled->n_class);
    for (size_t k = 0; k < a->n_views; k++) {
        w->view[j][k] = w->n_views;
        for (size_t v = 0; v < spots->n_codes + 2; v++, w->n_views++)
            heft_buf_printf(&w->views, "%s%lu",
                            w->n_views == 0   ? ""
                            : w->n_views % 24 ? ", "
                                              : ",\n    ",
                            (unsigned long)a->view[k][heft_spot_line(spots, v)]);
    }
}

static void add_pairs(writer *w)
{
    const heft_pooled *p = w->pooled;
    for (size_t k = 0; k < p->n_pairs; k++) {
        const heft_pair_table *pair = &p->pair[k];
        const size_t           keys = w->n_keys, at = w->n_data;
        for (size_t v = 0; pair->key && v < pair->n_cells; v++, w->n_keys++)
            heft_buf_printf(&w->keys, "%s%llu",
                            w->n_keys == 0   ? ""
                            : w->n_keys % 12 ? ", "
                                             : ",\n    ",
                            (unsigned long long)pair->key[v]);
        for (size_t v = 0; v < pair->n_cells; v++) add_declared(w, pair->table + v * p->n_class);
        heft_buf_printf(&w->pairs, "%s{%lu, %lu, %zu, %zu, %lu, %zu, %zu, %zu}", k ? ",\n    " : "",
                        (unsigned long)pair->i, (unsigned long)pair->j,
                        w->view[pair->i][pair->view_i], w->view[pair->j][pair->view_j],
                        (unsigned long)p->attr[pair->j].n_codes[pair->view_j],
                        pair->key ? pair->n_cells : 0, pair->key ? keys : 0, at);
    }
}

static void add_term(writer *w, size_t j, term kind)
{
    const heft_lik *lik = &w->f->lik[j];
    switch (kind) {
    case TERM_TABLE:
        add_list(w, w->class_pairs ? lik->table : w->f->ready[j],
                 ((size_t)lik->n_codes + 2) * w->K);
        break;
    case TERM_NORMAL:
        add_list(w, w->f->ready[j], 4 * w->K);
        break;
    case TERM_POINT:
    case TERM_ROUNDED:
        add_list(w, lik->mean, w->K);
        add_list(w, lik->sd, w->K);
        add_weights(w, j);
        if (kind == TERM_ROUNDED) add_data(w, lik->precision);
        break;
    case TERM_KERNEL:
        add_kernel(w, j);
        break;
    case TERM_LINES: /* by add_spots */
    case TERM_NONE:
        break;
    }
}

static void add_attribute(writer *w, size_t j)
{
    const heft_attr_prep *a = &w->model->prep.attr[j];
    const term            kind = term_of(w, j);
    const bool            nominal = a->kind == HEFT_NOMINAL;
    const size_t          values = w->n_texts, cuts = w->n_data;
    heft_spots            spots = {.n_cuts = a->cut ? a->n_cuts : 0, .cuts = a->cuts};
    if (w->pooled) spots = heft_spots_of(w->model, w->pooled, j);
    else spots.n_codes = w->f->lik[j].n_codes;
    w->has_term[kind] = true;
    w->has_nominal |= nominal;
    w->has_cuts |= a->cut || (w->pooled && !nominal);
    for (uint32_t v = 0; nominal && v < heft_dict_size(a->dict); v++)
        add_string(w, heft_dict_text(a->dict, v));
    add_list(w, spots.cuts, spots.n_cuts);
    heft_buf_printf(&w->records, "%s{%d, %d, %zu, %zu, %d, ", j ? ",\n    " : "", nominal,
                    (int)kind, spots.n_codes, nominal ? values : 0, a->has_fill);
    put_number(&w->records, a->has_fill ? a->fill : 0);
    heft_buf_text(&w->records, ", ");
    put_number(&w->records, nominal ? 0 : a->shift);
    heft_buf_text(&w->records, ", ");
    put_number(&w->records, nominal ? 1 : a->factor);
    heft_buf_printf(&w->records, ", %zu, %zu, %lu, %zu}", spots.n_cuts, spots.n_cuts ? cuts : 0,
                    (unsigned long)heft_zero_interval(&w->model->prep, j), w->n_data);
    if (w->pooled) add_spots(w, &spots, j);
    else add_term(w, j, kind);
}

/* ---- the file ---- */

static void write_comment(const writer *w, heft_buf *out)
{
    const heft_model *model = w->model;
    heft_buf_printf(
        out,
        "/* A %s model (%s), written by heft %s: %zu attributes, %zu classes.\n"
        " * Needs the C99 standard library alone (link with -lm); no memory is taken, no state "
        "kept.\n"
        " *\n"
        " *   int model_predict(const double *numbers, const int *codes, double *proba);\n"
        " *       The index of the likeliest class. proba[classes] gets the probabilities, unless "
        "NULL.\n"
        " *       A row has one cell for each attribute j: numbers[j] for a numeric one, NAN "
        "where\n"
        " *       missing; codes[j] for a nominal one. The array no attribute uses may be NULL.\n"
        " *   int model_code(int attribute, const char *text);\n"
        " *       The code of a nominal value: MODEL_MISSING for NULL, MODEL_UNKNOWN for a value "
        "the\n"
        " *       model has never heard of. Cost: a look at each value of the attribute.\n"
        " *   const char *model_attribute_name(int attribute);    int model_attributes(void);\n"
        " *   const char *model_class_name(int c);                int model_classes(void);\n"
        " *   int model_is_nominal(int attribute);\n"
        " *\n"
        " * Texts are the bytes of the training data. To have several models in one program "
        "define\n"
        " * MODEL_NAME(x) as another prefix when compiling each, for example\n"
        " *   cc -std=c99 -c '-DMODEL_NAME(x)=iris_##x' iris.c */\n",
        model->method->name, model->method->title, heft_version(), model->prep.n_attr, w->K);
}

static void write_array(heft_buf *out, const char *type, const char *name, heft_buf *content,
                        const char *none)
{
    heft_buf_printf(out, "static const %s %s[] = {\n    ", type, name);
    if (content->length) heft_buf_add(out, content->data, content->length);
    else heft_buf_text(out, none);
    heft_buf_text(out, "\n};\n\n");
    out->failed |= content->failed;
}

static void write_numbers(heft_buf *out, const char *name, const double *x, size_t n)
{
    heft_buf_printf(out, "static const double %s[] = {", name);
    for (size_t k = 0; k < n; k++) {
        heft_buf_text(out, k == 0 ? "" : k % 4 ? ", " : ",\n    ");
        put_number(out, x[k]);
    }
    heft_buf_text(out, "};\n\n");
}

/* Pairs of classes and their weights: w0, then one an attribute. */
static void write_class_pairs(const writer *w, heft_buf *out)
{
    const size_t n = w->class_pairs->n_pairs;
    heft_buf_printf(
        out, "enum { N_CLASS_PAIRS = %zu };\n\nstatic const int class_pairs[N_CLASS_PAIRS][2] = {",
        n);
    for (size_t k = 0; k < n; k++)
        heft_buf_printf(out, "%s{%zu, %zu}", k ? ", " : "", w->class_pairs->pair[k].a,
                        w->class_pairs->pair[k].b);
    heft_buf_text(out,
                  "};\n\nstatic const double class_pair_weights[N_CLASS_PAIRS][1 + N_ATTR] = {\n");
    for (size_t k = 0; k < n; k++) {
        heft_buf_text(out, "    {");
        put_number(out, w->class_pairs->pair[k].w0);
        for (size_t j = 0; j < w->f->n_attr; j++) {
            heft_buf_text(out, j % 8 == 7 ? ",\n     " : ", ");
            put_number(out, w->class_pairs->pair[k].w[j]);
        }
        heft_buf_text(out, k + 1 < n ? "},\n" : "}\n");
    }
    heft_buf_text(out, "};\n\n");
}

static void write_start(const writer *w, heft_buf *out)
{
    heft_buf one = {0};
    if (w->pooled) {
        heft_spot_start(w->f, w->pooled, w->line);
        write_numbers(out, "start", w->line, w->K);
        return;
    }
    for (size_t c = 0; c < w->K; c++) {
        const double prior = w->f->log_prior[c];
        double       x = prior;
        if (!w->class_pairs && isfinite(prior)) x = w->f->weights.w0 * prior;
        if (!w->class_pairs && w->f->bias) x += w->f->bias[c];
        if (w->model->prep.sparse && !w->class_pairs) x = w->f->zero_sum[c];
        heft_buf_text(&one, c == 0 ? "" : c % 4 ? ", " : ",\n    ");
        put_number(&one, x);
    }
    write_array(out, "double", "start", &one, "0");
    heft_buf_clear(&one);
    if (w->model->prep.sparse && !w->class_pairs && w->f->n_attr)
        write_numbers(out, "zero", w->f->zero, w->f->n_attr * w->K);
}

static void write_reader(const writer *w, heft_buf *out)
{
    const bool numbers = w->has_cuts || w->has_term[TERM_NORMAL] || w->has_term[TERM_POINT] ||
                         w->has_term[TERM_ROUNDED] || w->has_term[TERM_KERNEL];
    heft_buf_text(out, NAMES);
    if (w->has_nominal) heft_buf_text(out, NOMINAL);
    if (w->has_cuts) heft_buf_text(out, CUTS);
    if (numbers) heft_buf_text(out, SCALED);
    if (numbers && w->model->prep.spec.scaling == HEFT_SCALE_UNIT) heft_buf_text(out, UNIT);
    if (w->has_term[TERM_NORMAL]) heft_buf_text(out, NORMAL);
    if (w->has_term[TERM_POINT]) heft_buf_text(out, POINT);
    if (w->has_term[TERM_ROUNDED]) heft_buf_text(out, ROUNDED);
    if (w->has_term[TERM_KERNEL]) heft_buf_text(out, KERNEL);
    if (w->has_term[TERM_LINES]) heft_buf_text(out, LINES);
    if (w->pairs.length) heft_buf_text(out, PAIRS);
    if (w->class_pairs) heft_buf_text(out, VOTE);
    if (w->model->calibration.scale) heft_buf_text(out, CALIBRATE);
    heft_buf_text(out, SOFTMAX);
}

/* The cell of attribute j becomes a code or a number. */
static void write_cell(const writer *w, heft_buf *out)
{
    const bool unit = w->model->prep.spec.scaling == HEFT_SCALE_UNIT;
    if (w->has_nominal)
        heft_buf_text(out, "        if (a->nominal) code = known_code(a, codes[j]);\n"
                           "        else {\n");
    else heft_buf_text(out, "        {\n");
    heft_buf_text(out, "            x = filled(a, numbers[j]);\n");
    if (unit) heft_buf_text(out, "            if (length > 0) x = x * scale / length;\n");
    heft_buf_text(out, "            x = scaled(a, x);\n");
    if (w->pooled) heft_buf_text(out, "            code = interval_of(a, x);\n");
    else if (w->has_cuts)
        heft_buf_text(out, "            if (a->term == 1) code = interval_of(a, x);\n");
    heft_buf_text(out, "        }\n");
}

static void write_terms(const writer *w, heft_buf *out)
{
    static const char *const names[] = {NULL,        NULL,          "add_normal",
                                        "add_point", "add_rounded", "add_kernel"};
    if (w->model->prep.sparse && !w->class_pairs)
        heft_buf_text(out, "        if (a->term == 1 ? code == 0 : x == 0) continue;\n");
    if (w->pooled) {
        heft_buf_printf(
            out, "        %s\n",
            w->has_term[TERM_LINES] && w->has_term[TERM_TABLE]
                ? "if (a->term == 6) add_lines(data + a->at, x, code, part);\n"
                  "        else memcpy(part, data + a->at + code * N_CLASS, sizeof part);"
            : w->has_term[TERM_LINES]
                ? "add_lines(data + a->at, x, code, part);"
                : "memcpy(part, data + a->at + code * N_CLASS, sizeof part);");
        if (w->pairs.length) heft_buf_text(out, "        spot[j] = code;\n");
        return;
    }
    heft_buf_text(out, "        if (a->term == 0 || (a->term != 1 && isnan(x)))\n"
                       "            for (c = 0; c < N_CLASS; c++) part[c] = 0;\n");
    if (w->has_term[TERM_TABLE])
        heft_buf_text(out,
                      "        else if (a->term == 1)\n"
                      "            memcpy(part, data + a->at + code * N_CLASS, sizeof part);\n");
    for (int t = TERM_NORMAL; t <= TERM_KERNEL; t++)
        if (w->has_term[t])
            heft_buf_printf(out, "        else if (a->term == %d) %s(data + a->at, x, part);\n", t,
                            names[t]);
}

static void write_loop(const writer *w, bool numbers, heft_buf *out)
{
    heft_buf_text(out, "    for (j = 0; j < N_ATTR; j++) {\n"
                       "        const attribute *a = &attributes[j];\n"
                       "        long code = 0;\n"
                       "        double x = 0;\n");
    if (numbers) write_cell(w, out);
    else heft_buf_text(out, "        code = known_code(a, codes[j]);\n");
    write_terms(w, out);
    if (w->class_pairs)
        heft_buf_text(
            out,
            "        for (k = 0; k < N_CLASS_PAIRS; k++)\n"
            "            margin[k] += class_pair_weights[k][1 + j] * (part[class_pairs[k][0]] - "
            "part[class_pairs[k][1]]);\n");
    else if (w->model->prep.sparse)
        heft_buf_text(out, "        for (c = 0; c < N_CLASS; c++) score[c] += part[c] - zero[j * "
                           "N_CLASS + c];\n");
    else heft_buf_text(out, "        for (c = 0; c < N_CLASS; c++) score[c] += part[c];\n");
    heft_buf_text(out, "        (void)code;\n        (void)x;\n    }\n");
}

static void write_predict(const writer *w, heft_buf *out)
{
    bool numbers = false, unit = w->model->prep.spec.scaling == HEFT_SCALE_UNIT;
    for (size_t j = 0; j < w->f->n_attr; j++) numbers |= w->model->prep.attr[j].kind == HEFT_NUMBER;
    unit &= numbers;
    heft_buf_text(out, "int MODEL_NAME(predict)(const double *numbers, const int *codes, double "
                       "*proba)\n{\n"
                       "    double score[N_CLASS], part[N_CLASS], own[N_CLASS];\n");
    if (w->class_pairs) heft_buf_text(out, "    double margin[N_CLASS_PAIRS];\n    int k;\n");
    if (unit) heft_buf_text(out, "    double scale, length = length_of(numbers, &scale);\n");
    if (w->pairs.length) heft_buf_text(out, "    long spot[N_ATTR];\n");
    heft_buf_text(out, "    long j;\n    int c;\n");
    if (w->class_pairs)
        heft_buf_text(out,
                      "    for (k = 0; k < N_CLASS_PAIRS; k++)\n"
                      "        margin[k] = class_pair_weights[k][0] * (start[class_pairs[k][0]] - "
                      "start[class_pairs[k][1]]);\n");
    else heft_buf_text(out, "    for (c = 0; c < N_CLASS; c++) score[c] = start[c];\n");
    if (w->f->n_attr) write_loop(w, numbers, out);
    else heft_buf_text(out, "    (void)j;\n    (void)part;\n");
    if (w->pairs.length)
        heft_buf_text(out, "    for (j = 0; j < N_PAIRS; j++) add_pair(&pairs[j], spot, score);\n");
    if (w->class_pairs) heft_buf_text(out, "    vote(margin, score);\n");
    if (w->model->calibration.scale) heft_buf_text(out, "    calibrate(score);\n");
    heft_buf_text(out, "    (void)c;\n    (void)numbers;\n    (void)codes;\n"
                       "    return finish(score, proba ? proba : own);\n}\n");
}

static void write_file(writer *w, heft_buf *out)
{
    write_comment(w, out);
    heft_buf_text(out, HEAD);
    heft_buf_text(out, "#include <float.h>\n\n");
    heft_buf_printf(out, "enum { N_ATTR = %zu, N_CLASS = %zu, UNSEEN_ZERO = %d };\n", w->f->n_attr,
                    w->K, w->model->prep.spec.unseen_zero);
    if (w->has_term[TERM_POINT] || w->has_term[TERM_KERNEL])
        heft_buf_text(out, "static const double LOG_TWO_PI_HALF = 0.91893853320467274178;\n");
    heft_buf_text(out, "\n");
    heft_buf_text(out, RECORD);
    write_array(out, "char *const", "texts", &w->texts, "\"\"");
    if (w->f->n_attr) write_array(out, "double", "data", &w->data, "0");
    write_array(out, "attribute", "attributes", &w->records,
                "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}");
    write_start(w, out);
    if (w->pairs.length) {
        HEFT_KNOWN(w->pooled);
        heft_buf_printf(out, "enum { N_PAIRS = %zu };\n\n", w->pooled->n_pairs);
        heft_buf_text(out, PAIR);
        write_array(out, "unsigned long", "views", &w->views, "0");
        write_array(out, "unsigned long long", "keys", &w->keys, "0");
        write_array(out, "pair", "pairs", &w->pairs, "");
    }
    if (w->class_pairs) write_class_pairs(w, out);
    if (w->model->calibration.scale) {
        heft_buf_printf(out, "enum { NORMALISE = %d };\n",
                        w->model->calibration.kind == HEFT_VECTOR);
        write_numbers(out, "scale", w->model->calibration.scale, w->K);
        write_numbers(out, "shift", w->model->calibration.shift, w->K);
    }
    write_reader(w, out);
    write_predict(w, out);
}

/* ---- public ---- */

heft_status heft_export_check(heft_ctx *ctx, const heft_model *model)
{
    if (model->method->caps & HEFT_ADDITIVE) return HEFT_OK;
    if (heft_pooled_of(model->method, &model->fitted)) return HEFT_OK;
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "export: the score of method %s is no sum over attributes, and a file of "
                     "tables cannot hold it (methods that can: heft methods; the model as it is: "
                     "heft inspect --json)",
                     model->method->name);
}

heft_status heft_export_c(heft_ctx *ctx, const heft_model *model, char **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_buf        buf = {0};
    writer          w = {.model = model, .f = &model->fitted, .K = model->fitted.n_class};
    *out = NULL;
    HEFT_TRY(heft_export_check(ctx, model));
    w.class_pairs = heft_ovo_of(model->method, &model->fitted);
    w.pooled = heft_pooled_of(model->method, &model->fitted);
    HEFT_ARENA(ctx, &ctx->scratch, w.line, w.K);
    HEFT_ARENA(ctx, &ctx->scratch, w.view, w.f->n_attr);
    for (uint32_t c = 0; c < w.K; c++) add_string(&w, heft_dict_text(model->prep.classes, c));
    for (size_t j = 0; j < w.f->n_attr; j++) add_string(&w, model->prep.attr[j].name);
    for (size_t j = 0; j < w.f->n_attr; j++) {
        add_attribute(&w, j);
        if (j % 1024 == 0) HEFT_TRY(heft_check_cancel(ctx));
    }
    if (w.pooled) add_pairs(&w);
    write_file(&w, &buf);
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_buf_clear(&w.data);
    heft_buf_clear(&w.texts);
    heft_buf_clear(&w.records);
    heft_buf_clear(&w.views);
    heft_buf_clear(&w.keys);
    heft_buf_clear(&w.pairs);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
