/* figure.c - the diagram of critical differences (Demsar, Journal of Machine Learning Research 7,
 * 2006) as SVG or TikZ: mean ranks on an axis, the methods as labelled ticks, and bars that join
 * those that do not differ significantly by Nemenyi's test. */
#include "eval/figure.h"

#include <math.h>
#include <string.h>

#include "base/put.h"

/* Lengths are pixels in SVG and points in TeX; y grows downwards. */
enum { NAME_BYTES = 60, ROW = 19, BAR = 8, GAP = 6, MARGIN = 8 };
static const double AXIS = 46, LEAST_WIDTH = 320, MOST_WIDTH = 640, PER_RANK = 44;

typedef struct figure {
    heft_buf    *out;
    bool         tikz;
    size_t       n;
    double      *rank; /* mean ranks in increasing order */
    const char **name;
    double       cd;
    double       from, unit; /* x of rank 1, and the distance between two ranks */
    double       wide, high; /* size of the figure */
} figure;

/* ---- strokes ---- */

static void draw_line(const figure *f, double width, const double from[2], const double to[2])
{
    heft_put(f->out,
             f->tikz ? "\\draw[line width=%1fpt] (%2f,%2f) -- (%2f,%2f);\n"
                     : "<path stroke=\"#000\" stroke-width=\"%1f\" d=\"M%2f %2fL%2f %2f\"/>\n",
             width, from[0], from[1], to[0], to[1]);
}

typedef enum side { RIGHT_OF, AROUND, LEFT_OF } side; /* place of a text relative to its point */

/* Begin a text whose middle is at height y. The caller then writes the text and closes it. */
static void open_text(const figure *f, side where, bool small, double x, double y)
{
    static const char *const tikz[] = {"west", "center", "east"};
    static const char *const svg[] = {"start", "middle", "end"};
    if (f->tikz)
        heft_put(f->out, "\\node[anchor=%s%s] at (%2f,%2f) {", tikz[where],
                 small ? ",font=\\scriptsize" : "", x, y);
    else
        heft_put(f->out, "<text text-anchor=\"%s\" x=\"%2f\" y=\"%2f\"%s>", svg[where], x, y + 4,
                 small ? " font-size=\"10\"" : "");
}

static void close_text(const figure *f)
{
    heft_buf_text(f->out, f->tikz ? "};\n" : "</text>\n");
}

static void draw_number(const figure *f, side where, double x, double y, double number,
                        int decimals)
{
    open_text(f, where, true, x, y);
    heft_buf_fixed(f->out, number, decimals);
    close_text(f);
}

static double place(const figure *f, double rank)
{
    return f->from + (rank - 1) * f->unit;
}

/* ---- elements of the diagram ---- */

/* Returns an upper estimate of the width of a name, for wide letters of a wide font. */
static double width_of(const char *name)
{
    char   shown[4 * NAME_BYTES + 8];
    double width = 0;
    heft_show(shown, sizeof shown, name, strlen(name), NAME_BYTES);
    for (const char *s = shown; *s;) {
        const size_t bytes = heft_utf8_at(s, strlen(s));
        width += bytes > 2 ? 12.5 : 7.4;
        s += bytes ? bytes : 1;
    }
    return width;
}

/* Returns the number of methods whose labels are on the left. */
static size_t n_left(const figure *f)
{
    return (f->n + 1) / 2;
}

static void lay_out(figure *f)
{
    const double k = (double)f->n;
    double       left = 0, right = 0;
    size_t       group[2] = {0, 0}, first, bars = 0;
    for (size_t i = 0; i < f->n; i++) {
        double *most = i < n_left(f) ? &left : &right;
        *most = fmax(*most, width_of(f->name[i]));
    }
    f->unit = fmin(fmax(PER_RANK * (k - 1), LEAST_WIDTH), MOST_WIDTH) / (k - 1);
    f->from = left + 4 * MARGIN;
    f->wide = fmax(place(f, k) + right + 4 * MARGIN, place(f, 1 + f->cd) + 9 * MARGIN);
    while (heft_rank_group(f->rank, f->n, f->cd, group, &first)) bars++;
    f->high = AXIS + 2 * GAP + BAR * (double)bars + ROW * (double)n_left(f) + MARGIN;
}

static void draw_axis(const figure *f)
{
    const double end = place(f, 1 + f->cd), y = 14;
    const size_t step = f->unit < 18 ? 5 : 1; /* every step-th rank has a number */
    draw_line(f, 1, (double[]){f->from, AXIS}, (double[]){place(f, (double)f->n), AXIS});
    for (size_t r = 1; r <= f->n; r++) {
        const double x = place(f, (double)r);
        draw_line(f, 1, (double[]){x, AXIS}, (double[]){x, AXIS - 5});
        if (r == 1 || r % step == 0) draw_number(f, AROUND, x, AXIS - 12, (double)r, 0);
    }
    draw_line(f, 1, (double[]){f->from, y}, (double[]){end, y});
    draw_line(f, 1, (double[]){f->from, y - 4}, (double[]){f->from, y + 4});
    draw_line(f, 1, (double[]){end, y - 4}, (double[]){end, y + 4});
    open_text(f, RIGHT_OF, true, end + 4, y);
    heft_put(f->out, "CD = %3f", f->cd);
    close_text(f);
}

/* Draw the bars that join methods which do not differ. Returns the y below the bars. */
static double draw_bars(const figure *f)
{
    double y = AXIS + 2 * GAP;
    size_t group[2] = {0, 0}, first;
    for (; heft_rank_group(f->rank, f->n, f->cd, group, &first); y += BAR)
        draw_line(f, 3, (double[]){place(f, f->rank[first]) - 3, y},
                  (double[]){place(f, f->rank[group[1]]) + 3, y});
    return y;
}

/* Draw a line and a label for each method. The lines go down from the axis and then outwards. They
 * do not cross, because the labels of the outermost methods are the highest. */
static void draw_methods(const figure *f, double y)
{
    for (size_t i = 0; i < f->n; i++) {
        const bool   left = i < n_left(f);
        const double row = y + ROW * ((double)(left ? i : f->n - 1 - i) + 0.5);
        const double x = place(f, f->rank[i]);
        const double end = left ? f->from - 2 * MARGIN : place(f, (double)f->n) + 2 * MARGIN;
        draw_line(f, 0.7, (double[]){x, AXIS}, (double[]){x, row});
        draw_line(f, 0.7, (double[]){x, row}, (double[]){end, row});
        draw_number(f, left ? RIGHT_OF : LEFT_OF, end, row - 8, f->rank[i], 2);
        open_text(f, left ? LEFT_OF : RIGHT_OF, false, left ? end - 4 : end + 4, row);
        if (f->tikz) heft_put_name(f->out, f->name[i], NAME_BYTES, HEFT_LATEX);
        else heft_html_text(f->out, f->name[i], NAME_BYTES);
        close_text(f);
    }
}

/* Write a description of the picture, for a caption. */
static void put_about(const figure *f, const heft_summary *s)
{
    heft_put(
        f->out,
        "Mean ranks of %s by accuracy over %s, 1 is best; bars join methods that do not differ "
        "significantly (Nemenyi test, level %n, critical difference %3f)",
        HEFT_COUNT_OF(f->n, "method"), HEFT_COUNT_OF(s->n_complete, "data set"), s->alpha,
        s->nemenyi);
}

static void draw(const figure *f, const heft_summary *s)
{
    if (f->tikz) {
        heft_put(f->out, "%% heft %s; \\usepackage{tikz} and \\usepackage[T1]{fontenc}\n%% ",
                 HEFT_VERSION);
        put_about(f, s);
        heft_buf_text(f->out, "\n\\begin{tikzpicture}[x=1pt,y=-1pt,inner sep=1pt]\n");
    } else {
        heft_put(f->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%0f\" height=\"%0f\" "
                 "viewBox=\"0 0 %0f %0f\" role=\"img\">\n<title>Critical differences</title>\n"
                 "<desc>",
                 ceil(f->wide), ceil(f->high), ceil(f->wide), ceil(f->high));
        put_about(f, s);
        heft_put(f->out,
                 "</desc>\n<rect width=\"%0f\" height=\"%0f\" fill=\"#fff\"/>\n"
                 "<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#000\">\n",
                 ceil(f->wide), ceil(f->high));
    }
    draw_axis(f);
    draw_methods(f, draw_bars(f));
    heft_buf_text(f->out, f->tikz ? "\\end{tikzpicture}\n" : "</g>\n</svg>\n");
}

heft_status heft_results_figure(heft_ctx *ctx, const heft_results *results, bool tikz,
                                heft_buf *buf)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_results at = heft_results_at(results, heft_results_headline(results));
    figure             f = {.out = buf, .tikz = tikz};
    heft_summary       s;
    HEFT_CHECK(heft_summarise(ctx, &at, &s));
    if (!s.has_ranks)
        return heft_fail(ctx, HEFT_EINVAL,
                         "a figure of critical differences needs at least two methods and two "
                         "data sets on which every method has a result (here: %s and %s)",
                         HEFT_COUNT_OF(s.n_ran, "method"), HEFT_COUNT_OF(s.n_complete, "data set"));
    HEFT_ALLOCS(ctx, &ctx->scratch, s.n_ran, f.rank, f.name);
    for (size_t m = 0; m < at.n_method; m++) {
        const double rank = s.by_method[m].mean_rank;
        size_t       i = f.n;
        if (!s.by_method[m].ran) continue;
        for (; i > 0 && f.rank[i - 1] > rank; i--)
            f.rank[i] = f.rank[i - 1], f.name[i] = f.name[i - 1];
        f.rank[i] = rank;
        f.name[i] = at.methods[m];
        f.n++;
    }
    f.cd = s.nemenyi;
    lay_out(&f);
    draw(&f, &s);
    return HEFT_OK;
}
