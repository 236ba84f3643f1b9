/* lazy_ranks.h - lazy methods whose training rows are spread over ranks.
 *
 * All ranks have the same queries. Each counts among its own rows, for every class and distance,
 * how many there are and how many of them agree with the query on each attribute; these whole
 * numbers are added over the ranks, and from there on every rank does what one does with all the
 * rows: the same bits. */
#pragma once

#include "methods/lazy/local.h"

/* weight[c * (m + 1) + l] of the rows of class c at distance l, of which there are level[the same];
 * returns rho. `room` is for m + 1 numbers. */
typedef double heft_weigh_fn(const void *user, const double *level, size_t n_class, size_t m,
                             uint32_t *room, double *weight);

/* log_joint[n_rows * n_class]. All ranks at once, with the same rows. */
heft_status heft_lazy_score_ranks(heft_ctx *ctx, const heft_neighbours *nb, heft_weigh_fn *weigh,
                                  const void *user, const heft_rows *rows, double *log_joint);
