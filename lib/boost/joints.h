/* joints.h - attributes of few codes, which histograms count together.
 *
 * Up to 256 combinations of the codes of several attributes are cells with a number of one byte.
 * Adding a row to the sums of its cell takes the place of adding it to a sum of each attribute; the
 * sums of the attributes are sums over cells. */
#pragma once

#include "boost/bins.h"

enum { HEFT_JOINT_CELLS = 256 };

typedef struct heft_joint { /* how one attribute is counted */
    const uint8_t *cell;    /* by row; the same array as that of the attributes it is joined with;
                               NULL: it is counted alone */
    uint16_t n_cells;
    uint16_t step; /* its code is cell / step, modulo its number of codes */
} heft_joint;

typedef struct heft_joints {
    uint32_t   *order; /* the attributes; those counted together follow each other */
    heft_joint *attr;  /* by attribute */
} heft_joints;

heft_status heft_joints_open(heft_ctx *ctx, heft_arena *arena, const heft_bins *bins,
                             const heft_tree_codes *column, size_t n_rows, heft_joints *out);
/* by_code[0..n_codes): sums over the cells with that code. */
void heft_joint_margin(const heft_joint *joint, const int64_t *by_cell, size_t n_codes,
                       int64_t *by_code);
