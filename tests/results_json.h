/* results_json.h - results as their own JSON says, parsed. */
#ifndef HEFT_TESTS_RESULTS_JSON_H
#define HEFT_TESTS_RESULTS_JSON_H

#include "check.h"

#include <jansson.h>

#include "eval/results.h"

/* The results as JSON without the seconds. */
static inline json_t *json_of(const heft_results *results)
{
    char        *text;
    json_error_t why;
    assert_int_equal(heft_results_text(results, "json", &text, NULL), HEFT_OK);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root) fail_msg("%s in %s", why.text, text);
    heft_text_free(text);
    size_t  d, m;
    json_t *set, *cell;
    json_array_foreach(json_object_get(root, "datasets"), d, set)
        json_array_foreach(json_object_get(set, "methods"), m, cell)
    {
        json_object_del(cell, "fit_seconds");
        json_object_del(cell, "predict_seconds");
    }
    return root;
}

#endif
