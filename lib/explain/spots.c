/* spots.c - a pooled score in the form the exports write. */
#include "explain/spots.h"

#include <math.h>

#include "model/model.h"

heft_spots heft_spots_of(const heft_model *model, const heft_pooled *pooled, size_t j)
{
    const heft_attr_prep *prep = &model->prep.attr[j];
    heft_spots            out = {.attr = &pooled->attr[j]};
    out.n_codes = heft_attr_codes(prep);
    if (prep->kind == HEFT_NUMBER && !prep->cut) {
        out.n_cuts = out.attr->lines.n_cuts;
        out.cuts = out.attr->lines.cuts;
        out.n_codes = out.n_cuts + 1;
    } else if (prep->cut) {
        out.n_cuts = prep->n_cuts;
        out.cuts = prep->cuts;
    }
    return out;
}

/* As heft_line_at. */
uint32_t heft_spot_line(const heft_spots *spots, size_t spot)
{
    const heft_lines *lines = &spots->attr->lines;
    if (spot < spots->n_codes) return (uint32_t)spot;
    return spot > spots->n_codes && lines->apart ? (uint32_t)spots->n_codes : lines->n_lines - 1;
}

void heft_spot_numbers(const heft_pooled *pooled, const double *line, double absent, double *out)
{
    for (size_t c = 0; c < pooled->n_declared; c++) out[c] = absent;
    for (size_t c = 0; c < pooled->n_class; c++) out[pooled->present[c]] = line[c];
}

void heft_spot_start(const heft_fitted *fitted, const heft_pooled *pooled, double *out)
{
    heft_spot_numbers(pooled, pooled->bias, -INFINITY, out);
    for (size_t c = 0; fitted->log_prior && c < fitted->n_class; c++)
        if (!isfinite(fitted->log_prior[c])) out[c] = -INFINITY;
}
