/* predict_csv.c - writes predictions, or the lines that a plan has in their place, as CSV, from a
 * table or from a file block by block. Several threads score and format pieces of the rows, which
 * are written in order. */
#include "predict/predict_csv.h"

#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/out.h"
#include "base/rows.h"
#include "base/text.h"

enum {
    PIECE = 2048,           /* most rows of a piece */
    PIECE_CELLS = 1 << 16,  /* most cells of a piece, which has fewer rows if they are wide */
    SLICE_BYTES = 8 << 20,  /* bytes of probabilities in memory at once */
    WIDEST_BYTES = 32 << 20 /* bytes of probabilities at once where one piece needs more, because
                               of many classes */
};

typedef struct piece { /* rows lo..hi-1 of the slice, and their lines */
    size_t     lo, hi;
    heft_buf   buf;
    heft_tally tally;
    heft_attr *attr;  /* the piece's view of the attributes */
    double    *proba; /* probabilities of the piece; NULL: the slice is scored as a whole */
} piece;

typedef struct table_rows { /* the table that is written: the whole input, or one block of a file */
    const heft_table *data;
    char            **actual; /* the quoted name of each class of the table; NULL: not written */
    int32_t          *truth;  /* the class of each row, as heft_true_classes gives it */
    size_t            space;  /* the number of rows that `truth` has space for */
    size_t            first;  /* the number of rows in the tables before this one */
} table_rows;

typedef struct slice_rows { /* the rows of the table whose probabilities are in memory */
    const heft_rows *rows;  /* NULL: they are not needed any more */
    double          *proba; /* probabilities of the slice if it is scored as a whole; NULL: pieces
                               are scored */
    size_t from;            /* the first row of the slice in the table */
    size_t n_rows;
    size_t at, end; /* the rows that no piece has taken yet */
} slice_rows;

/* The work of one call. A table is cut into slices, so that the probabilities in memory are few
 * whatever the table's size, and a slice into pieces, which several threads score and format at the
 * same time and write in order. */
typedef struct writing {
    const heft_csv_plan *plan;
    const heft_model    *model;
    heft_out            *out;   /* output, opened when there is something to write */
    bool                 lines; /* whether the plan writes other lines in place of predictions */
    bool relay;         /* whether this rank sends its lines to the others, and rank 0 writes
                           them */
    char       **label; /* class names, quoted for CSV */
    piece       *pieces;
    size_t       n_pieces; /* the number of pieces that are made at the same time */
    heft_attr   *attr;     /* a slice's view of the attributes */
    size_t       slice;    /* the most rows of a slice */
    size_t       piece;    /* the most rows of a piece, at most PIECE */
    table_rows   table;
    slice_rows   part;
    heft_buf     given; /* lines to relay */
    size_t       n_unseen;
    heft_tally  *tally;
    heft_unknown unknown;
    char         name[256]; /* the name of the data, for messages */
} writing;

/* Writes the cells before the predicted class: kept columns and the actual class. */
static void put_given(const writing *w, size_t i, heft_buf *buf)
{
    const heft_kept   *kept = &w->table.data->kept;
    const heft_column *target = w->table.data->target;
    if (kept->names) {
        const size_t from = i ? kept->end[i - 1] : 0;
        heft_buf_add(buf, kept->text + from, kept->end[i] - from);
        heft_buf_add(buf, ",", 1);
    }
    if (!w->table.actual) return;
    const uint32_t code = heft_code_at(target->cells, target->width, i);
    if (code < heft_dict_size(target->dict)) heft_buf_text(buf, w->table.actual[code]);
    heft_buf_add(buf, ",", 1);
}

/* Writes ",p0,p1,...". */
static void put_numbers(const double *p, size_t n, heft_buf *buf)
{
    enum { LONGEST = 33 }; /* most bytes of a comma and a number */
    char *const from = heft_buf_space(buf, n * LONGEST), *to = from;
    if (!from) return;
    for (size_t c = 0; c < n; c++) {
        *to++ = ',';
        to += heft_format_double(to, p[c]);
    }
    buf->length += (size_t)(to - from);
}

static heft_status make_labels(heft_ctx *ctx, const heft_dict *classes, char ***out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *out, heft_dict_size(classes));
    for (uint32_t c = 0; c < heft_dict_size(classes); c++) {
        heft_buf         buf = {0};
        HEFT_FREED char *text = NULL;
        heft_buf_csv(&buf, heft_dict_text(classes, c), ',');
        HEFT_CHECK(heft_buf_take(ctx, &buf, &text));
        HEFT_CHECK(heft_arena_copy(ctx, &ctx->scratch, text, *out + c));
    }
    return HEFT_OK;
}

/* Makes the names of the rows' classes: the model's name of a class if it knows the class (with a
 * positive class, the name of the rest), otherwise the name in the table. */
static heft_status make_actual(heft_ctx *ctx, writing *w, const heft_table *data)
{
    char target[96];
    w->table.actual = NULL;
    if (!w->plan->actual) return HEFT_OK;
    if (!data->target)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: {actual}: there is no class column '%s' (leave out {actual})",
                         heft_table_label(data), heft_show_name(target, w->model->prep.target));
    const heft_dict *dict = data->target->dict;
    HEFT_CHECK(make_labels(ctx, dict, &w->table.actual));
    for (uint32_t c = 0; c < heft_dict_size(dict); c++) {
        const uint32_t of =
            heft_prep_class(&w->model->prep, heft_dict_text(dict, c), heft_dict_length(dict, c));
        if (of != HEFT_DICT_NONE) w->table.actual[c] = w->label[of];
    }
    return HEFT_OK;
}

void heft_csv_class_columns(heft_buf *out, const heft_dict *classes, const char *what)
{
    HEFT_LOCAL(heft_buf) name = {0};
    for (uint32_t c = 0; c < heft_dict_size(classes); c++) {
        name.length = 0;
        heft_buf_printf(&name, "%s(%s)", what, heft_dict_text(classes, c));
        heft_buf_add(out, ",", 1);
        if (!name.failed) heft_buf_csv(out, name.data, ',');
    }
    if (name.failed) out->failed = true;
}

static void put_header(const writing *w, heft_buf *buf)
{
    const heft_csv_more *more = w->plan->more;
    if (!more || !more->instead) {
        if (w->table.data->kept.names) heft_buf_text(buf, w->table.data->kept.names);
        if (w->table.data->kept.names) heft_buf_add(buf, ",", 1);
        if (w->table.actual) heft_buf_text(buf, "actual,");
        heft_buf_text(buf, "predicted");
        if (w->plan->proba) heft_csv_class_columns(buf, w->model->prep.classes, "P");
    }
    if (more) more->header(more->arg, buf);
    heft_buf_add(buf, "\n", 1);
}

static heft_status write_header(heft_ctx *ctx, const writing *w, heft_out *out)
{
    HEFT_LOCAL(heft_buf) buf = {0};
    put_header(w, &buf);
    if (buf.failed) return heft_no_memory(ctx, 1, buf.length + 1);
    return heft_out_write(ctx, out, buf.data, buf.length);
}

/* Sends n and then n bytes to all ranks. */
static heft_status give(heft_ctx *ctx, const char *bytes, size_t n)
{
    int64_t length = (int64_t)n;
    HEFT_CHECK(heft_comm_broadcast(ctx, &length, sizeof length, heft_comm_rank(ctx)));
    return heft_comm_broadcast(ctx, (void *)(uintptr_t)bytes, n, heft_comm_rank(ctx));
}

/* ---- pieces ---- */

static heft_status take_piece(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    writing *w = arg;
    piece   *p = &w->pieces[slot];
    (void)ctx;
    p->lo = w->part.at;
    p->hi = w->part.at = w->part.end - w->part.at < w->piece ? w->part.end : w->part.at + w->piece;
    *more = p->lo < p->hi;
    return HEFT_OK;
}

static heft_status score_piece(heft_ctx *ctx, const writing *w, piece *p)
{
    const size_t n_attr = w->model->prep.n_attr, line = w->model->fitted.n_class * sizeof(double);
    heft_sparse  sparse;
    if (!p->attr) HEFT_NEW(ctx, p->attr, n_attr);
    if (!p->proba) p->proba = heft_alloc(PIECE, line);
    if (!p->proba) return heft_no_memory(ctx, PIECE, line);
    const heft_rows rows = heft_rows_part(w->part.rows, p->lo, p->hi, p->attr, &sparse);
    return heft_posterior_rows(ctx, w->model, &rows, p->proba);
}

/* Makes the lines of a piece for a plan that writes other lines in place of predictions. */
static heft_status make_lines(heft_ctx *ctx, const writing *w, piece *p)
{
    const heft_csv_more *more = w->plan->more;
    p->tally = (heft_tally){.n_rows = p->hi - p->lo};
    for (size_t i = p->lo; i < p->hi; i++) {
        const heft_csv_row row = {.rows = w->part.rows, .i = i, .at = w->part.from + i};
        if (w->plan->only && w->table.first + row.at + 1 != w->plan->only) continue;
        HEFT_CHECK(more->row(ctx, more->arg, &row, &p->buf));
    }
    return HEFT_OK;
}

static heft_status make_predictions(heft_ctx *ctx, const writing *w, piece *p)
{
    const size_t         K = w->model->fitted.n_class;
    const int32_t       *truth = w->table.truth + w->part.from;
    const heft_csv_more *more = w->plan->more;
    if (!w->part.proba) HEFT_CHECK(score_piece(ctx, w, p));
    const double *proba = w->part.proba ? w->part.proba + p->lo * K : p->proba;
    p->tally = (heft_tally){.n_rows = p->hi - p->lo};
    for (size_t i = p->lo; i < p->hi; i++, proba += K) {
        const size_t c = heft_decide(&w->model->decision, proba, K);
        p->tally.n_labelled += truth[i] != HEFT_NO_CLASS;
        p->tally.n_unknown += truth[i] != HEFT_NO_CLASS && truth[i] < 0;
        p->tally.n_right += truth[i] == (int32_t)c;
        put_given(w, w->part.from + i, &p->buf);
        heft_buf_text(&p->buf, w->label[c]);
        if (w->plan->proba) put_numbers(proba, K, &p->buf);
        if (more)
            HEFT_CHECK(more->row(ctx, more->arg,
                                 &(heft_csv_row){w->part.rows, i, w->part.from + i, proba, c},
                                 &p->buf));
        heft_buf_add(&p->buf, "\n", 1);
    }
    return HEFT_OK;
}

static heft_status make_piece(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    const writing *w = arg;
    piece         *p = &w->pieces[slot];
    (void)more;
    p->buf.length = 0;
    HEFT_CHECK(w->lines ? make_lines(ctx, w, p) : make_predictions(ctx, w, p));
    return p->buf.failed ? heft_no_memory(ctx, PIECE, 32 * w->model->fitted.n_class) : HEFT_OK;
}

static heft_status write_piece(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    writing     *w = arg;
    const piece *p = &w->pieces[slot];
    (void)more;
    w->tally->n_rows += p->tally.n_rows;
    w->tally->n_labelled += p->tally.n_labelled;
    w->tally->n_unknown += p->tally.n_unknown;
    w->tally->n_right += p->tally.n_right;
    HEFT_CHECK(heft_check_cancel(ctx));
    if (!w->relay) return heft_out_write(ctx, w->out, p->buf.data, p->buf.length);
    heft_buf_add(&w->given, p->buf.data, p->buf.length);
    return w->given.failed ? heft_no_memory(ctx, w->given.length, 2) : HEFT_OK;
}

static heft_status write_slice(heft_ctx *ctx, writing *w)
{
    const heft_chain chain = {take_piece, make_piece, write_piece, w->n_pieces};
    const size_t     step = w->relay ? 16 * PIECE : w->part.n_rows;
    if (!w->out && !w->relay) {
        HEFT_CHECK(heft_out_open(ctx, w->plan->path, &w->out));
        HEFT_CHECK(write_header(ctx, w, w->out));
    }
    for (w->part.at = 0; w->part.at < w->part.n_rows;) {
        w->part.end = w->part.n_rows - w->part.at < step ? w->part.n_rows : w->part.at + step;
        HEFT_CHECK(heft_run_chain(ctx, &chain, w));
        if (w->relay) HEFT_CHECK(give(ctx, w->given.data, w->given.length)); /* a collective */
        w->given.length = 0;
    }
    return HEFT_OK;
}

/* Prepares what all slices of a table have in common. */
static heft_status begin_table(heft_ctx *ctx, writing *w, const heft_table *data)
{
    const heft_csv_more *more = w->plan->more;
    w->table.data = data;
    w->table.first = w->tally->n_rows;
    HEFT_CHECK(make_actual(ctx, w, data));
    return more ? more->begin(ctx, more->arg, data, w->table.first) : HEFT_OK;
}

static void clear_space(writing *w)
{
    heft_free(w->part.proba);
    heft_free(w->table.truth);
    w->part.proba = NULL, w->table.truth = NULL;
    w->table.space = 0;
}

/* Allocates space for a table of n rows; the space of a table that was not smaller is kept.
 * `scored` says that slices are scored as a whole. */
static heft_status make_space(heft_ctx *ctx, writing *w, size_t n, bool scored)
{
    const size_t most = n < w->slice ? n : w->slice;
    const size_t line = w->model->fitted.n_class * sizeof *w->part.proba;
    if (w->table.truth && n <= w->table.space) return HEFT_OK;
    clear_space(w);
    HEFT_NEW(ctx, w->table.truth, n);
    if (scored && !(w->part.proba = heft_alloc(most, line))) return heft_no_memory(ctx, most, line);
    w->table.space = n;
    return HEFT_OK;
}

/* Scores and writes the rows of a table, slice by slice. */
static heft_status write_rows(heft_ctx *ctx, void *arg, const heft_table *data)
{
    HEFT_SCRATCH_SCOPE(ctx);
    writing                  *w = arg;
    HEFT_LOCAL(heft_prepared) prepared = {0};
    const size_t              n = data->n_rows;
    /* A method's own scorer may have much work for each call, and many classes make pieces small:
     * then slices are scored as a whole. */
    const bool scored = !w->lines && (w->model->method->score || w->slice < 16 * PIECE);
    if (!w->name[0]) snprintf(w->name, sizeof w->name, "%.255s", heft_table_label(data));
    HEFT_CHECK(begin_table(ctx, w, data));
    HEFT_CHECK(heft_prep_apply(ctx, &w->model->prep, data, &prepared));
    w->n_unseen += prepared.n_unseen;
    HEFT_CHECK(make_space(ctx, w, n, scored));
    if (!w->lines) HEFT_CHECK(heft_true_classes(ctx, w->model, data, w->table.truth, &w->unknown));
    for (size_t lo = 0; lo < n || n == 0; lo += w->slice) {
        heft_sparse     sparse;
        const size_t    hi = n - lo < w->slice ? n : lo + w->slice;
        const heft_rows part = heft_rows_part(&prepared.rows, lo, hi, w->attr, &sparse);
        w->part.n_rows = part.n_rows;
        w->part.from = lo;
        w->part.rows = &part;
        if (scored) HEFT_CHECK(heft_posterior_rows(ctx, w->model, &part, w->part.proba));
        HEFT_CHECK(write_slice(ctx, w));
        if (n == 0) break;
    }
    w->part.rows = NULL;
    return HEFT_OK;
}

/* ---- progress ---- */

/* The progress of a file that is predicted block by block is the fraction of the file that is done.
 * Methods report the fraction of the rows of a block; these lie between `from` and `to` of the
 * file. */
typedef struct passing_on {
    heft_host        own;
    const heft_host *host;
    const char      *what;
    double           from, to, shown;
} passing_on;

static void pass_log(void *user, heft_level level, const char *text)
{
    const heft_host *host = ((const passing_on *)user)->host;
    host->log(host->user, level, text);
}

static bool pass_cancelled(void *user)
{
    const heft_host *host = ((const passing_on *)user)->host;
    return host->cancelled(host->user);
}

static void pass_progress(void *user, const char *what, double done)
{
    passing_on *p = user;
    if (strcmp(what, "reading") == 0) p->from = p->to, p->to = done, done = 0;
    const double share = p->from + done * (p->to - p->from);
    if (share > p->shown) p->shown = share;
    p->host->progress(p->host->user, p->what, p->shown);
}

static heft_status write_file(heft_ctx *ctx, writing *w)
{
    const heft_csv_plan *plan = w->plan;
    const heft_host     *host = ctx->host;
    const heft_sink      sink = {NULL, write_rows, w};
    passing_on           p = {.host = host, .what = w->lines ? "explaining" : "predicting"};
    p.own = (heft_host){.log = host && host->log ? pass_log : NULL,
                        .progress = pass_progress,
                        .cancelled = host && host->cancelled ? pass_cancelled : NULL,
                        .user = &p};
    if (host && host->progress) ctx->host = &p.own;
    const heft_status st = heft_read_stream(ctx, plan->from, plan->how, plan->expect, &sink);
    ctx->host = host;
    return st;
}

/* ---- several ranks ---- */

/* Receives the pieces that rank `root` sends, up to an empty one; rank 0 writes them. */
static heft_status take_lines(heft_ctx *ctx, writing *w, size_t root)
{
    HEFT_FREED char *copy = NULL;
    for (int64_t n = 1; n > 0;) {
        HEFT_CHECK(heft_comm_broadcast(ctx, &n, sizeof n, root));
        char *grown = heft_resize(copy, (size_t)n + 1, 1);
        if (!grown) return heft_no_memory(ctx, (size_t)n, 1);
        copy = grown;
        HEFT_CHECK(heft_comm_broadcast(ctx, copy, (size_t)n, root));
        if (w->out && n > 0) HEFT_CHECK(heft_out_write(ctx, w->out, copy, (size_t)n));
    }
    return HEFT_OK;
}

/* Writes the lines of all ranks in the order of the ranks. Where the training rows of the model are
 * on several ranks, every rank has all lines already. */
static heft_status relay_lines(heft_ctx *ctx, writing *w)
{
    const size_t rank = heft_comm_rank(ctx);
    int64_t      sums[4];
    if (rank == 0) HEFT_CHECK(write_slice(ctx, w));
    w->relay = true;
    if (!w->model->comm)
        for (size_t root = 1; root < heft_n_ranks(ctx); root++) {
            if (root != rank) HEFT_CHECK(take_lines(ctx, w, root));
            else HEFT_CHECK(write_slice(ctx, w));
            if (root == rank) HEFT_CHECK(give(ctx, "", 0));
        }
    sums[0] = (int64_t)w->tally->n_rows, sums[1] = (int64_t)w->tally->n_labelled;
    sums[2] = (int64_t)w->tally->n_unknown, sums[3] = (int64_t)w->tally->n_right;
    HEFT_CHECK(heft_all_add(ctx, sums, 4)); /* sums over the ranks that made lines */
    *w->tally = (heft_tally){.n_rows = (size_t)sums[0],
                             .n_labelled = (size_t)sums[1],
                             .n_unknown = (size_t)sums[2],
                             .n_right = (size_t)sums[3]};
    return HEFT_OK;
}

/* Each rank scores its own rows, and rank 0 writes the lines of all. */
static heft_status write_ranks(heft_ctx *ctx, writing *w, const heft_table *data)
{
    HEFT_LOCAL(heft_prepared) prepared = {0};
    w->part.n_rows = w->slice = data->n_rows;
    HEFT_CHECK(make_space(ctx, w, data->n_rows, true));
    HEFT_CHECK(begin_table(ctx, w, data));
    HEFT_CHECK(heft_posterior(ctx, w->model, data, w->part.proba));
    HEFT_CHECK(heft_true_classes(ctx, w->model, data, w->table.truth, &w->unknown));
    if (w->plan->more) HEFT_CHECK(heft_prep_apply(ctx, &w->model->prep, data, &prepared));
    w->part.rows = &prepared.rows;
    const heft_status st = relay_lines(ctx, w);
    w->part.rows = NULL;
    return st;
}

/* ---- public ---- */

static void writing_clear(writing *w)
{
    heft_out_abandon(w->out);
    clear_space(w);
    heft_unknown_clear(&w->unknown);
    heft_buf_clear(&w->given);
    for (size_t k = 0; w->pieces && k < w->n_pieces; k++) {
        heft_buf_clear(&w->pieces[k].buf);
        heft_free(w->pieces[k].attr);
        heft_free(w->pieces[k].proba);
    }
    heft_free(w->pieces);
}

heft_status heft_predict_csv(heft_ctx *ctx, const heft_csv_plan *plan, heft_tally *tally)
{
    const double        began = heft_clock();
    const size_t        line = plan->model->fitted.n_class * sizeof(double);
    HEFT_LOCAL(writing) w = {.plan = plan,
                             .model = plan->model,
                             .lines = plan->more && plan->more->instead,
                             .slice = SLICE_BYTES / line / PIECE * PIECE,
                             .n_pieces = ctx->threads == 1 ? 1 : 2 * (size_t)ctx->threads,
                             .tally = tally};
    if (w.slice < PIECE) w.slice = WIDEST_BYTES / line < PIECE ? WIDEST_BYTES / line : PIECE;
    if (w.slice == 0) w.slice = 1;
    w.piece = PIECE;
    if (plan->more && plan->more->width > PIECE_CELLS / PIECE)
        w.piece = plan->more->width < PIECE_CELLS ? PIECE_CELLS / plan->more->width : 1;
    HEFT_NEW(ctx, w.pieces, w.n_pieces);
    HEFT_CHECK(make_labels(ctx, w.model->prep.classes, &w.label));
    HEFT_ALLOC(ctx, &ctx->scratch, w.attr, w.model->prep.n_attr);
    if (plan->ranks) HEFT_CHECK(write_ranks(ctx, &w, plan->data));
    else if (plan->data) HEFT_CHECK(write_rows(ctx, &w, plan->data));
    else HEFT_CHECK(write_file(ctx, &w));
    const bool  piped = plan->from && strcmp(plan->from, "-") == 0;
    const char *name = piped        ? "standard input"
                       : plan->from ? plan->from
                       : plan->data ? heft_table_label(plan->data)
                                    : NULL;
    if (!plan->ranks)
        HEFT_CHECK(heft_warn_unseen(ctx, w.model, w.name[0] ? w.name : NULL, w.n_unseen));
    HEFT_CHECK(heft_warn_unknown(ctx, w.model, name, &w.unknown));
    if (plan->only > tally->n_rows)
        return heft_fail(ctx, HEFT_EINVAL, "%s: there is no row %zu (the file has %s)",
                         name ? name : "the table", plan->only,
                         HEFT_COUNT_OF(tally->n_rows, "row"));
    heft_out *out = w.out;
    w.out = NULL;
    if (out) HEFT_CHECK(heft_out_commit(ctx, out));
    heft_say(ctx, HEFT_INFO, "%s: %s %s in %.3f s", w.name[0] ? w.name : "the table",
             w.lines ? "explained" : "predicted", HEFT_COUNT_OF(tally->n_rows, "row"),
             heft_clock() - began);
    return HEFT_OK;
}
