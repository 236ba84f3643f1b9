/* embed.c - heft inside another program: read, fit, predict, explain.
 *
 *     cc embed.c -o embed $(pkg-config --cflags --libs heft)
 *     ./embed ../iris.csv
 *
 * The second half does the same with a table that lives in memory. */
#include <heft.h>
#include <stdio.h>
#include <stdlib.h>

static int give_up(const heft_error *err)
{
    fprintf(stderr, "embed: %s: %s\n", heft_status_name(err->code), err->text);
    return EXIT_FAILURE;
}

/* The fraction of the rows whose most probable class is their own. */
static heft_status accuracy(const heft_model *model, const heft_table *data, double *out,
                            heft_error *err)
{
    const size_t n = heft_table_rows(data);
    int32_t     *guess = malloc(n * sizeof *guess), *truth = malloc(n * sizeof *truth);
    heft_status  st = HEFT_OK;
    size_t       right = 0;
    if (!guess || !truth) {
        *err = (heft_error){HEFT_ENOMEM, "not enough memory for the predicted classes"};
        st = HEFT_ENOMEM;
    }
    if (st == HEFT_OK) st = heft_predict(model, data, guess, err);
    if (st == HEFT_OK) st = heft_model_labels(model, data, truth, err);
    if (st == HEFT_OK) {
        for (size_t i = 0; i < n; i++) right += guess[i] == truth[i];
        *out = (double)right / (double)n;
    }
    free(truth);
    free(guess);
    return st;
}

static heft_status from_file(const char *path, heft_error *err)
{
    heft_table *data = NULL;
    heft_model *model = NULL;
    char       *why = NULL;
    double      share;
    heft_status st = heft_read(path, NULL, &data, err);
    if (st == HEFT_OK) st = heft_fit(data, &(heft_config){.method = "auto"}, &model, err);
    if (st == HEFT_OK) st = accuracy(model, data, &share, err);
    if (st == HEFT_OK) st = heft_explain_text(model, data, 0, "text", 3, &why, err);
    if (st == HEFT_OK)
        printf("%s: %zu rows, %zu classes, %.1f%% of the training rows right\n\n%s", path,
               heft_table_rows(data), heft_model_classes(model), 100 * share, why);
    heft_text_free(why);
    heft_model_free(model);
    heft_table_free(data);
    return st;
}

static heft_status from_memory(heft_error *err)
{
    static const double      size[] = {1.0, 1.9, 1.3, 2.4, 1.6, 2.9};
    static const int32_t     colour[] = {0, 1, 0, 1, 1, 1}, kind[] = {0, 0, 0, 1, 1, 1};
    static const char *const colours[] = {"green", "red"}, *const kinds[] = {"grape", "apple"};
    heft_table *data = NULL;
    heft_model *model = NULL;
    double      proba[6 * 2];
    heft_status st = heft_table_create(6, &data, err);
    if (st == HEFT_OK) st = heft_table_add_numbers(data, "size", size, 1, err);
    if (st == HEFT_OK) st = heft_table_add_codes(data, "colour", colour, 1, colours, 2, err);
    if (st == HEFT_OK) st = heft_table_set_target(data, "kind", kind, kinds, 2, err);
    if (st == HEFT_OK) st = heft_fit(data, NULL, &model, err);
    if (st == HEFT_OK) st = heft_predict_proba(model, data, proba, err);
    if (st == HEFT_OK)
        for (size_t i = 0; i < 6; i++)
            printf("%.1f %-5s  P(apple) = %.4f\n", size[i], colours[colour[i]], proba[2 * i + 1]);
    heft_model_free(model);
    heft_table_free(data);
    return st;
}

int main(int argc, char **argv)
{
    heft_error err = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: embed DATA\n");
        return 2;
    }
    if (from_file(argv[1], &err) != HEFT_OK) return give_up(&err);
    puts("");
    if (from_memory(&err) != HEFT_OK) return give_up(&err);
    return EXIT_SUCCESS;
}
