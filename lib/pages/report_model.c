/* report_model.c - a model as a page: its document, member by member, and the frame around it. The
 * page is bounded whatever the model: lists show the first few and say how many there are. */
#include <string.h>

#include "decide/decide.h"
#include "pages/page.h"

enum { LEAST_SAMPLE = 200, MOST_SAMPLE = 4000, SAMPLED_CELLS = 2000000 };

/* The class that evidence of two classes is for: the one that the user has named, else the second.
 */
static void choose_side(heft_page *p)
{
    const heft_prep *prep = &p->model->prep;
    p->one = 1;
    if (p->model->decision.kind == HEFT_THRESHOLD) p->one = p->model->decision.chosen;
    if (prep->positive) p->one = heft_prep_class(prep, prep->positive, strlen(prep->positive));
    if (p->K != 2 || p->one > 1) p->one = p->K > 1;
    p->zero = p->K > 1 ? 1 - p->one : 0;
    p->positive = p->K > 1 ? heft_positive_class(prep->classes, prep->positive) : 0;
}

static heft_status open_page(heft_page *p, size_t folds)
{
    heft_ctx    *ctx = p->ctx;
    const size_t sample = SAMPLED_CELLS / (p->n_attr + 1);
    p->bounds.sample = sample < LEAST_SAMPLE  ? LEAST_SAMPLE
                       : sample < MOST_SAMPLE ? sample
                                              : MOST_SAMPLE;
    p->K = heft_dict_size(p->model->prep.classes);
    HEFT_ALLOC(ctx, &ctx->scratch, p->classes, p->K);
    for (size_t c = 0; c < p->K; c++)
        p->classes[c] = heft_dict_text(p->model->prep.classes, (uint32_t)c);
    choose_side(p);
    HEFT_CHECK(heft_terms_shown(ctx, p->model, &p->t));
    p->additive = heft_terms_complete(&p->t) && !p->t.class_pair && !p->model->comm && p->K > 1;
    if (p->table) HEFT_CHECK(heft_row_cells_open(ctx, p->model, p->table, &p->cells));
    HEFT_CHECK(heft_page_rank(p));
    if (p->table) HEFT_CHECK(heft_page_predict(p, folds));
    p->bounds.values_cut = heft_page_values_large(p);
    return heft_page_sentences(p);
}

static heft_status write_document(const heft_page *p, const char *title)
{
    heft_page_begin(p->out, "report", title);
    HEFT_CHECK(heft_report_facts(p));
    heft_report_data(p);
    heft_report_headline(p);
    heft_report_sentences(p);
    heft_report_measures(p);
    HEFT_CHECK(heft_report_confusion(p));
    HEFT_CHECK(heft_report_attributes(p));
    HEFT_CHECK(heft_report_shapes(p));
    HEFT_CHECK(heft_report_pairs(p));
    HEFT_CHECK(heft_report_correlations(p));
    HEFT_CHECK(heft_report_nomogram(p));
    HEFT_CHECK(heft_report_curves(p));
    HEFT_CHECK(heft_report_details(p));
    HEFT_CHECK(heft_report_whatif(p));
    HEFT_CHECK(heft_report_rows(p));
    heft_json_close(p->out, '}');
    return HEFT_OK;
}

/* Writes the document, or the page around it. */
static heft_status write_report(heft_page *p, bool json, heft_buf *out)
{
    HEFT_SIDE_TEXT(document, out);
    HEFT_SIDE_TEXT(title, out);
    HEFT_SIDE_TEXT(still, out);
    heft_put(&title, "%s predicts %100q", p->model->method->name, p->model->prep.target);
    p->out = json ? out : &document;
    const heft_status st = write_document(p, heft_buf_string(&title));
    p->out = out;
    HEFT_CHECK(st);
    if (json) {
        heft_put(out, "\n");
        return HEFT_OK;
    }
    heft_report_static(p, &still);
    heft_html_page(out, heft_buf_string(&title), heft_buf_string(&still),
                   heft_buf_string(&document));
    return HEFT_OK;
}

heft_status heft_report_model(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              size_t folds, bool json, char **out)
{
    heft_status         st = HEFT_OK;
    const heft_mark     mark = heft_arena_mark(&ctx->scratch);
    heft_buf            buf = {0};
    heft_page_outcomes *outcomes = NULL;
    heft_page           p = {
                  .ctx = ctx, .model = model, .table = table, .n_attr = model->prep.n_attr, .out = &buf};
    *out = NULL;
    st = open_page(&p, folds);
    outcomes = p.outcomes;
    if (outcomes && !outcomes->n_known) p.outcomes = NULL;
    if (st == HEFT_OK) HEFT_TRY(write_report(&p, json, &buf));
    if (st == HEFT_OK) HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_page_outcomes_clear(outcomes);
    heft_buf_clear(&buf);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
