/* spots.h - a pooled score (model/pooled.h) in the form the exports write.
 *
 * A spot is a cell as a reader without heft sees it: the code of a nominal value or interval; for a
 * number the place between the cuts of all resolutions. Two more follow the n codes: missing, and
 * a value never heard of. */
#ifndef HEFT_EXPLAIN_SPOTS_H
#define HEFT_EXPLAIN_SPOTS_H

#include "methods/auto/auto.h"
#include "model/model.h"

typedef struct heft_spots { /* of one attribute */
    const heft_pooled_attr *attr;
    size_t                  n_codes;
    size_t                  n_cuts; /* of a number, by the preparation or by the score */
    const double           *cuts;
} heft_spots;

heft_spots heft_spots_of(const heft_model *model, const heft_pooled *pooled, size_t j);
/* The line of the attribute's table that a spot, 0 .. n_codes + 1, takes. */
uint32_t heft_spot_line(const heft_spots *spots, size_t spot);
/* A line of K numbers over the declared classes: `absent` for those that take no part. */
void heft_spot_numbers(const heft_pooled *pooled, const double *line, double absent, double *out);
/* Where the score begins: the bias; -inf for a class that takes no part. */
void heft_spot_start(const heft_fitted *fitted, const heft_pooled *pooled, double *out);

#endif
