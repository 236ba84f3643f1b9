/* score_rows.c - answer every row as soon as it has arrived.
 *
 *     cc score_rows.c -o score_rows $(pkg-config --cflags --libs heft)
 *     ./score_rows MODEL < rows.csv
 *
 * Rows come as CSV on standard input, with a header. Each line is answered at once by the most
 * probable class and its probability: heft_predict_row needs no table, and the loop allocates
 * nothing. */
#include <heft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 64, MAX_CLASSES = 64, MAX_LINE = 4096 };

/* Cut a line into its fields, in place. A field in double quotes may contain commas. */
static size_t split(char *line, char **fields)
{
    size_t n = 0;
    char  *at = line;
    line[strcspn(line, "\r\n")] = '\0';
    while (n < MAX_FIELDS) {
        char *end;
        if (*at == '"' && (end = strchr(at + 1, '"'))) {
            *end++ = '\0';
            fields[n++] = at + 1;
        } else {
            end = at + strcspn(at, ",");
            fields[n++] = at;
        }
        if (*end != ',') {
            *end = '\0';
            break;
        }
        *end = '\0';
        at = end + 1;
    }
    return n;
}

/* What heft_predict_row takes for a cell: a number, the index of a category, NaN for a missing
 * cell. */
static double cell_value(const heft_model *model, size_t j, const heft_attribute *attr,
                         const char *text)
{
    char value[256];
    if (!*text) return NAN;
    if (attr->kind == HEFT_NUMERIC) return strtod(text, NULL);
    for (size_t v = 0; v < attr->n_values; v++)
        if (heft_model_value(model, j, v, value, sizeof value) && strcmp(value, text) == 0)
            return (double)v;
    return (double)attr->n_values; /* a category that training did not have */
}

/* The place of each attribute of the model in the fields of the header; MAX_FIELDS: it is not
 * there. */
static heft_status match_header(const heft_model *model, char **fields, size_t n, size_t *place,
                                heft_attribute *attrs, heft_error *err)
{
    heft_status st = HEFT_OK;
    for (size_t j = 0; j < heft_model_attributes(model); j++) {
        attrs[j] = (heft_attribute){.size = sizeof attrs[j]};
        st = heft_model_attribute(model, j, &attrs[j], err);
        if (st != HEFT_OK) return st;
        place[j] = MAX_FIELDS;
        for (size_t k = 0; k < n; k++)
            if (strcmp(fields[k], attrs[j].name) == 0) place[j] = k;
    }
    return st;
}

static heft_status answer_rows(const heft_model *model, heft_error *err)
{
    char           line[MAX_LINE], *fields[MAX_FIELDS];
    size_t         place[MAX_FIELDS], n_attr = heft_model_attributes(model), n;
    heft_attribute attrs[MAX_FIELDS];
    double         row[MAX_FIELDS], proba[MAX_CLASSES];
    heft_status    st;
    if (!fgets(line, sizeof line, stdin)) return HEFT_OK;
    st = match_header(model, fields, split(line, fields), place, attrs, err);
    while (st == HEFT_OK && fgets(line, sizeof line, stdin)) {
        size_t best = 0;
        n = split(line, fields);
        for (size_t j = 0; j < n_attr; j++)
            row[j] = place[j] < n ? cell_value(model, j, &attrs[j], fields[place[j]]) : NAN;
        st = heft_predict_row(model, row, proba, err);
        for (size_t c = 1; c < heft_model_classes(model); c++)
            if (proba[c] > proba[best]) best = c;
        if (st == HEFT_OK) printf("%s %.4f\n", heft_model_class_name(model, best), proba[best]);
        fflush(stdout);
    }
    return st;
}

int main(int argc, char **argv)
{
    heft_error  err = {0};
    heft_model *model = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: score_rows MODEL\n");
        return 2;
    }
    heft_status st = heft_model_load(argv[1], &model, &err);
    if (st == HEFT_OK &&
        (heft_model_attributes(model) > MAX_FIELDS || heft_model_classes(model) > MAX_CLASSES)) {
        fprintf(stderr,
                "score_rows: the model has too many attributes or classes for this example\n");
        heft_model_free(model);
        return EXIT_FAILURE;
    }
    if (st == HEFT_OK) st = answer_rows(model, &err);
    if (st != HEFT_OK) fprintf(stderr, "score_rows: %s\n", err.text);
    heft_model_free(model);
    return st == HEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
