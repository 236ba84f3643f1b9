/* neighbours.h - the training rows a lazy method keeps, and counts of them by distance to a query.
 *
 * Rows are packed, one byte per cell (two for an attribute of more than 254 values), and lie
 * together by class. The distance is Hamming's: attributes on which a row and the query differ; a
 * cell that is missing or holds an unknown value differs from every other. All counts are whole
 * numbers: they depend neither on the order of rows nor on threads.
 *
 * Attributes are numbered here as lanes: those of one byte first, then those of two. Attributes of
 * a single value have none, because they are the same in every row, unless the user keeps them. */
#pragma once

#include "model/method.h"

typedef struct heft_neighbours {
    size_t    n_rows, n_class;
    bool      keeps_constant; /* attributes of a single value have a lane too */
    size_t    n_attr;         /* lanes */
    size_t    n_byte, n_word; /* lanes of one byte and of two; their sum is n_attr */
    uint32_t *attr;           /* lane -> attribute */
    double   *n_values;       /* declared values of each lane */
    uint32_t *start;          /* rows of class c are start[c]..start[c+1]-1 */
    uint8_t  *bytes;          /* n_rows x n_byte, and HEFT_HAMMING_PAD more */
    uint16_t *words;          /* n_rows x n_word */
    bool      spread;         /* these are the rows of one rank; others have the rest */
} heft_neighbours;

/* Pack prepared rows, coded in every attribute, their classes known. The caller sets
 * out->keeps_constant before. Says what memory it will take
 * when that is much. EUNSUPPORTED beyond 65,535 values in a column or 65,535 attributes. */
heft_status heft_neighbours_pack(heft_ctx *ctx, const heft_rows *rows, const heft_prep *prep,
                                 const char *method, heft_arena *arena, heft_neighbours *out);

/* In the model file. With several ranks each keeps its share of every class. */
extern const heft_state heft_neighbours_state;
/* All ranks at once: the rows of all of them, class by class and rank by rank, as one would have
 * packed them. Memory from the arena. */
heft_status heft_neighbours_gather(heft_ctx *ctx, heft_arena *arena, heft_neighbours *nb);
/* ---- asking ---- */

enum { HEFT_PROBE = 16 }; /* queries handled together */

/* A few queries and what is counted for them; memory from the arena, one for each thread. */
typedef struct heft_probe {
    const heft_neighbours *nb;
    bool                   whole; /* distances of all rows at once, not class by class */
    bool                   fused; /* rows narrow enough to count levels in one pass */
    size_t                 width; /* counters per line, at least n_attr */
    size_t                 query_width;
    uint8_t               *query;    /* HEFT_PROBE x query_width */
    uint16_t              *words;    /* HEFT_PROBE x n_word */
    uint8_t               *narrow;   /* fused */
    uint8_t               *turned;   /* fused: rows as heft_hamming_turn has them */
    uint32_t              *wide;     /* fused: HEFT_PROBE tables of n_attr + 1 lines */
    uint64_t              *agreed;   /* fused: the sums of those lines */
    size_t                 capacity; /* rows whose distances are kept for one query */
    uint16_t              *distance; /* HEFT_PROBE x capacity */
    uint32_t              *picked, *list, *end, *count; /* rows to weigh, by distance; agreements */
    uint32_t              *histogram;                   /* whole: HISTOGRAMS of them */
} heft_probe;

/* `whole`: for heft_probe_all, otherwise for heft_probe_class. */
heft_status heft_probe_init(heft_ctx *ctx, const heft_neighbours *nb, bool whole, heft_arena *arena,
                            heft_probe *out);

/* Take rows lo..lo+n-1 as the queries, n <= HEFT_PROBE; prepared as the training rows were. */
void heft_probe_load(heft_probe *probe, const heft_rows *rows, size_t lo, size_t n);

/* level[l * HEFT_PROBE + q] = rows of class c at distance l from query q. */
void heft_probe_class(heft_probe *probe, size_t c, size_t n, double *level);

/* sum[lane] = sum over the rows of class c, which heft_probe_class counted last, that agree with
 * query q on the lane, of weight[distance]. */
void heft_probe_weigh(heft_probe *probe, size_t q, size_t c, const double *weight, double *sum);

/* count[l * n_attr + lane] = rows of class c, which heft_probe_class counted last, at distance l
 * from query q that agree with it on the lane. */
void heft_probe_counts(heft_probe *probe, size_t q, size_t c, uint32_t *count);

/* total[l] = rows of all classes at distance l from query q. */
void heft_probe_all(heft_probe *probe, size_t q, uint32_t *total);

/* Does what heft_probe_weigh does, after heft_probe_all and for any class; returns the weight of
 * all rows of class c. Few distances should have a weight that is not 0. */
double heft_probe_near(heft_probe *probe, size_t q, size_t c, const double *weight, double *sum);
