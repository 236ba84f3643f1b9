/* joints.c - attributes of few codes, which histograms count together. */
#include "boost/joints.h"

#include <string.h>

#include "base/wide.h"

/* cell += step code. */
HEFT_WIDE_AVX2 static void add_codes(const uint8_t *restrict code, uint8_t step, size_t n,
                                     uint8_t *restrict cell)
{
    for (size_t i = 0; i < n; i++) cell[i] = (uint8_t)(cell[i] + code[i] * step);
}

static size_t place_of(const heft_bin_attr *attr)
{
    return attr->n_codes < HEFT_JOINT_CELLS ? attr->n_codes : HEFT_JOINT_CELLS;
}

/* The attributes by their number of codes, in their order where it is that of the cells or more. */
static void sort_attributes(const heft_bins *bins, uint32_t *order)
{
    size_t at[HEFT_JOINT_CELLS + 2] = {0};
    for (size_t k = 0; k < bins->n_attr; k++) at[place_of(&bins->attr[k]) + 1]++;
    for (size_t v = 1; v <= HEFT_JOINT_CELLS; v++) at[v] += at[v - 1];
    for (uint32_t k = 0; k < bins->n_attr; k++) order[at[place_of(&bins->attr[k])]++] = k;
}

/* Each attribute is joined to those before it as long as there are cells. */
heft_status heft_joints_open(heft_ctx *ctx, heft_arena *arena, const heft_bins *bins,
                             const heft_tree_codes *column, size_t n_rows, heft_joints *out)
{
    const size_t m = bins->n_attr;
    size_t       end;
    HEFT_ALLOCS(ctx, arena, m, out->order, out->attr);
    sort_attributes(bins, out->order);
    for (size_t first = 0; first<m; first = end> first ? end : first + 1) {
        const uint32_t *order = out->order;
        size_t          n_cells = 1;
        uint8_t        *cell;
        for (end = first; end < m; end++) {
            const uint32_t n_codes = bins->attr[order[end]].n_codes;
            if (column[order[end]].width > 1 || n_codes * n_cells > HEFT_JOINT_CELLS) break;
            n_cells *= n_codes;
        }
        if (end <= first + 1) continue;
        HEFT_ALLOC(ctx, arena, cell, n_rows);
        size_t step = 1;
        for (size_t k = first; k < end; k++) {
            out->attr[order[k]] = (heft_joint){cell, (uint16_t)n_cells, (uint16_t)step};
            add_codes(column[order[k]].codes, (uint8_t)step, n_rows, cell);
            step *= bins->attr[order[k]].n_codes;
        }
    }
    return HEFT_OK;
}

HEFT_WIDE static void add_cells(const int64_t *restrict by_cell, size_t n_cells, size_t step,
                                size_t n_codes, int64_t *restrict by_code)
{
    for (size_t from = 0; from < n_cells; from += n_codes * step)
        if (step == 1)
            for (size_t v = 0; v < n_codes; v++) by_code[v] += by_cell[from + v];
        else
            for (size_t v = 0; v < n_codes; v++)
                for (size_t k = 0; k < step; k++) by_code[v] += by_cell[from + v * step + k];
}

void heft_joint_margin(const heft_joint *joint, const int64_t *by_cell, size_t n_codes,
                       int64_t *by_code)
{
    memset(by_code, 0, n_codes * sizeof *by_code);
    add_cells(by_cell, joint->n_cells, joint->step, n_codes, by_code);
}
