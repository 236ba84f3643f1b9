/* calibration.h - calibration: scores are changed so that their softmax gives probabilities that
 * agree with the frequencies of the classes on held-out rows.
 *
 *   temperature   s'_c = b s_c                                 one number b for all classes
 *   vector        s'_c = b_c (s_c - log sum_k exp s_k) + a_c
 *
 * Here s_c is the score of class c. A temperature keeps the order of the classes, so it never
 * changes the most probable class. b and a minimise the log-loss of held-out scores plus a penalty
 * that pulls them to b = 1 and a = 0 and weighs as much as one row (learn/mixing.h). */
#pragma once

#include "base/ctx.h"

typedef enum heft_calibrating {
    HEFT_CALIBRATE_NONE,
    HEFT_TEMPERATURE,
    HEFT_VECTOR
} heft_calibrating;

typedef struct heft_calibration {
    heft_calibrating kind;
    double          *scale, *shift; /* b_c and a_c, n_class numbers each; NULL: scores are
                                       not changed */
} heft_calibration;

/* Parse one of the words none, temperature, vector; NULL means none. */
heft_status heft_calibration_parse(heft_ctx *ctx, const char *word, heft_calibrating *out);
const char *heft_calibration_word(heft_calibrating kind);

/* Calibrate n rows of n_class scores in place. A score of -inf stays -inf. */
void heft_calibrate(const heft_calibration *calibration, size_t n, size_t n_class, double *scores);
/* Calibrate the terms of one row's score: `n` lines of n_class numbers that add up to the score.
 * Afterwards they add up to the calibrated score. The constants of a vector calibration belong to
 * no term and are added to the first line. room[n_class] is work space. */
void heft_calibrate_parts(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *parts, double *room);
/* Calibrate lines like the terms above, but without the constants of a vector calibration. */
void heft_calibrate_lines(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *lines);
