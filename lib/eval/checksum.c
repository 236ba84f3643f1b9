/* checksum.c - checksums of what an evaluation depends on, and of its figures. */
#include "eval/checksum.h"

#include <math.h>
#include <string.h>

#include "eval/bootstrap.h"

uint64_t heft_sum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 29;
}

uint64_t heft_sum_bytes(uint64_t sum, const void *data, size_t length)
{
    const unsigned char *at = data;
    sum = heft_sum_word(sum, length);
    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        sum = heft_sum_word(sum, word);
    }
    uint64_t rest = 0;
    if (length) memcpy(&rest, at, length);
    return heft_sum_word(sum, rest);
}

uint64_t heft_sum_text(uint64_t sum, const char *text)
{
    return text ? heft_sum_bytes(sum, text, strlen(text)) : heft_sum_word(sum, UINT64_MAX);
}

uint64_t heft_sum_number(uint64_t sum, double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return heft_sum_word(sum, word);
}

/* Add a number that may be NAN; all NANs count as equal, whatever their bits. */
static uint64_t add_figure(uint64_t sum, double x)
{
    return isnan(x) ? heft_sum_word(sum, UINT64_MAX) : heft_sum_number(sum, x);
}

static uint64_t add_column(uint64_t sum, const heft_column *col, size_t n_rows)
{
    sum = heft_sum_text(sum, col->name);
    sum = heft_sum_word(sum, col->kind == HEFT_NUMERIC ? 0 : 1 + heft_dict_size(col->dict));
    sum = heft_sum_word(sum, col->inferred);
    if (col->dict)
        for (uint32_t v = 0; v < heft_dict_size(col->dict); v++)
            sum = heft_sum_bytes(sum, heft_dict_text(col->dict, v), heft_dict_length(col->dict, v));
    return col->cells ? heft_sum_bytes(sum, col->cells, n_rows * col->width) : sum;
}

uint64_t heft_table_sum(const heft_table *table)
{
    uint64_t sum = heft_sum_word(heft_sum_word(0, table->n_rows), table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++)
        sum = add_column(sum, &table->cols[j], table->n_rows);
    if (table->target) sum = add_column(sum, table->target, table->n_rows);
    if (table->weight)
        sum = heft_sum_bytes(sum, table->weight, table->n_rows * sizeof *table->weight);
    if (table->sparse) {
        const heft_sparse *s = table->sparse;
        const size_t       n = s->start[table->n_rows];
        sum = heft_sum_bytes(sum, s->start, (table->n_rows + 1) * sizeof *s->start);
        sum = heft_sum_bytes(sum, s->col, n * sizeof *s->col);
        sum = heft_sum_bytes(sum, s->val, n * sizeof *s->val);
    }
    return sum;
}

/* Add a time, rounded to microseconds as in the file. */
static uint64_t add_seconds(uint64_t sum, double seconds)
{
    return heft_sum_word(sum, (uint64_t)llround(seconds * 1e6));
}

uint64_t heft_cell_sum(const heft_cell *cell, const char *key)
{
    uint64_t sum = heft_sum_text(5, key);
    for (size_t k = 0; k < HEFT_N_ACCURACIES; k++)
        sum = heft_sum_number(sum, heft_figure_of(cell, k));
    for (size_t k = HEFT_N_ACCURACIES; k < HEFT_N_FIGURES; k++)
        sum = add_seconds(sum, heft_figure_of(cell, k));
    for (size_t k = 0; k < cell->n_folds; k++)
        sum = heft_sum_number(heft_sum_number(sum, cell->per_fold[k]), cell->per_fold_macro_f1[k]);
    for (size_t k = 0; k < HEFT_N_MEASURES; k++) sum = add_figure(sum, cell->measures[k]);
    if (cell->confusion)
        for (size_t k = 0; k < cell->n_classes * cell->n_classes; k++)
            sum = heft_sum_word(sum, cell->confusion[k]);
    for (size_t k = 0; cell->per_class && k < cell->n_classes * HEFT_N_CLASS_FIGURES; k++)
        sum = add_figure(sum, heft_class_figure_of(&cell->per_class[k / HEFT_N_CLASS_FIGURES],
                                                   k % HEFT_N_CLASS_FIGURES));
    if (cell->intervals)
        for (size_t k = 0; k < 2 * HEFT_N_DRAWN; k++) sum = add_figure(sum, cell->intervals[k]);
    return sum;
}
