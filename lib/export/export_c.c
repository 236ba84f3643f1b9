/* export_c.c - a model as one C99 file that needs the standard library alone.
 *
 * The file is data (one pool of doubles, one record per attribute) and a small reader of it; of the
 * reader only the pieces the model needs are written, so that strict compilers find nothing unused.
 * It repeats the arithmetic of prep_apply.c, score.c, likelihood.c, ovo.c and pooled.c step by
 * step, in the same order, on the same doubles.
 *
 * Names and values of users appear in string literals only, every byte outside plain ASCII in
 * octal: no quote, newline, end of comment or trigraph of theirs reaches the compiler. */
#include <math.h>
#include <string.h>

#include "export/export.h"
#include "prep/numbers.h"

typedef struct list { /* an array of the file while it is written */
    heft_buf text;
    size_t   n;
} list;

enum { /* what the model has, and the file therefore needs */
       HAS_TABLE = 1u << HEFT_TERM_TABLE,
       HAS_NORMAL = 1u << HEFT_TERM_NORMAL,
       HAS_POINT = 1u << HEFT_TERM_POINT,
       HAS_ROUNDED = 1u << HEFT_TERM_ROUNDED,
       HAS_KERNEL = 1u << HEFT_TERM_KERNEL,
       HAS_SLOPED = 1u << HEFT_TERM_SLOPED,
       HAS_ATTRS = 1u << HEFT_TERM_KINDS,
       HAS_NOMINAL = HAS_ATTRS << 1,
       HAS_NUMBERS = HAS_ATTRS << 2,
       HAS_CUTS = HAS_ATTRS << 3,
       HAS_UNIT = HAS_ATTRS << 4,   /* rows are scaled to length 1 */
       HAS_ZEROS = HAS_ATTRS << 5,  /* sparse rows: the score starts from that of all zeros */
       HAS_VOTE = HAS_ATTRS << 6,   /* class pairs */
       HAS_SHARED = HAS_ATTRS << 7, /* the shared form of the score */
       HAS_PAIRS = HAS_ATTRS << 8,
       HAS_SCALE = HAS_ATTRS << 9 /* calibration */
};

typedef struct writer {
    const heft_terms *t;
    const heft_prep  *prep;
    size_t            K, n_line;
    unsigned          has; /* HAS_... */
    list              data, texts, records, views, keys, pairs;
    size_t          **view; /* where each attribute's views begin */
    double           *line; /* K */
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

static const char PAIR[] = "typedef struct pair {         /* a pair of attributes */\n"
                           "    long i, j, view_i, view_j; /* what a code becomes, in views */\n"
                           "    unsigned long codes;       /* of the second view */\n"
                           "    long n_keys, keys;         /* 0: every cell is in the table */\n"
                           "    long at;                   /* the table in data */\n"
                           "} pair;\n\n";

/* Pieces are written where the model has all of `has` and nothing of `lacks`. */
typedef struct piece {
    unsigned    has, lacks;
    const char *text;
} piece;

static const piece READER[] = {
    {0, 0,
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
     "}\n\n"},
    {HAS_NOMINAL, 0,
     "static long known_code(const attribute *a, int code)\n"
     "{\n"
     "    const long missing = a->filled ? (long)a->fill : a->n_codes;\n"
     "    if (code >= 0 && code < a->n_codes) return code;\n"
     "    return code == MODEL_UNKNOWN && UNSEEN_ZERO ? a->n_codes + 1 : missing;\n"
     "}\n\n"},
    {HAS_CUTS, 0,
     "/* Cuts strictly below x. */\n"
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
     "}\n\n"},
    {HAS_NUMBERS, 0,
     "static double scaled(const attribute *a, double x)\n"
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
     "}\n\n"},
    {HAS_NUMBERS | HAS_UNIT, 0,
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
     "}\n\n"},
    {HAS_NORMAL, 0,
     "static void add_normal(const double *p, double x, double *part)\n"
     "{\n"
     "    int c;\n"
     "    for (c = 0; c < N_CLASS; c++) {\n"
     "        const double far = fabs(x - p[N_CLASS + c]) * p[2 * N_CLASS + c];\n"
     "        const double z = far < 1e140 ? far : 1e140;\n"
     "        part[c] = p[c] - p[3 * N_CLASS + c] * (z * z);\n"
     "    }\n"
     "}\n\n"},
    {HAS_POINT, 0,
     "static void add_point(const double *p, double x, double *part)\n"
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
     "}\n\n"},
    {HAS_ROUNDED, 0,
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
     "}\n\n"},
    {HAS_KERNEL, 0,
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
     "}\n\n"},
    {HAS_SLOPED, 0,
     "/* Mean, sd and slopes of the number, then the table. */\n"
     "static void add_lines(const double *p, double x, long code, double *part)\n"
     "{\n"
     "    double z = isnan(x) ? 0 : (x - p[0]) / p[1];\n"
     "    int c;\n"
     "    z = z < -4 ? -4 : z > 4 ? 4 : z;\n"
     "    for (c = 0; c < N_CLASS; c++)\n"
     "        part[c] = p[2 + (code + 1) * N_CLASS + c] + p[2 + c] * z;\n"
     "}\n\n"},
    {HAS_PAIRS, 0,
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
     "}\n\n"},
    {HAS_VOTE, 0,
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
     "}\n\n"},
    {HAS_SCALE, 0,
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
     "}\n\n"},
    {0, 0,
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
     "}\n\n"},
    {0, 0,
     "int MODEL_NAME(predict)(const double *numbers, const int *codes, double *proba)\n{\n"
     "    double score[N_CLASS], part[N_CLASS], own[N_CLASS];\n"},
    {HAS_VOTE, 0, "    double margin[N_CLASS_PAIRS];\n    int k;\n"},
    {HAS_NUMBERS | HAS_UNIT, 0, "    double scale, length = length_of(numbers, &scale);\n"},
    {HAS_PAIRS, 0, "    long spot[N_ATTR];\n"},
    {0, 0, "    long j;\n    int c;\n"},
    {HAS_VOTE, 0,
     "    for (k = 0; k < N_CLASS_PAIRS; k++)\n"
     "        margin[k] = class_pair_weights[k][0] * (start[class_pairs[k][0]] - "
     "start[class_pairs[k][1]]);\n"},
    {0, HAS_VOTE, "    for (c = 0; c < N_CLASS; c++) score[c] = start[c];\n"},
    {0, HAS_ATTRS, "    (void)j;\n    (void)part;\n"},
    {HAS_ATTRS, 0,
     "    for (j = 0; j < N_ATTR; j++) {\n"
     "        const attribute *a = &attributes[j];\n"
     "        long code = 0;\n"
     "        double x = 0;\n"},
    /* The cell becomes a code or a number. */
    {HAS_NOMINAL, HAS_NUMBERS, "        code = known_code(a, codes[j]);\n"},
    {HAS_NOMINAL | HAS_NUMBERS, 0,
     "        if (a->nominal) code = known_code(a, codes[j]);\n        else {\n"},
    {HAS_NUMBERS, HAS_NOMINAL, "        {\n"},
    {HAS_NUMBERS, 0, "            x = filled(a, numbers[j]);\n"},
    {HAS_NUMBERS | HAS_UNIT, 0, "            if (length > 0) x = x * scale / length;\n"},
    {HAS_NUMBERS, 0, "            x = scaled(a, x);\n"},
    {HAS_CUTS | HAS_SHARED, 0, "            if (a->term == 1) code = interval_of(a, x);\n"},
    {HAS_CUTS, HAS_SHARED, "            code = interval_of(a, x);\n"},
    {HAS_NUMBERS, 0, "        }\n"},
    /* The cell's part of the score. */
    {HAS_SLOPED | HAS_TABLE, 0,
     "        if (a->term == 6) add_lines(data + a->at, x, code, part);\n"},
    {HAS_SLOPED | HAS_TABLE, 0,
     "        else memcpy(part, data + a->at + code * N_CLASS, sizeof part);\n"},
    {HAS_SLOPED, HAS_TABLE, "        add_lines(data + a->at, x, code, part);\n"},
    {HAS_TABLE, HAS_SLOPED | HAS_SHARED,
     "        memcpy(part, data + a->at + code * N_CLASS, sizeof part);\n"},
    {HAS_PAIRS, 0, "        spot[j] = code;\n"},
    {HAS_ATTRS | HAS_ZEROS, 0, "        if (a->term == 1 ? code == 0 : x == 0) continue;\n"},
    {HAS_ATTRS | HAS_SHARED, 0,
     "        if (a->term == 0 || (a->term != 1 && isnan(x)))\n"
     "            for (c = 0; c < N_CLASS; c++) part[c] = 0;\n"},
    {HAS_TABLE | HAS_SHARED, 0,
     "        else if (a->term == 1)\n"
     "            memcpy(part, data + a->at + code * N_CLASS, sizeof part);\n"},
    {HAS_NORMAL, 0, "        else if (a->term == 2) add_normal(data + a->at, x, part);\n"},
    {HAS_POINT, 0, "        else if (a->term == 3) add_point(data + a->at, x, part);\n"},
    {HAS_ROUNDED, 0, "        else if (a->term == 4) add_rounded(data + a->at, x, part);\n"},
    {HAS_KERNEL, 0, "        else if (a->term == 5) add_kernel(data + a->at, x, part);\n"},
    {HAS_ATTRS | HAS_VOTE, 0,
     "        for (k = 0; k < N_CLASS_PAIRS; k++)\n"
     "            margin[k] += class_pair_weights[k][1 + j] * (part[class_pairs[k][0]] - "
     "part[class_pairs[k][1]]);\n"},
    {HAS_ATTRS | HAS_ZEROS, 0,
     "        for (c = 0; c < N_CLASS; c++) score[c] += part[c] - zero[j * N_CLASS + c];\n"},
    {HAS_ATTRS, HAS_VOTE | HAS_ZEROS,
     "        for (c = 0; c < N_CLASS; c++) score[c] += part[c];\n"},
    {HAS_ATTRS, 0, "        (void)code;\n        (void)x;\n    }\n"},
    {HAS_PAIRS, 0, "    for (j = 0; j < N_PAIRS; j++) add_pair(&pairs[j], spot, score);\n"},
    {HAS_VOTE, 0, "    vote(margin, score);\n"},
    {HAS_SCALE, 0, "    calibrate(score);\n"},
    {0, 0,
     "    (void)c;\n    (void)numbers;\n    (void)codes;\n"
     "    return finish(score, proba ? proba : own);\n}\n"},
};

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
    const size_t from = w->data.text.length;
    if (w->data.n++) heft_buf_text(&w->data.text, w->n_line > 84 ? ",\n    " : ", ");
    if (w->n_line > 84) w->n_line = 0;
    put_number(&w->data.text, x);
    w->n_line += w->data.text.length - from;
}

static void add_list(writer *w, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) add_data(w, x[k]);
}

/* A whole number, `across` of them to a line. */
static void add_whole(list *to, size_t x, size_t across)
{
    heft_put(&to->text, "%s%z", to->n == 0 ? "" : to->n % across ? ", " : ",\n    ", x);
    to->n++;
}

static void add_string(writer *w, const char *text)
{
    if (w->texts.n++) heft_buf_text(&w->texts.text, ",\n    ");
    put_literal(&w->texts.text, text);
}

/* ---- terms ---- */

static void add_line(writer *w, const double *line)
{
    heft_terms_spread(w->t, line, w->line);
    add_list(w, w->line, w->K);
}

/* The weights of a density that are not folded into its numbers. */
static void add_weights(writer *w, size_t j)
{
    const heft_weights *weights = &w->t->model->fitted.weights;
    for (size_t c = 0; c < w->K; c++)
        add_data(w,
                 weights->folded || w->has & HAS_VOTE ? 1 : heft_weight_at(weights, w->K, j, c, 0));
}

static void add_kernel(writer *w, const heft_lik *lik, size_t j)
{
    add_list(w, lik->width, w->K);
    add_weights(w, j);
    for (size_t c = 0; c < w->K; c++) add_data(w, (double)(lik->start[c + 1] - lik->start[c]));
    for (size_t c = 0; c < w->K; c++) {
        const size_t n = lik->start[c + 1] - lik->start[c];
        add_list(w, lik->point + lik->start[c], n);
        add_list(w, lik->log_mass + lik->start[c], n);
    }
}

static void add_table(writer *w, const heft_term *term)
{
    if (term->slope) {
        add_data(w, term->mean);
        add_data(w, term->sd);
        add_line(w, term->slope);
    }
    for (size_t v = 0; v < term->n_codes + 2; v++)
        add_line(w, term->table + heft_term_line(term, v) * w->t->n_columns);
}

static void add_term(writer *w, size_t j)
{
    const heft_term *term = &w->t->attr[j];
    switch (term->kind) {
    case HEFT_TERM_TABLE:
    case HEFT_TERM_SLOPED:
        add_table(w, term);
        break;
    case HEFT_TERM_NORMAL:
        add_list(w, term->normal, 4 * w->K);
        break;
    case HEFT_TERM_POINT:
    case HEFT_TERM_ROUNDED:
        add_list(w, term->lik->mean, w->K);
        add_list(w, term->lik->sd, w->K);
        add_weights(w, j);
        if (term->kind == HEFT_TERM_ROUNDED) add_data(w, term->lik->precision);
        break;
    case HEFT_TERM_KERNEL:
        add_kernel(w, term->lik, j);
        break;
    case HEFT_TERM_NONE:
    case HEFT_TERM_KINDS:
        break;
    }
}

/* What the views of an attribute make of its cells. */
static heft_status add_views(heft_ctx *ctx, writer *w, size_t j)
{
    const heft_term *term = &w->t->attr[j];
    HEFT_ALLOC(ctx, &ctx->scratch, w->view[j], term->n_views);
    for (size_t k = 0; k < term->n_views; k++) {
        w->view[j][k] = w->views.n;
        for (size_t v = 0; v < term->n_codes + 2; v++)
            add_whole(&w->views, term->view[k][heft_term_line(term, v)], 24);
    }
    return HEFT_OK;
}

static void add_attribute(writer *w, size_t j)
{
    const heft_attr_prep *a = &w->prep->attr[j];
    const heft_term      *term = &w->t->attr[j];
    const bool            nominal = a->kind == HEFT_NOMINAL;
    const size_t          values = w->texts.n, cuts = w->data.n;
    heft_buf             *out = &w->records.text;
    w->has |= HAS_ATTRS | 1u << term->kind | (nominal ? HAS_NOMINAL : HAS_NUMBERS);
    if (!nominal && term->table) w->has |= HAS_CUTS;
    for (uint32_t v = 0; nominal && v < heft_dict_size(a->dict); v++)
        add_string(w, heft_dict_text(a->dict, v));
    add_list(w, term->cuts, term->n_cuts);
    heft_put(out, "%s{%z, %z, %z, %z, %z, ", j ? ",\n    " : "", (size_t)nominal,
             (size_t)term->kind, term->n_codes, nominal ? values : 0, (size_t)a->has_fill);
    put_number(out, a->has_fill ? a->fill : 0);
    heft_put(out, ", ");
    put_number(out, nominal ? 0 : a->shift);
    heft_put(out, ", ");
    put_number(out, nominal ? 1 : a->factor);
    heft_put(out, ", %z, %z, %z, %z}", term->n_cuts, term->n_cuts ? cuts : 0,
             (size_t)heft_zero_interval(w->prep, j), w->data.n);
    add_term(w, j);
}

static void add_pair(writer *w, const heft_joint_term *joint)
{
    const size_t keys = w->keys.n, at = w->data.n;
    for (size_t v = 0; joint->key && v < joint->n_cells; v++)
        add_whole(&w->keys, (size_t)joint->key[v], 12);
    for (size_t v = 0; v < joint->n_cells; v++) add_line(w, joint->table + v * w->t->n_columns);
    heft_put(&w->pairs.text, "%s{%z, %z, %z, %z, %z, %z, %z, %z}", w->pairs.n++ ? ",\n    " : "",
             (size_t)joint->attr[0], (size_t)joint->attr[1],
             w->view[joint->attr[0]][joint->view[0]], w->view[joint->attr[1]][joint->view[1]],
             (size_t)heft_joint_codes(w->t, joint, 1), joint->key ? joint->n_cells : 0,
             joint->key ? keys : 0, at);
}

/* ---- the file ---- */

static void write_comment(const writer *w, heft_buf *out)
{
    const heft_model *model = w->t->model;
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

static void write_array(heft_buf *out, const char *type, const char *name, const list *content,
                        const char *none)
{
    heft_put(out, "static const %s %s[] = {\n    ", type, name);
    if (content->n) heft_buf_add(out, content->text.data, content->text.length);
    else heft_buf_text(out, none);
    heft_put(out, "\n};\n\n");
    out->failed |= content->text.failed;
}

static void write_numbers(heft_buf *out, const char *name, const double *x, size_t n)
{
    heft_put(out, "static const double %s[] = {", name);
    for (size_t k = 0; k < n; k++) {
        heft_buf_text(out, k == 0 ? "" : k % 4 ? ", " : ",\n    ");
        put_number(out, x[k]);
    }
    heft_put(out, "};\n\n");
}

/* Class pairs and their weights: w0, then one per attribute. */
static void write_class_pairs(const writer *w, heft_buf *out)
{
    const size_t           n = w->t->n_class_pairs;
    const heft_class_pair *pair = w->t->class_pair;
    heft_put(out,
             "enum { N_CLASS_PAIRS = %z };\n\nstatic const int class_pairs[N_CLASS_PAIRS][2] = {",
             n);
    for (size_t k = 0; k < n; k++) heft_put(out, "%s{%z, %z}", k ? ", " : "", pair[k].a, pair[k].b);
    heft_put(out, "};\n\nstatic const double class_pair_weights[N_CLASS_PAIRS][1 + N_ATTR] = {\n");
    for (size_t k = 0; k < n; k++) {
        heft_put(out, "    {");
        put_number(out, pair[k].w0);
        for (size_t j = 0; j < w->t->n_attr; j++) {
            heft_buf_text(out, j % 8 == 7 ? ",\n     " : ", ");
            put_number(out, pair[k].w[j]);
        }
        heft_put(out, k + 1 < n ? "},\n" : "}\n");
    }
    heft_put(out, "};\n\n");
}

/* Where the score begins; on sparse rows, with all cells 0, and what each 0 adds. */
static heft_status write_start(heft_ctx *ctx, const writer *w, heft_buf *out)
{
    const size_t K = w->K, n = w->has & HAS_ZEROS ? w->t->n_attr : 0;
    double      *zero, *start;
    HEFT_ALLOC(ctx, &ctx->scratch, zero, n * K);
    HEFT_ALLOC(ctx, &ctx->scratch, start, K);
    memcpy(start, w->t->start, K * sizeof *start);
    for (size_t j = 0; j < n; j++) {
        heft_term_value(w->t, j, 0, 0, zero + j * K);
        for (size_t c = 0; c < K; c++) start[c] += zero[j * K + c];
    }
    write_numbers(out, "start", start, K);
    if (n) write_numbers(out, "zero", zero, n * K);
    return HEFT_OK;
}

static void write_reader(const writer *w, heft_buf *out)
{
    for (size_t k = 0; k < sizeof READER / sizeof *READER; k++)
        if ((w->has & READER[k].has) == READER[k].has && !(w->has & READER[k].lacks))
            heft_buf_text(out, READER[k].text);
}

static heft_status write_file(heft_ctx *ctx, writer *w, heft_buf *out)
{
    const heft_calibration *calibration = &w->t->model->calibration;
    write_comment(w, out);
    heft_buf_text(out, HEAD);
    heft_put(out, "#include <float.h>\n\nenum { N_ATTR = %z, N_CLASS = %z, UNSEEN_ZERO = %z };\n",
             w->t->n_attr, w->K, (size_t)w->prep->spec.unseen_zero);
    if (w->has & (HAS_POINT | HAS_KERNEL))
        heft_put(out, "static const double LOG_TWO_PI_HALF = 0.91893853320467274178;\n");
    heft_put(out, "\n%s", RECORD);
    write_array(out, "char *const", "texts", &w->texts, "\"\"");
    if (w->t->n_attr) write_array(out, "double", "data", &w->data, "0");
    write_array(out, "attribute", "attributes", &w->records,
                "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}");
    HEFT_CHECK(write_start(ctx, w, out));
    if (w->pairs.n) {
        heft_put(out, "enum { N_PAIRS = %z };\n\n%s", w->pairs.n, PAIR);
        write_array(out, "unsigned long", "views", &w->views, "0");
        write_array(out, "unsigned long long", "keys", &w->keys, "0");
        write_array(out, "pair", "pairs", &w->pairs, "");
    }
    if (w->has & HAS_VOTE) write_class_pairs(w, out);
    if (calibration->scale) {
        heft_put(out, "enum { NORMALISE = %z };\n", (size_t)(calibration->kind == HEFT_VECTOR));
        write_numbers(out, "scale", calibration->scale, w->K);
        write_numbers(out, "shift", calibration->shift, w->K);
    }
    write_reader(w, out);
    return HEFT_OK;
}

static heft_status write_c(heft_ctx *ctx, const heft_terms *t, heft_buf *out)
{
    heft_status      st = HEFT_OK;
    const heft_prep *prep = &t->model->prep;
    writer           w = {.t = t, .prep = prep, .K = t->n_class};
    list *const      lists[] = {&w.data, &w.texts, &w.records, &w.views, &w.keys, &w.pairs};
    w.has = (prep->spec.scaling == HEFT_SCALE_UNIT ? HAS_UNIT : 0) | (t->shared ? HAS_SHARED : 0) |
            (t->class_pair  ? HAS_VOTE
             : prep->sparse ? HAS_ZEROS
                            : 0) |
            (t->n_joint ? HAS_PAIRS : 0) | (t->model->calibration.scale ? HAS_SCALE : 0);
    HEFT_ARENA(ctx, &ctx->scratch, w.line, w.K);
    HEFT_ARENA(ctx, &ctx->scratch, w.view, t->n_attr);
    for (uint32_t c = 0; c < w.K; c++) add_string(&w, heft_dict_text(prep->classes, c));
    for (size_t j = 0; j < t->n_attr; j++) add_string(&w, prep->attr[j].name);
    for (size_t j = 0; j < t->n_attr; j++) {
        add_attribute(&w, j);
        HEFT_TRY(add_views(ctx, &w, j));
        if (j % 1024 == 0) HEFT_TRY(heft_check_cancel(ctx));
    }
    w.records.n = t->n_attr;
    for (size_t k = 0; k < t->n_joint; k++) add_pair(&w, &t->joint[k]);
    HEFT_TRY(write_file(ctx, &w, out));
done:
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) heft_buf_clear(&lists[k]->text);
    return st;
}

const heft_export heft_export_c = {
    .info = {"c", ".c", "one C99 file that scores rows without heft"},
    .write = write_c,
};
