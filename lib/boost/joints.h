/* joints.h - attributes of few codes, which histograms count together.
 *
 * Up to 256 combinations of the codes of several attributes are cells with a number of one byte.
 * Adding a row to the sums of its cell takes the place of adding it to a sum of each attribute; the
 * sums of the attributes are sums over cells. */
#pragma once

#include "boost/bins.h"

enum { HEFT_JOINT_CELLS = 256 };

typedef struct heft_joint { /* of one attribute */
    const uint8_t *cell;    /* of each row, with the attributes that have the same; NULL: alone */
    uint16_t       n_cells;
    uint16_t       step; /* its code is the number of the cell / step, modulo its number of codes */
} heft_joint;

typedef struct heft_joints {
    uint32_t   *order; /* the attributes; those counted together follow each other */
    heft_joint *of;    /* by attribute */
} heft_joints;

heft_status heft_joints_open(heft_ctx *ctx, heft_arena *arena, const heft_bins *bins,
                             const heft_tree_codes *column, size_t n_rows, heft_joints *out);
/* by_code[0..n_codes): sums over the cells with that code. */
void heft_joint_margin(const heft_joint *joint, const int64_t *by_cell, size_t n_codes,
                       int64_t *by_code);
