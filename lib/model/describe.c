/* describe.c - a model's settings and history as JSON objects. */
#include "model/describe.h"

#include <math.h>
#include <string.h>

#include "base/put.h"

/* Writes member n of an object, with the brace or comma before it: a text, or a number if `text` is
 * NULL. */
static void put_member(heft_buf *buf, size_t n, const char *name, const char *text, double number)
{
    heft_put(buf, "%s%j: ", n ? ", " : "{", name);
    if (text) heft_buf_json(buf, text);
    else heft_buf_json_number(buf, number);
}

void heft_describe_params(heft_buf *buf, const heft_model *model)
{
    for (size_t k = 0; k < model->n_params; k++) {
        const char *text = model->param_values[k];
        double      x = 0;
        if (heft_parse_double(text, text + strlen(text), &x) == HEFT_NUM_OK) text = NULL;
        put_member(buf, k, model->param_names[k], text, x);
    }
    heft_buf_text(buf, model->n_params ? "}" : "{}");
}

void heft_describe_prep(heft_buf *buf, const heft_model *model)
{
    const heft_kept_settings *set = &model->set;
    heft_prep_words           words;
    heft_prep_describe(&model->prep.spec, &words);
    heft_put(
        buf,
        "{\"impute\": %j, \"discretize\": %j, \"scale\": %j, \"smoothing\": %j, \"prior\": %j, "
        "\"unseen\": %j, \"calibrate\": %j, \"sparse\": %s",
        words.impute, words.discretize, words.scale,
        model->method->caps & HEFT_SMOOTHS ? NULL : set->smoothing, set->prior, words.unseen,
        heft_calibration_word(model->calibration.kind), model->prep.sparse ? "true" : "false");
    if (set->class_weight) heft_put(buf, ", \"class_weight\": %j", set->class_weight);
    if (model->prep.missing && *model->prep.missing)
        heft_put(buf, ", \"missing\": %j", model->prep.missing);
    heft_buf_text(buf, "}");
}

void heft_describe_training(heft_buf *buf, const heft_model *model)
{
    const heft_training *t = &model->fitted.training;
    const bool           known = t->iterative;
    heft_put(buf,
             "{\"rows\": %n, \"iterations\": %n, \"evaluations\": %n, \"objective_initial\": %n, "
             "\"objective_final\": %n, \"converged\": %s, \"stopped_by\": %j, \"seconds\": %n}",
             t->rows, known ? (double)t->iterations : NAN, known ? (double)t->evaluations : NAN,
             known ? t->objective_initial : NAN, known ? t->objective_final : NAN,
             !known         ? "null"
             : t->converged ? "true"
                            : "false",
             known ? t->stopped_by : NULL, t->seconds);
}

void heft_describe_facts(heft_buf *buf, const heft_model *model)
{
    const heft_training *t = &model->fitted.training;
    for (size_t k = 0; k < t->n_facts; k++)
        put_member(buf, k, t->facts[k].name, t->facts[k].text, t->facts[k].number);
    heft_buf_text(buf, t->n_facts ? "}" : "{}");
}

void heft_describe_classes(heft_buf *buf, const heft_prep *prep)
{
    heft_buf_text(buf, "[");
    for (uint32_t c = 0; c < heft_dict_size(prep->classes); c++)
        heft_put(buf, "%s%j", c ? ", " : "", heft_dict_text(prep->classes, c));
    heft_buf_text(buf, "]");
}
