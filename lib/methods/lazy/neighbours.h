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
#include "model/state.h"

typedef struct heft_neighbours {
    size_t n_rows, n_class;
    bool   keeps_constant; /* whether attributes of a single value have a lane too */
    size_t n_attr;         /* number of lanes */
    size_t n_byte, n_word; /* numbers of lanes of one byte and of two bytes; their sum is
                              n_attr */
    uint32_t *attr;        /* attribute of each lane */
    double   *n_values;    /* number of declared values of each lane */
    uint32_t *start;       /* rows of class c are start[c]..start[c+1]-1 */
    uint8_t  *bytes;       /* n_rows x n_byte, and HEFT_HAMMING_PAD more */
    uint16_t *words;       /* n_rows x n_word */
    bool      spread;      /* whether these are the rows of one rank, and other ranks have the
                              rest */
} heft_neighbours;

/* Packs prepared rows that are coded in every attribute and have known classes. The caller sets
 * out->keeps_constant before. A message says how much memory it will take if that is much. Returns
 * EUNSUPPORTED beyond 65,535 values in a column or 65,535 attributes. */
heft_status heft_neighbours_pack(heft_ctx *ctx, const heft_rows *rows, const heft_prep *prep,
                                 const char *method, heft_arena *arena, heft_neighbours *out);

/* Describes the rows in the model file. With several ranks each keeps its own range of every
 * class. */
extern const heft_state heft_neighbours_state;
/* Gathers the rows of all ranks, class by class and rank by rank, as a single process would have
 * packed them. It is called by all ranks at once. Memory comes from the arena. */
heft_status heft_neighbours_gather(heft_ctx *ctx, heft_arena *arena, heft_neighbours *nb);
/* ---- asking ---- */

enum { HEFT_PROBE = 16 }; /* number of queries that are handled together */

/* A few queries and the counts for them. Memory comes from the arena; each thread has its own. */
typedef struct heft_probe {
    const heft_neighbours *nb;
    bool                   whole; /* whether distances of all rows are found at once, not class by
                                     class */
    bool      fused;              /* whether rows are narrow enough to count levels in one pass */
    size_t    width;              /* counters per line, at least n_attr */
    size_t    query_width;
    uint8_t  *query;    /* HEFT_PROBE x query_width */
    uint16_t *words;    /* HEFT_PROBE x n_word */
    uint8_t  *narrow;   /* fused */
    uint8_t  *turned;   /* fused: the rows as heft_hamming_turn arranges them */
    uint32_t *wide;     /* fused: HEFT_PROBE tables of n_attr + 1 lines */
    uint64_t *agreed;   /* fused: the sums of those lines */
    size_t    capacity; /* number of rows whose distances are stored for one query */
    uint16_t *distance; /* HEFT_PROBE x capacity */
    uint32_t *picked, *list, *end, *count; /* rows to weigh, by distance; agreements */
    uint32_t *histogram;                   /* whole: HISTOGRAMS of them */
} heft_probe;

/* Prepares a probe for heft_probe_all if `whole` is true, otherwise for heft_probe_class. */
heft_status heft_probe_init(heft_ctx *ctx, const heft_neighbours *nb, bool whole, heft_arena *arena,
                            heft_probe *out);

/* Takes rows lo..lo+n-1 as the queries, n <= HEFT_PROBE. They are prepared as the training rows
 * were. */
void heft_probe_load(heft_probe *probe, const heft_rows *rows, size_t lo, size_t n);

/* level[l * HEFT_PROBE + q] = the number of rows of class c at distance l from query q. */
void heft_probe_class(heft_probe *probe, size_t c, size_t n, double *level);

/* sum[lane] = sum over the rows of class c, which heft_probe_class counted last, that agree with
 * query q on the lane, of weight[distance]. */
void heft_probe_weigh(heft_probe *probe, size_t q, size_t c, const double *weight, double *sum);

/* count[l * n_attr + lane] = the number of rows of class c, which heft_probe_class counted last, at
 * distance l from query q that agree with it on the lane. */
void heft_probe_counts(heft_probe *probe, size_t q, size_t c, uint32_t *count);

/* total[l] = the number of rows of all classes at distance l from query q. */
void heft_probe_all(heft_probe *probe, size_t q, uint32_t *total);

/* Does what heft_probe_weigh does, after heft_probe_all and for any class; returns the weight of
 * all rows of class c. Few distances should have a weight that is not 0. */
double heft_probe_near(heft_probe *probe, size_t q, size_t c, const double *weight, double *sum);
